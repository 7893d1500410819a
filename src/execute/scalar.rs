//! The two number types a forward pass can use, and the one function on them that the standard
//! library does not define to the bit.

use super::wide::Wide;
use crate::model::Dtype;
use ndarray::NdFloat;

/// The numbers a forward pass computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Of 32 bits, as models usually run.
    F32,
    /// Of 64 bits.
    F64,
}

impl Precision {
    /// The floats that it is.
    pub fn dtype(self) -> Dtype {
        match self {
            Precision::F32 => Dtype::Float32,
            Precision::F64 => Dtype::Float64,
        }
    }
}

/// `f32` or `f64`.
pub trait Scalar: NdFloat + Wide {
    /// From this logarithm down weights of a softmax are 0: what is so small changes no sum, and with
    /// it whatever it is multiplied with would be subnormal, on which processors are slow.
    const LOWEST: Self;

    /// How far below the largest score the weights of a softmax are exactly 0, however the difference
    /// is rounded.
    const FAR: f64;

    /// The nearest number of this type.
    fn narrow(wide: f64) -> Self;

    /// The same number in 64 bits.
    fn widen(self) -> f64;

    /// Whether it is a whole number, of those that are less than half of what its digits hold.
    fn is_whole(self) -> bool;

    /// The number without its fraction, or the nearest one that 32 bits hold; 0 if it is negative.
    fn whole(self) -> u32;

    /// `e` to the power of a number that is not positive.
    /// 0 from [`Scalar::LOWEST`] down.
    fn exp_falling(self) -> Self;
}

/// The nearest numbers of a type.
pub(super) fn narrowed<T: Scalar>(wide: &[f64]) -> Vec<T> {
    wide.iter().map(|wide| T::narrow(*wide)).collect()
}

impl Scalar for f32 {
    // Above 2⁻¹⁰⁰, of the 2⁻¹²⁶ that are not subnormal.
    const LOWEST: f32 = -69.0;
    const FAR: f64 = 70.0;

    #[inline(always)]
    fn exp_falling(self) -> f32 {
        // The rest of the series is below 2⁻³², little beside the rounding.
        let power = exp_falling::<9>(f64::from(self)) as f32;
        if self <= f32::LOWEST { 0.0 } else { power }
    }

    #[inline(always)]
    fn narrow(wide: f64) -> f32 {
        wide as f32
    }

    // As `floor` is a call where the processor may lack the instruction.
    #[inline(always)]
    fn is_whole(self) -> bool {
        // Adding 1.5 · 2²³ rounds to an integer.
        const SHIFT: f32 = 12_582_912.0;
        (self + SHIFT) - SHIFT == self
    }

    #[inline(always)]
    fn whole(self) -> u32 {
        self as u32
    }

    #[inline(always)]
    fn widen(self) -> f64 {
        f64::from(self)
    }
}

impl Scalar for f64 {
    // Above 2⁻¹⁰⁰⁰, of the 2⁻¹⁰²² that are not subnormal.
    const LOWEST: f64 = -693.0;
    const FAR: f64 = 694.0;

    #[inline(always)]
    fn exp_falling(self) -> f64 {
        let power = exp_falling::<14>(self);
        if self <= f64::LOWEST { 0.0 } else { power }
    }

    #[inline(always)]
    fn narrow(wide: f64) -> f64 {
        wide
    }

    #[inline(always)]
    fn is_whole(self) -> bool {
        (self + SHIFT) - SHIFT == self
    }

    #[inline(always)]
    fn whole(self) -> u32 {
        self as u32
    }

    #[inline(always)]
    fn widen(self) -> f64 {
        self
    }
}

/// Adding 1.5 · 2⁵² rounds to an integer and leaves that integer in the low bits.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// `e^x` for `x ≤ 0`, within two units in the last place; 0 below -708.7, where results would be
/// subnormal.
///
/// `f64::exp` is the platform's and differs between platforms, even between processors on one.
/// This uses only operations that IEEE 754 defines to the bit: `e^x = 2^k e^r` with
/// `|r| ≤ ln 2 / 2`, and so many terms of the Taylor series of `e^r`; the rest after 14, up to `r¹³`, is
/// below 2⁻⁵⁷.
#[inline(always)]
fn exp_falling<const TERMS: usize>(x: f64) -> f64 {
    // ln 2 in two parts; the first has few enough digits for `k * LN_2_HIGH` to be exact.
    const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    // From here on the power of two is zero. Without a branch, loops of this become vector code.
    const LOWEST: f64 = -709.0;
    let x = if x < LOWEST { LOWEST } else { x };
    let shifted = x * std::f64::consts::LOG2_E + SHIFT;
    let k = shifted - SHIFT;
    let r = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    let mut series = INVERSE_FACTORIALS[TERMS - 1];
    for n in (0..TERMS - 1).rev() {
        series = series * r + INVERSE_FACTORIALS[n];
    }
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
    series * power
}

const INVERSE_FACTORIALS: [f64; 14] = [
    1.0,
    1.0,
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
];
