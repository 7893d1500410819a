//! The discrete program of a trained network: the most likely choice of every gate, MLPs as tables.
//! Depends on `layout`, `program` and `data`.

use super::data::Encoded;
use super::layout::{HIDDEN, Layout, Mlp, Shape};
use super::program::{
    FIRST, Head, Linear, Module, POSITIONS, Predicate, Program, Readout, Rule, TOKENS, Variable,
    largest,
};
use super::run::some;
use std::collections::BTreeMap;

/// A table of numerical inputs has rows for those up to this, and for those that occur.
const TABULATED: i32 = 24;

/// The program of some parameters. Tables have rows for what occurs on examples.
pub fn program(shape: &Shape, layout: &Layout, parameters: &[f64], data: &Encoded) -> Program {
    let mut modules: Vec<Module> = Vec::new();
    let mut categorical: Vec<Variable> = vec![TOKENS, POSITIONS];
    let mut numerical: Vec<Option<Variable>> = vec![None];
    let gate = |start: usize, row: usize, of: usize| {
        largest(&parameters[start + row * of..start + (row + 1) * of])
    };
    for layer in &layout.layers {
        let read = |row: usize| categorical[gate(layer.reads, row, layer.categorical)];
        let head = |(number, of_kind): (usize, usize), keys: usize, queries: usize| {
            let start = layer.predicates + number * shape.d * shape.d;
            let set = |query: usize| {
                let row = &parameters[start + query * shape.d..][..shape.d];
                let keys = (0..shape.d).filter(|&key| row[key] > 0.0);
                keys.fold(0, |set: u64, key| set | 1 << key)
            };
            let rows = (0..shape.d).map(|query| match shape.rich {
                true => set(query),
                false => 1 << gate(start, query, shape.d),
            });
            Head {
                keys: read(keys),
                queries: read(queries),
                predicate: Predicate::Rows(rows.collect()),
                left: shape.is_left(of_kind),
                first: true,
            }
        };
        let (copies, counts) = (shape.copies, shape.counts);
        let mut made: Vec<Module> = Vec::new();
        for i in 0..copies {
            made.push(Module::Copy(
                head((i, i), i, copies + i),
                read(2 * copies + i),
            ));
        }
        for i in 0..counts {
            let summed = numerical[gate(layer.summed, i, layer.numerical)];
            let (keys, queries) = (3 * copies + i, 3 * copies + counts + i);
            made.push(Module::Count(head((copies + i, i), keys, queries), summed));
        }
        for at in 0..made.len() {
            let variable = FIRST + modules.len() + at;
            match at < copies {
                true => categorical.push(variable),
                false => numerical.push(Some(variable)),
            }
        }
        modules.extend(made);
        let (known, known_numbers) = (categorical.clone(), numerical.clone());
        let of = known_numbers.len();
        let number = |row: usize| known_numbers[gate(layer.counter_reads, row, of)];
        let wanted: Vec<Variable> = (0..2 * shape.counters).filter_map(number).collect();
        let columns = some(data, &modules, &wanted);
        for (i, mlp) in layer.mlps.iter().enumerate() {
            let module = match i.checked_sub(shape.tables) {
                None => {
                    let gate = |row| known[gate(layer.table_reads, 2 * i + row, known.len())];
                    table(shape, mlp, parameters, gate(0), gate(1))
                }
                Some(i) => {
                    let reads = [number(2 * i), number(2 * i + 1)];
                    counter(shape, mlp, parameters, reads, &columns)
                }
            };
            categorical.push(FIRST + modules.len());
            modules.push(module);
        }
    }
    let weights = parameters[layout.classifier..]
        .iter()
        .map(|&weight| weight as f32);
    let readout = Readout::Linear(Linear {
        labels: shape.labels,
        d: shape.d,
        categorical,
        numerical,
        weights: weights.collect(),
    });
    Program { modules, readout }
}

/// What an MLP chooses, from what its hidden units get beyond their biases.
fn chosen(shape: &Shape, mlp: &Mlp, parameters: &[f64], input: impl Fn(usize) -> f64) -> i32 {
    let mut outputs = parameters[mlp.bias_out..][..shape.d].to_vec();
    for unit in 0..HIDDEN {
        let hidden = (parameters[mlp.bias_in + unit] + input(unit)).max(0.0);
        for (value, output) in outputs.iter_mut().enumerate() {
            *output += hidden * parameters[mlp.weights_out + value * HIDDEN + unit];
        }
    }
    largest(&outputs) as i32
}

fn table(shape: &Shape, mlp: &Mlp, parameters: &[f64], a: Variable, b: Variable) -> Module {
    let d = shape.d;
    let pairs = (0..d * d)
        .map(|pair| (pair / d, pair % d))
        .filter(|(x, y)| a != b || x == y);
    let entries = pairs.map(|(x, y)| {
        let weights = |unit: usize| &parameters[mlp.weights_in + unit * 2 * d..][..2 * d];
        let input = |unit| weights(unit)[x] + weights(unit)[d + y];
        ((x as i32, y as i32), chosen(shape, mlp, parameters, input))
    });
    Module::Map(Rule::Table(entries.collect(), 0), a, b)
}

fn counter(
    shape: &Shape,
    mlp: &Mlp,
    parameters: &[f64],
    reads: [Option<Variable>; 2],
    columns: &[Vec<i32>],
) -> Module {
    // A number that is 1 everywhere is read as nothing: any variable does in its place.
    let values = |at: usize, read: Option<Variable>| read.map_or(1, |read| columns[read][at]);
    let value = |x: i32, y: i32| {
        let weights = |unit: usize| &parameters[mlp.weights_in + unit * 2..][..2];
        let input = |unit| weights(unit)[0] * f64::from(x) + weights(unit)[1] * f64::from(y);
        chosen(shape, mlp, parameters, input)
    };
    let mut pairs: BTreeMap<(i32, i32), i32> = BTreeMap::new();
    let most = |read: Option<Variable>| match read {
        Some(read) => columns[read].iter().copied().max().unwrap_or(0),
        None => 1,
    };
    let small = |read: Option<Variable>| match read {
        Some(_) => 0..=most(read).min(TABULATED),
        None => 1..=1,
    };
    for x in small(reads[0]) {
        for y in small(reads[1]) {
            pairs.insert((x, y), value(x, y));
        }
    }
    let count = reads.iter().flatten().next();
    for at in 0..count.map_or(0, |&read| columns[read].len()) {
        let (x, y) = (values(at, reads[0]), values(at, reads[1]));
        pairs.entry((x, y)).or_insert_with(|| value(x, y));
    }
    let (a, b) = match reads {
        [Some(a), Some(b)] => (a, b),
        [Some(a), None] => (a, a),
        [None, Some(b)] => (b, b),
        [None, None] => (POSITIONS, POSITIONS),
    };
    let entries = pairs.into_iter().filter_map(|((x, y), made)| match reads {
        [Some(a), Some(b)] => (a != b || x == y).then_some(((x, y), made)),
        [Some(_), None] => Some(((x, x), made)),
        [None, Some(_)] => Some(((y, y), made)),
        [None, None] => None,
    });
    let other = match reads {
        [None, None] => value(1, 1),
        _ => 0,
    };
    Module::Map(Rule::Table(entries.collect(), other), a, b)
}
