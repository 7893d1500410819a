//! String literals: quotes and escapes to the text they mean.

use super::mistake::{Mistake, MistakeKind};
use crate::base::{SourceId, Span};

/// The text of a literal that stands at `start`, and what is wrong with its escapes. The closing
/// quote may be missing.
pub fn unquote(literal: &str, source: SourceId, start: usize) -> (String, Vec<Mistake>) {
    let quote = literal.chars().next().unwrap_or('"');
    let inner = literal.strip_prefix(quote).unwrap_or(literal);
    let mut text = String::with_capacity(inner.len());
    let mut mistakes = Vec::new();
    let mut rest = inner;
    while let Some(character) = rest.chars().next() {
        let after = &rest[character.len_utf8()..];
        if character == quote {
            break;
        }
        if character != '\\' {
            text.push(character);
            rest = after;
            continue;
        }
        let (meaning, length) = escape(after);
        let at = start + literal.len() - rest.len();
        match meaning {
            Some(meaning) => text.push(meaning),
            None => {
                let written = &rest[..1 + length];
                let span = Span::new(source, at, at + 1 + length);
                mistakes.push(MistakeKind::Escape.at(span));
                text.push_str(written);
            }
        }
        rest = &after[length..];
    }
    (text, mistakes)
}

/// What the characters after a backslash mean, and how many bytes they are.
fn escape(after: &str) -> (Option<char>, usize) {
    let Some(character) = after.chars().next() else {
        return (None, 0);
    };
    let meaning = match character {
        'n' => '\n',
        't' => '\t',
        '\\' | '"' | '\'' => character,
        'u' => return unicode_escape(after),
        other => return (None, other.len_utf8()),
    };
    (Some(meaning), 1)
}

/// `u{…}` with up to six hexadecimal digits.
fn unicode_escape(after: &str) -> (Option<char>, usize) {
    let Some(digits) = after.strip_prefix("u{").and_then(|tail| {
        let end = tail.find('}')?;
        (1..=6).contains(&end).then(|| &tail[..end])
    }) else {
        return (None, 1);
    };
    let all_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let meaning = u32::from_str_radix(digits, 16)
        .ok()
        .filter(|_| all_hexadecimal)
        .and_then(char::from_u32);
    let length = if all_hexadecimal { digits.len() + 3 } else { 1 };
    (meaning, length)
}
