//! What is mended once a program is discrete: what it lacks is added, the classifier is fitted to its
//! variables, or replaced by a table of one or two of them, and single choices are changed where that
//! makes more labels right. Depends on `complete`, `readout`, `climb` and `grow`.

use super::climb;
use super::complete;
use super::data::{Data, Encoded};
use super::grow::lookup;
use super::program::{FIRST, Module, Program, Readout, TOKENS, Variable};
use super::readout;
use super::run::{AT_ONCE, Inputs, some};
use super::train::Stop;
use rustc_hash::FxHashMap;

/// How often the readout and the modules are mended in turn.
const TURNS: usize = 3;
/// Changes of modules that are tried in a turn.
const TRIES: usize = 4000;

/// The program with more labels right on the examples: by parts that it lacks, and by changes of its
/// modules and of what is read from them, in turn. A table of one or two variables takes the place of
/// weights where it is as right.
pub fn repaired(program: &Program, data: &Data, stop: &Stop) -> Program {
    let mut best = readout::rounded(program);
    // Of the labels that programs are made from, and of those that they are chosen by.
    let right = |program: &Program| {
        let scores = [&data.train, &data.choose].map(|set| program.score(set));
        scores.iter().map(|score| score.labels_right).sum::<usize>()
    };
    let labels = data.train.labels.iter().chain(&data.choose.labels);
    let all = labels.filter(|label| **label != 0).count();
    let complete = match &best.readout {
        Readout::Linear(linear) => complete::completed(&best, data, linear.d, stop),
        Readout::Table(..) => None,
    };
    let table = complete.map(|complete| {
        best = complete.sums;
        complete.table
    });
    if let Some(table) = table.as_ref().filter(|table| right(table) == all) {
        return table.clone();
    }
    for _ in 0..TURNS {
        let Readout::Linear(linear) = &best.readout else {
            break;
        };
        if stop() {
            return best;
        }
        let d = linear.d;
        let fitted = readout::searched(&best, linear, &data.train, stop);
        let changed = climb::climbed(&fitted, &data.train, d, TRIES, stop).pruned();
        let is_done = changed.modules == best.modules;
        best = changed;
        if is_done {
            break;
        }
    }
    if let Some(table) = table.filter(|table| right(table) >= right(&best)) {
        return table;
    }
    let most = best.score(&data.train).labels_right;
    match tabled(&best.modules, &data.train, most) {
        Some((a, b)) => Program {
            readout: lookup(
                &some(&data.train, &best.modules, &[a, b]),
                a,
                b,
                &data.train.labels,
            ),
            modules: best.modules,
        },
        None => readout::lighter(&best, data, stop),
    }
}

/// Two variables, and how often each pair of their values has each label.
struct Pair {
    variables: (Variable, Variable),
    counts: FxHashMap<(i32, i32), Vec<u32>>,
    wrong: usize,
}

/// The two variables from which at least so many labels are read right; one, twice, if one does.
fn tabled(modules: &[Module], data: &Encoded, right: usize) -> Option<(Variable, Variable)> {
    let all = 0..FIRST + modules.len();
    let single = all.clone().map(|a| (a, a));
    let pairs = all.clone().flat_map(|a| (TOKENS..a).map(move |b| (b, a)));
    let mut pairs: Vec<Pair> = single
        .chain(pairs)
        .map(|variables| Pair {
            variables,
            counts: FxHashMap::default(),
            wrong: 0,
        })
        .collect();
    let allowed = data.labels.iter().filter(|label| **label != 0).count() - right;
    for part in data.parts(AT_ONCE) {
        let columns = Inputs::new(&part).run(modules);
        for pair in &mut pairs {
            pair.include(&columns, &part.labels);
        }
        // What a table has wrong on some examples it has wrong on all.
        pairs.retain(|pair| pair.wrong <= allowed);
    }
    // The first of equally good ones.
    let best = pairs.iter().min_by_key(|pair| pair.wrong);
    best.map(|pair| pair.variables)
}

impl Pair {
    fn include(&mut self, columns: &[Vec<i32>], labels: &[u16]) {
        let (a, b) = self.variables;
        for (at, &label) in labels.iter().enumerate().filter(|(_, label)| **label != 0) {
            let counts = self.counts.entry((columns[a][at], columns[b][at]));
            let counts = counts.or_default();
            counts.resize(counts.len().max(usize::from(label) + 1), 0);
            counts[usize::from(label)] += 1;
        }
        let others = |counts: &Vec<u32>| {
            let sum: u32 = counts.iter().sum();
            (sum - counts.iter().max().unwrap_or(&0)) as usize
        };
        self.wrong = self.counts.values().map(others).sum();
    }
}
