//! Joint tables: the combinations of values that a few variables can have together. Variables are
//! the input, the index and what attention wrote; every elementwise s-op is one column of such a
//! table, which is how `x - x` is known to be zero.

use super::sets::{SetBuilder, Values, in_order};
use crate::value::Value;
use bit_vec::BitVec;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

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
    rows: usize,
    /// The weight of each variable in the number of a combination.
    weights: Vec<u64>,
    /// How many numbers there are.
    numbers: u64,
    /// The row of each number, made when it is asked for.
    row_of: OnceLock<Numbering>,
    /// The rows beside the first, found when they are asked for.
    beside_first: OnceLock<Vec<usize>>,
    /// The rows of parts, by their variables, as they were found.
    projected: Mutex<FxHashMap<Vec<VarId>, Arc<[u32]>>>,
    /// The rows possible in each group of environments that are alike for these variables.
    groups: Vec<Rows>,
    /// For each environment its group.
    group_at: Vec<u32>,
}

/// Some rows of a space, a bit for each: most rows are possible in many groups.
#[derive(Debug, Default)]
struct Rows {
    words: Vec<u64>,
}

impl Rows {
    fn insert(&mut self, row: u32) {
        let word = row as usize / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (row % 64);
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        let words = self.words.iter().enumerate();
        words.flat_map(|(at, word)| {
            std::iter::successors(Some(*word), |left| Some(left & left.wrapping_sub(1)))
                .take_while(|left| *left != 0)
                .map(move |left| 64 * at + left.trailing_zeros() as usize)
        })
    }
}

/// The rows of combinations, which are numbers with one digit for each variable.
#[derive(Debug)]
pub(super) enum Numbering {
    /// Where few numbers are not possible; [`FAILS`] for those.
    Dense(Vec<u32>),
    Sparse(FxHashMap<u64, u32>),
}

/// A column over a space: for each row an index into `values.domain`, or [`FAILS`].
#[derive(Clone, Debug)]
pub struct Column {
    pub space: Arc<Space>,
    pub cells: Arc<[u32]>,
    pub values: Values,
}

/// The weight of each digit and how many numbers there are; `None` if they are too many.
fn weights(sizes: &[usize]) -> Option<(Vec<u64>, u64)> {
    let mut weights = vec![0; sizes.len()];
    let mut count = 1u64;
    for (weight, size) in weights.iter_mut().zip(sizes).rev() {
        *weight = count;
        count = count.checked_mul((*size).max(1) as u64)?;
    }
    Some((weights, count))
}

impl Numbering {
    pub(super) fn new(numbers: u64, rows: usize) -> Numbering {
        if numbers <= 8 * rows as u64 + 64 {
            Numbering::Dense(vec![FAILS; numbers as usize])
        } else {
            Numbering::Sparse(FxHashMap::with_capacity_and_hasher(rows, FxBuildHasher))
        }
    }

    /// The row of a number, which is `next` if it is new.
    pub(super) fn row_or(&mut self, number: u64, next: u32) -> u32 {
        match self {
            Numbering::Dense(rows) => {
                let row = &mut rows[number as usize];
                if *row == FAILS {
                    *row = next;
                }
                *row
            }
            Numbering::Sparse(rows) => *rows.entry(number).or_insert(next),
        }
    }

    fn row(&self, number: u64) -> u32 {
        match self {
            Numbering::Dense(rows) => rows[number as usize],
            Numbering::Sparse(rows) => rows[&number],
        }
    }
}

/// What is known of a space of more rows is not kept for each part, as it takes much memory.
const MOST_KEPT: usize = 65_536;

/// How often combinations are looked at, in different environments.
const MOST_REPEATS: usize = 16;

/// The environments in groups that are alike for some variables.
struct Groups<'v> {
    /// The values of the variables in each group; `None` where all environments are one group.
    sets: Option<Vec<Vec<&'v [u32]>>>,
    group_at: Vec<u32>,
    /// The sizes of all groups together.
    rows: usize,
}

impl<'v> Groups<'v> {
    /// One group of all that is possible in any environment, which forgets in which.
    fn alike(values: &[&Values], environments: usize) -> Groups<'v> {
        Groups {
            sets: None,
            group_at: vec![0; environments],
            rows: values.iter().map(|v| v.domain.len()).product(),
        }
    }

    /// `None` if there are more than `limit` combinations.
    fn new(values: &[&'v Values], environments: usize, limit: usize) -> Option<Groups<'v>> {
        let (mut groups, mut rows) = (Vec::new(), 0usize);
        let mut group_at = Vec::with_capacity(environments);
        let sizes = values.iter().map(|v| v.domain.len());
        let all = sizes.fold(1, usize::saturating_mul);
        let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut signature: Vec<u32> = Vec::with_capacity(values.len());
        for environment in 0..environments {
            signature.clear();
            signature.extend(values.iter().map(|v| v.at[environment]));
            if let Some(group) = known.get(&signature) {
                group_at.push(*group);
                continue;
            }
            let sets = values.iter().map(|v| &**v.in_environment(environment));
            let sets: Vec<&[u32]> = sets.collect();
            let size = sets
                .iter()
                .try_fold(1usize, |size, set| size.checked_mul(set.len()))?;
            rows = rows.saturating_add(size);
            // The sets of one variable are of values that are listed anyway.
            let repeats = values.len() > 1 && rows > MOST_REPEATS.saturating_mul(limit);
            if rows.min(all) > limit {
                return None;
            }
            if repeats {
                return Some(Groups::alike(values, environments));
            }
            let group = groups.len() as u32;
            groups.push(sets);
            known.insert(signature.clone(), group);
            group_at.push(group);
        }
        Some(Groups {
            sets: Some(groups),
            group_at,
            rows,
        })
    }
}

/// The environments that allow each value of each variable.
fn allowing(values: &[&Values], environments: usize) -> Vec<Vec<BitVec>> {
    let of_variable = |values: &&Values| {
        let mut allowing = vec![BitVec::from_elem(environments, false); values.domain.len()];
        for at in 0..environments {
            for value in values.in_environment(at).iter() {
                allowing[*value as usize].set(at, true);
            }
        }
        allowing
    };
    values.iter().map(of_variable).collect()
}

impl Space {
    /// Whether the space of variables with these values has more than `limit` combinations.
    pub fn is_larger(values: &[&Values], environments: usize, limit: usize) -> bool {
        let sizes = values.iter().map(|v| v.domain.len());
        sizes.fold(1, usize::saturating_mul) > limit
            && Groups::new(values, environments, limit).is_none_or(|groups| groups.rows > limit)
    }

    /// The space of variables with these values; `None` if it has more than `limit` combinations.
    pub fn build(
        vars: Vec<VarId>,
        values: &[&Values],
        environments: usize,
        limit: usize,
    ) -> Option<Space> {
        let groups = Groups::new(values, environments, limit)?;
        let sizes: Vec<usize> = values.iter().map(|v| v.domain.len()).collect();
        let (weights, numbers) = weights(&sizes)?;
        let mut space = Space {
            weights,
            numbers,
            row_of: OnceLock::new(),
            beside_first: OnceLock::new(),
            projected: Mutex::default(),
            cells: Vec::with_capacity(groups.rows.min(limit) * vars.len()),
            vars,
            rows: 0,
            groups: Vec::new(),
            group_at: groups.group_at,
        };
        let most = groups
            .rows
            .min(usize::try_from(numbers).unwrap_or(usize::MAX));
        let mut row_of = Numbering::new(numbers, most);
        match &groups.sets {
            Some(each) => {
                for sets in each {
                    let rows = space.add_product(sets, &mut row_of);
                    space.groups.push(rows);
                }
            }
            None => {
                let allowing = allowing(values, environments);
                let anywhere = BitVec::from_elem(environments, true);
                space.add_possible(&allowing, &anywhere, &mut Vec::new());
                let mut rows = Rows::default();
                (0..space.rows as u32).for_each(|row| rows.insert(row));
                space.groups.push(rows);
            }
        }
        space.cells.shrink_to_fit();
        Some(space)
    }

    /// The rows of all combinations of values from some sets, the last changing fastest.
    fn add_product(&mut self, sets: &[&[u32]], row_of: &mut Numbering) -> Rows {
        let size = sets.iter().map(|set| set.len()).product();
        let mut rows = Rows::default();
        let mut places = vec![0; sets.len()];
        let digits = sets.iter().zip(&self.weights);
        let mut number: u64 = digits
            .filter_map(|(set, weight)| Some(u64::from(*set.first()?) * weight))
            .sum();
        for _ in 0..size {
            let row = row_of.row_or(number, self.rows as u32);
            if row as usize == self.rows {
                self.rows += 1;
                let cells = places.iter().zip(sets).map(|(place, set)| set[*place]);
                self.cells.extend(cells);
            }
            rows.insert(row);
            for ((place, set), weight) in places.iter_mut().zip(sets).zip(&self.weights).rev() {
                number -= u64::from(set[*place]) * weight;
                *place += 1;
                if *place < set.len() {
                    number += u64::from(set[*place]) * weight;
                    break;
                }
                *place = 0;
                number += u64::from(set[0]) * weight;
            }
        }
        rows
    }

    /// The rows of all combinations that one of some environments allows, the last changing fastest. What no
    /// environment allows would have no row in the space of some of the variables.
    fn add_possible(&mut self, allowing: &[Vec<BitVec>], among: &BitVec, first: &mut Vec<u32>) {
        let Some((allowing, later)) = allowing.split_first() else {
            self.cells.extend(&*first);
            self.rows += 1;
            return;
        };
        for (allows, value) in allowing.iter().zip(0..) {
            let mut both = among.clone();
            both.and(allows);
            if both.any() {
                first.push(value);
                self.add_possible(later, &both, first);
                first.pop();
            }
        }
    }

    fn rows_by_number(&self) -> Numbering {
        let mut row_of = Numbering::new(self.numbers, self.rows);
        for row in 0..self.rows {
            let digits = self.row(row).iter().zip(&self.weights);
            let number = digits.map(|(cell, weight)| u64::from(*cell) * weight);
            row_of.row_or(number.sum(), row as u32);
        }
        row_of
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The variables' values in one row, as indices into their domains.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.cells[row * self.vars.len()..(row + 1) * self.vars.len()]
    }

    /// The rows that differ from the first in one variable at most, the first among them.
    pub fn beside_first(&self) -> &[usize] {
        let Some(first) = (self.rows > 0).then(|| self.row(0)) else {
            return &[];
        };
        let is_beside = |row: &usize| {
            let pairs = self.row(*row).iter().zip(first);
            pairs.filter(|(cell, first)| cell != first).count() <= 1
        };
        let found = || (0..self.rows).filter(is_beside).collect();
        self.beside_first.get_or_init(found)
    }

    /// For each row of this space the row of `part`, whose variables are among this one's, that
    /// agrees with it.
    pub fn project(&self, part: &Space) -> Arc<[u32]> {
        if self.vars == part.vars {
            return (0..self.rows as u32).collect();
        }
        if self.rows > MOST_KEPT {
            return self.projected_on(part);
        }
        let projected = self.projected.lock();
        let mut projected = projected.unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = projected.get(&part.vars) {
            return Arc::clone(known);
        }
        let rows = self.projected_on(part);
        projected.insert(part.vars.clone(), Arc::clone(&rows));
        rows
    }

    fn projected_on(&self, part: &Space) -> Arc<[u32]> {
        let places = part.vars.iter().map(|var| self.vars.binary_search(var));
        let places = places.filter_map(Result::ok);
        let digits: Vec<(usize, u64)> = places.zip(part.weights.iter().copied()).collect();
        assert_eq!(digits.len(), part.vars.len());
        let row_of = part.row_of.get_or_init(|| part.rows_by_number());
        let rows = self.cells.chunks_exact(self.vars.len());
        let number = |row: &[u32]| {
            let digits = digits.iter();
            digits
                .map(|(at, weight)| u64::from(row[*at]) * weight)
                .sum()
        };
        // Every combination of the whole is possible in its part.
        rows.map(|row| row_of.row(number(row))).collect()
    }

    /// The column with these values, one a row; `None` where computing it fails.
    pub fn column(self: &Arc<Space>, results: Vec<Option<Value>>) -> Column {
        let mut distinct = Distinct::default();
        let cells = results.into_iter();
        let cells =
            cells.map(|value| value.map_or(FAILS, |value| distinct.insert_full(value).0 as u32));
        let cells = cells.collect();
        self.column_of(cells, distinct)
    }

    /// The column with these values, given by number.
    pub fn column_of(self: &Arc<Space>, mut cells: Vec<u32>, values: Distinct) -> Column {
        let (domain, places) = in_order(values);
        for cell in cells.iter_mut().filter(|cell| **cell != FAILS) {
            *cell = places[*cell as usize];
        }
        let values = self.values_of(&cells, domain);
        Column {
            space: self.clone(),
            cells: cells.into(),
            values,
        }
    }

    fn values_of(&self, cells: &[u32], domain: Arc<[Value]>) -> Values {
        let mut builder = SetBuilder::default();
        // The group that had a value last.
        let mut last = vec![FAILS; domain.len()];
        let mut set_of = |(group, rows): (u32, &Rows)| {
            let members = rows.iter().map(|row| cells[row]);
            let new = |cell: &u32| {
                *cell != FAILS && std::mem::replace(&mut last[*cell as usize], group) != group
            };
            builder.add(members.filter(new).collect())
        };
        let set_of_group: Vec<u32> = (0..).zip(&self.groups).map(&mut set_of).collect();
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

/// Values in the order in which they came, each once.
pub type Distinct = IndexSet<Value, FxBuildHasher>;

impl Column {
    /// The value in a row, unless computing it fails.
    pub fn value(&self, row: usize) -> Option<&Value> {
        self.values.domain.get(self.cells[row] as usize)
    }

    /// The cell in each row of another space; `None` if it depends on anything else.
    pub fn cells_in(&self, whole: &Space) -> Option<Vec<u32>> {
        let is_there = |var: &VarId| whole.vars.binary_search(var).is_ok();
        self.space.vars.iter().all(is_there).then(|| {
            let rows = whole.project(&self.space);
            let cells = rows.iter().map(|row| self.cells[*row as usize]);
            cells.collect()
        })
    }
}
