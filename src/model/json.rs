//! Values as JSON and back, without loss: ints and floats stay apart (`1` and `1.0`), and a float
//! that JSON has no number for becomes `{"bits": "7ff0000000000000"}`.

use crate::value::Value;
use serde_json::{Value as Json, json};

/// A value as model files hold it.
pub fn value_to_json(value: &Value) -> Json {
    match value {
        Value::Int(int) => json!(int),
        Value::Float(float) if float.is_finite() => json!(float),
        Value::Float(float) => json!({ "bits": format!("{:016x}", float.to_bits()) }),
        Value::Bool(bool) => json!(bool),
        Value::Str(text) => json!(&**text),
    }
}

/// The value that [`value_to_json`] made this of, if any.
pub fn value_from_json(json: &Json) -> Option<Value> {
    match json {
        Json::Bool(bool) => Some(Value::Bool(*bool)),
        Json::String(text) => Some(Value::str(text)),
        Json::Number(number) if number.is_f64() => number.as_f64().map(Value::Float),
        Json::Number(number) => number.as_i64().map(Value::Int),
        Json::Object(object) if object.len() == 1 => {
            let bits = object.get("bits")?.as_str()?;
            let float = f64::from_bits(u64::from_str_radix(bits, 16).ok()?);
            (!float.is_finite()).then_some(Value::Float(float))
        }
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}

/// Lists of values as serde stores them.
pub(super) mod values {
    use super::{Json, Value, value_from_json, value_to_json};
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    pub fn serialize<S: Serializer>(values: &[Value], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(value_to_json))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Value>, D::Error> {
        let value = |json| {
            let unread = || D::Error::custom(format!("{json} is not a value"));
            value_from_json(&json).ok_or_else(unread)
        };
        let stored = Vec::<Json>::deserialize(from)?;
        stored.into_iter().map(value).collect()
    }
}
