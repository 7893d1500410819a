//! Where BOS stands that has the weight of keys which other heads select: it has the logarithm of their number,
//! or is far below all if there are none. How far it may be off is of interest only where there are some.

use super::bound::{Bound, Bounds};
use super::cases::CaseOf;
use super::host_sum::HostSum;

/// What stands so many nats below one key counts for none.
pub(super) const NONE: f64 = 16.0;

/// The number that a query gives to BOS there.
pub(super) struct Others {
    /// Where there are other keys.
    pub some: Bound,
    /// How many nats above one key it lifts BOS at most where there are none.
    pub none: f64,
}

impl Bounds<'_> {
    /// By the cases that hidden units tell apart, of a query that BOS multiplies by so many nats; `None` if these
    /// say nothing.
    pub fn others(&self, query: &HostSum, nats: f64) -> Option<Others> {
        let bounds = query.terms.iter().map(|term| self.of(term.variable));
        let (argument, cases) = self.cases_of(bounds)?;
        let (mut largest, mut error) = (0.0f64, 0.0f64);
        let mut none = f64::NEG_INFINITY;
        for at in 0..cases {
            let sum = self.in_turn(query, query.constant, Some(CaseOf { argument, at }));
            let off = sum.error + sum.rounding;
            let above = nats * (sum.centre + sum.radius + off);
            if above <= -NONE {
                none = none.max(above);
            } else {
                largest = largest.max(sum.centre.abs() + sum.radius);
                error = error.max(off);
            }
        }
        let some = Bound::inexact(largest, error);
        (nats > 0.0).then_some(Others { some, none })
    }
}
