//! Where a result only asks whether any of some bits is set anywhere, a bit may as well be any number
//! from 1 on: one hidden unit gives such a number where two give 1.

use crate::plan::{Attend, Kind, Linear, Plan, Read, ReadOut, Unit, VariableId, Written, outputs};

/// How far a number may be from what it stands for here.
const NEAR: f64 = 1e-9;

pub(super) fn sign(plan: &mut Plan) {
    let Some(asked) = asked(plan) else {
        return;
    };
    for op in &mut plan.feed_forwards {
        if asked.bits.contains(&op.into) {
            op.units = op.units.iter().step_by(2).copied().collect();
        }
    }
    // Nobody can list what they are now.
    for id in asked.bits.iter().chain(&asked.means) {
        plan.variable_mut(*id).values = [].into();
    }
    let Some(result) = plan.outputs.first().map(|output| output.scores.clone()) else {
        return;
    };
    plan.views
        .retain(|view| view.scores == result || !asked.is_read_by(view));
}

/// Bits, and the means of them that a result is a sum of.
struct Asked {
    bits: Vec<VariableId>,
    means: Vec<VariableId>,
}

impl Asked {
    fn has(&self, id: VariableId) -> bool {
        self.bits.contains(&id) || self.means.contains(&id)
    }

    fn reads(&self, linear: &Linear) -> bool {
        linear.reads().any(|id| self.has(id))
    }

    fn is_read_by(&self, read_out: &ReadOut) -> bool {
        read_out.scores.iter().any(|score| self.reads(score))
    }
}

/// What the only result asks for: it is one of two values where no bit is set, and each bit leads
/// from there to the other, however large it is.
fn asked(plan: &Plan) -> Option<Asked> {
    let [result] = &*plan.outputs else {
        return None;
    };
    let Read::Classes(number, 2) = &result.read else {
        return None;
    };
    let away = match without_bits(plan, number) {
        none if none.abs() < NEAR => 1.0,
        none if (none - 1.0).abs() < NEAR => -1.0,
        _ => return None,
    };
    let mut asked = Asked {
        bits: Vec::new(),
        means: number.reads().collect(),
    };
    let mut kept = Vec::new();
    for (mean, factor) in &number.terms {
        let variable = plan.variable(*mean);
        if variable.written != Written::Attend || variable.rounding.is_some() {
            return None;
        }
        for op in plan.attends_into(*mean) {
            for (id, of_value) in &op.value.terms {
                let led = away * factor * of_value;
                match plan.variable(*id).written {
                    _ if matches!(op.kind, Kind::Width | Kind::Length) => return None,
                    // What stands for a selection of nothing leads there, too: away from it, a bit that grows
                    // would be more than it.
                    Written::Flag if led >= 0.0 => {}
                    Written::One if op.kind == Kind::MeanOfSome => {}
                    Written::FeedForward if are_bits(plan, *id, led) => asked.bits.push(*id),
                    Written::FeedForward if is_led(plan, *id, led) => kept.push(*id),
                    Written::Embed { .. }
                    | Written::One
                    | Written::Flag
                    | Written::Given(..)
                    | Written::Attend
                    | Written::FeedForward => return None,
                }
            }
        }
    }
    let is_alone = plan.attends.iter().all(|op| is_asked_of(op, &asked))
        && !plan
            .feed_forwards
            .iter()
            .any(|op| asked.reads(&op.argument))
        && !asked.bits.iter().any(|id| kept.contains(id));
    (!asked.bits.is_empty() && is_alone).then_some(asked)
}

/// What the result's number is where no bit is set.
fn without_bits(plan: &Plan, number: &Linear) -> f64 {
    let is_one = |id: &&VariableId| plan.variable(**id).written == Written::One;
    let of_one = plan.attends.iter().map(|op| {
        let one = op.value.terms.keys().find(is_one);
        number.factor(op.into) * one.map_or(0.0, |one| op.value.terms[one])
    });
    number.constant + of_one.sum::<f64>()
}

/// Whether a variable leads one way or nowhere, as it is.
fn is_led(plan: &Plan, id: VariableId, led: f64) -> bool {
    plan.forwards_into(id).all(|op| {
        let mut outputs = outputs(&op.units, &op.points).into_iter();
        outputs.all(|value| led * value >= -NEAR)
    })
}

/// Whether hidden units are bits that lead one way, two for each: the second keeps the first at 1.
fn are_bits(plan: &Plan, id: VariableId, led: f64) -> bool {
    plan.forwards_into(id).all(|op| {
        let (pairs, rest) = op.units.as_chunks::<2>();
        let is_bit = |[first, second]: &[Unit; 2]| {
            first.is_step_with(second)
                && first.offset - second.offset == 1.0
                && first.weight * led > 0.0
        };
        rest.is_empty() && pairs.iter().all(is_bit)
    })
}

/// Whether a head reads none of what is asked for, but for the bits that it takes the mean of.
fn is_asked_of(op: &Attend, asked: &Asked) -> bool {
    let is_compared = op
        .products()
        .any(|p| asked.reads(&p.query) || asked.reads(&p.key));
    !is_compared && (asked.means.contains(&op.into) || !asked.reads(&op.value))
}
