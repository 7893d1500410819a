//! How one expression is spelled on one line: its tokens, and its parts with the precedence each
//! needs. The formatter joins and breaks what this gives.

use super::ast::{Ast, BinaryOperator, ExprId, ExprKind, Ident, Parameter, UnaryOperator};
use super::token::Token;
use crate::value::Value;
use logos::Logos;

/// The levels of precedence, loosest first; the same as in `grammar/rasp.lalrpop`.
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

impl Level {
    pub fn of(kind: &ExprKind) -> Level {
        match kind {
            ExprKind::Lambda(_) => Level::Lambda,
            ExprKind::Ternary { .. } => Level::Ternary,
            ExprKind::Unary { .. } => Level::Prefix,
            ExprKind::Binary { operator, .. } => Level::of_operator(*operator),
            _ => Level::Postfix,
        }
    }

    pub fn of_operator(operator: BinaryOperator) -> Level {
        match operator {
            BinaryOperator::Power => Level::Power,
            BinaryOperator::Multiply | BinaryOperator::Divide => Level::Product,
            BinaryOperator::Remainder => Level::Remainder,
            BinaryOperator::Add | BinaryOperator::Subtract => Level::Sum,
            BinaryOperator::Compare(_) => Level::Relation,
            BinaryOperator::And | BinaryOperator::Or => Level::Logic,
            BinaryOperator::In => Level::Membership,
        }
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

/// A part of an expression's spelling.
pub enum Piece {
    Text(String),
    /// A subexpression; it needs parentheses if it is looser than the level.
    Child(ExprId, Level),
}

/// The spelling of an expression on one line.
pub fn pieces(ast: &Ast, text: &str, id: ExprId) -> Vec<Piece> {
    let expr = ast.get(id);
    let mut line = Line::default();
    match &expr.kind {
        ExprKind::Error => line.word(text.get(expr.span.range()).unwrap_or("").trim()),
        ExprKind::Name(name) => line.word(name),
        ExprKind::Literal(value) => line.word(&literal(value, text.get(expr.span.range()))),
        ExprKind::Operator(comparison) => line.word(comparison.symbol()),
        ExprKind::Parenthesized(inner) => line.between("(", &[*inner], ")"),
        ExprKind::List(items) => line.between("[", items, "]"),
        ExprKind::Tuple(items) if items.len() == 1 => line.between("(", items, ",)"),
        ExprKind::Tuple(items) => line.between("(", items, ")"),
        ExprKind::Dict(entries) => line.dict(entries),
        ExprKind::ListComprehension {
            element,
            names,
            iterable,
        } => {
            line.text("[").child(*element);
            line.comprehension(names, *iterable).text("]");
        }
        ExprKind::DictComprehension {
            key,
            value,
            names,
            iterable,
        } => {
            line.text("{").child(*key).text(": ").child(*value);
            line.comprehension(names, *iterable).text("}");
        }
        ExprKind::Unary { operator, operand } => {
            line.text(operator.symbol());
            if *operator == UnaryOperator::Not {
                line.text(" ");
            }
            line.at(*operand, Level::Prefix);
        }
        ExprKind::Binary {
            operator,
            left,
            right,
        } => {
            let level = Level::of_operator(*operator);
            line.at(*left, level);
            line.text(&format!(" {} ", operator.symbol()));
            line.at(*right, level.tighter());
        }
        ExprKind::Ternary {
            then,
            condition,
            otherwise,
        } => {
            line.at(*then, Level::Ternary).text(" if ");
            line.child(*condition).text(" else ");
            line.at(*otherwise, Level::Logic);
        }
        ExprKind::Index { object, index } => {
            line.at(*object, Level::Postfix);
            line.between("[", &[*index], "]");
        }
        ExprKind::Call {
            function,
            arguments,
        } => {
            line.at(*function, Level::Postfix).text("(");
            for (at, argument) in arguments.iter().enumerate() {
                line.comma(at);
                if let Some(name) = &argument.name {
                    line.text(&format!("{}=", name.name));
                }
                line.child(argument.value);
            }
            line.text(")");
        }
        ExprKind::Lambda(lambda) => {
            line.parameters(&lambda.parameters);
            line.text(": ").child(lambda.body);
        }
    }
    line.pieces
}

#[derive(Default)]
struct Line {
    pieces: Vec<Piece>,
}

impl Line {
    fn text(&mut self, text: &str) -> &mut Line {
        self.pieces.push(Piece::Text(text.to_string()));
        self
    }

    fn word(&mut self, word: &str) {
        self.text(word);
    }

    fn at(&mut self, child: ExprId, level: Level) -> &mut Line {
        self.pieces.push(Piece::Child(child, level));
        self
    }

    fn child(&mut self, child: ExprId) -> &mut Line {
        self.at(child, Level::Lambda)
    }

    fn comma(&mut self, at: usize) {
        if at > 0 {
            self.text(", ");
        }
    }

    fn between(&mut self, open: &str, items: &[ExprId], close: &str) {
        self.text(open);
        for (at, item) in items.iter().enumerate() {
            self.comma(at);
            self.child(*item);
        }
        self.text(close);
    }

    fn dict(&mut self, entries: &[(ExprId, ExprId)]) {
        self.text("{");
        for (at, (key, value)) in entries.iter().enumerate() {
            self.comma(at);
            self.child(*key).text(": ").child(*value);
        }
        self.text("}");
    }

    fn comprehension(&mut self, names: &[Ident], iterable: ExprId) -> &mut Line {
        let names: Vec<&str> = names.iter().map(|ident| &*ident.name).collect();
        self.text(&format!(" for {} in ", names.join(", ")));
        self.child(iterable)
    }

    fn parameters(&mut self, parameters: &[Parameter]) {
        self.text("lambda");
        for (at, parameter) in parameters.iter().enumerate() {
            self.text(if at > 0 { ", " } else { " " });
            self.text(&parameter.ident.name);
            if let Some(default) = parameter.default {
                self.text("=").child(default);
            }
        }
    }
}

/// Numbers keep the spelling they were written with; strings get double quotes.
fn literal(value: &Value, written: Option<&str>) -> String {
    let mut tokens = Token::lexer(written.unwrap_or(""));
    let same = match (tokens.next(), value) {
        (Some(Ok(Token::Int(digits))), Value::Int(int)) => digits.parse() == Ok(*int),
        (Some(Ok(Token::Float(digits))), Value::Float(float)) => digits.parse() == Ok(*float),
        _ => false,
    };
    match written {
        Some(written) if same && tokens.next().is_none() => written.to_string(),
        _ => value.source(),
    }
}
