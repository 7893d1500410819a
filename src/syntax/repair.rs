//! Mistakes whose meaning is plain: they are reported, and then the parser reads what was meant, so
//! that one slip does not hide the rest of the text. Operators of other languages become ours, and a
//! statement without `;` at the end of its line gets one.

use super::build::Failed;
use super::token::{Lexeme, Token};
use crate::base::{Code, Diagnostic, SourceId, Span};
use lalrpop_util::ParseError;

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
    pub at_end_of_text: bool,
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
    let at_end_of_text = before == lexemes.len();
    let ends = match lexemes.get(before) {
        None => true,
        Some(next) if next.token == Token::RightBrace => true,
        Some(next) => starts_statement(next.token) && text[previous.end..next.start].contains('\n'),
    };
    let wanted = expected.iter().any(|terminal| terminal == "\";\"");
    (ends && wanted && previous.token.ends_expression()).then_some(MissingSemicolon {
        before,
        end: previous.end,
        at_end_of_text,
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
    let code = if missing.at_end_of_text {
        Code::UnexpectedEnd
    } else {
        Code::UnexpectedToken
    };
    // The last character of the statement is marked: an empty span is hard to see.
    let last = text[..missing.end]
        .chars()
        .next_back()
        .map_or(0, char::len_utf8);
    Diagnostic::error(code, NO_SEMICOLON)
        .at(
            Span::new(source, missing.end - last, missing.end),
            "a `;` belongs after this",
        )
        .help("end every statement with `;`")
}
