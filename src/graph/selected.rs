//! Where a scorer is true: its expression as a selector. Where it is made up of comparisons of keys with
//! queries, it becomes ordinary selectors, which every backend knows best.

use super::build::Graph;
use super::node::{SOp, SOpId, Scorer, ScorerId, Selector, SelectorId};
use crate::base::Span;
use crate::value::{Comparison, Op, TypeSet, Value};
use rustc_hash::FxHashMap;

/// A selector in the making, with the parts of the scorer that are done, so that a shared one is done
/// once.
struct Selected<'g> {
    graph: &'g mut Graph,
    span: Span,
    selectors: FxHashMap<ScorerId, SelectorId>,
    sops: FxHashMap<ScorerId, SOpId>,
}

impl Graph {
    /// The selector that selects where a scorer is true.
    pub(crate) fn selector_of(&mut self, id: ScorerId, span: Span) -> SelectorId {
        let mut selected = Selected {
            graph: self,
            span,
            selectors: FxHashMap::default(),
            sops: FxHashMap::default(),
        };
        selected.part(id)
    }
}

impl Selected<'_> {
    fn part(&mut self, id: ScorerId) -> SelectorId {
        if let Some(selector) = self.selectors.get(&id) {
            return *selector;
        }
        let selector = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.part_here(id));
        self.selectors.insert(id, selector);
        selector
    }

    fn part_here(&mut self, id: ScorerId) -> SelectorId {
        let reads = self.graph.scorer_reads(id);
        if reads != (true, true) {
            return self.one_sided(id, reads);
        }
        let Scorer::Map { op, operands } = self.graph.get_scorer(id).clone() else {
            unreachable!("only an operation reads both keys and queries");
        };
        if let (Op::Compare(comparison), [a, b]) = (&op, operands.as_slice()) {
            return self.comparison(id, (*a, *b), *comparison);
        }
        // A branch may fail where it is not taken, which a part of a selector may not.
        let is_choice = matches!(op, Op::If) && !self.may_fail(&operands[1..]);
        if !is_choice && !matches!(op, Op::And | Op::Or | Op::Not) {
            return self.add(Selector::Predicate(id));
        }
        let parts: Vec<SelectorId> = operands.iter().map(|part| self.part(*part)).collect();
        match (&op, parts.as_slice()) {
            (Op::And, [a, b]) => self.add(Selector::And(*a, *b)),
            (Op::Or, [a, b]) => self.add(Selector::Or(*a, *b)),
            (Op::If, [condition, then, otherwise]) => {
                let refuses = self.add(Selector::Not(*condition));
                let then = self.add(Selector::And(*condition, *then));
                let otherwise = self.add(Selector::And(refuses, *otherwise));
                self.add(Selector::Or(then, otherwise))
            }
            (_, [a, ..]) => self.add(Selector::Not(*a)),
            (_, []) => unreachable!("every primitive has an operand"),
        }
    }

    /// Whether parts of a scorer have no value for some keys and queries, but for what does not fit in 64 bits.
    fn may_fail(&self, parts: &[ScorerId]) -> bool {
        let mut parts = parts.iter().flat_map(|id| self.graph.scorer_parts(*id));
        parts.any(|id| {
            matches!(
                self.graph.get_scorer(id),
                Scorer::Map {
                    op: Op::Divide
                        | Op::Remainder
                        | Op::Power
                        | Op::Lookup(_)
                        | Op::ToInt
                        | Op::ToFloat,
                    ..
                }
            )
        })
    }

    fn add(&mut self, selector: Selector) -> SelectorId {
        self.graph.selector(selector, self.span)
    }

    fn compare(&mut self, keys: SOpId, queries: SOpId, comparison: Comparison) -> SelectorId {
        self.add(Selector::Compare {
            keys,
            queries,
            comparison,
        })
    }

    /// A comparison of the one side with the other is what `select` is made for.
    fn comparison(
        &mut self,
        id: ScorerId,
        (a, b): (ScorerId, ScorerId),
        comparison: Comparison,
    ) -> SelectorId {
        let [first, second] = [a, b].map(|side| self.graph.scorer_reads(side));
        let (keys, queries, comparison) = match (first, second) {
            ((true, false), (false, true)) => (a, b, comparison),
            ((false, true), (true, false)) => (b, a, comparison.mirrored()),
            _ => return self.add(Selector::Predicate(id)),
        };
        let (keys, queries) = (self.sop(keys), self.sop(queries));
        self.compare(keys, queries, comparison)
    }

    /// A condition on keys alone, on queries alone, or on neither.
    fn one_sided(&mut self, id: ScorerId, reads: (bool, bool)) -> SelectorId {
        let sop = self.sop(id);
        let truth = match self.graph.types(sop) == TypeSet::BOOL {
            true => sop,
            false => self.graph.map(Op::ToBool, vec![sop], self.span),
        };
        let yes = self.graph.constant(Value::Bool(true), self.span);
        match reads {
            (false, true) => self.compare(yes, truth, Comparison::Equal),
            _ => self.compare(truth, yes, Comparison::Equal),
        }
    }

    /// A scorer that reads one position only, as an s-op.
    fn sop(&mut self, id: ScorerId) -> SOpId {
        if let Some(sop) = self.sops.get(&id) {
            return *sop;
        }
        let written = self.graph.scorer_span(id);
        let sop = match self.graph.get_scorer(id).clone() {
            Scorer::Key(sop) | Scorer::Query(sop) => sop,
            Scorer::Constant(value) => self.graph.constant(value, written),
            Scorer::Map { op, operands } => {
                let part = |part| stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.sop(part));
                let operands = operands.into_iter().map(part).collect();
                self.graph.sop(SOp::Map { op, operands }, written)
            }
        };
        self.sops.insert(id, sop);
        sop
    }
}
