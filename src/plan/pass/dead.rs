//! What nobody reads goes: variables that no output needs, with the operations that write them, and
//! hidden units that no token makes active.

use crate::plan::{FeedForward, Plan, ReadOut, VariableId, Written};

pub(super) fn dead(plan: &mut Plan) {
    for forward in &mut plan.feed_forwards {
        let ends = [
            forward.points.first().copied(),
            forward.points.last().copied(),
        ];
        forward.units.retain(|unit| {
            let mut values = ends.iter().flatten().map(|z| unit.slope * z + unit.offset);
            unit.weight != 0.0 && values.any(|value| value > 0.0)
        });
    }
    let live = live(plan);
    plan.keep(|id| live[id.0 as usize]);
}

/// Which variables an output needs.
fn live(plan: &Plan) -> Vec<bool> {
    let mut live: Vec<bool> = plan
        .variables
        .iter()
        // Hidden units of models whose BOS is 0 have their biases there.
        .map(|variable| variable.written == Written::One)
        .collect();
    let mut pending: Vec<VariableId> = Vec::new();
    pending.extend(plan.outputs.iter().flat_map(ReadOut::reads));
    pending.extend(plan.one_of_units().filter(|one| is_of_units(plan, *one)));
    while let Some(id) = pending.pop() {
        if std::mem::replace(&mut live[id.0 as usize], true) {
            continue;
        }
        for attend in plan.attends_into(id) {
            pending.extend(attend.reads());
        }
        for forward in plan.forwards_into(id) {
            pending.extend(forward.argument.reads());
        }
    }
    live
}

/// Whether the bias of a hidden unit is in two.
fn is_of_units(plan: &Plan, one: VariableId) -> bool {
    let is_read = |forward: &FeedForward| {
        let mut units = forward.units.iter();
        units.any(|unit| plan.unit(forward, unit).has(one))
    };
    plan.feed_forwards.iter().any(is_read)
}
