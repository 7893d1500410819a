//! Predicates as cubes: a function of keys and queries is a table over their values, like a
//! comparison.

use super::cube::Cube;
use super::{Analysis, Stopped};
use crate::graph::{ScorerFunction, ScorerId};

impl Analysis<'_> {
    /// A predicate is a table over the values of its keys and those of its queries.
    pub(super) fn predicate_cubes(&mut self, scorer: ScorerId) -> Result<Vec<Cube>, Stopped> {
        let function = ScorerFunction::new(self.graph, scorer);
        let (keys, queries) = (self.side(&function.keys)?, self.side(&function.queries)?);
        self.literal_cubes(keys, queries, |key, query| {
            function.apply(key, query).is_ok_and(|score| score.truthy())
        })
    }
}
