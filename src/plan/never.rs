//! What selectors would write that never select: nothing. Depends on the plan alone.

use super::{Plan, Written};

impl Plan {
    /// Holds what no head writes as 0: its default is what a selector that never selects would write. Whether hidden
    /// units that would have read a real number are known to read one of a list now.
    pub(crate) fn hold_never_written(&mut self) -> bool {
        let forwards = self.feed_forwards.iter();
        let read_real: Vec<bool> = forwards.map(|op| self.reads_real(&op.argument)).collect();
        let tokens = self.vocabulary.len();
        let mut any = false;
        for id in self.ids() {
            let is_written = self.attends_into(id).next().is_some();
            let variable = self.variable_mut(id);
            if variable.written == Written::Attend && !is_written {
                // Its readers take the number away that would round what is written.
                let held = variable.rounding.take().map(|rounding| rounding.offset());
                let tokens = held.map(|held| vec![held; tokens]);
                variable.written = Written::Embed {
                    tokens: tokens.unwrap_or_default(),
                    indices: Vec::new(),
                };
                variable.values = [held.unwrap_or(0.0)].into();
                any = true;
            }
        }
        if !any {
            return true;
        }
        for (at, read_real) in read_real.into_iter().enumerate() {
            let still = self.reads_real(&self.feed_forwards[at].argument);
            if read_real && !still && !self.list_points(at) {
                return false;
            }
        }
        self.drop_what_is_not_read();
        true
    }
}
