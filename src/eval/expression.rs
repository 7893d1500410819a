//! Expressions: one arm a form, with the work in the modules named after the themes. Recursion
//! grows the stack as needed, so nesting is bounded by `Limits::expression_depth` alone.

use super::bytes::bytes;
use super::context::Context;
use super::fault::{Cause, Limit, limited};
use super::meta::{Body, Callable, Dict, Meta, Side};
use super::{Evaluator, Outcome, Stop};
use crate::base::{Held, Span};
use crate::builtin;
use crate::syntax::ast::{ExprId, ExprKind, Ident, Lambda, Name, Parameter};
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
        self.charge(1)?;
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
            ExprKind::Dict(entries) => {
                let mut dict = Dict::default();
                for entry in entries {
                    self.entry(cx, *entry, &mut dict)?;
                }
                self.keep(Meta::Dict(Arc::new(dict)))
            }
            ExprKind::ListComprehension {
                element,
                names,
                iterable,
            } => {
                let mut items = Vec::new();
                self.comprehension(cx, names, *iterable, |evaluator, cx| {
                    items.push(evaluator.expression(cx, *element)?);
                    Ok(())
                })?;
                self.keep(Meta::list(items))
            }
            ExprKind::DictComprehension {
                key,
                value,
                names,
                iterable,
            } => {
                let mut dict = Dict::default();
                self.comprehension(cx, names, *iterable, |evaluator, cx| {
                    evaluator.entry(cx, (*key, *value), &mut dict)
                })?;
                self.keep(Meta::Dict(Arc::new(dict)))
            }
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

    /// The value of an expression with its place.
    pub(crate) fn side(&mut self, cx: &Context, id: ExprId) -> Outcome<Side> {
        Ok((self.expression(cx, id)?, cx.span(id)))
    }

    /// The value of an expression with where that was made.
    pub(crate) fn made_side(&mut self, cx: &Context, id: ExprId) -> Outcome<Side> {
        Ok((self.expression(cx, id)?, self.made(cx, id)))
    }

    /// The values of expressions; one with a star gives each of its elements.
    pub(crate) fn expressions(&mut self, cx: &Context, ids: &[ExprId]) -> Outcome<Vec<Meta>> {
        let mut values = Vec::with_capacity(ids.len());
        for id in ids {
            if let ExprKind::Spread(list) = cx.ast.get(*id).kind {
                let items = self.spread(cx, list)?.into_iter();
                values.extend(items.map(|(item, _)| item));
            } else {
                values.push(self.expression(cx, *id)?);
            }
        }
        Ok(values)
    }

    /// A list, dict or function that was made: charged for its size and held, unless it nests too
    /// deep or is too large.
    pub(crate) fn keep(&mut self, mut meta: Meta) -> Outcome<Meta> {
        let deepest = self.limits.nesting;
        limited(meta.depth() > deepest, Limit::Nesting(deepest))?;
        let length = if let Meta::List(items) = &meta {
            items.len()
        } else if let Meta::Dict(dict) = &meta {
            dict.len()
        } else {
            return Ok(meta);
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
        let bound = self.limits.memory_bytes;
        limited(self.memory.held() > bound, Limit::Memory(bound))?;
        Ok(held)
    }

    /// Whether a list or dict may have this many elements.
    pub(crate) fn check_length(&self, length: usize) -> Outcome<()> {
        let bound = self.limits.collection_length;
        limited(length > bound, Limit::Elements(bound, Some(length as i128)))
    }

    fn name(&mut self, cx: &Context, name: &Name) -> Outcome<Meta> {
        match self.scopes.lookup(cx.scope, name) {
            Some(Meta::Broken) => Err(Stop::Broken),
            Some(meta) => Ok(meta.clone()),
            None => Err(Cause::Undefined(name.clone()).into()),
        }
    }

    fn entry(
        &mut self,
        cx: &Context,
        (key, value): (ExprId, ExprId),
        dict: &mut Dict,
    ) -> Outcome<()> {
        let key = match self.side(cx, key)? {
            (Meta::Atom(key), _) => key,
            other => return Err(Cause::DictKey(other).into()),
        };
        dict.insert(key, self.expression(cx, value)?);
        Ok(())
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
            let default = parameter.default.map(|id| self.expression(cx, id));
            let default = default.transpose()?;
            bound.push((parameter.ident.name.clone(), default));
        }
        Ok(bound)
    }
}

/// Whether the last parameter takes all further arguments.
pub(super) fn takes_rest(parameters: &[Parameter]) -> bool {
    parameters.last().is_some_and(|last| last.rest)
}
