//! What hidden units give at the values of their argument, and between them, whatever the floats.

use super::addends::Near;
use crate::plan::{FeedForward, Plan, Unit, output};

/// What the units of a feed-forward operation do at one value of their argument.
pub(super) struct At {
    pub point: f64,
    is_bos: bool,
    /// What they give, and whether they are steps of which none is on its ramp.
    pub value: f64,
    pub is_on_steps: bool,
    /// A bound on sums on the way to that of all units.
    pub reach: f64,
    /// How large the slopes of active units are together, and their biases, of which the argument's constant is
    /// a part; and what they give.
    pub slope: f64,
    pub bias: f64,
    pub given: f64,
    /// How far roundings of the sum of all units may take it, in units of the last place of 1; and those of the
    /// sum of exact units alone, to which units that are 0 add nothing.
    pub of_sum: f64,
    pub rounding_of_sum: f64,
}

impl At {
    /// All values of the argument, that at BOS among them; `units` are those that a host adds.
    pub fn all(plan: &Plan, forward: &FeedForward, units: &[Unit]) -> Vec<At> {
        let points = forward.points.iter().copied();
        let mut all: Vec<At> = points.map(|point| At::new(point, forward, units)).collect();
        if plan.bos {
            let at_bos = At::new(plan.at_bos(&forward.argument), forward, units);
            all.push(At {
                is_bos: true,
                ..at_bos
            });
        }
        all
    }

    pub fn new(point: f64, forward: &FeedForward, units: &[Unit]) -> At {
        let on_steps = on_steps(&forward.units, point);
        let (net, largest) = on_the_way(units, point);
        let (mut slope, mut bias, mut given, mut active) = (0.0, 0.0, 0.0, 0usize);
        let constant = forward.argument.constant;
        for u in units {
            let sizes = (u.slope * point).abs() + u.offset.abs();
            let after = u.slope * point + u.offset;
            // Roundings take a unit at its threshold above it.
            if after > -1e-6 * sizes {
                slope += (u.weight * u.slope).abs();
                bias += (u.weight * (u.slope * constant + u.offset)).abs();
                given += (u.weight * after).abs();
            }
            active += usize::from(after > 0.0);
        }
        let of_products = 2.0 * given;
        At {
            point,
            is_bos: false,
            value: on_steps.unwrap_or_else(|| output(&forward.units, point)),
            is_on_steps: on_steps.is_some(),
            reach: net + largest,
            slope,
            bias,
            given,
            of_sum: of_products + units.len() as f64 * (net + largest),
            rounding_of_sum: of_products + active.saturating_sub(1) as f64 * (net + largest),
        }
    }

    /// Where the argument is if it is off by so much.
    pub fn near(&self, off: f64) -> Near {
        match self.is_bos {
            true => Near::Bos(off),
            false => Near::Between(self.point - off, self.point + off),
        }
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
    pub bends: Vec<(f64, f64)>,
    /// The slope left of each threshold, and right of the last.
    pub slopes: Vec<f64>,
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
    pub fn furthest(&self, point: f64, off: f64) -> f64 {
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
