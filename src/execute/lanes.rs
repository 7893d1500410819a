//! Loops over rows of numbers, compiled for each set of instructions and run with the widest that the
//! processor has. Lanes are entries of a row, which do not meet, and no product is contracted into a
//! sum, so that results are the same to the bit with any width. Depends on `scalar`.

use super::scalar::Scalar;
use pulp::NullaryFnOnce;
use std::ops::Range;

/// Entries that go in step. Rows have a multiple of these.
pub(super) const LANES: usize = 8;

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

/// Calls a function for the tiles of a row from an entry on, which are this wide: as wide as the
/// registers hold at once with what goes with them.
macro_rules! tiles {
    ($width:expr, $tile:ident => $call:expr) => {{
        let (width, mut $tile) = ($width, 0);
        while width - $tile >= 40 {
            const N: usize = 40;
            $call;
            $tile += N;
        }
        if width - $tile >= 24 {
            const N: usize = 24;
            $call;
            $tile += N;
        }
        if width - $tile >= 16 {
            const N: usize = 16;
            $call;
            $tile += N;
        }
        if width - $tile >= 8 {
            const N: usize = 8;
            $call;
        }
    }};
}
pub(super) use tiles;

/// `sum += weight · term`, entry by entry. Never contracted to a fused multiply-add.
#[inline(always)]
pub(super) fn add_scaled<T: Scalar>(sum: &mut [T], weight: T, term: &[T]) {
    let (sums, _) = sum.as_chunks_mut::<LANES>();
    let (terms, _) = term.as_chunks::<LANES>();
    for (sum, term) in sums.iter_mut().zip(terms) {
        let mut added = *sum;
        for lane in 0..LANES {
            added[lane] += weight * term[lane];
        }
        *sum = added;
    }
}

/// `sum += Σ weight · row` over a list, in its order; rows are as wide as the sum.
#[inline(always)]
pub(super) fn gather<T: Scalar>(list: &[(u32, T)], rows: &[T], sum: &mut [T]) {
    let width = sum.len();
    tiles!(width, at => {
        let (tile, _) = sum[at..].split_at_mut(N);
        let mut sums = [T::zero(); N];
        sums.copy_from_slice(tile);
        add_rows(list, rows, (width, at), &mut sums);
        tile.copy_from_slice(&sums);
    });
}

/// The same for the entries of a tile that begins at one; rows have `width` entries.
#[inline(always)]
pub(super) fn add_rows<T: Scalar, const N: usize>(
    list: &[(u32, T)],
    rows: &[T],
    (width, at): (usize, usize),
    sums: &mut [T; N],
) {
    for (row, weight) in list {
        let row = &rows[*row as usize * width + at..][..N];
        for lane in 0..N {
            sums[lane] += *weight * row[lane];
        }
    }
}

/// Puts 0 in place of what is not positive; whether anything is.
#[inline(always)]
pub(super) fn rectify<T: Scalar>(row: &mut [T]) -> bool {
    let mut largest = [T::zero(); LANES];
    let (tiles, _) = row.as_chunks_mut::<LANES>();
    for tile in tiles {
        let mut positive = *tile;
        for lane in 0..LANES {
            positive[lane] = tile[lane].max(T::zero());
            largest[lane] = largest[lane].max(positive[lane]);
        }
        *tile = positive;
    }
    largest.iter().any(|entry| *entry > T::zero())
}

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
        let (tiles, _) = row[input.start..].as_chunks::<LANES>();
        let tiles = &tiles[..input.len().div_ceil(LANES)];
        for (block, tiles) in tiles.chunks(64 / LANES).enumerate() {
            let mut set = 0_u64;
            for (tile, entries) in tiles.iter().enumerate() {
                let mut bits = 0_u8;
                for (lane, entry) in entries.iter().enumerate() {
                    bits |= u8::from(*entry != T::zero()) << lane;
                }
                set |= u64::from(bits) << (tile * LANES);
            }
            while set != 0 {
                let at = set.trailing_zeros() as usize;
                let column = block * 64 + at;
                // Columns after those of the input are its last one again.
                if column < input.len() {
                    let entry = tiles[at / LANES][at % LANES];
                    found[column * places + counts[column]] = (number as u32, entry);
                    counts[column] += 1;
                }
                set &= set - 1;
            }
        }
    }
}

/// Weights of a softmax before they are divided, in place of scores, from the largest score of each
/// lane. `level` is how far below the largest the last score was that is neither that nor too far below
/// to count, with its weight: scores of a head have few levels more often than not, that of the keys
/// which are selected, the largest, and one below it.
#[inline(always)]
pub(super) fn weigh<T: Scalar, const N: usize>(
    scores: &mut [T; N],
    largest: &[T; N],
    level: &mut (T, T),
) {
    let (scores, _) = scores.as_chunks_mut::<LANES>();
    let (largest, _) = largest.as_chunks::<LANES>();
    for (scores, largest) in scores.iter_mut().zip(largest) {
        let (below, weight) = *level;
        let mut falls = *scores;
        let mut known = true;
        for lane in 0..LANES {
            let fall = scores[lane] - largest[lane];
            known &= (fall == T::zero()) | (fall <= T::LOWEST) | (fall == below);
            falls[lane] = fall;
        }
        if known {
            for lane in 0..LANES {
                let fall = falls[lane];
                let rest = if fall == below { weight } else { T::zero() };
                scores[lane] = if fall == T::zero() { T::one() } else { rest };
            }
            continue;
        }
        for lane in 0..LANES {
            scores[lane] = falls[lane].exp_falling();
        }
        for (fall, weight) in falls.iter().zip(scores) {
            if *fall < T::zero() && *weight > T::zero() {
                *level = (*fall, *weight);
            }
        }
    }
}
