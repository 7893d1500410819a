//! How Python would read the operators of an expression, written with the parentheses that make this
//! language read the same. For the help of `precedence`.

use super::ast::{Ast, BinaryOperator, ExprId, ExprKind, UnaryOperator};
use super::print::print_expression;
use std::collections::BTreeSet;
use std::ops::Range;

/// A part of an expression whose brackets and operands are taken as they are.
#[derive(Clone, Copy)]
enum Part {
    Operand(ExprId),
    Prefix(UnaryOperator),
    Infix(BinaryOperator),
    If,
    Else,
}

#[derive(Clone)]
enum Reading {
    Operand(ExprId),
    Prefix(UnaryOperator, Box<Reading>),
    Infix(BinaryOperator, Box<Reading>, Box<Reading>),
    /// Value, condition, other value.
    Choice([Box<Reading>; 3]),
}

/// The operators of `whole` as Python groups them, if it keeps the operators of `part`, which lies
/// in `whole`, together: then only those.
pub(super) fn reading(ast: &Ast, text: &str, whole: ExprId, part: ExprId) -> String {
    let mut flat = Flat {
        ast,
        part,
        parts: Vec::new(),
        wanted: 0..0,
    };
    flat.push(whole);
    let mut parser = Parser {
        parts: &flat.parts,
        at: 0,
        wanted: flat.wanted,
        found: None,
    };
    let read = parser.choice();
    let read = parser.found.or(read);
    read.map_or_else(String::new, |read| written(ast, text, &read))
}

struct Flat<'a> {
    ast: &'a Ast,
    part: ExprId,
    parts: Vec<Part>,
    /// Where the parts of `part` stand.
    wanted: Range<usize>,
}

impl Flat<'_> {
    fn push(&mut self, id: ExprId) {
        let start = self.parts.len();
        match self.ast.get(id).kind {
            ExprKind::Unary { operator, operand } => {
                self.parts.push(Part::Prefix(operator));
                self.push(operand);
            }
            ExprKind::Binary {
                operator,
                left,
                right,
            } => {
                self.push(left);
                self.parts.push(Part::Infix(operator));
                self.push(right);
            }
            ExprKind::Ternary {
                then,
                condition,
                otherwise,
            } => {
                self.push(then);
                self.parts.push(Part::If);
                self.push(condition);
                self.parts.push(Part::Else);
                self.push(otherwise);
            }
            _ => self.parts.push(Part::Operand(id)),
        }
        if id == self.part {
            self.wanted = start..self.parts.len();
        }
    }
}

/// Python's operators, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Not,
    Comparison,
    Sum,
    Product,
    Sign,
}

fn level(operator: BinaryOperator) -> Option<Level> {
    Some(match operator {
        BinaryOperator::Or => Level::Or,
        BinaryOperator::And => Level::And,
        BinaryOperator::Compare(_) | BinaryOperator::In => Level::Comparison,
        BinaryOperator::Add | BinaryOperator::Subtract => Level::Sum,
        BinaryOperator::Multiply | BinaryOperator::Divide | BinaryOperator::Remainder => {
            Level::Product
        }
        BinaryOperator::Power => return None,
    })
}

struct Parser<'a> {
    parts: &'a [Part],
    at: usize,
    wanted: Range<usize>,
    /// What stands exactly where it is wanted.
    found: Option<Reading>,
}

impl Parser<'_> {
    fn choice(&mut self) -> Option<Reading> {
        let start = self.at;
        let then = self.infix(Level::Or)?;
        if !matches!(self.parts.get(self.at), Some(Part::If)) {
            return Some(then);
        }
        self.at += 1;
        let condition = self.choice()?;
        self.at += 1;
        let otherwise = self.choice()?;
        let parts = [then, condition, otherwise].map(Box::new);
        Some(self.read(start, Reading::Choice(parts)))
    }

    fn infix(&mut self, at: Level) -> Option<Reading> {
        let start = self.at;
        let tighter = match at {
            Level::Or => Level::And,
            Level::And => Level::Not,
            Level::Not => return self.negation(),
            Level::Comparison => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product => Level::Sign,
            Level::Sign => return self.sign(),
        };
        let mut left = self.infix(tighter)?;
        // `a < b < c` is `a < b and b < c`.
        let mut compared: Option<Reading> = None;
        while let Some(operator) = self.operator(|operator| level(operator) == Some(at)) {
            let right = self.infix(tighter)?;
            let both = infix(operator, left.clone(), right.clone());
            left = match compared.take() {
                Some(before) => infix(BinaryOperator::And, before, both),
                None => both,
            };
            if at == Level::Comparison {
                compared = Some(std::mem::replace(&mut left, right));
            }
        }
        let read = compared.unwrap_or(left);
        Some(self.read(start, read))
    }

    fn negation(&mut self) -> Option<Reading> {
        let start = self.at;
        if !matches!(
            self.parts.get(self.at),
            Some(Part::Prefix(UnaryOperator::Not))
        ) {
            return self.infix(Level::Comparison);
        }
        self.at += 1;
        let operand = self.negation()?;
        let read = Reading::Prefix(UnaryOperator::Not, Box::new(operand));
        Some(self.read(start, read))
    }

    fn sign(&mut self) -> Option<Reading> {
        let start = self.at;
        let part = *self.parts.get(start)?;
        self.at += 1;
        let read = match part {
            Part::Prefix(operator) => Reading::Prefix(operator, Box::new(self.sign()?)),
            Part::Operand(id) => {
                let base = self.read(start, Reading::Operand(id));
                match self.operator(|operator| operator == BinaryOperator::Power) {
                    Some(power) => infix(power, base, self.sign()?),
                    None => return Some(base),
                }
            }
            Part::Infix(_) | Part::If | Part::Else => return None,
        };
        Some(self.read(start, read))
    }

    fn operator(&mut self, fits: impl Fn(BinaryOperator) -> bool) -> Option<BinaryOperator> {
        match self.parts.get(self.at) {
            Some(Part::Infix(operator)) if fits(*operator) => {
                self.at += 1;
                Some(*operator)
            }
            _ => None,
        }
    }

    fn read(&mut self, start: usize, read: Reading) -> Reading {
        if self.wanted == (start..self.at) {
            self.found = Some(read.clone());
        }
        read
    }
}

fn infix(operator: BinaryOperator, left: Reading, right: Reading) -> Reading {
    Reading::Infix(operator, Box::new(left), Box::new(right))
}

fn written(ast: &Ast, text: &str, read: &Reading) -> String {
    let part = |part: &Reading, bracketed: bool| {
        let part = written(ast, text, part);
        if bracketed { format!("({part})") } else { part }
    };
    match read {
        Reading::Operand(id) => print_expression(ast, text, *id, &BTreeSet::new()),
        Reading::Prefix(operator, operand) => {
            let composed = matches!(**operand, Reading::Infix(..) | Reading::Choice(_));
            let blank = if *operator == UnaryOperator::Not {
                " "
            } else {
                ""
            };
            format!("{}{blank}{}", operator.symbol(), part(operand, composed))
        }
        Reading::Infix(operator, left, right) => format!(
            "{} {} {}",
            part(left, bracketed(*operator, left, true)),
            operator.symbol(),
            part(right, bracketed(*operator, right, false)),
        ),
        Reading::Choice(parts) => {
            let bracketed = |part: &Reading| {
                matches!(
                    part,
                    Reading::Choice(_) | Reading::Infix(BinaryOperator::In, ..)
                )
            };
            let [then, condition, otherwise] = parts.each_ref().map(|it| part(it, bracketed(it)));
            format!("{then} if {condition} else {otherwise}")
        }
    }
}

/// Whether an operand of an operator stands in parentheses: where this language needs them, and
/// where they make logic plain.
fn bracketed(operator: BinaryOperator, operand: &Reading, is_left: bool) -> bool {
    let inner = match operand {
        Reading::Operand(_) => return false,
        Reading::Prefix(prefix, _) => {
            let logic = matches!(operator, BinaryOperator::And | BinaryOperator::Or);
            return *prefix == UnaryOperator::Not && !logic;
        }
        Reading::Choice(_) => return true,
        Reading::Infix(inner, ..) => *inner,
    };
    match (tightness(inner), tightness(operator)) {
        (None, _) => !(is_left && inner == operator && level(inner) < Some(Level::Not)),
        (Some(_), None) => false,
        (Some(inner), Some(outer)) => inner < outer || (inner == outer && !is_left),
    }
}

/// How tight an operator of arithmetic is in this language.
fn tightness(operator: BinaryOperator) -> Option<u8> {
    match operator {
        BinaryOperator::Power => Some(4),
        BinaryOperator::Multiply | BinaryOperator::Divide => Some(3),
        BinaryOperator::Remainder => Some(2),
        BinaryOperator::Add | BinaryOperator::Subtract => Some(1),
        BinaryOperator::Compare(_)
        | BinaryOperator::And
        | BinaryOperator::Or
        | BinaryOperator::In => None,
    }
}
