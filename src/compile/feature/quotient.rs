//! Quotients of whole numbers by cases of the divisor: a hidden unit for each divisor, which is silent
//! where it is another, and else the dividend. Its weight is the divisor's inverse. A table of the
//! quotient has steps for all pairs, and fractions close to each other leave float32 no digits. What
//! stands in place of the quotient, as in `x / n if n != 0 else 0`, is a case, too: a number, or the
//! dividend.

use super::axis::Axis;
use super::product::FEWEST_VALUES;
use super::search::{Found, search};
use super::units::RAMP;
use super::wanted::Wanted;
use crate::compile::linear::LinearRead;
use crate::compile::way::{NotThis, Way, tried};
use crate::compile::{Care, Compiler, Want};
use crate::graph::SOpId;
use crate::infer::Operand;
use crate::plan::Unit;
use crate::value::Op;

/// A quotient by a sum has so many values where its cases are worth the layer that bits of the sum take.
const FEWEST_VALUES_OF_SUM: usize = 55;

/// Larger numbers leave float32 few digits beside them.
const LARGEST: f64 = 32_768.0;

impl Compiler<'_> {
    /// A function of a quotient on the way, such as a percentage that is rounded, as steps of that, if
    /// these and its cases are together far fewer than the steps that there would be otherwise.
    pub(super) fn through_quotient(&mut self, wanted: Wanted, steps: usize) -> Way {
        let table = self.table(wanted)?;
        for inner in self.inner(wanted.id).into_iter().skip(1) {
            let Some((_, divisor)) = self.divided(inner) else {
                continue;
            };
            let Some((numbers, values)) = tried(self.values_in(inner, &table))? else {
                continue;
            };
            let divisors = self.analysis.node(divisor)?.column.values.domain.len();
            let axis = Axis::new(values, LinearRead::default());
            let quotient = Wanted {
                id: inner,
                function: &numbers,
                ..wanted
            };
            if let Some(Found { stairs, .. }) = search(&[axis], &[0], &table.target, false)
                && 2 * (stairs.steps.len() + divisors) < steps
                && let Some(argument) = tried(self.quotient(quotient))?
            {
                let found = Found { argument, stairs };
                return Ok(self.staircase(found, wanted)?);
            }
        }
        Err(NotThis)
    }

    /// A quotient of many values, if it is one: a function of it that is no multiple is a table.
    pub(super) fn quotient(&mut self, wanted: Wanted) -> Way {
        let Wanted { want, label, .. } = wanted;
        let (dividend, divisor) = self.divided(wanted.id).ok_or(NotThis)?;
        let is_whole = |id| self.whole_numbers(id, LARGEST).is_some();
        let is_sum = self.analysis.node(divisor)?.column.space.vars.len() > 1;
        let fewest = if is_sum {
            FEWEST_VALUES_OF_SUM
        } else {
            FEWEST_VALUES
        };
        let is_worth = want != Want::Snapped
            && wanted.function.len() >= fewest
            && is_whole(dividend)
            && is_whole(divisor);
        let (slope, offset) = self.line(wanted)?.filter(|_| is_worth).ok_or(NotThis)?;
        let table = self.table(wanted)?;
        let (divisors, below) = self.values_in(divisor.into(), &table)?;
        let above = self.computed_axis(dividend.into(), want, &table)?;
        let rows = table.rows();
        let dividends = rows.iter().map(|row| above.value(*row));
        let (low, high) = dividends.fold((0.0f64, 0.0f64), |(low, high), number| {
            (low.min(number), high.max(number))
        });
        // Mostly above 0, so that units are silent at BOS, too, where no token is counted.
        let (sign, low, high) = match -low > high {
            true => (-1.0, -high, -low),
            false => (1.0, low, high),
        };
        // Each the sign of the dividend that a unit takes, from where it does, and how far that goes. Where a
        // dividend has either sign, what is taken from it is added again, from a much larger number than the
        // quotient is.
        let parts = match self.care == Care::Exact && low < 0.0 {
            true => vec![(sign, 0.0, high), (-sign, 0.0, -low)],
            false => vec![(sign, low, high)],
        };
        let mut cases: Vec<(&f64, (f64, f64))> = Vec::with_capacity(divisors.len());
        for number in &divisors {
            // An int and a float are one case.
            if cases.iter().any(|(known, _)| *known == number) {
                continue;
            }
            let of_case = rows.iter().filter(|row| below[**row] == *number);
            let points = of_case.map(|row| (above.value(*row), table.target[*row] - offset));
            let line = line(points, [slope / number, slope, 0.0]).ok_or(NotThis)?;
            cases.push((number, line));
        }
        let mut read = LinearRead::constant(offset);
        for (number, (factor, constant)) in cases {
            if (factor, constant) == (0.0, 0.0) {
                continue;
            }
            let one = |divisor: &f64| f64::from(u8::from(divisor == number));
            let indicator: Vec<f64> = divisors.iter().map(one).collect();
            let name = format!("{} = {number}", self.name(divisor));
            let is_case = self.feature(divisor, &indicator, Want::Snapped, &name)?;
            read = read.plus(constant, &is_case);
            if factor == 0.0 {
                continue;
            }
            for (sign, low, high) in &parts {
                // Silent units are 1 below 0, so that no error of the dividend wakes them.
                let (silent, awake) = (-high - 1.0, high - low + 1.0);
                let argument = LinearRead::constant(silent)
                    .plus(*sign, &above.read)
                    .plus(awake, &is_case);
                let value =
                    |row: &usize| silent + sign * above.value(*row) + awake * one(&below[*row]);
                let points = rows.iter().map(value).collect();
                let at = self.argument(argument, points, label)?;
                let weight = sign * factor;
                let unit = Unit { weight, ..RAMP };
                read = read
                    .plus(1.0, &self.units(at, vec![unit], label, None))
                    .plus(weight * low, &is_case);
            }
        }
        Ok(read)
    }

    /// What an s-op divides, and by what, if it is a quotient, or one where a condition holds.
    fn divided(&self, id: Operand) -> Option<(SOpId, SOpId)> {
        if let Some(both) = self.two_of(Op::Divide, id) {
            return Some(both);
        }
        let [_, then, otherwise] = self.chosen(id)?;
        let quotient = |branch| self.two_of(Op::Divide, branch);
        quotient(then).or_else(|| quotient(otherwise))
    }
}

/// The first of some factors by which points are on a line, with what that adds; the x-axis if there are
/// none.
fn line(points: impl Iterator<Item = (f64, f64)> + Clone, factors: [f64; 3]) -> Option<(f64, f64)> {
    let Some((x, y)) = points.clone().next() else {
        return Some((0.0, 0.0));
    };
    let lines = factors.into_iter().map(|factor| (factor, y - factor * x));
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + b.abs());
    let mut lines = lines.filter(|(factor, constant)| {
        factor.is_finite() && points.clone().all(|(x, y)| near(factor * x + constant, y))
    });
    let (factor, constant) = lines.next()?;
    Some((factor, if near(constant, 0.0) { 0.0 } else { constant }))
}
