//! Widths that a head counts beside the sink: it holds `x = 1/(1+w)`, and hidden units `relu(1 - e·x)`,
//! which are 0 at BOS where there is one, interpolate any function of `w` exactly. Interpolation passes noise on; where
//! keys are counted or averaged by a width, steps of `x` give bits instead.

use super::search::Found;
use super::steps::staircase;
use super::units::Lines;
use crate::compile::head::Target;
use crate::compile::linear::{LinearRead, Scalar};
use crate::compile::{Care, Compiler, Want};
use crate::graph::SelectorId;
use crate::infer::space::VarId;
use crate::infer::{Stopped, VarKind};
use crate::plan::{Kind, Style, Unit};

impl Compiler<'_> {
    /// The selector, if the variable is a width that is held as inverses.
    pub(crate) fn inverted(&self, var: VarId) -> Option<SelectorId> {
        let VarKind::Width(selector) = self.analysis.kind(var) else {
            return None;
        };
        // A head that attends to everything gives the length as a number.
        (self.has_inverses(selector) && !self.counts_all(selector)).then_some(selector)
    }

    pub(crate) fn counts_all(&self, selector: SelectorId) -> bool {
        let facts = self.analysis.selector(selector);
        facts.is_some_and(|f| matches!(&*f.cubes, [cube] if cube.literals.is_empty()))
    }

    /// Whether heads can hold the inverses of a selector's widths.
    fn has_inverses(&self, selector: SelectorId) -> bool {
        let facts = self.analysis.selector(selector);
        self.style == Style::Faithful && facts.is_some_and(|facts| facts.best.is_none())
    }

    /// The selector whose width the variable is, if one inverse can hold that.
    pub(crate) fn counted(&self, var: VarId) -> Option<SelectorId> {
        let VarKind::Width(selector) = self.analysis.kind(var) else {
            return None;
        };
        // The sink is one more key only where it is not counted itself.
        let is_apart = self.bos() || !self.counts_all(selector);
        (is_apart && self.has_inverses(selector) && self.cubes(selector) == 1).then_some(selector)
    }

    /// The selector whose width the variable holds in one inverse.
    pub(crate) fn inverse(&self, var: VarId) -> Option<SelectorId> {
        let selector = self.inverted(var)?;
        (self.cubes(selector) == 1).then_some(selector)
    }

    /// The inverses that hold a width, for each of its values, and what reads them.
    pub(super) fn inverse_widths(&self, var: VarId) -> Option<(Vec<f64>, LinearRead)> {
        let read = LinearRead::scalar(Scalar::Inverse(self.inverse(var)?, 0));
        let widths = self.analysis.values(var).numbers()?.into_iter();
        Some((widths.map(|width| inverse(width as usize)).collect(), read))
    }

    /// Whether a linear read reads this variable and nothing else.
    pub(super) fn reads_only(&self, read: &LinearRead, var: VarId) -> bool {
        let of = |scalar: &Scalar| match scalar {
            Scalar::Attention(read) => *read == var,
            Scalar::Inverse(selector, _) | Scalar::Count(selector) => {
                self.analysis.kind(var) == VarKind::Width(*selector)
            }
            Scalar::Computed(_) | Scalar::First | Scalar::Given(..) | Scalar::Share(_) => false,
        };
        read.functions.keys().all(|read| *read == var)
            && read.scalars.keys().all(of)
            && read.functions.len() + read.scalars.len() == 1
    }

    /// The widths that one cube of a selector can have.
    pub(crate) fn cube_widths(&self, selector: SelectorId) -> Vec<usize> {
        let Some(facts) = self.analysis.selector(selector) else {
            return vec![0];
        };
        let each = (0..self.analysis.environments.count()).map(|at| facts.width(at));
        let (least, most) = each.fold((usize::MAX, 0), |(least, most), (l, m)| {
            (least.min(l), most.max(m))
        });
        // Of several cubes only their sum is bounded from below.
        let least = if facts.cubes.len() == 1 { least } else { 0 };
        (least.min(most)..=most).collect()
    }

    pub(crate) fn place_inverse(
        &mut self,
        selector: SelectorId,
        cube: usize,
    ) -> Result<(), Stopped> {
        if self.inverses.contains(&(selector, cube)) {
            return Ok(());
        }
        let selected = self.selected(selector);
        let one = match self.bos() {
            true => LinearRead::constant(1.0),
            false => LinearRead::scalar(Scalar::First),
        };
        let target = Target::Inverse(selector, cube);
        self.write_cube(&selected, cube, Kind::Width, &one, target)?;
        // Only then: what fails may be computed in another way.
        self.inverses.insert((selector, cube));
        Ok(())
    }

    pub(crate) fn place_count(&mut self, selector: SelectorId) -> Result<(), Stopped> {
        if self.counts.contains_key(&selector) {
            return Ok(());
        }
        let name = format!(
            "width of {}",
            self.analysis.graph.describe_selector(selector)
        );
        let sum = self.count_of(selector, 0..self.cubes(selector), &name)?;
        self.demand(&sum, &name)?;
        self.counts.insert(selector, sum);
        Ok(())
    }

    /// How many keys some cubes of a selector select together.
    pub(crate) fn count_of(
        &mut self,
        selector: SelectorId,
        cubes: impl Iterator<Item = usize>,
        name: &str,
    ) -> Result<LinearRead, Stopped> {
        let mut sum = LinearRead::default();
        for cube in cubes {
            let widths = self.cube_widths(selector);
            let numbers: Vec<f64> = widths.iter().map(|width| *width as f64).collect();
            let count = self.interpolate_width((selector, cube), &widths, &numbers, false, name)?;
            sum = sum.plus(1.0, &count);
        }
        Ok(sum)
    }

    /// How many cubes an analysed selector has.
    pub(crate) fn cubes(&self, selector: SelectorId) -> usize {
        self.analysis
            .selector(selector)
            .map_or(0, |f| f.cubes.len())
    }

    /// The function with the value `function[i]` at the width `widths[i]`, which are consecutive, by
    /// left hinges; with care, or if asked to, none of it is a view of the inverse.
    pub(crate) fn interpolate_width(
        &mut self,
        (selector, cube): (SelectorId, usize),
        widths: &[usize],
        function: &[f64],
        in_one: bool,
        label: &str,
    ) -> Result<LinearRead, Stopped> {
        let x = LinearRead::scalar(Scalar::Inverse(selector, cube));
        if self.care == Care::Exact && !in_one {
            let points = widths.iter().map(|width| inverse(*width));
            let points = points.zip(function.iter().copied()).collect();
            if let Some(stairs) = staircase(points) {
                let found = Found {
                    argument: x,
                    stairs,
                };
                return self.computed(found, None, Want::Snapped, label);
            }
        }
        let Some(mut lines) = interpolation(widths, function) else {
            return Ok(LinearRead::constant(
                function.first().copied().unwrap_or(0.0),
            ));
        };
        if in_one || self.care.is_careful() {
            turn_first(&mut lines, widths[0], function[0]);
        }
        if in_one {
            // What is less is added first, so that little is rounded.
            lines.hinges.reverse();
        }
        let points = widths.iter().map(|width| inverse(*width)).collect();
        self.drawn(lines, x, points, label)
    }
}

/// `1/(1+w)`
pub fn inverse(width: usize) -> f64 {
    1.0 / (1 + width) as f64
}

/// `weight · relu(1 - e·x)`
fn hinge(e: usize, weight: f64) -> Unit {
    Unit {
        slope: -(e as f64),
        offset: 1.0,
        weight,
    }
}

/// Has a hinge at the first width, where the function is `first`, instead of a slope: what grows from there is a sum
/// of what is not negative, so that it is off by a share of itself.
fn turn_first(lines: &mut Lines, width: usize, first: f64) {
    let per_unit = -std::mem::take(&mut lines.slope) / (width + 1) as f64;
    if per_unit != 0.0 {
        lines.hinges.insert(0, hinge(width + 1, per_unit));
    }
    lines.constant = first;
}

/// The interpolation of a function of consecutive widths, of `x = 1/(1+w)`; `None` if it is constant. With
/// `F(w) = (w+1)·f(w)` a hinge weighs the second difference of `F`: hinges `e` up to the least
/// width are linear.
pub fn interpolation(widths: &[usize], function: &[f64]) -> Option<Lines> {
    if function.windows(2).all(|pair| pair[0] == pair[1]) {
        return None;
    }
    let first = *widths.first()?;
    let scaled = |at: usize| (widths[at] + 1) as f64 * function[at];
    // Two widths determine the linear part.
    let slope = (function[0] - function[1]) * ((first + 1) * (first + 2)) as f64;
    // The same as taking the slope away at the first width, without its rounding.
    let constant = function[0] - (function[0] - function[1]) * (first + 2) as f64;
    let hinges = (2..widths.len())
        .map(|at| {
            let weight = scaled(at) - 2.0 * scaled(at - 1) + scaled(at - 2);
            hinge(widths[at], weight)
        })
        .filter(|unit| unit.weight != 0.0);
    Some(Lines {
        constant,
        slope,
        hinges: hinges.collect(),
    })
}
