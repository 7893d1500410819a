//! The last resort, for any selector: rows of bits. Keys that agree in every column compared are
//! one class and so are queries, and a row is worked out once for each class of queries, 64 classes
//! of keys at a time: comparisons by `bits`, predicates by the tables of `scorer`. Each processor holds one row at
//! once, never a matrix.

use super::bits::Prefixes;
use super::formula::{last_uses, operands};
use super::pair::{Pair, Sides};
use super::tally::Sum;
use super::{Pattern, PatternStep};
use crate::base::parallel;
use crate::graph::SOpId;
use crate::interpret::column::Column;
use crate::interpret::column::classes::Classes;
use crate::interpret::column::rank::rank;
use std::sync::Arc;

/// Queries that one thread answers at least.
const LEAST: usize = 64;

/// The classes of positions by columns, of which some may be the same: O(n log n) for each.
fn classes<'p>(pairs: impl Iterator<Item = (SOpId, &'p Arc<Column>)>, length: usize) -> Classes {
    let mut classes = Classes::one(length);
    let mut seen: Vec<SOpId> = Vec::new();
    for (sop, column) in pairs {
        if classes.count() == length {
            break;
        }
        if !seen.contains(&sop) {
            seen.push(sop);
            let ranked = rank(column, column);
            classes.divide(|position| ranked.keys.get(position));
        }
    }
    classes
}

/// A selector between classes of keys and classes of queries.
pub struct Rows<'p> {
    pattern: &'p Pattern,
    pub keys: Classes,
    pub queries: Classes,
}

impl Rows<'_> {
    pub fn new(pattern: &Pattern) -> Rows<'_> {
        let varying = |pair: &&Arc<Pair>, other: Sides| {
            let sides = pair.sides();
            sides == Sides::Both || sides == other
        };
        let keys = pattern.pairs.iter();
        let keys = keys.filter(|pair| varying(pair, Sides::Keys));
        let queries = pattern.pairs.iter();
        let queries = queries.filter(|pair| varying(pair, Sides::Queries));
        Rows {
            pattern,
            keys: classes(keys.map(|pair| (pair.key_sop, &pair.keys)), pattern.keys),
            queries: classes(
                queries.map(|pair| (pair.query_sop, &pair.queries)),
                pattern.queries,
            ),
        }
    }

    /// Words of bits to work out, which is about how long it takes.
    pub fn cost(&self) -> usize {
        let words = self.keys.count().div_ceil(64) * self.pattern.steps.len() + 1;
        words.saturating_mul(self.queries.count())
    }

    /// The sum over the selected keys of each query, in any order. O(classes of keys · classes of
    /// queries), about a 64th of it for each step.
    pub fn add_up<T: Sum>(&self, weight: impl Fn(usize) -> T) -> Vec<T> {
        let mut sums = vec![T::ZERO; self.keys.count()];
        for (key, class) in self.keys.of.iter().enumerate() {
            sums[*class as usize] = sums[*class as usize].plus(weight(key));
        }
        let prefixes = self.prefixes();
        self.pattern.control.count_pairs(self.cost() as u64);
        let of_class = parallel::map(
            (self.queries.count(), LEAST),
            || RowMaker::new(self, &prefixes),
            |row, query| {
                let mut total = T::ZERO;
                if !self.pattern.control.is_stopped() {
                    row.work_out(query);
                    row.each_set(|class| total = total.plus(sums[class]));
                }
                total
            },
        );
        let of_query = self
            .queries
            .of
            .iter()
            .map(|class| of_class[*class as usize]);
        of_query.collect()
    }

    /// Each pair of columns at the first positions of the classes.
    fn prefixes(&self) -> Vec<Prefixes> {
        let pairs = &self.pattern.pairs;
        let bytes = MEMORY / pairs.len().max(1);
        let prefixes = pairs.iter().map(|pair| {
            let keys = Arc::new(pair.keys.gather(&self.keys.first));
            let ranked = rank(&keys, &Arc::new(pair.queries.gather(&self.queries.first)));
            Prefixes::new(
                &ranked.keys,
                ranked.queries,
                ranked.count,
                self.keys.count(),
                bytes,
            )
        });
        prefixes.collect()
    }
}

/// Bytes for the sets of keys that are kept.
const MEMORY: usize = 64 << 20;

/// Works out rows one after the other, in memory that is used again.
struct RowMaker<'r> {
    rows: &'r Rows<'r>,
    prefixes: &'r [Prefixes],
    last_uses: Vec<usize>,
    /// The bits of each step that is still to be used.
    steps_bits: Vec<Vec<u64>>,
    free: Vec<Vec<u64>>,
    words: usize,
}

impl<'r> RowMaker<'r> {
    fn new(rows: &'r Rows<'_>, prefixes: &'r [Prefixes]) -> RowMaker<'r> {
        let steps = &rows.pattern.steps;
        RowMaker {
            rows,
            prefixes,
            last_uses: last_uses(steps),
            steps_bits: vec![Vec::new(); steps.len()],
            free: Vec::new(),
            words: rows.keys.count().div_ceil(64),
        }
    }

    fn work_out(&mut self, query: usize) {
        self.free
            .extend(self.steps_bits.last_mut().map(std::mem::take));
        for (index, step) in self.rows.pattern.steps.iter().enumerate() {
            let mut bits = self.free.pop().unwrap_or_default();
            bits.resize(self.words, 0);
            let combine = |bits: &mut Vec<u64>, a: &[u64], b: &[u64], op: fn(u64, u64) -> u64| {
                let operands = a.iter().zip(b);
                let both = bits.iter_mut().zip(operands);
                both.for_each(|(bits, (a, b))| *bits = op(*a, *b));
            };
            let done = &self.steps_bits;
            match step {
                PatternStep::Leaf(pair, wanted) => {
                    self.prefixes[*pair].fill(&mut bits, query, *wanted);
                }
                PatternStep::Table(table) => {
                    let query = self.rows.queries.first[query] as usize;
                    let keys = &self.rows.keys.first;
                    self.rows.pattern.tables[*table].fill(&mut bits, keys, query);
                }
                PatternStep::And(a, b) => {
                    combine(&mut bits, &done[*a], &done[*b], |a, b| a & b);
                }
                PatternStep::Or(a, b) => {
                    combine(&mut bits, &done[*a], &done[*b], |a, b| a | b);
                }
                PatternStep::Not(a) => combine(&mut bits, &done[*a], &done[*a], |a, _| !a),
            }
            self.steps_bits[index] = bits;
            for operand in operands(step) {
                let done = &mut self.steps_bits[operand];
                if self.last_uses[operand] == index && !done.is_empty() {
                    self.free.push(std::mem::take(done));
                }
            }
        }
    }

    fn each_set(&self, mut f: impl FnMut(usize)) {
        let count = self.rows.keys.count();
        for (index, word) in self.steps_bits.last().into_iter().flatten().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                let class = index * 64 + rest.trailing_zeros() as usize;
                if class >= count {
                    return;
                }
                f(class);
                rest &= rest - 1;
            }
        }
    }
}
