//! A text that is typed line by line: after each line, how far it is. What has been read of a body
//! is not read again, so that a pasted function takes time linear in its length.

use super::command::recognize;
use super::parse::{Completeness, completeness};
use super::token::{Token, lex};
use crate::base::{Limits, SourceId};

/// With a bracket open, a text of more bytes than this is read anew only when it has grown by half.
const LONG: usize = 1024;

/// The lines so far.
#[derive(Clone, Debug)]
pub struct Typed {
    /// What decides how the text can go on: all of it, or, inside bodies, their heads and what
    /// follows the last `;`.
    open_end: String,
    /// The length of that when it was last read.
    read: usize,
    brackets: i64,
    braces: i64,
    has_body: bool,
    completeness: Completeness,
}

impl Default for Typed {
    fn default() -> Typed {
        Typed {
            open_end: String::new(),
            read: 0,
            brackets: 0,
            braces: 0,
            has_body: false,
            completeness: Completeness::Complete,
        }
    }
}

impl Typed {
    /// Takes a line (or several) and says how far the text is with it. Where a bracket has been
    /// open for long, a mistake may be told some lines late.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only braces nest")]
    pub fn push(&mut self, line: &str) -> Completeness {
        if !self.open_end.is_empty() {
            self.open_end.push('\n');
        }
        self.open_end.push_str(line);
        // No token spans lines.
        let lexemes = lex(SourceId(0), line, Limits::default().open_brackets).lexemes;
        let Some(last) = lexemes.last() else {
            return self.completeness;
        };
        for lexeme in &lexemes {
            self.brackets += i64::from(lexeme.token.opens()) - i64::from(lexeme.token.closes());
            match lexeme.token {
                Token::LeftBrace => self.braces += 1,
                Token::RightBrace => self.braces -= 1,
                _ => {}
            }
            self.has_body |= matches!(
                lexeme.token,
                Token::Def | Token::For | Token::Name("repeat")
            );
        }
        // No line mends a mistake.
        if self.completeness == Completeness::Erroneous {
            return self.completeness;
        }
        let long = self.brackets > 0 && self.open_end.len() > LONG;
        if long && self.open_end.len() <= self.read + self.read / 2 {
            return self.completeness;
        }
        self.completeness = completeness(&self.open_end);
        if self.completeness == Completeness::Incomplete && last.token == Token::Semicolon {
            self.open_end = heads(&self.open_end);
        }
        self.read = self.open_end.len();
        self.completeness
    }

    /// How far the text is.
    pub fn completeness(&self) -> Completeness {
        self.completeness
    }

    /// Whether a brace is open that may be that of a body.
    pub fn in_body(&self) -> bool {
        self.has_body && self.braces > 0
    }
}

/// The shortest text that can go on as this one can, which ends behind a `;` in a body: the heads
/// of the bodies that are open, and a statement in each.
#[expect(clippy::wildcard_enum_match_arm, reason = "others are no brackets")]
fn heads(text: &str) -> String {
    // For every open bracket, the start of the head and of the body if it is a body's.
    let mut open: Vec<Option<(usize, usize)>> = Vec::new();
    let mut head = None;
    let mut returns = false;
    let mut follows_expression = false;
    let lexed = lex(SourceId(0), text, Limits::default().open_brackets);
    for lexeme in &recognize(text, &lexed.lexemes) {
        let between_statements = open.last().is_none_or(Option::is_some);
        match lexeme.token {
            Token::Def | Token::For | Token::Repeat if between_statements => {
                head = Some(lexeme.start)
            }
            Token::Return => returns = true,
            Token::LeftBrace if between_statements && follows_expression => {
                open.push(head.take().map(|head| (head, lexeme.end)));
            }
            token if token.opens() => open.push(None),
            token if token.closes() => {
                open.pop();
                returns &= token != Token::RightBrace;
            }
            _ => {}
        }
        follows_expression = lexeme.token.ends_expression();
    }
    let mut heads = String::new();
    for (head, body) in open.into_iter().flatten() {
        heads.push_str(&text[head..body]);
        heads.push_str("0;");
    }
    heads.push_str(if returns { "return 0;" } else { "" });
    heads
}
