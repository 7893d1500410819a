//! Orders between keys and queries as axes: along one, keys have places and each query selects the
//! keys of an interval. All orders of one column of keys are one axis, so that `k >= q - 5 and k <=
//! q + 5` is one interval and not two orders. Depends on `rank` and `selector`.

use super::Pattern;
use super::formula::Condition;
use super::pair::{EQUAL, LESS};
use crate::interpret::column::rank::{NONE, Ranked, Ranks};
use std::sync::Arc;

/// Places of keys, and the intervals of places that queries select.
pub struct Axis {
    /// The place of each key; [`NONE`] for one that is in no order.
    pub keys: Arc<[u32]>,
    /// The first place that each query selects; 0 without a list.
    pub from: Option<Arc<[u32]>>,
    /// The place after the last that each query selects.
    pub to: Arc<[u32]>,
    /// Every place is smaller, except [`NONE`].
    pub count: usize,
}

impl Axis {
    /// The axis of conditions on one column of keys: orders, each perhaps with equality. O(n).
    pub fn new(pattern: &Pattern, conditions: &[Condition]) -> Axis {
        let bounds = |(pair, wanted): &Condition| {
            Bounds::new(pattern.pairs[*pair].ranked(), *wanted, pattern.queries)
        };
        let (keys, bounds, count) = match conditions {
            [one] => {
                let ranked = pattern.pairs[one.0].ranked();
                (list(&ranked.keys, pattern.keys), bounds(one), ranked.count)
            }
            several => joined(pattern, several),
        };
        Axis {
            keys,
            from: bounds.from,
            to: bounds
                .to
                .unwrap_or_else(|| vec![count as u32; pattern.queries].into()),
            count,
        }
        .turned()
    }

    /// Where queries select all places from one on, the other way round, so that they select all
    /// up to one.
    fn turned(self) -> Axis {
        let count = self.count as u32;
        match &self.from {
            Some(from) if self.to.iter().all(|to| *to == count) => {
                let turn = |place: &u32| match *place {
                    NONE => NONE,
                    place => count - 1 - place,
                };
                Axis {
                    keys: self.keys.iter().map(turn).collect(),
                    to: from.iter().map(|from| count - from).collect(),
                    from: None,
                    count: self.count,
                }
            }
            _ => self,
        }
    }

    /// The places that a query selects, if any.
    pub fn interval(&self, query: usize) -> Option<(u32, u32)> {
        let interval = (
            self.from.as_ref().map_or(0, |from| from[query]),
            self.to[query],
        );
        (interval.0 < interval.1).then_some(interval)
    }

    /// Whether places ascend with positions.
    pub fn is_sorted(&self) -> bool {
        self.keys.is_sorted()
    }
}

/// What each query asks of the ranks of keys.
struct Bounds {
    from: Option<Arc<[u32]>>,
    to: Option<Arc<[u32]>>,
}

impl Bounds {
    fn new(ranked: &Ranked, wanted: u8, queries: usize) -> Bounds {
        let (less, equal) = (wanted & LESS != 0, wanted & EQUAL != 0);
        // Up to the query's own rank, or from it on; one further where that is asked for.
        let further = u32::from(less == equal);
        let bounds = |none: u32| -> Option<Arc<[u32]>> {
            let bound = |rank: &u32| if *rank == NONE { none } else { rank + further };
            Some(list(&ranked.queries, queries).iter().map(bound).collect())
        };
        match less {
            true => Bounds {
                from: None,
                to: bounds(0),
            },
            false => Bounds {
                from: bounds(ranked.count as u32),
                to: None,
            },
        }
    }
}

fn list(ranks: &Ranks, length: usize) -> Arc<[u32]> {
    match ranks {
        Ranks::Constant(rank) => vec![*rank; length].into(),
        Ranks::List(ranks) => ranks.clone(),
    }
}

/// Several conditions on one column of keys: their ranks beside each column of queries are brought
/// down to the ranks of the keys among themselves.
fn joined(pattern: &Pattern, conditions: &[Condition]) -> (Arc<[u32]>, Bounds, usize) {
    let mut all: Option<(Arc<[u32]>, usize)> = None;
    let mut joined = Bounds {
        from: None,
        to: None,
    };
    for (pair, wanted) in conditions {
        let ranked = pattern.pairs[*pair].ranked();
        let keys = list(&ranked.keys, pattern.keys);
        let mut place = vec![0_u32; ranked.count + 1];
        for rank in keys.iter().filter(|rank| **rank != NONE) {
            place[*rank as usize + 1] = 1;
        }
        for rank in 0..ranked.count {
            place[rank + 1] += place[rank];
        }
        let bounds = Bounds::new(ranked, *wanted, pattern.queries);
        let moved = |bounds: &Arc<[u32]>| -> Arc<[u32]> {
            bounds.iter().map(|bound| place[*bound as usize]).collect()
        };
        let both = |a: &Option<Arc<[u32]>>, b: &Option<Arc<[u32]>>, pick: fn(u32, u32) -> u32| {
            let b = b.as_ref().map(moved);
            match (a, b) {
                (Some(a), Some(b)) => {
                    Some(a.iter().zip(b.iter()).map(|(a, b)| pick(*a, *b)).collect())
                }
                (a, b) => a.clone().or(b),
            }
        };
        joined = Bounds {
            from: both(&joined.from, &bounds.from, u32::max),
            to: both(&joined.to, &bounds.to, u32::min),
        };
        all.get_or_insert_with(|| {
            let rank = |rank: &u32| match *rank {
                NONE => NONE,
                rank => place[rank as usize],
            };
            (
                keys.iter().map(rank).collect(),
                place[ranked.count] as usize,
            )
        });
    }
    let (keys, count) = all.unwrap_or_else(|| (Arc::new([]), 0));
    (keys, joined, count)
}

/// Positions by ascending place, equal ones in order of position, those in no order last; `None` if
/// that is the order of positions itself. O(n + places), by counting sort.
pub fn sorted(places: &[u32], count: usize) -> Option<Vec<u32>> {
    if places.is_sorted() {
        return None;
    }
    let bucket = |place: u32| (place as usize).min(count);
    let mut next = vec![0_u32; count + 2];
    for place in places {
        next[bucket(*place) + 1] += 1;
    }
    for place in 0..=count {
        next[place + 1] += next[place];
    }
    let mut order = vec![0_u32; places.len()];
    for (position, place) in places.iter().enumerate() {
        let at = &mut next[bucket(*place)];
        order[*at as usize] = position as u32;
        *at += 1;
    }
    Some(order)
}
