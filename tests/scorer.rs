//! Programs with scorers as transformers: best keys as hard attention, weighted means as attention
//! with the logarithms of weights. Against the interpreter, on all inputs at small sizes and random
//! ones at larger sizes, in float32 and float64.

use crate::common::{compile, verify};

use rasp::base::{Code, Limits};
use rasp::execute::Precision;
use rasp::graph::{SOpId, Sharing};
use rasp::inside::interpret;
use rasp::model::{Decoder, Model};
use rasp::session::{Session, Setting, VerifyOptions};
use rasp::value::Value;

fn program(text: &str, name: &str) -> (Session, SOpId) {
    let mut session = Session::new(Sharing::Equal);
    session.load_text("test", text);
    let diagnostics = session.take_diagnostics();
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let root = session.sop(name).unwrap_or_else(|e| panic!("{e:?}"));
    (session, root)
}

fn setting(vocabulary: Vec<Value>, max_length: usize) -> Setting {
    Setting {
        vocabulary,
        max_length,
        causal: false,
    }
}

fn letters(count: usize, max_length: usize) -> Setting {
    setting(Value::characters(&"abcdefgh"[..count]), max_length)
}

fn digits(count: i64, max_length: usize) -> Setting {
    setting((0..count).map(Value::Int).collect(), max_length)
}

fn exact_in(text: &str, name: &str, setting: &Setting, exhaustive: usize, samples: usize) -> Model {
    let (session, root) = program(text, name);
    let model = compile(session.graph(), root, setting, &Limits::default())
        .unwrap_or_else(|e| panic!("{name}: {e:?}"));
    for precision in [Precision::F32, Precision::F64] {
        let max_length = setting.max_length;
        let options = VerifyOptions {
            max_length,
            exhaustive,
            samples,
            seed: 7,
            precision,
        };
        let found = verify(session.graph(), root, &model, &options).unwrap();
        assert_eq!(
            found.wrong, 0,
            "{name} {precision:?}: {:?}",
            found.first_wrong
        );
        assert!(found.checked > 0);
    }
    let heads: Vec<usize> = model.layers.iter().map(|layer| layer.heads.len()).collect();
    println!(
        "{name} {}: heads {heads:?}, d_model {}",
        setting.max_length, model.d_model
    );
    model
}

/// Exact at vocabulary 3 and length 5 on all inputs, and at (8, 16) on random ones.
fn exact(text: &str, name: &str) -> Model {
    exact_in(text, name, &letters(8, 16), 600, 300);
    exact_in(text, name, &letters(3, 5), 400, 0)
}

fn exact_on_digits(text: &str, name: &str) -> Model {
    exact_in(text, name, &digits(8, 16), 600, 300);
    exact_in(text, name, &digits(3, 5), 400, 0)
}

fn refused(text: &str, name: &str, reason: &str) {
    let (session, root) = program(text, name);
    let error = compile(session.graph(), root, &letters(3, 5), &Limits::default())
        .err()
        .unwrap_or_else(|| panic!("{name} compiles"));
    assert_eq!(error.code, Code::NotCompilable, "{error:?}");
    assert!(format!("{error:?}").contains(reason), "{error:?}");
}

const LAST: &str = "
    prev_same = select(tokens, tokens, ==) and select(indices, indices, <);
    last = select_best(prev_same, score(indices, indices, lambda k, q: k));
    x = aggregate(last, indices, -1);
    induction = aggregate(select(indices, x + 1, ==) and select(indices, indices, <=), tokens, \"?\");
    found = selector_width(last);";

#[test]
fn the_last_same_token_is_exact() {
    let model = exact(LAST, "x");
    assert_eq!(model.layers.len(), 1);
    assert_eq!(model.layers[0].heads.len(), 1);
}

#[test]
fn induction_heads_are_exact() {
    exact(LAST, "induction");
}

#[test]
fn the_width_of_a_best_key_is_whether_there_is_one() {
    exact(LAST, "found");
}

#[test]
fn distance_scores_take_the_nearest_key() {
    let nearest = "
        other = select(tokens, tokens, !=);
        near = select_best(other, score(indices, indices, lambda k, q: k - q if k < q else q - k));
        x = aggregate(near, tokens, \"?\");
        soon = select_best(other, score(indices, indices, lambda k, q: 0 - (k - q) * (k - q)));
        y = aggregate(soon, indices, -1);
        late = select_best(other, score(indices, indices, lambda k, q: k - q));
        z = aggregate(late, indices, -1);";
    for name in ["x", "y", "z"] {
        exact(nearest, name);
    }
}

#[test]
fn the_greatest_token_is_found_last_of_equals() {
    let greatest = "
        full = select(1, 1, ==);
        best = select_best(full, score(tokens_int, indices, lambda k, q: k));
        at = aggregate(best, indices, -1);
        least = select_best(full, score(tokens_int, indices, lambda k, q: -k / 3));
        value = aggregate(least, tokens_int, -1);
        sign = select_best(full, score(tokens_int, tokens_int, lambda k, q: k * (q - 1)));
        extreme = aggregate(sign, indices, -1);";
    for name in ["at", "value", "extreme"] {
        exact_on_digits(greatest, name);
    }
}

#[test]
fn scores_over_strings_and_constants_are_exact() {
    let text = "
        full = select(1, 1, ==);
        rank = select_best(full, score(tokens, tokens, lambda k, q: 2 if k == q else (1 if k == \"a\" else 0)));
        x = aggregate(rank, indices, -1);
        flat = select_best(full, score(indices, indices, lambda k, q: 1));
        y = aggregate(flat, tokens, \"?\");
        asked = select_best(full, score(indices, tokens, lambda k, q: k if q == \"a\" else -k));
        z = aggregate(asked, tokens, \"?\");";
    for name in ["x", "y", "z"] {
        exact(text, name);
    }
}

#[test]
fn computed_scores_are_exact() {
    let text = "
        hist = selector_width(select(tokens, tokens, ==));
        frequent = select_best(select(1, 1, ==), score(hist, indices, lambda k, q: k));
        x = aggregate(frequent, tokens, \"?\");";
    exact(text, "x");
}

#[test]
fn huge_and_tiny_scores_are_only_ordered() {
    let text = "
        best = select_best(select(tokens, tokens, ==), score(indices, indices, lambda k, q: 10^(k - q)));
        x = aggregate(best, indices, -1);";
    exact(text, "x");
}

/// Ints beyond 53 bits are compared as they are by the interpreter, where floats would be equal; models that would
/// have to are refused.
#[test]
fn scores_beyond_floats_are_compared_as_ints() {
    let text = "
        first = score(indices, indices, lambda k, q: 9007199254740993 - k);
        x = aggregate(select_best(select(1, 1, ==), first), indices, -1);
        late = score(indices, indices, lambda k, q: 2^(55 + k));
        y = aggregate(select_best(select(1, 1, ==), late), indices, -1);";
    let (session, root) = program(text, "x");
    let input = Value::characters("abba");
    let found = interpret::evaluate(session.graph(), root, &input).unwrap();
    assert!(found.values.iter().all(|value| *value == Value::Int(0)));
    let setting = letters(2, 4);
    let refused = compile(session.graph(), root, &setting, &Limits::default()).unwrap_err();
    assert_eq!(refused.code, Code::NotCompilable);
    exact(text, "y");
}

#[test]
fn recency_weighted_means_are_exact_to_the_tolerance() {
    let text = "
        recent = score(indices, indices, lambda k, q: 2^(k - q) if k <= q else 0);
        x = aggregate(recent, tokens_int);
        y = 2 * x - tokens_int + 1;
        before = score(indices, indices, lambda k, q: 1 / (q - k) if k < q else 0);
        z = aggregate(before, tokens_int, -3);
        alike = score(tokens_int, tokens_int, lambda k, q: k * q);
        w = aggregate(alike, indices, 7) / 4;
        v = x - z;";
    for name in ["x", "y", "z", "w", "v"] {
        let model = exact_on_digits(text, name);
        // The weights of `z` are fractions, so that its values are not listed.
        let real = model.readout().decoder == Decoder::Numerical(Vec::new());
        assert_eq!(real, ["z", "v"].contains(&name), "{name}");
    }
}

/// Where weights and values are whole numbers, so that a mean has few values.
#[test]
fn weighted_means_may_be_compared_and_tabulated() {
    let text = "
        recent = aggregate(score(indices, indices, lambda k, q: 2^(k - q) if k <= q else 0), tokens_int);
        a = recent > 1;
        b = round(recent);
        alike = score(tokens, tokens, lambda k, q: 2 if k == q else 1);
        c = aggregate(select(aggregate(alike, indices) >= 1, True, ==), indices, -1);
        d = aggregate(score(tokens_int, indices, lambda k, q: k), indices, -1) == -1;";
    for name in ["a", "b", "c", "d"] {
        exact_in(text, name, &digits(3, 4), 400, 0);
    }
}

#[test]
fn weighted_means_work_under_a_causal_mask() {
    let text = "
        recent = score(indices, indices, lambda k, q: 2^(k - q) if k <= q else 0);
        x = aggregate(recent, tokens_int);
        all = aggregate(score(indices, indices, lambda k, q: 1), tokens_int);
        last = select_best(select(tokens, tokens, ==) and select(indices, indices, <),
                           score(indices, indices, lambda k, q: k));
        y = aggregate(last, indices, -1);";
    let causal = Setting {
        causal: true,
        ..digits(3, 5)
    };
    let model = exact_in(text, "x", &causal, 400, 0);
    assert_eq!(model.layers[0].heads[0].d_head(), 1);
    exact_in(text, "y", &causal, 400, 0);
    let (session, root) = program(text, "all");
    let error = compile(session.graph(), root, &causal, &Limits::default()).unwrap_err();
    assert_eq!(error.code, Code::NotCausal);
}

#[test]
fn what_has_no_exact_form_is_refused_with_the_reason() {
    let text = "
        fractions = aggregate(score(indices, indices, lambda k, q: 1 / (k + 3)), indices);
        c = fractions > 1;
        d = aggregate(select(1, 1, ==), fractions) == 1;
        steep = aggregate(score(indices, indices, lambda k, q: 10^(90 * k - 90 * q)), indices);
        large = aggregate(score(indices, indices, lambda k, q: exp(k + 800 * q)), indices);";
    refused(text, "c", "real number");
    refused(text, "d", "real number");
    refused(text, "steep", "too large a factor");
    refused(text, "large", "no floats");
}

/// A function of keys and queries is run once, whatever it calls; what it leaves is as deep as its
/// calls, and shared parts are one.
#[test]
fn functions_of_keys_and_queries_may_be_deep() {
    let text = "
        def add(n, x) { return x if n == 0 else 1 + add(n - 1, x); }
        def doubled(key, query) {
            for i in range(60) { key = key + key; }
            return key > query;
        }
        x = aggregate(score(indices, indices, lambda k, q: add(4000, k)), indices);
        y = selector_width(select(indices, indices, lambda k, q: add(4000, k) > q));
        z = selector_width(select(indices, indices, doubled));";
    for (name, values) in [("x", [0.5, 0.5]), ("y", [2.0, 2.0]), ("z", [1.0, 1.0])] {
        let (session, root) = program(text, name);
        let input = Value::characters("ab");
        let found = interpret::evaluate(session.graph(), root, &input).expect(name);
        let found: Vec<f64> = found.values.iter().filter_map(Value::as_float).collect();
        assert!(
            found.iter().zip(values).all(|(a, b)| (a - b).abs() < 0.001),
            "{name}: {found:?}"
        );
    }
}

/// Values that are not numbers have no mean: the one that has a weight is picked.
#[test]
fn strings_are_picked_by_weight() {
    let text = "
        before = score(indices, indices, lambda k, q: 2 if k == q - 1 else 0);
        x = aggregate(before, tokens, \"-\");
        none = aggregate(score(indices, indices, lambda k, q: 0), tokens, \"-\");
        marked = score((tokens, indices), indices,
                       lambda t, k, q: 1 / (1 + k) if k == q - 2 and t == \"a\" else 0);
        y = aggregate(marked, tokens + \"!\", \"?\");";
    for name in ["x", "none", "y"] {
        exact(text, name);
    }
    let (session, root) = program(
        "x = aggregate(score(1, 1, lambda k, q: 3), tokens, \"-\");",
        "x",
    );
    let setting = letters(2, 3);
    let model = compile(session.graph(), root, &setting, &Limits::default()).expect("a model");
    let options = VerifyOptions {
        max_length: 3,
        exhaustive: 100,
        samples: 0,
        seed: 0,
        precision: Precision::F32,
    };
    let found = verify(session.graph(), root, &model, &options).expect("known tokens");
    assert_eq!((found.checked, found.rejected, found.wrong), (2, 12, 0));
}

#[test]
fn parameters_with_defaults_need_no_key_or_query() {
    let text = "
        def before(key, query, by=1) { return key == query - by; }
        x = aggregate(select(indices, indices, before), tokens, \"-\");
        y = aggregate(select((indices, indices), indices, before), tokens, \"-\");";
    exact(text, "x");
    let (session, root) = program(text, "x");
    let input = Value::characters("abc");
    let found = interpret::evaluate(session.graph(), root, &input).expect("values");
    assert_eq!(found.values, Value::characters("-ab"));
    exact(text, "y");
}

/// One head reads all of them at once.
#[test]
fn several_keys_and_queries_are_read_as_one() {
    let text = "
        full = select(1, 1, ==);
        either = select(tokens, tokens, ==) or select(indices, indices, <);
        by_index = score(indices, indices, lambda k, q: -k);
        a = aggregate(select_best(either, by_index), indices, -1);
        several = score((tokens, indices), indices, lambda t, k, q: k if t == \"a\" else q);
        b = aggregate(select_best(full, several), tokens, \"?\");
        near = score((tokens, indices), (tokens, indices),
                     lambda tk, k, tq, q: (2 if tk == tq else 1) if k < q else 0);
        c = aggregate(near, indices);
        exactly_one = select((tokens, indices), (tokens, indices),
                             lambda tk, k, tq, q: (tk == tq) != (k < q));
        d = selector_width(exactly_one);";
    for (name, heads) in [("a", 1), ("b", 1), ("c", 1), ("d", 1)] {
        let model = exact_in(text, name, &letters(3, 5), 400, 0);
        let counts = model.layers.iter().map(|layer| layer.heads.len());
        assert_eq!(counts.sum::<usize>(), heads, "{name}");
    }
    exact_in(text, "a", &letters(4, 8), 600, 300);
}

#[test]
fn a_best_key_may_be_part_of_another_selector() {
    let text = "
        causal = select(indices, indices, <=);
        last_other = select_best(select(tokens, tokens, !=), score(indices, indices, lambda k, q: k));
        a = aggregate(last_other and causal, tokens, \"?\");
        b = aggregate(not last_other, indices, -1);
        c = selector_width(last_other or select(tokens, tokens, ==));";
    for name in ["a", "b", "c"] {
        exact(text, name);
    }
}

#[test]
fn encoding_wishes_are_honoured_where_there_is_a_choice() {
    let text = "
        before = select(indices, indices - 1, ==);
        as_is = aggregate(before, tokens_int * 2, 0);
        picked = categorical(aggregate(before, tokens_int * 2, 0));
        number = numerical(aggregate(before, tokens_int, 9));
        hist = selector_width(select(tokens, tokens, ==));
        parity = categorical(hist * hist % 5);
        truth = numerical(hist > 1);";
    let as_is = exact_on_digits(text, "as_is");
    // One wish for equal s-ops: the last holds.
    assert!(matches!(as_is.readout().decoder, Decoder::Categorical(_)));
    let picked = exact_on_digits(text, "picked");
    assert!(
        picked.directions.iter().any(|name| name.contains("= 4")),
        "{:?}",
        picked.directions
    );
    let number = exact_on_digits(text, "number");
    assert!(matches!(&number.readout().decoder, Decoder::Numerical(values) if !values.is_empty()));
    let parity = exact_on_digits(text, "parity");
    assert!(matches!(&parity.readout().decoder, Decoder::Categorical(_)));
    let values = parity
        .directions
        .iter()
        .filter(|name| name.starts_with("parity = "));
    assert_eq!(values.count(), 2, "{:?}", parity.directions);
    let truth = exact_on_digits(text, "truth");
    assert!(matches!(&truth.readout().decoder, Decoder::Numerical(values) if values.len() == 2));
}

/// Every selector with every score, as best keys, and every weight, as means.
#[test]
fn combinations_are_exact_or_refused_with_a_reason() {
    let selectors = [
        "select(1, 1, ==)",
        "select(indices, indices, <)",
        "select(indices, indices, >=)",
        "select(tokens_int, tokens_int, ==) and select(indices, indices, !=)",
        "select(tokens_int, tokens_int, <)",
        "select(hist, hist, ==)",
        "select(indices, indices, <) or select(tokens_int, 2, ==)",
        "select(tokens_int, tokens_int, ==) or select(indices, indices, >)",
    ];
    let scores = [
        "score(indices, indices, lambda k, q: k)",
        "score(indices, indices, lambda k, q: -k)",
        "score(tokens_int, indices, lambda k, q: k)",
        "score(tokens_int, tokens_int, lambda k, q: (k + q) % 3)",
        "score(indices, indices, lambda k, q: k * q % 4)",
        "score(hist, tokens_int, lambda k, q: 1 / k if q == 1 else k)",
        "score(indices, hist, lambda k, q: k / q)",
        "score(tokens_int, indices, lambda k, q: k == 2)",
    ];
    let mut compiled = 0;
    for scores in scores {
        let mut texts: Vec<String> = Vec::new();
        for selector in selectors {
            texts.push(format!(
                "x = aggregate(select_best({selector}, {scores}), tokens_int, 7);"
            ));
        }
        texts.push(format!("x = aggregate({scores}, indices, -2);"));
        for text in texts {
            compiled += usize::from(exact_or_refused(&format!("{HIST}\n{text}")));
        }
    }
    assert!(compiled >= 50, "{compiled}");
}

const HIST: &str = "hist = selector_width(select(tokens_int, tokens_int, ==));";

fn exact_or_refused(text: &str) -> bool {
    let (session, root) = program(text, "x");
    for setting in [digits(3, 5), digits(8, 16)] {
        let model = match compile(session.graph(), root, &setting, &Limits::default()) {
            Ok(model) => model,
            Err(error) => {
                println!("{text}: {error:?}");
                assert_eq!(error.code, Code::NotCompilable, "{text}: {error:?}");
                return false;
            }
        };
        for precision in [Precision::F32, Precision::F64] {
            let max_length = setting.max_length;
            let options = VerifyOptions {
                max_length,
                exhaustive: 400,
                samples: 60,
                seed: 3,
                precision,
            };
            let found = verify(session.graph(), root, &model, &options).unwrap();
            assert_eq!(
                found.wrong, 0,
                "{text} {precision:?}: {:?}",
                found.first_wrong
            );
        }
    }
    true
}

#[test]
#[ignore = "large; run for sizes"]
fn large_lengths() {
    for length in [32, 64] {
        let setting = digits(4, length);
        let text = "
            prev = select(tokens, tokens, ==) and select(indices, indices, <);
            x = aggregate(select_best(prev, score(indices, indices, lambda k, q: k)), indices, -1);
            y = aggregate(select_best(prev, score(tokens_int, indices, lambda k, q: k)), indices, -1);
            near = score(indices, indices, lambda k, q: k - q if k < q else q - k);
            z = aggregate(select_best(select(tokens, tokens, !=), near), indices, -1);
            w = aggregate(score(indices, indices, lambda k, q: 2^(k - q) if k <= q else 0), tokens_int);
            v = aggregate(score(indices, indices, lambda k, q: 1 / (1 + k + q)), tokens_int);";
        for name in ["x", "y", "z", "w", "v"] {
            let (session, root) = program(text, name);
            match compile(session.graph(), root, &setting, &Limits::default()) {
                Err(error) => println!(
                    "{length} {name}: {} {:?} {:?}",
                    error.message, error.labels[0].text, error.notes
                ),
                Ok(model) => {
                    for precision in [Precision::F32, Precision::F64] {
                        let options = VerifyOptions {
                            max_length: length,
                            exhaustive: 100,
                            samples: 40,
                            seed: 3,
                            precision,
                        };
                        let found = verify(session.graph(), root, &model, &options).unwrap();
                        let d_head = model.layers[0].heads[0].d_head();
                        println!(
                            "{length} {name}: wrong {} of {}, d_head {d_head}",
                            found.wrong, found.checked
                        );
                    }
                }
            }
        }
    }
}
