//! Comparisons over value sets: numbers for the values of two domains that compare as the values
//! do, so that tables of pairs and bounds over sets need not look at values again.

use super::sets::Values;
use crate::value::{Comparison, Value};
use std::cmp::Ordering;

/// Whether a query selects a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Never,
    Sometimes,
    Always,
}

impl Outcome {
    pub fn and(self, other: Outcome) -> Outcome {
        match (self, other) {
            (Outcome::Never, _) | (_, Outcome::Never) => Outcome::Never,
            (Outcome::Always, Outcome::Always) => Outcome::Always,
            _ => Outcome::Sometimes,
        }
    }

    /// What two bounds say, of which one may hold.
    fn when(always: bool, never: bool) -> Outcome {
        match (always, never) {
            (true, _) => Outcome::Always,
            (false, true) => Outcome::Never,
            (false, false) => Outcome::Sometimes,
        }
    }

    pub fn not(self) -> Outcome {
        match self {
            Outcome::Never => Outcome::Always,
            Outcome::Sometimes => Outcome::Sometimes,
            Outcome::Always => Outcome::Never,
        }
    }

    pub fn or(self, other: Outcome) -> Outcome {
        self.not().and(other.not()).not()
    }

    /// A value compared with itself; values that are not numbers equal to themselves never get
    /// here.
    pub fn reflexive(comparison: Comparison) -> Outcome {
        let holds = comparison.holds_for(Ordering::Equal);
        Outcome::when(holds, !holds)
    }
}

/// The numbers of two domains' values.
pub struct Ranks {
    comparison: Comparison,
    keys: Vec<u32>,
    queries: Vec<u32>,
    /// The first number of a text, of which an order with numbers is an error.
    first_text: u32,
}

impl Ranks {
    pub fn new(comparison: Comparison, keys: &[Value], queries: &[Value]) -> Ranks {
        let mut ranks = Ranks {
            comparison,
            keys: Vec::with_capacity(keys.len()),
            queries: Vec::with_capacity(queries.len()),
            first_text: u32::MAX,
        };
        let mut last: Option<&Value> = None;
        let mut rank = 0;
        while let Some((value, is_key)) = ranks.next(keys, queries) {
            if let Some(last) = last {
                rank += u32::from(!value.equals(last));
            }
            if !value.is_number() {
                ranks.first_text = ranks.first_text.min(rank);
            }
            last = Some(value);
            match is_key {
                true => ranks.keys.push(rank),
                false => ranks.queries.push(rank),
            }
        }
        ranks
    }

    /// The numbers of one domain's values: an int and an equal float have the same.
    pub fn of_one(domain: &[Value]) -> Vec<u32> {
        Ranks::new(Comparison::Equal, domain, &[]).keys
    }

    /// The least value without a number, and whether it is a key.
    fn next<'v>(&self, keys: &'v [Value], queries: &'v [Value]) -> Option<(&'v Value, bool)> {
        match (keys.get(self.keys.len()), queries.get(self.queries.len())) {
            (Some(key), Some(query)) => match key.canonical_order(query) {
                Ordering::Less | Ordering::Equal => Some((key, true)),
                Ordering::Greater => Some((query, false)),
            },
            (Some(key), None) => Some((key, true)),
            (None, Some(query)) => Some((query, false)),
            (None, None) => None,
        }
    }

    /// Whether it holds for two values, given by their places in the domains. What cannot be
    /// compared is not selected.
    pub fn holds(&self, key: usize, query: usize) -> bool {
        let (key, query) = (self.keys[key], self.queries[query]);
        self.comparison.holds_for(key.cmp(&query)) && self.comparable(key, query)
    }

    fn comparable(&self, key: u32, query: u32) -> bool {
        !self.orders() || (key < self.first_text) == (query < self.first_text)
    }

    fn orders(&self) -> bool {
        !matches!(self.comparison, Comparison::Equal | Comparison::NotEqual)
    }

    /// Whether a pair of values cannot be compared.
    pub fn may_fail(&self) -> bool {
        let (keys, queries) = (self.sides(&self.keys), self.sides(&self.queries));
        self.orders() && ((keys.0 && queries.1) || (keys.1 && queries.0))
    }

    /// Whether there are numbers, and whether there are texts.
    fn sides(&self, ranks: &[u32]) -> (bool, bool) {
        let is_number = |rank: &u32| *rank < self.first_text;
        (
            ranks.first().is_some_and(is_number),
            ranks.last().is_some_and(|rank| !is_number(rank)),
        )
    }

    /// Whether it holds for all pairs of values from two sets, for none or for some. Pairs that
    /// cannot be compared never occur: the interpreter rejects those inputs.
    pub fn outcome(&self, keys: &[u32], queries: &[u32]) -> Outcome {
        let rank = |ranks: &[u32], at: Option<&u32>| at.map(|at| ranks[*at as usize]);
        let bounds = |ranks: &[u32], set: &[u32]| {
            Some((rank(ranks, set.first())?, rank(ranks, set.last())?))
        };
        let (Some(key), Some(query)) = (bounds(&self.keys, keys), bounds(&self.queries, queries))
        else {
            return Outcome::Never;
        };
        let is_text = |rank: u32| rank >= self.first_text;
        if self.orders() && (is_text(key.1) || is_text(query.1)) {
            return self.outcome_of_pairs(keys, queries);
        }
        let equal = || {
            let apart = key.1 < query.0 || query.1 < key.0 || !self.meet(keys, queries);
            Outcome::when(key.0 == key.1 && key == query, apart)
        };
        match self.comparison {
            Comparison::Less => Outcome::when(key.1 < query.0, key.0 >= query.1),
            Comparison::LessEqual => Outcome::when(key.1 <= query.0, key.0 > query.1),
            Comparison::Greater => Outcome::when(key.0 > query.1, key.1 <= query.0),
            Comparison::GreaterEqual => Outcome::when(key.0 >= query.1, key.1 < query.0),
            Comparison::Equal => equal(),
            Comparison::NotEqual => equal().not(),
        }
    }

    /// Whether two sets have a value in common.
    fn meet(&self, keys: &[u32], queries: &[u32]) -> bool {
        let (mut key, mut query) = (0, 0);
        while let (Some(k), Some(q)) = (keys.get(key), queries.get(query)) {
            match self.keys[*k as usize].cmp(&self.queries[*q as usize]) {
                Ordering::Equal => return true,
                Ordering::Less => key += 1,
                Ordering::Greater => query += 1,
            }
        }
        false
    }

    fn outcome_of_pairs(&self, keys: &[u32], queries: &[u32]) -> Outcome {
        let (mut some, mut all) = (false, true);
        for key in keys.iter().map(|key| self.keys[*key as usize]) {
            for query in queries.iter().map(|query| self.queries[*query as usize]) {
                if self.comparable(key, query) {
                    let holds = self.comparison.holds_for(key.cmp(&query));
                    some |= holds;
                    all &= holds;
                }
            }
        }
        Outcome::when(some && all, !some)
    }
}

/// A comparison of the sets of two s-ops, each pair of sets looked at once.
pub struct SetComparison<'v> {
    ranks: Ranks,
    keys: &'v Values,
    queries: &'v Values,
    /// Whether both are one s-op, which is equal to itself at its own position.
    reflexive: bool,
    known: Vec<Option<Outcome>>,
}

/// More pairs of sets than this are not remembered.
const MOST_PAIRS: usize = 1 << 20;

impl<'v> SetComparison<'v> {
    pub fn new(
        comparison: Comparison,
        keys: &'v Values,
        queries: &'v Values,
        reflexive: bool,
    ) -> SetComparison<'v> {
        let pairs = keys.sets.len().saturating_mul(queries.sets.len());
        SetComparison {
            ranks: Ranks::new(comparison, &keys.domain, &queries.domain),
            keys,
            queries,
            reflexive,
            known: vec![None; if pairs <= MOST_PAIRS { pairs } else { 0 }],
        }
    }

    /// Whether a query in one environment selects a key in another.
    pub fn outcome(&mut self, key: usize, query: usize) -> Outcome {
        if self.reflexive && key == query {
            return Outcome::reflexive(self.ranks.comparison);
        }
        let (key, query) = (self.keys.at[key] as usize, self.queries.at[query] as usize);
        let place = key * self.queries.sets.len() + query;
        if let Some(Some(known)) = self.known.get(place) {
            return *known;
        }
        let outcome = self
            .ranks
            .outcome(&self.keys.sets[key], &self.queries.sets[query]);
        if let Some(known) = self.known.get_mut(place) {
            *known = Some(outcome);
        }
        outcome
    }
}
