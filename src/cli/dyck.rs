//! `rasp machine dyck`, `verify` and `generate`: transformers for languages of nested brackets.

use super::arguments::{Integrity, ModelFile};
use super::host::Floats;
use super::input::json_tokens;
use super::json::{Atom, Values};
use super::model::load;
use super::output::{Output, Stop};
use super::progress;
use crate::base::{Code, Diagnostic, Fallible, Random, Sources};
use crate::machine::dyck::{self, Dyck, Kind, Options, Verification};
use crate::model::{Attention, Dtype};
use crate::value::Value;
use clap::Args;
use serde_json::{Value as Json, json};
use std::path::PathBuf;

/// What the kinds give.
const KINDS: &str = "\
What `rasp exec MODEL -i TEXT` gives at each token:
  recognise  True or False for the whole input
  label      T: the prefix is in the language, P: it can become so, F: it cannot
  generate   the tokens that may follow the prefix, and $ where it may end; behind a prefix
             with which no word begins, what a generator gives means nothing

Yao, Peng, Papadimitriou & Narasimhan 2021 prove that such transformers exist.";

#[derive(Debug, Args)]
#[command(after_help = KINDS)]
pub struct Build {
    /// What it says of each prefix
    #[arg(long, value_enum)]
    kind: Kind,
    /// Types of brackets; as many as the tokens make, if these are given
    #[arg(long, value_name = "K", required_unless_present_any = ["tokens", "tokens_json"])]
    types: Option<usize>,
    /// The most brackets open at a time; `generate-unbounded` alone has none
    #[arg(long, value_name = "D")]
    depth: Option<usize>,
    /// The longest input
    #[arg(long, value_name = "N")]
    max_len: usize,
    /// The brackets: a text of opening and closing ones in turn; otherwise `()[]{}<>`, or `(1 )1 (2 …`
    /// for more than four types
    #[arg(
        long,
        value_name = "TEXT",
        conflicts_with = "tokens_json",
        allow_hyphen_values = true
    )]
    tokens: Option<String>,
    /// The brackets as a JSON array
    #[arg(long, value_name = "ARRAY", allow_hyphen_values = true)]
    tokens_json: Option<String>,
    /// Hard attention: all weight goes to the largest score
    #[arg(long)]
    hard: bool,
    /// One layer for the rounds of `recognise`, which runs D times
    #[arg(long)]
    looped: bool,
    /// The floats that it must be right in; without it, float32 and float64
    #[arg(long, value_enum, value_name = "DTYPE")]
    dtype: Option<Dtype>,
    #[command(flatten)]
    file: ModelFile,
    /// The sizes as one JSON object; errors too
    #[arg(long)]
    pub json: bool,
}

choices! {
    Kind {
        Recognise: "D + 1 layers of two heads",
        Label: "three layers of one head",
        Generate: "two layers of one head",
        GenerateLn: "the same, with a layer norm over hidden units",
        GenerateUnbounded: "the same for any depth",
    }
}

pub fn build(output: &mut Output, arguments: &Build) -> Result<(), Stop> {
    let sources = Sources::new();
    let tokens = output.expect(tokens(arguments), &sources)?;
    let dyck = Dyck {
        kind: arguments.kind,
        depth: arguments.depth,
        tokens,
        max_length: arguments.max_len,
        attention: match arguments.hard {
            true => Attention::Hard,
            false => Attention::Soft,
        },
        looped: arguments.looped,
    };
    let built = output.expect(dyck.build(arguments.dtype), &sources)?;
    output.expect(arguments.file.save(&built), &sources)?;
    arguments
        .file
        .summarize(output, &built, None, arguments.json)
}

/// The brackets that the command line gives, or those that everyone knows.
fn tokens(arguments: &Build) -> Fallible<Vec<Value>> {
    const KNOWN: &str = "()[]{}<>";
    let given = match (&arguments.tokens, &arguments.tokens_json) {
        (Some(text), _) => Some(Value::characters(text)),
        (None, Some(text)) => Some(json_tokens("--tokens-json", text)?),
        (None, None) => None,
    };
    match (given, arguments.types) {
        (Some(tokens), None) => Ok(tokens),
        (Some(tokens), Some(types)) if tokens.len() == types.saturating_mul(2) => Ok(tokens),
        (Some(tokens), Some(types)) => {
            let found = tokens.len();
            let message = format!("{found} tokens for {types} types of brackets");
            let error = Diagnostic::error(Code::BadRequest, message);
            let help = "give an opening and a closing one for each type, or leave `--types` out";
            Err(error.help(help).into())
        }
        (None, types) => {
            let types = types.unwrap_or_default().min(dyck::MOST_TYPES + 1);
            let known: Vec<Value> = Value::characters(KNOWN);
            if 2 * types <= known.len() {
                return Ok(known.into_iter().take(2 * types).collect());
            }
            let numbered = (1..=types).flat_map(|kind| [format!("({kind}"), format!("){kind}")]);
            Ok(numbered.map(|token| Value::str(&token)).collect())
        }
    }
}

#[derive(Debug, Args)]
pub struct Verify {
    /// A model that `rasp machine dyck` has built
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// All inputs of a length are tried while those up to it are at most this many
    #[arg(long, value_name = "N", default_value_t = Options::default().exhaustive)]
    exhaustive: usize,
    /// Random words beyond those, four in five with a mistake
    #[arg(long, value_name = "K", default_value_t = Options::default().samples)]
    samples: usize,
    /// Seed of the random words
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    floats: Floats,
    #[command(flatten)]
    digest: Integrity,
    /// The result as one JSON object; errors too
    #[arg(long)]
    pub json: bool,
}

pub fn verify(output: &mut Output, arguments: &Verify) -> Result<(), Stop> {
    let sources = Sources::new();
    let model = load(output, &arguments.model, arguments.digest.asked())?;
    let options = Options {
        exhaustive: arguments.exhaustive,
        samples: arguments.samples,
        seed: arguments.seed,
        precision: arguments.floats.precision(&model),
    };
    let found = progress::alone("comparing on inputs", || dyck::verify(&model, &options));
    let found = output.expect(found, &sources)?;
    if found.checked == 0 {
        let error = Diagnostic::error(Code::BadRequest, "there is no input to try");
        return Err(output.refuse(
            &error.help("give `--exhaustive` or `--samples` a number"),
            &sources,
        ));
    }
    if found.wrong > 0 {
        output.fail();
    }
    match arguments.json {
        true => output.json(&verification_json(&found)),
        false => output.text(&verification_text(&found)),
    }
}

fn verification_json(found: &Verification) -> Json {
    let asked = |value| Option::as_ref(value).map(Atom);
    let first = found.first_wrong.as_ref().map(|wrong| {
        json!({
            "input": Values(&wrong.input),
            "expected": wrong.expected.iter().map(asked).collect::<Vec<_>>(),
            "got": Values(&wrong.got),
        })
    });
    json!({
        "proved": found.is_proof(),
        "checked": found.checked,
        "wrong": found.wrong,
        "exhaustive_to_length": found.exhaustive_to_length,
        "max_length": found.max_length,
        "first_wrong": first,
    })
}

fn verification_text(found: &Verification) -> String {
    let Verification {
        checked,
        wrong,
        exhaustive_to_length: all,
        max_length: longest,
        ..
    } = found;
    let mut text = match found.is_proof() {
        true => format!("proved: right on all {checked} inputs up to length {longest}\n"),
        false if all == longest => {
            format!("{wrong} of all {checked} inputs up to length {longest} are wrong\n")
        }
        false => format!(
            "{wrong} of {checked} inputs wrong: all up to length {all}, \
             random words and near misses up to length {longest}\n"
        ),
    };
    if let Some(wrong) = &found.first_wrong {
        let list = |values: &mut dyn Iterator<Item = String>| values.collect::<Vec<_>>().join(" ");
        let asked = |value: &Option<Value>| value.as_ref().map_or("-".to_string(), Value::source);
        text.push_str(&format!(
            "first wrong: on {}\n  the language asks for {}\n  the model gives       {}\n",
            list(&mut wrong.input.iter().map(Value::to_string)),
            list(&mut wrong.expected.iter().map(asked)),
            list(&mut wrong.got.iter().map(Value::source)),
        ));
    }
    text
}

#[derive(Debug, Args)]
pub struct Generate {
    /// A generator that `rasp machine dyck` has built
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// How many words
    #[arg(long, value_name = "C", default_value_t = 1)]
    count: usize,
    /// Seed of the choices between the tokens that may follow
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    floats: Floats,
    #[command(flatten)]
    digest: Integrity,
    /// Each word as one JSON object; errors too
    #[arg(long)]
    pub json: bool,
}

pub fn generate(output: &mut Output, arguments: &Generate) -> Result<(), Stop> {
    let sources = Sources::new();
    let model = load(output, &arguments.model, arguments.digest.asked())?;
    let mut random = Random::new(arguments.seed);
    let precision = arguments.floats.precision(&model);
    for _ in 0..arguments.count {
        let sample = || dyck::sample(&model, precision, &mut random);
        let sampled = progress::alone("running the model", sample);
        let word = output.expect(sampled, &sources)?;
        let text: String = word.tokens.iter().map(Value::to_string).collect();
        match arguments.json {
            true => output.json(&json!({
                "word": text,
                "tokens": Values(&word.tokens),
                "ended": word.ended,
            }))?,
            false => output.line(&match word.ended {
                true => format!("{text}{}", dyck::END),
                false => text,
            })?,
        }
    }
    Ok(())
}
