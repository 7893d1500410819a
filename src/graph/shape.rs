//! The shapes of nodes that what is recognised in a graph is made of. Depends on how graphs are built.

use super::build::Graph;
use super::node::{SOp, SOpId, Selector, SelectorId};
use crate::value::{Comparison, Op, Value};

/// The operands of a primitive of two, if an s-op is that.
pub(crate) fn binary(graph: &Graph, id: SOpId, wanted: &Op) -> Option<(SOpId, SOpId)> {
    if let SOp::Map { op, operands } = graph.get(id)
        && op == wanted
    {
        match operands.as_slice() {
            [left, right] => Some((*left, *right)),
            _ => None,
        }
    } else {
        None
    }
}

/// The selector, the value and the default of an aggregate, if an s-op is one.
pub(crate) fn aggregate(graph: &Graph, id: SOpId) -> Option<(SelectorId, SOpId, &Value)> {
    if let SOp::Aggregate {
        selector,
        value,
        default,
    } = graph.get(id)
    {
        Some((*selector, *value, default))
    } else {
        None
    }
}

/// The `s` and `x` of `aggregate(s, indicator(x))`, and its default.
pub(super) fn share(graph: &Graph, id: SOpId) -> Option<(SelectorId, SOpId, &Value)> {
    let (selector, value, default) = aggregate(graph, id)?;
    if let SOp::Map {
        op: Op::Indicator,
        operands,
    } = graph.get(value)
    {
        Some((selector, operands[0], default))
    } else {
        None
    }
}

/// The operand of a comparison with a constant, as the left one, and that constant.
pub(super) fn with_constant(
    graph: &Graph,
    comparison: Comparison,
    (left, right): (SOpId, SOpId),
) -> Option<(SOpId, Comparison, SOpId)> {
    match (graph.get(left), graph.get(right)) {
        (_, SOp::Constant(_)) => Some((left, comparison, right)),
        (SOp::Constant(_), _) => Some((right, comparison.mirrored(), left)),
        (_, _) => None,
    }
}

/// The two that a selector is a disjunction of.
pub(super) fn disjunction(graph: &Graph, id: SelectorId) -> Option<[SelectorId; 2]> {
    if let Selector::Or(a, b) = *graph.get_selector(id) {
        Some([a, b])
    } else {
        None
    }
}

/// The two that a selector is a conjunction of.
pub(super) fn conjunction(graph: &Graph, id: SelectorId) -> Option<[SelectorId; 2]> {
    if let Selector::And(a, b) = *graph.get_selector(id) {
        Some([a, b])
    } else {
        None
    }
}

/// What a tree of pairs ends in, from left to right, unless these are more than so many.
pub(super) fn leaves(
    root: SelectorId,
    most: usize,
    mut pair: impl FnMut(SelectorId) -> Option<[SelectorId; 2]>,
) -> Option<Vec<SelectorId>> {
    let (mut leaves, mut pending) = (Vec::new(), vec![root]);
    while let Some(id) = pending.pop() {
        match pair(id) {
            Some([a, b]) => pending.extend([b, a]),
            None => leaves.push(id),
        }
        if leaves.len() + pending.len() > most {
            return None;
        }
    }
    Some(leaves)
}

/// Whether an s-op is this int everywhere.
pub(crate) fn is_constant(graph: &Graph, id: SOpId, wanted: i64) -> bool {
    matches!(graph.get(id), SOp::Constant(value) if *value == Value::Int(wanted))
}

/// Whether an s-op is the length, by the shape of its definition.
pub fn is_length(graph: &Graph, id: SOpId) -> bool {
    matches!(graph.get(id), SOp::Width { selector } if selects_all(graph, *selector))
}

/// `select(1, 1, ==)` and every other comparison of two constants that holds.
pub fn selects_all(graph: &Graph, id: SelectorId) -> bool {
    let Selector::Compare {
        keys,
        queries,
        comparison,
    } = graph.get_selector(id)
    else {
        return false;
    };
    match (graph.get(*keys), graph.get(*queries)) {
        (SOp::Constant(key), SOp::Constant(query)) => comparison.holds(key, query) == Ok(true),
        _ => false,
    }
}
