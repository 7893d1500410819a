//! Quotients of whole numbers by cases of the divisor: a hidden unit for each divisor, which is silent
//! where it is another, and else the dividend. Its weight is the divisor's inverse. A table of the
//! quotient has steps for all pairs, and fractions close to each other leave float32 no digits.

use super::feature::targets;
use super::linear::affine;
use super::linear_read::LinearRead;
use super::search::{Found, MOST_PRECISION};
use super::steps::staircase;
use super::{Compiler, Want};
use crate::graph::SOp;
use crate::infer::{Operand, Stopped};
use crate::plan::Unit;
use crate::value::Op;

/// A quotient of fewer values is not worth a layer.
const FEWEST_VALUES: usize = 30;

/// Larger numbers leave float32 few digits beside them.
const LARGEST: f64 = 32_768.0;

impl Compiler<'_> {
    /// A function of a quotient on the way, such as a percentage that is rounded, as steps of that, if
    /// these and its cases are together far fewer than the steps that there would be otherwise.
    pub(super) fn through_quotient(
        &mut self,
        id: Operand,
        function: &[f64],
        (steps, want): (usize, Want),
        label: &str,
    ) -> Result<Option<LinearRead>, Stopped> {
        for inner in self.inner(id).into_iter().skip(1) {
            let Some(SOp::Map {
                op: Op::Divide,
                operands,
            }) = self.analysis.shape(inner)
            else {
                continue;
            };
            let divisors = self.analysis.node(operands[1])?.column.values.domain.len();
            let column = self.analysis.node(id)?.column.clone();
            let of_quotient = self.analysis.node(inner)?.column.clone();
            let target = targets(&column, function);
            let Some(numbers) = of_quotient.values.numbers() else {
                continue;
            };
            if of_quotient.space.vars != column.space.vars {
                continue;
            }
            let points = of_quotient.cells.iter().zip(&target);
            let points = points.filter_map(|(cell, target)| {
                let number = *numbers.get(*cell as usize)?;
                (!target.is_nan()).then_some((number, *target))
            });
            let mut points: Vec<(f64, f64)> = points.collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            points.dedup();
            let Some(stairs) = staircase(points) else {
                continue;
            };
            let is_worth = 2 * (stairs.steps.len() + divisors) < steps;
            if is_worth
                && stairs.precision <= MOST_PRECISION
                && let Some(argument) = self.quotient(inner, &numbers, want, label)?
            {
                let found = Found { argument, stairs };
                return self.computed(found, Some(id), want, label).map(Some);
            }
        }
        Ok(None)
    }

    /// A quotient of many values, if it is one: a function of it that is no multiple is a table.
    pub(super) fn quotient(
        &mut self,
        id: Operand,
        function: &[f64],
        want: Want,
        label: &str,
    ) -> Result<Option<LinearRead>, Stopped> {
        let Some(SOp::Map {
            op: Op::Divide,
            operands,
        }) = self.analysis.shape(id)
        else {
            return Ok(None);
        };
        let (dividend, divisor) = (operands[0], operands[1]);
        let column = self.analysis.node(id)?.column.clone();
        let below = self.analysis.node(divisor)?.seen.clone();
        let known = |var| column.space.vars.binary_search(var).is_ok();
        let are_known = below.space.vars.iter().all(known);
        let (Some(_), Some(divisors)) = (
            self.whole_numbers(dividend, LARGEST),
            self.whole_numbers(divisor, LARGEST),
        ) else {
            return Ok(None);
        };
        let is_many = column.values.domain.len() >= FEWEST_VALUES;
        let is_worth = is_many && are_known && want != Want::Snapped;
        let Some((slope, offset)) = affine(&column.values.numbers(), function).filter(|_| is_worth)
        else {
            return Ok(None);
        };
        let target = targets(&column, function);
        let Some(above) = self.computed_axis(dividend.into(), want, &column.space, &target)? else {
            return Ok(None);
        };
        let cases: Vec<usize> = (column.space.project(&below.space).iter())
            .map(|row| below.cells[*row as usize] as usize)
            .collect();
        let rows: Vec<usize> = (0..target.len())
            .filter(|row| !target[*row].is_nan())
            .collect();
        let dividends = rows.iter().map(|row| above.value(*row));
        let (low, high) = dividends.fold((0.0f64, 0.0f64), |(low, high), number| {
            (low.min(number), high.max(number))
        });
        // Mostly above 0, so that units are silent at BOS, too, where no token is counted.
        let (sign, low, high) = match -low > high {
            true => (-1.0, -high, -low),
            false => (1.0, low, high),
        };
        let mut read = LinearRead::constant(offset);
        for (case, number) in divisors.iter().enumerate() {
            if !rows.iter().any(|row| cases[*row] == case) {
                continue;
            }
            let one = |value| f64::from(u8::from(value == case));
            let indicator: Vec<f64> = (0..divisors.len()).map(one).collect();
            let name = format!("{} = {number}", self.name(divisor));
            let is_case = self.feature(divisor, &indicator, Want::Snapped, &name)?;
            let argument = LinearRead::constant(-high)
                .plus(sign, &above.read)
                .plus(high - low, &is_case);
            let value =
                |row: &usize| sign * above.value(*row) - high + (high - low) * one(cases[*row]);
            let points = rows.iter().map(value).collect();
            let at = self.argument(argument, points, label)?;
            let weight = sign * slope / number;
            let unit = Unit {
                slope: 1.0,
                offset: 0.0,
                weight,
            };
            read = read
                .plus(1.0, &self.units(at, vec![unit], label, None))
                .plus(weight * low, &is_case);
        }
        Ok(Some(read))
    }
}
