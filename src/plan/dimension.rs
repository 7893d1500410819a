//! The dimensions of a head: the products of its logit, merged, with the inverse temperature in the
//! query. It is the least power of two that makes the row of every query what the selector says to
//! float32's last bits: another factor would be rounded where large terms cancel. Most hosts divide
//! by √d_head once, an exact number; for those that divide queries or keys, a head whose terms cancel
//! is padded with zeros until their divisor is a power of two.

use super::{Attend, FeedForward, Kind, Linear, Meaning, Plan, Product, Term, Unit};
use crate::model::{HostOrder, bfloat16};

/// How many nats below a selected key what is not selected must stand, for one key. In float32 17.4
/// are half a unit in the last place of a sum; more let float64 have digits of its own.
const LEAST_GAP: f64 = 24.0;

/// How far a share of attention may be from one over the number of selected keys: with what a softmax in
/// float32 rounds, less than 1e-6.
pub(crate) const UNIFORM_ROW: f64 = 8e-7;

/// The share of attention that may leak to what is not the best, and what may leak of a real number.
const LEAK: f64 = 1e-9;

/// Activations of queries and keys beyond this are shared among the two.
const LARGEST_ACTIVATION: f64 = 16_384.0;

/// What weights, and what hidden units add up, is at most where a power of two can stand elsewhere.
pub(super) const LARGEST: f64 = 65_536.0;

/// Where W_K has √d_head, rounded, products of scores that add up to many nats have few digits in float32. A head is
/// padded so that √d_head is a power of two, if there are so many for each time that this makes it as wide.
const MOST_ROUNDED: f64 = 10.0;

/// The logit that outweighs all other keys of the longest input: a power of two that is at least
/// `ln(length / leak)`.
pub fn level(max_length: usize) -> f64 {
    2f64.powf((max_length as f64 / LEAK).ln().log2().ceil())
}

/// One dimension of a head, as it is in W_Q and W_K.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dimension {
    /// The column of W_Q.
    pub query: Linear,
    /// The column of W_K.
    pub key: Linear,
}

/// What the parts of a logit are multiplied by, before the host divides by √d_head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// For one gap: a power of two.
    pub gap: f64,
    /// What the host divides by: √d_head.
    pub root: f64,
    /// For one nat: √d_head. Where it is enough that BOS stands so many nats above or below, or that
    /// scores are so many nats apart, or more, the next power of two, so that logits are exact.
    pub nat: f64,
}

impl Scale {
    /// How many nats one of the terms in nats is.
    pub fn nats(self) -> f64 {
        self.nat / self.root
    }

    /// The factor of one nat beside the largest power of two in it.
    fn rest(self) -> f64 {
        self.nat / 2f64.powf(self.nat.log2().floor())
    }
}

impl Kind {
    /// Whether it is the mean of all that is selected.
    pub fn is_mean(self) -> bool {
        matches!(self, Kind::Mean | Kind::MeanOfSome | Kind::MeanOrBos)
    }

    /// Whether every query has a key, so that the levels of keys are relative to that of the selected ones.
    pub fn is_relative(self) -> bool {
        matches!(self, Kind::MeanOfSome | Kind::MeanOrBos)
    }

    /// Whether BOS has all of a query's attention, or none that counts.
    pub fn sets_bos_apart(self) -> bool {
        matches!(self, Kind::Mean | Kind::MeanOfSome)
    }
}

impl Product {
    /// How large it is at most, whatever the values of its two sides.
    pub fn largest(&self) -> f64 {
        let most = |numbers: &[f64]| numbers.iter().fold(0.0f64, |most, n| most.max(n.abs()));
        most(&self.queries) * most(&self.keys)
    }

    /// Whether it is above 0 for some values of its two sides.
    pub fn rises(&self) -> bool {
        let has = |numbers: &[f64], sign: f64| numbers.iter().any(|number| number * sign > 0.0);
        let both = |sign: f64| has(&self.queries, sign) && has(&self.keys, sign);
        both(1.0) || both(-1.0)
    }
}

impl Attend {
    /// Operations that agree in this are one head.
    pub fn head(&self) -> (usize, usize) {
        (self.layer, self.pattern)
    }

    /// Whether its keys have scores.
    pub fn is_scored(&self) -> bool {
        let mut terms = self.terms.iter();
        terms.any(|term| term.meaning.above().is_some())
    }

    /// How large the products of scores are together at most, in nats.
    fn scores(&self) -> f64 {
        let is_scored = |term: &&Term| term.meaning.above().is_some();
        let scored = self.terms.iter().filter(is_scored);
        let products = scored.flat_map(|term| &term.products);
        products.map(Product::largest).sum()
    }

    /// How far the largest score lifts a key, in nats.
    pub fn above(&self) -> f64 {
        let scores = self.terms.iter().filter_map(|term| term.meaning.above());
        scores.sum()
    }

    /// Whether rows of attention are to be uniform, and over more keys than one.
    pub fn is_uniform(&self, max_length: usize) -> bool {
        let is_level = self.above() == 0.0 || self.orders(max_length);
        is_level && !(self.kind.is_mean() && self.most <= 1)
    }

    /// Whether its scores only say which key is the best: a level lies between any two that differ.
    fn orders(&self, max_length: usize) -> bool {
        let level = level(max_length);
        let whole = |numbers: &[f64], unit: f64| numbers.iter().all(|n| (n / unit).fract() == 0.0);
        self.terms.iter().all(|term| match term.meaning {
            Meaning::Score { .. } => {
                let mut products = term.products.iter();
                products.all(|p| whole(&p.queries, level) && whole(&p.keys, 1.0))
            }
            Meaning::Exponent { .. } => false,
            Meaning::Relation(_) | Meaning::Bos { .. } | Meaning::Guard => true,
        })
    }

    /// How far from selected keys the sink stands at most, in nats, where that does not depend on the
    /// gap.
    pub fn depth(&self) -> Option<f64> {
        let in_nats = |term: &&Term| matches!(term.meaning, Meaning::Bos { nats: true });
        let product = self.terms.iter().find(in_nats)?.products.first()?;
        let key = product.keys.first()?;
        let levels = product.queries.iter().map(|query| (query * key).abs());
        levels.reduce(f64::max)
    }

    /// Whether all that is selected has one level, or is the best key, which stands as far above the next as
    /// scores put it: the gap knows of that where levels do.
    pub fn is_level_or_best(&self) -> bool {
        let has_levels =
            self.kind == Kind::MeanOfSome || self.kind == Kind::Mean && self.depth().is_some();
        self.above() == 0.0 || self.most <= 1 && has_levels
    }

    /// Whether products of both signs add up to the level of a selected key.
    fn cancels(&self) -> bool {
        self.terms.iter().any(|term| match term.meaning {
            Meaning::Relation(_) => term.products.iter().any(Product::rises),
            Meaning::Score { .. } | Meaning::Exponent { .. } | Meaning::Bos { nats: true } => true,
            Meaning::Bos { nats: false } | Meaning::Guard => false,
        })
    }

    fn scale(&self, max_length: usize, d_head: usize, least_gap: f64) -> Scale {
        let root = (d_head.max(1) as f64).sqrt();
        let nat = match self.kind == Kind::MeanOfPart || !self.orders(max_length) {
            true => root,
            false => 2f64.powf(root.log2().ceil()),
        };
        let nats = nat / root;
        let mut needed = (max_length as f64).ln() + least_gap;
        // BOS stands between what is selected and what is not.
        if matches!(self.kind, Kind::Mean | Kind::Sum { .. }) {
            needed *= 2.0;
        }
        if self.terms.iter().any(in_nats) {
            let level = level(max_length);
            let depth = self.depth().map_or(level, |depth| depth.max(level));
            needed = needed.max((level + depth) * nats) + self.above() * nats;
        }
        Scale {
            gap: 2f64.powf((needed * root).log2().ceil()),
            root,
            nat,
        }
    }
}

impl Plan {
    /// The dimensions of the head with this pattern.
    pub fn dimensions(&self, attend: &Attend) -> Vec<Dimension> {
        let merged = self.products(attend);
        let d_head = self.padded(attend, merged.len());
        let scale = attend.scale(self.max_length, d_head, self.least_gap(attend));
        let mut dimensions: Vec<Dimension> = merged
            .into_iter()
            .map(|(parts, key)| {
                // What √d_head is beside a power of two is left to the key, so that W_Q is dyadic.
                let in_nats = parts.iter().all(|(_, nats)| *nats);
                let rest = if in_nats { scale.rest() } else { 1.0 };
                let key = key.scaled(rest);
                let mut query = Linear::default();
                for (part, nats) in parts {
                    let factor = if nats { scale.nat / rest } else { scale.gap };
                    query = query.add(&part.scaled(factor));
                }
                // Powers of two move freely between the two sides.
                let balance = self.balance(&query, &key);
                Dimension {
                    query: query.scaled(1.0 / balance),
                    key: key.scaled(balance),
                }
            })
            .collect();
        dimensions.resize_with(d_head, Dimension::default);
        dimensions
    }

    /// How many dimensions the head with this pattern has.
    pub fn d_head(&self, attend: &Attend) -> usize {
        self.padded(attend, self.products(attend).len())
    }

    /// The dimensions of a head with so many products, padded where its hosts would round them, and where
    /// large scores are nats as they are: √d_head is to be a power of two.
    fn padded(&self, attend: &Attend, products: usize) -> usize {
        let is_rounded = !attend.orders(self.max_length) && {
            let growth = HostOrder::Query.exact_d_head(products) as f64 / products.max(1) as f64;
            attend.scores() > MOST_ROUNDED * growth
        };
        let products = match is_rounded {
            true => HostOrder::Query.exact_d_head(products),
            false => products,
        };
        match self.cancels(attend) {
            true => self.host.order.exact_d_head(products),
            false => products,
        }
    }

    /// Whether what a head adds up for a selected key may cancel. Where nothing does, all is 0 there,
    /// however queries and keys are rounded.
    pub fn cancels(&self, attend: &Attend) -> bool {
        attend.cancels() || self.is_split(attend)
    }

    /// Whether a product of a head is in several, as bfloat16 does not hold it in one.
    pub fn is_split(&self, attend: &Attend) -> bool {
        let split = || self.products(attend).len() > merged(self, attend).len();
        self.host.is_bfloat16() && split()
    }

    /// The products of a head. What bfloat16 does not hold in one is in several, which add up to it.
    fn products(&self, attend: &Attend) -> Vec<Merged> {
        let merged = merged(self, attend);
        if !self.host.is_bfloat16() {
            return merged;
        }
        let mut products = Vec::with_capacity(merged.len());
        for (parts, key) in merged {
            let queries = match &parts[..] {
                [(query, nats)] => digits(query).map(|part| vec![(part, *nats)]).collect(),
                _ => vec![parts],
            };
            for query in queries {
                products.extend(digits(&key).map(|key| (query.clone(), key)));
            }
        }
        products
    }

    /// The scale of the head with this pattern.
    pub fn scale(&self, attend: &Attend) -> Scale {
        attend.scale(self.max_length, self.d_head(attend), self.least_gap(attend))
    }

    /// The operations of the same head.
    pub(super) fn head_of<'p>(&'p self, attend: &Attend) -> impl Iterator<Item = &'p Attend> {
        let head = attend.head();
        self.attends.iter().filter(move |op| op.head() == head)
    }

    /// How many nats below a selected key what is not selected must stand, for one key. No margin swallows what
    /// leaks of others to a real number.
    fn least_gap(&self, attend: &Attend) -> f64 {
        let is_real = |id| self.is_real(id) || self.gives_real();
        let real = self.head_of(attend).filter(|op| is_real(op.into));
        let largest = real.map(|op| self.largest(&op.value)).fold(0.0, f64::max);
        LEAST_GAP.max((3.0 * largest / LEAK).ln())
    }

    /// The power of two that a query gives to its key, so that neither is much larger than the
    /// other.
    fn balance(&self, query: &Linear, key: &Linear) -> f64 {
        let (query, key) = (self.largest_read(query), self.largest_read(key));
        if query.max(key) <= LARGEST_ACTIVATION || query.min(key) <= 0.0 {
            return 1.0;
        }
        2f64.powf(((query / key).log2() / 2.0).floor())
    }

    /// What a hidden unit adds up, as it is in W_in.
    pub fn unit(&self, forward: &FeedForward, unit: &Unit) -> Linear {
        let sum = nominal(forward, unit);
        let sum = sum.scaled(1.0 / self.balance_of_unit(forward, unit));
        match self.one_of_units() {
            Some(one) => sum.with_bias_in_two(one),
            None => sum,
        }
    }

    /// The power of two that a hidden unit gives to its weight in W_out: floats round nothing
    /// differently.
    pub fn balance_of_unit(&self, forward: &FeedForward, unit: &Unit) -> f64 {
        let largest = self.largest(&nominal(forward, unit));
        match largest > LARGEST {
            true => 2f64.powf((largest / LARGEST).log2().ceil()),
            false => 1.0,
        }
    }

    /// A bound on a linear read at a token, of which what stands in the embeddings is added up for each token
    /// and each index, and at BOS.
    fn largest_read(&self, linear: &Linear) -> f64 {
        let (mut of_tokens, mut of_indices) = (Vec::new(), Vec::new());
        let mut others = Linear::constant(linear.constant);
        let add = |sums: &mut Vec<f64>, numbers: &[f64], factor: f64| {
            sums.resize(sums.len().max(numbers.len()), 0.0);
            let sums = sums.iter_mut().zip(numbers);
            sums.for_each(|(sum, number)| *sum += factor * number);
        };
        for (id, factor) in &linear.terms {
            if let Some([tokens, indices]) = self.embedding(*id) {
                add(&mut of_tokens, tokens, *factor);
                add(&mut of_indices, indices, *factor);
            } else {
                others = others.plus(*id, *factor);
            }
        }
        let most = |sums: Vec<f64>| sums.iter().fold(0.0f64, |most, sum| most.max(sum.abs()));
        let at_tokens = most(of_tokens) + most(of_indices) + self.largest(&others);
        at_tokens.max(self.at_bos(linear).abs())
    }

    /// A bound on a linear read.
    pub fn largest(&self, linear: &Linear) -> f64 {
        let terms = linear.terms.iter().map(|(variable, factor)| {
            let variable = self.variable(*variable);
            let ends = [variable.values.first(), variable.values.last()];
            let ends = ends.into_iter().flatten().chain([&variable.bos]);
            ends.fold(0.0f64, |most, value| most.max((factor * value).abs()))
        });
        linear.constant.abs() + terms.sum::<f64>()
    }
}

/// What a hidden unit adds up.
fn nominal(forward: &FeedForward, unit: &Unit) -> Linear {
    let mut sum = forward.argument.scaled(unit.slope);
    sum.constant += unit.offset;
    sum
}

fn in_nats(term: &Term) -> bool {
    matches!(
        term.meaning,
        Meaning::Score { .. } | Meaning::Exponent { .. } | Meaning::Bos { nats: true }
    )
}

/// The parts of each query functional, with whether they are in nats, and the key functional.
type Merged = (Vec<(Linear, bool)>, Linear);

/// Float32 has three times the digits of bfloat16.
const MOST_DIGITS: usize = 3;

/// A linear read as a sum of some whose factors are bfloat16, the largest first; what is left of one
/// with more digits than float32 is one of them.
fn digits(linear: &Linear) -> impl Iterator<Item = Linear> {
    let mut left = linear.clone();
    let mut found = Vec::new();
    while found.len() + 1 < MOST_DIGITS {
        let first = left.map(bfloat16);
        let rest = left.add(&first.scaled(-1.0));
        if rest.is_zero() {
            break;
        }
        found.push(first);
        left = rest;
    }
    found.push(left);
    found.into_iter()
}

/// Products with equal keys, or with equal queries, are one dimension; all whose query is constant
/// are one.
///
/// Two keys that each read a variable that rounds stay apart: their sum would not fit in a float32.
fn merged(plan: &Plan, attend: &Attend) -> Vec<Merged> {
    let rounds = |key: &Linear| key.reads().any(|id| plan.variable(id).rounding.is_some());
    let mut by_key: Vec<Merged> = Vec::new();
    for term in &attend.terms {
        for product in &term.products {
            if product.query.is_zero() || product.key.is_zero() {
                continue;
            }
            let (mut query, mut key) = (product.query.clone(), product.key.clone());
            if query.terms.is_empty() {
                key = key.scaled(query.constant);
                query = Linear::constant(1.0);
            }
            let part = (query, in_nats(term));
            match by_key.iter_mut().find(|(_, known)| *known == key) {
                Some((parts, _)) => parts.push(part),
                None => by_key.push((vec![part], key)),
            }
        }
    }
    let mut by_query: Vec<Merged> = Vec::new();
    for (parts, key) in by_key {
        let joins = |(known, sum): &&mut Merged| *known == parts && !(rounds(sum) && rounds(&key));
        match by_query.iter_mut().find(joins) {
            Some((_, sum)) => *sum = sum.add(&key),
            None => by_query.push((parts, key)),
        }
    }
    by_query
}
