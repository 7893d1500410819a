//! Results of two values: where they are the two sides of one threshold of a linear read, a line
//! through it is all that the readout needs, as no value is nearer than the right one. A step would
//! take two hidden units and a direction.

use super::search::Found;
use super::threshold::Thresholds;
use super::wanted::targets;
use crate::compile::Compiler;
use crate::compile::linear::LinearRead;
use crate::compile::way::{NotThis, Way};
use crate::graph::Encoding;
use crate::infer::Operand;

/// The line of an argument with some values that gives two numbers at the nearest of these below and above a
/// threshold, and less or more beyond them; `None` if one side has none.
pub(super) fn line_between(
    argument: &LinearRead,
    points: &[f64],
    middle: f64,
    [below, above]: [f64; 2],
) -> Option<LinearRead> {
    let low = points.iter().filter(|point| **point < middle);
    let high = points.iter().filter(|point| **point > middle);
    let low = low.copied().reduce(f64::max)?;
    let high = high.copied().reduce(f64::min)?;
    let slope = (above - below) / (high - low);
    Some(LinearRead::constant(below - slope * low).plus(slope, argument))
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
        if let Some(Found { argument, stairs }) = self.found(id, numbers)?
            && let [step] = &*stairs.steps
        {
            let points: Vec<f64> = stairs.points.iter().map(|point| point.0).collect();
            let sides = [stairs.first, stairs.first + step.change];
            return line_between(&argument, &points, step.middle, sides).ok_or(NotThis);
        }
        let thresholds = self.thresholds_of_sum(id, &target);
        let thresholds = thresholds.or_else(|| self.thresholds(space, &target, |value| value));
        thresholds.and_then(Thresholds::line).ok_or(NotThis)
    }
}
