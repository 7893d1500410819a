//! How weights between keys and queries are found: as weights of the keys alone among those that a
//! predicate selects, as a function of one number, or pair by pair. Sums go from left to right in
//! each of these, so that they have the same floats.

use super::Scores;
use super::best::KeyScores;
use super::distance::Kernel;
use super::linear::Linear;
use crate::base::Control;
use crate::graph::{SOpId, Scorer, ScorerId};
use crate::interpret::column::Column;
use crate::interpret::column::segments::Columns;
use crate::interpret::fault::{Cause, Fault};
use crate::interpret::plan::Plan;
use crate::interpret::selector::Pattern;
use crate::interpret::selector::count::Conjunction;
use crate::value::{Op, Value};
use std::sync::Arc;

/// A scorer whose scores are weights.
pub enum Weights {
    /// `weight if selected else 0`, of the key alone; what is selected is added up along positions.
    Masked(Box<Masked>),
    Kernel(Box<Kernel>),
    Scores(Box<Scores>),
}

impl Weights {
    /// # Errors
    /// A fault in what the scorer reads; too many pairs.
    pub fn new(scorer: ScorerId, columns: Columns<'_>) -> Result<Weights, Arc<Fault>> {
        if let Some(masked) = Masked::new(scorer, columns) {
            return Ok(Weights::Masked(Box::new(masked)));
        }
        let linear = Linear::new(scorer, columns);
        Ok(match linear.and_then(Kernel::new) {
            Some(kernel) => Weights::Kernel(Box::new(kernel)),
            None => Weights::Scores(Box::new(Scores::new(scorer, columns)?)),
        })
    }

    /// The weighted mean of `value` at each query; `sop` is the node it belongs to.
    pub fn mean(&self, sop: SOpId, value: &Column, default: &Value, control: &Control) -> Column {
        if let Some(fault) = value.first_fault() {
            return Column::failed(value.len(), fault.clone());
        }
        match self {
            Weights::Masked(masked) => masked.mean(sop, value, default),
            Weights::Kernel(kernel) => kernel.mean(sop, value, default, control),
            Weights::Scores(scores) => scores.mean(sop, value, default),
        }
    }
}

/// Weights of keys among those that one conjunction selects, up to some place along positions.
pub struct Masked {
    selected: Conjunction,
    weights: Vec<f64>,
}

impl Masked {
    fn new(scorer: ScorerId, columns: Columns<'_>) -> Option<Masked> {
        let graph = columns.graph;
        let Scorer::Map {
            op: Op::If,
            operands,
        } = graph.get_scorer(scorer)
        else {
            return None;
        };
        let [condition, weight, nothing] = operands.as_slice() else {
            return None;
        };
        let is_nothing = matches!(graph.get_scorer(*nothing),
            Scorer::Constant(value) if value.is_number() && !value.truthy());
        if !is_nothing || graph.scorer_reads(*weight).1 {
            return None;
        }
        let mut parts = KeyScores::new(columns);
        let weights = parts.column(*weight);
        if !parts.is_sound() {
            return None;
        }
        let weights = (0..weights.len()).map(|key| weight_of(&weights.get(key)));
        let weights: Vec<f64> = weights.collect::<Option<_>>()?;
        let pattern = Pattern::of_predicate(*condition, columns)?;
        let selected = Plan::new(&pattern).ok()?.sequential()?;
        Some(Masked { selected, weights })
    }

    /// O(n).
    fn mean(&self, sop: SOpId, value: &Column, default: &Value) -> Column {
        let floats = value.to_floats();
        let nothing = Weighted::default();
        let add = |sum: Weighted, key: usize| sum.plus(key, self.weights[key], floats[key]);
        let mut sums = vec![nothing; self.selected.queries()];
        self.selected
            .running(nothing, add, |query, sum| sums[query] = sum);
        let means = sums.into_iter().map(|sum| sum.mean(sop, value, default));
        means.collect()
    }
}

/// Whether a score can be a weight.
pub fn is_weight(score: f64) -> bool {
    (0.0..f64::INFINITY).contains(&score)
}

/// A score as a weight, if it is one.
pub fn weight_of(score: &Value) -> Option<f64> {
    score.as_float().filter(|score| is_weight(*score))
}

/// A weighted sum, from left to right.
#[derive(Clone, Copy, Default)]
pub struct Weighted {
    total: f64,
    sum: f64,
    /// How many keys have a weight, and the last of them.
    count: usize,
    last: usize,
}

impl Weighted {
    /// With a key more, of such a weight and value.
    pub fn plus(mut self, key: usize, weight: f64, value: f64) -> Weighted {
        if weight > 0.0 {
            self.add(key, weight, value);
        }
        self
    }

    /// The same in place, without a branch: a weight of 0 adds zeros, if the value is a number.
    pub fn add(&mut self, key: usize, weight: f64, value: f64) {
        let has_weight = weight > 0.0;
        self.total += weight;
        self.sum += weight * value;
        self.count += usize::from(has_weight);
        self.last = if has_weight { key } else { self.last };
    }

    /// The mean; the value itself if only one key has a weight.
    ///
    /// # Errors
    /// Several values that have no mean.
    pub fn mean(self, sop: SOpId, value: &Column, default: &Value) -> Result<Value, Arc<Fault>> {
        match self.count {
            0 => Ok(default.clone()),
            1 => Ok(value.get(self.last)),
            _ if value.sequence_type().is_number() => Ok(Value::Float(self.sum / self.total)),
            several => {
                let cause = Cause::NoWeightedMean(several, value.sequence_type());
                Err(Arc::new(Fault::new(cause, sop)))
            }
        }
    }
}
