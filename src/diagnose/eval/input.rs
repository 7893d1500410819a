//! Errors that show only on an input: the calls that led to their place, and the expression there,
//! mended.

use super::mend::of_other_type;
use super::quote::{LONGEST, operand};
use super::scene::Scene;
use super::with_path;
use crate::base::{Code, Diagnostic, Span, Suggestion};
use crate::eval::Evaluator;
use crate::graph::{SOp, SOpId};
use crate::syntax::ast::{BinaryOperator, ExprId, ExprKind, UnaryOperator};
use crate::value::{Op, Table, TypeSet, Value};

/// An error of an evaluation with the calls that led to its place, where they are the same for all
/// s-ops made there that the roots need; and with what to type instead.
pub fn explain(evaluator: &Evaluator, error: Diagnostic, roots: &[SOpId]) -> Diagnostic {
    let bad_token = || (error.code == Code::BadToken).then(|| bad_token(evaluator, roots));
    let Some(main) = error.span() else {
        let help = bad_token();
        return error.maybe_help(help);
    };
    let graph = &evaluator.graph;
    let candidates = graph.reachable(roots).into_iter();
    let here: Vec<SOpId> = candidates.filter(|id| graph.span(*id) == main).collect();
    let mut paths = here.iter().map(|id| evaluator.calls_of(*id));
    let path = paths.next().unwrap_or_default();
    let spans = |path: &[(_, Span)]| path.iter().map(|(_, span)| *span).collect::<Vec<_>>();
    let unique = paths.all(|other| spans(&other) == spans(&path));
    let help = error.help.clone().or_else(|| Some(bad_token()?.into()));
    let error = with_path(error, if unique { &path } else { &[] });
    // Nobody can type in the library: the call is mended.
    let mut places = path.iter().map(|(_, span)| *span);
    let place = match evaluator.is_library(main) {
        true => places.find(|span| !evaluator.is_library(*span)),
        false => Some(main),
    };
    let mended = || {
        let site = evaluator.site_at(place?)?;
        let scene = Scene {
            evaluator,
            site: Some(&site),
            calls: &[],
            whole: site.span,
        };
        scene.meant_on_input(error.code, &here)
    };
    let help = help.or_else(mended);
    error.maybe_help(help)
}

/// A default of the other type than one that does not fit.
pub(super) fn other_default(written: &str) -> &'static str {
    match written.starts_with('"') {
        true => "0",
        false => "\"\"",
    }
}

impl Scene<'_> {
    /// The function that is called, and its arguments.
    fn call(&self) -> Option<(String, Vec<String>)> {
        let ExprKind::Call {
            function,
            arguments,
        } = self.kind()?
        else {
            return None;
        };
        let plain = arguments.iter().all(|argument| argument.name.is_none());
        let texts = arguments.iter().map(|argument| self.text(argument.value));
        let texts = texts.collect::<Option<_>>().filter(|_| plain)?;
        Some((self.text(*function)?, texts))
    }

    /// The operator of an operation, and its operands.
    fn operation(&self) -> Option<(BinaryOperator, ExprId, ExprId)> {
        match self.kind()? {
            ExprKind::Binary {
                operator,
                left,
                right,
            } => Some((*operator, *left, *right)),
            _ => None,
        }
    }

    /// The value of a part that is a literal.
    fn value(&self, id: ExprId) -> Option<Value> {
        match &self.site?.ast.get(id).kind {
            ExprKind::Literal(value) => Some(value.clone()),
            ExprKind::Name(name) if ["True", "False"].contains(&&**name) => {
                Some(Value::Bool(&**name == "True"))
            }
            _ => None,
        }
    }

    fn meant_on_input(&self, code: Code, here: &[SOpId]) -> Option<Suggestion> {
        match code {
            Code::MixedTypes => self
                .fitting_default()
                .or_else(|| self.branches())
                .or_else(|| self.table_of_strings()),
            Code::MeanOfNonNumbers => self.share(here),
            // In a function of keys and queries both branches of a choice are computed.
            Code::ArithmeticFailed if here.is_empty() => self.best_key(),
            Code::ArithmeticFailed => self.guard().or_else(|| self.best_key()),
            Code::Overflow => self.float(),
            Code::OperandTypes => self.appended(),
            Code::BadIndex => here
                .iter()
                .find_map(|id| match self.evaluator.graph.get(*id) {
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
    fn fitting_default(&self) -> Option<Suggestion> {
        let (function, arguments) = self.call()?;
        let [first, second, default @ ..] = arguments.as_slice() else {
            return None;
        };
        let other = default.first().map_or("\"\"", |text| other_default(text));
        mends! { self, function.as_str();
            "aggregate" | "shift" => "give a default of the type of the values",
                "{function}({first}, {second}, {other})";
            "load_from_location" => "say what stands beyond the input",
                "aggregate(select(indices, {second}, ==), {first}, {other})";
        }
    }

    /// A mean of what has none: the share of those that are true, or of one value.
    fn share(&self, here: &[SOpId]) -> Option<Suggestion> {
        let graph = &self.evaluator.graph;
        let bools = here.iter().any(|id| match graph.get(*id) {
            SOp::Aggregate { value, .. } | SOp::WeightedMean { value, .. } => {
                graph.types(*value) == TypeSet::BOOL
            }
            _ => false,
        });
        let (of, asked, aside) = match bools {
            true => ("True", "", ""),
            false => (
                "one value",
                " == \"a\"",
                "; to copy a value, select one position only",
            ),
        };
        let (function, arguments) = self.call().unwrap_or_default();
        let aside = |help: Suggestion| Suggestion {
            message: help.message + aside,
            ..help
        };
        mends! { self, (function.as_str(), arguments.as_slice());
            ("aggregate", [selector, values, ..]) =>
                where fixed = format!("aggregate({selector}, indicator({values}{asked}))");
                else self.becomes(&format!("for the share of {of}"), fixed).map(aside);
            ("average", [values]) =>
                "for the share of {of}", "average(indicator({values}{asked}))";
            _ => say "for the share of {of} aggregate `indicator(…{asked})`";
        }
    }

    /// A choice between a number and a string, one of them written out: the same with one type.
    fn branches(&self) -> Option<Suggestion> {
        let ExprKind::Ternary {
            then, otherwise, ..
        } = self.kind()?
        else {
            return None;
        };
        let literals = [*then, *otherwise].into_iter();
        // With two literals the number becomes a string: that is always possible.
        let literals = literals.filter_map(|id| Some((id, self.value(id)?)));
        let (id, value) = literals.min_by_key(|(_, value)| !value.is_number())?;
        self.with_other_type(&value, self.span(id))
    }

    /// What is written out, as one of the other type.
    pub(super) fn with_other_type(&self, value: &Value, at: Span) -> Option<Suggestion> {
        let kind = if value.is_number() {
            "strings"
        } else {
            "numbers"
        };
        self.put(&format!("for {kind} in both"), at, of_other_type(value))
    }

    /// A list or dict of numbers and strings indexed by an s-op: the same with strings only.
    fn table_of_strings(&self) -> Option<Suggestion> {
        let ExprKind::Index { object, .. } = self.kind()? else {
            return None;
        };
        let values: Vec<ExprId> = match &self.site?.ast.get(*object).kind {
            ExprKind::List(items) | ExprKind::Tuple(items) => items.clone(),
            ExprKind::Dict(entries) => entries.iter().map(|(_, value)| *value).collect(),
            _ => return None,
        };
        let numbers = values.into_iter().filter(|id| self.is_literal_number(*id));
        let places = numbers.map(|id| self.span(id));
        self.mend_each("for strings only", places, |text| Value::str(text).source())
    }

    fn is_literal_number(&self, id: ExprId) -> bool {
        self.value(id).is_some_and(|value| value.is_number())
    }

    /// A division, made where the divisor is not zero; a power, where its base allows it. What is
    /// written out is for its writer to mend.
    pub(super) fn guard(&self) -> Option<Suggestion> {
        let (operator, left, right) = self.operation()?;
        let negated = matches!(
            self.site?.ast.get(right).kind,
            ExprKind::Unary {
                operator: UnaryOperator::Negate,
                ..
            }
        );
        let (asked, comparison) = match (operator, self.value(right)) {
            (BinaryOperator::Divide | BinaryOperator::Remainder, _) => (right, "!= 0"),
            (BinaryOperator::Power, _) if negated => (left, "!= 0"),
            (BinaryOperator::Power, Some(Value::Float(_))) => (left, ">= 0"),
            _ => return None,
        };
        if self.value(asked).is_some() {
            return None;
        }
        let (whole, asked) = (self.written(self.whole)?, self.text(asked)?);
        let fixed = format!("{whole} if {asked} {comparison} else 0");
        self.becomes("choose another value there", fixed)
    }

    /// A power of literals beyond all floats: the largest power that is none.
    pub(super) fn largest_power(&self) -> Option<Suggestion> {
        let (BinaryOperator::Power, left, right) = self.operation()? else {
            return None;
        };
        let literal = |id| self.value(id).as_ref().and_then(Value::as_float);
        let (base, exponent) = (literal(left)?, literal(right)?);
        let largest = (f64::MAX.ln() / base.ln()).floor();
        let written = self.text(left)?;
        let beyond = base > 1.0 && exponent > largest;
        beyond.then(|| format!("the largest power is `{written} ^ {largest}`").into())
    }

    /// A mean weighted by what is no weight: the value at the best key.
    fn best_key(&self) -> Option<Suggestion> {
        let (function, arguments) = self.call()?;
        mends! { self, (function.as_str(), arguments.as_slice());
            ("aggregate", [scorer, values, ..]) =>
                "to read from the key with the highest score",
                "aggregate(select_best(full_s, {scorer}), {values})";
        }
    }

    /// A number added to strings, as a string.
    fn appended(&self) -> Option<Suggestion> {
        let (BinaryOperator::Add, left, right) = self.operation()? else {
            return None;
        };
        let mut sides = [left, right].into_iter();
        let number = self.span(sides.find(|id| self.is_literal_number(*id))?);
        self.mend_part("to append it as text", number, |text| {
            Value::str(text).source()
        })
    }

    /// A list, string or dict indexed by an s-op that goes beyond it.
    fn lookup(&self, table: &Table) -> Option<Suggestion> {
        let (object, index) = self.indexed()?;
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
        let fixed = format!("{object}[{} % {length}]", operand(&index));
        self.becomes("keep the index in range", fixed)
            .filter(|_| length > 0)
    }

    /// A calculation with a literal int, with a float instead.
    pub(super) fn float(&self) -> Option<Suggestion> {
        let int = |id: &ExprId| {
            self.whole.contains(self.span(*id)) && matches!(self.value(*id), Some(Value::Int(_)))
        };
        let id = self.site?.ast.ids().find(int)?;
        let float = format!("{}.0", self.text(id)?);
        self.put("floats reach further", self.span(id), float)
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
