//! How large the model of a plan with layers is, before it is lowered.

use super::{Attend, Linear, Plan};
use crate::model::Shape;
use std::collections::BTreeSet;

impl Plan {
    /// The parameters of the model, each layer as wide as the widest; see
    /// [`Shape::padded_parameters`].
    pub fn padded_parameters(&self) -> usize {
        let heads = (1..=self.layers()).flat_map(|layer| self.patterns(layer));
        let d_head = heads.map(|head| self.d_head(head[0]).max(columns(&head).len()));
        Shape {
            tokens: self.vocabulary.len(),
            max_length: self.max_length,
            layers: self.layers(),
            heads: self.heads().into_iter().max().unwrap_or(0),
            d_head: d_head.max().unwrap_or(0),
            d_mlp: (1..=self.layers())
                .map(|layer| self.units(layer))
                .max()
                .unwrap_or(0),
            d_model: self.directions().1,
        }
        .padded_parameters()
    }

    /// The hidden units of a layer: those of one argument are one.
    fn units(&self, layer: usize) -> usize {
        let forwards = self.feed_forwards.iter().filter(|op| op.layer == layer);
        let units = forwards.flat_map(|op| {
            let units = op.units.iter();
            units.map(|unit| (op.bank, unit.key()))
        });
        units.collect::<BTreeSet<_>>().len()
    }
}

/// What the columns of W_V of a head read: equal values share one, and nothing needs none.
pub(crate) fn columns<'p>(head: &[&'p Attend]) -> Vec<&'p Linear> {
    let mut values: Vec<&Linear> = Vec::new();
    for attend in head {
        if !attend.value.is_zero() && !values.contains(&&attend.value) {
            values.push(&attend.value);
        }
    }
    values
}
