//! What is read from the stream in the end: the outputs of a plan and views of what it holds, by scores of which
//! the largest wins, or as a number. Depends on the plan and on what `model` has to decode scores.

use super::dimension::LARGEST;
use super::{Linear, Plan, Source, VariableId};
use crate::model::Decoder;
use serde::{Deserialize, Serialize};

/// Linear scores and how values are read from them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadOut {
    /// Its name in the program, or else its expression.
    pub name: String,
    /// What of the program it is for.
    pub source: Source,
    /// One for each class, or one that is the number.
    pub scores: Vec<Linear>,
    /// How scores become values.
    #[serde(skip, default = "no_decoder")]
    pub decoder: Decoder,
    /// What is read, and for each class the number that stands for it.
    pub read: Read,
}

/// What the scores of a readout are made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Read {
    /// The number itself; the nearest of these.
    Nearest(Vec<f64>),
    /// The nearest of 0, 1, … to a number `y`: the scores `2jy - j²`.
    Classes(Linear, usize),
    /// The nearest to `y/x`, where `x` is above 0: the scores `2ay - a²x`.
    Ratio {
        /// `y`, which is 1 where `x` is an inverse width.
        numerator: Linear,
        /// `x`
        denominator: Linear,
        /// What the ratio can be, one number for each class, ascending.
        numbers: Vec<f64>,
    },
}

fn no_decoder() -> Decoder {
    Decoder::Numerical(Vec::new())
}

impl Read {
    /// The scores that it is made into, unless it is one that is read as it is; `one` as for [`Linear::classes`].
    pub fn scores(&self, one: Option<VariableId>) -> Option<Vec<Linear>> {
        match self {
            Read::Nearest(_) => None,
            Read::Classes(number, count) => Some(number.classes(*count, one)),
            Read::Ratio {
                numerator,
                denominator,
                numbers,
            } => Some(numerator.nearest(denominator, numbers)),
        }
    }
}

impl ReadOut {
    /// The half layer after which all that it reads and that there is is written; see [`Plan::readiness`].
    pub fn ready(&self, readiness: &[usize]) -> usize {
        let reads = self.scores.iter().flat_map(Linear::reads);
        let latest = reads.filter_map(|id| readiness.get(id.0 as usize)).max();
        latest.copied().unwrap_or(0)
    }

    /// What it reads: also what no score has, since all values are alike in that.
    pub(super) fn reads(&self) -> impl Iterator<Item = VariableId> {
        let of_read = match &self.read {
            Read::Nearest(_) => Vec::new(),
            Read::Classes(number, _) => vec![number],
            Read::Ratio {
                numerator,
                denominator,
                ..
            } => vec![numerator, denominator],
        };
        let linears = self.scores.iter().chain(of_read);
        linears.flat_map(Linear::reads)
    }
}

/// The scores of more numbers are less that of the one in the middle, which leaves fewer digits to round.
const MANY_NUMBERS: usize = 128;

/// What `y` and `x` are multiplied by in the score of one of some numbers for the nearest to `y/x`:
/// `2ay - a²x`, less the same of the number in the middle where there are many.
pub fn score(a: f64, numbers: &[f64]) -> [f64; 2] {
    let middle = match numbers.len() > MANY_NUMBERS {
        true => numbers[numbers.len() / 2],
        false => 0.0,
    };
    [2.0 * (a - middle), middle * middle - a * a]
}

impl Linear {
    /// The scores of the classes 0, 1, … for the nearest whole number, as `nearest` has them. What constants have
    /// more digits than bfloat16 is a multiple of `one`, if it is given, which is 1 at every token.
    pub fn classes(&self, count: usize, one: Option<VariableId>) -> Vec<Linear> {
        let numbers: Vec<f64> = (0..count).map(|class| class as f64).collect();
        let scores = self.nearest(&Linear::constant(1.0), &numbers);
        let Some(one) = one else {
            return scores;
        };
        let split = |score: Linear| score.with_bias_in_two(one);
        scores.into_iter().map(split).collect()
    }

    /// The scores of numbers for the nearest to `y/x`, of this and a number `x` above 0, as [`score`] has them,
    /// times a power of two that keeps the factors small.
    pub fn nearest(&self, x: &Linear, numbers: &[f64]) -> Vec<Linear> {
        let scores = numbers.iter().map(|a| {
            let [of_y, of_x] = score(*a, numbers);
            self.scaled(of_y).add(&x.scaled(of_x))
        });
        let scores: Vec<Linear> = scores.collect();
        let factors = scores
            .iter()
            .flat_map(|score| score.terms.values().chain([&score.constant]));
        let largest = factors.fold(1.0f64, |most, factor| most.max(factor.abs()));
        let scale = 2f64
            .powi((LARGEST / largest).log2().floor() as i32)
            .min(1.0);
        scores.iter().map(|score| score.scaled(scale)).collect()
    }
}

impl Plan {
    /// All that is read from the stream in the end: outputs, then views.
    pub fn read_outs(&self) -> impl Iterator<Item = &ReadOut> {
        self.outputs.iter().chain(&self.views)
    }

    /// The scores of all readouts.
    pub fn scores(&self) -> impl Iterator<Item = &Linear> {
        self.read_outs().flat_map(|read_out| &read_out.scores)
    }
}
