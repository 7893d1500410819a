//! Positions of one input in classes: those that agree in all that a scorer reads of them. What is
//! computed for pairs of positions is computed for pairs of classes. Depends on columns only.

use super::Column;
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Positions that agree in some columns.
pub(crate) struct Classes {
    /// The class of each position.
    pub of: Vec<u32>,
    /// The first position of each class.
    pub first: Vec<u32>,
    /// What the classes hold in each column.
    pub columns: Vec<Arc<Column>>,
}

impl Classes {
    /// O(n) for each column.
    pub fn new(columns: &[Arc<Column>], length: usize) -> Classes {
        let mut numbers: FxHashMap<Vec<Value>, u32> = FxHashMap::default();
        let (mut of, mut first) = (Vec::with_capacity(length), Vec::new());
        for position in 0..length {
            let held: Vec<Value> = columns.iter().map(|column| column.get(position)).collect();
            let next = first.len() as u32;
            let number = *numbers.entry(held).or_insert(next);
            if number == next {
                first.push(position as u32);
            }
            of.push(number);
        }
        let columns = columns.iter().map(|column| Arc::new(column.gather(&first)));
        Classes {
            columns: columns.collect(),
            of,
            first,
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.first.len()
    }

    /// What a class holds in each column.
    pub fn values(&self, class: u32) -> Vec<Value> {
        let columns = self.columns.iter();
        columns.map(|column| column.get(class as usize)).collect()
    }
}
