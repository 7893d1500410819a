//! What the interactive prompt says while a line is typed: completions, the signature of the call
//! around the cursor, and colours by the real lexer. Pure functions of the line, the cursor and
//! the names in force.

use super::command::COMMANDS;
use crate::base::{Limits, SourceId};
use crate::builtin;
use crate::eval::Meta;
use crate::stdlib;
use crate::syntax::token::{Lexed, Token, lex};

/// Words of the language that are no names.
const WORDS: &[&str] = &[
    "and", "assert", "def", "draw", "else", "example", "examples", "exit", "for", "if", "in",
    "lambda", "load", "not", "or", "return", "set", "show",
];

/// Knows the names in force and, of functions, their signatures.
#[derive(Clone, Debug, Default)]
pub struct Assistant {
    names: Vec<(String, Option<String>)>,
}

/// What could stand in place of the text from `start` to the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completions {
    Words {
        start: usize,
        candidates: Vec<String>,
    },
    /// The path of a file, or one of these library modules.
    Path { start: usize, modules: Vec<String> },
}

impl Assistant {
    pub fn new(repl: &mut super::Repl) -> Assistant {
        let session = repl.session();
        let signature = |name: &str| match (builtin::find(name), session.lookup(name)) {
            (Some(row), Some(Meta::Function(_))) => {
                Some(format!("{}({})", row.name, row.parameters.join(", ")))
            }
            (_, Some(Meta::Function(callable))) => Some(callable.signature()),
            (_, Some(Meta::SOp(_) | Meta::Selector(_))) => Some(format!("{name}(input)")),
            _ => None,
        };
        let names = session.names();
        Assistant {
            names: names
                .iter()
                .map(|name| (name.to_string(), signature(name)))
                .collect(),
        }
    }

    /// What the text before the cursor could go on with.
    pub fn complete(&self, line: &str, cursor: usize) -> Completions {
        let before = &line[..cursor];
        if let Some(path) = path_before(before) {
            let written = &before[path..];
            let modules = stdlib::MODULES.iter().map(|module| module.name.to_string());
            return Completions::Path {
                start: path,
                modules: modules.filter(|name| name.starts_with(written)).collect(),
            };
        }
        let start = before
            .rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '!'))
            .map_or(0, |at| {
                at + before[at..].chars().next().map_or(1, char::len_utf8)
            });
        let is_command = before[..start].trim() == ":";
        let start = if is_command { start - 1 } else { start };
        let word = &before[start..];
        let mut candidates: Vec<String> = if is_command {
            COMMANDS.iter().map(|row| row.name.to_string()).collect()
        } else if word.is_empty() || in_text(before) {
            Vec::new()
        } else {
            let names = self.names.iter().map(|(name, _)| name.clone());
            names.chain(WORDS.iter().map(ToString::to_string)).collect()
        };
        candidates.retain(|candidate| candidate.starts_with(word));
        candidates.sort();
        candidates.dedup();
        Completions::Words { start, candidates }
    }

    /// The signature of the innermost call that is open at the cursor.
    pub fn signature(&self, line: &str, cursor: usize) -> Option<&str> {
        let lexed = read(&line[..cursor]);
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
        let (_, signature) = self.names.iter().find(|(known, _)| known == name)?;
        signature.as_deref()
    }

    /// The line with colours: only escape sequences are inserted. Of a bracket under or before the
    /// cursor, its partner is set off.
    pub fn highlight(&self, line: &str, cursor: Option<usize>) -> String {
        let lexed = read(line);
        let partner = cursor.and_then(|cursor| partner(&lexed, cursor));
        let mut pieces: Vec<(usize, usize, &str)> = lexed
            .comments
            .iter()
            .map(|comment| (comment.span.range(), "90"))
            .map(|(range, color)| (range.start, range.end, color))
            .collect();
        for (index, lexeme) in lexed.lexemes.iter().enumerate() {
            let color = match partner == Some(index) {
                true => Some("1;7"),
                false => self.color(lexeme.token),
            };
            if let Some(color) = color {
                pieces.push((lexeme.start, lexeme.end, color));
            }
        }
        pieces.sort_unstable();
        let mut text = String::with_capacity(line.len() * 2);
        let mut done = 0;
        for (start, end, color) in pieces {
            text.push_str(&line[done..start]);
            text.push_str(&format!("\x1b[{color}m{}\x1b[0m", &line[start..end]));
            done = end;
        }
        text.push_str(&line[done..]);
        text
    }

    fn color(&self, token: Token) -> Option<&'static str> {
        match token {
            Token::For
            | Token::In
            | Token::Not
            | Token::And
            | Token::Or
            | Token::If
            | Token::Else
            | Token::Def
            | Token::Return
            | Token::Load
            | Token::Draw => Some("35"),
            Token::Str(_) => Some("32"),
            Token::Int(_) | Token::Float(_) => Some("36"),
            Token::OpenString(_) => Some("33"),
            Token::Unknown(_) | Token::Foreign(_) => Some("31"),
            Token::Name(name) if builtin::find(name).is_some() => Some("34"),
            _ => None,
        }
    }
}

fn read(text: &str) -> Lexed<'_> {
    lex(SourceId(0), text, Limits::default().open_brackets)
}

/// Where a path begins that the cursor stands in: after `load "`, `:load ` or `:save `.
fn path_before(before: &str) -> Option<usize> {
    for command in [":load ", ":save ", ":save! "] {
        if let Some(rest) = before.trim_start().strip_prefix(command) {
            return Some(before.len() - rest.trim_start().len());
        }
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

/// The number of the token that is the partner of the bracket at the cursor.
fn partner(lexed: &Lexed, cursor: usize) -> Option<usize> {
    let at_cursor = |index: &usize| {
        let lexeme = &lexed.lexemes[*index];
        let bracket = lexeme.token.opens() || lexeme.token.closes();
        bracket && (lexeme.start == cursor || lexeme.end == cursor)
    };
    let mut open = Vec::new();
    for (index, lexeme) in lexed.lexemes.iter().enumerate() {
        if lexeme.token.opens() {
            open.push(index);
        } else if lexeme.token.closes() {
            let opening = open.pop()?;
            let fits = matches!(
                (lexed.lexemes[opening].token, lexeme.token),
                (Token::LeftParenthesis, Token::RightParenthesis)
                    | (Token::LeftBracket, Token::RightBracket)
                    | (Token::LeftBrace, Token::RightBrace)
            );
            if !fits {
                return None;
            }
            if at_cursor(&index) {
                return Some(opening);
            }
            if at_cursor(&opening) {
                return Some(index);
            }
        }
    }
    None
}
