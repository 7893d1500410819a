//! What a rule can see: the place of a fault, the calls that led there, and the values and texts
//! around it. Nothing is evaluated and nothing changed.

use super::quote::{mended, replaced, written};
use crate::base::{Span, Suggestion};
use crate::eval::fault::{Call, Site};
pub(super) use crate::eval::meta::Side;
use crate::eval::{Evaluator, Meta};
use crate::graph::{SOp, SOpId};
use crate::syntax::ast::{ExprId, ExprKind};
use crate::value::{Op, TypeSet};

/// The place of a fault or doubt.
pub(super) struct Scene<'a> {
    pub evaluator: &'a Evaluator,
    pub site: Option<&'a Site>,
    pub calls: &'a [Call],
    /// The expression or statement, which mends are shown in.
    pub whole: Span,
}

impl Scene<'_> {
    pub fn written(&self, span: Span) -> Option<String> {
        written(&self.evaluator.sources, span)
    }

    /// The text of a part.
    pub fn text(&self, id: ExprId) -> Option<String> {
        self.written(self.span(id))
    }

    /// The whole with other texts for some of its parts.
    pub fn mend(&self, what: &str, edits: Vec<(Span, String)>) -> Option<Suggestion> {
        self.mend_in(self.whole, what, edits)
    }

    /// The same of another place.
    pub fn mend_in(
        &self,
        whole: Span,
        what: &str,
        edits: Vec<(Span, String)>,
    ) -> Option<Suggestion> {
        mended(&self.evaluator.sources, what, whole, edits)
    }

    /// The whole as another text.
    pub fn becomes(&self, what: &str, fixed: impl Into<String>) -> Option<Suggestion> {
        self.put(what, self.whole, fixed)
    }

    /// The whole with another text for a part.
    pub fn put(&self, what: &str, part: Span, text: impl Into<String>) -> Option<Suggestion> {
        self.mend(what, vec![(part, text.into())])
    }

    /// The whole with what `other` makes of the text of a part.
    pub fn mend_part(
        &self,
        what: &str,
        part: Span,
        other: impl FnOnce(&str) -> String,
    ) -> Option<Suggestion> {
        self.put(what, part, other(&self.written(part)?))
    }

    /// The whole with what `other` makes of the texts of some of its parts.
    pub fn mend_each(
        &self,
        what: &str,
        parts: impl IntoIterator<Item = Span>,
        other: impl Fn(&str) -> String,
    ) -> Option<Suggestion> {
        let parts = parts.into_iter();
        let edits = parts.map(|part| Some((part, other(&self.written(part)?))));
        self.mend(what, edits.collect::<Option<_>>()?)
    }

    /// The whole with other texts for some of its parts, which nobody needs to type as it stands.
    pub fn replaced(&self, edits: &[(Span, String)]) -> Option<String> {
        replaced(&self.evaluator.sources, self.whole, edits)
    }

    /// The kind of the expression.
    pub fn kind(&self) -> Option<&ExprKind> {
        let site = self.site?;
        Some(&site.ast.get(site.expr?).kind)
    }

    pub fn span(&self, id: ExprId) -> Span {
        self.site
            .map_or(Span::BUILT_IN, |site| site.ast.get(id).span)
    }

    /// What is called, if the expression is a call.
    pub fn function(&self) -> Option<ExprId> {
        match self.kind()? {
            ExprKind::Call { function, .. } => Some(*function),
            _ => None,
        }
    }

    /// The texts of what is indexed and of the index, if the expression indexes something.
    pub fn indexed(&self) -> Option<(String, String)> {
        match self.kind()? {
            ExprKind::Index { object, index } => Some((self.text(*object)?, self.text(*index)?)),
            _ => None,
        }
    }

    /// The arguments of the expression, if it is a call.
    pub fn arguments(&self) -> Vec<ExprId> {
        self.site.map_or(Vec::new(), arguments)
    }

    /// The expression with a place among the parts of the expression.
    pub fn part(&self, span: Span) -> Option<ExprId> {
        let site = self.site?;
        let mut parts = site.ast.get(site.expr?).kind.children().into_iter();
        parts.find(|id| site.ast.get(*id).span == span)
    }

    /// Where the value of a part was made.
    pub fn made(&self, span: Span) -> Span {
        let made = self.site.zip(self.part(span));
        made.map_or(span, |(site, id)| {
            self.evaluator.made_in(&site.ast, site.scope, id)
        })
    }

    /// What a value that is only named here is mended by: the argument of a call that handed it over,
    /// with the call. Nobody can type in the library.
    pub fn argument(&self, span: Span) -> Option<(Span, Span)> {
        let made = self.made(span);
        let mut outermost = self.calls.iter().rev();
        outermost.find_map(|call| {
            let handed = call.arguments.iter().any(|(_, other)| *other == made);
            if !handed || self.evaluator.is_library(call.span) {
                return None;
            }
            let site = call.site.as_ref();
            let given = site.map_or(Vec::new(), arguments);
            let of_list = |id: &ExprId| match site.map(|site| (site, &site.ast.get(*id).kind)) {
                Some((site, ExprKind::Spread(list))) => site.ast.get(*list).span == made,
                _ => false,
            };
            // One of a list cannot be mended where the list is handed over.
            if given.iter().any(of_list) {
                return None;
            }
            if call.whole.contains(made) {
                return Some((made, call.whole));
            }
            // It is named in the call.
            let (site, evaluator) = (site?, self.evaluator);
            let mut given = given.into_iter();
            let argument =
                given.find(|id| evaluator.made_in(&site.ast, site.scope, *id) == made)?;
            Some((site.ast.get(argument).span, call.span))
        })
    }

    /// The name of the library's function that something was handed over to, and where.
    pub fn handed_over(&self, span: Span) -> Option<(String, Span)> {
        let (at, whole) = self.argument(span).filter(|_| self.in_library())?;
        let call = self.calls.iter().find(|call| call.whole == whole)?;
        Some((call.name.to_string(), at))
    }

    /// Whether it is no function of the program's that is running.
    pub fn is_outermost(&self) -> bool {
        self.calls.is_empty()
    }

    pub fn in_library(&self) -> bool {
        self.evaluator.is_library(self.whole)
    }

    /// What kind of thing it is, s-ops with the type of their values.
    pub fn describe(&self, meta: &Meta) -> String {
        match meta {
            Meta::SOp(_) => of_types(self.types(meta)).to_string(),
            other => other.kind().to_string(),
        }
    }

    /// The types of an s-op, scorer or atom; none of anything else.
    pub fn types(&self, meta: &Meta) -> TypeSet {
        self.evaluator.types(meta)
    }

    /// Whether something is the tokens as strings.
    pub fn is_tokens(&self, meta: &Meta) -> bool {
        let graph = &self.evaluator.graph;
        let tokens = |id: SOpId| match graph.get(id) {
            SOp::Map {
                op: Op::ToStr,
                operands,
            } => matches!(graph.get(operands[0]), SOp::Tokens),
            sop => matches!(sop, SOp::Tokens),
        };
        matches!(meta, Meta::SOp(id) if tokens(*id))
    }

    pub fn is_string(&self, meta: &Meta) -> bool {
        self.types(meta) == TypeSet::STR
    }

    pub fn is_number(&self, meta: &Meta) -> bool {
        let types = self.types(meta);
        !types.is_empty() && TypeSet::NUMBER.contains(types)
    }
}

/// The arguments of a call.
fn arguments(site: &Site) -> Vec<ExprId> {
    match site.expr.map(|id| &site.ast.get(id).kind) {
        Some(ExprKind::Call { arguments, .. }) => arguments.iter().map(|it| it.value).collect(),
        _ => Vec::new(),
    }
}

/// `an s-op of strings`, as far as the types are known.
pub(super) fn of_types(types: TypeSet) -> &'static str {
    let names = [
        (TypeSet::INT, "an s-op of ints"),
        (TypeSet::FLOAT, "an s-op of floats"),
        (TypeSet::BOOL, "an s-op of bools"),
        (TypeSet::STR, "an s-op of strings"),
    ];
    match names.iter().find(|(single, _)| *single == types) {
        Some((_, name)) => name,
        None if !types.is_empty() && TypeSet::NUMBER.contains(types) => "an s-op of numbers",
        None => "an s-op",
    }
}

/// What a function of keys and queries gives, as far as the types are known.
pub(super) fn kinds(types: TypeSet) -> &'static str {
    match types {
        TypeSet::STR => "strings",
        types if TypeSet::NUMBER.contains(types) => "numbers",
        _ => "atoms",
    }
}
