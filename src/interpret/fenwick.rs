//! Prefix sums of a list that grows at any place, O(log n) an operation: a Fenwick tree with 16
//! children instead of two, so that one operation touches few cache lines. Each level holds running
//! sums inside nodes of 16; the level above holds the totals of those nodes.

use super::tally::Sum;

const CHILDREN: usize = 16;

/// How many zeros a tree of `size` elements starts as.
pub fn room(size: usize) -> usize {
    let (mut level, mut room) = (size, size);
    while level > CHILDREN {
        level = level.div_ceil(CHILDREN);
        room += level;
    }
    room
}

/// Adds to the element at `index` of a tree of `size` elements.
pub fn add<T: Sum>(mut tree: &mut [T], size: usize, index: usize, value: T) {
    let (mut level, mut at) = (size, index);
    loop {
        let end = level.min((at / CHILDREN + 1) * CHILDREN);
        for sum in &mut tree[at..end] {
            *sum = sum.plus(value);
        }
        if level <= CHILDREN {
            return;
        }
        tree = &mut tree[level..];
        level = level.div_ceil(CHILDREN);
        at /= CHILDREN;
    }
}

/// The sum of the first `count` elements of a tree of `size` elements.
pub fn prefix<T: Sum>(mut tree: &[T], size: usize, count: usize) -> T {
    let (mut level, mut before) = (size, count);
    let mut total = T::ZERO;
    loop {
        let last = level <= CHILDREN;
        if before > 0 && (last || before % CHILDREN != 0) {
            total = total.plus(tree[before - 1]);
        }
        if last {
            return total;
        }
        tree = &tree[level..];
        level = level.div_ceil(CHILDREN);
        before /= CHILDREN;
    }
}
