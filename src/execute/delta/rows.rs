//! Rows of the residual stream, as sets of bits, and which of them have changed in which columns.

/// Rows, as bits.
pub(super) type RowSet = Vec<u64>;

/// No rows yet.
pub(super) fn none(d_model: usize) -> RowSet {
    vec![0; d_model.div_ceil(64)]
}

pub(super) fn set(d_model: usize, rows: impl Iterator<Item = usize>) -> RowSet {
    let mut set = none(d_model);
    rows.for_each(|row| insert(&mut set, row));
    set
}

#[inline]
pub(super) fn insert(set: &mut [u64], row: usize) {
    set[row / 64] |= 1 << (row % 64);
}

#[inline]
pub(super) fn add(set: &mut [u64], other: &[u64]) {
    set.iter_mut()
        .zip(other)
        .for_each(|(set, other)| *set |= other);
}

#[inline]
pub(super) fn meet(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).any(|(one, other)| one & other != 0)
}

/// Shows the rows of a set, ascending.
#[inline(always)]
pub(super) fn each(set: &[u64], mut show: impl FnMut(usize)) {
    for (word, bits) in set.iter().enumerate() {
        let mut left = *bits;
        while left != 0 {
            show(word * 64 + left.trailing_zeros() as usize);
            left &= left - 1;
        }
    }
}

/// Columns with the rows of each that are other than before.
pub(super) struct Changes {
    columns: Vec<u32>,
    /// The set of each, one after the other, and then an empty one.
    rows: Vec<u64>,
    words: usize,
}

impl Changes {
    pub fn new(d_model: usize) -> Changes {
        let words = d_model.div_ceil(64);
        Changes {
            columns: Vec::new(),
            rows: vec![0; words],
            words,
        }
    }

    #[inline]
    pub fn clear(&mut self) {
        self.columns.clear();
        self.rows.clear();
        self.rows.resize(self.words, 0);
    }

    /// A column, unless none of its rows has changed.
    #[inline]
    pub fn push(&mut self, column: u32, rows: impl Iterator<Item = usize>) {
        let start = self.rows.len() - self.words;
        let mut any = false;
        for row in rows {
            insert(&mut self.rows[start..], row);
            any = true;
        }
        if any {
            self.columns.push(column);
            self.rows.resize(start + 2 * self.words, 0);
        }
    }

    #[inline]
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// The rows of the column of this number; none behind the last one.
    #[inline]
    pub fn rows(&self, number: usize) -> &[u64] {
        let number = number.min(self.columns.len());
        &self.rows[number * self.words..(number + 1) * self.words]
    }
}
