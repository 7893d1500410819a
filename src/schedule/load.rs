//! What a schedule takes, kept up to date while single values move: what local search looks at
//! thousands of times.

use super::instance::Instance;
use super::problem::{Slots, largest};

/// A schedule with the load of each of its layers and states.
pub(super) struct Load<'a> {
    instance: &'a Instance<'a>,
    slots: Vec<usize>,
    /// How many values of each selector are in each layer.
    members: Vec<Vec<usize>>,
    heads: Vec<usize>,
    units: Vec<usize>,
    dims: Vec<usize>,
    /// How many readers each value has at each state.
    reads: Vec<Vec<usize>>,
}

/// What local search makes smaller: the first differing number decides.
pub(super) type Key = [usize; 5];

impl<'a> Load<'a> {
    pub fn new(instance: &'a Instance<'a>, slots: &Slots) -> Load<'a> {
        let layers = instance.layers + 1;
        let mut load = Load {
            instance,
            slots: slots.0.clone(),
            members: vec![vec![0; instance.groups.len()]; layers],
            heads: vec![0; layers],
            units: vec![0; layers],
            dims: vec![0; 2 * layers],
            reads: vec![vec![0; 2 * layers]; slots.0.len()],
        };
        for value in instance.placed() {
            load.occupy(value);
        }
        for (value, readers) in instance.readers.iter().enumerate() {
            for reader in readers {
                load.reads[value][instance.kind(*reader).reads(slots.0[*reader])] += 1;
            }
        }
        for value in 0..load.slots.len() {
            load.live(value, |state, dims| *state += dims);
        }
        load
    }

    pub fn slots(&self) -> Slots {
        Slots(self.slots.clone())
    }

    /// The layers that a value can move to while all others stay.
    pub fn window(&self, value: usize) -> std::ops::RangeInclusive<usize> {
        let first = self.instance.first_layer(value, &self.slots);
        first..=self.instance.last_layer(value, &self.slots)
    }

    pub fn layer(&self, value: usize) -> usize {
        self.slots[value]
    }

    /// Moves a value to a layer of its window.
    pub fn shift(&mut self, value: usize, layer: usize) {
        if self.slots[value] == layer {
            return;
        }
        let kind = self.instance.kind(value);
        let (before, after) = (kind.reads(self.slots[value]), kind.reads(layer));
        for operand in &self.instance.operands[value] {
            self.live(*operand, |state, dims| *state -= dims);
            self.reads[*operand][before] -= 1;
            self.reads[*operand][after] += 1;
            self.live(*operand, |state, dims| *state += dims);
        }
        self.live(value, |state, dims| *state -= dims);
        self.leave(value);
        self.slots[value] = layer;
        self.occupy(value);
        self.live(value, |state, dims| *state += dims);
    }

    /// How evenly heads and hidden units are spread.
    pub fn spread(&self) -> Key {
        let squares = |counts: &[usize]| counts.iter().map(|count| count * count).sum();
        [
            largest(&self.heads),
            squares(&self.heads),
            largest(&self.units),
            squares(&self.units),
            largest(&self.dims),
        ]
    }

    /// The cost, with all heads only if they count.
    pub fn cost(&self, merge_heads: bool) -> Key {
        let heads = match merge_heads {
            true => self.heads.iter().sum(),
            false => 0,
        };
        [
            largest(&self.heads),
            heads,
            largest(&self.units),
            largest(&self.dims),
            self.dims.iter().sum(),
        ]
    }

    fn occupy(&mut self, value: usize) {
        let layer = self.slots[value];
        self.units[layer] += self.instance.units(value);
        if let Some(group) = self.instance.group[value] {
            self.heads[layer] += usize::from(self.members[layer][group] == 0);
            self.members[layer][group] += 1;
        }
    }

    fn leave(&mut self, value: usize) {
        let layer = self.slots[value];
        self.units[layer] -= self.instance.units(value);
        if let Some(group) = self.instance.group[value] {
            self.members[layer][group] -= 1;
            self.heads[layer] -= usize::from(self.members[layer][group] == 0);
        }
    }

    /// Changes the states at which a value is alive by its dims.
    fn live(&mut self, value: usize, change: impl Fn(&mut usize, usize)) {
        let instance = self.instance;
        let born = instance.kind(value).birth(self.slots[value]);
        let last_read = || self.reads[value].iter().rposition(|reads| *reads > 0);
        let until = match instance.is_output[value] {
            true => 2 * instance.layers,
            false => last_read().unwrap_or(born),
        };
        for state in &mut self.dims[born..=until] {
            change(state, instance.problem.values[value].dims);
        }
    }
}
