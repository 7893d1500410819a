//! `rasp run`: interprets s-ops of a program on inputs.

use super::arguments::Run;
use super::batch::batch;
use super::input::{Input, inputs, open};
use super::json::{Given, Told, Written};
use super::output::{Output, Stop, diagnostic_json};
use super::progress;
use crate::base::render::Style;
use crate::base::{Code, Diagnostic, Fallible, Limits, Sources, Span};
use crate::eval::{Event, Meta};
use crate::graph::Sharing;
use crate::interpret;
use crate::session::show::Display;
use crate::session::{Session, show};
use serde_json::{Value as Json, json};

/// Something to evaluate: its text and what it means, or why it means nothing; and the statement, where
/// it asks for a drawing.
type Request<'e> = (String, Fallible<(Meta, Span)>, Option<&'e Event>);

pub fn run(output: &mut Output, arguments: &Run) -> Result<(), Stop> {
    let given = inputs(&arguments.inputs);
    let given = output.expect(given, &Sources::new())?;
    let opened = open(output, &arguments.program, Sharing::Equal);
    if let (Err(Stop::Reported), true) = (&opened, arguments.json)
        && let Some((first, sources)) = output.take_first()
    {
        report_unreadable(output, arguments, &given, &first, &sources)?;
    }
    let (mut session, events) = opened?;
    if let Some(path) = &arguments.batch {
        return batch(output, &mut session, arguments, path);
    }
    let inputs = if given.is_empty() {
        vec![Input::example(&session.settings.example)]
    } else {
        given
    };
    let requests = requests(&mut session, &arguments.wanted.expr, &events);
    if requests.is_empty() && !arguments.json {
        // Not an error: a program of definitions and assertions may be run for these.
        output.note("the program states nothing to show; name an s-op with `-e NAME`");
    }
    for (text, meta, drawn) in requests {
        let own = match drawn {
            Some(Event::Draw { input, .. }) => input.as_deref().map(Input::example),
            _ => None,
        };
        let inputs = own.as_ref().map_or(&inputs[..], std::slice::from_ref);
        match meta {
            Ok(meta) => {
                for input in inputs {
                    match drawn {
                        Some(_) if !arguments.json => draw(output, &session, &meta, input)?,
                        _ => evaluate(output, &session, arguments.json, &text, &meta, input)?,
                    }
                    if arguments.explain_cost {
                        explain_cost(output, &session, &meta.0, input)?;
                    }
                }
            }
            Err(diagnostic) if arguments.json => {
                for input in inputs {
                    failure(output, &text, input, &diagnostic, session.sources())?;
                }
            }
            Err(diagnostic) => output.report(&diagnostic, session.sources()),
        }
    }
    Ok(())
}

/// The expressions of the command line, or else the expression statements of the program.
#[expect(clippy::wildcard_enum_match_arm, reason = "others are not shown")]
fn requests<'e>(
    session: &mut Session,
    expressions: &[String],
    events: &'e [Event],
) -> Vec<Request<'e>> {
    if !expressions.is_empty() {
        return expressions
            .iter()
            .map(|text| (text.clone(), session.expression_at(text), None))
            .collect();
    }
    let shown = |event: &'e Event| match event {
        Event::Expression { meta, span, .. } | Event::Draw { meta, span, .. } => Some((
            session.sources().text(*span).to_string(),
            Ok((meta.clone(), *span)),
            matches!(event, Event::Draw { .. }).then_some(event),
        )),
        _ => None,
    };
    events.iter().filter_map(shown).collect()
}

/// What a `draw` statement shows on an input.
fn draw(
    output: &mut Output,
    session: &Session,
    (meta, span): &(Meta, Span),
    input: &Input,
) -> Result<(), Stop> {
    let event = Event::Draw {
        meta: meta.clone(),
        input: Some(input.tokens.clone()),
        span: *span,
    };
    let display = Display {
        color: output.results() == Style::Terminal,
        ..Display::default()
    };
    let shown = interpreted(output, session, || session.show(&event, &display))?;
    let shown = output.expect(shown, session.sources())?;
    output.text(&shown)
}

fn evaluate(
    output: &mut Output,
    session: &Session,
    json: bool,
    text: &str,
    (meta, span): &(Meta, Span),
    input: &Input,
) -> Result<(), Stop> {
    let failed = |output: &mut Output, error: Box<Diagnostic>| {
        let error = error.within(*span, "evaluated here");
        match json {
            true => failure(output, text, input, &error, session.sources()),
            false => {
                output.report(&error, session.sources());
                Ok(())
            }
        }
    };
    let given = interpreted(output, session, || session.apply(meta, &input.tokens))?;
    let Some(given) = given else {
        return match constant(session.limits(), json, meta) {
            Ok(()) if json => output.json(&Told {
                expr: text,
                input,
                output: &Written(meta),
                kind: "value",
            }),
            Ok(()) => output.line(&format!("{text} = {}", shown(meta))),
            Err(error) => failed(output, error),
        };
    };
    match given {
        Ok(given) if json => output.json(&Told {
            expr: text,
            input,
            output: &Given(&given),
            kind: given.kind(),
        }),
        Ok(given) => {
            let applied = input.applied(text);
            output.line(&format!("{applied} = {}", show::application(&given)))
        }
        Err(error) => failed(output, error),
    }
}

/// # Errors
/// What exists without an input is too long to be written out: a list that holds another twice is
/// short, and long then.
fn constant(limits: &Limits, json: bool, meta: &Meta) -> Fallible<()> {
    if !json || meta.written() <= limits.collection_length as u64 {
        return Ok(());
    }
    let message = format!(
        "the limit `collection_length` of {} elements in a list is reached: written out, this has {}",
        limits.collection_length,
        meta.written()
    );
    let error = Diagnostic::error(Code::LimitReached, message);
    Err(Box::new(
        error.help("name a part of it, like its first element"),
    ))
}

#[expect(clippy::wildcard_enum_match_arm, reason = "others are as written")]
fn shown(meta: &Meta) -> String {
    match meta {
        Meta::Application(result) => show::application(result),
        other => other.repr(),
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
        if let Some(fault) = &explanation.fault {
            let error = Diagnostic::from(&fault.cause);
            output.line(&format!("    fails: {}", error.message))?;
        }
    }
    Ok(())
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
        "expr": text, "input": input, "error": diagnostic_json(diagnostic, sources),
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
    let expressions: Vec<Json> = match arguments.wanted.expr.as_slice() {
        [] => vec![Json::Null],
        several => several.iter().map(|text| json!(text)).collect(),
    };
    let inputs: Vec<Json> = match inputs {
        [] => vec![Json::Null],
        several => several.iter().map(|input| json!(input)).collect(),
    };
    for expression in &expressions {
        for input in &inputs {
            output.json(&json!({"expr": expression, "input": input, "error": error}))?;
        }
    }
    Ok(())
}
