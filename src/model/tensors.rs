//! The tensors of a model file. A matrix is one dense tensor `name` if it is small or well
//! filled; otherwise it is `name.indices` (I64 `[2, nonzero]`: rows, then columns, row by row)
//! and `name.values` (F64 `[nonzero]`), and its shape stands in the metadata. A text is its bytes (U8).
//! Nothing read here is believed before it is checked, and nothing larger than the file is allocated.

use super::matrix::Matrix;
use super::{digest, header};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::collections::BTreeMap;

/// Entries up to which a matrix is always stored dense: 128 KiB.
const DENSE_ENTRIES: usize = 1 << 14;

/// Shapes of the matrices that are stored sparse.
pub(super) type Shapes = BTreeMap<String, [usize; 2]>;

/// The rows and columns of matrices, counted: an empty matrix of many rows takes memory, but hardly
/// any room in a file.
#[derive(Default)]
struct Sides {
    largest: usize,
    total: usize,
}

impl Sides {
    /// Of one matrix, and of all together.
    const LARGEST: usize = 1 << 24;
    const TOTAL: usize = 1 << 27;

    fn add(&mut self, rows: usize, columns: usize) {
        self.largest = self.largest.max(rows).max(columns);
        self.total = self.total.saturating_add(rows).saturating_add(columns);
    }

    fn check(&self) -> Result<(), String> {
        if self.largest > Sides::LARGEST || self.total > Sides::TOTAL {
            return Err(format!("matrices with {} rows and columns", self.total));
        }
        Ok(())
    }
}

/// Tensors on their way into a file.
#[derive(Default)]
pub(super) struct Writer {
    tensors: Vec<(String, Dtype, Vec<usize>, Vec<u8>)>,
    pub sparse: Shapes,
    sides: Sides,
}

impl Writer {
    pub fn matrix(&mut self, name: &str, matrix: &Matrix) {
        let (rows, columns) = (matrix.rows(), matrix.columns());
        let area = rows.saturating_mul(columns);
        self.sides.add(rows, columns);
        // An entry takes 24 bytes sparse and 8 dense.
        if area <= DENSE_ENTRIES || matrix.nonzero() >= area / 3 {
            let mut dense = vec![0.0; area];
            for (row, column, value) in matrix.entries() {
                dense[row * columns + column] = value;
            }
            self.push(name.to_string(), vec![rows, columns], &dense);
            return;
        }
        let at = matrix.entries().map(|(row, _, _)| row);
        let indices = at.chain(matrix.entries().map(|(_, column, _)| column));
        let bytes = indices.flat_map(|index| (index as i64).to_le_bytes());
        let shape = vec![2, matrix.nonzero()];
        let indices = (
            format!("{name}.indices"),
            Dtype::I64,
            shape,
            bytes.collect(),
        );
        self.tensors.push(indices);
        let values: Vec<f64> = matrix.entries().map(|(_, _, value)| value).collect();
        self.push(format!("{name}.values"), vec![values.len()], &values);
        self.sparse.insert(name.to_string(), [rows, columns]);
    }

    pub fn vector(&mut self, name: &str, values: &[f64]) {
        self.push(name.to_string(), vec![values.len()], values);
    }

    pub fn text(&mut self, name: &str, text: &str) {
        let bytes = text.as_bytes().to_vec();
        self.tensors
            .push((name.to_string(), Dtype::U8, vec![bytes.len()], bytes));
    }

    fn push(&mut self, name: String, shape: Vec<usize>, values: &[f64]) {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.tensors
            .push((name, Dtype::F64, shape, bytes.collect()));
    }

    /// The file, with one metadata entry: with two, their order would change from run to run.
    ///
    /// # Errors
    /// More than a file can hold, in words.
    pub fn finish(self, key: &str, metadata: String) -> Result<Vec<u8>, String> {
        self.sides.check()?;
        let mut views = Vec::with_capacity(self.tensors.len());
        for (name, dtype, shape, bytes) in &self.tensors {
            let view = TensorView::new(*dtype, shape.clone(), bytes);
            views.push((name, view.map_err(|error| error.to_string())?));
        }
        // The digest is over the tensors in the order of their names, as a reader has them.
        let named: BTreeMap<&str, TensorView> = views
            .iter()
            .map(|(name, view)| (name.as_str(), view.clone()))
            .collect();
        let digest = digest::of(&metadata, named);
        let name = digest::NAME.to_string();
        let view = TensorView::new(Dtype::U8, vec![digest.len()], &digest);
        views.push((&name, view.map_err(|error| error.to_string())?));
        let metadata = std::collections::HashMap::from([(key.to_string(), metadata)]);
        safetensors::serialize(views, Some(metadata)).map_err(|error| error.to_string())
    }
}

/// The tensors of a file, taken out one by one.
pub(super) struct TensorReader<'b> {
    tensors: BTreeMap<String, TensorView<'b>>,
    /// Whether the digest of the file is that of its contents.
    pub digest: Result<(), String>,
    sparse: Shapes,
    sides: Sides,
}

impl<'b> TensorReader<'b> {
    /// The tensors, and the metadata entry of this key.
    ///
    /// # Errors
    /// What is wrong with the file, in words; so for all functions here.
    pub fn open(bytes: &'b [u8], key: &str) -> Result<(TensorReader<'b>, String), String> {
        let problem = |error: safetensors::SafeTensorError| error.to_string();
        let (length, header) = SafeTensors::read_metadata(bytes).map_err(problem)?;
        header::weights(&bytes[8..8 + length])?;
        let entries = header.metadata().as_ref();
        let Some(metadata) = entries.and_then(|entries| entries.get(key)) else {
            return Err(format!("a safetensors file without the metadata `{key}`"));
        };
        let tensors = SafeTensors::deserialize(bytes).map_err(problem)?.tensors();
        let mut tensors: BTreeMap<String, TensorView> = tensors.into_iter().collect();
        let held = tensors.remove(digest::NAME);
        let named = tensors.iter().map(|(name, view)| (&**name, view.clone()));
        let digest = digest::compare(held.as_ref(), &digest::of(metadata, named));
        let reader = TensorReader {
            tensors,
            digest,
            sparse: Shapes::new(),
            sides: Sides::default(),
        };
        Ok((reader, metadata.clone()))
    }

    /// Tells which matrices are stored sparse.
    pub fn expect_sparse(&mut self, shapes: Shapes) {
        self.sparse = shapes;
    }

    pub fn matrix(&mut self, name: &str) -> Result<Matrix, String> {
        let sparse = self.sparse.remove(name);
        let (shape, triplets) = match sparse {
            Some(shape) => (shape, self.sparse_entries(name, shape)?),
            None => self.dense_entries(name)?,
        };
        let [rows, columns] = shape;
        self.sides.add(rows, columns);
        self.sides.check()?;
        Ok(Matrix::from_triplets(rows, columns, triplets))
    }

    pub fn vector(&mut self, name: &str) -> Result<Vec<f64>, String> {
        let (shape, values) = self.floats(name)?;
        match shape.as_slice() {
            [_] => Ok(values),
            _ => Err(format!("{name}: shape {shape:?} where a vector is needed")),
        }
    }

    /// A text that may be missing.
    pub fn text(&mut self, name: &str) -> Result<Option<String>, String> {
        if !self.tensors.contains_key(name) {
            return Ok(None);
        }
        let bytes = self.take(name, Dtype::U8)?.data().to_vec();
        let text = String::from_utf8(bytes);
        text.map(Some).map_err(|error| format!("{name}: {error}"))
    }

    /// Nothing may be left over: it would be lost silently.
    pub fn finish(self) -> Result<(), String> {
        match self.tensors.keys().chain(self.sparse.keys()).next() {
            Some(name) => Err(format!("{name}: not a tensor of this model")),
            None => Ok(()),
        }
    }

    fn dense_entries(&mut self, name: &str) -> Result<([usize; 2], Triplets), String> {
        let (shape, values) = self.floats(name)?;
        let [rows, columns] = shape[..] else {
            return Err(format!("{name}: shape {shape:?} where a matrix is needed"));
        };
        let place = |(index, value): (usize, f64)| (index / columns, index % columns, value);
        let nonzero = values
            .into_iter()
            .enumerate()
            .filter(|(_, value)| *value != 0.0);
        Ok(([rows, columns], nonzero.map(place).collect()))
    }

    fn sparse_entries(&mut self, name: &str, shape: [usize; 2]) -> Result<Triplets, String> {
        let indices = self.take(&format!("{name}.indices"), Dtype::I64)?;
        let (values_shape, values) = self.floats(&format!("{name}.values"))?;
        if values_shape != [values.len()] || indices.shape() != [2, values.len()] {
            return Err(format!("{name}: as many indices as values are needed"));
        }
        let indices: Vec<i64> = words(indices.data()).map(i64::from_le_bytes).collect();
        let (rows, columns) = indices.split_at(values.len());
        let mut triplets = Triplets::with_capacity(values.len());
        for ((row, column), value) in rows.iter().zip(columns).zip(values) {
            let inside = |index: i64, side| usize::try_from(index).ok().filter(|i| *i < side);
            let (Some(row), Some(column)) = (inside(*row, shape[0]), inside(*column, shape[1]))
            else {
                return Err(format!("{name}: an index outside of {shape:?}"));
            };
            if triplets
                .last()
                .is_some_and(|(r, c, _)| (*r, *c) >= (row, column))
            {
                return Err(format!("{name}: indices that do not ascend row by row"));
            }
            triplets.push((row, column, value));
        }
        Ok(triplets)
    }

    fn floats(&mut self, name: &str) -> Result<(Vec<usize>, Vec<f64>), String> {
        let tensor = self.take(name, Dtype::F64)?;
        let values = words(tensor.data()).map(f64::from_le_bytes).collect();
        Ok((tensor.shape().to_vec(), values))
    }

    fn take(&mut self, name: &str, dtype: Dtype) -> Result<TensorView<'b>, String> {
        let Some(tensor) = self.tensors.remove(name) else {
            return Err(format!("{name}: missing"));
        };
        if tensor.dtype() != dtype {
            let found = tensor.dtype();
            return Err(format!("{name}: {found:?} where {dtype:?} is needed"));
        }
        Ok(tensor)
    }
}

type Triplets = Vec<(usize, usize, f64)>;

fn words(bytes: &[u8]) -> impl Iterator<Item = [u8; 8]> {
    bytes
        .chunks_exact(8)
        .map(|word| word.try_into().expect("chunks of eight bytes"))
}
