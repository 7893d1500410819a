//! Learnt programs in a form that is easier to read: what they say is the same.

use rasp::inside::decompile::{Operand, Point, pointed, rows};
use rasp::inside::learn::program::{
    FIRST, Linear, Module, POSITIONS, Program, Readout, Rule, TOKENS,
};
use rasp::inside::learn::{Encoded, Inputs};
use rasp::value::Value;
use std::collections::BTreeSet;

/// A table that counts for one label gives its weights; one that counts for two stays as it is.
#[test]
fn a_table_for_one_label_gives_points() {
    let table = |by: i32| {
        let pairs = (0..3).flat_map(|x| (0..2).map(move |y| (x, y)));
        let table = pairs.map(|(x, y)| ((x, y), (x * by + y) % 2)).collect();
        Module::Map(Rule::Table(table, 1), TOKENS, POSITIONS)
    };
    // Of two values each, weights of no label, and of two.
    let weights = [0.0, 3.0, 0.0, 0.0, -2.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 2.0];
    let linear = Linear {
        labels: 3,
        d: 2,
        categorical: vec![FIRST, FIRST + 1],
        numerical: Vec::new(),
        weights: weights.to_vec(),
    };
    let program = Program {
        modules: vec![table(1), table(2)],
        readout: Readout::Linear(linear),
    };
    let data = Encoded {
        n: 2,
        tokens: vec![1, 1, 1, 2, 2, 1, 2, 2],
        labels: vec![1; 8],
    };
    let labels = |program: &Program| program.labels(&Inputs::new(&data).run(&program.modules));
    let made = pointed(&program);
    assert_eq!(labels(&made), labels(&program));
    let Readout::Linear(sums) = &made.readout else {
        panic!("sums stay sums");
    };
    assert_eq!(sums.categorical, [FIRST + 1]);
    assert_eq!(sums.numerical, [Some(FIRST)]);
}

/// Rows that agree are one, and the one of the most values comes last.
#[test]
fn a_table_is_written_row_by_row() {
    let operand = |name: &str| Operand {
        name: name.to_string(),
        tokens: None,
    };
    let points = |of: i32, row: [i64; 3]| {
        let values = (0..3).zip(row);
        values.map(move |(at, wanted)| Point {
            values: [of, at],
            wanted: Value::Int(wanted),
        })
    };
    let points: Vec<Point> = [(0, [5, 5, 7]), (1, [2, 2, 2]), (2, [5, 5, 7])]
        .into_iter()
        .flat_map(|(of, row)| points(of, row))
        .collect();
    let domain: BTreeSet<i32> = (0..3).collect();
    let rows = rows(&[operand("a"), operand("b")], &points, [&domain, &domain]);
    let rows = rows.expect("three values are not too many for a row");
    assert_eq!(rows.text, "2 if a == 1 else {0: 5, 1: 5, 2: 7}[b]");
    assert_eq!(rows.numbers, BTreeSet::from([2, 5, 7]));
}
