//! What sequences hold: atoms with the reference's (Python's) arithmetic and order, the
//! elementwise primitives on them, and sequences as they are typed and printed. Pure functions
//! without places in source text; the caller adds those. Depends on nothing else in the crate.

mod arithmetic;
pub mod atom;
mod failure;
pub mod op;
pub mod sequence;
pub mod types;

pub use atom::{ROUNDING, Value};
pub use failure::Failure;
pub use op::{Comparison, Op, Table};
pub use sequence::{SequenceError, SequenceType};
pub use types::TypeSet;
