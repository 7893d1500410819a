//! The arithmetic of atoms, which is Python's except that integers have 64 bits and overflow is
//! an error. One function an operation; `op` gives them their names.

use super::atom::Value;
use super::failure::Failure;
use super::op::Comparison;
use std::cmp::Ordering;

type Outcome = Result<Value, Failure>;

/// The longest string that `+` and `*` may build, in bytes.
const LONGEST_STRING: usize = 1 << 20;

/// Two numbers brought to the type in which they are combined.
enum Pair {
    Ints(i64, i64),
    Floats(f64, f64),
}

fn pair(symbol: &'static str, a: &Value, b: &Value) -> Result<Pair, Failure> {
    match (a.as_int(), b.as_int()) {
        (Some(a), Some(b)) => Ok(Pair::Ints(a, b)),
        _ => match (a.as_float(), b.as_float()) {
            (Some(a), Some(b)) => Ok(Pair::Floats(a, b)),
            _ => Err(unsupported(symbol, a, b)),
        },
    }
}

fn unsupported(symbol: &'static str, a: &Value, b: &Value) -> Failure {
    Failure::Types(symbol, Box::new([a.clone(), b.clone()]))
}

/// The result, or an overflow towards the sign that the exact result would have.
fn checked(symbol: &'static str, a: i64, b: i64, result: Option<i64>, positive: bool) -> Outcome {
    let beyond = if positive {
        Ordering::Greater
    } else {
        Ordering::Less
    };
    let operands = || Box::new([Value::Int(a), Value::Int(b)]);
    let overflow = || Failure::Overflow(symbol, operands(), beyond);
    result.map(Value::Int).ok_or_else(overflow)
}

pub fn add(a: &Value, b: &Value) -> Outcome {
    if let (Value::Str(a), Value::Str(b)) = (a, b) {
        if a.len() + b.len() > LONGEST_STRING {
            return Err(Failure::LongString(a.len() + b.len(), LONGEST_STRING));
        }
        return Ok(Value::str(&[&**a, &**b].concat()));
    }
    match pair("+", a, b)? {
        Pair::Ints(a, b) => checked("+", a, b, a.checked_add(b), a > 0),
        Pair::Floats(a, b) => Ok(Value::Float(a + b)),
    }
}

pub fn subtract(a: &Value, b: &Value) -> Outcome {
    match pair("-", a, b)? {
        Pair::Ints(a, b) => checked("-", a, b, a.checked_sub(b), a >= 0),
        Pair::Floats(a, b) => Ok(Value::Float(a - b)),
    }
}

pub fn multiply(a: &Value, b: &Value) -> Outcome {
    match (a, b) {
        (Value::Str(text), count) | (count, Value::Str(text)) => {
            let Some(count) = count.as_int() else {
                return Err(unsupported("*", a, b));
            };
            let count = usize::try_from(count.max(0)).unwrap_or(usize::MAX);
            let bytes = count.saturating_mul(text.len());
            if bytes > LONGEST_STRING {
                return Err(Failure::LongString(bytes, LONGEST_STRING));
            }
            let count = if text.is_empty() { 0 } else { count };
            Ok(Value::str(&text.repeat(count)))
        }
        _ => match pair("*", a, b)? {
            Pair::Ints(a, b) => checked("*", a, b, a.checked_mul(b), (a > 0) == (b > 0)),
            Pair::Floats(a, b) => Ok(Value::Float(a * b)),
        },
    }
}

/// Always a float, also for two ints.
pub fn divide(a: &Value, b: &Value) -> Outcome {
    let (numerator, denominator) = match pair("/", a, b)? {
        Pair::Ints(a, b) => (a as f64, b as f64),
        Pair::Floats(a, b) => (a, b),
    };
    if denominator == 0.0 {
        return Err(Failure::DivisionByZero(Box::new([a.clone(), b.clone()])));
    }
    Ok(Value::Float(numerator / denominator))
}

/// The remainder has the sign of the divisor.
pub fn remainder(a: &Value, b: &Value) -> Outcome {
    match pair("%", a, b)? {
        Pair::Ints(_, 0) | Pair::Floats(_, 0.0) => {
            Err(Failure::RemainderByZero(Box::new([a.clone(), b.clone()])))
        }
        Pair::Ints(a, b) => {
            let remainder = a.checked_rem(b).unwrap_or(0);
            let adjust = remainder != 0 && (remainder < 0) != (b < 0);
            Ok(Value::Int(if adjust { remainder + b } else { remainder }))
        }
        Pair::Floats(a, b) => {
            let remainder = a % b;
            if remainder == 0.0 {
                return Ok(Value::Float(0.0_f64.copysign(b)));
            }
            let adjust = (remainder < 0.0) != (b < 0.0);
            Ok(Value::Float(if adjust { remainder + b } else { remainder }))
        }
    }
}

/// An int for an int raised to a natural number, otherwise a float.
pub fn power(a: &Value, b: &Value) -> Outcome {
    match pair("^", a, b)? {
        Pair::Ints(a, b) if b >= 0 => {
            let result = match (a, u32::try_from(b)) {
                (0 | 1, _) => Some(if b == 0 { 1 } else { a }),
                (-1, _) => Some(if b % 2 == 0 { 1 } else { -1 }),
                (_, Ok(exponent)) => a.checked_pow(exponent),
                (_, Err(_)) => None,
            };
            checked("^", a, b, result, a > 0 || b % 2 == 0)
        }
        Pair::Ints(a, b) => float_power(a as f64, b as f64),
        Pair::Floats(a, b) => float_power(a, b),
    }
}

fn float_power(a: f64, b: f64) -> Outcome {
    let operands = || Box::new([Value::Float(a), Value::Float(b)]);
    if a == 0.0 && b < 0.0 {
        return Err(Failure::ZeroToNegative(operands()));
    }
    if a < 0.0 && a.is_finite() && b.is_finite() && b.fract() != 0.0 {
        return Err(Failure::NegativeToFraction(operands()));
    }
    let result = a.powf(b);
    if result.is_infinite() && a.is_finite() && b.is_finite() {
        return Err(Failure::LargePower(operands()));
    }
    Ok(Value::Float(result))
}

pub fn compare(comparison: Comparison, a: &Value, b: &Value) -> Result<bool, Failure> {
    let Some(order) = a.order(b) else {
        let unequal_types = a.is_number() != b.is_number();
        return match comparison {
            Comparison::Equal => Ok(false),
            Comparison::NotEqual => Ok(true),
            _ if unequal_types => Err(unsupported(comparison.symbol(), a, b)),
            // NaN is in no order.
            Comparison::Less
            | Comparison::LessEqual
            | Comparison::Greater
            | Comparison::GreaterEqual => Ok(false),
        };
    };
    Ok(comparison.holds_for(order))
}

pub fn negate(a: &Value) -> Outcome {
    match a {
        Value::Float(float) => Ok(Value::Float(-float)),
        Value::Int(_) | Value::Bool(_) => {
            let int = a.as_int().unwrap_or(0);
            let overflow =
                || Failure::Overflow("-", Box::new([Value::Int(int)]), Ordering::Greater);
            int.checked_neg().map(Value::Int).ok_or_else(overflow)
        }
        Value::Str(_) => Err(Failure::Types("-", Box::new([a.clone()]))),
    }
}

pub fn plus(a: &Value) -> Outcome {
    match a {
        Value::Float(_) | Value::Int(_) => Ok(a.clone()),
        Value::Bool(bool) => Ok(Value::Int(i64::from(*bool))),
        Value::Str(_) => Err(Failure::Types("+", Box::new([a.clone()]))),
    }
}

/// To the nearest int, halves to the even one.
pub fn round(a: &Value) -> Outcome {
    match a {
        Value::Int(_) | Value::Bool(_) => plus(a),
        Value::Float(float) => {
            let rounded = float.round_ties_even();
            if rounded.is_nan() {
                return Err(Failure::RoundedNan);
            }
            if !(-9.3e18..9.3e18).contains(&rounded) || rounded as i64 as f64 != rounded {
                let beyond = if rounded > 0.0 {
                    Ordering::Greater
                } else {
                    Ordering::Less
                };
                return Err(Failure::Overflow("round", Box::new([a.clone()]), beyond));
            }
            Ok(Value::Int(rounded as i64))
        }
        Value::Str(_) => Err(Failure::Types("round", Box::new([a.clone()]))),
    }
}

pub fn to_int(a: &Value) -> Outcome {
    match a {
        Value::Int(_) | Value::Bool(_) => plus(a),
        Value::Float(float) => {
            round(&Value::Float(float.trunc())).map_err(|_| Failure::LargeInt(a.clone()))
        }
        Value::Str(text) => digits(text)
            .and_then(|digits| digits.parse().ok())
            .map(Value::Int)
            .ok_or_else(|| Failure::NotInt(a.clone())),
    }
}

pub fn to_float(a: &Value) -> Outcome {
    match a.as_float() {
        Some(float) => Ok(Value::Float(float)),
        None => digits(&a.to_string())
            .and_then(|digits| digits.parse().ok())
            .map(Value::Float)
            .ok_or_else(|| Failure::NotFloat(a.clone())),
    }
}

/// A number without surrounding blanks and without the single underscores that Python allows
/// between digits.
fn digits(text: &str) -> Option<String> {
    let text = text.trim();
    let bytes = text.as_bytes();
    for (index, byte) in bytes.iter().enumerate() {
        let digit_at = |index: Option<usize>| {
            index
                .and_then(|index| bytes.get(index))
                .is_some_and(u8::is_ascii_digit)
        };
        if *byte == b'_' && !(digit_at(index.checked_sub(1)) && digit_at(Some(index + 1))) {
            return None;
        }
    }
    Some(text.replace('_', ""))
}
