//! `rasp equiv`: whether two s-ops are equal on every input up to a length.

use super::arguments::{Arguments, Equiv, Setting};
use super::input::{Input, open, setting, value_json, vocabulary};
use super::output::{Output, Stop, diagnostic_json};
use crate::base::{Fallible, Sources};
use crate::equiv::{Comparison, Difference, Method, Options, Verdict, compare};
use crate::eval::Meta;
use crate::graph::{SOpId, Sharing};
use crate::interpret::Sequence;
use crate::session::Session;
use clap::CommandFactory;
use clap::error::ErrorKind;
use serde_json::{Value as Json, json};

/// All inputs of a length are tried while those up to it are at most this many.
const EXHAUSTIVE: usize = 200_000;

pub fn equiv(output: &mut Output, arguments: &Equiv) -> Result<(), Stop> {
    let [a, b] = arguments.expr.as_slice() else {
        let message = "give the two s-ops to compare: `-e A -e B`";
        let wrong = Arguments::command().error(ErrorKind::WrongNumberOfValues, message);
        let _ = wrong.print();
        return Err(Stop::Usage);
    };
    let wanted = Setting {
        vocab: arguments.vocab.clone(),
        vocab_json: arguments.vocab_json.clone(),
        max_len: arguments.max_len,
        causal: None,
    };
    let given = output.expect(vocabulary(&wanted), &Sources::new())?;
    let (mut session, _) = open(output, &arguments.program, Sharing::Equal)?;
    let mut setting = output.expect(setting(&wanted, given, &session), session.sources())?;
    // Values are the same whether or not a model would be causal.
    setting.causal = false;
    let pair = (sop(output, &mut session, a)?, sop(output, &mut session, b)?);
    let options = Options {
        exhaustive: EXHAUSTIVE,
        samples: arguments.samples,
        seed: arguments.seed,
    };
    let found = compare(session.graph(), pair, &setting, session.limits(), &options);
    let found = output.expect(found, session.sources())?;
    if found.verdict == Verdict::Different {
        output.fail();
    }
    match arguments.json {
        true => output.json(&comparison_json(&found, session.sources())),
        false => output.text(&comparison_text(&found, a, b, setting.max_length)),
    }
}

/// The s-op that an expression names; an atom is the s-op that holds it everywhere.
fn sop(output: &mut Output, session: &mut Session, text: &str) -> Result<SOpId, Stop> {
    let found = session.expression_at(text);
    if let (Meta::Atom(value), span) = output.expect(found, session.sources())? {
        return Ok(session.evaluator().0.graph.constant(value, span));
    }
    let found = session.sop(text);
    output.expect(found, session.sources())
}

fn comparison_json(found: &Comparison, sources: &Sources) -> Json {
    let verdict = match found.verdict {
        Verdict::Equal => "equal",
        Verdict::Different => "different",
        Verdict::Unknown => "unknown",
    };
    let method = match found.method {
        Method::SameGraph => "same-graph",
        Method::SameTable => "same-table",
        Method::Exhaustive => "exhaustive",
        Method::Samples => "samples",
    };
    let counterexample = found.difference.as_ref().map(|difference| {
        let input: Vec<Json> = difference.input.iter().map(value_json).collect();
        json!({
            "input": input,
            "a": result_json(&difference.a, sources),
            "b": result_json(&difference.b, sources),
        })
    });
    json!({
        "verdict": verdict,
        "method": method,
        "checked": found.checked,
        "exhaustive_to_length": found.exhaustive_to_length,
        "counterexample": counterexample,
    })
}

/// The values of a sequence, or the error in their place.
pub fn result_json(result: &Fallible<Sequence>, sources: &Sources) -> Json {
    match result {
        Ok(sequence) => sequence.values.iter().map(value_json).collect(),
        Err(error) => json!({"error": diagnostic_json(error, sources)}),
    }
}

fn comparison_text(found: &Comparison, a: &str, b: &str, max_length: usize) -> String {
    let Comparison {
        checked,
        exhaustive_to_length,
        ..
    } = found;
    let how = match found.method {
        Method::SameGraph => {
            "both are the same s-op, so they are equal on all inputs of any length".to_string()
        }
        Method::SameTable => format!(
            "both are the same function of the same variables, on all inputs up to length \
             {max_length}"
        ),
        Method::Exhaustive => format!("{checked} inputs tried, the shortest first"),
        Method::Samples => format!(
            "{checked} inputs tried: all up to length {exhaustive_to_length}, and random ones up \
             to length {max_length}"
        ),
    };
    match (&found.verdict, &found.difference) {
        (_, Some(difference)) => {
            format!("different ({how})\n{}", difference_text(difference, a, b))
        }
        (Verdict::Unknown, None) => format!("no difference found ({how})\n"),
        (_, None) => format!("equal ({how})\n"),
    }
}

fn difference_text(difference: &Difference, a: &str, b: &str) -> String {
    let input = Input::example(&difference.input).source();
    let result = |result: &Fallible<Sequence>| match result {
        Ok(sequence) => sequence.to_string(),
        Err(error) => format!("fails: {error}"),
    };
    format!(
        "  {a}({input}) = {}\n  {b}({input}) = {}\n",
        result(&difference.a),
        result(&difference.b)
    )
}
