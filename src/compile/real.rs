//! Results that are real numbers. No table lists the values of some means, so that nothing may
//! compare or tabulate them; means, sums, differences and multiples of them are linear reads of the
//! residual stream, and the readout gives the number as it is.

use super::linear::STACK;
use super::linear_read::{LinearRead, Scalar};
use super::readout::Output;
use super::{Compiler, Want};
use crate::graph::{SOp, SOpId};
use crate::infer::Stopped;
use crate::model::Decoder;
use crate::value::Op;

impl Compiler<'_> {
    /// The result as a linear function of means.
    ///
    /// # Errors
    /// `stopped`, why the values of the result are not known, if it is no such function.
    pub(super) fn real_root(&mut self, root: SOpId, stopped: Stopped) -> Result<Output, Stopped> {
        let culprit = stopped.culprit;
        if culprit.is_none_or(|id| self.analysis.real(id).is_none()) {
            return Err(stopped);
        }
        let Some(read) = self.real(root)? else {
            return Err(stopped);
        };
        self.demand(&read, &self.name(root))?;
        Ok(Output::new(read, Decoder::Numerical(Vec::new())))
    }

    /// A number minus another, listed or real.
    ///
    /// # Errors
    /// Why its values are not known, if it is no linear function of means either.
    pub(super) fn real_number(&mut self, id: SOpId, minus: f64) -> Result<LinearRead, Stopped> {
        let stopped = match self.analysis.node(id) {
            Ok(_) => return self.number(id, minus),
            Err(stopped) => stopped,
        };
        let read = self.real(id)?.ok_or(stopped)?;
        Ok(read.plus(-1.0, &LinearRead::constant(minus)))
    }

    fn real(&mut self, id: SOpId) -> Result<Option<LinearRead>, Stopped> {
        if let Some(known) = self.reals.get(&id) {
            return Ok(known.clone());
        }
        let read = stacker::maybe_grow(STACK, 16 * STACK, || self.real_by_shape(id))?;
        self.reals.insert(id, read.clone());
        Ok(read)
    }

    fn real_by_shape(&mut self, id: SOpId) -> Result<Option<LinearRead>, Stopped> {
        if let Some(var) = self.analysis.real(id) {
            return Ok(Some(LinearRead::scalar(Scalar::Attention(var))));
        }
        if let Ok(node) = self.analysis.node(id) {
            let Some(numbers) = node.column.values.numbers() else {
                return Ok(None);
            };
            return self
                .feature(id, &numbers, Want::Close, &self.name(id))
                .map(Some);
        }
        let formula = self.analysis.formula(id);
        let SOp::Map { op, operands } = self.analysis.graph.get(formula) else {
            return Ok(None);
        };
        match (op, operands.as_slice()) {
            (Op::Add, [a, b]) => self.real_sum(*a, *b, 1.0),
            (Op::Subtract, [a, b]) => self.real_sum(*a, *b, -1.0),
            (Op::Negate, [a]) => self.real_multiple(*a, Some(-1.0)),
            (Op::Plus | Op::ToFloat, [a]) => self.real(*a),
            (Op::Multiply, [a, b]) => match (self.only_number(*a), self.only_number(*b)) {
                (None, factor) => self.real_multiple(*a, factor),
                (factor, _) => self.real_multiple(*b, factor),
            },
            (Op::Divide, [a, b]) => {
                let divisor = self.only_number(*b).filter(|divisor| *divisor != 0.0);
                self.real_multiple(*a, divisor.map(|divisor| 1.0 / divisor))
            }
            _ => Ok(None),
        }
    }

    fn real_sum(&mut self, a: SOpId, b: SOpId, factor: f64) -> Result<Option<LinearRead>, Stopped> {
        let (Some(a), Some(b)) = (self.real(a)?, self.real(b)?) else {
            return Ok(None);
        };
        Ok(Some(a.plus(factor, &b)))
    }

    fn real_multiple(
        &mut self,
        id: SOpId,
        factor: Option<f64>,
    ) -> Result<Option<LinearRead>, Stopped> {
        let Some(factor) = factor.filter(|factor| factor.is_finite()) else {
            return Ok(None);
        };
        Ok(self.real(id)?.map(|read| read.scaled(factor)))
    }
}
