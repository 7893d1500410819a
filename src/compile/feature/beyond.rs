//! A width where there is no BOS as a ratio: of `w` keys beyond position 0, and of position 0 if `s` is 1,
//! `w + s` is `(1 - x + xs)/x`, where x is the attention that position 0 gets, one over `w + 1`. One hidden unit
//! multiplies, where a table of both would have units for each number of keys.

use super::ratio::Ratio;
use super::units::RAMP;
use crate::compile::linear::{LinearRead, Scalar};
use crate::compile::way::{NotThis, Way};
use crate::compile::{Compiler, Want};
use crate::graph::{SOp, SOpId, SelectorId};
use crate::infer::Operand;
use crate::plan::Style;
use crate::value::Op;

impl Compiler<'_> {
    /// What an s-op may be a function of, if that is a width that has two parts.
    pub(crate) fn width_beyond(&mut self, id: SOpId) -> Way<Ratio> {
        if self.bos() || self.style != Style::Faithful || !self.care.takes_ratios() {
            return Err(NotThis);
        }
        let inner = self.inner(id.into()).into_iter();
        let parts = inner.filter_map(Operand::sop).find_map(|id| {
            let parts = self.parts_of_width(id)?;
            Some((id, parts))
        });
        let (width, [beyond, first]) = parts.ok_or(NotThis)?;
        let (of_rows, denominators) = self.rows_of(id, width, beyond).ok_or(NotThis)?;
        let selector = self.width_of(beyond).ok_or(NotThis)?;
        let label = self.name(first);
        let numbers = self.analysis.node(first)?.column.values.numbers();
        let numbers = numbers.ok_or(NotThis)?;
        let is_selected = self.feature(first, &numbers, Want::Snapped, &label)?;
        let share = LinearRead::scalar(Scalar::Inverse(selector, 0));
        let points = denominators.iter();
        let points = points.flat_map(|share| numbers.iter().map(move |first| share - 1.0 + first));
        let points = points.collect();
        let both = LinearRead::constant(-1.0)
            .plus(1.0, &share)
            .plus(1.0, &is_selected);
        let label = format!(
            "attention to position 0 where {} counts it",
            self.name(width)
        );
        let argument = self.argument(both, points, &label)?;
        let product = self.units(argument, vec![RAMP], &label, None);
        let numerator = LinearRead::constant(1.0)
            .plus(-1.0, &share)
            .plus(1.0, &product);
        Ok(Ratio {
            numerator,
            denominator: share,
            of_rows,
            denominators,
        })
    }

    /// The width beyond position 0, and 1 where that is selected.
    fn parts_of_width(&self, id: SOpId) -> Option<[SOpId; 2]> {
        let SOp::Width { .. } = self.analysis.graph.get(id) else {
            return None;
        };
        let sum = self.analysis.formula(id);
        let SOp::Map {
            op: Op::Add,
            operands,
        } = self.analysis.graph.get(sum)
        else {
            return None;
        };
        (sum != id).then_some([operands[0], operands[1]])
    }

    /// The selector whose keys beyond position 0 an s-op counts, if one inverse holds that.
    fn width_of(&self, beyond: SOpId) -> Option<SelectorId> {
        let [var] = *self.analysis.node(beyond).ok()?.column.space.vars else {
            return None;
        };
        self.counted(var)
    }

    /// The width in each row of the table of an s-op, and one over 1 and the width beyond position 0.
    fn rows_of(&self, id: SOpId, width: SOpId, beyond: SOpId) -> Option<(Vec<f64>, Vec<f64>)> {
        let space = &self.analysis.node(id).ok()?.column.space;
        let numbers = |id: SOpId| -> Option<Vec<f64>> {
            let column = &self.analysis.node(id).ok()?.column;
            let values = &column.values.domain;
            let cells = column.cells_in(space)?.into_iter();
            cells
                .map(|cell| values.get(cell as usize)?.as_float())
                .collect()
        };
        let shares = numbers(beyond)?.into_iter();
        let shares = shares.map(|width| 1.0 / (1.0 + width)).collect();
        Some((numbers(width)?, shares))
    }
}
