//! A schedule as a drawing for the terminal: the residual stream runs down the left, and hanging
//! off it are the embedding, the heads of each layer side by side, and the feed-forward blocks.
//! Pure text, cut to a width that any terminal has.

use super::print::definition;
use super::{Head, Schedule};
use crate::graph::Graph;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns left of the stream, for the numbers of layers.
const MARGIN: usize = 8;

/// Columns of a row of boxes: with the margin and the stream, 80.
const WIDTH: usize = 68;

/// Columns of the text in a box that has a row to itself.
const BOX: usize = WIDTH - 4;

/// Lines in a frame with a title.
struct Frame {
    title: String,
    lines: Vec<String>,
}

impl Schedule {
    /// Draws the layers from the tokens down to the s-op of that name.
    pub fn draw(&self, graph: &Graph, name: &str) -> String {
        let mut drawing = Drawing::default();
        drawing.line("", "tokens, indices");
        drawing.line("", "│");
        let embedding = self.named(graph, &self.embedding);
        drawing.row("", boxed("embedding", embedding));
        for (index, layer) in self.layers.iter().enumerate() {
            let heads = layer.heads.iter().enumerate();
            let frames = heads.map(|(number, head)| head_frame(graph, number, head));
            let mut label = format!("layer {}", index + 1);
            drawing.row(&label, frames.collect());
            if !layer.heads.is_empty() {
                label.clear();
            }
            let feed_forward = self.named(graph, &layer.feed_forward);
            drawing.row(&label, boxed("feed-forward", feed_forward));
        }
        drawing.line("", "▼");
        drawing.line("", &cut(name, WIDTH));
        drawing.text
    }
}

/// A box, unless there is nothing to put in it.
fn boxed(title: &str, lines: Vec<String>) -> Vec<Frame> {
    if lines.is_empty() {
        return Vec::new();
    }
    vec![Frame::new(title.to_string(), lines)]
}

/// Where a head looks, and below it what it brings.
fn head_frame(graph: &Graph, number: usize, head: &Head) -> Frame {
    let looks = format!("at {}", head.attention.describe(graph));
    let outputs = head.outputs.iter().map(|id| definition(graph, *id));
    let lines = std::iter::once(looks).chain(outputs).collect();
    Frame::new(format!("head {}", number + 1), lines)
}

impl Frame {
    fn new(title: String, lines: Vec<String>) -> Frame {
        let lines = lines.iter().map(|line| cut(line, BOX)).collect();
        Frame { title, lines }
    }

    /// Columns with the frame.
    fn width(&self) -> usize {
        self.inner() + 4
    }

    /// Columns between the frame's blanks.
    fn inner(&self) -> usize {
        let lines = self.lines.iter().map(|line| line.width());
        lines.max().unwrap_or(0).max(self.title.width() + 1)
    }

    /// The line of that number, the frame's top being 0; blanks below its bottom.
    fn line(&self, number: usize) -> String {
        let inner = self.inner();
        let rule = |columns: usize| "─".repeat(columns);
        match number {
            0 => format!("┌ {} {}┐", self.title, rule(inner - self.title.width())),
            number if number <= self.lines.len() => {
                format!("│ {} │", padded(&self.lines[number - 1], inner))
            }
            number if number == self.lines.len() + 1 => format!("└{}┘", rule(inner + 2)),
            _ => " ".repeat(self.width()),
        }
    }
}

#[derive(Default)]
struct Drawing {
    text: String,
}

impl Drawing {
    fn line(&mut self, label: &str, rest: &str) {
        let line = format!("{} {rest}", padded(label, MARGIN));
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// Boxes side by side, in as many rows as they need.
    fn row(&mut self, label: &str, frames: Vec<Frame>) {
        let mut label = label.to_string();
        let mut row: Vec<Frame> = Vec::new();
        let mut width = 0;
        for frame in frames {
            if !row.is_empty() && width + frame.width() > WIDTH {
                self.boxes(&std::mem::take(&mut label), &std::mem::take(&mut row));
                width = 0;
            }
            width += frame.width() + 1;
            row.push(frame);
        }
        if !row.is_empty() {
            self.boxes(&label, &row);
        }
    }

    fn boxes(&mut self, label: &str, row: &[Frame]) {
        let tallest = row.iter().map(|frame| frame.lines.len()).max().unwrap_or(0);
        for number in 0..tallest + 2 {
            let boxes: Vec<String> = row.iter().map(|frame| frame.line(number)).collect();
            let boxes = boxes.join(" ");
            // The first line of the first box is tied to the stream.
            match boxes.strip_prefix('│').filter(|_| number == 1) {
                Some(tied) => self.line(label, &format!("├──┤{tied}")),
                None => self.line("", &format!("│  {boxes}")),
            }
        }
        self.line("", "│");
    }
}

/// The text with blanks up to a width.
fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// The text on one line of at most so many columns.
fn cut(text: &str, width: usize) -> String {
    let mut short = String::new();
    let mut columns = 0;
    for character in text.chars() {
        let shown = if character.is_control() {
            ' '
        } else {
            character
        };
        columns += shown.width().unwrap_or(0);
        if columns > width {
            while short.width() >= width {
                short.pop();
            }
            short.push('…');
            break;
        }
        short.push(shown);
    }
    short
}
