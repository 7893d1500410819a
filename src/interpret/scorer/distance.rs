//! What scorers that are functions of one number (`linear`) make of an input faster than pair by
//! pair: predicates as intervals of the number, which are comparisons; the best key as the first or
//! the last one of the pieces where the score rises or falls (`pieces`); weights as a table of the
//! numbers, of which most are often 0.

use super::best;
use super::linear::Linear;
use super::pieces::{self, Piece, Way};
use super::weights::{Weighted, weight_of};
use crate::base::{Control, parallel};
use crate::graph::SOpId;
use crate::interpret::column::{Column, elementwise};
use crate::interpret::exact::LARGEST_EXACT;
use crate::interpret::fault::{Cause, Fault, Pairs};
use crate::interpret::selector::Pattern;
use crate::value::{Op, Value};
use std::ops::Range;
use std::sync::Arc;

/// Queries that are answered side by side.
const TOGETHER: usize = 8;
/// Such blocks of queries that one thread answers at least.
const LEAST: usize = 8;

/// More intervals than this are not worth it.
const MOST_INTERVALS: usize = 8;
/// Numbers that a function is tabulated over, and as many more as there are positions, times this.
const NUMBERS: usize = 1 << 16;
const NUMBERS_PER_POSITION: usize = 4;
fn most_numbers(linear: &Linear) -> usize {
    NUMBERS + NUMBERS_PER_POSITION * (linear.keys.len() + linear.queries.len())
}

/// The numbers for which a predicate is true, as intervals with both ends, if these are few.
pub fn intervals(linear: &Linear) -> Option<Vec<(i64, i64)>> {
    let intervals = linear.true_intervals().or_else(|| {
        let table = linear.table(most_numbers(linear))?;
        let mut intervals: Vec<(i64, i64)> = Vec::new();
        let numbers = (linear.range.0..).zip(table);
        for (number, _) in numbers.filter(|(_, value)| value.truthy()) {
            pieces::join(&mut intervals, (number, number));
            if intervals.len() > MOST_INTERVALS {
                return None;
            }
        }
        Some(intervals)
    })?;
    (intervals.len() <= MOST_INTERVALS).then_some(intervals)
}

/// The best key by a score that rises or falls on few pieces.
pub struct Nearest {
    linear: Linear,
    pieces: Vec<Piece>,
}

impl Nearest {
    pub fn new(linear: Linear) -> Option<Nearest> {
        let pieces = linear.pieces()?;
        let exact = |at: i64| {
            let score = linear.at(at).and_then(|score| score.as_float());
            score.is_some_and(|score| score.abs() < LARGEST_EXACT as f64)
        };
        let told_apart = |piece: &Piece| {
            (piece.way == Way::Constant || piece.strict) && exact(piece.from) && exact(piece.to)
        };
        let found = pieces.len() <= MOST_INTERVALS && pieces.iter().all(told_apart);
        found.then_some(Nearest { linear, pieces })
    }

    /// The position of the best selected key of each query, -1 where none is selected; of equal
    /// scores the last. For each piece as long as the best key of one order of all keys takes.
    ///
    /// # Errors
    /// As [`best::last_of`].
    pub fn best(&self, candidates: &Pattern) -> Result<Vec<i64>, Arc<Fault>> {
        let mut best: Vec<(f64, i64)> = vec![(f64::NEG_INFINITY, -1); candidates.queries];
        for piece in &self.pieces {
            let order = match piece.way {
                Way::Up => best::ordered(&self.linear.keys),
                Way::Down => best::ordered(&negated(&self.linear.keys)),
                Way::Constant => (0..candidates.keys as u32).collect(),
            };
            let within = candidates.within(&self.linear, (piece.from, piece.to));
            for (query, key) in best::last_of(&order, &within)?.into_iter().enumerate() {
                let Ok(at) = usize::try_from(key) else {
                    continue;
                };
                let number = self.linear.key(at) + self.linear.query(query);
                let score = self.linear.at(number).and_then(|score| score.as_float());
                let found = (score.unwrap_or(f64::NEG_INFINITY), key);
                // Of equal scores the last position.
                if found > best[query] {
                    best[query] = found;
                }
            }
        }
        Ok(best.into_iter().map(|(_, key)| key).collect())
    }
}

fn negated(column: &Arc<Column>) -> Arc<Column> {
    let column = std::slice::from_ref(column);
    Arc::new(elementwise::map(&Op::Negate, column, column[0].len()))
}

/// Weights that depend on the number alone.
pub struct Kernel {
    linear: Linear,
    /// The weight of each number, from the first that has one to the last.
    weights: Vec<f64>,
    first: i64,
    /// The numbers of the keys, if they ascend with the position.
    ascending: Option<Vec<i64>>,
}

impl Kernel {
    /// The weights of a scorer; `None` if some number's is none.
    pub fn new(linear: Linear) -> Option<Kernel> {
        let table = linear.table(most_numbers(&linear))?;
        let weights: Vec<f64> = table.iter().map(weight_of).collect::<Option<_>>()?;
        let first = weights.iter().position(|weight| *weight > 0.0).unwrap_or(0);
        let last = weights.iter().rposition(|weight| *weight > 0.0);
        let weights = weights[first..last.map_or(first, |last| last + 1)].to_vec();
        let keys: Vec<i64> = (0..linear.keys.len()).map(|key| linear.key(key)).collect();
        Some(Kernel {
            first: linear.range.0 + first as i64,
            weights,
            ascending: keys.is_sorted().then_some(keys),
            linear,
        })
    }

    /// How many keys have a weight for one query, about.
    pub fn reach(&self) -> usize {
        match &self.ascending {
            Some(keys) => self.weights.len().min(keys.len()),
            None => self.linear.keys.len(),
        }
    }

    /// The keys that can have a weight for a query, and what has to be added to their numbers for the
    /// place of their weight.
    fn keys_of(&self, query: usize) -> (Range<usize>, i64) {
        let shift = self.linear.query(query) - self.first;
        let end = self.weights.len() as i64;
        let keys = match &self.ascending {
            Some(keys) => {
                let from = keys.partition_point(|number| number + shift < 0);
                from..keys.partition_point(|number| number + shift < end)
            }
            None => 0..self.linear.keys.len(),
        };
        (keys, shift)
    }

    /// Pairs that are looked at.
    pub fn pairs(&self) -> u64 {
        let queries = 0..self.linear.queries.len();
        queries
            .map(|query| self.keys_of(query).0.len() as u64)
            .sum()
    }

    /// The weighted mean at each query, left to right; `sop` is the node it belongs to. O(n · reach).
    ///
    /// # Errors
    /// More pairs than the limit allows.
    pub fn mean(&self, sop: SOpId, value: &Column, default: &Value, control: &Control) -> Column {
        let pairs = self.pairs();
        if let Err(most) = control.allows(pairs) {
            let fault = Fault::new(Cause::Pairs(most, Pairs::Weights(pairs)), sop);
            return Column::failed(value.len(), Arc::new(fault));
        }
        control.count_pairs(pairs);
        let floats = value.to_floats();
        let numbers: Vec<i64> = (0..value.len()).map(|key| self.linear.key(key)).collect();
        // A weight of 0 adds nothing to a sum, unless the value is no number.
        let are_finite = floats.iter().all(|float| float.is_finite());
        let queries = self.linear.queries.len();
        let sums = |_: &mut (), block: usize| {
            let block = block * TOGETHER..queries.min((block + 1) * TOGETHER);
            let of_one = |(keys, shift): (Range<usize>, i64)| {
                let add = |sum: Weighted, key: usize| {
                    sum.plus(key, self.weight(numbers[key] + shift), floats[key])
                };
                keys.fold(Weighted::default(), add)
            };
            let places: Vec<(Range<usize>, i64)> =
                block.clone().map(|query| self.keys_of(query)).collect();
            let from = places.iter().map(|(keys, _)| keys.start).min().unwrap_or(0);
            let to = places.iter().map(|(keys, _)| keys.end).max().unwrap_or(0);
            let all: usize = places.iter().map(|(keys, _)| keys.len()).sum();
            if control.is_stopped() {
                vec![Weighted::default(); block.len()]
            } else if are_finite && block.len() == TOGETHER && (to - from) * TOGETHER <= 2 * all {
                self.side_by_side(from..to, &places, (&numbers, &floats))
            } else {
                places.into_iter().map(of_one).collect()
            }
        };
        let sums = parallel::map((queries.div_ceil(TOGETHER), LEAST), || (), sums);
        let means = sums.into_iter().flatten();
        means.map(|sum| sum.mean(sop, value, default)).collect()
    }

    /// The weight at a place; 0 where there is none.
    fn weight(&self, place: i64) -> f64 {
        let weight = usize::try_from(place)
            .ok()
            .and_then(|at| self.weights.get(at));
        weight.copied().unwrap_or(0.0)
    }

    /// The sums of queries that see about the same keys: each goes from left to right, and no addition
    /// waits for that of another query.
    fn side_by_side(
        &self,
        keys: Range<usize>,
        places: &[(Range<usize>, i64)],
        (numbers, floats): (&[i64], &[f64]),
    ) -> Vec<Weighted> {
        let mut shifts = [0; TOGETHER];
        for (shift, (_, known)) in shifts.iter_mut().zip(places) {
            *shift = *known;
        }
        let mut sums = [Weighted::default(); TOGETHER];
        for key in keys {
            let (number, value) = (numbers[key], floats[key]);
            for (sum, shift) in sums.iter_mut().zip(shifts) {
                sum.add(key, self.weight(number + shift), value);
            }
        }
        sums.to_vec()
    }
}
