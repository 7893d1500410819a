//! Aggregates and widths: what each query makes of the keys it selects. One selected value is
//! copied with its type, several numbers become their mean, none the default.

use super::column::{Builder, Column, Values};
use super::fault::Fault;
use super::plan::Plan;
use super::rank::NONE;
use super::selector::Pattern;
use super::tally::{Mixed, Signed, Sum};
use crate::base::Code;
use crate::graph::SOpId;
use crate::value::{SequenceType, Value};
use std::rc::Rc;

/// The number of selected keys of each query.
pub fn width(pattern: &Pattern) -> Column {
    let counts = Plan::new(pattern).add_up(|_| 1_u32);
    Column::ints(counts.into_iter().map(i64::from).collect())
}

/// The aggregate of `value`; `sop` is the node it belongs to. A fault anywhere in `value` is a
/// fault everywhere, as any query might have needed it.
pub fn aggregate(sop: SOpId, pattern: &Pattern, value: &Column, default: &Value) -> Column {
    if let Some(fault) = value.first_fault() {
        return Column::failed(pattern.queries, fault.clone());
    }
    let aggregate = Aggregate {
        sop,
        pattern,
        plan: Plan::new(pattern),
        value,
        default,
    };
    if let Some(keys) = aggregate.plan.single_keys() {
        return aggregate.of_single_keys(&keys);
    }
    match value.values() {
        Values::Constant(constant) => aggregate.of_constant(constant),
        Values::Ints(ints) => aggregate.of_ints(ints),
        _ => aggregate.of_any(),
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
        let mut builder = Builder::new(keys.len());
        for key in keys {
            builder.push(match *key {
                NONE => self.default.clone(),
                key => self.value.get(key as usize),
            });
        }
        builder.finish()
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
        let most = counts.iter().copied().max().unwrap_or(0);
        let means = constant_means(constant, most);
        let mut builder = Builder::new(counts.len());
        for count in counts {
            builder.push(match count {
                0 => self.default.clone(),
                1 => constant.clone(),
                count => Value::Float(means[count as usize]),
            });
        }
        builder.finish()
    }

    fn of_ints(&self, ints: &[i64]) -> Column {
        let largest = ints.iter().map(|int| int.unsigned_abs()).max().unwrap_or(0);
        if largest.saturating_mul(ints.len() as u64) <= i64::MAX as u64 {
            self.of_int_sums(|key| ints[key], |sum: i64| (sum, sum as f64))
        } else {
            let single = |sum: i128| (sum as i64, sum as f64);
            self.of_int_sums(|key| i128::from(ints[key]), single)
        }
    }

    /// `read` takes a sum as the only int in it and as a float.
    fn of_int_sums<S: Signed>(
        &self,
        weight: impl Fn(usize) -> S,
        read: impl Fn(S) -> (i64, f64),
    ) -> Column {
        let sums = self.plan.add_up(|key| (1_i64, weight(key)));
        if sums.iter().all(|(count, _)| *count == 1) {
            return Column::ints(sums.into_iter().map(|(_, sum)| read(sum).0).collect());
        }
        let mut builder = Builder::new(sums.len());
        for (count, sum) in sums {
            builder.push(match count {
                0 => self.default.clone(),
                1 => Value::Int(read(sum).0),
                count => Value::Float(read(sum).1 / count as f64),
            });
        }
        builder.finish()
    }

    /// Values of any type: the sum of the selected positions is the one position if there is one.
    fn of_any(&self) -> Column {
        let selected = self.plan.add_up(|key| (1_u32, key as u32));
        if selected.iter().all(|(count, _)| *count == 1) {
            let positions: Vec<u32> = selected.iter().map(|(_, key)| *key).collect();
            return self.value.gather(&positions);
        }
        if !self.is_number() || selected.iter().all(|(count, _)| *count <= 1) {
            return self.without_means(&selected);
        }
        let sums = self.sums(&selected);
        let mut builder = Builder::new(selected.len());
        for ((count, key), sum) in selected.into_iter().zip(sums) {
            builder.push(match count {
                0 => self.default.clone(),
                1 => self.value.get(key as usize),
                count => Value::Float(sum.float() / f64::from(count)),
            });
        }
        builder.finish()
    }

    fn is_number(&self) -> bool {
        self.value.sequence_type().is_number()
    }

    /// The sums of several values each. Exact sums come out the same in any order, which allows
    /// every way of adding up; others are added from left to right.
    fn sums(&self, selected: &[(u32, u32)]) -> Vec<Mixed> {
        if self.value.sequence_type() == SequenceType::Ints {
            let int = |key| self.value.get(key).as_int().unwrap_or(0);
            let sums = self.plan.add_up(|key| i128::from(int(key)));
            return sums.into_iter().map(Mixed::Whole).collect();
        }
        if let Some((scaled, unit)) = exact_multiples(self.value) {
            let sums = self.plan.add_up(|key| scaled[key]);
            let float = |sum| Mixed::Float(sum as f64 * unit);
            return sums.into_iter().map(float).collect();
        }
        let needed = |query: usize| selected[query].0 > 1;
        let weight = |key| match self.value.get(key) {
            Value::Float(float) => Mixed::Float(float),
            whole => Mixed::Whole(i128::from(whole.as_int().unwrap_or(0))),
        };
        self.plan.add_up_in_order(needed, weight)
    }

    /// Copies and defaults, given the number of selected keys and the only one; several values are
    /// a fault unless they are numbers.
    fn without_means(&self, selected: &[(u32, u32)]) -> Column {
        let mut builder = Builder::new(selected.len());
        // Enough to show the values everywhere on an input that anyone reads.
        let mut budget = 64 * self.pattern.keys;
        for (query, (count, key)) in selected.iter().enumerate() {
            match count {
                0 => builder.push(self.default.clone()),
                1 => builder.push(self.value.get(*key as usize)),
                count => builder.fault(Rc::new(self.no_mean(query, *count, &mut budget))),
            }
        }
        builder.finish()
    }

    fn no_mean(&self, query: usize, count: u32, budget: &mut usize) -> Fault {
        let mut message = format!(
            "{count} values are selected at once, but {} have no mean",
            self.value.sequence_type().name()
        );
        if *budget >= self.pattern.keys {
            let mut keys: Vec<usize> = self.pattern.selected(query).take(6).collect();
            *budget -= keys.last().map_or(0, |key| key + 1);
            let more = keys.len() > 5;
            keys.truncate(5);
            let shown = keys.iter().map(|key| self.value.get(*key).source());
            let mut shown: Vec<String> = shown.collect();
            if more {
                shown.push("…".to_string());
            }
            message = format!("{message}: {}", shown.join(", "));
        }
        Fault {
            position: Some(query),
            ..Fault::new(Code::MeanOfNonNumbers, message, self.sop)
        }
    }
}

/// The means of 0, 1, … equal numbers, added from left to right.
fn constant_means(constant: &Value, most: u32) -> Vec<f64> {
    let weight = match constant {
        Value::Float(float) => Mixed::Float(*float),
        whole => Mixed::Whole(i128::from(whole.as_int().unwrap_or(0))),
    };
    let mut sum = Mixed::ZERO;
    let mut means = vec![0.0];
    for count in 1..=most {
        sum = sum.plus(weight);
        means.push(sum.float() / f64::from(count));
    }
    means
}

/// Numbers as multiples of a power of two that are so small that no sum of any of them is rounded,
/// and the power.
fn exact_multiples(column: &Column) -> Option<(Vec<i64>, f64)> {
    let exact = |value: &Value| match value.as_int() {
        Some(int) => (int.unsigned_abs() <= 1 << 53).then_some(int as f64),
        None => value.as_float(),
    };
    let floats: Vec<f64> = match column.values() {
        Values::Floats(floats) => floats.clone(),
        Values::Mixed(values) => values.iter().map(exact).collect::<Option<_>>()?,
        _ => return None,
    };
    let mut lowest = 900;
    for float in floats.iter().filter(|float| **float != 0.0) {
        lowest = lowest.min(lowest_bit(*float)?);
    }
    let unit = f64::from_bits(u64::try_from(lowest + 1023).ok()? << 52);
    // All sums must stay below 2⁵³ units.
    let room = 9_007_199_254_740_992.0 / (floats.len() as f64 + 1.0);
    let multiple = |float: &f64| ((float / unit).abs() <= room).then_some((float / unit) as i64);
    let multiples: Option<Vec<i64>> = floats.iter().map(multiple).collect();
    multiples.map(|multiples| (multiples, unit))
}

/// The exponent of the lowest bit of a float that is neither zero nor extreme.
fn lowest_bit(float: f64) -> Option<i64> {
    let bits = float.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i64;
    let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
    let lowest = exponent - 1075 + i64::from(mantissa.trailing_zeros());
    (200..1800).contains(&exponent).then_some(lowest)
}
