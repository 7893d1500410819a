//! Values as JSON, written piece by piece: no tree of them is made, which would be many times as
//! large. Depends on `value` and `eval`.

use crate::eval::{Application, Meta};
use crate::value::Value;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

/// The result of an expression on an input, as tools are told it.
#[derive(Serialize)]
pub struct Told<'a, Input: Serialize, Output: Serialize> {
    pub expr: &'a str,
    pub input: &'a Input,
    pub output: &'a Output,
    #[serde(rename = "type")]
    pub kind: &'static str,
}

/// One atom; a number that JSON has no form for (an infinity, NaN) is a string.
pub struct Atom<'a>(pub &'a Value);

impl Serialize for Atom<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Int(int) => serializer.serialize_i64(*int),
            Value::Float(float) if float.is_finite() => serializer.serialize_f64(*float),
            Value::Float(_) => serializer.collect_str(self.0),
            Value::Bool(bool) => serializer.serialize_bool(*bool),
            Value::Str(text) => serializer.serialize_str(text),
        }
    }
}

/// The values of a sequence.
pub struct Values<'a>(pub &'a [Value]);

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Atom))
    }
}

/// What is given on an input: the values of an s-op; of a selector or scorer a row for each query.
pub struct Given<'a>(pub &'a Application);

impl Serialize for Given<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Application::Sequence { output, .. } => Values(&output.values).serialize(serializer),
            Application::Matrix { rows, .. } => rows.serialize(serializer),
            Application::Scores { rows, .. } => {
                serializer.collect_seq(rows.iter().map(|row| Values(row)))
            }
        }
    }
}

/// Anything that exists before an input does: lists as lists, what is no value by its text.
pub struct Written<'a>(pub &'a Meta);

impl Serialize for Written<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "others are as written")]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Meta::Atom(value) => Atom(value).serialize(serializer),
            Meta::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items.iter() {
                    list.serialize_element(&Written(item))?;
                }
                list.end()
            }
            Meta::Application(result) => Given(result).serialize(serializer),
            other => serializer.serialize_str(&other.repr()),
        }
    }
}
