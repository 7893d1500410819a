//! The comments of a program where the formatter prints them: before statements, behind them, and
//! inside brackets. Comments behind statements that stood in one column stay in one.

use super::print::{Printer, WIDTH};
use crate::base::Span;

/// A comment behind a statement of one line.
pub(super) struct Behind {
    /// Where it begins in the output.
    at: usize,
    /// The columns at which it begins, in the output and in the text.
    column: usize,
    written: usize,
}

impl Printer<'_> {
    /// Prints what comments remain before a place of the text, each on its own line.
    pub(super) fn comments_before(&mut self, end: usize, indent: usize) {
        while let Some(comment) = self.ast.comments.get(self.next_comment) {
            let start = comment.span.start as usize;
            if start >= end {
                return;
            }
            if !self.printed[self.next_comment] {
                self.blank_line(start);
                self.indent(indent);
                self.comment(self.next_comment);
                self.output.push('\n');
            }
            self.next_comment += 1;
        }
    }

    /// Prints the comment behind an opening brace on the brace's line.
    pub(super) fn header_comment(&mut self, body: usize) {
        let Some(next) = self.ast.comments.get(self.next_comment) else {
            return;
        };
        if let Some(at) = self.unprinted(next.span.start as usize, body).first()
            && !self.ast.comments[*at].own_line
        {
            self.output.push_str("  ");
            self.comment(*at);
        }
    }

    /// Prints the comments inside a statement that found no better place, and the one behind it.
    /// The statement begins at `start` in the output.
    pub(super) fn trailing_comments(&mut self, span: Span, start: usize) {
        let mut first = true;
        for at in self.next_comment..self.ast.comments.len() {
            let comment = &self.ast.comments[at];
            let behind = comment.span.start >= span.end;
            let same_line = || {
                let between = span.end as usize..comment.span.start as usize;
                let between = self.text.get(between).unwrap_or("\n");
                between.chars().all(|character| " \t;".contains(character))
            };
            if behind && !same_line() {
                return;
            }
            if !self.printed[at] {
                self.output.push_str(if first { "  " } else { " " });
                if first && behind && !self.output[start..].contains('\n') {
                    self.remember_behind(comment.span);
                }
                first = false;
                self.comment(at);
            }
            self.next_comment = at + 1;
        }
    }

    fn remember_behind(&mut self, comment: Span) {
        let before = self.text.get(..comment.start as usize).unwrap_or("");
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        let behind = Behind {
            at: self.output.len(),
            column: self.column(),
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

    pub(super) fn comment(&mut self, at: usize) {
        let span = self.ast.comments[at].span;
        let written = self.text.get(span.range()).unwrap_or("#");
        self.output.push_str(written.trim_end());
        self.printed[at] = true;
    }

    /// The numbers of the comments not yet printed that start in a range of the text. Those of the
    /// statement being printed are few.
    pub(super) fn unprinted(&self, start: usize, end: usize) -> Vec<usize> {
        let comments = &self.ast.comments;
        let from = comments.partition_point(|comment| (comment.span.start as usize) < start);
        (from..comments.len())
            .take_while(|at| (comments[*at].span.start as usize) < end)
            .filter(|at| !self.printed[*at])
            .collect()
    }

    pub(super) fn same_line_comment(&mut self, start: usize, end: usize) {
        if let Some(at) = self.unprinted(start, end).first()
            && !self.ast.comments[*at].own_line
        {
            self.output.push_str("  ");
            self.comment(*at);
        }
    }

    /// Prints the comments of the current statement before a place, each on its own line.
    pub(super) fn gap_comments(&mut self, end: usize, indent: usize) {
        let start = self
            .ast
            .comments
            .get(self.next_comment)
            .map_or(end, |comment| comment.span.start as usize);
        for at in self.unprinted(start, end) {
            self.line(indent);
            self.comment(at);
        }
    }

    pub(super) fn has_comment(&self, span: Span) -> bool {
        let comments = &self.ast.comments;
        let from = comments.partition_point(|comment| comment.span.start < span.start);
        comments
            .get(from)
            .is_some_and(|comment| comment.span.start < span.end)
    }
}
