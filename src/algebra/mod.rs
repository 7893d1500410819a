//! Linear algebra over the rationals. What programs compute are integers and fractions with small
//! denominators; read as such, `1/3` and `1 - 2/3` are one number, and whether a column depends on
//! others is a matter of equality, not of tolerance. Tables factor by one algorithm, which also
//! runs in floats for what is irrational: the logarithms of weights.

mod echelon;
mod factor;
mod rank;
mod rational;

pub use echelon::{Echelon, Sparse};
pub use factor::{Product, factor};
pub use rank::least_rank;
pub use rational::{Rational, Reading, largest};

/// Numbers that are no fractions are known up to rounding only: of such rows, what is below this
/// part of the largest entry counts as nothing.
pub const FAINT: f64 = 1e-9;
