//! The matrices and biases of a model by their names, each with what its rows and columns are: what is
//! stored, checked, counted and compared.

use super::matrix::Matrix;
use super::transformer::{FeedForward, Head, Model, Readout};
use std::fmt;

/// What has weights; as text, how their names begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Tokens,
    Positions,
    /// A head of a layer.
    Head(usize, usize),
    /// The feed-forward block of a layer.
    Hidden(usize),
    Output(usize),
    Variable(usize),
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Owner::Tokens => f.write_str("embed"),
            Owner::Positions => f.write_str("pos_embed"),
            Owner::Head(layer, head) => write!(f, "blocks.{layer}.attn.{head}"),
            Owner::Hidden(layer) => write!(f, "blocks.{layer}.mlp"),
            Owner::Output(0) => f.write_str("unembed"),
            Owner::Output(output) => write!(f, "unembed.{output}"),
            Owner::Variable(variable) => write!(f, "variables.{variable}"),
        }
    }
}

/// What the rows or columns of a matrix are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    Direction,
    Token,
    Position,
    /// Numbered things of this name.
    Numbered(&'static str),
}

/// An axis, and how many there should be along it.
pub(super) type Side = (Axis, usize);

/// A matrix or a bias, with its name in its owner.
#[derive(Clone, Copy)]
pub(super) struct Tensor<'m> {
    pub owner: Owner,
    pub symbol: &'static str,
    pub numbers: Numbers<'m>,
}

#[derive(Clone, Copy)]
pub(super) enum Numbers<'m> {
    Matrix(&'m Matrix, [Side; 2]),
    Bias(&'m [f64], Side),
}

impl fmt::Display for Tensor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.owner, self.symbol)
    }
}

impl<'m> Numbers<'m> {
    /// All of them, but for zeros in a matrix.
    pub fn entries(self) -> impl Iterator<Item = f64> + 'm {
        let (matrix, bias) = match self {
            Numbers::Matrix(matrix, _) => (Some(matrix), None),
            Numbers::Bias(bias, _) => (None, Some(bias)),
        };
        let entries = matrix.into_iter().flat_map(Matrix::entries);
        let entries = entries.map(|(_, _, entry)| entry);
        entries.chain(bias.into_iter().flatten().copied())
    }
}

impl Model {
    /// Every matrix and every bias, in the order in which they are computed with.
    pub(super) fn tensors<'m>(&'m self) -> Vec<Tensor<'m>> {
        let direction = (Axis::Direction, self.d_model);
        let tokens = self.vocabulary.len() + self.before_tokens();
        let positions = self.max_length.saturating_add(self.before_tokens());
        let embedding = |matrix, axis, length| Numbers::Matrix(matrix, [(axis, length), direction]);
        let tokens = embedding(&self.token_embedding, Axis::Token, tokens);
        let positions = embedding(&self.position_embedding, Axis::Position, positions);
        let mut all = Vec::new();
        let mut add = |owner, tensors: &[Named<'m>]| {
            all.extend(tensors.iter().map(|(symbol, numbers)| Tensor {
                owner,
                symbol,
                numbers: *numbers,
            }));
        };
        add(Owner::Tokens, &[("W_E", tokens)]);
        add(Owner::Positions, &[("W_pos", positions)]);
        for (index, layer) in self.layers.iter().enumerate() {
            for (number, head) in layer.heads.iter().enumerate() {
                add(Owner::Head(index, number), &head.tensors(direction));
            }
            add(Owner::Hidden(index), &layer.mlp.tensors(direction));
        }
        for (number, output) in self.outputs.iter().enumerate() {
            add(Owner::Output(number), &output.readout.tensors(direction));
        }
        for (number, variable) in self.variables.iter().enumerate() {
            add(
                Owner::Variable(number),
                &variable.readout.tensors(direction),
            );
        }
        all
    }

    /// The numbers of every matrix and bias that outputs depend on: readouts of variables are labels.
    pub(super) fn numbers(&self) -> impl Iterator<Item = Numbers<'_>> {
        let is_weight = |tensor: &Tensor| !matches!(tensor.owner, Owner::Variable(_));
        let weights = self.tensors().into_iter().filter(is_weight);
        weights.map(|tensor| tensor.numbers)
    }

    /// All weights but zeros in matrices.
    pub fn weights(&self) -> impl Iterator<Item = f64> {
        self.numbers().flat_map(Numbers::entries)
    }
}

/// A matrix or a bias with its name in its owner.
type Named<'m> = (&'static str, Numbers<'m>);

impl Head {
    fn tensors(&self, direction: Side) -> [Named<'_>; 6] {
        let dimension = (Axis::Numbered("dimension"), self.query.columns());
        let value = (Axis::Numbered("value"), self.value.columns());
        [
            ("W_Q", Numbers::Matrix(&self.query, [direction, dimension])),
            ("b_Q", Numbers::Bias(&self.query_bias, dimension)),
            ("W_K", Numbers::Matrix(&self.key, [direction, dimension])),
            ("b_K", Numbers::Bias(&self.key_bias, dimension)),
            ("W_V", Numbers::Matrix(&self.value, [direction, value])),
            ("W_O", Numbers::Matrix(&self.output, [value, direction])),
        ]
    }
}

impl FeedForward {
    fn tensors(&self, direction: Side) -> [Named<'_>; 4] {
        let unit = (Axis::Numbered("unit"), self.input.columns());
        [
            ("W_in", Numbers::Matrix(&self.input, [direction, unit])),
            ("b_in", Numbers::Bias(&self.input_bias, unit)),
            ("W_out", Numbers::Matrix(&self.output, [unit, direction])),
            ("b_out", Numbers::Bias(&self.output_bias, direction)),
        ]
    }
}

impl Readout {
    fn tensors(&self, direction: Side) -> [Named<'_>; 2] {
        let class = (Axis::Numbered("class"), self.bias.len());
        [
            ("W_U", Numbers::Matrix(&self.weights, [direction, class])),
            ("b_U", Numbers::Bias(&self.bias, class)),
        ]
    }
}
