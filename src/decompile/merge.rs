//! Variables that say nothing of their own: those that are everywhere what an earlier one is, and what
//! reads a constant. Depends on `care`.

use super::care::Care;
use crate::learn::program::{
    FIRST, Head, Linear, Module, Predicate, Program, Readout, Rule, Variable,
};

/// The program in which such variables are not read, and without them.
pub fn merged(program: &Program, care: &Care) -> Program {
    let is_token = tokens(program);
    let count = care.values.len();
    let first = |variable: Variable| {
        let is_same = |&other: &Variable| {
            care.digests[other] == care.digests[variable] && is_token[other] == is_token[variable]
        };
        (0..variable).find(is_same).unwrap_or(variable)
    };
    let names: Vec<Variable> = (0..count).map(first).collect();
    let constant = |variable: Variable| match care.values[variable].len() {
        1 => care.values[variable].first().copied(),
        _ => None,
    };
    let mut modules: Vec<Module> = Vec::new();
    for module in &program.modules {
        let module = module.renamed(|variable| names[variable]);
        let module = counted_at_once(&module, &modules).unwrap_or(module);
        modules.push(match module {
            Module::Map(Rule::Table(table, other), a, b) if a != b => {
                let (read, fixed, of_first) = match (constant(a), constant(b)) {
                    (_, Some(fixed)) => (a, fixed, true),
                    (Some(fixed), None) => (b, fixed, false),
                    (None, None) => {
                        modules.push(Module::Map(Rule::Table(table, other), a, b));
                        continue;
                    }
                };
                let row = table.iter().filter_map(|(&(x, y), &made)| match of_first {
                    true => (y == fixed).then_some(((x, x), made)),
                    false => (x == fixed).then_some(((y, y), made)),
                });
                Module::Map(Rule::Table(row.collect(), other), read, read)
            }
            module @ (Module::Copy(..) | Module::Count(..) | Module::Map(..)) => module,
        });
    }
    let readout = match &program.readout {
        Readout::Table(a, b, table, other) => {
            Readout::Table(names[*a], names[*b], table.clone(), *other)
        }
        Readout::Linear(linear) => Readout::Linear(read(linear, &names, constant)),
    };
    Program { modules, readout }.pruned()
}

/// The sum of how many of some keys there are, and of others, as how many of both.
fn counted_at_once(module: &Module, modules: &[Module]) -> Option<Module> {
    let Module::Map(Rule::Sum, a, b) = module else {
        return None;
    };
    let counted = |variable: Variable| {
        let Module::Count(head, None) = &modules[variable.checked_sub(FIRST)?] else {
            return None;
        };
        match &head.predicate {
            Predicate::OneOf(keys) => Some((head, keys)),
            Predicate::Compare(..) | Predicate::Constant(..) | Predicate::Rows(_) => None,
        }
    };
    let ((head, some), (other, others)) = (counted(*a)?, counted(*b)?);
    let is_alike = (head.keys, head.left, head.first) == (other.keys, other.left, other.first);
    let is_apart = some.iter().all(|key| !others.contains(key));
    (is_alike && is_apart).then(|| {
        let mut keys = [&some[..], others].concat();
        keys.sort_unstable();
        let predicate = Predicate::OneOf(keys);
        let head = Head {
            predicate,
            ..head.clone()
        };
        Module::Count(head, None)
    })
}

/// Sums that read each variable once, and constants not at all.
fn read(linear: &Linear, names: &[Variable], constant: impl Fn(Variable) -> Option<i32>) -> Linear {
    let (labels, d) = (linear.labels, linear.d);
    let mut categorical: Vec<(Variable, Vec<f32>)> = Vec::new();
    let mut numerical: Vec<(Option<Variable>, Vec<f32>)> = Vec::new();
    let (values, numbers) = linear
        .weights
        .split_at(linear.categorical.len() * d * labels);
    for (&variable, weights) in linear.categorical.iter().zip(values.chunks(d * labels)) {
        match constant(variable) {
            Some(value) => {
                let row = (value.max(0) as usize).min(d - 1);
                let weights = &weights[row * labels..][..labels];
                include(&mut numerical, None, weights.iter().copied());
            }
            None => include(&mut categorical, names[variable], weights.iter().copied()),
        }
    }
    for (&variable, weights) in linear.numerical.iter().zip(numbers.chunks(labels)) {
        match variable.and_then(&constant) {
            Some(value) => {
                let weights = weights.iter().map(|weight| weight * value as f32);
                include(&mut numerical, None, weights);
            }
            None => {
                let variable = variable.map(|variable| names[variable]);
                include(&mut numerical, variable, weights.iter().copied());
            }
        }
    }
    let (categorical, values): (Vec<Variable>, Vec<Vec<f32>>) = categorical.into_iter().unzip();
    let (numerical, numbers): (Vec<Option<Variable>>, Vec<Vec<f32>>) =
        numerical.into_iter().unzip();
    Linear {
        weights: [values.concat(), numbers.concat()].concat(),
        categorical,
        numerical,
        labels,
        d,
    }
}

/// Adds the weights of a variable to those that it has.
fn include<T: PartialEq>(
    known: &mut Vec<(T, Vec<f32>)>,
    variable: T,
    weights: impl Iterator<Item = f32>,
) {
    match known.iter_mut().find(|(other, _)| *other == variable) {
        Some((_, sums)) => sums
            .iter_mut()
            .zip(weights)
            .for_each(|(sum, weight)| *sum += weight),
        None => known.push((variable, weights.collect())),
    }
}

/// Which variables hold tokens.
pub fn tokens(program: &Program) -> Vec<bool> {
    let mut tokens = vec![true, false];
    for module in &program.modules {
        let is_token = match module {
            Module::Copy(_, values) => tokens[*values],
            Module::Map(Rule::Given(..), a, _) => tokens[*a],
            Module::Count(..) | Module::Map(..) => false,
        };
        tokens.push(is_token);
    }
    tokens
}
