//! How large activations get: what a float must hold without losing the small differences that the
//! weights tell apart.

use super::activations::Activations;
use super::forward::{Half, Prepared};
use super::scalar::{Precision, Scalar};
use crate::base::Fallible;
use crate::model::Model;
use crate::value::Value;

/// The largest absolute value met while a model runs on some inputs: in the residual stream,
/// queries, keys, values, and hidden units before the ReLU, at BOS too. Infinite if anything is
/// not a number.
///
/// # Errors
/// As [`super::run`], for the first input that has one.
pub fn largest_activation(
    model: &Model,
    inputs: &[Vec<Value>],
    precision: Precision,
) -> Fallible<f64> {
    match precision {
        Precision::F32 => Prepared::<f32>::new(model)?.largest_activation(inputs),
        Precision::F64 => Prepared::<f64>::new(model)?.largest_activation(inputs),
    }
}

impl<T: Scalar> Prepared<T> {
    fn largest_activation(&self, inputs: &[Vec<Value>]) -> Fallible<f64> {
        let mut found = 0.0;
        for tokens in inputs {
            let batch = self.batch(tokens)?;
            let positions = batch.positions();
            let mut see = |x: &Activations<T>| found = largest(found, x, positions);
            let mut x = self.embed(&batch);
            see(&x);
            for (_, _, layer) in self.runs() {
                layer.within(&x, Half::Attention).iter().for_each(&mut see);
                self.attend(layer, &mut x, &batch, None);
                see(&x);
                layer
                    .within(&x, Half::FeedForward)
                    .iter()
                    .for_each(&mut see);
                layer.feed_forward(&mut x);
                see(&x);
            }
        }
        Ok(found)
    }
}

/// The larger of a number and the absolute values at some positions: columns beyond them only fill lanes.
fn largest<T: Scalar>(found: f64, x: &Activations<T>, positions: usize) -> f64 {
    let rows = x.chunks_exact(x.columns());
    let numbers = rows.flat_map(|row| &row[..positions]);
    let sizes = numbers.map(|number| number.widen().abs());
    sizes.fold(found, |found, size| match size.is_nan() {
        true => f64::INFINITY,
        false => found.max(size),
    })
}
