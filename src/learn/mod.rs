//! Learning programs from examples (Friedman, Wettig & Chen 2023, *Learning Transformer Programs*): a
//! transformer whose every choice is soft while it is trained and hard afterwards, and small programs
//! that are tried from the smallest on. What comes out is a [`program::Program`]. Depends on `base` and
//! `value`; knows nothing of RASP's text.

pub mod attend;
mod backward;
pub mod boost;
mod climb;
mod complete;
pub mod data;
mod decide;
mod extract;
mod forward;
pub mod grow;
mod kernels;
pub mod lanes;
pub mod layout;
pub mod network;
mod parts;
pub mod pool;
pub mod program;
mod readout;
pub mod repair;
pub mod run;
pub mod task;
pub mod train;

use data::Data;
use layout::Shape;
use program::Program;
use task::Task;
use train::{Progress, Recipe, Stop, Training};

/// The sizes that a network is asked to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// How often heads and then MLPs follow each other.
    pub layers: usize,
    /// Heads of a layer: so many copy, and as many count.
    pub heads: usize,
    /// MLPs of a layer: so many read tokens and positions, and as many read counts.
    pub mlps: usize,
    /// Whether predicates are sets of keys, and every other head sees earlier keys only.
    pub rich: bool,
}

impl Sizes {
    /// Those of the paper, table 1; three layers of four heads and two MLPs for other examples.
    pub fn of_task(task: Option<Task>) -> Sizes {
        let (layers, heads, mlps) = match task {
            Some(Task::Hist) => (1, 2, 1),
            Some(Task::Reverse | Task::DoubleHist | Task::Dyck1) => (3, 4, 1),
            Some(Task::Dyck2) => (3, 2, 2),
            Some(Task::Induction) => (2, 1, 0),
            Some(Task::Sort | Task::MostFreq) | None => (3, 4, 2),
        };
        Sizes {
            layers,
            heads,
            mlps,
            rich: false,
        }
    }

    /// A network of these sizes for some examples.
    pub fn shape(self, data: &Data) -> Shape {
        let tokens = data.vocabulary.len() + 1;
        Shape {
            tokens,
            labels: data.labels.len() + 1,
            n: data.n(),
            d: tokens.max(data.n()),
            layers: self.layers,
            copies: self.heads,
            counts: self.heads,
            tables: self.mlps,
            counters: self.mlps,
            causal: data.causal,
            rich: self.rich,
        }
    }
}

/// A program that training has found, from where it stands: at the end of `recipe`, or where `watch`
/// said `false` after an epoch or `stop` said `true`. It is mended as far as there is time for it.
pub fn trained(
    sizes: Sizes,
    data: &Data,
    recipe: &Recipe,
    training: &mut Training,
    watch: &mut dyn FnMut(&Training, Progress) -> bool,
    stop: &Stop,
) -> Option<Program> {
    let shape = sizes.shape(data);
    training.go_on(&shape, data, recipe, watch, stop);
    let run = training.runs.first()?;
    let program = run.program(&shape, data).pruned();
    Some(repair::repaired(&program, data, stop).pruned())
}
