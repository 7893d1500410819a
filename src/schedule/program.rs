//! A program's graph as a scheduling problem and back. Elementwise s-ops vanish into what reads
//! them, as in [`schedule`](super::schedule): what is left are heads and the inputs.

use super::exact::Options;
use super::problem::{Kind, Problem, Value};
use super::report::Searched;
use super::{Attention, Schedule, laid_out};
use crate::graph::{Graph, SOp, SOpId};
use rustc_hash::FxHashMap;

/// A problem whose values are s-ops, each of one residual direction.
#[derive(Clone, Debug)]
pub struct Program {
    /// What reads what.
    pub problem: Problem,
    /// The s-op of each value.
    pub sops: Vec<SOpId>,
}

/// The best schedule found of everything that s-ops need, and what is proved of it.
pub fn optimise(graph: &Graph, roots: &[SOpId], options: Options) -> (Schedule, Searched) {
    let graph = &*graph.settled(roots);
    let Program { problem, sops } = Program::new(graph, roots);
    let searched = Searched::new(problem, options, graph.control());
    let slots = searched.solution.slots.0.iter().copied();
    let layers: FxHashMap<SOpId, usize> = sops.into_iter().zip(slots).collect();
    let schedule = laid_out(graph, roots, |_, id| layers[&id]);
    (schedule, searched)
}

impl Program {
    /// Everything that s-ops need.
    pub fn new(graph: &Graph, roots: &[SOpId]) -> Program {
        let mut program = Program {
            problem: Problem::default(),
            sops: Vec::new(),
        };
        let mut selectors = Vec::new();
        // What each s-op is computed from elementwise.
        let mut leaves: FxHashMap<SOpId, Vec<usize>> = FxHashMap::default();
        for id in graph.reachable(roots) {
            let operands = union(&graph.dependencies(id), &leaves);
            let attention = match graph.get(id) {
                SOp::Constant(_) | SOp::Map { .. } => {
                    leaves.insert(id, operands);
                    continue;
                }
                SOp::Tokens | SOp::Indices | SOp::Given(_) => None,
                SOp::Width { selector } | SOp::Aggregate { selector, .. } => {
                    Some(Attention::Selector(*selector))
                }
                SOp::WeightedMean { scorer, .. } => Some(Attention::Scorer(*scorer)),
            };
            let kind = attention.map_or(Kind::Input, |attention| Kind::Head {
                selector: number(&mut selectors, attention),
            });
            leaves.insert(id, vec![program.sops.len()]);
            program.sops.push(id);
            program.problem.values.push(Value {
                kind,
                dims: 1,
                operands,
                label: graph.describe(id),
            });
        }
        program.problem.outputs = union(roots, &leaves);
        program
    }
}

/// What all these are computed from, each value once.
fn union(ids: &[SOpId], leaves: &FxHashMap<SOpId, Vec<usize>>) -> Vec<usize> {
    let mut values: Vec<usize> = ids.iter().flat_map(|id| &leaves[id]).copied().collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// The place of an attention among those seen so far.
fn number(seen: &mut Vec<Attention>, attention: Attention) -> usize {
    let known = seen.iter().position(|other| *other == attention);
    known.unwrap_or_else(|| {
        seen.push(attention);
        seen.len() - 1
    })
}
