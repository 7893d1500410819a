//! Why an elementwise primitive has no result on some values, as data; `diagnose` says it in words.

use super::atom::Value;
use std::cmp::Ordering;

/// Why an elementwise primitive has no result on some values. It is small, as every result
/// of a primitive has room for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The primitive of this symbol does not work on values of these types.
    Types(&'static str, Box<[Value]>),
    /// The int that it would give on these values does not fit in 64 bits, and on which side it lies.
    Overflow(&'static str, Box<[Value]>, Ordering),
    /// A division by zero.
    DivisionByZero(Box<[Value; 2]>),
    /// The remainder of one.
    RemainderByZero(Box<[Value; 2]>),
    /// Zero to a negative power.
    ZeroToNegative(Box<[Value; 2]>),
    /// A negative number to a fraction.
    NegativeToFraction(Box<[Value; 2]>),
    /// A power beyond all floats.
    LargePower(Box<[Value; 2]>),
    /// No int is near to NaN.
    RoundedNan,
    /// A string of so many bytes, and how many it may have.
    LongString(usize, usize),
    /// What cannot be read as an int.
    NotInt(Value),
    /// A float that is no int of 64 bits.
    LargeInt(Value),
    /// What cannot be read as a float.
    NotFloat(Value),
    /// A key that a dict does not have.
    NoKey(Value),
    /// What a list or string is indexed by, if it is no int.
    NoIndex(&'static str, Value),
    /// An index that a list or string does not have.
    OutOfRange {
        /// The index, from the end if it is negative.
        index: i64,
        /// How many elements there are.
        length: usize,
        /// `list` or `string`.
        kind: &'static str,
    },
}

impl Failure {
    /// Of an overflow: on which side of all 64-bit ints the result lies.
    pub fn beyond(&self) -> Option<Ordering> {
        if let Failure::Overflow(_, _, beyond) = self {
            Some(*beyond)
        } else {
            None
        }
    }
}
