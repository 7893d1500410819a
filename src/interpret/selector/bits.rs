//! For one order, the sets of keys of lower ranks than a bound, as bits: some sets are kept, and
//! another is one of these with the keys between changed one by one. Depends on `rank`.

use super::axis::sorted;
use super::pair::{EQUAL, GREATER, LESS, Relations, UNORDERED};
use crate::interpret::column::rank::{NONE, Ranks};

/// At least so many keys lie between sets that are kept.
const BETWEEN: usize = 512;

/// A column of keys, ready to give the set of those that stand in some relation to a query.
pub struct Prefixes {
    /// The keys by ascending rank, without those in no order.
    order: Vec<u32>,
    /// Where in that order each rank begins, and the end of all.
    starts: Vec<u32>,
    /// The sets of the first 0, `between`, 2·`between`, … of them, one after the other.
    kept: Vec<u64>,
    between: usize,
    words: usize,
    /// The rank of each query.
    queries: Ranks,
}

impl Prefixes {
    /// The keys and queries of a ranked pair; `bytes` bounds the memory for sets that are kept.
    pub fn new(
        keys: &Ranks,
        queries: Ranks,
        count: usize,
        length: usize,
        bytes: usize,
    ) -> Prefixes {
        let ranks: Vec<u32> = (0..length).map(|key| keys.get(key)).collect();
        let order = sorted(&ranks, count).unwrap_or_else(|| (0..length as u32).collect());
        let order: Vec<u32> = order
            .into_iter()
            .filter(|key| ranks[*key as usize] != NONE)
            .collect();
        let mut starts = vec![0_u32; count + 1];
        for key in &order {
            starts[ranks[*key as usize] as usize + 1] += 1;
        }
        for rank in 0..count {
            starts[rank + 1] += starts[rank];
        }
        let words = length.div_ceil(64);
        let sets = (bytes / (8 * words).max(1)).max(1);
        let between = BETWEEN.max(order.len().div_ceil(sets));
        let mut kept = Vec::with_capacity((order.len() / between + 1) * words);
        let mut set = vec![0_u64; words];
        for (at, key) in order.iter().enumerate() {
            if at % between == 0 {
                kept.extend_from_slice(&set);
            }
            set[*key as usize / 64] |= 1 << (key % 64);
        }
        if order.len().is_multiple_of(between) {
            kept.extend_from_slice(&set);
        }
        Prefixes {
            order,
            starts,
            kept,
            between,
            words,
            queries,
        }
    }

    /// Fills `bits` with the keys that stand to a query in one of the relations; bits beyond the
    /// last key may be anything.
    pub fn fill(&self, bits: &mut [u64], query: usize, wanted: Relations) {
        let rank = self.queries.get(query);
        bits.fill(if rank == NONE && wanted & UNORDERED != 0 {
            u64::MAX
        } else {
            0
        });
        if rank == NONE {
            return;
        }
        // As the complement, where that is one interval of ranks and this is not.
        let turned = wanted & UNORDERED != 0 || wanted == LESS | GREATER;
        let asked = if turned { !wanted } else { wanted };
        let start = |rank: usize| self.starts.get(rank).copied().unwrap_or(0) as usize;
        let rank = rank as usize;
        let end = self.order.len();
        let ranges = [
            (LESS, 0, start(rank)),
            (EQUAL, start(rank), start(rank + 1)),
            (GREATER, start(rank + 1), end),
        ];
        let chosen = ranges.iter().filter(|(relation, ..)| asked & relation != 0);
        let (mut from, mut to) = (end, 0);
        let mut apart = asked & (LESS | GREATER) == LESS | GREATER && asked & EQUAL == 0;
        apart &= start(rank) < start(rank + 1);
        for (_, first, last) in chosen {
            (from, to) = (from.min(*first), to.max(*last));
        }
        if from < to {
            self.change(bits, from);
            self.change(bits, to);
        }
        if apart {
            self.change(bits, start(rank));
            self.change(bits, start(rank + 1));
        }
        if turned {
            bits.iter_mut().for_each(|word| *word = !*word);
        }
    }

    /// Changes the bits of the first keys in order.
    fn change(&self, bits: &mut [u64], first: usize) {
        let set = (first + self.between / 2) / self.between;
        let set = set.min(self.kept.len() / self.words.max(1) - 1);
        if set > 0 {
            let kept = &self.kept[set * self.words..][..self.words];
            bits.iter_mut()
                .zip(kept)
                .for_each(|(word, kept)| *word ^= kept);
        }
        let at = set * self.between;
        for key in &self.order[at.min(first)..at.max(first)] {
            bits[*key as usize / 64] ^= 1 << (key % 64);
        }
    }
}
