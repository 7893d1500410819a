//! What a program's settings and the command line say of the inputs a model is for, and how inputs
//! given as text meet them.

use crate::common::place;

use place::Place;
use serde_json::json;

const DIGITS: &str = "set vocab [0, 1, 2]\nset max_length 6\nnext = (tokens_int + 1) % 3;\n";

/// A model has each token once.
#[test]
fn a_token_may_be_said_twice() {
    let place = Place::new();
    place.file(
        "x.rasp",
        "set vocab \"aab\"\nset max_length 2\nx = tokens + \"\";\n",
    );
    let ran = place.rasp(&["verify", "x.rasp", "-e", "x"]);
    let proof = "proved: right on all 6 inputs up to length 2, in float32\n";
    assert!(ran.out.starts_with(proof), "{}", ran.out);
}

#[test]
fn the_command_line_overrides_the_causal_mask() {
    let place = Place::new();
    place.file(
        "x.rasp",
        "set vocab \"ab\"\nset max_length 3\nset causal on\nx = count(tokens, \"a\");\n",
    );
    let refused = place.rasp(&["verify", "x.rasp", "-e", "x"]);
    assert!(refused.err.contains("E0603"), "{}", refused.err);
    let both_ways = place.rasp(&["verify", "x.rasp", "-e", "x", "--causal=off"]);
    let proof = "proved: right on all 14 inputs up to length 3, in float32\n";
    assert!(both_ways.out.starts_with(proof), "{}", both_ways.out);
}

/// `-i 01` means the numbers where those are the tokens.
#[test]
fn characters_are_the_tokens_that_are_written_like_them() {
    let place = Place::new();
    place.file("digits.rasp", DIGITS);
    let generate = [
        "generate",
        "digits.rasp",
        "-e",
        "next",
        "-i",
        "01",
        "--steps",
        "3",
    ];
    assert_eq!(place.rasp(&generate).out, "[0, 1, 2, 0, 1]\n");
    let compile = ["compile", "digits.rasp", "-e", "next", "-o", "digits.model"];
    assert_eq!(place.rasp(&compile).status, 0);
    let generate = ["generate", "digits.model", "-i", "01", "--steps", "3"];
    assert_eq!(place.rasp(&generate).out, "[0, 1, 2, 0, 1]\n");
    let exec = place.rasp(&["exec", "digits.model", "-i", "012", "--json"]);
    assert_eq!(
        exec.lines(),
        [json!({"input": [0, 1, 2], "output": [1, 2, 0], "type": "ints"})]
    );
}

/// Wishes for an encoding, weighted means, and depths above what has no list of values.
#[test]
fn check_says_how_values_are_held_and_how_deep_they_are() {
    let place = Place::new();
    place.file(
        "x.rasp",
        "set vocab \"abc\"\nset max_length 5
hist = selector_width(select(tokens, tokens, ==));
as_directions = categorical(hist * hist);
as_number = numerical(hist > 1);
late = score(indices, indices, lambda k, q: k + 1);
weighted = aggregate(late, indicator(tokens == \"a\"));
share = aggregate(select(indices, indices, <=), indices / 7);
shares = aggregate(select(tokens, tokens, ==), share);
deepest = aggregate(select(tokens, tokens, ==), shares);
",
    );
    insta::assert_snapshot!(place.rasp(&["check", "x.rasp"]).out);
}

/// Where the library is at fault its place is shown below the program's own, and what compiles is named.
#[test]
fn refusals_say_what_compiles() {
    let place = Place::new();
    place.file(
        "x.rasp",
        "set vocab \"abcdefgh\"
late = 1 / length;
pairs = selector_width(select(tokens, tokens, ==)) * 100 + indices;
less = selector_width(select(pairs, pairs, <)) + indices * 100;
far = selector_width(select(less, less, <));
",
    );
    let refused = |expression: &str, more: &[&str]| {
        let compile = ["compile", "x.rasp", "-e", expression, "-o", "x.model"];
        place.rasp(&[&compile[..], more].concat()).shown()
    };
    let shown = [
        refused("late", &["--max-len", "8", "--causal"]),
        refused("far", &["--max-len", "50"]),
    ];
    insta::assert_snapshot!(shown.join("\n"));
}
