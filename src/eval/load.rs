//! `load "path";`: runs another text in a scope of its own and copies its public names. Where texts
//! come from is the business of [`Texts`], so that the core reads no files.

use super::context::Context;
use super::fault::{Cause, Doubtful, Limit, limited};
use super::meta::{Meta, ScopeId};
use super::scope::Bound;
use super::statement::Event;
use super::{Evaluator, Outcome};
use crate::base::{Severity, Span};
use crate::syntax::ast::{Ast, Command, Name};
use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A text that can be run.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Identifies the text, so that a file that loads itself is noticed.
    pub identity: String,
    /// How diagnostics name it.
    pub name: String,
    pub text: String,
}

/// Finds the texts that `load` names: those of the user and the standard library.
pub trait Texts: Send {
    /// The text behind `path`, written in the text with the identity `from` (`None` at the
    /// console).
    ///
    /// # Errors
    /// Why there is none, in words.
    fn load(&self, path: &str, from: Option<&str>) -> Result<Loaded, String>;

    /// Whether a text is a module of the standard library, which no user can mend.
    fn is_library(&self, identity: &str) -> bool;

    /// The names of the standard library's modules.
    fn modules(&self) -> Vec<&str>;

    /// The names that the standard library's modules define, each with its module.
    fn library_names(&self) -> Vec<(&str, &str)>;
}

/// A text being loaded.
#[derive(Debug)]
pub(crate) struct Frame {
    identity: String,
    name: String,
    /// The path in the `load` that it comes from, if that is how it got here.
    loaded_at: Option<Span>,
    /// Whether its warnings are given: not those of the library, and those of a file only once.
    warns: bool,
}

impl Evaluator {
    /// Says which text is being run, so that its loads look beside it.
    pub fn enter_file(&mut self, identity: &str, name: &str) {
        self.loading.push(Frame {
            identity: identity.to_string(),
            name: name.to_string(),
            loaded_at: None,
            warns: true,
        });
    }

    /// Whether warnings about what is being run are given.
    pub(crate) fn warns(&self) -> bool {
        self.loading.last().is_none_or(|frame| frame.warns)
    }

    pub fn leave_file(&mut self) {
        self.loading.pop();
    }

    /// Runs the library's text in the base scope, where every file and the console see it.
    pub fn load_library(&mut self, name: &str, text: &str) {
        let source = self.sources.add(name, text);
        self.library.insert(source);
        let (ast, diagnostics) = self.words.read(source, text, &self.limits, false);
        self.diagnostics.extend(diagnostics);
        self.run(&Arc::new(ast), self.base, name);
        self.steps = 0;
    }

    pub(crate) fn load(
        &mut self,
        cx: &Context,
        path: &str,
        span: Span,
        events: &mut Vec<Event>,
    ) -> Outcome<()> {
        let from = self.loading.last().map(|frame| frame.identity.clone());
        let loaded = self.texts.load(path, from.as_deref());
        let loaded = loaded.map_err(|reason| Cause::NotLoaded {
            path: path.to_string(),
            reason,
        })?;
        let mut frames = self.loading.iter();
        if let Some(at) = frames.position(|frame| frame.identity == loaded.identity) {
            let cycle = &self.loading[at..];
            let files = cycle.iter().map(|frame| frame.name.clone());
            let load = |frame: &Frame| Some((frame.name.clone(), frame.loaded_at?));
            return Err(Cause::Cycle {
                files: files.chain([loaded.name]).collect(),
                loads: cycle.iter().rev().filter_map(load).collect(),
            }
            .into());
        }
        let deepest = self.limits.load_depth;
        limited(self.loading.len() >= deepest, Limit::LoadDepth(deepest))?;
        self.loads += 1;
        let most = self.limits.loads;
        limited(self.loads > most, Limit::Loads(most))?;
        let library = self.texts.is_library(&loaded.identity);
        let warns = !library && self.warned_of.insert(loaded.identity.clone());
        self.loading.push(Frame {
            identity: loaded.identity.clone(),
            name: loaded.name.clone(),
            loaded_at: Some(span),
            warns,
        });
        let (names, failed) = self.run_loaded(path, &loaded, events);
        self.leave_file();
        self.take_names(cx, names, (&loaded.name, span));
        match failed {
            true => Err(Cause::LoadedErrors {
                path: path.to_string(),
                file: loaded.name,
            }
            .into()),
            false => Ok(()),
        }
    }

    /// Runs a text in a scope of its own: the names that it passes on, and whether it has errors.
    fn run_loaded(
        &mut self,
        path: &str,
        loaded: &Loaded,
        events: &mut Vec<Event>,
    ) -> (Vec<(Name, Bound)>, bool) {
        let source = self.sources.add(&loaded.name, loaded.text.as_str());
        if self.texts.is_library(&loaded.identity) {
            self.library.insert(source);
        }
        let warns = self.warns();
        let (ast, found) = self.words.read(source, &loaded.text, &self.limits, warns);
        let ast = Arc::new(ast);
        let scope = self.new_scope();
        let reported = self.diagnostics.len();
        self.diagnostics.extend(found);
        let inner = self.run(&ast, scope, path);
        let mut reported = self.diagnostics[reported..].iter();
        let failed = reported.any(|found| found.severity == Severity::Error);
        let passed = |name: &Name| {
            let is_public = !name.starts_with('_') && &**name != "out";
            is_public && (!self.library.contains(&source) || defines(&ast, name))
        };
        let public = self.scopes.own(scope).filter(|(name, _)| passed(name));
        let public: Vec<(Name, Bound)> = public
            .map(|(n, bound)| (n.clone(), bound.clone()))
            .collect();
        events.extend(shown(inner, &public));
        (public, failed)
    }

    /// Copies names of a loaded text into the scope that loads it, with a warning where they were
    /// names of a user's own text and another text gives them a new meaning.
    fn take_names(&mut self, cx: &Context, names: Vec<(Name, Bound)>, (file, at): (&str, Span)) {
        let mut replaced = Vec::new();
        for (name, bound) in names {
            if let Some(made) = self.own_made(cx.scope, &name)
                && self.sources.get(made.source).name != self.sources.get(bound.made.source).name
            {
                replaced.push((name.clone(), made));
            }
            self.scopes.bind(cx.scope, name, bound);
        }
        if !replaced.is_empty() {
            self.doubt(Doubtful::Replaced(replaced, file.to_string()), [], at);
        }
    }

    /// Where a name of this very scope was made, if that is a text of the user's.
    fn own_made(&self, scope: ScopeId, name: &str) -> Option<Span> {
        let made = self.scopes.made(scope, name)?;
        let own = self.scopes.has_own(scope, name) && !self.is_library(made);
        own.then_some(made)
    }
}

/// Whether a text itself defines a name, other than by loading it.
fn defines(ast: &Ast, name: &Name) -> bool {
    let names = |statement| super::statement::defined(statement);
    let mut idents = ast.statements.iter().flat_map(names);
    idents.any(|ident| ident.name == *name)
}

/// What is shown of a load: each name it passes on once, in the order of the last assignments, and
/// whatever commands the text gave.
fn shown(events: Vec<Event>, public: &[(Name, Bound)]) -> Vec<Event> {
    let public: FxHashSet<&Name> = public.iter().map(|(name, _)| name).collect();
    let mut assigned: IndexMap<Name, Meta> = IndexMap::new();
    let mut kept = Vec::new();
    for event in events {
        match event {
            Event::Assigned { name, meta } => {
                assigned.shift_remove(&name);
                if public.contains(&name) {
                    assigned.insert(name, meta);
                }
            }
            // `exit` ends the file that says it, not the session.
            Event::Expression { .. }
            | Event::Asserted(_)
            | Event::Draw { .. }
            | Event::Command(Command::Exit) => {}
            command @ (Event::SetExample { .. }
            | Event::SetVocabulary { .. }
            | Event::SetMaxLength { .. }
            | Event::Command(_)) => kept.push(command),
        }
    }
    kept.extend(
        assigned
            .into_iter()
            .map(|(name, meta)| Event::Assigned { name, meta }),
    );
    kept
}
