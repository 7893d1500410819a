//! Scopes: names and what they mean, in an arena, so that a closure can hold the scope it was
//! made in by its number.

use super::meta::{Meta, ScopeId, Side};
use crate::base::{Held, Span};
use crate::syntax::ast::Name;
use indexmap::IndexMap;
use std::sync::Arc;

/// What a name means, and where that was made.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub meta: Meta,
    pub made: Span,
    /// The `##` lines above the assignment.
    pub documentation: Arc<str>,
    /// The bytes of a string, counted for as long as it is bound.
    held: Option<Arc<Held>>,
}

/// The names of one scope.
pub(crate) type Names = IndexMap<Name, Bound, rustc_hash::FxBuildHasher>;

#[derive(Debug, Default)]
pub(crate) struct Scopes {
    list: Vec<Scope>,
}

#[derive(Debug, Default)]
struct Scope {
    parent: Option<ScopeId>,
    names: Names,
    /// Whether a `load` into it has failed, so that names are missing that nobody knows.
    incomplete: bool,
}

impl Scopes {
    pub fn add(&mut self, parent: Option<ScopeId>) -> ScopeId {
        let id = ScopeId(u32::try_from(self.list.len()).expect("steps bound the scopes"));
        self.list.push(Scope {
            parent,
            names: IndexMap::default(),
            incomplete: false,
        });
        id
    }

    /// The nearest meaning of a name.
    pub fn lookup(&self, scope: ScopeId, name: &str) -> Option<&Meta> {
        self.bound(scope, name).map(|bound| &bound.meta)
    }

    /// Where the nearest meaning of a name was made.
    pub fn made(&self, scope: ScopeId, name: &str) -> Option<Span> {
        self.bound(scope, name).map(|bound| bound.made)
    }

    fn bound(&self, scope: ScopeId, name: &str) -> Option<&Bound> {
        self.around(scope).find_map(|scope| scope.names.get(name))
    }

    /// A scope and those around it, from the inside out.
    fn around(&self, scope: ScopeId) -> impl Iterator<Item = &Scope> {
        let at = |id: ScopeId| &self.list[id.0 as usize];
        std::iter::successors(Some(at(scope)), move |inner| inner.parent.map(at))
    }

    pub fn set(&mut self, scope: ScopeId, name: Name, (meta, made): Side) {
        let bound = Bound {
            meta,
            made,
            documentation: "".into(),
            held: None,
        };
        self.bind(scope, name, bound);
    }

    /// Counts what a name of this very scope is bound to as held until it is bound to something else.
    pub fn hold(&mut self, scope: ScopeId, name: &str, held: Held) {
        if let Some(bound) = self.list[scope.0 as usize].names.get_mut(name) {
            bound.held = Some(Arc::new(held));
        }
    }

    pub fn bind(&mut self, scope: ScopeId, name: Name, bound: Bound) {
        self.list[scope.0 as usize].names.insert(name, bound);
    }

    /// Documents a name of this very scope.
    pub fn document(&mut self, scope: ScopeId, name: &str, documentation: &str) {
        if let Some(bound) = self.list[scope.0 as usize].names.get_mut(name) {
            bound.documentation = documentation.into();
        }
    }

    /// The documentation of the nearest meaning of a name; empty if it has none.
    pub fn documentation(&self, scope: ScopeId, name: &str) -> &str {
        self.bound(scope, name)
            .map_or("", |bound| &bound.documentation)
    }

    /// The names set in this very scope, in the order of their first assignment.
    pub fn own(&self, scope: ScopeId) -> impl Iterator<Item = (&Name, &Bound)> {
        self.list[scope.0 as usize].names.iter()
    }

    pub fn visible(&self, scope: ScopeId) -> Vec<Name> {
        let scopes = self.around(scope);
        let mut names: Vec<Name> = scopes.flat_map(|it| it.names.keys().cloned()).collect();
        names.sort();
        names.dedup();
        names
    }

    pub fn set_incomplete(&mut self, scope: ScopeId) {
        self.list[scope.0 as usize].incomplete = true;
    }

    /// Whether names may be missing that a failed `load` would have defined.
    pub fn is_incomplete(&self, scope: ScopeId) -> bool {
        self.around(scope).any(|scope| scope.incomplete)
    }

    /// The names of a scope as they are now, for [`Scopes::restore`].
    pub fn snapshot(&self, scope: ScopeId) -> Names {
        self.list[scope.0 as usize].names.clone()
    }

    /// Undoes every assignment in a scope since the snapshot.
    pub fn restore(&mut self, scope: ScopeId, names: Names) {
        self.list[scope.0 as usize].names = names;
    }

    /// Whether the name is set in this very scope.
    pub fn has_own(&self, scope: ScopeId, name: &str) -> bool {
        self.list[scope.0 as usize].names.contains_key(name)
    }

    pub fn parent(&self, scope: ScopeId) -> Option<ScopeId> {
        self.list[scope.0 as usize].parent
    }
}
