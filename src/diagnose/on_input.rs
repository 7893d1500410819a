//! Faults of the interpreter in words: why an s-op has no value on an input, where in the program, and
//! where in the input.

use crate::base::control::INTERRUPTED;
use crate::base::{Code, Diagnostic, Span};
use crate::graph::{Graph, SOp, SOpId};
use crate::interpret::fault::{Cause, Failed, Fault, Pairs, Score, code_of};
use crate::value::Value;

/// Why there is no value, without where.
impl From<&Cause> for Diagnostic {
    fn from(cause: &Cause) -> Diagnostic {
        rules! { (), cause;
            Cause::Interrupted => error!(Interrupted, "{INTERRUPTED}");
            Cause::NoTokens => error!(BadInput, "an s-op needs an input of at least one token");
            Cause::NotGiven =>
                error!(BadInput, "what this part of the program is given is not known");
            Cause::Primitive(failure) =>
                Diagnostic::error(code_of(failure.kind), &failure.message);
            Cause::Mixed([(first, a), (second, b)]) =>
                where (a, b) = (a.source(), b.source());
                error!(MixedTypes, "numbers and strings in one s-op: {a} at position {first} and \
                                    {b} at position {second}");
            Cause::NoMean(count, of, shown) =>
                where (of, shown) = (of.name(), listed(shown));
                error!(MeanOfNonNumbers,
                    "{count} values are selected at once, but {of} have no mean{shown}");
            Cause::NoWeightedMean(count, of) =>
                where of = of.name();
                error!(MeanOfNonNumbers,
                    "{count} values have a weight at once, but {of} have no mean");
            Cause::NoScore(score) =>
                where score = score.source();
                error!(OperandTypes, "a score is a number, not {score}");
            Cause::NoWeight(weight) =>
                error!(ArithmeticFailed,
                    "a weight is {weight}, but weights are finite and not negative");
            Cause::NoOrder(comparison, types) =>
                where ([keys, queries], symbol) = (types.map(|it| it.name()), comparison.symbol());
                error!(OperandTypes,
                    "`{symbol}` does not work on {keys} as keys and {queries} as queries");
            Cause::Pairs(most, pairs) =>
                where what = what(*pairs);
                error!(LimitReached, "the limit `pairs` of {most} is reached: {what}");
            Cause::Shown { what, tokens, bytes, limit } =>
                error!(LimitReached, "the limit `memory_bytes` of {limit} bytes is reached: {what} \
                                      on {tokens} tokens takes {bytes}"),
                help "show it on a shorter input";
        }
    }
}

/// At its place in the program. What the language gives has none: then it is where an s-op that the
/// roots need reads it.
impl From<Failed<'_>> for Diagnostic {
    fn from(failed: Failed) -> Diagnostic {
        let Failed { fault, graph, .. } = failed;
        let error = Diagnostic::from(&fault.cause);
        match (graph.get(fault.sop), &fault.score, &fault.cause) {
            (sop, Some(score), _) => {
                let weighted = matches!(sop, SOp::WeightedMean { .. });
                let place = weighted.then(|| graph.span(fault.sop));
                let error = place.map_or(error.clone(), |at| error.at(at, "this fails"));
                let pair = pair(score, failed.input);
                error.at(graph.scorer_span(score.scorer), pair)
            }
            (SOp::Tokens, ..) => told!(
                placed(&failed, error),
                help "use `tokens`, the tokens as strings, or give an input like `[1, 2]`"
            ),
            (SOp::Aggregate { default, .. }, _, Cause::Mixed(_)) => {
                let note = "a position that selects nothing gets the default, here";
                let error = error.note(format!("{note} {}", default.source()));
                placed(&failed, error)
            }
            _ => placed(&failed, error),
        }
    }
}

/// Values that were selected; of many the first.
fn listed(values: &[Value]) -> String {
    let shown = values.iter().take(SHOWN).map(Value::source);
    let more = (values.len() > SHOWN).then(|| "…".to_string());
    match shown.chain(more).collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => none,
        shown => format!(": {shown}"),
    }
}

/// Selected values that are shown.
const SHOWN: usize = 5;

fn what(pairs: Pairs) -> String {
    let each = "and no way is known but to look at each pair";
    match pairs {
        Pairs::Scores(keys, queries) => {
            format!("a score between {keys} different keys and {queries} different queries, {each}")
        }
        Pairs::Selector(keys, queries) => {
            format!("a selector of {keys} keys and {queries} queries, {each}")
        }
        Pairs::Weights(pairs) => format!("{pairs} keys have a weight for a query"),
    }
}

/// For which key and which query a score fails.
fn pair(score: &Score, input: &[Value]) -> String {
    let [key, query] = [score.key, score.query].map(|position| {
        let token = input.get(position).map_or(String::new(), Value::source);
        format!("at position {position}, {token}")
    });
    format!("for the key {key}, and the query {query}")
}

/// Shows where it failed, and where operands were made that are only named there.
fn placed(failed: &Failed, error: Diagnostic) -> Diagnostic {
    let Failed { fault, graph, .. } = *failed;
    let tokens = matches!(graph.get(fault.sop), SOp::Tokens);
    let place = match (fault.position, &fault.cause) {
        (Some(position), _) => match failed.input.get(position) {
            Some(token) => {
                let token = token.source();
                format!("this fails at position {position}, where the token is {token}")
            }
            None => format!("this fails at position {position}"),
        },
        (None, _) if tokens => "the input itself mixes them".to_string(),
        (None, Cause::Mixed(_)) => "here they meet".to_string(),
        (None, _) => "this fails".to_string(),
    };
    let span = graph.span(fault.sop);
    if span != Span::BUILT_IN {
        return made(graph, fault, error.at(span, place));
    }
    match read_at(failed).filter(|_| !tokens) {
        Some(at) => {
            let name = graph.describe(fault.sop);
            error.at(at, place.replacen("this", &format!("`{name}`"), 1))
        }
        None => error.note(place),
    }
}

/// Where an s-op of the program reads what failed.
fn read_at(failed: &Failed) -> Option<Span> {
    let graph = failed.graph;
    let reads = |id: &SOpId| graph.dependencies(*id).contains(&failed.fault.sop);
    let readers = graph.reachable(failed.roots).into_iter().filter(reads);
    let mut places = readers.map(|id| graph.span(id));
    places.find(|span| *span != Span::BUILT_IN)
}

fn made(graph: &Graph, fault: &Fault, error: Diagnostic) -> Diagnostic {
    let SOp::Map { operands, .. } = graph.get(fault.sop) else {
        return error;
    };
    let span = graph.span(fault.sop);
    let named = operands.iter().filter(|id| {
        let made = graph.span(**id);
        let constant = matches!(graph.get(**id), SOp::Constant(_));
        !constant && made.source == span.source && !span.contains(made)
    });
    named.fold(error, |error, id| {
        let text = match graph.name(*id) {
            Some(name) => format!("`{name}` is made here"),
            None => "an operand is made here".to_string(),
        };
        error.at(graph.span(*id), text)
    })
}
