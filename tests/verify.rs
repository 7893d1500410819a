//! `rasp verify` as people use it, through the program itself: what it says is proved, and which
//! values it says no input reached.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::place;

use place::Place;
use rasp::model::{load, to_bytes};
use serde_json::json;

fn snapshot(name: &str, text: String) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("verify");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

fn examples() -> Place {
    Place::with(&[
        ("hist.rasp", include_str!("../examples/hist.rasp")),
        ("sort.rasp", include_str!("../examples/sort.rasp")),
        ("dyck1.rasp", include_str!("../examples/dyck1.rasp")),
        (
            "frac_prevs.rasp",
            include_str!("../examples/frac_prevs.rasp"),
        ),
    ])
}

#[test]
fn all_inputs_are_a_proof() {
    let place = examples();
    for (program, expression) in [("hist", "hist"), ("sort", "sorted"), ("dyck1", "dyck1")] {
        let file = format!("{program}.rasp");
        let ran = place.rasp(&["verify", &file, "-e", expression, "--max-len", "5"]);
        snapshot(program, ran.shown());
    }
}

#[test]
fn some_inputs_are_none_and_leave_values_out() {
    let place = examples();
    let few = [
        "verify",
        "dyck1.rasp",
        "-e",
        "dyck1",
        "--exhaustive",
        "50",
        "--samples",
        "5",
    ];
    snapshot("few", place.rasp(&few).shown());
    let json = [&few[..], &["--json"]].concat();
    let found = place.rasp(&json).lines().remove(0);
    assert_eq!(found["proved"], json!(false));
    assert_eq!(found["max_length"], json!(10));
    let balance = &found["variables"][1];
    assert_eq!(balance["name"], json!("balance"));
    let missing = balance["missing"].as_array().unwrap().len();
    let [reached, of] = ["reached", "of"].map(|key| balance[key].as_u64().unwrap() as usize);
    assert!(missing > 0 && reached + missing == of, "{balance}");
    // As many as are asked for make it a proof again.
    let all = ["--max-len", "6", "--exhaustive", "1092", "--json"];
    let all = [&["verify", "dyck1.rasp", "-e", "dyck1"], &all[..]].concat();
    let found = place.rasp(&all).lines().remove(0);
    assert_eq!(found["proved"], json!(true));
    assert_eq!(found["checked"], json!(1092));
}

#[test]
fn none_but_random_inputs() {
    let place = examples();
    let random = ["verify", "hist.rasp", "-e", "hist", "--exhaustive", "0"];
    snapshot("random", place.rasp(&random).shown());
}

/// A value that inference cannot exclude, one that is a real number, and inputs that fail.
#[test]
fn values_that_no_input_has() {
    let place = Place::with(&[(
        "a.rasp",
        "set vocab \"ab\"\nset max_length 4\n\
         same = selector_width(select(tokens, tokens, ==));\n\
         other = selector_width(select(tokens, tokens, !=));\n\
         total = same * 10 + other;\n\
         share = aggregate(select(indices, indices, <=), indicator(tokens == \"a\"));\n\
         mean = aggregate(full_s, share);\n\
         fails = 1 / (same - 4);\n",
    )]);
    for expression in ["total", "mean", "fails"] {
        let ran = place.rasp(&["verify", "a.rasp", "-e", expression]);
        snapshot(expression, ran.shown());
    }
    let found = place.rasp(&["verify", "a.rasp", "-e", "mean", "--json"]);
    snapshot("mean_json", found.out);
}

/// What is proved in float64 alone is run there, which is said.
#[test]
fn the_floats_are_named() {
    let program = "q = indices * selector_width(select(tokens, tokens, ==)) / length;";
    let place = Place::with(&[("q.rasp", program)]);
    let verify = ["verify", "q.rasp", "-e", "q", "--vocab", "ab", "--max-len"];
    let said = |more: &[&str]| place.rasp(&[&verify[..], more].concat()).out;
    let proved = "proved: right on all 14 inputs up to length 3, in";
    assert!(said(&["3"]).starts_with(&format!("{proved} float32\nvariable")));
    assert!(said(&["3", "--f64"]).starts_with(&format!("{proved} float64\nvariable")));
    let said = said(&["17", "--dtype", "float64", "--exhaustive", "30"]);
    let wide = "inputs wrong, in float64: all up to length 4, random ones up to length 17\n\
                in float32 it is not proved to be exact\nvariable";
    assert!(said.contains(wide), "{said}");
}

/// A model from a file, as it was made, for another program, and as somebody changed it.
#[test]
fn a_model_from_a_file() {
    let place = Place::with(&[(
        "a.rasp",
        "first = tokens[0] == tokens;\nlast = tokens[-1] == tokens;\n",
    )]);
    let made = place.rasp(&[
        "compile",
        "a.rasp",
        "-e",
        "first",
        "-e",
        "last",
        "--vocab",
        "ab",
        "--max-len",
        "4",
        "-o",
        "both",
    ]);
    assert_eq!(made.status, 0, "{}", made.err);
    let verify = |expression: &str, more: &[&str]| {
        let held = ["verify", "a.rasp", "-e", expression, "--model", "both"];
        place.rasp(&[&held[..], more].concat())
    };
    for output in ["first", "last"] {
        let ran = verify(output, &[]);
        assert!(
            ran.out.starts_with("proved: right on all 30"),
            "{}",
            ran.out
        );
    }
    let ran = verify("last", &["-e", "first"]);
    assert!(
        ran.out.starts_with("proved: right on all 30"),
        "{}",
        ran.out
    );
    let ran = verify("tokens", &[]);
    assert!(ran.err.contains("computes `first`, `last`"), "{}", ran.err);
    let ran = verify("first", &["--max-len", "3"]);
    assert!(ran.err.contains("cannot be used with"), "{}", ran.err);

    // The head of the last position moves nothing any more.
    let mut model = load(&place.path("both")).unwrap();
    let heads = &mut model.layers[0].heads;
    let last = heads.iter_mut().find(|head| head.label.contains("length"));
    let output = &mut last.unwrap().output;
    *output = output.map(|_| 0.0);
    std::fs::write(place.path("both"), to_bytes(&model).unwrap()).unwrap();
    let ran = verify("first", &[]);
    assert!(
        ran.out.starts_with("proved: right on all 30"),
        "{}",
        ran.out
    );
    snapshot("changed", verify("last", &[]).shown());
    let ran = verify("first", &["-e", "last", "--json"]);
    assert_eq!(ran.lines()[0]["first_wrong"]["output"], json!("last"));
}
