//! Highest weights over intervals of a sequence: of a fixed sequence level by level of a sparse
//! table, of one whose weights are raised in between by a tree.

/// Gives to `found` the highest weight of each interval, 0 of an empty one. O(n log n) in memory
/// for one level.
pub fn of_intervals(
    mut weights: Vec<u32>,
    asked: &[(u32, (u32, u32))],
    mut found: impl FnMut(usize, u32),
) {
    // The intervals by the highest power of two that is not longer.
    let level = |(from, to): (u32, u32)| (to.saturating_sub(from)).checked_ilog2();
    let mut levels: Vec<Vec<u32>> = vec![Vec::new(); 33];
    for (at, (_, interval)) in (0..).zip(asked) {
        if let Some(level) = level(*interval) {
            levels[level as usize].push(at);
        }
    }
    let Some(last) = levels.iter().rposition(|asked| !asked.is_empty()) else {
        return;
    };
    for (level, here) in levels[..=last].iter().enumerate() {
        let size = 1 << level;
        for at in here {
            let (query, (from, to)) = asked[*at as usize];
            let highest = weights[from as usize].max(weights[to as usize - size]);
            found(query as usize, highest);
        }
        // From here on each entry is the highest of twice as many.
        for at in 0..weights.len().saturating_sub(size) {
            weights[at] = weights[at].max(weights[at + size]);
        }
    }
}

/// Weights that are raised.
pub struct Tree {
    nodes: Vec<u32>,
}

impl Tree {
    pub fn new(count: usize) -> Tree {
        Tree {
            nodes: vec![0; 2 * count.next_power_of_two()],
        }
    }

    /// O(log n).
    pub fn raise(&mut self, at: u32, weight: u32) {
        let mut node = at as usize + self.nodes.len() / 2;
        while let Some(highest) = self.nodes.get_mut(node) {
            if node == 0 || *highest >= weight {
                break;
            }
            *highest = weight;
            node /= 2;
        }
    }

    /// The highest weight of an interval, 0 of an empty one. O(log n).
    pub fn highest(&self, (from, to): (u32, u32)) -> u32 {
        let leaves = self.nodes.len() / 2;
        let (mut from, mut to) = (from as usize + leaves, to as usize + leaves);
        let mut highest = 0;
        while from < to {
            if from % 2 == 1 {
                highest = self.nodes[from].max(highest);
                from += 1;
            }
            if to % 2 == 1 {
                to -= 1;
                highest = self.nodes[to].max(highest);
            }
            (from, to) = (from / 2, to / 2);
        }
        highest
    }
}
