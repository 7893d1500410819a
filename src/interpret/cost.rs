//! Says which algorithm answers each aggregate and width on an input, and why.

use super::fault::Fault;
use super::plan::{Plan, Way};
use super::scorer::best::Ranking;
use super::scorer::weights::Weights;
use super::selector::count::Conjunction;
use super::selector::formula::Condition;
use super::selector::pair::{EQUAL, GREATER, LESS, Relations};
use super::selector::shape::Shape;
use super::selector::{Pattern, is_derived};
use super::{Evaluated, Evaluation};
use crate::graph::{Graph, SOp, SOpId, ScorerId, Selector, SelectorId};
use crate::value::Value;
use std::sync::Arc;

/// How one aggregate or width is answered.
#[derive(Clone, Debug)]
pub struct Explanation {
    pub sop: SOpId,
    /// How its cost grows with the length n of the input.
    pub cost: String,
    /// The conjunctions that are added up, or why there are none.
    pub steps: Vec<String>,
    /// The pairs of a key and a query that are looked at, as [`crate::base::Limits::pairs`] counts them.
    pub pairs: u64,
    /// Why it has no value anywhere, if so.
    pub fault: Option<Arc<Fault>>,
}

/// Evaluates an s-op and says how each aggregate and width under it was answered, operands before
/// their readers.
///
/// # Errors
/// An empty input.
pub fn explain(graph: &Graph, root: SOpId, input: &[Value]) -> Evaluated<Vec<Explanation>> {
    let mut evaluation = Evaluation::new(graph, input)?;
    let mut explanations = Vec::new();
    evaluation.run_with(&[root], &mut |evaluation, sop| {
        let described = match graph.get(sop) {
            SOp::Aggregate { selector, .. } | SOp::Width { selector } => {
                if let Selector::Best { selector, scorer } = graph.get_selector(*selector) {
                    describe_best(evaluation, *selector, *scorer)
                } else {
                    let pattern = evaluation.pattern(*selector);
                    pattern.and_then(|pattern| describe(graph, &pattern))
                }
            }
            SOp::WeightedMean { scorer, .. } => describe_weighted(evaluation, *scorer),
            SOp::Tokens | SOp::Indices | SOp::Constant(_) | SOp::Given(_) | SOp::Map { .. } => {
                return;
            }
        };
        let fault = described.as_ref().err().cloned();
        let failing = |_| ("O(n)".to_string(), Vec::new(), 0);
        let (cost, steps, pairs) = described.unwrap_or_else(failing);
        explanations.push(Explanation {
            sop,
            cost,
            steps,
            pairs,
            fault,
        });
    })?;
    Ok(explanations)
}

/// A cost, the steps behind it, and the pairs that are looked at.
type Described = (String, Vec<String>, u64);

fn describe_best(
    evaluation: &Evaluation<'_>,
    candidates: SelectorId,
    scorer: ScorerId,
) -> Result<Described, Arc<Fault>> {
    let ranking = Ranking::new(scorer, evaluation.columns())?;
    let pattern = evaluation.pattern(candidates)?;
    let (cost, mut steps, pairs) = describe(evaluation.graph, &pattern)?;
    let (cost, how, pairs) = match ranking {
        Ranking::Order(_) => (
            cost,
            "the best of these: a maximum, as the score depends on the key alone",
            pairs,
        ),
        Ranking::Nearest(_) => (
            cost,
            "the best of these: a maximum on each piece where the score rises or falls with a sum \
             of key and query",
            pairs,
        ),
        Ranking::Scores(_) => (
            "O(n²)".to_string(),
            "the best of these: one key after the other, as no one order of the keys serves all \
             queries",
            pattern.pairs(),
        ),
    };
    steps.push(how.to_string());
    Ok((cost, steps, pairs))
}

fn describe_weighted(
    evaluation: &Evaluation<'_>,
    scorer: ScorerId,
) -> Result<Described, Arc<Fault>> {
    Ok(match Weights::new(scorer, evaluation.columns())? {
        Weights::Masked { .. } => {
            let how = "running sums of weights along positions, as these depend on the key alone";
            ("O(n)".to_string(), vec![how.to_string()], 0)
        }
        Weights::Kernel(kernel) => {
            let reach = kernel.reach();
            let how = format!(
                "keys weighed from left to right, by a table over sums of key and query, of which \
                 {reach} at most have a weight"
            );
            (format!("O(n × {reach})"), vec![how], kernel.pairs())
        }
        Weights::Scores(scores) => {
            let queries = scores.query_classes();
            let how = format!("keys weighed from left to right, for {queries} different queries");
            (format!("O(n × {queries})"), vec![how], scores.pairs())
        }
    })
}

fn describe(graph: &Graph, pattern: &Pattern) -> Result<Described, Arc<Fault>> {
    let plan = Plan::new(pattern)?;
    let tabulated: u64 = pattern.tables.iter().map(|table| table.pairs()).sum();
    let pairs = plan.pairs() + tabulated;
    Ok(match &plan.way {
        Way::Rows(rows, reason) => {
            let (keys, queries) = (rows.keys.count(), rows.queries.count());
            let rows = format!("rows of bits, as {reason}: {queries} rows of {keys} keys");
            let cost = format!("O(n log n + {keys} × {queries})");
            (cost, vec![rows], pairs)
        }
        Way::Sum(terms) => {
            let orders = terms.iter().map(|(_, shape)| shape.orders.len()).max();
            let ranked = pattern.pairs.iter().any(|pair| pair.ranked().sorted);
            let cost = match orders.unwrap_or(0) {
                3.. => "O(n log² n)",
                2 => "O(n log n)",
                _ if ranked => "O(n log n)",
                _ => "O(n)",
            };
            let mut steps: Vec<String> = terms
                .iter()
                .map(|(sign, shape)| conjunction(graph, pattern, *sign, shape))
                .collect();
            if steps.is_empty() {
                steps.push("selects nothing".to_string());
            }
            (cost.to_string(), steps, pairs)
        }
    })
}

fn conjunction(graph: &Graph, pattern: &Pattern, sign: i64, shape: &Shape) -> String {
    let list = |conditions: &[Condition]| {
        let shown: Vec<String> = conditions
            .iter()
            .map(|condition| condition_text(graph, pattern, *condition))
            .collect();
        shown.join(" and ")
    };
    let mut parts = Vec::new();
    let mut part = |conditions: &[Condition], what: &str| {
        if !conditions.is_empty() {
            parts.push(format!("{what} {}", list(conditions)));
        }
    };
    part(&shape.key_filters, "keys filtered by");
    part(&shape.query_filters, "queries filtered by");
    part(&shape.equalities, "groups by");
    let orders = shape.orders.concat();
    match shape.orders.len() {
        3.. => part(&orders, "dominance counting in halves of halves by"),
        2 => part(&orders, "dominance counting, digit by digit, by"),
        _ if Conjunction::new(pattern, shape).is_sequential() => {
            part(&orders, "running sums along positions by");
        }
        _ => part(&orders, "running sums along sorted keys by"),
    }
    if parts.is_empty() {
        parts.push("all keys".to_string());
    }
    let sign = match sign {
        1 => "+".to_string(),
        -1 => "−".to_string(),
        other => format!("{other} ×"),
    };
    format!("{sign} {}", parts.join("; "))
}

fn condition_text(graph: &Graph, pattern: &Pattern, (pair, wanted): Condition) -> String {
    let pair = &pattern.pairs[pair];
    let describe = |sop, derived: &str| match is_derived(graph, sop) {
        true => derived.to_string(),
        false => graph.describe(sop),
    };
    format!(
        "{} {} {}",
        describe(pair.key_sop, "position"),
        symbol(wanted),
        describe(pair.query_sop, "the best position")
    )
}

fn symbol(wanted: Relations) -> &'static str {
    match (
        wanted & LESS != 0,
        wanted & EQUAL != 0,
        wanted & GREATER != 0,
    ) {
        (false, true, false) => "==",
        (true, false, false) => "<",
        (true, true, false) => "<=",
        (false, false, true) => ">",
        (false, true, true) => ">=",
        (true, false, true) => "!=",
        (true, true, true) => "is ordered with",
        (false, false, false) => "is not ordered with",
    }
}
