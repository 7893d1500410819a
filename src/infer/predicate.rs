//! Predicates as cubes: a function of one key and one query is a table over their values, like a
//! comparison.

use super::cube::Cube;
use super::{Analysis, Stopped};
use crate::base::Code;
use crate::graph::{ScorerFunction, ScorerId};

impl Analysis<'_> {
    /// A predicate of one key s-op and one query s-op is a table over their values.
    pub(super) fn predicate_cubes(&self, scorer: ScorerId) -> Result<Vec<Cube>, Stopped> {
        let function = ScorerFunction::new(self.graph, scorer);
        let ([keys], [queries]) = (function.keys.as_slice(), function.queries.as_slice()) else {
            return Err(Stopped::new(
                Code::NotCompilable,
                "a predicate that combines several keys or queries in one comparison has no \
                 compiled form"
                    .to_string(),
            ));
        };
        self.literal_cubes(*keys, *queries, |key, query| {
            function
                .apply(&[key], &[query])
                .is_ok_and(|score| score.truthy())
        })
    }
}
