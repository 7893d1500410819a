//! Training: its gradients by hand against finite differences, that it goes on from where it was, and what
//! mends a program that it has not finished.

use rasp::base::Random;
use rasp::inside::learn::program::{Program, Readout};
use rasp::inside::learn::{
    Data, Exact, Layout, Network, Pool, Progress, Recipe, Sample, Shape, Sharpness, Sizes, Task,
    Training, repaired, summed,
};

/// Some examples of a task.
fn few(task: Task) -> Data {
    let mut examples = task.examples(0);
    examples.truncate(400);
    Data::new(task.name(), examples, false, 0, 0.1).expect("they have all labels")
}

/// So many examples of a task, and a program of one layer that knows nothing.
fn unlearnt(task: Task, count: usize) -> (Data, Program) {
    let mut examples = task.examples(0);
    examples.truncate(count);
    let data = Data::new(task.name(), examples, task.is_causal(), 0, 0.1).expect("a task");
    let sizes = Sizes {
        layers: 1,
        heads: 1,
        mlps: 0,
        rich: false,
    };
    let shape = sizes.shape(&data);
    let training = Training::new(&shape, &Recipe::default());
    let program = training.runs[0].program(&shape, &data).pruned();
    (data, program)
}

/// How far a parameter is moved.
const STEP: f64 = 1e-6;

/// The largest error of the gradient in some directions, each a step of all parameters up or down, and the
/// largest slope.
fn worst(causal: bool, rich: bool) -> (f64, f64) {
    let data = few(Task::Sort);
    let shape = Shape {
        tokens: data.vocabulary.len() + 1,
        labels: data.labels.len() + 1,
        n: data.n(),
        d: 8,
        layers: 2,
        copies: 2,
        counts: 3,
        tables: 1,
        counters: 2,
        causal,
        rich,
    };
    let samples: Vec<Sample> = (0..6)
        .map(|at| {
            let (tokens, labels) = data.train.example(at);
            Sample { tokens, labels }
        })
        .collect();
    let sharpness = Sharpness {
        temperature: 1.0,
        divisor: 8f64.sqrt(),
        // The bound is not a gradient, so that the check does without it.
        least: 0.0,
        causal,
    };
    let mut random = Random::new(5);
    let parameters = Layout::new(&shape).parameters(&mut random);
    let mut network = Network::new(Exact, &shape, parameters);
    network.step(&samples, sharpness, None);
    let (middle, gradient) = (network.parameters.clone(), network.gradient.clone());
    let (mut worst, mut largest) = (0f64, 0f64);
    for _ in 0..8 {
        let signs = Vec::from_iter(middle.iter().map(|_| [1.0, -1.0][random.below(2)]));
        let mut loss = |by: f64| {
            let moved = middle.iter().zip(&signs).map(|(at, sign)| at + by * sign);
            network.parameters = moved.collect();
            network.step(&samples, sharpness, None)
        };
        let slope = (loss(STEP) - loss(-STEP)) / (2.0 * STEP);
        let told: f64 = gradient.iter().zip(&signs).map(|(g, sign)| g * sign).sum();
        worst = worst.max((slope - told).abs());
        largest = largest.max(slope.abs());
    }
    (worst, largest)
}

#[test]
fn gradients_are_what_finite_differences_say() {
    for (causal, rich) in [(false, false), (true, false), (false, true)] {
        let (worst, largest) = worst(causal, rich);
        assert!(worst < 1e-8, "{worst}");
        assert!(largest > 1.0, "{largest}");
    }
}

/// A program that knows nothing becomes one that is right on what it has not seen.
#[test]
fn what_a_program_lacks_is_read_off_the_examples() {
    let tasks = [
        (Task::Reverse, 3),
        (Task::Sort, 40),
        (Task::Hist, 1),
        (Task::DoubleHist, 3),
        (Task::Dyck1, 6),
        (Task::Dyck2, 11),
        (Task::Induction, 2),
    ];
    for (task, most) in tasks {
        let (data, program) = unlearnt(task, 2000);
        assert!(program.score(&data.test).tokens() < 0.8, "{}", task.name());
        let whole = repaired(&program, &data, &|| false);
        let score = whole.score(&data.test);
        assert_eq!(score.inputs_right, score.inputs, "{}", task.name());
        assert!(whole.modules.len() <= most, "{}: {whole:?}", task.name());
    }
}

/// Where no table does, labels have points of tables that are chosen one by one: few, and for one label
/// each.
#[test]
fn sums_are_given_the_tables_that_they_lack() {
    let (data, program) = unlearnt(Task::MostFreq, 2000);
    let mut pool = Pool::new(&program, &data.train, &data, data.n());
    pool.widen();
    let summed = summed(pool, &data, &|| false);
    let [before, after] = [&program, &summed].map(|program| program.score(&data.test).tokens());
    assert!(before < 0.5 && after > 0.65, "{before} {after}");
    let Readout::Linear(linear) = &summed.readout else {
        panic!("points are summed");
    };
    assert!(linear.categorical.len() <= 20, "{linear:?}");
    for weights in linear
        .weights
        .chunks(linear.d * linear.labels)
        .take(linear.categorical.len())
    {
        let of = |label: usize| weights.iter().skip(label).step_by(linear.labels);
        let counted = (0..linear.labels).filter(|&label| of(label).any(|weight| *weight != 0.0));
        assert_eq!(counted.count(), 1, "{weights:?}");
    }
}

/// Training that is stopped, written, read and gone on with ends as training that is not.
#[test]
fn training_goes_on_from_what_was_written() {
    let data = few(Task::Hist);
    let sizes = Sizes {
        layers: 1,
        heads: 1,
        mlps: 1,
        rich: false,
    };
    let recipe = Recipe {
        epochs: 8,
        batch: 64,
        seeds: 3,
        scout: 2,
        ..Recipe::default()
    };
    let shape = sizes.shape(&data);
    let mut whole = Training::new(&shape, &recipe);
    whole.go_on(&shape, &data, &recipe, &mut |_, _| true, &|| false);
    let mut part = Training::new(&shape, &recipe);
    let mut watch = |_: &Training, progress: Progress| progress.epoch < 3;
    part.go_on(&shape, &data, &recipe, &mut watch, &|| false);
    let written = serde_json::to_string(&part).expect("numbers are JSON");
    let mut read: Training = serde_json::from_str(&written).expect("it was written");
    assert_eq!(read.epoch(), 3);
    assert!(read.fits(&shape));
    read.go_on(&shape, &data, &recipe, &mut |_, _| true, &|| false);
    assert_eq!(read, whole);
    assert_eq!(read.runs.len(), 1);
}
