//! Weights that are exponentials of sums of products of a number at the key and one at the query, as
//! those of a transformer's own attention are (preprint of Weiss et al. 2021, appendix A). Logits are
//! such sums, so that no table of the weights is needed, and what is compared may be real numbers.

use super::score_table::ScoreTable;
use super::{Analysis, Stopped};
use crate::graph::{SOpId, Scorer, ScorerId};
use crate::value::Op;

/// A sum of more products takes too many dimensions of a head.
const MOST_PARTS: usize = 256;

/// A factor times what s-ops hold at the key and at the query, where they are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    pub factor: f64,
    pub key: Option<SOpId>,
    pub query: Option<SOpId>,
}

type Sum = Vec<Part>;

impl Analysis<'_> {
    /// A scorer as a table that says where the weight is not 0, and the logarithm of the weight there;
    /// `None` if weights are no exponentials of numbers.
    ///
    /// # Errors
    /// Where weights are 0 has no table.
    pub(super) fn exponential(
        &mut self,
        scorer: ScorerId,
    ) -> Result<Option<(ScoreTable, Sum)>, Stopped> {
        let (condition, weight) = self.guarded(scorer).unzip();
        let Some(sum) = self.logarithm(weight.unwrap_or(scorer)) else {
            return Ok(None);
        };
        let mut sides = sum
            .iter()
            .flat_map(|part| part.key.into_iter().chain(part.query));
        if !sides.all(|side| self.is_number(side)) {
            return Ok(None);
        }
        let table = match condition {
            Some(condition) => self.score_table(condition)?,
            None => ScoreTable::of_one(Some(1.0)),
        };
        Ok(Some((table, sum)))
    }

    /// The condition and the weight of a scorer that is 0 unless a condition holds.
    fn guarded(&self, scorer: ScorerId) -> Option<(ScorerId, ScorerId)> {
        let (Op::If, &[condition, weight, otherwise]) = self.mapped(scorer)? else {
            return None;
        };
        (self.constant(otherwise) == Some(0.0)).then_some((condition, weight))
    }

    fn logarithm(&self, weight: ScorerId) -> Option<Sum> {
        if let Some(constant) = self.constant(weight) {
            return (constant > 0.0).then(|| constant_sum(constant.ln()));
        }
        match self.mapped(weight)? {
            (Op::Power, &[base, exponent]) => {
                let base = self.constant(base).filter(|base| *base > 0.0)?;
                Some(scaled(self.sum(exponent)?, base.ln()))
            }
            (Op::Multiply, &[a, b]) => added(self.logarithm(a)?, self.logarithm(b)?),
            (Op::Divide, &[a, b]) => added(self.logarithm(a)?, scaled(self.logarithm(b)?, -1.0)),
            _ => None,
        }
    }

    fn sum(&self, scorer: ScorerId) -> Option<Sum> {
        if let Some(constant) = self.constant(scorer) {
            return Some(constant_sum(constant));
        }
        let part = |key, query| {
            vec![Part {
                factor: 1.0,
                key,
                query,
            }]
        };
        match self.graph.get_scorer(scorer) {
            Scorer::Key(sop) => return Some(part(Some(*sop), None)),
            Scorer::Query(sop) => return Some(part(None, Some(*sop))),
            Scorer::Constant(_) | Scorer::Map { .. } => {}
        }
        match self.mapped(scorer)? {
            (Op::Add, &[a, b]) => added(self.sum(a)?, self.sum(b)?),
            (Op::Subtract, &[a, b]) => added(self.sum(a)?, scaled(self.sum(b)?, -1.0)),
            (Op::Negate, &[a]) => Some(scaled(self.sum(a)?, -1.0)),
            (Op::Plus | Op::ToFloat, &[a]) => self.sum(a),
            (Op::Multiply, &[a, b]) => multiplied(&self.sum(a)?, &self.sum(b)?),
            (Op::Divide, &[a, b]) => {
                let divisor = self.constant(b).filter(|divisor| *divisor != 0.0)?;
                Some(scaled(self.sum(a)?, 1.0 / divisor))
            }
            _ => None,
        }
    }

    fn mapped(&self, scorer: ScorerId) -> Option<(&Op, &[ScorerId])> {
        match self.graph.get_scorer(scorer) {
            Scorer::Map { op, operands } => Some((op, operands)),
            Scorer::Key(_) | Scorer::Query(_) | Scorer::Constant(_) => None,
        }
    }

    fn constant(&self, scorer: ScorerId) -> Option<f64> {
        match self.graph.get_scorer(scorer) {
            Scorer::Constant(value) => value.as_float().filter(|number| number.is_finite()),
            Scorer::Key(_) | Scorer::Query(_) | Scorer::Map { .. } => None,
        }
    }
}

fn constant_sum(constant: f64) -> Sum {
    vec![Part {
        factor: constant,
        key: None,
        query: None,
    }]
}

fn scaled(mut sum: Sum, factor: f64) -> Sum {
    sum.iter_mut().for_each(|part| part.factor *= factor);
    sum
}

fn added(mut sum: Sum, other: Sum) -> Option<Sum> {
    sum.extend(other);
    (sum.len() <= MOST_PARTS).then_some(sum)
}

/// The product of two sums, unless it is of two numbers at the key, or of two at the query.
fn multiplied(sum: &Sum, other: &Sum) -> Option<Sum> {
    let pairs = sum.iter().flat_map(|a| other.iter().map(move |b| (a, b)));
    let product = |(a, b): (&Part, &Part)| {
        let once = |one: Option<SOpId>, other: Option<SOpId>| match (one, other) {
            (Some(_), Some(_)) => None,
            (one, other) => Some(one.or(other)),
        };
        Some(Part {
            factor: a.factor * b.factor,
            key: once(a.key, b.key)?,
            query: once(a.query, b.query)?,
        })
    };
    let few = sum.len().saturating_mul(other.len()) <= MOST_PARTS;
    few.then(|| pairs.map(product).collect()).flatten()
}
