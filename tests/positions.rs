//! Means over unions, remainders and nearest positions: what one head and a few hidden units can say, whose
//! tables have an entry for nearly every pair. Sizes are bounds that a model built by hand keeps.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::counted::{asked, right, session};
use rasp::execute::Precision;
use rasp::graph::Sharing;
use rasp::plan::Style;
use rasp::session::{Request, VerifyOptions};

/// The layers and the heads of a certified model, and its parameters.
fn size(text: &str, max_length: usize, request: Request) -> (usize, usize, usize) {
    let mut session = session(Sharing::Equal, text);
    let compiled = session.compile(&["x"], &asked(max_length, request));
    let compiled = compiled.unwrap_or_else(|error| panic!("{text} at {max_length}: {error:?}"));
    assert!(compiled.is_certified(), "{text} at {max_length}");
    let layers = &compiled.model.layers;
    let heads = layers.iter().map(|layer| layer.heads.len()).sum();
    (layers.len(), heads, compiled.model.padded_parameters())
}

#[test]
fn means_over_unions_are_right() {
    for text in [
        "aggregate(select(tokens, \"a\", ==) or select(tokens, tokens, ==), indices)",
        "aggregate(select(tokens, tokens, ==) or select(indices, 0, ==), indices)",
        "aggregate(select(tokens, tokens, ==) or select(indices, indices, <), indices)",
        "aggregate(select(tokens, tokens, !=) or select(tokens, \"b\", ==), indices, 7)",
        "aggregate(select(hist, hist, ==) or select(tokens, \"a\", ==), indicator(tokens == \"b\"))",
        "aggregate(not (select(tokens, tokens, ==) and select(indices, indices, <)), indices)",
        "aggregate(select(tokens, \"c\", ==) and (select(indices, indices, <) or select(tokens, tokens, !=)), indices, -1)",
        "aggregate(select(tokens, tokens, ==) or select(indices, indices - 1, ==), indices)",
        "aggregate(select(tokens, \"a\", ==) or select(indices, indices - 1, ==) or select(indices, indices + 1, ==), indices)",
        "aggregate(select(indices, indices, <) and (select(tokens, tokens, ==) or select(indices, indices - 1, ==)), indices)",
        "aggregate(select(indices, indices, <) and (select(tokens, \"a\", ==) and select(\"b\", tokens, ==) or (select(tokens, \"b\", ==) and select(\"c\", tokens, ==))), indices, -1)",
        "aggregate(select(tokens, tokens, ==) or select(indices, 2, ==) or select(\"a\", tokens, ==), indices)",
    ] {
        right(text);
    }
}

/// What a head reads of it is one number, however many of its parts select something.
#[test]
fn what_a_union_selects_is_no_sum_of_its_parts() {
    let union = "select(tokens, \"a\", ==) or select(indices, indices, <)";
    for text in [
        format!("selector_width(select(has_focus({union}), True, ==))"),
        format!("aggregate({union}, 2, 7)"),
        format!("aggregate(select(indices, aggregate({union}, 1, 0), ==), tokens)"),
        format!("round(length * aggregate(full_s, indicator(aggregate({union}, 1, 0) == 1)))"),
        format!("selector_width(select(aggregate({union}, 2, 3) >= 3, indices > 1, ==))"),
        format!("has_focus(({union} or select(tokens, tokens, !=)) and select(indices, 1, >))"),
        format!("0 < aggregate({union} or select(a, b, ==), 0.5, -1)"),
        // One head takes the mean, which a constant beside it has to be, too.
        format!("aggregate({union}, indices) == aggregate({union}, 1)"),
    ] {
        right(&text);
    }
    let either = "(select(tokens, \"b\", ==) or select(\"c\", tokens, ==))";
    let alike = "(select(tokens, \"a\", ==) or select(tokens, \"b\", ==))";
    let earlier = "select(indices, indices, <)";
    for (selector, heads) in [
        (format!("{earlier} and {either}"), 2),
        (format!("{either} and {earlier} and ({union})"), 3),
        (format!("{earlier} and {alike}"), 1),
        (alike.to_string(), 1),
    ] {
        let text = format!("has_focus({selector})");
        right(&text);
        let found = size(&text, 16, Request::default());
        assert_eq!((found.0, found.1), (1, heads), "{text}");
    }
    let found = size(&format!("has_focus({union})"), 64, Request::default());
    assert!(found <= (1, 1, 400), "{found:?}");
}

/// The union is a relation of few classes, so that its pattern is that of one head.
#[test]
fn few_classes_take_one_head() {
    let same = "aggregate(select(tokens, \"a\", ==) or select(tokens, tokens, ==), indices)";
    let first = "aggregate(select(tokens, tokens, ==) or select(indices, 0, ==), indices)";
    for length in [8, 22, 40] {
        for style in [Style::Faithful, Style::Compact] {
            let request = Request {
                style,
                ..Request::default()
            };
            let found = size(same, length, request.clone());
            assert!(found <= (1, 1, 7 * length + 132), "{length}: {found:?}");
            let found = size(first, length, request);
            assert!(found <= (2, 1, 12 * length + 876), "{length}: {found:?}");
        }
    }
}

/// The logit of a union is minus the product of those of its parts, where these take few dimensions.
#[test]
fn parts_of_few_dimensions_take_one_head() {
    let earlier = "select(indices, indices, <)";
    let near = "select(tokens, tokens, ==) or select(indices, indices - 1, ==)";
    let beside = "select(indices, indices + 1, ==)";
    for (text, length, most) in [
        (format!("aggregate({near}, indices)"), 48, 2_600),
        (
            format!("aggregate({near}, indicator(tokens == \"a\"))"),
            96,
            3_300,
        ),
        (format!("aggregate({near} or {beside}, indices)"), 40, 6_450),
        (
            format!("aggregate({earlier} and ({near}), indices)"),
            40,
            25_000,
        ),
        (
            format!("aggregate({earlier} and select(tokens, tokens, ==) or {near}, indices)"),
            40,
            2_460,
        ),
        (
            format!(
                "aggregate({earlier} and (select(tokens, \"a\", ==) and select(\"b\", tokens, ==) or (select(tokens, \"b\", ==) and select(\"c\", tokens, ==))), indices)"
            ),
            48,
            13_400,
        ),
        (
            "aggregate(select(tokens, \"a\", ==) or select(indices, indices - 1, ==), indices)"
                .to_string(),
            40,
            1_220,
        ),
    ] {
        let (_, heads, parameters) = size(&text, length, Request::default());
        assert!(
            heads == 1 && parameters <= most,
            "{text} at {length}: {heads}, {parameters}"
        );
    }
}

/// Others take logarithms of widths, which lines from far below would leave few digits.
#[test]
fn unions_of_many_classes_are_proved_at_all_lengths() {
    let share = "aggregate(select(tokens, tokens, ==) or select(indices, indices, <), indicator(tokens == \"a\"))";
    for length in [16, 40, 64] {
        let (layers, heads, _) = size(share, length, Request::default());
        assert!((layers, heads) == (2, 4), "{length}: {layers}, {heads}");
    }
}

/// What has a value for nearly each index and token, or index and length, is no table for one head.
#[test]
fn unions_of_positions_and_others_take_a_head_for_each_part() {
    for (text, length, most) in [
        (
            "aggregate(select(tokens, \"a\", ==) or select(indices, indices, ==), indicator(tokens == \"b\"))",
            16,
            3_000,
        ),
        (
            "aggregate(select(tokens, \"a\", ==) or select(indices, indices, ==), indicator(tokens == \"b\"))",
            48,
            8_000,
        ),
        (
            "aggregate(select(indices, indices, ==) or select(indices, length - 1, ==), indicator(tokens == \"b\"))",
            48,
            200_000,
        ),
    ] {
        let (_, _, parameters) = size(text, length, Request::default());
        assert!(parameters <= most, "{text} at {length}: {parameters}");
    }
}

/// Where float32 does not keep the means of several heads apart, one head selects the union, which takes a
/// direction for nearly each index and token.
#[test]
fn means_of_many_numbers_over_unions_are_one_wide_head() {
    let mean = "aggregate(select(indices, indices, <=) or select(tokens, tokens, ==), indices)";
    for length in [16, 33, 40] {
        let (layers, heads, _) = size(mean, length, Request::default());
        assert!((layers, heads) == (2, 4), "{length}: {layers}, {heads}");
    }
    for length in [48, 64] {
        let (layers, heads, parameters) = size(mean, length, Request::default());
        assert!((layers, heads) == (2, 1), "{length}: {layers}, {heads}");
        assert!(
            parameters <= 490 * length * length,
            "{length}: {parameters}"
        );
    }
    let request = Request {
        style: Style::Compact,
        ..Request::default()
    };
    assert!(size(mean, 24, request).2 <= 490 * 24 * 24);
}

#[test]
fn remainders_are_right() {
    for text in [
        "(indices + 1) % length",
        "(indices - 2) % length",
        "(indices + 3) % (indices + 1)",
        "a % length",
        "(a + b) % (1 + indices)",
        "3 * ((2 * indices) % length) - 1",
        "((indices + 1) % length) * ((indices + 1) % length)",
        "aggregate(select(indices, (indices + 1) % length, ==), tokens)",
        "aggregate(select(indices, (indices - 1) % length, ==), tokens)",
        "aggregate(select((indices + 1) % length, indices, ==), tokens)",
        "aggregate(select(indices, (indices + 3) % length, ==), tokens)",
        "aggregate(select((2 - indices) % length, (indices - 1 + length) % length, ==), tokens)",
        "selector_width(select((indices + 3) % length, indices, !=))",
        "selector_width(select(indices, (2 * indices) % length, <))",
    ] {
        right(text);
    }
}

#[test]
fn remainders_take_few_hidden_units() {
    let next = "aggregate(select(indices, (indices + 1) % length, ==), tokens)";
    let third = "aggregate(select(indices, (indices + 3) % length, ==), tokens)";
    for (text, length, most) in [
        (next, 8, (2, 2, 250)),
        (next, 32, (2, 2, 400)),
        (next, 64, (3, 2, 820)),
        (third, 8, (2, 2, 580)),
        (third, 64, (3, 2, 1_550)),
        ("(indices - 2) % length", 64, (1, 1, 260)),
    ] {
        let found = size(text, length, Request::default());
        let within = found.0 <= most.0 && found.1 <= most.1 && found.2 <= most.2;
        assert!(within, "{text} at {length}: {found:?}");
    }
}

/// What finds a position by its number: a parabola, however long the input is. A query that is off by a little
/// is as far off for all keys.
#[test]
fn positions_are_found_in_two_dimensions_of_a_head() {
    for (text, layers) in [
        (
            "aggregate(select(indices, length - 1 - indices, ==), tokens)",
            2,
        ),
        (
            "aggregate(select((indices + 1) % length, indices, ==), tokens)",
            3,
        ),
        // BOS is the key of inputs that are too short.
        ("aggregate(select(indices, length - 2, ==), tokens)", 2),
    ] {
        for length in [64, 100, 128, 129, 200, 300, 512] {
            let found = size(text, length, Request::default());
            let within = found.0 <= layers && found.1 == 2 && found.2 <= 8 * length + 330;
            assert!(within, "{text} at {length}: {found:?}");
        }
    }
}

#[test]
fn positions_of_long_inputs_are_right() {
    for text in [
        "aggregate(select(indices, length - 1 - indices, ==), tokens)",
        "aggregate(select((indices + 1) % length, indices, ==), indices)",
        "aggregate(select(indices, length - 5, ==), tokens, \"-\")",
        "aggregate(full_s, indices)",
        "aggregate(select(indices, indices, >=), indices)",
        "aggregate(select(tokens, \"a\", ==), indices, -1)",
    ] {
        let mut session = session(Sharing::Equal, text);
        let compiled = session.compile(&["x"], &asked(300, Request::default()));
        let compiled = compiled.unwrap();
        for precision in [Precision::F32, Precision::F64] {
            let options = VerifyOptions {
                precision,
                samples: 30,
                exhaustive: 30,
                ..VerifyOptions::default()
            };
            let verified = session.verify(&compiled, &options).unwrap();
            assert_eq!(verified.wrong, 0, "{text}");
            assert!(verified.checked >= 30, "{text}");
        }
    }
}

/// Which of the later keys there are is one number, the length, though it is no environment of its own.
#[test]
fn means_of_long_inputs_take_one_head() {
    for length in [128, 129, 200, 512, 1024] {
        let found = size("aggregate(full_s, indices)", length, Request::default());
        let within = found.0 == 1 && found.1 == 1 && found.2 <= 2 * length + 40;
        assert!(within, "{length}: {found:?}");
    }
    let sum = "round(length * aggregate(full_s, indices % 3))";
    for length in [128, 129, 200] {
        let found = size(sum, length, Request::default());
        assert!(found.0 == 1 && found.2 <= 8 * length, "{length}: {found:?}");
    }
}

/// A count by its share, of the library's preprint; a total of more than a thousand; and the most frequent token
/// by a best key: no hidden unit.
#[test]
fn what_is_near_a_ratio_is_read_off_it() {
    for (text, lengths) in [
        (
            "length * aggregate(full_s, indicator(tokens == \"a\"))",
            [40, 70, 200],
        ),
        (
            "round(length * aggregate(full_s, 9 * (indices % 2)))",
            [40, 100, 120],
        ),
        (
            "aggregate(select_best(full_s, score(hist, 1, lambda k, q: k)), tokens)",
            [40, 60, 80],
        ),
    ] {
        for length in lengths {
            let found = size(text, length, Request::default());
            assert!(found.2 <= 7 * length + 200, "{text} at {length}: {found:?}");
        }
    }
}

/// What stands at BOS is off by little beside how far BOS stands above tokens for its own query.
#[test]
fn palindromes_of_long_inputs_take_few_dimensions() {
    let text = "average(indicator(aggregate(select(indices, length - 1 - indices, ==), tokens) != tokens)) == 0";
    for length in [64, 160, 260] {
        let found = size(text, length, Request::default());
        assert!(found.2 <= 8 * length + 500, "{length}: {found:?}");
    }
}

/// Fractions that are too close to be told apart are real numbers, with any default.
#[test]
fn means_of_many_indices_are_proved() {
    for text in [
        "aggregate(select(tokens, \"a\", ==), indices)",
        "aggregate(select(tokens, \"a\", ==), indices, -1)",
    ] {
        for length in [60, 66, 70, 128, 200] {
            let found = size(text, length, Request::default());
            assert!(found.2 <= 4 * length, "{text} at {length}: {found:?}");
        }
    }
}

const WINDOWS: [(&str, &str); 6] = [
    (
        "two",
        "select(indices, indices - 1, >=) and select(indices, indices, <=)",
    ),
    (
        "three",
        "select(indices, indices - 1, >=) and select(indices, indices + 1, <=)",
    ),
    (
        "neighbours",
        "select(indices, indices + 1, ==) or select(indices, indices - 1, ==)",
    ),
    (
        "apart",
        "select(indices, indices + 1, ==) or select(indices, indices - 2, ==)",
    ),
    (
        "other neighbours",
        "select(indices, indices, !=) and (select(indices, indices - 1, >=) and select(indices, indices + 1, <=))",
    ),
    (
        "four, others only",
        "select(indices, indices - 3, >=) and select(indices, indices, <=) and select(tokens, tokens, !=)",
    ),
];

#[test]
fn windows_are_right() {
    for (_, window) in WINDOWS {
        right(&format!(
            "aggregate({window}, indicator(tokens == \"a\"), 2)"
        ));
        right(&format!(
            "selector_width(({window}) and select(tokens, \"b\", ==))"
        ));
    }
}

/// As many dimensions of a head, however many positions there are.
#[test]
fn windows_take_few_dimensions_of_a_head() {
    for (name, window) in WINDOWS {
        let text = format!("selector_width(({window}) and select(tokens, \"b\", ==))");
        for length in [16, 33, 64] {
            let (layers, heads, parameters) = size(&text, length, Request::default());
            let most = 10 * length + 420;
            assert!(
                (layers, heads) == (1, 1) && parameters <= most,
                "{name}: {parameters}"
            );
        }
    }
}

const NEAREST: &str = "aggregate(select_best(select(tokens, \"a\", ==), \
    score(indices, indices, lambda k, q: -(k - q) * (k - q))), indices, -1)";

#[test]
fn best_positions_are_right() {
    right(NEAREST);
    for score in [
        "(k - q) * (k - q)",
        "k * q - 2 * k",
        "-(k - q - 1) * (k - q - 1) * 0.25",
        "k * (q > 1)",
    ] {
        right(&format!(
            "aggregate(select_best(full_s, score(indices, indices, lambda k, q: {score})), tokens)"
        ));
    }
    right(
        "aggregate(select_best(full_s, score(indices, a, lambda k, q: -(k - q) * (k - q))), tokens)",
    );
}

/// At lengths between which others were refused, and with weights that bfloat16 holds, too.
#[test]
fn the_nearest_takes_two_dimensions_of_a_head() {
    for length in [8, 29, 30, 32, 33, 40, 64, 100] {
        let (layers, heads, parameters) = size(NEAREST, length, Request::default());
        let most = 4 * length + 104;
        assert!(
            (layers, heads) == (1, 1) && parameters <= most,
            "{length}: {parameters}"
        );
    }
    for length in [4, 16, 31] {
        let mut request = Request::default();
        request.host.dtype = Some(rasp::model::Dtype::Bfloat16);
        size(NEAREST, length, request);
    }
}

/// The last position is the largest index, which takes no length.
#[test]
fn the_last_position_takes_one_layer() {
    for text in [
        "tokens[-1]",
        "aggregate(select(indices, length - 1, ==), indicator(tokens == \"a\"), 7)",
        "tokens == tokens[-1]",
        "aggregate(select(indices, length - 1, ==) or select(indices, 0, ==), indices)",
    ] {
        right(text);
    }
    for style in [Style::Faithful, Style::Compact] {
        let request = Request {
            style,
            ..Request::default()
        };
        let found = size("tokens == tokens[-1]", 64, request);
        assert!(found <= (1, 1, 347), "{found:?}");
    }
}

/// Whether there is an earlier key is where the first of all is; in what shape ever that is asked.
#[test]
fn earlier_keys_are_found_by_the_first_of_all() {
    for text in [
        "has_focus(select(tokens, \"a\", ==) and select(indices, indices, <))",
        "has_focus(select(tokens, tokens, ==) and select(indices, indices, >))",
        "selector_width(select(tokens, tokens, ==) and select(indices, indices - 2, <=)) > 0",
        "0 == selector_width(select(indices + 1, 1 + indices, >=) and select(tokens, \"b\", ==))",
        "selector_width(select(tokens, \"a\", ==) and select(indices, indices - 1, <)) < 1",
        "selector_width(select(tokens, \"a\", ==) and select(indices, indices, <)) < 2",
        "has_focus(select(tokens, \"a\", ==) and select(indices, indices, <) and select(indices, indices - 2, >=))",
        "aggregate(select(tokens, \"a\", ==) and select(indices, indices, <), 2, -1) >= 0",
        "aggregate(select(tokens, \"a\", ==) and select(indices, indices, <), 2, -1)",
        "aggregate(select(a, 1, ==) and select(tokens, \"a\", ==) and select(indices, indices, <), \"x\", \"y\")",
        "aggregate(select(indices, indices, <=), indicator(tokens == \"a\")) > 0",
        "aggregate(select(indices, indices - 1, <), indicator(tokens != \"a\")) == 0",
        "0 != aggregate(select(indices, indices, >), indicator(a > 1))",
        "aggregate(select(indices, indices, <), indicator(indices)) > 0",
        // A comparison that the graph has as it is written, as its counts are needed anyway.
        "(a - b if a > b else b - a) if has_focus(select(tokens, tokens, ==) and select(indices, indices, <)) else a",
        "has_focus(select(has_focus(select(tokens, tokens, ==) and select(indices, indices, <)), True, ==) \
            and select(tokens, tokens, !=) and select(indices, indices, <))",
    ] {
        right(text);
    }
    let compact = |without_bos| Request {
        style: Style::Compact,
        without_bos,
        ..Request::default()
    };
    let before = "has_focus(select(tokens, tokens, ==) and select(indices, indices, <))";
    let distinct = format!("selector_width(select({before}, False, ==))");
    for length in [8, 33, 64, 100] {
        let found = size(before, length, compact(false));
        assert!(found <= (1, 1, 4 * length + 121), "{length}: {found:?}");
        let found = size(before, length, compact(true));
        assert!(found <= (1, 1, 4 * length + 121), "{length}: {found:?}");
        let share = "aggregate(select(indices, indices, <), indicator(tokens == \"a\")) > 0";
        let found = size(share, length, compact(false));
        assert!(found <= (1, 1, 3 * length + 64), "{length}: {found:?}");
        let found = size(&distinct, length, compact(false));
        assert!(found <= (2, 2, 6 * length + 400), "{length}: {found:?}");
        let found = size(&distinct, length, compact(true));
        assert!(found <= (3, 2, 8 * length + 650), "{length}: {found:?}");
    }
    for length in [5, 40] {
        let mut session = session(Sharing::Equal, &distinct);
        let compiled = session.compile(&["x"], &asked(length, compact(true)));
        let verified = session.verify(&compiled.unwrap(), &VerifyOptions::default());
        assert_eq!(verified.unwrap().wrong, 0, "{length}");
    }
}
