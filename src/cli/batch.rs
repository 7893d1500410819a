//! Many inputs from a file or a pipe, one JSON value a line, and `rasp run --batch`. Results are
//! streamed in the order of the inputs; an error in one of them is that one's result.

use super::arguments::Run;
use super::asked::Asked;
use super::input::{Input, JsonInput, json_input};
use super::json::{Told, Values};
use super::output::{Output, Stop, diagnostic_json};
use super::progress;
use crate::base::{Code, Control, Diagnostic, Limits, Sources, Span, parallel, read, visible};
use crate::graph::Graph;
use crate::model::cell;
use crate::session::{Session, no_sop};
use crate::value::Value;
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::path::Path;

/// Inputs that are worked on together at most, and their bytes; the results of one such batch are
/// held in memory.
const TOGETHER: usize = 1024;
const TOGETHER_BYTES: usize = 4 << 20;

/// Bytes of memory that a byte of a line takes at most, in the values of its tokens and of results.
const BYTES_FOR_BYTE: u64 = 64;

/// What to evaluate, with its texts.
struct Wanted {
    texts: Vec<String>,
    asked: Vec<Asked>,
    spans: Vec<Span>,
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
        let of = (&*session, &wanted, arguments.json);
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
) -> Result<Wanted, Stop> {
    if expressions.is_empty() {
        let message = "a batch needs to know what to evaluate";
        let error = Diagnostic::error(Code::BadRequest, message).help("say it with `-e EXPR`");
        return Err(output.refuse(&error, session.sources()));
    }
    let mut wanted = Wanted {
        texts: expressions.to_vec(),
        asked: Vec::new(),
        spans: Vec::new(),
    };
    for text in expressions {
        let found = session.expression_at(text);
        let (meta, span) = output.expect(found, session.sources())?;
        let asked = Asked::of(&meta).ok_or_else(|| no_sop(text, &meta, span));
        let asked = output.expect(asked, session.sources())?;
        wanted.asked.push(asked);
        wanted.spans.push(span);
    }
    Ok(wanted)
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

/// A bar over the bytes of a file, or their number where its size is not known; hidden where nobody
/// looks.
fn bar(path: &Path) -> ProgressBar {
    if !std::io::stderr().is_terminal() || std::io::stdout().is_terminal() {
        return ProgressBar::hidden();
    }
    let (bar, template) = match std::fs::metadata(path).map_or(0, |data| data.len()) {
        0 => (ProgressBar::new_spinner(), "{spinner} {bytes} read"),
        size => (
            ProgressBar::new(size),
            "{spinner} {bar:40} {percent}% {eta}",
        ),
    };
    let style = ProgressStyle::with_template(template);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// The input of a line, or what it is instead and why that is none.
pub fn line(line: &[u8]) -> Result<Given, (Json, Box<Diagnostic>)> {
    let input = match std::str::from_utf8(line) {
        Ok(text) => json_input(text.trim()),
        Err(_) => Err("the line is not UTF-8".to_string()),
    };
    let wrong = |problem: String| {
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        let given = serde_json::from_str(text).unwrap_or_else(|_| Json::from(text));
        (given, not_an_input(&problem))
    };
    input.map(Given).map_err(wrong)
}

/// An input as it was given: a text, or a list.
pub struct Given(pub JsonInput);

impl Given {
    /// The same for those who hold inputs with their JSON.
    pub fn input(self) -> Input {
        let given = serde_json::to_value(&self).unwrap_or(Json::Null);
        let tokens = self.0.tokens;
        Input { tokens, given }
    }
}

impl Serialize for Given {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let JsonInput { tokens, is_text } = &self.0;
        match is_text {
            true => {
                let text: String = tokens.iter().map(Value::to_string).collect();
                serializer.serialize_str(&text)
            }
            false => Values(tokens).serialize(serializer),
        }
    }
}

/// As one line of JSON.
fn line_of(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn not_an_input(reason: &str) -> Box<Diagnostic> {
    Diagnostic::error(Code::BadInput, reason)
        .help(r#"a text stands in quotes there, "abc"; tokens are a list, ["a", "b", 3]"#)
        .into()
}

/// The results of one line, one for each that is wanted.
fn outcomes(
    (graph, limits): (&Graph, &Limits),
    wanted: &Wanted,
    json: bool,
    written: &[u8],
) -> Vec<Outcome> {
    let given = match line(written) {
        Ok(given) => given,
        Err(error) => return wanted.asked.iter().map(|_| Err(error.clone())).collect(),
    };
    let tokens = &given.0.tokens;
    let on_asked = |(text, asked): (&String, &Asked)| {
        let answer = asked.answer(graph, tokens, limits).map_err(|error| {
            let given = serde_json::to_value(&given).unwrap_or(Json::Null);
            (given, error)
        })?;
        if !json {
            return Ok(answer.told(&format!("{text}({})", line_of(&given)), tokens));
        }
        Ok(line_of(&Told {
            expr: text,
            input: &given,
            output: &answer,
            kind: answer.kind(),
        }))
    };
    let wanted = wanted.texts.iter().zip(&wanted.asked);
    wanted.map(on_asked).collect()
}

fn write(
    output: &mut Output,
    (session, wanted, json): (&Session, &Wanted, bool),
    line: (usize, &[u8]),
    row: Vec<Outcome>,
) -> Result<(), Stop> {
    for (index, answer) in row.into_iter().enumerate() {
        let (given, error) = match answer {
            Ok(line) => {
                output.line(&line)?;
                continue;
            }
            Err(failed) => failed,
        };
        let error = wanted.asked[index].explained(session, error);
        // What is no input has not been evaluated.
        let error = match error.code == Code::BadInput {
            true => *error,
            false => error.or_at(wanted.spans[index], "evaluated here"),
        };
        if json {
            output.fail();
            let error = diagnostic_json(&error, session.sources());
            let text = &wanted.texts[index];
            output.json(&json!({"expr": text, "input": given, "error": error}))?;
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
