//! Relations between several s-ops at the key and several at the query, by relations between one each: some
//! that all hold, and others of which one does. A head takes far fewer dimensions for these than for a table
//! of all that is read, however the program wrote it. Depends on `cube` and `joint`.

use super::by_index::places;
use super::cube::{Literal, Relation};
use super::joint::Operand;
use super::{Analysis, Stopped};
use std::cmp::Reverse;

/// Entries of the largest table that is looked at.
const LARGEST: usize = 1 << 18;

/// More s-ops on one side are not looked at.
const MOST_PARTS: usize = 4;

/// More alternatives are not looked for.
const MOST_ALTERNATIVES: usize = 3;

/// Hidden units multiply what alternatives read: a dimension of theirs counts as so many.
const WORTH: usize = 2;

/// A relation that holds where `all` do, and one of `any` if there are any.
#[derive(Clone, Debug)]
pub struct Parts {
    pub all: Vec<Literal>,
    pub any: Vec<Literal>,
}

/// An s-op of a side, with what it holds for each value of the side.
struct OfSide {
    operand: Operand,
    count: usize,
    held: Vec<usize>,
}

/// A relation between one s-op of the keys and one of the queries.
struct Between {
    key: usize,
    query: usize,
    relation: Relation,
}

/// A relation between sides of several.
struct Whole<'a> {
    relation: &'a Relation,
    keys: Vec<OfSide>,
    queries: Vec<OfSide>,
}

impl Whole<'_> {
    /// The keys and queries for which something is so.
    fn entries(&self, is_so: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
        let keys = 0..self.relation.keys;
        let all = keys.flat_map(|key| (0..self.relation.queries).map(move |query| (key, query)));
        all.filter(|(key, query)| is_so(*key, *query)).collect()
    }

    /// Between each s-op of the keys and each of the queries, the relation that holds for what the two hold in
    /// some entries; or for all else, if it is not to hold there.
    fn between(&self, entries: &[(usize, usize)], holds: bool) -> Vec<Between> {
        let mut all = Vec::with_capacity(self.keys.len() * self.queries.len());
        for (key, left) in self.keys.iter().enumerate() {
            for (query, right) in self.queries.iter().enumerate() {
                let mut held = vec![false; left.count * right.count];
                for (key, query) in entries {
                    held[left.held[*key] * right.count + right.held[*query]] = true;
                }
                let relation = Relation::tabulate(left.count, right.count, |key, query| {
                    held[key * right.count + query] == holds
                });
                all.push(Between {
                    key,
                    query,
                    relation,
                });
            }
        }
        all
    }

    fn holds(&self, part: &Between, key: usize, query: usize) -> bool {
        let key = self.keys[part.key].held[key];
        part.relation
            .holds(key, self.queries[part.query].held[query])
    }

    /// Whether the relation is what some and one of others are.
    fn is(&self, all: &[&Between], any: &[&Between]) -> bool {
        let wrong = |key, query| {
            let mut any_of = any.iter();
            let is_any = any.is_empty() || any_of.any(|part| self.holds(part, key, query));
            let holds = is_any && all.iter().all(|part| self.holds(part, key, query));
            holds != self.relation.holds(key, query)
        };
        (0..self.relation.keys)
            .all(|key| (0..self.relation.queries).all(|query| !wrong(key, query)))
    }

    fn literal(&self, part: &Between) -> Literal {
        Literal {
            keys: self.keys[part.key].operand,
            queries: self.queries[part.query].operand,
            relation: part.relation.clone().into(),
        }
    }

    /// Relations of which one holds just where the relation does, among what has to hold anyway.
    fn any(&self, all: &[&Between]) -> Option<Vec<Between>> {
        let is_among = |key, query| all.iter().all(|part| self.holds(part, key, query));
        let among = self.entries(is_among);
        let holds = |(key, query): &(usize, usize)| self.relation.holds(*key, *query);
        let beyond: Vec<(usize, usize)> = among.iter().copied().filter(|at| !holds(at)).collect();
        if beyond.is_empty() {
            return Some(Vec::new());
        }
        // The largest that may hold; where nothing has to, they may as well not.
        let (most, possible) = (self.between(&beyond, false), self.between(&among, true));
        let smaller = most.into_iter().zip(possible).map(|(most, possible)| {
            let relation = most.relation.and(&possible.relation);
            match relation.dimensions() < most.relation.dimensions() {
                true => Between { relation, ..most },
                false => most,
            }
        });
        let smaller: Vec<Between> = smaller.collect();
        let sizes: Vec<usize> = smaller.iter().map(dimensions).collect();
        let mut some = subsets(&smaller);
        some.sort_by_key(|any| any.iter().map(|at| sizes[*at]).product::<usize>());
        let is_it = |any: &Vec<usize>| {
            let any: Vec<&Between> = any.iter().map(|at| &smaller[*at]).collect();
            self.is(all, &any)
        };
        // None of some is right where all together are not.
        is_it(&(0..smaller.len()).collect()).then_some(())?;
        let found = some.into_iter().find(is_it)?;
        let chosen = smaller.into_iter().enumerate();
        let chosen = chosen.filter(|(at, _)| found.contains(at));
        Some(chosen.map(|(_, part)| part).collect())
    }

    /// The relation as what holds of all and of any of its parts, if it is that.
    fn parts(&self) -> Option<Parts> {
        if let Some(any) = self.any(&[]) {
            return Some(self.literals(&[], &any));
        }
        let held = self.entries(|key, query| self.relation.holds(key, query));
        let least = self.between(&held, true);
        let mut all: Vec<&Between> = least
            .iter()
            .filter(|part| !part.relation.is_full())
            .collect();
        let any = self.any(&all)?;
        let any_of: Vec<&Between> = any.iter().collect();
        let mut largest_first = all.clone();
        largest_first.sort_by_key(|part| Reverse(dimensions(part)));
        for part in largest_first {
            let others = all.iter().copied();
            let others = others.filter(|other| !std::ptr::eq(*other, part));
            let others: Vec<&Between> = others.collect();
            if self.is(&others, &any_of) {
                all = others;
            }
        }
        Some(self.literals(&all, &any))
    }

    fn literals(&self, all: &[&Between], any: &[Between]) -> Parts {
        Parts {
            all: all.iter().map(|part| self.literal(part)).collect(),
            any: any.iter().map(|part| self.literal(part)).collect(),
        }
    }
}

fn dimensions(part: &Between) -> usize {
    part.relation.dimensions()
}

/// Some of them, a few at most, by their places.
fn subsets(all: &[Between]) -> Vec<Vec<usize>> {
    let mut subsets: Vec<Vec<usize>> = vec![Vec::new()];
    for (at, _) in all
        .iter()
        .enumerate()
        .filter(|(_, part)| !part.relation.is_empty())
    {
        let small = subsets.iter().filter(|some| some.len() < MOST_ALTERNATIVES);
        let with: Vec<Vec<usize>> = small.map(|some| [&some[..], &[at]].concat()).collect();
        subsets.extend(with);
    }
    subsets.remove(0);
    subsets
}

impl Analysis<'_> {
    /// A relation between several s-ops by others between fewer, if it is one of these and they take fewer
    /// dimensions.
    pub fn in_parts(&self, literal: &Literal) -> Option<Parts> {
        let relation = &*literal.relation;
        if relation.keys.saturating_mul(relation.queries) > LARGEST {
            return None;
        }
        let table = Whole {
            relation,
            keys: self.parts_of(literal.keys).ok()?,
            queries: self.parts_of(literal.queries).ok()?,
        };
        let count = table.keys.len() * table.queries.len();
        if count < 2 || table.keys.len().max(table.queries.len()) > MOST_PARTS {
            return None;
        }
        let parts = table.parts()?;
        let worth = if parts.any.len() > 1 { WORTH } else { 1 };
        let all: usize = parts.all.iter().map(|part| self.dimensions(part)).sum();
        (all + worth * self.dimensions_of_any(&parts.any) < relation.dimensions()).then_some(parts)
    }

    /// How many dimensions a head takes for alternatives: those of each, with each of the others.
    pub(super) fn dimensions_of_any(&self, any: &[Literal]) -> usize {
        let all = any.iter().map(|part| self.dimensions(part));
        all.reduce(|most, of| most.saturating_mul(of)).unwrap_or(0)
    }

    /// How many dimensions a head takes for a relation: few for keys a few places from their query.
    fn dimensions(&self, literal: &Literal) -> usize {
        let places = (self.is_indices(literal.keys) && self.is_indices(literal.queries))
            .then(|| places(&literal.relation, false))
            .flatten();
        let span = places.and_then(|places| Some((places.last()? - places.first()?) as usize));
        let most = literal.relation.dimensions();
        span.map_or(most, |span| most.min(span + 3))
    }

    /// What an s-op of a side holds for each value of the side, by their numbers.
    pub fn held(&self, side: Operand, operand: Operand) -> Option<Vec<usize>> {
        let mut parts = self.parts_of(side).ok()?.into_iter();
        let found = parts.find(|part| part.operand == operand);
        found.map(|part| part.held)
    }

    /// The s-ops of a side.
    fn parts_of(&self, side: Operand) -> Result<Vec<OfSide>, Stopped> {
        let parts = match self.joint(side) {
            Some(joint) if !joint.parts.is_empty() => joint.parts.clone(),
            _ => vec![side],
        };
        let members = self.members(&parts, side)?;
        let mut all = Vec::with_capacity(parts.len());
        for (at, operand) in parts.into_iter().enumerate() {
            all.push(OfSide {
                operand,
                count: self.node(operand)?.column.values.domain.len(),
                held: members.iter().map(|cells| cells[at] as usize).collect(),
            });
        }
        Ok(all)
    }
}
