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
