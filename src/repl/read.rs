//! From lines to entries: when a line completes an entry, when it is a command, and when an entry
//! that can never be completed is given up.

use super::{Part, Patience, Repl, command};
use crate::base::{Limits, SourceId, interrupt};
use crate::syntax::token::lex;
use crate::syntax::{Completeness, Typed, completeness};

/// The lines of an entry that is not complete yet.
#[derive(Default)]
pub(super) struct Pending {
    pub text: String,
    pub typed: Typed,
    /// It is a definition with an error, read on to its closing brace.
    skipping: bool,
}

impl Pending {
    fn push(&mut self, line: &str) -> Completeness {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line);
        self.typed.push(line)
    }
}

impl Repl {
    /// Takes a line (or several at once, as pasting gives them) and answers what it completes.
    pub fn push(&mut self, line: &str) -> Vec<Part> {
        interrupt::clear();
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
        if self.pending.typed.completeness() != Completeness::CompleteWithSemicolon {
            return;
        }
        let together = format!("{}\n{line}", self.pending.text);
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
        let completeness = self.pending.push(line);
        let skipping = self.pending.skipping;
        if skipping && !self.pending.typed.in_body() {
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
        match completeness {
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
                if self.patience == Patience::NextLine && self.pending.typed.in_body() {
                    self.pending.skipping = true;
                } else {
                    self.run_pending();
                }
            }
        }
    }

    fn run_pending(&mut self) {
        let Pending { text, typed, .. } = std::mem::take(&mut self.pending);
        if text.trim().is_empty() {
            return;
        }
        match typed.completeness() {
            Completeness::CompleteWithSemicolon => self.run(&with_semicolon(&text)),
            _ => self.run(&text),
        }
    }

    pub(super) fn take_answer(&mut self) -> Vec<Part> {
        if interrupt::is_requested() {
            let told = format!("{}\n", interrupt::MESSAGE);
            self.answer.push(Part::Diagnostic(told));
        }
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
