//! Scores as logits (Weiss et al. 2021, appendix A). Attention logits are bilinear, so a table
//! `[keys, queries]` of scores is a sum of products of a key feature and a query feature.
//!
//! The best key is hard attention by temperature: only the order of a query's keys matters, so
//! that scores may be replaced by their ranks, which are whole numbers with a gap of 1. One unit of
//! the score outweighs all positions and one position outweighs all that softmax would leak, so
//! that the last of equal scores wins (hard attention by position: Yao et al. 2021). A weighted
//! mean has the logarithms of its weights as logits; where the weight is zero the key is not
//! selected, by a literal.

use super::literal::{ProductPlan, TermPlan};
use super::{HeadPlan, Selected, Target, at};
use crate::algebra::{Product, Rational, Reading, factor};
use crate::base::Code;
use crate::compile::linear::LinearRead;
use crate::compile::way::tried;
use crate::compile::{Compiler, Want, ones_where};
use crate::graph::{SOp, SOpId};
use crate::infer::cube::Cube;
use crate::infer::score_table::ScoreTable;
use crate::infer::space::VarId;
use crate::infer::weighted::WeightedFacts;
use crate::infer::{Analysis, Operand, Stopped};
use crate::plan::pass::Choice;
use crate::plan::{Kind, Meaning, ascending, level};
use std::sync::Arc;

/// Logits may be this many times the gap between a best key and the next: float32 has 24 bits, of
/// which 8 remain to tell the two apart.
pub(super) const LARGEST_RANGE: f64 = 65_536.0;

/// The greatest logarithm of a ratio of weights; beyond, no float holds both. What is too small beside others
/// for float32 is less than the digits of these.
pub(super) const LARGEST_LOGARITHM: f64 = 700.0;

/// The most products that a table of scores may take.
const MOST_PRODUCTS: usize = 256;

/// What is left of a table of logarithms when it counts as zero, relative to its largest entry.
const RESIDUE: f64 = 1e-12;

/// Numbers `[keys, queries]`, a row for each key.
#[derive(Clone, Debug)]
struct Grid {
    queries: usize,
    entries: Vec<f64>,
}

impl Compiler<'_> {
    /// Has a head write a weighted mean.
    pub(super) fn place_weighted(&mut self, id: SOpId, var: VarId) -> Result<(), Stopped> {
        let (SOp::WeightedMean { value, .. }, Some(facts)) =
            (self.analysis.graph.get(id), self.analysis.weighted(id))
        else {
            return Ok(());
        };
        let facts = facts.clone();
        let Some((cube, scores)) = self
            .weight_plan(&facts)
            .map_err(|stopped| at(stopped, id))?
        else {
            return Ok(());
        };
        let read = self.real_number(*value, self.default_number(var))?;
        let mut terms = Vec::from_iter(scores);
        let selected = self.weighing(id);
        let is_some = selected.as_ref().is_some_and(|it| it.facts.non_empty);
        let exponent = self.exponent(&facts.exponent, !is_some);
        terms.extend(exponent.map_err(|stopped| at(stopped, id))?);
        let kind = match &selected {
            Some(selected) if !self.bos() => self.kind_of_mean(selected, &mut terms)?,
            Some(_) if is_some && !facts.exponent.is_empty() => Kind::MeanOfSome,
            Some(_) | None => Kind::Mean,
        };
        let head = HeadPlan {
            kind,
            cube,
            label: self.analysis.var_name(var),
            span: Some(self.analysis.graph.span(id)),
            terms,
            most: self.analysis.setting.max_length,
            values: Vec::new(),
        };
        self.write_head(head, &read, Target::Direction(var, 0))?;
        match selected.filter(|_| !self.bos()) {
            Some(selected) => self.gate_mean(id, &selected, (&read, *value), var),
            None => Ok(()),
        }
    }

    /// What has a weight in a weighted mean, as heads select it.
    pub(super) fn weighing(&self, id: SOpId) -> Option<Selected> {
        let support = self.selector_of(id).zip(self.analysis.first);
        Some(Selected {
            facts: self.analysis.weighted(id)?.support.clone()?,
            label: self.analysis.graph.describe(id),
            span: Some(self.analysis.graph.span(id)),
            one_or_fails: false,
            selects_first: support.and_then(|(of, first)| first.selects.get(&of).copied()),
        })
    }

    /// The logits that make the best of the selected keys win, unless all are equally good.
    pub(super) fn best_plan(&mut self, table: &ScoreTable) -> Result<Option<TermPlan>, Stopped> {
        let length = self.analysis.setting.max_length as f64;
        let level = level(self.analysis.setting.max_length);
        if let Some((products, above)) = tried(self.by_position(table, level))? {
            return Ok(scored(products, above));
        }
        // One position is worth a level, one unit of the score all positions.
        let (unit, tie) = match table.distinct {
            true => (level, 0.0),
            false => (level * length, level),
        };
        let ties = tie * (length - 1.0);
        let (mut products, above) = match self.by_width(table, unit) {
            Some((product, largest)) => (vec![product], largest),
            None => self.by_score(table, unit, LARGEST_RANGE * level - ties)?,
        };
        if tie > 0.0 {
            let positions = (0..self.analysis.setting.max_length).map(|index| index as f64);
            let positions: Vec<f64> = positions.collect();
            products.push(ProductPlan {
                query: LinearRead::constant(tie),
                key: LinearRead::function(Analysis::INDICES, positions.clone()),
                queries: [tie].into(),
                keys: positions.into(),
            });
        }
        Ok(scored(products, above + ties))
    }

    /// The scores of a table in units, as products, with the largest of them, which is at most `most`.
    fn by_score(
        &mut self,
        table: &ScoreTable,
        unit: f64,
        most: f64,
    ) -> Result<(Vec<ProductPlan>, f64), Stopped> {
        let candidates = [
            Some(ranks(table)),
            in_gaps(table, false),
            in_gaps(table, true),
        ];
        let fitting = candidates.into_iter().flatten();
        let above = |grid: &Grid| unit * grid.largest();
        let fitting = fitting.filter(|grid| above(grid) <= most);
        let products = fitting.filter_map(|grid| Some((self.products(&grid)?, above(&grid))));
        let cost = |(products, above): &(Vec<_>, f64)| (products.len(), above.to_bits());
        let Some((products, above)) = products.min_by_key(cost) else {
            return Err(refused(
                "the scores have too many levels between the positions for float32 to tell the best key",
            ));
        };
        Ok((self.score_products(table.sides, products, unit)?, above))
    }

    /// The cube that selects what has a weight, and the logarithms of the weights; `None` if
    /// nothing ever has one.
    pub(super) fn weight_plan(
        &mut self,
        facts: &WeightedFacts,
    ) -> Result<Option<(Cube, Option<TermPlan>)>, Stopped> {
        let Some(cube) = &facts.cube else {
            return Ok(None);
        };
        let grid = logarithms(&facts.table);
        let above = grid.largest();
        if above > LARGEST_LOGARITHM {
            return Err(refused(
                "the weights differ by too large a factor for float32",
            ));
        }
        let Some(products) = self.products(&grid) else {
            return Err(refused(
                "the weights would take too many dimensions of a head",
            ));
        };
        let products = self.score_products(facts.table.sides, products, 1.0)?;
        Ok(Some((cube.clone(), scored(products, above))))
    }

    /// A table of scores as a sum of products; `None` if there are too many.
    fn products(&self, grid: &Grid) -> Option<Vec<Product<f64>>> {
        match self.chooses(Choice::Factor) {
            true => grid.products(),
            false => Some(grid.by_key()),
        }
    }

    fn score_products(
        &mut self,
        sides: Option<(Operand, Operand)>,
        products: Vec<Product<f64>>,
        unit: f64,
    ) -> Result<Vec<ProductPlan>, Stopped> {
        let mut plans = Vec::with_capacity(products.len());
        // A scorer that reads nothing scores all keys alike.
        let Some((keys, queries)) = sides else {
            return Ok(plans);
        };
        for (key, query) in products {
            let query: Vec<f64> = query.iter().map(|query| query * unit).collect();
            plans.push(ProductPlan {
                query: self.score_feature(queries, &query)?,
                key: self.score_feature(keys, &key)?,
                queries: query.into(),
                keys: key.into(),
            });
        }
        Ok(plans)
    }

    pub(super) fn score_feature(
        &mut self,
        id: Operand,
        function: &[f64],
    ) -> Result<LinearRead, Stopped> {
        match function {
            [first, rest @ ..] if rest.iter().all(|other| other == first) => {
                Ok(LinearRead::constant(*first))
            }
            _ => {
                let label = format!("score of {}", self.name(id));
                self.feature(id, function, Want::Snapped, &label)
            }
        }
    }
}

fn scored(products: Vec<ProductPlan>, above: f64) -> Option<TermPlan> {
    (!products.is_empty()).then_some(TermPlan {
        products,
        meaning: Meaning::Score { above },
    })
}

pub(crate) fn refused(reason: &str) -> Stopped {
    Stopped::new(Code::NotCompilable, reason.to_string())
}

/// For each query the ranks of its keys' scores, from 0 and equal for equal scores. A score that
/// fails is never selected, or the input is an error.
fn ranks(table: &ScoreTable) -> Grid {
    let mut grid = Grid::zeros(table);
    for query in 0..table.queries {
        let sorted = sorted_scores(table, query);
        for (key, score) in table.column(query).enumerate() {
            if let Some(score) = score {
                let rank = sorted.partition_point(|other| *other < score);
                grid.entries[key * table.queries + query] = rank as f64;
            }
        }
    }
    grid
}

/// The scores, from 0, in multiples of the smallest gap between two scores of one query; from 0
/// for each query, if `each` is set. `None` if that is not a finite number.
fn in_gaps(table: &ScoreTable, each: bool) -> Option<Grid> {
    let columns: Vec<Arc<[f64]>> = (0..table.queries)
        .map(|q| sorted_scores(table, q))
        .collect();
    let lowest = |scores: &Arc<[f64]>| scores.first().copied().unwrap_or(f64::INFINITY);
    let least = columns.iter().map(lowest).fold(f64::INFINITY, f64::min);
    let gaps = columns
        .iter()
        .flat_map(|scores| scores.windows(2).map(|pair| pair[1] - pair[0]));
    let gap = gaps.fold(f64::INFINITY, f64::min);
    let mut grid = Grid::zeros(table);
    for (query, scores) in columns.iter().enumerate() {
        let zero = if each { lowest(scores) } else { least };
        for (key, score) in table.column(query).enumerate() {
            let Some(score) = score else { continue };
            let entry = (score - zero) / gap;
            if !entry.is_finite() {
                return None;
            }
            grid.entries[key * table.queries + query] = entry;
        }
    }
    Some(grid)
}

/// The different scores of a query, ascending.
fn sorted_scores(table: &ScoreTable, query: usize) -> Arc<[f64]> {
    ascending(table.column(query).flatten().collect())
}

/// The logarithms of the weights, from 0; 0 where there is no weight. What a query adds to all of
/// its keys cancels in softmax, so that it is left out where the rest depends on the key only.
fn logarithms(table: &ScoreTable) -> Grid {
    let weights = (0..table.keys).flat_map(|key| (0..table.queries).map(move |query| (key, query)));
    let weighted: Vec<(usize, usize, f64)> = weights
        .filter_map(|(key, query)| {
            let weight = table.weight(key, query);
            (weight > 0.0).then(|| (key, query, weight.ln()))
        })
        .collect();
    let mut grid = Grid::zeros(table);
    if let Some(keys) = of_keys_alone(table, &weighted) {
        for (key, row) in grid
            .entries
            .chunks_exact_mut(table.queries.max(1))
            .enumerate()
        {
            row.fill(keys[key]);
        }
        return grid;
    }
    let least = weighted
        .iter()
        .map(|(_, _, log)| *log)
        .fold(f64::INFINITY, f64::min);
    for (key, query, log) in weighted {
        grid.entries[key * table.queries + query] = log - least;
    }
    grid
}

/// A number for each key, at least 0, so that each logarithm is the key's number plus one of its
/// query; `None` if the logarithms are no such sums.
fn of_keys_alone(table: &ScoreTable, weighted: &[(usize, usize, f64)]) -> Option<Vec<f64>> {
    let (mut by_key, mut by_query) = (
        vec![Vec::new(); table.keys],
        vec![Vec::new(); table.queries],
    );
    for (key, query, log) in weighted {
        by_key[*key].push((*query, *log));
        by_query[*query].push((*key, *log));
    }
    let (keys, queries) = potentials(&by_key, &by_query)?;
    let holds = |(key, query, log): &(usize, usize, f64)| {
        queries[*query].is_some_and(|number| (keys[*key] + number - log).abs() <= RESIDUE)
    };
    let used = |key: &usize| !by_key[*key].is_empty();
    let least = (0..table.keys)
        .filter(used)
        .map(|key| keys[key])
        .fold(f64::INFINITY, f64::min);
    let from_zero = |key: usize| if used(&key) { keys[key] - least } else { 0.0 };
    weighted
        .iter()
        .all(holds)
        .then(|| (0..table.keys).map(from_zero).collect())
}

/// The ends of some edges, and what is written at these.
type Ends = Vec<(usize, f64)>;

/// Numbers of keys and queries as potentials of a graph, whose edges lead from a key to a query: the two of
/// an edge add up to what is written at it, if that can be. Of each connected part the first key has 0, and
/// the others follow.
fn potentials(by_key: &[Ends], by_query: &[Ends]) -> Option<(Vec<f64>, Vec<Option<f64>>)> {
    let (mut keys, mut queries) = (vec![None; by_key.len()], vec![None; by_query.len()]);
    for first in 0..by_key.len() {
        if keys[first].is_some() {
            continue;
        }
        keys[first] = Some(0.0);
        let mut pending = vec![first];
        while let Some(key) = pending.pop() {
            let number = keys[key]?;
            for (query, log) in &by_key[key] {
                if queries[*query].is_some() {
                    continue;
                }
                queries[*query] = Some(log - number);
                for (other, other_log) in &by_query[*query] {
                    if keys[*other].is_none() {
                        keys[*other] = Some(other_log - (log - number));
                        pending.push(*other);
                    }
                }
            }
        }
    }
    Some((keys.into_iter().collect::<Option<_>>()?, queries))
}

impl Grid {
    fn zeros(table: &ScoreTable) -> Grid {
        Grid {
            queries: table.queries,
            entries: vec![0.0; table.keys * table.queries],
        }
    }

    fn largest(&self) -> f64 {
        self.entries
            .iter()
            .fold(0.0, |largest, entry| largest.max(entry.abs()))
    }

    /// A product for each key that scores anything.
    fn by_key(&self) -> Vec<Product<f64>> {
        let rows = self.entries.chunks_exact(self.queries.max(1));
        let count = rows.len();
        let rows = rows.enumerate();
        let products = rows.map(|(key, row)| (ones_where(count, |at| at == key), row.to_vec()));
        let scores = |(_, row): &Product<f64>| row.iter().any(|score| *score != 0.0);
        products.filter(scores).collect()
    }

    /// The grid as a sum of products of a function of the key and one of the query; `None` if there
    /// are too many. Fractions, as ranks and gaps are, factor exactly; the logarithms of weights are
    /// irrational, so that they factor in floats.
    fn products(&self) -> Option<Vec<Product<f64>>> {
        let readings = Reading::of_all(&self.entries)?;
        if readings.iter().any(|reading| !reading.is_fraction) {
            let residue = RESIDUE * self.largest();
            return factor(self.entries.clone(), self.queries, &residue, MOST_PRODUCTS);
        }
        let numbers = readings.into_iter().map(|reading| reading.number).collect();
        let products = factor(numbers, self.queries, &Rational::zero(), MOST_PRODUCTS)?;
        let floats = |numbers: Vec<Rational>| numbers.iter().map(Rational::to_f64).collect();
        let product = |(key, query)| (floats(key), floats(query));
        Some(products.into_iter().map(product).collect())
    }
}
