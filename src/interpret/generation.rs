//! Next-token generation: the last value of an s-op becomes the next token of its input. Where no
//! earlier position changes by what comes later, all columns are kept and each step adds one row to
//! them, as a transformer does that keeps its keys and values. What is causal is so by its shape;
//! of other selectors it is asked, for each new key, whether an earlier query selects it. What a query pools of all keys so far is looked up where the
//! selector allows it (`seen`).

use super::aggregate;
use super::column::Column;
use super::column::segments::Columns;
use super::exact;
use super::seen::{Pooled, Seen};
use super::selector::Pattern;
use super::{Evaluated, Evaluation};
use crate::graph::{Graph, SOp, SOpId, Selector, SelectorId};
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// After so many times that an earlier position has changed, columns are no longer kept.
const MOST_CHANGES: usize = 8;

/// An input that an s-op extends.
pub struct Generation<'g> {
    graph: &'g Graph,
    root: SOpId,
    input: Vec<Value>,
    /// What the s-op is made of, operands first.
    order: Vec<SOpId>,
    /// Whether columns are kept: that is tried as long as earlier positions rarely change.
    keeps: bool,
    /// How often an earlier position has changed.
    changes: usize,
    /// The earlier queries of each selector that is not causal by its shape.
    queries: FxHashMap<SelectorId, Seen>,
    /// The columns on a beginning of the input, without faults; or none.
    columns: FxHashMap<SOpId, Arc<Column>>,
    /// What each aggregate and width has seen of its keys; none for one that looks at all keys.
    seen: FxHashMap<SOpId, Option<Seen>>,
}

impl<'g> Generation<'g> {
    pub fn new(graph: &'g Graph, root: SOpId, prompt: &[Value]) -> Generation<'g> {
        let mut generation = Generation {
            graph,
            root,
            input: prompt.to_vec(),
            order: graph.reachable(&[root]),
            keeps: true,
            changes: 0,
            queries: FxHashMap::default(),
            columns: FxHashMap::default(),
            seen: FxHashMap::default(),
        };
        generation.keeps = generation.watch().is_some();
        generation
    }

    /// Begins to look after the queries of selectors that are not causal by their shape; `None` if
    /// that cannot be done of one.
    fn watch(&mut self) -> Option<()> {
        let causal = self.graph.causal_selectors();
        self.queries.clear();
        for id in &self.order {
            match self.graph.get(*id) {
                SOp::WeightedMean { .. } => return None,
                SOp::Aggregate { selector, .. } | SOp::Width { selector }
                    if !causal[selector.0 as usize] =>
                {
                    let queries = Seen::of_queries(self.graph, *selector)?;
                    self.queries.insert(*selector, queries);
                }
                SOp::Tokens
                | SOp::Indices
                | SOp::Constant(_)
                | SOp::Given(_)
                | SOp::Map { .. }
                | SOp::Aggregate { .. }
                | SOp::Width { .. } => {}
            }
        }
        Some(())
    }

    /// The prompt and what was generated.
    pub fn tokens(&self) -> &[Value] {
        &self.input
    }

    /// Adds the last value of the s-op to its input, and gives it. If the s-op is causal, by its
    /// shape ([`Graph::is_causal`]) or as it turns out, and nothing in it fails: O(log² n) for each aggregate whose selector is
    /// a conjunction of equalities and of orders on one s-op and whose values are copied or ints, or
    /// the best key of one by a score of the key; O(n) for any other aggregate. If not, as long as
    /// [`evaluate`](super::evaluate) takes.
    ///
    /// # Errors
    /// As [`evaluate`](super::evaluate).
    pub fn step(&mut self) -> Evaluated<Value> {
        let token = match self.extended() {
            Some(token) => token,
            None => self.anew()?,
        };
        self.input.push(token.clone());
        Ok(token)
    }

    /// The last value, with all columns computed from the beginning.
    fn anew(&mut self) -> Evaluated<Value> {
        self.columns.clear();
        self.seen.clear();
        self.keeps = self.keeps && self.changes < MOST_CHANGES && self.watch().is_some();
        let mut evaluation = Evaluation::new(self.graph, &self.input)?;
        if self.keeps {
            evaluation.run_all(&self.order)?;
        } else {
            evaluation.run(&[self.root])?;
        }
        let sequence = evaluation.sequence(self.root)?;
        let sound = |column: &Arc<Column>| column.first_fault().is_none();
        if self.keeps && self.order.iter().all(|id| sound(&evaluation.columns[id])) {
            self.columns = evaluation.columns;
        }
        Ok(sequence.values.last().cloned().unwrap_or(Value::Int(0)))
    }

    /// The last value, with the columns extended to the length of the input; `None` if there are
    /// none, an earlier position changes, or something fails, which is then left to be found by
    /// computing all anew.
    fn extended(&mut self) -> Option<Value> {
        if self.columns.is_empty() {
            return None;
        }
        for position in self.columns[&self.root].len()..self.input.len() {
            for index in 0..self.order.len() {
                let id = self.order[index];
                if self.changes_earlier(id, position)? {
                    self.changes += 1;
                    return None;
                }
                let value = self.row(id, position)?;
                let column = Arc::get_mut(self.columns.get_mut(&id)?)?;
                column.push(value, id);
                if column.first_fault().is_some() {
                    return None;
                }
            }
        }
        Some(self.columns[&self.root].get(self.input.len() - 1))
    }

    /// Whether an earlier query of an s-op selects the key at a position.
    fn changes_earlier(&mut self, id: SOpId, position: usize) -> Option<bool> {
        let (SOp::Aggregate { selector, .. } | SOp::Width { selector }) = self.graph.get(id) else {
            return Some(false);
        };
        let Some(queries) = self.queries.get_mut(selector) else {
            return Some(false);
        };
        let columns = &self.columns;
        let found = queries.pool(&|sop, at| columns[&sop].get(at), position)?;
        Some(found.count > 0)
    }

    /// The value of an s-op at a position that its operands have reached.
    fn row(&mut self, id: SOpId, position: usize) -> Option<Value> {
        match self.graph.get(id) {
            SOp::Tokens => Some(self.input[position].clone()),
            SOp::Given(_) => None,
            SOp::Indices => Some(Value::Int(position as i64)),
            SOp::Constant(value) => Some(value.clone()),
            SOp::Map { op, operands } => {
                let operands = operands.iter().map(|id| self.columns[id].get(position));
                let operands: Vec<Value> = operands.collect();
                op.apply(&operands.iter().collect::<Vec<_>>()).ok()
            }
            SOp::Aggregate {
                selector,
                value,
                default,
            } => {
                if let Some(pooled) = self.pooled(id, (*selector, Some(*value)), position)
                    && let Some(found) = self.one(*selector, &pooled, *value, default)
                {
                    return Some(found);
                }
                let pattern = self.pattern(*selector, position)?;
                let value = &self.columns[value];
                only(&aggregate::aggregate(id, &pattern, value, default))
            }
            SOp::Width { selector } => match self.pooled(id, (*selector, None), position) {
                Some(pooled) if self.is_best(*selector) => {
                    Some(Value::Int(i64::from(pooled.best().is_some())))
                }
                Some(pooled) => Some(Value::Int(pooled.count as i64)),
                None => only(&aggregate::width(&self.pattern(*selector, position)?)),
            },
            // Never kept.
            SOp::WeightedMean { .. } => None,
        }
    }

    /// What the query at a position pools of the keys up to it, if that can be looked up.
    fn pooled(
        &mut self,
        id: SOpId,
        (selector, value): (SelectorId, Option<SOpId>),
        position: usize,
    ) -> Option<Pooled> {
        let new = || Seen::new(self.graph, selector, value);
        let slot = self.seen.entry(id).or_insert_with(new);
        let columns = &self.columns;
        let pooled = slot
            .as_mut()?
            .pool(&|sop, at| columns[&sop].get(at), position);
        if pooled.is_none() {
            *slot = None;
        }
        pooled
    }

    /// What is made of the selected keys, if these are one key, none, or hold ints.
    fn one(
        &self,
        selector: SelectorId,
        pooled: &Pooled,
        value: SOpId,
        default: &Value,
    ) -> Option<Value> {
        let at = |position: usize| Some(self.columns[&value].get(position));
        match pooled.count {
            0 => Some(default.clone()),
            _ if self.is_best(selector) => at(pooled.best()?),
            1 => at(pooled.positions as usize),
            count => Some(Value::Float(exact::int_mean(pooled.sum?, count))),
        }
    }

    fn is_best(&self, selector: SelectorId) -> bool {
        matches!(self.graph.get_selector(selector), Selector::Best { .. })
    }

    /// A selector with one row: that of the query at the last position.
    fn pattern(&self, selector: SelectorId, position: usize) -> Option<Pattern> {
        let columns = Columns {
            graph: self.graph,
            known: &self.columns,
            keys: position + 1,
            only: Some(position),
            segments: None,
        };
        Pattern::new(selector, columns).ok()
    }
}

/// The value of a column with one position.
fn only(column: &Column) -> Option<Value> {
    column.first_fault().is_none().then(|| column.get(0))
}
