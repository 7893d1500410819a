//! Built-in functions called in ways that almost fit: the call that was probably meant.

use super::expression::Context;
use super::fitting::unquoted;
use super::made::elements;
use super::meta::Meta;
use super::operator::{Side, never_equal};
use super::quoted::operand;
use super::{Evaluator, Stop};
use crate::base::{Code, Diagnostic, Span};
use crate::graph::SOpId;
use crate::syntax::ast::{Argument, BinaryOperator, ExprId, ExprKind};
use crate::value::{Comparison, TypeSet, Value};

impl Evaluator {
    /// `select(a, b)` and `select(a == b)`: with three arguments.
    pub(crate) fn whole_select(
        &self,
        cx: &Context,
        arguments: &[Argument],
        span: Span,
    ) -> Option<String> {
        let (keys, queries, symbol) = match arguments {
            [condition] => match cx.ast.get(condition.value).kind {
                ExprKind::Binary {
                    operator: BinaryOperator::Compare(comparison),
                    left,
                    right,
                } => (left, right, comparison.symbol()),
                _ => return None,
            },
            [keys, queries] => self.two_arguments(cx, keys.value, queries.value),
            _ => return None,
        };
        self.written(span)?;
        let keys = self.written(cx.ast.get(keys).span)?;
        let queries = self.written(cx.ast.get(queries).span)?;
        Some(format!(
            "keys, queries and a comparison: `select({keys}, {queries}, {symbol})`"
        ))
    }

    /// `select(a, b)` and `select(a, a < b)`: keys, queries and how they compare.
    fn two_arguments(
        &self,
        cx: &Context,
        keys: ExprId,
        queries: ExprId,
    ) -> (ExprId, ExprId, &'static str) {
        let written = |id| self.written(cx.ast.get(id).span);
        match cx.ast.get(queries).kind {
            ExprKind::Binary {
                operator: BinaryOperator::Compare(comparison),
                left,
                right,
            } if written(left) == written(keys) => (keys, right, comparison.symbol()),
            _ => (keys, queries, "=="),
        }
    }

    /// `select(a, b, "<")` without the quotes.
    pub(crate) fn bare_comparison(
        &self,
        cx: &Context,
        others: [ExprId; 2],
        comparison_id: ExprId,
        span: Span,
    ) -> Option<String> {
        let expr = cx.ast.get(comparison_id);
        let symbol = match &expr.kind {
            ExprKind::Literal(Value::Str(text))
                if ["==", "!=", "<", "<=", ">", ">="].contains(&&**text) =>
            {
                text.to_string()
            }
            _ => "==".to_string(),
        };
        let fixed = self.rewritten(span, expr.span, |_| symbol)?;
        let compared = others.into_iter().find_map(|id| match cx.ast.get(id).kind {
            ExprKind::Operator(comparison) => Some((id, comparison)),
            _ => None,
        });
        let Some((operator, comparison)) = compared else {
            return Some(format!("write `{fixed}`"));
        };
        // The comparison is there, in another place.
        let mut texts = Vec::new();
        for id in [others[0], others[1], comparison_id] {
            if id == operator {
                continue;
            }
            texts.push(self.written(cx.ast.get(id).span)?);
        }
        let symbol = comparison.symbol();
        Some(format!(
            "the comparison comes last: `select({}, {symbol})`",
            texts.join(", ")
        ))
    }

    /// A side of a selector that is no s-op. Several s-ops are compared by a function.
    pub(crate) fn compared_by_function(
        &self,
        stop: Stop,
        (wrong, sides): (&Side, &[Side; 2]),
        (comparison, at): (Comparison, Span),
        span: Span,
    ) -> Stop {
        let Stop::Error(error) = stop else {
            return stop;
        };
        let counts = sides.each_ref().map(|(meta, _)| match meta {
            Meta::List(items) if items.iter().any(|item| item.as_atom().is_none()) => items.len(),
            _ => 1,
        });
        let (meta, place) = wrong;
        let help = if counts == [1, 1] {
            self.as_sop(meta, *place, span)
        } else {
            let names: Vec<String> = ('a'..='z')
                .map(String::from)
                .take(counts[0] + counts[1])
                .collect();
            let listed = names.join(", ");
            let query = names.get(counts[0]).map_or("a", String::as_str);
            let symbol = comparison.symbol();
            let function = format!("lambda {listed}: a {symbol} {query}");
            let fixed = self.rewritten(span, at, |_| function);
            fixed.map(|fixed| format!("say with a function how they compare: `{fixed}`"))
        };
        error.maybe_help(help).into()
    }

    /// `aggregate(x, …)` where `x` is no selector: perhaps the arguments are swapped, perhaps it is
    /// a condition.
    pub(crate) fn not_a_selector(
        &mut self,
        cx: &Context,
        other: &Meta,
        (selector, values): (ExprId, ExprId),
        span: Span,
    ) -> Diagnostic {
        let (at, values_at) = (cx.ast.get(selector).span, cx.ast.get(values).span);
        let kind = self.describe(other);
        // Looked at only to say more; what is wrong with it is not the first mistake.
        if let Ok(Meta::Selector(_)) = self.expression(cx, values) {
            let message = "the arguments of `aggregate` are swapped: the selector comes first";
            let texts = self.written(at).zip(self.written(values_at));
            let fixed = texts.and_then(|(first, second)| {
                let fixed = self.replaced(span, &[(at, second), (values_at, first)])?;
                Some(format!("write `{fixed}`"))
            });
            return Diagnostic::error(Code::SelectorExpected, message)
                .at(at, format!("this is {kind}"))
                .at(values_at, "this is the selector")
                .maybe_help(fixed);
        }
        let message = format!("the first argument of `aggregate` is a selector, not {kind}");
        let error =
            Diagnostic::error(Code::SelectorExpected, message).at(at, format!("this is {kind}"));
        let condition = matches!(
            cx.ast.get(selector).kind,
            ExprKind::Binary {
                operator: BinaryOperator::Compare(_) | BinaryOperator::In,
                ..
            }
        );
        let condition = match other {
            Meta::SOp(id) => condition || self.graph.types(*id) == TypeSet::BOOL,
            _ => false,
        };
        let (what, fixed) = match other {
            Meta::SOp(_) if condition => (
                "the keys where it is true",
                self.rewritten(span, at, |text| format!("select({text}, True, ==)")),
            ),
            _ => (
                "all keys",
                self.rewritten(span, at, |_| "full_s".to_string()),
            ),
        };
        error
            .note("`select(keys, queries, comparison)` makes a selector")
            .maybe_help(fixed.map(|fixed| format!("to aggregate over {what}: `{fixed}`")))
    }

    /// A default that is no atom: for an s-op the choice between the aggregate and it, for a list
    /// one for each of the values.
    pub(crate) fn other_default(
        &self,
        (values, given): (&Meta, &Meta),
        [attention, over, default]: [Span; 3],
        span: Span,
    ) -> Option<String> {
        let fitting = match values {
            Meta::SOp(id) if self.graph.types(*id) == TypeSet::STR => "\"\"",
            _ => "0",
        };
        let fits = |default: &SOpId| match values {
            Meta::SOp(id) => !never_equal(self.graph.types(*id), self.graph.types(*default)),
            _ => false,
        };
        match given {
            Meta::SOp(id) if fits(id) => {
                let (selector, values) = (self.written(attention)?, self.written(over)?);
                let default = operand(&self.written(default)?);
                Some(format!(
                    "choose where nothing is selected: `aggregate({selector}, {values}, {fitting}) if \
                     has_focus({selector}) else {default}`"
                ))
            }
            Meta::List(items) if items.len() == 1 && items[0].as_atom().is_some() => {
                self.as_sop(given, default, span)
            }
            _ => {
                let fixed = self.rewritten(span, default, |_| fitting.to_string())?;
                Some(format!("write one atom: `{fixed}`"))
            }
        }
    }

    /// Numbers and strings aggregated together: one by one, each with a default of its own type.
    pub(crate) fn pooled_apart(
        &self,
        cx: &Context,
        [attention, values]: [ExprId; 2],
        items: &[Meta],
    ) -> Option<String> {
        let strings = |item: &Meta| match item {
            Meta::SOp(id) => self.graph.types(*id) == TypeSet::STR,
            other => matches!(other, Meta::Atom(Value::Str(_))),
        };
        let ids = elements(&cx.ast, values);
        let mixed = items.iter().any(strings) && !items.iter().all(strings);
        if !mixed || ids.len() != items.len() {
            return None;
        }
        let selector = self.written(cx.ast.get(attention).span)?;
        let mut parts = Vec::with_capacity(ids.len());
        for (id, item) in ids.iter().zip(items) {
            let default = if strings(item) { "\"\"" } else { "0" };
            let value = self.written(cx.ast.get(*id).span)?;
            parts.push(format!("aggregate({selector}, {value}, {default})"));
        }
        Some(format!(
            "each with a default of its own: `({})`",
            parts.join(", ")
        ))
    }

    /// A bound of `range` that is no int.
    pub(crate) fn int_bound(&self, meta: &Meta, at: Span, span: Span) -> Option<String> {
        match meta {
            Meta::Atom(Value::Float(_)) => {
                let fixed = self.rewritten(span, at, |text| format!("round({text})"))?;
                Some(format!("the nearest int: `{fixed}`"))
            }
            Meta::List(_) => {
                let fixed = self.rewritten(span, at, |text| format!("len({text})"))?;
                Some(format!("for as many as the list has elements: `{fixed}`"))
            }
            Meta::Atom(Value::Str(text)) => {
                let count = unquoted(&Value::Str(text.clone()))
                    .unwrap_or_else(|| text.chars().count().to_string());
                let fixed = self.rewritten(span, at, |_| count)?;
                Some(format!("write an int: `{fixed}`"))
            }
            Meta::SOp(_) => Some(
                "an s-op has no values until it is given an input; the positions of the input are \
                 the s-op `indices`"
                    .to_string(),
            ),
            _ => None,
        }
    }

    /// What `indicator` of an atom or selector was meant to be.
    pub(crate) fn indicated(&self, meta: &Meta, at: Span) -> Option<String> {
        let text = self.written(at)?;
        match meta {
            Meta::Atom(_) => Some(format!("for an atom: `1 if {text} else 0`")),
            Meta::Selector(_) => Some(format!(
                "for whether any key is selected: `indicator(has_focus({text}))`"
            )),
            _ => None,
        }
    }
}
