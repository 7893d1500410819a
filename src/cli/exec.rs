//! `rasp exec`: running models, on inputs one by one or on the lines of a file.

use super::arguments::Exec;
use super::batch::{Lines, line, on_line};
use super::input::{Input, inputs};
use super::json::Values;
use super::limits::limits;
use super::model::load;
use super::output::{Output, Stop, diagnostic_json};
use super::progress;
use crate::base::{Code, Control, Diagnostic, Fallible, Sources, parallel, terminal};
use crate::execute::Executor;
use crate::execute::trace::trace_in_order;
use crate::machine::looped;
use crate::model::{Host, Model, describe_exactness};
use crate::plan::Plan;
use crate::value::Value;
use crate::value::sequence::{SequenceType, display, sequence_type};
use serde_json::{Value as Json, json};
use std::path::Path;

/// Lines of a batch that one processor answers together.
const TOGETHER: usize = 64;

pub fn exec(output: &mut Output, arguments: &Exec) -> Result<(), Stop> {
    let sources = Sources::new();
    let inputs = output.expect(inputs(&arguments.inputs), &sources)?;
    let model = load(output, &arguments.model, arguments.digest.asked())?;
    let precision = arguments.floats.precision(&model);
    let order = arguments.order.host_order;
    let executor = Executor::new(&model, precision);
    let executor = output.expect(executor, &sources)?.in_order(order);
    let host = Host {
        dtype: Some(precision.dtype()),
        order,
    };
    if !model.certified.is_empty() && !host.is_among(&model.certified) {
        let proved = describe_exactness(&model.certified);
        let (floats, order) = (precision.dtype().name(), order.name());
        output.note(&format!(
            "not proved to be exact in {floats} with --host-order {order}; proved are {proved}"
        ));
    }
    if let Some(path) = &arguments.batch {
        return batch(output, (&model, &executor), arguments.json, path);
    }
    if inputs.is_empty() {
        let error = Diagnostic::error(Code::BadRequest, "there is no input to run the model on")
            .help("give one with `-i TEXT`, or many with `--batch FILE`");
        return Err(output.refuse(&error, &sources));
    }
    let width = arguments
        .width
        .or_else(terminal::asked)
        .unwrap_or(usize::MAX);
    let plan = arguments.trace.then(|| Plan::of(&model)).flatten();
    for input in inputs {
        let input = input.in_tokens_of(&model.vocabulary);
        output.expect(looped::fits(&model, input.tokens.len()), &sources)?;
        let result = progress::alone("running the model", || executor.run_outputs(&input.tokens));
        let traced = match arguments.trace {
            true => {
                let trace = || trace_in_order(&model, &input.tokens, precision, order);
                let mut traced = progress::alone("tracing the model", trace).ok();
                if let (Some(trace), Some(plan)) = (&mut traced, &plan) {
                    trace.beside(|layer, stream| plan.selected(layer, stream));
                }
                traced
            }
            false => None,
        };
        if let (Some(trace), false) = (&traced, arguments.json) {
            output.text(&trace.text(width))?;
        }
        let outcome = outcome(input, result);
        let trace = traced.map(|trace| trace.to_json());
        write(output, &model, outcome, (arguments.json, trace))?;
    }
    Ok(())
}

/// What a model gives on an input, or an error with the input it belongs to.
type Outcome = Result<(Input, Outputs), (Json, Box<Diagnostic>)>;

/// The values of each output.
type Outputs = Vec<Vec<Value>>;

fn outcome(input: Input, result: Fallible<Outputs>) -> Outcome {
    match result {
        Ok(outputs) => Ok((input, outputs)),
        Err(error) => Err((json!(input), error)),
    }
}

fn write(
    output: &mut Output,
    model: &Model,
    outcome: Outcome,
    (json, trace): (bool, Option<Json>),
) -> Result<(), Stop> {
    match outcome {
        Ok((input, outputs)) if json => {
            let mut line = exec_json(model, &input, &outputs);
            if let Some(trace) = trace {
                line["trace"] = trace;
            }
            output.json(&line)?;
        }
        Ok((input, outputs)) => {
            for (name, values) in named(model, &outputs) {
                let call = match model.machine {
                    None => input.applied(name),
                    Some(_) => format!("{name}({})", input.source()),
                };
                output.line(&format!("{call} = {}", display(values)))?;
            }
        }
        Err((given, error)) if json => {
            output.fail();
            let error = diagnostic_json(&error, &Sources::new());
            output.json(&json!({"input": given, "error": error}))?;
        }
        Err((_, error)) => output.report(&error, &Sources::new()),
    }
    Ok(())
}

/// Answers the lines of a file, in their order.
fn batch(
    output: &mut Output,
    (model, executor): (&Model, &Executor),
    json: bool,
    path: &Path,
) -> Result<(), Stop> {
    let (control, limits) = (Control::default(), limits());
    let lines = Lines {
        path,
        control: &control,
        limits: &limits,
        stage: "running the model",
    };
    let answers = |lines: &[Vec<u8>]| -> Vec<Outcome> {
        let together: Vec<&[Vec<u8>]> = lines.chunks(TOGETHER).collect();
        let answered = |_: &mut (), at: usize| match control.is_stopped() {
            true => Vec::new(),
            false => answered((model, executor), together[at]),
        };
        let answers = parallel::map((together.len(), 1), || (), answered);
        answers.into_iter().flatten().collect()
    };
    lines.each(output, answers, |output, line, mut outcome| {
        if let (Err((_, error)), false) = (&mut outcome, json) {
            error.notes.push(on_line(line));
        }
        write(output, model, outcome, (json, None))
    })
}

/// What a model gives on some lines: together, unless one of them is no input of it.
fn answered((model, executor): (&Model, &Executor), lines: &[Vec<u8>]) -> Vec<Outcome> {
    let given = |written: &Vec<u8>| {
        let input = line(written)?.in_tokens_of(&model.vocabulary);
        match looped::fits(model, input.tokens.len()) {
            Ok(()) => Ok(input),
            Err(error) => Err((json!(input), error)),
        }
    };
    let given: Vec<Result<Input, _>> = lines.iter().map(given).collect();
    let tokens = given.iter().flatten().map(|input| input.tokens.clone());
    let tokens: Vec<Vec<Value>> = tokens.collect();
    let results: Vec<Fallible<Outputs>> = match executor.run_all_outputs(&tokens) {
        Ok(outputs) => outputs.into_iter().map(Ok).collect(),
        Err(_) => tokens
            .iter()
            .map(|tokens| executor.run_outputs(tokens))
            .collect(),
    };
    let mut results = results.into_iter();
    let answer = |given: Result<Input, _>| match given {
        Ok(input) => results.next().map(|result| outcome(input, result)),
        Err(error) => Some(Err(error)),
    };
    given.into_iter().filter_map(answer).collect()
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
    let kind = |values: &[Value]| sequence_type(values).map_or("mixed", SequenceType::name);
    if let [values] = outputs {
        return json!({"input": input, "output": Values(values), "type": kind(values)});
    }
    let (mut lists, mut kinds) = (json!({}), json!({}));
    for (name, values) in named(model, outputs) {
        lists[name] = json!(Values(values));
        kinds[name] = kind(values).into();
    }
    json!({"input": input, "outputs": lists, "types": kinds})
}
