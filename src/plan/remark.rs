//! What a plan takes more than the program's graph does, in words: a line for each selector with several heads or
//! of which position 0 is more than a key, and for layers that the graph does not count what reads what.

use super::{Attend, FeedForward, Kind, Plan, VariableId, Written};
use std::collections::BTreeMap;

impl Plan {
    /// Adds remarks; `layers` are those of the program's graph alone. Layers must be known.
    pub(crate) fn remark(&mut self, layers: usize) {
        let mut remarks = self.selectors_in_heads();
        if !self.bos {
            remarks.extend(self.heads_at_first());
        }
        if self.layers() > layers {
            let count = self.layers();
            remarks.push(format!(
                "{count} layers where the graph alone takes {layers}:"
            ));
            remarks.extend(self.why_more_layers());
        }
        self.remarks = remarks;
    }

    fn selectors_in_heads(&self) -> Vec<String> {
        let is_alone = |head: &Attend| head.most <= 1;
        let traits = |head: &Attend| (head.head(), head.kind, is_alone(head));
        let mut heads: BTreeMap<&str, Vec<&Attend>> = BTreeMap::new();
        for attend in &self.attends {
            let known = heads.entry(&attend.source.name).or_default();
            if known.iter().all(|head| traits(head) != traits(attend)) {
                known.push(attend);
            }
        }
        let several = heads.into_iter().filter(|(_, heads)| heads.len() > 1);
        several
            .map(|(name, heads)| {
                let same_pattern = heads.iter().all(|head| head.pattern == heads[0].pattern);
                let same_kind = heads.iter().all(|head| head.kind == heads[0].kind);
                let same_most = heads
                    .iter()
                    .all(|head| is_alone(head) == is_alone(heads[0]));
                let of_parts = heads.iter().any(|head| head.kind == Kind::MeanOfPart);
                let why = match (same_pattern, same_kind) {
                    _ if of_parts => {
                        "a mean over a disjunction, of whose parts the widths are counted first"
                    }
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

    /// What takes a layer that the graph does not count, or else what reads what from layer to layer.
    fn why_more_layers(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if !self.bos {
            let first = "  without BOS a layer fetches what position 0 holds, or silences its key";
            remarks.push(first.to_string());
        }
        let mut lines = self.hidden_units_after_others();
        lines.extend(self.heads_after_hidden_units());
        lines.extend(self.heads_after_heads(|kind| kind == Kind::MeanOfPart));
        if lines.is_empty() {
            lines = self.heads_after_heads(|_| true);
        }
        lines.sort_by_key(|(layer, _)| *layer);
        for (layer, line) in lines {
            let line = format!("  layer {layer}: {line}");
            if !remarks.contains(&line) {
                remarks.push(line);
            }
        }
        remarks
    }

    /// Hidden units that read what those of the layer before computed.
    fn hidden_units_after_others(&self) -> Vec<(usize, String)> {
        let ready = self.readiness();
        let forwards = self.feed_forwards.iter();
        let line = |forward: &FeedForward| {
            let previous = forward.argument.reads().find(|read| {
                self.variable(*read).written == Written::FeedForward
                    && ready[read.0 as usize] + 2 == 2 * forward.layer
            })?;
            let (into, previous) = (self.variable(forward.into), self.variable(previous));
            let (label, read, before) = (&into.label, &previous.label, forward.layer - 1);
            let line = format!(
                "{label} is computed from {read}, which hidden units of layer {before} compute"
            );
            Some((forward.layer, line))
        };
        forwards.filter_map(line).collect()
    }

    /// Heads that read what hidden units compute of what is known a layer earlier.
    fn heads_after_hidden_units(&self) -> Vec<(usize, String)> {
        let ready = self.readiness();
        let is_known = |id: VariableId, layer: usize| {
            let ready = ready[id.0 as usize];
            ready == 0 || ready + 2 < 2 * layer
        };
        let is_late = |id: VariableId, layer: usize| {
            let mut forwards = self.feed_forwards.iter();
            forwards.any(|op| {
                let mut reads = op.argument.reads();
                op.into == id && op.layer == layer && reads.all(|read| is_known(read, layer))
            })
        };
        let later = self.attends.iter().filter(|attend| attend.layer > 1);
        let line = |attend: &Attend| {
            let before = attend.layer - 1;
            let read = attend.reads().find(|read| is_late(*read, before))?;
            let (name, label) = (&attend.source.name, &self.variable(read).label);
            let line =
                format!("{name} reads {label}, which hidden units of layer {before} compute");
            Some((attend.layer, line))
        };
        later.filter_map(line).collect()
    }

    /// Heads of some kinds that read what heads of the layer before give.
    fn heads_after_heads(&self, counts: impl Fn(Kind) -> bool) -> Vec<(usize, String)> {
        let ready = self.readiness();
        let later = self.attends.iter();
        let later = later.filter(|attend| attend.layer > 1 && counts(attend.kind));
        let line = |attend: &Attend| {
            let before = attend.layer - 1;
            let mut reads = attend.reads();
            let read = reads.find(|read| ready[read.0 as usize] + 1 == 2 * before)?;
            let (name, label) = (&attend.source.name, &self.variable(read).label);
            let line = format!("{name} reads {label}, which heads of layer {before} give");
            Some((attend.layer, line))
        };
        later.filter_map(line).collect()
    }
}
