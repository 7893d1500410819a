//! Elementwise primitives on whole columns of one type. Whatever might fail at some position, or
//! is not worth a loop of its own, is answered with `None` and done position by position.

use super::{Column, Dictionary, Values};
use crate::interpret::exact::LARGEST_EXACT;
use crate::value::{Comparison, Op, Value};
use bit_vec::BitVec;
use std::sync::Arc;

/// The column of a primitive on operands without faults, if there is a fast way.
pub fn map(op: &Op, operands: &[Arc<Column>], length: usize) -> Option<Column> {
    if let Some(column) = by_dictionary(op, operands, length) {
        return column;
    }
    match operands {
        [one] => unary(op, one),
        [left, right] => logic(op, left, right, length)
            .or_else(|| ints(op, left, right, length))
            .or_else(|| floats(op, left, right, length)),
        [condition, then, otherwise] => choose(condition, then, otherwise),
        _ => None,
    }
}

/// Numbers at every position: a list, or one for all.
enum Operand<'a, T> {
    One(T),
    Many(&'a [T]),
}

impl<T: Copy> Operand<'_, T> {
    fn at(&self, position: usize) -> T {
        match self {
            Operand::One(value) => *value,
            Operand::Many(values) => values[position],
        }
    }

    /// What a function gives at each position.
    fn with<R>(
        &self,
        other: &Operand<'_, T>,
        length: usize,
        mut f: impl FnMut(T, T) -> R,
    ) -> Vec<R> {
        match (self, other) {
            (Operand::Many(a), Operand::Many(b)) => {
                a.iter().zip(*b).map(|(a, b)| f(*a, *b)).collect()
            }
            (Operand::Many(a), Operand::One(b)) => a.iter().map(|a| f(*a, *b)).collect(),
            (Operand::One(a), Operand::Many(b)) => b.iter().map(|b| f(*a, *b)).collect(),
            (Operand::One(a), Operand::One(b)) => (0..length).map(|_| f(*a, *b)).collect(),
        }
    }

    fn compare(&self, other: &Operand<'_, T>, length: usize, comparison: Comparison) -> Column
    where
        T: PartialOrd,
    {
        let bools = match comparison {
            Comparison::Equal => self.with(other, length, |a, b| a == b),
            Comparison::NotEqual => self.with(other, length, |a, b| a != b),
            Comparison::Less => self.with(other, length, |a, b| a < b),
            Comparison::LessEqual => self.with(other, length, |a, b| a <= b),
            Comparison::Greater => self.with(other, length, |a, b| a > b),
            Comparison::GreaterEqual => self.with(other, length, |a, b| a >= b),
        };
        Column::bools(bits(&bools))
    }
}

/// Bools as bits, eight at a time.
fn bits(bools: &[bool]) -> BitVec {
    let byte = |bools: &[bool]| {
        let set = |byte, (at, bool): (usize, &bool)| byte | u8::from(*bool) << (7 - at);
        bools.iter().enumerate().fold(0, set)
    };
    let bytes: Vec<u8> = bools.chunks(8).map(byte).collect();
    let mut bits = BitVec::from_bytes(&bytes);
    bits.truncate(bools.len());
    bits
}

fn int_operand(column: &Column) -> Option<Operand<'_, i64>> {
    match column.values() {
        Values::Ints(ints) => Some(Operand::Many(ints)),
        Values::Constant(Value::Int(int)) => Some(Operand::One(*int)),
        Values::Constant(_)
        | Values::Floats(_)
        | Values::Bools(_)
        | Values::Strings(..)
        | Values::Mixed(_) => None,
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "other primitives are applied value by value"
)]
fn ints(op: &Op, left: &Column, right: &Column, length: usize) -> Option<Column> {
    let (a, b) = (int_operand(left)?, int_operand(right)?);
    // Those that overflow are done position by position.
    let mut failed = false;
    let mut kept = |(int, fails): (i64, bool)| {
        failed |= fails;
        int
    };
    let ints = match op {
        Op::Add => a.with(&b, length, |a, b| kept(a.overflowing_add(b))),
        Op::Subtract => a.with(&b, length, |a, b| kept(a.overflowing_sub(b))),
        Op::Multiply => a.with(&b, length, |a, b| kept(a.overflowing_mul(b))),
        Op::Remainder => match (&a, &b) {
            (Operand::Many(a), Operand::One(b)) if is_small(a, *b) => {
                a.iter().map(|a| small_remainder(*a, *b)).collect()
            }
            _ => a.with(&b, length, |a, b| {
                let remainder = a.checked_rem(b);
                let rest = remainder.unwrap_or_default();
                let adjust = rest != 0 && (rest < 0) != (b < 0);
                kept((if adjust { rest + b } else { rest }, remainder.is_none()))
            }),
        },
        Op::Divide => {
            let mut by_zero = false;
            let floats = a.with(&b, length, |a, b| {
                by_zero |= b == 0;
                a as f64 / b as f64
            });
            return (!by_zero).then(|| Column::floats(floats));
        }
        Op::Compare(comparison) => return Some(a.compare(&b, length, *comparison)),
        _ => return None,
    };
    (!failed).then(|| Column::ints(ints))
}

/// Ints below this one are what the low bits of a float near [`SHIFT`] hold.
const SMALL: i64 = 1 << 51;
/// 1.5 · 2⁵²: added to a float, it leaves the nearest whole number in the low bits.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// Whether [`small_remainder`] is right for all of these ints and one divisor.
fn is_small(ints: &[i64], divisor: i64) -> bool {
    let sizes = ints
        .iter()
        .fold(0_u64, |all, int| all | int.wrapping_add(SMALL) as u64);
    (1..1 << 31).contains(&divisor) && sizes < 2 * SMALL as u64
}

/// The remainder of a division, as Python has it, without one: floats hold the quotient to the nearest
/// whole number, and its product exactly. Compilers make vector code of it, of a division none.
fn small_remainder(int: i64, divisor: i64) -> i64 {
    let low = SHIFT.to_bits() as i64;
    let (float, by) = (f64::from_bits((int + low) as u64) - SHIFT, divisor as f64);
    let quotient = (float * (1.0 / by) + SHIFT) - SHIFT;
    let rest = float - quotient * by;
    let rest = if rest < 0.0 { rest + by } else { rest };
    (rest + SHIFT).to_bits() as i64 - low
}

/// A column as floats, and whether it held floats.
fn float_operand<'a>(column: &'a Column, room: &'a mut Vec<f64>) -> Option<Operand<'a, f64>> {
    match column.values() {
        Values::Floats(floats) => Some(Operand::Many(floats)),
        Values::Constant(value) => value.as_float().map(Operand::One),
        Values::Ints(ints) => {
            room.extend(ints.iter().map(|int| *int as f64));
            Some(Operand::Many(room))
        }
        Values::Bools(_) | Values::Strings(..) | Values::Mixed(_) => None,
    }
}

fn holds_floats(column: &Column) -> bool {
    matches!(
        column.values(),
        Values::Floats(_) | Values::Constant(Value::Float(_))
    )
}

/// At least one side holds floats, so that the other is taken as floats too.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "other primitives are applied value by value"
)]
fn floats(op: &Op, left: &Column, right: &Column, length: usize) -> Option<Column> {
    // Comparing an int with a float is exact, which comparing two floats is not.
    let exact = holds_floats(left) && holds_floats(right);
    if !exact && (matches!(op, Op::Compare(_)) || !(holds_floats(left) || holds_floats(right))) {
        return None;
    }
    let (mut room, mut more_room) = (Vec::new(), Vec::new());
    let a = float_operand(left, &mut room)?;
    let b = float_operand(right, &mut more_room)?;
    let mut by_zero = false;
    let floats = match op {
        Op::Add => a.with(&b, length, |a, b| a + b),
        Op::Subtract => a.with(&b, length, |a, b| a - b),
        Op::Multiply => a.with(&b, length, |a, b| a * b),
        Op::Divide => a.with(&b, length, |a, b| {
            by_zero |= b == 0.0;
            a / b
        }),
        Op::Compare(comparison) => return Some(a.compare(&b, length, *comparison)),
        _ => return None,
    };
    (!by_zero).then(|| Column::floats(floats))
}

/// The truth of each value.
fn truth(column: &Column) -> Option<BitVec> {
    let length = column.len();
    Some(match column.values() {
        Values::Constant(value) => BitVec::from_elem(length, value.truthy()),
        Values::Ints(ints) => ints.iter().map(|int| *int != 0).collect(),
        Values::Floats(floats) => floats.iter().map(|float| *float != 0.0).collect(),
        Values::Bools(bools) => bools.clone(),
        Values::Strings(dictionary, ids) => {
            let truth: Vec<bool> = dictionary.iter().map(|text| !text.is_empty()).collect();
            ids.iter().map(|id| truth[*id as usize]).collect()
        }
        Values::Mixed(values) => values.iter().map(Value::truthy).collect(),
    })
}

fn logic(op: &Op, left: &Column, right: &Column, length: usize) -> Option<Column> {
    let all = |f: fn(&mut BitVec, &BitVec) -> bool| {
        let (mut all, right) = (truth(left)?, truth(right)?);
        f(&mut all, &right);
        Some(Column::bools(all))
    };
    match (op, left.values(), right.values()) {
        (Op::And, ..) => all(BitVec::and),
        (Op::Or, ..) => all(BitVec::or),
        (Op::Compare(comparison), Values::Bools(a), Values::Bools(b)) => {
            let (a, b) = (Vec::from_iter(a), Vec::from_iter(b));
            Some(Operand::Many(&a).compare(&Operand::Many(&b), length, *comparison))
        }
        (Op::Compare(comparison), Values::Strings(da, a), Values::Strings(db, b))
            if Arc::ptr_eq(da, db) =>
        {
            Some(Operand::Many(a).compare(&Operand::Many(b), length, *comparison))
        }
        _ => None,
    }
}

fn unary(op: &Op, operand: &Column) -> Option<Column> {
    match (op, operand.values()) {
        (Op::Not, _) => {
            let mut truth = truth(operand)?;
            truth.negate();
            Some(Column::bools(truth))
        }
        (Op::ToBool, _) => truth(operand).map(Column::bools),
        (Op::Indicator, _) => Some(Column::ints(
            truth(operand)?.into_iter().map(i64::from).collect(),
        )),
        (Op::Plus | Op::Round | Op::ToInt, Values::Ints(ints)) => Some(Column::ints(ints.clone())),
        (Op::Negate, Values::Ints(ints)) => {
            let negated: Option<Vec<i64>> = ints.iter().map(|int| int.checked_neg()).collect();
            negated.map(Column::ints)
        }
        (Op::Negate, Values::Floats(floats)) => {
            Some(Column::floats(floats.iter().map(|float| -float).collect()))
        }
        (Op::Plus | Op::ToFloat, Values::Floats(floats)) => Some(Column::floats(floats.clone())),
        (Op::ToFloat, Values::Ints(ints)) => {
            Some(Column::floats(ints.iter().map(|int| *int as f64).collect()))
        }
        (Op::Round, Values::Floats(floats)) => {
            // Up to 2⁵³ the nearest whole float is the int; beyond, the careful way decides.
            let round = |float: &f64| {
                let rounded = float.round_ties_even();
                (rounded.abs() <= LARGEST_EXACT as f64).then_some(rounded as i64)
            };
            let rounded: Option<Vec<i64>> = floats.iter().map(round).collect();
            rounded.map(Column::ints)
        }
        _ => None,
    }
}

fn choose(condition: &Column, then: &Column, otherwise: &Column) -> Option<Column> {
    fn pick<T: Copy>(condition: &BitVec, a: &Operand<'_, T>, b: &Operand<'_, T>) -> Vec<T> {
        let choice = |(at, taken): (usize, bool)| if taken { a.at(at) } else { b.at(at) };
        condition.iter().enumerate().map(choice).collect()
    }
    let bools = |column: &Column| match column.values() {
        Values::Bools(bools) => Some(Vec::from_iter(bools)),
        Values::Constant(Value::Bool(bool)) => Some(vec![*bool; column.len()]),
        Values::Constant(_)
        | Values::Ints(_)
        | Values::Floats(_)
        | Values::Strings(..)
        | Values::Mixed(_) => None,
    };
    let condition = truth(condition)?;
    if let (Some(a), Some(b)) = (int_operand(then), int_operand(otherwise)) {
        return Some(Column::ints(pick(&condition, &a, &b)));
    }
    if holds_floats(then) && holds_floats(otherwise) {
        let (mut room, mut more_room) = (Vec::new(), Vec::new());
        let a = float_operand(then, &mut room)?;
        let b = float_operand(otherwise, &mut more_room)?;
        return Some(Column::floats(pick(&condition, &a, &b)));
    }
    if let (Some(a), Some(b)) = (bools(then), bools(otherwise)) {
        let picked = pick(&condition, &Operand::Many(&a), &Operand::Many(&b));
        return Some(Column::bools(picked.into_iter().collect()));
    }
    match (then.values(), otherwise.values()) {
        (Values::Strings(da, a), Values::Strings(db, b)) if Arc::ptr_eq(da, db) => {
            let ids = pick(&condition, &Operand::Many(a), &Operand::Many(b));
            let length = ids.len();
            Some(Column::new(Values::Strings(da.clone(), ids), length))
        }
        _ => None,
    }
}

/// One column of strings among constants: the primitive is worked out once for each string.
/// `Some(None)` if it fails somewhere.
fn by_dictionary(op: &Op, operands: &[Arc<Column>], length: usize) -> Option<Option<Column>> {
    let mut text: Option<(usize, &Dictionary, &Vec<u32>)> = None;
    for (index, operand) in operands.iter().enumerate() {
        match operand.values() {
            Values::Constant(_) => {}
            Values::Strings(dictionary, ids) if text.is_none() => {
                text = Some((index, dictionary, ids));
            }
            Values::Ints(_)
            | Values::Floats(_)
            | Values::Bools(_)
            | Values::Strings(..)
            | Values::Mixed(_) => return None,
        }
    }
    let (place, dictionary, ids) = text?;
    let mut arguments: Vec<Value> = operands.iter().map(|operand| operand.get(0)).collect();
    // The place of each string among those that occur, and their results.
    let mut places: Vec<Option<u32>> = vec![None; dictionary.len()];
    let mut results: Vec<Value> = Vec::new();
    let mut chosen = Vec::with_capacity(length);
    for id in ids {
        let known = &mut places[*id as usize];
        if known.is_none() {
            arguments[place] = Value::Str(dictionary[*id as usize].clone());
            let Ok(value) = op.apply(&arguments.iter().collect::<Vec<_>>()) else {
                return Some(None);
            };
            *known = Some(results.len() as u32);
            results.push(value);
        }
        chosen.push((*known)?);
    }
    Some(Some(Column::from_iter(results).gather(&chosen)))
}
