//! Looped computers: random programs on every machine against the interpreter, a million steps without
//! drift, steps per second as memory grows, and the errors of programs of matrices. `cargo bench --bench
//! machine -- speed p10` prints one part of one machine only: `random`, `long`, `speed` or `fleq`.

#[path = "../tests/machine/programs.rs"]
mod programs;

use programs::{SUBLEQ, model, random, stored_beside_the_interpreter, stored_model};
use rasp::base::{Random, Sources};
use rasp::execute::Precision;
use rasp::machine::looped::asm::assemble;
use rasp::machine::looped::description::Machine;
use rasp::machine::looped::fleq;
use rasp::machine::looped::run::{Engines, Run};
use rasp::machine::looped::subleq::program::{Program, State, Stored};
use rasp::machine::looped::subleq::text::{self, Assembled};
use rasp::model::Model;
use std::io::{self, Write};
use std::time::Duration;

const BOTH: [Precision; 2] = [Precision::F32, Precision::F64];

type Out = io::Stdout;

fn main() -> io::Result<()> {
    match parts() {
        // Nobody reads on.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

fn parts() -> io::Result<()> {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    let parts = ["random", "long", "speed", "fleq"];
    let names_part = wanted.iter().any(|name| parts.contains(&name.as_str()));
    let is_wanted = |part: &str| !names_part || wanted.iter().any(|wanted| wanted == part);
    let all = [SUBLEQ.as_slice(), &[Machine::Stored]].concat();
    let named = |machine: &&Machine| wanted.iter().any(|wanted| wanted == machine.name());
    let named: Vec<Machine> = all.iter().filter(named).copied().collect();
    let machines = if named.is_empty() { all } else { named };
    let out = &mut io::stdout();
    if is_wanted("random") {
        random_programs(1_000, 48, &machines, out)?;
    }
    if is_wanted("long") {
        long(1_000_000, &machines, out)?;
    }
    if is_wanted("speed") {
        speed(&machines, out)?;
    }
    if is_wanted("fleq") {
        matrices(out)?;
    }
    Ok(())
}

/// Processor time of this thread, which other work on the machine leaves alone.
fn time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn random_programs(
    programs: usize,
    steps: usize,
    machines: &[Machine],
    out: &mut Out,
) -> io::Result<()> {
    writeln!(out, "machine  floats  programs  steps each  wrong states")?;
    let is_stored = |machine: &Machine| *machine == Machine::Stored;
    for machine in machines
        .iter()
        .copied()
        .filter(|machine| !is_stored(machine))
    {
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
            writeln!(
                out,
                "{name:7}  {precision:?}     {programs:8}  {steps:10}  {wrong:12}"
            )?;
        }
    }
    for precision in BOTH.iter().filter(|_| machines.iter().any(is_stored)) {
        let (ran, wrong) = stored_beside_the_interpreter(programs, steps, *precision, None);
        let each = format!("{:.1}", ran as f64 / programs as f64);
        writeln!(
            out,
            "stored   {precision:?}     {programs:8}  {each:>10}  {wrong:12}"
        )?;
    }
    Ok(())
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

/// The sum of a table, again and again, by an instruction that is changed to point to the next word,
/// among so many columns.
fn endless_stored(columns: usize) -> Stored {
    let text = "
.code
loop: table, sum, next
next: minus, loop, last
last: one, n, start
zero, zero, loop
start: less, n, back
back: two, loop, clear
clear: sum, sum, loop
table: one: 1
minus: -1
sum: 0
n: 2
less: -2
two: 2
zero: 0";
    let Ok(Assembled::Stored(mut program, _)) = text::assemble(Sources::new().add("", ""), text)
    else {
        panic!("it is a program");
    };
    // The scratch column, the sink and the port hold no word.
    program.words.resize(columns - 3, 0);
    program
}

/// A machine that never halts, with so many columns, and its interpreter.
fn endless_model(machine: Machine, columns: usize) -> (Model, Box<dyn FnMut(u64) -> State>) {
    if machine == Machine::Stored {
        let program = endless_stored(columns);
        let mut state = program.start();
        let model = stored_model(&program);
        let go = move |steps| {
            (0..steps).for_each(|_| {
                program.step(&mut state).expect("a word");
            });
            state.clone()
        };
        return (model, Box::new(go));
    }
    let program = endless(columns);
    let mut state = program.start();
    let model = model(machine, &program);
    let go = move |steps| {
        (0..steps).for_each(|_| program.step(&mut state));
        state.clone()
    };
    (model, Box::new(go))
}

/// Steps between two comparisons with the dense engine.
const EVERY: u64 = 1;

fn long(steps: u64, machines: &[Machine], out: &mut Out) -> io::Result<()> {
    writeln!(
        out,
        "\nmachine  floats     steps  state, bits against the dense engine, drift, seconds"
    )?;
    for machine in machines {
        for precision in BOTH {
            let (model, mut interpreter) = endless_model(*machine, 32);
            let every = std::env::var("RASP_DENSE").is_ok().then_some(EVERY);
            let mut run = Run::new(&model, Engines::Delta, precision, every).expect("a machine");
            let before = time();
            let ran = run.run(Some(steps));
            let seconds = (time() - before).as_secs_f64();
            let same = run.description.state(run.engine()) == interpreter(steps);
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
            writeln!(
                out,
                "{name:7}  {precision:?}   {steps:9}  {state}, {equal}, {drift}, {seconds:.0}"
            )?;
        }
    }
    Ok(())
}

fn speed(machines: &[Machine], out: &mut Out) -> io::Result<()> {
    writeln!(out, "\nsteps per second of processor time, delta engine")?;
    let names = machines
        .iter()
        .map(|machine| format!(" {:>9}", machine.name()));
    writeln!(out, "columns  floats  {}", names.collect::<String>())?;
    for columns in [32, 128, 512, 2_048, 8_192] {
        for precision in BOTH {
            write!(out, "{columns:7}  {precision:?}     ")?;
            for machine in machines {
                let (model, _) = endless_model(*machine, columns);
                let mut run = Run::new(&model, Engines::Delta, precision, None).expect("a machine");
                run.run(Some(1_000)).expect("one engine");
                let steps = 200_000;
                let before = time();
                run.run(Some(steps)).expect("one engine");
                let rate = steps as f64 / (time() - before).as_secs_f64();
                write!(out, " {rate:9.0}")?;
                out.flush()?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

fn matrices(out: &mut Out) -> io::Result<()> {
    writeln!(
        out,
        "\nprogram                floats   steps  steps/s  largest error of any variable"
    )?;
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
            writeln!(
                out,
                "{name:22} {precision:?} {steps:9} {rate:8.0}  {worst:.1e}"
            )?;
        }
    }
    Ok(())
}
