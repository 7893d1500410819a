//! Sums over the keys that come before a query in three orders. The first order is the sequence of
//! items; it is halved again and again, and for the keys of the first half and the queries of the
//! second only two orders are left, which `dominance` answers: O(n log² n).

use super::dominance::{self, Event};
use super::tally::Sum;
use crate::interpret::column::rank::NONE;

/// A key or a query.
#[derive(Clone, Copy)]
pub struct Item<T> {
    second: u32,
    third: u32,
    /// What is found by, [`NONE`] for a key.
    query: u32,
    weight: T,
}

impl<T: Sum> Item<T> {
    pub fn key((second, third): (u32, u32), weight: T) -> Item<T> {
        Item {
            second,
            third,
            query: NONE,
            weight,
        }
    }

    /// A query that selects keys of lower places than these.
    pub fn query(query: usize, (second, third): (u32, u32)) -> Item<T> {
        Item {
            second,
            third,
            query: query as u32,
            weight: T::ZERO,
        }
    }

    fn is_key(&self) -> bool {
        self.query == NONE
    }

    /// A query before the keys of its place, which it does not select.
    fn place(&self) -> (u32, bool) {
        (self.second, self.is_key())
    }
}

/// Gives to `found` parts of the sum over the keys that come before each query and have lower
/// places in both other orders; `highest` is the highest of the third. Reorders the items.
pub fn add_up<T: Sum>(items: &mut [Item<T>], highest: u32, found: &mut impl FnMut(usize, T)) {
    let (mut events, mut room, mut merged) = (Vec::new(), Vec::new(), Vec::new());
    halve(items, highest, found, (&mut events, &mut room, &mut merged));
}

type Rooms<'r, T> = (
    &'r mut Vec<Event<T>>,
    &'r mut Vec<Event<T>>,
    &'r mut Vec<Item<T>>,
);

/// Leaves the items in the second order.
fn halve<T: Sum>(
    items: &mut [Item<T>],
    highest: u32,
    found: &mut impl FnMut(usize, T),
    rooms: Rooms<'_, T>,
) {
    if items.len() < 2 {
        return;
    }
    let (events, room, merged) = rooms;
    let (first, last) = items.split_at_mut(items.len() / 2);
    halve(first, highest, found, (events, room, merged));
    halve(last, highest, found, (events, room, merged));
    events.clear();
    merged.clear();
    let (mut key, mut query) = (first.iter().peekable(), last.iter().peekable());
    loop {
        let from_first = match (key.peek(), query.peek()) {
            (Some(a), Some(b)) => a.place() <= b.place(),
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => break,
        };
        let next = if from_first { key.next() } else { query.next() };
        let Some(item) = next else { break };
        merged.push(*item);
        if from_first && item.is_key() {
            events.push(Event::key(item.third, item.weight));
        } else if !from_first && !item.is_key() {
            events.push(Event::query(item.query as usize, item.third));
        }
    }
    items.copy_from_slice(merged);
    room.clone_from(events);
    dominance::add_up(events, room, highest, found);
}
