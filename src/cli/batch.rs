//! `rasp run --batch`: many inputs from a file or a pipe, one JSON value a line. Results are
//! streamed in the order of the inputs; an error in one of them is that one's result.

use super::arguments::Run;
use super::input::{json_input, value_json};
use super::output::{Output, Stop, diagnostic_json};
use crate::base::{Code, Diagnostic, Sources, Span};
use crate::graph::{Graph, SOpId};
use crate::interpret;
use crate::session::Session;
use crate::value::Value;
use indicatif::{ProgressBar, ProgressStyle};
#[cfg(feature = "parallel")]
use rayon::prelude::*;
use serde_json::{Value as Json, json};
use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::Path;

/// Inputs that are worked on together at most, and their bytes; the results of one such batch are
/// held in memory.
const TOGETHER: usize = 1024;
const TOGETHER_BYTES: usize = 4 << 20;

/// The s-ops to evaluate, with their texts.
struct Wanted {
    texts: Vec<String>,
    sops: Vec<SOpId>,
    spans: Vec<Span>,
}

/// A result: the finished line, or an error with the input it belongs to.
type Answer = Result<String, (Json, Box<Diagnostic>)>;

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
        let (mut together, mut bytes) = (Vec::with_capacity(TOGETHER), 0);
        while together.len() < TOGETHER && bytes < TOGETHER_BYTES {
            let Some(text) = lines.next() else { break };
            let text = text.map_err(|error| unreadable(path, &error));
            let text = output.expect(text, &Sources::new())?;
            bytes += text.len() + 1;
            if !text.trim().is_empty() {
                together.push(text);
            }
        }
        if bytes == 0 {
            bar.finish_and_clear();
            return Ok(());
        }
        bar.inc(bytes as u64);
        let graph = session.graph();
        #[cfg(feature = "parallel")]
        let texts = together.par_iter();
        #[cfg(not(feature = "parallel"))]
        let texts = together.iter();
        let answers: Vec<Vec<Answer>> = texts
            .map(|text| answer(graph, &wanted, arguments.json, text))
            .collect();
        write(output, session, &wanted, arguments.json, answers)?;
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
        let found = session.sop_at(text);
        let (sop, span) = output.expect(found, session.sources())?;
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
    Diagnostic::error(Code::FileNotFound, message)
        .help("give a file with one JSON value a line, or `-` for standard input")
        .into()
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

fn line(text: &str) -> Result<(Json, Vec<Value>), (Json, Box<Diagnostic>)> {
    match serde_json::from_str::<Json>(text) {
        Ok(json) => match json_input(&json) {
            Some(tokens) => Ok((json, tokens)),
            None => {
                let reason = "a line is a JSON string or array of tokens";
                Err((json, not_an_input(reason)))
            }
        },
        Err(error) => Err((
            Json::from(text),
            not_an_input(&format!("not JSON: {error}")),
        )),
    }
}

fn not_an_input(reason: &str) -> Box<Diagnostic> {
    Diagnostic::error(Code::BadInput, reason)
        .help(r#"like "abc" or ["a", "b", 3]"#)
        .into()
}

/// The results of one line, one for each s-op.
fn answer(graph: &Graph, wanted: &Wanted, json: bool, text: &str) -> Vec<Answer> {
    let (given, tokens) = match line(text) {
        Ok(input) => input,
        Err(error) => return wanted.sops.iter().map(|_| Err(error.clone())).collect(),
    };
    let on_sop = |(text, sop): (&String, &SOpId)| {
        let sequence =
            interpret::evaluate(graph, *sop, &tokens).map_err(|error| (given.clone(), error))?;
        if !json {
            return Ok(format!("{text}({given}) = {sequence}"));
        }
        let values: Vec<Json> = sequence.values.iter().map(value_json).collect();
        let kind = sequence.sequence_type.name();
        Ok(json!({"expr": text, "input": given, "output": values, "type": kind}).to_string())
    };
    wanted.texts.iter().zip(&wanted.sops).map(on_sop).collect()
}

fn write(
    output: &mut Output,
    session: &Session,
    wanted: &Wanted,
    json: bool,
    answers: Vec<Vec<Answer>>,
) -> Result<(), Stop> {
    for row in answers {
        for (index, answer) in row.into_iter().enumerate() {
            let (given, error) = match answer {
                Ok(line) => {
                    output.line(&line)?;
                    continue;
                }
                Err(failed) => failed,
            };
            let error = session.explained(*error, wanted.sops[index]);
            let error = error.or_at(wanted.spans[index], "evaluated here");
            if json {
                output.fail();
                let error = diagnostic_json(&error, session.sources());
                let text = &wanted.texts[index];
                output.json(&json!({"expr": text, "input": given, "error": error}))?;
            } else {
                output.report(&error, session.sources());
            }
        }
    }
    output.flush()
}
