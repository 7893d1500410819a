//! One attention head on feature-major activations. Patterns are kept `[keys, queries]`, so that
//! every loop runs along queries, whose entries do not depend on each other; sums over keys and
//! over features run in ascending order.

use super::scalar::{Scalar, narrowed};
use super::sparse::{Sparse, add_scaled, row};
use crate::model::{Attention, Head, HostOrder, Mask};
use ndarray::Array2;
use std::ops::Range;

/// A head with its weights in the order of use.
pub(super) struct PreparedHead<T> {
    query: Sparse<T>,
    query_bias: Vec<T>,
    key: Sparse<T>,
    key_bias: Vec<T>,
    value: Sparse<T>,
    output: Sparse<T>,
    mask: Mask,
    attention: Attention,
    /// What is divided by √d_head.
    pub order: HostOrder,
}

impl<T: Scalar> PreparedHead<T> {
    pub fn new(head: &Head) -> PreparedHead<T> {
        PreparedHead {
            query: Sparse::by_column(&head.query),
            query_bias: narrowed(&head.query_bias),
            key: Sparse::by_column(&head.key),
            key_bias: narrowed(&head.key_bias),
            value: Sparse::by_column(&head.value),
            output: Sparse::by_row(&head.output),
            mask: head.mask,
            attention: head.attention,
            order: HostOrder::default(),
        }
    }

    /// The attended values `[d_value, columns]` of each input in a batch. `x` is
    /// `[d_model, columns]`; `inputs` are the columns of each input. Each input's pattern
    /// `[keys, queries]` is shown to `observe`.
    pub fn attend(
        &self,
        x: &Array2<T>,
        inputs: &[Range<usize>],
        causal: bool,
        observe: &mut dyn FnMut(Array2<T>),
    ) -> Array2<T> {
        let width = x.ncols();
        let stream = x.as_slice().expect("activations are in standard layout");
        let [mut query, mut key, value] = self.project(stream, width);
        let root = T::narrow(self.query.len() as f64).sqrt();
        match self.order {
            HostOrder::Scores => {}
            HostOrder::Query => divide(&mut query, root),
            HostOrder::Both => {
                divide(&mut query, root.sqrt());
                divide(&mut key, root.sqrt());
            }
        }
        let mut mixed = vec![T::zero(); value.len()];
        for input in inputs {
            let pattern = self.pattern(&query, &key, width, input, causal);
            mix(&pattern, &value, &mut mixed, width, input);
            let square = (input.len(), input.len());
            observe(Array2::from_shape_vec(square, pattern).expect("keys × queries entries"));
        }
        Array2::from_shape_vec((self.value.len(), width), mixed).expect("d_value × columns entries")
    }

    /// Queries and keys `[d_head, columns]` and values `[d_value, columns]` of a residual stream
    /// `[d_model, columns]`.
    pub fn project(&self, stream: &[T], width: usize) -> [Vec<T>; 3] {
        let none = vec![T::zero(); self.value.len()];
        [
            self.query.apply(&self.query_bias, stream, width),
            self.key.apply(&self.key_bias, stream, width),
            self.value.apply(&none, stream, width),
        ]
    }

    /// Adds the attended values, through W_O, to the residual stream `[d_model, columns]`.
    pub fn add_output(&self, mixed: &Array2<T>, x: &mut Array2<T>) {
        let width = x.ncols();
        let stream = x
            .as_slice_mut()
            .expect("activations are in standard layout");
        let mixed = mixed
            .as_slice()
            .expect("activations are in standard layout");
        for (feature, term) in mixed.chunks_exact(width).enumerate() {
            self.output.scatter(feature, term, stream);
        }
    }

    /// The attention pattern `[keys, queries]` of one input, from `query` and `key`
    /// `[d_head, columns]`. A head without features attends everywhere alike.
    fn pattern(
        &self,
        query: &[T],
        key: &[T],
        width: usize,
        input: &Range<usize>,
        causal: bool,
    ) -> Vec<T> {
        let positions = input.len();
        let d_head = self.query.len();
        let seeing = |key: usize| self.seeing(key, positions, causal);
        let mut scores = vec![T::zero(); positions * positions];
        for (position, scores) in scores.chunks_exact_mut(positions).enumerate() {
            let seeing = seeing(position);
            for feature in 0..d_head {
                let weight = key[feature * width + input.start + position];
                // Keys are one-hot more often than not.
                if weight != T::zero() {
                    let queries = &row(query, feature, width)[input.clone()];
                    add_scaled(
                        &mut scores[seeing.clone()],
                        weight,
                        &queries[seeing.clone()],
                    );
                }
            }
        }
        if d_head > 0 && self.order == HostOrder::Scores {
            divide(&mut scores, T::narrow(d_head as f64).sqrt());
        }
        let weight = match self.attention {
            Attention::Soft => |score: T, largest: T| (score - largest).exp_falling(),
            Attention::Hard => |score: T, largest: T| match score == largest {
                true => T::one(),
                false => T::zero(),
            },
        };
        normalise(&mut scores, positions, seeing, weight);
        scores
    }

    /// The queries that see a key, of an input with so many positions.
    fn seeing(&self, key: usize, positions: usize, causal: bool) -> Range<usize> {
        match self.mask {
            Mask::All if causal => key..positions,
            Mask::All => 0..positions,
            Mask::Earlier => key + 1..positions,
            Mask::Later => 0..key,
        }
    }
}

fn divide<T: Scalar>(numbers: &mut [T], divisor: T) {
    numbers.iter_mut().for_each(|number| *number /= divisor);
}

/// Weights from scores `[keys, queries]`, in place: `weight` of each score and the largest of its
/// query, divided by their sum. A key counts for the queries that see it, and what is not seen is 0
/// already.
fn normalise<T: Scalar>(
    scores: &mut [T],
    positions: usize,
    seeing: impl Fn(usize) -> Range<usize>,
    weight: impl Fn(T, T) -> T,
) {
    let mut largest = vec![T::neg_infinity(); positions];
    for (key, row) in scores.chunks_exact(positions).enumerate() {
        let seeing = seeing(key);
        for (largest, score) in largest[seeing.clone()].iter_mut().zip(&row[seeing]) {
            *largest = if *score > *largest { *score } else { *largest };
        }
    }
    let mut totals = vec![T::zero(); positions];
    for (key, row) in scores.chunks_exact_mut(positions).enumerate() {
        let seeing = seeing(key);
        let row = &mut row[seeing.clone()];
        for (score, largest) in row.iter_mut().zip(&largest[seeing.clone()]) {
            *score = weight(*score, *largest);
        }
        for (total, score) in totals[seeing].iter_mut().zip(row) {
            *total += *score;
        }
    }
    for (key, row) in scores.chunks_exact_mut(positions).enumerate() {
        let seeing = seeing(key);
        for (score, total) in row[seeing.clone()].iter_mut().zip(&totals[seeing]) {
            *score /= *total;
        }
    }
}

/// `mixed += value · pattern` for the columns of one input; `value` and `mixed` are
/// `[d_value, columns]`.
fn mix<T: Scalar>(pattern: &[T], value: &[T], mixed: &mut [T], width: usize, input: &Range<usize>) {
    let positions = input.len();
    for (value, mixed) in value.chunks_exact(width).zip(mixed.chunks_exact_mut(width)) {
        let mixed = &mut mixed[input.clone()];
        for (key, weight) in value[input.clone()].iter().enumerate() {
            // Values are one-hot more often than not.
            if *weight != T::zero() {
                add_scaled(mixed, *weight, row(pattern, key, positions));
            }
        }
    }
}
