//! One entry of the prompt as the reference implementation prints it: a name with its value, an
//! application, an example. Where the reference's columns run ragged or its input row is mislabelled
//! the entry is straight; scorers, reasons and hints, which it does not have, are ours.

use super::Session;
use super::show::{Display, Matrix, atom, example};
use crate::eval::{Application, Meta};
use crate::graph::{SOpId, ScorerId, SelectorId};
use crate::interpret::{self, Failed, Sequence};
use crate::value::Value;
use crate::value::sequence::{SequenceType, sequence_type};
use anstyle::AnsiColor;
use unicode_width::UnicodeWidthStr;

/// Characters after which a printed list or dict is cut.
const LONGEST: usize = 100_000;

/// Tokens of the largest example on which a selector is drawn.
const LARGEST_MATRIX: usize = 256;

/// The reference cuts names of nested s-ops and selectors that are longer.
const LONGEST_NAME: usize = 30;

/// The text of one entry, as it is built up.
pub(super) struct Entry<'a> {
    session: &'a Session,
    display: &'a Display,
    pub text: String,
}

impl<'a> Entry<'a> {
    pub fn new(session: &'a Session, display: &'a Display) -> Entry<'a> {
        Entry {
            session,
            display,
            text: String::new(),
        }
    }

    /// Text in the colour of names and punctuation.
    fn general(&mut self, text: &str) {
        self.paint(AnsiColor::BrightBlack, text);
    }

    /// Text in the colour of values.
    fn value(&mut self, text: &str) {
        self.paint(AnsiColor::Cyan, text);
    }

    fn paint(&mut self, color: AnsiColor, text: &str) {
        if self.display.color && !text.trim().is_empty() {
            let style = color.on_default();
            self.text.push_str(&format!("{style}{text}{style:#}"));
        } else {
            self.text.push_str(text);
        }
    }

    fn plain(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A value with its name (elements of a list have none), after `tabs` tabs and the key under
    /// which a dict holds it.
    pub fn named(&mut self, name: Option<&str>, meta: &Meta, tabs: usize, key: &str) {
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
            Meta::Atom(value) => {
                self.atom(name, &atom(value), &margin);
                if name == Some("tokens") && matches!(value, Value::Str(_)) {
                    let text = atom(value);
                    let hint = "`tokens` means this string now; the running example is set by";
                    self.plain(&format!("{margin} \t {hint} `set example {text}`\n"));
                }
            }
            Meta::Scorer(id) => self.scorer(name, *id, &margin, key),
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
        let input = &self.session.settings.example;
        let output = match interpret::evaluate(graph, id, input) {
            Ok(output) => output,
            Err(failed) => return self.failed(margin, input, *failed),
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
        if let Some(input) = self.pairs("selector", &name, margin, key) {
            match interpret::evaluate_selector(graph, id, input, self.session.limits()) {
                Ok(rows) => self.shown(margin, &Matrix::selector(input, &rows)),
                Err(failed) => self.failed(margin, input, *failed),
            }
        }
    }

    fn scorer(&mut self, name: Option<&str>, id: ScorerId, margin: &str, key: &str) {
        let graph = self.session.graph();
        let name = name.map_or_else(|| short(graph.describe_scorer(id), "score"), str::to_string);
        if let Some(input) = self.pairs("scorer", &name, margin, key) {
            match interpret::evaluate_scorer(graph, id, input, self.session.limits()) {
                Ok(rows) => self.shown(margin, &Matrix::scores(input, &rows)),
                Err(failed) => self.failed(margin, input, *failed),
            }
        }
    }

    /// The heading of what is about pairs of positions; the input to show it on, if it is to be.
    fn pairs(&mut self, kind: &str, name: &str, margin: &str, key: &str) -> Option<&'a [Value]> {
        self.plain(&format!("{margin} "));
        self.general(key);
        self.plain(" ");
        self.general(&format!("   {kind}: {name}"));
        self.plain("\n");
        if !self.display.selector_examples {
            return None;
        }
        let input: &'a [Value] = &self.display.selector_example;
        if input.len() > LARGEST_MATRIX {
            let reason = format!("it has more than {LARGEST_MATRIX} tokens");
            self.no_example(margin, input, &reason);
            return None;
        }
        Some(input)
    }

    fn shown(&mut self, margin: &str, matrix: &Matrix<'_>) {
        self.general(&format!("{margin} \t Example:"));
        self.plain("\n");
        self.matrix(margin, matrix);
    }

    /// A definition fails on the example: why, and what can be done about it.
    fn failed(&mut self, margin: &str, input: &[Value], failed: Failed) {
        let error = self.session.told(failed);
        self.no_example(margin, input, &error.message);
        if let Some(help) = error.help {
            self.general(&format!("{margin} \t Help:"));
            self.plain(&format!(" {}\n", help.message));
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

    pub fn application(&mut self, result: &Application) {
        match result {
            Application::Sequence { input, output } => self.sequence(input, output),
            Application::Matrix { input, rows } => self.equals(&Matrix::selector(input, rows)),
            Application::Scores { input, rows } => self.equals(&Matrix::scores(input, rows)),
        }
    }

    fn equals(&mut self, matrix: &Matrix<'_>) {
        self.general("\t = ");
        self.plain("\n");
        self.matrix("", matrix);
    }

    pub fn sequence(&mut self, input: &[Value], output: &Sequence) {
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

    fn matrix(&mut self, margin: &str, drawn: &Matrix<'_>) {
        self.plain(&format!("{margin} \t\t\t "));
        self.value(&drawn.head());
        self.plain("\n");
        for query in 0..drawn.queries() {
            self.plain(&format!("{margin} \t\t\t "));
            self.value(&drawn.label(query));
            self.plain(" ");
            self.general("|");
            self.plain(" ");
            self.value(&drawn.row(query));
            self.plain("\n");
        }
    }

    pub fn example(&mut self, kind: &str, input: &[Value]) {
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
        return values.iter().map(Value::cell).collect();
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
