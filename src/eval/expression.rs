//! Expressions: one arm a form, with the work in the modules named after the themes. Recursion
//! grows the stack as needed, so nesting is bounded by `Limits::expression_depth` alone.

use super::bytes::bytes;
use super::context::Context;
use super::fault::{Cause, Limit};
use super::meta::{Body, Callable, Dict, Meta, Side};
use super::{Evaluator, Outcome, Stop};
use crate::base::{Held, Span};
use crate::builtin;
use crate::syntax::ast::{ExprId, ExprKind, Ident, Lambda, Name, Parameter};
use crate::value::Value;
use std::sync::Arc;

impl Evaluator {
    /// The value of an expression.
    pub(crate) fn expression(&mut self, cx: &Context, id: ExprId) -> Outcome<Meta> {
        stacker::maybe_grow(96 * 1024, 2 * 1024 * 1024, || self.expression_here(cx, id))
            .map_err(|stop| stop.at(|| cx.site(id)))
    }

    fn expression_here(&mut self, cx: &Context, id: ExprId) -> Outcome<Meta> {
        let expr = cx.ast.get(id);
        let span = expr.span;
        self.step()?;
        match &expr.kind {
            ExprKind::Error => Err(Stop::Broken),
            ExprKind::Name(name) => self.name(cx, name),
            ExprKind::Literal(value) => Ok(Meta::Atom(value.clone())),
            ExprKind::Parenthesized(inner) => self.expression(cx, *inner),
            // A tuple is a list: several s-ops where one could stand.
            ExprKind::List(items) | ExprKind::Tuple(items) => {
                let items = self.expressions(cx, items)?;
                self.keep(Meta::list(items))
            }
            ExprKind::Spread(_) => Err(Cause::StraySpread(span).into()),
            ExprKind::Dict(entries) => self.dict(cx, entries),
            ExprKind::ListComprehension {
                element,
                names,
                iterable,
            } => self.list_comprehension(cx, *element, (names, *iterable)),
            ExprKind::DictComprehension {
                key,
                value,
                names,
                iterable,
            } => self.dict_comprehension(cx, (*key, *value), (names, *iterable)),
            ExprKind::Unary { operator, operand } => {
                let operand = self.side(cx, *operand)?;
                self.unary(*operator, operand, span)
            }
            ExprKind::Binary {
                operator,
                left,
                right,
            } => {
                let sides = [self.side(cx, *left)?, self.side(cx, *right)?];
                self.binary(*operator, sides, span)
            }
            ExprKind::Ternary {
                then,
                condition,
                otherwise,
            } => self.ternary(cx, [*then, *condition, *otherwise], span),
            ExprKind::Index { object, index } => {
                let container = self.expression(cx, *object)?;
                let index = self.side(cx, *index)?;
                self.index(cx, container, index, span)
            }
            ExprKind::Call {
                function,
                arguments,
            } => self.call(cx, *function, arguments, id),
            ExprKind::Operator(comparison) => Err(Cause::StrayOperator(*comparison).into()),
            ExprKind::Lambda(lambda) => self.lambda(cx, lambda, span),
        }
    }

    fn list_comprehension(
        &mut self,
        cx: &Context,
        element: ExprId,
        (names, iterable): (&[Ident], ExprId),
    ) -> Outcome<Meta> {
        let mut items = Vec::new();
        self.comprehension(cx, names, iterable, |evaluator, cx| {
            items.push(evaluator.expression(cx, element)?);
            Ok(())
        })?;
        self.keep(Meta::list(items))
    }

    fn dict_comprehension(
        &mut self,
        cx: &Context,
        (key, value): (ExprId, ExprId),
        (names, iterable): (&[Ident], ExprId),
    ) -> Outcome<Meta> {
        let mut dict = Dict::default();
        self.comprehension(cx, names, iterable, |evaluator, cx| {
            let key = evaluator.dict_key(cx, key)?;
            dict.insert(key, evaluator.expression(cx, value)?);
            Ok(())
        })?;
        self.keep(Meta::Dict(Arc::new(dict)))
    }

    /// The value of an expression with its place.
    pub(crate) fn side(&mut self, cx: &Context, id: ExprId) -> Outcome<Side> {
        Ok((self.expression(cx, id)?, cx.span(id)))
    }

    /// The values of expressions; one with a star gives each of its elements.
    pub(crate) fn expressions(&mut self, cx: &Context, ids: &[ExprId]) -> Outcome<Vec<Meta>> {
        let mut values = Vec::with_capacity(ids.len());
        for id in ids {
            match cx.ast.get(*id).kind {
                ExprKind::Spread(list) => {
                    let items = self.spread(cx, list)?.into_iter();
                    values.extend(items.map(|(item, _)| item));
                }
                _ => values.push(self.expression(cx, *id)?),
            }
        }
        Ok(values)
    }

    /// A list, dict or function that was made: charged for its size and held, unless it nests too
    /// deep or is too large.
    pub(crate) fn keep(&mut self, mut meta: Meta) -> Outcome<Meta> {
        if meta.depth() > self.limits.nesting {
            return Err(Cause::Limit(Limit::Nesting(self.limits.nesting)).into());
        }
        let length = match &meta {
            Meta::List(items) => items.len(),
            Meta::Dict(dict) => dict.len(),
            _ => return Ok(meta),
        };
        self.check_length(length)?;
        self.charge(length as u64)?;
        let held = self.held(&meta)?;
        meta.hold(held);
        Ok(meta)
    }

    /// Counts the bytes of a value, unless they are too many.
    pub(crate) fn held(&self, meta: &Meta) -> Outcome<Held> {
        let held = self.memory.hold(bytes(meta));
        match self.memory.held() > self.limits.memory_bytes {
            true => Err(Cause::Limit(Limit::Memory(self.limits.memory_bytes)).into()),
            false => Ok(held),
        }
    }

    /// Whether a list or dict may have this many elements.
    pub(crate) fn check_length(&self, length: usize) -> Outcome<()> {
        let bound = self.limits.collection_length;
        match length > bound {
            true => Err(Cause::Limit(Limit::Elements(bound, Some(length as i128))).into()),
            false => Ok(()),
        }
    }

    fn name(&mut self, cx: &Context, name: &Name) -> Outcome<Meta> {
        match self.scopes.lookup(cx.scope, name) {
            Some(Meta::Broken) => Err(Stop::Broken),
            Some(meta) => Ok(meta.clone()),
            None => Err(Cause::Undefined(name.clone()).into()),
        }
    }

    fn dict(&mut self, cx: &Context, entries: &[(ExprId, ExprId)]) -> Outcome<Meta> {
        let mut dict = Dict::default();
        for (key, value) in entries {
            let key = self.dict_key(cx, *key)?;
            dict.insert(key, self.expression(cx, *value)?);
        }
        self.keep(Meta::Dict(Arc::new(dict)))
    }

    fn dict_key(&mut self, cx: &Context, id: ExprId) -> Outcome<Value> {
        match self.side(cx, id)? {
            (Meta::Atom(value), _) => Ok(value),
            other => Err(Cause::DictKey(other).into()),
        }
    }

    /// Runs `body` once for each element, in a scope of its own.
    fn comprehension(
        &mut self,
        cx: &Context,
        names: &[Ident],
        iterable: ExprId,
        mut body: impl FnMut(&mut Evaluator, &Context) -> Outcome<()>,
    ) -> Outcome<()> {
        let items = self.iterate(cx, iterable)?;
        let inner = cx.within(self.inner_scope(cx.scope)?);
        for item in items.into_iter().enumerate() {
            self.bind_loop(&inner, names, item)?;
            body(self, &inner)?;
        }
        Ok(())
    }

    fn lambda(&mut self, cx: &Context, lambda: &Arc<Lambda>, span: Span) -> Outcome<Meta> {
        let parameters = self.parameters(cx, &lambda.parameters)?;
        let callable = Callable {
            name: "lambda".into(),
            origin: cx.origin.clone(),
            parameters,
            rest: takes_rest(&lambda.parameters),
            documentation: String::new(),
            body: Body::Lambda {
                ast: cx.ast.clone(),
                lambda: lambda.clone(),
                span,
                scope: cx.scope,
            },
        };
        self.keep(Meta::Function(Arc::new(callable)))
    }

    /// Parameters with their defaults, which are evaluated where the function is made.
    pub(crate) fn parameters(
        &mut self,
        cx: &Context,
        parameters: &[Parameter],
    ) -> Outcome<Vec<(Name, Option<Meta>)>> {
        let mut bound = Vec::with_capacity(parameters.len());
        for parameter in parameters {
            self.check_parameter(&parameter.ident)?;
            if builtin::called(&parameter.ident.name).is_some() {
                self.warn_other_meaning(cx, &parameter.ident);
            }
            let default = match parameter.default {
                Some(id) => Some(self.expression(cx, id)?),
                None => None,
            };
            bound.push((parameter.ident.name.clone(), default));
        }
        Ok(bound)
    }
}

/// Whether the last parameter takes all further arguments.
pub(super) fn takes_rest(parameters: &[Parameter]) -> bool {
    parameters.last().is_some_and(|last| last.rest)
}
