//! Elementwise s-ops as columns over joint tables: the variables of the operands are united, and
//! the primitive is applied row by row. Where the table would be too large, operands become
//! variables of their own, which forgets how they are related but stays sound.

use super::sets::Values;
use super::space::{Column, Distinct, FAILS, Numbering, Space, VarId};
use super::{Analysis, Node, Operand, Stopped, VarKind, finite};
use crate::base::Code;
use crate::graph::SOpId;
use crate::graph::shape::selects_all;
use crate::value::{Op, Value};
use std::sync::Arc;

/// From this many rows on a sum of several variables becomes a variable itself.
const MANY_ROWS: usize = 512;

/// A comparison of two variables may have so many times more rows than other tables: it is soon made, and a step
/// of their difference is the same however many there are.
const TIMES_COMPARED: usize = 16;

/// What has so few values is a condition.
const FEW_VALUES: usize = 4;

/// A table of conditions of three variables and more has no more rows.
const MANY_CONDITIONS: usize = 1 << 16;

impl VarKind {
    /// The s-op that a variable holds, or that its heads compute, if it is one.
    pub fn sop(self) -> Option<SOpId> {
        match self {
            VarKind::Given(id)
            | VarKind::Sum(id)
            | VarKind::Mean(id)
            | VarKind::Pick(id)
            | VarKind::Materialised(id)
            | VarKind::Weighted(id) => Some(id),
            VarKind::Tokens | VarKind::Indices | VarKind::Width(_) | VarKind::Total { .. } => None,
        }
    }
}

impl Analysis<'_> {
    /// The joint table of some variables (ascending).
    pub fn space(&mut self, vars: Vec<VarId>) -> Result<Arc<Space>, Stopped> {
        if !self.spaces.contains_key(&vars) {
            let space = self.build_space(&vars, self.limits.table_rows);
            self.spaces.insert(vars.clone(), space);
        }
        match &self.spaces[&vars] {
            Some(space) => Ok(space.clone()),
            None => Err(self.too_many_rows(&vars)),
        }
    }

    fn build_space(&self, vars: &[VarId], most_rows: usize) -> Option<Arc<Space>> {
        let values: Vec<_> = vars.iter().map(|var| self.values(*var)).collect();
        let environments = self.environments.count();
        Space::build(vars.to_vec(), &values, environments, most_rows).map(Arc::new)
    }

    /// The joint table of all that some columns are of: that of one of them, if it has it all, as the table of a
    /// comparison may be larger than others.
    pub fn space_of(&mut self, columns: &[Column]) -> Result<Arc<Space>, Stopped> {
        let vars = union(columns);
        let mut spaces = columns.iter().map(|column| &column.space);
        match spaces.find(|space| space.vars == vars) {
            Some(whole) => Ok(whole.clone()),
            None => self.space(vars),
        }
    }

    fn too_many_rows(&self, vars: &[VarId]) -> Stopped {
        let factors = vars.iter().map(|var| {
            let count = self.values(*var).domain.len();
            format!("{count} of {}", self.var_name(*var))
        });
        let (most, factors) = (self.limits.table_rows, Vec::from_iter(factors).join(" × "));
        let message = format!("its table has more than {most} rows (`table_rows`): {factors}");
        Stopped::new(Code::DomainTooLarge, message)
    }

    /// What a variable is, for people.
    pub fn var_name(&self, var: VarId) -> String {
        match self.kind(var) {
            VarKind::Tokens => "tokens".to_string(),
            VarKind::Indices => "indices".to_string(),
            VarKind::Width(selector) => {
                format!("width of {}", self.graph.describe_selector(selector))
            }
            VarKind::Sum(id) => format!("sum of {}", self.graph.describe(id)),
            VarKind::Given(id)
            | VarKind::Mean(id)
            | VarKind::Pick(id)
            | VarKind::Materialised(id)
            | VarKind::Weighted(id) => self.graph.describe(id),
            VarKind::Total { left, right, less } => {
                let sign = if less { '-' } else { '+' };
                let [left, right] = [left, right].map(|id| self.graph.describe(id));
                format!("{left} {sign} {right}")
            }
        }
    }

    /// The length in each row of a table, if that is one of its variables.
    pub fn lengths(&self, space: &Space) -> Option<Vec<i64>> {
        let is_length = |var: &VarId| {
            let kind = self.kind(*var);
            matches!(kind, VarKind::Width(selector) if selects_all(self.graph, selector))
        };
        let place = space.vars.iter().position(is_length)?;
        let lengths = &self.values(space.vars[place]).domain;
        let rows = 0..space.rows();
        rows.map(|row| lengths[space.row(row)[place] as usize].as_int())
            .collect()
    }

    pub(super) fn analyse_map(
        &mut self,
        id: SOpId,
        op: &Op,
        operands: &[SOpId],
    ) -> Result<Node, Stopped> {
        let chosen = self
            .after_heads(operands)
            .or_else(|| self.of_compared(op, operands));
        let (columns, space) = match chosen.map_or_else(|| self.united(operands), Ok) {
            Err(stopped) if stopped.code == Code::DomainTooLarge => {
                if let Some(node) = self.without_table(op, operands) {
                    return Ok(node);
                }
                self.in_large_table(op, operands).ok_or(stopped)?
            }
            united => united?,
        };
        if matches!(op, Op::If) {
            self.check_branches(&columns)?;
        }
        self.check_overflow(op, operands)?;
        self.check_kinds(op, operands)?;
        let column = self.settled(apply(op, &columns, &space)?)?;
        self.check_values(&column.values, |count| {
            format!("it can have {count} values")
        })?;
        if self.is_dense_sum(op, &column) {
            let seen = match self.over_a_sum(&column) {
                Some(seen) => seen,
                None => self.as_variable(id, &column)?,
            };
            return Ok(Node {
                seen,
                ..Node::new(column, None)
            });
        }
        Ok(Node::new(column, None))
    }

    /// What can have more values than the limit is refused, with how many it has as told.
    pub(super) fn check_values(
        &self,
        values: &Values,
        told: impl Fn(usize) -> String,
    ) -> Result<(), Stopped> {
        let (count, limit) = (values.domain.len(), self.limits.domain_values);
        if count <= limit {
            return Ok(());
        }
        let message = format!("{}; the limit is {limit}", told(count));
        Err(Stopped::new(Code::DomainTooLarge, message))
    }

    /// The column of an s-op, made a variable of its own.
    pub(super) fn as_variable(&mut self, id: SOpId, column: &Column) -> Result<Column, Stopped> {
        let may_fail = self.may_fail(column);
        let kind = VarKind::Materialised(id);
        let var = self.var(kind, column.values.clone(), may_fail);
        Ok(self.alone(var)?.column)
    }

    /// The primitive on some columns.
    pub(super) fn applied(&mut self, op: &Op, columns: &[Column]) -> Result<Column, Stopped> {
        let space = self.space_of(columns)?;
        apply(op, columns, &space)
    }

    /// Whether the table of some variables (ascending) has more rows.
    pub(super) fn is_larger(&self, vars: &[VarId], rows: usize) -> bool {
        let values: Vec<_> = vars.iter().map(|var| self.values(*var)).collect();
        Space::is_larger(&values, self.environments.count(), rows)
    }

    /// A column that always has the same value as one of no variables, so that what it is an operand
    /// of needs none of those either.
    fn settled(&mut self, column: Column) -> Result<Column, Stopped> {
        match &*column.values.domain {
            [value] if !self.may_fail(&column) => {
                let results = vec![Some(value.clone())];
                Ok(self.space(Vec::new())?.column(results))
            }
            _ => Ok(column),
        }
    }

    /// The columns of some s-ops and the joint table of their variables.
    pub(super) fn united(
        &mut self,
        operands: &[impl Copy + Into<Operand>],
    ) -> Result<(Vec<Column>, Arc<Space>), Stopped> {
        let operands: Vec<Operand> = operands.iter().map(|id| (*id).into()).collect();
        let mut columns = Vec::with_capacity(operands.len());
        for operand in &operands {
            columns.push(self.node(*operand)?.seen.clone());
        }
        self.relate_to_sums(&mut columns);
        if self.is_large_of_conditions(&columns) {
            self.materialise(&operands, &mut columns);
        }
        let space = match self.space_of(&columns) {
            Ok(space) => space,
            Err(stopped) => {
                if !self.materialise(&operands, &mut columns) {
                    return Err(stopped);
                }
                self.space_of(&columns)?
            }
        };
        Ok((columns, space))
    }

    /// The columns of a comparison of two variables, and their table, which may be larger than others.
    fn in_large_table(&mut self, op: &Op, operands: &[SOpId]) -> Option<(Vec<Column>, Arc<Space>)> {
        if !matches!(op, Op::Compare(_)) {
            return None;
        }
        let seen = |id: &SOpId| Some(self.node(*id).ok()?.seen.clone());
        let columns = operands.iter().map(seen).collect::<Option<Vec<Column>>>()?;
        if columns.iter().any(|column| column.space.vars.len() > 1) {
            return None;
        }
        let vars = union(&columns);
        if !self.large_spaces.contains_key(&vars) {
            let most = self.limits.table_rows.saturating_mul(TIMES_COMPARED);
            let space = self.build_space(&vars, most);
            self.large_spaces.insert(vars.clone(), space);
        }
        let space = self.large_spaces[&vars].clone()?;
        Some((columns, space))
    }

    /// Whether the table of some conditions would be large, each being of fewer variables: then they
    /// are computed first, which no search in that table would spare.
    fn is_large_of_conditions(&self, columns: &[Column]) -> bool {
        let vars = union(columns);
        let is_condition = |column: &Column| {
            column.values.domain.len() <= FEW_VALUES && column.space.vars.len() < vars.len()
        };
        if vars.len() < 3 || self.spaces.contains_key(&vars) || !columns.iter().all(is_condition) {
            return false;
        }
        self.is_larger(&vars, MANY_CONDITIONS)
    }

    /// The branch that is not taken may fail unnoticed, so what can fail must be needed anyway: by
    /// the condition or by both branches.
    fn check_branches(&self, columns: &[Column]) -> Result<(), Stopped> {
        let [condition, then, otherwise] = columns else {
            return Ok(());
        };
        for (branch, other) in [(then, otherwise), (otherwise, then)] {
            let needed =
                |var: &VarId| condition.space.vars.contains(var) || other.space.vars.contains(var);
            let fails = |var: &&VarId| self.vars[var.0 as usize].may_fail && !needed(var);
            if let Some(var) = branch.space.vars.iter().find(fails) {
                let name = self.var_name(*var);
                return Err(Stopped::new(
                    Code::NotCompilable,
                    format!("a branch needs {name}, which may fail where it is not taken"),
                )
                .help("let it fail nowhere: `1 / (x if x != 0 else 1)`"));
            }
        }
        Ok(())
    }

    /// Whether a column is a sum that has far fewer values than rows, such as the difference of
    /// two counts. It is usually a linear read, and much smaller than what it is made of.
    fn is_dense_sum(&self, op: &Op, column: &Column) -> bool {
        let computed = column.space.vars.iter().filter(|var| **var > Self::INDICES);
        matches!(op, Op::Add | Op::Subtract)
            && computed.count() >= 2
            && column.space.rows() > MANY_ROWS.max(8 * column.values.domain.len())
            && column.values.all_numbers()
    }

    /// Makes variables of the operands that have several, or far fewer values than the one they
    /// have, as a comparison of a count does; whether there were any.
    fn materialise(&mut self, operands: &[Operand], columns: &mut [Column]) -> bool {
        let mut changed = false;
        for (operand, column) in operands.iter().zip(columns) {
            let Some(operand) = operand.sop() else {
                continue;
            };
            let (rows, values) = (column.space.rows(), column.values.domain.len());
            if column.space.vars.len() < 2 && rows < 8 * values {
                continue;
            }
            if let Ok(own) = self.as_variable(operand, column) {
                *column = own;
                changed = true;
            }
        }
        changed
    }
}

pub(super) fn union(columns: &[Column]) -> Vec<VarId> {
    let mut vars: Vec<VarId> = columns
        .iter()
        .flat_map(|column| column.space.vars.iter().copied())
        .collect();
    vars.sort_unstable();
    vars.dedup();
    vars
}

/// The primitive on every row; each combination of operand values is computed once.
fn apply(op: &Op, columns: &[Column], space: &Arc<Space>) -> Result<Column, Stopped> {
    let mut numbers = vec![0u64; space.rows()];
    let mut count = 1u64;
    for column in columns {
        // The last number stands for a failure.
        let size = column.values.domain.len() as u64 + 1;
        let rows = space.project(&column.space);
        for (number, row) in numbers.iter_mut().zip(&*rows) {
            let cell = u64::from(column.cells[*row as usize]);
            *number += count * cell.min(size - 1);
        }
        count = count.saturating_mul(size);
    }
    let mut values = Distinct::default();
    let mut seen = Numbering::new(count, space.rows());
    let mut results: Vec<u32> = Vec::new();
    let mut cells = Vec::with_capacity(space.rows());
    for number in numbers {
        let at = seen.row_or(number, results.len() as u32) as usize;
        if at == results.len() {
            results.push(match combine(op, columns, number) {
                Some(value) => {
                    finite(&value)?;
                    values.insert_full(value).0 as u32
                }
                None => FAILS,
            });
        }
        cells.push(results[at]);
    }
    Ok(space.column_of(cells, values))
}

/// The primitive on the values with this number.
fn combine(op: &Op, columns: &[Column], mut number: u64) -> Option<Value> {
    let mut operands: [Option<&Value>; 3] = [None; 3];
    for (operand, column) in operands.iter_mut().zip(columns) {
        let size = column.values.domain.len() as u64 + 1;
        *operand = column.values.domain.get((number % size) as usize);
        number /= size;
    }
    let value = |at: usize| operands[at];
    if matches!(op, Op::If) {
        // The branch that is not taken may fail.
        let taken = if value(0)?.truthy() { 1 } else { 2 };
        return value(taken).cloned();
    }
    let operands: Vec<&Value> = (0..columns.len()).map(value).collect::<Option<_>>()?;
    op.apply(&operands).ok()
}
