//! Numbers that go in step: as many as a register holds, with whatever instructions the processor has.
//! A step is one operation on each lane, rounded as on a single number, so that results are the same to
//! the bit at any width. Depends on nothing else in the crate.

use pulp::{Simd, bytemuck};

/// A number of which several go in step.
pub trait Wide: Copy + 'static {
    /// As many as a register holds.
    type Vector<S: Simd>: Copy;

    /// How many a register holds.
    fn lanes<S: Simd>() -> usize;

    /// The same number in each lane.
    fn splat<S: Simd>(simd: S, number: Self) -> Self::Vector<S>;

    /// Numbers as vectors; what does not fill one at the end is left out.
    fn vectors<S: Simd>(numbers: &[Self]) -> &[Self::Vector<S>];

    /// The same, to be written.
    fn vectors_mut<S: Simd>(numbers: &mut [Self]) -> &mut [Self::Vector<S>];

    /// The numbers of a vector.
    fn numbers<S: Simd>(vector: &mut Self::Vector<S>) -> &mut [Self];

    /// `a + b`
    fn plus<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;

    /// `a - b`
    fn minus<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;

    /// `a * b`
    fn times<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;

    /// `a / b`
    fn over<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;

    /// `a` where `x > y` of two, else `b`.
    fn if_greater<S: Simd>(
        simd: S,
        xy: (Self::Vector<S>, Self::Vector<S>),
        a: Self::Vector<S>,
        b: Self::Vector<S>,
    ) -> Self::Vector<S>;

    /// `a` where `x ≤ y` of two, else `b`.
    fn if_at_most<S: Simd>(
        simd: S,
        xy: (Self::Vector<S>, Self::Vector<S>),
        a: Self::Vector<S>,
        b: Self::Vector<S>,
    ) -> Self::Vector<S>;

    /// `a` where `x = y` of two, else `b`.
    fn if_equal<S: Simd>(
        simd: S,
        xy: (Self::Vector<S>, Self::Vector<S>),
        a: Self::Vector<S>,
        b: Self::Vector<S>,
    ) -> Self::Vector<S>;

    /// Whether `x > y` in a lane.
    fn any_greater<S: Simd>(simd: S, x: Self::Vector<S>, y: Self::Vector<S>) -> bool;
}

macro_rules! wide {
    ($number:ty, $vector:ident, $lanes:ident, $splat:ident, $as_simd:ident, $as_mut_simd:ident,
     $add:ident, $sub:ident, $mul:ident, $div:ident,
     $greater:ident, $at_most:ident, $equal:ident, $select:ident, $first_true:ident) => {
        impl Wide for $number {
            type Vector<S: Simd> = S::$vector;

            #[inline(always)]
            fn lanes<S: Simd>() -> usize {
                S::$lanes
            }

            #[inline(always)]
            fn splat<S: Simd>(simd: S, number: $number) -> S::$vector {
                simd.$splat(number)
            }

            #[inline(always)]
            fn vectors<S: Simd>(numbers: &[$number]) -> &[S::$vector] {
                S::$as_simd(numbers).0
            }

            #[inline(always)]
            fn vectors_mut<S: Simd>(numbers: &mut [$number]) -> &mut [S::$vector] {
                S::$as_mut_simd(numbers).0
            }

            #[inline(always)]
            fn numbers<S: Simd>(vector: &mut S::$vector) -> &mut [$number] {
                bytemuck::cast_slice_mut(std::slice::from_mut(vector))
            }

            #[inline(always)]
            fn plus<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$add(a, b)
            }

            #[inline(always)]
            fn minus<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$sub(a, b)
            }

            #[inline(always)]
            fn times<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$mul(a, b)
            }

            #[inline(always)]
            fn over<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$div(a, b)
            }

            #[inline(always)]
            fn if_greater<S: Simd>(
                simd: S,
                (x, y): (S::$vector, S::$vector),
                a: S::$vector,
                b: S::$vector,
            ) -> S::$vector {
                simd.$select(simd.$greater(x, y), a, b)
            }

            #[inline(always)]
            fn if_at_most<S: Simd>(
                simd: S,
                (x, y): (S::$vector, S::$vector),
                a: S::$vector,
                b: S::$vector,
            ) -> S::$vector {
                simd.$select(simd.$at_most(x, y), a, b)
            }

            #[inline(always)]
            fn if_equal<S: Simd>(
                simd: S,
                (x, y): (S::$vector, S::$vector),
                a: S::$vector,
                b: S::$vector,
            ) -> S::$vector {
                simd.$select(simd.$equal(x, y), a, b)
            }

            #[inline(always)]
            fn any_greater<S: Simd>(simd: S, x: S::$vector, y: S::$vector) -> bool {
                simd.$first_true(simd.$greater(x, y)) < S::$lanes
            }
        }
    };
}

wide!(
    f32,
    f32s,
    F32_LANES,
    splat_f32s,
    as_simd_f32s,
    as_mut_simd_f32s,
    add_f32s,
    sub_f32s,
    mul_f32s,
    div_f32s,
    greater_than_f32s,
    less_than_or_equal_f32s,
    equal_f32s,
    select_f32s,
    first_true_m32s
);
wide!(
    f64,
    f64s,
    F64_LANES,
    splat_f64s,
    as_simd_f64s,
    as_mut_simd_f64s,
    add_f64s,
    sub_f64s,
    mul_f64s,
    div_f64s,
    greater_than_f64s,
    less_than_or_equal_f64s,
    equal_f64s,
    select_f64s,
    first_true_m64s
);
