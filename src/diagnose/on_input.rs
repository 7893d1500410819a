//! Faults of the interpreter in words: why an s-op has no value on an input, where in the program, and
//! where in the input.

use crate::base::control::INTERRUPTED;
use crate::base::{Code, Diagnostic, Span};
use crate::graph::{SOp, SOpId};
use crate::interpret::fault::{Cause, InGraph, Pairs};
use crate::value::{Failure, Value};

/// Why a primitive has no result.
impl From<&Failure> for Diagnostic {
    fn from(failure: &Failure) -> Diagnostic {
        rules! { failure;
            Failure::Types(symbol, values) =>
                where kinds = values.iter().map(Value::kind).collect::<Vec<_>>().join(" and ");
                where these = match &**values {
                    [a, b] => format!(": `{} {symbol} {}`", shown(a), shown(b)),
                    _ => String::new(),
                };
                error!(OperandTypes, "`{symbol}` does not work on {kinds}{these}");
            Failure::NoIndex(kind, index) =>
                error!(OperandTypes, "a {kind} is indexed by an int, not by {}", index.kind());
            Failure::Overflow(symbol, values, _) =>
                where written = match &**values {
                    [a, b] => format!("{a} {symbol} {b}"),
                    values => format!("{symbol}({})", values.iter().map(Value::to_string).collect::<String>()),
                };
                error!(Overflow, "`{written}` does not fit in 64 bits");
            Failure::DivisionByZero(operands) =>
                where [a, b] = operands.each_ref().map(shown);
                error!(ArithmeticFailed, "division by zero: `{a} / {b}`");
            Failure::RemainderByZero(operands) =>
                where [a, b] = operands.each_ref().map(shown);
                error!(ArithmeticFailed, "remainder of a division by zero: `{a} % {b}`");
            Failure::ZeroToNegative(operands) =>
                where [a, b] = operands.each_ref().map(plain);
                error!(ArithmeticFailed, "zero cannot be raised to a negative power: `{a} ^ {b}`");
            Failure::NegativeToFraction(operands) =>
                where [a, b] = operands.each_ref().map(plain);
                error!(ArithmeticFailed,
                    "a negative number raised to a fraction is not a real number: `({a}) ^ {b}`");
            Failure::LargePower(operands) =>
                where [a, b] = operands.each_ref().map(plain);
                error!(ArithmeticFailed, "the power is too large for a float: `{a} ^ {b}`");
            Failure::RoundedNan => error!(ArithmeticFailed, "NaN cannot be rounded to an int");
            Failure::LongString(bytes, most) =>
                error!(LimitReached, "the limit `string_bytes` of {most} bytes in a string is reached: \
                                      this one has {bytes}");
            Failure::NotInt(value) => error!(BadToken, "{} is not an int", value.source());
            Failure::LargeInt(value) => error!(BadToken, "{value} is not an int of 64 bits");
            Failure::NotFloat(value) => error!(BadToken, "{} is not a float", value.source());
            Failure::NoKey(key) => error!(BadIndex, "there is no key {} in the dict", key.source());
            Failure::OutOfRange { index, length, kind } =>
                error!(BadIndex, "index {index} is out of range for a {kind} of length {length}");
        }
    }
}

/// A value as source text, cut if it is long.
fn shown(value: &Value) -> String {
    let source = value.source();
    match source.char_indices().nth(24) {
        Some((end, _)) => format!("{}…", &source[..end]),
        None => source,
    }
}

/// A float that may have been an int, as short as possible.
fn plain(value: &Value) -> String {
    let float = value.as_float();
    float.map_or(String::new(), |float| float.to_string())
}

/// Why there is no value, without where.
impl From<&Cause> for Diagnostic {
    fn from(cause: &Cause) -> Diagnostic {
        rules! { cause;
            Cause::Interrupted => error!(Interrupted, "{INTERRUPTED}");
            Cause::NoTokens => error!(BadInput, "an s-op needs an input of at least one token");
            Cause::NotGiven =>
                error!(BadInput, "what this part of the program is given is not known");
            Cause::Primitive(failure) => Diagnostic::from(failure);
            Cause::Mixed([(first, a), (second, b)]) =>
                error!(MixedTypes, "numbers and strings in one s-op: {} at position {first} and \
                                    {} at position {second}", a.source(), b.source());
            Cause::NoMean(count, of, shown) =>
                error!(MeanOfNonNumbers, "{count} values are selected at once, but {} have no mean{}",
                    of.name(), listed(shown));
            Cause::NoWeightedMean(count, of) =>
                error!(MeanOfNonNumbers, "{count} values have a weight at once, but {} have no mean",
                    of.name());
            Cause::NoScore(score) =>
                error!(OperandTypes, "a score is a number, not {}", score.source());
            Cause::NoWeight(weight) =>
                error!(ArithmeticFailed,
                    "a weight is {weight}, but weights are finite and not negative");
            Cause::NoOrder(comparison, types) =>
                where ([keys, queries], symbol) = (types.map(|it| it.name()), comparison.symbol());
                error!(OperandTypes,
                    "`{symbol}` does not work on {keys} as keys and {queries} as queries");
            Cause::Pairs(most, Pairs::Scores(keys, queries)) =>
                error!(LimitReached, "the limit `pairs` of {most} is reached: a score between {keys} \
                                      different keys and {queries} different queries, {EACH}");
            Cause::Pairs(most, Pairs::Selector(keys, queries)) =>
                error!(LimitReached, "the limit `pairs` of {most} is reached: a selector of {keys} \
                                      keys and {queries} queries, {EACH}");
            Cause::Pairs(most, Pairs::Weights(pairs)) =>
                error!(LimitReached, "the limit `pairs` of {most} is reached: {pairs} keys have a \
                                      weight for a query");
            Cause::Shown { what, tokens, bytes, limit } =>
                error!(LimitReached, "the limit `memory_bytes` of {limit} bytes is reached: {what} \
                                      on {tokens} tokens takes {bytes}"),
                help "show it on a shorter input";
        }
    }
}

/// What the limit on pairs is there for.
const EACH: &str = "and no way is known but to look at each pair";

/// Selected values that are shown.
const SHOWN: usize = 5;

/// At its place in the program. What the language gives has none: then it is where an s-op that the
/// roots need reads it.
impl From<InGraph<'_>> for Diagnostic {
    fn from(it: InGraph) -> Diagnostic {
        let (fault, graph) = (&it.failed.fault, it.graph);
        let error = Diagnostic::from(&fault.cause);
        let at = |position: usize| {
            let token = it.failed.token(position).map(Value::source);
            format!("at position {position}, {}", token.unwrap_or_default())
        };
        let place = fault.sop.map(|id| (id, graph.get(id)));
        rules! { (place, &fault.score, &fault.cause);
            (place, Some(score), _) =>
                where weighted = place.filter(|(_, sop)| matches!(sop, SOp::WeightedMean { .. }));
                where (key, query) = (at(score.key), at(score.query));
                match weighted {
                    Some((id, _)) => error.at(graph.span(id), "this fails"),
                    None => error,
                },
                at graph.scorer_span(score.scorer), "for the key {key}, and the query {query}";
            (None, ..) => error;
            (Some((id, SOp::Tokens)), ..) => placed(&it, id, error),
                help "give numbers alone, like `[1, 2]`, or strings alone, like `[\"1\", \"2\"]`";
            (Some((id, SOp::Aggregate { default, .. })), _, Cause::Mixed(_)) =>
                where default = default.source();
                placed(&it, id, error),
                note "a position that selects nothing gets the default, here {default}";
            (Some((id, _)), ..) => placed(&it, id, error);
        }
    }
}

/// The same where a result may be one.
impl From<InGraph<'_>> for Box<Diagnostic> {
    fn from(it: InGraph) -> Box<Diagnostic> {
        Box::new(it.into())
    }
}

/// Values that were selected; of many the first.
fn listed(values: &[Value]) -> String {
    let shown = values.iter().take(SHOWN).map(Value::source);
    let shown = shown.collect::<Vec<_>>().join(", ");
    match values.len() {
        0 => shown,
        1..=SHOWN => format!(": {shown}"),
        _ => format!(": {shown}, …"),
    }
}

/// Shows where it failed, and where operands were made that are only named there.
fn placed(it: &InGraph, id: SOpId, error: Diagnostic) -> Diagnostic {
    let (failed, graph) = (&it.failed, it.graph);
    let (fault, sop) = (&failed.fault, graph.get(id));
    let is_input = matches!(sop, SOp::Tokens);
    let place = |name: &str| match (fault.position, &fault.cause) {
        (Some(at), _) => match failed.token(at).map(Value::source) {
            Some(token) => format!("{name} fails at position {at}, where the token is {token}"),
            None => format!("{name} fails at position {at}"),
        },
        (None, _) if is_input => "the input itself mixes them".to_string(),
        (None, Cause::Mixed(_)) => "here they meet".to_string(),
        (None, _) => format!("{name} fails"),
    };
    let span = graph.span(id);
    if span == Span::BUILT_IN {
        // Where an s-op of the program reads it.
        let reads = |reader: &SOpId| graph.dependencies(*reader).contains(&id);
        let readers = graph.reachable(&failed.roots).into_iter().filter(reads);
        let mut places = readers.map(|id| graph.span(id));
        let place_of = places.find(|span| *span != Span::BUILT_IN && !is_input);
        return match place_of {
            Some(at) => error.at(at, place(&format!("`{}`", graph.describe(id)))),
            None => error.note(place("this")),
        };
    }
    let operands = matches!(sop, SOp::Map { .. }).then(|| graph.dependencies(id));
    let operands = operands.unwrap_or_default();
    let named = operands.iter().filter(|id| {
        let made = graph.span(**id);
        let constant = matches!(graph.get(**id), SOp::Constant(_));
        !constant && made.source == span.source && !span.contains(made)
    });
    named.fold(error.at(span, place("this")), |error, id| {
        let name = graph.name(*id).map(|name| format!("`{name}`"));
        let name = name.unwrap_or("an operand".to_string());
        error.at(graph.span(*id), format!("{name} is made here"))
    })
}
