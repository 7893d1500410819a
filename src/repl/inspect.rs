//! `:schedule`, `:draw`, `:facts`, `:compile` and `:trace`: an s-op of the session on its way to a
//! transformer. Models are made for the session's `set vocab` and `set max_length`, or else for
//! the tokens and the length of the running example, and live no longer than the answer.

use super::Repl;
use super::command::refuse;
use crate::base::Fallible;
use crate::base::table;
use crate::eval::Meta;
use crate::execute::{self, Executor, Precision};
use crate::graph::SOpId;
use crate::infer::{Domain, NodeFacts, Setting};
use crate::interpret::{evaluate_scorer, evaluate_selector};
use crate::model::{self, Model, cell};
use crate::session::show::{example, matrix, scores};
use crate::session::{Asked, Session, VerifyOptions};
use crate::value::Value;
use crate::value::sequence::{display_sequence, display_values, sequence_type};

/// Values of a domain that are shown.
const SHOWN_VALUES: usize = 12;

/// All inputs of a length are tried while those up to it are at most this many: a person waits.
const EXHAUSTIVE: usize = 2_000;

/// Random inputs beyond those.
const SAMPLES: usize = 200;

pub(super) fn schedule(repl: &mut Repl, argument: &str) {
    inspect(repl, ":schedule", argument, |session, sop, _| {
        let table = session.schedule(sop).table(session.graph());
        Ok(format!(
            "{table}the program's graph alone: `:compile` shows its model\n"
        ))
    });
}

pub(super) fn draw(repl: &mut Repl, argument: &str) {
    if pattern(repl, argument) {
        return;
    }
    inspect(repl, ":draw", argument, |session, sop, name| {
        Ok(session.schedule(sop).draw(session.graph(), name))
    });
}

pub(super) fn facts(repl: &mut Repl, argument: &str) {
    inspect(repl, ":facts", argument, facts_text);
}

pub(super) fn compile(repl: &mut Repl, argument: &str) {
    inspect(repl, ":compile", argument, compile_text);
}

pub(super) fn trace(repl: &mut Repl, argument: &str) {
    if pattern(repl, argument) {
        return;
    }
    inspect(repl, ":trace", argument, trace_text);
}

/// Shows what a selector selects on the running example, or how a scorer scores, if the argument is
/// one.
fn pattern(repl: &mut Repl, argument: &str) -> bool {
    let found = repl.session.expression(argument);
    let (session, input) = (&repl.session, &repl.display.selector_example);
    let (graph, limits) = (session.graph(), session.limits());
    let shown = match found {
        Ok(Meta::Selector(id)) => {
            evaluate_selector(graph, id, input, limits).map(|rows| matrix(input, &rows))
        }
        Ok(Meta::Scorer(id)) => {
            evaluate_scorer(graph, id, input, limits).map(|rows| scores(input, &rows))
        }
        _ => return false,
    };
    match shown {
        Ok(text) => repl.say(text),
        Err(error) => repl.report(vec![*error]),
    }
    true
}

/// Answers what is asked about the s-op that the argument names.
fn inspect(
    repl: &mut Repl,
    command: &str,
    argument: &str,
    answer: fn(&Session, SOpId, &str) -> Fallible<String>,
) {
    if argument.is_empty() {
        return refuse(
            repl,
            &format!("`{command}` needs an s-op, like `{command} length`"),
        );
    }
    let found = repl.session.sop(argument);
    match found.and_then(|sop| answer(&repl.session, sop, argument)) {
        Ok(text) => repl.say(text),
        Err(error) => repl.report(vec![*error]),
    }
}

/// What models are made for: as the session says, or else for inputs like the running example.
fn asked(session: &Session) -> Asked {
    Asked {
        otherwise: Some(session.settings.example.clone()),
        ..Asked::default()
    }
}

fn described(setting: &Setting) -> String {
    let tokens: Vec<String> = setting.vocabulary.iter().map(cell::value).collect();
    let causal = if setting.causal {
        ", looking backwards only"
    } else {
        ""
    };
    format!(
        "for inputs of up to {} of the tokens {}{causal}\n",
        setting.max_length,
        tokens.join(" ")
    )
}

/// A row for the s-op, below one for each named s-op that it needs.
fn facts_text(session: &Session, sop: SOpId, name: &str) -> Fallible<String> {
    let setting = session.setting(&asked(session))?;
    let graph = session.graph();
    let facts = session.facts(&[sop], &setting)?;
    let titles = ["name", "type", "depth", "encoding", "values"];
    let mut rows = vec![titles.map(str::to_string).to_vec()];
    for node in &facts.nodes {
        let known = match (node.id == sop, graph.name(node.id)) {
            (true, _) => name,
            (false, Some(name)) => name,
            (false, None) => continue,
        };
        rows.push(vec![
            cell::label(known),
            graph.types(node.id).to_string(),
            node.depth.to_string(),
            format!("{:?}", node.encoding).to_lowercase(),
            values(node),
        ]);
    }
    Ok(described(&setting) + &table::aligned(&rows, usize::MAX))
}

fn values(node: &NodeFacts) -> String {
    match &node.domain {
        Domain::Finite(values) if values.is_empty() => "none: it fails on every input".to_string(),
        Domain::Finite(values) => {
            let shown = values.iter().take(SHOWN_VALUES).map(Value::source);
            let mut text = shown.collect::<Vec<_>>().join(" ");
            if values.len() > SHOWN_VALUES {
                text.push_str(&format!(" … ({} values)", values.len()));
            }
            text
        }
        Domain::Unknown { reason, .. } => reason.clone(),
    }
}

fn compile_text(session: &Session, sop: SOpId, name: &str) -> Fallible<String> {
    let compiled = session.compile_sops(&[(sop, name)], &asked(session))?;
    let model = &compiled.model;
    let options = VerifyOptions {
        exhaustive: EXHAUSTIVE,
        samples: SAMPLES,
        ..VerifyOptions::default()
    };
    let found = session.verify(&compiled, &options)?;
    let mut text = described(&compiled.setting);
    text.push_str(&model::summary(model).to_string());
    text.push_str(&format!(
        "\nweights and interpreter differ on {} of {} inputs: all up to length {}",
        found.wrong, found.checked, found.exhaustive_to_length
    ));
    if found.exhaustive_to_length < model.max_length {
        text.push_str(&format!(", random ones up to length {}", model.max_length));
    }
    text.push('\n');
    text.push_str(&on_example(session, sop, model));
    Ok(text)
}

/// What the weights give on the running example, beside what the interpreter gives.
fn on_example(session: &Session, sop: SOpId, model: &Model) -> String {
    let input = &session.settings.example;
    let call = format!("{}({})", cell::label(&model.name), example(input));
    let got = match Executor::new(model, Precision::F32).run(input) {
        Ok(got) => got,
        // The example need not be an input of the session's vocabulary and length.
        Err(error) => return format!("{call} cannot be run: {error}\n"),
    };
    let shown = match sequence_type(&got) {
        Ok(kind) => display_sequence(&got, kind),
        Err(_) => display_values(&got),
    };
    let verdict = match session.evaluate(sop, input) {
        Ok(expected) if same(&expected.values, &got) => "as interpreted".to_string(),
        Ok(expected) => format!("but interpreted {expected}"),
        Err(error) => format!("but interpreted it fails: {error}"),
    };
    format!("{call} = {shown}, {verdict}\n")
}

fn same(expected: &[Value], got: &[Value]) -> bool {
    let mut pairs = expected.iter().zip(got);
    expected.len() == got.len() && pairs.all(|(expected, got)| expected.equals(got))
}

fn trace_text(session: &Session, sop: SOpId, name: &str) -> Fallible<String> {
    let compiled = session.compile_sops(&[(sop, name)], &asked(session))?;
    let example = &session.settings.example;
    let trace = execute::trace(&compiled.model, example, Precision::F32)?;
    Ok(described(&compiled.setting) + &trace.to_string())
}
