//! What nodes are made of: what each needs directly, and all that is reached from some.

use super::build::Graph;
use super::node::{SOp, SOpId, Scorer, ScorerId, Selector, SelectorId};
use rustc_hash::FxHashSet;
use std::hash::Hash;

impl Graph {
    /// A scorer and what it is made of, each once, operands before what is made of them.
    pub fn scorer_parts(&self, id: ScorerId) -> Vec<ScorerId> {
        with_operands(&[id], |id| match self.get_scorer(id) {
            Scorer::Map { operands, .. } => operands.iter().copied(),
            Scorer::Key(_) | Scorer::Query(_) | Scorer::Constant(_) => [].iter().copied(),
        })
    }

    /// Selectors and what they are made of, each once, operands before what is made of them.
    pub fn selector_parts(&self, ids: &[SelectorId]) -> Vec<SelectorId> {
        with_operands(ids, |id| self.get_selector(id).parts())
    }

    /// The s-ops a scorer reads at the key and at the query, each once, in order of id.
    pub fn scorer_operands(&self, id: ScorerId) -> (Vec<SOpId>, Vec<SOpId>) {
        let (mut keys, mut queries) = (Vec::new(), Vec::new());
        for part in self.scorer_parts(id) {
            match self.get_scorer(part) {
                Scorer::Key(sop) => keys.push(*sop),
                Scorer::Query(sop) => queries.push(*sop),
                Scorer::Constant(_) | Scorer::Map { .. } => {}
            }
        }
        for list in [&mut keys, &mut queries] {
            list.sort_unstable();
            list.dedup();
        }
        (keys, queries)
    }

    /// The s-ops a selector compares, keys and queries, each once, in order of id.
    pub fn selector_operands(&self, id: SelectorId) -> Vec<SOpId> {
        let mut operands = Vec::new();
        for part in self.selector_parts(&[id]) {
            match self.get_selector(part) {
                Selector::Compare { keys, queries, .. } => operands.extend([*keys, *queries]),
                Selector::Predicate(scorer) | Selector::Best { scorer, .. } => {
                    operands.extend(self.both_operands(*scorer));
                }
                Selector::And(..) | Selector::Or(..) | Selector::Not(_) => {}
            }
        }
        operands.sort_unstable();
        operands.dedup();
        operands
    }

    fn both_operands(&self, id: ScorerId) -> impl Iterator<Item = SOpId> {
        let (keys, queries) = self.scorer_operands(id);
        keys.into_iter().chain(queries)
    }

    /// The s-ops one needs directly: operands, the aggregated value, keys and queries.
    pub fn dependencies(&self, id: SOpId) -> Vec<SOpId> {
        match self.get(id) {
            SOp::Tokens | SOp::Indices | SOp::Constant(_) | SOp::Given(_) => Vec::new(),
            SOp::Map { operands, .. } => operands.clone(),
            SOp::Aggregate {
                selector, value, ..
            } => {
                let mut needed = self.selector_operands(*selector);
                needed.push(*value);
                needed
            }
            SOp::Width { selector } => self.selector_operands(*selector),
            SOp::WeightedMean { scorer, value, .. } => {
                let mut needed: Vec<SOpId> = self.both_operands(*scorer).collect();
                needed.push(*value);
                needed
            }
        }
    }

    /// Everything the roots need, the roots included, operands before their users.
    pub fn reachable(&self, roots: &[SOpId]) -> Vec<SOpId> {
        self.reachable_beyond(roots, |_| false)
    }

    /// The same without what only some of it needs, which is not looked into.
    pub fn reachable_beyond(&self, roots: &[SOpId], known: impl Fn(SOpId) -> bool) -> Vec<SOpId> {
        let mut needed = vec![false; self.sops.len()];
        let mut pending = roots.to_vec();
        while let Some(id) = pending.pop() {
            if !std::mem::replace(&mut needed[id.0 as usize], true) && !known(id) {
                pending.extend(self.dependencies(id));
            }
        }
        (0..self.sops.len() as u32)
            .map(SOpId)
            .filter(|id| needed[id.0 as usize])
            .collect()
    }
}

/// Some ids and those of all operands below, each once, in order: operands come first.
fn with_operands<T: Copy + Ord + Hash, I: Iterator<Item = T>>(
    ids: &[T],
    operands: impl Fn(T) -> I,
) -> Vec<T> {
    let (mut found, mut pending) = (Vec::new(), ids.to_vec());
    let mut seen = FxHashSet::default();
    while let Some(id) = pending.pop() {
        if seen.insert(id) {
            found.push(id);
            pending.extend(operands(id));
        }
    }
    found.sort_unstable();
    found
}
