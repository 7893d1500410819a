//! Scorers on one input, pair by pair, where `linear` knows nothing better. Keys that agree in
//! everything the scorer reads are one class and so are queries. For one class of queries all keys
//! are scored at once, a block of them at a time as columns, on all processors; scores are kept only
//! where there are few, and what takes too long is refused before it begins.

pub(crate) mod best;
pub(crate) mod distance;
pub(crate) mod linear;
mod pieces;
pub(crate) mod table;
pub(crate) mod weights;

use crate::base::{Control, parallel};
use crate::graph::{Graph, SOpId, Scorer, ScorerFunction, ScorerId};
use crate::interpret::column::classes::Classes;
use crate::interpret::column::elementwise;
use crate::interpret::column::segments::Columns;
use crate::interpret::column::{Column, Values};
use crate::interpret::fault::{Cause, Fault, Pairs, Score};
use crate::interpret::selector::Pattern;
use crate::value::{Op, Value};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;
use weights::{Weighted, is_weight};

/// Queries that one thread answers at least.
const LEAST: usize = 64;

/// Key classes that are scored at once: a few columns of them fit in a first-level cache.
const BLOCK: usize = 2048;

/// A part of a scorer.
enum ScorerPart {
    /// What key classes hold, and the same in blocks.
    Keys(Arc<Column>, Vec<Arc<Column>>),
    /// What query classes hold.
    Queries(Arc<Column>),
    Constant(Value),
    Map {
        op: Op,
        operands: Vec<usize>,
    },
}

/// Keys or queries, in classes of those that agree in all that a scorer reads of them.
struct Side {
    classes: Classes,
    /// What the classes hold in each column.
    columns: Vec<Arc<Column>>,
}

impl Side {
    /// O(n) for each column.
    fn new(columns: &[Arc<Column>], length: usize) -> Side {
        let mut classes = Classes::one(length);
        for column in columns {
            classes.divide(|position| column.get(position));
        }
        let gathered = columns
            .iter()
            .map(|column| Arc::new(column.gather(&classes.first)));
        Side {
            columns: gathered.collect(),
            classes,
        }
    }

    /// How many classes there are.
    fn count(&self) -> usize {
        self.classes.count()
    }

    /// What a class holds in each column.
    fn values(&self, class: u32) -> Vec<Value> {
        let columns = self.columns.iter();
        columns.map(|column| column.get(class as usize)).collect()
    }
}

/// A scorer between the positions of an input.
pub struct Scores {
    scorer: ScorerId,
    function: ScorerFunction,
    /// An s-op that the scorer reads, for faults.
    sop: SOpId,
    keys: Side,
    queries: Side,
    /// Operands before the parts that use them.
    parts: Vec<ScorerPart>,
    control: Control,
}

impl Scores {
    /// # Errors
    /// A fault in what the scorer reads; too many pairs.
    pub fn new(scorer: ScorerId, columns: Columns<'_>) -> Result<Scores, Arc<Fault>> {
        let graph = columns.graph;
        let function = ScorerFunction::new(graph, scorer);
        let sound = |column: Arc<Column>| match column.first_fault() {
            Some(fault) => Err(fault.clone()),
            None => Ok(column),
        };
        let keys = function.keys.iter().map(|sop| sound(columns.key(*sop)));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        let queries = function
            .queries
            .iter()
            .map(|sop| sound(columns.query(*sop)));
        let queries = queries.collect::<Result<Vec<_>, _>>()?;
        let sop = function.queries.first().or(function.keys.first()).copied();
        let mut scores = Scores {
            sop: sop.unwrap_or(SOpId(0)),
            scorer,
            function,
            keys: Side::new(&keys, columns.keys),
            queries: Side::new(&queries, columns.queries()),
            parts: Vec::new(),
            control: graph.control().clone(),
        };
        scores.parts = scores.read(graph);
        scores.control.allows(scores.pairs()).map_err(|most| {
            let (keys, queries) = (scores.keys.count(), scores.queries.count());
            let cause = Cause::Pairs(most, Pairs::Scores(keys, queries));
            Arc::new(Fault::new(cause, scores.sop))
        })?;
        Ok(scores)
    }

    /// The parts of the scorer; what reads one side alone is worked out once for its classes.
    fn read(&self, graph: &Graph) -> Vec<ScorerPart> {
        let mut parts: Vec<ScorerPart> = Vec::new();
        let ids = self.function.parts();
        let of_keys = |column: Arc<Column>| {
            let blocks = blocks(&column);
            ScorerPart::Keys(column, blocks)
        };
        let place = |list: &[SOpId], sop: &SOpId| list.binary_search(sop).unwrap_or_default();
        for id in ids {
            let part = match graph.get_scorer(*id) {
                Scorer::Key(sop) => {
                    of_keys(self.keys.columns[place(&self.function.keys, sop)].clone())
                }
                Scorer::Query(sop) => {
                    let at = place(&self.function.queries, sop);
                    ScorerPart::Queries(self.queries.columns[at].clone())
                }
                Scorer::Constant(value) => ScorerPart::Constant(value.clone()),
                Scorer::Map { op, operands } => {
                    let at = |id: &ScorerId| ids.binary_search(id).unwrap_or_default();
                    let operands: Vec<usize> = operands.iter().map(at).collect();
                    let (of_key, of_query) = graph.scorer_reads(*id);
                    let side = if of_key { &self.keys } else { &self.queries };
                    let count = side.count();
                    let column = |at: &usize| match &parts[*at] {
                        ScorerPart::Keys(column, _) | ScorerPart::Queries(column) => {
                            Some(column.clone())
                        }
                        ScorerPart::Constant(value) => {
                            Some(Arc::new(Column::constant(value.clone(), count)))
                        }
                        ScorerPart::Map { .. } => None,
                    };
                    let columns: Option<Vec<Arc<Column>>> = match of_key != of_query {
                        true => operands.iter().map(column).collect(),
                        false => None,
                    };
                    let made = columns.map(|columns| elementwise::map(op, &columns, count));
                    match made.filter(|column| column.first_fault().is_none()) {
                        Some(column) if of_key => of_keys(Arc::new(column)),
                        Some(column) => ScorerPart::Queries(Arc::new(column)),
                        None => ScorerPart::Map {
                            op: op.clone(),
                            operands,
                        },
                    }
                }
            };
            parts.push(part);
        }
        parts
    }

    /// Pairs of classes, each of which is looked at.
    pub fn pairs(&self) -> u64 {
        (self.keys.count() as u64).saturating_mul(self.queries.count() as u64)
    }

    /// How many queries differ in what the scorer reads.
    pub fn query_classes(&self) -> usize {
        self.queries.count()
    }

    /// The scores of a block of key classes for a query class as a column; `None` if something
    /// fails on the way, which is then told pair by pair.
    fn block(&self, block: usize, query: u32) -> Option<Arc<Column>> {
        let length = BLOCK.min(self.keys.count() - block * BLOCK);
        let constant = |value: Value| Arc::new(Column::constant(value, length));
        let mut columns: Vec<Option<Arc<Column>>> = vec![None; self.parts.len()];
        let column = |columns: &[Option<Arc<Column>>], at: usize| match &self.parts[at] {
            ScorerPart::Keys(_, blocks) => Some(blocks[block].clone()),
            ScorerPart::Queries(column) => Some(constant(column.get(query as usize))),
            ScorerPart::Constant(value) => Some(constant(value.clone())),
            ScorerPart::Map { .. } => columns[at].clone(),
        };
        for (at, part) in self.parts.iter().enumerate() {
            if let ScorerPart::Map { op, operands } = part {
                let operands = operands.iter().map(|at| column(&columns, *at));
                let operands: Vec<Arc<Column>> = operands.collect::<Option<_>>()?;
                let made = elementwise::map(op, &operands, length);
                if made.first_fault().is_some() {
                    return None;
                }
                columns[at] = Some(Arc::new(made));
            }
        }
        column(&columns, self.parts.len() - 1)
    }

    /// # Errors
    /// It is interrupted. Asked once for each query or block of keys, so that no request waits for
    /// a table of pairs.
    fn unless_stopped(&self) -> Result<(), Arc<Fault>> {
        if self.control.is_stopped() {
            return Err(Arc::new(Fault::new(Cause::Interrupted, self.sop)));
        }
        Ok(())
    }

    fn blocks(&self) -> usize {
        self.keys.count().div_ceil(BLOCK)
    }

    /// The key classes of a block.
    fn keys_of(&self, block: usize) -> Range<u32> {
        let first = block * BLOCK;
        first as u32..self.keys.count().min(first + BLOCK) as u32
    }

    /// The score of a key class for a query class, given the column of its block, if there is one.
    fn score(
        &self,
        block: &Option<Arc<Column>>,
        (key, query): (u32, u32),
    ) -> Result<Value, Arc<Fault>> {
        match block {
            Some(column) => Ok(column.get(key as usize % BLOCK)),
            None => self.of_classes(key, query),
        }
    }

    fn of_classes(&self, key: u32, query: u32) -> Result<Value, Arc<Fault>> {
        self.unless_stopped()?;
        let (keys, queries) = (self.keys.values(key), self.queries.values(query));
        let keys: Vec<&Value> = keys.iter().collect();
        let queries: Vec<&Value> = queries.iter().collect();
        self.function.apply(&keys, &queries).map_err(|failure| {
            let part = self.function.failing(&keys, &queries);
            let at = self.queries.classes.first[query as usize] as usize;
            Arc::new(Fault {
                score: Some(self.score_of(part.unwrap_or(self.scorer), key, query)),
                ..Fault::of_failure(failure, self.sop, at)
            })
        })
    }

    /// Which score it is of a key class for a query class: the first of them.
    fn score_of(&self, scorer: ScorerId, key: u32, query: u32) -> Score {
        Score {
            scorer,
            key: self.keys.classes.first[key as usize] as usize,
            query: self.queries.classes.first[query as usize] as usize,
        }
    }

    /// The position of the best selected key of each query, -1 where none is selected; of equal
    /// scores the last. O(n) for each query.
    ///
    /// # Errors
    /// A score that cannot be computed or is no number.
    pub fn best(&self, candidates: &Pattern) -> Result<Vec<i64>, Arc<Fault>> {
        self.control.count_pairs(candidates.pairs());
        let best = |_: &mut (), query: usize| {
            self.unless_stopped()?;
            let class = self.queries.classes.of[query];
            let mut blocks: Vec<Option<Option<Arc<Column>>>> = vec![None; self.blocks()];
            let mut best: Option<(f64, Value, i64)> = None;
            for key in candidates.selected(query) {
                let pair = (self.keys.classes.of[key], class);
                let block = pair.0 as usize / BLOCK;
                let made = blocks[block].get_or_insert_with(|| self.block(block, class));
                let score = self.score(made, pair)?;
                let number = self.number(&score, pair, self.sop)?;
                // Ints that are one float need not be equal.
                let is_best = best.as_ref().is_none_or(|(highest, known, _)| {
                    number > *highest
                        || number == *highest && score.order(known) != Some(Ordering::Less)
                });
                if is_best {
                    best = Some((number, score, key as i64));
                }
            }
            Ok(best.map_or(-1, |(_, _, key)| key))
        };
        let chosen = parallel::map((candidates.queries, LEAST), || (), best);
        chosen.into_iter().collect()
    }

    /// The score of a key class for a query class as a number; `sop` is the node that needs it.
    fn number(
        &self,
        score: &Value,
        (key, query): (u32, u32),
        sop: SOpId,
    ) -> Result<f64, Arc<Fault>> {
        let number = score.as_float().filter(|score| !score.is_nan());
        number.ok_or_else(|| {
            Arc::new(Fault {
                score: Some(self.score_of(self.scorer, key, query)),
                ..Fault::new(Cause::NoScore(score.clone()), sop)
            })
        })
    }

    /// The weighted mean of `value` at each query, left to right; `sop` is the node it belongs to.
    /// O(n) for each class of queries.
    pub fn mean(&self, sop: SOpId, value: &Column, default: &Value) -> Column {
        let floats = value.to_floats();
        self.control.count_pairs(self.pairs());
        let mean = |room: &mut Vec<f64>, query: usize| {
            self.weigh(query as u32, room, sop)?;
            let mut sum = Weighted::default();
            for (key, class) in self.keys.classes.of.iter().enumerate() {
                sum = sum.plus(key, room[*class as usize], floats[key]);
            }
            sum.mean(sop, value, default)
        };
        let means = parallel::map((self.queries.count(), LEAST), Vec::new, mean);
        let classes = self.queries.classes.of.iter();
        classes
            .map(|class| means[*class as usize].clone())
            .collect()
    }

    /// The weights of all key classes for a query class.
    fn weigh(&self, query: u32, weights: &mut Vec<f64>, sop: SOpId) -> Result<(), Arc<Fault>> {
        weights.clear();
        for block in 0..self.blocks() {
            self.unless_stopped()?;
            let column = self.block(block, query);
            let keys = self.keys_of(block);
            match column.as_ref().map(|column| column.values()) {
                Some(Values::Ints(ints)) => weights.extend(ints.iter().map(|int| *int as f64)),
                Some(Values::Floats(floats)) => weights.extend(floats),
                _ => {}
            }
            let made = weights.get(keys.start as usize..keys.end as usize);
            let all_weights =
                |made: &[f64]| made.iter().fold(true, |all, one| all & is_weight(*one));
            if made.is_some_and(all_weights) {
                continue;
            }
            // One by one, so that what is no weight is told with its key.
            weights.truncate(keys.start as usize);
            for key in keys {
                let score = self.score(&column, (key, query))?;
                weights.push(self.weight(&score, (key, query), sop)?);
            }
        }
        Ok(())
    }

    /// A score as a weight.
    fn weight(&self, score: &Value, pair: (u32, u32), sop: SOpId) -> Result<f64, Arc<Fault>> {
        let weight = self.number(score, pair, sop)?;
        if is_weight(weight) {
            return Ok(weight);
        }
        Err(Arc::new(Fault {
            score: Some(self.score_of(self.scorer, pair.0, pair.1)),
            ..Fault::new(Cause::NoWeight(weight), sop)
        }))
    }
}

/// A column in blocks.
fn blocks(column: &Column) -> Vec<Arc<Column>> {
    let all: Vec<u32> = (0..column.len() as u32).collect();
    let blocks = all
        .chunks(BLOCK)
        .map(|block| Arc::new(column.gather(block)));
    blocks.collect()
}
