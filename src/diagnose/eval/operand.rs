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
            .or_else(|| self.of_types(op, sides).filter(|_| !self.in_library()))
            .or_else(|| self.of_arguments(sides))?;
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
            return self.applied(*call);
        }
        let text = |at: &Span| self.say(*at);
        mends! { self, (op, sides);
            (Op::Negate, [(Meta::Selector(_), at)]) =>
                where selector = text(at);
                "the selector of all other keys", "not {selector}";
            (_, [(Meta::SOp(_), _)]) => else None;
            (_, [(Meta::Atom(value @ Value::Str(_)), _)]) if unquoted(value).is_some() =>
                where number = unquoted(value)?;
                "for a number", "{number}";
            (Op::Negate | Op::Plus, [(Meta::Atom(Value::Str(_)), at)]) =>
                where unsigned = text(at);
                "leave out the sign", "{unsigned}";
            (_, [(Meta::Atom(Value::Str(_)), _)]) => say "write a number: `round(0.5)`";
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
                where list = text(at);
                where applied = self.with(*at, "x".to_string());
                "for each element", "[{applied} for x in {list}]";
            (Op::Add, [(Meta::Dict(_), _), (Meta::Dict(_), _)]) =>
                say "write the entries in one dict: `{{\"a\": 1, \"b\": 2}}`";
            (_, [side]) => else self.need(side, Needed::SOp);
        }
    }

    /// An s-op or selector that is applied to an input too early.
    fn applied(&self, call: Span) -> Option<Suggestion> {
        let ast = &self.site?.ast;
        let at = ast.ids().find(|id| ast.get(*id).span == call)?;
        let ExprKind::Call { function, .. } = ast.get(at).kind else {
            return None;
        };
        let function = self.span(function);
        let (whole, start) = (self.with(call, self.say(function)), function.end);
        let fixed = format!("({whole}){}", self.say(Span { start, ..call }));
        self.put("apply the whole to the input", self.whole, fixed)
    }

    /// Numbers and strings mixed up, or strings in arithmetic: the same on one type.
    fn of_types(&self, op: &Op, sides: &[Side]) -> Option<Suggestion> {
        let tokens = sides.iter().find(|(meta, _)| self.is_tokens(meta));
        let mut strings = sides.iter().filter(|(meta, _)| self.is_string(meta));
        let string = strings.find(|(meta, _)| !self.is_tokens(meta));
        match (string, tokens) {
            (Some((Meta::Atom(value), at)), Some((_, tokens)))
                if self.is_outermost() && unquoted(value).is_some() =>
            {
                let edits = vec![(*at, unquoted(value)?), (*tokens, "tokens_int".to_string())];
                let help = self.mend("for the tokens as numbers", edits);
                return help.map(Suggestion::plain);
            }
            (None, Some(_)) => return self.as_numbers(sides),
            _ => {}
        }
        let what = match op {
            Op::Add => "to join strings",
            _ => "compare with a string",
        };
        let alike = matches!(op, Op::Add | Op::Compare(_));
        let as_text = || self.as_text(what, sides).filter(|_| alike);
        let joined = || match sides {
            [(a, left), (b, right)] if *op != Op::Add && self.is_string(a) && self.is_string(b) => {
                let [left, right] = [left, right].map(|at| operand(&self.say(*at)));
                let fixed = format!("{left} + {right}");
                self.put("strings are joined with `+`", self.whole, fixed)
            }
            _ => None,
        };
        self.without_quotes(sides)
            .or_else(as_text)
            .or_else(|| self.of_the_tokens(sides).filter(|_| alike))
            .or_else(joined)
    }

    /// The tokens as numbers.
    pub(super) fn as_numbers(&self, sides: &[Side]) -> Option<Suggestion> {
        let float = |(meta, _): &Side| self.types(meta) == TypeSet::FLOAT;
        let float = sides.iter().any(float);
        let name = if float { "tokens_float" } else { "tokens_int" };
        // In a function the tokens may have another name: there its caller is helped.
        let here = |at: Span| self.is_outermost() || self.say(at) == "tokens";
        let tokens = sides.iter();
        let tokens = tokens.filter(|(meta, at)| self.is_tokens(meta) && here(*at));
        let edits = tokens.map(|(_, at)| (*at, name.to_string())).collect();
        // Other inputs have tokens that are no numbers.
        let help = self.mend("for the tokens as numbers", edits);
        help.map(Suggestion::plain)
    }

    /// A string that holds a number, where one is needed.
    pub(super) fn without_quotes(&self, sides: &[Side]) -> Option<Suggestion> {
        let other = sides.iter().filter(|(meta, _)| !self.is_number(meta));
        let edits = other.map(|(meta, at)| match meta {
            Meta::Atom(value) if self.is_written_here(*at) => Some((*at, unquoted(value)?)),
            _ => None,
        });
        self.mend("for numbers", edits.collect::<Option<_>>()?)
    }

    /// A number beside strings, as a string.
    pub(super) fn as_text(&self, what: &str, sides: &[Side]) -> Option<Suggestion> {
        let (value, at) = self.literal(sides, Value::is_number)?;
        let mut others = sides.iter().filter(|(_, other)| *other != at);
        let strings = others.all(|(meta, _)| self.is_string(meta));
        self.put(what, at, quoted(&value)).filter(|_| strings)
    }

    /// A string beside an s-op of numbers: the tokens were meant.
    pub(super) fn of_the_tokens(&self, sides: &[Side]) -> Option<Suggestion> {
        self.literal(sides, |value| !value.is_number())?;
        let sop = |(meta, _): &&Side| matches!(meta, Meta::SOp(_)) && !self.is_tokens(meta);
        let (_, at) = sides.iter().find(sop)?;
        let plain = |part: char| part.is_alphanumeric() || part == '_';
        self.put("to say it of the tokens", *at, "tokens")
            .filter(|_| self.say(*at).chars().all(plain))
    }

    /// The first side that is an atom of a kind, and is written where it is used.
    fn literal(&self, sides: &[Side], fits: impl Fn(&Value) -> bool) -> Option<(Value, Span)> {
        sides.iter().find_map(|(meta, at)| {
            let value = meta.as_atom().filter(|value| fits(value))?;
            self.is_written_here(*at).then(|| (value.clone(), *at))
        })
    }

    /// An operand that was handed over: the call with an argument that fits.
    fn of_arguments(&self, sides: &[Side]) -> Option<Suggestion> {
        let mixed = sides.iter().any(|(meta, _)| self.is_string(meta));
        let handed = |(meta, at): &Side| Some((meta.clone(), self.argument(*at)?));
        let handed: Vec<_> = sides.iter().filter_map(handed).collect();
        let number = handed.iter().find_map(|(meta, (at, call))| {
            let (what, fixed) = match meta {
                Meta::Atom(value) => ("for a number", unquoted(value)?),
                tokens if self.is_tokens(tokens) => {
                    ("for the tokens as numbers", "tokens_int".to_string())
                }
                _ => return None,
            };
            self.mend_in(*call, what, *at, fixed).map(Suggestion::plain)
        });
        let string = |(meta, (at, call)): &(Meta, (Span, Span))| {
            let fixed = match meta {
                Meta::Atom(value) if value.is_number() => quoted(value),
                Meta::SOp(_) if mixed && self.is_number(meta) => "tokens".to_string(),
                _ => return None,
            };
            self.mend_in(*call, "with strings only", *at, fixed)
        };
        number.or_else(|| handed.iter().find_map(string))
    }
}
