//! A drawing for the terminal: sections below each other, tables and grids in blocks of columns as
//! wide as the terminal, each with its row heads. Where columns are many, two queries share a line of
//! half blocks. Colours are an addition: without them nothing is missing.

use super::drawing::{Block, Cell, Drawing, Graph, Grid, Panel, Role, Scale, TextRow};
use super::scene::{columns_of, cut, folded};
use crate::base::counted;
use crate::base::visible::visible;
use crate::execute::{FAINT_MARK, SINK_MARK, SINK_WORDS};
use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

/// Columns of a value in a table.
const LONGEST: usize = 12;

/// Columns of a name at the left of a table.
const NAME: usize = 28;

/// Lines of a sentence.
const NOTE: usize = 8;

/// Columns that the text of a panel stands to the right.
const INDENT: usize = 2;

/// The narrowest that is drawn.
const NARROWEST: usize = 24;

/// A drawing in lines of at most so many columns, with the colours of a terminal or without.
pub fn text(drawing: &Drawing, width: usize, color: bool) -> String {
    let mut writer = Writer {
        text: String::new(),
        width: width.max(NARROWEST),
        color,
    };
    writer.line(&drawing.title);
    writer.note("", &drawing.note);
    for section in &drawing.sections {
        writer.text.push('\n');
        if !section.title.is_empty() {
            writer.line(&section.title);
        }
        for panel in &section.panels {
            writer.panel(panel);
        }
    }
    visible_but_colors(&writer.text)
}

/// What tokens and names bring is made visible; our own escapes stay.
fn visible_but_colors(text: &str) -> String {
    let pieces: Vec<_> = text.split('\u{1b}').map(visible).collect();
    pieces.join("\u{1b}")
}

struct Writer {
    text: String,
    width: usize,
    color: bool,
}

fn style(role: Role) -> Style {
    let color = match role {
        Role::Token | Role::Selector => return Style::new(),
        Role::Query => AnsiColor::Green,
        Role::Key => AnsiColor::Blue,
        Role::Value => AnsiColor::Magenta,
        Role::Result => return Style::new().bold(),
        Role::FeedForward => AnsiColor::Yellow,
    };
    color.on_default()
}

impl Writer {
    fn line(&mut self, line: &str) {
        let cut = cut(&plain(line), self.width);
        self.text.push_str(cut.trim_end());
        self.text.push('\n');
    }

    /// A sentence, in as many lines as it takes.
    fn note(&mut self, indent: &str, note: &str) {
        let room = self.width.saturating_sub(indent.len());
        for line in folded(&plain(note), room, NOTE) {
            if !line.is_empty() {
                self.line(&format!("{indent}{line}"));
            }
        }
    }

    /// A line whose colours are in it already.
    fn finished(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn painted(&self, text: &str, role: Role) -> String {
        let style = style(role);
        match self.color && !text.trim().is_empty() && style != Style::new() {
            true => format!("{}{text}{}", style.render(), style.render_reset()),
            false => text.to_string(),
        }
    }

    fn panel(&mut self, panel: &Panel) {
        let mut indent = " ".repeat(INDENT);
        if !panel.title.is_empty() {
            self.line(&format!("{indent}{}", panel.title));
            indent.push_str("  ");
        }
        for note in &panel.notes {
            self.note(&indent, note);
        }
        for block in &panel.blocks {
            match block {
                Block::Table(rows) => self.table(rows),
                Block::Grid(grid) => self.grid(grid),
                Block::Graph(graph) => self.graph(graph),
            }
        }
    }

    fn table(&mut self, rows: &[TextRow]) {
        let indent = 2 * INDENT;
        let names: Vec<String> = rows
            .iter()
            .map(|row| cut(&plain(&row.name), NAME))
            .collect();
        let name_width = names.iter().map(|name| name.width()).max().unwrap_or(0);
        let cell = widest(rows, LONGEST);
        let room = self.width.saturating_sub(indent + name_width + 1);
        let fit = (room / (cell + 1)).max(1);
        let positions = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
        for start in (0..positions).step_by(fit) {
            for (row, name) in rows.iter().zip(&names) {
                let mut line = format!("{}{} ", " ".repeat(indent), padded(name, name_width));
                for found in row.cells.iter().skip(start).take(fit) {
                    let shown = cut(&cell_text(found), cell);
                    line.push(' ');
                    line.push_str(&" ".repeat(cell - shown.width()));
                    line.push_str(&self.painted(&shown, row.role));
                }
                self.finished(&line);
            }
        }
    }

    fn grid(&mut self, grid: &Grid) {
        let indent = " ".repeat(2 * INDENT);
        let faint = match grid.largest_faint() {
            0.0 => String::new(),
            most => format!(" ({FAINT_MARK}: at most {most:.0e})"),
        };
        let sink = match grid.sink.contains(&true) {
            true => format!(" ({SINK_MARK}: {SINK_WORDS})"),
            false => String::new(),
        };
        if !grid.title.is_empty() || !faint.is_empty() || !sink.is_empty() {
            self.note(&indent, &format!("{}{faint}{sink}", grid.title));
        }
        for row in grid.captions() {
            let place = match row.role {
                Role::Query => "left: ",
                Role::Key => "above: ",
                Role::Value => "below: ",
                Role::Token | Role::Result | Role::FeedForward | Role::Selector => "right: ",
            };
            let text = format!("{place}{} {}", row.role.name(), plain(&row.name));
            let text = cut(&text, self.width - 2 * INDENT);
            let line = format!("{indent}{}", self.painted(&text, row.role));
            self.finished(&line);
        }
        for group in &grid.groups {
            let text = format!(
                "{indent}{}: {}",
                counted(group.columns, "column"),
                group.name
            );
            self.line(&text);
        }
        // What stands at the left and at the right of each row.
        let side = |rows: &[TextRow], most: usize| -> Vec<usize> {
            rows.iter()
                .map(|row| widest(std::slice::from_ref(row), most))
                .collect()
        };
        let (left, right) = (side(&grid.left, LONGEST), side(&grid.right, LONGEST));
        let sum = |widths: &[usize]| widths.iter().map(|width| width + 1).sum::<usize>();
        let columns = grid.columns();
        let room = |halves: usize| {
            let heads = halves * (sum(&left) + sum(&right)) + 2 * INDENT + 3;
            self.width.saturating_sub(heads)
        };
        let around: Vec<TextRow> = grid.above.iter().chain(&grid.below).cloned().collect();
        let wide = widest(&around, LONGEST).max(match grid.scale {
            Scale::Selected => 1,
            Scale::Share | Scale::Difference => 3,
            Scale::Number => 5,
        });
        let wide_fits = columns * (wide + 1) <= room(1);
        // Half a line has no room for the mark of a sink.
        let whole = grid.scale != Scale::Selected || grid.sink.contains(&true);
        // Where columns leave room, names have it.
        let spare = room(1).saturating_sub(columns * (wide + 1)) / left.len().max(1);
        let named = side(&grid.left, LONGEST + spare);
        let shape = match wide_fits || whole {
            true => Shape {
                cell: wide,
                halves: 1,
                fit: (room(1) / (wide + 1)).max(1),
                left: if wide_fits { named } else { left },
                right,
            },
            false => Shape {
                cell: 1,
                halves: 2,
                fit: room(2).max(1),
                left,
                right,
            },
        };
        for start in (0..columns).step_by(shape.fit) {
            self.grid_block(grid, &shape, start);
        }
    }

    fn grid_block(&mut self, grid: &Grid, shape: &Shape, start: usize) {
        let heads = shape.halves * shape.left.iter().map(|width| width + 1).sum::<usize>();
        let margin = " ".repeat(2 * INDENT + heads);
        let between = if shape.halves == 1 { " " } else { "" };
        for row in &grid.above {
            self.strip(row, shape, start, &margin, between);
        }
        let rows = grid.cells.len();
        let rule = shape.fit.min(grid.columns() - start) * (shape.cell + between.len());
        self.finished(&format!("{margin} ┌{}", "─".repeat(rule)));
        for first in (0..rows).step_by(shape.halves) {
            let mut line = " ".repeat(2 * INDENT);
            let pair: Vec<usize> = (first..(first + shape.halves).min(rows)).collect();
            for (row, width) in grid.left.iter().zip(&shape.left) {
                line.push_str(&self.beside(row, &pair, *width, shape.halves));
                line.push(' ');
            }
            line.push_str(" │");
            for column in (start..grid.columns()).take(shape.fit) {
                line.push_str(between);
                match shape.halves {
                    1 => {
                        let row = &grid.cells[first];
                        let shown = match grid.is_faint(row, row[column]) {
                            _ if grid.is_blank(first, column) => String::new(),
                            _ if grid.is_sink(first, column) => SINK_MARK.to_string(),
                            true if row[column] == 0.0 => String::new(),
                            true => FAINT_MARK.to_string(),
                            false => number(grid.scale, row[column], shape.cell),
                        };
                        line.push_str(&" ".repeat(shape.cell.saturating_sub(shown.width())));
                        line.push_str(&shown);
                    }
                    _ => {
                        let on = |row: Option<&usize>| {
                            row.is_some_and(|row| grid.cells[*row][column] != 0.0)
                        };
                        line.push(match (on(pair.first()), on(pair.get(1))) {
                            _ if pair.iter().all(|row| grid.is_blank(*row, column)) => ' ',
                            (true, true) => '█',
                            (true, false) => '▀',
                            (false, true) => '▄',
                            (false, false) => '·',
                        });
                    }
                }
            }
            // What comes out stands at the last block of columns.
            if start + shape.fit >= grid.columns() {
                for (row, width) in grid.right.iter().zip(&shape.right) {
                    line.push_str("  ");
                    line.push_str(&self.beside(row, &pair, *width, shape.halves));
                }
            }
            self.finished(&line);
        }
        for row in &grid.below {
            self.strip(row, shape, start, &margin, between);
        }
    }

    /// The texts of one row, or of the two that share a line, at its side.
    fn beside(&self, row: &TextRow, pair: &[usize], width: usize, halves: usize) -> String {
        let texts = pair
            .iter()
            .map(|at| row.cells.get(*at).map(cell_text).unwrap_or_default());
        let texts: Vec<String> = texts.map(|text| cut(&text, width)).collect();
        let all = (halves - 1) * (width + 1) + width;
        let same = texts.len() == 2 && texts[0] == texts[1];
        let text = if same {
            texts[0].clone()
        } else {
            texts.join("/")
        };
        let blanks = " ".repeat(all.saturating_sub(text.width()));
        format!("{blanks}{}", self.painted(&text, row.role))
    }

    /// Texts above or below the columns; from top to bottom where columns are narrower.
    fn strip(&mut self, row: &TextRow, shape: &Shape, start: usize, margin: &str, between: &str) {
        let texts = row.cells.iter().skip(start).take(shape.fit);
        let texts: Vec<String> = texts.map(|cell| cut(&cell_text(cell), LONGEST)).collect();
        let deepest = texts.iter().map(|text| text.width()).max().unwrap_or(0);
        if deepest <= shape.cell {
            let mut line = format!("{margin}  ");
            for text in &texts {
                line.push_str(between);
                line.push_str(&" ".repeat(shape.cell - text.width()));
                line.push_str(&self.painted(text, row.role));
            }
            return self.finished(&line);
        }
        let lines = texts
            .iter()
            .map(|text| text.chars().count())
            .max()
            .unwrap_or(0);
        for at in 0..lines {
            let mut line = format!("{margin}  ");
            for text in &texts {
                // At the top of the grid texts stand on it.
                let count = text.chars().count();
                let skipped = lines - count;
                let character = at.checked_sub(skipped).and_then(|at| text.chars().nth(at));
                let character = character.map_or(" ".to_string(), String::from);
                line.push_str(between);
                line.push_str(&" ".repeat(shape.cell.saturating_sub(character.width())));
                line.push_str(&self.painted(&character, row.role));
            }
            self.finished(&line);
        }
    }

    /// A line for each box, with what it reads.
    fn graph(&mut self, graph: &Graph) {
        let called = |id: &str| {
            let node = graph.nodes.iter().find(|node| node.id == id);
            node.map_or("", |node| {
                if node.name.is_empty() {
                    &node.text
                } else {
                    &node.name
                }
            })
        };
        for node in &graph.nodes {
            let title = match (node.name.is_empty(), node.text.is_empty()) {
                (true, _) => node.text.clone(),
                (false, true) => node.name.clone(),
                (false, false) => format!("{} = {}", node.name, node.text),
            };
            self.line(&format!("  layer {}  {title}", node.layer));
            for edge in graph.edges.iter().filter(|edge| edge.to == node.id) {
                let line = format!("           {} ← {}", edge.role.name(), called(&edge.from));
                let line = cut(&plain(&line), self.width);
                let line = self.painted(&line, edge.role);
                self.finished(&line);
            }
        }
    }
}

/// The columns of a grid on a terminal.
struct Shape {
    /// Columns of a cell.
    cell: usize,
    /// Rows that share a line.
    halves: usize,
    /// Cells in a line.
    fit: usize,
    left: Vec<usize>,
    right: Vec<usize>,
}

/// What a number of a grid looks like: none but 0 as 0.
fn number(scale: Scale, number: f64, width: usize) -> String {
    if number == 0.0 {
        return "·".to_string();
    }
    match scale {
        Scale::Selected => "█".repeat(width.min(2)),
        Scale::Share | Scale::Difference => {
            let text = format!("{number:.2}");
            match &*text {
                "1.00" => "1".to_string(),
                "-1.00" => "-1".to_string(),
                "0.00" | "-0.00" => "~0".to_string(),
                text => text.replacen("0.", ".", 1),
            }
        }
        Scale::Number => {
            let short = format!("{number:.2}");
            let short = short.trim_end_matches('0').trim_end_matches('.');
            match short {
                "0" | "-0" => "~0".to_string(),
                short if short.len() <= width => short.to_string(),
                _ => format!("{number:.0e}"),
            }
        }
    }
}

fn cell_text(cell: &Cell) -> String {
    match cell.faded {
        true => "·".to_string(),
        false => {
            let text = plain(&cell.text);
            cut(&text, columns_of(&text, usize::MAX))
        }
    }
}

/// A text from outside, without anything that a terminal obeys.
fn plain(text: &str) -> String {
    crate::base::visible::name(text).into_owned()
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

fn widest(rows: &[TextRow], most: usize) -> usize {
    let cells = rows.iter().flat_map(|row| &row.cells);
    let widths = cells.map(|cell| cut(&cell_text(cell), most).width());
    widths.max().unwrap_or(0).max(1)
}
