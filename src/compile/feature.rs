//! Features: one number at each position that a reader wants of an s-op, given by a number for
//! each of its values. A feature is a linear read if there is one, otherwise the output of one
//! hidden layer; chains of elementwise s-ops are fused, since the table is over their variables.

use super::axis::Axis;
use super::form::{Form, Scalar};
use super::linear::STACK;
use super::search::{self, Found};
use super::{Compiler, Feature, bits};
use crate::base::Code;
use crate::graph::{Encoding, SOp, SOpId};
use crate::infer::space::{Column, Space};
use crate::infer::{SMALLER, Stopped};
use crate::value::Op;

impl Compiler<'_> {
    /// The feature with the value `function[v]` where the s-op has the value number `v`. A `snap`
    /// feature has no noise: it reads the embeddings or is computed by steps.
    pub(super) fn feature(
        &mut self,
        id: SOpId,
        function: &[f64],
        snap: bool,
        label: &str,
    ) -> Result<Form, Stopped> {
        let key = (id, bits(function), snap);
        if let Some(form) = self.known.get(&key) {
            return Ok(form.clone());
        }
        let form = self.new_feature(id, function, snap, label)?;
        self.known.insert(key, form.clone());
        Ok(form)
    }

    fn new_feature(
        &mut self,
        id: SOpId,
        function: &[f64],
        snap: bool,
        label: &str,
    ) -> Result<Form, Stopped> {
        Stopped::if_interrupted()?;
        if function.is_empty() {
            // The s-op fails on every input, so nothing reads this.
            return Ok(Form::default());
        }
        if let Some(form) = self.read(id, function)
            && (!snap || self.is_clean(&form))
        {
            return Ok(form);
        }
        if let Some(form) = self.by_value(id, function, snap)? {
            return Ok(form);
        }
        if !snap && let Some(form) = self.sum(id, function)? {
            return Ok(form);
        }
        let node = self.analysis.node(id)?.clone();
        let target = targets(&node.column, function);
        let space = &node.column.space;
        let axes = self.axes(id, space, &target);
        let all: Vec<usize> = space
            .vars
            .iter()
            .filter_map(|var| axes.iter().rposition(|axis| axis.form.reads_only(*var)))
            .collect();
        if let Some(found) = search::search(&axes, &all, &target) {
            return Ok(self.computed(found, label));
        }
        // As deep as the program is written.
        let form = stacker::maybe_grow(STACK, 16 * STACK, || {
            self.through_operands(id, function, label)
        })?;
        form.ok_or_else(|| Stopped {
            culprit: self.analysis.sop(id).map(|_| id),
            ..Stopped::new(
                Code::NotCompilable,
                "no hidden layer was found that computes this exactly".to_string(),
            )
            .help(SMALLER)
        })
    }

    /// A sum or a difference as that of its operands, each computed by itself: never deeper than a
    /// hidden layer that computes it from their variables, and mostly of fewer steps.
    fn sum(&mut self, id: SOpId, function: &[f64]) -> Result<Option<Form>, Stopped> {
        let Some(SOp::Map { op, operands }) = self.analysis.sop(id) else {
            return Ok(None);
        };
        let sign = match op {
            Op::Add => 1.0,
            Op::Subtract => -1.0,
            _ => return Ok(None),
        };
        let (a, b) = (operands[0], operands[1]);
        let column = &self.analysis.node(id)?.column;
        if column.space.vars.len() < 2 {
            return Ok(None);
        }
        let Some((slope, offset)) = affine(&column.values.numbers(), function) else {
            return Ok(None);
        };
        // As deep as the program is written.
        let sum = stacker::maybe_grow(STACK, 16 * STACK, || {
            Ok(self.number(a, 0.0)?.plus(sign, &self.number(b, 0.0)?))
        })?;
        Ok(Some(Form::constant(offset).plus(slope, &sum)))
    }

    /// The feature from its operands, each computed first: a layer more, but a far smaller table.
    fn through_operands(
        &mut self,
        id: SOpId,
        function: &[f64],
        label: &str,
    ) -> Result<Option<Form>, Stopped> {
        let Some(operands) = self.operands(id).map(<[SOpId]>::to_vec) else {
            return Ok(None);
        };
        let node = self.analysis.node(id)?.clone();
        let target = targets(&node.column, function);
        let mut axes = Vec::with_capacity(operands.len());
        for operand in operands {
            match self.computed_axis(operand, &node.column.space, &target)? {
                Some(axis) => axes.push(axis),
                None => return Ok(None),
            }
        }
        let all: Vec<usize> = (0..axes.len()).collect();
        Ok(search::search(&axes, &all, &target).map(|found| self.computed(found, label)))
    }

    /// An s-op as an axis, computed if it is no linear read; `None` if it has no value in some row
    /// of the space where the target has one.
    fn computed_axis(
        &mut self,
        id: SOpId,
        space: &Space,
        target: &[f64],
    ) -> Result<Option<Axis>, Stopped> {
        let seen = self.analysis.node(id)?.seen.clone();
        let known = |var| space.vars.binary_search(var).is_ok();
        if !seen.space.vars.iter().all(known) {
            return Ok(None);
        }
        let numbers = match seen.values.numbers() {
            Some(numbers) => numbers,
            None => (0..seen.values.domain.len()).map(|at| at as f64).collect(),
        };
        let mut values = Vec::with_capacity(target.len());
        for (row, wanted) in space.project(&seen.space).iter().zip(target) {
            match numbers.get(seen.cells[*row as usize] as usize) {
                Some(number) => values.push(*number),
                None if wanted.is_nan() => values.push(0.0),
                None => return Ok(None),
            }
        }
        let label = self.name(id);
        let form = self.feature(id, &numbers, false, &label)?;
        Ok(Some(Axis::new(values, form)))
    }

    /// The feature as a combination of a direction for each value but the first, where the program
    /// asks for those with `categorical(…)`; a function that is one of these directions is not.
    fn by_value(
        &mut self,
        id: SOpId,
        function: &[f64],
        snap: bool,
    ) -> Result<Option<Form>, Stopped> {
        if self.analysis.graph.encoding(id) != Some(Encoding::Categorical) {
            return Ok(None);
        }
        let mut others = function.iter().filter(|number| **number != 0.0);
        if (others.next(), others.next()) == (Some(&1.0), None) {
            return Ok(None);
        }
        let domain = self.analysis.node(id)?.column.values.domain.clone();
        let first = function.first().copied().unwrap_or(0.0);
        let mut form = Form::constant(first);
        for (at, number) in function.iter().enumerate().skip(1) {
            let one = |value| f64::from(u8::from(value == at));
            let indicator: Vec<f64> = (0..function.len()).map(one).collect();
            let label = format!("{} = {}", self.name(id), domain[at].source());
            let direction = self.feature(id, &indicator, snap, &label)?;
            form = form.plus(number - first, &direction);
        }
        Ok(Some(form))
    }

    /// The feature as a linear read, if it is one.
    pub(super) fn read(&self, id: SOpId, function: &[f64]) -> Option<Form> {
        let node = self.analysis.node(id).ok()?;
        if let Some((slope, offset)) = affine(&node.column.values.numbers(), function)
            && let Some(form) = self.linear(id)
        {
            return Some(Form::constant(offset).plus(slope, &form));
        }
        self.additive(id, function)
    }

    fn computed(&mut self, found: Found, label: &str) -> Form {
        let Found { argument, stairs } = found;
        if stairs.steps.is_empty() {
            return Form::constant(stairs.first);
        }
        let key = argument.key();
        let argument = self.arguments.get_index_of(&key).unwrap_or_else(|| {
            self.demand(&argument, label);
            self.arguments.insert(key, (argument, stairs.centre));
            self.arguments.len() - 1
        });
        let centre = Form::constant(stairs.value_at(self.arguments[argument].1));
        let steps = stairs.steps.iter();
        let steps = Vec::from_iter(steps.flat_map(|step| [step.middle, step.slope, step.change]));
        let entry = self.features.entry((argument, bits(&steps)));
        let index = entry.index();
        entry.or_insert_with(|| Feature {
            label: label.to_string(),
            argument,
            stairs,
        });
        centre.plus(1.0, &Form::scalar(Scalar::Computed(index)))
    }
}

/// What a function of an s-op's values is in each row of its table; NaN where it fails.
fn targets(column: &Column, function: &[f64]) -> Vec<f64> {
    let cells = column.cells.iter();
    cells
        .map(|cell| function.get(*cell as usize).copied().unwrap_or(f64::NAN))
        .collect()
}

/// `function = slope · number + offset` on every value, if it is.
fn affine(numbers: &Option<Vec<f64>>, function: &[f64]) -> Option<(f64, f64)> {
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
