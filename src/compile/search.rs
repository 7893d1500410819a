//! Finds one linear combination of axes that a function is a staircase of, with few steps. First
//! single axes, then sums, differences and two-digit numbers of pairs, then of triples; a number
//! with one digit for each variable always works, if floats can tell its values apart.

use super::axis::Axis;
use super::form::Form;
use super::steps::{Staircase, staircase};

/// A function as a staircase of a form.
#[derive(Clone, Debug)]
pub struct Found {
    pub argument: Form,
    pub stairs: Staircase,
}

/// The range of an argument may be at most this many times its smallest gap, so that a float32
/// with its 24 bits still has a margin.
const MOST_PRECISION: f64 = 131_072.0;

/// How many rows a combination is first tried on.
const SAMPLE: usize = 400;

/// Rows times combinations that are tried before the search settles for what it has.
const WORK: usize = 40_000_000;

/// The staircase with the fewest steps that `target` is on some combination of the axes; `all`
/// names one axis for each variable, which together determine the row.
pub fn search(axes: &[Axis], all: &[usize], target: &[f64]) -> Option<Found> {
    let rows: Vec<usize> = (0..target.len())
        .filter(|row| !target[*row].is_nan())
        .collect();
    let stride = rows.len().div_ceil(SAMPLE).max(1);
    let mut search = Search {
        target,
        sample: rows.into_iter().step_by(stride).collect(),
        best: None,
        work: 0,
    };
    for axis in axes {
        search.consider(&axis.values, &axis.form);
    }
    if search.settled(1) {
        return search.best;
    }
    for (a, first) in axes.iter().enumerate() {
        for second in &axes[a + 1..] {
            for (values, form) in pairs(first, second) {
                search.consider(&values, &form);
            }
        }
    }
    if search.settled(2) {
        return search.best;
    }
    for (a, first) in axes.iter().enumerate() {
        for (b, second) in axes.iter().enumerate().skip(a + 1) {
            for third in &axes[b + 1..] {
                search.triples(first, second, third);
            }
        }
    }
    if search.best.is_none() {
        search.digits(axes, all);
    }
    search.best
}

struct Search<'t> {
    target: &'t [f64],
    /// Some rows that have a target: most combinations fail on them already.
    sample: Vec<usize>,
    best: Option<Found>,
    work: usize,
}

impl Search<'_> {
    fn consider(&mut self, values: &[f64], form: &Form) {
        if self.work > WORK && self.best.is_some() {
            return;
        }
        self.work += values.len();
        if self.fails_on_sample(values) {
            return;
        }
        let Some(stairs) = staircase(values, self.target) else {
            return;
        };
        let cost = |stairs: &Staircase| (stairs.steps.len(), stairs.precision);
        let better = match &self.best {
            Some(best) => cost(&stairs) < cost(&best.stairs),
            None => true,
        };
        if better && stairs.precision <= MOST_PRECISION {
            self.best = Some(Found {
                argument: form.clone(),
                stairs,
            });
        }
    }

    /// Whether equal arguments have different targets in the sample.
    fn fails_on_sample(&self, values: &[f64]) -> bool {
        let mut points: Vec<(f64, f64)> = self
            .sample
            .iter()
            .map(|row| (values[*row], self.target[*row]))
            .collect();
        points.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut pairs = points.windows(2);
        pairs.any(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1)
    }

    /// Whether more axes cannot be expected to need fewer steps.
    fn settled(&self, axes: usize) -> bool {
        let most = if axes == 1 { 4 } else { usize::MAX };
        self.work > WORK
            || self
                .best
                .as_ref()
                .is_some_and(|best| best.stairs.steps.len() <= most)
    }

    fn triples(&mut self, a: &Axis, b: &Axis, c: &Axis) {
        for (first, second, third) in [(a, b, c), (a, c, b), (b, c, a)] {
            for (values, form) in pairs(first, second) {
                if self.work > WORK {
                    return;
                }
                let both = Axis::new(values, form);
                for (values, form) in pairs(&both, third) {
                    self.consider(&values, &form);
                }
            }
        }
    }

    /// One digit for each variable, in every rotation of their order.
    fn digits(&mut self, axes: &[Axis], all: &[usize]) {
        for start in 0..all.len() {
            let mut order: Vec<usize> = all[start..].iter().chain(&all[..start]).copied().collect();
            let Some(first) = order.pop() else {
                return;
            };
            let mut number = axes[first].clone();
            for axis in order {
                let Some((values, form)) = two_digits(&axes[axis], &number) else {
                    return;
                };
                number = Axis::new(values, form);
            }
            self.consider(&number.values, &number.form);
        }
    }
}

/// The combinations of two axes that are tried.
fn pairs(a: &Axis, b: &Axis) -> Vec<(Vec<f64>, Form)> {
    let mut tried = vec![combine(1.0, a, b), combine(-1.0, a, b)];
    tried.extend(two_digits(a, b));
    tried.extend(two_digits(b, a));
    tried
}

/// `factor · a + b`
fn combine(factor: f64, a: &Axis, b: &Axis) -> (Vec<f64>, Form) {
    let values = a.values.iter().zip(&b.values);
    (
        values.map(|(a, b)| factor * a + b).collect(),
        b.form.clone().plus(factor, &a.form),
    )
}

/// `high` and `low` as one number: `high` scaled until its smallest gap exceeds the range of
/// `low`.
fn two_digits(high: &Axis, low: &Axis) -> Option<(Vec<f64>, Form)> {
    let (low_range, low_gap) = low.spread()?;
    let (_, high_gap) = high.spread()?;
    let factor = ((low_range + low_gap) / high_gap).ceil().max(1.0);
    Some(combine(factor, high, low))
}
