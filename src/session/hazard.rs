//! What can go wrong on the inputs that a program is meant for: they are tried, the shortest first,
//! and each place that fails is a warning with the shortest input found. Nothing is claimed of inputs
//! that were not tried.

use super::{Session, show};
use crate::base::{Code, Diagnostic, Random, Severity};
use crate::graph::{Graph, SOpId};
use crate::infer::{Setting, inputs};
use crate::interpret::{self, Evaluated};
use crate::value::Value;
use rustc_hash::FxHashSet;

/// S-ops evaluated, over all inputs and roots.
const BUDGET: usize = 2_000_000;

/// S-ops of the whole graph that cost an evaluation as much as one that it computes.
pub(super) const PASSED: usize = 64;

/// The most inputs tried for one root.
const TRIED: usize = 4_000;

/// Random inputs beyond those that are tried exhaustively, as a share of these: one in so many.
const SAMPLED: usize = 8;

/// Inputs that are evaluated together.
const BATCH: usize = 256;

/// Tokens of the longest random input.
const LONGEST: usize = 24;

impl Session {
    /// Warnings about inputs of a setting on which the s-ops fail, each place once, and about
    /// comparisons that hang on rounding. An s-op that another one reads is judged by what that one
    /// makes of it.
    pub fn hazards(&self, roots: &[SOpId], setting: &Setting) -> Vec<Diagnostic> {
        let graph = self.graph();
        let operands: Vec<SOpId> = roots
            .iter()
            .flat_map(|root| graph.dependencies(*root))
            .collect();
        let read: FxHashSet<SOpId> = graph.reachable(&operands).into_iter().collect();
        let mut judged: Vec<SOpId> = roots.to_vec();
        judged.retain(|root| !read.contains(root));
        judged.sort_unstable();
        judged.dedup();
        let work: usize = judged
            .iter()
            .map(|root| graph.reachable(&[*root]).len() + graph.len() / PASSED)
            .sum();
        let budget = (BUDGET / work.max(1)).min(TRIED);
        let mut found: Vec<Diagnostic> = Vec::new();
        for root in judged {
            for hazard in self.hazards_of(root, budget, setting) {
                let shown = |other: &Diagnostic| other.labels == hazard.labels;
                if !found.iter().any(shown) {
                    found.push(hazard);
                }
            }
        }
        found.extend(self.hanging_on_rounding(roots, setting));
        found
    }

    fn hazards_of(&self, root: SOpId, budget: usize, setting: &Setting) -> Vec<Diagnostic> {
        let mut failures: Vec<(Diagnostic, Vec<Value>)> = Vec::new();
        for (input, held) in held(self.graph(), &[root], tried(setting, budget)) {
            let of_values = |held| of_values(self.graph(), held);
            let Some(failure) = held.into_iter().find_map(of_values) else {
                continue;
            };
            if !failures
                .iter()
                .any(|(known, _)| same_place(known, &failure))
            {
                let fails = |shorter: &[Value]| {
                    let other = self.failure(root, shorter);
                    other.is_some_and(|other| same_place(&other, &failure))
                };
                let input = shortened(input, fails);
                failures.push((failure, input));
            }
        }
        failures
            .iter()
            .filter_map(|(_, input)| Some(hazard(self.failure(root, input)?, root, self, input)))
            .collect()
    }

    fn failure(&self, root: SOpId, input: &[Value]) -> Option<Diagnostic> {
        of_values(self.graph(), interpret::evaluate(self.graph(), root, input))
    }
}

/// How an input fails, if it does by what the program says.
fn of_values<T>(graph: &Graph, held: Evaluated<T>) -> Option<Diagnostic> {
    let error = Diagnostic::from(held.err()?.in_graph(graph));
    let number = error.code.number();
    (number.starts_with("E03") || number.starts_with("E04")).then_some(error)
}

/// The shortest inputs of a setting, as many as a budget allows, and some longer random ones.
pub(super) fn tried(setting: &Setting, budget: usize) -> impl Iterator<Item = Vec<Value>> {
    let (tokens, longest) = (&setting.vocabulary, setting.max_length);
    let reach = inputs::exhaustive_length(tokens.len(), longest, budget);
    let short = (1..=reach).flat_map(|length| inputs::all(tokens, length));
    let mut random = Random::new(1);
    let longest = longest.min(LONGEST.max(reach));
    let samples = if reach < longest { budget / SAMPLED } else { 0 };
    short.chain((0..samples).map(move |_| inputs::sample(&mut random, tokens, reach, longest)))
}

/// Each input with what s-ops hold on it, or how they fail, which is worked out for many inputs at a
/// time. It ends where it is interrupted.
pub(super) fn held<'a>(
    graph: &'a Graph,
    sops: &'a [SOpId],
    mut inputs: impl Iterator<Item = Vec<Value>> + 'a,
) -> impl Iterator<Item = (Vec<Value>, Vec<Evaluated<Vec<Value>>>)> + 'a {
    let batches = std::iter::from_fn(move || {
        let batch: Vec<Vec<Value>> = inputs.by_ref().take(BATCH).collect();
        let held = interpret::evaluate_many(graph, sops, &batch).ok()?;
        (!batch.is_empty()).then(|| batch.into_iter().zip(held))
    });
    batches.flatten()
}

/// An input without the tokens that it does not need to stay as it is.
pub(super) fn shortened(mut input: Vec<Value>, stays: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let mut at = 0;
    while at < input.len() && input.len() > 1 {
        let mut shorter = input.clone();
        shorter.remove(at);
        match stays(&shorter) {
            true => input = shorter,
            false => at += 1,
        }
    }
    input
}

fn same_place(a: &Diagnostic, b: &Diagnostic) -> bool {
    a.code == b.code && a.span() == b.span()
}

/// The error as a warning that names the input.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "codes of what fails otherwise"
)]
fn hazard(error: Diagnostic, root: SOpId, session: &Session, input: &[Value]) -> Diagnostic {
    let code = match error.code {
        Code::MixedTypes => Code::MixedDefault,
        Code::MeanOfNonNumbers => Code::ReachableMean,
        _ => Code::ReachableFailure,
    };
    let explained = session.explained(error, &[root]);
    let message = format!(
        "on the input {}: {}",
        show::example(input),
        explained.message
    );
    let made = session.graph().span(root);
    Diagnostic {
        severity: Severity::Warning,
        code,
        message,
        ..explained.or_at(made, "computed for this")
    }
}
