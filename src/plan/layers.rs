//! A plan as a scheduling problem and back: heads and banks of hidden units are values, what stands
//! in the embedding are inputs. The BOS flag and the variable that is 1 at tokens are always there
//! and do not count.

use super::table::short;
use super::{Linear, Plan, Unit, VariableId, Written};
use crate::schedule::problem::{Kind, Problem, Slots, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The problem of a plan, with the value that each operation is part of.
pub(super) struct Layers {
    pub problem: Problem,
    attends: Vec<usize>,
    feed_forwards: Vec<usize>,
}

/// An operation, by kind and place.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Attend(usize),
    FeedForward(usize),
}

/// Operations that agree in this are one value: the pattern or the bank, and the values that are
/// read. There is nothing to gain from having them in different layers.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Head(usize, Vec<usize>),
    Form(usize),
}

impl Layers {
    /// # Panics
    /// If operations need each other.
    pub fn new(plan: &Plan) -> Layers {
        let mut builder = Builder::new(plan);
        let attends = (0..plan.attends.len()).map(Operation::Attend);
        let forwards = (0..plan.feed_forwards.len()).map(Operation::FeedForward);
        let operations = attends.chain(forwards);
        let with_reads = operations.map(|operation| (operation, builder.reads(operation)));
        let mut pending: Vec<(Operation, Vec<VariableId>)> = with_reads.collect();
        let mut unwritten = vec![0usize; plan.variables.len()];
        for (operation, _) in &pending {
            unwritten[builder.target(*operation).0 as usize] += 1;
        }
        while !pending.is_empty() {
            let before = pending.len();
            pending.retain(|(operation, reads)| {
                let waits = reads.iter().any(|id| unwritten[id.0 as usize] > 0);
                if !waits {
                    builder.place(*operation, reads);
                    unwritten[builder.target(*operation).0 as usize] -= 1;
                }
                waits
            });
            assert!(pending.len() < before, "operations that need each other");
        }
        builder.finish()
    }

    /// Gives every operation the layer of its value.
    pub fn lay_out(&self, plan: &mut Plan, slots: &Slots) {
        for (attend, value) in plan.attends.iter_mut().zip(&self.attends) {
            attend.layer = slots.0[*value];
        }
        for (forward, value) in plan.feed_forwards.iter_mut().zip(&self.feed_forwards) {
            forward.layer = slots.0[*value];
        }
    }
}

struct Builder<'p> {
    plan: &'p Plan,
    layers: Layers,
    /// The values that write each variable.
    writers: Vec<Vec<usize>>,
    groups: BTreeMap<Group, usize>,
    /// The hidden units of each value.
    units: BTreeMap<usize, BTreeSet<(u64, u64)>>,
}

impl<'p> Builder<'p> {
    /// With the embedding in place.
    fn new(plan: &'p Plan) -> Builder<'p> {
        let mut builder = Builder {
            plan,
            layers: Layers {
                problem: Problem::default(),
                attends: vec![0; plan.attends.len()],
                feed_forwards: vec![0; plan.feed_forwards.len()],
            },
            writers: vec![Vec::new(); plan.variables.len()],
            groups: BTreeMap::new(),
            units: BTreeMap::new(),
        };
        for (id, variable) in plan.ids().zip(&plan.variables) {
            if let Written::Embed { .. } = variable.written {
                let value = builder.value(Kind::Input, &variable.label);
                builder.writes(value, id);
            }
        }
        builder
    }

    fn target(&self, operation: Operation) -> VariableId {
        match operation {
            Operation::Attend(at) => self.plan.attends[at].into,
            Operation::FeedForward(at) => self.plan.feed_forwards[at].into,
        }
    }

    fn reads(&self, operation: Operation) -> Vec<VariableId> {
        match operation {
            Operation::Attend(at) => self.plan.attends[at].reads().collect(),
            Operation::FeedForward(at) => self.plan.feed_forwards[at].argument.reads().collect(),
        }
    }

    fn place(&mut self, operation: Operation, reads: &[VariableId]) {
        let into = self.target(operation);
        let operands = self.written(reads.iter().copied());
        let value = match operation {
            Operation::Attend(at) => {
                let attend = &self.plan.attends[at];
                let selector = attend.pattern;
                let values = &self.layers.problem.values;
                let computed = operands.iter().copied();
                let computed = computed.filter(|operand| values[*operand].kind != Kind::Input);
                let group = Group::Head(selector, computed.collect());
                let label = self.plan.moved(attend);
                let value = self.grouped(group, Kind::Head { selector }, label);
                self.layers.attends[at] = value;
                value
            }
            Operation::FeedForward(at) => {
                let forward = &self.plan.feed_forwards[at];
                let label = &self.plan.variable(into).label;
                let value = self.grouped(Group::Form(forward.bank), Kind::Form { units: 0 }, label);
                let units = self.units.entry(value).or_default();
                let own = forward.units.iter();
                units.extend(own.map(Unit::key));
                let kind = Kind::Form { units: units.len() };
                self.layers.problem.values[value].kind = kind;
                self.layers.feed_forwards[at] = value;
                value
            }
        };
        let known = &mut self.layers.problem.values[value].operands;
        known.extend(operands);
        known.sort_unstable();
        known.dedup();
        self.writes(value, into);
    }

    fn grouped(&mut self, group: Group, kind: Kind, label: &str) -> usize {
        if let Some(value) = self.groups.get(&group) {
            return *value;
        }
        let value = self.value(kind, label);
        self.groups.insert(group, value);
        value
    }

    fn value(&mut self, kind: Kind, label: &str) -> usize {
        let values = &mut self.layers.problem.values;
        values.push(Value {
            kind,
            dims: 0,
            operands: Vec::new(),
            label: short(label).to_string(),
        });
        values.len() - 1
    }

    /// Notes who writes a variable. One that several values add to counts with the first.
    fn writes(&mut self, value: usize, into: VariableId) {
        let writers = &mut self.writers[into.0 as usize];
        if writers.is_empty() {
            self.layers.problem.values[value].dims += 1;
        }
        if !writers.contains(&value) {
            writers.push(value);
        }
    }

    /// The values that write these variables, each once.
    fn written(&self, variables: impl Iterator<Item = VariableId>) -> Vec<usize> {
        let values = variables.flat_map(|id| &self.writers[id.0 as usize]);
        let values: BTreeSet<usize> = values.copied().collect();
        values.into_iter().collect()
    }

    fn finish(mut self) -> Layers {
        let scores = self.plan.outputs.iter().flat_map(|output| &output.scores);
        self.layers.problem.outputs = self.written(scores.flat_map(Linear::reads));
        self.layers
    }
}
