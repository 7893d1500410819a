//! The last resort, for any selector: rows of bits. Keys that agree in every column compared are
//! one class and so are queries, and a row is worked out once for each class of queries, 64 classes
//! of keys at a time. One row is held at once, never a matrix.

use super::column::Column;
use super::rank::{Ranked, Ranks, rank};
use super::selector::{Pair, Pattern, Relations, Sides, Step, relation};
use super::tally::{Mixed, Sum};
use crate::graph::SOpId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Positions that agree in some columns.
pub struct Classes {
    /// The class of each position; classes are numbered by their first positions.
    of: Vec<u32>,
    /// The first position of each class.
    first: Vec<u32>,
}

impl Classes {
    /// The classes of positions by columns: O(n log n) for each of them.
    fn new<'p>(pairs: impl Iterator<Item = (SOpId, &'p Rc<Column>)>, length: usize) -> Classes {
        let mut classes = Classes {
            of: vec![0; length],
            first: vec![0],
        };
        let mut seen: Vec<SOpId> = Vec::new();
        for (sop, column) in pairs {
            if classes.first.len() == length {
                break;
            }
            if !seen.contains(&sop) {
                seen.push(sop);
                classes.divide(column);
            }
        }
        classes
    }

    fn divide(&mut self, column: &Rc<Column>) {
        let ranked = rank(column, column);
        let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        self.first.clear();
        for (position, class) in self.of.iter_mut().enumerate() {
            let next = numbers.len() as u32;
            let number = *numbers
                .entry((*class, ranked.keys.get(position)))
                .or_insert(next);
            if number == next {
                self.first.push(position as u32);
            }
            *class = number;
        }
    }

    pub fn count(&self) -> usize {
        self.first.len()
    }
}

/// A selector between classes of keys and classes of queries.
pub struct Rows<'p> {
    pattern: &'p Pattern,
    pub keys: Classes,
    pub queries: Classes,
}

impl Rows<'_> {
    pub fn new(pattern: &Pattern) -> Rows<'_> {
        let varying = |pair: &&Pair, other: Sides| {
            let sides = pair.sides();
            sides == Sides::Both || sides == other
        };
        let keys = pattern.pairs.iter();
        let keys = keys.filter(|pair| varying(pair, Sides::Keys));
        let queries = pattern.pairs.iter();
        let queries = queries.filter(|pair| varying(pair, Sides::Queries));
        Rows {
            pattern,
            keys: Classes::new(keys.map(|pair| (pair.key_sop, &pair.keys)), pattern.keys),
            queries: Classes::new(
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
        let mut row = Row::new(self);
        let of_class: Vec<T> = (0..self.queries.count())
            .map(|query| {
                let mut total = T::ZERO;
                if self.pattern.control.is_stopped() {
                    return total;
                }
                row.work_out(query);
                row.each_set(|class| total = total.plus(sums[class]));
                total
            })
            .collect();
        let of_query = self
            .queries
            .of
            .iter()
            .map(|class| of_class[*class as usize]);
        of_query.collect()
    }

    /// The sum over the selected keys in the order of their positions, for the queries for which
    /// it is needed. O(n) for each class of those.
    pub fn add_up_in_order(
        &self,
        needed: impl Fn(usize) -> bool,
        weight: impl Fn(usize) -> Mixed,
    ) -> Vec<Mixed> {
        let mut row = Row::new(self);
        let mut of_class: Vec<Option<Mixed>> = vec![None; self.queries.count()];
        let mut results = Vec::with_capacity(self.pattern.queries);
        let single = self.keys.count() == self.pattern.keys;
        for (query, class) in self.queries.of.iter().enumerate() {
            let known = &mut of_class[*class as usize];
            if known.is_none() && needed(query) && !self.pattern.control.is_stopped() {
                let mut total = Mixed::ZERO;
                row.work_out(*class as usize);
                if single {
                    row.each_set(|key| total = total.plus(weight(key)));
                } else {
                    for (key, class) in self.keys.of.iter().enumerate() {
                        if row.is_set(*class as usize) {
                            total = total.plus(weight(key));
                        }
                    }
                }
                *known = Some(total);
            }
            results.push(known.unwrap_or(Mixed::ZERO));
        }
        results
    }
}

/// Works out rows one after the other, in memory that is used again.
struct Row<'r> {
    rows: &'r Rows<'r>,
    steps: &'r [Step],
    /// Each pair of columns, ranked at the first positions of the classes.
    pairs: Vec<Ranked>,
    count: usize,
    /// The bits of each step, of one block of keys.
    steps_bits: Vec<Vec<u64>>,
    /// The bits of the selector.
    bits: Vec<u64>,
}

/// Words of bits held for all steps together, however deep the selector is nested.
const WORDS: usize = 1 << 20;

impl<'r> Row<'r> {
    fn new(rows: &'r Rows<'_>) -> Row<'r> {
        let count = rows.keys.count();
        let pairs = rows.pattern.pairs.iter().map(|pair| {
            let keys = Rc::new(pair.keys.gather(&rows.keys.first));
            rank(&keys, &Rc::new(pair.queries.gather(&rows.queries.first)))
        });
        let words = count.div_ceil(64);
        let steps = &rows.pattern.steps;
        let block = (WORDS / steps.len().max(1)).clamp(1, words);
        Row {
            rows,
            steps,
            pairs: pairs.collect(),
            count,
            steps_bits: vec![vec![0; block]; steps.len()],
            bits: vec![0; words],
        }
    }

    fn work_out(&mut self, query: usize) {
        let block = self.steps_bits.first().map_or(1, Vec::len);
        for start in (0..self.bits.len()).step_by(block) {
            self.work_out_block(query, start);
            let end = self.bits.len().min(start + block);
            if let Some(last) = self.steps_bits.last() {
                self.bits[start..end].copy_from_slice(&last[..end - start]);
            }
        }
    }

    /// The bits of each step for the block of keys that begins with a word.
    fn work_out_block(&mut self, query: usize, start: usize) {
        for (index, step) in self.steps.iter().enumerate() {
            let (done, rest) = self.steps_bits.split_at_mut(index);
            let bits = &mut rest[0];
            let combine = |bits: &mut Vec<u64>, a: usize, b: usize, op: fn(u64, u64) -> u64| {
                let operands = done[a].iter().zip(&done[b]);
                bits.iter_mut()
                    .zip(operands)
                    .for_each(|(bits, (a, b))| *bits = op(*a, *b));
            };
            match step {
                Step::Leaf(pair, wanted) => {
                    let pair = &self.pairs[*pair];
                    fill(
                        bits,
                        start * 64,
                        &pair.keys,
                        pair.queries.get(query),
                        *wanted,
                    );
                }
                Step::Table(table) => {
                    let table = &self.rows.pattern.tables[*table];
                    let query = self.rows.queries.first[query] as usize;
                    fill_with(bits, start * 64, self.count, |key| {
                        table.holds(self.rows.keys.first[key] as usize, query)
                    });
                }
                Step::And(a, b) => combine(bits, *a, *b, |a, b| a & b),
                Step::Or(a, b) => combine(bits, *a, *b, |a, b| a | b),
                Step::Not(a) => combine(bits, *a, *a, |a, _| !a),
            }
        }
    }

    fn is_set(&self, class: usize) -> bool {
        self.bits[class / 64] >> (class % 64) & 1 != 0
    }

    fn each_set(&self, mut f: impl FnMut(usize)) {
        for (index, word) in self.bits.iter().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                let class = index * 64 + rest.trailing_zeros() as usize;
                if class >= self.count {
                    return;
                }
                f(class);
                rest &= rest - 1;
            }
        }
    }
}

/// Fills the words of the key classes `from..count` from a condition on a class.
fn fill_with(words: &mut [u64], from: usize, count: usize, holds: impl Fn(usize) -> bool) {
    for (index, word) in words.iter_mut().enumerate() {
        let first = from + index * 64;
        let classes = first..count.min(first + 64);
        *word = classes.enumerate().fold(0, |bits, (bit, class)| {
            bits | u64::from(holds(class)) << bit
        });
    }
}

fn fill(words: &mut [u64], from: usize, keys: &Ranks, query: u32, wanted: Relations) {
    match keys {
        Ranks::Constant(key) => {
            let holds = relation(*key, query) & wanted != 0;
            words.fill(if holds { u64::MAX } else { 0 });
        }
        Ranks::List(keys) => {
            for (word, keys) in words.iter_mut().zip(keys[from..].chunks(64)) {
                *word = keys.iter().enumerate().fold(0, |bits, (bit, key)| {
                    bits | u64::from(relation(*key, query) & wanted != 0) << bit
                });
            }
        }
    }
}
