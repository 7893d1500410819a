//! What is added up over selected keys: counts, exact sums of ints, and sums of floats, for which
//! the order of addition matters.

/// Something that can be added up.
pub trait Sum: Copy {
    /// Whether sums are the same in any order.
    const ANY_ORDER: bool = true;
    const ZERO: Self;
    fn plus(self, other: Self) -> Self;
}

/// Sums that can be taken back, for sums over signed conjunctions.
pub trait Signed: Sum {
    fn times(self, factor: i64) -> Self;
}

impl Sum for () {
    const ZERO: () = ();
    fn plus(self, (): ()) {}
}

impl Signed for () {
    fn times(self, _factor: i64) {}
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

/// A sum of numbers from left to right: exact while they are ints, in floats from the first float
/// on.
#[derive(Clone, Copy, Debug)]
pub enum Mixed {
    Whole(i128),
    Float(f64),
}

impl Mixed {
    pub fn float(self) -> f64 {
        match self {
            Mixed::Whole(whole) => whole as f64,
            Mixed::Float(float) => float,
        }
    }
}

impl Sum for Mixed {
    const ANY_ORDER: bool = false;
    const ZERO: Mixed = Mixed::Whole(0);
    fn plus(self, other: Mixed) -> Mixed {
        match (self, other) {
            (Mixed::Whole(a), Mixed::Whole(b)) => Mixed::Whole(a.wrapping_add(b)),
            (a, b) => Mixed::Float(a.float() + b.float()),
        }
    }
}

impl<A: Sum, B: Sum> Sum for (A, B) {
    const ANY_ORDER: bool = A::ANY_ORDER && B::ANY_ORDER;
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
