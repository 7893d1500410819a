//! What the interactive prompt says while an entry is typed: completions, the signature of the call
//! around the cursor, and whether and how the next line goes on. Pure functions of the text, the
//! cursor and the names in force.

use super::command::{self, COMMANDS};
use super::read;
use crate::base::{Code, Limits, SourceId};
use crate::builtin;
use crate::eval::Meta;
use crate::stdlib;
use crate::syntax::token::{KEYWORDS, Lexed, Token, lex, open_brackets};

/// The words of commands: what a statement begins with, and what may follow.
pub const COMMAND_WORDS: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "set",
            "show",
            "examples",
            "s-op examples",
            "selector examples",
            "full seq display",
            "help",
            "exit",
            "quit",
        ],
    ),
    (
        "set",
        &[
            "example",
            "s-op example",
            "selector example",
            "vocab",
            "max_length",
            "causal",
        ],
    ),
    ("set s-op", &["example"]),
    ("set selector", &["example"]),
    ("set causal", SWITCH),
    ("show", &["example", "s-op example", "selector example"]),
    ("show s-op", &["example"]),
    ("show selector", &["example"]),
    ("examples", SWITCH),
    ("s-op", &["examples"]),
    ("s-op examples", SWITCH),
    ("selector", &["examples"]),
    ("selector examples", SWITCH),
    ("full", &["seq display"]),
    ("full seq", &["display"]),
    ("full seq display", SWITCH),
];

const SWITCH: &[&str] = &["on", "off"];

/// Blanks before a line for each bracket that is open there.
const INDENT: usize = 2;

/// Knows the names in force and, of functions, what a call needs.
#[derive(Clone, Debug, Default)]
pub struct Assistant {
    names: Vec<(String, Option<String>)>,
}

/// What could stand in place of the text from `start` to the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completions {
    /// One of these words.
    Words {
        /// The byte at which the word begins.
        start: usize,
        /// The words.
        candidates: Vec<String>,
    },
    /// The path of a file, or one of these library modules.
    Path {
        /// The byte at which the path begins.
        start: usize,
        /// The names of the modules.
        modules: Vec<String>,
    },
}

impl Assistant {
    /// Knows what a session knows now.
    pub fn new(repl: &mut super::Repl) -> Assistant {
        let names = repl.session.names();
        let named = names
            .iter()
            .map(|name| (name.to_string(), usage(repl, name)));
        Assistant {
            names: named.collect(),
        }
    }

    /// What the text before the cursor could go on with.
    pub fn complete(&self, text: &str, cursor: usize) -> Completions {
        let before = &text[..cursor];
        if let Some(start) = path_before(before) {
            let written = &before[start..];
            let modules = stdlib::MODULES.iter().map(|module| module.name.to_string());
            return Completions::Path {
                start,
                modules: modules.filter(|name| name.starts_with(written)).collect(),
            };
        }
        let (start, mut candidates) = self.words(text, before);
        candidates.retain(|candidate| candidate.starts_with(&before[start..]));
        candidates.sort();
        candidates.dedup();
        Completions::Words { start, candidates }
    }

    /// Words that may stand at the end of a text, whatever has been written of them, and where they
    /// start.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only names are completed")]
    fn words(&self, text: &str, before: &str) -> (usize, Vec<String>) {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let line = &before[before.rfind('\n').map_or(0, |newline| newline + 1)..];
        let in_command = line.trim_start().starts_with(':') || line.starts_with("help ");
        // Names of commands hold `:` and `!`, which elsewhere are no part of a word.
        let part = |c: &char| is_word(*c) || in_command && matches!(c, ':' | '!');
        let word = line.chars().rev().take_while(part);
        let start = before.len() - word.map(char::len_utf8).sum::<usize>();
        let owned = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        let commands = || COMMANDS.iter().map(|row| row.name.to_string());
        let known = || self.names.iter().map(|(name, _)| name.clone());
        let line_before = line[..line.len() - (before.len() - start)].trim();
        if in_command {
            let words = match command::find(line_before).map(|command| command.name) {
                _ if line_before.is_empty() => commands().collect(),
                Ok(":help") | Err(_) if line_before.ends_with("help") => {
                    known().chain(commands()).chain(owned(KEYWORDS)).collect()
                }
                Ok(":explain") => Code::ALL.iter().map(|code| code.number().into()).collect(),
                Ok(_) if start < before.len() => known().chain(owned(KEYWORDS)).collect(),
                _ => Vec::new(),
            };
            return (start, words);
        }
        if in_text(before) {
            return (start, Vec::new());
        }
        let statement = before[..start].rfind([';', '{', '}', '\n']);
        let statement = before[statement.map_or(0, |end| end + 1)..start].trim();
        let following = COMMAND_WORDS.iter().find(|(begun, _)| *begun == statement);
        let mut words = following.map_or(Vec::new(), |(_, words)| owned(words));
        if !statement.is_empty() && !words.is_empty() {
            return (start, words);
        }
        if start == before.len() {
            return (start, Vec::new());
        }
        words.extend(known().chain(owned(KEYWORDS)));
        // Parameters and what the entry itself defines.
        let others = read(text).lexemes.into_iter().filter_map(|lexeme| {
            let at_cursor = lexeme.start <= start && start < lexeme.end;
            match lexeme.token {
                Token::Name(name) if !at_cursor => Some(name.to_string()),
                _ => None,
            }
        });
        words.extend(others);
        (start, words)
    }

    /// The signature of the innermost call that is open at the cursor, and the first line of what
    /// is documented of it.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only names are called")]
    pub fn hint(&self, text: &str, cursor: usize) -> Option<&str> {
        let lexed = read(&text[..cursor]);
        let mut open: Vec<Option<&str>> = Vec::new();
        let mut previous = None;
        for lexeme in &lexed.lexemes {
            if lexeme.token.opens() {
                open.push(previous.filter(|_| lexeme.token == Token::LeftParenthesis));
            } else if lexeme.token.closes() {
                open.pop();
            }
            previous = match lexeme.token {
                Token::Name(name) => Some(name),
                _ => None,
            };
        }
        let name = open.into_iter().rev().flatten().next()?;
        let (_, usage) = self.names.iter().find(|(known, _)| known == name)?;
        usage.as_deref()
    }

    /// What the Enter key inserts: a line break and blanks if the text needs another line, else
    /// nothing.
    pub fn line_break(text: &str, cursor: usize) -> Option<String> {
        let lexemes = read(&text[..cursor]).lexemes;
        let open = open_brackets(&lexemes);
        // Behind a `return` only the closing brace can stand.
        let mut statement = lexemes.iter().rev().map(|lexeme| lexeme.token);
        let ended = statement.next() == Some(Token::Semicolon);
        let mut statement = statement.take_while(|token| !ends_statement(*token));
        let returned = ended && statement.any(|token| token == Token::Return);
        let blanks = INDENT * open.saturating_sub(returned.into());
        read::wants_more(text).then(|| format!("\n{}", " ".repeat(blanks)))
    }
}

fn ends_statement(token: Token) -> bool {
    matches!(
        token,
        Token::Semicolon | Token::LeftBrace | Token::RightBrace
    )
}

/// `name(a, b): what it does`, of what can be called.
fn usage(repl: &super::Repl, name: &str) -> Option<String> {
    let (signature, documentation) = match (builtin::find(name), repl.session.lookup(name)?) {
        (Some(row), Meta::Function(_)) => {
            let signature = format!("{}({})", row.name, row.parameters.join(", "));
            (signature, row.documentation)
        }
        (_, Meta::Function(callable)) => (callable.signature(), &*callable.documentation),
        (row, Meta::SOp(_) | Meta::Selector(_)) => {
            let own = repl.session.documentation(name);
            (
                format!("{name}(input)"),
                row.map_or(own, |row| row.documentation),
            )
        }
        _ => return None,
    };
    Some(match documentation.lines().next() {
        Some(first) => format!("{signature}: {first}"),
        None => signature,
    })
}

fn read(text: &str) -> Lexed<'_> {
    lex(SourceId(0), text, Limits::default().open_brackets)
}

/// Where a path begins that the cursor stands in: after `load "`, `:load ` or `:save `.
#[expect(clippy::wildcard_enum_match_arm, reason = "only a string is a path")]
fn path_before(before: &str) -> Option<usize> {
    let line = before.rsplit('\n').next().unwrap_or_default();
    if let Some((word, rest)) = line.trim_start().split_once(char::is_whitespace)
        && word.starts_with(':')
    {
        let command = command::find(word).map(|command| command.name);
        let path = rest.trim_start().trim_start_matches(['"', '\'']);
        return matches!(command, Ok(":load" | ":save" | ":save!"))
            .then_some(before.len() - path.len());
    }
    let lexed = read(before);
    match lexed.lexemes.as_slice() {
        [.., load, string] if load.token == Token::Load => match string.token {
            Token::OpenString(_) => Some(string.start + 1),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the cursor stands in a string or a comment.
fn in_text(before: &str) -> bool {
    let lexed = read(before);
    let in_string = lexed
        .lexemes
        .last()
        .is_some_and(|last| matches!(last.token, Token::OpenString(_)));
    let in_comment = lexed
        .comments
        .last()
        .is_some_and(|last| last.span.end as usize == before.len());
    in_string || in_comment
}
