//! Means over disjunctions. One head gives the mean over a conjunction; the mean over a union is the
//! sum of what the heads of its disjoint parts give, if each knows how many keys the others select.

use super::literal::{ProductPlan, TermPlan};
use super::{HeadKind, HeadPlan, Selected, Target};
use crate::compile::feature::inverse::inverse;
use crate::compile::feature::search::Found;
use crate::compile::feature::steps::staircase;
use crate::compile::linear::{LinearRead, Scalar};
use crate::compile::{Care, Compiler, Want};
use crate::graph::SelectorId;
use crate::infer::Stopped;
use crate::plan::{Meaning, level};

impl Compiler<'_> {
    /// The mean over a union: a head for each cube, in which BOS stands for the keys of the others,
    /// with the logarithm of their number as its logit and the value 0. The outputs add up to the
    /// mean of all.
    pub(super) fn write_union(
        &mut self,
        selector: SelectorId,
        selected: &Selected,
        value: &LinearRead,
        target: Target,
    ) -> Result<(), Stopped> {
        let facts = selected.facts.clone();
        for (at, cube) in facts.cubes.iter().enumerate() {
            let others = self.logarithm_of_others(selector, at)?;
            let bos = TermPlan {
                products: vec![ProductPlan {
                    queries: others.1,
                    query: others.0,
                    key: LinearRead::default(),
                    keys: vec![1.0],
                }],
                meaning: Meaning::Bos { nats: true },
            };
            let head = HeadPlan {
                kind: HeadKind::MeanOfPart,
                cube: cube.clone(),
                label: selected.label.clone(),
                span: selected.span,
                terms: vec![bos],
                most: self.analysis.setting.max_length,
                values: Vec::new(),
            };
            self.write_head(head, value, target)?;
        }
        Ok(())
    }

    /// The logarithm of how many keys the other cubes of a selector select, or a number far below
    /// all if none, with its values.
    fn logarithm_of_others(
        &mut self,
        selector: SelectorId,
        cube: usize,
    ) -> Result<(LinearRead, Vec<f64>), Stopped> {
        let lowest = -level(self.analysis.setting.max_length);
        // Lines of hidden units that come from so far below leave float32 few digits for other widths:
        // with care they come from where the next ones are, and a bit goes down from there.
        let first = match self.care {
            Care::Plain => lowest,
            Care::Careful | Care::Bits | Care::Exact | Care::Real => -3.0 * 2f64.ln(),
        };
        let logarithm = |width: usize, none: f64| match width {
            0 => none,
            _ => (width as f64).ln(),
        };
        let longest = self.analysis.setting.max_length;
        let others: Vec<usize> = (0..self.cubes(selector))
            .filter(|other| *other != cube)
            .collect();
        let name = self.analysis.graph.describe_selector(selector);
        let label = format!("logarithm of the width of {name}");
        let none = format!("width of {name} = 0");
        if let [other] = *others {
            let widths = self.cube_widths(selector, other);
            let function: Vec<f64> = widths
                .iter()
                .map(|width| logarithm(*width, first))
                .collect();
            let mut read = self.interpolate_width(selector, other, &widths, &function, &label)?;
            if first != lowest && widths.first() == Some(&0) {
                let x = LinearRead::scalar(Scalar::Inverse(selector, other));
                let inverses = widths.iter().map(|width| inverse(*width)).collect();
                let none = self.is_value(x, 1.0, inverses, &none)?;
                read = read.plus(lowest - first, &none);
            }
            self.demand(&read, &label)?;
            let values = widths.into_iter().map(|width| logarithm(width, lowest));
            let values = values.collect();
            return Ok((read, values));
        }
        let count = format!("width of {name}");
        let sum = self.count_of(selector, others.into_iter(), &count)?;
        let points: Vec<(f64, f64)> = (0..=longest)
            .map(|width| (width as f64, logarithm(width, first)))
            .collect();
        let widths: Vec<f64> = points.iter().map(|(width, _)| *width).collect();
        let mut read = self.interpolate(sum.clone(), &points, widths.clone(), &label)?;
        if first != lowest {
            let none = self.is_value(sum, 0.0, widths, &none)?;
            read = read.plus(lowest - first, &none);
        }
        self.demand(&read, &label)?;
        let values = (0..=longest)
            .map(|width| logarithm(width, lowest))
            .collect();
        Ok((read, values))
    }

    /// A bit that is set where a read has one of its values.
    fn is_value(
        &mut self,
        read: LinearRead,
        set: f64,
        values: Vec<f64>,
        label: &str,
    ) -> Result<LinearRead, Stopped> {
        let is_set = |value: f64| f64::from(u8::from(value == set));
        let points = values.into_iter().map(|value| (value, is_set(value)));
        let stairs = staircase(points.collect());
        let stairs = stairs.unwrap_or_else(|| unreachable!("widths are apart"));
        let found = Found {
            argument: read,
            stairs,
        };
        self.computed(found, None, Want::Snapped, label)
    }
}
