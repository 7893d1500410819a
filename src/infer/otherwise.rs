//! S-ops that are computed otherwise than the graph has them. Comparisons of two means over the same keys, of
//! which each is needed anyway: the graph compares the mean of their differences with 0, so that one mean is held
//! and not two; where both are held, they are compared as they are, or nothing would relate what is compared to
//! them: `a if a > b else b` would have three. Of whole numbers, whose means compare as their sums do: those of
//! fractions are rounded each. And sums of counts of which none is needed by itself: they are one mean, times how
//! many keys there are.

use crate::graph::shape::{aggregate, binary, is_constant, is_length};
use crate::graph::{Graph, SOp, SOpId, Total, WithFirst};
use crate::value::{Op, TypeSet, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The sums of counts that are computed from one mean, as that, if there are fewer means so than counts. Where
/// a count is there for something else, the sum is one of counts; so it is where heads read it, which need
/// each number to the last digit.
pub(super) fn totals(
    graph: &Graph,
    roots: &[SOpId],
    first: Option<&WithFirst>,
) -> FxHashMap<SOpId, SOp> {
    let all = graph.reachable(roots);
    let read = all.iter().filter(|id| graph.get(**id).attends());
    let read: Vec<SOpId> = read.flat_map(|id| graph.dependencies(*id)).collect();
    let read = graph.reachable(&read);
    let totals = all.iter().filter(|id| read.binary_search(id).is_err());
    let single = |id: &SOpId| first.and_then(|first| first.counts.get(id));
    let totals = totals.filter_map(|id| Some((*id, graph.total(*id).or_else(|| single(id))?)));
    let mut totals: Vec<(SOpId, &Total)> = totals.collect();
    // How many keys there are is known in any case.
    let is_count = |id: SOpId| matches!(graph.get(id), SOp::Width { .. }) && !is_length(graph, id);
    // To a fixed point: without one of them more is needed as it is, which others may be sums of.
    loop {
        let sops = totals.iter().map(|(id, total)| (*id, total.sop.clone()));
        let sops: FxHashMap<SOpId, SOp> = sops.collect();
        let needed = reachable(graph, roots, &sops);
        let is_needed = |id: &SOpId| needed.binary_search(id).is_ok();
        let before = totals.len();
        let combined = combined(graph, &needed, &sops);
        totals.retain(|(id, total)| {
            if combined.contains(id) {
                return false;
            }
            let mut others = total.widths.iter().filter(|width| *width != id);
            is_needed(&total.mean) && !others.any(|id| is_count(*id) && is_needed(id))
        });
        if totals.len() == before {
            let means: FxHashSet<SOpId> = totals.iter().map(|(_, total)| total.mean).collect();
            let widths = totals.iter().flat_map(|(_, total)| &total.widths);
            let widths: FxHashSet<&SOpId> = widths.collect();
            // Where there is no BOS, what stands at the first position is fetched for each width.
            let heads = widths.len() * if first.is_some() { 2 } else { 1 };
            return match means.len() < heads {
                true => sops,
                false => FxHashMap::default(),
            };
        }
    }
}

/// The sums of which something else depends on more than one of them: a table of that would have a row for each
/// mean and each number of keys, where counts are numbered each for itself.
fn combined(graph: &Graph, needed: &[SOpId], sums: &FxHashMap<SOpId, SOp>) -> FxHashSet<SOpId> {
    /// What an s-op is a function of.
    #[derive(Clone, Copy, PartialEq)]
    enum Of {
        Nothing,
        Sum(SOpId),
        More,
    }
    let mut known: FxHashMap<SOpId, Of> = FxHashMap::default();
    let mut combined = FxHashSet::default();
    for id in needed {
        let of = match graph.get(*id) {
            _ if sums.contains_key(id) => Of::Sum(*id),
            SOp::Constant(_) => Of::Nothing,
            SOp::Map { operands, .. } => {
                let parts: Vec<Of> = operands.iter().map(|id| known[id]).collect();
                let mut some = parts.iter().filter(|part| **part != Of::Nothing);
                let first = some.next().copied().unwrap_or(Of::Nothing);
                match some.all(|part| *part == first) {
                    true => first,
                    false => {
                        combined.extend(parts.iter().filter_map(|part| match part {
                            Of::Sum(sum) => Some(*sum),
                            Of::Nothing | Of::More => None,
                        }));
                        Of::More
                    }
                }
            }
            SOp::Tokens
            | SOp::Indices
            | SOp::Given(_)
            | SOp::Aggregate { .. }
            | SOp::Width { .. }
            | SOp::WeightedMean { .. } => Of::More,
        };
        known.insert(*id, of);
    }
    combined
}

/// Everything the roots need, operands before their users, where some s-ops are computed otherwise.
pub(super) fn reachable(
    graph: &Graph,
    roots: &[SOpId],
    otherwise: &FxHashMap<SOpId, SOp>,
) -> Vec<SOpId> {
    if otherwise.is_empty() {
        return graph.reachable(roots);
    }
    let mut needed = FxHashSet::default();
    let mut pending = roots.to_vec();
    while let Some(id) = pending.pop() {
        if needed.insert(id) {
            pending.extend(match otherwise.get(&id) {
                Some(SOp::Map { operands, .. }) => operands.clone(),
                _ => graph.dependencies(id),
            });
        }
    }
    let mut needed: Vec<SOpId> = needed.into_iter().collect();
    needed.sort_unstable();
    needed
}

/// The comparisons, among some s-ops, that are of means among these, with the means as operands.
pub(super) fn of_means(graph: &Graph, among: &[SOpId]) -> FxHashMap<SOpId, SOp> {
    let mean = |id: SOpId| match aggregate(graph, id)? {
        (selector, value, Value::Int(default)) => Some((selector, value, *default)),
        _ => None,
    };
    let means = among.iter().filter_map(|id| {
        let (selector, value, default) = mean(*id)?;
        Some(((selector, value), (*id, default)))
    });
    let means: FxHashMap<_, _> = means.collect();
    let apart = among.iter().filter_map(|id| {
        let SOp::Map {
            op: op @ Op::Compare(_),
            operands,
        } = graph.get(*id)
        else {
            return None;
        };
        let [compared, zero] = **operands else {
            return None;
        };
        let (selector, value, default) = mean(compared)?;
        let (left, right) = binary(graph, value, &Op::Subtract)?;
        let is_whole = |id| TypeSet::INT.contains(graph.types(id));
        if !is_whole(left) || !is_whole(right) {
            return None;
        }
        let (left, first) = means.get(&(selector, left))?;
        let (right, second) = means.get(&(selector, right))?;
        let as_written = SOp::Map {
            op: op.clone(),
            operands: vec![*left, *right],
        };
        (is_constant(graph, zero, 0) && first.checked_sub(*second) == Some(default))
            .then_some((*id, as_written))
    });
    apart.collect()
}
