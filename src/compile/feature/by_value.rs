//! Features as combinations: of a direction for each value, where the program asks for those, or of
//! bits that say how many of the values are less.

use super::search::Found;
use super::wanted::Wanted;
use super::{LITTLE_PRECISION, MUCH_PRECISION};
use crate::compile::linear::{LinearRead, Scalar};
use crate::compile::way::{NotThis, Way};
use crate::compile::{Compiler, Want, ones_where};
use crate::graph::Encoding;

/// An order has no more bits than this where a staircase would do.
const MOST_BITS: usize = 64;

impl Compiler<'_> {
    /// The feature as a combination of a direction for each value but the first, where the program
    /// asks for those with `categorical(…)`; a function that is one of these directions is not.
    pub(super) fn by_value(&mut self, wanted: Wanted) -> Way {
        let Wanted {
            id, function, want, ..
        } = wanted;
        if self.analysis.encoding(id) != Some(Encoding::Categorical) {
            return Err(NotThis);
        }
        let mut others = function.iter().filter(|number| **number != 0.0);
        if (others.next(), others.next()) == (Some(&1.0), None) {
            return Err(NotThis);
        }
        let domain = self.analysis.node(id)?.column.values.domain.clone();
        let first = function.first().copied().unwrap_or(0.0);
        let mut read = LinearRead::constant(first);
        for (at, number) in function.iter().enumerate().skip(1) {
            let indicator = ones_where(function.len(), |value| value == at);
            let label = format!("{} = {}", self.name(id), domain[at].source());
            let direction = self.feature(id, &indicator, want, &label)?;
            for scalar in direction.scalars.keys() {
                if let Scalar::Computed(index) = scalar {
                    self.features[*index].asked_for = true;
                }
            }
            read = read.plus(number - first, &direction);
        }
        Ok(read)
    }

    /// An exact feature of a number as a combination of bits, which all its functions share: whether
    /// it is more than each of its values. None for such a bit itself.
    pub(super) fn by_order(&mut self, wanted: Wanted) -> Way {
        let Wanted {
            id,
            function,
            label,
            ..
        } = wanted;
        let node = self.analysis.node(id)?.clone();
        // These bits would be combinations of the directions that are asked for.
        if self.analysis.encoding(id) == Some(Encoding::Categorical) {
            return Err(NotThis);
        }
        // Numbers of combinations have an order that means nothing.
        if self.analysis.joint(id).is_some() {
            return Err(NotThis);
        }
        if !self.holds_bits() || node.column.space.vars.is_empty() {
            return Err(NotThis);
        }
        let numbers = node.column.values.numbers().ok_or(NotThis)?;
        let changes: Vec<usize> = (1..function.len())
            .filter(|at| function[*at] != function[at - 1])
            .collect();
        if changes.len() <= 1 || numbers.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err(NotThis);
        }
        let mut read = LinearRead::constant(function[0]);
        for at in changes {
            if numbers[at] == numbers[at - 1] {
                return Err(NotThis);
            }
            let bit = ones_where(function.len(), |value| value >= at);
            let bit = self.feature(id, &bit, Want::Snapped, label)?;
            read = read.plus(function[at] - function[at - 1], &bit);
        }
        Ok(read)
    }

    /// Whether bits of the s-op's order are to take the place of a staircase: it hangs on the last
    /// digits of its argument, and they are fewer. What is added to logits is exact rather than small.
    pub(super) fn is_coarser_by_order(&self, found: &Found, wanted: Wanted) -> bool {
        let changes = wanted
            .function
            .windows(2)
            .filter(|pair| pair[0] != pair[1])
            .count();
        let precise = match wanted.want {
            Want::Tolerant => LITTLE_PRECISION,
            Want::Close | Want::Real | Want::Snapped => MUCH_PRECISION,
        };
        found.stairs.precision > precise
            && changes <= MOST_BITS
            && 2 * changes <= found.stairs.steps.len()
    }
}
