//! Calls: of functions, with positional and named arguments and defaults, and of s-ops and
//! selectors, which applies them to an input.

use super::context::Context;
use super::fault::{Argument as Wrong, Call, Cause, Doubtful, Limit};
use super::meta::{Body, Callable, Meta, Side};
use super::{Evaluator, Outcome};
use crate::base::Span;
use crate::builtin;
use crate::interpret::Applicable;
use crate::syntax::ast::{Argument, ExprId, ExprKind, Name};
use crate::value::Value;
use std::sync::Arc;

impl Evaluator {
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else is called")]
    pub(crate) fn call(
        &mut self,
        cx: &Context,
        function: ExprId,
        arguments: &[Argument],
        id: ExprId,
    ) -> Outcome<Meta> {
        let span = cx.span(id);
        if let ExprKind::Name(name) = &cx.ast.get(function).kind {
            if let Some(builtin) = builtin::called(name) {
                return self.builtin(cx, builtin, arguments, span);
            }
            if self.scopes.lookup(cx.scope, name).is_none() {
                return Err(Cause::Undefined(name.clone()).into());
            }
        }
        match self.expression(cx, function)? {
            Meta::Function(callable) => match callable.body {
                Body::Builtin(builtin) => self.builtin(cx, builtin, arguments, span),
                Body::Defined { .. } | Body::Lambda { .. } => {
                    let called = match cx.ast.get(function).kind {
                        ExprKind::Name(ref name) => name,
                        _ => &callable.name,
                    };
                    let bound = self.arguments(cx, (called, &callable), arguments)?;
                    let result = self.invoke(&callable, bound.clone(), span);
                    if let Ok(made) = &result {
                        self.doubt(Doubtful::Made(made.clone()), bound.clone(), span);
                    }
                    let call = || Call {
                        name: callable.name.clone(),
                        span,
                        whole: span,
                        arguments: bound,
                        site: Some(cx.site(id)),
                    };
                    result.map_err(|stop| stop.within(call, span))
                }
            },
            other => match other.as_applicable() {
                Some(applicable) => self.apply(cx, (other, applicable), arguments, span),
                None => Err(Cause::NotCallable(other).into()),
            },
        }
    }

    /// The arguments in the order of the parameters, defaults filled in; those that no other
    /// parameter takes as one list, if there is a parameter for them.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other is taken apart")]
    fn arguments(
        &mut self,
        cx: &Context,
        (called, callable): (&Name, &Arc<Callable>),
        arguments: &[Argument],
    ) -> Outcome<Vec<Side>> {
        let wrong = |wrong| Cause::Arguments {
            called: called.clone(),
            callable: callable.clone(),
            wrong,
        };
        let (single, most) = (callable.single(), callable.takes().1);
        let spread = |id: ExprId| match cx.ast.get(id).kind {
            ExprKind::Spread(list) => Some(list),
            _ => None,
        };
        // What is given too much is told before anything is evaluated, where that can be seen.
        let positional = arguments.iter().filter(|argument| argument.name.is_none());
        let extra = positional.clone().skip(most).last();
        let written = !positional.clone().any(|it| spread(it.value).is_some());
        if let Some(extra) = extra.filter(|_| written) {
            let given = positional.count();
            let at = cx.span(extra.value);
            return Err(wrong(Wrong::Count { given, at }).into());
        }
        let mut bound: Vec<Option<Side>> = vec![None; single.len()];
        let mut given: Vec<Side> = Vec::new();
        for argument in arguments {
            let at = cx.span(argument.value);
            let taken = |slot: usize| {
                let parameter = single[slot].0.clone();
                wrong(Wrong::Twice { parameter, at })
            };
            if let Some(ident) = &argument.name {
                let slot = single.iter().position(|(name, _)| *name == ident.name);
                let slot = slot.ok_or_else(|| wrong(Wrong::Unknown(ident.clone())))?;
                if bound[slot].is_some() || slot < given.len() {
                    return Err(taken(slot).into());
                }
                bound[slot] = Some(self.made_side(cx, argument.value)?);
                continue;
            }
            match spread(argument.value) {
                Some(list) => given.extend(self.spread(cx, list)?),
                None => given.push(self.made_side(cx, argument.value)?),
            }
            if given.len() > most {
                let given = given.len();
                return Err(wrong(Wrong::Count { given, at }).into());
            }
            let twice = bound.iter().take(given.len()).position(Option::is_some);
            if let Some(slot) = twice {
                return Err(taken(slot).into());
            }
        }
        let rest = given.split_off(given.len().min(single.len()));
        for (slot, given) in bound.iter_mut().zip(given) {
            *slot = Some(given);
        }
        let missing = |name: &Name| wrong(Wrong::Missing(name.clone()));
        let complete = complete(callable, bound).map_err(missing)?;
        self.with_rest(callable, complete, rest)
    }

    /// The arguments with those that the last parameter takes together as a list.
    fn with_rest(
        &mut self,
        callable: &Callable,
        mut arguments: Vec<Side>,
        rest: Vec<Side>,
    ) -> Outcome<Vec<Side>> {
        if callable.rest {
            let place = rest.first().map_or(Span::BUILT_IN, |(_, at)| *at);
            let items = rest.into_iter().map(|(item, _)| item).collect();
            arguments.push((self.keep(Meta::list(items))?, place));
        }
        Ok(arguments)
    }

    /// Runs any function on values that are no expressions.
    pub(crate) fn invoke_any(
        &mut self,
        callable: &Arc<Callable>,
        mut arguments: Vec<Side>,
        (at, whole): (Span, Span),
    ) -> Outcome<Meta> {
        let (given, single) = (arguments.len(), callable.single().len());
        let rest = arguments.split_off(given.min(single));
        let mut bound: Vec<Option<Side>> = arguments.into_iter().map(Some).collect();
        bound.resize(single, None);
        let fits = given <= callable.takes().1;
        let complete = complete(callable, bound).ok().filter(|_| fits);
        let Some(arguments) = complete else {
            return Err(Cause::Arity(callable.clone(), given, at).into());
        };
        if let Body::Builtin(builtin) = callable.body {
            return Err(Cause::BuiltinHandedOver(builtin, at).into());
        }
        let arguments = self.with_rest(callable, arguments, rest)?;
        let call = || Call {
            name: callable.name.clone(),
            span: at,
            whole,
            arguments: arguments.clone(),
            site: None,
        };
        let result = self.invoke(callable, arguments.clone(), at);
        result.map_err(|stop| stop.within(call, at))
    }

    /// Runs a function of the program on its arguments.
    pub(crate) fn invoke(
        &mut self,
        callable: &Arc<Callable>,
        arguments: Vec<Side>,
        span: Span,
    ) -> Outcome<Meta> {
        let bound = self.limits.call_depth;
        if self.calls >= bound {
            let callable = callable.clone();
            return Err(Cause::Limit(Limit::Calls { bound, callable }).into());
        }
        self.calls += 1;
        self.origins.enter(&callable.name, span);
        let result = self.run_body(callable, arguments);
        self.origins.leave();
        self.calls -= 1;
        result
    }

    fn run_body(&mut self, callable: &Arc<Callable>, arguments: Vec<Side>) -> Outcome<Meta> {
        let (ast, parent) = match &callable.body {
            Body::Defined { ast, scope, .. } | Body::Lambda { ast, scope, .. } => (ast, *scope),
            Body::Builtin(_) => unreachable!("built-in functions are called by `builtin`"),
        };
        let scope = self.inner_scope(parent)?;
        for ((name, _), argument) in callable.parameters.iter().zip(arguments) {
            self.scopes.set(scope, name.clone(), argument);
        }
        let cx = Context::new(ast, scope, &format!("{}'", callable.origin));
        match &callable.body {
            Body::Lambda { lambda, .. } => self.expression(&cx, lambda.body),
            Body::Defined { function, .. } => {
                for statement in &function.body {
                    self.statement(&cx, statement, &mut Vec::new())?;
                }
                match function.results.as_slice() {
                    [single] => self.expression(&cx, *single),
                    several => {
                        let results = self.expressions(&cx, several)?;
                        self.keep(Meta::list(results))
                    }
                }
            }
            Body::Builtin(_) => unreachable!("answered above"),
        }
    }

    /// An s-op, selector or scorer applied to an input.
    fn apply(
        &mut self,
        cx: &Context,
        (applied, applicable): (Meta, Applicable),
        arguments: &[Argument],
        span: Span,
    ) -> Outcome<Meta> {
        let [argument] = arguments else {
            return Err(Cause::InputCount(applied, arguments.len()).into());
        };
        let input = self.side(cx, argument.value)?;
        let input = self.tokens(Some(&applied), input)?;
        let size = input.len() as u64;
        let pairs = size.saturating_mul(size);
        self.charge(match applicable {
            Applicable::SOp(_) => size,
            Applicable::Selector(_) => pairs / 64,
            Applicable::Scorer(_) => pairs,
        })?;
        let application = applicable.on(&self.graph, input, &self.limits);
        let application = application.map_err(|failed| Cause::OnInput(failed, span))?;
        Ok(Meta::Application(Arc::new(application)))
    }

    /// The tokens of an input.
    ///
    /// # Errors
    /// Anything but a non-empty string, list of atoms, or dict.
    pub(crate) fn tokens(&self, applied: Option<&Meta>, input: Side) -> Outcome<Vec<Value>> {
        let tokens = input.0.as_tokens().filter(|tokens| !tokens.is_empty());
        tokens.ok_or_else(|| Cause::NoInput(applied.cloned(), input).into())
    }
}

/// The argument of each parameter that takes one, defaults filled in.
///
/// # Errors
/// The name of the first parameter without one.
fn complete(callable: &Callable, bound: Vec<Option<Side>>) -> Result<Vec<Side>, &Name> {
    let parameters = bound.into_iter().zip(callable.single()).enumerate();
    let filled = parameters.map(|(at, (given, (name, default)))| {
        let made = || callable.default_span(at).unwrap_or(Span::BUILT_IN);
        let default = || default.clone().map(|default| (default, made()));
        given.or_else(default).ok_or(name)
    });
    filled.collect()
}
