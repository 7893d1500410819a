//! The order in which variables are placed: from the last to the first, each when what reads it is known.

use crate::base::Code;
use crate::compile::linear::basis::Basis;
use crate::compile::{Compiler, Ordered};
use crate::infer::Stopped;
use crate::infer::space::VarId;
use crate::plan::{Unit, ascending};

/// A direction is held as another number only where biases are so many times smaller.
const SMALLER: f64 = 4.0;

impl Compiler<'_> {
    /// Places the variables that are read, the last first: their directions, the heads that write
    /// them and, through these, demands on earlier variables.
    ///
    /// # Errors
    /// What cannot be placed; a variable that is read in another way by what is placed after it.
    pub(crate) fn place_variables(&mut self) -> Result<(), Stopped> {
        let mut placed = vec![0; self.analysis.vars.len()];
        // What is first read by one before it is placed in another round.
        loop {
            let mut is_done = true;
            for (at, known) in placed.iter_mut().enumerate().rev() {
                let var = VarId(at as u32);
                let readers = self.readers(var);
                if *known > 0 || readers == 0 {
                    continue;
                }
                (*known, is_done) = (readers, false);
                match self.is_categorical(var) {
                    true => self.place_categorical(var)?,
                    false => self.place_numerical(var)?,
                }
            }
            if is_done {
                break;
            }
        }
        let mut vars = (0..).map(VarId).zip(placed);
        match vars.find(|(var, known)| !self.spans(*var, *known)) {
            None => Ok(()),
            Some((var, _)) => {
                let name = self.analysis.var_name(var);
                let reason = format!("{name} is read by what is placed after it");
                Err(Stopped::new(Code::NotExact, reason))
            }
        }
    }

    /// Whether the directions of a variable give what is read of it besides so many functions that were known.
    fn spans(&self, var: VarId, known: usize) -> bool {
        let Some(demands) = self.demands.get(&var) else {
            return true;
        };
        let mut late = demands.keys().skip(known);
        late.all(|bits| {
            let function: Vec<f64> = bits.iter().copied().map(f64::from_bits).collect();
            let basis = self.bases.get(&var);
            basis.is_some_and(|basis| basis.coordinates(&function).is_some())
        })
    }

    /// Holds functions of a variable as 0 where that leaves small biases to the hidden units that read them:
    /// beside a large one floats have few digits for what else is read.
    pub(super) fn hold_near_steps(&self, var: VarId, basis: &mut Basis) {
        for column in 0..basis.columns.len() {
            let readers = self.features.values().filter_map(|feature| {
                let read = &self.arguments[feature.argument].read;
                let (constant, coordinates) = basis.coordinates(read.functions.get(&var)?)?;
                let is_reader = coordinates[column] != 0.0;
                is_reader.then_some((
                    read.constant + constant,
                    coordinates[column],
                    &feature.units,
                ))
            });
            let readers: Vec<(f64, f64, &Vec<Unit>)> = readers.collect();
            let biases = |number: f64| -> f64 {
                let biases = readers.iter().flat_map(|(constant, factor, units)| {
                    let constant = constant + factor * number;
                    let bias =
                        move |unit: &Unit| unit.weight * (unit.offset + unit.slope * constant);
                    units.iter().map(bias)
                });
                biases.map(f64::abs).sum()
            };
            let numbers = ascending(basis.columns[column].function.clone());
            let found = numbers.iter().map(|number| (biases(*number), *number));
            if let Some((least, number)) = found.min_by(|a, b| a.0.total_cmp(&b.0))
                && least * SMALLER < biases(0.0)
            {
                basis.hold_as_0(column, number);
            }
        }
    }

    /// In how many ways a variable is read.
    fn readers(&self, var: VarId) -> usize {
        match self.is_categorical(var) {
            true => self.demands.get(&var).map_or(0, Ordered::len),
            false => usize::from(self.wanted.contains(&var)),
        }
    }
}
