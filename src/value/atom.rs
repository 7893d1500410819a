//! `Value`: one atom of a sequence, with the equality and order of the language (which are
//! Python's) and, separately, the strict identity that hash-consing needs.

use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// What the roundings of a few operations come to, as a share of the largest number in them.
pub const ROUNDING: f64 = 1e-12;

/// An atom: what one position of an s-op holds.
///
/// `==` and `Hash` are identity: `1`, `1.0` and `True` differ. The language's own equality, under
/// which those three are equal, is [`Value::equals`].
#[derive(Clone, Debug)]
pub enum Value {
    /// An integer.
    Int(i64),
    /// A number that need not be whole.
    Float(f64),
    /// A truth value, which counts as 0 or 1.
    Bool(bool),
    /// A string; of tokens, usually a character, which is held in place: threads that copy tokens have
    /// no count to share.
    Str(SmolStr),
}

impl Value {
    /// A string.
    pub fn str(text: &str) -> Value {
        Value::Str(text.into())
    }

    /// The tokens of an input given as text: its characters.
    pub fn characters(text: &str) -> Vec<Value> {
        text.chars()
            .map(|character| Value::str(character.encode_utf8(&mut [0; 4])))
            .collect()
    }

    /// The values without repetitions, each where it is first.
    pub fn distinct(values: &[Value]) -> Vec<Value> {
        let mut known = FxHashSet::default();
        let first = values.iter().filter(|value| known.insert(*value));
        first.cloned().collect()
    }

    /// What it is, with an article, as diagnostics say it.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Int(_) => "an int",
            Value::Float(_) => "a float",
            Value::Bool(_) => "a bool",
            Value::Str(_) => "a string",
        }
    }

    /// The name of the value's type, as diagnostics say it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Int(_) => "int",
            Value::Float(_) => "float",
            Value::Bool(_) => "bool",
            Value::Str(_) => "string",
        }
    }

    /// As Python's `repr` shows it: strings in single quotes unless they contain one.
    pub fn repr(&self) -> String {
        match self {
            Value::Str(text) if text.contains('\'') && !text.contains('"') => quote(text),
            Value::Str(text) => {
                let quoted = quote(text);
                let inner = quoted[1..quoted.len() - 1].replace("\\\"", "\"");
                format!("'{}'", inner.replace('\'', "\\'"))
            }
            Value::Int(_) | Value::Float(_) | Value::Bool(_) => self.to_string(),
        }
    }

    /// Whether it is an int, a float or a bool.
    pub fn is_number(&self) -> bool {
        !matches!(self, Value::Str(_))
    }

    /// Truth as in Python: zero and the empty string are false.
    pub fn truthy(&self) -> bool {
        match self {
            Value::Int(int) => *int != 0,
            Value::Float(float) => *float != 0.0,
            Value::Bool(bool) => *bool,
            Value::Str(text) => !text.is_empty(),
        }
    }

    /// An int, or a bool read as 0 or 1.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(int) => Some(*int),
            Value::Bool(bool) => Some(i64::from(*bool)),
            Value::Float(_) | Value::Str(_) => None,
        }
    }

    /// The nearest float of a number.
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Value::Int(int) => Some(*int as f64),
            Value::Float(float) => Some(*float),
            Value::Bool(bool) => Some(f64::from(u8::from(*bool))),
            Value::Str(_) => None,
        }
    }

    /// Equality of the language: numbers by value whatever their types, strings by characters, a
    /// number never equal to a string.
    pub fn equals(&self, other: &Value) -> bool {
        self.order(other) == Some(Ordering::Equal)
    }

    /// Whether it is the other but for rounding: an equal value, or numbers that differ by no more than
    /// floats lose. That is a share of the larger, or of 1 where numbers up to `largest` went into it, as
    /// what is left of 1 when fractions are taken from it is not 0. Whole numbers lose nothing.
    pub fn equals_but_for_rounding(&self, other: &Value, largest: f64) -> bool {
        if self.equals(other) {
            return true;
        }
        let (Some(a), Some(b)) = (self.as_float(), other.as_float()) else {
            return false;
        };
        let scale = a.abs().max(b.abs()).max(largest.min(1.0));
        let is_whole = a.fract() == 0.0 && b.fract() == 0.0;
        scale.is_finite() && !is_whole && (a - b).abs() <= ROUNDING * scale
    }

    /// How far numbers are at most from others that are the same but for rounding, if they differ at all.
    pub fn hidden_difference(these: &[Value], others: &[Value]) -> Option<f64> {
        let pairs = || these.iter().zip(others);
        let is_same = |(a, b): (&Value, &Value)| a.equals_but_for_rounding(b, 1.0);
        let apart = |(a, b): (&Value, &Value)| Some((a.as_float()? - b.as_float()?).abs());
        let most = pairs().filter_map(apart).fold(0.0, f64::max);
        let is_hidden = these.len() == others.len() && pairs().all(is_same) && most > 0.0;
        is_hidden.then_some(most)
    }

    /// How large the numbers among some values are at most.
    pub fn largest(values: &[Value]) -> f64 {
        let sizes = values.iter().filter_map(Value::as_float).map(f64::abs);
        sizes.fold(0.0, f64::max)
    }

    /// Order of the language: numbers by exact value, strings by code points. `None` between a
    /// number and a string, and where a NaN takes part.
    pub fn order(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Str(a), Value::Str(b)) => Some(a.cmp(b)),
            (Value::Str(_), _) | (_, Value::Str(_)) => None,
            (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
            (Value::Float(a), b) => compare_int_float(b.as_int()?, *a).map(Ordering::reverse),
            (a, Value::Float(b)) => compare_int_float(a.as_int()?, *b),
            (a, b) => Some(a.as_int()?.cmp(&b.as_int()?)),
        }
    }

    /// The value as source text: strings quoted and escaped.
    pub fn source(&self) -> String {
        match self {
            Value::Str(text) => quote(text),
            Value::Bool(bool) => if *bool { "True" } else { "False" }.to_string(),
            Value::Int(_) | Value::Float(_) => self.to_string(),
        }
    }

    /// The value as it stands in tables: as it is printed, but of control characters, which would
    /// move the cursor, the escapes.
    pub fn cell(&self) -> String {
        let mut text = String::new();
        for character in self.to_string().chars() {
            push_visibly(&mut text, character);
        }
        text
    }

    fn identity(&self) -> (u8, u64, &str) {
        match self {
            Value::Int(int) => (0, *int as u64, ""),
            Value::Float(float) => (1, float.to_bits(), ""),
            Value::Bool(bool) => (2, u64::from(*bool), ""),
            Value::Str(text) => (3, 0, text),
        }
    }

    /// Whether it is the float that equals nothing, not even itself.
    pub fn is_nan(&self) -> bool {
        matches!(self, Value::Float(float) if float.is_nan())
    }

    /// One representative of all values that the language holds equal; a NaN, which equals nothing,
    /// is its own.
    pub fn canonical(&self) -> Value {
        match self {
            Value::Bool(bool) => Value::Int(i64::from(*bool)),
            // Below 2⁶³ a float without a fraction is an int exactly.
            Value::Float(float) if float.fract() == 0.0 && float.abs() < 9.2e18 => {
                Value::Int(*float as i64)
            }
            Value::Int(_) | Value::Float(_) | Value::Str(_) => self.clone(),
        }
    }

    /// A total order for canonical forms: numbers before NaN before strings, within these by the
    /// language's order, equal numbers by type.
    pub fn canonical_order(&self, other: &Value) -> Ordering {
        let group = |value: &Value| (matches!(value, Value::Str(_)), value.is_nan());
        group(self)
            .cmp(&group(other))
            .then_with(|| self.order(other).unwrap_or(Ordering::Equal))
            .then_with(|| self.identity().cmp(&other.identity()))
    }
}

/// A string literal whose value is `text`.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            other => push_visibly(&mut quoted, other),
        }
    }
    quoted.push('"');
    quoted
}

/// Adds a character, of control characters the escape.
fn push_visibly(text: &mut String, character: char) {
    match character {
        '\n' => text.push_str("\\n"),
        '\t' => text.push_str("\\t"),
        control if control.is_control() => {
            text.push_str(&format!("\\u{{{:x}}}", u32::from(control)));
        }
        plain => text.push(plain),
    }
}

/// Exact comparison, without rounding the integer to a float.
fn compare_int_float(int: i64, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    // Every float at or beyond ±2⁶³ lies outside the range of i64.
    if float >= 9_223_372_036_854_775_808.0 {
        return Some(Ordering::Less);
    }
    if float < -9_223_372_036_854_775_808.0 {
        return Some(Ordering::Greater);
    }
    let whole = float.trunc();
    Some(int.cmp(&(whole as i64)).then_with(|| {
        0.0_f64
            .partial_cmp(&(float - whole))
            .expect("a difference of finite floats is not NaN")
    }))
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

impl From<i64> for Value {
    fn from(int: i64) -> Value {
        Value::Int(int)
    }
}

impl From<bool> for Value {
    fn from(bool: bool) -> Value {
        Value::Bool(bool)
    }
}

impl From<f64> for Value {
    fn from(float: f64) -> Value {
        Value::Float(float)
    }
}

/// As Python's `str`: strings raw, floats in the shortest form that reads back equal.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(int) => write!(f, "{int}"),
            Value::Float(float) => f.write_str(&float_repr(*float)),
            Value::Bool(true) => f.write_str("True"),
            Value::Bool(false) => f.write_str("False"),
            Value::Str(text) => f.write_str(text),
        }
    }
}

/// Python's `repr` of a float: shortest digits, exponent below 1e-4 and from 1e16.
pub fn float_repr(float: f64) -> String {
    if float.is_nan() {
        return "nan".to_string();
    }
    if float.is_infinite() {
        return if float > 0.0 { "inf" } else { "-inf" }.to_string();
    }
    let scientific = format!("{float:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let plain = format!("{float}");
        return if plain.contains('.') {
            plain
        } else {
            plain + ".0"
        };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}
