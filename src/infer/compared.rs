//! Comparisons of two means, or of two counts, over the same keys, of which each is needed anyway. The graph
//! compares the mean of their differences with 0, so that one mean is held and not two; where both are held,
//! they are compared as they are, or nothing would relate what is compared to them: `a if a > b else b`
//! would have three. Of whole numbers, whose means compare as their sums do: those of fractions are rounded
//! each.

use crate::graph::{Graph, SOp, SOpId};
use crate::value::{Op, TypeSet, Value};
use rustc_hash::FxHashMap;

/// The comparisons, among some s-ops, that are of means or counts among these, with these as operands.
pub(super) fn of_means(graph: &Graph, among: &[SOpId]) -> FxHashMap<SOpId, SOp> {
    let mean = |id: SOpId| {
        let SOp::Aggregate {
            selector,
            value,
            default: Value::Int(default),
        } = graph.get(id)
        else {
            return None;
        };
        Some((*selector, *value, *default))
    };
    let of_two = |id: SOpId| {
        let SOp::Map { op, operands } = graph.get(id) else {
            return None;
        };
        let both: [SOpId; 2] = (**operands).try_into().ok()?;
        Some((op, both))
    };
    let means = among.iter().filter_map(|id| {
        let (selector, value, default) = mean(*id)?;
        Some(((selector, value), (*id, default)))
    });
    let means: FxHashMap<_, _> = means.collect();
    let apart = among.iter().filter_map(|id| {
        let (Op::Compare(comparison), [compared, zero]) = of_two(*id)? else {
            return None;
        };
        let (selector, value, default) = mean(compared)?;
        let (Op::Subtract, [left, right]) = of_two(value)? else {
            return None;
        };
        let is_whole = |id| TypeSet::INT.contains(graph.types(id));
        if !is_whole(left) || !is_whole(right) {
            return None;
        }
        let (left, first) = means.get(&(selector, left))?;
        let (right, second) = means.get(&(selector, right))?;
        let is_zero = matches!(graph.get(zero), SOp::Constant(Value::Int(0)));
        let as_written = SOp::Map {
            op: Op::Compare(*comparison),
            operands: vec![*left, *right],
        };
        (is_zero && first.checked_sub(*second) == Some(default)).then_some((*id, as_written))
    });
    let mut found: FxHashMap<_, _> = apart.collect();
    for id in among {
        if let Some(written @ SOp::Map { operands, .. }) = graph.as_written(*id)
            && operands.iter().all(|id| among.binary_search(id).is_ok())
        {
            found.insert(*id, written.clone());
        }
    }
    found
}
