//! Numbers that are 0 or on one side of it, as a bit is and the mean of some: how far they may be off is
//! mostly a share of what they are, and little where they are 0. A result that asks whether there is
//! anything at all is right though the sum of all that there is may be off by more than one of it.

use super::bound::Bounds;
use crate::plan::{Attend, Linear, VariableId, Written};

/// Numbers below this share of the largest are 0, but for rounding.
const NOTHING: f64 = 1e-12;

/// A number that is 0, or at least so far from it on one side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OneSided {
    /// 1 or -1.
    sign: f64,
    /// How far from 0 it is if it is not 0.
    least: f64,
    /// How far it may be off, whatever it is.
    absolute: f64,
    /// And how far beyond, as a share of what it is.
    relative: f64,
    /// Whether it may be another number, too: what stands for a mean of nothing.
    or_default: bool,
}

impl OneSided {
    /// Of what is each of some numbers, or off by as much as is said beside.
    pub fn of(numbers: &[(f64, f64)]) -> Option<OneSided> {
        let largest = numbers
            .iter()
            .fold(0.0f64, |most, (n, _)| most.max(n.abs()));
        let sign = numbers.iter().find(|(n, _)| n.abs() == largest)?.0.signum();
        let mut found = OneSided {
            sign,
            least: f64::INFINITY,
            absolute: 0.0,
            relative: 0.0,
            or_default: false,
        };
        for (number, error) in numbers {
            match sign * number {
                size if size.abs() <= NOTHING * largest => {
                    found.absolute = found.absolute.max(size.abs() + error);
                }
                size if size > 0.0 => {
                    found.least = found.least.min(size);
                    found.relative = found.relative.max(error / size);
                }
                _ => return None,
            }
        }
        Some(found)
    }

    fn scaled(self, factor: f64) -> OneSided {
        OneSided {
            sign: self.sign * factor.signum(),
            least: self.least * factor.abs(),
            absolute: self.absolute * factor.abs(),
            ..self
        }
    }

    /// The sum with another on the same side.
    pub fn plus(self, other: OneSided) -> Option<OneSided> {
        let is_sided = self.sign == other.sign && !self.or_default && !other.or_default;
        is_sided.then(|| OneSided {
            least: self.least.min(other.least),
            absolute: self.absolute + other.absolute,
            relative: self.relative.max(other.relative),
            ..self
        })
    }

    /// The same, off by more.
    pub fn off(self, absolute: f64, relative: f64) -> OneSided {
        OneSided {
            absolute: self.absolute + absolute,
            relative: self.relative + relative * (1.0 + self.relative),
            ..self
        }
    }

    /// How far it may be off where it is this number.
    pub fn error_at(self, number: f64) -> f64 {
        self.absolute + self.relative * number.abs()
    }

    /// The error of `constant` and this as a share of what may be between it and `middle`, where that parts
    /// nothing from anything; infinite where it does not.
    pub fn share(self, constant: f64, middle: f64) -> f64 {
        let nothing = self.sign * (middle - constant);
        let anything = self.least - nothing;
        let shares = [
            self.absolute / nothing,
            (self.absolute + self.relative * self.least) / anything,
        ];
        let is_apart = nothing > 0.0 && anything > 0.0 && !self.or_default;
        match is_apart && self.relative < 1.0 {
            true => shares[0].max(shares[1]),
            false => f64::INFINITY,
        }
    }
}

impl Bounds<'_> {
    /// A linear read at tokens without its constant, if all that it reads is on one side of 0.
    pub fn sided(&self, linear: &Linear) -> Option<OneSided> {
        let is_flag = |id: &VariableId| self.plan.variable(*id).written == Written::Flag;
        let terms = linear.terms.iter().filter(|(id, _)| !is_flag(id));
        let mut sides = terms.map(|(id, factor)| Some(self.of(*id).one_sided?.scaled(*factor)));
        let first = sides.next()??;
        let sum = sides.try_fold(first, |sum, side| sum.plus(side?))?;
        // Products and their sum.
        let roundings = 2.0 * linear.terms.len() as f64;
        Some(sum.off(0.0, roundings * self.floats.unit))
    }

    /// What a mean of such a number is, where attention may be off by `weights`, and what it moves is
    /// rounded so often.
    pub fn sided_mean(&self, attend: &Attend, weights: f64, roundings: f64) -> Option<OneSided> {
        let value = self.sided(&attend.value)?;
        let or_default = self.plan.at_bos(&attend.value) != 0.0;
        let is_sided = attend.kind.is_mean()
            && attend.value.constant == 0.0
            && (attend.kind.sets_bos_apart() || !or_default);
        (is_sided && !value.or_default).then(|| {
            // A share of the whole may be in the first key, so that each that is added rounds the whole.
            let mean = value.off(weights, 2.0 * roundings * self.floats.unit);
            OneSided {
                least: mean.least / (attend.most as f64 + 1.0),
                or_default,
                ..mean
            }
        })
    }
}
