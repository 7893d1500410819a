//! What was probably meant: for each cause rows with what to write instead, as a text of the whole or
//! of a part. Rules that look around are methods, in the files named after the themes.

use super::cause::is_selector;
use super::quote::{counted, elements, letters, operand};
use super::scene::{Scene, Side, kinds};
use crate::base::suggest::nearest;
use crate::base::{Span, Suggestion};
use crate::builtin::{Builtin, find};
use crate::eval::Meta;
use crate::eval::fault::{Argument, Cause};
use crate::syntax::ast::{ExprId, ExprKind};
use crate::value::{Failure, Op, TypeSet, Value};

/// Atoms of a string or dict that are written out as a list.
const MOST_ITEMS: usize = 8;

/// The comparisons, as `select` takes them.
const SIGNS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];

/// What is needed where something else stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Needed {
    SOp,
    Selector,
    List,
    Int,
}

impl Scene<'_> {
    /// What to write so that it does not happen. Of a call `{f}` is what is called and `{a}`, `{b}` and
    /// `{c}` are its arguments; of an index `{f}` is what is indexed, by `{a}`.
    pub(super) fn meant(&self, cause: &Cause) -> Option<Suggestion> {
        let [f, a, b, c] = &self.parts();
        let single = self.arguments().len() == 1;
        mends! { self, cause;
            Cause::NotCallable(Meta::List(items)) if single && holds_more(items, a) =>
                "for the first of them", "{f}[0]({a})";
            Cause::NotCallable(Meta::List(_) | Meta::Dict(_)) if single && a.parse::<i64>().is_err() =>
                say "for an element: `{f}[{a}]`";
            Cause::NotCallable(Meta::List(_) | Meta::Dict(_)) if single => "for an element", "{f}[{a}]";
            Cause::NotCallable(Meta::Atom(Value::Str(_))) if single => "for a character", "{f}[0]";
            Cause::NotCallable(Meta::Atom(_)) if single && !self.takes_scores() =>
                say "to multiply write `{f} * {a}`";
            Cause::NotCallable(Meta::Atom(_)) if single => "to multiply", "{f} * {a}";
            // Of the library's functions, which take two.
            Cause::Arguments { called, .. }
                if matches!(&**called, "max" | "min") && self.takes_scores() =>
                where (most, sign) = if &**called == "max" { ("largest", "") } else { ("smallest", "-") };
                "for the {most} over all positions",
                "aggregate(select_best(full_s, score({a}, {a}, lambda key, query: {sign}key)), {a})";
            Cause::Arguments { called, .. }
                if matches!(&**called, "max" | "min") && self.takes_letters() =>
                where most = if &**called == "max" { "largest" } else { "smallest" };
                say "for the {most} over all positions: `{most}({a})`, after `load \"sorting\";`";
            Cause::Arguments { called, .. } if single && &**called == "sort" =>
                "to sort it by its own values", "sort({a}, {a})";
            Cause::Arguments { called, callable, .. } =>
                say ("call it as `{}`", callable.usage(called));
            Cause::BuiltinArguments(builtin, wrong) => else self.builtin_call(*builtin, wrong);
            Cause::Arity(_, given, at) =>
                where names = letters(*given);
                where (listed, first) = (names.join(", "), names.first().map_or("indices", |a| a));
                say ("with as many parameters: `{}`",
                    self.with(*at, format!("lambda {listed}: {first}")));
            Cause::BuiltinHandedOver(builtin, at) => at _ = *at;
                "wrap it", ("lambda x: {}(x)", builtin.name());
            Cause::InputCount(..) => say "apply it to one input: `{f}(\"hello\")`";
            // `set example hello`
            Cause::NoInput(None, (Meta::SOp(_) | Meta::Function(_), at)) if self.is_word(*at) =>
                say ("a string stands in quotes: `{}`", Value::str(&self.say(*at)).source());
            Cause::NoInput(None, _) => say "write an input, like `\"hello\"` or `[1, 2, 3]`";
            Cause::NoInput(Some(Meta::SOp(_)), (Meta::Atom(Value::Int(_)), _)) =>
                say "for the value at position {a}: `{f}[{a}]`; for this single token: `{f}([{a}])`";
            Cause::NoInput(Some(Meta::SOp(_)), (Meta::SOp(_), _)) if self.own_for_library(f).is_some() =>
                else self.own_for_library(f);
            Cause::NoInput(Some(Meta::SOp(_)), (Meta::SOp(_), _)) =>
                say "an s-op is not a function of others: write `{f}` alone";
            Cause::NoInput(_, (values @ Meta::SOp(_), _)) if self.is_string(values) =>
                say "to read values through a selector of one key each: `aggregate({f}, {a})`";
            Cause::NoInput(_, (Meta::SOp(_), _)) =>
                "to read values through a selector", "aggregate({f}, {a})";
            Cause::NoInput(_, (Meta::Atom(value), _)) if !matches!(value, Value::Str(_)) =>
                "for this single token", "{f}([{a}])";
            Cause::NoInput(..) => say "write an input, like `{f}(\"hello\")`";

            Cause::Operands { op, sides } => else self.fitting(op, sides);
            // What no int can hold, as the float that it is.
            Cause::Failed(Failure::LargeInt(_) | Failure::Overflow(..), at) if self.function().is_some() =>
                "a float this large has no fraction", ("{}", self.say(*at));
            Cause::Failed(Failure::Overflow("^", of, _), _) if !is_a_float(of) => else None;
            Cause::Failed(Failure::Overflow(..), _) => else self.float();
            Cause::Failed(..) => else self.guard();
            Cause::SelectorOperand(
                _, [(Meta::Selector(_), keys), (Meta::Scorer(_), scorer)]
                    | [(Meta::Scorer(_), scorer), (Meta::Selector(_), keys)],
            ) =>
                where (keys, scorer) = (self.say(*keys), self.say(*scorer));
                "to select the best of these keys", "select_best({keys}, {scorer})";
            // No number goes with strings or lists.
            Cause::SelectorOperand(_, sides) if !sides.iter().all(|side| self.may_be_number(side)) =>
                else None;
            Cause::SelectorOperand(_, sides) => else self.widths(sides);
            // A condition beside a selector is meant as one, if it can be.
            Cause::SelectorAndOther(
                _, [(meta @ Meta::SOp(_), at), (Meta::Selector(_), _)]
                    | [(Meta::Selector(_), _), (meta @ Meta::SOp(_), at)],
            ) if !self.in_library() && self.types(meta) == TypeSet::BOOL => at it = *at;
                "to select the keys where it is true", "select({it}, True, ==)";
            Cause::SelectorAndOther(
                _, [other, (Meta::Selector(_), _)] | [(Meta::Selector(_), _), other],
            ) => else self.need(other, Needed::Selector);
            Cause::NoSOp((Meta::Function(_), _)) if &**f == "zipmap" && self.arguments().len() == 2 =>
                "the function comes last", "zipmap({b}, {a})";
            Cause::NoSOp(side) => else self.sop(side);
            Cause::SelectorAsCondition(at) => at it = *at;
                "to ask at each position whether a key is selected", "has_focus({it})";
            Cause::StrayOperator(comparison) =>
                say ("to hand over a comparison write a function: `lambda a, b: a {} b`",
                    comparison.symbol());

            Cause::NotIndexable(Meta::Selector(_)) if a.parse::<i64>().is_err() => else None;
            Cause::NotIndexable(Meta::Selector(_)) => "for whether each position selects position {a}",
                "aggregate({f}, indicator(indices == {a})) > 0";
            // The library's functions are of s-ops.
            Cause::NotIndexable(Meta::Function(callable))
                if callable.definition().is_some_and(|at| self.evaluator.is_library(at)) =>
                where given = vec!["tokens"; callable.single().len()].join(", ");
                "call it first", "{f}({given})[{a}]";
            Cause::NotIndexable(Meta::Function(_)) => "call it", "{f}({a})";
            Cause::BadIndex(Meta::SOp(_), (index @ Meta::SOp(_), _)) if self.is_string(index) =>
                else None;
            Cause::BadIndex(values @ Meta::SOp(_), (index @ Meta::SOp(_), _))
                if self.types(index) == TypeSet::BOOL =>
                where default = if self.is_string(values) { ", \"\"" } else { "" };
                "to fetch from where it is true", "aggregate(select({a}, True, ==), {f}{default})";
            Cause::BadIndex(values @ Meta::SOp(_), (Meta::SOp(_), _)) =>
                where default = if self.is_string(values) { ", \"\"" } else { "" };
                "to fetch from a computed position",
                "aggregate(select(indices, {a}, ==), {f}{default})";
            Cause::BadIndex(Meta::SOp(_), (Meta::Atom(Value::Str(_)), _)) if self.is_list_beside(f) =>
                "to hand over a list, too", "{f}, [{a}]";
            Cause::BadIndex(Meta::SOp(_), (Meta::Atom(Value::Str(_)), _)) =>
                "to ask where it is", "{f} == {a}";
            Cause::BadIndex(Meta::Dict(dict), _) =>
                say ("write a key, like `{}`", dict.iter().next()?.0.source());
            Cause::BadIndex(_, (Meta::List(items), _)) if !is_single(items) => else None;
            Cause::BadIndex(_, (Meta::Atom(Value::Str(_)), _)) => else None;
            Cause::BadIndex(_, index @ (Meta::Atom(_), _)) =>
                else self.need(index, Needed::Int).map(Suggestion::plain);
            Cause::BadIndex(_, index) => else self.need(index, Needed::Int);
            Cause::OutOfRange { index: ..0, length: 1.., at, .. } =>
                say ("the first element is `{}`", self.with(*at, "0".to_string()));
            Cause::OutOfRange { length: 1.., at, .. } =>
                say ("the last element is `{}`", self.with(*at, "-1".to_string()));
            Cause::NoKey(dict, Value::Str(key), at) => else nearest_key(dict, key).map(|meant| {
                Suggestion::edit(format!("did you mean `{meant}`?"), *at, meant)
            });
            Cause::Membership([(Meta::SOp(_), left), (Meta::List(_), right)]) =>
                where member = operand(&self.say(*left));
                where each = elements(&self.say(*right)).into_iter();
                where each = each.map(|element| format!("{member} == {}", operand(&element)));
                where each = each.collect::<Vec<_>>().join(" or ");
                else self.put("for s-ops compare one by one", self.whole, &*each)
                    .filter(|_| !each.is_empty()).map(Suggestion::plain);
            Cause::Membership([(Meta::SOp(_), left), (Meta::SOp(_), right)]) =>
                "to ask whether any position has it", ("has_focus(select({}, {}, ==))",
                    self.say(*right), self.say(*left));
            Cause::Membership([(Meta::SOp(_) | Meta::Atom(_), _), (Meta::Selector(_), _)]) =>
                "for whether each position selects a key", "has_focus({a})";
            Cause::Membership([(Meta::SOp(_) | Meta::Atom(_), _), right]) =>
                else self.need(right, Needed::List);
            Cause::Membership(_) => say "ask it of an s-op or an atom, like `tokens in [\"a\", \"b\"]`";
            Cause::NotSpread(side) | Cause::NotIterable(side) => else self.iterated(side);
            Cause::NotSeveral { count, element: Some(1..), .. }
                | Cause::Count { names: count, element: Some(1..), .. } =>
                say "give every element {count} values, like the first";
            Cause::NotSeveral { found: (Meta::SOp(_), at), count, .. } =>
                where text = self.say(*at);
                where values = (0..*count.min(&4)).map(|k| format!("{text}[{k}]"));
                say ("for the values at the first positions: `{}`", values.collect::<Vec<_>>().join(", "));
            Cause::NotSeveral { .. } => say "a single value takes one name, like `a`";
            Cause::Count { values, .. } =>
                where (count, names) = (counted(*values, "name"), letters(*values).join(", "));
                where like = match values {
                    1..=6 => format!(", like `{names}`"),
                    _ => String::new(),
                };
                say "write {count}{like}";

            Cause::NoComparison(_) if SIGNS.contains(&&**a) =>
                "the comparison comes last", "select({b}, {c}, {a})";
            Cause::NoComparison(_) if SIGNS.contains(&&**b) =>
                "the comparison comes last", "select({a}, {c}, {b})";
            Cause::NoComparison(id) => at _ = self.span(*id);
                where unquoted = c.trim_matches(['"', '\'']);
                "write", ("{}", SIGNS.iter().find(|sign| **sign == unquoted).unwrap_or(&"=="));
            Cause::KeysAndQueries(comparison, sides @ [keys, queries]) =>
                else self.fitting(&Op::Compare(*comparison), sides)
                    .or_else(|| self.put("compare what has one type", queries.1, self.say(keys.1)));
            Cause::NoSelector((_, at), _) if self.swapped().is_some() =>
                where values = self.swapped()?;
                else self.mend("write", [(*at, b.clone()), (values, a.clone())]);
            // A selector of several keys would fail, too.
            Cause::NoSelector(_, values)
                if !matches!(kinds(self.types(values)), "ints" | "floats" | "numbers") => else None;
            Cause::NoSelector((meta, at), _) if self.types(meta) == TypeSet::BOOL => at it = *at;
                "to aggregate over the keys where it is true", "select({it}, True, ==)";
            // The library may want it for something else.
            Cause::NoSelector((_, at), _) if !self.in_library() => at _ = *at;
                "to aggregate over all keys", "full_s";
            Cause::NoDefault(values @ Meta::List(_), (Meta::List(_), _)) =>
                else self.aggregated_apart(values);
            Cause::NoDefault(values @ Meta::SOp(_), (other @ Meta::SOp(_), _))
                if self.is_string(values) == self.is_string(other) =>
                where (fitting, default) = (self.default_of(values), operand(c));
                "choose where nothing is selected",
                "aggregate({a}, {b}, {fitting}) if has_focus({a}) else {default}";
            Cause::NoDefault(_, given @ (Meta::List(items), _)) if is_single(items) =>
                else self.need(given, Needed::SOp);
            Cause::NoDefault(values, given) => at _ = given.1;
                "write one atom", ("{}", self.default_of(values));
            Cause::ScoreTypes(_, counts, at) | Cause::PredicateArity(_, counts, at)
                | Cause::PredicateResult(_, counts, at) =>
                where [keys, queries] = *counts;
                where names = letters(keys + queries);
                where (listed, key, query) = (names.join(", "), names.first()?, names.get(keys)?);
                where result = match &**f {
                    "score" => format!("indicator({key} == {query})"),
                    _ => format!("{key} == {query}"),
                };
                say ("for example `{}`", self.with(*at, format!("lambda {listed}: {result}")));

            Cause::NoList(builtin, side) => else self.listed(*builtin, side);
            Cause::NoIndicator((Meta::Atom(_), _)) => "for an atom", "1 if {a} else 0";
            Cause::NoIndicator((Meta::Selector(_), at)) => at it = *at;
                "for whether any key is selected", "has_focus({it})";
            Cause::NoNumbers(side @ (meta, _)) if self.is_tokens(meta) =>
                else self.as_numbers(std::slice::from_ref(side));
            Cause::NoNumbers(_) => "each value for itself", "categorical({a})";
            Cause::NoBound((Meta::SOp(_), _)) =>
                say "an s-op has no values until it is given an input; the positions of the input are \
                     the s-op `indices`";
            Cause::NoBound(side) => else self.need(side, Needed::Int);
            Cause::Lengths(lengths) =>
                where shortest = lengths.iter().map(|(length, _)| *length).min()?;
                where longer = lengths.iter().filter(|(length, _)| *length > shortest);
                else self.mend_each(
                    "for the elements that all have",
                    longer.map(|(_, at)| *at),
                    |list| format!("[{}[i] for i in range({shortest})]", operand(list)),
                );

            Cause::NotLoaded { path, .. } => else self.module(path);
            Cause::Unmet(values) => else self.right_value(values);
            // Of `assert hist == [1, 2]` what is compared.
            Cause::NoTruth((Meta::SOp(_), _)) if self.compared_with_list().is_some() =>
                where (left, right) = self.compared_with_list()?;
                where input = letters(elements(&self.text(right)).len().max(1)).concat();
                say ("say on which input: `assert {}(\"{input}\") == {};`", operand(&self.text(left)),
                    self.text(right));
            Cause::NoTruth((_, at)) =>
                say ("say on which input, and what it gives there, like `assert {}(\"ab\") == …;`",
                    operand(&self.say(*at)));
        }
    }

    /// What something of the wrong kind becomes, wherever it stands.
    pub(super) fn need(&self, (meta, at): &Side, needed: Needed) -> Option<Suggestion> {
        use Needed::{Int, List, SOp, Selector};
        let is_bool = self.types(meta) == TypeSet::BOOL;
        let all_atoms = |items: &[Meta]| items.iter().all(|item| item.as_atom().is_some());
        mends! { self, (needed, meta);
            (SOp | Int, Meta::List(items)) if is_single(items) => at _ = *at;
                "for the element itself", ("{}", items[0].repr());
            (Int, Meta::List(_)) => at it = *at; "for as many as the list has elements", "len({it})";
            (Int, Meta::Atom(Value::Float(_))) => at it = *at; "the nearest int", "round({it})";
            (Int, Meta::Atom(value)) => at _ = *at;
                "write", ("{}", unquoted(value)?);
            (SOp, Meta::List(items)) if !all_atoms(items) => at it = *at;
                where first = elements(&it).into_iter().next();
                "for the first of them", ("{}", first.unwrap_or(format!("{}[0]", operand(&it))));
            // `select(tokens, ["a", "b"], ==)`
            (SOp, Meta::List(_)) if self.selects_in(*at).is_some() => else self.selects_in(*at);
            (SOp, Meta::List(items)) if !items.is_empty() => at it = *at;
                "to give each position an element of the list", ("{}[indices % {}]",
                    operand(&it), items.len());
            (SOp, Meta::Selector(_)) => at it = *at;
                "for how many keys are selected", "selector_width({it})";
            (SOp, Meta::Function(callable)) if callable.is_builtin() =>
                say ("a function is used by calling it, like `{}`", find(&callable.name)?.example);
            // What it is called with is for its writer to say.
            (SOp, Meta::Function(callable)) =>
                where given = vec!["indices"; callable.single().len()].join(", ");
                else self.mend_each("a function is used by calling it", [*at], |it| {
                    format!("{}({given})", operand(it))
                }).map(Suggestion::plain);
            (Selector, Meta::Scorer(_)) => at it = *at;
                "to select the key with the highest score", "select_best(full_s, {it})";
            (Selector, Meta::SOp(_)) if !is_bool => at it = *at;
                "to select the keys with an equal value", "select({it}, {it}, ==)";
            (Selector, Meta::SOp(_) | Meta::Atom(_)) if is_bool => at it = *at;
                "to select the keys where it is true", "select({it}, True, ==)";
            (Selector, Meta::Atom(value)) if value.truthy() => say "the selector of every key is `full_s`";
            (List, Meta::SOp(_)) => at it = *at; "write a list", "[{it}]";
            // The library takes lists of pairs, `["()"]`.
            (List, Meta::Atom(Value::Str(_))) if self.in_library() => at it = *at;
                "write a list", "[{it}]";
            (List, Meta::Atom(_) | Meta::Dict(_)) => at _ = *at;
                "write a list", ("[{}]", written_out(meta)?);
        }
    }

    /// Something else that an s-op is made of; each of several that are wrong.
    fn sop(&self, found: &Side) -> Option<Suggestion> {
        let selector = |id: &ExprId| self.span(*id) == found.1 || self.static_selector(*id);
        mends! { self, (self.kind(), &found.0);
            (Some(ExprKind::Call { function, .. }), Meta::Selector(_)) if self.text(*function) == "select" =>
                where given = self.arguments().into_iter();
                where alone = given.clone().all(|id| selector(&id) || !self.certainly_no_number(id));
                where help = self.widths_at(given.filter(selector).map(|id| self.span(id)));
                else if alone { help } else { help.map(Suggestion::plain) };
            // Of two branches the other may be one, too.
            (Some(ExprKind::Ternary { then, otherwise, .. }), Meta::Selector(_)) =>
                where branches = [*then, *otherwise].into_iter().filter(selector);
                else self.widths_at(branches.map(|id| self.span(id)));
            (_, Meta::List(items)) if items.iter().any(|item| item.as_atom().is_none()) =>
                else self.compared_by_function(items.len(), found.1)
                    .or_else(|| self.need(found, Needed::SOp));
            _ => else self.need(found, Needed::SOp);
        }
    }

    /// How many keys each of some selectors selects.
    pub(super) fn widths(&self, sides: &[Side]) -> Option<Suggestion> {
        let selectors = sides.iter().filter(|(meta, _)| is_selector(meta));
        self.widths_at(selectors.map(|(_, at)| *at))
    }

    fn widths_at(&self, selectors: impl Iterator<Item = Span>) -> Option<Suggestion> {
        let what = "for how many keys are selected";
        self.mend_each(what, selectors, |it| format!("selector_width({it})"))
    }

    /// A call of a built-in function with other arguments than it takes.
    fn builtin_call(&self, builtin: Builtin, wrong: &Argument) -> Option<Suggestion> {
        let names = builtin.parameters().collect::<Vec<_>>().join(", ");
        let (name, example) = (builtin.name(), builtin.row().example);
        let meant = mends! { self, (builtin, wrong);
            (Builtin::Select, _) => else self.whole_select();
            (_, Argument::Unknown(ident)) => else nearest(&ident.name, builtin.parameters())
                .and_then(|nearest| self.put("write", ident.span, nearest));
        };
        meant.or_else(|| mends! { self, builtin;
            Builtin::Aggregate =>
                say "use it as `aggregate(selector, values, default)`; a function of the values stands \
                     before the default: `aggregate(full_s, tokens, lambda t: t == \"a\", False)`";
            Builtin::Range =>
                say "use it as `range(stop)`, `range(start, stop)` or `range(start, stop, step)`";
            _ => say "use it as `{name}({names})`, like `{example}`";
        })
    }

    /// Whether it is a selector, or something that a number may stand beside.
    fn may_be_number(&self, (meta, _): &Side) -> bool {
        matches!(meta, Meta::Selector(_) | Meta::SOp(_) | Meta::Atom(_)) && !self.is_string(meta)
    }

    fn is_word(&self, at: Span) -> bool {
        self.say(at).chars().all(char::is_alphanumeric)
    }

    /// A default that fits values.
    pub(super) fn default_of(&self, values: &Meta) -> &'static str {
        if self.is_string(values) { "\"\"" } else { "0" }
    }
}

/// Whether a list that is called with something else than a number holds more than atoms.
fn holds_more(items: &[Meta], given: &str) -> bool {
    let first = items.first().is_some_and(|first| first.as_atom().is_none());
    first && given.parse::<i64>().is_err()
}

/// The key of a dict that was probably meant, as it is written.
fn nearest_key(dict: &Meta, key: &str) -> Option<String> {
    let Meta::Dict(dict) = dict else { return None };
    let keys = dict.iter().filter_map(|(key, _)| match key {
        Value::Str(text) => Some(&**text),
        Value::Int(_) | Value::Float(_) | Value::Bool(_) => None,
    });
    Some(Value::str(nearest(key, keys)?).source())
}

/// The elements of a string or dict, or a number, as those of a list.
fn written_out(meta: &Meta) -> Option<String> {
    let atoms = match meta.as_atom().filter(|value| value.is_number()) {
        Some(number) => vec![number.clone()],
        None => meta.as_tokens()?,
    };
    let items: Vec<String> = atoms.iter().map(Value::source).collect();
    let few = (1..=MOST_ITEMS).contains(&items.len());
    few.then(|| items.join(", "))
}

fn is_single(items: &[Meta]) -> bool {
    items.len() == 1 && items[0].as_atom().is_some()
}

/// The number that a string holds, as it is typed.
pub(super) fn unquoted(value: &Value) -> Option<String> {
    let Value::Str(text) = value else { return None };
    let digits = |part: char| part.is_ascii_digit() || "+-.".contains(part);
    let number = text.chars().all(digits) && text.parse::<f64>().is_ok();
    number.then(|| text.trim_start_matches('+').to_string())
}

/// How a value reads as a string.
pub(super) fn quoted(value: &Value) -> String {
    Value::str(&value.to_string()).source()
}

/// Whether the power of two numbers is a float.
fn is_a_float(of: &[Value]) -> bool {
    let [base, exponent] = [0, 1].map(|at| of.get(at).and_then(Value::as_float));
    let power = base
        .zip(exponent)
        .map(|(base, exponent)| base.powf(exponent));
    power.is_some_and(f64::is_finite)
}
