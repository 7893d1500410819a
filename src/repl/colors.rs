//! The colours of what is typed, by the real lexer: words of the language, literals, the bracket
//! that belongs to the one at the cursor, and closing brackets that nothing opens. Pure functions
//! of the text and the cursor.

use super::command;
use crate::base::{Limits, SourceId};
use crate::builtin;
use crate::syntax::recognize;
use crate::syntax::token::{Lexeme, Token, lex};
use anstyle::{AnsiColor, Style};

const COMMENT: Style = AnsiColor::BrightBlack.on_default();
const WORD: Style = AnsiColor::Magenta.on_default();
const WRONG: Style = AnsiColor::Red.on_default();
const PARTNER: Style = Style::new().bold().invert();

/// The text with colours: only escape sequences are inserted. Of a bracket under or before the
/// cursor, its partner is set off.
pub fn highlight(text: &str, cursor: Option<usize>) -> String {
    let lexed = lex(SourceId(0), text, Limits::default().open_brackets);
    let lexemes = recognize(text, &lexed.lexemes);
    let brackets = Brackets::of(&lexemes);
    let partner = cursor.and_then(|cursor| brackets.partner(&lexemes, cursor));
    let mut pieces: Vec<(usize, usize, Style)> = lexed
        .comments
        .iter()
        .map(|comment| comment.span.range())
        .map(|range| (range.start, range.end, COMMENT))
        .chain(prompt_commands(text))
        .collect();
    for (index, lexeme) in lexemes.iter().enumerate() {
        let color = if partner == Some(index) {
            Some(PARTNER)
        } else if brackets.unmatched.binary_search(&index).is_ok() {
            Some(WRONG)
        } else {
            color(lexeme.token)
        };
        if let Some(color) = color {
            pieces.push((lexeme.start, lexeme.end, color));
        }
    }
    // Of pieces that overlap, the first counts.
    pieces.sort_by_key(|(start, _, _)| *start);
    let mut colored = String::with_capacity(text.len() * 2);
    let mut done = 0;
    for (start, end, color) in pieces {
        if start >= done && start < end {
            colored.push_str(&text[done..start]);
            colored.push_str(&format!("{color}{}{color:#}", &text[start..end]));
            done = end;
        }
    }
    colored.push_str(&text[done..]);
    colored
}

/// The words `:name` that begin lines.
fn prompt_commands(text: &str) -> impl Iterator<Item = (usize, usize, Style)> {
    let mut start = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let word_start = start + line.len() - line.trim_start().len();
        start += line.len();
        let word = line.split_whitespace().next()?;
        let is_command = word.starts_with(':') && command::find(word).is_ok();
        is_command.then_some((word_start, word_start + word.len(), WORD))
    })
}

#[expect(clippy::wildcard_enum_match_arm, reason = "others have no colour")]
fn color(token: Token) -> Option<Style> {
    match token {
        token if token.is_keyword() || token.is_command() => Some(WORD),
        Token::Str(_) => Some(AnsiColor::Green.on_default()),
        Token::Int(_) | Token::Float(_) => Some(AnsiColor::Cyan.on_default()),
        Token::OpenString(_) => Some(AnsiColor::Yellow.on_default()),
        Token::Unknown(_) | Token::Foreign(_) => Some(WRONG),
        Token::Name(name) if builtin::find(name).is_some() => Some(AnsiColor::Blue.on_default()),
        _ => None,
    }
}

/// Which brackets belong together, by the numbers of their tokens.
struct Brackets {
    pairs: Vec<(usize, usize)>,
    /// Closing ones that close nothing.
    unmatched: Vec<usize>,
}

impl Brackets {
    fn of(lexemes: &[Lexeme]) -> Brackets {
        let mut open: Vec<(usize, Token)> = Vec::new();
        let mut brackets = Brackets {
            pairs: Vec::new(),
            unmatched: Vec::new(),
        };
        for (index, lexeme) in lexemes.iter().enumerate() {
            if lexeme.token.opens() {
                open.push((index, lexeme.token));
            } else if lexeme.token.closes() {
                match open.last() {
                    Some((opening, token)) if fit(*token, lexeme.token) => {
                        brackets.pairs.push((*opening, index));
                        open.pop();
                    }
                    _ => brackets.unmatched.push(index),
                }
            }
        }
        brackets
    }

    /// The partner of the bracket at the cursor.
    fn partner(&self, lexemes: &[Lexeme], cursor: usize) -> Option<usize> {
        let at_cursor = |index: usize| {
            let lexeme = &lexemes[index];
            lexeme.start == cursor || lexeme.end == cursor
        };
        self.pairs.iter().find_map(|(opening, closing)| {
            match (at_cursor(*opening), at_cursor(*closing)) {
                (_, true) => Some(*opening),
                (true, false) => Some(*closing),
                (false, false) => None,
            }
        })
    }
}

fn fit(opening: Token, closing: Token) -> bool {
    matches!(
        (opening, closing),
        (Token::LeftParenthesis, Token::RightParenthesis)
            | (Token::LeftBracket, Token::RightBracket)
            | (Token::LeftBrace, Token::RightBrace)
    )
}
