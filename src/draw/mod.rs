//! Pictures: one drawing model ([`Drawing`]), what draws programs and models into it, and what shows
//! it: as text, SVG, PNG, PDF, Graphviz DOT, Mermaid, JSON or one HTML page. Depends on `base`,
//! `value`, `graph`, `interpret`, `schedule`, `model`, `plan` and `execute`; it evaluates, and decides nothing
//! about programs.

mod dot;
mod drawing;
mod feed;
mod flow;
mod form;
mod layered;
mod matrix;
mod missing;
mod page;
#[cfg(feature = "pictures")]
mod picture;
mod places;
mod program;
mod residual;
mod scene;
mod selecting;
mod svg;
mod text;
mod theme;
mod transformer;
mod weights;
mod words;

pub use dot::{dot, mermaid};
pub use drawing::{
    Block, Cell, Drawing, Graph, Grid, Group, Link, Node, Panel, Role, Scale, Section, TextRow,
};
pub use flow::{flow, selectors};
pub use form::{Form, Look, bytes};
pub use page::page;
#[cfg(feature = "pictures")]
pub use picture::{pdf, png};
pub use program::program;
pub use residual::stream;
pub use svg::svg;
pub use text::text;
pub use theme::Theme;
pub use transformer::model_flow;
pub use weights::weights;
pub use words::explain;

use crate::base::{Code, Diagnostic, Fallible, Limits};
use crate::graph;
use crate::value::Value;

/// What is drawn, and how far.
pub struct Subject<'a> {
    /// The program.
    pub graph: &'a graph::Graph,
    /// The tokens.
    pub input: &'a [Value],
    /// The position of the output that is looked at, if it is one.
    pub at: Option<usize>,
    /// What bounds the drawing.
    pub limits: &'a Limits,
}

impl<'a> Subject<'a> {
    /// The same of another graph of the program.
    fn of<'g>(&self, graph: &'g graph::Graph) -> Subject<'g>
    where
        'a: 'g,
    {
        Subject { graph, ..*self }
    }

    /// # Errors
    /// A position beyond the input (E0405).
    pub fn check(&self) -> Fallible<()> {
        match self.at {
            Some(position) if position >= self.input.len() => {
                let message = format!(
                    "there is no position {position} in an input of {} tokens",
                    self.input.len()
                );
                let error = Diagnostic::error(Code::BadRequest, message);
                Err(error.help("positions count from 0").into())
            }
            _ => Ok(()),
        }
    }
}

/// What is left of the limits of one drawing.
struct Budget {
    cells: usize,
    boxes: usize,
    most_cells: usize,
    most_boxes: usize,
}

impl Budget {
    fn new(limits: &Limits) -> Budget {
        Budget {
            cells: 0,
            boxes: 0,
            most_cells: limits.drawn_cells,
            most_boxes: limits.drawn_boxes,
        }
    }

    fn cells(&mut self, rows: usize, columns: usize) -> Fallible<()> {
        self.cells = self.cells.saturating_add(rows.saturating_mul(columns));
        match self.cells > self.most_cells {
            true => Err(reached("drawn_cells", self.most_cells, "cells")),
            false => Ok(()),
        }
    }

    fn boxes(&mut self, more: usize) -> Fallible<()> {
        self.boxes = self.boxes.saturating_add(more);
        match self.boxes > self.most_boxes {
            true => Err(reached("drawn_boxes", self.most_boxes, "boxes")),
            false => Ok(()),
        }
    }
}

fn reached(name: &str, most: usize, what: &str) -> Box<Diagnostic> {
    let message = format!("the limit `{name}` of {most} {what} of a drawing is reached");
    let error = Diagnostic::error(Code::LimitReached, message);
    let help = "draw a part of the program, or a shorter input; `--limit NAME=VALUE` raises it";
    error.help(help).into()
}
