//! The forward pass as the formulas have it: dense, position by position, slow.

use rasp::model::{Attention, FeedForward, Head, Mask, Matrix, Model, Readout};
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
        let seen = match head.mask {
            Mask::All if causal => 0..position + 1,
            Mask::All => 0..x.len(),
            Mask::Earlier => 0..position,
            Mask::Later => position + 1..x.len(),
        };
        let scale = if d_head == 0 {
            1.0
        } else {
            (d_head as f64).sqrt()
        };
        let logits: Vec<f64> = key[seen.clone()]
            .iter()
            .map(|key| query.iter().zip(key).map(|(q, k)| q * k).sum::<f64>() / scale)
            .collect();
        let largest = logits
            .iter()
            .fold(f64::NEG_INFINITY, |l, logit| l.max(*logit));
        let power = |logit: &f64| match head.attention {
            Attention::Soft => (logit - largest).exp(),
            Attention::Hard => f64::from(*logit == largest),
        };
        let powers: Vec<f64> = logits.iter().map(power).collect();
        let total: f64 = powers.iter().sum();
        let mut mixed = vec![0.0; head.value.columns()];
        for (power, value) in powers.iter().zip(&value[seen]) {
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
    let mut hidden = biased(hidden, &mlp.input_bias);
    if mlp.layer_norm {
        hidden = hidden.iter().map(|units| layer_norm(units)).collect();
    }
    let hidden: Stream = hidden.into_iter().map(relu).collect();
    let output = times(&hidden, &dense(&mlp.output), mlp.output.columns());
    biased(output, &mlp.output_bias)
}

fn layer_norm(units: &[f64]) -> Vec<f64> {
    let mean = |units: &[f64]| units.iter().sum::<f64>() / units.len() as f64;
    let middle = mean(units);
    let off: Vec<f64> = units.iter().map(|unit| unit - middle).collect();
    let squares: Vec<f64> = off.iter().map(|off| off * off).collect();
    let deviation = mean(&squares).sqrt();
    match deviation > 0.0 {
        true => off.iter().map(|off| off / deviation).collect(),
        false => vec![0.0; units.len()],
    }
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
