//! Decision lists of tables: the first that two variables are sure of, else what the next are sure of.
//! Which variables is chosen greedily, on a sample. Depends on what `complete` does.

use super::complete::{Codes, Pool};
use super::data::Encoded;
use super::program::{FIRST, Module, POSITIONS, Predicate, Readout, Rule, Variable};
use super::run::some;
use super::train::Stop;
use std::collections::BTreeMap;

/// Tables of a list at most.
const LONGEST: usize = 8;
/// Places that a row has to decide, or it counts for nothing.
const WORTH: u32 = 3;

/// A decision list: modules after those of a pool, and the variable of the label.
pub(super) struct List {
    pub(super) modules: Vec<Module>,
    pub(super) readout: Readout,
}

/// What the variables of a pool can be made to: numbers and their sums as categories, and how far it is
/// to where a token stands.
pub(super) fn widen(pool: &mut Pool) {
    let (mut numbers, mut places) = (Vec::new(), Vec::new());
    for (at, module) in pool.modules.iter().enumerate() {
        match module {
            Module::Count(head, None) if matches!(head.predicate, Predicate::OneOf(_)) => {
                numbers.push(FIRST + at);
            }
            Module::Copy(head, POSITIONS) if matches!(head.predicate, Predicate::OneOf(_)) => {
                places.push(FIRST + at);
            }
            _ => {}
        }
    }
    let most = pool.d as i32 - 1;
    let all = || (0..=most).flat_map(|x| (0..=most).map(move |y| (x, y)));
    let sums = || all().map(|(x, y)| ((x, y), (x + y).min(most))).collect();
    let distances = || all().map(|(x, y)| ((x, y), (x - y).max(0))).collect();
    let same = || (0..=most).map(|x| ((x, x), x)).collect();
    let mut made: Vec<Module> = Vec::new();
    for (at, &a) in numbers.iter().enumerate() {
        // Its values are known, but tables may not read them yet.
        pool.push(Module::Map(Rule::Table(same(), most), a, a));
        let others = numbers[at + 1..].iter();
        made.extend(others.map(|&b| Module::Map(Rule::Table(sums(), most), a, b)));
    }
    let places = places.into_iter();
    made.extend(places.map(|at| Module::Map(Rule::Table(distances(), 0), at, POSITIONS)));
    made.into_iter().for_each(|module| pool.add(module));
}

/// The list that decides most labels of the examples, if labels can be categories.
pub(super) fn list(pool: &Pool, train: &Encoded, stop: &Stop) -> Option<List> {
    if pool.tokens.len() > pool.d {
        return None;
    }
    let reads = chosen(pool, stop);
    let mut is_open: Vec<bool> = train.labels.iter().map(|label| *label != 0).collect();
    let mut modules: Vec<Module> = Vec::new();
    let first = FIRST + pool.modules.len();
    let mut decided: Option<Variable> = None;
    let mut usual = 1;
    for (at, &(a, b)) in reads.iter().enumerate() {
        let columns = some(train, &pool.modules, &[a, b]);
        let mut counts: BTreeMap<(i32, i32), BTreeMap<u16, u32>> = BTreeMap::new();
        for at in (0..is_open.len()).filter(|&at| is_open[at]) {
            let counts = counts.entry((columns[a][at], columns[b][at])).or_default();
            *counts.entry(train.labels[at]).or_default() += 1;
        }
        let is_last = at + 1 == reads.len();
        let most = |counts: &BTreeMap<u16, u32>| {
            let most = counts.iter().max_by_key(|(_, count)| **count);
            most.map_or(1, |(label, _)| *label)
        };
        let mut all: BTreeMap<u16, u32> = BTreeMap::new();
        counts
            .values()
            .flatten()
            .for_each(|(label, count)| *all.entry(*label).or_default() += count);
        usual = most(&all);
        let sure = counts
            .iter()
            .filter(|(_, counts)| is_last || counts.len() == 1);
        let table: BTreeMap<(i32, i32), i32> = sure
            .map(|(pair, counts)| (*pair, i32::from(most(counts))))
            .collect();
        for at in 0..is_open.len() {
            is_open[at] &= !table.contains_key(&(columns[a][at], columns[b][at]));
        }
        let other = if is_last { i32::from(usual) } else { 0 };
        modules.push(Module::Map(Rule::Table(table, other), a, b));
        let this = first + modules.len() - 1;
        decided = Some(match decided {
            None => this,
            Some(before) => {
                let labels = 0..pool.tokens.len() as i32;
                let pairs = labels
                    .clone()
                    .flat_map(|x| labels.clone().map(move |y| (x, y)));
                let either = pairs.map(|(x, y)| ((x, y), if x == 0 { y } else { x }));
                modules.push(Module::Map(Rule::Table(either.collect(), 0), before, this));
                this + 1
            }
        });
    }
    let read = decided?;
    let labels = (1..pool.tokens.len() as u16).map(|label| ((label.into(), label.into()), label));
    Some(List {
        readout: Readout::Table(read, read, labels.collect(), usual),
        modules,
    })
}

/// Pairs of variables, each of which decides the most of what those before it do not.
fn chosen(pool: &Pool, stop: &Stop) -> Vec<(Variable, Variable)> {
    let categorical = (0..pool.columns.len()).filter(|&variable| !pool.is_number(variable));
    let codes: Vec<(Variable, Codes)> = categorical
        .filter_map(|variable| Some((variable, pool.codes(&pool.columns[variable])?)))
        .collect();
    let labels = &pool.inputs.data.labels;
    let of = pool.tokens.len();
    let mut open: Vec<usize> = (0..pool.asked.len()).collect();
    let mut chosen = Vec::new();
    while !open.is_empty() && chosen.len() < LONGEST && !stop() {
        let mut best = None;
        let mut most = None;
        for (at, a) in codes.iter().enumerate() {
            for b in &codes[..=at] {
                let mut counts = vec![0u32; a.1.count * b.1.count * of];
                for &place in &open {
                    let row = row(&a.1, &b.1, place);
                    counts[row * of + usize::from(labels[pool.asked[place]])] += 1;
                }
                let rows = counts
                    .chunks(of)
                    .map(|row| if is_sure(row) { row.iter().sum() } else { 0 });
                let decided: u32 = rows.sum();
                if most.is_none_or(|most| decided > most) {
                    most = Some(decided);
                    best = Some((decided, a, b, counts));
                }
            }
        }
        let Some((decided, a, b, counts)) = best else {
            break;
        };
        chosen.push((b.0, a.0));
        if decided == 0 {
            break;
        }
        open.retain(|&place| {
            let row = row(&a.1, &b.1, place);
            !is_sure(&counts[row * of..][..of])
        });
    }
    chosen
}

fn row(a: &Codes, b: &Codes, place: usize) -> usize {
    usize::from(a.codes[place]) * b.count + usize::from(b.codes[place])
}

/// Whether a row has one label, often enough.
fn is_sure(row: &[u32]) -> bool {
    let mut counts = row.iter().filter(|count| **count > 0);
    counts.next().is_some_and(|count| *count >= WORTH) && counts.next().is_none()
}
