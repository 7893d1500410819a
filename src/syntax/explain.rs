//! Syntax errors in words: what was expected, what stands there instead, and, for the habits of
//! other languages, what to write here.

use super::build::Failed;
use super::token::Lexeme;
use crate::base::{Code, Diagnostic, SourceId, Span};
use lalrpop_util::ParseError;

/// The text a failure is explained in.
pub struct Context<'a, 's> {
    pub source: SourceId,
    pub text: &'s str,
    pub lexemes: &'a [Lexeme<'s>],
}

impl<'s> Context<'_, 's> {
    /// What to say about one failure.
    pub fn explain(&self, failed: &Failed<'s>) -> Diagnostic {
        match failed {
            ParseError::UnrecognizedToken {
                token: (start, token, end),
                expected,
            } => {
                let _ = token;
                Diagnostic::error(Code::UnexpectedToken, format!("expected {expected:?}"))
                    .at(Span::new(self.source, *start, *end), "not expected here")
            }
            ParseError::UnrecognizedEof { location, expected } => {
                Diagnostic::error(Code::UnexpectedEnd, format!("expected {expected:?}"))
                    .at(Span::new(self.source, *location, *location), "")
            }
            other => Diagnostic::error(Code::UnexpectedToken, format!("{other:?}")),
        }
    }
}
