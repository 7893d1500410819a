//! What is mended once a program is discrete: the classifier is fitted to its variables, or replaced by
//! a table of one or two of them, and single choices are changed where that makes more labels right.
//! Depends on `program`, `grow` and `data`.

use super::climb;
use super::data::{Data, Encoded};
use super::grow::lookup;
use super::program::{FIRST, Linear, Module, Program, Readout, TOKENS, Variable};

use super::run::{AT_ONCE, Inputs, some};
use super::train::Stop;
use crate::base::Random;
use rustc_hash::FxHashMap;

/// How often the readout and the modules are mended in turn.
const TURNS: usize = 3;
/// Changes of modules that are tried in a turn.
const TRIES: usize = 4000;
/// Rounds over the examples when a classifier is fitted.
const ROUNDS: usize = 10;
/// Examples of a step.
const BATCH: usize = 512;
/// The first learning rate of a fit; it falls to 0 as a cosine does.
const RATE: f32 = 0.02;
/// What weights are multiplied by before they are rounded.
const GRAIN: f32 = 1000.0;

/// The program with more labels right on the examples: by changes of its modules and of what is read
/// from them, in turn. A table of one or two variables takes the place of weights where it is as right.
pub fn repaired(program: &Program, data: &Data, stop: &Stop) -> Program {
    let mut best = program.clone();
    if let Readout::Linear(linear) = &mut best.readout {
        round(linear);
    }
    for _ in 0..TURNS {
        let Readout::Linear(linear) = &best.readout else {
            break;
        };
        if stop() {
            return best;
        }
        let d = linear.d;
        let fitted = refitted(&best, linear, &data.train, stop);
        let changed = climb::climbed(&fitted, &data.train, d, TRIES, stop).pruned();
        let is_done = changed.modules == best.modules;
        best = changed;
        if is_done {
            break;
        }
    }
    let right = best.score(&data.train).labels_right;
    match tabled(&best.modules, &data.train, right) {
        Some((a, b)) => Program {
            readout: lookup(
                &some(&data.train, &best.modules, &[a, b]),
                a,
                b,
                &data.train.labels,
            ),
            modules: best.modules,
        },
        None => best,
    }
}

/// The program with weights that are fitted, if that makes more labels right.
fn refitted(program: &Program, linear: &Linear, data: &Encoded, stop: &Stop) -> Program {
    let mut fitted = linear.clone();
    let weights = fitted.weights.iter_mut();
    weights.for_each(|weight| *weight /= GRAIN);
    fit(&mut fitted, &program.modules, data, stop);
    round(&mut fitted);
    let fitted = Program {
        readout: Readout::Linear(fitted),
        ..program.clone()
    };
    let right = |program: &Program| program.score(data).labels_right;
    match right(&fitted) > right(program) {
        true => fitted,
        false => program.clone(),
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

/// Weights as whole numbers, of which [`GRAIN`] make 1.
fn round(linear: &mut Linear) {
    for weight in &mut linear.weights {
        *weight = (*weight * GRAIN).round();
    }
}

/// Logistic regression from where the weights are (Adam, Kingma & Ba 2015).
fn fit(linear: &mut Linear, modules: &[Module], data: &Encoded, stop: &Stop) {
    let mut random = Random::new(0x6669_7474);
    let mut order: Vec<usize> = (0..data.count()).collect();
    let size = linear.weights.len();
    let (mut means, mut squares) = (vec![0.0f32; size], vec![0.0f32; size]);
    let steps = (ROUNDS * data.count().div_ceil(BATCH)) as f32;
    let mut step = 0;
    let mut sums = vec![0.0; linear.labels];
    for _ in 0..ROUNDS {
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last + 1));
        }
        for batch in order.chunks(BATCH) {
            if stop() {
                return;
            }
            let mut gradient = vec![0.0f32; size];
            // The variables are made anew each time: those of all examples take more memory than training.
            let part = data.part(batch);
            let columns = Inputs::new(&part).run(modules);
            for (at, &wanted) in part.labels.iter().enumerate() {
                if wanted != 0 {
                    linear.sums(&columns, at, &mut sums);
                    surprise(&mut sums, usize::from(wanted), batch.len());
                    linear.spread(&columns, at, &sums, &mut gradient);
                }
            }
            step += 1;
            let rate = RATE * 0.5 * (1.0 + (std::f32::consts::PI * step as f32 / steps).cos());
            let (first, second) = (1.0 - 0.9f32.powi(step), 1.0 - 0.999f32.powi(step));
            for (at, &gradient) in gradient.iter().enumerate() {
                means[at] = 0.9 * means[at] + 0.1 * gradient;
                squares[at] = 0.999 * squares[at] + 0.001 * gradient * gradient;
                let scale = (squares[at] / second).sqrt() + 1e-8;
                linear.weights[at] -= rate * means[at] / first / scale;
            }
        }
    }
}

/// Sums become the gradient of the cross-entropy.
fn surprise(sums: &mut [f32], wanted: usize, examples: usize) {
    let most = sums[1..].iter().copied().fold(f32::MIN, f32::max);
    sums[0] = 0.0;
    sums[1..]
        .iter_mut()
        .for_each(|sum| *sum = (*sum - most).exp());
    let total: f32 = sums.iter().sum();
    for (label, sum) in sums.iter_mut().enumerate().skip(1) {
        *sum = (*sum / total - f32::from(label == wanted)) / examples as f32;
    }
}
