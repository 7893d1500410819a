//! How far what a model holds may be from what it stands for: bounds on variables and on linear
//! reads of them, with the rounding of the host's floats. A read is exact where all that it adds are
//! multiples of one power of two that a float holds: equal numbers stay equal to the bit there.

use super::cases::{Case, CaseOf, Cases};
use super::facts::Facts;
use super::host::{Adding, Floats, fits, grain, is_lost, is_power};
use super::host_sum::{HostSum, HostTerm};
use super::sided::OneSided;
use crate::model::HostOrder;
use crate::plan::{FeedForward, Linear, Plan, Style, Unit, VariableId, Written};

/// What is known of a number that a model holds or reads.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bound {
    /// The largest absolute value, at tokens and at BOS.
    pub largest: f64,
    /// A number that values at tokens are near, and how near.
    pub centre: f64,
    pub radius: f64,
    /// How far it may be from what it stands for.
    pub error: f64,
    /// If it is exact, the power of two that it is a multiple of: to the bit, but for a residue where it is to be 0.
    pub grain: Option<i32>,
    /// That residue, a part of the error, which is lost in every sum with such a multiple that is not 0.
    pub residue: f64,
    /// What a read adds up on the way is no larger.
    pub on_the_way: f64,
    /// How far roundings would take a read if it were not exact.
    pub rounding: f64,
    /// The error for each value at tokens, ascending, where it depends on the value.
    pub by_value: Vec<(f64, f64)>,
    /// Where it is 0 or on one side of it.
    pub one_sided: Option<OneSided>,
    /// What it is for each value of an argument.
    pub cases: Option<Cases>,
}

impl Bound {
    pub fn inexact(largest: f64, error: f64) -> Bound {
        Bound {
            largest,
            centre: 0.0,
            radius: largest,
            error,
            grain: None,
            residue: 0.0,
            on_the_way: largest,
            rounding: 0.0,
            by_value: Vec::new(),
            one_sided: None,
            cases: None,
        }
    }

    /// The same, exact.
    pub fn exact(largest: f64, grain: Option<i32>) -> Bound {
        Bound {
            grain,
            ..Bound::inexact(largest, 0.0)
        }
    }

    /// The error where it is one of its values.
    pub fn error_at(&self, value: f64) -> f64 {
        let near = 1e-9 * (1.0 + value.abs());
        let first = self
            .by_value
            .partition_point(|(known, _)| *known < value - near);
        let known = self.by_value.get(first);
        let known = known.filter(|(known, _)| *known <= value + near);
        known.map_or(self.error, |(_, error)| *error)
    }

    /// Of numbers that are stored as they are.
    pub fn stored(numbers: impl Iterator<Item = f64>, floats: Floats) -> Bound {
        let (mut largest, mut least, mut held) = (0.0f64, None, true);
        for number in numbers {
            largest = largest.max(number.abs());
            if let Some(grain) = grain(number) {
                least = lesser(least, grain);
            }
            held &= floats.holds(number);
        }
        match held {
            true => Bound::exact(largest, Some(least.unwrap_or(0))),
            false => Bound::inexact(largest, largest * floats.unit),
        }
    }
}

/// The bounds of a plan's variables that are known so far.
pub(super) struct Bounds<'p> {
    pub plan: &'p Plan,
    pub floats: Floats,
    pub order: HostOrder,
    pub adding: Adding,
    pub known: Vec<Option<Bound>>,
    /// What does not depend on floats.
    pub facts: &'p Facts,
}

impl Bounds<'_> {
    pub fn of(&self, variable: VariableId) -> &Bound {
        let known = self.known[variable.0 as usize].as_ref();
        known.unwrap_or_else(|| unreachable!("a plan that is checked reads what is written"))
    }

    /// The least and the greatest number that a variable stands for at tokens.
    pub fn ends(&self, variable: VariableId) -> (f64, f64) {
        match &self.plan.variable(variable).values[..] {
            [] => {
                let bound = self.of(variable);
                (bound.centre - bound.radius, bound.centre + bound.radius)
            }
            [only] => (*only, *only),
            [first, .., last] => (*first, *last),
        }
    }

    /// What stands in the direction of a variable before more is added to it. The BOS flag is 0 at
    /// tokens.
    pub fn there(&mut self, into: VariableId) -> Option<Bound> {
        let known = self.known[into.0 as usize].take();
        known.or_else(|| {
            let below = self.plan.below(into)?;
            let is_flag = self.plan.variable(below).written == Written::Flag;
            (!is_flag).then(|| self.of(below).clone())
        })
    }

    /// A linear read. What it adds up may be much larger than the sum, where a variable rounds; what
    /// it reads of the embeddings is bounded for each token and for each index.
    pub fn read(&self, linear: &Linear) -> Bound {
        let read = self.facts.host_sum(self.plan, linear);
        self.summed(&read, read.constant)
    }

    /// The same of one that is in order, with another constant.
    pub fn summed(&self, read: &HostSum, constant: f64) -> Bound {
        let mut sum = self.in_turn(read, constant, None);
        let least = sum.least.unwrap_or(0);
        if sum.error > 0.0 || !(sum.exact && fits(sum.added, least, self.floats)) {
            let bounds = read.terms.iter().map(|term| self.of(term.variable));
            if let Some(cases) = self.cases_of(bounds) {
                sum = sum.or_less(self.in_cases(read, constant, cases));
            }
        }
        let largest = (sum.centre.abs() + sum.radius).max(sum.at_bos.abs());
        let is_exact = fits(sum.added, least, self.floats) || self.is_one_number(read, constant);
        let is_exact = is_exact && is_lost(sum.residue, least, self.floats);
        let (error, grain) = match sum.exact && is_exact {
            true => (sum.error, Some(least)),
            false => (sum.error + sum.rounding, None),
        };
        Bound {
            largest: largest + error,
            centre: sum.centre,
            radius: sum.radius,
            error,
            grain,
            residue: grain.map_or(0.0, |_| sum.residue),
            on_the_way: sum.added,
            rounding: sum.rounding,
            by_value: Vec::new(),
            one_sided: None,
            cases: None,
        }
    }

    /// Whether a read is everywhere one product without a rounding, or nothing.
    fn is_one_number(&self, read: &HostSum, constant: f64) -> bool {
        let at_bos = |term: &&HostTerm| self.plan.variable(term.variable).bos != 0.0;
        let is_flag = |term: &HostTerm| self.plan.variable(term.variable).written == Written::Flag;
        let is_exact = |term: &HostTerm| {
            let bound = self.of(term.variable);
            let grain = bound
                .grain
                .zip(term.grain)
                .map(|(a, b)| a.saturating_add(b));
            let size = bound.largest * term.factor.abs();
            is_power(term.factor) || grain.is_some_and(|grain| fits(size, grain, self.floats))
        };
        let mut terms = read.terms.iter();
        constant == 0.0
            && read.terms.iter().all(is_exact)
            && read.of_tokens.terms + read.of_indices.terms <= 1
            && terms.all(|term| term.is_embedded || is_flag(term))
            && read.terms.iter().filter(at_bos).count() <= 1
    }

    /// Whether the terms of a read are added one after the other, those of the embeddings first.
    pub fn adds_in_turn(&self, read: &HostSum) -> bool {
        self.adding == Adding::InTurn && read.is_in_order
    }

    /// A linear read as hosts add it up, in a case or in any.
    pub fn in_turn(&self, read: &HostSum, constant: f64, of: Option<CaseOf>) -> Sum {
        let mut sum = self.start(read, constant);
        let argument = of.map(|of| of.argument);
        let at = of.map_or(0, |of| of.at);
        self.add_in_turn(read, argument, at, std::slice::from_mut(&mut sum));
        sum.rounded(self.floats, of.is_some())
    }

    /// The worst of a linear read as hosts add it up, in so many cases of an argument: each term in all of them,
    /// as its bounds are far from those of the next.
    fn in_cases(&self, read: &HostSum, constant: f64, (argument, cases): (usize, usize)) -> Sum {
        let mut sums = vec![self.start(read, constant); cases];
        self.add_in_turn(read, Some(argument), 0, &mut sums);
        let sums = sums.into_iter().map(|sum| sum.rounded(self.floats, true));
        let worst = sums.reduce(Sum::worst);
        worst.unwrap_or_else(|| self.in_turn(read, constant, None))
    }

    /// Hosts that add in turn start from the bias, and add the terms of the embeddings first.
    fn start(&self, read: &HostSum, constant: f64) -> OnTheWay {
        let unit = self.floats.unit;
        let (of_tokens, of_indices) = (&read.of_tokens, &read.of_indices);
        // A row of an embedding has few of many directions; what is 0 is added without rounding.
        let sizes = (of_tokens.sizes + of_indices.sizes).max(read.sizes_at_bos);
        let embedded = match self.adding {
            Adding::AnyOrder => sizes,
            Adding::InTurn => of_tokens.partial + of_indices.partial,
        };
        let bos = f64::from(u8::from(self.plan.bos));
        let sum = Sum {
            centre: constant,
            radius: of_tokens.largest + of_indices.largest,
            at_bos: bos * constant,
            error: 0.0,
            residue: 0.0,
            added: constant.abs() + embedded,
            rounding: 0.0,
            exact: self.floats.holds(constant),
            least: grain(constant),
        };
        let added_up = (1 + of_tokens.terms + of_indices.terms) as f64;
        OnTheWay {
            products: constant.abs() * unit + sizes * 2.0 * unit,
            added_up,
            sums: match self.adds_in_turn(read) {
                true => added_up * sum.added,
                false => f64::INFINITY,
            },
            sum,
        }
    }

    /// Adds the terms in order to sums, which are of the cases of an argument from one on.
    fn add_in_turn(
        &self,
        read: &HostSum,
        argument: Option<usize>,
        first: usize,
        sums: &mut [OnTheWay],
    ) {
        let unit = self.floats.unit;
        let mut at_bos = sums.first().map_or(0.0, |on_the_way| on_the_way.sum.at_bos);
        for term in &read.terms {
            let (factor, size) = (term.factor, term.factor.abs());
            let bound = self.of(term.variable);
            at_bos += factor * self.plan.variable(term.variable).bos;
            let grain = bound.grain.zip(term.grain);
            let grain = grain.map(|(a, b)| a.saturating_add(b));
            let is_held = self.floats.holds(factor);
            let cases = argument.map_or(&[][..], |argument| bound.by_case(argument));
            let mut cases = cases.iter().skip(first);
            let in_any = bound.addend();
            for on_the_way in sums.iter_mut() {
                let sum = &mut on_the_way.sum;
                sum.at_bos = at_bos;
                let added = match cases.next() {
                    Some(&Case::NOTHING) => continue,
                    Some(case) => case.addend(),
                    None => in_any,
                };
                sum.centre += factor * added.centre;
                if !term.is_embedded {
                    sum.radius += size * added.radius;
                    on_the_way.products += size * (added.largest + added.error) * 2.0 * unit;
                    on_the_way.added_up += 1.0;
                }
                sum.error += size * added.error;
                sum.residue += size * bound.residue;
                let there = (sum.centre.abs() + sum.radius).max(at_bos.abs());
                sum.added = match self.adding {
                    Adding::InTurn => sum.added.max(size * added.largest).max(there),
                    Adding::AnyOrder if term.is_embedded => sum.added,
                    Adding::AnyOrder => sum.added + size * (added.largest + added.error),
                };
                on_the_way.sums += there + sum.error;
                match grain {
                    Some(grain) => sum.least = lesser(sum.least, grain),
                    None => sum.exact = false,
                }
                sum.exact &= is_held;
            }
        }
    }

    /// The largest number that variables, queries, keys, values and hidden units are bounded by. Sums
    /// through a sink hold what they like where that stands.
    pub fn largest_activation(&self) -> Option<f64> {
        if self.plan.style == Style::Compact {
            return None;
        }
        let known = self.known.iter().flatten();
        let variables = known.map(|bound| bound.largest + bound.error);
        let of_heads = self.facts.reads_of_heads();
        let of_heads = of_heads.map(|read| self.summed(read, read.constant).largest);
        let mut most = variables.chain(of_heads).fold(0.0, f64::max);
        // Reading a unit takes longer than seeing that it is a small one.
        let mut units: Vec<(f64, &FeedForward, &Unit)> = Vec::new();
        for (at, forward) in self.plan.feed_forwards.iter().enumerate() {
            let read = self.facts.argument(at);
            let argument = self.summed(read, read.constant);
            let (low, high) = self.range(read);
            let noise = argument.error + argument.rounding;
            for unit in &forward.units {
                let at = |argument: f64| (unit.slope * argument + unit.offset).abs();
                let sizes = unit.slope.abs() * argument.largest + unit.offset.abs();
                let roundings = 4.0 * self.floats.unit * sizes;
                let bound = at(low).max(at(high)) + unit.slope.abs() * noise + roundings;
                if bound > most {
                    units.push((bound, forward, unit));
                }
            }
        }
        units.sort_by(|one, other| other.0.total_cmp(&one.0));
        for (bound, forward, unit) in units {
            if bound <= most {
                break;
            }
            let sum = self.read(&self.plan.unit(forward, unit));
            most = most.max(sum.largest.min(bound));
        }
        most = most.max(self.facts.largest_at_bos);
        most.is_finite().then_some(most)
    }

    /// The least and the greatest number that a linear read gives for a key, BOS among them, but for
    /// its error.
    pub fn range(&self, read: &HostSum) -> (f64, f64) {
        let (lowest, highest) = self.at_tokens(read);
        (lowest.min(read.at_bos), highest.max(read.at_bos))
    }

    /// The same at tokens alone.
    pub fn at_tokens(&self, read: &HostSum) -> (f64, f64) {
        let (mut centre, mut radius) = (read.constant, 0.0);
        for term in &read.terms {
            let bound = self.of(term.variable);
            centre += term.factor * bound.centre;
            if !term.is_embedded {
                radius += term.factor.abs() * bound.radius;
            }
        }
        let lowest = centre + read.of_tokens.lowest + read.of_indices.lowest - radius;
        let highest = centre + read.of_tokens.highest + read.of_indices.highest + radius;
        (lowest, highest)
    }
}

/// A sum that hosts have begun.
#[derive(Clone, Copy)]
struct OnTheWay {
    sum: Sum,
    /// The roundings of products.
    products: f64,
    /// How many numbers are added up.
    added_up: f64,
    /// All sums on the way together.
    sums: f64,
}

/// What a linear read adds up, as [`Bound`] has it, but that `error` is without roundings.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    pub centre: f64,
    pub radius: f64,
    at_bos: f64,
    pub error: f64,
    residue: f64,
    added: f64,
    pub rounding: f64,
    exact: bool,
    least: Option<i32>,
}

impl OnTheWay {
    /// The sum with the roundings of all that was added up.
    fn rounded(self, floats: Floats, in_a_case: bool) -> Sum {
        let all = self.added_up * (self.sum.added + self.sum.error);
        // What is added up gets smaller on the way where it begins with a large constant.
        let sums = match in_a_case {
            true => all.min(self.sums),
            false => all,
        };
        Sum {
            rounding: self.products + floats.unit * sums,
            ..self.sum
        }
    }
}

impl Sum {
    /// What holds in either case.
    fn worst(self, other: Sum) -> Sum {
        let low = (self.centre - self.radius).min(other.centre - other.radius);
        let high = (self.centre + self.radius).max(other.centre + other.radius);
        Sum {
            centre: f64::midpoint(low, high),
            radius: (high - low) / 2.0,
            error: self.error.max(other.error),
            added: self.added.max(other.added),
            rounding: self.rounding.max(other.rounding),
            ..self
        }
    }

    /// What is known of the same sum in two ways.
    fn or_less(self, by_case: Sum) -> Sum {
        let (centre, radius) = match by_case.radius < self.radius {
            true => (by_case.centre, by_case.radius),
            false => (self.centre, self.radius),
        };
        Sum {
            centre,
            radius,
            error: self.error.min(by_case.error),
            added: self.added.min(by_case.added),
            rounding: self.rounding.min(by_case.rounding),
            ..self
        }
    }
}

/// The lesser of two exponents, where the first may be that of 0.
fn lesser(a: Option<i32>, b: i32) -> Option<i32> {
    Some(a.map_or(b, |a| a.min(b)))
}
