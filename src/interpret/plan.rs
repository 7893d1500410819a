//! How a selector is answered on an input: as signed conjunctions if there are few and each is
//! easy, in rows of bits otherwise.

use super::fault::{Cause, Fault, Pairs};
use super::selector::Pattern;
use super::selector::count::Conjunction;
use super::selector::formula::{Term, disjunction, formula};
use super::selector::rows::Rows;
use super::selector::shape::Shape;
use super::selector::tally::{Highest, Signed};
use std::sync::Arc;

/// Up to such a cost nothing else is considered.
const FEW: usize = 16;
/// How many words of bits are worked out in the time of looking at one position.
const WORDS_PER_POSITION: usize = 8;

/// A selector with the way in which it is answered.
pub struct Plan<'p> {
    pattern: &'p Pattern,
    pub way: Way<'p>,
}

pub enum Way<'p> {
    /// Signed conjunctions.
    Sum(Vec<(i64, Shape)>),
    /// Rows of bits, and why.
    Rows(Rows<'p>, &'static str),
}

impl<'p> Plan<'p> {
    /// # Errors
    /// It takes more rows of bits than the limit allows.
    pub fn new(pattern: &'p Pattern) -> Result<Plan<'p>, Arc<Fault>> {
        let rows = |reason| Way::Rows(Rows::new(pattern), reason);
        let way = match formula(pattern) {
            None if !pattern.tables.is_empty() => rows("it has a predicate, which is tabulated"),
            None => rows("it takes too many conjunctions"),
            Some(terms) => {
                let shapes: Vec<(i64, Shape)> = terms
                    .iter()
                    .map(|term| (term.sign, Shape::of(pattern, term)))
                    .collect();
                let cost: usize = shapes.iter().map(|(_, shape)| shape.cost()).sum();
                if !shapes.iter().all(|(_, shape)| shape.is_easy()) {
                    rows("it has four orders at once")
                } else if cost > FEW {
                    cheaper(pattern, shapes, cost)
                } else {
                    Way::Sum(shapes)
                }
            }
        };
        let plan = Plan { pattern, way };
        pattern.control.allows(plan.pairs()).map_err(|most| {
            let pairs = Pairs::Selector(pattern.keys, pattern.queries);
            Arc::new(Fault::new(Cause::Pairs(most, pairs), pattern.sop))
        })?;
        Ok(plan)
    }

    /// Pairs that are looked at, as the limit counts them.
    pub fn pairs(&self) -> u64 {
        match &self.way {
            Way::Sum(_) => 0,
            Way::Rows(rows, _) => rows.cost() as u64,
        }
    }

    /// The sum over the selected keys of each query, of a kind for which order does not matter.
    pub fn add_up<T: Signed>(&self, weight: impl Fn(usize) -> T) -> Vec<T> {
        match &self.way {
            Way::Rows(rows, _) => rows.add_up(weight),
            Way::Sum(terms) => {
                let mut totals = vec![T::ZERO; self.pattern.queries];
                for (sign, shape) in terms {
                    let conjunction = Conjunction::new(self.pattern, shape);
                    conjunction.add_up(&weight, |query, sum| {
                        totals[query] = totals[query].plus(sum.times(*sign));
                    });
                }
                totals
            }
        }
    }

    /// The highest of the selected keys' weights for each query, 0 where none is selected.
    pub fn highest(&self, weight: impl Fn(usize) -> u32) -> Vec<u32> {
        if let Way::Sum(_) = &self.way
            && let Some(conjunctions) = self.disjunction()
        {
            let mut highest = vec![0; self.pattern.queries];
            for conjunction in conjunctions {
                conjunction.highest(&weight, |query, found| {
                    highest[query] = found.max(highest[query]);
                });
            }
            return highest;
        }
        let weight = |key| Highest(weight(key));
        let highest = match &self.way {
            Way::Rows(rows, _) => rows.add_up(weight),
            Way::Sum(_) => Rows::new(self.pattern).add_up(weight),
        };
        highest.into_iter().map(|Highest(weight)| weight).collect()
    }

    /// Conjunctions of which one at least holds where the selector selects, if each has a highest.
    fn disjunction(&self) -> Option<Vec<Conjunction>> {
        let terms = disjunction(self.pattern)?;
        let conjunction = |term: &Term| {
            let shape = Shape::of(self.pattern, term);
            let made = || Conjunction::new(self.pattern, &shape);
            shape.is_easy().then(made).filter(Conjunction::has_highest)
        };
        terms.iter().map(conjunction).collect()
    }

    /// The one key that each query selects, `u32::MAX` where there is none, if it is seen easily
    /// that no query selects several.
    pub fn single_keys(&self) -> Option<Vec<u32>> {
        self.conjunction()?.single_keys()
    }

    /// The one conjunction there is, if it selects keys up to a place along positions.
    pub fn sequential(&self) -> Option<Conjunction> {
        self.conjunction().filter(Conjunction::is_running)
    }

    fn conjunction(&self) -> Option<Conjunction> {
        match &self.way {
            Way::Sum(terms) => match terms.as_slice() {
                [(1, shape)] => Some(Conjunction::new(self.pattern, shape)),
                _ => None,
            },
            Way::Rows(..) => None,
        }
    }
}

/// Many conjunctions, or rows where few different values make those cheaper.
fn cheaper(pattern: &Pattern, shapes: Vec<(i64, Shape)>, cost: usize) -> Way<'_> {
    let rows = Rows::new(pattern);
    let positions = pattern.keys.saturating_mul(cost);
    if rows.cost() <= positions.saturating_mul(WORDS_PER_POSITION) {
        Way::Rows(rows, "it compares few different values")
    } else {
        Way::Sum(shapes)
    }
}
