//! Statements: assignments, definitions, loops, assertions, commands. What a front end may want to
//! show of them comes back as `Event`s; nothing is printed here.

use super::access::counted;
use super::expression::Context;
use super::help::reserved;
use super::meta::{Body, Callable, Meta};
use super::scope::ScopeId;
use super::{Evaluator, Outcome, Stop};
use crate::base::{Code, Diagnostic, Span};
use crate::builtin::{RESERVED, RESERVED_LIBRARY};
use crate::syntax::ast::{
    Ast, BinaryOperator, Command, ExampleKind, ExprId, ExprKind, Function, Ident, Name, Statement,
    StatementKind,
};
use crate::value::Value;
use std::rc::Rc;
use std::sync::Arc;

/// Something a statement did that a front end may show or obey.
#[derive(Clone, Debug)]
pub enum Event {
    /// `e;`
    Expression {
        meta: Meta,
        span: Span,
    },
    /// A name got a value; also by `def` and `load`.
    Assigned {
        name: Name,
        meta: Meta,
    },
    /// `draw(e, input);` with the input, if one was given.
    Draw {
        meta: Meta,
        input: Option<Vec<Value>>,
        span: Span,
    },
    SetExample {
        kind: ExampleKind,
        tokens: Vec<Value>,
        span: Span,
    },
    ShowExample {
        kind: ExampleKind,
    },
    Examples {
        kind: ExampleKind,
        on: bool,
    },
    FullDisplay {
        on: bool,
    },
    SetVocabulary {
        tokens: Vec<Value>,
    },
    SetMaxLength {
        length: usize,
    },
    SetCausal {
        on: bool,
    },
    Exit,
}

impl Evaluator {
    /// Runs a whole text in a scope. A statement that fails is reported in `diagnostics`, the
    /// names it would have defined are marked broken, and the rest is run.
    pub fn run(&mut self, ast: &Rc<Ast>, scope: ScopeId, origin: &str) -> Vec<Event> {
        let cx = Context {
            ast: ast.clone(),
            scope,
            origin: origin.into(),
        };
        let mut events = Vec::new();
        for statement in &ast.statements {
            if let Err(stop) = self.statement(&cx, statement, &mut events) {
                if let Stop::Error(diagnostic) = stop {
                    self.diagnostics.push(*diagnostic);
                }
                self.mark_broken(scope, statement);
            }
            if matches!(events.last(), Some(Event::Exit)) {
                break;
            }
        }
        events
    }

    /// Runs one statement; if it fails, no name has changed its meaning.
    ///
    /// # Errors
    /// The statement's error, also pushed to nothing: the caller shows it.
    pub fn run_statement(
        &mut self,
        ast: &Rc<Ast>,
        statement: &Statement,
        scope: ScopeId,
        origin: &str,
    ) -> Result<Vec<Event>, Stop> {
        let cx = Context {
            ast: ast.clone(),
            scope,
            origin: origin.into(),
        };
        let mut events = Vec::new();
        self.statement(&cx, statement, &mut events)?;
        Ok(events)
    }

    /// The value of a single expression in a scope.
    ///
    /// # Errors
    /// As for any expression.
    pub fn run_expression(
        &mut self,
        ast: &Rc<Ast>,
        expr: ExprId,
        scope: ScopeId,
    ) -> Result<Meta, Stop> {
        let cx = Context {
            ast: ast.clone(),
            scope,
            origin: "console".into(),
        };
        self.expression(&cx, expr)
    }

    pub(crate) fn statement(
        &mut self,
        cx: &Context,
        statement: &Statement,
        events: &mut Vec<Event>,
    ) -> Outcome<()> {
        match &statement.kind {
            StatementKind::Error => Err(Stop::Broken),
            StatementKind::Expression(id) => {
                let meta = self.expression(cx, *id)?;
                self.remember(cx, &meta);
                events.push(Event::Expression {
                    meta,
                    span: cx.ast.get(*id).span,
                });
                Ok(())
            }
            StatementKind::Assign { names, values } => {
                for (ident, meta) in self.assignment(cx, names, values, statement.span)? {
                    self.assign(cx, ident, meta.clone())?;
                    self.remember(cx, &meta);
                    events.push(Event::Assigned {
                        name: ident.name.clone(),
                        meta,
                    });
                }
                Ok(())
            }
            StatementKind::Define(function) => {
                let meta = self.define(cx, function, &statement.documentation)?;
                events.push(Event::Assigned {
                    name: function.ident.name.clone(),
                    meta,
                });
                Ok(())
            }
            StatementKind::For {
                names,
                iterable,
                body,
            } => self.repeat(cx, (names, *iterable), body, statement.span),
            StatementKind::Load { path, path_span } => self.load(cx, path, *path_span, events),
            StatementKind::Draw { value, input } => {
                events.push(self.draw(cx, *value, *input)?);
                Ok(())
            }
            StatementKind::Assert { condition } => self.assert(cx, *condition),
            StatementKind::Command(command) => {
                events.push(self.command(cx, command)?);
                Ok(())
            }
        }
    }

    fn repeat(
        &mut self,
        cx: &Context,
        (names, iterable): (&[Ident], ExprId),
        body: &[Statement],
        span: Span,
    ) -> Outcome<()> {
        for item in self.iterate(cx, iterable)? {
            self.step(span)?;
            self.bind_loop(cx, names, item, cx.ast.get(iterable).span)?;
            for statement in body {
                self.statement(cx, statement, &mut Vec::new())?;
            }
        }
        Ok(())
    }

    fn draw(&mut self, cx: &Context, value: ExprId, input: Option<ExprId>) -> Outcome<Event> {
        let meta = self.expression(cx, value)?;
        let input = match input {
            Some(input) => {
                let tokens = self.expression(cx, input)?;
                Some(self.tokens(&tokens, cx.ast.get(input).span)?)
            }
            None => None,
        };
        let span = cx.ast.get(value).span;
        if !matches!(meta, Meta::SOp(_)) {
            return Err(Diagnostic::error(
                Code::AtomExpected,
                format!("`draw` draws an s-op, not {}", meta.kind()),
            )
            .at(span, format!("this is {}", meta.kind()))
            .maybe_help(match (&meta, self.written(span)) {
                (Meta::Selector(_), Some(selector)) => Some(format!(
                    "to see what it selects apply it to an input: `{selector}(\"abc\");`"
                )),
                _ => None,
            })
            .into());
        }
        Ok(Event::Draw { meta, input, span })
    }

    /// The names of an assignment with their values; nothing is assigned yet.
    fn assignment<'s>(
        &mut self,
        cx: &Context,
        names: &'s [Ident],
        values: &[ExprId],
        span: Span,
    ) -> Outcome<Vec<(&'s Ident, Meta)>> {
        for name in names {
            self.check_assignable(cx.scope, name)?;
        }
        let mut metas = self.expressions(cx, values)?;
        if let ([name], [_, _, ..]) = (names, values) {
            return Ok(vec![(name, self.nested(Meta::list(metas), span)?)]);
        }
        if let ([_, _, ..], [value]) = (names, values) {
            metas = self.unpack(&metas[0], names.len(), cx.ast.get(*value).span)?;
        }
        if names.len() != metas.len() {
            return Err(Diagnostic::error(
                Code::WrongCount,
                format!(
                    "{}, but {}",
                    counted(names.len(), "name"),
                    counted(metas.len(), "value")
                ),
            )
            .at(span, "as many values as names are needed")
            .into());
        }
        Ok(names.iter().zip(metas).collect())
    }

    /// Sets a name in the current scope.
    pub(crate) fn assign(&mut self, cx: &Context, ident: &Ident, meta: Meta) -> Outcome<()> {
        self.check_assignable(cx.scope, ident)?;
        match &meta {
            Meta::SOp(id) => self.graph.set_name(*id, &ident.name),
            Meta::Selector(id) => self.graph.set_selector_name(*id, &ident.name),
            _ => {}
        }
        self.scopes.set(cx.scope, ident.name.clone(), meta);
        Ok(())
    }

    /// `out` is the last value of the scope.
    fn remember(&mut self, cx: &Context, meta: &Meta) {
        self.scopes.set(cx.scope, "out".into(), meta.clone());
    }

    fn define(
        &mut self,
        cx: &Context,
        function: &Arc<Function>,
        documentation: &str,
    ) -> Outcome<Meta> {
        self.check_assignable(cx.scope, &function.ident)?;
        let callable = Callable {
            name: function.ident.name.clone(),
            origin: cx.origin.clone(),
            parameters: self.parameters(cx, &function.parameters)?,
            documentation: documentation.to_string(),
            body: Body::Defined {
                ast: cx.ast.clone(),
                function: function.clone(),
                scope: cx.scope,
            },
        };
        let meta = self.nested(Meta::Function(Rc::new(callable)), function.ident.span)?;
        self.scopes
            .set(cx.scope, function.ident.name.clone(), meta.clone());
        Ok(meta)
    }

    fn assert(&mut self, cx: &Context, condition: ExprId) -> Outcome<()> {
        let expr = cx.ast.get(condition);
        if let ExprKind::Binary {
            operator: BinaryOperator::Compare(comparison),
            left,
            right,
        } = &expr.kind
        {
            let sides = [
                (*left, self.expression(cx, *left)?),
                (*right, self.expression(cx, *right)?),
            ];
            let spanned = sides.clone().map(|(id, meta)| (meta, cx.ast.get(id).span));
            let operator = BinaryOperator::Compare(*comparison);
            match self.binary(operator, spanned, expr.span)? {
                Meta::Atom(value) if value.truthy() => return Ok(()),
                Meta::Atom(_) => {}
                other => return Err(self.no_assertion(&other, expr.span).into()),
            }
            let mut diagnostic =
                Diagnostic::error(Code::AssertionFailed, "this assertion does not hold");
            for (id, meta) in &sides {
                diagnostic =
                    diagnostic.at(cx.ast.get(*id).span, format!("this is {}", meta.repr()));
            }
            return Err(diagnostic.into());
        }
        match self.expression(cx, condition)? {
            Meta::Atom(value) if value.truthy() => Ok(()),
            other @ Meta::SOp(_) => Err(self.no_assertion(&other, expr.span).into()),
            other => Err(
                Diagnostic::error(Code::AssertionFailed, "this assertion does not hold")
                    .at(expr.span, format!("this is {}", other.repr()))
                    .into(),
            ),
        }
    }

    /// An assertion about something without a truth value.
    fn no_assertion(&self, meta: &Meta, span: Span) -> Diagnostic {
        let message = format!("an assertion needs a truth value, not {}", meta.kind());
        let error = Diagnostic::error(Code::AssertionFailed, message)
            .at(span, format!("this is {}", self.describe(meta)));
        error.maybe_help(self.written(span).map(|written| {
            format!("say on which input: `assert ({written})(\"ab\") == [True, False];`")
        }))
    }

    fn command(&mut self, cx: &Context, command: &Command) -> Outcome<Event> {
        Ok(match command {
            Command::SetExample { kind, value } => {
                let span = cx.ast.get(*value).span;
                let meta = self.expression(cx, *value)?;
                Event::SetExample {
                    kind: *kind,
                    tokens: self.tokens(&meta, span)?,
                    span,
                }
            }
            Command::ShowExample { kind } => Event::ShowExample { kind: *kind },
            Command::Examples { kind, on } => Event::Examples {
                kind: *kind,
                on: *on,
            },
            Command::FullDisplay { on } => Event::FullDisplay { on: *on },
            Command::SetVocabulary { value } => {
                let meta = self.expression(cx, *value)?;
                Event::SetVocabulary {
                    tokens: self.tokens(&meta, cx.ast.get(*value).span)?,
                }
            }
            Command::SetMaxLength { value } => {
                let meta = self.expression(cx, *value)?;
                let length = meta
                    .as_atom()
                    .and_then(Value::as_int)
                    .and_then(|int| usize::try_from(int).ok().filter(|length| *length > 0));
                let length = length.ok_or_else(|| {
                    Diagnostic::error(Code::OperandTypes, "`max_length` is a positive int")
                        .at(cx.ast.get(*value).span, format!("this is {}", meta.kind()))
                })?;
                Event::SetMaxLength { length }
            }
            Command::SetCausal { on } => Event::SetCausal { on: *on },
            Command::Exit => Event::Exit,
        })
    }

    fn mark_broken(&mut self, scope: ScopeId, statement: &Statement) {
        let names: Vec<&Ident> = match &statement.kind {
            StatementKind::Assign { names, .. } | StatementKind::For { names, .. } => {
                names.iter().collect()
            }
            StatementKind::Define(function) => vec![&function.ident],
            StatementKind::Error
            | StatementKind::Expression(_)
            | StatementKind::Load { .. }
            | StatementKind::Draw { .. }
            | StatementKind::Assert { .. }
            | StatementKind::Command(_) => Vec::new(),
        };
        for ident in names {
            if self.check_assignable(scope, ident).is_ok() {
                self.scopes.set(scope, ident.name.clone(), Meta::Broken);
            }
        }
    }

    pub(crate) fn check_parameter(&self, ident: &Ident) -> Outcome<()> {
        if RESERVED.contains(&&*ident.name) {
            return Err(reserved(&ident.name, ident.span).into());
        }
        Ok(())
    }

    fn check_assignable(&self, scope: ScopeId, ident: &Ident) -> Outcome<()> {
        self.check_parameter(ident)?;
        let top_level = self.scopes.parent(scope) == Some(self.base);
        if top_level && RESERVED_LIBRARY.contains(&&*ident.name) {
            return Err(reserved(&ident.name, ident.span).into());
        }
        Ok(())
    }
}
