//! `Graph`: the arenas of s-ops and selectors, built bottom-up. With [`Sharing::Equal`] equal
//! nodes are one node and known idioms become primitives; with [`Sharing::None`] every expression
//! evaluated is a node of its own, which is how the reference counts heads.

use super::counted::{self, Total};
use super::node::{SOp, SOpId, Scorer, ScorerId, Selector, SelectorId};
use super::part::Possible;
use super::rounds::Rounds;
use super::{cyclic, idiom};
use crate::base::{Control, Span};
use crate::value::{Comparison, Op, TypeSet, Value};
use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Whether equal nodes are one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Equal nodes are one node, and idioms such as `selector_width` are recognised.
    Equal,
    /// Every node is new, and nothing is rewritten.
    None,
}

/// How the program asks for an s-op to be held in the residual stream (Lindner et al. 2023,
/// appendix B). It never changes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// One direction for each value.
    Categorical,
    /// One direction that holds the number.
    Numerical,
}

/// A name that the program gave a node.
#[derive(Clone, Debug)]
struct Named {
    name: Arc<str>,
    /// Whether it was given inside a function.
    inner: bool,
}

impl Named {
    fn set(slot: &mut Option<Named>, name: &Arc<str>, inner: bool) {
        if slot.as_ref().is_none_or(|named| named.inner && !inner) {
            *slot = Some(Named {
                name: name.clone(),
                inner,
            });
        }
    }
}

/// What is known of a scorer beside what it is.
#[derive(Clone, Copy, Debug)]
struct AboutScorer {
    span: Span,
    types: TypeSet,
    /// Whether it reads the key, and whether it reads the query.
    reads: (bool, bool),
}

/// The program as a directed acyclic graph of s-ops and selectors.
#[derive(Clone, Debug)]
pub struct Graph {
    sharing: Sharing,
    pub(super) sops: Vec<SOp>,
    selectors: Vec<Selector>,
    sop_ids: FxHashMap<SOp, SOpId>,
    selector_ids: FxHashMap<Selector, SelectorId>,
    scorers: IndexSet<Scorer, rustc_hash::FxBuildHasher>,
    about_scorers: Vec<AboutScorer>,
    encodings: FxHashMap<SOpId, Encoding>,
    sop_types: Vec<TypeSet>,
    sop_spans: Vec<Span>,
    selector_spans: Vec<Span>,
    sop_names: Vec<Option<Named>>,
    selector_names: Vec<Option<Named>>,
    /// Comparisons of means as the program writes them, of others that come before.
    pub(super) written: FxHashMap<SOpId, SOp>,
    /// What else sums of counts are.
    pub(super) totals: FxHashMap<SOpId, Total>,
    pub(super) rounds: IndexSet<Rounds, rustc_hash::FxBuildHasher>,
    /// What a part of a program is given.
    pub(super) given: Vec<Possible>,
    pub(super) control: Control,
}

impl Graph {
    /// A graph without nodes.
    pub fn new(sharing: Sharing) -> Graph {
        Graph {
            sharing,
            sops: Vec::new(),
            selectors: Vec::new(),
            sop_ids: FxHashMap::default(),
            selector_ids: FxHashMap::default(),
            scorers: IndexSet::default(),
            about_scorers: Vec::new(),
            encodings: FxHashMap::default(),
            sop_types: Vec::new(),
            sop_spans: Vec::new(),
            selector_spans: Vec::new(),
            sop_names: Vec::new(),
            selector_names: Vec::new(),
            written: FxHashMap::default(),
            totals: FxHashMap::default(),
            rounds: IndexSet::default(),
            given: Vec::new(),
            control: Control::default(),
        }
    }

    /// The handle of whatever is made of the graph: values, facts, schedules and models.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Adds an s-op whose operands are already in the graph, or finds its equal. `span` is where
    /// it was written; the first place is kept.
    pub(crate) fn sop(&mut self, sop: SOp, span: Span) -> SOpId {
        let base = matches!(sop, SOp::Tokens | SOp::Indices | SOp::Given(_));
        if (base || self.sharing == Sharing::Equal)
            && let Some(id) = self.sop_ids.get(&sop)
        {
            return *id;
        }
        if self.sharing == Sharing::Equal
            && let Some(simpler) = idiom::recognize(self, &sop, span)
        {
            return self.sop(simpler, span);
        }
        let total = match self.sharing {
            Sharing::Equal => counted::total(self, &sop, span),
            Sharing::None => None,
        };
        let id = SOpId(u32::try_from(self.sops.len()).expect("limits bound the graph"));
        self.sop_types.push(self.infer_type(&sop));
        self.sop_ids.insert(sop.clone(), id);
        self.sops.push(sop);
        self.sop_spans.push(span);
        self.sop_names.push(None);
        self.totals.extend(total.map(|total| (id, total)));
        id
    }

    /// Adds a selector whose operands are already in the graph, or finds its equal. The best key of
    /// a selector is found by attention, so what combines it with other selectors compares with
    /// its index, a layer later.
    pub(crate) fn selector(&mut self, selector: Selector, span: Span) -> SelectorId {
        let selector = match selector {
            Selector::And(a, b) => Selector::And(self.by_index(a, span), self.by_index(b, span)),
            Selector::Or(a, b) => Selector::Or(self.by_index(a, span), self.by_index(b, span)),
            Selector::Not(a) => Selector::Not(self.by_index(a, span)),
            Selector::Compare { .. } if self.sharing == Sharing::Equal => {
                cyclic::at_queries(self, selector, span)
            }
            Selector::Compare { .. } | Selector::Predicate(_) | Selector::Best { .. } => selector,
        };
        if self.sharing == Sharing::Equal
            && let Some(id) = self.selector_ids.get(&selector)
        {
            return *id;
        }
        let id = SelectorId(u32::try_from(self.selectors.len()).expect("limits bound the graph"));
        self.selector_ids.insert(selector.clone(), id);
        self.selectors.push(selector);
        self.selector_spans.push(span);
        self.selector_names.push(None);
        id
    }

    /// A best key as a comparison of indices, -1 being no index; any other selector as it is.
    fn by_index(&mut self, id: SelectorId, span: Span) -> SelectorId {
        if !matches!(self.get_selector(id), Selector::Best { .. }) {
            return id;
        }
        let indices = self.sop(SOp::Indices, span);
        let best = SOp::Aggregate {
            selector: id,
            value: indices,
            default: Value::Int(-1),
        };
        let best = self.sop(best, span);
        self.select(indices, best, Comparison::Equal, span)
    }

    /// Adds a scorer whose operands are already in the graph, or finds its equal. Scorers cost no
    /// head by themselves, so equal ones are one node whatever the sharing.
    /// `span` is where it is written.
    pub(crate) fn scorer(&mut self, scorer: Scorer, span: Span) -> ScorerId {
        let (index, new) = self.scorers.insert_full(scorer);
        if new {
            let about = self.about_scorer(&self.scorers[index], span);
            self.about_scorers.push(about);
        }
        ScorerId(u32::try_from(index).expect("limits bound the graph"))
    }

    /// Where a scorer is written.
    pub fn scorer_span(&self, id: ScorerId) -> Span {
        self.about_scorers[id.0 as usize].span
    }

    fn about_scorer(&self, scorer: &Scorer, span: Span) -> AboutScorer {
        let (types, reads) = match scorer {
            Scorer::Key(sop) => (self.types(*sop), (true, false)),
            Scorer::Query(sop) => (self.types(*sop), (false, true)),
            Scorer::Constant(value) => (TypeSet::of(value), (false, false)),
            Scorer::Map { op, operands } => {
                let types: Vec<TypeSet> =
                    operands.iter().map(|id| self.scorer_types(*id)).collect();
                let reads = operands.iter().map(|id| self.scorer_reads(*id));
                let either = |a: (bool, bool), b: (bool, bool)| (a.0 || b.0, a.1 || b.1);
                (op.result_type(&types), reads.fold((false, false), either))
            }
        };
        AboutScorer { span, types, reads }
    }

    /// A scorer of the graph.
    pub fn get_scorer(&self, id: ScorerId) -> &Scorer {
        &self.scorers[id.0 as usize]
    }

    /// The types a score can have, given those of the s-ops it is a function of.
    pub fn scorer_types(&self, id: ScorerId) -> TypeSet {
        self.about_scorers[id.0 as usize].types
    }

    /// Whether a scorer reads the key, and whether it reads the query.
    pub fn scorer_reads(&self, id: ScorerId) -> (bool, bool) {
        self.about_scorers[id.0 as usize].reads
    }

    /// Records how the program asks for an s-op to be encoded; the last wish holds.
    pub(crate) fn set_encoding(&mut self, id: SOpId, encoding: Encoding) {
        self.encodings.insert(id, encoding);
    }

    /// How the program asks for an s-op to be encoded, if it does.
    pub fn encoding(&self, id: SOpId) -> Option<Encoding> {
        self.encodings.get(&id).copied()
    }

    /// Adds the s-op that holds an atom everywhere.
    pub(crate) fn constant(&mut self, value: Value, span: Span) -> SOpId {
        self.sop(SOp::Constant(value), span)
    }

    /// Adds an elementwise s-op.
    pub(crate) fn map(&mut self, op: Op, operands: Vec<SOpId>, span: Span) -> SOpId {
        assert_eq!(op.arity(), operands.len());
        self.sop(SOp::Map { op, operands }, span)
    }

    /// Adds a comparison of keys with queries.
    pub(crate) fn select(
        &mut self,
        keys: SOpId,
        queries: SOpId,
        comparison: Comparison,
        span: Span,
    ) -> SelectorId {
        self.selector(
            Selector::Compare {
                keys,
                queries,
                comparison,
            },
            span,
        )
    }

    /// An s-op of the graph.
    pub fn get(&self, id: SOpId) -> &SOp {
        &self.sops[id.0 as usize]
    }

    /// All selectors, operands before those that are made of them.
    pub(super) fn selectors(&self) -> &[Selector] {
        &self.selectors
    }

    /// A selector of the graph.
    pub fn get_selector(&self, id: SelectorId) -> &Selector {
        &self.selectors[id.0 as usize]
    }

    /// The types its values can have on any input; empty if it fails on every input.
    pub fn types(&self, id: SOpId) -> TypeSet {
        self.sop_types[id.0 as usize]
    }

    /// Where the s-op was first written.
    pub fn span(&self, id: SOpId) -> Span {
        self.sop_spans[id.0 as usize]
    }

    /// Where a selector is written.
    pub fn selector_span(&self, id: SelectorId) -> Span {
        self.selector_spans[id.0 as usize]
    }

    /// The first name the program gave it.
    pub fn name(&self, id: SOpId) -> Option<&str> {
        self.sop_names[id.0 as usize]
            .as_ref()
            .map(|named| &*named.name)
    }

    /// The name that the program gave a selector.
    pub fn selector_name(&self, id: SelectorId) -> Option<&str> {
        self.selector_names[id.0 as usize]
            .as_ref()
            .map(|named| &*named.name)
    }

    /// Records a name for pictures and traces; names never change what a node is. The first name is
    /// kept, except that one given inside a function (`inner`) gives way to one that is not; the
    /// index keeps its own, and a constant is its value.
    pub(crate) fn set_name(&mut self, id: SOpId, name: &Arc<str>, inner: bool) {
        if matches!(self.get(id), SOp::Indices | SOp::Constant(_)) {
            return;
        }
        Named::set(&mut self.sop_names[id.0 as usize], name, inner);
    }

    /// Gives one s-op the name of another, whose place it takes.
    pub(super) fn take_name(&mut self, id: SOpId, from: SOpId) {
        if let Some(named) = self.sop_names[from.0 as usize].clone() {
            Named::set(&mut self.sop_names[id.0 as usize], &named.name, named.inner);
        }
    }

    /// Gives an s-op another name than the program does.
    pub(super) fn rename(&mut self, id: SOpId, name: &Arc<str>) {
        if let Some(named) = &mut self.sop_names[id.0 as usize] {
            named.name = name.clone();
        }
    }

    /// As [`Graph::rename`], of a selector.
    pub(super) fn rename_selector(&mut self, id: SelectorId, name: &Arc<str>) {
        if let Some(named) = &mut self.selector_names[id.0 as usize] {
            named.name = name.clone();
        }
    }

    /// Names a selector, unless it has a name that is as good.
    pub(crate) fn set_selector_name(&mut self, id: SelectorId, name: &Arc<str>, inner: bool) {
        Named::set(&mut self.selector_names[id.0 as usize], name, inner);
    }

    /// How many s-ops there are; their ids are below.
    pub fn sop_count(&self) -> usize {
        self.sops.len()
    }

    /// How many s-ops, selectors and scorers there are.
    pub fn len(&self) -> usize {
        self.sops.len() + self.selectors.len() + self.scorers.len()
    }

    /// Whether there are no s-ops.
    pub fn is_empty(&self) -> bool {
        self.sops.is_empty()
    }

    fn infer_type(&self, sop: &SOp) -> TypeSet {
        match sop {
            SOp::Tokens => TypeSet::ANY,
            SOp::Indices | SOp::Width { .. } => TypeSet::INT,
            SOp::Constant(value) => TypeSet::of(value),
            SOp::Given(_) => self.given(sop).map_or(TypeSet::NONE, Possible::types),
            SOp::Map { op, operands } => {
                let types: Vec<TypeSet> = operands.iter().map(|id| self.types(*id)).collect();
                op.result_type(&types)
            }
            SOp::Aggregate { value, default, .. } | SOp::WeightedMean { value, default, .. } => {
                let value = self.types(*value);
                let mean = if value.meets(TypeSet::NUMBER) {
                    TypeSet::FLOAT
                } else {
                    TypeSet::NONE
                };
                value.union(mean).union(TypeSet::of(default))
            }
        }
    }
}
