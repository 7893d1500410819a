//! Weights as the forward pass wants them: converted to its number type, in the order of use.
//! Activations are feature-major, `[features, positions]`, so that each weight adds one scaled
//! row to another.

use super::scalar::Scalar;
use crate::model::Matrix;

/// A sparse matrix as lists of `(index, weight)`, one list per row or per column.
pub(super) struct Sparse<T> {
    starts: Vec<u32>,
    entries: Vec<(u32, T)>,
}

impl<T: Scalar> Sparse<T> {
    /// One list per row of the matrix: what an input feature adds to which outputs.
    pub fn by_row(matrix: &Matrix) -> Sparse<T> {
        let lists =
            (0..matrix.rows()).map(|row| matrix.row(row).map(|(c, value)| (c as u32, value)));
        Sparse::collect(lists, matrix.nonzero())
    }

    /// One list per column of the matrix: from which inputs an output is summed, inputs
    /// ascending.
    pub fn by_column(matrix: &Matrix) -> Sparse<T> {
        let mut columns = vec![Vec::new(); matrix.columns()];
        for (row, column, value) in matrix.entries() {
            columns[column].push((row as u32, value));
        }
        Sparse::collect(columns.into_iter().map(Vec::into_iter), matrix.nonzero())
    }

    fn collect(
        lists: impl Iterator<Item = impl Iterator<Item = (u32, f64)>>,
        nonzero: usize,
    ) -> Sparse<T> {
        let mut sparse = Sparse {
            starts: vec![0],
            entries: Vec::with_capacity(nonzero),
        };
        for list in lists {
            let narrowed = list.map(|(index, value)| (index, T::narrow(value)));
            sparse.entries.extend(narrowed);
            sparse.starts.push(sparse.entries.len() as u32);
        }
        sparse
    }

    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn list(&self, list: usize) -> &[(u32, T)] {
        &self.entries[self.starts[list] as usize..self.starts[list + 1] as usize]
    }

    /// `sum += Σ weight · x[index]` over one list, in its order; `x` has rows as long as `sum`.
    pub fn gather(&self, list: usize, x: &[T], sum: &mut [T]) {
        let width = sum.len();
        for (index, weight) in self.list(list) {
            add_scaled(sum, *weight, row(x, *index as usize, width));
        }
    }

    /// `x[index] += weight · term` over one list, in its order.
    pub fn scatter(&self, list: usize, term: &[T], x: &mut [T]) {
        let width = term.len();
        for (index, weight) in self.list(list) {
            let start = *index as usize * width;
            add_scaled(&mut x[start..start + width], *weight, term);
        }
    }

    /// All lists gathered: `[lists, width]` from `x` `[features, width]`.
    pub fn apply(&self, x: &[T], width: usize) -> Vec<T> {
        let mut sums = vec![T::zero(); self.len() * width];
        for (list, sum) in sums.chunks_exact_mut(width).enumerate() {
            self.gather(list, x, sum);
        }
        sums
    }
}

/// One row of an array with rows of `width` entries.
pub(super) fn row<T>(array: &[T], row: usize, width: usize) -> &[T] {
    &array[row * width..(row + 1) * width]
}

/// `sum += weight · term`, entry by entry. Never contracted to a fused multiply-add.
pub(super) fn add_scaled<T: Scalar>(sum: &mut [T], weight: T, term: &[T]) {
    for (sum, term) in sum.iter_mut().zip(term) {
        *sum += weight * *term;
    }
}
