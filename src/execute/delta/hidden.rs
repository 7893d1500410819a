//! The feed-forward block of a layer, one column at a time: only the units that share rows with what has
//! changed, and of these only those that can be active, as bounds on the rows say. Where all sums are exact in any order (multiples of a power of two that the float
//! holds), a unit is the one before plus what differs; else the sums are those of the forward pass, in
//! its order. Depends on `scalar` and `sparse`.

use super::block::{Block, blocks};
use super::exact::{Exact, Table};
use super::rows::{self, RowSet};
use crate::execute::scalar::{Scalar, narrowed};
use crate::execute::sparse::Sparse;
use crate::model::FeedForward;
use rustc_hash::FxHashMap;

/// Rows whose values never change tell columns apart, as long as they make no more kinds than this.
const MOST_KINDS: usize = 64;

/// The least number that rows may be multiples of where sums are to be exact.
const LEAST_GRAIN: f64 = 1.0 / 16.0;

/// A feed-forward block with what is known of the rows that it reads.
pub(super) struct Hidden<T> {
    /// By unit: rows and weights.
    input: Vec<Vec<(u32, f64)>>,
    input_bias: Vec<f64>,
    output: Sparse<T>,
    output_bias: Vec<T>,
    blocks: Vec<Block>,
    /// The block of each row; that after the last if it has none.
    block_of: Vec<usize>,
    written: RowSet,
    /// The kind of each column, and the values that never change of each kind.
    kind_of: Vec<u32>,
    kinds: Vec<FxHashMap<u32, f64>>,
    /// What is known of each block in columns of each kind, kind after kind.
    known: Vec<Known<T>>,
}

struct Known<T> {
    /// What is read, with the least and the most that it has been.
    bounds: Vec<(u32, f64, f64)>,
    /// What that has been multiples of; 0 if of nothing.
    grain: f64,
    plan: Option<Plan<T>>,
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

/// What a chain goes on from.
struct Before {
    constant: f64,
    changing: Vec<(u32, f64)>,
    /// How large its sums can be, and what they are multiples of.
    reach: (f64, f64),
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
        let (blocks, block_of) = blocks(mlp, &input, &is_written, (fixed, &known));
        let begin = |block: &Block| Known {
            bounds: block.reads.iter().map(|row| (*row, 0.0, 0.0)).collect(),
            grain: 1.0,
            plan: None,
        };
        Hidden {
            input,
            input_bias: narrowed::<T>(&mlp.input_bias)
                .into_iter()
                .map(T::widen)
                .collect(),
            output: Sparse::by_row(&mlp.output),
            output_bias,
            known: kinds
                .iter()
                .flat_map(|_| blocks.iter().map(begin))
                .collect(),
            blocks,
            block_of,
            written: rows::set(fixed.len(), (0..fixed.len()).filter(|row| is_written[*row])),
            kind_of,
            kinds,
        }
    }

    /// The rows that it writes.
    pub fn written(&self) -> &RowSet {
        &self.written
    }

    /// The blocks that rows belong to, as bits.
    pub fn affected(&self, rows: &[u64], found: &mut Vec<u64>) {
        let none = self.blocks.len();
        found.clear();
        found.resize(none / 64 + 1, 0);
        rows::each(rows, |row| {
            let block = self.block_of[row];
            found[block / 64] |= 1 << (block % 64);
        });
        found[none / 64] &= !(1 << (none % 64));
    }

    /// Leaves in `out` what the stream `x` of a column is after a block, in the rows that this writes;
    /// gives those.
    pub fn evaluate(
        &mut self,
        (column, block): (usize, usize),
        x: &[T],
        out: &mut [T],
        hidden: &mut Vec<T>,
    ) -> &[u32] {
        let kind = self.kind_of[column] as usize;
        let number = kind * self.blocks.len() + block;
        let is_within = match &self.known[number].plan {
            Some(Plan::Exact(exact, table)) => {
                if let Some(found) = table.as_ref().and_then(|table| table.find(x)) {
                    let writes = &self.blocks[block].writes;
                    for (row, value) in writes.iter().zip(found) {
                        out[*row as usize] = *value;
                    }
                    return writes;
                }
                exact.holds(x)
            }
            _ => false,
        };
        if !is_within && self.known[number].note(x) {
            self.known[number].plan = Some(self.plan(kind, block));
        }
        let block = &self.blocks[block];
        match &self.known[number].plan {
            Some(Plan::Exact(exact, _)) => exact.run(x, out, hidden),
            Some(Plan::Ordered {
                live,
                rows,
                starts,
                entries,
            }) => {
                for row in &block.writes {
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
        &block.writes
    }

    /// The live units of a block in a kind of column, as chains of differences if sums are exact.
    fn plan(&self, kind: usize, block: usize) -> Plan<T> {
        let known = &self.kinds[kind];
        let own = &self.known[kind * self.blocks.len() + block];
        let bounds: FxHashMap<u32, (f64, f64)> = own
            .bounds
            .iter()
            .map(|(row, least, most)| (*row, (*least, *most)))
            .collect();
        let reach = |row: u32| match known.get(&row) {
            Some(value) => (*value, *value),
            None => bounds.get(&row).copied().unwrap_or((0.0, 0.0)),
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
        let chain = (own.grain > 0.0).then(|| self.chain(block, &live, known, own));
        chain.flatten().unwrap_or_else(|| self.ordered(&live))
    }

    fn chain(
        &self,
        block: usize,
        live: &[(usize, f64)],
        known: &FxHashMap<u32, f64>,
        of: &Known<T>,
    ) -> Option<Plan<T>> {
        let own = of.grain;
        let writes = &self.blocks[block].writes;
        let read = |(row, least, most): &(u32, f64, f64)| {
            let [least, most] = [*least, *most].map(T::narrow);
            (*row, least, most)
        };
        let reads = of.bounds.iter().map(read).collect();
        let mut exact = Exact::new(reads, T::narrow(1.0 / own));
        let mut outputs = vec![Vec::new(); writes.len()];
        let mut before: Option<Before> = None;
        for (number, (unit, size)) in (0..).zip(live) {
            let terms = &self.input[*unit];
            let bias = self.input_bias[*unit];
            let grain = terms.iter().fold(grain(bias), |least, (row, weight)| {
                let row = known.get(row).map_or(own, |value| grain(*value));
                least.min(grain(*weight) * row)
            });
            let products = || {
                terms
                    .iter()
                    .filter_map(|(row, weight)| Some(known.get(row)? * weight))
            };
            let constant = bias + products().sum::<f64>();
            // Partial sums are multiples of the grain: those of the forward pass no larger than all
            // terms together, those of the chain than what changes of this unit and the one before.
            let folded = size - bias.abs() - products().map(f64::abs).sum::<f64>() + constant.abs();
            let last = before
                .as_ref()
                .map_or((0.0, f64::INFINITY), |before| before.reach);
            let most = 2.0 / T::epsilon().widen();
            if size / grain > most || (folded + last.0) / grain.min(last.1) > most {
                return None;
            }
            let changing: Vec<(u32, f64)> = terms
                .iter()
                .filter(|(row, _)| !known.contains_key(row))
                .copied()
                .collect();
            let own = before.as_ref().map(|before| {
                let list = differences(&before.changing, &changing);
                (constant - before.constant, list)
            });
            let follows = own
                .as_ref()
                .is_some_and(|(_, terms)| terms.len() <= changing.len());
            let (plus, list) = match own {
                Some(own) if follows => own,
                _ => (constant, changing.clone()),
            };
            let is_held = |number: f64| T::narrow(number).widen() == number;
            if !is_held(plus) || !list.iter().all(|(_, weight)| is_held(*weight)) {
                return None;
            }
            let narrowed = list.iter().map(|(row, weight)| (*row, T::narrow(*weight)));
            exact.unit((follows, T::narrow(plus)), narrowed);
            for (row, weight) in self.output.list(*unit) {
                if let Ok(at) = writes.binary_search(row) {
                    outputs[at].push((number, *weight));
                }
            }
            before = Some(Before {
                constant,
                changing,
                reach: (folded, grain),
            });
        }
        for (row, outputs) in writes.iter().zip(outputs) {
            exact.write((*row, self.output_bias[*row as usize]), outputs.into_iter());
        }
        let table = Table::new(&exact, self.output_bias.len());
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

impl<T: Scalar> Known<T> {
    /// Takes in the rows of a column; whether there has to be another plan.
    fn note(&mut self, x: &[T]) -> bool {
        let mut is_new = self.plan.is_none();
        for (row, least, most) in &mut self.bounds {
            let value = x[*row as usize].widen();
            if value < *least || value > *most {
                is_new = true;
                *least = power(value.min(*least));
                *most = power(value.max(*most));
            }
            while self.grain > 0.0 && (value / self.grain).fract() != 0.0 {
                is_new = true;
                self.grain = if self.grain > LEAST_GRAIN {
                    self.grain / 2.0
                } else {
                    0.0
                };
            }
        }
        is_new
    }
}

/// The next power of two away from 0.
fn power(value: f64) -> f64 {
    match value == 0.0 {
        true => 0.0,
        false => value.signum() * value.abs().log2().ceil().exp2().max(value.abs()),
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
