//! What is added up over selected keys: counts and exact sums, the same in any order.

/// Something that can be added up.
pub trait Sum: Copy + Send + Sync {
    const ZERO: Self;
    fn plus(self, other: Self) -> Self;
}

/// Sums that can be taken back, for sums over signed conjunctions.
pub trait Signed: Sum {
    fn times(self, factor: i64) -> Self;
}

// Sums wrap: whoever adds has made sure that the final result fits, and then wrapping in between,
// when parts are counted twice and taken back, does no harm.
impl Sum for u32 {
    const ZERO: u32 = 0;
    fn plus(self, other: u32) -> u32 {
        self.wrapping_add(other)
    }
}

impl Signed for u32 {
    fn times(self, factor: i64) -> u32 {
        self.wrapping_mul(factor as u32)
    }
}

impl Sum for i64 {
    const ZERO: i64 = 0;
    fn plus(self, other: i64) -> i64 {
        self.wrapping_add(other)
    }
}

impl Signed for i64 {
    fn times(self, factor: i64) -> i64 {
        self.wrapping_mul(factor)
    }
}

impl Sum for i128 {
    const ZERO: i128 = 0;
    fn plus(self, other: i128) -> i128 {
        self.wrapping_add(other)
    }
}

impl Signed for i128 {
    fn times(self, factor: i64) -> i128 {
        self.wrapping_mul(i128::from(factor))
    }
}

/// Not a sum but the highest of all, where nothing is taken back; 0 of none.
#[derive(Clone, Copy)]
pub struct Highest(pub u32);

impl Sum for Highest {
    const ZERO: Highest = Highest(0);
    fn plus(self, other: Highest) -> Highest {
        Highest(self.0.max(other.0))
    }
}

impl<A: Sum, B: Sum> Sum for (A, B) {
    const ZERO: (A, B) = (A::ZERO, B::ZERO);
    fn plus(self, other: (A, B)) -> (A, B) {
        (self.0.plus(other.0), self.1.plus(other.1))
    }
}

impl<A: Signed, B: Signed> Signed for (A, B) {
    fn times(self, factor: i64) -> (A, B) {
        (self.0.times(factor), self.1.times(factor))
    }
}
