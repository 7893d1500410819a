//! Hidden units of one argument are one bank: what several functions of it have in common is
//! computed once.

use crate::plan::{Linear, Plan};

pub(super) fn units(plan: &mut Plan) {
    let mut arguments: Vec<Linear> = Vec::new();
    for forward in &mut plan.feed_forwards {
        let known = arguments
            .iter()
            .position(|known| *known == forward.argument);
        forward.bank = known.unwrap_or_else(|| {
            arguments.push(forward.argument.clone());
            arguments.len() - 1
        });
    }
}
