//! Holds the interpreter against a naive evaluator on random programs and inputs.
//! `PROPTEST_CASES=100000 cargo test --release --test interpret` for a long run.

#[path = "interpret/naive.rs"]
mod naive;
#[path = "interpret/random.rs"]
mod random;

use naive::Naive;
use proptest::prelude::*;
use random::Program;
use rasp::interpret::{evaluate, evaluate_selector};
use rasp::value::Value;

/// The same value of the same type, floats bit by bit (but one NaN is as good as another).
fn same(a: &Value, b: &Value) -> bool {
    a == b || (a.is_nan() && b.is_nan())
}

fn check_sops(program: &Program, input: &[Value]) {
    let mut naive = Naive::new(&program.graph, input);
    for id in &program.sops {
        let expected = naive.evaluate(*id);
        let actual = evaluate(&program.graph, *id, input);
        let shown = || program.graph.expression(*id);
        match (expected, actual) {
            (Ok((values, sequence_type)), Ok(sequence)) => {
                let equal = values.len() == sequence.values.len()
                    && values.iter().zip(&sequence.values).all(|(a, b)| same(a, b));
                assert!(
                    equal,
                    "{}\non {input:?}\nnaive {values:?}\nfast  {:?}",
                    shown(),
                    sequence.values
                );
                assert_eq!(sequence_type, sequence.sequence_type, "{}", shown());
            }
            (Err(fault), Err(diagnostic)) => {
                assert_eq!(fault.code, diagnostic.code, "{} on {input:?}", shown());
                assert_eq!(
                    fault.message,
                    diagnostic.message,
                    "{} on {input:?}",
                    shown()
                );
            }
            (Ok((values, _)), Err(diagnostic)) => {
                panic!(
                    "{} on {input:?}\nnaive {values:?}\nfast fails: {diagnostic}",
                    shown()
                )
            }
            (Err(fault), Ok(sequence)) => {
                panic!(
                    "{} on {input:?}\nnaive fails {fault:?}\nfast {sequence}",
                    shown()
                )
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(3000),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_programs_mean_what_the_naive_evaluator_says(
        input in random::input(),
        recipes in random::recipes(),
    ) {
        check_sops(&Program::build(&input, &recipes), &input);
    }

    #[test]
    fn random_selectors_select_what_the_naive_evaluator_says(
        input in random::input(),
        recipes in random::recipes(),
        choice in random::choice(),
    ) {
        let mut program = Program::build(&input, &recipes);
        let selector = program.choose(&choice);
        let expected = Naive::new(&program.graph, &input).matrix(selector);
        let actual = evaluate_selector(&program.graph, selector, &input);
        match (expected, actual) {
            (Ok(expected), Ok(actual)) => prop_assert_eq!(expected, actual),
            (Err(fault), Err(diagnostic)) => prop_assert_eq!(fault.code, diagnostic.code),
            (expected, actual) => panic!("naive {expected:?}\nfast {actual:?}"),
        }
    }
}
