//! Elementwise primitives mapped over columns. A fault in an operand is a fault of the result,
//! except in the branch of a ternary that a position does not take.

use super::column::{Column, Fault, Faults};
use crate::graph::SOpId;
use crate::value::{Op, Value};
use std::rc::Rc;

/// The column of `op` applied position by position; `sop` is the node it belongs to.
pub fn map(sop: SOpId, op: &Op, operands: &[Rc<Column>], length: usize) -> Column {
    let sound = operands
        .iter()
        .all(|operand| operand.first_fault().is_none());
    if sound
        && operands
            .iter()
            .all(|operand| operand.as_constant().is_some())
    {
        let values: Vec<&Value> = operands.iter().map(|operand| operand.get(0)).collect();
        return match op.apply(&values) {
            Ok(value) => Column::constant(value, length),
            Err(failure) => Column::failed(length, Rc::new(Fault::of_failure(failure, sop, 0))),
        };
    }
    let mut values = Vec::with_capacity(length);
    let mut faults: Vec<(usize, Rc<Fault>)> = Vec::new();
    let cursors = Cursors::new(operands, sound);
    for position in 0..length {
        match value_at(sop, op, operands, &cursors, position) {
            Ok(value) => values.push(value),
            Err(fault) => {
                values.push(Value::Int(0));
                faults.push((position, fault));
            }
        }
    }
    Column::with_faults(values, faults)
}

fn value_at(
    sop: SOpId,
    op: &Op,
    operands: &[Rc<Column>],
    cursors: &Cursors,
    position: usize,
) -> Result<Value, Rc<Fault>> {
    let fetch = |index: usize| -> Result<&Value, Rc<Fault>> {
        match cursors.fault(index, position) {
            Some(fault) => Err(fault.clone()),
            None => Ok(operands[index].get(position)),
        }
    };
    let failed = |failure| Rc::new(Fault::of_failure(failure, sop, position));
    match operands.len() {
        1 => op.apply(&[fetch(0)?]).map_err(failed),
        2 => match (fetch(0), fetch(1)) {
            (Ok(left), Ok(right)) => op.apply(&[left, right]).map_err(failed),
            (left, right) => beyond(op, left, right),
        },
        _ => {
            let taken = if fetch(0)?.truthy() { 1 } else { 2 };
            fetch(taken).cloned()
        }
    }
}

/// Two operands of which one at least has no value. Where a result overflowed and is only compared
/// with an int, its side decides: that lets programs run whose huge numbers do not matter.
fn beyond(
    op: &Op,
    left: Result<&Value, Rc<Fault>>,
    right: Result<&Value, Rc<Fault>>,
) -> Result<Value, Rc<Fault>> {
    let Op::Compare(comparison) = op else {
        return Err(left
            .err()
            .or(right.err())
            .expect("one operand has no value"));
    };
    match (left, right) {
        (Err(fault), Ok(other)) => match fault.beyond {
            Some(side) if other.as_int().is_some() => Ok(Value::Bool(comparison.holds_for(side))),
            _ => Err(fault),
        },
        (Ok(other), Err(fault)) => match fault.beyond {
            Some(side) if other.as_int().is_some() => {
                Ok(Value::Bool(comparison.holds_for(side.reverse())))
            }
            _ => Err(fault),
        },
        (Err(fault), _) => Err(fault),
        (Ok(_), Ok(_)) => unreachable!("one operand has no value"),
    }
}

/// Finds faults by position, at no cost where there are none.
struct Cursors<'a> {
    faults: Vec<&'a [(usize, Rc<Fault>)]>,
}

impl<'a> Cursors<'a> {
    fn new(operands: &'a [Rc<Column>], sound: bool) -> Cursors<'a> {
        if sound {
            return Cursors { faults: Vec::new() };
        }
        let faults = operands
            .iter()
            .map(|operand| match operand.faults() {
                Faults::None => [].as_slice(),
                Faults::Some(faults) => faults.as_slice(),
            })
            .collect();
        Cursors { faults }
    }

    fn fault(&self, operand: usize, position: usize) -> Option<&'a Rc<Fault>> {
        let faults: &'a [(usize, Rc<Fault>)] = self.faults.get(operand)?;
        let at = faults
            .binary_search_by_key(&position, |(position, _)| *position)
            .ok()?;
        Some(&faults[at].1)
    }
}
