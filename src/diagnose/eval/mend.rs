//! What stands in the wrong place becomes what is needed there by one table, [`Scene::as_needed`],
//! wherever that is.

use super::quote::{elements, one_line, operand};
use super::scene::{Scene, Side};
use super::wrong::quoted;
use crate::base::{Span, Suggestion};
use crate::eval::Meta;
use crate::syntax::ast::ExprKind;
use crate::value::{TypeSet, Value};

/// Atoms of a string or dict that are written out as a list.
const MOST_ITEMS: usize = 8;

/// What is needed where something else stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Needed {
    SOp,
    Selector,
    List,
    Int,
}

/// Rows of what is needed and what stands there: why, and its new text.
macro_rules! needed {
    ($value:expr; $($pattern:pat $(if $guard:expr)? =>
        $(where $name:pat = $bound:expr;)* $why:literal, $fixed:literal;)*) => {
        match $value {
            $($pattern $(if $guard)? => {
                $(let $name = $bound;)*
                ($why.to_string(), format!($fixed))
            })*
            _ => return None,
        }
    };
}

impl Scene<'_> {
    /// What something of the wrong kind becomes: why, and its new text.
    pub(super) fn as_needed(
        &self,
        meta: &Meta,
        text: &str,
        needed: Needed,
    ) -> Option<(String, String)> {
        use Needed::{Int, List, SOp, Selector};
        let is_bool = self.types(meta) == TypeSet::BOOL;
        let all_atoms = |items: &[Meta]| items.iter().all(|item| item.as_atom().is_some());
        Some(needed! { (needed, meta);
            (SOp | Int, Meta::List(items)) if is_single(items) =>
                where element = items[0].repr();
                "for the element itself", "{element}";
            (Int, Meta::List(_)) => "for as many as the list has elements", "len({text})";
            (Int, Meta::Atom(Value::Float(_))) => "the nearest int", "round({text})";
            (Int, Meta::Atom(value)) => where number = unquoted(value)?; "write", "{number}";
            (SOp, Meta::List(items)) if !all_atoms(items) =>
                where first = elements(text).into_iter().next();
                where first = first.unwrap_or(format!("{}[0]", operand(text)));
                "for the first of them", "{first}";
            (SOp, Meta::List(items)) if !items.is_empty() =>
                where (list, length) = (operand(text), items.len());
                "to give each position an element of the list", "{list}[indices % {length}]";
            (SOp, Meta::Selector(_)) => "for how many keys are selected", "selector_width({text})";
            (SOp, Meta::Function(callable)) =>
                where arguments = vec!["indices"; callable.single().len()].join(", ");
                where function = operand(text);
                "a function is used by calling it", "{function}({arguments})";
            (Selector, Meta::Scorer(_)) =>
                "to select the key with the highest score", "select_best(full_s, {text})";
            (Selector, Meta::SOp(_)) if !is_bool =>
                "to select the keys with an equal value", "select({text}, {text}, ==)";
            (Selector, Meta::SOp(_) | Meta::Atom(_)) =>
                "to select the keys where it is true", "select({text}, True, ==)";
            (List, Meta::SOp(_)) => "write a list", "[{text}]";
            (List, Meta::Atom(_) | Meta::Dict(_)) =>
                where items = written_out(meta)?;
                "write a list", "[{items}]";
        })
    }

    /// The expression with what is needed in the place of something else; or, where that was handed
    /// over, the call.
    pub(super) fn need(&self, (meta, at): &Side, needed: Needed) -> Option<Suggestion> {
        let (at, whole) = match self.argument(*at).filter(|_| self.in_library()) {
            Some(found) => found,
            None => (*at, self.whole),
        };
        let (why, fixed) = self.as_needed(meta, &self.written(at)?, needed)?;
        self.mend_in(whole, &why, vec![(at, fixed)])
    }

    /// What stands beside a selector, as one.
    pub(super) fn as_selector(&self, other: &Side) -> Option<Suggestion> {
        let text = self.written(other.1)?;
        mends! { self, &other.0;
            // A condition beside a selector is meant as one, whatever its type.
            Meta::SOp(_) if !self.in_library() =>
                "to select the keys where it is true", "select({text}, True, ==)", at (other.1);
            _ => else self.need(other, Needed::Selector);
        }
    }

    /// Something else where `indicator` takes an s-op.
    pub(super) fn indicated(&self, (meta, at): &Side) -> Option<Suggestion> {
        let text = self.written(*at)?;
        mends! { self, meta;
            Meta::Atom(_) => "for an atom", "1 if {text} else 0";
            Meta::Selector(_) =>
                "for whether any key is selected", "has_focus({text})", at (*at);
        }
    }

    /// Lists cut to the shortest of them.
    pub(super) fn cut(&self, lengths: &[(usize, Span)]) -> Option<Suggestion> {
        let shortest = lengths.iter().map(|(length, _)| *length).min()?;
        let longer = lengths.iter().filter(|(length, _)| *length > shortest);
        let what = "for the elements that all have";
        self.mend_each(what, longer.map(|(_, at)| *at), |list| {
            format!("[{}[i] for i in range({shortest})]", operand(list))
        })
    }

    /// Something else that an s-op is made of; each of several that are wrong.
    pub(super) fn sop(&self, found: &Side) -> Option<Suggestion> {
        let selector = |at: &Span| *at == found.1 || self.static_selector(*at);
        match (self.kind(), &found.0) {
            // Of two branches the other may be one, too.
            (
                Some(ExprKind::Ternary {
                    then, otherwise, ..
                }),
                Meta::Selector(_),
            ) => {
                let branches = [*then, *otherwise].map(|id| self.span(id));
                self.width_of_each(self.whole, branches.into_iter().filter(selector))
            }
            _ => self
                .compared_by_function(found)
                .or_else(|| self.need(found, Needed::SOp)),
        }
    }

    pub(super) fn widths(&self, sides: &[Side]) -> Option<Suggestion> {
        let selectors = sides
            .iter()
            .filter(|(meta, _)| matches!(meta, Meta::Selector(_)));
        match selectors.clone().find_map(|(_, at)| self.argument(*at)) {
            Some((at, call)) if self.in_library() => self.width_of_each(call, [at].into_iter()),
            _ => self.width_of_each(self.whole, selectors.map(|(_, at)| *at)),
        }
    }

    fn width_of_each(
        &self,
        whole: Span,
        selectors: impl Iterator<Item = Span>,
    ) -> Option<Suggestion> {
        let width = |at: Span| Some((at, format!("selector_width({})", self.written(at)?)));
        let edits = selectors.map(width).collect::<Option<_>>()?;
        self.mend_in(whole, "for how many keys are selected", edits)
    }
}

/// The elements of a string or dict, or a number, as those of a list.
fn written_out(meta: &Meta) -> Option<String> {
    let atoms = match meta {
        Meta::Atom(value) if value.is_number() => vec![value.clone()],
        _ => meta.as_tokens()?,
    };
    let items: Vec<String> = atoms.iter().map(Value::source).collect();
    (1..=MOST_ITEMS)
        .contains(&items.len())
        .then(|| items.join(", "))
}

/// An element of a loop with as many values as those before it.
pub(super) fn same_count(item: &Meta, count: usize) -> Option<Suggestion> {
    let parts = match item {
        Meta::List(items) => items,
        single => std::slice::from_ref(single),
    };
    let sources = parts.iter().map(|part| part.as_atom().map(Value::source));
    let mut sources = sources.collect::<Option<Vec<String>>>()?;
    sources.resize(count, "0".to_string());
    let fixed = one_line(&format!("[{}]", sources.join(", ")))?;
    Some(format!("give every element {count} values: `{fixed}`").into())
}

pub(super) fn is_single(items: &[Meta]) -> bool {
    items.len() == 1 && items[0].as_atom().is_some()
}

/// The number that a string holds, as it is typed.
pub(super) fn unquoted(value: &Value) -> Option<String> {
    let Value::Str(text) = value else { return None };
    let digits = text
        .chars()
        .all(|part| part.is_ascii_digit() || "+-.".contains(part));
    let number = text.parse::<f64>().ok().filter(|_| digits);
    number.map(|_| text.trim_start_matches('+').to_string())
}

/// A literal of the other type than a value: for a string a number, for a number a string.
pub(super) fn of_other_type(value: &Value) -> String {
    match value {
        Value::Str(_) => "-1".to_string(),
        number => quoted(number),
    }
}
