//! Where BOS stands that has the weight of keys which other heads select: it has the logarithm of their number,
//! or is far below all if there are none. How far it may be off is of interest only where there are some. What
//! is rounded of the parts of a mean is in proportion to their shares of it.

use super::HeadBound;
use super::bound::{Bound, Bounds};
use super::cases::CaseOf;
use super::host_sum::HostSum;
use crate::plan::{Attend, Kind, PatternSource, VariableId};
use std::collections::{BTreeMap, BTreeSet};

/// What stands so many nats below one key counts for none.
pub(super) const NONE: f64 = 16.0;

/// The shares of all parts of a mean add up to less, while those of each are off by less than a thousandth.
const SHARES: f64 = 1.01;
const MOST_OFF: f64 = 1e-3;

/// For each selector and what its mean is written to: the patterns of the parts that were looked at, and what
/// these are off by in proportion to their shares, if one had all of the mean.
pub(super) type Parts = BTreeMap<(PatternSource, VariableId), (BTreeSet<usize>, f64)>;

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

    /// What a head writes, less what is counted for another part of the same mean already: what is rounded of
    /// each part is in proportion to its share. What values are off by is not, as that at BOS may be off, too.
    pub fn less_than_parts(
        &self,
        (at, attend): (usize, &Attend),
        head: &HeadBound,
        written: Bound,
        parts: &mut Parts,
    ) -> Bound {
        let is_off = head.level_error.max(head.leak) > MOST_OFF;
        if attend.kind != Kind::MeanOfPart || is_off || self.plan.at_bos(&attend.value) != 0.0 {
            return written;
        }
        let read = self.facts.value(at);
        let value = self.summed(read, read.constant);
        let roundings = self.roundings(attend, head) * self.floats.unit;
        let of_share = roundings * value.largest;
        let (patterns, known) = parts.entry((attend.row, attend.into)).or_default();
        if !patterns.insert(attend.pattern) {
            return written;
        }
        let more = (SHARES * of_share - *known).max(0.0);
        *known += more;
        Bound {
            error: (written.error - of_share).max(0.0) + more,
            ..written
        }
    }
}
