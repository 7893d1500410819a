//! A machine as it comes from its builder, and the model that it is: the state at the start stands in
//! W_pos, each column is one token, and the layers are one loop. Depends on `model`, `network` and
//! `description`.

use super::description::{Description, Machine, Name};
use super::network::{Draft, Rows};
use crate::model::{Decoder, Exactness, Loop, Matrix, Model, Output, Readout};
use crate::value::Value;
use std::ops::Range;

/// The token of every column.
pub const TOKEN: &str = "·";

/// What a builder makes.
pub struct Built {
    pub drafts: Vec<Draft>,
    pub rows: Rows,
    /// What columns hold at the start: column, row, value.
    pub columns: Vec<(usize, usize, f64)>,
    /// How many columns there are.
    pub count: usize,
    pub memory: Range<usize>,
    pub code: Range<usize>,
    pub word: Range<usize>,
    pub pending: Option<Range<usize>>,
    pub counter: Range<usize>,
    pub ahead: usize,
    pub fields: Range<usize>,
}

/// What a program calls its parts, and the floats that it is for.
pub struct Names {
    pub words: Vec<Name>,
    pub labels: Vec<(usize, String)>,
    pub lines: Vec<usize>,
    pub functions: Vec<String>,
    pub definitions: Vec<String>,
    pub float64: bool,
}

impl Built {
    /// The model of the machine, which runs its loop so many times.
    pub fn model(self, machine: Machine, word_bits: usize, names: Names, times: usize) -> Model {
        let d_model = self.rows.labels.len();
        let description = Description {
            kind: "looped".to_string(),
            machine,
            word_bits,
            float64: names.float64,
            memory: self.memory,
            code: self.code,
            word: self.word.clone(),
            pending: self.pending,
            counter: self.counter,
            ahead: self.ahead,
            fields: self.fields,
            names: names.words,
            labels: names.labels,
            lines: names.lines,
            functions: names.functions,
            definitions: names.definitions,
        };
        let layers: Vec<_> = self
            .drafts
            .into_iter()
            .map(|draft| draft.layer(d_model))
            .collect();
        Model {
            name: format!("{} machine", machine.name()),
            bos: false,
            vocabulary: vec![Value::str(TOKEN)],
            max_length: self.count,
            causal: false,
            d_model,
            token_embedding: Matrix::zeros(1, d_model),
            position_embedding: Matrix::from_triplets(self.count, d_model, self.columns),
            loops: vec![Loop {
                layers: 0..layers.len(),
                times,
            }],
            layers,
            outputs: outputs(&description, &self.word, d_model),
            directions: self.rows.labels,
            variables: Vec::new(),
            plan: None,
            machine: serde_json::to_string(&description).ok(),
            certified: Exactness::new(),
            any_order: Exactness::new(),
            largest_activation: None,
        }
    }
}

/// What stands in the rows of a word: a number of bits, or each row by itself.
fn outputs(description: &Description, word: &Range<usize>, d_model: usize) -> Vec<Output> {
    let number = |name: String, weights: Vec<(usize, f64)>, bias: f64| Output {
        name,
        readout: Readout {
            weights: Matrix::from_triplets(
                d_model,
                1,
                weights
                    .into_iter()
                    .map(|(row, weight)| (row, 0, weight))
                    .collect(),
            ),
            bias: vec![bias],
            decoder: Decoder::Numerical(Vec::new()),
        },
    };
    if description.word_bits == word.len() {
        // Two's complement of bits of ±1.
        let weight = |(index, row): (usize, usize)| {
            let sign = if index + 1 == word.len() { -1.0 } else { 1.0 };
            (row, sign * 2f64.powi(index as i32 - 1))
        };
        return vec![number(
            "word".to_string(),
            word.clone().enumerate().map(weight).collect(),
            -0.5,
        )];
    }
    let names = |index: usize| match word.len() {
        1 => "word".to_string(),
        _ => format!("row {index}"),
    };
    let rows = word.clone().enumerate();
    rows.map(|(index, row)| number(names(index), vec![(row, 1.0)], 0.0))
        .collect()
}
