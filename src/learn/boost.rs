//! What sums of weights lack: tables of two variables, each that by which the loss falls most (gradient
//! boosting, Friedman 2001, of pairs as in Lou et al. 2013). Depends on `pool` and `readout`.

use super::grow::spread;
use super::pool::{Codes, Pool};
use super::program::{Linear, Module, Program, Readout, Rule, Variable, largest};
use super::readout::GRAIN;
use super::train::Stop;
use std::collections::BTreeMap;

/// Tables at most.
const MOST: usize = 24;
/// Pairs of values that a table tells apart at most.
const PAIRS: usize = 400;
/// What the curvature of the loss is increased by, so that rare pairs count for little.
const CAUTION: f32 = 4.0;
/// The least curvature of a place: where it vanishes steps would be too long.
const FLOOR: f32 = 0.1;
/// How often the pairs of a table are put together anew.
const ROUNDS: usize = 8;

/// The program of some modules and weights whose sums read more tables: as many as gain more than they
/// cost (the information criterion of Schwarz 1978).
pub(super) fn boosted(mut pool: Pool, mut linear: Linear, stop: &Stop) -> Program {
    let mut codes: Vec<Option<Codes>> = (pool.columns.iter())
        .map(|column| pool.codes(column))
        .collect();
    let of = linear.labels;
    let mut sums = vec![0.0; pool.asked.len() * of];
    for (&at, sums) in pool.asked.iter().zip(sums.chunks_mut(of)) {
        linear.sums(&pool.columns, at, sums);
        sums.iter_mut().for_each(|sum| *sum /= GRAIN);
    }
    let weights = (linear.d - 1) * (of - 1);
    let cost = weights as f32 * (pool.asked.len() as f32).ln();
    for _ in 0..MOST {
        let slopes = Slopes::new(&pool, &sums, of);
        let Some((gain, a, b)) = slopes.best(&pool, &codes, stop) else {
            break;
        };
        if gain < cost {
            break;
        }
        let (table, steps) = slopes.table(&pool, a, b);
        let made = pool.push(Module::Map(Rule::Table(table, 0), a, b));
        codes.push(pool.codes(&pool.columns[made]));
        for (&at, sums) in pool.asked.iter().zip(sums.chunks_mut(of)) {
            let value = pool.columns[made][at] as usize;
            add(sums, &steps[value * of..][..of]);
        }
        let end = linear.categorical.len() * linear.d * of;
        let steps = steps.iter().map(|step| (step * GRAIN).round());
        linear.weights.splice(end..end, steps);
        linear.categorical.push(made);
    }
    Program {
        modules: pool.modules,
        readout: Readout::Linear(linear),
    }
    .pruned()
}

fn add(sums: &mut [f32], more: &[f32]) {
    sums.iter_mut()
        .zip(more)
        .for_each(|(sum, more)| *sum += more);
}

/// The loss at each place, by the sum of each label: `[places, labels]`.
struct Slopes {
    labels: usize,
    /// How the loss falls when a sum grows.
    gradient: Vec<f32>,
    curvature: Vec<f32>,
}

/// Sums of gradients and of curvatures over some places, of each label.
#[derive(Clone)]
struct Cell {
    gradient: Vec<f32>,
    curvature: Vec<f32>,
}

impl Cell {
    fn new(labels: usize) -> Cell {
        Cell {
            gradient: vec![0.0; labels],
            curvature: vec![0.0; labels],
        }
    }

    fn include(&mut self, other: &Cell) {
        add(&mut self.gradient, &other.gradient);
        add(&mut self.curvature, &other.curvature);
    }

    /// What Newton's method adds to the sums.
    fn step(&self) -> Vec<f32> {
        let pairs = self.gradient.iter().zip(&self.curvature);
        pairs.map(|(g, h)| g / (h + CAUTION)).collect()
    }

    /// What another step loses, against its own.
    fn loss(&self, own: &[f32], step: &[f32]) -> f32 {
        let steps = own.iter().zip(step).zip(&self.curvature);
        steps.map(|((own, step), h)| (own - step).powi(2) * h).sum()
    }
}

impl Slopes {
    fn new(pool: &Pool, sums: &[f32], labels: usize) -> Slopes {
        let mut gradient = vec![0.0; sums.len()];
        let mut curvature = vec![0.0; sums.len()];
        for (place, sums) in sums.chunks(labels).enumerate() {
            let most = sums[1..].iter().copied().fold(f32::MIN, f32::max);
            let total: f32 = sums[1..].iter().map(|sum| (sum - most).exp()).sum();
            for (label, sum) in sums.iter().enumerate().skip(1) {
                let share = (sum - most).exp() / total;
                let at = place * labels + label;
                gradient[at] = f32::from(label == pool.label(place)) - share;
                curvature[at] = (share * (1.0 - share)).max(FLOOR);
            }
        }
        Slopes {
            labels,
            gradient,
            curvature,
        }
    }

    /// The two variables with whose table the loss falls most, and twice how far it falls.
    fn best(
        &self,
        pool: &Pool,
        codes: &[Option<Codes>],
        stop: &Stop,
    ) -> Option<(f32, Variable, Variable)> {
        let mut best: Option<(f32, Variable, Variable)> = None;
        for (b, y) in codes.iter().enumerate() {
            if stop() {
                return None;
            }
            for (a, x) in codes[..=b].iter().enumerate() {
                // A table of the family reads two categorical variables, or two numbers.
                let (Some(x), Some(y), true) = (x, y, pool.is_number(a) == pool.is_number(b))
                else {
                    continue;
                };
                if x.count * y.count > PAIRS {
                    continue;
                }
                let gain = self.gain(x, y);
                if best.is_none_or(|(most, ..)| gain > most) {
                    best = Some((gain, a, b));
                }
            }
        }
        best
    }

    fn gain(&self, x: &Codes, y: &Codes) -> f32 {
        let of = self.labels;
        let mut sums = vec![(0.0f32, CAUTION); x.count * y.count * of];
        let slopes = self.gradient.chunks(of).zip(self.curvature.chunks(of));
        for (place, (gradient, curvature)) in slopes.enumerate() {
            let cell = &mut sums[x.with(y, place) * of..][..of];
            for ((g, h), (gradient, curvature)) in
                cell.iter_mut().zip(gradient.iter().zip(curvature))
            {
                *g += gradient;
                *h += curvature;
            }
        }
        sums.iter().map(|(g, h)| g * g / h).sum()
    }

    /// A table of two variables: pairs of values with like steps have one value, of as many as a
    /// variable has; with the step of each value.
    fn table(
        &self,
        pool: &Pool,
        a: Variable,
        b: Variable,
    ) -> (BTreeMap<(i32, i32), i32>, Vec<f32>) {
        let of = self.labels;
        let mut cells: BTreeMap<(i32, i32), Cell> = BTreeMap::new();
        for (place, &at) in pool.asked.iter().enumerate() {
            let pair = (pool.columns[a][at], pool.columns[b][at]);
            let cell = cells.entry(pair).or_insert_with(|| Cell::new(of));
            add(&mut cell.gradient, &self.gradient[place * of..][..of]);
            add(&mut cell.curvature, &self.curvature[place * of..][..of]);
        }
        let all: Vec<&Cell> = cells.values().collect();
        let (values, mut steps) = together(&all, pool.d, of);
        let pairs = cells.keys().copied().zip(values);
        let mut table = pairs.collect();
        spread(&mut table, a == b, 2);
        steps.resize(pool.d * of, 0.0);
        (table, steps)
    }
}

/// Cells with like steps have one value, of so many, of which the first begins as that of no step; the
/// step of each (Lloyd 1982, begun with what is farthest).
fn together(cells: &[&Cell], most: usize, labels: usize) -> (Vec<i32>, Vec<f32>) {
    let own: Vec<Vec<f32>> = cells.iter().map(|cell| cell.step()).collect();
    let loss = |at: usize, step: &[f32]| cells[at].loss(&own[at], step);
    let mut steps = vec![vec![0.0; labels]];
    let mut losses: Vec<f32> = (0..cells.len()).map(|at| loss(at, &steps[0])).collect();
    while steps.len() < most.min(cells.len()) {
        let farthest = own[largest(&losses)].clone();
        for (at, least) in losses.iter_mut().enumerate() {
            *least = least.min(loss(at, &farthest));
        }
        steps.push(farthest);
    }
    let mut values = vec![0; cells.len()];
    for _ in 0..ROUNDS {
        let mut sums = vec![Cell::new(labels); steps.len()];
        for (at, value) in values.iter_mut().enumerate() {
            let losses: Vec<f32> = steps.iter().map(|step| -loss(at, step)).collect();
            *value = largest(&losses);
            sums[*value].include(cells[at]);
        }
        steps = sums.iter().map(Cell::step).collect();
    }
    let values = values.into_iter().map(|value| value as i32);
    (values.collect(), steps.concat())
}
