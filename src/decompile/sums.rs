//! Labels that are read from sums: a statement for each sum, and the label with the largest. Depends on
//! `text`.

use super::OUTPUT;
use super::text::Writer;
use crate::learn::program::{FIRST, Linear, Module, Program, Readout, Rule, Variable};
use std::fmt::Write;

/// The program in which a table that counts for one label only, and is read by nothing else, gives the
/// weights of its values.
pub fn pointed(program: &Program) -> Program {
    let Readout::Linear(linear) = &program.readout else {
        return program.clone();
    };
    let mut program = program.clone();
    let (labels, d) = (linear.labels, linear.d);
    let mut sums = Linear {
        categorical: Vec::new(),
        weights: Vec::new(),
        ..linear.clone()
    };
    let (values, numbers) = linear
        .weights
        .split_at(linear.categorical.len() * d * labels);
    let mut units: Vec<f32> = Vec::new();
    for (&variable, weights) in linear.categorical.iter().zip(values.chunks(d * labels)) {
        let mut others = program.modules.iter();
        let is_read = others.any(|module| module.reads().contains(&variable));
        let of = |label: usize| weights.iter().skip(label).step_by(labels);
        let counts = |label: &usize| of(*label).any(|weight| *weight != 0.0);
        let counted: Vec<usize> = (1..labels).filter(counts).collect();
        let module = variable
            .checked_sub(FIRST)
            .map(|at| &mut program.modules[at]);
        match (module, &counted[..]) {
            (Some(Module::Map(Rule::Table(table, other), ..)), &[label]) if !is_read => {
                let weight = |value: &mut i32| {
                    let row = (*value).clamp(0, d as i32 - 1) as usize;
                    *value = weights[row * labels + label] as i32;
                };
                table.values_mut().for_each(weight);
                weight(other);
                sums.numerical.push(Some(variable));
                units.extend((0..labels).map(|of| f32::from(of == label)));
            }
            _ => {
                sums.categorical.push(variable);
                sums.weights.extend(weights);
            }
        }
    }
    sums.weights.extend(numbers);
    sums.weights.extend(units);
    program.readout = Readout::Linear(sums);
    program
}

impl Writer<'_> {
    /// The label that a variable is the points of, and of no other.
    pub(super) fn points(&self, variable: Variable) -> Option<usize> {
        let Readout::Linear(linear) = &self.program.readout else {
            return None;
        };
        let numerical = &linear.numerical;
        let order = numerical.iter().position(|read| *read == Some(variable))?;
        let row = linear.categorical.len() * linear.d + order;
        let row = &linear.weights[row * linear.labels..][..linear.labels];
        let mut counts = (1..linear.labels).filter(|&label| row[label] != 0.0);
        counts.next().filter(|_| counts.next().is_none())
    }

    /// A name of what is for a label: with the label, if that can be part of a name.
    pub(super) fn scored(&self, what: &str, label: usize) -> String {
        let text = self.label(label as u16).to_string();
        match text.chars().all(|c| c.is_ascii_alphanumeric()) {
            true => format!("{what}_{text}"),
            false => format!("{what}_else"),
        }
    }

    /// A sum for each label, and the label with the largest, the first of equal ones.
    pub(super) fn linear(&mut self, linear: &Linear) {
        let rest = linear.categorical.len() * linear.d;
        let mut scores = Vec::new();
        for label in 1..linear.labels {
            let weight = |row: usize| linear.weights[row * linear.labels + label] as i64;
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
            // Where nothing is read an s-op is asked for all the same.
            if linear.categorical.is_empty() && linear.numerical.iter().all(Option::is_none) {
                sum.terms.push_str("0 * indices");
            }
            let name = self.unused(&self.scored("score", label));
            let _ = writeln!(self.lines, "{name} = {};", sum.text());
            self.names.push(name.clone());
            scores.push(name);
        }
        let mut text = self.label(scores.len() as u16).source();
        for label in (1..scores.len()).rev() {
            let (score, others) = (&scores[label - 1], &scores[label..]);
            let beaten = others.iter().map(|other| format!("{score} >= {other}"));
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
