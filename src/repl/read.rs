//! From lines to entries: when a line completes an entry, when it is a command, and when an entry
//! that can never be completed is given up.

use super::{Part, Patience, Repl, command};
use crate::base::{Limits, SourceId};
use crate::syntax::token::{Token, lex};
use crate::syntax::{Completeness, completeness};

/// Entries up to this many bytes are read anew with every line.
const SHORT: usize = 4096;

/// The lines of an entry that is not complete yet.
#[derive(Default)]
pub(super) struct Pending {
    pub text: String,
    /// Braces that are open.
    open: i64,
    /// Whether there is a `def` or a `for` in it, so that braces are those of a body.
    has_body: bool,
    /// How long the text was when it was last read as a whole.
    checked: usize,
    /// It is a definition with an error, read on to its closing brace.
    skipping: bool,
}

impl Pending {
    fn push(&mut self, line: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line);
        // No token spans lines.
        for lexeme in &lex(SourceId(0), line, Limits::default().open_brackets).lexemes {
            match lexeme.token {
                Token::Def | Token::For => self.has_body = true,
                Token::LeftBrace => self.open += 1,
                Token::RightBrace => self.open -= 1,
                _ => {}
            }
        }
    }

    fn in_body(&self) -> bool {
        self.has_body && self.open > 0
    }

    /// How far the text is. In a long body it is taken to be incomplete until it has grown by
    /// half: reading all of it after every line takes time quadratic in its length.
    fn completeness(&mut self) -> Completeness {
        let is_long = self.in_body() && self.text.len() > SHORT;
        if is_long && self.text.len() <= self.checked + self.checked / 2 {
            return Completeness::Incomplete;
        }
        self.checked = self.text.len();
        completeness(&self.text)
    }
}

impl Repl {
    /// Takes a line (or several at once, as pasting gives them) and answers what it completes.
    pub fn push(&mut self, line: &str) -> Vec<Part> {
        let line = line.trim_end_matches(['\n', '\r']);
        if self.patience == Patience::NextLine && self.is_pending() {
            self.run_what_ends_before(line);
        }
        let begins = !self.is_pending() || is_documentation(&self.pending.text);
        if begins && !self.finished {
            if line.trim().is_empty() {
                self.interrupt();
                return self.take_answer();
            }
            if command::run(self, line) {
                return self.take_answer();
            }
        }
        if !self.finished {
            self.continue_with(line);
        }
        self.take_answer()
    }

    /// Answers an entry that the end of the input leaves incomplete.
    pub fn end(&mut self) -> Vec<Part> {
        if !self.finished {
            self.run_pending();
        }
        self.take_answer()
    }

    /// Runs a pending statement without `;` if the line begins something else.
    fn run_what_ends_before(&mut self, line: &str) {
        let text = &self.pending.text;
        if self.pending.in_body() || completeness(text) != Completeness::CompleteWithSemicolon {
            return;
        }
        let together = format!("{text}\n{line}");
        let is_command = line.trim_start().starts_with(':');
        if is_command
            || line.trim().is_empty()
            || completeness(&together) == Completeness::Erroneous
        {
            self.run_pending();
        }
    }

    fn continue_with(&mut self, line: &str) {
        let begun = self.is_pending();
        self.pending.push(line);
        let skipping = self.pending.skipping;
        if skipping && !self.pending.in_body() {
            return self.run_pending();
        }
        // In a file a definition may hold empty lines; at the prompt one ends a stuck entry.
        let gives_up = line.trim().is_empty() && begun;
        if gives_up && (self.patience == Patience::None || skipping) {
            return self.run_pending();
        }
        if skipping {
            return;
        }
        match self.pending.completeness() {
            // It belongs to the definition on the next line.
            Completeness::Complete if is_documentation(&self.pending.text) => {}
            Completeness::Complete => self.run_pending(),
            Completeness::CompleteWithSemicolon => {
                if self.patience == Patience::None {
                    self.run_pending();
                }
            }
            Completeness::Incomplete => {}
            Completeness::Erroneous => {
                // The rest of a definition from a file would otherwise be run as if it stood alone.
                if self.patience == Patience::NextLine && self.pending.in_body() {
                    self.pending.skipping = true;
                } else {
                    self.run_pending();
                }
            }
        }
    }

    fn run_pending(&mut self) {
        let text = std::mem::take(&mut self.pending).text;
        if text.trim().is_empty() {
            return;
        }
        match completeness(&text) {
            Completeness::CompleteWithSemicolon => self.run(&with_semicolon(&text)),
            _ => self.run(&text),
        }
    }

    pub(super) fn take_answer(&mut self) -> Vec<Part> {
        std::mem::take(&mut self.answer)
    }
}

/// The text with a `;` after its last token, before any comment that follows.
fn with_semicolon(text: &str) -> String {
    let lexed = lex(SourceId(0), text, Limits::default().open_brackets);
    let end = lexed.lexemes.last().map_or(text.len(), |last| last.end);
    format!("{};{}", &text[..end], &text[end..])
}

/// Whether there is nothing but `##` lines.
fn is_documentation(text: &str) -> bool {
    !text.is_empty() && text.lines().all(|line| line.trim_start().starts_with("##"))
}
