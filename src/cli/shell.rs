//! `rasp completions` and `rasp man`: what shells and the `man` command know of the command line, from
//! the same description of it that clap reads.

use super::arguments::Arguments;
use super::output::{Output, Stop};
use crate::base::{Code, Diagnostic, Sources};
use clap::{Args, CommandFactory};
use clap_complete::Shell;

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub struct Man {
    /// A command of rasp; without one, the page of rasp itself
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

pub fn completions(output: &mut Output, arguments: &Completions) -> Result<(), Stop> {
    let mut script = Vec::new();
    let mut command = Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, "rasp", &mut script);
    output.exact(&script)
}

pub fn man(output: &mut Output, arguments: &Man) -> Result<(), Stop> {
    let mut whole = Arguments::command();
    whole.build();
    let page = match &arguments.command {
        None => whole,
        Some(name) => match whole.find_subcommand(name) {
            Some(command) => command.clone(),
            None => {
                let message = format!("there is no command `{name}`");
                let error = Diagnostic::error(Code::BadRequest, message)
                    .help("`rasp --help` lists the commands");
                return Err(output.refuse(&error, &Sources::new()));
            }
        },
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    output.exact(&text)
}
