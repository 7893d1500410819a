//! A Transformer Program while it is trained: every choice is a softmax with Gumbel noise, so that the
//! loss has gradients, which are written by hand here. A batch goes through in chunks that stay in the
//! cache. Depends on `lanes`, `kernels`, `attend` and `layout`.

use super::attend::Sharpness;
use super::kernels::{CrossEntropy, Gradient, Product, Rows, Start, Then, Weights};
use super::lanes::{Lanes, Scalar};
use super::layout::{HIDDEN, Layout, Shape, gumbel, uniform};
use crate::base::Random;

/// The first categorical variables, tokens and positions, and the first numerical one, 1 everywhere:
/// nothing asks for their gradients.
pub(super) const FIXED: usize = 2;
/// See [`FIXED`].
pub(super) const FIXED_NUMBERS: usize = 1;

/// What a categorical variable takes: a little more than its numbers, as caches hold few lines whose
/// distances are powers of two.
pub(super) fn slab(columns: usize, d: usize) -> usize {
    columns * d + 4
}

/// An input and what is wanted of it, by their numbers: `n` tokens and `n` labels, 0 for none.
#[derive(Clone, Copy)]
pub struct Sample<'a> {
    pub tokens: &'a [u16],
    pub labels: &'a [u16],
}

/// The slabs of a layer. Where a name begins with `of_` it holds gradients.
pub(super) struct Slabs<W> {
    pub(super) reads: Vec<W>,
    pub(super) queries: Vec<W>,
    pub(super) pattern: Vec<W>,
    pub(super) scores: Vec<W>,
    pub(super) matches: Vec<W>,
    pub(super) summed: Vec<W>,
    // What MLPs read: vectors for those of categorical variables, then numbers for the others.
    pub(super) mlp_reads: Vec<W>,
    pub(super) hidden: Vec<W>,
    // The hidden units of each MLP that are not 0 everywhere.
    pub(super) alive: Vec<Rows>,
}

/// Parameters, and all that a step of training needs.
pub struct Network<L: Lanes> {
    pub(super) lanes: L,
    /// Its sizes.
    pub shape: Shape,
    /// Where its parameters are.
    pub layout: Layout,
    /// The parameters.
    pub parameters: Vec<f64>,
    /// Their gradient after a step.
    pub gradient: Vec<f64>,
    // Parameters with every choice sampled, and their gradient.
    pub(super) sampled: Vec<L::Scalar>,
    pub(super) of_sampled: Vec<L::Scalar>,
    pub(super) groups: usize,
    pub(super) slabs: Vec<Slabs<L::Wide>>,
    pub(super) categorical: Vec<L::Wide>,
    pub(super) of_categorical: Vec<L::Wide>,
    pub(super) numerical: Vec<L::Wide>,
    pub(super) of_numerical: Vec<L::Wide>,
    pub(super) logits: Vec<L::Wide>,
    pub(super) wanted: Vec<L::Wide>,
    pub(super) weight: Vec<L::Wide>,
    pub(super) mask: Vec<L::Wide>,
    // Gradients of a layer, which the next one overwrites.
    pub(super) of_reads: Vec<L::Wide>,
    pub(super) of_queries: Vec<L::Wide>,
    pub(super) of_summed: Vec<L::Wide>,
    pub(super) of_hidden: Vec<L::Wide>,
    pub(super) of_mlp_reads: Vec<L::Wide>,
    pub(super) scratch: Vec<L::Wide>,
    pub(super) nearness: Vec<L::Scalar>,
}

/// How near key k is to query q: more than any other key's for the nearest one, least for the query
/// itself (`FixedRelPosBias` of Friedman et al.'s code).
fn nearness(n: usize, q: usize, k: usize) -> f64 {
    let steps = |distance: usize, of: usize| -(distance as f64 - 1.0) / of.max(1) as f64;
    match k.cmp(&q) {
        std::cmp::Ordering::Equal => -2.0,
        std::cmp::Ordering::Greater => steps(k - q, n.saturating_sub(2)),
        std::cmp::Ordering::Less => steps(q - k, n - 1),
    }
}

/// A row of logits as a choice: softmax((row + noise) / temperature).
fn choose<T: Scalar>(row: &[f64], chosen: &mut [T], temperature: f64, noise: Option<&mut Random>) {
    let mut levels: Vec<f64> = row.to_vec();
    if let Some(random) = noise {
        levels.iter_mut().for_each(|level| *level += gumbel(random));
    }
    let most = levels.iter().copied().fold(f64::MIN, f64::max);
    let mut sum = 0.0;
    for level in &mut levels {
        let below = (*level - most) / temperature;
        *level = if below < -16.0 { 0.0 } else { below.exp() };
        sum += *level;
    }
    for (chosen, level) in chosen.iter_mut().zip(levels) {
        *chosen = T::of(level / sum);
    }
}

/// Levels as choices of their own, each whether it is there: 1 / (1 + exp(-(level + noise) / temperature)).
fn include<T: Scalar>(
    levels: &[f64],
    chosen: &mut [T],
    temperature: f64,
    mut noise: Option<&mut Random>,
) {
    for (&level, chosen) in levels.iter().zip(chosen) {
        let noise = noise.as_mut().map_or(0.0, |random| {
            // The difference of two Gumbel noises.
            let share = uniform(random);
            (share / (1.0 - share)).ln()
        });
        let above = (level + noise) / temperature;
        let is_out = above < -16.0;
        *chosen = T::of(if is_out {
            0.0
        } else {
            1.0 / (1.0 + (-above).exp())
        });
    }
}

impl<L: Lanes> Network<L> {
    /// A network with the given parameters.
    pub fn new(lanes: L, shape: &Shape, parameters: Vec<f64>) -> Network<L> {
        let layout = Layout::new(shape);
        let (n, d) = (shape.n, shape.d);
        let most = if n <= 10 { 32 } else { 16 };
        let mut groups = (most / L::COUNT).max(1);
        // Columns come in fours.
        while groups * n % 4 != 0 {
            groups += 1;
        }
        let columns = groups * n;
        let slab = slab(columns, d);
        let zeros = |count: usize| vec![lanes.zero(); count];
        let heads = shape.copies + shape.counts;
        let slabs = layout.layers.iter().map(|_| Slabs {
            reads: zeros(shape.reads() * slab),
            queries: zeros(heads * slab),
            pattern: zeros(shape.copies * columns * n),
            scores: zeros(shape.copies * columns * n),
            matches: zeros(shape.copies * columns),
            summed: zeros(shape.counts * columns),
            mlp_reads: zeros(2 * shape.tables * slab + 2 * shape.counters * columns),
            hidden: zeros((shape.tables + shape.counters) * columns * HIDDEN),
            alive: vec![Rows::default(); shape.tables + shape.counters],
        });
        let nearness = (0..n * n).map(|at| L::Scalar::of(nearness(n, at / n, at % n)));
        Network {
            slabs: slabs.collect(),
            categorical: zeros(layout.categorical * slab),
            of_categorical: zeros(layout.categorical * slab),
            numerical: zeros(layout.numerical * columns),
            of_numerical: zeros(layout.numerical * columns),
            logits: zeros(shape.labels * columns),
            wanted: zeros(shape.labels * columns),
            weight: zeros(columns),
            mask: zeros(columns),
            of_reads: zeros(shape.reads() * slab),
            of_queries: zeros(heads * slab),
            of_summed: zeros(shape.counts * columns),
            of_hidden: zeros((shape.tables + shape.counters) * columns * HIDDEN),
            of_mlp_reads: zeros(2 * shape.tables * slab + 2 * shape.counters * columns),
            scratch: zeros(n * n + d),
            nearness: nearness.collect(),
            sampled: vec![L::Scalar::default(); layout.size],
            of_sampled: vec![L::Scalar::default(); layout.size],
            gradient: vec![0.0; layout.size],
            parameters,
            shape: shape.clone(),
            groups,
            layout,
            lanes,
        }
    }

    /// The mean loss of a batch: the cross-entropy of the scored labels of each example, the mean of
    /// these. Leaves the gradient. Without random numbers there is no noise.
    pub fn step(
        &mut self,
        batch: &[Sample],
        sharpness: Sharpness,
        mut random: Option<&mut Random>,
    ) -> f64 {
        let temperature = sharpness.temperature;
        let (tokens, d) = (self.shape.tokens, self.shape.d);
        // The embedding is fixed, but sampled like any choice.
        let mut embedding = vec![L::Scalar::default(); tokens * d];
        for (token, row) in embedding.chunks_mut(d).enumerate() {
            let mut logits = vec![-10.0; d];
            logits[token] = 10.0;
            choose(&logits, row, temperature, random.as_deref_mut());
        }
        for (sampled, &parameter) in self.sampled.iter_mut().zip(&self.parameters) {
            *sampled = L::Scalar::of(parameter);
        }
        for gates in &self.layout.gates {
            let all = gates.start..gates.start + gates.rows * gates.columns;
            let rows = self.parameters[all.clone()].chunks(gates.columns.max(1));
            let chosen = self.sampled[all].chunks_mut(gates.columns.max(1));
            for (row, chosen) in rows.zip(chosen) {
                choose(row, chosen, temperature, random.as_deref_mut());
            }
        }
        for sets in &self.layout.sets {
            let all = sets.start..sets.start + sets.rows * sets.columns;
            let chosen = &mut self.sampled[all.clone()];
            include(
                &self.parameters[all],
                chosen,
                temperature,
                random.as_deref_mut(),
            );
        }
        let mut noise = random.map(|random| self.lanes.noise(&mut || (random.bits() >> 32) as u32));
        self.of_sampled.fill(L::Scalar::default());
        let mut loss = 0.0;
        for chunk in batch.chunks(self.groups * L::COUNT) {
            self.load(chunk, &embedding, 1.0 / batch.len() as f64);
            self.forward(sharpness, noise.as_mut());
            loss += self.classify();
            self.backward(sharpness);
        }
        for (gradient, of) in self.gradient.iter_mut().zip(&self.of_sampled) {
            *gradient = of.number();
        }
        for gates in &self.layout.gates {
            for row in 0..gates.rows {
                let start = gates.start + row * gates.columns;
                let row = start..start + gates.columns;
                let chosen = self.sampled[row.clone()]
                    .iter()
                    .map(|chosen| chosen.number());
                let gradient = &mut self.gradient[row];
                let mean: f64 = chosen
                    .clone()
                    .zip(gradient.iter())
                    .map(|(y, g)| y * g)
                    .sum();
                for (y, g) in chosen.zip(gradient) {
                    *g = y * (*g - mean) / temperature;
                }
            }
        }
        for sets in &self.layout.sets {
            let all = sets.start..sets.start + sets.rows * sets.columns;
            let chosen = self.sampled[all.clone()].iter();
            for (y, g) in chosen.zip(&mut self.gradient[all]) {
                let y = y.number();
                *g *= y * (1.0 - y) / temperature;
            }
        }
        loss
    }

    fn load(&mut self, chunk: &[Sample], embedding: &[L::Scalar], share: f64) {
        let (n, d) = (self.shape.n, self.shape.d);
        let columns = self.groups * n;
        let lanes = self.lanes;
        let (zero, one) = (L::Scalar::default(), L::Scalar::of(1.0));
        self.wanted.fill(lanes.zero());
        for example in 0..self.groups * L::COUNT {
            let (group, lane) = (example / L::COUNT, example % L::COUNT);
            let sample = chunk.get(example);
            let scored = sample.map_or(0, |s| s.labels.iter().filter(|&&label| label != 0).count());
            let weight = L::Scalar::of(share / scored.max(1) as f64);
            for p in 0..n {
                let column = group * n + p;
                let token = sample.map_or(0, |sample| usize::from(sample.tokens[p]));
                let label = sample.map_or(0, |sample| usize::from(sample.labels[p]));
                // An example that is not there has one token, so that no pattern is empty.
                let present = token != 0 || (sample.is_none() && p == 0);
                L::lanes(&mut self.mask[column])[lane] = if present { one } else { zero };
                L::lanes(&mut self.weight[column])[lane] = if label != 0 { weight } else { zero };
                L::lanes(&mut self.wanted[label * columns + column])[lane] = one;
                for h in 0..d {
                    let number = embedding[token * d + h];
                    L::lanes(&mut self.categorical[column * d + h])[lane] = number;
                }
            }
        }
        let positions = &mut self.categorical[slab(columns, d)..][..columns * d];
        for (column, position) in positions.chunks_mut(d).enumerate() {
            position.fill(lanes.zero());
            position[column % n] = lanes.splat(one);
        }
        self.numerical[..columns].fill(lanes.splat(one));
    }

    /// The loss of the chunk; leaves the gradients of all variables and of the classifier.
    fn classify(&mut self) -> f64 {
        let (d, labels) = (self.shape.d, self.shape.labels);
        let columns = self.groups * self.shape.n;
        let (lanes, variables) = (self.lanes, self.layout.categorical);
        let rows = (0..variables * d).map(|row| row / d * slab(columns, d) + row % d);
        let categorical = Rows::of(rows, d);
        let numerical = Rows::new(self.layout.numerical, 0, columns, 1);
        let logits = Rows::new(labels, 0, columns, 1);
        let parts = [
            (
                self.layout.classifier,
                &self.categorical,
                &categorical,
                Start::Zero,
            ),
            (
                self.layout.classifier + variables * d * labels,
                &self.numerical,
                &numerical,
                Start::Present,
            ),
        ];
        for (start, inputs, from, onto) in parts {
            lanes.launch(Product {
                weights: Weights {
                    numbers: &self.sampled[start..],
                    row: 1,
                    column: labels,
                },
                inputs,
                from,
                outputs: &mut self.logits,
                to: &logits,
                columns,
                start: onto,
                then: Then::Kept,
                sparse: false,
            });
        }
        let mut loss = 0.0;
        lanes.launch(CrossEntropy {
            logits: &mut self.logits,
            wanted: &self.wanted,
            weight: &self.weight,
            loss: &mut loss,
        });
        let rest = self.layout.classifier + variables * d * labels;
        let parts = [
            (
                self.layout.classifier,
                &self.categorical,
                &mut self.of_categorical,
                categorical,
                FIXED * d,
            ),
            (
                rest,
                &self.numerical,
                &mut self.of_numerical,
                numerical,
                FIXED_NUMBERS,
            ),
        ];
        for (start, inputs, of_inputs, rows, fixed) in parts {
            lanes.launch(Gradient {
                a: inputs,
                of_a: &rows,
                b: &self.logits,
                of_b: &logits,
                columns,
                gradient: &mut self.of_sampled[start..],
                steps: (labels, 1),
                weights: None,
            });
            lanes.launch(Product {
                weights: Weights {
                    numbers: &self.sampled[start..],
                    row: labels,
                    column: 1,
                },
                inputs: &self.logits,
                from: &logits,
                outputs: of_inputs,
                to: &rows.after(fixed),
                columns,
                start: Start::Zero,
                then: Then::Kept,
                sparse: false,
            });
        }
        loss
    }
}
