//! Loops over rows of numbers, compiled for each set of instructions and run with the widest that the
//! processor has. Lanes are entries of a row, which do not meet, and no product is contracted into a
//! sum, so that results are the same to the bit with any width. Depends on `scalar` and `wide`.

use super::scalar::Scalar;
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// Rows have a multiple of so many entries, which any register divides.
pub(super) const LANES: usize = 16;

/// Work on rows.
pub(super) trait Work {
    type Output;

    /// Does it. Implementations are `#[inline(always)]`, and so is all that they call where it loops,
    /// so that they are compiled as [`widest`] says.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// Does work with the widest instructions.
pub(super) fn widest<W: Work>(work: W) -> W::Output {
    pulp::Arch::new().dispatch(Widest(work))
}

struct Widest<W>(W);

impl<W: Work> WithSimd for Widest<W> {
    type Output = W::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> W::Output {
        self.0.run(simd)
    }
}

/// Calls a function for the tiles of a row of vectors, from a vector on: as wide as the registers hold
/// at once with what goes with them.
macro_rules! tiles {
    ($vectors:expr, $tile:ident => $call:expr) => {{
        let (vectors, mut $tile) = ($vectors, 0);
        while vectors - $tile >= 4 {
            const N: usize = 4;
            $call;
            $tile += N;
        }
        if vectors - $tile == 3 {
            const N: usize = 3;
            $call;
        } else if vectors - $tile == 2 {
            const N: usize = 2;
            $call;
        } else if vectors - $tile == 1 {
            const N: usize = 1;
            $call;
        }
    }};
}
pub(super) use tiles;

/// The vectors of a tile that begins at one, to be read and written.
#[inline(always)]
pub(super) fn tile<V, const N: usize>(vectors: &mut [V], at: usize) -> &mut [V; N] {
    let (tiles, _) = vectors[at..].as_chunks_mut::<N>();
    &mut tiles[0]
}

/// `sums + Σ weight · row` over a list, in its order, for the vectors of a tile that begins at one; rows
/// have `width` vectors.
#[inline(always)]
pub(super) fn add_rows<S: Simd, T: Scalar, const N: usize>(
    simd: S,
    list: &[(u32, T)],
    rows: &[T::Vector<S>],
    (width, at): (usize, usize),
    mut sums: [T::Vector<S>; N],
) -> [T::Vector<S>; N] {
    for (row, weight) in list {
        let weight = T::splat(simd, *weight);
        let row = &rows[*row as usize * width + at..][..N];
        for n in 0..N {
            sums[n] = T::plus(simd, sums[n], T::times(simd, weight, row[n]));
        }
    }
    sums
}

/// `rows[row] += weight · term` over a list, in its order, for the vectors of a tile that begins at one;
/// rows have `width` vectors.
#[inline(always)]
pub(super) fn add_to_rows<S: Simd, T: Scalar, const N: usize>(
    simd: S,
    list: &[(u32, T)],
    terms: [T::Vector<S>; N],
    rows: &mut [T::Vector<S>],
    (width, at): (usize, usize),
) {
    for (row, weight) in list {
        let weight = T::splat(simd, *weight);
        let row: &mut [_; N] = tile(rows, *row as usize * width + at);
        for n in 0..N {
            row[n] = T::plus(simd, row[n], T::times(simd, weight, terms[n]));
        }
    }
}

/// Puts 0 in place of what is not positive; whether anything is.
#[inline(always)]
pub(super) fn rectify<S: Simd, T: Scalar>(simd: S, row: &mut [T]) -> bool {
    let zero = T::splat(simd, T::zero());
    let mut largest = zero;
    for entries in T::vectors_mut::<S>(row) {
        *entries = T::if_greater(simd, (*entries, zero), *entries, zero);
        largest = T::if_greater(simd, (*entries, largest), *entries, largest);
    }
    T::any_greater(simd, largest, zero)
}

/// Entries that are looked at in one step: a byte of a word for each.
const BYTES: usize = 8;

/// The entries that are not 0 of rows `[rows, width]`, for each of the columns of an input: the row and
/// the entry, rows ascending, `rows` places for each column; and how many each column has.
#[inline(always)]
pub(super) fn nonzero<T: Scalar>(
    rows: &[T],
    (width, input): (usize, &Range<usize>),
    found: &mut Vec<(u32, T)>,
    counts: &mut Vec<usize>,
) {
    let places = rows.len() / width;
    // What stood there before is not read.
    found.resize(places * input.len(), (0, T::zero()));
    counts.clear();
    counts.resize(input.len(), 0);
    for (number, row) in rows.chunks_exact(width).enumerate() {
        let (tiles, _) = row[input.start..].as_chunks::<BYTES>();
        let tiles = &tiles[..input.len().div_ceil(BYTES)];
        for (tile, entries) in tiles.iter().enumerate() {
            let mut set = [0_u8; BYTES];
            for lane in 0..BYTES {
                set[lane] = u8::from(entries[lane] != T::zero());
            }
            let mut set = u64::from_le_bytes(set);
            while set != 0 {
                let lane = set.trailing_zeros() as usize / 8;
                let column = tile * BYTES + lane;
                // Columns after those of the input are its last one again.
                if column < input.len() {
                    found[column * places + counts[column]] = (number as u32, entries[lane]);
                    counts[column] += 1;
                }
                set &= set - 1;
            }
        }
    }
}

/// The same with all entries.
#[inline(always)]
pub(super) fn all<T: Scalar>(
    rows: &[T],
    (width, input): (usize, &Range<usize>),
    found: &mut Vec<(u32, T)>,
    counts: &mut Vec<usize>,
) {
    let places = rows.len() / width;
    found.resize(places * input.len(), (0, T::zero()));
    counts.clear();
    counts.resize(input.len(), places);
    for (number, row) in rows.chunks_exact(width).enumerate() {
        let entries = &row[input.start..][..input.len()];
        for (entry, found) in entries.iter().zip(found.chunks_exact_mut(places)) {
            found[number] = (number as u32, *entry);
        }
    }
}

/// Scores of a head have few levels below the largest more often than not. Of these, the last that were
/// met, with the weights that softmax gives them before it divides, the newest first.
pub(super) struct Levels<T>([(T, T); LEVELS]);

/// Levels that are remembered beside the largest.
const LEVELS: usize = 4;

impl<T: Scalar> Levels<T> {
    pub fn new() -> Levels<T> {
        Levels([(T::zero(), T::one()); LEVELS])
    }

    fn remember(&mut self, fall: T) {
        self.0.rotate_right(1);
        self.0[0] = (fall, fall.exp_falling());
    }
}

/// Weights of a softmax before they are divided, from scores and the largest score of each lane.
#[inline(always)]
pub(super) fn weigh<S: Simd, T: Scalar, const N: usize>(
    simd: S,
    scores: [T::Vector<S>; N],
    largest: [T::Vector<S>; N],
    levels: &mut Levels<T>,
) -> [T::Vector<S>; N] {
    let zero = T::splat(simd, T::zero());
    let one = T::splat(simd, T::one());
    let unknown = T::splat(simd, T::zero() - T::one());
    let lowest = T::splat(simd, T::LOWEST);
    let (mut falls, mut weights) = (scores, scores);
    for n in 0..N {
        falls[n] = T::minus(simd, scores[n], largest[n]);
        let weight = T::if_at_most(simd, (falls[n], lowest), zero, unknown);
        weights[n] = T::if_equal(simd, (falls[n], zero), one, weight);
    }
    // Most heads have but one level beside the largest.
    let (newest, others) = levels.0.split_at(1);
    if !look_up(simd, newest, &falls, &mut weights) && !look_up(simd, others, &falls, &mut weights)
    {
        work_out(simd, &mut falls, &mut weights, levels);
    }
    weights
}

/// Puts in the weights of some levels; whether all are known then.
#[inline(always)]
fn look_up<S: Simd, T: Scalar, const N: usize>(
    simd: S,
    levels: &[(T, T)],
    falls: &[T::Vector<S>; N],
    weights: &mut [T::Vector<S>; N],
) -> bool {
    let zero = T::splat(simd, T::zero());
    let mut least = zero;
    for (level, known) in levels {
        let (level, known) = (T::splat(simd, *level), T::splat(simd, *known));
        for n in 0..N {
            weights[n] = T::if_equal(simd, (falls[n], level), known, weights[n]);
        }
    }
    for weight in weights {
        least = T::if_greater(simd, (least, *weight), *weight, least);
    }
    !T::any_greater(simd, zero, least)
}

/// Works out the weights of vectors with one that is not known: below 0.
#[inline(always)]
fn work_out<S: Simd, T: Scalar, const N: usize>(
    simd: S,
    falls: &mut [T::Vector<S>; N],
    weights: &mut [T::Vector<S>; N],
    levels: &mut Levels<T>,
) {
    let zero = T::splat(simd, T::zero());
    let mut new = None;
    for (falls, weights) in falls.iter_mut().zip(weights) {
        if !T::any_greater(simd, zero, *weights) {
            continue;
        }
        let (falls, weights) = (T::numbers::<S>(falls), T::numbers::<S>(weights));
        for (fall, weight) in falls.iter().zip(weights.iter()) {
            if *weight < T::zero() {
                new = Some(*fall);
            }
        }
        for (fall, weight) in falls.iter().zip(weights) {
            *weight = fall.exp_falling();
        }
    }
    if let Some(fall) = new {
        levels.remember(fall);
    }
}
