//! Sums that are variables of their own, beside what they are made of. A variable forgets what it is made
//! of: that `a > b` is whether `a - b` is above 0, and that `b - a` is its negation, is found here, in
//! their tables over `a` and `b`.

use super::space::{Column, FAILS, VarId};
use super::table::union;
use super::{Analysis, VarKind};
use std::sync::Arc;

impl Analysis<'_> {
    /// A column as one of a sum that is a variable, if it is a function of one, over the same variables.
    pub(super) fn over_a_sum(&mut self, column: &Column) -> Option<Column> {
        let known = (0..self.vars.len() as u32).map(VarId);
        let mut related = known.filter_map(|var| {
            let function = function_of(self.definition(var)?, column)?;
            Some((var, function))
        });
        let (var, function) = related.next_back()?;
        self.over(var, &function, column)
    }

    /// Brings columns of one table over the same variables: where some are of a sum and others of what it
    /// is made of, all over the sum if they are functions of it, otherwise over what it is made of.
    pub(super) fn relate_to_sums(&mut self, columns: &mut [Column]) {
        for var in union(columns) {
            let Some(definition) = self.definition(var).cloned() else {
                continue;
            };
            let parts = &definition.space.vars;
            let is_beside = |column: &&mut Column| column.space.vars == *parts;
            let mut beside: Vec<&mut Column> = columns.iter_mut().filter(is_beside).collect();
            let over_sum = beside.iter().map(|column| {
                let function = function_of(&definition, column)?;
                self.over(var, &function, column)
            });
            if let Some(over_sum) = over_sum.collect::<Option<Vec<Column>>>() {
                for (column, over) in beside.iter_mut().zip(over_sum) {
                    **column = over;
                }
                continue;
            }
            let known = union(columns);
            if parts.iter().all(|part| known.binary_search(part).is_ok()) {
                let of_sum = columns
                    .iter_mut()
                    .filter(|column| *column.space.vars == [var]);
                of_sum.for_each(|column| *column = over_parts(column, &definition));
            }
        }
    }

    /// What a variable is of others, if it is an elementwise s-op that never fails.
    fn definition(&self, var: VarId) -> Option<&Column> {
        let VarKind::Materialised(id) = self.vars[var.0 as usize].kind else {
            return None;
        };
        let column = &self.node(id).ok()?.column;
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
