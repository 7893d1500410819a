//! Remainders that take a number no more than a few divisors away: `(indices + 1) % length` is
//! `indices + 1`, less `length` where it is at least that. Of whole numbers `b` and `d` the hidden units
//! `relu(B d + b) - B relu(d)`, where `b` is at most `B`, are `b` where `d` is not negative, and else 0. So
//! steep a line makes much of noise: with care `d` is asked first, and `relu(b - B)` where it is negative is
//! a layer later. A table of the remainder has a step for nearly every pair of values.

use super::search::Found;
use super::steps::staircase;
use super::wanted::Wanted;
use crate::compile::linear::{LinearRead, Scalar};
use crate::compile::way::{NotThis, Way};
use crate::compile::{Compiler, Want};
use crate::graph::SOpId;
use crate::infer::{Operand, Stopped};
use crate::value::Op;

/// Numbers that are more divisors away are not worth their hidden units.
const MOST_WRAPS: i64 = 8;

/// A function of no more steps is not worth it, nor one of no more than the second number where that takes
/// a layer.
const FEWEST_STEPS: usize = 4;
const FEWEST_STEPS_WITH_A_LAYER: usize = 64;

/// Larger divisors leave float32 few digits.
const LARGEST_DIVISOR: f64 = 1_024.0;

/// The numbers of a remainder in each row that has one: what is divided, and by what.
struct Operands {
    values: [Vec<f64>; 2],
    rows: Vec<usize>,
}

impl Operands {
    fn pairs(&self) -> impl Iterator<Item = (f64, f64)> {
        let [dividends, divisors] = &self.values;
        self.rows
            .iter()
            .map(|row| (dividends[*row], divisors[*row]))
    }

    /// The least and the greatest number of divisors that are taken away, if all are whole numbers and the
    /// divisors positive.
    fn wraps(&self) -> Option<(i64, i64)> {
        let mut ends = (0, 0);
        for (dividend, divisor) in self.pairs() {
            let is_whole = dividend.fract() == 0.0 && divisor.fract() == 0.0;
            if !(is_whole && (1.0..=LARGEST_DIVISOR).contains(&divisor)) {
                return None;
            }
            let wraps = (dividend / divisor).floor() as i64;
            ends = (ends.0.min(wraps), ends.1.max(wraps));
        }
        Some(ends)
    }
}

impl Compiler<'_> {
    /// A function of a remainder that takes many steps otherwise: of the number that is left, a layer
    /// later, if it is no multiple of that.
    pub(super) fn remainder(&mut self, wanted: Wanted, steps: usize) -> Way {
        let Wanted {
            id,
            function,
            want,
            label,
        } = wanted;
        let (dividend, divisor) = self.two_of(Op::Remainder, id).ok_or(NotThis)?;
        let fewest = match self.divides_reads(id) && !self.care.is_careful() {
            true => FEWEST_STEPS,
            false => FEWEST_STEPS_WITH_A_LAYER,
        };
        // What has few digits is told apart by steps where lines are not exact.
        let is_coarse = self.host.is_bfloat16() && !self.care.is_plain();
        if want == Want::Snapped || steps <= fewest || is_coarse {
            return Err(NotThis);
        }
        let numbers = self.analysis.node(id)?.column.values.numbers();
        let numbers = numbers.ok_or(NotThis)?;
        let table = self.table(wanted)?;
        let (_, dividends) = self.values_in(dividend.into(), &table)?;
        let (_, divisors) = self.values_in(divisor.into(), &table)?;
        let operands = Operands {
            values: [dividends, divisors],
            rows: table.rows(),
        };
        let (least, most) = operands.wraps().ok_or(NotThis)?;
        let wraps = most.saturating_sub(least);
        if wraps > MOST_WRAPS || 2 * wraps as usize >= steps {
            return Err(NotThis);
        }
        let mut read = |id: SOpId| -> Way { Ok(self.computed_axis(id.into(), want, &table)?.read) };
        let reads = [read(dividend)?, read(divisor)?];
        let mut left = reads[0].clone();
        for wraps in 1..=most {
            let taken =
                self.divisor_where((&operands, &reads), (1.0, -(wraps as f64), 0.0), label)?;
            left = left.plus(-1.0, &taken);
        }
        for wraps in 0..-least {
            let added =
                self.divisor_where((&operands, &reads), (-1.0, -(wraps as f64), -1.0), label)?;
            left = left.plus(1.0, &added);
        }
        if let Some((slope, offset)) = self.line(wanted)? {
            return Ok(LinearRead::constant(offset).plus(slope, &left));
        }
        let points = numbers.into_iter().zip(function.iter().copied()).collect();
        let stairs = staircase(points).filter(|stairs| 2 * stairs.steps.len() < steps);
        let found = Found {
            argument: left,
            stairs: stairs.ok_or(NotThis)?,
        };
        Ok(self.staircase(found, wanted)?)
    }

    /// Whether it is a remainder of linear reads of what heads write and embeddings hold, which take no
    /// hidden unit.
    pub(super) fn divides_reads(&self, id: Operand) -> bool {
        let is_there = |scalar: &Scalar| matches!(scalar, Scalar::Attention(_) | Scalar::Given(..));
        let is_read = |id: SOpId| {
            let numbers = self.analysis.numbers(id)?;
            let read = self.read(id.into(), &numbers)?;
            read.scalars.keys().all(is_there).then_some(())
        };
        let operands = self.two_of(Op::Remainder, id);
        operands.is_some_and(|(a, b)| is_read(a).and(is_read(b)).is_some())
    }

    /// The divisor where a sum of so many dividends and divisors and a constant is not negative, 0 where
    /// it is.
    fn divisor_where(
        &mut self,
        (operands, [dividend, divisor]): (&Operands, &[LinearRead; 2]),
        (dividends, divisors, constant): (f64, f64, f64),
        label: &str,
    ) -> Result<LinearRead, Stopped> {
        let sum =
            |(dividend, divisor): (f64, f64)| constant + dividends * dividend + divisors * divisor;
        let largest = operands
            .pairs()
            .fold(1.0, |most: f64, pair| most.max(pair.1));
        let read = LinearRead::constant(constant)
            .plus(dividends, dividend)
            .plus(divisors, divisor);
        if self.care.is_careful() {
            let points = operands.pairs().map(|pair| (sum(pair), sum(pair) >= 0.0));
            let bit = self.bit(read, points, &format!("divisors in {label}"))?;
            let gated = LinearRead::constant(-largest)
                .plus(largest, &bit)
                .plus(1.0, divisor);
            let points = operands.pairs().flat_map(|pair| [pair.1, pair.1 - largest]);
            return self.above(0.0, gated, points.collect(), label);
        }
        // Exact in any float.
        let steep = 2f64.powf(largest.log2().ceil());
        let raised = read.clone().scaled(steep).plus(1.0, divisor);
        let points = operands.pairs().map(|pair| steep * sum(pair) + pair.1);
        let mut chosen = self.above(0.0, raised, points.collect(), label)?;
        let sums: Vec<f64> = operands.pairs().map(sum).collect();
        if sums.iter().any(|sum| *sum > 0.0) {
            let above = self.above(0.0, read, sums, label)?;
            chosen = chosen.plus(-steep, &above);
        }
        Ok(chosen)
    }
}
