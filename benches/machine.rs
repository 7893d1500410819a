//! Looped computers: random programs on every machine against the interpreter, a million steps without
//! drift, steps per second as memory grows, and the errors of programs of matrices. `cargo bench --bench
//! machine -- speed` prints one part only: `random`, `long`, `speed` or `fleq`.

#[path = "../tests/machine/programs.rs"]
mod programs;

use programs::{SUBLEQ, model, random, stored_beside_the_interpreter};
use rasp::base::{Random, Sources};
use rasp::execute::Precision;
use rasp::machine::looped::asm::assemble;
use rasp::machine::looped::description::Machine;
use rasp::machine::looped::fleq;
use rasp::machine::looped::run::{Engines, Run};
use rasp::machine::looped::subleq::program::Program;
use rasp::machine::looped::subleq::text::{self, Assembled};
use std::time::Duration;

const BOTH: [Precision; 2] = [Precision::F32, Precision::F64];

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    let is_wanted = |part: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == part);
    if is_wanted("random") {
        random_programs(1_000, 48);
    }
    if is_wanted("long") {
        long(1_000_000);
    }
    if is_wanted("speed") {
        speed();
    }
    if is_wanted("fleq") {
        matrices();
    }
}

/// Processor time of this thread, which other work on the machine leaves alone.
fn time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn random_programs(programs: usize, steps: usize) {
    println!("machine  floats  programs  steps each  wrong states");
    for machine in SUBLEQ {
        for precision in BOTH {
            let mut numbers = Random::new(7);
            let mut wrong = 0;
            for number in 0..programs {
                let is_small = machine == Machine::R1s;
                let program = random(&mut numbers, [8, 12, 16, 18][number % 4], is_small);
                let model = model(machine, &program);
                let mut run = Run::new(&model, Engines::Delta, precision, None).expect("a machine");
                let mut state = program.start();
                for _ in 0..steps {
                    program.step(&mut state);
                    let most = 1i64 << (program.bits - 2);
                    if is_small && state.words.iter().any(|word| word.abs() > most) {
                        break;
                    }
                    run.step().expect("one engine");
                    wrong += usize::from(run.description.state(run.engine()) != state);
                }
            }
            let name = machine.name();
            println!("{name:7}  {precision:?}     {programs:8}  {steps:10}  {wrong:12}");
        }
    }
    for precision in BOTH {
        let (ran, wrong) = stored_beside_the_interpreter(programs, steps, precision, None);
        let each = format!("{:.1}", ran as f64 / programs as f64);
        println!("stored   {precision:?}     {programs:8}  {each:>10}  {wrong:12}");
    }
}

/// Fibonacci numbers, again and again, among so many columns.
fn endless(columns: usize) -> Program {
    let text = "
.data
a: .word 0
b: .word 1
t: .word 0
n: .word 12
one: .word 1
less: .word -12
minus: .word -1
.text
start: clr a
clr b
clr n
sub less, n
sub minus, b
loop: mov b, t
add a, b
mov t, a
sub one, n, start
jmp loop";
    let Ok(Assembled::Program(mut program)) = text::assemble(Sources::new().add("", ""), text)
    else {
        panic!("it is a program");
    };
    let used = 2 + program.words.len() + program.code.len();
    program
        .words
        .resize(program.words.len() + columns - used, 0);
    program
}

/// Steps between two comparisons with the dense engine.
const EVERY: u64 = 1;

fn long(steps: u64) {
    println!("\nmachine  floats     steps  state, bits against the dense engine, drift");
    for machine in [Machine::R2, Machine::R1, Machine::R1s] {
        for precision in BOTH {
            let program = endless(32);
            let model = model(machine, &program);
            let every = std::env::var("RASP_DENSE").is_ok().then_some(EVERY);
            let mut run = Run::new(&model, Engines::Delta, precision, every).expect("a machine");
            let mut state = program.start();
            let ran = run.run(Some(steps));
            (0..steps).for_each(|_| program.step(&mut state));
            let same = run.description.state(run.engine()) == state;
            let description = &run.description;
            let mut drift: f64 = 0.0;
            for column in description.memory.clone() {
                for row in description.word.clone() {
                    let value = run.engine().at(row, column);
                    let near = match description.word.len() {
                        1 => value.round(),
                        _ => value.signum(),
                    };
                    drift = drift.max((value - near).abs());
                }
            }
            let equal = match (every, ran) {
                (None, _) => "not compared (set RASP_DENSE)",
                (_, Ok(())) => "equal after every step",
                (_, Err(_)) => "DIFFERENT",
            };
            let state = if same { "right" } else { "WRONG" };
            let name = machine.name();
            println!("{name:7}  {precision:?}   {steps:9}  {state}, {equal}, {drift}");
        }
    }
}

fn speed() {
    println!("\nsteps per second of processor time, delta engine");
    println!(
        "columns  floats  {:>9} {:>9} {:>9} {:>9}",
        "r1s", "r2", "r1", "p10"
    );
    for columns in [32, 128, 512, 2_048, 8_192] {
        for precision in BOTH {
            let rate = |machine: Machine| {
                if machine == Machine::P10 && columns > 512 {
                    return "-".to_string();
                }
                let model = model(machine, &endless(columns));
                let mut run = Run::new(&model, Engines::Delta, precision, None).expect("a machine");
                run.run(Some(100)).expect("one engine");
                let steps = if machine == Machine::P10 {
                    20_000
                } else {
                    200_000
                };
                let before = time();
                run.run(Some(steps)).expect("one engine");
                format!("{:.0}", steps as f64 / (time() - before).as_secs_f64())
            };
            let rates = [Machine::R1s, Machine::R2, Machine::R1, Machine::P10].map(rate);
            let [r1s, r2, r1, p10] = rates;
            println!("{columns:7}  {precision:?}     {r1s:>9} {r2:>9} {r1:>9} {p10:>9}");
        }
    }
}

fn matrices() {
    println!("\nprogram                floats   steps  steps/s  largest error of any variable");
    for name in ["calculator", "inversion", "power_iteration", "xor"] {
        let path = format!(
            "{}/examples/machine/{name}.fleq",
            env!("CARGO_MANIFEST_DIR")
        );
        let text = std::fs::read_to_string(path).expect("an example");
        let source = Sources::new().add(name, text.clone());
        let Ok(program) = fleq::text::assemble(source, &text) else {
            panic!("{name} is a program");
        };
        for precision in BOTH {
            let model = assemble(source, &text, Some(Machine::Fleq), precision).expect("a program");
            let mut run = Run::new(&model, Engines::Delta, precision, None).expect("a machine");
            let mut state = program.start();
            let before = time();
            run.run(None).expect("it halts");
            let seconds = (time() - before).as_secs_f64();
            (0..run.steps).for_each(|_| program.step(&mut state));
            let (memory, _) = run.description.memory(run.engine());
            let mut worst: f64 = 0.0;
            for (name, value) in run.description.names.iter().zip(&state.values) {
                for (row, entries) in value.iter().enumerate() {
                    for (column, exact) in entries.iter().enumerate() {
                        let found = memory[name.first + column][row]
                            .as_f64()
                            .unwrap_or(f64::NAN);
                        worst = worst.max((found - exact).abs());
                    }
                }
            }
            let (steps, rate) = (run.steps, run.steps as f64 / seconds);
            println!("{name:22} {precision:?} {steps:9} {rate:8.0}  {worst:.1e}");
        }
    }
}
