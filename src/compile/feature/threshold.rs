//! Functions of a number whose thresholds depend on something else: `(indices + 1) * mean > 2` is
//! `mean > 2.5 / (indices + 1)`, one step of a linear read, since a function of the index is one.
//! Where thresholds depend on two things, the classes of one are told apart by gates: far below, a
//! step is silent.

use super::axis::Axis;
use super::search::MOST_PRECISION;
use super::side::line_between;
use super::units::step_units;
use super::wanted::{Wanted, targets};
use crate::compile::linear::{LinearRead, Scalar};
use crate::compile::{Care, Compiler, Want, key, ones_where};
use crate::infer::space::{Space, VarId};
use crate::infer::{Analysis, Operand, Stopped};
use crate::model::bfloat16;
use crate::plan::ascending;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A function with more values is not taken apart.
pub(super) const MOST_VALUES: usize = 300;

/// More classes of what gates a step are not told apart.
const MOST_CLASSES: usize = 4;

/// Of a step over more rows few values of its argument are kept.
const MANY_ROWS: usize = 4_096;

/// A staircase of more steps may have fewer as a function of what is on the way to it.
const MANY_STEPS: usize = 32;

/// A function as a constant and changes at thresholds.
pub struct Thresholds {
    pub(super) first: f64,
    pub(super) steps: Vec<ThresholdStep>,
    /// Changes where something is in a class, whatever the number.
    pub(super) classes: Vec<(f64, LinearRead)>,
}

impl Thresholds {
    /// A line through the only threshold, if there is one.
    pub fn line(self) -> Option<LinearRead> {
        let [step] = &*self.steps else {
            return None;
        };
        let sides = [self.first, self.first + step.change];
        let is_alone = self.classes.is_empty();
        is_alone.then(|| line_between(&step.argument, &step.points, 0.0, sides))?
    }

    pub fn steps(&self) -> usize {
        self.steps.len()
    }
}

/// `change` where the argument is positive.
pub(super) struct ThresholdStep {
    pub argument: LinearRead,
    pub points: Vec<f64>,
    pub slope: f64,
    pub change: f64,
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
    /// The number in each row.
    z: Vec<f64>,
    read: LinearRead,
    /// What thresholds depend on by any function, and what gates them, as places in a row.
    by: Option<(VarId, usize)>,
    gate: Option<(VarId, usize)>,
    sizes: (usize, usize),
    /// Whether nothing is left to float32's digits.
    is_exact: bool,
    /// Whether weights are to be bfloat16.
    is_bfloat16: bool,
}

impl Compiler<'_> {
    /// A function of an s-op as thresholds of one number: of itself or, if it has too many steps
    /// otherwise, of an s-op on the way that determines it, such as the count whose parity it is.
    pub(super) fn thresholds_of(&self, wanted: Wanted, steps: Option<usize>) -> Option<Thresholds> {
        let Wanted { id, want, .. } = wanted;
        let mut on_the_way = self.inner(id).into_iter().skip(1);
        let column = &self.analysis.node(id).ok()?.column;
        let target = targets(column, wanted.function);
        let found = self.thresholds(&column.space, &target, |value| value);
        let is_needed = want != Want::Snapped || found.is_none() && steps.is_none();
        let of_sum = is_needed
            .then(|| self.thresholds_of_sum(id, &target))
            .flatten();
        let found = [found, of_sum].into_iter().flatten();
        let found = found.min_by_key(Thresholds::steps);
        if found.is_some() || steps.is_some_and(|steps| steps <= MANY_STEPS) {
            return found;
        }
        on_the_way.find_map(|inner| {
            let node = self.analysis.node(inner).ok()?;
            let numbers = node.column.values.numbers()?;
            let same = node.column.space.vars == column.space.vars;
            let of_inner = same.then(|| targets(&node.column, &numbers))?;
            let worth = determined(&of_inner, &target)?;
            let worth = |value: f64| worth.get(&key(value)).copied().unwrap_or(f64::NAN);
            let of_inner = of_inner.into_iter().zip(&target);
            let wanted =
                of_inner.map(|(number, target)| if target.is_nan() { f64::NAN } else { number });
            self.thresholds(&column.space, &Vec::from_iter(wanted), worth)
        })
    }

    /// A function of a sum as thresholds of that.
    pub(super) fn thresholds_of_sum(&self, id: Operand, target: &[f64]) -> Option<Thresholds> {
        self.sum_ratio(id)?.thresholds(target)
    }

    /// The function `target` on the rows of a space as thresholds of one number, each value for what it
    /// is worth.
    pub(super) fn thresholds(
        &self,
        space: &Space,
        target: &[f64],
        worth: impl Fn(f64) -> f64,
    ) -> Option<Thresholds> {
        let (others, numbers): (Vec<VarId>, Vec<VarId>) = space
            .vars
            .iter()
            .partition(|var| self.is_categorical(**var));
        if others.is_empty() || others.len() > 2 || numbers.is_empty() || numbers.len() > 2 {
            return None;
        }
        let axes: Vec<Axis> = numbers
            .iter()
            .map(|var| self.number_axis(*var, place(*var, space)?, space))
            .collect::<Option<_>>()?;
        // A function that falls is one that rises, negated: steps rise with the number, so that
        // float32 computes them without rounding.
        let negated: Vec<f64> = target.iter().map(|value| -value).collect();
        let levels = levels(target)?;
        let falling: Vec<f64> = levels.iter().rev().map(|value| -value).collect();
        // What attention wrote is a gate only: its multiples are not exact.
        let embedded = others.iter().copied();
        let embedded = embedded.filter(|var| *var <= Analysis::INDICES);
        let by: Vec<Option<VarId>> = match others.as_slice() {
            [_] if embedded.clone().count() == 0 => vec![None],
            _ => embedded.map(Some).collect(),
        };
        let mut best: Option<Thresholds> = None;
        for number in combinations(&axes, space.rows()) {
            for by in &by {
                let gate = others.iter().copied().find(|other| Some(*other) != *by);
                let taking = self.taking(space, &number, *by, gate);
                let fewer = |best: &Option<Thresholds>| best.as_ref().map(Thresholds::steps);
                let rises = taking.apart((target, &levels), &worth, fewer(&best));
                best = rises.or(best);
                let worth = |value: f64| worth(-value);
                let falls = taking.apart((&negated, &falling), &worth, fewer(&best));
                best = falls.or(best);
            }
        }
        best
    }

    /// A number that a function is taken apart over, what its thresholds depend on, and what gates them.
    fn taking<'s>(
        &self,
        space: &'s Space,
        (z, read): &(Vec<f64>, LinearRead),
        by: Option<VarId>,
        gate: Option<VarId>,
    ) -> Taking<'s> {
        let placed = |var: VarId| Some((var, place(var, space)?));
        let size = |var: VarId| self.analysis.values(var).domain.len();
        Taking {
            space,
            z: z.clone(),
            read: read.clone(),
            by: by.and_then(placed),
            gate: gate.and_then(placed),
            sizes: (by.map_or(1, size), gate.map_or(1, size)),
            is_exact: self.care == Care::Exact,
            is_bfloat16: self.host.is_bfloat16(),
        }
    }

    /// A number that the stream holds right after attention.
    fn number_axis(&self, var: VarId, place: usize, space: &Space) -> Option<Axis> {
        if self.is_total(var) {
            return None;
        }
        let (numbers, read) = match self.inverted(var) {
            None => {
                let read = LinearRead::scalar(Scalar::Attention(var));
                (self.analysis.values(var).numbers()?, read)
            }
            Some(_) => self.inverse_widths(var)?,
        };
        let cells = (0..space.rows()).map(|row| space.row(row)[place]);
        Some(Axis::numbered(cells.collect(), numbers, read))
    }

    /// The function as hidden units: bits of their own if they are to be exact.
    pub(super) fn by_thresholds(
        &mut self,
        thresholds: Thresholds,
        wanted: Wanted,
    ) -> Result<LinearRead, Stopped> {
        let Wanted {
            id, want, label, ..
        } = wanted;
        let snapped = want == Want::Snapped || self.care == Care::Exact;
        let mut read = LinearRead::constant(thresholds.first);
        for (change, class) in thresholds.classes {
            if snapped && !class.is_embedded() {
                self.rounds(&class);
            }
            read = read.plus(change, &class);
        }
        for step in thresholds.steps {
            if snapped {
                self.round_argument(&step.argument);
            }
            let at = self.argument(step.argument, step.points, label)?;
            let bit = self.units(at, step_units(step.slope, 0.0), label, Some(id));
            read = read.plus(step.change, &bit);
        }
        Ok(read)
    }
}

/// Of some numbers those next to 0 and those furthest from it: a step has one value on each side.
fn ends_of_sides(numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sides: [Option<(f64, f64)>; 2] = [None; 2];
    for number in numbers {
        let side = &mut sides[usize::from(number > 0.0)];
        let (least, most) = side.unwrap_or((number, number));
        *side = Some((least.min(number), most.max(number)));
    }
    let ends = sides.into_iter().flatten();
    ends.flat_map(|(least, most)| [least, most]).collect()
}

/// Where a variable stands in the rows of a space.
fn place(var: VarId, space: &Space) -> Option<usize> {
    space.vars.iter().position(|known| *known == var)
}

/// The values of a function by size, each once; `None` if there are too many.
fn levels(target: &[f64]) -> Option<Arc<[f64]>> {
    let levels = target.iter().copied().filter(|t| !t.is_nan());
    let levels = ascending(levels.collect());
    (levels.len() <= MOST_VALUES).then_some(levels)
}

/// What each number comes with in all rows, if that is always the same, and there is a number wherever there
/// is a value: a branch that is not taken may have none.
fn determined(numbers: &[f64], values: &[f64]) -> Option<FxHashMap<u64, f64>> {
    let mut found = FxHashMap::default();
    let rows = numbers.iter().zip(values);
    let mut rows = rows.filter(|(_, value)| !value.is_nan());
    let same = rows.all(|(number, value)| {
        !number.is_nan() && *found.entry(key(*number)).or_insert(*value) == *value
    });
    same.then_some(found)
}

/// The numbers that thresholds are tried on: that of one axis, or the sum and the difference of two.
fn combinations(axes: &[Axis], rows: usize) -> Vec<(Vec<f64>, LinearRead)> {
    match axes {
        [axis] => {
            let values = (0..rows).map(|row| axis.value(row)).collect();
            vec![(values, axis.read.clone())]
        }
        [a, b] => {
            let combined = [1.0, -1.0].map(|factor| {
                let values = (0..rows).map(|row| a.value(row) + factor * b.value(row));
                (values.collect(), a.read.clone().plus(factor, &b.read))
            });
            combined.into()
        }
        _ => Vec::new(),
    }
}

impl Taking<'_> {
    /// The target, with its levels, taken apart: into fewer steps than some, if they are given. The
    /// function is what its values are worth.
    fn apart(
        &self,
        (target, levels): (&[f64], &[f64]),
        worth: &impl Fn(f64) -> f64,
        fewer_than: Option<usize>,
    ) -> Option<Thresholds> {
        let mut found = Thresholds {
            first: worth(*levels.first()?),
            steps: Vec::new(),
            classes: Vec::new(),
        };
        for pair in levels.windows(2) {
            let change = worth(pair[1]) - worth(pair[0]);
            if change != 0.0 {
                self.threshold(target, (pair[0], change), &mut found, fewer_than)?;
            }
        }
        fewer_than
            .is_none_or(|most| found.steps() < most)
            .then_some(found)
    }

    fn cells(&self, row: usize) -> (usize, usize) {
        let cells = self.space.row(row);
        let gate = self.gate.map_or(0, |(_, place)| cells[place] as usize);
        let by = self.by.map_or(0, |(_, place)| cells[place] as usize);
        (by, gate)
    }

    /// Adds the steps of the bit that is 1 where the target is more than `value`; `None` if it has
    /// none.
    fn threshold(
        &self,
        target: &[f64],
        (value, change): (f64, f64),
        found: &mut Thresholds,
        fewer_than: Option<usize>,
    ) -> Option<()> {
        let nothing = Limits {
            zero: f64::NEG_INFINITY,
            one: f64::INFINITY,
        };
        let (count, gates) = self.sizes;
        let mut limits = vec![vec![nothing; count]; gates];
        for (row, target) in target.iter().enumerate() {
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
        let always = |limits: &[Limits]| limits.iter().all(|l| l.zero == f64::NEG_INFINITY);
        for (limits, members) in &classes {
            match self.gate {
                _ if silent(limits) => {}
                Some((gate, _)) if always(limits) && !single => {
                    let class = ones_where(self.sizes.1, |value| members.contains(&value));
                    found
                        .classes
                        .push((change, LinearRead::function(gate, class)));
                }
                _ if fewer_than.is_some_and(|most| found.steps() + 1 >= most) => return None,
                _ => found
                    .steps
                    .push(self.step(target, (limits, members, single), change)?),
            }
        }
        Some(())
    }

    /// The step of one class of what gates.
    fn step(
        &self,
        target: &[f64],
        (limits, members, single): (&[Limits], &[usize], bool),
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
        // As coarse as the gap allows, so that sums with large numbers fit in a float; and coarser where
        // all must be exact.
        let (parts, share) = match self.is_exact && !self.is_bfloat16 {
            true => (4.0, 2.0 / 3.0),
            false => (8.0, 1.0 / 2.0),
        };
        // The ramp takes no more of the gap.
        let slope = 2f64.powf((1.0 / (share * gap)).log2().ceil());
        let grid = 2f64.powf((gap / parts).log2().floor());
        let at = |limit: &Limits| {
            let middle = match (limit.zero.is_finite(), limit.one.is_finite()) {
                (true, true) => (limit.zero + limit.one) / 2.0,
                (true, false) => limit.zero + gap / 2.0,
                (false, true) => limit.one - gap / 2.0,
                (false, false) => 0.0,
            };
            match self.is_bfloat16 {
                true => (2.0 * middle * slope).round() / (2.0 * slope),
                false => (middle / grid).round() * grid,
            }
        };
        let mut thresholds: Vec<f64> = limits.iter().map(at).collect();
        if self.is_bfloat16
            && let Some(first) = thresholds.first().copied()
        {
            // The first is a bias, and what others are beside it are weights.
            for threshold in &mut thresholds {
                *threshold = first + bfloat16(*threshold - first);
            }
        }
        // What these are rounded by may leave a ramp too little of its gap.
        let ramp = 0.5 / slope;
        let is_apart =
            |(limit, at): (&Limits, &f64)| limit.zero + ramp <= *at && *at <= limit.one - ramp;
        if !limits.iter().zip(&thresholds).all(is_apart) {
            return None;
        }
        let far = 2f64.powf((2.0 * (range + gap)).log2().ceil());
        let threshold = match self.by {
            Some((by, _)) => LinearRead::function(by, thresholds.clone()),
            None => LinearRead::constant(thresholds[0]),
        };
        let mut argument = self.read.clone().plus(-1.0, &threshold);
        let mut pushed = vec![0.0; self.sizes.1];
        if let (Some((gate, _)), false) = (self.gate, single) {
            for (value, push) in pushed.iter_mut().enumerate() {
                *push = if members.contains(&value) { 0.0 } else { far };
            }
            argument = argument.plus(-1.0, &LinearRead::function(gate, pushed.clone()));
        }
        let wanted = (0..target.len()).filter(|row| !target[*row].is_nan());
        let argued = wanted.map(|row| {
            let (by, gate) = self.cells(row);
            self.z[row] - thresholds[by] - pushed[gate]
        });
        // What adds the values of arguments up to those of one variable wants all of them.
        let points = match argument.reads_embedding() && target.len() > MANY_ROWS {
            true => ends_of_sides(argued),
            false => argued.collect(),
        };
        Some(ThresholdStep {
            argument,
            points,
            slope,
            change,
        })
    }
}
