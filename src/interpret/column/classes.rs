//! Positions of one input in classes: those that agree in all that is read of them. What is computed for
//! pairs of positions is computed for pairs of classes.

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Positions in classes, which are numbered by their first positions.
pub(crate) struct Classes {
    /// The class of each position.
    pub of: Vec<u32>,
    /// The first position of each class.
    pub first: Vec<u32>,
}

impl Classes {
    /// All in one class.
    pub fn one(length: usize) -> Classes {
        Classes {
            of: vec![0; length],
            first: vec![0],
        }
    }

    /// Divides each class by what its positions hold. O(n).
    pub fn divide<T: Hash + Eq>(&mut self, held: impl Fn(usize) -> T) {
        if self.count() == self.of.len() {
            return;
        }
        let mut numbers: FxHashMap<(u32, T), u32> = FxHashMap::default();
        self.first.clear();
        for (position, class) in self.of.iter_mut().enumerate() {
            let next = numbers.len() as u32;
            let number = *numbers.entry((*class, held(position))).or_insert(next);
            if number == next {
                self.first.push(position as u32);
            }
            *class = number;
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.first.len()
    }
}
