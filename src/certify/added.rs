//! What several operations add to one variable, and what is left of their errors where it is rounded. Depends
//! on the bounds of each, and on the plan.

use super::bound::{Bound, Bounds};
use super::host::{Adding, Floats, grain};
use crate::plan::{Attend, Kind, VariableId};

impl Bounds<'_> {
    /// What some operations add to one variable, each in so many terms. No sum on the way is larger than
    /// `most`.
    pub fn added(&self, bounds: Vec<(Bound, usize)>, most: f64) -> Option<Bound> {
        if let [(_, _)] = &bounds[..] {
            return bounds.into_iter().next().map(|(bound, _)| bound);
        }
        let by_case = self.added_by_case(&bounds);
        // Units that cancel may be larger than what they add up to.
        let beyond = |bound: &Bound| (bound.on_the_way - bound.largest).max(0.0);
        let all_terms = bounds.iter().map(|(_, terms)| terms).sum();
        let all_beyond = bounds.iter().map(|(bound, _)| beyond(bound)).sum();
        let off = |sum: Bound, terms: usize, beyond: f64| {
            let roundings = terms as f64 * self.floats.unit;
            let one_sided = sum.one_sided;
            Bound {
                one_sided: one_sided.map(|sum| sum.off(roundings * beyond, roundings)),
                ..Bound::inexact(sum.largest, sum.error + roundings * (sum.largest + beyond))
            }
        };
        let mut bounds = bounds.into_iter();
        let (first, _) = bounds.next()?;
        let sum = bounds.fold(first, |sum, (bound, terms)| {
            let sides = sum.one_sided.zip(bound.one_sided);
            let both = Bound {
                one_sided: sides.and_then(|(sum, bound)| sum.plus(bound)),
                ..Bound::inexact(
                    (sum.largest + bound.largest).min(most),
                    sum.error + bound.error,
                )
            };
            match self.adding {
                Adding::AnyOrder => both,
                Adding::InTurn => off(both, terms, beyond(&bound)),
            }
        });
        let sum = match self.adding {
            // Each term may come when all others are there already.
            Adding::AnyOrder => off(sum, all_terms, all_beyond),
            Adding::InTurn => sum,
        };
        Some(match by_case {
            Some((cases, all)) => Bound {
                one_sided: sum.one_sided,
                cases,
                ..Bound::inexact(sum.largest.min(all.largest()), sum.error.min(all.error))
            },
            None => sum,
        })
    }

    /// What no sum on the way to a variable is larger than, of bounds at all positions of what is added:
    /// where that is not negative, none is larger than the variable in the end.
    pub fn most_of<'b>(&self, into: VariableId, bounds: impl Iterator<Item = &'b Bound>) -> f64 {
        let variable = self.plan.variable(into);
        if variable.values.is_empty() {
            return f64::INFINITY;
        }
        let values = variable.values.iter().chain([&variable.bos]);
        let in_the_end = values.fold(0.0f64, |most, value| most.max(value.abs()));
        let off = bounds.map(|bound| (bound.radius - bound.centre).max(0.0) + bound.error);
        1.000_001 * (in_the_end + 2.0 * off.sum::<f64>())
    }

    /// What is left of a sum's error in a variable that rounds it.
    pub fn rounded(&self, into: VariableId, sum: Bound) -> Bound {
        let variable = self.plan.variable(into);
        let Some(rounding) = variable.rounding else {
            return sum;
        };
        let offset = rounding.offset();
        let largest = offset + sum.largest;
        let (first, last) = (variable.values.first(), variable.values.last());
        let (first, last) = (*first.unwrap_or(&offset), *last.unwrap_or(&offset));
        let near = |bound: Bound| Bound {
            centre: f64::midpoint(first, last),
            radius: (last - first) / 2.0 + bound.error,
            ..bound
        };
        let mut writes = self.plan.attends.iter().filter(|op| op.into == into);
        let count = writes.clone().count();
        // All floats near the large number have the same last bit.
        let is_near = sum.largest + sum.error < offset / 3.0;
        if self.floats != Floats::F32 || !is_near {
            let error = sum.error + (count + 1) as f64 * self.floats.unit * largest;
            let grain = is_near.then_some(Floats::F32.bits - self.floats.bits - rounding.digits);
            return near(Bound {
                error,
                ..Bound::exact(largest, grain)
            });
        }
        let grid = rounding.grid();
        let mut values = variable.values.iter();
        let whole = values.all(|value| (value / grid).fract() == 0.0);
        // What several heads add is rounded on the way, but where each adds a whole value or nothing.
        let is_whole = |op: &Attend| {
            let grain = self.read(&op.value).grain;
            let is_sum = op.most <= 1 || matches!(op.kind, Kind::Sum { .. });
            is_sum && grain.is_some_and(|grain| grain >= -rounding.digits)
        };
        let at_once = count == 1 || writes.all(is_whole);
        let error = match whole && at_once && sum.error < grid / 2.0 {
            true => 0.0,
            false => sum.error + count as f64 * grid,
        };
        // Without noise it is one of its values.
        let grains = variable.values.iter().filter_map(|value| grain(*value));
        let grain = match error {
            0.0 => grains.min().unwrap_or(-rounding.digits),
            _ => -rounding.digits,
        };
        near(Bound {
            error,
            ..Bound::exact(largest, Some(grain))
        })
    }
}
