//! One attention head on feature-major activations. Patterns are kept `[keys, queries]`, so that
//! every loop runs along queries, whose entries do not depend on each other; sums over keys and
//! over features run in ascending order.

use super::lanes::{self, LANES, Levels};
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
            let pass = Pass {
                head: self,
                projected: (&query, &key, &value),
                width,
                input,
                causal,
                root,
            };
            pass.prepare(&mut room);
            let is_observed = observe.is_some();
            lanes::tiles!(pass.columns(), at => pass.tile::<N>(at, &mut room, &mut mixed, is_observed));
            if let Some(observe) = &mut observe {
                observe(pass.pattern(&room));
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
}

/// A head on one input of a batch.
struct Pass<'a, T> {
    head: &'a PreparedHead<T>,
    /// Queries, keys and values, `[features, width]`.
    projected: (&'a [T], &'a [T], &'a [T]),
    width: usize,
    input: &'a Range<usize>,
    causal: bool,
    /// √d_head
    root: T,
}

impl<T: Scalar> Pass<'_, T> {
    /// The columns of the input as queries: a multiple of the lanes.
    #[inline(always)]
    fn columns(&self) -> usize {
        self.input.len().next_multiple_of(LANES)
    }

    /// The keys as lists: they are one-hot more often than not.
    #[inline(always)]
    fn prepare(&self, room: &mut Room<T>) {
        let (_, keys, values) = self.projected;
        let place = (self.width, self.input);
        lanes::nonzero(keys, place, &mut room.features, &mut room.feature_counts);
        lanes::nonzero(values, place, &mut room.values, &mut room.value_counts);
        room.pattern
            .resize(self.input.len() * self.columns(), T::zero());
        room.mixed
            .resize(self.head.value.len(), [T::zero(); WIDEST]);
    }

    /// The pattern `[keys, queries]` for the queries of a tile, and what they mix.
    #[inline(always)]
    fn tile<const N: usize>(
        &self,
        at: usize,
        room: &mut Room<T>,
        mixed: &mut [T],
        is_observed: bool,
    ) {
        let (head, columns) = (self.head, self.columns());
        let (query, ..) = self.projected;
        let start = self.input.start + at;
        let d_head = head.query.len();
        let dividing = match head.order {
            HostOrder::Scores => Dividing::by(self.root),
            HostOrder::Query | HostOrder::Both => Dividing::Not,
        };
        let sees_all = head.mask == Mask::All && !self.causal;
        let mut largest = [T::neg_infinity(); N];
        for key in 0..self.input.len() {
            let mut scores = [T::zero(); N];
            let features = &room.features[key * d_head..][..room.feature_counts[key]];
            lanes::add_rows(features, query, (self.width, start), &mut scores);
            match dividing {
                Dividing::Not => {}
                Dividing::Times(inverse) => {
                    for score in &mut scores {
                        *score *= inverse;
                    }
                }
                Dividing::By(root) => {
                    for score in &mut scores {
                        *score /= root;
                    }
                }
            }
            if !sees_all {
                let seeing = self.seeing(key);
                for (lane, score) in scores.iter_mut().enumerate() {
                    let unseen = !seeing.contains(&(at + lane));
                    *score = if unseen { T::neg_infinity() } else { *score };
                }
            }
            for lane in 0..N {
                let score = scores[lane];
                largest[lane] = if score > largest[lane] {
                    score
                } else {
                    largest[lane]
                };
            }
            room.pattern[key * columns + at..][..N].copy_from_slice(&scores);
        }
        // A query that sees no key has weights of 0, whatever they are divided by.
        for largest in &mut largest {
            let none = *largest == T::neg_infinity();
            *largest = if none { T::zero() } else { *largest };
        }
        let mut totals = [T::zero(); N];
        for key in 0..self.input.len() {
            let row = &mut room.pattern[key * columns + at..][..N];
            let mut weights = [T::zero(); N];
            weights.copy_from_slice(row);
            match head.attention {
                Attention::Soft => lanes::weigh(&mut weights, &largest, &mut room.levels),
                Attention::Hard => {
                    for lane in 0..N {
                        let is_largest = weights[lane] == largest[lane];
                        weights[lane] = if is_largest { T::one() } else { T::zero() };
                    }
                }
            }
            for lane in 0..N {
                totals[lane] += weights[lane];
            }
            row.copy_from_slice(&weights);
        }
        for total in &mut totals {
            let none = *total == T::zero();
            *total = if none { T::one() } else { *total };
        }
        let d_value = head.value.len();
        room.mixed.fill([T::zero(); WIDEST]);
        for key in 0..self.input.len() {
            let values = &room.values[key * d_value..][..room.value_counts[key]];
            if values.is_empty() && !is_observed {
                continue;
            }
            let row = &mut room.pattern[key * columns + at..][..N];
            let mut weights = [T::zero(); N];
            for lane in 0..N {
                weights[lane] = row[lane] / totals[lane];
            }
            for (feature, value) in values {
                let mixed = &mut room.mixed[*feature as usize];
                for lane in 0..N {
                    mixed[lane] += *value * weights[lane];
                }
            }
            row.copy_from_slice(&weights);
        }
        for (feature, mixed_here) in room.mixed.iter().enumerate() {
            mixed[feature * self.width + start..][..N].copy_from_slice(&mixed_here[..N]);
        }
    }

    /// The queries that see a key.
    #[inline(always)]
    fn seeing(&self, key: usize) -> Range<usize> {
        match self.head.mask {
            Mask::All if self.causal => key..self.columns(),
            Mask::All => 0..self.columns(),
            Mask::Earlier => key + 1..self.columns(),
            Mask::Later => 0..key,
        }
    }

    fn pattern(&self, room: &Room<T>) -> Array2<T> {
        let (positions, columns) = (self.input.len(), self.columns());
        let at = |(key, query): (usize, usize)| room.pattern[key * columns + query];
        Array2::from_shape_fn((positions, positions), at)
    }
}

/// How scores are divided by √d_head.
#[derive(Clone, Copy)]
enum Dividing<T> {
    Not,
    /// By a power of two, to the same bits as a division.
    Times(T),
    By(T),
}

impl<T: Scalar> Dividing<T> {
    fn by(root: T) -> Dividing<T> {
        let wide = root.widen();
        // Without features the scores are 0.
        match wide == 0.0 || wide == 1.0 {
            true => Dividing::Not,
            false if wide.log2().fract() == 0.0 => Dividing::Times(T::one() / root),
            false => Dividing::By(root),
        }
    }
}

/// The widest tile.
const WIDEST: usize = 40;

#[inline(always)]
fn divide<T: Scalar>(numbers: &mut [T], divisor: T) {
    numbers.iter_mut().for_each(|number| *number /= divisor);
}

/// What a pattern is worked out in, again and again.
struct Room<T> {
    /// Weights `[keys, columns]`.
    pattern: Vec<T>,
    /// The features of each key, and of each value, that are not zero, and how many.
    features: Vec<(u32, T)>,
    feature_counts: Vec<usize>,
    values: Vec<(u32, T)>,
    value_counts: Vec<usize>,
    /// What a tile mixes of each feature.
    mixed: Vec<[T; WIDEST]>,
    levels: Levels<T>,
}

impl<T: Scalar> Room<T> {
    fn new() -> Room<T> {
        Room {
            pattern: Vec::new(),
            features: Vec::new(),
            feature_counts: Vec::new(),
            values: Vec::new(),
            value_counts: Vec::new(),
            mixed: Vec::new(),
            levels: Levels::new(),
        }
    }
}
