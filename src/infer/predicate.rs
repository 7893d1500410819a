//! Predicates as cubes: a function of keys and queries is a table over their values, like a
//! comparison.

use super::cube::{Cube, Relation};
use super::selector::check_size;
use super::{Analysis, Stopped};
use crate::graph::{ScorerFunction, ScorerId};

impl Analysis<'_> {
    /// A predicate is a table over the values of its keys and those of its queries.
    pub(super) fn predicate_cubes(&mut self, scorer: ScorerId) -> Result<Vec<Cube>, Stopped> {
        let function = ScorerFunction::new(self.graph, scorer);
        let (keys, queries) = (self.side(&function.keys)?, self.side(&function.queries)?);
        let (left, right) = (self.tuples(keys)?, self.tuples(queries)?);
        check_size(left.len(), right.len())?;
        let relation = Relation::tabulate(left.len(), right.len(), |key, query| {
            let score = function.apply(&left[key], &right[query]);
            score.is_ok_and(|score| score.truthy())
        });
        self.literal_cubes(keys, queries, relation)
    }
}
