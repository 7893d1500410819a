//! Indexing, membership and iteration: what reaches into lists, dicts, strings and s-ops.

use super::expression::Context;
use super::fault::{Cause, Doubt};
use super::made::element_spans;
use super::meta::Meta;
use super::operator::{Side, never_equal};
use super::{Evaluator, Outcome};
use crate::base::Span;
use crate::graph::{SOp, SOpId, Selector};
use crate::syntax::ast::{ExprId, Ident};
use crate::value::{Comparison, Op, Table, TypeSet, Value};
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
            return Err(Cause::NotIndexable(container).into());
        }
        if let Meta::Scorer(_) = index {
            let lookup = Op::Lookup(Arc::new(table(&container)?));
            return self.map_scorers(lookup, &[(index, spans.1)], span);
        }
        if let Meta::SOp(id) = index {
            let table = table(&container)?;
            return Ok(Meta::SOp(self.add_map(
                Op::Lookup(Arc::new(table)),
                vec![id],
                span,
            )?));
        }
        index_value(&container, (index, spans.1))
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
            return Err(Cause::BadIndex {
                container: Meta::SOp(id),
                index: (index.clone(), index_span),
            }
            .into());
        };
        let at_constant = self.add_sop(SOp::Constant(Value::Int(at)), index_span)?;
        let position = if at >= 0 {
            at_constant
        } else {
            let length = match self.scopes.lookup(cx.scope, "length") {
                Some(Meta::SOp(length)) => *length,
                _ => return Err(Cause::NoLength.into()),
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
        match (&sides[0].0, &sides[1].0) {
            (Meta::SOp(_) | Meta::Scorer(_), Meta::List(items)) => {
                let atoms = items.iter().map(|item| item.as_atom().cloned());
                let Some(atoms) = atoms.collect::<Option<Vec<Value>>>() else {
                    return Err(Cause::Membership { sides }.into());
                };
                let Meta::SOp(id) = sides[0].0 else {
                    return self.map_scorers(Op::In(atoms.into()), &sides[..1], span);
                };
                let types = self.graph.types(id);
                let unequal = |value: &Value| never_equal(types, TypeSet::of(value));
                if self.calls == 0 && !atoms.is_empty() && atoms.iter().all(unequal) {
                    let items = atoms.clone();
                    self.doubt(Doubt::ConstantMembership { items, sides }, span);
                }
                let op = Op::In(atoms.into());
                Ok(Meta::SOp(self.add_map(op, vec![id], span)?))
            }
            (Meta::Atom(value), Meta::SOp(id)) => self.contains(value, *id, span),
            (left @ Meta::Atom(_), Meta::List(items)) => {
                for item in items.iter() {
                    if self.equal(left, item)? {
                        return Ok(Meta::Atom(Value::Bool(true)));
                    }
                }
                Ok(Meta::Atom(Value::Bool(false)))
            }
            _ => Err(Cause::Membership { sides }.into()),
        }
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
            other => Err(Cause::NotIterable((other, cx.ast.get(iterable).span)).into()),
        }
    }

    /// Sets the names of a loop to one of its elements, taken apart if there are several names.
    pub(crate) fn bind_loop(
        &mut self,
        cx: &Context,
        names: &[Ident],
        (number, item): (usize, Side),
    ) -> Outcome<()> {
        if let [name] = names {
            return self.assign(cx, name, item);
        }
        let (item, at) = item;
        let parts = self.unpack(&item, names.len(), at, Some(number))?;
        for (name, part) in names.iter().zip(parts) {
            self.assign(cx, name, (part, at))?;
        }
        Ok(())
    }

    /// The `count` parts of a list, a string or a dict (its keys).
    /// They may be those of an element of a loop.
    pub(crate) fn unpack(
        &self,
        meta: &Meta,
        names: usize,
        at: Span,
        number: Option<usize>,
    ) -> Outcome<Vec<Meta>> {
        let parts: Vec<Meta> = match meta {
            Meta::List(items) => items.to_vec(),
            Meta::Dict(dict) => {
                let keys = dict.iter().map(|(key, _)| key.clone());
                keys.map(Meta::Atom).collect()
            }
            Meta::Atom(Value::Str(text)) => {
                let characters = Value::characters(text).into_iter();
                characters.map(Meta::Atom).collect()
            }
            other => {
                let found = (other.clone(), at);
                let count = names;
                let element = number;
                return Err(Cause::NotSeveral {
                    found,
                    count,
                    element,
                }
                .into());
            }
        };
        match parts.len() == names {
            true => Ok(parts),
            false => Err(Cause::Count {
                names,
                values: parts.len(),
                at: Some(at),
                element: number.map(|number| (number, meta.clone())),
            }
            .into()),
        }
    }
}

/// A list, dict or string indexed by an atom.
fn index_value(container: &Meta, index: Side) -> Outcome<Meta> {
    let (Meta::Atom(key), at) = &index else {
        let container = container.clone();
        return Err(Cause::BadIndex { container, index }.into());
    };
    if let Meta::Dict(dict) = container {
        return dict.get(key).cloned().ok_or_else(|| {
            let (dict, key, at) = (container.clone(), key.clone(), *at);
            Cause::NoKey { dict, key, at }.into()
        });
    }
    let Some(asked) = key.as_int() else {
        let container = container.clone();
        return Err(Cause::BadIndex { container, index }.into());
    };
    let (found, length) = match container {
        Meta::Atom(Value::Str(text)) => {
            let characters = Value::characters(text);
            let found = element(&characters, asked).cloned().map(Meta::Atom);
            (found, characters.len())
        }
        Meta::List(items) => (element(items, asked).cloned(), items.len()),
        _ => unreachable!("the caller has checked what is indexed"),
    };
    found.ok_or_else(|| {
        let string = matches!(container, Meta::Atom(_));
        Cause::OutOfRange {
            index: asked,
            length,
            string,
            at: *at,
        }
        .into()
    })
}

/// An element by its place, from the end if that is negative.
fn element<T>(items: &[T], at: i64) -> Option<&T> {
    let from_start = match at < 0 {
        true => at.saturating_add(items.len() as i64),
        false => at,
    };
    items.get(usize::try_from(from_start).ok()?)
}

/// A list, dict or string as it is now, for lookups by an s-op.
fn table(container: &Meta) -> Outcome<Table> {
    let atom = |meta: &Meta| -> Outcome<Value> {
        match meta {
            Meta::Atom(value) => Ok(value.clone()),
            other => Err(Cause::NoTable(other.clone()).into()),
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
