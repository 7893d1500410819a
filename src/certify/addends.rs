//! What hosts round where they add up a hidden unit's argument: nothing while all numbers so far are multiples of
//! one power of two, as rounded counts are, and then a share of each sum on the way. May depend on the bounds of
//! what is read.

use super::bound::{Bound, Bounds, Floats, fits, grain, is_power};
use super::host_sum::{HostSum, HostTerm};
use super::points::At;
use crate::plan::Unit;

/// The terms of an argument in the order in which hidden units add them to their biases.
pub(super) struct Addends {
    constant: f64,
    /// Whether floats hold all biases.
    are_biases_held: bool,
    /// Whether products of all units are rounded alike, as their slopes are one but for powers of two.
    are_products_alike: bool,
    /// Whether what is read of the embeddings is added first, as it stands here.
    is_in_order: bool,
    terms: Vec<Addend>,
    at_bos: Vec<Addend>,
    /// Of sums that units round each in its own way, whatever the argument is.
    anywhere: Apart,
}

/// How many sums are rounded, and how large all is together that is added until then, and all that is not.
#[derive(Clone, Copy, Default)]
struct Apart {
    sums: f64,
    so_far: f64,
    others: f64,
}

/// Of more terms, sums are bounded whatever the argument is: thousands of units may read hundreds of terms.
const MANY_TERMS: usize = 64;

/// Terms that stand here as one.
#[derive(Clone, Copy, Default)]
struct Addend {
    /// How far below 0 they are together, and how far above, at most.
    below: f64,
    above: f64,
    /// How many of them are added with a rounding, and how many with one that is not that of all units.
    rounded: usize,
    apart: usize,
    /// How far roundings of weights and products take them, in units of the last place of 1.
    products: f64,
}

/// Where an argument is: between two numbers, or so far from what it is at BOS.
#[derive(Clone, Copy)]
pub(super) enum Near {
    Between(f64, f64),
    Bos(f64),
}

impl Near {
    /// At tokens, where it is between two numbers, and at BOS; off by so much.
    pub fn anywhere((least, most): (f64, f64), off: f64) -> [Near; 2] {
        [Near::Between(least - off, most + off), Near::Bos(off)]
    }
}

impl Addends {
    /// How far roundings may take what units add up where the argument is near to a point, in units of the last
    /// place of 1, beyond how far they take the argument of all units alike.
    pub fn of_units(&self, at: &At, near: Near) -> f64 {
        let mut roundings = self.of_biases(at.bias);
        if !self.are_products_alike {
            roundings += at.slope * self.products(near);
        }
        // A sum on the way is as near to the bias as what is added is large, and to what the unit gives as that
        // which is not.
        let of_sums = |apart: Apart| {
            let from_bias = apart.sums * at.bias + at.slope * apart.so_far;
            let from_given = apart.sums * at.given + at.slope * apart.others;
            from_bias.min(from_given)
        };
        if self.terms.len() > MANY_TERMS {
            return roundings + of_sums(self.anywhere);
        }
        self.for_each_sum(near, |addend, so_far, others| {
            roundings += of_sums(Apart::of(addend, so_far, others));
        });
        roundings
    }

    /// How far roundings may take the argument of a unit of slope 1 whose bias is at most so large.
    pub fn of_argument(&self, near: Near, bias: f64) -> f64 {
        let mut roundings = self.of_biases(bias) + self.products(near);
        self.for_each_sum(near, |addend, so_far, _| {
            roundings += addend.rounded as f64 * (bias + so_far);
        });
        roundings
    }

    fn of_biases(&self, size: f64) -> f64 {
        if self.are_biases_held { 0.0 } else { size }
    }

    fn products(&self, near: Near) -> f64 {
        self.near(near).iter().map(|term| term.products).sum()
    }

    fn near(&self, near: Near) -> &[Addend] {
        match near {
            Near::Between(..) => &self.terms,
            Near::Bos(_) => &self.at_bos,
        }
    }

    /// Tells of sums on the way, behind what is added, how large all is together that is added so far, and all that
    /// is not.
    fn for_each_sum(&self, near: Near, mut tell: impl FnMut(&Addend, f64, f64)) {
        let terms = self.near(near);
        let below: f64 = terms.iter().map(|term| term.below).sum();
        let above: f64 = terms.iter().map(|term| term.above).sum();
        if !self.is_in_order {
            let most = below.max(above);
            return terms.iter().for_each(|term| tell(term, most, most));
        }
        let (least, most) = match near {
            Near::Between(least, most) => (
                (least - self.constant).max(-below),
                (most - self.constant).min(above),
            ),
            Near::Bos(off) => (above - below - off, above - below + off),
        };
        let mut so_far = Addend::default();
        for term in terms {
            so_far.below += term.below;
            so_far.above += term.above;
            let low = (-so_far.below).max(least - (above - so_far.above));
            let high = so_far.above.min(most + (below - so_far.below));
            let others = (most - low).abs().max((high - least).abs());
            tell(term, low.abs().max(high.abs()), others);
        }
    }
}

impl Apart {
    fn of(addend: &Addend, so_far: f64, others: f64) -> Apart {
        let sums = addend.apart as f64;
        Apart {
            sums,
            so_far: sums * so_far,
            others: sums * others,
        }
    }
}

impl Addend {
    /// Terms of which each is added with a rounding, if no sum so far is exact.
    fn rounded(terms: usize) -> Addend {
        Addend {
            rounded: terms,
            apart: terms,
            ..Addend::default()
        }
    }

    /// Adds a number that may be off by so much.
    fn add(&mut self, number: f64, error: f64) {
        self.above += number.max(0.0) + error;
        self.below += (-number).max(0.0) + error;
    }
}

impl Bounds<'_> {
    /// The terms of an argument that these units read.
    pub fn addends(&self, read: &HostSum, units: &[Unit]) -> Addends {
        let mut sum = Sums::of_biases(units, read.constant, self.floats);
        let are_biases_held = sum.is_exact;
        let (tokens, indices) = (&read.of_tokens, &read.of_indices);
        let count = tokens.terms + indices.terms;
        let mut embedded = [Addend::rounded(count); 2];
        embedded[0].below = tokens.below + indices.below;
        embedded[0].above = tokens.above + indices.above;
        let mut products = 0.0f64;
        for term in read.terms.iter().filter(|term| term.is_embedded) {
            products = products.max(sum.product(term, self.of(term.variable)));
            embedded[1].add(term.factor * self.plan.variable(term.variable).bos, 0.0);
        }
        let mut terms = vec![sum.add(embedded, products)];
        for term in read.terms.iter().filter(|term| !term.is_embedded) {
            let (variable, bound) = (self.plan.variable(term.variable), self.of(term.variable));
            let (factor, error) = (term.factor, term.factor.abs() * bound.error);
            let (first, last) = self.ends(term.variable);
            let mut addends = [Addend::rounded(1); 2];
            addends[0].above = (factor * first).max(factor * last).max(0.0) + error;
            addends[0].below = -(factor * first).min(factor * last).min(0.0) + error;
            addends[1].add(factor * variable.bos, error);
            let products = sum.product(term, bound);
            terms.push(sum.add(addends, products));
        }
        if !read.is_in_order && !sum.is_exact {
            for (at, addend) in terms.iter_mut().flatten().enumerate() {
                addend.rounded = if at < 2 { count } else { 1 };
                addend.apart = addend.rounded;
            }
        }
        let mut addends = Addends {
            constant: read.constant,
            are_biases_held,
            are_products_alike: are_alike(units),
            is_in_order: read.is_in_order,
            at_bos: terms.iter().map(|[_, at_bos]| *at_bos).collect(),
            terms: terms.iter().map(|[at_tokens, _]| *at_tokens).collect(),
            anywhere: Apart::default(),
        };
        let mut anywhere = Apart::default();
        let far = f64::INFINITY;
        for near in [Near::Between(-far, far), Near::Bos(0.0)] {
            let mut all = Apart::default();
            addends.for_each_sum(near, |addend, so_far, others| {
                let apart = Apart::of(addend, so_far, others);
                all.sums += apart.sums;
                all.so_far += apart.so_far;
                all.others += apart.others;
            });
            anywhere.sums = anywhere.sums.max(all.sums);
            anywhere.so_far = anywhere.so_far.max(all.so_far);
            anywhere.others = anywhere.others.max(all.others);
        }
        addends.anywhere = anywhere;
        addends
    }
}

/// Whether slopes are one, but for powers of two.
fn are_alike(units: &[Unit]) -> bool {
    let mut slopes = units.iter().map(|unit| unit.slope).filter(|s| *s != 0.0);
    let Some(first) = slopes.next() else {
        return true;
    };
    slopes.all(|slope| is_power(slope / first))
}

/// The sums of biases and terms of all units.
struct Sums {
    floats: Floats,
    /// The power of two that slopes are multiples of, and how large they are at most.
    of_slopes: i32,
    steepest: f64,
    /// The power of two that all that is added so far is a multiple of, and how large it is at most.
    least: i32,
    largest: f64,
    /// Whether no unit has rounded a sum, and whether all units have rounded them alike, at tokens and at BOS.
    is_exact: bool,
    are_alike: [bool; 2],
    /// Between which numbers sums are where the slope is the steepest, and the power of two that their differences
    /// are multiples of.
    ends: [(f64, f64); 2],
    of_differences: i32,
}

impl Sums {
    fn of_biases(units: &[Unit], constant: f64, floats: Floats) -> Sums {
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
    fn product(&mut self, term: &HostTerm, bound: &Bound) -> f64 {
        let steepest = self.steepest * term.factor.abs();
        let of_weight = term.grain.map(|grain| grain.saturating_add(self.of_slopes));
        let Some(weight) = of_weight.filter(|weight| fits(steepest, *weight, self.floats)) else {
            self.is_exact = false;
            return 2.0;
        };
        let largest = steepest * (bound.largest + bound.error);
        let of_product = bound.grain.map(|grain| grain.saturating_add(weight));
        let Some(grain) = of_product.filter(|grain| fits(largest, *grain, self.floats)) else {
            self.is_exact = false;
            return 1.0;
        };
        self.least = self.least.min(grain);
        0.0
    }

    /// Adds terms whose products are rounded so often, as they are at tokens and at BOS.
    fn add(&mut self, mut addends: [Addend; 2], products: f64) -> [Addend; 2] {
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
