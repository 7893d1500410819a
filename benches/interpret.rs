//! How the time of programs grows with the length of the input, beside a plain sort of the same
//! keys: `cargo bench --bench interpret`. Times are processor time of all threads, the least of
//! several runs, so that other work on the machine counts little; and memory stays with the process
//! from run to run at every length, where glibc would hand back and clear again that of the long
//! inputs only (`RASP_BENCH_COLD=1` lets it). `RASP_BENCH_MAX=100000` stops earlier,
//! `RASP_BENCH_ONLY=sort` runs the programs with that in their names, `RASP_BENCH_KINDS=1` those of
//! the kinds that users write only. A program that takes longer than [`PATIENCE`] at one length is
//! not run on longer inputs.

#[path = "interpret/inputs.rs"]
mod inputs;
#[path = "interpret/kinds.rs"]
mod kinds;
#[path = "interpret/programs.rs"]
mod programs;

use inputs::Input;
use programs::{Bound, Program};
use rasp::base::{Code, Severity};
use rasp::graph::{SOpId, Sharing};
use rasp::inside::interpret::Generation;
use rasp::session::Session;
use rasp::value::Value;
use std::time::Duration;

const LENGTHS: [usize; 7] = [1_000, 1_600, 10_000, 31_623, 100_000, 316_228, 1_000_000];
/// The growth that the programs are to stay below.
const GROWTH: f64 = 1.15;
/// Tokens that are generated.
const GENERATED: usize = 2_000;

/// Longer than this nobody waits for one length.
const PATIENCE: Duration = Duration::from_secs(2);

/// Times by length.
type Times = Vec<(usize, Duration)>;

fn session(program: &Program) -> (Session, SOpId) {
    let mut session = Session::new(Sharing::Equal);
    session.load_text(program.name, &program.text);
    for diagnostic in session.take_diagnostics() {
        let name = program.name;
        assert!(
            diagnostic.severity == Severity::Warning,
            "{name}: {diagnostic}"
        );
    }
    let sop = session.sop("answer");
    let sop = sop.unwrap_or_else(|error| panic!("{}: {error}", program.name));
    (session, sop)
}

/// Processor time of all threads of this process.
#[cfg(unix)]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(not(unix))]
fn now() -> Duration {
    static BEGIN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGIN.get_or_init(std::time::Instant::now).elapsed()
}

/// The least of the runs that fit in two seconds: three at least unless each takes longer, twenty
/// at most.
fn least(mut run: impl FnMut()) -> Duration {
    let mut least = Duration::MAX;
    let begin = now();
    for round in 0..20 {
        let start = now();
        run();
        least = least.min(now() - start);
        let so_far = now() - begin;
        if so_far > PATIENCE && (round >= 2 || least > PATIENCE) {
            break;
        }
    }
    least
}

/// The slope of the line of best fit through the logarithms, from n = 10⁴ on.
fn exponent(times: &Times) -> f64 {
    let points: Vec<(f64, f64)> = times
        .iter()
        .filter(|(length, _)| *length >= 10_000)
        .map(|(length, time)| ((*length as f64).ln(), time.as_secs_f64().ln()))
        .collect();
    let count = points.len() as f64;
    let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let rise = |(x, y): &(f64, f64)| (x - mean_x) * (y - mean_y);
    let run = |(x, _): &(f64, f64)| (x - mean_x).powi(2);
    points.iter().map(rise).sum::<f64>() / points.iter().map(run).sum::<f64>()
}

fn line(name: &str, times: &Times, note: &str) {
    let shown = times.iter().map(|(_, time)| milliseconds(*time));
    let shown: String = shown.collect();
    println!("{name:<24}{shown}  n^{:.2}  {note}", exponent(times));
}

fn milliseconds(time: Duration) -> String {
    format!("{:>9.3}", time.as_secs_f64() * 1e3)
}

/// The most memory held since [`forget_peak`], where the system says.
fn peak_megabytes() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(
        peak.trim()
            .strip_suffix("kB")?
            .trim()
            .parse::<usize>()
            .ok()?
            / 1000,
    )
}

fn forget_peak() {
    // Where this cannot be written, the peaks are those of all programs so far.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Runs this again, and ends, with glibc told to keep freed memory.
fn keep_memory() {
    const KEEP: [&str; 3] = [
        "MALLOC_TOP_PAD_",
        "MALLOC_TRIM_THRESHOLD_",
        "MALLOC_MMAP_THRESHOLD_",
    ];
    let told = |name: &str| std::env::var_os(name).is_some();
    if told("RASP_BENCH_COLD") || KEEP.into_iter().any(told) {
        return;
    }
    let Ok(this) = std::env::current_exe() else {
        return;
    };
    let run = std::process::Command::new(this)
        .args(std::env::args_os().skip(1))
        .envs(KEEP.map(|name| (name, "1000000000")))
        .status();
    if let Ok(status) = run {
        std::process::exit(status.code().unwrap_or(1));
    }
}

fn main() {
    keep_memory();
    let most = std::env::var("RASP_BENCH_MAX")
        .ok()
        .and_then(|most| most.parse().ok());
    let only = std::env::var("RASP_BENCH_ONLY").unwrap_or_default();
    let lengths: Vec<usize> = LENGTHS
        .into_iter()
        .filter(|length| *length <= most.unwrap_or(usize::MAX))
        .collect();
    let head: String = lengths
        .iter()
        .map(|length| format!("{length:>9}"))
        .collect();
    println!("milliseconds            {head}  growth");
    let plain: Times = lengths.iter().map(plain).collect();
    line("slice::sort_by_key", &plain, "the yardstick");
    let kinds_only = std::env::var_os("RASP_BENCH_KINDS").is_some();
    let tuned = programs::all().into_iter().filter(|_| !kinds_only);
    for program in tuned.chain(programs::kinds()) {
        if program.name.contains(&only) {
            measure(&program, &lengths, &plain);
        }
    }
    if "generate".contains(&only) && !kinds_only {
        generate();
    }
}

fn measure(program: &Program, lengths: &[usize], plain: &Times) {
    let (session, sop) = session(program);
    forget_peak();
    let time = |length: &usize| {
        let input = inputs::input(program.input, *length);
        // What would look at more pairs than the limit allows is not measured.
        if let (Err(error), Bound::Stated(_)) = (session.evaluate(sop, &input), &program.bound) {
            assert_eq!(error.code, Code::LimitReached, "{error}");
            return None;
        }
        let run = || {
            std::hint::black_box(session.evaluate(sop, &input).expect("it runs"));
        };
        Some((*length, least(run)))
    };
    let mut times: Times = Vec::new();
    for length in lengths {
        if times.last().is_none_or(|(_, last)| *last < PATIENCE) {
            times.extend(time(length));
        }
    }
    let bound = match program.bound {
        Bound::Growth if exponent(&times) <= GROWTH => "ok".to_string(),
        Bound::Growth => format!("ABOVE n^{GROWTH}"),
        Bound::Stated(bound) => bound.to_string(),
    };
    let last = |times: &Times| times.last().map_or(0.0, |(_, time)| time.as_secs_f64());
    let ratio = last(&times) / last(&plain[..times.len()].to_vec());
    let peak = peak_megabytes().map_or(String::new(), |peak| format!(", at most {peak} MB"));
    line(
        program.name,
        &times,
        &format!("{bound}, {ratio:.1} × sort_by_key{peak}"),
    );
}

/// Sorting the same keys with positions, as plain ints.
fn plain(length: &usize) -> (usize, Duration) {
    let keys: Vec<i64> = inputs::input(Input::Wide, *length)
        .iter()
        .filter_map(Value::as_int)
        .collect();
    let sort = || {
        let mut keys = keys.clone();
        keys.sort_by_key(|key| *key);
        std::hint::black_box(keys);
    };
    (*length, least(sort))
}

/// Next-token generation: the last value of a program becomes the next token of its input.
fn generate() {
    println!("\nmilliseconds to generate {GENERATED} tokens");
    for program in programs::generators() {
        let (session, sop) = session(&program);
        let prompt = inputs::input(program.input, 10);
        let time = least(|| {
            let mut input = prompt.clone();
            for _ in 0..GENERATED {
                let sequence = session.evaluate(sop, &input).expect("it runs");
                input.extend(sequence.values.last().cloned());
            }
            std::hint::black_box(input);
        });
        let reusing = least(|| {
            let mut generation = Generation::new(session.graph(), sop, &prompt);
            for _ in 0..GENERATED {
                generation.step().expect("it runs");
            }
            std::hint::black_box(generation);
        });
        println!(
            "{:<22}{} evaluated anew for each, {} reusing the columns",
            program.name,
            milliseconds(time),
            milliseconds(reusing)
        );
    }
}
