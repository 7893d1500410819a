//! Scorers on one input. Keys that agree in everything the scorer reads are one class and so are
//! queries, and a pair of classes is scored once. Predicates become tables over classes; weighted
//! means, and best keys whose score depends on the query, are found query by query.

use super::column::{Builder, Column};
use super::fault::{Fault, Score};
use super::selector::{Columns, Pattern};
use crate::base::control::INTERRUPTED;
use crate::base::{Code, Control};
use crate::graph::{Graph, SOpId, ScorerFunction, ScorerId};
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// The most pairs of classes that a predicate is tabulated over.
const LARGEST_TABLE: usize = 1 << 28;

/// A predicate over classes of keys and classes of queries.
pub struct Table {
    /// The class of each key position.
    pub keys: Vec<u32>,
    /// The class of each query position.
    pub queries: Vec<u32>,
    key_classes: usize,
    holds: Vec<bool>,
}

impl Table {
    /// Whether the predicate holds between a key position and a query position.
    pub fn holds(&self, key: usize, query: usize) -> bool {
        self.holds[self.queries[query] as usize * self.key_classes + self.keys[key] as usize]
    }
}

/// Positions that agree in some columns, with what they hold.
struct Classes {
    of: Vec<u32>,
    values: Vec<Vec<Value>>,
}

impl Classes {
    /// O(n) for each column.
    fn new(columns: &[Rc<Column>], length: usize) -> Classes {
        let mut numbers: FxHashMap<Vec<Value>, u32> = FxHashMap::default();
        let mut classes = Classes {
            of: Vec::with_capacity(length),
            values: Vec::new(),
        };
        for position in 0..length {
            let held: Vec<Value> = columns.iter().map(|column| column.get(position)).collect();
            let next = classes.values.len() as u32;
            let number = *numbers.entry(held).or_insert_with_key(|held| {
                classes.values.push(held.clone());
                next
            });
            classes.of.push(number);
        }
        classes
    }

    /// The first position of a class.
    fn first(&self, class: u32) -> usize {
        let mut classes = self.of.iter();
        classes.position(|other| *other == class).unwrap_or(0)
    }
}

/// A scorer between the positions of an input.
pub struct Scores {
    scorer: ScorerId,
    function: ScorerFunction,
    /// An s-op that the scorer reads, for faults.
    sop: SOpId,
    keys: Classes,
    queries: Classes,
    known: RefCell<FxHashMap<(u32, u32), Value>>,
    control: Control,
}

impl Scores {
    /// # Errors
    /// A fault in what the scorer reads.
    pub fn new(
        graph: &Graph,
        scorer: ScorerId,
        columns: &Columns<'_>,
    ) -> Result<Scores, Rc<Fault>> {
        let function = ScorerFunction::new(graph, scorer);
        let fetch = |sops: &[SOpId], column: &dyn Fn(SOpId) -> Rc<Column>| {
            sops.iter()
                .map(|sop| {
                    let column = column(*sop);
                    match column.first_fault() {
                        Some(fault) => Err(fault.clone()),
                        None => Ok(column),
                    }
                })
                .collect::<Result<Vec<Rc<Column>>, Rc<Fault>>>()
        };
        let keys = fetch(&function.keys, columns.key)?;
        let queries = fetch(&function.queries, columns.query)?;
        let keys = Classes::new(&keys, columns.keys);
        let queries = Classes::new(&queries, columns.queries);
        let sop = function.queries.first().or(function.keys.first()).copied();
        Ok(Scores {
            sop: sop.unwrap_or(SOpId(0)),
            scorer,
            function,
            keys,
            queries,
            known: RefCell::default(),
            control: graph.control().clone(),
        })
    }

    /// How many queries differ in what the scorer reads.
    pub fn query_classes(&self) -> usize {
        self.queries.values.len()
    }

    /// The score of a key class for a query class.
    fn of_classes(&self, key: u32, query: u32) -> Result<Value, Rc<Fault>> {
        if let Some(score) = self.known.borrow().get(&(key, query)) {
            return Ok(score.clone());
        }
        if self.control.is_stopped() {
            return Err(fault(Code::Interrupted, INTERRUPTED.into(), self.sop));
        }
        let keys: Vec<&Value> = self.keys.values[key as usize].iter().collect();
        let queries: Vec<&Value> = self.queries.values[query as usize].iter().collect();
        let score = self.function.apply(&keys, &queries).map_err(|failure| {
            let part = self.function.failing(&keys, &queries);
            let at = self.queries.first(query);
            Rc::new(Fault {
                score: Some(self.score_of(part.unwrap_or(self.scorer), key, query)),
                ..Fault::of_failure(failure, self.sop, at)
            })
        })?;
        self.known.borrow_mut().insert((key, query), score.clone());
        Ok(score)
    }

    /// Which score it is of a key class for a query class: the first of them.
    fn score_of(&self, scorer: ScorerId, key: u32, query: u32) -> Score {
        Score {
            scorer,
            key: self.keys.first(key),
            query: self.queries.first(query),
        }
    }

    /// The scorer by truth value. O(classes of keys · classes of queries).
    ///
    /// # Errors
    /// A score that cannot be computed; more pairs of classes than fit in a table.
    pub fn table(&self) -> Result<Table, Rc<Fault>> {
        let (keys, queries) = (self.keys.values.len(), self.queries.values.len());
        if keys.saturating_mul(queries) > LARGEST_TABLE {
            let message =
                format!("a predicate between {keys} keys and {queries} queries is too large");
            return Err(fault(Code::LimitReached, message, self.sop));
        }
        let mut holds = Vec::with_capacity(keys * queries);
        for query in 0..queries as u32 {
            for key in 0..keys as u32 {
                holds.push(self.of_classes(key, query)?.truthy());
            }
        }
        Ok(Table {
            keys: self.keys.of.clone(),
            queries: self.queries.of.clone(),
            key_classes: keys,
            holds,
        })
    }

    /// The position of the best selected key of each query, -1 where none is selected; of equal
    /// scores the last. O(n) for each query.
    ///
    /// # Errors
    /// A score that cannot be computed or is no number.
    pub fn best(&self, candidates: &Pattern) -> Result<Vec<i64>, Rc<Fault>> {
        let mut chosen = Vec::with_capacity(candidates.queries);
        for query in 0..candidates.queries {
            let mut best: Option<(f64, i64)> = None;
            for key in candidates.selected(query) {
                let classes = (self.keys.of[key], self.queries.of[query]);
                let score = self.number(classes, self.sop)?;
                if best.is_none_or(|(highest, _)| score >= highest) {
                    best = Some((score, key as i64));
                }
            }
            chosen.push(best.map_or(-1, |(_, key)| key));
        }
        Ok(chosen)
    }

    /// The score of a key class for a query class as a number; `sop` is the node that needs it.
    fn number(&self, (key, query): (u32, u32), sop: SOpId) -> Result<f64, Rc<Fault>> {
        let score = self.of_classes(key, query)?;
        let number = score.as_float().filter(|score| !score.is_nan());
        number.ok_or_else(|| {
            let message = format!("a score is a number, not {}", score.source());
            Rc::new(Fault {
                score: Some(self.score_of(self.scorer, key, query)),
                ..Fault::new(Code::OperandTypes, message, sop)
            })
        })
    }

    /// The weighted mean of `value` at each query, left to right; `sop` is the node it belongs to.
    /// O(n) for each class of queries.
    pub fn weighted_mean(&self, sop: SOpId, value: &Column, default: &Value) -> Column {
        if let Some(fault) = value.first_fault() {
            return Column::failed(value.len(), fault.clone());
        }
        let mut known: Vec<Option<Result<Value, Rc<Fault>>>> =
            vec![None; self.queries.values.len()];
        let mut builder = Builder::new(value.len());
        for class in &self.queries.of {
            let mean = known[*class as usize]
                .get_or_insert_with(|| self.mean_of(*class, sop, value, default));
            match mean {
                Ok(value) => builder.push(value.clone()),
                Err(fault) => builder.fault(fault.clone()),
            }
        }
        builder.finish()
    }

    fn mean_of(
        &self,
        query: u32,
        sop: SOpId,
        value: &Column,
        default: &Value,
    ) -> Result<Value, Rc<Fault>> {
        let (mut total, mut sum, mut weighted) = (0.0, 0.0, Vec::new());
        for (key, class) in self.keys.of.iter().enumerate() {
            let weight = self.number((*class, query), sop)?;
            if weight < 0.0 || weight.is_infinite() {
                let message =
                    format!("a weight is {weight}, but weights are finite and not negative");
                return Err(Rc::new(Fault {
                    score: Some(self.score_of(self.scorer, *class, query)),
                    ..Fault::new(Code::ArithmeticFailed, message, sop)
                }));
            }
            if weight > 0.0 {
                weighted.push(key);
                total += weight;
                sum += weight * value.get(key).as_float().unwrap_or(0.0);
            }
        }
        match weighted.as_slice() {
            [] => Ok(default.clone()),
            [key] => Ok(value.get(*key)),
            several if !value.sequence_type().is_number() => {
                let message = format!(
                    "{} values have a weight at once, but {} have no mean",
                    several.len(),
                    value.sequence_type().name()
                );
                Err(fault(Code::MeanOfNonNumbers, message, sop))
            }
            _ => Ok(Value::Float(sum / total)),
        }
    }
}

fn fault(code: Code, message: String, sop: SOpId) -> Rc<Fault> {
    Rc::new(Fault::new(code, message, sop))
}
