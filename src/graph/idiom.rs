//! Recognises, while a graph is built, the ways in which RASP programs count: `selector_width` and
//! `length` are written with two aggregates and a division (Weiss et al. 2021, section 3), `count`
//! as a share of a length, but all mean the number of some keys. Recognised by shape, so that a
//! program's own copy of a library definition is understood too; the value is the same by arithmetic.
//! So are conditions that are known, means that are only compared, and the last position.

use super::build::Graph;
use super::node::{SOp, SOpId, Scorer, Selector, SelectorId};
use super::shape::{aggregate, binary, conjunction, disjunction, is_constant, selects_all, share};
use super::{counted, means};
use crate::base::Span;
use crate::value::{Comparison, Op, TypeSet, Value};
use std::sync::Arc;

/// A simpler node with the same values on every input, if the node completes a known idiom; `span`
/// is where that is written.
pub(super) fn recognize(graph: &mut Graph, sop: &SOp, span: Span) -> Option<SOp> {
    let (op, operands) = match sop {
        SOp::Map { op, operands } => (op, operands),
        SOp::Aggregate {
            selector, value, ..
        } if is_first_indicator(graph, *value) => {
            let counted = with_first(graph, *selector)?;
            return Some(share_of_first(graph, counted, span));
        }
        SOp::Aggregate {
            selector,
            value,
            default,
        } => {
            return Some(SOp::Aggregate {
                selector: last(graph, *selector)?,
                value: *value,
                default: default.clone(),
            });
        }
        SOp::Tokens
        | SOp::Indices
        | SOp::Constant(_)
        | SOp::Given(_)
        | SOp::Width { .. }
        | SOp::WeightedMean { .. } => return None,
    };
    let argument = match (op, operands.as_slice()) {
        (Op::Round, [argument]) => *argument,
        (Op::Compare(comparison), [left, right]) => {
            let operands = (*left, *right);
            return means::of_two(graph, *comparison, operands, span)
                .or_else(|| means::of_disjunction(graph, *comparison, operands, span))
                .or_else(|| counted::compared(graph, *comparison, operands, span))
                .or_else(|| means::over_union(graph, *comparison, operands, span));
        }
        (Op::Divide, [above, below]) => return counted::share(graph, (*above, *below), span),
        (Op::If, [condition, then, otherwise]) => {
            return branches(graph, *condition, (*then, *otherwise));
        }
        (Op::And, [left, right]) => return both(graph, true, (*left, *right)),
        (Op::Or, [left, right]) => return both(graph, false, (*left, *right)),
        _ => return None,
    };
    length(graph, argument)
        .or_else(|| selector_width(graph, argument))
        .or_else(|| count(graph, argument, span))
        .map(|selector| SOp::Width { selector })
}

/// `round(1/aggregate(s, indicator(indices==0)))` where `s` selects everything: the length, which
/// is the width of `s`.
fn length(graph: &Graph, argument: SOpId) -> Option<SelectorId> {
    let (one, share) = binary(graph, argument, &Op::Divide)?;
    if !is_constant(graph, one, 1) {
        return None;
    }
    let (selector, value, _) = aggregate(graph, share)?;
    (selects_all(graph, selector) && is_first_indicator(graph, value)).then_some(selector)
}

/// `round((1/aggregate(s or at0, indicator(indices==0))) - 1 + aggregate(s and at0, 1, 0))`.
fn selector_width(graph: &mut Graph, argument: SOpId) -> Option<SelectorId> {
    let (others, at_first) = binary(graph, argument, &Op::Add)?;
    let (inverse, one) = binary(graph, others, &Op::Subtract)?;
    let (numerator, share) = binary(graph, inverse, &Op::Divide)?;
    if !is_constant(graph, one, 1) || !is_constant(graph, numerator, 1) {
        return None;
    }
    let (and_first, value, default) = aggregate(graph, at_first)?;
    if !is_constant(graph, value, 1) || *default != Value::Int(0) {
        return None;
    }
    let [a, b] = conjunction(graph, and_first)?;
    let counted = beside_first(graph, a, b)?;
    let simpler = share_of_first(graph, counted, graph.span(share));
    (*graph.get(share) == simpler).then_some(counted)
}

/// The `s` of `s or select(indices, 0, ==)`.
fn with_first(graph: &Graph, selector: SelectorId) -> Option<SelectorId> {
    let [a, b] = disjunction(graph, selector)?;
    beside_first(graph, a, b)
}

/// The one of two selectors beside `select(indices, 0, ==)`.
fn beside_first(graph: &Graph, a: SelectorId, b: SelectorId) -> Option<SelectorId> {
    match (selects_first(graph, a), selects_first(graph, b)) {
        (_, true) => Some(a),
        (true, false) => Some(b),
        (false, false) => None,
    }
}

/// `aggregate(s or select(indices, 0, ==), indicator(indices == 0))`, the histogram with BOS of the
/// preprint of Weiss et al. 2021 (figure 6): one of the keys that `s` selects beyond the first, and
/// the first. A mean of one key is the value itself, an integer.
fn share_of_first(graph: &mut Graph, counted: SelectorId, span: Span) -> SOp {
    let width = width_beyond_first(graph, counted, span);
    let [zero, one] = [0, 1].map(|int| graph.constant(Value::Int(int), span));
    let equal = Op::Compare(Comparison::Equal);
    let none = graph.map(equal, vec![width, zero], span);
    let all = graph.map(Op::Add, vec![width, one], span);
    let share = graph.map(Op::Divide, vec![one, all], span);
    SOp::Map {
        op: Op::If,
        operands: vec![none, one, share],
    }
}

/// How many keys a selector selects beyond the first position.
pub(super) fn width_beyond_first(graph: &mut Graph, selector: SelectorId, span: Span) -> SOpId {
    let indices = graph.sop(SOp::Indices, span);
    let zero = graph.constant(Value::Int(0), span);
    let later = graph.select(indices, zero, Comparison::NotEqual, span);
    let selector = graph.selector(Selector::And(selector, later), span);
    graph.sop(SOp::Width { selector }, span)
}

/// `select(indices, length - 1, ==)` as the largest of all indices, for which the length need not be counted
/// first.
fn last(graph: &mut Graph, selector: SelectorId) -> Option<SelectorId> {
    let Selector::Compare {
        keys,
        queries,
        comparison: Comparison::Equal,
    } = *graph.get_selector(selector)
    else {
        return None;
    };
    let is_indices = matches!(graph.get(keys), SOp::Indices);
    let before = |op: &Op, places| {
        binary(graph, queries, op)
            .filter(|(_, constant)| is_indices && is_constant(graph, *constant, places))
    };
    let (length, _) = before(&Op::Subtract, 1).or_else(|| before(&Op::Add, -1))?;
    let SOp::Width { selector: all } = *graph.get(length) else {
        return None;
    };
    if !selects_all(graph, all) {
        return None;
    }
    let span = graph.selector_span(selector);
    let scorer = graph.scorer(Scorer::Key(keys), span);
    let best = Selector::Best {
        selector: all,
        scorer,
    };
    let best = graph.selector(best, span);
    // It is shown as what the program writes, by its name if it has one.
    let has_name = graph.selector_name(selector).is_some();
    let written: Arc<str> = graph.describe_selector(selector).into();
    graph.set_selector_name(best, &written, !has_name);
    Some(best)
}

/// `round(w * aggregate(s, indicator(x)))` where `w` is the width of `s`: of how many of the selected
/// keys `x` is true. Rounding takes away what the quotient of the mean is off by.
fn count(graph: &mut Graph, argument: SOpId, span: Span) -> Option<SelectorId> {
    let (a, b) = binary(graph, argument, &Op::Multiply)?;
    let (selector, condition) =
        counted_share(graph, a, b).or_else(|| counted_share(graph, b, a))?;
    let holding = holding(graph, condition, span);
    Some(match selects_all(graph, selector) {
        true => holding,
        false => graph.selector(Selector::And(selector, holding), span),
    })
}

/// The `s` and `x` of `aggregate(s, indicator(x))`, if the other factor is the width of `s`.
fn counted_share(graph: &Graph, width: SOpId, mean: SOpId) -> Option<(SelectorId, SOpId)> {
    let (selector, condition, default) = share(graph, mean)?;
    let SOp::Width { selector: counted } = graph.get(width) else {
        return None;
    };
    let all = |selector| selects_all(graph, selector);
    let same = *counted == selector || (all(*counted) && all(selector));
    // Nothing selected is none, as 0 times a finite default.
    let is_none = default.as_float().is_some_and(f64::is_finite);
    // The best key is found by a head of its own.
    let is_best = matches!(graph.get_selector(selector), Selector::Best { .. });
    (same && is_none && !is_best).then_some((selector, condition))
}

/// The selector of all keys of which an s-op is true.
fn holding(graph: &mut Graph, condition: SOpId, span: Span) -> SelectorId {
    if let SOp::Map { op, operands } = graph.get(condition)
        && let Op::Compare(comparison) = *op
        && let SOp::Constant(_) = graph.get(operands[1])
    {
        let (keys, queries) = (operands[0], operands[1]);
        return graph.select(keys, queries, comparison, span);
    }
    let condition = match TypeSet::BOOL.contains(graph.types(condition)) {
        true => condition,
        false => graph.map(Op::ToBool, vec![condition], span),
    };
    let truth = graph.constant(Value::Bool(true), span);
    graph.select(condition, truth, Comparison::Equal, span)
}

/// The branch that a constant condition takes; `1 if x else 0` as an indicator. What is not taken is
/// never computed, so that it cannot fail.
fn branches(graph: &Graph, condition: SOpId, (then, otherwise): (SOpId, SOpId)) -> Option<SOp> {
    if let SOp::Constant(known) = graph.get(condition) {
        let taken = if known.truthy() { then } else { otherwise };
        return Some(graph.get(taken).clone());
    }
    (is_constant(graph, then, 1) && is_constant(graph, otherwise, 0)).then(|| SOp::Map {
        op: Op::Indicator,
        operands: vec![condition],
    })
}

/// A conjunction with what is always true, or a disjunction with what never is, as the other operand.
/// The other way round the operand may still fail.
fn both(graph: &Graph, neutral: bool, (left, right): (SOpId, SOpId)) -> Option<SOp> {
    let is_neutral =
        |id| matches!(graph.get(id), SOp::Constant(known) if known.truthy() == neutral);
    let other = match (is_neutral(left), is_neutral(right)) {
        (true, _) => right,
        (false, true) => left,
        (false, false) => return None,
    };
    Some(match TypeSet::BOOL.contains(graph.types(other)) {
        true => graph.get(other).clone(),
        false => SOp::Map {
            op: Op::ToBool,
            operands: vec![other],
        },
    })
}

/// `indicator(indices == 0)`
fn is_first_indicator(graph: &Graph, id: SOpId) -> bool {
    let SOp::Map {
        op: Op::Indicator,
        operands,
    } = graph.get(id)
    else {
        return false;
    };
    is_first(graph, operands[0])
}

/// `indices == 0`
fn is_first(graph: &Graph, id: SOpId) -> bool {
    let Some((left, right)) = binary(graph, id, &Op::Compare(Comparison::Equal)) else {
        return false;
    };
    let is_indices = |id| matches!(graph.get(id), SOp::Indices);
    (is_indices(left) && is_constant(graph, right, 0))
        || (is_indices(right) && is_constant(graph, left, 0))
}

/// `select(indices, 0, ==)`, or a condition on keys that says the same.
fn selects_first(graph: &Graph, id: SelectorId) -> bool {
    let Selector::Compare {
        keys,
        queries,
        comparison: Comparison::Equal,
    } = *graph.get_selector(id)
    else {
        return false;
    };
    match (graph.get(keys), graph.get(queries)) {
        (SOp::Indices, SOp::Constant(Value::Int(0))) => true,
        (SOp::Map { .. }, SOp::Constant(Value::Bool(true))) => is_first(graph, keys),
        _ => false,
    }
}
