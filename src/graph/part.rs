//! Parts of a program as graphs of their own: what some s-ops need, up to others that the part is
//! given. Equal nodes stay one node, so that a part put back with what it was given is the program
//! again.

use super::build::{Graph, Sharing};
use super::node::{SOp, SOpId, Scorer, ScorerId, Selector, SelectorId};
use crate::base::Span;
use crate::value::{TypeSet, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What an s-op can be that a part of a program is given.
#[derive(Clone, Debug, Default)]
pub struct Possible {
    /// Its values, each once.
    pub values: Vec<Value>,
    /// Whether it has no value on some inputs.
    pub may_fail: bool,
    /// Whether it may be an int, a float or a bool where its value is the same.
    pub of_any_kind: bool,
}

impl Possible {
    pub(super) fn types(&self) -> TypeSet {
        let any = match self.of_any_kind {
            true => TypeSet::INT.union(TypeSet::FLOAT),
            false => TypeSet::NONE,
        };
        self.values
            .iter()
            .map(TypeSet::of)
            .fold(any, TypeSet::union)
    }
}

impl Graph {
    /// A graph for a part of the program, without nodes: what ends this one's work ends its, too.
    pub(crate) fn part(&self) -> Graph {
        let mut part = Graph::new(Sharing::Equal);
        part.control = self.control().clone();
        part
    }

    /// Adds an s-op that a part of a program is given.
    pub(crate) fn give(&mut self, possible: Possible, span: Span) -> SOpId {
        self.given.push(possible);
        let number = u32::try_from(self.given.len() - 1).expect("limits bound the graph");
        self.sop(SOp::Given(number), span)
    }

    /// What an s-op can be that a part of a program is given; `None` of others.
    pub fn given(&self, sop: &SOp) -> Option<&Possible> {
        if let SOp::Given(number) = sop {
            self.given.get(*number as usize)
        } else {
            None
        }
    }

    /// Copies what the roots need into a graph, which may be a clone of this one. The s-ops that are
    /// known are not looked into: others stand for them there. Gives what stands for the roots.
    pub(crate) fn copy(
        &self,
        into: &mut Graph,
        roots: &[SOpId],
        known: FxHashMap<SOpId, SOpId>,
    ) -> Vec<SOpId> {
        let order = self.reachable_beyond(roots, |id| known.contains_key(&id));
        let mut copier = Copier {
            from: self,
            into,
            sops: known,
            selectors: FxHashMap::default(),
            scorers: FxHashMap::default(),
        };
        for id in order {
            if !copier.sops.contains_key(&id) {
                let copy = copier.sop(id);
                copier.sops.insert(id, copy);
            }
        }
        roots.iter().map(|root| copier.sops[root]).collect()
    }
}

struct Copier<'g> {
    from: &'g Graph,
    into: &'g mut Graph,
    sops: FxHashMap<SOpId, SOpId>,
    selectors: FxHashMap<SelectorId, SelectorId>,
    scorers: FxHashMap<ScorerId, ScorerId>,
}

impl Copier<'_> {
    /// An s-op whose operands are copied.
    fn sop(&mut self, id: SOpId) -> SOpId {
        let copy = match self.from.get(id) {
            same @ (SOp::Tokens | SOp::Indices | SOp::Constant(_) | SOp::Given(_)) => same.clone(),
            SOp::Map { op, operands } => SOp::Map {
                op: op.clone(),
                operands: operands.iter().map(|id| self.sops[id]).collect(),
            },
            SOp::Aggregate {
                selector,
                value,
                default,
            } => SOp::Aggregate {
                selector: self.selector(*selector),
                value: self.sops[value],
                default: default.clone(),
            },
            SOp::Width { selector } => SOp::Width {
                selector: self.selector(*selector),
            },
            SOp::WeightedMean {
                scorer,
                value,
                default,
            } => SOp::WeightedMean {
                scorer: self.scorer(*scorer),
                value: self.sops[value],
                default: default.clone(),
            },
        };
        let copy = self.into.sop(copy, self.from.span(id));
        if let Some(name) = self.from.name(id) {
            self.into.set_name(copy, &Arc::from(name), true);
        }
        if let Some(encoding) = self.from.encoding(id) {
            self.into.set_encoding(copy, encoding);
        }
        copy
    }

    fn selector(&mut self, id: SelectorId) -> SelectorId {
        for part in self.from.selector_parts(&[id]) {
            if self.selectors.contains_key(&part) {
                continue;
            }
            let of = |id: &SelectorId| self.selectors[id];
            let copy = match self.from.get_selector(part) {
                Selector::Compare {
                    keys,
                    queries,
                    comparison,
                } => Selector::Compare {
                    keys: self.sops[keys],
                    queries: self.sops[queries],
                    comparison: *comparison,
                },
                Selector::And(a, b) => Selector::And(of(a), of(b)),
                Selector::Or(a, b) => Selector::Or(of(a), of(b)),
                Selector::Not(a) => Selector::Not(of(a)),
                Selector::Predicate(scorer) => Selector::Predicate(self.scorer(*scorer)),
                Selector::Best { selector, scorer } => Selector::Best {
                    selector: of(selector),
                    scorer: self.scorer(*scorer),
                },
            };
            let copy = self.into.selector(copy, self.from.selector_span(part));
            if let Some(name) = self.from.selector_name(part) {
                self.into.set_selector_name(copy, &Arc::from(name), true);
            }
            self.selectors.insert(part, copy);
        }
        self.selectors[&id]
    }

    fn scorer(&mut self, id: ScorerId) -> ScorerId {
        for part in self.from.scorer_parts(id) {
            let copy = match self.from.get_scorer(part) {
                Scorer::Key(sop) => Scorer::Key(self.sops[sop]),
                Scorer::Query(sop) => Scorer::Query(self.sops[sop]),
                Scorer::Constant(value) => Scorer::Constant(value.clone()),
                Scorer::Map { op, operands } => Scorer::Map {
                    op: op.clone(),
                    operands: operands.iter().map(|id| self.scorers[id]).collect(),
                },
            };
            let copy = self.into.scorer(copy, self.from.scorer_span(part));
            self.scorers.insert(part, copy);
        }
        self.scorers[&id]
    }
}
