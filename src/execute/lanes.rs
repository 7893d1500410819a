//! Loops over rows of numbers, compiled for each set of instructions and run with the widest that the
//! processor has. Lanes are entries of a row, which do not meet, and no product is contracted into a
//! sum, so that results are the same to the bit with any width. Depends on `scalar`.

use super::scalar::Scalar;
use pulp::NullaryFnOnce;

/// Entries that go in step at least.
const LANES: usize = 8;
/// Entries whose sums stay in registers while terms are added.
const TILE: usize = 32;

/// Work on rows.
pub(super) trait Work {
    type Output;

    /// Does it. Implementations are `#[inline(always)]`, and so is all that they call where it loops,
    /// so that they are compiled as [`widest`] says.
    fn run(self) -> Self::Output;
}

/// Does work with the widest instructions.
pub(super) fn widest<W: Work>(work: W) -> W::Output {
    pulp::Arch::new().dispatch(Wide(work))
}

struct Wide<W>(W);

impl<W: Work> NullaryFnOnce for Wide<W> {
    type Output = W::Output;

    #[inline(always)]
    fn call(self) -> W::Output {
        self.0.run()
    }
}

/// `f(entry of the one row, entry of the other)` for each place.
#[inline(always)]
pub(super) fn each<A, B: Copy>(one: &mut [A], other: &[B], f: impl Fn(&mut A, B)) {
    let (ones, one_rest) = one.as_chunks_mut::<LANES>();
    let (others, other_rest) = other.as_chunks::<LANES>();
    for (one, other) in ones.iter_mut().zip(others) {
        for lane in 0..LANES {
            f(&mut one[lane], other[lane]);
        }
    }
    for (one, other) in one_rest.iter_mut().zip(other_rest) {
        f(one, *other);
    }
}

/// `sum += weight · term`, entry by entry. Never contracted to a fused multiply-add.
#[inline(always)]
pub(super) fn add_scaled<T: Scalar>(sum: &mut [T], weight: T, term: &[T]) {
    each(sum, term, |sum, term| *sum += weight * term);
}

/// `sum += Σ weight · row` over a list, in its order; rows have `width` entries, of which those from
/// `start` on are added.
#[inline(always)]
pub(super) fn gather<T: Scalar>(
    list: &[(u32, T)],
    rows: &[T],
    (width, start): (usize, usize),
    sum: &mut [T],
) {
    let (tiles, rest) = sum.as_chunks_mut::<TILE>();
    let mut at = start;
    for tile in tiles {
        gather_tile(list, rows, (width, at), tile);
        at += TILE;
    }
    let (tiles, rest) = rest.as_chunks_mut::<LANES>();
    for tile in tiles {
        gather_tile(list, rows, (width, at), tile);
        at += LANES;
    }
    for sum in rest {
        gather_tile(list, rows, (width, at), std::array::from_mut(sum));
        at += 1;
    }
}

#[inline(always)]
fn gather_tile<T: Scalar, const N: usize>(
    list: &[(u32, T)],
    rows: &[T],
    (width, start): (usize, usize),
    tile: &mut [T; N],
) {
    let mut sum = *tile;
    for (row, weight) in list {
        let row = &rows[*row as usize * width + start..][..N];
        for lane in 0..N {
            sum[lane] += *weight * row[lane];
        }
    }
    *tile = sum;
}

/// Weights of a softmax before they are divided, in place of a row of scores, from the largest score
/// of each column; added to `totals`.
#[inline(always)]
pub(super) fn weigh<T: Scalar>(scores: &mut [T], largest: &[T], totals: &mut [T]) {
    let (rows, rest) = scores.as_chunks_mut::<LANES>();
    let (tops, tops_rest) = largest.as_chunks::<LANES>();
    for (scores, tops) in rows.iter_mut().zip(tops) {
        weigh_tile(scores, tops);
    }
    for (score, top) in rest.iter_mut().zip(tops_rest) {
        weigh_tile(std::array::from_mut(score), std::array::from_ref(top));
    }
    each(totals, scores, |total, weight| *total += weight);
}

/// Keys are selected, with the largest score, or far below more often than not.
#[inline(always)]
fn weigh_tile<T: Scalar, const N: usize>(scores: &mut [T; N], largest: &[T; N]) {
    let mut simple = true;
    for lane in 0..N {
        scores[lane] -= largest[lane];
        simple &= (scores[lane] == T::zero()) | (scores[lane] <= T::LOWEST);
    }
    match simple {
        true => {
            for score in scores {
                *score = if *score == T::zero() { T::one() } else { T::zero() };
            }
        }
        false => scores.iter_mut().for_each(|score| *score = score.exp_falling()),
    }
}
