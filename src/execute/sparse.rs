//! Weights as the forward pass wants them: converted to its number type, in the order of use.
//! Activations are feature-major, `[features, positions]`, so that each weight adds one scaled
//! row to another.

use super::activations::Activations;
use super::lanes;
use super::scalar::Scalar;
use crate::model::Matrix;
use pulp::Simd;

/// A sparse matrix as lists of `(index, weight)`, one list per row or per column.
pub(super) struct Sparse<T> {
    starts: Vec<u32>,
    entries: Vec<(u32, T)>,
}

impl<T: Scalar> Sparse<T> {
    /// One list per row of the matrix: what an input feature adds to which outputs.
    pub fn by_row(matrix: &Matrix) -> Sparse<T> {
        Sparse::collect(matrix.rows(), matrix.entries())
    }

    /// One list per column of the matrix: from which inputs an output is summed, inputs
    /// ascending.
    pub fn by_column(matrix: &Matrix) -> Sparse<T> {
        let turned = matrix
            .entries()
            .map(|(row, column, value)| (column, row, value));
        Sparse::collect(matrix.columns(), turned)
    }

    /// Sorts `(list, index, weight)` by list and keeps the order within a list.
    fn collect(
        lists: usize,
        entries: impl Iterator<Item = (usize, usize, f64)> + Clone,
    ) -> Sparse<T> {
        let mut starts = vec![0; lists + 1];
        for (list, _, _) in entries.clone() {
            starts[list + 1] += 1;
        }
        for list in 0..lists {
            starts[list + 1] += starts[list];
        }
        let mut next = starts.clone();
        let mut sorted = vec![(0, T::zero()); starts[lists] as usize];
        for (list, index, weight) in entries {
            sorted[next[list] as usize] = (index as u32, T::narrow(weight));
            next[list] += 1;
        }
        Sparse {
            starts,
            entries: sorted,
        }
    }

    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    #[inline(always)]
    pub fn list(&self, list: usize) -> &[(u32, T)] {
        &self.entries[self.starts[list] as usize..self.starts[list + 1] as usize]
    }

    /// `x[index] += weight · term` over one list, in its order; rows of `x` are as wide as the term.
    #[inline(always)]
    pub fn scatter<S: Simd>(&self, simd: S, list: usize, term: &[T], x: &mut [T]) {
        let (terms, rows) = (T::vectors::<S>(term), T::vectors_mut::<S>(x));
        let width = terms.len();
        lanes::tiles!(width, at => {
            let (terms, _) = terms[at..].as_chunks::<N>();
            lanes::add_to_rows(simd, self.list(list), terms[0], rows, (width, at));
        });
    }

    /// All lists gathered, each onto its bias: `[lists, columns]` from `x` `[features, columns]`, in
    /// place of what stood in `sums`.
    #[inline(always)]
    pub fn apply<S: Simd>(
        &self,
        simd: S,
        bias: &[T],
        x: &Activations<T>,
        sums: &mut Activations<T>,
    ) {
        sums.resize(self.len(), x.columns());
        let width = x.columns() / T::lanes::<S>();
        let (x, sums) = (T::vectors::<S>(x), T::vectors_mut::<S>(sums));
        for (list, bias) in bias.iter().enumerate() {
            lanes::tiles!(width, at => {
                let bias = [T::splat(simd, *bias); N];
                let sum = lanes::add_rows(simd, self.list(list), x, (width, at), bias);
                *lanes::tile(sums, list * width + at) = sum;
            });
        }
    }
}
