//! What heads take for granted of position 0 where there is no BOS: whatever token stands there, its
//! key is the last in the table, which every query selects, and its level is that, or half a gap less;
//! where keys have scores, so much less that its own does not matter.

use super::facts::NOMINAL;
use crate::plan::{Attend, Kind, Linear, Meaning, Plan, Product, Term};

/// What position 0 does not do that the pattern of a head relies on, in words.
pub(super) fn fault(plan: &Plan, attend: &Attend) -> Option<String> {
    let is_score = |term: &&Term| term.meaning.above().is_some();
    let relations = || attend.terms.iter().filter(|term| is_relation(term));
    let is_scored = attend.is_scored();
    let others = attend.terms.iter().filter(|term| !is_relation(term));
    let mut levels = others.filter(|term| !is_score(term));
    let is_last_key = || relations().all(|term| is_last_key(plan, term));
    let fine = match attend.kind {
        Kind::Width => !is_scored && levels.next().is_none() && is_last_key(),
        Kind::Mean => {
            let level = match is_scored {
                true => attend.depth(),
                false => Some(0.5),
            };
            let is_level = |term| level.is_some_and(|level| is_level(plan, term, level, is_scored));
            levels.next().is_some_and(is_level) && levels.next().is_none() && is_last_key()
        }
        Kind::MeanOfSome => levels.next().is_none(),
        Kind::Length | Kind::MeanOrBos | Kind::MeanOfPart | Kind::Sum { .. } => false,
    };
    (!fine).then(|| "position 0 does not stand where it should".to_string())
}

/// The same of what a head moves.
pub(super) fn fault_of_value(plan: &Plan, attend: &Attend) -> Option<String> {
    let fine = attend.kind != Kind::Width || is_first(plan, &attend.value);
    (!fine).then(|| "a width of other values than that of position 0".to_string())
}

fn is_relation(term: &Term) -> bool {
    matches!(term.meaning, Meaning::Relation(_))
}

/// Whether the last key of a relation is that of position 0, and all queries select it.
fn is_last_key(plan: &Plan, term: &Term) -> bool {
    let Meaning::Relation(holds) = &term.meaning else {
        return false;
    };
    let queries = term.products.first().map_or(0, |p| p.queries.len());
    let is_last = |product: &Product| {
        let (low, high) = plan.at_first(&product.key);
        let near = |key: &f64| key - low <= NOMINAL && high - key <= NOMINAL;
        product.keys.last().is_some_and(near)
    };
    holds.iter().rev().take(queries).all(|holds| *holds) && term.products.iter().all(is_last)
}

/// Whether a term puts position 0 so far down, or leaves it where it is, and no other key.
fn is_level(plan: &Plan, term: &Term, depth: f64, in_nats: bool) -> bool {
    let levels = |product: &Product| {
        let mut levels = product.queries.iter();
        levels.all(|level| [-depth, 0.0].contains(level))
    };
    match (&term.meaning, &term.products[..]) {
        (Meaning::Bos { nats }, [product]) if *nats == in_nats => {
            is_first(plan, &product.key) && *product.keys == [1.0] && levels(product)
        }
        _ => false,
    }
}

/// Whether a linear read is 1 at position 0 and 0 at all others.
fn is_first(plan: &Plan, linear: &Linear) -> bool {
    let is_of_indices = |id| matches!(plan.embedding(id), Some([[], _]));
    let embedded = linear.reads().all(is_of_indices);
    let number = |index: usize| linear.at(|id| plan.held_at(id, [0, index]).unwrap_or(0.0));
    embedded && (0..plan.max_length).all(|index| number(index) == f64::from(u8::from(index == 0)))
}
