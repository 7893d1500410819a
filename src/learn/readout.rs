//! The sums that labels are read from: weights that are fitted, searched one by one as whole numbers,
//! and made fewer and smaller where that makes no label wrong. Depends on `program`, `run` and `data`.

use super::data::{Data, Encoded};
use super::program::{Linear, Program, Readout, largest};
use super::run::{AT_ONCE, Inputs};
use super::train::Stop;
use crate::base::Random;

/// Rounds over the examples when weights are fitted, and when some of them have been taken away.
const ROUNDS: (usize, usize) = (10, 3);
/// Labels of a step.
const BATCH: usize = 2048;
/// The first learning rate of a fit; it falls to 0 as a cosine does.
const RATE: f32 = 0.02;
/// What fitted weights are multiplied by before they are rounded.
const GRAIN: f32 = 100.0;
/// The longest step of a weight.
const REACH: i32 = 400;
/// How far behind the edge of what is right a step goes at most.
const INSIDE: usize = 25;
/// How often all weights are searched, and when some of them have been taken away.
const PASSES: (usize, usize) = (6, 2);
/// So many variables in turn that cannot be spared, and no others are tried.
const NEEDED: usize = 6;
/// A variable that makes less than one of so many wrong labels right is not worth reading.
const WORTH: usize = 400;

/// A variable where labels are wanted.
enum Column {
    /// The row of weights that counts, of those of the variable.
    Values(Vec<u8>),
    /// What its one row of weights is multiplied by.
    Numbers(Vec<i32>),
}

/// The places of examples where labels are wanted.
struct Places {
    /// What the sums read there, each with its first row of weights.
    columns: Vec<(Column, usize)>,
    labels: Vec<u8>,
}

impl Places {
    fn new(program: &Program, linear: &Linear, data: &Encoded) -> Places {
        let categorical = (0..linear.categorical.len()).map(|at| at * linear.d);
        let rest = linear.categorical.len() * linear.d;
        let numerical = (0..linear.numerical.len()).map(|at| rest + at);
        let mut columns: Vec<(Column, usize)> = categorical
            .map(|row| (Column::Values(Vec::new()), row))
            .chain(numerical.map(|row| (Column::Numbers(Vec::new()), row)))
            .collect();
        let mut labels = Vec::new();
        for part in data.parts(AT_ONCE) {
            let known = Inputs::new(&part).run(&program.modules);
            let wanted: Vec<usize> = (0..part.labels.len())
                .filter(|&at| part.labels[at] != 0)
                .collect();
            labels.extend(wanted.iter().map(|&at| part.labels[at] as u8));
            let categorical = linear.categorical.iter().map(|&variable| Some(variable));
            let reads = categorical.chain(linear.numerical.iter().copied());
            for ((column, _), read) in columns.iter_mut().zip(reads) {
                let value = |at: usize| read.map_or(1, |variable| known[variable][at]);
                let values = wanted.iter().map(|&at| value(at));
                let most = linear.d as i32 - 1;
                match column {
                    Column::Values(column) => {
                        column.extend(values.map(|value| value.clamp(0, most) as u8));
                    }
                    Column::Numbers(column) => column.extend(values),
                }
            }
        }
        Places { columns, labels }
    }

    /// Calls with the rows of weights that count at a place, and how often.
    #[inline(always)]
    fn rows(&self, place: usize, mut each: impl FnMut(usize, i32)) {
        for (column, row) in &self.columns {
            match column {
                Column::Values(values) => each(row + usize::from(values[place]), 1),
                Column::Numbers(numbers) => each(*row, numbers[place]),
            }
        }
    }

    /// What each label has at each place.
    fn sums(&self, weights: &[i32], labels: usize) -> Vec<i32> {
        let mut sums = vec![0; self.labels.len() * labels];
        for (place, sums) in sums.chunks_mut(labels).enumerate() {
            self.rows(place, |row, by| {
                let row = &weights[row * labels..][..labels];
                sums.iter_mut()
                    .zip(row)
                    .for_each(|(sum, weight)| *sum += by * weight);
            });
        }
        sums
    }

    /// How many labels are right.
    fn right(&self, weights: &[i32], labels: usize) -> usize {
        let sums = self.sums(weights, labels);
        let given = sums.chunks(labels).map(|sums| largest(&sums[1..]) + 1);
        let pairs = given.zip(&self.labels);
        pairs
            .filter(|(given, wanted)| *given == usize::from(**wanted))
            .count()
    }

    /// Logistic regression from where the weights are (Adam, Kingma & Ba 2015).
    fn fit(&self, weights: &mut [f32], labels: usize, rounds: usize, stop: &Stop) {
        let mut random = Random::new(0x6669_7474);
        let mut order: Vec<usize> = (0..self.labels.len()).collect();
        let (mut means, mut squares) = (vec![0.0f32; weights.len()], vec![0.0f32; weights.len()]);
        let steps = (rounds * order.len().div_ceil(BATCH)) as f32;
        let mut step = 0;
        let (mut sums, mut gradient) = (vec![0.0f32; labels], vec![0.0f32; weights.len()]);
        for _ in 0..rounds {
            for last in (1..order.len()).rev() {
                order.swap(last, random.below(last + 1));
            }
            for batch in order.chunks(BATCH) {
                if stop() {
                    return;
                }
                gradient.fill(0.0);
                for &place in batch {
                    sums.fill(0.0);
                    self.rows(place, |row, by| {
                        let row = &weights[row * labels..][..labels];
                        let sums = sums.iter_mut().zip(row);
                        sums.for_each(|(sum, weight)| *sum += by as f32 * weight);
                    });
                    surprise(&mut sums, usize::from(self.labels[place]), batch.len());
                    self.rows(place, |row, by| {
                        let row = &mut gradient[row * labels..][..labels];
                        let row = row.iter_mut().zip(&sums);
                        row.for_each(|(weight, sum)| *weight += by as f32 * sum);
                    });
                }
                step += 1;
                let rate = RATE * 0.5 * (1.0 + (std::f32::consts::PI * step as f32 / steps).cos());
                let (first, second) = (1.0 - 0.9f32.powi(step), 1.0 - 0.999f32.powi(step));
                for (at, &gradient) in gradient.iter().enumerate() {
                    means[at] = 0.9 * means[at] + 0.1 * gradient;
                    squares[at] = 0.999 * squares[at] + 0.001 * gradient * gradient;
                    let scale = (squares[at] / second).sqrt() + 1e-8;
                    weights[at] -= rate * means[at] / first / scale;
                }
            }
        }
    }
}

/// Sums become the gradient of the cross-entropy.
fn surprise(sums: &mut [f32], wanted: usize, count: usize) {
    let most = sums[1..].iter().copied().fold(f32::MIN, f32::max);
    sums[0] = 0.0;
    sums[1..]
        .iter_mut()
        .for_each(|sum| *sum = (*sum - most).exp());
    let total: f32 = sums.iter().sum();
    for (label, sum) in sums.iter_mut().enumerate().skip(1) {
        *sum = (*sum / total - f32::from(label == wanted)) / count as f32;
    }
}

/// Whole weights with what they sum to at each place.
struct Search<'a> {
    places: &'a Places,
    labels: usize,
    weights: Vec<i32>,
    sums: Vec<i32>,
    right: usize,
}

impl<'a> Search<'a> {
    fn new(places: &'a Places, labels: usize, weights: Vec<i32>) -> Search<'a> {
        Search {
            sums: places.sums(&weights, labels),
            right: places.right(&weights, labels),
            places,
            labels,
            weights,
        }
    }

    /// Gives each weight in turn the value with which the most labels are right, until nothing more
    /// is gained. The weights of the last label stay: only differences count.
    fn climb(mut self, passes: usize, stop: &Stop) -> Search<'a> {
        for _ in 0..passes {
            let before = self.right;
            for (column, row) in &self.places.columns {
                if stop() {
                    return self;
                }
                let groups = match column {
                    Column::Values(values) => grouped(values),
                    Column::Numbers(numbers) => {
                        let places = 0..numbers.len() as u32;
                        vec![places.filter(|&at| numbers[at as usize] > 0).collect()]
                    }
                };
                let by = |place: usize| match column {
                    Column::Values(_) => 1,
                    Column::Numbers(numbers) => numbers[place],
                };
                for (value, group) in groups.iter().enumerate() {
                    for label in 1..self.labels - 1 {
                        self.step(group, by, (row + value) * self.labels + label);
                    }
                }
            }
            if self.right == before {
                break;
            }
        }
        self
    }

    /// The best step of one weight, which counts so often at some places.
    fn step(&mut self, group: &[u32], by: impl Fn(usize) -> i32, weight: usize) {
        let label = weight % self.labels;
        // How many more labels are right from each step on than before it.
        let mut gains = [0i32; 2 * REACH as usize + 2];
        let sums = |place: usize| &self.sums[place * self.labels..][..self.labels];
        for &place in group {
            let place = place as usize;
            let sums = sums(place);
            let mut other = if label == 1 { 2 } else { 1 };
            for rival in other + 1..self.labels {
                if rival != label && sums[rival] > sums[other] {
                    other = rival;
                }
            }
            let wanted = usize::from(self.places.labels[place]);
            if wanted != label && wanted != other {
                continue;
            }
            // Of equal sums the first counts.
            let missing = sums[other] - sums[label] + i32::from(label > other);
            let by = by(place);
            let step = missing.div_euclid(by) + i32::from(missing.rem_euclid(by) != 0);
            let at = (step + REACH).clamp(0, 2 * REACH + 1);
            gains[at as usize] += if wanted == label { 1 } else { -1 };
        }
        let mut sum = 0;
        let rights = gains.map(|gain| {
            sum += gain;
            sum
        });
        let rights = &rights[..=2 * REACH as usize];
        let now = rights[REACH as usize];
        let most = rights.iter().copied().max().unwrap_or(now);
        if most <= now {
            return;
        }
        let distance = |at: usize| at.abs_diff(REACH as usize);
        let best = (0..rights.len()).filter(|&at| rights[at] == most);
        let Some(edge) = best.min_by_key(|&at| distance(at)) else {
            return;
        };
        let further = |from: usize| match edge > REACH as usize {
            true => (from + 1 < rights.len()).then_some(from + 1),
            false => from.checked_sub(1),
        };
        let same = |at: &usize| rights[*at] == most;
        let run: Vec<usize> =
            std::iter::successors(Some(edge), |&at| further(at).filter(same)).collect();
        let step = run[(run.len() / 2).min(INSIDE)] as i32 - REACH;
        self.weights[weight] += step;
        for &place in group {
            let place = place as usize;
            self.sums[place * self.labels + label] += step * by(place);
        }
        self.right = (self.right as i32 + most - now) as usize;
    }
}

/// The places of each value.
fn grouped(values: &[u8]) -> Vec<Vec<u32>> {
    let most = values.iter().copied().max().map_or(0, usize::from);
    let mut groups = vec![Vec::new(); most + 1];
    for (place, &value) in (0..).zip(values) {
        groups[usize::from(value)].push(place);
    }
    groups
}

/// Weights as whole numbers, those of the last label 0.
fn whole(linear: &Linear, weights: &[f32], grain: f32) -> Vec<i32> {
    let rows = weights.chunks(linear.labels);
    let rows = rows.flat_map(|row| {
        let last = row[linear.labels - 1];
        row.iter()
            .map(move |weight| ((weight - last) * grain).round() as i32)
    });
    rows.collect()
}

fn with(program: &Program, linear: &Linear, weights: &[i32]) -> Program {
    Program {
        readout: Readout::Linear(Linear {
            weights: weights.iter().map(|&weight| weight as f32).collect(),
            ..linear.clone()
        }),
        ..program.clone()
    }
}

/// The program of weights out of training, which are rounded.
pub(super) fn rounded(program: &Program) -> Program {
    match &program.readout {
        Readout::Linear(linear) => with(program, linear, &whole(linear, &linear.weights, GRAIN)),
        Readout::Table(..) => program.clone(),
    }
}

/// The program with whole weights with which more labels are right, if some are found: fitted, and
/// searched one by one.
pub(super) fn searched(program: &Program, linear: &Linear, data: &Encoded, stop: &Stop) -> Program {
    let places = Places::new(program, linear, data);
    let mut fitted: Vec<f32> = linear.weights.iter().map(|weight| weight / GRAIN).collect();
    places.fit(&mut fitted, linear.labels, ROUNDS.0, stop);
    let starts = [
        whole(linear, &linear.weights, 1.0),
        whole(linear, &fitted, GRAIN),
    ];
    let found =
        starts.map(|weights| Search::new(&places, linear.labels, weights).climb(PASSES.0, stop));
    let [old, new] = found;
    let best = if new.right > old.right { new } else { old };
    with(program, linear, &best.weights)
}

/// The program with fewer variables and smaller weights in its sums. Each variable that goes may make so
/// many more labels wrong as [`WORTH`] says: of those that the program is made from, and of those that
/// programs are chosen by.
pub(super) fn lighter(program: &Program, data: &Data, stop: &Stop) -> Program {
    let program = &reading(program);
    let Readout::Linear(linear) = &program.readout else {
        return program.clone();
    };
    let labels = linear.labels;
    let places = Places::new(program, linear, &data.train);
    let others = Places::new(program, linear, &data.choose);
    let mut best = whole(linear, &linear.weights, 1.0);
    let goal = places.right(&best, labels);
    let other_goal = others.right(&best, labels);
    let is_good = |found: &Search, gone: usize| {
        let enough =
            |right: usize, goal: usize, all: usize| right + (all - goal) * gone / WORTH >= goal;
        let other_right = others.right(&found.weights, labels);
        enough(found.right, goal, places.labels.len())
            && enough(other_right, other_goal, others.labels.len())
    };
    let rows = |column: usize| {
        let start = places.columns[column].1;
        let size = match places.columns[column].0 {
            Column::Values(_) => linear.d,
            Column::Numbers(_) => 1,
        };
        start * labels..(start + size) * labels
    };
    let without = |weights: &[i32], columns: &[usize]| {
        let mut weights = weights.to_vec();
        for &column in columns {
            weights[rows(column)].fill(0);
        }
        weights
    };
    let is_read = |column: &usize| best[rows(*column)].iter().any(|weight| *weight != 0);
    let mut left: Vec<usize> = (0..places.columns.len()).filter(is_read).collect();
    let cost = |&column: &usize| goal.abs_diff(places.right(&without(&best, &[column]), labels));
    left.sort_by_cached_key(cost);
    let (mut together, mut needed) = (left.len() / 2, 0);
    let mut gone: Vec<usize> = Vec::new();
    while !left.is_empty() && needed < NEEDED && !stop() {
        together = together.clamp(1, left.len());
        gone.extend(&left[..together]);
        let start = without(&best, &gone);
        let mut fitted: Vec<f32> = start.iter().map(|&weight| weight as f32 / GRAIN).collect();
        places.fit(&mut fitted, labels, ROUNDS.1, stop);
        let start = without(&whole(linear, &fitted, GRAIN), &gone);
        let found = Search::new(&places, labels, start).climb(PASSES.1, stop);
        if is_good(&found, gone.len()) {
            best = found.weights;
            left.drain(..together);
            needed = 0;
            continue;
        }
        gone.truncate(gone.len() - together);
        if together == 1 {
            left.remove(0);
            needed += 1;
        }
        together /= 2;
    }
    while best.iter().any(|weight| weight.abs() > 1) && !stop() {
        let half = best.iter().map(|weight| weight / 2).collect();
        let found = Search::new(&places, labels, half).climb(PASSES.0, stop);
        if !is_good(&found, gone.len()) {
            break;
        }
        best = found.weights;
    }
    reading(&with(program, linear, &best))
}

/// The program whose sums read each variable once, and none whose weights are all 0.
fn reading(program: &Program) -> Program {
    let Readout::Linear(linear) = &program.readout else {
        return program.clone();
    };
    let (labels, d) = (linear.labels, linear.d);
    let (categorical, numerical) = linear
        .weights
        .split_at(linear.categorical.len() * d * labels);
    let (categorical, mut weights) = once(&linear.categorical, categorical, d * labels);
    let (numerical, more) = once(&linear.numerical, numerical, labels);
    weights.extend(more);
    Program {
        readout: Readout::Linear(Linear {
            labels,
            d,
            categorical,
            numerical,
            weights,
        }),
        ..program.clone()
    }
}

/// Variables, each once, with the sums of their weights, without those whose weights are all 0.
fn once<T: Copy + PartialEq>(variables: &[T], weights: &[f32], size: usize) -> (Vec<T>, Vec<f32>) {
    let mut found: Vec<(T, Vec<f32>)> = Vec::new();
    for (&variable, weights) in variables.iter().zip(weights.chunks(size)) {
        match found.iter_mut().find(|(known, _)| *known == variable) {
            Some((_, sums)) => {
                let pairs = sums.iter_mut().zip(weights);
                pairs.for_each(|(sum, weight)| *sum += weight);
            }
            None => found.push((variable, weights.to_vec())),
        }
    }
    found.retain(|(_, weights)| weights.iter().any(|weight| *weight != 0.0));
    let (variables, weights): (Vec<T>, Vec<Vec<f32>>) = found.into_iter().unzip();
    (variables, weights.concat())
}
