//! Doubts in words: what is evaluated all right, but probably is not what was meant.

use super::input::other_default;
use super::meant::quoted;
use super::quote::elements;
use super::scene::{Scene, Side};
use super::with_path;
use crate::base::{Code, Diagnostic, Span, Suggestion};
use crate::eval::Meta;
use crate::eval::fault::{Doubt, Doubtful, Shadow};
use crate::graph::SOp;
use crate::syntax::ast::{BinaryOperator, ExprId, Name};
use crate::value::{Comparison, TypeSet, Value};

/// Comparisons that people join by `or`; a longer chain is no slip.
const JOINED: usize = 16;

impl Scene<'_> {
    /// A warning of something doubtful at the whole, unless another tells of it.
    pub(super) fn doubted(&self, doubt: &Doubt) -> Option<Diagnostic> {
        let sides = doubt.sides.as_slice();
        let kind = |(meta, _): &Side| self.describe(meta);
        let [left, right] = [0, 1].map(|side| sides.get(side).map_or(String::new(), kind));
        let at = |side: usize| sides.get(side).map_or(self.whole, |(_, at)| *at);
        let string = |side| matches!(sides.get(side), Some((meta, _)) if self.is_string(meta));
        let [first, second] = [0, 1].map(|side| if string(side) { "string" } else { "number" });
        let warning = rules! { &doubt.kind;
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
                where quoted = items.iter().map(quoted).collect::<Vec<_>>().join(", ");
                warning!(ConstantComparison, "this `in` is False at every position of every input"),
                at at(0), "this is {left}",
                at at(1), ("the list holds {} only", if items[0].is_number() { "numbers" } else { "strings" }),
                mend self.put("compare with strings", at(1), format!("[{quoted}]"))
                    .filter(|_| string(0) && items.len() <= 8);
            Doubtful::Made(made) =>
                where (string, input) = self.taken_as_input(made, sides)?;
                warning!(ConstantComparison, "this is the same for all tokens"),
                at string, "a string is one value, the same at every position",
                mend input;
            Doubtful::Branches =>
                warning!(MixedDefault, "the branches of this choice mix numbers and strings"),
                at at(0), "this branch is of {first}s",
                at at(1), "this branch is of {second}s",
                note "an input on which both occur in one s-op has no value",
                mend self.branches();
            Doubtful::Default { made, values } =>
                warning!(MixedDefault, "the default and the values mix numbers and strings"),
                at at(0), "the default is a {first}",
                at at(1), "the values are {second}s",
                note "an input on which both occur in one s-op has no value",
                mend self.other_default(*made, values, &doubt.calls);
            Doubtful::Shadowed(ident, kind) =>
                where name = &ident.name;
                where what = match kind {
                    Shadow::Called | Shadow::Builtin => "a built-in function",
                    Shadow::Library => "a name of the library",
                    Shadow::Loaded => "a name of the library that is loaded",
                };
                where meant = match kind {
                    Shadow::Called => "a call of this name still means the built-in function",
                    Shadow::Builtin | Shadow::Library | Shadow::Loaded =>
                        "from here on this file means its own",
                };
                warning!(ShadowedLibrary, "`{name}` is {what}"),
                at ident.span, "{meant}",
                help "choose another name, like `my_{name}`";
            Doubtful::Replaced(names, file) =>
                where quoted = names.iter().map(|(name, _)| format!("`{name}`"));
                where quoted = quoted.collect::<Vec<_>>().join(", ");
                where means = if names.len() == 1 { "it means" } else { "they mean" };
                warning!(ReplacedName, "this load replaces {quoted} of your program"),
                at self.whole, "from here on {means} what {file} says",
                each (name, at) in names.iter().take(3) => *at, "your own `{name}`",
                help "load the file before you define the name, or choose another name";
        };
        Some(with_path(warning, &doubt.calls))
    }

    /// The string that is all that an s-op is made of, which reads no tokens; and a call on it as an input.
    fn taken_as_input(&self, made: &Meta, sides: &[Side]) -> Option<(Span, Option<Suggestion>)> {
        let Meta::SOp(sop) = made else { return None };
        let graph = &self.evaluator.graph;
        let (_, string) = *sides
            .iter()
            .find(|(meta, _)| matches!(meta, Meta::Atom(Value::Str(_))))?;
        let mut read = graph.reachable(&[*sop]).into_iter();
        let is_alone = sides.iter().all(|(meta, _)| matches!(meta, Meta::Atom(_)));
        (is_alone && !read.any(|id| matches!(graph.get(id), SOp::Tokens))).then(|| {
            let called = format!(
                "{}({})",
                self.with(string, "tokens".into()),
                self.say(string)
            );
            (
                string,
                self.put("to run it on this input", self.whole, called),
            )
        })
    }

    /// An s-op that is compared with a list.
    fn looked_up(&self, sides: &[Side]) -> Option<Suggestion> {
        mends! { self, sides;
            [(Meta::SOp(_), left), (Meta::List(_), right)] =>
                "to look it up in the list", ("{} in {}", self.say(*left), self.say(*right));
        }
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
        let ast = &self.site.ast;
        let beside = ast.ids().any(|id| match ast.binary(id) {
            Some((left, BinaryOperator::In, right)) => [left, right]
                .map(|side| self.span(side))
                .contains(&self.whole),
            _ => false,
        });
        let other = sides.iter().find(|(_, other)| other != at)?;
        (!beside).then(|| (*at, other, meta.truthy()))
    }

    /// A side of `and` or `or` that stands for a comparison: `x == "a" or "b"`.
    fn compared_too(&self, (meta, other): &Side, at: Span) -> Option<Suggestion> {
        let Some((left, right)) = self.last_compared(self.part(*other)?) else {
            let is_condition = self.types(meta) == TypeSet::BOOL;
            return match (meta.as_atom(), is_condition) {
                (Some(_), _) => Some(Suggestion::from(format!(
                    "to compare with each of them write `{} in [{}, {}]`",
                    self.compared_with_whole().unwrap_or("x".to_string()),
                    self.say(at),
                    self.say(*other)
                ))),
                (None, true) => self.put("leave it out", self.whole, self.say(*other)),
                (None, false) => None,
            };
        };
        let (start, end) = (self.span(left).start, self.span(right).start);
        let compared = self.say(Span {
            start,
            end,
            ..*other
        });
        self.mend_each("to compare with it too", [at], |text| {
            format!("{} {text}", compared.trim_end())
        })
    }

    /// The sides of the last comparison of some that are joined, as far as people join them.
    fn last_compared(&self, mut id: ExprId) -> Option<(ExprId, ExprId)> {
        for _ in 0..JOINED {
            let (left, operator, right) = self.site.ast.binary(id)?;
            if !matches!(operator, BinaryOperator::And | BinaryOperator::Or) {
                break;
            }
            id = match self.comparison(right) {
                Some(_) => right,
                None => left,
            };
        }
        self.comparison(id).map(|(left, _, right)| (left, right))
    }

    /// What the whole is compared with, in brackets.
    fn compared_with_whole(&self) -> Option<String> {
        let sides = self.site.ast.ids().filter_map(|id| self.comparison(id));
        let text = |at: Span| self.say(at).trim_matches(['(', ')', ' ']).to_string();
        let is_whole = |side: Span| side.end >= self.whole.end && text(side) == text(self.whole);
        let mut compared = sides.filter(|(.., right)| is_whole(self.span(*right)));
        compared.next().map(|(left, ..)| self.say(self.span(left)))
    }

    /// An equality of strings and numbers, which never holds: the same on one type.
    fn equal_types(&self, sides: &[Side]) -> Option<Suggestion> {
        let numeric = sides.iter().find_map(|(meta, _)| match meta.as_atom()? {
            Value::Bool(_) => Some(("bools", "tokens_bool")),
            Value::Float(_) => Some(("numbers", "tokens_float")),
            Value::Int(_) | Value::Str(_) => None,
        });
        let condition =
            |(meta, _): &&Side| matches!(meta, Meta::SOp(_)) && self.types(meta) == TypeSet::BOOL;
        if self.function().is_some()
            && !self.in_library()
            && let Some((_, at)) = sides.iter().find(condition)
        {
            let fixed = format!("select({}, True, ==)", self.say(*at));
            return self.put("to select the keys where it is true", self.whole, fixed);
        }
        let (types, name) = numeric.unwrap_or(("numbers", "tokens_int"));
        let tokens = sides.iter().find(|(meta, _)| self.is_tokens(meta));
        let converted = |what: &str| {
            let (_, at) = tokens?;
            self.put(&format!("{what} the tokens as {types}"), *at, name)
        };
        let text = self.as_text("compare with a string", sides);
        text.map(|help| Suggestion {
            message: help.message + &converted(", or").map_or(String::new(), |it| it.message),
            ..help
        })
        .or_else(|| converted("compare"))
        .or_else(|| self.as_numbers(sides))
        .or_else(|| self.of_the_tokens(sides))
        .or_else(|| {
            let compared = self.written(self.whole)?;
            let fixed = format!("not ({})", compared.strip_prefix("not ")?);
            self.put("the comparison first", self.whole, fixed)
        })
    }

    /// A default of the type of the values: for each of several s-ops, in the call that gave it, or
    /// here.
    fn other_default(
        &self,
        made: Span,
        values: &Meta,
        calls: &[(Name, Span)],
    ) -> Option<Suggestion> {
        if self.mixes(values) {
            return self.aggregated_apart(values);
        }
        let evaluator = self.evaluator;
        let mut users = calls.iter().rev().map(|(_, call)| *call);
        let call = users.find(|call| {
            !evaluator.is_library(*call) && (call.contains(made) || evaluator.is_library(made))
        });
        match call {
            Some(call) if call.contains(made) => {
                let other = other_default(&self.say(made)).to_string();
                let what = "give a default of the type of the values";
                self.mend_places(what, vec![((made, call), other)])
            }
            // The default of the library's function itself.
            _ => {
                let site = evaluator.site_at(call.unwrap_or(self.whole));
                Scene::new(evaluator, &site, &[]).meant_on_input(Code::MixedTypes, &[])
            }
        }
    }

    /// Whether several s-ops are written out of which some are of strings.
    fn mixes(&self, values: &Meta) -> bool {
        let ([_, _, over, _], Meta::List(items)) = (self.parts(), values) else {
            return false;
        };
        let strings = items.iter().filter(|item| self.is_string(item)).count();
        strings > 0 && strings < items.len() && elements(&over).len() == items.len()
    }
}
