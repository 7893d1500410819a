//! Finds one linear combination of axes that a function is a staircase of, with few steps. First
//! single axes, then sums, differences and two-digit numbers of pairs, then of triples; a number
//! with one digit for each variable always works, if floats can tell its values apart.

use super::axis::{Axis, spread};
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

/// Up to this precision another combination of as few steps is not looked for.
const EASY_PRECISION: f64 = 64.0;

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
    let mut seen = Seen::default();
    let rows = distinct(axes, target, rows, &mut seen)?;
    let target: Vec<f64> = rows.iter().map(|row| target[*row]).collect();
    let axes: Vec<Axis> = axes.iter().map(|axis| axis.at_rows(&rows)).collect();
    let axes = axes.as_slice();
    let mut search = Search {
        target: &target,
        seen,
        rows: (0..rows.len()).collect(),
        best: None,
        fewest_steps: count_distinct(&target).saturating_sub(1),
        work: 0,
    };
    for axis in axes {
        search.each(&[axis], |search, axes| search.single(&axes[0]));
    }
    if search.settled(1) {
        return search.best;
    }
    for (a, first) in axes.iter().enumerate() {
        for second in &axes[a + 1..] {
            search.each(&[first, second], |search, axes| {
                sums(&axes[0], &axes[1]).for_each(|sum| search.sum(sum));
            });
        }
    }
    if search.settled(2) {
        return search.best;
    }
    for (a, first) in axes.iter().enumerate() {
        for (b, second) in axes.iter().enumerate().skip(a + 1) {
            for third in &axes[b + 1..] {
                search.each(&[first, second, third], |search, axes| {
                    search.triples(&axes[0], &axes[1], &axes[2]);
                });
            }
        }
    }
    if search.best.is_none() {
        search.digits(axes, all);
    }
    search.best
}

fn count_distinct(numbers: &[f64]) -> usize {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.dedup();
    sorted.len()
}

/// The first row of each combination of the axes' values; `None` if one has two targets, so that
/// no combination of the axes tells them apart.
fn distinct(
    axes: &[Axis],
    target: &[f64],
    rows: Vec<usize>,
    seen: &mut Seen,
) -> Option<Vec<usize>> {
    let mut numbers = vec![0u64; rows.len()];
    let mut count = 1u64;
    for axis in axes {
        if count.checked_mul(axis.count()).is_none() {
            seen.clear(rows.len());
            count = 0;
            for number in &mut numbers {
                let next = count as f64;
                let known = seen.get_or_insert(*number, next);
                count += u64::from(known.is_none());
                *number = known.unwrap_or(next) as u64;
            }
        }
        for (number, row) in numbers.iter_mut().zip(&rows) {
            *number = *number * axis.count() + axis.number(*row);
        }
        count = count.checked_mul(axis.count())?;
    }
    seen.clear(rows.len());
    let mut found = Vec::new();
    for (number, row) in numbers.into_iter().zip(rows) {
        match seen.get_or_insert(number, target[row]) {
            None => found.push(row),
            Some(known) if known == target[row] => {}
            Some(_) => return None,
        }
    }
    Some(found)
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
        self.first.value(row) + self.factor * self.second.value(row)
    }

    fn form(&self) -> Form {
        self.first.form.clone().plus(self.factor, &self.second.form)
    }

    /// Its values as an axis, without its form.
    fn axis(&self) -> Axis {
        let rows = 0..self.first.rows();
        Axis::of_rows(rows.map(|row| self.at(row)).collect())
    }
}

struct Search<'t> {
    target: &'t [f64],
    /// The rows that have a target, some from everywhere first: most combinations fail on these.
    rows: Vec<usize>,
    seen: Seen,
    best: Option<Found>,
    /// A step leads from each value of the target to the next, at least.
    fewest_steps: usize,
    work: usize,
}

impl Search<'_> {
    /// Tries combinations of some axes, if the target is a function of their values at all, on one
    /// row for each combination of values.
    fn each(&mut self, axes: &[&Axis], combine: impl FnOnce(&mut Search, &[Axis])) {
        if self.work > WORK || (axes.len() > 2 && self.is_ideal()) {
            return;
        }
        let Some(rows) = self.one_of_each(axes) else {
            return;
        };
        let target: Vec<f64> = rows.iter().map(|row| self.target[*row]).collect();
        let axes: Vec<Axis> = axes.iter().map(|axis| axis.at_rows(&rows)).collect();
        let mut search = Search {
            target: &target,
            rows: (0..rows.len()).collect(),
            seen: std::mem::take(&mut self.seen),
            best: self.best.take(),
            fewest_steps: self.fewest_steps,
            work: self.work,
        };
        combine(&mut search, &axes);
        (self.seen, self.best, self.work) = (search.seen, search.best, search.work);
    }

    /// The first row of each combination of values; `None` if one has two targets.
    fn one_of_each(&mut self, axes: &[&Axis]) -> Option<Vec<usize>> {
        self.seen.clear(self.rows.len());
        let mut found = Vec::new();
        for row in &self.rows {
            self.work += 1;
            let digits = axes.iter();
            let number = digits.fold(0u64, |number, axis| {
                number.wrapping_mul(axis.count()) + axis.number(*row)
            });
            match self.seen.get_or_insert(number, self.target[*row]) {
                None => found.push(*row),
                Some(target) if target == self.target[*row] => {}
                Some(_) => return None,
            }
        }
        Some(found)
    }

    fn single(&mut self, axis: &Axis) {
        self.consider(|row| axis.value(row), || axis.form.clone());
    }

    fn consider(&mut self, at: impl Fn(usize) -> f64, form: impl FnOnce() -> Form) {
        if self.work > WORK && self.best.is_some() {
            return;
        }
        let Some(points) = self.points(at) else {
            return;
        };
        self.keep_better(points, form);
    }

    /// The staircase through some points, if it is better than what was found before.
    fn keep_better(&mut self, points: Vec<(f64, f64)>, form: impl FnOnce() -> Form) {
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
        self.seen.clear(self.rows.len());
        let mut points = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            self.work += 1;
            // Adding 0 makes -0 the same argument as 0.
            let argument = at(*row) + 0.0;
            let target = self.target[*row];
            match self.seen.get_or_insert(argument.to_bits(), target) {
                None => points.push((argument, target)),
                Some(known) if known == target => {}
                Some(_) => return None,
            }
        }
        Some(points)
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

    /// Whether there can be no fewer steps, and floats tell the arguments apart with ease.
    fn is_ideal(&self) -> bool {
        self.best.as_ref().is_some_and(|best| {
            best.stairs.steps.len() <= self.fewest_steps && best.stairs.precision <= EASY_PRECISION
        })
    }

    fn triples(&mut self, a: &Axis, b: &Axis, c: &Axis) {
        for (first, second, third) in [(a, b, c), (a, c, b), (b, c, a)] {
            for pair in sums(first, second) {
                if self.work > WORK || self.is_ideal() {
                    return;
                }
                let both = pair.axis();
                // Computing it and its spread costs as much as a few looks at each row.
                self.work += 4 * both.rows();
                for sum in sums(&both, third) {
                    let form = || match std::ptr::eq(sum.first, &both) {
                        true => pair.form().plus(sum.factor, &third.form),
                        false => third.form.clone().plus(sum.factor, &pair.form()),
                    };
                    self.consider(|row| sum.at(row), form);
                }
            }
        }
    }

    /// One digit for each variable, in every rotation of their order.
    fn digits(&mut self, axes: &[Axis], all: &[usize]) {
        for start in 0..all.len() {
            let order = all[start..].iter().chain(&all[..start]);
            let mut order: Vec<&Axis> = order.map(|at| &axes[*at]).collect();
            let Some(first) = order.pop() else {
                return;
            };
            let mut form = first.form.clone();
            // The rows in order of their numbers, which a digit before them keeps within its own.
            let mut rows = first.sorted(&self.rows);
            let mut numbers: Vec<f64> = self.rows.iter().map(|row| first.value(*row)).collect();
            for axis in order {
                let low = spread(rows.iter().map(|row| numbers[*row]).collect());
                let Some(factor) = digit(axis.spread(), low) else {
                    return;
                };
                form = form.plus(factor, &axis.form);
                rows = axis.sorted(&rows);
                for row in &rows {
                    numbers[*row] += factor * axis.value(*row);
                }
            }
            self.work += rows.len();
            let points = rows.iter().map(|row| (numbers[*row], self.target[*row]));
            self.keep_better(points.collect(), || form);
            if self.is_ideal() {
                return;
            }
        }
    }
}

/// The targets seen with some numbers. Forgetting them all takes no time, since most combinations
/// are given up after a few rows.
#[derive(Default)]
struct Seen {
    /// A power of two of slots, at most half of them in use: a number, its target, and the round in
    /// which it was put there.
    slots: Vec<(u64, f64, u32)>,
    /// How many slots serve, so that few numbers stay close together.
    size: usize,
    round: u32,
}

impl Seen {
    /// Forgets all, for so many numbers at most.
    fn clear(&mut self, most: usize) {
        self.round += 1;
        self.size = (2 * most).next_power_of_two();
        if self.slots.len() < self.size {
            self.slots.resize(self.size, (0, 0.0, 0));
        }
    }

    /// The target of a number; if it has none, it gets one.
    fn get_or_insert(&mut self, number: u64, target: f64) -> Option<f64> {
        let mask = self.size - 1;
        // Multiplied by the golden ratio; the upper bits are the well mixed ones.
        let hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = (hash ^ (hash >> 32)) as usize & mask;
        loop {
            let (known, its_target, round) = self.slots[at];
            if round != self.round {
                self.slots[at] = (number, target, self.round);
                return None;
            }
            if known == number {
                return Some(its_target);
            }
            at = (at + 1) & mask;
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
    let factor = digit(high.spread(), low.spread())?;
    Some(Sum {
        first: low,
        factor,
        second: high,
    })
}

/// What makes the smallest gap of one number exceed the range of another; both are given by their
/// range and their smallest gap.
fn digit(high: Option<(f64, f64)>, low: Option<(f64, f64)>) -> Option<f64> {
    let ((_, high_gap), (low_range, low_gap)) = (high?, low?);
    Some(((low_range + low_gap) / high_gap).ceil().max(1.0))
}
