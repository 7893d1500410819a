//! Statements: assignments, definitions, loops, assertions, commands. What a front end may want to
//! show of them comes back as `Event`s; nothing is printed here.

use super::context::Context;
use super::expression::takes_rest;
use super::fault::Cause;
use super::meta::{Body, Callable, Meta, ScopeId, Side};
use super::provenance::element_spans;
use super::{Evaluator, Outcome, Stop};
use crate::base::{Diagnostic, Span};
use crate::builtin::RESERVED_LIBRARY;
use crate::syntax::ast::{
    Ast, Command, ExampleKind, ExprId, Function, Ident, Name, Statement, StatementKind,
};
use crate::value::Value;
use std::sync::Arc;

/// The last value of the scope.
const OUT: &str = "out";

/// Something a statement did that a front end may show or obey.
#[derive(Clone, Debug)]
pub enum Event {
    /// `e;`
    Expression {
        /// The name that it is, if it is no more than a name.
        name: Option<Name>,
        meta: Meta,
        span: Span,
    },
    /// A name got a value; also by `def` and `load`.
    Assigned {
        name: Name,
        meta: Meta,
    },
    /// `assert e;`, whether it holds or not.
    Asserted(Assertion),
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
    SetVocabulary {
        tokens: Vec<Value>,
    },
    SetMaxLength {
        length: usize,
    },
    /// A command that needs no value.
    Command(Command),
}

/// An assertion that was run.
#[derive(Clone, Debug)]
pub struct Assertion {
    /// The condition.
    pub span: Span,
    /// The two sides of a comparison, or else the condition, with what they are; empty if they
    /// could not be evaluated.
    pub values: Vec<Side>,
    /// Whether it holds, is false, or could not be told.
    pub verdict: Verdict,
    /// Why it does not hold. It is also an error of the run, but in a loop only the first is.
    pub failure: Option<Box<Diagnostic>>,
}

/// What an assertion was found to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Holds,
    False,
    Failed,
}

impl Evaluator {
    /// Runs a whole text in a scope. A statement that fails is reported in `diagnostics`, the
    /// names it would have defined are marked broken, and the rest is run.
    pub fn run(&mut self, ast: &Arc<Ast>, scope: ScopeId, origin: &str) -> Vec<Event> {
        let cx = self.enter(ast, scope, origin);
        let mut events = Vec::new();
        for statement in &ast.statements {
            if let Err(stop) = self.statement(&cx, statement, &mut events) {
                let worded = self.worded(&stop);
                self.diagnostics.extend(worded);
                // A loop goes on behind an assertion that does not hold.
                if !stop.is_assertion() {
                    self.mark_broken(scope, statement);
                }
            }
            events.extend(self.take_asserted());
            let exits = matches!(events.last(), Some(Event::Command(Command::Exit)));
            if exits || self.graph.control().is_stopped() {
                break;
            }
        }
        events
    }

    /// Runs one statement; if it fails, no name has changed its meaning.
    ///
    /// # Errors
    /// The statement's error, also pushed to nothing: the caller shows it. Nothing where that only
    /// follows from one that has been told.
    pub fn run_statement(
        &mut self,
        ast: &Arc<Ast>,
        statement: &Statement,
        scope: ScopeId,
        origin: &str,
    ) -> Result<Vec<Event>, Option<Box<Diagnostic>>> {
        // Each entry of a prompt has a budget of its own.
        (self.steps, self.loads) = (0, 0);
        let cx = self.enter(ast, scope, origin);
        let mut events = Vec::new();
        let result = self.statement(&cx, statement, &mut events);
        events.extend(self.take_asserted());
        let Err(stop) = result else {
            return Ok(events);
        };
        let hangs = stop
            .undefined()
            .filter(|name| self.missing.contains_key(*name));
        let told = hangs.is_some_and(|name| self.missing[name].1);
        // Who asks for a value gets an answer.
        let asks = matches!(statement.kind, StatementKind::Expression(_));
        let worded = match &stop {
            Stop::Fault(_) if !told => self.worded(&stop),
            Stop::Fault(_) if !asks => None,
            Stop::Fault(_) | Stop::Broken => {
                Some(self.words.broken(statement.span, "in this statement"))
            }
        };
        if let Some((_, told)) = hangs.and_then(|name| self.missing.get_mut(name)) {
            *told = true;
        }
        // What hangs on a failed statement is told once.
        self.mark_missing(scope, statement, hangs.is_some());
        Err(worded.map(Box::new))
    }

    /// Notes what statements would have defined that are not run, as a text has syntax errors.
    pub(crate) fn not_run(&mut self, ast: &Ast, scope: ScopeId) {
        for statement in &ast.statements {
            self.mark_missing(scope, statement, false);
        }
    }

    /// The value of a single expression in a scope.
    ///
    /// # Errors
    /// As for any expression.
    pub fn run_expression(
        &mut self,
        ast: &Arc<Ast>,
        expr: ExprId,
        scope: ScopeId,
    ) -> Result<Meta, Option<Box<Diagnostic>>> {
        let cx = self.enter(ast, scope, "console");
        let result = self.expression(&cx, expr);
        result.map_err(|stop| self.worded(&stop).map(Box::new))
    }

    /// Keeps a tree, for what is to be said of its expressions later.
    fn enter(&mut self, ast: &Arc<Ast>, scope: ScopeId, origin: &str) -> Context {
        if let Some(id) = ast.ids().next() {
            self.trees.insert(ast.get(id).span.source, ast.clone());
        }
        Context::new(ast, scope, origin)
    }

    pub(crate) fn statement(
        &mut self,
        cx: &Context,
        statement: &Statement,
        events: &mut Vec<Event>,
    ) -> Outcome<()> {
        self.statement_here(cx, statement, events)
            .map_err(|stop| stop.at(|| cx.site_of(statement.span)))
    }

    fn statement_here(
        &mut self,
        cx: &Context,
        statement: &Statement,
        events: &mut Vec<Event>,
    ) -> Outcome<()> {
        let event = match &statement.kind {
            StatementKind::Error => return Err(Stop::Broken),
            StatementKind::Expression(id) => {
                let side = self.made_side(cx, *id)?;
                self.scopes.set(cx.scope, OUT.into(), side.clone());
                Event::Expression {
                    name: cx.ast.bare_name(*id).cloned(),
                    meta: side.0,
                    span: cx.span(*id),
                }
            }
            StatementKind::Assign { names, values } => {
                for (ident, side) in self.assignment(cx, names, values, statement.span)? {
                    self.assign(cx, ident, side.clone())?;
                    let documentation = &statement.documentation;
                    self.scopes.document(cx.scope, &ident.name, documentation);
                    self.scopes.set(cx.scope, OUT.into(), side.clone());
                    events.push(Event::Assigned {
                        name: ident.name.clone(),
                        meta: side.0,
                    });
                }
                return Ok(());
            }
            StatementKind::Define(function) => Event::Assigned {
                meta: self.define(cx, function, &statement.documentation)?,
                name: function.ident.name.clone(),
            },
            StatementKind::For {
                names,
                iterable,
                body,
            } => return self.for_each(cx, (names, *iterable), body),
            StatementKind::Repeat(repeat) => {
                return self.repeat(cx, repeat, statement.span, events);
            }
            StatementKind::Load { path, path_span } => {
                let loaded = self.load(cx, path, *path_span, events);
                return loaded.map_err(|stop| stop.at(|| cx.site_of(*path_span)));
            }
            StatementKind::Draw { value, input } => self.draw(cx, *value, *input)?,
            StatementKind::Assert { condition } => return self.assert(cx, *condition),
            StatementKind::Command(command) => self.command(cx, command)?,
        };
        events.push(event);
        Ok(())
    }

    fn for_each(
        &mut self,
        cx: &Context,
        (names, iterable): (&[Ident], ExprId),
        body: &[Statement],
    ) -> Outcome<()> {
        let mut failed = None;
        for item in self.iterate(cx, iterable)?.into_iter().enumerate() {
            self.charge(1)?;
            self.bind_loop(cx, names, item)?;
            for statement in body {
                self.looped(cx, statement, &mut failed)?;
            }
        }
        failed.map_or(Ok(()), Err)
    }

    fn draw(&mut self, cx: &Context, value: ExprId, input: Option<ExprId>) -> Outcome<Event> {
        let (meta, span) = self.side(cx, value)?;
        let input = input.map(|input| self.side(cx, input)).transpose()?;
        let input = input.map(|input| self.tokens(None, input)).transpose()?;
        if !matches!(meta, Meta::SOp(_) | Meta::Selector(_)) {
            return Err(Cause::NotDrawn((meta, span)).into());
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
    ) -> Outcome<Vec<(&'s Ident, Side)>> {
        for name in names {
            self.check_assignable(cx, name)?;
        }
        let mut metas = self.expressions(cx, values)?;
        let mut made: Vec<Span> = values.iter().map(|value| self.made(cx, *value)).collect();
        if let ([name], [_, _, ..]) = (names, values) {
            let list = self.keep(Meta::list(metas))?;
            return Ok(vec![(name, (list, span))]);
        }
        if let ([_, _, ..], [value]) = (names, values) {
            metas = self.unpack((&metas[0], cx.span(*value)), names.len(), None)?;
            made = element_spans(&cx.ast, *value, names.len());
        }
        if names.len() != metas.len() {
            let (names, values) = (names.len(), metas.len());
            return Err(Cause::Count {
                names,
                values,
                at: None,
                element: None,
            }
            .into());
        }
        Ok(names.iter().zip(metas.into_iter().zip(made)).collect())
    }

    /// Sets a name in the current scope to a value and where that was made.
    pub(crate) fn assign(&mut self, cx: &Context, ident: &Ident, value: Side) -> Outcome<()> {
        self.check_assignable(cx, ident)?;
        let inner = !self.is_top_level(cx.scope) && cx.scope != self.base;
        let mut held = None;
        if let Meta::SOp(id) = value.0 {
            self.graph.set_name(id, &ident.name, inner);
        } else if let Meta::Selector(id) = value.0 {
            self.graph.set_selector_name(id, &ident.name, inner);
        } else if let string @ Meta::Atom(_) = &value.0 {
            held = Some(self.held(string)?);
        }
        self.scopes.set(cx.scope, ident.name.clone(), value);
        if let Some(held) = held {
            self.scopes.hold(cx.scope, &ident.name, held);
        }
        Ok(())
    }

    fn define(
        &mut self,
        cx: &Context,
        function: &Arc<Function>,
        documentation: &str,
    ) -> Outcome<Meta> {
        self.check_assignable(cx, &function.ident)?;
        let callable = Callable {
            name: function.ident.name.clone(),
            origin: cx.origin.clone(),
            parameters: self.parameters(cx, &function.parameters)?,
            rest: takes_rest(&function.parameters),
            documentation: documentation.to_string(),
            body: Body::Defined {
                ast: cx.ast.clone(),
                function: function.clone(),
                scope: cx.scope,
            },
        };
        let meta = self.keep(Meta::Function(Arc::new(callable)))?;
        let made = (meta.clone(), function.ident.span);
        self.scopes.set(cx.scope, function.ident.name.clone(), made);
        Ok(meta)
    }

    fn command(&mut self, cx: &Context, command: &Command) -> Outcome<Event> {
        Ok(match command {
            Command::SetExample { kind, value } => {
                let example = self.side(cx, *value)?;
                Event::SetExample {
                    kind: *kind,
                    span: example.1,
                    tokens: self.tokens(None, example)?,
                }
            }
            Command::SetVocabulary { value } => {
                let found = self.side(cx, *value)?;
                let tokens = found.0.as_tokens().filter(|tokens| !tokens.is_empty());
                let tokens = tokens.ok_or(Cause::NoVocabulary(found))?;
                Event::SetVocabulary { tokens }
            }
            Command::SetMaxLength { value } => {
                let found = self.side(cx, *value)?;
                let int = found.0.as_atom().and_then(Value::as_int);
                let length = int.and_then(|int| usize::try_from(int).ok().filter(|it| *it > 0));
                let length = length.ok_or(Cause::NoLongest(found))?;
                Event::SetMaxLength { length }
            }
            Command::ShowExample { .. }
            | Command::Examples { .. }
            | Command::FullDisplay { .. }
            | Command::SetCausal { .. }
            | Command::Exit => Event::Command(command.clone()),
        })
    }

    fn mark_broken(&mut self, scope: ScopeId, statement: &Statement) {
        if let StatementKind::Load { .. } = statement.kind {
            self.scopes.set_incomplete(scope);
        }
        for ident in self.begun(statement) {
            let kept = RESERVED_LIBRARY.contains(&&*ident.name);
            if !kept && self.check_parameter(&ident).is_ok() {
                self.scopes
                    .set(scope, ident.name, (Meta::Broken, ident.span));
            }
        }
    }

    /// Notes which names a statement has not defined, as it failed, for when they are read.
    fn mark_missing(&mut self, scope: ScopeId, statement: &Statement, told: bool) {
        for ident in self.begun(statement) {
            if self.scopes.lookup(scope, &ident.name).is_none() {
                self.missing.insert(ident.name, (statement.span, told));
            }
        }
    }

    /// The names that a statement was to define; of one that could not be read those that it begins
    /// with.
    fn begun(&self, statement: &Statement) -> Vec<Ident> {
        if !matches!(statement.kind, StatementKind::Error) {
            return defined(statement).into_iter().cloned().collect();
        }
        let text = self.sources.text(statement.span);
        let head = match text.strip_prefix("def ") {
            Some(function) => function.split('(').next(),
            None => text.split_once('=').map(|(names, _)| names),
        };
        let compares = |head: &&str| text[head.len()..].starts_with("==");
        let head = head.filter(|head| !compares(head)).unwrap_or("");
        let is_name = |name: &&str| {
            let letters = |it: char| it.is_alphanumeric() || it == '_';
            name.chars().all(letters) && !name.is_empty() && !name.starts_with(char::is_numeric)
        };
        let span = statement.span;
        let names = head.split(',').map(str::trim).filter(is_name);
        names
            .map(|name| Ident {
                name: name.into(),
                span,
            })
            .collect()
    }
}

/// The names that a statement defines, also inside a loop over a list.
pub(super) fn defined(statement: &Statement) -> Vec<&Ident> {
    let mut names: Vec<&Ident> = statement.names().iter().collect();
    if let StatementKind::For { body, .. } = &statement.kind {
        names.extend(body.iter().flat_map(defined));
    }
    names
}
