//! Doubts in words: what is evaluated all right, but probably is not what was meant.

use super::quote::{elements, mended, written};
use super::scene::{Scene, Side};
use super::wrong::quoted;
use crate::base::{Code, Diagnostic, Span, Suggestion};
use crate::eval::Meta;
use crate::eval::fault::{Doubt, Doubtful, Shadow};
use crate::syntax::ast::{BinaryOperator, ExprKind, Name};
use crate::value::{Comparison, Value};

impl Scene<'_> {
    /// A warning of something doubtful at the whole, unless another tells of it.
    pub(super) fn doubted(&self, doubt: &Doubt) -> Option<Diagnostic> {
        let sides = doubt.sides.as_slice();
        let kinds: Vec<String> = sides.iter().map(|(meta, _)| self.describe(meta)).collect();
        let [left, right] = [0, 1].map(|side| kinds.get(side).map_or("", String::as_str));
        let at = |side: usize| sides.get(side).map_or(self.whole, |(_, at)| *at);
        Some(rules! { self, &doubt.kind;
            Doubtful::Constant { op, answer } =>
                where written = self.written(self.whole).map(|text| format!("`{text}`"));
                where written = written.unwrap_or_else(|| format!("this `{op}`"));
                where answer = if *answer { "True" } else { "False" };
                warning!(ConstantComparison, "{written} is {answer} at every position of every input"),
                at at(0), "this is {left}",
                at at(1), "this is {right}",
                mend self.looked_up(sides).or_else(|| self.equal_types(sides));
            Doubtful::ConstantSide(op) =>
                where (constant, side, truth) = self.constant_side(sides)?;
                warning!(ConstantComparison,
                    "a side of this `{op}` is {truth} at every position of every input"),
                at constant, "this is always {truth}",
                mend self.compared_too(side, constant);
            Doubtful::ConstantSelector(comparison) =>
                where selects = if *comparison == Comparison::Equal { "no" } else { "every" };
                warning!(ConstantComparison, "this selector selects {selects} key on every input: \
                                              a string never equals a number"),
                at at(0), "the keys are {left}",
                at at(1), "the queries are {right}",
                mend self.equal_types(sides);
            Doubtful::ConstantMembership(items) =>
                where held = if items[0].is_number() { "numbers" } else { "strings" };
                warning!(ConstantComparison, "this `in` is False at every position of every input"),
                at at(0), "this is {left}",
                at at(1), "the list holds {held} only",
                mend self.among_strings(items, sides);
            Doubtful::Branches =>
                self.mixed(doubt, "the branches of this choice", ["this branch is of"; 2]);
            Doubtful::Default { .. } =>
                self.mixed(doubt, "the default and the values", ["the default is a", "the values are"]);
            Doubtful::Shadowed(ident, kind) =>
                where name = &ident.name;
                where (what, meant) = shadowed(*kind);
                warning!(ShadowedLibrary, "`{name}` is {what}"),
                at ident.span, "{meant}",
                help "choose another name, like `my_{name}`";
            Doubtful::Replaced(names, file) => self.names_replaced(names, file);
        })
    }

    /// An s-op that is compared with a list.
    fn looked_up(&self, sides: &[Side]) -> Option<Suggestion> {
        mends! { self, sides;
            [(Meta::SOp(_), left), (Meta::List(_), right)] =>
                where (left, right) = (self.written(*left)?, self.written(*right)?);
                "to look it up in the list", "{left} in {right}";
        }
    }

    /// Strings looked for among numbers: the same numbers as strings.
    fn among_strings(&self, items: &[Value], sides: &[Side]) -> Option<Suggestion> {
        let [left, right] = sides else { return None };
        let quoted: Vec<String> = items.iter().map(quoted).collect();
        let list = format!("[{}]", quoted.join(", "));
        let help = self.put("compare with strings", right.1, list);
        help.filter(|_| self.is_string(&left.0) && items.len() <= 8)
    }

    /// Names of the program that a loaded file gives another meaning.
    fn names_replaced(&self, names: &[(Name, Span)], file: &str) -> Diagnostic {
        let quoted: Vec<String> = names.iter().map(|(name, _)| format!("`{name}`")).collect();
        let (replaced, means) = match names {
            [_] => (quoted.concat(), "it means"),
            _ => (quoted.join(", "), "they mean"),
        };
        let warning = warning!(
            ReplacedName,
            "this load replaces {replaced} of your program"
        );
        let warning = warning.at(self.whole, format!("from here on {means} what {file} says"));
        let shown = names.iter().take(3);
        shown
            .fold(warning, |warning, (name, at)| {
                warning.at(*at, format!("your own `{name}`"))
            })
            .help("load the file before you define the name, or choose another name")
    }

    /// The side of `and` or `or` that is a number or a string, the other side, and the truth of it. A
    /// name may have other values in other runs of a loop, and `a in b and c` is another mistake.
    fn constant_side<'s>(&self, sides: &'s [Side]) -> Option<(Span, &'s Side, bool)> {
        let constant = |(meta, _): &&Side| matches!(meta, Meta::Atom(value) if !matches!(value, Value::Bool(_)));
        let (meta, at) = sides.iter().find(constant)?;
        let text = self.evaluator.sources.text(*at);
        if text.starts_with(|first: char| first.is_alphabetic() || first == '_') {
            return None;
        }
        let site = self.site?;
        let beside = site.ast.ids().any(|id| match site.ast.get(id).kind {
            ExprKind::Binary {
                operator: BinaryOperator::In,
                left,
                right,
            } => [left, right]
                .map(|side| self.span(side))
                .contains(&self.whole),
            _ => false,
        });
        let other = sides.iter().find(|(_, other)| other != at)?;
        (!beside).then(|| (*at, other, meta.truthy()))
    }

    /// A side of `and` or `or` that stands for a comparison: `x == "a" or "b"`.
    fn compared_too(&self, (_, other): &Side, at: Span) -> Option<Suggestion> {
        let site = self.site?;
        match site.ast.get(self.part(*other)?).kind {
            ExprKind::Binary {
                operator: BinaryOperator::Compare(_),
                right,
                ..
            } => {
                let compared = Span {
                    end: self.span(right).start,
                    ..*other
                };
                let compared = self.written(compared)?;
                let what = "to compare with it too";
                self.mend_part(what, at, |text| format!("{} {text}", compared.trim_end()))
            }
            _ => self.becomes("leave it out", self.written(*other)?),
        }
    }

    /// An equality of strings and numbers, which never holds: the same on one type.
    fn equal_types(&self, sides: &[Side]) -> Option<Suggestion> {
        let numeric = sides.iter().find_map(|(meta, _)| match meta {
            Meta::Atom(Value::Bool(_)) => Some(("bools", "tokens_bool")),
            Meta::Atom(Value::Float(_)) => Some(("numbers", "tokens_float")),
            _ => None,
        });
        let (types, name) = numeric.unwrap_or(("numbers", "tokens_int"));
        let tokens = sides.iter().find(|(meta, _)| self.is_tokens(meta));
        let converted = tokens
            .and_then(|(_, at)| self.put(&format!("compare the tokens as {types}"), *at, name));
        match (self.as_text("compare with a string", sides), converted) {
            (Some(text), Some(converted)) => {
                let other = converted.message.trim_start_matches("compare ");
                Some(Suggestion {
                    message: format!("{}, or {other}", text.message),
                    ..text
                })
            }
            (Some(help), None) | (None, Some(help)) => Some(help),
            (None, None) => self
                .without_quotes(sides)
                .or_else(|| self.of_the_tokens(sides))
                .or_else(|| {
                    let compared = self.written(self.whole)?;
                    let fixed = format!("not ({})", compared.strip_prefix("not ")?);
                    self.becomes("the comparison first", fixed)
                }),
        }
    }

    /// Numbers and strings in one s-op. What is written out can be mended and comes first; of two
    /// literals the number, which always can be.
    fn mixed(&self, doubt: &Doubt, what: &str, called: [&str; 2]) -> Diagnostic {
        let literal = |(meta, at): &Side| {
            let site = self.evaluator.site_at(*at)?;
            let written = matches!(site.ast.get(site.expr?).kind, ExprKind::Literal(_));
            meta.as_atom().cloned().filter(|_| written)
        };
        let mut sides: Vec<&Side> = doubt.sides.iter().collect();
        if let Doubtful::Branches = doubt.kind {
            let order = |value: Value| u8::from(!value.is_number());
            sides.sort_by_key(|side| literal(side).map_or(2, order));
        }
        let mut warning = warning!(MixedDefault, "{what} mix numbers and strings");
        for (called, (meta, at)) in called.into_iter().zip(sides.iter().copied()) {
            let kind = if self.is_string(meta) {
                "string"
            } else {
                "number"
            };
            let plural = if called.ends_with(" a") { "" } else { "s" };
            warning = warning.at(*at, format!("{called} {kind}{plural}"));
        }
        warning = warning.note("an input on which both occur in one s-op has no value");
        warning = super::with_path(warning, &doubt.calls);
        let literal = || self.with_other_type(&literal(sides[0])?, sides[0].1);
        let help = match &doubt.kind {
            Doubtful::Default { values, .. } if self.mixes(values) => self.aggregated_apart(values),
            Doubtful::Default { made, .. } => {
                let in_call = self.default_in_call(*made, &doubt.calls);
                in_call.or_else(literal)
            }
            _ => literal(),
        };
        warning.maybe_help(help.filter(|_| !self.in_library() || !doubt.calls.is_empty()))
    }

    /// Whether several s-ops are written out of which some are of strings.
    fn mixes(&self, values: &Meta) -> bool {
        let Meta::List(items) = values else {
            return false;
        };
        let strings = items.iter().filter(|item| self.is_string(item)).count();
        let written = self.arguments().get(1).and_then(|over| self.text(*over));
        let written = written.map_or(0, |text| elements(&text).len());
        strings > 0 && strings < items.len() && written == items.len()
    }

    /// A default that a function was called with: that call with one of the other type.
    fn default_in_call(&self, made: Span, calls: &[(Name, Span)]) -> Option<Suggestion> {
        let outermost = calls.iter().rev().map(|(_, call)| *call);
        let mut users = outermost.filter(|call| !self.evaluator.is_library(*call));
        let call = users.find(|call| call.contains(made) || self.evaluator.is_library(made))?;
        let sources = &self.evaluator.sources;
        let what = "give a default of the type of the values";
        if !call.contains(made) {
            // The default of the library's function itself.
            let text = written(sources, call)?;
            let fixed = format!("{}, \"\")", text.strip_suffix(')')?);
            return mended(sources, what, call, vec![(call, fixed)]);
        }
        let other = super::input::other_default(&written(sources, made)?);
        mended(sources, what, call, vec![(made, other.to_string())])
    }
}

/// What a shadowed name is, and what it means from here on.
fn shadowed(kind: Shadow) -> (&'static str, &'static str) {
    let own = "from here on this file means its own";
    match kind {
        Shadow::Called => (
            "a built-in function",
            "a call of this name still means the built-in function",
        ),
        Shadow::Builtin => ("a built-in function", own),
        Shadow::Library => ("a name of the library", own),
        Shadow::Loaded => ("a name of the library that is loaded", own),
    }
}
