//! Sums over the keys that come before a query in two orders. The first order is the sequence of
//! events; by the second they are distributed digit by digit, as a radix sort does, and each digit
//! counts what went before. That is a tree of prefix sums with 16 children at each node, walked
//! level by level for all events instead of from top to bottom for each, so that memory is read and
//! written in sequence.

use super::tally::Sum;
use crate::interpret::column::rank::NONE;

const BITS: u32 = 4;
const DIGITS: usize = 1 << BITS;
/// Fewer events than this are compared one by one.
const FEW: usize = 16;

/// A key or a query.
#[derive(Clone, Copy)]
pub struct Event<T> {
    /// The rank of a key in the second order; the lowest rank that a query does not select.
    rank: u32,
    /// The position of a query, [`NONE`] for a key.
    query: u32,
    /// The weight of a key, the sum so far of a query.
    sum: T,
}

impl<T: Sum> Event<T> {
    pub fn key(rank: u32, weight: T) -> Event<T> {
        Event {
            rank,
            query: NONE,
            sum: weight,
        }
    }

    pub fn query(query: usize, bound: u32) -> Event<T> {
        Event {
            rank: bound,
            query: query as u32,
            sum: T::ZERO,
        }
    }

    fn is_key(&self) -> bool {
        self.query == NONE
    }
}

/// Gives to `found` the sum over the keys that come before each query and have a lower rank.
/// Reorders the events; `room` is as long as they are. O(n · digits of `highest`), the highest rank.
pub fn add_up<T: Sum>(
    events: &mut [Event<T>],
    room: &mut [Event<T>],
    highest: u32,
    found: &mut impl FnMut(usize, T),
) {
    let shift = highest.checked_ilog2().unwrap_or(0) / BITS * BITS;
    distribute(events, room, shift, found);
}

/// The events agree in the digits above `shift`.
fn distribute<T: Sum>(
    events: &mut [Event<T>],
    room: &mut [Event<T>],
    shift: u32,
    found: &mut impl FnMut(usize, T),
) {
    if events.len() < FEW {
        return compare(events, found);
    }
    let digit = |event: &Event<T>| (event.rank >> shift) as usize % DIGITS;
    let mut ends = [0_usize; DIGITS];
    for event in events.iter() {
        ends[digit(event)] += 1;
    }
    let mut start = 0;
    for count in &mut ends {
        start += std::mem::replace(count, start);
    }
    // The sums of the keys so far with a lower digit.
    let mut lower = [T::ZERO; DIGITS];
    for event in events.iter() {
        let digit = digit(event);
        let mut event = *event;
        // Both ways are computed, as no branch could be foreseen.
        let (weight, found) = if event.is_key() {
            (event.sum, T::ZERO)
        } else {
            (T::ZERO, lower[digit])
        };
        event.sum = event.sum.plus(found);
        for (at, sum) in lower.iter_mut().enumerate() {
            *sum = sum.plus(if at > digit { weight } else { T::ZERO });
        }
        room[ends[digit]] = event;
        ends[digit] += 1;
    }
    if shift == 0 {
        for event in room.iter().filter(|event| !event.is_key()) {
            found(event.query as usize, event.sum);
        }
        return;
    }
    let mut start = 0;
    for end in ends {
        distribute(
            &mut room[start..end],
            &mut events[start..end],
            shift - BITS,
            found,
        );
        start = end;
    }
}

fn compare<T: Sum>(events: &[Event<T>], found: &mut impl FnMut(usize, T)) {
    for (at, query) in events.iter().enumerate() {
        if query.is_key() {
            continue;
        }
        let mut sum = query.sum;
        for key in &events[..at] {
            sum = sum.plus(if key.is_key() & (key.rank < query.rank) {
                key.sum
            } else {
                T::ZERO
            });
        }
        found(query.query as usize, sum);
    }
}
