//! Which sums hosts round on the way to a hidden unit's argument: none while all numbers so far are multiples of one
//! power of two, as rounded counts are; and which they round alike in all units. May depend on the bounds of what is
//! read.

use super::bound::Bound;
use super::host::{Floats, fits, grain, is_power};
use super::host_sum::HostTerm;
use crate::plan::Unit;

/// Terms that stand here as one.
#[derive(Clone, Copy, Default)]
pub(super) struct Addend {
    /// How far below 0 they are together, and how far above, at most.
    pub below: f64,
    pub above: f64,
    /// How many of them are added with a rounding, and how many with one that is not that of all units.
    pub rounded: usize,
    pub apart: usize,
    /// How far roundings of weights and products take them, in units of the last place of 1.
    pub products: f64,
}

impl Addend {
    /// Terms of which each is added with a rounding, if no sum so far is exact.
    pub fn rounded(terms: usize) -> Addend {
        Addend {
            rounded: terms,
            apart: terms,
            ..Addend::default()
        }
    }

    /// Adds a number that may be off by so much.
    pub fn add(&mut self, number: f64, error: f64) {
        self.above += number.max(0.0) + error;
        self.below += (-number).max(0.0) + error;
    }
}

/// The sums of biases and terms of all units.
pub(super) struct Sums {
    floats: Floats,
    /// The power of two that slopes are multiples of, and how large they are at most.
    of_slopes: i32,
    steepest: f64,
    /// The power of two that all that is added so far is a multiple of, and how large it is at most.
    least: i32,
    largest: f64,
    /// Whether no unit has rounded a sum, and whether all units have rounded them alike, at tokens and at BOS.
    pub is_exact: bool,
    are_alike: [bool; 2],
    /// Between which numbers sums are where the slope is the steepest, and the power of two that their differences
    /// are multiples of.
    ends: [(f64, f64); 2],
    of_differences: i32,
}

impl Sums {
    pub fn of_biases(units: &[Unit], constant: f64, floats: Floats) -> Sums {
        let steepest = units.iter().fold(0.0f64, |most, u| most.max(u.slope.abs()));
        let biases = units.iter().map(|u| u.slope * constant + u.offset);
        let grains = |numbers: &mut dyn Iterator<Item = f64>| numbers.filter_map(grain).min();
        let moved = units.iter().filter(|unit| unit.slope != 0.0);
        // Where slopes are one but for powers of two, these are exact.
        let moved = moved.map(|u| (u.slope * constant + u.offset) * (steepest / u.slope));
        let first = moved.clone().next().unwrap_or(0.0);
        let (low, high) = moved.clone().fold((first, first), |(low, high), bias| {
            (low.min(bias), high.max(bias))
        });
        let least = grains(&mut biases.clone()).unwrap_or(i32::MAX);
        let largest = biases.fold(0.0, |most: f64, bias| most.max(bias.abs()));
        let is_exact = fits(largest, least, floats);
        Sums {
            floats,
            of_slopes: grains(&mut units.iter().map(|unit| unit.slope)).unwrap_or(i32::MAX),
            steepest,
            least,
            largest,
            is_exact,
            are_alike: [is_exact && are_alike(units); 2],
            ends: [(low, high); 2],
            of_differences: moved
                .map(|bias| grain_of_difference(bias, first))
                .min()
                .unwrap_or(i32::MAX),
        }
    }

    /// How often products of a term are rounded: with their weights, where floats do not hold these.
    pub fn product(&mut self, term: &HostTerm, bound: &Bound) -> f64 {
        let steepest = self.steepest * term.factor.abs();
        let of_weight = term.grain.map(|grain| grain.saturating_add(self.of_slopes));
        let Some(weight) = of_weight.filter(|weight| fits(steepest, *weight, self.floats)) else {
            self.is_exact = false;
            return 2.0;
        };
        let largest = steepest * (bound.largest + bound.error);
        let whole = bound.grain.filter(|_| bound.residue == 0.0);
        let of_product = whole.map(|grain| grain.saturating_add(weight));
        let Some(grain) = of_product.filter(|grain| fits(largest, *grain, self.floats)) else {
            self.is_exact = false;
            return 1.0;
        };
        self.least = self.least.min(grain);
        0.0
    }

    /// Adds terms whose products are rounded so often, as they are at tokens and at BOS.
    pub fn add(&mut self, mut addends: [Addend; 2], products: f64) -> [Addend; 2] {
        let size = |addend: &Addend| addend.below + addend.above;
        self.largest += self.steepest * size(&addends[0]).max(size(&addends[1]));
        self.is_exact &= fits(self.largest, self.least, self.floats);
        for (at, addend) in addends.iter_mut().enumerate() {
            addend.products = products * size(addend);
            let (low, high) = &mut self.ends[at];
            *low -= self.steepest * addend.below;
            *high += self.steepest * addend.above;
            // Numbers between the same powers of two, whose differences floats have there, are rounded alike.
            let place = place_of(*low, *high).map(|top| top + 2 - self.floats.bits);
            let is_alike = place.is_some_and(|place| self.of_differences >= place);
            self.are_alike[at] &= self.is_exact || is_alike;
            if self.are_alike[at] {
                addend.apart = 0;
            }
            if self.is_exact {
                addend.rounded = 0;
            }
        }
        addends
    }
}

/// Whether slopes are one, but for powers of two.
pub(super) fn are_alike(units: &[Unit]) -> bool {
    let mut slopes = units.iter().map(|unit| unit.slope).filter(|s| *s != 0.0);
    let Some(first) = slopes.next() else {
        return true;
    };
    slopes.all(|slope| is_power(slope / first))
}

/// The power of two that a difference is a multiple of, or both numbers are where float64 rounds it.
fn grain_of_difference(a: f64, b: f64) -> i32 {
    let grain_of = |number| grain(number).unwrap_or(i32::MAX);
    let (difference, of_both) = (a - b, grain_of(a).min(grain_of(b)));
    match fits(difference.abs(), of_both, Floats::F64) {
        true => grain_of(difference),
        false => of_both,
    }
}

/// The exponent of the greatest power of two that all numbers between two reach, and those a little beyond, if
/// none reaches the next.
fn place_of(low: f64, high: f64) -> Option<i32> {
    let (least, most) = (low.abs().min(high.abs()), low.abs().max(high.abs()));
    let of = |number: f64| number.log2().floor();
    let (bottom, top) = (of(least * (1.0 - 1e-4)), of(most * (1.0 + 1e-4)));
    (low * high > 0.0 && bottom == top).then_some(bottom as i32)
}
