//! Sums that are variables of their own, beside what they are made of. A variable forgets what it is made
//! of: that `a > b` is whether `a - b` is above 0, and that `b - a` is its negation, is found here, in
//! their tables over `a` and `b`.

use super::space::{Column, FAILS, VarId};
use super::table::union;
use super::{Analysis, Node, VarKind};
use std::borrow::Cow;
use std::sync::Arc;

impl Analysis<'_> {
    /// A column as one of a sum that is a variable, if it is a function of one, over the same variables.
    pub(super) fn over_a_sum(&mut self, column: &Column) -> Option<Column> {
        let known = (0..self.vars.len() as u32).map(VarId);
        // Whether something fails is seen by going through its table, of which there are many.
        let is_beside = |var: &VarId| {
            let sum = self.as_made(*var);
            sum.is_some_and(|sum| sum.space.vars == column.space.vars)
        };
        let mut related = known.filter(is_beside).filter_map(|var| {
            let function = function_of(self.definition(var)?, column)?;
            Some((var, function))
        });
        let (var, function) = related.next_back()?;
        self.over(var, &function, column)
    }

    /// Brings columns of one table over the same variables. Where some are of a sum and others of what it
    /// is made of, all are over the sum if they are functions of it; otherwise sums are over what they are
    /// made of if fewer combinations are left so.
    pub(super) fn relate_to_sums(&mut self, columns: &mut [Column]) {
        for var in union(columns) {
            let Some(sum) = self.definition(var).cloned() else {
                continue;
            };
            let beside = columns.iter_mut();
            let beside = beside.filter(|column| column.space.vars == sum.space.vars);
            let mut beside: Vec<&mut Column> = beside.collect();
            let over_sum = beside.iter().map(|column| {
                let function = function_of(&sum, column)?;
                self.over(var, &function, column)
            });
            match over_sum.collect::<Option<Vec<Column>>>() {
                Some(over_sum) if !over_sum.is_empty() => {
                    for (column, over) in beside.iter_mut().zip(over_sum) {
                        **column = over;
                    }
                }
                _ => self.replace_by_parts(columns, &sum.space.vars),
            }
        }
    }

    /// Brings columns of sums of some variables over these, if fewer combinations are left so.
    fn replace_by_parts(&self, columns: &mut [Column], parts: &[VarId]) {
        let over_parts: Vec<Option<Column>> = columns
            .iter()
            .map(|column| match *column.space.vars {
                [var] => {
                    let sum = self.definition(var)?;
                    (sum.space.vars == *parts).then(|| over_parts(column, sum))
                }
                _ => None,
            })
            .collect();
        let replaced = columns.iter().zip(&over_parts);
        let replaced = replaced.map(|(column, over)| over.as_ref().unwrap_or(column));
        let replaced: Vec<Column> = replaced.cloned().collect();
        let combinations = |columns: &[Column]| {
            let vars = union(columns).into_iter();
            let sizes = vars.map(|var| self.values(var).domain.len());
            sizes.fold(1, usize::saturating_mul)
        };
        if combinations(&replaced) < combinations(columns) {
            columns.clone_from_slice(&replaced);
        }
    }

    /// The values of a node over some of these variables, if they are a function of them: as its readers
    /// see them, or by what a sum is made of.
    pub fn over_known<'a>(&self, node: &'a Node, known: &[VarId]) -> Option<Cow<'a, Column>> {
        let is_known = |column: &Column| {
            let mut vars = column.space.vars.iter();
            vars.all(|var| known.binary_search(var).is_ok())
        };
        let mut columns = [&node.seen, &node.column].into_iter();
        if let Some(column) = columns.find(|column| is_known(column)) {
            return Some(Cow::Borrowed(column));
        }
        let [var] = *node.seen.space.vars else {
            return None;
        };
        let sum = self.definition(var).filter(|sum| is_known(sum))?;
        Some(Cow::Owned(over_parts(&node.seen, sum)))
    }

    /// The elementwise s-op that a variable is, as its operands make it.
    fn as_made(&self, var: VarId) -> Option<&Column> {
        let VarKind::Materialised(id) = self.kind(var) else {
            return None;
        };
        Some(&self.node(id).ok()?.column)
    }

    /// What a variable is of others, if it is an elementwise s-op that never fails.
    fn definition(&self, var: VarId) -> Option<&Column> {
        let column = self.as_made(var)?;
        let is_defined = *column.space.vars != [var] && !self.may_fail(column);
        is_defined.then_some(column)
    }

    /// A column by what it is for each value of a variable.
    fn over(&mut self, var: VarId, function: &[u32], column: &Column) -> Option<Column> {
        let alone = self.alone(var).ok()?.column;
        let cells = alone.cells.iter().map(|value| function[*value as usize]);
        Some(Column {
            cells: cells.collect(),
            space: alone.space,
            values: column.values.clone(),
        })
    }
}

/// What a column is for each value of another, if both are over the same variables and it is a function
/// of the other.
fn function_of(of: &Column, column: &Column) -> Option<Vec<u32>> {
    if of.space.vars != column.space.vars {
        return None;
    }
    let mut function = vec![None; of.values.domain.len()];
    for (value, cell) in of.cells.iter().zip(&*column.cells) {
        let known = function.get_mut(*value as usize)?.get_or_insert(*cell);
        if *cell == FAILS || known != cell {
            return None;
        }
    }
    function.into_iter().collect()
}

/// A column of a sum as one of what that is made of.
fn over_parts(column: &Column, sum: &Column) -> Column {
    let mut of_value = vec![FAILS; sum.values.domain.len()];
    for (row, cell) in column.cells.iter().enumerate() {
        of_value[column.space.row(row)[0] as usize] = *cell;
    }
    let cells = sum.cells.iter().map(|value| of_value[*value as usize]);
    Column {
        cells: cells.collect(),
        space: Arc::clone(&sum.space),
        values: column.values.clone(),
    }
}
