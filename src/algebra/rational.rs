//! Exact numbers: fractions of machine integers, and of long integers where those overflow. Floats
//! become fractions on the way in, by their continued fraction, and the nearest floats on the way
//! out.

use num_integer::Integer;
use num_rational::{BigRational, Ratio};
use num_traits::{CheckedAdd, CheckedMul, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A rational number, in one way only: long where machine integers do not hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rational(Size);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Size {
    /// The numerator is not `i64::MIN`, so that every one has a negative.
    Machine(Ratio<i64>),
    Long(Box<BigRational>),
}

/// The most that rounding moves a number, relative to the largest number it was computed with: 16
/// units in the last place of 1.
const ROUNDING: f64 = 1.0 / (1u64 << 48) as f64;

/// The largest denominator of a fraction that a float is taken for.
const LARGEST_DENOMINATOR: f64 = (1u64 << 20) as f64;

/// Beyond this, floats skip integers.
const LARGEST_INTEGER: f64 = (1u64 << 53) as f64;

/// The largest absolute value of some numbers, without those that are NaN.
pub fn largest(numbers: &[f64]) -> f64 {
    numbers
        .iter()
        .fold(0.0, |most, number| most.max(number.abs()))
}

/// What a float stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    pub number: Rational,
    /// Whether that is a fraction with a small denominator; else it is only known up to rounding.
    pub is_fraction: bool,
}

impl Reading {
    /// A finite float among numbers of which the largest is `scale`: the fraction it is a rounding
    /// of, or else exactly the float; `None` if it is infinite or NaN.
    pub fn of(float: f64, scale: f64) -> Option<Reading> {
        let fraction = fraction(float, scale.max(float.abs()));
        let is_fraction = fraction.is_some();
        let number = match fraction {
            Some(fraction) => fraction,
            None => Rational::from_long(BigRational::from_float(float)?),
        };
        Some(Reading {
            number,
            is_fraction,
        })
    }

    /// The numbers of one column; `None` if one of them is infinite or NaN.
    pub fn of_all(floats: &[f64]) -> Option<Vec<Reading>> {
        let scale = largest(floats);
        let readings = floats.iter().map(|float| Reading::of(*float, scale));
        readings.collect()
    }
}

/// The fraction of a small denominator that lies as near to a float as rounding explains. The
/// denominators are so small that two such fractions never lie near one float.
fn fraction(float: f64, scale: f64) -> Option<Rational> {
    if float.fract() == 0.0 && float.abs() <= LARGEST_INTEGER {
        return Some(Rational::from(float as i64));
    }
    if !scale.is_finite() || scale > LARGEST_INTEGER {
        return None;
    }
    let rounding = ROUNDING * scale;
    if float.abs() <= rounding {
        return Some(Rational::zero());
    }
    let most = LARGEST_DENOMINATOR.min((ROUNDING * 16.0 * scale).sqrt().recip());
    let (mut numerator, mut denominator) = dyadic(float.abs(), most)?;
    // The convergents of the continued fraction, the last two.
    let (mut before, mut last) = ((0, 1), (1, 0));
    while denominator != 0 {
        let digit = numerator / denominator;
        (numerator, denominator) = (denominator, numerator - digit * denominator);
        let next = (digit * last.0 + before.0, digit * last.1 + before.1);
        (before, last) = (last, next);
        if last.1 as f64 > most {
            return None;
        }
        if (float.abs() - last.0 as f64 / last.1 as f64).abs() <= rounding {
            let sign = if float < 0.0 { -1 } else { 1 };
            return Some(Rational::from_parts(sign * last.0 as i64, last.1 as i64));
        }
    }
    None
}

/// A positive float as an exact quotient of integers; `None` where it is too small to be rounded to
/// a fraction with a denominator of at most `most`.
fn dyadic(float: f64, most: f64) -> Option<(i128, i128)> {
    if float * most < 0.5 {
        return None;
    }
    // At least 2^-21, so that its last bit is at least 2^-73.
    let shift = 73;
    let bits = float * (1u128 << shift) as f64;
    (bits < i128::MAX as f64).then_some((bits as i128, 1i128 << shift))
}

impl Rational {
    pub fn zero() -> Rational {
        Rational::from(0)
    }

    pub fn one() -> Rational {
        Rational::from(1)
    }

    pub fn is_zero(&self) -> bool {
        match &self.0 {
            Size::Machine(ratio) => ratio.is_zero(),
            Size::Long(_) => false,
        }
    }

    /// The nearest float.
    pub fn to_f64(&self) -> f64 {
        let float = match &self.0 {
            Size::Machine(ratio) if ratio.is_integer() => Some(*ratio.numer() as f64),
            Size::Machine(ratio) => ratio.to_f64(),
            Size::Long(ratio) => ratio.to_f64(),
        };
        // Adding 0 makes -0 the same as 0.
        float.unwrap_or(f64::NAN) + 0.0
    }

    /// Compares the absolute values.
    pub fn compare_sizes(&self, other: &Rational) -> Ordering {
        if let (Size::Machine(a), Size::Machine(b)) = (&self.0, &other.0) {
            let product = |x: i64, y: i64| i128::from(x.abs()) * i128::from(y);
            return product(*a.numer(), *b.denom()).cmp(&product(*b.numer(), *a.denom()));
        }
        self.long().abs().cmp(&other.long().abs())
    }

    /// The denominator, unless it is long.
    pub fn denominator(&self) -> Option<i64> {
        match &self.0 {
            Size::Machine(ratio) => Some(*ratio.denom()),
            Size::Long(_) => None,
        }
    }

    /// The numerator over a common denominator; `None` if that is no integer or too long.
    pub fn numerator_over(&self, denominator: i128) -> Option<i128> {
        let Size::Machine(ratio) = &self.0 else {
            return None;
        };
        let own = i128::from(*ratio.denom());
        if own == denominator {
            return Some(i128::from(*ratio.numer()));
        }
        let factor = (denominator % own == 0).then_some(denominator / own)?;
        i128::from(*ratio.numer()).checked_mul(factor)
    }

    /// The remainders of numerator and denominator.
    pub(super) fn remainders(&self, modulus: u64) -> (u64, u64) {
        match &self.0 {
            Size::Machine(ratio) => {
                let part = |part: i64| i128::from(part).rem_euclid(i128::from(modulus)) as u64;
                (part(*ratio.numer()), part(*ratio.denom()))
            }
            Size::Long(ratio) => {
                let numerator = ratio.numer().mod_floor(&modulus.into()).to_u64();
                let denominator = ratio.denom().mod_floor(&modulus.into()).to_u64();
                (numerator.unwrap_or(0), denominator.unwrap_or(0))
            }
        }
    }

    /// `self - a · b`
    pub fn minus_product(&self, a: &Rational, b: &Rational) -> Rational {
        self - &(a * b)
    }

    fn from_parts(numerator: i64, denominator: i64) -> Rational {
        Rational(Size::Machine(Ratio::new(numerator, denominator)))
    }

    fn from_long(ratio: BigRational) -> Rational {
        let parts = (ratio.numer().to_i64(), ratio.denom().to_i64());
        match parts {
            (Some(numerator), Some(denominator)) if numerator != i64::MIN => {
                Rational(Size::Machine(Ratio::new_raw(numerator, denominator)))
            }
            _ => Rational(Size::Long(Box::new(ratio))),
        }
    }

    fn long(&self) -> BigRational {
        match &self.0 {
            Size::Machine(ratio) => {
                BigRational::new_raw((*ratio.numer()).into(), (*ratio.denom()).into())
            }
            Size::Long(ratio) => BigRational::clone(ratio),
        }
    }

    /// An operation on machine integers, or on long ones where it overflows.
    fn combine(
        &self,
        other: &Rational,
        machine: impl Fn(&Ratio<i64>, &Ratio<i64>) -> Option<Ratio<i64>>,
        long: impl Fn(BigRational, BigRational) -> BigRational,
    ) -> Rational {
        if let (Size::Machine(a), Size::Machine(b)) = (&self.0, &other.0)
            && let Some(result) = machine(a, b)
            && *result.numer() != i64::MIN
        {
            return Rational(Size::Machine(result));
        }
        Rational::from_long(long(self.long(), other.long()))
    }

    fn inverse(&self) -> Rational {
        match &self.0 {
            Size::Machine(ratio) => {
                let sign = ratio.numer().signum();
                let (numerator, denominator) = (sign * ratio.denom(), sign * ratio.numer());
                Rational(Size::Machine(Ratio::new_raw(numerator, denominator)))
            }
            Size::Long(ratio) => Rational::from_long(ratio.recip()),
        }
    }
}

impl From<i64> for Rational {
    fn from(integer: i64) -> Rational {
        match integer {
            i64::MIN => Rational::from_long(BigRational::from_integer(integer.into())),
            _ => Rational(Size::Machine(Ratio::from_integer(integer))),
        }
    }
}

impl Add for &Rational {
    type Output = Rational;

    fn add(self, other: &Rational) -> Rational {
        let machine = |a: &Ratio<i64>, b: &Ratio<i64>| match (a.denom(), b.denom()) {
            (1, 1) => a.numer().checked_add(b.numer()).map(Ratio::from_integer),
            _ => a.checked_add(b),
        };
        self.combine(other, machine, |a, b| a + b)
    }
}

impl Sub for &Rational {
    type Output = Rational;

    fn sub(self, other: &Rational) -> Rational {
        self + &-other
    }
}

impl Mul for &Rational {
    type Output = Rational;

    fn mul(self, other: &Rational) -> Rational {
        let machine = |a: &Ratio<i64>, b: &Ratio<i64>| match (a.denom(), b.denom()) {
            (1, 1) => a.numer().checked_mul(b.numer()).map(Ratio::from_integer),
            _ => a.checked_mul(b),
        };
        self.combine(other, machine, |a, b| a * b)
    }
}

/// By a number that is not 0.
impl Div for &Rational {
    type Output = Rational;

    fn div(self, other: &Rational) -> Rational {
        assert!(!other.is_zero(), "nothing is divided by zero");
        self * &other.inverse()
    }
}

impl Neg for &Rational {
    type Output = Rational;

    fn neg(self) -> Rational {
        match &self.0 {
            Size::Machine(ratio) => Rational(Size::Machine(-*ratio)),
            // The negative of 2^63 fits machine integers as little as this does.
            Size::Long(ratio) => Rational(Size::Long(Box::new(-&**ratio))),
        }
    }
}
