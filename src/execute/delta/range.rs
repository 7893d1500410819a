//! What a row of the residual stream has been so far, so that a plan for it need not be made again for
//! each value. Depends on `scalar`.

use crate::execute::scalar::Scalar;

/// The least number that rows may be multiples of where sums are to be exact.
const LEAST_GRAIN: f64 = 1.0 / 16.0;

/// The least and the most that a row has been, and what makes whole numbers of its values; 0 if nothing
/// does.
#[derive(Clone, Copy)]
pub(super) struct Range<T> {
    pub least: T,
    pub most: T,
    pub scale: T,
}

impl<T: Scalar> Range<T> {
    /// Of a row that has been 0.
    pub fn zero() -> Range<T> {
        Range {
            least: T::zero(),
            most: T::zero(),
            scale: T::one(),
        }
    }

    /// Of a row that nobody asks about.
    pub fn any() -> Range<T> {
        Range {
            least: T::neg_infinity(),
            most: T::infinity(),
            scale: T::zero(),
        }
    }

    /// What its values are multiples of; 0 if of nothing.
    pub fn grain(&self) -> f64 {
        let scale = self.scale.widen();
        if scale > 0.0 { 1.0 / scale } else { 0.0 }
    }

    #[inline(always)]
    pub fn holds(&self, value: T) -> bool {
        (value >= self.least) & (value <= self.most) & (value * self.scale).is_whole()
    }

    /// Takes in a value; whether the range is another now.
    #[cold]
    pub fn note(&mut self, value: T) -> bool {
        let wide = value.widen();
        let mut is_new = false;
        if value < self.least || value > self.most {
            is_new = true;
            self.least = T::narrow(power(wide.min(self.least.widen())));
            self.most = T::narrow(power(wide.max(self.most.widen())));
        }
        while self.scale > T::zero() && (wide * self.scale.widen()).fract() != 0.0 {
            is_new = true;
            self.scale = match self.grain() > LEAST_GRAIN {
                true => self.scale + self.scale,
                false => T::zero(),
            };
        }
        is_new
    }
}

/// The next power of two away from 0.
fn power(value: f64) -> f64 {
    match value == 0.0 {
        true => 0.0,
        false => value.signum() * value.abs().log2().ceil().exp2().max(value.abs()),
    }
}
