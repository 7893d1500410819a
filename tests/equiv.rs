//! Proofs of equality against the interpreter: whatever `equiv` proves or refutes must be so on
//! every short input, for all pairs of s-ops from a pool that is rich in near misses.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use rasp::base::Limits;
use rasp::graph::Sharing;
use rasp::inside::equiv::{Method, Options, Verdict, compare};
use rasp::session::{Session, Setting};
use rasp::value::Value;

/// Neighbours differ only in failures, types, laziness, defaults or single values.
const POOL: &[&str] = &[
    "indices",
    "indices + 0",
    "indices * 1.0",
    "indices - indices",
    "0 * indices",
    "0 / (indices + 1)",
    "0 / indices",
    "0 / indices if indices > 0 else 0",
    "0 if indices == 0 else 0 / indices",
    "tokens_asis",
    "tokens",
    "tokens_int",
    "tokens_int + 0",
    "tokens_asis + 0",
    "tokens_int if tokens != \"x\" else 0",
    "(tokens_asis if indices == 0 else 1) == 1",
    "(tokens if indices == 0 else \"1\") == \"1\"",
    "(tokens == \"1\") or indices > 0",
    "tokens == \"1\" if indices == 0 else True",
    "tokens < \"2\"",
    "tokens != \"2\"",
    "tokens_asis < \"2\"",
    "length",
    "length + 0",
    "selector_width(select(indices, indices, <=))",
    "indices + 1",
    "selector_width(select(tokens, tokens, ==))",
    "selector_width(select(tokens_int, tokens_int, ==))",
    "selector_width(select(tokens_asis, tokens_asis, ==))",
    "selector_width(select(tokens_asis, 1, <))",
    "selector_width(select(tokens_asis, 1, ==))",
    "aggregate(select(indices, indices, ==), tokens)",
    "aggregate(select(indices, 0, ==), tokens)",
    "aggregate(select(indices, 1, ==), tokens, \"1\")",
    "aggregate(select(indices, 1, ==), tokens)",
    "aggregate(select(indices, 1, ==), tokens_int)",
    "aggregate(select(tokens, \"1\", ==), tokens, \"1\")",
    "aggregate(select(tokens, \"1\", ==), 1)",
    "aggregate(select(tokens, \"1\", ==), indices)",
    "has_focus(select(tokens, \"1\", ==))",
    "contains(tokens, \"1\")",
    "count(tokens, \"1\")",
    "aggregate(full_s, indicator(tokens == \"1\")) * length",
    "average(tokens_int) - average(tokens_int)",
    "round(average(indices) * 2) + 1",
    "length - 1 - indices",
    "9223372036854775806 + length - 9223372036854775806",
    "indices % 2 == 0",
    "not indices % 2",
    "\"1\" if indices >= 0 else \"2\"",
    "1 if indices >= 0 else 2",
    "1.0 if indices >= 0 else 2",
    "indices >= 0",
    "shift(tokens, 1, \"-\")",
    "shift(shift(tokens, 1, \"-\"), 1, \"-\")",
    "shift(tokens, 2, \"-\")",
    "shift(tokens, 1, \"2\")",
    "shift(tokens, 1, 0)",
    "tokens if shift(tokens, 1, \"-\") == tokens else \"1\"",
    "tokens if indices > 0 else \"x\"",
    "aggregate(full_s, tokens)",
    "aggregate(select(tokens, tokens, ==), tokens)",
    "aggregate(select(tokens, \"1\", !=), tokens, \"y\")",
    "tokens in [\"1\", \"y\"]",
    "{\"1\": \"2\", \"y\": \"x\"}[tokens]",
    "has_focus(select(tokens, tokens, ==))",
    "has_focus(select(tokens, tokens, ==) and select(indices, indices, <))",
    "tokens_int * 9223372036854775807 < 5",
    "tokens_int * 9223372036854775807 > 5",
    "indices < 5",
    "0 / (tokens_int - tokens_int)",
    "\"1\" * indices == tokens",
    "tokens > \"2\"",
    "tokens == \"x\" or tokens == \"y\"",
];

fn inputs(vocabulary: &[Value], longest: usize) -> Vec<Vec<Value>> {
    let mut all: Vec<Vec<Value>> = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..longest {
        let to = all.len();
        for at in from..to {
            for token in vocabulary {
                let mut longer = all[at].clone();
                longer.push(token.clone());
                all.push(longer);
            }
        }
        from = to;
    }
    all.split_off(1)
}

#[test]
fn proofs_and_differences_agree_with_the_interpreter() {
    let vocabularies = [
        Value::characters("12"),
        Value::characters("1x"),
        Value::characters("12xy"),
        Value::characters("zyx"),
        vec![Value::Int(1), Value::Int(2)],
        vec![Value::str("1"), Value::Int(1)],
    ];
    let (mut proved, mut moved, mut fewer, mut different) = (0, 0, 0, 0);
    for vocabulary in vocabularies {
        let mut session = Session::new(Sharing::Equal);
        let sops: Vec<_> = POOL
            .iter()
            .map(|text| {
                session
                    .sop(text)
                    .unwrap_or_else(|error| panic!("{text}: {error}"))
            })
            .collect();
        let inputs = inputs(&vocabulary, 3);
        let results: Vec<Vec<Option<Vec<Value>>>> = sops
            .iter()
            .map(|sop| {
                let run = |input: &Vec<Value>| session.evaluate(*sop, input).ok();
                inputs
                    .iter()
                    .map(|input| run(input).map(|found| found.values))
                    .collect()
            })
            .collect();
        let setting = Setting {
            vocabulary: vocabulary.clone(),
            max_length: 3,
            causal: false,
        };
        let options = Options {
            exhaustive: 1_000,
            samples: 0,
            tokens: usize::MAX,
            seed: 0,
        };
        for a in 0..POOL.len() {
            for b in 0..a {
                let pair = (sops[a], sops[b]);
                let found = compare(
                    session.graph(),
                    pair,
                    &setting,
                    &Limits::default(),
                    &options,
                )
                .unwrap();
                let same = |pair: (&Option<Vec<Value>>, &Option<Vec<Value>>)| match pair {
                    (Some(a), Some(b)) => a.iter().zip(b).all(|(a, b)| a.equals(b)),
                    (a, b) => a.is_none() && b.is_none(),
                };
                let mut pairs = results[a].iter().zip(&results[b]);
                let first = pairs.position(|pair| !same(pair)).map(|at| &inputs[at]);
                let expected = match first {
                    None => Verdict::Equal,
                    Some(_) => Verdict::Different,
                };
                assert_eq!(
                    found.verdict, expected,
                    "{} ~ {} on {vocabulary:?}: {:?}",
                    POOL[a], POOL[b], found.method
                );
                // The shortest of all, and of these the first in the order of the vocabulary.
                let shown = found
                    .difference
                    .as_ref()
                    .map(|difference| &difference.input);
                assert_eq!(shown, first, "{} ~ {} on {vocabulary:?}", POOL[a], POOL[b]);
                assert!(first.is_none() || found.is_shortest());
                fewer += usize::from(found.representative);
                moved += usize::from(found.method == Method::SameMoves);
                proved += usize::from(found.method == Method::SameTable);
                different += usize::from(found.verdict == Verdict::Different);
            }
        }
    }
    assert!(
        proved > 20 && moved > 0 && fewer > 1_000 && different > 1_000,
        "{proved} proved, {moved} moved, {fewer} on fewer inputs, {different} different"
    );
}

/// Each pair differs on inputs of few lengths only, most of them beyond what can be tried.
#[test]
fn a_difference_in_a_long_input_is_made_short_and_plain() {
    let reverse = "aggregate(select(indices, length - 1 - indices, ==), tokens)";
    let pairs = [
        (
            format!("tokens if length != 25 and length != 28 else {reverse}"),
            format!("{}b", "a".repeat(24)),
        ),
        (
            "tokens if length % 2 or length < 18 else \"b\"".to_string(),
            "a".repeat(18),
        ),
        (
            "tokens if indices < 29 or tokens == \"a\" else \"a\"".to_string(),
            format!("{}b", "a".repeat(29)),
        ),
        (
            "tokens if length < 5 or tokens != \"c\" else \"d\"".to_string(),
            "aaaac".to_string(),
        ),
    ];
    for (text, shown) in pairs {
        let mut session = Session::new(Sharing::Equal);
        let pair = (session.sop("tokens").unwrap(), session.sop(&text).unwrap());
        let setting = Setting {
            vocabulary: Value::characters("abcd"),
            max_length: 30,
            causal: false,
        };
        let options = Options {
            exhaustive: 500,
            samples: 500,
            tokens: 50_000,
            seed: 0,
        };
        let limits = Limits::default();
        let found = compare(session.graph(), pair, &setting, &limits, &options).unwrap();
        // All inputs of up to four tokens are tried.
        assert_eq!(found.is_shortest(), shown.len() <= 5, "{text}");
        assert_eq!(
            found.difference.unwrap().input,
            Value::characters(&shown),
            "{text}"
        );
    }
}
