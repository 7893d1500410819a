//! A trace as text: tables of the variables, and of where each head looks.

use super::trace::{FAINT_MARK, Given, Pattern, SINK_MARK, SINK_WORDS, Trace};
use crate::base::table::{in_blocks, indented};
use crate::model::describe::head_names;
use crate::model::{Selected, cell};
use std::fmt;
use unicode_width::UnicodeWidthStr;

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(usize::MAX))
    }
}

impl Trace {
    /// BOS, if there is one, and the tokens, as they head rows and columns.
    fn positions(&self) -> Vec<String> {
        let tokens = self.tokens.iter().map(cell::value);
        let bos = self.bos.then(|| "BOS".to_string());
        bos.into_iter().chain(tokens).collect()
    }

    /// For each half layer, the variables that are new and where each head looks; columns that do not
    /// fit the width follow below. Nothing of the program stands at BOS.
    pub fn text(&self, width: usize) -> String {
        let mut text = String::new();
        let positions = self.positions();
        for step in &self.steps {
            text.push_str(&format!("{}\n", step.after()));
            let names = head_names(step.heads.iter().map(|head| &*head.label));
            for (index, (head, label)) in step.heads.iter().zip(names).enumerate() {
                let faint = match head.largest_faint() {
                    0.0 => String::new(),
                    most => format!(" ({FAINT_MARK}: at most {most:.0e})"),
                };
                let sink = match head.has_sink() {
                    true => format!(" ({SINK_MARK}: {SINK_WORDS})"),
                    false => String::new(),
                };
                text.push_str(&format!("  head {}: {label}{faint}{sink}\n", index + 1));
                text.push_str(&pattern_table(head, &positions, width));
            }
            let new = step
                .variables
                .iter()
                .filter(|variable| variable.ready == step.half);
            let before = usize::from(self.bos);
            let new = new.map(|variable| {
                let tokens = variable.values.iter().skip(before).map(cell::value);
                let values = std::iter::repeat_n("–".to_string(), before).chain(tokens);
                (cell::label(&variable.name), values.collect())
            });
            text.push_str(&value_table(new, &positions, width));
            text.push('\n');
        }
        text.push_str("output\n");
        let name = |given: &Given| match self.outputs.len() {
            1 => String::new(),
            _ => cell::label(&given.name),
        };
        let outputs = self.outputs.iter();
        let outputs =
            outputs.map(|given| (name(given), given.values.iter().map(cell::value).collect()));
        let positions = &positions[usize::from(self.bos)..];
        text + &value_table(outputs, positions, width)
    }
}

/// Columns before a table.
const INDENT: usize = 2;

/// Values by position, one row for each variable; nothing if there is none.
fn value_table(
    variables: impl Iterator<Item = (String, Vec<String>)>,
    positions: &[String],
    width: usize,
) -> String {
    let mut rows = vec![headed(String::new(), positions.iter().cloned())];
    rows.extend(variables.map(|(name, values)| headed(name, values.into_iter())));
    if rows.len() == 1 {
        return String::new();
    }
    indented(&in_blocks(&rows, width.saturating_sub(INDENT)), INDENT)
}

/// A row for each query, a column for each key: the attention, and beside it what the head selects, or
/// below it where the two are wider than the width. Blank is 0, and `~0` rounds to 0.
fn pattern_table(head: &Pattern, positions: &[String], width: usize) -> String {
    let width = width.saturating_sub(INDENT);
    let keys = |keys: &[String]| headed("query \\ key".to_string(), keys.iter().cloned());
    let mut attention = vec![keys(positions)];
    for (position, weights) in positions.iter().zip(head.weights.rows()) {
        let cell = |weight: &f64| match *weight {
            0.0 => String::new(),
            faint if Pattern::is_faint(weights, faint) => FAINT_MARK.to_string(),
            small if small < 0.005 => "~0".to_string(),
            weight => format!("{weight:.2}"),
        };
        attention.push(headed(position.clone(), weights.iter().map(cell)));
    }
    let Some(selected) = &head.selected else {
        return indented(&in_blocks(&attention, width), INDENT);
    };
    let Selected { keys: rows, sink } = selected;
    let before = positions.len().saturating_sub(rows.len());
    let mut marks = vec![keys(&positions[before..])];
    // Nothing of the program stands at BOS.
    let nothing =
        |position: &String| headed(position.clone(), rows.iter().map(|_| "–".to_string()));
    marks.extend(positions[..before].iter().map(nothing));
    for (at, (position, row)) in positions[before..].iter().zip(rows).enumerate() {
        let mark = |(key, selected): (usize, &bool)| match *selected {
            true => "1".to_string(),
            false if key == 0 && sink.get(at) == Some(&true) => SINK_MARK.to_string(),
            false => String::new(),
        };
        marks.push(headed(position.clone(), row.iter().enumerate().map(mark)));
    }
    let beside = |(at, (attention, marks)): (usize, (&Vec<String>, &Vec<String>))| {
        let title = if at == 0 { "selected" } else { "" }.to_string();
        let marks = marks.iter().skip(1).cloned();
        let row = attention.iter().cloned();
        row.chain(std::iter::once(title)).chain(marks).collect()
    };
    let together: Vec<Vec<String>> = attention
        .iter()
        .zip(&marks)
        .enumerate()
        .map(beside)
        .collect();
    let table = in_blocks(&together, usize::MAX);
    if table.lines().all(|line| line.width() <= width) {
        return indented(&table, INDENT);
    }
    marks[0][0] = "selected".to_string();
    let tables = in_blocks(&attention, width) + &in_blocks(&marks, width);
    indented(&tables, INDENT)
}

fn headed(head: String, cells: impl Iterator<Item = String>) -> Vec<String> {
    std::iter::once(head).chain(cells).collect()
}
