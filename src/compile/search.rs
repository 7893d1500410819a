//! Finds one linear combination of axes that a function is a staircase of, with few steps. First
//! single axes, then sums, differences and two-digit numbers of pairs, then of triples; a number
//! with one digit for each variable always works, if floats can tell its values apart.

use super::axis::Axis;
use super::form::Form;
use super::steps::{Staircase, staircase};
use rustc_hash::FxHashMap;

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

/// Rows of combinations that are looked at before the search settles for what it has.
const WORK: usize = 40_000_000;

/// The staircase with the fewest steps that `target` is on some combination of the axes; `all`
/// names one axis for each variable, which together determine the row.
pub fn search(axes: &[Axis], all: &[usize], target: &[f64]) -> Option<Found> {
    let stride = target.len().div_ceil(SAMPLE).max(1);
    let (mut rows, others): (Vec<usize>, Vec<usize>) = (0..target.len())
        .filter(|row| !target[*row].is_nan())
        .partition(|row| row % stride == 0);
    rows.extend(others);
    let mut search = Search {
        target,
        rows,
        best: None,
        work: 0,
    };
    for axis in axes {
        search.consider(|row| axis.values[row], || axis.form.clone());
    }
    if search.settled(1) {
        return search.best;
    }
    for (a, first) in axes.iter().enumerate() {
        for second in &axes[a + 1..] {
            for sum in sums(first, second) {
                search.sum(sum);
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

/// `first + factor · second`, not yet computed.
#[derive(Clone, Copy)]
struct Sum<'a> {
    first: &'a Axis,
    factor: f64,
    second: &'a Axis,
}

impl Sum<'_> {
    fn at(&self, row: usize) -> f64 {
        self.first.values[row] + self.factor * self.second.values[row]
    }

    fn form(&self) -> Form {
        self.first.form.clone().plus(self.factor, &self.second.form)
    }

    fn axis(&self) -> Axis {
        let rows = 0..self.first.values.len();
        Axis::new(rows.map(|row| self.at(row)).collect(), self.form())
    }
}

struct Search<'t> {
    target: &'t [f64],
    /// The rows that have a target, some from everywhere first: most combinations fail on these.
    rows: Vec<usize>,
    best: Option<Found>,
    work: usize,
}

impl Search<'_> {
    fn consider(&mut self, at: impl Fn(usize) -> f64, form: impl FnOnce() -> Form) {
        if self.work > WORK && self.best.is_some() {
            return;
        }
        let Some(points) = self.points(at) else {
            return;
        };
        let Some(stairs) = staircase(points) else {
            return;
        };
        let cost = |stairs: &Staircase| (stairs.steps.len(), stairs.precision);
        let better = match &self.best {
            Some(best) => cost(&stairs) < cost(&best.stairs),
            None => true,
        };
        if better && stairs.precision <= MOST_PRECISION {
            self.best = Some(Found {
                argument: form(),
                stairs,
            });
        }
    }

    fn sum(&mut self, sum: Sum) {
        self.consider(|row| sum.at(row), || sum.form());
    }

    /// The arguments with their targets, each once; `None` if an argument has two.
    fn points(&mut self, at: impl Fn(usize) -> f64) -> Option<Vec<(f64, f64)>> {
        let mut points: FxHashMap<u64, f64> = FxHashMap::default();
        for row in &self.rows {
            self.work += 1;
            // Adding 0 makes -0 the same argument as 0.
            let argument = (at(*row) + 0.0).to_bits();
            let target = self.target[*row];
            if *points.entry(argument).or_insert(target) != target {
                return None;
            }
        }
        let points = points.into_iter();
        Some(points.map(|(bits, y)| (f64::from_bits(bits), y)).collect())
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
            for pair in sums(first, second) {
                if self.work > WORK {
                    return;
                }
                let both = pair.axis();
                // Computing it and its spread costs as much as a few looks at each row.
                self.work += 4 * both.values.len();
                for sum in sums(&both, third) {
                    self.sum(sum);
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
                let Some(longer) = two_digits(&axes[axis], &number) else {
                    return;
                };
                number = longer.axis();
            }
            self.consider(|row| number.values[row], || number.form.clone());
        }
    }
}

/// The combinations of two axes that are tried.
fn sums<'a>(a: &'a Axis, b: &'a Axis) -> impl Iterator<Item = Sum<'a>> {
    let plain = [1.0, -1.0].map(|factor| Sum {
        first: b,
        factor,
        second: a,
    });
    let digits = [two_digits(a, b), two_digits(b, a)];
    plain.into_iter().chain(digits.into_iter().flatten())
}

/// `high` and `low` as one number: `high` scaled until its smallest gap exceeds the range of
/// `low`.
fn two_digits<'a>(high: &'a Axis, low: &'a Axis) -> Option<Sum<'a>> {
    let (low_range, low_gap) = low.spread()?;
    let (_, high_gap) = high.spread()?;
    Some(Sum {
        first: low,
        factor: ((low_range + low_gap) / high_gap).ceil().max(1.0),
        second: high,
    })
}
