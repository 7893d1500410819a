//! How large a model is: parameters as they are stored, parameters as Tracr would store them, and
//! the largest weight.

use super::transformer::Model;
use super::weights::Numbers;

impl Model {
    /// Entries of all matrices and biases, zeros included.
    pub fn parameters(&self) -> usize {
        let count = |numbers| match numbers {
            Numbers::Matrix(matrix, _) => matrix.rows() * matrix.columns(),
            Numbers::Bias(bias, _) => bias.len(),
        };
        self.numbers().map(count).sum()
    }

    /// Entries of all matrices and biases that are not zero.
    pub fn nonzero(&self) -> usize {
        self.weights().filter(|weight| *weight != 0.0).count()
    }

    /// The parameters that the model would have in Tracr; see [`Shape::padded_parameters`].
    pub fn padded_parameters(&self) -> usize {
        let heads = || self.layers.iter().flat_map(|layer| &layer.heads);
        Shape {
            tokens: self.vocabulary.len(),
            max_length: self.max_length,
            layers: self.layers.len(),
            heads: most(self.layers.iter().map(|layer| layer.heads.len())),
            d_head: most(heads().map(|head| head.d_head().max(head.value.columns()))),
            d_mlp: self.widest_hidden_layer(),
            d_model: self.d_model,
        }
        .padded_parameters()
    }

    /// How many hidden units the widest feed-forward block has.
    pub fn widest_hidden_layer(&self) -> usize {
        most(self.layers.iter().map(|layer| layer.mlp.d_mlp()))
    }

    /// The largest absolute value among all matrices and biases.
    pub fn largest_weight(&self) -> f64 {
        self.weights()
            .fold(0.0, |largest, weight| largest.max(weight.abs()))
    }
}

fn most(sizes: impl Iterator<Item = usize>) -> usize {
    sizes.max().unwrap_or(0)
}

/// How large a model is where it is largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Tokens of the vocabulary, BOS not counted.
    pub tokens: usize,
    /// The longest input.
    pub max_length: usize,
    /// Layers.
    pub layers: usize,
    /// The most heads of a layer.
    pub heads: usize,
    /// The most columns of a W_Q, W_K or W_V.
    pub d_head: usize,
    /// The most hidden units of a layer.
    pub d_mlp: usize,
    /// Directions of the residual stream.
    pub d_model: usize,
}

impl Shape {
    /// The parameters that a model has in Tracr (Lindner et al. 2023), whose layers are all as wide
    /// as the widest:
    /// `(V+2)D + (n+1)D + L (3(D·HK + HK) + HK·D + D + 2DM + M + D)`.
    ///
    /// V tokens and the rows of BOS and of padding, n the longest input, D the width of the
    /// residual stream, L layers. H is the most heads of a layer, K the most columns of a W_Q, W_K
    /// or W_V, M the most hidden units; each is at least 1. There are biases everywhere, and no
    /// unembedding.
    pub fn padded_parameters(&self) -> usize {
        let d_model = self.d_model;
        let d_mlp = self.d_mlp.max(1);
        let attended = self.heads.max(1).saturating_mul(self.d_head.max(1));
        let area = d_model.saturating_mul(attended);
        let layer = [
            area.saturating_add(attended).saturating_mul(3),
            area,
            d_model,
            d_model.saturating_mul(2).saturating_mul(d_mlp),
            d_mlp,
            d_model,
        ];
        let layer = layer.into_iter().fold(0, usize::saturating_add);
        let rows = self.tokens + 2 + self.max_length + 1;
        d_model
            .saturating_mul(rows)
            .saturating_add(layer.saturating_mul(self.layers))
    }
}
