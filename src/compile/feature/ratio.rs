//! Numbers that are ratios of what heads give. A width and one is 1 over the attention that BOS gets; a
//! sum is a mean over the share of each key, as `round(length * average(x))` is. Neither takes hidden
//! units to be read or compared: `a ≤ y/x` is a threshold of `y - ax`.

use super::search::MOST_PRECISION;
use super::threshold::{MOST_VALUES, ThresholdStep, Thresholds};
use crate::compile::head::Target;
use crate::compile::linear::{LinearRead, Scalar};
use crate::compile::{Compiler, ones_where};
use crate::graph::{SOp, SOpId, SelectorId};
use crate::infer::space::VarId;
use crate::infer::{Analysis, Operand, Stopped, VarKind};
use crate::plan::{Kind, Style, ascending};
use crate::value::Op;

/// Numbers closer than this share of the largest are one, which floats rounded.
const SAME: f64 = 1e-9;

/// A number as one linear read over another, which is above 0.
#[derive(Clone, Debug)]
pub struct Ratio {
    pub numerator: LinearRead,
    pub denominator: LinearRead,
    /// What it is in each row of the table of the s-op.
    pub of_rows: Vec<f64>,
    /// The denominator in each row.
    pub denominators: Vec<f64>,
}

impl Ratio {
    /// A function of the ratio, whose thresholds are those of the numerator, in proportion to the denominator;
    /// `None` if it is no function of it, or has too many.
    pub(super) fn thresholds(&self, target: &[f64]) -> Option<Thresholds> {
        let rows = self.of_rows.iter().zip(&self.denominators).zip(target);
        let wanted = rows.filter(|(_, target)| !target.is_nan());
        let wanted: Vec<(f64, f64, f64)> = wanted.map(|((a, x), t)| (*a, *x, *t)).collect();
        let mut points: Vec<(f64, f64)> = wanted.iter().map(|(a, _, t)| (*a, *t)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        points.dedup();
        let pairs = || points.windows(2).map(|pair| (pair[0], pair[1]));
        if pairs().any(|(a, b)| a.0 == b.0) {
            return None;
        }
        let least = self.denominators.iter().copied().reduce(f64::min)?;
        let mut steps = Vec::new();
        for ((a, before), (b, after)) in pairs().filter(|(a, b)| a.1 != b.1) {
            let middle = f64::midpoint(a, b);
            let gap = (b - a) * least;
            let values = wanted.iter().map(|(a, x, _)| (a - middle) * x);
            let values = ascending(values.collect());
            let range = values.last()? - values.first()?;
            if range / gap > MOST_PRECISION || steps.len() >= MOST_VALUES {
                return None;
            }
            steps.push(ThresholdStep {
                argument: self.numerator.clone().plus(-middle, &self.denominator),
                points: values.to_vec(),
                slope: 2f64.powf((2.0 / gap).log2().ceil()),
                change: after - before,
            });
        }
        Some(Thresholds {
            first: points.first()?.1,
            steps,
            classes: Vec::new(),
        })
    }
}

impl Compiler<'_> {
    /// What an s-op may be a function of.
    pub(crate) fn ratio(&self, id: impl Into<Operand>) -> Option<Ratio> {
        let id = id.into();
        match *self.analysis.node(id).ok()?.column.space.vars {
            [width] => self.width_as_ratio(id, width),
            _ => self.sum_ratio(id),
        }
    }

    /// A mean times a number of another variable, if an s-op may be a function of that.
    pub(crate) fn sum_ratio(&self, id: Operand) -> Option<Ratio> {
        let [a, b] = *self.analysis.node(id).ok()?.column.space.vars else {
            return None;
        };
        match [a, b].map(|var| self.analysis.kind(var)) {
            [VarKind::Mean(_), VarKind::Mean(_)] => None,
            [VarKind::Mean(of), _] => self.sum_as_ratio(id, (a, of), b),
            [_, VarKind::Mean(of)] => self.sum_as_ratio(id, (b, of), a),
            _ => None,
        }
    }

    fn width_as_ratio(&self, id: Operand, var: VarId) -> Option<Ratio> {
        let selector = self.counted(var)?;
        let space = &self.analysis.node(id).ok()?.column.space;
        let widths = self.analysis.values(var).numbers()?;
        let rows = (0..space.rows()).map(|row| 1.0 + widths[space.row(row)[0] as usize]);
        let of_rows = Vec::from_iter(rows);
        Some(Ratio {
            numerator: LinearRead::constant(1.0),
            denominator: LinearRead::scalar(Scalar::Inverse(selector, 0)),
            denominators: of_rows.iter().map(|number| 1.0 / number).collect(),
            of_rows,
        })
    }

    /// A function of a mean times a number of another variable.
    fn sum_as_ratio(
        &self,
        id: Operand,
        (mean, aggregate): (VarId, SOpId),
        other: VarId,
    ) -> Option<Ratio> {
        if self.style != Style::Faithful || !self.care.takes_ratios() {
            return None;
        }
        let factors = self.factors(id, aggregate, other)?;
        let denominator = self.inverse_factor(other, &factors)?;
        let means = self.analysis.values(mean).numbers()?;
        let space = &self.analysis.node(id).ok()?.column.space;
        let place = usize::from(space.vars[0] == other);
        let mut of_rows = Vec::with_capacity(space.rows());
        let mut denominators = Vec::with_capacity(space.rows());
        for row in 0..space.rows() {
            let cells = space.row(row);
            let (mean, factor) = (
                means[cells[place] as usize],
                factors[cells[1 - place] as usize],
            );
            if factor <= 0.0 && mean != 0.0 {
                return None;
            }
            of_rows.push(mean * factor);
            denominators.push(denominator_of(factor));
        }
        merge(&mut of_rows);
        Some(Ratio {
            numerator: LinearRead::scalar(Scalar::Attention(mean)),
            denominator,
            of_rows,
            denominators,
        })
    }

    /// What an aggregate is multiplied with on the way to an s-op: a number for each value of a variable.
    fn factors(&self, id: Operand, aggregate: SOpId, var: VarId) -> Option<Vec<f64>> {
        let inner = self.inner(id).into_iter();
        let factor = inner.filter_map(Operand::sop).find_map(|inner| {
            let SOp::Map {
                op: Op::Multiply,
                operands,
            } = self.analysis.graph.get(inner)
            else {
                return None;
            };
            match **operands {
                [a, b] if a == aggregate => Some(b),
                [a, b] if b == aggregate => Some(a),
                _ => None,
            }
        })?;
        let column = &self.analysis.node(factor).ok()?.column;
        if *column.space.vars != [var] {
            return None;
        }
        let mut factors = vec![f64::NAN; self.analysis.values(var).domain.len()];
        for row in 0..column.space.rows() {
            let number = column.value(row).and_then(crate::value::Value::as_float)?;
            factors[column.space.row(row)[0] as usize] = number;
        }
        Some(factors)
    }

    /// One over the number that each value of a variable stands for; anything above 0 where that is 0.
    fn inverse_factor(&self, var: VarId, factors: &[f64]) -> Option<LinearRead> {
        if factors
            .iter()
            .any(|factor| factor.is_nan() || *factor < 0.0)
        {
            return None;
        }
        if var <= Analysis::INDICES {
            let inverses = factors
                .iter()
                .map(|factor| denominator_of(*factor))
                .collect();
            return Some(LinearRead::function(var, inverses));
        }
        let VarKind::Width(selector) = self.analysis.kind(var) else {
            return None;
        };
        let widths = self.analysis.values(var).numbers()?;
        (self.counts_all(selector) && widths == factors)
            .then(|| LinearRead::scalar(Scalar::Share(selector)))
    }

    /// Has the attention to position 0 written, which all queries of a selector select.
    pub(crate) fn place_share(&mut self, selector: SelectorId) -> Result<(), Stopped> {
        if self.shares.contains(&selector) {
            return Ok(());
        }
        let is_first = ones_where(self.analysis.setting.max_length, |at| at == 0);
        let value = LinearRead::function(Analysis::INDICES, is_first);
        let selected = self.selected(selector);
        self.write_cube(&selected, 0, Kind::Mean, &value, Target::Share(selector))?;
        self.shares.insert(selector);
        Ok(())
    }
}

/// The denominator of a sum that is a mean times this: of a mean that is 0 it may be anything above 0.
fn denominator_of(factor: f64) -> f64 {
    match factor {
        0.0 => 1.0,
        factor => 1.0 / factor,
    }
}

/// Makes one number of those that floats tell apart and that are as good as equal: the nearest whole
/// number, if that is one of them.
fn merge(numbers: &mut [f64]) {
    let largest = numbers.iter().fold(1.0f64, |most, n| most.max(n.abs()));
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
    let mut last = f64::NEG_INFINITY;
    for at in order {
        if numbers[at] - last > SAME * largest {
            let whole = numbers[at].round();
            let is_whole = (whole - numbers[at]).abs() <= SAME * largest;
            last = if is_whole { whole } else { numbers[at] };
        }
        numbers[at] = last;
    }
}
