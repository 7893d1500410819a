//! What several comparisons of functions of the index say together, as one relation of indices: a window, as
//! `select(indices, indices - 1, >=) and select(indices, indices + 1, <=)`, is one, whose keys are a few
//! places from their queries. Depends on what cubes are.

use super::cube::{Cube, Literal, Relation};
use super::selector::check_size;
use super::{Analysis, Operand};
use std::collections::BTreeSet;

/// Windows of more places are tables.
const MOST_PLACES: usize = 16;

/// One head is less than two for windows of so many places.
const NARROW: usize = 4;

/// Pairs of more cubes are not looked at, as each is a table.
const MOST_JOINED: usize = 8;

/// A function of the index: the number of its value at each position, `None` where it fails.
type AtPositions = Vec<Option<u32>>;

impl Analysis<'_> {
    /// A cube in which the comparisons of functions of the index are one, unless one of them finds a key at
    /// most, which a head finds by its number; `None` if it selects nothing.
    pub(super) fn by_index(&self, cube: Cube) -> Option<Cube> {
        let is_window = |literal: &&Literal| {
            let relation = &literal.relation;
            let several = |query| {
                (0..relation.keys)
                    .filter(|k| relation.holds(*k, query))
                    .count()
                    > 1
            };
            self.is_of_index(literal) && (0..relation.queries).any(several)
        };
        if cube.literals.iter().filter(is_window).count() < 2 {
            return Some(cube);
        }
        let (windows, others): (Vec<Literal>, Vec<Literal>) =
            cube.literals.iter().cloned().partition(|l| is_window(&l));
        let part = Cube { literals: windows };
        let Some(literal) = self.relation_of_indices(std::slice::from_ref(&part)) else {
            return Some(cube);
        };
        match literal.relation.is_empty() {
            true => None,
            false => Cube { literals: others }.and(&Cube::of(literal)),
        }
    }

    /// Disjoint cubes of which those are one that differ only in what they compare functions of the index
    /// with, where that makes a narrow window.
    pub(super) fn in_windows(&self, mut cubes: Vec<Cube>) -> Vec<Cube> {
        let joined = |cubes: &[Cube]| {
            let pairs = (1..cubes.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
            let mut pairs = pairs.map(|(a, b)| (a, b, self.in_window(&cubes[a], &cubes[b])));
            pairs.find_map(|(a, b, window)| Some((a, b, window?)))
        };
        if cubes.len() > MOST_JOINED {
            return cubes;
        }
        while let Some((a, b, window)) = joined(&cubes) {
            cubes.remove(b);
            cubes[a] = window;
        }
        cubes
    }

    fn in_window(&self, a: &Cube, b: &Cube) -> Option<Cube> {
        let parts = |cube: &Cube| -> (Vec<Literal>, Vec<Literal>) {
            let literals = cube.literals.iter().cloned();
            literals.partition(|literal| self.is_of_index(literal))
        };
        let ((of_a, rest), (of_b, other)) = (parts(a), parts(b));
        if of_a.is_empty() || of_b.is_empty() || rest != other {
            return None;
        }
        let of_both = [of_a, of_b].map(|literals| Cube { literals });
        let literal = self.relation_of_indices(&of_both)?;
        let places = places(&literal.relation, self.setting.causal)?;
        let is_narrow = places.len() <= NARROW;
        let window = is_narrow.then(|| Cube { literals: rest }.and(&Cube::of(literal)));
        window.flatten()
    }

    /// Disjoint cubes as one relation of indices, if they compare nothing but functions of the index.
    pub(super) fn relation_of_indices(&self, cubes: &[Cube]) -> Option<Literal> {
        let mut literals = cubes.iter().flat_map(|cube| &cube.literals);
        let first = literals.next()?;
        let indices = self.indices(first.keys)?;
        let mut tables = Vec::new();
        for cube in cubes {
            let mut sides: Vec<(&Literal, [AtPositions; 2])> = Vec::new();
            for literal in &cube.literals {
                let keys = self.at_positions(literal.keys)?;
                sides.push((literal, [keys, self.at_positions(literal.queries)?]));
            }
            tables.push(sides);
        }
        let count = self.setting.max_length;
        check_size(count, count).ok()?;
        let relation = Relation::tabulate(count, count, |key, query| {
            tables.iter().any(|literals| {
                literals.iter().all(|(literal, [keys, queries])| {
                    let pair = keys[key].zip(queries[query]);
                    pair.is_some_and(|(key, query)| {
                        literal.relation.holds(key as usize, query as usize)
                    })
                })
            })
        });
        Some(Literal {
            keys: indices,
            queries: indices,
            relation: relation.into(),
        })
    }

    fn is_of_index(&self, literal: &Literal) -> bool {
        let mut sides = [literal.keys, literal.queries].into_iter();
        sides.all(|side| self.at_positions(side).is_some())
    }

    fn at_positions(&self, operand: Operand) -> Option<AtPositions> {
        let column = &self.node(operand).ok()?.column;
        let [Self::INDICES] = *column.space.vars else {
            return None;
        };
        let mut at = vec![None; self.setting.max_length];
        for row in 0..column.space.rows() {
            let value = column.cells[row];
            let is_value = (value as usize) < column.values.domain.len();
            // The domain of indices is 0, 1, … in order.
            at[column.space.row(row)[0] as usize] = is_value.then_some(value);
        }
        Some(at)
    }

    /// The indices that a function of them is made of.
    fn indices(&self, operand: Operand) -> Option<Operand> {
        let roots = match operand {
            Operand::SOp(id) => vec![id],
            Operand::Joint(_) => {
                let parts = self.joint(operand)?.parts.iter();
                parts.filter_map(|part| part.sop()).collect()
            }
        };
        let mut found = self.graph.reachable(&roots).into_iter();
        found.find(|id| self.is_indices(*id)).map(Operand::SOp)
    }
}

/// How far from its query each key is that a relation of indices selects, if that alone says which it selects
/// and they are few; what a causal mask hides may be selected or not.
pub fn places(relation: &Relation, causal: bool) -> Option<BTreeSet<i64>> {
    let pairs = (0..relation.keys).flat_map(|key| (0..relation.queries).map(move |q| (key, q)));
    let seen = || pairs.clone().filter(|(key, query)| !causal || key <= query);
    let place = |(key, query): (usize, usize)| key as i64 - query as i64;
    let mut places = BTreeSet::new();
    for pair in seen().filter(|(key, query)| relation.holds(*key, *query)) {
        places.insert(place(pair));
        if places.len() > MOST_PLACES {
            return None;
        }
    }
    let says =
        |pair: (usize, usize)| relation.holds(pair.0, pair.1) == places.contains(&place(pair));
    seen().all(says).then_some(places)
}
