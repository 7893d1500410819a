//! Attention: `select`, `aggregate`, `score` and `select_best` leave selectors, scorers and
//! aggregates in the graph.

use super::context::Context;
use super::fault::{Argument as Wrong, Cause, Doubtful};
use super::meta::{Callable, Meta, Side};
use super::operator::never_equal;
use super::provenance::element_spans;
use super::{Evaluator, Outcome};
use crate::base::Span;
use crate::builtin::Builtin;
use crate::graph::{SOp, SOpId, Selector};
use crate::syntax::ast::{ExprId, ExprKind};
use crate::value::{Comparison, TypeSet, Value};
use std::sync::Arc;

impl Evaluator {
    pub(super) fn select(&mut self, cx: &Context, parts: [ExprId; 3], span: Span) -> Outcome<Meta> {
        let [keys, queries, comparison] = parts;
        let ExprKind::Operator(comparison) = cx.ast.get(comparison).kind else {
            if let Some(function) = self.predicate(cx, comparison)? {
                let (keys, queries) = (self.several(cx, keys)?, self.several(cx, queries)?);
                let at = cx.span(comparison);
                let predicate = self.trace(&function, &keys, &queries, (at, span))?;
                return Ok(Meta::Selector(self.selector_of(predicate, span)?));
            }
            return Err(Cause::NoComparison(comparison).into());
        };
        let sides = [self.side(cx, keys)?, self.side(cx, queries)?];
        self.compare(sides, comparison, span)
    }

    /// The selector of the keys that a comparison with the query holds for.
    fn compare(&mut self, sides: [Side; 2], comparison: Comparison, span: Span) -> Outcome<Meta> {
        let mut sops = [SOpId(0); 2];
        for (sop, side) in sops.iter_mut().zip(&sides) {
            *sop = self.broadcast(&side.0, side.1)?;
        }
        let [keys, queries] = sops;
        let (key_types, query_types) = (self.graph.types(keys), self.graph.types(queries));
        let ordered = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        let shared = |types| key_types.meets(types) && query_types.meets(types);
        if ordered && !shared(TypeSet::NUMBER) && !shared(TypeSet::STR) {
            return Err(Cause::KeysAndQueries(comparison, sides).into());
        }
        if !ordered && never_equal(key_types, query_types) {
            self.doubt(Doubtful::ConstantSelector(comparison), sides, span);
        }
        let selector = self.add_comparison([keys, queries], comparison, span)?;
        Ok(Meta::Selector(selector))
    }

    /// The function that stands where a comparison could, if it is one.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others are no functions")]
    fn predicate(&mut self, cx: &Context, id: ExprId) -> Outcome<Option<Arc<Callable>>> {
        let meta = match &cx.ast.get(id).kind {
            ExprKind::Name(name) => match self.scopes.lookup(cx.scope, name) {
                Some(meta) => meta.clone(),
                None => return Ok(None),
            },
            ExprKind::Lambda(_)
            | ExprKind::Call { .. }
            | ExprKind::Index { .. }
            | ExprKind::Parenthesized(_)
            | ExprKind::Ternary { .. } => self.expression(cx, id)?,
            _ => return Ok(None),
        };
        Ok(match meta {
            Meta::Function(function) => Some(function),
            _ => None,
        })
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "others are one thing")]
    pub(super) fn aggregate(
        &mut self,
        cx: &Context,
        (attention, values): (ExprId, ExprId),
        more: &[ExprId],
        span: Span,
    ) -> Outcome<Meta> {
        let attends = self.side(cx, attention)?;
        let (mut value, values_span) = self.side(cx, values)?;
        if !matches!(attends.0, Meta::Selector(_) | Meta::Scorer(_)) {
            return Err(Cause::NoSelector(attends, value).into());
        }
        let arguments = 2 + more.len();
        let mut more = more.iter().copied();
        let mut given = more.next();
        let mut default = given.map(|id| self.side(cx, id)).transpose()?;
        if let Some((Meta::Function(function), at)) = &default {
            let sops = self.several(cx, values)?;
            value = self.mapped(sops, (function, *at), span)?;
            given = more.next();
            default = given.map(|id| self.side(cx, id)).transpose()?;
        }
        if let Some(extra) = more.next() {
            let (given, at) = (arguments, cx.span(extra));
            let wrong = Wrong::Count { given, at };
            return Err(Cause::BuiltinArguments(Builtin::Aggregate, wrong).into());
        }
        let default = match default {
            None => Value::Int(0),
            Some((Meta::Atom(atom), _)) => atom,
            Some(given) => return Err(Cause::NoDefault(value, given).into()),
        };
        // Several s-ops are pooled alike.
        let (items, places) = match &value {
            Meta::List(items) => (&items[..], element_spans(&cx.ast, values, items.len())),
            single => (std::slice::from_ref(single), vec![values_span]),
        };
        let mut pooled = Vec::with_capacity(items.len());
        for (item, at) in items.iter().zip(places) {
            let sop = self.broadcast(item, at)?;
            self.check_default(cx, (given, &default), (sop, at), (&value, span));
            pooled.push(self.pool(&attends.0, sop, default.clone(), span)?);
        }
        match (&value, pooled.as_slice()) {
            (Meta::SOp(_) | Meta::Atom(_), [single]) => Ok(single.clone()),
            _ => self.keep(Meta::list(pooled)),
        }
    }

    /// Warns of a default that is written and certainly has another type than one of the values.
    fn check_default(
        &mut self,
        cx: &Context,
        (given, default): (Option<ExprId>, &Value),
        (sop, at): (SOpId, Span),
        (values, span): (&Meta, Span),
    ) {
        if let Some(id) = given
            && never_equal(TypeSet::of(default), self.graph.types(sop))
        {
            let (made, values) = (self.made(cx, id), values.clone());
            let default = (Meta::Atom(default.clone()), cx.span(id));
            let sides = [default, (Meta::SOp(sop), at)];
            self.doubt(Doubtful::Default { made, values }, sides, span);
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "others do not attend")]
    fn pool(&mut self, attends: &Meta, value: SOpId, default: Value, span: Span) -> Outcome<Meta> {
        let sop = match *attends {
            Meta::Scorer(scorer) => self.add_sop(
                SOp::WeightedMean {
                    scorer,
                    value,
                    default,
                },
                span,
            ),
            Meta::Selector(selector) => self.add_aggregate(selector, value, default, span),
            _ => unreachable!("`aggregate` has checked what it attends by"),
        };
        Ok(Meta::SOp(sop?))
    }

    /// `score(keys, queries, function)`
    pub(super) fn score(&mut self, cx: &Context, parts: [ExprId; 3], span: Span) -> Outcome<Meta> {
        let [keys, queries, function] = parts;
        let at = cx.span(function);
        let Some(callable) = self.predicate(cx, function)? else {
            return Err(Cause::NoScore(at).into());
        };
        let (keys, queries) = (self.several(cx, keys)?, self.several(cx, queries)?);
        let scorer = self.trace(&callable, &keys, &queries, (at, span))?;
        let types = self.graph.scorer_types(scorer);
        if !types.meets(TypeSet::NUMBER) {
            let counts = [keys.len(), queries.len()];
            return Err(Cause::ScoreTypes(types, counts, at).into());
        }
        Ok(Meta::Scorer(scorer))
    }

    /// `select_best(selector, scorer)`
    pub(super) fn select_best(
        &mut self,
        cx: &Context,
        selector: ExprId,
        scorer: ExprId,
        span: Span,
    ) -> Outcome<Meta> {
        let (first, second) = (self.side(cx, selector)?, self.side(cx, scorer)?);
        let best = match (&first.0, &second.0) {
            (Meta::Selector(selector), Meta::Scorer(scorer)) => Selector::Best {
                selector: *selector,
                scorer: *scorer,
            },
            (Meta::Selector(_), _) => return Err(Cause::NotBest(false, second).into()),
            _ => return Err(Cause::NotBest(true, first).into()),
        };
        Ok(Meta::Selector(self.add_selector(best, span)?))
    }
}
