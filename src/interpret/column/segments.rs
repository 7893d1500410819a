//! What selectors are evaluated on: columns of keys and queries, of one input or of several that stand
//! behind each other. Depends on columns.

use super::Column;
use crate::graph::SOpId;
use std::sync::Arc;

/// The columns that a selector reads: the same on both sides, or but one row of queries.
pub struct Columns<'a> {
    pub key: &'a dyn Fn(SOpId) -> Arc<Column>,
    pub query: &'a dyn Fn(SOpId) -> Arc<Column>,
    /// The length of a column of keys.
    pub keys: usize,
    /// The length of a column of queries.
    pub queries: usize,
    /// Where several inputs stand behind each other: keys are selected by queries of their own.
    pub segments: Option<&'a Segments>,
}

/// Inputs that stand behind each other.
pub struct Segments {
    /// The number of the input that each position belongs to.
    numbers: Arc<Column>,
    /// The position within its input.
    indices: Vec<i64>,
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

    pub fn numbers(&self) -> Arc<Column> {
        self.numbers.clone()
    }

    pub fn indices(&self) -> Vec<i64> {
        self.indices.clone()
    }
}
