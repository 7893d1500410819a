//! The feed-forward block of a layer, made ready for many inputs. Activations are feature-major,
//! `[features, columns]`; hidden units are summed into the residual stream in their order. Depends on
//! the lanes and the sparse matrices beside it, and on nothing of attention.

use super::activations::Activations;
use super::lanes::{self, Work};
use super::scalar::{Scalar, narrowed};
use super::sparse::Sparse;
use crate::model::FeedForward;
use pulp::Simd;

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
    x: &'a mut Activations<T>,
}

impl<T: Scalar> Work for FeedForwardOutput<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        if self.mlp.input.len() > 0 || !self.mlp.output_bias.is_empty() {
            self.mlp.add_output(simd, self.x);
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
    pub fn add(&self, x: &mut Activations<T>) {
        lanes::widest(FeedForwardOutput { mlp: self, x });
    }

    /// The hidden units `[d_mlp, columns]` for a residual stream `[d_model, columns]`, before the ReLU.
    #[inline(always)]
    pub fn hidden<S: Simd>(&self, simd: S, x: &Activations<T>) -> Activations<T> {
        let mut hidden = Activations::none();
        self.input.apply(simd, &self.input_bias, x, &mut hidden);
        if self.layer_norm {
            layer_norm(&mut hidden, x.columns());
        }
        hidden
    }

    /// One hidden unit at a time, in registers, so that the hidden layer, often much wider than the
    /// stream, never is in memory; unless its units are normalised together.
    #[inline(always)]
    fn add_output<S: Simd>(&self, simd: S, x: &mut Activations<T>) {
        let before = match self.input.len() {
            0 => Activations::none(),
            _ => x.clone(),
        };
        let width = x.columns();
        for (feature, bias) in &self.output_bias {
            let row = &mut x[feature * width..][..width];
            row.iter_mut().for_each(|x| *x += *bias);
        }
        if self.layer_norm {
            let mut hidden = self.hidden(simd, &before);
            for (unit, hidden) in hidden.chunks_exact_mut(width).enumerate() {
                if lanes::rectify(simd, hidden) {
                    self.output.scatter(simd, unit, hidden, x);
                }
            }
            return;
        }
        let width = width / T::lanes::<S>();
        let (before, stream) = (T::vectors::<S>(&before), T::vectors_mut::<S>(x));
        lanes::tiles!(width, at => self.add_units::<S, N>(simd, before, stream, (width, at)));
    }

    /// Adds the output of every hidden unit to the vectors of a tile; rows have `width` vectors.
    #[inline(always)]
    fn add_units<S: Simd, const N: usize>(
        &self,
        simd: S,
        before: &[T::Vector<S>],
        stream: &mut [T::Vector<S>],
        place: (usize, usize),
    ) {
        let zero = T::splat(simd, T::zero());
        for (unit, bias) in self.input_bias.iter().enumerate() {
            let bias = [T::splat(simd, *bias); N];
            let mut hidden = lanes::add_rows(simd, self.input.list(unit), before, place, bias);
            let mut largest = zero;
            for unit in &mut hidden {
                *unit = T::if_greater(simd, (*unit, zero), *unit, zero);
                largest = T::if_greater(simd, (*unit, largest), *unit, largest);
            }
            if T::any_greater(simd, largest, zero) {
                lanes::add_to_rows(simd, self.output.list(unit), hidden, stream, place);
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
