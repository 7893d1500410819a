//! Scorers as functions: their expression laid out so that it can be applied to the values at a key
//! and at a query without walking the graph again.

use super::build::Graph;
use super::node::{SOpId, Scorer, ScorerId};
use crate::value::{Failure, Op, Value};
use rustc_hash::FxHashMap;

/// A scorer of one graph, ready to be applied.
#[derive(Clone, Debug)]
pub struct ScorerFunction {
    /// The s-ops read at the key position, in the order in which `apply` takes their values.
    pub keys: Vec<SOpId>,
    /// The s-ops read at the query position.
    pub queries: Vec<SOpId>,
    /// Operands before the steps that use them; the last step is the score.
    steps: Vec<ScorerStep>,
    /// The part of the scorer that each step computes.
    parts: Vec<ScorerId>,
}

#[derive(Clone, Debug)]
enum ScorerStep {
    Key(usize),
    Query(usize),
    Constant(Value),
    Map { op: Op, operands: Vec<usize> },
}

/// A step that fails, though its operands do not.
#[derive(Clone, Debug)]
struct Failed {
    step: usize,
    failure: Failure,
}

impl ScorerFunction {
    /// A scorer as a function.
    pub fn new(graph: &Graph, id: ScorerId) -> ScorerFunction {
        let (keys, queries) = graph.scorer_operands(id);
        let mut steps = Vec::new();
        let mut places: FxHashMap<ScorerId, usize> = FxHashMap::default();
        let parts = graph.scorer_parts(id);
        for part in parts.iter().copied() {
            let place = |list: &[SOpId], sop: &SOpId| list.binary_search(sop).unwrap_or_default();
            steps.push(match graph.get_scorer(part) {
                Scorer::Key(sop) => ScorerStep::Key(place(&keys, sop)),
                Scorer::Query(sop) => ScorerStep::Query(place(&queries, sop)),
                Scorer::Constant(value) => ScorerStep::Constant(value.clone()),
                Scorer::Map { op, operands } => ScorerStep::Map {
                    op: op.clone(),
                    operands: operands.iter().map(|id| places[id]).collect(),
                },
            });
            places.insert(part, steps.len() - 1);
        }
        ScorerFunction {
            keys,
            queries,
            steps,
            parts,
        }
    }

    /// The scorer and what it is made of, operands first, in order of id.
    pub fn parts(&self) -> &[ScorerId] {
        &self.parts
    }

    /// The score of a key for a query.
    ///
    /// # Errors
    /// A primitive that fails, except in the branch of a ternary that is not taken.
    pub fn apply(&self, keys: &[&Value], queries: &[&Value]) -> Result<Value, Failure> {
        let score = self.scores(keys, queries).pop();
        let score = score.unwrap_or(Ok(Value::Int(0)));
        score.map_err(|failed| failed.failure)
    }

    /// The part of a score that fails, and why: its operands do not.
    pub fn failing(&self, keys: &[&Value], queries: &[&Value]) -> Option<ScorerId> {
        let failed = self.scores(keys, queries).pop()?.err()?;
        self.parts.get(failed.step).copied()
    }

    fn scores(&self, keys: &[&Value], queries: &[&Value]) -> Vec<Result<Value, Failed>> {
        let mut scores: Vec<Result<Value, Failed>> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let score = match step {
                ScorerStep::Key(at) => Ok(keys[*at].clone()),
                ScorerStep::Query(at) => Ok(queries[*at].clone()),
                ScorerStep::Constant(value) => Ok(value.clone()),
                ScorerStep::Map { op, operands } => apply_step(op, operands, &scores),
            };
            scores.push(score);
        }
        scores
    }
}

fn apply_step(
    op: &Op,
    operands: &[usize],
    scores: &[Result<Value, Failed>],
) -> Result<Value, Failed> {
    let operand = |index: usize| scores[operands[index]].as_ref().map_err(Clone::clone);
    if *op == Op::If {
        let taken = if operand(0)?.truthy() { 1 } else { 2 };
        return operand(taken).cloned();
    }
    let values: Vec<&Value> = (0..operands.len()).map(operand).collect::<Result<_, _>>()?;
    op.apply(&values).map_err(|failure| Failed {
        step: scores.len(),
        failure,
    })
}
