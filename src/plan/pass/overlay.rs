//! One direction for several variables: what is written once all heads have read what stands at BOS may
//! stand where something is that nobody reads any more.

use crate::model::is_float32;
use crate::plan::{
    FeedForward, Linear, Plan, Read, ReadOut, Unit, VariableId, Written, ascending, outputs,
};

/// Sums that a variable may be one of.
const MOST_VALUES: usize = 1 << 12;

pub(super) fn overlay(plan: &mut Plan) {
    let Some(last) = plan.attends.iter().map(|attend| attend.layer).max() else {
        return;
    };
    on_flag(plan, last);
    for late in plan.ids() {
        if is_written_last(plan, late, last) {
            on_embedding(plan, late);
        }
    }
    for at in 0..plan.feed_forwards.len() {
        if let Some(smaller) = on_argument(plan, at, last)
            && smaller.padded_parameters() < plan.padded_parameters()
        {
            *plan = smaller;
        }
    }
}

/// Whether the last attention layer, and nothing else, writes a variable, which has a direction of its
/// own so far.
fn is_written_last(plan: &Plan, id: VariableId, last: usize) -> bool {
    let variable = plan.variable(id);
    variable.written == Written::Attend
        && variable.rounding.is_none()
        && plan.below(id).is_none()
        && plan.attends_into(id).all(|op| op.layer == last)
}

/// Gives one variable of the last attention layer the direction of the BOS flag: no head reads that any
/// more, and it is 0 at every token.
fn on_flag(plan: &mut Plan, last: usize) {
    let flag = plan.holding(&Written::Flag, 1.0);
    let late = plan.ids().find(|id| is_written_last(plan, *id, last));
    if let (Some(late), Some(flag)) = (late, flag) {
        plan.shared.push((late, flag));
    }
}

/// What is read of a plan's numbers, but for what heads compare and move, and for what shows an s-op
/// that nothing else is added to.
fn sums(plan: &Plan, late: VariableId) -> impl Iterator<Item = &Linear> {
    let arguments = plan.feed_forwards.iter().map(|op| &op.argument);
    let scores = plan.outputs.iter().flat_map(|output| &output.scores);
    let shown = plan.views.iter().flat_map(|view| &view.scores);
    let shown = shown.filter(move |score| score.has(late));
    arguments.chain(scores).chain(shown)
}

fn is_of_ratio(plan: &Plan, id: VariableId) -> bool {
    let of_ratio = |read_out: &&ReadOut| matches!(read_out.read, Read::Ratio { .. });
    let mut reads = plan.read_outs().filter(of_ratio).flat_map(ReadOut::reads);
    reads.any(|read| read == id)
}

/// How many times as much everybody reads of one variable as of another.
fn ratio<'l>(
    mut linears: impl Iterator<Item = &'l Linear>,
    of: VariableId,
    to: VariableId,
) -> Option<f64> {
    let mut known = None;
    let fits = linears.all(|linear| match (linear.factor(of), linear.factor(to)) {
        (0.0, 0.0) => true,
        (_, 0.0) => false,
        (of, to) => *known.get_or_insert(of / to) == of / to,
    });
    known.filter(|_| fits)
}

/// Has heads add to a function of tokens or of indices that is only read in one proportion with what
/// they write.
fn on_embedding(plan: &mut Plan, late: VariableId) {
    if plan.is_attended(late) || is_of_ratio(plan, late) {
        return;
    }
    for early in plan.ids() {
        let Written::Embed { tokens, indices } = &plan.variable(early).written else {
            continue;
        };
        let is_taken = plan.shared.iter().any(|(_, known)| *known == early);
        let is_of_biases = plan.one_of_biases() == Some(early);
        if is_taken || is_of_biases || plan.is_attended(early) {
            continue;
        }
        let Some(ratio) = ratio(sums(plan, late), early, late).filter(|ratio| *ratio != 0.0) else {
            continue;
        };
        let scaled = |numbers: &[f64]| -> Vec<f64> { numbers.iter().map(|n| ratio * n).collect() };
        let (tokens, indices) = (scaled(tokens), scaled(indices));
        let own = &plan.variable(late).values;
        let values = ascending(tokens.iter().chain(&indices).copied().collect());
        if !values.iter().all(|value| is_float32(*value)) || values.len() * own.len() > MOST_VALUES
        {
            continue;
        }
        let sums = values.iter().flat_map(|a| own.iter().map(move |b| a + b));
        let sums = ascending(sums.collect());
        let variable = plan.variable_mut(early);
        variable.values = values;
        variable.written = Written::Embed { tokens, indices };
        plan.variable_mut(late).values = sums;
        // What only shows an s-op by its name does not keep it in the stream.
        let reads = |score: &Linear| score.has(early);
        let is_sum = |score: &Linear| !reads(score) || score.has(late);
        plan.views.retain(|view| view.scores.iter().all(is_sum));
        forget(plan, early);
        plan.shared.push((late, early));
        return;
    }
}

/// Nobody reads a variable any more.
fn forget(plan: &mut Plan, id: VariableId) {
    for op in &mut plan.feed_forwards {
        op.argument.terms.remove(&id);
    }
    forget_in_scores(plan, id);
}

fn forget_in_scores(plan: &mut Plan, id: VariableId) {
    for read_out in plan.outputs.iter_mut().chain(&mut plan.views) {
        for score in &mut read_out.scores {
            score.terms.remove(&id);
        }
        if let Read::Classes(number, _) = &mut read_out.read {
            number.terms.remove(&id);
        }
    }
    plan.score_again();
}

/// Whether hidden units write nothing below 0, and a real number adds that up: it is off by a share of itself as
/// long as nothing is taken away from what it adds up.
fn is_share_of_real(plan: &Plan, forward: &FeedForward) -> bool {
    let reads = |score: &Linear| score.has(forward.into) && plan.reads_real(score);
    let outputs = outputs(&forward.units, &forward.points);
    outputs.iter().all(|output| *output >= 0.0) && plan.scores().any(reads)
}

/// The plan in which hidden units add to what they are a function of, if only readouts read either
/// afterwards: one more of them takes away what there is too much of that.
fn on_argument(plan: &Plan, at: usize, last: usize) -> Option<Plan> {
    let forward = &plan.feed_forwards[at];
    let (id, slope) = match forward.argument.terms.iter().collect::<Vec<_>>()[..] {
        [(id, slope)] => (*id, *slope),
        _ => return None,
    };
    let (early, late) = (plan.variable(id), plan.variable(forward.into));
    let reads = |op: &FeedForward| op.argument.has(forward.into);
    let is_later = |op: &FeedForward| op.layer > forward.layer && op.argument.has(id);
    let mut forwards = plan.feed_forwards.iter();
    let fine = forward.layer >= last
        && early.written == Written::Attend
        && early.rounding.is_none()
        && late.rounding.is_none()
        && early.values.iter().all(|value| *value >= 0.0)
        && !early.values.is_empty()
        && plan.forwards_into(forward.into).count() == 1
        && !forwards.any(|op| reads(op) || is_later(op))
        && !plan.is_attended(forward.into)
        && !is_of_ratio(plan, id)
        && !plan
            .shared
            .iter()
            .any(|(l, e)| *l == forward.into || *e == id)
        && slope.abs().log2().fract() == 0.0
        && !is_share_of_real(plan, forward);
    if !fine {
        return None;
    }
    let reads_early = plan.scores().any(|score| score.has(id));
    let share = match reads_early {
        true => ratio(plan.scores(), id, forward.into)?,
        false => 0.0,
    };
    let constant = forward.argument.constant;
    let mut plan = plan.clone();
    let op = &mut plan.feed_forwards[at];
    if share != 1.0 {
        op.units.push(Unit {
            slope: 1.0 / slope,
            offset: 0.0 - constant / slope,
            weight: share - 1.0,
        });
    }
    let outputs = outputs(&op.units, &op.points);
    let points = op.points.iter().zip(outputs);
    let values = points.map(|(z, output)| (z - constant) / slope + output);
    let (into, values) = (op.into, ascending(values.collect()));
    plan.variable_mut(into).values = values;
    forget_in_scores(&mut plan, id);
    plan.shared.push((into, id));
    Some(plan)
}
