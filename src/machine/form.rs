//! Weighted sums of rows of the residual stream, and the matrices that they make: what layers written
//! by hand are written in. Depends on `model`.

use crate::model::{FeedForward, Matrix};
use std::ops::{Add, Mul, Range, Sub};

/// A weighted sum of rows and a constant.
#[derive(Clone, Debug, Default)]
pub struct Form {
    /// Rows with their weights.
    pub terms: Vec<(usize, f64)>,
    /// What is added to them.
    pub constant: f64,
}

impl Form {
    /// A row as it is.
    pub fn row(row: usize) -> Form {
        Form {
            terms: vec![(row, 1.0)],
            constant: 0.0,
        }
    }

    /// A number.
    pub fn constant(constant: f64) -> Form {
        Form {
            terms: Vec::new(),
            constant,
        }
    }

    /// The number that rows of 0 and 1 are the bits of, the lowest first.
    pub fn number(bits: Range<usize>) -> Form {
        let weights = std::iter::successors(Some(1.0), |weight| Some(weight * 2.0));
        Form {
            terms: bits.zip(weights).collect(),
            constant: 0.0,
        }
    }
}

impl Add for Form {
    type Output = Form;

    fn add(mut self, other: Form) -> Form {
        self.terms.extend(other.terms);
        self + other.constant
    }
}

impl Add<f64> for Form {
    type Output = Form;

    fn add(mut self, number: f64) -> Form {
        self.constant += number;
        self
    }
}

impl Sub for Form {
    type Output = Form;

    fn sub(self, other: Form) -> Form {
        self + other * -1.0
    }
}

impl Mul<f64> for Form {
    type Output = Form;

    fn mul(mut self, factor: f64) -> Form {
        let weights = self.terms.iter_mut();
        weights.for_each(|(_, weight)| *weight *= factor);
        self.constant *= factor;
        self
    }
}

/// Forms as the columns of a matrix `[d_model, width]` and a bias `[width]`.
pub fn columns(d_model: usize, forms: Vec<Form>, width: usize) -> (Matrix, Vec<f64>) {
    let mut entries = Vec::new();
    let mut bias = vec![0.0; width];
    for (column, form) in forms.into_iter().enumerate() {
        let terms = form.terms.into_iter();
        entries.extend(terms.map(|(row, weight)| (row, column, weight)));
        bias[column] = form.constant;
    }
    (Matrix::from_triplets(d_model, width, entries), bias)
}

/// A hidden unit: `relu(form)` times a weight is added to each of some rows.
pub type Unit = (Form, Vec<(usize, f64)>);

/// The feed-forward block of some hidden units, with a constant `[d_model]` for each row.
pub fn feed_forward(units: Vec<Unit>, output_bias: Vec<f64>) -> FeedForward {
    let d_model = output_bias.len();
    let (forms, writes): (Vec<Form>, Vec<_>) = units.into_iter().unzip();
    let count = forms.len();
    let (input, input_bias) = columns(d_model, forms, count);
    let writes = writes.into_iter().enumerate();
    let output = writes.flat_map(|(unit, writes)| {
        let entry = move |(row, weight)| (unit, row, weight);
        writes.into_iter().map(entry)
    });
    FeedForward {
        layer_norm: false,
        input,
        input_bias,
        output: Matrix::from_triplets(count, d_model, output.collect()),
        output_bias,
    }
}
