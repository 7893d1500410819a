//! Bounds on what hidden units write. Where the argument's error does not reach a ramp, a step gives
//! its value; a step whose two units are computed without rounding gives it to the bit.

use super::bound::{Bound, Bounds, Floats, grain};
use crate::plan::{FeedForward, Unit};

impl Bounds<'_> {
    /// What a feed-forward operation writes.
    pub fn computed(&self, forward: &FeedForward) -> Bound {
        let argument = self.read(&forward.argument);
        let bos = self.plan.at_bos(&forward.argument);
        let exact = self.exact_units(forward, &argument);
        let points = forward.points.iter().chain([&bos]);
        let (mut largest, mut error) = (0.0f64, 0.0f64);
        let mut flat = true;
        for point in points {
            let off = self.argument_error(forward, *point, &argument);
            if !off.is_finite() {
                return Bound::inexact(f64::INFINITY, f64::INFINITY);
            }
            let value = output(&forward.units, *point);
            let moved = furthest(&forward.units, *point, off);
            flat &= moved == 0.0;
            largest = largest.max(value.abs());
            let rounding = match exact {
                Some(_) => 0.0,
                None => self.rounding(&forward.units, *point),
            };
            error = error.max(moved + rounding);
        }
        if exact.is_some() && error == 0.0 {
            return Bound::exact(largest, exact);
        }
        if flat && self.is_exact_step(forward, &argument) {
            return Bound::exact(largest, grain(forward.units[0].weight));
        }
        Bound::inexact(largest, error)
    }

    /// The power of two that the sum of all units is a multiple of, if it is computed without
    /// rounding.
    fn exact_units(&self, forward: &FeedForward, argument: &Bound) -> Option<i32> {
        let of_argument = argument.grain?;
        let (mut least, mut size) = (i32::MAX, 0.0);
        for unit in &forward.units {
            let offset = unit.offset + unit.slope * forward.argument.constant;
            let before = grain(unit.slope)?.saturating_add(of_argument);
            let before = before.min(grain(unit.offset).unwrap_or(before));
            let reach = unit.slope.abs() * argument.largest + unit.offset.abs();
            if !super::bound::fits(reach, before, self.floats) || !self.floats.holds(offset) {
                return None;
            }
            least = least.min(grain(unit.weight)?.saturating_add(before));
            size += unit.weight.abs() * reach;
        }
        super::bound::fits(size, least, self.floats).then_some(least)
    }

    /// How far the argument may be from one of its values.
    fn argument_error(&self, forward: &FeedForward, point: f64, argument: &Bound) -> f64 {
        let terms = &forward.argument.terms;
        if terms.len() == 1
            && let Some((variable, factor)) = terms.first_key_value()
        {
            let bound = self.of(*variable);
            let at = (point - forward.argument.constant) / factor;
            let near = |(value, _): &&(f64, f64)| (value - at).abs() <= 1e-9 * (1.0 + at.abs());
            if let Some((_, error)) = bound.by_value.iter().find(near) {
                return factor.abs() * error + 2.0 * self.floats.unit * point.abs();
            }
        }
        argument.error
    }

    /// The rounding of units and of their sum.
    fn rounding(&self, units: &[Unit], point: f64) -> f64 {
        let unit = self.floats.unit;
        let each = units.iter().map(|u| {
            let before = (u.slope * point).abs() + u.offset.abs();
            let after = (u.slope * point + u.offset).max(0.0);
            match after > 0.0 {
                true => u.weight.abs() * (3.0 * unit * before + 2.0 * unit * after),
                false => 0.0,
            }
        });
        let each: f64 = each.sum();
        // The two units of a step follow each other, so that sums on the way are at most what steps
        // add and one unit.
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
        each + units.len() as f64 * unit * (net + largest)
    }

    /// Whether the units are one step whose difference is computed without rounding.
    fn is_exact_step(&self, forward: &FeedForward, argument: &Bound) -> bool {
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
        if let Some(argument_grain) = argument.grain
            && let Some(slope) = grain(first.slope)
        {
            let grains = offsets.iter().filter_map(|offset| grain(*offset));
            let least = grains
                .chain([argument_grain.saturating_add(slope)])
                .min()
                .unwrap_or(0);
            let size = first.slope.abs() * argument.largest + first.offset.abs() + 1.0;
            return super::bound::fits(size, least, self.floats);
        }
        // One number times a power of two is exact; what is above the threshold has no finer bits
        // than it after the threshold is taken away.
        let terms = &forward.argument.terms;
        let Some((_, factor)) = terms.first_key_value().filter(|_| terms.len() == 1) else {
            return false;
        };
        let product = factor * first.slope;
        product > 0.0
            && is_power(product)
            && offsets.iter().all(|offset| *offset <= 0.0)
            && offsets.iter().all(|offset| {
                is_multiple(*offset, product * argument_largest(forward), self.floats)
            })
    }
}

/// The largest value of the one variable that an argument reads.
fn argument_largest(forward: &FeedForward) -> f64 {
    let factor = forward
        .argument
        .terms
        .values()
        .next()
        .copied()
        .unwrap_or(1.0);
    let points = forward.points.iter();
    points.fold(0.0f64, |most, point| {
        most.max(((point - forward.argument.constant) / factor).abs())
    })
}

fn is_power(number: f64) -> bool {
    number != 0.0 && number.abs().log2().fract() == 0.0
}

/// Whether an offset is a multiple of the last bit of the largest number it is added to.
fn is_multiple(offset: f64, largest: f64, floats: Floats) -> bool {
    let last = (largest.log2().floor() as i32).saturating_add(1 - floats.bits);
    grain(offset).is_none_or(|grain| grain >= last)
}

fn output(units: &[Unit], z: f64) -> f64 {
    let units = units.iter();
    units
        .map(|u| u.weight * (u.slope * z + u.offset).max(0.0))
        .sum()
}

/// How far the output moves where the argument moves by `off` at most: it is linear between the
/// units' thresholds.
fn furthest(units: &[Unit], point: f64, off: f64) -> f64 {
    let (low, high) = (point - off, point + off);
    // Units whose threshold is not reached are linear; a pair that cancels is flat.
    let slope_at = |z: f64| -> f64 {
        let active = units.iter().filter(|u| u.slope * z + u.offset > 0.0);
        active.map(|u| u.weight * u.slope).sum()
    };
    let mut stops: Vec<f64> = units
        .iter()
        .filter(|u| u.slope != 0.0)
        .map(|u| -u.offset / u.slope)
        .filter(|stop| *stop > low && *stop < high)
        .collect();
    stops.extend([low, point, high]);
    stops.sort_by(f64::total_cmp);
    let middle = stops.iter().position(|stop| *stop == point).unwrap_or(0);
    let travel = |from: usize, to: usize| {
        slope_at((stops[from] + stops[to]) / 2.0) * (stops[to] - stops[from])
    };
    let (mut most, mut sum) = (0.0f64, 0.0);
    for at in middle..stops.len() - 1 {
        sum += travel(at, at + 1);
        most = most.max(f64::abs(sum));
    }
    sum = 0.0;
    for at in (0..middle).rev() {
        sum -= travel(at, at + 1);
        most = most.max(f64::abs(sum));
    }
    // Slopes of large units cancel only to the last bits of float64.
    let steep: f64 = units.iter().map(|u| (u.weight * u.slope).abs()).sum();
    let least = units
        .iter()
        .fold(f64::INFINITY, |least, u| least.min(u.weight.abs()));
    let noise = 1e-12 * steep * off;
    match most <= noise && noise <= 1e-3 * least {
        true => 0.0,
        false => most,
    }
}
