//! What the heads of a plan select, for a page that computes it for any input: the relations and
//! scores of each head, with where they are read in the residual stream. `page/select.js` reads them
//! as `plan/selected.rs` does.

use super::transformer::finite;
use crate::plan::{Attend, Kind, Linear, Meaning, PatternSource, Plan, Product, Term};
use serde_json::{Value as Json, json};

/// One for each head of a layer, from 1, in the order of the model's; nothing for a head that pays
/// weights instead.
pub(super) fn selecting(plan: &Plan, layer: usize) -> Vec<Json> {
    let directions = plan.directions().0;
    let heads = plan.heads_of(layer).into_iter();
    let head = |head: &Attend| match head.row {
        PatternSource::Weights(_) => Json::Null,
        PatternSource::Selector(_) => json!({
            "kind": match head.kind {
                Kind::Width => "width",
                Kind::Mean => "mean",
                Kind::Length | Kind::MeanOfSome | Kind::MeanOrBos | Kind::MeanOfPart | Kind::Sum { .. } => "other",
            },
            "sink_row": plan.has_sink_row(head.kind),
            "terms": head.terms.iter().filter_map(|found| term(found, &directions)).collect::<Json>(),
        }),
    };
    heads.map(head).collect()
}

/// A term as a page has it, unless it says nothing of what is selected.
fn term(term: &Term, directions: &[usize]) -> Option<Json> {
    let products = term.products.iter();
    let products: Json = products.map(|known| product(known, directions)).collect();
    let digit = |holds: &bool| if *holds { '1' } else { '0' };
    Some(match &term.meaning {
        Meaning::Relation(holds) => json!({
            "meaning": "relation",
            "holds": holds.iter().map(digit).collect::<String>(),
            "products": products,
        }),
        Meaning::Score { .. } => json!({"meaning": "score", "products": products}),
        Meaning::Bos { .. } => json!({"meaning": "bos", "products": products}),
        Meaning::Exponent { .. } | Meaning::Guard => return None,
    })
}

fn product(product: &Product, directions: &[usize]) -> Json {
    let numbers = |numbers: &[f64]| -> Json { numbers.iter().map(|x| finite(*x)).collect() };
    json!({
        "query": linear(&product.query, directions),
        "key": linear(&product.key, directions),
        "queries": numbers(&product.queries),
        "keys": numbers(&product.keys),
    })
}

/// A constant, and after it directions with their factors.
fn linear(linear: &Linear, directions: &[usize]) -> Json {
    let mut numbers = vec![json!(finite(linear.constant))];
    for (id, factor) in &linear.terms {
        let direction = directions.get(id.0 as usize).copied();
        numbers.extend([
            json!(direction.unwrap_or(usize::MAX)),
            json!(finite(*factor)),
        ]);
    }
    Json::Array(numbers)
}
