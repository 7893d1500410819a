//! `rasp machine`: transformers that are built, not compiled; one arm a subcommand.

use super::dyck;
use super::output::{Output, Stop};
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
}

impl Arguments {
    /// As [`super::arguments::Command::json`].
    pub fn json(&self) -> bool {
        match &self.command {
            Command::Dyck(arguments) => arguments.json,
            Command::Verify(arguments) => arguments.json,
            Command::Generate(arguments) => arguments.json,
        }
    }
}

pub fn machine(output: &mut Output, arguments: &Arguments) -> Result<(), Stop> {
    match &arguments.command {
        Command::Dyck(arguments) => dyck::build(output, arguments),
        Command::Verify(arguments) => dyck::verify(output, arguments),
        Command::Generate(arguments) => dyck::generate(output, arguments),
    }
}
