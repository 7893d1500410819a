//! Fractions by number. Where a function depends on several things, some of which heads wrote, one
//! linear read of these may need more digits than float32 has. Here the values of each are numbered
//! by exact bits first, and the function is a staircase of whole numbers, a layer later.

use super::axis::Axis;
use super::search::Found;
use super::steps::staircase;
use super::wanted::{Table, Wanted};
use crate::compile::linear::LinearRead;
use crate::compile::way::{NotThis, Way};
use crate::compile::{Care, Compiler, Want};
use crate::graph::Encoding;
use crate::infer::space::VarId;
use crate::infer::{Analysis, VarKind};

/// Numbers that differ by less than this share are one.
const SAME: f64 = 1e-8;

/// More variables than this are not numbered together where operands do.
const MOST: usize = 3;

/// Embeddings of more values are read in as few directions as they can be.
const MOST_DIRECTIONS: usize = 16;

/// Larger whole numbers do not stand for themselves.
const LARGEST: f64 = 1_024.0;

impl Compiler<'_> {
    /// The feature as a staircase of the numbers of its variables' values; none if there is none, or
    /// only one variable.
    pub(super) fn by_numbers(&mut self, wanted: Wanted) -> Way {
        let Table { space, target } = self.table(wanted)?;
        if space.vars.len() > MOST {
            // Its operands may well be functions of fewer each.
            if let Ok(read) = self.through_operands(wanted) {
                return Ok(read);
            }
        }
        if space.vars.len() < 2 || space.vars.iter().all(|var| *var <= Analysis::INDICES) {
            return Err(NotThis);
        }
        let mut axes = Vec::with_capacity(space.vars.len());
        for (place, var) in space.vars.iter().enumerate() {
            let (numbers, read) = self.numbered(*var)?;
            let cells = (0..space.rows()).map(|row| space.row(row)[place]);
            axes.push(Axis::numbered(cells.collect(), numbers, read));
        }
        self.staircase_of(&axes, &target, wanted)
    }

    /// How a categorical variable of so many values is to be held: as the program asks, or so that
    /// all its functions are sums of directions, without fractions.
    pub(crate) fn wish(&self, kind: VarKind, values: usize) -> Option<Encoding> {
        let is_exact = self.care == Care::Exact && values <= MOST_DIRECTIONS;
        match kind {
            VarKind::Given(_) => Some(Encoding::Categorical),
            VarKind::Pick(id) => self.analysis.graph.encoding(id),
            VarKind::Tokens | VarKind::Indices if is_exact => Some(Encoding::Categorical),
            VarKind::Tokens
            | VarKind::Indices
            | VarKind::Width(_)
            | VarKind::Sum(_)
            | VarKind::Mean(_)
            | VarKind::Materialised(_)
            | VarKind::Weighted(_)
            | VarKind::Total { .. } => None,
        }
    }

    /// A whole number for each value of a variable, and what computes it; none if floats hardly tell
    /// the values apart.
    fn numbered(&mut self, var: VarId) -> Way<(Vec<f64>, LinearRead)> {
        let values = self.analysis.values(var);
        let is_whole = |number: &f64| number.fract() == 0.0 && number.abs() <= LARGEST;
        let own = values.numbers();
        let numbers = match &own {
            Some(own) if own.iter().all(is_whole) => own.clone(),
            Some(own) => ranks(own),
            None => (0..values.domain.len()).map(|at| at as f64).collect(),
        };
        let held = || LinearRead::function(var, numbers.clone());
        if var <= Analysis::INDICES {
            return Ok((numbers.clone(), held()));
        }
        let (points, argument) = match (self.is_categorical(var), self.inverse_widths(var), own) {
            (true, _, _) => (numbers.clone(), held()),
            (false, Some(inverses), _) => inverses,
            (false, None, Some(own)) => {
                let read = self.whole(var, &own);
                (own, read)
            }
            (false, None, None) => return Err(NotThis),
        };
        let points: Vec<(f64, f64)> = points.into_iter().zip(numbers.iter().copied()).collect();
        let stairs = staircase(points).ok_or(NotThis)?;
        let label = self.analysis.var_name(var);
        let read = self.computed(Found { argument, stairs }, None, Want::Snapped, &label)?;
        Ok((numbers, read))
    }
}

/// The place of each number among those that floats tell apart.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup_by(|b, a| *b - *a <= SAME * (1.0 + a.abs()));
    let rank = |number: &f64| sorted.partition_point(|known| known <= number) as f64 - 1.0;
    numbers.iter().map(rank).collect()
}
