//! Fenwick trees: prefix sums of a list that grows at any place, O(log n) an operation.

use super::tally::Sum;

/// Adds to the element at `index`; a tree is a slice of as many zeros as there are elements.
pub fn add<T: Sum>(tree: &mut [T], index: usize, value: T) {
    let mut node = index + 1;
    while node <= tree.len() {
        tree[node - 1] = tree[node - 1].plus(value);
        node += node & node.wrapping_neg();
    }
}

/// The sum of the first `count` elements.
pub fn prefix<T: Sum>(tree: &[T], count: usize) -> T {
    let mut total = T::ZERO;
    let mut node = count;
    while node > 0 {
        total = total.plus(tree[node - 1]);
        node &= node - 1;
    }
    total
}
