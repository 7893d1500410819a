//! Means over disjunctions. One head gives the mean over a conjunction; the mean over a union is the
//! sum of what the heads of its disjoint parts give, if each knows how many keys the others select.

use super::literal::{ProductPlan, TermPlan};
use super::{HeadPlan, Selected, Target};
use crate::compile::Compiler;
use crate::compile::feature::inverse::inverse;
use crate::compile::linear::{LinearRead, Scalar};
use crate::graph::SelectorId;
use crate::infer::Stopped;
use crate::plan::{Kind, Meaning, level};

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
        // Parts have one order in all layers.
        for at in 0..facts.cubes.len() {
            self.place_inverse(selector, at)?;
        }
        for (at, cube) in facts.cubes.iter().enumerate() {
            let others = self.logarithm_of_others(selector, at)?;
            let bos = TermPlan {
                products: vec![ProductPlan {
                    queries: others.1.into(),
                    query: others.0,
                    key: LinearRead::default(),
                    keys: [1.0].into(),
                }],
                meaning: Meaning::Bos { nats: true },
            };
            let head = HeadPlan {
                kind: Kind::MeanOfPart,
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
        // with care they begin where they are for one key, and a bit goes down from there.
        let first = match self.care.is_plain() {
            true => lowest,
            false => 0.0,
        };
        let logarithm = |width: usize, none: f64| match width {
            0 => none,
            _ => (width as f64).ln(),
        };
        let others: Vec<usize> = (0..self.cubes(selector))
            .filter(|other| *other != cube)
            .collect();
        // Units give all of it, so that W_Q holds no logarithm.
        let name = self.analysis.graph.describe_selector(selector);
        let label = format!("logarithm of the width of {name}");
        let widths = match *others {
            [_] => self.cube_widths(selector),
            _ => (0..=self.analysis.setting.max_length).collect(),
        };
        let function = widths.iter().map(|width| logarithm(*width, first));
        let function: Vec<f64> = function.collect();
        // What the width is read from, and what that is at each width.
        let (mut read, argument, numbers): (_, _, Vec<f64>) = match *others {
            [other] => (
                self.interpolate_width((selector, other), &widths, &function, true, &label)?,
                LinearRead::scalar(Scalar::Inverse(selector, other)),
                widths.iter().map(|width| inverse(*width)).collect(),
            ),
            _ => {
                let count = format!("width of {name}");
                let sum = self.count_of(selector, others.into_iter(), &count)?;
                let numbers: Vec<f64> = widths.iter().map(|width| *width as f64).collect();
                let points: Vec<(f64, f64)> = numbers.iter().copied().zip(function).collect();
                let read = self.interpolate_in_one(sum.clone(), &points, &label)?;
                (read, sum, numbers)
            }
        };
        if first != lowest && widths.first() == Some(&0) {
            let points = numbers.iter().zip(&widths);
            let points = points.map(|(number, width)| (*number, *width == 0));
            let none = format!("width of {name} = 0");
            let none = self.bit(argument, points, &none)?;
            read = read.plus(lowest - first, &none);
        }
        self.demand(&read, &label)?;
        let values = widths.into_iter().map(|width| logarithm(width, lowest));
        Ok((read, values.collect()))
    }
}
