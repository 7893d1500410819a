//! Aggregates and widths: what each query makes of the keys it selects. One selected value is
//! copied with its type, several numbers become their mean, none the default.

use super::column::rank::NONE;
use super::column::{Column, Values};
use super::exact::{self, Pooled};
use super::fault::{Cause, Fault};
use super::plan::Plan;
use super::selector::Pattern;
use super::selector::tally::Signed;
use crate::graph::SOpId;
use crate::value::Value;
use std::sync::Arc;

/// The number of selected keys of each query.
pub fn width(pattern: &Pattern) -> Column {
    let counts = match Plan::new(pattern) {
        Ok(plan) => plan.add_up(|_| 1_u32),
        Err(fault) => return Column::failed(pattern.queries, fault),
    };
    Column::ints(counts.into_iter().map(i64::from).collect())
}

/// The aggregate of `value`; `sop` is the node it belongs to. A fault anywhere in `value` is a
/// fault everywhere, as any query might have needed it.
pub fn aggregate(sop: SOpId, pattern: &Pattern, value: &Column, default: &Value) -> Column {
    if let Some(fault) = value.first_fault() {
        return Column::failed(pattern.queries, fault.clone());
    }
    let plan = match Plan::new(pattern) {
        Ok(plan) => plan,
        Err(fault) => return Column::failed(pattern.queries, fault),
    };
    let aggregate = Aggregate {
        sop,
        pattern,
        plan,
        value,
        default,
    };
    if let Some(keys) = aggregate.plan.single_keys() {
        return aggregate.of_single_keys(&keys);
    }
    match value.values() {
        Values::Constant(constant) => aggregate.of_constant(constant),
        Values::Ints(ints) => aggregate.of_ints(ints),
        Values::Floats(_) | Values::Bools(_) | Values::Strings(..) | Values::Mixed(_) => {
            match aggregate.is_number() {
                true => aggregate.of_numbers(),
                false => aggregate.of_others(),
            }
        }
    }
}

struct Aggregate<'a> {
    sop: SOpId,
    pattern: &'a Pattern,
    plan: Plan<'a>,
    value: &'a Column,
    default: &'a Value,
}

impl Aggregate<'_> {
    fn of_single_keys(&self, keys: &[u32]) -> Column {
        if !keys.contains(&NONE) {
            return self.value.gather(keys);
        }
        let value = |key: &u32| match *key {
            NONE => self.default.clone(),
            key => self.value.get(key as usize),
        };
        keys.iter().map(value).collect()
    }

    fn of_constant(&self, constant: &Value) -> Column {
        let counts = self.plan.add_up(|_| 1_u32);
        if !self.is_number() {
            let counted = counts
                .into_iter()
                .map(|count| (count, 0))
                .collect::<Vec<_>>();
            return self.without_means(&counted);
        }
        // The mean of equal numbers; + 0.0, as a sum of negative zeros is none.
        let mean = constant.as_float().unwrap_or(0.0) + 0.0;
        let value = |count| match count {
            0 => self.default.clone(),
            1 => constant.clone(),
            _ => Value::Float(mean),
        };
        counts.into_iter().map(value).collect()
    }

    fn of_ints(&self, ints: &[i64]) -> Column {
        let largest = ints.iter().map(|int| int.unsigned_abs()).max().unwrap_or(0);
        if largest.saturating_mul(ints.len() as u64) <= i64::MAX as u64 {
            self.of_int_sums(|key| ints[key], i128::from)
        } else {
            self.of_int_sums(|key| i128::from(ints[key]), |sum| sum)
        }
    }

    fn of_int_sums<S: Signed>(
        &self,
        weight: impl Fn(usize) -> S,
        read: impl Fn(S) -> i128,
    ) -> Column {
        let sums = self.plan.add_up(|key| (1_i64, weight(key)));
        if sums.iter().all(|(count, _)| *count == 1) {
            return Column::ints(sums.into_iter().map(|(_, sum)| read(sum) as i64).collect());
        }
        let value = |(count, sum)| match count {
            0 => self.default.clone(),
            1 => Value::Int(read(sum) as i64),
            count => Value::Float(exact::int_mean(read(sum), count as u64)),
        };
        sums.into_iter().map(value).collect()
    }

    fn of_numbers(&self) -> Column {
        let pooled = exact::pooled(&self.plan, self.value);
        if pooled.iter().all(|pooled| pooled.count == 1) {
            let positions: Vec<u32> = pooled.iter().map(|pooled| pooled.key).collect();
            return self.value.gather(&positions);
        }
        let value = |Pooled { count, key, mean }| match count {
            0 => self.default.clone(),
            1 => self.value.get(key as usize),
            _ => Value::Float(mean),
        };
        pooled.into_iter().map(value).collect()
    }

    /// The sum of the selected positions is the one position if there is one.
    fn of_others(&self) -> Column {
        let selected = self.plan.add_up(|key| (1_u32, key as u32));
        if selected.iter().all(|(count, _)| *count == 1) {
            let positions: Vec<u32> = selected.iter().map(|(_, key)| *key).collect();
            return self.value.gather(&positions);
        }
        self.without_means(&selected)
    }

    fn is_number(&self) -> bool {
        self.value.sequence_type().is_number()
    }

    /// Copies and defaults, given the number of selected keys and the only one; several values are
    /// a fault unless they are numbers.
    fn without_means(&self, selected: &[(u32, u32)]) -> Column {
        // Enough to show the values everywhere on an input that anyone reads.
        let mut budget = 64 * self.pattern.keys;
        let value = |(query, (count, key)): (usize, &(u32, u32))| match count {
            0 => Ok(self.default.clone()),
            1 => Ok(self.value.get(*key as usize)),
            count => Err(Arc::new(self.no_mean(query, *count, &mut budget))),
        };
        selected.iter().enumerate().map(value).collect()
    }

    fn no_mean(&self, query: usize, count: u32, budget: &mut usize) -> Fault {
        let mut shown = Vec::new();
        if *budget >= self.pattern.keys {
            let keys: Vec<usize> = self.pattern.selected(query).take(6).collect();
            *budget -= keys.last().map_or(0, |key| key + 1);
            shown.extend(keys.into_iter().map(|key| self.value.get(key)));
        }
        let cause = Cause::NoMean(count as usize, self.value.sequence_type(), shown);
        Fault {
            position: Some(query),
            ..Fault::new(cause, self.sop)
        }
    }
}
