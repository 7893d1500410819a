//! Many inputs from a file or a pipe, one JSON value a line, and `rasp run --batch`. Results are
//! streamed in the order of the inputs; an error in one of them is that one's result.

use super::arguments::Run;
use super::input::{Input, json_input};
use super::json::{Given, Told};
use super::output::{Output, Stop, diagnostic_json};
use super::progress;
use crate::base::{
    Code, Control, Diagnostic, Fallible, Limits, Sources, Span, parallel, read, visible,
};
use crate::graph::Graph;
use crate::interpret::Applicable;
use crate::model::cell;
use crate::session::{Session, no_sop, show};
use indicatif::ProgressBar;
use serde_json::{Value as Json, json};
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::path::Path;

/// Inputs that are worked on together at most, and their bytes; the results of one such batch are
/// held in memory.
const TOGETHER: usize = 1024;
const TOGETHER_BYTES: usize = 4 << 20;

/// Bytes of memory that a byte of a line takes at most, in the values of its tokens and of results.
const BYTES_FOR_BYTE: u64 = 64;

/// What to evaluate, and where its text is.
struct Wanted {
    text: String,
    asked: Applicable,
    span: Span,
}

/// A result as it is written, or an error with the input it belongs to.
type Outcome = Result<String, (Json, Box<Diagnostic>)>;

pub fn batch(
    output: &mut Output,
    session: &mut Session,
    arguments: &Run,
    path: &Path,
) -> Result<(), Stop> {
    let wanted = wanted(output, session, &arguments.wanted.expr)?;
    let (control, limits) = (session.control().clone(), session.limits().clone());
    let graph = session.graph();
    let answers = |lines: &[Vec<u8>]| {
        let on_line = |_: &mut (), at: usize| {
            let of = (graph, &limits);
            outcomes(of, &wanted, arguments.json, &lines[at])
        };
        parallel::map((lines.len(), 1), || (), on_line)
    };
    let lines = Lines {
        path,
        control: &control,
        limits: &limits,
        stage: "interpreting",
    };
    lines.each(output, answers, |output, line, row| {
        let of = (&*session, &*wanted, arguments.json);
        write(output, of, line, row)
    })
}

/// A file with an input a line.
pub struct Lines<'a> {
    pub path: &'a Path,
    pub control: &'a Control,
    pub limits: &'a Limits,
    /// What is done with them.
    pub stage: &'static str,
}

impl Lines<'_> {
    /// Answers so many lines together as fit in memory, and writes what that gives for each, with its
    /// number and the line, to the end.
    ///
    /// # Errors
    /// A line that cannot be read or is too long; those of `write`; an interruption.
    pub fn each<T>(
        &self,
        output: &mut Output,
        answers: impl Fn(&[Vec<u8>]) -> Vec<T>,
        mut write: impl FnMut(&mut Output, (usize, &[u8]), T) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let path = self.path;
        let mut reader = output.expect(open(path), &Sources::new())?;
        let bar = bar(path);
        let mut read = 0;
        loop {
            let (mut together, mut bytes) = (Vec::with_capacity(TOGETHER), 0);
            let mut numbers = Vec::with_capacity(TOGETHER);
            while together.len() < TOGETHER && bytes < TOGETHER_BYTES {
                let line = next_line(&mut reader, path, self.limits);
                let line = output.expect(line, &Sources::new())?;
                if line.is_empty() {
                    break;
                }
                bytes += line.len();
                read += 1;
                if !line.trim_ascii().is_empty() {
                    together.push(line);
                    numbers.push(read);
                }
            }
            if bytes == 0 {
                bar.finish_and_clear();
                return Ok(());
            }
            let answers = || {
                // Not before Ctrl-C is answered with words.
                bar.enable_steady_tick(progress::TICK);
                answers(&together)
            };
            let answers = match bar.is_hidden() {
                true => progress::shown(output, self.control, self.stage, answers)?,
                false => progress::stoppable(output, self.control, answers)?,
            };
            let lines = numbers.into_iter().zip(together.iter().map(Vec::as_slice));
            for (line, answer) in lines.zip(answers) {
                write(output, line, answer)?;
            }
            output.flush()?;
            bar.inc(bytes as u64);
        }
    }
}

fn wanted(
    output: &mut Output,
    session: &mut Session,
    expressions: &[String],
) -> Result<Vec<Wanted>, Stop> {
    if expressions.is_empty() {
        let message = "a batch needs to know what to evaluate";
        let error = Diagnostic::error(Code::BadRequest, message).help("say it with `-e EXPR`");
        return Err(output.refuse(&error, session.sources()));
    }
    let wanted = |text: &String| {
        let (meta, span) = session.expression_at(text)?;
        let asked = meta.as_applicable();
        Ok(Wanted {
            text: text.clone(),
            asked: asked.ok_or_else(|| no_sop(text, &meta, span))?,
            span,
        })
    };
    let wanted: Fallible<Vec<Wanted>> = expressions.iter().map(wanted).collect();
    output.expect(wanted, session.sources())
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, Box<Diagnostic>> {
    if path.as_os_str() == "-" {
        let input = read::standard_input().map_err(|error| unreadable(path, &error))?;
        return Ok(Box::new(input));
    }
    match read::open(path) {
        Ok(file) => Ok(Box::new(BufReader::new(file))),
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Box<Diagnostic> {
    let message = format!("{}: {error}", visible::path(path));
    Diagnostic::error(Code::FileNotFound, message)
        .help("give a file with one JSON value a line, or `-` for standard input")
        .into()
}

/// The next line with its end; nothing at the end of all.
///
/// # Errors
/// It cannot be read, or is so long that its values would take more than the limit on memory.
fn next_line(
    reader: &mut impl BufRead,
    path: &Path,
    limits: &Limits,
) -> Result<Vec<u8>, Box<Diagnostic>> {
    let longest = limits.memory_bytes / BYTES_FOR_BYTE;
    let mut line = Vec::new();
    let mut limited = reader.take(longest.saturating_add(1));
    let read = limited.read_until(b'\n', &mut line);
    read.map_err(|error| unreadable(path, &error))?;
    if line.len() as u64 > longest {
        let message = format!(
            "the limit `memory_bytes` of {} bytes is reached: a line of the batch has more than \
             {longest}",
            limits.memory_bytes
        );
        let error = Diagnostic::error(Code::LimitReached, message);
        return Err(error.help("put each input on a line of its own").into());
    }
    Ok(line)
}

/// A bar over the bytes of a file, or their number where its size is not known; hidden where results are
/// looked at.
fn bar(path: &Path) -> ProgressBar {
    if std::io::stdout().is_terminal() {
        return ProgressBar::hidden();
    }
    match std::fs::metadata(path).map_or(0, |data| data.len()) {
        0 => progress::bar(None, "{spinner} {bytes} read"),
        size => progress::bar(Some(size), "{spinner} {bar:40} {percent}% {eta}"),
    }
}

/// The input of a line, or what it is instead and why that is none.
pub fn line(line: &[u8]) -> Result<Input, (Json, Box<Diagnostic>)> {
    let input = match std::str::from_utf8(line) {
        Ok(text) => json_input(text.trim()),
        Err(_) => Err("the line is not UTF-8".to_string()),
    };
    input.map_err(|problem| {
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        let given = serde_json::from_str(text).unwrap_or_else(|_| Json::from(text));
        (given, not_an_input(&problem))
    })
}

fn not_an_input(reason: &str) -> Box<Diagnostic> {
    Diagnostic::error(Code::BadInput, reason)
        .help(r#"a text stands in quotes there, "abc"; tokens are a list, ["a", "b", 3]"#)
        .into()
}

/// The results of one line, one for each that is wanted.
fn outcomes(
    (graph, limits): (&Graph, &Limits),
    wanted: &[Wanted],
    json: bool,
    written: &[u8],
) -> Vec<Outcome> {
    let input = match line(written) {
        Ok(input) => input,
        Err(error) => return wanted.iter().map(|_| Err(error.clone())).collect(),
    };
    let outcome = |Wanted { text, asked, .. }: &Wanted| {
        let given = asked.on(graph, input.tokens.clone(), limits);
        let given = given.map_err(|failed| (json!(input), failed.in_graph(graph).into()))?;
        Ok(match json {
            true => {
                let told = Told {
                    expr: text,
                    input: &input,
                    output: &Given(&given),
                    kind: given.kind(),
                };
                serde_json::to_string(&told).unwrap_or_default()
            }
            false => format!("{} = {}", input.applied(text), show::application(&given)),
        })
    };
    wanted.iter().map(outcome).collect()
}

fn write(
    output: &mut Output,
    (session, wanted, json): (&Session, &[Wanted], bool),
    line: (usize, &[u8]),
    row: Vec<Outcome>,
) -> Result<(), Stop> {
    for (wanted, answer) in wanted.iter().zip(row) {
        let (given, error) = match answer {
            Ok(line) => {
                output.line(&line)?;
                continue;
            }
            Err(failed) => failed,
        };
        let error = session.why_not(wanted.asked, *error);
        // What is no input has not been evaluated.
        let error = match error.code == Code::BadInput {
            true => *error,
            false => error.or_at(wanted.span, "evaluated here"),
        };
        if json {
            output.fail();
            let error = diagnostic_json(&error, session.sources());
            output.json(&json!({"expr": wanted.text, "input": given, "error": error}))?;
        } else {
            output.report(&error.note(on_line(line)), session.sources());
        }
    }
    Ok(())
}

/// Which line of a batch has an error, as it stands there.
pub fn on_line((number, line): (usize, &[u8])) -> String {
    let line = String::from_utf8_lossy(line);
    format!("line {number} of the batch is {}", cell::label(line.trim()))
}
