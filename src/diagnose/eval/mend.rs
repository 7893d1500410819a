//! What was probably meant: for each cause the program with something that fits. What stands in the
//! wrong place becomes what is needed there by one table, [`Scene::as_needed`], wherever that is.

use super::quote::{counted, elements, letters, one_line, operand};
use super::scene::{Scene, Side};
use super::wrong::quoted;
use crate::base::suggest::nearest;
use crate::base::{Span, Suggestion, visible};
use crate::builtin::Builtin;
use crate::eval::Meta;
use crate::eval::fault::{Cause, Limit};
use crate::syntax::ast::ExprKind;
use crate::value::{Op, TypeSet, Value};

/// Atoms of a string or dict that are written out as a list.
const MOST_ITEMS: usize = 8;

/// What is needed where something else stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Needed {
    SOp,
    Selector,
    List,
    Int,
}

impl Scene<'_> {
    /// What something of the wrong kind becomes: why, and its new text.
    pub(super) fn as_needed(
        &self,
        meta: &Meta,
        text: &str,
        needed: Needed,
    ) -> Option<(String, String)> {
        let (why, fixed) = match (needed, meta) {
            (Needed::SOp | Needed::Int, Meta::List(items)) if is_single(items) => {
                ("for the element itself", items[0].repr())
            }
            (Needed::Int, Meta::List(_)) => (
                "for as many as the list has elements",
                format!("len({text})"),
            ),
            (Needed::Int, Meta::Atom(Value::Float(_))) => {
                ("the nearest int", format!("round({text})"))
            }
            (Needed::Int, Meta::Atom(value)) => ("write", unquoted(value)?),
            (Needed::SOp, Meta::List(items))
                if items.iter().any(|item| item.as_atom().is_none()) =>
            {
                let first = elements(text).into_iter().next();
                (
                    "for the first of them",
                    first.unwrap_or(format!("{}[0]", operand(text))),
                )
            }
            (Needed::SOp, Meta::List(items)) if !items.is_empty() => (
                "to give each position an element of the list",
                format!("{}[indices % {}]", operand(text), items.len()),
            ),
            (Needed::SOp, Meta::Selector(_)) => (
                "for how many keys are selected",
                format!("selector_width({text})"),
            ),
            (Needed::SOp, Meta::Function(callable)) => {
                let arguments = vec!["indices"; callable.single().len()].join(", ");
                (
                    "a function is used by calling it",
                    format!("{}({arguments})", operand(text)),
                )
            }
            (Needed::Selector, Meta::Scorer(_)) => (
                "to select the key with the highest score",
                format!("select_best(full_s, {text})"),
            ),
            (Needed::Selector, Meta::SOp(_)) if self.types(meta) != TypeSet::BOOL => (
                "to select the keys with an equal value",
                format!("select({text}, {text}, ==)"),
            ),
            (Needed::Selector, Meta::SOp(_) | Meta::Atom(_)) => (
                "to select the keys where it is true",
                format!("select({text}, True, ==)"),
            ),
            (Needed::List, Meta::SOp(_)) => ("write a list", format!("[{text}]")),
            (Needed::List, Meta::Atom(_) | Meta::Dict(_)) => {
                let atoms = match meta {
                    Meta::Atom(value) if value.is_number() => vec![value.clone()],
                    _ => meta.as_tokens()?,
                };
                if atoms.is_empty() || atoms.len() > MOST_ITEMS {
                    return None;
                }
                let items: Vec<String> = atoms.iter().map(Value::source).collect();
                ("write a list", format!("[{}]", items.join(", ")))
            }
            _ => return None,
        };
        Some((why.to_string(), fixed))
    }

    /// The expression with what is needed in the place of something else; or, where that was handed
    /// over, the call.
    pub(super) fn need(&self, (meta, at): &Side, needed: Needed) -> Option<Suggestion> {
        let (at, whole) = match self.argument(*at).filter(|_| self.in_library()) {
            Some(found) => found,
            None => (*at, self.whole),
        };
        let (why, fixed) = self.as_needed(meta, &self.written(at)?, needed)?;
        self.mend_in(whole, &why, vec![(at, fixed)])
    }

    /// What was probably meant.
    pub(super) fn meant(&self, cause: &Cause) -> Option<Suggestion> {
        let say = |text: &str| Some(Suggestion::from(text));
        match cause {
            Cause::Limit(Limit::Steps(_) | Limit::Nodes(_)) => {
                say("let loops run less often, like over `range(100)`")
            }
            Cause::Limit(Limit::Memory(_)) => {
                say("keep fewer or shorter lists and strings at the same time")
            }
            Cause::Limit(Limit::Loads(_)) => say("load each file once"),
            Cause::Limit(Limit::Elements(bound, _)) => match self.kind() {
                Some(ExprKind::Call { .. }) => {
                    Some(format!("the longest one is `range({bound})`").into())
                }
                _ => say("make a shorter list, like `range(100)`"),
            },
            Cause::Reserved(ident) => {
                let name = ident.name.to_lowercase();
                Some(format!("choose another name, like `my_{name}`").into())
            }
            Cause::NotCallable(meta) => self.called(meta),
            Cause::Arguments {
                called, callable, ..
            } => self.over_positions(called).or_else(|| {
                let usage = callable.usage(called);
                Some(format!("call it as `{usage}`").into())
            }),
            Cause::BuiltinArguments { builtin, wrong } => self.builtin_call(*builtin, wrong),
            Cause::Arity {
                callable: _,
                given,
                at,
            } => {
                let names = letters(*given);
                let first = names.first().map_or("indices", String::as_str);
                let function = format!("lambda {}: {first}", names.join(", "));
                let fixed = self.replaced(&[(*at, function)])?;
                Some(format!("with as many parameters: `{fixed}`").into())
            }
            Cause::BuiltinHandedOver(builtin, at) => self.mend_part("wrap it", *at, |_| {
                format!("lambda x: {}(x)", builtin.name())
            }),
            Cause::InputCount { .. } => {
                let applied = self.text(self.function()?)?;
                Some(format!("apply it to one input: `{applied}(\"hello\")`").into())
            }
            Cause::NoInput { applied, input } => self.input(applied.as_ref(), input),
            Cause::Operands { op, sides } => self.fitting(op, sides),
            Cause::Failed(failure, at) => self.of_failure(failure.kind, *at),
            Cause::SelectorOperand { sides, .. } => match sides {
                [(Meta::Selector(_), selector), (Meta::Scorer(_), scorer)]
                | [(Meta::Scorer(_), scorer), (Meta::Selector(_), selector)] => {
                    let (selector, scorer) = (self.written(*selector)?, self.written(*scorer)?);
                    let fixed = format!("select_best({selector}, {scorer})");
                    let what = "to select the best of these keys";
                    self.becomes(what, fixed)
                }
                _ => self.widths(sides),
            },
            Cause::SelectorAndOther { sides, .. } => {
                let other = sides
                    .iter()
                    .find(|(meta, _)| !matches!(meta, Meta::Selector(_)))?;
                match (self.in_library(), &other.0) {
                    // A condition beside a selector is meant as one, whatever its type.
                    (false, Meta::SOp(_)) => {
                        let what = "to select the keys where it is true";
                        self.mend_part(what, other.1, |text| format!("select({text}, True, ==)"))
                    }
                    _ => self.need(other, Needed::Selector),
                }
            }
            Cause::NoSOp(found) => self.sop(found),
            Cause::SelectorAsCondition(at) => {
                let what = "to ask at each position whether a key is selected";
                self.mend_part(what, *at, |selector| format!("has_focus({selector})"))
            }
            Cause::ComparesSOps => {
                say("compare the s-ops themselves, position by position: `a == b`")
            }
            Cause::StraySpread(_) => {
                say("hand over the list itself, or its elements by their index")
            }
            Cause::StrayOperator(comparison) => {
                let symbol = comparison.symbol();
                let function = format!("lambda a, b: a {symbol} b");
                self.becomes("to hand over a comparison write a function", function)
            }
            Cause::NotIndexable(meta) => self.unindexed(meta),
            Cause::BadIndex { container, index } => self.index(container, index),
            Cause::OutOfRange {
                index, length, at, ..
            } if *length > 0 => {
                let (which, nearest) = match *index < 0 {
                    true => ("first", "0"),
                    false => ("last", "-1"),
                };
                self.put(
                    &format!("for the {which} element"),
                    *at,
                    nearest.to_string(),
                )
            }
            Cause::NoKey {
                dict: Meta::Dict(dict),
                key: Value::Str(key),
                at,
            } => {
                let keys = dict.iter().filter_map(|(key, _)| match key {
                    Value::Str(text) => Some(&**text),
                    _ => None,
                });
                let meant = Value::str(nearest(key, keys)?).source();
                let message = format!("did you mean `{meant}`?");
                Some(Suggestion::edit(message, *at, meant))
            }
            Cause::NoTable(_) => say("choose between s-ops: `a if condition else b`"),
            Cause::NoLength => say("give the other `length` another name, like `my_length`"),
            Cause::Membership { sides } => self.membership(sides),
            Cause::NotIterable(side) | Cause::NotSpread(side) => self.iterated(side),
            Cause::NotSeveral {
                found: (item, _),
                count,
                element: Some(number),
            } if *number > 0 => same_count(item, *count),
            Cause::NotSeveral {
                found: (Meta::SOp(_), at),
                count,
                ..
            } => {
                let text = self.written(*at)?;
                let values = (0..(*count).min(4)).map(|k| format!("{text}[{k}]"));
                let values: Vec<String> = values.collect();
                let what = "for the values at the first positions";
                Some(format!("{what}: `{}`", values.join(", ")).into())
            }
            Cause::NotSeveral { .. } => say("a single value takes one name, like `a`"),
            Cause::Count {
                names,
                values,
                element,
                ..
            } => match element {
                Some((number, item)) if *number > 0 => same_count(item, *names),
                _ if *values == 1 => say("write one name, like `a`"),
                _ if (2..=6).contains(values) => {
                    let names = letters(*values).join(", ");
                    Some(format!("write {}, like `{names}`", counted(*values, "name")).into())
                }
                _ => Some(format!("write {}", counted(*values, "name")).into()),
            },
            Cause::DictKey(_) => say("write an atom as the key, like `{\"a\": 1}`"),
            Cause::NoComparison(id) => self.comparison(*id),
            Cause::KeysAndQueries { comparison, sides } => {
                self.fitting(&Op::Compare(*comparison), sides).or_else(|| {
                    let keys = self.written(sides[0].1)?;
                    self.put("compare what has one type", sides[1].1, keys)
                })
            }
            Cause::NoSelector(side) => self.selector(side),
            Cause::NoDefault { values, given } => self.default(values, given),
            Cause::NoScore(_) => {
                say("for example `score(indices, indices, lambda key, query: key)`")
            }
            Cause::ScoreTypes(_, counts, at)
            | Cause::PredicateArity { counts, at, .. }
            | Cause::PredicateResult { counts, at, .. } => self.with_parameters(*counts, *at),
            Cause::NotBest(selector, _) => say(match selector {
                true => "make one with `select(indices, indices, <=)`",
                false => "make one with `score(indices, indices, lambda key, query: key)`",
            }),
            Cause::Captured => say("hand it over among the keys or the queries, like \
                 `select((tokens, indices), tokens, lambda a, b, c: a == c and b > 0)`"),
            Cause::NoList(Builtin::Len, (Meta::SOp(_), _)) => {
                say("the length of the input is the s-op `length`")
            }
            Cause::NoList(builtin, found) => self.listed(*builtin, found),
            Cause::NoIndicator((meta, at)) => match meta {
                Meta::Atom(_) => {
                    let text = self.written(*at)?;
                    let what = "for an atom";
                    self.becomes(what, format!("1 if {text} else 0"))
                }
                Meta::Selector(_) => {
                    let what = "for whether any key is selected";
                    self.mend_part(what, *at, |text| format!("has_focus({text})"))
                }
                _ => None,
            },
            Cause::NoFunction(_) => {
                say("for example `zipmap((tokens, indices), lambda t, i: t == \"a\" and i > 0)`")
            }
            Cause::NoNumbers(side) => {
                let each = || {
                    let sop = self.written(side.1)?;
                    let fixed = format!("categorical({sop})");
                    self.becomes("each value for itself", fixed)
                };
                self.as_numbers(std::slice::from_ref(side)).or_else(each)
            }
            Cause::NoBound((Meta::SOp(_), _)) => say(
                "an s-op has no values until it is given an input; the positions of the input are \
                 the s-op `indices`",
            ),
            Cause::NoBound(side) => self.need(side, Needed::Int),
            Cause::StepZero => {
                say("count up with a positive step, down with a negative one: `range(5, 0, -1)`")
            }
            Cause::Lengths(lengths) => {
                let shortest = lengths.iter().map(|(length, _)| *length).min()?;
                let longer = lengths.iter().filter(|(length, _)| *length > shortest);
                let cut = longer.map(|(_, at)| {
                    let list = operand(&self.written(*at)?);
                    Some((*at, format!("[{list}[i] for i in range({shortest})]")))
                });
                self.mend(
                    "for the elements that all have",
                    cut.collect::<Option<_>>()?,
                )
            }
            Cause::NoTimes((Meta::SOp(_), _)) => {
                say("write a number that is enough for the longest input: `repeat 8 (…) { … }`")
            }
            Cause::NotCarried(ident) => {
                let name = &ident.name;
                Some(format!("set it in the body, or define it before: `{name} = …;`").into())
            }
            Cause::CarriedTwice(_) => say("carry each name once"),
            Cause::NoLongest(_) => say("write a number of tokens: `set max_length 8`"),
            Cause::NoVocabulary(_) => {
                say("write at least one token: `set vocab \"abc\"` or `set vocab [1, 2]`")
            }
            Cause::NotLoaded { path, .. } => self.module(path),
            Cause::Cycle { files, .. } => say(match files.as_slice() {
                [_, _] => "remove this `load`",
                _ => "move what both need into a third file and load that from both",
            }),
            Cause::LoadedErrors { file, .. } => {
                let file = visible::name(file);
                Some(format!("mend them first; `rasp check {file}` shows them alone").into())
            }
            Cause::Unmet(values) => self.right_value(values),
            Cause::NoTruth((_, at)) => {
                let condition = operand(&self.written(*at)?);
                let what = "say on which input, and what it gives there";
                Some(format!("{what}, like `assert {condition}(\"ab\") == …;`").into())
            }
            _ => None,
        }
    }

    /// Something else that an s-op is made of; each of several that are wrong.
    fn sop(&self, found: &Side) -> Option<Suggestion> {
        let Some(ExprKind::Ternary {
            then, otherwise, ..
        }) = self.kind()
        else {
            return match self.compared_by_function(found) {
                Some(help) => Some(help),
                None => self.need(found, Needed::SOp),
            };
        };
        // Of two branches the other may be one, too.
        let other = [*then, *otherwise].map(|id| self.span(id));
        let selector = |at: &Span| *at == found.1 || self.static_selector(*at);
        let widths = other.into_iter().filter(selector);
        let widths = widths.map(|at| Some((at, format!("selector_width({})", self.written(at)?))));
        match found.0 {
            Meta::Selector(_) => self.mend(
                "for how many keys are selected",
                widths.collect::<Option<_>>()?,
            ),
            _ => self.need(found, Needed::SOp),
        }
    }

    fn widths(&self, sides: &[Side]) -> Option<Suggestion> {
        let selectors = sides
            .iter()
            .filter(|(meta, _)| matches!(meta, Meta::Selector(_)));
        let (selectors, whole) = match selectors.clone().find_map(|(_, at)| self.argument(*at)) {
            Some((at, call)) if self.in_library() => (vec![at], call),
            _ => (selectors.map(|(_, at)| *at).collect(), self.whole),
        };
        let width = |at: Span| Some((at, format!("selector_width({})", self.written(at)?)));
        let edits = selectors.into_iter().map(width).collect::<Option<_>>()?;
        self.mend_in(whole, "for how many keys are selected", edits)
    }
}

/// An element of a loop with as many values as those before it.
pub(super) fn same_count(item: &Meta, count: usize) -> Option<Suggestion> {
    let parts = match item {
        Meta::List(items) => items,
        single => std::slice::from_ref(single),
    };
    let sources = parts.iter().map(|part| part.as_atom().map(Value::source));
    let mut sources = sources.collect::<Option<Vec<String>>>()?;
    sources.resize(count, "0".to_string());
    let fixed = one_line(&format!("[{}]", sources.join(", ")))?;
    Some(format!("give every element {count} values: `{fixed}`").into())
}

pub(super) fn is_single(items: &[Meta]) -> bool {
    items.len() == 1 && items[0].as_atom().is_some()
}

/// The number that a string holds, as it is typed.
pub(super) fn unquoted(value: &Value) -> Option<String> {
    let Value::Str(text) = value else { return None };
    let digits = text
        .chars()
        .all(|part| part.is_ascii_digit() || "+-.".contains(part));
    let number = text.parse::<f64>().ok().filter(|_| digits);
    number.map(|_| text.trim_start_matches('+').to_string())
}

/// A literal of the other type than a value: for a string a number, for a number a string.
pub(super) fn of_other_type(value: &Value) -> String {
    match value {
        Value::Str(_) => "-1".to_string(),
        number => quoted(number),
    }
}
