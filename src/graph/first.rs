//! Graphs for models without BOS, in which the first position is the key that is always there. What a
//! selector selects is what it selects beyond that position, and whether it selects that position,
//! which is a function of what the query holds and of what the first position does: one head fetches
//! the latter (Weiss et al. 2021, figure 3, where a selector is widened by the first position and the
//! count mended by an aggregate at it).

use super::build::Graph;
use super::counted::{self, Total};
use super::idiom::width_beyond_first;
use super::node::{SOp, SOpId, Scorer, ScorerId, Selector, SelectorId};
use super::shape::{conjunction, disjunction, leaves, selects_all};
use crate::base::Span;
use crate::value::{Comparison, Op, Value};
use rustc_hash::FxHashMap;

/// A disjunction of more parts is not asked about part by part.
const MOST_PARTS: usize = 8;

/// A graph with what selectors do at the first position.
#[derive(Clone, Debug)]
pub struct WithFirst {
    /// The program's graph; what is added has larger ids.
    pub graph: Graph,
    /// How many s-ops the program's own graph has.
    own: usize,
    /// For each width the sum that it is: the width beyond the first position, and 1 where that is
    /// selected.
    pub sums: FxHashMap<SOpId, SOpId>,
    /// For each width that counts keys by what they hold alone, how it is computed from a mean.
    pub counts: FxHashMap<SOpId, Total>,
    /// For each aggregate of a constant over a disjunction, which asks whether any key is selected, the
    /// choice that it is between those over the parts.
    pub unions: FxHashMap<SOpId, SOpId>,
    /// For each selector whose keys are aggregated, whether it selects the first position; of a best
    /// key, whether that may be the first position.
    pub selects: FxHashMap<SelectorId, SOpId>,
    /// For each weighted mean the selector of the keys that have a weight.
    pub supports: FxHashMap<SOpId, SelectorId>,
}

impl WithFirst {
    /// Whether an s-op is not of the program.
    pub fn adds(&self, id: SOpId) -> bool {
        id.0 as usize >= self.own
    }

    /// For what the roots need.
    pub fn new(graph: &Graph, roots: &[SOpId]) -> WithFirst {
        let mut with = WithFirst {
            graph: graph.clone(),
            own: graph.sop_count(),
            sums: FxHashMap::default(),
            counts: FxHashMap::default(),
            unions: FxHashMap::default(),
            selects: FxHashMap::default(),
            supports: FxHashMap::default(),
        };
        for id in graph.reachable(roots) {
            let span = graph.span(id);
            match graph.get(id) {
                aggregate @ SOp::Aggregate { selector, .. } => {
                    with.selects(*selector, span);
                    if let Some(union) = with.union(aggregate, span) {
                        with.unions.insert(id, union);
                    }
                }
                SOp::Width { selector } if !selects_all(graph, *selector) => {
                    let width = with.width(*selector, span);
                    with.sums.insert(id, width);
                    let count = counted::count(&mut with.graph, id, span);
                    with.counts.extend(count.map(|count| (id, count)));
                }
                SOp::WeightedMean { scorer, .. } => {
                    // Exponentials are never 0.
                    let condition = graph.exponential(*scorer).and_then(|it| it.0);
                    let support = Selector::Predicate(condition.unwrap_or(*scorer));
                    let support = with.graph.selector(support, span);
                    with.selects(support, span);
                    with.supports.insert(id, support);
                }
                SOp::Tokens
                | SOp::Indices
                | SOp::Constant(_)
                | SOp::Given(_)
                | SOp::Map { .. }
                | SOp::Width { .. } => {}
            }
        }
        with
    }

    /// The s-ops that are read beside those of the program.
    pub fn roots(&self) -> Vec<SOpId> {
        let mut roots: Vec<SOpId> = self
            .sums
            .values()
            .chain(self.unions.values())
            .chain(self.selects.values())
            .copied()
            .collect();
        roots.sort_unstable();
        roots
    }

    fn width(&mut self, selector: SelectorId, span: Span) -> SOpId {
        // The best key is one, if there is any.
        if let Selector::Best { selector, .. } = *self.graph.get_selector(selector) {
            let width = self.width(selector, span);
            let zero = self.graph.constant(Value::Int(0), span);
            let any = Op::Compare(Comparison::NotEqual);
            let any = self.graph.map(any, vec![width, zero], span);
            return self.graph.map(Op::Indicator, vec![any], span);
        }
        let selects = self.selects(selector, span);
        let graph = &mut self.graph;
        let width = width_beyond_first(graph, selector, span);
        let one = graph.map(Op::Indicator, vec![selects], span);
        graph.map(Op::Add, vec![width, one], span)
    }

    /// The aggregate of a constant over a disjunction by those over its parts: the first that is not the
    /// default.
    fn union(&mut self, aggregate: &SOp, span: Span) -> Option<SOpId> {
        let SOp::Aggregate {
            selector,
            value,
            default,
        } = aggregate
        else {
            return None;
        };
        let SOp::Constant(constant) = self.graph.get(*value) else {
            return None;
        };
        // `True` and 1 are equal, but not the same.
        if constant.equals(default) {
            return None;
        }
        let mut parts = leaves(*selector, MOST_PARTS, |part| self.either(part, span))?;
        if parts.len() < 2 {
            return None;
        }
        let over = |with: &mut WithFirst, selector| {
            with.selects(selector, span);
            let over = SOp::Aggregate {
                selector,
                value: *value,
                default: default.clone(),
            };
            with.graph.sop(over, span)
        };
        let mut union = over(self, parts.pop()?);
        for part in parts.into_iter().rev() {
            let part = over(self, part);
            let equal = Op::Compare(Comparison::Equal);
            let found = self.graph.map(equal, vec![part, *value], span);
            union = self.graph.map(Op::If, vec![found, part, union], span);
        }
        Some(union)
    }

    /// The two that a selector is a disjunction of, if it is one: also where a conjunction holds one, and
    /// where it is what a conjunction does not select.
    fn either(&mut self, id: SelectorId, span: Span) -> Option<[SelectorId; 2]> {
        let graph = &mut self.graph;
        if let Some([a, b]) = conjunction(graph, id) {
            let (parts, other) = match disjunction(graph, a) {
                Some(parts) => (parts, b),
                None => (disjunction(graph, b)?, a),
            };
            return Some(parts.map(|part| graph.selector(Selector::And(part, other), span)));
        }
        if let Selector::Not(inner) = *graph.get_selector(id)
            && let Some(parts) = conjunction(graph, inner)
        {
            return Some(parts.map(|part| graph.selector(Selector::Not(part), span)));
        }
        disjunction(graph, id)
    }

    /// Whether a selector selects the first position.
    fn selects(&mut self, selector: SelectorId, span: Span) -> SOpId {
        if let Some(known) = self.selects.get(&selector) {
            return *known;
        }
        let mut found: FxHashMap<SelectorId, SOpId> = FxHashMap::default();
        for part in self.graph.selector_parts(&[selector]) {
            let of = |part: &SelectorId| found[part];
            let selects = match self.graph.get_selector(part).clone() {
                Selector::Compare {
                    keys,
                    queries,
                    comparison,
                } => {
                    let key = self.first(keys, span);
                    self.graph
                        .map(Op::Compare(comparison), vec![key, queries], span)
                }
                Selector::And(a, b) => self.graph.map(Op::And, vec![of(&a), of(&b)], span),
                Selector::Or(a, b) => self.graph.map(Op::Or, vec![of(&a), of(&b)], span),
                Selector::Not(a) => self.graph.map(Op::Not, vec![of(&a)], span),
                Selector::Predicate(scorer) => {
                    let score = self.score(scorer, span);
                    self.graph.map(Op::ToBool, vec![score], span)
                }
                Selector::Best { selector, .. } => {
                    let selects = of(&selector);
                    self.selects.insert(selector, selects);
                    selects
                }
            };
            found.insert(part, selects);
        }
        let selects = found[&selector];
        self.selects.insert(selector, selects);
        selects
    }

    /// A score of the first position.
    fn score(&mut self, scorer: ScorerId, span: Span) -> SOpId {
        let mut pending = vec![scorer];
        let mut found: FxHashMap<ScorerId, SOpId> = FxHashMap::default();
        // Operands before what is made of them.
        while let Some(id) = pending.pop() {
            let score = match self.graph.get_scorer(id).clone() {
                Scorer::Key(sop) => self.first(sop, span),
                Scorer::Query(sop) => sop,
                Scorer::Constant(value) => self.graph.constant(value, span),
                Scorer::Map { op, operands } => {
                    let missing = operands.iter().filter(|id| !found.contains_key(id));
                    let missing: Vec<ScorerId> = missing.copied().collect();
                    if !missing.is_empty() {
                        pending.push(id);
                        pending.extend(missing);
                        continue;
                    }
                    let operands = operands.iter().map(|id| found[id]).collect();
                    self.graph.map(op, operands, span)
                }
            };
            found.insert(id, score);
        }
        found[&scorer]
    }

    /// What an s-op holds at the first position.
    fn first(&mut self, id: SOpId, span: Span) -> SOpId {
        let graph = &mut self.graph;
        if let SOp::Constant(_) = graph.get(id) {
            return id;
        }
        let (indices, zero) = (
            graph.sop(SOp::Indices, span),
            graph.constant(Value::Int(0), span),
        );
        let selector = graph.select(indices, zero, Comparison::Equal, span);
        let fetched = SOp::Aggregate {
            selector,
            value: id,
            default: Value::Int(0),
        };
        graph.sop(fetched, span)
    }
}
