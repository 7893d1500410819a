//! Columns made from atoms, in the tightest form that holds them.

use super::{Column, Values};
use crate::interpret::fault::{Fault, Faults};
use crate::value::Value;
use bit_vec::BitVec;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use std::sync::Arc;

/// A column in the making.
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
