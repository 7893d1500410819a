//! The keys of one axis in a row, each group's after the other, so that what a query selects is an
//! interval of one sequence, of which running sums or maxima are made.

use super::axis::Axis;
use super::count::{Conjunction, Sweep};
use crate::interpret::column::rank::NONE;
use std::sync::Arc;

/// Keys in one sequence, by group and then by place on an axis, with the intervals of it that
/// queries select. Without groups that are the places themselves.
pub struct Slots {
    /// The place of each key in the sequence; [`NONE`] for one that is in no group or order.
    pub keys: Arc<[u32]>,
    from: Option<Arc<[u32]>>,
    to: Arc<[u32]>,
    pub count: usize,
}

impl Slots {
    /// O(n), by counting sort.
    pub fn new(conjunction: &Conjunction, axis: &Axis) -> Slots {
        let groups = conjunction.groups();
        if groups == 1 {
            return Slots {
                keys: axis.keys.clone(),
                from: axis.from.clone(),
                to: axis.to.clone(),
                count: axis.count,
            };
        }
        let mut next = vec![0_u32; groups + 1];
        conjunction.each_key(|key, group| next[group + 1] += u32::from(axis.keys[key] != NONE));
        for group in 0..groups {
            next[group + 1] += next[group];
        }
        let count = next[groups] as usize;
        let start = next.clone();
        let mut keys = vec![NONE; conjunction.keys()];
        let mut from = vec![0_u32; conjunction.queries()];
        conjunction.each_query(|query, group| from[query] = start[group]);
        let mut to = from.clone();
        conjunction.sweep_all(axis, |event| match event {
            Sweep::Key(key) => {
                let place = &mut next[conjunction.group_of_key(key)];
                keys[key] = *place;
                *place += 1;
            }
            Sweep::Query(query, sign) => {
                let bound = next[conjunction.group_of_query(query)];
                match sign {
                    1 => to[query] = bound,
                    _ => from[query] = bound,
                }
            }
        });
        Slots {
            keys: keys.into(),
            from: Some(from.into()),
            to: to.into(),
            count,
        }
    }

    /// The slots that a query selects; none where the end is not after the start.
    pub fn interval(&self, query: usize) -> (u32, u32) {
        let from = self.from.as_ref().map_or(0, |from| from[query]);
        (from, self.to[query])
    }

    /// The highest weight of the keys of each slot.
    pub fn weights(&self, conjunction: &Conjunction, weight: impl Fn(usize) -> u32) -> Vec<u32> {
        let mut weights = vec![0; self.count];
        conjunction.each_key(|key, _| {
            if let Some(highest) = weights.get_mut(self.keys[key] as usize) {
                *highest = weight(key).max(*highest);
            }
        });
        weights
    }
}
