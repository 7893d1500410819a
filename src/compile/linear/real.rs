//! Real numbers. No table lists the values of some means, so that nothing may tabulate them. Means, sums,
//! differences and multiples of them are linear reads of the residual stream; a choice between two that
//! are equal where it turns is a hidden unit, as `x if x > 0 else 0` is; another one is a unit for each that
//! a bit silences, and so is a product by one of a few numbers; and the readout gives the number as it is.

use super::by_shape::STACK;
use super::{LinearRead, Scalar};
use crate::compile::emit::readout::Output;
use crate::compile::feature::units::RAMP;
use crate::compile::way::{NotThis, Way, tried};
use crate::compile::{Compiler, Range, Want, ones_where, range_of};
use crate::graph::{SOp, SOpId};
use crate::infer::space::VarId;
use crate::infer::{Stopped, VarKind};
use crate::model::Decoder;
use crate::plan::outputs;
use crate::value::{Comparison, Op};

/// How much wider ranges are than what is computed in floats, as a share: models are off by less.
const MARGIN: f64 = 1e-3;

/// A product by one of more numbers, as there are digits, is not looked into.
pub const MOST_FACTORS: usize = 10;

/// Coefficients that differ by less, as a share, are equal.
const NEAR: f64 = 1e-12;

impl Compiler<'_> {
    /// The result as a linear function of means.
    ///
    /// # Errors
    /// `stopped`, why the values of the result are not known, if it is no such function.
    pub(crate) fn real_root(&mut self, root: SOpId, stopped: Stopped) -> Result<Output, Stopped> {
        let culprit = stopped.culprit;
        if culprit.is_none_or(|id| self.analysis.real(id).is_none()) {
            return Err(stopped);
        }
        let read = tried(self.real(root))?.ok_or(stopped)?;
        self.demand(&read, &self.name(root))?;
        Ok(Output::new(read, Decoder::Numerical(Vec::new())))
    }

    /// A number minus another, listed or real.
    ///
    /// # Errors
    /// Why its values are not known, if it is no linear function of means either.
    pub(crate) fn real_number(&mut self, id: SOpId, minus: f64) -> Result<LinearRead, Stopped> {
        let stopped = match self.analysis.node(id) {
            Ok(_) => return self.number(id, minus),
            Err(stopped) => stopped,
        };
        let read = tried(self.real(id))?.ok_or(stopped)?;
        Ok(read.plus(-1.0, &LinearRead::constant(minus)))
    }

    fn real(&mut self, id: SOpId) -> Way {
        if let Some(known) = self.reals.get(&id) {
            return known.clone().ok_or(NotThis);
        }
        let read = stacker::maybe_grow(STACK, 16 * STACK, || self.real_by_shape(id));
        let read = tried(read)?;
        self.reals.insert(id, read.clone());
        read.ok_or(NotThis)
    }

    fn real_by_shape(&mut self, id: SOpId) -> Way {
        if let Some(var) = self.analysis.real(id) {
            return Ok(LinearRead::scalar(Scalar::Attention(var)));
        }
        if let Ok(node) = self.analysis.node(id) {
            return match node.column.values.numbers() {
                Some(_) => Ok(self.wanted_number(id.into(), 0.0, Want::Real)?),
                None => Err(NotThis),
            };
        }
        let formula = self.analysis.formula(id);
        let SOp::Map { op, operands } = self.analysis.graph.get(formula) else {
            return Err(NotThis);
        };
        match (op, operands.as_slice()) {
            (Op::Add, [a, b]) => self.real_sum(*a, *b, 1.0),
            (Op::Subtract, [a, b]) => self.real_sum(*a, *b, -1.0),
            (Op::Negate, [a]) => self.real_multiple(*a, Some(-1.0)),
            (Op::Plus | Op::ToFloat, [a]) => self.real(*a),
            (Op::Multiply, [a, b]) => match (self.only_number(*a), self.only_number(*b)) {
                (None, None) => match self.analysis.node(*a).is_ok() {
                    true => self.real_product(*b, *a),
                    false => self.real_product(*a, *b),
                },
                (None, factor) => self.real_multiple(*a, factor),
                (factor, _) => self.real_multiple(*b, factor),
            },
            (Op::Divide, [a, b]) => {
                let divisor = self.only_number(*b).filter(|divisor| *divisor != 0.0);
                self.real_multiple(*a, divisor.map(|divisor| 1.0 / divisor))
            }
            (Op::If, [condition, then, otherwise]) => match self.analysis.node(*condition) {
                Ok(_) => self.chosen_by(*condition, [*then, *otherwise]),
                Err(_) => self.choice(formula, *condition, (*then, *otherwise)),
            },
            _ => Err(NotThis),
        }
    }

    /// A choice between two numbers by a comparison of two, if it is continuous: where it turns the two
    /// are equal, so that their difference is a multiple of that of what is compared.
    fn choice(&mut self, id: SOpId, condition: SOpId, (then, otherwise): (SOpId, SOpId)) -> Way {
        let (comparison, [left, right]) = self.compared(condition).ok_or(NotThis)?;
        let (left, right) = (self.real(left)?, self.real(right)?);
        let (then, otherwise) = (self.real(then)?, self.real(otherwise)?);
        let compared = left.plus(-1.0, &right);
        let chosen = then.clone().plus(-1.0, &otherwise);
        let factor = multiple(&chosen, &compared).ok_or(NotThis)?;
        let (compared, factor) = match comparison {
            Comparison::Greater | Comparison::GreaterEqual => (compared, factor),
            Comparison::Less | Comparison::LessEqual => (compared.scaled(-1.0), -factor),
            Comparison::Equal => return Ok(otherwise),
            Comparison::NotEqual => return Ok(then),
        };
        let positive = self.positive_part(compared, id)?;
        Ok(otherwise.plus(factor, &positive))
    }

    /// A choice between two numbers by a condition whose values are listed.
    fn chosen_by(&mut self, condition: SOpId, [then, otherwise]: [SOpId; 2]) -> Way {
        let values = &self.analysis.node(condition)?.column.values.domain;
        let holds = ones_where(values.len(), |at| values[at].truthy());
        match (holds.contains(&1.0), holds.contains(&0.0)) {
            (true, false) => return self.real(then),
            (false, true) => return self.real(otherwise),
            (true, true) | (false, false) => {}
        }
        let (then, otherwise) = (self.real(then)?, self.real(otherwise)?);
        let label = self.name(condition);
        let holds = self.feature(condition, &holds, Want::Snapped, &label)?;
        let fails = LinearRead::constant(1.0).plus(-1.0, &holds);
        let chosen = self.where_held(&then, &holds, &label)?;
        Ok(chosen.plus(1.0, &self.where_held(&otherwise, &fails, &label)?))
    }

    /// A real number times one of a few numbers: for each of these a part that is silent where it is another.
    fn real_product(&mut self, real: SOpId, of_few: SOpId) -> Way {
        let numbers = match self.analysis.node(of_few) {
            Ok(node) => node.column.values.numbers(),
            Err(_) => None,
        };
        let numbers = numbers.filter(|numbers| numbers.len() <= MOST_FACTORS);
        let numbers = numbers.ok_or(NotThis)?;
        let read = self.real(real)?;
        let label = self.name(of_few);
        let mut product = LinearRead::default();
        for number in numbers.iter().filter(|number| **number != 0.0) {
            let is_it = ones_where(numbers.len(), |at| numbers[at] == *number);
            let holds = self.feature(of_few, &is_it, Want::Snapped, &label)?;
            product = product.plus(*number, &self.where_held(&read, &holds, &label)?);
        }
        Ok(product)
    }

    /// A number where a bit is 1, and 0 where it is 0: what it is above its least is one hidden unit, which is
    /// silent where the bit takes away all of that.
    fn where_held(
        &mut self,
        read: &LinearRead,
        bit: &LinearRead,
        label: &str,
    ) -> Result<LinearRead, Stopped> {
        let (least, most) = self.range(read)?;
        let points = ends((2.0 * least - most, most));
        self.where_set(read, bit, (least, most), points, label)
    }

    /// A number where it is above 0, and 0 elsewhere: one hidden unit.
    fn positive_part(&mut self, read: LinearRead, id: SOpId) -> Result<LinearRead, Stopped> {
        let range = self.range(&read)?;
        if range.0 >= 0.0 {
            return Ok(read);
        }
        if range.1 <= 0.0 {
            return Ok(LinearRead::default());
        }
        let label = self.name(id);
        let argument = self.argument(read, ends(range), &label)?;
        Ok(self.units(argument, vec![RAMP], &label, Some(id.into())))
    }

    fn real_sum(&mut self, a: SOpId, b: SOpId, factor: f64) -> Way {
        Ok(self.real(a)?.plus(factor, &self.real(b)?))
    }

    fn real_multiple(&mut self, id: SOpId, factor: Option<f64>) -> Way {
        let factor = factor.filter(|factor| factor.is_finite()).ok_or(NotThis)?;
        Ok(self.real(id)?.scaled(factor))
    }

    /// The least and the greatest number that a linear read can give at a token, or less and more.
    ///
    /// # Errors
    /// It reads what is not bounded.
    pub(crate) fn range(&mut self, read: &LinearRead) -> Result<Range, Stopped> {
        let mut sum = (read.constant, read.constant);
        let add = |sum: &mut Range, (low, high): Range| *sum = (sum.0 + low, sum.1 + high);
        for values in read.functions.values() {
            add(&mut sum, range_of(values.iter().copied()));
        }
        for (scalar, factor) in &read.scalars {
            let range = self.range_of_scalar(*scalar)?;
            add(&mut sum, product_range((*factor, *factor), range));
        }
        let (low, high) = sum;
        let margin = MARGIN * (high - low);
        Ok((low - margin, high + margin))
    }

    fn range_of_scalar(&mut self, scalar: Scalar) -> Result<Range, Stopped> {
        match scalar {
            Scalar::Attention(var) if self.analysis.is_real(var) => self.range_of_mean(var),
            Scalar::Attention(var) => {
                let numbers = self.analysis.values(var).numbers().unwrap_or_default();
                Ok(range_of(numbers.into_iter()))
            }
            Scalar::Computed(feature) => {
                let feature = &self.features[feature];
                let points = &self.arguments[feature.argument].points;
                Ok(range_of(outputs(&feature.units, points).into_iter()))
            }
            Scalar::Inverse(..) | Scalar::First | Scalar::Share(_) => Ok((0.0, 1.0)),
            Scalar::Count(_) => Ok((0.0, self.analysis.setting.max_length as f64)),
            Scalar::Given(var, _) => {
                let default = self.default_number(var);
                let (low, high) = self.range_of_scalar(Scalar::Attention(var))?;
                Ok((low - default, high - default))
            }
        }
    }

    /// A mean is where its values are, or its default.
    fn range_of_mean(&mut self, var: VarId) -> Result<Range, Stopped> {
        if let Some(known) = self.ranges.get(&var) {
            return Ok(*known);
        }
        let kind = self.analysis.kind(var);
        let (VarKind::Mean(id) | VarKind::Weighted(id)) = kind else {
            unreachable!("real numbers are means");
        };
        let Some(value) = self.analysis.graph.get(id).moved() else {
            unreachable!("means are of what is moved");
        };
        let default = self.default_number(var);
        // A mean of means is as deep as the program is written.
        let (low, high) = stacker::maybe_grow(STACK, 16 * STACK, || {
            let read = self.real_number(value, 0.0)?;
            self.range(&read)
        })?;
        let range = (low.min(default), high.max(default));
        self.ranges.insert(var, range);
        Ok(range)
    }

    /// Whether a linear read reads a real number.
    pub(crate) fn reads_real(&self, read: &LinearRead) -> bool {
        read.scalars.keys().any(|scalar| match scalar {
            Scalar::Attention(var) | Scalar::Given(var, _) => self.analysis.is_real(*var),
            Scalar::Computed(feature) => self.arguments[self.features[*feature].argument].is_real,
            Scalar::Inverse(..) | Scalar::Count(_) | Scalar::First | Scalar::Share(_) => false,
        })
    }
}

/// The ends of a range.
pub(crate) fn ends((low, high): Range) -> Vec<f64> {
    vec![low, high]
}

/// Where the products of numbers of two ranges are.
pub(crate) fn product_range(one: Range, other: Range) -> Range {
    let corners = [
        one.0 * other.0,
        one.0 * other.1,
        one.1 * other.0,
        one.1 * other.1,
    ];
    range_of(corners.into_iter())
}

/// The factor by which one linear read is another; `None` if it is no multiple.
fn multiple(read: &LinearRead, of: &LinearRead) -> Option<f64> {
    let numbers = |read: &LinearRead| {
        let functions = read.functions.values().flatten().copied();
        let mut numbers: Vec<f64> = functions.chain(read.scalars.values().copied()).collect();
        numbers.push(read.constant);
        numbers
    };
    let is_zero = |read: &LinearRead| numbers(read).iter().all(|number| *number == 0.0);
    if is_zero(read) {
        return Some(0.0);
    }
    let same =
        read.functions.keys().eq(of.functions.keys()) && read.scalars.keys().eq(of.scalars.keys());
    let (numbers, others) = (numbers(read), numbers(of));
    let pairs = || numbers.iter().zip(&others);
    let (number, other) = pairs().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
    let factor = number / other;
    let size = numbers
        .iter()
        .fold(0.0f64, |most, number| most.max(number.abs()));
    let near = |(number, other): (&f64, &f64)| (number - factor * other).abs() <= NEAR * size;
    (same && factor.is_finite() && pairs().all(near)).then_some(factor)
}
