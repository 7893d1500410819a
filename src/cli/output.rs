//! Standard output and standard error of a command: results here, diagnostics there, and whether
//! there were errors.

use crate::base::render::{Color, Style, render};
use crate::base::table::{aligned, folded};
use crate::base::visible::visible;
use crate::base::{Code, Diagnostic, Severity, Sources, Span, tell};
use crate::repl::interrupt;
use serde::Serialize;
use serde_json::Value as Json;
use std::io::{self, BufWriter, IsTerminal, Write};

/// Errors, and warnings, that people are shown at once; tools get all.
const SHOWN: usize = 100;

choices! {
    Color {
        Auto "auto": "On a terminal, unless NO_COLOR is set",
        Always "always": "Wherever they go",
        Never "never": "Nowhere",
    }
}

/// Why a command ends early.
#[derive(Debug)]
pub enum Stop {
    /// An error, which has been shown.
    Reported,
    /// Ctrl-C, which has been shown; what would come next is not wanted either.
    Interrupted,
    /// A wrong command line, which has been shown.
    Usage,
    /// Standard output cannot be written any more.
    Output,
}

impl From<io::Error> for Stop {
    fn from(_: io::Error) -> Stop {
        Stop::Output
    }
}

pub struct Output {
    out: BufWriter<io::Stdout>,
    style: Style,
    color: Color,
    /// Whether diagnostics are for tools.
    json: bool,
    failed: bool,
    open: bool,
    interrupted: bool,
    /// For tools, which are told it again in place of results.
    first: Option<(Diagnostic, Sources)>,
}

impl Output {
    /// With `json` each diagnostic is one JSON object on a line of its own.
    pub fn new(json: bool, color: Color) -> Output {
        Output {
            out: BufWriter::new(io::stdout()),
            style: Style::of(color, io::stderr().is_terminal()),
            color,
            json,
            failed: false,
            open: false,
            interrupted: false,
            first: None,
        }
    }

    /// The style of results that are written to standard output.
    pub fn results(&self) -> Style {
        Style::of(self.color, io::stdout().is_terminal())
    }

    /// The exit status of a command that has said all it had to say.
    pub fn status(&self) -> i32 {
        match (self.failed, self.open) {
            _ if self.interrupted => interrupt::STATUS,
            (true, _) => 1,
            (false, true) => 3,
            (false, false) => 0,
        }
    }

    pub fn flush(&mut self) -> Result<(), Stop> {
        Ok(self.out.flush()?)
    }

    /// A line for people.
    pub fn line(&mut self, text: &str) -> Result<(), Stop> {
        Ok(writeln!(self.out, "{}", visible(text))?)
    }

    /// Lines for people, with the ends that they have.
    pub fn text(&mut self, text: &str) -> Result<(), Stop> {
        Ok(self.out.write_all(visible(text).as_bytes())?)
    }

    /// Lines for people; in a long text lines like others are left out, unless all are asked for.
    pub fn folded(&mut self, text: &str, all: bool) -> Result<(), Stop> {
        let (short, left_out) = match all {
            true => (text.to_string(), 0),
            false => folded(text),
        };
        self.text(&short)?;
        match left_out {
            0 => Ok(()),
            lines => self.line(&format!("({lines} lines are left out: `--all` shows them)")),
        }
    }

    /// What may become a file, as it is.
    pub fn exact(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        Ok(self.out.write_all(bytes)?)
    }

    pub fn json(&mut self, json: &impl Serialize) -> Result<(), Stop> {
        serde_json::to_writer(&mut self.out, json).map_err(io::Error::from)?;
        Ok(writeln!(self.out)?)
    }

    /// Shows a diagnostic on standard error.
    pub fn report(&mut self, diagnostic: &Diagnostic, sources: &Sources) {
        // What was computed before the error comes before it also where both streams are one.
        let _ = self.out.flush();
        let is_error = diagnostic.severity == Severity::Error;
        self.failed |= is_error;
        if diagnostic.code == Code::Interrupted {
            if std::mem::replace(&mut self.interrupted, true) {
                return;
            }
        } else if is_error && self.first.is_none() {
            self.first = Some((diagnostic.clone(), sources.clone()));
        }
        match self.json {
            true => tell(&format!("{}\n", diagnostic_json(diagnostic, sources))),
            false => tell(&render(diagnostic, sources, self.style)),
        }
    }

    /// The first error since the last call; an interruption is none.
    pub fn take_first(&mut self) -> Option<(Diagnostic, Sources)> {
        self.first.take()
    }

    /// Says something about the command itself, apart from its results.
    pub fn note(&mut self, text: &str) {
        let _ = self.out.flush();
        tell(&format!("{}\n", visible(text)));
    }

    /// Notes an error that is part of the results.
    pub fn fail(&mut self) {
        self.failed = true;
    }

    /// Notes that the results leave the question open.
    pub fn leave_open(&mut self) {
        self.open = true;
    }

    /// Shows the diagnostics; stops if there is an error among them.
    pub fn report_all(&mut self, found: &[Diagnostic], sources: &Sources) -> Result<(), Stop> {
        let (mut errors, mut warnings, mut hidden) = (0, 0, 0);
        for diagnostic in found {
            let count = match diagnostic.severity {
                Severity::Error => &mut errors,
                Severity::Warning => &mut warnings,
            };
            *count += 1;
            if self.json || *count <= SHOWN {
                self.report(diagnostic, sources);
            } else {
                hidden += 1;
            }
        }
        if hidden > 0 {
            self.note(&format!("… and {hidden} more"));
        }
        if errors > 0 {
            return Err(Stop::Reported);
        }
        Ok(())
    }

    /// The value, or the end of the command after showing the error.
    pub fn expect<T>(
        &mut self,
        result: Result<T, Box<Diagnostic>>,
        sources: &Sources,
    ) -> Result<T, Stop> {
        result.map_err(|diagnostic| self.refuse(&diagnostic, sources))
    }

    /// The end of the command, after showing why.
    pub fn refuse(&mut self, error: &Diagnostic, sources: &Sources) -> Stop {
        self.report(error, sources);
        match error.code == Code::Interrupted {
            true => Stop::Interrupted,
            false => Stop::Reported,
        }
    }
}

/// A diagnostic with all it says, on standard error or as the `error` of a result. Lines and columns count characters from 1; an end is the place
/// behind the last character.
pub fn diagnostic_json(diagnostic: &Diagnostic, sources: &Sources) -> Json {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let place = |span: Span| {
        let (line, column) = sources.position(span);
        let (end_line, end_column) = sources.position(Span {
            start: span.end,
            ..span
        });
        serde_json::json!({
            "file": sources.get(span.source).name,
            "line": line,
            "column": column,
            "end_line": end_line,
            "end_column": end_column,
        })
    };
    let labels = diagnostic.labels.iter().enumerate().map(|(order, label)| {
        let mut shown = place(label.span);
        shown["message"] = label.text.as_str().into();
        shown["primary"] = (order == 0).into();
        shown
    });
    let edits = diagnostic.help.iter().flat_map(|help| &help.edits);
    let edits = edits.map(|(span, text)| {
        let mut edit = place(*span);
        edit["text"] = text.as_str().into();
        edit
    });
    serde_json::json!({
        "severity": severity,
        "code": diagnostic.code.number(),
        "message": diagnostic.message,
        "labels": labels.collect::<Vec<Json>>(),
        "help": diagnostic.help.iter().map(|help| &help.message).collect::<Vec<_>>(),
        "edits": edits.collect::<Vec<Json>>(),
        "notes": diagnostic.notes,
    })
}

/// Rows under titles, all columns aligned left.
pub fn table(titles: &[&str], rows: &[Vec<String>]) -> String {
    let mut all = vec![titles.iter().map(|title| (*title).to_string()).collect()];
    all.extend_from_slice(rows);
    aligned(&all, titles.len())
}
