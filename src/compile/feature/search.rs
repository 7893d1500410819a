//! Finds one linear combination of axes that a function is a staircase of, with few steps. First
//! single axes, then sums, differences and two-digit numbers of pairs, then of triples; a number
//! with one digit for each variable always works, if floats can tell its values apart.

use super::axis::{Axis, spread};
use super::steps::{self, Staircase, staircase};
use crate::compile::linear::LinearRead;
use crate::plan::ascending;
use rustc_hash::FxHashMap;

/// A function as a staircase of a linear read.
#[derive(Clone, Debug)]
pub struct Found {
    pub argument: LinearRead,
    pub stairs: Staircase,
}

impl Found {
    pub fn steps(&self) -> usize {
        self.stairs.steps.len()
    }
}

/// The range of an argument may be at most this many times its smallest gap, so that a float32
/// with its 24 bits still has a margin.
pub const MOST_PRECISION: f64 = 131_072.0;

/// Up to this precision another combination of as few steps is not looked for.
const EASY_PRECISION: f64 = 64.0;

/// How many rows a combination is first tried on.
const SAMPLE: usize = 400;

/// Where combinations fail on rows among so many, others are not put before these.
const FIRST: usize = 16;

/// Rows of combinations that are looked at before the search settles for what it has.
const WORK: usize = 10_000_000;

/// The staircase with the fewest steps that `target` is on some combination of the axes; `all`
/// names one axis for each variable, which together determine the row. What tells axes apart is a power
/// of two where it is to be `dyadic`, as bfloat16 has few digits.
pub fn search(axes: &[Axis], all: &[usize], target: &[f64], dyadic: bool) -> Option<Found> {
    let mut seen = Seen::default();
    let rows = distinct(axes, target, &mut seen)?;
    let targets = rows.iter().map(|row| target[*row]);
    let mut search = Search {
        target,
        dyadic,
        axes,
        fewest_steps: ascending(targets.collect()).len().saturating_sub(1),
        rows,
        seen,
        spreads: FxHashMap::default(),
        best: None,
        work: 0,
    };
    for axis in axes {
        search.consider(|row| axis.value(row), || axis.read.clone());
    }
    if search.settled(1) {
        return search.best;
    }
    for (a, first) in axes.iter().enumerate() {
        for second in &axes[a + 1..] {
            if search.may_determine(&[first, second]) {
                sums(first, second, dyadic).for_each(|sum| search.sum(sum));
            }
        }
    }
    if search.settled(2) {
        return search.best;
    }
    for a in 0..axes.len() {
        for b in a + 1..axes.len() {
            for c in b + 1..axes.len() {
                if !search.is_ideal() && search.may_determine(&[&axes[a], &axes[b], &axes[c]]) {
                    search.triples(a, b, c);
                }
            }
        }
    }
    if search.best.is_none() {
        search.digits(all);
    }
    search.best
}

/// All numbers below `count`, in an order in which the first few are from everywhere.
fn spread_out(count: usize) -> impl Iterator<Item = usize> {
    let is_coprime = |step: &usize| {
        let (mut a, mut b) = (count, *step);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a <= 1
    };
    // The golden ratio leaves the most even gaps.
    let golden = (0.618 * count as f64) as usize;
    let step = (golden..).find(is_coprime).unwrap_or(1);
    (0..count).map(move |at| at * step % count)
}

/// The first row of each combination of the axes' values, some from everywhere first, where there is a target;
/// `None` if one has two targets, so that no combination of the axes tells them apart.
fn distinct(axes: &[Axis], target: &[f64], seen: &mut Seen) -> Option<Vec<usize>> {
    let mut numbers = vec![0u64; target.len()];
    let mut count = 1u64;
    for axis in axes {
        if count.checked_mul(axis.count()).is_none() {
            seen.clear(numbers.len(), count);
            count = 0;
            for number in &mut numbers {
                let next = count as f64;
                let known = seen.get_or_insert(*number, next);
                count += u64::from(known.is_none());
                *number = known.unwrap_or(next) as u64;
            }
        }
        axis.append_to(&mut numbers);
        count = count.checked_mul(axis.count())?;
    }
    seen.clear(numbers.len(), count);
    let mut found = Vec::new();
    for row in spread_out(target.len()).filter(|row| !target[*row].is_nan()) {
        match seen.get_or_insert(numbers[row], target[row]) {
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

    fn read(&self) -> LinearRead {
        self.first.read.clone().plus(self.factor, &self.second.read)
    }
}

/// A range and its smallest gap, if there is one.
type Spread = Option<(f64, f64)>;

struct Search<'t> {
    target: &'t [f64],
    dyadic: bool,
    axes: &'t [Axis],
    /// One row for each combination of the axes' values, in the order in which they are looked at: some from
    /// everywhere first, before these those on which others failed.
    rows: Vec<usize>,
    seen: Seen,
    /// Of the sums of two axes.
    spreads: FxHashMap<(usize, usize), Vec<Spread>>,
    best: Option<Found>,
    /// A step leads from each value of the target to the next, at least.
    fewest_steps: usize,
    work: usize,
}

impl Search<'_> {
    fn sample(&self) -> usize {
        SAMPLE.min(self.rows.len())
    }

    /// Whether there is time left, and the target is a function of the axes' values as far as the
    /// sample tells.
    fn may_determine(&mut self, axes: &[&Axis]) -> bool {
        self.work <= WORK && self.determine(axes, self.sample())
    }

    /// Whether the target is a function of the axes' values in some rows, the first.
    fn determine(&mut self, axes: &[&Axis], rows: usize) -> bool {
        let counts = axes.iter().map(|axis| axis.count());
        self.seen.clear(rows, counts.fold(1, u64::saturating_mul));
        self.work += rows;
        self.rows[..rows].iter().all(|row| {
            let target = self.target[*row];
            let known = self.seen.get_or_insert(number(axes, *row), target);
            known.is_none_or(|known| known == target)
        })
    }

    /// Looks at a combination, on more and more rows: with more of them a staircase has no fewer
    /// steps and no wider gaps.
    fn consider(&mut self, at: impl Fn(usize) -> f64, read: impl FnOnce() -> LinearRead) {
        if self.work > WORK && self.best.is_some() {
            return;
        }
        let mut rows = self.sample();
        loop {
            let mut points = match self.points(&at, rows) {
                Ok(points) => points,
                Err((argument, rows)) => return self.failed(&at, (argument, argument), rows),
            };
            let cost = steps::cost(&mut points);
            let Some(cost) = cost.filter(|(_, precision)| *precision <= MOST_PRECISION) else {
                let narrowest = steps::narrowest(&points);
                return narrowest.map_or((), |gap| self.failed(&at, gap, rows));
            };
            if !self.is_better(cost) {
                return;
            }
            if rows == self.rows.len() {
                return self.keep(points, read);
            }
            rows = (4 * rows).min(self.rows.len());
        }
    }

    /// Puts the two rows with these arguments, on which a combination failed, before all others: the
    /// next one may well fail on them, too.
    fn failed(&mut self, at: &impl Fn(usize) -> f64, (a, b): (f64, f64), rows: usize) {
        self.work += rows;
        if rows <= FIRST {
            return;
        }
        let find = |argument: f64, besides: Option<f64>| {
            (0..rows).find(|place| {
                let row = self.rows[*place];
                Some(self.target[row]) != besides && at(row) == argument
            })
        };
        let first = find(a, None);
        let target = first.map(|place| self.target[self.rows[place]]);
        let second = find(b, target);
        let mut places: Vec<usize> = first.into_iter().chain(second).collect();
        places.sort_unstable();
        if places.last().is_some_and(|last| *last >= FIRST) {
            for place in places {
                self.rows[..=place].rotate_right(1);
            }
        }
    }

    /// Whether a staircase of so many steps and such a precision is better than what was found.
    fn is_better(&self, cost: (usize, f64)) -> bool {
        let best = self.best.as_ref().map(|best| &best.stairs);
        best.is_none_or(|best| cost < (best.steps.len(), best.precision))
    }

    fn keep(&mut self, points: Vec<(f64, f64)>, read: impl FnOnce() -> LinearRead) {
        if let Some(stairs) = staircase(points) {
            self.best = Some(Found {
                argument: read(),
                stairs,
            });
        }
    }

    fn sum(&mut self, sum: Sum) {
        self.consider(|row| sum.at(row), || sum.read());
    }

    /// The arguments in some rows, the first, with their targets, each once.
    ///
    /// # Errors
    /// An argument that has two targets, and in how many rows it has them.
    fn points(
        &mut self,
        at: &impl Fn(usize) -> f64,
        rows: usize,
    ) -> Result<Vec<(f64, f64)>, (f64, usize)> {
        self.seen.clear(rows, u64::MAX);
        let mut points = Vec::with_capacity(rows);
        for (place, row) in self.rows[..rows].iter().enumerate() {
            self.work += 1;
            // Adding 0 makes -0 the same argument as 0.
            let (argument, target) = (at(*row) + 0.0, self.target[*row]);
            match self.seen.get_or_insert(argument.to_bits(), target) {
                None => points.push((argument, target)),
                Some(known) if known == target => {}
                Some(_) => return Err((argument, place + 1)),
            }
        }
        Ok(points)
    }

    /// Whether more axes cannot be expected to need fewer steps.
    fn settled(&self, axes: usize) -> bool {
        let most = if axes == 1 { 4 } else { usize::MAX };
        self.work > WORK || self.best.as_ref().is_some_and(|best| best.steps() <= most)
    }

    /// Whether there can be no fewer steps, and floats tell the arguments apart with ease.
    fn is_ideal(&self) -> bool {
        self.best.as_ref().is_some_and(|best| {
            best.steps() <= self.fewest_steps && best.stairs.precision <= EASY_PRECISION
        })
    }

    fn triples(&mut self, a: usize, b: usize, c: usize) {
        for (first, second, third) in [(a, b, c), (a, c, b), (b, c, a)] {
            // Sums and differences of all three are the same in any order, but for their sign.
            let is_new = (first, second) == (a, b);
            let third = &self.axes[third];
            for (at, pair) in sums(&self.axes[first], &self.axes[second], self.dyadic).enumerate() {
                if self.work > WORK || self.is_ideal() {
                    return;
                }
                let spread = self.spreads(first, second)[at];
                let digit = |high, low| digit(high, low, self.dyadic);
                let (above, below) = (digit(spread, third.spread()), digit(third.spread(), spread));
                let plain = [1.0, -1.0].into_iter().filter(|_| is_new || at >= PLAIN);
                for factor in plain.chain(above) {
                    self.consider(
                        |row| third.value(row) + factor * pair.at(row),
                        || third.read.clone().plus(factor, &pair.read()),
                    );
                }
                if let Some(factor) = below {
                    self.consider(
                        |row| pair.at(row) + factor * third.value(row),
                        || pair.read().plus(factor, &third.read),
                    );
                }
            }
        }
    }

    /// The spreads of the sums of two axes.
    fn spreads(&mut self, a: usize, b: usize) -> &[Spread] {
        let (first, second) = (&self.axes[a], &self.axes[b]);
        self.spreads.entry((a, b)).or_insert_with(|| {
            let most = first.count().saturating_mul(second.count());
            self.seen.clear(self.rows.len(), most);
            let is_new = |row: &usize| {
                let number = number(&[first, second], *row);
                self.seen.get_or_insert(number, 0.0).is_none()
            };
            let rows = self.rows.iter().copied().filter(is_new);
            let rows: Vec<usize> = rows.collect();
            self.work += self.rows.len() + 4 * rows.len();
            let of = |sum: Sum| spread(rows.iter().map(|row| sum.at(*row)).collect());
            sums(first, second, self.dyadic).map(of).collect()
        })
    }

    /// One digit for each variable, in every rotation of their order.
    fn digits(&mut self, all: &[usize]) {
        for start in 0..all.len() {
            let order = all[start..].iter().chain(&all[..start]);
            let mut order: Vec<&Axis> = order.map(|at| &self.axes[*at]).collect();
            let Some(first) = order.pop() else {
                return;
            };
            let sizes = order.iter().filter_map(|axis| axis.spread());
            let size: f64 = sizes.map(|(range, gap)| 1.0 + range / gap).product();
            // Some step is within the range of the first digit, the last is so many times that.
            if size > 2.0 * MOST_PRECISION && !self.determine(&order, self.rows.len()) {
                continue;
            }
            let mut read = first.read.clone();
            // The rows in order of their numbers, which a digit before them keeps within its own.
            let mut rows = first.sorted(&self.rows);
            let all = 0..self.target.len();
            let mut numbers: Vec<f64> = all.map(|row| first.value(row)).collect();
            for axis in order {
                let low = spread(rows.iter().map(|row| numbers[*row]).collect());
                let Some(factor) = digit(axis.spread(), low, self.dyadic) else {
                    return;
                };
                read = read.plus(factor, &axis.read);
                rows = axis.sorted(&rows);
                for row in &rows {
                    numbers[*row] += factor * axis.value(*row);
                }
            }
            self.work += rows.len();
            let points = rows.iter().map(|row| (numbers[*row], self.target[*row]));
            let mut points: Vec<(f64, f64)> = points.collect();
            let cost = steps::cost(&mut points);
            if cost.is_some_and(|cost| cost.1 <= MOST_PRECISION && self.is_better(cost)) {
                self.keep(points, || read);
            }
            if self.is_ideal() {
                return;
            }
        }
    }
}

/// What stands for the values of some axes in a row.
fn number(axes: &[&Axis], row: usize) -> u64 {
    axes.iter().fold(0, |number: u64, axis| {
        number.wrapping_mul(axis.count()) + axis.number(row)
    })
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
    /// Forgets all, for so many numbers at most, of so many that there are.
    fn clear(&mut self, most: usize, numbers: u64) {
        self.round += 1;
        let most = usize::try_from(numbers).map_or(most, |numbers| most.min(numbers));
        self.size = (2 * most).next_power_of_two().max(2);
        if self.slots.len() < self.size {
            self.slots.resize(self.size, (0, 0.0, 0));
        }
    }

    /// The target of a number; if it has none, it gets one.
    fn get_or_insert(&mut self, number: u64, target: f64) -> Option<f64> {
        let mask = self.size - 1;
        // Multiplied by the golden ratio; the upper bits are the well mixed ones, and the only ones where
        // numbers are those of floats, whose lower bits are all 0.
        let hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = (hash >> (64 - self.size.trailing_zeros())) as usize;
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

/// So many of the combinations of two axes, the first, are their sum and their difference.
const PLAIN: usize = 2;

/// The combinations of two axes that are tried.
fn sums<'a>(a: &'a Axis, b: &'a Axis, dyadic: bool) -> impl Iterator<Item = Sum<'a>> {
    let plain: [Sum; PLAIN] = [1.0, -1.0].map(|factor| Sum {
        first: b,
        factor,
        second: a,
    });
    let digits = [two_digits(a, b, dyadic), two_digits(b, a, dyadic)];
    plain.into_iter().chain(digits.into_iter().flatten())
}

/// `high` and `low` as one number: `high` scaled until its smallest gap exceeds the range of
/// `low`.
fn two_digits<'a>(high: &'a Axis, low: &'a Axis, dyadic: bool) -> Option<Sum<'a>> {
    let factor = digit(high.spread(), low.spread(), dyadic)?;
    Some(Sum {
        first: low,
        factor,
        second: high,
    })
}

/// What makes the smallest gap of one number exceed the range of another; both are given by their
/// range and their smallest gap.
fn digit(high: Option<(f64, f64)>, low: Option<(f64, f64)>, dyadic: bool) -> Option<f64> {
    let ((_, high_gap), (low_range, low_gap)) = (high?, low?);
    let factor = ((low_range + low_gap) / high_gap).ceil().max(1.0);
    Some(match dyadic {
        true => 2f64.powf(factor.log2().ceil()),
        false => factor,
    })
}
