//! How Python would read the operators of an expression, written with the parentheses that make this
//! language read the same. For the help of `precedence`.

use crate::format::print_expression;
use crate::syntax::ast::{Ast, BinaryOperator, ExprId, ExprKind, UnaryOperator};
use crate::syntax::precedence::{Level, PythonLevel};
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
pub(super) fn reading(ast: &Ast, text: &str, whole: ExprId, part: ExprId) -> Option<String> {
    let mut parts = Vec::new();
    let wanted = flatten(ast, whole, part, &mut parts).unwrap_or(0..0);
    let mut parser = Parser {
        print: &|id| print_expression(ast, text, id, &BTreeSet::new()),
        parts: &parts,
        at: 0,
        wanted,
        found: None,
    };
    let read = parser.choice()?;
    Some(parser.found.unwrap_or(read.text))
}

/// The parts of an expression in their order; gives where those of `part` stand.
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

/// What has been read, written for this language.
#[derive(Clone)]
struct Read {
    text: String,
    outer: Outer,
}

/// What stands outermost in it.
#[derive(Clone, Copy, PartialEq)]
enum Outer {
    Operand,
    Prefix(UnaryOperator),
    Infix(BinaryOperator),
    Choice,
}

struct Parser<'a> {
    print: &'a dyn Fn(ExprId) -> String,
    parts: &'a [PythonPart],
    at: usize,
    wanted: Range<usize>,
    /// What stands exactly where it is wanted.
    found: Option<String>,
}

impl Parser<'_> {
    fn choice(&mut self) -> Option<Read> {
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
            [&then, &condition, &otherwise].map(|part| bracketed(part, Level::Ternary, false));
        let text = format!("{then} if {condition} else {otherwise}");
        Some(self.read(start, text, Outer::Choice))
    }

    /// Operators of a level and tighter ones.
    fn operation(&mut self, loosest: PythonLevel) -> Option<Read> {
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
            let last = compared.take().filter(|_| level == PythonLevel::Comparison);
            let read = self.infix(start, operator, last.as_ref().unwrap_or(&left), &right);
            left = match last {
                Some(_) => self.infix(start, BinaryOperator::And, &left, &read),
                None => read,
            };
            compared = (level == PythonLevel::Comparison).then_some(right);
        }
        Some(left)
    }

    /// An operand with the operators before it.
    fn prefixed(&mut self, loosest: PythonLevel) -> Option<Read> {
        let start = self.at;
        let part = *self.parts.get(start)?;
        self.at += 1;
        match part {
            PythonPart::Operand(id) => {
                let text = (self.print)(id);
                Some(self.read(start, text, Outer::Operand))
            }
            PythonPart::Prefix(operator) => {
                let level = PythonLevel::of_prefix(operator).max(loosest);
                let operand = bracketed(&self.operation(level)?, Level::Prefix, true);
                let blank = if operator == UnaryOperator::Not {
                    " "
                } else {
                    ""
                };
                let text = format!("{}{blank}{operand}", operator.symbol());
                Some(self.read(start, text, Outer::Prefix(operator)))
            }
            PythonPart::Infix(_) | PythonPart::If | PythonPart::Else => None,
        }
    }

    fn infix(&mut self, start: usize, operator: BinaryOperator, left: &Read, right: &Read) -> Read {
        let level = Level::of_operator(operator);
        let logic = matches!(operator, BinaryOperator::And | BinaryOperator::Or);
        let left = match logic && left.outer == Outer::Infix(operator) {
            true => left.text.clone(),
            false => bracketed(left, level, true),
        };
        let right = bracketed(right, level, false);
        let text = format!("{left} {} {right}", operator.symbol());
        self.read(start, text, Outer::Infix(operator))
    }

    fn read(&mut self, start: usize, text: String, outer: Outer) -> Read {
        if self.wanted == (start..self.at) {
            self.found = Some(text.clone());
        }
        Read { text, outer }
    }
}

/// An operand of an operator, in parentheses where this language needs them, and where they make logic
/// plain.
fn bracketed(operand: &Read, around: Level, is_left: bool) -> String {
    let needed = match operand.outer {
        Outer::Operand | Outer::Prefix(UnaryOperator::Negate | UnaryOperator::Plus) => false,
        Outer::Prefix(UnaryOperator::Not) => {
            !matches!(around, Level::Logic | Level::Prefix | Level::Ternary)
        }
        Outer::Choice => true,
        Outer::Infix(operator) => {
            let inner = Level::of_operator(operator);
            let looser = inner < around || (inner == around && !is_left);
            looser || (inner <= Level::Relation && around != Level::Ternary)
        }
    };
    match needed {
        true => format!("({})", operand.text),
        false => operand.text.clone(),
    }
}
