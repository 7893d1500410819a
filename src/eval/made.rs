//! Where values were made: an error shows where a name got its value, too.

use super::Evaluator;
use super::context::Context;
use super::fault::Site;
use super::meta::ScopeId;
use crate::base::Span;
use crate::syntax::ast::{Ast, ExprId, ExprKind};

impl Evaluator {
    /// Where the value of an expression was made: if it is a name, where that got its value.
    pub(crate) fn made(&self, cx: &Context, id: ExprId) -> Span {
        self.made_in(&cx.ast, cx.scope, id)
    }

    /// The same of an expression that is evaluated in a scope.
    pub(crate) fn made_in(&self, ast: &Ast, scope: ScopeId, id: ExprId) -> Span {
        let expr = ast.get(id);
        match &expr.kind {
            ExprKind::Parenthesized(inner) => self.made_in(ast, scope, *inner),
            ExprKind::Name(name) => self
                .scopes
                .made(scope, name)
                .filter(|made| *made != Span::BUILT_IN && !self.is_library(*made))
                .unwrap_or(expr.span),
            _ => expr.span,
        }
    }

    /// The expression that stands in a place of a text that has been run.
    pub(crate) fn site_at(&self, place: Span) -> Option<Site> {
        let ast = self.trees.get(&place.source)?;
        let expr = ast.ids().find(|id| ast.get(*id).span == place)?;
        Some(Context::new(ast, self.base, "").site(expr))
    }

    /// Whether a place is in the library, which nobody can change.
    pub(crate) fn is_library(&self, span: Span) -> bool {
        self.library.contains(&span.source)
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
