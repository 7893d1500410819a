//! Results that are real numbers. No table lists the values of a weighted mean, so that nothing may
//! compare or tabulate them; sums, differences and multiples of them are linear reads of the
//! residual stream, and the readout gives the number as it is.

use super::Compiler;
use super::form::{Form, Scalar};
use super::linear::STACK;
use super::readout::Output;
use crate::graph::{SOp, SOpId};
use crate::infer::Stopped;
use crate::model::Decoder;
use crate::value::Op;

impl Compiler<'_> {
    /// The result as a linear function of weighted means.
    ///
    /// # Errors
    /// `stopped`, why the values of the result are not known, if it is no such function.
    pub(super) fn real_root(&mut self, root: SOpId, stopped: Stopped) -> Result<Output, Stopped> {
        let of_weights = stopped
            .culprit
            .is_some_and(|id| self.analysis.weighted(id).is_some());
        let form = if of_weights { self.real(root)? } else { None };
        let Some(form) = form else {
            return Err(stopped);
        };
        self.demand(&form, &self.name(root));
        Ok(Output {
            form,
            decoder: Decoder::Numerical(Vec::new()),
        })
    }

    fn real(&mut self, id: SOpId) -> Result<Option<Form>, Stopped> {
        if let Some(known) = self.reals.get(&id) {
            return Ok(known.clone());
        }
        let form = stacker::maybe_grow(STACK, 16 * STACK, || self.real_by_shape(id))?;
        self.reals.insert(id, form.clone());
        Ok(form)
    }

    fn real_by_shape(&mut self, id: SOpId) -> Result<Option<Form>, Stopped> {
        if let Some(facts) = self.analysis.weighted(id) {
            return Ok(Some(Form::scalar(Scalar::Attention(facts.var))));
        }
        if let Ok(node) = self.analysis.node(id) {
            let Some(numbers) = node.column.values.numbers() else {
                return Ok(None);
            };
            return self.feature(id, &numbers, false, &self.name(id)).map(Some);
        }
        let SOp::Map { op, operands } = self.analysis.graph.get(id) else {
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

    fn real_sum(&mut self, a: SOpId, b: SOpId, factor: f64) -> Result<Option<Form>, Stopped> {
        let (Some(a), Some(b)) = (self.real(a)?, self.real(b)?) else {
            return Ok(None);
        };
        Ok(Some(a.plus(factor, &b)))
    }

    fn real_multiple(&mut self, id: SOpId, factor: Option<f64>) -> Result<Option<Form>, Stopped> {
        let Some(factor) = factor.filter(|factor| factor.is_finite()) else {
            return Ok(None);
        };
        Ok(self.real(id)?.map(|form| form.scaled(factor)))
    }
}
