//! Linear reads: linear functionals of the residual stream, before it has a layout. Whatever is linear in
//! what the stream holds is read where it is needed and never computed: functions of the token or
//! the index live in the embeddings, a function of a value that attention picked is a combination
//! of its directions.

pub(crate) mod additive;
pub mod basis;
pub(crate) mod by_shape;
pub(crate) mod real;

use crate::algebra::{Rational, Reading};
use crate::compile::{Bits, bits, key};
use crate::graph::SelectorId;
use crate::infer::Analysis;
use crate::infer::space::VarId;
use num_integer::Integer;
use std::collections::BTreeMap;

/// Linear reads are not multiplied by more than this.
const MOST_FRACTIONS: i64 = 1_000;

/// A number that the residual stream holds in a direction of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// A sum or a mean, or a width that a sum counts.
    Attention(VarId),
    /// `1/(1+w)` for the width `w` of one cube of a selector.
    Inverse(SelectorId, usize),
    /// A width that is held as inverses: a combination of hidden units.
    Count(SelectorId),
    /// What a feed-forward block computed: an index into the features.
    Computed(usize),
    /// 1 at position 0, where that is the sink.
    First,
    /// What a head gives for a direction of a variable, where it may be the sink's.
    Given(VarId, usize),
    /// The attention that position 0 gets from the queries of a selector: where there is no BOS it is
    /// the sink; where there is one, `1/w` of a selector that always selects it.
    Share(SelectorId),
}

/// A linear read as a key of a map: its numbers as bits.
pub type ReadKey = (u64, Vec<(VarId, Bits)>, Vec<(Scalar, u64)>);

/// `constant + Σ f(variable) + Σ coefficient · scalar`, at any position that holds a token.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinearRead {
    pub constant: f64,
    /// Functions of the token, the index, a picked value or a materialised s-op: a number for each value of the
    /// variable's domain.
    pub functions: BTreeMap<VarId, Vec<f64>>,
    pub scalars: BTreeMap<Scalar, f64>,
}

impl LinearRead {
    pub fn constant(constant: f64) -> LinearRead {
        LinearRead {
            constant,
            ..LinearRead::default()
        }
    }

    /// What is the same for all values is the constant.
    pub fn function(var: VarId, values: Vec<f64>) -> LinearRead {
        let function = LinearRead {
            functions: BTreeMap::from([(var, values)]),
            ..LinearRead::default()
        };
        LinearRead::default().plus(1.0, &function)
    }

    pub fn scalar(scalar: Scalar) -> LinearRead {
        LinearRead {
            scalars: BTreeMap::from([(scalar, 1.0)]),
            ..LinearRead::default()
        }
    }

    /// `self + factor · other`
    pub fn plus(mut self, factor: f64, other: &LinearRead) -> LinearRead {
        self.constant += factor * other.constant;
        for (var, values) in &other.functions {
            let sum = self
                .functions
                .entry(*var)
                .or_insert_with(|| vec![0.0; values.len()]);
            for (sum, value) in sum.iter_mut().zip(values) {
                *sum += factor * value;
            }
        }
        for (scalar, coefficient) in &other.scalars {
            *self.scalars.entry(*scalar).or_insert(0.0) += factor * coefficient;
        }
        self.tidy();
        self
    }

    pub fn scaled(&self, factor: f64) -> LinearRead {
        LinearRead::default().plus(factor, self)
    }

    /// The linear read times the least odd number that leaves no fractions but binary ones, with that number;
    /// `None` if there is none that is small, or no need of it.
    pub fn without_fractions(&self) -> Option<(LinearRead, f64)> {
        let numbers = || {
            let functions = self.functions.values().flatten();
            functions
                .chain(self.scalars.values())
                .chain([&self.constant])
        };
        let scale = numbers().fold(0.0f64, |most, number| most.max(number.abs()));
        let mut factor = 1i64;
        for number in numbers() {
            let reading = Reading::of(*number, scale).filter(|reading| reading.is_fraction)?;
            let denominator = reading.number.denominator()?;
            let odd = denominator >> denominator.trailing_zeros();
            factor = factor.checked_mul(odd / factor.gcd(&odd))?;
            if factor > MOST_FRACTIONS {
                return None;
            }
        }
        if factor == 1 {
            return None;
        }
        let times = |number: f64| {
            let reading = Reading::of(number, scale)?;
            Some((&reading.number * &Rational::from(factor)).to_f64())
        };
        let mut read = self.clone();
        let functions = read.functions.values_mut().flatten();
        let numbers = functions.chain(read.scalars.values_mut());
        for number in numbers.chain([&mut read.constant]) {
            *number = times(*number)?;
        }
        Some((read, factor as f64))
    }

    /// Whether a function of the token or of the index is part of it.
    pub fn reads_embedding(&self) -> bool {
        let mut functions = self.functions.keys();
        functions.any(|var| *var <= Analysis::INDICES)
    }

    /// Functions without their constant part, and nothing that is zero.
    fn tidy(&mut self) {
        for values in self.functions.values_mut() {
            let first = values.first().copied().unwrap_or(0.0);
            if values.iter().all(|value| *value == first) {
                self.constant += first;
                values.clear();
            }
        }
        self.functions.retain(|_, values| !values.is_empty());
        self.scalars.retain(|_, coefficient| *coefficient != 0.0);
    }

    /// The linear read as a key of a map.
    pub fn key(&self) -> ReadKey {
        let functions = self.functions.iter();
        let functions = functions.map(|(var, values)| (*var, bits(values)));
        let scalars = self.scalars.iter();
        let scalars = scalars.map(|(scalar, coefficient)| (*scalar, key(*coefficient)));
        (key(self.constant), functions.collect(), scalars.collect())
    }

    /// Whether all that it reads is multiplied by whole numbers, or is whole.
    pub fn is_whole(&self) -> bool {
        let functions = self.functions.values().flatten();
        let mut numbers = functions.chain(self.scalars.values());
        numbers.all(|number| number.fract() == 0.0)
    }

    /// Whether it reads nothing that attention or a feed-forward block wrote, so that it has no noise.
    pub fn is_embedded(&self) -> bool {
        self.scalars.keys().all(|scalar| *scalar == Scalar::First)
            && self.functions.keys().all(|var| *var <= Analysis::INDICES)
    }

    /// Whether it reads a width that hidden units compute.
    pub fn counts(&self) -> bool {
        let mut scalars = self.scalars.keys();
        scalars.any(|scalar| matches!(scalar, Scalar::Count(_)))
    }
}
