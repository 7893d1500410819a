//! Predicates that no comparisons make up, as bits for classes of keys and classes of queries.

use super::{BLOCK, LEAST, Scores};
use crate::base::parallel;
use crate::interpret::column::Values;
use crate::interpret::fault::Fault;
use std::sync::Arc;

/// The most pairs of classes of which a predicate is tabulated.
const LARGEST_TABLE: u64 = 1 << 27;

/// A predicate over classes of keys and classes of queries.
pub struct Table {
    scores: Scores,
    /// The bits of all key classes, for each query class; nothing where that would be too many.
    rows: Option<Vec<Vec<u64>>>,
}

impl Table {
    /// A scorer by truth value. O(classes of keys · classes of queries), in memory for few pairs of
    /// these or for none.
    ///
    /// # Errors
    /// A score that cannot be computed.
    pub fn new(scores: Scores) -> Result<Table, Arc<Fault>> {
        let pairs = scores.pairs();
        let kept = pairs <= LARGEST_TABLE;
        scores.control.count_pairs(pairs);
        let row = |_: &mut (), query: usize| {
            let bits = scores.truths(query as u32)?;
            Ok(if kept { bits } else { Vec::new() })
        };
        let rows = parallel::map((scores.queries.count(), LEAST), || (), row).into_iter();
        let rows = rows.collect::<Result<Vec<Vec<u64>>, Arc<Fault>>>()?;
        Ok(Table {
            rows: kept.then_some(rows),
            scores,
        })
    }

    /// The class of each key position.
    pub fn keys(&self) -> &[u32] {
        &self.scores.keys.classes.of
    }

    /// The class of each query position.
    pub fn queries(&self) -> &[u32] {
        &self.scores.queries.classes.of
    }

    /// Pairs that have been looked at.
    pub fn pairs(&self) -> u64 {
        self.scores.pairs()
    }

    /// Sets the bits of some key positions, ascending, for which the predicate holds.
    pub fn fill(&self, bits: &mut [u64], keys: &[u32], query: usize) {
        let class = self.queries()[query];
        let made;
        let row = match &self.rows {
            Some(rows) => &rows[class as usize],
            // It did not fail when it was looked through.
            None => {
                made = self.scores.truths(class).unwrap_or_default();
                &made
            }
        };
        // All keys, each a class of its own.
        if keys.len() == self.keys().len() && keys.len() == self.scores.keys.count() {
            let length = bits.len().min(row.len());
            return bits[..length].copy_from_slice(&row[..length]);
        }
        let is_set = |key: &u32| {
            let class = self.keys()[*key as usize] as usize;
            row.get(class / 64)
                .is_some_and(|word| word >> (class % 64) & 1 != 0)
        };
        for (word, keys) in bits.iter_mut().zip(keys.chunks(64)) {
            let set = |bits, (bit, key)| bits | u64::from(is_set(key)) << bit;
            *word = keys.iter().enumerate().fold(0, set);
        }
    }
}

impl Scores {
    /// The truth of the scores of all key classes for a query class, as bits.
    fn truths(&self, query: u32) -> Result<Vec<u64>, Arc<Fault>> {
        let mut bits = vec![0_u64; self.keys.count().div_ceil(64)];
        for block in 0..self.blocks() {
            self.unless_stopped()?;
            let column = self.block(block, query);
            if let Some(Values::Bools(bools)) = column.as_ref().map(|column| column.values()) {
                for (at, word) in bools.blocks().enumerate() {
                    bits[block * BLOCK / 64 + at / 2] |= u64::from(word) << (32 * (at % 2));
                }
                continue;
            }
            for key in self.keys_of(block) {
                let score = self.score(&column, (key, query))?;
                bits[key as usize / 64] |= u64::from(score.truthy()) << (key % 64);
            }
        }
        Ok(bits)
    }
}
