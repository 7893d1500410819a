//! `rasp equiv`: whether two s-ops are equal on every input up to a length, or two selectors select the
//! same. The exit status says it too: 0 equal, 1 different, 3 not known.

use super::arguments::{Arguments, Equiv, Setting, Switch};
use super::input::{Input, asked, open, vocabulary};
use super::json::Values;
use super::output::{Output, Stop, diagnostic_json};
use super::progress;
use crate::base::{Fallible, Sources, counted};
use crate::equiv::{Comparison, Difference, Method, Options, Verdict, compare};
use crate::eval::Meta;
use crate::graph::{SOpId, Sharing};
use crate::interpret::{Sequence, evaluate_selector};
use crate::session::show::matrix;
use crate::session::{self, Session, no_sop};
use crate::value::Value;
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
    let options = Options {
        exhaustive: EXHAUSTIVE,
        samples: arguments.samples,
        tokens: TOKENS,
        seed: arguments.seed,
    };
    let sides = [a, b].map(|text| session.expression_at(text));
    let sides = sides.map(|side| output.expect(side, session.sources()));
    let [(first, span), (second, other)] = match sides {
        [Ok(first), Ok(second)] => [first, second],
        [Err(stop), _] | [_, Err(stop)] => return Err(stop),
    };
    let (found, selectors) = match (&first, &second) {
        (Meta::Selector(first), Meta::Selector(second)) => {
            let selectors = [*first, *second];
            let [widths, alone] = session.differences(selectors, span);
            let of_widths = compared(output, &session, widths, &setting, &options)?;
            let found = match of_widths.verdict {
                Verdict::Different => of_widths,
                Verdict::Equal | Verdict::Unknown if selectors[0] == selectors[1] => of_widths,
                Verdict::Equal | Verdict::Unknown => {
                    compared(output, &session, alone, &setting, &options)?
                }
            };
            (found, Some(selectors))
        }
        _ => {
            let mut sop = |text: &str, meta: &Meta, span| {
                let sop = session.as_sop(meta, span);
                let sop = sop.ok_or_else(|| no_sop(text, meta, span));
                output.expect(sop, session.sources())
            };
            let pair = [sop(a, &first, span)?, sop(b, &second, other)?];
            let found = compared(output, &session, pair, &setting, &options)?;
            (found, None)
        }
    };
    match found.verdict {
        Verdict::Equal => {}
        Verdict::Different => output.fail(),
        Verdict::Unknown => output.leave_open(),
    }
    let rows = |selector, input: &[Value]| {
        let (graph, limits) = (session.graph(), session.limits());
        let found = evaluate_selector(graph, selector, input, limits);
        found.map_err(|failed| failed.in_graph(graph).into())
    };
    let rows = selectors
        .zip(found.difference.as_ref())
        .map(|(both, difference)| both.map(|selector| rows(selector, &difference.input)));
    match arguments.json {
        true => output.json(&comparison_json(&found, &rows, session.sources())),
        false => {
            let kind = if selectors.is_some() {
                "selector"
            } else {
                "s-op"
            };
            let verdict = verdict(&found, kind, setting.max_length);
            let difference = found.difference.as_ref();
            output.text(&match (difference, &rows) {
                (Some(difference), Some(rows)) => {
                    format!("{verdict}{}", selectors_text(difference, [a, b], rows))
                }
                (Some(difference), None) => {
                    format!("{verdict}{}", difference_text(difference, a, b))
                }
                (None, _) => verdict,
            })
        }
    }
}

fn compared(
    output: &mut Output,
    session: &Session,
    [a, b]: [SOpId; 2],
    setting: &session::Setting,
    options: &Options,
) -> Result<Comparison, Stop> {
    let compare = || compare(session.graph(), (a, b), setting, session.limits(), options);
    let found = progress::to_a_part(session.control(), "comparing on inputs", compare);
    output.expect(found, session.sources())
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

/// What each of two selectors selects on the input that tells them apart, a row for each query.
type Rows = [Fallible<Vec<Vec<bool>>>; 2];

fn comparison_json(found: &Comparison, rows: &Option<Rows>, sources: &Sources) -> Json {
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
        let (a, b, position) = match rows {
            Some(both @ [a, b]) => {
                let query = differing(both);
                (rows_json(a, sources), rows_json(b, sources), query)
            }
            None => (
                result_json(&difference.a, sources),
                result_json(&difference.b, sources),
                difference.position(),
            ),
        };
        json!({
            "input": Values(&difference.input),
            "a": a,
            "b": b,
            "position": position,
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
        Ok(sequence) => json!(Values(&sequence.values)),
        Err(error) => json!({"error": diagnostic_json(error, sources)}),
    }
}

/// The rows of a selector, or the error in their place.
fn rows_json(rows: &Fallible<Vec<Vec<bool>>>, sources: &Sources) -> Json {
    match rows {
        Ok(rows) => json!(rows),
        Err(error) => json!({"error": diagnostic_json(error, sources)}),
    }
}

fn verdict(found: &Comparison, kind: &str, max_length: usize) -> String {
    let how = how(found, kind, max_length);
    match (found.verdict, &found.difference) {
        (_, Some(_)) => format!("different ({how})\n"),
        (Verdict::Unknown, None) => format!("no difference found ({how})\n"),
        (_, None) => format!("equal ({how})\n"),
    }
}

/// What was done to know it.
fn how(found: &Comparison, kind: &str, max_length: usize) -> String {
    let reach = found.exhaustive_to_length;
    let mut text = match found.method {
        Method::SameGraph => {
            let what = format!("both are the same {kind}");
            return format!("{what}, so they are equal on all inputs of any length");
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
        let hidden = match (&difference.a, &difference.b) {
            (Ok(a), Ok(b)) => Value::hidden_difference(&a.values, &b.values),
            (Err(_), _) | (_, Err(_)) => None,
        };
        let hidden = hidden.map_or(String::new(), |apart| {
            format!("  they differ by {apart:.0e}: numbers are rounded to be shown\n")
        });
        return side(a, &difference.a) + &side(b, &difference.b) + &hidden;
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

/// What two selectors select, each query's row, or the first in which they differ of a long input.
fn selectors_text(difference: &Difference, texts: [&str; 2], rows: &Rows) -> String {
    let (input, query) = (&difference.input, differing(rows));
    let mut text = String::new();
    for (expression, rows) in texts.into_iter().zip(rows) {
        text.push_str(&match (rows, query) {
            (Err(error), _) => format!("  `{expression}` fails: {error}\n"),
            (Ok(rows), _) if input.len() <= SHOWN => {
                let rows = matrix(input, rows);
                let lines = rows.lines().map(|line| line.trim_start_matches(" \t\t\t"));
                let indented = lines.map(|line| format!("   {line}\n"));
                let applied = Input::example(input).applied(expression);
                format!("  {applied} =\n{}", indented.collect::<String>())
            }
            (Ok(rows), Some(query)) => {
                let keys = (0..input.len()).filter(|key| rows[query][*key]);
                let keys: Vec<String> = keys.take(SHOWN).map(|key| key.to_string()).collect();
                format!(
                    "  `{expression}` selects for query {query} of {}: {} (`--json` shows all)\n",
                    counted(input.len(), "token"),
                    match keys.is_empty() {
                        true => "nothing".to_string(),
                        false => keys.join(", "),
                    }
                )
            }
            (Ok(_), None) => format!("  `{expression}` does not fail\n"),
        });
    }
    text
}

/// The first query for which two selectors differ, unless one of them fails.
fn differing([a, b]: &Rows) -> Option<usize> {
    let (Ok(a), Ok(b)) = (a, b) else {
        return None;
    };
    a.iter().zip(b).position(|(a, b)| a != b)
}
