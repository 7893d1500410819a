//! Source texts and places in them. Texts are kept in memory by `Sources`; a `Span` is a byte
//! range in one of them and stays valid for as long as the `Sources` lives.

use std::sync::Arc;

/// Names one text held by a [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u32);

/// A byte range `start..end` of one source text; both ends lie on character boundaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The text.
    pub source: SourceId,
    /// Its first byte.
    pub start: u32,
    /// The byte behind its last.
    pub end: u32,
}

impl Span {
    /// The place of what no text has made, such as the built-in names: the empty first source of
    /// every evaluator. Diagnostics leave it out.
    pub const BUILT_IN: Span = Span {
        source: SourceId(0),
        start: 0,
        end: 0,
    };

    /// The place between two bytes of a text.
    pub fn new(source: SourceId, start: usize, end: usize) -> Span {
        Span {
            source,
            start: start as u32,
            end: end as u32,
        }
    }

    /// The smallest span that covers both; `self` if they lie in different sources.
    pub fn to(self, other: Span) -> Span {
        if self.source != other.source {
            return self;
        }
        Span {
            source: self.source,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// Whether the other span lies in this one.
    pub fn contains(self, other: Span) -> bool {
        self.source == other.source && self.start <= other.start && other.end <= self.end
    }

    /// Its bytes.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// One text with the name under which diagnostics show it.
#[derive(Clone, Debug)]
pub struct Source {
    /// What people call it: the path of a file, or another name.
    pub name: String,
    /// What it says.
    pub text: Arc<str>,
    /// The lines that people count before its first one, where it is a part of something longer.
    pub lines_before: usize,
    /// Where each line starts.
    lines: Arc<[u32]>,
}

impl Source {
    fn new(name: String, text: Arc<str>) -> Source {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = ends.filter(|start| *start < text.len());
        let lines = std::iter::once(0).chain(starts).map(|start| start as u32);
        Source {
            name,
            lines_before: 0,
            lines: lines.collect(),
            text,
        }
    }

    /// The number of the line, from 0, that a byte is in.
    pub fn line(&self, at: u32) -> usize {
        self.lines.partition_point(|start| *start <= at) - 1
    }

    /// The bytes of the lines from one number to another, both included.
    pub fn lines(&self, first: usize, last: usize) -> std::ops::Range<usize> {
        let start = |line: usize| self.lines.get(line).map(|start| *start as usize);
        let end = self.text.len();
        start(first).unwrap_or(end)..start(last + 1).unwrap_or(end)
    }
}

/// All texts read so far, in the order in which they were read.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    list: Vec<Source>,
}

impl Sources {
    /// No texts.
    pub fn new() -> Sources {
        Sources::default()
    }

    /// Adds a text.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> SourceId {
        let id = SourceId(u32::try_from(self.list.len()).expect("fewer than 2³² sources"));
        self.list.push(Source::new(name.into(), text.into()));
        id
    }

    /// Adds a text that follows some lines of a longer one.
    pub fn add_after(
        &mut self,
        name: impl Into<String>,
        text: impl Into<Arc<str>>,
        lines_before: usize,
    ) -> SourceId {
        let id = self.add(name, text);
        self.list[id.0 as usize].lines_before = lines_before;
        id
    }

    /// A text that was added.
    pub fn get(&self, id: SourceId) -> &Source {
        &self.list[id.0 as usize]
    }

    /// The text a span covers.
    pub fn text(&self, span: Span) -> &str {
        &self.get(span.source).text[span.range()]
    }

    /// Line and column of the start of a span, both from 1, as people count them; columns count
    /// characters.
    pub fn position(&self, span: Span) -> (usize, usize) {
        let source = self.get(span.source);
        let line = source.line(span.start);
        let line_start = source.lines(line, line).start;
        let before = &source.text[line_start..span.start as usize];
        (source.lines_before + line + 1, before.chars().count() + 1)
    }
}
