//! Joint tables: the combinations of values that a few variables can have together. Variables are
//! the input, the index and what attention wrote; every elementwise s-op is one column of such a
//! table, which is how `x - x` is known to be zero.

use super::sets::{SetBuilder, Values};
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A variable of joint tables; ids are topological.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// Marks a combination for which a column has no value, because computing it fails.
pub const FAILS: u32 = u32::MAX;

/// The possible combinations of some variables' values.
#[derive(Debug)]
pub struct Space {
    /// Ascending.
    pub vars: Vec<VarId>,
    /// `rows * vars.len()` indices into the variables' domains.
    cells: Vec<u32>,
    index: FxHashMap<Box<[u32]>, u32>,
    rows: usize,
    /// The rows possible in each group of environments that are alike for these variables.
    groups: Vec<Vec<u32>>,
    /// For each environment its group.
    group_at: Vec<u32>,
}

/// A column over a space: for each row an index into `values.domain`, or [`FAILS`].
#[derive(Clone, Debug)]
pub struct Column {
    pub space: Arc<Space>,
    pub cells: Arc<[u32]>,
    pub values: Values,
}

impl Space {
    /// The space of variables with these values; `None` if it has more than `limit` combinations.
    pub fn build(
        vars: Vec<VarId>,
        values: &[&Values],
        environments: usize,
        limit: usize,
    ) -> Option<Space> {
        let mut space = Space {
            vars,
            cells: Vec::new(),
            index: FxHashMap::default(),
            rows: 0,
            groups: Vec::new(),
            group_at: Vec::with_capacity(environments),
        };
        let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut total = 0usize;
        for environment in 0..environments {
            let signature: Vec<u32> = values.iter().map(|v| v.at[environment]).collect();
            if let Some(group) = known.get(&signature) {
                space.group_at.push(*group);
                continue;
            }
            let sets: Vec<&[u32]> = values
                .iter()
                .map(|values| &**values.in_environment(environment))
                .collect();
            let size = sets
                .iter()
                .try_fold(1usize, |size, set| size.checked_mul(set.len()))?;
            total = total.saturating_add(size);
            if total > limit {
                return None;
            }
            let group = space.groups.len() as u32;
            let rows = (0..size).map(|at| space.row_of(&sets, at)).collect();
            space.groups.push(rows);
            known.insert(signature, group);
            space.group_at.push(group);
        }
        Some(space)
    }

    fn row_of(&mut self, sets: &[&[u32]], mut at: usize) -> u32 {
        let mut cells = vec![0; sets.len()];
        for (cell, set) in cells.iter_mut().zip(sets).rev() {
            *cell = set[at % set.len()];
            at /= set.len();
        }
        let cells = cells.into_boxed_slice();
        if let Some(row) = self.index.get(&cells) {
            return *row;
        }
        let row = self.rows as u32;
        self.rows += 1;
        self.cells.extend_from_slice(&cells);
        self.index.insert(cells, row);
        row
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The variables' values in one row, as indices into their domains.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.cells[row * self.vars.len()..(row + 1) * self.vars.len()]
    }

    /// For each row of this space the row of `part`, whose variables are among this one's, that
    /// agrees with it.
    pub fn project(&self, part: &Space) -> Vec<u32> {
        if self.vars == part.vars {
            return (0..self.rows as u32).collect();
        }
        let places: Vec<usize> = part
            .vars
            .iter()
            .filter_map(|var| self.vars.binary_search(var).ok())
            .collect();
        debug_assert_eq!(places.len(), part.vars.len());
        let mut key = vec![0; places.len()].into_boxed_slice();
        (0..self.rows)
            .map(|row| {
                let cells = self.row(row);
                for (slot, place) in key.iter_mut().zip(&places) {
                    *slot = cells[*place];
                }
                // Every combination of the whole is possible in its part.
                part.index[&key]
            })
            .collect()
    }

    /// The column with these values, one a row; `None` where computing it fails.
    pub fn column(self: &Arc<Space>, results: Vec<Option<Value>>) -> Column {
        let mut domain: Vec<Value> = Vec::new();
        let mut ids: FxHashMap<Value, u32> = FxHashMap::default();
        for value in results.iter().flatten() {
            if !ids.contains_key(value) {
                ids.insert(value.clone(), 0);
                domain.push(value.clone());
            }
        }
        domain.sort_by(Value::canonical_order);
        for (value, id) in domain.iter().zip(0..) {
            ids.insert(value.clone(), id);
        }
        let cells: Arc<[u32]> = results
            .iter()
            .map(|value| value.as_ref().map_or(FAILS, |value| ids[value]))
            .collect();
        let values = self.values_of(&cells, domain.into());
        Column {
            space: self.clone(),
            cells,
            values,
        }
    }

    fn values_of(&self, cells: &[u32], domain: Arc<[Value]>) -> Values {
        let mut builder = SetBuilder::default();
        let set_of_group: Vec<u32> = self
            .groups
            .iter()
            .map(|rows| {
                let members = rows.iter().map(|row| cells[*row as usize]);
                builder.add(members.filter(|cell| *cell != FAILS).collect())
            })
            .collect();
        Values {
            domain,
            sets: builder.sets,
            at: self
                .group_at
                .iter()
                .map(|group| set_of_group[*group as usize])
                .collect(),
        }
    }
}

impl Column {
    /// The value in a row, unless computing it fails.
    pub fn value(&self, row: usize) -> Option<&Value> {
        self.values.domain.get(self.cells[row] as usize)
    }
}
