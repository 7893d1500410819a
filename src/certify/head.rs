//! Bounds on what heads write: how much attention leaks to what is not selected, how equal the
//! levels of selected keys are, and what both make of a width, a mean or a sum.

use super::bound::{Bound, Bounds, fits, grain};
use super::facts::HeadFacts;
use super::{Certificate, HeadBound};
use crate::plan::{Attend, Kind, Meaning, Style, Term, VariableId};

/// How far rows of a faithful head may be from uniform because of a host's order of scaling.
const UNIFORM: f64 = 5e-7;

/// What is known of a head's logits, before they are divided by √d_head.
pub(super) struct Logit {
    /// How far the level of a selected key may be off.
    error: f64,
    /// What of that comes from queries and keys that are divided.
    divided: f64,
    /// How often what is not 0 is rounded.
    roundings: f64,
}

impl Bounds<'_> {
    /// The pattern of a head with this logit.
    pub fn head(&self, attend: &Attend, logit: &Logit) -> Result<HeadBound, String> {
        let scale = self.facts.head(attend).scale;
        let level_error = logit.error / scale.root;
        let nats = scale.gap / scale.root - attend.above();
        let between = matches!(attend.kind, Kind::Mean | Kind::Sum { .. });
        let gap = match between {
            // BOS stands half way, or a level below where there are scores.
            true => (nats / 2.0).min(nats),
            false => nats,
        };
        let gap = match (attend.bos_level(), attend.kind) {
            (Some(level), Kind::Mean) => level.min(nats - level),
            (Some(level), Kind::MeanOfSome) => level.min(nats),
            _ => gap,
        };
        let gap = gap - 2.0 * level_error - logit.roundings * self.floats.unit * nats.abs();
        let leak = self.plan.max_length as f64 * (-gap).exp();
        // What is not a number is not bounded either.
        if !(gap > 0.0 && gap.is_finite() && level_error.is_finite()) {
            return Err(format!("{}: keys are not kept apart", attend.source.name));
        }
        Ok(HeadBound {
            layer: attend.layer,
            selector: attend.source.name.clone(),
            gap,
            leak,
            level_error,
        })
    }

    /// The logit of a head before it is divided by √d_head, and after queries and keys are.
    pub fn logit(&self, head: &HeadFacts) -> Logit {
        let dimensions = &head.dimensions;
        let d_head = dimensions.len();
        let (mut exact, mut size, mut noise) = (true, 0.0, 0.0);
        let mut least = i32::MAX;
        for dimension in dimensions {
            let (query, key) = (self.read(&dimension.query), self.read(&dimension.key));
            size += query.largest * key.largest;
            noise += query.largest * key.error + key.largest * query.error;
            noise += query.error * key.error;
            match (query.grain, key.grain) {
                (Some(a), Some(b)) => least = least.min(a.saturating_add(b)),
                _ => exact = false,
            }
        }
        exact &= d_head == 0 || fits(size, least, self.floats);
        // √d_head divides once; what was equal stays equal.
        let rounding = if exact { 0.0 } else { (d_head + 2) as f64 };
        let (divided, roundings) = if self.order.exact_d_head(d_head) == d_head {
            (0.0, 4.0)
        } else {
            // The query, the key and the divisors of both are rounded, then each product and sum;
            // products that are 0 stay 0.
            let roundings = (d_head + 6) as f64;
            let zero = exact && noise == 0.0 && !head.cancels;
            (if zero { 0.0 } else { roundings }, roundings)
        };
        let unit = self.floats.unit;
        Logit {
            error: noise + (rounding + divided) * unit * size,
            divided: divided * unit * size,
            roundings,
        }
    }

    /// Where a host that divides queries or keys makes rows of a head uneven that are to be uniform.
    pub fn uneven(&self, attend: &Attend, logit: &Logit) -> Option<String> {
        let one_key = match attend.kind {
            Kind::Mean | Kind::MeanOfSome | Kind::MeanOrBos => attend.most <= 1,
            Kind::Width | Kind::Length | Kind::MeanOfPart | Kind::Sum { .. } => false,
        };
        if self.plan.style != Style::Faithful || one_key {
            return None;
        }
        let divided = logit.divided / self.facts.head(attend).scale.root;
        let uneven = (2.0 * divided).exp_m1();
        let name = &attend.source.name;
        (uneven > UNIFORM).then(|| format!("{name}: its rows are uniform to {uneven:.1e} only"))
    }

    /// What an operation adds to its variable.
    pub fn attended(&self, attend: &Attend, head: &HeadBound) -> Bound {
        let unit = self.floats.unit;
        let value = self.read(&attend.value);
        let most = attend.most as f64;
        let uneven = (2.0 * head.level_error).exp() - 1.0;
        match attend.kind {
            Kind::Width => {
                let variable = self.plan.variable(attend.into);
                let by_value: Vec<(f64, f64)> = variable
                    .values
                    .iter()
                    .map(|x| {
                        let width = 1.0 / x - 1.0;
                        let counts = width * uneven + head.leak;
                        (*x, x * (x * counts + 3.0 * unit))
                    })
                    .collect();
                let error = by_value.iter().fold(0.0f64, |most, (_, e)| most.max(*e));
                Bound {
                    by_value,
                    ..Bound::inexact(1.0, error)
                }
            }
            Kind::Mean | Kind::MeanOfSome | Kind::MeanOrBos | Kind::MeanOfPart | Kind::Length => {
                let single = attend.most <= 1 && attend.above() == 0.0;
                // One key has all the weight, whatever its level.
                let uneven = match single && attend.kind != Kind::MeanOfPart {
                    true => 0.0,
                    false => uneven,
                };
                let weights = 2.0 * (uneven + head.leak) + (most + 6.0) * unit;
                Bound::inexact(value.largest, weights * value.largest + value.error)
            }
            Kind::Sum { level } => {
                let length = self.plan.max_length as f64;
                let sink = most * (most + 1.0) * (-level).exp() * 2.0;
                // What is not selected stands below by the gap, and below BOS by the level more.
                let share = most * uneven + head.leak + sink + (length + 14.0) * unit * most;
                Bound::inexact(
                    most * value.largest,
                    share * value.largest + most * value.error * (1.0 + uneven),
                )
            }
        }
    }
}

impl Attend {
    /// How many nats BOS stands from selected keys, where that does not depend on the gap.
    fn bos_level(&self) -> Option<f64> {
        let products = |term: &Term| match term.meaning {
            Meaning::Bos { nats: true } => term.products.first().cloned(),
            _ => None,
        };
        let product = self.terms.iter().find_map(products)?;
        Some((product.queries.first()? * product.keys.first()?).abs())
    }
}

impl Bounds<'_> {
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
        if self.floats.bits != 24 {
            let error = sum.error + 2.0 * self.floats.unit * largest;
            return near(Bound::inexact(largest, error));
        }
        let whole = variable
            .values
            .iter()
            .all(|value| (value / rounding.grid()).fract() == 0.0);
        let error = match whole && sum.error < rounding.grid() / 2.0 {
            true => 0.0,
            false => sum.error + rounding.grid(),
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

/// Adds what heads add to one variable.
pub(super) fn added(bounds: Vec<Bound>) -> Option<Bound> {
    let mut bounds = bounds.into_iter();
    let first = bounds.next()?;
    Some(bounds.fold(first, |sum, bound| {
        Bound::inexact(sum.largest + bound.largest, sum.error + bound.error)
    }))
}

impl Certificate {
    /// A row of attention is uniform over what is selected to within this.
    pub fn pattern_error(&self) -> f64 {
        let rows = self.heads.iter().map(|head| {
            let uneven = (2.0 * head.level_error).exp() - 1.0;
            uneven + head.leak + 1.2e-7
        });
        rows.fold(0.0, f64::max)
    }
}
