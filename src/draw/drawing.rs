//! What is drawn, as plain data that every backend reads: sections from top to bottom, panels side by
//! side, and in them tables, grids and graphs of texts with roles. No sizes and no colours: those are a
//! backend's. It is written as JSON, and read back equal.

use crate::execute::Pattern;
use crate::value::Value;
use crate::value::sequence::display_value;
use serde::{Deserialize, Serialize};

/// A drawing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Drawing {
    /// What it shows, like `sorted("hello")`.
    pub title: String,
    /// How to read it, in a sentence.
    pub note: String,
    /// From top to bottom: from the tokens to the output.
    pub sections: Vec<Section>,
    /// Which panels read which.
    pub links: Vec<Link>,
}

/// A row of panels, like a layer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// What it is.
    pub title: String,
    /// What stands in it.
    pub panels: Vec<Panel>,
}

/// A box, like a head.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Panel {
    /// What links call it.
    pub id: String,
    /// What it is.
    pub title: String,
    /// The colour of its edge.
    pub role: Role,
    /// Sentences below the title.
    pub notes: Vec<String>,
    /// What stands in it, side by side.
    pub blocks: Vec<Block>,
}

/// That one panel or node reads another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The id of what is read.
    pub from: String,
    /// The id of the reader.
    pub to: String,
    /// What it is for the reader.
    pub role: Role,
}

/// What a panel holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Block {
    /// Values by position.
    Table(Vec<TextRow>),
    /// A square for each pair.
    Grid(Grid),
    /// Boxes and arrows.
    Graph(Graph),
}

/// What something is for attention; the colours of the field.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// A position or its token.
    #[default]
    Token,
    /// What a query position holds.
    Query,
    /// What a key position holds.
    Key,
    /// What is moved.
    Value,
    /// What comes out.
    Result,
    /// What hidden units compute.
    FeedForward,
    /// Which keys a query looks at.
    Selector,
}

impl Role {
    /// All of them, in the order of a legend.
    pub const ALL: [Role; 7] = [
        Role::Token,
        Role::Query,
        Role::Key,
        Role::Value,
        Role::Result,
        Role::FeedForward,
        Role::Selector,
    ];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Role::Token => "token",
            Role::Query => "query",
            Role::Key => "key",
            Role::Value => "value",
            Role::Result => "result",
            Role::FeedForward => "feed-forward",
            Role::Selector => "selector",
        }
    }
}

/// Texts of one role, by position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TextRow {
    /// What they are the values of; empty where they are the positions.
    pub name: String,
    /// What that is for.
    pub role: Role,
    /// One for each position.
    pub cells: Vec<Cell>,
}

/// One text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// The text.
    pub text: String,
    /// Whether it does not feed what is looked at.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub faded: bool,
}

impl Cell {
    /// A text that is looked at.
    pub fn new(text: impl Into<String>) -> Cell {
        Cell {
            text: text.into(),
            faded: false,
        }
    }
}

/// A value as a picture shows it: as a run prints it, in quotes where nothing could be seen.
pub(super) fn visible(value: &Value) -> String {
    match value {
        Value::Str(text) if text.trim().is_empty() => value.source(),
        Value::Str(_) | Value::Int(_) | Value::Float(_) | Value::Bool(_) => display_value(value),
    }
}

/// Numbers by row and column, with what stands around them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    /// What it is; may be empty.
    pub title: String,
    /// How numbers become colours.
    pub scale: Scale,
    /// One for each column.
    pub above: Vec<TextRow>,
    /// One for each row.
    pub left: Vec<TextRow>,
    /// One for each column.
    pub below: Vec<TextRow>,
    /// One for each row.
    pub right: Vec<TextRow>,
    /// `[rows, columns]`, finite.
    pub cells: Vec<Vec<f64>>,
    /// How many first rows and columns hold nothing, and are there for the same positions to stand at
    /// the same places in the grids of a panel.
    #[serde(default, skip_serializing_if = "is_none")]
    pub blank: usize,
    /// Whether each row looks at the first column as at a sink, though that is not selected; empty
    /// where none does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sink: Vec<bool>,
    /// Whether each row does not feed what is looked at; empty where all do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faded: Vec<bool>,
    /// Neighbouring columns that belong together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
}

// As serde asks for it.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_none(count: &usize) -> bool {
    *count == 0
}

/// Neighbouring columns of a grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// What they are together.
    pub name: String,
    /// How many they are.
    pub columns: usize,
}

/// How the numbers of a grid become colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// 1 is selected, 0 is not.
    #[default]
    Selected,
    /// From 0 to 1.
    Share,
    /// From -1 to 1.
    Difference,
    /// Any, by the root of the logarithm of the size.
    Number,
}

/// Boxes with arrows between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Graph {
    /// The boxes, what is read before its readers.
    pub nodes: Vec<Node>,
    /// The arrows, by the ids of nodes.
    pub edges: Vec<Link>,
}

/// A box of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// What edges call it.
    pub id: String,
    /// Its name; may be empty.
    pub name: String,
    /// What it is.
    pub text: String,
    /// Its colour.
    pub role: Role,
    /// Its layer; 0 is the embedding.
    pub layer: usize,
}

impl Drawing {
    /// The drawing as JSON.
    pub fn to_json(&self) -> String {
        // Keys are strings, and no number is infinite.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// A drawing from its JSON.
    ///
    /// # Errors
    /// It is none, in words.
    pub fn from_json(text: &str) -> Result<Drawing, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// The roles that occur, for a legend.
    pub fn roles(&self) -> Vec<Role> {
        let mut found = Vec::new();
        for block in self.blocks() {
            match block {
                Block::Table(rows) => found.extend(rows.iter().map(|row| row.role)),
                Block::Grid(grid) => found.extend(grid.rows().map(|row| row.role)),
                Block::Graph(graph) => {
                    found.extend(graph.nodes.iter().map(|node| node.role));
                    found.extend(graph.edges.iter().map(|edge| edge.role));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The side of grids where all rows of a role stand, if it is one.
    pub fn side(&self, role: Role) -> Option<&'static str> {
        let mut sides = Vec::new();
        for block in self.blocks() {
            let Block::Grid(grid) = block else { continue };
            let of_grid = [
                (&grid.left, "left"),
                (&grid.above, "above"),
                (&grid.below, "below"),
                (&grid.right, "right"),
            ];
            let here = |(rows, _): &(&Vec<TextRow>, _)| rows.iter().any(|row| row.role == role);
            sides.extend(of_grid.into_iter().filter(here).map(|(_, side)| side));
        }
        sides.sort_unstable();
        sides.dedup();
        (sides.len() == 1).then(|| sides[0])
    }

    /// The scales that occur, for a legend.
    pub fn has(&self, scale: Scale) -> bool {
        self.blocks()
            .any(|block| matches!(block, Block::Grid(grid) if grid.scale == scale))
    }

    /// Whether a position is a sink somewhere.
    pub fn has_sink(&self) -> bool {
        self.blocks()
            .any(|block| matches!(block, Block::Grid(grid) if grid.sink.contains(&true)))
    }

    fn blocks(&self) -> impl Iterator<Item = &Block> {
        let panels = self.sections.iter().flat_map(|section| &section.panels);
        panels.flat_map(|panel| &panel.blocks)
    }
}

impl Grid {
    /// What stands around it, in the order of captions.
    pub fn rows(&self) -> impl Iterator<Item = &TextRow> {
        let sides = self.left.iter().chain(&self.above);
        sides.chain(&self.below).chain(&self.right)
    }

    /// What stands around it and is not the positions themselves.
    pub fn captions(&self) -> impl Iterator<Item = &TextRow> {
        let rows = self.rows();
        rows.filter(|row| row.role != Role::Token && !row.name.is_empty())
    }

    /// How many columns it has.
    pub fn columns(&self) -> usize {
        self.cells.first().map_or(0, Vec::len)
    }

    /// Whether a cell is one of those that hold nothing.
    pub fn is_blank(&self, row: usize, column: usize) -> bool {
        row < self.blank || column < self.blank
    }

    /// Whether a cell is that of a sink.
    pub fn is_sink(&self, row: usize, column: usize) -> bool {
        column == 0 && self.sink.get(row) == Some(&true)
    }

    /// How strong the colour of a number is: from -1 to 1.
    pub fn strength(&self, number: f64, largest: f64) -> f64 {
        match self.scale {
            Scale::Selected => number.clamp(-1.0, 1.0),
            // So that the shares of many keys are seen.
            Scale::Share | Scale::Difference => number.signum() * number.abs().min(1.0).sqrt(),
            Scale::Number if largest == 0.0 => 0.0,
            // So that 1 is seen beside hundreds, on a dark page, too.
            Scale::Number => number.signum() * (number.abs().ln_1p() / largest.ln_1p()).sqrt(),
        }
    }

    /// Whether a number of a row is too little to be told from 0: softmax leaves that much to keys that
    /// are not selected.
    pub fn is_faint(&self, row: &[f64], number: f64) -> bool {
        match self.scale {
            Scale::Share => Pattern::is_faint(row, number),
            Scale::Difference => Pattern::is_faint(&[1.0], number.abs()),
            Scale::Selected | Scale::Number => false,
        }
    }

    /// The largest number, whatever its sign, that is too little.
    pub fn largest_faint(&self) -> f64 {
        let faint = self.cells.iter().flat_map(|row| {
            let faint = row.iter().filter(|number| self.is_faint(row, **number));
            faint.map(|number| number.abs())
        });
        faint.fold(0.0, f64::max)
    }

    /// The largest number, whatever its sign.
    pub fn largest(&self) -> f64 {
        let numbers = self.cells.iter().flatten();
        numbers.fold(0.0, |largest: f64, number| largest.max(number.abs()))
    }
}
