//! What selectors are evaluated on: columns of keys and queries, of one input or of several that stand
//! behind each other. Depends on columns.

use super::Column;
use crate::graph::{Graph, SOpId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The columns that the selectors of a graph read: the same on both sides, or but one row of queries.
#[derive(Clone, Copy)]
pub struct Columns<'a> {
    pub graph: &'a Graph,
    pub known: &'a FxHashMap<SOpId, Arc<Column>>,
    /// The length of a column of keys.
    pub keys: usize,
    /// The position of the only query, unless each position is one.
    pub only: Option<usize>,
    /// Where several inputs stand behind each other: keys are selected by queries of their own.
    pub segments: Option<&'a Segments>,
}

impl Columns<'_> {
    pub fn key(&self, sop: SOpId) -> Arc<Column> {
        let column = self.known.get(&sop).cloned();
        column.expect("operands are computed before their readers")
    }

    pub fn query(&self, sop: SOpId) -> Arc<Column> {
        let column = self.key(sop);
        match self.only {
            None => column,
            Some(position) => Arc::new(Column::constant(column.get(position), 1)),
        }
    }

    /// The length of a column of queries.
    pub fn queries(&self) -> usize {
        self.only.map_or(self.keys, |_| 1)
    }
}

/// Inputs that stand behind each other.
pub struct Segments {
    /// The number of the input that each position belongs to.
    pub numbers: Arc<Column>,
    /// The position within its input.
    pub indices: Vec<i64>,
}

impl Segments {
    pub fn of_lengths(lengths: impl Iterator<Item = usize> + Clone) -> Segments {
        let numbered = (0..).zip(lengths.clone());
        let numbers = numbered.flat_map(|(number, length)| std::iter::repeat_n(number, length));
        Segments {
            numbers: Arc::new(Column::ints(numbers.collect())),
            indices: lengths.flat_map(|length| 0..length as i64).collect(),
        }
    }
}
