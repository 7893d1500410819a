//! A host that adds up in float32 in any order: each sum is that of two of its terms, drawn by lot, until one is
//! left. It shares no code with the crate's own.

use rasp::base::Random;
use rasp::model::{Decoder, Matrix, Model};
use rasp::value::Value;

/// A row of attention for each query.
pub type Pattern = Vec<Vec<f32>>;

/// What a model gives for an input, and the rows of attention of each head.
pub fn run(model: &Model, input: &[Value], random: &mut Random) -> (Vec<Value>, Vec<Pattern>) {
    let token = |value: &Value| {
        let place = model
            .vocabulary
            .iter()
            .position(|known| known.equals(value));
        place.expect("a token of the vocabulary")
    };
    let bos = model.bos.then_some(model.vocabulary.len());
    let tokens: Vec<usize> = bos.into_iter().chain(input.iter().map(token)).collect();
    let mut stream: Vec<Vec<f32>> = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        let of_token = dense(&model.token_embedding, *token);
        let of_place = dense(&model.position_embedding, place);
        stream.push(of_token.iter().zip(&of_place).map(|(a, b)| a + b).collect());
    }
    let mut rows = Vec::new();
    for layer in &model.layers {
        // What each position and direction is added.
        let mut added = vec![vec![Vec::new(); model.d_model]; stream.len()];
        for head in &layer.heads {
            let queries = read(&stream, &head.query, &head.query_bias, random);
            let keys = read(&stream, &head.key, &head.key_bias, random);
            let values = read(
                &stream,
                &head.value,
                &vec![0.0; head.value.columns()],
                random,
            );
            let root = (head.d_head().max(1) as f32).sqrt();
            let mut pattern = Vec::new();
            for (query, q) in queries.iter().enumerate() {
                let seen = if model.causal { query + 1 } else { keys.len() };
                let logit = |k: &Vec<f32>, random: &mut Random| {
                    let products = q.iter().zip(k).map(|(q, k)| q * k);
                    sum(products.collect(), random) / root
                };
                let logits: Vec<f32> = keys[..seen].iter().map(|k| logit(k, random)).collect();
                let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let weights: Vec<f32> = logits.iter().map(|logit| (logit - most).exp()).collect();
                let whole = sum(weights.clone(), random);
                let row: Vec<f32> = weights.iter().map(|weight| weight / whole).collect();
                for at in 0..head.value.columns() {
                    let shares = row
                        .iter()
                        .zip(&values)
                        .map(|(weight, value)| weight * value[at]);
                    let mean = sum(shares.collect(), random);
                    for (into, weight) in head.output.row(at) {
                        added[query][into].push(mean * weight as f32);
                    }
                }
                pattern.push(row);
            }
            rows.push(pattern);
        }
        add(&mut stream, added, random);
        let units = read(&stream, &layer.mlp.input, &layer.mlp.input_bias, random);
        let mut added = vec![vec![Vec::new(); model.d_model]; stream.len()];
        for (unit, into, weight) in layer.mlp.output.entries() {
            for (place, units) in units.iter().enumerate() {
                added[place][into].push(units[unit].max(0.0) * weight as f32);
            }
        }
        for added in &mut added {
            let biases = added.iter_mut().zip(&layer.mlp.output_bias);
            biases.for_each(|(added, bias)| added.push(*bias as f32));
        }
        add(&mut stream, added, random);
    }
    let readout = &model.outputs[0].readout;
    let scores = read(&stream, &readout.weights, &readout.bias, random);
    let first = usize::from(model.bos);
    let values = scores[first..].iter().map(|scores| match &readout.decoder {
        Decoder::Categorical(values) => {
            let mut best = 0;
            for (at, score) in scores.iter().enumerate() {
                if *score > scores[best] {
                    best = at;
                }
            }
            values[best].clone()
        }
        Decoder::Numerical(values) => {
            let off = |value: &&Value| (value.as_float().unwrap() - f64::from(scores[0])).abs();
            let nearest = values.iter().min_by(|a, b| off(a).total_cmp(&off(b)));
            nearest.map_or(Value::Float(f64::from(scores[0])), Value::clone)
        }
    });
    (values.collect(), rows)
}

fn dense(matrix: &Matrix, row: usize) -> Vec<f32> {
    let mut numbers = vec![0.0; matrix.columns()];
    matrix
        .row(row)
        .for_each(|(column, number)| numbers[column] = number as f32);
    numbers
}

/// What is read at each position.
fn read(stream: &[Vec<f32>], weights: &Matrix, bias: &[f64], random: &mut Random) -> Vec<Vec<f32>> {
    let read = |x: &Vec<f32>, random: &mut Random| {
        let mut terms: Vec<Vec<f32>> = bias.iter().map(|bias| vec![*bias as f32]).collect();
        for (row, column, weight) in weights.entries() {
            terms[column].push(x[row] * weight as f32);
        }
        terms.into_iter().map(|terms| sum(terms, random)).collect()
    };
    stream.iter().map(|x| read(x, random)).collect()
}

/// Adds to each position and direction what is there for it, added up before.
fn add(stream: &mut [Vec<f32>], added: Vec<Vec<Vec<f32>>>, random: &mut Random) {
    for (x, added) in stream.iter_mut().zip(added) {
        for (number, terms) in x.iter_mut().zip(added) {
            *number += sum(terms, random);
        }
    }
}

fn sum(mut terms: Vec<f32>, random: &mut Random) -> f32 {
    while terms.len() > 1 {
        let one = terms.swap_remove(random.below(terms.len()));
        let other = terms.swap_remove(random.below(terms.len()));
        terms.push(one + other);
    }
    terms.pop().unwrap_or(0.0)
}
