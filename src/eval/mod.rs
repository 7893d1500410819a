//! AST to graph: runs the part of a program that exists before any input does (functions, loops,
//! lists, dicts, loads) and leaves s-ops and selectors in a `Graph`. Depends on `base`, `syntax`,
//! `value`, `builtin`, `graph` and, for s-ops applied to an input, `interpret`. Reads no files:
//! `load` goes through a [`Loader`].

mod access;
mod advice;
mod assertion;
mod attention;
mod builtins;
mod call;
mod caller;
mod collection;
mod expression;
mod fitting;
mod help;
mod load;
mod made;
pub mod meta;
mod mismatch;
mod misuse;
mod operator;
mod origin;
mod quoted;
mod recursion;
mod redefined;
mod scope;
mod scorer;
mod statement;
mod undefined;

pub(crate) use access::counted;
use advice::{advise, is_library};
pub use load::{HAS_ERRORS, Loaded, Loader, NoFiles};
pub use meta::{Application, Callable, Meta};
pub use scope::ScopeId;
pub use statement::{Assertion, Event};

use crate::base::{Code, Diagnostic, Limits, Sources, Span, interrupt};
use crate::graph::{Graph, SOp, SOpId, Selector, SelectorId, Sharing};
use crate::syntax::ast::Name;
use crate::value::Op;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::Scopes;

/// Why evaluation of a statement stopped.
#[derive(Debug)]
pub enum Stop {
    Error(Box<Diagnostic>),
    /// It uses a name whose definition failed; that has been reported already.
    Broken,
}

impl From<Box<Diagnostic>> for Stop {
    fn from(diagnostic: Box<Diagnostic>) -> Stop {
        Stop::Error(diagnostic)
    }
}

impl From<Diagnostic> for Stop {
    fn from(diagnostic: Diagnostic) -> Stop {
        Stop::Error(Box::new(diagnostic))
    }
}

pub(crate) type Outcome<T> = Result<T, Stop>;

/// The limits that are reached in more than one place, each with what it is of.
const ELEMENTS: (&str, &str) = ("collection_length", "elements in a list");
const NODES: (&str, &str) = ("graph_nodes", "s-ops and selectors");

/// The state of elaboration: the graph built so far and what every name means.
pub struct Evaluator {
    pub sources: Sources,
    pub graph: Graph,
    pub limits: Limits,
    pub(crate) scopes: Scopes,
    pub(crate) base: ScopeId,
    pub(crate) loader: Box<dyn Loader>,
    /// Files being loaded, outermost first.
    pub(crate) loading: Vec<load::Frame>,
    /// The files whose warnings have been given.
    pub(crate) warned_of: FxHashSet<String>,
    pub(crate) steps: u64,
    pub(crate) calls: usize,
    pub(crate) origins: origin::Origins,
    /// The selector behind `atom in s-op`, made at its first use and shared by all.
    pub(crate) everything: Option<SelectorId>,
    /// Assertions that were run and not yet taken.
    pub(crate) asserted: Vec<Assertion>,
    /// The names that statements at the prompt have not defined, as they failed, and where.
    pub(crate) missing: FxHashMap<Name, Span>,
    /// Warnings and errors met so far and not yet taken.
    pub diagnostics: Vec<Diagnostic>,
}

impl Evaluator {
    /// An evaluator with the built-in names only; [`Evaluator::load_library`] adds the rest.
    pub fn new(sharing: Sharing, limits: Limits, loader: Box<dyn Loader>) -> Evaluator {
        let mut scopes = Scopes::default();
        let constants = scopes.add(None);
        let base = scopes.add(Some(constants));
        let mut sources = Sources::new();
        sources.add("built-in", "");
        let mut evaluator = Evaluator {
            sources,
            graph: Graph::new(sharing),
            limits,
            scopes,
            base,
            loader,
            loading: Vec::new(),
            warned_of: FxHashSet::default(),
            steps: 0,
            calls: 0,
            origins: origin::Origins::default(),
            everything: None,
            asserted: Vec::new(),
            missing: FxHashMap::default(),
            diagnostics: Vec::new(),
        };
        evaluator.define_builtins(constants);
        evaluator
    }

    /// A fresh scope that sees the library: a file, or the console.
    pub fn new_scope(&mut self) -> ScopeId {
        self.scopes.add(Some(self.base))
    }

    /// What a name means in a scope.
    pub fn lookup(&self, scope: ScopeId, name: &str) -> Option<&Meta> {
        self.scopes.lookup(scope, name)
    }

    /// Every name visible in a scope, nearest scope first.
    pub fn visible_names(&self, scope: ScopeId) -> Vec<crate::syntax::ast::Name> {
        self.scopes.visible(scope)
    }

    pub(crate) fn step(&mut self, span: Span) -> Outcome<()> {
        self.steps += 1;
        interrupt::check()?;
        if self.steps > self.limits.steps {
            return Err(self
                .limit(span, ("steps", "evaluated expressions"), self.limits.steps)
                .into());
        }
        Ok(())
    }

    pub(crate) fn limit(
        &self,
        span: Span,
        (name, what): (&str, &str),
        bound: impl std::fmt::Display,
    ) -> Diagnostic {
        let message = format!("the limit `{name}` of {bound} {what} is reached");
        Diagnostic::error(Code::LimitReached, message)
            .at(span, "reached while evaluating this")
            .maybe_help(match name {
                "steps" | "graph_nodes" => {
                    Some("let loops run less often, like over `range(100)`".into())
                }
                "collection_length" => Some("make a shorter list, like `range(100)`".into()),
                _ => None,
            })
    }

    /// Adds an s-op to the graph.
    ///
    /// # Errors
    /// The limit on the size of the graph.
    pub(crate) fn add_sop(&mut self, sop: SOp, span: Span) -> Outcome<SOpId> {
        if self.graph.len() >= self.limits.graph_nodes {
            return Err(self.limit(span, NODES, self.limits.graph_nodes).into());
        }
        let before = self.graph.len();
        let id = self.graph.sop(sop, span);
        if self.graph.len() > before {
            self.origins.made(id);
        }
        Ok(id)
    }

    pub(crate) fn add_selector(&mut self, selector: Selector, span: Span) -> Outcome<SelectorId> {
        if self.graph.len() >= self.limits.graph_nodes {
            return Err(self.limit(span, NODES, self.limits.graph_nodes).into());
        }
        Ok(self.graph.selector(selector, span))
    }

    /// Adds an elementwise s-op, refusing operand types on which it can only fail.
    pub(crate) fn add_map(&mut self, op: Op, operands: Vec<SOpId>, span: Span) -> Outcome<SOpId> {
        let types: Vec<_> = operands.iter().map(|id| self.graph.types(*id)).collect();
        if op.result_type(&types).is_empty() && types.iter().all(|types| !types.is_empty()) {
            let shown: Vec<&str> = types
                .iter()
                .map(|types| help::describe_types(*types))
                .collect();
            let message = format!("`{op}` does not work on {}", shown.join(" and "));
            return Err(Diagnostic::error(Code::OperandTypes, message)
                .at(span, "this fails on every input")
                .into());
        }
        self.add_sop(SOp::Map { op, operands }, span)
    }
}
