//! Which direction of the residual stream each variable has: one of its own, but for those that stand
//! in the direction of another.

use super::{Plan, Variable, VariableId, Written};

impl Plan {
    /// The direction of each variable, and how many there are. Hosts add what they read in the order of
    /// directions: what is exact comes first, so that nothing is rounded before what is not.
    pub fn directions(&self) -> (Vec<usize>, usize) {
        let mut own: Vec<usize> = (0..self.variables.len()).collect();
        own.retain(|at| self.below(VariableId(*at as u32)).is_none());
        own.sort_by_key(|at| match &self.variables[*at] {
            Variable {
                written: Written::Embed { .. },
                ..
            } => 0,
            variable if variable.written == Written::One || variable.rounding.is_some() => 1,
            _ => 2,
        });
        let next = own.len();
        let mut directions = vec![usize::MAX; self.variables.len()];
        for (direction, at) in own.into_iter().enumerate() {
            directions[at] = direction;
        }
        // One that another stands on may itself stand on a third.
        for _ in &self.shared {
            for (late, early) in &self.shared {
                if let Some(direction) = directions.get(early.0 as usize).copied()
                    && let Some(slot) = directions.get_mut(late.0 as usize)
                {
                    *slot = direction;
                }
            }
        }
        (directions, next)
    }
}
