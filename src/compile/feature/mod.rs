//! Features: one number at each position that a reader wants of an s-op, given by a number for
//! each of its values. A feature is a linear read if there is one, otherwise the output of one
//! hidden layer; chains of elementwise s-ops are fused, since the table is over their variables.

pub(crate) mod axis;
mod beyond;
mod by_part;
mod by_value;
mod choice;
pub mod inverse;
mod product;
mod quotient;
mod rank;
pub(crate) mod ratio;
mod remainder;
pub(crate) mod rounded;
pub(crate) mod search;
mod side;
pub mod steps;
mod threshold;
pub(crate) mod units;
mod wanted;

use crate::base::Code;
use crate::compile::linear::LinearRead;
use crate::compile::linear::by_shape::{STACK, affine};
use crate::compile::way::{NotThis, Way, tried};
use crate::compile::{Care, Compiler, Want, bits};
use crate::graph::{SOp, SOpId};
use crate::infer::space::Space;
use crate::infer::{Operand, Stopped};
use crate::plan::pass::Choice;
use crate::value::Op;
use axis::Axis;
use search::Found;
use units::QUIET;
pub(super) use wanted::Wanted;
use wanted::{Table, targets};

/// A method that computes a feature in one way.
type Method<'c> = fn(&mut Compiler<'c>, Wanted) -> Way;

impl Compiler<'_> {
    /// The feature with the value `function[v]` where the s-op has the value number `v`.
    pub(super) fn feature(
        &mut self,
        id: impl Into<Operand>,
        function: &[f64],
        want: Want,
        label: &str,
    ) -> Result<LinearRead, Stopped> {
        let id = id.into();
        let key = (id, bits(function), want);
        if let Some(read) = self.known.get(&key) {
            return Ok(read.clone());
        }
        let wanted = Wanted {
            id,
            function,
            want,
            label,
        };
        // As deep as the program is written.
        let read = stacker::maybe_grow(STACK, 16 * STACK, || self.new_feature(wanted))?;
        self.known.insert(key, read.clone());
        Ok(read)
    }

    fn new_feature(&mut self, wanted: Wanted) -> Result<LinearRead, Stopped> {
        let Wanted {
            id,
            function,
            want,
            label,
        } = wanted;
        self.analysis.if_interrupted()?;
        if function.is_empty() {
            // The s-op fails on every input, so nothing reads this.
            return Ok(LinearRead::default());
        }
        let snapped = want == Want::Snapped;
        if let Some(read) = self.read(id, function)
            && (!snapped || read.is_embedded() || self.may_round() && self.rounds(&read))
        {
            return Ok(read);
        }
        if let Some(read) = tried(self.by_value(wanted))? {
            return Ok(read);
        }
        if !self.chooses(Choice::Fuse)
            && self.is_of_computed(id)
            && let Ok(read) = self.through_operands(wanted)
        {
            return Ok(read);
        }
        if let Some((inner, function)) = self.of_renamed(id, function) {
            return self.feature(inner, &function, want, label);
        }
        let ways: [(bool, Method); 6] = [
            (snapped, Self::of_exact_parts),
            (snapped, Self::by_order),
            (!snapped && self.chooses(Choice::Linear), Self::sum),
            (!snapped, Self::of_one_width),
            (true, Self::product),
            (true, Self::quotient),
        ];
        for (may_do, way) in ways {
            if may_do && let Some(read) = tried(way(self, wanted))? {
                return Ok(read);
            }
        }
        self.tabulated(wanted)
    }

    /// The feature from the table over its variables: steps of one linear read, thresholds that
    /// depend on something, or from its operands.
    fn tabulated(&mut self, wanted: Wanted) -> Result<LinearRead, Stopped> {
        let found = self.found(wanted.id, wanted.function)?;
        // What takes fewer steps or fewer digits first, most of that without a layer more.
        if let Some(read) = tried(self.in_parts(wanted, found.as_ref()))? {
            return Ok(read);
        }
        if let Some(read) = tried(self.in_fewer_steps(wanted, found.as_ref()))? {
            return Ok(read);
        }
        if let Some(read) = tried(self.in_fewer_digits(wanted, found.as_ref()))? {
            return Ok(read);
        }
        if let Some(found) = found {
            return self.staircase(found, wanted);
        }
        let read = tried(self.through_operands(wanted))?;
        read.ok_or_else(|| Stopped {
            culprit: wanted.id.sop(),
            ..Stopped::new(
                Code::NotExact,
                "no hidden layer was found that computes this exactly".to_string(),
            )
        })
    }

    /// The feature from parts that are there or are computed in the same layer, unless the staircase that was
    /// found has few steps.
    fn in_parts(&mut self, wanted: Wanted, found: Option<&Found>) -> Way {
        let steps = found.map_or(usize::MAX, Found::steps);
        if let Some(read) = tried(self.choice_of_two(wanted, steps))? {
            return Ok(read);
        }
        if let Some(read) = tried(self.by_part(wanted, steps))? {
            return Ok(read);
        }
        if self.divides_reads(wanted.id)
            && let Some(read) = tried(self.remainder(wanted, steps))?
        {
            return Ok(read);
        }
        match wanted.want == Want::Snapped || steps <= FEW {
            true => Err(NotThis),
            false => self.of_exact_parts(wanted),
        }
    }

    /// The feature in another way that takes fewer steps than the staircase that was found, if there is one.
    fn in_fewer_steps(&mut self, wanted: Wanted, found: Option<&Found>) -> Way {
        let snapped = wanted.want == Want::Snapped;
        let steps = found.map(Found::steps);
        let is_fine = |found: &Found| match snapped {
            true => is_plain(&found.argument),
            false => found.steps() <= FEW,
        };
        if !found.is_some_and(is_fine)
            && let Some(thresholds) = self.thresholds_of(wanted, steps)
            && steps.is_none_or(|steps| snapped || thresholds.steps() < steps)
        {
            return Ok(self.by_thresholds(thresholds, wanted)?);
        }
        let many = steps.unwrap_or(usize::MAX);
        // A layer later only where nothing else needs none.
        if !self.divides_reads(wanted.id)
            && let Some(read) = tried(self.remainder(wanted, many))?
        {
            return Ok(read);
        }
        if !snapped
            && found.is_some_and(|found| self.is_coarser_by_order(found, wanted))
            && let Ok(read) = self.by_order(wanted)
        {
            return Ok(read);
        }
        self.through_quotient(wanted, many)
    }

    /// The feature a layer later, where the staircase that was found leaves float32 too few digits.
    fn in_fewer_digits(&mut self, wanted: Wanted, found: Option<&Found>) -> Way {
        let snapped = wanted.want == Want::Snapped;
        let is_exact = |found: &Found| {
            let stairs = &found.stairs;
            // What is to be a bit may be multiplied by whatever it gates.
            let quiet = if snapped { QUIET / 2.0 } else { QUIET };
            stairs.precision <= LITTLE_PRECISION && stairs.noise() <= quiet
        };
        if self.care == Care::Exact
            && !found.is_some_and(is_exact)
            && let Ok(read) = self.by_numbers(wanted)
        {
            return Ok(read);
        }
        let much = match self.host.is_bfloat16() {
            true => LITTLE_PRECISION,
            false => MUCH_PRECISION,
        };
        let vars = self.analysis.node(wanted.id)?.column.space.vars.len();
        let is_precise = |found: &Found| {
            let precision = found.stairs.precision;
            let careful = self.care.is_careful() && vars > 2;
            let is_long = precision > much || found.steps() > MANY_STEPS;
            careful && precision > LITTLE_PRECISION || is_long && self.is_of_conditions(wanted.id)
        };
        match !snapped && found.is_some_and(is_precise) {
            true => self.through_operands(wanted).or(Err(NotThis)),
            false => Err(NotThis),
        }
    }

    /// Whether an s-op is a function of some that are functions of others.
    fn is_of_computed(&self, id: Operand) -> bool {
        let is_computed = |operand: Operand| {
            let vars = self
                .analysis
                .node(operand)
                .map(|node| node.column.space.vars.len());
            vars.is_ok_and(|vars| vars > 0) && self.operands(operand).is_some()
        };
        let operands = self.operands(id);
        operands.is_some_and(|operands| operands.into_iter().any(is_computed))
    }

    /// Whether an s-op is a function of several with few values, each of fewer variables.
    fn is_of_conditions(&self, id: Operand) -> bool {
        let Ok(node) = self.analysis.node(id) else {
            return false;
        };
        let vars = node.column.space.vars.len();
        let is_condition = |operand: &Operand| {
            self.analysis.node(*operand).is_ok_and(|node| {
                node.seen.values.domain.len() <= FEW && node.seen.space.vars.len() < vars
            })
        };
        let operands = self.operands(id);
        operands.is_some_and(|operands| operands.iter().all(is_condition))
    }

    /// A function of an s-op that only renames the values of another, as an indicator or a negation
    /// does, as one of the other.
    fn of_renamed(&self, id: Operand, function: &[f64]) -> Option<(Operand, Vec<f64>)> {
        let Some(SOp::Map { op, operands }) = self.analysis.sop(id) else {
            return None;
        };
        let [inner] = **operands else {
            return None;
        };
        let outer = &self.analysis.node(id).ok()?.column;
        let column = &self.analysis.node(inner).ok()?.column;
        let (new, old) = (&outer.values.domain, &column.values.domain);
        if outer.space.vars != column.space.vars || new.len() != old.len() {
            return None;
        }
        let of_old = old.iter().map(|value| {
            let renamed = op.apply(&[value]).ok()?;
            let at = new.binary_search_by(|known| known.canonical_order(&renamed));
            function.get(at.ok()?).copied()
        });
        Some((inner.into(), of_old.collect::<Option<_>>()?))
    }

    /// A staircase that a function of an s-op is, as found at the first time of asking.
    pub(super) fn found(&self, id: Operand, function: &[f64]) -> Result<Option<Found>, Stopped> {
        let key = (id, bits(function));
        if let Some(known) = self.searches.borrow().get(&key) {
            return Ok(known.clone());
        }
        let column = &self.analysis.node(id)?.column;
        let found = self.search(id, &column.space, &targets(column, function));
        self.searches.borrow_mut().insert(key, found.clone());
        Ok(found)
    }

    /// Widths as such are computed by hidden units already, so that steps of them come a layer later:
    /// they are tried last.
    fn search(&self, id: Operand, space: &Space, target: &[f64]) -> Option<Found> {
        let axes = self.axes(id, space, target);
        let (late, early): (Vec<Axis>, Vec<Axis>) =
            axes.into_iter().partition(|axis| axis.read.counts());
        let search = |axes: &[Axis]| {
            let all: Vec<usize> = space
                .vars
                .iter()
                .filter_map(|var| {
                    axes.iter()
                        .rposition(|axis| self.reads_only(&axis.read, *var))
                })
                .collect();
            search::search(axes, &all, target, self.host.is_bfloat16())
        };
        let first = search(&early);
        if late.is_empty() || first.as_ref().is_some_and(|found| found.steps() <= FEW) {
            return first;
        }
        let all: Vec<Axis> = early.into_iter().chain(late).collect();
        let both = first.into_iter().chain(search(&all));
        both.min_by_key(Found::steps)
    }

    /// A function of one width, interpolated.
    fn of_one_width(&mut self, wanted: Wanted) -> Way {
        let column = &self.analysis.node(wanted.id)?.column;
        let [var] = *column.space.vars else {
            return Err(NotThis);
        };
        let selector = self.inverse(var).ok_or(NotThis)?;
        let numbers = self.analysis.values(var).numbers().ok_or(NotThis)?;
        let mut of_width = vec![f64::NAN; numbers.len()];
        for row in 0..column.space.rows() {
            let value = column.cells[row] as usize;
            of_width[column.space.row(row)[0] as usize] =
                wanted.function.get(value).copied().unwrap_or(f64::NAN);
        }
        if of_width.iter().any(|value| value.is_nan()) {
            return Err(NotThis);
        }
        let widths: Vec<usize> = numbers.iter().map(|width| *width as usize).collect();
        if widths.windows(2).any(|pair| pair[1] != pair[0] + 1) {
            return Err(NotThis);
        }
        let read =
            self.interpolate_width((selector, 0), &widths, &of_width, false, wanted.label)?;
        Ok(read)
    }

    /// A sum or a difference as that of its operands, each computed by itself: never deeper than a
    /// hidden layer that computes it from their variables, and mostly of fewer steps.
    fn sum(&mut self, wanted: Wanted) -> Way {
        let (a, sign, b) = self.added(wanted.id).ok_or(NotThis)?;
        if self.analysis.node(wanted.id)?.column.space.vars.len() < 2 {
            return Err(NotThis);
        }
        let (slope, offset) = self.line(wanted)?.ok_or(NotThis)?;
        let want = match wanted.want {
            Want::Real => Want::Real,
            Want::Close | Want::Tolerant | Want::Snapped => Want::Close,
        };
        let mut number = |id: SOpId| self.wanted_number(id.into(), 0.0, want);
        let sum = number(a)?.plus(sign, &number(b)?);
        Ok(LinearRead::constant(offset).plus(slope, &sum))
    }

    /// The feature from its operands, each computed first: a layer more, but a far smaller table.
    pub(crate) fn through_operands(&mut self, wanted: Wanted) -> Way {
        let operands = self.operands(wanted.id).ok_or(NotThis)?;
        let table = self.table(wanted)?;
        let mut axes = Vec::with_capacity(operands.len());
        for operand in operands {
            axes.push(self.computed_axis(operand, wanted.want, &table)?);
        }
        self.staircase_of(&axes, &table.target, wanted)
    }

    /// The feature as a staircase of some axes, if it is one.
    fn staircase_of(&mut self, axes: &[Axis], target: &[f64], wanted: Wanted) -> Way {
        let all: Vec<usize> = (0..axes.len()).collect();
        let found = search::search(axes, &all, target, self.host.is_bfloat16());
        Ok(self.staircase(found.ok_or(NotThis)?, wanted)?)
    }

    /// An s-op as an axis, computed if it is no linear read; none if it has no value in some row
    /// of a table where the target has one.
    pub(super) fn computed_axis(&mut self, id: Operand, want: Want, table: &Table) -> Way<Axis> {
        let want = self.want_of_operand(want);
        let (numbers, values) = self.values_in(id, table)?;
        let label = self.name(id);
        let read = self.feature(id, &numbers, want, &label)?;
        Ok(Axis::new(values, read))
    }

    /// How precise what is computed a layer before its reader must be.
    pub(super) fn want_of_operand(&self, want: Want) -> Want {
        match (self.bos(), self.care) {
            (true, Care::Exact) => Want::Snapped,
            (true, _) => Want::Close,
            (false, _) if want == Want::Real => Want::Close,
            (false, _) => want,
        }
    }

    /// What a sum adds up, or a difference, with the sign of the second.
    pub(crate) fn added(&self, id: Operand) -> Option<(SOpId, f64, SOpId)> {
        let sum = self.two_of(Op::Add, id).map(|(a, b)| (a, 1.0, b));
        sum.or_else(|| self.two_of(Op::Subtract, id).map(|(a, b)| (a, -1.0, b)))
    }

    /// The two operands of an s-op that is this of them.
    pub(super) fn two_of(&self, op: Op, id: impl Into<Operand>) -> Option<(SOpId, SOpId)> {
        let [first, second] = self.operands_of(id, |known| *known == op)?;
        Some((first, second))
    }

    /// The operands of an s-op that is such a primitive of so many.
    fn operands_of<const N: usize>(
        &self,
        id: impl Into<Operand>,
        is: impl Fn(&Op) -> bool,
    ) -> Option<[SOpId; N]> {
        let SOp::Map { op, operands } = self.analysis.shape(id.into())? else {
            return None;
        };
        operands.as_slice().try_into().ok().filter(|_| is(op))
    }

    /// The feature as a linear read, if it is one.
    pub(super) fn read(&self, id: Operand, function: &[f64]) -> Option<LinearRead> {
        let node = self.analysis.node(id).ok()?;
        let is_constant = function.windows(2).all(|pair| pair[0] == pair[1]);
        if !self.chooses(Choice::Linear) && self.operands(id).is_some() && !is_constant {
            return None;
        }
        if let Some((slope, offset)) = affine(&node.column.values.numbers(), function)
            && let Some(read) = self.linear(id)
        {
            return Some(LinearRead::constant(offset).plus(slope, &read));
        }
        self.additive(id, function)
    }
}

/// Whether float32 computes the linear read without rounding, if what it reads is rounded: factors are
/// powers of two.
fn is_plain(read: &LinearRead) -> bool {
    let mut factors = read.scalars.values();
    factors.all(|factor| factor.abs().log2().fract() == 0.0) && read.functions.is_empty()
}

/// The range of an argument over its smallest gap that rounding leaves alone.
pub(super) const LITTLE_PRECISION: f64 = 32.0;

/// The same that leaves float32 few digits.
pub(super) const MUCH_PRECISION: f64 = 4_096.0;

/// A staircase with so few steps needs no better axes.
const FEW: usize = 4;

/// A function of conditions that has more steps is computed from these, a layer later.
const MANY_STEPS: usize = 32;
