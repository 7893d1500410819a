//! Means of numbers: the exact sum, divided and rounded once, so that equal values have equal means
//! in whatever order they are added. Floats are multiples of one power of two, whole numbers of as
//! many words as their exponents ask for; sums of those are the same in any order, can be taken
//! back, and are added up like counts. `quotient` rounds. Depends on `column` and `tally`.

use super::column::{Column, Values};
use super::plan::Plan;
use super::selector::tally::{Signed, Sum};
use crate::value::Value;

/// Floats hold ints up to this one exactly.
pub const LARGEST_EXACT: u64 = 1 << 53;

/// A number as the float that is equal to it, if one is.
pub fn float(number: &Value) -> Option<f64> {
    if let Value::Float(float) = number {
        (!float.is_nan()).then_some(*float)
    } else {
        let int = number.as_int()?;
        (int.unsigned_abs() <= LARGEST_EXACT).then_some(int as f64)
    }
}

/// Words enough for sums of 2³² floats of any exponents.
const ALL_WORDS: usize = 34;

/// A number as ± mantissa · 2^exponent, or one that is not finite.
#[derive(Clone, Copy)]
struct Dyadic {
    negative: bool,
    mantissa: u64,
    exponent: i32,
}

impl Dyadic {
    fn of_int(int: i64) -> Dyadic {
        Dyadic {
            negative: int < 0,
            mantissa: int.unsigned_abs(),
            exponent: 0,
        }
        .lowest()
    }

    fn of_float(float: f64) -> Dyadic {
        let bits = float.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32;
        let fraction = bits & ((1 << 52) - 1);
        let mantissa = if exponent == 0 {
            fraction
        } else {
            fraction | 1 << 52
        };
        Dyadic {
            negative: float < 0.0,
            mantissa: if float.is_finite() { mantissa } else { 0 },
            exponent: exponent.max(1) - 1075,
        }
        .lowest()
    }

    /// With an odd mantissa, or 0.
    fn lowest(self) -> Dyadic {
        let zeros = self.mantissa.trailing_zeros() % u64::BITS;
        Dyadic {
            mantissa: self.mantissa >> zeros,
            exponent: self.exponent + zeros as i32,
            ..self
        }
    }
}

/// A whole number that sums of dyadic numbers are held in.
trait Whole: Signed {
    fn new(number: Dyadic, unit: i32) -> Self;
    /// It times 2^unit / count, rounded once, from the middle to the even float.
    fn divided(self, unit: i32, count: u64) -> f64;
    /// The number as a float, if it is one exactly.
    fn small(self) -> Option<f64> {
        None
    }
}

impl Whole for i64 {
    fn new(number: Dyadic, unit: i32) -> i64 {
        i128::new(number, unit) as i64
    }

    fn divided(self, unit: i32, count: u64) -> f64 {
        i128::from(self).divided(unit, count)
    }

    fn small(self) -> Option<f64> {
        (self.unsigned_abs() <= LARGEST_EXACT).then_some(self as f64)
    }
}

impl Whole for i128 {
    fn new(number: Dyadic, unit: i32) -> i128 {
        if number.mantissa == 0 {
            return 0;
        }
        let size = i128::from(number.mantissa) << (number.exponent - unit);
        if number.negative { -size } else { size }
    }

    fn divided(self, unit: i32, count: u64) -> f64 {
        let (size, count) = (self.unsigned_abs(), u128::from(count));
        // With the highest bit set, so that the quotient has more than 64 bits.
        let leading = size.leading_zeros();
        let dividend = size.checked_shl(leading).unwrap_or(0);
        let digits = dividend / count;
        let lower = digits * count != dividend;
        let size = leading_bits(digits, lower, unit - leading as i32);
        if self < 0 { -size } else { size }
    }

    fn small(self) -> Option<f64> {
        (self.unsigned_abs() <= LARGEST_EXACT.into()).then_some(self as f64)
    }
}

/// An integer of `N` words in two's complement, lowest word first; it wraps.
#[derive(Clone, Copy)]
struct Wide<const N: usize>([u64; N]);

impl<const N: usize> Wide<N> {
    fn negated(self) -> Wide<N> {
        let mut carry = true;
        Wide(self.0.map(|word| {
            let (word, more) = (!word).overflowing_add(u64::from(carry));
            carry = more;
            word
        }))
    }
}

impl<const N: usize> Sum for Wide<N> {
    const ZERO: Wide<N> = Wide([0; N]);

    fn plus(mut self, other: Wide<N>) -> Wide<N> {
        let mut carry = false;
        for (word, other) in self.0.iter_mut().zip(other.0) {
            let (sum, first) = word.overflowing_add(other);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            (*word, carry) = (sum, first | second);
        }
        self
    }
}

impl<const N: usize> Signed for Wide<N> {
    fn times(self, factor: i64) -> Wide<N> {
        let mut carry = 0_u64;
        let product = Wide(self.0.map(|word| {
            let full = u128::from(word) * u128::from(factor.unsigned_abs()) + u128::from(carry);
            carry = (full >> 64) as u64;
            full as u64
        }));
        if factor < 0 {
            product.negated()
        } else {
            product
        }
    }
}

impl<const N: usize> Whole for Wide<N> {
    fn new(number: Dyadic, unit: i32) -> Wide<N> {
        let mut words = [0; N];
        if number.mantissa != 0 {
            let shift = (number.exponent - unit) as usize;
            let placed = u128::from(number.mantissa) << (shift % 64);
            words[shift / 64] = placed as u64;
            if let Some(next) = words.get_mut(shift / 64 + 1) {
                *next = (placed >> 64) as u64;
            }
        }
        let size = Wide(words);
        if number.negative {
            size.negated()
        } else {
            size
        }
    }

    fn divided(self, unit: i32, count: u64) -> f64 {
        let negative = self.0[N - 1] >> 63 != 0;
        let size = if negative { self.negated() } else { self };
        let size = quotient(&size.0, unit, count);
        if negative { -size } else { size }
    }
}

/// What a query pools of numbers.
pub struct Pooled {
    /// How many are selected.
    pub count: u32,
    /// The position of the only one, if one is.
    pub key: u32,
    /// Their mean, if several are.
    pub mean: f64,
}

/// What each query pools of a column of numbers. As a width of the selector, for as many words as
/// the values' exponents ask for.
pub fn pooled(plan: &Plan<'_>, value: &Column) -> Vec<Pooled> {
    let numbers: Vec<Dyadic> = if let Values::Floats(floats) = value.values() {
        floats
            .iter()
            .map(|float| Dyadic::of_float(*float))
            .collect()
    } else {
        (0..value.len()).map(|at| dyadic(&value.get(at))).collect()
    };
    let finite = numbers.iter().filter(|number| number.mantissa != 0);
    let unit = finite
        .clone()
        .map(|number| number.exponent)
        .min()
        .unwrap_or(0);
    let top =
        |number: &Dyadic| number.exponent + (u64::BITS - number.mantissa.leading_zeros()) as i32;
    let top = finite.map(top).max().unwrap_or(0);
    // One bit for the sign.
    let bits = (top - unit) as u32 + (usize::BITS - numbers.len().leading_zeros()) + 1;
    let numbers = (numbers.as_slice(), unit);
    let mut pooled = match bits {
        0..=64 => sums_divided::<i64>(plan, numbers),
        65..=128 => sums_divided::<i128>(plan, numbers),
        129..=256 => sums_divided::<Wide<4>>(plan, numbers),
        _ => sums_divided::<Wide<ALL_WORDS>>(plan, numbers),
    };
    let infinite = |sign: f64, key| value.get(key).as_float() == Some(sign * f64::INFINITY);
    if !value.to_floats().iter().all(|float| float.is_finite()) {
        let found = plan.add_up(|key| {
            let nan = u32::from(value.get(key).is_nan());
            (
                nan,
                (
                    u32::from(infinite(1.0, key)),
                    u32::from(infinite(-1.0, key)),
                ),
            )
        });
        for (pooled, found) in pooled.iter_mut().zip(found) {
            match found {
                (0, (0, 0)) => {}
                (0, (_, 0)) => pooled.mean = f64::INFINITY,
                (0, (0, _)) => pooled.mean = f64::NEG_INFINITY,
                _ => pooled.mean = f64::NAN,
            }
        }
    }
    pooled
}

fn dyadic(value: &Value) -> Dyadic {
    if let Value::Float(float) = value {
        Dyadic::of_float(*float)
    } else {
        Dyadic::of_int(value.as_int().unwrap_or(0))
    }
}

fn sums_divided<W: Whole>(plan: &Plan<'_>, (numbers, unit): (&[Dyadic], i32)) -> Vec<Pooled> {
    // Nothing is rounded but the quotient where neither power nor quotient is extreme.
    let power = (-900..900).contains(&unit).then(|| power(unit));
    let sums = plan.add_up(|key| (1_u32, (key as u32, W::new(numbers[key], unit))));
    let divided = |(count, (key, sum)): (u32, (u32, W))| Pooled {
        count,
        key,
        mean: match (count, sum.small(), power) {
            (0 | 1, ..) => 0.0,
            (_, Some(sum), Some(power)) => sum / f64::from(count) * power,
            _ => sum.divided(unit, u64::from(count)),
        },
    };
    sums.into_iter().map(divided).collect()
}

fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// The mean of whole numbers from their sum: rounded once.
pub fn int_mean(sum: i128, count: u64) -> f64 {
    match sum.small() {
        Some(sum) => sum / count as f64,
        None => sum.divided(0, count),
    }
}

/// Words, lowest first, times 2^unit / count, rounded once.
fn quotient(words: &[u64], unit: i32, count: u64) -> f64 {
    let Some(highest) = words.iter().rposition(|word| *word != 0) else {
        return 0.0;
    };
    // Long division, two words below the point: the quotient has more than 64 bits.
    let mut digits = [0_u64; ALL_WORDS + 2];
    let mut rest = 0_u128;
    for at in (0..highest + 3).rev() {
        let word = if at < 2 { 0 } else { words[at - 2] };
        let dividend = rest << 64 | u128::from(word);
        digits[at] = (dividend / u128::from(count)) as u64;
        rest = dividend % u128::from(count);
    }
    let highest = digits.iter().rposition(|digit| *digit != 0).unwrap_or(0);
    let below = highest.checked_sub(1).map_or(0, |at| digits[at]);
    let pair = u128::from(digits[highest]) << 64 | u128::from(below);
    let lower = &digits[..highest.saturating_sub(1)];
    let lower = rest != 0 || lower.iter().any(|digit| *digit != 0);
    leading_bits(pair, lower, unit - 192 + 64 * highest as i32)
}

/// `digits · 2^exponent`, and a bit more if `lower`, as a float; 0 of no digits.
fn leading_bits(digits: u128, lower: bool, exponent: i32) -> f64 {
    let leading = digits.leading_zeros();
    let Some(digits) = digits.checked_shl(leading) else {
        return 0.0;
    };
    let lower = lower || digits as u64 != 0;
    round((digits >> 64) as u64, lower, exponent + 64 - leading as i32)
}

/// `bits · 2^exponent`, and a bit more if `lower`; the highest bit is set.
fn round(bits: u64, lower: bool, exponent: i32) -> f64 {
    let top = exponent + 63;
    if top > 1023 {
        return f64::INFINITY;
    }
    // The digits that are lost: 11, and more of numbers below all normal ones.
    let lost = 11 + (-1022 - top).max(0) as u32;
    if lost > 64 {
        return 0.0;
    }
    let kept = bits.checked_shr(lost).unwrap_or(0);
    let rest = bits << (64 - lost);
    let up = match rest.cmp(&(1 << 63)) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => lower || kept % 2 == 1,
        std::cmp::Ordering::Greater => true,
    };
    let kept = kept + u64::from(up);
    match top {
        // A carry makes the next exponent, or infinity, as the bits of floats are made.
        -1022.. => f64::from_bits((((top + 1023) as u64) << 52) + kept - (1 << 52)),
        _ => f64::from_bits(kept),
    }
}
