//! The loops that take the time: products of weights with activations, the gradients of these weights,
//! and soft choices. A slab holds activations, `[variable][position of an example][direction]`, one
//! [`Lanes::Wide`] for the examples that go in step. Depends on `lanes` only.

use super::lanes::{Kernel, Lanes, Scalar};

/// Weights below this are taken for 0, and their gradients are not computed.
const NOTHING: f64 = 1e-6;

/// A row of a slab, which belongs to a row or a column of a matrix of weights.
#[derive(Clone, Copy)]
pub struct Row {
    /// Which row or column of the weights.
    pub number: usize,
    /// Where it begins.
    pub at: usize,
}

/// Rows of a slab: column c of a row is at `at + c * stride`.
#[derive(Clone, Default)]
pub struct Rows {
    /// The rows, all or some of them.
    pub rows: Vec<Row>,
    /// From one column to the next.
    pub stride: usize,
}

impl Rows {
    /// Rows at equal distances.
    pub fn new(count: usize, start: usize, step: usize, stride: usize) -> Rows {
        Rows::of((0..count).map(|row| start + row * step), stride)
    }

    /// Rows that begin at the given places.
    pub fn of(places: impl Iterator<Item = usize>, stride: usize) -> Rows {
        let rows = places.enumerate().map(|(number, at)| Row { number, at });
        Rows {
            rows: rows.collect(),
            stride,
        }
    }

    /// All but the first ones.
    pub fn after(mut self, first: usize) -> Rows {
        self.rows.drain(..first.min(self.rows.len()));
        self
    }
}

/// Weights: that of the output with number m and the input with number k is at `m * row + k * column`.
#[derive(Clone, Copy)]
pub struct Weights<'a, T> {
    /// The numbers.
    pub numbers: &'a [T],
    /// From one output to the next.
    pub row: usize,
    /// From one input to the next.
    pub column: usize,
}

/// What products are added to.
pub enum Start<'a, T> {
    /// Nothing.
    Zero,
    /// What is there.
    Present,
    /// A number for each output.
    Bias(&'a [T]),
}

/// outputs = weights · inputs (+ start): `[m, columns]` from `[m, k]` and `[k, columns]`.
pub struct Product<'a, L: Lanes> {
    pub weights: Weights<'a, L::Scalar>,
    pub inputs: &'a [L::Wide],
    pub from: &'a Rows,
    pub outputs: &'a mut [L::Wide],
    pub to: &'a Rows,
    /// How many columns; a multiple of 4.
    pub columns: usize,
    pub start: Start<'a, L::Scalar>,
    pub then: Then<'a, L::Wide>,
    /// Whether many of the weights may be 0.
    pub sparse: bool,
}

/// What becomes of a sum of products.
pub enum Then<'a, W> {
    /// It is the output.
    Kept,
    /// 0 if it is negative.
    Relu,
    /// 0 where a number is 0, at the place of the output: the gradient of a hidden unit.
    Where(&'a [W]),
}

/// An input of some outputs: where its row begins, and its weights.
type Live<T, const M: usize> = (usize, [T; M]);

impl<L: Lanes> Product<'_, L> {
    /// The inputs of outputs `m..m + M` that have weights.
    #[inline(always)]
    fn live<const M: usize>(&self, m: usize, live: &mut Vec<Live<L::Scalar, M>>) {
        let Weights {
            numbers,
            row,
            column,
        } = self.weights;
        let outputs: [usize; M] = std::array::from_fn(|i| self.to.rows[m + i].number * row);
        for input in &self.from.rows {
            let weights = outputs.map(|output| numbers[output + input.number * column]);
            let is_something = |weight: &L::Scalar| weight.number().abs() > NOTHING;
            if !self.sparse || weights.iter().any(is_something) {
                live.push((input.at, weights));
            }
        }
    }

    /// Four columns of outputs `m..m + M`.
    #[inline(always)]
    fn four<const M: usize>(
        &mut self,
        lanes: L,
        m: usize,
        live: &[Live<L::Scalar, M>],
        column: usize,
    ) {
        if live.is_empty() && matches!(self.start, Start::Present) {
            return;
        }
        match L::COLUMNS {
            4 => self.block::<M, 4>(lanes, m, live, column),
            _ => {
                self.block::<M, 2>(lanes, m, live, column);
                self.block::<M, 2>(lanes, m, live, column + 2);
            }
        }
    }

    #[inline(always)]
    fn block<const M: usize, const C: usize>(
        &mut self,
        lanes: L,
        m: usize,
        live: &[Live<L::Scalar, M>],
        column: usize,
    ) {
        let mut sums = [[lanes.zero(); C]; M];
        let to = self.to.stride;
        match self.start {
            Start::Zero => {}
            Start::Present => {
                for (i, row) in sums.iter_mut().enumerate() {
                    for (j, sum) in row.iter_mut().enumerate() {
                        *sum = self.outputs[self.to.rows[m + i].at + (column + j) * to];
                    }
                }
            }
            Start::Bias(bias) => {
                for (i, row) in sums.iter_mut().enumerate() {
                    *row = [lanes.splat(bias[self.to.rows[m + i].number]); C];
                }
            }
        }
        // The rows from each of the columns on; none where nothing is read.
        let stride = self.from.stride;
        let inputs: [&[L::Wide]; C] =
            std::array::from_fn(|j| self.inputs.get((column + j) * stride..).unwrap_or(&[]));
        for (at, weights) in live {
            let input: [L::Wide; C] = std::array::from_fn(|j| inputs[j][*at]);
            for (row, &weight) in sums.iter_mut().zip(weights) {
                let weight = lanes.splat(weight);
                for (sum, &x) in row.iter_mut().zip(&input) {
                    *sum = lanes.fma(weight, x, *sum);
                }
            }
        }
        // Each way is a loop of its own: one that asks within keeps the sums in memory, above too.
        let places: [usize; M] = std::array::from_fn(|i| self.to.rows[m + i].at + column * to);
        match self.then {
            Then::Kept => {
                for (row, place) in sums.iter().zip(places) {
                    for (j, &sum) in row.iter().enumerate() {
                        self.outputs[place + j * to] = sum;
                    }
                }
            }
            Then::Relu => {
                for (row, place) in sums.iter().zip(places) {
                    for (j, &sum) in row.iter().enumerate() {
                        self.outputs[place + j * to] = lanes.max(sum, lanes.zero());
                    }
                }
            }
            Then::Where(units) => {
                for (row, place) in sums.iter().zip(places) {
                    for (j, &sum) in row.iter().enumerate() {
                        let at = place + j * to;
                        self.outputs[at] = lanes.choose(units[at], sum, lanes.zero());
                    }
                }
            }
        }
    }
}

impl<L: Lanes> Kernel<L> for Product<'_, L> {
    #[inline(always)]
    fn run(mut self, lanes: L) {
        let rows = self.to.rows.len();
        let (mut fours, mut ones) = (Vec::new(), Vec::new());
        let (mut ends, mut last_ends) = (Vec::new(), Vec::new());
        for m in (0..rows / 4 * 4).step_by(4) {
            self.live::<4>(m, &mut fours);
            ends.push(fours.len());
        }
        for m in rows / 4 * 4..rows {
            self.live::<1>(m, &mut ones);
            last_ends.push(ones.len());
        }
        // All outputs of some columns, as these inputs are at hand then.
        for column in (0..self.columns).step_by(4) {
            let (mut m, mut start) = (0, 0);
            for &end in &ends {
                self.four::<4>(lanes, m, &fours[start..end], column);
                (m, start) = (m + 4, end);
            }
            start = 0;
            for &end in &last_ends {
                self.four::<1>(lanes, m, &ones[start..end], column);
                (m, start) = (m + 1, end);
            }
        }
    }
}

/// gradient[m, k] += the sum over columns and lanes of a[m] · b[k].
pub struct Gradient<'a, L: Lanes> {
    pub a: &'a [L::Wide],
    pub of_a: &'a Rows,
    pub b: &'a [L::Wide],
    pub of_b: &'a Rows,
    /// How many columns; a multiple of 4.
    pub columns: usize,
    pub gradient: &'a mut [L::Scalar],
    /// From one m, and from one k, to the next.
    pub steps: (usize, usize),
    /// Weights of the same places: where they are 0 the gradient is not needed.
    pub weights: Option<&'a [L::Scalar]>,
}

impl<'a, L: Lanes> Gradient<'a, L> {
    #[inline(always)]
    fn place(&self, m: usize, k: usize) -> usize {
        self.of_a.rows[m].number * self.steps.0 + self.of_b.rows[k].number * self.steps.1
    }

    #[inline(always)]
    fn block<const M: usize, const K: usize>(&mut self, lanes: L, m: usize, k: usize) {
        let mut sums = [[lanes.zero(); K]; M];
        // Rows of the same length, so that one look at it does for all.
        let row = |slab: &'a [L::Wide], of: &Rows, number: usize| {
            &slab[of.rows[number].at..][..(self.columns - 1) * of.stride + 1]
        };
        let left: [&[L::Wide]; M] = std::array::from_fn(|i| row(self.a, self.of_a, m + i));
        let right: [&[L::Wide]; K] = std::array::from_fn(|j| row(self.b, self.of_b, k + j));
        let (a_step, b_step) = (self.of_a.stride, self.of_b.stride);
        for column in 0..self.columns {
            let x: [L::Wide; M] = std::array::from_fn(|i| left[i][column * a_step]);
            for j in 0..K {
                let y = right[j][column * b_step];
                for (row, &x) in sums.iter_mut().zip(&x) {
                    row[j] = lanes.fma(x, y, row[j]);
                }
            }
        }
        for (i, row) in sums.iter().enumerate() {
            for (j, &sum) in row.iter().enumerate() {
                let at = self.place(m + i, k + j);
                self.gradient[at] += lanes.sum(sum);
            }
        }
    }
}

impl<L: Lanes> Gradient<'_, L> {
    /// One entry, in sums that do not wait for each other.
    #[inline(always)]
    fn single(&mut self, lanes: L, m: usize, k: usize) {
        let mut sums = [lanes.zero(); 4];
        let (a, b) = (self.of_a.rows[m].at, self.of_b.rows[k].at);
        let (left, right) = (&self.a[a..], &self.b[b..]);
        for column in (0..self.columns).step_by(4) {
            for (i, sum) in sums.iter_mut().enumerate() {
                let x = left[(column + i) * self.of_a.stride];
                *sum = lanes.fma(x, right[(column + i) * self.of_b.stride], *sum);
            }
        }
        let [a, b, c, d] = sums;
        let at = self.place(m, k);
        self.gradient[at] += lanes.sum(lanes.add(lanes.add(a, b), lanes.add(c, d)));
    }
}

impl<L: Lanes> Kernel<L> for Gradient<'_, L> {
    #[inline(always)]
    fn run(mut self, lanes: L) {
        let (rows, columns) = (self.of_a.rows.len(), self.of_b.rows.len());
        let mut m = 0;
        while m < rows {
            let height = if rows - m >= 4 { 4 } else { 1 };
            let mut k = 0;
            while k < columns {
                let width = if columns - k >= L::COLUMNS {
                    L::COLUMNS
                } else {
                    1
                };
                let weights = self.weights;
                let is_live = |gradient: &Self, i: usize, j: usize| {
                    weights.is_none_or(|weights| weights[gradient.place(i, j)].number() > NOTHING)
                };
                let pairs = (m..m + height).flat_map(|i| (k..k + width).map(move |j| (i, j)));
                let live = pairs.clone().filter(|&(i, j)| is_live(&self, i, j)).count();
                if live * 4 < height * width {
                    for (i, j) in pairs {
                        if is_live(&self, i, j) {
                            self.single(lanes, i, j);
                        }
                    }
                } else {
                    match (height, width) {
                        (4, 4) => self.block::<4, 4>(lanes, m, k),
                        (4, 2) => self.block::<4, 2>(lanes, m, k),
                        (4, _) => self.block::<4, 1>(lanes, m, k),
                        (_, 4) => self.block::<1, 4>(lanes, m, k),
                        (_, 2) => self.block::<1, 2>(lanes, m, k),
                        _ => self.block::<1, 1>(lanes, m, k),
                    }
                }
                k += width;
            }
            m += height;
        }
    }
}

/// The rows that have a number other than 0 in some column and lane, of rows without negative numbers;
/// and some others, so that there are a multiple of 4.
pub struct Alive<'a, L: Lanes> {
    pub slab: &'a [L::Wide],
    pub of: &'a Rows,
    pub columns: usize,
    pub alive: &'a mut Rows,
}

impl<L: Lanes> Kernel<L> for Alive<'_, L> {
    #[inline(always)]
    fn run(self, lanes: L) {
        let Rows { rows, stride } = self.of;
        let (mut alive, mut dead) = (Vec::new(), Vec::new());
        for &row in rows {
            let mut most = lanes.zero();
            for column in 0..self.columns {
                most = lanes.max(most, self.slab[row.at + column * stride]);
            }
            match lanes.sum(most) > L::Scalar::default() {
                true => alive.push(row),
                false => dead.push(row),
            }
        }
        let missing = alive.len().next_multiple_of(4) - alive.len();
        alive.extend(dead.into_iter().take(missing));
        (self.alive.rows, self.alive.stride) = (alive, *stride);
    }
}

/// sums[number] += the sum of the row with that number over columns and lanes.
pub struct Sums<'a, L: Lanes> {
    pub slab: &'a [L::Wide],
    pub of: &'a Rows,
    pub columns: usize,
    pub sums: &'a mut [L::Scalar],
}

impl<L: Lanes> Kernel<L> for Sums<'_, L> {
    #[inline(always)]
    fn run(self, lanes: L) {
        for &Row { number, at } in &self.of.rows {
            let mut sum = lanes.zero();
            for column in 0..self.columns {
                sum = lanes.add(sum, self.slab[at + column * self.of.stride]);
            }
            self.sums[number] += lanes.sum(sum);
        }
    }
}

/// Each `width` numbers become softmax((numbers + noise) / temperature).
pub struct Choice<'a, L: Lanes> {
    pub slab: &'a mut [L::Wide],
    pub width: usize,
    pub temperature: f64,
    pub noise: Option<&'a mut L::Noise>,
}

impl<L: Lanes> Kernel<L> for Choice<'_, L> {
    #[inline(always)]
    fn run(mut self, lanes: L) {
        let inverse = lanes.number(1.0 / self.temperature);
        for row in self.slab.chunks_exact_mut(self.width) {
            let mut most = lanes.number(-1e30);
            for x in row.iter_mut() {
                if let Some(noise) = &mut self.noise {
                    *x = lanes.add(*x, lanes.gumbel(noise));
                }
                *x = lanes.mul(*x, inverse);
                most = lanes.max(most, *x);
            }
            let mut sum = lanes.zero();
            for x in row.iter_mut() {
                *x = lanes.exp(lanes.sub(*x, most));
                sum = lanes.add(sum, *x);
            }
            let inverse = lanes.div(lanes.number(1.0), sum);
            for x in row.iter_mut() {
                *x = lanes.mul(*x, inverse);
            }
        }
    }
}

/// The gradient of what [`Choice`] was given, in the place of that of what it gave.
pub struct ChoiceBack<'a, L: Lanes> {
    pub chosen: &'a [L::Wide],
    pub gradient: &'a mut [L::Wide],
    pub width: usize,
    pub temperature: f64,
}

impl<L: Lanes> Kernel<L> for ChoiceBack<'_, L> {
    #[inline(always)]
    fn run(self, lanes: L) {
        let inverse = lanes.number(1.0 / self.temperature);
        let rows = self.chosen.chunks_exact(self.width);
        for (chosen, gradient) in rows.zip(self.gradient.chunks_exact_mut(self.width)) {
            let mut mean = lanes.zero();
            for (&y, &g) in chosen.iter().zip(gradient.iter()) {
                mean = lanes.fma(y, g, mean);
            }
            for (&y, g) in chosen.iter().zip(gradient) {
                *g = lanes.mul(lanes.mul(y, lanes.sub(*g, mean)), inverse);
            }
        }
    }
}

/// The loss of logits `[labels, columns]`: what is wanted is 1 there, row 0 is no label. Logits become
/// their gradient.
pub struct CrossEntropy<'a, L: Lanes> {
    pub logits: &'a mut [L::Wide],
    pub wanted: &'a [L::Wide],
    /// `[columns]`: what each label counts.
    pub weight: &'a [L::Wide],
    pub loss: &'a mut f64,
}

impl<L: Lanes> Kernel<L> for CrossEntropy<'_, L> {
    #[inline(always)]
    fn run(self, lanes: L) {
        let columns = self.weight.len();
        let rows = self.logits.len() / columns;
        let mut loss = lanes.zero();
        for (column, &weight) in self.weight.iter().enumerate() {
            let (mut most, mut hit) = (lanes.number(-1e30), lanes.zero());
            for row in 1..rows {
                let at = row * columns + column;
                most = lanes.max(most, self.logits[at]);
                hit = lanes.fma(self.logits[at], self.wanted[at], hit);
            }
            let mut sum = lanes.zero();
            for row in 1..rows {
                let at = row * columns + column;
                self.logits[at] = lanes.exp(lanes.sub(self.logits[at], most));
                sum = lanes.add(sum, self.logits[at]);
            }
            let surprise = lanes.sub(lanes.add(lanes.ln(sum), most), hit);
            loss = lanes.fma(surprise, weight, loss);
            let share = lanes.div(lanes.number(1.0), sum);
            self.logits[column] = lanes.zero();
            for row in 1..rows {
                let at = row * columns + column;
                let probability = lanes.mul(self.logits[at], share);
                self.logits[at] = lanes.mul(lanes.sub(probability, self.wanted[at]), weight);
            }
        }
        *self.loss = lanes.sum(loss).number();
    }
}
