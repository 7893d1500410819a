//! What learning takes, and how right it is: each task with three seeds, small programs first.
//!
//! `cargo bench --bench learn` holds every text against its discrete program on all inputs that can be
//! listed. `cargo bench --bench learn -- train hist 250 0` trains the transformer of a task instead, for
//! so many epochs, from a seed; `train all` does that for each task.

use rasp::inside::decompile::{agreement, decompile};
use rasp::inside::learn::{Data, Program, Progress, Recipe, Sizes, Task, Training, grow};
use rasp::session::Asked;
use std::time::Instant;

/// Seconds of all processors that this process has used; wall time where the system does not tell.
fn seconds(begun: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default();
    let ticks: Vec<f64> = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse().ok())
        .collect();
    match ticks[..] {
        [user, system] => (user + system) / 100.0,
        _ => begun.elapsed().as_secs_f64(),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
        .collect();
    let begun = Instant::now();
    match arguments.first().map(String::as_str) {
        Some("train") => train(&arguments[1..], begun),
        _ => small(begun),
    }
}

fn heading() {
    println!(
        "{:<12} {:>4} {:>8} {:>7} {:>6} {:>9} {:>17} {:>17}  model",
        "task", "seed", "CPU s", "modules", "lines", "test", "all inputs right", "text equal"
    );
}

fn small(begun: Instant) {
    heading();
    for task in Task::ALL {
        for seed in 0..3 {
            let data = Data::of_task(task, seed).expect("a task has data");
            let start = seconds(begun);
            let found = grow(&data.train, &data.labels, data.causal, seed, &mut || false);
            let took = seconds(begun) - start;
            let Some(program) = found else {
                println!("{:<12} {seed:>4} {took:>8.2} nothing found", task.name());
                continue;
            };
            report(&data, &program, seed, took);
        }
    }
}

fn report(data: &Data, program: &Program, seed: u64, took: f64) {
    let test = program.score(&data.test);
    let all = data.all.as_ref().map(|all| program.score(all));
    let shown = all.map_or("-".to_string(), |all| {
        format!("{}/{}", all.inputs_right, all.inputs)
    });
    let (text, equal, model) = match decompile(program, data) {
        Ok(mut text) => {
            let set = data.all.as_ref().unwrap_or(&data.test);
            let equal = match agreement(&text, program, data, set) {
                Ok((equal, of)) => format!("{equal}/{of}"),
                Err(error) => error.to_string(),
            };
            let model = match text.session.compile(&["output"], &Asked::default()) {
                Ok(compiled) => format!(
                    "{} layers, {}",
                    compiled.model.layers.len(),
                    if compiled.is_certified() {
                        "proved"
                    } else {
                        "not proved"
                    }
                ),
                Err(error) => error.to_string(),
            };
            (text.text, equal, model)
        }
        Err(error) => (String::new(), error.to_string(), String::new()),
    };
    println!(
        "{:<12} {seed:>4} {took:>8.2} {:>7} {:>6} {:>8.3}% {shown:>17} {equal:>17}  {model}",
        data.name,
        program.modules.len(),
        text.lines().filter(|line| !line.is_empty()).count(),
        100.0 * test.tokens(),
    );
}

fn train(arguments: &[String], begun: Instant) {
    let name = arguments.first().map_or("all", String::as_str);
    heading();
    for task in Task::ALL {
        if name == "all" || name == task.name() {
            train_one(task, arguments, begun);
        }
    }
}

/// The most memory that this process has held, in MB, where the system tells.
fn memory() -> String {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.map_or("-".to_string(), |kilobytes| {
        format!("{:.0} MB", kilobytes / 1024.0)
    })
}

fn train_one(task: Task, arguments: &[String], begun: Instant) {
    let number = |at: usize, usual: usize| {
        arguments
            .get(at)
            .and_then(|text| text.parse().ok())
            .unwrap_or(usual)
    };
    let (epochs, seed) = (number(1, 250), number(2, 0) as u64);
    let data = Data::of_task(task, seed).expect("a task has data");
    let sizes = Sizes::of_task(Some(task));
    let recipe = Recipe {
        epochs,
        seed,
        ..Recipe::default()
    };
    let mut training = Training::new(&sizes.shape(&data), &recipe);
    let start = seconds(begun);
    let mut watch = |_: &Training, progress: Progress| {
        if progress.epoch == progress.epochs {
            println!(
                "{} after {epochs} epochs: loss {:.4}, {:.2}% right, {:.1} s, {}",
                task.name(),
                progress.loss,
                100.0 * progress.right,
                seconds(begun) - start,
                memory()
            );
        }
        true
    };
    let never = &|| false;
    let program =
        rasp::inside::learn::trained(sizes, &data, &recipe, &mut training, &mut watch, never);
    if let Some(program) = program {
        report(&data, &program, seed, seconds(begun) - start);
    }
}
