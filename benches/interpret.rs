//! How the time of programs grows with the length of the input, beside a plain sort of the same
//! keys: `cargo bench --bench interpret`. `RASP_BENCH_MAX=100000` stops earlier.

use rasp::graph::{SOpId, Sharing};
use rasp::session::Session;
use rasp::value::Value;
use std::time::{Duration, Instant};

const LENGTHS: [usize; 7] = [1_000, 1_600, 10_000, 31_623, 100_000, 316_228, 1_000_000];

/// What stands at the positions of an input.
#[derive(Clone, Copy)]
enum Input {
    /// Ints from a range much wider than the input.
    Wide,
    /// A few ints.
    Few,
    /// Lower-case letters.
    Letters,
    /// Strings of one kind of brackets.
    Parentheses,
    /// Strings of three kinds of brackets.
    Brackets,
}

struct Program {
    name: &'static str,
    text: String,
    input: Input,
    /// Whether its cost is to stay below a growth of n^1.15.
    bounded: bool,
}

/// Programs whose cost is to stay below a growth of n^1.15.
const PROGRAMS: [(&str, &str, Input); 11] = [
    (
        "hist",
        r#"load "hist"; answer = hist(tokens_str);"#,
        Input::Letters,
    ),
    (
        "double hist",
        r#"load "hist"; answer = double_hist(tokens_str);"#,
        Input::Letters,
    ),
    (
        "reverse",
        r#"load "sorting"; answer = reverse(tokens_str);"#,
        Input::Letters,
    ),
    (
        "sort",
        "answer = sort(tokens_int, tokens_int);",
        Input::Wide,
    ),
    (
        "sort by frequency",
        r#"load "sorting"; answer = sort_by_frequency(tokens_int);"#,
        Input::Few,
    ),
    (
        "most frequent",
        r#"load "sorting"; answer = most_frequent(tokens_str, "-");"#,
        Input::Letters,
    ),
    (
        "Dyck-1 PTF",
        r#"load "dyck"; answer = dyck1_ptf(tokens_str, "(", ")");"#,
        Input::Parentheses,
    ),
    (
        "Dyck-3 PTF",
        r#"load "dyck"; answer = dyckk_ptf(tokens_str, ["()", "[]", "{}"]);"#,
        Input::Brackets,
    ),
    (
        "two orders",
        "answer = selector_width(select(tokens_int, tokens_int, <)
                                  and select(indices, indices, <));",
        Input::Wide,
    ),
    (
        "two orders in groups",
        "group = tokens_int % 100;
             answer = selector_width(select(group, group, ==)
                                  and select(tokens_int, tokens_int, <)
                                  and select(indices, indices, <));",
        Input::Wide,
    ),
    (
        "mean before",
        "answer = aggregate(select(indices, indices, <=), tokens_int / 7);",
        Input::Wide,
    ),
];

fn programs() -> Vec<Program> {
    let bounded = |(name, text, input): (&'static str, &str, Input)| Program {
        name,
        text: text.to_string(),
        input,
        bounded: true,
    };
    let mut programs: Vec<Program> = PROGRAMS.into_iter().map(bounded).collect();
    programs.push(Program {
        name: "general, 64 values",
        text: general(),
        input: Input::Few,
        bounded: false,
    });
    programs
}

/// A selector that says for each of 64 keys which query it goes with.
fn general() -> String {
    let any: Vec<String> = (0..64)
        .map(|value| {
            format!(
                "(select(tokens_int, {value}, ==) and select({}, tokens_int, ==))",
                (value * 37 + 11) % 64
            )
        })
        .collect();
    format!("answer = selector_width({});", any.join(" or "))
}

/// The same pseudo-random numbers in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let mixed = (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        mixed ^ (mixed >> 33)
    }
}

fn input(kind: Input, length: usize) -> Vec<Value> {
    let mut random = Random(length as u64);
    let text = |text: &str| -> Vec<Value> { Value::characters(text) };
    let (letters, round, all) = (
        text("abcdefghijklmnopqrstuvwxyz"),
        text("()"),
        text("()[]{}"),
    );
    let mut open = Vec::new();
    (0..length)
        .map(|_| {
            let number = random.next();
            match kind {
                Input::Wide => Value::Int((number >> 24) as i64),
                Input::Few => Value::Int((number % 64) as i64),
                Input::Letters => letters[(number % 26) as usize].clone(),
                Input::Parentheses => bracket(&mut open, number, 1, &round),
                Input::Brackets => bracket(&mut open, number, 3, &all),
            }
        })
        .collect()
}

/// Opens or closes a bracket of a balanced sequence.
fn bracket(open: &mut Vec<usize>, number: u64, kinds: u64, signs: &[Value]) -> Value {
    if number & 1 == 0
        && let Some(kind) = open.pop()
    {
        return signs[2 * kind + 1].clone();
    }
    let kind = (number / 2 % kinds) as usize;
    open.push(kind);
    signs[2 * kind].clone()
}

fn session(program: &Program) -> (Session, SOpId) {
    let mut session = Session::new(Sharing::Equal);
    session.load_text(program.name, &program.text);
    for diagnostic in session.take_diagnostics() {
        assert!(
            diagnostic.severity == rasp::base::Severity::Warning,
            "{}: {diagnostic}",
            program.name
        );
    }
    let sop = session
        .sop("out")
        .unwrap_or_else(|error| panic!("{}: {error}", program.name));
    (session, sop)
}

/// The shortest of a few runs.
fn shortest(mut run: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    let begin = Instant::now();
    for round in 0..7 {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed());
        if round >= 2 && begin.elapsed() > Duration::from_secs(2) {
            break;
        }
    }
    best
}

/// The slope of the line of best fit through the logarithms, from n = 10⁴ on.
fn exponent(times: &[(usize, Duration)]) -> f64 {
    let points: Vec<(f64, f64)> = times
        .iter()
        .filter(|(length, _)| *length >= 10_000)
        .map(|(length, time)| ((*length as f64).ln(), time.as_secs_f64().ln()))
        .collect();
    let count = points.len() as f64;
    let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let above: f64 = points
        .iter()
        .map(|(x, y)| (x - mean_x) * (y - mean_y))
        .sum();
    above
        / points
            .iter()
            .map(|(x, _)| (x - mean_x).powi(2))
            .sum::<f64>()
}

fn line(name: &str, times: &[(usize, Duration)], note: &str) {
    let shown: Vec<String> = times
        .iter()
        .map(|(_, time)| format!("{:>9.3}", time.as_secs_f64() * 1e3))
        .collect();
    println!(
        "{name:<22}{}  n^{:.2}  {note}",
        shown.join(""),
        exponent(times)
    );
}

fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.map_or("unknown".to_string(), |peak| peak.trim().to_string())
}

fn main() {
    let most = std::env::var("RASP_BENCH_MAX")
        .ok()
        .and_then(|most| most.parse().ok());
    let only = std::env::var("RASP_BENCH_ONLY").unwrap_or_default();
    let lengths: Vec<usize> = LENGTHS
        .into_iter()
        .filter(|length| *length <= most.unwrap_or(usize::MAX))
        .collect();
    let head: Vec<String> = lengths
        .iter()
        .map(|length| format!("{length:>9}"))
        .collect();
    println!("milliseconds          {}  growth", head.join(""));
    let plain: Vec<(usize, Duration)> = lengths
        .iter()
        .map(|length| (*length, plain(*length)))
        .collect();
    line("slice::sort_by_key", &plain, "");
    for program in programs()
        .into_iter()
        .filter(|program| program.name.contains(&only))
    {
        let (session, sop) = session(&program);
        let times: Vec<(usize, Duration)> = lengths
            .iter()
            .map(|length| {
                let input = input(program.input, *length);
                let run = || {
                    std::hint::black_box(session.evaluate(sop, &input).expect("it runs"));
                };
                (*length, shortest(run))
            })
            .collect();
        let within = if !program.bounded {
            "(unbounded)"
        } else if exponent(&times) <= 1.15 {
            "ok"
        } else {
            "ABOVE n^1.15"
        };
        let last = |times: &[(usize, Duration)]| times.last().map_or(0.0, |(_, t)| t.as_secs_f64());
        let ratio = last(&times) / last(&plain);
        line(
            program.name,
            &times,
            &format!("{within}, {ratio:.1} × sort_by_key"),
        );
    }
    println!("peak memory: {}", peak_memory());
}

/// Sorting the same keys with positions, as plain ints.
fn plain(length: usize) -> Duration {
    let keys: Vec<i64> = input(Input::Wide, length)
        .iter()
        .filter_map(Value::as_int)
        .collect();
    shortest(|| {
        let mut keys = keys.clone();
        keys.sort_by_key(|key| *key);
        std::hint::black_box(keys);
    })
}
