//! Equality by inference: two s-ops with the same value in every row of one joint table are equal
//! on every input. A table says nothing about errors that lie in branches not taken, about values
//! of different types in one s-op, or about the rounding of means, so everything that the two need
//! must be free of these first.

use super::{Outcome, Trial, same};
use crate::base::Limits;
use crate::graph::{Graph, SOp, SOpId, Selector, SelectorId};
use crate::infer::space::{Column, FAILS};
use crate::infer::{Analysis, Setting, VarKind};
use crate::value::{Comparison, TypeSet, Value};
use rustc_hash::FxHashSet;

/// The time of inference grows with the length faster than that of trying a few inputs.
const LONGEST: usize = 1_000;

/// Whether two s-ops without attention are the same function of the token and the index. Then a
/// position holds the same whatever stands elsewhere, unless types mix, so that the longest input of
/// each token alone decides.
pub fn same_at_each_position(
    trial: &Trial,
    tokens: &[Value],
    max_length: usize,
    budget: usize,
) -> bool {
    if tokens.len().saturating_mul(max_length) > budget {
        return false;
    }
    let numbers = tokens.iter().all(Value::is_number);
    let strings = !tokens.iter().any(Value::is_number);
    let never_mixes = |types: TypeSet| types == TypeSet::STR || !types.meets(TypeSet::STR);
    let stays = |id: &SOpId| match trial.graph.get(*id) {
        SOp::Tokens => numbers || strings,
        SOp::Indices | SOp::Constant(_) | SOp::Given(_) => true,
        SOp::Map { .. } => never_mixes(trial.graph.types(*id)),
        SOp::Aggregate { .. } | SOp::Width { .. } | SOp::WeightedMean { .. } => false,
    };
    let alone = |token: &Value| trial.run(&vec![token.clone(); max_length]);
    let needed = trial.graph.reachable(&[trial.a, trial.b]);
    needed.iter().all(stays)
        && tokens
            .iter()
            .all(|token| matches!(alone(token), Outcome::Same))
}

/// Whether two s-ops are the same function of the same variables, and neither can fail.
pub fn same_table(
    graph: &Graph,
    (a, b): (SOpId, SOpId),
    setting: &Setting,
    limits: &Limits,
) -> bool {
    if setting.max_length > LONGEST {
        return false;
    }
    let mut analysis = Analysis::new(graph, &[a, b], setting, limits);
    let total = graph
        .reachable(&[a, b])
        .iter()
        .all(|id| is_total(&analysis, *id));
    let columns = (analysis.node(a), analysis.node(b));
    let (Ok(a), Ok(b)) = columns else {
        return false;
    };
    let both = [a.column.clone(), b.column.clone()];
    total && same_rows(&mut analysis, &both)
}

fn same_rows(analysis: &mut Analysis, both: &[Column; 2]) -> bool {
    let Ok(space) = analysis.space_of(both) else {
        return false;
    };
    let [a, b] = both;
    let (a_rows, b_rows) = (space.project(&a.space), space.project(&b.space));
    a_rows.iter().zip(&*b_rows).all(|(a_row, b_row)| {
        match (a.value(*a_row as usize), b.value(*b_row as usize)) {
            (Some(a), Some(b)) => same(a, b),
            _ => false,
        }
    })
}

/// Whether an s-op has a value on every input, and exactly one of those inferred.
fn is_total(analysis: &Analysis, id: SOpId) -> bool {
    let Some(column) = column(analysis, id) else {
        return false;
    };
    let exact = column
        .space
        .vars
        .iter()
        .all(|var| match analysis.kind(*var) {
            VarKind::Tokens | VarKind::Indices | VarKind::Width(_) | VarKind::Pick(_) => true,
            VarKind::Mean(sop) => averages_one_int(analysis, sop),
            VarKind::Sum(_)
            | VarKind::Materialised(_)
            | VarKind::Weighted(_)
            | VarKind::Total { .. }
            | VarKind::Given(_) => false,
        });
    let attends = match analysis.graph.get(id) {
        SOp::Aggregate { selector, .. } => {
            (selects_one(analysis, *selector) || averages_one_int(analysis, id))
                && comparable(analysis, *selector)
        }
        SOp::Width { selector } => comparable(analysis, *selector),
        SOp::Tokens | SOp::Indices | SOp::Constant(_) | SOp::Given(_) | SOp::Map { .. } => true,
        // A weight may be negative or fail.
        SOp::WeightedMean { .. } => false,
    };
    exact && attends && !column.cells.contains(&FAILS) && is_uniform(&[column])
}

fn column<'a>(analysis: &'a Analysis, id: SOpId) -> Option<&'a Column> {
    analysis.node(id).ok().map(|node| &node.column)
}

/// Whether all values are numbers, or all are strings.
fn is_uniform(columns: &[&Column]) -> bool {
    let mut values = columns
        .iter()
        .flat_map(|column| column.values.domain.iter().map(Value::is_number));
    let first = values.next();
    values.all(|number| Some(number) == first)
}

/// Whether an aggregate is of an int that is the same everywhere: any mean of it is that int.
fn averages_one_int(analysis: &Analysis, id: SOpId) -> bool {
    let SOp::Aggregate { value, .. } = analysis.graph.get(id) else {
        return false;
    };
    // Below 2^31 no sum over an input is rounded.
    matches!(
        analysis.graph.get(*value),
        SOp::Constant(Value::Int(int)) if int.unsigned_abs() < 1 << 31
    )
}

fn selects_one(analysis: &Analysis, selector: SelectorId) -> bool {
    analysis
        .selector(selector)
        .is_some_and(|facts| facts.at_most_one)
}

/// Whether no comparison of a selector puts a number before a string.
fn comparable(analysis: &Analysis, selector: SelectorId) -> bool {
    let mut pending = vec![selector];
    let mut seen = FxHashSet::default();
    while let Some(selector) = pending.pop() {
        if !seen.insert(selector) {
            continue;
        }
        match analysis.graph.get_selector(selector) {
            Selector::And(a, b) | Selector::Or(a, b) => pending.extend([*a, *b]),
            Selector::Not(a) => pending.push(*a),
            // A predicate or score may fail.
            Selector::Predicate(_) | Selector::Best { .. } => return false,
            Selector::Compare {
                comparison: Comparison::Equal | Comparison::NotEqual,
                ..
            } => {}
            Selector::Compare { keys, queries, .. } => {
                let sides = (column(analysis, *keys), column(analysis, *queries));
                let (Some(keys), Some(queries)) = sides else {
                    return false;
                };
                if !is_uniform(&[keys, queries]) {
                    return false;
                }
            }
        }
    }
    true
}
