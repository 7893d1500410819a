//! From the residual stream back to values.

use super::lanes::{self, Work};
use super::scalar::{Scalar, narrowed};
use super::sparse::Sparse;
use crate::model::{Decoder, Readout};
use crate::value::Value;
use ndarray::Array2;

/// A readout with its weights in the order of use.
pub(super) struct PreparedReadout<T> {
    weights: Sparse<T>,
    bias: Vec<T>,
    decoder: PreparedDecoder,
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

    /// Whether it gives numbers as they are.
    pub fn is_real(&self) -> bool {
        matches!(self.decoder, PreparedDecoder::Raw)
    }

    /// One value for each column of `x` `[d_model, columns]`.
    pub fn read(&self, x: &Array2<T>) -> Vec<Value> {
        match &self.decoder {
            PreparedDecoder::Categorical(values) => {
                let winners = self.winners(x).into_iter();
                winners.map(|winner| values[winner].clone()).collect()
            }
            PreparedDecoder::Nearest(values) => {
                let decode = |number: &T| nearest(values, number.widen()).clone();
                self.output(0, x).iter().map(decode).collect()
            }
            PreparedDecoder::Raw => {
                // Adding zero turns a negative zero into a plain one.
                let decode = |number: &T| Value::Float(number.widen() + 0.0);
                self.output(0, x).iter().map(decode).collect()
            }
        }
    }

    /// One output `[columns]`.
    fn output(&self, output: usize, x: &Array2<T>) -> Vec<T> {
        let stream = x.as_slice().expect("activations are in standard layout");
        let mut sum = vec![self.bias[output]; x.ncols()];
        self.weights.gather(output, stream, &mut sum);
        sum
    }

    /// The largest output of each column, the first of equals.
    fn winners(&self, x: &Array2<T>) -> Vec<usize> {
        lanes::widest(Winners { readout: self, x })
    }
}

struct Winners<'a, T> {
    readout: &'a PreparedReadout<T>,
    x: &'a Array2<T>,
}

impl<T: Scalar> Work for Winners<'_, T> {
    type Output = Vec<usize>;

    #[inline(always)]
    fn run(self) -> Vec<usize> {
        let PreparedReadout { weights, bias, .. } = self.readout;
        let width = self.x.ncols();
        let stream = self.x.as_slice();
        let stream = stream.expect("activations are in standard layout");
        let mut winners = vec![0; width];
        let mut largest = vec![bias[0]; width];
        weights.gather(0, stream, &mut largest);
        let mut logits = vec![T::zero(); width];
        for (output, bias) in bias.iter().enumerate().skip(1) {
            logits.fill(*bias);
            weights.gather(output, stream, &mut logits);
            let found = winners.iter_mut().zip(&mut largest).zip(&logits);
            for ((winner, largest), logit) in found {
                let is_larger = *logit > *largest;
                *largest = if is_larger { *logit } else { *largest };
                *winner = if is_larger { output } else { *winner };
            }
        }
        winners
    }
}

/// The nearest of ascending values, the smaller of two equally near.
fn nearest(values: &[(f64, Value)], number: f64) -> &Value {
    let above = values.partition_point(|(float, _)| *float < number);
    let index = match (above.checked_sub(1), values.get(above)) {
        (Some(below), Some((float, _))) if float - number < number - values[below].0 => below + 1,
        (Some(below), _) => below,
        (None, _) => 0,
    };
    &values[index].1
}
