//! What the residual stream does not tell of numbers, so that primitives that ask for it are refused: whether
//! they are ints, floats or bools, as of one key a mean is the value that it holds, and of several a float; and
//! on which side of all ints one lies that does not fit in 64 bits, which a comparison sees. Depends on the graph
//! and on what selectors may select.

use super::space::FAILS;
use super::{Analysis, Node, Stopped};
use crate::base::Code;
use crate::graph::{SOp, SOpId, Scorer, ScorerId};
use crate::value::{Op, Table, TypeSet, Value};
use rustc_hash::FxHashSet;
use std::cmp::Ordering;
use std::sync::Arc;

impl Analysis<'_> {
    /// # Errors
    /// The primitive gives something else for an int than for an equal float, and an operand may be either; or it
    /// compares what may not fit in 64 bits.
    pub(super) fn check_kinds(&self, op: &Op, operands: &[SOpId]) -> Result<(), Stopped> {
        if let Op::Compare(_) = op
            && let Some(id) = operands.iter().find(|id| self.may_overflow(**id))
        {
            let name = self.graph.describe(*id);
            let reason = format!("{name} may not fit in 64 bits where it is compared");
            return Err(Stopped::new(Code::NotCompilable, reason).help("keep the numbers smaller"));
        }
        let is_str = |id: &SOpId| self.graph.types(*id).meets(TypeSet::STR);
        match tells_kinds(op, operands.iter().any(is_str)) {
            true => self.check_operands(operands),
            false => Ok(()),
        }
    }

    /// # Errors
    /// The same of a score.
    pub(super) fn check_kinds_of_score(&self, scorer: ScorerId) -> Result<(), Stopped> {
        let mut pending = vec![scorer];
        let mut seen = FxHashSet::default();
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            let Scorer::Map { op, operands } = self.graph.get_scorer(id) else {
                continue;
            };
            let is_str = |id: &ScorerId| self.graph.scorer_types(*id).meets(TypeSet::STR);
            if tells_kinds(op, operands.iter().any(is_str)) {
                let (keys, queries) = self.graph.scorer_operands(id);
                self.check_operands(&keys)?;
                self.check_operands(&queries)?;
            }
            pending.extend(operands);
        }
        Ok(())
    }

    fn check_operands(&self, operands: &[SOpId]) -> Result<(), Stopped> {
        match operands.iter().find(|id| self.is_of_any_kind(**id)) {
            None => Ok(()),
            Some(id) => {
                let name = self.graph.describe(*id);
                Err(Stopped::new(
                    Code::NotCompilable,
                    format!(
                        "whether {name} is an int or a float hangs on how many keys are selected, \
                         which is not in its number"
                    ),
                )
                .help("make it an int: `round(x)`"))
            }
        }
    }

    /// Whether some combination of the least and the largest values of operands overflows. Rounding and
    /// negation are of one.
    fn may_overflow(&self, id: SOpId) -> bool {
        let SOp::Map { op, operands } = self.graph.get(id) else {
            return false;
        };
        let has_none = |node: &Arc<Node>| node.column.cells.contains(&FAILS);
        if matches!(op, Op::If) || !self.node(id).is_ok_and(has_none) {
            return false;
        }
        let ends = |id: &SOpId| {
            let domain = &self.node(*id).ok()?.column.values.domain;
            let by_size = |a: &&Value, b: &&Value| a.as_float().partial_cmp(&b.as_float());
            let by_size = |a: &&Value, b: &&Value| by_size(a, b).unwrap_or(Ordering::Equal);
            let numbers = || domain.iter().filter(|value| value.is_number());
            let ends = [numbers().min_by(by_size)?, numbers().max_by(by_size)?];
            Some(ends)
        };
        let overflows = |operands: &[&Value]| {
            let result = op.apply(operands);
            result.is_err_and(|failure| failure.beyond().is_some())
        };
        match operands
            .iter()
            .map(ends)
            .collect::<Option<Vec<_>>>()
            .as_deref()
        {
            Some([a]) => a.iter().any(|a| overflows(&[a])),
            Some([a, b]) => a.iter().any(|a| b.iter().any(|b| overflows(&[a, b]))),
            _ => false,
        }
    }

    /// Whether an s-op may be of several kinds of number where its value is the same.
    pub fn is_of_any_kind(&self, id: SOpId) -> bool {
        let mut pending = vec![id];
        let mut seen = FxHashSet::default();
        while let Some(id) = pending.pop() {
            let kinds = self.graph.types(id).intersection(TypeSet::NUMBER);
            if kinds.members().count() < 2 || !seen.insert(id) {
                continue;
            }
            match self.graph.get(id) {
                SOp::Aggregate {
                    selector, value, ..
                } => {
                    let facts = self.selectors.get(selector);
                    if !facts.is_some_and(|facts| facts.is_one()) && self.may_be_number(*value) {
                        return true;
                    }
                    pending.push(*value);
                }
                SOp::WeightedMean { value, .. } => {
                    if self.may_be_number(*value) {
                        return true;
                    }
                }
                given @ SOp::Given(_) => {
                    if self
                        .graph
                        .given(given)
                        .is_some_and(|given| given.of_any_kind)
                    {
                        return true;
                    }
                }
                SOp::Map {
                    op: Op::If,
                    operands,
                } => pending.extend(&operands[1..]),
                SOp::Map {
                    op: Op::Lookup(_), ..
                } => {}
                SOp::Map { operands, .. } => pending.extend(operands),
                SOp::Tokens | SOp::Indices | SOp::Constant(_) | SOp::Width { .. } => {}
            }
        }
        false
    }

    /// Whether an s-op holds a number on some input.
    fn may_be_number(&self, id: SOpId) -> bool {
        let Ok(node) = self.node(id) else {
            return true;
        };
        node.column.values.domain.iter().any(Value::is_number)
    }
}

/// Whether a primitive tells ints, floats and bools of equal value apart; of strings a product does.
fn tells_kinds(op: &Op, has_string: bool) -> bool {
    if let Op::Lookup(table) = op {
        return !matches!(**table, Table::Dict(_));
    }
    matches!(op, Op::ToStr) || has_string && matches!(op, Op::Multiply)
}
