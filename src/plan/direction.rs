//! Which direction of the residual stream each variable has: one of its own, but for those that stand
//! in the direction of another.

use super::{Plan, VariableId};

impl Plan {
    /// The direction of each variable, and how many there are.
    pub fn directions(&self) -> (Vec<usize>, usize) {
        let mut next = 0;
        let mut directions: Vec<usize> = Vec::with_capacity(self.variables.len());
        for at in 0..self.variables.len() as u32 {
            match self.below(VariableId(at)) {
                Some(_) => directions.push(usize::MAX),
                None => {
                    directions.push(next);
                    next += 1;
                }
            }
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
