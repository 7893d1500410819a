//! How a selector is answered on an input: as signed conjunctions if there are few and each is
//! easy, in rows of bits otherwise.

use super::count::{Conjunction, Shape};
use super::formula::formula;
use super::rows::Rows;
use super::selector::Pattern;
use super::tally::{Highest, Mixed, Signed, Sum};

/// Up to so many conjunctions nothing else is considered.
const FEW_TERMS: usize = 6;
/// How many words of bits are worked out in the time that a conjunction takes for one position.
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
    pub fn new(pattern: &'p Pattern) -> Plan<'p> {
        let rows = |reason| Way::Rows(Rows::new(pattern), reason);
        let way = match formula(pattern) {
            None if !pattern.tables.is_empty() => rows("it has a predicate, which is tabulated"),
            None => rows("it takes too many conjunctions"),
            Some(terms) => {
                let shapes: Vec<(i64, Shape)> = terms
                    .iter()
                    .map(|term| (term.sign, Shape::of(pattern, term)))
                    .collect();
                if !shapes.iter().all(|(_, shape)| shape.is_easy()) {
                    rows("it has three orders at once")
                } else if shapes.len() > FEW_TERMS {
                    cheaper(pattern, shapes)
                } else {
                    Way::Sum(shapes)
                }
            }
        };
        Plan { pattern, way }
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
        let weight = |key| Highest(weight(key));
        let highest = match &self.way {
            Way::Rows(rows, _) => rows.add_up(weight),
            Way::Sum(terms) if terms.iter().all(|(sign, _)| *sign > 0) => {
                let mut highest = vec![Highest::ZERO; self.pattern.queries];
                for (_, shape) in terms {
                    let conjunction = Conjunction::new(self.pattern, shape);
                    conjunction.add_up(weight, |query, found| {
                        highest[query] = highest[query].plus(found);
                    });
                }
                highest
            }
            Way::Sum(_) => Rows::new(self.pattern).add_up(weight),
        };
        highest.into_iter().map(|Highest(weight)| weight).collect()
    }

    /// The sum over the selected keys from left to right, for the queries for which it is needed.
    pub fn add_up_in_order(
        &self,
        needed: impl Fn(usize) -> bool,
        weight: impl Fn(usize) -> Mixed,
    ) -> Vec<Mixed> {
        if let Some(conjunction) = self.sequential() {
            let mut sums = vec![Mixed::Whole(0); self.pattern.queries];
            conjunction.add_up(&weight, |query, sum| sums[query] = sum);
            return sums;
        }
        match &self.way {
            Way::Rows(rows, _) => rows.add_up_in_order(needed, weight),
            Way::Sum(_) => Rows::new(self.pattern).add_up_in_order(needed, weight),
        }
    }

    /// The one key that each query selects, `u32::MAX` where there is none, if it is seen easily
    /// that no query selects several.
    pub fn single_keys(&self) -> Option<Vec<u32>> {
        self.conjunction()?.single_keys()
    }

    /// The one conjunction there is, if it adds up keys from left to right.
    fn sequential(&self) -> Option<Conjunction> {
        self.conjunction().filter(Conjunction::is_sequential)
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
fn cheaper(pattern: &Pattern, shapes: Vec<(i64, Shape)>) -> Way<'_> {
    let rows = Rows::new(pattern);
    let positions = pattern.keys.saturating_mul(shapes.len());
    if rows.cost() <= positions.saturating_mul(WORDS_PER_POSITION) {
        Way::Rows(rows, "it compares few different values")
    } else {
        Way::Sum(shapes)
    }
}
