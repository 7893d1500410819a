//! BOS keeps to itself. Where a later layer reads BOS again, a query at BOS must see BOS alone, so
//! that what stands there stays a known number. W_Q may hold any number for the BOS flag, so that
//! products whose keys are never negative can push all tokens away, or the one that says where BOS
//! stands can draw it; otherwise one more product does.

use crate::plan::{Kind, Linear, Meaning, Plan, Product, Style, Term, VariableId};

/// Gives every head whose BOS is read later a guard, unless it needs none.
pub(super) fn guard(plan: &mut Plan) {
    for at in 0..plan.attends.len() {
        if !plan.keeps_to_itself(&plan.attends[at]) {
            let attend = &plan.attends[at];
            let (terms, kind) = (attend.terms.clone(), attend.kind);
            let gaps = plan.gaps_of_nothing(attend);
            plan.attends[at].terms = match plan.style {
                Style::Faithful => plan.guarded(terms, kind, gaps),
                Style::Compact => plan.guarded_by_one(terms, gaps),
            };
        }
    }
}

impl Plan {
    /// The terms with tokens so many gaps below BOS for its query.
    fn guarded(&mut self, mut terms: Vec<Term>, kind: Kind, gaps: f64) -> Vec<Term> {
        let flag = self.flag();
        // Keys that BOS has numbers among would push it away, too.
        let pushing = terms.iter().position(pushes);
        let pushing = pushing.filter(|_| kind != Kind::MeanOrBos);
        // What keeps tokens from BOS can draw BOS to itself.
        let drawing = match pushing {
            None => terms.iter().position(|term| draws(term, flag)),
            Some(_) => None,
        };
        for (at, term) in terms.iter_mut().enumerate() {
            for product in &mut term.products {
                let pushed = Some(at) == pushing && is_never_negative(&product.keys);
                let wanted = match pushed {
                    true => -gaps,
                    false if Some(at) == drawing => gaps,
                    false => 0.0,
                };
                let query = std::mem::take(&mut product.query);
                let bos = self.at_bos(&query);
                product.query = if wanted == bos {
                    query
                } else {
                    query.plus(flag, wanted - bos)
                };
            }
        }
        if pushing.or(drawing).is_none() {
            let key = Linear::constant(1.0).plus(flag, -1.0);
            terms.push(guard_term(Linear::default().plus(flag, -gaps), key));
        }
        terms
    }

    fn guarded_by_one(&mut self, mut terms: Vec<Term>, gaps: f64) -> Vec<Term> {
        let (flag, one) = (self.flag(), self.one());
        terms.push(guard_term(
            Linear::default().plus(flag, -gaps),
            Linear::of(one),
        ));
        terms
    }
}

fn guard_term(query: Linear, key: Linear) -> Term {
    Term {
        products: vec![Product {
            query,
            key,
            queries: [0.0].into(),
            keys: [1.0].into(),
        }],
        meaning: Meaning::Guard,
    }
}

/// Whether it is the level of BOS, in gaps.
fn draws(term: &Term, flag: VariableId) -> bool {
    let is_flag = |product: &Product| product.key == Linear::of(flag);
    matches!(term.meaning, Meaning::Bos { nats: false }) && term.products.iter().all(is_flag)
}

/// Whether some product with keys that are never negative is at least 1 for every key.
fn pushes(term: &Term) -> bool {
    if !matches!(term.meaning, Meaning::Relation(_)) {
        return false;
    }
    let products: Vec<&Product> = term
        .products
        .iter()
        .filter(|product| is_never_negative(&product.keys))
        .collect();
    let keys = products.first().map_or(0, |product| product.keys.len());
    keys > 0
        && (0..keys).all(|key| {
            let sum: f64 = products.iter().map(|product| product.keys[key]).sum();
            sum >= 1.0
        })
}

fn is_never_negative(keys: &[f64]) -> bool {
    keys.iter().all(|key| *key >= 0.0)
}
