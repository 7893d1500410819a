//! Calls: of functions, with positional and named arguments and defaults, and of s-ops and
//! selectors, which applies them to an input.

use super::expression::Context;
use super::meta::{Application, Body, Callable, Meta};
use super::operator::Side;
use super::{Evaluator, Outcome, Stop};
use crate::base::{Code, Diagnostic, Span};
use crate::builtin::{Builtin, Kind};
use crate::interpret;
use crate::syntax::ast::{Argument, ExprId, ExprKind, Name};
use crate::value::Value;
use std::rc::Rc;

/// Calls shown on the path to an error.
const SHOWN_CALLS: usize = 3;

/// How the label of such a call begins.
const IN_CALL: &str = "in this call of";

impl Evaluator {
    pub(crate) fn call(
        &mut self,
        cx: &Context,
        function: ExprId,
        arguments: &[Argument],
        span: Span,
    ) -> Outcome<Meta> {
        if let ExprKind::Name(name) = &cx.ast.get(function).kind
            && let Some(builtin) = called_builtin(name)
        {
            let result = self.builtin(cx, builtin, arguments, span);
            return result.map_err(|stop| self.still_builtin(cx, stop, name));
        }
        let function_span = cx.ast.get(function).span;
        if let ExprKind::Name(name) = &cx.ast.get(function).kind
            && self.scopes.lookup(cx.scope, name).is_none()
        {
            return Err(self.undefined(cx, name, function_span, Some(arguments)));
        }
        match self.expression(cx, function)? {
            Meta::Function(callable) => match callable.body {
                Body::Builtin(builtin) => self.builtin(cx, builtin, arguments, span),
                Body::Defined { .. } | Body::Lambda { .. } => {
                    let called = match cx.ast.get(function).kind {
                        ExprKind::Name(ref name) => name,
                        _ => &callable.name,
                    };
                    let bound = self.arguments(cx, (called, &callable), arguments, span)?;
                    self.invoke(&callable, bound.clone(), span)
                        .map_err(|stop| {
                            let (given, made) = self.given(cx, arguments, &bound);
                            self.with_fitting_argument(stop, &given, &made, span)
                        })
                        .map_err(|stop| self.of_library(cx, stop, (arguments, &bound), span))
                }
            },
            applied @ (Meta::SOp(_) | Meta::Selector(_)) => {
                self.apply(cx, &applied, arguments, (function_span, span))
            }
            other => Err(Diagnostic::error(
                Code::NotCallable,
                format!("{} cannot be called", other.kind()),
            )
            .at(function_span, format!("this is {}", other.kind()))
            .note("functions can be called, and s-ops and selectors can be applied to an input")
            .maybe_help(self.called_container(cx, &other, (function_span, arguments)))
            .into()),
        }
    }

    /// The arguments in the order of the parameters, defaults filled in.
    fn arguments(
        &mut self,
        cx: &Context,
        (called, callable): (&Name, &Callable),
        arguments: &[Argument],
        span: Span,
    ) -> Outcome<Vec<Side>> {
        let wrong = |message, at, text| wrong_arguments((called, callable), message, at, text);
        let count = callable.parameters.len();
        let positional = arguments
            .iter()
            .filter(|argument| argument.name.is_none())
            .count();
        if positional > count {
            let message = format!("`{called}` takes {}, not {positional}", plural(count));
            let extra = arguments.iter().filter(|argument| argument.name.is_none());
            let extra = extra.map(|argument| cx.ast.get(argument.value).span);
            return Err(wrong(
                message,
                extra.skip(count).last().unwrap_or(span),
                "there is no parameter for this".to_string(),
            ));
        }
        let mut bound: Vec<Option<Side>> = vec![None; count];
        let mut next = 0;
        for argument in arguments {
            let at = cx.ast.get(argument.value).span;
            let slot = match &argument.name {
                None => {
                    next += 1;
                    next - 1
                }
                Some(ident) => parameter(callable, &ident.name).map_err(|text| {
                    let message = format!("`{called}` has no parameter `{}`", ident.name);
                    wrong(message, ident.span, text)
                })?,
            };
            if bound[slot].is_some() {
                let message = format!("`{}` is given twice", callable.parameters[slot].0);
                return Err(wrong(message, at, "given again here".to_string()));
            }
            let value = self.expression(cx, argument.value)?;
            bound[slot] = Some((value, self.made(cx, argument.value)));
        }
        complete(callable, bound).map_err(|name| {
            let message = format!("`{called}` takes {}; `{name}` is missing", plural(count));
            wrong(message, span, format!("no argument for `{name}`"))
        })
    }

    /// Runs any function on values that are no expressions.
    pub(crate) fn invoke_any(
        &mut self,
        callable: &Rc<Callable>,
        arguments: Vec<Side>,
        (at, span): (Span, Span),
    ) -> Outcome<Meta> {
        let (given, count) = (arguments.len(), callable.parameters.len());
        let mut bound: Vec<Option<Side>> = arguments.into_iter().map(Some).collect();
        bound.resize(count.max(given), None);
        let complete = complete(callable, bound).ok().filter(|_| given <= count);
        let Some(arguments) = complete else {
            let message = format!("`{}` takes {}, not {given}", callable.name, plural(count),);
            let names: Vec<String> = ('a'..='z').map(String::from).take(given).collect();
            let first = names.first().map_or("indices", String::as_str);
            let fitting = format!("lambda {}: {first}", names.join(", "));
            let fixed = self.rewritten(span, at, |_| fitting);
            let error = Diagnostic::error(Code::WrongArguments, message)
                .at(at, format!("this is called with {}", plural(given)))
                .maybe_help(fixed.map(|fixed| format!("with as many parameters: `{fixed}`")));
            return Err(match callable.definition() {
                Some(defined) if !at.contains(defined) => error.at(defined, "it is defined here"),
                _ => error,
            }
            .into());
        };
        if let Body::Builtin(builtin) = callable.body {
            let message = format!("`{}` cannot be passed on by itself", builtin.name());
            let wrapped = format!("lambda x: {}(x)", builtin.name());
            let fixed = self.rewritten(span, at, |_| wrapped);
            return Err(Diagnostic::error(Code::NotCallable, message)
                .at(at, "this is a built-in function")
                .maybe_help(fixed.map(|fixed| format!("wrap it: `{fixed}`")))
                .into());
        }
        self.invoke(callable, arguments, at)
    }

    /// Runs a function of the program on its arguments.
    pub(crate) fn invoke(
        &mut self,
        callable: &Rc<Callable>,
        arguments: Vec<Side>,
        span: Span,
    ) -> Outcome<Meta> {
        self.check_depth(callable, &arguments, span)?;
        self.calls += 1;
        self.origins.enter(&callable.name, span);
        let result = self.run_body(callable, arguments);
        self.origins.leave();
        self.calls -= 1;
        result.map_err(|stop| match stop {
            Stop::Error(diagnostic) if calls_shown(&diagnostic) < SHOWN_CALLS => {
                let text = format!("{IN_CALL} `{}`", callable.name);
                let shown = diagnostic.labels.iter().any(|label| label.span == span);
                Stop::Error(match shown {
                    true => diagnostic,
                    false => Box::new(diagnostic.at(span, text)),
                })
            }
            other => other,
        })
    }

    fn run_body(&mut self, callable: &Rc<Callable>, arguments: Vec<Side>) -> Outcome<Meta> {
        let (ast, parent) = match &callable.body {
            Body::Defined { ast, scope, .. } | Body::Lambda { ast, scope, .. } => (ast, *scope),
            Body::Builtin(_) => unreachable!("built-in functions are called by `builtin`"),
        };
        let scope = self.scopes.add(Some(parent));
        for ((name, _), argument) in callable.parameters.iter().zip(arguments) {
            self.scopes.set(scope, name.clone(), argument);
        }
        let cx = Context {
            ast: ast.clone(),
            scope,
            origin: self.nested_origin(callable),
        };
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
                        let span = cx.ast.get(several[0]).span;
                        self.nested(Meta::list(results), span)
                    }
                }
            }
            Body::Builtin(_) => unreachable!("answered above"),
        }
    }

    fn nested_origin(&self, callable: &Callable) -> std::sync::Arc<str> {
        format!("{}'", callable.origin).into()
    }

    /// An s-op or selector applied to an input.
    fn apply(
        &mut self,
        cx: &Context,
        applied: &Meta,
        arguments: &[Argument],
        (function_span, span): (Span, Span),
    ) -> Outcome<Meta> {
        let [argument] = arguments else {
            return Err(Diagnostic::error(
                Code::WrongArguments,
                format!(
                    "{} is applied to one input, not to {}",
                    applied.kind(),
                    arguments.len()
                ),
            )
            .at(span, "applied here")
            .help(match self.written(function_span) {
                Some(written) => format!("apply it to one input: `{written}(\"hello\")`"),
                None => "an input is a string or a list of atoms".to_string(),
            })
            .into());
        };
        let input_span = cx.ast.get(argument.value).span;
        let input = self.expression(cx, argument.value)?;
        let tokens = self
            .tokens(&input, input_span)
            .map_err(|stop| self.no_input(stop, (applied, &input), (function_span, input_span)))?;
        let located = |diagnostic: Box<Diagnostic>| -> Stop {
            let roots = match applied {
                Meta::SOp(id) => vec![*id],
                Meta::Selector(id) => self.graph.selector_operands(*id),
                _ => Vec::new(),
            };
            self.explain(*diagnostic, &roots)
                .within(span, "applied to an input here")
                .into()
        };
        let application = match applied {
            Meta::SOp(id) => Application::Sequence {
                output: interpret::evaluate(&self.graph, *id, &tokens).map_err(located)?,
                input: tokens,
            },
            Meta::Selector(id) => Application::Matrix {
                rows: interpret::evaluate_selector(&self.graph, *id, &tokens).map_err(located)?,
                input: tokens,
            },
            _ => unreachable!("the caller passes s-ops and selectors"),
        };
        Ok(Meta::Application(Rc::new(application)))
    }

    /// The tokens of an input.
    ///
    /// # Errors
    /// Anything but a non-empty string, list of atoms, or dict.
    pub(crate) fn tokens(&self, input: &Meta, span: Span) -> Outcome<Vec<Value>> {
        let bad = |message: String, text: String| -> Stop {
            Diagnostic::error(Code::BadInput, message)
                .at(span, text)
                .note("an input is a string, whose characters are the tokens, or a list of atoms")
                .help("write an input, like `\"hello\"` or `[1, 2, 3]`")
                .into()
        };
        match input.as_tokens() {
            Some(tokens) if tokens.is_empty() => Err(bad(
                "an input needs at least one token".to_string(),
                "this is empty".to_string(),
            )),
            Some(tokens) => Ok(tokens),
            None => Err(bad(
                format!("{} is no input", input.kind()),
                format!("this is {}", input.kind()),
            )),
        }
    }
}

fn calls_shown(error: &Diagnostic) -> usize {
    let calls = error.labels.iter();
    calls
        .filter(|label| label.text.starts_with(IN_CALL))
        .count()
}

/// The number of the parameter with a name.
///
/// # Errors
/// What to say about a name that no parameter has.
fn parameter(callable: &Callable, name: &Name) -> Result<usize, String> {
    let mut names = callable.parameters.iter().map(|(name, _)| name);
    names
        .clone()
        .position(|other| other == name)
        .ok_or_else(|| {
            let names = names.by_ref().map(|name| &**name);
            match crate::base::suggest::nearest(name, names) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => "no such parameter".to_string(),
            }
        })
}

fn wrong_arguments(
    (called, callable): (&Name, &Callable),
    message: String,
    at: Span,
    text: String,
) -> Stop {
    let error = Diagnostic::error(Code::WrongArguments, message)
        .at(at, text)
        .help(format!("call it as `{}`", callable.usage(called)));
    match callable.definition() {
        Some(defined) => error.at(defined, "it is defined here").into(),
        None => error.into(),
    }
}

/// Every argument, defaults filled in.
///
/// # Errors
/// The name of the first parameter without one.
fn complete(callable: &Callable, bound: Vec<Option<Side>>) -> Result<Vec<Side>, &Name> {
    let parameters = bound.into_iter().zip(&callable.parameters).enumerate();
    let filled = parameters.map(|(at, (given, (name, default)))| {
        let made = || callable.default_span(at).unwrap_or(Span::BUILT_IN);
        let default = || default.clone().map(|default| (default, made()));
        given.or_else(default).ok_or(name)
    });
    filled.collect()
}

/// `select` and `aggregate` are the built-in functions when called, even where a variable has the
/// same name.
pub(crate) fn called_builtin(name: &str) -> Option<Builtin> {
    match crate::builtin::find(name)?.kind {
        Kind::Function(builtin @ (Builtin::Select | Builtin::Aggregate)) => Some(builtin),
        Kind::Function(_) | Kind::SOp | Kind::Atom => None,
    }
}

pub(crate) fn plural(count: usize) -> String {
    match count {
        0 => "no arguments".to_string(),
        1 => "1 argument".to_string(),
        _ => format!("{count} arguments"),
    }
}
