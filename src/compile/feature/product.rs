//! Products by squares: `2ab = a² + b² - (a - b)²`, each a function of one number. A table of the product has a
//! step for nearly every pair of values; squares have one for each value, a layer later. Of whole numbers they are
//! exact; of fractions, such as means, they are near enough for a result that is a real number. Where one factor is
//! one of few numbers, the product is a sum of choices.

use super::search::Found;
use super::steps::staircase;
use super::wanted::Wanted;
use crate::compile::linear::LinearRead;
use crate::compile::way::{NotThis, Way, tried};
use crate::compile::{Compiler, Want};
use crate::graph::SOpId;
use crate::plan::{apart, ascending};
use crate::value::Op;

/// A product or a quotient of fewer values is not worth a layer.
pub const FEWEST_VALUES: usize = 30;

/// The same of a product by one of few numbers.
const FEWEST_VALUES_OF_FEW: usize = 16;

/// The squares of larger factors leave float32 few digits.
const LARGEST_FACTOR: f64 = 1_024.0;

impl Compiler<'_> {
    /// A product of many values, if it is one: a function of it that is no multiple is a table.
    pub(super) fn product(&mut self, wanted: Wanted) -> Way {
        let (a, b) = self.two_of(Op::Multiply, wanted.id).ok_or(NotThis)?;
        let values = wanted.function.len();
        let is_long = values >= FEWEST_VALUES_OF_FEW;
        let line = self.line(wanted)?.filter(|_| is_long).ok_or(NotThis)?;
        if wanted.want != Want::Snapped {
            for factors in [[a, b], [b, a]] {
                if let Some(read) = tried(self.product_of_one_of_few(wanted, factors, line))? {
                    return Ok(read);
                }
            }
        }
        let numbers = |id| match wanted.want {
            Want::Real => self.analysis.numbers(id),
            Want::Snapped | Want::Close | Want::Tolerant => self.whole_numbers(id, LARGEST_FACTOR),
        };
        let [Some(first), Some(second)] = [a, b].map(numbers) else {
            return Err(NotThis);
        };
        // Squares have more digits than bfloat16.
        if self.host.is_bfloat16() || values < FEWEST_VALUES {
            return Err(NotThis);
        }
        let (slope, offset) = line;
        let (table, want) = (self.table(wanted)?, wanted.want);
        let axis = |compiler: &mut Self, operand: SOpId| {
            tried(compiler.computed_axis(operand.into(), want, &table))
        };
        let (Some(left), Some(right)) = (axis(self, a)?, axis(self, b)?) else {
            return Err(NotThis);
        };
        let differences = table.rows().into_iter();
        let differences = differences.map(|row| left.value(row) - right.value(row));
        let differences = apart(&ascending(differences.collect()));
        let stairs =
            staircase(differences.into_iter().map(|n| (n, n * n)).collect()).ok_or(NotThis)?;
        let argument = left.read.plus(-1.0, &right.read);
        let names = (self.name(a), self.name(b));
        let of_difference = format!("({} - {})²", names.0, names.1);
        let squared = self.computed(Found { argument, stairs }, None, want, &of_difference)?;
        let mut read = LinearRead::constant(offset).plus(-0.5 * slope, &squared);
        for (operand, numbers, name) in [(a, first, names.0), (b, second, names.1)] {
            let squares: Vec<f64> = numbers.iter().map(|number| number * number).collect();
            let squared = self.feature(operand, &squares, want, &format!("{name}²"))?;
            read = read.plus(0.5 * slope, &squared);
        }
        Ok(read)
    }

    /// The values of an s-op, if they are whole numbers up to `most`.
    pub(super) fn whole_numbers(&self, id: SOpId, most: f64) -> Option<Vec<f64>> {
        let numbers = self.analysis.numbers(id)?;
        let fits = |number: &f64| number.fract() == 0.0 && number.abs() <= most;
        numbers.iter().all(fits).then_some(numbers)
    }
}
