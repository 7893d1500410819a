//! `rasp generate`: next-token mode. The last value of an s-op, or of a model, is appended to the
//! input. A causal s-op keeps what it has computed; any other, and a model, is run again.

use super::arguments::{Generate, Program, SOp};
use super::input::{Input, open};
use super::json::Values;
use super::output::{Output, Stop, diagnostic_json};
use super::progress;
use crate::base::{Code, Diagnostic, Fallible, Sources};
use crate::execute::{Executor, Precision};
use crate::graph::Sharing;
use crate::interpret;
use crate::model;
use crate::value::Value;
use serde_json::json;

/// What was generated, and the error that ended it, if one did.
struct Generation {
    tokens: Vec<Value>,
    stopped: bool,
    error: Option<Box<Diagnostic>>,
}

pub fn generate(output: &mut Output, arguments: &Generate) -> Result<(), Stop> {
    let given = output.expect(arguments.input.given(), &Sources::new())?;
    let given = given.unwrap_or_else(|| Input::text(""));
    let Some(SOp { expr: expression }) = &arguments.sop else {
        let sources = Sources::new();
        let digest = arguments.digest.asked();
        let model = progress::alone("reading the model", || {
            model::load_with(&arguments.file, digest)
        });
        let model =
            model.map_err(|error| Box::new(error.help("for a program, give an s-op: `-e EXPR`")));
        let model = output.expect(model, &sources)?;
        let executor = Executor::new(&model, Precision::F32);
        let executor = output.expect(executor, &sources)?;
        let prompt = given.in_tokens_of(&model.vocabulary).tokens;
        let mut input = prompt.clone();
        let next = || {
            let has_generated = input.len() > prompt.len();
            let given = executor.run(&input).map_err(|error| {
                match has_generated && error.code == Code::UnknownToken {
                    true => Box::new(error.help(format!(
                        "what `{}` gives is no token of its model, so that it cannot go on from there",
                        model.name
                    ))),
                    false => error,
                }
            });
            let token = given?.last().cloned();
            input.extend(token.clone());
            Ok(token)
        };
        let found = progress::alone("running the model", || run(arguments, next));
        return show(output, arguments, &model.name, &prompt, found, &sources);
    };
    let program = Program {
        file: arguments.file.clone(),
    };
    let (mut session, _) = open(output, &program, Sharing::Equal)?;
    let sop = session.sop(expression);
    let sop = output.expect(sop, session.sources())?;
    let vocabulary = session.settings.vocabulary.as_deref().unwrap_or_default();
    let prompt = given.in_tokens_of(vocabulary).tokens;
    let mut generation = interpret::Generation::new(session.graph(), sop, &prompt);
    let mut has_generated = false;
    let next = || match generation.step() {
        Ok(token) => {
            has_generated = true;
            Ok(Some(token))
        }
        Err(failed) => {
            let error = session.told(*failed);
            Err(match has_generated && error.code == Code::MixedTypes {
                true => Box::new(error.help(format!(
                    "it is numbers that `{expression}` adds to a text: `-e 'str({expression})'` adds characters"
                ))),
                false => error,
            })
        }
    };
    let generate = || run(arguments, next);
    let found = progress::to_a_part(session.control(), "generating", generate);
    show(
        output,
        arguments,
        expression,
        &prompt,
        found,
        session.sources(),
    )
}

/// Generates tokens, each given by `next`, until one is the last or there is no more.
fn run(arguments: &Generate, mut next: impl FnMut() -> Fallible<Option<Value>>) -> Generation {
    let mut found = Generation {
        tokens: Vec::new(),
        stopped: false,
        error: None,
    };
    while found.tokens.len() < arguments.steps && !found.stopped {
        match next() {
            Ok(Some(token)) => {
                found.stopped = arguments.stop.as_deref() == Some(&*token.to_string());
                found.tokens.push(token);
            }
            Ok(None) => break,
            Err(error) => {
                found.error = Some(error);
                break;
            }
        }
    }
    found
}

fn show(
    output: &mut Output,
    arguments: &Generate,
    name: &str,
    prompt: &[Value],
    found: Generation,
    sources: &Sources,
) -> Result<(), Stop> {
    let all: Vec<Value> = prompt.iter().chain(&found.tokens).cloned().collect();
    if arguments.json {
        let mut line = json!({
            "expr": name,
            "prompt": Values(prompt),
            "generated": Values(&found.tokens),
            "tokens": Values(&all),
            "stopped": found.stopped,
        });
        if let Some(error) = &found.error {
            output.fail();
            line["error"] = diagnostic_json(error, sources);
        }
        return output.json(&line);
    }
    // Tokens that are characters make a text; where others are among them, a list.
    let input = Input::example(&all);
    output.line(&input.as_text().unwrap_or_else(|| input.source()))?;
    if let Some(error) = &found.error {
        output.report(error, sources);
    }
    Ok(())
}
