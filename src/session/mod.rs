//! `Session`: what every front end uses. It reads programs, keeps what they define, and runs,
//! schedules and compiles their s-ops.

mod entry;
pub mod files;
mod hazard;
mod loader;
mod made;
mod rounding;
pub mod show;

use crate::base::{Code, Control, Diagnostic, Fallible, Limits, Severity, SourceId, Sources, Span};
pub use crate::certify::Certificate;
pub use crate::compile::{
    Compiled, Options as VerifyOptions, Proof, Request, Verification, WrongOutput,
};
use crate::diagnose::{Read, Words, explain, read, read_entry, read_expression};
pub use crate::eval::{Application, Assertion, Event, Loaded, Meta, Verdict};
use crate::eval::{Diagnose, Evaluator, ScopeId};
use crate::graph::{Graph, SOp, SOpId, Selector, SelectorId, Sharing};
pub use crate::infer::Setting;
pub use crate::interpret::Sequence;
use crate::interpret::{self, Applicable, Failed};
use crate::schedule::{Schedule, schedule};
use crate::stdlib;
use crate::syntax::ast::{Ast, ExprKind, Name, Statement, StatementKind};
pub use crate::syntax::ast::{Command, ExampleKind};
use crate::value::sequence::applied;
use crate::value::{Op, Value};
use loader::WithLibrary;
pub use loader::{Loader, Memory, Missing};
pub use made::Asked;
use std::sync::Arc;

/// What a program says about the inputs to expect.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The running example: until one is set, "hello", or tokens of the vocabulary where that is no input
    /// of a model.
    pub example: Vec<Value>,
    is_example_set: bool,
    /// The tokens that models know (`set vocab`).
    pub vocabulary: Option<Vec<Value>>,
    /// The longest input of models (`set max_length`).
    pub max_length: Option<usize>,
    /// Whether models look backwards only (`set causal`).
    pub causal: bool,
}

/// The running example until there is another.
pub(crate) const EXAMPLE: &str = "hello";

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            example: Value::characters(EXAMPLE),
            is_example_set: false,
            vocabulary: None,
            max_length: None,
            causal: false,
        }
    }
}

impl Settings {
    /// Takes over a setting that a program made.
    pub fn obey(&mut self, event: &Event) {
        match event {
            Event::SetExample { tokens, .. } => {
                self.example = tokens.clone();
                self.is_example_set = true;
            }
            Event::SetVocabulary { tokens } => {
                self.vocabulary = Some(Value::distinct(tokens));
                self.follow();
            }
            Event::SetMaxLength { length } => {
                self.max_length = Some(*length);
                self.follow();
            }
            Event::Command(Command::SetCausal { on }) => self.causal = *on,
            Event::Expression { .. }
            | Event::Assigned { .. }
            | Event::Asserted(_)
            | Event::Draw { .. }
            | Event::Command(_) => {}
        }
    }
}

impl Settings {
    /// Makes the example, until one is set, an input of models.
    fn follow(&mut self) {
        if self.is_example_set {
            return;
        }
        let mut example = Value::characters(EXAMPLE);
        if let Some(vocabulary) = &self.vocabulary
            && !example.iter().all(|token| vocabulary.contains(token))
        {
            let tokens = vocabulary.iter().cycle();
            example = tokens.take(example.len()).cloned().collect();
        }
        example.truncate(self.max_length.unwrap_or(example.len()));
        self.example = example;
    }
}

/// A program with everything it defines.
pub struct Session {
    evaluator: Evaluator,
    scope: ScopeId,
    /// What the program says of its inputs.
    pub settings: Settings,
}

impl Session {
    /// A session that knows the library, whose programs load files and are within [`Limits::default`].
    /// With [`Sharing::None`] schedules count heads as the reference implementation does.
    pub fn new(sharing: Sharing) -> Session {
        let texts = Box::new(WithLibrary(Box::new(files::Files)));
        let mut evaluator = Evaluator::new(sharing, Limits::default(), texts, &Words);
        evaluator.load_library("stdlib/rasplib.rasp", stdlib::RASPLIB.text);
        assert!(
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

    /// The same, whose programs load what a loader finds, or else the library's modules.
    #[must_use]
    pub fn with_loader(mut self, loader: impl Loader + 'static) -> Session {
        self.evaluator.texts = Box::new(WithLibrary(Box::new(loader)));
        self
    }

    /// The same, whose programs are within other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Session {
        self.control().allow_pairs(limits.pairs);
        self.evaluator.limits = limits;
        self
    }

    /// The s-ops and selectors of all programs that were run.
    pub fn graph(&self) -> &Graph {
        &self.evaluator.graph
    }

    /// The handle that stops whatever the session does, from another thread.
    pub fn control(&self) -> &Control {
        self.evaluator.graph.control()
    }

    /// The texts that diagnostics are about.
    pub fn sources(&self) -> &Sources {
        &self.evaluator.sources
    }

    /// The limits of programs.
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
        let (ast, found) = Words.read(source, &program.text, &self.evaluator.limits, true);
        let failed = found.iter().any(|found| found.severity == Severity::Error);
        self.evaluator.diagnostics.extend(found);
        if failed {
            return Vec::new();
        }
        self.evaluator.enter_file(&program.identity, &program.name);
        let events = self
            .evaluator
            .run(&Arc::new(ast), self.scope, &program.name);
        self.evaluator.leave_file();
        for event in &events {
            self.settings.obey(event);
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

    /// Runs a text in a scope of its own, with a fresh allowance of steps: neither it nor the
    /// session's program sees the other's names, but the graph is the same, so that both can be
    /// compared. Gives what a name means in it, and the settings that it makes.
    pub fn run_apart(&mut self, name: &str, text: &str, wanted: &str) -> (Option<Meta>, Settings) {
        let source = self.evaluator.sources.add(name, text);
        let parsed = read(source, text, &self.evaluator.limits);
        self.evaluator.diagnostics.extend(parsed.diagnostics);
        let scope = self.evaluator.new_scope();
        let events = self.evaluator.run(&Arc::new(parsed.ast), scope, name);
        let mut settings = Settings::default();
        events.iter().for_each(|event| settings.obey(event));
        (self.evaluator.lookup(scope, wanted).cloned(), settings)
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

    /// What is wrong with several expressions where one is asked for, as in `-e hist,length`.
    fn several(&self, text: &str, source: SourceId) -> Option<Box<Diagnostic>> {
        let listed = format!("({text})");
        let (read, root) = read_expression(source, &listed, &self.evaluator.limits);
        let ExprKind::Tuple(items) = &read.ast.get(root?).kind else {
            return None;
        };
        if items.len() < 2 {
            return None;
        }
        let spans = items.iter().map(|item| read.ast.get(*item).span);
        let each = spans.map(|span| format!("`-e {}`", &listed[span.range()]));
        let error = Diagnostic::error(Code::UnexpectedToken, "one expression is asked for");
        let error = error.at(Span::new(source, 0, text.len()), "these are several");
        let each: Vec<String> = each.collect();
        Some(
            error
                .help(format!(
                    "ask for one at a time, on the command line as {}",
                    each.join(" ")
                ))
                .into(),
        )
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
            return Err(self.several(text, source).unwrap_or(Box::new(error)));
        }
        let whole = Span::new(source, 0, text.len());
        let Some(root) = root else {
            let missing = Diagnostic::error(Code::UnexpectedEnd, "an expression is needed");
            return Err(missing.at(whole, "nothing here").into());
        };
        match self
            .evaluator
            .run_expression(&Arc::new(read.ast), root, self.scope)
        {
            Ok(meta) => Ok((meta, whole)),
            Err(Some(diagnostic)) => Err(diagnostic),
            Err(None) => Err(Words.broken(whole, "used here").into()),
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
        let sop = meta.as_sop().ok_or_else(|| no_sop(text, &meta, span))?;
        Ok((sop, span))
    }

    /// The s-op that a value is: itself, or for an atom the s-op that holds it everywhere.
    pub fn as_sop(&mut self, meta: &Meta, span: Span) -> Option<SOpId> {
        let graph = &mut self.evaluator.graph;
        let constant = || Some(graph.constant(meta.as_atom()?.clone(), span));
        meta.as_sop().or_else(constant)
    }

    /// Two pairs of s-ops that are equal just where two selectors select the same: their widths, and how
    /// many keys one of them alone selects, beside 0.
    pub fn differences(&mut self, [a, b]: [SelectorId; 2], span: Span) -> [[SOpId; 2]; 2] {
        let graph = &mut self.evaluator.graph;
        let mut without = |selector, other| {
            let other = graph.selector(Selector::Not(other), span);
            graph.selector(Selector::And(selector, other), span)
        };
        let alone = (without(a, b), without(b, a));
        let apart = graph.selector(Selector::Or(alone.0, alone.1), span);
        let mut width = |selector| graph.sop(SOp::Width { selector }, span);
        let (widths, apart) = ([width(a), width(b)], width(apart));
        // It fails where the selectors do.
        let zero = graph.constant(Value::Int(0), span);
        let none = graph.map(Op::Multiply, vec![zero, apart], span);
        [widths, [apart, none]]
    }

    /// The values of an s-op on an input.
    ///
    /// # Errors
    /// As [`interpret::evaluate`].
    pub fn evaluate(&self, sop: SOpId, input: &[Value]) -> Fallible<Sequence> {
        interpret::evaluate(self.graph(), sop, input).map_err(|failed| self.told(*failed))
    }

    /// What an s-op, a selector or a scorer gives on an input; nothing of what is the same for all inputs.
    pub fn apply(&self, meta: &Meta, input: &[Value]) -> Option<Fallible<Application>> {
        let applicable = meta.as_applicable()?;
        let given = applicable.on(self.graph(), input.to_vec(), self.limits());
        Some(given.map_err(|failed| {
            let error = failed.in_graph(self.graph()).into();
            self.why_not(applicable, error)
        }))
    }

    /// Why something gives nothing on an input, with what the program says about it; of a scorer that is
    /// left out.
    pub(crate) fn why_not(&self, of: Applicable, error: Diagnostic) -> Box<Diagnostic> {
        match of {
            Applicable::SOp(id) => self.explained(error, &[id]),
            Applicable::Selector(id) => self.explained(error, &self.graph().selector_operands(id)),
            Applicable::Scorer(_) => self.explained(error, &[]),
        }
    }

    /// The values of an s-op on each of many inputs, sooner than one by one where these are short.
    ///
    /// # Errors
    /// Ctrl-C (E0802); of each input as [`Session::evaluate`].
    pub fn evaluate_many(
        &self,
        sop: SOpId,
        inputs: &[Vec<Value>],
    ) -> Fallible<Vec<Fallible<Vec<Value>>>> {
        let told = |failed: Box<Failed>| self.told(*failed);
        let all = interpret::evaluate_many(self.graph(), &[sop], inputs).map_err(told)?;
        let found = all.into_iter().flatten();
        Ok(found.map(|values| values.map_err(told)).collect())
    }

    /// Why an evaluation gives nothing, with what the program says about it.
    pub(crate) fn told(&self, failed: Failed) -> Box<Diagnostic> {
        let roots = failed.roots.clone();
        self.explained(failed.in_graph(self.graph()).into(), &roots)
    }

    /// An error of an evaluation of some s-ops with what the program says about it.
    pub(crate) fn explained(&self, error: Diagnostic, roots: &[SOpId]) -> Box<Diagnostic> {
        Box::new(explain(&self.evaluator, error, roots))
    }

    /// The layers and heads that an s-op takes.
    pub fn schedule(&self, sop: SOpId) -> Schedule {
        schedule(self.graph(), &[sop])
    }

    /// Reads a text typed at the prompt after some lines, keeping it for diagnostics; nothing is run.
    #[doc(hidden)]
    pub fn read(&mut self, name: &str, text: &str, lines_before: usize) -> Read {
        let sources = &mut self.evaluator.sources;
        let source = sources.add_after(name, text, lines_before);
        read_entry(source, text, &self.evaluator.limits)
    }

    /// Runs one statement of a text that was [read](Session::read), with a fresh allowance of
    /// steps. If it fails, no name of the session has changed its meaning, except by `load`, which
    /// keeps what its text defined.
    ///
    /// # Errors
    /// The error of the statement.
    #[doc(hidden)]
    pub fn run_statement(
        &mut self,
        ast: &Arc<Ast>,
        statement: &Statement,
    ) -> Result<Vec<Event>, Option<Box<Diagnostic>>> {
        self.evaluator.steps = 0;
        // Other statements change names only once nothing can fail any more.
        let several = matches!(
            statement.kind,
            StatementKind::For { .. } | StatementKind::Repeat(_)
        );
        let before = several.then(|| self.evaluator.scopes.snapshot(self.scope));
        let result = self
            .evaluator
            .run_statement(ast, statement, self.scope, "console");
        if let (Err(_), Some(before)) = (&result, before) {
            self.evaluator.scopes.restore(self.scope, before);
        }
        result
    }

    /// Notes that a text which was [read](Session::read) is not run, as it has syntax errors.
    #[doc(hidden)]
    pub fn not_run(&mut self, ast: &Ast) {
        self.evaluator.not_run(ast, self.scope);
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
        self.evaluator.scopes.visible(self.scope)
    }
}

/// What an expression is instead of the s-op that is needed, and how to get at one.
pub(crate) fn no_sop(text: &str, meta: &Meta, span: Span) -> Box<Diagnostic> {
    let help = match meta {
        Meta::List(_) => format!("for its first element: `{text}[0]`"),
        Meta::Dict(_) => format!("to look up each token: `{text}[tokens]`"),
        Meta::Function(callable) => {
            let listed = callable.called("");
            let given = match callable.single().len() {
                1 => "tokens",
                _ => &listed[1..listed.len() - 1],
            };
            format!("call it: `{}`", applied(text, given))
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
        Meta::SOp(_) | Meta::Atom(_) | Meta::Broken => "give an s-op, like `tokens`".to_string(),
    };
    let message = format!("an s-op is needed, not {}", meta.kind());
    Diagnostic::error(Code::AtomExpected, message)
        .at(span, format!("this is {}", meta.kind()))
        .help(help)
        .into()
}
