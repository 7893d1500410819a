//! Built-in functions called in ways that almost fit: the call that was probably meant.

use super::Evaluator;
use super::expression::Context;
use super::meta::Meta;
use crate::base::{Code, Diagnostic, Span};
use crate::syntax::ast::{Argument, BinaryOperator, ExprId, ExprKind};
use crate::value::Value;

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

    /// A default that is an s-op: the choice between the aggregate and it.
    pub(crate) fn varying_default(&self, other: &Meta, at: Span, span: Span) -> Option<String> {
        let Meta::SOp(_) = other else {
            return self
                .as_sop(other, at, span)
                .filter(|_| matches!(other, Meta::List(items) if items.len() == 1));
        };
        let default = self.written(at)?;
        let without = self.rewritten(span, at, |_| String::new())?;
        let call = without
            .trim_end_matches([')', ' '])
            .trim_end_matches([',', ' ']);
        let selector = call.strip_prefix("aggregate(")?.split(',').next()?;
        if selector.contains(['(', '[']) {
            return Some(format!(
                "choose where nothing is selected: `aggregate(sel, x) if has_focus(sel) else {default}`"
            ));
        }
        Some(format!(
            "choose where nothing is selected: `{call}) if has_focus({selector}) else {default}`"
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
