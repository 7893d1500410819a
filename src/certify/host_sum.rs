//! A linear read as hosts compute it: its terms in the order of their directions, and what it takes of
//! the two embeddings, over all their rows. Found once for the certificates in all floats.

use super::host::grain;
use crate::plan::{Linear, Plan, VariableId, Written};

/// A linear read whose terms are in the order in which hosts add them, behind its constant.
pub(super) struct HostSum {
    pub constant: f64,
    pub terms: Vec<HostTerm>,
    pub of_tokens: Embedded,
    pub of_indices: Embedded,
    /// What the sum is at BOS, and how large what it takes of the embeddings is there together.
    pub at_bos: f64,
    pub sizes_at_bos: f64,
    /// Whether what is read of the embeddings is added first.
    pub is_in_order: bool,
}

/// One term of it.
pub(super) struct HostTerm {
    pub variable: VariableId,
    pub factor: f64,
    /// The exponent of the largest power of two that divides the factor.
    pub grain: Option<i32>,
    /// Whether the variable depends on the token or the index alone.
    pub is_embedded: bool,
}

/// The largest sum of what a read takes from an embedding, the range of these sums, and the largest on
/// the way.
#[derive(Default)]
pub(super) struct Embedded {
    pub largest: f64,
    pub lowest: f64,
    pub highest: f64,
    pub partial: f64,
    /// How large the terms of one row are together, and how many they are, at most; and those above 0 and
    /// those below it each for themselves.
    pub sizes: f64,
    pub terms: usize,
    pub above: f64,
    pub below: f64,
}

/// The terms of one row.
#[derive(Clone, Copy, Default)]
struct Sizes {
    above: f64,
    below: f64,
    terms: usize,
}

impl HostSum {
    /// `directions` and `embedded` tell of each variable where it stands, and whether it depends on the
    /// token or the index alone.
    pub fn new(plan: &Plan, directions: &[usize], embedded: &[bool], linear: &Linear) -> HostSum {
        let terms = linear.terms.iter().map(|(variable, factor)| HostTerm {
            variable: *variable,
            factor: *factor,
            grain: grain(*factor),
            is_embedded: embedded[variable.0 as usize],
        });
        let mut terms: Vec<HostTerm> = terms.collect();
        terms.sort_by_key(|term| directions[term.variable.0 as usize]);
        let embedded = terms.iter().filter(|term| term.is_embedded);
        let at_bos = embedded.map(|term| term.factor * plan.variable(term.variable).bos);
        let sizes_at_bos = at_bos.map(f64::abs).sum();
        HostSum {
            constant: linear.constant,
            of_tokens: Embedded::new(plan, &terms, |tokens, _| tokens),
            of_indices: Embedded::new(plan, &terms, |_, indices| indices),
            is_in_order: terms.is_sorted_by_key(|term| !term.is_embedded),
            terms,
            at_bos: plan.at_bos(linear),
            sizes_at_bos,
        }
    }
}

impl Embedded {
    /// What terms take from one of the two embeddings.
    fn new(
        plan: &Plan,
        terms: &[HostTerm],
        part: impl for<'a> Fn(&'a Vec<f64>, &'a Vec<f64>) -> &'a Vec<f64>,
    ) -> Embedded {
        let mut rows: Vec<f64> = Vec::new();
        let mut sizes: Vec<Sizes> = Vec::new();
        let mut partial = 0.0f64;
        for term in terms.iter().filter(|term| term.is_embedded) {
            let Written::Embed { tokens, indices } = &plan.variable(term.variable).written else {
                continue;
            };
            let values = part(tokens, indices);
            let count = rows.len().max(values.len());
            rows.resize(count, 0.0);
            sizes.resize(count, Sizes::default());
            for ((sum, size), value) in rows.iter_mut().zip(&mut sizes).zip(values) {
                let product = term.factor * value;
                *sum += product;
                size.above += product.max(0.0);
                size.below += (-product).max(0.0);
                size.terms += usize::from(*value != 0.0);
                partial = partial.max(sum.abs()).max(product.abs());
            }
        }
        let most = |of: fn(&Sizes) -> f64| sizes.iter().map(of).fold(0.0, f64::max);
        Embedded {
            largest: rows.iter().fold(0.0, |most, sum| most.max(sum.abs())),
            lowest: rows.iter().copied().reduce(f64::min).unwrap_or(0.0),
            highest: rows.iter().copied().reduce(f64::max).unwrap_or(0.0),
            partial,
            sizes: most(|size| size.above + size.below),
            terms: sizes.iter().map(|size| size.terms).max().unwrap_or(0),
            above: most(|size| size.above),
            below: most(|size| size.below),
        }
    }
}
