//! One attention head on feature-major activations. Patterns are kept `[keys, queries]`, so that
//! every loop runs along queries, whose entries do not depend on each other; sums over keys and
//! over features run in ascending order.

use super::activations::Activations;
use super::lanes::{self, LANES, Levels};
use super::scalar::{Scalar, narrowed};
use super::sparse::Sparse;
use crate::model::{Attention, Head, HostOrder, Mask};
use ndarray::Array2;
use pulp::Simd;
use std::ops::Range;

/// Is shown patterns.
pub(super) type Observe<'o> = dyn FnMut(Array2<f64>) + 'o;

/// A head with its weights in the order of use.
pub(super) struct PreparedHead<T> {
    pub query: Sparse<T>,
    pub query_bias: Vec<T>,
    pub key: Sparse<T>,
    pub key_bias: Vec<T>,
    pub value: Sparse<T>,
    pub output: Sparse<T>,
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
    /// `[d_model, columns]`; `inputs` are the columns of each input, whose queries begin at a position:
    /// those before attend to nothing. Each input's pattern `[queries, keys]` is shown to `observe`, if
    /// somebody wants to see it, who has to want it of all positions.
    #[inline(always)]
    pub fn attend<S: Simd>(
        &self,
        simd: S,
        (x, inputs): (&Activations<T>, &[Range<usize>]),
        causal: bool,
        room: &mut Room<T>,
        mut observe: Option<&mut Observe<'_>>,
    ) -> Activations<T> {
        let mut projected = std::mem::replace(&mut room.projected, empty());
        self.project(simd, x, &mut projected);
        let [query, key, value] = &mut projected;
        let root = T::narrow(self.query.len() as f64).sqrt();
        match self.order {
            HostOrder::Scores => {}
            HostOrder::Query => divide(query, root),
            HostOrder::Both => {
                divide(query, root.sqrt());
                divide(key, root.sqrt());
            }
        }
        let mut mixed = Activations::zeros(value.features(), x.columns());
        room.levels = Levels::new();
        for input in inputs {
            let pass = Pass {
                head: self,
                projected: (query, key, value),
                width: x.columns(),
                input,
                first: room.first,
                causal,
                root,
            };
            pass.prepare(room);
            let is_observed = observe.is_some();
            let vectors = pass.columns() / T::lanes::<S>();
            lanes::tiles!(vectors, at => pass.tile::<S, N>(simd, at, room, &mut mixed, is_observed));
            if let Some(observe) = &mut observe {
                observe(pass.pattern(room));
            }
        }
        room.projected = projected;
        mixed
    }

    /// Queries and keys `[d_head, columns]` and values `[d_value, columns]` of a residual stream
    /// `[d_model, columns]`.
    #[inline(always)]
    pub fn project<S: Simd>(&self, simd: S, x: &Activations<T>, into: &mut [Activations<T>; 3]) {
        let [query, key, value] = into;
        self.query.apply(simd, &self.query_bias, x, query);
        self.key.apply(simd, &self.key_bias, x, key);
        let none = vec![T::zero(); self.value.len()];
        self.value.apply(simd, &none, x, value);
    }

    /// Adds the attended values `[d_value, columns]`, through W_O, to the residual stream
    /// `[d_model, columns]`.
    #[inline(always)]
    pub fn add_output<S: Simd>(&self, simd: S, mixed: &Activations<T>, x: &mut Activations<T>) {
        for (feature, term) in mixed.chunks_exact(mixed.columns()).enumerate() {
            self.output.scatter(simd, feature, term, x);
        }
    }
}

/// So many features of a key are few: to leave out what is 0 takes longer than to add it.
const FEW: usize = 4;

/// A head on one input of a batch.
struct Pass<'a, T> {
    head: &'a PreparedHead<T>,
    /// Queries, keys and values, `[features, width]`.
    projected: (&'a [T], &'a [T], &'a [T]),
    width: usize,
    input: &'a Range<usize>,
    /// The position of the first query.
    first: usize,
    causal: bool,
    /// √d_head
    root: T,
}

impl<T: Scalar> Pass<'_, T> {
    /// The columns of queries: a multiple of the lanes.
    #[inline(always)]
    fn columns(&self) -> usize {
        (self.input.len() - self.first).next_multiple_of(LANES)
    }

    /// The keys as lists of features: many have few that are not 0.
    #[inline(always)]
    fn prepare(&self, room: &mut Room<T>) {
        let (_, keys, values) = self.projected;
        let place = (self.width, self.input);
        let (features, counts) = (&mut room.features, &mut room.feature_counts);
        match self.head.key.len() <= FEW {
            true => lanes::all(keys, place, features, counts),
            false => lanes::nonzero(keys, place, features, counts),
        }
        lanes::nonzero(values, place, &mut room.values, &mut room.value_counts);
        room.pattern.resize(self.input.len(), self.columns());
    }

    /// The pattern `[keys, queries]` for the queries of a tile that begins at a vector, and what they mix.
    #[inline(always)]
    fn tile<S: Simd, const N: usize>(
        &self,
        simd: S,
        at: usize,
        room: &mut Room<T>,
        mixed: &mut [T],
        is_observed: bool,
    ) {
        let (head, lanes) = (self.head, T::lanes::<S>());
        let (width, columns) = (self.width / lanes, self.columns() / lanes);
        // The input begins anywhere in a row. Where its last tile ends in the next input's columns, those
        // are worked out after it.
        let (query, ..) = self.projected;
        // Without features there is not even one row.
        let first = self.input.start + self.first;
        let query = query.get(first..).unwrap_or_default();
        let mixed = mixed.get_mut(first..).unwrap_or_default();
        let (query, mixed) = (T::vectors::<S>(query), T::vectors_mut::<S>(mixed));
        let pattern = T::vectors_mut::<S>(&mut room.pattern);
        let (d_head, d_value) = (head.query.len(), head.value.len());
        let dividing = match head.order {
            HostOrder::Scores => Dividing::by(self.root),
            HostOrder::Query | HostOrder::Both => Dividing::Not,
        };
        let places = &T::vectors::<S>(&room.places)[at..][..N];
        let sees_all = head.mask == Mask::All && !self.causal;
        let zero = T::splat(simd, T::zero());
        let nothing = T::splat(simd, T::neg_infinity());
        let mut largest = [nothing; N];
        for key in 0..self.input.len() {
            let features = &room.features[key * d_head..][..room.feature_counts[key]];
            let mut scores = lanes::add_rows(simd, features, query, (width, at), [zero; N]);
            dividing.divide(simd, &mut scores);
            if !sees_all {
                let seeing = self.seeing(key);
                let first = T::splat(simd, T::narrow(seeing.start as f64));
                let end = T::splat(simd, T::narrow(seeing.end as f64));
                for n in 0..N {
                    let early = T::if_greater(simd, (first, places[n]), nothing, scores[n]);
                    scores[n] = T::if_at_most(simd, (end, places[n]), nothing, early);
                }
            }
            for n in 0..N {
                largest[n] = T::if_greater(simd, (scores[n], largest[n]), scores[n], largest[n]);
            }
            *lanes::tile(pattern, key * columns + at) = scores;
        }
        let (len, infinite) = (self.input.len() as f64, T::splat(simd, T::infinity()));
        let len = T::splat(simd, T::narrow(len));
        for n in 0..N {
            // A query that sees no key has weights of 0, whatever they are divided by; so have columns
            // that are not the input's.
            let known = T::if_equal(simd, (largest[n], nothing), zero, largest[n]);
            largest[n] = T::if_at_most(simd, (len, places[n]), infinite, known);
        }
        let one = T::splat(simd, T::one());
        let mut totals = [zero; N];
        for key in 0..self.input.len() {
            let row: &mut [_; N] = lanes::tile(pattern, key * columns + at);
            let weights = match head.attention {
                Attention::Soft => lanes::weigh(simd, *row, largest, &mut room.levels),
                Attention::Hard => {
                    let mut weights = *row;
                    for n in 0..N {
                        weights[n] = T::if_equal(simd, (row[n], largest[n]), one, zero);
                    }
                    weights
                }
            };
            for n in 0..N {
                totals[n] = T::plus(simd, totals[n], weights[n]);
            }
            *row = weights;
        }
        for total in &mut totals {
            *total = T::if_equal(simd, (*total, zero), one, *total);
        }
        for feature in 0..d_value {
            *lanes::tile(mixed, feature * width + at) = [zero; N];
        }
        for key in 0..self.input.len() {
            let values = &room.values[key * d_value..][..room.value_counts[key]];
            if values.is_empty() && !is_observed {
                continue;
            }
            let row: &mut [_; N] = lanes::tile(pattern, key * columns + at);
            let mut weights = *row;
            for n in 0..N {
                weights[n] = T::over(simd, weights[n], totals[n]);
            }
            for (feature, value) in values {
                let value = T::splat(simd, *value);
                let sums: &mut [_; N] = lanes::tile(mixed, *feature as usize * width + at);
                for n in 0..N {
                    sums[n] = T::plus(simd, sums[n], T::times(simd, value, weights[n]));
                }
            }
            *row = weights;
        }
    }

    /// The queries that see a key.
    #[inline(always)]
    fn seeing(&self, key: usize) -> Range<usize> {
        match self.head.mask {
            Mask::All if self.causal => key..self.input.len(),
            Mask::All => 0..self.input.len(),
            Mask::Earlier => key + 1..self.input.len(),
            Mask::Later => 0..key,
        }
    }

    /// `[queries, keys]`
    fn pattern(&self, room: &Room<T>) -> Array2<f64> {
        let positions = self.input.len();
        let at = |(query, key)| room.pattern.at(key, query).widen();
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

    #[inline(always)]
    fn divide<S: Simd, const N: usize>(self, simd: S, scores: &mut [T::Vector<S>; N]) {
        match self {
            Dividing::Not => {}
            Dividing::Times(inverse) => {
                let inverse = T::splat(simd, inverse);
                for score in scores {
                    *score = T::times(simd, *score, inverse);
                }
            }
            Dividing::By(root) => {
                let root = T::splat(simd, root);
                for score in scores {
                    *score = T::over(simd, *score, root);
                }
            }
        }
    }
}

#[inline(always)]
fn divide<T: Scalar>(numbers: &mut [T], divisor: T) {
    numbers.iter_mut().for_each(|number| *number /= divisor);
}

/// Of queries, keys and values.
pub(super) fn empty<T: Scalar>() -> [Activations<T>; 3] {
    std::array::from_fn(|_| Activations::none())
}

/// What patterns are worked out in, again and again.
pub(super) struct Room<T> {
    /// Queries, keys and values.
    projected: [Activations<T>; 3],
    /// Weights `[keys, queries]`.
    pattern: Activations<T>,
    /// The features of each key, and of each value, that are not zero (of few, all), and how many.
    features: Vec<(u32, T)>,
    feature_counts: Vec<usize>,
    values: Vec<(u32, T)>,
    value_counts: Vec<usize>,
    /// The position of the first query of each input.
    first: usize,
    /// The positions of queries.
    places: Vec<T>,
    levels: Levels<T>,
}

impl<T: Scalar> Room<T> {
    /// For inputs in these columns, whose queries begin at a position.
    pub fn new(inputs: &[Range<usize>], first: usize) -> Room<T> {
        let longest = inputs.iter().map(ExactSizeIterator::len).max();
        let places = first..first + longest.unwrap_or(0).next_multiple_of(LANES);
        Room {
            projected: empty(),
            pattern: Activations::none(),
            features: Vec::new(),
            feature_counts: Vec::new(),
            values: Vec::new(),
            value_counts: Vec::new(),
            first,
            places: places.map(|place| T::narrow(place as f64)).collect(),
            levels: Levels::new(),
        }
    }
}
