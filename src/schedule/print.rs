//! A schedule as a table for people and as JSON for tools.

use super::repeat::Repeat;
use super::{Attention, Head, Schedule};
use crate::base::{counted, table::section};
use crate::graph::{Graph, SOpId};
use serde_json::{Value, json};

impl Schedule {
    /// A table of layers, heads and what each computes.
    pub fn table(&self, graph: &Graph) -> String {
        let graph = &*graph.settled(&self.sops());
        let heads = self.heads();
        let repeats = self.repeats(graph);
        let alike = self.alike(graph, &repeats);
        let mut text = format!(
            "{}, {}\n",
            counted(self.layers.len(), "layer"),
            if heads.is_empty() {
                "no heads".to_string()
            } else {
                format!("heads per layer {heads:?}")
            }
        );
        for repeat in &repeats {
            text.push_str(&format!("repeat: {}\n", repeat.describe()));
        }
        section(&mut text, "embedding", &self.named(graph, &self.embedding));
        for (index, layer) in self.layers.iter().enumerate() {
            if let Some(alike) = alike.iter().find(|alike| alike.layers.contains(&index)) {
                if alike.layers.start == index {
                    text.push_str(&format!("{}\n", alike.describe()));
                }
                continue;
            }
            text.push_str(&format!("layer {}\n", index + 1));
            for (number, head) in layer.heads.iter().enumerate() {
                let selector = head.attention.describe(graph);
                text.push_str(&format!("  head {}  {selector}\n", number + 1));
                for output in &head.outputs {
                    text.push_str(&format!("          {}\n", definition(graph, *output)));
                }
            }
            let feed_forward = self.named(graph, &layer.feed_forward);
            section(&mut text, "  feed-forward", &feed_forward);
        }
        text
    }

    /// `{"layers", "heads", "table": [{"heads": [{"selector", "computes"}], "feed_forward"}]}`, and
    /// `"repeats": [{"first", "layers", "times"}]` where there are any.
    pub fn to_json(&self, graph: &Graph) -> Value {
        let graph = &*graph.settled(&self.sops());
        let head = |head: &Head| {
            let computes: Vec<String> = head
                .outputs
                .iter()
                .map(|id| definition(graph, *id))
                .collect();
            json!({"selector": head.attention.describe(graph), "computes": computes})
        };
        let table: Vec<Value> = self
            .layers
            .iter()
            .map(|layer| {
                let heads: Vec<Value> = layer.heads.iter().map(head).collect();
                json!({"heads": heads, "feed_forward": self.named(graph, &layer.feed_forward)})
            })
            .collect();
        let mut found = json!({
            "layers": self.layers.len(),
            "heads": self.heads(),
            "embedding": self.named(graph, &self.embedding),
            "table": table,
        });
        let repeats = self.repeats(graph);
        if !repeats.is_empty() {
            let repeats = repeats.iter().map(Repeat::to_json).collect();
            found["repeats"] = Value::Array(repeats);
        }
        found
    }

    /// The s-ops of a block worth a line: those with a name, and those that something outside the
    /// block reads.
    pub(super) fn named(&self, graph: &Graph, ids: &[SOpId]) -> Vec<String> {
        let inner: Vec<SOpId> = ids.iter().flat_map(|id| graph.dependencies(*id)).collect();
        ids.iter()
            .filter(|id| graph.name(**id).is_some() || !inner.contains(id))
            .map(|id| definition(graph, *id))
            .collect()
    }
}

impl Attention {
    /// What it attends by, as people call it.
    pub fn describe(self, graph: &Graph) -> String {
        match self {
            Attention::Selector(id) => graph.describe_selector(id),
            Attention::Scorer(id) => graph.describe_scorer(id),
        }
    }
}

/// `name = expression`, or the expression alone.
pub(super) fn definition(graph: &Graph, id: SOpId) -> String {
    let expression = graph.expression(id);
    match graph.name(id) {
        Some(name) if name != expression => format!("{name} = {expression}"),
        _ => expression,
    }
}
