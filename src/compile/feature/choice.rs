//! Choices between two numbers that take a step for nearly every pair of values as a table. Those that
//! are continuous, as the larger of two counts is, are a number and a hidden unit beside it: `max(a, b)`
//! is `b` and what `a - b` is above 0. Others are hidden units of the numbers that what is asked silences:
//! `relu(a - A (1 - c))`, where `a` is at most `A`, is `a` where `c` is 1, and 0 where it is 0.

use super::axis::Axis;
use super::units::RAMP;
use super::wanted::{Table, Wanted};
use crate::compile::linear::LinearRead;
use crate::compile::linear::real::MOST_FACTORS;
use crate::compile::way::{NotThis, Way, tried};
use crate::compile::{Compiler, Range, Want, ones_where};
use crate::graph::{SOp, SOpId};
use crate::infer::{Operand, Stopped};
use crate::plan::Unit;
use crate::value::{Comparison, Op, Value};

/// A function of no more steps is not worth the hidden units of its operands.
const FEWEST_STEPS: usize = 16;

/// Nor is it worth those of the condition, where there must be some, too, and the layer that they take, unless the
/// model is made with care.
const FEWEST_STEPS_FOR_GATES: usize = 32;

/// A choice of which a feature is wanted.
struct Chosen<'a> {
    wanted: Wanted<'a>,
    table: Table,
    /// The rows of the table in which the feature is something.
    rows: Vec<usize>,
    /// The feature is `slope` times what is chosen, and `offset`.
    slope: f64,
    offset: f64,
}

impl Compiler<'_> {
    /// A choice between two numbers that takes many steps otherwise.
    pub(crate) fn choice_of_two(&mut self, wanted: Wanted, steps: usize) -> Way {
        let [condition, then, otherwise] = self.chosen(wanted.id).ok_or(NotThis)?;
        let is_worth = wanted.want != Want::Snapped && steps > FEWEST_STEPS;
        let line = self.line(wanted)?;
        let (slope, offset) = line
            .filter(|(slope, _)| is_worth && *slope != 0.0)
            .ok_or(NotThis)?;
        for operand in [then, otherwise] {
            if self.analysis.node(operand)?.seen.values.numbers().is_none() {
                return Err(NotThis);
            }
        }
        let choice = self.choice_of(wanted, (slope, offset))?;
        if let Some((_, compared)) = self.compared(condition)
            && let Some(read) = tried(self.continuous(compared, [otherwise, then], &choice))?
        {
            return Ok(read);
        }
        let is_worth_a_layer = steps > FEWEST_STEPS_FOR_GATES || self.care.is_careful();
        match is_worth_a_layer {
            true => self.gated(condition, [then, otherwise], &choice),
            false => Err(NotThis),
        }
    }

    /// What there is to choose where a feature is a slope times that, and an offset.
    fn choice_of<'w>(
        &self,
        wanted: Wanted<'w>,
        (slope, offset): (f64, f64),
    ) -> Result<Chosen<'w>, Stopped> {
        let table = self.table(wanted)?;
        Ok(Chosen {
            wanted,
            rows: table.rows(),
            table,
            slope,
            offset,
        })
    }

    /// One of the numbers, and a multiple of what one side of the comparison is above the other.
    fn continuous(&mut self, [left, right]: [SOpId; 2], bases: [SOpId; 2], choice: &Chosen) -> Way {
        for operand in [left, right] {
            if self.analysis.node(operand)?.seen.values.numbers().is_none() {
                return Err(NotThis);
            }
        }
        let in_rows = |compiler: &Self, id: SOpId| {
            let found = compiler.values_in(id.into(), &choice.table);
            found.map(|(_, values)| values)
        };
        let (of_left, of_right) = (in_rows(self, left)?, in_rows(self, right)?);
        for base in bases {
            let Some(of_base) = tried(in_rows(self, base))? else {
                continue;
            };
            for sign in [1.0, -1.0] {
                let above = |row: usize| sign * (of_left[row] - of_right[row]);
                let pairs = choice.rows.iter().map(|row| {
                    let chosen = (choice.table.target[*row] - choice.offset) / choice.slope;
                    (above(*row).max(0.0), chosen - of_base[*row])
                });
                let Some(factor) = factor(pairs) else {
                    continue;
                };
                let left = self.operand_of(left, choice)?;
                let right = self.operand_of(right, choice)?;
                let base = self.operand_of(base, choice)?;
                let argument = left.read.scaled(sign).plus(-sign, &right.read);
                let points = choice.rows.iter().map(|row| above(*row)).collect();
                let positive = self.above(0.0, argument, points, choice.wanted.label)?;
                let chosen = base.read.clone().plus(factor, &positive);
                return Ok(choice.of(&chosen));
            }
        }
        Err(NotThis)
    }

    /// Each of the numbers above its least where it is chosen, and the least of that which is.
    fn gated(&mut self, condition: SOpId, [then, otherwise]: [SOpId; 2], choice: &Chosen) -> Way {
        let (holds, is_held) = self.holds(condition, choice)?;
        let fails = LinearRead::constant(1.0).plus(-1.0, &holds);
        let mut chosen = LinearRead::default();
        let branches = [(then, &holds, false), (otherwise, &fails, true)];
        for (number, is_chosen, silent_where) in branches {
            let number = self.operand_of(number, choice)?;
            let is_heard = is_held.iter().map(|held| *held != silent_where).collect();
            let heard = self.heard(&number, is_chosen, is_heard, choice)?;
            chosen = chosen.plus(1.0, &heard);
        }
        Ok(choice.of(&chosen))
    }

    /// A number where it is chosen, and 0 where it is silent, as it is in the rows that are not heard.
    fn heard(
        &mut self,
        number: &Axis,
        is_chosen: &LinearRead,
        is_heard: Vec<bool>,
        choice: &Chosen,
    ) -> Result<LinearRead, Stopped> {
        let values = || choice.rows.iter().map(|row| number.value(*row));
        let least = values().fold(f64::INFINITY, f64::min);
        let range = values().fold(0.0, |range: f64, value| range.max(value - least));
        let pairs = values().zip(is_heard);
        let points = pairs.map(|(value, heard)| if heard { value } else { value - range });
        let ends = (least, least + range);
        self.where_set(
            &number.read,
            is_chosen,
            ends,
            points.collect(),
            choice.wanted.label,
        )
    }

    /// A number between two ends where a bit is 1, and 0 where it is 0: what it is above the first is a hidden
    /// unit, which is silent where the bit takes away all of that. Of its argument the points are given.
    pub(crate) fn where_set(
        &mut self,
        number: &LinearRead,
        bit: &LinearRead,
        (least, most): Range,
        points: Vec<f64>,
        label: &str,
    ) -> Result<LinearRead, Stopped> {
        let (held, range) = (bit.scaled(least), most - least);
        if range == 0.0 {
            return Ok(held);
        }
        let argument = number.clone().plus(range, bit);
        let argument = argument.plus(-range, &LinearRead::constant(1.0));
        Ok(held.plus(1.0, &self.above(least, argument, points, label)?))
    }

    /// A product of which one factor is one of few numbers: the other factor times the least of these, and times
    /// how far each is from the one before it where it is that or a greater one.
    pub(super) fn product_of_one_of_few(
        &mut self,
        wanted: Wanted,
        [number, one_of_few]: [SOpId; 2],
        line: (f64, f64),
    ) -> Way {
        let few = self.analysis.node(one_of_few)?.column.values.numbers();
        let few = few.filter(|few| (2..=MOST_FACTORS).contains(&few.len()) && few.is_sorted());
        let few = few.ok_or(NotThis)?;
        let choice = self.choice_of(wanted, line)?;
        let number = self.operand_of(number, &choice)?;
        let (_, in_rows) = self.values_in(one_of_few.into(), &choice.table)?;
        let (want, name) = (self.want_of_operand(wanted.want), self.name(one_of_few));
        let mut product = number.read.scaled(few[0]);
        for pair in few.windows(2) {
            let is_reached = |number: &f64| *number >= pair[1];
            let bit = ones_where(few.len(), |at| is_reached(&few[at]));
            let label = match few.len() {
                2 => name.clone(),
                _ => format!("{name} >= {}", pair[1]),
            };
            let bit = self.feature(one_of_few, &bit, want, &label)?;
            let is_heard = choice.rows.iter().map(|row| is_reached(&in_rows[*row]));
            let heard = self.heard(&number, &bit, is_heard.collect(), &choice)?;
            product = product.plus(pair[1] - pair[0], &heard);
        }
        Ok(choice.of(&product))
    }

    /// Whether a condition holds, as 0 or 1, which what it is need not be: any number but 0 holds; and in
    /// which of the rows.
    fn holds(&mut self, condition: SOpId, choice: &Chosen) -> Way<(LinearRead, Vec<bool>)> {
        let (numbers, in_rows) = self.values_in(condition.into(), &choice.table)?;
        let values = self.analysis.node(condition)?.column.values.domain.clone();
        if values.len() != 2 {
            return Err(NotThis);
        }
        let holds = |value: &Value| {
            let held = Op::If.apply(&[value, &Value::Int(1), &Value::Int(0)]);
            held.ok()?.as_float()
        };
        let function: Option<Vec<f64>> = values.iter().map(holds).collect();
        let function = function.ok_or(NotThis)?;
        let label = self.name(condition);
        let want = self.want_of_operand(choice.wanted.want);
        let read = self.feature(condition, &function, want, &label)?;
        let holding: Vec<f64> = numbers
            .into_iter()
            .zip(function)
            .filter(|(_, holds)| *holds != 0.0)
            .map(|(number, _)| number)
            .collect();
        let rows = choice.rows.iter();
        let is_held = rows.map(|row| holding.contains(&in_rows[*row]));
        Ok((read, is_held.collect()))
    }

    fn operand_of(&mut self, id: SOpId, choice: &Chosen) -> Way<Axis> {
        self.computed_axis(id.into(), choice.wanted.want, &choice.table)
    }

    /// What an argument is above a number, and 0 where it is below.
    pub(super) fn above(
        &mut self,
        least: f64,
        argument: LinearRead,
        points: Vec<f64>,
        label: &str,
    ) -> Result<LinearRead, Stopped> {
        let at = self.argument(argument, points, label)?;
        let unit = Unit {
            offset: -least,
            ..RAMP
        };
        Ok(self.units(at, vec![unit], label, None))
    }

    /// The condition of a choice, and what it chooses where that holds and where it does not.
    pub(crate) fn chosen(&self, id: Operand) -> Option<[SOpId; 3]> {
        self.operands_of(id, |op| *op == Op::If)
    }

    /// How a condition compares, and what, if it compares.
    pub(crate) fn compared(
        &self,
        condition: impl Into<Operand>,
    ) -> Option<(Comparison, [SOpId; 2])> {
        let SOp::Map {
            op: Op::Compare(comparison),
            operands,
        } = self.analysis.shape(condition.into())?
        else {
            return None;
        };
        Some((*comparison, operands.as_slice().try_into().ok()?))
    }
}

impl Chosen<'_> {
    /// The feature of what is chosen.
    fn of(&self, chosen: &LinearRead) -> LinearRead {
        LinearRead::constant(self.offset).plus(self.slope, chosen)
    }
}

/// The factor by which the second numbers are multiples of the first, if they are and some are not 0.
fn factor(pairs: impl Iterator<Item = (f64, f64)> + Clone) -> Option<f64> {
    let largest = pairs.clone().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let factor = largest.1 / largest.0;
    let near =
        |(of, number): (f64, f64)| (number - factor * of).abs() <= 1e-9 * (1.0 + number.abs());
    (factor.is_finite() && factor != 0.0 && pairs.clone().all(near)).then_some(factor)
}
