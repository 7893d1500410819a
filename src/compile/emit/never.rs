//! What selectors would write that never select: nothing. Depends on the plan in the making.

use super::Emitter;
use crate::base::Code;
use crate::infer::Stopped;
use crate::plan::Written;

impl Emitter<'_, '_> {
    /// What a selector that never selects would write is its default, which is held as 0.
    ///
    /// # Errors
    /// Hidden units that would read a real number are not known to read one of a list now.
    pub(super) fn never_selected(&mut self) -> Result<(), Stopped> {
        let mut any = false;
        let plan = &self.plan;
        let forwards = plan.feed_forwards.iter();
        let read_real: Vec<bool> = forwards.map(|op| plan.reads_real(&op.argument)).collect();
        for at in 0..self.plan.variables.len() {
            let written = self.plan.attends.iter().any(|op| op.into.0 as usize == at);
            let variable = &mut self.plan.variables[at];
            if variable.written == Written::Attend && !written {
                // Its readers take the number away that would round what is written.
                let held = variable.rounding.take().map(|rounding| rounding.offset());
                let tokens = held.map(|held| vec![held; self.plan.vocabulary.len()]);
                variable.written = Written::Embed {
                    tokens: tokens.unwrap_or_default(),
                    indices: Vec::new(),
                };
                variable.values = [held.unwrap_or(0.0)].into();
                any = true;
            }
        }
        if !any {
            return Ok(());
        }
        for (at, read_real) in read_real.into_iter().enumerate() {
            let still = self.plan.reads_real(&self.plan.feed_forwards[at].argument);
            if read_real && !still && !self.plan.list_points(at) {
                let reason = "a mean of nothing is read beside other numbers".to_string();
                return Err(Stopped::new(Code::NotExact, reason));
            }
        }
        self.plan.drop_what_is_not_read();
        Ok(())
    }
}
