//! Counts and sums over the keys that one conjunction selects for each query, without looking at
//! pairs of positions. Conditions on keys alone and on queries alone are filters; equalities
//! divide keys and queries into groups; what is left are orders inside groups, of which up to two
//! can be answered.

use super::fenwick;
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
    length: usize,
    groups: Groups,
    orders: Vec<Order>,
}

impl Conjunction {
    /// The conjunction of conditions that [`Shape::is_easy`] accepts. O(n) with the ranks of the
    /// columns known: hashing for groups of several equalities, counting sort for orders.
    pub fn new(pattern: &Pattern, shape: &Shape) -> Conjunction {
        let mut groups = Groups::new(pattern.length);
        for (pair, _) in &shape.equalities {
            groups.divide(&pattern.pairs[*pair]);
        }
        for (pair, wanted) in &shape.key_filters {
            let ranked = pattern.pairs[*pair].ranked();
            keep(&mut groups.keys, pattern.length, |key| {
                relation(ranked.keys.get(key), ranked.queries.get(0)) & wanted != 0
            });
        }
        for (pair, wanted) in &shape.query_filters {
            let ranked = pattern.pairs[*pair].ranked();
            keep(&mut groups.queries, pattern.length, |query| {
                relation(ranked.keys.get(0), ranked.queries.get(query)) & wanted != 0
            });
        }
        let order = |(pair, wanted): &Condition| Order::new(&pattern.pairs[*pair], *wanted);
        Conjunction {
            length: pattern.length,
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
            return if self.groups.count == 1 {
                self.ungrouped_dominance(first, second, weight, found)
            } else {
                self.dominance(first, second, weight, found)
            };
        }
        if let [order] = self.orders.as_slice()
            && T::ANY_ORDER
            && self.groups.count == 1
            && !(is_sorted(&order.keys) && is_sorted(&order.queries))
        {
            return self.one_order(order, weight, found);
        }
        let mut sums = vec![T::ZERO; self.groups.count];
        sweep(self.length, self.orders.first(), |event| match event {
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
        for key in (0..self.length).filter(|key| member(&self.groups.keys, *key).is_some()) {
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
        for query in (0..self.length).filter(|at| member(&self.groups.queries, *at).is_some()) {
            found(query, sums[place(order.queries.get(query))]);
        }
    }

    /// Two orders without groups: keys are added, by the first order, at their ranks in the second.
    /// O(n log n).
    fn ungrouped_dominance<T: Sum>(
        &self,
        first: &Order,
        second: &Order,
        weight: impl Fn(usize) -> T,
        mut found: impl FnMut(usize, T),
    ) {
        let size = second.count;
        let mut tree = vec![T::ZERO; fenwick::room(size)];
        sweep(self.length, Some(first), |event| match event {
            Event::Key(key) => {
                let rank = second.keys.get(key);
                if rank != NONE && member(&self.groups.keys, key).is_some() {
                    fenwick::add(&mut tree, size, rank as usize, weight(key));
                }
            }
            Event::Query(query) => {
                let rank = second.queries.get(query);
                if rank != NONE && member(&self.groups.queries, query).is_some() {
                    let bound = rank as usize + usize::from(!second.strict);
                    found(query, fenwick::prefix(&tree, size, bound));
                }
            }
        });
    }

    /// Two orders: the first sweep gives each key its place in its group by the second order, and
    /// each query the number of places before it; the second sweep adds keys at their places, by
    /// the first order, and asks for the sum of those before. O(n log n).
    fn dominance<T: Sum>(
        &self,
        first: &Order,
        second: &Order,
        weight: impl Fn(usize) -> T,
        mut found: impl FnMut(usize, T),
    ) {
        let mut filled = vec![0_u32; self.groups.count];
        let mut places = vec![0_u32; self.length];
        let mut bounds = vec![0_u32; self.length];
        sweep(self.length, Some(second), |event| match event {
            Event::Key(key) => {
                if let Some(group) = member(&self.groups.keys, key) {
                    places[key] = filled[group];
                    filled[group] += 1;
                }
            }
            Event::Query(query) => {
                if let Some(group) = member(&self.groups.queries, query) {
                    bounds[query] = filled[group];
                }
            }
        });
        let size = |group: usize| filled[group] as usize;
        let mut starts = vec![0_usize];
        for group in 0..self.groups.count {
            starts.push(starts[group] + fenwick::room(size(group)));
        }
        let mut trees = vec![T::ZERO; starts[self.groups.count]];
        sweep(self.length, Some(first), |event| match event {
            Event::Key(key) => {
                // A key that is in no second order has no place.
                if let Some(group) = member(&self.groups.keys, key)
                    && second.keys.get(key) != NONE
                {
                    let tree = &mut trees[starts[group]..];
                    fenwick::add(tree, size(group), places[key] as usize, weight(key));
                }
            }
            Event::Query(query) => {
                if let Some(group) = member(&self.groups.queries, query) {
                    let bound = bounds[query] as usize;
                    let tree = &trees[starts[group]..];
                    found(query, fenwick::prefix(tree, size(group), bound));
                }
            }
        });
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
    fn new(length: usize) -> Groups {
        debug_assert!(length < NONE as usize);
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

/// Goes through keys and queries so that each query comes after just the keys that the order lets
/// it select, and keys in the order of their ranks; keys that no query selects come last, and what
/// is in no order does not come. Without an order all keys come first. O(n).
fn sweep(length: usize, order: Option<&Order>, mut event: impl FnMut(Event)) {
    let Some(order) = order else {
        (0..length).for_each(|key| event(Event::Key(key)));
        (0..length).for_each(|query| event(Event::Query(query)));
        return;
    };
    let sorted = order.sort();
    let place = |order: &Option<Rc<[u32]>>, at: usize| match order {
        None => at,
        Some(order) => order[at] as usize,
    };
    let mut next = 0;
    let mut keys_before = |bound: u32, strict: bool, event: &mut dyn FnMut(Event)| {
        while next < length {
            let key = place(&sorted.key_order, next);
            let rank = order.keys.get(key);
            if rank > bound || (strict && rank == bound) {
                break;
            }
            event(Event::Key(key));
            next += 1;
        }
    };
    for at in 0..length {
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
