//! Operations on operands that they do not work on: the same operation on what it works on, or, where
//! an operand was handed over to the function that is running, the call with another argument.

use super::meant::{Needed, quoted, unquoted};
use super::quote::operand;
use super::scene::{Scene, Side};
use crate::base::{Span, Suggestion};
use crate::eval::Meta;
use crate::syntax::ast::ExprKind;
use crate::value::{Op, TypeSet, Value};

impl Scene<'_> {
    /// An operation that works on these or almost these operands.
    pub(super) fn fitting(&self, op: &Op, sides: &[Side]) -> Option<Suggestion> {
        let help = self
            .of_kinds(op, sides)
            .or_else(|| self.of_types(op, sides))?;
        // What a function of keys and queries gives has a type of its own.
        let scorer = sides
            .iter()
            .any(|(meta, _)| matches!(meta, Meta::Scorer(_)));
        Some(if scorer { help.plain() } else { help })
    }

    /// What is neither an s-op nor an atom of the right type.
    fn of_kinds(&self, op: &Op, sides: &[Side]) -> Option<Suggestion> {
        let find = |wanted: fn(&Meta) -> bool| sides.iter().find(|(meta, _)| wanted(meta));
        if let Some((_, call)) = find(|meta| matches!(meta, Meta::Application(_))) {
            let of_one_type =
                |(meta, _): &Side| matches!(meta, Meta::Application(_)) || !self.is_string(meta);
            return self
                .applied(*call)
                .filter(|_| sides.iter().all(of_one_type));
        }
        let text = |at: &Span| self.say(*at);
        mends! { self, (op, sides);
            (Op::Negate, [(Meta::Selector(_), at)]) =>
                "the selector of all other keys", ("not {}", text(at));
            (_, [(Meta::SOp(_), _)]) => else None;
            (_, [(Meta::Atom(value @ Value::Str(_)), _)]) if unquoted(value).is_some() =>
                "for a number", ("{}", unquoted(value)?);
            (Op::Negate | Op::Plus, [(Meta::Atom(Value::Str(_)), at)]) =>
                "leave out the sign", ("{}", text(at));
            (_, [(Meta::Atom(Value::Str(_)), _)]) => say "write a number";
            (_, [side @ (Meta::Function(_), _)] | [side @ (Meta::Function(_), _), _]
                | [_, side @ (Meta::Function(_), _)]) => else self.need(side, Needed::SOp);
            (_, [list @ (Meta::List(_), _), (Meta::SOp(_), _)]
                | [(Meta::SOp(_), _), list @ (Meta::List(_), _)]) =>
                else self.need(list, Needed::SOp).map(Suggestion::plain);
            (Op::Add, [(Meta::List(_), _), (Meta::Atom(_), at)]
                | [(Meta::Atom(_), at), (Meta::List(_), _)]) => at it = *at;
                "to add one element to a list", "[{it}]";
            (_, [(Meta::List(_), at)] | [(Meta::List(_), at), (Meta::Atom(_), _)]
                | [(Meta::Atom(_), _), (Meta::List(_), at)]) =>
                "for each element", ("[{} for x in {}]", self.with(*at, "x".to_string()), text(at));
            (Op::Add, [(Meta::Dict(_), _), (Meta::Dict(_), _)]) =>
                say "write the entries in one dict: `{{\"a\": 1, \"b\": 2}}`";
            (_, [side]) => else self.need(side, Needed::SOp);
        }
    }

    /// An s-op or selector that is applied to an input too early.
    fn applied(&self, call: Span) -> Option<Suggestion> {
        let at = self.site.ast.ids().find(|id| self.span(*id) == call)?;
        let ExprKind::Call { function, .. } = self.kind_of(at) else {
            return None;
        };
        let function = self.span(*function);
        let (whole, start) = (self.with(call, self.say(function)), function.end);
        let fixed = format!("({whole}){}", self.say(Span { start, ..call }));
        self.put("apply the whole to the input", self.whole, fixed)
    }

    /// Numbers and strings mixed up, or strings in arithmetic: the same on one type.
    fn of_types(&self, op: &Op, sides: &[Side]) -> Option<Suggestion> {
        let joins = *op == Op::Add;
        let alike = joins || matches!(op, Op::Compare(_));
        let what = match joins {
            true => "to join strings",
            false => "compare with a string",
        };
        self.exchanged(sides)
            .or_else(|| self.as_numbers(sides))
            .or_else(|| self.as_text(what, sides).filter(|_| alike))
            .or_else(|| self.as_digits(sides).filter(|_| joins))
            .or_else(|| self.of_the_tokens(sides).filter(|_| alike))
            .or_else(|| mends! { self, sides;
                [(a, left), (b, right)] if self.is_string(a) && self.is_string(b) && !self.in_library() =>
                    where [left, right] = [left, right].map(|at| operand(&self.say(*at)));
                    "strings are joined with `+`", "{left} + {right}";
            })
    }

    /// A call of the library that hands over an s-op of strings for a number, and one number for something else:
    /// each in the other's place.
    fn exchanged(&self, sides: &[Side]) -> Option<Suggestion> {
        let is_sop = |(meta, _): &&Side| matches!(meta, Meta::SOp(_)) && self.is_string(meta);
        let (_, at) = sides.iter().find(is_sop)?;
        let (strings, whole) = self.argument(*at).filter(|_| self.in_library())?;
        let call = self.calls.iter().find(|call| call.whole == whole)?;
        let is_number = |(meta, at): &&Side| {
            let value = meta.as_atom();
            value.is_some_and(Value::is_number) && whole.contains(*at)
        };
        let mut numbers = call.arguments.iter().filter(is_number);
        let ((_, number), None) = (numbers.next()?, numbers.next()) else {
            return None;
        };
        let edits = [(strings, *number), (*number, strings)];
        let edits = edits.map(|(place, other)| ((place, whole), self.say(other)));
        self.mend_places("with the arguments in their order", edits.into())
    }

    /// Strings that hold numbers, and the tokens, as numbers.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others are no strings")]
    pub(super) fn as_numbers(&self, sides: &[Side]) -> Option<Suggestion> {
        let float = |(meta, _): &Side| self.types(meta) == TypeSet::FLOAT;
        let float = sides.iter().any(float);
        let name = if float { "tokens_float" } else { "tokens_int" };
        let strings = sides.iter().filter(|(meta, _)| self.is_string(meta));
        let edits = strings.map(|(meta, at)| {
            let fixed = match meta {
                Meta::Atom(value) => unquoted(value)?,
                meta if self.is_tokens(meta) => name.to_string(),
                _ => return None,
            };
            Some((self.origin(*at)?, fixed))
        });
        let edits = edits.collect::<Option<_>>()?;
        match sides.iter().any(|(meta, _)| self.is_tokens(meta)) {
            false => self.mend_places("for numbers", edits),
            // Other inputs have tokens that are no numbers.
            true => self
                .mend_places("for the tokens as numbers", edits)
                .map(Suggestion::plain),
        }
    }

    /// A number beside strings, as a string.
    pub(super) fn as_text(&self, what: &str, sides: &[Side]) -> Option<Suggestion> {
        let numbers = sides.iter().filter(|(meta, _)| !self.is_string(meta));
        let edits = numbers.map(|(meta, at)| {
            let number = meta.as_atom().filter(|value| value.is_number())?;
            Some((self.origin(*at)?, quoted(number)))
        });
        self.mend_places(what, edits.collect::<Option<_>>()?)
    }

    /// An s-op of numbers beside a string, as one of strings.
    fn as_digits(&self, sides: &[Side]) -> Option<Suggestion> {
        let numbers = || sides.iter().filter(|(meta, _)| !self.is_string(meta));
        let fits = |(meta, at): &Side| {
            matches!(meta, Meta::SOp(_)) && !self.say(*at).starts_with("tokens_")
        };
        let places = numbers().map(|(_, at)| *at);
        self.mend_each("to join what is printed", places, |it| format!("str({it})"))
            .filter(|_| numbers().all(fits))
    }

    /// A string beside an s-op of numbers: the tokens were meant.
    pub(super) fn of_the_tokens(&self, sides: &[Side]) -> Option<Suggestion> {
        let string = |(meta, _): &&Side| meta.as_atom().is_some_and(|value| !value.is_number());
        let sop = |(meta, _): &&Side| matches!(meta, Meta::SOp(_)) && !self.is_tokens(meta);
        let ((_, string), (_, at)) = sides.iter().find(string).zip(sides.iter().find(sop))?;
        let here = || self.origin(*string).map(|_| (*at, self.whole));
        let place = self.argument(*at).or_else(here)?;
        let plain = |part: char| part.is_alphanumeric() || part == '_';
        let name = self.say(*at).chars().all(plain);
        let edits = vec![(place, "tokens".to_string())];
        self.mend_places("to say it of the tokens", edits)
            .filter(|_| name)
    }
}
