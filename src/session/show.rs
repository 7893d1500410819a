//! What the reference implementation prints for values and definitions, byte for byte, so that
//! transcripts of its REPL can be compared. Two things are mended: labels of several characters
//! keep the columns of a selector straight, and an example that cannot be shown says why.

use super::Session;
use crate::base::{Diagnostic, Fallible};
use crate::eval::{Application, Event, Meta};
use crate::graph::{SOpId, SelectorId};
use crate::interpret::{self, Sequence};
use crate::syntax::ast::ExampleKind;
use crate::value::Value;
use crate::value::atom::quote;
use crate::value::sequence::{SequenceType, display_sequence, sequence_type};
use unicode_width::UnicodeWidthStr;

/// Characters after which a printed list or dict is cut.
const LONGEST: usize = 100_000;

/// Tokens of the largest example on which a selector is drawn.
const LARGEST_MATRIX: usize = 256;

/// The reference cuts names of nested s-ops and selectors that are longer.
const LONGEST_NAME: usize = 30;

/// What is shown of a definition besides its name.
#[derive(Clone, Debug)]
pub struct Display {
    /// The running example of s-ops.
    pub sop_example: Vec<Value>,
    /// The running example of selectors.
    pub selector_example: Vec<Value>,
    pub sop_examples: bool,
    pub selector_examples: bool,
    /// Inputs and outputs below each other (`full seq display on`).
    pub full: bool,
    /// With the terminal colours of the reference.
    pub color: bool,
}

impl Default for Display {
    fn default() -> Display {
        Display {
            sop_example: Value::characters("hello"),
            selector_example: Value::characters("hello"),
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
            Event::SetExample { kind, tokens, .. } => {
                if sop(kind) {
                    self.sop_example = tokens.clone();
                }
                if selector(kind) {
                    self.selector_example = tokens.clone();
                }
            }
            Event::Examples { kind, on } => {
                self.sop_examples = if sop(kind) { *on } else { self.sop_examples };
                self.selector_examples = if selector(kind) {
                    *on
                } else {
                    self.selector_examples
                };
            }
            Event::FullDisplay { on } => self.full = *on,
            _ => {}
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
            Event::Expression { meta, .. } => match meta {
                Meta::Application(result) => entry.application(result),
                meta => entry.named(Some("out"), meta, 0, ""),
            },
            Event::Assigned { name, meta } => entry.named(Some(name), meta, 0, ""),
            Event::Draw {
                meta: Meta::SOp(id),
                input,
                span,
            } => {
                let input = input.as_ref().unwrap_or(&display.sop_example);
                let output = interpret::evaluate(self.graph(), *id, input)
                    .map_err(|error| error.at(*span, "drawn here"))?;
                entry.sequence(input, &output);
                let table = self.schedule(*id).table(self.graph());
                entry.text.push_str(&table);
            }
            Event::ShowExample { kind } => {
                if *kind != ExampleKind::Selector {
                    entry.example("s-op", &display.sop_example);
                }
                if *kind != ExampleKind::SOp {
                    entry.example("selector", &display.selector_example);
                }
            }
            _ => {}
        }
        Ok(entry.text)
    }

    /// What the value of an expression statement is on an input: `None` for other events.
    ///
    /// # Errors
    /// As [`interpret::evaluate`].
    pub fn shown_value(&self, event: &Event, input: &[Value]) -> Fallible<Option<String>> {
        let Event::Expression { meta, span } = event else {
            return Ok(None);
        };
        let located = |error: Box<Diagnostic>| Box::new(error.or_at(*span, "evaluated here"));
        Ok(Some(match meta {
            Meta::SOp(id) => {
                let result = interpret::evaluate(self.graph(), *id, input).map_err(located)?;
                display_sequence(&result.values, result.sequence_type)
            }
            Meta::Selector(id) => matrix(
                input,
                &interpret::evaluate_selector(self.graph(), *id, input)?,
            ),
            Meta::Application(result) => application(result),
            other => other.repr(),
        }))
    }
}

/// Rows as the reference draws a selector: one line a query, `1` where it selects a key.
pub fn matrix(input: &[Value], rows: &[Vec<bool>]) -> String {
    let drawn = Matrix::new(input);
    let mut text = format!(" \t\t\t {}\n", drawn.head());
    for (query, row) in rows.iter().enumerate() {
        text.push_str(&format!(
            " \t\t\t {} | {}\n",
            drawn.label(query),
            drawn.row(row)
        ));
    }
    text
}

/// The value of an application as it is printed.
pub fn application(application: &Application) -> String {
    match application {
        Application::Sequence { output, .. } => output.to_string(),
        Application::Matrix { input, rows } => {
            format!("\n{}", matrix(input, rows).trim_end_matches('\n'))
        }
    }
}

/// An input as the reference names it: a string in quotes, or else a Python list.
pub fn example(input: &[Value]) -> String {
    let mut text = String::new();
    for token in input {
        match token {
            Value::Str(token) if token.chars().count() == 1 => text.push_str(token),
            _ => {
                let items = input.iter().cloned().map(Meta::Atom).collect();
                return Meta::list(items).repr();
            }
        }
    }
    string(&text)
}

/// A string as the reference shows it, raw between quotes, unless that could not be read back.
fn string(text: &str) -> String {
    if text.chars().any(|c| c == '"' || c.is_control()) {
        quote(text)
    } else {
        format!("\"{text}\"")
    }
}

fn atom(value: &Value) -> String {
    match value {
        Value::Str(text) => string(text),
        Value::Int(_) | Value::Float(_) | Value::Bool(_) => value.to_string(),
    }
}

/// The labels of a selector's rows and columns, padded so that columns stay straight.
struct Matrix {
    labels: Vec<String>,
    width: usize,
}

impl Matrix {
    fn new(input: &[Value]) -> Matrix {
        let labels: Vec<String> = input.iter().map(Value::to_string).collect();
        let width = labels.iter().map(|label| label.width()).max().unwrap_or(1);
        Matrix { labels, width }
    }

    fn head(&self) -> String {
        format!("{}{}", " ".repeat(self.width + 3), self.labels.join(" "))
    }

    fn label(&self, query: usize) -> String {
        let label = &self.labels[query];
        format!("{}{label}", " ".repeat(self.width - label.width()))
    }

    fn row(&self, selected: &[bool]) -> String {
        let cells: Vec<String> = selected
            .iter()
            .zip(&self.labels)
            .map(|(selected, label)| {
                let mark = if *selected { "1" } else { " " };
                format!("{mark}{}", " ".repeat(label.width().saturating_sub(1)))
            })
            .collect();
        cells.join(" ")
    }
}

/// The text of one entry, as it is built up.
struct Entry<'a> {
    session: &'a Session,
    display: &'a Display,
    text: String,
}

impl<'a> Entry<'a> {
    fn new(session: &'a Session, display: &'a Display) -> Entry<'a> {
        Entry {
            session,
            display,
            text: String::new(),
        }
    }

    /// Text in the colour of names and punctuation.
    fn general(&mut self, text: &str) {
        self.paint("90", text);
    }

    /// Text in the colour of values.
    fn value(&mut self, text: &str) {
        self.paint("36", text);
    }

    fn paint(&mut self, color: &str, text: &str) {
        if self.display.color && !text.trim().is_empty() {
            self.text.push_str(&format!("\x1b[{color}m{text}\x1b[0m"));
        } else {
            self.text.push_str(text);
        }
    }

    fn plain(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A value with its name (elements of a list have none), after `tabs` tabs and the key under
    /// which a dict holds it.
    fn named(&mut self, name: Option<&str>, meta: &Meta, tabs: usize, key: &str) {
        if self.text.len() > LONGEST {
            if !self.text.ends_with("…\n") {
                self.plain("…\n");
            }
            return;
        }
        let margin = "\t".repeat(tabs);
        match meta {
            Meta::SOp(id) => self.sop(name, *id, &margin, key),
            Meta::Selector(id) => self.selector(name, *id, &margin, key),
            Meta::Function(callable) => {
                let signature = callable.signature();
                let line = format!(
                    "{margin} {key}    {} function: {signature}",
                    callable.origin
                );
                self.general(&line);
                self.plain("\n");
            }
            Meta::List(items) => {
                let elements: Vec<(String, &Meta)> =
                    items.iter().map(|item| (String::new(), item)).collect();
                self.collection(name, meta, &elements, tabs, key);
            }
            Meta::Dict(dict) => {
                let elements: Vec<(String, &Meta)> = dict
                    .iter()
                    .map(|(key, item)| (format!("{} : ", atom(key)), item))
                    .collect();
                self.collection(name, meta, &elements, tabs, key);
            }
            Meta::Atom(value) => self.atom(name, &atom(value), &margin),
            Meta::Application(_) | Meta::Broken => self.atom(name, &meta.repr(), &margin),
        }
    }

    fn atom(&mut self, name: Option<&str>, value: &str, margin: &str) {
        let name = name.map_or(String::new(), |name| format!("{name} = "));
        self.general(&format!("{margin}    value: {name}"));
        self.plain(" ");
        self.value(value);
        self.plain("\n");
    }

    fn collection(
        &mut self,
        name: Option<&str>,
        meta: &Meta,
        elements: &[(String, &Meta)],
        tabs: usize,
        key: &str,
    ) {
        let margin = "\t".repeat(tabs);
        let is_list = matches!(meta, Meta::List(_));
        let (kind, brackets, deeper) = if is_list {
            ("list", ["[", "]"], 2)
        } else {
            ("dict", ["{", "}"], 3)
        };
        let name = name.map_or(String::new(), |name| format!("{name} = "));
        let title = format!("   {kind}: {name}");
        self.general(&format!("{margin} {key} {title}"));
        let nested = elements.iter().any(|(_, item)| {
            matches!(
                item,
                Meta::List(_) | Meta::Dict(_) | Meta::SOp(_) | Meta::Selector(_)
            )
        });
        if !nested {
            self.value(&meta.repr());
            self.plain("\n");
            return;
        }
        self.general(&format!("{margin} {}\n", brackets[0]));
        for (key, item) in elements {
            self.named(None, item, tabs + deeper, key);
        }
        let under = " ".repeat(title.width() + 2);
        self.general(&format!("{margin}{under}{}\n", brackets[1]));
    }

    fn sop(&mut self, name: Option<&str>, id: SOpId, margin: &str, key: &str) {
        let graph = self.session.graph();
        let name = name.map_or_else(|| short(graph.describe(id), "s-op"), str::to_string);
        self.plain(&format!("{margin} "));
        self.general(key);
        self.plain(" ");
        self.general("   s-op:");
        self.plain(" ");
        self.general(&name);
        self.plain("\n");
        if !self.display.sop_examples {
            return;
        }
        let input = &self.display.sop_example;
        let output = match interpret::evaluate(graph, id, input) {
            Ok(output) => output,
            Err(error) => return self.no_example(margin, input, &error.message),
        };
        self.general(&format!("{margin} \t Example:"));
        if self.display.full && !identical(&output.values) {
            self.plain("\n");
            return self.rows(margin, input, &output);
        }
        self.general(&format!(" {name}("));
        self.value(&example(input));
        self.general(") =");
        self.plain(" ");
        self.short_sequence(&output);
    }

    fn selector(&mut self, name: Option<&str>, id: SelectorId, margin: &str, key: &str) {
        let graph = self.session.graph();
        let name = name.map_or_else(|| short(graph.describe_selector(id), "sel"), str::to_string);
        self.plain(&format!("{margin} "));
        self.general(key);
        self.plain(" ");
        self.general(&format!("   selector: {name}"));
        self.plain("\n");
        if !self.display.selector_examples {
            return;
        }
        let input = &self.display.selector_example;
        if input.len() > LARGEST_MATRIX {
            let reason = format!("it has more than {LARGEST_MATRIX} tokens");
            return self.no_example(margin, input, &reason);
        }
        match interpret::evaluate_selector(graph, id, input) {
            Ok(rows) => {
                self.general(&format!("{margin} \t Example:"));
                self.plain("\n");
                self.matrix(margin, input, &rows);
            }
            Err(error) => self.no_example(margin, input, &error.message),
        }
    }

    /// Why a definition is shown without its example.
    fn no_example(&mut self, margin: &str, input: &[Value], reason: &str) {
        self.general(&format!("{margin} \t Example:"));
        let input = match input.len() {
            0..=LARGEST_MATRIX => example(input),
            tokens => format!("an input of {tokens} tokens"),
        };
        self.plain(&format!(
            " none on {input}: {}\n",
            reason.replace('\n', " ")
        ));
    }

    fn application(&mut self, result: &Application) {
        match result {
            Application::Sequence { input, output } => self.sequence(input, output),
            Application::Matrix { input, rows } => {
                self.general("\t = ");
                self.plain("\n");
                self.matrix("", input, rows);
            }
        }
    }

    fn sequence(&mut self, input: &[Value], output: &Sequence) {
        self.general("\t = ");
        if self.display.full && !identical(&output.values) {
            self.plain("\n");
            return self.rows("", input, output);
        }
        self.plain(if self.display.full { "  " } else { " " });
        self.short_sequence(output);
    }

    fn short_sequence(&mut self, output: &Sequence) {
        self.value(&output.to_string());
        if self.display.full {
            self.plain(" ");
            self.general("[skipped full display: identical values]");
        }
        self.plain("\n");
    }

    /// The input above the output, each cell as wide as the widest.
    fn rows(&mut self, margin: &str, input: &[Value], output: &Sequence) {
        let above = cells(input);
        let below = cells(&output.values);
        let width = above.iter().chain(&below).map(|cell| cell.width()).max();
        let input_type = sequence_type(input).map_or("mixed", SequenceType::name);
        for (title, cells, name) in [
            ("input:  ", above, input_type),
            ("output: ", below, output.sequence_type.name()),
        ] {
            self.plain(&format!("{margin} "));
            self.general(&format!("\t\t{title}"));
            let padded: Vec<String> = cells
                .iter()
                .map(|cell| {
                    let pad = " ".repeat(width.unwrap_or(0) - cell.width());
                    format!("{pad}{cell}")
                })
                .collect();
            self.plain(" ");
            self.value(&padded.join(" "));
            self.plain(" \t ");
            self.general(&format!("({name})"));
            self.plain("\n");
        }
    }

    fn matrix(&mut self, margin: &str, input: &[Value], rows: &[Vec<bool>]) {
        let drawn = Matrix::new(input);
        self.plain(&format!("{margin} \t\t\t "));
        self.value(&drawn.head());
        self.plain("\n");
        for (query, row) in rows.iter().enumerate() {
            self.plain(&format!("{margin} \t\t\t "));
            self.value(&drawn.label(query));
            self.plain(" ");
            self.general("|");
            self.plain(" ");
            self.value(&drawn.row(row));
            self.plain("\n");
        }
    }

    fn example(&mut self, kind: &str, input: &[Value]) {
        self.general(&format!("\t{kind} example:"));
        self.plain(" ");
        self.value(&example(input));
        self.plain("\n");
    }
}

fn short(name: String, instead: &str) -> String {
    if name.chars().count() > LONGEST_NAME {
        instead.to_string()
    } else {
        name
    }
}

fn identical(values: &[Value]) -> bool {
    values.windows(2).all(|pair| pair[0].equals(&pair[1]))
}

/// The cells of the full display: floats in full, and of bools only those less frequent.
fn cells(values: &[Value]) -> Vec<String> {
    if !matches!(values.first(), Some(Value::Bool(_))) {
        return values.iter().map(Value::to_string).collect();
    }
    let count = |bool: bool| {
        let equal = values.iter().filter(|value| value.equals(&bool.into()));
        equal.count()
    };
    let (trues, falses) = (count(true), count(false));
    let yes = if trues <= falses { "T" } else { "" };
    let no = if falses <= trues { "F" } else { "" };
    values
        .iter()
        .map(|value| if value.truthy() { yes } else { no }.to_string())
        .collect()
}
