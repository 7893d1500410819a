//! Real numbers: transformers written out as programs, whose attention weighs by exponentials and whose
//! hidden units are choices between what is equal where it turns. Proved, and against the interpreter on
//! all inputs, in both styles, under the causal mask and without BOS.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::verify;

use rasp::base::{Code, Limits};
use rasp::execute::Precision;
use rasp::graph::Sharing;
use rasp::inside::compile::compile_in;
use rasp::model::{Decoder, Dtype, Host, HostOrder, summary};
use rasp::plan::{Plan, Style, Written};
use rasp::session::{Compiled, Request, Session, Setting, VerifyOptions};
use rasp::value::Value;

/// A transformer of two directions; `seen` is a causal mask, or none.
const TRANSFORMER: &str = "
    def relu(x) { return x if x > 0 else 0; }
    def dot(row, x) { return row[0] * x[0] + row[1] * x[1]; }
    def head(x, query, key, value) {
        return aggregate(score((dot(key, x), indices), (dot(query, x), indices),
                               lambda k, i, q, j: exp(k * q) if SEEN else 0), dot(value, x));
    }
    def block(x) {
        a = head(x, [2, 0], [1, 0.5], [0, 1]);
        b = head(x, [0, -1], [0.5, 1], [1, 0]);
        x = [x[0] + 0.5 * b, x[1] + a];
        hidden = [relu(x[0] - x[1]), relu(1 - 2 * x[0] + x[1])];
        return [x[0] + 0.5 * hidden[0] - 0.5 * hidden[1], x[1] + hidden[0]];
    }
    x = [1 if tokens == \"a\" else -1, indices / 4];
    once = block(x)[0];
    twice = block(block(x))[1];";

/// What may be made of real numbers.
const OTHERS: &str = "
    mean = aggregate(score(tokens_int, indices, lambda k, q: exp(k * q / 2 - q)), indices, 3);
    least = mean if mean < indices else indices;
    most = mean if mean >= 1 else 1;
    size = 1 - mean if mean - 1 < 0 else mean - 1;
    same = mean if mean == 1 else 1;
    other = mean if mean != 1 else 1;
    above = 1 if mean < 1 else mean;
    inside = above if above < 2 else 2;
    product = exp(mean) * 0 + mean;
    of_both = aggregate(score((mean, tokens_int), (indices, mean),
        lambda a, b, c, d: 2 ^ ((a + 1) * (c - 1) - b * d / 3) * exp(b) / 3), size - most);
    before = aggregate(score((mean, indices), indices,
        lambda a, i, j: exp(a) if i < j else 0), least, -2);
    heavy = aggregate(score(tokens_int, tokens_int, lambda k, q: exp(k / 2)), indices);
    near = aggregate(score(indices, tokens_int, lambda k, q: exp(k * q / 5)), tokens_int);
    once = heavy + 2 * near if heavy + 2 * near < 3 else 3;
    again = aggregate(select(indices, indices, <=), before + of_both);";

fn setting(vocabulary: Vec<Value>, causal: bool) -> Setting {
    Setting {
        vocabulary,
        max_length: 4,
        causal,
    }
}

/// Compiles for float64, proves, and compares on all inputs.
fn exact(text: &str, name: &str, setting: &Setting, request: &Request) -> Compiled {
    let mut session = Session::new(Sharing::Equal);
    session.load_text("test", text);
    let diagnostics = session.take_diagnostics();
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let root = session.sop(name).unwrap();
    let request = Request {
        host: Host {
            dtype: Some(Dtype::Float64),
            ..Host::default()
        },
        ..request.clone()
    };
    let limits = Limits::default();
    let compiled = compile_in(&request, session.graph(), &[root], setting, &limits)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let orders = &compiled.model.certified[&Dtype::Float64];
    assert!(orders.contains(&HostOrder::Scores), "{name}");
    for precision in [Precision::F64, Precision::F32] {
        let options = VerifyOptions {
            max_length: 4,
            exhaustive: 200,
            samples: 0,
            seed: 0,
            precision,
        };
        let found = verify(session.graph(), root, &compiled.model, &options).unwrap();
        let wrong = &found.first_wrong;
        assert_eq!(found.wrong, 0, "{name} {precision:?}: {wrong:?}");
        assert!(found.checked >= 30, "{name}");
    }
    compiled
}

fn requests() -> [Request; 3] {
    [
        Style::Faithful.into(),
        Style::Compact.into(),
        Request {
            without_bos: true,
            ..Request::default()
        },
    ]
}

#[test]
fn a_transformer_compiles_to_itself() {
    for (seen, causal) in [("1 == 1", false), ("i <= j", true), ("i <= j", false)] {
        let text = TRANSFORMER.replace("SEEN", seen);
        let setting = setting(Value::characters("ab"), causal);
        for request in requests() {
            for (name, layers) in [("once", 1), ("twice", 2)] {
                let compiled = exact(&text, name, &setting, &request);
                let sizes = summary(&compiled.model);
                assert_eq!(sizes.heads, vec![2; layers], "{name}, {seen}");
                assert!(
                    sizes.d_mlp.iter().all(|units| *units <= 2),
                    "{name}, {seen}"
                );
                let one_product = request.without_bos && causal;
                let products = vec![1; layers];
                assert!(
                    !one_product || sizes.d_head == products,
                    "{name}: {:?}",
                    sizes.d_head
                );
            }
        }
    }
}

#[test]
fn real_numbers_may_be_chosen_between_where_they_are_equal() {
    let names = [
        "least", "most", "size", "same", "other", "inside", "of_both", "before", "again", "once",
    ];
    let digits = setting([0, 1, 3].map(Value::Int).to_vec(), false);
    for name in names {
        for request in requests() {
            let compiled = exact(OTHERS, name, &digits, &request);
            let real = Decoder::Numerical(Vec::new());
            assert_eq!(compiled.model.readout().decoder, real, "{name}");
        }
    }
}

/// What an exponent multiplies out to: powers of one number at the key, and of one at the query.
#[test]
fn exponents_may_be_powers() {
    let text = "near = aggregate(score(indices, indices, lambda k, q: exp(-(k - q) * (k - q))), indices);
        nearer = aggregate(score(indices, tokens_int, lambda k, q: exp(0 - (k - 2 * q) ^ 2 / 2)), tokens_int);
        cubic = aggregate(score(tokens_int, indices, lambda k, q: exp(k ^ 3 / 8 - k * q ^ 2 / 4)), indices);";
    let digits = setting([0, 1, 3].map(Value::Int).to_vec(), false);
    for name in ["near", "nearer", "cubic"] {
        for request in requests() {
            exact(text, name, &digits, &request);
        }
    }
}

/// Products of whole numbers add up exactly, as a head divides by a power of two.
#[test]
fn exponents_of_whole_numbers_are_proved_in_float32() {
    let mut session = Session::new(Sharing::Equal);
    session.load_text(
        "test",
        "product = aggregate(score(indices, tokens_int, lambda k, q: exp(k * q)), indices);
        indexed = aggregate(score(indices, indices, lambda k, q: exp(k * q)), indices);
        near = aggregate(score(indices, indices, lambda k, q: exp(-(k - q) * (k - q))), indices);
        wide = aggregate(score(indices, indices, lambda k, q: exp(-(k - q) * (k - q) / 4)), indices);
        falling = aggregate(score(indices, indices, lambda k, q: exp((k - q) / 2) if k <= q else 0),
                            tokens_int);",
    );
    for (name, max_length) in [
        ("product", 16),
        ("product", 32),
        ("indexed", 24),
        ("near", 12),
        ("near", 24),
        ("wide", 48),
        ("falling", 64),
    ] {
        let setting = Setting {
            max_length,
            ..setting([0, 1, 2].map(Value::Int).to_vec(), false)
        };
        let root = session.sop(name).unwrap();
        let request = Request::default();
        let (graph, limits) = (session.graph(), Limits::default());
        let compiled = compile_in(&request, graph, &[root], &setting, &limits);
        let compiled = compiled.unwrap_or_else(|error| panic!("{name} at {max_length}: {error}"));
        assert!(compiled.is_certified(), "{name} at {max_length}");
    }
}

/// What a mean and a width add up to is off by a share of itself, as both are on one side of 0; and W_Q is dyadic
/// where keys weigh by exponentials, or BOS as much as the keys of other parts.
#[test]
fn a_mean_beside_a_width_is_proved_in_float32() {
    let mut session = Session::new(Sharing::Equal);
    session.load_text(
        "test",
        "same = select(tokens, tokens, ==);
        beside = aggregate(same, indices) + selector_width(same);
        falling = aggregate(score(indices, indices, lambda k, q: exp((k - q) / 3) if k <= q else 0),
                            indices);
        of_union = aggregate(select(indices, indices, <=) or same, indices);",
    );
    for (name, max_length) in [
        ("beside", 40),
        ("beside", 100),
        ("falling", 20),
        ("of_union", 16),
        ("of_union", 33),
    ] {
        let letters = ["a", "b", "c", "d"].map(Value::str);
        let setting = Setting {
            max_length,
            ..setting(letters.to_vec(), false)
        };
        let root = session.sop(name).unwrap();
        let request = Request::default();
        let (graph, limits) = (session.graph(), Limits::default());
        let compiled = compile_in(&request, graph, &[root], &setting, &limits).unwrap();
        assert!(compiled.is_certified(), "{name} at {max_length}");
        assert!(
            compiled.model.padded_parameters() < 50_000,
            "{name} at {max_length}"
        );
        let heads = compiled.model.layers.iter().flat_map(|layer| &layer.heads);
        let queries = heads.flat_map(|head| {
            let weights = head.query.entries().map(|(_, _, weight)| weight);
            weights.chain(head.query_bias.iter().copied())
        });
        for weight in queries {
            assert_eq!(f64::from(weight as f32), weight, "{name} at {max_length}");
        }
        let options = samples(200, max_length);
        let found = verify(session.graph(), root, &compiled.model, &options);
        assert_eq!(found.unwrap().wrong, 0, "{name} at {max_length}");
    }
}

/// By what is listed: a unit is silent where its number is not chosen.
#[test]
fn real_numbers_are_chosen_by_conditions() {
    let text = format!(
        "{OTHERS}
        gate = mean if tokens_int > 0 else -mean;
        first = mean if indices == 0 else 1;
        never = 1 if tokens_int > 5 else mean;
        bit = near * indicator(tokens_int == 1) + mean;
        times = mean * tokens_int - indices * near;
        nested = (mean if indices > 1 else -near) if tokens_int == 1 else 2 * mean + indices;"
    );
    let digits = setting([0, 1, 3].map(Value::Int).to_vec(), false);
    for name in ["gate", "first", "never", "bit", "times", "nested"] {
        for request in requests() {
            exact(&text, name, &digits, &request);
        }
    }
}

/// Of what a mean is multiplied by, one number is chosen: the units of the others are silent, and add no error.
#[test]
fn means_are_multiplied_by_counts() {
    let mut session = Session::new(Sharing::Equal);
    session.load_text(
        "test",
        "times = average(tokens_int) * selector_width(select(tokens, tokens, ==));",
    );
    for max_length in [8, 10] {
        let setting = Setting {
            max_length,
            ..setting([0, 1, 2, 3].map(Value::Int).to_vec(), false)
        };
        let root = session.sop("times").unwrap();
        let (graph, limits) = (session.graph(), Limits::default());
        let compiled = compile_in(&Request::default(), graph, &[root], &setting, &limits).unwrap();
        assert!(compiled.is_certified(), "{max_length}");
        let size = compiled.model.padded_parameters();
        assert!(size < 2_000, "{max_length}: {size}");
        let options = samples(500, max_length);
        let found = verify(session.graph(), root, &compiled.model, &options);
        assert_eq!(found.unwrap().wrong, 0, "{max_length}");
    }
}

#[test]
fn means_are_compared_with_each_other() {
    let program = "a = aggregate(select(tokens, \"a\", ==), indices, -1);
        b = aggregate(select(tokens, \"b\", ==), indices, -1);
        before = a < b; after = indices > a;";
    // 500 values of each mean are beyond the rows of other tables, and 33 of the index beside 6,400.
    for (name, max_length, most) in [("before", 17, 200), ("after", 33, 150)] {
        let setting = Setting {
            max_length,
            ..setting(Value::characters("ab"), false)
        };
        let compiled = exact(program, name, &setting, &Request::default());
        let parameters = compiled.model.padded_parameters();
        assert!(parameters <= most, "{name}: {parameters}");
    }
}

/// By squares, of which a table of the product would have one for each pair.
#[test]
fn means_are_multiplied_with_each_other() {
    let mut session = Session::new(Sharing::Equal);
    session.load_text(
        "test",
        "a = average(indicator(tokens == \"a\")); b = average(indicator(tokens == \"b\"));
        both = a * b; spread = a * (1 - a);
        least = average(indices * a) - average(indices) * a;",
    );
    for (name, max_length, most) in [
        ("both", 9, 2_000),
        ("both", 20, 8_000),
        ("spread", 64, 10_000),
        ("least", 6, 2_000),
    ] {
        let setting = Setting {
            max_length,
            ..setting(Value::characters("abc"), false)
        };
        let root = session.sop(name).unwrap();
        let (graph, limits) = (session.graph(), Limits::default());
        let compiled = compile_in(&Request::default(), graph, &[root], &setting, &limits).unwrap();
        assert!(compiled.is_certified(), "{name} at {max_length}");
        let parameters = compiled.model.padded_parameters();
        assert!(parameters <= most, "{name} at {max_length}: {parameters}");
        let found = verify(graph, root, &compiled.model, &samples(200, max_length));
        assert_eq!(found.unwrap().wrong, 0, "{name} at {max_length}");
    }
}

#[test]
fn what_is_not_continuous_is_refused() {
    let text = format!(
        "{OTHERS}
        jump = mean if mean > 2 else 0;
        steep = aggregate(score(indices, indices, lambda k, q: exp(100 * k * q)), mean);
        square = aggregate(score(mean, mean, lambda k, q: exp(k * k * q)), mean);"
    );
    let mut session = Session::new(Sharing::Equal);
    session.load_text("test", &text);
    let digits = setting([0, 1, 3].map(Value::Int).to_vec(), false);
    for name in ["jump", "steep", "square", "product"] {
        let root = session.sop(name).unwrap();
        let request = Request::default();
        let (graph, limits) = (session.graph(), Limits::default());
        let error = compile_in(&request, graph, &[root], &digits, &limits)
            .err()
            .unwrap_or_else(|| panic!("{name} compiles"));
        assert_eq!(error.code, Code::NotCompilable, "{name}: {error}");
    }
}

#[test]
fn scores_that_are_larger_than_a_plan_says_are_not_proved() {
    let text = TRANSFORMER.replace("SEEN", "1 == 1");
    let letters = setting(Value::characters("ab"), false);
    let model = exact(&text, "twice", &letters, &Request::default()).model;
    let stored = model.plan.clone().unwrap();
    let holds = |stored: &str| {
        let model = rasp::model::Model {
            plan: Some(stored.to_string()),
            ..model.clone()
        };
        let plan = Plan::restore(stored, &model).unwrap();
        let [_, certificate] = rasp::inside::certify::certify(&plan, HostOrder::Scores);
        certificate.holds()
    };
    assert!(holds(&stored));
    let mut plan: serde_json::Value = serde_json::from_str(&stored).unwrap();
    let mut changed = 0;
    for attend in plan["attends"].as_array_mut().unwrap() {
        for term in attend["terms"].as_array_mut().unwrap() {
            if let Some(above) = term["meaning"].pointer_mut("/Exponent/above") {
                *above = (above.as_f64().unwrap() / 2.0).into();
                changed += 1;
            }
        }
    }
    assert!(changed > 0);
    assert!(!holds(&plan.to_string()));
}

#[test]
fn what_passes_make_of_real_numbers_has_no_list_of_values() {
    let digits = setting([0, 1, 3].map(Value::Int).to_vec(), false);
    let plan = exact(OTHERS, "once", &digits, &Request::default())
        .plan()
        .clone();
    // Both heads write one variable, which a hidden unit reads.
    assert_eq!((plan.attends.len(), plan.feed_forwards.len()), (2, 1));
    assert_eq!(plan.attends[0].into, plan.attends[1].into);
    let computed = [Written::Attend, Written::FeedForward];
    let variables = plan.variables.iter();
    let mut computed = variables.filter(|variable| computed.contains(&variable.written));
    assert!(computed.all(|variable| variable.values.is_empty()));
}

/// So many inputs of up to so many tokens, in float32.
fn samples(samples: usize, max_length: usize) -> VerifyOptions {
    VerifyOptions {
        max_length,
        exhaustive: 0,
        samples,
        seed: 0,
        precision: Precision::F32,
    }
}
