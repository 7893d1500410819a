//! Bounds on what hidden units write. Where the argument's error does not reach a ramp, a step gives
//! its value; a step whose two units are computed without rounding gives it to the bit.

use super::bound::{Bound, Bounds, Floats, fits, grain};
use super::host_sum::{HostSum, HostTerm};
use super::sided::OneSided;
use crate::plan::{FeedForward, Plan, Unit, output};

impl Bounds<'_> {
    /// What a feed-forward operation writes.
    pub fn computed(&self, at: usize, forward: &FeedForward) -> Bound {
        let (units, shape) = (self.facts.units(at), self.facts.shape(at));
        let read = self.facts.argument(at);
        let mut argument = self.argument(read, units);
        if self.plan.reads_real(&forward.argument) {
            return self.computed_of_real((forward, read), &argument, shape);
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
        let terms = self.terms_on_one_side(read);
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
                None if of_units.is_some() && argument.error == 0.0 => at.rounding_of_sum,
                None => at.rounding(terms),
            };
            let rounding = roundings * self.floats.unit;
            error = error.max(moved + rounding);
            errors.push((at.value, moved + rounding));
        }
        let one_sided = OneSided::of(&errors);
        let reaches = points.iter().map(|at| at.reach);
        let on_the_way = match units {
            [_] => largest,
            _ => reaches.fold(largest, f64::max),
        };
        let near = |bound: Bound| Bound {
            on_the_way,
            centre: f64::midpoint(least, most),
            radius: (most - least) / 2.0 + bound.error,
            one_sided,
            cases: self.cases(
                (at, forward),
                &match bound.grain {
                    Some(_) => errors.iter().map(|(value, _)| (*value, 0.0)).collect(),
                    None => errors.clone(),
                },
            ),
            ..bound
        };
        if exact.is_some() && error == 0.0 {
            // Steps that do not move give the value of a point to the bit.
            return near(Bound::exact(largest, exact.max(grains.flatten())));
        }
        if flat && self.is_exact_step(forward, read, &argument) {
            return near(Bound::exact(largest, grain(forward.units[0].weight)));
        }
        near(Bound::inexact(largest, error))
    }

    /// The argument as units read it, each with its own bias: sums on the way, and roundings, are largest
    /// for the least bias or the greatest.
    fn argument(&self, read: &HostSum, units: &[Unit]) -> Bound {
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
        argument
    }

    /// What units of a real number write: that may be anywhere, so that their output moves as far as the
    /// steepest slope takes it.
    fn computed_of_real(
        &self,
        (forward, read): (&FeedForward, &HostSum),
        argument: &Bound,
        shape: &Shape,
    ) -> Bound {
        let (low, high) = self.range(read);
        let bends = shape.bends.iter().map(|(z, _)| *z);
        let turns = bends
            .filter(|z| (low..=high).contains(z))
            .chain([low, high]);
        let turns = turns.map(|z| At::new(z, forward, &forward.units));
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut rounding = 0.0f64;
        for at in turns {
            (least, most) = (least.min(at.value), most.max(at.value));
            rounding = rounding.max(at.rounding(None));
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
            ..Bound::inexact(least.abs().max(most.abs()), error)
        }
    }

    /// How many terms an argument has at most, if none is on the other side of 0 than another, so that all are
    /// together no larger than their sum.
    fn terms_on_one_side(&self, read: &HostSum) -> Option<usize> {
        let variable = |term: &HostTerm| self.plan.variable(term.variable);
        let mut terms = read.terms.iter();
        if terms.any(|term| variable(term).rounding.is_some()) {
            return None;
        }
        let ends = read.terms.iter().map(|term| {
            let (bound, bos) = (self.of(term.variable), variable(term).bos);
            let (least, most) = match &variable(term).values[..] {
                [] => (bound.centre - bound.radius, bound.centre + bound.radius),
                [only] => (*only, *only),
                [first, .., last] => (*first, *last),
            };
            let (least, most) = (least.min(bos), most.max(bos));
            match term.factor > 0.0 {
                true => (least, most),
                false => (-most, -least),
            }
        });
        let ends: Vec<(f64, f64)> = ends.collect();
        let is_above = ends.iter().all(|(least, _)| *least >= 0.0);
        let is_below = ends.iter().all(|(_, most)| *most <= 0.0);
        let others = read.terms.iter().filter(|term| !term.is_embedded).count();
        (is_above || is_below).then_some(others + read.of_tokens.terms + read.of_indices.terms)
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
            let is_exact = fits(reach, before, self.floats) && self.floats.holds(offset);
            is_exact.then_some(before)
        };
        units.iter().map(of_unit).collect()
    }

    /// The power of two that the sum of all units is a multiple of, if it is computed without rounding
    /// where each is and the argument is at one of these points, or off by its error.
    fn exact_sum(
        &self,
        argument: &Bound,
        units: &[Unit],
        grains: &[i32],
        points: &[At],
    ) -> Option<i32> {
        let (mut least, mut steepest) = (i32::MAX, 0.0f64);
        for (unit, before) in units.iter().zip(grains) {
            least = least.min(grain(unit.weight)?.saturating_add(*before));
            steepest += (unit.weight * unit.slope).abs();
        }
        let most = points.iter().fold(0.0f64, |most, at| most.max(at.reach));
        let size = most + 2.0 * steepest * argument.error;
        fits(size, least, self.floats).then_some(least)
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
        let pair = first.slope == second.slope
            && first.weight == -second.weight
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

    /// Whether the last term of the argument is one number times a power of two, and all that is
    /// added before is exact, never positive, and has no finer bits than that number: where that is
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
        if !is_power(product) || is_large {
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

/// What the units of a feed-forward operation do at one value of their argument, whatever the floats.
pub(super) struct At {
    point: f64,
    /// What they give, and whether they are steps of which none is on its ramp.
    value: f64,
    is_on_steps: bool,
    /// A bound on sums on the way to that of all units.
    reach: f64,
    /// How far roundings of the units may take it, in units of the last place of 1, and those of the products and
    /// of their sum; and those of the sum of exact units alone, to which units that are 0 add nothing.
    of_units: f64,
    of_sum: f64,
    rounding_of_sum: f64,
    /// How large what active units make of the argument less its constant is, and how large their biases are, of
    /// which that is a part.
    argument: f64,
    bias: f64,
}

impl At {
    /// All values of the argument, that at BOS among them; `units` are those that a host adds.
    pub fn all(plan: &Plan, forward: &FeedForward, units: &[Unit]) -> Vec<At> {
        let bos = plan.bos.then(|| plan.at_bos(&forward.argument));
        let points = forward.points.iter().chain(&bos);
        points
            .map(|point| At::new(*point, forward, units))
            .collect()
    }

    fn new(point: f64, forward: &FeedForward, units: &[Unit]) -> At {
        let on_steps = on_steps(&forward.units, point);
        let (net, largest) = on_the_way(units, point);
        let (mut argument, mut bias) = (0.0, 0.0);
        let (mut of_units, mut of_products, mut active) = (0.0, 0.0, 0usize);
        let constant = forward.argument.constant;
        for u in units {
            let before = (u.slope * point).abs() + u.offset.abs();
            let after = (u.slope * point + u.offset).max(0.0);
            if after > 0.0 {
                of_units += 3.0 * u.weight.abs() * before;
                argument += (u.weight * u.slope * (point - constant)).abs();
                bias += (u.weight * (u.slope * constant + u.offset)).abs();
                of_products += 2.0 * u.weight.abs() * after;
                active += 1;
            }
        }
        At {
            point,
            value: on_steps.unwrap_or_else(|| output(&forward.units, point)),
            is_on_steps: on_steps.is_some(),
            reach: net + largest,
            of_units,
            of_sum: of_products + units.len() as f64 * (net + largest),
            rounding_of_sum: of_products + active.saturating_sub(1) as f64 * (net + largest),
            argument,
            bias,
        }
    }

    /// How far all roundings may take it, in units of the last place of 1. Where so many terms of the argument are
    /// on one side of 0, weights and products are rounded, and the sum as often as there are terms.
    fn rounding(&self, on_one_side: Option<usize>) -> f64 {
        let of_units = match on_one_side {
            None => self.of_units,
            Some(terms) => {
                let sums = terms as f64;
                (2.0 + sums) * self.argument + (1.0 + sums) * self.bias
            }
        };
        of_units + self.of_sum
    }
}

/// Bounds that sums on the way to that of all units stay within, together: what steps add, whose two
/// units follow each other, and one unit.
fn on_the_way(units: &[Unit], point: f64) -> (f64, f64) {
    let value = |u: &Unit| u.weight * (u.slope * point + u.offset).max(0.0);
    let (mut net, mut largest, mut at) = (0.0, 0.0f64, 0);
    while at < units.len() {
        largest = largest.max(value(&units[at]).abs());
        match units.get(at + 1) {
            Some(next) if next.slope == units[at].slope && next.weight == -units[at].weight => {
                net += (value(&units[at]) + value(next)).abs();
                at += 2;
            }
            _ => {
                net += value(&units[at]).abs();
                at += 1;
            }
        }
    }
    (net, largest)
}

fn is_power(number: f64) -> bool {
    number != 0.0 && number.abs().log2().fract() == 0.0
}

/// The output where units follow each other in pairs whose slopes cancel, and no pair is on its ramp.
fn on_steps(units: &[Unit], z: f64) -> Option<f64> {
    let (pairs, []) = units.as_chunks::<2>() else {
        return None;
    };
    let reached = |unit: &Unit| unit.slope * z + unit.offset >= 0.0;
    let step = |[a, b]: &[Unit; 2]| {
        let pair = a.slope == b.slope && a.weight == -b.weight && reached(a) == reached(b);
        let change = match reached(a) {
            true => a.weight * (a.offset - b.offset),
            false => 0.0,
        };
        pair.then_some(change)
    };
    pairs.iter().map(step).sum()
}

/// The output of hidden units as a function of their argument: linear between thresholds.
pub(super) struct Shape {
    /// The thresholds, ascending, and how the slope changes there from left to right.
    bends: Vec<(f64, f64)>,
    /// The slope left of each threshold, and right of the last.
    slopes: Vec<f64>,
    /// What slopes of large units cancel to the last bits of, and the least that a unit weighs.
    steep: f64,
    least: f64,
}

impl Shape {
    pub fn new(units: &[Unit]) -> Shape {
        let bends = units.iter().filter(|u| u.slope != 0.0);
        let bends = bends.map(|u| (-u.offset / u.slope, u.weight * u.slope.abs()));
        let mut bends: Vec<(f64, f64)> = bends.collect();
        bends.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Units whose threshold is not reached are linear; a pair that cancels is flat.
        let falling = units.iter().filter(|u| u.slope < 0.0);
        let mut slope: f64 = falling.map(|u| u.weight * u.slope).sum();
        let mut slopes = vec![slope];
        for (_, change) in &bends {
            slope += change;
            slopes.push(slope);
        }
        let weights = units.iter().map(|u| u.weight.abs());
        Shape {
            bends,
            slopes,
            steep: units.iter().map(|u| (u.weight * u.slope).abs()).sum(),
            least: weights.fold(f64::INFINITY, f64::min),
        }
    }

    /// How far the output moves where the argument moves by `off` at most.
    fn furthest(&self, point: f64, off: f64) -> f64 {
        if off == 0.0 {
            return 0.0;
        }
        let (low, high) = (point - off, point + off);
        let first = self.bends.partition_point(|(z, _)| *z <= low);
        let end = self.bends.partition_point(|(z, _)| *z < high);
        // The output at each threshold on the way, less that at the left end: the least and the most, and
        // where the argument is.
        let (mut before, mut sum, mut at_point) = (low, 0.0f64, None);
        let (mut lowest, mut highest) = (0.0f64, 0.0f64);
        let mut go = |to: f64, slope: f64| {
            sum += slope * (to - before);
            before = to;
            lowest = lowest.min(sum);
            highest = highest.max(sum);
            sum
        };
        for at in first..end {
            let (z, _) = self.bends[at];
            if at_point.is_none() && z >= point {
                at_point = Some(go(point, self.slopes[at]));
            }
            go(z, self.slopes[at]);
        }
        let at_point = at_point.unwrap_or_else(|| go(point, self.slopes[end]));
        go(high, self.slopes[end]);
        let most = (highest - at_point).max(at_point - lowest);
        let noise = 1e-12 * self.steep * off;
        match most <= noise && noise <= 1e-3 * self.least {
            true => 0.0,
            false => most,
        }
    }
}
