//! What heads take for granted at BOS: where it stands among the keys of a query, and that its own
//! query sees BOS alone where later layers read what stands there.

use super::facts::{NOMINAL, UNEVEN, base};
use crate::plan::{Attend, Kind, Meaning, Plan, Product, Term};

/// What BOS does not do that the pattern of a head relies on, in words.
pub(super) fn fault(plan: &Plan, attend: &Attend) -> Option<String> {
    if !Bos(plan).stands_as_key(attend) {
        return Some("BOS does not stand where it should".to_string());
    }
    let keeps = plan.keeps_to_itself(attend);
    (!keeps).then(|| "BOS sees tokens, and later layers read what stands there".to_string())
}

/// The same of what a head moves.
pub(super) fn fault_of_value(plan: &Plan, attend: &Attend) -> Option<String> {
    let is_flag = || plan.at_bos(&attend.value) == 1.0 && plan.at_token(&attend.value) == Some(0.0);
    let fine = attend.kind != Kind::Width || is_flag();
    (!fine).then(|| "a width of other values than that of BOS".to_string())
}

/// BOS in a plan.
struct Bos<'p>(&'p Plan);

impl Bos<'_> {
    /// Whether BOS has the level of what is selected, but for the term that says where it stands.
    fn stands_as_key(&self, attend: &Attend) -> bool {
        if attend.kind == Kind::MeanOrBos {
            return self.is_last_key(attend);
        }
        let mut offset = None;
        for term in &attend.terms {
            let of_products = |query: usize| -> f64 {
                let products = term.products.iter();
                products
                    .map(|p| p.queries.get(query).unwrap_or(&0.0) * self.0.at_bos(&p.key))
                    .sum()
            };
            let queries = term.products.first().map_or(0, |p| p.queries.len());
            let fine = match &term.meaning {
                Meaning::Relation(holds) => (0..queries).all(|query| {
                    let (level, base) = (of_products(query), base(term, holds, query, attend.kind));
                    match attend.kind {
                        // It may be where some of what is selected is.
                        Kind::MeanOfSome if base.abs() <= UNEVEN => {
                            level <= base.max(0.0) + NOMINAL
                        }
                        Kind::MeanOfSome => level <= base + NOMINAL,
                        Kind::Width
                        | Kind::Length
                        | Kind::Mean
                        | Kind::MeanOrBos
                        | Kind::MeanOfPart
                        | Kind::Sum { .. } => (level - base).abs() <= NOMINAL,
                    }
                }),
                Meaning::Score { .. } => (0..queries).all(|q| of_products(q).abs() <= NOMINAL),
                Meaning::Exponent { .. } => {
                    let mut products = term.products.iter();
                    products.all(|p| self.0.at_bos(&p.key).abs() <= NOMINAL)
                }
                Meaning::Bos { nats } => {
                    let first = offset.is_none();
                    offset = term.products.first().map(|p| (self.above_tokens(p), *nats));
                    first && term.products.len() == 1
                }
                Meaning::Guard => term
                    .products
                    .iter()
                    .all(|p| self.0.at_token(&p.query) == Some(0.0)),
            };
            if !fine {
                return false;
            }
        }
        match (attend.kind, offset) {
            (Kind::Width | Kind::Length, offset) => offset.is_none(),
            (Kind::Mean, Some((Some(above), nats))) => match nats {
                true => above < 0.0,
                false => above == -0.5,
            },
            (Kind::MeanOfSome, Some((Some(above), nats))) => match nats {
                true => above < 0.0,
                false => above <= -1.0,
            },
            (Kind::Sum { level }, Some((Some(above), nats))) => nats && above == level,
            // How far it stands below the others' keys is their number's logarithm.
            (Kind::MeanOfPart, Some((_, nats))) => nats,
            (_, _) => false,
        }
    }

    /// How far above all tokens a product lifts BOS, for a query at a token, if that is one number.
    fn above_tokens(&self, product: &Product) -> Option<f64> {
        let query = match *product.queries {
            [one] => one,
            _ => return None,
        };
        Some(query * (self.0.at_bos(&product.key) - self.0.at_token(&product.key)?))
    }

    /// Whether BOS is the last key of a head's only relation, and every query has a key.
    fn is_last_key(&self, attend: &Attend) -> bool {
        let mut relations = attend.terms.iter().filter_map(|term| {
            if let Meaning::Relation(holds) = &term.meaning {
                Some((holds, &term.products))
            } else {
                None
            }
        });
        let is_level = |term: &Term| matches!(term.meaning, Meaning::Bos { .. });
        let scored = attend.is_scored() || attend.terms.iter().any(is_level);
        let (Some((holds, products)), None, false) = (relations.next(), relations.next(), scored)
        else {
            return false;
        };
        let queries = products.first().map_or(0, |product| product.queries.len());
        let has_key = |query| holds.iter().skip(query).step_by(queries).any(|h| *h);
        let is_last = |product: &Product| product.keys.last() == Some(&self.0.at_bos(&product.key));
        queries > 0 && (0..queries).all(has_key) && products.iter().all(is_last)
    }
}
