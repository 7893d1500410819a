//! The comments of a program where the formatter prints them: before statements, behind them, and
//! inside brackets.

use super::print::Printer;
use crate::base::Span;

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
    pub(super) fn trailing_comments(&mut self, span: Span, mut first: bool) {
        let from = self.next_comment;
        for at in from..self.ast.comments.len() {
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
                first = false;
                self.comment(at);
            }
            self.next_comment = at + 1;
        }
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
