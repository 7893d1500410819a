//! From the residual stream back to values.

use super::activations::Activations;
use super::lanes::{self, Work};
use super::scalar::{Scalar, narrowed};
use super::sparse::Sparse;
use crate::model::{Decoder, Model, Readout};
use crate::value::Value;
use pulp::Simd;
use std::ops::Range;

/// A readout with its weights in the order of use.
pub(super) struct PreparedReadout<T> {
    weights: Sparse<T>,
    bias: Vec<T>,
    decoding: Decoding,
    /// The values that it lists.
    values: Vec<Value>,
}

/// What a readout finds at each column.
pub(super) enum Readings {
    /// The place of the value among those that the readout lists.
    Listed(Vec<u32>),
    /// The number itself.
    Real(Vec<f64>),
}

/// What of the outputs tells the value.
enum Decoding {
    /// Which is the largest.
    Largest,
    /// To which of these the only one is nearest: the values as floats, ascending.
    Nearest(Vec<f64>),
    /// The only one.
    Real,
}

impl<T: Scalar> PreparedReadout<T> {
    /// Those of a model's variables.
    pub fn of_variables(model: &Model) -> Vec<PreparedReadout<T>> {
        let readouts = model.variables.iter().map(|variable| &variable.readout);
        readouts.map(PreparedReadout::new).collect()
    }

    pub fn new(readout: &Readout) -> PreparedReadout<T> {
        let (Decoder::Categorical(values) | Decoder::Numerical(values)) = &readout.decoder;
        let decoding = match &readout.decoder {
            Decoder::Categorical(_) => Decoding::Largest,
            Decoder::Numerical(values) if values.is_empty() => Decoding::Real,
            Decoder::Numerical(values) => {
                let float = |value: &Value| value.as_float().expect("a checked model");
                Decoding::Nearest(values.iter().map(float).collect())
            }
        };
        PreparedReadout {
            weights: Sparse::by_column(&readout.weights),
            bias: narrowed(&readout.bias),
            decoding,
            values: values.clone(),
        }
    }

    /// What the stream `[d_model, columns]` says at each column.
    pub fn decode(&self, x: &Activations<T>) -> Readings {
        match &self.decoding {
            Decoding::Largest => Readings::Listed(self.winners(x)),
            Decoding::Nearest(values) => {
                let place = |number: &T| nearest(values, number.widen()) as u32;
                Readings::Listed(self.outputs(x).iter().map(place).collect())
            }
            Decoding::Real => {
                // Adding zero turns a negative zero into a plain one.
                let real = |number: &T| number.widen() + 0.0;
                Readings::Real(self.outputs(x).iter().map(real).collect())
            }
        }
    }

    /// What was decoded, as values, at some columns.
    pub fn values(&self, decoded: &Readings, columns: Range<usize>) -> Vec<Value> {
        match decoded {
            Readings::Listed(places) => {
                let value = |place: &u32| self.values[*place as usize].clone();
                places[columns].iter().map(value).collect()
            }
            Readings::Real(numbers) => numbers[columns].iter().copied().map(Value::Float).collect(),
        }
    }

    /// One value for each column of `x` `[d_model, columns]`.
    pub fn read(&self, x: &Activations<T>) -> Vec<Value> {
        self.values(&self.decode(x), 0..x.columns())
    }

    /// The outputs `[outputs, columns]`.
    fn outputs(&self, x: &Activations<T>) -> Activations<T> {
        lanes::widest(Outputs { readout: self, x })
    }

    /// The largest output of each column, the first of equals.
    fn winners(&self, x: &Activations<T>) -> Vec<u32> {
        lanes::widest(Winners { readout: self, x })
    }
}

struct Outputs<'a, T> {
    readout: &'a PreparedReadout<T>,
    x: &'a Activations<T>,
}

impl<T: Scalar> Work for Outputs<'_, T> {
    type Output = Activations<T>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Activations<T> {
        let mut outputs = Activations::none();
        let PreparedReadout { weights, bias, .. } = self.readout;
        weights.apply(simd, bias, self.x, &mut outputs);
        outputs
    }
}

struct Winners<'a, T> {
    readout: &'a PreparedReadout<T>,
    x: &'a Activations<T>,
}

impl<T: Scalar> Work for Winners<'_, T> {
    type Output = Vec<u32>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Vec<u32> {
        let mut winners = vec![T::zero(); self.x.columns()];
        let found = T::vectors_mut::<S>(&mut winners);
        lanes::tiles!(found.len(), at => *lanes::tile(found, at) = self.tile::<S, N>(simd, at));
        winners.iter().map(|winner| winner.whole()).collect()
    }
}

impl<T: Scalar> Winners<'_, T> {
    /// The winners at the vectors of a tile.
    #[inline(always)]
    fn tile<S: Simd, const N: usize>(&self, simd: S, at: usize) -> [T::Vector<S>; N] {
        let PreparedReadout { weights, bias, .. } = self.readout;
        let stream = T::vectors::<S>(self.x);
        let place = (self.x.columns() / T::lanes::<S>(), at);
        let mut largest = [T::splat(simd, T::zero()); N];
        let mut winners = largest;
        for (output, bias) in bias.iter().enumerate() {
            let bias = [T::splat(simd, *bias); N];
            let logits = lanes::add_rows(simd, weights.list(output), stream, place, bias);
            if output == 0 {
                largest = logits;
            }
            let number = T::splat(simd, T::narrow(output as f64));
            for n in 0..N {
                let pair = (logits[n], largest[n]);
                largest[n] = T::if_greater(simd, pair, logits[n], largest[n]);
                winners[n] = T::if_greater(simd, pair, number, winners[n]);
            }
        }
        winners
    }
}

/// The place of the nearest of ascending values, of the smaller of two equally near.
fn nearest(values: &[f64], number: f64) -> usize {
    let above = values.partition_point(|value| *value < number);
    match (above.checked_sub(1), values.get(above)) {
        (Some(below), Some(value)) if value - number < number - values[below] => below + 1,
        (Some(below), _) => below,
        (None, _) => 0,
    }
}
