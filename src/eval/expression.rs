//! Expressions: one arm a form, with the work in the modules named after the themes. Recursion
//! grows the stack as needed, so nesting is bounded by `Limits::expression_depth` alone.

use super::call::called_builtin;
use super::meta::{Body, Callable, Dict, Meta};
use super::operator::Side;
use super::scope::ScopeId;
use super::{ELEMENTS, Evaluator, Outcome, Stop, advise};
use crate::base::{Code, Diagnostic, Span};
use crate::diagnose::precedence::python_reading;
use crate::syntax::ast::{
    Ast, BinaryOperator, ExprId, ExprKind, Ident, Lambda, Name, Parameter, UnaryOperator,
};
use crate::value::{Comparison, Value};
use std::rc::Rc;
use std::sync::Arc;

/// Where an expression is evaluated.
#[derive(Clone)]
pub(crate) struct Context {
    pub ast: Rc<Ast>,
    pub scope: ScopeId,
    /// `console` or the path of the file, for the origin of functions.
    pub origin: Arc<str>,
}

impl Context {
    pub fn within(&self, scope: ScopeId) -> Context {
        Context {
            scope,
            ..self.clone()
        }
    }
}

impl Evaluator {
    /// The value of an expression.
    pub(crate) fn expression(&mut self, cx: &Context, id: ExprId) -> Outcome<Meta> {
        stacker::maybe_grow(96 * 1024, 2 * 1024 * 1024, || self.expression_here(cx, id))
            .map_err(|stop| self.with_origins(cx, stop, &cx.ast.get(id).kind.children()))
    }

    fn expression_here(&mut self, cx: &Context, id: ExprId) -> Outcome<Meta> {
        let expr = cx.ast.get(id);
        let span = expr.span;
        self.step(span)?;
        match &expr.kind {
            ExprKind::Error => Err(super::Stop::Broken),
            ExprKind::Name(name) => self.name(cx, name, span),
            ExprKind::Literal(value) => Ok(Meta::Atom(value.clone())),
            ExprKind::Parenthesized(inner) => self.expression(cx, *inner),
            ExprKind::List(items) => {
                let items = self.expressions(cx, items)?;
                self.nested(Meta::list(items), span)
            }
            // A tuple is a list: several s-ops where one could stand.
            ExprKind::Tuple(items) => {
                let items = self.expressions(cx, items)?;
                self.nested(Meta::list(items), span)
            }
            ExprKind::Dict(entries) => self.dict(cx, entries, span),
            ExprKind::ListComprehension {
                element,
                names,
                iterable,
            } => self.list_comprehension(cx, *element, (names, *iterable), span),
            ExprKind::DictComprehension {
                key,
                value,
                names,
                iterable,
            } => self.dict_comprehension(cx, (*key, *value), (names, *iterable), span),
            ExprKind::Unary { operator, operand } => self.unary_at(cx, *operator, *operand, span),
            ExprKind::Binary {
                operator,
                left,
                right,
            } => self.binary_at(cx, *operator, (*left, *right), id),
            ExprKind::Ternary {
                then,
                condition,
                otherwise,
            } => self.ternary(cx, [*then, *condition, *otherwise], span),
            ExprKind::Index { object, index } => {
                let container = self.expression(cx, *object)?;
                let position = self.expression(cx, *index)?;
                self.index(cx, container, position, (span, cx.ast.get(*index).span))
            }
            ExprKind::Call {
                function,
                arguments,
            } => self.call(cx, *function, arguments, span),
            ExprKind::Operator(comparison) => Err(stray_operator(*comparison, span).into()),
            ExprKind::Lambda(lambda) => self.lambda(cx, lambda, span),
        }
    }

    fn list_comprehension(
        &mut self,
        cx: &Context,
        element: ExprId,
        (names, iterable): (&[Ident], ExprId),
        span: Span,
    ) -> Outcome<Meta> {
        let mut items = Vec::new();
        self.comprehension(cx, names, iterable, |evaluator, cx| {
            items.push(evaluator.expression(cx, element)?);
            Ok(())
        })?;
        self.nested(Meta::list(items), span)
    }

    fn dict_comprehension(
        &mut self,
        cx: &Context,
        (key, value): (ExprId, ExprId),
        (names, iterable): (&[Ident], ExprId),
        span: Span,
    ) -> Outcome<Meta> {
        let mut dict = Dict::default();
        self.comprehension(cx, names, iterable, |evaluator, cx| {
            let key = evaluator.dict_key(cx, key)?;
            dict.insert(key, evaluator.expression(cx, value)?);
            Ok(())
        })?;
        self.nested(Meta::Dict(Rc::new(dict)), span)
    }

    fn binary_at(
        &mut self,
        cx: &Context,
        operator: BinaryOperator,
        (left, right): (ExprId, ExprId),
        id: ExprId,
    ) -> Outcome<Meta> {
        let a = self.expression(cx, left)?;
        let b = self
            .expression(cx, right)
            .map_err(|stop| self.regrouped(cx, stop, id))?;
        let sides = [(a, cx.ast.get(left).span), (b, cx.ast.get(right).span)];
        if let Some(error) = self.applied_too_early(cx, operator, &sides, id) {
            return Err(error.into());
        }
        self.binary(operator, sides, cx.ast.get(id).span)
            .map_err(|stop| self.regrouped(cx, stop, id))
    }

    pub(crate) fn expressions(&mut self, cx: &Context, ids: &[ExprId]) -> Outcome<Vec<Meta>> {
        ids.iter().map(|id| self.expression(cx, *id)).collect()
    }

    /// Refuses lists, dicts and functions that nest too deep or grow too long.
    pub(crate) fn nested(&self, meta: Meta, span: Span) -> Outcome<Meta> {
        if meta.depth() > self.limits.nesting {
            let what = ("nesting", "lists and dicts inside each other");
            return Err(self.limit(span, what, self.limits.nesting).into());
        }
        let length = match &meta {
            Meta::List(items) => items.len(),
            Meta::Dict(dict) => dict.len(),
            _ => 0,
        };
        if length > self.limits.collection_length {
            return Err(self
                .limit(span, ELEMENTS, self.limits.collection_length)
                .into());
        }
        Ok(meta)
    }

    fn name(&mut self, cx: &Context, name: &Name, span: Span) -> Outcome<Meta> {
        match self.scopes.lookup(cx.scope, name) {
            Some(Meta::Broken) => Err(super::Stop::Broken),
            Some(meta) => Ok(meta.clone()),
            None => Err(self.undefined(cx, name, span, None)),
        }
    }

    /// An operator on what an s-op gave on an input.
    fn applied_too_early(
        &self,
        cx: &Context,
        operator: BinaryOperator,
        sides: &[Side; 2],
        id: ExprId,
    ) -> Option<Diagnostic> {
        let ExprKind::Binary { left, right, .. } = cx.ast.get(id).kind else {
            return None;
        };
        let arithmetic = !matches!(
            operator,
            BinaryOperator::Compare(Comparison::Equal | Comparison::NotEqual)
                | BinaryOperator::And
                | BinaryOperator::Or
                | BinaryOperator::In
        );
        let applied = |side: &Side| matches!(side.0, Meta::Application(_));
        let call = if applied(&sides[0]) { left } else { right };
        let ExprKind::Call { function, .. } = cx.ast.get(call).kind else {
            return None;
        };
        (arithmetic && sides.iter().any(applied)).then(|| {
            let places = (
                cx.ast.get(call).span,
                cx.ast.get(function).span,
                cx.ast.get(id).span,
            );
            self.applied_operand(operator.symbol(), sides, places)
        })
    }

    /// `a in b and c`, which is `a in (b and c)`: what it would be in Python.
    fn regrouped(&self, cx: &Context, stop: Stop, id: ExprId) -> Stop {
        let Stop::Error(error) = stop else {
            return stop;
        };
        let text = &self.sources.get(cx.ast.get(id).span.source).text;
        let help = python_reading(&cx.ast, text, id);
        let ExprKind::Binary { right, .. } = cx.ast.get(id).kind else {
            return error.into();
        };
        // Mistakes deeper inside have nothing to do with how `in` binds.
        let whole = cx.ast.get(right).span;
        let beginning = |main: Span| whole.contains(main) && main.start == whole.start;
        let here = error.span().is_some_and(beginning);
        let types = matches!(error.code, Code::BadMembership | Code::OperandTypes);
        match help {
            Some(help) if here && types => error
                .note("`in` binds loosest of all operators: `a in b and c` is `a in (b and c)`")
                .help(format!("write `{help}`"))
                .into(),
            _ => advise(*error, &self.sources).into(),
        }
    }

    fn dict(&mut self, cx: &Context, entries: &[(ExprId, ExprId)], span: Span) -> Outcome<Meta> {
        let mut dict = Dict::default();
        for (key, value) in entries {
            let key = self.dict_key(cx, *key)?;
            dict.insert(key, self.expression(cx, *value)?);
        }
        self.nested(Meta::Dict(Rc::new(dict)), span)
    }

    fn dict_key(&mut self, cx: &Context, id: ExprId) -> Outcome<Value> {
        match self.expression(cx, id)? {
            Meta::Atom(value) => Ok(value),
            other => Err(Diagnostic::error(
                Code::AtomExpected,
                format!("a key of a dict is an atom, not {}", other.kind()),
            )
            .at(cx.ast.get(id).span, format!("this is {}", other.kind()))
            .help("write an atom as the key, like `{\"a\": 1}`")
            .into()),
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
        let inner = cx.within(self.scopes.add(Some(cx.scope)));
        for item in items.into_iter().enumerate() {
            self.bind_loop(&inner, names, item, iterable)?;
            body(self, &inner)?;
        }
        Ok(())
    }

    fn unary_at(
        &mut self,
        cx: &Context,
        operator: UnaryOperator,
        operand: ExprId,
        span: Span,
    ) -> Outcome<Meta> {
        let value = self.expression(cx, operand)?;
        let result = self.unary(operator, value, (span, cx.ast.get(operand).span));
        result.map_err(|stop| match stop {
            Stop::Error(error) => advise(*error, &self.sources).into(),
            Stop::Broken => stop,
        })
    }

    fn lambda(&mut self, cx: &Context, lambda: &Arc<Lambda>, span: Span) -> Outcome<Meta> {
        let parameters = self.parameters(cx, &lambda.parameters)?;
        let callable = Callable {
            name: "lambda".into(),
            origin: cx.origin.clone(),
            parameters,
            documentation: String::new(),
            body: Body::Lambda {
                ast: cx.ast.clone(),
                lambda: lambda.clone(),
                span,
                scope: cx.scope,
            },
        };
        self.nested(Meta::Function(Rc::new(callable)), span)
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
            if called_builtin(&parameter.ident.name).is_some() {
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

fn stray_operator(comparison: Comparison, span: Span) -> Diagnostic {
    let symbol = comparison.symbol();
    let message = format!("`{symbol}` can only stand as the third argument of `select`");
    Diagnostic::error(Code::WrongArguments, message)
        .at(span, "an operator without operands")
        .help(format!(
            "to hand over a comparison write a function: `lambda a, b: a {symbol} b`"
        ))
}
