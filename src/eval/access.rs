//! Indexing, membership and iteration: what reaches into lists, dicts, strings and s-ops.

use super::collection::names_for;
use super::expression::Context;
use super::made::element_spans;
use super::meta::{Dict, Meta};
use super::operator::{Side, failure_at};
use super::quoted::{element_texts, operand};
use super::{Evaluator, Outcome};
use crate::base::{Code, Diagnostic, Span};
use crate::graph::{SOp, SOpId, Selector};
use crate::syntax::ast::{ExprId, Ident};
use crate::value::{Comparison, Op, Table, Value};
use std::sync::Arc;

impl Evaluator {
    /// `container[index]`; `spans` are those of the whole and of the index.
    pub(crate) fn index(
        &mut self,
        cx: &Context,
        container: Meta,
        index: Meta,
        spans: (Span, Span),
    ) -> Outcome<Meta> {
        let span = spans.0;
        if let Meta::SOp(id) = container {
            return self.index_sop(cx, id, &index, spans);
        }
        let indexable = matches!(
            container,
            Meta::List(_) | Meta::Dict(_) | Meta::Atom(Value::Str(_))
        );
        if !indexable {
            let kind = container.kind();
            let message = format!("{kind} cannot be indexed");
            return Err(Diagnostic::error(Code::BadIndex, message)
                .at(span, format!("this indexes {kind}"))
                .note("lists, dicts, strings and s-ops can be indexed")
                .maybe_help(self.indexed(&container, spans))
                .into());
        }
        if let Meta::Scorer(_) = index {
            let lookup = Op::Lookup(Arc::new(table(&container, span)?));
            return self.map_scorers(lookup, &[&index], span);
        }
        if let Meta::SOp(id) = index {
            let table = table(&container, span)?;
            return Ok(Meta::SOp(self.add_map(
                Op::Lookup(Arc::new(table)),
                vec![id],
                span,
            )?));
        }
        self.index_value(&container, &index, spans)
    }

    /// A list, dict or string indexed by an atom.
    fn index_value(&self, container: &Meta, index: &Meta, spans: (Span, Span)) -> Outcome<Meta> {
        let (what, wanted) = match container {
            Meta::List(_) => ("a list", "an int"),
            Meta::Dict(_) => ("a dict", "an atom"),
            _ => ("a string", "an int"),
        };
        let index_span = spans.1;
        let bad_index = || {
            Diagnostic::error(
                Code::BadIndex,
                format!(
                    "{what} is indexed by {wanted} or an s-op, not by {}",
                    index.kind()
                ),
            )
            .at(index_span, format!("this is {}", index.kind()))
            .maybe_help(
                self.int_index(index, spans)
                    .or_else(|| self.an_index_of(container, spans)),
            )
        };
        match (container, index) {
            (Meta::Dict(dict), Meta::Atom(key)) => entry(dict, key, index_span),
            (Meta::List(items), Meta::Atom(at)) => {
                let Some(at) = at.as_int() else {
                    return Err(bad_index().into());
                };
                let length = items.len() as i64;
                let from_start = if at < 0 {
                    at.saturating_add(length)
                } else {
                    at
                };
                let found = usize::try_from(from_start)
                    .ok()
                    .and_then(|at| items.get(at));
                found.cloned().ok_or_else(|| {
                    Diagnostic::error(
                        Code::BadIndex,
                        format!("index {at} is out of range for a list of length {length}"),
                    )
                    .at(index_span, indices_of(length))
                    .maybe_help(self.in_range(at, items.len(), spans))
                    .into()
                })
            }
            (Meta::Atom(Value::Str(text)), Meta::Atom(at)) if at.as_int().is_some() => {
                let table = Table::Str(Value::characters(text));
                table.get(at).map(Meta::Atom).map_err(|failure| {
                    let length = text.chars().count();
                    let mut error = failure_at(failure, index_span);
                    if let Some(label) = error.labels.first_mut() {
                        label.text = indices_of(length as i64);
                    }
                    let help = self.in_range(at.as_int().unwrap_or(0), length, spans);
                    error.maybe_help(help).into()
                })
            }
            _ => Err(bad_index().into()),
        }
    }

    /// `sop[k]`: the value at position k, from the end if k is negative, at every position.
    fn index_sop(
        &mut self,
        cx: &Context,
        id: SOpId,
        index: &Meta,
        (span, index_span): (Span, Span),
    ) -> Outcome<Meta> {
        let Some(at) = index.as_atom().and_then(Value::as_int) else {
            return Err(Diagnostic::error(
                Code::BadIndex,
                format!("an s-op is indexed by an int, not by {}", index.kind()),
            )
            .at(index_span, format!("this is {}", self.describe(index)))
            .maybe_help(self.computed_position((id, index), (span, index_span)))
            .into());
        };
        let at_constant = self.add_sop(SOp::Constant(Value::Int(at)), index_span)?;
        let position = if at >= 0 {
            at_constant
        } else {
            let length = match self.scopes.lookup(cx.scope, "length") {
                Some(Meta::SOp(length)) => *length,
                _ => {
                    return Err(Diagnostic::error(
                        Code::BadIndex,
                        "an index from the end needs `length`, which is not an s-op here",
                    )
                    .at(span, "indexed from the end")
                    .help("give the other `length` another name, like `my_length`")
                    .into());
                }
            };
            self.add_map(Op::Add, vec![length, at_constant], span)?
        };
        let indices = self.add_sop(SOp::Indices, span)?;
        let selector = self.add_selector(
            Selector::Compare {
                keys: indices,
                queries: position,
                comparison: Comparison::Equal,
            },
            span,
        )?;
        let sop = SOp::Aggregate {
            selector,
            value: id,
            default: Value::Int(0),
        };
        Ok(Meta::SOp(self.add_sop(sop, span)?))
    }

    /// `left in right`
    pub(crate) fn membership(&mut self, sides: [Side; 2], span: Span) -> Outcome<Meta> {
        let [(left, left_span), (right, right_span)] = &sides;
        let bad = |message: String, at: Span, meta: &Meta| {
            Diagnostic::error(Code::BadMembership, message)
                .at(at, format!("this is {}", meta.kind()))
        };
        match (left, right) {
            (Meta::Scorer(_), Meta::List(items)) => {
                let atoms: Option<Vec<Value>> =
                    items.iter().map(|item| item.as_atom().cloned()).collect();
                let Some(atoms) = atoms else {
                    let message = "the list right of `in` must hold atoms only".to_string();
                    return Err(bad(message, *right_span, right).into());
                };
                self.map_scorers(Op::In(atoms.into()), &[left], span)
            }
            (Meta::SOp(id), Meta::List(items)) => {
                let atoms: Option<Vec<Value>> =
                    items.iter().map(|item| item.as_atom().cloned()).collect();
                let Some(atoms) = atoms else {
                    let inside = items.iter().find(|item| item.as_atom().is_none());
                    let kind = inside.map_or("something else", Meta::kind);
                    let message = "the list right of `in` must hold atoms only".to_string();
                    return Err(Diagnostic::error(Code::BadMembership, message)
                        .at(*right_span, format!("this list holds {kind}"))
                        .maybe_help(self.one_by_one(&sides))
                        .into());
                };
                let id = *id;
                self.warn_constant_membership(id, &atoms, &sides, span);
                Ok(Meta::SOp(self.add_map(
                    Op::In(atoms.into()),
                    vec![id],
                    span,
                )?))
            }
            (Meta::SOp(_), _) => {
                let message = format!("`s-op in …` needs a list of atoms, not {}", right.kind());
                Err(bad(message, *right_span, right)
                    .maybe_help(self.as_list(right, *right_span, span))
                    .into())
            }
            (Meta::Atom(value), Meta::SOp(id)) => self.contains(value, *id, span),
            (Meta::Atom(_), Meta::List(items)) => {
                for item in items.iter() {
                    if self.equal(left, item, *right_span)? {
                        return Ok(Meta::Atom(Value::Bool(true)));
                    }
                }
                Ok(Meta::Atom(Value::Bool(false)))
            }
            (Meta::Atom(_), _) => {
                let message = format!("`atom in …` needs a list or an s-op, not {}", right.kind());
                Err(bad(message, *right_span, right)
                    .maybe_help(self.as_list(right, *right_span, span))
                    .into())
            }
            _ => {
                let message = format!(
                    "left of `in` stands an s-op or an atom, not {}",
                    left.kind()
                );
                Err(bad(message, *left_span, left)
                    .help("ask it of an s-op or an atom, like `tokens in [\"a\", \"b\"]`")
                    .into())
            }
        }
    }

    /// `x in [y, z]` of s-ops: as comparisons.
    fn one_by_one(&self, sides: &[Side; 2]) -> Option<String> {
        let member = operand(&self.written(sides[0].1)?);
        let elements = element_texts(&self.written(sides[1].1)?);
        let compared = elements
            .iter()
            .map(|element| format!("{member} == {}", operand(element)));
        let compared: Vec<String> = compared.collect();
        let fixed = Some(compared.join(" or ")).filter(|fixed| !fixed.is_empty());
        let fixed = fixed.unwrap_or_else(|| format!("{member} == indices"));
        Some(format!("for s-ops compare one by one: `{fixed}`"))
    }

    /// `atom in sop`: whether any position holds it, at every position. Costs a layer.
    fn contains(&mut self, value: &Value, id: SOpId, span: Span) -> Outcome<Meta> {
        let everything = match self.everything {
            Some(everything) => everything,
            None => {
                let one = self.add_sop(SOp::Constant(Value::Int(1)), span)?;
                let all = self.add_selector(
                    Selector::Compare {
                        keys: one,
                        queries: one,
                        comparison: Comparison::Equal,
                    },
                    span,
                )?;
                self.everything = Some(all);
                all
            }
        };
        let value = self.add_sop(SOp::Constant(value.clone()), span)?;
        let equal = self.add_map(Op::Compare(Comparison::Equal), vec![id, value], span)?;
        let indicator = self.add_map(Op::Indicator, vec![equal], span)?;
        let share = self.add_sop(
            SOp::Aggregate {
                selector: everything,
                value: indicator,
                default: Value::Int(0),
            },
            span,
        )?;
        let zero = self.add_sop(SOp::Constant(Value::Int(0)), span)?;
        let found = self.add_map(Op::Compare(Comparison::Greater), vec![share, zero], span)?;
        Ok(Meta::SOp(found))
    }

    /// The elements of a list, or the keys of a dict, each with its place.
    pub(crate) fn iterate(&mut self, cx: &Context, iterable: ExprId) -> Outcome<Vec<Side>> {
        match self.expression(cx, iterable)? {
            Meta::List(items) => {
                let spans = element_spans(&cx.ast, iterable, items.len());
                Ok(items.iter().cloned().zip(spans).collect())
            }
            Meta::Dict(dict) => Ok(dict
                .iter()
                .map(|(key, _)| (Meta::Atom(key.clone()), cx.ast.get(iterable).span))
                .collect()),
            other => {
                let diagnostic = Diagnostic::error(
                    Code::NotIterable,
                    format!(
                        "a loop runs over a list or a dict, not over {}",
                        other.kind()
                    ),
                )
                .at(
                    cx.ast.get(iterable).span,
                    format!("this is {}", other.kind()),
                );
                let at = cx.ast.get(iterable).span;
                let diagnostic = match &other {
                    Meta::Atom(Value::Int(int)) => {
                        diagnostic.help(format!("to count from 0: `range({int})`"))
                    }
                    Meta::SOp(_) => diagnostic.maybe_help(self.without_loop(cx, iterable)),
                    _ => diagnostic.maybe_help(self.as_list(&other, at, at)),
                };
                Err(match other {
                    Meta::SOp(_) => diagnostic.note(
                        "an s-op has no values until it is given an input; operators work on all its \
                         positions at once",
                    ),
                    _ => diagnostic,
                }
                .into())
            }
        }
    }

    /// Sets the names of a loop to one of its elements, taken apart if there are several names.
    pub(crate) fn bind_loop(
        &mut self,
        cx: &Context,
        names: &[Ident],
        (number, item): (usize, Side),
        iterable: ExprId,
    ) -> Outcome<()> {
        if let [name] = names {
            return self.assign(cx, name, item);
        }
        let (item, at) = item;
        let parts = self.unpack(&item, names.len(), at).map_err(|stop| {
            let whole = cx.ast.get(iterable).span;
            self.uneven_element(stop, (number, &item), names.len(), (at, whole))
        })?;
        for (name, part) in names.iter().zip(parts) {
            self.assign(cx, name, (part, at))?;
        }
        Ok(())
    }

    /// The `count` parts of a list, a string or a dict (its keys).
    pub(crate) fn unpack(&self, meta: &Meta, count: usize, span: Span) -> Outcome<Vec<Meta>> {
        let parts: Vec<Meta> = match meta {
            Meta::List(items) => items.to_vec(),
            Meta::Dict(dict) => dict
                .iter()
                .map(|(key, _)| Meta::Atom(key.clone()))
                .collect(),
            Meta::Atom(Value::Str(text)) => Value::characters(text)
                .into_iter()
                .map(Meta::Atom)
                .collect(),
            other => {
                return Err(Diagnostic::error(
                    Code::WrongCount,
                    format!("{} cannot be taken apart into {count} values", other.kind()),
                )
                .at(span, format!("this is {}", other.kind()))
                .maybe_help(
                    self.first_positions(other, count, span)
                        .or_else(|| Some("a single value takes one name, like `a`".to_string())),
                )
                .into());
            }
        };
        if parts.len() != count {
            return Err(Diagnostic::error(
                Code::WrongCount,
                format!("{count} names, but {}", counted(parts.len(), "value")),
            )
            .at(
                span,
                format!("this has {}", counted(parts.len(), "element")),
            )
            .maybe_help(names_for(parts.len()))
            .into());
        }
        Ok(parts)
    }
}

/// `1 value`, `2 values`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// Which indices a list or string of this length has.
fn indices_of(length: i64) -> String {
    match length {
        0 => "nothing is in it".to_string(),
        1 => "the only index is 0".to_string(),
        _ => format!(
            "the indices go from 0 to {}, or from -1 back to -{length}",
            length - 1
        ),
    }
}

fn entry(dict: &Dict, key: &Value, index_span: Span) -> Outcome<Meta> {
    dict.get(key).cloned().ok_or_else(|| {
        Diagnostic::error(
            Code::BadIndex,
            format!("there is no key {} in the dict", key.source()),
        )
        .at(index_span, known_keys(dict))
        .maybe_help(nearest_key(dict, key).or_else(|| first_key(dict, key)))
        .into()
    })
}

/// The key that was probably meant.
fn nearest_key(dict: &Dict, key: &Value) -> Option<String> {
    let Value::Str(key) = key else {
        return None;
    };
    let keys = dict.iter().filter_map(|(key, _)| match key {
        Value::Str(text) => Some(&**text),
        _ => None,
    });
    let nearest = crate::base::suggest::nearest(key, keys)?;
    Some(format!("did you mean `{}`?", Value::str(nearest).source()))
}

/// A key that the dict has, or the dict with this one.
fn first_key(dict: &Dict, key: &Value) -> Option<String> {
    Some(match dict.iter().next() {
        Some((first, _)) => format!("look up a key that is there, like `{}`", first.source()),
        None => format!("put the key in first: `{{{}: 0}}`", key.source()),
    })
}

fn known_keys(dict: &Dict) -> String {
    let keys: Vec<String> = dict.iter().take(8).map(|(key, _)| key.source()).collect();
    match (keys.is_empty(), dict.len() > keys.len()) {
        (true, _) => "the dict is empty".to_string(),
        (false, true) => format!("its keys are {}, …", keys.join(", ")),
        (false, false) => format!("its keys are {}", keys.join(", ")),
    }
}

/// A list, dict or string as it is now, for lookups by an s-op.
fn table(container: &Meta, span: Span) -> Outcome<Table> {
    let atom = |meta: &Meta| -> Outcome<Value> {
        match meta {
            Meta::Atom(value) => Ok(value.clone()),
            other => Err(Diagnostic::error(
                Code::AtomExpected,
                format!("what holds {} cannot be indexed by an s-op", other.kind()),
            )
            .at(span, format!("it holds {}", other.kind()))
            .note("only lists and dicts of atoms can")
            .help("choose between s-ops: `a if condition else b`")
            .into()),
        }
    };
    match container {
        Meta::List(items) => Ok(Table::List(items.iter().map(atom).collect::<Outcome<_>>()?)),
        Meta::Dict(dict) => {
            let entry = |(key, value): (&Value, &Meta)| Ok((key.clone(), atom(value)?));
            Ok(Table::Dict(dict.iter().map(entry).collect::<Outcome<_>>()?))
        }
        Meta::Atom(Value::Str(text)) => Ok(Table::Str(Value::characters(text))),
        _ => unreachable!("the caller has checked what is indexed"),
    }
}
