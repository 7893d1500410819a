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
        let (meta, at) = side;
        match meta {
            Meta::Selector(_) if *op == Op::Negate => {
                let what = "the selector of all other keys";
                self.becomes(what, format!("not {}", self.written(*at)?))
            }
            Meta::SOp(_) => None,
            Meta::Atom(value @ Value::Str(_)) => match (unquoted(value), op) {
                (Some(number), _) => self.becomes("for a number", number),
                (None, Op::Negate | Op::Plus) => {
                    self.becomes("leave out the sign", self.written(*at)?)
                }
                _ => Some("write a number: `round(0.5)`".into()),
            },
            Meta::List(_) => self.each(*at),
            _ => self.need(side, Needed::SOp),
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
        if let Some((_, call)) = sides
            .iter()
            .find(|(meta, _)| matches!(meta, Meta::Application(_)))
        {
            return self.applied(*call);
        }
        let mut functions = sides.iter();
        if let Some(function) = functions.find(|(meta, _)| matches!(meta, Meta::Function(_))) {
            return self.need(function, Needed::SOp);
        }
        match (op, sides) {
            (_, [side @ (Meta::List(_), _), (Meta::SOp(_), _)])
            | (_, [(Meta::SOp(_), _), side @ (Meta::List(_), _)]) => {
                self.need(side, Needed::SOp).map(Suggestion::plain)
            }
            (Op::Add, [(Meta::List(_), _), (Meta::Atom(_), at)])
            | (Op::Add, [(Meta::Atom(_), at), (Meta::List(_), _)]) => {
                self.mend_part("to add one element to a list", *at, |atom| {
                    format!("[{atom}]")
                })
            }
            (Op::Add, [(Meta::Dict(_), _), (Meta::Dict(_), _)]) => {
                Some("write the entries in one dict: `{\"a\": 1, \"b\": 2}`".into())
            }
            (_, [(Meta::List(_), at), (Meta::Atom(_), _)])
            | (_, [(Meta::Atom(_), _), (Meta::List(_), at)]) => self.each(*at),
            _ => None,
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
        if let [side] = sides {
            return self.as_numbers(std::slice::from_ref(side));
        }
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
        let joins = *op == Op::Add;
        let compares = matches!(op, Op::Compare(_));
        self.without_quotes(sides)
            .or_else(|| match (joins, compares) {
                (true, _) => self.as_text("to join strings", sides),
                (_, true) => self.as_text("compare with a string", sides),
                _ => None,
            })
            .or_else(|| self.of_the_tokens(sides).filter(|_| joins || compares))
            .or_else(|| match sides {
                [(a, a_at), (b, b_at)] if !joins && self.is_string(a) && self.is_string(b) => {
                    let (a, b) = (self.written(*a_at)?, self.written(*b_at)?);
                    let fixed = format!("{} + {}", operand(&a), operand(&b));
                    self.becomes("strings are joined with `+`", fixed)
                }
                _ => None,
            })
    }

    /// The tokens as numbers.
    pub(super) fn as_numbers(&self, sides: &[Side]) -> Option<Suggestion> {
        let float = sides
            .iter()
            .any(|(meta, _)| self.types(meta) == TypeSet::FLOAT);
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
        let plain = name
            .chars()
            .all(|part| part.is_alphanumeric() || part == '_');
        let help = self.put("to say it of the tokens", *at, "tokens");
        help.filter(|_| plain)
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
        let handed = sides
            .iter()
            .filter_map(|side| Some((side, self.argument(side.1)?)));
        let handed: Vec<_> = handed.collect();
        let mixed = sides.iter().any(|(meta, _)| self.is_string(meta));
        let number = |(meta, _): &Side| match meta {
            Meta::SOp(_) if self.is_tokens(meta) => {
                Some(("for the tokens as numbers", "tokens_int".to_string()))
            }
            Meta::Atom(value) => Some(("for a number", unquoted(value)?)),
            _ => None,
        };
        let string = |(meta, _): &Side| match meta {
            Meta::Atom(value) if value.is_number() => Some(("with strings only", quoted(value))),
            Meta::SOp(_) if mixed && self.is_number(meta) => {
                Some(("with strings only", "tokens".to_string()))
            }
            _ => None,
        };
        let mend = |rule: &dyn Fn(&Side) -> Option<(&'static str, String)>| {
            handed.iter().find_map(|(side, (at, call))| {
                let (what, fixed) = rule(side)?;
                self.mend_in(*call, what, vec![(*at, fixed)])
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
