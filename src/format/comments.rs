//! The comments of a program where the formatter prints them, in the order of the text: before
//! statements, between the parts of one, and behind it. Comments behind statements that stood in
//! one column stay in one.

use super::print::{INDENT, Printer, WIDTH};
use crate::syntax::ast::Comment;
use crate::syntax::token::Token;
use std::ops::Range;

/// A comment behind a statement of one line.
pub(super) struct Behind {
    /// Where it begins in the output.
    at: usize,
    /// The columns at which it begins, in the output and in the text.
    column: usize,
    written: usize,
}

/// What ends a statement or the head of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Semicolon,
    Brace,
    /// The end of the line ends a command, and a `;` can.
    LineEnd,
}

impl<'a> Printer<'a> {
    /// Prints what comments remain before a place of the text, each on its own line.
    pub(super) fn comments_before(&mut self, end: usize, indent: usize) {
        while let Some(comment) = self.comment_before(end) {
            self.blank_line(comment.span.start as usize);
            self.indent(indent);
            self.comment();
            self.output.push('\n');
        }
    }

    /// Prints the comments before a place inside a statement, behind which the line must end:
    /// whether there are any. The first stays behind what it follows, unless that is a bracket.
    pub(super) fn inner_comments(&mut self, next: usize, indent: usize) -> bool {
        let from = self.next_comment;
        while let Some(comment) = self.comment_before(next) {
            let bracket = self.output.ends_with(['(', '[', '{']);
            if self.next_comment > from || comment.own_line || bracket {
                self.line(indent);
            } else {
                self.output.push_str("  ");
            }
            self.comment();
        }
        self.next_comment > from
    }

    /// Prints the mark behind a part of the text that stops at a place, and the comment behind it.
    /// The part begins at `from` in the output.
    pub(super) fn mark(&mut self, mark: Mark, stop: usize, (from, indent): (usize, usize)) {
        let (token, blank, symbol) = match mark {
            Mark::Semicolon => (Token::Semicolon, "", ";"),
            Mark::Brace => (Token::LeftBrace, " ", "{"),
            Mark::LineEnd => (Token::Semicolon, "", ""),
        };
        let end = match self.lexeme(stop) {
            Some(lexeme) if lexeme.token == token => lexeme.end,
            _ => stop,
        };
        let pending = &self.ast.comments[self.next_comment..];
        let before = pending.partition_point(|comment| (comment.span.start as usize) < end);
        let behind = self.is_behind(self.next_comment + before, end);
        // A comment alone moves behind the mark; several would become lines of their own there.
        if before + usize::from(behind) > 1 {
            self.inner_comments(end, indent + INDENT);
            self.line(indent + INDENT);
            self.output
                .push_str(if mark == Mark::Brace { "{" } else { ";" });
        } else {
            self.output.extend([blank, symbol]);
        }
        if behind && mark != Mark::Brace && !self.output[from..].contains('\n') {
            self.remember_behind();
        }
        if behind || before == 1 {
            self.output.push_str("  ");
            self.comment();
        }
    }

    /// Prints the comment on the line of a place where a statement ends.
    pub(super) fn comment_behind(&mut self, end: usize) {
        if self.is_behind(self.next_comment, end) {
            self.output.push_str("  ");
            self.comment();
        }
    }

    /// Remembers where the next comment will begin, two blanks behind a statement.
    fn remember_behind(&mut self) {
        let Some(comment) = self.ast.comments.get(self.next_comment) else {
            return;
        };
        let before = self.text.get(..comment.span.start as usize).unwrap_or("");
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        let behind = Behind {
            at: self.output.len() + 2,
            column: self.column() + 2,
            written: before[line..].chars().count(),
        };
        if behind.column <= WIDTH {
            self.behind.push(behind);
        }
    }

    /// The output, where comments behind statements on lines below each other begin in one column if
    /// they did so in the text: the first that leaves two blanks behind each statement.
    pub(super) fn aligned(self) -> String {
        let mut aligned = String::with_capacity(self.output.len());
        let mut done = 0;
        let run = self.behind.chunk_by(|above, below| {
            let between = &self.output[above.at..below.at];
            above.written == below.written && between.matches('\n').count() == 1
        });
        for comments in run {
            let column = comments.iter().map(|comment| comment.column).max();
            for comment in comments {
                aligned.push_str(&self.output[done..comment.at]);
                let blanks = column.unwrap_or(0) - comment.column;
                aligned.extend(std::iter::repeat_n(' ', blanks));
                done = comment.at;
            }
        }
        aligned.push_str(&self.output[done..]);
        aligned
    }

    /// Prints the next comment.
    fn comment(&mut self) {
        if let Some(comment) = self.ast.comments.get(self.next_comment) {
            let written = self.text.get(comment.span.range()).unwrap_or("#");
            self.output.push_str(written.trim_end());
            self.next_comment += 1;
        }
    }

    /// The next comment if it begins before a place of the text.
    fn comment_before(&self, end: usize) -> Option<&'a Comment> {
        let next = self.ast.comments.get(self.next_comment);
        next.filter(|comment| (comment.span.start as usize) < end)
    }

    /// Whether a comment stands behind a place on its line, with nothing between.
    fn is_behind(&self, comment: usize, end: usize) -> bool {
        let Some(comment) = self.ast.comments.get(comment) else {
            return false;
        };
        let start = comment.span.start as usize;
        let token = self.lexeme(end).map_or(usize::MAX, |next| next.start);
        !comment.own_line && end <= start && start < token
    }

    /// The number of comments in a part of the text.
    pub(super) fn comments_in(&self, part: Range<usize>) -> usize {
        let before = |place: usize| {
            let comments = &self.ast.comments;
            comments.partition_point(|comment| (comment.span.start as usize) < place)
        };
        before(part.end).saturating_sub(before(part.start))
    }

    pub(super) fn has_comment(&self, part: Range<usize>) -> bool {
        self.comments_in(part) > 0
    }
}
