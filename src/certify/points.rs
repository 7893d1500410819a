//! What hidden units give at the values of their argument, and between them, whatever the floats.

use super::addends::Near;
use super::host::Adding;
use crate::plan::at_points::{Threshold, steps, sums_at};
use crate::plan::{FeedForward, Plan, Unit, output};

/// What the units of a feed-forward operation do at one value of their argument.
pub(super) struct At {
    pub point: f64,
    is_bos: bool,
    /// What they give, and whether they are steps of which none is on its ramp.
    pub value: f64,
    pub is_on_steps: bool,
    /// A bound on sums on the way to that of all units, where they are added in turn.
    in_turn: f64,
    /// How large the slopes of active units are together, and their biases, of which the argument's constant is
    /// a part; and what they give.
    pub slope: f64,
    pub bias: f64,
    pub given: f64,
    /// How many units there are, and how many are active.
    units: f64,
    active: f64,
    /// What is known of sums while the argument is off by less than it is from its other values.
    by_units: Option<ByUnits>,
}

/// Sums on the way to that of all units, one by one, at one value of the argument.
struct ByUnits {
    /// How far other values are.
    gap: f64,
    /// All these sums together, of units that are active.
    sums: f64,
    /// How many units are active somewhere within the gap, and how large their slopes are together.
    near: f64,
    slope: f64,
}

/// Of more units at more points, sums are bounded all at once.
const MOST_SUMS: usize = 1 << 20;

impl At {
    /// All values of the argument, that at BOS behind them; `units` are those that a host adds.
    pub fn all(plan: &Plan, forward: &FeedForward, units: &[Unit]) -> Vec<At> {
        let mut all = At::each(&forward.points, forward, units);
        if plan.bos {
            let at_bos = At::each(&[plan.at_bos(&forward.argument)], forward, units);
            all.extend(at_bos.into_iter().map(|at| At { is_bos: true, ..at }));
        }
        all
    }

    /// Values of the argument, which are ascending. There may be thousands of these, and of units: sums are those at
    /// the point before and what has come since.
    pub fn each(points: &[f64], forward: &FeedForward, units: &[Unit]) -> Vec<At> {
        let constant = forward.argument.constant;
        let active = units.iter().map(|u| {
            let bias = u.weight * (u.slope * constant + u.offset);
            let [of_z, of_1] = line(u);
            let sizes = [(u.weight * u.slope).abs(), bias.abs(), of_z, of_1, 1.0];
            (Threshold::near(u), sizes)
        });
        let active = sums_at(points, active.collect());
        let on_the_way = sums_at(points, on_the_way(units));
        let largest = largest_at(points, units.iter().map(line).collect());
        let steps = steps(&forward.units).map(|steps| sums_at(points, steps));
        let is_short = units.len().saturating_mul(points.len()) <= MOST_SUMS;
        let points = points.iter().enumerate().map(|(at, &point)| {
            let [slope, bias, of_z, of_1, count] = active[at];
            let [net, net_of_z, net_of_1] = on_the_way[at];
            let given = at_point([of_z, of_1], point);
            let in_turn = net + at_point([net_of_z, net_of_1], point) + largest[at];
            let steps = steps.as_ref().map(|steps| steps[at]);
            let on_steps = steps.filter(|[ramps, _]| *ramps == 0.0);
            At {
                point,
                is_bos: false,
                value: on_steps.map_or_else(|| output(&forward.units, point), |[_, value]| value),
                is_on_steps: on_steps.is_some(),
                in_turn,
                slope,
                bias,
                given,
                units: units.len() as f64,
                active: count,
                by_units: is_short.then(|| ByUnits::new(units, points, at)),
            }
        });
        points.collect()
    }

    /// A bound on sums on the way to that of all units.
    pub fn reach(&self, adding: Adding) -> f64 {
        match adding {
            Adding::AnyOrder => self.given,
            Adding::InTurn => self.in_turn,
        }
    }

    /// How far roundings of the sum of all units may take it where the argument is off by so much, in units of the
    /// last place of 1.
    pub fn of_sum(&self, off: f64, adding: Adding) -> f64 {
        let of_products = 2.0 * self.given;
        let of_all = of_products + self.units * self.reach(adding);
        let by_units = self.by_units.as_ref().filter(|each| off < each.gap);
        by_units.map_or(of_all, |each| {
            let sums = match adding {
                Adding::AnyOrder => each.near * self.given,
                Adding::InTurn => each.sums,
            };
            let moved = (each.near + 2.0) * each.slope * off;
            of_all.min(of_products + sums + moved)
        })
    }

    /// The same of the sum of exact units alone, to which units that are 0 add nothing.
    pub fn rounding_of_sum(&self, adding: Adding) -> f64 {
        2.0 * self.given + (self.active - 1.0).max(0.0) * self.reach(adding)
    }

    /// Where the argument is if it is off by so much.
    pub fn near(&self, off: f64) -> Near {
        match self.is_bos {
            true => Near::Bos(off),
            false => Near::Between(self.point - off, self.point + off),
        }
    }
}

impl ByUnits {
    /// At one of some points.
    fn new(units: &[Unit], points: &[f64], at: usize) -> ByUnits {
        let point = points[at];
        let before = at.checked_sub(1).map(|before| point - points[before]);
        let after = points.get(at + 1).map(|after| after - point);
        let gap = before
            .into_iter()
            .chain(after)
            .fold(f64::INFINITY, f64::min);
        let mut by_units = ByUnits {
            gap,
            sums: 0.0,
            near: 0.0,
            slope: 0.0,
        };
        let mut sum = 0.0f64;
        for unit in units {
            let z = unit.slope * point + unit.offset;
            let slope = unit.slope.abs();
            if z + slope * gap <= 0.0 {
                continue;
            }
            by_units.near += 1.0;
            by_units.slope += unit.weight.abs() * slope;
            sum += unit.weight * z.max(0.0);
            by_units.sums += sum.abs();
        }
        // What the stream holds is added, too.
        by_units.sums += sum.abs();
        by_units
    }
}

/// The size of what a unit gives, where that is not 0, by its argument.
fn line(unit: &Unit) -> [f64; 2] {
    [unit.slope, unit.offset].map(|number| unit.weight.abs() * number)
}

/// A sum of such sizes at a point, with what is lost where they cancel.
fn at_point([of_z, of_1]: [f64; 2], point: f64) -> f64 {
    let of_z = of_z * point;
    (of_z + of_1).max(0.0) + 1e-12 * (of_z.abs() + of_1.abs())
}

/// The largest of lines at points in ascending order, and no less than 0.
fn largest_at(points: &[f64], mut lines: Vec<[f64; 2]>) -> Vec<f64> {
    lines.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    // Those that are the largest anywhere, by where that begins.
    let mut tops: Vec<(f64, [f64; 2])> = Vec::new();
    for line in lines {
        let mut from = f64::NEG_INFINITY;
        while let Some((start, top)) = tops.last() {
            from = match line[0] > top[0] {
                true => (top[1] - line[1]) / (line[0] - top[0]),
                false => f64::NEG_INFINITY,
            };
            if from > *start {
                break;
            }
            tops.pop();
        }
        if tops.is_empty() {
            from = f64::NEG_INFINITY;
        }
        tops.push((from, line));
    }
    let mut at = 0;
    let largest = points.iter().map(|point| {
        while tops.get(at + 1).is_some_and(|(from, _)| from <= point) {
            at += 1;
        }
        tops.get(at)
            .map_or(0.0, |(_, line)| at_point(*line, *point))
    });
    largest.collect()
}

/// Bounds that sums on the way to that of all units stay within, but for one unit: of what steps add, whose two
/// units follow each other, and of the sizes of other units.
fn on_the_way(units: &[Unit]) -> Vec<(Threshold, [f64; 3])> {
    let mut bounds = Vec::with_capacity(units.len());
    let mut units = units.iter().peekable();
    while let Some(unit) = units.next() {
        let [of_z, of_1] = line(unit);
        let is_step = |next: &&Unit| next.slope == unit.slope && next.weight == -unit.weight;
        match units.next_if(is_step) {
            Some(next) => {
                let height = (unit.weight * (unit.offset - next.offset)).abs();
                let first = if unit.offset > next.offset {
                    unit
                } else {
                    next
                };
                bounds.push((Threshold::near(first), [height, 0.0, 0.0]));
            }
            None => bounds.push((Threshold::near(unit), [0.0, of_z, of_1])),
        }
    }
    bounds
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
