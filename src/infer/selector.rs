//! What is known of a selector: the keys that it may select, its disjoint cubes, and whether it selects one
//! key at most, and one at least.

use super::candidate::Candidate;
use super::compare::Ranks;
use super::cube::{self, Cube, Literal, Relation};
use super::one_head::OneCube;
use super::score_table::ScoreTable;
use super::{Analysis, Operand, Stopped};
use crate::base::Code;
use crate::graph::{SOpId, Selector, SelectorId};
use crate::value::Comparison;
use std::sync::Arc;

/// Entries of the largest relation that is tabulated.
const LARGEST_RELATION: usize = 4_000_000;

/// What is known of one selector.
#[derive(Clone, Debug)]
pub struct SelectorFacts {
    /// For each query environment, the keys it may select.
    pub rows: Arc<Vec<Vec<Candidate>>>,
    pub cubes: Arc<[Cube]>,
    /// Several cubes as the one of a mean, if that was asked for and one head can.
    pub one: Option<OneCube>,
    /// Of the keys in the cubes only the one with the highest score is selected.
    pub best: Option<Arc<ScoreTable>>,
    /// No query ever selects two keys.
    pub at_most_one: bool,
    /// Every query selects a key.
    pub non_empty: bool,
    /// Some inputs have keys or queries that fail or cannot be compared.
    pub may_fail: bool,
}

/// A side that reads no s-op.
const NOTHING: [SOpId; 0] = [];

impl SelectorFacts {
    /// Whether no query selects two keys.
    pub fn is_one(&self) -> bool {
        self.at_most_one || self.rows.iter().all(|row| row.len() <= 1)
    }

    /// The least and the greatest width in an environment.
    pub fn width(&self, environment: usize) -> (usize, usize) {
        let row = &self.rows[environment];
        let certain = row.iter().filter(|key| key.is_certain()).count();
        let most = if self.at_most_one { 1 } else { row.len() };
        (
            certain.max(usize::from(self.non_empty)).min(most),
            row.len().min(most),
        )
    }
}

impl Analysis<'_> {
    pub(super) fn analyse_selector(&mut self, id: SelectorId) -> Result<(), Stopped> {
        if self.selectors.contains_key(&id) {
            return Ok(());
        }
        for operand in self.graph.selector_operands(id) {
            self.node(operand)?;
        }
        if let Selector::Best { selector, scorer } = self.graph.get_selector(id) {
            return self.analyse_best(id, *selector, *scorer);
        }
        let parts = self.graph.selector_parts(&[id]);
        // First, for it is refused at once where there are too many values.
        let cubes = self.cubes(&parts)?;
        // Comparisons that exclude each other: values alone say so of one pair at a time.
        let is_never = cubes.is_empty();
        let cubes = self.unmasked(cubes);
        let is_averaged = self
            .first
            .is_some_and(|first| first.selects.contains_key(&id));
        let cubes: Arc<[Cube]> = match is_averaged {
            true => self.for_one_head(cubes).into(),
            false => cubes.into(),
        };
        let rows = self.rows(&parts)?;
        let mut rows = self.hold(rows);
        if is_never {
            rows.iter_mut().for_each(Vec::clear);
        }
        let by_rank = self.by_rank(id)?;
        if by_rank.never_later {
            for (query, row) in self.environments.iter().zip(&mut rows) {
                row.retain(|key| key.position as usize <= query.position);
            }
        }
        let at_most_one = rows.iter().all(|row| row.len() <= 1)
            || self.unique_by_equality(&parts)
            || by_rank.is_unique(&rows);
        // Comparisons that together always hold: values alone say so of no single key.
        let is_always = matches!(&*cubes, [cube] if cube.literals.is_empty());
        let non_empty = is_always
            || rows.iter().all(|row| row.iter().any(Candidate::is_certain))
            || self.found_in_permutation(id);
        let facts = SelectorFacts {
            rows: rows.into(),
            cubes,
            one: None,
            best: None,
            at_most_one,
            non_empty,
            may_fail: self.comparisons_may_fail(&parts)?,
        };
        self.selectors.insert(id, Arc::new(facts));
        Ok(())
    }

    fn comparisons_may_fail(&mut self, parts: &[SelectorId]) -> Result<bool, Stopped> {
        for id in parts {
            if let Selector::Predicate(scorer) = self.graph.get_selector(*id)
                && self.score_may_fail(*scorer)?
            {
                return Ok(true);
            }
            let Selector::Compare {
                keys,
                queries,
                comparison,
            } = self.graph.get_selector(*id)
            else {
                continue;
            };
            let (left, right) = (&self.node(*keys)?.column, &self.node(*queries)?.column);
            let ranks = Ranks::new(*comparison, &left.values.domain, &right.values.domain);
            if self.may_fail(left) || self.may_fail(right) || ranks.may_fail() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The selector, the last of its parts, as disjoint cubes over the domains of its operands.
    fn cubes(&mut self, parts: &[SelectorId]) -> Result<Vec<Cube>, Stopped> {
        let too_many = || {
            Stopped::new(
                Code::NotCompilable,
                format!(
                    "the selector needs more than {} attention heads",
                    cube::MOST_CUBES
                ),
            )
        };
        let mut all: Vec<Vec<Cube>> = Vec::with_capacity(parts.len());
        for id in parts {
            let is_indices = |id| self.is_indices(id);
            let part = |id: &SelectorId| &all[place(parts, *id)];
            let cubes = match self.graph.get_selector(*id) {
                Selector::And(a, b) => {
                    let both = cube::and(part(a), part(b)).ok_or_else(too_many)?;
                    let left = both
                        .into_iter()
                        .filter_map(|cube| cube.at_itself(is_indices));
                    left.filter_map(|cube| self.by_index(cube)).collect()
                }
                Selector::Or(a, b) => {
                    let left = |cube: Cube| self.by_index(cube.at_itself(is_indices)?);
                    let either = cube::or(part(a), part(b), left).ok_or_else(too_many)?;
                    self.in_windows(either)
                }
                Selector::Not(a) => cube::not(part(a)).ok_or_else(too_many)?,
                Selector::Compare {
                    keys,
                    queries,
                    comparison,
                } => self.comparison_cubes(*keys, *queries, *comparison)?,
                Selector::Predicate(scorer) => self.predicate_cubes(*scorer)?,
                // Never part of another selector: see `Graph::selector`.
                Selector::Best { .. } => vec![Cube::default()],
            };
            all.push(cubes);
        }
        Ok(all.pop().unwrap_or_default())
    }

    /// What is left of cubes that a causal mask does not imply, if there is one.
    fn unmasked(&self, cubes: Vec<Cube>) -> Vec<Cube> {
        let causal = self.setting.causal;
        let under_mask = |cube| match causal {
            true => self.under_causal_mask(cube),
            false => Some(cube),
        };
        cubes.into_iter().filter_map(under_mask).collect()
    }

    fn comparison_cubes(
        &mut self,
        keys: SOpId,
        queries: SOpId,
        comparison: Comparison,
    ) -> Result<Vec<Cube>, Stopped> {
        let domain = |id| Ok(self.node(id)?.column.values.domain.clone());
        let (left, right) = (domain(keys)?, domain(queries)?);
        check_size(left.len(), right.len())?;
        let ranks = Ranks::new(comparison, &left, &right);
        let relation = Relation::tabulate(left.len(), right.len(), |k, q| ranks.holds(k, q));
        self.literal_cubes(keys.into(), queries.into(), relation)
    }

    /// One literal as cubes: none if it holds nowhere.
    pub(super) fn literal_cubes(
        &mut self,
        keys: Operand,
        queries: Operand,
        relation: Relation,
    ) -> Result<Vec<Cube>, Stopped> {
        if relation.is_empty() {
            return Ok(Vec::new());
        }
        // What is compared with constants is one pair, so that its comparisons are one relation.
        let mut side = |count, id| match count {
            1 => self.side(&NOTHING),
            _ => Ok(id),
        };
        let (keys, queries) = (side(relation.keys, keys)?, side(relation.queries, queries)?);
        Ok(vec![Cube::of(Literal {
            keys,
            queries,
            relation: relation.into(),
        })])
    }

    /// What the causal mask already implies need not be computed: keys after the query are free.
    pub(super) fn under_causal_mask(&self, cube: Cube) -> Option<Cube> {
        let mut literals = Vec::new();
        for literal in cube.literals {
            if !(self.is_indices(literal.keys) && self.is_indices(literal.queries)) {
                literals.push(literal);
                continue;
            }
            let relation = &literal.relation;
            if (0..relation.keys)
                .all(|key| (key..relation.queries).all(|q| !relation.holds(key, q)))
            {
                return None;
            }
            let relation = Relation::tabulate(relation.keys, relation.queries, |key, query| {
                key > query || relation.holds(key, query)
            });
            if !relation.is_full() {
                literals.push(Literal {
                    relation: relation.into(),
                    ..literal
                });
            }
        }
        Some(Cube { literals })
    }
}

/// Whether a relation is small enough to be tabulated.
pub(super) fn check_size(keys: usize, queries: usize) -> Result<(), Stopped> {
    if keys.saturating_mul(queries) <= LARGEST_RELATION {
        return Ok(());
    }
    let message = format!("the comparison is between {keys} and {queries} values");
    Err(Stopped::new(Code::DomainTooLarge, message))
}

/// Where a part stands among the parts, which are in order of id.
pub(super) fn place(parts: &[SelectorId], id: SelectorId) -> usize {
    parts.binary_search(&id).unwrap_or(0)
}
