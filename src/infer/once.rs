//! Values that one position has at most: of "the last that is like this", as a position with such a
//! value sees no other that could have it; or of an index moved by what is the same at all positions.
//! And values that some position has, as each number of a position; a width over an order of the positions
//! numbers them. Value sets alone cannot tell, so that a mean over what is selected by it would have as many
//! values as there are sets of positions.

use super::compare::Ranks;
use super::rank::Compared;
use super::selector::place;
use super::space::{Column, VarId};
use super::{Analysis, Operand, VarKind};
use crate::graph::{Graph, SOp, SOpId, Selector, SelectorId};
use crate::value::{Comparison, Value};
use rustc_hash::FxHashMap;

/// How many keys a lexicographic order may have.
const MOST_KEYS: usize = 16;

impl Analysis<'_> {
    /// A query equal to a key that no other position has selects at most one, and so does any
    /// conjunction with such a comparison.
    pub(super) fn unique_by_equality(&self, parts: &[SelectorId]) -> bool {
        let mut unique: Vec<bool> = Vec::with_capacity(parts.len());
        for id in parts {
            let part = |id: &SelectorId| unique[place(parts, *id)];
            let is_unique = match self.graph.get_selector(*id) {
                Selector::And(a, b) => part(a) || part(b),
                Selector::Compare {
                    keys,
                    queries,
                    comparison: Comparison::Equal,
                } => self.distinct_at_positions(*keys) || self.found_once(*keys, *queries),
                Selector::Best { .. } => true,
                Selector::Compare { .. }
                | Selector::Predicate(_)
                | Selector::Or(..)
                | Selector::Not(_) => false,
            };
            unique.push(is_unique);
        }
        unique.last().copied().unwrap_or(false)
    }

    /// Whether two positions of one input never have equal values.
    pub(super) fn distinct_at_positions(&self, id: impl Into<Operand>) -> bool {
        let id = id.into();
        if self.is_permutation(id) {
            return true;
        }
        let Ok(node) = self.node(id) else {
            return false;
        };
        let values = &node.column.values;
        let classes = Ranks::of_one(&values.domain);
        let mut owner: FxHashMap<(Option<usize>, u32), usize> = FxHashMap::default();
        let mut environments = self.environments.iter().enumerate();
        environments.all(|(at, environment)| {
            values.in_environment(at).iter().all(|member| {
                let key = (environment.length, classes[*member as usize]);
                *owner.entry(key).or_insert(environment.position) == environment.position
            })
        }) || self.tells_positions_apart(&node.column, &classes)
    }

    /// Whether the values are always 0, 1, …, n-1 in some order.
    fn is_permutation(&self, id: Operand) -> bool {
        match self.sop(id) {
            Some(SOp::Indices) => true,
            Some(SOp::Width { selector }) => is_strict_order(self.graph, *selector, 0),
            _ => false,
        }
    }

    /// Whether each query finds its value at one position at most, because of what that value says of
    /// all others.
    fn found_once(&self, keys: SOpId, queries: SOpId) -> bool {
        let (Ok(keys), Ok(queries)) = (self.node(keys), self.node(queries)) else {
            return false;
        };
        let domain = &keys.column.values.domain;
        let mut wanted = queries.column.values.domain.iter();
        wanted.all(|wanted| {
            let is_found: Vec<bool> = domain.iter().map(|value| value.equals(wanted)).collect();
            self.is_held_once(&keys.column, &is_found)
        })
    }

    /// A query between 0 and n-1 is always found in a permutation.
    pub(super) fn found_in_permutation(&self, id: SelectorId) -> bool {
        let Selector::Compare {
            keys,
            queries,
            comparison: Comparison::Equal,
        } = self.graph.get_selector(id)
        else {
            return false;
        };
        let column = self.node(*queries).map(|node| &node.column);
        let are_positions =
            |column: &Column| self.are_positions(column) || self.are_positions_by_row(column);
        self.is_permutation((*keys).into()) && column.is_ok_and(are_positions)
    }

    /// Whether all values are positions of their input, wherever they can stand.
    fn are_positions(&self, column: &Column) -> bool {
        let mut environments = self.environments.iter().enumerate();
        environments.all(|(at, environment)| {
            let length = environment.length.unwrap_or(environment.position + 1);
            let values = column.values.in_environment(at).iter();
            let mut values = values.map(|value| &column.values.domain[*value as usize]);
            values.all(|value| is_position(value, length as f64))
        })
    }

    /// The same where the length is one of the variables, as it is not told apart in long inputs.
    fn are_positions_by_row(&self, column: &Column) -> bool {
        let Some(lengths) = self.lengths(&column.space) else {
            return false;
        };
        // Where there is no value, no input that is computed has the row.
        let mut rows = lengths.into_iter().enumerate();
        rows.all(|(row, length)| {
            let value = column.value(row);
            value.is_none_or(|value| is_position(value, length as f64))
        })
    }

    /// Whether a function of the index, and of what is the same at all positions of an input, has
    /// another value at each, as `indices + length - aggregate(select(tokens, "+", ==), indices)` has;
    /// given which of its values are equal.
    fn tells_positions_apart(&self, column: &Column, classes: &[u32]) -> bool {
        let space = &column.space;
        let Ok(place) = space.vars.binary_search(&Self::INDICES) else {
            return false;
        };
        let uniform = self.uniform();
        let mut vars = space.vars.iter();
        if !vars.all(|var| *var == Self::INDICES || uniform[var.0 as usize]) {
            return false;
        }
        let mut owner: FxHashMap<(Vec<u32>, u32), u32> = FxHashMap::default();
        (0..space.rows()).all(|at| {
            let Some(class) = classes.get(column.cells[at] as usize) else {
                // No input that is computed has it.
                return true;
            };
            let mut row = space.row(at).to_vec();
            let index = row.remove(place);
            *owner.entry((row, *class)).or_insert(index) == index
        })
    }

    /// For each variable whether it is the same at all positions of an input, as what heads read that
    /// select for all queries alike.
    fn uniform(&self) -> Vec<bool> {
        let mut uniform = Vec::with_capacity(self.vars.len());
        for var in &self.vars {
            uniform.push(!self.setting.causal && self.is_uniform(var.kind, &uniform));
        }
        uniform
    }

    /// Whether a variable of this kind is, given which of those before it are: it depends on no others.
    fn is_uniform(&self, kind: VarKind, before: &[bool]) -> bool {
        let all = |id: SOpId| {
            let is_one = |var: &VarId| before.get(var.0 as usize) == Some(&true);
            let node = self.node(id);
            node.is_ok_and(|node| node.column.space.vars.iter().all(is_one))
        };
        let for_all_queries = |part: SelectorId| match self.graph.get_selector(part) {
            Selector::Compare { queries, .. } => all(*queries),
            Selector::And(..) | Selector::Or(..) | Selector::Not(_) => true,
            Selector::Predicate(_) | Selector::Best { .. } => false,
        };
        let selector = match kind {
            VarKind::Width(selector) => selector,
            VarKind::Pick(id) | VarKind::Mean(id) | VarKind::Sum(id) => {
                let SOp::Aggregate { selector, .. } = self.graph.get(id) else {
                    return false;
                };
                *selector
            }
            VarKind::Materialised(id) => return all(id),
            VarKind::Tokens
            | VarKind::Indices
            | VarKind::Given(_)
            | VarKind::Weighted(_)
            | VarKind::Total { .. } => return false,
        };
        let mut parts = self.graph.selector_parts(&[selector]).into_iter();
        parts.all(for_all_queries)
    }

    /// Whether two positions of an input never both have one of these values.
    fn is_held_once(&self, column: &Column, values: &[bool]) -> bool {
        let has_one = |row: &usize| {
            let value = column.cells[*row] as usize;
            values.get(value).is_some_and(|held| *held)
        };
        let rows: Vec<usize> = (0..column.space.rows()).filter(has_one).collect();
        let mut vars = column.space.vars.iter().enumerate();
        vars.any(|(place, var)| {
            let Some((selector, says_nothing)) = self.says_nothing(*var) else {
                return false;
            };
            let mut held = rows
                .iter()
                .map(|row| column.space.row(*row)[place] as usize);
            held.all(|value| says_nothing[value]) && self.is_mutual(selector, column, &rows)
        })
    }

    /// The selector that a variable tells about, and which of its values say that nothing is selected.
    fn says_nothing(&self, var: VarId) -> Option<(SelectorId, Vec<bool>)> {
        let var = &self.vars[var.0 as usize];
        let (selector, nothing, others) = match var.kind {
            VarKind::Width(selector) => (selector, &Value::Int(0), None),
            VarKind::Pick(id) | VarKind::Mean(id) => {
                let SOp::Aggregate {
                    selector,
                    value,
                    default,
                } = self.graph.get(id)
                else {
                    return None;
                };
                (*selector, default, Some(*value))
            }
            VarKind::Tokens
            | VarKind::Indices
            | VarKind::Given(_)
            | VarKind::Sum(_)
            | VarKind::Materialised(_)
            | VarKind::Weighted(_)
            | VarKind::Total { .. } => return None,
        };
        if let Some(others) = others {
            // What is selected, or its mean, must not be the default.
            let others = &self.node(others).ok()?.column.values;
            let apart = match (others.numbers(), nothing.as_float()) {
                (Some(numbers), Some(nothing)) => {
                    numbers.iter().all(|n| *n > nothing) || numbers.iter().all(|n| *n < nothing)
                }
                _ => others.domain.iter().all(|value| !value.equals(nothing)),
            };
            if !apart {
                return None;
            }
        }
        let domain = var.values.domain.iter();
        Some((
            selector,
            domain.map(|value| value.equals(nothing)).collect(),
        ))
    }

    /// Whether of any two positions with these rows of a table one selects the other: the later one the earlier
    /// one, or the other way round. No pair of positions is in both orders.
    fn is_mutual(&self, selector: SelectorId, column: &Column, rows: &[usize]) -> bool {
        let (literals, all) = self.conjunction(selector);
        let is_order =
            |literal: &&Compared| literal.keys == literal.queries && self.is_indices(literal.keys);
        let (orders, others): (Vec<&Compared>, Vec<&Compared>) =
            literals.iter().partition(is_order);
        let (mut earlier, mut later) = (true, !self.setting.causal);
        for literal in &orders {
            match literal.comparison {
                Comparison::Less | Comparison::LessEqual => later = false,
                Comparison::Greater | Comparison::GreaterEqual => earlier = false,
                Comparison::NotEqual => {}
                Comparison::Equal => (earlier, later) = (false, false),
            }
        }
        let is_ordered = !orders.is_empty() && (earlier || later);
        all && is_ordered && (others.iter()).all(|literal| self.always_holds(literal, column, rows))
    }

    /// Whether a comparison holds between any two positions with these rows of a table.
    fn always_holds(&self, literal: &Compared, column: &Column, rows: &[usize]) -> bool {
        let held = |id| {
            let held = self.node(id).ok()?;
            Some((
                values_in(&held.column, column, rows),
                &held.column.values.domain,
            ))
        };
        let (Some(keys), Some(queries)) = (held(literal.keys), held(literal.queries)) else {
            return false;
        };
        let ranks = Ranks::new(literal.comparison, keys.1, queries.1);
        let mut pairs = keys
            .0
            .iter()
            .flat_map(|key| queries.0.iter().map(move |query| (*key, *query)));
        !ranks.may_fail() && pairs.all(|(key, query)| ranks.holds(key, query))
    }
}

/// The values of a column in some rows of another table, of those that do not fail; all of them if it
/// depends on anything else.
fn values_in(column: &Column, table: &Column, rows: &[usize]) -> Vec<usize> {
    let count = column.values.domain.len();
    let Some(known) = column.cells_in(&table.space) else {
        return (0..count).collect();
    };
    let cells = rows.iter().map(|row| known[*row] as usize);
    let mut values: Vec<usize> = cells.filter(|value| *value < count).collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// Whether it is the number of a position of an input of this length.
fn is_position(value: &Value, length: f64) -> bool {
    let number = value.as_float();
    number.is_some_and(|number| number.fract() == 0.0 && (0.0..length).contains(&number))
}

/// Whether the selector is a strict total order of the positions, so that its width ranks them:
/// `indices < indices`, or a key first and such an order among equal keys, as `sort` counts
/// (Weiss et al. 2021, section 3.1).
fn is_strict_order(graph: &Graph, id: SelectorId, depth: usize) -> bool {
    let compares_itself = |id: SelectorId, wanted: &[Comparison]| {
        if let Selector::Compare {
            keys,
            queries,
            comparison,
        } = graph.get_selector(id)
            && keys == queries
            && wanted.contains(comparison)
        {
            Some(*keys)
        } else {
            None
        }
    };
    let orders = [Comparison::Less, Comparison::Greater];
    if let Some(key) = compares_itself(id, &orders) {
        return matches!(graph.get(key), SOp::Indices);
    }
    let Selector::Or(a, b) = graph.get_selector(id) else {
        return false;
    };
    if depth > MOST_KEYS {
        return false;
    }
    [(*a, *b), (*b, *a)].into_iter().any(|(first, ties)| {
        let (Some(key), Selector::And(c, d)) =
            (compares_itself(first, &orders), graph.get_selector(ties))
        else {
            return false;
        };
        [(*c, *d), (*d, *c)].into_iter().any(|(equal, rest)| {
            compares_itself(equal, &[Comparison::Equal]) == Some(key)
                && is_strict_order(graph, rest, depth + 1)
        })
    })
}
