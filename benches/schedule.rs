//! What exact schedules give and take: for every named s-op of the examples and every use of the
//! library, for the program `rover` of Weiss et al. 2021, and for random problems. A line shows the
//! cost of the earliest schedule, of the greedy one and of the exact one, as layers / heads of the
//! widest layer / heads / units of the widest layer / residual directions, with times.

#[path = "../tests/schedule/made.rs"]
mod made;
#[allow(dead_code, reason = "their inputs are for the tests")]
#[path = "../tests/stdlib/uses.rs"]
mod uses;

use made::{Shape, random, read};
use rasp::base::{Control, Random};
use rasp::graph::Sharing;
use rasp::inside::stdlib::{MODULES, RASPLIB};
use rasp::schedule::exact::{Options, solve};
use rasp::schedule::greedy;
use rasp::schedule::problem::{Cost, Problem, Slots};
use rasp::schedule::program::Program;
use rasp::session::{Meta, Session, files};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn main() {
    for merge_heads in [false, true] {
        let options = Options {
            merge_heads,
            conflicts: Options::CONFLICTS,
        };
        println!("merge_heads: {merge_heads}");
        total("examples", examples(), &options);
        total("library", library(), &options);
        let rover = read(include_str!("../tests/schedule/rover.txt"));
        total("rover", vec![("rover".to_string(), rover)], &options);
        total("random, 24 heads and 36 forms", randoms(), &options);
    }
}

/// A line for each problem, and how long the slowest took.
fn total(title: &str, problems: Vec<(String, Problem)>, options: &Options) {
    println!("{title}");
    let count = problems.len();
    let mut proved = 0;
    let mut times: Vec<Duration> = Vec::new();
    for (name, problem) in problems {
        let (is_proved, time) = line(&name, &problem, options);
        proved += usize::from(is_proved);
        times.push(time);
    }
    times.sort_unstable();
    println!(
        "{title}: {proved} of {count} proved, median {:.1?}, most {:.1?}\n",
        times[count / 2],
        times[count - 1]
    );
}

fn line(name: &str, problem: &Problem, options: &Options) -> (bool, Duration) {
    let show = |slots: &Slots| {
        problem.check(slots).expect("a schedule in order");
        shown(&problem.cost(slots))
    };
    let early = show(&greedy::as_soon_as_possible(problem));
    let started = Instant::now();
    let greedy = show(&greedy::schedule(problem, options.merge_heads));
    let greedy_time = started.elapsed();
    let started = Instant::now();
    let solution = solve(problem, options, &Control::default());
    let time = started.elapsed();
    let proved = match solution.is_optimal() {
        true => "proved",
        false => "open",
    };
    let exact = show(&solution.slots);
    println!(
        "  {early:18} {greedy:18} {:>8} {exact:18} {:>8} {proved:6}  {name}",
        format!("{greedy_time:.1?}"),
        format!("{time:.1?}"),
    );
    (solution.is_optimal(), time)
}

fn shown(cost: &Cost) -> String {
    let Cost {
        layers,
        widest,
        heads,
        units,
        dims,
    } = cost;
    format!("{layers}/{widest}/{heads}/{units}/{dims}")
}

/// Every named s-op of every example.
fn examples() -> Vec<(String, Problem)> {
    let mut paths: Vec<PathBuf> = ["examples", "examples/papers"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).expect("a folder of examples"))
        .map(|entry| entry.expect("an example").path())
        .filter(|path| path.extension().is_some_and(|it| it == "rasp"))
        .collect();
    paths.sort();
    paths.iter().flat_map(|path| named(path)).collect()
}

fn named(path: &Path) -> Vec<(String, Problem)> {
    let mut session = Session::new(Sharing::Equal);
    session.load(&files::read(path).expect("an example"));
    let mut problems = Vec::new();
    for (name, meta) in session.own_names() {
        if let Meta::SOp(sop) = meta {
            let program = Program::new(session.graph(), &[sop]);
            problems.push((format!("{} {name}", path.display()), program.problem));
        }
    }
    problems
}

/// Every function of the library in use.
fn library() -> Vec<(String, Problem)> {
    let mut problems = Vec::new();
    for module in [&RASPLIB].into_iter().chain(MODULES) {
        for used in uses::uses(module.name) {
            let mut session = Session::new(Sharing::Equal);
            if module.name != RASPLIB.name {
                session.load_text("program", &format!("load \"{}\";", module.name));
            }
            if let Ok(sop) = session.sop(used.expression) {
                let program = Program::new(session.graph(), &[sop]);
                let name = format!("{} {}", module.name, used.expression);
                problems.push((name, program.problem));
            }
        }
    }
    problems
}

fn randoms() -> Vec<(String, Problem)> {
    let shape = Shape {
        inputs: 2,
        heads: 24,
        forms: 36,
        selectors: 18,
        operands: 3,
        units: 12,
        dims: 3,
        outputs: 2,
    };
    let make = |seed| {
        let problem = random(&mut Random::new(seed), &shape);
        (format!("random {seed}"), problem)
    };
    (0..20).map(make).collect()
}
