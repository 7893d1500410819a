//! What the variables of a program can be on the inputs that there are: the values that a rewrite has
//! to be right on. Depends on `learn`.

use crate::learn::data::{Data, Encoded};
use crate::learn::program::{Module, Program, Readout, Variable};
use crate::learn::run::Inputs;
use rustc_hash::FxHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher;

/// Examples that are looked at together.
const AT_ONCE: usize = 1024;

/// What occurs.
#[derive(Default)]
pub struct Care {
    /// The values of each variable.
    pub values: Vec<BTreeSet<i32>>,
    /// What tells the variable from others: a digest of its values, wherever it has one.
    pub digests: Vec<u64>,
    /// Its values at the first position.
    pub first: Vec<BTreeSet<i32>>,
    /// The pairs that each map reads, by its variable.
    pub pairs: BTreeMap<Variable, BTreeSet<(i32, i32)>>,
    /// The pairs that labels are read from where one is asked for, with the label.
    pub labels: BTreeMap<(i32, i32), u16>,
}

/// What occurs on all inputs, if they are listed, or else on all examples.
pub fn care(program: &Program, data: &Data) -> Care {
    let mut care = Care::default();
    let sets: Vec<&Encoded> = match &data.all {
        Some(all) => vec![all],
        None => vec![&data.train, &data.choose, &data.test],
    };
    for set in sets {
        let size = AT_ONCE * set.n;
        for (tokens, labels) in set.tokens.chunks(size).zip(set.labels.chunks(size)) {
            care.add(
                program,
                &Encoded {
                    n: set.n,
                    tokens: tokens.to_vec(),
                    labels: labels.to_vec(),
                },
            );
        }
    }
    care
}

impl Care {
    fn add(&mut self, program: &Program, part: &Encoded) {
        let columns = Inputs::new(part).run(&program.modules);
        let present: Vec<usize> = (0..part.tokens.len())
            .filter(|&at| part.tokens[at] != 0)
            .collect();
        self.values.resize(columns.len(), BTreeSet::new());
        self.first.resize(columns.len(), BTreeSet::new());
        self.digests.resize(columns.len(), 0);
        for (variable, column) in columns.iter().enumerate() {
            let firsts = present.iter().filter(|&&at| at % part.n == 0);
            self.first[variable].extend(firsts.map(|&at| column[at]));
            self.values[variable].extend(present.iter().map(|&at| column[at]));
            let mut hasher = FxHasher::default();
            hasher.write_u64(self.digests[variable]);
            present.iter().for_each(|&at| hasher.write_i32(column[at]));
            self.digests[variable] = hasher.finish();
        }
        for (at, module) in program.modules.iter().enumerate() {
            if let Module::Map(_, a, b) = module {
                let (a, b) = (&columns[*a], &columns[*b]);
                let pairs = self.pairs.entry(at + 2).or_default();
                pairs.extend(present.iter().map(|&at| (a[at], b[at])));
            }
        }
        if let Readout::Table(a, b, ..) = &program.readout {
            let given = program.labels(&columns);
            for &at in present.iter().filter(|&&at| part.labels[at] != 0) {
                self.labels
                    .insert((columns[*a][at], columns[*b][at]), given[at]);
            }
        }
    }
}
