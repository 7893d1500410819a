//! Time of a forward pass, in microseconds of one thread: alone, and among many inputs at once; the
//! least of many runs. Of random sparse models, or of the model files that are given:
//! `cargo bench --bench execute -- FILE…` prints one JSON object for each, on inputs of the greatest
//! length. `onnx_runtime.py` sets those beside ONNX Runtime.

#[path = "../tests/model/random.rs"]
mod random;

use random::{Random, Sizes};
use rasp::execute::{Executor, Precision};
use rasp::value::Value;
use std::path::Path;
use std::time::{Duration, Instant};

fn main() {
    let files = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench");
    let files: Vec<String> = files.collect();
    for file in &files {
        measure_file(file);
    }
    if !files.is_empty() {
        return;
    }
    println!("layers heads d_model d_mlp density length precision   alone  of many");
    measure(4, 2, 50, 100, 0.02, 10);
    measure(10, 4, 500, 2_000, 0.002, 10);
    measure(10, 4, 500, 2_000, 0.002, 64);
    measure(4, 4, 2_000, 20_000, 0.000_2, 100);
    measure(10, 4, 500, 2_000, 0.002, 256);
}

/// Inputs of the greatest length, as many as are run at once.
fn measure_file(file: &str) {
    let model = rasp::model::load(Path::new(file)).expect("a model");
    let mut random = Random::new(1);
    let length = model.max_length;
    let inputs: Vec<Vec<Value>> = (0..64).map(|_| random.tokens(&model, length)).collect();
    for precision in [Precision::F32, Precision::F64] {
        let executor = Executor::new(&model, precision).expect("a sound model");
        let alone = least(|| drop(executor.run(&inputs[0]).expect("a valid input")));
        let many = least(|| drop(executor.run_all(&inputs).expect("valid inputs")));
        println!(
            r#"{{"model": {file:?}, "precision": "{precision:?}", "alone": {:.1}, "of_many": {:.1}}}"#,
            microseconds(alone),
            microseconds(many) / inputs.len() as f64,
        );
    }
}

fn measure(layers: usize, heads: usize, d_model: usize, d_mlp: usize, density: f64, length: usize) {
    let mut random = Random::new(1);
    let model = random.model(&Sizes {
        d_model,
        layers,
        heads,
        d_head: d_model / 10,
        d_mlp,
        density,
        vocabulary: 30,
        max_length: length,
        causal: false,
        special: false,
    });
    let inputs: Vec<Vec<Value>> = (0..64).map(|_| random.tokens(&model, length)).collect();
    for precision in [Precision::F32, Precision::F64] {
        let executor = Executor::new(&model, precision).expect("a sound model");
        let alone = least(|| drop(executor.run(&inputs[0]).expect("a valid input")));
        let many = least(|| drop(executor.run_all(&inputs).expect("valid inputs")));
        println!(
            "{layers:6} {heads:5} {d_model:7} {d_mlp:5} {density:7} {length:6} {:>9} {:7.0} {:8.0}",
            format!("{precision:?}"),
            microseconds(alone),
            microseconds(many) / inputs.len() as f64,
        );
    }
}

fn microseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// The shortest of the runs that fit in a second, and of three at least.
fn least(mut run: impl FnMut()) -> Duration {
    let start = Instant::now();
    let mut least = Duration::MAX;
    let mut runs = 0;
    while runs < 3 || (start.elapsed() < Duration::from_secs(1) && runs < 1_000) {
        let before = Instant::now();
        run();
        least = least.min(before.elapsed());
        runs += 1;
    }
    least
}
