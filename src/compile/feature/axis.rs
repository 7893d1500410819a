//! Axes: linear reads that a function may be a staircase of. The variables themselves are axes,
//! and so is every s-op on the way that is linear, such as the balance of a Dyck word; the
//! program's own intermediate values are the best guesses.

use super::wanted::{InRows, Table, targets};
use crate::compile::Compiler;
use crate::compile::linear::LinearRead;
use crate::compile::linear::additive::{self, AdditivePart, Entering};
use crate::compile::way::{NotThis, Way};
use crate::graph::{SOp, SOpId};
use crate::infer::sets::numbers;
use crate::infer::space::{FAILS, Space, VarId};
use crate::infer::{Operand, Stopped, VarKind};
use crate::value::{Op, Value};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::sync::Arc;

/// A linear read with its value in every row of a space.
#[derive(Clone, Debug)]
pub struct Axis {
    /// For each row a number below `values.len()`; rows with one number have one value.
    numbers: Vec<u32>,
    values: Vec<f64>,
    pub read: LinearRead,
    spread: OnceCell<Option<(f64, f64)>>,
}

impl Axis {
    /// From the value in each row.
    pub fn new(rows: Vec<f64>, read: LinearRead) -> Axis {
        let mut values = Vec::new();
        let mut known: FxHashMap<u64, u32> = FxHashMap::default();
        let mut last = None;
        let mut number = |value: f64| {
            // Rows come in runs of one value.
            if let Some((bits, number)) = last
                && bits == value.to_bits()
            {
                return number;
            }
            let next = values.len() as u32;
            let number = *known.entry(value.to_bits()).or_insert(next);
            if number == next {
                values.push(value);
            }
            last = Some((value.to_bits(), number));
            number
        };
        Axis {
            numbers: rows.into_iter().map(&mut number).collect(),
            values,
            read,
            spread: OnceCell::new(),
        }
    }

    /// From the number in each row and the value of each number.
    pub fn numbered(numbers: Vec<u32>, values: Vec<f64>, read: LinearRead) -> Axis {
        let alike = Axis::new(values, read);
        Axis {
            numbers: numbers
                .iter()
                .map(|at| alike.numbers[*at as usize])
                .collect(),
            ..alike
        }
    }

    pub fn value(&self, row: usize) -> f64 {
        self.values[self.numbers[row] as usize]
    }

    /// What stands for the value in a row, below [`Axis::count`].
    pub fn number(&self, row: usize) -> u64 {
        u64::from(self.numbers[row])
    }

    pub fn count(&self) -> u64 {
        self.values.len() as u64
    }

    pub fn rows(&self) -> usize {
        self.numbers.len()
    }

    /// Appends the number in each row to another one in each row, as its last digit.
    pub fn append_to(&self, numbers: &mut [u64]) {
        let count = self.count();
        for (number, digit) in numbers.iter_mut().zip(&self.numbers) {
            *number = *number * count + u64::from(*digit);
        }
    }

    /// Some rows in order of their values, those with one value as they came.
    pub fn sorted(&self, rows: &[usize]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.values.len()).collect();
        order.sort_by(|a, b| self.values[*a].total_cmp(&self.values[*b]));
        let mut starts = vec![0; self.values.len() + 1];
        let mut rank = vec![0; self.values.len()];
        for (at, number) in order.into_iter().enumerate() {
            rank[number] = at;
        }
        let rank = |row: usize| rank[self.numbers[row] as usize];
        for row in rows {
            starts[rank(*row) + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut sorted = vec![0; rows.len()];
        for row in rows {
            let place = &mut starts[rank(*row)];
            sorted[*place] = *row;
            *place += 1;
        }
        sorted
    }

    fn is_constant(&self) -> bool {
        let values = (1..self.rows()).map(|row| self.value(row));
        values.into_iter().all(|value| value == self.value(0))
    }

    fn equals(&self, other: &Axis) -> bool {
        (0..self.rows()).all(|row| self.value(row) == other.value(row))
    }

    /// The range of the values and their smallest gap, if there are two.
    pub fn spread(&self) -> Option<(f64, f64)> {
        *self.spread.get_or_init(|| spread(self.values.clone()))
    }
}

/// The range of some values and their smallest gap, if there are two.
pub fn spread(mut values: Vec<f64>) -> Option<(f64, f64)> {
    values.sort_unstable_by(f64::total_cmp);
    let range = values.last()? - values.first()?;
    let same = 1e-9 * (1.0 + range);
    let gaps = values.windows(2).map(|pair| pair[1] - pair[0]);
    let gap = gaps.filter(|gap| *gap > same).fold(f64::INFINITY, f64::min);
    gap.is_finite().then_some((range, gap))
}

/// S-ops on the way that are tried as axes.
const MOST_INNER: usize = 24;

/// Nor are operands of operands looked at any further.
const DEEPEST: usize = 8;

impl Compiler<'_> {
    /// The axes for a function of `id` with the values `target` on the rows of `space`.
    pub(crate) fn axes(&self, id: Operand, space: &Space, target: &[f64]) -> Vec<Axis> {
        let mut axes: Vec<Axis> = Vec::new();
        let push = |axis: Axis, axes: &mut Vec<Axis>| {
            if !axis.is_constant() && !axes.iter().any(|known| known.equals(&axis)) {
                axes.push(axis);
            }
        };
        let hashes: Vec<u64> = (0..space.rows()).map(|row| hash(space.row(row))).collect();
        for (place, var) in space.vars.iter().enumerate() {
            for axis in self.axes_of_variable(*var, place, space, (target, &hashes)) {
                push(axis, &mut axes);
            }
        }
        for inner in self.inner(id) {
            if let Some(axis) = self.inner_axis_of(id, inner, space, target) {
                push(axis, &mut axes);
            }
            if let Some(axis) = self.share_axis(inner, space, target) {
                push(axis, &mut axes);
            }
        }
        axes
    }

    /// Of a comparison of `a / b` with a constant `c` the axis `a - c·b`, which is on one side of 0 where
    /// `a / b` is on one side of `c`.
    fn share_axis(&self, id: Operand, space: &Space, target: &[f64]) -> Option<Axis> {
        let (_, [quotient, share]) = self.compared(id)?;
        let share = self.only_number(share)?;
        let (above, below) = self.two_of(Op::Divide, quotient)?;
        let above = self.inner_axis(above.into(), space, target)?;
        let below = self.inner_axis(below.into(), space, target)?;
        let rows = 0..target.len();
        let values = rows.map(|row| above.value(row) - share * below.value(row));
        let read = above.read.clone().plus(-share, &below.read);
        Some(Axis::new(values.collect(), read))
    }

    fn axes_of_variable(
        &self,
        var: VarId,
        place: usize,
        space: &Space,
        (target, hashes): (&[f64], &[u64]),
    ) -> Vec<Axis> {
        let cells: Vec<u32> = (0..space.rows()).map(|row| space.row(row)[place]).collect();
        let values = self.analysis.values(var);
        let mut axes = Vec::new();
        let numbers = values.numbers();
        if let Some(numbers) = &numbers {
            let read = self.whole(var, numbers);
            axes.push(Axis::numbered(cells.clone(), numbers.clone(), read));
        }
        if let Some((inverses, read)) = self.inverse_widths(var) {
            axes.push(Axis::numbered(cells.clone(), inverses, read));
        }
        // Of a materialised s-op only its number is a linear read; any other code would take a layer.
        let is_materialised = matches!(self.analysis.kind(var), VarKind::Materialised(_));
        if self.is_categorical(var) && !(is_materialised && numbers.is_some()) {
            let classes = classes(values.domain.len(), (place, &cells), target, hashes);
            let read = LinearRead::function(var, classes.clone());
            axes.push(Axis::numbered(cells, classes, read));
        }
        axes
    }

    /// The number of each value of an s-op as its readers see it, and of that in each row of a table;
    /// none if it has no value in some row where the target has one.
    pub(super) fn values_in(&self, id: Operand, table: &Table) -> Way<InRows> {
        let Some((domain, cells)) = self.known_in(id, &table.space)? else {
            return self.recomputed_in(id, table).ok_or(NotThis);
        };
        let numbers = numbers_or_places(&domain);
        let cells = cells.into_iter();
        let in_rows = table.numbers(cells.map(|cell| numbers.get(cell as usize).copied()));
        Ok((numbers, in_rows.ok_or(NotThis)?))
    }

    /// The same of an s-op that is known there by its operands only: what one of them is made of may be a
    /// variable of the space, and not what that is made of.
    fn recomputed_in(&self, id: Operand, table: &Table) -> Option<InRows> {
        let id = id.sop()?;
        let domain = &self.analysis.node(id).ok()?.column.values.domain;
        let numbers = numbers_or_places(domain);
        let places = domain.iter().zip(numbers.iter().copied());
        let number_of: FxHashMap<&Value, f64> = places.collect();
        let rows = self.recomputed(id, &table.space, DEEPEST)?.into_iter();
        let in_rows = table.numbers(rows.map(|value| number_of.get(&value?).copied()))?;
        Some((numbers, in_rows))
    }

    /// The values of an s-op and which of them it has in each row of a space, if it is a variable there or a
    /// function of some.
    fn known_in(&self, id: Operand, space: &Space) -> Result<Option<InCells>, Stopped> {
        let node = self.analysis.node(id)?;
        let made = id.sop().and_then(|sop| self.analysis.materialised(sop));
        if let Some(place) = made.and_then(|made| space.vars.iter().position(|var| *var == made)) {
            let cells = (0..space.rows()).map(|row| space.row(row)[place]);
            return Ok(Some((node.column.values.domain.clone(), cells.collect())));
        }
        let seen = self.analysis.over_known(node, &space.vars);
        Ok(seen.and_then(|seen| Some((seen.values.domain.clone(), seen.cells_in(space)?))))
    }

    /// The value of an s-op in each row of a space, unless computing it fails.
    fn recomputed(&self, id: SOpId, space: &Space, deepest: usize) -> Option<Vec<Option<Value>>> {
        if let Some((domain, cells)) = self.known_in(id.into(), space).ok()? {
            let values = cells.iter().map(|cell| domain.get(*cell as usize).cloned());
            return Some(values.collect());
        }
        let Some(SOp::Map { op, operands }) = self.analysis.shape(id.into()) else {
            return None;
        };
        let below = deepest.checked_sub(1)?;
        let parts = operands.iter().map(|id| self.recomputed(*id, space, below));
        let parts = parts.collect::<Option<Vec<_>>>()?;
        let value = |row: usize| {
            let operands = parts.iter().map(|part| part[row].as_ref());
            op.apply(&operands.collect::<Option<Vec<_>>>()?).ok()
        };
        Some((0..space.rows()).map(value).collect())
    }

    /// The s-ops between `id` and its variables, nearest first.
    pub(crate) fn inner(&self, id: Operand) -> Vec<Operand> {
        let (mut found, mut next) = (vec![id], 0);
        while next < found.len() && found.len() < MOST_INNER {
            if let Some(operands) = self.operands(found[next]) {
                for operand in operands {
                    if !found.contains(&operand) {
                        found.push(operand);
                    }
                }
            }
            next += 1;
        }
        found
    }

    pub(crate) fn operands(&self, id: Operand) -> Option<Vec<Operand>> {
        match (self.analysis.joint(id), self.analysis.shape(id)) {
            (Some(joint), _) => Some(joint.parts.clone()),
            (None, Some(SOp::Map { operands, .. })) => {
                Some(operands.iter().map(|id| Operand::SOp(*id)).collect())
            }
            _ => None,
        }
    }

    /// As [`Compiler::inner_axis`], for a function of `id`: the same for every one that is wanted
    /// everywhere.
    fn inner_axis_of(
        &self,
        id: Operand,
        inner: Operand,
        space: &Space,
        target: &[f64],
    ) -> Option<Axis> {
        if target.iter().any(|wanted| wanted.is_nan()) {
            return self.inner_axis(inner, space, target);
        }
        let mut last = self.axes.borrow_mut();
        if last.0 != Some(id) {
            *last = (Some(id), FxHashMap::default());
        }
        let axis = last.1.entry(inner);
        axis.or_insert_with(|| self.inner_axis(inner, space, target))
            .clone()
    }

    fn inner_axis(&self, id: Operand, space: &Space, target: &[f64]) -> Option<Axis> {
        let node = self.analysis.node(id).ok()?;
        let numbers = node.column.values.numbers()?;
        if node.column.space.vars.is_empty() {
            return None;
        }
        let cells = node.column.cells_in(space)?;
        let read = self.linear(id).or_else(|| self.summed(id, &numbers))?;
        let mut rows = cells.iter().zip(target);
        if rows.any(|(cell, wanted)| *cell == FAILS && !wanted.is_nan()) {
            return None;
        }
        let (mut values, mut numbers) = (numbers, cells);
        if numbers.contains(&FAILS) {
            // Nothing is wanted there.
            let any = values.len() as u32;
            values.push(0.0);
            let failing = numbers.iter_mut().filter(|number| **number == FAILS);
            failing.for_each(|number| *number = any);
        }
        Some(Axis::numbered(numbers, values, read))
    }

    /// An s-op with these values as a linear read that adds up functions of its variables.
    fn summed(&self, id: Operand, numbers: &[f64]) -> Option<LinearRead> {
        if let Some(known) = self.summed.borrow().get(&id) {
            return known.clone();
        }
        let read = self.additive(id, numbers);
        self.summed.borrow_mut().insert(id, read.clone());
        read
    }

    /// A function of an s-op, given by a number for each value, as a linear read that adds up one of
    /// each variable.
    pub(crate) fn additive(&self, id: Operand, function: &[f64]) -> Option<LinearRead> {
        let node = self.analysis.node(id).ok()?;
        let space = &node.column.space;
        let target = targets(&node.column, function);
        let parts: Vec<Entering> = space
            .vars
            .iter()
            .map(|var| {
                let values = self.analysis.values(*var);
                if self.is_categorical(*var) {
                    return Some(Entering::Function(values.domain.len()));
                }
                values.numbers().map(Entering::Scalar)
            })
            .collect::<Option<_>>()?;
        let column = additive::additive(space, &parts, &target)?;
        let mut read = LinearRead::constant(column.constant);
        for (var, part) in column.parts {
            read = match part {
                AdditivePart::Function(values) => {
                    read.plus(1.0, &LinearRead::function(var, values))
                }
                AdditivePart::Scalar(factor) => read.plus(factor, &self.whole(var, &[])),
            };
        }
        Some(read)
    }
}

/// The values of an s-op, and which of them it has in each row of a space.
type InCells = (Arc<[Value]>, Vec<u32>);

/// A number for each value: itself if all are numbers, else its place.
fn numbers_or_places(domain: &[Value]) -> Vec<f64> {
    let places = || (0..domain.len()).map(|at| at as f64).collect();
    numbers(domain).unwrap_or_else(places)
}

/// Numbers the values of a variable so that values under which the target is the same function of
/// the other variables share a number; `cells` are its values in each row, `hashes` those of the
/// rows. Functions are told apart by hashes: a collision makes an axis that is of no use, not a
/// wrong one.
fn classes(
    size: usize,
    (place, cells): (usize, &[u32]),
    target: &[f64],
    hashes: &[u64],
) -> Vec<f64> {
    let mut functions = vec![0u64; size];
    for ((cell, wanted), hash) in cells.iter().zip(target).zip(hashes) {
        if wanted.is_nan() {
            continue;
        }
        let others = hash.wrapping_sub(hash_of(place, *cell));
        let function = &mut functions[*cell as usize];
        *function = function.wrapping_add(mixed(others ^ wanted.to_bits()));
    }
    let mut numbers: FxHashMap<u64, usize> = FxHashMap::default();
    let number = |function| {
        let next = numbers.len();
        *numbers.entry(function).or_insert(next) as f64
    };
    functions.into_iter().map(number).collect()
}

/// A hash of the values in a row: a sum, so that one of them can be taken away.
fn hash(cells: &[u32]) -> u64 {
    let hashes = cells
        .iter()
        .enumerate()
        .map(|(at, cell)| hash_of(at, *cell));
    hashes.fold(0, u64::wrapping_add)
}

fn hash_of(place: usize, cell: u32) -> u64 {
    mixed((place as u64) << 32 | u64::from(cell))
}

/// A hash of a number (the finalizer of splitmix64).
fn mixed(number: u64) -> u64 {
    let mut hash = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}
