//! The engine that evaluates only what can have changed, to the same bits as the forward pass, for any
//! model whose heads are softmax over all positions. In each layer it knows which keys each column sees: those whose weight
//! is not exactly 0. A column is evaluated again when its own stream has changed, when a key that it
//! sees has, and when a changed key scores so well that it may be seen now; that all others keep their
//! value is certified by bounds on scores (`index`). What can be active in a feed-forward block is
//! bounded, too (`hidden`). Depends on the forward pass and `engine`.

mod block;
mod exact;
mod head;
mod hidden;
mod index;
mod layer;
mod range;
mod rows;

use super::engine::{Dense, Engine};
use super::scalar::{Precision, Scalar};
use crate::base::{Code, Diagnostic, Fallible};
use crate::model::{Attention, Head, Layer, Mask, Model};
use crate::value::Value;
use layer::{LayerState, Scratch};
use rows::Changes;

/// An engine that evaluates what can have changed.
///
/// # Errors
/// As [`super::run`]; a model with a mask, hard attention or a layer norm.
pub fn delta(model: &Model, tokens: &[Value], precision: Precision) -> Fallible<Box<dyn Engine>> {
    let sees_all = |head: &Head| head.mask == Mask::All && head.attention == Attention::Soft;
    let is_plain = |layer: &Layer| layer.heads.iter().all(sees_all) && !layer.mlp.layer_norm;
    if model.causal || !model.layers.iter().all(is_plain) {
        let message = "the delta engine runs models without masks, hard attention and layer norm";
        let error = Diagnostic::error(Code::BadModel, message);
        return Err(Box::new(error.help("run this one with the dense engine")));
    }
    Ok(match precision {
        Precision::F32 => Box::new(Delta::<f32>::new(model, tokens)?),
        Precision::F64 => Box::new(Delta::<f64>::new(model, tokens)?),
    })
}

struct Delta<T> {
    d_model: usize,
    layers: Vec<LayerState<T>>,
    /// The stream that each layer has read last, `[columns, d_model]`.
    streams: Vec<Vec<T>>,
    /// What has changed since the first layer read its stream, and what the layer at work changes.
    changes: Changes,
    found: Changes,
    first: bool,
    /// What is used again and again.
    scratch: Scratch<T>,
    /// Where numbers that are not finite have come up, everything is evaluated.
    dense: Dense<T>,
    is_dense: bool,
}

/// Heads of a layer that are told apart.
const MOST_HEADS: usize = 64;

impl<T: Scalar> Delta<T> {
    fn new(model: &Model, tokens: &[Value]) -> Fallible<Delta<T>> {
        let dense = Dense::new(model, tokens)?;
        let (d_model, columns) = (model.d_model, dense.positions());
        let fixed = fixed(model);
        let at = |row: usize, column: usize| dense.x.at(row, column);
        let places = (0..columns).flat_map(|column| (0..d_model).map(move |row| (row, column)));
        let stream: Vec<T> = places.map(|(row, column)| at(row, column)).collect();
        let layer = |layer: &Layer| LayerState::new(layer, &fixed, columns, &at);
        let layers: Vec<LayerState<T>> = model.layers.iter().map(layer).collect();
        let too_many = |layer: &Layer| layer.heads.len() > MOST_HEADS;
        let mut changes = Changes::new(d_model);
        (0..columns as u32).for_each(|column| changes.push(column, 0..d_model));
        Ok(Delta {
            d_model,
            is_dense: layers.is_empty() || model.layers.iter().any(too_many),
            streams: vec![stream; layers.len().max(1)],
            layers,
            changes,
            found: Changes::new(d_model),
            first: true,
            scratch: Scratch::new(columns, d_model),
            dense,
        })
    }

    /// One layer, which finds how its output differs from before; `None` where numbers are not finite.
    fn layer(&mut self, number: usize) -> Option<()> {
        let d_model = self.d_model;
        let next = (number + 1) % self.layers.len();
        let (layer, scratch) = (&mut self.layers[number], &mut self.scratch);
        let x = &self.streams[number];
        if self.first {
            layer.index(x, scratch);
        } else {
            layer.find(&self.changes, x, scratch);
        }
        scratch.results.clear();
        scratch.ends.clear();
        let mut todo = std::mem::take(&mut scratch.todo);
        for (number, column) in todo.iter().enumerate() {
            let column = *column as usize;
            let place = column * d_model..(column + 1) * d_model;
            let streams = (&x[place.clone()], &self.streams[next][place]);
            layer.evaluate(column, self.changes.rows(number), streams, scratch)?;
        }
        let target = &mut self.streams[next];
        self.found.clear();
        let mut start = 0;
        for (column, end) in todo.iter().zip(&scratch.ends) {
            let results = &scratch.results[start..*end];
            let stream = &mut target[*column as usize * d_model..][..d_model];
            for (row, value) in results {
                stream[*row as usize] = *value;
            }
            let rows = results.iter().map(|(row, _)| *row as usize);
            self.found.push(*column, rows);
            start = *end;
        }
        todo.clear();
        scratch.todo = todo;
        Some(())
    }

    /// Goes on with the dense engine from the stream at the start of this round.
    fn give_up(&mut self) {
        self.is_dense = true;
        let stream = &self.streams[0];
        let (width, columns) = (self.dense.x.columns(), self.dense.positions());
        for (row, numbers) in self.dense.x.chunks_exact_mut(width).enumerate() {
            for (column, number) in numbers.iter_mut().enumerate() {
                // What comes after the last column is that again.
                *number = stream[column.min(columns - 1) * self.d_model + row];
            }
        }
        self.dense.round();
    }
}

impl<T: Scalar> Engine for Delta<T> {
    fn round(&mut self) {
        if self.is_dense {
            return self.dense.round();
        }
        for number in 0..self.layers.len() {
            if self.layer(number).is_none() {
                return self.give_up();
            }
            // At first each layer takes everything for new.
            if !self.first || number + 1 == self.layers.len() {
                std::mem::swap(&mut self.changes, &mut self.found);
            }
        }
        self.first = false;
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        match self.is_dense {
            true => self.dense.at(row, column),
            false => self.streams[0][column * self.d_model + row].widen(),
        }
    }
}

/// The rows that no head and no feed-forward block writes.
fn fixed(model: &Model) -> Vec<bool> {
    let mut fixed = vec![true; model.d_model];
    for layer in &model.layers {
        let heads = layer.heads.iter().map(|head| &head.output);
        for matrix in heads.chain([&layer.mlp.output]) {
            matrix.entries().for_each(|(_, row, _)| fixed[row] = false);
        }
        for (row, bias) in layer.mlp.output_bias.iter().enumerate() {
            fixed[row] &= *bias == 0.0;
        }
    }
    fixed
}
