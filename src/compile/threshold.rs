//! Functions of a number whose thresholds depend on something else: `(indices + 1) * mean > 2` is
//! `mean > 2.5 / (indices + 1)`, one step of a linear read, since a function of the index is one.
//! Where thresholds depend on two things, the classes of one are told apart by gates: far below, a
//! step is silent.

use super::Compiler;
use super::axis::Axis;
use super::form::{Form, Scalar};
use crate::graph::SOpId;
use crate::infer::Stopped;
use crate::infer::space::{Space, VarId};
use crate::plan::Unit;
use rustc_hash::FxHashMap;

/// A function with more values is not taken apart.
const MOST_VALUES: usize = 300;

/// More classes of what gates a step are not told apart.
const MOST_CLASSES: usize = 4;

/// The range of an argument over the smallest gap at a threshold, as in a search.
const MOST_PRECISION: f64 = 131_072.0;

/// A function as a constant and changes at thresholds.
pub struct Thresholds {
    first: f64,
    steps: Vec<ThresholdStep>,
}

impl Thresholds {
    pub fn steps(&self) -> usize {
        self.steps.len()
    }
}

/// `change` where the argument is positive.
struct ThresholdStep {
    argument: Form,
    points: Vec<f64>,
    slope: f64,
    change: f64,
}

/// The greatest number with 0 and the least with 1, of one combination of what thresholds depend
/// on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Limits {
    zero: f64,
    one: f64,
}

/// What a function is taken apart over.
struct Taking<'s> {
    space: &'s Space,
    target: &'s [f64],
    /// The number in each row.
    z: Vec<f64>,
    form: Form,
    /// What thresholds depend on by any function, and what gates them, as places in a row.
    by: (VarId, usize),
    gate: Option<(VarId, usize)>,
    sizes: (usize, usize),
}

impl Compiler<'_> {
    /// The function `target` on the rows of a space as thresholds of one number.
    pub(super) fn thresholds(&self, space: &Space, target: &[f64]) -> Option<Thresholds> {
        let place = |var: &VarId| space.vars.iter().position(|known| known == var);
        let (others, numbers): (Vec<VarId>, Vec<VarId>) = space
            .vars
            .iter()
            .partition(|var| self.is_categorical(**var));
        if others.is_empty() || others.len() > 2 || numbers.is_empty() || numbers.len() > 2 {
            return None;
        }
        let axes: Vec<Axis> = numbers
            .iter()
            .map(|var| self.number_axis(*var, place(var)?, space))
            .collect::<Option<_>>()?;
        let mut best: Option<Thresholds> = None;
        for (z, form) in combinations(&axes) {
            for turn in 0..others.len() {
                let by = others[turn];
                let gate = others.iter().find(|other| **other != by);
                let size = |var: VarId| self.analysis.values(var).domain.len();
                let taking = Taking {
                    space,
                    target,
                    z: z.clone(),
                    form: form.clone(),
                    by: (by, place(&by)?),
                    gate: gate.and_then(|gate| Some((*gate, place(gate)?))),
                    sizes: (size(by), gate.map_or(1, |gate| size(*gate))),
                };
                if let Some(found) = taking.apart()
                    && best
                        .as_ref()
                        .is_none_or(|best| found.steps() < best.steps())
                {
                    best = Some(found);
                }
            }
        }
        best
    }

    /// A number that the stream holds right after attention.
    fn number_axis(&self, var: VarId, place: usize, space: &Space) -> Option<Axis> {
        let numbers = self.analysis.values(var).numbers()?;
        let (numbers, form) = match (self.inverted(var), self.inverse(var)) {
            (None, _) => (numbers, Form::scalar(Scalar::Attention(var))),
            (Some(_), Some(selector)) => (
                numbers.iter().map(|width| 1.0 / (1.0 + width)).collect(),
                Form::scalar(Scalar::Inverse(selector, 0)),
            ),
            (Some(_), None) => return None,
        };
        let values = (0..space.rows()).map(|row| numbers[space.row(row)[place] as usize]);
        Some(Axis::new(values.collect(), form))
    }

    /// The function as hidden units: bits of their own if they are to be exact.
    pub(super) fn by_thresholds(
        &mut self,
        thresholds: Thresholds,
        id: SOpId,
        snapped: bool,
        label: &str,
    ) -> Result<Form, Stopped> {
        let mut form = Form::constant(thresholds.first);
        for step in thresholds.steps {
            if snapped {
                self.round_argument(&step.argument);
            }
            let at = self.argument(step.argument, step.points, label)?;
            let units = [(0.5, 1.0), (-0.5, -1.0)].map(|(offset, weight)| Unit {
                slope: step.slope,
                offset,
                weight,
            });
            let bit = self.units(at, units.to_vec(), label, Some(id));
            form = form.plus(step.change, &bit);
        }
        Ok(form)
    }
}

/// The numbers that thresholds are tried on.
fn combinations(axes: &[Axis]) -> Vec<(Vec<f64>, Form)> {
    let mut found = Vec::new();
    for axis in axes {
        if axes.len() == 1 {
            found.push((axis.values.clone(), axis.form.clone()));
        }
    }
    if let [a, b] = axes {
        for factor in [1.0, -1.0] {
            let values = a.values.iter().zip(&b.values);
            let values = values.map(|(a, b)| a + factor * b).collect();
            found.push((values, a.form.clone().plus(factor, &b.form)));
        }
    }
    let negated: Vec<(Vec<f64>, Form)> = found
        .iter()
        .map(|(values, form)| (values.iter().map(|z| -z).collect(), form.scaled(-1.0)))
        .collect();
    found.extend(negated);
    found
}

impl Taking<'_> {
    fn apart(&self) -> Option<Thresholds> {
        let mut values: Vec<f64> = self
            .target
            .iter()
            .copied()
            .filter(|t| !t.is_nan())
            .collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        if values.len() > MOST_VALUES {
            return None;
        }
        let mut steps = Vec::new();
        for pair in values.windows(2) {
            steps.extend(self.threshold(pair[0], pair[1] - pair[0])?);
        }
        Some(Thresholds {
            first: *values.first()?,
            steps,
        })
    }

    fn cells(&self, row: usize) -> (usize, usize) {
        let cells = self.space.row(row);
        let gate = self.gate.map_or(0, |(_, place)| cells[place] as usize);
        (cells[self.by.1] as usize, gate)
    }

    /// The steps of the bit that is 1 where the target is more than `value`; `None` if it has none.
    fn threshold(&self, value: f64, change: f64) -> Option<Vec<ThresholdStep>> {
        let nothing = Limits {
            zero: f64::NEG_INFINITY,
            one: f64::INFINITY,
        };
        let (count, gates) = self.sizes;
        let mut limits = vec![vec![nothing; count]; gates];
        for (row, target) in self.target.iter().enumerate() {
            if target.is_nan() {
                continue;
            }
            let (by, gate) = self.cells(row);
            let limit = &mut limits[gate][by];
            match *target > value {
                true => limit.one = limit.one.min(self.z[row]),
                false => limit.zero = limit.zero.max(self.z[row]),
            }
        }
        let mut classes: Vec<(Vec<Limits>, Vec<usize>)> = Vec::new();
        for (gate, limits) in limits.into_iter().enumerate() {
            match classes.iter_mut().find(|(known, _)| *known == limits) {
                Some((_, members)) => members.push(gate),
                None => classes.push((limits, vec![gate])),
            }
        }
        if classes.len() > MOST_CLASSES {
            return None;
        }
        let single = classes.len() == 1;
        let silent = |limits: &[Limits]| limits.iter().all(|limit| limit.one == f64::INFINITY);
        let mut steps = Vec::new();
        for (limits, members) in &classes {
            if !silent(limits) {
                steps.push(self.step(limits, members, single, change)?);
            }
        }
        Some(steps)
    }

    /// The step of one class of what gates.
    fn step(
        &self,
        limits: &[Limits],
        members: &[usize],
        single: bool,
        change: f64,
    ) -> Option<ThresholdStep> {
        let range = self.z.iter().fold(0.0f64, |most, z| most.max(z.abs()));
        let gaps = limits
            .iter()
            .filter(|limit| limit.zero.is_finite() && limit.one.is_finite())
            .map(|limit| limit.one - limit.zero);
        let gap = gaps.fold(f64::INFINITY, f64::min).min(range.max(0.5));
        if gap <= 0.0 || range / gap > MOST_PRECISION {
            return None;
        }
        let grid = 2f64.powf((gap / 64.0).log2().floor());
        let at = |limit: &Limits| {
            let middle = match (limit.zero.is_finite(), limit.one.is_finite()) {
                (true, true) => (limit.zero + limit.one) / 2.0,
                (true, false) => limit.zero + gap / 2.0,
                (false, true) => limit.one - gap / 2.0,
                (false, false) => 0.0,
            };
            (middle / grid).round() * grid
        };
        let thresholds: Vec<f64> = limits.iter().map(at).collect();
        let far = 2f64.powf((2.0 * (range + gap)).log2().ceil());
        let mut argument = Form::default()
            .plus(1.0, &self.form)
            .plus(-1.0, &Form::function(self.by.0, thresholds.clone()));
        let mut pushed = vec![0.0; self.sizes.1];
        if let (Some((gate, _)), false) = (self.gate, single) {
            for (value, push) in pushed.iter_mut().enumerate() {
                *push = if members.contains(&value) { 0.0 } else { far };
            }
            argument = argument.plus(-1.0, &Form::function(gate, pushed.clone()));
        }
        let mut known: FxHashMap<u64, ()> = FxHashMap::default();
        let mut points = Vec::new();
        for row in 0..self.space.rows() {
            if self.target[row].is_nan() {
                continue;
            }
            let (by, gate) = self.cells(row);
            let z = self.z[row] - thresholds[by] - pushed[gate];
            if known.insert(z.to_bits(), ()).is_none() {
                points.push(z);
            }
        }
        Some(ThresholdStep {
            argument,
            points,
            slope: 2f64.powf((2.0 / gap).log2().ceil() + 1.0),
            change,
        })
    }
}
