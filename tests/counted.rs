//! Counts over the same keys: what they add up to, how they compare and what share they are is one mean,
//! in one head. Sizes are those of models that were built by hand with it; values are the interpreter's on
//! a graph in which nothing is rewritten.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use rasp::execute::{Precision, run};
use rasp::graph::Sharing;
use rasp::model::Dtype;
use rasp::plan::Style;
use rasp::session::{Asked, Request, Session};
use rasp::value::Value;

const COUNTS: &str = "a = count(tokens, \"a\"); b = count(tokens, \"b\"); c = count(tokens, \"c\");
    here = select(indices, indices, <=);
    opened = selector_width(select(tokens, \"a\", ==) and here);
    closed = selector_width(here and select(tokens, \"b\", ==));
    hist = selector_width(select(tokens, tokens, ==));";

pub(super) fn session(sharing: Sharing, text: &str) -> Session {
    let mut session = Session::new(sharing);
    session.load_text("counts", &format!("{COUNTS} x = {text};"));
    let told = session.take_diagnostics();
    assert!(told.is_empty(), "{text}: {told:?}");
    session
}

pub(super) fn asked(max_length: usize, request: Request) -> Asked {
    Asked {
        vocabulary: Some(Value::characters("abc")),
        max_length: Some(max_length),
        request,
        ..Asked::default()
    }
}

/// All inputs of up to a length.
fn inputs(length: usize) -> Vec<Vec<Value>> {
    let mut all: Vec<Vec<Value>> = Vec::new();
    let mut last = vec![Vec::new()];
    for _ in 0..length {
        last = last
            .iter()
            .flat_map(|input: &Vec<Value>| {
                Value::characters("abc").into_iter().map(move |token| {
                    let mut longer = input.clone();
                    longer.push(token);
                    longer
                })
            })
            .collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// Each way to make a model gives what the program says as it is written, on all inputs of up to four
/// tokens.
pub(super) fn right(text: &str) {
    let mut written = session(Sharing::None, text);
    let sop = written.sop("x").unwrap();
    let requests = [
        Request::default(),
        Request {
            style: Style::Compact,
            ..Request::default()
        },
        Request {
            without_bos: true,
            ..Request::default()
        },
    ];
    let models: Vec<_> = requests
        .into_iter()
        .map(|request| {
            let compiled = session(Sharing::Equal, text).compile(&["x"], &asked(4, request));
            let compiled = compiled.unwrap_or_else(|error| panic!("{text}: {error:?}"));
            assert!(compiled.is_certified(), "{text}");
            compiled.model
        })
        .collect();
    for input in inputs(4) {
        let expected = written.evaluate(sop, &input).unwrap().values;
        for model in &models {
            for precision in [Precision::F32, Precision::F64] {
                let found = run(model, &input, precision).unwrap();
                let same = |(a, b): (&Value, &Value)| match (a.as_float(), b.as_float()) {
                    (Some(a), Some(b)) => (a - b).abs() < 1e-5,
                    _ => a.equals(b),
                };
                let right = found.iter().zip(&expected).all(same);
                assert!(right, "{text} {input:?}: {found:?} for {expected:?}");
            }
        }
    }
}

#[test]
fn sums_of_counts_are_right() {
    for text in [
        "a > b",
        "a + b <= c",
        "2 * a == length",
        "a - b < c - a",
        "0 < 3 * a - 2 * b",
        "a if a > b else b",
        "a - b",
        "length - a",
        "a - b + c - length",
        "(a + 2 * b) % 3",
        "a - b > 1",
        "a / length",
        "(a - 2 * b) / length",
        "opened / (indices + 1)",
        "opened - closed",
        "opened >= closed",
        "a - b + hist",
        "(a > b) == (hist > a)",
        "aggregate(select(a - b, indices, ==), indices, -1)",
        "a - b if a > b else b - a",
        "(a > b) + 2 * (b > a)",
        "aggregate(select(a > b, tokens == \"a\", ==), indices, -1)",
        "selector_width(select(tokens, tokens, ==) and select(tokens, \"a\", ==)) > a - b",
    ] {
        right(text);
    }
}

#[test]
fn sums_of_counts_take_one_head() {
    for (text, most) in [
        ("a > b", 82),
        ("2 * a > length", 82),
        ("a + b > 2 * c", 82),
        ("a / length", 82),
        ("(a - b) / length", 82),
        ("a - b", 179),
        ("(a + 2 * b) % 3", 179),
        ("length - a", 179),
    ] {
        let compiled =
            session(Sharing::Equal, text).compile(&["x"], &asked(24, Request::default()));
        let model = compiled.unwrap().model;
        let heads: usize = model.layers.iter().map(|layer| layer.heads.len()).sum();
        let size = model.padded_parameters();
        assert!(heads == 1 && size <= most, "{text}: {heads} heads, {size}");
    }
}

/// Where counts are there anyway, or heads read their sum, a mean of differences is one head more, or the
/// sum is not exact to the last digit.
#[test]
fn counts_that_are_needed_are_compared() {
    for (text, most) in [
        ("a if a > b else b", 2),
        ("aggregate(select(a - b, indices, ==), indices, -1)", 3),
    ] {
        let compiled = session(Sharing::Equal, text).compile(&["x"], &asked(8, Request::default()));
        let model = compiled.unwrap().model;
        let heads: usize = model.layers.iter().map(|layer| layer.heads.len()).sum();
        assert!(heads <= most, "{text}: {heads} heads");
    }
}

/// A query that selects itself only holds there what the key holds.
/// A mean that is compared before there are counts, of which the same comparison is written then.
#[test]
fn comparisons_of_means_come_before_counts() {
    let share = |token| format!("aggregate(here, indicator(tokens == \"{token}\"))");
    let count = |token| format!("selector_width(here and select(tokens, \"{token}\", ==))");
    let (means, counts) = (
        format!("({} - {})", share("c"), share("a")),
        format!("({} - {})", count("c"), count("a")),
    );
    for comparison in ["<", ">=", "==", "!="] {
        right(&format!(
            "({means} {comparison} 0) == ({counts} {comparison} 0 and {counts}[-1] == 0)"
        ));
        right(&format!(
            "({means} {comparison} 0) == (0 {comparison} {counts} and {counts}[-1] == 0)"
        ));
    }
}

#[test]
fn what_nothing_can_select_takes_no_head() {
    for text in [
        "selector_width(select(tokens, tokens, ==) or select(indices, indices, ==))",
        "selector_width(select(indices, indices, ==) or select(tokens, tokens, ==))",
        "selector_width(select(tokens, tokens, ==) and (select(tokens, \"a\", ==) or select(tokens, tokens, ==)))",
        "aggregate(select(tokens, tokens, ==) or select(indices, indices, ==), indices)",
        "aggregate(select(tokens, tokens, !=) and select(indices, indices, ==), indices, -1)",
    ] {
        right(text);
        let compiled =
            session(Sharing::Equal, text).compile(&["x"], &asked(10, Request::default()));
        let size = compiled.unwrap().model.padded_parameters();
        assert!(size <= 160, "{text}: {size}");
    }
}

/// The key of the largest or smallest count is found by the attention that counts: no hidden unit.
#[test]
fn the_most_frequent_is_found_without_hidden_units() {
    for text in ["key", "0 - key", "(0 - key) * key"] {
        let best = format!(
            "aggregate(select_best(full_s, score(hist, hist, lambda key, query: {text})), tokens)"
        );
        right(&best);
        let compiled =
            session(Sharing::Equal, &best).compile(&["x"], &asked(40, Request::default()));
        let size = compiled.unwrap().model.padded_parameters();
        assert!(size <= 415, "{text}: {size}");
    }
}

/// Thresholds, and what tells two numbers apart, have as few digits as bfloat16: at each length.
#[test]
fn bfloat16_has_no_gaps_in_length() {
    for text in [
        "round((indices + 1) * aggregate(here, indicator(tokens == \"a\")))",
        "a == b and b == c",
        "a > b and a > 3",
    ] {
        for length in [2, 3, 4, 5, 6, 8, 11, 18, 24, 28, 33] {
            let mut request = Request::default();
            request.host.dtype = Some(Dtype::Bfloat16);
            let compiled = session(Sharing::Equal, text).compile(&["x"], &asked(length, request));
            assert!(compiled.is_ok(), "{text} at {length}: {compiled:?}");
        }
    }
}

/// A sum of counts that stands beside other values has a table with a row for each of the counts' values, not one
/// for each mean and length.
#[test]
fn sums_beside_other_values_are_added_up_of_counts() {
    for (text, most) in [
        ("(a - b) if tokens == \"b\" else 2", 60 * 64),
        ("(a - b) == indices", 70 * 64),
        ("a - b if a - b > indices else indices", 70 * 64),
    ] {
        right(text);
        let compiled =
            session(Sharing::Equal, text).compile(&["x"], &asked(64, Request::default()));
        let size = compiled.unwrap().model.padded_parameters();
        assert!(size <= most, "{text}: {size}");
    }
    let product = "(a - b) * (c - b)";
    right(product);
    let compiled = session(Sharing::Equal, product).compile(&["x"], &asked(24, Request::default()));
    assert!(compiled.is_ok(), "{compiled:?}");
}

/// One head gives the share of the keys that count, and what one key is of all.
#[test]
fn counts_without_bos_take_one_head_and_no_hidden_unit() {
    let request = || Request {
        without_bos: true,
        ..Request::default()
    };
    for text in [
        "a",
        "a % 2",
        "a > 3",
        "a == 2",
        "a - b",
        "a + 2 * b - c",
        "length - a",
        "round(length * aggregate(full_s, 2 if tokens == \"a\" else (3 if tokens == \"b\" else 0)))",
        "opened",
        "opened % 3",
        "opened - closed > 1",
    ] {
        right(text);
        for length in [8, 33, 64] {
            let compiled = session(Sharing::Equal, text).compile(&["x"], &asked(length, request()));
            let model = compiled.unwrap().model;
            let [layer] = &*model.layers else {
                panic!("{text} at {length}: {} layers", model.layers.len());
            };
            let units = model.widest_hidden_layer();
            assert!(layer.heads.len() == 1 && units == 0, "{text} at {length}");
        }
    }
}

/// A width without BOS is read off the attention that position 0 gets, whether it is selected or not.
#[test]
fn widths_without_bos_take_one_hidden_unit_to_be_read() {
    for text in [
        "hist",
        "selector_width(select(tokens, tokens, !=))",
        "selector_width(select(tokens, tokens, ==) and here)",
        "hist * hist",
        "hist > 1",
    ] {
        right(text);
        let request = Request {
            without_bos: true,
            ..Request::default()
        };
        let compiled = session(Sharing::Equal, text).compile(&["x"], &asked(40, request));
        let model = compiled.unwrap().model;
        let units = model.widest_hidden_layer();
        assert!(model.layers.len() == 2 && units <= 8, "{text}: {units}");
    }
}
