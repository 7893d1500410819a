//! Where an expression is evaluated: its tree, its scope, and which text it comes from.

use super::fault::Site;
use super::meta::ScopeId;
use crate::base::Span;
use crate::syntax::ast::{Ast, ExprId};
use std::sync::Arc;

#[derive(Clone)]
pub(crate) struct Context {
    pub ast: Arc<Ast>,
    pub scope: ScopeId,
    /// `console` or the path of the file, for the origin of functions.
    pub origin: Arc<str>,
}

impl Context {
    pub fn new(ast: &Arc<Ast>, scope: ScopeId, origin: &str) -> Context {
        Context {
            ast: ast.clone(),
            scope,
            origin: origin.into(),
        }
    }

    pub fn within(&self, scope: ScopeId) -> Context {
        Context {
            scope,
            ..self.clone()
        }
    }

    pub fn span(&self, expr: ExprId) -> Span {
        self.ast.get(expr).span
    }

    /// An expression as the place of a fault.
    pub fn site(&self, expr: ExprId) -> Site {
        Site {
            expr: Some(expr),
            ..self.site_of(self.span(expr))
        }
    }

    /// A statement, or a part of it that is no expression, as the place of a fault.
    pub fn site_of(&self, span: Span) -> Site {
        Site {
            ast: self.ast.clone(),
            scope: self.scope,
            expr: None,
            span,
        }
    }
}
