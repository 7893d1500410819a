//! `Session`: what every front end uses. It reads programs, keeps what they define, and runs,
//! schedules and compiles their s-ops.

mod entry;
pub mod files;
mod hazard;
mod rounding;
pub mod show;

use crate::base::{Code, Control, Diagnostic, Fallible, Limits, Severity, SourceId, Sources, Span};
use crate::diagnose::{Read, Words, explain, read, read_expression, warnings};
use crate::eval::{Evaluator, Event, Loaded, Meta, ScopeId};
use crate::graph::{Graph, SOpId, Sharing};
use crate::interpret::{self, Sequence};
use crate::schedule::{Schedule, schedule};
use crate::stdlib;
use crate::syntax::ast::{Ast, Name, Statement, StatementKind};
use crate::value::Value;
use std::rc::Rc;

/// What a program or the command line says about the inputs to expect.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The running example.
    pub example: Vec<Value>,
    pub vocabulary: Option<Vec<Value>>,
    pub max_length: Option<usize>,
    pub causal: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            example: Value::characters("hello"),
            vocabulary: None,
            max_length: None,
            causal: false,
        }
    }
}

/// A program with everything it defines.
pub struct Session {
    evaluator: Evaluator,
    scope: ScopeId,
    pub settings: Settings,
}

impl Session {
    /// A session that knows the library. With [`Sharing::None`] schedules count heads as the
    /// reference implementation does.
    pub fn new(sharing: Sharing) -> Session {
        Session::with_limits(sharing, Limits::default())
    }

    pub fn with_limits(sharing: Sharing, limits: Limits) -> Session {
        let mut evaluator = Evaluator::new(sharing, limits, Box::new(files::Files), &Words);
        evaluator.load_library("stdlib/rasplib.rasp", stdlib::RASPLIB.text);
        debug_assert!(
            evaluator.diagnostics.is_empty(),
            "{:?}",
            evaluator.diagnostics
        );
        let scope = evaluator.new_scope();
        Session {
            evaluator,
            scope,
            settings: Settings::default(),
        }
    }

    pub fn graph(&self) -> &Graph {
        &self.evaluator.graph
    }

    /// The handle that stops whatever the session does, from another thread.
    pub fn control(&self) -> &Control {
        self.evaluator.graph.control()
    }

    pub fn sources(&self) -> &Sources {
        &self.evaluator.sources
    }

    pub fn limits(&self) -> &Limits {
        &self.evaluator.limits
    }

    /// Reads and runs a program. Its settings take effect; its errors and warnings are kept for
    /// [`Session::take_diagnostics`].
    pub fn load(&mut self, program: &Loaded) -> Vec<Event> {
        // Every session has run this one already, and its names may not be defined again.
        if program.text == stdlib::RASPLIB.text {
            return Vec::new();
        }
        let source = self
            .evaluator
            .sources
            .add(&program.name, program.text.as_str());
        let parsed = read(source, &program.text, &self.evaluator.limits);
        let failed = parsed
            .diagnostics
            .iter()
            .any(|found| found.severity == Severity::Error);
        let warnings = warnings(&parsed, &program.text);
        self.evaluator.diagnostics.extend(parsed.diagnostics);
        self.evaluator.diagnostics.extend(warnings);
        if failed {
            return Vec::new();
        }
        self.evaluator.enter_file(&program.identity, &program.name);
        let events = self
            .evaluator
            .run(&Rc::new(parsed.ast), self.scope, &program.name);
        self.evaluator.leave_file();
        for event in &events {
            self.obey(event);
        }
        events
    }

    /// Reads and runs a program given as text.
    pub fn load_text(&mut self, name: &str, text: &str) -> Vec<Event> {
        self.load(&Loaded {
            identity: name.to_string(),
            name: name.to_string(),
            text: text.to_string(),
        })
    }

    /// Takes over a setting that a program made.
    pub fn obey(&mut self, event: &Event) {
        match event {
            Event::SetExample { tokens, .. } => self.settings.example = tokens.clone(),
            Event::SetVocabulary { tokens } => {
                self.settings.vocabulary = Some(Value::distinct(tokens));
            }
            Event::SetMaxLength { length } => self.settings.max_length = Some(*length),
            Event::SetCausal { on } => self.settings.causal = *on,
            Event::Expression { .. }
            | Event::Assigned { .. }
            | Event::Asserted(_)
            | Event::Draw { .. }
            | Event::ShowExample { .. }
            | Event::Examples { .. }
            | Event::FullDisplay { .. }
            | Event::Exit => {}
        }
    }

    /// Errors and warnings since the last call.
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.evaluator.diagnostics)
    }

    /// The value of one expression, in the scope of the program.
    ///
    /// # Errors
    /// Its first syntax error, or its evaluation error.
    pub fn expression(&mut self, text: &str) -> Fallible<Meta> {
        self.expression_at(text).map(|(meta, _)| meta)
    }

    /// The value of one expression with its place.
    ///
    /// # Errors
    /// As [`Session::expression`].
    pub fn expression_at(&mut self, text: &str) -> Fallible<(Meta, Span)> {
        self.evaluator.steps = 0;
        let source = self.evaluator.sources.add("expression", text);
        let (read, root) = read_expression(source, text, &self.evaluator.limits);
        if let Some(error) = read
            .diagnostics
            .into_iter()
            .find(|found| found.severity == Severity::Error)
        {
            return Err(Box::new(error));
        }
        let whole = Span::new(source, 0, text.len());
        let Some(root) = root else {
            let missing = Diagnostic::error(Code::UnexpectedEnd, "an expression is needed");
            return Err(missing.at(whole, "nothing here").into());
        };
        match self
            .evaluator
            .run_expression(&Rc::new(read.ast), root, self.scope)
        {
            Ok(meta) => Ok((meta, whole)),
            Err(Some(diagnostic)) => Err(diagnostic),
            Err(None) => {
                let message = "this uses a name whose definition has failed";
                Err(Diagnostic::error(Code::UndefinedName, message)
                    .at(whole, "used here")
                    .into())
            }
        }
    }

    /// The s-op that one expression names.
    ///
    /// # Errors
    /// As [`Session::expression`]; anything that is no s-op.
    pub fn sop(&mut self, text: &str) -> Fallible<SOpId> {
        self.sop_at(text).map(|(sop, _)| sop)
    }

    /// An s-op with the place of its text.
    ///
    /// # Errors
    /// As [`Session::sop`].
    pub fn sop_at(&mut self, text: &str) -> Fallible<(SOpId, Span)> {
        let (meta, span) = self.expression_at(text)?;
        let help = match &meta {
            Meta::SOp(id) => return Ok((*id, span)),
            Meta::List(_) => format!("for its first element: `{text}[0]`"),
            Meta::Dict(_) => format!("to look up each token: `{text}[tokens]`"),
            Meta::Function(callable) => {
                let signature = callable.signature();
                let parameters = signature.split_once('(').map_or("", |(_, list)| list);
                format!("call it: `{text}({parameters}`")
            }
            Meta::Selector(_) => {
                format!("for how many keys each position selects: `selector_width({text})`")
            }
            Meta::Scorer(_) => {
                format!(
                    "for the tokens at the best keys: `aggregate(select_best(full_s, {text}), tokens)`"
                )
            }
            Meta::Application(_) => "leave out the input behind the s-op".to_string(),
            Meta::Atom(_) | Meta::Broken => "give an s-op, like `tokens`".to_string(),
        };
        let message = format!("an s-op is needed, not {}", meta.kind());
        Err(Diagnostic::error(Code::AtomExpected, message)
            .at(span, format!("this is {}", meta.kind()))
            .help(help)
            .into())
    }

    /// The values of an s-op on an input.
    ///
    /// # Errors
    /// As [`interpret::evaluate`].
    pub fn evaluate(&self, sop: SOpId, input: &[Value]) -> Fallible<Sequence> {
        interpret::evaluate(self.graph(), sop, input).map_err(|error| self.explained(*error, sop))
    }

    /// An error of evaluation with what the program says about it.
    pub fn explained(&self, error: Diagnostic, sop: SOpId) -> Box<Diagnostic> {
        Box::new(explain(&self.evaluator, error, &[sop]))
    }

    /// The layers and heads that an s-op takes.
    pub fn schedule(&self, sop: SOpId) -> Schedule {
        schedule(self.graph(), &[sop])
    }

    /// Reads a text typed at the prompt, keeping it for diagnostics; nothing is run.
    pub fn read(&mut self, name: &str, text: &str) -> (SourceId, Read) {
        let source = self.evaluator.sources.add(name, text);
        (source, read(source, text, &self.evaluator.limits))
    }

    /// Runs one statement of a text that was [read](Session::read), with a fresh allowance of
    /// steps. If it fails, no name of the session has changed its meaning, except by `load`, which
    /// keeps what its text defined.
    ///
    /// # Errors
    /// The error of the statement.
    pub fn run_statement(
        &mut self,
        ast: &Rc<Ast>,
        statement: &Statement,
    ) -> Result<Vec<Event>, Option<Box<Diagnostic>>> {
        self.evaluator.steps = 0;
        // Other statements change names only once nothing can fail any more.
        let before = match statement.kind {
            StatementKind::For { .. } => Some(self.evaluator.scopes.snapshot(self.scope)),
            _ => None,
        };
        let result = self
            .evaluator
            .run_statement(ast, statement, self.scope, "console");
        if let (Err(_), Some(before)) = (&result, before) {
            self.evaluator.scopes.restore(self.scope, before);
        }
        result
    }

    /// The names that the session itself has defined, in the order of their first definition.
    pub fn own_names(&self) -> Vec<(Name, Meta)> {
        let own = self.evaluator.scopes.own(self.scope);
        own.filter(|(name, _)| &***name != "out")
            .map(|(name, bound)| (name.clone(), bound.meta.clone()))
            .collect()
    }

    /// What a name means in the program.
    pub fn lookup(&self, name: &str) -> Option<&Meta> {
        self.evaluator.lookup(self.scope, name)
    }

    /// The `##` lines above the assignment that gave a name its meaning.
    pub fn documentation(&self, name: &str) -> &str {
        self.evaluator.scopes.documentation(self.scope, name)
    }

    /// Every visible name.
    pub fn names(&self) -> Vec<Name> {
        self.evaluator.visible_names(self.scope)
    }

    /// The evaluator and the session's scope, for front ends that run statement by statement.
    pub fn evaluator(&mut self) -> (&mut Evaluator, ScopeId) {
        (&mut self.evaluator, self.scope)
    }
}
