//! The canonical formatter: a tree back to source text. One statement a line, four blanks of
//! indentation, lines of at most 100 columns where brackets and operators allow it; comments and
//! single blank lines stay. Printing a printed program changes nothing.

use super::comments::{Behind, Mark};
use super::lines::{LineShape, Measure};
use super::spelling::Line;
use crate::base::{Limits, SourceId, Span};
use crate::syntax::ast::{
    Ast, Command, ExampleKind, ExprId, ExprKind, Function, Repeat, Statement, StatementKind,
};
use crate::syntax::precedence::Level;
use crate::syntax::token::{Lexeme, lex};
use crate::value::atom::quote;
use std::collections::BTreeSet;

pub(super) const WIDTH: usize = 100;
pub(super) const INDENT: usize = 4;
const DEEPEST: usize = 60;

/// The program in canonical form. `text` is what the tree was read from: comments and the
/// spelling of numbers are taken from it.
pub fn print(ast: &Ast, text: &str) -> String {
    print_with_parentheses(ast, text, &BTreeSet::new())
}

/// As [`print`], with parentheses around some expressions in addition to those written.
pub fn print_with_parentheses(ast: &Ast, text: &str, around: &BTreeSet<ExprId>) -> String {
    let mut printer = Printer::new(ast, text, around);
    printer.lexemes = lex(SourceId(0), text, Limits::default().open_brackets).lexemes;
    printer.measure();
    printer.statements(&ast.statements, 0);
    printer.comments_before(usize::MAX, 0);
    printer.aligned()
}

/// One expression on one line, with additional parentheses.
pub fn print_expression(ast: &Ast, text: &str, expr: ExprId, around: &BTreeSet<ExprId>) -> String {
    let mut printer = Printer::new(ast, text, around);
    printer.on_one_line(expr, Level::Lambda);
    printer.output
}

pub(super) struct Printer<'a> {
    pub(super) ast: &'a Ast,
    pub(super) text: &'a str,
    pub(super) around: &'a BTreeSet<ExprId>,
    /// The tokens of the text; like all below, a single line does without.
    pub(super) lexemes: Vec<Lexeme<'a>>,
    /// What is known of each expression before it is printed.
    pub(super) measures: Vec<Measure>,
    pub(super) output: String,
    /// The number of the first comment that has not been printed: they are printed in order.
    pub(super) next_comment: usize,
    /// The comments behind statements of one line each.
    pub(super) behind: Vec<Behind>,
    /// Whether lines may break between brackets and behind operators only, as in a command.
    pub(super) brackets_only: bool,
}

impl<'a> Printer<'a> {
    fn new(ast: &'a Ast, text: &'a str, around: &'a BTreeSet<ExprId>) -> Printer<'a> {
        Printer {
            ast,
            text,
            around,
            lexemes: Vec::new(),
            measures: Vec::new(),
            output: String::new(),
            next_comment: 0,
            behind: Vec::new(),
            brackets_only: false,
        }
    }

    // ---- Statements ----

    fn statements(&mut self, statements: &[Statement], indent: usize) {
        for statement in statements {
            self.start_statement(statement.span.start as usize, indent);
            self.statement(statement, indent);
            self.output.push('\n');
        }
    }

    /// Prints what stands above a statement, and its indentation.
    fn start_statement(&mut self, start: usize, indent: usize) {
        self.comments_before(start, indent);
        self.blank_line(start);
        self.indent(indent);
    }

    fn statement(&mut self, statement: &Statement, indent: usize) {
        let from = self.output.len();
        let end = statement.span.end as usize;
        let mut line = Line::new(self.ast);
        let mut shape = LineShape::plain(indent);
        match &statement.kind {
            StatementKind::Define(function) => {
                return self.define(function, statement.span, indent);
            }
            StatementKind::For {
                names,
                iterable,
                body,
            } => {
                let first = names.first().map_or(end, |name| name.span.start as usize);
                line.text("for").gap(" ", first).names(names);
                line.text(" in").value(" ", *iterable);
                self.block(&line, shape, self.end(*iterable), body);
                return self.close_block(end, indent);
            }
            StatementKind::Repeat(repeat) => return self.repeat(repeat, statement.span, indent),
            StatementKind::Command(command) => {
                self.brackets_only = true;
                spell(command, &mut line);
                self.arrange(&line.pieces, shape, 0);
                self.brackets_only = false;
                return self.mark(Mark::LineEnd, end, (from, indent));
            }
            StatementKind::Error => {
                let written = self.text.get(statement.span.range()).unwrap_or("");
                line.text(written.trim());
            }
            StatementKind::Expression(value) => {
                self.brackets_only = self.begins_with_exit(*value);
                line.child(*value);
            }
            StatementKind::Assign { names, values } => {
                line.names(names).text(" =").values(values);
            }
            StatementKind::Load { path, path_span } => {
                line.text("load").gap(" ", path_span.start as usize);
                line.text(&quote(path));
            }
            StatementKind::Draw { value, input } => {
                let values: Vec<ExprId> = [*value].into_iter().chain(*input).collect();
                line.text("draw(").items(&values).close(end, ")");
                shape.apart = self.has_comment_between(statement.span, &line.pieces);
            }
            StatementKind::Assert { condition } => {
                line.text("assert").value(" ", *condition);
            }
        }
        self.arrange(&line.pieces, shape, 1);
        self.brackets_only = false;
        self.mark(Mark::Semicolon, end, (from, indent));
    }

    /// Whether an expression's first word is a command if its line ends behind it.
    fn begins_with_exit(&self, mut id: ExprId) -> bool {
        while let kind @ (ExprKind::Binary { .. }
        | ExprKind::Ternary { .. }
        | ExprKind::Index { .. }
        | ExprKind::Call { .. }) = &self.ast.get(id).kind
        {
            id = kind.children()[0];
        }
        matches!(&self.ast.get(id).kind, ExprKind::Name(name) if ["exit", "quit"].contains(&&**name))
    }

    /// The head of a block, which ends at a place of the text, its brace, and its statements.
    fn block(&mut self, head: &Line, shape: LineShape, end: usize, body: &[Statement]) {
        let from = self.output.len();
        self.arrange(&head.pieces, shape, 2);
        self.mark(Mark::Brace, end, (from, shape.indent));
        self.output.push('\n');
        self.statements(body, shape.indent + INDENT);
    }

    fn define(&mut self, function: &Function, span: Span, indent: usize) {
        let closing = self.closing_parenthesis(function);
        let mut line = Line::new(self.ast);
        let named = function.ident.span;
        line.text("def").gap(" ", named.start as usize);
        line.text(&function.ident.name).text("(");
        for (at, parameter) in function.parameters.iter().enumerate() {
            line.item_at(at, parameter.ident.span.start as usize);
            line.parameter(parameter);
        }
        line.close(closing, ")");
        let mut shape = LineShape::plain(indent);
        shape.apart = self.has_comment(named.end as usize..closing)
            || (!function.parameters.is_empty() && !self.fits(&line.pieces, 2));
        self.block(&line, shape, closing + 1, &function.body);
        if let (Some(first), Some(last)) = (function.results.first(), function.results.last()) {
            self.start_statement(self.word_before(*first), indent + INDENT);
            let from = self.output.len();
            let mut line = Line::new(self.ast);
            line.text("return").values(&function.results);
            self.arrange(&line.pieces, LineShape::plain(indent + INDENT), 1);
            self.mark(Mark::Semicolon, self.end(*last), (from, indent + INDENT));
            self.output.push('\n');
        }
        self.close_block(span.end as usize, indent);
    }

    fn repeat(&mut self, repeat: &Repeat, span: Span, indent: usize) {
        let last = repeat.starts.last().map_or(0, |start| self.end(*start));
        let closing = self.lexeme(last).map_or(last, |close| close.start);
        let mut line = Line::new(self.ast);
        line.text("repeat").value(" ", repeat.times).text(" (");
        for (at, (name, start)) in repeat.names.iter().zip(&repeat.starts).enumerate() {
            line.item_at(at, name.span.start as usize);
            line.text(&format!("{} =", name.name)).value(" ", *start);
        }
        line.close(closing, ")");
        let mut shape = LineShape::plain(indent);
        shape.apart =
            self.has_comment(self.end(repeat.times)..closing) || !self.fits(&line.pieces, 2);
        self.block(&line, shape, closing + 1, &repeat.body);
        self.close_block(span.end as usize, indent);
    }

    /// Where the list of parameters ends.
    fn closing_parenthesis(&self, function: &Function) -> usize {
        let end = match function.parameters.last() {
            Some(last) => {
                let name = last.ident.span.end as usize;
                last.default.map_or(name, |default| self.end(default))
            }
            None => {
                let end = function.ident.span.end as usize;
                self.lexeme(end).map_or(end, |open| open.end)
            }
        };
        self.lexeme(end).map_or(end, |close| close.start)
    }

    fn end(&self, id: ExprId) -> usize {
        self.ast.get(id).span.end as usize
    }

    /// The first token that begins at a place or behind it.
    pub(super) fn lexeme(&self, start: usize) -> Option<&Lexeme<'a>> {
        let lexemes = &self.lexemes;
        lexemes.get(lexemes.partition_point(|lexeme| lexeme.start < start))
    }

    /// Where the token before an expression begins.
    fn word_before(&self, id: ExprId) -> usize {
        let start = self.ast.get(id).span.start as usize;
        let count = self.lexemes.partition_point(|lexeme| lexeme.start < start);
        let before = self.lexemes[..count].last();
        before.map_or(start, |lexeme| lexeme.start)
    }

    fn close_block(&mut self, end: usize, indent: usize) {
        self.comments_before(end.saturating_sub(1), indent + INDENT);
        self.indent(indent);
        self.output.push('}');
        self.comment_behind(end);
    }

    /// Keeps one of the blank lines before a place of the text, except at the start of a block.
    pub(super) fn blank_line(&mut self, start: usize) {
        let before = self.text.get(..start).unwrap_or("");
        let blanks = &before[before.trim_end().len()..];
        let opening = self.output.is_empty() || self.output.ends_with("{\n");
        if blanks.matches('\n').count() > 1 && !opening {
            self.output.push('\n');
        }
    }

    pub(super) fn indent(&mut self, indent: usize) {
        // Deeper nesting is not visible, and would make the output quadratic.
        self.output
            .extend(std::iter::repeat_n(' ', indent.min(DEEPEST)));
    }
}

fn spell(command: &Command, line: &mut Line) {
    let switch = |on: bool| if on { "on" } else { "off" };
    let about = |kind: ExampleKind| match kind {
        ExampleKind::SOp => "s-op ",
        ExampleKind::Selector => "selector ",
        ExampleKind::Both => "",
    };
    match command {
        Command::SetExample { kind, value } => line
            .text(&format!("set {}example", about(*kind)))
            .value(" ", *value),
        Command::ShowExample { kind } => line.text(&format!("show {}example", about(*kind))),
        Command::Examples { kind, on } => {
            line.text(&format!("{}examples {}", about(*kind), switch(*on)))
        }
        Command::FullDisplay { on } => line.text(&format!("full seq display {}", switch(*on))),
        Command::SetVocabulary { value } => line.text("set vocab").value(" ", *value),
        Command::SetMaxLength { value } => line.text("set max_length").value(" ", *value),
        Command::SetCausal { on } => line.text(&format!("set causal {}", switch(*on))),
        Command::Exit => line.text("exit"),
    };
}
