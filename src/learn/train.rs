//! Training: epochs of Adam at a falling temperature (Friedman, Wettig & Chen 2023, section 3.3), for
//! several seeds of which the better go on, and the best discrete program of any epoch. Depends on
//! `network`, `extract`, `program` and `data`.

use super::attend::Sharpness;
use super::data::Data;
use super::extract;
use super::lanes::{Lanes, Wide32};
use super::layout::{Layout, Shape};
use super::network::{Network, Sample};
use super::program::Program;
use crate::base::Random;
use serde::{Deserialize, Serialize};

/// Whether to stop, asked often.
pub type Stop = dyn Fn() -> bool + Sync;

/// How training goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// How often all examples are seen.
    pub epochs: usize,
    /// Examples of a step.
    pub batch: usize,
    /// The learning rate.
    pub rate: f64,
    /// The temperature of the first epoch, and of the last.
    pub temperatures: (f64, f64),
    /// The first seed.
    pub seed: u64,
    /// How many seeds begin.
    pub seeds: usize,
    /// Epochs after which the better quarter of the seeds goes on; twice as many later again.
    pub scout: usize,
}

impl Default for Recipe {
    fn default() -> Recipe {
        Recipe {
            epochs: 250,
            batch: 512,
            rate: 0.05,
            temperatures: (3.0, 0.01),
            seed: 0,
            seeds: 1,
            scout: 5,
        }
    }
}

/// How far training is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Epochs done.
    pub epoch: usize,
    /// Epochs in all.
    pub epochs: usize,
    /// Seeds that go on.
    pub seeds: usize,
    /// The mean loss of the last epoch, of the best seed.
    pub loss: f64,
    /// The temperature at its end.
    pub temperature: f64,
    /// The share of labels that the best discrete program so far gets right, of those to choose by.
    pub right: f64,
}

/// One seed on its way. Everything that goes on from here is a function of this.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Run {
    /// What its random numbers come from.
    pub seed: u64,
    /// Epochs done.
    pub epoch: usize,
    /// The mean loss of the last epoch.
    pub loss: f64,
    /// Steps done, for Adam.
    steps: i32,
    parameters: Vec<f64>,
    moments: [Vec<f64>; 2],
    /// The share of labels that the best discrete program so far gets right.
    pub right: f64,
    best: Vec<f64>,
}

impl Run {
    fn new(shape: &Shape, seed: u64) -> Run {
        let layout = Layout::new(shape);
        let parameters = layout.parameters(&mut Random::new(seed ^ 0x626f_726e));
        Run {
            seed,
            epoch: 0,
            loss: f64::MAX,
            steps: 0,
            moments: [vec![0.0; layout.size], vec![0.0; layout.size]],
            right: -1.0,
            best: parameters.clone(),
            parameters,
        }
    }

    /// The best discrete program of any epoch.
    pub fn program(&self, shape: &Shape, data: &Data) -> Program {
        extract::program(shape, &Layout::new(shape), &self.best, &data.train)
    }

    /// One epoch.
    /// An epoch more; none where `stop` says so on the way.
    fn advance<L: Lanes>(
        &mut self,
        network: &mut Network<L>,
        data: &Data,
        recipe: &Recipe,
        stop: &Stop,
    ) {
        network.parameters.clone_from(&self.parameters);
        // Random numbers begin anew with each epoch, so that one that is resumed has the same.
        let mut random = Random::new(Random::new(self.seed).bits() ^ self.epoch as u64);
        let mut order: Vec<usize> = (0..data.train.count()).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last + 1));
        }
        let batches = order.len().div_ceil(recipe.batch);
        let mut loss = 0.0;
        for (number, batch) in order.chunks(recipe.batch).enumerate() {
            if stop() {
                return;
            }
            let within = number as f64 / (batches - 1).max(1) as f64;
            let sharpness = Sharpness {
                temperature: recipe.temperature(self.epoch, within),
                divisor: (network.shape.d as f64).sqrt(),
                least: 0.01,
                causal: data.causal,
            };
            let samples: Vec<Sample> = batch
                .iter()
                .map(|&at| {
                    let (tokens, labels) = data.train.example(at);
                    Sample { tokens, labels }
                })
                .collect();
            loss += network.step(&samples, sharpness, Some(&mut random));
            self.steps += 1;
            adam(network, &mut self.moments, self.steps, recipe.rate);
        }
        self.loss = loss / batches as f64;
        self.parameters.clone_from(&network.parameters);
        self.epoch += 1;
        let due = self.epoch.is_multiple_of(5) || self.epoch == recipe.epochs;
        if due && self.loss.is_finite() {
            let shape = &network.shape;
            let program = extract::program(shape, &network.layout, &self.parameters, &data.choose);
            let right = program.score(&data.choose).tokens();
            if right >= self.right {
                self.right = right;
                self.best.clone_from(&self.parameters);
            }
        }
    }
}

/// A step of Adam (Kingma & Ba 2015).
fn adam<L: Lanes>(network: &mut Network<L>, moments: &mut [Vec<f64>; 2], step: i32, rate: f64) {
    let (first, second) = (1.0 - 0.9f64.powi(step), 1.0 - 0.999f64.powi(step));
    let [means, squares] = moments;
    let parameters = network.parameters.iter_mut().zip(&network.gradient);
    for ((parameter, &gradient), (mean, square)) in
        parameters.zip(means.iter_mut().zip(squares.iter_mut()))
    {
        *mean = 0.9 * *mean + 0.1 * gradient;
        *square = 0.999 * *square + 0.001 * gradient * gradient;
        *parameter -= rate / first * *mean / ((*square / second).sqrt() + 1e-8);
    }
}

impl Recipe {
    /// The temperature within an epoch: it falls by the same factor with each.
    fn temperature(&self, epoch: usize, within: f64) -> f64 {
        let (hot, cold) = self.temperatures;
        let last = (self.epochs - 1).max(1) as f64;
        let share = ((epoch as f64 + within) / last).min(1.0);
        hot * (cold / hot).powf(share)
    }
}

/// Seeds in training.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Training {
    /// Those that go on, the best first.
    pub runs: Vec<Run>,
}

impl Training {
    /// Where all seeds begin.
    pub fn new(shape: &Shape, recipe: &Recipe) -> Training {
        let seeds = 0..recipe.seeds.max(1) as u64;
        let runs = seeds.map(|seed| Run::new(shape, recipe.seed.wrapping_mul(1000) + seed));
        Training {
            runs: runs.collect(),
        }
    }

    /// Whether it is of networks of a shape, as that of a file need not be.
    pub fn fits(&self, shape: &Shape) -> bool {
        let size = Layout::new(shape).size;
        let fits = |run: &Run| {
            let [means, squares] = &run.moments;
            [&run.parameters, &run.best, means, squares]
                .iter()
                .all(|list| list.len() == size)
        };
        !self.runs.is_empty() && self.runs.iter().all(fits)
    }

    /// Epochs done.
    pub fn epoch(&self) -> usize {
        self.runs.first().map_or(0, |run| run.epoch)
    }

    /// Goes on until all epochs are done, or until `watch`, which sees each epoch, says `false`; or
    /// until `stop` says `true`, in the middle of an epoch, after which nothing goes on from here.
    pub fn go_on(
        &mut self,
        shape: &Shape,
        data: &Data,
        recipe: &Recipe,
        watch: &mut dyn FnMut(&Training, Progress) -> bool,
        stop: &Stop,
    ) {
        pulp::Arch::new().dispatch(GoOn {
            training: self,
            shape,
            data,
            recipe,
            watch,
            stop,
        });
    }
}

struct GoOn<'a> {
    training: &'a mut Training,
    shape: &'a Shape,
    data: &'a Data,
    recipe: &'a Recipe,
    watch: &'a mut dyn FnMut(&Training, Progress) -> bool,
    stop: &'a Stop,
}

impl pulp::WithSimd for GoOn<'_> {
    type Output = ();

    fn with_simd<S: pulp::Simd>(self, simd: S) {
        self.run(Wide32(simd));
    }
}

impl GoOn<'_> {
    fn run<L: Lanes>(self, lanes: L) {
        let GoOn {
            training,
            shape,
            data,
            recipe,
            watch,
            stop,
        } = self;
        while training.epoch() < recipe.epochs {
            each(&mut training.runs, |runs| {
                let mut network = Network::new(lanes, shape, vec![]);
                for run in runs {
                    run.advance(&mut network, data, recipe, stop);
                }
            });
            if stop() {
                return;
            }
            let epoch = training.epoch();
            let is_due = (0..16).any(|round| recipe.scout << round == epoch);
            training
                .runs
                .sort_by(|a, b| (b.right.total_cmp(&a.right)).then(a.loss.total_cmp(&b.loss)));
            if is_due {
                let left = training.runs.len().div_ceil(4);
                training.runs.truncate(left);
            }
            let Some(best) = training.runs.first() else {
                return;
            };
            let progress = Progress {
                epoch,
                epochs: recipe.epochs,
                seeds: training.runs.len(),
                loss: best.loss,
                temperature: recipe.temperature(epoch - 1, 1.0),
                right: best.right,
            };
            if !watch(training, progress) {
                return;
            }
        }
    }
}

/// Some work on parts of the runs, on all processors.
#[cfg(feature = "parallel")]
fn each(runs: &mut [Run], work: impl Fn(&mut [Run]) + Send + Sync) {
    use rayon::prelude::*;
    let size = runs.len().div_ceil(rayon::current_num_threads()).max(1);
    runs.par_chunks_mut(size).for_each(work);
}

#[cfg(not(feature = "parallel"))]
fn each(runs: &mut [Run], work: impl Fn(&mut [Run])) {
    work(runs);
}
