//! The command line: one file a subcommand. Files and the terminal are touched here, in `session`'s
//! file loader and in the REPL only. Results go to standard output, diagnostics to standard error;
//! the exit status is 0 for success, 1 for an error in the program or its input, 2 for a wrong
//! command line, 3 for a question that is left open.

mod arguments;
mod batch;
mod certify;
mod check;
mod doc;
mod equiv;
mod explain;
mod fmt;
mod generate;
mod host;
mod input;
mod json;
mod making;
mod model;
mod output;
mod progress;
mod puzzle;
mod run;
mod schedule;
mod test;
mod tour;
mod verify;

use arguments::{Arguments, Command};
use clap::Parser;
use clap::error::{ContextKind, ContextValue};
use output::{Output, Stop};

/// Runs the command line of this process and gives its exit status.
pub fn main() -> i32 {
    std::panic::set_hook(Box::new(report_bug));
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are answers, not mistakes; clap knows which is which.
            let _ = error.print();
            if let Some(program) = program_as_command(&error) {
                eprintln!("\nTo run a program: `rasp run {program}`");
            }
            return error.exit_code();
        }
    };
    let Some(command) = arguments.command else {
        return crate::repl::main();
    };
    let mut output = Output::new(command.json());
    let result = dispatch(&mut output, command);
    match result.and_then(|()| output.flush()) {
        Ok(()) => output.status(),
        Err(Stop::Reported) => {
            let _ = output.flush();
            1
        }
        Err(Stop::Usage) => 2,
        // Whoever read our output has gone: nothing is left to say.
        Err(Stop::Output) => 1,
    }
}

/// The program that stands where a command belongs.
fn program_as_command(error: &clap::Error) -> Option<&str> {
    match error.get(ContextKind::InvalidSubcommand)? {
        ContextValue::String(word) if word.ends_with(".rasp") => Some(word),
        _ => None,
    }
}

fn dispatch(output: &mut Output, command: Command) -> Result<(), Stop> {
    match command {
        Command::Run(arguments) => run::run(output, &arguments),
        Command::Schedule(arguments) => schedule::schedule(output, &arguments),
        Command::Check(arguments) => check::check(output, &arguments),
        Command::Compile(arguments) => model::compile(output, &arguments),
        Command::Info(arguments) => model::info(output, &arguments),
        Command::Certify(arguments) => certify::certify(output, &arguments),
        Command::Exec(arguments) => model::exec(output, &arguments),
        Command::Tour(arguments) => tour::tour(output, &arguments),
        Command::Verify(arguments) => verify::verify(output, &arguments),
        Command::Test(arguments) => test::test(output, &arguments),
        Command::Fmt(arguments) => fmt::fmt(output, &arguments),
        Command::Doc(arguments) => doc::doc(output, &arguments),
        Command::Equiv(arguments) => equiv::equiv(output, &arguments),
        Command::Generate(arguments) => generate::generate(output, &arguments),
        Command::Explain(arguments) => explain::explain(output, &arguments),
        Command::Puzzle(arguments) => puzzle::puzzle(output, &arguments),
    }
}

/// A panic is a bug of ours, never the user's mistake; say so.
fn report_bug(panic: &std::panic::PanicHookInfo) {
    eprintln!(
        "rasp {}: this is a bug in rasp, not in your program.",
        env!("CARGO_PKG_VERSION")
    );
    eprintln!("Please report it with the program and the command that led here.\n{panic}");
}
