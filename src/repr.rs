//! How what an expression evaluates to is written: its kind, its `repr` as in Python, and the signatures of
//! functions. `eval` itself says nothing. Depends on the values of the language.

use crate::eval::meta::Body;
use crate::eval::{Application, Callable, Meta};
use crate::value::Value;

/// Characters after which a printed list or dict is cut.
const LONGEST_REPR: usize = 100_000;

impl Meta {
    /// What kind of thing it is, with an article, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Meta::Atom(value) => value.kind(),
            Meta::List(_) => "a list",
            Meta::Dict(_) => "a dict",
            Meta::SOp(_) => "an s-op",
            Meta::Selector(_) => "a selector",
            Meta::Scorer(_) => "a scorer",
            Meta::Function(_) => "a function",
            Meta::Application(_) => "the result of an application",
            Meta::Broken => "something broken",
        }
    }

    /// As Python's `repr` would show it, cut where it gets very long; s-ops, selectors and
    /// functions by their kind.
    pub fn repr(&self) -> String {
        let mut text = String::new();
        self.write_repr(&mut text);
        text
    }

    /// What is to be said of numbers that differ from others only by what is rounded away where they are
    /// shown.
    pub fn hidden_difference(&self, other: &Meta) -> Option<String> {
        let values = |meta: &Meta| {
            if let Meta::Application(application) = meta
                && let Application::Sequence { output, .. } = &**application
            {
                return Some(output.values.clone());
            }
            meta.as_tokens()
        };
        let difference = Value::hidden_difference(&values(self)?, &values(other)?)?;
        Some(format!(
            "they differ by {difference:.0e}: numbers are rounded to be shown"
        ))
    }

    fn write_repr(&self, text: &mut String) {
        if text.len() > LONGEST_REPR {
            if !text.ends_with('…') {
                text.push('…');
            }
            return;
        }
        match self {
            Meta::Atom(value) => text.push_str(&value.repr()),
            Meta::List(items) => {
                text.push('[');
                for (index, item) in items.iter().enumerate() {
                    text.push_str(if index == 0 { "" } else { ", " });
                    item.write_repr(text);
                }
                text.push(']');
            }
            Meta::Dict(dict) => {
                text.push('{');
                for (index, (key, value)) in dict.iter().enumerate() {
                    text.push_str(if index == 0 { "" } else { ", " });
                    text.push_str(&format!("{}: ", key.repr()));
                    value.write_repr(text);
                }
                text.push('}');
            }
            Meta::SOp(_) => text.push_str("s-op"),
            Meta::Selector(_) => text.push_str("selector"),
            Meta::Scorer(_) => text.push_str("scorer"),
            Meta::Function(callable) => text.push_str(&callable.signature()),
            Meta::Application(application) => match &**application {
                Application::Sequence { output, .. } => text.push_str(&output.to_string()),
                // What is cut anyway is not made.
                Application::Matrix { input, .. } | Application::Scores { input, .. } => {
                    let rows = input.len();
                    let shown = rows.min(LONGEST_REPR / (rows + 1) + 1);
                    Meta::list(application.rows(shown)).write_repr(text);
                }
            },
            Meta::Broken => text.push('?'),
        }
    }
}

impl Callable {
    /// `name(a, b)`
    pub fn signature(&self) -> String {
        self.called(&self.name)
    }

    /// How it is called under a name: `name(a, b)`.
    pub(crate) fn called(&self, name: &str) -> String {
        format!("{name}({})", self.listed_parameters(true))
    }

    /// How to call it under a name, without defaults that cannot be typed.
    pub(crate) fn usage(&self, name: &str) -> String {
        format!("{name}({})", self.listed_parameters(false))
    }

    /// It as a value that is handed over: its name, or `lambda a, b: …`.
    fn as_value(&self) -> String {
        match self.body {
            Body::Lambda { .. } => format!("lambda {}: …", self.listed_parameters(true)),
            Body::Builtin(_) | Body::Defined { .. } => self.name.to_string(),
        }
    }

    /// `a, b=1`, with or without the defaults that are functions.
    fn listed_parameters(&self, functions: bool) -> String {
        let rest = self.single().len();
        let listed = self
            .parameters
            .iter()
            .enumerate()
            .filter_map(|(at, (name, default))| {
                Some(match default {
                    None if at == rest => format!("*{name}"),
                    Some(Meta::Function(_)) if !functions => return None,
                    Some(Meta::Function(function)) => format!("{name}={}", function.as_value()),
                    Some(default) => format!("{name}={}", default.repr()),
                    None => name.to_string(),
                })
            });
        listed.collect::<Vec<String>>().join(", ")
    }
}
