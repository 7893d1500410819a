//! The feed-forward block of a layer, made ready for many inputs. Activations are feature-major,
//! `[features, columns]`; hidden units are summed into the residual stream in their order. Depends on
//! the lanes and the sparse matrices beside it, and on nothing of attention.

use super::lanes::{self, Work};
use super::scalar::{Scalar, narrowed};
use super::sparse::{Sparse, row};
use crate::model::FeedForward;
use ndarray::Array2;

pub(super) struct PreparedFeedForward<T> {
    layer_norm: bool,
    input: Sparse<T>,
    input_bias: Vec<T>,
    output: Sparse<T>,
    /// The entries of b_out that are not zero.
    output_bias: Vec<(usize, T)>,
}

struct FeedForwardOutput<'a, T> {
    mlp: &'a PreparedFeedForward<T>,
    x: &'a mut Array2<T>,
}

impl<T: Scalar> Work for FeedForwardOutput<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        if self.mlp.input.len() > 0 || !self.mlp.output_bias.is_empty() {
            self.mlp.add_output(self.x);
        }
    }
}

impl<T: Scalar> PreparedFeedForward<T> {
    pub fn new(mlp: &FeedForward) -> PreparedFeedForward<T> {
        let output_bias = mlp.output_bias.iter().enumerate();
        PreparedFeedForward {
            layer_norm: mlp.layer_norm,
            input: Sparse::by_column(&mlp.input),
            input_bias: narrowed(&mlp.input_bias),
            output: Sparse::by_row(&mlp.output),
            output_bias: output_bias
                .filter(|(_, bias)| **bias != 0.0)
                .map(|(feature, bias)| (feature, T::narrow(*bias)))
                .collect(),
        }
    }

    /// Adds the output of the block to the residual stream `[d_model, width]`.
    pub fn add(&self, x: &mut Array2<T>) {
        lanes::widest(FeedForwardOutput { mlp: self, x });
    }

    /// The hidden units `[d_mlp, width]` for a residual stream `[d_model, width]`, before the ReLU.
    #[inline(always)]
    pub fn hidden(&self, stream: &[T], width: usize) -> Vec<T> {
        let mut hidden = self.input.apply(&self.input_bias, stream, width);
        if self.layer_norm {
            layer_norm(&mut hidden, width);
        }
        hidden
    }

    /// One hidden unit at a time, so that the hidden layer, often much wider than the stream,
    /// never leaves the cache; unless they are normalised together.
    #[inline(always)]
    fn add_output(&self, x: &mut Array2<T>) {
        let before = if self.input.len() > 0 {
            x.clone()
        } else {
            Array2::zeros((0, 0))
        };
        for (feature, bias) in &self.output_bias {
            x.row_mut(*feature).iter_mut().for_each(|x| *x += *bias);
        }
        let before = before
            .as_slice()
            .expect("activations are in standard layout");
        let width = x.ncols();
        let normalised = self.layer_norm.then(|| self.hidden(before, width));
        let mut hidden = vec![T::zero(); width];
        let stream = x
            .as_slice_mut()
            .expect("activations are in standard layout");
        for (unit, bias) in self.input_bias.iter().enumerate() {
            match &normalised {
                Some(units) => hidden.copy_from_slice(row(units, unit, width)),
                None => {
                    hidden.fill(*bias);
                    self.input.gather(unit, before, &mut hidden);
                }
            }
            if lanes::rectify(&mut hidden) {
                self.output.scatter(unit, &hidden, stream);
            }
        }
    }
}

/// Normalises the hidden units `[d_mlp, width]` of each column: see [`FeedForward::layer_norm`].
fn layer_norm<T: Scalar>(hidden: &mut [T], width: usize) {
    let units = T::narrow((hidden.len() / width) as f64);
    let mut mean = vec![T::zero(); width];
    for unit in hidden.chunks_exact(width) {
        mean.iter_mut().zip(unit).for_each(|(mean, z)| *mean += *z);
    }
    mean.iter_mut().for_each(|mean| *mean /= units);
    let mut deviation = vec![T::zero(); width];
    for unit in hidden.chunks_exact_mut(width) {
        for ((z, mean), deviation) in unit.iter_mut().zip(&mean).zip(&mut deviation) {
            *z -= *mean;
            *deviation += *z * *z;
        }
    }
    for deviation in &mut deviation {
        *deviation = (*deviation / units).sqrt();
    }
    for unit in hidden.chunks_exact_mut(width) {
        for (z, deviation) in unit.iter_mut().zip(&deviation) {
            *z = match *deviation > T::zero() {
                true => *z / *deviation,
                false => T::zero(),
            };
        }
    }
}
