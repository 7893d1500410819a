//! What a reader wants of an s-op, as all ways to compute it are asked: a number for each of its values, and
//! what that is in each row of its table. Depends on `infer`.

use super::search::Found;
use crate::compile::linear::LinearRead;
use crate::compile::linear::by_shape::affine;
use crate::compile::{Compiler, Want};
use crate::infer::space::{Column, Space};
use crate::infer::{Operand, Stopped};
use std::sync::Arc;

/// A feature that a reader wants.
#[derive(Clone, Copy)]
pub(in crate::compile) struct Wanted<'a> {
    pub id: Operand,
    /// What it is where the s-op has the value with this number.
    pub function: &'a [f64],
    pub want: Want,
    pub label: &'a str,
}

/// What a feature is in each row of the table of its s-op.
pub(in crate::compile) struct Table {
    pub space: Arc<Space>,
    /// NaN where it may be anything, as the s-op fails.
    pub target: Vec<f64>,
}

impl Table {
    /// The rows in which it is something.
    pub fn rows(&self) -> Vec<usize> {
        let rows = 0..self.target.len();
        rows.filter(|row| !self.target[*row].is_nan()).collect()
    }

    /// Numbers in each row, any where nothing is wanted; `None` if one is missing elsewhere.
    pub fn numbers(&self, rows: impl Iterator<Item = Option<f64>>) -> Option<Vec<f64>> {
        let rows = rows.zip(&self.target);
        rows.map(|(number, wanted)| number.or(wanted.is_nan().then_some(0.0)))
            .collect()
    }
}

impl Compiler<'_> {
    /// The feature as the staircase that it was found to be.
    pub(super) fn staircase(
        &mut self,
        found: Found,
        wanted: Wanted,
    ) -> Result<LinearRead, Stopped> {
        self.computed(found, Some(wanted.id), wanted.want, wanted.label)
    }

    /// What a feature is in each row of the table of its s-op.
    pub(super) fn table(&self, wanted: Wanted) -> Result<Table, Stopped> {
        let column = &self.analysis.node(wanted.id)?.column;
        Ok(Table {
            space: column.space.clone(),
            target: targets(column, wanted.function),
        })
    }

    /// What the number of the s-op is multiplied by, and what is added to that, if a feature is so much of it.
    pub(super) fn line(&self, wanted: Wanted) -> Result<Option<(f64, f64)>, Stopped> {
        let values = &self.analysis.node(wanted.id)?.column.values;
        Ok(affine(&values.numbers(), wanted.function))
    }
}

/// The number of each value of an s-op, and what it is in each row of a space.
pub(super) type InRows = (Vec<f64>, Vec<f64>);

/// What a function of an s-op's values is in each row of its table; NaN where it fails.
pub(in crate::compile) fn targets(column: &Column, function: &[f64]) -> Vec<f64> {
    let cells = column.cells.iter();
    cells
        .map(|cell| function.get(*cell as usize).copied().unwrap_or(f64::NAN))
        .collect()
}
