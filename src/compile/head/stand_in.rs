//! BOS as the key of all queries that select nothing: where the numbers that are compared leave room
//! for one more, such as the index before the first, BOS has that number, and every query has a key.

use crate::compile::Compiler;
use crate::infer::Analysis;
use crate::infer::cube::{Literal, Relation};
use crate::infer::selector::SelectorFacts;
use crate::infer::space::FAILS;

impl Compiler<'_> {
    /// Whether BOS can be the key of just the queries that select nothing: those never find a key,
    /// and the others always do.
    pub(super) fn stands_in(&self, facts: &SelectorFacts) -> bool {
        let [cube] = &*facts.cubes else {
            return false;
        };
        let [literal] = cube.literals.as_slice() else {
            return false;
        };
        let Ok(queries) = self.analysis.node(literal.queries) else {
            return false;
        };
        // Fractions are found without a number for each, and what finds none is not at BOS's number.
        if self.stand_in(literal).is_none() || self.among_whole(literal).is_some() {
            return false;
        }
        let unmatched = unmatched(&literal.relation);
        (0..self.analysis.environments.count()).all(|at| {
            let possible = queries.column.values.in_environment(at);
            facts.width(at).0 > 0 || possible.iter().all(|query| unmatched[*query as usize])
        }) || self.finds_within_length(literal)
    }

    /// Whether a query that equals any index finds it in the input, by the length that it is made of: where
    /// lengths are no environments of their own, what is selected does not say so.
    fn finds_within_length(&self, literal: &Literal) -> bool {
        let column = |id| self.analysis.node(id).map(|node| &node.column);
        let (Ok(keys), Ok(queries)) = (column(literal.keys), column(literal.queries)) else {
            return false;
        };
        let Some(lengths) = self.analysis.lengths(&queries.space) else {
            return false;
        };
        if keys.space.vars != [Analysis::INDICES] {
            return false;
        }
        // Where each query finds its first key.
        let relation = &literal.relation;
        let mut places: Vec<Option<i64>> = vec![None; relation.queries];
        let cells = keys.cells.iter().enumerate().rev();
        for (row, key) in cells.filter(|(_, key)| **key != FAILS) {
            for (query, place) in places.iter_mut().enumerate() {
                if relation.holds(*key as usize, query) {
                    *place = Some(i64::from(keys.space.row(row)[0]));
                }
            }
        }
        let mut rows = queries.cells.iter().zip(lengths);
        rows.all(|(query, length)| {
            let place = places.get(*query as usize).copied().flatten();
            place.is_none_or(|place| place < length)
        })
    }

    /// Numbers for the keys and the queries of a matching, and the number of BOS among the keys'.
    pub(crate) fn stand_in(&self, literal: &Literal) -> Option<(Vec<f64>, Vec<f64>, f64)> {
        let (keys, queries) = self.matching(literal)?;
        let unmatched = unmatched(&literal.relation);
        let numbers = || queries.iter().zip(&unmatched);
        let free = numbers().filter(|(_, unmatched)| **unmatched);
        let free: Vec<f64> = free.map(|(number, _)| *number).collect();
        let lowest = free.iter().copied().reduce(f64::min)?;
        let highest = free.iter().copied().reduce(f64::max)?;
        let square = |a: f64, b: f64| (a - b) * (a - b);
        let fits = |bos: &f64| {
            numbers().all(|(query, unmatched)| match unmatched {
                true => {
                    let near = square(*query, *bos);
                    keys.iter().all(|key| square(*query, *key) - near >= 1.0)
                }
                false => square(*query, *bos) >= 1.0,
            })
        };
        let bos = [highest, lowest].into_iter().find(fits)?;
        Some((keys, queries, bos))
    }
}

/// For each query whether no key stands in the relation to it.
fn unmatched(relation: &Relation) -> Vec<bool> {
    let queries = 0..relation.queries;
    queries
        .map(|query| (0..relation.keys).all(|key| !relation.holds(key, query)))
        .collect()
}
