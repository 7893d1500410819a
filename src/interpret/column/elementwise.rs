//! Elementwise primitives mapped over columns. A fault in an operand is a fault of the result,
//! except in the branch of a ternary that a position does not take. Columns of one type and
//! without faults are left to `vector`; what it does not do is done here, position by position.

use super::vector;
use super::{Column, Values};
use crate::graph::SOpId;
use crate::interpret::fault::Fault;
use crate::value::{Op, Value};
use std::sync::Arc;

/// The column of `op` applied position by position, for one who asks whether it fails, not why.
pub fn map(op: &Op, operands: &[Arc<Column>], length: usize) -> Column {
    map_of(SOpId(0), op, (&[], operands), length)
}

/// The same of an s-op, whose operands are s-ops too.
pub fn map_of(
    sop: SOpId,
    op: &Op,
    (ids, operands): (&[SOpId], &[Arc<Column>]),
    length: usize,
) -> Column {
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
    let values = (0..length).map(|position| value_at(sop, op, (ids, operands), position));
    values.collect()
}

fn value_at(
    sop: SOpId,
    op: &Op,
    (ids, operands): (&[SOpId], &[Arc<Column>]),
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
            (left, right) => beyond(op, ids, [left, right]),
        },
        _ => {
            let taken = if fetch(0)?.truthy() { 1 } else { 2 };
            fetch(taken)
        }
    }
}

/// Two operands of which one at least has no value. Where an operand itself overflowed, not something that it
/// is made of, and is only compared with an int, its side decides: that lets programs run whose huge numbers
/// do not matter.
fn beyond(
    op: &Op,
    ids: &[SOpId],
    [left, right]: [Result<Value, Arc<Fault>>; 2],
) -> Result<Value, Arc<Fault>> {
    let decided = |at: usize, fault: &Fault, other: &Value| {
        let Op::Compare(comparison) = op else {
            return None;
        };
        let is_own = ids.get(at).copied() == fault.sop && other.as_int().is_some();
        let side = fault.beyond().filter(|_| is_own)?;
        let side = if at == 0 { side } else { side.reverse() };
        Some(Value::Bool(comparison.holds_for(side)))
    };
    match (left, right) {
        (Err(fault), Ok(other)) => decided(0, &fault, &other).ok_or(fault),
        (Ok(other), Err(fault)) => decided(1, &fault, &other).ok_or(fault),
        (Err(fault), Err(_)) => Err(fault),
        (Ok(_), Ok(_)) => unreachable!("one operand has no value"),
    }
}
