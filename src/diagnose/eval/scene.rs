//! What a rule can see: the place of a fault, the calls that led there, and the values and texts
//! around it. Nothing is evaluated and nothing changed.

use super::quote::{UNSAID, in_place, replaced, said};
use crate::base::{Span, Suggestion};
use crate::eval::fault::{Call, Site};
pub(super) use crate::eval::meta::Side;
use crate::eval::{Evaluator, Meta};
use crate::graph::{SOp, SOpId};
use crate::syntax::ast::{Ast, BinaryOperator, ExprId, ExprKind};
use crate::value::{Comparison, Op, TypeSet, Value};

/// The place of a fault or doubt.
pub(super) struct Scene<'a> {
    pub evaluator: &'a Evaluator,
    pub site: &'a Site,
    pub calls: &'a [Call],
    /// The expression or statement, which mends are shown in.
    pub whole: Span,
}

impl<'a> Scene<'a> {
    pub fn new(evaluator: &'a Evaluator, site: &'a Site, calls: &'a [Call]) -> Scene<'a> {
        Scene {
            evaluator,
            site,
            calls,
            whole: site.span,
        }
    }

    /// The text of a place on one line, if it is short enough to be repeated.
    pub fn written(&self, span: Span) -> Option<String> {
        replaced(&self.evaluator.sources, span, &[])
    }

    /// The text of a place; where it cannot be repeated, nothing is said that would need it.
    pub fn say(&self, span: Span) -> String {
        self.written(span).unwrap_or(UNSAID.to_string())
    }

    /// All that stands before a place.
    pub fn before(&self, span: Span) -> &str {
        let text = &self.evaluator.sources.get(span.source).text;
        text[..span.start as usize].trim_end()
    }

    pub fn text(&self, id: ExprId) -> String {
        self.say(self.span(id))
    }

    /// The texts of what is called and of its arguments, unless some have names, of what is indexed and
    /// of the index, or of the operands.
    pub fn parts(&self) -> [String; 4] {
        let parts = self.kind().map_or(Vec::new(), ExprKind::children);
        let named = matches!(self.kind(), Some(ExprKind::Call { arguments, .. })
            if arguments.iter().any(|argument| argument.name.is_some()));
        [0, 1, 2, 3].map(|at| {
            let part = parts.get(at).filter(|_| at == 0 || !named);
            part.map_or(UNSAID.to_string(), |id| self.text(*id))
        })
    }

    /// The whole with other texts for some parts, or the call that handed them over to the library.
    pub fn mend(
        &self,
        what: &str,
        edits: impl IntoIterator<Item = (Span, String)>,
    ) -> Option<Suggestion> {
        let edits = edits.into_iter();
        let edits = edits.map(|(part, text)| (self.place_of(part), text));
        self.mend_places(what, edits.collect())
    }

    /// The same with another text for one part.
    pub fn put(&self, what: &str, part: Span, text: impl Into<String>) -> Option<Suggestion> {
        self.mend(what, [(part, text.into())])
    }

    /// The same with what `other` makes of the texts of some parts.
    pub fn mend_each(
        &self,
        what: &str,
        parts: impl IntoIterator<Item = Span>,
        other: impl Fn(&str) -> String,
    ) -> Option<Suggestion> {
        let written = |part| self.say(self.place_of(part).0);
        let parts = parts.into_iter();
        self.mend(what, parts.map(|part| (part, other(&written(part)))))
    }

    /// Other texts for some parts, each with what it stands in; if that is another place for one of
    /// them, then there only. Says how it reads with them.
    pub fn mend_places(
        &self,
        what: &str,
        edits: Vec<((Span, Span), String)>,
    ) -> Option<Suggestion> {
        let sources = &self.evaluator.sources;
        let mut wholes = edits.iter().map(|((_, whole), _)| *whole);
        let whole = wholes.find(|whole| *whole != self.whole);
        let whole = whole.unwrap_or(self.whole);
        let edits = edits.into_iter().filter(|((_, other), _)| *other == whole);
        let mut edits: Vec<_> = edits.map(|((part, _), text)| (part, text)).collect();
        edits.sort_by_key(|(span, _)| span.start);
        let fixed = replaced(sources, whole, &edits).filter(|_| !edits.is_empty())?;
        let colon = if what == "write" { "" } else { ":" };
        let help = said(format!("{what}{colon} `{fixed}`"))?;
        for (span, text) in &mut edits {
            *text = in_place(sources, *span, text);
        }
        Some(Suggestion { edits, ..help })
    }

    /// The whole with another text for a part, which nobody needs to type as it stands.
    pub fn with(&self, part: Span, text: String) -> String {
        let fixed = replaced(&self.evaluator.sources, self.whole, &[(part, text)]);
        fixed.unwrap_or(UNSAID.to_string())
    }

    /// The kind of the expression.
    pub fn kind(&self) -> Option<&ExprKind> {
        self.site.expr.map(|id| self.kind_of(id))
    }

    pub fn kind_of(&self, id: ExprId) -> &ExprKind {
        &self.site.ast.get(id).kind
    }

    /// What a part means that is a name.
    pub fn known(&self, id: ExprId) -> Option<&Meta> {
        let name = self.site.ast.bare_name(id)?;
        self.evaluator.lookup(self.site.scope, name)
    }

    pub fn span(&self, id: ExprId) -> Span {
        self.site.ast.get(id).span
    }

    /// What is called, if the expression is a call.
    pub fn function(&self) -> Option<ExprId> {
        let ExprKind::Call { function, .. } = self.kind()? else {
            return None;
        };
        Some(*function)
    }

    /// The arguments of the expression, if it is a call.
    pub fn arguments(&self) -> Vec<ExprId> {
        arguments_at(&self.site.ast, self.site.expr)
    }

    /// Whether the expression is an argument of a call that may have more of them, and its index stands apart
    /// from what it begins with, as a list would if there were a comma.
    pub fn is_list_beside(&self, start: &str) -> bool {
        let ast = &self.site.ast;
        let takes_more = |id: ExprId| {
            let ExprKind::Call { function, .. } = self.kind_of(id) else {
                return false;
            };
            let given = arguments_at(ast, Some(id));
            let is_given = given.iter().any(|part| Some(*part) == self.site.expr);
            is_given
                && matches!(self.known(*function), Some(Meta::Function(it)) if it.takes().1 > given.len())
        };
        let is_apart = |text: String| {
            let rest = text.strip_prefix(start);
            rest.is_some_and(|rest| rest.starts_with(char::is_whitespace))
        };
        self.written(self.whole).is_some_and(is_apart) && ast.ids().any(takes_more)
    }

    /// The operator of the expression, between its operands.
    pub fn operation(&self) -> Option<(ExprId, BinaryOperator, ExprId)> {
        self.site.ast.binary(self.site.expr?)
    }

    /// The operands of a comparison.
    pub fn comparison(&self, id: ExprId) -> Option<(ExprId, Comparison, ExprId)> {
        match self.site.ast.binary(id)? {
            (left, BinaryOperator::Compare(comparison), right) => Some((left, comparison, right)),
            _ => None,
        }
    }

    /// The two sides of the whole, if it is a comparison.
    pub fn whole_comparison(&self) -> Option<(ExprId, Comparison, ExprId)> {
        self.comparison(self.site.expr?)
    }

    /// What the whole compares with a list, and the list.
    pub fn compared_with_list(&self) -> Option<(ExprId, ExprId)> {
        let (left, sign, right) = self.whole_comparison()?;
        (sign == Comparison::Equal && self.static_list(right)).then_some((left, right))
    }

    /// The value of a part that is a literal.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only these are written out")]
    pub fn value(&self, id: ExprId) -> Option<Value> {
        match self.kind_of(id) {
            ExprKind::Literal(value) => Some(value.clone()),
            ExprKind::Name(name) if ["True", "False"].contains(&&**name) => {
                Some(Value::Bool(&**name == "True"))
            }
            _ => None,
        }
    }

    /// The expression with a place among the parts of the expression.
    pub fn part(&self, span: Span) -> Option<ExprId> {
        let mut parts = self.kind()?.children().into_iter();
        parts.find(|id| self.span(*id) == span)
    }

    /// Where a part is mended, and what it stands in: nobody can type in the library, so there it is
    /// the argument that a call handed over, with the call.
    pub fn place_of(&self, part: Span) -> (Span, Span) {
        let handed = self.argument(part).filter(|_| self.in_library());
        handed.unwrap_or((part, self.whole))
    }

    /// What a value that is only named here is mended by: the argument of a call that handed it over,
    /// with the call.
    pub fn argument(&self, span: Span) -> Option<(Span, Span)> {
        let made_in = |site: &Site, id| self.evaluator.made_in(&site.ast, site.scope, id);
        let made = self.part(span).map_or(span, |id| made_in(self.site, id));
        let mut outermost = self.calls.iter().rev();
        outermost.find_map(|call| self.argument_of(call, made))
    }

    /// The argument of a call that handed over what was made at a place, and what that stands in.
    fn argument_of(&self, call: &Call, made: Span) -> Option<(Span, Span)> {
        let handed = call.arguments.iter().any(|(_, other)| *other == made);
        if !handed || self.evaluator.is_library(call.span) {
            return None;
        }
        let in_call = call.whole.contains(made).then_some((made, call.whole));
        let Some(site) = &call.site else {
            return in_call;
        };
        let given = arguments_at(&site.ast, site.expr);
        let of_list = |id: &ExprId| {
            matches!(&site.ast.get(*id).kind,
                ExprKind::Spread(list) if site.ast.get(*list).span == made)
        };
        // One of a list cannot be mended where the list is handed over.
        if given.iter().any(of_list) {
            return None;
        }
        in_call.or_else(|| {
            // It is named in the call.
            let is_it = |id: &ExprId| self.evaluator.made_in(&site.ast, site.scope, *id) == made;
            let argument = given.into_iter().find(is_it)?;
            Some((site.ast.get(argument).span, call.span))
        })
    }

    /// The name of the library's function that something was handed over to, and where.
    pub fn handed_over(&self, span: Span) -> Option<(String, Span)> {
        let (at, whole) = self.argument(span).filter(|_| self.in_library())?;
        let call = self.calls.iter().find(|call| call.whole == whole)?;
        Some((call.name.to_string(), at))
    }

    pub fn in_library(&self) -> bool {
        self.evaluator.is_library(self.whole)
    }

    /// What kind of thing it is, s-ops with the type of their values.
    pub fn describe(&self, meta: &Meta) -> String {
        match (meta, kinds(self.types(meta))) {
            (Meta::SOp(_), "atoms") => "an s-op".to_string(),
            (Meta::SOp(_), values) => format!("an s-op of {values}"),
            (other, _) => other.kind().to_string(),
        }
    }

    /// The types of an s-op, scorer or atom; none of anything else.
    pub fn types(&self, meta: &Meta) -> TypeSet {
        self.evaluator.types(meta)
    }

    /// Whether something is the tokens as strings.
    pub fn is_tokens(&self, meta: &Meta) -> bool {
        let graph = &self.evaluator.graph;
        let given = |id: SOpId| matches!(graph.get(id), SOp::Tokens);
        matches!(meta, Meta::SOp(id) if given(*id) || matches!(graph.get(*id),
            SOp::Map { op: Op::ToStr, operands } if given(operands[0])))
    }

    pub fn is_string(&self, meta: &Meta) -> bool {
        self.types(meta) == TypeSet::STR
    }

    /// Where an atom or the tokens are written, and what that stands in: in the call that handed them
    /// over, or here, unless they have a name here.
    pub fn origin(&self, at: Span) -> Option<(Span, Span)> {
        let text = self.say(at);
        let named = text.starts_with(|first: char| first.is_alphabetic()) && text != "tokens";
        let here = (self.calls.is_empty() || !named) && !self.in_library();
        self.argument(at).or(here.then_some((at, self.whole)))
    }
}

/// The arguments of a call.
fn arguments_at(ast: &Ast, expr: Option<ExprId>) -> Vec<ExprId> {
    match expr.map(|id| &ast.get(id).kind) {
        Some(ExprKind::Call { arguments, .. }) => arguments.iter().map(|it| it.value).collect(),
        _ => Vec::new(),
    }
}

/// What values of some types are, as far as the types are known.
pub(super) fn kinds(types: TypeSet) -> &'static str {
    match types {
        TypeSet::NONE => "atoms",
        TypeSet::STR => "strings",
        TypeSet::INT => "ints",
        TypeSet::FLOAT => "floats",
        TypeSet::BOOL => "bools",
        types if TypeSet::NUMBER.contains(types) => "numbers",
        _ => "atoms",
    }
}
