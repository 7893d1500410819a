//! How Python would read the operators of an expression. For the help of `precedence`.

use crate::base::Span;
use crate::format::print_expression;
use crate::syntax::ast::{Ast, BinaryOperator, ExprId, ExprKind, UnaryOperator};
use crate::syntax::precedence::PythonLevel;
use std::collections::BTreeSet;
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

/// The operators of `whole` as Python groups them; if Python keeps the operators of `part`, which lies
/// in `whole`, together, then only those.
pub(super) fn reading(ast: &Ast, text: &str, whole: ExprId, part: ExprId) -> Option<(Ast, ExprId)> {
    let mut parts = Vec::new();
    let wanted = flatten(ast, whole, part, &mut parts).unwrap_or(0..0);
    let mut parser = Parser {
        print: &|id| print_expression(ast, text, id, &BTreeSet::new()),
        parts: &parts,
        at: 0,
        read: Ast::default(),
        wanted,
        found: None,
    };
    let read = parser.choice()?;
    let shown = parser.found.unwrap_or(read);
    Some((parser.read, shown))
}

/// The parts of an expression in their order; gives where those of `part` stand.
#[expect(clippy::wildcard_enum_match_arm, reason = "others are operands")]
fn flatten(
    ast: &Ast,
    id: ExprId,
    part: ExprId,
    parts: &mut Vec<PythonPart>,
) -> Option<Range<usize>> {
    let kind = &ast.get(id).kind;
    let before = match kind {
        ExprKind::Unary { operator, .. } => vec![Some(PythonPart::Prefix(*operator))],
        ExprKind::Binary { operator, .. } => vec![None, Some(PythonPart::Infix(*operator))],
        ExprKind::Ternary { .. } => vec![None, Some(PythonPart::If), Some(PythonPart::Else)],
        _ => Vec::new(),
    };
    let start = parts.len();
    if before.is_empty() {
        parts.push(PythonPart::Operand(id));
    }
    let mut found = None;
    for (sign, child) in before.into_iter().zip(kind.children()) {
        parts.extend(sign);
        found = found.or(flatten(ast, child, part, parts));
    }
    match id == part {
        true => Some(start..parts.len()),
        false => found,
    }
}

/// A parser by precedence, whose operands are names: their texts.
struct Parser<'a> {
    print: &'a dyn Fn(ExprId) -> String,
    parts: &'a [PythonPart],
    at: usize,
    read: Ast,
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
        let choice = ExprKind::Ternary {
            then,
            condition,
            otherwise,
        };
        Some(self.made(start, choice))
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
            let right = self.operation(level.of_right_operand())?;
            let binary = |operator, left, right| ExprKind::Binary {
                operator,
                left,
                right,
            };
            let last = compared.take().filter(|_| level == PythonLevel::Comparison);
            let read = self.made(start, binary(operator, last.unwrap_or(left), right));
            left = match last {
                Some(_) => self.made(start, binary(BinaryOperator::And, left, read)),
                None => read,
            };
            compared = (level == PythonLevel::Comparison).then_some(right);
        }
        Some(left)
    }

    /// An operand with the operators before it.
    fn prefixed(&mut self, loosest: PythonLevel) -> Option<ExprId> {
        let start = self.at;
        let part = *self.parts.get(start)?;
        self.at += 1;
        let kind = match part {
            PythonPart::Operand(id) => ExprKind::Name((self.print)(id).into()),
            PythonPart::Prefix(operator) => {
                let operand = self.operation(PythonLevel::of_prefix(operator).max(loosest))?;
                ExprKind::Unary { operator, operand }
            }
            PythonPart::Infix(_) | PythonPart::If | PythonPart::Else => return None,
        };
        Some(self.made(start, kind))
    }

    fn made(&mut self, start: usize, kind: ExprKind) -> ExprId {
        let id = self.read.add(kind, Span::BUILT_IN);
        if self.wanted == (start..self.at) {
            self.found = Some(id);
        }
        id
    }
}
