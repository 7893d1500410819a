//! Selectors as sums of disjoint cubes. A cube is a conjunction with one boolean table for each
//! pair of s-ops compared, so it is one attention head: the literals' logits add. Disjoint cubes
//! make every `or` and `not` a plain sum of heads, since their widths add.

use super::joint::Operand;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// More cubes than this and the selector is refused rather than compiled into that many heads.
pub const MOST_CUBES: usize = 64;

/// A predicate on one pair of domains: `holds(key, query)`, by indices into the two domains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    pub keys: usize,
    pub queries: usize,
    /// Row-major, a row for each key.
    bits: Vec<bool>,
}

impl Relation {
    pub fn tabulate(
        keys: usize,
        queries: usize,
        mut holds: impl FnMut(usize, usize) -> bool,
    ) -> Relation {
        let mut bits = Vec::with_capacity(keys * queries);
        for key in 0..keys {
            bits.extend((0..queries).map(|query| holds(key, query)));
        }
        Relation {
            keys,
            queries,
            bits,
        }
    }

    pub fn holds(&self, key: usize, query: usize) -> bool {
        self.bits[key * self.queries + query]
    }

    /// Whether it holds for each query, key by key.
    pub fn bits(&self) -> &[bool] {
        &self.bits
    }

    /// The queries that each key is selected by.
    pub fn row(&self, key: usize) -> &[bool] {
        &self.bits[key * self.queries..(key + 1) * self.queries]
    }

    /// The keys that a query selects.
    pub fn column(&self, query: usize) -> Vec<bool> {
        (0..self.keys).map(|key| self.holds(key, query)).collect()
    }

    pub fn is_full(&self) -> bool {
        self.bits.iter().all(|bit| *bit)
    }

    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|bit| !*bit)
    }

    /// A head that tells the keys of each query by their classes needs no more dimensions.
    pub fn rank_at_most(&self) -> usize {
        let rows: FxHashSet<&[bool]> = (0..self.keys).map(|key| self.row(key)).collect();
        let columns: FxHashSet<Vec<bool>> = (0..self.queries).map(|q| self.column(q)).collect();
        rows.len().min(columns.len())
    }

    /// How many dimensions a head takes for it, at most: three where numbers have to be equal.
    pub fn dimensions(&self) -> usize {
        match self.rank_at_most() {
            4.. if self.matching().is_some() => 3,
            few => few,
        }
    }

    /// Numbers for keys and for queries that are equal where it holds, if its rows are equal or disjoint; keys
    /// that match no query have a number of their own, and so have queries that match no key.
    pub fn matching(&self) -> Option<(Vec<f64>, Vec<f64>)> {
        let mut queries: Vec<Option<f64>> = vec![None; self.queries];
        let mut keys: Vec<Option<f64>> = Vec::with_capacity(self.keys);
        let mut known: FxHashMap<&[bool], f64> = FxHashMap::default();
        for key in 0..self.keys {
            let row = self.row(key);
            if row.iter().all(|holds| !holds) {
                keys.push(None);
                continue;
            }
            let next = known.len() as f64;
            let number = *known.entry(row).or_insert(next);
            keys.push(Some(number));
            for (query, slot) in queries.iter_mut().enumerate() {
                if self.holds(key, query) && *slot.get_or_insert(number) != number {
                    return None;
                }
            }
        }
        let free = known.len() as f64;
        let number = |key: Option<f64>| key.unwrap_or(free);
        let of_query = |query: Option<f64>| query.unwrap_or(-1.0);
        Some((
            keys.into_iter().map(number).collect(),
            queries.into_iter().map(of_query).collect(),
        ))
    }

    fn negated(&self) -> Relation {
        Relation {
            bits: self.bits.iter().map(|bit| !bit).collect(),
            ..*self
        }
    }

    fn or(&self, other: &Relation) -> Relation {
        self.with(other, |a, b| a || b)
    }

    /// Where both hold.
    pub fn and(&self, other: &Relation) -> Relation {
        self.with(other, |a, b| a && b)
    }

    fn with(&self, other: &Relation, combined: impl Fn(bool, bool) -> bool) -> Relation {
        let bits = self.bits.iter().zip(&other.bits);
        Relation {
            bits: bits.map(|(a, b)| combined(*a, *b)).collect(),
            ..*self
        }
    }
}

/// A relation between the values of two s-ops, one read at the key and one at the query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    pub keys: Operand,
    pub queries: Operand,
    pub relation: Arc<Relation>,
}

/// A conjunction of literals, ordered by their pairs, each pair once.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Cube {
    pub literals: Vec<Literal>,
}

impl Cube {
    pub fn of(literal: Literal) -> Cube {
        let literals = if literal.relation.is_full() {
            Vec::new()
        } else {
            vec![literal]
        };
        Cube { literals }
    }

    /// The conjunction; `None` if nothing satisfies it.
    pub fn and(&self, other: &Cube) -> Option<Cube> {
        let mut literals = self.literals.clone();
        for literal in &other.literals {
            let pair = (literal.keys, literal.queries);
            match literals.binary_search_by_key(&pair, |l| (l.keys, l.queries)) {
                Ok(at) => {
                    let both = literals[at].relation.and(&literal.relation);
                    if both.is_empty() {
                        return None;
                    }
                    literals[at].relation = both.into();
                }
                Err(at) => literals.insert(at, literal.clone()),
            }
        }
        Some(Cube { literals })
    }

    /// The union of two cubes that differ in one relation at most.
    fn or(&self, other: &Cube) -> Option<Cube> {
        if self.literals.len() != other.literals.len() {
            return None;
        }
        let mut different = None;
        for (at, (a, b)) in self.literals.iter().zip(&other.literals).enumerate() {
            if (a.keys, a.queries) != (b.keys, b.queries) {
                return None;
            }
            if a.relation != b.relation && different.replace(at).is_some() {
                return None;
            }
        }
        let mut literals = self.literals.clone();
        if let Some(at) = different {
            let either = literals[at].relation.or(&other.literals[at].relation);
            match either.is_full() {
                true => drop(literals.remove(at)),
                false => literals[at].relation = either.into(),
            }
        }
        Some(Cube { literals })
    }

    /// What is left of a cube, if anything, where it lets each query select itself only: an s-op has there
    /// at the key what it has at the query.
    pub fn at_itself(mut self, is_indices: impl Fn(Operand) -> bool) -> Option<Cube> {
        let is_own = |literal: &Literal| {
            let relation = &literal.relation;
            let holds =
                |key| (0..relation.queries).filter(move |query| relation.holds(key, *query));
            is_indices(literal.keys)
                && is_indices(literal.queries)
                && (0..relation.keys).all(|key| holds(key).all(|query| query == key))
        };
        if self.literals.len() < 2 || !self.literals.iter().any(is_own) {
            return Some(self);
        }
        let is_always = |literal: &Literal, answer: bool| {
            let relation = &literal.relation;
            literal.keys == literal.queries
                && !is_own(literal)
                && (0..relation.keys).all(|value| relation.holds(value, value) == answer)
        };
        if self
            .literals
            .iter()
            .any(|literal| is_always(literal, false))
        {
            return None;
        }
        self.literals.retain(|literal| !is_always(literal, true));
        Some(self)
    }

    /// Disjoint cubes that together are everything outside this one: `¬a`, `a ∧ ¬b`, …
    fn negated(&self) -> Vec<Cube> {
        let mut outside = Vec::new();
        let mut inside = Cube::default();
        for literal in &self.literals {
            let negated = Literal {
                relation: literal.relation.negated().into(),
                ..literal.clone()
            };
            if !negated.relation.is_empty() {
                outside.extend(inside.and(&Cube::of(negated)));
            }
            inside.literals.push(literal.clone());
        }
        outside
    }
}

/// Disjoint cubes for a conjunction; `None` if there would be too many.
pub fn and(a: &[Cube], b: &[Cube]) -> Option<Vec<Cube>> {
    if a.len() * b.len() > MOST_CUBES * MOST_CUBES {
        return None;
    }
    let mut both = Vec::new();
    for cube in a.iter().flat_map(|a| b.iter().filter_map(|b| a.and(b))) {
        join(&mut both, cube);
    }
    (both.len() <= MOST_CUBES).then_some(both)
}

/// Disjoint cubes for a negation.
pub fn not(cubes: &[Cube]) -> Option<Vec<Cube>> {
    cubes
        .iter()
        .try_fold(vec![Cube::default()], |outside, cube| {
            and(&outside, &cube.negated())
        })
}

/// Disjoint cubes for a disjunction: `a + ¬a ∧ b` or `b + ¬b ∧ a`, whichever is fewer, of what is left of
/// the second parts.
pub fn or(a: &[Cube], b: &[Cube], left: impl Fn(Cube) -> Option<Cube>) -> Option<Vec<Cube>> {
    let split = |first: &[Cube], second: &[Cube]| -> Option<Vec<Cube>> {
        let mut cubes = first.to_vec();
        for cube in and(&not(first)?, second)?.into_iter().filter_map(&left) {
            join(&mut cubes, cube);
        }
        (cubes.len() <= MOST_CUBES).then_some(cubes)
    };
    let both = [split(a, b), split(b, a)];
    both.into_iter().flatten().min_by_key(Vec::len)
}

/// Adds a cube, as part of those that it makes one with.
fn join(cubes: &mut Vec<Cube>, mut cube: Cube) {
    while let Some((at, both)) = cubes
        .iter()
        .enumerate()
        .find_map(|(at, other)| Some((at, other.or(&cube)?)))
    {
        cubes.remove(at);
        cube = both;
    }
    cubes.push(cube);
}
