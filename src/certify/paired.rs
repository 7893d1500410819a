//! Levels of selected keys that are not quite equal, as where two thresholds are one dimension of a head: there one
//! product adds a small power of two, or nothing. Where all else that is added up are multiples of a power of two,
//! beside any of which, but 0, floats lose the small one, sums are exact in whatever order, but that they may lack
//! it: beside a sum so far that is not 0 it is at most half of what floats resolve there, and a half is rounded to
//! the even one, which the sum so far is. Depends on the plan.

use super::facts::{NOMINAL, UNEVEN, added, base};
use super::host::is_power;
use crate::plan::{Attend, Dimension, Kind, Meaning, Product, Scale, Term};

/// The dimensions of a head that are two thresholds each.
pub(super) struct Paired {
    /// Which dimensions they are.
    pub dimensions: Vec<bool>,
    /// What one of them adds to the logit of a selected key, if any does: a power of two.
    pub size: f64,
}

impl Paired {
    /// Those of a head, if it has some, and each is a product of its only relation with such levels.
    pub fn of(attend: &Attend, dimensions: &[Dimension], scale: Scale) -> Option<Paired> {
        let mut terms = attend
            .terms
            .iter()
            .filter(|term| uneven_of(term, attend.kind) > 0.0);
        let (Some(term), None) = (terms.next(), terms.next()) else {
            return None;
        };
        let mut paired = Paired {
            dimensions: vec![false; dimensions.len()],
            size: 0.0,
        };
        let mut is_met = vec![false; term.products.first()?.keys.len() * queries(term)];
        for product in &term.products {
            let Some(size) = selected_size(term, product, &mut is_met)? else {
                continue;
            };
            let size = size * scale.gap;
            let mut dimensions = dimensions.iter();
            let at = dimensions.position(|dimension| is_of(product, dimension, scale))?;
            paired.dimensions[at] = true;
            if paired.size != 0.0 && paired.size != size {
                return None;
            }
            paired.size = size;
        }
        // Whatever else is added is the same for all keys of a query.
        let apart = uneven_of(term, attend.kind) * scale.gap;
        let is_all = (apart - paired.size).abs() <= NOMINAL * paired.size;
        is_all.then_some(paired)
    }
}

/// What a product adds to the level of a selected key, in gaps, where it adds anything to one; `None` if that is not
/// one small power of two, or another product adds to it.
fn selected_size(term: &Term, product: &Product, is_met: &mut [bool]) -> Option<Option<f64>> {
    let Meaning::Relation(holds) = &term.meaning else {
        return None;
    };
    let mut size = None;
    for (key, number) in product
        .keys
        .iter()
        .enumerate()
        .filter(|(_, number)| **number != 0.0)
    {
        let at = key * product.queries.len();
        let queries = product.queries.iter().enumerate();
        for (query, other) in queries.filter(|(_, other)| **other != 0.0) {
            if holds.get(at + query) != Some(&true) {
                continue;
            }
            let added = (number * other).abs();
            let is_first = !std::mem::replace(is_met.get_mut(at + query)?, true);
            let is_small = added <= UNEVEN && is_power(added);
            if !(is_first && is_small && *size.get_or_insert(added) == added) {
                return None;
            }
        }
    }
    Some(size)
}

/// Whether a dimension is a product, and nothing else.
fn is_of(product: &Product, dimension: &Dimension, scale: Scale) -> bool {
    let factor = product.key.terms.first().and_then(|(id, one)| {
        let factor = dimension.key.terms.get(id)? / one;
        (product.key.scaled(factor) == dimension.key).then_some(factor)
    });
    let is_query = |factor: f64| product.query.scaled(scale.gap / factor) == dimension.query;
    factor.is_some_and(is_query)
}

/// How far apart the levels of what is selected are by the tables of a head, in gaps.
pub(super) fn uneven(attend: &Attend) -> f64 {
    let relations = attend.terms.iter();
    relations.map(|term| uneven_of(term, attend.kind)).sum()
}

fn uneven_of(term: &Term, kind: Kind) -> f64 {
    let Meaning::Relation(holds) = &term.meaning else {
        return 0.0;
    };
    let bases = Vec::from_iter((0..queries(term)).map(|query| base(term, holds, query, kind)));
    // BOS, which is 0, may be one of the keys.
    let ends = bases.into_iter().map(|base| match base.abs() <= UNEVEN {
        true => (base.min(0.0), base.max(0.0)),
        false => (base, base),
    });
    let mut ends = Vec::from_iter(ends);
    for (key, row) in holds.chunks(queries(term).max(1)).enumerate() {
        let levels = added(term, key, |product| product);
        for ((holds, (low, high)), level) in row.iter().zip(&mut ends).zip(levels) {
            if *holds {
                (*low, *high) = (low.min(level), high.max(level));
            }
        }
    }
    let apart = ends.into_iter().map(|(low, high)| high - low);
    apart.filter(|apart| *apart > NOMINAL).fold(0.0, f64::max)
}

fn queries(term: &Term) -> usize {
    term.products
        .first()
        .map_or(0, |product| product.queries.len())
}
