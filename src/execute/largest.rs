//! How large activations get: what a float must hold without losing the small differences that the
//! weights tell apart.

use super::activations::Activations;
use super::attention::{PreparedHead, empty};
use super::feed_forward::PreparedFeedForward;
use super::forward::Prepared;
use super::lanes::{self, Work};
use super::scalar::{Precision, Scalar};
use crate::base::Fallible;
use crate::model::Model;
use crate::value::Value;
use pulp::Simd;

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
            let positions = batch.columns();
            let mut see = |x: &Activations<T>| found = largest(found, x, positions);
            let mut x = self.embed(&batch);
            see(&x);
            for (_, _, layer) in self.runs() {
                let projected = Projected {
                    heads: &layer.heads,
                    x: &x,
                };
                lanes::widest(projected).iter().for_each(&mut see);
                self.attend(layer, &mut x, &batch, None);
                see(&x);
                let hidden = Hidden {
                    mlp: &layer.mlp,
                    x: &x,
                };
                see(&lanes::widest(hidden));
                layer.feed_forward(&mut x);
                see(&x);
            }
        }
        Ok(found)
    }
}

/// The queries, keys and values of some heads.
struct Projected<'a, T> {
    heads: &'a [PreparedHead<T>],
    x: &'a Activations<T>,
}

impl<T: Scalar> Work for Projected<'_, T> {
    type Output = Vec<Activations<T>>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Vec<Activations<T>> {
        let mut all = Vec::new();
        for head in self.heads {
            let mut projected = empty();
            head.project(simd, self.x, &mut projected);
            all.extend(projected);
        }
        all
    }
}

/// The hidden units `[d_mlp, columns]` before the ReLU.
struct Hidden<'a, T> {
    mlp: &'a PreparedFeedForward<T>,
    x: &'a Activations<T>,
}

impl<T: Scalar> Work for Hidden<'_, T> {
    type Output = Activations<T>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Activations<T> {
        self.mlp.hidden(simd, self.x)
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
