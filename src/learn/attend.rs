//! The two kinds of heads on the examples of one group, and their gradients: hard attention relaxed,
//! which copies from one position, and linear attention, which counts. Depends on `lanes` only.

use super::lanes::{Kernel, Lanes};

/// What holds for all heads at a moment of training.
#[derive(Clone, Copy, Debug)]
pub struct Sharpness {
    /// The temperature of every choice.
    pub temperature: f64,
    /// What scores are divided by: √d.
    pub divisor: f64,
    /// Where a score is less, its logarithm counts as no steeper than there: it keeps gradients of
    /// keys that hardly match from being all there is.
    pub least: f64,
    /// Whether queries see earlier keys only.
    pub causal: bool,
}

/// `Σ a[i] b[i]`, in two sums that do not wait for each other.
#[inline(always)]
fn dot<L: Lanes>(lanes: L, a: &[L::Wide], b: &[L::Wide]) -> L::Wide {
    let (mut even, mut odd) = (lanes.zero(), lanes.zero());
    let (pairs, rest) = a.as_chunks::<2>();
    let (others, other_rest) = b.as_chunks::<2>();
    for (a, b) in pairs.iter().zip(others) {
        even = lanes.fma(a[0], b[0], even);
        odd = lanes.fma(a[1], b[1], odd);
    }
    for (&a, &b) in rest.iter().zip(other_rest) {
        even = lanes.fma(a, b, even);
    }
    lanes.add(even, odd)
}

/// `to += by * from`
#[inline(always)]
fn add_multiple<L: Lanes>(lanes: L, to: &mut [L::Wide], by: L::Wide, from: &[L::Wide]) {
    for (to, &from) in to.iter_mut().zip(from) {
        *to = lanes.fma(by, from, *to);
    }
}

/// `to = Σ by[i * step] * vectors[i]`, in sums that stay in registers.
#[inline(always)]
fn mix<L: Lanes>(
    lanes: L,
    to: &mut [L::Wide],
    (by, step): (&[L::Wide], usize),
    vectors: &[L::Wide],
    count: usize,
) {
    let d = to.len();
    let mut at = 0;
    while at + 8 <= d {
        let mut sums = [lanes.zero(); 8];
        for i in 0..count {
            let (by, vector) = (by[i * step], &vectors[i * d + at..][..8]);
            for h in 0..8 {
                sums[h] = lanes.fma(by, vector[h], sums[h]);
            }
        }
        to[at..at + 8].copy_from_slice(&sums);
        at += 8;
    }
    for h in at..d {
        let mut sum = lanes.zero();
        for i in 0..count {
            sum = lanes.fma(by[i * step], vectors[i * d + h], sum);
        }
        to[h] = sum;
    }
}

/// `sum += number * mask * vectors[at]`
#[inline(always)]
fn include<L: Lanes>(
    lanes: L,
    sum: &mut [L::Wide],
    vectors: &[L::Wide],
    number: L::Wide,
    mask: L::Wide,
    at: usize,
) {
    let d = sum.len();
    add_multiple(lanes, sum, lanes.mul(number, mask), &vectors[at * d..][..d]);
}

/// A head that copies: of the keys that match, the nearest; of two as near the left one; itself if no
/// other matches; the first position if none does. Relaxed with Gumbel noise (Friedman, Wettig & Chen
/// 2023, section 3.2, as their code has it).
pub struct Copy<'a, L: Lanes> {
    /// `[n, d]`
    pub keys: &'a [L::Wide],
    /// `[n, d]`, after the predicate.
    pub queries: &'a [L::Wide],
    /// `[n, d]`
    pub values: &'a [L::Wide],
    /// `[n]`: 1 where there is a token.
    pub mask: &'a [L::Wide],
    /// `[n, n]`: how near a key is to a query.
    pub nearness: &'a [L::Scalar],
    pub sharpness: Sharpness,
    pub noise: Option<&'a mut L::Noise>,
    /// `[n, n]`: the pattern.
    pub pattern: &'a mut [L::Wide],
    /// `[n, n]`: how well keys match.
    pub scores: &'a mut [L::Wide],
    /// `[n]`: how many match.
    pub matches: &'a mut [L::Wide],
    /// `[n, d]`
    pub outputs: &'a mut [L::Wide],
}

impl<L: Lanes> Kernel<L> for Copy<'_, L> {
    #[inline(always)]
    fn run(mut self, lanes: L) {
        let n = self.mask.len();
        let d = self.keys.len() / n;
        let inverse = lanes.number(1.0 / self.sharpness.temperature);
        let scale = lanes.number(1.0 / self.sharpness.divisor);
        let (one, never) = (lanes.number(1.0), lanes.number(-1e30));
        for i in 0..n {
            let seen = if self.sharpness.causal { i + 1 } else { n };
            let query = &self.queries[i * d..][..d];
            let row = i * n..i * n + seen;
            let (scores, pattern) = (
                &mut self.scores[row.clone()],
                &mut self.pattern[row.clone()],
            );
            let nearness = &self.nearness[row];
            let mut total = lanes.zero();
            for (j, score) in scores.iter_mut().enumerate() {
                *score = dot(lanes, query, &self.keys[j * d..][..d]);
                total = lanes.fma(*score, self.mask[j], total);
            }
            self.matches[i] = total;
            let share = lanes.div(total, lanes.add(total, lanes.number(1e-10)));
            let missing = lanes.max(lanes.sub(one, share), lanes.zero());
            scores[0] = lanes.add(scores[0], missing);
            let mut most = never;
            for (j, &score) in scores.iter().enumerate() {
                let logarithm = lanes.ln(lanes.add(score, lanes.number(1e-20)));
                let mut level = lanes.mul(lanes.add(logarithm, lanes.splat(nearness[j])), scale);
                if let Some(noise) = &mut self.noise {
                    level = lanes.add(level, lanes.gumbel(noise));
                }
                let level = lanes.choose(self.mask[j], lanes.mul(level, inverse), never);
                pattern[j] = level;
                most = lanes.max(most, level);
            }
            let mut sum = lanes.zero();
            for (j, weight) in pattern.iter_mut().enumerate() {
                *weight = lanes.mul(lanes.exp(lanes.sub(*weight, most)), self.mask[j]);
                sum = lanes.add(sum, *weight);
            }
            let share = lanes.div(self.mask[i], sum);
            for weight in pattern.iter_mut() {
                *weight = lanes.mul(*weight, share);
            }
            let output = &mut self.outputs[i * d..][..d];
            mix(lanes, output, (pattern, 1), self.values, seen);
        }
    }
}

/// The gradients of [`Copy`].
pub struct CopyBack<'a, L: Lanes> {
    pub keys: &'a [L::Wide],
    pub queries: &'a [L::Wide],
    pub values: &'a [L::Wide],
    pub mask: &'a [L::Wide],
    pub sharpness: Sharpness,
    pub pattern: &'a [L::Wide],
    pub scores: &'a [L::Wide],
    pub matches: &'a [L::Wide],
    /// `[n, d]`: the gradient of the outputs.
    pub outputs: &'a [L::Wide],
    /// `[n, n]`, to work in.
    pub scratch: &'a mut [L::Wide],
    pub of_keys: &'a mut [L::Wide],
    pub of_queries: &'a mut [L::Wide],
    pub of_values: &'a mut [L::Wide],
}

impl<L: Lanes> Kernel<L> for CopyBack<'_, L> {
    #[inline(always)]
    fn run(self, lanes: L) {
        let n = self.mask.len();
        let d = self.keys.len() / n;
        let scale = self.sharpness.divisor * self.sharpness.temperature;
        let scale = lanes.number(1.0 / scale);
        let (tiny, least) = (lanes.number(1e-20), lanes.number(self.sharpness.least));
        let (one, zero) = (lanes.number(1.0), lanes.zero());
        for i in 0..n {
            let seen = if self.sharpness.causal { i + 1 } else { n };
            let row = i * n..i * n + seen;
            let gradient = &self.outputs[i * d..][..d];
            let (pattern, scores) = (&self.pattern[row.clone()], &self.scores[row.clone()]);
            let of_scores = &mut self.scratch[row];
            let mut mean = zero;
            for (j, of_score) in of_scores.iter_mut().enumerate() {
                *of_score = dot(lanes, gradient, &self.values[j * d..][..d]);
                mean = lanes.fma(*of_score, pattern[j], mean);
            }
            for (j, of_score) in of_scores.iter_mut().enumerate() {
                let level = lanes.mul(pattern[j], lanes.sub(*of_score, mean));
                let score = lanes.max(lanes.add(scores[j], tiny), least);
                *of_score = lanes.div(lanes.mul(level, scale), score);
            }
            // Where nothing matches, the first position's score depends on all others.
            let total = lanes.add(self.matches[i], lanes.number(1e-10));
            let mut missing = lanes.sub(one, lanes.div(self.matches[i], total));
            if L::lanes(&mut missing)
                .iter()
                .any(|&x| x > L::Scalar::default())
            {
                let slope = lanes.div(lanes.number(-1e-10), lanes.mul(total, total));
                let slope = lanes.choose(missing, lanes.mul(of_scores[0], slope), zero);
                for (j, of_score) in of_scores.iter_mut().enumerate() {
                    *of_score = lanes.fma(slope, self.mask[j], *of_score);
                }
            }
            let of_query = &mut self.of_queries[i * d..][..d];
            mix(lanes, of_query, (of_scores, 1), self.keys, seen);
        }
        for j in 0..n {
            let of_key = &mut self.of_keys[j * d..][..d];
            let of_value = &mut self.of_values[j * d..][..d];
            let first = if self.sharpness.causal { j } else { 0 };
            let (at, from) = (first * n + j, first * d);
            let (queries, outputs) = (&self.queries[from..], &self.outputs[from..]);
            mix(lanes, of_key, (&self.scratch[at..], n), queries, n - first);
            mix(
                lanes,
                of_value,
                (&self.pattern[at..], n),
                outputs,
                n - first,
            );
        }
    }
}

/// A head that counts: the sum of `values`, a number at each position, over the keys that match. As
/// scores are not normalised it is linear attention: `query · Σ value key`.
pub struct Count<'a, L: Lanes> {
    /// `[n, d]`
    pub keys: &'a [L::Wide],
    /// `[n, d]`, after the predicate.
    pub queries: &'a [L::Wide],
    /// `[n]`
    pub values: &'a [L::Wide],
    /// `[n]`
    pub mask: &'a [L::Wide],
    pub causal: bool,
    /// `[d]`, to work in.
    pub scratch: &'a mut [L::Wide],
    /// `[n]`
    pub outputs: &'a mut [L::Wide],
}

impl<L: Lanes> Kernel<L> for Count<'_, L> {
    #[inline(always)]
    fn run(self, lanes: L) {
        let n = self.mask.len();
        let d = self.keys.len() / n;
        let sum = self.scratch;
        sum.fill(lanes.zero());
        let (keys, values, mask) = (self.keys, self.values, self.mask);
        if !self.causal {
            for j in 0..n {
                include(lanes, sum, keys, values[j], mask[j], j);
            }
        }
        for i in 0..n {
            if self.causal {
                include(lanes, sum, keys, values[i], mask[i], i);
            }
            let count = dot(lanes, sum, &self.queries[i * d..][..d]);
            self.outputs[i] = lanes.mul(count, mask[i]);
        }
    }
}

/// The gradients of [`Count`].
pub struct CountBack<'a, L: Lanes> {
    pub keys: &'a [L::Wide],
    pub queries: &'a [L::Wide],
    pub values: &'a [L::Wide],
    pub mask: &'a [L::Wide],
    pub causal: bool,
    /// `[n]`: the gradient of the outputs.
    pub outputs: &'a [L::Wide],
    pub scratch: &'a mut [L::Wide],
    pub of_keys: &'a mut [L::Wide],
    pub of_queries: &'a mut [L::Wide],
    pub of_values: &'a mut [L::Wide],
}

impl<L: Lanes> Kernel<L> for CountBack<'_, L> {
    #[inline(always)]
    fn run(self, lanes: L) {
        let n = self.mask.len();
        let d = self.keys.len() / n;
        let sum = self.scratch;
        let (keys, queries, values) = (self.keys, self.queries, self.values);
        let (mask, outputs) = (self.mask, self.outputs);
        sum.fill(lanes.zero());
        if !self.causal {
            for j in 0..n {
                include(lanes, sum, keys, values[j], mask[j], j);
            }
        }
        for i in 0..n {
            if self.causal {
                include(lanes, sum, keys, values[i], mask[i], i);
            }
            let gradient = lanes.mul(outputs[i], mask[i]);
            for (to, &x) in self.of_queries[i * d..][..d].iter_mut().zip(sum.iter()) {
                *to = lanes.mul(gradient, x);
            }
        }
        // What is asked of a key: the sum over the queries that see it.
        sum.fill(lanes.zero());
        if !self.causal {
            for i in 0..n {
                include(lanes, sum, queries, outputs[i], mask[i], i);
            }
        }
        for j in (0..n).rev() {
            if self.causal {
                include(lanes, sum, queries, outputs[j], mask[j], j);
            }
            let asked = dot(lanes, sum, &keys[j * d..][..d]);
            self.of_values[j] = lanes.mul(asked, mask[j]);
            let value = lanes.mul(values[j], mask[j]);
            for (to, &x) in self.of_keys[j * d..][..d].iter_mut().zip(sum.iter()) {
                *to = lanes.mul(value, x);
            }
        }
    }
}
