//! Random SUBLEQ programs and the machines of programs, for tests and benches.

use rasp::base::Random;
use rasp::machine::looped::built::{Built, Names};
use rasp::machine::looped::description::Machine;
use rasp::machine::looped::subleq::program::Program;
use rasp::machine::looped::subleq::{p10, r1, r1s, r2};
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

pub fn model(machine: Machine, program: &Program) -> Model {
    let names = Names {
        words: Vec::new(),
        labels: Vec::new(),
        functions: Vec::new(),
        definitions: Vec::new(),
        float64: false,
    };
    built(machine, program).model(machine, program.bits, names, 1)
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
