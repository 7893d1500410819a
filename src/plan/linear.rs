//! Linear reads of the residual stream: what W_Q, W_K, W_V, W_in and W_U are made of, before
//! variables have directions.

use super::VariableId;
use super::dimension::LARGEST;
use crate::model::bfloat16;
use litemap::LiteMap;
use serde::{Deserialize, Serialize};

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

/// `constant + Σ factor · variable`, at one position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Linear {
    /// What is added whatever the variables hold.
    pub constant: f64,
    /// No factor is 0.
    pub terms: LiteMap<VariableId, f64>,
}

impl Linear {
    /// A number.
    pub fn constant(constant: f64) -> Linear {
        Linear {
            constant,
            terms: LiteMap::new(),
        }
    }

    /// A variable.
    pub fn of(variable: VariableId) -> Linear {
        Linear::default().plus(variable, 1.0)
    }

    /// It and a multiple of a variable.
    #[must_use]
    pub fn plus(mut self, variable: VariableId, factor: f64) -> Linear {
        let sum = self.terms.entry(variable).or_insert(0.0);
        *sum += factor;
        if *sum == 0.0 {
            self.terms.remove(&variable);
        }
        self
    }

    /// What a variable is multiplied by; 0 where it is not read.
    pub fn factor(&self, variable: VariableId) -> f64 {
        self.terms.get(&variable).copied().unwrap_or(0.0)
    }

    /// Whether it reads a variable.
    pub fn has(&self, variable: VariableId) -> bool {
        self.terms.contains_key(&variable)
    }

    /// A multiple of it.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Linear {
        self.map(|coefficient| coefficient * factor)
    }

    /// What a function makes of the constant and of each factor.
    #[must_use]
    pub fn map(&self, function: impl Fn(f64) -> f64) -> Linear {
        let terms = self.terms.iter();
        let mapped = terms.map(|(variable, factor)| (*variable, function(*factor)));
        Linear {
            constant: function(self.constant),
            terms: mapped.filter(|(_, factor)| *factor != 0.0).collect(),
        }
    }

    /// The sum of the two.
    #[must_use]
    pub fn add(&self, other: &Linear) -> Linear {
        let mut sum = self.clone();
        sum.constant += other.constant;
        for (variable, coefficient) in &other.terms {
            sum = sum.plus(*variable, *coefficient);
        }
        sum
    }

    /// Its value where the variables have these values.
    pub fn at(&self, value: impl Fn(VariableId) -> f64) -> f64 {
        let terms = self.terms.iter();
        self.constant
            + terms
                .map(|(variable, factor)| factor * value(*variable))
                .sum::<f64>()
    }

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

    /// It with a constant that bfloat16 holds. What is left of that is read of `one`, which is 1 everywhere.
    #[must_use]
    pub fn with_bias_in_two(mut self, one: VariableId) -> Linear {
        let all = self.constant;
        self.constant = bfloat16(all);
        let left = all - self.constant;
        self.plus(one, left)
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

    /// It as a key of a map: its numbers as bits.
    pub fn key(&self) -> Vec<u64> {
        let terms = self.terms.iter();
        let terms = terms.flat_map(|(id, factor)| [u64::from(id.0), factor.to_bits()]);
        std::iter::once(self.constant.to_bits())
            .chain(terms)
            .collect()
    }

    /// Whether it is 0 whatever the variables hold.
    pub fn is_zero(&self) -> bool {
        self.constant == 0.0 && self.terms.is_empty()
    }

    /// The variables that it reads.
    pub fn reads(&self) -> impl Iterator<Item = VariableId> + '_ {
        self.terms.keys().copied()
    }
}
