//! Units of which all sums are exact, so that their order does not matter: as a list of what to add up,
//! and where what they read has few values, as a table of what comes out. Depends on `scalar`.

use crate::execute::scalar::Scalar;

/// Units whose sums are exact in any order.
pub(super) struct Exact<T> {
    /// The rows that are read, each with the least and the most that it can be.
    pub reads: Vec<(u32, T, T)>,
    /// What makes a whole number of all that is read.
    pub scale: T,
    units: Vec<Unit<T>>,
    /// Rows and weights, unit after unit.
    terms: Vec<(u32, T)>,
    writes: Vec<Write<T>>,
    /// Units and weights, written row after written row.
    outputs: Vec<(u32, T)>,
}

/// A unit as a sum of weighted rows.
struct Unit<T> {
    constant: T,
    /// Whether it goes on from the unit before.
    follows: bool,
    /// Where its terms end.
    end: usize,
}

/// A row that is written.
struct Write<T> {
    row: u32,
    bias: T,
    /// Where the units that write it end.
    end: usize,
}

impl<T: Scalar> Exact<T> {
    pub fn new(reads: Vec<(u32, T, T)>, scale: T) -> Exact<T> {
        Exact {
            reads,
            scale,
            units: Vec::new(),
            terms: Vec::new(),
            writes: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// Adds a unit of a constant and weighted rows, added to what the unit before is if it follows that.
    pub fn unit(&mut self, (follows, constant): (bool, T), terms: impl Iterator<Item = (u32, T)>) {
        self.terms.extend(terms);
        self.units.push(Unit {
            constant,
            follows,
            end: self.terms.len(),
        });
    }

    /// Adds a row that is written, with its bias, and the units that write it, ascending.
    pub fn write(&mut self, (row, bias): (u32, T), outputs: impl Iterator<Item = (u32, T)>) {
        self.outputs.extend(outputs);
        self.writes.push(Write {
            row,
            bias,
            end: self.outputs.len(),
        });
    }

    /// Whether a stream is within what the units are for.
    pub fn holds(&self, x: &[T]) -> bool {
        // Nearly always all are, so that it costs less to look at all than to be ready to stop.
        self.reads.iter().fold(true, |all, (row, least, most)| {
            let value = x[*row as usize];
            all & (value >= *least) & (value <= *most) & (value * self.scale).is_whole()
        })
    }

    /// Leaves in `out` what the written rows of the stream `x` are after the units, and in `hidden` the
    /// units.
    pub fn run(&self, x: &[T], out: &mut [T], hidden: &mut Vec<T>) {
        hidden.clear();
        let (mut value, mut start) = (T::zero(), 0);
        for unit in &self.units {
            // On its own first: units wait for each other no longer than one sum takes.
            let mut own = unit.constant;
            for (row, weight) in &self.terms[start..unit.end] {
                own += *weight * x[*row as usize];
            }
            start = unit.end;
            value = if unit.follows { value + own } else { own };
            // Without a branch, as nobody can tell which units are active.
            hidden.push(if value > T::zero() { value } else { T::zero() });
        }
        start = 0;
        for Write { row, bias, end } in &self.writes {
            let mut sum = x[*row as usize] + *bias;
            for (unit, weight) in &self.outputs[start..*end] {
                sum += *weight * hidden[*unit as usize];
            }
            start = *end;
            out[*row as usize] = sum;
        }
    }
}

/// What a block gives for all values of the few rows that it reads.
pub(super) struct Table<T> {
    /// Each row, the least that it can be, how many values it can have, and how many entries of the table
    /// there are for each.
    rows: Vec<(u32, T, u32, u32)>,
    scale: T,
    writes: usize,
    /// What is written, for each combination of values.
    values: Vec<T>,
}

/// Entries of a table at most.
const MOST_ENTRIES: usize = 256;

impl<T: Scalar> Table<T> {
    /// The table of some units, if it is small and what they write is among what they read.
    pub fn new(exact: &Exact<T>, d_model: usize) -> Option<Table<T>> {
        let Exact { reads, writes, .. } = exact;
        let is_read = |write: &Write<T>| reads.iter().any(|(row, ..)| *row == write.row);
        if !writes.iter().all(is_read) {
            return None;
        }
        let mut rows = Vec::with_capacity(reads.len());
        let mut count = 1usize;
        for (row, least, most) in reads {
            let values = (most.widen() - least.widen()) * exact.scale.widen() + 1.0;
            if values > MOST_ENTRIES as f64 {
                return None;
            }
            rows.push((*row, *least, values as u32, count as u32));
            count *= values as usize;
            if count * writes.len() > MOST_ENTRIES {
                return None;
            }
        }
        let mut x = vec![T::zero(); d_model];
        let (mut out, mut hidden) = (x.clone(), Vec::new());
        let mut values = Vec::with_capacity(count * writes.len());
        for number in 0..count as u32 {
            for (row, least, values, stride) in &rows {
                let step = T::narrow(f64::from(number / stride % values));
                x[*row as usize] = *least + step / exact.scale;
            }
            exact.run(&x, &mut out, &mut hidden);
            values.extend(writes.iter().map(|write| out[write.row as usize]));
        }
        Some(Table {
            rows,
            scale: exact.scale,
            writes: writes.len(),
            values,
        })
    }

    /// What is written; `None` where a row has another value than the table knows.
    pub fn find(&self, x: &[T]) -> Option<&[T]> {
        let mut entry = 0;
        for (row, least, values, stride) in &self.rows {
            let step = (x[*row as usize] - *least) * self.scale;
            let number = step.whole();
            if number >= *values || T::narrow(f64::from(number)) != step {
                return None;
            }
            entry += (number * stride) as usize;
        }
        self.values
            .get(entry * self.writes..(entry + 1) * self.writes)
    }
}
