//! Sums that labels are read from: tables of two variables, each of points for one label, and each that
//! by which the loss falls most (gradient boosting, Friedman 2001, of pairs as in Lou et al. 2013), less
//! what it costs (the information criterion of Schwarz 1978). Depends on `pool` and `grow`.

use super::data::Data;
use super::grow::spread;
use super::pool::{Codes, Pool, Taken};
use super::program::{Linear, Module, Program, Readout, Rule, Variable, largest};
use super::train::Stop;
use std::collections::BTreeMap;
use std::ops::Range;

/// Tables at most.
const MOST: usize = 32;
/// A module that nothing reads yet costs as much to read as so many numbers of a table.
const MODULE: usize = 20;
/// Pairs of values that a table tells apart at most.
const PAIRS: usize = 400;
/// What the curvature of the loss is increased by, so that rare pairs count for little.
const CAUTION: f32 = 4.0;
/// The least curvature of a place: where it vanishes steps would be too long.
const FLOOR: f32 = 0.1;
/// How often the pairs of a table are put together anew.
const ROUNDS: usize = 8;
/// How often all points are fitted when a table has come, and when the last one has.
const FITS: (usize, usize) = (2, 20);
/// What points are multiplied by before they are rounded: the first with which no more than one of 200
/// labels is lost against the last.
const GRAINS: [f32; 6] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];

/// The program of some modules whose labels have the most points: of tables that are added one by one,
/// as long as they gain much.
pub fn summed(mut pool: Pool, data: &Data, stop: &Stop) -> Program {
    let labels = data.labels.len() + 1;
    let codes: Vec<Option<Codes>> = (pool.columns.iter())
        .map(|column| pool.codes(column))
        .collect();
    let wanted = (0..pool.asked.len()).map(|place| pool.label(place));
    let mut sums = Sums {
        labels,
        wanted: wanted.collect(),
        sums: vec![0.0; pool.asked.len() * labels],
        terms: (1..labels)
            .map(|label| Term::of(None, label, &pool))
            .collect(),
    };
    sums.fit(FITS.0);
    let mut taken = Taken::new(&pool);
    for _ in 0..MOST {
        let Some(Choice { a, b, label, .. }) = sums.best(&pool, &codes, &taken, stop) else {
            break;
        };
        let read = match a == b && !pool.is_number(a) {
            true => a,
            false => pool.push(Module::Map(sums.table(&pool, (a, b), label), a, b)),
        };
        taken.take(a);
        taken.take(b);
        sums.terms.push(Term::of(Some(read), label, &pool));
        sums.fit(FITS.0);
    }
    sums.fit(FITS.1);
    let program = |grain: f32| Program {
        modules: pool.modules.clone(),
        readout: Readout::Linear(sums.linear(pool.d, grain)),
    };
    let right = |grain: &f32| program(*grain).score(&data.train).labels_right;
    let [first, .., last] = GRAINS;
    let goal = right(&last);
    let is_enough = |grain: &f32| right(grain) + goal / 200 >= goal;
    let grain = GRAINS.into_iter().find(is_enough).unwrap_or(first);
    program(grain).pruned()
}

/// A table of two variables, of points for a label.
struct Choice {
    /// Twice how far the loss falls, less what the table costs.
    gain: f32,
    a: Variable,
    b: Variable,
    label: usize,
}

/// Points for one label, for each value of a variable, or everywhere.
struct Term {
    read: Option<Variable>,
    label: usize,
    /// The value at each place.
    values: Vec<u8>,
    points: Vec<f32>,
}

impl Term {
    fn of(read: Option<Variable>, label: usize, pool: &Pool) -> Term {
        let most = pool.d as i32 - 1;
        let value = |at: usize| read.map_or(0, |read| pool.columns[read][at].clamp(0, most) as u8);
        Term {
            read,
            label,
            values: pool.asked.iter().map(|&at| value(at)).collect(),
            points: vec![0.0; if read.is_some() { pool.d } else { 1 }],
        }
    }
}

/// How the loss falls when the points of a label grow, and its curvature, at one place or at several.
#[derive(Clone, Copy, Default)]
struct Slope {
    gradient: f32,
    curvature: f32,
}

impl Slope {
    fn include(&mut self, other: Slope) {
        self.gradient += other.gradient;
        self.curvature += other.curvature;
    }

    /// What Newton's method adds to the points.
    fn step(self) -> f32 {
        self.gradient / (self.curvature + CAUTION)
    }

    /// What it gains.
    fn gain(self) -> f32 {
        self.gradient * self.step()
    }

    /// What another step loses, against its own.
    fn loss(self, step: f32) -> f32 {
        (self.step() - step).powi(2) * self.curvature
    }
}

/// What each label has at each place: `[places, labels]`, and of which terms.
struct Sums {
    labels: usize,
    wanted: Vec<usize>,
    sums: Vec<f32>,
    terms: Vec<Term>,
}

impl Sums {
    /// The slopes of some labels at each place: `[places, labels]`.
    fn slopes(&self, of: Range<usize>) -> Vec<Slope> {
        let mut slopes = Vec::with_capacity(self.wanted.len() * of.len());
        for (sums, &wanted) in self.sums.chunks(self.labels).zip(&self.wanted) {
            let most = sums[1..].iter().copied().fold(f32::MIN, f32::max);
            let total: f32 = sums[1..].iter().map(|sum| (sum - most).exp()).sum();
            slopes.extend(of.clone().map(|label| {
                let share = (sums[label] - most).exp() / total;
                Slope {
                    gradient: f32::from(label == wanted) - share,
                    curvature: (share * (1.0 - share)).max(FLOOR),
                }
            }));
        }
        slopes
    }

    /// Points of each term in turn by Newton's method, so often.
    fn fit(&mut self, rounds: usize) {
        for _ in 0..rounds {
            for term in 0..self.terms.len() {
                let label = self.terms[term].label;
                let slopes = self.slopes(label..label + 1);
                let Term { values, points, .. } = &mut self.terms[term];
                let mut cells = vec![Slope::default(); points.len()];
                for (value, slope) in values.iter().zip(slopes) {
                    cells[usize::from(*value)].include(slope);
                }
                for (place, value) in values.iter().enumerate() {
                    self.sums[place * self.labels + label] += cells[usize::from(*value)].step();
                }
                for (points, cell) in points.iter_mut().zip(cells) {
                    *points += cell.step();
                }
            }
        }
    }

    /// The table by which the loss falls most beyond what the table costs; none if that is nothing, or if
    /// `stop` says so.
    fn best(
        &self,
        pool: &Pool,
        codes: &[Option<Codes>],
        taken: &Taken,
        stop: &Stop,
    ) -> Option<Choice> {
        let slopes = self.slopes(1..self.labels);
        let of = self.labels - 1;
        let price = (self.wanted.len() as f32).ln();
        let mut best: Option<Choice> = None;
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
                let mut cells = vec![Slope::default(); x.count * y.count * of];
                for (place, slopes) in slopes.chunks(of).enumerate() {
                    let cells = &mut cells[x.with(y, place) * of..][..of];
                    for (cell, slope) in cells.iter_mut().zip(slopes) {
                        cell.include(*slope);
                    }
                }
                let count = if a == b { x.count } else { x.count * y.count };
                let cost = price * (count + MODULE * taken.more(&[a, b])) as f32;
                for label in 1..self.labels {
                    let cells = cells.iter().skip(label - 1).step_by(of);
                    let gain = cells.map(|cell| cell.gain()).sum::<f32>() - cost;
                    if gain > best.as_ref().map_or(0.0, |best| best.gain) {
                        best = Some(Choice { gain, a, b, label });
                    }
                }
            }
        }
        best
    }

    /// A table of two variables: pairs of values with like steps have one value, of as many as a
    /// variable has.
    fn table(&self, pool: &Pool, (a, b): (Variable, Variable), label: usize) -> Rule {
        let slopes = self.slopes(label..label + 1);
        let mut cells: BTreeMap<(i32, i32), Slope> = BTreeMap::new();
        for (&at, slope) in pool.asked.iter().zip(slopes) {
            let pair = (pool.columns[a][at], pool.columns[b][at]);
            cells.entry(pair).or_default().include(slope);
        }
        let all: Vec<Slope> = cells.values().copied().collect();
        let mut table = cells.keys().copied().zip(together(&all, pool.d)).collect();
        spread(&mut table, a == b, 2);
        Rule::Table(table, 0)
    }

    /// The terms as weights of whole numbers.
    fn linear(&self, d: usize, grain: f32) -> Linear {
        let mut linear = Linear {
            labels: self.labels,
            d,
            categorical: self.terms.iter().filter_map(|term| term.read).collect(),
            numerical: vec![None],
            weights: Vec::new(),
        };
        let mut constants = vec![0.0; self.labels];
        for term in &self.terms {
            let points = term.points.iter().map(|points| (points * grain).round());
            match term.read {
                None => constants[term.label] += points.sum::<f32>(),
                Some(_) => {
                    for points in points {
                        let start = linear.weights.len();
                        linear.weights.resize(start + self.labels, 0.0);
                        linear.weights[start + term.label] = points;
                    }
                }
            }
        }
        linear.weights.extend(constants);
        linear
    }
}

/// Cells with like steps have one value, of so many (Lloyd 1982, begun with what is farthest).
fn together(cells: &[Slope], most: usize) -> Vec<i32> {
    let mut steps = vec![0.0];
    let mut losses: Vec<f32> = cells.iter().map(|cell| cell.loss(0.0)).collect();
    while steps.len() < most.min(cells.len()) {
        let farthest = cells[largest(&losses)].step();
        for (cell, least) in cells.iter().zip(&mut losses) {
            *least = least.min(cell.loss(farthest));
        }
        steps.push(farthest);
    }
    let mut values = vec![0; cells.len()];
    for _ in 0..ROUNDS {
        let mut sums = vec![Slope::default(); steps.len()];
        for (cell, value) in cells.iter().zip(&mut values) {
            let losses: Vec<f32> = steps.iter().map(|step| -cell.loss(*step)).collect();
            *value = largest(&losses);
            sums[*value].include(*cell);
        }
        steps = sums.into_iter().map(Slope::step).collect();
    }
    values.into_iter().map(|value| value as i32).collect()
}
