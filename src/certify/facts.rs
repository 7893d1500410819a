//! What certificates take from a plan, whatever the floats of the host: what its heads are made of, and
//! whether their tables and BOS are what they say. Found once for all certificates of a plan.

use super::at_bos;
use super::host_sum::HostSum;
use super::paired::{Paired, uneven};
use super::points::{At, Shape};
use super::sensitivity;
use super::sizes::Sizes;
use crate::model::HostOrder;
use crate::plan::{
    Attend, Dimension, FeedForward, Kind, Linear, Meaning, Plan, Scale, Style, Term, Unit,
    VariableId, Written,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What a relation's level may be off, in gaps, when its numbers are multiplied in float64 here.
pub(super) const NOMINAL: f64 = 1e-9;

/// How far apart the levels of keys that a query selects may be by the table, in gaps.
pub(super) const UNEVEN: f64 = 1e-6;

/// What is known of a plan.
pub(super) struct Facts {
    /// The direction of each variable: hosts add terms in their order.
    directions: Vec<usize>,
    /// Whether a variable depends on the token or the index alone; what is one number at all tokens
    /// does not.
    embedded: Vec<bool>,
    /// By layer and pattern.
    heads: BTreeMap<(usize, usize), HeadFacts>,
    /// What does not hold of each attend operation.
    faults: Vec<Option<String>>,
    /// The hidden units of each feed-forward operation in the order in which hosts add them, and what
    /// they add up to.
    units: Vec<Vec<Unit>>,
    shapes: Vec<Shape>,
    /// What they do at each value of their argument, and that.
    points: Vec<Vec<At>>,
    arguments: Vec<HostSum>,
    /// Operations with the same argument, and the same values of it, have the same number.
    argument_numbers: Vec<usize>,
    /// How many have each.
    argument_counts: Vec<usize>,
    /// What each attend operation moves.
    values: Vec<HostSum>,
    /// The largest number at BOS, of faithful models.
    pub largest_at_bos: f64,
}

/// What is known of a head.
pub(super) struct HeadFacts {
    /// Each with a query and a key.
    pub dimensions: Vec<[Side; 2]>,
    /// How many of its products are not 0 for a query and a key, at most: what is 0 rounds no sum.
    pub addends: usize,
    /// What share of the gap an error of 1 of each query takes, where that is known.
    pub sensitivities: Vec<Option<f64>>,
    pub scale: Scale,
    /// Whether what is added up for a selected key may cancel.
    pub cancels: bool,
    /// How large the products are together that add up to a logit.
    pub sizes: Sizes,
    /// How far apart the levels of what is selected are by the tables, before they are divided.
    pub uneven: f64,
    /// Which dimensions make levels uneven, if that is known.
    pub paired: Option<Paired>,
    /// Whether BOS stands for keys that other heads select.
    pub stands_for_others: bool,
    /// How many nats above tokens BOS stands for its own query, if it matters what that sees.
    pub above_at_bos: Option<f64>,
}

impl HeadFacts {
    /// Whether a dimension is two thresholds.
    pub fn is_paired(&self, dimension: usize) -> bool {
        let paired = self.paired.as_ref();
        paired.is_some_and(|paired| paired.dimensions[dimension])
    }
}

/// What a head reads at tokens and at BOS.
pub(super) struct Side {
    pub whole: HostSum,
    /// Without the BOS flag, which is 0 at tokens, if it has a term.
    pub at_tokens: Option<HostSum>,
}

impl Facts {
    pub fn new(plan: &Plan) -> Facts {
        let (directions, _) = plan.directions();
        Facts::in_directions(plan, directions)
    }

    /// The same of a plan whose variables stand in these directions of a model.
    pub fn in_directions(plan: &Plan, directions: Vec<usize>) -> Facts {
        let embedded = embedded(plan);
        let host_sum = |linear: &Linear| HostSum::new(plan, &directions, &embedded, linear);
        let is_flag = |id: &VariableId| plan.variable(*id).written == Written::Flag;
        let side = |linear: &Linear| Side {
            whole: host_sum(linear),
            at_tokens: linear.terms.keys().any(is_flag).then(|| {
                let mut at_tokens = linear.clone();
                at_tokens.terms.retain(|id, _| !is_flag(id));
                host_sum(&at_tokens)
            }),
        };
        let mut heads = BTreeMap::new();
        // The kinds of each head.
        let mut known: Vec<((usize, usize), Kind, Option<String>)> = Vec::new();
        let mut faults = Vec::with_capacity(plan.attends.len());
        for attend in &plan.attends {
            heads.entry(attend.head()).or_insert_with(|| {
                let (dimensions, scale) = (plan.dimensions(attend), plan.scale(attend));
                let sensitivities = dimensions
                    .iter()
                    .map(|d| sensitivity::of(plan, (attend, scale), d));
                let sides = |Dimension { query, key }: &Dimension| [side(query), side(key)];
                let queries = most_at_once(plan, dimensions.iter().map(|it| &it.query));
                let keys = most_at_once(plan, dimensions.iter().map(|it| &it.key));
                let uneven = uneven(attend);
                HeadFacts {
                    addends: queries.min(keys),
                    sensitivities: sensitivities.collect(),
                    dimensions: dimensions.iter().map(sides).collect(),
                    scale,
                    cancels: plan.cancels(attend),
                    sizes: Sizes::of(plan, attend),
                    uneven: uneven * scale.gap,
                    paired: (uneven > 0.0)
                        .then(|| Paired::of(attend, &dimensions, scale))
                        .flatten(),
                    stands_for_others: attend.kind == Kind::MeanOfPart,
                    above_at_bos: plan
                        .is_read_at_bos(attend)
                        .then(|| plan.above_tokens_at_bos(attend).unwrap_or(0.0)),
                }
            });
            let mut kinds = known.iter();
            let fault = match kinds.find(|known| (known.0, known.1) == (attend.head(), attend.kind))
            {
                Some((_, _, fault)) => fault.clone(),
                None => {
                    let fault = fault(plan, attend);
                    known.push((attend.head(), attend.kind, fault.clone()));
                    fault
                }
            };
            let fault = fault.or_else(|| match plan.bos {
                true => super::bos::fault_of_value(plan, attend),
                false => super::first::fault_of_value(plan, attend),
            });
            faults.push(fault.map(|fault| format!("{}: {fault}", attend.source.name)));
        }
        let units = units(plan);
        let points = plan.feed_forwards.iter().zip(&units);
        let points = points.map(|(forward, units)| At::all(plan, forward, units));
        let arguments = plan.feed_forwards.iter().map(|op| host_sum(&op.argument));
        let values = plan.attends.iter().map(|op| host_sum(&op.value));
        let argument_numbers = argument_numbers(plan);
        let mut argument_counts = vec![0; argument_numbers.len()];
        for number in &argument_numbers {
            argument_counts[*number] += 1;
        }
        let is_bounded = plan.bos && plan.style == Style::Faithful;
        Facts {
            largest_at_bos: if is_bounded {
                at_bos::largest(plan)
            } else {
                0.0
            },
            points: points.collect(),
            arguments: arguments.collect(),
            argument_numbers,
            argument_counts,
            values: values.collect(),
            directions,
            embedded,
            heads,
            faults,
            units,
            shapes: plan
                .feed_forwards
                .iter()
                .map(|forward| Shape::new(&forward.units))
                .collect(),
        }
    }

    pub fn units(&self, forward: usize) -> &[Unit] {
        &self.units[forward]
    }

    pub fn points(&self, forward: usize) -> &[At] {
        &self.points[forward]
    }

    pub fn shape(&self, forward: usize) -> &Shape {
        &self.shapes[forward]
    }

    pub fn argument(&self, forward: usize) -> &HostSum {
        &self.arguments[forward]
    }

    /// The number of the argument of a feed-forward operation.
    pub fn number_of_argument(&self, forward: usize) -> usize {
        self.argument_numbers[forward]
    }

    /// Whether another feed-forward operation has the same argument.
    pub fn shares_argument(&self, forward: usize) -> bool {
        self.argument_counts[self.argument_numbers[forward]] > 1
    }

    pub fn value(&self, attend: usize) -> &HostSum {
        &self.values[attend]
    }

    /// The queries, keys and values of all heads.
    pub fn reads_of_heads(&self) -> impl Iterator<Item = &HostSum> {
        let dimensions = self.heads.values().flat_map(|head| &head.dimensions);
        let sides = dimensions.flatten().map(|side| &side.whole);
        sides.chain(&self.values)
    }

    /// A linear read that is none of these.
    pub fn host_sum(&self, plan: &Plan, linear: &Linear) -> HostSum {
        HostSum::new(plan, &self.directions, &self.embedded, linear)
    }

    pub fn head(&self, attend: &Attend) -> &HeadFacts {
        &self.heads[&attend.head()]
    }

    /// Whether what divides is rounded in the same heads where hosts divide in either order.
    pub fn are_alike(&self, one: HostOrder, other: HostOrder) -> bool {
        let mut heads = self.heads.values().map(|head| head.dimensions.len());
        heads.all(|d_head| one.is_exact(d_head) == other.is_exact(d_head))
    }

    /// # Errors
    /// What does not hold of the attend operation in this place, in words.
    pub fn check(&self, attend: usize) -> Result<(), String> {
        self.faults[attend].clone().map_or(Ok(()), Err)
    }
}

/// Of each feed-forward operation the number of its argument, and of the values that this has.
fn argument_numbers(plan: &Plan) -> Vec<usize> {
    let mut known: FxHashMap<[Vec<u64>; 2], usize> = FxHashMap::default();
    let numbers = plan.feed_forwards.iter().map(|op| {
        let points = op.points.iter().map(|point| point.to_bits());
        let next = known.len();
        *known
            .entry([op.argument.key(), points.collect()])
            .or_insert(next)
    });
    numbers.collect()
}

/// Of each variable whether it depends on the token or the index alone.
fn embedded(plan: &Plan) -> Vec<bool> {
    let varies = |numbers: &[f64]| numbers.windows(2).any(|pair| pair[0] != pair[1]);
    let variables = plan.variables.iter();
    let embedded = variables.map(|variable| match &variable.written {
        Written::Embed { tokens, indices } => varies(tokens) || !indices.is_empty(),
        Written::Flag
        | Written::One
        | Written::Given(..)
        | Written::Attend
        | Written::FeedForward => false,
    });
    embedded.collect()
}

/// Units that operations of one bank have in common stand where the first has them.
fn units(plan: &Plan) -> Vec<Vec<Unit>> {
    let mut places: BTreeMap<(usize, usize, (u64, u64)), usize> = BTreeMap::new();
    let key = |op: &FeedForward, unit: &Unit| (op.layer, op.bank, unit.key());
    for op in &plan.feed_forwards {
        for unit in &op.units {
            let next = places.len();
            places.entry(key(op, unit)).or_insert(next);
        }
    }
    let ordered = plan.feed_forwards.iter().map(|op| {
        let mut units = op.units.clone();
        units.sort_by_key(|unit| places.get(&key(op, unit)));
        units
    });
    ordered.collect()
}

/// What does not hold of a head, if anything.
fn fault(plan: &Plan, attend: &Attend) -> Option<String> {
    let relations = attend.terms.iter();
    let relation = relations.map(|term| fault_of_relation(term, attend.kind));
    relation
        .reduce(Option::or)
        .flatten()
        .or_else(|| match plan.bos {
            true => super::bos::fault(plan, attend),
            false => super::first::fault(plan, attend),
        })
}

/// Whether the products of a relation are not what the relation says, for some pair of values.
fn fault_of_relation(term: &Term, kind: Kind) -> Option<String> {
    let Meaning::Relation(holds) = &term.meaning else {
        return None;
    };
    let Some(first) = term.products.first() else {
        let all = holds.iter().all(|holds| *holds);
        return (!all).then(|| "a relation without a logit".to_string());
    };
    let queries = first.queries.len();
    if holds.len() != first.keys.len() * queries {
        return Some("a relation of another size".to_string());
    }
    let bases: Vec<f64> = (0..queries)
        .map(|query| base(term, holds, query, kind))
        .collect();
    // Beside the keys of the table there is BOS, a gap below 0.
    let below_bos = |base: &&f64| **base < -UNEVEN && kind != Kind::MeanOrBos;
    if let Some(base) = bases.iter().find(below_bos) {
        return Some(format!("what a query selects has the logit {base}"));
    }
    for (key, row) in holds.chunks(queries.max(1)).enumerate() {
        let levels = added(term, key, |product| product);
        for ((holds, base), level) in row.iter().zip(&bases).zip(levels) {
            let level = level - base;
            let fine = match holds {
                true => level.abs() <= UNEVEN,
                false => level <= -1.0 + NOMINAL,
            };
            if !fine {
                return Some(format!("a pair of values has the logit {level}"));
            }
        }
    }
    None
}

/// How many of some linear reads are not 0 at one position, at most: those of embeddings are 0 for most tokens
/// and indices.
fn most_at_once<'l>(plan: &Plan, reads: impl Iterator<Item = &'l Linear>) -> usize {
    let mut of_tokens = vec![0; plan.vocabulary.len()];
    let mut of_indices = vec![0; plan.max_length];
    let (mut at_bos, mut anywhere) = (0, 0);
    for read in reads.filter(|read| !read.is_zero()) {
        let variables: Option<Vec<_>> = read.reads().map(|id| plan.embedding(id)).collect();
        let (Some(variables), 0.0) = (variables, read.constant) else {
            anywhere += 1;
            continue;
        };
        let is_read = |row: usize, side: usize| {
            let mut numbers = variables.iter().filter_map(|sides| sides[side].get(row));
            numbers.any(|number| *number != 0.0)
        };
        for (side, counts) in [&mut of_tokens, &mut of_indices].into_iter().enumerate() {
            let counts = counts.iter_mut().enumerate();
            counts.for_each(|(row, count)| *count += usize::from(is_read(row, side)));
        }
        at_bos += usize::from(read.reads().any(|id| plan.variable(id).bos != 0.0));
    }
    let most = |counts: Vec<usize>| counts.into_iter().max().unwrap_or(0);
    anywhere + at_bos.max(most(of_tokens) + most(of_indices))
}

/// What the products of a term, or what is made of each, add up to for each query and a key. Most are 0 for most
/// keys where there are many.
pub(super) fn added(term: &Term, key: usize, of: impl Fn(f64) -> f64) -> Vec<f64> {
    let queries = term
        .products
        .first()
        .map_or(0, |product| product.queries.len());
    let mut sums = vec![0.0; queries];
    for product in term
        .products
        .iter()
        .filter(|product| product.keys[key] != 0.0)
    {
        for (sum, query) in sums.iter_mut().zip(&*product.queries) {
            *sum += of(query * product.keys[key]);
        }
    }
    sums
}

/// The level of a key for a query, by the values in the table.
pub(super) fn level(term: &Term, query: usize, key: usize) -> f64 {
    let products = term.products.iter();
    products.map(|p| p.queries[query] * p.keys[key]).sum()
}

/// The level of what a query selects: where something is always selected levels are relative.
pub(super) fn base(term: &Term, holds: &[bool], query: usize, kind: Kind) -> f64 {
    let Some(first) = term.products.first() else {
        return 0.0;
    };
    if !kind.is_relative() {
        return 0.0;
    }
    let selected = (0..first.keys.len()).find(|key| holds[key * first.queries.len() + query]);
    selected.map_or(0.0, |key| level(term, query, key))
}
