//! The command line: the subcommands, each in the file of its name or of what it is about, and what they
//! share. Results go to standard output, diagnostics to standard error; the exit status is 0 for success,
//! 1 for an error in the program or its input, 2 for a wrong command line, 3 for a question that is left
//! open, 130 after Ctrl-C. Whether diagnostics can be written changes neither results nor status.

#[macro_use]
mod choices;

mod arguments;
mod batch;
mod certify;
mod check;
mod doc;
mod draw;
mod dyck;
mod equiv;
mod exec;
mod explain;
mod explain_run;
mod fmt;
mod generate;
mod host;
mod input;
mod json;
mod learn;
mod learnt;
mod limits;
mod looped;
mod machine;
mod making;
mod model;
mod output;
mod progress;
mod puzzle;
mod run;
mod schedule;
mod shell;
mod test;
mod tour;
mod verify;

use crate::base::render::Color;
use crate::base::{Code, Diagnostic, Sources, tell, visible};
use crate::eval::Meta;
use crate::graph::Sharing;
use arguments::{Arguments, Command};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};
use output::{Output, Stop};
use std::io::Write;
use std::path::{Path, PathBuf};

/// So many s-ops of a program are named where one is missing.
const SOPS_SHOWN: usize = 8;

/// Runs the command line of this process and gives its exit status.
pub fn main() -> i32 {
    std::panic::set_hook(Box::new(report_bug));
    let command = with_negative_numbers(Arguments::command(), &words());
    // Taking it apart again takes as long as reading the command line.
    let command = Box::leak(Box::new(command));
    let matches = command.try_get_matches_from_mut(std::env::args_os());
    let arguments = match matches.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(error) => return answer(&meant(error)),
    };
    if let (Some(_), Some(program)) = (&arguments.command, &arguments.file) {
        let problem = format!("a command cannot follow the program {program}");
        let command = &mut Arguments::command();
        return answer(&command.error(ErrorKind::ArgumentConflict, problem));
    }
    limits::set(&arguments.limit);
    let color = arguments.color;
    let Some(command) = arguments.command else {
        return prompt(color, arguments.file.as_deref());
    };
    let mut output = Output::new(command.json(), color);
    let result = dispatch(&mut output, command);
    match result.and_then(|()| output.flush()) {
        Ok(()) => output.status(),
        Err(Stop::Reported | Stop::Interrupted) => {
            let _ = output.flush();
            output.status()
        }
        Err(Stop::Usage) => 2,
        // Whoever read our output has gone: nothing is left to say.
        Err(Stop::Output) => 1,
    }
}

/// The words of the command line.
fn words() -> Vec<String> {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    words.collect()
}

/// The command line with `-1` as a value of every option of the commands that are among these words, so
/// that it is refused as a number that does not fit, and not as an option of its own.
fn with_negative_numbers(command: clap::Command, words: &[String]) -> clap::Command {
    let value =
        |argument: &clap::Arg| !argument.is_positional() && argument.get_action().takes_values();
    let command = command.mut_args(|argument| match value(&argument) {
        true => argument.allow_negative_numbers(true),
        false => argument,
    });
    let is_named = |command: &clap::Command| words.iter().any(|word| word == command.get_name());
    command.mut_subcommands(|command| match is_named(&command) {
        true => with_negative_numbers(command, words),
        false => command,
    })
}

/// What is wrong first: the command, if it is none, whatever follows it; or the file, if it is no program,
/// whatever is missing. An option that there is not is no value either, as clap would have it.
fn meant(mut error: clap::Error) -> clap::Error {
    if let Some(file) = without_sop(&error, &words())
        && let Err(told) = input::read(&file)
    {
        let help = told.help.iter().map(|help| format!("\n\n{}", help.message));
        let text = format!("{}{}\n", told.message, String::from_iter(help));
        return clap::Error::raw(ErrorKind::ValueValidation, text);
    }
    let unknown = [ErrorKind::UnknownArgument, ErrorKind::InvalidSubcommand];
    if !unknown.contains(&error.kind()) {
        return error;
    }
    let mut command = Arguments::command();
    let word = words().into_iter().nth(1).unwrap_or_default();
    let none = !word.starts_with('-') && command.find_subcommand(&word).is_none();
    match arguments::program(&word) {
        Err(problem) if none => {
            command.error(ErrorKind::InvalidValue, format!("`{word}`: {problem}"))
        }
        _ => {
            error.remove(ContextKind::Suggested);
            error
        }
    }
}

/// Shows what clap has to say, and gives the exit status.
fn answer(error: &clap::Error) -> i32 {
    let words = words();
    let unseen = words.iter().any(|word| word.contains(visible::is_unseen));
    let asks_for_json = words
        .iter()
        .take_while(|word| *word != "--")
        .any(|word| word == "--json");
    if asks_for_json && error.use_stderr() {
        let text = error.render().to_string();
        let text = text.trim_start_matches("error: ").trim_end();
        let mut parts = text.split("\n\n").map(str::trim);
        let told = Diagnostic::error(Code::BadRequest, parts.next().unwrap_or_default());
        let told = parts.fold(told, Diagnostic::note);
        let told = output::diagnostic_json(&told, &Sources::new());
        tell(&format!("{told}\n"));
        return error.exit_code();
    }
    // Help and version are answers, not mistakes; clap knows which is which.
    let shown = match unseen && error.use_stderr() {
        true => {
            tell(&visible::visible(&error.render().to_string()));
            Ok(())
        }
        false => error.print().and_then(|()| std::io::stdout().flush()),
    };
    if shown.is_err() && !error.use_stderr() {
        return 1;
    }
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(program) = words.get(1)
        && arguments::program(program).is_ok()
    {
        tell(&format!(
            "\nTo run a program: `rasp run {}`\n",
            visible::name(program)
        ));
    }
    if let Some(option) = option_of(error, &words).or_else(|| sops_of(error, &words)) {
        tell(&format!("\n{option}\n"));
    }
    error.exit_code()
}

/// The file of a command that is not told which s-op is meant.
fn without_sop(error: &clap::Error, words: &[String]) -> Option<PathBuf> {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let asks = error.kind() == ErrorKind::MissingRequiredArgument
        && missing.iter().any(|option| option.starts_with("--expr"));
    let mut files = words.iter().skip(2).map(PathBuf::from);
    files.find(|file| asks && file.is_file())
}

/// The s-ops of the program, where it is not said which of them is meant.
fn sops_of(error: &clap::Error, words: &[String]) -> Option<String> {
    let program = input::read(&without_sop(error, words)?).ok()?;
    let mut session = limits::session(Sharing::Equal);
    session.load(&program);
    let own = session.own_names().into_iter();
    let sops = own.filter(|(_, meta)| matches!(meta, Meta::SOp(_)));
    let named: Vec<String> = sops
        .map(|(name, _)| format!("`-e {}`", visible::name(&name)))
        .collect();
    let last = named.last()?;
    Some(match named.len() {
        1..=SOPS_SHOWN => format!("Its s-ops: {}", named.join(", ")),
        more => format!("It has {more} s-ops; the last is {last}"),
    })
}

/// With which option a word would be given that stands where there is no place for it.
fn option_of(error: &clap::Error, words: &[String]) -> Option<String> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    if error.kind() != ErrorKind::UnknownArgument || word.starts_with('-') {
        return None;
    }
    let word = visible::name(word);
    match words.get(1)?.as_str() {
        "run" | "draw" | "explain-run" => Some(format!(
            "An input is given as `-i {word}`, an s-op as `-e {word}`"
        )),
        "exec" | "generate" => Some(format!("An input is given as `-i {word}`")),
        "equiv" | "schedule" | "compile" | "verify" => {
            Some(format!("An s-op is given as `-e {word}`"))
        }
        _ => None,
    }
}

/// The prompt, after a program if there is one.
fn prompt(color: Color, program: Option<&str>) -> i32 {
    if let Some(path) = program
        && let Err(error) = input::read(Path::new(path))
    {
        let mut output = Output::new(false, color);
        output.report(&error, &Sources::new());
        return output.status();
    }
    crate::repl::main(color, program, limits::limits())
}

fn dispatch(output: &mut Output, command: Command) -> Result<(), Stop> {
    match command {
        Command::Run(arguments) => run::run(output, &arguments),
        Command::Schedule(arguments) => schedule::schedule(output, &arguments),
        Command::Check(arguments) => check::check(output, &arguments),
        Command::Compile(arguments) => model::compile(output, &arguments),
        Command::Info(arguments) => model::info(output, &arguments),
        Command::Certify(arguments) => certify::certify(output, &arguments),
        Command::Exec(arguments) => exec::exec(output, &arguments),
        Command::Draw(arguments) => draw::draw(output, &arguments),
        Command::Tour(arguments) => tour::tour(output, &arguments),
        Command::Verify(arguments) => verify::verify(output, &arguments),
        Command::Test(arguments) => test::test(output, &arguments),
        Command::Fmt(arguments) => fmt::fmt(output, &arguments),
        Command::Doc(arguments) => doc::doc(output, &arguments),
        Command::Equiv(arguments) => equiv::equiv(output, &arguments),
        Command::Generate(arguments) => generate::generate(output, &arguments),
        Command::Learn(arguments) => learn::learn(output, &arguments),
        Command::Completions(arguments) => shell::completions(output, &arguments),
        Command::Man(arguments) => shell::man(output, &arguments),
        Command::ExplainRun(arguments) => explain_run::explain_run(output, &arguments),
        Command::Explain(arguments) => explain::explain(output, &arguments),
        Command::Machine(arguments) => machine::machine(output, &arguments),
        Command::Puzzle(arguments) => puzzle::puzzle(output, &arguments),
    }
}

/// A panic is a bug of ours, never the user's mistake; say so.
fn report_bug(panic: &std::panic::PanicHookInfo) {
    tell(&format!(
        "rasp {}: this is a bug in rasp, not in your program.\n\
         Please report it with the program and the command that led here.\n{panic}\n",
        env!("CARGO_PKG_VERSION")
    ));
}
