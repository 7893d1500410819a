//! Columns of atoms, stored by type: numbers plainly, bools as bits, strings as numbers of entries of a
//! dictionary, whatever mixes types as atoms.

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
use rustc_hash::FxHashMap;
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

/// Makes a column from atoms, in the tightest form that holds them.
struct Builder {
    values: Values,
    /// The numbers of the strings so far: those of one ASCII character by its code, as most tokens
    /// are, and the others.
    characters: [Option<u32>; 128],
    strings: FxHashMap<SmolStr, u32>,
    entries: Vec<SmolStr>,
    faults: Vec<(usize, Arc<Fault>)>,
    length: usize,
    capacity: usize,
}

impl Builder {
    fn new(capacity: usize) -> Builder {
        Builder {
            values: Values::Ints(Vec::new()),
            characters: [None; 128],
            strings: FxHashMap::default(),
            entries: Vec::new(),
            faults: Vec::new(),
            length: 0,
            capacity,
        }
    }

    fn push(&mut self, value: Value) {
        if self.length == self.faults.len() {
            self.start(&value);
        }
        self.length += 1;
        let value = match (&mut self.values, value) {
            (Values::Ints(ints), Value::Int(int)) => return ints.push(int),
            (Values::Floats(floats), Value::Float(float)) => return floats.push(float),
            (Values::Bools(bools), Value::Bool(bool)) => return bools.push(bool),
            (Values::Strings(_, ids), Value::Str(text)) => {
                let next = self.entries.len() as u32;
                let id = match text.as_bytes() {
                    [code @ 0..128] => *self.characters[usize::from(*code)].get_or_insert(next),
                    _ => match self.strings.get(&text) {
                        Some(id) => *id,
                        None => *self.strings.entry(text.clone()).or_insert(next),
                    },
                };
                if id == next {
                    self.entries.push(text);
                }
                return ids.push(id);
            }
            (Values::Mixed(values), value) => return values.push(value),
            (_, value) => value,
        };
        let mut values = self.mixed();
        values.push(value);
        self.values = Values::Mixed(values);
    }

    fn fault(&mut self, fault: Arc<Fault>) {
        self.faults.push((self.length, fault));
        self.length += 1;
        match &mut self.values {
            Values::Ints(ints) => ints.push(0),
            Values::Floats(floats) => floats.push(0.0),
            Values::Bools(bools) => bools.push(false),
            Values::Strings(_, ids) => ids.push(0),
            Values::Mixed(values) => values.push(Value::Int(0)),
            Values::Constant(_) => {}
        }
    }

    /// Takes the form of the first value; only faults came before it.
    fn start(&mut self, first: &Value) {
        fn zeros<T: Clone>(length: usize, capacity: usize, zero: T) -> Vec<T> {
            let mut zeros = Vec::with_capacity(capacity);
            zeros.resize(length, zero);
            zeros
        }
        let (length, capacity) = (self.length, self.capacity);
        self.values = match first {
            Value::Int(_) => Values::Ints(zeros(length, capacity, 0)),
            Value::Float(_) => Values::Floats(zeros(length, capacity, 0.0)),
            Value::Bool(_) => {
                let mut bools = BitVec::with_capacity(capacity);
                bools.grow(length, false);
                Values::Bools(bools)
            }
            Value::Str(_) => Values::Strings([].into(), zeros(length, capacity, 0)),
        };
    }

    /// The values so far as atoms.
    fn mixed(&mut self) -> Vec<Value> {
        let mut values = Vec::with_capacity(self.capacity);
        match &self.values {
            Values::Ints(ints) => values.extend(ints.iter().copied().map(Value::Int)),
            Values::Floats(floats) => values.extend(floats.iter().copied().map(Value::Float)),
            Values::Bools(bools) => values.extend(bools.iter().map(Value::Bool)),
            Values::Strings(_, ids) => values.extend(
                ids.iter()
                    .map(|id| Value::Str(self.entries[*id as usize].clone())),
            ),
            Values::Mixed(_) | Values::Constant(_) => {}
        }
        values
    }

    fn finish(self) -> Column {
        let all_failed = self.length == self.faults.len() && self.length > 0;
        let values = if let Values::Strings(_, ids) = self.values {
            sorted(self.entries, ids)
        } else if all_failed {
            Values::Constant(Value::Int(0))
        } else {
            self.values
        };
        let faults = if self.faults.is_empty() {
            Faults::None
        } else {
            Faults::Some(self.faults)
        };
        Column {
            faults,
            ..Column::new(values, self.length)
        }
    }
}

/// A column without faults.
impl FromIterator<Value> for Column {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Column {
        values.into_iter().map(Ok).collect()
    }
}

/// A column of values, or why there are none.
impl FromIterator<Result<Value, Arc<Fault>>> for Column {
    fn from_iter<I: IntoIterator<Item = Result<Value, Arc<Fault>>>>(values: I) -> Column {
        let values = values.into_iter();
        let mut builder = Builder::new(values.size_hint().0);
        for value in values {
            match value {
                Ok(value) => builder.push(value),
                Err(fault) => builder.fault(fault),
            }
        }
        builder.finish()
    }
}

/// Strings numbered in any order, with the dictionary put in order.
fn sorted(entries: Vec<SmolStr>, mut ids: Vec<u32>) -> Values {
    let mut order: Vec<u32> = (0..entries.len() as u32).collect();
    order.sort_unstable_by(|a, b| entries[*a as usize].cmp(&entries[*b as usize]));
    let mut renamed = vec![0; entries.len()];
    for (new, old) in order.iter().enumerate() {
        renamed[*old as usize] = new as u32;
    }
    for id in &mut ids {
        *id = renamed.get(*id as usize).copied().unwrap_or(0);
    }
    let dictionary = order
        .iter()
        .map(|old| entries[*old as usize].clone())
        .collect();
    Values::Strings(dictionary, ids)
}
