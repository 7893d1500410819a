//! Diagnostics as text for people, through ariadne. The only file that names ariadne.

use super::diagnostic::{Diagnostic, Label, Severity};
use super::source::{Source, SourceId, Sources, Span};
use super::visible::{is_unseen, name, visible};
use ariadne::{CharSet, Config, IndexType, Report, ReportKind};
use std::collections::BTreeSet;
use std::ops::Range;

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

/// When something is drawn for a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    /// On a terminal, unless its environment says otherwise.
    #[default]
    Auto,
    /// Wherever it goes.
    Always,
    /// Nowhere.
    Never,
}

impl Style {
    /// The style of an output that is a terminal or not. Where nothing else is asked for it is plain
    /// on a terminal, too, if `NO_COLOR` is set, and if it has no colours.
    pub fn of(color: Color, is_terminal: bool) -> Style {
        let auto = match color {
            Color::Always => return Style::Terminal,
            Color::Never => return Style::Plain,
            Color::Auto => is_terminal,
        };
        // https://no-color.org: any value but the empty one.
        let asked = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
        match auto && !asked && !dumb {
            true => Style::Terminal,
            false => Style::Plain,
        }
    }
}

/// A diagnostic as it is shown to a person, ending in a newline.
pub fn render(diagnostic: &Diagnostic, sources: &Sources, style: Style) -> String {
    let drawable = diagnostic.labels.iter().all(|label| {
        let source = sources.get(label.span.source);
        [label.span.start, label.span.end].into_iter().all(|at| {
            let line = source.line(at);
            source.lines(line, line).len() <= LONGEST_LINE
        })
    });
    let Some(main) = diagnostic.span().filter(|_| drawable) else {
        return in_words(diagnostic, sources);
    };
    let excerpts = Excerpts::of(diagnostic, sources);
    let kind = match diagnostic.severity {
        Severity::Error => ReportKind::Error,
        Severity::Warning => ReportKind::Warning,
    };
    let charset = match style {
        Style::Plain => CharSet::Ascii,
        Style::Terminal => CharSet::Unicode,
    };
    let config = Config::default()
        .with_index_type(IndexType::Char)
        .with_char_set(charset)
        .with_color(style == Style::Terminal);
    let mut report = Report::build(kind, excerpts.place(main))
        .with_config(config)
        .with_code(diagnostic.code)
        .with_message(visible(&diagnostic.message));
    let mut labels: Vec<(usize, &Label)> = diagnostic.labels.iter().enumerate().collect();
    // Text by text and from top to bottom: ariadne begins again at a place above the one before it.
    labels.sort_by_key(|(_, label)| {
        let (excerpt, _) = excerpts.place(label.span);
        (excerpt, last_line(label.span, sources))
    });
    for (order, (number, label)) in labels.into_iter().enumerate() {
        let color = match (number, diagnostic.severity) {
            (0, Severity::Error) => ariadne::Color::Red,
            (0, Severity::Warning) => ariadne::Color::Yellow,
            _ => ariadne::Color::Cyan,
        };
        let mut drawn = ariadne::Label::new(excerpts.place(label.span))
            .with_color(color)
            .with_order(order as i32);
        if !label.text.is_empty() {
            drawn = drawn.with_message(visible(&label.text));
        }
        report = report.with_label(drawn);
    }
    for note in &diagnostic.notes {
        report = report.with_note(visible(note));
    }
    if let Some(help) = &diagnostic.help {
        report = report.with_help(visible(&help.message));
    }
    let mut bytes = Vec::new();
    match report.finish().write(excerpts, &mut bytes) {
        Ok(()) => trim_line_ends(&String::from_utf8_lossy(&bytes)),
        Err(_) => in_words(diagnostic, sources),
    }
}

/// The line in which the last character of a span lies.
fn last_line(span: Span, sources: &Sources) -> usize {
    let last = span.end.saturating_sub(1).max(span.start);
    sources.get(span.source).line(last)
}

/// A diagnostic without its lines, ending in a newline.
pub fn in_words(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let kind = match diagnostic.severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
    };
    let mut text = format!("[{}] {kind}: {}\n", diagnostic.code, diagnostic.message);
    for label in &diagnostic.labels {
        let (line, column) = sources.position(label.span);
        let name = name(&sources.get(label.span.source).name);
        text.push_str(&format!("  {name}:{line}:{column}: {}\n", label.text));
    }
    for note in &diagnostic.notes {
        text.push_str(&format!("  Note: {note}\n"));
    }
    if let Some(help) = &diagnostic.help {
        text.push_str(&format!("  Help: {}\n", help.message));
    }
    visible(&text).into_owned()
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

/// What is drawn of one text: its labelled lines. The other lines are empty here, so that lines keep
/// their numbers and no diagnostic costs as much as its text is long.
struct Excerpt<'s> {
    id: SourceId,
    source: &'s Source,
    shown: BTreeSet<usize>,
}

impl Excerpt<'_> {
    /// The number of characters before a line.
    fn before(&self, line: usize) -> usize {
        let length = |line: &usize| self.line(*line).chars().count();
        let shown = self.shown.range(..line);
        self.source.lines_before
            + line
            + shown
                .map(|line| length(line).saturating_sub(1))
                .sum::<usize>()
    }

    fn line(&self, line: usize) -> &str {
        &self.source.text[self.source.lines(line, line)]
    }

    fn text(&self) -> String {
        // ariadne numbers lines from the first one that it is given.
        let mut text = "\n".repeat(self.source.lines_before);
        for line in 0..=self.shown.last().copied().unwrap_or(0) {
            match self.shown.contains(&line) {
                true => text.extend(self.line(line).chars().map(drawn)),
                false => text.push('\n'),
            }
        }
        text
    }
}

/// The texts of a diagnostic, that of its main place first, as ariadne asks for them.
struct Excerpts<'s> {
    list: Vec<(Excerpt<'s>, ariadne::Source<String>)>,
}

impl<'s> Excerpts<'s> {
    fn of(diagnostic: &Diagnostic, sources: &'s Sources) -> Excerpts<'s> {
        let mut list: Vec<Excerpt> = Vec::new();
        for span in diagnostic.labels.iter().map(|label| label.span) {
            let source = sources.get(span.source);
            let lines = source.line(span.start)..=last_line(span, sources);
            match list.iter_mut().find(|excerpt| excerpt.id == span.source) {
                Some(excerpt) => excerpt.shown.extend(lines),
                None => list.push(Excerpt {
                    id: span.source,
                    source,
                    shown: lines.collect(),
                }),
            }
        }
        let split = |excerpt: Excerpt<'s>| {
            let text = ariadne::Source::from(excerpt.text());
            (excerpt, text)
        };
        Excerpts {
            list: list.into_iter().map(split).collect(),
        }
    }

    /// The number of a label's excerpt, and the characters that it covers there.
    fn place(&self, span: Span) -> (usize, Range<usize>) {
        let mut numbered = self.list.iter().enumerate();
        let Some((number, (excerpt, _))) = numbered.find(|(_, (it, _))| it.id == span.source)
        else {
            return (0, 0..0);
        };
        let line = excerpt.source.line(span.start);
        let line_start = excerpt.source.lines(line, line).start;
        let characters = |range: Range<usize>| excerpt.source.text[range].chars().count();
        let start = excerpt.before(line) + characters(line_start..span.start as usize);
        (number, start..start + characters(span.range()))
    }
}

/// A character as it is drawn: one that would end the line, or turn it around, is shown by a dot.
fn drawn(character: char) -> char {
    match character {
        '\n' | '\t' => character,
        '\r' => ' ',
        _ if is_unseen(character) => '·',
        _ => character,
    }
}

impl ariadne::Cache<usize> for Excerpts<'_> {
    type Storage = String;

    fn fetch(&mut self, number: &usize) -> Result<&ariadne::Source<String>, impl std::fmt::Debug> {
        let excerpt = self.list.get(*number);
        excerpt.map(|(_, text)| text).ok_or("no such excerpt")
    }

    fn display<'a>(&self, number: &'a usize) -> Option<impl std::fmt::Display + 'a> {
        let excerpt = self.list.get(*number);
        excerpt.map(|(excerpt, _)| name(&excerpt.source.name).into_owned())
    }
}
