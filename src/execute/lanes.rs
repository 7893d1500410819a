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
        for (tile, entries) in tiles.iter().enumerate() {
            // A byte for each lane, which all are looked at in one step.
            let mut set = [0_u8; LANES];
            for lane in 0..LANES {
                set[lane] = u8::from(entries[lane] != T::zero());
            }
            let mut set = u64::from_le_bytes(set);
            while set != 0 {
                let lane = set.trailing_zeros() as usize / 8;
                let column = tile * LANES + lane;
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

/// Scores of a head have few levels below the largest more often than not. Of these, the last that were
/// met, with the weights that softmax gives them before it divides; the first is the largest itself.
pub(super) struct Levels<T> {
    falls: [T; LEVELS],
    weights: [T; LEVELS],
    next: usize,
}

/// Levels that are remembered.
const LEVELS: usize = 4;

impl<T: Scalar> Levels<T> {
    pub fn new() -> Levels<T> {
        Levels {
            falls: [T::zero(); LEVELS],
            weights: [T::one(); LEVELS],
            next: 1,
        }
    }

    fn remember(&mut self, fall: T, weight: T) {
        (self.falls[self.next], self.weights[self.next]) = (fall, weight);
        self.next = self.next % (LEVELS - 1) + 1;
    }
}

/// Weights of a softmax before they are divided, in place of scores, from the largest score of each
/// lane.
#[inline(always)]
pub(super) fn weigh<T: Scalar, const N: usize>(
    scores: &mut [T; N],
    largest: &[T; N],
    levels: &mut Levels<T>,
) {
    let mut falls = [T::zero(); N];
    let mut known = true;
    for lane in 0..N {
        let fall = scores[lane] - largest[lane];
        let unknown = T::zero() - T::one();
        let mut weight = if fall <= T::LOWEST {
            T::zero()
        } else {
            unknown
        };
        for level in 0..LEVELS {
            let is_level = fall == levels.falls[level];
            weight = if is_level {
                levels.weights[level]
            } else {
                weight
            };
        }
        known &= weight >= T::zero();
        (falls[lane], scores[lane]) = (fall, weight);
    }
    if !known {
        let new = scores.iter().position(|weight| *weight < T::zero());
        for lane in 0..N {
            scores[lane] = falls[lane].exp_falling();
        }
        if let Some(lane) = new {
            levels.remember(falls[lane], scores[lane]);
        }
    }
}
