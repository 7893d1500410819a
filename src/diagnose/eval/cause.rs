//! What happened: for each cause a row with the places that it is about. What was probably meant stands
//! in `meant.rs`.

use super::input::explain;
use super::quote::{counted, some_arguments, takes};
use super::scene::{Scene, Side, kinds};
use crate::base::control::INTERRUPTED;
use crate::base::suggest::nearest;
use crate::base::{Code, Diagnostic, Span, visible};
use crate::builtin::{Builtin, Kind, RESERVED_LIBRARY, find};
use crate::eval::Meta;
use crate::eval::fault::{Argument, Cause};
use crate::value::{Op, Value};

impl Scene<'_> {
    /// What happened and where; nothing of what follows from a failed `load`.
    pub(super) fn told(&self, cause: &Cause) -> Option<Diagnostic> {
        Some(rules! { cause;
            Cause::Interrupted => error!(Interrupted, "{INTERRUPTED}");
            Cause::Limit(limit) => self.limit(limit);
            Cause::OnInput(failed, at) =>
                where error = Diagnostic::from((**failed).clone().in_graph(&self.evaluator.graph));
                where error = error.within(*at, "applied to an input here");
                explain(self.evaluator, error, &failed.roots);
            Cause::Undefined(name) => self.undefined(name)?;
            Cause::Reserved(ident) =>
                where (name, other) = (&ident.name, ident.name.to_lowercase());
                error!(ReservedName, "`{name}` may not be redefined"),
                at ident.span, "this name is reserved",
                note ("{}", role(name)),
                help "choose another name, like `my_{other}`";

            Cause::NotCallable(meta) =>
                where kind = meta.kind();
                error!(NotCallable, "{kind} cannot be called"),
                at self.function().map_or(self.whole, |id| self.span(id)), "this is {kind}",
                note "functions can be called, and s-ops, selectors and scorers applied to an input";
            Cause::Arguments { called, callable, wrong } =>
                where names = callable.single().iter().map(|(name, _)| &**name);
                self.arguments_of(called, &takes(callable, "argument"), names, wrong),
                each at in callable.definition() => at, "it is defined here";
            Cause::BuiltinArguments(builtin, wrong) =>
                where (name, names) = (builtin.name(), builtin.parameters());
                self.arguments_of(name, &taken_by(*builtin), names, wrong);
            Cause::Arity(callable, given, at) =>
                where (name, takes) = (&callable.name, takes(callable, "argument"));
                where (given_here, defined) = (some_arguments(*given), callable.definition());
                error!(WrongArguments, "`{name}` takes {takes}, not {given}"),
                at *at, "this is called with {given_here}",
                each defined in defined.filter(|defined| !at.contains(*defined)) =>
                    defined, "it is defined here";
            Cause::BuiltinHandedOver(builtin, at) =>
                error!(NotCallable, "`{}` cannot be passed on by itself", builtin.name()),
                at *at, "this is a built-in function";
            Cause::InputCount(applied, given) =>
                error!(WrongArguments, "{} is applied to one input, not to {given}", applied.kind()),
                at self.whole, "applied here";
            Cause::NoInput(_, (input, at)) =>
                where (what, kind) = match input.as_tokens() {
                    Some(_) => ("an input needs at least one token".to_string(), "empty"),
                    None => (format!("{} is no input", input.kind()), input.kind()),
                };
                error!(BadInput, "{what}"),
                at *at, "this is {kind}",
                note "an input is a string, whose characters are the tokens, or a list of atoms";

            Cause::Operands { op, sides } => self.operands(op, sides);
            Cause::Failed(failure, at) => Diagnostic::from(failure),
                at *at, "computed here";
            Cause::SelectorOperand(op, sides) =>
                error!(SelectorMisused, "`{op}` does not work on selectors"),
                each at in selectors(sides) => at, "this is a selector",
                note "selectors combine with `and`, `or` and `not` only; `aggregate` reads values \
                      through one";
            Cause::SelectorAndOther(operator, sides) =>
                where other = sides.iter().find(|(meta, _)| !is_selector(meta)).unwrap_or(&sides[0]);
                where here = format!("`{}` combines two selectors", operator.symbol());
                where (needed, at) = self.needed(other.1, "a selector", here);
                where selectors = if at == other.1 { selectors(sides) } else { Vec::new() };
                self.not(error!(SelectorExpected, "{needed}"), &(other.0.clone(), at)),
                each at in selectors => at, "this is a selector";
            Cause::NoSOp((meta, at)) =>
                where here = "an s-op or an atom is needed here";
                where (needed, at) = self.needed(*at, "an s-op or an atom", here);
                where error = match is_selector(meta) {
                    true => error!(SelectorMisused, "{needed}"),
                    false => error!(AtomExpected, "{needed}"),
                };
                self.not(error, &(meta.clone(), at));
            Cause::SelectorAsCondition(at) =>
                error!(SelectorMisused, "a selector is neither true nor false"),
                at *at, "this is a selector";
            Cause::ComparesSOps =>
                error!(AtomExpected, "an s-op has no values yet that could be compared here"),
                at self.whole, "compares an s-op inside a list or dict",
                help "compare the s-ops themselves, position by position: `a == b`";
            Cause::StraySpread(at) =>
                error!(WrongArguments, "built-in functions and s-ops take their arguments one by one"),
                at *at, "a list that is taken apart",
                help "hand over the list itself, or its elements by their index";
            Cause::StrayOperator(comparison) =>
                error!(WrongArguments, "`{}` can only stand as the third argument of `select`",
                    comparison.symbol()),
                at self.whole, "an operator without operands";

            Cause::NotIndexable(meta) =>
                where kind = meta.kind();
                error!(BadIndex, "{kind} cannot be indexed"),
                at self.whole, "this indexes {kind}",
                note "lists, dicts, strings and s-ops can be indexed";
            Cause::BadIndex(container, index) =>
                where (sop, dict) = (matches!(container, Meta::SOp(_)), matches!(container, Meta::Dict(_)));
                where key = if dict { "an atom or an s-op" } else { "an int or an s-op" };
                where (kind, indices) = (container.kind(), if sop { "an int" } else { key });
                self.not(error!(BadIndex, "{kind} is indexed by {indices}"), index);
            Cause::OutOfRange { index, length, string, at } =>
                where (what, last) = (if *string { "string" } else { "list" }, length.saturating_sub(1));
                where indices = match length {
                    0 => "nothing is in it".to_string(),
                    1 => "the only index is 0".to_string(),
                    _ => format!("the indices go from 0 to {last}, or from -1 back to -{length}"),
                };
                error!(BadIndex, "index {index} is out of range for a {what} of length {length}"),
                at *at, "{indices}";
            Cause::NoKey(dict, key, at) =>
                error!(BadIndex, "there is no key {} in the dict", key.source()),
                at *at, ("{}", known_keys(dict));
            Cause::NoTable(meta) =>
                where kind = meta.kind();
                error!(AtomExpected, "what holds {kind} cannot be indexed by an s-op"),
                at self.whole, "it holds {kind}",
                note "only lists and dicts of atoms can",
                help "choose between s-ops: `a if condition else b`";
            Cause::NoLength =>
                error!(BadIndex, "an index from the end needs `length`, which is not an s-op here"),
                at self.whole, "indexed from the end",
                help "give the other `length` another name, like `my_length`";
            Cause::Membership([(Meta::SOp(_) | Meta::Scorer(_), _), (Meta::List(items), at)]) =>
                where inside = items.iter().find(|item| item.as_atom().is_none());
                error!(BadMembership, "the list right of `in` must hold atoms only"),
                at *at, ("this list holds {}", inside.map_or("something else", Meta::kind));
            Cause::Membership([(Meta::SOp(_), _), right]) =>
                self.not(error!(BadMembership, "`s-op in …` needs a list of atoms"), right);
            Cause::Membership([(Meta::Atom(_), _), right]) =>
                self.not(error!(BadMembership, "`atom in …` needs a list or an s-op"), right);
            Cause::Membership([left, _]) =>
                self.not(error!(BadMembership, "left of `in` stands an s-op or an atom"), left);
            Cause::NotSpread(side) =>
                self.not(error!(NotIterable, "`*` takes a list apart, or stands before an s-op"), side);
            Cause::NotIterable(side @ (Meta::SOp(_), _)) =>
                self.not(error!(NotIterable, "a loop runs over a list or a dict"), side),
                note "an s-op has no values until it is given an input; operators work on all its \
                      positions at once";
            Cause::NotIterable(side) =>
                self.not(error!(NotIterable, "a loop runs over a list or a dict"), side);
            Cause::NotSeveral { found: (item, at), count, element } =>
                where (kind, of) = (item.kind(), self.named_element(element.is_some(), *at));
                error!(WrongCount, "{kind} cannot be taken apart into {count} values"),
                at *at, "{of} is {kind}";
            Cause::Count { names, values, at, element } =>
                where (few, given) = (counted(*names, "name"), counted(*values, "value"));
                where label = match at {
                    None => "as many values as names are needed".to_string(),
                    Some(at) => {
                        let of = self.named_element(element.is_some(), *at);
                        format!("{of} has {}", counted(*values, "element"))
                    }
                };
                error!(WrongCount, "{few}, but {given}"),
                at at.unwrap_or(self.whole), "{label}";
            Cause::DictKey(side) =>
                self.not(error!(AtomExpected, "a key of a dict is an atom"), side),
                help "write an atom as the key, like `{{\"a\": 1}}`";

            Cause::NoComparison(id) =>
                error!(WrongArguments, "the third argument of `select` is a comparison"),
                at self.span(*id), "not a comparison operator",
                note "the comparisons are ==, !=, <, <=, > and >=, without quotes";
            Cause::KeysAndQueries(comparison, sides @ [keys, queries]) =>
                where [key, query] = sides.each_ref().map(|(meta, _)| self.describe(meta));
                error!(OperandTypes, "`{}` does not compare keys and queries of these types: \
                                      {key} and {query}", comparison.symbol()),
                at keys.1, "the keys are {key}",
                at queries.1, "the queries are {query}";
            Cause::NoSelector((meta, at), _) if self.swapped().is_some() =>
                where (found, values) = (self.describe(meta), self.swapped()?);
                error!(SelectorExpected,
                    "the arguments of `aggregate` are swapped: the selector comes first"),
                at *at, "this is {found}",
                at values, "this is the selector";
            Cause::NoSelector((meta, at), _) =>
                where here = "the first argument of `aggregate` is a selector";
                where (needed, at) = self.needed(*at, "a selector", here);
                self.not(error!(SelectorExpected, "{needed}"), &(meta.clone(), at)),
                note "`select(keys, queries, comparison)` makes a selector";
            Cause::NoDefault(_, given) =>
                self.not(error!(AtomExpected, "the default of `aggregate` is an atom"), given);
            Cause::NoScore(at) =>
                error!(WrongArguments, "the third argument of `score` is a function of a key and a query"),
                at *at, "not a function",
                help "for example `score(indices, indices, lambda key, query: key)`";
            Cause::ScoreTypes(types, _, at) =>
                where given = kinds(*types);
                error!(OperandTypes, "a score is a number, but this gives {given}"),
                at *at, "this gives {given}";
            Cause::PredicateArity(function, [keys, queries], at) =>
                error!(WrongArguments, "the function takes {}, but there are {keys} of keys and \
                                        {queries} of queries", takes(function, "value")),
                at *at, ("this is `{}`", function.signature()),
                note "it is called with the keys' values first, then with the queries'";
            Cause::PredicateResult(found, _, at) =>
                where kind = found.kind();
                error!(OperandTypes, "the function must give an atom, not {kind}"),
                at *at, "this gives {kind}";
            Cause::NotBest(true, side) =>
                self.not(error!(SelectorExpected, "`select_best` takes a selector here"), side),
                help "make one with `select(indices, indices, <=)`";
            Cause::NotBest(false, side) =>
                self.not(error!(SelectorExpected, "`select_best` takes a scorer here"), side),
                help "make one with `score(indices, indices, lambda key, query: key)`";
            Cause::Captured =>
                error!(OperandTypes, "a function of keys and queries cannot read an s-op of its own"),
                at self.whole, "at the key's position, or at the query's?",
                help "hand it over among the keys or the queries, like \
                      `select((tokens, indices), tokens, lambda a, b, c: a == c and b > 0)`";

            Cause::NoList(builtin, side) =>
                self.not(error!(OperandTypes, "`{}` takes a list", builtin.name()), side);
            Cause::NoIndicator(side) =>
                self.not(error!(OperandTypes, "`indicator` takes an s-op"), side);
            Cause::NoFunction(side) =>
                self.not(error!(NotCallable, "the second argument of `zipmap` is a function"), side),
                help "for example `zipmap((tokens, indices), lambda t, i: t == \"a\" and i > 0)`";
            Cause::NoNumbers((meta, at)) =>
                error!(OperandTypes, "{} cannot be encoded as numbers", self.describe(meta)),
                at *at, "no number";
            Cause::NoBound(side) => self.not(error!(OperandTypes, "`range` takes ints"), side);
            Cause::StepZero =>
                error!(ArithmeticFailed, "the step of `range` is 0"),
                at self.whole, "this would never end",
                help "count up with a positive step, down with a negative one: `range(5, 0, -1)`";
            Cause::Lengths(lengths) =>
                where first = lengths.first().copied().unwrap_or((0, self.whole));
                where other = lengths.iter().find(|(length, _)| *length != first.0);
                where (length, at) = other.copied().unwrap_or(first);
                where (elements, length) = (counted(length, "element"), first.0);
                error!(WrongCount, "`zip` takes lists of one length"),
                at at, "this has {elements}",
                at first.1, "this has {length}";

            Cause::NoTimes(side @ (Meta::SOp(_), _)) =>
                self.not(error!(BadRepeat, "how often a `repeat` runs is an int from 0 on"), side),
                note "its rounds are layers: they are there before an input is",
                help "write a number that is enough for the longest input: `repeat 8 (…) {{ … }}`";
            Cause::NoTimes((meta, at)) =>
                error!(BadRepeat, "how often a `repeat` runs is an int from 0 on"),
                at *at, ("this is {}", meta.as_atom().map_or(meta.kind().to_string(), Value::source));
            Cause::NotCarried(ident) =>
                where name = &ident.name;
                error!(BadRepeat, "the body of this `repeat` never sets `{name}`"),
                at ident.span, "this would be the same in every round",
                help "set it in the body, or define it before: `{name} = …;`";
            Cause::CarriedTwice(ident) =>
                error!(BadRepeat, "`{}` is carried twice", ident.name),
                at ident.span, "there is one before it",
                help "carry each name once";
            Cause::NotDrawn(side) =>
                self.not(error!(AtomExpected, "`draw` draws an s-op or a selector"), side);
            Cause::NoLongest((meta, at)) =>
                where int = meta.as_atom().is_some_and(|atom| atom.as_int().is_some());
                error!(OperandTypes, "`max_length` is a positive int"),
                at *at, ("this is {}", if int { "not positive" } else { meta.kind() }),
                help "write a number of tokens: `set max_length 8`";
            Cause::NoVocabulary((meta, at)) =>
                error!(BadInput, "a vocabulary is a string or a list of tokens"),
                at *at, ("this is {}", meta.as_tokens().map_or(meta.kind(), |_| "empty")),
                help "write at least one token: `set vocab \"abc\"` or `set vocab [1, 2]`";
            Cause::NotLoaded { path, reason } =>
                error!(FileNotFound, "`{}` could not be loaded", visible::name(path)),
                at self.whole, "{reason}";
            Cause::Cycle { files, loads } =>
                where (message, help) = match files.as_slice() {
                    [_, _] => ("this file loads itself", "remove this `load`"),
                    _ => (
                        "these files load each other",
                        "move what both need into a third file and load that from both",
                    ),
                };
                where (path, loads) = (files.join(" loads "), loads.iter());
                error!(LoadCycle, "{message}"),
                at self.whole, "this closes the cycle",
                each (name, at) in loads.map(|(name, at)| (visible::name(name), *at)) =>
                    at, "`{name}` is loaded here",
                note ("{}", visible::name(&path)),
                help "{help}";
            Cause::LoadedErrors { path, file } =>
                error!(FileNotFound, "`{}` has errors", visible::name(path)).following(),
                at self.whole, "loaded here; its errors come before this one",
                help ("mend them first; `rasp check {}` shows them alone", visible::name(file));
            Cause::Unmet(values) => unmet(values);
            Cause::NoTruth(side) =>
                self.not(error!(AssertionFailed, "an assertion needs a truth value"), side);
        })
    }

    /// Says what stands where something else is needed.
    pub(super) fn not(&self, mut error: Diagnostic, (meta, at): &Side) -> Diagnostic {
        let kind = self.describe(meta);
        error.message += &format!(", not {kind}");
        error.at(*at, format!("this is {kind}"))
    }

    /// What a function of the library takes that something was handed over to, and where that was, or else
    /// what is needed `here`.
    fn needed(&self, at: Span, kind: &str, here: impl Into<String>) -> (String, Span) {
        match self.handed_over(at) {
            Some((name, at)) => (format!("`{name}` takes {kind}"), at),
            None => (here.into(), at),
        }
    }

    /// How an element is called that has no place of its own.
    fn named_element(&self, element: bool, at: Span) -> &'static str {
        match element && self.part(at).is_some() {
            true => "an element of this",
            false => "this",
        }
    }

    /// Wrong arguments of a function that takes some number of them, under these names.
    fn arguments_of<'n>(
        &self,
        called: &str,
        takes: &str,
        names: impl Iterator<Item = &'n str>,
        wrong: &Argument,
    ) -> Diagnostic {
        rules! { wrong;
            Argument::Count { given, at } =>
                where here = *at == self.whole;
                error!(WrongArguments, "`{called}` takes {takes}, not {given}"),
                at *at, ("{}", if here { "called here" } else { "there is no parameter for this" });
            Argument::Unknown(ident) =>
                where (name, meant) = (&ident.name, nearest(&ident.name, names));
                where label = match meant {
                    // `select(tokens = "a", …)`
                    None if self.evaluator.lookup(self.site.scope, name).is_some() => Some("to compare write `==`".to_string()),
                    meant => meant.map(|meant| format!("did you mean `{meant}`?")),
                };
                where label = label.unwrap_or("no such parameter".to_string());
                error!(WrongArguments, "`{called}` has no parameter `{name}`"),
                at ident.span, "{label}";
            Argument::Twice { at, .. } if !self.before(*at).ends_with('=') =>
                error!(WrongArguments, "arguments by position come before those by name"),
                at *at, "this has no name";
            Argument::Twice { parameter, at } =>
                error!(WrongArguments, "`{parameter}` is given twice"),
                at *at, "given again here";
            Argument::Missing(name) =>
                error!(WrongArguments, "`{called}` takes {takes}; `{name}` is missing"),
                at self.whole, "no argument for `{name}`";
        }
    }

    /// An operator or function on operands that it does not work on.
    fn operands(&self, op: &Op, sides: &[Side]) -> Diagnostic {
        let kind = |(meta, _): &Side| match (meta, kinds(self.types(meta))) {
            (Meta::Scorer(_), "atoms" | "numbers") => "a scorer".to_string(),
            (Meta::Scorer(_), "ints") => "an int".to_string(),
            (Meta::Scorer(_), values) => format!("a {}", values.trim_end_matches('s')),
            (other, _) => self.describe(other),
        };
        let kinds: Vec<String> = sides.iter().map(kind).collect();
        // A built-in function is known by its name, and by what it was handed.
        let called = self.function().map(|id| self.text(id));
        let listed = kinds.join(" and ");
        let shown = sides.iter().map(|(_, at)| *at).zip(kinds);
        let shown: Vec<_> = shown.filter(|(at, _)| *at != self.whole).collect();
        let (symbol, listed) = match (called, shown.as_slice()) {
            (Some(called), [(_, kind)]) if find(&called).is_some() => (called, kind.clone()),
            _ => (op.symbol().to_string(), listed),
        };
        let sops = sides.iter().all(|(meta, _)| matches!(meta, Meta::SOp(_)));
        let error = told!(
            error!(OperandTypes, "`{symbol}` does not work on {listed}"),
            each (at, kind) in &shown => *at, "this is {kind}",
        );
        let always = "this fails on every input";
        let error = error.or_at(self.whole, if sops { always } else { "computed here" });
        let any = |wanted: &dyn Fn(&Meta) -> bool| sides.iter().any(|(meta, _)| wanted(meta));
        match sides {
            [_] if sops && !shown.is_empty() => error.note(always),
            _ if any(&|meta| matches!(meta, Meta::Application(_))) => {
                error.note("what an s-op gives on an input can be shown and compared, nothing else")
            }
            [_, _] if any(&|meta| self.is_tokens(meta)) => {
                error.note("the tokens are strings, even where they are digits")
            }
            _ => error,
        }
    }
}

pub(super) fn is_selector(meta: &Meta) -> bool {
    matches!(meta, Meta::Selector(_))
}

/// Where those of some operands stand that are selectors.
fn selectors(sides: &[Side]) -> Vec<Span> {
    let selectors = sides.iter().filter(|(meta, _)| is_selector(meta));
    selectors.map(|(_, at)| *at).collect()
}

fn known_keys(dict: &Meta) -> String {
    let Meta::Dict(dict) = dict else {
        return String::new();
    };
    let keys = dict.iter().take(8).map(|(key, _)| key.source());
    let keys = keys.collect::<Vec<_>>().join(", ");
    match dict.len() {
        0 => "the dict is empty".to_string(),
        1..=8 => format!("its keys are {keys}"),
        _ => format!("its keys are {keys}, …"),
    }
}

/// Why a name may not be redefined.
fn role(name: &str) -> &'static str {
    match find(name).map(|row| row.kind) {
        Some(Kind::SOp) => "it is a base s-op",
        Some(Kind::Atom) => "it is a constant",
        Some(Kind::Function(_)) => "it is a built-in function",
        None if name == "out" => "`out` always is the last value",
        None if RESERVED_LIBRARY.contains(&name) => {
            "it is a name of the library, which other library functions use"
        }
        None => "the language keeps it for itself",
    }
}

/// How many arguments a built-in function takes.
fn taken_by(builtin: Builtin) -> String {
    match builtin.row().takes() {
        _ if builtin == Builtin::Aggregate => {
            "2 or 3 arguments (3 or 4 with a function)".to_string()
        }
        (least, None) => format!("at least {}", some_arguments(least)),
        (least, Some(most)) if least == most => some_arguments(least),
        (least, Some(most)) => format!("{least} to {most} arguments"),
    }
}

/// The values of both sides of a comparison that does not hold.
fn unmet(sides: &[Side]) -> Diagnostic {
    let told = error!(AssertionFailed, "this assertion does not hold");
    let told = sides.iter().fold(told, |told, (meta, at)| {
        told.at(*at, format!("this is {}", meta.repr()))
    });
    let hidden = match sides {
        [(a, _), (b, _)] => a.hidden_difference(b),
        _ => None,
    };
    hidden.into_iter().fold(told, Diagnostic::note)
}
