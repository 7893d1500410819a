//! One of several ways to do something: what it gives, or that it is no way to do this. Where nothing is found
//! another way is taken; what stops is a reason to stop all.

use super::linear::LinearRead;
use crate::infer::Stopped;
pub(super) use Refusal::NotThis;

/// Why one of several ways gives nothing.
pub(crate) enum Refusal {
    /// It is no way to do this one.
    NotThis,
    /// It is one, but does not get there.
    Stopped(Stopped),
}

impl From<Stopped> for Refusal {
    fn from(stopped: Stopped) -> Refusal {
        Refusal::Stopped(stopped)
    }
}

/// What one of several ways gives.
pub(crate) type Way<T = LinearRead> = Result<T, Refusal>;

/// The same, where another way is taken if it is none.
pub(crate) fn tried<T>(found: Way<T>) -> Result<Option<T>, Stopped> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Refusal::NotThis) => Ok(None),
        Err(Refusal::Stopped(stopped)) => Err(stopped),
    }
}
