//! Counts and sums over the keys that one conjunction selects for each query, without looking at
//! pairs of positions. Conditions on keys alone and on queries alone are filters; equalities
//! divide keys and queries into groups; what is left are orders inside groups, of which up to two
//! can be answered.

use super::dominance;
use super::formula::{Condition, Term};
use super::rank::{NONE, Ranks};
use super::selector::{EQUAL, GREATER, LESS, Pair, Pattern, Sides, relation};
use super::tally::Sum;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The conditions of one conjunction by what they do.
#[derive(Default)]
pub struct Shape {
    pub key_filters: Vec<Condition>,
    pub query_filters: Vec<Condition>,
    pub equalities: Vec<Condition>,
    pub orders: Vec<Condition>,
}

impl Shape {
    pub fn of(pattern: &Pattern, term: &Term) -> Shape {
        let mut shape = Shape::default();
        for condition in &term.conditions {
            let kind = match pattern.pairs[condition.0].sides() {
                Sides::Keys => &mut shape.key_filters,
                Sides::Queries => &mut shape.query_filters,
                Sides::Both if condition.1 == EQUAL => &mut shape.equalities,
                Sides::Both | Sides::Neither => &mut shape.orders,
            };
            kind.push(*condition);
        }
        shape
    }

    /// Whether [`Conjunction`] can answer for it.
    pub fn is_easy(&self) -> bool {
        self.orders.len() <= 2
    }
}

/// A conjunction made ready for its input.
pub struct Conjunction {
    keys: usize,
    queries: usize,
    groups: Groups,
    orders: Vec<Order>,
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
        let order = |(pair, wanted): &Condition| Order::new(&pattern.pairs[*pair], *wanted);
        Conjunction {
            keys: pattern.keys,
            queries: pattern.queries,
            groups,
            orders: shape.orders.iter().map(order).collect(),
        }
    }

    /// Whether keys are added up in the order of their positions.
    pub fn is_sequential(&self) -> bool {
        match self.orders.as_slice() {
            [] => true,
            [order] => is_sorted(&order.keys),
            _ => false,
        }
    }

    /// Gives to `found` the sum over the selected keys of each query that may select some. O(n)
    /// with up to one order, O(n log n) with two.
    pub fn add_up<T: Sum>(&self, weight: impl Fn(usize) -> T, mut found: impl FnMut(usize, T)) {
        if let [first, second] = self.orders.as_slice() {
            // Along positions memory is read in sequence.
            let (first, second) = if is_sorted(&first.keys) {
                (first, second)
            } else {
                (second, first)
            };
            return self.dominance(first, second, weight, found);
        }
        if let [order] = self.orders.as_slice()
            && T::ANY_ORDER
            && self.groups.count == 1
            && !(is_sorted(&order.keys) && is_sorted(&order.queries))
        {
            return self.one_order(order, weight, found);
        }
        let mut sums = vec![T::ZERO; self.groups.count];
        self.sweep(self.orders.first(), |event| match event {
            Event::Key(key) => {
                if let Some(group) = member(&self.groups.keys, key) {
                    sums[group] = sums[group].plus(weight(key));
                }
            }
            Event::Query(query) => {
                if let Some(group) = member(&self.groups.queries, query) {
                    found(query, sums[group]);
                }
            }
        });
    }

    /// The one key that each query selects, [`NONE`] where there is none; nothing at all if a query
    /// might select several. O(n).
    pub fn single_keys(&self) -> Option<Vec<u32>> {
        if !self.orders.is_empty() || self.groups.count < 2 {
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

    /// One order and no groups: sums by rank, then running sums over the ranks. O(n), in any order
    /// of keys.
    fn one_order<T: Sum>(
        &self,
        order: &Order,
        weight: impl Fn(usize) -> T,
        mut found: impl FnMut(usize, T),
    ) {
        // A place for each rank and one for what is in no order.
        let mut sums = vec![T::ZERO; order.count + 1];
        let place = |rank: u32| (rank as usize).min(order.count);
        for key in (0..self.keys).filter(|key| member(&self.groups.keys, *key).is_some()) {
            let sum = &mut sums[place(order.keys.get(key))];
            *sum = sum.plus(weight(key));
        }
        let mut total = T::ZERO;
        for sum in &mut sums[..order.count] {
            let before = total;
            total = total.plus(*sum);
            *sum = if order.strict { before } else { total };
        }
        sums[order.count] = T::ZERO;
        for query in (0..self.queries).filter(|at| member(&self.groups.queries, *at).is_some()) {
            found(query, sums[place(order.queries.get(query))]);
        }
    }

    /// Two orders: keys and queries by group, in the sequence of the first order, with their ranks
    /// in the second. O(n log n).
    fn dominance<T: Sum>(
        &self,
        first: &Order,
        second: &Order,
        weight: impl Fn(usize) -> T,
        mut found: impl FnMut(usize, T),
    ) {
        let key = |key: usize| {
            let rank = second.keys.get(key);
            member(&self.groups.keys, key).filter(|_| rank != NONE && first.keys.get(key) != NONE)
        };
        let query = |query: usize| {
            let rank = second.queries.get(query);
            let group = member(&self.groups.queries, query);
            group.filter(|_| rank != NONE && first.queries.get(query) != NONE)
        };
        let mut next = vec![0_u32; self.groups.count + 1];
        let keys = (0..self.keys).filter_map(key);
        for group in keys.chain((0..self.queries).filter_map(query)) {
            next[group + 1] += 1;
        }
        for group in 0..self.groups.count {
            next[group + 1] += next[group];
        }
        let count = next[self.groups.count] as usize;
        let mut events = vec![dominance::Event::key(0, T::ZERO); count];
        let mut put = |group: usize, event| {
            events[next[group] as usize] = event;
            next[group] += 1;
        };
        self.sweep(Some(first), |event| match event {
            Event::Key(at) => {
                if let Some(group) = key(at) {
                    put(
                        group,
                        dominance::Event::key(second.keys.get(at), weight(at)),
                    );
                }
            }
            Event::Query(at) => {
                if let Some(group) = query(at) {
                    let bound = second.queries.get(at) + u32::from(!second.strict);
                    put(group, dominance::Event::query(at, bound));
                }
            }
        });
        let mut room = events.clone();
        let mut start = 0;
        // By now each group's next place is the first of the group after it.
        for end in next[..self.groups.count].iter().map(|end| *end as usize) {
            let (events, room) = (&mut events[start..end], &mut room[start..end]);
            dominance::add_up(events, room, second.count as u32, &mut found);
            start = end;
        }
    }

    /// Goes through keys and queries so that each query comes after just the keys that the order
    /// lets it select, and keys in the order of their ranks; keys that no query selects come last,
    /// and what is in no order does not come. Without an order all keys come first. O(n).
    fn sweep(&self, order: Option<&Order>, mut event: impl FnMut(Event)) {
        let Some(order) = order else {
            (0..self.keys).for_each(|key| event(Event::Key(key)));
            (0..self.queries).for_each(|query| event(Event::Query(query)));
            return;
        };
        let sorted = order.sort();
        let place = |order: &Option<Rc<[u32]>>, at: usize| match order {
            None => at,
            Some(order) => order[at] as usize,
        };
        let mut next = 0;
        let mut keys_before = |bound: u32, strict: bool, event: &mut dyn FnMut(Event)| {
            while next < self.keys {
                let key = place(&sorted.key_order, next);
                let rank = order.keys.get(key);
                if rank > bound || (strict && rank == bound) {
                    break;
                }
                event(Event::Key(key));
                next += 1;
            }
        };
        for at in 0..self.queries {
            let query = place(&sorted.query_order, at);
            let bound = order.queries.get(query);
            if bound == NONE {
                break;
            }
            keys_before(bound, order.strict, &mut event);
            event(Event::Query(query));
        }
        keys_before(NONE, true, &mut event);
    }
}

/// Keys and queries by groups: a query selects only among keys of its own group.
struct Groups {
    keys: Members,
    queries: Members,
    count: usize,
}

/// The group of each position, [`NONE`] for no group; without a list all are in group 0.
type Members = Option<Rc<[u32]>>;

fn member(members: &Members, position: usize) -> Option<usize> {
    match members {
        None => Some(0),
        Some(groups) => Some(groups[position] as usize).filter(|group| *group != NONE as usize),
    }
}

/// Takes those positions out of their groups that a filter does not let pass.
fn keep(members: &mut Members, length: usize, passes: impl Fn(usize) -> bool) {
    let kept = (0..length).map(|at| match members {
        _ if !passes(at) => NONE,
        None => 0,
        Some(groups) => groups[at],
    });
    *members = Some(kept.collect());
}

impl Groups {
    fn new() -> Groups {
        Groups {
            keys: None,
            queries: None,
            count: 1,
        }
    }

    /// Divides each group by an equality. O(n): pairs of group and rank are numbered directly if
    /// there are not many possible ones, and by hashing otherwise.
    fn divide(&mut self, pair: &Pair) {
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
            let all = |groups: &Rc<[u32]>, ranks: &Rc<[u32]>| {
                Some(groups.iter().zip(ranks.iter()).map(number).collect())
            };
            let keys = all(key_groups, keys);
            (self.keys, self.queries) = (keys, all(query_groups, queries));
            self.count *= ranked.count;
            return;
        }
        let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let divided: Rc<[u32]> = key_groups
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

/// An order between keys and queries, turned so that a key is selected if its rank is smaller.
struct Order {
    keys: Ranks,
    queries: Ranks,
    /// Whether equal ranks do not count.
    strict: bool,
    /// Every rank is smaller, except [`NONE`].
    count: usize,
}

/// The positions in the order of an order.
struct Sorted {
    /// The positions by ascending rank, equal ones in order of position; `None` if that is the
    /// order of positions itself.
    key_order: Option<Rc<[u32]>>,
    query_order: Option<Rc<[u32]>>,
}

impl Order {
    fn new(pair: &Pair, wanted: u8) -> Order {
        let ranked = pair.ranked();
        let (mut keys, mut queries) = (ranked.keys.clone(), ranked.queries.clone());
        let same =
            matches!((&keys, &queries), (Ranks::List(a), Ranks::List(b)) if Rc::ptr_eq(a, b));
        if wanted & GREATER != 0 {
            keys = turned(&keys, ranked.count);
            queries = if same {
                keys.clone()
            } else {
                turned(&queries, ranked.count)
            };
        }
        Order {
            keys,
            queries,
            strict: wanted == LESS || wanted == GREATER,
            count: ranked.count,
        }
    }

    /// O(n + ranks), by counting sort.
    fn sort(&self) -> Sorted {
        let key_order = sorted(&self.keys, self.count);
        let same = matches!((&self.keys, &self.queries),
            (Ranks::List(a), Ranks::List(b)) if Rc::ptr_eq(a, b));
        let query_order = if same {
            key_order.clone()
        } else {
            sorted(&self.queries, self.count)
        };
        Sorted {
            key_order,
            query_order,
        }
    }
}

fn is_sorted(ranks: &Ranks) -> bool {
    match ranks {
        Ranks::Constant(_) => true,
        Ranks::List(ranks) => ranks.is_sorted(),
    }
}

fn turned(ranks: &Ranks, count: usize) -> Ranks {
    let turn = |rank: &u32| match *rank {
        NONE => NONE,
        rank => count as u32 - 1 - rank,
    };
    match ranks {
        Ranks::Constant(rank) => Ranks::Constant(turn(rank)),
        Ranks::List(ranks) => Ranks::List(ranks.iter().map(turn).collect()),
    }
}

fn sorted(ranks: &Ranks, count: usize) -> Option<Rc<[u32]>> {
    let Ranks::List(ranks) = ranks else {
        return None;
    };
    if ranks.is_sorted() {
        return None;
    }
    let bucket = |rank: u32| (rank as usize).min(count);
    let mut next = vec![0_u32; count + 2];
    for rank in ranks.iter() {
        next[bucket(*rank) + 1] += 1;
    }
    for rank in 0..=count {
        next[rank + 1] += next[rank];
    }
    let mut order = vec![0_u32; ranks.len()];
    for (position, rank) in ranks.iter().enumerate() {
        let place = &mut next[bucket(*rank)];
        order[*place as usize] = position as u32;
        *place += 1;
    }
    Some(order.into())
}

enum Event {
    Key(usize),
    Query(usize),
}
