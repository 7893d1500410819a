//! What has a value for each input, an s-op, a selector or a scorer, applied to one, to be shown. Selectors
//! and scorers are worked out for each pair of positions here.

use super::fault::{Cause, Failed, Fault, Score, check};
use super::{Evaluated, Evaluation, Sequence, evaluate};
use crate::base::Limits;
use crate::graph::{Graph, SOpId, ScorerFunction, ScorerId, SelectorId};
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What has a value for each input.
#[derive(Clone, Copy, Debug)]
pub enum Applicable {
    SOp(SOpId),
    Selector(SelectorId),
    Scorer(ScorerId),
}

/// The result of an s-op, selector or scorer applied to an input.
#[derive(Clone, Debug)]
pub enum Application {
    Sequence {
        input: Vec<Value>,
        output: Sequence,
    },
    Matrix {
        input: Vec<Value>,
        rows: Vec<Vec<bool>>,
    },
    /// The scores of the keys, a row for each query.
    Scores {
        input: Vec<Value>,
        rows: Vec<Vec<Value>>,
    },
}

impl Applicable {
    /// # Errors
    /// As [`evaluate`], [`evaluate_selector`] and [`evaluate_scorer`].
    pub fn on(self, graph: &Graph, input: Vec<Value>, limits: &Limits) -> Evaluated<Application> {
        match self {
            Applicable::SOp(id) => {
                evaluate(graph, id, &input).map(|output| Application::Sequence { input, output })
            }
            Applicable::Selector(id) => evaluate_selector(graph, id, &input, limits)
                .map(|rows| Application::Matrix { input, rows }),
            Applicable::Scorer(id) => evaluate_scorer(graph, id, &input, limits)
                .map(|rows| Application::Scores { input, rows }),
        }
    }
}

impl Application {
    /// What kind of thing it is, as tools are told it.
    pub fn kind(&self) -> &'static str {
        match self {
            Application::Sequence { output, .. } => output.sequence_type.name(),
            Application::Matrix { .. } => "selector",
            Application::Scores { .. } => "scorer",
        }
    }
}

/// Bytes that a cell of a selector takes while it is shown, in its longest form.
const CELL_BYTES: u64 = 10;

/// Bytes that a score takes while it is shown.
const SCORE_BYTES: u64 = 64;

/// Which keys (columns) each query (row) of a selector selects on an input: for display of small
/// inputs, quadratic in their length.
///
/// # Errors
/// As [`evaluate`], for the selector's keys and queries; an input so long that showing it takes more
/// than the limit on memory.
pub fn evaluate_selector(
    graph: &Graph,
    selector: SelectorId,
    input: &[Value],
    limits: &Limits,
) -> Evaluated<Vec<Vec<bool>>> {
    check_square("a selector", input, CELL_BYTES, limits)?;
    let mut evaluation = Evaluation::new(graph, input)?;
    let operands = graph.selector_operands(selector);
    evaluation.run(&operands)?;
    let pattern = evaluation
        .pattern(selector)
        .map_err(|fault| Failed::new(fault, input, &operands))?;
    let row = |query| {
        check(graph)?;
        let mut bits = vec![false; input.len()];
        pattern.selected(query).for_each(|key| bits[key] = true);
        Ok(bits)
    };
    (0..input.len()).map(row).collect()
}

/// The score of each key (columns) for each query (rows) on an input: for display of small inputs,
/// quadratic in their length.
///
/// # Errors
/// As [`evaluate_selector`]; a score that cannot be computed.
pub fn evaluate_scorer(
    graph: &Graph,
    scorer: ScorerId,
    input: &[Value],
    limits: &Limits,
) -> Evaluated<Vec<Vec<Value>>> {
    check_square("a scorer", input, SCORE_BYTES, limits)?;
    let operands = scorer_operands(graph, scorer);
    let mut evaluation = Evaluation::new(graph, input)?;
    evaluation.run(&operands)?;
    let function = ScorerFunction::new(graph, scorer);
    let mut columns: FxHashMap<SOpId, Vec<Value>> = FxHashMap::default();
    for sop in &operands {
        columns.insert(*sop, evaluation.asked(*sop, &operands)?.values);
    }
    let held = |sops: &[SOpId], position: usize| -> Vec<&Value> {
        sops.iter().map(|sop| &columns[sop][position]).collect()
    };
    let keys: Vec<Vec<&Value>> = (0..input.len())
        .map(|key| held(&function.keys, key))
        .collect();
    let row = |query: usize| {
        check(graph)?;
        let queries = held(&function.queries, query);
        let score = |key: usize| {
            function.apply(&keys[key], &queries).map_err(|failure| {
                let part = function.failing(&keys[key], &queries).unwrap_or(scorer);
                let score = Score {
                    scorer: part,
                    key,
                    query,
                };
                let fault = Fault {
                    score: Some(score),
                    ..Fault::whole(Cause::Primitive(failure))
                };
                Failed::new(Arc::new(fault), input, &operands)
            })
        };
        (0..input.len()).map(score).collect()
    };
    (0..input.len()).map(row).collect()
}

/// The s-ops that a scorer reads at keys or at queries.
fn scorer_operands(graph: &Graph, scorer: ScorerId) -> Vec<SOpId> {
    let (keys, queries) = graph.scorer_operands(scorer);
    let mut operands: Vec<SOpId> = keys.into_iter().chain(queries).collect();
    operands.sort_unstable();
    operands.dedup();
    operands
}

/// # Errors
/// What is shown for each pair of positions of an input would take more than the limit on memory.
fn check_square(what: &'static str, input: &[Value], cell: u64, limits: &Limits) -> Evaluated<()> {
    let tokens = input.len() as u64;
    let bytes = tokens.saturating_mul(tokens).saturating_mul(cell);
    if bytes <= limits.memory_bytes {
        return Ok(());
    }
    let limit = limits.memory_bytes;
    let shown = Cause::Shown {
        what,
        tokens,
        bytes,
        limit,
    };
    Err(shown.into())
}
