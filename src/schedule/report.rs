//! An optimised program for people and for tools: its schedule, what is proved of it, and why it has
//! no fewer layers.

use super::bound::critical_path;
use super::exact::Outcome;
use super::print::count;
use super::problem::Stage;
use super::program::Optimised;
use crate::graph::Graph;
use serde_json::{Value, json};

impl Optimised {
    /// The table of the schedule, a line for each component of its cost, and the longest chain.
    pub fn table(&self, graph: &Graph) -> String {
        let mut text = self.schedule.table(graph);
        for outcome in self.outcomes() {
            text.push_str(&format!("{}\n", self.line(outcome)));
        }
        let path = self.critical_path();
        match path.len() {
            0 => {}
            1 => text.push_str("no fewer layers, as this attends\n"),
            _ => text.push_str("no fewer layers, as each of these reads the one before\n"),
        }
        for (index, label) in path.iter().enumerate() {
            text.push_str(&format!("  layer {}  {label}\n", index + 1));
        }
        text
    }

    /// The fields of the schedule, `stages: [{"stage", "value", "at_least", "optimal"}]` and
    /// `critical_path`.
    pub fn to_json(&self, graph: &Graph) -> Value {
        let mut json = self.schedule.to_json(graph);
        let stage = |outcome: &Outcome| {
            json!({
                "stage": key(outcome.stage),
                "value": outcome.value,
                "at_least": outcome.at_least,
                "optimal": outcome.is_optimal(),
            })
        };
        json["stages"] = self.outcomes().map(stage).collect();
        json["critical_path"] = json!(self.critical_path());
        json
    }

    /// The s-ops of one longest chain, one a layer.
    pub fn critical_path(&self) -> Vec<&str> {
        let label = |value: usize| self.program.problem.values[value].label.as_str();
        let path = critical_path(&self.program.problem);
        path.into_iter().map(label).collect()
    }

    /// What is known of its cost. A program has no hidden units yet.
    fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        let outcomes = self.solution.outcomes.iter();
        outcomes.filter(|outcome| outcome.stage != Stage::Units)
    }

    fn line(&self, outcome: &Outcome) -> String {
        let taken = match outcome.stage {
            Stage::Layers => format!("layers {}", outcome.value),
            Stage::Widest => format!("widest layer {}", count(outcome.value, "head")),
            Stage::Heads => format!("heads {}", outcome.value),
            Stage::Units => format!("widest layer {}", count(outcome.value, "hidden unit")),
            Stage::Dims => format!("residual stream {}", count(outcome.value, "value")),
        };
        if outcome.is_optimal() {
            return format!("{taken} (optimal)");
        }
        let conflicts = usize::try_from(self.options.conflicts).unwrap_or(usize::MAX);
        format!(
            "{taken} (at least {}; not proved within {})",
            outcome.at_least,
            count(conflicts, "conflict")
        )
    }
}

/// What a stage is called in JSON.
fn key(stage: Stage) -> &'static str {
    match stage {
        Stage::Layers => "layers",
        Stage::Widest => "widest",
        Stage::Heads => "heads",
        Stage::Units => "units",
        Stage::Dims => "residual",
    }
}
