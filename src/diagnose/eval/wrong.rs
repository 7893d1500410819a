//! Wrong arguments and operands in words, and the small words that causes share.

use super::scene::{Scene, Side};
use crate::base::suggest::nearest;
use crate::base::{Code, Diagnostic, Span};
use crate::builtin::{Kind, RESERVED_LIBRARY, find};
use crate::eval::Meta;
use crate::eval::fault::Argument;
use crate::eval::meta::Callable;
use crate::value::{Op, TypeSet, Value};

impl Scene<'_> {
    /// How an element is called that has no place of its own.
    pub(super) fn named_element(&self, element: bool, at: Span) -> &'static str {
        match element && self.part(at).is_some() {
            true => "an element of this",
            false => "this",
        }
    }

    /// Wrong arguments of a function that takes some number of them, under these names.
    pub(super) fn arguments_of<'n>(
        &self,
        called: &str,
        takes: &str,
        names: impl Iterator<Item = &'n str>,
        wrong: &Argument,
    ) -> Diagnostic {
        let (message, at, label) = match wrong {
            Argument::Count { given, at } => (
                format!("`{called}` takes {takes}, not {given}"),
                *at,
                match *at == self.whole {
                    true => "called here".to_string(),
                    false => "there is no parameter for this".to_string(),
                },
            ),
            Argument::Unknown(ident) => (
                format!("`{called}` has no parameter `{}`", ident.name),
                ident.span,
                match nearest(&ident.name, names) {
                    Some(nearest) => format!("did you mean `{nearest}`?"),
                    None => "no such parameter".to_string(),
                },
            ),
            Argument::Twice { parameter, at } => (
                format!("`{parameter}` is given twice"),
                *at,
                "given again here".to_string(),
            ),
            Argument::Missing(name) => (
                format!("`{called}` takes {takes}; `{name}` is missing"),
                self.whole,
                format!("no argument for `{name}`"),
            ),
        };
        Diagnostic::error(Code::WrongArguments, message).at(at, label)
    }

    /// An operator or function on operands that it does not work on.
    pub(super) fn operands(&self, op: &Op, sides: &[Side]) -> Diagnostic {
        let kind = |(meta, _): &Side| match meta {
            Meta::Scorer(_) => of_scorer(self.types(meta)).to_string(),
            other => self.describe(other),
        };
        let kinds: Vec<String> = sides.iter().map(kind).collect();
        let message = format!("`{}` does not work on {}", op.symbol(), kinds.join(" and "));
        let mut error = Diagnostic::error(Code::OperandTypes, message);
        for ((_, at), kind) in sides.iter().zip(&kinds) {
            if *at != self.whole {
                error = error.at(*at, format!("this is {kind}"));
            }
        }
        let only = |fits: fn(&Meta) -> bool| sides.iter().all(|(meta, _)| fits(meta));
        let sops = only(|meta| matches!(meta, Meta::SOp(_)));
        error = error.or_at(
            self.whole,
            if sops {
                "this fails on every input"
            } else {
                "computed here"
            },
        );
        match sides {
            [(Meta::SOp(_), at)] if *at != self.whole => error.note("this fails on every input"),
            _ if sides
                .iter()
                .any(|(meta, _)| matches!(meta, Meta::Application(_))) =>
            {
                error.note("what an s-op gives on an input can be shown and compared, nothing else")
            }
            [_, _] if sides.iter().any(|(meta, _)| self.is_tokens(meta)) => {
                error.note("the tokens are strings, even where they are digits")
            }
            _ => error,
        }
    }
    /// An operator that does not work on selectors.
    pub(super) fn selector_operand(&self, op: &Op, sides: &[Side; 2]) -> Diagnostic {
        let message = format!("`{op}` does not work on selectors");
        let error = Diagnostic::error(Code::SelectorMisused, message);
        let error = self.shown_selectors(error, sides);
        match sides {
            [(Meta::Selector(_), selector), (Meta::Scorer(_), scorer)]
            | [(Meta::Scorer(_), scorer), (Meta::Selector(_), selector)] => {
                let texts = self.written(*selector).zip(self.written(*scorer));
                error.maybe_help(texts.and_then(|(selector, scorer)| {
                    let fixed = format!("select_best({selector}, {scorer})");
                    self.becomes("to select the best of these keys", fixed)
                }))
            }
            _ => error
                .note(
                    "selectors combine with `and`, `or` and `not` only; `aggregate` reads values \
                     through one",
                )
                .maybe_help(self.widths(sides)),
        }
    }

    pub(super) fn shown_selectors(&self, error: Diagnostic, sides: &[Side; 2]) -> Diagnostic {
        let selectors = sides.iter().filter(|(meta, _)| is_selector(meta));
        selectors.fold(error, |error, (_, at)| error.at(*at, "this is a selector"))
    }

    /// What `in` does not work on.
    pub(super) fn not_in(&self, [left, right]: &[Side; 2]) -> Diagnostic {
        let error = |message| Diagnostic::error(Code::BadMembership, message);
        let (needed, (meta, at)) = match (&left.0, &right.0) {
            (Meta::SOp(_) | Meta::Scorer(_), Meta::List(items)) => {
                let inside = items.iter().find(|item| item.as_atom().is_none());
                let held = inside.map_or("something else", Meta::kind);
                let error = error("the list right of `in` must hold atoms only".to_string());
                return error.at(right.1, format!("this list holds {held}"));
            }
            (Meta::SOp(_), _) => ("`s-op in …` needs a list of atoms", right),
            (Meta::Atom(_), _) => ("`atom in …` needs a list or an s-op", right),
            _ => ("left of `in` stands an s-op or an atom", left),
        };
        let kind = meta.kind();
        error(format!("{needed}, not {kind}")).at(*at, format!("this is {kind}"))
    }
}

/// What a part of a scorer is, as far as the types are known.
pub(super) fn of_scorer(types: TypeSet) -> &'static str {
    match types {
        TypeSet::INT => "an int",
        TypeSet::FLOAT => "a float",
        TypeSet::BOOL => "a bool",
        TypeSet::STR => "a string",
        _ => "a scorer",
    }
}

/// Shows where a function was defined, if the program did that.
pub(super) fn defined(error: Diagnostic, callable: &Callable) -> Diagnostic {
    match callable.definition() {
        Some(at) => error.at(at, "it is defined here"),
        None => error,
    }
}

pub(super) fn is_selector(meta: &Meta) -> bool {
    matches!(meta, Meta::Selector(_))
}

/// Which indices a list or string of this length has.
pub(super) fn indices_of(length: usize) -> String {
    match length {
        0 => "nothing is in it".to_string(),
        1 => "the only index is 0".to_string(),
        _ => {
            format!(
                "the indices go from 0 to {}, or from -1 back to -{length}",
                length - 1
            )
        }
    }
}

pub(super) fn known_keys(dict: &Meta) -> String {
    let Meta::Dict(dict) = dict else {
        return String::new();
    };
    let keys: Vec<String> = dict.iter().take(8).map(|(key, _)| key.source()).collect();
    match (keys.is_empty(), dict.len() > keys.len()) {
        (true, _) => "the dict is empty".to_string(),
        (false, true) => format!("its keys are {}, …", keys.join(", ")),
        (false, false) => format!("its keys are {}", keys.join(", ")),
    }
}

/// Why a name may not be redefined.
pub(super) fn role(name: &str) -> &'static str {
    match find(name).map(|row| row.kind) {
        Some(Kind::SOp) => "it is a base s-op",
        Some(Kind::Atom) => "it is a constant",
        Some(Kind::Function(_)) => "it is a built-in function",
        None if name == "out" => "`out` always is the last value",
        None if RESERVED_LIBRARY.contains(&name) => {
            "it is a name of the library, which other library functions use"
        }
        None => "the language keeps it for itself",
    }
}

/// How a value reads as a string.
pub(super) fn quoted(value: &Value) -> String {
    Value::str(&value.to_string()).source()
}
