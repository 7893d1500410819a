//! From the residual stream back to values.

use super::lanes::{self, LANES, Work};
use super::scalar::{Scalar, narrowed};
use super::sparse::Sparse;
use crate::model::{Decoder, Readout};
use crate::value::Value;
use ndarray::Array2;
use std::ops::Range;

/// A readout with its weights in the order of use.
pub(super) struct PreparedReadout<T> {
    weights: Sparse<T>,
    bias: Vec<T>,
    decoder: PreparedDecoder,
}

/// What a readout finds at each column.
pub(super) enum Readings {
    /// The place of the value among those that the readout lists.
    Listed(Vec<u32>),
    /// The number itself.
    Real(Vec<f64>),
}

enum PreparedDecoder {
    Categorical(Vec<Value>),
    /// Ascending values, each with its nearest float.
    Nearest(Vec<(f64, Value)>),
    Raw,
}

impl<T: Scalar> PreparedReadout<T> {
    pub fn new(readout: &Readout) -> PreparedReadout<T> {
        let decoder = match &readout.decoder {
            Decoder::Categorical(values) => PreparedDecoder::Categorical(values.clone()),
            Decoder::Numerical(values) if values.is_empty() => PreparedDecoder::Raw,
            Decoder::Numerical(values) => {
                let float = |value: &Value| value.as_float().expect("a checked model");
                let pairs = values.iter().map(|value| (float(value), value.clone()));
                PreparedDecoder::Nearest(pairs.collect())
            }
        };
        PreparedReadout {
            weights: Sparse::by_column(&readout.weights),
            bias: narrowed(&readout.bias),
            decoder,
        }
    }

    /// What the stream `[d_model, columns]` says at each column.
    pub fn decode(&self, x: &Array2<T>) -> Readings {
        match &self.decoder {
            PreparedDecoder::Categorical(_) => Readings::Listed(self.winners(x)),
            PreparedDecoder::Nearest(values) => {
                let place = |number: &T| nearest(values, number.widen()) as u32;
                Readings::Listed(self.output(0, x).iter().map(place).collect())
            }
            PreparedDecoder::Raw => {
                // Adding zero turns a negative zero into a plain one.
                let real = |number: &T| number.widen() + 0.0;
                Readings::Real(self.output(0, x).iter().map(real).collect())
            }
        }
    }

    /// The values at some columns.
    pub fn values(&self, decoded: &Readings, columns: Range<usize>) -> Vec<Value> {
        match (&self.decoder, decoded) {
            (PreparedDecoder::Categorical(values), Readings::Listed(places)) => {
                let value = |place: &u32| values[*place as usize].clone();
                places[columns].iter().map(value).collect()
            }
            (PreparedDecoder::Nearest(values), Readings::Listed(places)) => {
                let value = |place: &u32| values[*place as usize].1.clone();
                places[columns].iter().map(value).collect()
            }
            (_, Readings::Real(numbers)) => {
                numbers[columns].iter().copied().map(Value::Float).collect()
            }
            (PreparedDecoder::Raw, Readings::Listed(_)) => Vec::new(),
        }
    }

    /// One value for each column of `x` `[d_model, columns]`.
    pub fn read(&self, x: &Array2<T>) -> Vec<Value> {
        self.values(&self.decode(x), 0..x.ncols())
    }

    /// One output `[columns]`.
    fn output(&self, output: usize, x: &Array2<T>) -> Vec<T> {
        let stream = x.as_slice().expect("activations are in standard layout");
        let mut sum = vec![self.bias[output]; x.ncols()];
        self.weights.gather(output, stream, &mut sum);
        sum
    }

    /// The largest output of each column, the first of equals.
    fn winners(&self, x: &Array2<T>) -> Vec<u32> {
        lanes::widest(Winners { readout: self, x })
    }
}

struct Winners<'a, T> {
    readout: &'a PreparedReadout<T>,
    x: &'a Array2<T>,
}

impl<T: Scalar> Work for Winners<'_, T> {
    type Output = Vec<u32>;

    #[inline(always)]
    fn run(self) -> Vec<u32> {
        let PreparedReadout { weights, bias, .. } = self.readout;
        let width = self.x.ncols();
        let stream = self.x.as_slice();
        let stream = stream.expect("activations are in standard layout");
        let mut winners = vec![0_u32; width];
        let mut largest = vec![bias[0]; width];
        weights.gather(0, stream, &mut largest);
        let mut logits = vec![T::zero(); width];
        for (output, bias) in (0..).zip(bias).skip(1) {
            logits.fill(*bias);
            weights.gather(output as usize, stream, &mut logits);
            let (winners, _) = winners.as_chunks_mut::<LANES>();
            let (largest, _) = largest.as_chunks_mut::<LANES>();
            let (logits, _) = logits.as_chunks::<LANES>();
            for ((winners, largest), logits) in winners.iter_mut().zip(largest).zip(logits) {
                let (mut found, mut most) = (*winners, *largest);
                for lane in 0..LANES {
                    let is_larger = logits[lane] > most[lane];
                    most[lane] = if is_larger { logits[lane] } else { most[lane] };
                    found[lane] = if is_larger { output } else { found[lane] };
                }
                (*winners, *largest) = (found, most);
            }
        }
        winners
    }
}

/// The place of the nearest of ascending values, of the smaller of two equally near.
fn nearest(values: &[(f64, Value)], number: f64) -> usize {
    let above = values.partition_point(|(float, _)| *float < number);
    match (above.checked_sub(1), values.get(above)) {
        (Some(below), Some((float, _))) if float - number < number - values[below].0 => below + 1,
        (Some(below), _) => below,
        (None, _) => 0,
    }
}
