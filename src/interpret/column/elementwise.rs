//! Elementwise primitives mapped over columns. A fault in an operand is a fault of the result,
//! except in the branch of a ternary that a position does not take. Columns of one type and
//! without faults are left to `vector`; what it does not do is done here, position by position.

use super::vector;
use super::{Builder, Column, Values};
use crate::graph::SOpId;
use crate::interpret::fault::Fault;
use crate::value::{Op, Value};
use std::sync::Arc;

/// The column of `op` applied position by position; `sop` is the node it belongs to.
pub fn map(sop: SOpId, op: &Op, operands: &[Arc<Column>], length: usize) -> Column {
    let sound = operands
        .iter()
        .all(|operand| operand.first_fault().is_none());
    if sound
        && operands
            .iter()
            .all(|operand| matches!(operand.values(), Values::Constant(_)))
    {
        let values: Vec<Value> = operands.iter().map(|operand| operand.get(0)).collect();
        return match op.apply(&values.iter().collect::<Vec<_>>()) {
            Ok(value) => Column::constant(value, length),
            Err(failure) => Column::failed(length, Arc::new(Fault::of_failure(failure, sop, 0))),
        };
    }
    if sound && let Some(column) = vector::map(op, operands, length) {
        return column;
    }
    let mut builder = Builder::new(length);
    for position in 0..length {
        builder.add(value_at(sop, op, operands, position));
    }
    builder.finish()
}

fn value_at(
    sop: SOpId,
    op: &Op,
    operands: &[Arc<Column>],
    position: usize,
) -> Result<Value, Arc<Fault>> {
    let fetch = |index: usize| -> Result<Value, Arc<Fault>> {
        match operands[index].faults().at(position) {
            Some(fault) => Err(fault.clone()),
            None => Ok(operands[index].get(position)),
        }
    };
    let failed = |failure| Arc::new(Fault::of_failure(failure, sop, position));
    match operands.len() {
        1 => op.apply(&[&fetch(0)?]).map_err(failed),
        2 => match (fetch(0), fetch(1)) {
            (Ok(left), Ok(right)) => op.apply(&[&left, &right]).map_err(failed),
            (left, right) => beyond(op, left, right),
        },
        _ => {
            let taken = if fetch(0)?.truthy() { 1 } else { 2 };
            fetch(taken)
        }
    }
}

/// Two operands of which one at least has no value. Where a result overflowed and is only compared
/// with an int, its side decides: that lets programs run whose huge numbers do not matter.
fn beyond(
    op: &Op,
    left: Result<Value, Arc<Fault>>,
    right: Result<Value, Arc<Fault>>,
) -> Result<Value, Arc<Fault>> {
    let compared = |side: std::cmp::Ordering| {
        if let Op::Compare(comparison) = op {
            Some(Value::Bool(comparison.holds_for(side)))
        } else {
            None
        }
    };
    let (decided, fault) = match (left, right) {
        (Err(fault), Ok(other)) => {
            let side = fault.beyond().filter(|_| other.as_int().is_some());
            (side.and_then(compared), fault)
        }
        (Ok(other), Err(fault)) => {
            let side = fault.beyond().filter(|_| other.as_int().is_some());
            (side.and_then(|side| compared(side.reverse())), fault)
        }
        (Err(fault), Err(_)) => (None, fault),
        (Ok(_), Ok(_)) => unreachable!("one operand has no value"),
    };
    decided.ok_or(fault)
}
