//! Functions of keys and queries. `select` with a predicate and `score` run a function of the
//! program on stand-ins for what a key and a query hold, which leaves an expression over the two;
//! where that is made up of comparisons of keys with queries it becomes ordinary selectors, which
//! every backend knows best.

use super::context::Context;
use super::fault::{Cause, refuse};
use super::made::element_spans;
use super::meta::{Callable, Meta, Side};
use super::{Evaluator, Outcome};
use crate::base::Span;
use crate::graph::{SOpId, Scorer, ScorerId, Selector, SelectorId};
use crate::syntax::ast::ExprId;
use crate::value::{Comparison, Op, TypeSet, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Which of the two positions a scorer's expression reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    Neither,
    Keys,
    Queries,
    Both,
}

/// What parts of a scorer have been turned into, so that a shared part is done once.
#[derive(Default)]
struct Known {
    selectors: FxHashMap<ScorerId, SelectorId>,
    sops: FxHashMap<ScorerId, SOpId>,
}

impl Evaluator {
    /// The s-ops of a list, or the one s-op that is no list, each with its place.
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
            let function = function.clone();
            return Err(Cause::PredicateArity {
                function,
                counts,
                at,
            }
            .into());
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
            found => Err(Cause::PredicateResult { found, counts, at }.into()),
        }
    }

    pub(crate) fn add_scorer(&mut self, scorer: Scorer, span: Span) -> Outcome<ScorerId> {
        self.check_nodes()?;
        Ok(self.graph.scorer(scorer, span))
    }

    /// An elementwise primitive on stand-ins and atoms.
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

    /// The selector that selects where the scorer is true.
    pub(crate) fn selector_of(&mut self, id: ScorerId, span: Span) -> Outcome<SelectorId> {
        self.selector_part(id, span, &mut Known::default())
    }

    fn selector_part(
        &mut self,
        id: ScorerId,
        span: Span,
        known: &mut Known,
    ) -> Outcome<SelectorId> {
        if let Some(selector) = known.selectors.get(&id) {
            return Ok(*selector);
        }
        let part = || self.selector_here(id, span, known);
        let selector = stacker::maybe_grow(64 * 1024, 1024 * 1024, part)?;
        known.selectors.insert(id, selector);
        Ok(selector)
    }

    fn selector_here(
        &mut self,
        id: ScorerId,
        span: Span,
        known: &mut Known,
    ) -> Outcome<SelectorId> {
        let reads = self.reads(id);
        if reads != Reads::Both {
            return self.one_sided(id, reads, span, known);
        }
        let Scorer::Map { op, operands } = self.graph.get_scorer(id).clone() else {
            unreachable!("only an operation reads both keys and queries");
        };
        if let (Op::Compare(comparison), [a, b]) = (&op, operands.as_slice()) {
            return self.comparison(id, (*a, *b), *comparison, span, known);
        }
        if !matches!(op, Op::And | Op::Or | Op::Not | Op::If) {
            return self.add_selector(Selector::Predicate(id), span);
        }
        let parts = operands
            .iter()
            .map(|operand| self.selector_part(*operand, span, known))
            .collect::<Outcome<Vec<SelectorId>>>()?;
        match (&op, parts.as_slice()) {
            (Op::And, [a, b]) => self.add_selector(Selector::And(*a, *b), span),
            (Op::Or, [a, b]) => self.add_selector(Selector::Or(*a, *b), span),
            (Op::If, [condition, then, otherwise]) => {
                let refuses = self.add_selector(Selector::Not(*condition), span)?;
                let then = self.add_selector(Selector::And(*condition, *then), span)?;
                let otherwise = self.add_selector(Selector::And(refuses, *otherwise), span)?;
                self.add_selector(Selector::Or(then, otherwise), span)
            }
            (_, [a, ..]) => self.add_selector(Selector::Not(*a), span),
            (_, []) => unreachable!("every primitive has an operand"),
        }
    }

    /// A comparison of the one side with the other is what `select` is made for.
    fn comparison(
        &mut self,
        id: ScorerId,
        (a, b): (ScorerId, ScorerId),
        comparison: Comparison,
        span: Span,
        known: &mut Known,
    ) -> Outcome<SelectorId> {
        let (keys, queries, comparison) = match (self.reads(a), self.reads(b)) {
            (Reads::Keys, Reads::Queries) => (a, b, comparison),
            (Reads::Queries, Reads::Keys) => (b, a, comparison.mirrored()),
            _ => return self.add_selector(Selector::Predicate(id), span),
        };
        let sides = [self.side_sop(keys, known)?, self.side_sop(queries, known)?];
        self.add_comparison(sides, comparison, span)
    }

    /// A condition on keys alone, on queries alone, or on neither.
    fn one_sided(
        &mut self,
        id: ScorerId,
        reads: Reads,
        span: Span,
        known: &mut Known,
    ) -> Outcome<SelectorId> {
        let sop = self.side_sop(id, known)?;
        let truth = match self.graph.types(sop) == TypeSet::BOOL {
            true => sop,
            false => self.add_map(Op::ToBool, vec![sop], span)?,
        };
        let yes = self.add_constant(Value::Bool(true), span)?;
        let sides = match reads {
            Reads::Queries => [yes, truth],
            Reads::Neither | Reads::Keys | Reads::Both => [truth, yes],
        };
        self.add_comparison(sides, Comparison::Equal, span)
    }

    /// A scorer that reads one position only, as an s-op.
    fn side_sop(&mut self, id: ScorerId, known: &mut Known) -> Outcome<SOpId> {
        if let Some(sop) = known.sops.get(&id) {
            return Ok(*sop);
        }
        let written = self.graph.scorer_span(id);
        let sop = match self.graph.get_scorer(id).clone() {
            Scorer::Key(sop) | Scorer::Query(sop) => sop,
            Scorer::Constant(value) => self.add_constant(value, written)?,
            Scorer::Map { op, operands } => {
                let operands = operands
                    .into_iter()
                    .map(|operand| {
                        let part = || self.side_sop(operand, known);
                        stacker::maybe_grow(64 * 1024, 1024 * 1024, part)
                    })
                    .collect::<Outcome<Vec<SOpId>>>()?;
                self.add_map(op, operands, written)?
            }
        };
        known.sops.insert(id, sop);
        Ok(sop)
    }

    fn reads(&self, id: ScorerId) -> Reads {
        match self.graph.scorer_reads(id) {
            (false, false) => Reads::Neither,
            (true, false) => Reads::Keys,
            (false, true) => Reads::Queries,
            (true, true) => Reads::Both,
        }
    }
}
