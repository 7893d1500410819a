//! What a model is made of, for people and for tools: sizes, heads with their selectors,
//! variables, and what the directions of the residual stream mean.

use super::cell;
use super::host::{Exactness, describe_any_order, describe_exactness};
use super::json::value_to_json;
use super::label::{name_and_value, without_gap};
use super::transformer::{Attention, Decoder, Head, Loop, Mask, Model, Output, Readout, Variable};
use crate::base::table::{aligned, indented};
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::Value as Json;
use std::fmt;

/// The sizes of a model; as text, also what its parts stand for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Layers, each with heads and a feed-forward block.
    pub layers: usize,
    /// Which of them run more than once, and how often.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<Loop>,
    /// Heads of each layer.
    pub heads: Vec<usize>,
    /// Directions of the residual stream.
    pub d_model: usize,
    /// The largest d_head of each layer; 0 for a layer without heads.
    pub d_head: Vec<usize>,
    /// Hidden units of each layer.
    pub d_mlp: Vec<usize>,
    /// The layers, counted from 1, whose hidden units are normalised.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layer_norm: Vec<usize>,
    /// Entries of all matrices and biases, zeros included.
    pub parameters: usize,
    /// Those that are not zero.
    pub nonzero: usize,
    /// See [`Model::padded_parameters`].
    pub padded_parameters: usize,
    /// The largest absolute value of an entry.
    pub largest_weight: f64,
    /// See [`Model::largest_activation`].
    pub largest_activation: Option<f64>,
    /// Tokens of the vocabulary, BOS not counted.
    pub vocabulary: usize,
    /// The longest input, BOS not counted.
    pub max_length: usize,
    /// Whether BOS stands before every input.
    pub bos: bool,
    /// Whether positions attend only to themselves and earlier ones.
    pub causal: bool,
    /// The hosts on which the model is said to be proved exact.
    pub certified: Exactness,
    /// Those of them on which sums may be added in any order.
    pub any_order: Exactness,
    /// What the model is called.
    pub name: String,
    /// Names of what it gives.
    pub outputs: Vec<String>,
    /// The tokens of the vocabulary.
    pub tokens: Vec<Json>,
    /// The selectors of the heads of each layer.
    pub selectors: Vec<Vec<String>>,
    /// What can be read from the residual stream.
    pub variables: Vec<Readable>,
    /// What each direction of the residual stream stands for.
    pub directions: Vec<String>,
    /// Lines of the text that only people read.
    #[serde(skip)]
    details: Vec<Section>,
}

/// A variable of the program in the residual stream.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Readable {
    /// Its name in the program.
    pub name: String,
    /// The half layer after which it is there: 0 is the embedding, `2l - 1` the attention of layer `l`, `2l`
    /// its feed-forward block.
    pub ready: usize,
    /// What it can be, and how that is held.
    pub encoding: String,
}

/// A titled table of the text.
#[derive(Clone, Debug, PartialEq)]
struct Section {
    title: &'static str,
    rows: Vec<Vec<String>>,
}

/// How a half layer is called: 0 is the embedding, `2l - 1` the attention of layer `l`, `2l` its
/// feed-forward block.
pub fn half_layer(ready: usize) -> String {
    match ready {
        0 => "embedding".to_string(),
        _ if ready % 2 == 1 => format!("layer {} attention", ready.div_ceil(2)),
        _ => format!("layer {} feed-forward", ready / 2),
    }
}

/// The sizes of a model.
pub fn summary(model: &Model) -> Summary {
    let d_head = |heads: &[Head]| heads.iter().map(Head::d_head).max().unwrap_or(0);
    let numbered = model.layers.iter().zip(1..);
    let labels = |heads: &[Head]| heads.iter().map(|head| head.label.clone()).collect();
    let readable = |variable: &Variable| Readable {
        name: variable.name.clone(),
        ready: variable.ready,
        encoding: encoding(&variable.readout),
    };
    let normalised = numbered.filter(|(layer, _)| layer.mlp.layer_norm);
    Summary {
        layers: model.layers.len(),
        loops: model.loops.clone(),
        heads: model.layers.iter().map(|layer| layer.heads.len()).collect(),
        d_model: model.d_model,
        d_head: model
            .layers
            .iter()
            .map(|layer| d_head(&layer.heads))
            .collect(),
        d_mlp: model.layers.iter().map(|layer| layer.mlp.d_mlp()).collect(),
        layer_norm: normalised.map(|(_, number)| number).collect(),
        parameters: model.parameters(),
        nonzero: model.nonzero(),
        padded_parameters: model.padded_parameters(),
        largest_weight: model.largest_weight(),
        largest_activation: model.largest_activation,
        vocabulary: model.vocabulary.len(),
        max_length: model.max_length,
        bos: model.bos,
        causal: model.causal,
        certified: model.certified.clone(),
        any_order: model.any_order.clone(),
        name: model.name.clone(),
        outputs: model
            .outputs
            .iter()
            .map(|output| output.name.clone())
            .collect(),
        tokens: model.vocabulary.iter().map(value_to_json).collect(),
        selectors: model
            .layers
            .iter()
            .map(|layer| labels(&layer.heads))
            .collect(),
        variables: model.variables.iter().map(readable).collect(),
        directions: model.directions.clone(),
        details: vec![
            heads(model),
            variables(model),
            outputs(model),
            directions(model),
        ],
    }
}

/// What the heads of a layer are called in a table: those of one selector are numbered.
pub fn head_names<'m>(labels: impl Iterator<Item = &'m str> + Clone) -> Vec<String> {
    numbered(labels, cell::label)
}

/// Names of heads by their selectors: those of one selector, such as the parts of a disjunction, are
/// numbered.
pub fn numbered<'m>(
    labels: impl Iterator<Item = &'m str> + Clone,
    name: impl Fn(&str) -> String,
) -> Vec<String> {
    let mut told: FxHashMap<&str, usize> = FxHashMap::default();
    let all = labels.clone();
    let name = |label: &'m str| {
        let named = name(label);
        match all.clone().filter(|other| *other == label).count() {
            1 => named,
            several => {
                let number = told.entry(label).or_default();
                *number += 1;
                format!("{named} ({number} of {several})")
            }
        }
    };
    labels.map(name).collect()
}

fn heads(model: &Model) -> Section {
    let mut rows = vec![cells(["layer", "head", "d_head", "selects"])];
    for (index, layer) in model.layers.iter().enumerate() {
        let names = head_names(layer.heads.iter().map(|head| &*head.label));
        for (number, (head, name)) in layer.heads.iter().zip(names).enumerate() {
            rows.push(vec![
                (index + 1).to_string(),
                (number + 1).to_string(),
                head.d_head().to_string(),
                format!("{name}{}", restriction(head)),
            ]);
        }
    }
    Section {
        title: "heads",
        rows,
    }
}

/// What a head does otherwise than most.
fn restriction(head: &Head) -> String {
    let mask = match head.mask {
        Mask::All => None,
        Mask::Earlier => Some("earlier keys"),
        Mask::Later => Some("later keys"),
    };
    let hard = (head.attention == Attention::Hard).then_some("hard");
    let both: Vec<&str> = mask.into_iter().chain(hard).collect();
    match both.is_empty() {
        true => String::new(),
        false => format!(" ({})", both.join(", ")),
    }
}

fn variables(model: &Model) -> Section {
    let mut rows = vec![cells(["variable", "ready after", "encoding"])];
    rows.extend(model.variables.iter().map(|variable| {
        let name = cell::label(&variable.name);
        vec![
            name,
            half_layer(variable.ready),
            encoding(&variable.readout),
        ]
    }));
    Section {
        title: "variables",
        rows,
    }
}

/// A single output goes by the name of the model, unless no input changes it.
fn outputs(model: &Model) -> Section {
    let mut rows = vec![cells(["output", "encoding"])];
    let is_constant = |output: &Output| output.readout.weights.largest() == 0.0;
    if model.outputs.len() > 1 || model.outputs.iter().any(is_constant) {
        rows.extend(model.outputs.iter().map(|output| {
            let encoding = match is_constant(output) {
                true => "the same for every input of these tokens".to_string(),
                false => encoding(&output.readout),
            };
            vec![cell::label(&output.name), encoding]
        }));
    }
    Section {
        title: "outputs",
        rows,
    }
}

fn encoding(readout: &Readout) -> String {
    match &readout.decoder {
        Decoder::Categorical(values) => format!("one of {} values", values.len()),
        Decoder::Numerical(values) if values.is_empty() => "a number".to_string(),
        Decoder::Numerical(values) => format!("a number, one of {}", values.len()),
    }
}

/// Neighbouring directions of one name share a row.
fn directions(model: &Model) -> Section {
    let mut groups: Vec<(usize, usize, &str, Vec<String>)> = Vec::new();
    for (direction, label) in model.directions.iter().enumerate() {
        let (name, value) = name_and_value(label);
        match groups.last_mut() {
            Some((_, last, known, values))
                if *known == name && value.is_none() == values.is_empty() =>
            {
                *last = direction;
                values.extend(value.map(without_gap));
            }
            _ => {
                let values = value.map(without_gap).into_iter().collect();
                groups.push((direction, direction, name, values));
            }
        }
    }
    let mut rows = vec![cells(["directions", "of", "values"])];
    rows.extend(groups.into_iter().map(|(first, last, name, values)| {
        let range = if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        };
        vec![range, cell::label(name), cell::label(&values.join(" "))]
    }));
    Section {
        title: "residual stream",
        rows,
    }
}

/// The layers of a loop, counted from 1, and how often they run.
fn looped(each: &Loop) -> String {
    let (first, last) = (each.layers.start + 1, each.layers.end);
    let layers = match first == last {
        true => format!("layer {first}"),
        false => format!("layers {first} to {last}"),
    };
    format!("{layers} run {} times", each.times)
}

fn cells<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_string).to_vec()
}

fn list(numbers: &[usize]) -> String {
    match numbers {
        [] => "-".to_string(),
        _ => numbers
            .iter()
            .map(usize::to_string)
            .collect::<Vec<_>>()
            .join(" "),
    }
}

/// The share of a number that float32 may lose.
const LOST: f64 = 1e-6;

/// A number to four digits and no less than it is, but for what float32 loses, with an exponent where it is
/// very large; whole numbers as they are.
pub fn rounded(number: f64) -> String {
    if number < 1e6 && number.fract() == 0.0 {
        return number.to_string();
    }
    let unit = 10f64.powf(number.log10().floor() - 3.0);
    let digits = format!("{:.3e}", (number / unit * (1.0 - LOST)).ceil() * unit);
    match digits.parse::<f64>() {
        Ok(number) if number < 1e6 => number.to_string(),
        _ => digits,
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let attention = if self.causal { "causal" } else { "both ways" };
        let attention = match self.bos {
            true => attention.to_string(),
            false => format!("{attention}, no BOS before the tokens"),
        };
        let mut layers = self.layers.to_string();
        for each in &self.loops {
            layers.push_str(&format!(", {}", looped(each)));
        }
        let padded = format!(
            "{}, without W_U, every layer as wide as the widest, as Tracr counts",
            self.padded_parameters
        );
        let at_most = |number| format!("at most {}", rounded(number));
        let normalised = (!self.layer_norm.is_empty())
            .then(|| format!("hidden units of layer {}", list(&self.layer_norm)));
        let sizes = [
            ("layers", Some(layers)),
            ("heads", Some(list(&self.heads))),
            ("d_model", Some(self.d_model.to_string())),
            ("d_head", Some(list(&self.d_head))),
            ("d_mlp", Some(list(&self.d_mlp))),
            ("layer norm", normalised),
            ("parameters", Some(self.parameters.to_string())),
            ("not zero", Some(self.nonzero.to_string())),
            ("padded", Some(padded)),
            ("weights", Some(at_most(self.largest_weight))),
            ("activations", self.largest_activation.map(at_most)),
            ("vocabulary", Some(self.vocabulary.to_string())),
            ("max length", Some(self.max_length.to_string())),
            ("attention", Some(attention)),
            ("certified", Some(describe_exactness(&self.certified))),
            ("sums", describe_any_order(&self.any_order, &self.certified)),
        ];
        let rows = sizes.into_iter();
        let rows = rows.filter_map(|(name, size)| Some(vec![name.to_string(), size?]));
        let sizes: Vec<Vec<String>> = rows.collect();
        writeln!(f, "{}", cell::label(&self.name))?;
        f.write_str(&indented(&aligned(&sizes, 2), 2))?;
        for section in self.details.iter().filter(|section| section.rows.len() > 1) {
            write!(
                f,
                "\n{}\n{}",
                section.title,
                indented(&aligned(&section.rows, usize::MAX), 2)
            )?;
        }
        Ok(())
    }
}
