//! Indexing, membership and iteration: what reaches into lists, dicts, strings and s-ops.

use super::context::Context;
use super::fault::{Cause, Doubtful};
use super::meta::{Meta, Side};
use super::operator::{long, never_equal};
use super::provenance::element_spans;
use super::{Evaluator, Outcome};
use crate::base::Span;
use crate::graph::{SOp, SOpId};
use crate::syntax::ast::{ExprId, Ident};
use crate::value::{Comparison, Op, Table, TypeSet, Value};
use std::sync::Arc;

impl Evaluator {
    /// `container[index]`
    #[expect(clippy::wildcard_enum_match_arm, reason = "any other index is a value")]
    pub(crate) fn index(
        &mut self,
        cx: &Context,
        container: Meta,
        index: Side,
        span: Span,
    ) -> Outcome<Meta> {
        if let Meta::SOp(id) = container {
            return self.index_sop(cx, id, index, span);
        }
        // A table is copied, and a string is counted, from its start.
        self.charge(match (&container, &index.0) {
            (Meta::List(items), Meta::SOp(_) | Meta::Scorer(_)) => items.len() as u64,
            (Meta::Dict(dict), Meta::SOp(_) | Meta::Scorer(_)) => dict.len() as u64,
            (Meta::List(_) | Meta::Dict(_), _) => 0,
            (Meta::Atom(text @ Value::Str(_)), _) => long(text),
            _ => return Err(Cause::NotIndexable(container).into()),
        })?;
        let lookup = || table(&container).map(|table| Op::Lookup(Arc::new(table)));
        match index.0 {
            Meta::Scorer(_) => self.map_scorers(lookup()?, &[index], span),
            Meta::SOp(id) => Ok(Meta::SOp(self.add_map(lookup()?, vec![id], span)?)),
            _ => index_value(container, index),
        }
    }

    /// `sop[k]`: the value at position k, from the end if k is negative, at every position.
    fn index_sop(&mut self, cx: &Context, id: SOpId, index: Side, span: Span) -> Outcome<Meta> {
        let Some(at) = index.0.as_atom().and_then(Value::as_int) else {
            return Err(Cause::BadIndex(Meta::SOp(id), index).into());
        };
        let at_constant = self.add_constant(Value::Int(at), index.1)?;
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
        let selector = self.add_comparison([indices, position], Comparison::Equal, span)?;
        let fetched = self.add_aggregate(selector, id, Value::Int(0), span)?;
        Ok(Meta::SOp(fetched))
    }

    /// `left in right`
    pub(crate) fn membership(&mut self, sides: [Side; 2], span: Span) -> Outcome<Meta> {
        match (&sides[0].0, &sides[1].0) {
            (Meta::SOp(_) | Meta::Scorer(_), Meta::List(items)) => {
                self.charge(items.len() as u64)?;
                let atoms = items.iter().map(|item| item.as_atom().cloned());
                let Some(atoms) = atoms.collect::<Option<Vec<Value>>>() else {
                    return Err(Cause::Membership(sides).into());
                };
                let Meta::SOp(id) = sides[0].0 else {
                    return self.map_scorers(Op::In(atoms.into()), &sides[..1], span);
                };
                let types = self.graph.types(id);
                let unequal = |value: &Value| never_equal(types, TypeSet::of(value));
                if !atoms.is_empty() && atoms.iter().all(unequal) {
                    let doubt = Doubtful::ConstantMembership(atoms.clone());
                    self.doubt(doubt, sides, span);
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
            _ => Err(Cause::Membership(sides).into()),
        }
    }

    /// `atom in sop`: whether any position holds it, at every position. Costs a layer.
    fn contains(&mut self, value: &Value, id: SOpId, span: Span) -> Outcome<Meta> {
        let everything = match self.everything {
            Some(everything) => everything,
            None => {
                let one = self.add_constant(Value::Int(1), span)?;
                let all = self.add_comparison([one, one], Comparison::Equal, span)?;
                self.everything = Some(all);
                all
            }
        };
        let value = self.add_constant(value.clone(), span)?;
        let equal = self.add_map(Op::Compare(Comparison::Equal), vec![id, value], span)?;
        let indicator = self.add_map(Op::Indicator, vec![equal], span)?;
        let share = self.add_aggregate(everything, indicator, Value::Int(0), span)?;
        let zero = self.add_constant(Value::Int(0), span)?;
        let found = self.add_map(Op::Compare(Comparison::Greater), vec![share, zero], span)?;
        Ok(Meta::SOp(found))
    }

    /// The elements of a list, or the keys of a dict, each with its place.
    pub(crate) fn iterate(&mut self, cx: &Context, iterable: ExprId) -> Outcome<Vec<Side>> {
        let found = self.expression(cx, iterable)?;
        self.elements(cx, iterable, found)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else has elements")]
    fn elements(&self, cx: &Context, iterable: ExprId, found: Meta) -> Outcome<Vec<Side>> {
        let at = cx.span(iterable);
        match found {
            Meta::List(items) => {
                let spans = element_spans(&cx.ast, iterable, items.len());
                Ok(items.iter().cloned().zip(spans).collect())
            }
            Meta::Dict(dict) => {
                let keys = dict.iter().map(|(key, _)| Meta::Atom(key.clone()));
                Ok(keys.map(|key| (key, at)).collect())
            }
            other => Err(Cause::NotIterable((other, at)).into()),
        }
    }

    /// What `*list` stands for: the elements. An s-op is itself, as a tuple of one.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other is taken apart")]
    pub(crate) fn spread(&mut self, cx: &Context, list: ExprId) -> Outcome<Vec<Side>> {
        match self.expression(cx, list)? {
            sop @ Meta::SOp(_) => Ok(vec![(sop, self.made(cx, list))]),
            listed @ (Meta::List(_) | Meta::Dict(_)) => self.elements(cx, list, listed),
            other => Err(Cause::NotSpread((other, cx.span(list))).into()),
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
        let parts = self.unpack((&item, at), names.len(), Some(number))?;
        for (name, part) in names.iter().zip(parts) {
            self.assign(cx, name, (part, at))?;
        }
        Ok(())
    }

    /// The `count` parts of a list, a string or a dict (its keys).
    /// They may be those of an element of a loop.
    pub(crate) fn unpack(
        &self,
        (meta, at): (&Meta, Span),
        names: usize,
        number: Option<usize>,
    ) -> Outcome<Vec<Meta>> {
        let parts: Vec<Meta> = match (meta, meta.as_tokens()) {
            (Meta::List(items), _) => items.to_vec(),
            (_, Some(tokens)) => tokens.into_iter().map(Meta::Atom).collect(),
            (other, None) => {
                return Err(Cause::NotSeveral {
                    found: (other.clone(), at),
                    count: names,
                    element: number,
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
                element: number,
            }
            .into()),
        }
    }
}

/// A list, dict or string indexed by an atom.
#[expect(clippy::wildcard_enum_match_arm, reason = "others have no elements")]
fn index_value(container: Meta, index: Side) -> Outcome<Meta> {
    let Meta::Atom(key) = &index.0 else {
        return Err(Cause::BadIndex(container, index).into());
    };
    if let Meta::Dict(dict) = &container {
        let found = dict.get(key).cloned();
        return found.ok_or_else(|| Cause::NoKey(container.clone(), key.clone(), index.1).into());
    }
    let Some(asked) = key.as_int() else {
        return Err(Cause::BadIndex(container, index).into());
    };
    let length = match &container {
        Meta::List(items) => items.len(),
        Meta::Atom(Value::Str(text)) => text.chars().count(),
        _ => 0,
    };
    let from_start = match asked < 0 {
        true => asked.saturating_add(length as i64),
        false => asked,
    };
    let at = usize::try_from(from_start).unwrap_or(length);
    let found = match &container {
        Meta::List(items) => items.get(at).cloned(),
        Meta::Atom(Value::Str(text)) => {
            let found = text.chars().nth(at);
            found.map(|it| Meta::Atom(Value::str(it.encode_utf8(&mut [0; 4]))))
        }
        _ => None,
    };
    found.ok_or_else(|| {
        Cause::OutOfRange {
            index: asked,
            length,
            string: !matches!(container, Meta::List(_)),
            at: index.1,
        }
        .into()
    })
}

/// A list, dict or string as it is now, for lookups by an s-op.
#[expect(clippy::wildcard_enum_match_arm, reason = "others are not indexed")]
fn table(container: &Meta) -> Outcome<Table> {
    let atom = |meta: &Meta| -> Outcome<Value> {
        let atom = meta.as_atom().cloned();
        atom.ok_or_else(|| Cause::NoTable(meta.clone()).into())
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
