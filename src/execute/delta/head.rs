//! One head of a layer that is evaluated by what has changed: the keys, queries and values of all
//! columns, and which keys each column sees. Depends on `index` and `rows`.

use super::index::{self, Index};
use super::rows::{self, RowSet};
use crate::execute::attention::PreparedHead;
use crate::execute::scalar::Scalar;
use crate::execute::sparse::Sparse;
use crate::model::Head;

pub(super) struct HeadState<T> {
    weights: PreparedHead<T>,
    /// Rows that queries, keys and values read.
    pub reads: [RowSet; 3],
    pub writes: RowSet,
    root: T,
    keys: Index<T>,
    queries: Index<T>,
    /// The largest score of each query.
    largest: Vec<T>,
    /// The values of each column, one after the other, and whether they are all 0.
    values: Vec<T>,
    is_nothing: Vec<bool>,
    /// What each column sees: keys, ascending, and their weights.
    seen: Vec<Vec<(u32, T)>>,
    /// Which columns see each.
    pub seen_by: Vec<Vec<u32>>,
}

impl<T: Scalar> HeadState<T> {
    pub fn new(head: &Head, columns: usize) -> HeadState<T> {
        let reads = [&head.query, &head.key, &head.value];
        HeadState {
            weights: PreparedHead::new(head),
            reads: reads
                .map(|matrix| rows::set(matrix.rows(), matrix.entries().map(|(row, _, _)| row))),
            writes: rows::set(
                head.output.columns(),
                head.output.entries().map(|(_, row, _)| row),
            ),
            // As without features the scores are 0, any number does.
            root: T::narrow(head.d_head().max(1) as f64).sqrt(),
            keys: Index::new(0, Vec::new(), 0),
            queries: Index::new(0, Vec::new(), 0),
            largest: vec![T::neg_infinity(); columns],
            values: Vec::new(),
            is_nothing: Vec::new(),
            seen: vec![Vec::new(); columns],
            seen_by: vec![Vec::new(); columns],
        }
    }

    /// Indexes the keys and the queries of all columns.
    pub fn index(&mut self, x: &[T], d_model: usize, columns: usize) {
        let all = |weights: &Sparse<T>, bias: &[T]| {
            let (mut vectors, mut vector) = (Vec::new(), Vec::new());
            for x in x.chunks_exact(d_model) {
                project(weights, bias, x, &mut vector);
                vectors.extend_from_slice(&vector);
            }
            Index::new(weights.len(), vectors, columns)
        };
        self.values = vec![T::zero(); self.weights.value.len() * columns];
        self.is_nothing = vec![true; columns];
        for (column, x) in x.chunks_exact(d_model).enumerate() {
            self.evaluate(column, x);
        }
        let head = &self.weights;
        self.keys = all(&head.key, &head.key_bias);
        self.queries = all(&head.query, &head.query_bias);
    }

    /// Gives a column another query; whether it is another.
    pub fn replace_query(&mut self, column: usize, x: &[T], vector: &mut Vec<T>) -> bool {
        project(&self.weights.query, &self.weights.query_bias, x, vector);
        self.queries.replace(column, vector)
    }

    /// Gives a column another key; whether it is another.
    pub fn replace_key(&mut self, column: usize, x: &[T], vector: &mut Vec<T>) -> bool {
        project(&self.weights.key, &self.weights.key_bias, x, vector);
        self.keys.replace(column, vector)
    }

    /// The columns that may see a key.
    pub fn readers(&self, column: usize, found: &mut Vec<u32>) {
        let key = self.keys.vector(column);
        let (queries, largest) = (&self.queries, &self.largest);
        queries.queries(key, self.root, T::FAR, largest, found);
    }

    /// The values of a column.
    pub fn evaluate(&mut self, column: usize, x: &[T]) {
        let width = self.weights.value.len();
        let mut is_nothing = true;
        for feature in 0..width {
            let mut value = T::zero();
            for (row, factor) in self.weights.value.list(feature) {
                value += *factor * x[*row as usize];
            }
            is_nothing &= value == T::zero();
            self.values[column * width + feature] = value;
        }
        self.is_nothing[column] = is_nothing;
    }

    /// Finds what a column sees.
    pub fn look(&mut self, column: usize, found: &mut Vec<(u32, T)>) {
        let query = self.queries.vector(column);
        self.keys.keys(query, self.root, T::FAR, found);
        let mut largest = T::neg_infinity();
        for (_, score) in found.iter() {
            largest = if *score > largest { *score } else { largest };
        }
        found.sort_unstable_by_key(|(key, _)| *key);
        let mut total = T::zero();
        found.retain_mut(|(_, score)| {
            *score = (*score - largest).exp_falling();
            total += *score;
            *score != T::zero()
        });
        found.iter_mut().for_each(|(_, score)| *score /= total);
        self.largest[column] = largest;
        self.queries.note_largest(column, largest);
        let seen = &mut self.seen[column];
        let same = seen.len() == found.len()
            && seen
                .iter()
                .zip(found.iter())
                .all(|(old, new)| old.0 == new.0);
        if !same {
            for (key, _) in seen.iter() {
                index::remove(&mut self.seen_by[*key as usize], column as u32);
            }
            for (key, _) in found.iter() {
                self.seen_by[*key as usize].push(column as u32);
            }
        }
        seen.clear();
        seen.extend_from_slice(found);
    }

    /// Adds what a column has from the keys that it sees.
    pub fn add_output(&self, column: usize, stream: &mut [T]) {
        let seen = &self.seen[column];
        if seen.iter().all(|(key, _)| self.is_nothing[*key as usize]) {
            return;
        }
        let width = self.weights.value.len();
        for feature in 0..width {
            let mut mixed = T::zero();
            for (key, weight) in seen {
                let value = self.values[*key as usize * width + feature];
                if value != T::zero() {
                    mixed += value * *weight;
                }
            }
            if mixed != T::zero() {
                for (row, weight) in self.weights.output.list(feature) {
                    stream[*row as usize] += *weight * mixed;
                }
            }
        }
    }
}

fn project<T: Scalar>(weights: &Sparse<T>, bias: &[T], x: &[T], vector: &mut Vec<T>) {
    vector.clear();
    for (dimension, bias) in bias.iter().enumerate() {
        let terms = weights.list(dimension).iter();
        vector.push(terms.fold(*bias, |sum, (row, weight)| sum + *weight * x[*row as usize]));
    }
}
