//! Programs in which something has no value on some inputs, or one that the residual stream does not keep:
//! branches that are not taken, numbers that do not fit in 64 bits, kinds of numbers. A model gives what the
//! interpreter gives, or there is none.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use rasp::base::{Code, Diagnostic, Limits};
use rasp::execute::{Precision, trace};
use rasp::graph::Sharing;
use rasp::plan::Style;
use rasp::session::{Asked, Request, Session, VerifyOptions};
use rasp::value::Value;

fn session(text: &str) -> Session {
    let mut session = Session::new(Sharing::Equal);
    session.load_text("partial", text);
    session.take_diagnostics();
    session
}

/// The three ways to make a model.
fn requests() -> [Request; 3] {
    let compact = Request {
        style: Style::Compact,
        ..Request::default()
    };
    let without_bos = Request {
        without_bos: true,
        ..Request::default()
    };
    [Request::default(), compact, without_bos]
}

fn asked(vocabulary: Vec<Value>, max_length: usize, request: Request) -> Asked {
    Asked {
        vocabulary: Some(vocabulary),
        max_length: Some(max_length),
        request,
        ..Asked::default()
    }
}

/// Each way to make a model of `x` gives one that is right on all inputs.
fn right(text: &str, vocabulary: &[Value], max_length: usize) {
    for request in requests() {
        let mut session = session(text);
        let asked = asked(vocabulary.to_vec(), max_length, request);
        let compiled = session.compile(&["x"], &asked);
        let compiled = compiled.unwrap_or_else(|error| panic!("{text}: {error:?}"));
        assert!(compiled.is_certified(), "{text}");
        let found = session.verify(&compiled, &VerifyOptions::default());
        let found = found.unwrap();
        assert!(found.wrong == 0 && found.checked > 0, "{text}: {found:?}");
    }
}

/// Why there is no model of `x` in any way.
fn refusal(text: &str) -> Diagnostic {
    let refusals = requests().map(|request| {
        let asked = asked(Value::characters("ab"), 3, request);
        *session(text).compile(&["x"], &asked).unwrap_err()
    });
    let [first, ..] = refusals;
    assert_eq!(first.code, Code::NotCompilable, "{text}: {first:?}");
    first
}

#[test]
fn branches_that_are_not_taken_may_fail() {
    let count = "w = selector_width(select(tokens, \"a\", ==)); t = w + indices;";
    for choice in [
        "{3: 5, 4: 7}[t] if t in [3, 4] else w * w + indices",
        "[4, 9][t] if t < 2 else (w * w + 3 * indices * w) % 5",
        "1 / (t - 2) if t > 2 else w * indices",
    ] {
        right(
            &format!("{count} x = {choice};"),
            &Value::characters("ab"),
            7,
        );
    }
    // A result of one value only, where it has one.
    right(
        "x = [0.5, 1.0][length] if length else selector_width(select(length, 1, >));",
        &Value::characters("ab"),
        3,
    );
    for selector in [
        "lambda k, q: 1 / q > k if q > 0 else False",
        "lambda k, q: (6 % (k - q)) == 0 if k > q else k == q",
        "lambda k, q: [True, False][k] if k < 2 and q > 1 else k == q",
    ] {
        let text = format!("x = selector_width(select(indices, indices, {selector}));");
        right(&text, &Value::characters("ab"), 5);
        let mut session = session(&text);
        let x = session.sop("x").unwrap();
        session.evaluate(x, &Value::characters("abbab")).unwrap();
    }
}

/// A key that is both before its query and after it is none, whatever else is asked of it.
#[test]
fn orders_that_exclude_each_other_order_nothing() {
    let text = "f = 1 / (tokens_int + 1);
        none = select(indices, indices, <) and select(indices, indices, >) and select(f, 100, <);
        v = tokens_int + selector_width(none);";
    let digits = [0, 1, 2].map(Value::Int);
    for x in [
        "aggregate(select(v, 1, ==), indices, -1)",
        "selector_width(select(v, 1, ==))",
    ] {
        right(&format!("{text} x = {x};"), &digits, 3);
    }
}

#[test]
fn what_rounds_are_given_may_fail() {
    for text in [
        "repeat 2 (x = indices) { x = 3 / (length - length) if length < 0 else x + 0; }",
        "repeat 2 (x = length) { x = [1][length] if length < 1 else x; }",
        "v = length % length; repeat 3 (x = indices) { x = length / v if v > 0 else x + x; }",
    ] {
        let asked = asked(Value::characters("ab"), 3, Request::default());
        let error = session(text).compile_looped("x", &asked).unwrap_err();
        let told = error.labels[0]
            .text
            .contains("may fail where it is not taken");
        assert!(told, "{text}: {error:?}");
    }
}

/// Of one key a mean is what that holds, of several a float; the stream has its number only.
#[test]
fn kinds_of_means_are_not_kept() {
    let mean = "p = select(indices, indices, <=); m = aggregate(p, 1 if tokens == \"a\" else 0.5);";
    for x in [
        "str(aggregate(full_s, 2))",
        "[\"p\", \"q\"][m] if indices == 0 and tokens == \"a\" else \"n\"",
        "\"b\" * m if indices == 0 and tokens == \"a\" else \"n\"",
        "str(m) == \"1\"",
        "str(-m + 1)",
        "str(aggregate(p, (tokens == \"a\") if indices == 0 else 1)) == \"True\"",
        "1 if str(aggregate(select(tokens, \"a\", ==), -0.0, 0)) == \"-0.0\" else 0",
        "str(aggregate(score(indices, indices, lambda k, q: 1 if k == q else 0), indices))",
        "selector_width(select(m, tokens, lambda k, q: str(k) == \"1\"))",
    ] {
        let error = refusal(&format!("{mean} x = {x};"));
        let told = error.labels[0].text.contains("is an int or a float");
        assert!(told, "{x}: {error:?}");
    }
    for x in [
        "str(round(m))",
        "str(m > 0.5)",
        "str(aggregate(select(indices, 0, ==), 1 if tokens == \"a\" else 1.0))",
        "str(aggregate(select(indices, 0, ==), True if tokens == \"a\" else 1))",
        "[\"x\", \"y\", \"z\"][aggregate(select(indices, 0, ==), indices)]",
        "{0: \"x\", 1: \"y\"}[round(m)]",
        "str(tokens[0])",
    ] {
        right(&format!("{mean} x = {x};"), &Value::characters("ab"), 3);
    }
}

/// A comparison of what itself does not fit in 64 bits is decided by its side; nothing else that is made of
/// it is, and models have no such number.
#[test]
fn what_does_not_fit_is_compared_and_nothing_else() {
    let big = "big = indices * 9223372036854775807;";
    let evaluate = |x: &str| {
        let mut session = session(&format!("{big} x = {x};"));
        let x = session.sop("x").unwrap();
        session.evaluate(x, &Value::characters("aaa"))
    };
    for (x, expected) in [
        ("big > 5", [false, true, true]),
        ("5 >= big", [true, false, false]),
        ("big == 0", [true, false, false]),
        ("-9223372036854775807 * indices < 0", [false, true, true]),
    ] {
        let expected = expected.map(Value::Bool);
        assert_eq!(evaluate(x).unwrap().values[..], expected, "{x}");
        refusal(&format!("{big} x = {x};"));
    }
    for x in [
        "(0 - big) > 5",
        "(big - big) > 5",
        "big * -1 > 0",
        "indicator(big) > 3",
        "(big and True) == 1",
        "aggregate(select(indices, 0, ==), big) == 0",
        "selector_width(select(big, 0, ==)) > 5",
    ] {
        assert_eq!(evaluate(x).unwrap_err().code, Code::Overflow, "{x}");
    }
}

/// What has no mean has none, whatever it is compared with.
#[test]
fn comparing_changes_no_mean() {
    let union = "u = select(tokens, \"a\", ==) or select(tokens, \"b\", ==);";
    let evaluate = |x: &str| {
        let mut session = session(&format!("{union} x = {x};"));
        let x = session.sop("x").unwrap();
        session.evaluate(x, &Value::characters("ab"))
    };
    for (moved, default) in [("True", "False"), ("\"x\"", "\"-\"")] {
        let x = format!("aggregate(u, {moved}, {default})");
        assert!(evaluate(&x).is_err(), "{x}");
        let x = format!("{x} == {moved}");
        assert!(evaluate(&x).is_err(), "{x}");
    }
    let large = evaluate("aggregate(u, 9007199254740993, 0) == 9007199254740993").unwrap();
    assert_eq!(large.values[..], [false, false].map(Value::Bool));
    let small = evaluate("aggregate(u, 2, 0) == 2").unwrap();
    assert_eq!(small.values[..], [true, true].map(Value::Bool));
}

/// An int and an equal float are one divisor.
#[test]
fn divisors_are_counted_once() {
    let of_zeros =
        "y = (indices + 1) * aggregate(select(indices, indices, <=), indicator(tokens == \"b\"));";
    for x in [
        "indices / max(1.0, count(tokens, \"a\"))",
        "0 if y == 0 else count(tokens, \"a\") / y",
    ] {
        let text = format!("{of_zeros} x = {x};");
        right(&text, &Value::characters("ab"), 8);
    }
}

/// What cannot be computed in one way leaves nothing behind that another way takes for made.
#[test]
fn what_fails_on_the_way_is_not_taken_for_made() {
    let text = "n = round((indices + 1) * aggregate(select(indices, indices, <=), indicator(tokens == \"a\")));
        c = round((indices + 1) * aggregate(select(indices, indices, <=), indicator(tokens == \"b\")));
        e = 0 if n == 0 else count(tokens, \"b\") / c;
        x = (selector_width(select(indices, e, ==)) > 0) == (tokens == \"b\");";
    for request in requests() {
        let mut session = session(text);
        let asked = asked(Value::characters("ab"), 5, request);
        if let Ok(compiled) = session.compile(&["x"], &asked) {
            let found = session.verify(&compiled, &VerifyOptions::default());
            assert_eq!(found.unwrap().wrong, 0);
        }
    }
}

/// A mean over keys that no query selects is its default, real numbers or not.
#[test]
fn a_default_of_real_numbers_is_read() {
    for (y, x) in [
        (
            "aggregate(score(indices, indices, lambda k, q: 0), indices * 0.3, 0.5)",
            "y if y > 0 else 0",
        ),
        (
            "aggregate(select(tokens, \"z\", ==), aggregate(select(indices, indices, <=), indices * 0.1), 0.5)",
            "max(y, 0)",
        ),
        (
            "aggregate(score(indices, 0 - indices, lambda k, q: 2 ^ (k - q) if k <= q else 0), \
             0.1 if tokens == \"a\" else 0.3, 1)",
            "max(y, 0.5)",
        ),
    ] {
        right(&format!("y = {y}; x = {x};"), &Value::characters("ab"), 4);
    }
}

/// Results of one value, which no score reads.
#[test]
fn results_of_one_value_are_right() {
    let counts = "n = selector_width(select(indices, indices, >) and select(tokens, \"b\", ==));
        p = selector_width(select(tokens, tokens, ==) and select(indices, indices, <));
        g = aggregate(select(indices, length - 1 - indices, ==), count(tokens, \"a\") + indices, 0);";
    for x in [
        "{0: 7}[round(length * aggregate(full_s, 2 * indicator(tokens == \"b\") - indicator(tokens == \"a\")))]",
        "{0: 0}[selector_width(select(tokens, \"b\", ==))]",
        "n / (p if indices > 3 else 1) == 50",
        "n / (p if g > 0 else 1) == 5",
    ] {
        right(&format!("{counts} x = {x};"), &Value::characters("ab"), 5);
    }
}

/// A sum whose table would be too large is read as its parts.
#[test]
fn sums_of_no_table_are_read_as_their_parts() {
    let text = "v = length != tokens_int;
        s = select((length, indices), (tokens_int, indices), lambda a, b, c, d: a + b > c + d);
        x = selector_width(s and select(1, v, ==));";
    let limits = Limits {
        table_rows: 12,
        ..Limits::default()
    };
    for request in requests() {
        let mut session = Session::new(Sharing::Equal).with_limits(limits.clone());
        session.load_text("sums", text);
        session.take_diagnostics();
        let asked = asked(vec![Value::Int(0), Value::Int(1)], 5, request);
        let compiled = session.compile(&["x"], &asked).unwrap();
        let found = session.verify(&compiled, &VerifyOptions::default());
        assert_eq!(found.unwrap().wrong, 0);
    }
}

/// What rounds carry may be a bool first, an int then, and a float in the end.
#[test]
fn rounds_carry_numbers_of_any_kind() {
    for text in [
        "repeat 2 (x = indices > 0) { x = aggregate(select(indices, indices, >), x, 1); }",
        "repeat 2 (x = indices > 0) { x = aggregate(select(indices, indices - 1, ==), x, 1); }",
    ] {
        let mut session = session(text);
        let asked = asked(Value::characters("ab"), 3, Request::default());
        let (model, x) = session.compile_looped("x", &asked).unwrap();
        let found = session.verify_model((&[x], &model), &VerifyOptions::default());
        let found = found.unwrap();
        assert!(found.wrong == 0 && found.checked > 0, "{text}: {found:?}");
    }
}

/// A bit that may grow is not held against what stands for a selection of nothing.
#[test]
fn what_selects_nothing_outweighs_no_bit() {
    let text = "v = tokens_int if tokens == \"1\" else indices;
        best = select_best(select(length, 3, <=), score(indices, v, lambda k, q: k if k <= q else -k));
        x = not (has_focus(select(indices, indices, !=)) and aggregate(best, v <= 0.5, False));";
    right(text, &Value::characters("1a"), 4);
}

/// What heads compare by numbers of its own can be read, though nothing else reads it.
#[test]
fn what_is_only_compared_can_be_read() {
    let text = "prev = aggregate(select(indices, indices - 1, ==), tokens, \"^\");
        n = selector_width(select(prev, tokens, ==));";
    for request in requests() {
        let mut session = session(text);
        let asked = asked(Value::characters("abcd"), 8, request);
        let model = session.compile(&["n"], &asked).unwrap().model;
        let traced = trace(&model, &Value::characters("dabba"), Precision::F32).unwrap();
        let mut read = traced.steps.last().unwrap().variables.iter();
        let prev = read.find(|variable| variable.name == "prev").unwrap();
        let values: String = prev.values.iter().map(Value::to_string).collect();
        assert!(values.ends_with("^dabb"), "{values}");
    }
}

/// Beside very large numbers the differences of others are lost where they are added up, in other places than
/// the interpreter's: such s-ops are refused. A default that nobody gets is none of an s-op's numbers.
#[test]
fn numbers_too_far_apart_are_refused() {
    for x in [
        "(indices + 1) - (1 if tokens == \"a\" else 1e100)",
        "(indices + 1) - (3 if tokens == \"a\" else 1e17)",
        "(indices * 0.2 + (1e11 if tokens == \"a\" else 1)) - (1e11 if tokens == \"a\" else 1)",
        "(length + (123456789 if tokens == \"a\" else 0.2)) % 1.5 * 2 - aggregate(select(tokens, \"a\", ==), 1e11, 0.25)",
        "(indices - (1e10 if tokens == \"a\" else -100000) + 0.3) % 1.5 - aggregate(select(indices, 1, ==), 2147483649, 1e-5)",
        "aggregate(select(tokens, tokens, !=), 2147483648 if tokens == \"a\" else 5000000000, 7) ^ 2",
        "sort_by((1e16 if indices == 1 else 0) + (1e-9 if tokens == \"a\" else -1))",
        "min(aggregate(select(indices, indices, <), indices - 9223372036854775807, 7), 0)",
    ] {
        let text = format!("def sort_by(k) {{ return selector_width(select(k, k, <)); }} x = {x};");
        refusal(&text);
    }
    for x in [
        "aggregate(select(tokens, tokens, ==), indices, 1e16)",
        "aggregate(full_s, 7 if tokens == \"a\" else 65536, 1e30)",
        "aggregate(select(indices, 1, ==), indices, 5000000000)",
        "aggregate(select(indices, 0, ==) and select(tokens, \"a\", ==), indices, -1e12)",
        "indices if (1e10 if tokens == \"a\" else 0.1) > 5 else length",
        // Of the index alone.
        "aggregate(select(indices, indices, <), indices, 1e19)",
    ] {
        right(&format!("x = {x};"), &Value::characters("ab"), 3);
    }
}
