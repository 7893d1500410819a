//! Best keys by scores of positions, as the nearest position is. A part of the position breaks ties where it
//! changes no order, so that no score need outweigh all positions. And where scores are a product of a number
//! of the key and one of the query, beside what either adds, as `-(k - q)² = 2kq - k² - q²` is, two dimensions
//! of a head hold them: what the query adds is the same for all its keys. Depends on what scores are in
//! `score`.

use super::literal::ProductPlan;
use super::score::LARGEST_RANGE;
use crate::compile::linear::LinearRead;
use crate::compile::way::{NotThis, Way};
use crate::compile::{Compiler, range_of};
use crate::infer::score_table::ScoreTable;

/// Scores of pairs of keys that are looked at, for all queries together.
const MOST_PAIRS: usize = 4_000_000;

/// Scores `key · query + alone`, of which any two of a query are 1 apart at least.
struct Separate {
    keys: Vec<f64>,
    queries: Vec<f64>,
    /// What a key adds.
    alone: Vec<f64>,
    largest: f64,
}

impl Compiler<'_> {
    /// The products that order positions as their scores do, the last of equal ones first, with keys a
    /// `level` apart at least, and the largest score, where two dimensions hold them.
    pub(super) fn by_position(
        &mut self,
        table: &ScoreTable,
        level: f64,
    ) -> Way<(Vec<ProductPlan>, f64)> {
        let (keys, queries) = table.sides.ok_or(NotThis)?;
        let is_position = self.analysis.is_indices(keys);
        let separate = is_position.then(|| separate(table)).flatten();
        let fits = |separate: &Separate| separate.largest <= LARGEST_RANGE;
        let separate = separate.filter(fits).ok_or(NotThis)?;
        let by_query: Vec<f64> = separate.queries.iter().map(|query| level * query).collect();
        let product = ProductPlan {
            query: self.score_feature(queries, &by_query)?,
            key: self.score_feature(keys, &separate.keys)?,
            queries: by_query.into(),
            keys: separate.keys.into(),
        };
        let alone = ProductPlan {
            query: LinearRead::constant(level),
            key: self.score_feature(keys, &separate.alone)?,
            queries: vec![level; table.queries].into(),
            keys: separate.alone.into(),
        };
        Ok((vec![product, alone], level * separate.largest))
    }
}

/// The scores of positions, with a part of the position that breaks ties; `None` if they are no such sum, or
/// some fail.
fn separate(table: &ScoreTable) -> Option<Separate> {
    let of_keys = table.keys.saturating_mul(table.keys);
    if table.keys < 2 || of_keys.saturating_mul(table.queries) > MOST_PAIRS {
        return None;
    }
    let columns = (0..table.queries).map(|query| table.column(query).collect());
    let columns: Vec<Vec<f64>> = columns.collect::<Option<_>>()?;
    let tie = tie(&columns)?;
    let raised = |key: usize, query: usize| columns[query][key] + tie * key as f64;
    let gap = gap(table, raised)?;
    // Whole numbers stay whole.
    let unit = match tie > 0.0 {
        true => tie,
        false => gap.min(1.0),
    };
    let scored = |key: usize, query: usize| raised(key, query) / unit;
    // What keys and queries have to do with each other.
    let joint = |key, query| scored(key, query) - scored(0, query) - scored(key, 0) + scored(0, 0);
    let (numbers, factors) = as_product(table, joint)?;
    // Around 0, products are small.
    let (key_middle, query_middle) = (middle(&numbers), middle(&factors));
    let keys: Vec<f64> = numbers.iter().map(|number| number - key_middle).collect();
    let queries: Vec<f64> = factors.iter().map(|factor| factor - query_middle).collect();
    let alone = numbers.iter().enumerate();
    let alone = alone.map(|(key, number)| scored(key, 0) + query_middle * number);
    let mut alone: Vec<f64> = alone.collect();
    let scores = pairs(table).map(|(key, query)| keys[key] * queries[query] + alone[key]);
    let (least, most) = range_of(scores);
    alone.iter_mut().for_each(|number| *number -= least);
    let are_small = keys.iter().chain(&queries).all(|number| number.abs() < 1e6);
    are_small.then_some(Separate {
        keys,
        queries,
        alone,
        largest: most - least,
    })
}

/// Numbers of keys and factors of queries whose products these are, if they are products.
fn as_product(
    table: &ScoreTable,
    joint: impl Fn(usize, usize) -> f64,
) -> Option<(Vec<f64>, Vec<f64>)> {
    let (pivot_key, pivot_query) =
        pairs(table).max_by(|a, b| joint(a.0, a.1).abs().total_cmp(&joint(b.0, b.1).abs()))?;
    let pivot = joint(pivot_key, pivot_query);
    if pivot == 0.0 || !pivot.is_finite() {
        return None;
    }
    // The least step of keys is 1, so that numbers are whole where scores are.
    let step = joint(1, pivot_query);
    let step = if step == 0.0 { pivot } else { step };
    let numbers = (0..table.keys).map(|key| joint(key, pivot_query) / step);
    let numbers: Vec<f64> = numbers.collect();
    let factors = (0..table.queries).map(|query| joint(pivot_key, query) / numbers[pivot_key]);
    let factors: Vec<f64> = factors.collect();
    let is_product = |(key, query)| joint(key, query) == numbers[key] * factors[query];
    pairs(table).all(is_product).then_some((numbers, factors))
}

fn pairs(table: &ScoreTable) -> impl Iterator<Item = (usize, usize)> {
    let queries = table.queries;
    (0..table.keys).flat_map(move |key| (0..queries).map(move |query| (key, query)))
}

/// The part of a position that orders equal scores and no others: a power of two, or 0 where none are equal.
fn tie(columns: &[Vec<f64>]) -> Option<f64> {
    let (mut most, mut are_equal) = (f64::INFINITY, false);
    for scores in columns {
        for (key, score) in scores.iter().enumerate() {
            for (other, another) in scores.iter().enumerate().take(key) {
                are_equal |= score == another;
                if score != another {
                    most = most.min((score - another).abs() / (key - other) as f64);
                }
            }
        }
    }
    if !are_equal {
        return Some(0.0);
    }
    let tie = 2f64.powf((most / 2.0).log2().floor());
    (tie.is_finite() && tie > 0.0).then_some(tie)
}

/// The smallest gap between two scores of a query, if there is any.
fn gap(table: &ScoreTable, scored: impl Fn(usize, usize) -> f64) -> Option<f64> {
    let mut gap = f64::INFINITY;
    for query in 0..table.queries {
        let mut scores: Vec<f64> = (0..table.keys).map(|key| scored(key, query)).collect();
        scores.sort_by(f64::total_cmp);
        gap = scores
            .windows(2)
            .fold(gap, |gap, pair| gap.min(pair[1] - pair[0]));
    }
    (gap > 0.0 && gap.is_finite()).then_some(gap)
}

/// A whole number near the middle of some.
fn middle(numbers: &[f64]) -> f64 {
    let (least, most) = range_of(numbers.iter().copied());
    f64::midpoint(least, most).round()
}
