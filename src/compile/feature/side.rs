//! Results of two values: where they are the two sides of one threshold of a linear read, a line
//! through it is all that the readout needs, as no value is nearer than the right one. A step would
//! take two hidden units and a direction.

use super::threshold::Thresholds;
use super::wanted::targets;
use crate::compile::Compiler;
use crate::compile::linear::LinearRead;
use crate::compile::way::{NotThis, Way};
use crate::graph::Encoding;
use crate::infer::Operand;

/// A threshold: what is read, the values of that, and the results below and above.
pub struct Side {
    pub argument: LinearRead,
    pub points: Vec<f64>,
    pub middle: f64,
    pub below: f64,
    pub above: f64,
}

impl Side {
    /// The line that gives `below` and `above` for the nearest points to the threshold, or more than
    /// these; `None` if one side has no points.
    fn line(self) -> Option<LinearRead> {
        let below = self.points.iter().filter(|point| **point < self.middle);
        let above = self.points.iter().filter(|point| **point > self.middle);
        let low = below.copied().reduce(f64::max)?;
        let high = above.copied().reduce(f64::min)?;
        let slope = (self.above - self.below) / (high - low);
        Some(LinearRead::constant(self.below - slope * low).plus(slope, &self.argument))
    }
}

impl Compiler<'_> {
    /// A linear read to which one of the two numbers of a result is the nearest, if it has two and they are
    /// the sides of a threshold.
    pub(crate) fn side(&self, id: impl Into<Operand>, numbers: &[f64]) -> Way {
        let id = id.into();
        let other = numbers.iter().find(|number| **number != numbers[0]);
        let is_one = |number: &f64| *number == numbers[0] || Some(number) == other;
        if other.is_none() || !numbers.iter().all(is_one) {
            return Err(NotThis);
        }
        if self.analysis.encoding(id) == Some(Encoding::Categorical)
            || self.read(id, numbers).is_some()
        {
            return Err(NotThis);
        }
        let node = self.analysis.node(id)?;
        let target = targets(&node.column, numbers);
        let space = &node.column.space;
        let stairs = self.found(id, numbers)?.and_then(|found| {
            let [step] = *found.stairs.steps else {
                return None;
            };
            Some(Side {
                argument: found.argument,
                points: found.stairs.points.iter().map(|point| point.0).collect(),
                middle: step.middle,
                below: found.stairs.first,
                above: found.stairs.first + step.change,
            })
        });
        let side = match stairs {
            None => self
                .thresholds_of_sum(id, &target)
                .or_else(|| self.thresholds(space, &target, |value| value))
                .and_then(Thresholds::side),
            side => side,
        };
        side.and_then(Side::line).ok_or(NotThis)
    }
}
