//! Operations on numbers and strings mixed up, and on dicts and functions: the same operation with
//! operands that fit each other.

use super::Evaluator;
use super::meta::Meta;
use super::operator::Side;
use super::quoted::operand;
use crate::base::Span;
use crate::value::{Op, TypeSet, Value};

impl Evaluator {
    /// An operation on strings that needs numbers: the same with `tokens_int`, if the strings are
    /// the tokens.
    pub(crate) fn with_numeric_tokens(&self, whole: Span, sides: &[Side]) -> Option<String> {
        let float = sides
            .iter()
            .any(|(meta, _)| self.types(meta) == TypeSet::FLOAT);
        let name = if float { "tokens_float" } else { "tokens_int" };
        let tokens = sides.iter().filter(|(meta, _)| self.are_tokens(meta));
        // In a function the tokens may have another name: there its caller is helped.
        let tokens = tokens
            .filter(|(_, at)| self.calls == 0 || self.written(*at).as_deref() == Some("tokens"));
        let numbers: Vec<(Span, String)> = tokens.map(|(_, at)| (*at, name.to_string())).collect();
        let fixed = self
            .replaced(whole, &numbers)
            .filter(|_| !numbers.is_empty())?;
        Some(format!("for the tokens as numbers: `{fixed}`"))
    }

    /// An operation on a number and a string, or on two strings: the same on what it works on.
    pub(crate) fn on_one_type(&self, op: &Op, sides: &[Side; 2], span: Span) -> Option<String> {
        let joins = *op == Op::Add;
        let compares = matches!(op, Op::Compare(_));
        let strings =
            |side: &&Side| self.types(&side.0) == TypeSet::STR && !self.are_tokens(&side.0);
        match sides.iter().find(strings) {
            Some((Meta::Atom(value), at))
                if self.tokens_among(sides) && unquoted(value).is_some() =>
            {
                let number = unquoted(value)?;
                let tokens = sides.iter().find(|(_, other)| other != at)?;
                let mut fixed = vec![(*at, number), (tokens.1, "tokens_int".to_string())];
                fixed.sort_by_key(|(at, _)| at.start);
                let fixed = self.replaced(span, &fixed).filter(|_| self.calls == 0)?;
                return Some(format!("for the tokens as numbers: `{fixed}`"));
            }
            None if self.tokens_among(sides) => return self.with_numeric_tokens(span, sides),
            _ => {}
        }
        self.without_quotes(sides, span)
            .or_else(|| match (joins, compares) {
                (true, _) => self.as_text("to join strings", sides, span),
                (_, true) => self.as_text("compare with a string", sides, span),
                _ => None,
            })
            .or_else(|| {
                let help = self.of_the_tokens(sides, span);
                help.filter(|_| joins || compares)
            })
            .or_else(|| self.joined(op, sides, span))
            .or_else(|| {
                let (_, at) = self.literal(sides, |value| !value.is_number())?;
                let fixed = self.rewritten(span, at, |_| "1".to_string())?;
                Some(format!("a number has no quotes: `{fixed}`"))
            })
    }

    /// An equality of strings and numbers, which never holds: the same on one type.
    pub(crate) fn equal_types(&self, sides: &[Side; 2], span: Span) -> Option<String> {
        let numeric = sides.iter().find_map(|(meta, _)| match meta {
            Meta::Atom(value) if value.is_number() => Some(match value {
                Value::Bool(_) => ("bools", "tokens_bool"),
                Value::Float(_) => ("numbers", "tokens_float"),
                _ => ("numbers", "tokens_int"),
            }),
            _ => None,
        });
        let (types, name) = numeric.unwrap_or(("numbers", "tokens_int"));
        let tokens = sides.iter().find(|(meta, _)| self.are_tokens(meta));
        let converted = tokens.and_then(|(_, at)| {
            let fixed = self.rewritten(span, *at, |_| name.to_string())?;
            Some(format!("the tokens as {types}: `{fixed}`"))
        });
        match (
            self.as_text("compare with a string", sides, span),
            converted,
        ) {
            (Some(text), Some(converted)) => Some(format!("{text}, or {converted}")),
            (Some(text), None) => Some(text),
            (None, Some(converted)) => Some(format!("compare {converted}")),
            (None, None) => self
                .without_quotes(sides, span)
                .or_else(|| self.of_the_tokens(sides, span))
                .or_else(|| {
                    let compared = self.written(span)?;
                    let compared = compared.strip_prefix("not ")?;
                    Some(format!("the comparison first: `not ({compared})`"))
                }),
        }
    }

    /// A string that holds a number, where one is needed.
    fn without_quotes(&self, sides: &[Side; 2], span: Span) -> Option<String> {
        let mut fixed = Vec::new();
        for (meta, at) in sides {
            match meta {
                Meta::Atom(value @ Value::Str(_)) if self.is_written_here(*at) => {
                    fixed.push((*at, unquoted(value)?));
                }
                Meta::SOp(_) | Meta::Atom(_) | Meta::Scorer(_)
                    if TypeSet::NUMBER.contains(self.types(meta)) => {}
                _ => return None,
            }
        }
        let fixed = self.replaced(span, &fixed).filter(|_| !fixed.is_empty())?;
        Some(format!("for numbers: `{fixed}`"))
    }

    /// A number beside strings, as a string.
    fn as_text(&self, what: &str, sides: &[Side; 2], span: Span) -> Option<String> {
        let (value, at) = self.literal(sides, Value::is_number)?;
        let others = sides.iter().filter(|(_, other)| *other != at);
        let strings = |(meta, _): &Side| self.types(meta) == TypeSet::STR;
        let fixed = self.rewritten(span, at, |_| Value::str(&value.to_string()).source())?;
        let all = others.clone().count() == 1 && others.clone().all(strings);
        all.then(|| format!("{what}: `{fixed}`"))
    }

    /// A string beside an s-op of numbers: the tokens were meant.
    fn of_the_tokens(&self, sides: &[Side; 2], span: Span) -> Option<String> {
        self.literal(sides, |value| !value.is_number())?;
        let (_, at) = sides
            .iter()
            .find(|(meta, _)| matches!(meta, Meta::SOp(_)) && !self.are_tokens(meta))?;
        let name = |text: &String| {
            text.chars()
                .all(|part| part.is_alphanumeric() || part == '_')
        };
        self.written(*at).filter(name)?;
        let fixed = self.rewritten(span, *at, |_| "tokens".to_string())?;
        Some(format!("to say it of the tokens: `{fixed}`"))
    }

    /// Two strings in an operation other than `+`.
    fn joined(&self, op: &Op, sides: &[Side; 2], span: Span) -> Option<String> {
        let [(a, a_at), (b, b_at)] = sides;
        let strings = |meta| self.types(meta) == TypeSet::STR;
        if *op == Op::Add || !strings(a) || !strings(b) || !span.contains(*b_at) {
            return None;
        }
        let (a, b) = (self.written(*a_at)?, self.written(*b_at)?);
        let (a, b) = (operand(&a), operand(&b));
        Some(format!("strings are joined with `+`: `{a} + {b}`"))
    }

    /// A list with something that is none, dicts, or functions.
    pub(crate) fn of_containers(&self, op: &Op, sides: &[Side; 2], span: Span) -> Option<String> {
        if let Some((_, at)) = sides
            .iter()
            .find(|(meta, _)| matches!(meta, Meta::Function(_)))
        {
            let (meta, at) = sides.iter().find(|(_, other)| other == at)?;
            return self.as_sop(meta, *at, span);
        }
        match (op, sides) {
            (Op::Add, [(Meta::List(_), _), (Meta::Atom(_), at)])
            | (Op::Add, [(Meta::Atom(_), at), (Meta::List(_), _)]) => {
                let fixed = self.rewritten(span, *at, |atom| format!("[{atom}]"))?;
                Some(format!("to add one element to a list: `{fixed}`"))
            }
            (Op::Add, [(Meta::Dict(_), _), (Meta::Dict(_), _)]) => {
                Some("write the entries in one dict: `{\"a\": 1, \"b\": 2}`".to_string())
            }
            (_, [(list @ Meta::List(_), at), (Meta::Atom(_), _)])
            | (_, [(Meta::Atom(_), _), (list @ Meta::List(_), at)]) => {
                self.each_element(list, (span, *at))
            }
            _ => None,
        }
    }

    /// The first side that is an atom of a kind, and is written where it is used.
    fn literal(&self, sides: &[Side; 2], fits: impl Fn(&Value) -> bool) -> Option<(Value, Span)> {
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
        self.calls == 0 || !self.written(at).is_some_and(name)
    }

    /// The types of an s-op, scorer or atom; none of anything else.
    pub(crate) fn types(&self, meta: &Meta) -> TypeSet {
        match meta {
            Meta::SOp(id) => self.graph.types(*id),
            Meta::Scorer(id) => self.graph.scorer_types(*id),
            Meta::Atom(value) => TypeSet::of(value),
            _ => TypeSet::NONE,
        }
    }

    fn tokens_among(&self, sides: &[Side]) -> bool {
        sides.iter().any(|(meta, _)| self.are_tokens(meta))
    }

    fn are_tokens(&self, meta: &Meta) -> bool {
        matches!(meta, Meta::SOp(id) if self.is_tokens(*id))
    }
}

/// The number that a string holds, as it is typed.
pub(crate) fn unquoted(value: &Value) -> Option<String> {
    match value {
        Value::Str(text) => {
            let digits = text
                .chars()
                .all(|part| part.is_ascii_digit() || "+-.".contains(part));
            let number = text.parse::<f64>().ok().filter(|_| digits);
            number.map(|_| text.trim_start_matches('+').to_string())
        }
        _ => None,
    }
}
