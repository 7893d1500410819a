//! What each pass does to a plan, for people: the lines of its text before and after, and the sizes
//! of the model that it would be lowered to. Depends on `plan` and on the lowering.

use super::attempt::{Attempts, Task, analysed};
use super::{Compiled, Request, lower};
use crate::base::{Fallible, Limits};
use crate::graph::Graph;
use crate::model;
use crate::plan::Plan;
use crate::plan::pass::Pass;
use similar::{ChangeTag, TextDiff};

/// What each choice saves, the plan as it was built, what each pass changes in it, and the plan with
/// these layers at last.
pub fn explain(graph: &Graph, compiled: &Compiled, limits: &Limits) -> String {
    let mut plan = compiled.draft.clone();
    let mut old = (plan.to_string(), Sizes::of(&plan));
    let mut text = String::new();
    let all = Sizes::of(&compiled.plan);
    for pass in compiled
        .passes
        .iter()
        .filter(|pass| pass.choice().is_some())
    {
        let (name, about) = (pass.name, pass.about);
        let without = match without(pass, graph, compiled, limits) {
            Ok(other) => all.to(&Sizes::of(&other)),
            Err(error) => error.message.clone(),
        };
        text.push_str(&format!("# {name}: {about}; without it {without}\n"));
    }
    text.push_str(&format!(
        "# the plan as it is built: {}\n\n{}",
        old.1.all(),
        old.0
    ));
    let passes = compiled
        .passes
        .iter()
        .filter(|pass| pass.choice().is_none());
    for pass in passes {
        pass.run(&mut plan, graph.control());
        let new = (plan.to_string(), Sizes::of(&plan));
        let resized = old.1.to(&new.1);
        text.push_str(&format!("\n# {}: {}; {resized}\n", pass.name, pass.about));
        text.push_str(&changes(&old.0, &new.0));
        old = new;
    }
    text.push_str(&format!("\n# the plan: {}\n\n{}", old.1.all(), old.0));
    text
}

/// The plan without one of the choices, after all passes.
///
/// # Errors
/// As [`super::compile_in`].
fn without(pass: &Pass, graph: &Graph, compiled: &Compiled, limits: &Limits) -> Fallible<Plan> {
    let request = Request {
        style: compiled.plan.style,
        passes: compiled.passes.without(pass),
        host: compiled.host,
        without_bos: !compiled.plan.bos,
    };
    let task = Task {
        graph,
        roots: &compiled.sops,
        setting: &compiled.setting,
        limits,
    };
    analysed(&request, task, |analysis| {
        let mut plan = Attempts::new(&request, task, analysis).draft(compiled.care)?;
        request.passes.run(&mut plan, graph.control());
        Ok(plan)
    })
}

/// The lines that are gone and those that are new.
fn changes(old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    let changed = diff.iter_all_changes();
    let changed = changed.filter(|change| change.tag() != ChangeTag::Equal);
    let lines: String = changed
        .map(|change| format!("{}{change}", change.tag()))
        .collect();
    match lines.is_empty() {
        true => lines,
        false => format!("\n{lines}"),
    }
}

/// Sizes of a model, with what they are called.
struct Sizes([(usize, &'static str); 6]);

impl Sizes {
    /// Those of the model of a plan, in the layers that it has or would have.
    fn of(plan: &Plan) -> Sizes {
        let mut plan = plan.clone();
        if plan.layers() == 0 {
            plan.schedule(None);
        }
        let summary = model::summary(&lower(&plan));
        let most = |sizes: &[usize]| sizes.iter().copied().max().unwrap_or(0);
        Sizes([
            (summary.layers, "layers"),
            (summary.heads.iter().sum(), "heads"),
            (most(&summary.d_head), "directions of a head"),
            (most(&summary.d_mlp), "hidden units"),
            (summary.d_model, "directions of the stream"),
            (summary.padded_parameters, "parameters with padding"),
        ])
    }

    fn all(&self) -> String {
        let sizes = self.0.iter().map(|(size, name)| format!("{size} {name}"));
        Vec::from_iter(sizes).join(", ")
    }

    /// What is different in another.
    fn to(&self, other: &Sizes) -> String {
        let pairs = self.0.iter().zip(&other.0);
        let changed: Vec<String> = pairs
            .filter(|(before, after)| before.0 != after.0)
            .map(|((before, name), (after, _))| format!("{before} → {after} {name}"))
            .collect();
        match changed.is_empty() {
            true => "no change of sizes".to_string(),
            false => changed.join(", "),
        }
    }
}
