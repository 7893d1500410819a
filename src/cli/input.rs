//! Programs, inputs and vocabularies as the command line gives them.

use super::arguments::{Inputs, Program, Setting, Switch};
use super::json::{Atom, Values};
use super::limits::session;
use super::making::Making;
use super::output::{Output, Stop};
use super::progress;
use crate::base::read::standard_input;
use crate::base::suggest::nearest;
use crate::base::{Code, Diagnostic, Fallible, Sources, visible};
use crate::eval::{Event, Loaded};
use crate::graph::Sharing;
use crate::session::{Asked, Session, files};
use crate::value::Value;
use crate::value::atom::quote;
use crate::value::sequence::{applied, as_text, list_source};
use clap::Args;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The one input of a command.
#[derive(Debug, Args)]
pub struct OneInput {
    /// The input; without it, the program's example
    #[arg(
        short = 'i',
        long = "input",
        value_name = "TEXT",
        conflicts_with = "input_json",
        allow_hyphen_values = true
    )]
    pub text: Option<String>,
    /// The input as a JSON array of tokens
    #[arg(long, value_name = "ARRAY", allow_hyphen_values = true)]
    pub input_json: Option<String>,
}

impl OneInput {
    /// The input, if the command line gives one.
    ///
    /// # Errors
    /// It is no JSON array of tokens.
    pub fn given(&self) -> Fallible<Option<Input>> {
        match (&self.text, &self.input_json) {
            (Some(text), _) => Ok(Some(Input::text(text))),
            (None, Some(text)) => Input::json("--input-json", text).map(Some),
            (None, None) => Ok(None),
        }
    }
}

/// An input, as it was given: a text, or a list.
pub struct Input {
    pub tokens: Vec<Value>,
    /// Whether the tokens are the characters of a text.
    pub is_text: bool,
}

impl Serialize for Input {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.as_text() {
            Some(text) => serializer.serialize_str(&text),
            None => Values(&self.tokens).serialize(serializer),
        }
    }
}

impl Input {
    /// The text that was given, if it was one.
    pub fn as_text(&self) -> Option<String> {
        let tokens = self.tokens.iter().map(Value::to_string);
        self.is_text.then(|| tokens.collect())
    }

    /// The input as RASP source: a string, or a list.
    pub fn source(&self) -> String {
        self.as_text()
            .map_or_else(|| list_source(&self.tokens), |text| quote(&text))
    }

    /// An expression applied to the input, as RASP source.
    pub fn applied(&self, expression: &str) -> String {
        applied(expression, &self.source())
    }

    pub fn text(text: &str) -> Input {
        Input {
            tokens: Value::characters(text),
            is_text: true,
        }
    }

    fn list(tokens: Vec<Value>) -> Input {
        Input {
            tokens,
            is_text: false,
        }
    }

    /// An input given as a JSON array.
    ///
    /// # Errors
    /// It is none.
    pub fn json(option: &str, text: &str) -> Fallible<Input> {
        json_tokens(option, text).map(Input::list)
    }

    /// The input in the tokens of a vocabulary: a character of a text is the token that is written
    /// like it, such as the number 0 for `0`.
    pub fn in_tokens_of(self, vocabulary: &[Value]) -> Input {
        if !self.is_text {
            return self;
        }
        let token = |character: &Value| {
            let written = character.to_string();
            let known = vocabulary.contains(character);
            let alike = vocabulary.iter().find(|token| token.to_string() == written);
            alike.filter(|_| !known).unwrap_or(character).clone()
        };
        let tokens: Vec<Value> = self.tokens.iter().map(token).collect();
        Input::example(&tokens)
    }

    /// The running example, as text if it is one.
    pub fn example(tokens: &[Value]) -> Input {
        Input {
            tokens: tokens.to_vec(),
            is_text: as_text(tokens).is_some(),
        }
    }
}

/// The inputs in the order `-i` first, then `--input-json`.
pub fn inputs(arguments: &Inputs) -> Fallible<Vec<Input>> {
    let mut inputs: Vec<Input> = arguments
        .text
        .iter()
        .map(|text| Input::text(text))
        .collect();
    for text in &arguments.input_json {
        inputs.push(Input::json("--input-json", text)?);
    }
    Ok(inputs)
}

/// The vocabulary of the command line, if it gives one.
pub fn vocabulary(setting: &Setting) -> Fallible<Option<Vec<Value>>> {
    let tokens = match (&setting.reach.vocab, &setting.reach.vocab_json) {
        (Some(text), _) => match listed(text) {
            None => Value::characters(text),
            Some(help) => {
                let message = "`--vocab` takes single characters, one after the other";
                return Err(Diagnostic::error(Code::BadRequest, message)
                    .help(help)
                    .into());
            }
        },
        (None, Some(text)) => json_tokens("--vocab-json", text)?,
        (None, None) => return Ok(None),
    };
    if tokens.is_empty() {
        let error = Diagnostic::error(Code::BadRequest, "the vocabulary is empty");
        return Err(error
            .help("give at least one token, like `--vocab abc`")
            .into());
    }
    Ok(Some(Value::distinct(&tokens)))
}

/// How a vocabulary is given that is written as a list: of three or more characters, with commas or blanks
/// between them, or of strings as JSON has it.
fn listed(text: &str) -> Option<String> {
    let bare = text.trim_matches(['[', ']']).replace(['"', '\''], "");
    let parts = bare.split([',', ' ']).filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.collect();
    let are_single = parts.iter().all(|part| part.chars().count() == 1);
    // As a token a sign would stand there once.
    let is_separated = [',', ' ']
        .iter()
        .any(|sign| text.matches(*sign).count() > 1);
    if are_single && is_separated {
        let meant = parts.concat();
        return Some(format!(
            "write `--vocab {meant}`; longer tokens are given as a list, like `--vocab-json \
             '[\"a\", \"b\"]'`"
        ));
    }
    let is_json = text.starts_with("[\"") && json_tokens("--vocab", text).is_ok();
    is_json.then(|| format!("a list of tokens is given as `--vocab-json '{text}'`"))
}

/// Tokens as a JSON array.
pub fn json_tokens(option: &str, text: &str) -> Fallible<Vec<Value>> {
    let bad = |reason: String| -> Box<Diagnostic> {
        Diagnostic::error(Code::BadInput, format!("{option}: {reason}"))
            .help(r#"give a JSON array of tokens, like '["a", "b", 3]'"#)
            .into()
    };
    match json_input(text) {
        Ok(input) if input.is_text => Err(bad(format!("{} is not an array", text.trim()))),
        Ok(input) => Ok(input.tokens),
        Err(problem) => Err(bad(problem)),
    }
}

/// An input from JSON: a string or an array of strings, bools and numbers.
///
/// # Errors
/// Anything else, an int beyond 64 bits, or a float beyond all floats, in words.
pub fn json_input(text: &str) -> Result<Input, String> {
    // The whole in one go; what is a string, or wrong, is looked at closely.
    if let Ok(tokens) = serde_json::from_str::<Vec<Token>>(text) {
        let tokens = tokens.into_iter().map(|Token(token)| token);
        return Ok(Input::list(tokens.collect()));
    }
    let not_json = |error: serde_json::Error| format!("not JSON: {error}");
    let whole: &RawValue = serde_json::from_str(text).map_err(not_json)?;
    if let Some(Value::Str(text)) = json_token(whole) {
        return Ok(Input::text(&text));
    }
    let items: Vec<&RawValue> = serde_json::from_str(whole.get())
        .map_err(|_| format!("{} is not an array", whole.get()))?;
    let token = |item: &&RawValue| {
        json_token(item).ok_or_else(|| match is_int(item.get()) {
            true => format!("{item} does not fit in 64 bits"),
            false => format!("{item} is no token"),
        })
    };
    let tokens: Result<Vec<Value>, String> = items.iter().map(token).collect();
    tokens.map(Input::list)
}

/// A token of an array.
struct Token(Value);

impl<'de> Deserialize<'de> for Token {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Token, D::Error> {
        let written = <&RawValue>::deserialize(deserializer)?;
        let token = json_token(written).map(Token);
        token.ok_or_else(|| D::Error::custom("no token"))
    }
}

/// A token as it is written: read as a number of JSON, an int beyond 64 bits would become a float.
fn json_token(written: &RawValue) -> Option<Value> {
    let written = written.get();
    match written.as_bytes().first()? {
        b'"' => serde_json::from_str::<String>(written)
            .ok()
            .map(|text| Value::str(&text)),
        b't' | b'f' => written.parse().ok().map(Value::Bool),
        _ if is_int(written) => written.parse().ok().map(Value::Int),
        b'-' | b'0'..=b'9' => serde_json::from_str(written).ok().map(Value::Float),
        _ => None,
    }
}

/// Whether a value of JSON is a number without fraction and exponent.
fn is_int(written: &str) -> bool {
    let digits = written.strip_prefix('-').unwrap_or(written);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A value as a part of a tree of JSON.
pub fn value_json(value: &Value) -> Json {
    serde_json::to_value(Atom(value)).unwrap_or(Json::Null)
}

/// A session in which the program has been run, with the events of its statements. Warnings are
/// shown.
///
/// # Errors
/// The program cannot be read, or has errors.
pub fn open(
    output: &mut Output,
    program: &Program,
    sharing: Sharing,
) -> Result<(Session, Vec<Event>), Stop> {
    let loaded = open_file(output, program)?;
    open_read(output, &loaded, sharing)
}

/// The text of a program.
///
/// # Errors
/// It cannot be read.
pub fn open_file(output: &mut Output, program: &Program) -> Result<Loaded, Stop> {
    output.expect(read(&program.file), &Sources::new())
}

/// As [`open`], of a program that has been read.
///
/// # Errors
/// As [`open`].
pub fn open_read(
    output: &mut Output,
    loaded: &Loaded,
    sharing: Sharing,
) -> Result<(Session, Vec<Event>), Stop> {
    let mut session = session(sharing);
    let control = session.control().clone();
    let events = progress::shown(output, &control, "running the program", || {
        session.load(loaded)
    })?;
    output.report_all(&session.take_diagnostics(), session.sources())?;
    Ok((session, events))
}

/// The programs that a command is to read, each once: of a folder all `.rasp` files in it and below, sorted,
/// but what is hidden.
///
/// # Errors
/// A folder cannot be read, or has no programs.
pub fn programs(output: &mut Output, given: &[PathBuf]) -> Result<Vec<PathBuf>, Stop> {
    let mut files = Vec::new();
    for path in given {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        let walked = walk(path, &mut files).map_err(|error| error.to_string());
        let found = walked.and_then(|()| match files.len() > before {
            true => Ok(()),
            false => Err("no `.rasp` file is in this folder".to_string()),
        });
        let found = found.map_err(|reason| {
            let message = format!("{}: {reason}", visible::path(path));
            Box::new(Diagnostic::error(Code::FileNotFound, message))
        });
        output.expect(found, &Sources::new())?;
    }
    let mut seen = BTreeSet::new();
    files.retain(|file| seen.insert(file.clone()));
    Ok(files)
}

/// Adds the programs of a folder. Links to folders are not followed: they may lead in a circle.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut pending = vec![folder.to_path_buf()];
    let mut found = Vec::new();
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            if entry.file_type()?.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|end| end == "rasp") && path.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    files.extend(found);
    Ok(())
}

/// A text, named by its path; `-` is standard input.
///
/// # Errors
/// It cannot be read, or is no text, in words.
pub fn read_text(file: &Path) -> Result<Loaded, String> {
    if file.as_os_str() != "-" {
        return files::read(file);
    }
    let name = "standard input";
    let input = standard_input().map_err(|error| format!("{name}: {error}"))?;
    Ok(Loaded {
        identity: name.into(),
        name: name.into(),
        text: files::read_text(input, name)?,
    })
}

/// A program's text; `-` is standard input.
///
/// # Errors
/// As [`read_text`].
pub fn read(file: &Path) -> Fallible<Loaded> {
    read_text(file).map_err(|reason| {
        let help = match file.exists() {
            false if file.as_os_str() == "-" => {
                "`-` reads a program from standard input".to_string()
            }
            false => near_file(file),
            true if file.is_dir() => {
                let folder = visible::path(file);
                format!("give a program in this folder; `ls {folder}/*.rasp` lists them")
            }
            true => "a program is a UTF-8 text; a model is run with `rasp exec MODEL -i TEXT`, or \
                     with `rasp generate MODEL -i TEXT` without `-e`, and drawn with `rasp draw \
                     --model MODEL -i TEXT`"
                .to_string(),
        };
        let error = Diagnostic::error(Code::FileNotFound, reason);
        error.help(help).into()
    })
}

/// What a path to nothing was probably meant to be.
fn near_file(file: &Path) -> String {
    let folder = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    let wanted = file
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("");
    let whole = format!("{wanted}.rasp");
    let meant = match names.contains(&whole) {
        true => Some(whole.as_str()),
        false => nearest(wanted, names.iter().map(String::as_str)),
    };
    match meant {
        Some(name) => {
            let meant = visible::path(&file.with_file_name(name));
            format!("did you mean `{meant}`?")
        }
        None => "give the path of a program, or `-` to read it from standard input".to_string(),
    }
}

/// What the command line asks of a model, with the vocabulary that it gives.
pub fn asked(setting: &Setting, vocabulary: Option<Vec<Value>>, making: Option<&Making>) -> Asked {
    Asked {
        vocabulary,
        max_length: setting.reach.max_len,
        causal: setting.causal.map(|switch| switch == Switch::On),
        otherwise: None,
        request: making.map(Making::request).unwrap_or_default(),
    }
}
