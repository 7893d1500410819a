//! Where values were made. An error shows the place of what does not fit; where that is only named,
//! it shows where the name got its value too, whatever kind of value it is.

use super::expression::Context;
use super::{Evaluator, Stop, is_library};
use crate::base::Span;
use crate::syntax::ast::{Ast, Command, ExprId, ExprKind, Statement, StatementKind};

impl Evaluator {
    /// Where the value of an expression was made: if it is a name, where that got its value.
    pub(crate) fn made(&self, cx: &Context, id: ExprId) -> Span {
        let expr = cx.ast.get(id);
        match &expr.kind {
            ExprKind::Parenthesized(inner) => self.made(cx, *inner),
            ExprKind::Name(name) => self
                .scopes
                .made(cx.scope, name)
                .filter(|made| *made != Span::BUILT_IN && !is_library(&self.sources, *made))
                .unwrap_or(expr.span),
            _ => expr.span,
        }
    }

    /// Adds to an error where the expressions were made that it points at by their names.
    pub(crate) fn with_origins(&self, cx: &Context, stop: Stop, ids: &[ExprId]) -> Stop {
        let Stop::Error(mut error) = stop else {
            return stop;
        };
        for id in ids {
            let shown = cx.ast.get(*id).span;
            let named = bare(&cx.ast, *id);
            let made = self.made(cx, named);
            let new = error.labels.iter().all(|label| label.span != made);
            if let ExprKind::Name(name) = &cx.ast.get(named).kind
                && error.labels.iter().any(|label| label.span == shown)
                && new
            {
                error = Box::new(error.at(made, format!("`{name}` comes from here")));
            }
        }
        error.into()
    }
}

/// The expression inside parentheses.
pub(crate) fn bare(ast: &Ast, id: ExprId) -> ExprId {
    match ast.get(id).kind {
        ExprKind::Parenthesized(inner) => bare(ast, inner),
        _ => id,
    }
}

/// The elements of a list that is written out.
pub(crate) fn elements(ast: &Ast, id: ExprId) -> &[ExprId] {
    match &ast.get(bare(ast, id)).kind {
        ExprKind::List(items) | ExprKind::Tuple(items) => items,
        _ => &[],
    }
}

/// The place of each of `count` elements of a list; that of the list where it is not written out.
pub(crate) fn element_spans(ast: &Ast, id: ExprId, count: usize) -> Vec<Span> {
    let items = elements(ast, id);
    match items.len() == count {
        true => items.iter().map(|item| ast.get(*item).span).collect(),
        false => vec![ast.get(id).span; count],
    }
}

/// The expressions that a statement itself evaluates.
pub(crate) fn evaluated(statement: &Statement) -> Vec<ExprId> {
    match &statement.kind {
        StatementKind::Assign { values, .. } => values.clone(),
        StatementKind::For { iterable, .. } => vec![*iterable],
        StatementKind::Draw { value, input } => std::iter::once(*value).chain(*input).collect(),
        StatementKind::Assert { condition } => vec![*condition],
        StatementKind::Expression(value)
        | StatementKind::Command(
            Command::SetExample { value, .. }
            | Command::SetVocabulary { value }
            | Command::SetMaxLength { value },
        ) => vec![*value],
        StatementKind::Error
        | StatementKind::Define(_)
        | StatementKind::Load { .. }
        | StatementKind::Command(_) => Vec::new(),
    }
}
