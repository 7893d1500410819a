//! Which direction of the residual stream each variable has: one of its own, but for one that stands
//! in the direction of another.

use super::Plan;

impl Plan {
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
