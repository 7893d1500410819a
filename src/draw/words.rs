//! Why an s-op has its value at a position, in words: from the output back through heads and hidden
//! units to tokens. With a model, how sure it is of each of these values.

use super::Subject;
use super::feed::{Run, sides};
use super::flow::attention;
use super::transformer::is_at_bos;
use crate::base::Fallible;
use crate::execute::{Precision, Trace, trace};
use crate::graph::{SOp, SOpId};
use crate::model::{Decoder, Model, Readout};
use crate::schedule::{Attention, Schedule, schedule};
use crate::value::Value;
use crate::value::sequence::{applied, input_source};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::fmt::Write;

/// Values that are explained, at most.
const EXPLAINED: usize = 60;

/// Positions that are listed.
const LISTED: usize = 12;

/// The explanation of one value: that of the s-op at the subject's position.
///
/// # Errors
/// The s-op has no value on the input, or the model does not take it.
pub fn explain(
    subject: &Subject,
    root: SOpId,
    name: &str,
    position: usize,
    model: Option<&Model>,
) -> Fallible<String> {
    let apart = subject.graph.told_apart(&[root], &[]);
    let subject = &subject.of(&apart);
    let run = Run::new(subject.graph, root, subject.input, subject.limits)?;
    let traced = match model {
        Some(model) => Some((model, trace(model, subject.input, Precision::F32)?)),
        None => None,
    };
    let mut teller = Teller {
        subject,
        schedule: schedule(subject.graph, &[root]),
        run,
        traced,
        told: FxHashSet::default(),
        pending: VecDeque::new(),
        text: String::new(),
    };
    teller.root(root, name, position)?;
    Ok(teller.text)
}

struct Teller<'a> {
    subject: &'a Subject<'a>,
    schedule: Schedule,
    run: Run<'a>,
    traced: Option<(&'a Model, Trace)>,
    told: FxHashSet<(SOpId, usize)>,
    pending: VecDeque<(SOpId, usize)>,
    text: String,
}

// Writing to a string does not fail.
impl Teller<'_> {
    fn root(&mut self, root: SOpId, name: &str, position: usize) -> Fallible<()> {
        let found = self.shown(root, position);
        let place = self.place(position);
        let call = applied(name, &input_source(self.subject.input));
        let _ = writeln!(self.text, "{call} is {found} at {place}.");
        if let Some((model, traced)) = &self.traced {
            let given = model.outputs.iter().zip(&traced.outputs);
            for (output, given) in given.filter(|(output, _)| output.name == name) {
                let row = traced.steps.last().map(|step| {
                    let row = step.stream.row(position + model.before_tokens());
                    row.to_vec()
                });
                let got = given
                    .values
                    .get(position)
                    .map_or(String::new(), Value::source);
                let margin = row.and_then(|row| margin(&output.readout, &row));
                let margin = margin.map_or(String::new(), |margin| {
                    format!(", with a margin of {}", short(margin))
                });
                let _ = writeln!(self.text, "The model gives {got} there{margin}.");
            }
        }
        self.text.push('\n');
        self.ask(root, position);
        let mut count = 0;
        while let Some((id, position)) = self.pending.pop_front() {
            self.subject.graph.control().check()?;
            if count == EXPLAINED {
                let rest = self.pending.len() + 1;
                let _ = writeln!(self.text, "… and {rest} more values, further back.");
                break;
            }
            count += usize::from(self.tell(id, position)?);
        }
        Ok(())
    }

    /// Explains a value later, unless it is explained already.
    fn ask(&mut self, id: SOpId, position: usize) {
        let known = matches!(
            self.subject.graph.get(id),
            SOp::Tokens | SOp::Indices | SOp::Constant(_) | SOp::Given(_)
        );
        if !known && self.told.insert((id, position)) {
            self.pending.push_back((id, position));
        }
    }

    fn shown(&self, id: SOpId, position: usize) -> String {
        let value = self.run.value(id, position);
        value.map_or("without a value".to_string(), Value::source)
    }

    fn place(&self, position: usize) -> String {
        let token = self.subject.input.get(position);
        format!(
            "position {position} ({})",
            token.map_or(String::new(), Value::source)
        )
    }

    fn layer(&self, id: SOpId) -> String {
        match self.schedule.depth(id) {
            0 => "in the embedding".to_string(),
            layer => format!("in layer {layer}"),
        }
    }

    /// Whether a line was written.
    fn tell(&mut self, id: SOpId, position: usize) -> Fallible<bool> {
        let graph = self.subject.graph;
        let (name, found) = (graph.describe(id), self.shown(id, position));
        match graph.get(id) {
            SOp::Tokens | SOp::Indices | SOp::Constant(_) | SOp::Given(_) => return Ok(false),
            SOp::Map { .. } => {
                let mut leaves = Vec::new();
                self.leaves(id, &mut leaves);
                let from: Vec<String> = leaves
                    .iter()
                    .map(|leaf| {
                        format!("{} {}", graph.describe(*leaf), self.shown(*leaf, position))
                    })
                    .collect();
                // The tokens as strings are no news.
                if leaves.len() == 1
                    && *graph.get(leaves[0]) == SOp::Tokens
                    && self.schedule.depth(id) == 0
                {
                    let token = self.run.value(leaves[0], position);
                    if token == self.run.value(id, position) {
                        return Ok(false);
                    }
                }
                let layer = self.layer(id);
                let expression = graph.expression(id);
                let _ = write!(self.text, "- {name} is {found} at {}", self.place(position));
                if name != expression {
                    let _ = write!(self.text, ": {expression}");
                }
                let _ = write!(self.text, ", {layer}, of {} there.", and(&from));
                self.held(&name, position);
                self.text.push('\n');
                leaves.into_iter().for_each(|leaf| self.ask(leaf, position));
            }
            SOp::Aggregate { .. } | SOp::Width { .. } | SOp::WeightedMean { .. } => {
                self.head(id, position, &name, &found)?;
            }
        }
        Ok(true)
    }

    /// What an elementwise s-op is computed from that has a name or is computed by a head.
    fn leaves(&self, id: SOpId, leaves: &mut Vec<SOpId>) {
        let graph = self.subject.graph;
        let mut pending = graph.dependencies(id);
        pending.reverse();
        let mut seen = FxHashSet::default();
        while let Some(next) = pending.pop() {
            if !seen.insert(next) {
                continue;
            }
            match graph.get(next) {
                SOp::Constant(_) => {}
                SOp::Map { .. } if graph.name(next).is_none() => {
                    let mut operands = graph.dependencies(next);
                    operands.reverse();
                    pending.extend(operands);
                }
                SOp::Tokens
                | SOp::Indices
                | SOp::Given(_)
                | SOp::Map { .. }
                | SOp::Aggregate { .. }
                | SOp::Width { .. }
                | SOp::WeightedMean { .. } => leaves.push(next),
            }
        }
    }

    fn head(&mut self, id: SOpId, position: usize, name: &str, found: &str) -> Fallible<()> {
        let graph = self.subject.graph;
        let Some(attention) = attention(graph.get(id)) else {
            return Ok(());
        };
        let weights = self.run.weights(attention)?;
        let row = &weights[position];
        let keys: Vec<usize> = (0..row.len()).filter(|key| row[*key] != 0.0).collect();
        let sides = sides(graph, attention);
        let at =
            |id: &SOpId, position| format!("{} {}", graph.describe(*id), self.shown(*id, position));
        // The name of a constant says what it holds.
        let held = |ids: &[SOpId], position| {
            let told = ids
                .iter()
                .filter(|id| !matches!(graph.get(**id), SOp::Constant(_)));
            Vec::from_iter(told.map(|id| at(id, position)))
        };
        let queries = held(&sides.queries, position);
        let listed: Vec<String> = keys
            .iter()
            .take(LISTED)
            .map(|key| {
                let held = held(&sides.keys, *key);
                let held = if held.is_empty() {
                    String::new()
                } else {
                    format!(", {}", held.join(", "))
                };
                let token = self
                    .subject
                    .input
                    .get(*key)
                    .map_or(String::new(), Value::source);
                format!("{key} ({token}{held})")
            })
            .collect();
        let more = match keys.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let selector = attention.describe(graph);
        let does = match attention {
            Attention::Selector(_) => "selects",
            Attention::Scorer(_) => "weights",
        };
        let which = match keys.len() {
            0 => "nothing".to_string(),
            1 => format!("position {}", listed[0]),
            _ => format!("positions {}{more}", and(&listed)),
        };
        let layer = self.layer(id);
        let query = if queries.is_empty() {
            String::new()
        } else {
            format!(" (query {})", queries.join(", "))
        };
        let result = match (graph.get(id).moved(), keys.len()) {
            (None, count) => format!("{count} in number, so {name} is {found}"),
            (Some(_), 0) => format!("so {name} is its default, {found}"),
            (Some(value), 1) => {
                let (of, moved) = (graph.describe(value), self.shown(value, keys[0]));
                format!("where {of} is {moved}, so {name} is {found}")
            }
            (Some(value), _) => {
                let values = keys.iter().take(LISTED).map(|key| self.shown(value, *key));
                let values: Vec<String> = values.collect();
                let of = graph.describe(value);
                format!(
                    "where {of} is {}{more}, so {name} is their mean, {found}",
                    values.join(", ")
                )
            }
        };
        let place = self.place(position);
        let _ = write!(
            self.text,
            "- At {place}, {layer}, the head {selector}{query} {does} {which}: {result}."
        );
        self.held(name, position);
        self.text.push('\n');
        for query in &sides.queries {
            self.ask(*query, position);
        }
        for key in keys {
            let read = sides.keys.iter().copied().chain(graph.get(id).moved());
            let read: Vec<SOpId> = read.collect();
            read.into_iter().for_each(|id| self.ask(id, key));
        }
        Ok(())
    }

    /// How sure the model is of the value of a variable, if it has it.
    fn held(&mut self, name: &str, position: usize) {
        let Some((model, traced)) = &self.traced else {
            return;
        };
        let at = position + model.before_tokens();
        let variable = model
            .variables
            .iter()
            .find(|variable| variable.name == name);
        let step = variable
            .and_then(|variable| traced.steps.iter().find(|step| step.half >= variable.ready));
        let (Some(variable), Some(step)) = (variable, step) else {
            return;
        };
        if is_at_bos(traced, at) {
            return;
        }
        let row = step.stream.row(at).to_vec();
        if let Some(margin) = margin(&variable.readout, &row) {
            let _ = write!(
                self.text,
                " The model reads it with a margin of {}.",
                short(margin)
            );
        }
    }
}

/// How far a readout is from another value: of logits, what the largest is more than the next; of a
/// number, how far it is from where another value is nearer. Nothing where there is no other value.
fn margin(readout: &Readout, row: &[f64]) -> Option<f64> {
    let mut logits = readout.bias.clone();
    for (direction, output, weight) in readout.weights.entries() {
        logits[output] += row[direction] * weight;
    }
    match &readout.decoder {
        Decoder::Categorical(_) => {
            logits.sort_by(f64::total_cmp);
            let (last, rest) = logits.split_last()?;
            rest.last().map(|next| last - next)
        }
        Decoder::Numerical(values) => {
            let number = logits[0];
            let mut away: Vec<f64> = values
                .iter()
                .filter_map(Value::as_float)
                .map(|value| (value - number).abs())
                .collect();
            away.sort_by(f64::total_cmp);
            let next = away.get(1)?;
            Some((next - away[0]) / 2.0)
        }
    }
}

/// A number to four places, without zeros at its end and without the sign of a zero.
pub(super) fn short(number: f64) -> String {
    let text = format!("{number:.4}");
    match text.trim_end_matches('0').trim_end_matches('.') {
        "-0" => "0".to_string(),
        text => text.to_string(),
    }
}

/// Things in a row, in words.
fn and(list: &[String]) -> String {
    match list {
        [] => "nothing".to_string(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
