//! What happened, in words: for each cause its code, a message, and the places it is about.

use super::quote::{arguments, counted, takes};
use super::scene::{Scene, Side, kinds};
use super::wrong::{
    defined, found, indices_of, is_selector, known_keys, membership, no_input, role,
};
use crate::base::control::INTERRUPTED;
use crate::base::{Code, Diagnostic, Span, visible};
use crate::eval::Meta;
use crate::eval::fault::Cause;
use crate::interpret::code_of;

impl Scene<'_> {
    /// What happened and where, without what to do about it.
    pub(super) fn told(&self, cause: &Cause) -> Diagnostic {
        let error = |code, message: &str| Diagnostic::error(code, message);
        let here = |code, message: &str, label: &str| error(code, message).at(self.whole, label);
        let expected = |code, needed: &str, (meta, at): &Side| {
            let kind = self.describe(meta);
            error(code, &format!("{needed}, not {kind}")).at(*at, format!("this is {kind}"))
        };
        let selectors = |error: Diagnostic, sides: &[Side; 2]| {
            let selectors = sides.iter().filter(|(meta, _)| is_selector(meta));
            selectors.fold(error, |error, (_, at)| error.at(*at, "this is a selector"))
        };
        match cause {
            Cause::Interrupted => error(Code::Interrupted, INTERRUPTED),
            Cause::Limit(limit) => self.limit(limit),
            Cause::Undefined(_) | Cause::OnInput { .. } => unreachable!("told elsewhere"),
            Cause::Reserved(ident) => error(
                Code::ReservedName,
                &format!("`{}` may not be redefined", ident.name),
            )
            .at(ident.span, "this name is reserved")
            .note(role(&ident.name)),
            Cause::NotCallable(meta) => {
                let function = self.function().map_or(self.whole, |id| self.span(id));
                let message = format!("{} cannot be called", meta.kind());
                found(Code::NotCallable, message, &(meta.clone(), function)).note(
                    "functions can be called, and s-ops, selectors and scorers applied to an input",
                )
            }
            Cause::Arguments {
                called,
                callable,
                wrong,
            } => {
                let error = self.wrong_arguments(called, callable, wrong);
                defined(error, callable)
            }
            Cause::BuiltinArguments { builtin, wrong } => self.wrong_builtin(*builtin, wrong),
            Cause::Arity {
                callable,
                given,
                at,
            } => {
                let takes = takes(callable, "argument");
                let message = format!("`{}` takes {takes}, not {given}", callable.name);
                let label = format!("this is called with {}", arguments(*given));
                let error = error(Code::WrongArguments, &message).at(*at, label);
                match callable
                    .definition()
                    .is_some_and(|defined| at.contains(defined))
                {
                    true => error,
                    false => defined(error, callable),
                }
            }
            Cause::BuiltinHandedOver(builtin, at) => {
                let message = format!("`{}` cannot be passed on by itself", builtin.name());
                error(Code::NotCallable, &message).at(*at, "this is a built-in function")
            }
            Cause::InputCount { applied, given } => {
                let kind = applied.kind();
                let message = format!("{kind} is applied to one input, not to {given}");
                here(Code::WrongArguments, &message, "applied here")
            }
            Cause::NoInput { input, .. } => no_input(input),
            Cause::Operands { op, sides } => self.operands(op, sides),
            Cause::Failed(failure, at) => {
                error(code_of(failure.kind), &failure.message).at(*at, "computed here")
            }
            Cause::SelectorOperand { op, sides } => {
                let message = format!("`{op}` does not work on selectors");
                let error = selectors(error(Code::SelectorMisused, &message), sides);
                let scorer = sides
                    .iter()
                    .any(|(meta, _)| matches!(meta, Meta::Scorer(_)));
                match scorer {
                    true => error,
                    false => error.note(
                        "selectors combine with `and`, `or` and `not` only; `aggregate` reads values \
                         through one",
                    ),
                }
            }
            Cause::SelectorAndOther { operator, sides } => {
                let mut others = sides.iter().filter(|(meta, _)| !is_selector(meta));
                let other = others.next().unwrap_or(&sides[0]);
                if let Some((name, at)) = self.handed_over(other.1) {
                    let needed = format!("`{name}` takes a selector");
                    return expected(Code::SelectorExpected, &needed, &(other.0.clone(), at));
                }
                let needed = format!("`{}` combines two selectors", operator.symbol());
                selectors(expected(Code::SelectorExpected, &needed, other), sides)
            }
            Cause::NoSOp(side) => {
                let code = match side.0 {
                    Meta::Selector(_) => Code::SelectorMisused,
                    _ => Code::AtomExpected,
                };
                match self.handed_over(side.1) {
                    Some((name, at)) => {
                        let needed = format!("`{name}` takes an s-op or an atom");
                        expected(code, &needed, &(side.0.clone(), at))
                    }
                    None => expected(code, "an s-op or an atom is needed here", side),
                }
            }
            Cause::SelectorAsCondition(at) => error(
                Code::SelectorMisused,
                "a selector is neither true nor false",
            )
            .at(*at, "this is a selector"),
            Cause::ComparesSOps => here(
                Code::AtomExpected,
                "an s-op has no values yet that could be compared here",
                "compares an s-op inside a list or dict",
            ),
            Cause::StraySpread(at) => error(
                Code::WrongArguments,
                "built-in functions and s-ops take their arguments one by one",
            )
            .at(*at, "a list that is taken apart"),
            Cause::StrayOperator(comparison) => {
                let symbol = comparison.symbol();
                let message =
                    format!("`{symbol}` can only stand as the third argument of `select`");
                here(
                    Code::WrongArguments,
                    &message,
                    "an operator without operands",
                )
            }
            Cause::NotIndexable(meta) => {
                let kind = meta.kind();
                let message = format!("{kind} cannot be indexed");
                here(Code::BadIndex, &message, &format!("this indexes {kind}"))
                    .note("lists, dicts, strings and s-ops can be indexed")
            }
            Cause::BadIndex { container, index } => {
                let (kind, by) = (container.kind(), index.0.kind());
                let message = match container {
                    Meta::SOp(_) => format!("{kind} is indexed by an int, not by {by}"),
                    Meta::Dict(_) => {
                        format!("{kind} is indexed by an atom or an s-op, not by {by}")
                    }
                    _ => format!("{kind} is indexed by an int or an s-op, not by {by}"),
                };
                let label = format!("this is {}", self.describe(&index.0));
                error(Code::BadIndex, &message).at(index.1, label)
            }
            Cause::OutOfRange {
                index,
                length,
                string,
                at,
            } => {
                let what = if *string { "string" } else { "list" };
                let message =
                    format!("index {index} is out of range for a {what} of length {length}");
                error(Code::BadIndex, &message).at(*at, indices_of(*length))
            }
            Cause::NoKey { dict, key, at } => {
                let message = format!("there is no key {} in the dict", key.source());
                error(Code::BadIndex, &message).at(*at, known_keys(dict))
            }
            Cause::NoTable(meta) => {
                let kind = meta.kind();
                let message = format!("what holds {kind} cannot be indexed by an s-op");
                here(Code::AtomExpected, &message, &format!("it holds {kind}"))
                    .note("only lists and dicts of atoms can")
            }
            Cause::NoLength => here(
                Code::BadIndex,
                "an index from the end needs `length`, which is not an s-op here",
                "indexed from the end",
            ),
            Cause::Membership { sides } => membership(sides),
            Cause::NotSpread(side) => {
                let kind = side.0.kind();
                let message =
                    format!("`*` takes a list apart, or stands before an s-op, not {kind}");
                found(Code::NotIterable, message, side)
            }
            Cause::NotIterable(side) => {
                let kind = side.0.kind();
                let message = format!("a loop runs over a list or a dict, not over {kind}");
                let error = found(Code::NotIterable, message, side);
                match side.0 {
                    Meta::SOp(_) => error.note(
                        "an s-op has no values until it is given an input; operators work on all its \
                         positions at once",
                    ),
                    _ => error,
                }
            }
            Cause::NotSeveral {
                found: side,
                count,
                element,
            } => {
                let kind = side.0.kind();
                let message = format!("{kind} cannot be taken apart into {count} values");
                let of = self.named_element(element.is_some(), side.1);
                error(Code::WrongCount, &message).at(side.1, format!("{of} is {kind}"))
            }
            Cause::Count {
                names,
                values,
                at,
                element,
            } => {
                let counts = (counted(*names, "name"), counted(*values, "value"));
                let error = error(Code::WrongCount, &format!("{}, but {}", counts.0, counts.1));
                let Some(at) = at else {
                    return error.at(self.whole, "as many values as names are needed");
                };
                let of = self.named_element(element.is_some(), *at);
                error.at(*at, format!("{of} has {}", counted(*values, "element")))
            }
            Cause::DictKey(side) => {
                expected(Code::AtomExpected, "a key of a dict is an atom", side)
            }
            Cause::NoDefault { given, .. } => expected(
                Code::AtomExpected,
                "the default of `aggregate` is an atom",
                given,
            ),
            Cause::NotBest(true, side) => expected(
                Code::SelectorExpected,
                "`select_best` takes a selector here",
                side,
            ),
            Cause::NotBest(false, side) => expected(
                Code::SelectorExpected,
                "`select_best` takes a scorer here",
                side,
            ),
            Cause::NoIndicator(side) => {
                expected(Code::OperandTypes, "`indicator` takes an s-op", side)
            }
            Cause::NoFunction(side) => expected(
                Code::NotCallable,
                "the second argument of `zipmap` is a function",
                side,
            ),
            Cause::NoBound(side) => expected(Code::OperandTypes, "`range` takes ints", side),
            Cause::NotDrawn(side) => expected(
                Code::AtomExpected,
                "`draw` draws an s-op or a selector",
                side,
            ),
            Cause::NoTruth(side) => expected(
                Code::AssertionFailed,
                "an assertion needs a truth value",
                side,
            ),
            Cause::NoList(builtin, side) => {
                let message = format!("`{}` takes a list", builtin.name());
                expected(Code::OperandTypes, &message, side)
            }
            Cause::NoComparison(id) => error(
                Code::WrongArguments,
                "the third argument of `select` is a comparison",
            )
            .at(self.span(*id), "not a comparison operator")
            .note("the comparisons are ==, !=, <, <=, > and >=, without quotes"),
            Cause::KeysAndQueries { comparison, sides } => {
                let [keys, queries] = sides.each_ref().map(|(meta, _)| self.describe(meta));
                let symbol = comparison.symbol();
                let message = format!(
                    "`{symbol}` does not compare keys and queries of these types: {keys} and {queries}"
                );
                error(Code::OperandTypes, &message)
                    .at(sides[0].1, format!("the keys are {keys}"))
                    .at(sides[1].1, format!("the queries are {queries}"))
            }
            Cause::NoSelector(side) => match self.swapped() {
                Some(values) => {
                    let message =
                        "the arguments of `aggregate` are swapped: the selector comes first";
                    error(Code::SelectorExpected, message)
                        .at(side.1, format!("this is {}", self.describe(&side.0)))
                        .at(values, "this is the selector")
                }
                None => {
                    let needed = "the first argument of `aggregate` is a selector";
                    expected(Code::SelectorExpected, needed, side)
                        .note("`select(keys, queries, comparison)` makes a selector")
                }
            },
            Cause::NoScore(at) => {
                let message = "the third argument of `score` is a function of a key and a query";
                error(Code::WrongArguments, message).at(*at, "not a function")
            }
            Cause::ScoreTypes(types, _, at) => {
                let given = kinds(*types);
                let message = format!("a score is a number, but this gives {given}");
                error(Code::OperandTypes, &message).at(*at, format!("this gives {given}"))
            }
            Cause::PredicateArity {
                function,
                counts: [keys, queries],
                at,
            } => {
                let takes = takes(function, "value");
                let message = format!(
                    "the function takes {takes}, but there are {keys} of keys and {queries} of queries"
                );
                error(Code::WrongArguments, &message)
                    .at(*at, format!("this is `{}`", function.signature()))
                    .note("it is called with the keys' values first, then with the queries'")
            }
            Cause::PredicateResult { found, at, .. } => {
                let kind = found.kind();
                error(
                    Code::OperandTypes,
                    &format!("the function must give an atom, not {kind}"),
                )
                .at(*at, format!("this gives {kind}"))
            }
            Cause::Captured => here(
                Code::OperandTypes,
                "a function of keys and queries cannot read an s-op of its own",
                "at the key's position, or at the query's?",
            ),
            Cause::NoNumbers((meta, at)) => {
                let message = format!("{} cannot be encoded as numbers", self.describe(meta));
                error(Code::OperandTypes, &message).at(*at, "no number")
            }
            Cause::StepZero => here(
                Code::ArithmeticFailed,
                "the step of `range` is 0",
                "this would never end",
            ),
            Cause::Lengths(lengths) => {
                let first = lengths.first().copied().unwrap_or((0, self.whole));
                let other = lengths.iter().find(|(length, _)| *length != first.0);
                let (length, at) = other.copied().unwrap_or(first);
                error(Code::WrongCount, "`zip` takes lists of one length")
                    .at(at, format!("this has {}", counted(length, "element")))
                    .at(first.1, format!("this has {}", first.0))
            }
            Cause::NoTimes(side) => {
                let message = "how often a `repeat` runs is an int from 0 on".to_string();
                let label =
                    |text: String| Diagnostic::error(Code::BadRepeat, &*message).at(side.1, text);
                match &side.0 {
                    Meta::Atom(value) => label(format!("this is {}", value.source())),
                    Meta::SOp(_) => label("this is an s-op".to_string())
                        .note("its rounds are layers: they are there before an input is"),
                    other => label(format!("this is {}", other.kind())),
                }
            }
            Cause::NotCarried(ident) => {
                let message = format!("the body of this `repeat` never sets `{}`", ident.name);
                let label = "this would be the same in every round";
                error(Code::BadRepeat, &message).at(ident.span, label)
            }
            Cause::CarriedTwice(ident) => {
                let message = format!("`{}` is carried twice", ident.name);
                error(Code::BadRepeat, &message).at(ident.span, "there is one before it")
            }
            Cause::NoLongest(side) => {
                let is_int = side.0.as_atom().is_some_and(|atom| atom.as_int().is_some());
                let message = "`max_length` is a positive int";
                match is_int {
                    true => error(Code::OperandTypes, message).at(side.1, "this is not positive"),
                    false => found(Code::OperandTypes, message.to_string(), side),
                }
            }
            Cause::NoVocabulary(side) => {
                let message = "a vocabulary is a string or a list of tokens";
                match side.0.as_tokens() {
                    Some(_) => error(Code::BadInput, message).at(side.1, "this is empty"),
                    None => found(Code::BadInput, message.to_string(), side),
                }
            }
            Cause::NotLoaded { path, reason } => here(
                Code::FileNotFound,
                &format!("`{}` could not be loaded", visible::name(path)),
                reason,
            ),
            Cause::Cycle { files, loads } => {
                let message = match files.as_slice() {
                    [_, _] => "this file loads itself",
                    _ => "these files load each other",
                };
                let error = here(Code::LoadCycle, message, "this closes the cycle");
                let load = |error: Diagnostic, (name, at): &(String, Span)| {
                    error.at(*at, format!("`{}` is loaded here", visible::name(name)))
                };
                loads
                    .iter()
                    .fold(error, load)
                    .note(visible::name(&files.join(" loads ")))
            }
            Cause::LoadedErrors { path, .. } => {
                let label = "loaded here; its errors come before this one";
                let message = format!("`{}` has errors", visible::name(path));
                here(Code::FileNotFound, &message, label).following()
            }
            Cause::Unmet(values) => {
                let error = error(Code::AssertionFailed, "this assertion does not hold");
                let shown = |error: Diagnostic, (meta, at): &Side| {
                    error.at(*at, format!("this is {}", meta.repr()))
                };
                values.iter().fold(error, shown)
            }
        }
    }
}
