//! The products that add up to a logit: how large they are together, how far they are off, and whether floats add
//! them up without rounding. Depends on the bounds of what is multiplied.

use super::bound::Bound;
use super::host::{Floats, fits, is_lost};

/// The products of a query and some keys, one for each dimension.
pub(super) struct Products {
    /// Whether each is a multiple of 2 to the power `least`.
    pub exact: bool,
    pub least: i32,
    /// How many are not 0: others round no sum.
    pub addends: usize,
    /// How large they are together.
    pub size: f64,
    /// How far their sum is off because of what they multiply, and what of that is a residue of what is exact.
    pub noise: f64,
    pub residue: f64,
}

impl Products {
    pub fn none() -> Products {
        Products {
            exact: true,
            least: i32::MAX,
            addends: 0,
            size: 0.0,
            noise: 0.0,
            residue: 0.0,
        }
    }

    /// Adds that of a query and of keys that are no larger than these.
    pub fn add(&mut self, (query, size): (&Bound, f64), (key, largest): (&Bound, f64)) {
        if largest == 0.0 && key.error == 0.0 {
            return;
        }
        self.addends += 1;
        self.size += size * (largest + key.error);
        self.noise += size * key.error + (largest + key.error) * query.error;
        self.residue += size * key.residue + (largest + key.error) * query.residue;
        match (query.grain, key.grain) {
            (Some(a), Some(b)) => self.least = self.least.min(a.saturating_add(b)),
            _ => self.exact = false,
        }
    }

    /// Whether their sum is exact where it is no larger.
    pub fn adds_exactly(&self, largest: f64, floats: Floats) -> bool {
        self.exact && fits(largest, self.least, floats) && is_lost(self.residue, self.least, floats)
    }
}
