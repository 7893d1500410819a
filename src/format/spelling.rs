//! How an expression is spelled: its tokens, its parts with the precedence each needs, and the
//! places between them where a line may break. On one line or several, the formatter prints this.

use crate::syntax::ast::{Ast, ExprId, ExprKind, Ident, Parameter, UnaryOperator};
use crate::syntax::precedence::Level;
use crate::syntax::token::Token;
use crate::value::Value;
use logos::Logos;

/// A part of a spelling. Places are those of the text at which what follows begins.
pub enum Piece {
    Text(String),
    /// A subexpression; it needs parentheses if it is looser than the level.
    Child(ExprId, Level),
    /// A word between two operands, and the place of the second.
    Infix(&'static str, usize),
    /// A place where a line may break, with what stands there if it does not.
    Break(Break, &'static str, usize),
}

/// Where a line may break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// Behind an opening bracket.
    Open,
    /// Between items.
    Item,
    /// Before a closing bracket.
    Close,
    /// Between tokens that stay together unless a comment parts them.
    Comment,
}

/// The spelling of an expression.
pub fn pieces(ast: &Ast, text: &str, id: ExprId) -> Vec<Piece> {
    let expr = ast.get(id);
    let end = expr.span.end as usize;
    let mut line = Line::new(ast);
    match &expr.kind {
        ExprKind::Error => line.text(text.get(expr.span.range()).unwrap_or("").trim()),
        ExprKind::Name(name) => line.text(name),
        ExprKind::Literal(value) => line.text(&literal(value, text.get(expr.span.range()))),
        ExprKind::Operator(comparison) => line.text(comparison.symbol()),
        ExprKind::Parenthesized(inner) => line.text("(").items(&[*inner]).close(end, ")"),
        ExprKind::Spread(list) => {
            line.text("*");
            line.gap("", line.start(*list));
            line.at(*list, Level::Lambda)
        }
        ExprKind::List(items) => line.text("[").items(items).close(end, "]"),
        ExprKind::Tuple(items) => {
            let comma = if items.len() == 1 { "," } else { "" };
            line.text("(").items(items).text(comma).close(end, ")")
        }
        ExprKind::Dict(entries) => {
            line.text("{");
            for (at, (key, value)) in entries.iter().enumerate() {
                line.item(at, *key).entry(*key, *value);
            }
            line.close(end, "}")
        }
        ExprKind::ListComprehension {
            element,
            names,
            iterable,
        } => {
            line.text("[").item(0, *element).child(*element);
            line.comprehension(names, *iterable).close(end, "]")
        }
        ExprKind::DictComprehension {
            key,
            value,
            names,
            iterable,
        } => {
            line.text("{").item(0, *key).entry(*key, *value);
            line.comprehension(names, *iterable).close(end, "}")
        }
        ExprKind::Unary { operator, operand } => {
            let word = *operator == UnaryOperator::Not;
            line.text(operator.symbol());
            line.gap(if word { " " } else { "" }, line.start(*operand));
            line.at(*operand, Level::Prefix)
        }
        ExprKind::Binary {
            operator,
            left,
            right,
        } => {
            let level = Level::of_operator(*operator);
            line.at(*left, level);
            line.infix(operator.symbol(), *right);
            line.at(*right, level.tighter())
        }
        ExprKind::Ternary {
            then,
            condition,
            otherwise,
        } => {
            line.at(*then, Level::Ternary);
            line.infix("if", *condition).child(*condition);
            line.infix("else", *otherwise).at(*otherwise, Level::Logic)
        }
        ExprKind::Index { object, index } => {
            line.at(*object, Level::Postfix).text("[");
            line.items(&[*index]).close(end, "]")
        }
        ExprKind::Call {
            function,
            arguments,
        } => {
            line.at(*function, Level::Postfix).text("(");
            for (at, argument) in arguments.iter().enumerate() {
                match &argument.name {
                    Some(name) => line
                        .item_at(at, name.span.start as usize)
                        .named(name, argument.value),
                    None => line.item(at, argument.value).child(argument.value),
                };
            }
            line.close(end, ")")
        }
        ExprKind::Lambda(lambda) => {
            line.text("lambda");
            for (at, parameter) in lambda.parameters.iter().enumerate() {
                let start = parameter.ident.span.start as usize;
                match at {
                    0 => line.gap(" ", start),
                    _ => line.item_at(at, start),
                };
                line.parameter(parameter);
            }
            line.text(":").value(" ", lambda.body)
        }
    };
    line.pieces
}

/// A spelling as it grows.
pub struct Line<'a> {
    ast: &'a Ast,
    pub pieces: Vec<Piece>,
}

impl<'a> Line<'a> {
    /// Nothing yet, of a tree.
    pub fn new(ast: &'a Ast) -> Line<'a> {
        Line {
            ast,
            pieces: Vec::new(),
        }
    }

    /// What stands as it is.
    pub fn text(&mut self, text: &str) -> &mut Line<'a> {
        self.pieces.push(Piece::Text(text.to_string()));
        self
    }

    /// An expression of any level.
    pub fn child(&mut self, child: ExprId) -> &mut Line<'a> {
        self.at(child, Level::Lambda)
    }

    /// A blank (or nothing) before what begins at a place.
    pub fn gap(&mut self, blank: &'static str, next: usize) -> &mut Line<'a> {
        self.place(Break::Comment, blank, next)
    }

    /// An expression and the blank (or nothing) before it.
    pub fn value(&mut self, blank: &'static str, value: ExprId) -> &mut Line<'a> {
        self.gap(blank, self.start(value)).child(value)
    }

    /// Expressions with commas between them, behind an opening bracket.
    pub fn items(&mut self, items: &[ExprId]) -> &mut Line<'a> {
        for (at, item) in items.iter().enumerate() {
            self.item(at, *item).child(*item);
        }
        self
    }

    /// What stands before an item that begins at a place: the first is behind a bracket.
    pub fn item_at(&mut self, at: usize, start: usize) -> &mut Line<'a> {
        match at {
            0 => self.place(Break::Open, "", start),
            _ => self.text(",").place(Break::Item, " ", start),
        }
    }

    /// The same behind a word.
    pub fn values(&mut self, values: &[ExprId]) -> &mut Line<'a> {
        for (at, value) in values.iter().enumerate() {
            match at {
                0 => self.value(" ", *value),
                _ => self.item(at, *value).child(*value),
            };
        }
        self
    }

    /// Names with commas between them.
    pub fn names(&mut self, names: &[Ident]) -> &mut Line<'a> {
        for (at, ident) in names.iter().enumerate() {
            if at > 0 {
                self.item_at(at, ident.span.start as usize);
            }
            self.text(&ident.name);
        }
        self
    }

    /// A parameter with its default.
    pub fn parameter(&mut self, parameter: &Parameter) -> &mut Line<'a> {
        if parameter.rest {
            self.text("*");
        }
        match parameter.default {
            Some(default) => self.named(&parameter.ident, default),
            None => self.text(&parameter.ident.name),
        }
    }

    /// The bracket that closes what ends at a place.
    pub fn close(&mut self, end: usize, bracket: &str) -> &mut Line<'a> {
        self.place(Break::Close, "", end).text(bracket)
    }

    fn start(&self, id: ExprId) -> usize {
        self.ast.get(id).span.start as usize
    }

    fn at(&mut self, child: ExprId, level: Level) -> &mut Line<'a> {
        self.pieces.push(Piece::Child(child, level));
        self
    }

    fn place(&mut self, kind: Break, blank: &'static str, next: usize) -> &mut Line<'a> {
        self.pieces.push(Piece::Break(kind, blank, next));
        self
    }

    fn infix(&mut self, word: &'static str, operand: ExprId) -> &mut Line<'a> {
        self.pieces.push(Piece::Infix(word, self.start(operand)));
        self
    }

    fn item(&mut self, at: usize, item: ExprId) -> &mut Line<'a> {
        self.item_at(at, self.start(item))
    }

    fn entry(&mut self, key: ExprId, value: ExprId) -> &mut Line<'a> {
        self.child(key).text(":").value(" ", value)
    }

    fn named(&mut self, ident: &Ident, value: ExprId) -> &mut Line<'a> {
        // Without a blank `=` and a comparison are another operator.
        let blank = if matches!(self.ast.get(value).kind, ExprKind::Operator(_)) {
            " "
        } else {
            ""
        };
        self.text(&ident.name).text("=").value(blank, value)
    }

    fn comprehension(&mut self, names: &[Ident], iterable: ExprId) -> &mut Line<'a> {
        let names: Vec<&str> = names.iter().map(|ident| &*ident.name).collect();
        self.place(Break::Item, " ", self.start(iterable));
        self.text(&format!("for {} in ", names.join(", ")));
        self.child(iterable)
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
