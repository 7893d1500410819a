//! The engine that evaluates only what can have changed, to the same bits as the forward pass, for any
//! model whose heads are softmax over all positions. In each layer it knows which keys each column sees: those whose weight
//! is not exactly 0. A column is evaluated again when its own stream has changed, when a key that it
//! sees has, and when a changed key scores so well that it may be seen now; that all others keep their
//! value is certified by bounds on scores (`index`). What can be active in a feed-forward block is
//! bounded, too (`hidden`). Depends on the forward pass and `engine`.

mod hidden;
mod index;

use super::engine::{Dense, Engine};
use super::forward::{Precision, Prepared};
use super::scalar::{Scalar, narrowed};
use super::sparse::Sparse;
use crate::base::{Code, Diagnostic, Fallible};
use crate::model::{Attention, Head, Layer, Mask, Model};
use crate::value::Value;
use hidden::Hidden;
use index::Index;
use ndarray::Array2;

/// An engine that evaluates what can have changed.
///
/// # Errors
/// As [`super::run`]; a model with a mask, hard attention or a layer norm.
pub fn delta(model: &Model, tokens: &[Value], precision: Precision) -> Fallible<Box<dyn Engine>> {
    let sees_all = |head: &Head| head.mask == Mask::All && head.attention == Attention::Soft;
    let is_plain = |layer: &Layer| layer.heads.iter().all(sees_all) && !layer.mlp.layer_norm;
    if model.causal || !model.layers.iter().all(is_plain) {
        let message = "the delta engine runs models without masks, hard attention and layer norm";
        let error = Diagnostic::error(Code::BadModel, message);
        return Err(Box::new(error.help("run this one with the dense engine")));
    }
    Ok(match precision {
        Precision::F32 => Box::new(Delta::<f32>::new(model, tokens)?),
        Precision::F64 => Box::new(Delta::<f64>::new(model, tokens)?),
    })
}

/// Rows, as bits.
type RowSet = Vec<u64>;

struct Delta<T> {
    d_model: usize,
    columns: usize,
    layers: Vec<LayerState<T>>,
    /// Columns whose input of the first layer has changed, and which rows of it.
    changed: Vec<(u32, RowSet)>,
    first: bool,
    /// What is used again and again.
    scratch: Scratch<T>,
    /// Where numbers that are not finite have come up, everything is evaluated.
    dense: Dense<T>,
    is_dense: bool,
}

struct LayerState<T> {
    /// The stream that it read last, `[columns, d_model]`.
    x: Vec<T>,
    heads: Vec<HeadState<T>>,
    hidden: Hidden<T>,
}

struct HeadState<T> {
    query: Sparse<T>,
    query_bias: Vec<T>,
    key: Sparse<T>,
    key_bias: Vec<T>,
    value: Sparse<T>,
    output: Sparse<T>,
    /// Rows that queries, keys and values read.
    reads: [RowSet; 3],
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
    seen_by: Vec<Vec<u32>>,
}

struct Scratch<T> {
    vector: Vec<T>,
    found: Vec<(u32, T)>,
    affected: Vec<u32>,
    hidden: Vec<T>,
    stream: Vec<T>,
    /// Columns to evaluate, and for each column whether it is among them and the heads, as bits, in
    /// which it has to look again.
    todo: Vec<u32>,
    is_todo: Vec<bool>,
    look: Vec<u64>,
    /// The streams of the evaluated columns, one after the other.
    results: Vec<T>,
}

/// Heads of a layer that are told apart.
const MOST_HEADS: usize = 64;

impl<T: Scalar> Delta<T> {
    fn new(model: &Model, tokens: &[Value]) -> Fallible<Delta<T>> {
        let prepared = Prepared::<T>::new(model)?;
        let batch = prepared.batch(tokens)?;
        let x = prepared.embed(&batch);
        let (d_model, columns) = (model.d_model, batch.positions());
        let fixed = fixed(model);
        let stream: Vec<T> = x.t().iter().take(columns * d_model).copied().collect();
        let at = |row: usize, column: usize| x[(row, column)];
        let layer = |layer: &Layer| LayerState {
            x: Vec::new(),
            heads: layer
                .heads
                .iter()
                .map(|head| HeadState::new(head, columns))
                .collect(),
            hidden: Hidden::new(&layer.mlp, &fixed, columns, &at),
        };
        let mut layers: Vec<LayerState<T>> = model.layers.iter().map(layer).collect();
        let is_dense =
            layers.is_empty() || layers.iter().any(|layer| layer.heads.len() > MOST_HEADS);
        if let Some(first) = layers.first_mut() {
            first.x = stream;
        }
        Ok(Delta {
            d_model,
            columns,
            layers,
            changed: Vec::new(),
            first: true,
            scratch: Scratch::new(columns),
            dense: Dense::new(prepared, batch, x),
            is_dense,
        })
    }

    /// One layer: which columns of its output are other than before, and in which rows.
    ///
    /// `None` where numbers are not finite.
    fn layer(&mut self, number: usize, changed: &[(u32, RowSet)]) -> Option<Vec<(u32, RowSet)>> {
        let d_model = self.d_model;
        let scratch = &mut self.scratch;
        let layer = &mut self.layers[number];
        if self.first {
            for head in &mut layer.heads {
                head.index(&layer.x, d_model, self.columns);
            }
            scratch.todo.extend(0..self.columns as u32);
            scratch.look.fill(u64::MAX);
        } else {
            layer.find(changed, d_model, scratch);
        }
        scratch.results.clear();
        let todo = std::mem::take(&mut scratch.todo);
        for column in &todo {
            let column = *column as usize;
            scratch.is_todo[column] = false;
            let look = std::mem::take(&mut scratch.look[column]);
            layer.evaluate(column, look, d_model, scratch);
            if !scratch.stream.iter().all(|value| value.is_finite()) {
                return None;
            }
            scratch.results.extend_from_slice(&scratch.stream);
        }
        let next = (number + 1) % self.layers.len();
        let target = &mut self.layers[next].x;
        let mut found = Vec::new();
        if self.first && next != 0 {
            *target = scratch.results.clone();
        } else {
            for (column, result) in todo.iter().zip(scratch.results.chunks_exact(d_model)) {
                let start = *column as usize * d_model;
                let target = &mut target[start..start + d_model];
                let rows = differing(target, result);
                if rows.iter().any(|bits| *bits != 0) {
                    target.copy_from_slice(result);
                    found.push((*column, rows));
                }
            }
        }
        scratch.todo = todo;
        scratch.todo.clear();
        Some(found)
    }

    /// Goes on with the dense engine from the stream at the start of this round.
    fn give_up(&mut self) {
        self.is_dense = true;
        let stream = &self.layers[0].x;
        // What comes after the last column is that again.
        let at = |(row, column): (usize, usize)| {
            stream[column.min(self.columns - 1) * self.d_model + row]
        };
        self.dense.x = Array2::from_shape_fn(self.dense.x.dim(), at);
        self.dense.round();
    }
}

impl<T: Scalar> Engine for Delta<T> {
    fn round(&mut self) {
        if self.is_dense {
            return self.dense.round();
        }
        let mut changed = std::mem::take(&mut self.changed);
        for number in 0..self.layers.len() {
            match self.layer(number, &changed) {
                Some(found) => changed = found,
                None => return self.give_up(),
            }
        }
        self.first = false;
        self.changed = changed;
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        match self.is_dense {
            true => self.dense.at(row, column),
            false => self.layers[0].x[column * self.d_model + row].widen(),
        }
    }
}

impl<T: Scalar> LayerState<T> {
    /// Takes in that columns have changed, and finds the columns to evaluate.
    fn find(&mut self, changed: &[(u32, RowSet)], d_model: usize, scratch: &mut Scratch<T>) {
        for (column, _) in changed {
            scratch.add(*column);
        }
        for (number, head) in self.heads.iter_mut().enumerate() {
            let bit = 1 << number;
            // All keys first: what a query sees depends on them.
            for (column, rows) in changed {
                let at = *column as usize;
                let x = &self.x[at * d_model..(at + 1) * d_model];
                let has =
                    |reads: &RowSet| reads.iter().zip(rows).any(|(read, row)| read & row != 0);
                if has(&head.reads[0]) {
                    project(&head.query, &head.query_bias, x, &mut scratch.vector);
                    if head.queries.replace(at, &scratch.vector) {
                        scratch.look[at] |= bit;
                    }
                }
                let mut is_new = false;
                if has(&head.reads[1]) {
                    project(&head.key, &head.key_bias, x, &mut scratch.vector);
                    is_new = head.keys.replace(at, &scratch.vector);
                }
                let has_values = has(&head.reads[2]);
                if has_values {
                    head.evaluate(at, x);
                }
                if is_new || has_values {
                    for reader in &head.seen_by[at] {
                        scratch.add(*reader);
                        if is_new {
                            scratch.look[*reader as usize] |= bit;
                        }
                    }
                }
                if is_new {
                    let mut affected = std::mem::take(&mut scratch.affected);
                    let key = head.keys.vector(at);
                    head.queries
                        .queries(key, head.root, T::FAR, &head.largest, &mut affected);
                    for reader in &affected {
                        scratch.add(*reader);
                        scratch.look[*reader as usize] |= bit;
                    }
                    scratch.affected = affected;
                }
            }
        }
    }

    /// The stream of a column after the layer.
    fn evaluate(&mut self, column: usize, look: u64, d_model: usize, scratch: &mut Scratch<T>) {
        scratch.stream.clear();
        scratch
            .stream
            .extend_from_slice(&self.x[column * d_model..(column + 1) * d_model]);
        for (number, head) in self.heads.iter_mut().enumerate() {
            if look >> number & 1 == 1 {
                head.look(column, &mut scratch.found);
            }
            head.add_output(column, &mut scratch.stream);
        }
        scratch.vector.clear();
        scratch.vector.extend_from_slice(&scratch.stream);
        self.hidden.add_output(
            column,
            &scratch.vector,
            &mut scratch.stream,
            &mut scratch.hidden,
        );
    }
}

impl<T> Scratch<T> {
    fn new(columns: usize) -> Scratch<T> {
        Scratch {
            vector: Vec::new(),
            found: Vec::new(),
            affected: Vec::new(),
            hidden: Vec::new(),
            stream: Vec::new(),
            todo: Vec::new(),
            is_todo: vec![false; columns],
            look: vec![0; columns],
            results: Vec::new(),
        }
    }

    fn add(&mut self, column: u32) {
        if !std::mem::replace(&mut self.is_todo[column as usize], true) {
            self.todo.push(column);
        }
    }
}

impl<T: Scalar> HeadState<T> {
    fn new(head: &Head, columns: usize) -> HeadState<T> {
        let reads = [&head.query, &head.key, &head.value];
        HeadState {
            query: Sparse::by_column(&head.query),
            query_bias: narrowed(&head.query_bias),
            key: Sparse::by_column(&head.key),
            key_bias: narrowed(&head.key_bias),
            value: Sparse::by_column(&head.value),
            output: Sparse::by_row(&head.output),
            reads: reads.map(|matrix| {
                let mut rows = vec![0; matrix.rows().div_ceil(64)];
                matrix
                    .entries()
                    .for_each(|(row, _, _)| rows[row / 64] |= 1 << (row % 64));
                rows
            }),
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
    fn index(&mut self, x: &[T], d_model: usize, columns: usize) {
        let all = |weights: &Sparse<T>, bias: &[T]| {
            let (mut vectors, mut vector) = (Vec::new(), Vec::new());
            for x in x.chunks_exact(d_model) {
                project(weights, bias, x, &mut vector);
                vectors.extend_from_slice(&vector);
            }
            Index::new(weights.len(), vectors, columns)
        };
        self.values = vec![T::zero(); self.value.len() * columns];
        self.is_nothing = vec![true; columns];
        for (column, x) in x.chunks_exact(d_model).enumerate() {
            self.evaluate(column, x);
        }
        self.keys = all(&self.key, &self.key_bias);
        self.queries = all(&self.query, &self.query_bias);
    }

    /// The values of a column.
    fn evaluate(&mut self, column: usize, x: &[T]) {
        let width = self.value.len();
        let mut is_nothing = true;
        for feature in 0..width {
            let mut value = T::zero();
            for (row, factor) in self.value.list(feature) {
                value += *factor * x[*row as usize];
            }
            is_nothing &= value == T::zero();
            self.values[column * width + feature] = value;
        }
        self.is_nothing[column] = is_nothing;
    }

    /// Finds what a column sees.
    fn look(&mut self, column: usize, found: &mut Vec<(u32, T)>) {
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
        let keys = |list: &[(u32, T)]| list.iter().map(|(key, _)| *key).collect::<Vec<u32>>();
        let same = seen.len() == found.len()
            && seen
                .iter()
                .zip(found.iter())
                .all(|(old, new)| old.0 == new.0);
        if !same {
            for key in keys(seen) {
                index::remove(&mut self.seen_by[key as usize], column as u32);
            }
            for key in keys(found) {
                self.seen_by[key as usize].push(column as u32);
            }
        }
        seen.clear();
        seen.extend_from_slice(found);
    }

    /// Adds what a column has from the keys that it sees.
    fn add_output(&self, column: usize, stream: &mut [T]) {
        let seen = &self.seen[column];
        if seen.iter().all(|(key, _)| self.is_nothing[*key as usize]) {
            return;
        }
        let width = self.value.len();
        for feature in 0..width {
            let mut mixed = T::zero();
            for (key, weight) in seen {
                let value = self.values[*key as usize * width + feature];
                if value != T::zero() {
                    mixed += value * *weight;
                }
            }
            if mixed != T::zero() {
                for (row, weight) in self.output.list(feature) {
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

/// The rows that no head and no feed-forward block writes.
fn fixed(model: &Model) -> Vec<bool> {
    let mut fixed = vec![true; model.d_model];
    for layer in &model.layers {
        let heads = layer.heads.iter().map(|head| &head.output);
        for matrix in heads.chain([&layer.mlp.output]) {
            matrix.entries().for_each(|(_, row, _)| fixed[row] = false);
        }
        for (row, bias) in layer.mlp.output_bias.iter().enumerate() {
            fixed[row] &= *bias == 0.0;
        }
    }
    fixed
}

/// The rows in which two streams differ.
fn differing<T: Scalar>(old: &[T], new: &[T]) -> RowSet {
    let pairs = old.chunks(64).zip(new.chunks(64));
    let differ = |(old, new): (&[T], &[T])| {
        let bits = old.iter().zip(new).enumerate();
        bits.fold(0, |mask, (bit, (old, new))| {
            mask | u64::from(old != new) << bit
        })
    };
    pairs.map(differ).collect()
}
