//! Mistakes whose meaning is plain: they are reported, and then the parser reads what was meant, so
//! that one slip does not hide the rest of the text. Operators of other languages become ours, and a
//! statement without `;` at the end of its line gets one.

use super::build::Failed;
use super::token::{Lexeme, Token, lex};
use crate::base::{Code, Diagnostic, SourceId, Span};
use lalrpop_util::ParseError;
use std::ops::Range;

/// Takes out the comments of C at the start of a line; gives what to say about them.
pub fn comments(source: SourceId, text: &str, lexemes: &mut Vec<Lexeme>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut end = 0;
    let mut previous = None;
    lexemes.retain(|lexeme| {
        let before = previous.replace(lexeme.end);
        if lexeme.start < end {
            return false;
        }
        let first = before.is_none_or(|before| text[before..lexeme.start].contains('\n'));
        if !first || !text[lexeme.start..lexeme.end].starts_with("//") {
            return true;
        }
        let rest = &text[lexeme.start..];
        end = lexeme.start + rest.find('\n').unwrap_or(rest.len());
        let span = Span::new(source, lexeme.start, lexeme.end);
        let comment = rest[2..end - lexeme.start].trim();
        diagnostics.push(
            Diagnostic::error(Code::UnexpectedToken, "comments do not begin with `//`")
                .at(span, "not a comment here")
                .help(format!("write `# {comment}`")),
        );
        false
    });
    diagnostics
}

/// Reads as one what was written without a break: `1.2.3`, `0x1F`, `1_000`, `3abc`, and a string
/// over two lines. Gives what to say about it.
pub fn join<'s>(source: SourceId, text: &'s str, lexemes: &mut Vec<Lexeme<'s>>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut at = 0;
    while at < lexemes.len() {
        let first = lexemes[at];
        match first.token {
            Token::Int(_) | Token::Float(_) => {
                let glued = glued(&lexemes[at..]);
                let end = lexemes[at + glued].end;
                if glued > 0 {
                    let span = Span::new(source, first.start, end);
                    diagnostics.push(bad_number(&text[first.start..end], span));
                    lexemes.drain(at + 1..=at + glued);
                    lexemes[at].end = end;
                }
            }
            Token::OpenString(_) | Token::Str(_) => {
                if let Some((last, end)) = continued(text, &lexemes[at..]) {
                    let rest = lex(source, &text[end..lexemes[at + last].end], usize::MAX);
                    let span = Span::new(source, first.start, first.end);
                    diagnostics.push(broken_string(&text[first.start..end], span));
                    let moved = rest.lexemes.into_iter().map(|lexeme| Lexeme {
                        start: lexeme.start + end,
                        end: lexeme.end + end,
                        ..lexeme
                    });
                    lexemes.splice(at + 1..=at + last, moved);
                    lexemes[at].token = Token::Str(&text[first.start..end]);
                    lexemes[at].end = end;
                }
            }
            _ => {}
        }
        at += 1;
    }
    diagnostics
}

/// How many lexemes stand directly behind a number as if they were part of it.
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

fn bad_number(written: &str, span: Span) -> Diagnostic {
    let plain = written.replace('_', "");
    let (prefix, digits) = plain.split_at(plain.len().min(2));
    let base = match prefix {
        "0x" | "0X" => 16,
        "0b" | "0B" => 2,
        "0o" | "0O" => 8,
        _ => 10,
    };
    let digits = if base == 10 { plain.as_str() } else { digits };
    let help = match i64::from_str_radix(digits, base) {
        Ok(number) => format!("write `{number}`"),
        Err(_) if written.contains('.') => {
            format!("a number has one point; a token stands in quotes: `\"{written}\"`")
        }
        Err(_) => {
            let name = written.trim_start_matches(|c: char| c.is_ascii_digit());
            let number = &written[..written.len() - name.len()];
            format!("a product is written `{number} * {name}`; a name begins with a letter or `_`")
        }
    };
    Diagnostic::error(Code::UnexpectedToken, format!("`{written}` is no number"))
        .at(span, "neither a number nor a name")
        .help(help)
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

fn broken_string(written: &str, span: Span) -> Diagnostic {
    if !written.contains('\n') {
        let quote = if written.starts_with('"') { '\'' } else { '"' };
        let held = &written[1..written.len() - 1];
        return Diagnostic::error(
            Code::UnexpectedToken,
            "this string ends at its second quote",
        )
        .at(span, "the string is only this")
        .help(format!("write `{quote}{held}{quote}` for a quote inside"));
    }
    let lines: Vec<&str> = written.lines().collect();
    let whole = lines.join("\\n");
    Diagnostic::error(Code::UnclosedString, "this string goes on in the next line")
        .at(span, "the string begins here and its line ends")
        .help(format!("write `\\n` for the line break: `{whole}`"))
}

/// A statement of another language with bodies in braces, like `if … { … } else { … }`: the numbers
/// of its lexemes.
pub fn foreign_block(failed: &Failed, text: &str, lexemes: &[Lexeme]) -> Option<Range<usize>> {
    let ParseError::UnrecognizedToken {
        token: (start, ..), ..
    } = failed
    else {
        return None;
    };
    let at = lexemes.partition_point(|lexeme| lexeme.start < *start);
    let begins = |number: usize| {
        let before = number.checked_sub(1).and_then(|before| lexemes.get(before));
        let foreign = matches!(
            lexemes.get(number).map(|lexeme| lexeme.token),
            Some(
                Token::If
                    | Token::Name("while" | "until" | "switch" | "match" | "class" | "do" | "try")
            )
        );
        foreign
            && before.is_none_or(|before| {
                matches!(
                    before.token,
                    Token::Semicolon | Token::LeftBrace | Token::RightBrace
                ) || text[before.end..lexemes[number].start].contains('\n')
            })
    };
    let stop = |token: Token| matches!(token, Token::Semicolon | Token::RightBrace);
    let back = (0..=at).rev();
    let statement = back
        .take_while(|number| *number == at || !stop(lexemes[*number].token))
        .find(|number| begins(*number))?;
    let mut end = statement;
    loop {
        let head = lexemes[end..]
            .iter()
            .position(|lexeme| stop(lexeme.token) || lexeme.token == Token::LeftBrace);
        let brace = end + head?;
        let mut open = 0_usize;
        let close = lexemes[brace..].iter().position(|lexeme| {
            match lexeme.token {
                Token::LeftBrace => open += 1,
                Token::RightBrace => open = open.saturating_sub(1),
                _ => {}
            }
            open == 0
        });
        if lexemes[brace].token != Token::LeftBrace {
            return None;
        }
        end = brace + close? + 1;
        let next = lexemes.get(end).map(|lexeme| lexeme.token);
        if !matches!(next, Some(Token::Else | Token::Name("elif"))) {
            return Some(statement..end);
        }
    }
}

/// Replaces the spellings of other languages and closes open strings; gives what to say about it.
pub fn respell(source: SourceId, text: &str, lexemes: &mut [Lexeme]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut before = "a";
    for lexeme in lexemes {
        let name = std::mem::replace(&mut before, &text[lexeme.start..lexeme.end]);
        let span = Span::new(source, lexeme.start, lexeme.end);
        let (token, diagnostic) = match lexeme.token {
            Token::OpenString(text) => (Token::Str(text), open_string(span)),
            Token::Foreign(text) | Token::Unknown(text) => match foreign(text, name, span) {
                Some(replacement) => replacement,
                None => continue,
            },
            _ => continue,
        };
        lexeme.token = token;
        diagnostics.push(diagnostic);
    }
    diagnostics
}

fn open_string(span: Span) -> Diagnostic {
    Diagnostic::error(Code::UnclosedString, "this string has no closing quote")
        .at(span, "the string begins here and its line ends")
        .help("close it on the same line; for a line break inside it write `\\n`")
}

/// What a spelling of another language means here.
fn foreign<'s>(text: &'s str, name: &str, span: Span) -> Option<(Token<'s>, Diagnostic)> {
    let (token, help) = match text {
        "&&" | "&" => (Token::And, "write `and`"),
        "||" | "|" => (Token::Or, "write `or`"),
        "!" => (Token::Not, "write `not`"),
        "**" => (Token::Caret, "a power is written `a ^ b`"),
        "//" => (
            Token::Slash,
            "`/` is the only division; round its result with `round(a / b)`",
        ),
        "=<" => (Token::LessEqual, "write `<=`"),
        "=>" => (
            Token::GreaterEqual,
            "to compare write `>=`; a function is written `lambda x: value`",
        ),
        "<>" => (Token::NotEqual, "write `!=`"),
        ":=" => (Token::Assign, "assign with `=`"),
        _ if text.ends_with('=') => return Some(augmented(text, name, span)),
        _ if text.len() > 1 && text.contains('.') => return Some(half_float(text, span)),
        _ => return None,
    };
    let diagnostic = Diagnostic::error(
        Code::UnexpectedToken,
        format!("`{text}` is not an operator of the language"),
    )
    .at(span, "not an operator here")
    .help(help);
    Some((token, diagnostic))
}

fn augmented<'s>(text: &'s str, name: &str, span: Span) -> (Token<'s>, Diagnostic) {
    let operator = match text.trim_end_matches('=') {
        "**" => "^",
        "//" => "/",
        other => other,
    };
    let diagnostic = Diagnostic::error(Code::UnexpectedToken, format!("there is no `{text}`"))
        .at(span, "names are assigned with `=` only")
        .help(format!("write `{name} = {name} {operator} …;`"));
    (Token::Assign, diagnostic)
}

fn half_float<'s>(text: &'s str, span: Span) -> (Token<'s>, Diagnostic) {
    let whole = if text.starts_with('.') {
        format!("0{text}")
    } else {
        format!("{text}0")
    };
    let diagnostic = Diagnostic::error(
        Code::UnexpectedToken,
        "a float has digits on both sides of its point",
    )
    .at(span, "digits are missing")
    .help(format!("write `{whole}`"));
    (Token::Float(text), diagnostic)
}

/// The message of a missing `;`.
pub const NO_SEMICOLON: &str = "this statement has no `;`";

/// A place where a `;` is missing: before the lexeme of this number.
pub struct MissingSemicolon {
    pub before: usize,
    /// The end of the previous token.
    pub end: usize,
}

/// The failure as a missing `;`, where a `;` would have been right and a line, a block or the text
/// ends.
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
        } => {
            let before = lexemes.partition_point(|lexeme| lexeme.start < *start);
            (before, expected)
        }
        _ => return None,
    };
    let previous = lexemes.get(before.checked_sub(1)?)?;
    let ends = match lexemes.get(before) {
        None => true,
        Some(next) if next.token == Token::RightBrace => true,
        Some(next) => starts_statement(next.token) && text[previous.end..next.start].contains('\n'),
    };
    let wanted = expected.iter().any(|terminal| terminal == "\";\"");
    (ends && wanted && previous.token.ends_expression()).then_some(MissingSemicolon {
        before,
        end: previous.end,
    })
}

fn starts_statement(token: Token) -> bool {
    token.starts_expression()
        || matches!(
            token,
            Token::For
                | Token::Def
                | Token::Return
                | Token::Load
                | Token::Draw
                | Token::Assert
                | Token::SetExample(_)
                | Token::ShowExample(_)
                | Token::Examples(_)
                | Token::FullDisplay(_)
                | Token::SetVocabulary
                | Token::SetMaxLength
                | Token::SetCausal(_)
                | Token::Exit
        )
}

/// What to say about a missing `;`.
pub fn explain(missing: &MissingSemicolon, source: SourceId, text: &str) -> Diagnostic {
    // The last character of the statement is marked: an empty span is hard to see.
    let last = text[..missing.end]
        .chars()
        .next_back()
        .map_or(0, char::len_utf8);
    Diagnostic::error(Code::UnexpectedToken, NO_SEMICOLON)
        .at(
            Span::new(source, missing.end - last, missing.end),
            "a `;` belongs after this",
        )
        .help("end every statement with `;`")
}
