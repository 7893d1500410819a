//! Labels that are read from sums: a statement for each sum, and the label with the largest. Depends on
//! `text`.

use super::OUTPUT;
use super::text::Writer;
use crate::learn::program::{Linear, Variable};
use std::fmt::Write;

impl Writer<'_> {
    /// A sum for each label but the last, whose sum is 0, and the label with the largest, the first of
    /// equal ones.
    pub(super) fn linear(&mut self, linear: &Linear) {
        let last = linear.labels - 1;
        let rest = linear.categorical.len() * linear.d;
        for label in 1..last {
            let weight = |row: usize| {
                let row = &linear.weights[row * linear.labels..][..linear.labels];
                (row[label] - row[last]) as i64
            };
            let mut sum = Sum::default();
            for (order, &variable) in linear.categorical.iter().enumerate() {
                let weight = |value: i32| {
                    let row = (value.max(0) as usize).min(linear.d - 1);
                    weight(order * linear.d + row)
                };
                self.add(&mut sum, variable, weight);
            }
            for (order, variable) in linear.numerical.iter().enumerate() {
                match variable {
                    Some(variable) => sum.times(weight(rest + order), &self.names[*variable]),
                    None => sum.constant += weight(rest + order),
                }
            }
            let _ = writeln!(self.lines, "score_{label} = {};", sum.text());
        }
        let mut text = self.label(last as u16).source();
        for label in (1..last).rev() {
            let beaten = (label + 1..=last).map(|other| match other == last {
                true => format!("score_{label} >= 0"),
                false => format!("score_{label} >= score_{other}"),
            });
            let beaten = beaten.collect::<Vec<_>>().join(" and ");
            let label = self.label(label as u16).source();
            text = format!("{label} if {beaten} else ({text})");
        }
        let _ = writeln!(self.lines, "{OUTPUT} = {text};");
    }

    /// Adds what each value of a variable counts.
    fn add(&self, sum: &mut Sum, variable: Variable, weight: impl Fn(i32) -> i64) {
        let name = &self.names[variable];
        let occurring = &self.care.values[variable];
        let count = |of: i64| {
            occurring
                .iter()
                .filter(|&&value| weight(value) == of)
                .count()
        };
        let weights = occurring.iter().map(|&value| weight(value));
        let base = weights
            .max_by_key(|&of| (count(of), -of.abs()))
            .unwrap_or(0);
        sum.constant += base;
        let more = |value: i32| match occurring.contains(&value) {
            true => weight(value) - base,
            false => 0,
        };
        let others: Vec<i32> = occurring
            .iter()
            .copied()
            .filter(|&value| more(value) != 0)
            .collect();
        match others[..] {
            [] => {}
            [value] => {
                let is_it = format!("indicator({name} == {})", self.atom(variable, value));
                sum.times(more(value), &is_it);
            }
            _ => {
                let entries = self.domains[variable].union(occurring);
                let entries = entries
                    .map(|&value| format!("{}: {}", self.atom(variable, value), more(value)));
                let entries = entries.collect::<Vec<_>>().join(", ");
                sum.times(1, &format!("{{{entries}}}[{name}]"));
            }
        }
    }
}

/// The text of a sum.
#[derive(Default)]
struct Sum {
    terms: String,
    constant: i64,
}

impl Sum {
    /// Adds so many times what a text stands for.
    fn times(&mut self, factor: i64, text: &str) {
        if factor == 0 {
            return;
        }
        self.terms
            .push_str(match (factor < 0, self.terms.is_empty()) {
                (false, true) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (true, false) => " - ",
            });
        if factor.abs() != 1 {
            let _ = write!(self.terms, "{} * ", factor.abs());
        }
        self.terms.push_str(text);
    }

    fn text(mut self) -> String {
        if self.constant != 0 || self.terms.is_empty() {
            let (sum, constant) = (!self.terms.is_empty(), self.constant);
            let _ = match (sum, constant < 0) {
                (true, true) => write!(self.terms, " - {}", constant.abs()),
                (true, false) => write!(self.terms, " + {constant}"),
                (false, _) => write!(self.terms, "{constant}"),
            };
        }
        self.terms
    }
}
