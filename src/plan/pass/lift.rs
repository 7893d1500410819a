//! Means that are held with another constant, which their head moves, too, from a direction that is 1 at
//! every token. A head drops the constant of what it moves, so that the share of what is no `"("` may be
//! held as a number from -1 to 0. A step adds that to a positive number, which rounds it; a share from 0
//! to 1 is added to a negative one, and what is left of it above the threshold is exact. And a mean that
//! is a result is held around the middle of its values, and so is a real number that hidden units read:
//! half as large, it is rounded half as much.

use super::combine::is_step;
use crate::plan::{FeedForward, Kind, Linear, Plan, Style, VariableId, Written};

pub(super) fn lift(plan: &mut Plan) {
    // Sums through a sink hold no constants.
    if plan.style == Style::Compact {
        return;
    }
    for at in 0..plan.attends.len() {
        let into = plan.attends[at].into;
        let least = least(plan, into).filter(|_| is_mean(plan, at) && is_before_step(plan, into));
        let middle = || middle(plan, at).filter(|_| is_mean(plan, at) && is_result(plan, into));
        let Some(constant) = least.or_else(middle) else {
            continue;
        };
        let one = plan.one();
        let value = std::mem::take(&mut plan.attends[at].value);
        plan.attends[at].value = value.plus(one, constant);
        let at_bos = if plan.bos { constant } else { 0.0 };
        let variable = plan.variable_mut(into);
        variable.values = variable.values.iter().map(|v| v + constant).collect();
        variable.bos += at_bos;
        plan.change_reads(|linear| {
            linear.constant -= linear.factor(into) * constant;
        });
    }
}

/// How far below 0 a variable is at most, if it is never above.
fn least(plan: &Plan, id: VariableId) -> Option<f64> {
    let values = &plan.variable(id).values;
    match (values.first(), values.last()) {
        (Some(first), Some(last)) if *first < 0.0 && *last <= 0.0 => Some(-first),
        _ => None,
    }
}

/// How far the middle of the values that an operation writes is below 0, in whole numbers, if it is far
/// from it.
fn middle(plan: &Plan, at: usize) -> Option<f64> {
    let op = &plan.attends[at];
    let listed = &plan.variable(op.into).values;
    let (first, last) = match (listed.first(), listed.last()) {
        (Some(first), Some(last)) => (*first, *last),
        _ => moved(plan, &op.value)?,
    };
    let middle = f64::midpoint(first, last).round();
    (middle.abs() >= (last - first) / 4.0 && middle != 0.0).then_some(-middle)
}

/// The ends of what a head moves, if that is a multiple of one variable with a list of values.
fn moved(plan: &Plan, value: &Linear) -> Option<(f64, f64)> {
    let mut terms = value.terms.iter();
    let (Some((id, factor)), None) = (terms.next(), terms.next()) else {
        return None;
    };
    let values = &plan.variable(*id).values;
    let (one, other) = (factor * values.first()?, factor * values.last()?);
    Some((one.min(other), one.max(other)))
}

/// Whether a head of tokens alone writes the variable of an operation, and nothing else does.
fn is_mean(plan: &Plan, at: usize) -> bool {
    let op = &plan.attends[at];
    op.kind == Kind::MeanOfSome
        && plan.attends_into(op.into).count() == 1
        && plan.variable(op.into).rounding.is_none()
        && plan.below(op.into).is_none()
}

/// Whether a step reads a variable after all else that it reads, and no head moves it.
fn is_before_step(plan: &Plan, id: VariableId) -> bool {
    let mut moved = plan.attends.iter().flat_map(|op| op.value.reads());
    !moved.any(|moved| moved == id)
        && plan
            .feed_forwards
            .iter()
            .any(|step| is_last(plan, step, id))
}

/// Whether nothing but readouts reads a variable, which is a mean of more than one key, or hidden units if
/// it is a real number.
fn is_result(plan: &Plan, id: VariableId) -> bool {
    let mut forwards = plan.feed_forwards.iter();
    plan.attends_into(id).all(|op| op.most > 1)
        && !plan.is_attended(id)
        && (plan.is_real(id) || !forwards.any(|op| op.argument.has(id)))
}

/// Whether a step reads a variable, and besides it only what stands in the embedding.
fn is_last(plan: &Plan, step: &FeedForward, id: VariableId) -> bool {
    let is_embedded = |other: VariableId| {
        let written = &plan.variable(other).written;
        matches!(
            written,
            Written::Embed { .. } | Written::Flag | Written::One
        )
    };
    let mut reads = step.argument.reads();
    is_step(&step.units)
        && step.argument.has(id)
        && reads.all(|other| other == id || is_embedded(other))
}
