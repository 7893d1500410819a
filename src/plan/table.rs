//! The schedule of a plan, which is the model's: its layers, the heads of each, and what hidden
//! units compute, as a table for people and as JSON for tools.

use super::{Attend, Kind, Plan, Written};
use crate::base::{counted, table::section};
use crate::model::describe::numbered;
use crate::model::label::name_and_value;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

impl Plan {
    /// How many heads each layer has: operations of one layer with one pattern are one head.
    pub fn heads(&self) -> Vec<usize> {
        let layers = 1..=self.layers();
        layers.map(|layer| self.patterns(layer).len()).collect()
    }

    /// A table of layers, heads and what each computes.
    pub fn table(&self) -> String {
        let heads = self.heads();
        let layers = counted(heads.len(), "layer");
        let mut text = match heads.is_empty() {
            true => format!("{layers}, no heads\n"),
            false => format!("{layers}, heads per layer {heads:?}\n"),
        };
        section(&mut text, "embedding", &self.embedded());
        for layer in 1..=heads.len() {
            text.push_str(&format!("layer {layer}\n"));
            let patterns = self.patterns(layer);
            let selectors = patterns.iter().map(|pattern| &*pattern[0].source.name);
            let names = numbered(selectors, str::to_string);
            for (number, (pattern, name)) in patterns.iter().zip(names).enumerate() {
                let kind = self.kind(pattern[0].kind);
                text.push_str(&format!("  head {}  {name}: {kind}\n", number + 1));
                for label in self.written(pattern) {
                    text.push_str(&format!("          {label}\n"));
                }
            }
            section(&mut text, "  feed-forward", &self.computed(layer));
        }
        for remark in &self.remarks {
            text.push_str(&format!("{remark}\n"));
        }
        text
    }

    /// `{"layers", "heads", "embedding", "table": [{"heads": [{"selector", "kind", "computes"}],
    /// "feed_forward"}], "remarks"}`
    pub fn schedule_json(&self) -> Json {
        let head = |pattern: Vec<&Attend>| {
            json!({
                "selector": pattern[0].source.name,
                "kind": self.kind(pattern[0].kind),
                "computes": self.written(&pattern),
            })
        };
        let layer = |layer| {
            let heads: Vec<Json> = self.patterns(layer).into_iter().map(head).collect();
            json!({"heads": heads, "feed_forward": self.computed(layer)})
        };
        let table: Vec<Json> = (1..=self.layers()).map(layer).collect();
        json!({
            "layers": self.layers(),
            "heads": self.heads(),
            "embedding": self.embedded(),
            "table": table,
            "remarks": self.remarks,
        })
    }

    /// The operations of each head of a layer, in the order of the model's heads.
    pub fn patterns(&self, layer: usize) -> Vec<Vec<&Attend>> {
        let mut patterns: BTreeMap<usize, Vec<&Attend>> = BTreeMap::new();
        for attend in self.attends.iter().filter(|attend| attend.layer == layer) {
            patterns.entry(attend.pattern).or_default().push(attend);
        }
        patterns.into_values().collect()
    }

    fn written(&self, attends: &[&Attend]) -> Vec<String> {
        distinct(attends.iter().map(|attend| self.moved(attend)))
    }

    /// What a head computes. Directions are called by what is read of them; a head brings a variable.
    pub(super) fn moved(&self, attend: &Attend) -> &String {
        let variable = self.variable(attend.into);
        match attend.kind {
            Kind::Width => &variable.label,
            Kind::Length
            | Kind::Mean
            | Kind::MeanOfSome
            | Kind::MeanOrBos
            | Kind::MeanOfPart
            | Kind::Sum { .. } => &variable.source.name,
        }
    }

    fn computed(&self, layer: usize) -> Vec<String> {
        let forwards = self.feed_forwards.iter().filter(|op| op.layer == layer);
        distinct(forwards.map(|op| &self.variable(op.into).label))
    }

    fn embedded(&self) -> Vec<String> {
        let embedded = self.variables.iter();
        let embedded = embedded.filter(|v| matches!(v.written, Written::Embed { .. }));
        distinct(embedded.map(|variable| &variable.label))
    }
}

/// Labels, each once; those of the values of one variable, `name = value`, are its name.
fn distinct<'l>(labels: impl Iterator<Item = &'l String>) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    for label in labels {
        let name = short(label);
        if !known.iter().any(|other| other == name) {
            known.push(name.to_string());
        }
    }
    known
}

/// The name in `name = value`.
pub(super) fn short(label: &str) -> &str {
    name_and_value(label).0
}
