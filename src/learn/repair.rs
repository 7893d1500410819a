//! What is mended once a program is discrete: what it lacks is added, the classifier is replaced by a
//! table, a list of tables or sums of points; or else it is fitted, and single choices are changed where that
//! makes more labels right. Depends on `complete`, `decide`, `boost`, `readout` and `climb`.

use super::data::Data;
use super::pool::Pool;
use super::program::{Program, Readout};
use super::train::Stop;
use super::{boost, climb, complete, decide, readout};

/// How often the readout and the modules are mended in turn.
const TURNS: usize = 3;
/// Changes of modules that are tried in a turn.
const TRIES: usize = 4000;
/// Examples that parts are chosen on, of which there are many, and tables.
const SAMPLES: (usize, usize) = (1500, 6000);
/// Of so many labels a table may have one less right than sums, which nobody reads.
const SPARED: usize = 1000;

/// The program with more labels right on the examples: with a table for what it lacks, a list of tables
/// or sums of points; or with its own classifier, mended, if that has more labels right from the start.
pub fn repaired(program: &Program, data: &Data, stop: &Stop) -> Program {
    let rounded = readout::rounded(program);
    let Readout::Linear(linear) = &rounded.readout else {
        return rounded;
    };
    // Of the labels that programs are made from, and of those that they are chosen by.
    let right = |program: &Program| {
        let scores = [&data.train, &data.choose].map(|set| program.score(set));
        scores.iter().map(|score| score.labels_right).sum::<usize>()
    };
    let labels = data.train.labels.iter().chain(&data.choose.labels);
    let all = labels.filter(|label| **label != 0).count();
    let spared = all / SPARED;
    let sample = |count: usize| {
        let first: Vec<usize> = (0..data.train.count().min(count)).collect();
        data.train.part(&first)
    };
    let few = sample(SAMPLES.0);
    let pool = Pool::new(&rounded, &few, data, linear.d);
    let completed = complete::completed(&pool, data, stop);
    if let Some(table) = completed.as_ref().filter(|table| right(table) == all) {
        return table.clone();
    }
    let many = sample(SAMPLES.1);
    let mut pool = Pool::new(&rounded, &many, data, linear.d);
    pool.widen();
    let listed = decide::listed(&pool, data, stop);
    let tables: Vec<Program> = completed.into_iter().chain(listed).collect();
    let most = tables.iter().map(&right).max().unwrap_or(0);
    let table = tables.iter().find(|table| right(table) == most);
    if let Some(table) = table.filter(|_| most + spared >= all) {
        return table.clone();
    }
    let summed = boost::summed(pool, data, stop);
    let is_short = !stop() && right(&summed) >= right(&rounded);
    let summed = match is_short {
        true => summed,
        false => in_turns(rounded, data, spared, stop),
    };
    if let Some(table) = table.filter(|_| most + spared >= right(&summed)) {
        return table.clone();
    }
    match is_short {
        true => summed,
        false => readout::lighter(&summed, data, stop),
    }
}

/// The program with changes of its modules and of its weights in turn, until a turn gains no more than
/// so many labels.
fn in_turns(mut best: Program, data: &Data, least: usize, stop: &Stop) -> Program {
    let mut right = 0;
    for _ in 0..TURNS {
        let Readout::Linear(linear) = &best.readout else {
            break;
        };
        if stop() {
            break;
        }
        let d = linear.d;
        let fitted = readout::searched(&best, linear, &data.train, stop);
        best = climb::climbed(&fitted, &data.train, d, TRIES, stop).pruned();
        let more = best.score(&data.train).labels_right;
        if more <= right + least {
            break;
        }
        right = more;
    }
    best
}
