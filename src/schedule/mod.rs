//! Where everything happens: the layer of every s-op and the heads of every layer, as in Weiss et
//! al. 2021, section 4 and appendix B; and, for problems of any origin, the schedules that provably
//! take the least. Depends on `base` and `graph`; it knows no weights.

pub mod bound;
mod cut;
mod encode;
pub mod exact;
pub mod greedy;
mod instance;
mod load;
mod print;
pub mod problem;
pub mod program;
mod repeat;
pub mod report;
mod solver;
mod totalizer;

use crate::graph::{Graph, SOp, SOpId, ScorerId, SelectorId};
use rustc_hash::FxHashMap;

/// A program laid out in transformer layers, each s-op as early as it can be.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// Elementwise s-ops that need no attention: computed on the embedding.
    pub embedding: Vec<SOpId>,
    /// The layers, the first that runs first.
    pub layers: Vec<Layer>,
    depths: FxHashMap<SOpId, usize>,
}

/// One layer: its attention heads, then its feed-forward block.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    /// Its attention heads.
    pub heads: Vec<Head>,
    /// Elementwise s-ops computed after the heads.
    pub feed_forward: Vec<SOpId>,
}

/// A head: one selector or scorer, and everything aggregated with it in this layer.
#[derive(Clone, Debug)]
pub struct Head {
    /// What it attends by.
    pub attention: Attention,
    /// The s-ops that it computes.
    pub outputs: Vec<SOpId>,
}

/// What decides where a head attends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Attention {
    /// The keys that are selected have equal weights.
    Selector(SelectorId),
    /// Scores are the weights.
    Scorer(ScorerId),
}

/// Lays out everything the roots need. Base s-ops and constants have depth 0, an elementwise s-op
/// the largest depth of its operands, a selector one more than its keys and queries, an aggregate
/// the larger of its selector's depth and one more than its value's.
pub fn schedule(graph: &Graph, roots: &[SOpId]) -> Schedule {
    let graph = &*graph.settled(roots);
    laid_out(graph, roots, |schedule, id| {
        schedule.deepest(&graph.dependencies(id)) + 1
    })
}

/// Lays out everything the roots need, with what attends in the layers given.
fn laid_out(graph: &Graph, roots: &[SOpId], layer: impl Fn(&Schedule, SOpId) -> usize) -> Schedule {
    let mut schedule = Schedule::default();
    for id in graph.reachable(roots) {
        let depth = match graph.get(id) {
            SOp::Tokens | SOp::Indices | SOp::Constant(_) | SOp::Given(_) => 0,
            SOp::Map { operands, .. } => schedule.deepest(operands),
            SOp::Width { .. } | SOp::Aggregate { .. } | SOp::WeightedMean { .. } => {
                layer(&schedule, id)
            }
        };
        schedule.depths.insert(id, depth);
        schedule.place(graph, id, depth);
    }
    schedule
}

impl Schedule {
    /// The layer after which the s-op is known; 0 for the embedding.
    ///
    /// # Panics
    /// If the s-op is not needed by the roots that were scheduled.
    pub fn depth(&self, id: SOpId) -> usize {
        self.depths[&id]
    }

    /// Heads in each layer.
    pub fn heads(&self) -> Vec<usize> {
        self.layers.iter().map(|layer| layer.heads.len()).collect()
    }

    fn deepest(&self, operands: &[SOpId]) -> usize {
        operands.iter().map(|id| self.depth(*id)).max().unwrap_or(0)
    }

    /// All that is laid out.
    fn sops(&self) -> Vec<SOpId> {
        let mut sops: Vec<SOpId> = self.depths.keys().copied().collect();
        sops.sort_unstable();
        sops
    }

    fn place(&mut self, graph: &Graph, id: SOpId, depth: usize) {
        if self.layers.len() < depth {
            self.layers.resize_with(depth, Layer::default);
        }
        match graph.get(id) {
            SOp::Tokens | SOp::Indices | SOp::Constant(_) | SOp::Given(_) => {}
            SOp::Map { .. } => match depth {
                0 => self.embedding.push(id),
                layer => self.layers[layer - 1].feed_forward.push(id),
            },
            SOp::Aggregate { selector, .. } | SOp::Width { selector } => {
                self.place_in_head(id, depth, Attention::Selector(*selector));
            }
            SOp::WeightedMean { scorer, .. } => {
                self.place_in_head(id, depth, Attention::Scorer(*scorer));
            }
        }
    }

    fn place_in_head(&mut self, id: SOpId, layer: usize, attention: Attention) {
        let heads = &mut self.layers[layer - 1].heads;
        match heads.iter_mut().find(|head| head.attention == attention) {
            Some(head) => head.outputs.push(id),
            None => heads.push(Head {
                attention,
                outputs: vec![id],
            }),
        }
    }

    /// Checks that nothing is computed before what it needs: for tests, and cheap enough to run
    /// anywhere.
    pub fn respects_dependencies(&self, graph: &Graph) -> bool {
        self.depths.iter().all(|(id, depth)| {
            let attends = matches!(
                graph.get(*id),
                SOp::Width { .. } | SOp::Aggregate { .. } | SOp::WeightedMean { .. }
            );
            let latest = depth.checked_sub(usize::from(attends));
            let mut operands = graph.dependencies(*id).into_iter();
            operands.all(|operand| {
                let known = self.depths.get(&operand);
                known.is_some_and(|depth| Some(*depth) <= latest)
            })
        })
    }
}
