//! Order with half the rank. A head that compares by order has a product for each threshold, which keeps some
//! keys from some queries, and more queries from threshold to threshold. Two of them fit one dimension: the
//! query is large where the first keeps it from keys and small where the second alone does, and the key is
//! large where the second keeps it and small where the first alone does. What either keeps apart is a large
//! number times a small one at least, and what neither does is 0, or a small number times a small one: that
//! moves a row of attention by less than a millionth. Rewrites heads with layers.

use super::columns::Columns;
use super::dead::dead;
use super::schedule::size;
use crate::plan::dimension::LARGEST;
use crate::plan::{Attend, Meaning, Plan, Product, Style, Term, UNIFORM_ROW};
use std::collections::BTreeMap;

/// What a small number times a small one is, as a power of two, in inputs of up to [`SHORT`] tokens.
const SMALLEST: i32 = -24;

/// The same where other products of the head add up to the level of a query, which has to round it away.
const SMALLEST_BESIDE_LEVELS: i32 = -25;

/// The same in longer inputs, and in the compact style.
const SMALLEST_IN_LONG: i32 = -28;

/// Weights and activations of models for up to so many tokens are at most [`LARGEST`].
const SHORT: usize = 64;

/// What both sides are at most in longer inputs, where they share the powers of two of their product.
const LARGEST_IN_LONG: f64 = 1_048_576.0;

/// By what share a model is to be smaller where patterns come before sizes: single thresholds are easier to read.
const WORTH: f64 = 0.1;

/// The thresholds of one term that are compared two by two: the places of their products.
struct Pairs {
    term: usize,
    pairs: Vec<[usize; 2]>,
}

/// The large and the small number of queries, and those of keys: the large one of either side times the small one of
/// the other is 1.
#[derive(Clone, Copy)]
struct Numbers {
    query: [f64; 2],
    key: [f64; 2],
}

/// Pairs thresholds in the widest heads, where that makes the model much smaller.
pub(super) fn pair(plan: &mut Plan) {
    pair_where_smaller(plan, WORTH);
}

/// The same where it makes the model any smaller.
pub(super) fn pair_for_size(plan: &mut Plan) {
    pair_where_smaller(plan, 0.0);
}

fn pair_where_smaller(plan: &mut Plan, share: f64) {
    let heads = plan.attends.iter().map(|op| (op.pattern, op));
    let heads: BTreeMap<usize, &Attend> = heads.collect();
    let pairs = heads.values().map(|head| (head.pattern, plan.pairs(head)));
    let mut pairs: BTreeMap<usize, Vec<Pairs>> = pairs.filter(|(_, of)| !of.is_empty()).collect();
    if pairs.is_empty() {
        return;
    }
    let all = plan.with_pairs(&pairs, Columns::OfFunctions);
    let in_pairs = all.attends.iter().map(|op| (op.pattern, op));
    let in_pairs: BTreeMap<usize, &Attend> = in_pairs.collect();
    pairs.retain(|pattern, of| all.may_have_pairs(in_pairs[pattern], of.len()));
    let width = |pattern: &usize| match pairs.contains_key(pattern) {
        true => all.d_head(in_pairs[pattern]),
        false => plan.d_head(heads[pattern]),
    };
    // No model is narrower than its widest head.
    let widest = heads.keys().map(width).max();
    pairs.retain(|pattern, _| Some(plan.d_head(heads[pattern])) > widest);
    if pairs.is_empty() {
        return;
    }
    let columns = [Columns::OfValues, Columns::OfFunctions].into_iter();
    let paired = columns.map(|columns| plan.with_pairs(&pairs, columns));
    let paired = paired.map(|paired| (size(paired.clone()), paired));
    let smallest = paired.min_by_key(|(size, _)| *size);
    let most = size(plan.clone()) as f64 * (1.0 - share);
    if let Some((_, paired)) = smallest.filter(|(size, _)| (*size as f64) < most) {
        *plan = paired;
    }
}

impl Plan {
    /// Whether the rows of a head with pairs in so many terms are uniform and its weights small, as far as the style
    /// bounds them.
    fn may_have_pairs(&self, attend: &Attend, terms: usize) -> bool {
        let (scale, smallest) = (self.scale(attend), 2f64.powi(self.smallest(attend)));
        let most = match self.max_length <= SHORT {
            true => LARGEST,
            false => LARGEST_IN_LONG,
        };
        let apart = scale.gap / scale.root * smallest * terms as f64;
        let is_held = scale.gap <= smallest * most * most;
        is_held && apart / 4.0 <= UNIFORM_ROW || self.style == Style::Compact
    }

    /// The thresholds that a head may compare in pairs.
    fn pairs(&self, attend: &Attend) -> Vec<Pairs> {
        if self.has_sink_row(attend.kind) {
            return Vec::new();
        }
        let terms = attend.terms.iter().enumerate();
        let pairs = terms.filter_map(|(at, term)| {
            let order = nested(term)?;
            let pairs = order.chunks_exact(2).map(|pair| [pair[0], pair[1]]);
            let is_of_axes = |pair: &[usize; 2]| {
                let [first, second] = pair.map(|at| &term.products[at]);
                self.axis([&first.query, &second.query]).is_some()
                    && self.axis([&first.key, &second.key]).is_some()
            };
            let pairs: Vec<[usize; 2]> = pairs.filter(is_of_axes).collect();
            (!pairs.is_empty()).then_some(Pairs { term: at, pairs })
        });
        pairs.collect()
    }

    /// What a small number times a small one is in a head.
    fn smallest(&self, attend: &Attend) -> i32 {
        let has_levels = attend.kind.is_relative() && self.cancels(attend) || attend.is_scored();
        let is_short = self.max_length <= SHORT && self.style == Style::Faithful;
        match (is_short, has_levels) {
            (true, false) => SMALLEST,
            (true, true) => SMALLEST_BESIDE_LEVELS,
            (false, _) => SMALLEST_IN_LONG,
        }
    }

    /// The plan with thresholds in pairs in these patterns, but for those whose reads are not as the tables say, or
    /// have no such directions.
    fn with_pairs(&self, pairs: &BTreeMap<usize, Vec<Pairs>>, columns: Columns) -> Plan {
        let mut paired = self.clone();
        for (pattern, pairs) in pairs {
            let Some(terms) = paired.paired(*pattern, pairs, columns) else {
                continue;
            };
            let heads = paired
                .attends
                .iter_mut()
                .filter(|op| op.pattern == *pattern);
            heads.for_each(|op| op.terms.clone_from(&terms));
        }
        paired.put_in_order(self.variables.len());
        dead(&mut paired);
        paired
    }

    /// The terms of a head with thresholds in pairs.
    fn paired(&mut self, pattern: usize, pairs: &[Pairs], columns: Columns) -> Option<Vec<Term>> {
        let attend = self.attends.iter().find(|op| op.pattern == pattern)?;
        let numbers = Numbers::of(self.smallest(attend));
        let mut terms = attend.terms.clone();
        for Pairs { term, pairs } in pairs {
            let term = &mut terms[*term];
            let known = std::mem::take(&mut term.products);
            let mut products = Vec::with_capacity(known.len() - pairs.len());
            for [first, second] in pairs {
                let both = [&known[*first], &known[*second]];
                products.push(self.product(both, numbers, columns)?);
            }
            let is_left = |at: &usize| !pairs.iter().flatten().any(|paired| paired == at);
            let left = (0..known.len()).filter(is_left);
            products.extend(left.map(|at| known[at].clone()));
            term.products = products;
        }
        Some(terms)
    }

    /// Two thresholds as one product.
    fn product(
        &mut self,
        [first, second]: [&Product; 2],
        numbers: Numbers,
        columns: Columns,
    ) -> Option<Product> {
        let query = |first: f64, second: f64| {
            let number = one_of(numbers.query, -first, -second)?;
            Some(0.0 - number)
        };
        let key = |first: f64, second: f64| one_of(numbers.key, second, first);
        let all = |of: &dyn Fn(f64, f64) -> Option<f64>, one: &[f64], other: &[f64]| {
            let pairs = one.iter().zip(other);
            pairs
                .map(|(one, other)| of(*one, *other))
                .collect::<Option<_>>()
        };
        Some(Product {
            query: self.function_of([&first.query, &second.query], columns, query, false)?,
            key: self.function_of([&first.key, &second.key], columns, key, true)?,
            queries: all(&query, &first.queries, &second.queries)?,
            keys: all(&key, &first.keys, &second.keys)?,
        })
    }
}

impl Numbers {
    /// Those of which the small ones are this power of two together.
    fn of(smallest: i32) -> Numbers {
        let (of_query, of_key) = (smallest.div_euclid(2), smallest - smallest.div_euclid(2));
        Numbers {
            query: [2f64.powi(-of_key), 2f64.powi(of_query)],
            key: [2f64.powi(-of_query), 2f64.powi(of_key)],
        }
    }
}

/// The large number where the first of two is 1, the small one where only the second is.
fn one_of([large, small]: [f64; 2], first: f64, second: f64) -> Option<f64> {
    match (first, second) {
        (1.0, 0.0 | 1.0) => Some(large),
        (0.0, 1.0) => Some(small),
        (0.0, 0.0) => Some(0.0),
        _ => None,
    }
}

/// The places of a relation's products in an order in which each two can be one, if they are thresholds: their
/// queries become more, or their keys become fewer.
fn nested(term: &Term) -> Option<Vec<usize>> {
    let Meaning::Relation(_) = &term.meaning else {
        return None;
    };
    let is_threshold = |product: &Product| {
        let (mut queries, mut keys) = (product.queries.iter(), product.keys.iter());
        queries.all(|query| [0.0, -1.0].contains(query)) && keys.all(|key| [0.0, 1.0].contains(key))
    };
    if !term.products.iter().all(is_threshold) {
        return None;
    }
    let by_queries = ascending(term, |product| &product.queries);
    by_queries.or_else(|| {
        let by_keys = ascending(term, |product| &product.keys);
        by_keys.map(|order| order.into_iter().rev().collect())
    })
}

/// The places of products such that a side of each is not 0 where that of the one before is not.
fn ascending(term: &Term, side: impl Fn(&Product) -> &[f64]) -> Option<Vec<usize>> {
    let numbers = |at: usize| side(&term.products[at]).iter().map(|number| *number != 0.0);
    let mut order: Vec<usize> = (0..term.products.len()).collect();
    order.sort_by_key(|at| numbers(*at).filter(|is_there| *is_there).count());
    let is_nested = |pair: &[usize]| {
        let mut pairs = numbers(pair[0]).zip(numbers(pair[1]));
        pairs.all(|(fewer, more)| more || !fewer)
    };
    order.windows(2).all(is_nested).then_some(order)
}
