//! `Meta`: what an expression of the language evaluates to before there is an input: atoms, lists,
//! dicts, functions, s-ops and selectors.

#![deny(clippy::wildcard_enum_match_arm)]

use crate::base::{Held, Span};
use crate::builtin::Builtin;
use crate::graph::{SOpId, ScorerId, SelectorId};
use crate::interpret::Sequence;
use crate::syntax::ast::{Ast, ExprId, Function, Lambda, Name};
use crate::value::Value;
use crate::value::atom::{float_repr, quote};
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

/// The result of an s-op, selector or scorer applied to an input.
#[derive(Clone, Debug)]
pub enum Application {
    Sequence {
        input: Vec<Value>,
        output: Sequence,
    },
    Matrix {
        input: Vec<Value>,
        rows: Vec<Vec<bool>>,
    },
    /// The scores of the keys, a row for each query.
    Scores {
        input: Vec<Value>,
        rows: Vec<Vec<Value>>,
    },
}

impl Application {
    /// What it gives, as a list; for a selector a list of rows.
    pub(crate) fn as_list(&self) -> Meta {
        match self {
            Application::Sequence { output, .. } => Meta::atoms(&output.values),
            Application::Matrix { rows, .. } => listed_rows(rows),
            Application::Scores { rows, .. } => listed_scores(rows),
        }
    }
}

fn listed_rows(rows: &[Vec<bool>]) -> Meta {
    let bit = |bit: &bool| Meta::Atom(Value::Bool(*bit));
    let row = |row: &Vec<bool>| Meta::list(row.iter().map(bit).collect());
    Meta::list(rows.iter().map(row).collect())
}

fn listed_scores(rows: &[Vec<Value>]) -> Meta {
    Meta::list(rows.iter().map(|row| Meta::atoms(row)).collect())
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
        match self {
            Meta::List(list) => list.written,
            Meta::Atom(_)
            | Meta::Dict(_)
            | Meta::SOp(_)
            | Meta::Selector(_)
            | Meta::Scorer(_)
            | Meta::Function(_)
            | Meta::Application(_)
            | Meta::Broken => 1,
        }
    }

    /// Counts a new list or dict as held until it is dropped.
    pub(crate) fn hold(&mut self, held: Held) {
        let place = match self {
            Meta::List(list) => Arc::get_mut(list).map(|list| &mut list.held),
            Meta::Dict(dict) => Arc::get_mut(dict).map(|dict| &mut dict.held),
            Meta::Atom(_)
            | Meta::SOp(_)
            | Meta::Selector(_)
            | Meta::Scorer(_)
            | Meta::Function(_)
            | Meta::Application(_)
            | Meta::Broken => None,
        };
        if let Some(place) = place {
            *place = Some(held);
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

    /// What kind of thing it is, with an article, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Meta::Atom(Value::Int(_)) => "an int",
            Meta::Atom(Value::Float(_)) => "a float",
            Meta::Atom(Value::Bool(_)) => "a bool",
            Meta::Atom(Value::Str(_)) => "a string",
            Meta::List(_) => "a list",
            Meta::Dict(_) => "a dict",
            Meta::SOp(_) => "an s-op",
            Meta::Selector(_) => "a selector",
            Meta::Scorer(_) => "a scorer",
            Meta::Function(_) => "a function",
            Meta::Application(_) => "the result of an application",
            Meta::Broken => "something broken",
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

    pub fn as_atom(&self) -> Option<&Value> {
        if let Meta::Atom(value) = self {
            Some(value)
        } else {
            None
        }
    }

    /// As Python's `repr` would show it, cut where it gets very long; s-ops, selectors and
    /// functions by their kind.
    pub fn repr(&self) -> String {
        let mut text = String::new();
        self.write_repr(&mut text);
        text
    }

    fn write_repr(&self, text: &mut String) {
        if text.len() > LONGEST_REPR {
            if !text.ends_with('…') {
                text.push('…');
            }
            return;
        }
        match self {
            Meta::Atom(value) => text.push_str(&python_repr(value)),
            Meta::List(items) => {
                text.push('[');
                for (index, item) in items.iter().enumerate() {
                    text.push_str(if index == 0 { "" } else { ", " });
                    item.write_repr(text);
                }
                text.push(']');
            }
            Meta::Dict(dict) => {
                text.push('{');
                for (index, (key, value)) in dict.iter().enumerate() {
                    text.push_str(if index == 0 { "" } else { ", " });
                    text.push_str(&format!("{}: ", python_repr(key)));
                    value.write_repr(text);
                }
                text.push('}');
            }
            Meta::SOp(_) => text.push_str("s-op"),
            Meta::Selector(_) => text.push_str("selector"),
            Meta::Scorer(_) => text.push_str("scorer"),
            Meta::Function(callable) => text.push_str(&callable.signature()),
            Meta::Application(application) => match &**application {
                Application::Sequence { output, .. } => text.push_str(&output.to_string()),
                // What is cut anyway is not made.
                Application::Matrix { rows, .. } => {
                    let shown = rows.len().min(LONGEST_REPR / (rows.len() + 1) + 1);
                    listed_rows(&rows[..shown]).write_repr(text);
                }
                Application::Scores { rows, .. } => {
                    let shown = rows.len().min(LONGEST_REPR / (rows.len() + 1) + 1);
                    listed_scores(&rows[..shown]).write_repr(text);
                }
            },
            Meta::Broken => text.push('?'),
        }
    }
}

/// Characters after which a printed list or dict is cut.
const LONGEST_REPR: usize = 100_000;

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

    /// `name(a, b)`
    pub fn signature(&self) -> String {
        self.called(&self.name)
    }

    /// How it is called under a name: `name(a, b)`.
    pub(crate) fn called(&self, name: &str) -> String {
        format!("{name}({})", self.listed_parameters(true))
    }

    /// How to call it under a name, without defaults that cannot be typed.
    pub(crate) fn usage(&self, name: &str) -> String {
        format!("{name}({})", self.listed_parameters(false))
    }

    /// It as a value that is handed over: its name, or `lambda a, b: …`.
    fn as_value(&self) -> String {
        match self.body {
            Body::Lambda { .. } => format!("lambda {}: …", self.listed_parameters(true)),
            Body::Builtin(_) | Body::Defined { .. } => self.name.to_string(),
        }
    }

    /// `a, b=1`, with or without the defaults that are functions.
    fn listed_parameters(&self, functions: bool) -> String {
        let rest = self.single().len();
        let listed = self
            .parameters
            .iter()
            .enumerate()
            .filter_map(|(at, (name, default))| {
                Some(match default {
                    None if at == rest => format!("*{name}"),
                    Some(Meta::Function(_)) if !functions => return None,
                    Some(Meta::Function(function)) => format!("{name}={}", function.as_value()),
                    Some(default) => format!("{name}={}", default.repr()),
                    None => name.to_string(),
                })
            });
        listed.collect::<Vec<String>>().join(", ")
    }
}

/// Strings in single quotes unless they contain one, as Python chooses.
fn python_repr(value: &Value) -> String {
    match value {
        Value::Str(text) if text.contains('\'') && !text.contains('"') => quote(text),
        Value::Str(text) => {
            let quoted = quote(text);
            let inner = quoted[1..quoted.len() - 1]
                .replace("\\\"", "\"")
                .replace('\'', "\\'");
            format!("'{inner}'")
        }
        Value::Float(float) => float_repr(*float),
        Value::Int(_) | Value::Bool(_) => value.to_string(),
    }
}
