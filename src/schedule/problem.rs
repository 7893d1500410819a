//! Scheduling by itself: values that heads and feed-forward blocks compute, what each reads, how
//! many residual directions it takes. What is scheduled here may be a program, a compilation plan or
//! made up; where it came from is not known.

use rustc_hash::FxHashSet;

/// Values to be placed on the half layers of a transformer. The residual stream has the states 0 to
/// 2L: its first after the embedding, then one after each half layer.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// In an order in which operands come first.
    pub values: Vec<Value>,
    /// The values that are read from the last state.
    pub outputs: Vec<usize>,
}

/// Something that the residual stream holds from when it is computed to when it is last read.
#[derive(Clone, Debug)]
pub struct Value {
    /// What computes it.
    pub kind: Kind,
    /// Residual directions it takes while it is alive.
    pub dims: usize,
    /// The earlier values that it reads.
    pub operands: Vec<usize>,
    /// What to call it for people.
    pub label: String,
}

/// What computes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The embedding: it is there at state 0.
    Input,
    /// Attention. In one layer, values with one selector are one head.
    Head {
        /// The number of what it attends by.
        selector: usize,
    },
    /// A feed-forward block, with so many hidden units.
    Form {
        /// How many.
        units: usize,
    },
}

/// The layer of each value, from 1; 0 for inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots(pub Vec<usize>);

/// What a schedule takes, the most important first: schedules are compared in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// Layers.
    pub layers: usize,
    /// Heads in the widest layer.
    pub widest: usize,
    /// Heads in all layers.
    pub heads: usize,
    /// Hidden units in the widest layer.
    pub units: usize,
    /// Residual directions alive at the fullest state.
    pub dims: usize,
}

/// One component of a [`Cost`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// [`Cost::layers`].
    Layers,
    /// [`Cost::widest`].
    Widest,
    /// [`Cost::heads`].
    Heads,
    /// [`Cost::units`].
    Units,
    /// [`Cost::dims`].
    Dims,
}

impl Kind {
    /// The state that holds the value if this layer computes it.
    pub fn birth(self, layer: usize) -> usize {
        match self {
            Kind::Input => 0,
            Kind::Head { .. } => 2 * layer - 1,
            Kind::Form { .. } => 2 * layer,
        }
    }

    /// The last layer that can compute the value by a state.
    pub fn layer_by(self, state: usize) -> usize {
        match self {
            Kind::Input => 0,
            Kind::Head { .. } => state.div_ceil(2),
            Kind::Form { .. } => state / 2,
        }
    }

    /// The state that is read if this layer computes the value.
    pub fn reads(self, layer: usize) -> usize {
        match self {
            Kind::Input => 0,
            Kind::Head { .. } => 2 * layer - 2,
            Kind::Form { .. } => 2 * layer - 1,
        }
    }

    /// How many layers after the value its reader is, at least.
    pub fn lag(self, reader: Kind) -> usize {
        match (self, reader) {
            (Kind::Head { .. }, Kind::Form { .. }) => 0,
            _ => 1,
        }
    }
}

impl Slots {
    /// How many layers they use.
    pub fn layers(&self) -> usize {
        self.0.iter().copied().max().unwrap_or(0)
    }
}

impl Cost {
    /// One component.
    pub fn get(&self, stage: Stage) -> usize {
        match stage {
            Stage::Layers => self.layers,
            Stage::Widest => self.widest,
            Stage::Heads => self.heads,
            Stage::Units => self.units,
            Stage::Dims => self.dims,
        }
    }
}

impl Problem {
    /// Whether these slots compute nothing before what it reads.
    ///
    /// # Errors
    /// The first value that is out of place.
    pub fn check(&self, slots: &Slots) -> Result<(), String> {
        if slots.0.len() != self.values.len() {
            let (slots, values) = (slots.0.len(), self.values.len());
            return Err(format!("{slots} slots for {values} values"));
        }
        self.values
            .iter()
            .enumerate()
            .try_for_each(|(index, value)| self.check_value(index, value, slots))
    }

    fn check_value(&self, index: usize, value: &Value, slots: &Slots) -> Result<(), String> {
        let layer = slots.0[index];
        if (layer == 0) != (value.kind == Kind::Input) {
            return Err(format!("value {index} is in layer {layer}"));
        }
        for operand in &value.operands {
            if *operand >= index {
                return Err(format!("value {index} reads value {operand}, a later one"));
            }
            let birth = self.values[*operand].kind.birth(slots.0[*operand]);
            let reads = value.kind.reads(layer);
            if birth > reads {
                return Err(format!(
                    "value {index} reads state {reads}, value {operand} is born at state {birth}"
                ));
            }
        }
        Ok(())
    }

    /// What these slots take, which are [checked](Problem::check).
    pub fn cost(&self, slots: &Slots) -> Cost {
        let heads = self.heads(slots);
        Cost {
            layers: slots.layers(),
            widest: largest(&heads),
            heads: heads.iter().sum(),
            units: largest(&self.units(slots)),
            dims: largest(&self.dims(slots)),
        }
    }

    /// The heads of each layer.
    pub fn heads(&self, slots: &Slots) -> Vec<usize> {
        let mut heads = vec![FxHashSet::default(); slots.layers()];
        for (value, layer) in self.values.iter().zip(&slots.0) {
            if let Kind::Head { selector } = value.kind {
                heads[layer - 1].insert(selector);
            }
        }
        heads.iter().map(FxHashSet::len).collect()
    }

    /// The hidden units of each layer.
    pub fn units(&self, slots: &Slots) -> Vec<usize> {
        let mut hidden = vec![0; slots.layers()];
        for (value, layer) in self.values.iter().zip(&slots.0) {
            if let Kind::Form { units } = value.kind {
                hidden[layer - 1] += units;
            }
        }
        hidden
    }

    /// The residual directions alive at each state: a value is alive from its birth to its last
    /// reader, and at its birth even if nothing reads it.
    pub fn dims(&self, slots: &Slots) -> Vec<usize> {
        let mut births = Vec::new();
        for (value, layer) in self.values.iter().zip(&slots.0) {
            births.push(value.kind.birth(*layer));
        }
        let mut deaths = births.clone();
        for (value, layer) in self.values.iter().zip(&slots.0) {
            for operand in &value.operands {
                deaths[*operand] = deaths[*operand].max(value.kind.reads(*layer));
            }
        }
        let last = 2 * slots.layers();
        for output in &self.outputs {
            deaths[*output] = last;
        }
        let mut alive = vec![0; last + 1];
        for (index, value) in self.values.iter().enumerate() {
            for state in &mut alive[births[index]..=deaths[index]] {
                *state += value.dims;
            }
        }
        alive
    }
}

/// The largest of some counts; 0 of none.
pub(super) fn largest(counts: &[usize]) -> usize {
    counts.iter().copied().max().unwrap_or(0)
}
