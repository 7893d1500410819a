//! Certificates: what is proved of compiled models, that the bounds are bounds, that a proof is of
//! exactly these weights, and that no plan in a file, however hostile, makes a proof panic.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;
use crate::common::listed;
use crate::common::property;

use listed::{PROGRAMS, path};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof, proptest};
use rasp::base::{Code, Limits};
use rasp::execute::{Precision, largest_activation, trace};
use rasp::inside::certify::{Floats, certify, grain};
use rasp::inside::compile::{certified, compile_in, lower};
use rasp::model::{Decoder, Dtype, Host, HostOrder, Matrix, Model, from_bytes, to_bytes};
use rasp::plan::{Plan, Style, Unit, VariableId, ascending, output, outputs};
use rasp::session::{Asked, Certificate, Compiled, Request, Session, VerifyOptions};
use rasp::value::Value;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The programs that are taken apart here, each with few tokens.
const SMALL: &[(&str, &str)] = &[
    ("hist", "abcd"),
    ("reverse", "abcd"),
    ("sort", "abcd"),
    ("double_hist", "abcd"),
    ("frac_prevs", "helo"),
    ("induction", "abcd"),
    ("shuffle_dyck2", "(){}"),
    ("papers/preprint_transformer", "ab"),
];

/// The longest input of these.
const LENGTH: usize = 5;

const STYLES: [Style; 2] = [Style::Faithful, Style::Compact];

fn compiled(name: &str, style: Style, small: Option<&str>) -> Option<Compiled> {
    let (_, main) = PROGRAMS
        .iter()
        .find(|(program, _)| *program == name)
        .unwrap();
    let text = std::fs::read_to_string(path(name)).unwrap();
    let mut session = common::session(name, &text);
    let sop = session.sop(main).unwrap();
    let asked = Asked {
        vocabulary: small.map(Value::characters),
        max_length: small.map(|_| LENGTH),
        ..Asked::default()
    };
    let setting = session.setting(&asked).ok()?;
    compile_in(
        &style.into(),
        session.graph(),
        &[sop],
        &setting,
        &Limits::default(),
    )
    .ok()
}

/// Certificates as text, in which what is not a number is the same as itself.
fn shown(certificates: &[Certificate; 2]) -> String {
    certificates.iter().map(ToString::to_string).collect()
}

/// The small programs in both styles.
static MODELS: LazyLock<Vec<(String, Compiled)>> = LazyLock::new(|| {
    let mut models = Vec::new();
    for (name, tokens) in SMALL {
        for style in STYLES {
            let compiled = compiled(name, style, Some(tokens)).unwrap();
            models.push((format!("{name}, {}", style.name()), compiled));
        }
    }
    models
});

#[test]
fn a_model_from_its_bytes_has_the_same_plan_and_certificate() {
    for (name, compiled) in MODELS.iter() {
        let model = from_bytes(&to_bytes(&compiled.model).unwrap()).unwrap();
        assert_eq!(model, compiled.model, "{name}");
        let plan = Plan::restore(model.plan.as_ref().unwrap(), &model);
        assert_eq!(plan.as_ref(), Ok(compiled.plan()), "{name}");
        assert_eq!(
            shown(&certified(&model).unwrap()),
            shown(compiled.certificates()),
            "{name}"
        );
        let open = OPEN.iter().any(|(open, _)| open == name);
        assert_eq!(compiled.is_certified(), !open, "{name}");
        if !open {
            for dtype in [Dtype::Float32, Dtype::Float64] {
                assert!(
                    model.certified[&dtype].contains(&HostOrder::Scores),
                    "{name}"
                );
            }
        }
    }
}

/// Every matrix of a model, then every bias.
fn tensors(model: &mut Model) -> (Vec<&mut Matrix>, Vec<&mut Vec<f64>>) {
    let mut matrices = vec![&mut model.token_embedding, &mut model.position_embedding];
    let mut biases = Vec::new();
    for layer in &mut model.layers {
        for head in &mut layer.heads {
            matrices.extend([
                &mut head.query,
                &mut head.key,
                &mut head.value,
                &mut head.output,
            ]);
            biases.extend([&mut head.query_bias, &mut head.key_bias]);
        }
        matrices.extend([&mut layer.mlp.input, &mut layer.mlp.output]);
        biases.extend([&mut layer.mlp.input_bias, &mut layer.mlp.output_bias]);
    }
    let outputs = model.outputs.iter_mut().map(|output| &mut output.readout);
    let variables = model
        .variables
        .iter_mut()
        .map(|variable| &mut variable.readout);
    for readout in outputs.chain(variables) {
        matrices.push(&mut readout.weights);
        biases.push(&mut readout.bias);
    }
    (matrices, biases)
}

/// Multiplies the weight that comes after `at` others that are not zero.
fn mutate(model: &mut Model, mut at: usize, factor: f64) {
    let (matrices, biases) = tensors(model);
    for matrix in matrices {
        if at < matrix.nonzero() {
            let mut entries: Vec<_> = matrix.entries().collect();
            entries[at].2 *= factor;
            *matrix = Matrix::from_triplets(matrix.rows(), matrix.columns(), entries);
            return;
        }
        at -= matrix.nonzero();
    }
    let mut weights = biases
        .into_iter()
        .flatten()
        .filter(|weight| **weight != 0.0);
    *weights.nth(at).unwrap() *= factor;
}

fn nonzero(model: &mut Model) -> usize {
    let (matrices, biases) = tensors(model);
    let of_biases = biases
        .into_iter()
        .flatten()
        .filter(|weight| **weight != 0.0)
        .count();
    matrices
        .iter()
        .map(|matrix| matrix.nonzero())
        .sum::<usize>()
        + of_biases
}

#[test]
fn no_changed_weight_keeps_its_certificate() {
    let mut mutants = 0;
    let of_each = 1_000usize.div_ceil(MODELS.len());
    for (name, compiled) in MODELS.iter() {
        let weights = nonzero(&mut compiled.model.clone());
        for mutant in 0..of_each {
            let mut model = compiled.model.clone();
            // All over the model; each weight with all factors, where there are few.
            let at = (mutant * weights / of_each + mutant) % weights;
            mutate(&mut model, at, [1.2, -1.0, 0.0][mutant % 3]);
            assert_ne!(model, compiled.model, "{name}");
            let error = certified(&model).unwrap_err();
            assert_eq!(error.code, Code::NotExact, "{name}");
            assert!(error.notes[0].contains(" is expected"), "{name}: {error}");
            mutants += 1;
        }
    }
    assert!(mutants >= 1_000);
}

#[test]
fn the_first_weight_that_differs_is_named() {
    let (_, compiled) = &MODELS[0];
    let told = |change: &dyn Fn(&mut Model)| {
        let mut model = compiled.model.clone();
        change(&mut model);
        let error = certified(&model).unwrap_err();
        format!("{}: {}\n", error.message, error.notes.join("; "))
    };
    let mut text = String::new();
    for at in [0, nonzero(&mut compiled.model.clone()) / 2] {
        text += &told(&|model| mutate(model, at, 1.2));
    }
    text += &told(&|model| {
        let query = &mut model.layers[0].heads[0].query;
        *query = Matrix::zeros(query.rows(), query.columns());
    });
    text += &told(&|model| model.layers[0].heads[0].key_bias[0] += 1.0);
    text += &told(&|model| model.outputs[0].readout.bias[0] += 1.0);
    text += &told(&|model| model.layers[0].heads.clear());
    text += &told(&|model| model.layers.clear());
    text += &told(&|model| model.causal = true);
    text += &told(&|model| drop(model.variables.pop()));
    text += &told(&|model| model.plan = None);
    text += &told(&|model| model.plan = Some("{}".to_string()));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("certify");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("differences", text));
}

/// What the compiler does not prove to be exact yet, and where the proof ends.
const OPEN: &[(&str, &str)] = &[];

/// Examples that take too long to compile in a debug build.
const SLOW: &[&str] = &["papers/weiss2021_rover"];

#[test]
fn every_example_is_certified_and_within_its_bounds() {
    let mut wrong = Vec::new();
    for (name, _) in PROGRAMS {
        let started = std::time::Instant::now();
        let listed = OPEN.iter().any(|(open, _)| open == name);
        if SLOW.contains(name) {
            continue;
        }
        let Some(compiled) = compiled(name, Style::Faithful, None) else {
            println!("{name}: not compiled");
            continue;
        };
        println!("{name}: {:.1?}", started.elapsed());
        if compiled.is_certified() == listed {
            let open: Vec<&String> = compiled
                .certificates()
                .iter()
                .flat_map(|c| &c.open)
                .collect();
            wrong.push(format!("{name}: {open:?}"));
        }
        let model = from_bytes(&to_bytes(&compiled.model).unwrap()).unwrap();
        let plan = Plan::restore(model.plan.as_ref().unwrap(), &model);
        assert_eq!(plan.as_ref(), Ok(compiled.plan()), "{name}");
        for input in some_inputs(&model) {
            observe(name, &compiled, &input);
        }
        assert_eq!(
            shown(&certified(&model).unwrap()),
            shown(compiled.certificates()),
            "{name}"
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Examples at the sizes that people ask for.
const LONG: &[(&str, usize, usize)] = &[
    ("induction", 64, 64),
    ("most_frequent", 16, 32),
    ("shuffle_dyck2", 64, 113),
];

/// The same with those that take longer.
const LONGER: &[&str] = &[
    "hist",
    "reverse",
    "sort",
    "double_hist",
    "shuffle_dyck2",
    "frac_prevs",
    "induction",
    "dyck2",
];

/// The text of an example, and its s-op.
fn example(name: &str) -> (String, &'static str) {
    let (_, main) = PROGRAMS
        .iter()
        .find(|(program, _)| *program == name)
        .unwrap();
    (std::fs::read_to_string(path(name)).unwrap(), main)
}

/// The model of a program for its own brackets, if it has any, and other tokens.
fn long((text, main): &(String, &str), tokens: usize, max_length: usize) -> (Session, Compiled) {
    let mut session = common::session("long.rasp", text);
    let letters = "(){}".chars().chain('\u{4e00}'..).take(tokens);
    let asked = Asked {
        vocabulary: Some(letters.map(|c| Value::str(&c.to_string())).collect()),
        max_length: Some(max_length),
        ..Asked::default()
    };
    let compiled = session.compile(&[*main], &asked).unwrap();
    for certificate in compiled.certificates() {
        assert!(certificate.holds(), "{main}: {:?}", certificate.open);
    }
    (session, compiled)
}

#[test]
fn some_long_models_are_certified() {
    for (name, tokens, max_length) in LONG {
        long(&example(name), *tokens, *max_length);
    }
}

/// Holds a model of some tokens against the interpreter, in both floats.
fn is_right(
    program: &(String, &str),
    tokens: usize,
    max_length: usize,
    samples: usize,
) -> Compiled {
    let (session, compiled) = long(program, tokens, max_length);
    for precision in [Precision::F32, Precision::F64] {
        let options = VerifyOptions {
            precision,
            samples,
            exhaustive: samples,
            ..VerifyOptions::default()
        };
        let verified = session.verify(&compiled, &options).unwrap();
        assert_eq!(verified.wrong, 0, "{}", program.1);
        assert!(verified.checked >= samples, "{}", program.1);
    }
    compiled
}

#[test]
#[ignore = "takes two gigabytes of memory"]
fn long_models_are_certified_and_right() {
    let by_frequency = ("load \"sorting\";".to_string(), "sort_by_frequency(tokens)");
    let examples = LONGER.iter().map(|name| example(name));
    for program in examples.chain([by_frequency]) {
        is_right(&program, 64, 64, 2_000);
    }
}

/// S-ops, a length, and the most hidden units of a layer that their models may take: products by
/// squares, quotients by cases of the divisor, choices by what is above the other, shares by a line,
/// functions of counts by the thresholds of these, and what one position has at most.
const FEW_UNITS: &[(&str, usize, usize)] = &[
    (
        "round(length * average(9 * indicator(tokens == \"(\") - 4 * indicator(tokens == \")\")))",
        64,
        0,
    ),
    (
        "round((indices + 1) * aggregate(select(indices, indices, <=), 9 * indicator(tokens == \"(\")))",
        64,
        0,
    ),
    // A step of the value for each count, as fine as float32 can make them.
    (
        "round(length * average(selector_width(select(tokens, \"(\", ==) and select(indices, indices, <))
            if tokens == \")\" else 0))",
        32,
        64,
    ),
    // What counts and means are added to is exact, so that little is rounded before a step.
    ("count(tokens, \"(\") * count(tokens, \")\")", 80, 320),
    (
        "round(aggregate(select(tokens, \"(\", ==), indices, -1))",
        72,
        144,
    ),
    // A product by 0 or 1 is a hidden unit.
    ("indices * indicator(tokens == \"(\")", 48, 1),
    (
        "round(length * average(indices * indicator(tokens == \"(\")))",
        48,
        1,
    ),
    ("indices * length", 12, 50),
    ("indices * length", 24, 100),
    ("indices * length", 70, 300),
    (
        "selector_width(select(tokens, \"(\", ==)) * indices",
        40,
        160,
    ),
    (
        "selector_width(select(tokens, \"(\", ==)) * indices",
        16,
        64,
    ),
    // Two for each index that a mean may be.
    (
        "aggregate(select(indices, aggregate(full_s, indices), ==), tokens, \"-\")",
        32,
        32,
    ),
    (
        "aggregate(select(indices, aggregate(select(tokens, tokens, ==), indices), ==), tokens, \"-\")",
        7,
        12,
    ),
    (
        "aggregate(select(indices, aggregate(select(tokens, tokens, ==), indices), ==), tokens, \"-\")",
        40,
        80,
    ),
    (
        "aggregate(select(indices - aggregate(select(tokens, tokens, ==), indices), indices, ==), indices, -1)",
        5,
        8,
    ),
    (
        "selector_width(select(indices, indices - 3 * average(indicator(tokens == \"(\")), ==))",
        12,
        24,
    ),
    ("indices / length", 12, 24),
    ("(indices - length) / length", 16, 32),
    ("indices / length", 64, 128),
    ("hist(tokens) / length", 12, 36),
    ("hist(tokens) / length", 32, 96),
    ("hist(tokens) / length", 64, 256),
    ("hist(tokens) / length > 0.3", 64, 64),
    ("round(100 * hist(tokens) / length)", 48, 200),
    ("count(tokens, \"(\") / (1 + count(tokens, \")\"))", 32, 128),
    (
        "count(tokens, \"(\") / (count(tokens, \"(\") + count(tokens, \")\") + 1)",
        24,
        96,
    ),
    (
        "(count(tokens, \"(\") - count(tokens, \")\")) / length",
        64,
        400,
    ),
    ("aggregate(select(tokens, tokens, ==), indices)", 32, 0),
    ("average(hist(tokens))", 64, 130),
    ("max(count(tokens, \"(\"), count(tokens, \")\"))", 64, 130),
    ("max(indices, length - indices)", 64, 1),
    (
        "count(tokens, \"(\") - count(tokens, \")\") if count(tokens, \"(\") > count(tokens, \")\") else count(tokens, \")\") - count(tokens, \"(\")",
        64,
        130,
    ),
    (
        "max(count(tokens, \"(\") - count(tokens, \")\"), 0)",
        64,
        130,
    ),
    (
        "hist(tokens) if hist(tokens) > 3 else count(tokens, \"(\")",
        64,
        130,
    ),
    ("count(tokens, \"(\") if hist(tokens) > 3 else 0", 24, 30),
    (
        "(count(tokens, \"(\") - count(tokens, \")\")) / (count(tokens, \"(\") + count(tokens, \")\")) if count(tokens, \"(\") + count(tokens, \")\") > 0 else 0",
        16,
        130,
    ),
    (
        "count(tokens, \"(\") / hist(tokens) if hist(tokens) > 2 else count(tokens, \"(\")",
        16,
        64,
    ),
    (
        "max(indices - aggregate(select(tokens, \"(\", ==), indices), 0)",
        12,
        1,
    ),
    (
        "max(indices - aggregate(select(tokens, \"(\", ==), indices), 0)",
        32,
        1,
    ),
    (
        "max(frac_prevs(tokens, \"(\"), frac_prevs(tokens, \")\"))",
        32,
        1,
    ),
    (
        "aggregate(select(tokens, tokens, ==), hist(tokens) / length)",
        32,
        200,
    ),
    (
        "round((indices + 1) * frac_prevs(tokens, \"(\")) % 2",
        64,
        128,
    ),
    ("-1 if num_prevs(tokens, \"(\") % 3 == 1 else 1", 40, 160),
    (
        "aggregate(select_from_last(tokens, \"(\"), indices, -1)",
        64,
        4,
    ),
    (
        "aggregate(select_from_first(tokens, \"(\"), indices, -1)",
        64,
        4,
    ),
];

/// What scores put above all else is no reason for larger weights than others have.
#[test]
fn the_weights_of_long_scored_heads_are_no_larger() {
    let program = (
        "load \"dyck\";".to_string(),
        "dyckk_ptf_best(tokens, [\"()\", \"{}\"])",
    );
    let (_, compiled) = long(&program, 4, 64);
    assert!(compiled.model.largest_weight() <= 65_536.0);
}

/// Levels that are compared by bits, each read from two hundred steps, are one of two numbers: float32 tells the
/// keys of a head apart by what these are together, not by what the steps would be each.
#[test]
fn best_keys_of_long_inputs_are_proved_in_float32() {
    let program = (
        "load \"dyck\";".to_string(),
        "dyckk_ptf_best(tokens, [\"()\"])",
    );
    long(&program, 2, 112);
}

/// A condition that is 5 where it holds silenced what was chosen five times.
#[test]
fn conditions_that_are_numbers_hold_where_they_are_not_0() {
    let expression = "count(tokens, \"(\") if 5 * indicator(tokens == \"(\") else count(tokens, \")\") + indices";
    let compiled = is_right(&(String::new(), expression), 3, 24, 300);
    let units = compiled.model.layers.iter().map(|layer| layer.mlp.d_mlp());
    assert!(units.max() <= Some(60));
}

/// The same, for what takes seconds each.
const FEW_UNITS_LONG: &[(&str, usize, usize)] = &[
    ("count(tokens, \"(\") / (1 + count(tokens, \")\"))", 64, 256),
    (
        "count(tokens, \"(\") / (count(tokens, \"(\") + count(tokens, \")\") + 1)",
        64,
        256,
    ),
    ("aggregate(select(tokens, tokens, ==), indices)", 64, 0),
    (
        "(count(tokens, \"(\") - count(tokens, \")\")) / (count(tokens, \"(\") + count(tokens, \")\")) if count(tokens, \"(\") + count(tokens, \")\") > 0 else 0",
        48,
        400,
    ),
];

fn have_few_units(programs: &[(&'static str, usize, usize)]) {
    for (expression, max_length, most) in programs {
        let program = (
            "load \"fractions\"; load \"hist\";".to_string(),
            *expression,
        );
        let compiled = is_right(&program, 3, *max_length, 60);
        let units = compiled.model.layers.iter().map(|layer| layer.mlp.d_mlp());
        assert!(units.max() <= Some(*most), "{expression}");
    }
}

#[test]
fn long_models_have_few_hidden_units() {
    have_few_units(FEW_UNITS);
}

#[test]
#[ignore = "takes ten seconds"]
fn slow_long_models_have_few_hidden_units() {
    have_few_units(FEW_UNITS_LONG);
}

/// Programs at lengths that people ask for, over their own tokens, with the layers and parameters,
/// counted with padding, that their models take at most: an example, its length, both.
const LENGTHS: &[(&str, usize, usize, usize)] = &[
    ("addition", 20, 4, 80_000),
    ("most_frequent", 64, 4, 700_000),
    ("papers/preprint_balanced", 64, 2, 118_000),
    ("papers/weiss2021_dyck2", 16, 5, 134_000),
    ("papers/weiss2021_long_addition", 14, 5, 70_000),
];

#[test]
fn longer_inputs_do_not_take_more_layers_or_large_weights() {
    for (name, max_length, layers, parameters) in LENGTHS {
        let (text, main) = example(name);
        let mut session = common::session("long.rasp", &text);
        let asked = Asked {
            max_length: Some(*max_length),
            ..Asked::default()
        };
        let compiled = session.compile(&[main], &asked).unwrap();
        assert!(compiled.is_certified(), "{name}");
        let model = &compiled.model;
        assert!(model.layers.len() <= *layers, "{name}");
        assert!(model.padded_parameters() <= *parameters, "{name}");
        let activation = model.largest_activation.unwrap();
        assert!(model.largest_weight().max(activation) <= 65_536.0, "{name}");
        for precision in [Precision::F32, Precision::F64] {
            let options = VerifyOptions {
                precision,
                samples: 200,
                exhaustive: 200,
                ..VerifyOptions::default()
            };
            let verified = session.verify(&compiled, &options).unwrap();
            assert_eq!(verified.wrong, 0, "{name}");
        }
    }
}

/// Some are proved for one kind of floats only, and the error says which.
#[test]
fn what_one_kind_of_floats_proves_is_told() {
    let mut session = common::session("long.rasp", "same = select(tokens, tokens, ==);");
    let asked = |dtype| Asked {
        vocabulary: Some(["a", "b", "c", "d"].map(Value::str).to_vec()),
        max_length: Some(24),
        request: Request {
            host: Host {
                dtype,
                ..Host::default()
            },
            ..Request::default()
        },
        ..Asked::default()
    };
    let main = "indices * selector_width(same) / length";
    let compiled = session.compile(&[main], &asked(None)).unwrap();
    assert!(!compiled.is_certified());
    let certified = &compiled.model.certified;
    assert!(certified.keys().eq([&Dtype::Float64]), "{certified:?}");
    let compiled = session
        .compile(&[main], &asked(Some(Dtype::Float64)))
        .unwrap();
    assert!(compiled.is_certified());
}

/// Inputs of all lengths that a model takes, the longest most often.
fn some_inputs(model: &Model) -> impl Iterator<Item = Vec<Value>> + '_ {
    (0..24usize).map(|round| {
        let length = model.max_length.saturating_sub(round / 2 % 8).max(1);
        let token = |at: usize| (at * at * (round + 1) + at * 5 + round * 3) / 2;
        let tokens = &model.vocabulary;
        (0..length)
            .map(|at| tokens[token(at) % tokens.len()].clone())
            .collect()
    })
}

/// All inputs of a length over a vocabulary.
fn inputs(vocabulary: &[Value], length: usize) -> Vec<Vec<Value>> {
    let mut inputs = vec![Vec::new()];
    for _ in 0..length {
        let longer = inputs.iter().flat_map(|input| {
            vocabulary
                .iter()
                .map(move |token| [&input[..], std::slice::from_ref(token)].concat())
        });
        inputs = longer.collect();
    }
    inputs
}

#[test]
fn what_is_observed_is_within_the_bounds() {
    for (name, compiled) in MODELS.iter() {
        let model = &compiled.model;
        let proved = model.largest_activation;
        assert_eq!(proved.is_some(), compiled.plan().style == Style::Faithful);
        for length in [1, 3, LENGTH] {
            // All of the short ones, and one in eleven of the longest.
            let step = if length == LENGTH { 11 } else { 1 };
            let inputs = inputs(&model.vocabulary, length).into_iter();
            let inputs: Vec<Vec<Value>> = inputs.step_by(step).collect();
            for input in &inputs {
                observe(name, compiled, input);
            }
            let largest = largest_activation(model, &inputs, Precision::F32).unwrap();
            assert!(
                proved.is_none_or(|most| largest <= most),
                "{name}: {largest} of {proved:?}"
            );
        }
    }
}

/// Runs an input in both precisions.
fn observe(name: &str, compiled: &Compiled, input: &[Value]) {
    let precisions = [Precision::F32, Precision::F64];
    for (precision, certificate) in precisions.into_iter().zip(compiled.certificates()) {
        let trace = trace(&compiled.model, input, precision).unwrap();
        within(
            name,
            compiled.plan(),
            certificate,
            &trace.steps.last().unwrap().stream,
        );
    }
}

fn within(name: &str, plan: &Plan, certificate: &Certificate, stream: &ndarray::Array2<f64>) {
    let attends = plan.attends.iter().flat_map(|attend| attend.reads());
    let keys: BTreeSet<VariableId> = attends.collect();
    let (directions, _) = plan.directions();
    for (at, (variable, bound)) in plan
        .variables
        .iter()
        .zip(&certificate.variables)
        .enumerate()
    {
        // At the end another stands in its direction.
        if plan.shared.iter().any(|(_, early)| early.0 as usize == at) {
            continue;
        }
        let of_bos = [variable.bos];
        // A bound that is not a number, where something is open, bounds nothing.
        let within = |number: f64, bound: f64| number <= bound || bound.is_nan();
        for (position, number) in stream.column(directions[at]).iter().enumerate() {
            // What no head reads may be anything at BOS.
            if position == 0 && !keys.contains(&VariableId(at as u32)) {
                continue;
            }
            let values = if position == 0 {
                &of_bos[..]
            } else {
                &variable.values
            };
            let near = values.iter().map(|value| (value - number).abs());
            let off = near.reduce(f64::min);
            // The values of some are not listed.
            let off = off.unwrap_or(0.0);
            // What a variable stands for may itself be no float64.
            let error = bound.error + 1e-15 * number.abs();
            assert!(
                within(off, error) && within(number.abs(), bound.largest + error),
                "{name}: {} is {number} at {position}, off by {off:e}; {bound:?}",
                variable.label
            );
        }
    }
}

/// The numbers and texts of a plan, from the first on.
fn leaves<'j>(json: &'j mut Json, found: &mut Vec<&'j mut Json>) {
    match json {
        Json::Array(items) => items.iter_mut().for_each(|item| leaves(item, found)),
        Json::Object(entries) => entries.values_mut().for_each(|entry| leaves(entry, found)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => found.push(json),
    }
}

/// Arrays of a plan.
fn arrays(json: &mut Json, change: &mut dyn FnMut(&mut Vec<Json>)) {
    match json {
        Json::Array(items) => {
            change(items);
            items.iter_mut().for_each(|item| arrays(item, change));
        }
        Json::Object(entries) => entries.values_mut().for_each(|entry| arrays(entry, change)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

fn hostile() -> impl Strategy<Value = Json> {
    prop_oneof![
        any::<i64>().prop_map(Json::from),
        any::<u32>().prop_map(Json::from),
        (-3..12i64).prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        (-2.0..2.0f64).prop_map(Json::from),
        proptest::sample::select(vec![
            Json::Null,
            Json::from(0.0),
            Json::from(-0.0),
            Json::from(5e-324),
            Json::from(1.7e308),
            Json::from(-1.7e308),
            Json::from(i64::MIN),
            Json::from(u64::MAX),
            Json::from(i32::MIN),
            Json::from("0110"),
            Json::from(""),
        ]),
    ]
}

/// Restores, lowers and certifies whatever can be, also where the weights differ.
fn survive(model: &Model) {
    let proof = certified(model);
    if let Ok(plan) = Plan::restore(model.plan.as_ref().unwrap(), model) {
        let again = lower(&plan);
        assert_eq!(
            proof.is_ok(),
            rasp::model::difference(&again, model).is_none()
        );
        let _ = (
            certify(&plan, HostOrder::Scores).map(|certificate| certificate.to_string()),
            plan.to_string(),
        );
    } else {
        assert!(proof.is_err());
    }
}

proptest! {
    #![proptest_config(property::property(1_000))]

    #[test]
    fn no_plan_in_a_file_panics(
        which in any::<usize>(),
        changes in proptest::collection::vec((any::<usize>(), hostile()), 1..3),
        cut in proptest::option::weighted(0.2, (any::<usize>(), any::<usize>(), any::<bool>())),
    ) {
        let mut model = MODELS[which % MODELS.len()].1.model.clone();
        let mut plan: Json = serde_json::from_str(model.plan.as_ref().unwrap()).unwrap();
        {
            let mut found = Vec::new();
            leaves(&mut plan, &mut found);
            let count = found.len();
            for (at, value) in changes {
                *found[at % count] = value;
            }
        }
        if let Some((array, item, remove)) = cut {
            let mut count = 0;
            arrays(&mut plan, &mut |_| count += 1);
            let mut at = 0;
            arrays(&mut plan, &mut |items| {
                if at == array % count && !items.is_empty() {
                    let item = item % items.len();
                    match remove {
                        true => drop(items.remove(item)),
                        false => items.push(items[item].clone()),
                    }
                }
                at += 1;
            });
        }
        model.plan = Some(plan.to_string());
        survive(&model);
    }
}

/// Steps of any direction and height, and other units among them.
fn units() -> impl Strategy<Value = Vec<Unit>> {
    let step =
        (-8i32..=8, -40i32..40, 1i32..8, -5i32..=5).prop_map(|(slope, offset, rise, weight)| {
            let unit = |offset: i32, weight: i32| Unit {
                slope: f64::from(slope) / 2.0,
                offset: f64::from(offset) / 4.0,
                weight: f64::from(weight),
            };
            vec![unit(offset + rise, weight), unit(offset, -weight)]
        });
    let alone = (step.clone(), 0..8u8).prop_map(|(step, at)| match at {
        0 => vec![step[0]],
        _ => step,
    });
    vec(alone, 0..12).prop_map(|units| units.concat())
}

proptest! {
    #![proptest_config(property::property(2_000))]

    #[test]
    fn what_units_add_up_to_at_many_points_is_that_at_each(units in units(), points in vec(-30i32..30, 0..20)) {
        let points = ascending(points.into_iter().map(|point| f64::from(point) / 4.0).collect());
        for (point, found) in points.iter().zip(outputs(&units, &points)) {
            let expected = output(&units, *point);
            assert!((found - expected).abs() <= 1e-9, "{units:?} at {point}: {found}, {expected}");
        }
    }
}

#[test]
fn units_that_give_what_is_no_value_of_their_variable_are_found() {
    let mut found = 0;
    for (name, compiled) in MODELS.iter() {
        for at in 0..compiled.plan().feed_forwards.len() {
            let mut plan = compiled.plan().clone();
            let into = plan.feed_forwards[at].into;
            let is_alone = plan
                .feed_forwards
                .iter()
                .filter(|op| op.into == into)
                .count()
                == 1;
            if !is_alone || plan.below(into).is_some() || plan.is_real(into) {
                continue;
            }
            // What is a step of its own then gives a third more where it gives anything.
            plan.feed_forwards[at].units[0].weight *= 4.0 / 3.0;
            let problem = plan.check().unwrap_err();
            assert!(
                problem.ends_with("its units give what is none of its values"),
                "{name}: {problem}"
            );
            found += 1;
        }
    }
    assert!(found >= 10, "{found}");
}

#[test]
fn a_decoder_that_is_not_the_plans_is_found() {
    let mut model = MODELS[0].1.model.clone();
    model.outputs[0].readout.decoder = Decoder::Numerical(vec![Value::Int(7)]);
    assert!(certified(&model).is_err());
}

#[test]
fn grains_are_the_lowest_bits() {
    assert_eq!(grain(12.0), Some(2));
    assert_eq!(grain(0.375), Some(-3));
    assert_eq!(grain(0.0), None);
    assert!(Floats::F32.holds(16_777_216.0) && !Floats::F32.holds(16_777_217.0));
    assert!(Floats::F32.holds(0.5) && !Floats::F32.holds(1.0 / 3.0));
}
