//! How Python would read the operators of an expression, as a tree that is printed with the
//! parentheses that make this language read the same. For the help of `precedence`.

use crate::syntax::ast::{Ast, BinaryOperator, ExprId, ExprKind, UnaryOperator};
use crate::syntax::precedence::{Level, PythonLevel};
use std::ops::Range;

/// A part of an expression whose brackets and operands are taken as they are.
#[derive(Clone, Copy)]
enum PythonPart {
    Operand(ExprId),
    Prefix(UnaryOperator),
    Infix(BinaryOperator),
    If,
    Else,
}

/// The operators of `whole` as Python groups them, appended to the tree; if Python keeps the
/// operators of `part`, which lies in `whole`, together, then only those.
pub(super) fn reading(ast: &mut Ast, whole: ExprId, part: ExprId) -> Option<ExprId> {
    let mut parts = Vec::new();
    let wanted = flatten(ast, whole, part, &mut parts).unwrap_or(0..0);
    let mut parser = Parser {
        ast,
        parts: &parts,
        at: 0,
        wanted,
        found: None,
    };
    let read = parser.choice();
    parser.found.or(read)
}

/// The parts of an expression in their order; gives where those of `part` stand.
fn flatten(
    ast: &Ast,
    id: ExprId,
    part: ExprId,
    parts: &mut Vec<PythonPart>,
) -> Option<Range<usize>> {
    let start = parts.len();
    let mut found = None;
    match ast.get(id).kind {
        ExprKind::Unary { operator, operand } => {
            parts.push(PythonPart::Prefix(operator));
            found = flatten(ast, operand, part, parts);
        }
        ExprKind::Binary {
            operator,
            left,
            right,
        } => {
            found = flatten(ast, left, part, parts);
            parts.push(PythonPart::Infix(operator));
            found = found.or(flatten(ast, right, part, parts));
        }
        ExprKind::Ternary {
            then,
            condition,
            otherwise,
        } => {
            found = flatten(ast, then, part, parts);
            parts.push(PythonPart::If);
            found = found.or(flatten(ast, condition, part, parts));
            parts.push(PythonPart::Else);
            found = found.or(flatten(ast, otherwise, part, parts));
        }
        _ => parts.push(PythonPart::Operand(id)),
    }
    match id == part {
        true => Some(start..parts.len()),
        false => found,
    }
}

struct Parser<'a> {
    ast: &'a mut Ast,
    parts: &'a [PythonPart],
    at: usize,
    wanted: Range<usize>,
    /// What stands exactly where it is wanted.
    found: Option<ExprId>,
}

impl Parser<'_> {
    fn choice(&mut self) -> Option<ExprId> {
        let start = self.at;
        let then = self.operation(PythonLevel::Or)?;
        if !matches!(self.parts.get(self.at), Some(PythonPart::If)) {
            return Some(then);
        }
        self.at += 1;
        let condition = self.choice()?;
        self.at += 1;
        let otherwise = self.choice()?;
        let [then, condition, otherwise] =
            [then, condition, otherwise].map(|part| self.bracketed(part, Level::Ternary, false));
        Some(self.read(
            start,
            ExprKind::Ternary {
                then,
                condition,
                otherwise,
            },
        ))
    }

    /// Operators of a level and tighter ones.
    fn operation(&mut self, loosest: PythonLevel) -> Option<ExprId> {
        let start = self.at;
        let mut left = self.prefixed(loosest)?;
        // What the comparison before compared last: `a < b < c` is `a < b and b < c`.
        let mut compared = None;
        while let Some(PythonPart::Infix(operator)) = self.parts.get(self.at).copied() {
            let level = PythonLevel::of_operator(operator);
            if level < loosest {
                break;
            }
            self.at += 1;
            // Powers go from right to left, and take a sign on their right.
            let right = match level {
                PythonLevel::Power => self.operation(PythonLevel::Sign)?,
                _ => self.operation_above(level)?,
            };
            let last = compared.take().filter(|_| level == PythonLevel::Comparison);
            let read = self.infix(start, operator, last.unwrap_or(left), right);
            left = match last {
                Some(_) => self.infix(start, BinaryOperator::And, left, read),
                None => read,
            };
            compared = (level == PythonLevel::Comparison).then_some(right);
        }
        Some(left)
    }

    /// Operators tighter than a level.
    fn operation_above(&mut self, level: PythonLevel) -> Option<ExprId> {
        self.operation(match level {
            PythonLevel::Or => PythonLevel::And,
            PythonLevel::And => PythonLevel::Not,
            PythonLevel::Not => PythonLevel::Comparison,
            PythonLevel::Comparison => PythonLevel::Sum,
            PythonLevel::Sum => PythonLevel::Product,
            PythonLevel::Product => PythonLevel::Sign,
            PythonLevel::Sign | PythonLevel::Power => PythonLevel::Power,
        })
    }

    /// An operand with the operators before it.
    fn prefixed(&mut self, loosest: PythonLevel) -> Option<ExprId> {
        let start = self.at;
        let part = *self.parts.get(start)?;
        self.at += 1;
        match part {
            PythonPart::Operand(id) => {
                if self.wanted == (start..self.at) {
                    self.found = Some(id);
                }
                Some(id)
            }
            PythonPart::Prefix(operator) => {
                let level = PythonLevel::of_prefix(operator).max(loosest);
                let operand = self.operation(level)?;
                let operand = self.bracketed(operand, Level::Prefix, true);
                Some(self.read(start, ExprKind::Unary { operator, operand }))
            }
            PythonPart::Infix(_) | PythonPart::If | PythonPart::Else => None,
        }
    }

    fn infix(
        &mut self,
        start: usize,
        operator: BinaryOperator,
        left: ExprId,
        right: ExprId,
    ) -> ExprId {
        let level = Level::of_operator(operator);
        let same = matches!(&self.ast.get(left).kind, ExprKind::Binary { operator: inner, .. }
            if *inner == operator);
        let left = match same && matches!(operator, BinaryOperator::And | BinaryOperator::Or) {
            true => left,
            false => self.bracketed(left, level, true),
        };
        let right = self.bracketed(right, level, false);
        let kind = ExprKind::Binary {
            operator,
            left,
            right,
        };
        self.read(start, kind)
    }

    /// An operand of an operator, in parentheses where this language needs them, and where they make
    /// logic plain.
    fn bracketed(&mut self, id: ExprId, outer: Level, is_left: bool) -> ExprId {
        let expr = self.ast.get(id);
        let span = expr.span;
        let inner = Level::of(&expr.kind);
        let needed = match &expr.kind {
            ExprKind::Unary { operator, .. } => {
                *operator == UnaryOperator::Not
                    && !matches!(outer, Level::Logic | Level::Prefix | Level::Ternary)
            }
            ExprKind::Binary { .. } if outer == Level::Ternary => inner < outer,
            ExprKind::Binary { .. } if inner <= Level::Relation => true,
            ExprKind::Ternary { .. } => true,
            ExprKind::Binary { .. } => inner < outer || (inner == outer && !is_left),
            _ => false,
        };
        match needed {
            true => self.ast.add(ExprKind::Parenthesized(id), span),
            false => id,
        }
    }

    fn read(&mut self, start: usize, kind: ExprKind) -> ExprId {
        let spans = kind.children().into_iter().map(|id| self.ast.get(id).span);
        let span = spans.reduce(|whole, part| whole.to(part));
        let id = self
            .ast
            .add(kind, span.unwrap_or(crate::base::Span::BUILT_IN));
        if self.wanted == (start..self.at) {
            self.found = Some(id);
        }
        id
    }
}
