//! One direction for two variables. No head reads the BOS flag after the last attention layer, and it
//! is 0 at every token, so that what that layer writes may stand there.

use crate::plan::{Plan, VariableId, Written};

/// Gives one variable of the last attention layer the direction of the BOS flag.
pub(super) fn overlay(plan: &mut Plan) {
    let last = plan.attends.iter().map(|attend| attend.layer).max();
    let flag = plan
        .variables
        .iter()
        .position(|v| v.written == Written::Flag);
    let (Some(last), Some(flag)) = (last, flag) else {
        return;
    };
    let mut first = vec![usize::MAX; plan.variables.len()];
    for attend in &plan.attends {
        let slot = &mut first[attend.into.0 as usize];
        *slot = (*slot).min(attend.layer);
    }
    let late = (0..plan.variables.len())
        .find(|at| first[*at] == last && plan.variables[*at].rounding.is_none());
    if let Some(late) = late {
        plan.shared = Some((VariableId(late as u32), VariableId(flag as u32)));
    }
}
