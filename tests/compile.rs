//! Compiled models against the interpreter: the paper's programs and small random graphs, all
//! inputs at small sizes and random ones at larger sizes, in float32 and float64.

use rasp::base::Limits;
use rasp::compile::{Options, compile, verify};
use rasp::execute::Precision;
use rasp::graph::{SOpId, Sharing};
use rasp::infer::Setting;
use rasp::model::Model;
use rasp::session::Session;
use rasp::value::Value;

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
        let options = Options {
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

const SHUFFLE_DYCK2: &str = "
    prevs = select(indices, indices, <=);
    bal1 = (indices + 1) * aggregate(prevs, indicator(tokens == \"(\") - indicator(tokens == \")\"));
    bal2 = (indices + 1) * aggregate(prevs, indicator(tokens == \"{\") - indicator(tokens == \"}\"));
    has_neg = aggregate(select(1, 1, ==), indicator(bal1 < 0 or bal2 < 0));
    select_last = select(indices, length - 1, ==);
    end_0 = aggregate(select_last, bal1 == 0 and bal2 == 0);
    shuffle_dyck2 = end_0 and not (has_neg > 0);";

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
        if length < 50 {
            exact(DYCK1, "dyck1", &round, 100, 100);
            exact(SHUFFLE_DYCK2, "shuffle_dyck2", &pairs, 100, 100);
        }
    }
}
