//! Looped models of programs with a `repeat`: right on all small inputs in both precisions, with the
//! layers of one round however often it runs; and what cannot be shared is refused.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::place::Place;
use crate::common::session;
use rasp::base::render::{Style, render};
use rasp::execute::Precision;
use rasp::model::{Host, HostOrder};
use rasp::session::{Asked, Session, VerifyOptions};
use rasp::value::Value;

const PROGRAM: &str = "
    load \"dyck\"; load \"sorting\"; load \"arithmetic\";
    def before(seq, default) { return aggregate(select(indices, indices - 1, ==), seq, default); }
    def moved(seq, times) { repeat times (x = seq) { x = before(x, \"-\"); } return x; }
    def counted(times) { repeat times (x = 0) { x = x + 1; } return x; }
    def swapped(times) {
        repeat times (x = tokens, y = before(tokens, \"-\")) { x, y = y, before(x, \"a\"); }
        return x;
    }
    def tenths(times) { repeat times (x = tokens_int) { x = before(x, 0.1); } return x; }
    def fibonacci(times) {
        repeat times (a = indices, b = 1) { a, b = b, a + b; }
        return a % 7;
    }
    def spread(times) {
        repeat times (seen = tokens == \"a\") {
            near = select(seen, True, ==) and select(indices, indices - 1, >=)
                and select(indices, indices + 1, <=);
            seen = seen or aggregate(near, 1, 0) > 0;
        }
        return \"yes\" if seen else \"no\";
    }
    def counting(times) {
        repeat times (x = tokens == \"a\") {
            x = selector_width(select(x, x, ==)) % 2 == 0;
        }
        return x;
    }
    def thinned(times) {
        repeat times (x = indicator(tokens == \"a\")) {
            x = 1 if x > aggregate(select(indices, indices, <), x) else 0;
        }
        return average(x) > 0.5;
    }
";

/// Programs with their tokens.
const LOOPED: &[(&str, &str)] = &[
    ("bounded_dyck_rounds(tokens, [\"()\"], TIMES)", "()"),
    (
        "bounded_dyck_rounds(tokens, [\"()\", \"{}\"], TIMES)",
        "(){}",
    ),
    ("running_parity_by_doubling(tokens, \"1\", TIMES)", "01"),
    ("bubble_sort(tokens, TIMES)", "abc"),
    ("moved(tokens, TIMES)", "ab"),
    ("counted(TIMES) + indices", "a"),
    ("swapped(TIMES)", "ab"),
    ("fibonacci(TIMES)", "a"),
    ("spread(TIMES)", "ab"),
    ("counting(TIMES)", "ab"),
    ("thinned(TIMES)", "ab"),
];

fn asked(vocabulary: &str, max_length: usize) -> Asked {
    Asked {
        vocabulary: Some(
            vocabulary
                .chars()
                .map(|c| Value::str(&c.to_string()))
                .collect(),
        ),
        max_length: Some(max_length),
        ..Asked::default()
    }
}

fn verify(session: &mut Session, expression: &str, asked: &Asked) -> rasp::model::Model {
    let made = session.compile_looped(expression, asked);
    let (model, sop) = made.unwrap_or_else(|error| {
        panic!(
            "{expression}: {}",
            render(&error, session.sources(), Style::Plain)
        )
    });
    for precision in [Precision::F32, Precision::F64] {
        let options = VerifyOptions {
            max_length: model.max_length,
            exhaustive: 6_000,
            samples: 0,
            precision,
            ..VerifyOptions::default()
        };
        let found = session.verify_model((&[sop], &model), &options);
        let found = found.unwrap();
        assert!(found.is_proof(), "{expression}: {:?}", found.first_wrong);
    }
    assert!(
        Host::default().is_among(&model.certified),
        "{expression}: {:?}",
        Session::certify(&model, HostOrder::Scores)
            .unwrap()
            .certificates,
    );
    model
}

/// The certificate is derived anew from what is stored, for exactly these weights and so many rounds.
#[test]
fn a_certificate_is_of_these_weights() {
    let mut session = session("looped.rasp", PROGRAM);
    let made = session.compile_looped("spread(3)", &asked("ab", 5));
    let (model, _) = made.unwrap();
    let bytes = rasp::model::to_bytes(&model).unwrap();
    let read = rasp::model::from_bytes(&bytes).unwrap();
    let proof = Session::certify(&read, HostOrder::Scores).unwrap();
    assert_eq!(proof.exact, model.certified);
    assert!(
        proof
            .certificates
            .iter()
            .all(|certificate| certificate.holds())
    );
    let told = |model: &rasp::model::Model| {
        let error = Session::certify(model, HostOrder::Scores).unwrap_err();
        render(&error, session.sources(), Style::Plain)
    };
    let mut longer = model.clone();
    longer.loops[0].times += 1;
    let mut other = model.clone();
    other.layers[0].mlp.input_bias[0] += 0.25;
    let mut foreign = model.clone();
    foreign.variables.clear();
    let mut broken = model.clone();
    broken.plan = broken
        .plan
        .map(|plan| plan.replacen("\"carried\":1", "\"carried\":9", 1));
    insta::assert_snapshot!([&longer, &other, &foreign, &broken].map(told).join("\n"));
}

#[test]
fn looped_models_are_right_on_all_inputs() {
    let mut session = session("looped.rasp", PROGRAM);
    for (expression, vocabulary) in LOOPED {
        let mut sizes = Vec::new();
        for times in [2, 3, 5] {
            let expression = expression.replace("TIMES", &times.to_string());
            let length = if vocabulary.len() > 2 { 5 } else { 7 };
            let model = verify(&mut session, &expression, &asked(vocabulary, length));
            assert_eq!(model.loops.len(), 1, "{expression}");
            assert_eq!(model.loops[0].times, times, "{expression}");
            sizes.push((model.layers.len(), model.loops[0].layers.clone()));
        }
        // However often the rounds run, a round has as many layers.
        assert!(
            sizes.windows(2).all(|pair| pair[0] == pair[1]),
            "{expression}: {sizes:?}"
        );
    }
}

/// As many layers and heads as a round of the model takes whose rounds have layers of their own.
#[test]
fn rounds_take_the_layers_of_their_body() {
    let mut session = session("looped.rasp", PROGRAM);
    for (expression, vocabulary, layers, heads) in [
        (
            "bounded_dyck_rounds(tokens, [\"()\", \"{}\"], 3)",
            "(){}",
            1,
            2,
        ),
        ("running_parity_by_doubling(tokens, \"1\", 3)", "01", 2, 1),
        ("bubble_sort(tokens, 3)", "abc", 2, 2),
        ("moved(tokens, 3)", "ab", 1, 1),
    ] {
        let (model, _) = session
            .compile_looped(expression, &asked(vocabulary, 5))
            .unwrap();
        let body = model.loops[0].layers.clone();
        assert_eq!(body.len(), layers, "{expression}");
        let found: usize = model.layers[body]
            .iter()
            .map(|layer| layer.heads.len())
            .sum();
        assert_eq!(found, heads, "{expression}");
    }
}

/// No round leaves anything behind that a later one could trip over.
#[test]
fn many_rounds_do_not_drift() {
    let mut session = session("looped.rasp", PROGRAM);
    for (expression, vocabulary) in [
        ("spread(400)", "ab"),
        ("swapped(401)", "ab"),
        ("bounded_dyck_rounds(tokens, [\"()\", \"{}\"], 60)", "(){}"),
    ] {
        verify(&mut session, expression, &asked(vocabulary, 5));
    }
}

#[test]
fn what_has_no_one_body_is_refused() {
    let program = "
        repeat 1 (once = tokens) { once = aggregate(select(indices, indices - 1, ==), once, \"-\"); }
        repeat 3 (same = indices) { same = indices; }
        repeat 3 (twin = tokens, twins = tokens) {
            twin = aggregate(select(indices, indices - 1, ==), twin, \"-\");
            twins = aggregate(select(indices, indices - 1, ==), twins, \"-\");
        }
    ";
    let mut session = session("refused.rasp", program);
    let mut told = String::new();
    for expression in ["tokens", "once", "same", "twin"] {
        let error = session
            .compile_looped(expression, &asked("ab", 4))
            .unwrap_err();
        told += &render(&error, session.sources(), Style::Plain);
    }
    insta::assert_snapshot!(told);
}

#[test]
fn looped_models_are_files_like_others() {
    let place = Place::new();
    place.file("sort.rasp", "load \"sorting\"; s = bubble_sort(tokens, 2);");
    let shown = place.shell(
        "set -x
        rasp compile --looped sort.rasp -e s --vocab abc --max-len 4 -o sort.model
        rasp exec sort.model -i cab
        rasp certify sort.model
        rasp verify --looped sort.rasp -e s --vocab abc --max-len 4
        rasp compile --looped sort.rasp -e s -e tokens --vocab ab --max-len 4 -o no.model
        rasp compile --looped sort.rasp -e length --vocab ab --max-len 4 -o no.model
        true",
    );
    insta::assert_snapshot!(shown.shown());
}

#[test]
fn what_is_not_proved_is_refused() {
    let place = Place::with(&[("rounds.rasp", PROGRAM)]);
    // A number that bfloat16 does not hold.
    let compile = "rasp compile rounds.rasp --looped -e 'tenths(2)' --vocab 0123 --max-len 8 \
                   --dtype bfloat16 -o rounds.model";
    let ran = place.shell(compile);
    assert_eq!(ran.status, 1, "{}", ran.shown());
    let help = "Help: `--uncertified` writes it, held against the interpreter on some inputs only";
    assert!(
        ran.err.contains("[E0604]") && ran.err.contains(help),
        "{}",
        ran.err
    );
    let ran = place.shell(&format!("{compile} --uncertified"));
    assert_eq!(ran.status, 0, "{}", ran.shown());
}
