//! Keys and queries of equal values as groups: what equalities of a conjunction make of them, and
//! filters leave.

use super::pair::Pair;
use crate::interpret::column::rank::{NONE, Ranks};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Keys and queries by groups: a query selects only among keys of its own group.
pub struct Groups {
    pub keys: Members,
    pub queries: Members,
    pub count: usize,
}

/// The group of each position, [`NONE`] for no group; without a list all are in group 0.
pub type Members = Option<Arc<[u32]>>;

pub fn member(members: &Members, position: usize) -> Option<usize> {
    match members {
        None => Some(0),
        Some(groups) => Some(groups[position] as usize).filter(|group| *group != NONE as usize),
    }
}

/// Takes those positions out of their groups that a filter does not let pass.
pub fn keep(members: &mut Members, length: usize, passes: impl Fn(usize) -> bool) {
    let kept = (0..length).map(|at| match members {
        _ if !passes(at) => NONE,
        None => 0,
        Some(groups) => groups[at],
    });
    *members = Some(kept.collect());
}

impl Groups {
    /// All in one group.
    pub fn new() -> Groups {
        Groups {
            keys: None,
            queries: None,
            count: 1,
        }
    }

    /// Divides each group by an equality. O(n): pairs of group and rank are numbered directly if
    /// there are not many possible ones, and by hashing otherwise.
    pub fn divide(&mut self, pair: &Pair) {
        let ranked = pair.ranked();
        let (Ranks::List(keys), Ranks::List(queries)) = (&ranked.keys, &ranked.queries) else {
            return;
        };
        let (Some(key_groups), Some(query_groups)) = (&self.keys, &self.queries) else {
            self.keys = Some(keys.clone());
            self.queries = Some(queries.clone());
            self.count = ranked.count;
            return;
        };
        let room = 4 * keys.len() + 64;
        if self.count.saturating_mul(ranked.count) <= room {
            let number = |(group, rank): (&u32, &u32)| match (*group, *rank) {
                (NONE, _) | (_, NONE) => NONE,
                (group, rank) => group * ranked.count as u32 + rank,
            };
            let all = |groups: &Arc<[u32]>, ranks: &Arc<[u32]>| {
                Some(groups.iter().zip(ranks.iter()).map(number).collect())
            };
            let keys = all(key_groups, keys);
            (self.keys, self.queries) = (keys, all(query_groups, queries));
            self.count *= ranked.count;
            return;
        }
        let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let divided: Arc<[u32]> = key_groups
            .iter()
            .zip(keys.iter())
            .map(|(group, rank)| {
                if *group == NONE || *rank == NONE {
                    return NONE;
                }
                let next = numbers.len() as u32;
                *numbers.entry((*group, *rank)).or_insert(next)
            })
            .collect();
        let find = |(group, rank): (&u32, &u32)| match (*group, *rank) {
            (NONE, _) | (_, NONE) => NONE,
            both => numbers.get(&both).copied().unwrap_or(NONE),
        };
        let queries = query_groups.iter().zip(queries.iter()).map(find).collect();
        (self.keys, self.queries) = (Some(divided), Some(queries));
        self.count = numbers.len();
    }
}
