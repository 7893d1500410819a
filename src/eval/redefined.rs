//! Names that may not be set, and names of the language or the library that a file gives another
//! meaning.

use super::expression::Context;
use super::scope::ScopeId;
use super::{Evaluator, Outcome, is_library};
use crate::base::{Code, Diagnostic, Span};
use crate::builtin::{Builtin, Kind, RESERVED, RESERVED_LIBRARY, find};
use crate::syntax::ast::{ExprKind, Ident};

/// What a name of the library means once a file has set it.
const OWN_MEANING: &str = "from here on this file means its own";

impl Evaluator {
    pub(crate) fn check_parameter(&self, ident: &Ident) -> Outcome<()> {
        if RESERVED.contains(&&*ident.name) {
            return Err(reserved(&ident.name, ident.span).into());
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
            return Err(reserved(&ident.name, ident.span).into());
        }
        self.warn_shadowed(ident, "a name of the library", OWN_MEANING);
        Ok(())
    }

    /// Warns of a name that a built-in function has, or a function of a loaded module.
    pub(crate) fn warn_other_meaning(&mut self, cx: &Context, ident: &Ident) {
        let name = &*ident.name;
        let builtin = find(name).map(|row| row.kind);
        let loaded = |made| is_library(&self.sources, made) && self.is_top_level(cx.scope);
        let own = self.scopes.has_own(cx.scope, name);
        match builtin {
            Some(Kind::Function(Builtin::Select | Builtin::Aggregate)) => {
                let meant = "a call of this name still means the built-in function";
                self.warn_shadowed(ident, "a built-in function", meant);
            }
            // At the prompt, who defines a name knows.
            _ if self.loading.is_empty() => {}
            Some(Kind::Function(_)) if !own && self.is_top_level(cx.scope) => {
                self.warn_shadowed(ident, "a built-in function", OWN_MEANING);
            }
            None if own && self.scopes.made(cx.scope, name).is_some_and(loaded) => {
                self.warn_shadowed(ident, "a name of the library that is loaded", OWN_MEANING);
            }
            _ => {}
        }
    }

    fn warn_shadowed(&mut self, ident: &Ident, what: &str, meant: &str) {
        let message = format!("`{}` is {what}", ident.name);
        self.warn_once(
            Diagnostic::warning(Code::ShadowedLibrary, message)
                .at(ident.span, meant)
                .help(format!("choose another name, like `my_{}`", ident.name)),
        );
    }
}

/// Why a name may not be redefined, and what to write instead.
fn reserved(name: &str, span: Span) -> Diagnostic {
    let role = match find(name).map(|row| row.kind) {
        Some(Kind::SOp) => "it is a base s-op",
        Some(Kind::Atom) => "it is a constant",
        Some(Kind::Function(Builtin::Select | Builtin::Aggregate)) | Some(Kind::Function(_)) => {
            "it is a built-in function"
        }
        None if name == "out" => "`out` always is the last value",
        None if RESERVED_LIBRARY.contains(&name) => {
            "it is a name of the library, which other library functions use"
        }
        None => "the language keeps it for itself",
    };
    Diagnostic::error(Code::ReservedName, format!("`{name}` may not be redefined"))
        .at(span, "this name is reserved")
        .note(role)
        .help(format!(
            "choose another name, like `my_{}`",
            name.to_lowercase()
        ))
}
