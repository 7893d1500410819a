//! Which inputs stand for all others. Often two s-ops cannot tell some tokens apart, so that one of
//! them stands for all, or only tell whether tokens are equal, so that they may be exchanged for
//! one another; then far fewer inputs decide the same question.

use super::Options;
use super::renaming::Renaming;
use crate::base::{Code, Diagnostic};
use crate::graph::{Graph, SOp, SOpId};
use crate::interpret;
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// The tokens that two s-ops can tell apart.
pub struct Tokens {
    /// In the order of the vocabulary; of those that nothing tells apart the first.
    pub distinct: Vec<Value>,
    /// The number of each among those that may be exchanged for one another.
    exchangeable: Vec<Option<usize>>,
}

impl Tokens {
    pub fn new(
        graph: &Graph,
        roots: [SOpId; 2],
        renaming: Option<&Renaming>,
        all: &[Value],
    ) -> Tokens {
        let distinct = distinct(graph, roots, all);
        let mut next = 0..;
        let exchangeable = distinct
            .iter()
            .map(|token| {
                renaming
                    .filter(|renaming| !renaming.named.contains(token))
                    .and_then(|_| next.next())
            })
            .collect();
        Tokens {
            distinct,
            exchangeable,
        }
    }

    fn exchangeable_count(&self) -> usize {
        self.exchangeable.iter().flatten().count()
    }

    /// Whether fewer inputs stand for all that a vocabulary of so many tokens has.
    pub fn stand_for(&self, all: usize) -> bool {
        self.distinct.len() < all || self.exchangeable_count() > 1
    }

    /// The greatest length up to which the inputs that stand for all can be tried.
    pub fn reach(&self, max_length: usize, options: &Options) -> usize {
        let free = self.exchangeable_count();
        let fixed = self.distinct.len() - free;
        let (mut inputs, mut tokens) = (0usize, 0usize);
        // How many inputs have none, one, two … of the exchangeable tokens.
        let mut using = vec![1usize];
        for length in 1..=max_length {
            let mut longer = vec![0usize; (using.len() + 1).min(free + 1)];
            for (used, count) in using.iter().enumerate() {
                let known = count.saturating_mul(fixed + used);
                longer[used] = longer[used].saturating_add(known);
                if used < free {
                    longer[used + 1] = longer[used + 1].saturating_add(*count);
                }
            }
            using = longer;
            let count = using.iter().copied().fold(0, usize::saturating_add);
            inputs = inputs.saturating_add(count);
            tokens = tokens.saturating_add(count.saturating_mul(length));
            if inputs > options.exhaustive || tokens > options.tokens {
                return length - 1;
            }
        }
        max_length
    }

    /// The inputs of a length that stand for all, in the order of the vocabulary: of those that
    /// differ by an exchange of tokens the first.
    pub fn inputs(&self, length: usize) -> impl Iterator<Item = Vec<Value>> + '_ {
        let mut next = Some(vec![0; length]);
        std::iter::from_fn(move || {
            let places = next.take()?;
            let input = places.iter().map(|at| self.distinct[*at].clone()).collect();
            next = self.successor(places);
            Some(input)
        })
    }

    fn successor(&self, mut places: Vec<usize>) -> Option<Vec<usize>> {
        let used_after = |used: &mut usize, token: &usize| {
            let before = *used;
            *used = before.max(self.exchangeable[*token].map_or(0, |number| number + 1));
            Some(before)
        };
        let used: Vec<usize> = places.iter().scan(0, used_after).collect();
        for at in (0..places.len()).rev() {
            let follows =
                |token: &usize| self.exchangeable[*token].is_none_or(|number| number <= used[at]);
            if let Some(token) = (places[at] + 1..self.distinct.len()).find(follows) {
                places[at] = token;
                places[at + 1..].fill(0);
                return Some(places);
            }
        }
        None
    }
}

/// What a function of the token alone gives on one token: a value, or why there is none.
type OnToken = Result<Value, Code>;

/// The first of all tokens that nothing in the graph tells apart. Whatever is a function of the
/// token at its position alone has one value on all of them, if anything else reads it.
fn distinct(graph: &Graph, roots: [SOpId; 2], all: &[Value]) -> Vec<Value> {
    let mut tables: FxHashMap<SOpId, Vec<OnToken>> = FxHashMap::default();
    let mut read: FxHashSet<SOpId> = roots.into_iter().collect();
    for id in graph.reachable(&roots) {
        let table = is_of_token(graph, id, &tables).then(|| table(graph, id, all));
        match table.filter(|table| is_uniform(table)) {
            Some(table) => {
                tables.insert(id, table);
            }
            None if matches!(graph.get(id), SOp::Tokens) => return all.to_vec(),
            None => read.extend(graph.dependencies(id)),
        }
    }
    let read: Vec<&Vec<OnToken>> = read.iter().filter_map(|id| tables.get(id)).collect();
    let mut seen = FxHashSet::default();
    let mut is_new = |at: usize| {
        let found: Vec<&OnToken> = read.iter().map(|table| &table[at]).collect();
        found.iter().copied().any(is_special) || seen.insert(found)
    };
    let tokens = all.iter().enumerate();
    tokens
        .filter(|(at, _)| is_new(*at))
        .map(|(_, token)| token.clone())
        .collect()
}

fn is_of_token(graph: &Graph, id: SOpId, tables: &FxHashMap<SOpId, Vec<OnToken>>) -> bool {
    match graph.get(id) {
        SOp::Tokens => true,
        SOp::Map { operands, .. } => {
            let known = |id: &SOpId| tables.contains_key(id);
            let constant = |id: &SOpId| matches!(graph.get(*id), SOp::Constant(_));
            operands.iter().any(known) && operands.iter().all(|id| known(id) || constant(id))
        }
        SOp::Indices
        | SOp::Constant(_)
        | SOp::Given(_)
        | SOp::Aggregate { .. }
        | SOp::Width { .. }
        | SOp::WeightedMean { .. } => false,
    }
}

fn table(graph: &Graph, id: SOpId, tokens: &[Value]) -> Vec<OnToken> {
    if let Ok(sequence) = interpret::evaluate(graph, id, tokens) {
        return sequence.values.into_iter().map(Ok).collect();
    }
    let alone = |token| match interpret::evaluate(graph, id, std::slice::from_ref(token)) {
        Ok(sequence) => sequence.values.into_iter().next().ok_or(Code::BadInput),
        Err(failed) => Err(Diagnostic::from(&failed.fault.cause).code),
    };
    tokens.iter().map(alone).collect()
}

/// Whether a token must stand for itself. Failures are alike, except that an int beyond 64 bits can
/// still be compared, and that one which is no token's fault says nothing.
fn is_special(found: &OnToken) -> bool {
    use Code::{ArithmeticFailed, BadIndex, BadToken, OperandTypes};
    let alike = [ArithmeticFailed, BadIndex, BadToken, OperandTypes];
    found.as_ref().is_err_and(|code| !alike.contains(code))
}

/// Whether all values are numbers, or all strings: next to each other they would fail.
fn is_uniform(table: &[OnToken]) -> bool {
    let mut values = table.iter().flatten().map(Value::is_number);
    let first = values.next();
    values.all(|number| Some(number) == first)
}
