//! Errors that show only on an input. The place is read again, so that the help is the user's own
//! code, mended.

use super::mend::of_other_type;
use super::quote::{LONGEST, mended, one_line, operand};
use crate::base::{Code, Diagnostic, Limits, Sources, Span, Suggestion};
use crate::eval::Evaluator;
use crate::graph::{SOp, SOpId};
use crate::syntax::ast::{Ast, BinaryOperator, ExprId, ExprKind, UnaryOperator};
use crate::syntax::parse_expression;
use crate::value::op::FailureKind;
use crate::value::{Op, Table, TypeSet, Value};

/// Calls shown on the way to an error.
const SHOWN_CALLS: usize = 3;

/// An error of an evaluation with the calls that led to its place, where they are the same for all
/// s-ops made there that the roots need; and with what to type instead.
pub fn explain(evaluator: &Evaluator, error: Diagnostic, roots: &[SOpId]) -> Diagnostic {
    let Some(main) = error.span() else {
        let help = (error.code == Code::BadToken).then(|| bad_token(evaluator, roots));
        return error.maybe_help(help);
    };
    let graph = &evaluator.graph;
    let candidates = graph.reachable(roots).into_iter();
    let here: Vec<SOpId> = candidates.filter(|id| graph.span(*id) == main).collect();
    let mut paths = here.iter().map(|id| evaluator.calls_of(*id));
    let path = paths.next().unwrap_or_default();
    let spans = |path: &[(_, Span)]| path.iter().map(|(_, span)| *span).collect::<Vec<_>>();
    let unique = paths.all(|other| spans(&other) == spans(&path));
    let mut error = error;
    let last = path.len().saturating_sub(1);
    for (at, (name, span)) in path.iter().enumerate().filter(|_| unique) {
        // The innermost calls and the one in the program itself.
        if at < SHOWN_CALLS || at == last {
            error = error.within(*span, format!("in this call of `{name}`"));
        }
    }
    if error.help.is_some() {
        return error;
    }
    let place = match evaluator.is_library(main) {
        // Nobody can type in the library: the call is mended.
        true => path
            .iter()
            .map(|(_, span)| *span)
            .find(|span| !evaluator.is_library(*span)),
        false => Some(main),
    };
    let failed = place.and_then(|place| Failed::read(&evaluator.sources, place));
    if error.code == Code::BadToken {
        return error.help(bad_token(evaluator, roots));
    }
    let help = failed.and_then(|failed| failed.meant(evaluator, error.code, &here));
    error.maybe_help(help)
}

/// What to type instead of an operation on atoms that fails.
pub(super) fn advice(sources: &Sources, kind: FailureKind, span: Span) -> Option<Suggestion> {
    let failed = Failed::read(sources, span)?;
    match kind {
        FailureKind::Overflow => failed.float(),
        FailureKind::Arithmetic => failed.guard().or_else(|| failed.largest_power()),
        _ => None,
    }
}

/// A default of the other type than one that does not fit.
pub(super) fn other_default(written: &str) -> &'static str {
    match written.starts_with('"') {
        true => "0",
        false => "\"\"",
    }
}

/// The expression that failed, on one line.
struct Failed<'a> {
    sources: &'a Sources,
    span: Span,
    ast: Ast,
    root: ExprId,
    text: String,
}

impl Failed<'_> {
    fn read(sources: &Sources, span: Span) -> Option<Failed<'_>> {
        let text = one_line(sources.text(span))?;
        let (parsed, root) = parse_expression(span.source, &text, &Limits::default());
        let root = root.filter(|_| parsed.mistakes.is_empty())?;
        let ast = parsed.ast;
        Some(Failed {
            sources,
            span,
            ast,
            root,
            text,
        })
    }

    fn kind(&self) -> &ExprKind {
        &self.ast.get(self.root).kind
    }

    fn part(&self, id: ExprId) -> &str {
        &self.text[self.ast.get(id).span.range()]
    }

    /// The whole as another text.
    fn becomes(&self, what: &str, fixed: String) -> Option<Suggestion> {
        mended(self.sources, what, self.span, vec![(self.span, fixed)])
    }

    /// The text with another one for a part.
    fn with(&self, id: ExprId, other: &str) -> String {
        let mut text = self.text.clone();
        text.replace_range(self.ast.get(id).span.range(), other);
        text
    }

    /// The function that is called, and its arguments.
    fn call(&self) -> Option<(&str, Vec<&str>)> {
        let ExprKind::Call {
            function,
            arguments,
        } = self.kind()
        else {
            return None;
        };
        let plain = arguments.iter().all(|argument| argument.name.is_none());
        let texts = arguments.iter().map(|argument| self.part(argument.value));
        plain.then(|| (self.part(*function), texts.collect()))
    }

    fn meant(&self, evaluator: &Evaluator, code: Code, here: &[SOpId]) -> Option<Suggestion> {
        match code {
            Code::MixedTypes => self
                .default()
                .or_else(|| self.branches())
                .or_else(|| self.table_of_strings()),
            Code::MeanOfNonNumbers => self.share(evaluator, here),
            // In a function of keys and queries both branches of a choice are computed.
            Code::ArithmeticFailed if here.is_empty() => self.best_key(),
            Code::ArithmeticFailed => self.guard().or_else(|| self.best_key()),
            Code::Overflow => self.float(),
            Code::OperandTypes => self.appended(),
            Code::BadIndex => here.iter().find_map(|id| match evaluator.graph.get(*id) {
                SOp::Map {
                    op: Op::Lookup(table),
                    ..
                } => self.lookup(table),
                _ => None,
            }),
            _ => None,
        }
    }

    /// An aggregate without a default that fits its values, or a call of the library that makes one.
    fn default(&self) -> Option<Suggestion> {
        let (function, arguments) = self.call()?;
        let &[first, second, ref default @ ..] = arguments.as_slice() else {
            return None;
        };
        if !["aggregate", "shift", "load_from_location"].contains(&function) {
            return None;
        }
        let other = default
            .first()
            .map_or("\"\"", |written| other_default(written));
        let fixed = format!("{function}({first}, {second}, {other})");
        if function == "load_from_location" {
            let fixed = format!("aggregate(select(indices, {second}, ==), {first}, {other})");
            return self.becomes("say what stands beyond the input", fixed);
        }
        self.becomes("give a default of the type of the values", fixed)
    }

    /// A mean of what has none: the share of those that are true, or of one value.
    fn share(&self, evaluator: &Evaluator, here: &[SOpId]) -> Option<Suggestion> {
        let graph = &evaluator.graph;
        let bools = here.iter().any(|id| match graph.get(*id) {
            SOp::Aggregate { value, .. } | SOp::WeightedMean { value, .. } => {
                graph.types(*value) == TypeSet::BOOL
            }
            _ => false,
        });
        let (what, asked) = match bools {
            true => ("for the share of True", ""),
            false => ("for the share of one value", " == \"a\""),
        };
        let aside = if bools {
            ""
        } else {
            "; to copy a value, select one position only"
        };
        let (function, arguments) = self.call().unwrap_or_default();
        let help = match (function, arguments.as_slice()) {
            ("aggregate", [selector, values, ..]) => {
                let fixed = format!("aggregate({selector}, indicator({values}{asked}))");
                self.becomes(what, fixed).map(|help| Suggestion {
                    message: help.message + aside,
                    ..help
                })
            }
            ("average", [values]) => {
                self.becomes(what, format!("average(indicator({values}{asked}))"))
            }
            _ => None,
        };
        help.or_else(|| Some(format!("{what} aggregate `indicator(…{asked})`").into()))
    }

    /// A choice between a number and a string, one of them written out: the same with one type.
    fn branches(&self) -> Option<Suggestion> {
        let ExprKind::Ternary {
            then, otherwise, ..
        } = self.kind()
        else {
            return None;
        };
        let value = |id: &ExprId| match &self.ast.get(*id).kind {
            ExprKind::Literal(value) => Some((*id, value.clone())),
            ExprKind::Name(name) if ["True", "False"].contains(&&**name) => {
                Some((*id, Value::Bool(&**name == "True")))
            }
            _ => None,
        };
        let mut literals: Vec<(ExprId, Value)> =
            [then, otherwise].into_iter().filter_map(value).collect();
        // With two literals the number becomes a string: that is always possible.
        literals.sort_by_key(|(_, value)| !value.is_number());
        let (id, value) = literals.into_iter().next()?;
        let what = if value.is_number() {
            "strings"
        } else {
            "numbers"
        };
        self.becomes(
            &format!("for {what} in both"),
            self.with(id, &of_other_type(&value)),
        )
    }

    /// A list or dict of numbers and strings indexed by an s-op: the same with strings only.
    fn table_of_strings(&self) -> Option<Suggestion> {
        let ExprKind::Index { object, .. } = self.kind() else {
            return None;
        };
        let values: Vec<ExprId> = match &self.ast.get(*object).kind {
            ExprKind::List(items) | ExprKind::Tuple(items) => items.clone(),
            ExprKind::Dict(entries) => entries.iter().map(|(_, value)| *value).collect(),
            _ => return None,
        };
        let mut text = self.text.clone();
        // From right to left, so that the places before keep their offsets.
        for id in values.into_iter().rev() {
            if matches!(&self.ast.get(id).kind, ExprKind::Literal(value) if value.is_number()) {
                let quoted = Value::str(self.part(id)).source();
                text.replace_range(self.ast.get(id).span.range(), &quoted);
            }
        }
        match text == self.text {
            true => None,
            false => self.becomes("for strings only", text),
        }
    }

    /// A division, made where the divisor is not zero; a power, where its base allows it. What is
    /// written out is for its writer to mend.
    fn guard(&self) -> Option<Suggestion> {
        let ExprKind::Binary {
            operator,
            left,
            right,
        } = self.kind()
        else {
            return None;
        };
        let (asked, comparison) = match (operator, &self.ast.get(*right).kind) {
            (BinaryOperator::Divide | BinaryOperator::Remainder, _) => (right, "!= 0"),
            (
                BinaryOperator::Power,
                ExprKind::Unary {
                    operator: UnaryOperator::Negate,
                    ..
                },
            ) => (left, "!= 0"),
            (BinaryOperator::Power, ExprKind::Literal(Value::Float(_))) => (left, ">= 0"),
            _ => return None,
        };
        if matches!(self.ast.get(*asked).kind, ExprKind::Literal(_)) {
            return None;
        }
        let condition = format!("{} {comparison}", self.part(*asked));
        let fixed = format!("{} if {condition} else 0", self.text);
        self.becomes("choose another value there", fixed)
    }

    /// A power of literals beyond all floats: the largest power that is none.
    fn largest_power(&self) -> Option<Suggestion> {
        let ExprKind::Binary {
            operator: BinaryOperator::Power,
            left,
            right,
        } = self.kind()
        else {
            return None;
        };
        let literal = |id: &ExprId| match &self.ast.get(*id).kind {
            ExprKind::Literal(value) => value.as_float(),
            _ => None,
        };
        let (base, exponent) = (literal(left)?, literal(right)?);
        let largest = (f64::MAX.ln() / base.ln()).floor();
        let beyond = base > 1.0 && exponent > largest;
        let written = self.part(*left);
        beyond.then(|| format!("the largest power is `{written} ^ {largest}`").into())
    }

    /// A mean weighted by what is no weight: the value at the best key.
    fn best_key(&self) -> Option<Suggestion> {
        match self.call()? {
            ("aggregate", arguments) => {
                let [scorer, values, ..] = arguments.as_slice() else {
                    return None;
                };
                let best = format!("select_best(full_s, {scorer})");
                let what = "to read from the key with the highest score";
                self.becomes(what, format!("aggregate({best}, {values})"))
            }
            _ => None,
        }
    }

    /// A number added to strings, as a string.
    fn appended(&self) -> Option<Suggestion> {
        let ExprKind::Binary {
            operator: BinaryOperator::Add,
            left,
            right,
        } = self.kind()
        else {
            return None;
        };
        let number = |id: &&ExprId| matches!(&self.ast.get(**id).kind, ExprKind::Literal(value) if value.is_number());
        let number = *[left, right].into_iter().find(number)?;
        let quoted = Value::str(self.part(number)).source();
        self.becomes("to append it as text", self.with(number, &quoted))
    }

    /// A list, string or dict indexed by an s-op that goes beyond it.
    fn lookup(&self, table: &Table) -> Option<Suggestion> {
        let ExprKind::Index { object, index } = self.kind() else {
            return None;
        };
        let (object, index) = (self.part(*object), self.part(*index));
        let length = match table {
            Table::List(items) | Table::Str(items) => items.len(),
            Table::Dict(entries) => {
                let keys: Vec<String> = entries.iter().map(|(key, _)| key.source()).collect();
                let (first, all) = (keys.first()?, keys.join(", "));
                let fixed = format!("{object}[{index} if {index} in [{all}] else {first}]");
                let help = self.becomes("look up a key that is there", fixed);
                return help.filter(|help| help.message.len() < 2 * LONGEST + 32);
            }
        };
        let fixed = format!("{object}[{} % {length}]", operand(index));
        self.becomes("keep the index in range", fixed)
            .filter(|_| length > 0)
    }

    /// A calculation with a literal int, with a float instead.
    fn float(&self) -> Option<Suggestion> {
        let int = |id: &ExprId| matches!(self.ast.get(*id).kind, ExprKind::Literal(Value::Int(_)));
        let id = self.ast.ids().find(int)?;
        let float = format!("{}.0", self.part(id));
        self.becomes("floats reach further", self.with(id, &float))
    }
}

/// How tokens are given that are read as numbers.
fn bad_token(evaluator: &Evaluator, roots: &[SOpId]) -> &'static str {
    let graph = &evaluator.graph;
    let reads = |wanted: Op| {
        let mut nodes = graph.reachable(roots).into_iter();
        nodes.any(|id| matches!(graph.get(id), SOp::Map { op, .. } if *op == wanted))
    };
    match reads(Op::ToFloat) && !reads(Op::ToInt) {
        true => "floats come as a list: `tokens_float([0.5, 2.0])`",
        false => {
            "numbers come as a list or as single digits: `tokens_int([10, 20])`, \
             `tokens_int(\"123\")`"
        }
    }
}
