//! Means over disjunctions. One head gives the mean over a conjunction; the mean over a union is the
//! sum of what the heads of its disjoint parts give, if each knows how many keys the others select.

use super::literal::{ProductPlan, TermPlan};
use super::{HeadKind, HeadPlan, Selected, Target};
use crate::compile::Compiler;
use crate::compile::linear::LinearRead;
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
        let logarithm = |width: usize| match width {
            0 => -level(self.analysis.setting.max_length),
            _ => (width as f64).ln(),
        };
        let longest = self.analysis.setting.max_length;
        let others: Vec<usize> = (0..self.cubes(selector))
            .filter(|other| *other != cube)
            .collect();
        let name = self.analysis.graph.describe_selector(selector);
        let label = format!("logarithm of the width of {name}");
        if let [other] = *others {
            let widths = self.cube_widths(selector, other);
            let function: Vec<f64> = widths.iter().map(|width| logarithm(*width)).collect();
            let read = self.interpolate_width(selector, other, &widths, &function, &label)?;
            self.demand(&read, &label)?;
            return Ok((read, function));
        }
        let count = format!("width of {name}");
        let sum = self.count_of(selector, others.into_iter(), &count)?;
        let points: Vec<(f64, f64)> = (0..=longest)
            .map(|width| (width as f64, logarithm(width)))
            .collect();
        let values = points.iter().map(|(width, _)| *width).collect();
        let read = self.interpolate(sum, &points, values, &label)?;
        self.demand(&read, &label)?;
        Ok((read, points.into_iter().map(|(_, y)| y).collect()))
    }
}
