//! Cases: what numbers are for each value of an argument that several feed-forward operations read, as
//! the bits do that say which count it is, and what such bits gate. Of sums of these each case is bounded
//! by itself, as what excludes each other is never added up.

use super::bound::{Bound, Bounds};
use super::host::Adding;
use super::host_sum::HostSum;
use crate::plan::{FeedForward, Unit, Written};
use std::sync::Arc;

/// Arguments of more values have no cases, and sums of more terms and cases are not looked at by case:
/// that would take too long.
const MOST_CASES: usize = 512;
const MOST_WORK: usize = 100_000;

/// A number for each value of an argument.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cases {
    /// The number of the argument: that of feed-forward operations that read the same, with the same
    /// values.
    argument: usize,
    /// In the order of its values; that at BOS is last.
    each: Arc<[Case]>,
}

/// What a number is in one case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Case {
    pub low: f64,
    pub high: f64,
    pub error: f64,
}

impl Case {
    pub const NOTHING: Case = Case {
        low: 0.0,
        high: 0.0,
        error: 0.0,
    };

    /// Of one value with its error.
    fn of((value, error): &(f64, f64)) -> Case {
        Case {
            low: *value,
            high: *value,
            error: *error,
        }
    }

    /// What holds in either case.
    fn worst(self, other: Case) -> Case {
        Case {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            error: self.error.max(other.error),
        }
    }

    /// The largest absolute value.
    pub fn largest(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// What it adds to a sum.
    pub fn addend(self) -> Addend {
        Addend {
            centre: f64::midpoint(self.low, self.high),
            radius: (self.high - self.low) / 2.0,
            largest: self.largest() + self.error,
            error: self.error,
        }
    }
}

/// One value of an argument.
#[derive(Clone, Copy, Debug)]
pub(super) struct CaseOf {
    pub argument: usize,
    pub at: usize,
}

impl Bound {
    /// What it is in each case of an argument, if these say anything of it.
    pub fn by_case(&self, argument: usize) -> &[Case] {
        let cases = self.cases.as_ref();
        let cases = cases.filter(|cases| cases.argument == argument);
        cases.map_or(&[], |cases| &cases.each)
    }

    /// What it adds to a sum, in any case.
    pub fn addend(&self) -> Addend {
        Addend {
            centre: self.centre,
            radius: self.radius,
            largest: self.largest,
            error: self.error,
        }
    }
}

impl Bounds<'_> {
    /// The argument that most of some numbers have cases of, if at least two do, and how many cases.
    pub fn cases_of<'b>(&self, bounds: impl Iterator<Item = &'b Bound>) -> Option<(usize, usize)> {
        let (counts, terms) = arguments(bounds);
        let most = counts.into_iter().max_by_key(|(_, count, _)| *count);
        let most = most.filter(|(_, count, cases)| *count > 1 && terms * cases <= MOST_WORK);
        most.map(|(argument, _, cases)| (argument, cases))
    }

    /// The cases of what a feed-forward operation writes, by the values that it gives, each with its error;
    /// or those of what gates it.
    pub fn cases(
        &self,
        (at, forward): (usize, &FeedForward),
        values: &[(f64, f64)],
    ) -> Option<Cases> {
        let is_shared = self.facts.shares_argument(at);
        if !is_shared && let Some(cases) = self.gated(forward, self.facts.argument(at), values) {
            return Some(cases);
        }
        (is_shared && values.len() <= MOST_CASES).then(|| Cases {
            argument: self.facts.number_of_argument(at),
            each: values.iter().map(Case::of).collect(),
        })
    }

    /// The cases of units of which some are silent in some cases of what they read.
    pub fn gated(
        &self,
        forward: &FeedForward,
        read: &HostSum,
        values: &[(f64, f64)],
    ) -> Option<Cases> {
        let whole = values.iter().map(Case::of).fold(Case::NOTHING, Case::worst);
        let bounds = read.terms.iter().map(|term| self.of(term.variable));
        let (counts, terms) = arguments(bounds);
        let work = |cases: usize| cases * terms * forward.units.len();
        let counts = counts.into_iter();
        let counts = counts.filter(|(_, _, cases)| work(*cases) <= MOST_WORK);
        // A variable that carries thresholds does not carry them at BOS.
        let has_one = self.plan.holding(&Written::One, 0.0).is_some();
        let gates = counts.map(|(argument, _, cases)| {
            let silent = |at: usize| {
                let of = CaseOf { argument, at };
                let is_bos = self.plan.bos && at + 1 == cases;
                let mut units = forward.units.iter();
                !(is_bos && has_one) && units.all(|unit| self.is_silent(unit, read, of, is_bos))
            };
            let each = (0..cases).map(|at| match silent(at) {
                true => Case::NOTHING,
                false => whole,
            });
            let each: Arc<[Case]> = each.collect();
            let loud = each.iter().filter(|case| **case != Case::NOTHING).count();
            (loud, Cases { argument, each })
        });
        // That which leaves the fewest cases tells most.
        let (loud, cases) = gates.min_by_key(|(loud, _)| *loud)?;
        (loud < cases.each.len()).then_some(cases)
    }

    /// Whether a unit of this argument is 0, to the bit, in a case, which may be that of BOS.
    fn is_silent(&self, unit: &Unit, read: &HostSum, of: CaseOf, is_bos: bool) -> bool {
        let moved = unit.offset / unit.slope;
        let sum = self.in_turn(read, read.constant + moved, Some(of));
        let sign = unit.slope.signum();
        let at_token = sign * sum.centre + sum.radius;
        let most = match is_bos {
            true => at_token.max(sign * (read.at_bos + moved)),
            false => at_token,
        };
        most + sum.error + sum.rounding <= 0.0
    }

    /// The sum of numbers that are added in turn, each in so many terms, in each case of an argument, and the
    /// largest and the largest error of all.
    pub fn added_by_case(&self, bounds: &[(Bound, usize)]) -> Option<(Option<Cases>, Case)> {
        let unit = self.floats.unit;
        let of_all = bounds.iter().map(|(bound, _)| bound);
        let (argument, cases) = self.cases_of(of_all)?;
        let mut each = Vec::with_capacity(cases);
        for at in 0..cases {
            let mut sum = Case::NOTHING;
            let (mut all_terms, mut all) = (0, 0.0);
            for (bound, terms) in bounds {
                let case = match bound.by_case(argument).get(at) {
                    Some(&Case::NOTHING) => continue,
                    Some(case) => *case,
                    None => Case {
                        low: -bound.largest,
                        high: bound.largest,
                        error: bound.error,
                    },
                };
                let reach = case.largest().max(bound.on_the_way);
                let on_the_way = sum.largest() + reach;
                (all_terms, all) = (all_terms + terms, all + reach);
                sum.low += case.low;
                sum.high += case.high;
                sum.error += case.error + *terms as f64 * unit * on_the_way;
            }
            // Each term may come when all others are there already.
            if self.adding == Adding::AnyOrder {
                sum.error += all_terms as f64 * unit * all;
            }
            each.push(sum);
        }
        let all = each.iter().copied().fold(Case::NOTHING, Case::worst);
        let are_all = bounds
            .iter()
            .all(|(bound, _)| !bound.by_case(argument).is_empty());
        let each = each.into();
        Some((are_all.then_some(Cases { argument, each }), all))
    }
}

/// What is added up, as [`Bound`] has it.
#[derive(Clone, Copy)]
pub(super) struct Addend {
    pub centre: f64,
    pub radius: f64,
    pub largest: f64,
    pub error: f64,
}

/// The arguments of which some numbers have cases, with how many numbers do and how many cases there are,
/// and how many numbers there are.
fn arguments<'b>(bounds: impl Iterator<Item = &'b Bound>) -> (Vec<(usize, usize, usize)>, usize) {
    let mut counts: Vec<(usize, usize, usize)> = Vec::new();
    let mut all = 0;
    for bound in bounds {
        all += 1;
        let Some(cases) = &bound.cases else {
            continue;
        };
        match counts
            .iter_mut()
            .find(|(argument, _, _)| *argument == cases.argument)
        {
            Some((_, count, _)) => *count += 1,
            None => counts.push((cases.argument, 1, cases.each.len())),
        }
    }
    (counts, all)
}
