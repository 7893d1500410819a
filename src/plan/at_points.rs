//! What hidden units add up to at many values of their argument. There may be thousands of both: a sum is that at
//! the value before, and what has come since.

use super::Unit;
use crate::value::ROUNDING;
use std::sync::Arc;

/// What hidden units add up to.
pub fn output(units: &[Unit], z: f64) -> f64 {
    let units = units.iter();
    units
        .map(|u| u.weight * (u.slope * z + u.offset).max(0.0))
        .sum()
}

/// What hidden units add up to where their argument is each of some numbers, which are ascending.
pub fn outputs(units: &[Unit], points: &[f64]) -> Vec<f64> {
    let sums = steps(units).map(|steps| sums_at(points, steps));
    let outputs = points.iter().enumerate().map(|(at, z)| {
        let on_steps = sums.as_ref().map(|sums| sums[at]);
        match on_steps {
            Some([0.0, sum]) => sum,
            _ => output(units, *z),
        }
    });
    outputs.collect()
}

/// Some numbers, ascending, each once.
pub fn ascending(mut numbers: Vec<f64>) -> Arc<[f64]> {
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    numbers.into()
}

/// Of numbers, ascending, each that differs from the one before by more than what computing it loses.
pub fn apart(numbers: &[f64]) -> Vec<f64> {
    let mut apart = numbers.to_vec();
    apart.dedup_by(|next, before| *next - *before <= ROUNDING * before.abs().max(1.0));
    apart
}

/// Where units follow each other in pairs whose slopes cancel: how many pairs are on their ramp, and what all others
/// add up to.
pub(crate) fn steps(units: &[Unit]) -> Option<Vec<(Threshold, [f64; 2])>> {
    let (pairs, []) = units.as_chunks::<2>() else {
        return None;
    };
    let mut all = pairs.iter();
    all.all(|[a, b]| a.is_step_with(b)).then(|| {
        let of_pair = |[a, b]: &[Unit; 2]| {
            let height = a.weight * (a.offset - b.offset);
            let (first, second) = if a.offset > b.offset { (a, b) } else { (b, a) };
            [
                (Threshold::of(first), [1.0, 0.0]),
                (Threshold::of(second), [-1.0, height]),
            ]
        };
        pairs.iter().flat_map(of_pair).collect()
    })
}

/// Where the argument is large enough for something, or small enough.
#[derive(Clone, Copy)]
pub(crate) enum Threshold {
    /// From this number on.
    From(f64),
    /// Up to this one.
    UpTo(f64),
}

impl Threshold {
    /// Of a unit to be above 0, or there.
    pub fn of(unit: &Unit) -> Threshold {
        match -unit.offset / unit.slope {
            _ if unit.slope == 0.0 && unit.offset < 0.0 => Threshold::From(f64::INFINITY),
            _ if unit.slope == 0.0 => Threshold::From(f64::NEG_INFINITY),
            at if unit.slope > 0.0 => Threshold::From(at),
            at => Threshold::UpTo(at),
        }
    }

    /// Where roundings may take a unit above 0.
    pub fn near(unit: &Unit) -> Threshold {
        match Threshold::of(unit) {
            Threshold::From(at) if at.is_finite() => Threshold::From(at - 1e-6 * at.abs()),
            Threshold::UpTo(at) => Threshold::UpTo(at + 1e-6 * at.abs()),
            far @ Threshold::From(_) => far,
        }
    }
}

/// What adds up at points in ascending order: at each all whose threshold is reached.
pub(crate) fn sums_at<const N: usize>(
    points: &[f64],
    numbers: Vec<(Threshold, [f64; N])>,
) -> Vec<[f64; N]> {
    let add = |to: &mut [f64; N], number: &[f64; N]| {
        *to = std::array::from_fn(|at| to[at] + number[at]);
    };
    // What counts from a point on, and what up to one.
    let mut rising = vec![[0.0; N]; points.len()];
    let mut falling = rising.clone();
    let (mut first, mut end) = (0, 0);
    for (threshold, number) in numbers {
        match threshold {
            Threshold::From(at) => {
                first = split(points, first, |point| point < at);
                if let Some(sum) = rising.get_mut(first) {
                    add(sum, &number);
                }
            }
            Threshold::UpTo(at) => {
                end = split(points, end, |point| point <= at);
                if let Some(sum) = end.checked_sub(1).and_then(|last| falling.get_mut(last)) {
                    add(sum, &number);
                }
            }
        }
    }
    let mut sum = [0.0; N];
    for number in &mut rising {
        add(&mut sum, number);
        *number = sum;
    }
    let mut sum = [0.0; N];
    for (number, both) in falling.iter().zip(&mut rising).rev() {
        add(&mut sum, number);
        add(both, &sum);
    }
    rising
}

/// How many of the points, the first of them, are of one kind: often as many as were found before.
fn split(points: &[f64], before: usize, is_first: impl Fn(f64) -> bool) -> usize {
    let is_before = before == 0 || is_first(points[before - 1]);
    if is_before && points.get(before).is_none_or(|point| !is_first(*point)) {
        return before;
    }
    points.partition_point(|point| is_first(*point))
}
