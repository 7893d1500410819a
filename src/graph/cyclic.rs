//! Cyclic shifts: `select((indices + 1) % length, indices, ==)` selects for each query the key before it, and
//! for the first the last. Said of the query, as `select(indices, (indices - 1) % length, ==)`, nothing is
//! computed at the keys, of which a head needs squares, too. Depends on `shape`.

use super::build::Graph;
use super::node::{SOp, SOpId, Selector};
use super::shape::{binary, is_length};
use crate::base::Span;
use crate::value::{Comparison, Op, Value};

/// Sums that are nested deeper are none that anybody writes.
const DEEPEST: usize = 8;

/// Larger constants may overflow where the program adds them up.
const LARGEST: i64 = 1 << 32;

/// Where an index goes: itself or its negative, and so many places on, modulo the length if there is one.
struct Shift {
    sign: i64,
    places: i64,
    length: Option<SOpId>,
}

impl Shift {
    fn of(graph: &Graph, id: SOpId) -> Option<Shift> {
        if let SOp::Indices = graph.get(id) {
            return Some(Shift {
                sign: 1,
                places: 0,
                length: None,
            });
        }
        let (shifted, length) = binary(graph, id, &Op::Remainder)?;
        let (sign, places) = sum(graph, shifted, DEEPEST).filter(|_| is_length(graph, length))?;
        (sign.abs() == 1).then_some(Shift {
            sign,
            places,
            length: Some(length),
        })
    }
}

/// A sum of indices, lengths and constants: how many of the first, and what the last are together. Whole
/// lengths are nothing modulo the length.
fn sum(graph: &Graph, id: SOpId, deepest: usize) -> Option<(i64, i64)> {
    if let SOp::Indices = graph.get(id) {
        return Some((1, 0));
    }
    if let SOp::Constant(Value::Int(constant)) = graph.get(id) {
        return (-LARGEST..=LARGEST)
            .contains(constant)
            .then_some((0, *constant));
    }
    if is_length(graph, id) {
        return Some((0, 0));
    }
    let below = deepest.checked_sub(1)?;
    let added = binary(graph, id, &Op::Add).map(|operands| (operands, 1));
    let taken = || binary(graph, id, &Op::Subtract).map(|operands| (operands, -1));
    let ((a, b), sign) = added.or_else(taken)?;
    let (a, b) = (sum(graph, a, below)?, sum(graph, b, below)?);
    Some((a.0 + sign * b.0, a.1 + sign * b.1))
}

/// A comparison of which the keys are indices, if it is one of shifts for equality.
pub(super) fn at_queries(graph: &mut Graph, selector: Selector, span: Span) -> Selector {
    if let Selector::Compare {
        keys,
        queries,
        comparison: comparison @ (Comparison::Equal | Comparison::NotEqual),
    } = selector
        && let Some((keys, queries)) = indices_and_shift(graph, keys, queries, span)
    {
        return Selector::Compare {
            keys,
            queries,
            comparison,
        };
    }
    selector
}

/// Indices, and the shift of them that equals them where two shifts are equal.
fn indices_and_shift(
    graph: &mut Graph,
    keys: SOpId,
    queries: SOpId,
    span: Span,
) -> Option<(SOpId, SOpId)> {
    let (key, query) = (Shift::of(graph, keys)?, Shift::of(graph, queries)?);
    let length = key.length?;
    let (sign, places) = (
        key.sign * query.sign,
        key.sign * (query.places - key.places),
    );
    let indices = graph.sop(SOp::Indices, span);
    if (sign, places) == (1, 0) {
        return Some((indices, indices));
    }
    let by = graph.constant(Value::Int(places.abs()), span);
    let shifted = match (sign, places) {
        (1, 0..) => graph.map(Op::Add, vec![indices, by], span),
        (1, _) => graph.map(Op::Subtract, vec![indices, by], span),
        _ => {
            let from = graph.constant(Value::Int(places), span);
            graph.map(Op::Subtract, vec![from, indices], span)
        }
    };
    let shifted = graph.map(Op::Remainder, vec![shifted, length], span);
    Some((indices, shifted))
}
