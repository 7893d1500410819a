//! Schedules that provably cannot be better: the components of the cost one after the other, each
//! made smaller until a lower bound is met or the solver refutes anything less. Work is bounded by
//! conflicts of the solver, never by time, so that a problem has one answer on every machine.

use super::bound;
use super::encode::Encoding;
use super::greedy;
use super::instance::Instance;
use super::problem::{Cost, Problem, Slots, Stage};
use super::solver::{Answer, Batsat};
use super::totalizer::Reached;
use crate::base::Control;

/// How to schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether the heads of all layers count, after those of the widest layer. Merging heads can
    /// cost residual directions, as what they read together has to wait for the last of it.
    pub merge_heads: bool,
    /// Conflicts allowed for each question put to the solver.
    pub conflicts: u64,
}

/// What is known of one component of the cost, given those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The component.
    pub stage: Stage,
    /// What the schedule has of it.
    pub value: usize,
    /// No schedule that is as good in the components before has less.
    pub at_least: usize,
}

/// A schedule, with what is proved of it.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The layer of each value.
    pub slots: Slots,
    /// What it takes.
    pub cost: Cost,
    /// One for each component, in the order of the [`Cost`]; without [`Stage::Heads`] unless heads
    /// were to be merged.
    pub outcomes: Vec<Outcome>,
}

impl Options {
    /// The conflicts that a question gets unless asked otherwise. Every example and every use of the
    /// library is proved with fewer.
    pub const CONFLICTS: u64 = 20_000;

    /// What is made small, the most important first.
    pub fn stages(&self) -> impl Iterator<Item = Stage> + use<> {
        let merge_heads = self.merge_heads;
        let stages = [
            Stage::Layers,
            Stage::Widest,
            Stage::Heads,
            Stage::Units,
            Stage::Dims,
        ];
        stages
            .into_iter()
            .filter(move |stage| merge_heads || *stage != Stage::Heads)
    }
}

impl Outcome {
    /// Whether no schedule has less.
    pub fn is_optimal(&self) -> bool {
        self.value == self.at_least
    }
}

impl Solution {
    /// Whether nothing can be better.
    pub fn is_optimal(&self) -> bool {
        self.outcomes.iter().all(Outcome::is_optimal)
    }
}

/// The best schedule that is found within the budget, or before it is asked to end. It has the fewest layers, and at each
/// component of the cost no more than [`greedy::schedule`] leaves, the ones before being equal.
///
/// # Panics
/// If a value reads itself or a later value, or if an output is no value.
pub fn solve(problem: &Problem, options: &Options, control: &Control) -> Solution {
    let instance = Instance::new(problem);
    let mut search = Search {
        instance: &instance,
        options,
        control,
        slots: greedy::best(&instance, options.merge_heads),
        pending: Vec::new(),
        encoding: None,
    };
    let bounds = bound::of_instance(&instance);
    let outcomes = options
        .stages()
        .map(|stage| search.minimise(stage, bounds.get(stage)))
        .collect();
    let Search { slots, .. } = search;
    Solution {
        cost: checked(problem, &slots),
        slots,
        outcomes,
    }
}

/// What slots take that must be right.
fn checked(problem: &Problem, slots: &Slots) -> Cost {
    if let Err(wrong) = problem.check(slots) {
        unreachable!("the clauses keep values in order: {wrong}");
    }
    problem.cost(slots)
}

/// The best schedule so far, and the solver if it is needed.
struct Search<'a> {
    instance: &'a Instance<'a>,
    options: &'a Options,
    control: &'a Control,
    slots: Slots,
    /// The stages before, as far as the solver does not know of them: what they must keep to.
    pending: Vec<(Stage, usize)>,
    encoding: Option<Encoding<'a, Batsat>>,
}

impl Search<'_> {
    fn minimise(&mut self, stage: Stage, bound: usize) -> Outcome {
        self.slots = greedy::polished(self.instance, &self.slots, self.options.merge_heads);
        let mut at_least = bound;
        match self.question(stage, bound) {
            Some(reached) => at_least = self.descend(stage, bound, &reached),
            None => self.pending.push((stage, self.value(stage))),
        }
        Outcome {
            stage,
            value: self.value(stage),
            at_least,
        }
    }

    fn value(&self, stage: Stage) -> usize {
        checked(self.instance.problem, &self.slots).get(stage)
    }

    /// The sums of a stage in the solver's terms, after those of the stages before. None if nothing
    /// is to be asked, or if they are too long.
    fn question(&mut self, stage: Stage, bound: usize) -> Option<Reached> {
        let value = self.value(stage);
        if value == bound {
            return None;
        }
        let (instance, control) = (self.instance, self.control);
        let encoding = self
            .encoding
            .get_or_insert_with(|| Encoding::new(instance, Batsat::new(control)));
        while let Some((before, most)) = self.pending.first().copied() {
            let reached = encoding.reached(before, most, most)?;
            encoding.forbid(&reached, most);
            self.pending.remove(0);
        }
        encoding.reached(stage, value, bound)
    }

    /// Makes the value of a stage smaller until it meets the bound, is proved least or the conflicts
    /// are used up. Gives what it is at least.
    fn descend(&mut self, stage: Stage, bound: usize, reached: &Reached) -> usize {
        let conflicts = self.options.conflicts;
        let Some(mut encoding) = self.encoding.take() else {
            return bound;
        };
        encoding.start_from(&self.slots, conflicts);
        let mut at_least = bound;
        while self.value(stage) > at_least {
            let value = self.value(stage);
            match encoding.ask(reached, value - 1, conflicts) {
                Answer::Satisfiable => self.slots = encoding.slots(),
                Answer::Unsatisfiable => at_least = value,
                Answer::Unknown => break,
            }
        }
        encoding.forbid(reached, self.value(stage));
        self.encoding = Some(encoding);
        at_least
    }
}
