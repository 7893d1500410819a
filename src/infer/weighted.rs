//! Weighted means over value sets: where weights and values are small whole numbers, every sum of
//! weights and of weighted values that an input can give is listed, as for plain means; otherwise
//! a weighted mean is a real number that only linear functions may read.

use super::candidate::Candidate;
use super::cube::{Cube, Literal, Relation};
use super::score_table::ScoreTable;
use super::selector::SelectorFacts;
use super::sets::Values;
use super::space::Column;
use super::sums::scaled;
use super::{Analysis, Node, Operand, Stopped, VarKind, finite};
use crate::base::Code;
use crate::graph::exponential::Addend;
use crate::graph::{SOpId, ScorerId};
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// More states than this of one position and the mean is taken as a real number.
const MOST_SUMS: usize = 4_000;

/// The smallest gap between two values, relative to their range, that attention keeps apart.
const SMALLEST_GAP: f64 = 1e-3;

/// A weighted mean.
#[derive(Clone, Debug)]
pub struct WeightedFacts {
    pub table: ScoreTable,
    /// The logarithm of what the weights of the table are multiplied by, if that is no number.
    pub exponent: Vec<Addend>,
    /// Where the weight is not zero; `None` if nowhere.
    pub cube: Option<Cube>,
    /// The same as a selector, if the values are not numbers, so that one of them is picked, if weights
    /// are exponentials, or if there is no BOS.
    pub support: Option<Arc<SelectorFacts>>,
}

impl WeightedFacts {
    fn new((table, exponent): (ScoreTable, Vec<Addend>), cube: Option<Cube>) -> WeightedFacts {
        WeightedFacts {
            table,
            exponent,
            cube,
            support: None,
        }
    }
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
        let (table, exponent) = self.weights(scorer)?;
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
        if !self.is_number(value) || !default.is_number() {
            return self.picked_by_weight(
                id,
                WeightedFacts::new((table, exponent), cube),
                value,
                default,
            );
        }
        let known = match self.node(value) {
            Ok(node) if exponent.is_empty() => {
                let may_fail = self.may_fail(&node.column);
                let means = self.weighted_means(&table, value, default)?;
                means.map(|values| (values, may_fail))
            }
            Ok(_) | Err(_) => None,
        };
        let may_fail = table.has_failures() || self.sides_may_fail(table.sides)?;
        let mut facts = WeightedFacts::new((table, exponent), cube);
        if self.first.is_some() || !facts.exponent.is_empty() {
            facts.support = Some(Arc::new(self.support(&facts)?));
        }
        self.weighted.insert(id, Arc::new(facts));
        if let Some((values, value_may_fail)) = known {
            let var = self.var(VarKind::Weighted(id), values, may_fail || value_may_fail);
            return self.alone(var);
        }
        let var = self.real_var(VarKind::Weighted(id));
        self.reals.insert(id, var);
        let reason = "a weighted mean of so many values is a real number in a model: sums, \
             multiples, means, choices by other s-ops, and continuous ones, as `x if x > 0 else 0`, \
             can be made of it, nothing else";
        Err(Stopped::new(Code::NotCompilable, reason.to_string()))
    }

    /// The weights of a scorer: a table, and the logarithm of what they are multiplied by. Logarithms are
    /// as the program has them where no whole numbers weigh.
    fn weights(&mut self, scorer: ScorerId) -> Result<(ScoreTable, Vec<Addend>), Stopped> {
        let table = self.score_table(scorer);
        let is_whole = |table: &ScoreTable| scaled(&Vec::from_iter(table.weights())).is_some();
        let exponential = match table.as_ref().is_ok_and(is_whole) {
            true => None,
            false => self.exponential(scorer)?,
        };
        exponential.map_or_else(|| table.map(|table| (table, Vec::new())), Ok)
    }

    /// A scorer as a table that says where the weight is not 0, and the logarithm of the weight there;
    /// `None` if weights are no exponentials of numbers.
    fn exponential(
        &mut self,
        scorer: ScorerId,
    ) -> Result<Option<(ScoreTable, Vec<Addend>)>, Stopped> {
        let Some((condition, sum)) = self.graph.exponential(scorer) else {
            return Ok(None);
        };
        let mut sides = sum
            .iter()
            .flat_map(|addend| addend.key.into_iter().chain(addend.query));
        // Only what is listed has powers that embeddings or hidden units hold.
        if !sides.all(|side| match side.exponent {
            1 => self.is_number(side.of),
            _ => self.numbers(side.of).is_some(),
        }) {
            return Ok(None);
        }
        let table = match condition {
            Some(condition) => self.score_table(condition)?,
            None => ScoreTable::of_one(Some(1.0)),
        };
        Ok(Some((table, sum)))
    }

    /// A weighted mean of values that are not numbers: the one value that has a weight, the default
    /// where none has, and an error of the interpreter where several have.
    fn picked_by_weight(
        &mut self,
        id: SOpId,
        mut facts: WeightedFacts,
        value: SOpId,
        default: &Value,
    ) -> Result<Node, Stopped> {
        let column = self.node(value)?.column.clone();
        let support = self.support(&facts)?;
        let Some(node) = self.pick(id, &support, &column, default)? else {
            let reason = "it may be a mean of values that are not numbers".to_string();
            let refused = Stopped::new(Code::NotCompilable, reason);
            return Err(refused.help("average numbers: `indicator(x)`"));
        };
        facts.support = Some(Arc::new(support));
        self.weighted.insert(id, Arc::new(facts));
        Ok(node)
    }

    /// The keys that have a weight, as a selector.
    fn support(&mut self, facts: &WeightedFacts) -> Result<SelectorFacts, Stopped> {
        let table = &facts.table;
        let weighs = |key: u32, query: u32| table.weight(key as usize, query as usize) > 0.0;
        let (mut rows, mut unique) = (self.new_rows(), false);
        match table.sides {
            Some((keys, queries)) => {
                let (left, right) = (&self.node(keys)?.column, &self.node(queries)?.column);
                for (at, query) in self.environments.iter().enumerate() {
                    self.if_interrupted()?;
                    let asked = right.values.in_environment(at);
                    let row = self.environments.keys(query);
                    rows.push(row.filter_map(|key| {
                        let held = left.values.in_environment(key.0);
                        let pairs = || held.iter().flat_map(|k| asked.iter().map(|q| (*k, *q)));
                        let candidate = || Candidate::new(key, pairs().all(|(k, q)| weighs(k, q)));
                        pairs().any(|(k, q)| weighs(k, q)).then(candidate)
                    }))?;
                }
                let keys_of =
                    |query| (0..table.keys).filter(move |key| table.weight(*key, query) > 0.0);
                unique = self.distinct_at_positions(keys)
                    && (0..table.queries).all(|query| keys_of(query).count() <= 1);
            }
            None => {
                for query in self.environments.iter() {
                    let keys = self.environments.keys(query);
                    let keys = keys.filter(|_| facts.cube.is_some());
                    rows.push(keys.map(|key| Candidate::new(key, true)))?;
                }
            }
        }
        let rows = self.hold(rows);
        Ok(SelectorFacts {
            non_empty: rows
                .iter()
                .all(|row: &Vec<Candidate>| row.iter().any(Candidate::is_certain)),
            rows: rows.into(),
            cubes: facts.cube.iter().cloned().collect(),
            one: None,
            best: None,
            at_most_one: unique,
            may_fail: table.has_failures() || self.sides_may_fail(table.sides)?,
        })
    }

    /// What a weighted mean can be; `None` if these are too many, too close to each other, or
    /// depend on the order in which floats are added.
    fn weighted_means(
        &mut self,
        table: &ScoreTable,
        value: SOpId,
        default: &Value,
    ) -> Result<Option<Values>, Stopped> {
        let Some(weighing) = self.weighing(table, value, default)? else {
            return Ok(None);
        };
        let queries = match table.sides {
            Some((_, queries)) => Some(&self.node(queries)?.column.values),
            None => None,
        };
        let mut known: FxHashMap<(u32, QueryKeys), Option<Arc<[Value]>>> = FxHashMap::default();
        let mut each: Vec<Arc<[Value]>> = Vec::with_capacity(self.environments.count());
        for (at, environment) in self.environments.iter().enumerate() {
            let keys = self.environments.keys(environment);
            let row: QueryKeys = keys
                .map(|(key, _, exists)| (weighing.keys.at[key], exists))
                .collect();
            let asked = queries.map(|values| &**values.in_environment(at));
            let mut means: Vec<Value> = Vec::new();
            for query in asked.unwrap_or(&[0]) {
                let found = known.entry((*query, row.clone()));
                match found.or_insert_with_key(|(query, row)| weighing.means(*query, row)) {
                    Some(found) => means.extend(found.iter().cloned()),
                    None => return Ok(None),
                }
            }
            each.push(means.into());
        }
        let values = Values::from_environments(&each);
        let apart = values.numbers().is_some_and(|numbers| are_apart(&numbers));
        let few = values.domain.len() <= self.limits.domain_values;
        Ok((apart && few).then_some(values))
    }

    /// The weights and numbers as integers; `None` if they are none or too many.
    fn weighing(
        &mut self,
        table: &ScoreTable,
        value: SOpId,
        default: &Value,
    ) -> Result<Option<Weighing>, Stopped> {
        let numbers = self.node(value)?.column.values.numbers();
        let numbers = numbers.and_then(|numbers| scaled(&numbers));
        let weights = scaled(&Vec::from_iter(table.weights()));
        let keys = table.sides.map(|(keys, _)| keys);
        let mut parts = Vec::from_iter(keys.into_iter().chain([value.into()]));
        parts.sort_unstable();
        parts.dedup();
        let (Some(weights), Some(numbers), Ok(side)) = (weights, numbers, self.side(&parts)) else {
            return Ok(None);
        };
        let place = |id: Operand| parts.binary_search(&id).unwrap_or(0);
        let members = self.members(&parts, side)?;
        let pair = |cells: &Vec<u32>| {
            let key = keys.map_or(0, |keys| cells[place(keys)] as usize);
            (key, numbers.numbers[cells[place(value.into())] as usize])
        };
        Ok(Some(Weighing {
            keys: self.node(side)?.column.values.clone(),
            pairs: members.iter().map(pair).collect(),
            weights: weights.numbers,
            queries: table.queries,
            scale: numbers.scale,
            default: default.clone(),
        }))
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

/// The keys of one query: for each the set of what it can hold, and whether it is always there.
type QueryKeys = Vec<(u32, bool)>;

/// A weighted mean in integers.
struct Weighing {
    /// What the key side of the scorer and the value can hold together, by number.
    keys: Values,
    /// For each of these the key and the scaled number.
    pairs: Vec<(usize, i64)>,
    /// `[keys, queries]`, scaled.
    weights: Vec<i64>,
    queries: usize,
    /// What the numbers are multiplied by.
    scale: f64,
    default: Value,
}

impl Weighing {
    /// The means that a query can get from its keys; `None` if they are too many.
    fn means(&self, query: u32, row: &QueryKeys) -> Option<Arc<[Value]>> {
        let mut reached = BTreeSet::from([(0_i64, 0_i64)]);
        for (set, certain) in row {
            let terms: BTreeSet<(i64, i64)> = self.keys.sets[*set as usize]
                .iter()
                .map(|pair| self.pairs[*pair as usize])
                .map(|(key, number)| (self.weights[key * self.queries + query as usize], number))
                .collect();
            let mut next = if *certain {
                BTreeSet::new()
            } else {
                reached.clone()
            };
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
        // Beyond 53 bits floats would round.
        let exact = |(total, sum): &(i64, i64)| total.abs().max(sum.abs()) < 1 << 53;
        let mean = |(total, sum): &(i64, i64)| match total {
            // Each number once: that of one key is no float, but nothing that compiles tells.
            0 => {
                if let Value::Int(whole) = self.default
                    && whole.unsigned_abs() <= 1 << 53
                {
                    Value::Float(whole as f64)
                } else {
                    self.default.clone()
                }
            }
            _ => Value::Float(*sum as f64 / self.scale / *total as f64),
        };
        let all_exact = reached.iter().all(exact);
        all_exact.then(|| reached.iter().map(mean).collect())
    }
}

/// Whether attention keeps the numbers apart.
fn are_apart(numbers: &[f64]) -> bool {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let range = sorted.last().unwrap_or(&0.0) - sorted.first().unwrap_or(&0.0);
    let mut pairs = sorted.windows(2);
    pairs.all(|pair| pair[1] - pair[0] >= SMALLEST_GAP * range)
}
