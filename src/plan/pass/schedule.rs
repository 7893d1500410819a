//! The layer of each operation: as early as it can be, or later where that makes the model smaller;
//! or, searched for, where the fewest heads and hidden units of a layer are proved to be. There are
//! never more layers than the longest chain of operations takes.

use super::bos::bos;
use super::guard::guard;
use super::overlay::overlay;
use crate::base::Control;
use crate::plan::Plan;
use crate::plan::layers::Layers;
use crate::schedule::exact::Options;
use crate::schedule::greedy;
use crate::schedule::problem::Slots;
use crate::schedule::report::Searched;

impl Plan {
    /// Lays out every operation. Gives what a search proved, if there was one.
    ///
    /// # Panics
    /// If operations need each other.
    pub(crate) fn schedule(&mut self, search: Option<(&Options, &Control)>) -> Option<Searched> {
        let layers = Layers::new(self);
        if let Some((options, control)) = search {
            let searched = Searched::new(layers.problem.clone(), *options, control);
            layers.lay_out(self, &searched.solution.slots);
            return Some(searched);
        }
        let early = greedy::as_soon_as_possible(&layers.problem);
        let narrow = greedy::schedule(&layers.problem, false);
        layers.lay_out(self, &early);
        let cost = |slots: &Slots| layers.problem.cost(slots);
        let (wide, cost) = (cost(&early), cost(&narrow));
        if cost.widest < wide.widest || cost.units < wide.units {
            let mut other = self.clone();
            layers.lay_out(&mut other, &narrow);
            if size(other.clone()) < size(self.clone()) {
                *self = other;
            }
        }
        None
    }
}

/// The parameters that the model of a plan with layers will have.
pub(super) fn size(mut plan: Plan) -> usize {
    guard(&mut plan);
    bos(&mut plan);
    overlay(&mut plan);
    plan.padded_parameters()
}
