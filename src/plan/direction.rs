//! Which direction of the residual stream each variable has: one of its own, but for those that stand
//! in the direction of another.

use super::{Linear, Plan, Variable, VariableId, Written};
use rustc_hash::FxHashSet;

impl Plan {
    /// The direction of each variable, and how many there are. Hosts add what they read in the order of
    /// directions: what is exact comes first, so that nothing is rounded before what is not, and what is left of
    /// a bias before all, so that sums begin with the bias as it was.
    pub fn directions(&self) -> (Vec<usize>, usize) {
        let mut own: Vec<VariableId> = self.ids().collect();
        own.retain(|id| self.below(*id).is_none());
        let one = self.one_of_biases();
        own.sort_by_key(|id| match self.variable(*id) {
            _ if one == Some(*id) => 0,
            Variable {
                written: Written::Embed { .. },
                ..
            } => 1,
            variable if variable.written == Written::One || variable.rounding.is_some() => 2,
            _ => 3,
        });
        let next = own.len();
        let mut directions = vec![usize::MAX; self.variables.len()];
        for (direction, id) in own.into_iter().enumerate() {
            directions[id.0 as usize] = direction;
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
        let names: FxHashSet<&str> = self.read_outs().map(|readout| &*readout.name).collect();
        let made = self
            .read_outs()
            .filter(|readout| readout.ready(&readiness) == half);
        let scores = made.flat_map(|readout| &readout.scores);
        let read: FxHashSet<VariableId> = scores.flat_map(Linear::reads).collect();
        let directions = self.directions().0;
        let is_written = |id: &VariableId| half > 0 && readiness[id.0 as usize] == half;
        let written = self.ids().filter(is_written);
        let unread = written.filter(|id| !read.contains(id));
        let unread = unread.map(|id| (self.variable(id), directions[id.0 as usize]));
        let is_unnamed =
            |(variable, _): &(&Variable, usize)| !names.contains(&*variable.source.name);
        unread.filter(is_unnamed).collect()
    }
}
