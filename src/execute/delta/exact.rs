//! Units of which all sums are exact, so that their order does not matter: as a list of what to add up,
//! and where what they read has few values, as a table of what comes out. Depends on `range`
//! and `scalar`.

use super::range::Range;
use crate::execute::scalar::Scalar;

/// Units whose sums are exact in any order, and what they write, added up as the forward pass does.
pub(super) struct Exact<T> {
    sums: Vec<Sum<T>>,
    /// Rows and weights, sum after sum.
    terms: Vec<(u32, T)>,
    writes: Vec<(u32, T)>,
    parts: Vec<RowUnits>,
    /// What is added to the sum in each unit, and its weight, part after part.
    units: Vec<(T, T)>,
}

/// Weighted rows, of which units differ by a constant.
struct Sum<T> {
    constant: T,
    /// Whether it goes on from the sum before.
    follows: bool,
    /// Where its terms, and its parts, end.
    terms: usize,
    parts: usize,
}

/// Units of one sum that write one row.
struct RowUnits {
    row: u32,
    /// Where its units end.
    end: usize,
}

impl<T: Scalar> Exact<T> {
    /// `writes` are the rows that are written, with their biases.
    pub fn new(writes: Vec<(u32, T)>) -> Exact<T> {
        Exact {
            sums: Vec::new(),
            terms: Vec::new(),
            writes,
            parts: Vec::new(),
            units: Vec::new(),
        }
    }

    /// Adds a sum of a constant and weighted rows, added to what the sum before is if it follows that.
    pub fn sum(&mut self, (follows, constant): (bool, T), terms: impl Iterator<Item = (u32, T)>) {
        self.terms.extend(terms);
        self.sums.push(Sum {
            constant,
            follows,
            terms: self.terms.len(),
            parts: self.parts.len(),
        });
    }

    /// Adds the units of the last sum that write a row, ascending: what is added to the sum, and the
    /// weight.
    pub fn part(&mut self, row: u32, units: impl Iterator<Item = (T, T)>) {
        self.units.extend(units);
        self.parts.push(RowUnits {
            row,
            end: self.units.len(),
        });
        if let Some(sum) = self.sums.last_mut() {
            sum.parts = self.parts.len();
        }
    }

    /// Leaves in `out` what the written rows of the stream `x` are after the units.
    pub fn run(&self, x: &[T], out: &mut [T]) {
        for (row, bias) in &self.writes {
            out[*row as usize] = x[*row as usize] + *bias;
        }
        let (mut value, mut terms, mut parts, mut units) = (T::zero(), 0, 0, 0);
        for sum in &self.sums {
            // On its own first: sums wait for each other no longer than one addition takes.
            let mut own = sum.constant;
            for (row, weight) in &self.terms[terms..sum.terms] {
                own += *weight * x[*row as usize];
            }
            value = if sum.follows { value + own } else { own };
            for part in &self.parts[parts..sum.parts] {
                let mut written = out[part.row as usize];
                for (constant, weight) in &self.units[units..part.end] {
                    let unit = value + *constant;
                    // Without a branch, as nobody can tell which units are active.
                    written += *weight * if unit > T::zero() { unit } else { T::zero() };
                }
                out[part.row as usize] = written;
                units = part.end;
            }
            (terms, parts) = (sum.terms, sum.parts);
        }
    }
}

/// What a block gives for all values of the few rows that it reads.
pub(super) struct Table<T> {
    rows: Vec<Digit<T>>,
    writes: usize,
    /// What is written, for each combination of values.
    entries: Vec<T>,
}

/// A row as a digit of an entry's number.
struct Digit<T> {
    row: u32,
    range: Range<T>,
    values: u32,
    /// How many entries there are for each value.
    stride: u32,
}

/// Entries of a table at most.
const MOST_ENTRIES: usize = 256;

impl<T: Scalar> Table<T> {
    /// The table of some units that read these rows, if it is small and what they write is among those.
    pub fn new(exact: &Exact<T>, reads: &[(u32, Range<T>)], d_model: usize) -> Option<Table<T>> {
        let writes = &exact.writes;
        let is_read = |written: &(u32, T)| reads.iter().any(|(row, _)| *row == written.0);
        if !writes.iter().all(is_read) {
            return None;
        }
        let mut rows = Vec::with_capacity(reads.len());
        let mut count = 1usize;
        for (row, range) in reads {
            let values = (range.most.widen() - range.least.widen()) * range.scale.widen() + 1.0;
            if values > MOST_ENTRIES as f64 {
                return None;
            }
            rows.push(Digit {
                row: *row,
                range: *range,
                values: values as u32,
                stride: count as u32,
            });
            count *= values as usize;
            if count * writes.len() > MOST_ENTRIES {
                return None;
            }
        }
        let mut x = vec![T::zero(); d_model];
        let mut out = x.clone();
        let mut entries = Vec::with_capacity(count * writes.len());
        for number in 0..count as u32 {
            for digit in &rows {
                let step = T::narrow(f64::from(number / digit.stride % digit.values));
                x[digit.row as usize] = digit.range.least + step / digit.range.scale;
            }
            exact.run(&x, &mut out);
            entries.extend(writes.iter().map(|(row, _)| out[*row as usize]));
        }
        Some(Table {
            rows,
            writes: writes.len(),
            entries,
        })
    }

    /// What is written, where all rows are within their ranges.
    #[inline]
    pub fn find(&self, x: &[T]) -> Option<&[T]> {
        let number = self.rows.iter().fold(0, |number, digit| {
            let step = (x[digit.row as usize] - digit.range.least) * digit.range.scale;
            number + step.whole() * digit.stride
        }) as usize;
        self.entries
            .get(number * self.writes..(number + 1) * self.writes)
    }
}
