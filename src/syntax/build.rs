//! What the grammar's actions do: they append to the arena, read literals, and collect what went
//! wrong. The grammar file itself only says what follows what.

use super::ast::{
    Argument, Ast, BinaryOperator, ExprId, ExprKind, Ident, Statement, StatementKind, UnaryOperator,
};
use super::literal;
use super::mistake::{Mistake, MistakeKind};
use super::token::Token;
use crate::base::{SourceId, Span};
use crate::value::Value;
use lalrpop_util::{ErrorRecovery, ParseError};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A syntax error as the parser generator reports it.
pub type Failed<'s> = ParseError<usize, Token<'s>, ()>;

/// Syntax errors after which the rest of a text is not read: each takes a kilobyte, as it is kept what
/// would have fitted.
const MOST_ERRORS: usize = 10_000;

/// The state behind one run of the parser.
pub struct Builder<'s> {
    pub source: SourceId,
    pub ast: Ast,
    /// Where the parser met something it did not expect and went on.
    pub failed: Vec<Failed<'s>>,
    /// How often it may do so still; at 0 it is given no more tokens.
    pub patience: Rc<Cell<usize>>,
    /// Mistakes inside tokens.
    pub mistakes: Vec<Mistake>,
    /// The text of `##` lines by the start of what stands directly below them.
    pub documentation: BTreeMap<usize, String>,
    /// The digits of the smallest integer, behind whose sign they are no mistake.
    smallest: Option<Span>,
}

impl<'s> Builder<'s> {
    pub fn new(source: SourceId, documentation: BTreeMap<usize, String>) -> Builder<'s> {
        Builder {
            source,
            ast: Ast::default(),
            failed: Vec::new(),
            patience: Rc::new(Cell::new(MOST_ERRORS)),
            mistakes: Vec::new(),
            documentation,
            smallest: None,
        }
    }

    pub fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.source, start, end)
    }

    pub fn expr(&mut self, kind: ExprKind, start: usize, end: usize) -> ExprId {
        let span = self.span(start, end);
        self.ast.add(kind, span)
    }

    pub fn infix(
        &mut self,
        operator: BinaryOperator,
        (left, right): (ExprId, ExprId),
        (start, end): (usize, usize),
    ) -> ExprId {
        let kind = ExprKind::Binary {
            operator,
            left,
            right,
        };
        self.expr(kind, start, end)
    }

    pub fn ident(&self, name: &str, start: usize, end: usize) -> Ident {
        Ident {
            name: name.into(),
            span: self.span(start, end),
        }
    }

    pub fn statement(&mut self, kind: StatementKind, start: usize, end: usize) -> Statement {
        Statement {
            kind,
            span: self.span(start, end),
            documentation: self.documentation.remove(&start).unwrap_or_default(),
        }
    }

    pub fn recover(&mut self, recovery: ErrorRecovery<usize, Token<'s>, ()>) {
        self.failed.push(recovery.error);
        self.patience.set(self.patience.get().saturating_sub(1));
    }

    /// An expression in place of what could not be read.
    pub fn missing(
        &mut self,
        recovery: ErrorRecovery<usize, Token<'s>, ()>,
        start: usize,
        end: usize,
    ) -> ExprId {
        self.recover(recovery);
        self.expr(ExprKind::Error, start, end)
    }

    /// The arguments of a call that could not be read.
    pub fn missing_arguments(
        &mut self,
        recovery: ErrorRecovery<usize, Token<'s>, ()>,
        start: usize,
        end: usize,
    ) -> Vec<Argument> {
        let value = self.missing(recovery, start, end);
        vec![Argument { name: None, value }]
    }

    /// An operator before its operand. The smallest integer is one literal: its digits alone would
    /// be too large.
    pub fn prefix(
        &mut self,
        operator: UnaryOperator,
        operand: ExprId,
        (start, end): (usize, usize),
    ) -> ExprId {
        let span = self.ast.get(operand).span;
        if operator == UnaryOperator::Negate && self.smallest == Some(span) {
            self.mistakes.retain(|mistake| mistake.span != span);
            return self.expr(ExprKind::Literal(Value::Int(i64::MIN)), start, end);
        }
        self.expr(ExprKind::Unary { operator, operand }, start, end)
    }

    pub fn int(&mut self, digits: &str, start: usize) -> Value {
        if let Ok(int) = digits.parse() {
            return Value::Int(int);
        }
        let span = self.span(start, start + digits.len());
        if digits.parse() == Ok(i64::MIN.unsigned_abs()) {
            self.smallest = Some(span);
        }
        self.mistakes.push(MistakeKind::LargeInt.at(span));
        Value::Int(i64::MAX)
    }

    pub fn float(&mut self, digits: &str, start: usize) -> Value {
        // `1.` and `.5` have been reported already; they are read as in Python.
        let float: f64 = digits.parse().unwrap_or(0.0);
        if float.is_infinite() {
            let span = self.span(start, start + digits.len());
            self.mistakes.push(MistakeKind::LargeFloat.at(span));
            return Value::Float(f64::MAX);
        }
        Value::Float(float)
    }

    pub fn text(&mut self, literal: &str, start: usize) -> String {
        let source = self.source;
        let (text, mistakes) = literal::unquote(literal, source, start);
        self.mistakes.extend(mistakes);
        text
    }
}
