//! The environments that values are conditioned on: a position and the length of the input it
//! stands in. Facts such as "an index is less than the length" or "a prefix mean at position i has
//! denominator i + 1" are then plain set membership. For long inputs the length is left open. Depends on
//! the graph.

use crate::base::Limits;
use crate::graph::shape::is_length;
use crate::graph::{Graph, SOpId};

/// Longest input for which every length is an environment of its own, whatever that takes.
const EXACT_LENGTHS: usize = 128;

/// One position in inputs of one length, or of every length that has the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Environment {
    pub position: usize,
    /// The length if it is known here.
    pub length: Option<usize>,
}

/// All environments of inputs of up to `max_length` tokens.
#[derive(Clone, Debug)]
pub struct Environments {
    max_length: usize,
    list: Vec<Environment>,
}

impl Environments {
    /// Those of inputs of up to `max_length` tokens to some s-ops. Each length is one of its own in long inputs,
    /// too, where one of these reads it, and the keys of their heads are half of the candidates at most:
    /// `Σ l²` each for the lengths `l`.
    pub fn of(graph: &Graph, sops: &[SOpId], max_length: usize, limits: &Limits) -> Environments {
        let heads = sops.iter().filter(|id| graph.get(**id).attends()).count();
        let keys = max_length.saturating_mul(max_length + 1);
        let keys = keys.saturating_mul(2 * max_length + 1) / 6;
        // The other half is for selectors that are made on the way.
        let is_held = || keys.saturating_mul(heads) <= limits.candidates / 2;
        let exact =
            max_length <= EXACT_LENGTHS || sops.iter().any(|id| is_length(graph, *id)) && is_held();
        let up_to = |count: usize, length: Option<usize>| {
            (0..count).map(move |position| Environment { position, length })
        };
        let list = match exact {
            true => (1..=max_length)
                .flat_map(|length| up_to(length, Some(length)))
                .collect(),
            false => up_to(max_length, None).collect(),
        };
        Environments { max_length, list }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = Environment> + '_ {
        self.list.iter().copied()
    }

    /// What there is at each position, given what there is in each environment, where the length says nothing
    /// of it; `None` if it does, or if there is nothing in one.
    pub fn by_position<T: Copy + PartialEq>(
        &self,
        in_environment: impl Fn(usize) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut found = vec![None; self.max_length];
        for (at, environment) in self.list.iter().enumerate() {
            let here = in_environment(at)?;
            if *found[environment.position].get_or_insert(here) != here {
                return None;
            }
        }
        found.into_iter().collect()
    }

    /// The environments of the keys that a query in `query` may see, in order of position, each
    /// with whether the key exists in every input that has the query.
    pub fn keys(&self, query: Environment) -> impl Iterator<Item = (usize, usize, bool)> + '_ {
        let (first, count) = match query.length {
            Some(length) => (length * (length - 1) / 2, length),
            None => (0, self.max_length),
        };
        (0..count).map(move |position| {
            let exists = query.length.is_some() || position <= query.position;
            (first + position, position, exists)
        })
    }
}
