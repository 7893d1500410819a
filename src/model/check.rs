//! Whether the parts of a model fit each other. Everything that runs or stores a model relies on
//! this; a file is not believed before it passes.

use super::transformer::{Decoder, Mask, Model, Readout};
use super::weights::{Numbers, Owner, Tensor};
use crate::value::Value;
use std::cmp::Ordering;
use std::ops::Range;

/// Layers that run in all, those of a loop once for each round: a file of some bytes is not to take
/// years.
pub const MOST_RUNS: usize = 1 << 22;

type Checked = Result<(), String>;

impl Model {
    /// Whether all shapes agree, all weights are finite and all labels are there.
    ///
    /// # Errors
    /// What does not fit, in words.
    pub fn check(&self) -> Checked {
        equal("directions", self.directions.len(), self.d_model)?;
        self.tensors().iter().try_for_each(fits)?;
        let mut known = rustc_hash::FxHashSet::default();
        if let Some(twice) = self.vocabulary.iter().find(|token| !known.insert(*token)) {
            return Err(format!(
                "the token {} is in the vocabulary twice",
                twice.source()
            ));
        }
        for (index, layer) in self.layers.iter().enumerate() {
            let later = layer.heads.iter().position(|head| head.mask == Mask::Later);
            if let Some(number) = later.filter(|_| self.causal) {
                let name = Owner::Head(index, number);
                return Err(format!("{name}: later keys in a causal model"));
            }
        }
        self.check_loops()?;
        self.check_outputs()?;
        self.check_variables()
    }

    fn check_loops(&self) -> Checked {
        let (mut end, mut runs) = (0, self.layers.len());
        for each in &self.loops {
            let Range { start, end: last } = each.layers.clone();
            let layers = format!("the loop of layers {start}..{last}");
            if start < end || start >= last || last > self.layers.len() {
                return Err(format!("{layers}: of {} layers", self.layers.len()));
            }
            if each.times == 0 {
                return Err(format!("{layers} never runs"));
            }
            let more = (last - start).saturating_mul(each.times - 1);
            (end, runs) = (last, runs.saturating_add(more));
        }
        match runs > MOST_RUNS && !self.loops.is_empty() {
            true => Err(format!("{runs} layers to run, of {MOST_RUNS} at most")),
            false => Ok(()),
        }
    }

    fn check_outputs(&self) -> Checked {
        if self.outputs.is_empty() {
            return Err("no output".to_string());
        }
        let mut known = rustc_hash::FxHashSet::default();
        for (index, output) in self.outputs.iter().enumerate() {
            output.readout.check(&Owner::Output(index).to_string())?;
            if !known.insert(&output.name) {
                return Err(format!("two outputs named {}", output.name));
            }
        }
        Ok(())
    }

    fn check_variables(&self) -> Checked {
        let mut ready = 0;
        for variable in &self.variables {
            let what = format!("variable {}", variable.name);
            variable.readout.check(&what)?;
            if variable.ready > 2 * self.layers.len() {
                return Err(format!("{what}: ready after half layer {}", variable.ready));
            }
            if variable.ready < ready {
                return Err(format!("{what}: variables are not in order of `ready`"));
            }
            ready = variable.ready;
        }
        Ok(())
    }
}

impl Readout {
    fn check(&self, name: &str) -> Checked {
        let outputs = self.bias.len();
        match &self.decoder {
            Decoder::Categorical(values) if values.is_empty() => {
                Err(format!("{name}: a decoder without values"))
            }
            Decoder::Categorical(values) => {
                equal(&format!("outputs of {name}"), outputs, values.len())
            }
            Decoder::Numerical(values) => {
                equal(&format!("outputs of {name}"), outputs, 1)?;
                ascending(name, values)
            }
        }
    }
}

fn ascending(name: &str, values: &[Value]) -> Checked {
    if !values.iter().all(Value::is_number) {
        return Err(format!(
            "{name}: a numerical decoder with values that are not numbers"
        ));
    }
    // A single NaN is not ascending either: it is not even equal to itself.
    let ordered = |pair: &[Value]| pair[0].order(&pair[1]) == Some(Ordering::Less);
    let comparable = values.iter().all(|value| value.equals(value));
    if comparable && values.windows(2).all(ordered) {
        return Ok(());
    }
    Err(format!(
        "{name}: a numerical decoder with values that do not ascend"
    ))
}

fn equal(what: &str, found: usize, expected: usize) -> Checked {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}: {found} where {expected} are needed"))
}

/// Whether a matrix or a bias has its shape, and all its numbers are finite.
fn fits(tensor: &Tensor) -> Checked {
    let name = tensor.to_string();
    match tensor.numbers {
        Numbers::Matrix(matrix, sides) => {
            let (found, [rows, columns]) = ((matrix.rows(), matrix.columns()), sides);
            let needed = (rows.1, columns.1);
            if found != needed {
                return Err(format!(
                    "{name}: shape {found:?} where {needed:?} is needed"
                ));
            }
        }
        Numbers::Bias(bias, (_, length)) => equal(&name, bias.len(), length)?,
    }
    finite(&name, tensor.numbers.entries())
}

fn finite(name: &str, mut values: impl Iterator<Item = f64>) -> Checked {
    // What float32 cannot hold is not finite there.
    match values.find(|value| !(*value as f32).is_finite()) {
        None => Ok(()),
        Some(value) if value.is_finite() => {
            Err(format!("{name}: a weight beyond float32, {value:e}"))
        }
        Some(_) => Err(format!("{name}: a weight that is not finite")),
    }
}
