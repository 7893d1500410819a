//! Elementwise s-ops of what a head gives and of what it has read. The latter was computed before
//! the head, so that reading it as a variable costs no layer: their table is over these two instead of
//! all that both are made of.

use super::space::{Column, FAILS, Space, VarId};
use super::table::union;
use super::{Analysis, VarKind};
use crate::graph::{SOp, SOpId};
use crate::value::Op;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Smaller tables are searched as they are.
const FEW_ROWS: usize = 16;

impl Analysis<'_> {
    /// The columns of some s-ops and their joint table, with variables for what heads have read; `None`
    /// where that is no smaller, or where it fails in more rows.
    pub(super) fn after_heads(&mut self, operands: &[SOpId]) -> Option<(Vec<Column>, Arc<Space>)> {
        let mut columns = Vec::with_capacity(operands.len());
        for operand in operands {
            columns.push(self.node(*operand).ok()?.seen.clone());
        }
        let vars = union(&columns);
        if !self.is_larger(&vars, FEW_ROWS) {
            return None;
        }
        let read = self.read_by_heads(&vars);
        if read.is_empty() {
            return None;
        }
        let mut over = Over {
            known: FxHashMap::default(),
            first: *read.first()?,
        };
        for id in read {
            let column = self.node(id).ok()?.column.clone();
            over.known.insert(id, self.as_variable(id, &column).ok()?);
        }
        let mut after = Vec::with_capacity(operands.len());
        for (operand, before) in operands.iter().zip(&columns) {
            let column = over.column(self, *operand)?;
            if column.cells.contains(&FAILS) && !before.cells.contains(&FAILS) {
                return None;
            }
            after.push(column);
        }
        let space = self.space_of(&after).ok()?;
        let rows = self.spaces.get(&vars).and_then(Option::as_ref);
        let is_smaller = rows.is_none_or(|whole| space.rows() < whole.rows());
        is_smaller.then_some((after, space))
    }

    /// Elementwise s-ops of several variables that the heads of some variables read, ascending.
    fn read_by_heads(&self, vars: &[VarId]) -> Vec<SOpId> {
        let mut read = Vec::new();
        for var in vars {
            let needed = match self.kind(*var) {
                VarKind::Pick(id) | VarKind::Mean(id) | VarKind::Sum(id) => {
                    self.graph.dependencies(id)
                }
                VarKind::Width(selector) => self.graph.selector_operands(selector),
                VarKind::Tokens
                | VarKind::Indices
                | VarKind::Given(_)
                | VarKind::Materialised(_)
                | VarKind::Weighted(_)
                | VarKind::Total { .. } => continue,
            };
            let is_of_these = |id: &SOpId| {
                let of = self.node(*id).map(|node| &node.seen.space.vars);
                of.is_ok_and(|of| of.iter().any(|var| vars.binary_search(var).is_ok()))
            };
            read.extend(needed.into_iter().filter(is_of_these));
        }
        read.sort_unstable();
        read.dedup();
        read.retain(|id| !self.is_sum(*id));
        read
    }

    /// Whether an s-op adds up functions of one variable each, so that nothing computes it.
    fn is_sum(&self, id: SOpId) -> bool {
        let vars = |id: SOpId| self.node(id).map_or(0, |node| node.seen.space.vars.len());
        let mut parts = FxHashSet::default();
        let mut pending = vec![id];
        while let Some(part) = pending.pop() {
            if vars(part) < 2 || !parts.insert(part) {
                continue;
            }
            let SOp::Map { op, operands } = self.graph.get(part) else {
                continue;
            };
            let adds = match op {
                Op::Add | Op::Subtract | Op::Negate | Op::Plus => true,
                Op::Multiply | Op::Divide => operands.iter().any(|factor| vars(*factor) == 0),
                Op::Remainder
                | Op::Power
                | Op::Compare(_)
                | Op::And
                | Op::Or
                | Op::Not
                | Op::Round
                | Op::Indicator
                | Op::If
                | Op::ToStr
                | Op::ToInt
                | Op::ToFloat
                | Op::ToBool
                | Op::Lookup(_)
                | Op::In(_) => false,
            };
            if !adds {
                return false;
            }
            pending.extend(operands);
        }
        true
    }
}

/// Columns over variables that some s-ops were made.
struct Over {
    known: FxHashMap<SOpId, Column>,
    /// The first of these s-ops: none before it is a function of one.
    first: SOpId,
}

impl Over {
    fn column(&mut self, analysis: &mut Analysis, id: SOpId) -> Option<Column> {
        let mut needed = vec![id];
        // Operands stand before what they are operands of.
        while let Some(next) = needed.last().copied() {
            let missing = self.missing(analysis, next);
            if missing.is_empty() {
                if !self.known.contains_key(&next) {
                    let column = self.new_column(analysis, next)?;
                    self.known.insert(next, column);
                }
                needed.pop();
            } else {
                needed.extend(missing);
            }
        }
        self.known.get(&id).cloned()
    }

    /// The operands whose columns must be known first.
    fn missing(&self, analysis: &Analysis, id: SOpId) -> Vec<SOpId> {
        let Some(SOp::Map { operands, .. }) = analysis.shape(id.into()) else {
            return Vec::new();
        };
        if id < self.first || self.known.contains_key(&id) {
            return Vec::new();
        }
        let unknown = operands.iter().filter(|id| !self.known.contains_key(id));
        unknown.copied().collect()
    }

    fn new_column(&self, analysis: &mut Analysis, id: SOpId) -> Option<Column> {
        let seen = analysis.node(id).ok()?.seen.clone();
        let Some(SOp::Map { op, operands }) = analysis.shape(id.into()).cloned() else {
            return Some(seen);
        };
        if id < self.first {
            return Some(seen);
        }
        let mut columns = Vec::with_capacity(operands.len());
        let mut is_as_seen = true;
        for operand in &operands {
            let column = self.known.get(operand)?;
            is_as_seen &= column.space.vars == analysis.node(*operand).ok()?.seen.space.vars;
            columns.push(column.clone());
        }
        match is_as_seen {
            true => Some(seen),
            false => analysis.applied(&op, &columns).ok(),
        }
    }
}
