//! `rasp compile`, `info`, `exec` and `verify`: making, describing, running and checking models.

use super::arguments::{Compile, Exec, Info, Verify};
use super::input::{inputs, value_json};
use super::output::{Output, Stop, error_json};
use crate::base::Sources;
use crate::execute::{Executor, Precision, trace};
use crate::model::{self, Model};
use crate::value::sequence::{display_sequence, display_values, sequence_type};
use serde_json::{Value as Json, json};
use std::path::Path;

pub fn compile(_output: &mut Output, _arguments: &Compile) -> Result<(), Stop> {
    Ok(())
}

pub fn verify(_output: &mut Output, _arguments: &Verify) -> Result<(), Stop> {
    Ok(())
}

pub fn info(output: &mut Output, arguments: &Info) -> Result<(), Stop> {
    let summary = model::summary(&open_model(output, &arguments.model)?);
    match arguments.json {
        true => output.json(&serde_json::to_value(&summary).unwrap_or(Json::Null)),
        false => output.text(&summary.to_string()),
    }
}

pub fn exec(output: &mut Output, arguments: &Exec) -> Result<(), Stop> {
    let sources = Sources::new();
    let inputs = output.expect(inputs(&arguments.inputs), &sources)?;
    let model = open_model(output, &arguments.model)?;
    let precision = if arguments.f64 {
        Precision::F64
    } else {
        Precision::F32
    };
    let executor = Executor::new(&model, precision);
    for input in &inputs {
        let result = executor.run(&input.tokens);
        let traced = match arguments.trace {
            true => trace(&model, &input.tokens, precision).ok(),
            false => None,
        };
        match result {
            Ok(values) => {
                let kind = sequence_type(&values).ok();
                if arguments.json {
                    let values: Vec<Json> = values.iter().map(value_json).collect();
                    let mut line = json!({"input": input.given, "output": values});
                    line["type"] = kind.map_or("mixed", |kind| kind.name()).into();
                    if let Some(trace) = traced {
                        line["trace"] = trace.to_json();
                    }
                    output.json(&line)?;
                    continue;
                }
                if let Some(trace) = traced {
                    output.text(&trace.to_string())?;
                }
                let shown = kind.map_or_else(
                    || display_values(&values),
                    |kind| display_sequence(&values, kind),
                );
                output.line(&format!("{}({}) = {shown}", model.name, input.source()))?;
            }
            Err(diagnostic) if arguments.json => {
                output.fail();
                let error = error_json(&diagnostic, &sources);
                output.json(&json!({"input": input.given, "error": error}))?;
            }
            Err(diagnostic) => output.report(&diagnostic, &sources),
        }
    }
    Ok(())
}

fn open_model(output: &mut Output, path: &Path) -> Result<Model, Stop> {
    output.expect(model::load(path), &Sources::new())
}
