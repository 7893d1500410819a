//! Axes: linear reads that a function may be a staircase of. The variables themselves are axes,
//! and so is every s-op on the way that is linear, such as the balance of a Dyck word; the
//! program's own intermediate values are the best guesses.

use super::Compiler;
use super::fit::{self, FitPart, Part};
use super::form::{Form, Scalar};
use super::inverse::inverse;
use crate::graph::{SOp, SOpId};
use crate::infer::VarKind;
use crate::infer::space::{Space, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

/// A linear read with its value in every row of a space.
#[derive(Clone, Debug)]
pub struct Axis {
    pub values: Vec<f64>,
    pub form: Form,
    spread: OnceCell<Option<(f64, f64)>>,
}

impl Axis {
    pub fn new(values: Vec<f64>, form: Form) -> Axis {
        Axis {
            values,
            form,
            spread: OnceCell::new(),
        }
    }

    /// The range of the values and their smallest gap, if there are two.
    pub fn spread(&self) -> Option<(f64, f64)> {
        *self.spread.get_or_init(|| spread(&self.values))
    }
}

fn spread(values: &[f64]) -> Option<(f64, f64)> {
    let distinct: FxHashSet<u64> = values.iter().map(|value| value.to_bits()).collect();
    let mut sorted: Vec<f64> = distinct.into_iter().map(f64::from_bits).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let range = sorted.last()? - sorted.first()?;
    let same = 1e-9 * (1.0 + range);
    let gaps = sorted.windows(2).map(|pair| pair[1] - pair[0]);
    let gap = gaps.filter(|gap| *gap > same).fold(f64::INFINITY, f64::min);
    gap.is_finite().then_some((range, gap))
}

/// S-ops on the way that are tried as axes.
const MOST_INNER: usize = 24;

impl Compiler<'_> {
    /// The axes for a function of `id` with the values `target` on the rows of `space`.
    pub(super) fn axes(&self, id: SOpId, space: &Space, target: &[f64]) -> Vec<Axis> {
        let mut axes: Vec<Axis> = Vec::new();
        let push = |axis: Axis, axes: &mut Vec<Axis>| {
            let constant = axis.values.windows(2).all(|pair| pair[0] == pair[1]);
            let known = axes.iter().any(|known| known.values == axis.values);
            if !constant && !known {
                axes.push(axis);
            }
        };
        for (place, var) in space.vars.iter().enumerate() {
            for axis in self.axes_of_variable(*var, place, space, target) {
                push(axis, &mut axes);
            }
        }
        for inner in self.inner(id) {
            if let Some(axis) = self.inner_axis(inner, space, target) {
                push(axis, &mut axes);
            }
        }
        axes
    }

    fn axes_of_variable(
        &self,
        var: VarId,
        place: usize,
        space: &Space,
        target: &[f64],
    ) -> Vec<Axis> {
        let cell = |row: usize| space.row(row)[place] as usize;
        let over_rows = |numbers: &[f64]| (0..space.rows()).map(|row| numbers[cell(row)]).collect();
        let values = self.analysis.values(var);
        let mut axes = Vec::new();
        let numbers = values.numbers();
        if let Some(numbers) = &numbers {
            axes.push(Axis::new(over_rows(numbers), self.whole(var, numbers)));
        }
        if let (Some(numbers), Some(selector)) = (&numbers, self.inverse(var)) {
            let inverses: Vec<f64> = numbers.iter().map(|w| inverse(*w as usize)).collect();
            let form = Form::scalar(Scalar::Inverse(selector, 0));
            axes.push(Axis::new(over_rows(&inverses), form));
        }
        // Of a cut only its number is a linear read; any other code would take a layer.
        let is_cut = matches!(self.analysis.vars[var.0 as usize].kind, VarKind::Cut(_));
        if self.is_categorical(var) && !(is_cut && numbers.is_some()) {
            let classes = classes(values.domain.len(), place, space, target);
            let values = over_rows(&classes);
            let form = Form::default().plus(1.0, &Form::function(var, classes));
            axes.push(Axis::new(values, form));
        }
        axes
    }

    /// The s-ops between `id` and its variables, nearest first.
    fn inner(&self, id: SOpId) -> Vec<SOpId> {
        let (mut found, mut next) = (vec![id], 0);
        while next < found.len() && found.len() < MOST_INNER {
            if let Some(operands) = self.operands(found[next]) {
                for operand in operands {
                    if !found.contains(operand) {
                        found.push(*operand);
                    }
                }
            }
            next += 1;
        }
        found
    }

    pub(super) fn operands(&self, id: SOpId) -> Option<&[SOpId]> {
        match (self.analysis.joint(id), self.analysis.sop(id)) {
            (Some(joint), _) => Some(&joint.parts),
            (None, Some(SOp::Map { operands, .. })) => Some(operands),
            _ => None,
        }
    }

    fn inner_axis(&self, id: SOpId, space: &Space, target: &[f64]) -> Option<Axis> {
        let node = self.analysis.node(id).ok()?;
        let numbers = node.column.values.numbers()?;
        let vars = &node.column.space.vars;
        if vars.is_empty()
            || vars
                .iter()
                .any(|var| space.vars.binary_search(var).is_err())
        {
            return None;
        }
        let form = self.linear(id).or_else(|| self.additive(id, &numbers))?;
        let rows = space.project(&node.column.space);
        let mut values = Vec::with_capacity(rows.len());
        for (row, wanted) in rows.iter().zip(target) {
            match numbers.get(node.column.cells[*row as usize] as usize) {
                Some(number) => values.push(*number),
                None if wanted.is_nan() => values.push(0.0),
                None => return None,
            }
        }
        Some(Axis::new(values, form))
    }

    /// A function of an s-op, given by a number for each value, as an additive form.
    pub(super) fn additive(&self, id: SOpId, function: &[f64]) -> Option<Form> {
        let node = self.analysis.node(id).ok()?;
        let space = &node.column.space;
        let target: Vec<f64> = node
            .column
            .cells
            .iter()
            .map(|cell| function.get(*cell as usize).copied().unwrap_or(f64::NAN))
            .collect();
        let parts: Vec<Part> = space
            .vars
            .iter()
            .map(|var| {
                let values = self.analysis.values(*var);
                if self.is_categorical(*var) {
                    return Some(Part::Function(values.domain.len()));
                }
                values.numbers().map(Part::Scalar)
            })
            .collect::<Option<_>>()?;
        let fit = fit::additive(space, &parts, &target)?;
        let mut form = Form::constant(fit.constant);
        for (var, part) in fit.parts {
            form = match part {
                FitPart::Function(values) => form.plus(1.0, &Form::function(var, values)),
                FitPart::Scalar(factor) => form.plus(factor, &self.whole(var, &[])),
            };
        }
        Some(form)
    }
}

/// Numbers the values of a variable so that values under which the target is the same function of
/// the other variables share a number.
fn classes(size: usize, place: usize, space: &Space, target: &[f64]) -> Vec<f64> {
    let mut slices: Vec<Vec<(Vec<u32>, u64)>> = vec![Vec::new(); size];
    for (row, wanted) in target.iter().enumerate() {
        if wanted.is_nan() {
            continue;
        }
        let cells = space.row(row);
        let mut others = cells.to_vec();
        others.remove(place);
        slices[cells[place] as usize].push((others, wanted.to_bits()));
    }
    let mut numbers: FxHashMap<Vec<(Vec<u32>, u64)>, usize> = FxHashMap::default();
    slices
        .into_iter()
        .map(|mut slice| {
            slice.sort_unstable();
            let next = numbers.len();
            *numbers.entry(slice).or_insert(next) as f64
        })
        .collect()
}
