//! Names that may not be set, and names of the language or the library that a file gives another
//! meaning.

use super::context::Context;
use super::fault::{Cause, Doubtful, Shadow};
use super::meta::ScopeId;
use super::{Evaluator, Outcome};
use crate::builtin::{Kind, RESERVED, RESERVED_LIBRARY, called, find};
use crate::syntax::ast::{Ast, ExprKind, Ident, StatementKind};

impl Evaluator {
    pub(crate) fn check_parameter(&self, ident: &Ident) -> Outcome<()> {
        if RESERVED.contains(&&*ident.name) {
            return Err(Cause::Reserved(ident.clone()).into());
        }
        Ok(())
    }

    /// Whether it is the outermost scope of a file or the console.
    pub(crate) fn is_top_level(&self, scope: ScopeId) -> bool {
        self.scopes.parent(scope) == Some(self.base)
    }

    /// A file may give a library name a meaning of its own, which the library itself does not see,
    /// if it goes on to read it; anywhere else at the top level that is a mistake.
    pub(crate) fn check_assignable(&mut self, cx: &Context, ident: &Ident) -> Outcome<()> {
        self.check_parameter(ident)?;
        self.warn_other_meaning(cx, ident);
        let kept = self.is_top_level(cx.scope) && RESERVED_LIBRARY.contains(&&*ident.name);
        if !kept || self.scopes.has_own(cx.scope, &ident.name) {
            return Ok(());
        }
        let read = |id| {
            let expr = cx.ast.get(id);
            matches!(&expr.kind, ExprKind::Name(name) if *name == ident.name)
                && expr.span.start > ident.span.start
        };
        if self.loading.is_empty() || !cx.ast.ids().any(read) {
            return Err(Cause::Reserved(ident.clone()).into());
        }
        self.shadowed(ident, Shadow::Library);
        Ok(())
    }

    /// Warns of a name that a built-in function has, or a function of a loaded module.
    pub(crate) fn warn_other_meaning(&mut self, cx: &Context, ident: &Ident) {
        let name = &*ident.name;
        let builtin = find(name).map(|row| row.kind);
        let loaded = |made| self.is_library(made) && self.is_top_level(cx.scope);
        let own = self.scopes.has_own(cx.scope, name);
        match builtin {
            _ if called(name).is_some() => self.shadowed(ident, Shadow::Called),
            // At the prompt, who defines a name knows.
            _ if self.loading.is_empty() => {}
            Some(Kind::Function(_)) if !own && self.is_top_level(cx.scope) => {
                self.shadowed(ident, Shadow::Builtin);
            }
            None if own
                && self.scopes.made(cx.scope, name).is_some_and(loaded)
                && !passes_on(&cx.ast, ident) =>
            {
                self.shadowed(ident, Shadow::Loaded);
            }
            _ => {}
        }
    }

    fn shadowed(&mut self, ident: &Ident, kind: Shadow) {
        let doubt = Doubtful::Shadowed(ident.clone(), kind);
        self.doubt(doubt, [], ident.span);
    }
}

/// Whether the assignment of a name gives it what it means already, as `hist = hist;` does: so a
/// module passes on what it has loaded.
#[expect(clippy::wildcard_enum_match_arm, reason = "others pass no names on")]
fn passes_on(ast: &Ast, ident: &Ident) -> bool {
    ast.statements
        .iter()
        .any(|statement| match &statement.kind {
            StatementKind::Assign { names, values } => {
                names.iter().zip(values).any(|(name, value)| {
                    name.span == ident.span && ast.bare_name(*value) == Some(&ident.name)
                })
            }
            _ => false,
        })
}
