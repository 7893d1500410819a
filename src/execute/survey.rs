//! Which values the variables and outputs of a model take on many inputs: what a check on these
//! inputs says nothing about is what none of them reached. Depends on the forward pass.

use super::forward::{Batch, Precision, Prepared};
use super::readout::PreparedReadout;
use super::scalar::Scalar;
use crate::base::{Fallible, parallel};
use crate::model::{Decoder, Model, Readout};
use crate::value::Value;
use ndarray::Array2;
use rustc_hash::FxHashSet;

/// Inputs that one thread looks at together.
const TOGETHER: usize = 64;

/// What a variable or an output was on the inputs of a survey.
#[derive(Clone, Debug, PartialEq)]
pub struct Surveyed {
    /// Its name in the program, or else its expression.
    pub name: String,
    /// Which of its values were reached.
    pub values: Reached,
}

/// Which values were reached.
#[derive(Clone, Debug, PartialEq)]
pub enum Reached {
    /// Each value that the model tells apart, in its order, and whether an input reached it.
    Listed(Vec<(Value, bool)>),
    /// The least and the greatest of a real number, if there was an input.
    Real(Option<(f64, f64)>),
}

/// A model on its way through many inputs.
pub struct Survey<'m> {
    model: &'m Model,
    runner: Runner,
    /// One for each variable, then one for each output.
    seen: Vec<Seen>,
}

enum Runner {
    F32(Prepared<f32>, Vec<PreparedReadout<f32>>),
    F64(Prepared<f64>, Vec<PreparedReadout<f64>>),
}

#[derive(Clone, Default)]
struct Seen {
    values: FxHashSet<Value>,
    range: Option<(f64, f64)>,
}

impl Survey<'_> {
    /// # Errors
    /// As [`Prepared::new`].
    pub fn new(model: &Model, precision: Precision) -> Fallible<Survey<'_>> {
        let variables = || model.variables.iter().map(|variable| &variable.readout);
        Ok(Survey {
            model,
            runner: match precision {
                Precision::F32 => Runner::F32(
                    Prepared::new(model)?,
                    variables().map(PreparedReadout::new).collect(),
                ),
                Precision::F64 => Runner::F64(
                    Prepared::new(model)?,
                    variables().map(PreparedReadout::new).collect(),
                ),
            },
            seen: vec![Seen::default(); model.variables.len() + model.outputs.len()],
        })
    }

    /// Runs the model on some more inputs.
    ///
    /// # Errors
    /// As [`super::run`], for the first input that has one.
    pub fn add(&mut self, inputs: &[Vec<Value>]) -> Fallible<()> {
        let (model, runner, count) = (self.model, &self.runner, self.seen.len());
        let parts: Vec<&[Vec<Value>]> = inputs.chunks(TOGETHER).collect();
        let noted = |_: &mut (), at: usize| -> Fallible<Vec<Seen>> {
            let mut seen = vec![Seen::default(); count];
            match runner {
                Runner::F32(prepared, read) => add(model, prepared, read, parts[at], &mut seen)?,
                Runner::F64(prepared, read) => add(model, prepared, read, parts[at], &mut seen)?,
            }
            Ok(seen)
        };
        for noted in parallel::map((parts.len(), 1), || (), noted) {
            for (seen, noted) in self.seen.iter_mut().zip(noted?) {
                seen.add(noted);
            }
        }
        Ok(())
    }

    /// What was found of the variables, and of the outputs that are none of them.
    pub fn found(&self) -> Vec<Surveyed> {
        let variables = self.model.variables.iter();
        let variables = variables.map(|variable| (&variable.name, &variable.readout));
        let outputs = self.model.outputs.iter();
        let outputs = outputs.map(|output| (&output.name, &output.readout));
        let mut found: Vec<Surveyed> = Vec::with_capacity(self.seen.len());
        for ((name, readout), seen) in variables.chain(outputs).zip(&self.seen) {
            if found.iter().all(|known| known.name != *name) {
                found.push(Surveyed {
                    name: name.clone(),
                    values: seen.of(readout),
                });
            }
        }
        found
    }
}

fn add<T: Scalar>(
    model: &Model,
    prepared: &Prepared<T>,
    variables: &[PreparedReadout<T>],
    inputs: &[Vec<Value>],
    seen: &mut [Seen],
) -> Fallible<()> {
    for batch in &prepared.batches(inputs)? {
        let x = prepared.pass(batch, &mut |half, x| {
            let readable = model.variables.iter().zip(variables).zip(&mut *seen);
            for ((variable, readout), seen) in readable {
                if variable.ready == half {
                    seen.note((prepared, batch), readout, x);
                }
            }
        });
        let outputs = prepared.outputs.iter().zip(&mut seen[variables.len()..]);
        for (readout, seen) in outputs {
            seen.note((prepared, batch), readout, &x);
        }
    }
    Ok(())
}

impl Seen {
    /// Takes in the values at the tokens of a batch.
    fn note<T: Scalar>(
        &mut self,
        (prepared, batch): (&Prepared<T>, &Batch),
        readout: &PreparedReadout<T>,
        x: &Array2<T>,
    ) {
        let values = readout.read(x);
        for input in &batch.inputs {
            for value in &values[prepared.tokens(input)] {
                match value {
                    Value::Float(number) if readout.is_real() => {
                        let (least, most) = self.range.unwrap_or((*number, *number));
                        self.range = Some((least.min(*number), most.max(*number)));
                    }
                    _ if self.values.contains(value) => {}
                    _ => drop(self.values.insert(value.clone())),
                }
            }
        }
    }

    /// Takes in what was seen elsewhere.
    fn add(&mut self, other: Seen) {
        self.values.extend(other.values);
        self.range = match (self.range, other.range) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
    }

    fn of(&self, readout: &Readout) -> Reached {
        let (Decoder::Categorical(values) | Decoder::Numerical(values)) = &readout.decoder;
        if values.is_empty() {
            return Reached::Real(self.range);
        }
        let reached = |value: &Value| (value.clone(), self.values.contains(value));
        Reached::Listed(values.iter().map(reached).collect())
    }
}
