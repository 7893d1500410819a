//! Operations on operands that they do not work on: the same operation on what it works on, or, where
//! an operand was handed over to the function that is running, the call with another argument.

use super::mend::{Needed, unquoted};
use super::quote::operand;
use super::scene::{Scene, Side};
use super::wrong::quoted;
use crate::base::{Span, Suggestion};
use crate::eval::Meta;
use crate::syntax::ast::ExprKind;
use crate::value::op::FailureKind;
use crate::value::{Op, TypeSet, Value};

impl Scene<'_> {
    /// An operation that works on these or almost these operands.
    pub(super) fn fitting(&self, op: &Op, sides: &[Side]) -> Option<Suggestion> {
        let kinds = match sides {
            [side] => self.of_one(op, side),
            _ => self.of_kinds(op, sides),
        };
        let help = kinds
            .or_else(|| self.of_types(op, sides).filter(|_| !self.in_library()))
            .or_else(|| self.of_arguments(sides))?;
        // What a function of keys and queries gives has a type of its own.
        let scorer = sides
            .iter()
            .any(|(meta, _)| matches!(meta, Meta::Scorer(_)));
        Some(if scorer { help.plain() } else { help })
    }

    fn of_one(&self, op: &Op, side: &Side) -> Option<Suggestion> {
        let text = || self.written(side.1);
        mends! { self, (op, &side.0);
            (Op::Negate, Meta::Selector(_)) =>
                where selector = text()?;
                "the selector of all other keys", "not {selector}";
            (_, Meta::SOp(_)) => else None;
            (_, Meta::Atom(value @ Value::Str(_))) if unquoted(value).is_some() =>
                where number = unquoted(value)?;
                "for a number", "{number}";
            (Op::Negate | Op::Plus, Meta::Atom(Value::Str(_))) =>
                where unsigned = text()?;
                "leave out the sign", "{unsigned}";
            (_, Meta::Atom(Value::Str(_))) => say "write a number: `round(0.5)`";
            (_, Meta::List(_)) => else self.each(side.1);
            _ => else self.need(side, Needed::SOp);
        }
    }

    /// The same for each element of a list.
    fn each(&self, at: Span) -> Option<Suggestion> {
        let list = self.written(at)?;
        let applied = self.replaced(&[(at, "x".to_string())])?;
        self.becomes("for each element", format!("[{applied} for x in {list}]"))
    }

    /// A list with something that is none, dicts, functions, and what an s-op gave on an input.
    fn of_kinds(&self, op: &Op, sides: &[Side]) -> Option<Suggestion> {
        let find = |wanted: fn(&Meta) -> bool| sides.iter().find(|(meta, _)| wanted(meta));
        if let Some((_, call)) = find(|meta| matches!(meta, Meta::Application(_))) {
            return self.applied(*call);
        }
        if let Some(function) = find(|meta| matches!(meta, Meta::Function(_))) {
            return self.need(function, Needed::SOp);
        }
        let (list, other) = match sides {
            [list @ (Meta::List(_), _), other] | [other, list @ (Meta::List(_), _)] => {
                (list, other)
            }
            _ => find(|meta| matches!(meta, Meta::Dict(_))).zip(sides.last())?,
        };
        mends! { self, (op, &list.0, &other.0);
            (_, Meta::List(_), Meta::SOp(_)) =>
                else self.need(list, Needed::SOp).map(Suggestion::plain);
            (Op::Add, Meta::List(_), Meta::Atom(_)) =>
                where atom = self.written(other.1)?;
                "to add one element to a list", "[{atom}]", at (other.1);
            (_, Meta::List(_), Meta::Atom(_)) => else self.each(list.1);
            (Op::Add, Meta::Dict(_), Meta::Dict(_)) =>
                say "write the entries in one dict: `{{\"a\": 1, \"b\": 2}}`";
        }
    }

    /// An s-op or selector that is applied to an input too early.
    fn applied(&self, call: Span) -> Option<Suggestion> {
        let site = self.site?;
        let mut exprs = site.ast.ids().map(|id| site.ast.get(id));
        let expr = exprs.find(|expr| expr.span == call)?;
        let ExprKind::Call { function, .. } = &expr.kind else {
            return None;
        };
        let function = self.span(*function);
        let arguments = self.written(Span {
            start: function.end,
            ..call
        })?;
        let whole = self.replaced(&[(call, self.written(function)?)])?;
        let fixed = format!("({whole}){arguments}");
        self.becomes("apply the whole to the input", fixed)
    }

    /// Numbers and strings mixed up, or strings in arithmetic: the same on one type.
    fn of_types(&self, op: &Op, sides: &[Side]) -> Option<Suggestion> {
        let tokens = sides.iter().find(|(meta, _)| self.is_tokens(meta));
        let strings = |(meta, _): &&Side| self.is_string(meta) && !self.is_tokens(meta);
        match (sides.iter().find(strings), tokens) {
            (Some((Meta::Atom(value), at)), Some((_, tokens))) if self.is_outermost() => {
                if let Some(number) = unquoted(value) {
                    let edits = vec![(*at, number), (*tokens, "tokens_int".to_string())];
                    let help = self.mend("for the tokens as numbers", edits);
                    return help.map(Suggestion::plain);
                }
            }
            (None, Some(_)) => return self.as_numbers(sides),
            _ => {}
        }
        let (joins, compares) = (*op == Op::Add, matches!(op, Op::Compare(_)));
        let as_text = || match (joins, compares) {
            (true, _) => self.as_text("to join strings", sides),
            (_, true) => self.as_text("compare with a string", sides),
            _ => None,
        };
        let joined = || match sides {
            [(a, left), (b, right)] if !joins && self.is_string(a) && self.is_string(b) => {
                let [a, b] = [left, right].map(|at| self.written(*at).map(|text| operand(&text)));
                let fixed = format!("{} + {}", a?, b?);
                self.becomes("strings are joined with `+`", fixed)
            }
            _ => None,
        };
        self.without_quotes(sides)
            .or_else(as_text)
            .or_else(|| self.of_the_tokens(sides).filter(|_| joins || compares))
            .or_else(joined)
    }

    /// The tokens as numbers.
    pub(super) fn as_numbers(&self, sides: &[Side]) -> Option<Suggestion> {
        let float = |(meta, _): &Side| self.types(meta) == TypeSet::FLOAT;
        let float = sides.iter().any(float);
        let name = if float { "tokens_float" } else { "tokens_int" };
        // In a function the tokens may have another name: there its caller is helped.
        let here = |at: Span| self.is_outermost() || self.written(at).as_deref() == Some("tokens");
        let tokens = sides
            .iter()
            .filter(|(meta, at)| self.is_tokens(meta) && here(*at));
        let edits = tokens.map(|(_, at)| (*at, name.to_string())).collect();
        // Other inputs have tokens that are no numbers.
        let help = self.mend("for the tokens as numbers", edits);
        help.map(Suggestion::plain)
    }

    /// A string that holds a number, where one is needed.
    pub(super) fn without_quotes(&self, sides: &[Side]) -> Option<Suggestion> {
        let mut edits = Vec::new();
        for (meta, at) in sides {
            match meta {
                Meta::Atom(value @ Value::Str(_)) if self.is_written_here(*at) => {
                    edits.push((*at, unquoted(value)?));
                }
                _ if self.is_number(meta) => {}
                _ => return None,
            }
        }
        self.mend("for numbers", edits)
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
        let name = self.written(*at)?;
        let mut parts = name.chars();
        let plain = parts.all(|part| part.is_alphanumeric() || part == '_');
        self.put("to say it of the tokens", *at, "tokens")
            .filter(|_| plain)
    }

    /// The first side that is an atom of a kind, and is written where it is used.
    fn literal(&self, sides: &[Side], fits: impl Fn(&Value) -> bool) -> Option<(Value, Span)> {
        sides.iter().find_map(|(meta, at)| match meta {
            Meta::Atom(value) if fits(value) && self.is_written_here(*at) => {
                Some((value.clone(), *at))
            }
            _ => None,
        })
    }

    /// Whether an atom may be mended where it is used. What a function was given is mended where it
    /// is called.
    fn is_written_here(&self, at: Span) -> bool {
        let name = |text: String| text.starts_with(|first: char| first.is_alphabetic());
        self.is_outermost() || !self.written(at).is_some_and(name)
    }

    /// An operand that was handed over: the call with an argument that fits.
    fn of_arguments(&self, sides: &[Side]) -> Option<Suggestion> {
        let mixed = sides.iter().any(|(meta, _)| self.is_string(meta));
        let number = |meta: &Meta| match meta {
            Meta::SOp(_) if self.is_tokens(meta) => {
                Some(("for the tokens as numbers", "tokens_int".to_string()))
            }
            Meta::Atom(value) => Some(("for a number", unquoted(value)?)),
            _ => None,
        };
        let string = |meta: &Meta| match meta {
            Meta::Atom(value) if value.is_number() => Some(("with strings only", quoted(value))),
            Meta::SOp(_) if mixed && self.is_number(meta) => {
                Some(("with strings only", "tokens".to_string()))
            }
            _ => None,
        };
        let mend = |rule: &dyn Fn(&Meta) -> Option<(&'static str, String)>| {
            sides.iter().find_map(|(meta, at)| {
                let ((at, call), (what, fixed)) = self.argument(*at).zip(rule(meta))?;
                self.mend_in(call, what, vec![(at, fixed)])
            })
        };
        mend(&number)
            .map(Suggestion::plain)
            .or_else(|| mend(&string))
    }

    /// A primitive without a result on these atoms.
    pub(super) fn of_failure(&self, kind: FailureKind, at: Span) -> Option<Suggestion> {
        match (kind, self.kind()) {
            // What no int can hold, as the float that it is.
            (_, Some(ExprKind::Call { .. })) => {
                let float = self.written(at)?;
                self.becomes("a float this large has no fraction", float)
            }
            (FailureKind::Overflow, _) => self.float(),
            (FailureKind::Arithmetic, _) => self.guard().or_else(|| self.largest_power()),
            _ => None,
        }
    }
}
