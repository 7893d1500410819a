//! The best key of each query. A score that depends on the key alone puts all keys in one order,
//! computed as a column; the best selected key is then a maximum over what the query selects.

use super::Scores;
use super::distance::Nearest;
use super::linear::Linear;
use crate::graph::{Scorer, ScorerId};
use crate::interpret::column::elementwise;
use crate::interpret::column::rank::{Ranks, rank};
use crate::interpret::column::segments::Columns;
use crate::interpret::column::{Column, Values};
use crate::interpret::deeper;
use crate::interpret::exact;
use crate::interpret::fault::Fault;
use crate::interpret::plan::Plan;
use crate::interpret::selector::Pattern;
use crate::interpret::selector::axis::sorted;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What decides which key is the best.
pub enum Ranking {
    /// The keys by ascending score, equal ones by position, whatever the query.
    Order(Vec<u32>),
    /// Scores of one number that depends on both.
    Nearest(Box<Nearest>),
    /// Other scores that depend on the query, or some of which fail.
    Scores(Box<Scores>),
}

impl Ranking {
    /// # Errors
    /// A fault in what the scorer reads.
    pub fn new(scorer: ScorerId, columns: Columns<'_>) -> Result<Ranking, Arc<Fault>> {
        if let Some(order) = key_order(scorer, columns) {
            return Ok(Ranking::Order(order));
        }
        let linear = Linear::new(scorer, columns);
        Ok(match linear.and_then(Nearest::new) {
            Some(nearest) => Ranking::Nearest(Box::new(nearest)),
            None => Ranking::Scores(Box::new(Scores::new(scorer, columns)?)),
        })
    }

    /// The position of the best selected key of each query, -1 where none is selected; of equal
    /// scores the last. If the score depends on the key alone, as long as a width of `candidates`
    /// takes where these are conjunctions that exclude each other, such as one conjunction;
    /// otherwise O(n) for each query.
    ///
    /// # Errors
    /// A score that cannot be computed or is no number.
    pub fn best(&self, candidates: &Pattern) -> Result<Vec<i64>, Arc<Fault>> {
        let order = match self {
            Ranking::Order(order) => order,
            Ranking::Nearest(nearest) => return nearest.best(candidates),
            Ranking::Scores(scores) => return scores.best(candidates),
        };
        last_of(order, candidates)
    }
}

/// The selected key of each query that comes last in an order of all keys, -1 where none is selected.
///
/// # Errors
/// As [`Plan::new`].
pub fn last_of(order: &[u32], candidates: &Pattern) -> Result<Vec<i64>, Arc<Fault>> {
    // From 1 on.
    let mut standings = vec![0; order.len()];
    for (standing, key) in (1..).zip(order) {
        standings[*key as usize] = standing;
    }
    let highest = Plan::new(candidates)?.highest(|key| standings[key]);
    let key = |standing: u32| match standing {
        0 => -1,
        standing => i64::from(order[standing as usize - 1]),
    };
    Ok(highest.into_iter().map(key).collect())
}

/// The keys by ascending score, equal ones by position, if each has a score that no query changes.
fn key_order(scorer: ScorerId, columns: Columns<'_>) -> Option<Vec<u32>> {
    if columns.graph.scorer_reads(scorer).1 {
        return None;
    }
    let mut parts = KeyScores::new(columns);
    let scores = parts.column(scorer);
    // Where a part fails, what it means for the score is told key by key.
    if !parts.is_sound() || !is_ordered(&scores) {
        return None;
    }
    Some(ordered(&scores))
}

/// Positions by ascending value, equal ones in order of position.
pub fn ordered(column: &Arc<Column>) -> Vec<u32> {
    let ranked = rank(column, column);
    let order = match &ranked.keys {
        Ranks::Constant(_) => None,
        Ranks::List(ranks) => sorted(ranks, ranked.count),
    };
    order.unwrap_or_else(|| (0..column.len() as u32).collect())
}

/// Whether the scores are numbers whose ranks are their order; ints beside floats only where these hold them.
fn is_ordered(scores: &Column) -> bool {
    match scores.values() {
        Values::Constant(value) => value.is_number() && !value.is_nan(),
        Values::Floats(floats) => !floats.iter().any(|float| float.is_nan()),
        Values::Ints(_) | Values::Bools(_) => true,
        Values::Strings(..) => false,
        Values::Mixed(values) => values.iter().all(|value| exact::float(value).is_some()),
    }
}

/// The columns of a scorer that reads no query and of its parts, each computed once.
pub struct KeyScores<'a> {
    columns: Columns<'a>,
    known: FxHashMap<ScorerId, Arc<Column>>,
}

impl<'a> KeyScores<'a> {
    pub fn new(columns: Columns<'a>) -> KeyScores<'a> {
        KeyScores {
            columns,
            known: FxHashMap::default(),
        }
    }

    pub fn column(&mut self, id: ScorerId) -> Arc<Column> {
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        let column = deeper(|| self.new_column(id));
        self.known.insert(id, column.clone());
        column
    }

    /// Whether nothing failed.
    pub fn is_sound(&self) -> bool {
        let mut columns = self.known.values();
        columns.all(|column| column.first_fault().is_none())
    }

    fn new_column(&mut self, id: ScorerId) -> Arc<Column> {
        let length = self.columns.keys;
        match self.columns.graph.get_scorer(id) {
            Scorer::Key(sop) | Scorer::Query(sop) => self.columns.key(*sop),
            Scorer::Constant(value) => Arc::new(Column::constant(value.clone(), length)),
            Scorer::Map { op, operands } => {
                let operands = operands.iter().map(|operand| self.column(*operand));
                let operands: Vec<Arc<Column>> = operands.collect();
                Arc::new(elementwise::map(op, &operands, length))
            }
        }
    }
}
