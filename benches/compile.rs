//! Time to infer and to compile: every function of the library for four tokens and up to five of
//! them at a time, the paper's programs at larger sizes, each in a process of its own so that the
//! most memory it takes is known. Run with `cargo bench --bench compile`; words after `--` choose
//! the programs whose names have one of them.

#[path = "../tests/stdlib/uses.rs"]
mod uses;

use rasp::base::Limits;
use rasp::graph::{SOpId, Sharing};
use rasp::inside::compile::compile_in;
use rasp::inside::infer::Analysis;
use rasp::inside::stdlib::{MODULES, RASPLIB};
use rasp::session::{Request, Session, Setting};
use rasp::value::Value;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A program is given up after this time.
const LONGEST: Duration = Duration::from_secs(60);

const TOKENS: usize = 4;
const LENGTH: usize = 5;

/// Tells a process of the benchmark which program it measures.
const PROGRAM: &str = "RASP_BENCH_PROGRAM";

const SHUFFLE_DYCK2: &str = include_str!("../examples/shuffle_dyck2.rasp");
const ROVER: &str = include_str!("../examples/papers/weiss2021_rover.rasp");

/// The same as sums and not as fractions.
const SHUFFLE_SUMS: &str = include_str!("../tests/common/shuffle_dyck2_in_sums.rasp");

const SORT_BY_FREQUENCY: &str = "load \"sorting\"; x = sort_by_frequency(tokens);";
const MOST_FREQUENT: &str = "load \"sorting\"; x = most_frequent(tokens);";
const DOUBLE_HIST: &str = "load \"hist\"; x = double_hist(tokens);";
const DYCK1: &str = "load \"dyck\"; x = dyck1_ptf(tokens, \"(\", \")\");";
const DYCK2: &str = "load \"dyck\"; x = dyckk_ptf(tokens, [\"()\", \"{}\"]);";
const SHUFFLE_DYCK: &str = "load \"dyck\"; x = shuffle_dyck(tokens, [\"()\", \"{}\"]);";
const INDUCTION: &str = "load \"induction\"; x = induction_head(tokens);";

/// A program at some size; its own if it has one.
struct Sized {
    name: &'static str,
    text: &'static str,
    expression: &'static str,
    size: Option<(usize, usize)>,
}

const fn at(
    name: &'static str,
    text: &'static str,
    expression: &'static str,
    size: (usize, usize),
) -> Sized {
    Sized {
        name,
        text,
        expression,
        size: Some(size),
    }
}

const SIZED: &[Sized] = &[
    at("hist", "load \"hist\";", "hist(tokens)", (64, 64)),
    at("reverse", "load \"sorting\";", "reverse(tokens)", (64, 64)),
    at("sort", "", "sort(tokens, tokens)", (64, 64)),
    at(
        "frac_prevs",
        "load \"fractions\";",
        "frac_prevs(tokens, \"a\")",
        (64, 64),
    ),
    at("count", "", "count(tokens, \"a\")", (64, 256)),
    at("in", "", "indices in [1, 2, 3]", (64, 256)),
    at("hist", "load \"hist\";", "hist(tokens)", (64, 256)),
    at("reverse", "load \"sorting\";", "reverse(tokens)", (64, 256)),
    at("sort", "", "sort(tokens, tokens)", (64, 256)),
    at("induction", INDUCTION, "x", (16, 32)),
    at("double_hist", DOUBLE_HIST, "x", (16, 32)),
    at("double_hist", DOUBLE_HIST, "x", (64, 64)),
    at("sort_by_frequency", SORT_BY_FREQUENCY, "x", (16, 32)),
    at("sort_by_frequency", SORT_BY_FREQUENCY, "x", (64, 64)),
    at("most_frequent", MOST_FREQUENT, "x", (16, 32)),
    at("most_frequent", MOST_FREQUENT, "x", (64, 64)),
    at("dyck1", DYCK1, "x", (16, 32)),
    at("dyck1", DYCK1, "x", (64, 64)),
    at("dyck1", DYCK1, "x", (64, 256)),
    at("dyck2", DYCK2, "x", (4, 16)),
    at("shuffle_dyck", SHUFFLE_DYCK, "x", (64, 64)),
    at("shuffle_dyck", SHUFFLE_DYCK, "x", (64, 256)),
    at("shuffle_dyck2", SHUFFLE_DYCK2, "shuffle_dyck2", (16, 32)),
    at("shuffle_dyck2", SHUFFLE_DYCK2, "shuffle_dyck2", (64, 64)),
    at("shuffle_dyck2", SHUFFLE_DYCK2, "shuffle_dyck2", (64, 128)),
    at("shuffle_dyck2", SHUFFLE_DYCK2, "shuffle_dyck2", (64, 256)),
    at(
        "shuffle_dyck2 in sums",
        SHUFFLE_SUMS,
        "shuffle_dyck2",
        (16, 32),
    ),
    at(
        "shuffle_dyck2 in sums",
        SHUFFLE_SUMS,
        "shuffle_dyck2",
        (64, 64),
    ),
    at(
        "shuffle_dyck2 in sums",
        SHUFFLE_SUMS,
        "shuffle_dyck2",
        (64, 128),
    ),
    at(
        "shuffle_dyck2 in sums",
        SHUFFLE_SUMS,
        "shuffle_dyck2",
        (64, 256),
    ),
    Sized {
        name: "rover",
        text: ROVER,
        expression: "res",
        size: None,
    },
];

fn main() {
    if let Ok(number) = std::env::var(PROGRAM) {
        let number: usize = number.parse().expect("the benchmark's own number");
        return measure_sized(&SIZED[number]);
    }
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word));
    println!("least of several runs; `whole` is inference and all that follows\n");
    println!("infer ms  whole ms  library, {TOKENS} tokens, length {LENGTH}");
    for module in [&RASPLIB].into_iter().chain(MODULES) {
        for used in uses::uses(module.name) {
            if wanted(used.expression) {
                measure_library(module.name, used);
            }
        }
    }
    println!("\ninfer ms  whole ms   most MB  program, tokens, length");
    for (number, sized) in SIZED.iter().enumerate() {
        if wanted(sized.name) {
            measure_alone(number, sized);
        }
    }
}

fn measure_library(module: &str, used: &uses::Use) {
    let text = match module {
        "rasplib" => String::new(),
        _ => format!("load \"{module}\";"),
    };
    let (mut session, root) = program(&text, used.expression);
    let input = session.expression(used.inputs[0]).expect("an input");
    let input = input.as_tokens().expect("an input");
    let setting = Setting {
        vocabulary: vocabulary(&input, TOKENS),
        max_length: LENGTH,
        causal: false,
    };
    let (infer, whole, refused) = times(&session, root, &setting);
    println!("{infer:8.2}  {whole:8.2}  {}{refused}", used.expression);
}

/// Runs a process for one program, which prints its own row.
fn measure_alone(number: usize, sized: &Sized) {
    let itself = std::env::current_exe().expect("the path of the benchmark");
    let mut child = Command::new(itself)
        .env(PROGRAM, number.to_string())
        .stdin(Stdio::null())
        .spawn()
        .expect("a process");
    let start = Instant::now();
    while child.try_wait().expect("a process").is_none() {
        std::thread::sleep(Duration::from_millis(5));
        if start.elapsed() > LONGEST {
            child.kill().expect("a process that runs");
            child.wait().expect("a process that ended");
            println!(
                "       -         -         -  {}: over {LONGEST:?}",
                title(sized)
            );
            return;
        }
    }
}

fn title(sized: &Sized) -> String {
    match sized.size {
        Some((tokens, length)) => format!("{} {tokens} {length}", sized.name),
        None => sized.name.to_string(),
    }
}

fn measure_sized(sized: &Sized) {
    let (session, root) = program(sized.text, sized.expression);
    let setting = match sized.size {
        Some((tokens, max_length)) => Setting {
            vocabulary: vocabulary(&Value::characters("a(){}"), tokens),
            max_length,
            causal: false,
        },
        None => Setting {
            vocabulary: session.settings.vocabulary.clone().expect("its own"),
            max_length: session.settings.max_length.expect("its own"),
            causal: false,
        },
    };
    let (infer, whole, refused) = times(&session, root, &setting);
    let memory = most_memory().map_or("-".to_string(), |kilobytes| (kilobytes / 1024).to_string());
    println!(
        "{infer:8.2}  {whole:8.2}  {memory:>8}  {}{refused}",
        title(sized)
    );
}

fn program(text: &str, expression: &str) -> (Session, SOpId) {
    let mut session = Session::new(Sharing::Equal);
    session.load_text("program", text);
    let root = session.sop(expression).expect("a program that runs");
    (session, root)
}

/// Milliseconds of inference and of the whole compilation, and why that is refused, if it is.
fn times(session: &Session, root: SOpId, setting: &Setting) -> (f64, f64, String) {
    let (graph, limits) = (session.graph(), Limits::default());
    let infer = least(|| drop(Analysis::new(graph, &[root], setting, &limits)));
    let mut refused = String::new();
    let whole = least(|| {
        let request = Request::default();
        if let Err(error) = compile_in(&request, graph, &[root], setting, &limits) {
            let reason = error.labels.first().map_or("", |label| &label.text);
            refused = format!("  refused: {} {reason}", error.code);
        }
    });
    (infer, whole, refused)
}

/// Milliseconds of the shortest of the runs that fit in a fifth of a second, and of one at least.
fn least(mut run: impl FnMut()) -> f64 {
    let start = Instant::now();
    let mut least = Duration::MAX;
    let mut runs = 0;
    while runs == 0 || (start.elapsed() < Duration::from_millis(200) && runs < 100) {
        let before = Instant::now();
        run();
        least = least.min(before.elapsed());
        runs += 1;
    }
    least.as_secs_f64() * 1e3
}

/// The tokens of an input, each once, and letters and other characters up to a number.
fn vocabulary(input: &[Value], tokens: usize) -> Vec<Value> {
    let others = ('a'..='z')
        .chain('A'..='Z')
        .chain('0'..='9')
        .chain("+-".chars());
    let others = others.map(|letter| Value::str(&letter.to_string()));
    let mut distinct: Vec<Value> = Vec::new();
    for token in input.iter().cloned().chain(others) {
        if distinct.len() < tokens && !distinct.contains(&token) {
            distinct.push(token);
        }
    }
    distinct
}

/// The most memory the process has had, in KB, where the system tells.
fn most_memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
