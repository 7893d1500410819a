//! A drawing as Graphviz DOT and as Mermaid: its panels, or the boxes of its graph, with what reads
//! what; sections, or layers, are clusters. Positions and grids stay behind.

use super::drawing::{Block, Drawing, Graph, Grid, Link, Panel, Role};
use super::theme::{strong, tint};
use std::fmt::Write;

/// A box of either language.
struct Item {
    id: String,
    lines: Vec<String>,
    role: Role,
}

/// Items in their clusters, and what they read.
struct Clusters {
    clusters: Vec<(String, Vec<Item>)>,
    links: Vec<Link>,
}

/// Values of a row that are shown.
const SHOWN: usize = 16;

impl Clusters {
    fn new(drawing: &Drawing) -> Clusters {
        let mut found = Clusters {
            clusters: Vec::new(),
            links: drawing.links.clone(),
        };
        for section in &drawing.sections {
            let mut items = Vec::new();
            for panel in &section.panels {
                match panel.blocks.first() {
                    Some(Block::Graph(graph)) => found.graph(graph),
                    _ => items.push(item(panel)),
                }
            }
            if !items.is_empty() {
                found.clusters.push((section.title.clone(), items));
            }
        }
        if found.links.is_empty() {
            found.follow();
        }
        found
    }

    /// Where nothing says what reads what, each section reads the stream that the one before leaves.
    fn follow(&mut self) {
        let firsts = self.clusters.iter().filter_map(|(_, items)| items.first());
        let firsts: Vec<&Item> = firsts.collect();
        let link = |pair: &[&Item]| Link {
            from: pair[0].id.clone(),
            to: pair[1].id.clone(),
            role: Role::Result,
        };
        self.links = firsts.windows(2).map(link).collect();
    }

    fn graph(&mut self, graph: &Graph) {
        let last = graph.nodes.iter().map(|node| node.layer).max().unwrap_or(0);
        for layer in 0..=last {
            let nodes = graph.nodes.iter().filter(|node| node.layer == layer);
            let items = nodes.map(|node| Item {
                id: node.id.clone(),
                lines: [node.name.clone(), node.text.clone()]
                    .into_iter()
                    .filter(|line| !line.is_empty())
                    .collect(),
                role: node.role,
            });
            let title = match layer {
                0 => "embedding".to_string(),
                layer => super::flow::layer_title(layer),
            };
            self.clusters.push((title, items.collect()));
        }
        self.links.extend(graph.edges.iter().cloned());
    }
}

fn item(panel: &Panel) -> Item {
    let mut lines = vec![panel.title.clone()];
    lines.extend(panel.notes.iter().cloned());
    for block in &panel.blocks {
        let rows: Vec<_> = match block {
            Block::Table(rows) => rows.iter().collect(),
            Block::Grid(grid) => Grid::captions(grid).collect(),
            Block::Graph(_) => continue,
        };
        for row in rows {
            let mut cells: Vec<&str> = row.cells.iter().map(|cell| &*cell.text).collect();
            if cells.len() > SHOWN {
                cells.truncate(SHOWN);
                cells.push("…");
            }
            let role = match row.role {
                Role::Token => String::new(),
                role @ (Role::Query
                | Role::Key
                | Role::Value
                | Role::Result
                | Role::FeedForward
                | Role::Selector) => format!("{} ", role.name()),
            };
            lines.push(format!("{role}{}: {}", row.name, cells.join(" ")));
        }
    }
    Item {
        id: panel.id.clone(),
        lines,
        role: panel.role,
    }
}

/// A drawing for Graphviz.
pub fn dot(drawing: &Drawing) -> String {
    let found = Clusters::new(drawing);
    let mut text = format!(
        "digraph rasp {{\n  label={};\n  labelloc=t;\n  fontname=monospace;\n  \
         node [shape=box, style=\"rounded,filled\", fontname=monospace];\n",
        quoted(&drawing.title)
    );
    // Writing to a string does not fail.
    for (at, (title, items)) in found.clusters.iter().enumerate() {
        let _ = writeln!(
            text,
            "  subgraph cluster_{at} {{\n    label={};",
            quoted(title)
        );
        text.push_str("    style=filled;\n    color=\"#f0f2f4\";\n");
        for item in items {
            let lines = item.lines.iter().map(|line| escaped(line) + "\\l");
            let _ = writeln!(
                text,
                "    {} [label=\"{}\", color=\"{}\", fillcolor=\"{}\"{}];",
                quoted(&item.id),
                lines.collect::<String>(),
                strong(item.role, false),
                tint(item.role, false),
                if item.role == Role::Result {
                    ", fontcolor=white"
                } else {
                    ""
                }
            );
        }
        text.push_str("  }\n");
    }
    for link in &found.links {
        let _ = writeln!(
            text,
            "  {} -> {} [color=\"{}\", tooltip={}];",
            quoted(&link.from),
            quoted(&link.to),
            strong(link.role, false),
            quoted(link.role.name())
        );
    }
    text + "}\n"
}

fn escaped(text: &str) -> String {
    let text = crate::base::visible::name(text);
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// A drawing for Mermaid.
pub fn mermaid(drawing: &Drawing) -> String {
    let found = Clusters::new(drawing);
    let mut text = "flowchart TD\n".to_string();
    for (at, (title, items)) in found.clusters.iter().enumerate() {
        let _ = writeln!(text, "  subgraph section{at}[\"{}\"]", entities(title));
        for item in items {
            let lines: Vec<String> = item.lines.iter().map(|line| entities(line)).collect();
            let (id, role) = (identifier(&item.id), item.role.name().replace('-', "_"));
            let _ = writeln!(text, "    {id}[\"{}\"]:::{role}", lines.join("<br/>"));
        }
        text.push_str("  end\n");
    }
    for link in &found.links {
        let (from, to) = (identifier(&link.from), identifier(&link.to));
        let _ = writeln!(text, "  {from} -->|{}| {to}", link.role.name());
    }
    for (at, link) in found.links.iter().enumerate() {
        let _ = writeln!(text, "  linkStyle {at} stroke:{}", strong(link.role, false));
    }
    for role in Role::ALL {
        let name = role.name().replace('-', "_");
        let ink = if role == Role::Result {
            "#ffffff"
        } else {
            "#1b1f24"
        };
        let (fill, stroke) = (tint(role, false), strong(role, false));
        let _ = writeln!(
            text,
            "  classDef {name} fill:{fill},stroke:{stroke},color:{ink}"
        );
    }
    text
}

/// Mermaid reads entities of HTML, with `#` for `&`; everything that could mean something is one.
fn entities(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in crate::base::visible::name(text).chars() {
        match character {
            character if character.is_alphanumeric() => safe.push(character),
            ' ' | '.' | ',' | ':' | '=' | '+' | '_' | '(' | ')' | '/' | '*' | '…' | '–' => {
                safe.push(character);
            }
            character => {
                let _ = write!(safe, "#{};", u32::from(character));
            }
        }
    }
    safe
}

fn identifier(id: &str) -> String {
    id.replace('-', "_")
}
