//! The residual stream of a model as heat maps, and when its variables live. Depends on `model` and
//! `execute`.

use super::Subject;
use super::drawing::{Block, Cell, Drawing, Grid, Group, Panel, Role, Scale, Section, TextRow};
use super::transformer::{output, positions, rows, traced};
use crate::base::Fallible;
use crate::model::label::name_and_value;
use crate::model::{Head, Matrix, Model, half_layer};
use crate::value::sequence::input_source;
use rustc_hash::FxHashMap;

/// The directions of a residual stream in the order of a picture: those of one variable together.
struct Directions {
    order: Vec<usize>,
    groups: Vec<Group>,
    labels: Vec<String>,
}

/// The variables that stand in a residual stream, each with its directions.
pub(super) fn groups(model: &Model) -> Vec<(String, Vec<usize>)> {
    let Directions { order, groups, .. } = Directions::new(model);
    let mut order = order.into_iter();
    let groups = groups.into_iter();
    let groups = groups.map(|group| (group.name, order.by_ref().take(group.columns).collect()));
    groups.collect()
}

impl Directions {
    fn new(model: &Model) -> Directions {
        let mut names: Vec<&str> = Vec::new();
        let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
        for label in &model.directions {
            let name = name_and_value(label).0;
            numbers.entry(name).or_insert_with(|| {
                names.push(name);
                names.len() - 1
            });
        }
        let mut order: Vec<usize> = (0..model.d_model).collect();
        order.sort_by_key(|at| numbers[name_and_value(&model.directions[*at]).0]);
        let mut groups: Vec<Group> = names
            .iter()
            .map(|name| Group {
                name: (*name).to_string(),
                columns: 0,
            })
            .collect();
        for label in &model.directions {
            groups[numbers[name_and_value(label).0]].columns += 1;
        }
        let value = |at: &usize| name_and_value(&model.directions[*at]).1;
        let labels = order.iter().map(|at| value(at).unwrap_or_default());
        Directions {
            labels: labels.map(str::to_string).collect(),
            order,
            groups,
        }
    }

    fn row(&self) -> Vec<TextRow> {
        if self.labels.iter().all(String::is_empty) {
            return Vec::new();
        }
        vec![TextRow {
            name: "direction".to_string(),
            role: Role::Token,
            cells: self.labels.iter().map(Cell::new).collect(),
        }]
    }
}

/// The residual stream of a model after the embedding and after each half layer that writes, a column for each
/// direction, those of one variable together; and when each variable is written and last read.
///
/// # Errors
/// An input that the model does not take; a limit is reached.
pub fn stream(subject: &Subject, model: &Model) -> Fallible<Drawing> {
    let traced = traced(subject, model, |budget, positions| {
        budget.boxes(2)?;
        budget.cells(2 * positions, model.d_model)
    })?;
    let directions = Directions::new(model);
    let positions = positions(&traced);
    let mut sections = vec![Section {
        title: "what lives when".to_string(),
        panels: vec![lifetimes(model, &directions)],
    }];
    let mut panels = Vec::new();
    for step in traced.steps.iter().filter(|step| writes(model, step.half)) {
        let row = |row: Vec<f64>| {
            directions
                .order
                .iter()
                .map(|at| row[*at])
                .collect::<Vec<f64>>()
        };
        let cells: Vec<Vec<f64>> = rows(&step.stream).into_iter().map(row).collect();
        let largest = cells
            .iter()
            .flatten()
            .fold(0.0_f64, |most, each| most.max(each.abs()));
        let round = match step.round {
            0 => String::new(),
            round => format!(", round {}", round + 1),
        };
        panels.push(Panel {
            id: format!("half{}-round{}", step.half, step.round + 1),
            title: format!("after the {}{round}", half_layer(step.half)),
            notes: vec![format!("{largest} at most")],
            blocks: vec![Block::Grid(Grid {
                scale: Scale::Number,
                above: directions.row(),
                left: vec![positions.clone()],
                cells,
                groups: directions.groups.clone(),
                ..Grid::default()
            })],
            ..Panel::default()
        });
    }
    sections.push(Section {
        title: "residual stream".to_string(),
        panels,
    });
    sections.push(output(&traced));
    Ok(Drawing {
        title: format!(
            "the residual stream of {} on {}",
            model.name,
            input_source(subject.input)
        ),
        note: "a row for each position, a column for each direction; strength by the root of the \
               logarithm of the size"
            .to_string(),
        sections,
        ..Drawing::default()
    })
}

/// Whether there is anything in a half layer: the others leave the stream as it is.
fn writes(model: &Model, half: usize) -> bool {
    let Some(layer) = half
        .checked_sub(1)
        .and_then(|half| model.layers.get(half / 2))
    else {
        return true;
    };
    match half % 2 {
        1 => !layer.heads.is_empty(),
        _ => layer.mlp.input.columns() > 0 || layer.mlp.output_bias.iter().any(|bias| *bias != 0.0),
    }
}

/// From when a direction is written until it is last read: the first and the last half layer, that
/// of the readout being one more than the last.
fn lifetime(model: &Model, direction: usize) -> Option<(usize, usize)> {
    let mut written: Option<usize> = None;
    let mut read: Option<usize> = None;
    let column = |matrix: &Matrix| matrix.entries().any(|(_, column, _)| column == direction);
    let row = |matrix: &Matrix| direction < matrix.rows() && matrix.row(direction).next().is_some();
    if column(&model.token_embedding) || column(&model.position_embedding) {
        written = Some(0);
    }
    for (index, layer) in model.layers.iter().enumerate() {
        let half = 2 * index + 1;
        let head = |head: &Head| row(&head.query) || row(&head.key) || row(&head.value);
        if layer.heads.iter().any(head) {
            read = Some(half);
        }
        if layer.heads.iter().any(|head| column(&head.output)) {
            written = written.or(Some(half));
        }
        if row(&layer.mlp.input) {
            read = Some(half + 1);
        }
        let bias = layer
            .mlp
            .output_bias
            .get(direction)
            .is_some_and(|bias| *bias != 0.0);
        if bias || column(&layer.mlp.output) {
            written = written.or(Some(half + 1));
        }
    }
    // What a round reads stays for the next.
    for repeated in model.loops.iter().filter(|repeated| repeated.times > 1) {
        let halves = 2 * repeated.layers.start + 1..2 * repeated.layers.end + 1;
        if read.is_some_and(|read| halves.contains(&read)) {
            read = Some(halves.end);
        }
    }
    if model
        .outputs
        .iter()
        .any(|output| row(&output.readout.weights))
    {
        read = Some(2 * model.layers.len() + 1);
    }
    let written = written?;
    Some((written, read.unwrap_or(written).max(written + 1)))
}

fn lifetimes(model: &Model, directions: &Directions) -> Panel {
    let halves = 2 * model.layers.len() + 1;
    let shown: Vec<usize> = (0..halves).filter(|half| writes(model, *half)).collect();
    let mut cells = Vec::new();
    let mut start = 0;
    for group in &directions.groups {
        let mut row = vec![0.0; halves];
        for direction in &directions.order[start..start + group.columns] {
            if let Some((written, read)) = lifetime(model, *direction) {
                row[written..read.min(halves)].fill(1.0);
            }
        }
        start += group.columns;
        cells.push(shown.iter().map(|half| row[*half]).collect());
    }
    let names = directions.groups.iter().map(|group| match group.columns {
        1 => Cell::new(&*group.name),
        columns => Cell::new(format!("{} ({columns})", group.name)),
    });
    let short = |half: usize| match half {
        0 => "embedding".to_string(),
        half if half % 2 == 1 => format!("attention {}", half.div_ceil(2)),
        half => format!("feed-forward {}", half / 2),
    };
    Panel {
        id: "lifetimes".to_string(),
        title: "variables, from when they are written until they are last read".to_string(),
        notes: vec!["in parentheses how many directions, where it is more than one".to_string()],
        blocks: vec![Block::Grid(Grid {
            scale: Scale::Selected,
            above: vec![TextRow {
                name: "after".to_string(),
                role: Role::Token,
                cells: shown.iter().map(|half| Cell::new(short(*half))).collect(),
            }],
            left: vec![TextRow {
                name: "variable".to_string(),
                role: Role::Token,
                cells: names.collect(),
            }],
            cells,
            ..Grid::default()
        })],
        ..Panel::default()
    }
}
