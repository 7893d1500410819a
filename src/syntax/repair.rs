//! Mistakes whose meaning is plain: they are reported, and then the parser reads what was meant, so
//! that one slip does not hide the rest of the text. Operators of other languages become ours, and a
//! statement without `;` at the end of its line gets one.

use super::build::Failed;
use super::mistake::{Mistake, MistakeKind};
use super::token::{Lexeme, Token, lex};
use crate::base::{SourceId, Span};
use lalrpop_util::ParseError;
use std::collections::BTreeSet;
use std::ops::Range;

/// Takes out the comments of C at the start of a line and after a statement; gives their places.
pub fn comments(source: SourceId, text: &str, lexemes: &mut Vec<Lexeme>) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    let mut end = 0;
    let mut previous = None;
    lexemes.retain(|lexeme| {
        let before = previous.replace(lexeme.end);
        if lexeme.start < end {
            return false;
        }
        let first = before.is_none_or(|before| {
            text[before..lexeme.start].contains('\n') || text[..before].ends_with(';')
        });
        if !first || !text[lexeme.start..lexeme.end].starts_with("//") {
            return true;
        }
        let rest = &text[lexeme.start..];
        end = lexeme.start + rest.find('\n').unwrap_or(rest.len());
        let span = Span::new(source, lexeme.start, lexeme.end);
        mistakes.push(MistakeKind::Comment.at(span));
        false
    });
    mistakes
}

/// Reads as one what was written without a break: `1.2.3`, `0x1F`, `1_000`, `3abc`, and a string
/// over two lines. Gives the places.
#[expect(clippy::wildcard_enum_match_arm, reason = "only numbers are joined")]
pub fn join<'s>(source: SourceId, text: &'s str, lexemes: &mut Vec<Lexeme<'s>>) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    let mut joined = Vec::with_capacity(lexemes.len());
    let mut at = 0;
    while let Some(first) = lexemes.get(at).copied() {
        let rest = &lexemes[at..];
        at += 1;
        match first.token {
            Token::Int(_) | Token::Float(_) => {
                let glued = glued(rest);
                let end = rest.get(glued).map_or(first.end, |last| last.end);
                if glued > 0 {
                    mistakes.push(MistakeKind::Number.at(Span::new(source, first.start, end)));
                    at += glued;
                }
                joined.push(Lexeme { end, ..first });
            }
            Token::OpenString(_) | Token::Str(_) => match continued(text, rest) {
                Some((last, end)) => {
                    let whole = Span::new(source, first.start, end);
                    mistakes.push(MistakeKind::BrokenString.at(whole));
                    joined.push(Lexeme {
                        token: Token::Str(&text[first.start..end]),
                        start: first.start,
                        end,
                    });
                    let behind = lex(source, &text[end..rest[last].end], usize::MAX);
                    joined.extend(behind.lexemes.into_iter().map(|lexeme| Lexeme {
                        start: lexeme.start + end,
                        end: lexeme.end + end,
                        ..lexeme
                    }));
                    at += last;
                }
                None => joined.push(first),
            },
            _ => joined.push(first),
        }
    }
    *lexemes = joined;
    mistakes
}

/// How many lexemes stand directly behind a number as if they were part of it.
#[expect(clippy::wildcard_enum_match_arm, reason = "nothing else goes on")]
fn glued(lexemes: &[Lexeme]) -> usize {
    let pairs = lexemes.windows(2).take_while(|pair| {
        let part = match pair[1].token {
            Token::Foreign(text) => text.contains('.'),
            token => matches!(token, Token::Name(_) | Token::Int(_) | Token::Float(_)),
        };
        part && pair[0].end == pair[1].start
    });
    pairs.count()
}

/// The lexeme in which a string seems to end, with the end of its quote: in the next line if the
/// string is open, and in this one if a word stands at its second quote, as in `'it's'`.
fn continued(text: &str, lexemes: &[Lexeme]) -> Option<(usize, usize)> {
    let first = lexemes.first()?;
    let quote = text[first.start..].chars().next()?;
    let open = matches!(first.token, Token::OpenString(_));
    let word = lexemes
        .get(1)
        .is_some_and(|next| matches!(next.token, Token::Name(_)) && next.start == first.end);
    if !open && !word {
        return None;
    }
    let next = lexemes.iter().enumerate().skip(1);
    let (number, last) = next.take(100).find(|(_, lexeme)| {
        matches!(lexeme.token, Token::OpenString(_)) && text[lexeme.start..].starts_with(quote)
    })?;
    let end = last.start + quote.len_utf8();
    let lines = text[first.start..end].matches('\n').count();
    let behind = text[end..last.end].trim_start();
    let closes = behind.is_empty() || behind.starts_with([';', ',', ')', ']', '}']);
    (lines == usize::from(open) && closes).then_some((number, end))
}

/// The statements of other languages with bodies in braces, like `if … { … } else { … }`, each as the
/// numbers of its lexemes.
pub fn foreign_blocks(failures: &[Failed], text: &str, lexemes: &[Lexeme]) -> Vec<Range<usize>> {
    let failed = failures
        .iter()
        .filter_map(|failed| foreign_start(failed, text, lexemes));
    let mut starts: BTreeSet<usize> = failed.collect();
    if starts.is_empty() {
        return Vec::new();
    }
    // After a failure others may be passed over; here no `if` is right.
    let pairs = lexemes.windows(2).enumerate();
    starts.extend(pairs.filter_map(|(number, pair)| {
        let begins = matches!(pair[0].token, Token::Semicolon | Token::LeftBrace);
        (begins && pair[1].token == Token::If).then_some(number + 1)
    }));
    let mut blocks: Vec<Range<usize>> = Vec::new();
    for mut start in starts {
        while let Some(end) = block_end(start, lexemes)
            && blocks.last().is_none_or(|last| last.end <= start)
        {
            blocks.push(start..end);
            start = end;
            if lexemes.get(end).map(|next| next.token) != Some(Token::If) {
                break;
            }
        }
    }
    blocks
}

/// Words that begin blocks in other languages, as `if` does.
const BLOCKS: [&str; 7] = ["while", "until", "switch", "match", "class", "do", "try"];

/// The first lexeme of a statement that was meant as one of another language.
fn foreign_start(failed: &Failed, text: &str, lexemes: &[Lexeme]) -> Option<usize> {
    let ParseError::UnrecognizedToken {
        token: (start, ..), ..
    } = failed
    else {
        return None;
    };
    let at = lexemes.partition_point(|lexeme| lexeme.start < *start);
    let begins = |number: usize| {
        let word = lexemes.get(number).map(|lexeme| lexeme.token);
        let foreign = match word {
            Some(Token::Name(word)) => BLOCKS.contains(&word),
            word => word == Some(Token::If),
        };
        let assigned = lexemes.get(number + 1).map(|next| next.token) == Some(Token::Assign);
        let before = number.checked_sub(1).and_then(|before| lexemes.get(before));
        foreign
            && !assigned
            && before.is_none_or(|before| {
                ends_statement(before.token)
                    || before.token == Token::LeftBrace
                    || text[before.end..lexemes[number].start].contains('\n')
            })
    };
    (0..=at)
        .rev()
        .take_while(|number| *number == at || !ends_statement(lexemes[*number].token))
        .find(|number| begins(*number))
}

fn ends_statement(token: Token) -> bool {
    matches!(token, Token::Semicolon | Token::RightBrace)
}

/// Where the blocks of a statement end that starts with this lexeme, if it has any.
fn block_end(start: usize, lexemes: &[Lexeme]) -> Option<usize> {
    let mut end = start;
    loop {
        let head = lexemes
            .get(end..)?
            .iter()
            .position(|lexeme| ends_statement(lexeme.token) || lexeme.token == Token::LeftBrace)?;
        let brace = end + head;
        if lexemes[brace].token != Token::LeftBrace {
            return None;
        }
        let mut open = 0;
        let close = lexemes[brace..].iter().position(|lexeme| {
            open += i32::from(lexeme.token == Token::LeftBrace);
            open -= i32::from(lexeme.token == Token::RightBrace);
            open == 0
        })?;
        end = brace + close + 1;
        let next = lexemes.get(end).map(|lexeme| lexeme.token);
        if !matches!(next, Some(Token::Else | Token::Name("elif"))) {
            return Some(end);
        }
    }
}

/// Replaces the spellings of other languages and closes open strings; gives their places.
#[expect(clippy::wildcard_enum_match_arm, reason = "others are as meant")]
pub fn respell(source: SourceId, lexemes: &mut [Lexeme]) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    for lexeme in lexemes {
        let (token, kind) = match lexeme.token {
            Token::OpenString(text) => (Token::Str(text), MistakeKind::OpenString),
            Token::Foreign(text) | Token::Unknown(text) => match meant(text) {
                Some(token) => (token, MistakeKind::Foreign),
                None => continue,
            },
            _ => continue,
        };
        lexeme.token = token;
        mistakes.push(kind.at(Span::new(source, lexeme.start, lexeme.end)));
    }
    mistakes
}

/// What a spelling of another language means here.
fn meant(text: &str) -> Option<Token<'_>> {
    Some(match text {
        "&&" | "&" => Token::And,
        "||" | "|" => Token::Or,
        "!" => Token::Not,
        "**" => Token::Caret,
        "//" => Token::Slash,
        "=<" => Token::LessEqual,
        "=>" => Token::GreaterEqual,
        "<>" => Token::NotEqual,
        _ if text.ends_with('=') => Token::Assign,
        _ if text.len() > 1 && text.contains('.') => Token::Float(text),
        _ => return None,
    })
}

/// A place where a `;` is missing: before the lexeme of this number.
pub struct MissingSemicolon {
    pub before: usize,
    /// The end of the previous token.
    pub end: usize,
}

/// The failure as a missing `;`, where a `;` would have been right and a line, a block or the text
/// ends.
#[expect(clippy::wildcard_enum_match_arm, reason = "others are not mended")]
pub fn missing_semicolon(
    failed: &Failed,
    text: &str,
    lexemes: &[Lexeme],
) -> Option<MissingSemicolon> {
    let (before, expected) = match failed {
        ParseError::UnrecognizedEof { expected, .. } => (lexemes.len(), expected),
        ParseError::UnrecognizedToken {
            token: (start, ..),
            expected,
        } => (
            lexemes.partition_point(|lexeme| lexeme.start < *start),
            expected,
        ),
        _ => return None,
    };
    let previous = lexemes.get(before.checked_sub(1)?)?;
    let ends = lexemes.get(before).is_none_or(|next| {
        next.token == Token::RightBrace
            || starts_statement(next.token) && text[previous.end..next.start].contains('\n')
    });
    let wanted = expected.iter().any(|terminal| terminal == "\";\"");
    (ends && wanted && previous.token.ends_expression()).then_some(MissingSemicolon {
        before,
        end: previous.end,
    })
}

fn starts_statement(token: Token) -> bool {
    token.starts_expression()
        || token.is_command()
        || matches!(
            token,
            Token::For
                | Token::Repeat
                | Token::Def
                | Token::Return
                | Token::Load
                | Token::Draw
                | Token::Assert
        )
}
