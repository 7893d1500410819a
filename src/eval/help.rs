//! Help that can be typed for what stands where something else is needed: the same with what was
//! probably meant. What a name means is said here too.

use super::expression::Context;
use super::meta::Meta;
use super::operator::Side;
use super::quoted::{first_element, operand};
use super::{Evaluator, Stop};
use crate::base::Span;
use crate::graph::{SOp, SOpId};
use crate::syntax::ast::Argument;
use crate::value::{Op, TypeSet, Value};

/// Atoms of a string or dict that are written out as a list.
const MOST_ITEMS: usize = 8;

impl Evaluator {
    /// What kind of thing it is, s-ops with the type of their values.
    pub(crate) fn describe(&self, meta: &Meta) -> String {
        match meta {
            Meta::SOp(id) => describe_types(self.graph.types(*id)).to_string(),
            other => other.kind().to_string(),
        }
    }

    /// Whether an s-op is the tokens as strings.
    pub(crate) fn is_tokens(&self, id: SOpId) -> bool {
        match self.graph.get(id) {
            SOp::Tokens => true,
            SOp::Map {
                op: Op::ToStr,
                operands,
            } => matches!(self.graph.get(operands[0]), SOp::Tokens),
            _ => false,
        }
    }

    /// How to make an s-op of something that is none, inside `whole`.
    pub(crate) fn as_sop(&self, meta: &Meta, at: Span, whole: Span) -> Option<String> {
        match meta {
            Meta::List(items) if items.len() == 1 && items[0].as_atom().is_some() => {
                let item = items[0].repr();
                let fixed = self.rewritten(whole, at, |_| item)?;
                Some(format!("for the element itself: `{fixed}`"))
            }
            Meta::List(items) if items.iter().any(|item| item.as_atom().is_none()) => {
                let fixed = self.rewritten(whole, at, first_element)?;
                Some(format!("for the first of them: `{fixed}`"))
            }
            Meta::List(items) if !items.is_empty() => {
                let lookup = |list: &str| format!("{}[indices % {}]", operand(list), items.len());
                let fixed = self.rewritten(whole, at, lookup)?;
                Some(format!(
                    "to give each position an element of the list: `{fixed}`"
                ))
            }
            Meta::Selector(_) => {
                let fixed = self.rewritten(whole, at, |sel| format!("selector_width({sel})"))?;
                Some(format!("for how many keys are selected: `{fixed}`"))
            }
            Meta::Function(callable) => {
                let arguments = vec!["indices"; callable.parameters.len()].join(", ");
                let call = |function: &str| format!("{}({arguments})", operand(function));
                let fixed = self.rewritten(whole, at, call)?;
                Some(format!("a function is used by calling it: `{fixed}`"))
            }
            _ => None,
        }
    }

    /// Several parts of `whole` that have to be s-ops: the same with each made one.
    pub(crate) fn both_sops(&self, stop: Stop, sides: &[Side], whole: Span) -> Stop {
        let Stop::Error(error) = stop else {
            return stop;
        };
        let widths = sides.iter().filter_map(|(meta, at)| match meta {
            Meta::Selector(_) => Some((*at, format!("selector_width({})", self.written(*at)?))),
            _ => None,
        });
        let widths: Vec<(Span, String)> = widths.collect();
        let wrong = |(meta, _): &&Side| !matches!(meta, Meta::SOp(_) | Meta::Atom(_));
        let help = match widths.len() > 1 {
            true => self
                .replaced(whole, &widths)
                .map(|fixed| format!("for how many keys are selected: `{fixed}`")),
            false => sides
                .iter()
                .find(wrong)
                .and_then(|(meta, at)| self.as_sop(meta, *at, whole)),
        };
        error.maybe_help(help).into()
    }

    /// `in` on something that is no list: the same with a list.
    pub(crate) fn as_list(&self, meta: &Meta, at: Span, whole: Span) -> Option<String> {
        if let Meta::Selector(_) = meta {
            let selector = self.written(at)?;
            return Some(format!(
                "for whether each position selects a key: `has_focus({selector})`"
            ));
        }
        let list = self.list_of(meta, at)?;
        let fixed = self.rewritten(whole, at, |_| list)?;
        Some(format!("write a list: `{fixed}`"))
    }

    /// The list that something else was probably meant to be.
    pub(crate) fn list_of(&self, meta: &Meta, at: Span) -> Option<String> {
        let atoms = match meta {
            Meta::SOp(_) => return Some(format!("[{}]", self.written(at)?)),
            Meta::Atom(Value::Str(text)) => Value::characters(text),
            Meta::Atom(number) => vec![number.clone()],
            Meta::Dict(dict) => dict.iter().map(|(key, _)| key.clone()).collect(),
            _ => return None,
        };
        if atoms.is_empty() || atoms.len() > MOST_ITEMS {
            return None;
        }
        let items: Vec<String> = atoms.iter().map(Value::source).collect();
        Some(format!("[{}]", items.join(", ")))
    }

    /// What a call of something that is no function was meant to be.
    pub(crate) fn called_container(
        &self,
        cx: &Context,
        meta: &Meta,
        (object, arguments): (Span, &[Argument]),
    ) -> Option<String> {
        let [argument] = arguments else {
            return None;
        };
        let object = self.written(object)?;
        let index = self.written(cx.ast.get(argument.value).span)?;
        match meta {
            Meta::List(items)
                if matches!(
                    items.first(),
                    Some(Meta::SOp(_) | Meta::Selector(_) | Meta::Function(_))
                ) && index.parse::<i64>().is_err() =>
            {
                Some(format!("for the first of them: `{object}[0]({index})`"))
            }
            Meta::List(_) | Meta::Dict(_) => Some(format!("for an element: `{object}[{index}]`")),
            Meta::Atom(value) if value.is_number() => {
                Some(format!("to multiply: `{object} * {index}`"))
            }
            Meta::Atom(_) => Some(format!("for a character: `{object}[0]`")),
            _ => None,
        }
    }

    /// What applying an s-op to something that is no input was meant to be.
    pub(crate) fn no_input(
        &self,
        stop: Stop,
        (applied, input): (&Meta, &Meta),
        (sop, at): (Span, Span),
    ) -> Stop {
        let Stop::Error(error) = stop else {
            return stop;
        };
        let texts = self.written(sop).zip(self.written(at));
        let help = texts.map(|(sop, given)| match input {
            Meta::Atom(Value::Int(_)) if matches!(applied, Meta::SOp(_)) => format!(
                "for the value at position {given}: `{sop}[{given}]`; for this single token: \
                 `{sop}([{given}])`"
            ),
            Meta::Atom(_) => format!("for this single token: `{sop}([{given}])`"),
            Meta::SOp(_) if matches!(applied, Meta::Selector(_)) => {
                format!("to read values through a selector: `aggregate({sop}, {given})`")
            }
            Meta::SOp(_) => format!("an s-op is not a function of others: write `{sop}` alone"),
            _ => format!("write an input: `{sop}(\"hello\")`"),
        });
        error.maybe_help(help).into()
    }

    /// What indexing something that has no elements was meant to be.
    pub(crate) fn indexed(&self, meta: &Meta, (span, index): (Span, Span)) -> Option<String> {
        let text = self.written(span)?;
        let object = text.split('[').next()?.trim_end();
        let index = self.written(index)?;
        match meta {
            Meta::Selector(_) => Some(format!(
                "for whether each position selects position {index}: \
                 `aggregate({object}, indicator(indices == {index})) > 0`"
            )),
            Meta::Function(_) => Some(format!("call it: `{object}({index})`")),
            _ => None,
        }
    }

    /// A float as an index, as an int.
    pub(crate) fn int_index(&self, index: &Meta, (span, at): (Span, Span)) -> Option<String> {
        match index {
            Meta::Atom(Value::Float(_)) => {
                let fixed = self.rewritten(span, at, |text| format!("round({text})"))?;
                Some(format!("the nearest int: `{fixed}`"))
            }
            Meta::List(items) if items.len() == 1 && items[0].as_atom().is_some() => {
                let fixed = self.rewritten(span, at, |_| items[0].repr())?;
                Some(format!("write `{fixed}`"))
            }
            _ => None,
        }
    }

    /// `x[position]` with a position that differs from place to place.
    pub(crate) fn computed_position(
        &self,
        (indexed, index): (SOpId, &Meta),
        (span, at): (Span, Span),
    ) -> Option<String> {
        let position = self.written(at)?;
        let before = Span {
            end: at.start,
            ..span
        };
        let object = self.written(before)?;
        let object = object.trim_end().strip_suffix('[')?.trim_end();
        match index {
            Meta::SOp(_) => {
                let default = match self.graph.types(indexed) == TypeSet::STR {
                    true => ", \"\"",
                    false => "",
                };
                Some(format!(
                    "to fetch from a computed position: \
                     `aggregate(select(indices, {position}, ==), {object}{default})`"
                ))
            }
            Meta::Atom(Value::Str(_)) => {
                Some(format!("to ask where it is: `{object} == {position}`"))
            }
            _ => self.int_index(index, (span, at)),
        }
    }

    /// The values at the first positions of an s-op, for several names.
    pub(crate) fn first_positions(&self, meta: &Meta, count: usize, at: Span) -> Option<String> {
        let Meta::SOp(_) = meta else {
            return None;
        };
        let text = self.written(at)?;
        let parts: Vec<String> = (0..count.min(4)).map(|k| format!("{text}[{k}]")).collect();
        Some(format!(
            "for the values at the first positions: `{}`",
            parts.join(", ")
        ))
    }
}

/// `an s-op of strings`, as far as the types are known.
pub(crate) fn describe_types(types: TypeSet) -> &'static str {
    let names = [
        (TypeSet::INT, "an s-op of ints"),
        (TypeSet::FLOAT, "an s-op of floats"),
        (TypeSet::BOOL, "an s-op of bools"),
        (TypeSet::STR, "an s-op of strings"),
    ];
    match names.iter().find(|(single, _)| *single == types) {
        Some((_, name)) => name,
        None if !types.is_empty() && TypeSet::NUMBER.contains(types) => "an s-op of numbers",
        None => "an s-op",
    }
}
