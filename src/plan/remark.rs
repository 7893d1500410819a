//! What a plan takes more than the program's graph does, in words: a line for each selector with
//! several heads, and for each layer that elementwise work needed.

use super::{Kind, Plan, VariableId, Written};
use std::collections::BTreeMap;

impl Plan {
    /// Adds remarks; `layers` are those of the program's graph alone. Layers must be known.
    pub fn remark(&mut self, layers: usize) {
        let mut remarks = self.selectors_in_heads();
        if !self.bos {
            remarks.extend(self.heads_at_first());
        }
        if self.layers() > layers {
            remarks.extend(self.layers_of_hidden_units(layers));
        }
        self.remarks = remarks;
    }

    fn selectors_in_heads(&self) -> Vec<String> {
        let mut heads: BTreeMap<&str, Vec<(usize, usize, Kind, bool)>> = BTreeMap::new();
        for attend in &self.attends {
            let known = heads.entry(&attend.source.name).or_default();
            let head = (attend.layer, attend.pattern, attend.kind, attend.most <= 1);
            if !known.contains(&head) {
                known.push(head);
            }
        }
        let several = heads.into_iter().filter(|(_, heads)| heads.len() > 1);
        several
            .map(|(name, heads)| {
                let same_pattern = heads.iter().all(|head| head.1 == heads[0].1);
                let same_kind = heads.iter().all(|head| head.2 == heads[0].2);
                let same_most = heads.iter().all(|head| head.3 == heads[0].3);
                let why = match (same_pattern, same_kind) {
                    (false, true) if !same_most => "it copies what is alone, and averages numbers",
                    (true, _) => "what it moves is known in different layers",
                    (false, true) => "a disjunction, one head for each of its parts",
                    (false, false) if self.bos => "its width counts BOS, its mean does not",
                    (false, false) => "its width counts position 0, its mean does not",
                };
                format!("{} takes {} heads: {why}", name, heads.len())
            })
            .collect()
    }

    /// Where a pattern is not the selector, as position 0 stands for BOS.
    fn heads_at_first(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        for attend in &self.attends {
            let why = match attend.kind {
                Kind::Width => "its head attends to position 0, too, to count",
                Kind::Mean => "a query that selects nothing attends to position 0",
                Kind::Length
                | Kind::MeanOfSome
                | Kind::MeanOrBos
                | Kind::MeanOfPart
                | Kind::Sum { .. } => continue,
            };
            let remark = format!("{}: {why}", attend.source.name);
            if !remarks.contains(&remark) {
                remarks.push(remark);
            }
        }
        remarks
    }

    /// The hidden units that read what those of the layer before computed.
    fn layers_of_hidden_units(&self, layers: usize) -> Vec<String> {
        let mut remarks = vec![format!(
            "{} layers where the graph alone takes {layers}:",
            self.layers()
        )];
        if !self.bos {
            let first = "  without BOS a layer fetches what position 0 holds, or silences its key";
            remarks.push(first.to_string());
        }
        let ready = self.readiness();
        let label = |id: VariableId| &self.variable(id).label;
        for forward in &self.feed_forwards {
            let previous = forward.argument.reads().find(|read| {
                self.variable(*read).written == Written::FeedForward
                    && ready[read.0 as usize] + 2 == 2 * forward.layer
            });
            if let Some(previous) = previous {
                let line = format!(
                    "  layer {}: {} is computed from {}, which hidden units of layer {} compute",
                    forward.layer,
                    label(forward.into),
                    label(previous),
                    forward.layer - 1
                );
                if !remarks.contains(&line) {
                    remarks.push(line);
                }
            }
        }
        remarks
    }
}
