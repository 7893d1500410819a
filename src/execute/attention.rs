//! One attention head on feature-major activations. Patterns are kept `[keys, queries]`, so that
//! every loop runs along queries, whose entries do not depend on each other; sums over keys and
//! over features run in ascending order.

use super::lanes;
use super::scalar::{Scalar, narrowed};
use super::sparse::Sparse;
use crate::model::{Attention, Head, HostOrder, Mask};
use ndarray::Array2;
use std::ops::Range;

/// Is shown patterns.
pub(super) type Observe<'o, T> = dyn FnMut(Array2<T>) + 'o;

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
    /// `[keys, queries]` is shown to `observe`, if somebody wants to see it.
    #[inline(always)]
    pub fn attend(
        &self,
        x: &Array2<T>,
        inputs: &[Range<usize>],
        causal: bool,
        mut observe: Option<&mut Observe<'_, T>>,
    ) -> Vec<T> {
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
        let mut room = Room::new();
        for input in inputs {
            let positions = input.len();
            self.weigh((&query, &key), width, (input, causal), &mut room);
            let is_observed = observe.is_some();
            self.normalise((&value, width, input), (is_observed, causal), &mut room);
            self.mix((&value, width, input), &room, &mut mixed);
            if let Some(observe) = &mut observe {
                let pattern = Array2::from_shape_vec((positions, positions), room.pattern.clone());
                observe(pattern.expect("keys × queries entries"));
            }
        }
        mixed
    }

    /// Queries and keys `[d_head, columns]` and values `[d_value, columns]` of a residual stream
    /// `[d_model, columns]`.
    #[inline(always)]
    pub fn project(&self, stream: &[T], width: usize) -> [Vec<T>; 3] {
        let none = vec![T::zero(); self.value.len()];
        [
            self.query.apply(&self.query_bias, stream, width),
            self.key.apply(&self.key_bias, stream, width),
            self.value.apply(&none, stream, width),
        ]
    }

    /// Adds the attended values `[d_value, columns]`, through W_O, to the residual stream
    /// `[d_model, columns]`.
    #[inline(always)]
    pub fn add_output(&self, mixed: &[T], x: &mut Array2<T>) {
        let width = x.ncols();
        let stream = x
            .as_slice_mut()
            .expect("activations are in standard layout");
        for (feature, term) in mixed.chunks_exact(width).enumerate() {
            self.output.scatter(feature, term, stream);
        }
    }

    /// The attention pattern `[keys, queries]` of one input before it is divided by the totals of its
    /// queries, from `query` and `key` `[d_head, columns]`. A head without features attends everywhere
    /// alike.
    #[inline(always)]
    fn weigh(
        &self,
        (query, key): (&[T], &[T]),
        width: usize,
        (input, causal): (&Range<usize>, bool),
        room: &mut Room<T>,
    ) {
        let positions = input.len();
        let d_head = self.query.len();
        let is_divided = d_head > 0 && self.order == HostOrder::Scores;
        let root = T::narrow(d_head as f64).sqrt();
        room.begin(positions);
        for (position, scores) in room.pattern.chunks_exact_mut(positions).enumerate() {
            let seeing = self.seeing(position, positions, causal);
            // Keys are one-hot more often than not.
            room.list.clear();
            for feature in 0..d_head {
                let weight = key[feature * width + input.start + position];
                if weight != T::zero() {
                    room.list.push((feature as u32, weight));
                }
            }
            let scores = &mut scores[seeing.clone()];
            let start = input.start + seeing.start;
            lanes::gather(&room.list, query, (width, start), scores);
            if is_divided {
                divide(scores, root);
            }
            lanes::each(&mut room.largest[seeing], scores, |largest, score| {
                *largest = if score > *largest { score } else { *largest };
            });
        }
        for (position, weights) in room.pattern.chunks_exact_mut(positions).enumerate() {
            let seeing = self.seeing(position, positions, causal);
            let weights = &mut weights[seeing.clone()];
            let largest = &room.largest[seeing.clone()];
            let totals = &mut room.totals[seeing];
            match self.attention {
                Attention::Soft => lanes::weigh(weights, largest, totals),
                Attention::Hard => {
                    lanes::each(weights, largest, |score, largest| {
                        *score = if *score == largest { T::one() } else { T::zero() };
                    });
                    lanes::each(totals, weights, |total, weight| *total += weight);
                }
            }
        }
    }

    /// Divides the weights of keys by the totals of the queries that see them: of keys that have a
    /// value `[d_value, columns]`, or of all. What is not seen is 0 already.
    #[inline(always)]
    fn normalise(
        &self,
        (value, width, input): (&[T], usize, &Range<usize>),
        (all, causal): (bool, bool),
        room: &mut Room<T>,
    ) {
        let positions = input.len();
        for (position, weights) in room.pattern.chunks_exact_mut(positions).enumerate() {
            let column = input.start + position;
            let mut values = value.iter().skip(column).step_by(width);
            if all || values.any(|value| *value != T::zero()) {
                let seeing = self.seeing(position, positions, causal);
                let totals = &room.totals[seeing.clone()];
                lanes::each(&mut weights[seeing], totals, |weight, total| *weight /= total);
            }
        }
    }

    /// `mixed += value · pattern` for the columns of one input; `value` and `mixed` are
    /// `[d_value, columns]`.
    #[inline(always)]
    fn mix(
        &self,
        (value, width, input): (&[T], usize, &Range<usize>),
        room: &Room<T>,
        mixed: &mut [T],
    ) {
        let positions = input.len();
        let mut list = Vec::with_capacity(positions);
        for (value, mixed) in value.chunks_exact(width).zip(mixed.chunks_exact_mut(width)) {
            // Values are one-hot more often than not.
            list.clear();
            for (key, weight) in (0..).zip(&value[input.clone()]) {
                if *weight != T::zero() {
                    list.push((key, *weight));
                }
            }
            let mixed = &mut mixed[input.clone()];
            lanes::gather(&list, &room.pattern, (positions, 0), mixed);
        }
    }

    /// The queries that see a key, of an input with so many positions.
    #[inline(always)]
    fn seeing(&self, key: usize, positions: usize, causal: bool) -> Range<usize> {
        match self.mask {
            Mask::All if causal => key..positions,
            Mask::All => 0..positions,
            Mask::Earlier => key + 1..positions,
            Mask::Later => 0..key,
        }
    }
}

#[inline(always)]
fn divide<T: Scalar>(numbers: &mut [T], divisor: T) {
    numbers.iter_mut().for_each(|number| *number /= divisor);
}

/// What a pattern is worked out in, again and again.
struct Room<T> {
    /// `[keys, queries]`
    pattern: Vec<T>,
    /// The largest score of each query, and the sum of its weights.
    largest: Vec<T>,
    totals: Vec<T>,
    /// The features of a key that are not zero.
    list: Vec<(u32, T)>,
}

impl<T: Scalar> Room<T> {
    fn new() -> Room<T> {
        Room {
            pattern: Vec::new(),
            largest: Vec::new(),
            totals: Vec::new(),
            list: Vec::new(),
        }
    }

    fn begin(&mut self, positions: usize) {
        self.pattern.clear();
        self.pattern.resize(positions * positions, T::zero());
        self.largest.clear();
        self.largest.resize(positions, T::neg_infinity());
        self.totals.clear();
        self.totals.resize(positions, T::zero());
    }
}
