//! Whether readouts give the right value: the error of what is read against half the distance to
//! the next value.

use super::bound::{Bound, Bounds};
use super::sided::OneSided;
use super::{OutputBound, TOLERANCE_F32, TOLERANCE_F64, margin};
use crate::plan::{Linear, Read, ReadOut, VariableId, score};
use crate::value::ROUNDING;

impl Bounds<'_> {
    /// Whether an output is right, and how far it may be off as a share of what leaves it right.
    pub fn output(&self, output: &ReadOut) -> OutputBound {
        let real = matches!(&output.read, Read::Nearest(values) if values.is_empty());
        let share = match self.floats.bits {
            24 => TOLERANCE_F32,
            _ => TOLERANCE_F64,
        };
        // What is small may be off by less.
        let least = self.largest_value(output).min(1.0);
        let allowed = share * least;
        let tolerance = real.then_some(allowed);
        let error = match &output.read {
            Read::Nearest(values) if values.is_empty() => {
                let known = self.number(output).error / allowed;
                match output.scores.first().filter(|_| !is_proved(known)) {
                    // What is more than 1 may be off by more.
                    Some(score) => self.side_of(score).map_or(known, |side| {
                        side.error_at(least + score.constant.abs()) / allowed
                    }),
                    None => known,
                }
            }
            Read::Nearest(values) => {
                let margin = margin(values).unwrap_or(f64::INFINITY);
                // What is read as one of these may be off by what floats lose.
                let largest = values.iter().fold(0.0f64, |most, n| most.max(n.abs()));
                let lost = ROUNDING * largest;
                match self.number(output).error / (margin - lost) {
                    known if is_proved(known) => known,
                    known => self.by_value(output, values, lost).unwrap_or(known),
                }
            }
            Read::Classes(number, count) => {
                let numbers: Vec<f64> = (0..*count).map(|class| class as f64).collect();
                let known = self.ratio((number, &self.one(output)), &numbers);
                match self.sided(number) {
                    Some(side) if !is_proved(known) && *count == 2 => {
                        // Of two scores, `2y - 1` and 0, and of the sum.
                        let roundings = 8.0 * self.floats.unit;
                        let side = side.off(roundings * (number.constant.abs() + 1.0), roundings);
                        side.share(number.constant, 0.5)
                    }
                    Some(_) | None => known,
                }
            }
            Read::Ratio {
                numerator,
                denominator,
                numbers,
            } => self.ratio((numerator, denominator), numbers),
        };
        OutputBound {
            output: output.name.clone(),
            error,
            tolerance,
            proved: is_proved(error),
        }
    }

    /// 1, as scores of classes read it: with what bfloat16 does not hold of it in a variable, half of it is there.
    fn one(&self, output: &ReadOut) -> Linear {
        let one = self.plan.one_of_biases();
        let reads = |id: &VariableId| {
            output
                .scores
                .iter()
                .any(|score| score.terms.contains_key(id))
        };
        match one.filter(reads) {
            Some(one) => Linear::constant(0.5).plus(one, 0.5),
            None => Linear::constant(1.0),
        }
    }

    /// The largest share of all numbers that are read, where each has an error of its own: large ones mostly
    /// have others further away.
    fn by_value(&self, output: &ReadOut, values: &[f64], lost: f64) -> Option<f64> {
        let score = output.scores.first()?;
        let errors = self.errors_of(score)?;
        let gap = |low: Option<&f64>, high: Option<&f64>| match (low, high) {
            (Some(low), Some(high)) => high - low,
            (_, _) => f64::INFINITY,
        };
        let shares = values.iter().enumerate().map(|(at, value)| {
            let below = gap(at.checked_sub(1).and_then(|at| values.get(at)), Some(value));
            let above = gap(Some(value), values.get(at + 1));
            let margin = below.min(above) / 2.0 - lost;
            match margin > 0.0 {
                true => errors(*value) / margin,
                false => f64::INFINITY,
            }
        });
        Some(shares.fold(0.0, f64::max))
    }

    /// How far a number may be off where it is one of its values.
    fn errors_of<'l>(&'l self, read: &'l Linear) -> Option<Box<dyn Fn(f64) -> f64 + 'l>> {
        let unit = self.floats.unit;
        let mut terms = read.terms.iter();
        if let (Some((id, factor)), None) = (terms.next(), terms.next())
            && !self.of(*id).by_value.is_empty()
        {
            let bound = self.of(*id);
            return Some(Box::new(move |value| {
                let sizes = 2.0 * value.abs() + 3.0 * read.constant.abs();
                factor.abs() * bound.error_at((value - read.constant) / factor) + unit * sizes
            }));
        }
        let side = self.side_of(read)?;
        Some(Box::new(move |value| side.error_at(value - read.constant)))
    }

    /// A linear read less its constant, which is added to it, if all that it reads is on one side of 0.
    fn side_of(&self, read: &Linear) -> Option<OneSided> {
        let roundings = 2.0 * (1.0 + read.terms.len() as f64) * self.floats.unit;
        let side = self.sided(read)?;
        Some(side.off(roundings * read.constant.abs(), roundings))
    }

    /// The nearest of some numbers to a ratio, as a share of half their distance. The scores of two
    /// neighbours `g` apart differ by `g²x`, so that each may be off by half of that.
    fn ratio(&self, (y, x): (&Linear, &Linear), numbers: &[f64]) -> f64 {
        let Some(margin) = margin(numbers) else {
            return 0.0;
        };
        let gap = 2.0 * margin;
        // A score is rounded as often as it has addends, and as often again where its weights are rounded.
        let weights = |read: &Linear| -> Vec<f64> {
            let factors = read.terms.iter().map(|(_, factor)| *factor);
            factors
                .chain([read.constant])
                .filter(|factor| *factor != 0.0)
                .collect()
        };
        let (of_y, of_x) = (weights(y), weights(x));
        let is_held = |a: &f64| {
            let [by_y, by_x] = score(*a, numbers);
            let mut factors = of_y.iter().map(|factor| by_y * factor);
            let mut of_x = of_x.iter().map(|factor| by_x * factor);
            factors.all(|factor| self.floats.holds(factor))
                && of_x.all(|factor| self.floats.holds(factor))
        };
        let per_addend = if numbers.iter().all(is_held) { 1 } else { 2 };
        let of_numerator = self.read(y).error;
        let most = self.sizes(y);
        let is_one = y.terms.len() == 1 && y.constant == 0.0;
        let worst = self.denominators(x).into_iter().flat_map(|there| {
            let roundings = per_addend * (of_y.len() + there.addends);
            // Only a number near to what is read may be taken for it.
            let is_near = move |a: &&f64| a.abs() <= most / there.x + gap;
            numbers.iter().filter(is_near).map(move |number| {
                let a = number.abs();
                let [by_y, by_x] = score(*number, numbers);
                // What is added up may be larger than what it comes to.
                let largest = match is_one {
                    true => most.min((a + gap) * there.x + of_numerator),
                    false => most,
                };
                let size = by_y.abs() * largest + by_x.abs() * there.size;
                let rounding = roundings as f64 * self.floats.unit * size;
                (of_numerator + (a + gap / 2.0) * there.error + rounding / gap) / there.x
            })
        });
        match worst.reduce(f64::max) {
            Some(worst) if margin > 0.0 => worst / margin,
            _ => f64::INFINITY,
        }
    }

    /// What a denominator can be at tokens, or the least of it; nothing if it may be 0 or less.
    fn denominators(&self, x: &Linear) -> Vec<Denominator> {
        let read = self.facts.host_sum(self.plan, x);
        let bound = self.summed(&read, read.constant);
        let added = |terms: &[f64]| Denominator {
            x: x.constant + terms.iter().sum::<f64>(),
            error: bound.error,
            size: x.constant.abs() + terms.iter().map(|term| term.abs()).sum::<f64>(),
            addends: terms
                .iter()
                .chain([&x.constant])
                .filter(|it| **it != 0.0)
                .count(),
        };
        let mut terms = x.terms.iter();
        let found: Vec<Denominator> = match (terms.next(), terms.next()) {
            (Some((id, 1.0)), None) if x.constant == 0.0 && !self.of(*id).by_value.is_empty() => {
                let values = self.of(*id).by_value.iter();
                let values = values.map(|(x, error)| Denominator {
                    x: *x,
                    error: *error,
                    size: *x,
                    addends: 1,
                });
                values.collect()
            }
            (Some((id, factor)), None) => {
                let values = self.plan.variable(*id).values.iter();
                values.map(|value| added(&[factor * value])).collect()
            }
            _ => match self.at_indices(x) {
                Some(rows) => rows.iter().map(|terms| added(terms)).collect(),
                None => vec![Denominator {
                    x: self.at_tokens(&read).0,
                    error: bound.error,
                    size: self.sizes(x),
                    addends: x.terms.len() + 1,
                }],
            },
        };
        match found.iter().all(|there| there.x > 2.0 * there.error) {
            true => found,
            false => Vec::new(),
        }
    }

    /// The addends of a read at each index, if it depends on nothing else.
    fn at_indices(&self, read: &Linear) -> Option<Vec<Vec<f64>>> {
        let columns = read.terms.iter();
        let columns = columns.map(|(id, factor)| match self.plan.embedding(*id) {
            Some([[], indices]) => Some((*factor, indices)),
            _ => None,
        });
        let columns = columns.collect::<Option<Vec<_>>>()?;
        let row = |index: usize| {
            let addends = columns.iter().map(|(factor, indices)| {
                let number = indices.get(index).copied().unwrap_or(0.0);
                factor * number
            });
            addends.collect()
        };
        Some((0..self.plan.max_length).map(row).collect())
    }

    /// How large the addends of a read are together, at most.
    fn sizes(&self, read: &Linear) -> f64 {
        let largest = |id: VariableId| {
            let (first, last) = self.ends(id);
            first.abs().max(last.abs()) + self.of(id).error
        };
        let terms = read.terms.iter();
        let terms = terms.map(|(id, factor)| factor.abs() * largest(*id));
        read.constant.abs() + terms.sum::<f64>()
    }

    /// How large what is read as a number can be, if that is ever anything.
    fn largest_value(&self, output: &ReadOut) -> f64 {
        let number = self.number(output);
        let largest = number.centre.abs() + number.radius - number.error;
        if largest > 0.0 { largest } else { 1.0 }
    }

    fn number(&self, output: &ReadOut) -> Bound {
        match output.scores.first() {
            Some(score) => self.read(score),
            None => Bound::inexact(0.0, 0.0),
        }
    }
}

/// Whether an error, as a share of what it may be, leaves the value that is read the right one.
fn is_proved(share: f64) -> bool {
    share < 1.0
}

/// What is divided by.
#[derive(Clone, Copy)]
struct Denominator {
    x: f64,
    /// How far it may be off.
    error: f64,
    /// How large its addends are together, and how many are not 0.
    size: f64,
    addends: usize,
}
