//! The forward pass as the formulas have it: dense, position by position, slow.

use rasp::model::{FeedForward, Head, Matrix, Model, Readout};
use rasp::value::Value;

/// `[positions][features]`
pub type Stream = Vec<Vec<f64>>;

/// The residual stream after the embedding and after each half layer.
pub fn run(model: &Model, tokens: &[Value]) -> Vec<Stream> {
    let mut rows = vec![model.vocabulary.len(); model.before_tokens()];
    rows.extend(tokens.iter().map(|token| {
        let known = model.vocabulary.iter().position(|known| known == token);
        known.expect("a known token")
    }));
    let (tokens, positions) = (
        dense(&model.token_embedding),
        dense(&model.position_embedding),
    );
    let embed = |(position, row): (usize, &usize)| sum(&tokens[*row], &positions[position]);
    let mut x: Stream = rows.iter().enumerate().map(embed).collect();
    let mut steps = vec![x.clone()];
    for layer in &model.layers {
        let read = x.clone();
        for head in &layer.heads {
            x = add(&x, &attend(head, &read, model.causal));
        }
        steps.push(x.clone());
        x = add(&x, &feed_forward(&layer.mlp, &x));
        steps.push(x.clone());
    }
    steps
}

/// The number that a readout of a model gives at each token.
pub fn read(model: &Model, readout: &Readout, x: &Stream) -> Vec<f64> {
    let logits = times(x, &dense(&readout.weights), readout.bias.len());
    let first = |logits: &Vec<f64>| logits[0] + readout.bias[0];
    logits[model.before_tokens()..].iter().map(first).collect()
}

fn attend(head: &Head, x: &Stream, causal: bool) -> Stream {
    let d_head = head.query.columns();
    let query = biased(times(x, &dense(&head.query), d_head), &head.query_bias);
    let key = biased(times(x, &dense(&head.key), d_head), &head.key_bias);
    let value = times(x, &dense(&head.value), head.value.columns());
    let mixed = query.iter().enumerate().map(|(position, query)| {
        let seen = if causal { position + 1 } else { x.len() };
        let scale = if d_head == 0 {
            1.0
        } else {
            (d_head as f64).sqrt()
        };
        let logits: Vec<f64> = key[..seen]
            .iter()
            .map(|key| query.iter().zip(key).map(|(q, k)| q * k).sum::<f64>() / scale)
            .collect();
        let largest = logits
            .iter()
            .fold(f64::NEG_INFINITY, |l, logit| l.max(*logit));
        let powers: Vec<f64> = logits.iter().map(|logit| (logit - largest).exp()).collect();
        let total: f64 = powers.iter().sum();
        let mut mixed = vec![0.0; head.value.columns()];
        for (power, value) in powers.iter().zip(&value) {
            for (mixed, value) in mixed.iter_mut().zip(value) {
                *mixed += power / total * value;
            }
        }
        mixed
    });
    times(
        &mixed.collect(),
        &dense(&head.output),
        head.output.columns(),
    )
}

fn feed_forward(mlp: &FeedForward, x: &Stream) -> Stream {
    let hidden = times(x, &dense(&mlp.input), mlp.input.columns());
    let relu =
        |hidden: Vec<f64>| -> Vec<f64> { hidden.into_iter().map(|unit| unit.max(0.0)).collect() };
    let hidden = biased(hidden, &mlp.input_bias);
    let hidden: Stream = hidden.into_iter().map(relu).collect();
    let output = times(&hidden, &dense(&mlp.output), mlp.output.columns());
    biased(output, &mlp.output_bias)
}

fn dense(matrix: &Matrix) -> Vec<Vec<f64>> {
    let mut dense = vec![vec![0.0; matrix.columns()]; matrix.rows()];
    for (row, column, value) in matrix.entries() {
        dense[row][column] = value;
    }
    dense
}

fn times(x: &Stream, weights: &[Vec<f64>], columns: usize) -> Stream {
    let entry = |row: &[f64], column: usize| -> f64 {
        row.iter()
            .zip(weights)
            .map(|(x, weights)| x * weights[column])
            .sum()
    };
    x.iter()
        .map(|row| (0..columns).map(|column| entry(row, column)).collect())
        .collect()
}

fn biased(x: Stream, bias: &[f64]) -> Stream {
    x.iter().map(|row| sum(row, bias)).collect()
}

fn add(a: &Stream, b: &Stream) -> Stream {
    a.iter().zip(b).map(|(a, b)| sum(a, b)).collect()
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}
