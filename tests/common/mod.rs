//! What several test binaries need: sessions that fail loudly, and what a snapshot says of an s-op.

#![allow(dead_code, reason = "no test binary uses all of it")]

pub mod any_order;
pub mod budget;
pub mod listed;
pub mod mistakes;
pub mod place;
pub mod programs;
pub mod property;
pub mod shown;

use rasp::base::render::{Style, render};
use rasp::base::{Fallible, Limits};
use rasp::graph::{Graph, SOpId, Sharing};
use rasp::inside::compile::{compile_in, verify_all};
use rasp::model::Model;
use rasp::model::describe::summary;
use rasp::session::{Asked, Compiled, Request, Session, Setting, Verification, VerifyOptions};

/// A session that has run a program with neither errors nor warnings.
pub fn session(name: &str, program: &str) -> Session {
    let mut session = Session::new(Sharing::Equal);
    session.load_text(name, program);
    let diagnostics: String = session
        .take_diagnostics()
        .iter()
        .map(|diagnostic| render(diagnostic, session.sources(), Style::Plain))
        .collect();
    assert!(diagnostics.is_empty(), "{name}\n{diagnostics}");
    session
}

/// Everything a snapshot says of an s-op beside its values: its layers and heads, and, where the
/// program sets a vocabulary and a longest input, the model that the compiler makes of it.
pub fn shape(session: &mut Session, expression: &str) -> String {
    let sop = session
        .sop(expression)
        .unwrap_or_else(|error| panic!("{expression}: {error}"));
    let mut text = session.schedule(sop).table(session.graph());
    if let Ok(setting) = session.setting(&Asked::default()) {
        let (tokens, length) = (setting.vocabulary.len(), setting.max_length);
        let inputs = format!("{tokens} tokens, up to {length} at once");
        text.push_str(&compiled(session, sop, &inputs));
    }
    text
}

/// The model of one s-op in the default style.
pub fn compile(graph: &Graph, root: SOpId, setting: &Setting, limits: &Limits) -> Fallible<Model> {
    let compiled = compile_in(&Request::default(), graph, &[root], setting, limits)?;
    Ok(compiled.model)
}

/// A model held against the s-op that it was compiled from.
pub fn verify(
    graph: &Graph,
    root: SOpId,
    model: &Model,
    options: &VerifyOptions,
) -> Fallible<Verification> {
    verify_all(graph, &[root], model, options)
}

/// The model answers as the interpreter does: on all inputs of up to two tokens, or more if there are
/// few, and on some longer ones.
pub fn assert_right(session: &Session, compiled: &Compiled) {
    let options = VerifyOptions {
        exhaustive: 100,
        samples: 50,
        ..VerifyOptions::default()
    };
    let name = &compiled.model.name;
    let found = session
        .verify(compiled, &options)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(found.wrong, 0, "{name}: {:?}", found.first_wrong);
}

/// The size of the model of an s-op, or why there is none.
fn compiled(session: &Session, sop: SOpId, inputs: &str) -> String {
    match session.compile_sops(&[(sop, "")], &Asked::default()) {
        Ok(compiled) => {
            assert_right(session, &compiled);
            let model = &compiled.model;
            let summary = summary(model);
            format!(
                "compiled for {inputs}: {} layers, heads per layer {:?}, d_model {}, d_mlp {:?}, \
                 {} parameters, {} nonzero\n",
                summary.layers,
                summary.heads,
                summary.d_model,
                summary.d_mlp,
                model.parameters(),
                model.nonzero()
            )
        }
        Err(refusal) => {
            let labels: Vec<&str> = refusal
                .labels
                .iter()
                .map(|label| label.text.as_str())
                .collect();
            format!(
                "refused for {inputs}: {} {}: {}\n",
                refusal.code,
                refusal.message,
                labels.join("; ")
            )
        }
    }
}
