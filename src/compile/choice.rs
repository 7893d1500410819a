//! Choices between two numbers that are continuous, as the larger of two counts is: a number and a hidden
//! unit beside it, that of what is compared. `max(a, b)` is `b` and what `a - b` is above 0, where a
//! table has a step for nearly every pair.

use super::feature::targets;
use super::linear::affine;
use super::linear_read::LinearRead;
use super::{Compiler, Want};
use crate::graph::{SOp, SOpId};
use crate::infer::{Operand, Stopped};
use crate::plan::Unit;
use crate::value::Op;

/// A function of no more steps is not worth the hidden units of its operands.
const FEWEST_STEPS: usize = 16;

impl Compiler<'_> {
    /// A continuous choice between two numbers, if it is one and takes many steps otherwise: one of them,
    /// and a multiple of what one side of the comparison is above the other.
    pub(super) fn choice_of_two(
        &mut self,
        id: Operand,
        function: &[f64],
        (steps, want): (usize, Want),
        label: &str,
    ) -> Result<Option<LinearRead>, Stopped> {
        let Some((compared, bases)) = self.compared(id) else {
            return Ok(None);
        };
        let column = self.analysis.node(id)?.column.clone();
        let is_worth = want != Want::Snapped && steps > FEWEST_STEPS;
        let Some((slope, offset)) = affine(&column.values.numbers(), function)
            .filter(|(slope, _)| is_worth && *slope != 0.0)
        else {
            return Ok(None);
        };
        for operand in compared.into_iter().chain(bases) {
            if self.analysis.node(operand)?.seen.values.numbers().is_none() {
                return Ok(None);
            }
        }
        let target = targets(&column, function);
        let rows: Vec<usize> = (0..target.len())
            .filter(|row| !target[*row].is_nan())
            .collect();
        let in_rows = |compiler: &Self, id: SOpId| {
            let found = compiler.values_in(id.into(), &column.space, &target)?;
            Ok::<_, Stopped>(found.map(|(_, values)| values))
        };
        let [left, right] = compared;
        let (Some(of_left), Some(of_right)) = (in_rows(self, left)?, in_rows(self, right)?) else {
            return Ok(None);
        };
        for base in bases {
            let Some(of_base) = in_rows(self, base)? else {
                continue;
            };
            for sign in [1.0, -1.0] {
                let above = |row: usize| sign * (of_left[row] - of_right[row]);
                let pairs = rows.iter().map(|row| {
                    let beyond = (target[*row] - offset) / slope - of_base[*row];
                    (above(*row).max(0.0), beyond)
                });
                let Some(factor) = factor(pairs) else {
                    continue;
                };
                let mut axis =
                    |id: SOpId| self.computed_axis(id.into(), want, &column.space, &target);
                let (Some(left), Some(right), Some(base)) =
                    (axis(left)?, axis(right)?, axis(base)?)
                else {
                    return Ok(None);
                };
                let argument = left.read.scaled(sign).plus(-sign, &right.read);
                let points = rows.iter().map(|row| above(*row)).collect();
                let at = self.argument(argument, points, label)?;
                let unit = Unit {
                    slope: 1.0,
                    offset: 0.0,
                    weight: slope * factor,
                };
                let positive = self.units(at, vec![unit], label, None);
                let read = LinearRead::constant(offset).plus(slope, &base.read);
                return Ok(Some(read.plus(1.0, &positive)));
            }
        }
        Ok(None)
    }

    /// What a choice compares, and what it chooses between, the last first.
    fn compared(&self, id: Operand) -> Option<([SOpId; 2], [SOpId; 2])> {
        let SOp::Map {
            op: Op::If,
            operands,
        } = self.analysis.shape(id)?
        else {
            return None;
        };
        let [condition, then, otherwise] = **operands else {
            return None;
        };
        let SOp::Map {
            op: Op::Compare(_),
            operands,
        } = self.analysis.shape(condition.into())?
        else {
            return None;
        };
        let [left, right] = **operands else {
            return None;
        };
        Some(([left, right], [otherwise, then]))
    }
}

/// The factor by which the second numbers are multiples of the first, if they are and some are not 0.
fn factor(pairs: impl Iterator<Item = (f64, f64)> + Clone) -> Option<f64> {
    let largest = pairs.clone().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let factor = largest.1 / largest.0;
    let near = |(of, number): (f64, f64)| (number - factor * of).abs() <= 1e-9 * (1.0 + of.abs());
    (factor.is_finite() && factor != 0.0 && pairs.clone().all(near)).then_some(factor)
}
