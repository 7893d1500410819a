//! Where everything of a drawing stands. Sections run down along the residual stream, their panels
//! stand side by side in as many rows as the page is narrow; sizes follow from the number of tokens.

use super::drawing::{Block, Drawing, Panel, Role, Scale, Section, TextRow};
use super::layered;
use super::matrix::{grid, hollow};
use super::scene::{
    Anchor, Area, Paint, Scene, Shape, Text, columns_of, cut, fitting, folded, measure,
};
use crate::execute::SINK_WORDS;

/// The page is as wide as this, unless one panel is wider.
const PAGE: f64 = 1240.0;

/// It is as wide as this instead where it becomes that much lower, as grids of 50 tokens stand side
/// by side then.
const WIDE: f64 = 1500.0;
const LOWER: f64 = 0.8;

/// Around the page, and between panels.
const MARGIN: f64 = 24.0;
const GAP: f64 = 16.0;

/// Inside a panel.
const PADDING: f64 = 12.0;

/// Left of the panels: the residual stream.
const STREAM: f64 = 28.0;

const TITLE: f64 = 16.0;
const HEADING: f64 = 12.0;

/// How much is left to see of what does not feed what is looked at.
pub(super) const FADED: f64 = 0.25;

/// Shapes with the room that they take.
#[derive(Default)]
pub(super) struct Drawn {
    pub width: f64,
    pub height: f64,
    pub shapes: Vec<Shape>,
}

impl Drawn {
    pub fn text(&mut self, text: Text) {
        self.shapes.push(Shape::Text(text));
    }

    pub fn rect(&mut self, area: Area, round: f64, paint: Paint) {
        self.shapes.push(Shape::Rect { area, round, paint });
    }

    pub fn path(&mut self, d: String, paint: Paint, opacity: f64) {
        if !d.is_empty() {
            self.shapes.push(Shape::Path { d, paint, opacity });
        }
    }

    pub fn group(&mut self, x: f64, y: f64, inner: Drawn) {
        self.width = self.width.max(x + inner.width);
        self.height = self.height.max(y + inner.height);
        self.shapes.push(Shape::Group {
            x,
            y,
            shapes: inner.shapes,
        });
    }
}

/// A drawing with places.
pub fn lay_out(drawing: &Drawing) -> Scene {
    let mut page = Drawn::default();
    let streams = drawing.sections.len() > 1;
    let left = if streams { MARGIN + STREAM } else { MARGIN };
    let (mut body, mut stops) = sections(drawing, left, PAGE);
    if body.height > PAGE {
        let wide = sections(drawing, left, WIDE);
        if wide.0.height < LOWER * body.height {
            (body, stops) = wide;
        }
    }
    let width = (body.width + MARGIN).max(520.0);
    let mut top = MARGIN;
    let columns = fitting(width - 2.0 * MARGIN, TITLE);
    for line in folded(&drawing.title, columns, 2) {
        let mut text = Text::new(MARGIN, top + TITLE / 2.0, TITLE, line, Paint::Ink);
        text.full = Some(drawing.title.clone());
        page.text(text);
        top += TITLE + 6.0;
    }
    if !drawing.note.is_empty() {
        for line in folded(&drawing.note, fitting(width - 2.0 * MARGIN, HEADING), 3) {
            page.text(Text::new(MARGIN, top + 8.0, HEADING, line, Paint::Dim));
            top += HEADING + 5.0;
        }
    }
    top += 10.0;
    if streams {
        stream(&mut page, top, &stops);
    }
    let height = body.height;
    page.group(0.0, top, body);
    let legend = legend(drawing, width - 2.0 * MARGIN);
    let bottom = top + height + GAP;
    let end = bottom + legend.height + MARGIN;
    page.group(MARGIN, bottom, legend);
    Scene {
        width,
        height: end,
        title: drawing.title.clone(),
        description: description(drawing),
        shapes: page.shapes,
    }
}

/// The sections below each other on a page of some width, and where each begins.
fn sections(drawing: &Drawing, left: f64, page: f64) -> (Drawn, Vec<f64>) {
    let mut body = Drawn::default();
    let mut y = 0.0;
    let mut stops = Vec::new();
    for found in &drawing.sections {
        let drawn = section(found, page - left - MARGIN);
        stops.push(y + 7.0);
        let height = drawn.height;
        body.group(left, y, drawn);
        y += height + GAP + 4.0;
    }
    (body, stops)
}

/// The line from the tokens to the output.
fn stream(page: &mut Drawn, top: f64, stops: &[f64]) {
    let x = MARGIN + 8.0;
    let (Some(first), Some(last)) = (stops.first(), stops.last()) else {
        return;
    };
    let (first, last) = (top + first, top + last);
    let line = format!("M{x} {first:.1}V{:.1}", last - 6.0);
    page.path(line, Paint::Stream, 1.0);
    for stop in &stops[..stops.len() - 1] {
        let y = top + stop;
        page.path(format!("M{x} {y:.1}h14"), Paint::Stream, 1.0);
    }
    let head = format!("M{} {:.1}h10l-5 9z", x - 5.0, last - 8.0);
    page.path(head, Paint::Edge(Role::Token), 1.0);
}

/// In words what there is to see.
fn description(drawing: &Drawing) -> String {
    let mut text = drawing.note.clone();
    for section in &drawing.sections {
        let panels: Vec<&str> = section.panels.iter().map(|panel| &*panel.title).collect();
        let end = if text.is_empty() { "" } else { ". " };
        text.push_str(&format!("{end}{}: {}", section.title, panels.join("; ")));
    }
    text
}

fn section(section: &Section, available: f64) -> Drawn {
    let mut drawn = Drawn::default();
    let mut top = 0.0;
    if !section.title.is_empty() {
        let title = Text::new(0.0, 7.0, HEADING, &section.title, Paint::Dim);
        drawn.width = title.width();
        drawn.text(title);
        top = 22.0;
    }
    let (mut x, mut y, mut row) = (0.0, top, 0.0_f64);
    for found in &section.panels {
        let panel = panel(found, available);
        if x > 0.0 && x + panel.width > available {
            y += row + GAP;
            (x, row) = (0.0, 0.0);
        }
        row = row.max(panel.height);
        let width = panel.width;
        drawn.group(x, y, panel);
        x += width + GAP;
    }
    drawn.height = drawn.height.max(top);
    drawn
}

fn panel(panel: &Panel, available: f64) -> Drawn {
    let inner = available - 2.0 * PADDING;
    let mut content = Drawn::default();
    let (mut x, mut y, mut row) = (0.0, 0.0, 0.0_f64);
    for found in &panel.blocks {
        let block = match found {
            Block::Table(rows) => table(rows, inner),
            Block::Grid(found) => grid(found),
            Block::Graph(graph) => layered::graph(graph),
        };
        if x > 0.0 && x + block.width > inner {
            y += row + GAP;
            (x, row) = (0.0, 0.0);
        }
        row = row.max(block.height);
        let width = block.width;
        content.group(x, y, block);
        x += width + 28.0;
    }
    let shortest = measure(&cut(&panel.title, 44), HEADING);
    let width = content.width.max(shortest).max(120.0);
    let mut drawn = Drawn {
        width: width + 2.0 * PADDING,
        ..Drawn::default()
    };
    let mut texts = Vec::new();
    let mut top = PADDING;
    if !panel.title.is_empty() {
        for line in folded(&panel.title, fitting(width + 1.0, HEADING), 3) {
            let mut text = Text::new(PADDING, top + 6.0, HEADING, line, Paint::Ink);
            text.full = Some(panel.title.clone());
            texts.push(text);
            top += HEADING + 4.0;
        }
        top += 6.0;
    }
    for note in &panel.notes {
        for line in folded(note, fitting(width + 1.0, 11.0), 4) {
            texts.push(Text::new(PADDING, top + 6.0, 11.0, line, Paint::Dim));
            top += 15.0;
        }
        top += 3.0;
    }
    let height = top + content.height + PADDING;
    let area = |width| Area {
        x: 0.0,
        y: 0.0,
        width,
        height,
    };
    drawn.rect(area(drawn.width), 4.0, Paint::Panel);
    drawn.rect(area(4.0), 2.0, Paint::Edge(panel.role));
    texts.into_iter().for_each(|text| drawn.text(text));
    drawn.group(PADDING, top, content);
    drawn.height = height;
    drawn
}

/// Values by position, in as many blocks as the page is narrow.
fn table(rows: &[TextRow], available: f64) -> Drawn {
    let mut drawn = Drawn::default();
    let positions = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let size = match positions {
        0..=16 => 12.0,
        17..=30 => 10.5,
        _ => 9.0,
    };
    let names: Vec<String> = rows.iter().map(|row| cut(&row.name, 36)).collect();
    let names_width = names.iter().map(|name| measure(name, size));
    let name_width = names_width.fold(0.0, f64::max) + 12.0;
    let texts = rows.iter().flat_map(|row| &row.cells);
    let widths = texts.map(|cell| measure(&cut(&cell.text, columns_of(&cell.text, 12)), size));
    let cell = (widths.fold(0.0, f64::max) + 0.7 * size).max(1.7 * size);
    let height = size + 8.0;
    let fit = (((available - name_width) / cell).floor() as usize).max(1);
    let mut top = 0.0;
    for start in (0..positions).step_by(fit) {
        for (row, name) in rows.iter().zip(&names) {
            let middle = top + height / 2.0;
            let mut label = Text::new(0.0, middle, size, name, Paint::Dim);
            if *name != row.name {
                label.full = Some(row.name.clone());
            }
            drawn.text(label);
            let shown: Vec<_> = row.cells.iter().skip(start).take(fit).collect();
            for faded in [false, true] {
                let boxes = shown.iter().enumerate();
                let boxes = boxes.filter(|(_, found)| found.faded == faded);
                let d: String = boxes
                    .map(|(at, _)| {
                        let x = name_width + at as f64 * cell;
                        rectangle(x + 0.5, top + 1.0, cell - 1.0, height - 2.0)
                    })
                    .collect();
                drawn.path(d, Paint::Tint(row.role), if faded { FADED } else { 1.0 });
            }
            for (at, found) in shown.iter().enumerate() {
                let x = name_width + (at as f64 + 0.5) * cell;
                let paint = match found.faded {
                    true => Paint::Dim,
                    false => Paint::Text(row.role),
                };
                let mut text = Text::new(x, middle, size, &found.text, paint)
                    .cut(columns_of(&found.text, 12))
                    .anchored(Anchor::Middle);
                text.faded = found.faded;
                drawn.text(text);
            }
            top += height;
        }
        top += 8.0;
    }
    drawn.width = name_width + positions.min(fit) as f64 * cell;
    drawn.height = (top - 8.0).max(0.0);
    drawn
}

/// A rectangle as a part of a path.
pub(super) fn rectangle(x: f64, y: f64, width: f64, height: f64) -> String {
    use super::svg::number;
    let (w, h) = (number(width), number(height));
    format!("M{} {}h{w}v{h}h-{w}z", number(x), number(y))
}

/// What the colours mean, as far as they occur.
fn legend(drawing: &Drawing, available: f64) -> Drawn {
    let mut entries: Vec<(Paint, String)> = Vec::new();
    for role in drawing.roles() {
        let name = match role {
            Role::Token => "token, index",
            Role::Selector if drawing.has(Scale::Selected) => continue,
            role @ (Role::Query
            | Role::Key
            | Role::Value
            | Role::Result
            | Role::FeedForward
            | Role::Selector) => role.name(),
        };
        let text = match drawing.side(role) {
            Some(side) if role != Role::Token => format!("{name} ({side})"),
            _ => name.to_string(),
        };
        entries.push((Paint::Edge(role), text));
    }
    let mut scale = |paint, text: &str| entries.push((paint, text.to_string()));
    let selects = drawing.has(Scale::Selected) && drawing.roles().contains(&Role::Query);
    match (selects, drawing.has(Scale::Share)) {
        (true, true) => scale(
            Paint::On,
            "selected, or attention: strength by its square root",
        ),
        (true, false) => scale(Paint::On, "selected"),
        (false, true) => scale(Paint::On, "attention: strength by its square root"),
        (false, false) => {}
    }
    if drawing.has(Scale::Difference) || drawing.has(Scale::Number) {
        scale(Paint::Plus, "more than 0");
        scale(Paint::Minus, "less than 0");
    }
    if drawing.has_sink() {
        let place = entries.iter().position(|(paint, _)| *paint == Paint::On);
        let entry = (Paint::Empty, SINK_WORDS.to_string());
        entries.insert(place.map_or(entries.len(), |at| at + 1), entry);
    }
    let mut drawn = Drawn::default();
    let (mut x, mut y) = (0.0, 0.0);
    let size = 11.0;
    for (paint, text) in entries {
        let width = measure(&text, size) + 34.0;
        if x > 0.0 && x + width > available {
            (x, y) = (0.0, y + 20.0);
        }
        let area = Area {
            x,
            y,
            width: 12.0,
            height: 12.0,
        };
        if paint == Paint::Empty {
            drawn.path(hollow(x - 2.0, y - 2.0, 16.0), Paint::On, 1.0);
        } else {
            drawn.rect(area, 2.0, paint);
        }
        drawn.text(Text::new(x + 18.0, y + 6.0, size, text, Paint::Dim));
        x += width;
        drawn.height = y + 14.0;
        drawn.width = drawn.width.max(x);
    }
    drawn
}
