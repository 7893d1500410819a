//! Numbers that go in step, one lane for each example: 32-bit floats as wide as the processor has
//! them, chosen at run time, and single 64-bit floats for the check of the gradients. Only this file,
//! and `train`, which asks for the choice, name pulp. Depends on nothing else in the crate.

use pulp::{NullaryFnOnce, Simd};
use std::ops::{AddAssign, Neg};

/// A number that all lanes share: a weight or its gradient.
pub trait Scalar: Copy + Default + PartialOrd + AddAssign + Neg<Output = Self> + Send {
    /// The nearest number.
    fn of(number: f64) -> Self;
    /// As a 64-bit float.
    fn number(self) -> f64;
}

impl Scalar for f32 {
    fn of(number: f64) -> f32 {
        number as f32
    }

    fn number(self) -> f64 {
        f64::from(self)
    }
}

impl Scalar for f64 {
    fn of(number: f64) -> f64 {
        number
    }

    fn number(self) -> f64 {
        self
    }
}

/// A loop over lanes, compiled for each set of instructions.
pub trait Kernel<L: Lanes> {
    /// Runs it. Implementations are `#[inline(always)]`, so that they are compiled as [`Lanes::launch`]
    /// says.
    fn run(self, lanes: L);
}

/// Arithmetic on lanes.
pub trait Lanes: Copy + Send + Sync + 'static {
    /// What weights are.
    type Scalar: Scalar;
    /// A number for each lane.
    type Wide: Copy + Send + Sync;
    /// How many lanes there are.
    const COUNT: usize;
    /// How many columns of four rows fit the registers.
    const COLUMNS: usize;
    /// What noise comes from: a generator for each lane.
    type Noise: Clone + Send;

    /// The same number in each lane.
    fn splat(self, number: Self::Scalar) -> Self::Wide;
    /// `a + b`
    fn add(self, a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// `a - b`
    fn sub(self, a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// `a * b`
    fn mul(self, a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// `a / b`
    fn div(self, a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// `a * b + c`
    fn fma(self, a: Self::Wide, b: Self::Wide, c: Self::Wide) -> Self::Wide;
    /// The larger of two.
    fn max(self, a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// `a` where `x` is more than 0, else `b`.
    fn choose(self, x: Self::Wide, a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// e to the power of a number that is at most 0, and exactly 0 far below: weights are 0 or at least
    /// 1e-7, which keeps products out of the slow range of denormal numbers.
    fn exp(self, x: Self::Wide) -> Self::Wide;
    /// The natural logarithm of a positive normal number.
    fn ln(self, x: Self::Wide) -> Self::Wide;
    /// The sum over the lanes.
    fn sum(self, x: Self::Wide) -> Self::Scalar;
    /// The lanes as numbers.
    fn lanes(x: &mut Self::Wide) -> &mut [Self::Scalar];
    /// The generators that belong to 32-bit words, as many as are asked for.
    fn noise(self, word: &mut dyn FnMut() -> u32) -> Self::Noise;
    /// Standard Gumbel noise.
    fn gumbel(self, noise: &mut Self::Noise) -> Self::Wide;
    /// Runs a kernel as compiled for these lanes.
    fn launch(self, kernel: impl Kernel<Self>);

    /// 0 in each lane.
    #[inline(always)]
    fn zero(self) -> Self::Wide {
        self.splat(Self::Scalar::default())
    }

    /// A number in each lane.
    #[inline(always)]
    fn number(self, number: f64) -> Self::Wide {
        self.splat(Self::Scalar::of(number))
    }
}

/// 32-bit floats, as wide as a set of instructions has them.
#[derive(Clone, Copy)]
pub struct Wide32<S: Simd>(pub S);

struct Launch<L, K>(L, K);

impl<L: Lanes, K: Kernel<L>> NullaryFnOnce for Launch<L, K> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.1.run(self.0);
    }
}

/// Below this e^x counts as 0.
const NOTHING: f32 = -16.0;
/// Adding it rounds to whole numbers, which are then the low bits.
const ROUND: f32 = 12_582_912.0;

impl<S: Simd> Wide32<S> {
    #[inline(always)]
    fn polynomial(self, coefficients: &[f32], x: S::f32s) -> S::f32s {
        let mut y = self.0.splat_f32s(coefficients[0]);
        for &coefficient in &coefficients[1..] {
            y = self.0.mul_add_e_f32s(y, x, self.0.splat_f32s(coefficient));
        }
        y
    }

    #[inline(always)]
    fn rotated(self, x: S::u32s, by: u32) -> S::u32s {
        let simd = self.0;
        let up = simd.wrapping_dyn_shl_u32s(x, simd.splat_u32s(by));
        let down = simd.wrapping_dyn_shr_u32s(x, simd.splat_u32s(32 - by));
        simd.or_u32s(up, down)
    }
}

impl<S: Simd> Lanes for Wide32<S> {
    type Scalar = f32;
    type Wide = S::f32s;
    const COUNT: usize = S::F32_LANES;
    const COLUMNS: usize = if S::REGISTER_COUNT > 16 { 4 } else { 2 };
    type Noise = [S::u32s; 4];

    #[inline(always)]
    fn splat(self, number: f32) -> S::f32s {
        self.0.splat_f32s(number)
    }

    #[inline(always)]
    fn add(self, a: S::f32s, b: S::f32s) -> S::f32s {
        self.0.add_f32s(a, b)
    }

    #[inline(always)]
    fn sub(self, a: S::f32s, b: S::f32s) -> S::f32s {
        self.0.sub_f32s(a, b)
    }

    #[inline(always)]
    fn mul(self, a: S::f32s, b: S::f32s) -> S::f32s {
        self.0.mul_f32s(a, b)
    }

    #[inline(always)]
    fn div(self, a: S::f32s, b: S::f32s) -> S::f32s {
        self.0.div_f32s(a, b)
    }

    #[inline(always)]
    fn fma(self, a: S::f32s, b: S::f32s, c: S::f32s) -> S::f32s {
        self.0.mul_add_e_f32s(a, b, c)
    }

    #[inline(always)]
    fn max(self, a: S::f32s, b: S::f32s) -> S::f32s {
        self.0.max_f32s(a, b)
    }

    #[inline(always)]
    fn choose(self, x: S::f32s, a: S::f32s, b: S::f32s) -> S::f32s {
        let positive = self.0.greater_than_f32s(x, self.0.splat_f32s(0.0));
        self.0.select_f32s(positive, a, b)
    }

    /// The polynomial is Cephes' (Moshier 1992).
    #[inline(always)]
    fn exp(self, x: S::f32s) -> S::f32s {
        let simd = self.0;
        let splat = |number: f32| simd.splat_f32s(number);
        let bounded = simd.max_f32s(x, splat(NOTHING));
        let shifted = simd.mul_add_e_f32s(bounded, splat(std::f32::consts::LOG2_E), splat(ROUND));
        let whole = simd.sub_f32s(shifted, splat(ROUND));
        let rest = simd.mul_add_e_f32s(whole, splat(-0.693_359_4), bounded);
        let rest = simd.mul_add_e_f32s(whole, splat(2.121_944_4e-4), rest);
        let coefficients = [
            1.987_569_1e-4,
            1.398_2e-3,
            8.333_452e-3,
            4.166_579_6e-2,
            1.666_666_5e-1,
            5.0e-1,
        ];
        let y = self.polynomial(&coefficients, rest);
        let linear = simd.add_f32s(rest, splat(1.0));
        let y = simd.mul_add_e_f32s(simd.mul_f32s(y, rest), rest, linear);
        let bits = simd.transmute_u32s_f32s(shifted);
        let exponent = simd.wrapping_dyn_shl_u32s(bits, simd.splat_u32s(23));
        let scaled = simd.add_u32s(simd.transmute_u32s_f32s(y), exponent);
        let above = simd.sub_f32s(x, splat(NOTHING));
        self.choose(above, simd.transmute_f32s_u32s(scaled), splat(0.0))
    }

    /// The polynomial is Cephes' (Moshier 1992).
    #[inline(always)]
    fn ln(self, x: S::f32s) -> S::f32s {
        let simd = self.0;
        let splat = |number: f32| simd.splat_f32s(number);
        let word = |bits: u32| simd.splat_u32s(bits);
        let bits = simd.transmute_u32s_f32s(x);
        // The exponent, with its bias, of x over the root of 1/2.
        let biased = simd.add_u32s(bits, word(0x3f80_0000 - 0x3f35_04f3));
        let biased = simd.wrapping_dyn_shr_u32s(biased, word(23));
        let removed = simd.wrapping_dyn_shl_u32s(biased, word(23));
        let mantissa = simd.add_u32s(simd.sub_u32s(bits, removed), word(127 << 23));
        let exponent = simd.transmute_f32s_u32s(simd.or_u32s(biased, word(0x4b00_0000)));
        let exponent = simd.sub_f32s(exponent, splat(8_388_608.0 + 127.0));
        let t = simd.sub_f32s(simd.transmute_f32s_u32s(mantissa), splat(1.0));
        let square = simd.mul_f32s(t, t);
        let coefficients = [
            7.037_683_6e-2,
            -1.151_461e-1,
            1.167_699_9e-1,
            -1.242_014_1e-1,
            1.424_932_3e-1,
            -1.666_805_7e-1,
            2.000_071_5e-1,
            -2.499_999_4e-1,
            3.333_333e-1,
        ];
        let y = self.polynomial(&coefficients, t);
        let half = simd.mul_f32s(square, splat(-0.5));
        let y = simd.mul_add_e_f32s(simd.mul_f32s(y, t), square, half);
        let y = simd.add_f32s(y, t);
        simd.mul_add_e_f32s(exponent, splat(std::f32::consts::LN_2), y)
    }

    #[inline(always)]
    fn sum(self, x: S::f32s) -> f32 {
        self.0.reduce_sum_f32s(x)
    }

    #[inline(always)]
    fn lanes(x: &mut S::f32s) -> &mut [f32] {
        pulp::bytemuck::cast_slice_mut(std::slice::from_mut(x))
    }

    /// A xoshiro128++ for each lane (Blackman & Vigna 2021).
    fn noise(self, word: &mut dyn FnMut() -> u32) -> [S::u32s; 4] {
        std::array::from_fn(|_| {
            let mut words = self.0.splat_u32s(0);
            let lanes: &mut [u32] =
                pulp::bytemuck::cast_slice_mut(std::slice::from_mut(&mut words));
            lanes.fill_with(|| word() | 1);
            words
        })
    }

    #[inline(always)]
    fn gumbel(self, noise: &mut [S::u32s; 4]) -> S::f32s {
        let simd = self.0;
        let [s0, s1, s2, s3] = *noise;
        let result = simd.add_u32s(self.rotated(simd.add_u32s(s0, s3), 7), s0);
        let shifted = simd.wrapping_dyn_shl_u32s(s1, simd.splat_u32s(9));
        let (s2, s3) = (simd.xor_u32s(s2, s0), simd.xor_u32s(s3, s1));
        let (s1, s0) = (simd.xor_u32s(s1, s2), simd.xor_u32s(s0, s3));
        *noise = [s0, s1, simd.xor_u32s(s2, shifted), self.rotated(s3, 11)];
        // 23 bits make a number below 1; with 24, and a half for 0's sake, some round to 1.
        let bits = simd.wrapping_dyn_shr_u32s(result, simd.splat_u32s(9));
        let bits = simd.or_u32s(bits, simd.splat_u32s(0x3f80_0000));
        let offset = simd.splat_f32s(1.0 - 0.5 / 8_388_608.0);
        let uniform = simd.sub_f32s(simd.transmute_f32s_u32s(bits), offset);
        let inner = simd.neg_f32s(self.ln(uniform));
        simd.neg_f32s(self.ln(inner))
    }

    #[inline(always)]
    fn launch(self, kernel: impl Kernel<Self>) {
        self.0.vectorize(Launch(self, kernel));
    }
}

/// Single 64-bit floats, for the check of the gradients.
#[derive(Clone, Copy)]
pub struct Exact;

impl Lanes for Exact {
    type Scalar = f64;
    type Wide = f64;
    const COUNT: usize = 1;
    const COLUMNS: usize = 2;
    type Noise = ();

    fn splat(self, number: f64) -> f64 {
        number
    }

    fn add(self, a: f64, b: f64) -> f64 {
        a + b
    }

    fn sub(self, a: f64, b: f64) -> f64 {
        a - b
    }

    fn mul(self, a: f64, b: f64) -> f64 {
        a * b
    }

    fn div(self, a: f64, b: f64) -> f64 {
        a / b
    }

    fn fma(self, a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }

    fn max(self, a: f64, b: f64) -> f64 {
        a.max(b)
    }

    fn choose(self, x: f64, a: f64, b: f64) -> f64 {
        if x > 0.0 { a } else { b }
    }

    fn exp(self, x: f64) -> f64 {
        x.exp()
    }

    fn ln(self, x: f64) -> f64 {
        x.ln()
    }

    fn sum(self, x: f64) -> f64 {
        x
    }

    fn lanes(x: &mut f64) -> &mut [f64] {
        std::slice::from_mut(x)
    }

    fn noise(self, _: &mut dyn FnMut() -> u32) {}

    /// There is none: the gradients are checked without noise.
    fn gumbel(self, (): &mut ()) -> f64 {
        0.0
    }

    fn launch(self, kernel: impl Kernel<Self>) {
        kernel.run(self);
    }
}
