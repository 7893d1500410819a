//! S-ops that do nothing with tokens but move them to other places and ask whether two are equal.
//! To rename the tokens of an input is to rename them in the result, so that inputs which differ by
//! an exchange of tokens are alike; and if not even equality is asked for, one input of tokens that
//! are all different decides for all inputs of its length.

use super::{Outcome, Trial};
use crate::graph::{Graph, SOp, SOpId, Scorer, ScorerId, Selector, SelectorId};
use crate::value::op::Table;
use crate::value::{Comparison, Op, TypeSet, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of s-ops that only move tokens.
#[derive(Default)]
pub struct Renaming {
    /// Atoms that the program names: tokens among them cannot be renamed.
    pub named: FxHashSet<Value>,
    /// Whether tokens are compared with anything.
    pub compares: bool,
}

/// What an s-op holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// Tokens that were moved, and atoms that the program names.
    Tokens,
    /// Nothing that changes when tokens are renamed.
    Fixed,
}

impl Renaming {
    /// `None` if something else is done with tokens, or if they are not all strings that are true.
    pub fn of(graph: &Graph, roots: [SOpId; 2], vocabulary: &[Value]) -> Option<Renaming> {
        if vocabulary.iter().any(Value::is_number) {
            return None;
        }
        let mut reader = RenamingReader {
            graph,
            renaming: Renaming::default(),
            sops: FxHashMap::default(),
            selectors: FxHashSet::default(),
            scorers: FxHashMap::default(),
        };
        for id in graph.reachable(&roots) {
            let holds = reader.sop(id)?;
            reader.sops.insert(id, holds);
        }
        Some(reader.renaming)
    }

    /// Whether two s-ops move the same tokens to the same places, on all inputs up to a length.
    pub fn are_same(&self, trial: &Trial, max_length: usize, budget: usize) -> bool {
        if self.compares || max_length.saturating_mul(max_length) / 2 > budget {
            return false;
        }
        let unnamed = (0..)
            .map(|number: usize| Value::str(&number.to_string()))
            .filter(|token| !self.named.contains(token));
        let input: Vec<Value> = unnamed.take(max_length).collect();
        (1..=max_length).all(|length| matches!(trial.run(&input[..length]), Outcome::Same))
    }
}

struct RenamingReader<'g> {
    graph: &'g Graph,
    renaming: Renaming,
    sops: FxHashMap<SOpId, Holds>,
    /// Selectors that have been read.
    selectors: FxHashSet<SelectorId>,
    scorers: FxHashMap<ScorerId, Holds>,
}

impl RenamingReader<'_> {
    fn sop(&mut self, id: SOpId) -> Option<Holds> {
        let graph = self.graph;
        match graph.get(id) {
            SOp::Tokens => Some(Holds::Tokens),
            SOp::Given(_) => None,
            SOp::Indices => Some(Holds::Fixed),
            SOp::Constant(value) => Some(self.constant(value)),
            SOp::Map { op, operands } => {
                let holds: Option<Vec<Holds>> = operands.iter().map(|id| self.known(*id)).collect();
                self.map(op, &holds?, graph.types(id))
            }
            SOp::Aggregate {
                selector,
                value,
                default,
            } => {
                self.selector(*selector)?;
                self.constant(default);
                self.known(*value)
            }
            SOp::Width { selector } => {
                self.selector(*selector)?;
                Some(Holds::Fixed)
            }
            SOp::WeightedMean {
                scorer,
                value,
                default,
            } => {
                self.fixed(*scorer)?;
                self.constant(default);
                self.known(*value)
            }
        }
    }

    fn known(&self, id: SOpId) -> Option<Holds> {
        self.sops.get(&id).copied()
    }

    fn constant(&mut self, value: &Value) -> Holds {
        self.renaming.named.insert(value.clone());
        Holds::Fixed
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the types of its operands say whether a primitive makes strings"
    )]
    fn map(&mut self, op: &Op, operands: &[Holds], types: TypeSet) -> Option<Holds> {
        let tokens = operands.contains(&Holds::Tokens);
        match op {
            Op::If => {
                let [Holds::Fixed, then, otherwise] = operands else {
                    return None;
                };
                let holds = [*then, *otherwise].contains(&Holds::Tokens);
                return Some(if holds { Holds::Tokens } else { Holds::Fixed });
            }
            Op::ToStr if tokens => return Some(Holds::Tokens),
            Op::Compare(Comparison::Equal | Comparison::NotEqual) => {}
            Op::In(items) => self.renaming.named.extend(items.iter().cloned()),
            Op::Lookup(table) => match &**table {
                Table::List(items) | Table::Str(items) => {
                    self.renaming.named.extend(items.iter().cloned());
                }
                Table::Dict(entries) => {
                    let atoms = entries.iter().flat_map(|(key, value)| [key, value]);
                    self.renaming.named.extend(atoms.cloned());
                }
            },
            // A string that is made, like `str(1)`, may happen to be a token.
            _ if tokens || types.meets(TypeSet::STR) => return None,
            _ => {}
        }
        self.renaming.compares |= tokens;
        Some(Holds::Fixed)
    }

    /// Selects the same keys when tokens are renamed, or it is `None`.
    fn selector(&mut self, id: SelectorId) -> Option<()> {
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            if !self.selectors.insert(id) {
                continue;
            }
            match *self.graph.get_selector(id) {
                Selector::Compare {
                    keys,
                    queries,
                    comparison,
                } => {
                    let operands = [self.known(keys)?, self.known(queries)?];
                    self.map(&Op::Compare(comparison), &operands, TypeSet::BOOL)?;
                }
                Selector::And(a, b) | Selector::Or(a, b) => pending.extend([a, b]),
                Selector::Not(a) => pending.push(a),
                Selector::Predicate(scorer) => self.fixed(scorer)?,
                Selector::Best { selector, scorer } => {
                    pending.push(selector);
                    self.fixed(scorer)?;
                }
            }
        }
        Some(())
    }

    /// A scorer whose scores stay when tokens are renamed, or `None`.
    fn fixed(&mut self, id: ScorerId) -> Option<()> {
        let graph = self.graph;
        let mut pending = vec![id];
        let mut needed = Vec::new();
        while let Some(id) = pending.pop() {
            if !self.scorers.contains_key(&id) && !needed.contains(&id) {
                needed.push(id);
                if let Scorer::Map { operands, .. } = graph.get_scorer(id) {
                    pending.extend(operands);
                }
            }
        }
        needed.sort_unstable();
        for id in needed {
            let holds = match graph.get_scorer(id) {
                Scorer::Key(sop) | Scorer::Query(sop) => self.known(*sop)?,
                Scorer::Constant(value) => self.constant(value),
                Scorer::Map { op, operands } => {
                    let known = |id| self.scorers.get(id).copied();
                    let holds: Option<Vec<Holds>> = operands.iter().map(known).collect();
                    self.map(op, &holds?, graph.scorer_types(id))?
                }
            };
            self.scorers.insert(id, holds);
        }
        (self.scorers.get(&id) == Some(&Holds::Fixed)).then_some(())
    }
}
