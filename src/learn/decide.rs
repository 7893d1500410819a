//! Decision lists of tables: the first table that is sure of a label gives it. Which tables is chosen
//! greedily, on a sample, by how much each decides, less what the modules that it takes cost. Depends on
//! `pool`, `grow` and `run`.

use super::data::{Data, Encoded};
use super::grow::spread;
use super::pool::{Codes, Pool, Taken};
use super::program::{FIRST, Module, Program, Readout, Rule, Variable, largest};
use super::run::some;
use super::train::Stop;
use std::collections::BTreeMap;

/// Tables of a list at most.
const LONGEST: usize = 12;
/// Places that a row has to decide, or it counts for nothing.
const WORTH: u32 = 3;
/// Pairs that do not occur have what the nearest one has, so far from what occurs.
const NEAR: i32 = 2;
/// The share of the places that a module more has to decide, or it is not worth reading.
const COST: f64 = 0.003;

/// The variables of a pool with a list of tables of them, if labels can be categories.
pub(super) fn listed(pool: &Pool, data: &Data, stop: &Stop) -> Option<Program> {
    if pool.tokens.len() > pool.d {
        return None;
    }
    let mut places = Places::new(pool, &data.train, chosen(pool, stop));
    let mut tables = places.tables();
    // Later tables may do what an earlier one was chosen for.
    for at in (0..places.pairs.len()).rev() {
        let fewer = places.without(at);
        let others = fewer.tables();
        if others.right >= tables.right {
            (places, tables) = (fewer, others);
        }
    }
    let mut modules = pool.modules.clone();
    let mut decided: Option<Variable> = None;
    let count = tables.tables.len();
    for (at, (((a, b), _), mut table)) in places.pairs.iter().zip(tables.tables).enumerate() {
        spread(&mut table, a == b, NEAR);
        let other = if at + 1 == count {
            tables.usual.into()
        } else {
            0
        };
        modules.push(Module::Map(Rule::Table(table, other), *a, *b));
        let this = FIRST + modules.len() - 1;
        decided = Some(match decided {
            None => this,
            Some(before) => {
                modules.push(Module::Map(either(pool.tokens.len()), before, this));
                this + 1
            }
        });
    }
    let read = decided?;
    let labels = (1..pool.tokens.len() as u16).map(|label| ((label.into(), label.into()), label));
    let readout = Readout::Table(read, read, labels.collect(), tables.usual);
    Some(Program { modules, readout }.pruned())
}

/// Two variables, and what they are at some places.
type Pairs = ((Variable, Variable), Vec<(i32, i32)>);

/// Where labels are asked for, with the pairs of values that the tables of a list read there.
struct Places {
    labels: Vec<u16>,
    pairs: Vec<Pairs>,
}

/// The tables of a list.
struct Tables {
    tables: Vec<BTreeMap<(i32, i32), i32>>,
    /// The most frequent label of what none before the last is sure of.
    usual: u16,
    /// How many labels are right.
    right: usize,
}

impl Places {
    fn new(pool: &Pool, examples: &Encoded, reads: Vec<(Variable, Variable)>) -> Places {
        let all: Vec<Variable> = reads.iter().flat_map(|&(a, b)| [a, b]).collect();
        let columns = some(examples, &pool.modules, &all);
        let asked: Vec<usize> = (0..examples.labels.len())
            .filter(|&at| examples.labels[at] != 0)
            .collect();
        let pairs = reads.into_iter().map(|(a, b)| {
            let pairs = asked.iter().map(|&at| (columns[a][at], columns[b][at]));
            ((a, b), pairs.collect())
        });
        Places {
            pairs: pairs.collect(),
            labels: asked.iter().map(|&at| examples.labels[at]).collect(),
        }
    }

    fn without(&self, table: usize) -> Places {
        let mut pairs = self.pairs.clone();
        pairs.remove(table);
        Places {
            labels: self.labels.clone(),
            pairs,
        }
    }

    /// Tables of the labels that pairs of values are sure of, in turn, and 0 where they are not; the last
    /// one of all that is left.
    fn tables(&self) -> Tables {
        let mut open: Vec<usize> = (0..self.labels.len()).collect();
        let (mut tables, mut right) = (Vec::new(), 0);
        let mut usual = 1;
        for (at, (_, pairs)) in self.pairs.iter().enumerate() {
            usual = usually(open.iter().map(|&place| self.labels[place])).0;
            let mut labels: BTreeMap<(i32, i32), Vec<u16>> = BTreeMap::new();
            for &place in &open {
                labels
                    .entry(pairs[place])
                    .or_default()
                    .push(self.labels[place]);
            }
            let is_last = at + 1 == self.pairs.len();
            let mut table = BTreeMap::new();
            for (pair, labels) in labels {
                let (label, count) = usually(labels.iter().copied());
                let is_sure = is_last || count == labels.len();
                table.insert(pair, if is_sure { label.into() } else { 0 });
                right += if is_sure { count } else { 0 };
            }
            open.retain(|&place| table[&pairs[place]] == 0);
            tables.push(table);
        }
        Tables {
            tables,
            usual,
            right,
        }
    }
}

/// The most frequent label, the first of equally frequent ones, and how often it is there.
fn usually(labels: impl Iterator<Item = u16>) -> (u16, usize) {
    let mut counts: Vec<usize> = vec![0; 2];
    for label in labels.map(usize::from) {
        counts.resize(counts.len().max(label + 1), 0);
        counts[label] += 1;
    }
    let most = largest(&counts[1..]) + 1;
    (most as u16, counts[most])
}

/// The first of two labels, or the second where that is 0.
fn either(labels: usize) -> Rule {
    let all = 0..labels as i32;
    let pairs = all.clone().flat_map(|x| all.clone().map(move |y| (x, y)));
    let either = pairs.map(|(x, y)| ((x, y), if x == 0 { y } else { x }));
    Rule::Table(either.collect(), 0)
}

/// Pairs of variables, each of which decides much of what those before it do not.
fn chosen(pool: &Pool, stop: &Stop) -> Vec<(Variable, Variable)> {
    let categorical = (0..pool.columns.len()).filter(|&variable| !pool.is_number(variable));
    let codes: Vec<(Variable, Codes)> = categorical
        .filter_map(|variable| Some((variable, pool.codes(&pool.columns[variable])?)))
        .collect();
    let mut taken = Taken::new(pool);
    let of = pool.tokens.len();
    let mut open: Vec<usize> = (0..pool.asked.len()).collect();
    let mut chosen = Vec::new();
    while !open.is_empty() && chosen.len() < LONGEST && !stop() {
        let counts = |x: &Codes, y: &Codes| {
            let mut counts = vec![0u32; x.count * y.count * of];
            for &place in &open {
                counts[x.with(y, place) * of + pool.label(place)] += 1;
            }
            counts
        };
        let mut best: Option<(f64, usize, usize)> = None;
        for (at, (b, y)) in codes.iter().enumerate() {
            for (other, (a, x)) in codes[..=at].iter().enumerate() {
                let counts = counts(x, y);
                let sure = counts.chunks(of).filter(|row| is_sure(row));
                let decided: u32 = sure.flatten().sum();
                let more = 1 + taken.more(&[*a, *b]);
                let worth = f64::from(decided) - COST * (pool.asked.len() * more) as f64;
                if best.is_none_or(|(most, ..)| worth > most) {
                    best = Some((worth, other, at));
                }
            }
        }
        let Some((_, at, other)) = best else {
            break;
        };
        let ((a, x), (b, y)) = (&codes[at], &codes[other]);
        chosen.push((*a, *b));
        taken.take(*a);
        taken.take(*b);
        let counts = counts(x, y);
        let before = open.len();
        open.retain(|&place| !is_sure(&counts[x.with(y, place) * of..][..of]));
        if open.len() == before {
            break;
        }
    }
    chosen
}

/// Whether a row has one label, often enough.
fn is_sure(row: &[u32]) -> bool {
    let mut counts = row.iter().filter(|count| **count > 0);
    counts.next().is_some_and(|count| *count >= WORTH) && counts.next().is_none()
}
