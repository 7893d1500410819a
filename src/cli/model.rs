//! `rasp compile`, `info` and `exec`: making, describing and running models.

use super::arguments::{Compile, Exec, Info, Setting};
use super::input::{Input, asked, inputs, open, value_json, vocabulary};
use super::making::Making;
use super::output::{Output, Stop, diagnostic_json};
use super::progress;
use crate::base::{Code, Diagnostic, Existing, Sources, terminal, visible};
use crate::compile;
use crate::execute::Executor;
use crate::execute::trace::trace_in_order;
use crate::graph::Sharing;
use crate::model::{self, Digest, Model};
use crate::session::{Compiled, Session};
use crate::value::Value;
use crate::value::sequence::{display_sequence, display_values, sequence_type};
use serde_json::{Value as Json, json};
use std::path::Path;

pub fn compile(output: &mut Output, arguments: &Compile) -> Result<(), Stop> {
    let given = output.expect(vocabulary(&arguments.setting), &Sources::new())?;
    let (mut session, _) = open(output, &arguments.program, Sharing::Equal)?;
    let compiled = compile_expressions(
        output,
        &mut session,
        (&arguments.expr, &arguments.making),
        &arguments.setting,
        given,
    )?;
    let Compiled {
        model,
        draft,
        passes,
        certificates,
        searched,
        ..
    } = &compiled;
    if arguments.explain && !arguments.json {
        output.text(&compile::explain(draft, passes, session.graph().control()))?;
        output.text(&format!("\n# what is proved\n\n{}\n", certificates[0]))?;
    }
    if let Some(error) = compiled.refusal().filter(|_| !arguments.uncertified) {
        let nearest = error.help.as_ref().map_or("", |help| help.message.as_str());
        let help = format!(
            "{nearest}; `--uncertified` writes it, held against the interpreter on some inputs only"
        );
        let error = error.help(help);
        output.report(&error, session.sources());
        return Err(Stop::Reported);
    }
    let existing = match arguments.force {
        true => Existing::Replace,
        false => Existing::Keep,
    };
    let saved = model::save(model, &arguments.output, existing);
    output.expect(saved, session.sources())?;
    let summary = model::summary(model);
    match arguments.json {
        true => {
            let mut json = serde_json::to_value(&summary).unwrap_or(Json::Null);
            if let Some(searched) = searched {
                searched.add_to(&mut json);
            }
            output.json(&json)
        }
        false => {
            output.text(&summary.to_string())?;
            if let Some(searched) = searched {
                output.text(&format!("\n{}", searched.text()))?;
            }
            let shown = visible::path(&arguments.output);
            output.line(&format!("\nwritten to {shown}"))
        }
    }
}

/// What the search for hazards is called.
pub const HAZARDS: &str = "looking for inputs on which the program fails";

/// Compiles expressions of a program, and names the outputs after them.
pub fn compile_expressions(
    output: &mut Output,
    session: &mut Session,
    (expressions, making): (&[String], &Making),
    setting: &Setting,
    vocabulary: Option<Vec<Value>>,
) -> Result<Compiled, Stop> {
    let asked = asked(setting, vocabulary, Some(making));
    let control = session.control().clone();
    let compile = || session.compile(expressions, &asked);
    let compiled = progress::shown(output, &control, "compiling", compile)?;
    let compiled = output.expect(compiled, session.sources())?;
    let hazards = || session.hazards(&compiled.sops, &compiled.setting);
    for hazard in progress::shown(output, &control, HAZARDS, hazards)? {
        let hazard = match hazard.code {
            Code::HangsOnRounding => hazard,
            _ => hazard.note("there the program has no value, and the model gives some value"),
        };
        output.report(&hazard, session.sources());
    }
    Ok(compiled)
}

pub fn info(output: &mut Output, arguments: &Info) -> Result<(), Stop> {
    let model = load(output, &arguments.model, arguments.digest.asked())?;
    let summary = model::summary(&model);
    match arguments.json {
        true => output.json(&serde_json::to_value(&summary).unwrap_or(Json::Null)),
        false => output.text(&summary.to_string()),
    }
}

pub fn exec(output: &mut Output, arguments: &Exec) -> Result<(), Stop> {
    let sources = Sources::new();
    let inputs = output.expect(inputs(&arguments.inputs), &sources)?;
    let model = load(output, &arguments.model, arguments.digest.asked())?;
    if inputs.is_empty() {
        let error = Diagnostic::error(Code::BadInput, "there is no input to run the model on")
            .help("give one with `-i TEXT`");
        output.report(&error, &sources);
        return Err(Stop::Reported);
    }
    let width = arguments
        .width
        .or_else(terminal::asked)
        .unwrap_or(usize::MAX);
    let precision = arguments.floats.precision();
    let order = arguments.order.order();
    let executor = Executor::new(&model, precision);
    let executor = output.expect(executor, &sources)?.in_order(order);
    for input in inputs {
        let input = input.in_tokens_of(&model.vocabulary);
        let result = progress::alone("running the model", || executor.run_outputs(&input.tokens));
        let traced = match arguments.trace {
            true => {
                let trace = || trace_in_order(&model, &input.tokens, precision, order);
                progress::alone("tracing the model", trace).ok()
            }
            false => None,
        };
        match result {
            Ok(outputs) if arguments.json => {
                let mut line = exec_json(&model, &input, &outputs);
                if let Some(trace) = traced {
                    line["trace"] = trace.to_json();
                }
                output.json(&line)?;
            }
            Ok(outputs) => {
                if let Some(trace) = traced {
                    output.text(&trace.text(width))?;
                }
                for (name, values) in named(&model, &outputs) {
                    let shown = sequence_type(values).map_or_else(
                        |_| display_values(values),
                        |kind| display_sequence(values, kind),
                    );
                    output.line(&format!("{name}({}) = {shown}", input.source()))?;
                }
            }
            Err(diagnostic) if arguments.json => {
                output.fail();
                let error = diagnostic_json(&diagnostic, &sources);
                output.json(&json!({"input": input.given, "error": error}))?;
            }
            Err(diagnostic) => output.report(&diagnostic, &sources),
        }
    }
    Ok(())
}

/// The outputs of a model with their names; a single one goes by the name of the model.
fn named<'m>(
    model: &'m Model,
    outputs: &'m [Vec<Value>],
) -> impl Iterator<Item = (&'m str, &'m [Value])> {
    let name = |index: usize| match outputs.len() {
        1 => &*model.name,
        _ => &*model.outputs[index].name,
    };
    let outputs = outputs.iter().enumerate();
    outputs.map(move |(index, values)| (name(index), &values[..]))
}

fn exec_json(model: &Model, input: &Input, outputs: &[Vec<Value>]) -> Json {
    let list = |values: &[Value]| Json::Array(values.iter().map(value_json).collect());
    let kind = |values: &[Value]| match sequence_type(values) {
        Ok(kind) => kind.name(),
        Err(_) => "mixed",
    };
    if let [values] = outputs {
        return json!({"input": input.given, "output": list(values), "type": kind(values)});
    }
    let outputs: Vec<_> = named(model, outputs).collect();
    let lists = outputs
        .iter()
        .map(|(name, values)| (name.to_string(), list(values)));
    let kinds = outputs
        .iter()
        .map(|(name, values)| (name.to_string(), kind(values).into()));
    json!({
        "input": input.given,
        "outputs": Json::Object(lists.collect()),
        "types": Json::Object(kinds.collect()),
    })
}

/// A model from a file.
pub fn load(output: &mut Output, path: &Path, digest: Digest) -> Result<Model, Stop> {
    let model = progress::alone("reading the model", || model::load_with(path, digest));
    output.expect(model, &Sources::new())
}
