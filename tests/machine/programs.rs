//! Random SUBLEQ programs and the machines of programs, for tests and benches.

use rasp::base::Random;
use rasp::execute::Precision;
use rasp::machine::looped::built::{Built, Names};
use rasp::machine::looped::description::Machine;
use rasp::machine::looped::run::{Engines, Run};
use rasp::machine::looped::subleq::program::{Program, Stored};
use rasp::machine::looped::subleq::{p10, r1, r1s, r2, stored};
use rasp::model::Model;

/// The machines whose instructions stand apart from the words.
pub const SUBLEQ: [Machine; 4] = [Machine::R1, Machine::R2, Machine::R1s, Machine::P10];

fn built(machine: Machine, program: &Program) -> Built {
    match machine {
        Machine::R1 => r1::build(program),
        Machine::R2 => r2::build(program),
        Machine::R1s => r1s::build(program),
        _ => p10::build(program),
    }
}

fn unnamed() -> Names {
    Names {
        words: Vec::new(),
        labels: Vec::new(),
        lines: Vec::new(),
        functions: Vec::new(),
        definitions: Vec::new(),
        float64: false,
    }
}

pub fn model(machine: Machine, program: &Program) -> Model {
    built(machine, program).model(machine, program.bits, unnamed(), 1)
}

pub fn stored_model(program: &Stored) -> Model {
    stored::build(program).model(Machine::Stored, program.bits, unnamed(), 1)
}

/// A random program among its own words: most instructions work on the words behind them, some on
/// instructions, on the port, or go to the end.
pub fn random_stored(random: &mut Random, bits: usize) -> Stored {
    let (code, data) = (3 + random.below(6), 4 + random.below(6));
    let end = 1i64 << (bits - 1);
    let cells = 3 * code + data;
    let mut words = Vec::new();
    for _ in 0..code {
        let mut place = || match random.below(6) {
            0 => random.below(cells) as i64,
            _ => (3 * code + random.below(data)) as i64,
        };
        words.extend([place(), place()]);
        if random.below(8) == 0 {
            let port = words.len() - 1;
            words[port] = -1;
        }
        words.push(match random.below(12) {
            0 => -1,
            _ => 3 * random.below(code) as i64,
        });
    }
    words.extend((0..data).map(|_| match random.below(3) {
        0 => random.below(7) as i64 - 3,
        1 => (random.bits() as i64).rem_euclid(2 * end) - end,
        _ => random.below(cells) as i64,
    }));
    Stored {
        bits,
        words,
        labels: Vec::new(),
    }
}

/// Runs random stored programs beside the interpreter, each for so many steps, or until it halts or
/// asks for a word that is none: how many steps there were, and after how many states differed.
pub fn stored_beside_the_interpreter(
    programs: usize,
    steps: usize,
    precision: Precision,
    check_every: Option<u64>,
) -> (usize, usize) {
    let mut numbers = Random::new(7);
    let (mut ran, mut wrong) = (0, 0);
    for number in 0..programs {
        let program = random_stored(&mut numbers, [8, 12, 16, 18][number % 4]);
        let model = stored_model(&program);
        let mut run = Run::new(&model, Engines::Delta, precision, check_every).expect("a machine");
        let mut state = program.start();
        let mut printed = Vec::new();
        for _ in 0..steps {
            let Ok(word) = program.step(&mut state) else {
                break;
            };
            printed.extend(word);
            run.step().expect("equal engines");
            ran += 1;
            let same = run.description.state(run.engine()) == state && run.printed == printed;
            wrong += usize::from(!same);
            if state.halted {
                break;
            }
        }
    }
    (ran, wrong)
}

/// A random program; words are near 0, near the ends of their range, or anything.
pub fn random(random: &mut Random, bits: usize, is_small: bool) -> Program {
    let (words, code) = (3 + random.below(6), 3 + random.below(8));
    let end = 1i64 << (bits - 1);
    let mut word = |_| match random.below(if is_small { 1 } else { 4 }) {
        0 => random.below(7) as i64 - 3,
        1 => end - 1 - random.below(3) as i64,
        2 => random.below(3) as i64 - end,
        _ => (random.bits() as i64).rem_euclid(2 * end) - end,
    };
    let mut program = Program {
        bits,
        words: (0..words).map(&mut word).collect(),
        ..Program::default()
    };
    let mut below = |bound| random.below(bound);
    program.code = (0..code)
        .map(|_| [below(words), below(words), below(code + 1)])
        .collect();
    program.code.push([0, 0, code]);
    program
}
