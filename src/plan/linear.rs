//! Linear reads of the residual stream: what W_Q, W_K, W_V, W_in and W_U are made of, before
//! variables have directions.

use super::VariableId;
use crate::model::bfloat16;
use litemap::LiteMap;
use serde::{Deserialize, Serialize};

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

    /// It with a constant that bfloat16 holds. What is left of that is read of `one`, which is 1 everywhere.
    #[must_use]
    pub fn with_bias_in_two(mut self, one: VariableId) -> Linear {
        let all = self.constant;
        self.constant = bfloat16(all);
        let left = all - self.constant;
        self.plus(one, left)
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
