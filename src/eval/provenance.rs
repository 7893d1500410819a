//! Where values come from: the place where a name got its value, which an error shows, too, and the
//! calls in which each s-op was made, so that an error on an input can show the way from the program to
//! the place that failed.

use super::Evaluator;
use super::context::Context;
use super::fault::Site;
use super::meta::ScopeId;
use crate::base::Span;
use crate::graph::SOpId;
use crate::syntax::ast::{Ast, ExprId, ExprKind, Name};
use rustc_hash::FxHashMap;

/// A call in which an s-op was made, with the number of the call that it was made in.
type Call = (Name, Span, Option<u32>);

/// The calls behind the s-ops.
#[derive(Debug, Default)]
pub(crate) struct Origins {
    /// The calls in progress, each with its own number once an s-op is made in it.
    open: Vec<Call>,
    calls: Vec<Call>,
    made_in: FxHashMap<SOpId, u32>,
}

impl Origins {
    pub fn enter(&mut self, name: &Name, span: Span) {
        self.open.push((name.clone(), span, None));
    }

    pub fn leave(&mut self) {
        self.open.pop();
    }

    /// The calls in progress, innermost first.
    pub fn open_calls(&self) -> Vec<(Name, Span)> {
        let inner_first = self.open.iter().rev();
        inner_first
            .map(|(name, at, _)| (name.clone(), *at))
            .collect()
    }

    /// Notes that an s-op has just been made.
    pub fn made(&mut self, id: SOpId) {
        // Calls are numbered from the outermost on; those with a number come first.
        let from = self.open.partition_point(|(.., number)| number.is_some());
        let mut caller = from.checked_sub(1).and_then(|at| self.open[at].2);
        for (name, span, number) in &mut self.open[from..] {
            let Ok(next) = u32::try_from(self.calls.len()) else {
                return;
            };
            self.calls.push((name.clone(), *span, caller));
            *number = Some(next);
            caller = *number;
        }
        if let Some((.., Some(number))) = self.open.last() {
            self.made_in.insert(id, *number);
        }
    }

    /// The calls that an s-op was made in, innermost first.
    pub fn path(&self, id: SOpId) -> Vec<(Name, Span)> {
        let mut path = Vec::new();
        let mut next = self.made_in.get(&id).copied();
        while let Some((name, at, caller)) = next.and_then(|it| self.calls.get(it as usize)) {
            path.push((name.clone(), *at));
            next = *caller;
        }
        path
    }
}

impl Evaluator {
    /// Where the value of an expression was made: if it is a name, where that got its value.
    pub(crate) fn made(&self, cx: &Context, id: ExprId) -> Span {
        self.made_in(&cx.ast, cx.scope, id)
    }

    /// The same of an expression that is evaluated in a scope.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others are made here")]
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

    /// A place, with the expression that stands there if its text has been run.
    pub(crate) fn site_at(&self, place: Span) -> Site {
        let ast = self.trees.get(&place.source).cloned().unwrap_or_default();
        Site {
            expr: ast.ids().find(|id| ast.get(*id).span == place),
            scope: self.base,
            span: place,
            ast,
        }
    }

    /// Whether a place is in the library, which nobody can change.
    pub(crate) fn is_library(&self, span: Span) -> bool {
        self.library.contains(&span.source)
    }
}

/// The elements of a list that is written out.
#[expect(clippy::wildcard_enum_match_arm, reason = "no other has elements")]
pub(crate) fn elements(ast: &Ast, id: ExprId) -> &[ExprId] {
    match &ast.get(id).kind {
        ExprKind::Parenthesized(inner) => elements(ast, *inner),
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
