//! `rasp run`: interprets s-ops of a program on inputs.

use super::arguments::Run;
use super::batch::batch;
use super::input::{Input, inputs, open, value_json};
use super::output::{Output, Stop, diagnostic_json};
use super::progress;
use crate::base::{Diagnostic, Fallible, Sources, Span};
use crate::eval::{Event, Meta};
use crate::graph::Sharing;
use crate::interpret;
use crate::session::{Session, show};
use serde_json::{Value as Json, json};

/// Something to evaluate: its text and what it means, or why it means nothing.
type Request = (String, Fallible<(Meta, Span)>);

pub fn run(output: &mut Output, arguments: &Run) -> Result<(), Stop> {
    let given = inputs(&arguments.inputs);
    let given = output.expect(given, &Sources::new())?;
    let (mut session, events) = match open(output, &arguments.program, Sharing::Equal) {
        Ok(opened) => opened,
        Err(unreadable) => {
            if let (true, Some(first)) = (arguments.json, &unreadable.first) {
                report_unreadable(output, arguments, &given, &first.0, &first.1)?;
            }
            return Err(unreadable.stop);
        }
    };
    if let Some(path) = &arguments.batch {
        return batch(output, &mut session, arguments, path);
    }
    let inputs = if given.is_empty() {
        vec![Input::example(&session.settings.example)]
    } else {
        given
    };
    let requests = requests(&mut session, &arguments.expr, &events);
    if requests.is_empty() && !arguments.json {
        // Not an error: a program of definitions and assertions may be run for these.
        output.note("the program states nothing to show; name an s-op with `-e NAME`");
    }
    for (text, meta) in requests {
        match meta {
            Ok(meta) => {
                for input in &inputs {
                    evaluate(output, &session, arguments.json, &text, &meta, input)?;
                    if arguments.explain_cost {
                        explain_cost(output, &session, &meta.0, input)?;
                    }
                }
            }
            Err(diagnostic) if arguments.json => {
                for input in &inputs {
                    failure(output, &text, input, &diagnostic, session.sources())?;
                }
            }
            Err(diagnostic) => output.report(&diagnostic, session.sources()),
        }
    }
    Ok(())
}

/// The expressions of the command line, or else the expression statements of the program.
fn requests(session: &mut Session, expressions: &[String], events: &[Event]) -> Vec<Request> {
    if !expressions.is_empty() {
        return expressions
            .iter()
            .map(|text| (text.clone(), session.expression_at(text)))
            .collect();
    }
    let shown = |event: &Event| match event {
        Event::Expression { meta, span, .. } | Event::Draw { meta, span, .. } => Some((
            session.sources().text(*span).to_string(),
            Ok((meta.clone(), *span)),
        )),
        _ => None,
    };
    events.iter().filter_map(shown).collect()
}

fn evaluate(
    output: &mut Output,
    session: &Session,
    json: bool,
    text: &str,
    (meta, span): &(Meta, Span),
    input: &Input,
) -> Result<(), Stop> {
    let result = match meta {
        Meta::SOp(id) => interpreted(output, session, || session.evaluate(*id, &input.tokens))?
            .map(|sequence| {
                let values: Vec<Json> = sequence.values.iter().map(value_json).collect();
                (
                    sequence.to_string(),
                    json!(values),
                    sequence.sequence_type.name(),
                )
            }),
        Meta::Selector(id) => interpreted(output, session, || {
            interpret::evaluate_selector(session.graph(), *id, &input.tokens)
        })?
        .map(|rows| {
            (
                format!("\n{}", show::matrix(&input.tokens, &rows)),
                json!(rows),
                "selector",
            )
        }),
        // What exists without an input is shown once, not for each input.
        other => Ok((other_text(other), other_json(other), "value")),
    };
    match result.map_err(|error| error.within(*span, "evaluated here")) {
        Ok((_, value, kind)) if json => output.json(&json!({
            "expr": text, "input": input.given, "output": value, "type": kind,
        })),
        Ok((shown, _, "value")) => output.line(&format!("{text} = {shown}")),
        Ok((shown, _, _)) => output.line(&format!("{} = {shown}", input.applied(text))),
        Err(diagnostic) if json => failure(output, text, input, &diagnostic, session.sources()),
        Err(diagnostic) => {
            output.report(&diagnostic, session.sources());
            Ok(())
        }
    }
}

/// Does what an input asks of the interpreter.
fn interpreted<T>(
    output: &mut Output,
    session: &Session,
    work: impl FnOnce() -> T,
) -> Result<T, Stop> {
    progress::shown(output, session.control(), "interpreting", work)
}

/// For each aggregate and width that the s-op needs: how it was computed.
fn explain_cost(
    output: &mut Output,
    session: &Session,
    meta: &Meta,
    input: &Input,
) -> Result<(), Stop> {
    let Meta::SOp(sop) = meta else {
        return Ok(());
    };
    let Ok(explanations) = interpret::explain(session.graph(), *sop, &input.tokens) else {
        return Ok(());
    };
    for explanation in explanations {
        let name = session.graph().describe(explanation.sop);
        output.line(&format!("  {name}: {}", explanation.cost))?;
        for step in &explanation.steps {
            output.line(&format!("    {step}"))?;
        }
    }
    Ok(())
}

fn other_text(meta: &Meta) -> String {
    match meta {
        Meta::Application(result) => show::application(result),
        other => other.repr(),
    }
}

fn other_json(meta: &Meta) -> Json {
    match meta {
        Meta::Atom(value) => value_json(value),
        Meta::List(items) => Json::Array(items.iter().map(other_json).collect()),
        Meta::Application(result) => match &**result {
            crate::eval::Application::Sequence { output, .. } => {
                Json::Array(output.values.iter().map(value_json).collect())
            }
            crate::eval::Application::Matrix { rows, .. } => json!(rows),
        },
        other => Json::String(other.repr()),
    }
}

fn failure(
    output: &mut Output,
    text: &str,
    input: &Input,
    diagnostic: &Diagnostic,
    sources: &Sources,
) -> Result<(), Stop> {
    output.fail();
    output.json(&json!({
        "expr": text, "input": input.given, "error": diagnostic_json(diagnostic, sources),
    }))
}

/// For tools: every result asked for is the error that kept the program from being run.
fn report_unreadable(
    output: &mut Output,
    arguments: &Run,
    inputs: &[Input],
    diagnostic: &Diagnostic,
    sources: &Sources,
) -> Result<(), Stop> {
    let error = diagnostic_json(diagnostic, sources);
    let expressions: Vec<Json> = match arguments.expr.as_slice() {
        [] => vec![Json::Null],
        several => several
            .iter()
            .map(|text| Json::from(text.as_str()))
            .collect(),
    };
    let inputs: Vec<Json> = match inputs {
        [] => vec![Json::Null],
        several => several.iter().map(|input| input.given.clone()).collect(),
    };
    for expression in &expressions {
        for input in &inputs {
            output.json(&json!({"expr": expression, "input": input, "error": error}))?;
        }
    }
    Ok(())
}
