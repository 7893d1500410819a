//! `rasp machine asm`, `run`, `trace` and `disasm`: a looped computer is made from an assembler text, run,
//! and its program read from the weights.

use super::arguments::{Integrity, ModelFile};
use super::host::Floats;
use super::input::read_text;
use super::output::{Output, Stop, table};
use crate::base::{Code, Diagnostic, Fallible, Sources, visible};
use crate::execute::Precision;
use crate::machine::looped::asm::assemble;
use crate::machine::looped::description::{Description, Machine};
use crate::machine::looped::disasm::{disassemble, instruction};
use crate::machine::looped::input::put;
use crate::machine::looped::run::{Engines, Run, text};
use crate::model::{self, Model};
use clap::Args;
use serde_json::Value as Json;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Asm {
    /// The program; `-` reads it from standard input
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
    /// The machine; without it, the one that suits the program
    #[arg(long, value_enum, value_name = "MACHINE")]
    machine: Option<Machine>,
    /// The floats that products of matrices are made for; without it, float64
    #[arg(long, value_enum, value_name = "DTYPE")]
    dtype: Option<Precision>,
    #[command(flatten)]
    file: ModelFile,
    /// The description as one JSON object; errors and warnings too
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Running {
    /// A looped computer
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// How many steps at most; without it, until the program halts
    #[arg(long, value_name = "T")]
    steps: Option<u64>,
    /// What evaluates the layers; the results are the same to the bit
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = Engines::Delta)]
    engine: Engines,
    /// Run the dense engine beside it, and compare all numbers after each K steps
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    check_every: Option<u64>,
    #[command(flatten)]
    floats: Floats,
    #[command(flatten)]
    digest: Integrity,
    /// Other values at the start: `6,-7` in the order of the program, or `x=6,y=-7`
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    input: Option<String>,
    /// The result as one JSON object, or one for each step; errors and warnings too
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Disasm {
    /// A looped computer
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    digest: Integrity,
}

pub fn asm(output: &mut Output, arguments: &Asm) -> Result<(), Stop> {
    let mut sources = Sources::new();
    let loaded = read_text(&arguments.program).map_err(|problem| {
        let message = format!("the program could not be read: {problem}");
        Box::new(Diagnostic::error(Code::FileNotFound, message))
    });
    let text = output.expect(loaded, &sources)?.text;
    let source = sources.add(visible::path(&arguments.program), text.clone());
    let is_fleq = arguments
        .program
        .extension()
        .is_some_and(|extension| extension == "fleq");
    let machine = arguments.machine.or(is_fleq.then_some(Machine::Fleq));
    let precision = arguments.dtype.unwrap_or(Precision::F64);
    let model = match assemble(source, &text, machine, precision) {
        Ok(model) => model,
        Err(found) => return output.report_all(&found, &sources),
    };
    output.expect(arguments.file.save(&model), &sources)?;
    let summary = model::summary(&model);
    if arguments.json {
        return output.json(&summary);
    }
    let list = |numbers: &[usize]| {
        let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
        numbers.join(" ")
    };
    let row = |name: &str, value: String| vec![name.to_string(), value];
    output.text(&table(
        &["machine", &summary.name],
        &[
            row("layers", summary.layers.to_string()),
            row("heads", list(&summary.heads)),
            row("d_model", summary.d_model.to_string()),
            row("d_mlp", list(&summary.d_mlp)),
            row("not zero", summary.nonzero.to_string()),
            row("columns", summary.max_length.to_string()),
        ],
    ))?;
    output.line(&arguments.file.told())
}

/// A machine before its first step, with other values at its start where some are given.
fn start(arguments: &Running) -> Fallible<(Model, Run)> {
    let mut model = model::load_with(&arguments.model, arguments.digest.asked())?;
    let description = Description::of(&model)?;
    if let Some(text) = &arguments.input {
        put(&mut model, &description, text)?;
    }
    let precision = arguments.floats.precision(&model);
    let run = Run::new(&model, arguments.engine, precision, arguments.check_every)?;
    Ok((model, run))
}

pub fn run(output: &mut Output, arguments: &Running) -> Result<(), Stop> {
    let sources = Sources::new();
    let (_, mut run) = output.expect(start(arguments), &sources)?;
    let ran = run.run(arguments.steps);
    output.expect(ran, &sources)?;
    let found = run.to_json();
    if arguments.json {
        return output.json(&found);
    }
    let (counter, halted) = run.description.counter(run.engine());
    let end = match halted {
        true => "halted".to_string(),
        false => format!("at {}", run.description.place(counter)),
    };
    output.line(&format!("{} steps, {end}", run.steps))?;
    if run.description.machine == Machine::Stored {
        let printed = text(&run.printed);
        output.text(&printed)?;
        if !printed.is_empty() && !printed.ends_with('\n') {
            output.line("")?;
        }
        return Ok(());
    }
    let labels = found["labels"].as_object();
    for (name, value) in labels.into_iter().flatten() {
        output.line(&format!("{name} = {}", shown(value)))?;
    }
    Ok(())
}

/// A value, a matrix row by row.
fn shown(value: &Json) -> String {
    let is_row = |row: &Json| row.is_array();
    match value.as_array() {
        Some(rows) if rows.iter().all(is_row) && rows.len() > 1 => {
            let rows = rows.iter().map(|row| format!("\n  {row}"));
            rows.collect()
        }
        _ => value.to_string(),
    }
}

pub fn trace(output: &mut Output, arguments: &Running) -> Result<(), Stop> {
    let sources = Sources::new();
    let (model, mut run) = output.expect(start(arguments), &sources)?;
    let mut before = run.to_json();
    let mut steps = 0;
    loop {
        let counter = before["pc"].as_i64().unwrap_or_default();
        if arguments.json {
            output.json(&before)?;
        } else {
            let next = match run.description.machine {
                Machine::Stored => stored_instruction(&run),
                Machine::R1 | Machine::R2 | Machine::R1s | Machine::P10 | Machine::Fleq => {
                    instruction(&model, &run.description, counter)
                }
            };
            output.line(format!("{steps:6}  {counter:4}  {next}").trim_end())?;
        }
        if run.halted() || arguments.steps.is_some_and(|most| steps >= most) {
            return Ok(());
        }
        if arguments.steps.is_none() && steps >= crate::machine::looped::run::MOST_STEPS {
            let ended = run.run(None);
            return output.expect(ended, &sources);
        }
        let printed = run.printed.len();
        let stepped = run.step();
        output.expect(stepped, &sources)?;
        steps += 1;
        let now = run.to_json();
        if !arguments.json {
            for change in changes(&run.description, &before, &now) {
                let change = change.replace('\n', &format!("\n{:14}", ""));
                output.line(&format!("{:14}{change}", ""))?;
            }
            for printed in &run.printed[printed..] {
                output.line(&format!("{:14}prints {:?}", "", text(&[*printed])))?;
            }
        }
        before = now;
    }
}

/// The next instruction of a stored program, as it stands in memory now.
fn stored_instruction(run: &Run) -> String {
    let description = &run.description;
    let name = |address: &i64| {
        let index = usize::try_from(*address).ok();
        let name = index.and_then(|index| description.name(index));
        name.unwrap_or_else(|| address.to_string())
    };
    match description.operands(run.engine()) {
        Ok(operands) if !run.halted() => operands.iter().map(name).collect::<Vec<_>>().join(" "),
        _ => String::new(),
    }
}

/// The words, or the variables, that a step has changed, and what they are now.
fn changes(description: &Description, before: &Json, now: &Json) -> Vec<String> {
    if description.machine == Machine::Fleq {
        let labels = now["labels"].as_object().into_iter().flatten();
        let changed = labels.filter(|(name, value)| before["labels"][name] != **value);
        return changed
            .map(|(name, value)| format!("{name} = {}", shown(value)))
            .collect();
    }
    let words = |of: &Json| of["memory"].as_array().cloned().unwrap_or_default();
    let both = words(before).into_iter().zip(words(now)).enumerate();
    let changed = both.filter(|(_, (before, now))| before != now);
    let told = |(index, (_, now))| format!("{} = {now}", description.word_name(index));
    changed.map(told).collect()
}

pub fn disasm(output: &mut Output, arguments: &Disasm) -> Result<(), Stop> {
    let load = || {
        let model = model::load_with(&arguments.model, arguments.digest.asked())?;
        let description = Description::of(&model)?;
        Ok((model, description))
    };
    let (model, description) = output.expect(load(), &Sources::new())?;
    output.text(&disassemble(&model, &description))
}

choices! {
    Machine {
        R1: "SUBLEQ in 1 layer",
        R2: "SUBLEQ in 2 layers",
        R1s: "SUBLEQ in 1 layer, words are numbers and do not wrap",
        P10: "SUBLEQ in 10 layers, as Giannou et al. have it",
        Stored: "SUBLEQ in 2 layers, programs may change themselves",
        Fleq: "FLEQ, functions of matrices, in 4 layers",
    }
    Engines {
        Dense "dense": "Every column in each step",
        Delta "delta": "Only what can have changed",
    }
}
