//! The feed-forward block of a layer, one column at a time: only the units that can be active, as bounds
//! on the rows say. Where all sums are exact in any order (multiples of a power of two that the float
//! holds), a unit is the one before plus what differs; else the sums are those of the forward pass, in
//! its order. Depends on `scalar` and `sparse`.

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
    output_bias: Vec<(usize, T)>,
    /// Rows that units read and that change, with the least and the most that they have been in columns
    /// of each kind.
    bounds: Vec<Vec<(u32, f64, f64)>>,
    /// The kind of each column, and the values that never change of each kind.
    kind_of: Vec<u32>,
    kinds: Vec<FxHashMap<u32, f64>>,
    plans: Vec<Option<Plan<T>>>,
    /// What rows have been multiples of, for each kind; 0 if of nothing.
    grains: Vec<f64>,
}

/// The units that can be active in a kind of column.
enum Plan<T> {
    /// Each the one before, or 0, plus a constant and weighted rows.
    Exact(Vec<Unit<T>>, Vec<(u32, T)>),
    /// By row: units, counted among the live ones, and weights.
    Ordered {
        live: Vec<(u32, T)>,
        rows: Vec<u32>,
        starts: Vec<u32>,
        entries: Vec<(u32, T)>,
    },
}

struct Unit<T> {
    unit: u32,
    follows: bool,
    constant: T,
    /// Where its weighted rows end; they begin where those before end.
    end: u32,
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
        let changing = (0..fixed.len()).filter(|row| read[*row] && !known.contains(row));
        let output_bias = narrowed::<T>(&mlp.output_bias).into_iter().enumerate();
        Hidden {
            input,
            input_bias: narrowed::<T>(&mlp.input_bias)
                .into_iter()
                .map(T::widen)
                .collect(),
            output: Sparse::by_row(&mlp.output),
            output_bias: output_bias.filter(|(_, bias)| *bias != T::zero()).collect(),
            bounds: vec![changing.map(|row| (row as u32, 0.0, 0.0)).collect(); kinds.len()],
            kind_of,
            plans: kinds.iter().map(|_| None).collect(),
            grains: vec![1.0; kinds.len()],
            kinds,
        }
    }

    /// Adds the block's output to `out`, which is the stream `x` of a column.
    pub fn add_output(&mut self, column: usize, x: &[T], out: &mut [T], hidden: &mut Vec<T>) {
        let mut exact = true;
        let mut wider = false;
        let kind = self.kind_of[column] as usize;
        // Where rows are multiples of nothing, that stays so.
        let grain = match self.grains[kind] > 0.0 {
            true => T::narrow(1.0 / self.grains[kind]),
            false => T::zero(),
        };
        for (row, least, most) in &mut self.bounds[kind] {
            let value = x[*row as usize];
            exact &= (value * grain).is_whole();
            let value = value.widen();
            if value < *least || value > *most {
                wider = true;
                *least = power(value.min(*least));
                *most = power(value.max(*most));
            }
        }
        if wider {
            self.plans[kind] = None;
        }
        if !exact {
            self.grains[kind] = self.grain(kind, x);
            self.plans[kind] = None;
        }
        let plan = self.plans[kind].take();
        let plan = plan.unwrap_or_else(|| self.plan(kind));
        for (row, bias) in &self.output_bias {
            out[*row] += *bias;
        }
        match &plan {
            Plan::Exact(units, terms) => {
                let (mut value, mut start) = (T::zero(), 0);
                for unit in units {
                    value = if unit.follows {
                        value + unit.constant
                    } else {
                        unit.constant
                    };
                    for (row, weight) in &terms[start..unit.end as usize] {
                        value += *weight * x[*row as usize];
                    }
                    start = unit.end as usize;
                    if value > T::zero() {
                        for (row, weight) in self.output.list(unit.unit as usize) {
                            out[*row as usize] += *weight * value;
                        }
                    }
                }
            }
            Plan::Ordered {
                live,
                rows,
                starts,
                entries,
            } => {
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
        }
        self.plans[kind] = Some(plan);
    }

    /// The live units of a kind, as chains of differences if sums are exact.
    fn plan(&self, kind: usize) -> Plan<T> {
        let known = &self.kinds[kind];
        let bounds: FxHashMap<u32, (f64, f64)> = self.bounds[kind]
            .iter()
            .map(|(row, least, most)| (*row, (*least, *most)))
            .collect();
        let reach = |row: u32| match known.get(&row) {
            Some(value) => (*value, *value),
            None => bounds.get(&row).copied().unwrap_or((0.0, 0.0)),
        };
        let mut live = Vec::new();
        for (unit, terms) in self.input.iter().enumerate() {
            let bias = self.input_bias[unit];
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
        let grain = self.grains[kind];
        let chain = (grain > 0.0).then(|| self.chain(&live, known, grain));
        chain.flatten().unwrap_or_else(|| self.ordered(&live))
    }

    /// What the rows of a column are multiples of, and those of its kind before it.
    fn grain(&self, kind: usize, x: &[T]) -> f64 {
        let mut grain = self.grains[kind];
        for (row, _, _) in &self.bounds[kind] {
            let value = x[*row as usize].widen();
            while grain > 0.0 && (value / grain).fract() != 0.0 {
                grain = if grain > LEAST_GRAIN {
                    grain / 2.0
                } else {
                    0.0
                };
            }
        }
        grain
    }

    fn chain(
        &self,
        live: &[(usize, f64)],
        known: &FxHashMap<u32, f64>,
        own: f64,
    ) -> Option<Plan<T>> {
        let mut units = Vec::with_capacity(live.len());
        let mut all = Vec::new();
        let mut before: Option<Before> = None;
        for (unit, size) in live {
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
            all.extend(list.iter().map(|(row, weight)| (*row, T::narrow(*weight))));
            units.push(Unit {
                unit: *unit as u32,
                follows,
                constant: T::narrow(plus),
                end: all.len() as u32,
            });
            before = Some(Before {
                constant,
                changing,
                reach: (folded, grain),
            });
        }
        Some(Plan::Exact(units, all))
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
