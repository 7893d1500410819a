//! Trees as text: what two programs have in common that differ in their layout only. May depend on
//! the tree of the library only.

#![allow(dead_code, reason = "no test uses all of it")]

use rasp::inside::syntax::ast::*;

/// The statements as s-expressions, one a line; places and comments aside.
pub fn sketch(ast: &Ast) -> String {
    Sketch {
        ast,
        parentheses: true,
    }
    .lines(&ast.statements, 0)
}

/// The same without the parentheses that were written.
pub fn bare(ast: &Ast) -> String {
    Sketch {
        ast,
        parentheses: false,
    }
    .lines(&ast.statements, 0)
}

pub struct Sketch<'a> {
    pub ast: &'a Ast,
    pub parentheses: bool,
}

impl Sketch<'_> {
    fn lines(&self, statements: &[Statement], depth: usize) -> String {
        let mut lines = String::new();
        for statement in statements {
            let indent = "  ".repeat(depth);
            for line in statement.documentation.lines() {
                lines += &format!("{indent}documentation {line:?}\n");
            }
            lines += &format!("{indent}{}\n", self.statement(&statement.kind));
            match &statement.kind {
                StatementKind::For { body, .. } => lines += &self.lines(body, depth + 1),
                StatementKind::Repeat(repeat) => lines += &self.lines(&repeat.body, depth + 1),
                StatementKind::Define(function) => {
                    lines += &self.lines(&function.body, depth + 1);
                    let results = self.exprs(&function.results);
                    lines += &format!("{indent}  return{results}\n");
                }
                _ => {}
            }
        }
        lines
    }

    fn statement(&self, kind: &StatementKind) -> String {
        match kind {
            StatementKind::Error => "(error)".to_string(),
            StatementKind::Expression(value) => self.expr(*value),
            StatementKind::Assign { names, values } => {
                format!("(assign ({}){})", idents(names), self.exprs(values))
            }
            StatementKind::Define(function) => format!(
                "define {}({})",
                function.ident.name,
                self.parameters(&function.parameters)
            ),
            StatementKind::For {
                names, iterable, ..
            } => format!("for {} in {}", idents(names), self.expr(*iterable)),
            StatementKind::Repeat(repeat) => format!(
                "repeat {} ({}){}",
                self.expr(repeat.times),
                idents(&repeat.names),
                self.exprs(&repeat.starts)
            ),
            StatementKind::Load { path, .. } => format!("(load {path:?})"),
            StatementKind::Draw { value, input } => match input {
                Some(input) => format!("(draw {} {})", self.expr(*value), self.expr(*input)),
                None => format!("(draw {})", self.expr(*value)),
            },
            StatementKind::Assert { condition } => format!("(assert {})", self.expr(*condition)),
            StatementKind::Command(command) => self.command(command),
        }
    }

    fn command(&self, command: &Command) -> String {
        match command {
            Command::SetExample { kind, value } => {
                format!("(set-example {kind:?} {})", self.expr(*value))
            }
            Command::SetVocabulary { value } => format!("(set-vocabulary {})", self.expr(*value)),
            Command::SetMaxLength { value } => format!("(set-max-length {})", self.expr(*value)),
            other => format!("{other:?}"),
        }
    }

    fn parameters(&self, parameters: &[Parameter]) -> String {
        let parameter = |parameter: &Parameter| match parameter.default {
            Some(default) => format!("{}={}", parameter.ident.name, self.expr(default)),
            None if parameter.rest => format!("*{}", parameter.ident.name),
            None => parameter.ident.name.to_string(),
        };
        parameters
            .iter()
            .map(parameter)
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn exprs(&self, exprs: &[ExprId]) -> String {
        exprs
            .iter()
            .map(|id| format!(" {}", self.expr(*id)))
            .collect()
    }

    pub fn expr(&self, id: ExprId) -> String {
        match &self.ast.get(id).kind {
            ExprKind::Error => "<error>".to_string(),
            ExprKind::Name(name) => name.to_string(),
            ExprKind::Literal(value) => value.source(),
            ExprKind::Spread(list) => format!("(*list {})", self.expr(*list)),
            ExprKind::Operator(comparison) => format!("`{}`", comparison.symbol()),
            ExprKind::Parenthesized(inner) if self.parentheses => {
                format!("(paren {})", self.expr(*inner))
            }
            ExprKind::Parenthesized(inner) => self.expr(*inner),
            ExprKind::List(items) => format!("(list{})", self.exprs(items)),
            ExprKind::Tuple(items) => format!("(tuple{})", self.exprs(items)),
            ExprKind::Dict(entries) => {
                let entry = |(key, value): &(ExprId, ExprId)| self.exprs(&[*key, *value]);
                format!("(dict{})", entries.iter().map(entry).collect::<String>())
            }
            ExprKind::ListComprehension {
                element,
                names,
                iterable,
            } => format!(
                "(list-for {} ({}) {})",
                self.expr(*element),
                idents(names),
                self.expr(*iterable)
            ),
            ExprKind::DictComprehension {
                key,
                value,
                names,
                iterable,
            } => format!(
                "(dict-for {} {} ({}) {})",
                self.expr(*key),
                self.expr(*value),
                idents(names),
                self.expr(*iterable)
            ),
            ExprKind::Unary { operator, operand } => {
                format!("({} {})", operator.symbol(), self.expr(*operand))
            }
            ExprKind::Binary {
                operator,
                left,
                right,
            } => format!("({}{})", operator.symbol(), self.exprs(&[*left, *right])),
            ExprKind::Ternary {
                then,
                condition,
                otherwise,
            } => format!("(if{})", self.exprs(&[*condition, *then, *otherwise])),
            ExprKind::Index { object, index } => {
                format!("(index{})", self.exprs(&[*object, *index]))
            }
            ExprKind::Call {
                function,
                arguments,
            } => {
                let argument = |argument: &Argument| match &argument.name {
                    Some(name) => format!(" {}={}", name.name, self.expr(argument.value)),
                    None => format!(" {}", self.expr(argument.value)),
                };
                let arguments: String = arguments.iter().map(argument).collect();
                format!("(call {}{arguments})", self.expr(*function))
            }
            ExprKind::Lambda(lambda) => format!(
                "(lambda ({}) {})",
                self.parameters(&lambda.parameters),
                self.expr(lambda.body)
            ),
        }
    }
}

fn idents(names: &[Ident]) -> String {
    let names: Vec<&str> = names.iter().map(|ident| &*ident.name).collect();
    names.join(" ")
}
