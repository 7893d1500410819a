//! `rasp run --batch`: many inputs from a file or a pipe, one JSON value a line. Results are
//! streamed in the order of the inputs; an error in one of them is that one's result.

use super::arguments::Run;
use super::input::{json_input, value_json};
use super::output::{Output, Stop, error_json};
use crate::base::{Code, Diagnostic, Sources, Span};
use crate::eval::Meta;
use crate::graph::SOpId;
use crate::session::Session;
use crate::value::Value;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value as Json, json};
use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::Path;

/// Inputs that are worked on together; the results of one such batch are held in memory.
const TOGETHER: usize = 1024;

/// The s-ops to evaluate, with their texts.
struct Wanted {
    texts: Vec<String>,
    sops: Vec<SOpId>,
    spans: Vec<Span>,
}

/// An input with the line it was read from, or why that line is no input.
type Line = (Json, Result<Vec<Value>, Box<Diagnostic>>);

pub fn batch(
    output: &mut Output,
    session: &mut Session,
    arguments: &Run,
    path: &Path,
) -> Result<(), Stop> {
    let wanted = wanted(output, session, &arguments.expr)?;
    let reader = output.expect(open(path), &Sources::new())?;
    let bar = progress(path);
    let mut lines = reader.lines();
    loop {
        let mut together: Vec<Line> = Vec::with_capacity(TOGETHER);
        for text in lines.by_ref().take(TOGETHER) {
            let text = output.expect(
                text.map_err(|error| unreadable(path, &error)),
                &Sources::new(),
            )?;
            bar.inc(text.len() as u64 + 1);
            if !text.trim().is_empty() {
                together.push(line(&text));
            }
        }
        if together.is_empty() {
            bar.finish_and_clear();
            return Ok(());
        }
        answer(output, session, &wanted, arguments.json, together)?;
    }
}

fn wanted(
    output: &mut Output,
    session: &mut Session,
    expressions: &[String],
) -> Result<Wanted, Stop> {
    if expressions.is_empty() {
        let message = "a batch needs to know what to evaluate";
        let error = Diagnostic::error(Code::BadInput, message).help("say it with `-e EXPR`");
        output.report(&error, session.sources());
        return Err(Stop::Reported);
    }
    let mut wanted = Wanted {
        texts: expressions.to_vec(),
        sops: Vec::new(),
        spans: Vec::new(),
    };
    for text in expressions {
        let found = session.expression_at(text);
        let (meta, span) = output.expect(found, session.sources())?;
        let Meta::SOp(sop) = meta else {
            let message = format!("an s-op is needed, not {}", meta.kind());
            let error = Diagnostic::error(Code::AtomExpected, message).at(span, "evaluated here");
            output.report(&error, session.sources());
            return Err(Stop::Reported);
        };
        wanted.sops.push(sop);
        wanted.spans.push(span);
    }
    Ok(wanted)
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, Box<Diagnostic>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(BufReader::new(std::io::stdin())));
    }
    match File::open(path) {
        Ok(file) => Ok(Box::new(BufReader::new(file))),
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Box<Diagnostic> {
    let message = format!("{}: {error}", path.display());
    Diagnostic::error(Code::FileNotFound, message).into()
}

/// A bar over the bytes of a file; hidden where nobody looks or the size is not known.
fn progress(path: &Path) -> ProgressBar {
    let size = std::fs::metadata(path).map_or(0, |data| data.len());
    if size == 0 || !std::io::stderr().is_terminal() || std::io::stdout().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {percent}% {eta}");
    ProgressBar::new(size).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn line(text: &str) -> Line {
    match serde_json::from_str::<Json>(text) {
        Ok(json) => {
            let tokens = json_input(&json)
                .ok_or_else(|| not_an_input("a line is a JSON string or array of tokens"));
            (json, tokens)
        }
        Err(error) => (
            Json::from(text),
            Err(not_an_input(&format!("not JSON: {error}"))),
        ),
    }
}

fn not_an_input(reason: &str) -> Box<Diagnostic> {
    Diagnostic::error(Code::BadInput, reason)
        .help(r#"like "abc" or ["a", "b", 3]"#)
        .into()
}

/// Works on the good lines at once and writes the results of all.
fn answer(
    output: &mut Output,
    session: &Session,
    wanted: &Wanted,
    json: bool,
    lines: Vec<Line>,
) -> Result<(), Stop> {
    let good: Vec<Vec<Value>> = lines
        .iter()
        .filter_map(|(_, tokens)| tokens.as_ref().ok().cloned())
        .collect();
    let mut results = session.evaluate_all(&wanted.sops, &good).into_iter();
    for (given, tokens) in lines {
        let row = match tokens {
            Ok(_) => results.next().unwrap_or_default(),
            Err(error) => wanted.sops.iter().map(|_| Err(error.clone())).collect(),
        };
        for ((text, span), result) in wanted.texts.iter().zip(&wanted.spans).zip(row) {
            let result = result.map_err(|error| error.or_at(*span, "evaluated here"));
            match result {
                Ok(sequence) if json => {
                    let values: Vec<Json> = sequence.values.iter().map(value_json).collect();
                    output.json(&json!({
                        "expr": text,
                        "input": given,
                        "output": values,
                        "type": sequence.sequence_type.name(),
                    }))?;
                }
                Ok(sequence) => output.line(&format!("{text}({given}) = {sequence}"))?,
                Err(error) if json => {
                    output.fail();
                    let error = error_json(&error, session.sources());
                    output.json(&json!({"expr": text, "input": given, "error": error}))?;
                }
                Err(error) => output.report(&error, session.sources()),
            }
        }
    }
    output.flush()
}
