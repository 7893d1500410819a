//! Recognises, while a graph is built, the ways in which RASP programs count: `selector_width` and
//! `length` are written with two aggregates and a division (Weiss et al. 2021, section 3), `count`
//! as a share of a length, but all mean the number of some keys. Recognised by shape, so that a
//! program's own copy of a library definition is understood too; the value is the same by arithmetic.
//! So are conditions that are known, and means that are only compared.

use super::build::Graph;
use super::compared;
use super::node::{SOp, SOpId, Selector, SelectorId};
use crate::base::Span;
use crate::value::{Comparison, Op, TypeSet, Value};

/// A simpler node with the same values on every input, if the node completes a known idiom; `span`
/// is where that is written.
pub fn recognize(graph: &mut Graph, sop: &SOp, span: Span) -> Option<SOp> {
    let SOp::Map { op, operands } = sop else {
        return None;
    };
    let argument = match (op, operands.as_slice()) {
        (Op::Round, [argument]) => *argument,
        (Op::Compare(comparison), [left, right]) => {
            return compared::means(graph, *comparison, (*left, *right), span)
                .or_else(|| compared::share(graph, *comparison, (*left, *right), span));
        }
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
fn selector_width(graph: &Graph, argument: SOpId) -> Option<SelectorId> {
    let (others, at_first) = binary(graph, argument, &Op::Add)?;
    let (inverse, one) = binary(graph, others, &Op::Subtract)?;
    let (numerator, share) = binary(graph, inverse, &Op::Divide)?;
    if !is_constant(graph, one, 1) || !is_constant(graph, numerator, 1) {
        return None;
    }
    let (with_first, first, _) = aggregate(graph, share)?;
    let (and_first, value, default) = aggregate(graph, at_first)?;
    let (Selector::Or(a, b), Selector::And(c, d)) = (
        graph.get_selector(with_first),
        graph.get_selector(and_first),
    ) else {
        return None;
    };
    let same_selectors = (a, b) == (c, d) || (a, b) == (d, c);
    let counted = if selects_first(graph, *b) {
        *a
    } else if selects_first(graph, *a) {
        *b
    } else {
        return None;
    };
    let counts = is_first_indicator(graph, first)
        && is_constant(graph, value, 1)
        && *default == Value::Int(0)
        && same_selectors;
    counts.then_some(counted)
}

/// `round(w * aggregate(s, indicator(x)))` where `w` is the width of `s`: of how many of the selected
/// keys `x` is true. Rounding takes away what the quotient of the mean is off by.
fn count(graph: &mut Graph, argument: SOpId, span: Span) -> Option<SelectorId> {
    let (a, b) = binary(graph, argument, &Op::Multiply)?;
    let (selector, condition) = share(graph, a, b).or_else(|| share(graph, b, a))?;
    let holding = holding(graph, condition, span);
    Some(match selects_all(graph, selector) {
        true => holding,
        false => graph.selector(Selector::And(selector, holding), span),
    })
}

/// The `s` and `x` of `aggregate(s, indicator(x))`, if the other factor is the width of `s`.
fn share(graph: &Graph, width: SOpId, mean: SOpId) -> Option<(SelectorId, SOpId)> {
    let (selector, value, default) = aggregate(graph, mean)?;
    let SOp::Map { op, operands } = graph.get(value) else {
        return None;
    };
    let same = is_width(graph, width, selector);
    // Nothing selected is none, as 0 times a finite default.
    let is_none = default.as_float().is_some_and(f64::is_finite);
    // The best key is found by a head of its own.
    let is_best = matches!(graph.get_selector(selector), Selector::Best { .. });
    let counts = *op == Op::Indicator && same && is_none && !is_best;
    counts.then_some((selector, operands[0]))
}

/// Whether an s-op is the width of a selector by its shape: that of earlier positions is `indices`,
/// with the own one `indices + 1`.
fn is_width(graph: &Graph, width: SOpId, selector: SelectorId) -> bool {
    let all = |selector| selects_all(graph, selector);
    let is_indices = |id| matches!(graph.get(id), SOp::Indices);
    match graph.get(width) {
        SOp::Width { selector: counted } => {
            *counted == selector || (all(*counted) && all(selector))
        }
        SOp::Indices => selects_before(graph, selector) == Some(Comparison::Less),
        _ => binary(graph, width, &Op::Add).is_some_and(|(left, right)| {
            let is_next = is_indices(left) && is_constant(graph, right, 1)
                || is_indices(right) && is_constant(graph, left, 1);
            is_next && selects_before(graph, selector) == Some(Comparison::LessEqual)
        }),
    }
}

/// How the keys' indices compare with the query's, where a selector compares only these.
fn selects_before(graph: &Graph, selector: SelectorId) -> Option<Comparison> {
    match graph.get_selector(selector) {
        Selector::Compare {
            keys,
            queries,
            comparison,
        } if [keys, queries].map(|id| graph.get(*id)) == [&SOp::Indices; 2] => Some(*comparison),
        _ => None,
    }
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

pub(super) fn binary(graph: &Graph, id: SOpId, wanted: &Op) -> Option<(SOpId, SOpId)> {
    match graph.get(id) {
        SOp::Map { op, operands } if op == wanted => match operands.as_slice() {
            [left, right] => Some((*left, *right)),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn aggregate(graph: &Graph, id: SOpId) -> Option<(SelectorId, SOpId, &Value)> {
    match graph.get(id) {
        SOp::Aggregate {
            selector,
            value,
            default,
        } => Some((*selector, *value, default)),
        _ => None,
    }
}

pub(super) fn is_constant(graph: &Graph, id: SOpId, wanted: i64) -> bool {
    matches!(graph.get(id), SOp::Constant(value) if *value == Value::Int(wanted))
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
    let Some((left, right)) = binary(graph, operands[0], &Op::Compare(Comparison::Equal)) else {
        return false;
    };
    let is_indices = |id| matches!(graph.get(id), SOp::Indices);
    (is_indices(left) && is_constant(graph, right, 0))
        || (is_indices(right) && is_constant(graph, left, 0))
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

/// `select(indices, 0, ==)`
fn selects_first(graph: &Graph, id: SelectorId) -> bool {
    matches!(graph.get_selector(id), Selector::Compare { keys, queries, comparison: Comparison::Equal }
        if matches!(graph.get(*keys), SOp::Indices) && is_constant(graph, *queries, 0))
}
