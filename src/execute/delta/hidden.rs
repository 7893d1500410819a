//! The feed-forward block of a layer, one column at a time: only the units that share rows with what has
//! changed, and of these only those that can be active, as the ranges of the rows say. Where all sums are
//! exact in any order (multiples of a power of two that the float holds), a unit is the one before plus
//! what differs; else the sums are those of the forward pass, in its order. Depends on `range`, `scalar`
//! and `sparse`.

use super::block::{Block, blocks};
use super::exact::{Exact, Table};
use super::range::Range;
use super::rows::{self, RowSet};
use crate::execute::scalar::{Scalar, narrowed};
use crate::execute::sparse::Sparse;
use crate::model::FeedForward;
use rustc_hash::FxHashMap;

/// Rows whose values never change tell columns apart, as long as they make no more kinds than this.
const MOST_KINDS: usize = 64;

/// A feed-forward block with what is known of the rows that it reads.
pub(super) struct Hidden<T> {
    /// By unit: rows and weights.
    input: Vec<Vec<(u32, f64)>>,
    input_bias: Vec<f64>,
    output: Sparse<T>,
    output_bias: Vec<T>,
    blocks: Vec<Block>,
    d_model: usize,
    /// The blocks that read or write each row, as bits, `[d_model, words]`.
    blocks_of: Vec<u64>,
    /// The rows that it writes.
    pub written: RowSet,
    /// The kind of each column, and the values that never change of each kind.
    kind_of: Vec<u32>,
    kinds: Vec<FxHashMap<u32, f64>>,
    /// What each row has been in columns of each kind, `[kinds, d_model]`.
    ranges: Vec<Range<T>>,
    /// What to do for each block in columns of each kind, `[kinds, blocks]`; nothing yet where ranges are
    /// others now.
    plans: Vec<Option<Plan<T>>>,
}

/// The units of a block that can be active in a kind of column.
enum Plan<T> {
    Exact(Exact<T>, Option<Table<T>>),
    /// By row: units, counted among the live ones, and weights.
    Ordered {
        live: Vec<(u32, T)>,
        rows: Vec<u32>,
        starts: Vec<u32>,
        entries: Vec<(u32, T)>,
    },
}

/// Weighted rows, and units that are these and a constant.
struct Linear {
    constant: f64,
    changing: Vec<(u32, f64)>,
    /// How large its sums can be, and what they are multiples of.
    reach: (f64, f64),
    /// Each unit, and by how much its constant is larger.
    units: Vec<(usize, f64)>,
}

impl<T: Scalar> Hidden<T> {
    /// `fixed` are the rows that nothing writes; `at` gives what stands in them, by row and column.
    pub fn new(
        mlp: &FeedForward,
        fixed: &[bool],
        columns: usize,
        at: &dyn Fn(usize, usize) -> T,
    ) -> Hidden<T> {
        let mut input = vec![Vec::new(); mlp.d_mlp()];
        let mut read = vec![false; fixed.len()];
        for (row, unit, weight) in mlp.input.entries() {
            input[unit].push((row as u32, T::narrow(weight).widen()));
            read[row] = true;
        }
        let mut known: Vec<usize> = (0..fixed.len())
            .filter(|row| fixed[*row] && read[*row])
            .collect();
        let mut numbers: FxHashMap<Vec<u64>, u32> = FxHashMap::default();
        let mut kind_of = Vec::new();
        for column in 0..columns {
            let bits = known.iter().map(|row| at(*row, column).widen().to_bits());
            let next = numbers.len() as u32;
            kind_of.push(*numbers.entry(bits.collect()).or_insert(next));
            if numbers.len() > MOST_KINDS {
                known.clear();
                kind_of = vec![0; columns];
                break;
            }
        }
        let count = kind_of.iter().max().map_or(0, |kind| *kind as usize + 1);
        let mut kinds = vec![FxHashMap::default(); count];
        for (column, kind) in kind_of.iter().enumerate() {
            let values = known
                .iter()
                .map(|row| (*row as u32, at(*row, column).widen()));
            kinds[*kind as usize] = values.collect();
        }
        let output_bias = narrowed::<T>(&mlp.output_bias);
        let mut is_written: Vec<bool> = output_bias.iter().map(|bias| *bias != T::zero()).collect();
        mlp.output
            .entries()
            .for_each(|(_, row, _)| is_written[row] = true);
        let blocks = blocks(mlp, &input, &is_written, &known);
        let words = blocks.len().div_ceil(64);
        let mut blocks_of = vec![0; fixed.len() * words];
        for (number, block) in blocks.iter().enumerate() {
            for row in block.reads.iter().chain(&block.writes) {
                rows::insert(&mut blocks_of[*row as usize * words..], number);
            }
        }
        let mut ranges = vec![Range::any(); fixed.len()];
        for row in blocks.iter().flat_map(|block| &block.reads) {
            let row = *row as usize;
            ranges[row] = Range::zero();
            // It will not change, so that it is all known now.
            let values = (0..columns).map(|column| at(row, column));
            for value in values.filter(|_| fixed[row]) {
                ranges[row].note(value);
            }
        }
        Hidden {
            input,
            input_bias: narrowed::<T>(&mlp.input_bias)
                .into_iter()
                .map(T::widen)
                .collect(),
            output: Sparse::by_row(&mlp.output),
            output_bias,
            ranges: ranges.repeat(kinds.len()),
            plans: kinds.iter().flat_map(|_| &blocks).map(|_| None).collect(),
            d_model: fixed.len(),
            blocks,
            blocks_of,
            written: rows::set(fixed.len(), (0..fixed.len()).filter(|row| is_written[*row])),
            kind_of,
            kinds,
        }
    }

    /// Takes in the rows of a column that have changed, in its stream `x`, and leaves in `found` the blocks
    /// that they belong to, as bits.
    pub fn change(&mut self, column: usize, rows: &[u64], x: &[T], found: &mut Vec<u64>) {
        let (kind, words) = (
            self.kind_of[column] as usize,
            self.blocks.len().div_ceil(64),
        );
        let ranges = &mut self.ranges[kind * self.d_model..][..self.d_model];
        let plans = &mut self.plans[kind * self.blocks.len()..][..self.blocks.len()];
        found.clear();
        found.resize(words, 0);
        rows::each(rows, |row| {
            let blocks = &self.blocks_of[row * words..(row + 1) * words];
            rows::add(found, blocks);
            if !ranges[row].holds(x[row]) && ranges[row].note(x[row]) {
                rows::each(blocks, |block| plans[block] = None);
            }
        });
    }

    /// Adds to `results` the rows of a block whose values after it, where the stream of a column is `x`, are
    /// other than in `target`; `out` and `hidden` are for its use. All rows that have changed have been
    /// taken in.
    pub fn evaluate(
        &mut self,
        (column, block): (usize, usize),
        (x, target): (&[T], &[T]),
        (out, hidden): (&mut [T], &mut Vec<T>),
        results: &mut Vec<(u32, T)>,
    ) {
        let kind = self.kind_of[column] as usize;
        let number = kind * self.blocks.len() + block;
        if self.plans[number].is_none() {
            self.plans[number] = Some(self.plan(kind, block));
        }
        let writes = &self.blocks[block].writes;
        let mut compare = |row: u32, value: T| {
            if value != target[row as usize] {
                results.push((row, value));
            }
        };
        match &self.plans[number] {
            Some(Plan::Exact(exact, table)) => {
                if let Some(found) = table.as_ref().and_then(|table| table.find(x)) {
                    let found = writes.iter().zip(found);
                    return found.for_each(|(row, value)| compare(*row, *value));
                }
                exact.run(x, out);
            }
            Some(Plan::Ordered {
                live,
                rows,
                starts,
                entries,
            }) => {
                for row in writes {
                    out[*row as usize] = x[*row as usize] + self.output_bias[*row as usize];
                }
                hidden.clear();
                hidden.extend(live.iter().map(|(_, bias)| *bias));
                for (index, row) in rows.iter().enumerate() {
                    let value = x[*row as usize];
                    if value != T::zero() {
                        let range = starts[index] as usize..starts[index + 1] as usize;
                        for (unit, weight) in &entries[range] {
                            hidden[*unit as usize] += *weight * value;
                        }
                    }
                }
                for ((unit, _), value) in live.iter().zip(hidden.iter()) {
                    if *value > T::zero() {
                        for (row, weight) in self.output.list(*unit as usize) {
                            out[*row as usize] += *weight * *value;
                        }
                    }
                }
            }
            None => {}
        }
        writes
            .iter()
            .for_each(|row| compare(*row, out[*row as usize]));
    }

    /// The live units of a block in a kind of column, as chains of differences if sums are exact.
    fn plan(&self, kind: usize, block: usize) -> Plan<T> {
        let known = &self.kinds[kind];
        let ranges = &self.ranges[kind * self.d_model..][..self.d_model];
        let reach = |row: u32| match known.get(&row) {
            Some(value) => (*value, *value),
            None => {
                let range = &ranges[row as usize];
                (range.least.widen(), range.most.widen())
            }
        };
        let mut live = Vec::new();
        for unit in &self.blocks[block].units {
            let unit = *unit as usize;
            let (bias, terms) = (self.input_bias[unit], &self.input[unit]);
            let (mut most, mut size) = (bias, bias.abs());
            for (row, weight) in terms {
                let (low, high) = reach(*row);
                most += (weight * low).max(weight * high);
                size += weight.abs() * low.abs().max(high.abs());
            }
            let slack = size * T::epsilon().widen() * (terms.len() as f64 + 4.0);
            let is_dead = most + slack <= 0.0;
            if !is_dead {
                live.push((unit, size));
            }
        }
        let reads = self.blocks[block].reads.iter();
        let is_exact = reads
            .clone()
            .all(|row| ranges[*row as usize].scale > T::zero());
        let chain = is_exact.then(|| self.chain(block, &live, known, ranges));
        chain.flatten().unwrap_or_else(|| self.ordered(&live))
    }

    fn chain(
        &self,
        block: usize,
        live: &[(usize, f64)],
        known: &FxHashMap<u32, f64>,
        ranges: &[Range<T>],
    ) -> Option<Plan<T>> {
        let Block { reads, writes, .. } = &self.blocks[block];
        let biased = |row: &u32| (*row, self.output_bias[*row as usize]);
        let mut exact = Exact::new(writes.iter().map(biased).collect());
        let mut sums: Vec<Linear> = Vec::new();
        for (unit, size) in live {
            let terms = &self.input[*unit];
            let bias = self.input_bias[*unit];
            let grain = terms.iter().fold(grain(bias), |least, (row, weight)| {
                let row = match known.get(row) {
                    Some(value) => grain(*value),
                    None => ranges[*row as usize].grain(),
                };
                least.min(grain(*weight) * row)
            });
            let products = || {
                terms
                    .iter()
                    .filter_map(|(row, weight)| Some(known.get(row)? * weight))
            };
            let constant = bias + products().sum::<f64>();
            // Partial sums are multiples of the grain: those of the forward pass no larger than all
            // terms together, those of the chain than what changes of this sum and the one before.
            let folded = size - bias.abs() - products().map(f64::abs).sum::<f64>() + constant.abs();
            let most = 2.0 / T::epsilon().widen();
            if size / grain > most {
                return None;
            }
            let changing: Vec<(u32, f64)> = terms
                .iter()
                .filter(|(row, _)| !known.contains_key(row))
                .copied()
                .collect();
            match sums.last_mut().filter(|sum| sum.changing == changing) {
                Some(sum) => sum.units.push((*unit, constant - sum.constant)),
                None => {
                    let last = sums.last().map_or((0.0, f64::INFINITY), |sum| sum.reach);
                    if (folded + last.0) / grain.min(last.1) > most {
                        return None;
                    }
                    sums.push(Linear {
                        constant,
                        changing,
                        reach: (folded, grain),
                        units: vec![(*unit, 0.0)],
                    });
                }
            }
        }
        let held = |number: f64| Some(T::narrow(number)).filter(|held| held.widen() == number);
        let mut before: Option<&Linear> = None;
        for sum in &sums {
            let own = before.map(|before| {
                let list = differences(&before.changing, &sum.changing);
                (sum.constant - before.constant, list)
            });
            let shorter = own.filter(|(_, terms)| terms.len() <= sum.changing.len());
            let follows = shorter.is_some();
            let (constant, terms) = shorter.unwrap_or((sum.constant, sum.changing.clone()));
            let terms = terms
                .into_iter()
                .map(|(row, weight)| Some((row, held(weight)?)));
            let terms: Vec<(u32, T)> = terms.collect::<Option<_>>()?;
            exact.sum((follows, held(constant)?), terms.into_iter());
            for row in writes {
                let mut part = Vec::new();
                for (unit, constant) in &sum.units {
                    let mut entries = self.output.list(*unit).iter();
                    if let Some((_, weight)) = entries.find(|entry| entry.0 == *row) {
                        part.push((held(*constant)?, *weight));
                    }
                }
                if !part.is_empty() {
                    exact.part(*row, part.into_iter());
                }
            }
            before = Some(sum);
        }
        let reads: Vec<(u32, Range<T>)> = reads
            .iter()
            .map(|row| (*row, ranges[*row as usize]))
            .collect();
        let table = Table::new(&exact, &reads, self.output_bias.len());
        Some(Plan::Exact(exact, table))
    }

    fn ordered(&self, live: &[(usize, f64)]) -> Plan<T> {
        let mut by_row: Vec<(u32, u32, T)> = Vec::new();
        for (index, (unit, _)) in live.iter().enumerate() {
            let terms = self.input[*unit].iter();
            by_row.extend(terms.map(|(row, weight)| (*row, index as u32, T::narrow(*weight))));
        }
        by_row.sort_by_key(|(row, unit, _)| (*row, *unit));
        let (mut rows, mut starts) = (Vec::new(), Vec::new());
        for (at, (row, _, _)) in by_row.iter().enumerate() {
            if rows.last() != Some(row) {
                rows.push(*row);
                starts.push(at as u32);
            }
        }
        starts.push(by_row.len() as u32);
        let biased = |(unit, _): &(usize, f64)| (*unit as u32, T::narrow(self.input_bias[*unit]));
        Plan::Ordered {
            live: live.iter().map(biased).collect(),
            rows,
            starts,
            entries: by_row
                .into_iter()
                .map(|(_, unit, weight)| (unit, weight))
                .collect(),
        }
    }
}

/// The largest power of two that a number is a multiple of; infinite for 0.
fn grain(value: f64) -> f64 {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
    match exponent {
        0 if fraction == 0 => f64::INFINITY,
        // A subnormal number is no multiple of anything that matters.
        0 => 0.0,
        _ => {
            let lowest = (fraction | 1 << 52).trailing_zeros() as i32;
            2f64.powi(exponent as i32 - 1075 + lowest)
        }
    }
}

/// What has to be added to one list of weighted rows, ascending, to make another.
fn differences(from: &[(u32, f64)], to: &[(u32, f64)]) -> Vec<(u32, f64)> {
    let mut found = Vec::new();
    let (mut from, mut to) = (from.iter().peekable(), to.iter().peekable());
    loop {
        let (row, weight) = match (from.peek(), to.peek()) {
            (None, None) => return found,
            (Some((old, before)), Some((new, after))) if old == new => {
                let both = (*new, after - before);
                from.next();
                to.next();
                both
            }
            (Some((old, before)), new) if new.is_none_or(|(new, _)| old < new) => {
                let gone = (*old, -before);
                from.next();
                gone
            }
            (_, new) => {
                let added = new.map_or((0, 0.0), |(row, weight)| (*row, *weight));
                to.next();
                added
            }
        };
        if weight != 0.0 {
            found.push((row, weight));
        }
    }
}
