//! `rasp machine`: transformers that are built, not compiled; one arm a subcommand.

use super::output::{Output, Stop};
use super::{dyck, looped};
use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Build a transformer for a language of nested brackets
    Dyck(dyck::Build),
    /// Hold a transformer for a bracket language against the language's definition
    Verify(dyck::Verify),
    /// Let a generator of a bracket language give words
    Generate(dyck::Generate),
    /// Assemble a program for a looped computer, and write its weights
    Asm(looped::Asm),
    /// Run a looped computer
    Run(looped::Running),
    /// Run a looped computer and show each step
    Trace(looped::Running),
    /// Show the program of a looped computer, read from its weights
    Disasm(looped::Disasm),
}

impl Arguments {
    /// As [`super::arguments::Command::json`].
    pub fn json(&self) -> bool {
        match &self.command {
            Command::Dyck(arguments) => arguments.json,
            Command::Verify(arguments) => arguments.json,
            Command::Generate(arguments) => arguments.json,
            Command::Asm(arguments) => arguments.json,
            Command::Run(arguments) | Command::Trace(arguments) => arguments.json,
            Command::Disasm(_) => false,
        }
    }
}

pub fn machine(output: &mut Output, arguments: &Arguments) -> Result<(), Stop> {
    match &arguments.command {
        Command::Dyck(arguments) => dyck::build(output, arguments),
        Command::Verify(arguments) => dyck::verify(output, arguments),
        Command::Generate(arguments) => dyck::generate(output, arguments),
        Command::Asm(arguments) => looped::asm(output, arguments),
        Command::Run(arguments) => looped::run(output, arguments),
        Command::Trace(arguments) => looped::trace(output, arguments),
        Command::Disasm(arguments) => looped::disasm(output, arguments),
    }
}
