//! How sensitive the gap between the logits of keys is to an error of the query. All keys see the same error,
//! so that it counts as far as the numbers of two keys differ. In a parabola these are no further apart than
//! their levels, whatever the length, and an error takes a share of the gap away. Depends on the plan.

use super::facts::{base, level};
use crate::plan::{Attend, Dimension, Kind, Meaning, Plan, Product, Scale, Term};

/// A relation of more products is a table, whose keys have a direction each.
const MOST_PRODUCTS: usize = 8;

/// What share of the gap an error of 1 of the query takes at most, where the dimension is a product of a
/// relation of which each query selects something, and that is one number there; if it takes less than it
/// could do to any key.
pub(super) fn of(
    plan: &Plan,
    (attend, scale): (&Attend, Scale),
    dimension: &Dimension,
) -> Option<f64> {
    if !attend.kind.is_relative() || dimension.query.terms.is_empty() {
        return None;
    }
    let terms = attend.terms.iter();
    let terms = terms.filter(|term| term.products.len() <= MOST_PRODUCTS);
    let products = terms.flat_map(|term| {
        let products = term.products.iter();
        products.map(move |product| (term, product))
    });
    let mut alone = products.filter_map(|(term, product)| {
        let factor = factor_of_key(product, dimension, scale)?;
        Some((term, product, factor))
    });
    let (term, product, factor) = alone.next()?;
    let at_bos = plan.bos && attend.kind == Kind::MeanOfSome;
    let bos = at_bos.then_some(plan);
    let steepest = steepest(term, product, attend.kind, bos)?;
    let largest = product
        .keys
        .iter()
        .fold(0.0f64, |most, key| most.max(key.abs()));
    (steepest < largest).then_some(steepest * factor / scale.gap)
}

/// What multiplies the key of a product in a dimension that it is alone.
fn factor_of_key(product: &Product, dimension: &Dimension, scale: Scale) -> Option<f64> {
    let (known, there) = (&product.key.terms, &dimension.key.terms);
    let ((id, one), (other_id, other)) = (known.first()?, there.first()?);
    if id != other_id || known.len() != there.len() {
        return None;
    }
    let factor = other / one;
    let is_key = product.key.scaled(factor) == dimension.key;
    let is_query = || product.query.scaled(scale.gap / factor) == dimension.query;
    (is_key && is_query()).then_some(factor)
}

/// How far the numbers of a selected key and another are apart at most, in levels between them; those of keys
/// that are selected by one query are equal. So are those of BOS, where it is none of the keys.
fn steepest(term: &Term, product: &Product, kind: Kind, bos: Option<&Plan>) -> Option<f64> {
    let Meaning::Relation(holds) = &term.meaning else {
        return None;
    };
    let queries = product.queries.len();
    let mut steepest = 0.0f64;
    for query in 0..queries {
        let is_held = |key: usize| holds.get(key * queries + query) == Some(&true);
        let selected = (0..product.keys.len()).find(|key| is_held(*key))?;
        let selected = product.keys[selected];
        let base = base(term, holds, query, kind);
        let below = |number: f64, level: f64| match number == selected {
            true => 0.0,
            false => (number - selected).abs() / (base - level).max(0.0),
        };
        for (key, number) in product.keys.iter().enumerate() {
            let steep = match is_held(key) {
                true => below(*number, base),
                false => below(*number, level(term, query, key)),
            };
            steepest = steepest.max(steep);
        }
        if let Some(plan) = bos {
            let at_bos = |product: &Product| product.queries[query] * plan.at_bos(&product.key);
            let level = term.products.iter().map(at_bos).sum();
            steepest = steepest.max(below(plan.at_bos(&product.key), level));
        }
    }
    steepest.is_finite().then_some(steepest)
}
