//! What feeds a position of an s-op, by the program: the keys that heads select for it, and what
//! stands at its own position. Depends on `graph` and `interpret`.

use crate::base::{Fallible, Limits};
use crate::graph::{Graph, SOp, SOpId, ScorerFunction, ScorerId, Selector, SelectorId};
use crate::interpret::{self, Sequence};
use crate::schedule::Attention;
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Everything that an s-op needs, with its values on one input.
pub struct Run<'a> {
    /// The program.
    pub graph: &'a Graph,
    /// The tokens.
    pub input: &'a [Value],
    /// What the root needs, operands first, and the root.
    pub sops: Vec<SOpId>,
    values: FxHashMap<SOpId, Option<Sequence>>,
    limits: &'a Limits,
}

/// The keys and the queries that a selector or scorer compares.
#[derive(Default)]
pub struct Sides {
    /// What is read at keys.
    pub keys: Vec<SOpId>,
    /// What is read at queries.
    pub queries: Vec<SOpId>,
}

/// Where the values of s-ops matter for one position of the root.
pub struct Feeds(FxHashMap<SOpId, Vec<bool>>);

impl<'a> Run<'a> {
    /// # Errors
    /// The root has no value on this input.
    pub fn new(
        graph: &'a Graph,
        root: SOpId,
        input: &'a [Value],
        limits: &'a Limits,
    ) -> Fallible<Run<'a>> {
        interpret::evaluate(graph, root, input).map_err(|failed| failed.in_graph(graph))?;
        Run::of(graph, graph.reachable(&[root]), input, limits)
    }

    /// What a selector compares, with its values.
    ///
    /// # Errors
    /// An empty input.
    pub fn operands(
        graph: &'a Graph,
        selector: SelectorId,
        input: &'a [Value],
        limits: &'a Limits,
    ) -> Fallible<Run<'a>> {
        Run::of(graph, graph.selector_operands(selector), input, limits)
    }

    fn of(
        graph: &'a Graph,
        sops: Vec<SOpId>,
        input: &'a [Value],
        limits: &'a Limits,
    ) -> Fallible<Run<'a>> {
        let values = interpret::evaluate_each(graph, &sops, input);
        let values = values.map_err(|failed| failed.in_graph(graph))?;
        let values = values.into_iter().map(Result::ok);
        Ok(Run {
            graph,
            input,
            values: sops.iter().copied().zip(values).collect(),
            sops,
            limits,
        })
    }

    /// The value of an s-op at a position, if it has one.
    pub fn value(&self, id: SOpId, position: usize) -> Option<&Value> {
        let sequence = self.values.get(&id)?.as_ref()?;
        sequence.values.get(position)
    }

    /// What an attention pattern weights: `[queries, keys]`, 1 where a selector selects.
    ///
    /// # Errors
    /// A selector that cannot be evaluated.
    pub fn weights(&self, attention: Attention) -> Fallible<Vec<Vec<f64>>> {
        match attention {
            Attention::Selector(id) => {
                let rows = interpret::evaluate_selector(self.graph, id, self.input, self.limits);
                let rows = rows.map_err(|failed| failed.in_graph(self.graph))?;
                let bit = |bit: &bool| f64::from(u8::from(*bit));
                Ok(rows
                    .iter()
                    .map(|row| row.iter().map(bit).collect())
                    .collect())
            }
            Attention::Scorer(id) => {
                let function = ScorerFunction::new(self.graph, id);
                let row = |query| {
                    self.graph.control().check()?;
                    let score = |key| self.score(&function, key, query).unwrap_or(0.0);
                    let scores: Vec<f64> = (0..self.input.len()).map(score).collect();
                    let sum: f64 = scores.iter().sum();
                    let share = |score: f64| if sum > 0.0 { score / sum } else { 0.0 };
                    Ok(scores.into_iter().map(share).collect())
                };
                (0..self.input.len()).map(row).collect()
            }
        }
    }

    fn score(&self, function: &ScorerFunction, key: usize, query: usize) -> Option<f64> {
        let at = |sops: &[SOpId], position| {
            let values = sops.iter().map(|id| self.value(*id, position));
            values.collect::<Option<Vec<&Value>>>()
        };
        let (keys, queries) = (at(&function.keys, key)?, at(&function.queries, query)?);
        function.apply(&keys, &queries).ok()?.as_float()
    }

    /// What matters for a position of the root: at each s-op's readers, its own position for
    /// elementwise work and queries, and the selected positions for keys and values.
    ///
    /// # Errors
    /// A selector that cannot be evaluated.
    pub fn feeds(&self, root: SOpId, position: usize) -> Fallible<Feeds> {
        let mut feeds = Feeds(FxHashMap::default());
        let mut weights: FxHashMap<Attention, Vec<Vec<f64>>> = FxHashMap::default();
        feeds.mark(root, position, self.input.len());
        for id in self.sops.iter().rev() {
            self.graph.control().check()?;
            let Some(fed) = feeds.0.get(id).cloned() else {
                continue;
            };
            let attention = match self.graph.get(*id) {
                SOp::Aggregate { selector, .. } | SOp::Width { selector } => {
                    Attention::Selector(*selector)
                }
                SOp::WeightedMean { scorer, .. } => Attention::Scorer(*scorer),
                SOp::Tokens | SOp::Indices | SOp::Constant(_) | SOp::Given(_) | SOp::Map { .. } => {
                    for operand in self.graph.dependencies(*id) {
                        let at = (0..fed.len()).filter(|at| fed[*at]);
                        at.for_each(|at| feeds.mark(operand, at, fed.len()));
                    }
                    continue;
                }
            };
            let weights = match weights.entry(attention) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => unknown.insert(self.weights(attention)?),
            };
            let sides = sides(self.graph, attention);
            let value = self.graph.get(*id).moved();
            for query in (0..fed.len()).filter(|at| fed[*at]) {
                for sop in &sides.queries {
                    feeds.mark(*sop, query, fed.len());
                }
                let row = &weights[query];
                for key in (0..fed.len()).filter(|key| row[*key] != 0.0) {
                    for sop in sides.keys.iter().chain(&value) {
                        feeds.mark(*sop, key, fed.len());
                    }
                }
            }
        }
        Ok(feeds)
    }
}

impl Feeds {
    fn mark(&mut self, id: SOpId, position: usize, length: usize) {
        self.0.entry(id).or_insert_with(|| vec![false; length])[position] = true;
    }

    /// Whether an s-op matters at a position.
    pub fn has(&self, id: SOpId, position: usize) -> bool {
        self.0.get(&id).is_some_and(|fed| fed[position])
    }
}

/// The keys and the queries of an attention, each s-op once, in the order of the text.
pub fn sides(graph: &Graph, attention: Attention) -> Sides {
    let mut sides = Sides::default();
    match attention {
        Attention::Selector(id) => collect(graph, id, &mut sides),
        Attention::Scorer(id) => scored(graph, id, &mut sides),
    }
    for side in [&mut sides.keys, &mut sides.queries] {
        let mut known = Vec::new();
        side.retain(|id| {
            !known.contains(id) && {
                known.push(*id);
                true
            }
        });
    }
    sides
}

fn collect(graph: &Graph, id: SelectorId, sides: &mut Sides) {
    let mut pending = vec![id];
    while let Some(id) = pending.pop() {
        match graph.get_selector(id) {
            Selector::Compare { keys, queries, .. } => {
                sides.keys.push(*keys);
                sides.queries.push(*queries);
            }
            Selector::And(a, b) | Selector::Or(a, b) => pending.extend([*b, *a]),
            Selector::Not(inner) => pending.push(*inner),
            Selector::Predicate(scorer) => scored(graph, *scorer, sides),
            Selector::Best { selector, scorer } => {
                scored(graph, *scorer, sides);
                pending.push(*selector);
            }
        }
    }
}

fn scored(graph: &Graph, id: ScorerId, sides: &mut Sides) {
    let (keys, queries) = graph.scorer_operands(id);
    sides.keys.extend(keys);
    sides.queries.extend(queries);
}
