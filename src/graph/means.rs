//! Means of which only matters how they compare: two over the same keys are one, and a share of keys
//! that is compared with none may count them twice. One mean less is held, and sums are linear reads
//! where a disjunction needs hidden units. Depends on `shape`.

use super::build::Graph;
use super::node::{SOp, SOpId, Selector, SelectorId};
use super::shape::{
    aggregate, binary, conjunction, disjunction, is_constant, leaves, share, with_constant,
};
use crate::base::Span;
use crate::value::{Comparison, Op, Value};
use indexmap::IndexSet;
use rustc_hash::FxHashSet;

/// What a mean is of, if it is no larger, so that different means over the same keys are different
/// floats: with 2^31 keys their quotient is beyond the last of 53 digits.
const LARGEST_MEANT: i64 = 1 << 20;

/// The ints up to which each is a float.
const LARGEST_WHOLE: u64 = 1 << 53;

/// `aggregate(s, x) < aggregate(s, y)`, or the difference of both against 0, as the mean of all
/// differences against 0: whole numbers over the same number of keys. The same for all comparisons.
pub(super) fn of_two(
    graph: &mut Graph,
    comparison: Comparison,
    operands: (SOpId, SOpId),
    span: Span,
) -> Option<SOp> {
    let (comparison, difference, (left, right)) = match with_zero(graph, comparison, operands) {
        Some((other, comparison)) => (
            comparison,
            Some(other),
            binary(graph, other, &Op::Subtract)?,
        ),
        None => (comparison, None, operands),
    };
    let (a, b) = (aggregate(graph, left)?, aggregate(graph, right)?);
    let (Value::Int(first), Value::Int(second)) = (a.2, b.2) else {
        return None;
    };
    let default = Value::Int(first.checked_sub(*second)?);
    let (selector, x, y) = (a.0, a.1, b.1);
    let is_small = |id| largest(graph, id, DEEPEST).is_some_and(|most| most <= LARGEST_MEANT);
    if b.0 != selector || !is_small(x) || !is_small(y) {
        return None;
    }
    let value = graph.map(Op::Subtract, vec![x, y], span);
    let mean = SOp::Aggregate {
        selector,
        value,
        default,
    };
    let mean = graph.sop(mean, span);
    if let Some(difference) = difference {
        graph.take_name(mean, difference);
    }
    Some(against_zero(graph, comparison, mean, span))
}

/// `aggregate(s, indicator(a or b)) > 0` as `aggregate(s, indicator(a) + indicator(b)) > 0`: whether
/// there is any. The same for all comparisons with 0.
pub(super) fn of_disjunction(
    graph: &mut Graph,
    comparison: Comparison,
    operands: (SOpId, SOpId),
    span: Span,
) -> Option<SOp> {
    let (id, comparison) = with_zero(graph, comparison, operands)?;
    let (selector, condition, default) = share(graph, id)?;
    let default = default.clone();
    let (a, b) = binary(graph, condition, &Op::Or)?;
    let parts = parts(graph, a, b).into_iter();
    let holding: Vec<SOpId> = parts
        .map(|part| graph.map(Op::Indicator, vec![part], span))
        .collect();
    let sum = |sum, part| graph.map(Op::Add, vec![sum, part], span);
    let value = holding.into_iter().reduce(sum)?;
    let mean = SOp::Aggregate {
        selector,
        value,
        default,
    };
    let mean = graph.sop(mean, span);
    Some(against_zero(graph, comparison, mean, span))
}

/// Whether a disjunction selects any key, as `aggregate(a or b, 1, 0) > 0` asks, as whether one of its parts
/// does: what a head for each part gives cannot be added up, as both may select something.
pub(super) fn over_union(
    graph: &mut Graph,
    comparison: Comparison,
    operands: (SOpId, SOpId),
    span: Span,
) -> Option<SOp> {
    let (id, comparison, constant) = with_constant(graph, comparison, operands)?;
    let (selector, value, default) = aggregate(graph, id)?;
    let default = default.clone();
    let (SOp::Constant(moved), SOp::Constant(limit)) = (graph.get(value), graph.get(constant))
    else {
        return None;
    };
    // Several of it have no mean, or another one.
    let has_mean = match moved {
        Value::Int(moved) => moved.unsigned_abs() <= LARGEST_WHOLE,
        Value::Float(_) => true,
        Value::Bool(_) | Value::Str(_) => false,
    };
    if !has_mean {
        return None;
    }
    let compare = Op::Compare(comparison);
    let [any, none] = [moved, &default].map(|number| compare.apply(&[number, limit]).ok());
    let op = match (any?.truthy(), none?.truthy()) {
        (true, false) => Op::Or,
        (false, true) => Op::And,
        (true, true) | (false, false) => return None,
    };
    let parts = leaves(selector, MOST_PARTS, |part| {
        alternatives(graph, part, DEEPEST, span)
    })?;
    if parts.len() < 2 {
        return None;
    }
    let asked = parts.into_iter().map(|selector| {
        let default = default.clone();
        let found = SOp::Aggregate {
            selector,
            value,
            default,
        };
        let found = graph.sop(found, span);
        graph.map(compare.clone(), vec![found, constant], span)
    });
    let asked: Vec<SOpId> = asked.collect();
    let (last, others) = asked.split_last()?;
    let joined = others.iter().copied();
    let joined = joined.reduce(|a, b| graph.map(op.clone(), vec![a, b], span))?;
    Some(SOp::Map {
        op,
        operands: vec![joined, *last],
    })
}

/// The two selectors of which one has to hold: `a or b`, and `(c and a) or (c and b)` for `c and (a or b)`,
/// but where one head compares for both.
fn alternatives(
    graph: &mut Graph,
    id: SelectorId,
    deepest: u32,
    span: Span,
) -> Option<[SelectorId; 2]> {
    if let Some([a, b]) = disjunction(graph, id) {
        let read = compared_in(graph, a, deepest);
        return (read.is_none() || read != compared_in(graph, b, deepest)).then_some([a, b]);
    }
    let deepest = deepest.checked_sub(1)?;
    let [a, b] = conjunction(graph, id)?;
    let parts = match alternatives(graph, a, deepest, span) {
        Some([x, y]) => [(x, b), (y, b)],
        None => alternatives(graph, b, deepest, span)?.map(|part| (a, part)),
    };
    Some(parts.map(|(a, b)| graph.selector(Selector::And(a, b), span)))
}

/// What a selector compares at keys and at queries, if that is one s-op each, or a constant.
fn compared_in(graph: &Graph, id: SelectorId, deepest: u32) -> Option<[Option<SOpId>; 2]> {
    let read = |id: SOpId| (!matches!(graph.get(id), SOp::Constant(_))).then_some(id);
    if let Selector::Compare { keys, queries, .. } = *graph.get_selector(id) {
        return Some([read(keys), read(queries)]);
    }
    let deepest = deepest.checked_sub(1)?;
    let [a, b] = disjunction(graph, id).or_else(|| conjunction(graph, id))?;
    let found = compared_in(graph, a, deepest)?;
    (compared_in(graph, b, deepest) == Some(found)).then_some(found)
}

/// The parts of a disjunction, each once.
fn parts(graph: &Graph, a: SOpId, b: SOpId) -> IndexSet<SOpId> {
    let mut parts = IndexSet::new();
    let mut seen = FxHashSet::default();
    let mut left = vec![b, a];
    while let Some(id) = left.pop() {
        if seen.insert(id) {
            match binary(graph, id, &Op::Or) {
                Some((a, b)) => left.extend([b, a]),
                None => drop(parts.insert(id)),
            }
        }
    }
    parts
}

/// What is compared with 0, as the left operand, if one is 0.
fn with_zero(
    graph: &Graph,
    comparison: Comparison,
    operands: (SOpId, SOpId),
) -> Option<(SOpId, Comparison)> {
    let (id, comparison, constant) = with_constant(graph, comparison, operands)?;
    is_constant(graph, constant, 0).then_some((id, comparison))
}

fn against_zero(graph: &mut Graph, comparison: Comparison, id: SOpId, span: Span) -> SOp {
    let zero = graph.constant(Value::Int(0), span);
    SOp::Map {
        op: Op::Compare(comparison),
        operands: vec![id, zero],
    }
}

/// A disjunction of more parts is asked about as a whole.
const MOST_PARTS: usize = 8;

/// How many sums in sums, and selectors in selectors, are looked into.
const DEEPEST: u32 = 8;

/// A bound on the absolute value of an s-op of whole numbers, by its shape.
fn largest(graph: &Graph, id: SOpId, depth: u32) -> Option<i64> {
    let depth = depth.checked_sub(1)?;
    match graph.get(id) {
        SOp::Constant(Value::Int(value)) => value.checked_abs(),
        SOp::Map { op, operands } => match (op, operands.as_slice()) {
            (Op::Indicator, _) => Some(1),
            (Op::Add | Op::Subtract, [a, b]) => {
                let most = largest(graph, *a, depth)?;
                most.checked_add(largest(graph, *b, depth)?)
            }
            _ => None,
        },
        SOp::Tokens
        | SOp::Indices
        | SOp::Constant(_)
        | SOp::Given(_)
        | SOp::Aggregate { .. }
        | SOp::Width { .. }
        | SOp::WeightedMean { .. } => None,
    }
}
