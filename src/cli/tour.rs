//! `rasp tour`: one program through the whole pipeline, for newcomers: read it, interpret it,
//! schedule it, compile it, run the weights, and hold both against each other.

use super::arguments::{Diagnostics, SOp};
use super::input::{Input, OneInput, read};
use super::limits::session;
use super::output::{Output, Stop};
use super::progress;
use crate::base::table::indented;
use crate::base::{Code, Diagnostic, Fallible};
use crate::eval::{Event, Loaded};
use crate::execute::{self, Precision};
use crate::graph::{SOpId, Sharing};
use crate::model;
use crate::session::{Asked, Session, VerifyOptions};
use crate::value::sequence::display;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(mut_arg("expr", |arg| arg.help(STATED).required(false)))]
pub struct Tour {
    /// A program; without one, an example that sorts
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub sop: Option<SOp>,
    #[command(flatten)]
    pub input: OneInput,
    /// Show every line of a long table, also those that are like others
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub diagnostics: Diagnostics,
}

/// What the tour takes with `-e`.
const STATED: &str = "The s-op; without it, the last one that the program states";

/// The tour's own program.
const SORT: &str = include_str!("../../examples/sort.rasp");

/// The longest input of the tour, where the program does not say.
const MAX_LENGTH: usize = 10;

pub fn tour(output: &mut Output, arguments: &Tour) -> Result<(), Stop> {
    let mut session = session(Sharing::Equal);
    let program = output.expect(program(arguments), session.sources())?;
    let control = session.control().clone();
    let load = || session.load(&program);
    let events = progress::shown(output, &control, "running the program", load)?;
    let found = session.take_diagnostics();
    output.report_all(&found, session.sources())?;
    let subject = subject(&mut session, arguments, &events);
    let (name, sop) = output.expect(subject, session.sources())?;
    let given = output.expect(arguments.input.given(), session.sources())?;
    let input = given.unwrap_or_else(|| Input::example(&session.settings.example));
    output.line(&format!("# The program: {}\n", program.name))?;
    output.text(&indented(program.text.trim_end(), 4))?;
    let evaluate = || session.evaluate(sop, &input.tokens);
    let result = progress::shown(output, &control, "interpreting", evaluate)?;
    let result = output.expect(result, session.sources())?;
    output.line("\n# Interpreted\n")?;
    output.line(&format!("    {} = {result}", input.applied(&name)))?;
    run_weights(output, &session, &name, sop, (&input, arguments.all))
}

/// Compiles the s-op, runs the weights, and compares.
fn run_weights(
    output: &mut Output,
    session: &Session,
    name: &str,
    sop: SOpId,
    (input, all): (&Input, bool),
) -> Result<(), Stop> {
    let compile = || session.compile_sops(&[(sop, name)], &asked(session, input));
    let compiled = progress::shown(output, session.control(), "compiling", compile)?;
    let compiled = output.expect(compiled, session.sources())?;
    let (model, setting) = (&compiled.model, &compiled.setting);
    output.line("\n# Scheduled: the layers and heads it takes\n")?;
    output.folded(&indented(&compiled.plan.table(), 4), all)?;
    let tokens: Vec<String> = setting
        .vocabulary
        .iter()
        .map(|token| token.source())
        .collect();
    output.line(&format!(
        "\n# Compiled for the tokens {} and up to {} of them\n",
        tokens.join(" "),
        setting.max_length
    ))?;
    output.folded(&indented(&model::summary(model).to_string(), 4), all)?;
    output.line("\n# Run as a transformer\n")?;
    let values = execute::run(model, &input.tokens, Precision::F32);
    let values = output.expect(values, session.sources())?;
    output.line(&format!(
        "    {} = {}",
        input.applied(name),
        display(&values)
    ))?;
    let options = VerifyOptions {
        exhaustive: 2_000,
        samples: 500,
        ..VerifyOptions::default()
    };
    let verify = || session.verify(&compiled, &options);
    let found = progress::shown(output, session.control(), "comparing on inputs", verify)?;
    let found = output.expect(found, session.sources())?;
    output.line("\n# Interpreter and transformer compared\n")?;
    output.line(&format!(
        "    {} inputs: every one up to length {}, and random ones up to length {}\n    {} differ",
        found.checked, found.exhaustive_to_length, found.max_length, found.wrong
    ))?;
    if found.wrong > 0 {
        output.fail();
    }
    Ok(())
}

fn program(arguments: &Tour) -> Fallible<Loaded> {
    match &arguments.file {
        Some(path) => read(path),
        None => Ok(Loaded {
            identity: "examples/sort.rasp".to_string(),
            name: "examples/sort.rasp".to_string(),
            text: SORT.to_string(),
        }),
    }
}

/// The s-op to show: that of `-e`, or the last one that the program states.
fn subject(
    session: &mut Session,
    arguments: &Tour,
    events: &[Event],
) -> Result<(String, SOpId), Box<Diagnostic>> {
    if let Some(SOp { expr: expression }) = &arguments.sop {
        return Ok((expression.clone(), session.sop(expression)?));
    }
    let stated = events.iter().rev().find_map(|event| {
        let Event::Expression { meta, span, .. } = event else {
            return None;
        };
        Some((session.sources().text(*span).to_string(), meta.as_sop()?))
    });
    stated.ok_or_else(|| {
        Diagnostic::error(Code::BadRequest, "the program states no s-op to show")
            .help("say which with `-e NAME`, or end the program with `NAME;`")
            .into()
    })
}

/// The program's own settings, or else the tokens of the input.
fn asked(session: &Session, input: &Input) -> Asked {
    let mut tokens = session.settings.vocabulary.clone().unwrap_or_default();
    tokens.extend_from_slice(&input.tokens);
    let max_length = session
        .settings
        .max_length
        .unwrap_or(MAX_LENGTH)
        .max(input.tokens.len());
    Asked {
        vocabulary: Some(tokens),
        max_length: Some(max_length),
        ..Asked::default()
    }
}
