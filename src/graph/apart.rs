//! Names that are told apart: a name that a program gives several s-ops, as in a loop, is followed by
//! their number in the order in which they are computed. A program cannot write such a name itself,
//! as `#` begins a comment. It is for reading: pictures and the labels of models. Where so many share
//! a name that pictures fold them, they keep it.

use super::build::Graph;
use super::node::{SOp, SOpId, SelectorId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::sync::Arc;

/// Between a name and its number.
const NUMBER: &str = " #";

/// From so many on, what shares a name keeps it.
const MANY: usize = 8;

/// A name without its number.
pub fn without_number(name: &str) -> &str {
    match name.rsplit_once(NUMBER) {
        Some((name, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => name,
    }
}

impl Graph {
    /// The same graph, settled for these roots, in which no two s-ops that they need have one name, nor two
    /// of their selectors; it is this one where that is so already.
    pub fn told_apart(&self, roots: &[SOpId], more: &[SelectorId]) -> Cow<'_, Graph> {
        match self.settled(roots) {
            Cow::Borrowed(graph) => graph.renamed(roots, more),
            Cow::Owned(graph) => Cow::Owned(graph.renamed(roots, more).into_owned()),
        }
    }

    fn renamed(&self, roots: &[SOpId], more: &[SelectorId]) -> Cow<'_, Graph> {
        let mut sops: FxHashSet<SOpId> = self.reachable(roots).into_iter().collect();
        let mut selectors = more.to_vec();
        for id in more {
            sops.extend(self.reachable(&self.selector_operands(*id)));
        }
        selectors.extend(sops.iter().filter_map(|id| match self.get(*id) {
            SOp::Aggregate { selector, .. } | SOp::Width { selector } => Some(*selector),
            SOp::Tokens
            | SOp::Indices
            | SOp::Constant(_)
            | SOp::Given(_)
            | SOp::Map { .. }
            | SOp::WeightedMean { .. } => None,
        }));
        let selectors = self.selector_parts(&selectors);
        let sops = numbered(sops, |id| self.name(id));
        let selectors = numbered(selectors, |id| self.selector_name(id));
        if sops.is_empty() && selectors.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut apart = self.clone();
        for (id, name) in sops {
            apart.rename(id, &name);
        }
        for (id, name) in selectors {
            apart.rename_selector(id, &name);
        }
        Cow::Owned(apart)
    }
}

/// New names for those that share one.
fn numbered<'g, T: Copy + Ord>(
    ids: impl IntoIterator<Item = T>,
    name: impl Fn(T) -> Option<&'g str>,
) -> Vec<(T, Arc<str>)> {
    let mut ids: Vec<T> = ids.into_iter().collect();
    ids.sort_unstable();
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for name in ids.iter().filter_map(|id| name(*id)) {
        *counts.entry(name).or_default() += 1;
    }
    let mut seen: FxHashMap<&str, usize> = FxHashMap::default();
    let named = ids.into_iter().filter_map(|id| Some((id, name(id)?)));
    let shared = named.filter(|(_, name)| (2..MANY).contains(&counts[name]));
    let numbered = shared.map(|(id, name)| {
        let number = seen.entry(name).or_default();
        *number += 1;
        (id, format!("{name}{NUMBER}{number}").into())
    });
    numbered.collect()
}
