//! Which values the variables and outputs of a model take on many inputs: what a check on these
//! inputs says nothing about is what none of them reached. Depends on the forward pass.

use super::forward::{Batch, Outputs, Prepared};
use super::readout::{PreparedReadout, Readings};
use super::scalar::{Precision, Scalar};
use crate::base::Fallible;
use crate::model::{Decoder, Model, Readout};
use crate::value::Value;

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

/// A model made ready for many inputs, of which it is noted what its variables are on them.
pub struct Survey<'m> {
    model: &'m Model,
    runner: Runner,
}

enum Runner {
    F32(Prepared<f32>, Vec<PreparedReadout<f32>>),
    F64(Prepared<f64>, Vec<PreparedReadout<f64>>),
}

/// What the variables, and then the outputs, of a model were on some inputs.
#[derive(Default)]
pub struct Noted(Vec<Seen>);

#[derive(Clone, Default)]
struct Seen {
    /// Which of the values that the readout lists were reached, as far as one was.
    places: Vec<bool>,
    range: Option<(f64, f64)>,
}

impl Survey<'_> {
    /// # Errors
    /// As [`super::run`]: the model does not fit together.
    pub fn new(model: &Model, precision: Precision) -> Fallible<Survey<'_>> {
        let runner = match precision {
            Precision::F32 => {
                Runner::F32(Prepared::new(model)?, PreparedReadout::of_variables(model))
            }
            Precision::F64 => {
                Runner::F64(Prepared::new(model)?, PreparedReadout::of_variables(model))
            }
        };
        Ok(Survey { model, runner })
    }

    /// Every output for each of many inputs, and what was noted on the way.
    ///
    /// # Errors
    /// As [`super::run`], for the first input that has one.
    pub fn run(&self, inputs: &[Vec<Value>]) -> Fallible<(Outputs, Noted)> {
        match &self.runner {
            Runner::F32(prepared, read) => run(self.model, prepared, read, inputs),
            Runner::F64(prepared, read) => run(self.model, prepared, read, inputs),
        }
    }

    /// What was found of the variables, and of the outputs that are none of them.
    pub fn found(&self, noted: &Noted) -> Vec<Surveyed> {
        let variables = self.model.variables.iter();
        let variables = variables.map(|variable| (&variable.name, &variable.readout));
        let outputs = self.model.outputs.iter();
        let outputs = outputs.map(|output| (&output.name, &output.readout));
        let nothing = Seen::default();
        let mut found: Vec<Surveyed> = Vec::new();
        for (at, (name, readout)) in variables.chain(outputs).enumerate() {
            if found.iter().all(|known| known.name != *name) {
                found.push(Surveyed {
                    name: name.clone(),
                    values: noted.0.get(at).unwrap_or(&nothing).of(readout),
                });
            }
        }
        found
    }
}

impl Noted {
    /// Takes in what was noted on other inputs.
    pub fn add(&mut self, other: &Noted) {
        let count = self.0.len().max(other.0.len());
        self.0.resize(count, Seen::default());
        for (seen, other) in self.0.iter_mut().zip(&other.0) {
            seen.add(other);
        }
    }
}

fn run<T: Scalar>(
    model: &Model,
    prepared: &Prepared<T>,
    variables: &[PreparedReadout<T>],
    inputs: &[Vec<Value>],
) -> Fallible<(Outputs, Noted)> {
    let mut seen = vec![Seen::default(); model.variables.len() + model.outputs.len()];
    let mut outputs = Vec::with_capacity(inputs.len());
    for batch in &prepared.batches(inputs)? {
        let x = prepared.pass(batch, &mut |half, x| {
            let readable = model.variables.iter().zip(variables).zip(&mut seen);
            for ((variable, readout), seen) in readable {
                if variable.ready == half {
                    seen.note((prepared, batch), &readout.decode(x));
                }
            }
        });
        let readouts = &prepared.outputs;
        let decoded: Vec<Readings> = readouts.iter().map(|readout| readout.decode(&x)).collect();
        for (decoded, seen) in decoded.iter().zip(&mut seen[variables.len()..]) {
            seen.note((prepared, batch), decoded);
        }
        outputs.extend(prepared.values(batch, &decoded));
    }
    Ok((outputs, Noted(seen)))
}

impl Seen {
    /// Takes in what a readout found at the tokens of a batch.
    fn note<T: Scalar>(&mut self, (prepared, batch): (&Prepared<T>, &Batch), decoded: &Readings) {
        for input in &batch.inputs {
            let tokens = prepared.tokens(input);
            match decoded {
                Readings::Listed(places) => {
                    for place in &places[tokens] {
                        self.reach(*place as usize);
                    }
                }
                Readings::Real(numbers) => {
                    for number in &numbers[tokens] {
                        let (least, most) = self.range.unwrap_or((*number, *number));
                        self.range = Some((least.min(*number), most.max(*number)));
                    }
                }
            }
        }
    }

    fn reach(&mut self, place: usize) {
        if self.places.len() <= place {
            self.places.resize(place + 1, false);
        }
        self.places[place] = true;
    }

    /// Takes in what was seen elsewhere.
    fn add(&mut self, other: &Seen) {
        let reached = (0..).zip(&other.places).filter(|(_, reached)| **reached);
        reached.for_each(|(place, _)| self.reach(place));
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
        let reached = |place: usize| self.places.get(place).copied().unwrap_or(false);
        let listed = values.iter().enumerate();
        let listed = listed.map(|(place, value)| (value.clone(), reached(place)));
        Reached::Listed(listed.collect())
    }
}
