//! The layer of each operation. Attention reads what earlier layers wrote, a feed-forward block also
//! what the attention of its own layer wrote.

use super::{Plan, VariableId};

/// An operation, by kind and place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Attend(usize),
    FeedForward(usize),
}

impl Plan {
    /// Lays every operation as early as it can be.
    pub fn schedule(&mut self) {
        let operations = (0..self.attends.len())
            .map(Operation::Attend)
            .chain((0..self.feed_forwards.len()).map(Operation::FeedForward));
        let operations: Vec<Operation> = operations.collect();
        let mut waiting = vec![0usize; self.variables.len()];
        for operation in &operations {
            waiting[self.written_by(*operation).0 as usize] += 1;
        }
        let mut ready = vec![0usize; self.variables.len()];
        let mut pending = operations;
        while !pending.is_empty() {
            let before = pending.len();
            let mut later = Vec::new();
            for operation in pending {
                let reads = self.reads(operation);
                if reads
                    .iter()
                    .any(|variable| waiting[variable.0 as usize] > 0)
                {
                    later.push(operation);
                    continue;
                }
                let latest = reads
                    .iter()
                    .map(|variable| ready[variable.0 as usize])
                    .max();
                let latest = latest.unwrap_or(0);
                let into = self.written_by(operation).0 as usize;
                let born = match operation {
                    Operation::Attend(at) => {
                        self.attends[at].layer = latest.div_ceil(2) + 1;
                        2 * self.attends[at].layer - 1
                    }
                    Operation::FeedForward(at) => {
                        self.feed_forwards[at].layer = latest / 2 + 1;
                        2 * self.feed_forwards[at].layer
                    }
                };
                ready[into] = ready[into].max(born);
                waiting[into] -= 1;
            }
            assert!(later.len() < before, "operations that need each other");
            pending = later;
        }
    }

    fn written_by(&self, operation: Operation) -> VariableId {
        match operation {
            Operation::Attend(at) => self.attends[at].into,
            Operation::FeedForward(at) => self.feed_forwards[at].into,
        }
    }

    fn reads(&self, operation: Operation) -> Vec<VariableId> {
        match operation {
            Operation::Attend(at) => self.attends[at].reads().collect(),
            Operation::FeedForward(at) => self.feed_forwards[at].argument.reads().collect(),
        }
    }
}
