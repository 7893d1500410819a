//! Which direction of the residual stream each variable has: one of its own, but for the BOS flag.
//! No head reads the flag after the last attention layer, and it is 0 at every token, so that what
//! that layer writes may stand there.

use super::{Plan, VariableId, Written};

impl Plan {
    /// Gives one variable of the last attention layer the direction of the BOS flag. Layers must be
    /// known.
    pub fn share_flag(&mut self) {
        let last = self.attends.iter().map(|attend| attend.layer).max();
        let flag = self
            .variables
            .iter()
            .position(|v| v.written == Written::Flag);
        let (Some(last), Some(flag)) = (last, flag) else {
            return;
        };
        let mut first = vec![usize::MAX; self.variables.len()];
        for attend in &self.attends {
            let slot = &mut first[attend.into.0 as usize];
            *slot = (*slot).min(attend.layer);
        }
        let late = (0..self.variables.len())
            .find(|at| first[*at] == last && self.variables[*at].rounding.is_none());
        if let Some(late) = late {
            self.shared = Some((VariableId(late as u32), VariableId(flag as u32)));
        }
    }

    /// The direction of each variable, and how many there are.
    pub fn directions(&self) -> (Vec<usize>, usize) {
        let mut next = 0;
        let mut directions: Vec<usize> = Vec::with_capacity(self.variables.len());
        for at in 0..self.variables.len() {
            match self.shared {
                Some((late, _)) if late.0 as usize == at => directions.push(usize::MAX),
                _ => {
                    directions.push(next);
                    next += 1;
                }
            }
        }
        if let Some((late, flag)) = self.shared
            && let Some(direction) = directions.get(flag.0 as usize).copied()
            && let Some(slot) = directions.get_mut(late.0 as usize)
        {
            *slot = direction;
        }
        (directions, next)
    }
}
