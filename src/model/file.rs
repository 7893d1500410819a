//! A model as one safetensors file: weights as F64 tensors named `embed.W_E`,
//! `blocks.0.attn.1.W_Q`, `blocks.0.mlp.W_in`, `unembed.W_U` (`unembed.1.W_U` for a second output),
//! `variables.0.W_U` and so on (see `tensors` for how), the plan as the text of a U8 tensor `plan`,
//! everything else as JSON in the single metadata entry `rasp`, and a digest of it all (see `digest`).
//! The same model gives the same bytes.

use super::digest::Digest;
use super::header;
use super::host::Exactness;
use super::json;
use super::tensors::{Shapes, TensorReader, Writer};
use super::transformer::{
    Attention, Decoder, FeedForward, Head, Layer, Loop, Mask, Model, Output, Readout, Variable,
};
use super::weights::{Numbers, Owner};
use crate::base::write::write_made;
use crate::base::{Code, Diagnostic, Existing, Fallible, read::open, visible};
use crate::value::Value;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The metadata entry that makes a safetensors file a model of this crate.
const KEY: &str = "rasp";

/// The tensor of the plan's text, if the model has one. It can be larger than a header may be.
const PLAN: &str = "plan";

/// Goes up whenever older versions could misread a file.
const FORMAT: u32 = 6;

/// Everything but the weights.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    format: u32,
    name: String,
    bos: bool,
    #[serde(with = "json::values")]
    vocabulary: Vec<Value>,
    max_length: usize,
    causal: bool,
    /// Labels of the heads of each layer.
    layers: Vec<Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    loops: Vec<Loop>,
    outputs: Vec<StoredOutput>,
    variables: Vec<StoredVariable>,
    directions: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    machine: Option<String>,
    /// How heads attend, by name, where it is not as most do.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    attends: BTreeMap<String, StoredAttention>,
    /// The layers whose hidden units are normalised, counted from 0.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    layer_norm: BTreeSet<usize>,
    certified: Exactness,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    any_order: Exactness,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    largest_activation: Option<f64>,
    sparse: Shapes,
}

#[derive(Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredAttention {
    mask: Mask,
    attention: Attention,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredOutput {
    name: String,
    decoder: Decoder,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredVariable {
    name: String,
    ready: usize,
    decoder: Decoder,
}

/// The model as the bytes of a file.
///
/// # Errors
/// A model whose parts do not fit each other (see [`Model::check`]), or one too large for a file.
pub fn to_bytes(model: &Model) -> Fallible<Vec<u8>> {
    let broken = |problem| format!("the parts of the model do not fit together: {problem}");
    let checked = model.check().map_err(broken);
    checked.map_err(|problem| Box::new(Diagnostic::error(Code::BadModel, problem)))?;
    let mut writer = Writer::default();
    for tensor in model.tensors() {
        match tensor.numbers {
            Numbers::Matrix(matrix, _) => writer.matrix(&tensor.to_string(), matrix),
            Numbers::Bias(bias, _) => writer.vector(&tensor.to_string(), bias),
        }
    }
    if let Some(plan) = &model.plan {
        writer.text(PLAN, plan);
    }
    let metadata = serde_json::to_string(&metadata(model, writer.sparse.clone()));
    let metadata = metadata.map_err(|error| error.to_string());
    let bytes = metadata.and_then(|metadata| writer.finish(KEY, metadata));
    bytes.map_err(|problem| {
        let message = format!("the model is too large for a file: {problem}");
        Box::new(Diagnostic::error(Code::LimitReached, message))
    })
}

/// The model in the bytes of a file.
///
/// # Errors
/// Anything but a whole and consistent model, as it was written.
pub fn from_bytes(bytes: &[u8]) -> Fallible<Model> {
    from_bytes_with(bytes, Digest::Checked)
}

/// The same, of a file that may have been changed by hand.
///
/// # Errors
/// Anything but a whole and consistent model.
pub fn from_bytes_with(bytes: &[u8], digest: Digest) -> Fallible<Model> {
    read(bytes, digest).map_err(|problem| {
        let message = format!("this is not a rasp model: {problem}");
        Box::new(Diagnostic::error(Code::BadModel, message))
    })
}

/// Writes a model to a file: all of it or, if anything goes wrong, nothing.
///
/// # Errors
/// As [`to_bytes`]; a place that cannot be written to, or one that is taken and to be kept, or a program's.
pub fn save(model: &Model, path: &Path, existing: Existing) -> Fallible<()> {
    let bytes = to_bytes(model)?;
    write_made(path, &bytes, existing)
}

/// Help where a model is missing.
const MAKE: &str = "make one: `rasp compile FILE -e EXPR --vocab abc --max-len 8 -o MODEL`, or with `rasp machine`";

/// Reads a model from a file. No more of it is read than its header tells of.
///
/// # Errors
/// A file that cannot be read, or anything but a whole and consistent model, as it was written.
pub fn load(path: &Path) -> Fallible<Model> {
    load_with(path, Digest::Checked)
}

/// The same, from a file that may have been changed by hand.
///
/// # Errors
/// A file that cannot be read, or anything but a whole and consistent model.
pub fn load_with(path: &Path, digest: Digest) -> Fallible<Model> {
    let shown = visible::path(path);
    let bytes = open(path).and_then(header::read).map_err(|error| {
        let message = format!("{shown} could not be read: {error}");
        Box::new(Diagnostic::error(Code::FileNotFound, message).help(MAKE))
    })?;
    let model = bytes.and_then(|bytes| read(&bytes, digest));
    model.map_err(|problem| {
        let message = format!("{shown} is not a rasp model: {problem}");
        Box::new(Diagnostic::error(Code::BadModel, message).help(MAKE))
    })
}

fn metadata(model: &Model, sparse: Shapes) -> Metadata {
    let labels = |layer: &Layer| layer.heads.iter().map(|head| head.label.clone()).collect();
    let variable = |variable: &Variable| StoredVariable {
        name: variable.name.clone(),
        ready: variable.ready,
        decoder: variable.readout.decoder.clone(),
    };
    let output = |output: &Output| StoredOutput {
        name: output.name.clone(),
        decoder: output.readout.decoder.clone(),
    };
    let layers = || model.layers.iter().enumerate();
    let attends = layers().flat_map(|(index, layer)| {
        let heads = layer.heads.iter().enumerate();
        heads.map(move |(number, head)| {
            let Head {
                mask, attention, ..
            } = *head;
            let name = Owner::Head(index, number).to_string();
            (name, StoredAttention { mask, attention })
        })
    });
    let normalised = layers().filter(|(_, layer)| layer.mlp.layer_norm);
    Metadata {
        format: FORMAT,
        name: model.name.clone(),
        bos: model.bos,
        vocabulary: model.vocabulary.clone(),
        max_length: model.max_length,
        causal: model.causal,
        layers: model.layers.iter().map(labels).collect(),
        loops: model.loops.clone(),
        outputs: model.outputs.iter().map(output).collect(),
        variables: model.variables.iter().map(variable).collect(),
        directions: model.directions.clone(),
        machine: model.machine.clone(),
        attends: attends
            .filter(|(_, attends)| *attends != StoredAttention::default())
            .collect(),
        layer_norm: normalised.map(|(index, _)| index).collect(),
        certified: model.certified.clone(),
        any_order: model.any_order.clone(),
        largest_activation: model.largest_activation,
        sparse,
    }
}

fn read(bytes: &[u8], digest: Digest) -> Result<Model, String> {
    let (mut reader, metadata) = TensorReader::open(bytes, KEY)?;
    let unread = |error: serde_json::Error| format!("its metadata: {error}");
    let version: Format = serde_json::from_str(&metadata).map_err(unread)?;
    if version.format != FORMAT {
        return Err(format!(
            "format {} where {FORMAT} is needed",
            version.format
        ));
    }
    let mut metadata: Metadata = serde_json::from_str(&metadata).map_err(unread)?;
    reader.expect_sparse(metadata.sparse);
    let token_embedding = reader.matrix(&format!("{}.W_E", Owner::Tokens))?;
    let position_embedding = reader.matrix(&format!("{}.W_pos", Owner::Positions))?;
    let layers = metadata.layers.into_iter().enumerate();
    let layers = layers
        .map(|(index, labels)| {
            let mut layer = read_layer(&mut reader, index, labels, &mut metadata.attends)?;
            layer.mlp.layer_norm = metadata.layer_norm.remove(&index);
            Ok(layer)
        })
        .collect::<Result<_, String>>()?;
    let headless = metadata.attends.keys().next().cloned();
    let bare = metadata
        .layer_norm
        .first()
        .map(|layer| Owner::Hidden(*layer).to_string());
    if let Some(name) = headless.or(bare) {
        return Err(format!("{name}: no part of this model"));
    }
    let outputs = metadata.outputs.into_iter().enumerate();
    let outputs = outputs
        .map(|(index, StoredOutput { name, decoder })| {
            let readout = read_readout(&mut reader, Owner::Output(index), decoder)?;
            Ok(Output { name, readout })
        })
        .collect::<Result<_, String>>()?;
    let variables = metadata.variables.into_iter().enumerate();
    let variables = variables
        .map(|(index, variable)| {
            let StoredVariable {
                name,
                ready,
                decoder,
            } = variable;
            let readout = read_readout(&mut reader, Owner::Variable(index), decoder)?;
            Ok(Variable {
                name,
                ready,
                readout,
            })
        })
        .collect::<Result<_, String>>()?;
    let mut model = Model {
        name: metadata.name,
        bos: metadata.bos,
        vocabulary: metadata.vocabulary,
        max_length: metadata.max_length,
        causal: metadata.causal,
        d_model: metadata.directions.len(),
        token_embedding,
        position_embedding,
        layers,
        loops: metadata.loops,
        outputs,
        directions: metadata.directions,
        variables,
        plan: reader.text(PLAN)?,
        machine: metadata.machine,
        certified: metadata.certified,
        any_order: metadata.any_order,
        largest_activation: metadata.largest_activation,
    };
    let found = reader.digest.clone();
    reader.finish()?;
    model.check()?;
    // Last, as all that is wrong with a file is wrong with its digest, too.
    match (digest, found) {
        (Digest::Checked, found) => found?,
        (Digest::Ignored, Ok(())) => {}
        // Nothing is proved of other weights.
        (Digest::Ignored, Err(_)) => {
            model.certified = Exactness::default();
            model.any_order = Exactness::default();
            model.largest_activation = None;
        }
    }
    Ok(model)
}

/// The version alone, for files whose other fields are not known yet.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

fn read_layer(
    reader: &mut TensorReader,
    layer: usize,
    labels: Vec<String>,
    attends: &mut BTreeMap<String, StoredAttention>,
) -> Result<Layer, String> {
    let mut heads = Vec::with_capacity(labels.len());
    for (index, label) in labels.into_iter().enumerate() {
        let name = Owner::Head(layer, index).to_string();
        let StoredAttention { mask, attention } = attends.remove(&name).unwrap_or_default();
        heads.push(Head {
            label,
            mask,
            attention,
            query: reader.matrix(&format!("{name}.W_Q"))?,
            query_bias: reader.vector(&format!("{name}.b_Q"))?,
            key: reader.matrix(&format!("{name}.W_K"))?,
            key_bias: reader.vector(&format!("{name}.b_K"))?,
            value: reader.matrix(&format!("{name}.W_V"))?,
            output: reader.matrix(&format!("{name}.W_O"))?,
        });
    }
    let name = Owner::Hidden(layer);
    let mlp = FeedForward {
        layer_norm: false,
        input: reader.matrix(&format!("{name}.W_in"))?,
        input_bias: reader.vector(&format!("{name}.b_in"))?,
        output: reader.matrix(&format!("{name}.W_out"))?,
        output_bias: reader.vector(&format!("{name}.b_out"))?,
    };
    Ok(Layer { heads, mlp })
}

fn read_readout(
    reader: &mut TensorReader,
    name: Owner,
    decoder: Decoder,
) -> Result<Readout, String> {
    Ok(Readout {
        weights: reader.matrix(&format!("{name}.W_U"))?,
        bias: reader.vector(&format!("{name}.b_U"))?,
        decoder,
    })
}
