//! A drawing laid out: shapes with places and paints, in pixels. Texts are measured in the one font
//! that pictures use, in which all characters are as wide as each other, or twice as wide.

use super::drawing::Role;
use crate::base::visible::is_unseen;
use unicode_width::UnicodeWidthChar;

/// The width of a character for a font of size 1: DejaVu Sans Mono's, 1233 of 2048.
const ADVANCE: f64 = 0.60205;

/// What a picture shows.
pub struct Scene {
    pub width: f64,
    pub height: f64,
    /// Its name, for whoever cannot see it.
    pub title: String,
    /// What there is to see.
    pub description: String,
    pub shapes: Vec<Shape>,
}

/// What something is painted with; a theme says how that looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Paint {
    Ink,
    Dim,
    Panel,
    Empty,
    Line,
    Stream,
    On,
    Plus,
    Minus,
    /// The background of cells of a role.
    Tint(Role),
    /// What stands on that background.
    Text(Role),
    /// Edges and swatches of a role.
    Edge(Role),
    /// Arrows of a role.
    Arrow(Role),
}

impl Paint {
    /// Whether it is a line, and nothing is filled.
    pub fn is_line(self) -> bool {
        matches!(self, Paint::Line | Paint::Stream | Paint::Arrow(_))
    }
}

/// Where a text stands from its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
}

pub enum Shape {
    /// Shapes moved together.
    Group {
        x: f64,
        y: f64,
        shapes: Vec<Shape>,
    },
    Rect {
        area: Area,
        round: f64,
        paint: Paint,
    },
    Path {
        d: String,
        paint: Paint,
        opacity: f64,
    },
    Text(Text),
}

/// A rectangle.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

pub struct Text {
    pub x: f64,
    pub y: f64,
    pub size: f64,
    pub text: String,
    pub paint: Paint,
    pub anchor: Anchor,
    /// From bottom to top.
    pub turned: bool,
    pub faded: bool,
    /// All of it, where it was cut.
    pub full: Option<String>,
}

impl Text {
    /// A text around a point, which is its middle from top to bottom.
    pub fn new(x: f64, y: f64, size: f64, text: impl Into<String>, paint: Paint) -> Text {
        Text {
            x,
            y,
            size,
            text: text.into(),
            paint,
            anchor: Anchor::Start,
            turned: false,
            faded: false,
            full: None,
        }
    }

    pub fn anchored(mut self, anchor: Anchor) -> Text {
        self.anchor = anchor;
        self
    }

    /// The same with at most so many columns.
    pub fn cut(mut self, columns: usize) -> Text {
        let short = cut(&self.text, columns);
        if short != self.text {
            self.full = Some(std::mem::replace(&mut self.text, short));
        }
        self
    }

    pub fn width(&self) -> f64 {
        measure(&self.text, self.size)
    }
}

/// Columns of a text. What is unseen is shown by a character of one column.
fn columns(text: &str) -> usize {
    text.chars().map(column).sum()
}

/// Columns of a character.
pub fn column(character: char) -> usize {
    match is_unseen(character) {
        true => 1,
        false => character.width().unwrap_or(0),
    }
}

/// How wide a text is.
pub fn measure(text: &str, size: f64) -> f64 {
    columns(text) as f64 * size * ADVANCE
}

/// How many columns fit.
pub fn fitting(width: f64, size: f64) -> usize {
    (width / (size * ADVANCE)).floor().max(0.0) as usize
}

/// A text of at most so many columns.
pub fn cut(text: &str, columns: usize) -> String {
    if self::columns(text) <= columns {
        return text.to_string();
    }
    let mut short = String::new();
    let mut width = 0;
    for character in text.chars() {
        width += column(character);
        if width + 1 > columns {
            break;
        }
        short.push(character);
    }
    short + "…"
}

/// Columns of a number with a fraction.
const NUMBER: usize = 7;

/// Columns that a value may take: a number that is cut after some digits is still about that number.
pub fn columns_of(value: &str, most: usize) -> usize {
    let digits = value.trim_start_matches('-');
    let is_fraction =
        digits.contains('.') && digits.bytes().all(|b| b == b'.' || b.is_ascii_digit());
    if is_fraction { most.min(NUMBER) } else { most }
}

/// A text in lines of at most so many columns, at blanks where there are some; so many lines at most.
pub fn folded(text: &str, columns: usize, lines: usize) -> Vec<String> {
    let mut found: Vec<String> = vec![String::new()];
    for word in text.split_inclusive(' ') {
        let last = found.len() - 1;
        let together = self::columns(&found[last]) + self::columns(word.trim_end());
        if together > columns && !found[last].is_empty() {
            if found.len() == lines {
                found[last] = cut(&format!("{}{word}…", found[last]), columns);
                return found;
            }
            found.push(String::new());
        }
        let last = found.len() - 1;
        found[last].push_str(word);
    }
    found
        .into_iter()
        .map(|line| cut(line.trim_end(), columns))
        .collect()
}
