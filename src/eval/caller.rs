//! Errors inside a called function that its arguments cause, which only the caller can mend: the
//! call with an argument that fits.

use super::expression::Context;
use super::fitting::unquoted;
use super::meta::{Body, Meta};
use super::operator::Side;
use super::{Evaluator, Stop, is_library};
use crate::base::{Code, Label, Span};
use crate::syntax::ast::Argument;
use crate::value::{TypeSet, Value};

impl Evaluator {
    /// The arguments of a call, with their places in it and with where they were made.
    pub(crate) fn given(
        &self,
        cx: &Context,
        arguments: &[Argument],
        bound: &[Side],
    ) -> (Vec<Side>, Vec<Side>) {
        let sides = arguments.iter().filter_map(|argument| {
            let made = self.made(cx, argument.value);
            let (meta, _) = bound.iter().find(|(_, at)| *at == made)?;
            let at = cx.ast.get(argument.value).span;
            Some(((meta.clone(), at), (meta.clone(), made)))
        });
        sides.unzip()
    }

    /// Calculating with an argument inside a function: the call with one that fits. The arguments
    /// are given as they stand in the call, and with where they were made.
    pub(crate) fn with_fitting_argument(
        &self,
        stop: Stop,
        arguments: &[Side],
        bound: &[Side],
        span: Span,
    ) -> Stop {
        let Stop::Error(mut error) = stop else {
            return stop;
        };
        if error.code != Code::OperandTypes {
            return error.into();
        }
        // Nobody can type in the library.
        let inside = error.span().is_some_and(|at| is_library(&self.sources, at));
        if inside && !is_library(&self.sources, span) {
            error.help = None;
        }
        if error.help.is_some() {
            return error.into();
        }
        // Other arguments may well be of other types.
        let used = arguments.iter().zip(bound).filter(|((_, at), (_, made))| {
            // What a function was given is mended where it is called.
            (self.calls == 0 || made == at) && error.labels.iter().any(|label| label.span == *made)
        });
        let help = used.clone().find_map(|((meta, at), _)| {
            let (what, fitting) = match meta {
                Meta::SOp(id) if self.is_tokens(*id) => {
                    ("for the tokens as numbers", "tokens_int".to_string())
                }
                Meta::Atom(_) if error.message.contains("takes a list") => {
                    ("with a list", format!("[{}]", self.written(*at)?))
                }
                Meta::Atom(value) => ("for a number", unquoted(value)?),
                _ => return None,
            };
            let fixed = self.rewritten(span, *at, |_| fitting)?;
            Some(format!("{what}: `{fixed}`"))
        });
        let help = help.or_else(|| {
            used.clone().find_map(|((meta, at), _)| {
                let number = meta.as_atom().filter(|value| value.is_number())?;
                let text = Value::str(&number.to_string()).source();
                let fixed = self.rewritten(span, *at, |_| text)?;
                Some(format!("with strings only: `{fixed}`"))
            })
        });
        let string = |label: &Label| label.text == "this is a string";
        let help = help.or_else(|| {
            let numbers = |meta: &Meta| TypeSet::NUMBER.contains(self.types(meta));
            let sop = |meta: &Meta| matches!(meta, Meta::SOp(_)) && numbers(meta);
            let ((_, at), _) = used.clone().find(|((meta, _), _)| sop(meta))?;
            error.labels.iter().find(|label| string(label))?;
            let fixed = self.rewritten(span, *at, |_| "tokens".to_string())?;
            Some(format!("with strings only: `{fixed}`"))
        });
        error.maybe_help(help).into()
    }

    /// A selector and something else mixed up inside a library function, which nobody can mend: the
    /// argument that does not fit, and the call with one that does.
    pub(crate) fn of_library(
        &self,
        cx: &Context,
        stop: Stop,
        (arguments, bound): (&[Argument], &[Side]),
        span: Span,
    ) -> Stop {
        let Stop::Error(mut error) = stop else {
            return stop;
        };
        let inside = error.span().is_some_and(|at| is_library(&self.sources, at));
        let by_position = arguments.iter().all(|argument| argument.name.is_none());
        if !inside || !by_position || is_library(&self.sources, span) {
            return error.into();
        }
        let mixed_up = arguments
            .iter()
            .zip(bound)
            .find_map(|(argument, (meta, _))| {
                let at = cx.ast.get(argument.value).span;
                let written = self.written(at)?;
                let (what, other) = match (error.code, meta) {
                    (Code::SelectorExpected, Meta::SOp(id)) => {
                        match self.graph.types(*id) == TypeSet::BOOL {
                            true => ("to select the keys where it is true", "True"),
                            false => ("to select the keys with an equal value", written.as_str()),
                        }
                    }
                    (Code::SelectorExpected, Meta::Scorer(_)) => {
                        ("to select the key with the highest score", "best")
                    }
                    (Code::SelectorMisused, Meta::Selector(_)) => {
                        ("for how many keys are selected", "")
                    }
                    _ => return None,
                };
                let fitting = match other {
                    "" => format!("selector_width({written})"),
                    "best" => format!("select_best(full_s, {written})"),
                    other => format!("select({written}, {other}, ==)"),
                };
                let fixed = self.rewritten(span, at, |_| fitting)?;
                Some((at, self.describe(meta), format!("{what}: `{fixed}`")))
            });
        if let Some((at, kind, help)) = mixed_up {
            let text = format!("this is {kind}");
            error.labels.insert(0, Label { span: at, text });
            error.help = Some(help);
        }
        error.into()
    }

    /// An error of a call of `select` or `aggregate`, where the program has set that name.
    pub(crate) fn still_builtin(&self, cx: &Context, stop: Stop, name: &str) -> Stop {
        let meant = self.scopes.lookup(cx.scope, name);
        let builtin = |meta: &Meta| match meta {
            Meta::Function(callable) => matches!(callable.body, Body::Builtin(_)),
            _ => false,
        };
        match stop {
            Stop::Error(error)
                if error.code == Code::WrongArguments && !meant.is_some_and(builtin) =>
            {
                error
                    .note(format!(
                        "a call of `{name}` always means the built-in function"
                    ))
                    .help(format!("give the other one another name, like `my_{name}`"))
                    .into()
            }
            stop => stop,
        }
    }
}
