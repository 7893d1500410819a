//! Layers written by hand: rows of the residual stream with names, heads and hidden units, and the
//! gadgets that the machines are made of. Depends on `form` and `model`.
//!
//! Heads look up (Giannou et al. 2023, section 4): keys and queries are pointers of ±1, and the inverse
//! temperature is so large that the softmax gives weights that are exactly 0, or 1 over a count.

use crate::machine::form::{Form, Unit, columns, feed_forward};
use crate::model::{Attention, Head, Layer, Mask, Matrix};
use std::ops::Range;

/// Scores that differ at all differ by this much once they are divided by √d_head: `exp(-800)` is 0 in
/// float64, too.
const GAP: f64 = 800.0;

/// Neighbouring rows of the residual stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    first: usize,
    width: usize,
}

impl Block {
    /// One of the rows, as a form.
    pub fn at(self, index: usize) -> Form {
        Form::row(self.row(index))
    }

    /// The number of one of the rows.
    pub fn row(self, index: usize) -> usize {
        assert!(index < self.width, "row {index} of {}", self.width);
        self.first + index
    }

    /// Some of the rows.
    pub fn part(self, range: Range<usize>) -> Block {
        Block {
            first: self.first + range.start,
            width: range.len(),
        }
    }

    /// How many rows they are.
    pub fn width(self) -> usize {
        self.width
    }

    /// The numbers of all rows.
    pub fn rows(self) -> Range<usize> {
        self.first..self.first + self.width
    }

    /// All rows, as forms.
    pub fn forms(self) -> Vec<Form> {
        self.rows().map(Form::row).collect()
    }

    /// What moves each row to the row of another block.
    pub fn onto(self, other: Block) -> Vec<(usize, Form)> {
        other.rows().zip(self.forms()).collect()
    }
}

/// Gives rows out, and names them.
#[derive(Default)]
pub struct Rows {
    /// One for each row so far.
    pub labels: Vec<String>,
}

impl Rows {
    /// The next rows, labelled `name 0`, `name 1`, …; a single one is labelled `name`.
    pub fn block(&mut self, name: &str, width: usize) -> Block {
        let first = self.labels.len();
        match width {
            1 => self.labels.push(name.to_string()),
            _ => (0..width).for_each(|index| self.labels.push(format!("{name} {index}"))),
        }
        Block { first, width }
    }

    /// The next row.
    pub fn row(&mut self, name: &str) -> usize {
        self.block(name, 1).first
    }
}

/// What the bits of some rows mean as a number, less the constant that makes it 0 for all bits 0:
/// `Σ 2^i (1 + x_i)/2` for bits of ±1.
pub fn number(bits: Block) -> Form {
    bits.forms()
        .into_iter()
        .enumerate()
        .fold(Form::default(), |sum, (index, bit)| {
            let weight = power(index) / 2.0;
            sum + bit * weight + weight
        })
}

/// 2 to the power of a number of bits.
pub fn power(bits: usize) -> f64 {
    2f64.powi(bits as i32)
}

/// Bits of ±1, the lowest first.
pub fn bits(number: i64, width: usize) -> impl Iterator<Item = f64> {
    (0..width).map(move |bit| match number >> bit.min(63) & 1 {
        1 => 1.0,
        _ => -1.0,
    })
}

/// How scores become attention.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Temperature {
    /// So cold that only the keys with the largest score, all integers, are seen.
    Cold,
    /// The softmax of the scores as they are. The head is padded to a d_head that is a power of 4, so
    /// that W_Q can make up for the division by its root exactly.
    One,
}

/// A layer in the making.
#[derive(Default)]
pub struct Draft {
    heads: Vec<Lookup>,
    units: Vec<Unit>,
    bias: Vec<(usize, f64)>,
}

/// A head in the making.
struct Lookup {
    label: String,
    key: Vec<Form>,
    query: Vec<Form>,
    moves: Vec<(usize, Form)>,
    temperature: Temperature,
}

impl Draft {
    /// A head whose score is the sum of `key · query`, and which adds to rows what forms are at the key.
    pub fn head(
        &mut self,
        label: &str,
        key: Vec<Form>,
        query: Vec<Form>,
        moves: Vec<(usize, Form)>,
    ) {
        self.head_at(Temperature::Cold, label, (key, query), moves);
    }

    /// The same at another temperature.
    pub fn head_at(
        &mut self,
        temperature: Temperature,
        label: &str,
        (key, query): (Vec<Form>, Vec<Form>),
        moves: Vec<(usize, Form)>,
    ) {
        assert_eq!(key.len(), query.len(), "{label}");
        self.heads.push(Lookup {
            label: label.to_string(),
            key,
            query,
            moves,
            temperature,
        });
    }

    /// A hidden unit: `relu(form)` times a weight is added to each of some rows.
    pub fn unit(&mut self, form: Form, writes: &[(usize, f64)]) {
        self.units.push((form, writes.to_vec()));
    }

    /// Adds a constant to a row of every column.
    pub fn constant(&mut self, row: usize, constant: f64) {
        self.bias.push((row, constant));
    }

    /// Adds a form to a row where a gate is 0, and nothing where it is 1 or more: `|form|` is to be less
    /// than `closing`. A gate that is exactly 0 when open costs no digits.
    pub fn gated(&mut self, form: Form, gate: Form, closing: f64, row: usize) {
        let gate = gate * closing;
        self.unit(form.clone() - gate.clone(), &[(row, 1.0)]);
        self.unit(form * -1.0 - gate, &[(row, -1.0)]);
    }

    /// Adds a form to a row.
    pub fn linear(&mut self, form: Form, row: usize) {
        self.unit(form.clone(), &[(row, 1.0)]);
        self.unit(form * -1.0, &[(row, -1.0)]);
    }

    /// Makes rows 0.
    pub fn clear(&mut self, rows: impl IntoIterator<Item = usize>) {
        for row in rows {
            self.linear(Form::row(row) * -1.0, row);
        }
    }

    /// Adds `weight · [form ≥ threshold]` to a row, for a form that is an integer up to ±1/4; nothing
    /// where `closed`, which is 0 when open, is larger than the form can be.
    pub fn step(&mut self, form: Form, threshold: f64, closed: Form, row: usize, weight: f64) {
        let form = form - closed + -threshold;
        self.unit(form.clone() + 0.75, &[(row, 2.0 * weight)]);
        self.unit(form + 0.25, &[(row, -2.0 * weight)]);
    }

    /// The layer for a stream of this width.
    pub fn layer(self, d_model: usize) -> Layer {
        let mut output_bias = vec![0.0; d_model];
        for (row, constant) in self.bias {
            output_bias[row] += constant;
        }
        let heads = self.heads.into_iter();
        Layer {
            heads: heads.map(|head| head.head(d_model)).collect(),
            mlp: feed_forward(self.units, output_bias),
        }
    }
}

impl Lookup {
    fn head(self, d_model: usize) -> Head {
        let used = self.key.len();
        let (d_head, scale) = match self.temperature {
            Temperature::Cold => {
                let least = GAP * (used as f64).sqrt();
                (used, least.log2().ceil().exp2())
            }
            Temperature::One => {
                let padded = (0..).map(|power| 4usize.pow(power));
                let padded = padded.take(16).find(|size| *size >= used).unwrap_or(used);
                (padded, (padded as f64).sqrt())
            }
        };
        let query = self.query.into_iter().map(|form| form * scale).collect();
        let (query, query_bias) = columns(d_model, query, d_head);
        let (key, key_bias) = columns(d_model, self.key, d_head);
        let (rows, values): (Vec<usize>, Vec<Form>) = self.moves.into_iter().unzip();
        let width = rows.len();
        let output = rows.into_iter().enumerate();
        let output = output.map(|(value, row)| (value, row, 1.0)).collect();
        Head {
            label: self.label,
            mask: Mask::All,
            attention: Attention::Soft,
            query,
            query_bias,
            key,
            key_bias,
            // What a head moves has no constant.
            value: columns(d_model, values, width).0,
            output: Matrix::from_triplets(width, d_model, output),
        }
    }
}
