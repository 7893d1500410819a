//! Layers written by hand: rows of the residual stream with names, heads and hidden units. Depends on
//! `form` and `model`.

use crate::machine::form::{Form, Unit, columns, feed_forward};
use crate::model::{Attention, FeedForward, Head, Layer, Mask, Matrix, Readout};
use std::ops::Range;

/// Scores are integers, and this far apart after the division by √d_head. A power of two, so that
/// they are exact; `exp(-64)` is lost beside 1 in float32, and far below every threshold in float64.
const INVERSE_TEMPERATURE: f64 = 64.0;

/// Gives rows of the residual stream out, and names them.
#[derive(Default)]
pub struct Rows {
    /// One for each row so far.
    pub labels: Vec<String>,
}

impl Rows {
    /// The next row.
    pub fn row(&mut self, name: &str) -> usize {
        self.labels.push(name.to_string());
        self.labels.len() - 1
    }

    /// The next rows, labelled `name 0`, `name 1`, ….
    pub fn block(&mut self, name: &str, width: usize) -> Range<usize> {
        let first = self.labels.len();
        (0..width).for_each(|index| self.labels.push(format!("{name} {index}")));
        first..first + width
    }
}

/// A layer in the making.
pub struct Draft {
    d_model: usize,
    attention: Attention,
    heads: Vec<Head>,
    layer_norm: bool,
    units: Vec<Unit>,
    output_bias: Vec<f64>,
}

impl Draft {
    pub fn new(d_model: usize, attention: Attention) -> Draft {
        Draft {
            d_model,
            attention,
            heads: Vec::new(),
            layer_norm: false,
            units: Vec::new(),
            output_bias: vec![0.0; d_model],
        }
    }

    /// A head whose score is the sum of `query · key`, an integer, over these pairs, and which adds to
    /// rows what forms without a constant are at the key. d_head is 0, 1 or 4: hosts divide by its
    /// root.
    pub fn head(
        &mut self,
        label: &str,
        mask: Mask,
        score: Vec<(Form, Form)>,
        moves: Vec<(Form, usize)>,
    ) {
        let d_head = match score.len() {
            0 | 1 => score.len(),
            _ => score.len().next_power_of_two().max(4),
        };
        let scale = INVERSE_TEMPERATURE * (d_head as f64).sqrt();
        let (queries, keys) = score.into_iter().map(|(q, k)| (q * scale, k)).unzip();
        let (query, query_bias) = self.columns(queries, d_head);
        let (key, key_bias) = self.columns(keys, d_head);
        let width = moves.len();
        let (values, rows): (Vec<Form>, Vec<usize>) = moves.into_iter().unzip();
        let output = rows.into_iter().enumerate();
        let output = output.map(|(value, row)| (value, row, 1.0)).collect();
        self.heads.push(Head {
            label: label.to_string(),
            mask,
            attention: self.attention,
            query,
            query_bias,
            key,
            key_bias,
            value: self.columns(values, width).0,
            output: Matrix::from_triplets(width, self.d_model, output),
        });
    }

    /// A hidden unit: `relu(form)` times a weight is added to each of some rows.
    pub fn unit(&mut self, form: Form, writes: &[(usize, f64)]) {
        self.units.push((form, writes.to_vec()));
    }

    /// Adds a number to a row at every position.
    pub fn constant(&mut self, number: f64, row: usize) {
        self.output_bias[row] += number;
    }

    /// Makes rows 0 that are not negative.
    pub fn clear(&mut self, rows: impl IntoIterator<Item = usize>) {
        for row in rows {
            self.unit(Form::row(row), &[(row, -1.0)]);
        }
    }

    /// Adds `weight` to a row where a form, an integer up to ±1/4, is 0 and a gate, another, is 0 too. The
    /// gate is at least 0; the form is less than `closing`.
    pub fn if_zero(&mut self, form: Form, (gate, closing): (Form, f64), weight: f64, row: usize) {
        let form = form - gate * closing;
        for (shift, slope) in [(0.75, 2.0), (0.25, -2.0), (-0.25, -2.0), (-0.75, 2.0)] {
            self.unit(form.clone() + shift, &[(row, slope * weight)]);
        }
    }

    /// Normalises the hidden units together.
    pub fn layer_norm(&mut self) {
        self.layer_norm = true;
    }

    pub fn layer(self) -> Layer {
        Layer {
            mlp: FeedForward {
                layer_norm: self.layer_norm,
                ..feed_forward(self.units, self.output_bias)
            },
            heads: self.heads,
        }
    }

    fn columns(&self, forms: Vec<Form>, width: usize) -> (Matrix, Vec<f64>) {
        columns(self.d_model, forms, width)
    }
}

/// A readout that gives the value with the largest form.
pub fn largest(
    d_model: usize,
    classes: impl IntoIterator<Item = (crate::value::Value, Form)>,
) -> Readout {
    let (values, forms): (Vec<_>, Vec<_>) = classes.into_iter().unzip();
    let width = values.len();
    let (weights, bias) = columns(d_model, forms, width);
    Readout {
        weights,
        bias,
        decoder: crate::model::Decoder::Categorical(values),
    }
}

/// A readout that gives the nearest of ascending numbers.
pub fn number(d_model: usize, form: Form, numbers: Vec<crate::value::Value>) -> Readout {
    let (weights, bias) = columns(d_model, vec![form], 1);
    Readout {
        weights,
        bias,
        decoder: crate::model::Decoder::Numerical(numbers),
    }
}
