//! From lines to entries: when a line completes an entry, when it is a command, and when an entry
//! that can never be completed is given up.

use super::{Part, Patience, Repl, command};
use crate::base::{Limits, SourceId};
use crate::syntax::token::{Token, lex};
use crate::syntax::{Completeness, completeness};

impl Repl {
    /// Takes a line (or several at once, as pasting gives them) and answers what it completes.
    pub fn push(&mut self, line: &str) -> Vec<Part> {
        let line = line.trim_end_matches(['\n', '\r']);
        if self.patience == Patience::NextLine && !self.pending.is_empty() {
            self.run_what_ends_before(line);
        }
        if (self.pending.is_empty() || is_documentation(&self.pending)) && !self.finished {
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
        if completeness(&self.pending) != Completeness::CompleteWithSemicolon {
            return;
        }
        let together = format!("{}\n{line}", self.pending);
        let is_command = line.trim_start().starts_with(':');
        if is_command
            || line.trim().is_empty()
            || completeness(&together) == Completeness::Erroneous
        {
            self.run_pending();
        }
    }

    fn continue_with(&mut self, line: &str) {
        let begun = !self.pending.is_empty();
        if begun {
            self.pending.push('\n');
        }
        self.pending.push_str(line);
        if self.skipping && open_braces(&self.pending) <= 0 {
            return self.run_pending();
        }
        // In a file a definition may hold empty lines; at the prompt one ends a stuck entry.
        let gives_up = line.trim().is_empty() && begun;
        if gives_up && (self.patience == Patience::None || self.skipping) {
            return self.run_pending();
        }
        if self.skipping {
            return;
        }
        match completeness(&self.pending) {
            // It belongs to the definition on the next line.
            Completeness::Complete if is_documentation(&self.pending) => {}
            Completeness::Complete => self.run_pending(),
            Completeness::CompleteWithSemicolon => {
                if self.patience == Patience::None {
                    self.run_pending();
                }
            }
            Completeness::Incomplete => {}
            Completeness::Erroneous => {
                // The rest of a definition from a file would otherwise be run as if it stood alone.
                if self.patience == Patience::NextLine && open_braces(&self.pending) > 0 {
                    self.skipping = true;
                } else {
                    self.run_pending();
                }
            }
        }
    }

    fn run_pending(&mut self) {
        self.skipping = false;
        let text = std::mem::take(&mut self.pending);
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

/// How many braces of definitions and loops are open.
fn open_braces(text: &str) -> i64 {
    let lexed = lex(SourceId(0), text, Limits::default().open_brackets);
    let mut open = 0;
    let mut has_body = false;
    for lexeme in &lexed.lexemes {
        match lexeme.token {
            Token::Def | Token::For => has_body = true,
            Token::LeftBrace => open += 1,
            Token::RightBrace => open -= 1,
            _ => {}
        }
    }
    if has_body { open } else { 0 }
}
