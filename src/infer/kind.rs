//! The residual stream does not tell whether numbers are ints, floats or bools, as of one key a mean is the
//! value that it holds, and of several a float: primitives that ask for it are refused. Depends on the graph and
//! on what selectors may select.

use super::{Analysis, Stopped};
use crate::base::Code;
use crate::graph::{SOp, SOpId, Scorer, ScorerId};
use crate::value::{Op, Table, TypeSet, Value};
use rustc_hash::FxHashSet;

impl Analysis<'_> {
    /// # Errors
    /// The primitive gives something else for an int than for an equal float, and an operand may be either.
    pub(super) fn check_kinds(&self, op: &Op, operands: &[SOpId]) -> Result<(), Stopped> {
        let is_str = |id: &SOpId| self.graph.types(*id).meets(TypeSet::STR);
        match tells_kinds(op, operands.iter().any(is_str)) {
            true => self.check_operands(operands),
            false => Ok(()),
        }
    }

    /// # Errors
    /// The same of a score.
    pub(super) fn check_kinds_of_score(&self, scorer: ScorerId) -> Result<(), Stopped> {
        for id in self.graph.scorer_parts(scorer).into_iter().rev() {
            let Scorer::Map { op, operands } = self.graph.get_scorer(id) else {
                continue;
            };
            let is_str = |id: &ScorerId| self.graph.scorer_types(*id).meets(TypeSet::STR);
            if tells_kinds(op, operands.iter().any(is_str)) {
                let (keys, queries) = self.graph.scorer_operands(id);
                self.check_operands(&keys)?;
                self.check_operands(&queries)?;
            }
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
