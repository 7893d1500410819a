//! How large what a head multiplies is together, by the tables of its relations: what cancels to a level is larger than
//! that. Depends on the plan.

use super::facts::{UNEVEN, added, base};
use crate::plan::{Attend, Kind, Meaning, Plan, Product, Term};

/// How large the products of a query and a key are together at most, where both are at tokens: of a selected
/// key, of any, and of terms of any whose products have both signs. Others are no larger together than the level of
/// the key below what is selected, so that what is rounded of them is a share of that.
pub(super) struct Sizes {
    pub selected: f64,
    pub any: f64,
    pub of_both_signs: f64,
    /// Whether what a query selects may stand at a level that is not 0.
    pub has_level: bool,
}

impl Sizes {
    /// Those of a head.
    pub fn of(plan: &Plan, attend: &Attend) -> Sizes {
        let scale = plan.scale(attend);
        let alike = |size: f64| Sizes {
            selected: size,
            any: size,
            of_both_signs: size,
            has_level: size > 0.0,
        };
        let listed = |term: &Term| term.products.iter().map(Product::largest).sum::<f64>();
        // Without BOS its place is that of a token.
        let of_bos = |term: &Term| match plan.bos {
            true => size_at_tokens(plan, term),
            false => listed(term),
        };
        let of_term = |term: &Term| match &term.meaning {
            Meaning::Relation(holds) => of_relation(term, holds, attend.kind, scale.gap),
            Meaning::Score { .. } | Meaning::Exponent { .. } => alike(scale.nat * listed(term)),
            Meaning::Bos { nats: true } => alike(scale.nat * of_bos(term)),
            Meaning::Bos { nats: false } => alike(scale.gap * of_bos(term)),
            Meaning::Guard => alike(scale.gap * size_at_tokens(plan, term)),
        };
        // What a product is in parts may be larger than the whole.
        if plan.is_split(attend) {
            return alike(f64::INFINITY);
        }
        let none = Sizes {
            has_level: attend.kind.is_relative(),
            ..alike(0.0)
        };
        let terms = attend.terms.iter().map(of_term);
        terms.fold(none, |sum, of_term| Sizes {
            selected: sum.selected + of_term.selected,
            any: sum.any + of_term.any,
            of_both_signs: sum.of_both_signs + of_term.of_both_signs,
            has_level: sum.has_level || of_term.has_level,
        })
    }
}

/// The sizes of the products of a relation over the pairs of its values.
fn of_relation(term: &Term, holds: &[bool], kind: Kind, gap: f64) -> Sizes {
    let queries = term.products.first().map_or(0, |it| it.queries.len());
    let has_base = (0..queries).any(|query| base(term, holds, query, kind).abs() > UNEVEN);
    let keys = term.products.first().map_or(0, |it| it.keys.len());
    let (mut selected, mut any) = (0.0f64, 0.0f64);
    for key in 0..keys {
        for (query, size) in added(term, key, f64::abs).into_iter().enumerate() {
            any = any.max(size);
            if holds.get(key * queries + query) != Some(&false) {
                selected = selected.max(size);
            }
        }
    }
    Sizes {
        selected: gap * selected,
        any: gap * any,
        has_level: false,
        of_both_signs: match has_base || term.products.iter().any(Product::rises) {
            true => gap * any,
            false => 0.0,
        },
    }
}

/// How large the products of a term are for a query and a key at tokens, where both are one number or either is 0.
fn size_at_tokens(plan: &Plan, term: &Term) -> f64 {
    let products = term.products.iter();
    products
        .map(
            |product| match (plan.at_token(&product.query), plan.at_token(&product.key)) {
                (Some(0.0), _) | (_, Some(0.0)) => 0.0,
                (Some(query), Some(key)) => (query * key).abs(),
                (_, _) => f64::INFINITY,
            },
        )
        .sum()
}
