//! `rasp run`: interprets s-ops of a program on inputs.

use super::arguments::Run;
use super::batch::batch;
use super::input::{Input, inputs, open};
use super::json::{Told, Values, Written};
use super::output::{Output, Stop, diagnostic_json};
use super::progress;
use crate::base::render::Style;
use crate::base::{Code, Diagnostic, Fallible, Sources, Span};
use crate::eval::{Event, Meta};
use crate::graph::Sharing;
use crate::interpret::{self, Sequence};
use crate::session::show::Display;
use crate::session::{Session, show};
use crate::value::Value;
use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};

/// Something to evaluate: its text and what it means, or why it means nothing; and the statement, where
/// it asks for a drawing.
type Request<'e> = (String, Fallible<(Meta, Span)>, Option<&'e Event>);

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
                        Some(event) if !arguments.json => draw(output, &session, event, input)?,
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

/// What a `draw` statement shows; `input` is its own, if it has one.
fn draw(output: &mut Output, session: &Session, event: &Event, input: &Input) -> Result<(), Stop> {
    let display = Display {
        sop_example: input.tokens.clone(),
        selector_example: input.tokens.clone(),
        sop_examples: true,
        selector_examples: true,
        full: false,
        color: output.results() == Style::Terminal,
    };
    let shown = interpreted(output, session, || session.show(event, &display))?;
    let shown = output.expect(shown, session.sources())?;
    output.text(&shown)
}

/// What an expression is on an input.
enum Found<'m> {
    Sequence(Sequence),
    Rows(Vec<Vec<bool>>),
    Scores(Vec<Vec<Value>>),
    /// What exists without an input, and is shown once, not for each.
    Constant(&'m Meta),
}

impl Found<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Found::Sequence(sequence) => sequence.sequence_type.name(),
            Found::Rows(_) => "selector",
            Found::Scores(_) => "scorer",
            Found::Constant(_) => "value",
        }
    }
}

impl Serialize for Found<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Found::Sequence(sequence) => Values(&sequence.values).serialize(serializer),
            Found::Rows(rows) => rows.serialize(serializer),
            Found::Scores(rows) => serializer.collect_seq(rows.iter().map(|row| Values(row))),
            Found::Constant(meta) => Written(meta).serialize(serializer),
        }
    }
}

fn evaluate(
    output: &mut Output,
    session: &Session,
    json: bool,
    text: &str,
    (meta, span): &(Meta, Span),
    input: &Input,
) -> Result<(), Stop> {
    let found = interpreted(output, session, || {
        found(session, json, meta, &input.tokens)
    })?;
    match found.map_err(|error| error.within(*span, "evaluated here")) {
        Ok(found) if json => output.json(&Told {
            expr: text,
            input: &input.given,
            output: &found,
            kind: found.kind(),
        }),
        Ok(Found::Constant(meta)) => output.line(&format!("{text} = {}", shown(meta))),
        Ok(Found::Sequence(sequence)) => {
            output.line(&format!("{} = {sequence}", input.applied(text)))
        }
        Ok(Found::Rows(rows)) => {
            output.line(&format!("{} = ", input.applied(text)))?;
            output.line(&show::matrix(&input.tokens, &rows))
        }
        Ok(Found::Scores(rows)) => {
            output.line(&format!("{} = ", input.applied(text)))?;
            output.line(&show::scores(&input.tokens, &rows))
        }
        Err(diagnostic) if json => failure(output, text, input, &diagnostic, session.sources()),
        Err(diagnostic) => {
            output.report(&diagnostic, session.sources());
            Ok(())
        }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "others are constant")]
fn found<'m>(
    session: &Session,
    json: bool,
    meta: &'m Meta,
    tokens: &[Value],
) -> Fallible<Found<'m>> {
    let (graph, limits) = (session.graph(), session.limits());
    match meta {
        Meta::SOp(id) => session.evaluate(*id, tokens).map(Found::Sequence),
        Meta::Selector(id) => {
            interpret::evaluate_selector(graph, *id, tokens, limits).map(Found::Rows)
        }
        Meta::Scorer(id) => {
            interpret::evaluate_scorer(graph, *id, tokens, limits).map(Found::Scores)
        }
        // A list that holds another twice is short, and long when it is written out.
        other if json && other.written() > limits.collection_length as u64 => {
            let message = format!(
                "the limit `collection_length` of {} elements in a list is reached: written out, \
                 this has {}",
                limits.collection_length,
                other.written()
            );
            let error = Diagnostic::error(Code::LimitReached, message);
            Err(Box::new(
                error.help("name a part of it, like its first element"),
            ))
        }
        other => Ok(Found::Constant(other)),
    }
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
    let expressions: Vec<Json> = match arguments.wanted.expr.as_slice() {
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
