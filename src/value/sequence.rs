//! Sequences of atoms: their type, which must be one of four families, and their printed form,
//! which is the reference's.

use super::atom::{Value, float_repr, quote};

/// The type of a whole sequence, found from its values at every evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequenceType {
    /// Ints, perhaps with bools among them.
    Ints,
    /// Numbers with at least one float; each keeps its own type.
    Floats,
    /// Strings only.
    Strings,
    /// Bools only.
    Bools,
}

impl SequenceType {
    /// What it is called where values are shown.
    pub fn name(self) -> &'static str {
        match self {
            SequenceType::Ints => "ints",
            SequenceType::Floats => "floats",
            SequenceType::Strings => "strings",
            SequenceType::Bools => "bools",
        }
    }

    /// Whether values are ints or floats.
    pub fn is_number(self) -> bool {
        matches!(self, SequenceType::Ints | SequenceType::Floats)
    }
}

/// The text whose characters some tokens are, if each of them is one.
pub fn as_text(tokens: &[Value]) -> Option<String> {
    let character = |token: &Value| match token {
        Value::Str(text) => {
            let mut characters = text.chars();
            characters.next().filter(|_| characters.next().is_none())
        }
        Value::Int(_) | Value::Float(_) | Value::Bool(_) => None,
    };
    tokens.iter().map(character).collect()
}

/// An input as RASP source: a string, or else a list.
pub fn input_source(tokens: &[Value]) -> String {
    as_text(tokens).map_or_else(|| list_source(tokens), |text| quote(&text))
}

/// An expression applied to an input in source text, in parentheses where it has operators outside of any.
pub fn applied(expression: &str, input: &str) -> String {
    let expression = expression.trim_end_matches([' ', ';']);
    let (mut depth, mut quote) = (0, None);
    let is_bare = expression.chars().all(|character| {
        match (quote, character) {
            (Some(open), _) => {
                quote = (open != character).then_some(open);
                return true;
            }
            (None, '"' | '\'') => quote = Some(character),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, _) => {}
        }
        depth > 0 || !" +-*/^%<>=!".contains(character)
    });
    match is_bare {
        true => format!("{expression}({input})"),
        false => format!("({expression})({input})"),
    }
}

/// Tokens as a list in RASP source.
pub fn list_source(tokens: &[Value]) -> String {
    let tokens: Vec<String> = tokens.iter().map(Value::source).collect();
    format!("[{}]", tokens.join(", "))
}

/// The first two positions whose values cannot stand in one sequence: a number and a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequenceError {
    /// A position.
    pub first: usize,
    /// One whose value has another type.
    pub second: usize,
}

/// The type of a sequence.
///
/// # Errors
/// Numbers and strings in one sequence.
pub fn sequence_type(values: &[Value]) -> Result<SequenceType, SequenceError> {
    sequence_type_at(values, 0..values.len())
}

/// The type of the values at some positions.
///
/// # Errors
/// As [`sequence_type`].
pub fn sequence_type_at(
    values: &[Value],
    positions: impl IntoIterator<Item = usize>,
) -> Result<SequenceType, SequenceError> {
    let (mut text, mut number) = (None, None);
    let (mut floats, mut bools, mut count) = (0usize, 0usize, 0usize);
    for position in positions {
        count += 1;
        match values[position] {
            Value::Str(_) => text = text.or(Some(position)),
            Value::Float(_) => floats += 1,
            Value::Bool(_) => bools += 1,
            Value::Int(_) => {}
        }
        if values[position].is_number() {
            number = number.or(Some(position));
        }
    }
    match (text, number) {
        (Some(a), Some(b)) => Err(SequenceError {
            first: a.min(b),
            second: a.max(b),
        }),
        (Some(_), None) => Ok(SequenceType::Strings),
        _ if floats > 0 => Ok(SequenceType::Floats),
        _ if bools == count && count > 0 => Ok(SequenceType::Bools),
        _ => Ok(SequenceType::Ints),
    }
}

/// One value as it stands in a printed sequence: floats to three digits, `T` and `F`.
pub fn display_value(value: &Value) -> String {
    match value {
        Value::Bool(true) => "T".to_string(),
        Value::Bool(false) => "F".to_string(),
        Value::Float(float) if float.is_finite() => format!("{float:.3}")
            .parse()
            .map_or_else(|_| value.to_string(), float_repr),
        Value::Float(_) | Value::Int(_) | Value::Str(_) => value.cell(),
    }
}

/// The printed form, like `[0, 0.5, 1.0]` or `[T]*5`, without the type.
pub fn display_values(values: &[Value]) -> String {
    if let [first, rest @ ..] = values
        && !rest.is_empty()
        && rest.iter().all(|value| value.equals(first))
    {
        return format!("[{}]*{}", display_value(first), values.len());
    }
    let shown: Vec<String> = values.iter().map(display_value).collect();
    format!("[{}]", shown.join(", "))
}

/// The printed form with the type: `[0, 1, 2] (ints)`.
pub fn display_sequence(values: &[Value], sequence_type: SequenceType) -> String {
    format!("{} ({})", display_values(values), sequence_type.name())
}

/// The same of any values; there is no type where some are numbers and some are strings.
pub fn display(values: &[Value]) -> String {
    match sequence_type(values) {
        Ok(sequence_type) => display_sequence(values, sequence_type),
        Err(_) => display_values(values),
    }
}
