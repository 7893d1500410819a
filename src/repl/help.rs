//! `:help`, `:names` and `:explain`: answers read off the table of built-in names, the
//! documentation of functions, the graph and the table of commands.

use super::Repl;
use super::command::{COMMANDS, Command, STATEMENTS, describe, refuse};
use crate::base::Code;
use crate::base::suggest::nearest;
use crate::builtin::{self, Kind};
use crate::eval::Meta;
use crate::pages;
use crate::stdlib;

/// Columns that longer texts are broken at.
const WIDTH: usize = 80;

/// The words and signs of the language that are no names, how they are used, and what that means.
const WORDS: &[(&str, &str, &str)] = &[
    (
        "if else",
        "tokens if indices > 0 else \"-\"",
        "at each position the first value where the condition is true, else the other",
    ),
    (
        "and or not",
        "not (indices > 1 and indices < 3)",
        "of truth values and of selectors, position by position",
    ),
    (
        "== != < > <= >=",
        "select(tokens, \"a\", ==)",
        "comparisons, position by position; in `select` the one that selects",
    ),
    (
        "+ - * / ^ %",
        "(indices + 1) * 2 ^ indices / 3 % 2",
        "arithmetic, position by position; `+` joins strings too",
    ),
    (
        "in",
        "tokens in [\"a\", \"e\"]",
        "whether a list holds the value at each position",
    ),
    (
        "def return",
        "def twice(x) { y = x + x; return y; }",
        "a function; its body ends with `return`",
    ),
    (
        "for",
        "for i in range(3) { total = i; }",
        "the statements for each element of a list",
    ),
    (
        "repeat",
        "repeat 3 (x = tokens) { x = shift(x, 1, \"-\"); }",
        "rounds: the body so many times, with what the round before has set",
    ),
    (
        "lambda",
        "zipmap([tokens, indices], lambda t, i: i)",
        "a function without a name, where one is wanted",
    ),
    (
        "assert",
        "assert length(\"ab\") == [2, 2];",
        "an error, and a failed `rasp test`, unless it is true",
    ),
];

/// What a name means, or the list of commands.
pub(super) fn help(repl: &mut Repl, argument: &str) {
    let text = match argument {
        "" => overview(),
        topic => match about(repl, topic) {
            Some(text) => text,
            None => return refuse(repl, &unknown(repl, topic)),
        },
    };
    repl.say(text);
}

fn unknown(repl: &Repl, topic: &str) -> String {
    let names = repl.session.names();
    let words = WORDS.iter().flat_map(|(words, _, _)| words.split(' '));
    match nearest(topic, names.iter().map(|name| &**name).chain(words)) {
        Some(name) => format!("nothing is called `{topic}`; did you mean `{name}`?"),
        None => format!("nothing is called `{topic}`; `:names` lists what is"),
    }
}

/// Says how a command goes on of which only the first word was typed.
pub(super) fn complete(repl: &mut Repl, word: &str) {
    refuse(
        repl,
        &format!("`{word}` is not complete; what can be written:"),
    );
    refuse(repl, commands(word).trim_end());
}

fn overview() -> String {
    let mut rows: Vec<(String, &str)> = COMMANDS
        .iter()
        .map(|command| {
            let name = format!("{} {}", command.name, command.arguments);
            (name.trim_end().to_string(), command.help)
        })
        .collect();
    rows.extend(
        STATEMENTS
            .iter()
            .map(|(name, help)| ((*name).to_string(), *help)),
    );
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let rows = rows.iter();
    let text: String = rows
        .map(|(name, help)| format!("{name:width$}  {help}\n"))
        .collect();
    format!("{text}\n`:puzzle` teaches the language; so does `rasp tour`, outside the prompt.\n")
}

fn of_command(command: &Command) -> String {
    let Command {
        name,
        arguments,
        help,
        ..
    } = command;
    format!("{name} {arguments}\n  {help}\n")
}

/// The commands, of the prompt and of the language, that a word belongs to.
fn commands(topic: &str) -> String {
    let named = |name: &str| name.trim_start_matches(':') == topic.trim_start_matches(':');
    let commands = COMMANDS.iter().filter(|command| named(command.name));
    let statements = STATEMENTS
        .iter()
        .filter(|(name, _)| name.split([' ', '(']).any(|word| word == topic));
    commands
        .map(of_command)
        .chain(statements.map(|(name, help)| format!("{name}\n  {help}\n")))
        .collect()
}

fn about(repl: &Repl, topic: &str) -> Option<String> {
    let named = |name: &&str| name.trim_start_matches(':') == topic.trim_start_matches(':');
    let is_command = |name: &str| named(&name) && (topic.starts_with(':'));
    if let Some(command) = COMMANDS.iter().find(|command| is_command(command.name)) {
        return Some(of_command(command));
    }
    if let Some(meta) = repl.session.lookup(topic) {
        return Some(definition(repl, topic, meta));
    }
    if let Some(row) = builtin::find(topic) {
        return Some(built_in(row));
    }
    if let Some(module) = stdlib::defining(topic) {
        return Some(format!(
            "`{topic}` is defined in the library module `{0}`: load \"{0}\";\n",
            module.name
        ));
    }
    if let Some((_, form, help)) = WORDS
        .iter()
        .find(|(words, _, _)| words.split(' ').any(|word| word == topic))
    {
        return Some(format!("{form}\n  {help}\n"));
    }
    if let Some(code) = pages::find(topic) {
        let number = code.number();
        return Some(format!("{number}: {}\n  :explain {number}\n", code.title()));
    }
    // A command and a statement may share a word, as `:draw` and `draw(…)` do.
    let text = commands(topic);
    (!text.is_empty()).then_some(text)
}

#[expect(clippy::wildcard_enum_match_arm, reason = "others are as written")]
fn definition(repl: &Repl, name: &str, meta: &Meta) -> String {
    let own = builtin::find(name);
    if let Some(row) = own {
        return built_in(row);
    }
    let graph = repl.session.graph();
    let documentation = repl.session.documentation(name);
    let (head, documentation, origin) = match meta {
        Meta::Function(callable) => (
            callable.signature(),
            match callable.documentation.as_str() {
                "" => documentation,
                own => own,
            },
            format!("from {}", callable.origin),
        ),
        meta => {
            let head = format!("{name}: {}", describe(repl, meta));
            let value = match meta {
                Meta::SOp(id) => graph.expression(*id),
                Meta::Selector(id) => graph.describe_selector(*id),
                other => other.repr(),
            };
            // A name that stands for itself explains nothing.
            let value = if value == name { String::new() } else { value };
            (head, documentation, value)
        }
    };
    let mut text = format!("{head}\n");
    for line in documentation.lines().chain(origin.lines()) {
        text.push_str(&format!("  {line}\n"));
    }
    text
}

fn built_in(row: &builtin::BuiltinName) -> String {
    let head = match row.kind {
        Kind::Function(_) => format!("{}({})", row.name, row.parameters.join(", ")),
        Kind::SOp => format!("{}: s-op", row.name),
        Kind::Atom => format!("{}: atom", row.name),
    };
    let words: Vec<&str> = row.documentation.split(' ').collect();
    format!("{head}\n{}  {}\n", wrapped(&words), row.example)
}

/// The names defined here, those of the library and those of the language.
pub(super) fn names(repl: &mut Repl, _: &str) {
    let own: Vec<String> = repl
        .session
        .own_names()
        .iter()
        .map(|(name, _)| name.to_string())
        .collect();
    let given: Vec<String> = builtin::TABLE
        .iter()
        .map(|row| row.name.to_string())
        .collect();
    let library: Vec<String> = repl
        .session
        .names()
        .iter()
        .map(ToString::to_string)
        .filter(|name| !own.contains(name) && !given.contains(name) && name != "out")
        .collect();
    let mut text = String::new();
    for (title, names) in [
        ("defined here", own),
        ("library", library),
        ("built in", given),
    ] {
        if !names.is_empty() {
            text.push_str(&format!("{title}:\n{}", wrapped(&names)));
        }
    }
    repl.say(text);
}

fn wrapped(names: &[impl AsRef<str>]) -> String {
    let mut text = String::new();
    let mut line = " ".to_string();
    for name in names.iter().map(AsRef::as_ref) {
        if line.len() + 1 + name.len() > WIDTH {
            text.push_str(&line);
            text.push('\n');
            line = " ".to_string();
        }
        line.push(' ');
        line.push_str(name);
    }
    format!("{text}{line}\n")
}

/// The page of an error code, or the list of codes.
pub(super) fn explain(repl: &mut Repl, argument: &str) {
    if argument.is_empty() {
        let rows = Code::ALL.iter();
        let rows = rows.map(|code| format!("{}  {}\n", code.number(), code.title()));
        return repl.say(rows.collect::<String>());
    }
    match pages::find(argument) {
        Some(code) => repl.say(pages::page(code)),
        None => {
            let codes = Code::ALL.iter().map(|code| code.number());
            let help = match nearest(argument, codes) {
                Some(code) => format!("did you mean `{code}`?"),
                None => "`:explain` lists them".to_string(),
            };
            refuse(
                repl,
                &format!("there is no error code `{argument}`; {help}"),
            );
        }
    }
}
