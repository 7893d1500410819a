//! The layer of each operation: as early as it can be, or later where that makes the model smaller;
//! or, searched for, where the fewest heads and hidden units of a layer are proved to be. There are
//! never more layers than the longest chain of operations takes.

use super::guard::guard;
use super::overlay::overlay;
use crate::model::Shape;
use crate::plan::layers::Layers;
use crate::plan::{Attend, Linear, Plan};
use crate::schedule::exact::Options;
use crate::schedule::greedy;
use crate::schedule::problem::{Cost, Slots};
use crate::schedule::report::Searched;

impl Plan {
    /// Lays out every operation. Gives what a search proved, if there was one.
    ///
    /// # Panics
    /// If operations need each other.
    pub fn schedule(&mut self, search: Option<&Options>) -> Option<Searched> {
        let layers = Layers::new(self);
        if let Some(options) = search {
            let searched = Searched::new(layers.problem.clone(), *options);
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
            if size(other.clone(), &cost) < size(self.clone(), &wide) {
                *self = other;
            }
        }
        None
    }
}

/// The parameters that the model of a plan with layers will have, each layer as wide as the widest.
fn size(mut plan: Plan, cost: &Cost) -> usize {
    guard(&mut plan);
    overlay(&mut plan);
    let heads = (1..=cost.layers).flat_map(|layer| plan.patterns(layer));
    let d_head = heads.map(|head| plan.dimensions(head[0]).len().max(columns(&head)));
    Shape {
        tokens: plan.vocabulary.len(),
        max_length: plan.max_length,
        layers: cost.layers,
        heads: cost.widest,
        d_head: d_head.max().unwrap_or(0),
        d_mlp: cost.units,
        d_model: plan.directions().1,
    }
    .padded_parameters()
}

/// The columns of W_V: equal values share one.
fn columns(head: &[&Attend]) -> usize {
    let mut values: Vec<&Linear> = Vec::new();
    for attend in head {
        if !attend.value.is_zero() && !values.contains(&&attend.value) {
            values.push(&attend.value);
        }
    }
    values.len()
}
