//! A selector as a sum of signed conjunctions: `1` where it selects and `0` elsewhere, written as
//! Σ ±(product of conditions). `A and B` is a product, `A or B` is A + B − A·B (inclusion and
//! exclusion, or just A + B where A·B cannot hold), `not A` is 1 − A. Counts and sums over selected
//! keys are then the same signed sums over conjunctions, each of which is easy.

use super::pair::{EQUAL, GREATER, LESS, Relations, Sides, UNORDERED, relation};
use super::{Pattern, PatternStep};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// More conjunctions than this are not worth it.
const MOST_TERMS: usize = 32;
/// Larger multiples could overflow where formulas are multiplied.
const LARGEST_SIGN: u64 = 1 << 20;
/// Longer conjunctions than this are not worth it.
const MOST_CONDITIONS: usize = 32;

/// A key and query of a pair of columns must stand in one of the relations.
pub type Condition = (usize, Relations);

/// Conditions that hold together, each pair of columns once, by ascending number of the pair.
type Conjunction = Vec<Condition>;

/// A signed conjunction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    pub sign: i64,
    pub conditions: Conjunction,
}

impl Term {
    fn of(conditions: Conjunction) -> Term {
        Term {
            sign: 1,
            conditions,
        }
    }

    fn negated(self) -> Term {
        Term {
            sign: -self.sign,
            ..self
        }
    }
}

/// Terms with different conjunctions, in a fixed order.
type Formula = Vec<Term>;

/// The selector as signed conjunctions, or `None` if there are too many. Of the conditions on a
/// pair of two varying columns, each is an equality or an order.
pub fn formula(pattern: &Pattern) -> Option<Vec<Term>> {
    let algebra = Algebra { pattern };
    let mut formulas: Vec<Option<Formula>> = Vec::with_capacity(pattern.steps.len());
    let last_uses = last_uses(&pattern.steps);
    for (index, step) in pattern.steps.iter().enumerate() {
        let get = |index: &usize| formulas[*index].as_ref();
        let formula = match step {
            PatternStep::Leaf(pair, wanted) => Some(algebra.condition(*pair, *wanted)),
            PatternStep::Table(_) => None,
            PatternStep::Not(a) => get(a).and_then(|a| algebra.not(a)),
            PatternStep::And(a, b) => get(a).zip(get(b)).and_then(|(a, b)| algebra.product(a, b)),
            PatternStep::Or(a, b) => get(a).zip(get(b)).and_then(|(a, b)| algebra.or(a, b)),
        };
        formulas.push(formula);
        for operand in operands(step) {
            if last_uses[operand] == index {
                formulas[operand] = None;
            }
        }
    }
    formulas.pop().flatten()
}

/// The selector as conjunctions of which one at least holds where it selects, or `None` if there are
/// too many: for a maximum, which may count a key twice but takes nothing back.
pub fn disjunction(pattern: &Pattern) -> Option<Vec<Term>> {
    let algebra = Algebra { pattern };
    // Of each step and of its negation.
    let mut all: Vec<[Option<Formula>; 2]> = Vec::with_capacity(pattern.steps.len());
    for step in &pattern.steps {
        let any = |a: &Option<Formula>, b: &Option<Formula>| {
            let (a, b) = a.as_ref().zip(b.as_ref())?;
            bounded(distinct(a.iter().chain(b).cloned()))
        };
        let every = |a: &Option<Formula>, b: &Option<Formula>| {
            let (a, b) = a.as_ref().zip(b.as_ref())?;
            bounded(distinct(algebra.pairs(a, b)?.into_iter()))
        };
        all.push(match step {
            PatternStep::Leaf(pair, wanted) => {
                let rest = pattern.pairs[*pair].possible & !wanted;
                [*wanted, rest].map(|wanted| algebra.any_condition(*pair, wanted))
            }
            PatternStep::Table(_) => [None, None],
            PatternStep::Not(a) => {
                let [yes, no] = &all[*a];
                [no.clone(), yes.clone()]
            }
            PatternStep::And(a, b) => {
                let ([a, not_a], [b, not_b]) = (&all[*a], &all[*b]);
                [every(a, b), any(not_a, not_b)]
            }
            PatternStep::Or(a, b) => {
                let ([a, not_a], [b, not_b]) = (&all[*a], &all[*b]);
                [any(a, b), every(not_a, not_b)]
            }
        });
    }
    all.pop().and_then(|[yes, _]| yes)
}

/// Each conjunction once.
fn distinct(terms: impl Iterator<Item = Term>) -> Formula {
    let terms: BTreeSet<Conjunction> = terms.map(|term| term.conditions).collect();
    terms.into_iter().map(Term::of).collect()
}

/// The steps that a step combines.
pub fn operands(step: &PatternStep) -> impl Iterator<Item = usize> {
    let (a, b) = match step {
        PatternStep::Leaf(..) | PatternStep::Table(_) => (None, None),
        PatternStep::Not(a) => (Some(*a), None),
        PatternStep::And(a, b) | PatternStep::Or(a, b) => (Some(*a), Some(*b)),
    };
    a.into_iter().chain(b)
}

/// The last step that uses each step, so that no formula is kept longer.
pub fn last_uses(steps: &[PatternStep]) -> Vec<usize> {
    let mut last_uses = vec![0; steps.len()];
    for (index, step) in steps.iter().enumerate() {
        operands(step).for_each(|operand| last_uses[operand] = index);
    }
    last_uses
}

struct Algebra<'a> {
    pattern: &'a Pattern,
}

impl Algebra<'_> {
    fn one() -> Formula {
        vec![Term::of(Vec::new())]
    }

    /// The formula of a single condition.
    fn condition(&self, pair: usize, wanted: Relations) -> Formula {
        let possible = self.pattern.pairs[pair].possible;
        let wanted = wanted & possible;
        let single = |relations| Term::of(vec![(pair, relations)]);
        if wanted == 0 {
            return Vec::new();
        }
        if wanted == possible {
            return Self::one();
        }
        if self.pattern.pairs[pair].sides() != Sides::Both {
            return vec![single(wanted)];
        }
        match wanted {
            EQUAL | LESS | GREATER => vec![single(wanted)],
            _ if wanted == LESS | EQUAL || wanted == GREATER | EQUAL => vec![single(wanted)],
            _ if wanted & UNORDERED != 0 || possible & UNORDERED == 0 => {
                let rest = self.condition(pair, possible & !wanted);
                self.subtract_from_one(&rest)
            }
            // An order in either direction (and perhaps equality), where there are NaNs.
            _ => [LESS, wanted & (GREATER | EQUAL)].map(single).to_vec(),
        }
    }

    fn subtract_from_one(&self, formula: &Formula) -> Formula {
        let negative = formula.iter().cloned().map(Term::negated);
        sum(Self::one().into_iter().chain(negative))
    }

    fn not(&self, formula: &Formula) -> Option<Formula> {
        if let [term] = formula.as_slice()
            && term.sign == 1
            && let [(pair, wanted)] = term.conditions.as_slice()
        {
            return Some(self.condition(*pair, self.pattern.pairs[*pair].possible & !wanted));
        }
        bounded(self.subtract_from_one(formula))
    }

    /// The shorter of A + B − A·B and not (not A and not B).
    fn or(&self, a: &Formula, b: &Formula) -> Option<Formula> {
        let inclusive = self.product(a, b).and_then(|both| {
            let negative = both.into_iter().map(Term::negated);
            bounded(sum(a.iter().chain(b).cloned().chain(negative)))
        });
        if inclusive.as_ref().is_some_and(|terms| terms.len() <= 2) {
            return inclusive;
        }
        let neither = self.not(a).zip(self.not(b));
        let neither = neither.and_then(|(a, b)| self.product(&a, &b));
        let exclusive = neither.and_then(|terms| self.not(&terms));
        match (inclusive, exclusive) {
            (Some(a), Some(b)) => Some(if b.len() < a.len() { b } else { a }),
            (a, b) => a.or(b),
        }
    }

    /// Conditions on a pair of which one at least holds where it stands in one of the relations.
    fn any_condition(&self, pair: usize, wanted: Relations) -> Option<Formula> {
        let possible = self.pattern.pairs[pair].possible;
        let wanted = wanted & possible;
        if wanted == LESS | GREATER && self.pattern.pairs[pair].sides() == Sides::Both {
            let terms = [LESS, GREATER].map(|wanted| self.condition(pair, wanted));
            return Some(terms.concat());
        }
        let terms = self.condition(pair, wanted);
        terms.iter().all(|term| term.sign > 0).then_some(terms)
    }

    fn product(&self, a: &Formula, b: &Formula) -> Option<Formula> {
        bounded(sum(self.pairs(a, b)?.into_iter()))
    }

    /// Each conjunction of the one with each of the other.
    fn pairs(&self, a: &Formula, b: &Formula) -> Option<Formula> {
        let mut terms = Vec::new();
        for left in a {
            for right in b {
                if let Some(conditions) = self.both(&left.conditions, &right.conditions) {
                    if conditions.len() > MOST_CONDITIONS {
                        return None;
                    }
                    let sign = left.sign * right.sign;
                    terms.push(Term { sign, conditions });
                }
            }
        }
        Some(terms)
    }

    /// Both conjunctions at once, or `None` if they exclude each other.
    fn both(&self, a: &Conjunction, b: &Conjunction) -> Option<Conjunction> {
        let mut all = a.clone();
        for (pair, wanted) in b {
            match all.binary_search_by_key(pair, |(pair, _)| *pair) {
                Ok(at) => {
                    all[at].1 &= wanted;
                    if all[at].1 == 0 {
                        return None;
                    }
                }
                Err(at) => {
                    if all
                        .iter()
                        .any(|other| self.excludes(*other, (*pair, *wanted)))
                    {
                        return None;
                    }
                    all.insert(at, (*pair, *wanted));
                }
            }
        }
        Some(all)
    }

    /// Whether two conditions on one column beside two constants cannot both hold.
    fn excludes(&self, a: Condition, b: Condition) -> bool {
        let (left, right) = (&self.pattern.pairs[a.0], &self.pattern.pairs[b.0]);
        let (Some((sop, low)), Some((other, high))) = (left.filter(), right.filter()) else {
            return false;
        };
        if sop != other || left.sides() != right.sides() || (a.1 | b.1) & UNORDERED != 0 {
            return false;
        }
        // The constants in order, as ranks 1 and 3 among five places a value can stand.
        let (low, high) = match low.order(&high) {
            Some(Ordering::Less) => (1, 3),
            Some(Ordering::Greater) => (3, 1),
            Some(Ordering::Equal) => (1, 1),
            None => return false,
        };
        let relate = |value: u32, constant: u32| match left.sides() {
            Sides::Keys => relation(value, constant),
            Sides::Queries | Sides::Both | Sides::Neither => relation(constant, value),
        };
        !(0..5).any(|value| relate(value, low) & a.1 != 0 && relate(value, high) & b.1 != 0)
    }
}

/// Adds terms with equal conjunctions together and leaves out those that cancel.
fn sum(terms: impl Iterator<Item = Term>) -> Formula {
    let mut signs: BTreeMap<Conjunction, i64> = BTreeMap::new();
    for term in terms {
        *signs.entry(term.conditions).or_default() += term.sign;
    }
    signs
        .into_iter()
        .filter(|(_, sign)| *sign != 0)
        .map(|(conditions, sign)| Term { sign, conditions })
        .collect()
}

fn bounded(formula: Formula) -> Option<Formula> {
    let small = |term: &Term| term.sign.unsigned_abs() <= LARGEST_SIGN;
    (formula.len() <= MOST_TERMS && formula.iter().all(small)).then_some(formula)
}
