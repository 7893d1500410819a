//! Units of which all sums are exact, so that their order does not matter: as a list of what to add up,
//! and where what they read has few values, as a table of what comes out. Depends on `scalar`.

use crate::execute::scalar::Scalar;

/// Units whose sums are exact in any order, one entry after the other in memory: the rows that are read,
/// the rows that are written, and then each unit, its weighted rows, and what it writes.
pub(super) struct Exact<T> {
    pub entries: Vec<Entry<T>>,
    pub reads: usize,
    pub writes: usize,
    /// What makes a whole number of all that is read.
    pub scale: T,
}

/// What is read: a row, with the least and the most that it can be. What is written: a row, and its bias.
/// A unit: how many weighted rows and rows that it writes follow, its constant, and 1 where it goes on
/// from the unit before, else 0. A weighted row, or one that is written: a row, and a weight.
pub(super) struct Entry<T> {
    pub at: u32,
    pub more: u32,
    pub numbers: [T; 2],
}

impl<T: Scalar> Entry<T> {
    pub fn weight(at: u32, weight: T) -> Entry<T> {
        Entry {
            at,
            more: 0,
            numbers: [weight, T::zero()],
        }
    }
}

impl<T: Scalar> Exact<T> {
    /// Whether a stream is within what the units are for.
    pub fn holds(&self, x: &[T]) -> bool {
        self.entries[..self.reads].iter().all(|entry| {
            let (value, [least, most]) = (x[entry.at as usize], entry.numbers);
            value >= least && value <= most && (value * self.scale).is_whole()
        })
    }

    pub fn run(&self, x: &[T], out: &mut [T]) {
        let (writes, units) = self.entries[self.reads..].split_at(self.writes);
        for Entry { at, numbers, .. } in writes {
            out[*at as usize] = x[*at as usize] + numbers[0];
        }
        let (mut value, mut left) = (T::zero(), units);
        while let [unit, others @ ..] = left {
            let (terms, others) = others.split_at(unit.at as usize);
            let (outputs, others) = others.split_at(unit.more as usize);
            let [constant, follows] = unit.numbers;
            value = match follows == T::zero() {
                true => constant,
                false => value + constant,
            };
            for Entry { at, numbers, .. } in terms {
                value += numbers[0] * x[*at as usize];
            }
            // Without a branch, as nobody can tell which units are active.
            let active = if value > T::zero() { value } else { T::zero() };
            for Entry { at, numbers, .. } in outputs {
                out[*at as usize] += numbers[0] * active;
            }
            left = others;
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
        let (reads, others) = exact.entries.split_at(exact.reads);
        let writes: Vec<u32> = others[..exact.writes]
            .iter()
            .map(|entry| entry.at)
            .collect();
        if !writes
            .iter()
            .all(|row| reads.iter().any(|entry| entry.at == *row))
        {
            return None;
        }
        let mut rows = Vec::with_capacity(reads.len());
        let mut count = 1usize;
        for Entry { at, numbers, .. } in reads {
            let [least, most] = numbers.map(T::widen);
            let values = (most - least) * exact.scale.widen() + 1.0;
            if values > MOST_ENTRIES as f64 {
                return None;
            }
            rows.push((*at, numbers[0], values as u32, count as u32));
            count *= values as usize;
            if count * writes.len() > MOST_ENTRIES {
                return None;
            }
        }
        let mut x = vec![T::zero(); d_model];
        let mut out = x.clone();
        let mut values = Vec::with_capacity(count * writes.len());
        for number in 0..count as u32 {
            for (row, least, values, stride) in &rows {
                let step = T::narrow(f64::from(number / stride % values));
                x[*row as usize] = *least + step / exact.scale;
            }
            exact.run(&x, &mut out);
            values.extend(writes.iter().map(|row| out[*row as usize]));
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
