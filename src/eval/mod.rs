//! AST to graph: runs the part of a program that exists before any input does (functions, loops,
//! lists, dicts, loads) and leaves s-ops and selectors in a `Graph`. Depends on `base`, `syntax`,
//! `value`, `builtin`, `graph` and, for s-ops applied to an input, `interpret`. Reads no files:
//! `load` goes through a [`Texts`].

mod access;
mod assertion;
mod attention;
mod builtins;
mod bytes;
mod call;
mod context;
mod expression;
pub mod fault;
mod load;
pub mod meta;
mod operator;
mod provenance;
mod redefined;
mod repeat;
mod scope;
mod scorer;
mod statement;

pub(crate) use fault::Outcome;
pub use fault::Stop;
pub use load::{Loaded, Texts};
pub use meta::{Callable, Meta, ScopeId};
pub use statement::{Assertion, Event, Verdict};

use crate::base::{Diagnostic, Limits, Memory, SourceId, Sources, Span};
use crate::graph::{Graph, SOp, SOpId, Selector, SelectorId, Sharing};
pub use crate::interpret::Application;
use crate::syntax::ast::{Ast, Name};
use crate::value::{Comparison, Op, TypeSet, Value};
use fault::{Cause, Doubt, Doubtful, Fault, Limit, limited, refuse};
use meta::Side;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::Scopes;
use std::sync::Arc;

/// Puts into words what evaluation meets.
pub trait Diagnose: Sync {
    /// Reads a text: its tree, what is wrong with it, and, if they are wanted, warnings.
    fn read(
        &self,
        source: SourceId,
        text: &str,
        limits: &Limits,
        warns: bool,
    ) -> (Ast, Vec<Diagnostic>);

    /// What to say of a fault; nothing if it only follows from one that has been reported.
    fn fault(&self, evaluator: &Evaluator, fault: &Fault) -> Option<Diagnostic>;

    /// What to say of a place that uses a name whose definition has failed.
    fn broken(&self, span: Span, label: &str) -> Diagnostic;

    /// What to say of something doubtful that is being evaluated, if it is.
    fn doubt(&self, evaluator: &Evaluator, doubt: &Doubt) -> Option<Diagnostic>;
}

/// The state of elaboration: the graph built so far and what every name means.
pub struct Evaluator {
    pub sources: Sources,
    pub graph: Graph,
    pub limits: Limits,
    pub(crate) scopes: Scopes,
    pub(crate) base: ScopeId,
    pub(crate) texts: Box<dyn Texts>,
    words: &'static dyn Diagnose,
    /// Files being loaded, outermost first.
    pub(crate) loading: Vec<load::Frame>,
    /// The files whose warnings have been given.
    pub(crate) warned_of: FxHashSet<String>,
    pub(crate) steps: u64,
    pub(crate) loads: u64,
    pub(crate) memory: Memory,
    pub(crate) calls: usize,
    pub(crate) origins: provenance::Origins,
    /// The selector behind `atom in s-op`, made at its first use and shared by all.
    pub(crate) everything: Option<SelectorId>,
    /// Assertions that were run and not yet taken.
    pub(crate) asserted: Vec<Assertion>,
    /// The names that statements at the prompt have not defined, as they failed: where, and whether that
    /// has been told.
    pub(crate) missing: FxHashMap<Name, (Span, bool)>,
    /// The texts that have been run, read.
    trees: FxHashMap<SourceId, Arc<Ast>>,
    /// The texts of the standard library.
    library: FxHashSet<SourceId>,
    /// The doubts that have been told, by their kinds and places.
    doubted: FxHashSet<(std::mem::Discriminant<Doubtful>, Vec<Span>)>,
    /// Warnings and errors met so far and not yet taken.
    pub diagnostics: Vec<Diagnostic>,
}

/// What a scope is charged, in steps.
const SCOPE_STEPS: u64 = 8;

impl Evaluator {
    /// An evaluator with the built-in names only; [`Evaluator::load_library`] adds the rest.
    pub fn new(
        sharing: Sharing,
        limits: Limits,
        texts: Box<dyn Texts>,
        words: &'static dyn Diagnose,
    ) -> Evaluator {
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
            texts,
            words,
            loading: Vec::new(),
            warned_of: FxHashSet::default(),
            steps: 0,
            loads: 0,
            memory: Memory::default(),
            calls: 0,
            origins: provenance::Origins::default(),
            everything: None,
            asserted: Vec::new(),
            missing: FxHashMap::default(),
            trees: FxHashMap::default(),
            library: FxHashSet::default(),
            doubted: FxHashSet::default(),
            diagnostics: Vec::new(),
        };
        evaluator.define_builtins(constants);
        evaluator
    }

    /// A fresh scope that sees the library: a file, or the console.
    pub fn new_scope(&mut self) -> ScopeId {
        self.scopes.add(Some(self.base))
    }

    /// A scope inside another, that of a call or a comprehension. It stays, as functions may be made in
    /// it, so that it is charged for what it takes.
    pub(crate) fn inner_scope(&mut self, parent: ScopeId) -> Outcome<ScopeId> {
        self.charge(SCOPE_STEPS)?;
        Ok(self.scopes.add(Some(parent)))
    }

    /// The types of an s-op, scorer or atom; none of anything else.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else has a type")]
    pub(crate) fn types(&self, meta: &Meta) -> TypeSet {
        match meta {
            Meta::SOp(id) => self.graph.types(*id),
            Meta::Scorer(id) => self.graph.scorer_types(*id),
            Meta::Atom(value) => TypeSet::of(value),
            _ => TypeSet::NONE,
        }
    }

    /// What a name means in a scope.
    pub fn lookup(&self, scope: ScopeId, name: &str) -> Option<&Meta> {
        self.scopes.lookup(scope, name)
    }

    /// Counts work, by its size: an expression, an element of a list, 32 bytes of a string.
    pub(crate) fn charge(&mut self, steps: u64) -> Outcome<()> {
        self.steps += steps;
        if self.graph.control().is_stopped() {
            return Err(Cause::Interrupted.into());
        }
        let bound = self.limits.steps;
        limited(self.steps > bound, Limit::Steps(bound))
    }

    /// Whether one more node may be added to the graph.
    pub(crate) fn check_nodes(&self) -> Outcome<()> {
        let bound = self.limits.graph_nodes;
        limited(self.graph.len() >= bound, Limit::Nodes(bound))
    }

    /// Adds an s-op to the graph.
    ///
    /// # Errors
    /// The limit on the size of the graph.
    pub(crate) fn add_sop(&mut self, sop: SOp, span: Span) -> Outcome<SOpId> {
        self.check_nodes()?;
        let before = self.graph.len();
        let id = self.graph.sop(sop, span);
        if self.graph.len() > before {
            self.origins.made(id);
        }
        Ok(id)
    }

    pub(crate) fn add_selector(&mut self, selector: Selector, span: Span) -> Outcome<SelectorId> {
        self.check_nodes()?;
        Ok(self.graph.selector(selector, span))
    }

    /// Adds the s-op that holds an atom everywhere.
    pub(crate) fn add_constant(&mut self, value: Value, span: Span) -> Outcome<SOpId> {
        self.add_sop(SOp::Constant(value), span)
    }

    /// Adds the selector of the keys that a comparison with the query holds for.
    pub(crate) fn add_comparison(
        &mut self,
        [keys, queries]: [SOpId; 2],
        comparison: Comparison,
        span: Span,
    ) -> Outcome<SelectorId> {
        let selector = Selector::Compare {
            keys,
            queries,
            comparison,
        };
        self.add_selector(selector, span)
    }

    /// Adds what a selector reads.
    pub(crate) fn add_aggregate(
        &mut self,
        selector: SelectorId,
        value: SOpId,
        default: Value,
        span: Span,
    ) -> Outcome<SOpId> {
        let sop = SOp::Aggregate {
            selector,
            value,
            default,
        };
        self.add_sop(sop, span)
    }

    /// Adds an elementwise s-op, refusing operand types on which it can only fail.
    pub(crate) fn add_map(&mut self, op: Op, operands: Vec<SOpId>, span: Span) -> Outcome<SOpId> {
        let types: Vec<_> = operands.iter().map(|id| self.graph.types(*id)).collect();
        if op.fails_on(&types) {
            let sides = operands.iter().map(|id| (Meta::SOp(*id), span));
            return refuse(op, sides.collect::<Vec<_>>());
        }
        self.add_sop(SOp::Map { op, operands }, span)
    }

    /// The words for a stop; nothing if what stopped it has been reported.
    fn worded(&self, stop: &Stop) -> Option<Diagnostic> {
        match stop {
            Stop::Fault(fault) => self.words.fault(self, fault),
            Stop::Broken => None,
        }
    }

    /// Notes something doubtful, unless the same place has given it before in the same calls.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others tell no calls")]
    fn doubt(&mut self, kind: Doubtful, sides: impl Into<Vec<Side>>, span: Span) {
        // What the types of one call say need not hold of another.
        let of_types = !matches!(
            kind,
            Doubtful::Branches
                | Doubtful::ConstantSide(_)
                | Doubtful::Default { .. }
                | Doubtful::Shadowed(..)
                | Doubtful::Replaced(..)
        );
        if !self.warns() || (of_types && self.calls > 0) {
            return;
        }
        let calls = match kind {
            Doubtful::Branches | Doubtful::Default { .. } => self.origins.open_calls(),
            _ => Vec::new(),
        };
        let (sides, key) = (sides.into(), std::mem::discriminant(&kind));
        let places = sides.iter().map(|(_, at)| *at);
        let places = places.chain(calls.iter().map(|(_, at)| *at)).chain([span]);
        if self.doubted.insert((key, places.collect())) {
            let doubt = Doubt {
                kind,
                sides,
                span,
                calls,
            };
            let warning = self.words.doubt(self, &doubt);
            self.diagnostics.extend(warning);
        }
    }
}
