//! Hidden units of one argument are one bank: what several functions of it have in common is
//! computed once.

use super::numbered;
use crate::plan::Plan;

pub(super) fn units(plan: &mut Plan) {
    let banks = numbered(&plan.feed_forwards, |one, other| {
        one.argument == other.argument
    });
    for (forward, bank) in plan.feed_forwards.iter_mut().zip(banks) {
        forward.bank = bank;
    }
}
