//! A model small enough to be built by hand.

use rasp::model::{
    Attention, Decoder, FeedForward, Head, Layer, Mask, Matrix, Model, Output, Readout, Variable,
};
use rasp::value::Value;

/// `length` and the previous token over the vocabulary `a`, `b`, for up to `max_length` tokens.
///
/// Directions: 0 `a`, 1 `b`, 2 BOS; then one-hot positions `0..=max_length`; then the previous
/// token (`a`, `b`, none); then one over the number of positions; then the length.
pub struct Tiny {
    pub max_length: usize,
}

impl Tiny {
    const PREVIOUS: [&str; 3] = ["a", "b", "-"];

    fn position(&self, position: usize) -> usize {
        3 + position
    }

    fn previous(&self, token: usize) -> usize {
        4 + self.max_length + token
    }

    fn inverse(&self) -> usize {
        7 + self.max_length
    }

    fn length(&self) -> usize {
        8 + self.max_length
    }

    fn d_model(&self) -> usize {
        9 + self.max_length
    }

    fn matrix(&self, entries: Vec<(usize, usize, f64)>, columns: usize) -> Matrix {
        Matrix::from_triplets(self.d_model(), columns, entries)
    }

    /// Query position p attends to key position p - 1 (BOS to itself).
    fn previous_head(&self) -> Head {
        let positions = self.max_length + 1;
        let sharp = 100.0 * (positions as f64).sqrt();
        let query = (0..positions).map(|p| (self.position(p), p.saturating_sub(1), sharp));
        let key = (0..positions).map(|p| (self.position(p), p, 1.0));
        Head {
            label: "previous".to_string(),
            mask: Mask::All,
            attention: Attention::Soft,
            query: self.matrix(query.collect(), positions),
            query_bias: vec![0.0; positions],
            key: self.matrix(key.collect(), positions),
            key_bias: vec![0.0; positions],
            value: self.matrix((0..3).map(|t| (t, t, 1.0)).collect(), 3),
            output: Matrix::from_triplets(
                3,
                self.d_model(),
                (0..3).map(|t| (t, self.previous(t), 1.0)).collect(),
            ),
        }
    }

    /// Everything attends everywhere alike; BOS has the value 1, so that the mean is
    /// one over the number of positions.
    fn length_head(&self) -> Head {
        Head {
            label: "all".to_string(),
            mask: Mask::All,
            attention: Attention::Soft,
            query: Matrix::zeros(self.d_model(), 0),
            query_bias: Vec::new(),
            key: Matrix::zeros(self.d_model(), 0),
            key_bias: Vec::new(),
            value: self.matrix(vec![(2, 0, 1.0)], 1),
            output: Matrix::from_triplets(1, self.d_model(), vec![(0, self.inverse(), 1.0)]),
        }
    }

    /// The length from its inverse, by linear interpolation between the values it can take.
    fn length_mlp(&self) -> FeedForward {
        let knots: Vec<f64> = (1..=self.max_length)
            .map(|n| 1.0 / (n as f64 + 1.0))
            .collect();
        let slopes: Vec<f64> = knots
            .windows(2)
            .map(|pair| 1.0 / (pair[1] - pair[0]))
            .collect();
        // relu(knot - x) at each knot but the last, right to left.
        let mut output = Vec::new();
        let mut slope = 0.0;
        for (unit, next) in slopes.iter().enumerate() {
            output.push((unit, self.length(), -(next - slope)));
            slope = *next;
        }
        let units = output.len();
        let mut output_bias = vec![0.0; self.d_model()];
        output_bias[self.length()] = 1.0;
        FeedForward {
            layer_norm: false,
            input: self.matrix(
                (0..units).map(|u| (self.inverse(), u, -1.0)).collect(),
                units,
            ),
            input_bias: knots[..units].to_vec(),
            output: Matrix::from_triplets(units, self.d_model(), output),
            output_bias,
        }
    }

    pub fn previous_readout(&self) -> Readout {
        Readout {
            weights: self.matrix((0..3).map(|t| (self.previous(t), t, 1.0)).collect(), 3),
            bias: vec![0.0; 3],
            decoder: Decoder::Categorical(Tiny::PREVIOUS.map(Value::str).to_vec()),
        }
    }

    pub fn length_readout(&self, values: Vec<Value>) -> Readout {
        Readout {
            weights: self.matrix(vec![(self.length(), 0, 1.0)], 1),
            bias: vec![0.0],
            decoder: Decoder::Numerical(values),
        }
    }

    pub fn lengths(&self) -> Vec<Value> {
        (1..=self.max_length as i64).map(Value::Int).collect()
    }

    pub fn token_readout(&self) -> Readout {
        Readout {
            weights: self.matrix((0..2).map(|t| (t, t, 1.0)).collect(), 2),
            bias: vec![0.0; 2],
            decoder: Decoder::Categorical(Value::characters("ab")),
        }
    }

    fn directions(&self) -> Vec<String> {
        let mut directions: Vec<String> = ["tokens = \"a\"", "tokens = \"b\"", "BOS"]
            .map(str::to_string)
            .to_vec();
        directions.extend((0..=self.max_length).map(|p| format!("position = {p}")));
        directions.extend(Tiny::PREVIOUS.map(|token| format!("previous = \"{token}\"")));
        directions.extend(["1/length", "length"].map(str::to_string));
        directions
    }

    pub fn model(&self, readout: Readout) -> Model {
        let positions = self.max_length + 1;
        let place = (0..positions).map(|p| (p, self.position(p), 1.0)).collect();
        let variable = |name: &str, ready, readout| Variable {
            name: name.to_string(),
            ready,
            readout,
        };
        Model {
            name: "previous and length".to_string(),
            bos: true,
            vocabulary: Value::characters("ab"),
            max_length: self.max_length,
            causal: false,
            d_model: self.d_model(),
            token_embedding: Matrix::from_triplets(
                3,
                self.d_model(),
                (0..3).map(|t| (t, t, 1.0)).collect(),
            ),
            position_embedding: Matrix::from_triplets(positions, self.d_model(), place),
            layers: vec![Layer {
                heads: vec![self.previous_head(), self.length_head()],
                mlp: self.length_mlp(),
            }],
            loops: Vec::new(),
            outputs: vec![Output {
                name: "previous and length".to_string(),
                readout,
            }],
            directions: self.directions(),
            variables: vec![
                variable("tokens", 0, self.token_readout()),
                variable("previous", 1, self.previous_readout()),
                variable("length", 2, self.length_readout(self.lengths())),
            ],
            plan: None,
            machine: None,
            certified: rasp::model::Exactness::new(),
            any_order: rasp::model::Exactness::new(),
            largest_activation: None,
        }
    }
}
