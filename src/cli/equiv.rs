//! `rasp equiv`: whether two s-ops are equal on every input up to a length. The exit status says
//! it too: 0 equal, 1 different, 3 not known.

use super::arguments::{Arguments, Equiv, Setting, Switch};
use super::input::{Input, asked, open, value_json, vocabulary};
use super::output::{Output, Stop, diagnostic_json};
use super::progress;
use crate::base::counted;
use crate::base::{Code, Diagnostic, Fallible, Sources};
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

/// The tokens that these inputs have together, and random ones again: one very long input takes as
/// much time as many short ones.
const TOKENS: usize = 4_000_000;

/// Tokens of an input that is shown with all values.
const SHOWN: usize = 40;

pub fn equiv(output: &mut Output, arguments: &Equiv) -> Result<(), Stop> {
    let [a, b] = arguments.sops.expr.as_slice() else {
        return Err(not_two());
    };
    let wanted = Setting {
        reach: arguments.reach.clone(),
        // Values are the same whether or not a model would be causal.
        causal: Some(Switch::Off),
    };
    let given = output.expect(vocabulary(&wanted), &Sources::new())?;
    let (mut session, _) = open(output, &arguments.program, Sharing::Equal)?;
    let setting = session.setting(&asked(&wanted, given, None));
    let setting = output.expect(setting, session.sources())?;
    let pair = (sop(output, &mut session, a)?, sop(output, &mut session, b)?);
    let options = Options {
        exhaustive: EXHAUSTIVE,
        samples: arguments.samples,
        tokens: TOKENS,
        seed: arguments.seed,
    };
    let compare = || compare(session.graph(), pair, &setting, session.limits(), &options);
    let found = progress::to_a_part(session.control(), "comparing on inputs", compare);
    let found = output.expect(found, session.sources())?;
    match found.verdict {
        Verdict::Equal => {}
        Verdict::Different => output.fail(),
        Verdict::Unknown => output.leave_open(),
    }
    match arguments.json {
        true => output.json(&comparison_json(&found, session.sources())),
        false => output.text(&comparison_text(&found, a, b, setting.max_length)),
    }
}

fn not_two() -> Stop {
    let message = "give the two s-ops to compare: `-e A -e B`";
    let mut command = Arguments::command();
    command.build();
    let wrong = match command.find_subcommand_mut("equiv") {
        Some(equiv) => equiv.error(ErrorKind::WrongNumberOfValues, message),
        None => command.error(ErrorKind::WrongNumberOfValues, message),
    };
    let _ = wrong.print();
    Stop::Usage
}

/// The s-op that an expression names; an atom is the s-op that holds it everywhere.
fn sop(output: &mut Output, session: &mut Session, text: &str) -> Result<SOpId, Stop> {
    let found = session.expression_at(text);
    let (meta, span) = output.expect(found, session.sources())?;
    if let Some(sop) = session.as_sop(&meta, span) {
        return Ok(sop);
    }
    let help = match meta {
        Meta::Selector(_) => format!("compare what is made of it: `-e 'selector_width({text})'`"),
        Meta::List(_) => format!("compare one item: `-e '{text}[0]'`"),
        Meta::Dict(ref dict) => match dict.iter().next() {
            Some((key, _)) => format!("compare one item: `-e '{text}[{}]'`", key.source()),
            None => "compare s-ops: `-e tokens`".to_string(),
        },
        Meta::Function(ref callable) => {
            let arguments = vec!["tokens"; callable.takes().0].join(", ");
            format!("compare what it gives: `-e '{text}({arguments})'`")
        }
        Meta::SOp(_) | Meta::Atom(_) | Meta::Scorer(_) | Meta::Application(_) | Meta::Broken => {
            "compare s-ops: `-e tokens`".to_string()
        }
    };
    let message = format!("an s-op is needed, not {}", meta.kind());
    let error = Diagnostic::error(Code::AtomExpected, message)
        .at(span, format!("this is {}", meta.kind()))
        .help(help);
    output.expect(Err(Box::new(error)), session.sources())
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
        Method::SameMoves => "same-moves",
        Method::Exhaustive => "exhaustive",
        Method::Samples => "samples",
    };
    let counterexample = found.difference.as_ref().map(|difference| {
        let input: Vec<Json> = difference.input.iter().map(value_json).collect();
        json!({
            "input": input,
            "a": result_json(&difference.a, sources),
            "b": result_json(&difference.b, sources),
            "position": difference.position(),
            "shortest": found.is_shortest(),
        })
    });
    json!({
        "verdict": verdict,
        "method": method,
        "checked": found.checked,
        "failed": found.failed,
        "exhaustive_to_length": found.exhaustive_to_length,
        "interrupted": found.interrupted,
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
    let how = how(found, max_length);
    match (&found.verdict, &found.difference) {
        (_, Some(difference)) => {
            format!("different ({how})\n{}", difference_text(difference, a, b))
        }
        (Verdict::Unknown, None) => format!("no difference found ({how})\n"),
        (_, None) => format!("equal ({how})\n"),
    }
}

/// What was done to know it.
fn how(found: &Comparison, max_length: usize) -> String {
    let reach = found.exhaustive_to_length;
    let mut text = match found.method {
        Method::SameGraph => {
            return "both are the same s-op, so they are equal on all inputs of any length".into();
        }
        Method::SameTable => {
            let what = "both are the same function of the same variables";
            return format!("{what}, on all inputs up to length {max_length}");
        }
        Method::SameMoves => {
            let what = "both move the same tokens to the same places";
            return format!("{what}, on all inputs up to length {max_length}");
        }
        Method::Exhaustive | Method::Samples => {
            format!("{} tried", counted(found.checked, "input"))
        }
    };
    if found.interrupted {
        text.insert_str(0, "interrupted: ");
    }
    match found.method {
        Method::Exhaustive if found.verdict == Verdict::Different => {
            text.push_str(", the shortest first");
        }
        Method::Exhaustive if found.representative => {
            text.push_str(&format!(", which stand for all up to length {reach}"));
        }
        Method::Exhaustive => text.push_str(&format!(", all up to length {reach}")),
        Method::SameGraph | Method::SameTable | Method::SameMoves | Method::Samples
            if reach == 0 =>
        {
            text.push_str(&format!(", random ones up to length {max_length}"))
        }
        Method::SameGraph | Method::SameTable | Method::SameMoves | Method::Samples => {
            let all = match found.representative {
                true => "ones that stand for all",
                false => "all",
            };
            text.push_str(&format!(
                ": {all} up to length {reach}, and random ones up to length {max_length}"
            ));
        }
    }
    if found.verdict == Verdict::Different && !found.is_shortest() {
        text.push_str("; perhaps not the shortest");
    }
    match found.failed {
        0 => {}
        failed if failed == found.checked => text.push_str("; both fail on all of them"),
        failed => text.push_str(&format!("; both fail on {failed} of them")),
    }
    text
}

fn difference_text(difference: &Difference, a: &str, b: &str) -> String {
    let tokens = &difference.input;
    let Some(opening) = tokens
        .get(..SHOWN)
        .filter(|opening| opening.len() < tokens.len())
    else {
        let input = Input::example(tokens);
        let side = |expression: &str, result: &Fallible<Sequence>| match result {
            Ok(sequence) => format!("  {} = {sequence}\n", input.applied(expression)),
            Err(error) => format!("  {} fails: {error}\n", input.applied(expression)),
        };
        return side(a, &difference.a) + &side(b, &difference.b);
    };
    let opening = Input::example(opening).source();
    let position = difference.position();
    let side = |expression: &str, result: &Fallible<Sequence>| match (result, position) {
        (Err(error), _) => format!("  `{expression}` fails: {error}\n"),
        (Ok(sequence), Some(at)) => {
            format!(
                "  `{expression}` gives {} there\n",
                sequence.values[at].source()
            )
        }
        (Ok(_), None) => format!("  `{expression}` does not fail\n"),
    };
    let first = position.map_or(String::new(), |at| format!(", first at position {at}"));
    format!(
        "  on {} that open with {opening}{first} (`--json` shows all)\n{}{}",
        counted(tokens.len(), "token"),
        side(a, &difference.a),
        side(b, &difference.b)
    )
}
