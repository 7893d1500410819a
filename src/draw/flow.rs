//! The flow of an s-op on an input: the layers and heads of its schedule with the values in them.
//! Depends on `graph`, `schedule`, and on `feed` for the values.

use super::drawing::{
    Block, Cell, Drawing, Grid, Link, Panel, Role, Scale, Section, TextRow, visible,
};
use super::feed::{Feeds, Run, sides};
use super::{Budget, Subject};
use crate::base::Fallible;
use crate::base::table::form;
use crate::graph::{SOp, SOpId, SelectorId, without_number};
use crate::schedule::{Attention, Head, Schedule};
use crate::value::Value;
use crate::value::sequence::{applied, input_source};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// S-ops that are compared on one side of a grid, at most.
const SIDE: usize = 3;

/// A model has a layer more where hidden units take two steps, and a head for each part of a
/// disjunction: the schedule counts those, and the picture of a model shows them.
const LAYERS: &str = "the program's own layers and heads; its model may take more";

/// What is said where names are told apart.
pub(super) const NUMBERED: &str =
    "s-ops of one name are numbered in the order in which they are computed";

/// Names the sections `layer 1`, `layer 2`, ….
pub(super) fn layer_title(layer: usize) -> String {
    format!("layer {layer}")
}

/// The flow of an s-op on an input. With a position, what does not feed the s-op there is faded.
///
/// # Errors
/// The s-op has no value on the input; a limit is reached.
pub fn flow(subject: &Subject, root: SOpId, name: &str) -> Fallible<Drawing> {
    let apart = subject.graph.told_apart(&[root], &[]);
    let subject = &subject.of(&apart);
    let graph = subject.graph;
    let schedule = crate::schedule::schedule(graph, &[root]);
    let mut budget = Budget::new(subject.limits);
    let tokens = subject.input.len();
    for head in schedule.layers.iter().flat_map(|layer| &layer.heads) {
        budget.cells(tokens, tokens + 4 + head.outputs.len())?;
        budget.boxes(1)?;
    }
    budget.cells(tokens, schedule.embedding.len() + 2)?;
    for layer in &schedule.layers {
        budget.cells(tokens, layer.feed_forward.len())?;
    }
    let run = Run::new(graph, root, subject.input, subject.limits)?;
    let feeds = match subject.at {
        Some(position) => Some(run.feeds(root, position)?),
        None => None,
    };
    let numbered = matches!(apart, Cow::Owned(_));
    let painter = Painter {
        schedule: &schedule,
        shown: shown(&run, &schedule, root),
        run,
        feeds,
        root,
        name,
    };
    let mut drawing = painter.drawing(subject)?;
    if numbered {
        drawing.note.push_str("; ");
        drawing.note.push_str(NUMBERED);
    }
    Ok(drawing)
}

/// S-ops worth a row: with a name, read by a head, or the root.
fn shown(run: &Run, schedule: &Schedule, root: SOpId) -> FxHashSet<SOpId> {
    let graph = run.graph;
    let mut shown: FxHashSet<SOpId> = FxHashSet::default();
    shown.extend(run.sops.iter().filter(|id| graph.name(**id).is_some()));
    for head in schedule.layers.iter().flat_map(|layer| &layer.heads) {
        let sides = sides(graph, head.attention);
        shown.extend(sides.keys.into_iter().chain(sides.queries));
        shown.extend(head.outputs.iter().filter_map(|id| graph.get(*id).moved()));
    }
    shown.insert(root);
    shown
}

struct Painter<'a> {
    run: Run<'a>,
    schedule: &'a Schedule,
    shown: FxHashSet<SOpId>,
    feeds: Option<Feeds>,
    root: SOpId,
    name: &'a str,
}

impl Painter<'_> {
    fn drawing(&self, subject: &Subject) -> Fallible<Drawing> {
        let mut homes: FxHashMap<SOpId, String> = FxHashMap::default();
        let mut sections = vec![self.input(&mut homes)];
        for (index, layer) in self.schedule.layers.iter().enumerate() {
            let number = index + 1;
            let mut panels = Vec::new();
            for (at, head) in layer.heads.iter().enumerate() {
                let id = format!("layer{number}-head{}", at + 1);
                panels.push(self.head(&id, at + 1, head)?);
                homes.extend(head.outputs.iter().map(|output| (*output, id.clone())));
            }
            let id = format!("layer{number}-feed-forward");
            panels.extend(self.feed_forward(&id, "feed-forward", &layer.feed_forward, &mut homes));
            sections.push(Section {
                title: layer_title(number),
                panels,
            });
        }
        sections.push(self.output());
        let note = match subject.at {
            Some(position) => format!(
                "{LAYERS}; what feeds position {position} of the output is shown, and what does not \
                 is faded"
            ),
            None => LAYERS.to_string(),
        };
        Ok(Drawing {
            title: applied(self.name, &input_source(subject.input)),
            note,
            links: self.links(&homes),
            sections,
        })
    }

    /// The tokens, and what is computed from them and the indices alone.
    fn input(&self, homes: &mut FxHashMap<SOpId, String>) -> Section {
        let graph = self.run.graph;
        let mut rows = vec![self.tokens_row()];
        let indices = self
            .run
            .sops
            .iter()
            .find(|id| *graph.get(**id) == SOp::Indices);
        rows.extend(indices.map(|id| self.row(*id, Role::Token)));
        for id in &self.run.sops {
            if matches!(graph.get(*id), SOp::Tokens | SOp::Indices) {
                homes.insert(*id, "input".to_string());
            }
        }
        let mut panels = vec![Panel {
            id: "input".to_string(),
            title: "tokens and indices".to_string(),
            blocks: vec![Block::Table(rows)],
            ..Panel::default()
        }];
        // `tokens` is the tokens again where these are strings.
        let tokens = self.tokens_row();
        let embedding = self.schedule.embedding.iter().copied();
        let (same, others): (Vec<SOpId>, Vec<SOpId>) =
            embedding.partition(|id| same(&self.row(*id, Role::Token), &tokens));
        homes.extend(same.into_iter().map(|id| (id, "input".to_string())));
        panels.extend(self.feed_forward("embedding", "elementwise", &others, homes));
        Section {
            title: "embedding".to_string(),
            panels,
        }
    }

    fn output(&self) -> Section {
        let mut row = self.row(self.root, Role::Result);
        row.name = self.name.to_string();
        let rows = vec![self.tokens_row(), row];
        Section {
            title: "output".to_string(),
            panels: vec![Panel {
                id: "output".to_string(),
                title: self.name.to_string(),
                role: Role::Result,
                blocks: vec![Block::Table(rows)],
                ..Panel::default()
            }],
        }
    }

    fn head(&self, id: &str, number: usize, head: &Head) -> Fallible<Panel> {
        let graph = self.run.graph;
        let mut grid = self.grid(head.attention)?;
        let mut values: Vec<SOpId> = Vec::new();
        for value in head.outputs.iter().filter_map(|id| graph.get(*id).moved()) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        grid.below = folded(values.iter().map(|id| self.row(*id, Role::Value)));
        let results = head.outputs.iter();
        grid.right = folded(results.map(|id| self.row(*id, Role::Result)));
        if let Some(feeds) = &self.feeds {
            let feeds_any = |at| head.outputs.iter().any(|id| feeds.has(*id, at));
            grid.faded = (0..self.run.input.len()).map(|at| !feeds_any(at)).collect();
        }
        Ok(Panel {
            id: id.to_string(),
            title: format!("head {number}: {}", head.attention.describe(graph)),
            role: Role::Selector,
            blocks: vec![Block::Grid(grid)],
            ..Panel::default()
        })
    }

    /// Where an attention looks, with what it compares.
    fn grid(&self, attention: Attention) -> Fallible<Grid> {
        let sides = sides(self.run.graph, attention);
        let rows = |sops: &[SOpId], role| {
            // Where there is too much, what is the same everywhere is left out first.
            let mut told = sops.to_vec();
            let more = told.len().saturating_sub(SIDE);
            if more > 0 {
                told.sort_by_key(|id| matches!(self.run.graph.get(*id), SOp::Constant(_)));
            }
            let shown = told.iter().take(SIDE);
            let mut rows: Vec<TextRow> = shown.map(|id| self.row(*id, role)).collect();
            rows.extend((more > 0).then(|| TextRow {
                name: format!("and {more} more"),
                role,
                cells: vec![Cell::new("…"); self.run.input.len()],
            }));
            let tokens = self.tokens_row();
            if !rows.iter().any(|row| same(row, &tokens)) {
                rows.insert(0, tokens);
            }
            rows
        };
        Ok(Grid {
            scale: match attention {
                Attention::Selector(_) => Scale::Selected,
                Attention::Scorer(_) => Scale::Share,
            },
            above: rows(&sides.keys, Role::Key),
            left: rows(&sides.queries, Role::Query),
            cells: self.run.weights(attention)?,
            ..Grid::default()
        })
    }

    /// A panel for elementwise s-ops, unless none is worth a row.
    fn feed_forward(
        &self,
        id: &str,
        title: &str,
        sops: &[SOpId],
        homes: &mut FxHashMap<SOpId, String>,
    ) -> Option<Panel> {
        let shown: Vec<SOpId> = sops
            .iter()
            .filter(|id| self.shown.contains(id))
            .copied()
            .collect();
        homes.extend(shown.iter().map(|sop| (*sop, id.to_string())));
        let rows = shown.iter().map(|sop| self.row(*sop, Role::FeedForward));
        (!shown.is_empty()).then(|| Panel {
            id: id.to_string(),
            title: title.to_string(),
            role: Role::FeedForward,
            blocks: vec![Block::Table(folded(rows))],
            ..Panel::default()
        })
    }

    fn row(&self, id: SOpId, role: Role) -> TextRow {
        let cell = |at| Cell {
            text: self.run.value(id, at).map_or("–".to_string(), visible),
            faded: self.feeds.as_ref().is_some_and(|feeds| !feeds.has(id, at)),
        };
        TextRow {
            name: self.run.graph.describe(id),
            role,
            cells: (0..self.run.input.len()).map(cell).collect(),
        }
    }

    fn tokens_row(&self) -> TextRow {
        let graph = self.run.graph;
        let read = |at| {
            let input = self.run.sops.iter();
            let mut input =
                input.filter(|id| matches!(graph.get(**id), SOp::Tokens | SOp::Indices));
            input.any(|id| self.feeds.as_ref().is_none_or(|feeds| feeds.has(*id, at)))
        };
        let tokens = self.run.input.iter().enumerate();
        let cell = |(at, token): (usize, &Value)| Cell {
            text: visible(token),
            faded: self.feeds.is_some() && !read(at),
        };
        TextRow {
            name: "tokens".to_string(),
            role: Role::Token,
            cells: tokens.map(cell).collect(),
        }
    }

    /// Which panel reads which.
    fn links(&self, homes: &FxHashMap<SOpId, String>) -> Vec<Link> {
        let graph = self.run.graph;
        // What has no row of its own stands for what it is computed from.
        let mut sources: FxHashMap<SOpId, Vec<&str>> = FxHashMap::default();
        let mut links: Vec<Link> = Vec::new();
        let link = |links: &mut Vec<Link>, sources: &[&str], to: &str, role| {
            for from in sources.iter().filter(|from| **from != to) {
                let link = Link {
                    from: (*from).to_string(),
                    to: to.to_string(),
                    role,
                };
                if !links.contains(&link) {
                    links.push(link);
                }
            }
        };
        for id in &self.run.sops {
            let of = |sops: &[SOpId]| {
                let mut all: Vec<&str> = Vec::new();
                for home in sops
                    .iter()
                    .flat_map(|id| sources.get(id).into_iter().flatten())
                {
                    if !all.contains(home) {
                        all.push(home);
                    }
                }
                all
            };
            let Some(home) = homes.get(id) else {
                let through = of(&graph.dependencies(*id));
                sources.insert(*id, through);
                continue;
            };
            match graph.get(*id) {
                SOp::Tokens | SOp::Indices | SOp::Constant(_) | SOp::Given(_) => {}
                SOp::Map { operands, .. } => {
                    link(&mut links, &of(operands), home, Role::FeedForward);
                }
                SOp::Aggregate { .. } | SOp::Width { .. } | SOp::WeightedMean { .. } => {
                    let sides = attention(graph.get(*id)).map(|attention| sides(graph, attention));
                    let sides = sides.unwrap_or_default();
                    link(&mut links, &of(&sides.queries), home, Role::Query);
                    link(&mut links, &of(&sides.keys), home, Role::Key);
                    let value: Vec<SOpId> = graph.get(*id).moved().into_iter().collect();
                    link(&mut links, &of(&value), home, Role::Value);
                }
            }
            sources.insert(*id, vec![home]);
        }
        let root = sources.get(&self.root).cloned().unwrap_or_default();
        link(&mut links, &root, "output", Role::Result);
        links
    }
}

/// What an s-op attends by.
pub(super) fn attention(sop: &SOp) -> Option<Attention> {
    match sop {
        SOp::Aggregate { selector, .. } | SOp::Width { selector } => {
            Some(Attention::Selector(*selector))
        }
        SOp::WeightedMean { scorer, .. } => Some(Attention::Scorer(*scorer)),
        SOp::Tokens | SOp::Indices | SOp::Constant(_) | SOp::Given(_) | SOp::Map { .. } => None,
    }
}

/// Rows whose names differ in numbers and strings only, from which on some are left out, and how many
/// of them stay.
const ALIKE: usize = 8;
const STAY: usize = 4;

/// Rows of which equal ones are one, and of many that are called alike the first stay.
fn folded(rows: impl Iterator<Item = TextRow>) -> Vec<TextRow> {
    let mut different: Vec<(TextRow, usize)> = Vec::new();
    for row in rows {
        let is_same = |(known, _): &&mut (TextRow, usize)| {
            let names = [&known.name, &row.name].map(|name| without_number(name));
            names[0] == names[1] && (known.role, &known.cells) == (row.role, &row.cells)
        };
        match different.iter_mut().find(is_same) {
            Some((_, count)) => *count += 1,
            None => different.push((row, 1)),
        }
    }
    let mut alike: FxHashMap<String, usize> = FxHashMap::default();
    for (row, _) in &different {
        *alike.entry(form(&row.name)).or_default() += 1;
    }
    let mut seen: FxHashMap<String, usize> = FxHashMap::default();
    let mut short = Vec::new();
    for (mut row, count) in different {
        let form = form(&row.name);
        let (all, seen) = (alike[&form], seen.entry(form).or_default());
        *seen += 1;
        if all >= ALIKE && *seen > STAY {
            if *seen > STAY + 1 {
                continue;
            }
            row.name = format!("{} more like these", all - STAY);
            row.cells.iter_mut().for_each(|cell| *cell = Cell::new("…"));
        } else if count > 1 {
            row.name = format!("{count} × {}", without_number(&row.name));
        }
        short.push(row);
    }
    short
}

fn same(a: &TextRow, b: &TextRow) -> bool {
    let pairs = a.cells.iter().zip(&b.cells);
    pairs.into_iter().all(|(a, b)| a.text == b.text)
}

/// Selectors on an input, side by side.
///
/// # Errors
/// One that cannot be evaluated; a limit is reached.
pub fn selectors(subject: &Subject, selectors: &[(SelectorId, String)]) -> Fallible<Drawing> {
    let ids: Vec<SelectorId> = selectors.iter().map(|(id, _)| *id).collect();
    let apart = subject.graph.told_apart(&[], &ids);
    let subject = &subject.of(&apart);
    let graph = subject.graph;
    let mut budget = Budget::new(subject.limits);
    budget.boxes(selectors.len())?;
    let mut panels = Vec::new();
    for (number, (id, name)) in selectors.iter().enumerate() {
        budget.cells(subject.input.len(), subject.input.len() + 4)?;
        let run = Run::operands(graph, *id, subject.input, subject.limits)?;
        let painter = Painter {
            run,
            schedule: &Schedule::default(),
            shown: FxHashSet::default(),
            feeds: None,
            root: SOpId(0),
            name,
        };
        let mut grid = painter.grid(Attention::Selector(*id))?;
        if let Some(position) = subject.at {
            grid.faded = (0..subject.input.len()).map(|at| at != position).collect();
        }
        panels.push(Panel {
            id: format!("selector{}", number + 1),
            title: name.clone(),
            role: Role::Selector,
            blocks: vec![Block::Grid(grid)],
            ..Panel::default()
        });
    }
    let names: Vec<&str> = selectors.iter().map(|(_, name)| &**name).collect();
    Ok(Drawing {
        title: format!("{} on {}", names.join(", "), input_source(subject.input)),
        sections: vec![Section {
            title: String::new(),
            panels,
        }],
        ..Drawing::default()
    })
}
