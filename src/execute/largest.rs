//! How large activations get: what a float must hold without losing the small differences that the
//! weights tell apart.

use super::forward::{Half, Precision, Prepared};
use super::scalar::Scalar;
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
            let mut x = self.embed(&batch);
            found = largest(found, &x);
            for (_, _, layer) in self.runs() {
                for projected in layer.within(&x, Half::Attention) {
                    found = largest(found, &projected);
                }
                self.attend(layer, &mut x, &batch, None);
                found = largest(found, &x);
                for hidden in layer.within(&x, Half::FeedForward) {
                    found = largest(found, &hidden);
                }
                layer.feed_forward(&mut x);
                found = largest(found, &x);
            }
        }
        Ok(found)
    }
}

/// The larger of a number and the absolute values of some.
fn largest<T: Scalar>(found: f64, numbers: &[T]) -> f64 {
    let sizes = numbers.iter().map(|number| number.widen().abs());
    sizes.fold(found, |found, size| match size.is_nan() {
        true => f64::INFINITY,
        false => found.max(size),
    })
}
