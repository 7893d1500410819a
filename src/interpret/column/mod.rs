//! Columns of atoms, stored by type: numbers plainly, bools as bits, strings as numbers of entries of a
//! dictionary, whatever mixes types as atoms.

mod builder;
pub(crate) mod classes;
pub(crate) mod elementwise;
pub(crate) mod fuse;
pub(crate) mod radix;
pub(crate) mod rank;
pub(crate) mod segments;
mod vector;

use crate::graph::SOpId;
use crate::interpret::fault::{Cause, Fault, Faults};
use crate::value::sequence::{SequenceError, sequence_type_at};
use crate::value::{SequenceType, Value};
use bit_vec::BitVec;
use smol_str::SmolStr;
use std::ops::Range;
use std::sync::Arc;

/// The strings of a column, ascending and each once, so that ids compare like strings. Columns
/// copied from one another share it; it may hold strings that a column does not use.
pub type Dictionary = Arc<[SmolStr]>;

#[derive(Debug)]
pub enum Values {
    Constant(Value),
    Ints(Vec<i64>),
    Floats(Vec<f64>),
    Bools(BitVec),
    Strings(Dictionary, Vec<u32>),
    Mixed(Vec<Value>),
}

/// One s-op on one input. Where there is a fault, the value is not looked at.
#[derive(Debug)]
pub struct Column {
    values: Values,
    length: usize,
    faults: Faults,
    sequence_type: SequenceType,
}

impl Column {
    /// A column whose values are of one type unless they are [`Values::Mixed`].
    pub fn new(values: Values, length: usize) -> Column {
        let sequence_type = match &values {
            Values::Ints(_) | Values::Mixed(_) => SequenceType::Ints,
            Values::Floats(_) => SequenceType::Floats,
            Values::Bools(_) => SequenceType::Bools,
            Values::Strings(..) => SequenceType::Strings,
            Values::Constant(value) => match value {
                Value::Int(_) => SequenceType::Ints,
                Value::Float(_) => SequenceType::Floats,
                Value::Bool(_) => SequenceType::Bools,
                Value::Str(_) => SequenceType::Strings,
            },
        };
        Column {
            values,
            length,
            faults: Faults::None,
            sequence_type,
        }
    }

    pub fn constant(value: Value, length: usize) -> Column {
        Column::new(Values::Constant(value), length)
    }

    pub fn ints(values: Vec<i64>) -> Column {
        let length = values.len();
        Column::new(Values::Ints(values), length)
    }

    pub fn bools(values: BitVec) -> Column {
        let length = values.len();
        Column::new(Values::Bools(values), length)
    }

    pub fn floats(values: Vec<f64>) -> Column {
        let length = values.len();
        Column::new(Values::Floats(values), length)
    }

    /// The same fault at every position.
    pub fn failed(length: usize, fault: Arc<Fault>) -> Column {
        Column {
            faults: Faults::Everywhere(fault),
            ..Column::constant(Value::Int(0), length)
        }
    }

    /// Finds the type of a sequence of mixed types; if it has none, every position fails.
    pub fn checked(mut self, sop: SOpId) -> Column {
        let Values::Mixed(values) = &self.values else {
            return self;
        };
        let checked = match &self.faults {
            Faults::Everywhere(_) => return self,
            Faults::None => sequence_type_at(values, 0..self.length),
            Faults::Some(faults) => {
                let mut failed = faults.iter().map(|(position, _)| *position).peekable();
                let sound =
                    (0..self.length).filter(|position| failed.next_if_eq(position).is_none());
                sequence_type_at(values, sound)
            }
        };
        match checked {
            Ok(sequence_type) => {
                self.sequence_type = sequence_type;
                self
            }
            Err(SequenceError { first, second }) => {
                let both = [first, second].map(|position| (position, self.get(position)));
                let fault = Fault::new(Cause::Mixed(both), sop);
                Column::failed(self.length, Arc::new(fault))
            }
        }
    }

    pub fn get(&self, position: usize) -> Value {
        match &self.values {
            Values::Constant(value) => value.clone(),
            Values::Ints(ints) => Value::Int(ints[position]),
            Values::Floats(floats) => Value::Float(floats[position]),
            Values::Bools(bools) => Value::Bool(bools[position]),
            Values::Strings(dictionary, ids) => {
                Value::Str(dictionary[ids[position] as usize].clone())
            }
            Values::Mixed(values) => values[position].clone(),
        }
    }

    /// The values at some positions, of a column without faults.
    pub fn gather(&self, positions: &[u32]) -> Column {
        fn pick<T: Clone>(values: &[T], positions: &[u32]) -> Vec<T> {
            let value = |at: &u32| values[*at as usize].clone();
            positions.iter().map(value).collect()
        }
        let values = match &self.values {
            Values::Constant(value) => Values::Constant(value.clone()),
            Values::Ints(ints) => Values::Ints(pick(ints, positions)),
            Values::Floats(floats) => Values::Floats(pick(floats, positions)),
            Values::Bools(bools) => {
                Values::Bools(positions.iter().map(|at| bools[*at as usize]).collect())
            }
            Values::Strings(dictionary, ids) => {
                Values::Strings(dictionary.clone(), pick(ids, positions))
            }
            Values::Mixed(values) => Values::Mixed(pick(values, positions)),
        };
        Column {
            sequence_type: self.sequence_type,
            ..Column::new(values, positions.len())
        }
    }

    /// Adds a value at the end of a column without faults; `sop` is the node it belongs to.
    pub fn push(&mut self, value: Value, sop: SOpId) {
        self.length += 1;
        match (&mut self.values, &value) {
            (Values::Ints(ints), Value::Int(int)) => return ints.push(*int),
            (Values::Floats(floats), Value::Float(float)) => return floats.push(*float),
            (Values::Bools(bools), Value::Bool(bool)) => return bools.push(*bool),
            (Values::Strings(dictionary, ids), Value::Str(text)) => {
                if let Ok(id) = dictionary.binary_search(text) {
                    return ids.push(id as u32);
                }
            }
            (Values::Constant(constant), value) if constant == value => return,
            _ => {}
        }
        // A new type, or a new string in the dictionary.
        let before = (0..self.length - 1).map(|position| self.get(position));
        *self = before.chain([value]).collect::<Column>().checked(sop);
    }

    /// The column at some positions, of numbers and bools or of one atom; `None` for others.
    pub fn slice(&self, positions: Range<usize>) -> Option<Column> {
        let length = positions.len();
        let values = match &self.values {
            Values::Constant(value) => Values::Constant(value.clone()),
            Values::Ints(ints) => Values::Ints(ints[positions].to_vec()),
            Values::Floats(floats) => Values::Floats(floats[positions].to_vec()),
            Values::Bools(bools) => Values::Bools(positions.map(|at| bools[at]).collect()),
            Values::Strings(..) | Values::Mixed(_) => return None,
        };
        Some(Column::new(values, length))
    }

    /// No values yet, of the column's type, with room for some; strings are not put together.
    pub fn values_of_type(&self, capacity: usize) -> Values {
        match self.sequence_type {
            SequenceType::Ints => Values::Ints(Vec::with_capacity(capacity)),
            SequenceType::Bools => Values::Bools(BitVec::with_capacity(capacity)),
            SequenceType::Floats => Values::Floats(Vec::with_capacity(capacity)),
            SequenceType::Strings => Values::Mixed(Vec::new()),
        }
    }

    /// Puts the column behind values of its type, which are numbers or bools; `None` if they are
    /// not, and then the values are what they were.
    pub fn append_to(&self, values: &mut Values) -> Option<()> {
        match (values, &self.values) {
            (Values::Ints(all), Values::Ints(ints)) => all.extend_from_slice(ints),
            (Values::Floats(all), Values::Floats(floats)) => all.extend_from_slice(floats),
            (Values::Bools(all), Values::Bools(bools)) => all.extend(bools),
            (Values::Ints(all), Values::Constant(Value::Int(int))) => {
                all.resize(all.len() + self.length, *int);
            }
            (Values::Floats(all), Values::Constant(Value::Float(float))) => {
                all.resize(all.len() + self.length, *float);
            }
            (Values::Bools(all), Values::Constant(Value::Bool(bool))) => {
                all.grow(self.length, *bool);
            }
            _ => return None,
        }
        Some(())
    }

    pub fn values(&self) -> &Values {
        &self.values
    }

    pub fn len(&self) -> usize {
        self.length
    }

    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// The first fault, if there is one.
    pub fn first_fault(&self) -> Option<&Arc<Fault>> {
        self.faults.first()
    }

    pub fn sequence_type(&self) -> SequenceType {
        self.sequence_type
    }

    pub fn is_text(&self) -> bool {
        self.sequence_type == SequenceType::Strings
    }

    /// Whether some values are bools and some are not. Bools alone have no mean, among numbers they do.
    pub fn mixes_bools(&self) -> bool {
        let is_bool = |value: &Value| matches!(value, Value::Bool(_));
        matches!(&self.values, Values::Mixed(values) if values.iter().any(is_bool))
    }

    /// The numbers as floats, 0 for what is no number.
    pub fn to_floats(&self) -> Vec<f64> {
        match &self.values {
            Values::Floats(floats) => floats.clone(),
            Values::Ints(ints) => ints.iter().map(|int| *int as f64).collect(),
            Values::Constant(_) | Values::Bools(_) | Values::Strings(..) | Values::Mixed(_) => {
                let float = |at| self.get(at).as_float().unwrap_or(0.0);
                (0..self.length).map(float).collect()
            }
        }
    }

    pub fn to_values(&self) -> Vec<Value> {
        (0..self.length)
            .map(|position| self.get(position))
            .collect()
    }
}
