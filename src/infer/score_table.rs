//! Scorers over value sets: a number for each value at the key and each value at the query. The
//! best key of a selector and weighted means are compiled from these tables (Weiss et al. 2021,
//! appendix A); where only matters whether a score is true, they are relations.

use super::cube::{Cube, Relation};
use super::selector::{SelectorFacts, check_size};
use super::{Analysis, Operand, Stopped};
use crate::base::Code;
use crate::graph::{SOpId, ScorerFunction, ScorerId, SelectorId};
use crate::value::Value;
use std::sync::Arc;

/// Entries of the largest table of scores.
const LARGEST_TABLE: usize = 4_000_000;

/// The scores of all pairs of values.
#[derive(Clone, Debug)]
pub struct ScoreTable {
    /// The s-ops read at the key and at the query; a scorer that reads one of the two sides only
    /// has its s-op on both, and one that reads nothing has none and one score.
    pub sides: Option<(Operand, Operand)>,
    pub keys: usize,
    pub queries: usize,
    /// `[keys, queries]`, a row for each key; `None` where the score fails or is no number.
    scores: Vec<Option<f64>>,
    /// Keys at different positions never have the same score for one query.
    pub distinct: bool,
    /// Some are ints that are not floats: which is larger no float tells.
    is_beyond: bool,
}

impl ScoreTable {
    /// That of a scorer that reads nothing.
    pub(super) fn of_one(score: Option<f64>) -> ScoreTable {
        ScoreTable {
            sides: None,
            keys: 1,
            queries: 1,
            scores: vec![score],
            distinct: false,
            is_beyond: false,
        }
    }

    pub fn get(&self, key: usize, query: usize) -> Option<f64> {
        self.scores[key * self.queries + query]
    }

    /// The scores of all keys for one query.
    pub fn column(&self, query: usize) -> impl Iterator<Item = Option<f64>> + '_ {
        (0..self.keys).map(move |key| self.get(key, query))
    }

    /// All of them as weights, a row for each key.
    pub fn weights(&self) -> impl Iterator<Item = f64> + '_ {
        let pairs = (0..self.keys).flat_map(|key| (0..self.queries).map(move |query| (key, query)));
        pairs.map(|(key, query)| self.weight(key, query))
    }

    pub(super) fn has_failures(&self) -> bool {
        self.scores.contains(&None)
    }

    /// As a weight: scores that are negative or infinite are errors of the interpreter.
    pub fn weight(&self, key: usize, query: usize) -> f64 {
        let valid = |weight: &f64| *weight > 0.0 && weight.is_finite();
        self.get(key, query).filter(valid).unwrap_or(0.0)
    }
}

impl Analysis<'_> {
    /// A predicate is a relation of what its keys hold and what its queries hold.
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

    /// The best key of a selector. A key that is certain for the selector says here that some key
    /// is selected.
    pub(super) fn analyse_best(
        &mut self,
        id: SelectorId,
        selector: SelectorId,
        scorer: ScorerId,
    ) -> Result<(), Stopped> {
        self.analyse_selector(selector)?;
        let candidates = self.selectors[&selector].clone();
        let mut facts = SelectorFacts::clone(&candidates);
        if candidates.at_most_one {
            // The best of one needs no scores, which may be too many to look at.
            facts.may_fail = candidates.may_fail || self.score_may_fail(scorer).unwrap_or(true);
        } else {
            let table = self.score_table(scorer)?;
            if table.is_beyond {
                let message = "the score is an int of more than 53 bits, which no float holds";
                return Err(Stopped::new(Code::NotCompilable, message.to_string()));
            }
            facts.may_fail =
                candidates.may_fail || table.has_failures() || self.sides_may_fail(table.sides)?;
            facts.best = Some(Arc::new(table));
            if !facts.cubes.is_empty() {
                facts.cubes = [self.in_one_head(&facts.cubes)?].into();
            }
        }
        facts.at_most_one = true;
        self.selectors.insert(id, Arc::new(facts));
        Ok(())
    }

    pub(super) fn sides_may_fail(
        &self,
        sides: Option<(Operand, Operand)>,
    ) -> Result<bool, Stopped> {
        let Some((keys, queries)) = sides else {
            return Ok(false);
        };
        let (keys, queries) = (self.node(keys)?, self.node(queries)?);
        Ok(self.may_fail(&keys.column) || self.may_fail(&queries.column))
    }

    /// The scores of a scorer.
    pub(super) fn score_table(&mut self, scorer: ScorerId) -> Result<ScoreTable, Stopped> {
        self.check_kinds_of_score(scorer)?;
        let function = ScorerFunction::new(self.graph, scorer);
        let mut side = |sops: &[SOpId]| match sops {
            [] => Ok(None),
            sops => self.side(sops).map(Some),
        };
        let read = (side(&function.keys)?, side(&function.queries)?);
        let Some(keys) = read.0.or(read.1) else {
            let score = function.apply(&[], &[]).ok().and_then(number);
            return Ok(ScoreTable::of_one(score));
        };
        let queries = read.1.unwrap_or(keys);
        let (left, right) = (self.tuples(keys)?, self.tuples(queries)?);
        if left.len().saturating_mul(right.len()) > LARGEST_TABLE {
            let message = format!("the score is of {} and {} values", left.len(), right.len());
            return Err(Stopped::new(Code::DomainTooLarge, message));
        }
        let mut scores = Vec::with_capacity(left.len() * right.len());
        let mut is_beyond = false;
        for key in &left {
            for query in &right {
                let key = read.0.map_or(&[][..], |_| &key[..]);
                let query = read.1.map_or(&[][..], |_| &query[..]);
                let score = function.apply(key, query).ok();
                is_beyond |=
                    matches!(score, Some(Value::Int(int)) if int as f64 as i128 != int.into());
                scores.push(score.and_then(number));
            }
        }
        let mut table = ScoreTable {
            sides: Some((keys, queries)),
            keys: left.len(),
            queries: right.len(),
            scores,
            distinct: false,
            is_beyond,
        };
        table.distinct = self.distinct_at_positions(keys) && has_no_ties(&table);
        Ok(table)
    }

    /// Whether a scorer fails for some values that it may read.
    pub(super) fn score_may_fail(&mut self, scorer: ScorerId) -> Result<bool, Stopped> {
        let function = ScorerFunction::new(self.graph, scorer);
        let (keys, queries) = (self.side(&function.keys)?, self.side(&function.queries)?);
        let (left, right) = (self.tuples(keys)?, self.tuples(queries)?);
        if left.len().saturating_mul(right.len()) > LARGEST_TABLE {
            return Ok(true);
        }
        let fails = |key: &Vec<&Value>| {
            right
                .iter()
                .any(|query| function.apply(key, query).is_err())
        };
        Ok(self.sides_may_fail(Some((keys, queries)))? || left.iter().any(fails))
    }
}

/// A score as the interpreter compares it.
fn number(score: Value) -> Option<f64> {
    score.as_float().filter(|score| !score.is_nan())
}

/// Whether no query has the same score for two different keys.
fn has_no_ties(table: &ScoreTable) -> bool {
    (0..table.queries).all(|query| {
        let mut scores: Vec<f64> = table.column(query).flatten().collect();
        scores.sort_by(f64::total_cmp);
        scores.windows(2).all(|pair| pair[0] < pair[1])
    })
}
