//! How far roundings take what hidden units add up, where hosts add up the argument of each: a share of each sum on
//! the way that is rounded. Depends on `sums`, which says how many are, and on the bounds of what is read.

use super::bound::Bounds;
use super::host_sum::HostSum;
use super::points::At;
use super::sums::{Addend, Sums, are_alike};
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
        let is_in_order = self.adds_in_turn(read);
        if !is_in_order && !sum.is_exact {
            for (at, addend) in terms.iter_mut().flatten().enumerate() {
                addend.rounded = if at < 2 { count } else { 1 };
                addend.apart = addend.rounded;
            }
        }
        let mut addends = Addends {
            constant: read.constant,
            are_biases_held,
            are_products_alike: are_alike(units),
            is_in_order,
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
