//! Which direction of the residual stream each variable has: one of its own, but for those that stand
//! in the direction of another.

use super::{Linear, Plan, Variable, VariableId, Written};
use rustc_hash::FxHashSet;

impl Plan {
    /// The direction of each variable, and how many there are. Hosts add what they read in the order of
    /// directions: what is exact comes first, so that nothing is rounded before what is not, and what is left of
    /// a bias before all, so that sums begin with the bias as it was.
    pub fn directions(&self) -> (Vec<usize>, usize) {
        let mut own: Vec<usize> = (0..self.variables.len()).collect();
        own.retain(|at| self.below(VariableId(*at as u32)).is_none());
        let one = self.one_of_biases();
        own.sort_by_key(|at| match &self.variables[*at] {
            _ if one == Some(VariableId(*at as u32)) => 0,
            Variable {
                written: Written::Embed { .. },
                ..
            } => 1,
            variable if variable.written == Written::One || variable.rounding.is_some() => 2,
            _ => 3,
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

    /// The variables that a half layer writes, as [`Plan::readiness`] counts, each with its direction, that
    /// are of no view and no output, and that none reads by then: what the program gives no name to.
    pub fn unnamed(&self, half: usize) -> Vec<(&Variable, usize)> {
        let readiness = self.readiness();
        let readouts = || self.views.iter().chain(&self.outputs);
        let names: FxHashSet<&str> = readouts().map(|readout| &*readout.name).collect();
        let made = readouts().filter(|readout| readout.ready(&readiness) == half);
        let scores = made.flat_map(|readout| &readout.scores);
        let read: FxHashSet<VariableId> = scores.flat_map(Linear::reads).collect();
        let directions = self.directions().0;
        let written = (0..self.variables.len()).filter(|at| half > 0 && readiness[*at] == half);
        let written =
            written.map(|at| (VariableId(at as u32), &self.variables[at], directions[at]));
        let unnamed = written.filter(|(id, variable, _)| {
            !read.contains(id) && !names.contains(&*variable.source.name)
        });
        unnamed
            .map(|(_, variable, direction)| (variable, direction))
            .collect()
    }
}
