//! What is shown for values and definitions: as the reference implementation prints them, so that
//! transcripts of its REPL can be compared, and what `draw` draws. `entry` builds the text of single
//! entries.

use super::entry::Entry;
use super::{EXAMPLE, Session};
use crate::base::{Fallible, Span};
use crate::draw::{self, Subject};
use crate::eval::{Application, Event, Meta};
use crate::syntax::ast::{Command, ExampleKind};
use crate::value::Value;
use crate::value::atom::quote;
use crate::value::sequence::as_text;
use unicode_width::UnicodeWidthStr;

/// Columns of what `draw` shows.
const COLUMNS: usize = 80;

/// What is shown of a definition besides its name.
#[derive(Clone, Debug)]
pub struct Display {
    /// The running example of selectors; that of s-ops is the session's.
    pub selector_example: Vec<Value>,
    /// Whether s-ops are shown with their value on the example.
    pub sop_examples: bool,
    /// Whether selectors are.
    pub selector_examples: bool,
    /// Inputs and outputs below each other (`full seq display on`).
    pub full: bool,
    /// With the terminal colours of the reference.
    pub color: bool,
}

impl Default for Display {
    fn default() -> Display {
        Display {
            selector_example: Value::characters(EXAMPLE),
            sop_examples: true,
            selector_examples: true,
            full: false,
            color: false,
        }
    }
}

impl Display {
    /// Takes over what a command sets.
    pub fn obey(&mut self, event: &Event) {
        let sop = |kind: &ExampleKind| *kind != ExampleKind::Selector;
        let selector = |kind: &ExampleKind| *kind != ExampleKind::SOp;
        match event {
            Event::SetExample { kind, tokens, .. } if selector(kind) => {
                self.selector_example = tokens.clone();
            }
            Event::Command(Command::Examples { kind, on }) => {
                self.sop_examples = if sop(kind) { *on } else { self.sop_examples };
                self.selector_examples = if selector(kind) {
                    *on
                } else {
                    self.selector_examples
                };
            }
            Event::Command(Command::FullDisplay { on }) => self.full = *on,
            Event::Expression { .. }
            | Event::Assigned { .. }
            | Event::Asserted(_)
            | Event::Draw { .. }
            | Event::SetExample { .. }
            | Event::SetVocabulary { .. }
            | Event::SetMaxLength { .. }
            | Event::Command(_) => {}
        }
    }
}

impl Session {
    /// What the reference prints for an event: the entry of a definition or value, the result of
    /// an application, the running examples; nothing for other commands.
    ///
    /// # Errors
    /// The value of `draw` cannot be computed.
    pub fn show(&self, event: &Event, display: &Display) -> Fallible<String> {
        let mut entry = Entry::new(self, display);
        match event {
            Event::Expression { name, meta, .. } => {
                if let Meta::Application(result) = meta {
                    entry.application(result)
                } else {
                    entry.named(Some(name.as_deref().unwrap_or("out")), meta, 0, "")
                }
            }
            Event::Assigned { name, meta } => entry.named(Some(name), meta, 0, ""),
            Event::Draw { meta, input, span } => {
                entry
                    .text
                    .push_str(&self.drawn(meta, input.as_deref(), *span, display)?);
            }
            Event::Command(Command::ShowExample { kind }) => {
                if *kind != ExampleKind::Selector {
                    entry.example("s-op", &self.settings.example);
                }
                if *kind != ExampleKind::SOp {
                    entry.example("selector", &display.selector_example);
                }
            }
            Event::Asserted(_)
            | Event::SetExample { .. }
            | Event::SetVocabulary { .. }
            | Event::SetMaxLength { .. }
            | Event::Command(_) => {}
        }
        Ok(entry.text)
    }

    /// What `draw` shows of an s-op, with its values, or of a selector.
    fn drawn(
        &self,
        meta: &Meta,
        input: Option<&[Value]>,
        span: Span,
        display: &Display,
    ) -> Fallible<String> {
        let subject = |example| Subject {
            graph: self.graph(),
            input: input.unwrap_or(example),
            at: None,
            limits: self.limits(),
        };
        let name = self.sources().text(span);
        let drawing = match meta {
            Meta::SOp(id) => draw::flow(&subject(&self.settings.example), *id, name),
            Meta::Selector(id) => {
                let selectors = [(*id, name.to_string())];
                draw::selectors(&subject(&display.selector_example), &selectors)
            }
            Meta::Atom(_)
            | Meta::List(_)
            | Meta::Dict(_)
            | Meta::Scorer(_)
            | Meta::Function(_)
            | Meta::Application(_)
            | Meta::Broken => return Ok(String::new()),
        };
        let drawing = drawing.map_err(|error| error.or_at(span, "drawn here"))?;
        Ok(draw::text(&drawing, COLUMNS, display.color))
    }
}

/// Rows as the reference draws a selector: one line a query, `1` where it selects a key.
pub fn matrix(input: &[Value], rows: &[Vec<bool>]) -> String {
    Matrix::selector(input, rows).text()
}

/// The scores of the keys (columns) for each query (rows).
fn scores(input: &[Value], rows: &[Vec<Value>]) -> String {
    Matrix::scores(input, rows).text()
}

/// The value of an application as it is printed.
pub fn application(application: &Application) -> String {
    match application {
        Application::Sequence { output, .. } => output.to_string(),
        Application::Matrix { input, rows } => {
            format!("\n{}", matrix(input, rows).trim_end_matches('\n'))
        }
        Application::Scores { input, rows } => {
            format!("\n{}", scores(input, rows).trim_end_matches('\n'))
        }
    }
}

/// An input as the reference names it: a string in quotes, or else a Python list.
pub fn example(input: &[Value]) -> String {
    match as_text(input) {
        Some(text) => string(&text),
        None => Meta::atoms(input).repr(),
    }
}

/// A string as the reference shows it, raw between quotes, unless that could not be read back.
fn string(text: &str) -> String {
    if text.chars().any(|c| c == '"' || c.is_control()) {
        quote(text)
    } else {
        format!("\"{text}\"")
    }
}

pub(super) fn atom(value: &Value) -> String {
    match value {
        Value::Str(text) => string(text),
        Value::Int(_) | Value::Float(_) | Value::Bool(_) => value.to_string(),
    }
}

/// A selector or scorer on an input, padded so that columns stay straight.
pub(super) struct Matrix<'a> {
    labels: Vec<String>,
    widths: Vec<usize>,
    width: usize,
    cells: Cells<'a>,
}

enum Cells<'a> {
    Selected(&'a [Vec<bool>]),
    Scores(Vec<Vec<String>>),
}

impl<'a> Matrix<'a> {
    pub fn selector(input: &[Value], rows: &'a [Vec<bool>]) -> Matrix<'a> {
        Matrix::new(input, Cells::Selected(rows))
    }

    pub fn scores(input: &[Value], rows: &[Vec<Value>]) -> Matrix<'a> {
        let cells = rows.iter().map(|row| row.iter().map(Value::cell).collect());
        Matrix::new(input, Cells::Scores(cells.collect()))
    }

    fn new(input: &[Value], cells: Cells<'a>) -> Matrix<'a> {
        let labels: Vec<String> = input.iter().map(Value::cell).collect();
        let mut widths: Vec<usize> = labels.iter().map(|label| label.width()).collect();
        let width = widths.iter().copied().max().unwrap_or(1);
        if let Cells::Scores(rows) = &cells {
            for row in rows {
                for (width, cell) in widths.iter_mut().zip(row) {
                    *width = (*width).max(cell.width());
                }
            }
        }
        Matrix {
            labels,
            widths,
            width,
            cells,
        }
    }

    pub fn head(&self) -> String {
        let labels = self.labels.iter().map(String::as_str);
        let labels = self.line(labels);
        format!("{}{}", " ".repeat(self.width + 3), labels.trim_end())
    }

    pub fn label(&self, query: usize) -> String {
        let label = &self.labels[query];
        format!("{}{label}", " ".repeat(self.width - label.width()))
    }

    pub fn row(&self, query: usize) -> String {
        match &self.cells {
            Cells::Selected(rows) => {
                let cell = |selected: &bool| if *selected { "1" } else { " " };
                self.line(rows[query].iter().map(cell))
            }
            Cells::Scores(rows) => self.line(rows[query].iter().map(String::as_str)),
        }
    }

    pub fn queries(&self) -> usize {
        self.labels.len()
    }

    fn line<'c>(&self, cells: impl Iterator<Item = &'c str>) -> String {
        let mut line = String::new();
        for (key, (cell, width)) in cells.zip(&self.widths).enumerate() {
            line.push_str(if key == 0 { "" } else { " " });
            line.push_str(cell);
            (cell.width()..*width).for_each(|_| line.push(' '));
        }
        line
    }

    fn text(&self) -> String {
        let mut text = format!(" \t\t\t {}\n", self.head());
        for query in 0..self.queries() {
            text.push_str(&format!(" \t\t\t {} | ", self.label(query)));
            text.push_str(&self.row(query));
            text.push('\n');
        }
        text
    }
}
