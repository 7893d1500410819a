//! A model on an input: its layers, with the attention of each head beside the selector of the program.
//! Depends on `model`, `plan` and `execute`; programs are asked for selectors only.

use super::drawing::{Block, Cell, Drawing, Grid, Panel, Role, Scale, Section, TextRow, visible};
use super::feed::Run;
use super::flow::{attention, layer_title};
use super::words::short;
use super::{Budget, Subject};
use crate::base::Fallible;
use crate::execute::{Decoded, Pattern, Precision, Trace, TraceStep, trace};
use crate::graph::{Graph, SOpId, Selector, SelectorId};
use crate::model::Model;
use crate::model::describe::numbered;
use crate::plan::{Plan, Rounding, Variable};
use crate::schedule::Attention;
use crate::value::Value;
use crate::value::sequence::{applied, input_source};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most directions without a name that are drawn after each half layer.
const UNNAMED: usize = 12;

/// A model on the input of a subject: its layers, with each head's attention beside the selector of
/// the program that goes by the same name, and their difference.
///
/// # Errors
/// An input that the model does not take; a limit is reached.
pub fn model_flow(subject: &Subject, root: SOpId, model: &Model, name: &str) -> Fallible<Drawing> {
    let apart = subject.graph.told_apart(&[root], &[]);
    let subject = &subject.of(&apart);
    let mut traced = traced(subject, model, |budget, positions| {
        for layer in &model.layers {
            budget.boxes(layer.heads.len() + 2)?;
            budget.cells(
                positions,
                3 * layer.heads.len() * (positions + 4) + 2 * UNNAMED,
            )?;
        }
        budget.cells(positions, model.variables.len())
    })?;
    let plan = Plan::of(model);
    if let Some(plan) = &plan {
        traced.beside(|layer, stream| plan.selected(layer, stream));
    }
    let selectors = named_selectors(subject.graph, root);
    let positions = positions(&traced);
    let mut sections = Vec::new();
    for step in &traced.steps {
        let layer = step.half.div_ceil(2);
        let mut panels = Vec::new();
        let labels = step.heads.iter().map(|head| &*head.label);
        let names = numbered(labels, str::to_string);
        for (at, (pattern, name)) in step.heads.iter().zip(names).enumerate() {
            let is_part = name != pattern.label;
            let selector = selectors.get(&pattern.label);
            let id = format!("layer{layer}-round{}-head{}", step.round + 1, at + 1);
            let title = format!("head {}: {name}", at + 1);
            panels.push(head(
                subject,
                (id, title),
                pattern,
                selector.filter(|_| !is_part),
                &positions,
            )?);
        }
        let before = usize::from(traced.bos);
        let nameless = || {
            let unnamed = plan.as_ref()?.unnamed(step.half);
            without_name(step, &unnamed, &positions, before)
        };
        panels.extend(variables(step, &positions, before).or_else(nameless));
        let continues = step.half > 0 && step.half % 2 == 0;
        match sections.last_mut() {
            Some(Section { panels: known, .. }) if continues => known.extend(panels),
            _ => sections.push(Section {
                title: match (layer, step.round) {
                    (0, _) => "embedding".to_string(),
                    (layer, 0) => layer_title(layer),
                    (layer, round) => format!("{}, round {}", layer_title(layer), round + 1),
                },
                panels,
            }),
        }
    }
    sections.push(output(&traced));
    Ok(Drawing {
        title: format!(
            "{} in its model",
            applied(name, &input_source(subject.input))
        ),
        note: note(plan.as_ref()),
        sections,
        ..Drawing::default()
    })
}

/// How the heads are read.
fn note(plan: Option<&Plan>) -> String {
    let sink = match plan {
        Some(plan) if !plan.bos => {
            "; position 0 is the sink that BOS is elsewhere: a hollow square says that a query looks \
             at it without selecting it"
        }
        _ => "; nothing of the program stands at BOS, whose row is faded",
    };
    let heads = "the attention of each head, the selector that it computes, and how far they differ \
                 where each row of both adds up to 1 over the tokens";
    format!("{heads}{sink}")
}

pub(super) fn traced(
    subject: &Subject,
    model: &Model,
    takes: impl Fn(&mut Budget, usize) -> Fallible<()>,
) -> Fallible<Trace> {
    let mut budget = Budget::new(subject.limits);
    let positions = subject.input.len() + model.before_tokens();
    for _ in model.runs() {
        takes(&mut budget, positions)?;
    }
    trace(model, subject.input, Precision::F32)
}

/// Whether nothing of the program stands at a position.
pub(super) fn is_at_bos(traced: &Trace, position: usize) -> bool {
    traced.bos && position == 0
}

/// BOS, if there is one, and the tokens.
pub(super) fn positions(traced: &Trace) -> TextRow {
    let bos = traced.bos.then(|| Cell::new("BOS"));
    let tokens = traced.tokens.iter().map(|token| Cell::new(visible(token)));
    TextRow {
        name: "tokens".to_string(),
        role: Role::Token,
        cells: bos.into_iter().chain(tokens).collect(),
    }
}

/// The selectors that what an s-op needs attends by, each by its name and its text, unless others have
/// the same, as long texts are cut.
pub(super) fn named_selectors(graph: &Graph, root: SOpId) -> FxHashMap<String, SelectorId> {
    let mut found: FxHashMap<String, Vec<SelectorId>> = FxHashMap::default();
    let mut seen = FxHashSet::default();
    let mut pending = Vec::new();
    for id in graph.reachable(&[root]) {
        if let Some(Attention::Selector(selector)) = attention(graph.get(id)) {
            pending.push(selector);
        }
    }
    while let Some(id) = pending.pop() {
        if !seen.insert(id) {
            continue;
        }
        let name = graph.describe_selector(id);
        found.entry(name).or_default().push(id);
        match graph.get_selector(id) {
            Selector::And(a, b) | Selector::Or(a, b) => pending.extend([*a, *b]),
            Selector::Not(inner) => pending.push(*inner),
            Selector::Best { selector, .. } => pending.push(*selector),
            Selector::Compare { .. } | Selector::Predicate(_) => {}
        }
    }
    let found = found.into_iter();
    let alone = found.filter_map(|(name, ids)| match ids[..] {
        [id] => Some((name, id)),
        _ => None,
    });
    alone.collect()
}

pub(super) fn rows(weights: &ndarray::Array2<f64>) -> Vec<Vec<f64>> {
    weights
        .rows()
        .into_iter()
        .map(|row| row.iter().map(|number| finite(*number)).collect())
        .collect()
}

/// A number that JSON has, too.
pub(super) fn finite(number: f64) -> f64 {
    match number.is_nan() {
        true => 0.0,
        false => number.clamp(-f64::MAX, f64::MAX),
    }
}

fn head(
    subject: &Subject,
    (id, title): (String, String),
    pattern: &Pattern,
    selector: Option<&SelectorId>,
    positions: &TextRow,
) -> Fallible<Panel> {
    let weights = rows(&pattern.weights);
    let side = |role, row: &TextRow| TextRow {
        role,
        name: String::new(),
        cells: row.cells.clone(),
    };
    let before = positions.cells.len() - subject.input.len();
    let mut notes = Vec::new();
    let mut blocks = vec![Block::Grid(Grid {
        title: "attention".to_string(),
        scale: Scale::Share,
        above: vec![side(Role::Key, positions)],
        left: vec![side(Role::Query, positions)],
        cells: weights.clone(),
        // Where BOS looks is of nobody's program.
        faded: (0..weights.len()).map(|row| row < before).collect(),
        ..Grid::default()
    })];
    let bit = |bit: &bool| f64::from(u8::from(*bit));
    let (known, sink) = match &pattern.selected {
        Some(selected) => (Some(&selected.keys), selected.sink.clone()),
        None => (None, Vec::new()),
    };
    let selected = match (selector, known) {
        (Some(selector), _) => {
            let run = Run::operands(subject.graph, *selector, subject.input, subject.limits)?;
            Some(run.weights(Attention::Selector(*selector))?)
        }
        // Of a selector that several heads compute, and of one that the program does not write.
        (None, Some(selected)) => {
            let rows = selected.iter();
            Some(rows.map(|row| row.iter().map(bit).collect()).collect())
        }
        (None, None) => None,
    };
    if let Some(selected) = selected {
        let attended = weights[before..].iter().map(|row| shares(&row[before..]));
        let looked_at = selected.iter().enumerate().map(|(query, row)| {
            let mut row = row.clone();
            if let (Some(true), Some(first)) = (sink.get(query), row.first_mut()) {
                *first = 1.0;
            }
            row
        });
        let difference = attended.zip(looked_at).map(|(attended, looked_at)| {
            let pairs = attended.iter().zip(shares(&looked_at));
            pairs.map(|(got, wanted)| got - wanted).collect()
        });
        let difference: Vec<Vec<f64>> = difference.collect();
        let numbers = difference.iter().flatten();
        let largest = numbers.fold(0.0_f64, |most, each| most.max(each.abs()));
        let counted = if sink.is_empty() {
            ""
        } else {
            ", with the sink counted"
        };
        notes.push(format!(
            "they differ by {} at most{counted}",
            amount(largest)
        ));
        for (title, scale, cells, sink) in [
            ("selector", Scale::Selected, selected, sink),
            ("difference", Scale::Difference, difference, Vec::new()),
        ] {
            blocks.push(Block::Grid(Grid {
                title: title.to_string(),
                scale,
                above: vec![side(Role::Key, positions)],
                left: vec![side(Role::Query, positions)],
                cells: beside_bos(cells, before),
                blank: before,
                sink,
                ..Grid::default()
            }));
        }
    }
    Ok(Panel {
        id,
        title,
        role: Role::Selector,
        notes,
        blocks,
    })
}

/// Numbers of tokens with rows and columns of nothing before them, so that each token stands where it
/// stands in the attention.
fn beside_bos(cells: Vec<Vec<f64>>, before: usize) -> Vec<Vec<f64>> {
    let columns = cells.first().map_or(0, Vec::len) + before;
    let nothing = std::iter::repeat_n(vec![0.0; columns], before);
    let of_tokens = cells.into_iter().map(|row| {
        let mut wide = vec![0.0; before];
        wide.extend(row);
        wide
    });
    nothing.chain(of_tokens).collect()
}

fn amount(number: f64) -> String {
    match number {
        0.0 => "0".to_string(),
        number if number < 0.001 => format!("{number:.0e}"),
        number => format!("{number:.3}"),
    }
}

/// Numbers that add up to 1, or to 0 where there is nothing but the noise of floats.
fn shares(row: &[f64]) -> Vec<f64> {
    let sum: f64 = row.iter().sum();
    match sum > 1e-4 {
        true => row.iter().map(|number| number / sum).collect(),
        false => vec![0.0; row.len()],
    }
}

/// What a half layer is called by what it makes, and its colour.
fn made_by(half: usize) -> (&'static str, Role) {
    match half {
        0 => ("embedding", Role::Token),
        half if half % 2 == 1 => ("what attention has brought", Role::Result),
        _ => ("feed-forward", Role::FeedForward),
    }
}

/// The variables that a half layer has made.
fn variables(step: &TraceStep, positions: &TextRow, before: usize) -> Option<Panel> {
    let (title, role) = made_by(step.half);
    let row = |variable: &Decoded| TextRow {
        name: variable.name.clone(),
        role,
        cells: variable
            .values
            .iter()
            .enumerate()
            .map(
                // Nothing of the program stands at BOS.
                |(at, value)| match at < before {
                    true => Cell::new("–"),
                    false => Cell::new(visible(value)),
                },
            )
            .collect(),
    };
    let new = step
        .variables
        .iter()
        .filter(|variable| variable.ready == step.half);
    let new: Vec<TextRow> = new.map(row).collect();
    (!new.is_empty()).then(|| Panel {
        id: format!("half{}-round{}", step.half, step.round + 1),
        title: title.to_string(),
        role,
        blocks: vec![Block::Table(
            std::iter::once(named_positions(positions))
                .chain(new)
                .collect(),
        )],
        ..Panel::default()
    })
}

/// The numbers that a half layer has written, where it has written nothing that the program gives a name
/// to.
fn without_name(
    step: &TraceStep,
    unnamed: &[(&Variable, usize)],
    positions: &TextRow,
    before: usize,
) -> Option<Panel> {
    let row = |(variable, direction): &(&Variable, usize)| {
        let offset = variable.rounding.map_or(0.0, Rounding::offset);
        let column = step.stream.column(*direction);
        let numbers = column.iter().enumerate();
        let cells = numbers.map(|(at, held)| match at < before {
            true => Cell::new("–"),
            false => Cell::new(short(finite(*held) - offset)),
        });
        TextRow {
            name: variable.label.clone(),
            role: made_by(step.half).1,
            cells: cells.collect(),
        }
    };
    let more = match unnamed.len().saturating_sub(UNNAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let rows = unnamed.iter().take(UNNAMED).map(row);
    let table = std::iter::once(named_positions(positions)).chain(rows);
    (!unnamed.is_empty()).then(|| Panel {
        id: format!("half{}-round{}", step.half, step.round + 1),
        title: made_by(step.half).0.to_string(),
        role: made_by(step.half).1,
        notes: vec![format!(
            "without a name in the program: numbers in directions of the residual stream{more}"
        )],
        blocks: vec![Block::Table(table.collect())],
    })
}

/// The tokens at the head of a table, where `tokens` may be a variable, too.
fn named_positions(positions: &TextRow) -> TextRow {
    TextRow {
        name: "position".to_string(),
        ..positions.clone()
    }
}

pub(super) fn output(traced: &Trace) -> Section {
    let mut rows = vec![TextRow {
        name: "tokens".to_string(),
        role: Role::Token,
        cells: traced
            .tokens
            .iter()
            .map(|token| Cell::new(visible(token)))
            .collect(),
    }];
    rows.extend(traced.outputs.iter().map(|given| {
        TextRow {
            name: given.name.clone(),
            role: Role::Result,
            cells: given
                .values
                .iter()
                .map(|value: &Value| Cell::new(visible(value)))
                .collect(),
        }
    }));
    Section {
        title: "output".to_string(),
        panels: vec![Panel {
            id: "output".to_string(),
            title: "what the model gives".to_string(),
            role: Role::Result,
            blocks: vec![Block::Table(rows)],
            ..Panel::default()
        }],
    }
}
