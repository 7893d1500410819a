//! `load "path";`: runs another text in a scope of its own and copies its public names. Where texts
//! come from is the `Loader`'s business, so that the core reads no files.

use super::expression::Context;
use super::meta::Meta;
use super::scope::Bound;
use super::statement::Event;
use super::{Evaluator, Outcome, Stop};
use crate::base::suggest::nearest;
use crate::base::{Code, Diagnostic, Severity, Span};
use crate::diagnose::{read, warnings};
use crate::syntax::ast::Name;
use indexmap::IndexMap;
use std::rc::Rc;

/// A text found by a [`Loader`].
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Identifies the text, so that a file that loads itself is noticed.
    pub identity: String,
    /// How diagnostics name it.
    pub name: String,
    pub text: String,
}

/// Finds the texts that `load` names.
pub trait Loader {
    /// The text behind `path`, written in the text with the identity `from` (`None` at the
    /// console).
    ///
    /// # Errors
    /// Why there is none, in words.
    fn load(&self, path: &str, from: Option<&str>) -> Result<Loaded, String>;

    /// Whether a text is a module of the standard library, which no user can mend.
    fn is_library(&self, identity: &str) -> bool {
        let _ = identity;
        false
    }

    /// The names of the standard library's modules.
    fn modules(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The names that the standard library's modules define, each with its module.
    fn library_names(&self) -> Vec<(&str, &str)> {
        Vec::new()
    }
}

/// A loader that finds nothing.
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _: &str, _: Option<&str>) -> Result<Loaded, String> {
        Err("no files can be loaded here".to_string())
    }
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

/// Says of a load that another file has errors, which were reported before.
pub const HAS_ERRORS: &str = "loaded here; its errors come before this one";

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
        let parsed = read(source, text, &self.limits);
        self.diagnostics.extend(parsed.diagnostics);
        let base = self.base;
        self.run(&Rc::new(parsed.ast), base, name);
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
        let loaded = self.loader.load(path, from.as_deref()).map_err(|reason| {
            Diagnostic::error(Code::FileNotFound, format!("`{path}` could not be loaded"))
                .at(span, reason)
                .maybe_help(self.other_modules(path))
        })?;
        if let Some(at) = self
            .loading
            .iter()
            .position(|frame| frame.identity == loaded.identity)
        {
            let cycle: Vec<&str> = self.loading[at..]
                .iter()
                .map(|frame| frame.name.as_str())
                .chain([loaded.name.as_str()])
                .collect();
            let (message, help) = match cycle.as_slice() {
                [_, _] => ("this file loads itself", "remove this `load`"),
                _ => (
                    "these files load each other",
                    "move what both need into a third file and load that from both",
                ),
            };
            let mut error =
                Diagnostic::error(Code::LoadCycle, message).at(span, "this closes the cycle");
            for frame in self.loading[at..].iter().rev() {
                if let Some(loaded_at) = frame.loaded_at {
                    error = error.at(loaded_at, format!("`{}` is loaded here", frame.name));
                }
            }
            return Err(error.note(cycle.join(" loads ")).help(help).into());
        }
        let deepest = self.limits.load_depth;
        if self.loading.len() >= deepest {
            let what = ("load_depth", "loads inside each other");
            return Err(self.limit(span, what, deepest).into());
        }
        let library = self.loader.is_library(&loaded.identity);
        let warns = !library && self.warned_of.insert(loaded.identity.clone());
        self.loading.push(Frame {
            identity: loaded.identity.clone(),
            name: loaded.name.clone(),
            loaded_at: Some(span),
            warns,
        });
        let result = self.run_loaded(cx, path, &loaded, span, events);
        self.leave_file();
        result
    }

    /// What there is to load instead of a path that leads nowhere.
    fn other_modules(&self, path: &str) -> Option<String> {
        let modules = self.loader.modules();
        let whole = nearest(path, modules.iter().copied());
        // Or only the beginning of a name.
        let length = path.chars().count();
        let beginning = |module: &&str| {
            let cut = module
                .char_indices()
                .nth(length)
                .map_or(module.len(), |(at, _)| at);
            length > 2 && nearest(path, [&module[..cut]]).is_some()
        };
        match whole.or_else(|| modules.iter().copied().find(beginning)) {
            Some(module) => Some(format!("did you mean `load \"{module}\";`?")),
            None => modules.first().map(|first| {
                let all = modules.join(", ");
                format!("the library has {all}: `load \"{first}\";`")
            }),
        }
    }

    fn run_loaded(
        &mut self,
        cx: &Context,
        path: &str,
        loaded: &Loaded,
        span: Span,
        events: &mut Vec<Event>,
    ) -> Outcome<()> {
        let source = self.sources.add(&loaded.name, loaded.text.as_str());
        let parsed = read(source, &loaded.text, &self.limits);
        let scope = self.new_scope();
        let reported = self.diagnostics.len();
        if self.warns() {
            self.diagnostics.extend(warnings(&parsed, &loaded.text));
        }
        self.diagnostics.extend(parsed.diagnostics);
        let inner = self.run(&Rc::new(parsed.ast), scope, path);
        let failed = self.diagnostics[reported..]
            .iter()
            .any(|found| found.severity == Severity::Error);
        self.take_names(cx, scope)?;
        events.extend(shown(inner));
        if failed {
            let failure = Diagnostic::error(Code::FileNotFound, format!("`{path}` has errors"))
                .at(span, HAS_ERRORS)
                .help(format!(
                    "mend them first; `rasp check {}` shows them alone",
                    loaded.name
                ));
            return Err(Stop::Error(Box::new(failure)));
        }
        Ok(())
    }

    /// Copies the public names of a loaded text into the scope that loads it.
    fn take_names(&mut self, cx: &Context, scope: super::ScopeId) -> Outcome<()> {
        let public: Vec<(Name, Bound)> = self
            .scopes
            .own(scope)
            .filter(|(name, _)| !name.starts_with('_') && &***name != "out")
            .map(|(name, bound)| (name.clone(), bound.clone()))
            .collect();
        for (name, bound) in public {
            self.scopes.bind(cx.scope, name, bound);
        }
        Ok(())
    }
}

/// What is shown of a load: each public name once, in the order of the last assignments, and
/// whatever commands the text gave.
fn shown(events: Vec<Event>) -> Vec<Event> {
    let mut assigned: IndexMap<Name, Meta> = IndexMap::new();
    let mut kept = Vec::new();
    for event in events {
        match event {
            Event::Assigned { name, meta } => {
                assigned.shift_remove(&name);
                if !name.starts_with('_') {
                    assigned.insert(name, meta);
                }
            }
            // `exit` ends the file that says it, not the session.
            Event::Expression { .. } | Event::Asserted(_) | Event::Draw { .. } | Event::Exit => {}
            command => kept.push(command),
        }
    }
    kept.extend(
        assigned
            .into_iter()
            .map(|(name, meta)| Event::Assigned { name, meta }),
    );
    kept
}
