//! A model that is run round by round: each of its layers once, on the stream that the round before has
//! left, for as long as somebody wants. Two engines do so, to the same bits: the dense one evaluates
//! every column, the delta one (`delta`) only what can have changed. Depends on the forward pass.

use super::activations::Activations;
use super::forward::{Batch, Prepared};
use super::scalar::{Precision, Scalar};
use crate::base::Fallible;
use crate::model::Model;
use crate::value::Value;

/// A looped model between two rounds.
pub trait Engine {
    /// Runs each layer once.
    fn round(&mut self);

    /// What stands in a row of a column (a position, that of BOS included) of the residual stream.
    fn at(&self, row: usize, column: usize) -> f64;
}

/// An engine that evaluates everything, by the forward pass.
///
/// # Errors
/// As [`super::run`].
pub fn dense(model: &Model, tokens: &[Value], precision: Precision) -> Fallible<Box<dyn Engine>> {
    Ok(match precision {
        Precision::F32 => Box::new(Dense::<f32>::new(model, tokens)?),
        Precision::F64 => Box::new(Dense::<f64>::new(model, tokens)?),
    })
}

pub(super) struct Dense<T> {
    prepared: Prepared<T>,
    batch: Batch,
    /// `[d_model, columns]`, as the batch has them.
    pub x: Activations<T>,
}

impl<T: Scalar> Dense<T> {
    pub fn new(model: &Model, tokens: &[Value]) -> Fallible<Dense<T>> {
        let prepared = Prepared::new(model)?;
        let batch = prepared.batch(tokens)?;
        let x = prepared.embed(&batch);
        Ok(Dense { prepared, batch, x })
    }

    /// The columns of the stream that are positions of the input.
    pub fn positions(&self) -> usize {
        self.batch.columns()
    }
}

impl<T: Scalar> Engine for Dense<T> {
    fn round(&mut self) {
        for layer in &self.prepared.layers {
            self.prepared.attend(layer, &mut self.x, &self.batch, None);
            layer.feed_forward(&mut self.x);
        }
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.x.at(row, column).widen()
    }
}
