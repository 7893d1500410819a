//! Counts and sums over the keys that one conjunction selects for each query, without looking at
//! pairs of positions. Conditions on keys alone and on queries alone are filters; equalities divide
//! keys and queries into groups; what is left are orders inside groups, as intervals of axes
//! (`axis`). Along one axis they are answered by running sums, two are counted by `dominance`, and
//! a third is divided and conquered (`three`). O(n) with up to one axis, O(n log n) with two,
//! O(n log² n) with three, where ranks are known.

use super::Pattern;
use super::axis::{Axis, sorted};
use super::dominance::{self, Event};
use super::groups::{Groups, keep, member};
use super::maximum;
use super::pair::relation;
use super::shape::Shape;
use super::slots::Slots;
use super::tally::{Highest, Signed, Sum};
use super::three::{self, Item};
use crate::interpret::column::radix;
use crate::interpret::column::rank::NONE;
use std::ops::Range;

/// A conjunction made ready for its input.
pub struct Conjunction {
    keys: usize,
    queries: usize,
    groups: Groups,
    axes: Vec<Axis>,
}

/// What a query asks for along an axis: the sum from the beginning to the end of its interval, less
/// that to its start, which is nothing for an open interval.
fn ends(interval: Option<(u32, u32)>) -> impl Iterator<Item = (u32, i64)> + Clone {
    let (from, to) = interval.unwrap_or((0, 0));
    [(to, 1), (from, -1)]
        .into_iter()
        .filter(|(bound, _)| *bound > 0)
}

impl Conjunction {
    /// The conjunction of conditions that [`Shape::is_easy`] accepts. O(n) with the ranks of the
    /// columns known: hashing for groups of several equalities, counting sort for orders.
    pub fn new(pattern: &Pattern, shape: &Shape) -> Conjunction {
        let mut groups = Groups::new();
        for (pair, _) in &shape.equalities {
            groups.divide(&pattern.pairs[*pair]);
        }
        for (pair, wanted) in &shape.key_filters {
            let ranked = pattern.pairs[*pair].ranked();
            keep(&mut groups.keys, pattern.keys, |key| {
                relation(ranked.keys.get(key), ranked.queries.get(0)) & wanted != 0
            });
        }
        for (pair, wanted) in &shape.query_filters {
            let ranked = pattern.pairs[*pair].ranked();
            keep(&mut groups.queries, pattern.queries, |query| {
                relation(ranked.keys.get(0), ranked.queries.get(query)) & wanted != 0
            });
        }
        let axes = shape.orders.iter().map(|orders| Axis::new(pattern, orders));
        let mut axes: Vec<Axis> = axes.collect();
        // Along positions memory is read in sequence.
        axes.sort_by_key(|axis| !axis.is_sorted());
        Conjunction {
            keys: pattern.keys,
            queries: pattern.queries,
            groups,
            axes,
        }
    }

    /// Whether keys are added up in the order of their positions.
    pub fn is_sequential(&self) -> bool {
        self.axes.len() <= 1 && self.axes.iter().all(Axis::is_sorted)
    }

    /// Whether each query selects the keys of its group up to some position.
    pub fn is_running(&self) -> bool {
        self.is_sequential() && self.axes.iter().all(|axis| axis.from.is_none())
    }

    pub fn keys(&self) -> usize {
        self.keys
    }

    pub fn queries(&self) -> usize {
        self.queries
    }

    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.groups.count
    }

    /// Gives to `found` what comes of adding one selected key after the other, where the interval of
    /// each query is open; from left to right, where [`Conjunction::is_running`]. O(n).
    pub fn running<S: Copy>(
        &self,
        nothing: S,
        add: impl Fn(S, usize) -> S,
        mut found: impl FnMut(usize, S),
    ) {
        let mut sums = vec![nothing; self.groups.count];
        let Some(axis) = self.axes.first() else {
            self.each_key(|key, group| sums[group] = add(sums[group], key));
            return self.each_query(|query, group| found(query, sums[group]));
        };
        self.sweep(axis, |event| match event {
            Sweep::Key(key) => {
                let sum = &mut sums[self.group_of_key(key)];
                *sum = add(*sum, key);
            }
            Sweep::Query(query, _) => found(query, sums[self.group_of_query(query)]),
        });
    }

    /// Gives to `found` parts of the sum over the selected keys of each query that may select some.
    pub fn add_up<T: Signed>(&self, weight: impl Fn(usize) -> T, mut found: impl FnMut(usize, T)) {
        match self.axes.as_slice() {
            [] => {
                let sums = self.by_group(weight);
                self.each_query(|query, group| found(query, sums[group]));
            }
            [axis] if self.runs_along(axis) => {
                self.running(T::ZERO, |sum, key| sum.plus(weight(key)), found);
            }
            [axis] => {
                let slots = Slots::new(self, axis);
                let mut sums = vec![T::ZERO; slots.count + 1];
                self.each_key(|key, _| {
                    if let Some(sum) = sums.get_mut(slots.keys[key] as usize + 1) {
                        *sum = sum.plus(weight(key));
                    }
                });
                let mut total = T::ZERO;
                for sum in &mut sums {
                    total = total.plus(*sum);
                    *sum = total;
                }
                self.each_query(|query, _| {
                    let (from, to) = slots.interval(query);
                    if from < to {
                        let before = sums[from as usize].times(-1);
                        found(query, sums[to as usize].plus(before));
                    }
                });
            }
            [first, second] => {
                self.dominance((first, second), weight, |query, sign, sum: T| {
                    found(query, sum.times(sign));
                });
            }
            [first, second, third, ..] => {
                self.three([first, second, third], weight, |query, sign, sum: T| {
                    found(query, sum.times(sign));
                });
            }
        }
    }

    /// Whether its one axis is best gone along with a sum for each group, not laid out in slots:
    /// one group whose keys are not in the order of positions is faster added up by place.
    fn runs_along(&self, axis: &Axis) -> bool {
        axis.from.is_none() && (self.groups.count > 1 || axis.is_sorted())
    }

    /// Whether [`Conjunction::highest`] answers for it.
    pub fn has_highest(&self) -> bool {
        let open = self.axes.iter().filter(|axis| axis.from.is_none()).count();
        self.axes.len() <= 1 || (self.axes.len() <= 2 && open >= 1) || open == self.axes.len()
    }

    /// The highest weight of the selected keys of each query that may select some.
    pub fn highest(&self, weight: impl Fn(usize) -> u32, mut found: impl FnMut(usize, u32)) {
        let highest = |key| Highest(weight(key));
        let open = |axis: &Axis| axis.from.is_none();
        match self.axes.as_slice() {
            [] => {
                let found_of = self.by_group(highest);
                self.each_query(|query, group| found(query, found_of[group].0));
            }
            [axis] if self.runs_along(axis) => {
                self.running(0, |so_far, key| weight(key).max(so_far), found);
            }
            [axis] => {
                let slots = Slots::new(self, axis);
                let weights = slots.weights(self, weight);
                let mut asked = Vec::new();
                self.each_query(|query, _| asked.push((query as u32, slots.interval(query))));
                maximum::of_intervals(weights, &asked, found);
            }
            [first, second] if open(first) && open(second) => {
                self.dominance((first, second), highest, |query, _, sum: Highest| {
                    found(query, sum.0);
                });
            }
            [first, second] => {
                let (swept, other) = if open(first) {
                    (first, second)
                } else {
                    (second, first)
                };
                let slots = Slots::new(self, other);
                let mut tree = maximum::Tree::new(slots.count);
                self.sweep(swept, |event| match event {
                    Sweep::Key(key) => tree.raise(slots.keys[key], weight(key)),
                    Sweep::Query(query, _) => found(query, tree.highest(slots.interval(query))),
                });
            }
            [first, second, third, ..] => {
                self.three([first, second, third], highest, |query, _, sum: Highest| {
                    found(query, sum.0);
                });
            }
        }
    }

    /// The one key that each query selects, [`NONE`] where there is none; nothing at all if a query
    /// might select several. O(n).
    pub fn single_keys(&self) -> Option<Vec<u32>> {
        if !self.axes.is_empty() || self.groups.count < 2 {
            return None;
        }
        let mut keys = vec![NONE; self.groups.count];
        for at in 0..self.keys {
            if let Some(group) = member(&self.groups.keys, at)
                && std::mem::replace(&mut keys[group], at as u32) != NONE
            {
                return None;
            }
        }
        let key = |at| member(&self.groups.queries, at).map_or(NONE, |group| keys[group]);
        Some((0..self.queries).map(key).collect())
    }

    /// Each key that may be selected, with its group.
    pub fn each_key(&self, mut see: impl FnMut(usize, usize)) {
        for key in 0..self.keys {
            if let Some(group) = member(&self.groups.keys, key) {
                see(key, group);
            }
        }
    }

    pub fn each_query(&self, mut see: impl FnMut(usize, usize)) {
        for query in 0..self.queries {
            if let Some(group) = member(&self.groups.queries, query) {
                see(query, group);
            }
        }
    }

    fn by_group<T: Sum>(&self, weight: impl Fn(usize) -> T) -> Vec<T> {
        let mut sums = vec![T::ZERO; self.groups.count];
        self.each_key(|key, group| sums[group] = sums[group].plus(weight(key)));
        sums
    }

    /// Two axes. O(n log n).
    fn dominance<T: Sum>(
        &self,
        (first, second): (&Axis, &Axis),
        weight: impl Fn(usize) -> T,
        mut found: impl FnMut(usize, i64, T),
    ) {
        let (mut events, groups) = self.events(
            (first, Event::key(0, T::ZERO)),
            |key| second.keys[key] != NONE,
            |query| ends(second.interval(query)),
            |key| Event::key(second.keys[key], weight(key)),
            Event::query,
        );
        let mut room = events.clone();
        let mut found = |code: usize, sum: T| found(code / 2, sign(code), sum);
        for group in groups {
            let (events, room) = (&mut events[group.clone()], &mut room[group]);
            dominance::add_up(events, room, second.count as u32, &mut found);
        }
    }

    /// Three axes: as two, with one more to divide by. O(n log² n).
    fn three<T: Sum>(
        &self,
        [first, second, third]: [&Axis; 3],
        weight: impl Fn(usize) -> T,
        mut found: impl FnMut(usize, i64, T),
    ) {
        let (mut items, groups) = self.events(
            (first, Item::key((0, 0), T::ZERO)),
            |key| second.keys[key] != NONE && third.keys[key] != NONE,
            |query| {
                let thirds = ends(third.interval(query));
                ends(second.interval(query))
                    .flat_map(move |(a, sign)| thirds.clone().map(move |(b, s)| ((a, b), sign * s)))
            },
            |key| Item::key((second.keys[key], third.keys[key]), weight(key)),
            Item::query,
        );
        let mut found = |code: usize, sum: T| found(code / 2, sign(code), sum);
        for group in groups {
            three::add_up(&mut items[group], third.count as u32, &mut found);
        }
    }

    /// Keys and the ends of queries as events, group after group, in each in the sequence of an axis; and
    /// where those of each group are. Of keys those come that are placed on the other axes, too, and each
    /// end of a query as often as it asks along these, with places and a sign.
    fn events<E: Clone, P, A: Iterator<Item = (P, i64)>>(
        &self,
        (axis, none): (&Axis, E),
        is_placed: impl Fn(usize) -> bool,
        asks: impl Fn(usize) -> A,
        of_key: impl Fn(usize) -> E,
        of_query: impl Fn(usize, P) -> E,
    ) -> (Vec<E>, Vec<Range<usize>>) {
        let mut starts = vec![0_u32; self.groups.count + 1];
        self.each_key(|key, group| {
            starts[group + 1] += u32::from(axis.keys[key] != NONE && is_placed(key));
        });
        self.each_query(|query, group| {
            let events = ends(axis.interval(query)).count() * asks(query).count();
            starts[group + 1] += events as u32;
        });
        for group in 0..self.groups.count {
            starts[group + 1] += starts[group];
        }
        let mut events = vec![none; starts[self.groups.count] as usize];
        let mut next = starts.clone();
        let mut put = |group: usize, event: E| {
            events[next[group] as usize] = event;
            next[group] += 1;
        };
        self.sweep(axis, |event| match event {
            Sweep::Key(key) if is_placed(key) => put(self.group_of_key(key), of_key(key)),
            Sweep::Key(_) => {}
            Sweep::Query(query, sign) => {
                for (place, other) in asks(query) {
                    let event = of_query(code(query, sign * other), place);
                    put(self.group_of_query(query), event);
                }
            }
        });
        // Keys that no query comes after were not put.
        let groups = starts.iter().zip(&next).take(self.groups.count);
        let groups = groups.map(|(start, next)| *start as usize..*next as usize);
        (events, groups.collect())
    }

    pub fn group_of_key(&self, key: usize) -> usize {
        member(&self.groups.keys, key).unwrap_or(0)
    }

    pub fn group_of_query(&self, query: usize) -> usize {
        member(&self.groups.queries, query).unwrap_or(0)
    }

    /// Goes along an axis so that each end of a query's interval comes after just the keys of lower
    /// places: the last one with sign 1, the first one with −1 unless no key is before it. Keys
    /// and queries in no group, and what is in no order, do not come. O(n).
    fn sweep(&self, axis: &Axis, mut event: impl FnMut(Sweep)) {
        let order = sorted(&axis.keys, axis.count);
        let mut next = 0;
        let mut step = |bound: u32, query: usize, sign: i64| {
            while next < self.keys {
                let key = order.as_ref().map_or(next, |order| order[next] as usize);
                if axis.keys[key] >= bound {
                    break;
                }
                if member(&self.groups.keys, key).is_some() {
                    event(Sweep::Key(key));
                }
                next += 1;
            }
            event(Sweep::Query(query, sign));
        };
        if axis.from.is_none() && axis.to.is_sorted() {
            return self.each_query(|query, _| {
                if axis.to[query] > 0 {
                    step(axis.to[query], query, 1);
                }
            });
        }
        let mut asked: Vec<(u32, u32)> = Vec::with_capacity(self.queries);
        self.each_query(|query, _| {
            let ends = ends(axis.interval(query));
            asked.extend(ends.map(|(bound, sign)| (bound, code(query, sign) as u32)));
        });
        if !asked.is_sorted_by_key(|(bound, _)| *bound) {
            let bits = u32::BITS - (axis.count as u32).leading_zeros();
            radix::sort_by_key(&mut asked, bits, |(bound, _)| u64::from(*bound));
        }
        for (bound, code) in asked {
            step(bound, code as usize / 2, sign(code as usize));
        }
    }

    /// As [`Conjunction::sweep`], and then the keys that no query selects.
    pub fn sweep_all(&self, axis: &Axis, mut event: impl FnMut(Sweep)) {
        let mut seen = vec![false; self.keys];
        self.sweep(axis, |found| {
            if let Sweep::Key(key) = found {
                seen[key] = true;
            }
            event(found);
        });
        for key in (0..self.keys).filter(|key| !seen[*key]) {
            if axis.keys[key] != NONE && member(&self.groups.keys, key).is_some() {
                event(Sweep::Key(key));
            }
        }
    }
}

/// A query and the sign of what is found for it, as one number.
fn code(query: usize, sign: i64) -> usize {
    2 * query + usize::from(sign < 0)
}

fn sign(code: usize) -> i64 {
    if code.is_multiple_of(2) { 1 } else { -1 }
}

/// What comes next along an axis.
pub enum Sweep {
    Key(usize),
    /// One end of what a query selects, with the sign of the sum from the beginning.
    Query(usize, i64),
}
