//! The model: `x = W_E[token] + W_pos[position]`; each layer adds the outputs of its heads, then
//! of its feed-forward block; readouts decode values from `x`. Layers in a loop run several times. The
//! stream is not normalised. With BOS, position 0 holds the BOS token and token `i` of the input stands
//! at position `i + 1`; without, at position `i`.

use super::host::Exactness;
use super::json;
use super::matrix::Matrix;
use crate::value::Value;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A transformer with everything needed to run and to read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// What it computes, for people: the compiled expressions.
    pub name: String,
    /// Whether the BOS token stands before every input.
    pub bos: bool,
    /// Input tokens, in the order of the rows of `token_embedding`; the BOS row follows them, if there
    /// is one.
    pub vocabulary: Vec<Value>,
    /// The longest input, BOS not counted.
    pub max_length: usize,
    /// Whether a position attends only to itself and earlier positions.
    pub causal: bool,
    /// Width of the residual stream.
    pub d_model: usize,
    /// W_E `[vocabulary, d_model]`, with a last row more for BOS.
    pub token_embedding: Matrix,
    /// W_pos `[max_length, d_model]`, with a first row more for BOS.
    pub position_embedding: Matrix,
    /// The layers, each with weights of its own.
    pub layers: Vec<Layer>,
    /// Which of them run more than once, in ascending order and apart; the others run once.
    pub loops: Vec<Loop>,
    /// What it gives for each token: at least one, with different names.
    pub outputs: Vec<Output>,
    /// One label for each direction of the residual stream; `d_model` of them.
    pub directions: Vec<String>,
    /// The program's variables that can be read from the residual stream, in order of `ready`.
    pub variables: Vec<Variable>,
    /// Where the weights come from, as JSON: for whoever asks, the model never reads it.
    pub plan: Option<String>,
    /// What it was built as where no program was compiled, as JSON: for whoever asks, the model never
    /// reads it.
    pub machine: Option<String>,
    /// The hosts on which all outputs are proved to decode exactly.
    pub certified: Exactness,
    /// Those of them on which that holds in whatever order sums are added, and not just as `execute` adds them.
    pub any_order: Exactness,
    /// What the residual stream, queries, keys, values and hidden units hold at most, for any input; `None`
    /// where that is not proved.
    pub largest_activation: Option<f64>,
}

/// Neighbouring layers that run again and again on the same weights, all of them in each round, as
/// in a looped transformer (Giannou et al. 2023) or a universal one (Dehghani et al. 2019).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Loop {
    /// Their indices in [`Model::layers`].
    pub layers: Range<usize>,
    /// How often they run: 1 is once, as without a loop.
    pub times: usize,
}

/// The layers in the order in which they run, each with the round of its loop, from 0.
pub fn runs(layers: usize, loops: &[Loop]) -> impl Iterator<Item = (usize, usize)> + '_ {
    (0..layers).flat_map(move |layer| {
        let looped = loops.iter().find(|each| each.layers.contains(&layer));
        let (layers, times) = match looped {
            // It has run with the first of its loop.
            Some(each) if each.layers.start < layer => (0..0, 0),
            Some(each) => (each.layers.clone(), each.times),
            None => (layer..layer + 1, 1),
        };
        (0..times).flat_map(move |round| layers.clone().map(move |layer| (layer, round)))
    })
}

/// One transformer layer; a half without work is empty and does nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// The attention heads, which read the same stream.
    pub heads: Vec<Head>,
    /// The feed-forward block, which reads what the heads have added.
    pub mlp: FeedForward,
}

/// Which positions a query may see, of those that [`Model::causal`] allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mask {
    /// All of them.
    #[default]
    All,
    /// Those before its own.
    Earlier,
    /// Those behind its own.
    Later,
}

/// How the scores of a query become its weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Attention {
    /// By softmax.
    #[default]
    Soft,
    /// All weight goes to the largest score, shared alike between keys that have it exactly.
    Hard,
}

/// One attention head: `softmax((x W_Q + b_Q)(x W_K + b_K)ᵀ / √d_head) (x W_V) W_O`, over the keys that
/// its mask leaves. A query that sees no key gets 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// The selector it computes, for people.
    pub label: String,
    /// Which keys its queries see.
    pub mask: Mask,
    /// Softmax, or what takes its place.
    pub attention: Attention,
    /// W_Q `[d_model, d_head]`, with the inverse temperature; hosts divide by √d_head.
    pub query: Matrix,
    /// b_Q `[d_head]`, scaled as W_Q.
    pub query_bias: Vec<f64>,
    /// W_K `[d_model, d_head]`
    pub key: Matrix,
    /// b_K `[d_head]`
    pub key_bias: Vec<f64>,
    /// W_V `[d_model, d_value]`
    pub value: Matrix,
    /// W_O `[d_value, d_model]`
    pub output: Matrix,
}

impl Head {
    /// Columns of W_Q and W_K; 0 for a head that attends everywhere alike.
    pub fn d_head(&self) -> usize {
        self.query.columns()
    }
}

/// `relu(x W_in + b_in) W_out + b_out`, or `relu(LN(x W_in + b_in)) W_out + b_out`
#[derive(Clone, Debug, PartialEq)]
pub struct FeedForward {
    /// Whether the hidden units of a position are normalised together before the ReLU:
    /// `LN(z) = (z - mean z) / √(variance of z)`, with no ε added to the variance and 0 where it is 0
    /// (Yao et al. 2021, section 4).
    pub layer_norm: bool,
    /// W_in `[d_model, d_mlp]`
    pub input: Matrix,
    /// b_in `[d_mlp]`
    pub input_bias: Vec<f64>,
    /// W_out `[d_mlp, d_model]`
    pub output: Matrix,
    /// b_out `[d_model]`
    pub output_bias: Vec<f64>,
}

impl FeedForward {
    /// A block that does nothing.
    pub fn empty(d_model: usize) -> FeedForward {
        FeedForward {
            layer_norm: false,
            input: Matrix::zeros(d_model, 0),
            input_bias: Vec::new(),
            output: Matrix::zeros(0, d_model),
            output_bias: vec![0.0; d_model],
        }
    }

    /// How many hidden units it has.
    pub fn d_mlp(&self) -> usize {
        self.input.columns()
    }
}

/// One output of a model, read from the residual stream after the last layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The compiled expression.
    pub name: String,
    /// W_U, b_U and how the logits become a value.
    pub readout: Readout,
}

/// A linear map from the residual stream, and how its outputs become a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Readout {
    /// `[d_model, outputs]`
    pub weights: Matrix,
    /// `[outputs]`
    pub bias: Vec<f64>,
    /// How scores become values.
    pub decoder: Decoder,
}

/// How the outputs of a readout become a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decoder {
    /// One output per value; the largest wins, the first of equals.
    Categorical(#[serde(with = "json::values")] Vec<Value>),
    /// One output, read as the nearest of these numbers (ascending), or as it is if there are none.
    Numerical(#[serde(with = "json::values")] Vec<Value>),
}

/// A variable of the program that lives in the residual stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name in the program, or else its expression.
    pub name: String,
    /// From when on it can be read, in the first round of a loop: 0 after the embedding, `2l - 1` after the attention of layer
    /// `l` (counted from 1), `2l` after its feed-forward block.
    pub ready: usize,
    /// How its values are read from the stream.
    pub readout: Readout,
}

impl Model {
    /// The layers in the order in which they run, each with the round of its loop, from 0.
    pub fn runs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        runs(self.layers.len(), &self.loops)
    }

    /// How many positions stand before the tokens of an input: that of BOS, or none.
    pub fn before_tokens(&self) -> usize {
        usize::from(self.bos)
    }

    /// The readout of the first output.
    ///
    /// # Panics
    /// If there is no output; see [`Model::check`].
    pub fn readout(&self) -> &Readout {
        &self.outputs[0].readout
    }

    /// Names the outputs, in their order, and the model after them.
    pub fn rename(&mut self, names: &[impl AsRef<str>]) {
        for (output, name) in self.outputs.iter_mut().zip(names) {
            output.name = name.as_ref().to_string();
        }
        let names: Vec<&str> = self.outputs.iter().map(|output| &*output.name).collect();
        self.name = names.join(", ");
    }
}
