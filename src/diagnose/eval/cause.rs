//! The rules: for each cause what happened, the places that it is about, and what was probably meant.
//! What takes more than a few lines is a method in the files named after the themes.

use super::input::explain;
use super::mend::{Needed, same_count};
use super::quote::{arguments, counted, letters, operand, takes};
use super::scene::{Scene, Side, kinds};
use super::wrong::{defined, indices_of, is_selector, known_keys, role};
use crate::base::control::INTERRUPTED;
use crate::base::suggest::nearest;
use crate::base::{Code, Diagnostic, Span, Suggestion, visible};
use crate::eval::Meta;
use crate::eval::fault::Cause;
use crate::interpret::fault::code_of;
use crate::value::{Op, Value};

impl Scene<'_> {
    /// What happened and where, and what to do about it; nothing of what follows from a failed `load`.
    pub(super) fn told(&self, cause: &Cause) -> Option<Diagnostic> {
        Some(rules! { self, cause;
            Cause::Interrupted => error!(Interrupted, "{INTERRUPTED}");
            Cause::Limit(limit) => self.limit(limit);
            Cause::OnInput { error, roots } =>
                explain(self.evaluator, (**error).clone(), roots);
            Cause::Undefined(name) => self.undefined(name)?;
            Cause::Reserved(ident) =>
                where name = &ident.name;
                where (role, other) = (role(name), name.to_lowercase());
                error!(ReservedName, "`{name}` may not be redefined"),
                at ident.span, "this name is reserved",
                note "{role}",
                help "choose another name, like `my_{other}`";

            Cause::NotCallable(meta) =>
                where kind = meta.kind();
                error!(NotCallable, "{kind} cannot be called"),
                at self.function().map_or(self.whole, |id| self.span(id)), "this is {kind}",
                note "functions can be called, and s-ops, selectors and scorers applied to an input",
                mend self.called(meta);
            Cause::Arguments { called, callable, wrong } =>
                where names = callable.single().iter().map(|(name, _)| &**name);
                where error = self.arguments_of(called, &takes(callable, "argument"), names, wrong);
                defined(error, callable),
                mend self.usage_of(called, callable);
            Cause::BuiltinArguments(builtin, wrong) =>
                where (name, names) = (builtin.name(), builtin.parameters());
                self.arguments_of(name, &super::name::takes(*builtin), names, wrong),
                mend self.builtin_call(*builtin, wrong);
            Cause::Arity(callable, given, at) =>
                where (name, takes) = (&callable.name, takes(callable, "argument"));
                where given_here = arguments(*given);
                where error = error!(WrongArguments, "`{name}` takes {takes}, not {given}");
                where error = error.at(*at, format!("this is called with {given_here}"));
                match callable.definition().is_some_and(|defined| at.contains(defined)) {
                    true => error,
                    false => defined(error, callable),
                },
                mend self.taking(*given, *at);
            Cause::BuiltinHandedOver(builtin, at) =>
                where name = builtin.name();
                error!(NotCallable, "`{name}` cannot be passed on by itself"),
                at *at, "this is a built-in function",
                mend self.put("wrap it", *at, format!("lambda x: {name}(x)"));
            Cause::InputCount(applied, given) =>
                where kind = applied.kind();
                error!(WrongArguments, "{kind} is applied to one input, not to {given}"),
                at self.whole, "applied here",
                mend self.function().and_then(|id| self.text(id))
                    .map(|text| format!("apply it to one input: `{text}(\"hello\")`"));
            Cause::NoInput(applied, input) =>
                where kind = input.0.kind();
                match input.0.as_tokens() {
                    Some(_) => error!(BadInput, "an input needs at least one token")
                        .at(input.1, "this is empty"),
                    None => error!(BadInput, "{kind} is no input")
                        .at(input.1, format!("this is {kind}")),
                },
                note "an input is a string, whose characters are the tokens, or a list of atoms",
                mend self.input(applied.as_ref(), input);

            Cause::Operands { op, sides } => self.operands(op, sides), mend self.fitting(op, sides);
            Cause::Failed(failure, at) =>
                Diagnostic::error(code_of(failure.kind), &failure.message),
                at *at, "computed here",
                mend self.of_failure(failure.kind, *at);
            Cause::SelectorOperand(op, sides) => self.selector_operand(op, sides);
            Cause::SelectorAndOther(operator, sides) =>
                where symbol = operator.symbol();
                where other = sides.iter().find(|(meta, _)| !is_selector(meta)).unwrap_or(&sides[0]);
                match self.handed_over(other.1) {
                    Some((name, at)) => self.not(
                        error!(SelectorExpected, "`{name}` takes a selector"),
                        &(other.0.clone(), at),
                    ),
                    None => {
                        let error = error!(SelectorExpected, "`{symbol}` combines two selectors");
                        self.shown_selectors(self.not(error, other), sides)
                    }
                },
                mend self.as_selector(other);
            Cause::NoSOp(side) =>
                where code = match side.0 {
                    Meta::Selector(_) => Code::SelectorMisused,
                    _ => Code::AtomExpected,
                };
                where found = self.handed_over(side.1);
                where needed = match &found {
                    Some((name, _)) => format!("`{name}` takes an s-op or an atom"),
                    None => "an s-op or an atom is needed here".to_string(),
                };
                Diagnostic::error(code, needed),
                not &(side.0.clone(), found.map_or(side.1, |(_, at)| at)),
                mend self.sop(side);
            Cause::SelectorAsCondition(at) =>
                error!(SelectorMisused, "a selector is neither true nor false"),
                at *at, "this is a selector",
                mend self.mend_part(
                    "to ask at each position whether a key is selected",
                    *at,
                    |selector| format!("has_focus({selector})"),
                );
            Cause::ComparesSOps =>
                error!(AtomExpected, "an s-op has no values yet that could be compared here"),
                at self.whole, "compares an s-op inside a list or dict",
                help "compare the s-ops themselves, position by position: `a == b`";
            Cause::StraySpread(at) =>
                error!(WrongArguments, "built-in functions and s-ops take their arguments one by one"),
                at *at, "a list that is taken apart",
                help "hand over the list itself, or its elements by their index";
            Cause::StrayOperator(comparison) =>
                where symbol = comparison.symbol();
                error!(WrongArguments, "`{symbol}` can only stand as the third argument of `select`"),
                at self.whole, "an operator without operands",
                mend self.becomes(
                    "to hand over a comparison write a function",
                    format!("lambda a, b: a {symbol} b"),
                );

            Cause::NotIndexable(meta) =>
                where kind = meta.kind();
                error!(BadIndex, "{kind} cannot be indexed"),
                at self.whole, "this indexes {kind}",
                note "lists, dicts, strings and s-ops can be indexed",
                mend self.unindexed(meta);
            Cause::BadIndex(container, index) =>
                where (kind, by) = (container.kind(), index.0.kind());
                where found = self.describe(&index.0);
                where indices = match container {
                    Meta::SOp(_) => "an int",
                    Meta::Dict(_) => "an atom or an s-op",
                    _ => "an int or an s-op",
                };
                error!(BadIndex, "{kind} is indexed by {indices}, not by {by}"),
                at index.1, "this is {found}",
                mend self.index(container, index);
            Cause::OutOfRange { index, length, string, at } =>
                where what = if *string { "string" } else { "list" };
                where indices = indices_of(*length);
                where (which, nearest) = if *index < 0 { ("first", "0") } else { ("last", "-1") };
                error!(BadIndex, "index {index} is out of range for a {what} of length {length}"),
                at *at, "{indices}",
                mend self.put(&format!("for the {which} element"), *at, nearest)
                    .filter(|_| *length > 0);
            Cause::NoKey(dict, key, at) =>
                where (missing, keys) = (key.source(), known_keys(dict));
                error!(BadIndex, "there is no key {missing} in the dict"),
                at *at, "{keys}",
                mend nearest_key(dict, key).map(|meant| {
                    Suggestion::edit(format!("did you mean `{meant}`?"), *at, meant)
                });
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
            Cause::Membership(sides) => self.not_in(sides), mend self.membership(sides);
            Cause::NotSpread(side) =>
                where kind = side.0.kind();
                error!(NotIterable, "`*` takes a list apart, or stands before an s-op, not {kind}"),
                at side.1, "this is {kind}",
                mend self.iterated(side);
            Cause::NotIterable(side) =>
                where kind = side.0.kind();
                where error = error!(NotIterable, "a loop runs over a list or a dict, not over {kind}");
                where error = error.at(side.1, format!("this is {kind}"));
                match side.0 {
                    Meta::SOp(_) => error.note(
                        "an s-op has no values until it is given an input; operators work on all \
                         its positions at once",
                    ),
                    _ => error,
                },
                mend self.iterated(side);
            Cause::NotSeveral { found: (item, at), count, element } =>
                where (kind, of) = (item.kind(), self.named_element(element.is_some(), *at));
                error!(WrongCount, "{kind} cannot be taken apart into {count} values"),
                at *at, "{of} is {kind}",
                mend self.apart_into(*count, item, (*at, *element));
            Cause::Count { names, values, at, element } =>
                where (few, given) = (counted(*names, "name"), counted(*values, "value"));
                where error = error!(WrongCount, "{few}, but {given}");
                match at {
                    None => error.at(self.whole, "as many values as names are needed"),
                    Some(at) => {
                        let of = self.named_element(element.is_some(), *at);
                        error.at(*at, format!("{of} has {}", counted(*values, "element")))
                    }
                },
                mend match element {
                    Some((number, item)) if *number > 0 => same_count(item, *names),
                    _ => Some(as_many_names(*values)),
                };
            Cause::DictKey(side) => error!(AtomExpected, "a key of a dict is an atom"), not side,
                help "write an atom as the key, like `{{\"a\": 1}}`";

            Cause::NoComparison(id) =>
                error!(WrongArguments, "the third argument of `select` is a comparison"),
                at self.span(*id), "not a comparison operator",
                note "the comparisons are ==, !=, <, <=, > and >=, without quotes",
                mend self.comparison(*id);
            Cause::KeysAndQueries(comparison, sides @ [keys, queries]) =>
                where [key, query] = sides.each_ref().map(|(meta, _)| self.describe(meta));
                where symbol = comparison.symbol();
                error!(OperandTypes, "`{symbol}` does not compare keys and queries of these types: \
                                      {key} and {query}"),
                at keys.1, "the keys are {key}",
                at queries.1, "the queries are {query}",
                mend self.fitting(&Op::Compare(*comparison), sides).or_else(|| {
                    self.put("compare what has one type", queries.1, self.written(keys.1)?)
                });
            Cause::NoSelector(side) =>
                where found = self.describe(&side.0);
                match self.swapped() {
                    Some(values) => error!(
                        SelectorExpected,
                        "the arguments of `aggregate` are swapped: the selector comes first"
                    )
                    .at(side.1, format!("this is {found}"))
                    .at(values, "this is the selector"),
                    None => self.not(
                        error!(SelectorExpected, "the first argument of `aggregate` is a selector"),
                        side,
                    )
                    .note("`select(keys, queries, comparison)` makes a selector"),
                },
                mend self.selector(side);
            Cause::NoDefault(values, given) =>
                error!(AtomExpected, "the default of `aggregate` is an atom"), not given,
                mend self.default(values, given);
            Cause::NoScore(at) =>
                error!(WrongArguments, "the third argument of `score` is a function of a key and a query"),
                at *at, "not a function",
                help "for example `score(indices, indices, lambda key, query: key)`";
            Cause::ScoreTypes(types, counts, at) =>
                where given = kinds(*types);
                error!(OperandTypes, "a score is a number, but this gives {given}"),
                at *at, "this gives {given}",
                mend self.with_parameters(*counts, *at);
            Cause::PredicateArity(function, counts @ [keys, queries], at) =>
                where (takes, signature) = (takes(function, "value"), function.signature());
                error!(WrongArguments, "the function takes {takes}, but there are {keys} of keys and \
                                        {queries} of queries"),
                at *at, "this is `{signature}`",
                note "it is called with the keys' values first, then with the queries'",
                mend self.with_parameters(*counts, *at);
            Cause::PredicateResult(found, counts, at) =>
                where kind = found.kind();
                error!(OperandTypes, "the function must give an atom, not {kind}"),
                at *at, "this gives {kind}",
                mend self.with_parameters(*counts, *at);
            Cause::NotBest(true, side) =>
                error!(SelectorExpected, "`select_best` takes a selector here"), not side,
                help "make one with `select(indices, indices, <=)`";
            Cause::NotBest(false, side) =>
                error!(SelectorExpected, "`select_best` takes a scorer here"), not side,
                help "make one with `score(indices, indices, lambda key, query: key)`";
            Cause::Captured =>
                error!(OperandTypes, "a function of keys and queries cannot read an s-op of its own"),
                at self.whole, "at the key's position, or at the query's?",
                help "hand it over among the keys or the queries, like \
                      `select((tokens, indices), tokens, lambda a, b, c: a == c and b > 0)`";

            Cause::NoList(builtin, side) =>
                where name = builtin.name();
                error!(OperandTypes, "`{name}` takes a list"), not side,
                mend self.listed(*builtin, side);
            Cause::NoIndicator(side) => error!(OperandTypes, "`indicator` takes an s-op"), not side,
                mend self.indicated(side);
            Cause::NoFunction(side) =>
                error!(NotCallable, "the second argument of `zipmap` is a function"), not side,
                help "for example `zipmap((tokens, indices), lambda t, i: t == \"a\" and i > 0)`";
            Cause::NoNumbers(side) =>
                where found = self.describe(&side.0);
                error!(OperandTypes, "{found} cannot be encoded as numbers"),
                at side.1, "no number",
                mend self.as_numbers(std::slice::from_ref(side)).or_else(|| {
                    let sop = self.written(side.1)?;
                    self.becomes("each value for itself", format!("categorical({sop})"))
                });
            Cause::NoBound(side @ (Meta::SOp(_), _)) => error!(OperandTypes, "`range` takes ints"), not side,
                help "an s-op has no values until it is given an input; the positions of the input \
                      are the s-op `indices`";
            Cause::NoBound(side) => error!(OperandTypes, "`range` takes ints"), not side,
                mend self.need(side, Needed::Int);
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
                at first.1, "this has {length}",
                mend self.cut(lengths);

            Cause::NoTimes(side) => self.no_times(side);
            Cause::NotCarried(ident) =>
                where name = &ident.name;
                error!(BadRepeat, "the body of this `repeat` never sets `{name}`"),
                at ident.span, "this would be the same in every round",
                help "set it in the body, or define it before: `{name} = …;`";
            Cause::CarriedTwice(ident) =>
                where name = &ident.name;
                error!(BadRepeat, "`{name}` is carried twice"),
                at ident.span, "there is one before it",
                help "carry each name once";
            Cause::NotDrawn(side) => error!(AtomExpected, "`draw` draws an s-op or a selector"), not side;
            Cause::NoLongest(side) =>
                where kind = match side.0.as_atom().is_some_and(|atom| atom.as_int().is_some()) {
                    true => "not positive",
                    false => side.0.kind(),
                };
                error!(OperandTypes, "`max_length` is a positive int"),
                at side.1, "this is {kind}",
                help "write a number of tokens: `set max_length 8`";
            Cause::NoVocabulary(side) =>
                where kind = side.0.as_tokens().map_or(side.0.kind(), |_| "empty");
                error!(BadInput, "a vocabulary is a string or a list of tokens"),
                at side.1, "this is {kind}",
                help "write at least one token: `set vocab \"abc\"` or `set vocab [1, 2]`";
            Cause::NotLoaded { path, reason } =>
                where name = visible::name(path);
                error!(FileNotFound, "`{name}` could not be loaded"),
                at self.whole, "{reason}",
                mend self.module(path);
            Cause::Cycle { files, loads } => self.cycle(files, loads);
            Cause::LoadedErrors { path, file } =>
                where (name, file) = (visible::name(path), visible::name(file));
                error!(FileNotFound, "`{name}` has errors").following(),
                at self.whole, "loaded here; its errors come before this one",
                help "mend them first; `rasp check {file}` shows them alone";
            Cause::Unmet(values) =>
                values.iter().fold(
                    error!(AssertionFailed, "this assertion does not hold"),
                    |error, (meta, at)| error.at(*at, format!("this is {}", meta.repr())),
                ),
                mend self.right_value(values);
            Cause::NoTruth(side) => error!(AssertionFailed, "an assertion needs a truth value"), not side,
                mend self.written(side.1).map(|text| {
                    let (what, condition) = ("say on which input, and what it gives there", operand(&text));
                    format!("{what}, like `assert {condition}(\"ab\") == …;`")
                });
        })
    }

    /// Says what stands where something else is needed.
    pub(super) fn not(&self, mut error: Diagnostic, (meta, at): &Side) -> Diagnostic {
        let kind = self.describe(meta);
        error.message += &format!(", not {kind}");
        error.at(*at, format!("this is {kind}"))
    }

    /// How often a `repeat` runs is no number.
    fn no_times(&self, side: &Side) -> Diagnostic {
        let error = error!(BadRepeat, "how often a `repeat` runs is an int from 0 on");
        match &side.0 {
            Meta::Atom(value) => error.at(side.1, format!("this is {}", value.source())),
            Meta::SOp(_) => error
                .at(side.1, "this is an s-op")
                .note("its rounds are layers: they are there before an input is")
                .help("write a number that is enough for the longest input: `repeat 8 (…) { … }`"),
            other => error.at(side.1, format!("this is {}", other.kind())),
        }
    }

    /// Files that load each other, and the loads that closed the cycle.
    fn cycle(&self, files: &[String], loads: &[(String, Span)]) -> Diagnostic {
        let (message, help) = match files {
            [_, _] => ("this file loads itself", "remove this `load`"),
            _ => (
                "these files load each other",
                "move what both need into a third file and load that from both",
            ),
        };
        let error = Diagnostic::error(Code::LoadCycle, message);
        let error = error.at(self.whole, "this closes the cycle");
        loads
            .iter()
            .fold(error, |error, (name, at)| {
                error.at(*at, format!("`{}` is loaded here", visible::name(name)))
            })
            .note(visible::name(&files.join(" loads ")))
            .help(help)
    }

    /// A value that cannot be taken apart: an element like those before it, or a name for all of it.
    fn apart_into(
        &self,
        count: usize,
        item: &Meta,
        (at, element): (Span, Option<usize>),
    ) -> Option<Suggestion> {
        match (item, element) {
            (_, Some(1..)) => same_count(item, count),
            (Meta::SOp(_), _) => {
                let text = self.written(at)?;
                let values = (0..count.min(4)).map(|k| format!("{text}[{k}]"));
                let values = values.collect::<Vec<_>>().join(", ");
                Some(format!("for the values at the first positions: `{values}`").into())
            }
            _ => Some("a single value takes one name, like `a`".into()),
        }
    }
}

/// The key of a dict that was probably meant, as it is written.
fn nearest_key(dict: &Meta, key: &Value) -> Option<String> {
    let (Meta::Dict(dict), Value::Str(key)) = (dict, key) else {
        return None;
    };
    let keys = dict.iter().filter_map(|(key, _)| match key {
        Value::Str(text) => Some(&**text),
        _ => None,
    });
    Some(Value::str(nearest(key, keys)?).source())
}

/// As many names as there are values.
fn as_many_names(values: usize) -> Suggestion {
    match values {
        1 => "write one name, like `a`".into(),
        2..=6 => {
            let (count, names) = (counted(values, "name"), letters(values).join(", "));
            format!("write {count}, like `{names}`").into()
        }
        _ => format!("write {}", counted(values, "name")).into(),
    }
}
