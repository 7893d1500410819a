//! Hosts: models are right on those that they are certified for, with weights rounded to bfloat16
//! and in each order of scaling, and look there where they look in float64. What a certificate
//! leaves out does go wrong.

use crate::common::any_order;
use rasp::base::{Limits, Random};
use rasp::execute::trace::trace_in_order;
use rasp::execute::{Executor, Precision, largest_activation, trace};
use rasp::graph::Sharing;
use rasp::inside::compile::compile_in;
use rasp::inside::infer::inputs;
use rasp::inside::interpret::evaluate;
use rasp::model::{Dtype, Host, HostOrder, Model, bfloat16, is_bfloat16};
use rasp::plan::Style;
use rasp::session::{Compiled, Request, Session, Setting};
use rasp::value::Value;
use std::collections::BTreeSet;

/// Programs that count, average, pick, compare what is computed, and chain these.
const PROGRAMS: &[&str] = &[
    "selector_width(select(tokens, tokens, ==))",
    "selector_width(select(tokens, tokens, ==) and select(indices, indices, <=))",
    "aggregate(select(length - indices - 1, indices, ==), tokens, \"-\")",
    "aggregate(select(indices, indices, <=), indicator(tokens == \"a\"))",
    "sort(tokens, tokens)",
    "sort_by_frequency(tokens)",
    "selector_width(select(hist(tokens), hist(tokens), ==))",
    "count(tokens, \"a\")",
    "shift(tokens, 1, \"-\")",
    "length",
    "num_distinct(tokens)",
];

/// Whose certificates ask in which order hosts add.
const ALSO: &[&str] = &[
    "most_frequent(tokens)",
    "hist(hist(tokens))",
    "aggregate(select(indices, indices, <=) or select(tokens, tokens, ==), indices)",
    "count(tokens, \"a\") * count(tokens, \"b\")",
    "dyckk_ptf(tokens, [\"ab\"])",
    "selector_width(select(aggregate(select(indices, length - 1 - indices, ==), tokens), tokens, ==))",
];

/// How far a row may be from the selector's, and a real number from the interpreter's.
const CLOSE: f64 = 1e-6;
const TOLERANCE: f64 = 1e-4;

struct Program {
    session: Session,
    sop: rasp::graph::SOpId,
    setting: Setting,
    /// All short inputs, and each token repeated up to the longest, with what they give.
    cases: Vec<(Vec<Value>, Vec<Value>)>,
}

fn program(text: &str, tokens: &str, max_length: usize, exhaustive: usize) -> Program {
    let mut session = Session::new(Sharing::Equal);
    for module in ["hist", "sorting", "dyck", "arithmetic"] {
        session.load_text("loads", &format!("load \"{module}\";"));
    }
    let sop = session
        .sop(text)
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    let setting = Setting {
        vocabulary: Value::characters(tokens),
        max_length,
        causal: false,
    };
    let vocabulary = &setting.vocabulary;
    let short = inputs::exhaustive_length(vocabulary.len(), max_length, exhaustive);
    let all = (1..=short).flat_map(|length| inputs::all(vocabulary, length));
    let repeated = (short + 1..=max_length).flat_map(|length| {
        let repeated = move |token: &Value| vec![token.clone(); length];
        vocabulary.iter().map(repeated)
    });
    let graph = session.graph();
    let case = |input: Vec<Value>| {
        let expected = evaluate(graph, sop, &input).unwrap();
        (input, expected.values)
    };
    let cases = all.chain(repeated).map(case).collect();
    Program {
        session,
        sop,
        setting,
        cases,
    }
}

impl Program {
    fn compiled(&self, host: Host, style: Style) -> Compiled {
        let (graph, limits) = (self.session.graph(), Limits::default());
        let request = Request {
            host,
            style,
            ..Request::default()
        };
        compile_in(&request, graph, &[self.sop], &self.setting, &limits)
            .unwrap_or_else(|error| panic!("{host:?}: {error}"))
    }

    /// A model in bfloat16, which is proved, and right on all cases.
    fn in_bfloat16(&self, what: &str) -> Model {
        let on = (Dtype::Bfloat16, HostOrder::Scores);
        let host = Host {
            dtype: Some(on.0),
            order: on.1,
        };
        let made = self.compiled(host, Style::Faithful);
        assert!(made.is_certified(), "{what}");
        assert_eq!(made.model.not_bfloat16(), None, "{what}");
        assert_eq!(self.wrong(&made.model, on), None, "{what}");
        let inputs: Vec<Vec<Value>> = self.cases.iter().map(|(input, _)| input.clone()).collect();
        let largest = largest_activation(&made.model, &inputs, Precision::F32).unwrap();
        let bound = made.model.largest_activation.unwrap();
        assert!(largest <= bound, "{what}: {largest} of {bound}");
        made.model
    }

    /// The first input on which a host gives another value.
    fn wrong(&self, model: &Model, (dtype, order): (Dtype, HostOrder)) -> Option<Vec<Value>> {
        let (model, precision) = on(model, dtype);
        let executor = Executor::new(&model, precision).unwrap().in_order(order);
        let inputs: Vec<Vec<Value>> = self.cases.iter().map(|(input, _)| input.clone()).collect();
        let outputs = executor.run_all(&inputs).unwrap();
        let mut wrong = self
            .cases
            .iter()
            .zip(outputs)
            .filter(|((_, expected), got)| {
                let mut pairs = expected.iter().zip(got);
                !pairs.all(|(expected, got)| match (expected.as_float(), got) {
                    (Some(expected), Value::Float(got)) => (expected - got).abs() <= TOLERANCE,
                    _ => expected.equals(got),
                })
            });
        wrong.next().map(|((input, _), _)| input.clone())
    }

    /// How far rows of attention are from those in float64.
    fn uneven(&self, model: &Model, (dtype, order): (Dtype, HostOrder)) -> f64 {
        let (hosted, precision) = on(model, dtype);
        let mut most = 0.0f64;
        for (input, _) in self.cases.iter().rev().step_by(23) {
            let exact = trace(model, input, Precision::F64).unwrap();
            let found = trace_in_order(&hosted, input, precision, order).unwrap();
            for (exact, found) in exact.steps.iter().zip(&found.steps) {
                for (exact, found) in exact.heads.iter().zip(&found.heads) {
                    let off = (&exact.weights - &found.weights).mapv(f64::abs);
                    most = off.iter().fold(most, |most, off| most.max(*off));
                }
            }
        }
        most
    }
}

/// A model as a host holds it, and what it computes in.
fn on(model: &Model, dtype: Dtype) -> (Model, Precision) {
    match dtype {
        Dtype::Float32 => (model.clone(), Precision::F32),
        Dtype::Float64 => (model.clone(), Precision::F64),
        Dtype::Bfloat16 => (model.in_bfloat16(), Precision::F32),
    }
}

#[test]
fn models_are_right_on_the_hosts_they_are_certified_for() {
    let bfloat16 = |order| Host {
        dtype: Some(Dtype::Bfloat16),
        order,
    };
    let hosts = [
        Host::default(),
        bfloat16(HostOrder::Scores),
        bfloat16(HostOrder::Query),
        bfloat16(HostOrder::Both),
    ];
    let mut tried = BTreeSet::new();
    for (tokens, max_length) in [("abc", 4), ("abcde", 2), ("ab", 12)] {
        for text in PROGRAMS {
            let program = program(text, tokens, max_length, 200);
            for style in [Style::Faithful, Style::Compact] {
                let mut known: Vec<Model> = Vec::new();
                for host in hosts {
                    let model = program.compiled(host, style).model;
                    if known.contains(&model) {
                        continue;
                    }
                    for (dtype, orders) in &model.certified {
                        for order in orders {
                            let on = (*dtype, *order);
                            let which = format!("{text}, {style:?}, {host:?} on {on:?}");
                            assert_eq!(program.wrong(&model, on), None, "{which}");
                            if style == Style::Faithful {
                                let uneven = program.uneven(&model, on);
                                assert!(uneven <= CLOSE, "{which}: {uneven}");
                            }
                            tried.insert(on);
                        }
                    }
                    known.push(model);
                }
            }
        }
    }
    assert_eq!(tried.len(), 9, "{tried:?}");
}

#[test]
fn models_are_right_in_whatever_order_hosts_add() {
    let (mut random, mut claimed, mut others) = (Random::new(3), 0, 0);
    for (tokens, max_length) in [("abc", 4), ("ab", 9)] {
        for text in PROGRAMS.iter().chain(ALSO) {
            let program = program(text, tokens, max_length, 100);
            for style in [Style::Faithful, Style::Compact] {
                let model = program.compiled(Host::default(), style).model;
                let which = format!("{text}, {style:?}, over {tokens}");
                if model.any_order.contains_key(&Dtype::Float32) {
                    claimed += 1;
                } else {
                    others += 1;
                    continue;
                }
                for (input, expected) in &program.cases {
                    let (found, patterns) = any_order::run(&model, input, &mut random);
                    let mut pairs = expected.iter().zip(&found);
                    let is_right = |(expected, found): (&Value, &Value)| {
                        let (Some(a), Some(b)) = (expected.as_float(), found.as_float()) else {
                            return expected.equals(found);
                        };
                        (a - b).abs() <= TOLERANCE
                    };
                    assert!(pairs.all(is_right), "{which}: {input:?} {found:?}");
                    if style == Style::Faithful {
                        let exact = trace(&model, input, Precision::F64).unwrap();
                        let exact = exact.steps.iter().flat_map(|step| &step.heads);
                        for (exact, found) in exact.zip(&patterns) {
                            let found = found.iter().enumerate().flat_map(|(query, row)| {
                                row.iter()
                                    .enumerate()
                                    .map(move |(key, share)| ((query, key), *share))
                            });
                            for (at, share) in found {
                                let off = (exact.weights[at] - f64::from(share)).abs();
                                assert!(off <= CLOSE, "{which}: {input:?} {at:?} {off}");
                            }
                        }
                    }
                }
            }
        }
    }
    // What is snapped in turn may not be in another order, and the certificate says so.
    assert_eq!((claimed, others), (64, 4));
}

#[test]
fn hosts_that_round_queries_are_not_claimed_and_padding_helps() {
    let program = program(
        "selector_width(select(tokens, tokens, ==))",
        "abcdefgh",
        3,
        1_000,
    );
    for order in [HostOrder::Query, HostOrder::Both] {
        let on = (Dtype::Float32, order);
        let plain = program.compiled(Host::default(), Style::Faithful).model;
        assert!(!plain.certified[&Dtype::Float32].contains(&order));
        assert!(program.uneven(&plain, on) > CLOSE, "{order:?}");
        let host = Host { dtype: None, order };
        let padded = program.compiled(host, Style::Faithful);
        assert!(padded.is_certified(), "{order:?}");
        assert!(program.uneven(&padded.model, on) <= 1e-8, "{order:?}");
    }
}

#[test]
fn weights_that_bfloat16_rounds_are_not_claimed_and_others_are_found() {
    // Counts beyond 16, and the squares that tell 41 tokens apart.
    let tokens: String = ('a'..='z').chain('A'..='O').collect();
    for (text, tokens, max_length) in [
        ("selector_width(select(tokens, tokens, ==))", "ab", 24),
        ("selector_width(select(tokens, tokens, ==))", &*tokens, 2),
    ] {
        let program = program(text, tokens, max_length, 2_000);
        let on = (Dtype::Bfloat16, HostOrder::Scores);
        let plain = program.compiled(Host::default(), Style::Faithful).model;
        assert!(!plain.certified.contains_key(&Dtype::Bfloat16));
        assert!(program.wrong(&plain, on).is_some(), "{text}");
        program.in_bfloat16(text);
    }
}

/// The squares of more than 16 have more digits than bfloat16: what is left of a bias of W_U stands at a direction
/// that is 1.
#[test]
fn classes_in_bfloat16_may_be_many() {
    let tokens: Vec<char> = ('0'..='9').chain('a'..='z').chain('A'..='Z').collect();
    for (count, holds_one) in [(17, false), (18, true), (26, true), (62, true)] {
        let tokens: String = tokens[..count].iter().collect();
        let reversed = "aggregate(select(indices, length - 1 - indices, ==), tokens)";
        let program = program(reversed, &tokens, 6, 4_000);
        let model = program.in_bfloat16(&tokens);
        let mut directions = model.directions.iter();
        let has_one = directions.any(|label| label.contains("one"));
        assert_eq!(has_one, holds_one, "{count}");
    }
}

/// Biases of 129.5 and the like have too many digits, and are moved within the gap of their step.
#[test]
fn thresholds_in_bfloat16_have_no_windows() {
    for max_length in [32, 33, 36, 64] {
        let shuffled = "shuffle_dyck(tokens, [\"()\", \"{}\"])";
        let program = program(shuffled, "(){}", max_length, 300);
        program.in_bfloat16(&format!("{max_length} tokens"));
    }
}

/// Where what it is moved by puts a number onto its ramp it stays: three steps that each gave a sixth of their height
/// were between two values.
#[test]
fn thresholds_in_bfloat16_are_not_moved_onto_a_number() {
    let program = program(
        "(average(tokens_int) / (1 + indices) + (indices - average(tokens_int))) - indices",
        "012",
        7,
        4_000,
    );
    program.in_bfloat16("a share of a mean");
}

/// What is left of the bias of a hidden unit stands at a direction that is 1, too, where that cannot be moved or is no
/// step's; and weights that tell thresholds of one index from those of another have few digits.
#[test]
fn biases_of_hidden_units_in_bfloat16_may_have_more_digits() {
    for (text, tokens, max_length) in [
        ("depth(tokens, [\"()\"])", "()", 70),
        ("depth(tokens, [\"()\"])", "()", 130),
        ("dyckk_ptf(tokens, [\"()\"])", "()", 8),
        ("bounded_dyck(tokens, [\"()\"], 3)", "()", 8),
        ("running_parity(tokens, \"a\")", "ab", 8),
        ("add(tokens)", "01+", 5),
        // At BOS hidden units hold more than anywhere else.
        ("running_total(tokens_int) % 5", "01234", 33),
    ] {
        let program = program(text, tokens, max_length, 300);
        program.in_bfloat16(&format!("{text} of {max_length} tokens"));
    }
}

#[test]
fn bfloat16_has_8_bits() {
    for exact in [0.0, 1.0, -255.0, 256.0, 258.0, 0.375, 3.0 * 2f64.powi(100)] {
        assert!(is_bfloat16(exact), "{exact}");
    }
    for other in [257.0, 289.0, 1.0 / 3.0, 1e39, -1.0 - 2f64.powi(-8)] {
        assert!(!is_bfloat16(other), "{other}");
    }
    assert_eq!((bfloat16(257.0), bfloat16(259.0)), (256.0, 260.0));
}

#[test]
fn roots_of_padded_heads_are_exact() {
    let padded = |order: HostOrder| [0, 1, 2, 4, 5, 17].map(|d| order.exact_d_head(d));
    assert_eq!(padded(HostOrder::Scores), [0, 1, 2, 4, 5, 17]);
    assert_eq!(padded(HostOrder::Query), [0, 1, 4, 4, 16, 64]);
    assert_eq!(padded(HostOrder::Both), [0, 1, 16, 16, 16, 256]);
}
