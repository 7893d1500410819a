//! Diagnostics as text for people, through ariadne. The only file that names ariadne.

use super::diagnostic::{Diagnostic, Severity};
use super::source::{SourceId, Sources, Span};
use ariadne::{CharSet, Config, IndexType, Report, ReportKind};

/// Bytes of a line that is drawn; places in longer ones are told in words.
const LONGEST_LINE: usize = 1_000;

/// How a diagnostic is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// ASCII without colour: pipes, logs, snapshots.
    Plain,
    /// Line-drawing characters and colour: terminals.
    Terminal,
}

/// A diagnostic as it is shown to a person, ending in a newline.
pub fn render(diagnostic: &Diagnostic, sources: &Sources, style: Style) -> String {
    let drawable = diagnostic.labels.iter().all(|label| {
        let text = &sources.get(label.span.source).text;
        let mut ends = [label.span.start, label.span.end].into_iter();
        ends.all(|at| line_length(text, at as usize) <= LONGEST_LINE)
    });
    let Some(main) = diagnostic.span().filter(|_| drawable) else {
        return in_words(diagnostic, sources);
    };
    let kind = match diagnostic.severity {
        Severity::Error => ReportKind::Error,
        Severity::Warning => ReportKind::Warning,
    };
    let charset = match style {
        Style::Plain => CharSet::Ascii,
        Style::Terminal => CharSet::Unicode,
    };
    let config = Config::default()
        .with_index_type(IndexType::Byte)
        .with_char_set(charset)
        .with_color(style == Style::Terminal);
    let mut report = Report::build(kind, main)
        .with_config(config)
        .with_code(diagnostic.code)
        .with_message(&diagnostic.message);
    for (order, label) in diagnostic.labels.iter().enumerate() {
        let color = match (order, diagnostic.severity) {
            (0, Severity::Error) => ariadne::Color::Red,
            (0, Severity::Warning) => ariadne::Color::Yellow,
            _ => ariadne::Color::Cyan,
        };
        let mut drawn = ariadne::Label::new(label.span)
            .with_color(color)
            .with_order(order as i32);
        if !label.text.is_empty() {
            drawn = drawn.with_message(&label.text);
        }
        report = report.with_label(drawn);
    }
    for note in &diagnostic.notes {
        report = report.with_note(note);
    }
    if let Some(help) = &diagnostic.help {
        report = report.with_help(help);
    }
    let mut bytes = Vec::new();
    match report.finish().write(Cache::new(sources), &mut bytes) {
        Ok(()) => trim_line_ends(&String::from_utf8_lossy(&bytes)),
        Err(_) => in_words(diagnostic, sources),
    }
}

fn line_length(text: &str, at: usize) -> usize {
    let (before, after) = text.as_bytes().split_at(at.min(text.len()));
    let start = before.iter().rev().take_while(|byte| **byte != b'\n');
    start.count() + after.iter().take_while(|byte| **byte != b'\n').count()
}

fn in_words(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let kind = match diagnostic.severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
    };
    let mut text = format!("[{}] {kind}: {}\n", diagnostic.code, diagnostic.message);
    for label in &diagnostic.labels {
        let (line, column) = sources.position(label.span);
        let name = &sources.get(label.span.source).name;
        text.push_str(&format!("  {name}:{line}:{column}: {}\n", label.text));
    }
    for note in &diagnostic.notes {
        text.push_str(&format!("  Note: {note}\n"));
    }
    if let Some(help) = &diagnostic.help {
        text.push_str(&format!("  Help: {help}\n"));
    }
    text
}

/// ariadne pads lines with blanks; nobody wants them in a log or a snapshot.
fn trim_line_ends(text: &str) -> String {
    let mut trimmed: String = text
        .lines()
        .flat_map(|line| [line.trim_end(), "\n"])
        .collect();
    while trimmed.ends_with("\n\n") {
        trimmed.pop();
    }
    trimmed
}

impl ariadne::Span for Span {
    type SourceId = SourceId;

    fn source(&self) -> &SourceId {
        &self.source
    }

    fn start(&self) -> usize {
        self.start as usize
    }

    fn end(&self) -> usize {
        self.end as usize
    }
}

/// Hands the texts of `Sources` to ariadne, each split into lines once.
struct Cache<'s> {
    sources: &'s Sources,
    split: std::collections::BTreeMap<SourceId, ariadne::Source<String>>,
}

impl<'s> Cache<'s> {
    fn new(sources: &'s Sources) -> Cache<'s> {
        Cache {
            sources,
            split: Default::default(),
        }
    }
}

impl ariadne::Cache<SourceId> for Cache<'_> {
    type Storage = String;

    fn fetch(&mut self, id: &SourceId) -> Result<&ariadne::Source<String>, impl std::fmt::Debug> {
        let text = &self.sources.get(*id).text;
        Ok::<_, std::convert::Infallible>(
            self.split
                .entry(*id)
                .or_insert_with(|| ariadne::Source::from(text.to_string())),
        )
    }

    fn display<'a>(&self, id: &'a SourceId) -> Option<impl std::fmt::Display + 'a> {
        Some(self.sources.get(*id).name.clone())
    }
}
