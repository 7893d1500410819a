//! How tightly operators bind: in this language, as `grammar/rasp.lalrpop` has it, and in Python,
//! which most readers know. One table for the formatter and for what is said of either.

use super::ast::{BinaryOperator, ExprKind, UnaryOperator};

/// The levels of precedence, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Lambda,
    Membership,
    Ternary,
    Logic,
    Relation,
    Sum,
    Remainder,
    Product,
    Power,
    Prefix,
    Postfix,
}

/// Python's levels of the same operators, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PythonLevel {
    Or,
    And,
    Not,
    Comparison,
    Sum,
    Product,
    Sign,
    Power,
}

/// The levels of an operator between two operands, here and in Python.
fn levels(operator: BinaryOperator) -> (Level, PythonLevel) {
    match operator {
        BinaryOperator::In => (Level::Membership, PythonLevel::Comparison),
        BinaryOperator::Or => (Level::Logic, PythonLevel::Or),
        BinaryOperator::And => (Level::Logic, PythonLevel::And),
        BinaryOperator::Compare(_) => (Level::Relation, PythonLevel::Comparison),
        BinaryOperator::Add | BinaryOperator::Subtract => (Level::Sum, PythonLevel::Sum),
        BinaryOperator::Remainder => (Level::Remainder, PythonLevel::Product),
        BinaryOperator::Multiply | BinaryOperator::Divide => (Level::Product, PythonLevel::Product),
        BinaryOperator::Power => (Level::Power, PythonLevel::Power),
    }
}

impl PythonLevel {
    /// The level of an operator between two operands.
    pub fn of_operator(operator: BinaryOperator) -> PythonLevel {
        levels(operator).1
    }

    /// What an operator of this level takes on its right: powers go from right to left, and take a
    /// sign.
    pub fn of_right_operand(self) -> PythonLevel {
        match self {
            PythonLevel::Or => PythonLevel::And,
            PythonLevel::And => PythonLevel::Not,
            PythonLevel::Not => PythonLevel::Comparison,
            PythonLevel::Comparison => PythonLevel::Sum,
            PythonLevel::Sum => PythonLevel::Product,
            PythonLevel::Product | PythonLevel::Power => PythonLevel::Sign,
            PythonLevel::Sign => PythonLevel::Power,
        }
    }

    /// The level of an operator before its operand. Here all are [`Level::Prefix`].
    pub fn of_prefix(operator: UnaryOperator) -> PythonLevel {
        match operator {
            UnaryOperator::Not => PythonLevel::Not,
            UnaryOperator::Negate | UnaryOperator::Plus => PythonLevel::Sign,
        }
    }
}

impl Level {
    /// The level of an expression.
    pub fn of(kind: &ExprKind) -> Level {
        match kind {
            ExprKind::Lambda(_) => Level::Lambda,
            ExprKind::Ternary { .. } => Level::Ternary,
            ExprKind::Unary { .. } => Level::Prefix,
            ExprKind::Binary { operator, .. } => Level::of_operator(*operator),
            ExprKind::Error
            | ExprKind::Name(_)
            | ExprKind::Literal(_)
            | ExprKind::Parenthesized(_)
            | ExprKind::List(_)
            | ExprKind::Tuple(_)
            | ExprKind::Dict(_)
            | ExprKind::ListComprehension { .. }
            | ExprKind::DictComprehension { .. }
            | ExprKind::Index { .. }
            | ExprKind::Call { .. }
            | ExprKind::Spread(_)
            | ExprKind::Operator(_) => Level::Postfix,
        }
    }

    /// The level of an operator between two operands.
    pub fn of_operator(operator: BinaryOperator) -> Level {
        levels(operator).0
    }

    /// The next tighter level.
    pub fn tighter(self) -> Level {
        match self {
            Level::Lambda => Level::Membership,
            Level::Membership => Level::Ternary,
            Level::Ternary => Level::Logic,
            Level::Logic => Level::Relation,
            Level::Relation => Level::Sum,
            Level::Sum => Level::Remainder,
            Level::Remainder => Level::Product,
            Level::Product => Level::Power,
            Level::Power => Level::Prefix,
            Level::Prefix | Level::Postfix => Level::Postfix,
        }
    }
}
