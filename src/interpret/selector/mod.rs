//! Selectors on one input, still symbolic: comparisons of ranked columns, and the steps that
//! combine them. `formula` brings this into a form that `count` answers without looking at pairs
//! of positions; `rows` answers for the rest.

pub(crate) mod axis;
mod bits;
pub(crate) mod count;
mod dominance;
pub(crate) mod formula;
mod groups;
mod maximum;
pub(crate) mod pair;
pub(crate) mod rows;
pub(crate) mod shape;
mod slots;
pub(crate) mod tally;
mod three;

use crate::base::Control;
use crate::graph::{Graph, SOpId, Scorer, ScorerId, Selector, SelectorId};
use crate::interpret::column::Column;
use crate::interpret::column::segments::{Columns, Segments};
use crate::interpret::deeper;
use crate::interpret::fault::{Cause, Fault};
use crate::interpret::scorer::Scores;
use crate::interpret::scorer::best::Ranking;
use crate::interpret::scorer::distance;
use crate::interpret::scorer::linear::Linear;
use crate::interpret::scorer::table::Table;
use crate::value::{Comparison, Op, Value};
use pair::{EQUAL, GREATER, LESS, Pair, Relations, relation, relations};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A selector on an input of known length.
#[derive(Clone)]
pub struct Pattern {
    /// How many key positions there are.
    pub keys: usize,
    /// How many query positions there are.
    pub queries: usize,
    pub pairs: Vec<Arc<Pair>>,
    /// Each distinct subselector once, operands before the steps that use them; the last step is
    /// the selector itself.
    pub steps: Vec<PatternStep>,
    /// Predicates that no comparisons make up.
    pub tables: Vec<Arc<Table>>,
    /// Whether what reads it is to end.
    pub control: Control,
    /// An s-op that it reads, for faults.
    pub sop: SOpId,
}

/// A subselector; operands are named by the numbers of their steps.
#[derive(Clone, Copy)]
pub enum PatternStep {
    /// The key of a pair of columns stands to the query in one of the relations.
    Leaf(usize, Relations),
    /// A predicate's table holds.
    Table(usize),
    And(usize, usize),
    Or(usize, usize),
    Not(usize),
}

impl Pattern {
    /// The selector with its columns fetched and ranked.
    ///
    /// # Errors
    /// A fault in a key or query, or an order between numbers and strings.
    pub fn new(selector: SelectorId, columns: Columns<'_>) -> Result<Pattern, Arc<Fault>> {
        let mut reader = PatternReader::new(columns);
        reader.step(selector)?;
        if let Some(segments) = columns.segments {
            reader.pattern.keep_within(segments);
        }
        Ok(reader.pattern)
    }

    /// A predicate alone, if it is made of comparisons.
    pub fn of_predicate(scorer: ScorerId, columns: Columns<'_>) -> Option<Pattern> {
        let mut reader = PatternReader::new(columns);
        let step = reader.truth(scorer)?;
        reader.pattern.push(step);
        Some(reader.pattern)
    }

    /// Pairs of positions.
    pub fn pairs(&self) -> u64 {
        (self.keys as u64).saturating_mul(self.queries as u64)
    }

    /// The number of a step more.
    fn push(&mut self, step: PatternStep) -> usize {
        self.steps.push(step);
        self.steps.len() - 1
    }

    /// Selects only keys of the query's own input.
    fn keep_within(&mut self, segments: &Segments) {
        let all = self.steps.len() - 1;
        let pair = self.derived_pair(segments.numbers.clone(), segments.numbers.clone());
        let same = self.push(PatternStep::Leaf(pair, EQUAL));
        self.push(PatternStep::And(all, same));
    }

    /// The selected keys of one query, ascending. O(n · steps) if all are taken.
    pub fn selected(&self, query: usize) -> impl Iterator<Item = usize> {
        let mut values: Vec<bool> = vec![false; self.steps.len()];
        let row = |table: &Arc<Table>| {
            let all: Vec<u32> = (0..self.keys as u32).collect();
            let mut bits = vec![0; self.keys.div_ceil(64)];
            table.fill(&mut bits, &all, query);
            bits
        };
        let rows: Vec<Vec<u64>> = self.tables.iter().map(row).collect();
        (0..self.keys).filter(move |key| {
            for (index, step) in self.steps.iter().enumerate() {
                values[index] = match step {
                    PatternStep::Leaf(pair, wanted) => {
                        let pair = self.pairs[*pair].ranked();
                        relation(pair.keys.get(*key), pair.queries.get(query)) & wanted != 0
                    }
                    PatternStep::Table(table) => rows[*table][*key / 64] >> (*key % 64) & 1 != 0,
                    PatternStep::And(a, b) => values[*a] && values[*b],
                    PatternStep::Or(a, b) => values[*a] || values[*b],
                    PatternStep::Not(a) => !values[*a],
                };
            }
            values.last().copied().unwrap_or(false)
        })
    }
}

/// Reads a selector: each part once, and each pair of columns.
struct PatternReader<'a> {
    pattern: Pattern,
    /// The steps of parts, and the numbers of pairs.
    steps: FxHashMap<SelectorId, usize>,
    numbers: FxHashMap<(SOpId, SOpId), usize>,
    columns: Columns<'a>,
}

impl<'a> PatternReader<'a> {
    fn new(columns: Columns<'a>) -> PatternReader<'a> {
        let pattern = Pattern {
            keys: columns.keys,
            queries: columns.queries(),
            pairs: Vec::new(),
            steps: Vec::new(),
            tables: Vec::new(),
            control: columns.graph.control().clone(),
            sop: SOpId(0),
        };
        PatternReader {
            pattern,
            steps: FxHashMap::default(),
            numbers: FxHashMap::default(),
            columns,
        }
    }

    /// The step of a selector.
    fn step(&mut self, id: SelectorId) -> Result<usize, Arc<Fault>> {
        if let Some(step) = self.steps.get(&id) {
            return Ok(*step);
        }
        let step = deeper(|| self.new_step(id))?;
        let step = self.pattern.push(step);
        self.steps.insert(id, step);
        Ok(step)
    }

    fn new_step(&mut self, id: SelectorId) -> Result<PatternStep, Arc<Fault>> {
        let columns = self.columns;
        Ok(match columns.graph.get_selector(id) {
            Selector::Compare {
                keys,
                queries,
                comparison,
            } => self.leaf(*keys, *queries, *comparison)?,
            Selector::And(a, b) => PatternStep::And(self.step(*a)?, self.step(*b)?),
            Selector::Or(a, b) => PatternStep::Or(self.step(*a)?, self.step(*b)?),
            Selector::Not(a) => PatternStep::Not(self.step(*a)?),
            Selector::Predicate(scorer) => match self.truth(*scorer) {
                Some(step) => step,
                None => self.table(Table::new(Scores::new(*scorer, columns)?)?),
            },
            Selector::Best { selector, scorer } => {
                let ranking = Ranking::new(*scorer, columns)?;
                let candidates = Pattern::new(*selector, columns)?;
                self.chosen(ranking.best(&candidates)?)
            }
        })
    }

    fn leaf(
        &mut self,
        key_sop: SOpId,
        query_sop: SOpId,
        comparison: Comparison,
    ) -> Result<PatternStep, Arc<Fault>> {
        let (keys, queries) = (self.columns.key(key_sop), self.columns.query(query_sop));
        if let Some(fault) = keys.first_fault().or(queries.first_fault()) {
            return Err(fault.clone());
        }
        check_order(key_sop, &keys, &queries, comparison)?;
        self.pattern.sop = key_sop;
        let number = match self.numbers.get(&(key_sop, query_sop)) {
            Some(number) => *number,
            None => {
                let number = self.pattern.pairs.len();
                self.numbers.insert((key_sop, query_sop), number);
                let pair = Pair::new((key_sop, query_sop), keys, queries);
                self.pattern.pairs.push(Arc::new(pair));
                number
            }
        };
        Ok(PatternStep::Leaf(number, relations(comparison)))
    }

    /// A predicate; its classes of keys and queries count as columns that are compared.
    fn table(&mut self, table: Table) -> PatternStep {
        let codes = |codes: &[u32]| {
            Arc::new(Column::ints(
                codes.iter().map(|code| i64::from(*code)).collect(),
            ))
        };
        self.pattern
            .derived_pair(codes(table.keys()), codes(table.queries()));
        self.pattern.tables.push(Arc::new(table));
        PatternStep::Table(self.pattern.tables.len() - 1)
    }

    /// One key position at most for each query: equality of the position with the chosen one.
    fn chosen(&mut self, positions: Vec<i64>) -> PatternStep {
        let indices = Arc::new(Column::ints((0..self.pattern.keys as i64).collect()));
        let pair = self
            .pattern
            .derived_pair(indices, Arc::new(Column::ints(positions)));
        PatternStep::Leaf(pair, EQUAL)
    }

    /// A predicate as comparisons of derived columns, if it is made of such; steps before the one
    /// that it gives are there then.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "no other primitive joins conditions"
    )]
    fn truth(&mut self, scorer: ScorerId) -> Option<PatternStep> {
        let graph = self.columns.graph;
        let (of_key, of_query) = graph.scorer_reads(scorer);
        if !(of_key && of_query) {
            return None;
        }
        if let Some(linear) = Linear::new(scorer, self.columns) {
            let intervals = distance::intervals(&linear)?;
            return Some(self.pattern.any_interval(&linear, &intervals));
        }
        let Scorer::Map { op, operands } = graph.get_scorer(scorer) else {
            return None;
        };
        let mut part = |at: usize| {
            let step = deeper(|| self.truth(operands[at]))?;
            Some(self.pattern.push(step))
        };
        match op {
            Op::And => Some(PatternStep::And(part(0)?, part(1)?)),
            Op::Or => Some(PatternStep::Or(part(0)?, part(1)?)),
            Op::Not => Some(PatternStep::Not(part(0)?)),
            Op::ToBool => {
                let not = PatternStep::Not(part(0)?);
                Some(PatternStep::Not(self.pattern.push(not)))
            }
            _ => None,
        }
    }
}

impl Pattern {
    /// What the selector selects of those keys for which a number lies in an interval.
    pub fn within(&self, linear: &Linear, interval: (i64, i64)) -> Pattern {
        let mut within = self.clone();
        let all = within.steps.len() - 1;
        let step = within.any_interval(linear, &[interval]);
        let step = within.push(step);
        within.push(PatternStep::And(all, step));
        within
    }

    /// A number lies in one of some intervals that exclude each other, with both ends.
    fn any_interval(&mut self, linear: &Linear, intervals: &[(i64, i64)]) -> PatternStep {
        let mut any: Option<PatternStep> = None;
        for (from, to) in intervals {
            // A key reaches a bound if it reaches what the query leaves of it.
            let bound = |bound: i64| -> Arc<Column> {
                let left = |query| bound - linear.query(query);
                Arc::new(Column::ints((0..self.queries).map(left).collect()))
            };
            let mut conditions = Vec::new();
            if from == to {
                conditions.push((bound(*from), EQUAL));
            } else {
                if *from > linear.range.0 {
                    conditions.push((bound(*from), GREATER | EQUAL));
                }
                if *to < linear.range.1 {
                    conditions.push((bound(*to), LESS | EQUAL));
                }
            }
            let mut step = None;
            for (queries, relations) in conditions {
                let leaf =
                    PatternStep::Leaf(self.derived_pair(linear.keys.clone(), queries), relations);
                step = Some(self.combined(step, leaf, PatternStep::And));
            }
            let step = step.unwrap_or_else(|| self.constant(true));
            any = Some(self.combined(any, step, PatternStep::Or));
        }
        any.unwrap_or_else(|| self.constant(false))
    }

    fn combined(
        &mut self,
        first: Option<PatternStep>,
        second: PatternStep,
        combine: fn(usize, usize) -> PatternStep,
    ) -> PatternStep {
        let Some(first) = first else { return second };
        combine(self.push(first), self.push(second))
    }

    /// What always holds, or never does.
    fn constant(&mut self, holds: bool) -> PatternStep {
        let zero = || Arc::new(Column::constant(Value::Int(0), 1));
        let pair = self.derived_pair(zero(), zero());
        PatternStep::Leaf(pair, if holds { EQUAL } else { LESS })
    }

    fn derived_pair(&mut self, keys: Arc<Column>, queries: Arc<Column>) -> usize {
        let number = self.pairs.len();
        let sops = (derived(2 * number), derived(2 * number + 1));
        self.pairs.push(Arc::new(Pair::new(sops, keys, queries)));
        number
    }
}

/// Columns that belong to no s-op are told apart by ids from the far end.
fn derived(number: usize) -> SOpId {
    SOpId(u32::MAX - number as u32)
}

/// Whether a column is one that the interpreter has made for itself.
pub fn is_derived(graph: &Graph, sop: SOpId) -> bool {
    sop.0 as usize >= graph.len()
}

fn check_order(
    sop: SOpId,
    keys: &Column,
    queries: &Column,
    comparison: Comparison,
) -> Result<(), Arc<Fault>> {
    let ordered = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
    if !ordered || keys.is_text() == queries.is_text() {
        return Ok(());
    }
    let types = [keys, queries].map(Column::sequence_type);
    Err(Arc::new(Fault::new(Cause::NoOrder(comparison, types), sop)))
}
