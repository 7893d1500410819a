//! A problem with what every algorithm asks of it: who reads a value, in which layers it can be, and
//! the values of each selector.

use super::problem::{Kind, Problem};
use rustc_hash::FxHashMap;

/// What follows from a [`Problem`] before anything is placed.
pub(super) struct Instance<'a> {
    pub problem: &'a Problem,
    /// The fewest layers: the longest chain of values that read each other.
    pub layers: usize,
    /// The first layer each value can be in; 0 for inputs.
    pub earliest: Vec<usize>,
    /// The last layer each value can be in; 0 for inputs.
    pub latest: Vec<usize>,
    /// What each value reads, each once.
    pub operands: Vec<Vec<usize>>,
    /// The values that read each value.
    pub readers: Vec<Vec<usize>>,
    pub is_output: Vec<bool>,
    /// The values of each selector, by the selectors' order of appearance.
    pub groups: Vec<Vec<usize>>,
    /// The group of each value that a head computes.
    pub group: Vec<Option<usize>>,
}

impl<'a> Instance<'a> {
    /// # Panics
    /// If a value reads itself or a later value.
    pub fn new(problem: &'a Problem) -> Instance<'a> {
        let operands = operands(problem);
        let mut instance = Instance {
            problem,
            layers: 0,
            earliest: Vec::new(),
            latest: Vec::new(),
            readers: readers(&operands),
            operands,
            is_output: vec![false; problem.values.len()],
            groups: Vec::new(),
            group: Vec::new(),
        };
        for output in &problem.outputs {
            instance.is_output[*output] = true;
        }
        instance.find_windows();
        instance.find_groups();
        instance
    }

    pub fn kind(&self, value: usize) -> Kind {
        self.problem.values[value].kind
    }

    /// The hidden units that a value takes.
    pub fn units(&self, value: usize) -> usize {
        match self.kind(value) {
            Kind::Form { units } => units,
            Kind::Input | Kind::Head { .. } => 0,
        }
    }

    /// The values that have to be placed.
    pub fn placed(&self) -> impl DoubleEndedIterator<Item = usize> + use<'_> {
        (0..self.problem.values.len()).filter(|value| self.kind(*value) != Kind::Input)
    }

    /// The first layer that its operands leave to a value.
    pub fn first_layer(&self, value: usize, slots: &[usize]) -> usize {
        let kind = self.kind(value);
        let operands = self.operands[value].iter();
        let after = operands.map(|operand| slots[*operand] + self.kind(*operand).lag(kind));
        after.max().unwrap_or(1).max(1)
    }

    /// The last layer that its readers leave to a value.
    pub fn last_layer(&self, value: usize, slots: &[usize]) -> usize {
        let kind = self.kind(value);
        let readers = self.readers[value].iter();
        let before = readers.map(|reader| slots[*reader] - kind.lag(self.kind(*reader)));
        before.min().unwrap_or(self.layers)
    }

    fn find_windows(&mut self) {
        let values = self.problem.values.len();
        let mut earliest = vec![0; values];
        for value in self.placed() {
            earliest[value] = self.first_layer(value, &earliest);
        }
        self.layers = earliest.iter().copied().max().unwrap_or(0);
        let mut latest = vec![0; values];
        for value in self.placed().rev() {
            latest[value] = self.last_layer(value, &latest);
        }
        (self.earliest, self.latest) = (earliest, latest);
    }

    fn find_groups(&mut self) {
        let mut numbers = FxHashMap::default();
        for (index, value) in self.problem.values.iter().enumerate() {
            let Kind::Head { selector } = value.kind else {
                self.group.push(None);
                continue;
            };
            let number = *numbers.entry(selector).or_insert(self.groups.len());
            if number == self.groups.len() {
                self.groups.push(Vec::new());
            }
            self.groups[number].push(index);
            self.group.push(Some(number));
        }
    }
}

/// What each value reads, each once.
fn operands(problem: &Problem) -> Vec<Vec<usize>> {
    let each_once = |operands: &[usize]| {
        let mut operands = operands.to_vec();
        operands.sort_unstable();
        operands.dedup();
        operands
    };
    let values = problem.values.iter();
    values.map(|value| each_once(&value.operands)).collect()
}

/// The values that read each value.
fn readers(operands: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut readers = vec![Vec::new(); operands.len()];
    for (value, operands) in operands.iter().enumerate() {
        for operand in operands {
            assert!(*operand < value, "operands are earlier values");
            readers[*operand].push(value);
        }
    }
    readers
}
