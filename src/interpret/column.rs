//! Columns of atoms with the faults that evaluation met. A fault stays where it happened until a
//! value there is needed, so that the branch of a ternary that is not taken may fail.

use crate::base::{Code, Diagnostic, Span};
use crate::graph::{Graph, SOp, SOpId};
use crate::value::op::{Failure, FailureKind};
use crate::value::sequence::sequence_type_at;
use crate::value::{SequenceType, Value};
use std::cmp::Ordering;
use std::rc::Rc;

/// Why there is no value at a position.
#[derive(Clone, Debug)]
pub struct Fault {
    pub code: Code,
    pub message: String,
    /// The s-op that failed.
    pub sop: SOpId,
    /// Where in the input it failed, if at one place.
    pub position: Option<usize>,
    /// Of an overflow: on which side of all 64-bit ints the value lies.
    pub beyond: Option<Ordering>,
}

impl Fault {
    pub fn of_failure(failure: Failure, sop: SOpId, position: usize) -> Fault {
        let code = match failure.kind {
            FailureKind::Types => Code::OperandTypes,
            FailureKind::Overflow => Code::Overflow,
            FailureKind::Arithmetic => Code::ArithmeticFailed,
            FailureKind::Token => Code::BadToken,
            FailureKind::Index => Code::BadIndex,
        };
        Fault {
            code,
            message: failure.message,
            sop,
            position: Some(position),
            beyond: failure.beyond,
        }
    }

    pub fn diagnostic(&self, graph: &Graph, input: &[Value]) -> Diagnostic {
        let place = match self.position {
            Some(position) => {
                let token = input.get(position).map_or(String::new(), |token| {
                    format!(", where the token is {}", token.source())
                });
                format!("this fails at position {position}{token}")
            }
            None if matches!(graph.get(self.sop), SOp::Tokens) => {
                "the input itself mixes them; `tokens` are its tokens as strings".to_string()
            }
            None => "here they meet".to_string(),
        };
        let mut diagnostic = Diagnostic::error(self.code, self.message.clone());
        if let (Code::MixedTypes, SOp::Aggregate { default, .. }) = (self.code, graph.get(self.sop))
        {
            diagnostic = diagnostic.note(format!(
                "a position that selects nothing gets the default, here {}",
                default.source()
            ));
        }
        let span = graph.span(self.sop);
        if span == Span::BUILT_IN {
            return diagnostic.note(place);
        }
        self.made(graph, diagnostic.at(span, place))
    }

    /// Shows where operands were made that are only named where it failed.
    fn made(&self, graph: &Graph, mut diagnostic: Diagnostic) -> Diagnostic {
        let SOp::Map { operands, .. } = graph.get(self.sop) else {
            return diagnostic;
        };
        let span = graph.span(self.sop);
        for operand in operands {
            let made = graph.span(*operand);
            let constant = matches!(graph.get(*operand), SOp::Constant(_));
            if !constant && made.source == span.source && !span.contains(made) {
                let text = match graph.name(*operand) {
                    Some(name) => format!("`{name}` is made here"),
                    None => "an operand is made here".to_string(),
                };
                diagnostic = diagnostic.at(made, text);
            }
        }
        diagnostic
    }
}

/// The faults of a column, by ascending position.
#[derive(Clone, Debug)]
pub enum Faults {
    None,
    /// Never empty.
    Some(Vec<(usize, Rc<Fault>)>),
}

#[derive(Debug)]
enum Values {
    Constant(Value),
    List(Vec<Value>),
}

/// One s-op on one input.
#[derive(Debug)]
pub struct Column {
    values: Values,
    length: usize,
    faults: Faults,
    sequence_type: SequenceType,
}

impl Column {
    pub fn constant(value: Value, length: usize) -> Column {
        Column {
            values: Values::Constant(value),
            length,
            faults: Faults::None,
            sequence_type: SequenceType::Ints,
        }
    }

    pub fn list(values: Vec<Value>) -> Column {
        let length = values.len();
        Column {
            values: Values::List(values),
            length,
            faults: Faults::None,
            sequence_type: SequenceType::Ints,
        }
    }

    /// Values with faults at some positions; what stands there is not looked at.
    pub fn with_faults(values: Vec<Value>, faults: Vec<(usize, Rc<Fault>)>) -> Column {
        let faults = if faults.is_empty() {
            Faults::None
        } else {
            Faults::Some(faults)
        };
        Column {
            faults,
            ..Column::list(values)
        }
    }

    /// The same fault at every position.
    pub fn failed(length: usize, fault: Rc<Fault>) -> Column {
        let faults = (0..length)
            .map(|position| (position, fault.clone()))
            .collect();
        Column {
            faults: Faults::Some(faults),
            ..Column::constant(Value::Int(0), length)
        }
    }

    /// Finds the type of the sequence; if it has none, every position fails.
    pub fn checked(mut self, sop: SOpId) -> Column {
        let checked = match (&self.values, &self.faults) {
            (Values::Constant(value), _) => sequence_type_at(std::slice::from_ref(value), [0]),
            (Values::List(values), Faults::None) => sequence_type_at(values, 0..self.length),
            (Values::List(values), Faults::Some(faults)) => {
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
            Err(clash) => {
                let message = format!(
                    "numbers and strings in one s-op: {} at position {} and {} at position {}",
                    self.get(clash.first).source(),
                    clash.first,
                    self.get(clash.second).source(),
                    clash.second,
                );
                let fault = Fault {
                    code: Code::MixedTypes,
                    message,
                    sop,
                    position: None,
                    beyond: None,
                };
                Column::failed(self.length, Rc::new(fault))
            }
        }
    }

    pub fn get(&self, position: usize) -> &Value {
        match &self.values {
            Values::Constant(value) => value,
            Values::List(values) => &values[position],
        }
    }

    pub fn len(&self) -> usize {
        self.length
    }

    /// The single value, if the column was made from one.
    pub fn as_constant(&self) -> Option<&Value> {
        match &self.values {
            Values::Constant(value) => Some(value),
            Values::List(_) => None,
        }
    }

    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// The first fault, if there is one.
    pub fn first_fault(&self) -> Option<&Rc<Fault>> {
        match &self.faults {
            Faults::None => None,
            Faults::Some(faults) => Some(&faults[0].1),
        }
    }

    pub fn sequence_type(&self) -> SequenceType {
        self.sequence_type
    }

    pub fn to_values(&self) -> Vec<Value> {
        match &self.values {
            Values::Constant(value) => vec![value.clone(); self.length],
            Values::List(values) => values.clone(),
        }
    }
}
