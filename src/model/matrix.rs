//! Sparse matrices in compressed rows. Compiled weights are almost all zero; a dense copy is made
//! only where something outside asks for one.

/// A matrix of shape `[rows, columns]` with its non-zero entries in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    /// `starts[r]..starts[r + 1]` are the entries of row `r`.
    starts: Vec<u32>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Matrix {
        Matrix {
            rows,
            columns,
            starts: vec![0; rows + 1],
            indices: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Entries at the same place are added, in the order given; zeros are dropped.
    pub fn from_triplets(
        rows: usize,
        columns: usize,
        mut triplets: Vec<(usize, usize, f64)>,
    ) -> Matrix {
        triplets.sort_by_key(|(row, column, _)| (*row, *column));
        let mut matrix = Matrix::zeros(rows, columns);
        let mut entries = triplets.into_iter().peekable();
        for row in 0..rows {
            while let Some((_, column, mut value)) = entries.next_if(|(r, _, _)| *r == row) {
                assert!(
                    column < columns,
                    "column {column} of a matrix with {columns}"
                );
                while let Some((_, _, more)) =
                    entries.next_if(|(r, c, _)| (*r, *c) == (row, column))
                {
                    value += more;
                }
                if value != 0.0 {
                    matrix.indices.push(column as u32);
                    matrix.values.push(value);
                }
            }
            matrix.starts[row + 1] = matrix.values.len() as u32;
        }
        assert!(entries.next().is_none(), "a row beyond the matrix");
        matrix
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns it has.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many entries are not zero.
    pub fn nonzero(&self) -> usize {
        self.values.len()
    }

    /// The non-zero entries of one row, as `(column, value)`.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        let range = self.starts[row] as usize..self.starts[row + 1] as usize;
        self.indices[range.clone()]
            .iter()
            .zip(&self.values[range])
            .map(|(column, value)| (*column as usize, *value))
    }

    /// All non-zero entries as `(row, column, value)`, row by row.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + Clone + '_ {
        (0..self.rows).flat_map(|row| {
            self.row(row)
                .map(move |(column, value)| (row, column, value))
        })
    }

    /// The matrix of what a function, for which 0 is 0, makes of each entry.
    #[must_use]
    pub fn map(&self, function: impl Fn(f64) -> f64) -> Matrix {
        let entries = self.entries();
        let entries = entries.map(|(row, column, value)| (row, column, function(value)));
        Matrix::from_triplets(self.rows, self.columns, entries.collect())
    }

    /// The largest absolute value of an entry; 0 for a zero matrix.
    pub fn largest(&self) -> f64 {
        self.values
            .iter()
            .fold(0.0, |largest: f64, value| largest.max(value.abs()))
    }
}
