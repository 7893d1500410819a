//! `Meta`: what an expression of the language evaluates to before there is an input: atoms, lists,
//! dicts, functions, s-ops and selectors.

use crate::base::{Held, Span};
use crate::builtin::Builtin;
use crate::graph::{SOpId, ScorerId, SelectorId};
use crate::interpret::{Applicable, Application};
use crate::syntax::ast::{Ast, ExprId, Function, Lambda, Name};
use crate::value::Value;
use indexmap::IndexMap;
use std::sync::Arc;

/// A scope of one evaluator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScopeId(pub(super) u32);

/// A value with its place: where it stands, or where it was made.
pub type Side = (Meta, Span);

/// A value of the language.
#[derive(Clone, Debug)]
pub enum Meta {
    Atom(Value),
    List(Arc<List>),
    Dict(Arc<Dict>),
    SOp(SOpId),
    Selector(SelectorId),
    /// A function of a key and a query: what `score` gives, and what stands for a key's or query's
    /// value while such a function is read.
    Scorer(ScorerId),
    Function(Arc<Callable>),
    /// What an s-op or selector gives on an input; it can be shown and compared, nothing else.
    Application(Arc<Application>),
    /// The name of something whose definition failed.
    Broken,
}

impl Application {
    /// What it gives, as a list; for a selector a list of rows.
    pub(crate) fn as_list(&self) -> Meta {
        match self {
            Application::Sequence { output, .. } => Meta::atoms(&output.values),
            Application::Matrix { .. } | Application::Scores { .. } => {
                Meta::list(self.rows(usize::MAX))
            }
        }
    }

    /// The first rows of a selector or of scores, each as a list.
    pub(crate) fn rows(&self, count: usize) -> Vec<Meta> {
        let bit = |bit: &bool| Meta::Atom(Value::Bool(*bit));
        match self {
            Application::Sequence { .. } => Vec::new(),
            Application::Matrix { rows, .. } => {
                let rows = rows.iter().take(count);
                rows.map(|row| Meta::list(row.iter().map(bit).collect()))
                    .collect()
            }
            Application::Scores { rows, .. } => rows
                .iter()
                .take(count)
                .map(|row| Meta::atoms(row))
                .collect(),
        }
    }
}

/// A function with the scope it was made in.
#[derive(Debug)]
pub struct Callable {
    pub name: Name,
    /// Where it was defined: `console` or the path given to `load`.
    pub origin: Arc<str>,
    pub parameters: Vec<(Name, Option<Meta>)>,
    /// Whether the last parameter takes all further arguments, as a list.
    pub rest: bool,
    pub documentation: String,
    pub(crate) body: Body,
}

#[derive(Debug)]
pub(crate) enum Body {
    Builtin(Builtin),
    Defined {
        ast: Arc<Ast>,
        function: Arc<Function>,
        scope: ScopeId,
    },
    Lambda {
        ast: Arc<Ast>,
        lambda: Arc<Lambda>,
        span: Span,
        scope: ScopeId,
    },
}

/// A list, with how deep lists, dicts and functions nest in it: a bound on that depth keeps
/// dropping and printing it from exhausting the stack.
#[derive(Debug, Default)]
pub struct List {
    items: Vec<Meta>,
    depth: u32,
    written: u64,
    held: Option<Held>,
}

impl std::ops::Deref for List {
    type Target = [Meta];

    fn deref(&self) -> &[Meta] {
        &self.items
    }
}

/// A dict: insertion ordered; keys that are equal in the language are one key, in the spelling of
/// the first.
#[derive(Debug, Default)]
pub struct Dict {
    entries: IndexMap<Value, (Value, Meta), rustc_hash::FxBuildHasher>,
    depth: u32,
    held: Option<Held>,
}

impl Dict {
    pub fn insert(&mut self, key: Value, meta: Meta) {
        self.depth = self.depth.max(meta.depth());
        match self.entries.entry(key.canonical()) {
            indexmap::map::Entry::Occupied(mut entry) => entry.get_mut().1 = meta,
            indexmap::map::Entry::Vacant(entry) => {
                entry.insert((key, meta));
            }
        }
    }

    pub fn get(&self, key: &Value) -> Option<&Meta> {
        self.entries.get(&key.canonical()).map(|(_, meta)| meta)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Value, &Meta)> {
        self.entries.values().map(|(key, meta)| (key, meta))
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl Meta {
    pub fn list(items: Vec<Meta>) -> Meta {
        let depth = items.iter().map(Meta::depth).max().unwrap_or(0);
        let written = items.iter().map(Meta::written);
        let list = List {
            depth,
            written: written.fold(0, u64::saturating_add),
            items,
            held: None,
        };
        Meta::List(Arc::new(list))
    }

    /// How many values there are if all is written out: a list that holds another twice writes it
    /// twice.
    pub fn written(&self) -> u64 {
        if let Meta::List(list) = self {
            list.written
        } else {
            1
        }
    }

    /// Counts a new list or dict as held until it is dropped.
    pub(crate) fn hold(&mut self, held: Held) {
        if let Meta::List(list) = self {
            Arc::get_mut(list).map(|list| list.held.insert(held));
        } else if let Meta::Dict(dict) = self {
            Arc::get_mut(dict).map(|dict| dict.held.insert(held));
        }
    }

    /// A list of atoms.
    pub(crate) fn atoms(values: &[Value]) -> Meta {
        Meta::list(values.iter().cloned().map(Meta::Atom).collect())
    }

    /// How deep lists, dicts and functions nest in it.
    pub fn depth(&self) -> u32 {
        match self {
            Meta::List(list) => list.depth + 1,
            Meta::Dict(dict) => dict.depth + 1,
            Meta::Function(callable) => {
                let defaults = callable
                    .parameters
                    .iter()
                    .filter_map(|(_, default)| default.as_ref());
                defaults.map(Meta::depth).max().map_or(0, |depth| depth + 1)
            }
            Meta::Atom(_)
            | Meta::SOp(_)
            | Meta::Selector(_)
            | Meta::Scorer(_)
            | Meta::Application(_)
            | Meta::Broken => 0,
        }
    }

    /// Truth as in Python.
    pub fn truthy(&self) -> bool {
        match self {
            Meta::Atom(value) => value.truthy(),
            Meta::List(items) => !items.is_empty(),
            Meta::Dict(dict) => !dict.is_empty(),
            Meta::SOp(_)
            | Meta::Selector(_)
            | Meta::Scorer(_)
            | Meta::Function(_)
            | Meta::Application(_)
            | Meta::Broken => true,
        }
    }

    /// A list or dict of atoms (or a dict's keys, or a string's characters) as tokens.
    pub fn as_tokens(&self) -> Option<Vec<Value>> {
        match self {
            Meta::Atom(Value::Str(text)) => Some(Value::characters(text)),
            Meta::List(items) => items
                .iter()
                .map(Meta::as_atom)
                .map(|atom| atom.cloned())
                .collect(),
            Meta::Dict(dict) => Some(dict.iter().map(|(key, _)| key.clone()).collect()),
            Meta::Atom(_)
            | Meta::SOp(_)
            | Meta::Selector(_)
            | Meta::Scorer(_)
            | Meta::Function(_)
            | Meta::Application(_)
            | Meta::Broken => None,
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else is an s-op")]
    pub fn as_sop(&self) -> Option<SOpId> {
        match self {
            Meta::SOp(id) => Some(*id),
            _ => None,
        }
    }

    /// Itself, if it has a value for each input.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others are constant")]
    pub(crate) fn as_applicable(&self) -> Option<Applicable> {
        match self {
            Meta::SOp(id) => Some(Applicable::SOp(*id)),
            Meta::Selector(id) => Some(Applicable::Selector(*id)),
            Meta::Scorer(id) => Some(Applicable::Scorer(*id)),
            _ => None,
        }
    }

    pub fn as_atom(&self) -> Option<&Value> {
        if let Meta::Atom(value) = self {
            Some(value)
        } else {
            None
        }
    }
}

impl Callable {
    /// Whether the language gives it.
    pub fn is_builtin(&self) -> bool {
        matches!(self.body, Body::Builtin(_))
    }

    /// Where its name was defined, if the program did that.
    pub(crate) fn definition(&self) -> Option<Span> {
        match &self.body {
            Body::Defined { function, .. } => Some(function.ident.span),
            Body::Lambda { span, .. } => Some(*span),
            Body::Builtin(_) => None,
        }
    }

    /// The parameters that take one argument each.
    pub(crate) fn single(&self) -> &[(Name, Option<Meta>)] {
        &self.parameters[..self.parameters.len() - usize::from(self.rest)]
    }

    /// How many arguments it takes: at least, and at most.
    pub(crate) fn takes(&self) -> (usize, usize) {
        let single = self.single();
        let required = single.iter().filter(|(_, default)| default.is_none());
        let most = if self.rest { usize::MAX } else { single.len() };
        (required.count(), most)
    }

    /// Where the default of a parameter is written.
    pub(crate) fn default_span(&self, parameter: usize) -> Option<Span> {
        let (ast, parameters) = match &self.body {
            Body::Defined { ast, function, .. } => (ast, &function.parameters),
            Body::Lambda { ast, lambda, .. } => (ast, &lambda.parameters),
            Body::Builtin(_) => return None,
        };
        Some(ast.get(parameters.get(parameter)?.default?).span)
    }

    /// Its tree, and what it gives, if the program has defined it.
    pub(crate) fn results(&self) -> Option<(&Ast, Vec<ExprId>)> {
        match &self.body {
            Body::Defined { ast, function, .. } => Some((ast, function.results.clone())),
            Body::Lambda { ast, lambda, .. } => Some((ast, vec![lambda.body])),
            Body::Builtin(_) => None,
        }
    }
}
