//! Functions of keys and queries. `select` with a predicate and `score` run a function of the
//! program on stand-ins for what a key and a query hold, which leaves an expression over the two.

use super::context::Context;
use super::fault::{Cause, refuse};
use super::meta::{Callable, Meta, Side};
use super::provenance::element_spans;
use super::{Evaluator, Outcome};
use crate::base::Span;
use crate::graph::{SOpId, Scorer, ScorerId, SelectorId};
use crate::syntax::ast::ExprId;
use crate::value::{Op, TypeSet};
use std::sync::Arc;

impl Evaluator {
    /// The s-ops of a list, or the one s-op that is no list, each with its place.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others are one thing")]
    pub(crate) fn several(&mut self, cx: &Context, id: ExprId) -> Outcome<Vec<(SOpId, Span)>> {
        let at = cx.span(id);
        match self.expression(cx, id)? {
            Meta::List(items) => {
                let spans = element_spans(&cx.ast, id, items.len());
                let sides = items.iter().zip(spans);
                sides
                    .map(|(item, at)| Ok((self.broadcast(item, at)?, at)))
                    .collect()
            }
            single => Ok(vec![(self.broadcast(&single, at)?, at)]),
        }
    }

    /// Runs a function on stand-ins: first for the keys, then for the queries.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a score is nothing else")]
    pub(crate) fn trace(
        &mut self,
        function: &Arc<Callable>,
        keys: &[(SOpId, Span)],
        queries: &[(SOpId, Span)],
        (span, whole): (Span, Span),
    ) -> Outcome<ScorerId> {
        let given = keys.len() + queries.len();
        let (least, most) = function.takes();
        let (counts, at) = ([keys.len(), queries.len()], span);
        if !(least..=most).contains(&given) {
            return Err(Cause::PredicateArity(function.clone(), counts, at).into());
        }
        let keys = keys.iter().map(|(sop, at)| (Scorer::Key(*sop), *at));
        let queries = queries.iter().map(|(sop, at)| (Scorer::Query(*sop), *at));
        let mut arguments = Vec::with_capacity(given);
        for (scorer, at) in keys.chain(queries) {
            arguments.push((Meta::Scorer(self.add_scorer(scorer, span)?), at));
        }
        match self.invoke_any(function, arguments, (span, whole))? {
            Meta::Scorer(id) => Ok(id),
            Meta::Atom(value) => self.add_scorer(Scorer::Constant(value), span),
            found => Err(Cause::PredicateResult(found, counts, at).into()),
        }
    }

    pub(crate) fn add_scorer(&mut self, scorer: Scorer, span: Span) -> Outcome<ScorerId> {
        self.check_nodes()?;
        Ok(self.graph.scorer(scorer, span))
    }

    /// An elementwise primitive on stand-ins and atoms.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no primitive takes others")]
    pub(crate) fn map_scorers(&mut self, op: Op, sides: &[Side], span: Span) -> Outcome<Meta> {
        let mut ids = Vec::with_capacity(sides.len());
        for (operand, _) in sides {
            ids.push(match operand {
                Meta::Scorer(id) => *id,
                Meta::Atom(value) => self.add_scorer(Scorer::Constant(value.clone()), span)?,
                Meta::SOp(_) => return Err(Cause::Captured.into()),
                _ => return refuse(op, sides),
            });
        }
        let types: Vec<TypeSet> = ids.iter().map(|id| self.graph.scorer_types(*id)).collect();
        if op.fails_on(&types) {
            return refuse(op, sides);
        }
        let id = self.add_scorer(Scorer::Map { op, operands: ids }, span)?;
        Ok(Meta::Scorer(id))
    }

    /// The selector that selects where a scorer is true.
    pub(crate) fn selector_of(&mut self, id: ScorerId, span: Span) -> Outcome<SelectorId> {
        self.check_nodes()?;
        let before = self.graph.sop_count();
        let selector = self.graph.selector_of(id, span);
        for made in before..self.graph.sop_count() {
            self.origins.made(SOpId(made as u32));
        }
        Ok(selector)
    }
}
