//! Compiled models against the interpreter: the paper's programs and small random graphs, all
//! inputs at small sizes and random ones at larger sizes, in float32 and float64.

use crate::common::place::Place;
use crate::common::property;
use crate::common::{compile, verify};

use proptest::prelude::{Strategy, any, prop_oneof, proptest};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use rasp::base::render::{self, render};
use rasp::base::{Code, Diagnostic, Fallible, Limits, SourceId, Span};
use rasp::execute::{Precision, run};
use rasp::graph::{Graph, SOp, SOpId, Selector, Sharing};
use rasp::inside::compile::compile_in;
use rasp::inside::graph::Build;
use rasp::inside::infer::{Domain, infer};
use rasp::inside::interpret::evaluate;
use rasp::model::{Decoder, Dtype, HostOrder, Matrix, Model};
use rasp::plan::{Kind, Style};
use rasp::session::{Compiled, Session, Setting, VerifyOptions};
use rasp::value::{Comparison, Op, Value};
use std::collections::BTreeMap;

fn program(text: &str, name: &str) -> (Session, SOpId) {
    let mut session = Session::new(Sharing::Equal);
    session.load_text("test", text);
    let diagnostics = session.take_diagnostics();
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let root = session.sop(name).unwrap_or_else(|e| panic!("{e:?}"));
    (session, root)
}

fn setting(tokens: &str, max_length: usize) -> Setting {
    Setting {
        vocabulary: Value::characters(tokens),
        max_length,
        causal: false,
    }
}

fn shape(model: &Model) -> String {
    let heads = model
        .layers
        .iter()
        .map(|layer| layer.heads.len())
        .max()
        .unwrap_or(0);
    let units = model
        .layers
        .iter()
        .map(|layer| layer.mlp.d_mlp())
        .max()
        .unwrap_or(0);
    format!(
        "{} layers, {heads} heads, d_model {}, d_mlp {units}, {} parameters, {} not zero",
        model.layers.len(),
        model.d_model,
        model.parameters(),
        model.nonzero()
    )
}

/// Compiles and checks; prints the shape for whoever asks with `--nocapture`.
fn exact(text: &str, name: &str, setting: &Setting, exhaustive: usize, samples: usize) {
    let (session, root) = program(text, name);
    let start = std::time::Instant::now();
    let model = compile(session.graph(), root, setting, &Limits::default())
        .unwrap_or_else(|e| panic!("{name}: {e:?}"));
    let time = start.elapsed();
    let size = (setting.vocabulary.len(), setting.max_length);
    println!("{name} {size:?}: {} ({time:.1?})", shape(&model));
    for precision in [Precision::F32, Precision::F64] {
        let options = VerifyOptions {
            max_length: setting.max_length,
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
}

const HIST: &str = "same_tok = select(tokens, tokens, ==); hist = selector_width(same_tok);";
const REVERSE: &str = "reverse = aggregate(select(indices, length-indices-1, ==), tokens);";

#[test]
fn hist_is_exact() {
    exact(HIST, "hist", &setting("abcd", 5), 2000, 0);
    exact(HIST, "hist", &setting("abcdefgh", 16), 100, 300);
}

#[test]
fn reverse_is_exact() {
    exact(REVERSE, "reverse", &setting("abcd", 5), 2000, 0);
    exact(REVERSE, "reverse", &setting("abcdefgh", 16), 100, 300);
}

#[test]
fn sort_is_exact() {
    exact(
        "s = sort(tokens, tokens);",
        "s",
        &setting("abcd", 5),
        2000,
        0,
    );
    exact(
        "s = sort(tokens, tokens);",
        "s",
        &setting("abcdefgh", 16),
        100,
        300,
    );
}

const SORT_BY_FREQUENCY: &str = "
    hist = selector_width(select(tokens, tokens, ==));
    freq = sort(tokens, -hist);";

const MOST_FREQUENT: &str = "
    hist = selector_width(select(tokens, tokens, ==));
    earlier = select(tokens, tokens, ==) and select(indices, indices, <);
    is_repr = not (aggregate(earlier, 1, 0) > 0);
    keys = hist - indicator(not is_repr) * 100;
    values = tokens if is_repr else \"-\";
    most_frequent = sort(values, -keys);";

const DOUBLE_HIST: &str = "
    same_tok = select(tokens, tokens, ==);
    hist = selector_width(same_tok);
    first = not (aggregate(same_tok and select(indices, indices, <), 1, 0) > 0);
    same_count = select(hist, hist, ==);
    same_count_reprs = same_count and select(first, True, ==);
    hist2 = selector_width(same_count_reprs);";

const DYCK1: &str = "
    prevs = select(indices, indices, <=);
    n_opens = (indices + 1) * aggregate(prevs, indicator(tokens == \"(\"));
    n_closes = (indices + 1) * aggregate(prevs, indicator(tokens == \")\"));
    balance = n_opens - n_closes;
    prev_imbalances = aggregate(prevs, indicator(balance < 0));
    dyck1 = \"F\" if prev_imbalances > 0 else (\"T\" if balance == 0 else \"P\");";

const SHUFFLE_DYCK2: &str = include_str!("common/shuffle_dyck2_in_sums.rasp");

const FRAC_PREVS: &str =
    "frac_prevs = aggregate(select(indices, indices, <=), indicator(tokens == \"a\"));";

#[test]
fn the_papers_programs_are_exact_on_all_short_inputs() {
    let letters = setting("abcd", 5);
    exact(SORT_BY_FREQUENCY, "freq", &letters, 2000, 0);
    exact(MOST_FREQUENT, "most_frequent", &letters, 2000, 0);
    exact(DOUBLE_HIST, "hist2", &letters, 2000, 0);
    exact(DYCK1, "dyck1", &setting("()ab", 5), 2000, 0);
    exact(SHUFFLE_DYCK2, "shuffle_dyck2", &setting("(){}", 5), 2000, 0);
    exact(FRAC_PREVS, "frac_prevs", &letters, 2000, 0);
}

#[test]
fn the_papers_programs_are_exact_on_long_random_inputs() {
    let letters = setting("abcdefgh", 16);
    exact(SORT_BY_FREQUENCY, "freq", &letters, 100, 300);
    exact(MOST_FREQUENT, "most_frequent", &letters, 100, 300);
    exact(DOUBLE_HIST, "hist2", &letters, 100, 300);
    exact(DYCK1, "dyck1", &setting("()abcdef", 16), 100, 300);
    exact(
        SHUFFLE_DYCK2,
        "shuffle_dyck2",
        &setting("(){}abcd", 16),
        100,
        300,
    );
    exact(FRAC_PREVS, "frac_prevs", &letters, 100, 300);
}

#[test]
#[ignore = "large; run for sizes and times"]
fn large_sizes() {
    let letters = "abcdefghijklmnopqrstuvwxyz012345";
    for (tokens, length) in [(16, 32), (32, 64)] {
        let plain = setting(&letters[..tokens], length);
        let round = setting(&format!("(){}", &letters[..tokens - 2]), length);
        let pairs = setting(&format!("(){{}}{}", &letters[..tokens - 4]), length);
        exact(HIST, "hist", &plain, 100, 100);
        exact(REVERSE, "reverse", &plain, 100, 100);
        exact("s = sort(tokens, tokens);", "s", &plain, 100, 100);
        exact(FRAC_PREVS, "frac_prevs", &plain, 100, 100);
        exact(SORT_BY_FREQUENCY, "freq", &plain, 100, 100);
        exact(DOUBLE_HIST, "hist2", &plain, 100, 100);
        {
            exact(DYCK1, "dyck1", &round, 100, 100);
            exact(SHUFFLE_DYCK2, "shuffle_dyck2", &pairs, 100, 100);
        }
    }
}

/// A recipe for a small graph: each step makes an s-op or a selector from earlier ones.
#[derive(Clone, Debug)]
enum Recipe {
    Map(u8, u8, u8),
    If(u8, u8, u8),
    Constant(i8),
    Select(u8, u8, u8),
    Combine(u8, u8, u8),
    Aggregate(u8, u8, i8),
    Width(u8),
}

fn recipe() -> impl Strategy<Value = Recipe> {
    prop_oneof![
        3 => (any::<u8>(), any::<u8>(), any::<u8>()).prop_map(|(a, b, c)| Recipe::Map(a, b, c)),
        1 => (any::<u8>(), any::<u8>(), any::<u8>()).prop_map(|(a, b, c)| Recipe::If(a, b, c)),
        1 => (-2..3i8).prop_map(Recipe::Constant),
        3 => (any::<u8>(), any::<u8>(), any::<u8>()).prop_map(|(a, b, c)| Recipe::Select(a, b, c)),
        1 => (any::<u8>(), any::<u8>(), any::<u8>()).prop_map(|(a, b, c)| Recipe::Combine(a, b, c)),
        3 => (any::<u8>(), any::<u8>(), -1..2i8).prop_map(|(a, b, c)| Recipe::Aggregate(a, b, c)),
        1 => any::<u8>().prop_map(Recipe::Width),
    ]
}

fn build(recipes: &[Recipe]) -> (Graph, SOpId) {
    let mut graph = Graph::new(Sharing::Equal);
    let span = Span::new(SourceId(0), 0, 0);
    let mut sops = vec![graph.sop(SOp::Tokens, span), graph.sop(SOp::Indices, span)];
    let mut selectors = Vec::new();
    let comparisons = [
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::LessEqual,
        Comparison::Greater,
        Comparison::GreaterEqual,
    ];
    // Later s-ops are likelier, so that graphs are deep.
    let pick = |count: usize, at: u8| count - 1 - (usize::from(at) % 4).min(count - 1);
    for recipe in recipes {
        match recipe {
            Recipe::Map(op, a, b) => {
                let (a, b) = (sops[pick(sops.len(), *a)], sops[pick(sops.len(), *b)]);
                let compare = Op::Compare(comparisons[usize::from(*op) % 6]);
                let op = match op % 16 {
                    0 | 1 => Op::Add,
                    2 | 3 => Op::Subtract,
                    4 => Op::Multiply,
                    5 => Op::Divide,
                    6 => Op::Remainder,
                    7 => Op::And,
                    8 => Op::Or,
                    9 => Op::Not,
                    10 => Op::Negate,
                    11 => Op::Round,
                    12 => Op::Indicator,
                    _ => compare,
                };
                let operands = if op.arity() == 1 { vec![a] } else { vec![a, b] };
                sops.push(graph.map(op, operands, span));
            }
            Recipe::If(a, b, c) => {
                let operands = [a, b, c].map(|at| sops[pick(sops.len(), *at)]).to_vec();
                sops.push(graph.map(Op::If, operands, span));
            }
            Recipe::Constant(value) => {
                sops.push(graph.constant(Value::Int(i64::from(*value)), span));
            }
            Recipe::Select(a, b, op) => {
                let (a, b) = (sops[pick(sops.len(), *a)], sops[pick(sops.len(), *b)]);
                selectors.push(graph.select(a, b, comparisons[usize::from(*op) % 6], span));
            }
            Recipe::Combine(a, b, op) if !selectors.is_empty() => {
                let a = selectors[pick(selectors.len(), *a)];
                let b = selectors[pick(selectors.len(), *b)];
                let combined = match op % 3 {
                    0 => Selector::And(a, b),
                    1 => Selector::Or(a, b),
                    _ => Selector::Not(a),
                };
                selectors.push(graph.selector(combined, span));
            }
            Recipe::Aggregate(selector, value, default) if !selectors.is_empty() => {
                let selector = selectors[pick(selectors.len(), *selector)];
                let value = sops[pick(sops.len(), *value)];
                let default = Value::Int(i64::from(*default));
                sops.push(graph.sop(
                    SOp::Aggregate {
                        selector,
                        value,
                        default,
                    },
                    span,
                ));
            }
            Recipe::Width(selector) if !selectors.is_empty() => {
                let selector = selectors[pick(selectors.len(), *selector)];
                sops.push(graph.sop(SOp::Width { selector }, span));
            }
            Recipe::Combine(..) | Recipe::Aggregate(..) | Recipe::Width(_) => {}
        }
    }
    let root = *sops.last().expect("tokens at least");
    (graph, root)
}

/// A random graph as it is compiled in one style.
fn made(graph: &Graph, root: SOpId, style: Style, setting: &Setting) -> Fallible<Compiled> {
    let limits = Limits {
        table_rows: 20_000,
        ..Limits::default()
    };
    compile_in(&style.into(), graph, &[root], setting, &limits)
}

fn compiled_or_refused(recipes: &[Recipe], vocabulary: Vec<Value>, causal: bool) {
    let (graph, root) = build(recipes);
    let setting = Setting {
        vocabulary,
        max_length: 4,
        causal,
    };
    for style in [Style::Faithful, Style::Compact] {
        match made(&graph, root, style, &setting) {
            Ok(compiled) => {
                scheduled_as_made(&compiled);
                right(&graph, root, &compiled.model);
                proved_or_refused(&compiled);
            }
            Err(refusal) => says_why(&refusal),
        }
    }
}

/// A model is certified in float32 and in float64; or else `rasp compile` refuses it with a code, what is
/// open, and what helps.
fn proved_or_refused(compiled: &Compiled) {
    let Some(refusal) = compiled.refusal() else {
        let exact = &compiled.model.certified;
        let is_exact = |dtype| exact[&dtype].contains(&HostOrder::Scores);
        assert!(is_exact(Dtype::Float32) && is_exact(Dtype::Float64));
        return;
    };
    says_why(&refusal);
    assert_eq!(refusal.code, Code::NotExact);
    assert!(refusal.help.is_some(), "{refusal:?}");
}

/// The printed schedule is the model's: the same layers, with the same heads.
fn scheduled_as_made(compiled: &Compiled) {
    let layers = compiled.model.layers.iter();
    let heads: Vec<usize> = layers.map(|layer| layer.heads.len()).collect();
    let json = compiled.plan().schedule_json();
    assert_eq!(json["layers"], heads.len());
    assert_eq!(json["heads"], serde_json::json!(heads));
    let table = compiled.plan().table();
    let listed = |line: &&str| line.starts_with("  head ");
    let printed: Vec<usize> = table
        .split("\nlayer ")
        .skip(1)
        .map(|layer| layer.lines().filter(listed).count())
        .collect();
    assert_eq!(printed, heads, "{table}");
    let layer = |layer: &serde_json::Value| layer["heads"].as_array().map(Vec::len);
    let tabled = json["table"].as_array().into_iter().flatten();
    let tabled: Vec<Option<usize>> = tabled.map(layer).collect();
    assert_eq!(tabled, heads.iter().copied().map(Some).collect::<Vec<_>>());
}

/// A refusal has a code of those that compiling has, and a sentence about the program as its reason.
fn says_why(refusal: &Diagnostic) {
    let codes = [
        Code::DomainTooLarge,
        Code::NotCompilable,
        Code::NotCausal,
        Code::NotExact,
    ];
    assert!(codes.contains(&refusal.code), "{refusal:?}");
    assert!(!refusal.message.is_empty(), "{refusal:?}");
    assert!(
        reason(refusal).split_whitespace().count() > 2,
        "{refusal:?}"
    );
}

/// Why something is refused: said at its place, or in the notes where that shows only on an input.
fn reason(refusal: &Diagnostic) -> &str {
    let at_its_place = refusal.labels.first().map(|label| &label.text);
    let noted = refusal.notes.first();
    let reason = match refusal.code {
        Code::NotExact => noted.or(at_its_place),
        _ => at_its_place.or(noted),
    };
    reason.map_or("", String::as_str)
}

fn right(graph: &Graph, root: SOpId, model: &Model) {
    for precision in [Precision::F32, Precision::F64] {
        let options = VerifyOptions {
            max_length: 4,
            exhaustive: 200,
            samples: 100,
            seed: 3,
            precision,
        };
        let found = verify(graph, root, model, &options).expect("the model's own vocabulary");
        assert_eq!(
            found.wrong,
            0,
            "{}: {:?}",
            graph.expression(root),
            found.first_wrong
        );
    }
}

/// Of random programs, how many are compiled and certified, and for each reason why one is not, how
/// many and the shortest: for whoever asks with `--nocapture`, and how many with `PROPTEST_CASES`.
#[test]
#[ignore = "thorough; minutes"]
fn which_random_programs_are_certified() {
    let config = property::property(1_000);
    let cases = config.cases;
    let mut runner = TestRunner::new(config);
    let recipes = proptest::collection::vec(recipe(), 1..14);
    let vocabularies = [[0, 1, 3].map(Value::Int).to_vec(), Value::characters("abc")];
    let mut counts = BTreeMap::from([("certified", 0), ("not certified", 0), ("refused", 0)]);
    let mut why: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for at in 0..cases as usize {
        let recipes = recipes.new_tree(&mut runner).expect("recipes").current();
        let (graph, root) = build(&recipes);
        let setting = Setting {
            vocabulary: vocabularies[at % 2].clone(),
            max_length: 4,
            causal: false,
        };
        for style in [Style::Faithful, Style::Compact] {
            let (kind, reason) = match made(&graph, root, style, &setting) {
                Ok(compiled) if compiled.is_certified() => ("certified", None),
                Ok(compiled) => {
                    right(&graph, root, &compiled.model);
                    proved_or_refused(&compiled);
                    let open = compiled.certificates().iter().flat_map(|found| &found.open);
                    // Without what it is that is open.
                    let said = open.map(|open| open.rsplit(": ").next().unwrap_or(open));
                    ("not certified", said.map(str::to_string).next())
                }
                Err(refusal) => ("refused", Some(reason(&refusal).to_string())),
            };
            *counts.entry(kind).or_default() += 1;
            let Some(reason) = reason else { continue };
            let text = graph.expression(root);
            let plain = reason.replace(|c: char| c.is_ascii_digit(), "#");
            // Reasons that name an s-op or values are alike up to these.
            let plain = plain.split([':', '(']).next().unwrap_or_default();
            let key = format!("{} {kind}: {plain}", style.name());
            let (count, shortest) = why.entry(key).or_insert((0, text.clone()));
            *count += 1;
            if text.len() < shortest.len() {
                *shortest = text;
            }
        }
    }
    println!("{counts:?}");
    let mut why: Vec<_> = why.into_iter().collect();
    why.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for (reason, (count, shortest)) in why {
        println!("{count}  {reason}\n    {shortest}");
    }
}

proptest! {
    #![proptest_config(property::property(64))]

    #[test]
    fn random_programs_on_numbers_are_exact_or_refused(
        recipes in proptest::collection::vec(recipe(), 1..14),
        causal in proptest::bool::weighted(0.2),
    ) {
        compiled_or_refused(&recipes, [0, 1, 3].map(Value::Int).to_vec(), causal);
    }

    #[test]
    fn random_programs_on_letters_are_exact_or_refused(
        recipes in proptest::collection::vec(recipe(), 1..14),
        causal in proptest::bool::weighted(0.2),
    ) {
        compiled_or_refused(&recipes, Value::characters("abc"), causal);
    }
}

proptest! {
    #![proptest_config(property::property(10_000))]

    #[test]
    #[ignore = "thorough; minutes"]
    fn ten_thousand_random_programs_are_exact_or_refused(
        recipes in proptest::collection::vec(recipe(), 1..14),
        are_letters in proptest::bool::ANY,
        causal in proptest::bool::weighted(0.2),
    ) {
        let vocabulary = match are_letters {
            true => Value::characters("abc"),
            false => [0, 1, 3].map(Value::Int).to_vec(),
        };
        compiled_or_refused(&recipes, vocabulary, causal);
    }
}

/// Each of the counts has 13 values, and all seven together far more than a table lists.
#[test]
fn sums_of_many_counts_are_exact() {
    let text = "
        def n(token) { return selector_width(select(tokens, token, ==)); }
        few = n(\"a\") + 2 * n(\"b\") + 3 * n(\"c\") - n(\"d\") - 2 * n(\"e\");
        sum = few + 2 * n(\"f\") - n(\"g\");
        is_large = sum > 3;
        places = selector_width(select(sum, 2 * indices, >=));";
    let setting = setting("abcdefg", 12);
    for name in ["sum", "is_large", "places"] {
        exact(text, name, &setting, 3_000, 300);
    }
}

/// Their float sums depend on the order of the terms, so that their values are not listed; attention
/// averages them all the same.
#[test]
fn means_of_fractions_are_real_numbers() {
    let text = "
        share = aggregate(select(indices, indices, <=), indicator(tokens == \"a\"));
        mean = aggregate(full_s, share);
        alike = aggregate(select(tokens, tokens, ==), mean) + share;
        weighed = aggregate(score(indices, indices, lambda k, q: 1 / (k + q + 1)), alike);
        before = 2 * aggregate(select(indices, indices - 1, ==), weighed, 1 / 2);";
    for name in ["mean", "alike", "weighed", "before"] {
        let (session, root) = program(text, name);
        let setting = setting("abc", 6);
        let model = compile(session.graph(), root, &setting, &Limits::default()).expect(name);
        for precision in [Precision::F32, Precision::F64] {
            let options = VerifyOptions {
                max_length: 6,
                exhaustive: 1_200,
                samples: 0,
                seed: 0,
                precision,
            };
            let found = verify(session.graph(), root, &model, &options).expect("known tokens");
            assert_eq!((found.checked, found.wrong), (1_092, 0), "{name}");
            assert!(found.tolerance.is_some(), "{name}");
        }
    }
}

/// Real numbers that are all small may be off by a share of the largest of them, not of 1.
#[test]
fn small_real_numbers_are_held_to_their_size() {
    let (session, root) = program("x = average(tokens_float);", "x");
    let setting = Setting {
        vocabulary: [1e-5, 3.3e-5, -7e-6].map(Value::Float).to_vec(),
        max_length: 9,
        causal: false,
    };
    let graph = session.graph();
    let mut model = compile(graph, root, &setting, &Limits::default()).unwrap();
    let found = verify(graph, root, &model, &VerifyOptions::default()).unwrap();
    assert_eq!((found.wrong, found.least < 1e-4), (0, true));
    let value = &mut model.layers[0].heads[0].value;
    *value = Matrix::zeros(value.rows(), value.columns());
    let found = verify(graph, root, &model, &VerifyOptions::default()).unwrap();
    assert!(2 * found.wrong > found.checked, "{found:?}");
}

/// What floats lose is no difference to a reader: a third and two thirds are 1, however they add up.
#[test]
fn fractions_that_differ_by_rounding_are_read_as_one() {
    let means = "
        up = select(indices, indices, <=);
        f = aggregate(up, indicator(tokens == \"a\"));
        g = aggregate(up, indicator(tokens != \"a\"));
        a = f + g;
        b = 2 * f + 1 + indices;
        c = f - g;";
    for name in ["a", "b", "c"] {
        for style in [Style::Faithful, Style::Compact] {
            let (session, root) = program(means, name);
            let setting = setting("ab", 9);
            let compiled = made(session.graph(), root, style, &setting).unwrap();
            assert!(compiled.is_certified(), "{name}");
            let blocks = compiled.model.layers.iter();
            let units: usize = blocks.map(|layer| layer.mlp.input.columns()).sum();
            assert_eq!(units, 0, "{name}");
            right(session.graph(), root, &compiled.model);
        }
    }
}

/// Beside a number of many digits others keep theirs.
#[test]
fn numbers_that_only_look_alike_beside_a_large_one_are_told_apart() {
    let text = "
        whole = 1.0 if tokens == \"a\" else (2.0 if tokens == \"b\" else 1e16);
        half = 1.5 if tokens == \"a\" else (2.5 if tokens == \"b\" else 1e16);
        tiny = 1e-30 if tokens == \"a\" else (2e-30 if tokens == \"b\" else 3e-30);
        large = 1e15 if tokens == \"a\" else (1e15 + 1 if tokens == \"b\" else 0.5);";
    let input = Value::characters("abc");
    for name in ["whole", "half", "tiny", "large"] {
        let (session, root) = program(text, name);
        let expected = evaluate(session.graph(), root, &input).unwrap();
        let setting = setting("abc", 3);
        let compiled = made(session.graph(), root, Style::Faithful, &setting).unwrap();
        let got = run(&compiled.model, &input, Precision::F64).unwrap();
        assert_eq!(got, expected.values, "{name}");
    }
}

/// A program on which inference or the compiler must give up, as its error is shown.
fn refusal(text: &str, name: &str, setting: &Setting, limits: &Limits) -> String {
    let (session, root) = program(text, name);
    let error = compile(session.graph(), root, setting, limits).expect_err("a refusal");
    render(&error, session.sources(), render::Style::Plain)
}

#[test]
fn refusals_say_where_and_why() {
    let letters = setting("abc", 6);
    let causal = Setting {
        causal: true,
        ..letters.clone()
    };
    let digits = Setting {
        vocabulary: (0..10).map(Value::Int).collect(),
        ..letters.clone()
    };
    let limits = Limits::default();
    let narrow = Limits {
        model_width: 3,
        ..Limits::default()
    };
    let few = Limits {
        domain_values: 20,
        table_rows: 50,
        ..Limits::default()
    };
    let unread = Limits {
        hidden_values: 3,
        ..Limits::default()
    };
    let unselected = Limits {
        candidates: 20,
        ..Limits::default()
    };
    let shown = [
        refusal(
            "most = max(selector_width(select(tokens, tokens, ==)), 2) * indicator(tokens == \"a\");",
            "most",
            &letters,
            &unread,
        ),
        refusal(HIST, "hist", &causal, &limits),
        refusal(HIST, "hist", &letters, &unselected),
        refusal(FRAC_PREVS, "frac_prevs", &letters, &narrow),
        refusal(
            "m = aggregate(select(1, 1, ==), tokens_int * indices);",
            "m",
            &digits,
            &few,
        ),
        refusal("z = tokens_int + indices * 10;", "z", &digits, &few),
        refusal(
            "m = aggregate(select(indices, indices, <=), indices / 3) > 1;",
            "m",
            &letters,
            &limits,
        ),
        refusal("f = 1 / (indices - indices);", "f", &letters, &limits),
        refusal(
            "b = tokens if indices == 0 else aggregate(select(indices, indices, <), tokens);",
            "b",
            &letters,
            &limits,
        ),
    ];
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn causal_models_compile_what_looks_back() {
    let causal = |tokens, length| Setting {
        causal: true,
        ..setting(tokens, length)
    };
    exact(FRAC_PREVS, "frac_prevs", &causal("abcd", 5), 2000, 0);
    exact(DYCK1, "dyck1", &causal("()ab", 5), 2000, 0);
    exact(DYCK1, "dyck1", &causal("()abcdef", 16), 100, 300);
    let previous = "prev = aggregate(select(indices, indices - 1, ==), tokens, \"-\");
        same = select(tokens, tokens, ==) and select(indices, indices, <=);
        so_far = selector_width(same);";
    exact(previous, "prev", &causal("abcd", 5), 2000, 0);
    exact(previous, "so_far", &causal("abcd", 5), 2000, 0);
}

/// Their selectors compare how often a value has occurred, which no table of values tells to look
/// back only.
#[test]
fn causal_models_compile_what_ranks_say_looks_back() {
    let causal = |tokens, length| Setting {
        causal: true,
        ..setting(tokens, length)
    };
    let induction = "load \"induction\"; x = induction_head(tokens);";
    exact(induction, "x", &causal("abc", 6), 2000, 0);
    exact(induction, "x", &causal("a?", 8), 2000, 0);
    let last = "load \"induction\"; x = last_occurrence(tokens);";
    exact(last, "x", &causal("abc", 6), 2000, 0);
    let brackets = "load \"dyck\"; x = dyckk_ptf(tokens, [\"()\", \"{}\"]);";
    exact(brackets, "x", &causal("(){}", 5), 2000, 0);
    exact(brackets, "x", &causal("()a", 7), 4000, 0);
}

/// Hundreds of steps of one mean, with a threshold for each index: of the thousands of values that the argument of
/// each has, only those next to the step are kept.
#[test]
fn steps_in_long_inputs_keep_few_values_of_their_arguments() {
    let place = Place::with(&[(
        "brackets.rasp",
        "load \"dyck\"; x = dyckk_ptf_best(tokens, [\"()\", \"{}\"]);",
    )]);
    let compile = "rasp compile brackets.rasp -e x --vocab '(){}' --max-len 48 --limit hidden_values=30000 -o m";
    let ran = place.shell(compile);
    assert_eq!(ran.status, 0, "{}", ran.shown());
}

/// Close to what is accepted, but a later key may be selected.
#[test]
fn ranks_that_look_ahead_are_refused_in_causal_models() {
    let causal = Setting {
        causal: true,
        ..setting("ab", 4)
    };
    for after in [
        "select(tokens, tokens, ==) and select(number, number + 1, ==)",
        "select(tokens, tokens, ==) and select(number, number - 1, !=)",
        "select(tokens, tokens, !=) and select(number, number - 1, ==)",
        "select(number, number - 1, ==)",
        "select(tokens, tokens, ==) and select(shift(number, 2, -1), number - 1, ==)",
        "select(shift(tokens, 1, \"-\"), tokens, ==) and select(number, number - 1, ==)",
        "select(indices, indices, >)",
        "select(tokens, tokens, ==) and select(indices, indices, >)",
    ] {
        let text = format!(
            "number = selector_width(select(tokens, tokens, ==) and select(indices, indices, <=));
            x = aggregate({after}, indices, -1);"
        );
        let refused = refusal(&text, "x", &causal, &Limits::default());
        assert!(refused.contains("E0603"), "{after}\n{refused}");
    }
    // Of these no head counts anything: one takes a mean that is no s-op of the program.
    for sum in [
        "count(tokens, \"a\") - count(tokens, \"b\")",
        "length - count(tokens, \"b\")",
        "2 * count(tokens, \"a\") - count(tokens, \"b\") + 1",
    ] {
        let text = format!("x = {sum};");
        let refused = refusal(&text, "x", &causal, &Limits::default());
        assert!(refused.contains("E0603"), "{sum}\n{refused}");
    }
}

/// Where a program fails its hidden units read something all the same, of which no value is a point.
#[test]
fn programs_that_fail_on_some_inputs_are_compiled() {
    let digits = Setting {
        vocabulary: [0, 1, 3].map(Value::Int).to_vec(),
        ..setting("", 4)
    };
    let text = "some = tokens_int / (tokens_int - indices) > 1; all = tokens_int / indices;";
    exact(text, "some", &digits, 200, 0);
    let (session, root) = program(text, "all");
    for style in [Style::Faithful, Style::Compact] {
        let made = made(session.graph(), root, style, &digits);
        assert!(made.is_ok(), "{made:?}");
    }
}

/// Means that differ in a default which is never taken are one variable, so that a table of both has
/// rows that no input gives.
#[test]
fn tables_over_variables_that_are_one_are_exact() {
    let text = "
        first = select(indices, tokens_int, <=);
        one = aggregate(first, indices);
        other = aggregate(first, indices, 1);
        x = one if other else (other != other);
        y = selector_width(select(one + other, indices, ==));
    ";
    for name in ["x", "y"] {
        exact(text, name, &setting("013", 4), 1_000, 0);
    }
}

/// Nothing is ever selected, which the analysis of values does not know: tables have rows that no
/// input gives.
#[test]
fn selectors_that_never_select_are_exact() {
    let text = "
        never = select(tokens_int, tokens_int, <) and select(tokens_int, tokens_int, >);
        one = aggregate(never, tokens_int, 1);
        none = aggregate(never, tokens_int);
        x = none * none;
        y = selector_width(select(one, tokens_int, <));
        z = one + none == tokens_int;
        held = tokens_int == 1;
        both = select(held, True, ==) and select(held, False, ==);
        number = selector_width(both and select(indices, indices, <));
        u = aggregate(select(number, 1, <), indices, 0);
        v = aggregate(select(held, True, ==) and select(number, 0, ==), tokens_int, 0);
    ";
    for name in ["x", "y", "z", "u", "v"] {
        exact(text, name, &setting("013", 4), 1_000, 0);
    }
}

/// What float32 has too few digits for in one step is computed in more of them: products and quotients
/// of means, and means of numbers that are compared, too.
const PRECISE: &[&str] = &[
    "s = select(t, indices, <); x = aggregate(s, indices) * aggregate(s, t * indices, -1);",
    "s = select(t, indices, <=); x = aggregate(s, t / aggregate(s, t, -1));",
    "s = select(t, t, >); w = selector_width(s);
        x = aggregate(s, indices if w else aggregate(s, w), -1);",
    "s = select(t, t, >); w = selector_width(s); x = aggregate(s, w, -1) if w else t % indices;",
    "s = select(t, indices, !=); m = aggregate(s, indices, 1);
        x = aggregate(select(aggregate(s, t), m, >), m, -1);",
    "m = aggregate(select(indices, t, ==), t); s = select(m, t, >);
        x = aggregate(s, aggregate(s, m if t else t));",
    "m = aggregate(select(round(t), t, <), t, 1); x = aggregate(select(t - m, 2, >=), m, 1);",
    "s = select(t, t, >=);
        x = aggregate(s or select(indices, t, <=), aggregate(s, aggregate(s, t), -1), 1);",
];

#[test]
fn programs_that_ask_for_many_digits_are_certified() {
    for text in PRECISE {
        let (session, root) = program(&format!("t = tokens_int; {text}"), "x");
        let setting = setting("013", 4);
        for style in [Style::Faithful, Style::Compact] {
            let compiled = made(session.graph(), root, style, &setting);
            let compiled = compiled.unwrap_or_else(|e| panic!("{text}: {e:?}"));
            assert!(
                compiled.refusal().is_none(),
                "{text}: {:?}",
                compiled.certificates()
            );
            right(session.graph(), root, &compiled.model);
        }
    }
}

/// A product by one of few numbers takes a hidden unit for each of these; means that would make a model large are
/// real numbers, and so are fractions that float32 does not tell apart.
#[test]
fn sizes_and_proofs_have_no_windows_in_length() {
    let product = "x = aggregate(full_s, tokens_int * indices);";
    let variance = "m = aggregate(full_s, tokens_int);
        x = aggregate(full_s, tokens_int * tokens_int) - m * m;";
    for (text, tokens, lengths, most) in [
        (
            product,
            "01234567",
            [5, 8, 17, 26, 42, 48, 53].as_slice(),
            2_000,
        ),
        (product, "0123456789", &[8, 26], 1_500),
        (variance, "0123", &[5, 6, 7], 16_000),
    ] {
        let (session, root) = program(text, "x");
        for max_length in lengths {
            let setting = setting(tokens, *max_length);
            let compiled = made(session.graph(), root, Style::Faithful, &setting).unwrap();
            assert!(compiled.is_certified(), "{text} at {max_length}");
            let parameters = compiled.model.padded_parameters();
            assert!(parameters <= most, "{text} at {max_length}: {parameters}");
            right(session.graph(), root, &compiled.model);
        }
    }
}

/// What one position has at most, as it sees no other like it, and what only looks so.
const HELD_ONCE: &[&str] = &[
    "other = a and select(indices, indices, >); held = t == \"a\" and not has_focus(other);",
    "other = a and select(indices, indices, <); held = t == \"a\" and selector_width(other) == 0;",
    "other = a and select(indices, indices, !=); held = t == \"a\" and not has_focus(other);",
    "other = a and select(indices, indices, >); held = t != \"a\" and not has_focus(other);",
    "other = a and select(indices, indices, >); held = t == \"a\" and aggregate(other, 1, 1) == 1;",
    "other = a and select(indices, indices, >); held = t == \"a\" and aggregate(other, indices) == 0;",
    "other = a and select(indices, indices, <); held = t == \"a\" and aggregate(other, indices, -1) < 1;",
    "other = a and select(t, t, ==) and select(indices, indices, >); held = not has_focus(other);",
    "other = select(t, t, ==) and select(indices, indices, >); held = not has_focus(other);",
    "other = a or select(indices, indices, >); held = t == \"a\" and not has_focus(other);",
];

#[test]
fn what_one_position_has_is_selected_once() {
    for text in HELD_ONCE {
        let text = format!(
            "t = tokens; a = select(t, \"a\", ==); {text}
             x = aggregate(select(held, True, ==), indices, -1);"
        );
        exact(&text, "x", &setting("ab", 5), 100, 0);
    }
}

/// What is numbered from either side, and places that differ by the same at all positions of an input:
/// what one key has at most is no mean.
const ONE_KEY: &[&str] = &[
    "n = selector_width(m and select(indices, indices, >)); s = m and select(n, 1, ==);",
    "n = selector_width(m and select(indices, indices, >=)); s = m and select(n, n - 1, ==);",
    "n = selector_width(m and select(indices, indices, <)); s = select(n, n + 1, ==) and m;",
    "n = selector_width(m and same and select(indices, indices, >));
     s = same and m and select(n, n - 1, ==);",
    "at = aggregate(select(t, \"a\", ==), indices); s = select(indices + at, length, ==);",
    "n = selector_width(select(t, \"a\", ==)); s = select(2 * indices - n, indices, ==);",
];

/// Close to these, but two keys may be selected.
const TWO_KEYS: &[&str] = &[
    "n = selector_width(m and select(indices, indices, >)); s = select(n, 1, ==);",
    "n = selector_width(m and select(indices, indices, >)); s = m and select(n, 1, >=);",
    "n = selector_width(m and select(indices, indices, !=)); s = m and select(n, 1, ==);",
    "n = selector_width(m and same and select(indices, indices, >)); s = m and select(n, 1, ==);",
    "n = selector_width(select(t, \"a\", ==)); s = select(indices * n, indices, ==);",
    "n = selector_width(select(t, t, ==)); s = select(indices + n, indices, ==);",
];

#[test]
fn what_is_numbered_or_moved_by_the_same_is_selected_once() {
    let setting = setting("abc", 5);
    for (text, one) in [(ONE_KEY, true), (TWO_KEYS, false)]
        .into_iter()
        .flat_map(|(texts, one)| texts.iter().map(move |text| (text, one)))
    {
        let text = format!(
            "t = tokens; m = select(t, \"a\", !=); same = select(t, t, ==);
             {text} x = aggregate(s, indices, -1);"
        );
        exact(&text, "x", &setting, 400, 0);
        let (session, root) = program(&text, "x");
        let facts = infer(session.graph(), &[root], &setting, &Limits::default()).unwrap();
        let Some(Domain::Finite(values)) = facts.get(root).map(|node| node.domain.clone()) else {
            panic!("{text} has no finite domain");
        };
        let whole = values
            .iter()
            .all(|value| value.as_float().unwrap().fract() == 0.0);
        assert_eq!(whole, one, "{text}");
    }
}

/// The best of one key or none needs no score, and fails where a score does only.
#[test]
fn the_best_of_at_most_one_may_stand_in_a_branch() {
    for selector in ["select(1, 2, ==)", "select(indices, indices + 1, ==)"] {
        let text = format!(
            "best = select_best({selector}, score(indices, indices, lambda key, query: key - query));
             x = aggregate(best, tokens, \"-\") if tokens == \"a\" else tokens;"
        );
        exact(&text, "x", &setting("ab", 4), 100, 0);
    }
}

/// A direction for each value is read by heads that count; it is no combination of bits that are
/// combinations of it.
#[test]
fn directions_that_are_asked_for_are_counted_by() {
    let text =
        "opening = selector_width(select(tokens, \"(\", ==) and select(indices, indices, <=));
        level = categorical(2 * opening - indices);
        x = selector_width(select(level, level, ==) and select(indices, indices, <=));";
    for length in [4, 9] {
        exact(text, "x", &setting("()", length), 30, 60);
    }
}

/// Sums, of all positions and of those before, and what is made of them.
const OF_SUMS: &[&str] = &[
    "round(length * average(t))",
    "length * average(t) > 3",
    "round(length * average(t)) % 3",
    "selector_width(select(indices, round(length * average(t)), ==))",
    "round((indices + 1) * aggregate(select(indices, indices, <=), t))",
    "round(indices * aggregate(select(indices, indices, <), t))",
    "round(indices * aggregate(select(indices, indices, <), t, 1))",
    "round(length * average(t - 1)) == 0",
    "round(length * aggregate(select(indices, indices, <=), t))",
];

#[test]
fn sums_are_right_on_all_inputs() {
    for causal in [false, true] {
        let digits = Setting {
            vocabulary: [0, 1, 3].map(Value::Int).to_vec(),
            causal,
            ..setting("", 5)
        };
        // The length is known from later positions.
        let looks_back = |text: &&&str| !causal || !text.contains("length");
        for text in OF_SUMS.iter().filter(looks_back) {
            let text = format!("t = tokens_int; x = {text};");
            exact(&text, "x", &digits, 363, 0);
        }
    }
}

#[test]
fn elementwise_programs_need_no_attention() {
    let digits = Setting {
        vocabulary: (0..10).map(Value::Int).collect(),
        ..setting("", 6)
    };
    exact("x = 2 * tokens_int - indices;", "x", &digits, 1200, 50);
    exact("x = (tokens_int + indices) % 3;", "x", &digits, 1200, 50);
    exact(
        "x = \"even\" if tokens_int % 2 == 0 else \"odd\";",
        "x",
        &digits,
        1200,
        50,
    );
    exact("x = tokens;", "x", &setting("abc", 4), 1200, 50);
}

#[test]
fn library_programs_are_exact() {
    let letters = setting("abcd", 5);
    for text in [
        "x = length;",
        "x = count(tokens, \"a\");",
        "x = contains(tokens, \"b\");",
        "x = shift(tokens, 2, \"-\");",
        "x = has_focus(select(tokens, \"a\", ==) and select(indices, indices, <));",
        "x = mark_first_instance(tokens, \"c\");",
        "x = average(indicator(tokens == \"a\") + indicator(tokens == \"b\") * 2);",
        "x = tokens if selector_width(select(tokens, tokens, ==)) > 1 else \"-\";",
        "x = aggregate(not select(tokens, tokens, ==) or select(indices, 0, ==), indices);",
        "x = aggregate(select(indices, indices, <=), indicator(tokens == \"a\"))
            - aggregate(select(indices, indices, <=), indicator(tokens == \"b\"));",
        "x = round(aggregate(select(tokens, tokens, ==), indices));",
        "x = aggregate(select(indices, indices, <=), indicator(tokens == \"a\")) > 0.4;",
    ] {
        exact(text, "x", &letters, 2000, 0);
    }
}

/// Programs that count as the library does, beside the width that each is.
const COUNTS: &[(&str, &str)] = &[
    (
        "count(tokens, \"a\")",
        "selector_width(select(tokens, \"a\", ==))",
    ),
    (
        "round(aggregate(full_s, indicator(tokens < \"c\")) * length)",
        "selector_width(select(tokens, \"c\", <))",
    ),
    (
        "round(length * aggregate(full_s, indicator(tokens == \"a\" or indices > 1)))",
        "selector_width(select(tokens == \"a\" or indices > 1, True, ==))",
    ),
    (
        "round(selector_width(same) * aggregate(same, indicator(indices > 1), 7))",
        "selector_width(same and select(indices, 1, >))",
    ),
];

const SAME: &str = "same = select(tokens, tokens, ==);";

#[test]
fn a_rounded_share_of_a_width_is_a_width() {
    for (count, width) in COUNTS {
        let text = format!("{SAME} x = {count}; y = {width};");
        let (mut session, x) = program(&text, "x");
        assert_eq!(Ok(x), session.sop("y").map_err(drop), "{count}");
        // Equal, too, where each keeps its shape.
        let mut kept = Session::new(Sharing::None);
        kept.load_text("test", &text);
        let (x, y) = (kept.sop("x").unwrap(), kept.sop("y").unwrap());
        for input in ["a", "ab", "baab", "cacab", "dddca"] {
            let input = Value::characters(input);
            let value = |sop| evaluate(kept.graph(), sop, &input).unwrap();
            assert_eq!(value(x), value(y), "{count} on {input:?}");
        }
    }
    for other in [
        "length * aggregate(full_s, indicator(tokens == \"a\"))",
        "round(length * aggregate(same, indicator(tokens == \"a\")))",
        "round(length * aggregate(full_s, indices))",
        "round(selector_width(same) * aggregate(same, indices > 1, True))",
    ] {
        let (session, x) = program(&format!("{SAME} x = {other};"), "x");
        let is_width = matches!(session.graph().get(x), SOp::Width { .. });
        assert!(!is_width, "{other}");
    }
}

/// Comparisons of means, and how many aggregates are left of them.
const COMPARED: &[(&str, usize)] = &[
    ("prevs(\"a\") < prevs(\"b\")", 1),
    ("prevs(\"a\") - prevs(\"b\") == 0", 1),
    ("0 < prevs(\"a\") - prevs(\"b\")", 1),
    (
        "aggregate(later, 3 * indicator(tokens == \"a\"), 2) >= aggregate(later, indices, 1)",
        2,
    ),
    (
        "aggregate(later, indicator(tokens == \"a\"), 2) > aggregate(later, 1, 1)",
        1,
    ),
    (
        "aggregate(later, 1 if tokens == \"a\" or indices == 1 or (True and tokens == \"b\") else 0, 2) > 0",
        1,
    ),
    (
        "0 == aggregate(later, indicator(tokens == \"a\" or False or tokens == \"b\"))",
        1,
    ),
    ("prevs(\"a\") - prevs(\"b\") + prevs(\"c\") > 0", 3),
    ("prevs(\"a\") - prevs(\"b\") > 1 / 3", 2),
    ("1 / indices if 0 else prevs(\"a\") > prevs(\"b\")", 1),
];

const PREVS: &str = "def prevs(t) { s = select(indices, indices, <=); \
     return aggregate(s, indicator(tokens == t)); } later = select(indices, indices, >);";

#[test]
fn means_that_are_only_compared_are_one() {
    for (condition, aggregates) in COMPARED {
        let text = format!("{PREVS} x = {condition};");
        let (session, x) = program(&text, "x");
        let graph = session.graph();
        let left = graph.reachable(&[x]).into_iter();
        let left = left.filter(|id| matches!(graph.get(*id), SOp::Aggregate { .. }));
        assert_eq!(left.count(), *aggregates, "{condition}");
        let mut kept = Session::new(Sharing::None);
        kept.load_text("test", &text);
        let y = kept.sop("x").unwrap();
        for input in Value::characters("abc").iter().flat_map(|last| {
            let letters = [
                "", "a", "b", "ab", "ba", "bb", "aab", "bca", "caab", "babba",
            ];
            letters.map(|before| [Value::characters(before), vec![last.clone()]].concat())
        }) {
            let (x, y) = (
                evaluate(graph, x, &input),
                evaluate(kept.graph(), y, &input),
            );
            assert_eq!(x.map_err(drop), y.map_err(drop), "{condition} on {input:?}");
        }
    }
}

/// Parameters with every layer padded to the widest, for 4 tokens and inputs of up to 5.
const SIZES: &[(&str, usize)] = &[
    ("length", 24),
    ("count(tokens, \"a\")", 44),
    ("contains(tokens, \"a\")", 44),
    ("selector_width(select(tokens, tokens, ==))", 94),
    ("shift(tokens, 1, \"a\")", 103),
    ("detect_pattern(tokens, [\"a\", \"b\"])", 103),
    ("sort_unique(tokens, tokens)", 570),
];

#[test]
fn models_are_no_larger_than_known() {
    for (expression, most) in SIZES {
        let text = format!("load \"tracr\"; x = {expression};");
        let (session, root) = program(&text, "x");
        for style in [Style::Faithful, Style::Compact] {
            let setting = setting("abcd", 5);
            let limits = Limits::default();
            let compiled = compile_in(&style.into(), session.graph(), &[root], &setting, &limits);
            let compiled = compiled.unwrap_or_else(|e| panic!("{expression}: {e:?}"));
            let size = compiled.model.padded_parameters();
            assert!(size <= *most, "{expression}, {}: {size}", style.name());
            assert!(compiled.is_certified(), "{expression}, {}", style.name());
        }
    }
}

#[test]
fn bos_stands_in_where_nothing_is_selected() {
    let letters = setting("abcd", 5);
    for (text, stands_in) in [
        ("x = shift(tokens, 1, \"-\");", true),
        ("x = shift(tokens, 3, \"-\");", true),
        ("x = shift(tokens == \"a\", 2, False);", true),
        (
            "x = selector_width(select(shift(tokens, 1, \"a\"), tokens, ==));",
            true,
        ),
        // Whether the last position selects something depends on the length.
        ("x = shift(tokens, -1, \"-\");", false),
        // Both ends select nothing.
        (
            "x = aggregate(select(indices + 1 if indices < 2 else 9, indices, ==), tokens, \"-\");",
            false,
        ),
    ] {
        exact(text, "x", &letters, 2000, 0);
        let (session, root) = program(text, "x");
        let limits = Limits::default();
        let style = Style::Faithful;
        let compiled = compile_in(&style.into(), session.graph(), &[root], &letters, &limits);
        let compiled = compiled.unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let mut kinds = compiled.plan().attends.iter().map(|attend| attend.kind);
        assert_eq!(
            kinds.any(|kind| kind == Kind::MeanOrBos),
            stands_in,
            "{text}"
        );
        assert!(compiled.is_certified(), "{text}");
    }
}

#[test]
fn variables_decode_what_the_interpreter_computes() {
    let (session, root) = program(DOUBLE_HIST, "hist2");
    let graph = session.graph();
    let model = compile(graph, root, &setting("abcd", 5), &Limits::default())
        .unwrap_or_else(|e| panic!("{e:?}"));
    let names: Vec<&str> = model.variables.iter().map(|v| v.name.as_str()).collect();
    assert!(
        names.contains(&"hist") && names.contains(&"hist2"),
        "{names:?}"
    );
    assert_eq!(model.directions.len(), model.d_model);
}

#[test]
#[ignore = "thorough; two thousand random inputs for each of the paper's programs"]
fn the_papers_programs_on_many_random_inputs() {
    let letters = setting("abcdefgh", 16);
    exact(HIST, "hist", &letters, 5000, 2000);
    exact(REVERSE, "reverse", &letters, 5000, 2000);
    exact("s = sort(tokens, tokens);", "s", &letters, 5000, 2000);
    exact(SORT_BY_FREQUENCY, "freq", &letters, 5000, 2000);
    exact(MOST_FREQUENT, "most_frequent", &letters, 5000, 2000);
    exact(DOUBLE_HIST, "hist2", &letters, 5000, 2000);
    exact(DYCK1, "dyck1", &setting("()abcdef", 16), 5000, 2000);
    exact(DYCK1, "dyck1", &setting("()", 12), 10_000, 2000);
    exact(
        SHUFFLE_DYCK2,
        "shuffle_dyck2",
        &setting("(){}abcd", 16),
        5000,
        2000,
    );
    exact(
        SHUFFLE_DYCK2,
        "shuffle_dyck2",
        &setting("(){}", 6),
        10_000,
        0,
    );
    exact(FRAC_PREVS, "frac_prevs", &letters, 5000, 2000);
}

/// The largest distance of a raw numerical output from the value it stands for, in float32.
fn error(text: &str, name: &str, setting: &Setting) -> f64 {
    // As a number: otherwise a count is read from its inverse by classes.
    let (session, root) = program(&format!("{text} number = numerical({name});"), "number");
    let mut model = compile(session.graph(), root, setting, &Limits::default())
        .unwrap_or_else(|e| panic!("{name}: {e:?}"));
    model.outputs[0].readout.decoder = Decoder::Numerical(Vec::new());
    let mut largest = 0.0f64;
    for seed in 0..40 {
        let input: Vec<Value> = (0..setting.max_length)
            .map(|at| {
                let kinds = 1 + seed % setting.vocabulary.len();
                setting.vocabulary[(at * at * 7 + at * 3 + seed) % 31 % kinds].clone()
            })
            .collect();
        let expected = session.evaluate(root, &input).expect("a value");
        let got = rasp::execute::run(&model, &input, Precision::F32).expect("an output");
        for (expected, got) in expected.values.iter().zip(&got) {
            let distance = expected
                .as_float()
                .zip(got.as_float())
                .map(|(a, b)| (a - b).abs());
            largest = largest.max(distance.expect("numbers"));
        }
    }
    largest
}

#[test]
fn raw_outputs_in_float32_are_close() {
    for (text, name, length, bound) in [
        (HIST, "hist", 16, 1e-4),
        (FRAC_PREVS, "frac_prevs", 16, 1e-5),
        (DOUBLE_HIST, "hist2", 16, 0.1),
        (HIST, "hist", 64, 1e-3),
        (FRAC_PREVS, "frac_prevs", 64, 1e-5),
        (DOUBLE_HIST, "hist2", 64, 0.25),
    ] {
        let largest = error(text, name, &setting("abcdefgh", length));
        println!("{name} {length}: off by at most {largest:.1e}");
        assert!(largest < bound, "{name} {length}: {largest}");
    }
}

#[test]
fn inferred_values_are_those_that_occur() {
    let (mut session, _) = program(DYCK1, "dyck1");
    let setting = setting("()", 4);
    let mut domain = |name: &str| {
        let root = session.sop(name).unwrap_or_else(|e| panic!("{e:?}"));
        let facts = infer(session.graph(), &[root], &setting, &Limits::default())
            .unwrap_or_else(|e| panic!("{e:?}"));
        let Some(Domain::Finite(values)) = facts.get(root).map(|node| node.domain.clone()) else {
            panic!("{name} has no finite domain");
        };
        let shown: Vec<String> = values.iter().map(Value::to_string).collect();
        (
            shown.join(" "),
            facts.get(root).map_or(0, |node| node.depth),
        )
    };
    assert_eq!(domain("indices - indices"), ("0".to_string(), 0));
    assert_eq!(domain("length - indices"), ("1 2 3 4".to_string(), 1));
    assert_eq!(
        domain("selector_width(prevs) - indices"),
        ("1".to_string(), 0)
    );
    assert_eq!(domain("n_opens").0, "0 1 1.0 2 2.0 3 3.0 4");
    assert_eq!(domain("dyck1"), ("F P T".to_string(), 2));
}
