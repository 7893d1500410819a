//! Weighted means over value sets: where weights and values are small whole numbers, every sum of
//! weights and of weighted values that an input can give is listed, as for plain means; otherwise
//! a weighted mean is a real number that only linear functions may read.

use super::cube::{Cube, Literal, Relation};
use super::scorer::ScoreTable;
use super::sets::Values;
use super::space::{Column, VarId};
use super::sums::scaled;
use super::{Analysis, Node, Stopped, VarKind, finite};
use crate::base::Code;
use crate::graph::{SOpId, ScorerId};
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// More states than this of one position and the mean is taken as a real number.
const MOST_SUMS: usize = 4_000;

/// The smallest gap between two values, relative to their range, that attention keeps apart.
const SMALLEST_GAP: f64 = 1e-3;

/// A weighted mean.
#[derive(Clone, Debug)]
pub struct WeightedFacts {
    pub var: VarId,
    pub table: ScoreTable,
    /// Where the weight is not zero; `None` if nowhere.
    pub cube: Option<Cube>,
}

impl Analysis<'_> {
    /// A weighted mean. Its variable is made even if its values are not known.
    pub(super) fn analyse_weighted(
        &mut self,
        id: SOpId,
        scorer: ScorerId,
        value: SOpId,
        default: &Value,
    ) -> Result<Node, Stopped> {
        finite(default)?;
        let refused = |reason: &str| Stopped::new(Code::NotCompilable, reason.to_string());
        if self.node(value)?.column.values.numbers().is_none() || !default.is_number() {
            return Err(refused("it may be a mean of values that are not numbers"));
        }
        let table = self.score_table(scorer)?;
        let support = Relation::tabulate(table.keys, table.queries, |key, query| {
            table.weight(key, query) > 0.0
        });
        let cube = match table.sides {
            _ if support.is_empty() => None,
            None => Some(Cube::default()),
            Some((keys, queries)) => Some(Cube::of(Literal {
                keys,
                queries,
                relation: support.into(),
            })),
        };
        let cube = match cube {
            Some(cube) if self.setting.causal => self.under_causal_mask(cube),
            cube => cube,
        };
        let known = self.weighted_means(&table, value, default)?;
        let may_fail = table.has_failures()
            || self.sides_may_fail(&table)?
            || self.may_fail(&self.node(value)?.column);
        let is_known = known.is_some();
        let unknown = || Values::uniform(Vec::new(), self.environments.count());
        let values = known.unwrap_or_else(unknown);
        let var = self.var(VarKind::Weighted(id), values, may_fail || !is_known);
        self.weighted
            .insert(id, Arc::new(WeightedFacts { var, table, cube }));
        if is_known {
            return self.alone(var);
        }
        Err(refused(
            "a weighted mean of so many values is a real number: only sums and multiples of it \
             have a compiled form, as the result of the program",
        ))
    }

    /// What a weighted mean can be; `None` if these are too many, too close to each other, or
    /// depend on the order in which floats are added.
    fn weighted_means(
        &mut self,
        table: &ScoreTable,
        value: SOpId,
        default: &Value,
    ) -> Result<Option<Values>, Stopped> {
        let numbers = self.node(value)?.column.values.numbers();
        let weights: Vec<f64> = table.weights().collect();
        let (Some(weights), Some(numbers)) = (
            scaled(&weights),
            numbers.and_then(|numbers| scaled(&numbers)),
        ) else {
            return Ok(None);
        };
        let Some((side, pairs)) = self.weights_and_numbers(table, value, &numbers.numbers)? else {
            return Ok(None);
        };
        let columns = &self.node(side)?.column.values;
        let queries = match table.sides {
            Some((_, queries)) => Some(self.node(queries)?.column.values.clone()),
            None => None,
        };
        let mut known: FxHashMap<(u32, Vec<(u32, bool)>), Arc<[Value]>> = FxHashMap::default();
        let mut each: Vec<Arc<[Value]>> = Vec::with_capacity(self.environments.count());
        for (at, environment) in self.environments.iter().enumerate() {
            let row: Vec<(u32, bool)> = self
                .environments
                .keys(environment)
                .map(|(key, _, exists)| (columns.at[key], exists))
                .collect();
            let asked = queries
                .as_ref()
                .map(|values| values.in_environment(at).clone());
            let mut means: Vec<Value> = Vec::new();
            for query in asked.as_deref().unwrap_or(&[0]) {
                let signature = (*query, row.clone());
                if let Some(found) = known.get(&signature) {
                    means.extend(found.iter().cloned());
                    continue;
                }
                let weight = |key: usize| weights.numbers[key * table.queries + *query as usize];
                let terms = row.iter().map(|(set, exists)| {
                    let members = columns.sets[*set as usize].iter();
                    let terms: FxHashSet<(i64, i64)> = members
                        .map(|pair| pairs[*pair as usize])
                        .map(|(key, number)| (weight(key), number))
                        .collect();
                    (terms, *exists)
                });
                let Some(sums) = weighted_sums(terms) else {
                    return Ok(None);
                };
                let mean = |(weight, sum): (i64, i64)| match weight {
                    0 => default.clone(),
                    _ => Value::Float(sum as f64 / numbers.scale / weight as f64),
                };
                let found: Arc<[Value]> = sums.into_iter().map(mean).collect();
                means.extend(found.iter().cloned());
                known.insert(signature, found);
            }
            each.push(means.into());
        }
        let values = Values::from_environments(&each);
        let apart = values.numbers().is_some_and(|numbers| are_apart(&numbers));
        let few = values.domain.len() <= self.limits.domain_values;
        Ok((apart && few).then_some(values))
    }

    /// A side that reads the keys and the value together, and for each of its values the key and
    /// the number; `None` if its values are too many.
    fn weights_and_numbers(
        &mut self,
        table: &ScoreTable,
        value: SOpId,
        numbers: &[i64],
    ) -> Result<Option<(SOpId, Vec<(usize, i64)>)>, Stopped> {
        let keys = table.sides.map(|(keys, _)| keys);
        let mut parts = Vec::from_iter(keys.into_iter().chain([value]));
        parts.sort_unstable();
        parts.dedup();
        let Ok(side) = self.side(&parts) else {
            return Ok(None);
        };
        let place = |id: SOpId| parts.binary_search(&id).unwrap_or(0);
        let members = self.members(side)?;
        let pair = |cells: &Vec<u32>| {
            let key = keys.map_or(0, |keys| cells[place(keys)] as usize);
            (key, numbers[cells[place(value)] as usize])
        };
        Ok(Some((side, members.iter().map(pair).collect())))
    }

    /// What is known of a weighted mean, even if its values are not.
    pub fn weighted(&self, id: SOpId) -> Option<&Arc<WeightedFacts>> {
        self.weighted.get(&id)
    }

    /// A query position and a later key position that may have a weight for it.
    pub fn weighs_beyond(&self, facts: &WeightedFacts) -> Option<(usize, usize)> {
        let Some((keys, queries)) = facts.table.sides else {
            let longest = self.setting.max_length;
            return (facts.cube.is_some() && longest > 1).then_some((0, 1));
        };
        let (keys, queries) = (self.node(keys).ok()?, self.node(queries).ok()?);
        let mut known: FxHashMap<(u32, u32), bool> = FxHashMap::default();
        for (at, query) in self.environments.iter().enumerate() {
            for (key, position, _) in self.environments.keys(query) {
                let sets = (keys.column.values.at[key], queries.column.values.at[at]);
                let weighs = || some_weight(facts, &keys.column, &queries.column, sets);
                if position > query.position && *known.entry(sets).or_insert_with(weighs) {
                    return Some((query.position, position));
                }
            }
        }
        None
    }
}

/// Whether any pair of values from two sets has a weight.
fn some_weight(
    facts: &WeightedFacts,
    keys: &Column,
    queries: &Column,
    (key_set, query_set): (u32, u32),
) -> bool {
    let queries = &queries.values.sets[query_set as usize];
    keys.values.sets[key_set as usize].iter().any(|key| {
        let mut queries = queries.iter();
        queries.any(|query| facts.table.weight(*key as usize, *query as usize) > 0.0)
    })
}

/// All pairs of a sum of weights and a sum of weighted numbers, given for each key what it can
/// add, and whether it is always there; `None` if they are too many.
fn weighted_sums(
    terms: impl Iterator<Item = (FxHashSet<(i64, i64)>, bool)>,
) -> Option<Vec<(i64, i64)>> {
    let mut reached = FxHashSet::from_iter([(0_i64, 0_i64)]);
    for (terms, certain) in terms {
        let mut next = FxHashSet::default();
        if !certain {
            next.extend(&reached);
        }
        for (total, sum) in &reached {
            for (weight, number) in &terms {
                let product = weight.checked_mul(*number)?;
                next.insert((total.checked_add(*weight)?, sum.checked_add(product)?));
            }
        }
        if next.len() > MOST_SUMS {
            return None;
        }
        reached = next;
    }
    let mut sums = Vec::from_iter(reached);
    sums.sort_unstable();
    // Beyond 53 bits floats would round.
    let exact = |(total, sum): &(i64, i64)| total.abs().max(sum.abs()) < 1 << 53;
    sums.iter().all(exact).then_some(sums)
}

fn are_apart(numbers: &[f64]) -> bool {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let range = sorted.last().unwrap_or(&0.0) - sorted.first().unwrap_or(&0.0);
    let mut pairs = sorted.windows(2);
    pairs.all(|pair| pair[1] - pair[0] >= SMALLEST_GAP * range)
}
