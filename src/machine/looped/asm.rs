//! From an assembler text to the model of a machine. Depends on the assemblers and the builders.

use super::built::{Built, Names};
use super::description::{Machine, Name};
use super::fleq;
use super::fleq::text::assemble as assemble_fleq;
use super::run::no_such_word;
use super::subleq::program::{Program, Stored};
use super::subleq::text::{Assembled, assemble as assemble_subleq};
use super::subleq::{p10, r1, r1s, r2, stored};
use crate::base::{Code, Diagnostic, SourceId, Span};
use crate::execute::Precision;
use crate::model::Model;

/// Steps that the interpreter takes to find out when a program halts.
pub const TRIED_STEPS: usize = 1_000_000;

/// The same of matrices, which take longer.
const TRIED_MATRICES: usize = 50_000;

/// The most bits of a word that float32 computes with exactly.
const FLOAT32_BITS: usize = 18;

/// Layers that a model made here runs in all, so that its file is run within seconds.
const MOST_RUNS: usize = 1 << 20;

/// Assembles a text for a machine, or for the one that suits it, which for matrices has to be told:
/// their products are for one of the two floats (`dtype`). The model's loop runs until the program
/// halts, and once more, so that its last result is written; once, if it does not halt soon.
///
/// # Errors
/// All that is wrong with the text, or a machine that it is not for.
pub fn assemble(
    source: SourceId,
    text: &str,
    machine: Option<Machine>,
    dtype: Precision,
) -> Result<Model, Vec<Diagnostic>> {
    let whole = Span::new(source, 0, text.len());
    let lines = Lines::new(text);
    if machine == Some(Machine::Fleq) {
        let program = assemble_fleq(source, text)?;
        return Ok(model_of(of_matrices(&program, &lines, dtype)));
    }
    let built = match assemble_subleq(source, text)? {
        Assembled::Program(program) => of_program(&program, &lines, machine.unwrap_or(Machine::R2)),
        Assembled::Stored(program, places) => of_stored(
            &program,
            &places,
            &lines,
            machine.unwrap_or(Machine::Stored),
        )
        .map_err(|error| vec![*error])?,
    };
    let Some(made) = built else {
        let message = "the machine does not run such a program";
        let help = "`.code` is for the machine `stored`, `.text` and `.minsky` are for the others";
        let error = Diagnostic::error(Code::WrongMachine, message);
        return Err(vec![error.at(whole, "this program").help(help)]);
    };
    Ok(model_of(made))
}

fn model_of(made: Made) -> Model {
    let layers = made.built.drafts.len();
    let times = made.steps.map(|steps| steps + 1);
    let times = times.filter(|times| times * layers <= MOST_RUNS);
    let Made {
        machine,
        bits,
        names,
        ..
    } = made;
    made.built.model(machine, bits, names, times.unwrap_or(1))
}

/// A machine with its program, before it is a model.
struct Made {
    machine: Machine,
    built: Built,
    bits: usize,
    names: Names,
    /// Until it halts, if that is known.
    steps: Option<usize>,
}

fn of_program(program: &Program, lines: &Lines, machine: Machine) -> Option<Made> {
    let built = match machine {
        Machine::R1 => r1::build(program),
        Machine::R2 => r2::build(program),
        Machine::R1s => r1s::build(program),
        Machine::P10 => p10::build(program),
        Machine::Stored | Machine::Fleq => return None,
    };
    let mut state = program.start();
    let mut steps = 0;
    while !state.halted && steps < TRIED_STEPS {
        program.step(&mut state);
        steps += 1;
    }
    let name = |(name, first, count): &(String, usize, usize)| Name {
        name: name.clone(),
        first: *first,
        count: *count,
        rows: 1,
    };
    Some(Made {
        machine,
        built,
        bits: program.bits,
        names: Names {
            words: program.names.iter().map(name).collect(),
            labels: numbered(&program.labels),
            lines: lines.of(&program.places),
            functions: Vec::new(),
            definitions: Vec::new(),
            float64: program.bits > FLOAT32_BITS,
        },
        steps: state.halted.then_some(steps),
    })
}

fn of_stored(
    program: &Stored,
    places: &[Span],
    lines: &Lines,
    machine: Machine,
) -> Result<Option<Made>, Box<Diagnostic>> {
    if machine != Machine::Stored {
        return Ok(None);
    }
    let mut state = program.start();
    let mut steps = 0;
    let mut before = None;
    while !state.halted && steps < TRIED_STEPS {
        let instruction = state.counter;
        if let Err(missing) = program.step(&mut state) {
            let error = no_such_word(steps as u64, missing, program.words.len());
            let place = |at: i64| usize::try_from(at).ok().and_then(|at| places.get(at));
            // Where no instruction stands the one that went there is to blame.
            let here = place(instruction).map(|span| (span, "this instruction"));
            let there = || before.and_then(place).map(|span| (span, "it goes there"));
            return Err(Box::new(match here.or_else(there) {
                Some((span, label)) => error.at(*span, label),
                None => error,
            }));
        }
        before = Some(instruction);
        steps += 1;
    }
    let word = |(name, first): &(String, usize)| Name {
        name: name.clone(),
        first: *first,
        count: usize::from(*first < program.words.len()),
        rows: 1,
    };
    Ok(Some(Made {
        machine,
        built: stored::build(program),
        bits: program.bits,
        names: Names {
            words: program
                .labels
                .iter()
                .map(word)
                .filter(|name| name.count > 0)
                .collect(),
            labels: numbered(&program.labels),
            lines: lines.of(places),
            functions: Vec::new(),
            definitions: Vec::new(),
            float64: program.bits > FLOAT32_BITS,
        },
        steps: state.halted.then_some(steps),
    }))
}

fn of_matrices(program: &fleq::program::Program, lines: &Lines, dtype: Precision) -> Made {
    let mut state = program.start();
    let mut steps = 0;
    while !program.halted(&state) && steps < TRIED_MATRICES {
        program.step(&mut state);
        steps += 1;
    }
    let mut first = 0;
    let names = program.variables.iter().map(|variable| {
        let (rows, count) = fleq::program::shape(&variable.value);
        first += count;
        Name {
            name: variable.name.clone(),
            first: first - count,
            count,
            rows,
        }
    });
    Made {
        machine: Machine::Fleq,
        built: fleq::machine::build(program, dtype == Precision::F64),
        bits: 0,
        names: Names {
            words: names.collect(),
            labels: numbered(&program.labels),
            lines: lines.of(&program.places),
            functions: program.functions(),
            definitions: program
                .blocks
                .iter()
                .flat_map(|block| block.definitions())
                .collect(),
            float64: dtype == Precision::F64,
        },
        steps: program.halted(&state).then_some(steps),
    }
}

/// Where the lines of a text end.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Lines {
        Lines(text.match_indices('\n').map(|(end, _)| end).collect())
    }

    /// The numbers of the lines that places are in, counted from 1.
    fn of(&self, places: &[Span]) -> Vec<usize> {
        let before = |place: &Span| self.0.partition_point(|end| *end < place.start as usize);
        places.iter().map(|place| before(place) + 1).collect()
    }
}

fn numbered(labels: &[(String, usize)]) -> Vec<(usize, String)> {
    labels
        .iter()
        .map(|(name, at)| (*at, name.clone()))
        .collect()
}
