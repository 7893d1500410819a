//! What a host computes in: its floats, which numbers these hold, what it divides by √d_head, and in which order it
//! adds up. Depends on `model` for the names of orders.

use crate::model::HostOrder;

/// The floats that a model is run in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floats {
    /// Bits of a significand.
    pub bits: i32,
    /// Half a unit in the last place of 1.
    pub unit: f64,
}

impl Floats {
    pub const F32: Floats = Floats {
        bits: 24,
        unit: 5.960_464_477_539_063e-8,
    };
    pub const F64: Floats = Floats {
        bits: 53,
        unit: 1.110_223_024_625_156_5e-16,
    };

    /// Whether a float of this kind is this number.
    pub fn holds(self, number: f64) -> bool {
        let (significand, _) = parts(number);
        let zeros = significand.leading_zeros() + significand.trailing_zeros();
        significand == 0 || (u64::BITS - zeros) as i32 <= self.bits
    }
}

/// How a host adds up what it reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adding {
    /// In any order, with any brackets, and each product rounded or not.
    AnyOrder,
    /// As `execute` does: the bias first, then what is read of the embeddings, then other terms in the order of
    /// their directions; hidden units in their order, behind what stands there.
    InTurn,
}

/// What is said of a host.
#[derive(Clone, Copy, Debug)]
pub struct Arithmetic {
    pub order: HostOrder,
    pub floats: Floats,
    pub adding: Adding,
}

/// A number without its sign as a whole number and the exponent of the power of two that multiplies it.
fn parts(number: f64) -> (u64, i32) {
    let bits = number.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    match exponent {
        0 => (fraction, -1074),
        _ => (fraction | (1 << 52), exponent - 1075),
    }
}

/// The exponent of the largest power of two that divides a number; `None` for 0.
pub fn grain(number: f64) -> Option<i32> {
    let (significand, exponent) = parts(number);
    (significand != 0).then(|| exponent + significand.trailing_zeros() as i32)
}

/// Whether multiples of `2^grain` up to `largest` are floats.
pub fn fits(largest: f64, grain: i32, floats: Floats) -> bool {
    largest < 2f64.powi(floats.bits.saturating_add(grain))
}

/// Whether so little, and twice that, changes no sum with a multiple of `2^grain` but 0.
pub fn is_lost(residue: f64, grain: i32, floats: Floats) -> bool {
    residue == 0.0 || 2.0 * residue < 2f64.powi(grain.saturating_sub(floats.bits + 1))
}

/// Whether a number is a power of two, of either sign.
pub fn is_power(number: f64) -> bool {
    parts(number).0.is_power_of_two()
}
