//! Weights that are exponentials of sums of products of a number at the key and one at the query, as
//! those of a transformer's own attention are (preprint of Weiss et al. 2021, appendix A). Logits are
//! such sums, so that no table of the weights is needed, and what is compared may be real numbers.
//! Depends on nodes and how they are built.

use super::build::Graph;
use super::node::{SOpId, Scorer, ScorerId};
use crate::value::Op;

/// A sum of more products takes too many dimensions of a head.
const MOST_ADDENDS: usize = 256;

/// Higher powers have too many digits for floats.
const LARGEST_POWER: u32 = 4;

/// What an s-op holds, to a power.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Power {
    /// The s-op.
    pub of: SOpId,
    /// From 1 on.
    pub exponent: u32,
}

/// A factor times what s-ops hold at the key and at the query, where they are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Addend {
    /// What the product is multiplied by.
    pub factor: f64,
    /// What is read at the key.
    pub key: Option<Power>,
    /// What is read at the query.
    pub query: Option<Power>,
}

type Sum = Vec<Addend>;

impl Graph {
    /// A scorer as where it is not 0, if it may be, and the logarithm of what it is there; `None` if it
    /// is no exponential.
    pub fn exponential(&self, scorer: ScorerId) -> Option<(Option<ScorerId>, Vec<Addend>)> {
        let (condition, weight) = self.guarded(scorer).unzip();
        Some((condition, self.logarithm(weight.unwrap_or(scorer))?))
    }

    /// The condition and the weight of a scorer that is 0 unless a condition holds.
    fn guarded(&self, scorer: ScorerId) -> Option<(ScorerId, ScorerId)> {
        let (Op::If, &[condition, weight, otherwise]) = self.mapped(scorer)? else {
            return None;
        };
        (self.number(otherwise) == Some(0.0)).then_some((condition, weight))
    }

    fn logarithm(&self, weight: ScorerId) -> Option<Sum> {
        if let Some(constant) = self.number(weight) {
            return (constant > 0.0).then(|| constant_sum(constant.ln()));
        }
        match self.mapped(weight)? {
            (Op::Power, &[base, exponent]) => {
                let base = self.number(base).filter(|base| *base > 0.0)?;
                Some(scaled(self.sum(exponent)?, base.ln()))
            }
            (Op::Multiply, &[a, b]) => added(self.logarithm(a)?, self.logarithm(b)?),
            (Op::Divide, &[a, b]) => added(self.logarithm(a)?, scaled(self.logarithm(b)?, -1.0)),
            _ => None,
        }
    }

    fn sum(&self, scorer: ScorerId) -> Option<Sum> {
        if let Some(constant) = self.number(scorer) {
            return Some(constant_sum(constant));
        }
        let addend = |key, query| {
            vec![Addend {
                factor: 1.0,
                key,
                query,
            }]
        };
        let once = |of: &SOpId| {
            Some(Power {
                of: *of,
                exponent: 1,
            })
        };
        match self.get_scorer(scorer) {
            Scorer::Key(sop) => return Some(addend(once(sop), None)),
            Scorer::Query(sop) => return Some(addend(None, once(sop))),
            Scorer::Constant(_) | Scorer::Map { .. } => {}
        }
        match self.mapped(scorer)? {
            (Op::Add, &[a, b]) => added(self.sum(a)?, self.sum(b)?),
            (Op::Subtract, &[a, b]) => added(self.sum(a)?, scaled(self.sum(b)?, -1.0)),
            (Op::Negate, &[a]) => Some(scaled(self.sum(a)?, -1.0)),
            (Op::Plus | Op::ToFloat, &[a]) => self.sum(a),
            (Op::Multiply, &[a, b]) => multiplied(&self.sum(a)?, &self.sum(b)?),
            (Op::Power, &[a, b]) => {
                let sum = self.sum(a)?;
                let is_exponent = |times: &u32| self.number(b) == Some(f64::from(*times));
                let times = (1..=LARGEST_POWER).find(is_exponent)?;
                (1..times).try_fold(sum.clone(), |power, _| multiplied(&power, &sum))
            }
            (Op::Divide, &[a, b]) => {
                let divisor = self.number(b).filter(|divisor| *divisor != 0.0)?;
                Some(scaled(self.sum(a)?, 1.0 / divisor))
            }
            _ => None,
        }
    }

    fn mapped(&self, scorer: ScorerId) -> Option<(&Op, &[ScorerId])> {
        match self.get_scorer(scorer) {
            Scorer::Map { op, operands } => Some((op, operands)),
            Scorer::Key(_) | Scorer::Query(_) | Scorer::Constant(_) => None,
        }
    }

    fn number(&self, scorer: ScorerId) -> Option<f64> {
        match self.get_scorer(scorer) {
            Scorer::Constant(value) => value.as_float().filter(|number| number.is_finite()),
            Scorer::Key(_) | Scorer::Query(_) | Scorer::Map { .. } => None,
        }
    }
}

fn constant_sum(constant: f64) -> Sum {
    vec![Addend {
        factor: constant,
        key: None,
        query: None,
    }]
}

fn scaled(mut sum: Sum, factor: f64) -> Sum {
    sum.iter_mut().for_each(|addend| addend.factor *= factor);
    sum
}

fn added(mut sum: Sum, other: Sum) -> Option<Sum> {
    sum.extend(other);
    (sum.len() <= MOST_ADDENDS).then_some(sum)
}

/// The product of two sums, unless it is of two different numbers at the key, or of two at the query.
fn multiplied(sum: &Sum, other: &Sum) -> Option<Sum> {
    let pairs = sum.iter().flat_map(|a| other.iter().map(move |b| (a, b)));
    let product = |(a, b): (&Addend, &Addend)| {
        let both = |one: Option<Power>, other: Option<Power>| match (one, other) {
            (Some(one), Some(other)) => {
                let exponent = one.exponent + other.exponent;
                let is_power = one.of == other.of && exponent <= LARGEST_POWER;
                is_power.then_some(Some(Power { exponent, ..one }))
            }
            (one, other) => Some(one.or(other)),
        };
        Some(Addend {
            factor: a.factor * b.factor,
            key: both(a.key, b.key)?,
            query: both(a.query, b.query)?,
        })
    };
    let few = sum.len().saturating_mul(other.len()) <= MOST_ADDENDS;
    few.then(|| pairs.map(product).collect()).flatten()
}
