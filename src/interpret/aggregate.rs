//! Aggregates and widths: what each query makes of the keys it selects. One selected value is
//! copied with its type, several numbers become their mean, none the default.

use super::column::{Column, Fault};
use super::selector::Pattern;
use crate::base::Code;
use crate::graph::SOpId;
use crate::value::Value;
use std::rc::Rc;

/// The number of selected keys of each query.
pub fn width(pattern: &Pattern) -> Column {
    Column::list(pattern.for_each_row(|keys| Value::Int(keys.len() as i64)))
}

/// The aggregate of `value`; `sop` is the node it belongs to. A fault anywhere in `value` is a
/// fault everywhere, as any query might have needed it.
pub fn aggregate(sop: SOpId, pattern: &Pattern, value: &Column, default: &Value) -> Column {
    if let Some(fault) = value.first_fault() {
        return Column::failed(pattern.len(), fault.clone());
    }
    let numeric = value.sequence_type().is_number();
    let rows = pattern.for_each_row(|keys| match keys {
        [] => Ok(default.clone()),
        [key] => Ok(value.get(*key).clone()),
        several if numeric => Ok(mean(several.iter().map(|key| value.get(*key)))),
        several => Err(not_numbers(sop, value, several)),
    });
    let mut values = Vec::with_capacity(rows.len());
    let mut faults = Vec::new();
    for (position, row) in rows.into_iter().enumerate() {
        match row {
            Ok(value) => values.push(value),
            Err(mut fault) => {
                fault.position = Some(position);
                values.push(Value::Int(0));
                faults.push((position, Rc::new(fault)));
            }
        }
    }
    Column::with_faults(values, faults)
}

/// The mean of numbers, added from left to right: exactly while they are ints, as floats from the
/// first float on. Always a float.
fn mean<'v>(values: impl Iterator<Item = &'v Value>) -> Value {
    let (mut whole, mut float, mut count) = (0_i128, None, 0_usize);
    for value in values {
        count += 1;
        match (float, value) {
            (None, Value::Float(first)) => float = Some(whole as f64 + first),
            (None, number) => whole += i128::from(number.as_int().unwrap_or(0)),
            (Some(sum), number) => float = Some(sum + number.as_float().unwrap_or(0.0)),
        }
    }
    Value::Float(float.unwrap_or(whole as f64) / count as f64)
}

fn not_numbers(sop: SOpId, value: &Column, keys: &[usize]) -> Fault {
    let mut shown: Vec<String> = keys
        .iter()
        .take(5)
        .map(|key| value.get(*key).source())
        .collect();
    if keys.len() > shown.len() {
        shown.push("…".to_string());
    }
    Fault {
        code: Code::MeanOfNonNumbers,
        message: format!(
            "{} values are selected at once, but {} have no mean: {}",
            keys.len(),
            value.sequence_type().name(),
            shown.join(", ")
        ),
        sop,
        position: None,
        beyond: None,
    }
}
