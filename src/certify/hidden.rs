//! Bounds on what hidden units write. Where the argument's error does not reach a ramp, a step gives
//! its value; a step whose two units are computed without rounding gives it to the bit.

use super::addends::{Addends, Near};
use super::bound::{Bound, Bounds};
use super::host::{Adding, Floats, fits, grain, is_lost, is_power};
use super::host_sum::{HostSum, HostTerm};
use super::points::{At, Shape};
use super::sided::OneSided;
use crate::plan::{FeedForward, Unit, ascending};

impl Bounds<'_> {
    /// What a feed-forward operation writes.
    pub fn computed(&self, at: usize, forward: &FeedForward) -> Bound {
        let (units, shape) = (self.facts.units(at), self.facts.shape(at));
        let read = self.facts.argument(at);
        let addends = self.addends(read, units);
        let mut argument = self.argument(read, units, &addends);
        if !argument.error.is_finite() {
            return Bound::inexact(f64::INFINITY, f64::INFINITY);
        }
        if self.plan.reads_real(&forward.argument) {
            return self.computed_of_real((forward, read), &argument, &addends, shape);
        }
        if let Some(error) = self.error_of_last(forward, read) {
            argument.error = argument.error.min(error);
        }
        let points = self.facts.points(at);
        let of_units = self.exact_units(forward, &argument, units);
        let exact = match &of_units {
            Some(grains) => self.exact_sum(&argument, units, grains, points),
            None => None,
        };
        if of_units.is_none() && argument.grain.is_some() {
            argument.error += argument.rounding;
        }
        let (mut largest, mut error) = (0.0f64, 0.0f64);
        let (mut flat, mut grains) = (true, Some(None));
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut errors = Vec::with_capacity(points.len());
        for at in points {
            let off = self.argument_error(forward, at.point, &argument);
            if !off.is_finite() {
                return Bound::inexact(f64::INFINITY, f64::INFINITY);
            }
            let moved = shape.furthest(at.point, off);
            flat &= moved == 0.0;
            largest = largest.max(at.value.abs());
            grains = grains.filter(|_| at.is_on_steps).map(|least: Option<i32>| {
                let both = least.into_iter().chain(grain(at.value));
                both.min()
            });
            (least, most) = (least.min(at.value), most.max(at.value));
            let roundings = match exact {
                Some(_) => 0.0,
                None if of_units.is_some() && argument.error == 0.0 => {
                    at.rounding_of_sum(self.adding)
                }
                None => at.of_sum(off, self.adding) + addends.of_units(at, at.near(off)),
            };
            let rounding = roundings * self.floats.unit;
            error = error.max(moved + rounding);
            errors.push((at.value, moved + rounding));
        }
        let one_sided = OneSided::of(&errors);
        let reaches = points.iter().map(|at| at.reach(self.adding));
        let on_the_way = match units {
            [_] => largest,
            _ => reaches.fold(largest, f64::max),
        };
        let residue = exact.map_or(0.0, |(_, residue)| residue);
        let near = |bound: Bound| Bound {
            on_the_way,
            centre: f64::midpoint(least, most),
            radius: (most - least) / 2.0 + bound.error,
            one_sided,
            cases: self.cases(
                (at, forward),
                &match bound.grain {
                    Some(_) => errors.iter().map(|(value, _)| (*value, residue)).collect(),
                    None => errors.clone(),
                },
            ),
            ..bound
        };
        if let Some((grain, residue)) = exact
            && (error == 0.0 || argument.error <= argument.residue)
        {
            // Steps that do not move give the value of a point to the bit.
            let grain = grains
                .flatten()
                .map_or(grain, |of_values| grain.max(of_values));
            return near(Bound {
                grain: Some(grain),
                residue,
                ..Bound::inexact(largest, residue)
            });
        }
        if flat && self.is_exact_step(forward, read, &argument) {
            return near(Bound::exact(largest, grain(forward.units[0].weight)));
        }
        near(Bound::inexact(largest, error))
    }

    /// The argument as units read it, each with its own bias: sums on the way, and roundings, are largest
    /// for the least bias or the greatest.
    fn argument(&self, read: &HostSum, units: &[Unit], addends: &Addends) -> Bound {
        let mut argument = self.summed(read, read.constant);
        let is_exact = argument.grain.is_some();
        let moved = units.iter().filter(|unit| unit.slope != 0.0);
        let moved = moved.map(|unit| unit.offset / unit.slope);
        let ends = moved.fold((0.0f64, 0.0f64), |(least, most), moved| {
            (least.min(moved), most.max(moved))
        });
        for moved in [ends.0, ends.1] {
            let of_unit = self.summed(read, read.constant + moved);
            argument.on_the_way = argument.on_the_way.max(of_unit.on_the_way);
            argument.rounding = argument.rounding.max(of_unit.rounding);
            if !is_exact {
                argument.error = argument.error.max(of_unit.error);
            }
        }
        let biases = [ends.0, ends.1].map(|moved| (read.constant + moved).abs());
        let nears = Near::anywhere(self.at_tokens(read), argument.error);
        let roundings = nears.map(|near| addends.of_argument(near, biases[0].max(biases[1])));
        let rounding = roundings[0].max(roundings[1]) * self.floats.unit;
        let less = (argument.rounding - rounding).max(0.0);
        argument.rounding -= less;
        if !is_exact {
            argument.error -= less;
        }
        argument
    }

    /// What units of a real number write: that may be anywhere, so that their output moves as far as the
    /// steepest slope takes it.
    fn computed_of_real(
        &self,
        (forward, read): (&FeedForward, &HostSum),
        argument: &Bound,
        addends: &Addends,
        shape: &Shape,
    ) -> Bound {
        let (low, high) = self.range(read);
        let nears = Near::anywhere((low, high), argument.error);
        let bends = shape.bends.iter().map(|(z, _)| *z);
        let turns = bends
            .filter(|z| (low..=high).contains(z))
            .chain([low, high]);
        let turns = ascending(turns.collect());
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut rounding = 0.0f64;
        for at in At::each(&turns, forward, &forward.units) {
            (least, most) = (least.min(at.value), most.max(at.value));
            for near in nears {
                rounding = rounding
                    .max(at.of_sum(f64::INFINITY, self.adding) + addends.of_units(&at, near));
            }
        }
        // What units add up is linear between turns, so that its roundings are largest at one.
        let steepest = shape
            .slopes
            .iter()
            .fold(0.0f64, |most, slope| most.max(slope.abs()));
        let error = steepest * argument.error + rounding * self.floats.unit;
        Bound {
            centre: f64::midpoint(least, most),
            radius: (most - least) / 2.0 + error,
            cases: self.gated(forward, read, &[(least, error), (most, error)]),
            ..Bound::inexact(least.abs().max(most.abs()), error)
        }
    }

    /// The power of two that each unit is a multiple of, if all are computed without rounding.
    fn exact_units(
        &self,
        forward: &FeedForward,
        argument: &Bound,
        units: &[Unit],
    ) -> Option<Vec<i32>> {
        let of_argument = argument.grain?;
        if !self.is_nothing_at_bos(forward) {
            return None;
        }
        let of_unit = |unit: &Unit| {
            let offset = unit.offset + unit.slope * forward.argument.constant;
            let before = grain(unit.slope)?.saturating_add(of_argument);
            let before = before.min(grain(unit.offset).unwrap_or(before));
            let reach = unit.slope.abs() * argument.on_the_way;
            let residue = unit.slope.abs() * argument.residue;
            let is_exact = fits(reach, before, self.floats)
                && is_lost(residue, before, self.floats)
                && self.floats.holds(offset);
            is_exact.then_some(before)
        };
        units.iter().map(of_unit).collect()
    }

    /// The power of two that the sum of all units is a multiple of, and its residue, if it is computed without
    /// rounding where each is and the argument is at one of these points, or off by its error.
    fn exact_sum(
        &self,
        argument: &Bound,
        units: &[Unit],
        grains: &[i32],
        points: &[At],
    ) -> Option<(i32, f64)> {
        let (mut least, mut steepest) = (i32::MAX, 0.0f64);
        for (unit, before) in units.iter().zip(grains) {
            least = least.min(grain(unit.weight)?.saturating_add(*before));
            steepest += (unit.weight * unit.slope).abs();
        }
        let most = points
            .iter()
            .map(|at| at.reach(self.adding))
            .fold(0.0, f64::max);
        let size = most + 2.0 * steepest * argument.error;
        let residue = steepest * argument.residue;
        let is_exact = fits(size, least, self.floats) && is_lost(residue, least, self.floats);
        is_exact.then_some((least, residue))
    }

    /// Whether what a variable that rounds may be off by at BOS, where no large number rounds it, is
    /// lost in what units add up: it is less than any number but 0, and float32 does not hold it.
    fn is_nothing_at_bos(&self, forward: &FeedForward) -> bool {
        let mut reads = forward.argument.reads();
        let rounds = reads.any(|id| self.plan.variable(id).rounding.is_some());
        let bos = self.plan.at_bos(&forward.argument);
        let mut units = forward.units.iter();
        let is_lost = self.floats == Floats::F32 || !self.plan.bos || !rounds;
        is_lost || units.all(|unit| unit.slope * bos + unit.offset != 0.0)
    }

    /// How far the argument may be from one of its values.
    fn argument_error(&self, forward: &FeedForward, point: f64, argument: &Bound) -> f64 {
        let terms = &forward.argument.terms;
        if terms.len() == 1
            && let Some((variable, factor)) = terms.first()
        {
            let bound = self.of(*variable);
            if !bound.by_value.is_empty() {
                let at = (point - forward.argument.constant) / factor;
                let sizes = 2.0 * point.abs() + 3.0 * forward.argument.constant.abs();
                return factor.abs() * bound.error_at(at) + self.floats.unit * sizes;
            }
        }
        argument.error
    }

    /// Whether the units are one step whose difference is computed without rounding.
    pub fn is_exact_step(&self, forward: &FeedForward, read: &HostSum, argument: &Bound) -> bool {
        let [first, second] = &*forward.units else {
            return false;
        };
        let pair = first.is_step_with(second)
            && is_power(first.weight)
            && first.offset - second.offset == 1.0;
        if !pair {
            return false;
        }
        let offsets =
            [first.offset, second.offset].map(|o| o + first.slope * forward.argument.constant);
        if !offsets.iter().all(|offset| self.floats.holds(*offset)) {
            return false;
        }
        // Exact arguments give exact units if no bit is lost.
        if self.is_nothing_at_bos(forward)
            && argument.residue == 0.0
            && let Some(argument_grain) = argument.grain
            && let Some(slope) = grain(first.slope)
        {
            let grains = offsets.iter().filter_map(|offset| grain(*offset));
            let least = grains
                .chain([argument_grain.saturating_add(slope)])
                .min()
                .unwrap_or(0);
            let size = first.slope.abs() * argument.on_the_way + first.offset.abs() + 1.0;
            return fits(size, least, self.floats);
        }
        let last = read.terms.last();
        last.is_some_and(|last| self.is_exact_last((forward, last), first.slope, &offsets))
    }

    /// The error of the last term of an argument, if all units add the others without rounding, and
    /// its own rounding is none above the threshold.
    fn error_of_last(&self, forward: &FeedForward, read: &HostSum) -> Option<f64> {
        let last = read.terms.last()?;
        let exact = forward.units.iter().all(|unit| {
            let offset = unit.offset + unit.slope * forward.argument.constant;
            self.is_exact_last((forward, last), unit.slope, &[offset])
        });
        exact.then(|| last.factor.abs() * self.of(last.variable).error)
    }

    /// Whether the last term of the argument is one number times a power of two that is added last, and all
    /// that is added before is exact, never positive, and has no finer bits than that number: where that is
    /// positive enough, what is left above the threshold is then a float.
    fn is_exact_last(
        &self,
        (forward, last): (&FeedForward, &HostTerm),
        slope: f64,
        offsets: &[f64],
    ) -> bool {
        let bound = self.of(last.variable);
        let product = last.factor * slope;
        let is_large = self.plan.variable(last.variable).rounding.is_some();
        let is_last = self.adding == Adding::InTurn || forward.argument.terms.len() == 1;
        if !is_last || !is_power(product) || is_large {
            return false;
        }
        let magnitude = (product.abs() * bound.largest).log2().floor() as i32;
        let bit = magnitude.saturating_add(1 - self.floats.bits);
        let mut before = forward.argument.scaled(slope);
        before.terms.remove(&last.variable);
        offsets.iter().all(|offset| {
            before.constant = *offset;
            let read = self.read(&before);
            let whole = read.error == 0.0 && read.grain.is_some_and(|grain| grain >= bit);
            whole && read.centre + read.radius <= 0.0
        })
    }
}
