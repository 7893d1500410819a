//! What a search for a schedule found, for people and for tools: what it takes, what is proved of
//! that, and why there are no fewer layers.

use super::bound::critical_path;
use super::exact::{Options, Outcome, Solution, solve};
use super::problem::{Problem, Stage};
use crate::base::{Control, counted};
use serde_json::{Value, json};

/// A problem with the best schedule found.
#[derive(Clone, Debug)]
pub struct Searched {
    /// What was scheduled.
    pub problem: Problem,
    /// The best schedule found.
    pub solution: Solution,
    /// How it was looked for.
    pub options: Options,
}

impl Searched {
    /// Searches, until it is proved, the conflicts are used up, or it is asked to end.
    pub fn new(problem: Problem, options: Options, control: &Control) -> Searched {
        Searched {
            solution: solve(&problem, &options, control),
            problem,
            options,
        }
    }

    /// A line for each component of the cost, and the longest chain.
    pub fn text(&self) -> String {
        let lines = self.outcomes().map(|outcome| self.line(outcome) + "\n");
        let mut text: String = lines.collect();
        let path = self.critical_path();
        match path.len() {
            0 => {}
            1 => text.push_str("no fewer layers, as this takes one\n"),
            _ => text.push_str("no fewer layers, as each of these reads the one before\n"),
        }
        for (layer, label) in path {
            text.push_str(&format!("  layer {layer}  {label}\n"));
        }
        text
    }

    /// Adds `stages: [{"stage", "value", "at_least", "optimal"}]` and `critical_path` to the JSON of
    /// a schedule.
    pub fn add_to(&self, json: &mut Value) {
        let stage = |outcome: &Outcome| {
            json!({
                "stage": key(outcome.stage),
                "value": outcome.value,
                "at_least": outcome.at_least,
                "optimal": outcome.is_optimal(),
            })
        };
        json["stages"] = self.outcomes().map(stage).collect();
        let path = self.critical_path();
        json["critical_path"] = path.into_iter().map(|(_, label)| label).collect();
    }

    /// The values of one longest chain, each with the first layer that it can be in.
    fn critical_path(&self) -> Vec<(usize, &str)> {
        let values = &self.problem.values;
        let mut path = Vec::new();
        let mut before: Option<(usize, usize)> = None;
        for at in critical_path(&self.problem) {
            let layer = before.map_or(1, |(layer, operand)| {
                layer + values[operand].kind.lag(values[at].kind)
            });
            path.push((layer, values[at].label.as_str()));
            before = Some((layer, at));
        }
        path
    }

    /// What is known of its cost. A program's graph has no hidden units.
    fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        let outcomes = self.solution.outcomes.iter();
        outcomes.filter(|outcome| outcome.stage != Stage::Units || outcome.value > 0)
    }

    fn line(&self, outcome: &Outcome) -> String {
        let taken = match outcome.stage {
            Stage::Layers => format!("layers {}", outcome.value),
            Stage::Widest => format!("widest layer {}", counted(outcome.value, "head")),
            Stage::Heads => format!("heads {}", outcome.value),
            Stage::Units => format!("widest layer {}", counted(outcome.value, "hidden unit")),
            Stage::Dims => format!(
                "residual stream {} at once",
                counted(outcome.value, "value")
            ),
        };
        if outcome.is_optimal() {
            return format!("{taken} (optimal)");
        }
        let conflicts = usize::try_from(self.options.conflicts).unwrap_or(usize::MAX);
        format!(
            "{taken} (at least {}; not proved within {})",
            outcome.at_least,
            counted(conflicts, "conflict")
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
