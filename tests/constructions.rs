//! Functions as a model holds them: by directions, by steps, and by widths.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use rasp::graph::Sharing;
use rasp::inside::compile::{Basis, Staircase, Step, interpolation, inverse, staircase};
use rasp::plan::output;
use rasp::session::{Asked, Session};
use rasp::value::Value;

#[test]
fn demands_are_combinations_of_the_basis() {
    let demands = [
        (vec![0.0, 1.0, 2.0, 3.0, 4.0], "x".to_string()),
        (vec![5.0, 3.0, 1.0, -1.0, -3.0], "5-2x".to_string()),
        (vec![0.0, 1.0, 4.0, 9.0, 16.0], "x²".to_string()),
    ];
    let basis = Basis::new(5, 0, None, &demands, |value| value.to_string());
    assert_eq!(basis.columns.len(), 2);
    let (constant, coordinates) = basis.coordinates(&[1.0, 3.0, 7.0, 13.0, 21.0]).unwrap();
    assert_eq!((constant, coordinates), (1.0, vec![1.0, 1.0]));
    assert!(basis.coordinates(&[0.0, 1.0, 0.0, 0.0, 0.0]).is_none());
}

#[test]
fn directions_have_no_common_factor() {
    let demands = [(vec![1.0, 1.0, -9.0, -19.0], "10x".to_string())];
    let basis = Basis::new(4, 0, None, &demands, |value| value.to_string());
    assert_eq!(basis.columns[0].function, [0.0, 0.0, -1.0, -2.0]);
    let coordinates = basis.coordinates(&[1.0, 1.0, -9.0, -19.0]);
    assert_eq!(coordinates, Some((1.0, vec![10.0])));
}

/// 3h + l of the two bits first: from that and l, h is a third of a difference.
#[test]
fn demands_are_read_without_odd_fractions() {
    let demands = [
        (vec![3.0, 0.0, 4.0, 1.0, 3.0], "number".to_string()),
        (vec![0.0, 0.0, 1.0, 1.0, 0.0], "low".to_string()),
        (vec![1.0, 0.0, 1.0, 0.0, 1.0], "high".to_string()),
    ];
    let basis = Basis::new(5, 1, None, &demands, |value| value.to_string());
    let labels: Vec<&str> = basis.columns.iter().map(|c| c.label.as_str()).collect();
    assert_eq!(labels, ["high", "low"]);
    let read = |at: usize| basis.coordinates(&demands[at].0);
    assert_eq!(read(0), Some((0.0, vec![3.0, 1.0])));
    assert_eq!(read(2), Some((0.0, vec![1.0, 0.0])));
}

#[test]
fn readers_that_want_everything_get_a_direction_for_each_value() {
    let demands: Vec<(Vec<f64>, String)> = (0..4)
        .map(|value| {
            let f = (0..4).map(|v| f64::from(u8::from(v == value)));
            (f.collect(), String::new())
        })
        .collect();
    let basis = Basis::new(4, 1, None, &demands, |value| format!("v{value}"));
    let labels: Vec<&str> = basis.columns.iter().map(|c| c.label.as_str()).collect();
    assert_eq!(labels, ["v0", "v2", "v3"]);
    let (constant, coordinates) = basis.coordinates(&[7.0, 5.0, 5.0, 6.0]).unwrap();
    assert_eq!((constant, coordinates), (5.0, vec![2.0, 0.0, 1.0]));
}

fn evaluate(stairs: &Staircase, z: f64) -> f64 {
    let step = |step: &Step| {
        let ramp = step.slope * (z - step.middle);
        step.change * ((ramp + 0.5).max(0.0) - (ramp - 0.5).max(0.0))
    };
    stairs.first + stairs.steps.iter().map(step).sum::<f64>()
}

#[test]
fn steps_pass_through_every_point_and_absorb_noise() {
    let points = vec![(3.0, 9.0), (0.0, 0.0), (1.0, 1.0), (2.0, 1.0)];
    let stairs = staircase(points.clone()).unwrap();
    assert_eq!(stairs.steps.len(), 2);
    for (z, value) in points {
        for noise in [-0.2, 0.0, 0.2] {
            assert_eq!(evaluate(&stairs, z + noise), value);
        }
    }
}

#[test]
fn one_argument_with_two_values_is_no_function() {
    assert!(staircase(vec![(1.0, 0.0), (1.0, 1.0)]).is_none());
}

#[test]
fn hinges_pass_through_every_width() {
    for first in 0..3 {
        let widths: Vec<usize> = (first..first + 9).collect();
        let function: Vec<f64> = widths.iter().map(|w| ((w * w * 7) % 11) as f64).collect();
        let lines = interpolation(&widths, &function).expect("not constant");
        for (width, wanted) in widths.iter().zip(&function) {
            let x = inverse(*width);
            let got = lines.constant + lines.slope * x + output(&lines.hinges, x);
            assert!((got - wanted).abs() < 1e-9, "{width}: {got} for {wanted}");
        }
    }
}

/// The table of a product of two tokens, one hidden layer of a step for each place where it changes, is not
/// computed in two layers as soon as a large number rounds its argument.
#[test]
#[ignore = "thorough; seconds"]
fn products_modulo_a_prime_are_one_layer() {
    let mut session = Session::new(Sharing::Equal);
    session.load_text("product", "x = (tokens_int[0] * tokens_int[1]) % 79;");
    let asked = Asked {
        vocabulary: Some((0..79).map(Value::Int).collect()),
        max_length: Some(2),
        ..Asked::default()
    };
    let compiled = session.compile(&["x"], &asked).unwrap();
    assert!(compiled.is_certified());
    assert_eq!(compiled.model.layers.len(), 1);
    assert!(compiled.model.padded_parameters() < 250_000);
}
