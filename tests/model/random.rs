//! Random models, the same on every machine.

use rasp::base;
use rasp::model::{
    Attention, Decoder, FeedForward, Head, Layer, Mask, Matrix, Model, Output, Readout,
};
use rasp::value::Value;

/// Random parts of models.
pub struct Random(base::Random);

pub struct Sizes {
    pub d_model: usize,
    pub layers: usize,
    pub heads: usize,
    pub d_head: usize,
    pub d_mlp: usize,
    /// The part of the weights that is not zero.
    pub density: f64,
    pub vocabulary: usize,
    pub max_length: usize,
    pub causal: bool,
    /// Whether heads may be masked or hard, and hidden units normalised.
    pub special: bool,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(base::Random::new(seed))
    }

    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    /// Between 0 and 1.
    pub fn fraction(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn weight(&mut self) -> f64 {
        2.0 * self.fraction() - 1.0
    }

    pub fn matrix(&mut self, rows: usize, columns: usize, density: f64) -> Matrix {
        // There is no place to draw in an empty matrix.
        let entries = (density * (rows * columns) as f64).ceil() as usize;
        let triplets = (0..entries)
            .map(|_| (self.below(rows), self.below(columns), self.weight()))
            .collect();
        Matrix::from_triplets(rows, columns, triplets)
    }

    fn bias(&mut self, length: usize) -> Vec<f64> {
        (0..length).map(|_| self.weight()).collect()
    }

    fn head(&mut self, sizes: &Sizes) -> Head {
        let (d_model, d_value) = (sizes.d_model, 1 + self.below(4));
        Head {
            label: "random".to_string(),
            mask: match self.below(4) {
                0 if sizes.special => Mask::Earlier,
                1 if sizes.special && !sizes.causal => Mask::Later,
                _ => Mask::All,
            },
            attention: match self.below(4) {
                0 if sizes.special => Attention::Hard,
                _ => Attention::Soft,
            },
            query: self.matrix(d_model, sizes.d_head, sizes.density),
            query_bias: self.bias(sizes.d_head),
            key: self.matrix(d_model, sizes.d_head, sizes.density),
            key_bias: self.bias(sizes.d_head),
            value: self.matrix(d_model, d_value, sizes.density),
            output: self.matrix(d_value, d_model, sizes.density),
        }
    }

    fn layer(&mut self, sizes: &Sizes) -> Layer {
        Layer {
            heads: (0..sizes.heads).map(|_| self.head(sizes)).collect(),
            mlp: FeedForward {
                layer_norm: sizes.special && self.below(4) == 0,
                input: self.matrix(sizes.d_model, sizes.d_mlp, sizes.density),
                input_bias: self.bias(sizes.d_mlp),
                output: self.matrix(sizes.d_mlp, sizes.d_model, sizes.density),
                output_bias: self.bias(sizes.d_model),
            },
        }
    }

    fn output(&mut self, index: usize, d_model: usize) -> Output {
        Output {
            name: format!("output {index}"),
            readout: Readout {
                weights: self.matrix(d_model, 1, 1.0),
                bias: self.bias(1),
                decoder: Decoder::Numerical(Vec::new()),
            },
        }
    }

    /// A model whose tokens are the first integers and whose outputs are raw numbers.
    pub fn model(&mut self, sizes: &Sizes) -> Model {
        let d_model = sizes.d_model;
        let before = self.below(2);
        Model {
            name: "random".to_string(),
            bos: before == 1,
            vocabulary: (0..sizes.vocabulary as i64).map(Value::Int).collect(),
            max_length: sizes.max_length,
            causal: sizes.causal,
            d_model,
            token_embedding: self.matrix(sizes.vocabulary + before, d_model, 0.5),
            position_embedding: self.matrix(sizes.max_length + before, d_model, 0.5),
            layers: (0..sizes.layers).map(|_| self.layer(sizes)).collect(),
            loops: Vec::new(),
            outputs: (0..1 + self.below(3))
                .map(|index| self.output(index, d_model))
                .collect(),
            directions: (0..d_model)
                .map(|direction| format!("x = {direction}"))
                .collect(),
            variables: Vec::new(),
            plan: None,
            machine: (before == 0).then(|| "{}".to_string()),
            certified: rasp::model::Exactness::new(),
            any_order: rasp::model::Exactness::new(),
            largest_activation: None,
        }
    }

    pub fn tokens(&mut self, model: &Model, length: usize) -> Vec<Value> {
        let token = |_| model.vocabulary[self.below(model.vocabulary.len())].clone();
        (0..length).map(token).collect()
    }
}
