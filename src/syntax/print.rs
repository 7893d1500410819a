//! The canonical formatter: a tree back to source text. One statement a line, four blanks of
//! indentation, lines of at most 100 columns where brackets and operators allow it; comments and
//! single blank lines stay. Printing a printed program changes nothing.

use super::ast::{
    Ast, Command, ExampleKind, ExprId, ExprKind, Function, Ident, Parameter, Statement,
    StatementKind,
};
use super::items::{Item, plain};
use super::layout::{Level, Piece, pieces};
use super::remark::Behind;
use crate::base::Span;
use crate::value::atom::quote;
use std::collections::BTreeSet;

pub(super) const WIDTH: usize = 100;
pub(super) const INDENT: usize = 4;
const DEEPEST: usize = 60;
/// Stack left below which a recursive walk moves to a new segment, and the size of that segment.
const RED_ZONE: usize = 64 << 10;
const SEGMENT: usize = 1 << 20;

/// The program in canonical form. `text` is what the tree was read from: comments and the
/// spelling of numbers are taken from it.
pub fn print(ast: &Ast, text: &str) -> String {
    print_with_parentheses(ast, text, &BTreeSet::new())
}

/// As [`print`], with parentheses around some expressions in addition to those written.
pub fn print_with_parentheses(ast: &Ast, text: &str, around: &BTreeSet<ExprId>) -> String {
    let mut printer = Printer::new(ast, text, around);
    printer.measure();
    printer.statements(&ast.statements, 0);
    printer.comments_before(usize::MAX, 0);
    printer.aligned()
}

/// One expression on one line, with additional parentheses.
pub fn print_expression(ast: &Ast, text: &str, expr: ExprId, around: &BTreeSet<ExprId>) -> String {
    let mut printer = Printer::new(ast, text, around);
    printer.flat(expr, Level::Lambda);
    printer.output
}

pub(super) struct Printer<'a> {
    pub(super) ast: &'a Ast,
    pub(super) text: &'a str,
    around: &'a BTreeSet<ExprId>,
    /// The width of every expression printed on one line, without parentheses of its own.
    widths: Vec<usize>,
    pub(super) output: String,
    /// Which comments have been printed.
    pub(super) printed: Vec<bool>,
    /// The comments behind statements of one line each.
    pub(super) behind: Vec<Behind>,
    /// Every comment before this number has been printed.
    pub(super) next_comment: usize,
    /// Whether lines may break between brackets only, as in a command.
    pub(super) brackets_only: bool,
}

impl<'a> Printer<'a> {
    fn new(ast: &'a Ast, text: &'a str, around: &'a BTreeSet<ExprId>) -> Printer<'a> {
        Printer {
            ast,
            text,
            around,
            widths: Vec::new(),
            output: String::new(),
            printed: Vec::new(),
            behind: Vec::new(),
            next_comment: 0,
            brackets_only: false,
        }
    }

    /// Prepares for whole statements; a single line needs neither widths nor comments.
    fn measure(&mut self) {
        self.printed = vec![false; self.ast.comments.len()];
        for id in self.ast.ids() {
            let pieces = pieces(self.ast, self.text, id);
            let width = pieces.iter().map(|piece| self.piece_width(piece)).sum();
            self.widths.push(width);
        }
    }

    // ---- Statements ----

    fn statements(&mut self, statements: &[Statement], indent: usize) {
        for statement in statements {
            self.comments_before(statement.span.start as usize, indent);
            self.blank_line(statement.span.start as usize);
            self.indent(indent);
            let from = self.output.len();
            self.statement(statement, indent);
            self.trailing_comments(statement.span, from);
            self.output.push('\n');
        }
    }

    fn statement(&mut self, statement: &Statement, indent: usize) {
        match &statement.kind {
            StatementKind::Error => {
                let written = self.text.get(statement.span.range()).unwrap_or("");
                self.output.push_str(written.trim());
                self.output.push(';');
            }
            StatementKind::Expression(value) => self.terminated(*value, indent),
            StatementKind::Assign { names, values } => {
                self.names(names);
                self.output.push_str(" = ");
                self.values(values, indent);
            }
            StatementKind::Define(function) => self.define(function, statement.span, indent),
            StatementKind::For {
                names,
                iterable,
                body,
            } => {
                self.output.push_str("for ");
                self.names(names);
                self.output.push_str(" in ");
                self.expr(*iterable, Level::Lambda, indent, 2);
                self.output.push_str(" {");
                let start = body
                    .first()
                    .map_or(statement.span.end, |first| first.span.start);
                self.header_comment(start as usize);
                self.output.push('\n');
                self.statements(body, indent + INDENT);
                self.close_block(statement.span, indent);
            }
            StatementKind::Load { path, .. } => {
                self.output.push_str(&format!("load {};", quote(path)));
            }
            StatementKind::Draw { value, input } => {
                self.output.push_str("draw(");
                self.expr(*value, Level::Lambda, indent, 2);
                if let Some(input) = input {
                    self.output.push_str(", ");
                    self.expr(*input, Level::Lambda, indent, 2);
                }
                self.output.push_str(");");
            }
            StatementKind::Assert { condition } => {
                self.output.push_str("assert ");
                self.terminated(*condition, indent);
            }
            StatementKind::Command(command) => {
                self.brackets_only = true;
                self.command(command, indent);
                self.brackets_only = false;
            }
        }
    }

    fn terminated(&mut self, value: ExprId, indent: usize) {
        self.expr(value, Level::Lambda, indent, 1);
        self.output.push(';');
    }

    fn values(&mut self, values: &[ExprId], indent: usize) {
        for (at, value) in values.iter().enumerate() {
            if at > 0 {
                self.output.push_str(", ");
            }
            self.expr(*value, Level::Lambda, indent, 1);
        }
        self.output.push(';');
    }

    fn names(&mut self, names: &[Ident]) {
        let names: Vec<&str> = names.iter().map(|ident| &*ident.name).collect();
        self.output.push_str(&names.join(", "));
    }

    fn define(&mut self, function: &Function, span: Span, indent: usize) {
        self.output.push_str("def ");
        self.output.push_str(&function.ident.name);
        self.output.push('(');
        self.parameters(&function.parameters, indent);
        self.output.push_str(") {");
        let results = self.results_span(function, span);
        let start = function
            .body
            .first()
            .map_or(results.start, |first| first.span.start);
        self.header_comment(start as usize);
        self.output.push('\n');
        self.statements(&function.body, indent + INDENT);
        if !function.results.is_empty() {
            self.comments_before(results.start as usize, indent + INDENT);
            self.blank_line_before_return(results.start as usize);
            self.indent(indent + INDENT);
            let from = self.output.len();
            self.output.push_str("return ");
            self.values(&function.results, indent + INDENT);
            self.trailing_comments(results, from);
            self.output.push('\n');
        }
        self.close_block(span, indent);
    }

    fn results_span(&self, function: &Function, span: Span) -> Span {
        match (function.results.first(), function.results.last()) {
            (Some(first), Some(last)) => self.ast.get(*first).span.to(self.ast.get(*last).span),
            _ => Span {
                start: span.end,
                ..span
            },
        }
    }

    fn parameters(&mut self, parameters: &[Parameter], indent: usize) {
        for (at, parameter) in parameters.iter().enumerate() {
            if at > 0 {
                self.output.push_str(", ");
            }
            self.output.push_str(&parameter.ident.name);
            if let Some(default) = parameter.default {
                self.output.push('=');
                self.expr(default, Level::Lambda, indent, 3);
            }
        }
    }

    fn close_block(&mut self, span: Span, indent: usize) {
        self.comments_before((span.end as usize).saturating_sub(1), indent + INDENT);
        self.indent(indent);
        self.output.push('}');
    }

    fn command(&mut self, command: &Command, indent: usize) {
        let switch = |on: bool| if on { "on" } else { "off" };
        let about = |kind: ExampleKind| match kind {
            ExampleKind::SOp => "s-op ",
            ExampleKind::Selector => "selector ",
            ExampleKind::Both => "",
        };
        let (words, value) = match command {
            Command::SetExample { kind, value } => {
                (format!("set {}example ", about(*kind)), Some(*value))
            }
            Command::ShowExample { kind } => (format!("show {}example", about(*kind)), None),
            Command::Examples { kind, on } => {
                (format!("{}examples {}", about(*kind), switch(*on)), None)
            }
            Command::FullDisplay { on } => (format!("full seq display {}", switch(*on)), None),
            Command::SetVocabulary { value } => ("set vocab ".to_string(), Some(*value)),
            Command::SetMaxLength { value } => ("set max_length ".to_string(), Some(*value)),
            Command::SetCausal { on } => (format!("set causal {}", switch(*on)), None),
            Command::Exit => ("exit".to_string(), None),
        };
        self.output.push_str(&words);
        if let Some(value) = value {
            self.expr(value, Level::Lambda, indent, 0);
        }
    }

    // ---- Comments and blank lines ----

    /// Keeps one of the blank lines before a place of the text, except at the start of a block.
    pub(super) fn blank_line(&mut self, start: usize) {
        let before = self.text.get(..start).unwrap_or("");
        let blanks = &before[before.trim_end().len()..];
        let opening = self.output.is_empty() || self.output.ends_with("{\n");
        if blanks.matches('\n').count() > 1 && !opening {
            self.output.push('\n');
        }
    }

    /// The same for `return`, given where its values start.
    fn blank_line_before_return(&mut self, values: usize) {
        let before = self.text.get(..values).unwrap_or("").trim_end();
        self.blank_line(before.strip_suffix("return").map_or(0, str::len));
    }

    pub(super) fn indent(&mut self, indent: usize) {
        // Deeper nesting is not visible, and would make the output quadratic.
        self.output
            .extend(std::iter::repeat_n(' ', indent.min(DEEPEST)));
    }

    // ---- Expressions ----

    /// Prints an expression, on one line if it fits with `after` characters behind it.
    pub(super) fn expr(&mut self, id: ExprId, level: Level, indent: usize, after: usize) {
        stacker::maybe_grow(RED_ZONE, SEGMENT, || {
            let fits = self.column() + self.width(id, level) + after <= WIDTH;
            if fits && !self.has_comment(self.ast.get(id).span) {
                return self.flat(id, level);
            }
            // Comments break brackets, which have a place for them, but no operators.
            let brackets_only = self.brackets_only;
            self.brackets_only |= fits;
            if self.parenthesized(id, level) {
                self.output.push('(');
                self.brackets_only = fits;
                self.broken(id, indent, after + 1);
                self.output.push(')');
            } else {
                self.broken(id, indent, after);
            }
            self.brackets_only = brackets_only;
        });
    }

    fn flat(&mut self, id: ExprId, level: Level) {
        stacker::maybe_grow(RED_ZONE, SEGMENT, || {
            let parenthesized = self.parenthesized(id, level);
            if parenthesized {
                self.output.push('(');
            }
            for piece in pieces(self.ast, self.text, id) {
                match piece {
                    Piece::Text(text) => self.output.push_str(&text),
                    Piece::Child(child, level) => self.flat(child, level),
                }
            }
            if parenthesized {
                self.output.push(')');
            }
        });
    }

    /// Prints an expression over several lines, if its kind has a place for a break.
    fn broken(&mut self, id: ExprId, indent: usize, after: usize) {
        let ast = self.ast;
        let expr = ast.get(id);
        match &expr.kind {
            ExprKind::List(items) if !items.is_empty() => {
                self.bracketed('[', &plain(items), (']', expr.span), indent);
            }
            ExprKind::Tuple(items) if items.len() > 1 => {
                self.bracketed('(', &plain(items), (')', expr.span), indent);
            }
            ExprKind::Dict(entries) if !entries.is_empty() => {
                let items: Vec<Item> = entries.iter().map(|(k, v)| Item::entry(*k, *v)).collect();
                self.bracketed('{', &items, ('}', expr.span), indent);
            }
            ExprKind::ListComprehension {
                element,
                names,
                iterable,
            } => {
                let item = Item::plain(*element);
                self.comprehension(('[', ']'), &item, (names, *iterable), expr.span, indent);
            }
            ExprKind::DictComprehension {
                key,
                value,
                names,
                iterable,
            } => {
                let item = Item::entry(*key, *value);
                self.comprehension(('{', '}'), &item, (names, *iterable), expr.span, indent);
            }
            ExprKind::Call {
                function,
                arguments,
            } if !arguments.is_empty() => {
                self.expr(*function, Level::Postfix, indent, 1);
                let items: Vec<Item> = arguments.iter().map(Item::argument).collect();
                self.bracketed('(', &items, (')', expr.span), indent);
            }
            ExprKind::Parenthesized(inner) => {
                self.output.push('(');
                let brackets_only = std::mem::take(&mut self.brackets_only);
                self.expr(*inner, Level::Lambda, indent, after + 1);
                self.brackets_only = brackets_only;
                self.output.push(')');
            }
            ExprKind::Binary { .. } => self.infix(id, indent, after),
            _ => self.broken_in_place(id, indent, after),
        }
    }

    /// Prints an expression whose own tokens stay on the line; its parts may break.
    fn broken_in_place(&mut self, id: ExprId, indent: usize, after: usize) {
        let pieces = pieces(self.ast, self.text, id);
        for (at, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Text(text) => {
                    let breaks = text == " if " || text == " else ";
                    if breaks && !self.brackets_only {
                        self.line(indent + INDENT);
                        self.output.push_str(text.trim_start());
                    } else {
                        self.output.push_str(text);
                    }
                }
                Piece::Child(child, level) => {
                    let after = self.behind(&pieces[at + 1..], after);
                    self.expr(*child, *level, indent + INDENT, after);
                }
            }
        }
    }

    /// How many characters stay on the line behind a part: all that follows where only brackets
    /// may break, else the next word.
    fn behind(&self, rest: &[Piece], after: usize) -> usize {
        if rest.is_empty() {
            return after;
        }
        if !self.brackets_only {
            return 1;
        }
        let widths = rest.iter().map(|piece| self.piece_width(piece));
        after + widths.sum::<usize>()
    }

    /// Prints a chain of operators of one level, each on a line of its own.
    fn infix(&mut self, id: ExprId, indent: usize, after: usize) {
        let (first, rest) = self.chain(id);
        let level = Level::of(&self.ast.get(id).kind);
        self.expr(first, level, indent + INDENT, after);
        for (symbol, operand) in rest {
            if self.brackets_only {
                self.output.push(' ');
            } else {
                self.line(indent + INDENT);
            }
            self.output.push_str(symbol);
            self.output.push(' ');
            self.expr(operand, level.tighter(), indent + INDENT, after);
        }
    }

    /// The first operand of a left-associative chain, and the operators with their right operands.
    fn chain(&self, id: ExprId) -> (ExprId, Vec<(&'static str, ExprId)>) {
        let level = Level::of(&self.ast.get(id).kind);
        let mut first = id;
        let mut rest = Vec::new();
        while let ExprKind::Binary {
            operator,
            left,
            right,
        } = &self.ast.get(first).kind
        {
            if Level::of(&self.ast.get(first).kind) != level
                || (first != id && self.around.contains(&first))
            {
                break;
            }
            rest.push((operator.symbol(), *right));
            first = *left;
        }
        rest.reverse();
        (first, rest)
    }

    pub(super) fn line(&mut self, indent: usize) {
        self.output.push('\n');
        self.indent(indent);
    }

    /// The column of what is printed next, or one beyond the width.
    pub(super) fn column(&self) -> usize {
        // Looking back is bounded, so that very long lines take linear time.
        let window = self.output.len().saturating_sub(4 * WIDTH);
        let tail = &self.output.as_bytes()[window..];
        match tail.iter().rposition(|byte| *byte == b'\n') {
            None if window > 0 => WIDTH + 1,
            newline => {
                let line = &tail[newline.map_or(0, |at| at + 1)..];
                // Bytes 10xxxxxx go on with a character.
                line.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
            }
        }
    }

    fn piece_width(&self, piece: &Piece) -> usize {
        match piece {
            Piece::Text(text) => text.chars().count(),
            Piece::Child(child, level) => self.width(*child, *level),
        }
    }

    fn width(&self, id: ExprId, level: Level) -> usize {
        self.widths[id.0 as usize] + 2 * usize::from(self.parenthesized(id, level))
    }

    /// Whether an expression gets parentheses where at least `level` is needed.
    fn parenthesized(&self, id: ExprId, level: Level) -> bool {
        self.around.contains(&id) || Level::of(&self.ast.get(id).kind) < level
    }
}
