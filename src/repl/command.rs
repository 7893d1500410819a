//! The prompt's own commands, `:name arguments`, in one table: a new command is a row here and a
//! function; and entries that are none but were meant as one. The reference's commands (`set example …`,
//! `examples off`, …) are statements of the language; they are listed here to be explained only.

use super::{Repl, help, inspect, puzzle, save};
use crate::base::suggest::nearest;
use crate::eval::Meta;
use crate::value::atom::quote;

/// One command of the prompt.
pub struct Command {
    /// With the colon.
    pub name: &'static str,
    /// What follows the name, for `:help`.
    pub arguments: &'static str,
    /// What it does, for `:help`.
    pub help: &'static str,
    pub(super) run: fn(&mut Repl, &str),
}

/// All commands of the prompt, in the order of `:help`.
pub const COMMANDS: &[Command] = &[
    Command {
        name: ":help",
        arguments: "[name]",
        help: "what a name means; without one, this list",
        run: help::help,
    },
    Command {
        name: ":names",
        arguments: "",
        help: "the names that are defined",
        run: help::names,
    },
    Command {
        name: ":type",
        arguments: "expression",
        help: "what kind of thing it is, before there is an input",
        run: kind,
    },
    Command {
        name: ":schedule",
        arguments: "s-op",
        help: "the layers and heads it takes as a transformer",
        run: inspect::schedule,
    },
    Command {
        name: ":draw",
        arguments: "e [\"input\"] [path]",
        help: "an s-op's layers and heads with their values, or a selector; in a file, if there is a path",
        run: inspect::draw,
    },
    Command {
        name: ":facts",
        arguments: "s-op",
        help: "the values it can have, and how a model holds them",
        run: inspect::facts,
    },
    Command {
        name: ":compile",
        arguments: "s-op",
        help: "the transformer that computes it, held against the interpreter",
        run: inspect::compile,
    },
    Command {
        name: ":trace",
        arguments: "e [\"input\"]",
        help: "the running example, or the input, on its way through that transformer",
        run: inspect::trace,
    },
    Command {
        name: ":puzzle",
        arguments: "[puzzle]",
        help: "learn the language: list puzzles, or read one: `:puzzle 1`; then `:puzzle 1 check`, \
               `:puzzle 1 hint`, `:puzzle 1 solution`",
        run: puzzle::puzzle,
    },
    Command {
        name: ":load",
        arguments: "path",
        help: "like `load \"path\";`",
        run: load,
    },
    Command {
        name: ":reload",
        arguments: "",
        help: "load everything again that was loaded at the prompt",
        run: reload,
    },
    Command {
        name: ":save",
        arguments: "path",
        help: "write this session's statements to a new file",
        run: save::save,
    },
    Command {
        name: ":save!",
        arguments: "path",
        help: "the same, replacing the file if there is one",
        run: save::overwrite,
    },
    Command {
        name: ":explain",
        arguments: "[code]",
        help: "what an error code like E0201 means; without one, all codes",
        run: help::explain,
    },
    Command {
        name: ":quit",
        arguments: "",
        help: "leave; `exit`, `quit` and Ctrl-D do too",
        run: quit,
    },
];

/// The commands that are part of the language, for `:help`.
pub const STATEMENTS: &[(&str, &str)] = &[
    (
        "set [s-op|selector] example e",
        "change the running example",
    ),
    ("show [s-op|selector] example", "show the running example"),
    (
        "[s-op|selector] examples on|off",
        "whether definitions show their value on the example",
    ),
    (
        "full seq display on|off",
        "whether inputs are shown above outputs",
    ),
    (
        "set vocab e",
        "the tokens that models know; else the example's",
    ),
    (
        "set max_length n",
        "the longest input of models; else the example's length",
    ),
    ("set causal on|off", "whether models look backwards only"),
    (
        "draw(s-op, input);",
        "its value and the layers and heads it takes",
    ),
    ("load \"path\";", "run a file or a module of the library"),
    ("exit", "leave"),
];

/// Whether a line is a command whatever names are defined: `:name …`, or `help` and one word.
pub(super) fn is_command(line: &str) -> bool {
    let mut words = line.trim().trim_end_matches(';').split_whitespace();
    let two = (words.next(), words.next(), words.next());
    match two {
        (Some("help"), Some(topic), None) => is_topic(topic),
        (Some(word), ..) => word.starts_with(':'),
        _ => false,
    }
}

/// Runs a line that is a command.
pub(super) fn run(repl: &mut Repl, line: &str) {
    let (word, argument) = match line.split_once(char::is_whitespace) {
        Some((word, argument)) => (word, argument.trim()),
        None => (line, ""),
    };
    // Statements end with `;`, so fingers type it here too.
    let argument = argument.trim_end_matches(';').trim_end();
    let word = match word.trim_end_matches(';') {
        "help" => ":help",
        word => word,
    };
    match find(word) {
        Ok(command) => (command.run)(repl, argument),
        Err(problem) => refuse(repl, &problem),
    }
}

/// What an entry wants help with, as other languages ask for it: `select?`, `?select`, or, where nothing is called
/// `help`, `help(select)`; of `?`, `help()` and `help` alone it is nothing in particular.
pub(super) fn asked_about<'e>(repl: &Repl, entry: &'e str) -> Option<&'e str> {
    let entry = entry.trim().trim_end_matches(';').trim_end();
    if let Some(topic) = entry.strip_suffix('?').or(entry.strip_prefix('?')) {
        let topic = topic.trim_start();
        return Some(topic.trim_end()).filter(|topic| topic.is_empty() || is_topic(topic));
    }
    let called = entry.strip_prefix("help")?.trim_start();
    let topic = match called {
        "" => called,
        _ => called.strip_prefix('(')?.strip_suffix(')')?.trim(),
    };
    let asks = repl.session.lookup("help").is_none() && (topic.is_empty() || is_topic(topic));
    asks.then_some(topic)
}

/// The command that an entry is but for its colon: a word that is no name, alone or before what no operator
/// is. `draw`, `help`, `load` and `quit` are of the language, too.
pub(super) fn without_colon(repl: &Repl, entry: &str) -> Option<String> {
    let entry = entry.trim().trim_end_matches(';').trim_end();
    let (word, rest) = entry.split_once(char::is_whitespace).unwrap_or((entry, ""));
    let rest = rest.trim_start();
    let follows = |first: char| first.is_alphanumeric() || matches!(first, '_' | '"' | '\'');
    let between = ["and", "or", "in", "not", "if"];
    let is_other = matches!(word, "draw" | "help" | "load" | "quit")
        || rest
            .split_whitespace()
            .next()
            .is_some_and(|next| between.contains(&next))
        || !rest.chars().next().is_none_or(follows);
    let named = |command: &&Command| command.name.strip_prefix(':') == Some(word);
    let command = COMMANDS.iter().find(named)?;
    let meant = (!is_other && repl.session.lookup(word).is_none()).then_some(command.name)?;
    Some(format!("{meant} {rest}").trim_end().to_string())
}

/// The first word of a command of the language, or `draw`, that an entry holds alone: whoever types it wants
/// to know how it goes on.
pub(super) fn lone_word(entry: &str) -> Option<&str> {
    let word = entry.trim().trim_end_matches(';').trim_end();
    let alone = matches!(word, "set" | "show" | "examples" | "full" | "draw");
    alone.then_some(word)
}

/// Whether an entry is `x++` or `x--`, as other languages count: nobody goes on behind these.
pub(super) fn counts(entry: &str) -> bool {
    let entry = entry.trim();
    let counted = entry.strip_suffix("++").or(entry.strip_suffix("--"));
    counted.is_some_and(is_name)
}

/// A command by its name or the beginning of it that no other shares.
pub(super) fn find(word: &str) -> Result<&'static Command, String> {
    if let Some(command) = COMMANDS.iter().find(|command| command.name == word) {
        return Ok(command);
    }
    let fitting: Vec<&Command> = COMMANDS
        .iter()
        .filter(|command| command.name.starts_with(word) && !command.name.ends_with('!'))
        .collect();
    match fitting.as_slice() {
        [command] => Ok(command),
        [] => {
            let names = COMMANDS.iter().map(|command| command.name);
            Err(match nearest(word, names) {
                Some(name) => format!("there is no command `{word}`; did you mean `{name}`?"),
                None => format!("there is no command `{word}`; `:help` lists them"),
            })
        }
        several => {
            let names: Vec<&str> = several.iter().map(|command| command.name).collect();
            Err(format!("`{word}` could be {}", names.join(" or ")))
        }
    }
}

/// Whether help can be on it: a name, a word of the language, or an operator.
fn is_topic(word: &str) -> bool {
    let is_operator = |word: &str| word.chars().all(|c| "=!<>+-*/^%".contains(c));
    !word.is_empty() && (is_name(word) || is_operator(word))
}

fn is_name(word: &str) -> bool {
    let word = word.strip_prefix(':').unwrap_or(word);
    !word.is_empty()
        && word
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '!')
}

/// Says why a command was not obeyed.
pub(super) fn refuse(repl: &mut Repl, problem: &str) {
    repl.failed = true;
    repl.answer
        .push(super::Said::Diagnostic(format!("{problem}\n")));
}

fn kind(repl: &mut Repl, argument: &str) {
    if argument.is_empty() {
        return refuse(repl, "`:type` needs an expression");
    }
    match repl.session.expression(argument) {
        Ok(meta) => {
            let text = describe(repl, &meta);
            repl.say(format!("{text}\n"));
        }
        Err(error) => repl.report(vec![*error]),
    }
}

/// What kind of thing a value is, with what is known of its type.
#[expect(clippy::wildcard_enum_match_arm, reason = "others have a kind only")]
pub(super) fn describe(repl: &Repl, meta: &Meta) -> String {
    match meta {
        Meta::SOp(id) => format!("s-op of {}", repl.session.graph().types(*id)),
        Meta::Function(callable) => format!("function {}", callable.signature()),
        Meta::List(items) => format!("list of {}", items.len()),
        Meta::Dict(dict) => format!("dict of {}", dict.len()),
        other => {
            let kind = other.kind();
            let bare = kind.strip_prefix("a ").or_else(|| kind.strip_prefix("an "));
            bare.unwrap_or(kind).to_string()
        }
    }
}

fn load(repl: &mut Repl, argument: &str) {
    let path = unquoted(argument);
    if path.is_empty() {
        return refuse(repl, "`:load` needs a path");
    }
    repl.run(&format!("load {};", quote(path)));
}

fn reload(repl: &mut Repl, _: &str) {
    if repl.loaded.is_empty() {
        return refuse(repl, "nothing has been loaded yet");
    }
    for path in repl.loaded.clone() {
        repl.run(&format!("load {};", quote(&path)));
    }
}

fn quit(repl: &mut Repl, _: &str) {
    repl.finished = true;
}

/// An argument with or without quotes.
pub(super) fn unquoted(argument: &str) -> &str {
    for mark in ['"', '\''] {
        let inner = argument.strip_prefix(mark);
        if let Some(inner) = inner.and_then(|inner| inner.strip_suffix(mark)) {
            return inner;
        }
    }
    argument
}
