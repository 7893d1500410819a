//! `rasp verify`: a model against the interpreter, one that is compiled for it or one from a file, and
//! which values of its variables the inputs reached.

use super::arguments::{Integrity, Program, SOps, Setting};
use super::host::Floats;
use super::input::{open, value_json, vocabulary};
use super::json::Values;
use super::making::Making;
use super::model::{compile_expressions, compile_looped, load_outputs, not_proved};
use super::output::{Output, Stop, table};
use super::progress;
use crate::base::{Fallible, Sources};
use crate::execute::{Precision, Reached, Surveyed};
use crate::graph::Sharing;
use crate::model::{Model, cell};
use crate::session::{Verification, VerifyOptions};
use crate::value::Value;
use crate::value::sequence::display_values;
use clap::Args;
use serde_json::{Value as Json, json};
use std::path::PathBuf;

/// What the answers mean.
const ANSWERS: &str = "\
Where all inputs are tried and none is wrong, that is a proof that this model is exact, when run as
`rasp exec` runs it. Otherwise the inputs are all of the shortest lengths and random longer ones.

Below stand the program's variables as the model holds them, with how many of the values that it
tells apart any input reached, and those that none did. Of these values nothing was checked.";

#[derive(Debug, Args)]
#[command(after_help = ANSWERS)]
pub struct Verify {
    #[command(flatten)]
    pub program: Program,
    #[command(flatten)]
    pub sops: SOps,
    #[command(flatten)]
    pub setting: Setting,
    #[command(flatten)]
    pub making: Making,
    /// Hold the looped model against it, as `rasp compile --looped` makes it
    #[arg(long, conflicts_with_all = ["exact", "no_bos", "style", "passes"])]
    pub looped: bool,
    /// Hold this model against it, whoever made it or changed it, in place of one that is compiled: its outputs
    /// of these names, or the only one
    #[arg(long, value_name = "MODEL", conflicts_with_all = [
        "looped", "exact", "no_bos", "style", "passes", "dtype", "host_order",
        "vocab", "vocab_json", "max_len", "causal",
    ])]
    pub model: Option<PathBuf>,
    #[command(flatten)]
    pub digest: Integrity,
    /// All inputs of a length are tried while those up to it are at most this many
    #[arg(long, value_name = "N", default_value_t = VerifyOptions::default().exhaustive)]
    pub exhaustive: usize,
    /// Random inputs beyond the lengths that are tried exhaustively
    #[arg(long, value_name = "K", default_value_t = VerifyOptions::default().samples)]
    pub samples: usize,
    /// Seed of the random inputs
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub floats: Floats,
    /// The result as one JSON object; errors and warnings too
    #[arg(long)]
    pub json: bool,
}

pub fn verify(output: &mut Output, arguments: &Verify) -> Result<(), Stop> {
    let given = output.expect(vocabulary(&arguments.setting), &Sources::new())?;
    let (mut session, _) = open(output, &arguments.program, Sharing::Equal)?;
    let of = (&*arguments.sops.expr, &arguments.making);
    let setting = &arguments.setting;
    let mut in_floats = None;
    let (model, sops) = match &arguments.model {
        Some(path) => {
            let names = &arguments.sops.expr;
            let sops: Fallible<Vec<_>> = names.iter().map(|name| session.sop(name)).collect();
            let sops = output.expect(sops, session.sources())?;
            let model = load_outputs(output, path, arguments.digest.asked(), names)?;
            (model, sops)
        }
        None if arguments.looped => {
            let (model, sop) = compile_looped(output, &mut session, of, setting, given)?;
            (model, vec![sop])
        }
        None => {
            let compiled = compile_expressions(output, &mut session, of, setting, given)?;
            in_floats = (!compiled.is_certified()).then(|| not_proved(&compiled));
            (compiled.model, compiled.sops)
        }
    };
    let options = VerifyOptions {
        max_length: model.max_length,
        exhaustive: arguments.exhaustive,
        samples: arguments.samples,
        seed: arguments.seed,
        precision: arguments.floats.precision(&model),
    };
    let verify = || session.verify_surveyed((&sops, &model), &options);
    let found = progress::shown(output, session.control(), "comparing on inputs", verify)?;
    let (found, surveyed) = output.expect(found, session.sources())?;
    if found.wrong > 0 {
        output.fail();
    }
    let floats = options.precision.dtype().name();
    match arguments.json {
        true => output.json(&verification_json(&found, &model, &surveyed, floats)),
        false => {
            let mut text = verification_text(&found, &model, floats);
            let is_wide = options.precision == Precision::F64 && !arguments.floats.f64;
            let in_float64 = is_wide.then(|| "in float32 it is not proved to be exact".to_string());
            if let Some(in_floats) = in_floats.or(in_float64) {
                text.push_str(&in_floats);
                text.push('\n');
            }
            output.text(&(text + &survey_text(&found, &surveyed)))
        }
    }
}

fn verification_json(
    found: &Verification,
    model: &Model,
    surveyed: &[Surveyed],
    floats: &str,
) -> Json {
    let first = found.first_wrong.as_ref().map(|wrong| {
        json!({
            "output": model.outputs[wrong.output].name,
            "input": Values(&wrong.input),
            "expected": Values(&wrong.expected),
            "got": Values(&wrong.got),
        })
    });
    json!({
        "proved": found.is_proof(),
        "dtype": floats,
        "checked": found.checked,
        "wrong": found.wrong,
        "rejected": found.rejected,
        "exhaustive_to_length": found.exhaustive_to_length,
        "max_length": found.max_length,
        "tolerance": found.tolerance,
        "least": found.tolerance.map(|_| found.least),
        "first_wrong": first,
        "variables": surveyed.iter().map(surveyed_json).collect::<Json>(),
    })
}

/// `{"name", "reached", "of", "missing"}`, or `{"name", "least", "greatest"}` of a real number.
fn surveyed_json(surveyed: &Surveyed) -> Json {
    let name = &surveyed.name;
    match &surveyed.values {
        Reached::Listed(values) => {
            let missing = missing(values);
            json!({
                "name": name,
                "reached": values.len() - missing.len(),
                "of": values.len(),
                "missing": missing.into_iter().map(value_json).collect::<Json>(),
            })
        }
        Reached::Real(range) => json!({
            "name": name,
            "least": range.map(|(least, _)| least),
            "greatest": range.map(|(_, greatest)| greatest),
        }),
    }
}

fn missing(values: &[(Value, bool)]) -> Vec<&Value> {
    let missing = values.iter().filter(|(_, reached)| !reached);
    missing.map(|(value, _)| value).collect()
}

fn verification_text(found: &Verification, model: &Model, floats: &str) -> String {
    let Verification {
        checked,
        wrong,
        exhaustive_to_length: all,
        max_length: longest,
        ..
    } = found;
    let mut text = match found.is_proof() {
        false if *checked == 0 => "nothing to compare\n".to_string(),
        true => {
            format!("proved: right on all {checked} inputs up to length {longest}, in {floats}\n")
        }
        false if all == longest => format!(
            "{wrong} of all {checked} inputs up to length {longest} are wrong, in {floats}\n"
        ),
        false if *all == 0 => format!(
            "{wrong} of {checked} inputs wrong, in {floats}: random ones up to length {longest}\n"
        ),
        false => format!(
            "{wrong} of {checked} inputs wrong, in {floats}: all up to length {all}, \
             random ones up to length {longest}\n"
        ),
    };
    if let Some(tolerance) = found.tolerance {
        text.push_str(&format!(
            "the results are real numbers: equal within {tolerance:e} of the largest of an input, or of {}\n",
            match found.least {
                1.0 => "1".to_string(),
                least => format!("{least:.1e}"),
            }
        ));
    }
    if found.rejected > 0 {
        text.push_str(&format!(
            "{} inputs left out, on which the program itself fails\n",
            found.rejected
        ));
    }
    if let Some(wrong) = &found.first_wrong {
        let which = match &*model.outputs {
            [_] => String::new(),
            several => format!("{} ", cell::label(&several[wrong.output].name)),
        };
        text.push_str(&format!(
            "first wrong: {which}on {}\n  the interpreter gives {}\n  the model gives       {}\n",
            display_values(&wrong.input),
            display_values(&wrong.expected),
            display_values(&wrong.got)
        ));
    }
    text
}

/// Values that no input reached, before the others are only counted.
const SHOWN_VALUES: usize = 8;

fn survey_text(found: &Verification, surveyed: &[Surveyed]) -> String {
    let all = found.exhaustive_to_length == found.max_length && found.rejected == 0;
    let not_reached = match all {
        true => "on no input",
        false => "not reached",
    };
    let rows = surveyed.iter().map(|surveyed| {
        let name = cell::label(&surveyed.name);
        match &surveyed.values {
            Reached::Listed(values) => {
                let missing = missing(values);
                let reached = values.len() - missing.len();
                let mut shown: Vec<String> = missing.iter().map(|value| value.source()).collect();
                if shown.len() > SHOWN_VALUES {
                    shown.truncate(SHOWN_VALUES);
                    shown.push(format!("… ({} values)", missing.len()));
                }
                vec![
                    name,
                    format!("{reached} of {}", values.len()),
                    shown.join(" "),
                ]
            }
            Reached::Real(None) => vec![name, "no number".to_string()],
            Reached::Real(Some((least, greatest))) => {
                vec![name, format!("{least} to {greatest}")]
            }
        }
    });
    let rows: Vec<Vec<String>> = rows.collect();
    table(&["variable", "reached", not_reached], &rows)
}
