//! Numbers that do not fit in 64 bits. A comparison sees on which side of all ints one lies, which the residual
//! stream does not tell, so that comparisons of what may overflow are refused. Depends on the graph and on the
//! values of operands.

use super::space::FAILS;
use super::{Analysis, Stopped};
use crate::base::Code;
use crate::graph::{SOp, SOpId};
use crate::value::{Op, Value};
use std::cmp::Ordering;

impl Analysis<'_> {
    /// # Errors
    /// The primitive compares what may not fit in 64 bits, or gives that of a mean, which of several keys is a
    /// float that has room for it.
    pub(super) fn check_overflow(&self, op: &Op, operands: &[SOpId]) -> Result<(), Stopped> {
        let is_mean = |id: &SOpId| self.is_of_any_kind(*id);
        if self.overflows(op, operands) && operands.iter().any(is_mean) {
            let reason = "whether this fits in 64 bits hangs on how many keys a mean is of";
            return Err(Stopped::new(Code::NotCompilable, reason.to_string())
                .help("keep the numbers smaller"));
        }
        let mut operands = operands.iter();
        match operands.find(|id| matches!(op, Op::Compare(_)) && self.may_overflow(**id)) {
            None => Ok(()),
            Some(id) => {
                let name = self.graph.describe(*id);
                let reason = format!("{name} may not fit in 64 bits where it is compared");
                Err(Stopped::new(Code::NotCompilable, reason).help("keep the numbers smaller"))
            }
        }
    }

    fn may_overflow(&self, id: SOpId) -> bool {
        let SOp::Map { op, operands } = self.graph.get(id) else {
            return false;
        };
        let may_fail = self.node(id).map(|node| node.column.cells.contains(&FAILS));
        matches!(may_fail, Ok(true)) && self.overflows(op, operands)
    }

    /// Whether some combination of the least and the largest values of operands overflows. Rounding and
    /// negation are of one.
    fn overflows(&self, op: &Op, operands: &[SOpId]) -> bool {
        if matches!(op, Op::If) {
            return false;
        }
        let overflows = |operands: &[&Value]| {
            let result = op.apply(operands);
            result.is_err_and(|failure| failure.beyond().is_some())
        };
        let ends: Option<Vec<[&Value; 2]>> = operands.iter().map(|id| self.ends(*id)).collect();
        match ends.as_deref() {
            Some([a]) => a.iter().any(|a| overflows(&[a])),
            Some([a, b]) => a.iter().any(|a| b.iter().any(|b| overflows(&[a, b]))),
            _ => false,
        }
    }

    /// The least and the largest number of an s-op, if it has any.
    fn ends(&self, id: SOpId) -> Option<[&Value; 2]> {
        let domain = &self.node(id).ok()?.column.values.domain;
        let by_size = |a: &&Value, b: &&Value| {
            let order = a.as_float().partial_cmp(&b.as_float());
            order.unwrap_or(Ordering::Equal)
        };
        let numbers = || domain.iter().filter(|value| value.is_number());
        Some([numbers().min_by(by_size)?, numbers().max_by(by_size)?])
    }
}
