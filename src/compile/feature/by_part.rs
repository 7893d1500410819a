//! Functions of two s-ops that are read together, such as the products of what two comparisons read: for each
//! value of the one that has fewer a function of the other, by a hidden unit that is silent where the first
//! has another value. A table of both has a step for nearly each pair. Depends on `choice`.

use super::wanted::Wanted;
use crate::compile::linear::by_shape::affine;
use crate::compile::way::{NotThis, Way};
use crate::compile::{Compiler, ones_where, range_of};
use crate::infer::{Operand, Stopped};

/// A function of the other s-op for one value of the first: `base + weight · above`.
struct Case {
    base: f64,
    weight: f64,
    /// Whole numbers from 0 on, if the function's are whole.
    above: Vec<f64>,
}

impl Case {
    fn new(function: &[f64]) -> Case {
        let (least, most) = range_of(function.iter().copied());
        let steps = function.iter().map(|number| number - least);
        let step = steps.fold(0.0, divisor);
        // Functions that differ in their sign alone are one.
        let first = function
            .iter()
            .find(|number| **number == least || **number == most);
        let (base, weight) = match first == Some(&most) {
            true => (most, -step),
            false => (least, step),
        };
        let above = |number: &f64| {
            if step == 0.0 {
                0.0
            } else {
                (number - base) / weight
            }
        };
        Case {
            base,
            weight,
            above: function.iter().map(above).collect(),
        }
    }

    fn most(&self) -> f64 {
        self.above.iter().copied().fold(0.0, f64::max)
    }
}

/// The greatest that both are whole multiples of; of numbers that are not whole, the larger.
fn divisor(a: f64, b: f64) -> f64 {
    match (a, b) {
        (a, 0.0) => a,
        (a, b) if a.fract() != 0.0 || b.fract() != 0.0 => a.max(b),
        (a, b) => divisor(b, a % b),
    }
}

impl Compiler<'_> {
    /// A function of two s-ops by cases of one of them, if these are fewer than the steps that it takes
    /// otherwise.
    pub(super) fn by_part(&mut self, wanted: Wanted, steps: usize) -> Way {
        let joint = self.analysis.joint(wanted.id).ok_or(NotThis)?;
        let &[first, second] = joint.parts.as_slice() else {
            return Err(NotThis);
        };
        let members = joint.members.clone();
        let count =
            |part: Operand| Ok::<_, Stopped>(self.analysis.node(part)?.column.values.domain.len());
        let counts = [count(first)?, count(second)?];
        let parts = [first, second];
        let (one, other) = if counts[0] <= counts[1] {
            (0, 1)
        } else {
            (1, 0)
        };
        let mut functions = vec![vec![f64::NAN; counts[other]]; counts[one]];
        for (cells, number) in members.iter().zip(wanted.function) {
            functions[cells[one] as usize][cells[other] as usize] = *number;
        }
        if functions.iter().flatten().any(|number| number.is_nan()) {
            return Err(NotThis);
        }
        let cases: Vec<Case> = functions
            .iter()
            .map(|function| Case::new(function))
            .collect();
        if cases.iter().filter(|case| case.weight != 0.0).count() >= steps {
            return Err(NotThis);
        }
        let label = |part: usize| self.name(parts[part]);
        let (name, other_name) = (label(one), label(other));
        let bases: Vec<f64> = cases.iter().map(|case| case.base).collect();
        let mut read = self.feature(parts[one], &bases, wanted.want, &name)?;
        for (value, case) in cases
            .iter()
            .enumerate()
            .filter(|(_, case)| case.weight != 0.0)
        {
            let indicator = ones_where(cases.len(), |at| at == value);
            let above = self.feature(parts[other], &case.above, wanted.want, &other_name)?;
            let chosen = self.feature(parts[one], &indicator, wanted.want, &name)?;
            if !(above.is_embedded() && chosen.is_embedded()) {
                return Err(NotThis);
            }
            let most = case.most();
            let points = members.iter().map(|cells| {
                let number = case.above[cells[other] as usize];
                if cells[one] as usize == value {
                    number
                } else {
                    number - most
                }
            });
            let numbers = self.analysis.node(parts[other])?.column.values.numbers();
            let function = match affine(&numbers, &case.above) {
                Some(_) => other_name.clone(),
                None => format!("a function of {other_name}"),
            };
            let domain = &self.analysis.node(parts[one])?.column.values.domain;
            let label = format!("{function} where {name} = {}", domain[value].source());
            let ends = (0.0, most);
            let heard = self.where_set(&above, &chosen, ends, points.collect(), &label)?;
            read = read.plus(case.weight, &heard);
        }
        Ok(read)
    }
}
