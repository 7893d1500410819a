//! S-ops that are linear reads by their shape: sums, differences and multiples of what the
//! residual stream holds. No feed-forward block computes these (Tracr's `LinearSequenceMap`, and
//! its maps on one-hot variables, take a layer each).

use super::{LinearRead, Scalar};
use crate::compile::Compiler;
use crate::graph::{SOp, SOpId};
use crate::infer::space::VarId;
use crate::infer::{Operand, VarKind};
use crate::value::Op;

/// Stack that must be left before a recursion goes on, in bytes.
pub(crate) const STACK: usize = 128 * 1024;

impl Compiler<'_> {
    /// The s-op as a linear read, if it is a number and linear by its shape.
    pub(crate) fn linear(&self, id: impl Into<Operand>) -> Option<LinearRead> {
        let id = id.into();
        if let Some(known) = self.linear.borrow().get(&id) {
            return known.clone();
        }
        // Long chains of additions are deep.
        let read = stacker::maybe_grow(STACK, 16 * STACK, || self.linear_by_shape(id));
        self.linear.borrow_mut().insert(id, read.clone());
        read
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "no other primitive is linear"
    )]
    fn linear_by_shape(&self, id: Operand) -> Option<LinearRead> {
        let node = self.analysis.node(id).ok()?;
        let numbers = node.column.values.numbers()?;
        if let [only] = numbers.as_slice() {
            return Some(LinearRead::constant(*only));
        }
        if let Some(var) = node.own {
            return Some(self.whole(var, &numbers));
        }
        if let [var] = *node.column.space.vars
            && self.is_categorical(var)
        {
            let values = (0..node.column.space.rows()).map(|row| {
                let cell = node.column.cells[row] as usize;
                (node.column.space.row(row)[0], numbers.get(cell).copied())
            });
            let mut function = vec![0.0; self.analysis.values(var).domain.len()];
            for (value, number) in values {
                function[value as usize] = number.unwrap_or(0.0);
            }
            return Some(LinearRead::function(var, function));
        }
        let SOp::Map { op, operands } = self.analysis.shape(id)? else {
            return None;
        };
        let operand = |at: usize| self.linear(operands[at]);
        match op {
            Op::Add => Some(operand(0)?.plus(1.0, &operand(1)?)),
            Op::Subtract => Some(operand(0)?.plus(-1.0, &operand(1)?)),
            Op::Negate => Some(operand(0)?.scaled(-1.0)),
            Op::Plus | Op::ToFloat => operand(0),
            Op::Multiply => match (self.only_number(operands[0]), self.only_number(operands[1])) {
                (Some(factor), _) => Some(operand(1)?.scaled(factor)),
                (None, Some(factor)) => Some(operand(0)?.scaled(factor)),
                (None, None) => None,
            },
            Op::Divide => Some(operand(0)?.scaled(1.0 / self.only_number(operands[1])?)),
            _ => None,
        }
    }

    /// The only value of an s-op, if that is a number.
    pub(crate) fn only_number(&self, id: impl Into<Operand>) -> Option<f64> {
        match self.analysis.numbers(id)?.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// A variable's value as a linear read; `numbers` are those of its domain.
    pub(crate) fn whole(&self, var: VarId, numbers: &[f64]) -> LinearRead {
        if self.is_categorical(var) {
            LinearRead::function(var, numbers.to_vec())
        } else if let VarKind::Total { left, right, less } = self.analysis.kind(var) {
            let sign = if less { -1.0 } else { 1.0 };
            self.summand(left).plus(sign, &self.summand(right))
        } else if let Some(selector) = self.inverted(var) {
            LinearRead::scalar(Scalar::Count(selector))
        } else {
            LinearRead::scalar(Scalar::Attention(var))
        }
    }

    /// Whether a variable is a sum that is read as its parts.
    pub(crate) fn is_total(&self, var: VarId) -> bool {
        matches!(self.analysis.kind(var), VarKind::Total { .. })
    }

    /// A part of a total: by its shape, or as a variable of its own.
    fn summand(&self, id: SOpId) -> LinearRead {
        let computed = || {
            let var = self.analysis.materialised(id)?;
            Some(self.whole(var, &self.analysis.values(var).numbers()?))
        };
        // Totals are made of numbers, and of variables.
        self.linear(id).or_else(computed).unwrap_or_default()
    }

    /// Whether readers may ask for any function of the variable.
    pub(crate) fn is_categorical(&self, var: VarId) -> bool {
        match self.analysis.kind(var) {
            VarKind::Tokens
            | VarKind::Indices
            | VarKind::Given(_)
            | VarKind::Pick(_)
            | VarKind::Materialised(_) => true,
            VarKind::Width(_)
            | VarKind::Sum(_)
            | VarKind::Mean(_)
            | VarKind::Weighted(_)
            | VarKind::Total { .. } => false,
        }
    }
}

/// `function = slope · number + offset` on every value, if it is.
pub(crate) fn affine(numbers: &Option<Vec<f64>>, function: &[f64]) -> Option<(f64, f64)> {
    let numbers = numbers.as_ref()?;
    let (first, zero) = (*numbers.first()?, *function.first()?);
    let other = numbers
        .iter()
        .zip(function)
        .find(|(number, _)| **number != first);
    let slope = other.map_or(0.0, |(number, value)| (value - zero) / (number - first));
    let offset = zero - slope * first;
    let holds = |(number, value): (&f64, &f64)| (slope * number + offset - value).abs() <= 1e-12;
    numbers
        .iter()
        .zip(function)
        .all(holds)
        .then_some((slope, offset))
}
