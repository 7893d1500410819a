//! Operators on operands they do not work on: what to say, with both types, where each operand
//! was made, and what was probably meant.

use super::Evaluator;
use super::advice::advise;
use super::meta::Meta;
use super::operator::Side;
use super::quoted::compared;
use crate::base::{Code, Diagnostic, Severity, Span};
use crate::graph::SOpId;
use crate::syntax::ast::BinaryOperator;
use crate::value::{Comparison, Op, TypeSet, Value};

/// A part of an s-op that may not fit another one.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub types: TypeSet,
    pub at: Span,
    /// What is said of it if it is of numbers, and if it is of strings.
    pub called: [&'static str; 2],
}

impl Evaluator {
    /// An operator on kinds of things that it does not work on.
    pub(crate) fn operand_error(
        &self,
        symbol: &str,
        operands: &[(&Meta, Span)],
        span: Span,
    ) -> Diagnostic {
        let kinds: Vec<String> = operands
            .iter()
            .map(|(meta, _)| self.describe(meta))
            .collect();
        let message = format!("`{symbol}` does not work on {}", kinds.join(" and "));
        let mut diagnostic = Diagnostic::error(Code::OperandTypes, message);
        for ((_, operand_span), kind) in operands.iter().zip(&kinds) {
            if *operand_span != span {
                diagnostic = diagnostic.at(*operand_span, format!("this is {kind}"));
            }
        }
        diagnostic.or_at(span, "computed here")
    }

    /// An elementwise operator that fails on every input, because of the types of its operands.
    pub(crate) fn type_error(
        &self,
        op: &Op,
        sides: &[Side; 2],
        operands: &[SOpId],
        span: Span,
    ) -> Diagnostic {
        let shown = [(&sides[0].0, sides[0].1), (&sides[1].0, sides[1].1)];
        let mut error = self.operand_error(op.symbol(), &shown, span);
        let tokens = operands.iter().any(|id| self.is_tokens(*id));
        if tokens {
            error = error.note("the tokens are strings, even where they are digits");
        }
        error.maybe_help(self.on_one_type(op, sides, span))
    }

    /// An operator other than `and`, `or` and `not` on a selector.
    pub(crate) fn operator_on_selector(
        &self,
        op: &Op,
        sides: &[Side; 2],
        span: Span,
    ) -> Diagnostic {
        let mut error = Diagnostic::error(
            Code::SelectorMisused,
            format!("`{op}` does not work on selectors"),
        );
        let mut widths = Vec::new();
        for (meta, at) in sides {
            if matches!(meta, Meta::Selector(_)) {
                error = error.at(*at, "this is a selector");
                let selector = self.written(*at).unwrap_or_default();
                widths.push((*at, format!("selector_width({selector})")));
            }
        }
        let fixed = self.replaced(span, &widths);
        let scorer = sides
            .iter()
            .find(|(meta, _)| matches!(meta, Meta::Scorer(_)));
        if let (Some((_, scorer)), [(selector, _)]) = (scorer, widths.as_slice()) {
            let texts = self.written(*selector).zip(self.written(*scorer));
            return error.maybe_help(texts.map(|(selector, scorer)| {
                format!("to select the best of these keys: `select_best({selector}, {scorer})`")
            }));
        }
        error
            .note("selectors combine with `and`, `or` and `not` only; `aggregate` reads values through one")
            .maybe_help(fixed.map(|fixed| format!("for how many keys are selected: `{fixed}`")))
    }

    /// `and` or `or` between a selector and something else.
    pub(crate) fn selector_and_other(
        &self,
        sides: &[Side; 2],
        operator: BinaryOperator,
        span: Span,
    ) -> Diagnostic {
        let symbol = operator.symbol();
        let is_selector = |side: &&Side| matches!(side.0, Meta::Selector(_));
        let other = sides.iter().find(|side| !is_selector(side));
        let (other, at) = other.unwrap_or(&sides[0]);
        let mut error = Diagnostic::error(
            Code::SelectorExpected,
            format!(
                "`{symbol}` combines two selectors, not a selector and {}",
                self.describe(other)
            ),
        )
        .at(*at, format!("this is {}", self.describe(other)));
        if let Some((_, selector)) = sides.iter().find(is_selector) {
            error = error.at(*selector, "this is a selector");
        }
        let (what, fixed) = match other {
            Meta::SOp(_) | Meta::Atom(_) => (
                "to select the keys where it is true",
                self.rewritten(span, *at, |text| format!("select({text}, True, ==)")),
            ),
            Meta::Scorer(_) => (
                "to select the key with the highest score",
                self.rewritten(span, *at, |text| format!("select_best(full_s, {text})")),
            ),
            _ => ("", None),
        };
        error.maybe_help(fixed.map(|fixed| format!("{what}: `{fixed}`")))
    }

    /// An s-op or selector applied to an input too early.
    pub(crate) fn applied_operand(
        &self,
        symbol: &str,
        sides: &[Side; 2],
        (call, function, span): (Span, Span, Span),
    ) -> Diagnostic {
        let operands = [(&sides[0].0, sides[0].1), (&sides[1].0, sides[1].1)];
        let error = self
            .operand_error(symbol, &operands, span)
            .note("what an s-op gives on an input can be shown and compared, nothing else");
        let name = self.written(function);
        let arguments = self.written(Span {
            start: function.end,
            ..call
        });
        let fixed = name.zip(arguments).and_then(|(name, arguments)| {
            let whole = self.rewritten(span, call, |_| name.to_string())?;
            Some(format!(
                "apply the whole to the input: `({whole}){arguments}`"
            ))
        });
        error.maybe_help(fixed)
    }

    /// A comparison with the same answer at every position of every input. Not inside functions:
    /// there the types are those of one call only.
    pub(crate) fn warn_constant_comparison(
        &mut self,
        op: &Op,
        sides: &[Side; 2],
        span: Span,
        answer: bool,
    ) {
        if self.calls > 0 {
            return;
        }
        let answer = if answer { "True" } else { "False" };
        let written = self
            .written(span)
            .map_or_else(|| format!("this `{op}`"), |written| format!("`{written}`"));
        let message = format!("{written} is {answer} at every position of every input");
        let mut warning = Diagnostic::warning(Code::ConstantComparison, message);
        for (meta, at) in sides {
            warning = warning.at(*at, format!("this is {}", self.describe(meta)));
        }
        let help = match sides {
            [(Meta::SOp(_), left), (Meta::List(_), right)] => {
                let texts = self.written(*left).zip(self.written(*right));
                texts.map(|(left, right)| format!("to look it up in the list: `{left} in {right}`"))
            }
            _ => self.equal_types(sides, span),
        };
        self.warn_once(warning.maybe_help(help));
    }

    /// `x == "a" or "b"`: a number or string that is true or false whatever the input.
    pub(crate) fn warn_constant_side(&mut self, op: &Op, sides: &[Side; 2], span: Span) {
        let constant = sides.iter().find_map(|(meta, at)| match meta {
            Meta::Atom(value) if !matches!(value, Value::Bool(_)) => Some((value, *at)),
            _ => None,
        });
        // A name may have other values in other runs of a loop.
        let named = |at| {
            let text = self.written(at).unwrap_or_default();
            text.starts_with(|first: char| first.is_alphabetic() || first == '_')
        };
        let Some((value, at)) = constant.filter(|(_, at)| self.calls == 0 && !named(*at)) else {
            return;
        };
        // `a in b and c` is another mistake, which has been warned of.
        let text = &self.sources.get(span.source).text;
        let (before, after) = (&text[..span.start as usize], &text[span.end as usize..]);
        if before.trim_end().ends_with(" in") || after.trim_start().starts_with("in ") {
            return;
        }
        let truth = if value.truthy() { "true" } else { "false" };
        let message = format!("a side of this `{op}` is {truth} at every position of every input");
        let warning = Diagnostic::warning(Code::ConstantComparison, message)
            .at(at, format!("this is always {truth}"));
        let other = sides.iter().find(|(_, other)| *other != at);
        let compared = other.and_then(|(_, other)| compared(&self.written(*other)?));
        let help = compared.and_then(|compared| {
            let fixed = self.rewritten(span, at, |text| format!("{compared} {text}"))?;
            Some(format!("to compare with it too: `{fixed}`"))
        });
        let plain = || {
            let (_, other) = other?;
            Some(format!("leave it out: `{}`", self.written(*other)?))
        };
        let help = help.or_else(plain);
        self.warn_once(warning.maybe_help(help));
    }

    /// `select` on keys and queries that are never equal.
    pub(crate) fn warn_constant_selector(
        &mut self,
        comparison: Comparison,
        sides: &[Side; 2],
        span: Span,
    ) {
        if self.calls > 0 {
            return;
        }
        let what = match comparison {
            Comparison::Equal => "selects no key",
            _ => "selects every key",
        };
        let message =
            format!("this selector {what} on every input: a string never equals a number");
        let mut warning = Diagnostic::warning(Code::ConstantComparison, message);
        for ((meta, at), role) in sides.iter().zip(["keys", "queries"]) {
            warning = warning.at(*at, format!("the {role} are {}", self.describe(meta)));
        }
        let help = self.equal_types(sides, span);
        self.warn_once(warning.maybe_help(help));
    }

    /// `s-op in list` where nothing in the list can be equal.
    pub(crate) fn warn_constant_membership(
        &mut self,
        id: SOpId,
        items: &[Value],
        sides: &[Side; 2],
        span: Span,
    ) {
        let types = self.graph.types(id);
        let unequal = |value: &Value| super::operator::never_equal(types, TypeSet::of(value));
        if self.calls > 0 || items.is_empty() || !items.iter().all(unequal) {
            return;
        }
        let [(left, left_at), (_, right_at)] = sides;
        let message = "this `in` is False at every position of every input";
        let warning = Diagnostic::warning(Code::ConstantComparison, message)
            .at(*left_at, format!("this is {}", self.describe(left)))
            .at(
                *right_at,
                format!(
                    "the list holds {} only",
                    if items[0].is_number() {
                        "numbers"
                    } else {
                        "strings"
                    }
                ),
            );
        let quoted: Vec<String> = items
            .iter()
            .map(|item| Value::str(&item.to_string()).source())
            .collect();
        let help = if types == TypeSet::STR && items.len() <= 8 {
            self.rewritten(span, *right_at, |_| format!("[{}]", quoted.join(", ")))
        } else {
            None
        };
        self.warn_once(
            warning.maybe_help(help.map(|fixed| format!("compare with strings: `{fixed}`"))),
        );
    }

    /// Two parts of one s-op of which one certainly holds numbers and the other strings: the values
    /// of an aggregate with their default, or the branches of a choice. The first is the one that
    /// may be mended, if it is a literal; `instead` is what to say if that would not do.
    pub(crate) fn warn_mixed(
        &mut self,
        (whole, what): (Span, &str),
        [first, second]: [Part; 2],
        literal: Option<&Value>,
        instead: Option<String>,
    ) {
        if !super::operator::never_equal(first.types, second.types) {
            return;
        }
        let kind = |types: TypeSet| match types {
            TypeSet::STR => "strings",
            _ => "numbers",
        };
        let message = format!("{what} mix numbers and strings");
        let mut warning = Diagnostic::warning(Code::MixedDefault, message);
        for part in [&first, &second] {
            let [number, string] = part.called;
            let called = if part.types == TypeSet::STR {
                string
            } else {
                number
            };
            warning = warning.at(part.at, called);
        }
        warning = warning.note("an input on which both occur in one s-op has no value");
        for (name, at) in self.origins.open_calls() {
            warning = warning.within(at, format!("in this call of `{name}`"));
        }
        let mended = literal.map(|value| match value {
            Value::Str(_) => "-1".to_string(),
            number => Value::str(&number.to_string()).source(),
        });
        let help = mended.and_then(|text| self.rewritten(whole, first.at, |_| text));
        let help = help.map(|fixed| format!("for {} in both: `{fixed}`", kind(second.types)));
        self.warn_once(advise(warning.maybe_help(instead.or(help)), &self.sources));
    }

    /// Keeps a warning, unless the same places have given it before, in a loop.
    pub(crate) fn warn_once(&mut self, warning: Diagnostic) {
        let same = |other: &Diagnostic| {
            other.severity == Severity::Warning
                && other.code == warning.code
                && other.labels == warning.labels
        };
        if self.warns() && !self.diagnostics.iter().any(same) {
            self.diagnostics.push(warning);
        }
    }
}
