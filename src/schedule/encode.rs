//! A scheduling problem as propositional logic: order literals for the layers, clauses for what
//! reads what, and sums for what a schedule takes.

use super::instance::Instance;
use super::problem::{Slots, Stage};
use super::solver::{Answer, Literal, Solver};
use super::totalizer::{Reached, Sum};
use rustc_hash::FxHashMap;

/// What is known to hold, known not to hold, or up to the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Bit {
    False,
    True,
    Literal(Literal),
}

impl std::ops::Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        match self {
            Bit::False => Bit::True,
            Bit::True => Bit::False,
            Bit::Literal(literal) => Bit::Literal(!literal),
        }
    }
}

/// Two conditions at once.
type Both = (Bit, Bit);

/// A problem in the language of a solver.
pub(super) struct Encoding<'a, S> {
    solver: S,
    instance: &'a Instance<'a>,
    /// For each value and each layer from its earliest to its last but one: it is there or before.
    placed_by: Vec<Vec<Literal>>,
    /// Values that can stand for each other.
    classes: Vec<Vec<usize>>,
    /// What follows from any of some conditions.
    known: FxHashMap<Vec<Both>, Bit>,
}

impl<'a, S: Solver> Encoding<'a, S> {
    pub fn new(instance: &'a Instance<'a>, solver: S) -> Encoding<'a, S> {
        let mut encoding = Encoding {
            solver,
            instance,
            placed_by: Vec::new(),
            classes: classes(instance),
            known: FxHashMap::default(),
        };
        encoding.order();
        encoding.precedences();
        encoding.symmetries();
        encoding
    }

    /// Makes the solver look near a schedule first.
    pub fn start_from(&mut self, slots: &Slots, conflicts: u64) {
        let literals = self.literals(slots);
        self.solver.solve(&literals, conflicts);
    }

    /// Literals for the numbers that the sums of a stage reach, as far as the stage can exceed its
    /// bound, and up to one more than its present value. None if that takes too many clauses.
    pub fn reached(&mut self, stage: Stage, value: usize, bound: usize) -> Option<Reached> {
        let mut reached = Vec::new();
        for sum in self.sums(stage) {
            if sum.largest() > bound {
                reached.extend(sum.totalize(&mut self.solver, value + 1)?);
            }
        }
        Some(reached)
    }

    /// From now on, the sums are at most that.
    pub fn forbid(&mut self, reached: &Reached, most: usize) {
        for (_, literal) in reached.iter().filter(|(number, _)| *number > most) {
            self.solver.clause(&[!*literal]);
        }
    }

    /// Whether the sums can be at most that. If they can, they are from now on.
    pub fn ask(&mut self, reached: &Reached, most: usize, conflicts: u64) -> Answer {
        let guard = self.solver.variable();
        for (_, literal) in reached.iter().filter(|(number, _)| *number > most) {
            self.solver.clause(&[!guard, !*literal]);
        }
        let answer = self.solver.solve(&[guard], conflicts);
        match answer {
            Answer::Satisfiable => self.solver.clause(&[guard]),
            Answer::Unsatisfiable | Answer::Unknown => self.solver.clause(&[!guard]),
        }
        answer
    }

    /// The layers of the last assignment found.
    pub fn slots(&self) -> Slots {
        let layer = |value: usize| {
            let before = self.placed_by[value].iter();
            let later = before.filter(|literal| !self.solver.holds(**literal));
            self.instance.earliest[value] + later.count()
        };
        Slots((0..self.placed_by.len()).map(layer).collect())
    }

    /// The literals of a schedule. Values that can stand for each other are put into order first.
    fn literals(&self, slots: &Slots) -> Vec<Literal> {
        let mut layers = slots.0.clone();
        for class in &self.classes {
            let mut sorted: Vec<usize> = class.iter().map(|value| layers[*value]).collect();
            sorted.sort_unstable();
            for (value, layer) in class.iter().zip(sorted) {
                layers[*value] = layer;
            }
        }
        let mut literals = Vec::new();
        for (value, placed_by) in self.placed_by.iter().enumerate() {
            for (layer, literal) in (self.instance.earliest[value]..).zip(placed_by) {
                let holds = layers[value] <= layer;
                literals.push(if holds { *literal } else { !*literal });
            }
        }
        literals
    }

    /// What must stay within the value of a stage.
    fn sums(&mut self, stage: Stage) -> Vec<Sum> {
        let layers = 1..=self.instance.layers;
        match stage {
            Stage::Layers => Vec::new(),
            Stage::Widest => layers.map(|layer| self.heads(layer)).collect(),
            Stage::Heads => vec![self.all_heads()],
            Stage::Units => layers.map(|layer| self.units(layer)).collect(),
            Stage::Dims => {
                let states = 0..=2 * self.instance.layers;
                states.map(|state| self.dims(state)).collect()
            }
        }
    }

    fn order(&mut self) {
        for value in 0..self.instance.problem.values.len() {
            let layers = self.instance.earliest[value]..self.instance.latest[value];
            let placed_by: Vec<Literal> = layers.map(|_| self.solver.variable()).collect();
            for pair in placed_by.windows(2) {
                self.solver.clause(&[!pair[0], pair[1]]);
            }
            self.placed_by.push(placed_by);
        }
    }

    /// A value that is placed by a layer has its operands placed by the layer that leaves time.
    fn precedences(&mut self) {
        let instance = self.instance;
        for value in instance.placed() {
            for operand in &instance.operands[value] {
                let lag = instance.kind(*operand).lag(instance.kind(value));
                for layer in instance.earliest[value]..=instance.latest[value] {
                    let value = self.placed_by(value, layer);
                    let operand = self.placed_by(*operand, layer - lag);
                    self.require(&[!value, operand]);
                }
            }
        }
    }

    /// Values that can stand for each other are in order.
    fn symmetries(&mut self) {
        for class in &self.classes {
            for pair in class.windows(2) {
                let [first, second] = [pair[0], pair[1]].map(|value| &self.placed_by[value]);
                for (first, second) in first.iter().zip(second) {
                    self.solver.clause(&[!*second, *first]);
                }
            }
        }
    }

    /// A clause.
    fn require(&mut self, bits: &[Bit]) {
        if bits.contains(&Bit::True) {
            return;
        }
        let literal = |bit: &Bit| match bit {
            Bit::Literal(literal) => Some(*literal),
            Bit::True | Bit::False => None,
        };
        let literals: Vec<Literal> = bits.iter().filter_map(literal).collect();
        self.solver.clause(&literals);
    }

    fn placed_by(&self, value: usize, layer: usize) -> Bit {
        if layer < self.instance.earliest[value] {
            return Bit::False;
        }
        let literals = &self.placed_by[value];
        match literals.get(layer - self.instance.earliest[value]) {
            Some(literal) => Bit::Literal(*literal),
            None => Bit::True,
        }
    }

    /// Whether the value is in that layer.
    fn placed_in(&self, value: usize, layer: usize) -> Both {
        (
            self.placed_by(value, layer),
            !self.placed_by(value, layer - 1),
        )
    }

    /// Whether the value has been computed at that state.
    fn born(&self, value: usize, state: usize) -> Bit {
        self.placed_by(value, self.instance.kind(value).layer_by(state))
    }

    /// Follows from any of the conditions, and need not hold otherwise.
    fn any(&mut self, mut conditions: Vec<Both>) -> Bit {
        conditions.retain(|(first, second)| *first != Bit::False && *second != Bit::False);
        conditions.sort_unstable();
        conditions.dedup();
        match conditions[..] {
            [] => return Bit::False,
            [(Bit::True, only) | (only, Bit::True)] => return only,
            _ => {}
        }
        if conditions.contains(&(Bit::True, Bit::True)) {
            return Bit::True;
        }
        if let Some(known) = self.known.get(&conditions) {
            return *known;
        }
        let bit = Bit::Literal(self.solver.variable());
        for (first, second) in &conditions {
            self.require(&[!*first, !*second, bit]);
        }
        self.known.insert(conditions, bit);
        bit
    }

    /// Whether the layer has a head with that selector.
    fn head(&mut self, group: usize, layer: usize) -> Bit {
        let values = self.instance.groups[group].iter();
        let conditions = values.map(|value| self.placed_in(*value, layer)).collect();
        self.any(conditions)
    }

    fn heads(&mut self, layer: usize) -> Sum {
        let mut sum = Sum::default();
        for group in 0..self.instance.groups.len() {
            let head = self.head(group, layer);
            count(&mut sum, head, 1);
        }
        sum
    }

    /// Selectors of one value are one head, wherever it is.
    fn all_heads(&mut self) -> Sum {
        let mut sum = Sum::default();
        for group in 0..self.instance.groups.len() {
            if self.instance.groups[group].len() == 1 {
                sum.constant += 1;
                continue;
            }
            for layer in 1..=self.instance.layers {
                let head = self.head(group, layer);
                count(&mut sum, head, 1);
            }
        }
        sum
    }

    fn units(&mut self, layer: usize) -> Sum {
        let mut sum = Sum::default();
        for value in self.instance.placed() {
            let units = self.instance.units(value);
            if units > 0 {
                let there = self.any(vec![self.placed_in(value, layer)]);
                count(&mut sum, there, units);
            }
        }
        sum
    }

    fn dims(&mut self, state: usize) -> Sum {
        let mut sum = Sum::default();
        for value in 0..self.instance.problem.values.len() {
            let alive = self.alive(value, state);
            let alive = self.any(alive);
            count(&mut sum, alive, self.instance.problem.values[value].dims);
        }
        sum
    }

    /// The conditions on which a value is alive at a state: it is born, and some reader still to
    /// come; or if nothing reads it, it is just born.
    fn alive(&self, value: usize, state: usize) -> Vec<Both> {
        let born = self.born(value, state);
        if self.instance.is_output[value] {
            return vec![(born, Bit::True)];
        }
        let readers = &self.instance.readers[value];
        if readers.is_empty() {
            let before = match state {
                0 => Bit::False,
                _ => self.born(value, state - 1),
            };
            return vec![(born, !before)];
        }
        // What reads at or after the state is born after it.
        let waiting = readers.iter().map(|reader| !self.born(*reader, state));
        waiting.map(|waiting| (born, waiting)).collect()
    }
}

fn count(sum: &mut Sum, bit: Bit, weight: usize) {
    match bit {
        Bit::False => {}
        Bit::True => sum.constant += weight,
        Bit::Literal(literal) => sum.add(literal, weight),
    }
}

/// Values that differ in nothing that counts, in groups of at least two.
fn classes(instance: &Instance) -> Vec<Vec<usize>> {
    let mut classes: Vec<Vec<usize>> = Vec::new();
    let mut numbers = FxHashMap::default();
    for value in instance.placed() {
        let number = *numbers
            .entry(traits(instance, value))
            .or_insert(classes.len());
        if number == classes.len() {
            classes.push(Vec::new());
        }
        classes[number].push(value);
    }
    classes.retain(|class| class.len() > 1);
    classes
}

/// All that a schedule's cost depends on, but for the layer. A selector that no other value has is
/// as good as any other of that kind.
fn traits(instance: &Instance, value: usize) -> impl Eq + std::hash::Hash + use<> {
    let shared = instance.group[value].filter(|group| instance.groups[*group].len() > 1);
    (
        instance.group[value].is_some(),
        shared,
        instance.units(value),
        instance.problem.values[value].dims,
        instance.is_output[value],
        instance.operands[value].clone(),
        instance.readers[value].clone(),
    )
}
