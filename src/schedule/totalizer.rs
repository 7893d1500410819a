//! Sums of weighted literals as clauses: the generalised totalizer (Joshi, Martins & Manquinho 2015,
//! *Generalized totalizer encoding for pseudo-Boolean constraints*), in the direction that upper
//! bounds need.

use super::solver::{Literal, Solver};
use std::collections::BTreeMap;

/// Clauses beyond which a sum is not written down: what so many say is not proved in time anyway,
/// and each takes some twenty bytes.
const CLAUSES: usize = 4_000_000;

/// A constant and weighted literals.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    pub constant: usize,
    pub terms: BTreeMap<Literal, usize>,
}

/// Literals that hold at least if a sum reaches their numbers.
pub(super) type Reached = Vec<(usize, Literal)>;

impl Sum {
    pub fn add(&mut self, literal: Literal, weight: usize) {
        if weight > 0 {
            *self.terms.entry(literal).or_default() += weight;
        }
    }

    /// What the sum is if all its literals hold.
    pub fn largest(&self) -> usize {
        self.constant + self.terms.values().sum::<usize>()
    }

    /// A literal for each number that the sum can reach; those from `top` on are one. None if that
    /// takes too many clauses.
    pub fn totalize(&self, solver: &mut impl Solver, top: usize) -> Option<Reached> {
        let top = top.saturating_sub(self.constant).max(1);
        let terms: Vec<(usize, Literal)> = self
            .terms
            .iter()
            .map(|(literal, weight)| ((*weight).min(top), *literal))
            .collect();
        let mut clauses = CLAUSES;
        let reached = tree(solver, &terms, top, &mut clauses)?;
        let with_constant = |(number, literal)| (number + self.constant, literal);
        Some(reached.into_iter().map(with_constant).collect())
    }
}

/// A balanced tree over the terms.
fn tree(
    solver: &mut impl Solver,
    terms: &[(usize, Literal)],
    top: usize,
    clauses: &mut usize,
) -> Option<Reached> {
    if terms.len() <= 1 {
        return Some(terms.to_vec());
    }
    let (left, right) = terms.split_at(terms.len() / 2);
    let left = tree(solver, left, top, clauses)?;
    let right = tree(solver, right, top, clauses)?;
    *clauses = clauses.checked_sub((left.len() + 1) * (right.len() + 1))?;
    Some(merge(solver, &left, &right, top))
}

/// The numbers that two sums reach together.
fn merge(
    solver: &mut impl Solver,
    left: &[(usize, Literal)],
    right: &[(usize, Literal)],
    top: usize,
) -> Reached {
    let mut reached = BTreeMap::new();
    let mut imply = |number: usize, because: &[Literal]| {
        let number = number.min(top);
        let literal = *reached.entry(number).or_insert_with(|| solver.variable());
        let clause = because.iter().map(|reason| !*reason).chain([literal]);
        solver.clause(&clause.collect::<Vec<_>>());
    };
    for (number, literal) in left.iter().chain(right) {
        imply(*number, &[*literal]);
    }
    for (left, left_literal) in left {
        for (right, right_literal) in right {
            imply(left + right, &[*left_literal, *right_literal]);
        }
    }
    reached.into_iter().collect()
}
