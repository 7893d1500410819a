//! The standard blocks: entry by entry, transposition, products by the softmax where it is almost linear,
//! and sums of sigmoids. Depends on `block`.
//!
//! A product is read from attention as in lemma 13 of Giannou et al. 2023, with the sink as the one
//! constant key; but of heads with opposite signs the difference is taken, so that even errors cancel,
//! and with a second pair at twice the scale the third-order error, too.

use super::block::{Block, Frame, Gate, Shape, Stage};
use super::program::{Matrix, shape};
use crate::machine::form::Form;
use crate::machine::looped::network::{Block as Block_, Temperature};

/// The score of keys that are not to be seen is this much lower.
const OUT: f64 = 2000.0;

/// The blocks that every machine has, with functions of one's own.
pub fn blocks(sums: Vec<Sum>, scales: Vec<(String, f64)>) -> Vec<Box<dyn Block>> {
    let mut blocks: Vec<Box<dyn Block>> = vec![
        Box::new(Entries { scales }),
        Box::new(Transposition),
        Box::new(Products),
    ];
    if !sums.is_empty() {
        blocks.push(Box::new(Sigmoids { sums }));
    }
    blocks
}

fn map(matrix: &Matrix, function: impl Fn(f64) -> f64) -> Matrix {
    let row = |row: &Vec<f64>| row.iter().map(|entry| function(*entry)).collect();
    matrix.iter().map(row).collect()
}

fn zip(a: &Matrix, b: &Matrix, function: impl Fn(f64, f64) -> f64) -> Matrix {
    let rows = a.iter().zip(b);
    let row =
        |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| function(*a, *b)).collect();
    rows.map(row).collect()
}

/// `copy`, `add`, `sub`, `relu`, and multiples.
struct Entries {
    scales: Vec<(String, f64)>,
}

impl Block for Entries {
    fn functions(&self) -> Vec<String> {
        let standard = ["copy", "add", "sub", "relu"]
            .map(str::to_string)
            .into_iter();
        standard
            .chain(self.scales.iter().map(|(name, _)| name.clone()))
            .collect()
    }

    fn definitions(&self) -> Vec<String> {
        let line = |(name, factor): &(String, f64)| format!("function {name} = scale {factor:?}");
        self.scales.iter().map(line).collect()
    }

    fn operands(&self, function: usize) -> usize {
        if matches!(function, 1 | 2) { 2 } else { 1 }
    }

    fn shape(&self, function: usize, a: Shape, b: Shape) -> Option<Shape> {
        (self.operands(function) == 1 || a == b).then_some(a)
    }

    fn value(&self, function: usize, a: &Matrix, b: &Matrix) -> Matrix {
        match function {
            0 => a.clone(),
            1 => zip(a, b, |a, b| a + b),
            2 => zip(a, b, |a, b| a - b),
            3 => map(a, |a| a.max(0.0)),
            _ => map(a, |a| a * self.scales[function - 4].1),
        }
    }

    fn build(&self, stage: &mut Stage<'_>, functions: &[Gate]) {
        let Frame {
            side, data, a, b, ..
        } = *stage.frame;
        for row in 0..side {
            let (a, b, data) = (a.at(row), b.at(row), data.row(row));
            stage.add(0, functions[0], a.clone(), data);
            stage.add(0, functions[1], a.clone() + b.clone(), data);
            stage.add(0, functions[2], a.clone() - b, data);
            stage.add_positive(0, functions[3], a.clone(), data);
            for (gate, (_, factor)) in functions[4..].iter().zip(&self.scales) {
                stage.add_scaled(0, *gate, a.clone(), data, *factor);
            }
        }
    }
}

/// `tr`: every scratch column sees each of the others, one head each, and keeps one entry.
struct Transposition;

impl Block for Transposition {
    fn functions(&self) -> Vec<String> {
        vec!["tr".to_string()]
    }

    fn operands(&self, _: usize) -> usize {
        1
    }

    fn shape(&self, _: usize, (rows, columns): Shape, _: Shape) -> Option<Shape> {
        Some((columns, rows))
    }

    fn value(&self, _: usize, a: &Matrix, _: &Matrix) -> Matrix {
        let (_, columns) = shape(a);
        (0..columns)
            .map(|column| a.iter().map(|row| row[column]).collect())
            .collect()
    }

    fn build(&self, stage: &mut Stage<'_>, functions: &[Gate]) {
        let frame = stage.frame;
        for column in 0..frame.side {
            let turned = stage.rows.block(&format!("column {column}"), frame.side);
            stage.layers[1].head(
                &format!("column {column}"),
                vec![frame.column.at(column), Form::row(frame.sink)],
                vec![Form::row(frame.scratch), Form::row(frame.elsewhere)],
                frame.a.onto(turned),
            );
            for row in 0..frame.side {
                let closed = stage.closed(functions[0]) + frame.other_column.at(row);
                let data = frame.data.row(column);
                stage.layers[1].gated(turned.at(row), closed, super::block::CLOSED, data);
            }
            stage.layers[1].clear(turned.rows());
        }
    }
}

/// `matmul`, which is AᵀB, and `mul`, entry by entry of two rows.
struct Products;

impl Products {
    /// The constant key's score, and the scale: errors are its fourth power, and ε over it.
    fn constants(is_float64: bool) -> (f64, f64) {
        if is_float64 {
            (40.0, 1e-3)
        } else {
            (25.0, 6e-2)
        }
    }
}

impl Block for Products {
    fn functions(&self) -> Vec<String> {
        vec!["matmul".to_string(), "mul".to_string()]
    }

    fn operands(&self, _: usize) -> usize {
        2
    }

    fn shape(&self, function: usize, a: Shape, b: Shape) -> Option<Shape> {
        match function {
            0 => (a.0 == b.0).then_some((a.1, b.1)),
            _ => (a == b && a.0 == 1).then_some(a),
        }
    }

    fn value(&self, function: usize, a: &Matrix, b: &Matrix) -> Matrix {
        if function == 1 {
            return zip(a, b, |a, b| a * b);
        }
        let entry = |i: usize, j: usize| a.iter().zip(b).map(|(a, b)| a[i] * b[j]).sum();
        let (columns, width) = (shape(a).1, shape(b).1);
        (0..columns)
            .map(|i| (0..width).map(|j| entry(i, j)).collect())
            .collect()
    }

    fn build(&self, stage: &mut Stage<'_>, functions: &[Gate]) {
        let frame = stage.frame;
        let side = frame.side;
        let (constant, scale) = Products::constants(stage.is_float64);
        let [left, right, product] =
            ["left", "right", "product"].map(|name| stage.rows.block(name, side));
        let [first, second, entry] =
            ["first", "second", "entry"].map(|name| stage.rows.block(name, 1));
        for row in 0..side {
            stage.add(0, functions[0], frame.a.at(row), left.row(row));
            stage.add(0, functions[0], frame.b.at(row), right.row(row));
        }
        stage.add(0, functions[1], frame.a.at(0), first.row(0));
        stage.add(0, functions[1], frame.b.at(0), second.row(0));
        // 1000 more where the columns are the same.
        let same = 1000.0;
        for (multiple, weight) in [(1.0, 4.0 / 3.0), (2.0, -1.0 / 3.0)] {
            for sign in [1.0, -1.0] {
                let scale = scale * multiple;
                let gain = sign * weight * constant.exp() / (2.0 * scale);
                let scaled = |block: Block_| {
                    block
                        .forms()
                        .into_iter()
                        .map(move |form| form * (sign * scale))
                };
                let [key, query] = sinking(frame, constant);
                let moves = frame.column.onto(product).into_iter();
                stage.layers[1].head_at(
                    Temperature::One,
                    &format!("matmul {:+}", sign * scale),
                    (
                        scaled(left).chain(key).collect(),
                        right.forms().into_iter().chain(query).collect(),
                    ),
                    moves.map(|(row, form)| (row, form * gain)).collect(),
                );
                let [key, query] = sinking(frame, constant + same);
                let equal = frame.column.forms().into_iter().map(|form| form * same);
                stage.layers[1].head_at(
                    Temperature::One,
                    &format!("mul {:+}", sign * scale),
                    (
                        scaled(first).chain(equal).chain(key).collect(),
                        second
                            .forms()
                            .into_iter()
                            .chain(frame.column.forms())
                            .chain(query)
                            .collect(),
                    ),
                    vec![(entry.row(0), Form::row(frame.scratch) * gain)],
                );
            }
        }
        for row in 0..side {
            stage.add(1, functions[0], product.at(row), frame.data.row(row));
        }
        stage.add(1, functions[1], entry.at(0), frame.data.row(0));
        let used = [left, right, product, first, second, entry];
        stage.layers[1].clear(used.into_iter().flat_map(Block_::rows));
    }
}

/// Keys by which scratch queries see the scratch columns with 0 and the sink with a score, and all other
/// queries the sink.
fn sinking(frame: &Frame, score: f64) -> [Vec<Form>; 2] {
    let (sink, scratch) = (Form::row(frame.sink), Form::row(frame.scratch));
    [
        vec![
            sink.clone() * (score + OUT) + scratch * OUT + -OUT,
            sink * OUT,
        ],
        vec![Form::constant(1.0), Form::row(frame.elsewhere)],
    ]
}

/// `f(x) = constant + Σ c σ(a x + b)`
#[derive(Clone, Debug, PartialEq)]
pub struct Sum {
    /// The name of the function.
    pub name: String,
    /// What is added.
    pub constant: f64,
    /// `c`, `a` and `b` of each sigmoid.
    pub terms: Vec<[f64; 3]>,
}

/// Sums of sigmoids, entry by entry of a row: the first scratch column is a key whose score is `a x + b`,
/// beside the sink's 0, so that its weight is the sigmoid. The functions share their heads.
struct Sigmoids {
    sums: Vec<Sum>,
}

impl Block for Sigmoids {
    fn functions(&self) -> Vec<String> {
        self.sums.iter().map(|sum| sum.name.clone()).collect()
    }

    fn definitions(&self) -> Vec<String> {
        let line = |sum: &Sum| {
            let Sum {
                name,
                constant,
                terms,
            } = sum;
            format!("function {name} = {constant:?} + sigmoids {terms:?}")
        };
        self.sums.iter().map(line).collect()
    }

    fn operands(&self, _: usize) -> usize {
        1
    }

    fn shape(&self, _: usize, a: Shape, _: Shape) -> Option<Shape> {
        (a.0 == 1).then_some(a)
    }

    fn value(&self, function: usize, a: &Matrix, _: &Matrix) -> Matrix {
        let Sum {
            constant, terms, ..
        } = &self.sums[function];
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        map(a, |x| {
            constant
                + terms
                    .iter()
                    .map(|[c, a, b]| c * sigmoid(a * x + b))
                    .sum::<f64>()
        })
    }

    fn build(&self, stage: &mut Stage<'_>, functions: &[Gate]) {
        let frame = stage.frame;
        let argument = stage.rows.block("argument", 1);
        let chosen = stage.rows.block("chosen", self.sums.len());
        let result = frame.data.row(0);
        for (index, (sum, gate)) in self.sums.iter().zip(functions).enumerate() {
            stage.add(0, *gate, frame.a.at(0), argument.row(0));
            stage.add_scaled(0, *gate, Form::row(frame.scratch), result, sum.constant);
            // Instructions have this row, too: only the first scratch column may be seen.
            let outside = Form::row(frame.elsewhere) + frame.other_column.at(0);
            let on = Form::row(gate.on) - outside * super::block::CLOSED;
            stage.layers[0].unit(on, &[(chosen.row(index), 1.0)]);
        }
        let heads = self
            .sums
            .iter()
            .map(|sum| sum.terms.len())
            .max()
            .unwrap_or(0);
        for head in 0..heads {
            let weighted = |part: usize| {
                let sums = self.sums.iter().enumerate();
                let terms =
                    sums.filter_map(|(index, sum)| Some((index, sum.terms.get(head)?[part])));
                terms.fold(Form::default(), |sum, (index, weight)| {
                    sum + chosen.at(index) * weight
                })
            };
            let sink = Form::row(frame.sink) * OUT;
            let others = (frame.other_column.at(0) + Form::row(frame.elsewhere)) * OUT;
            stage.layers[1].head_at(
                Temperature::One,
                &format!("sigmoid {head}"),
                (
                    vec![weighted(1), weighted(2) - others + sink.clone(), sink],
                    vec![
                        argument.at(0),
                        Form::row(frame.scratch),
                        Form::row(frame.elsewhere),
                    ],
                ),
                vec![(result, weighted(0))],
            );
        }
        stage.layers[1].clear(argument.rows().chain(chosen.rows()));
    }
}
