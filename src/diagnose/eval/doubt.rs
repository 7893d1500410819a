//! Doubts in words: what is evaluated all right, but probably is not what was meant.

use super::mend::of_other_type;
use super::quote::{mended, written};
use super::scene::{Scene, Side};
use crate::base::{Code, Diagnostic, Span, Suggestion};
use crate::eval::Meta;
use crate::eval::fault::{Apart, Doubt, Mixture, Shadow, TypedPart};
use crate::syntax::ast::{ExprKind, Ident, Name};
use crate::syntax::parse_expression;
use crate::value::{Comparison, TypeSet, Value};

impl Scene<'_> {
    /// A warning of something doubtful at the whole.
    pub(super) fn doubted(&self, doubt: &Doubt) -> Diagnostic {
        match doubt {
            Doubt::Constant { op, sides, answer } => {
                let answer = if *answer { "True" } else { "False" };
                let written = self.written(self.whole);
                let written = written.map_or(format!("this `{op}`"), |text| format!("`{text}`"));
                let message = format!("{written} is {answer} at every position of every input");
                let warning = Diagnostic::warning(Code::ConstantComparison, message);
                let label = |warning: Diagnostic, (meta, at): &Side| {
                    warning.at(*at, format!("this is {}", self.describe(meta)))
                };
                let help = match sides {
                    [(Meta::SOp(_), left), (Meta::List(_), right)] => {
                        let texts = self.written(*left).zip(self.written(*right));
                        texts.and_then(|(left, right)| {
                            let fixed = vec![(self.whole, format!("{left} in {right}"))];
                            self.mend("to look it up in the list", fixed)
                        })
                    }
                    _ => self.equal_types(sides),
                };
                sides.iter().fold(warning, label).maybe_help(help)
            }
            Doubt::ConstantSide { op, sides } => {
                let constant = |(meta, _): &&Side| matches!(meta, Meta::Atom(value) if !matches!(value, Value::Bool(_)));
                let (meta, at) = sides.iter().find(constant).unwrap_or(&sides[0]);
                let truth = if meta.truthy() { "true" } else { "false" };
                let message =
                    format!("a side of this `{op}` is {truth} at every position of every input");
                Diagnostic::warning(Code::ConstantComparison, message)
                    .at(*at, format!("this is always {truth}"))
                    .maybe_help(self.compared_too(sides, *at))
            }
            Doubt::ConstantSelector { comparison, sides } => {
                let what = match comparison {
                    Comparison::Equal => "selects no key",
                    _ => "selects every key",
                };
                let message =
                    format!("this selector {what} on every input: a string never equals a number");
                let [keys, queries] = sides.each_ref().map(|(meta, _)| self.describe(meta));
                Diagnostic::warning(Code::ConstantComparison, message)
                    .at(sides[0].1, format!("the keys are {keys}"))
                    .at(sides[1].1, format!("the queries are {queries}"))
                    .maybe_help(self.equal_types(sides))
            }
            Doubt::ConstantMembership {
                items,
                sides: [left, right],
            } => {
                let held = if items[0].is_number() {
                    "numbers"
                } else {
                    "strings"
                };
                let quoted = items
                    .iter()
                    .map(|item| Value::str(&item.to_string()).source());
                let list = format!("[{}]", quoted.collect::<Vec<_>>().join(", "));
                let strings = self.is_string(&left.0) && items.len() <= 8;
                let help = strings.then(|| self.put("compare with strings", right.1, list));
                let message = "this `in` is False at every position of every input";
                Diagnostic::warning(Code::ConstantComparison, message)
                    .at(left.1, format!("this is {}", self.describe(&left.0)))
                    .at(right.1, format!("the list holds {held} only"))
                    .maybe_help(help.flatten())
            }
            Doubt::Mixed { kind, parts, calls } => self.mixed(kind, parts, calls),
            Doubt::Shadowed { ident, kind } => shadowed(ident, *kind),
            Doubt::Replaced { names, file } => self.names_replaced(names, file),
        }
    }

    /// Names of the program that a loaded file gives another meaning.
    fn names_replaced(&self, names: &[(Name, Span)], file: &str) -> Diagnostic {
        let quoted: Vec<String> = names.iter().map(|(name, _)| format!("`{name}`")).collect();
        let (replaced, means) = match names {
            [_] => (quoted.concat(), "it means"),
            _ => (quoted.join(", "), "they mean"),
        };
        let message = format!("this load replaces {replaced} of your program");
        let meant = format!("from here on {means} what {file} says");
        let warning = Diagnostic::warning(Code::ReplacedName, message).at(self.whole, meant);
        let made = |warning: Diagnostic, (name, at): &(Name, Span)| {
            warning.at(*at, format!("your own `{name}`"))
        };
        let shown = names.iter().take(3);
        shown
            .fold(warning, made)
            .help("load the file before you define the name, or choose another name")
    }

    /// A side of `and` or `or` that stands for a comparison: `x == "a" or "b"`.
    fn compared_too(&self, sides: &[Side; 2], at: Span) -> Option<Suggestion> {
        let (_, other) = sides.iter().find(|(_, other)| *other != at)?;
        let text = self.written(*other)?;
        let (parsed, root) = parse_expression(other.source, &text, &self.evaluator.limits);
        match &parsed.ast.get(root?).kind {
            ExprKind::Binary {
                operator: crate::syntax::ast::BinaryOperator::Compare(_),
                right,
                ..
            } => {
                let compared = text[..parsed.ast.get(*right).span.start as usize].trim_end();
                self.mend_part("to compare with it too", at, |text| {
                    format!("{compared} {text}")
                })
            }
            _ => self.becomes("leave it out", text),
        }
    }

    /// An equality of strings and numbers, which never holds: the same on one type.
    fn equal_types(&self, sides: &[Side; 2]) -> Option<Suggestion> {
        let numeric = sides.iter().find_map(|(meta, _)| match meta {
            Meta::Atom(Value::Bool(_)) => Some(("bools", "tokens_bool")),
            Meta::Atom(Value::Float(_)) => Some(("numbers", "tokens_float")),
            _ => None,
        });
        let (types, name) = numeric.unwrap_or(("numbers", "tokens_int"));
        let tokens = sides.iter().find(|(meta, _)| self.is_tokens(meta));
        let converted = tokens.and_then(|(_, at)| {
            let what = format!("compare the tokens as {types}");
            self.put(&what, *at, name.to_string())
        });
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

    /// Numbers and strings in one s-op.
    fn mixed(&self, kind: &Mixture, parts: &[TypedPart; 2], calls: &[(Name, Span)]) -> Diagnostic {
        let called = |part: usize, strings: bool| match (kind, part, strings) {
            (Mixture::Branches, _, false) => "this branch is of numbers",
            (Mixture::Branches, _, true) => "this branch is of strings",
            (_, 0, false) => "the default is a number",
            (_, 0, true) => "the default is a string",
            (_, _, false) => "the values are numbers",
            (_, _, true) => "the values are strings",
        };
        let what = match kind {
            Mixture::Branches => "the branches of this choice",
            Mixture::Default { .. } => "the default and the values",
        };
        let mut warning = Diagnostic::warning(
            Code::MixedDefault,
            format!("{what} mix numbers and strings"),
        );
        for (number, part) in parts.iter().enumerate() {
            warning = warning.at(part.at, called(number, part.types == TypeSet::STR));
        }
        warning = warning.note("an input on which both occur in one s-op has no value");
        warning = super::with_path(warning, calls);
        let literal = || {
            let fixed = of_other_type(parts[0].literal.as_ref()?);
            let kind = if parts[1].types == TypeSet::STR {
                "strings"
            } else {
                "numbers"
            };
            self.put(&format!("for {kind} in both"), parts[0].at, fixed)
        };
        let help = match kind {
            Mixture::Default {
                apart: Some(apart), ..
            } if mixes(apart) => self.apart(apart),
            Mixture::Default { made, .. } => self.default_in_call(*made, calls).or_else(literal),
            Mixture::Branches => literal(),
        };
        warning.maybe_help(help.filter(|_| !self.in_library() || !calls.is_empty()))
    }

    /// Several s-ops that no single default fits, aggregated one by one.
    fn apart(&self, apart: &Apart) -> Option<Suggestion> {
        let selector = self.written(apart.selector)?;
        let part = |(at, strings): &(Span, bool)| {
            let default = if *strings { "\"\"" } else { "0" };
            Some(format!(
                "aggregate({selector}, {}, {default})",
                self.written(*at)?
            ))
        };
        let parts = apart.values.iter().map(part).collect::<Option<Vec<_>>>()?;
        let fixed = format!("({})", parts.join(", "));
        self.becomes("each with a default of its own", fixed)
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

fn mixes(apart: &Apart) -> bool {
    let strings = apart.values.iter().filter(|(_, strings)| *strings).count();
    strings > 0 && strings < apart.values.len()
}

fn shadowed(ident: &Ident, kind: Shadow) -> Diagnostic {
    let own = "from here on this file means its own";
    let (what, meant) = match kind {
        Shadow::Called => (
            "a built-in function",
            "a call of this name still means the built-in function",
        ),
        Shadow::Builtin => ("a built-in function", own),
        Shadow::Library => ("a name of the library", own),
        Shadow::Loaded => ("a name of the library that is loaded", own),
    };
    Diagnostic::warning(Code::ShadowedLibrary, format!("`{}` is {what}", ident.name))
        .at(ident.span, meant)
        .help(format!("choose another name, like `my_{}`", ident.name))
}
