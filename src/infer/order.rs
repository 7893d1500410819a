//! Selectors that order the positions, so that their widths are a permutation.

use crate::graph::{Graph, SOp, Selector, SelectorId};
use crate::value::Comparison;

/// How many keys a lexicographic order may have.
const MOST_KEYS: usize = 16;

/// Whether the selector is a strict total order of the positions, so that its width ranks them:
/// `indices < indices`, or a key first and such an order among equal keys, as `sort` counts
/// (Weiss et al. 2021, section 3.1).
pub(super) fn is_strict_order(graph: &Graph, id: SelectorId, depth: usize) -> bool {
    let compares_itself = |id: SelectorId, wanted: &[Comparison]| {
        if let Selector::Compare {
            keys,
            queries,
            comparison,
        } = graph.get_selector(id)
            && keys == queries
            && wanted.contains(comparison)
        {
            Some(*keys)
        } else {
            None
        }
    };
    let orders = [Comparison::Less, Comparison::Greater];
    if let Some(key) = compares_itself(id, &orders) {
        return matches!(graph.get(key), SOp::Indices);
    }
    let Selector::Or(a, b) = graph.get_selector(id) else {
        return false;
    };
    if depth > MOST_KEYS {
        return false;
    }
    [(*a, *b), (*b, *a)].into_iter().any(|(first, ties)| {
        let (Some(key), Selector::And(c, d)) =
            (compares_itself(first, &orders), graph.get_selector(ties))
        else {
            return false;
        };
        [(*c, *d), (*d, *c)].into_iter().any(|(equal, rest)| {
            compares_itself(equal, &[Comparison::Equal]) == Some(key)
                && is_strict_order(graph, rest, depth + 1)
        })
    })
}
