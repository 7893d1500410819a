//! Where the squares of a grid stand, and the strips of texts around it: queries at the left, keys
//! above, values below, results at the right.

use super::drawing::{Cell, Grid, Scale, TextRow};
use super::places::{Drawn, FADED, rectangle};
use super::scene::{Anchor, Area, Paint, Text, columns_of, cut, folded, measure};
use super::svg::number;
use std::collections::BTreeMap;

/// Characters of a text in a strip, at most.
const LONGEST: usize = 32;

/// Letters of two lines in one row, as a share of its height, and from which height on they can be read.
const SMALL: f64 = 0.38;
const HIGH: f64 = 16.0;

/// Characters of a name above columns, at most.
const BRACKET: usize = 22;

/// A strip of texts along a side.
struct Strip<'r> {
    row: &'r TextRow,
    /// How far it reaches from the side.
    depth: f64,
    turned: bool,
}

pub(super) fn grid(grid: &Grid) -> Drawn {
    let (rows, columns) = (grid.cells.len(), grid.columns());
    let side = match rows.max(columns) {
        0..=8 => 25.0,
        9..=14 => 21.0,
        15..=26 => 16.0,
        27..=64 => 12.0,
        65..=128 => 9.0,
        _ => 6.0,
    };
    let size = f64::clamp(side * 0.62, 5.0, 12.0);
    let along = |row| Strip::along(row, side, size);
    let beside = |row| Strip::beside(row, side, size);
    let left: Vec<Strip> = grid.left.iter().map(beside).collect();
    let right: Vec<Strip> = grid.right.iter().map(beside).collect();
    let above: Vec<Strip> = grid.above.iter().map(along).collect();
    let below: Vec<Strip> = grid.below.iter().map(along).collect();
    let depth = |strips: &[Strip]| strips.iter().map(|strip| strip.depth).sum::<f64>();
    let (width, height) = (columns as f64 * side, rows as f64 * side);
    let gap = 3.0;
    let mut drawn = Drawn::default();
    let mut y = captions(&mut drawn, grid);
    let x = depth(&left) + gap;
    y += brackets(&mut drawn, grid, (x, y), side);
    for strip in &above {
        strip.draw(&mut drawn, (x, y), side, size);
        y += strip.depth;
    }
    let top = y + gap;
    let mut at = 0.0;
    for strip in &left {
        strip.draw_down(&mut drawn, (at, top), side, size);
        at += strip.depth;
    }
    squares(&mut drawn, grid, (x, top), side);
    let mut at = x + width + gap;
    for strip in &right {
        strip.draw_down(&mut drawn, (at, top), side, size);
        at += strip.depth;
    }
    let mut bottom = top + height + gap;
    for strip in &below {
        strip.draw(&mut drawn, (x, bottom), side, size);
        bottom += strip.depth;
    }
    drawn.width = drawn.width.max(at);
    drawn.height = bottom;
    drawn
}

/// What stands around the grid, a line each; gives how high they are.
fn captions(drawn: &mut Drawn, grid: &Grid) -> f64 {
    let size = 11.0;
    let mut y = 0.0;
    if !grid.title.is_empty() {
        let title = Text::new(0.0, y + 7.0, size, &grid.title, Paint::Ink);
        drawn.width = drawn.width.max(title.width());
        drawn.text(title);
        y += 18.0;
    }
    for row in grid.captions() {
        let swatch = Area {
            x: 0.0,
            y: y + 2.0,
            width: 9.0,
            height: 9.0,
        };
        drawn.rect(swatch, 2.0, Paint::Edge(row.role));
        let text = format!("{} {}", row.role.name(), row.name);
        let text = Text::new(15.0, y + 7.0, size, text, Paint::Dim).cut(44);
        drawn.width = drawn.width.max(15.0 + text.width());
        drawn.text(text);
        y += 15.0;
    }
    if y > 0.0 { y + 5.0 } else { y }
}

/// Names above neighbouring columns; gives how high they are.
fn brackets(drawn: &mut Drawn, grid: &Grid, (x, y): (f64, f64), side: f64) -> f64 {
    if grid.groups.is_empty() {
        return 0.0;
    }
    let size = 9.0;
    let longest = grid
        .groups
        .iter()
        .map(|group| measure(&cut(&group.name, BRACKET), size));
    let height = longest.fold(0.0, f64::max) + 12.0;
    let mut column = 0;
    for group in &grid.groups {
        let start = x + column as f64 * side;
        let width = group.columns as f64 * side;
        let middle = start + width / 2.0;
        let line = y + height - 4.0;
        let (from, to) = (number(start + 1.0), number(start + width - 1.0));
        drawn.path(
            format!("M{from} {0}v-3H{to}v3", number(line)),
            Paint::Stream,
            0.7,
        );
        let text = Text::new(middle, line - 9.0, size, &group.name, Paint::Ink);
        column += group.columns;
        if text.width() <= width - 2.0 {
            drawn.text(text.anchored(Anchor::Middle));
            continue;
        }
        let text = text.cut(BRACKET);
        let apart = 1.2 * size;
        let most = if width < 2.0 * apart { 1 } else { 2 };
        let lines = folded(&group.name, BRACKET, most);
        let mut x = middle - (lines.len() - 1) as f64 * apart / 2.0;
        for part in lines {
            drawn.text(Text {
                x,
                y: line - 5.0,
                text: part,
                turned: true,
                full: text.full.clone(),
                ..text
            });
            x += apart;
        }
    }
    height
}

impl Strip<'_> {
    fn widest(row: &TextRow, size: f64) -> f64 {
        let widths = row
            .cells
            .iter()
            .map(|cell| measure(&cut(&cell.text, columns_of(&cell.text, LONGEST)), size));
        widths.fold(0.0, f64::max)
    }

    fn along(row: &TextRow, side: f64, size: f64) -> Strip<'_> {
        let widest = Strip::widest(row, size);
        let turned = widest > side - 1.0;
        let depth = if turned {
            widest + 8.0
        } else {
            side.max(size + 5.0)
        };
        Strip { row, depth, turned }
    }

    fn beside(row: &TextRow, side: f64, size: f64) -> Strip<'_> {
        let mut strip = Strip {
            row,
            depth: side,
            turned: false,
        };
        let texts = row.cells.iter();
        let texts = texts.flat_map(|cell| strip.lines((0.0, 0.0), cell, side, size));
        let widest = texts.map(|text| text.width()).fold(0.0, f64::max);
        strip.depth = side.max(widest + 8.0);
        strip
    }

    fn draw(&self, drawn: &mut Drawn, (x, y): (f64, f64), side: f64, size: f64) {
        self.tint(drawn, |at| {
            rectangle(
                x + at as f64 * side + 0.5,
                y + 0.5,
                side - 1.0,
                self.depth - 1.0,
            )
        });
        for (at, cell) in self.row.cells.iter().enumerate() {
            let middle = x + (at as f64 + 0.5) * side;
            let mut text = self.text((middle, y + self.depth / 2.0), cell, size);
            if self.turned && text.width() > side - 1.0 {
                text.turned = true;
                text.anchor = Anchor::Start;
                text.y = y + self.depth - 4.0;
            }
            drawn.text(text);
        }
    }

    fn draw_down(&self, drawn: &mut Drawn, (x, y): (f64, f64), side: f64, size: f64) {
        self.tint(drawn, |at| {
            rectangle(
                x + 0.5,
                y + at as f64 * side + 0.5,
                self.depth - 1.0,
                side - 1.0,
            )
        });
        for (at, cell) in self.row.cells.iter().enumerate() {
            let middle = y + (at as f64 + 0.5) * side;
            let lines = self.lines((x + self.depth / 2.0, middle), cell, side, size);
            lines.into_iter().for_each(|line| drawn.text(line));
        }
    }

    /// A text at a row: one that is too long for a line has two, of smaller letters.
    fn lines(&self, (x, y): (f64, f64), cell: &Cell, side: f64, size: f64) -> Vec<Text> {
        let text = self.text((x, y), cell, size);
        if text.full.is_none() || columns_of(&cell.text, LONGEST) < LONGEST || side < HIGH {
            return vec![text];
        }
        let lines = folded(&cell.text, LONGEST, 2).into_iter();
        let apart = 1.2 * SMALL * side;
        let places = [y - apart / 2.0, y + apart / 2.0];
        let line = |(line, y)| Text {
            text: line,
            y,
            size: SMALL * side,
            full: text.full.clone(),
            ..text
        };
        lines.zip(places).map(line).collect()
    }

    fn text(&self, (x, y): (f64, f64), cell: &Cell, size: f64) -> Text {
        let paint = match cell.faded {
            true => Paint::Dim,
            false => Paint::Text(self.row.role),
        };
        let mut text = Text::new(x, y, size, &cell.text, paint)
            .cut(columns_of(&cell.text, LONGEST))
            .anchored(Anchor::Middle);
        text.faded = cell.faded;
        text
    }

    fn tint(&self, drawn: &mut Drawn, area: impl Fn(usize) -> String) {
        for faded in [false, true] {
            let cells = self.row.cells.iter().enumerate();
            let cells = cells.filter(|(_, cell)| cell.faded == faded);
            let d: String = cells.map(|(at, _)| area(at)).collect();
            let opacity = if faded { FADED } else { 1.0 };
            drawn.path(d, Paint::Tint(self.row.role), opacity);
        }
    }
}

/// A square with a hole, as a part of a path: what is looked at and not selected.
pub(super) fn hollow(x: f64, y: f64, side: f64) -> String {
    let (edge, thick) = (side * 0.16, side * 0.14);
    let outer = side - 2.0 * edge;
    let inner = number(outer - 2.0 * thick);
    let (from, top) = (number(x + edge + thick), number(y + edge + thick));
    // The other way round, so that it is a hole.
    format!(
        "{}M{from} {top}v{inner}h{inner}v-{inner}z",
        rectangle(x + edge, y + edge, outer, outer)
    )
}

fn squares(drawn: &mut Drawn, grid: &Grid, (x, y): (f64, f64), side: f64) {
    let (rows, columns) = (grid.cells.len(), grid.columns());
    // What holds nothing is neither a square nor within lines.
    let blank = grid.blank.min(rows).min(columns) as f64 * side;
    let (width, height) = (columns as f64 * side - blank, rows as f64 * side - blank);
    let area = Area {
        x: x + blank,
        y: y + blank,
        width,
        height,
    };
    drawn.rect(area, 0.0, Paint::Empty);
    let faded = |row: usize| grid.faded.get(row) == Some(&true);
    if grid.scale == Scale::Selected {
        for fading in [false, true] {
            let mut d = String::new();
            for (row, numbers) in grid
                .cells
                .iter()
                .enumerate()
                .filter(|(row, _)| faded(*row) == fading)
            {
                let top = y + row as f64 * side;
                for (column, _) in numbers
                    .iter()
                    .enumerate()
                    .filter(|(_, number)| **number != 0.0)
                {
                    d.push_str(&rectangle(x + column as f64 * side, top, side, side));
                }
            }
            drawn.path(d, Paint::On, if fading { FADED } else { 1.0 });
        }
    } else {
        let largest = grid.largest();
        // Squares that look alike are one shape: a picture has thousands.
        let mut alike: BTreeMap<(Paint, u32), String> = BTreeMap::new();
        for (row, numbers) in grid.cells.iter().enumerate() {
            let fade = if faded(row) { FADED } else { 1.0 };
            let top = y + row as f64 * side;
            for (column, found) in numbers.iter().enumerate() {
                let strength = grid.strength(*found, largest);
                if strength.abs() < 0.004 {
                    continue;
                }
                let paint = match grid.scale {
                    Scale::Difference | Scale::Number if strength < 0.0 => Paint::Minus,
                    Scale::Difference | Scale::Number => Paint::Plus,
                    Scale::Selected | Scale::Share => Paint::On,
                };
                let opacity = fade * strength.abs().max(0.06);
                let squares = alike.entry((paint, (opacity * 100.0).round() as u32));
                let left = x + column as f64 * side;
                squares
                    .or_default()
                    .push_str(&rectangle(left, top, side, side));
            }
        }
        for ((paint, hundredths), d) in alike {
            drawn.path(d, paint, f64::from(hundredths) / 100.0);
        }
    }
    let sinks = (0..rows).filter(|row| grid.is_sink(*row, 0));
    let sinks: String = sinks
        .map(|row| hollow(x, y + row as f64 * side, side))
        .collect();
    drawn.path(sinks, Paint::On, 1.0);
    let mut lines = String::new();
    let (left, top) = (number(x + blank), number(y + blank));
    for column in grid.blank..=columns {
        lines.push_str(&format!(
            "M{} {top}v{}",
            number(x + column as f64 * side),
            number(height)
        ));
    }
    for row in grid.blank..=rows {
        lines.push_str(&format!(
            "M{left} {}h{}",
            number(y + row as f64 * side),
            number(width)
        ));
    }
    drawn.path(lines, Paint::Line, 1.0);
}
