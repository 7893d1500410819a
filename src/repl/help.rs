//! `:help`, `:names` and `:explain`: answers read off the table of built-in names, the
//! documentation of functions, the graph and the table of commands.

use super::Repl;
use super::command::{COMMANDS, STATEMENTS, describe, refuse};
use crate::base::Code;
use crate::builtin::{self, Kind};
use crate::eval::Meta;
use crate::stdlib;

/// Columns that lists of names are broken at.
const WIDTH: usize = 80;

/// What a name means, or the list of commands.
pub(super) fn help(repl: &mut Repl, argument: &str) {
    let topic = argument.trim_end_matches(';').trim();
    let text = match topic {
        "" => overview(),
        topic => match about(repl, topic) {
            Some(text) => text,
            None => {
                return refuse(
                    repl,
                    &format!("nothing is called `{topic}`; `:names` lists what is"),
                );
            }
        },
    };
    repl.say(text);
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
    rows.iter()
        .map(|(name, help)| format!("{name:width$}  {help}\n"))
        .collect()
}

fn about(repl: &Repl, topic: &str) -> Option<String> {
    let named = |name: &&str| name.trim_start_matches(':') == topic.trim_start_matches(':');
    let is_command = |name: &str| named(&name) && (topic.starts_with(':'));
    if let Some(command) = COMMANDS.iter().find(|command| is_command(command.name)) {
        return Some(format!(
            "{} {}\n  {}\n",
            command.name, command.arguments, command.help
        ));
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
    let mut commands = COMMANDS.iter();
    if let Some(command) = commands.find(|command| named(&command.name)) {
        return about(repl, command.name);
    }
    let (name, help) = STATEMENTS
        .iter()
        .find(|(name, _)| name.split([' ', '(']).any(|word| word == topic))?;
    Some(format!("{name}\n  {help}\n"))
}

fn definition(repl: &Repl, name: &str, meta: &Meta) -> String {
    let own = builtin::find(name);
    let graph = repl.session.graph();
    let kind = describe(repl, meta);
    match meta {
        Meta::Function(callable) => match own {
            Some(row) if is_function(row) => built_in(row),
            _ => {
                let mut text = format!("{}\n", callable.signature());
                for line in callable.documentation.lines() {
                    text.push_str(&format!("  {line}\n"));
                }
                text.push_str(&format!("  from {}\n", callable.origin));
                text
            }
        },
        _ if own.is_some() => own.map(built_in).unwrap_or_default(),
        Meta::SOp(id) => format!("{name}: {kind}\n  {}\n", graph.expression(*id)),
        Meta::Selector(id) => format!("{name}: {kind}\n  {}\n", graph.describe_selector(*id)),
        other => format!("{name}: {kind}\n  {}\n", other.repr()),
    }
}

fn is_function(row: &builtin::Row) -> bool {
    matches!(row.kind, Kind::Function(_))
}

fn built_in(row: &builtin::Row) -> String {
    let head = match row.kind {
        Kind::Function(_) => format!("{}({})", row.name, row.parameters.join(", ")),
        Kind::SOp => format!("{}: s-op", row.name),
        Kind::Atom => format!("{}: atom", row.name),
    };
    format!("{head}\n  {}\n  {}\n", row.documentation, row.example)
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

fn wrapped(names: &[String]) -> String {
    let mut text = String::new();
    let mut line = " ".to_string();
    for name in names {
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

/// What an error code stands for.
pub(super) fn explain(repl: &mut Repl, argument: &str) {
    let wanted = argument.to_uppercase();
    match Code::ALL.iter().find(|code| code.number() == wanted) {
        Some(code) => repl.say(format!("{}: {}\n", code.number(), code.title())),
        None => refuse(repl, &format!("there is no error code `{argument}`")),
    }
}
