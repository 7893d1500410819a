//! `:schedule`, `:draw`, `:facts`, `:compile` and `:trace`: an s-op of the session on its way to a
//! transformer. Models are made for the session's `set vocab` and `set max_length`, or else for
//! the tokens and the length of the running example, and live no longer than the answer.

use super::Repl;
use super::command::{refuse, unquoted};
use crate::base::render::Style;
use crate::base::{Existing, Fallible, table, terminal, visible, write};
use crate::compile::Agreement;
use crate::draw::{self, Form, Look, Subject, Theme};
use crate::eval::Meta;
use crate::execute::{self, Precision};
use crate::graph::SOpId;
use crate::infer::Setting;
use crate::model::{self, Model, cell};
use crate::session::show::{application, example};
use crate::session::{Asked, Session, VerifyOptions};
use crate::value::Value;
use crate::value::sequence::{applied, display};
use std::path::Path;

/// All inputs of a length are tried while those up to it are at most this many: a person waits.
const EXHAUSTIVE: usize = 2_000;

/// Random inputs beyond those.
const SAMPLES: usize = 200;

pub(super) fn schedule(repl: &mut Repl, argument: &str) {
    inspect(repl, ":schedule", argument, |session, sop, _| {
        let table = session.schedule(sop).table(session.graph());
        Ok(format!(
            "{table}the program's graph alone: `:compile` shows its model\n"
        ))
    });
}

/// `:draw e`, `:draw e "input"`, `:draw e "input" path`: with a path the picture is a new file.
#[expect(clippy::wildcard_enum_match_arm, reason = "others have no pictures")]
pub(super) fn draw(repl: &mut Repl, argument: &str) {
    if argument.is_empty() {
        return refuse(
            repl,
            "`:draw` needs an s-op or a selector, like `:draw length`",
        );
    }
    let (expression, input, path) = drawn(argument);
    let result = repl.session.expression(expression);
    if matches!(result, Ok(Meta::Scorer(_))) && pattern(repl, expression, None) {
        return;
    }
    let result = result.and_then(|meta| {
        let session = &repl.session;
        let example = match meta {
            Meta::Selector(_) => &repl.display.selector_example,
            _ => &session.settings.example,
        };
        let given = input.map(Value::characters);
        let subject = Subject {
            graph: session.graph(),
            input: given.as_deref().unwrap_or(example),
            at: None,
            limits: session.limits(),
        };
        let drawing = match meta {
            Meta::SOp(id) => draw::flow(&subject, id, expression)?,
            Meta::Selector(id) => draw::selectors(&subject, &[(id, expression.to_string())])?,
            // It says what is needed instead.
            _ => return repl.session.sop(expression).map(|_| String::new()),
        };
        let form = path.map_or(Ok(Form::Text), |path| Form::of(Path::new(path)));
        let form =
            form.map_err(|error| error.help("end the name with `.svg`, `.png` or `.pdf`"))?;
        let look = Look {
            theme: Theme::Auto,
            width: terminal::columns().min(DRAWN_COLUMNS),
            color: path.is_none() && repl.style == Style::Terminal,
        };
        let bytes = draw::bytes(&drawing, form, look)?;
        match path {
            Some(path) => {
                let path_is_taken = Path::new(path).exists();
                let written = write::write(Path::new(path), &bytes, Existing::Keep);
                written.map_err(|error| match path_is_taken {
                    true => error.help("give another name").into(),
                    false => error,
                })?;
                Ok(format!("drawn in {}\n", visible::name(path)))
            }
            None => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        }
    });
    match result {
        Ok(text) => repl.say(text),
        Err(error) => repl.report(vec![*error]),
    }
}

/// What is drawn, on which text, and where to: a path is a last word that ends like a file's, an
/// input a last string behind a blank.
fn drawn(argument: &str) -> (&str, Option<&str>, Option<&str>) {
    let last = argument.rsplit_once(char::is_whitespace);
    let pictured = last.map(|(rest, word)| (rest, unquoted(word)));
    let (rest, path) = match pictured.filter(|(_, word)| is_path(word)) {
        Some((rest, path)) => (rest.trim_end(), Some(path)),
        None => (argument, None),
    };
    let in_marks = |mark: &str| rest.strip_suffix(mark)?.rsplit_once(&format!(" {mark}"));
    match in_marks("\"").or_else(|| in_marks("'")) {
        Some((expression, input)) if !expression.trim_end().ends_with(OPERATORS) => {
            (expression.trim_end(), Some(input), path)
        }
        _ => (rest, None, path),
    }
}

/// Whether a word ends like a file's name, as no expression does.
fn is_path(word: &str) -> bool {
    let ending = Path::new(word)
        .extension()
        .and_then(|ending| ending.to_str());
    let letters = |ending: &str| ending.chars().all(|letter| letter.is_ascii_alphabetic());
    ending.is_some_and(|ending| !ending.is_empty() && letters(ending))
}

/// What a string belongs to, and is no input then.
const OPERATORS: [char; 12] = ['=', '<', '>', '!', '+', '-', '*', '/', '%', '(', '[', ','];

/// Columns of a drawing at the prompt, at most.
const DRAWN_COLUMNS: usize = 80;

pub(super) fn facts(repl: &mut Repl, argument: &str) {
    inspect(repl, ":facts", argument, facts_text);
}

pub(super) fn compile(repl: &mut Repl, argument: &str) {
    inspect(repl, ":compile", argument, compile_text);
}

/// `:trace e`, `:trace e "input"`: on the input, or else on the running example.
pub(super) fn trace(repl: &mut Repl, argument: &str) {
    let (expression, input) = match drawn(argument) {
        (expression, Some(input), _) if repl.session.expression(argument).is_err() => {
            (expression, Some(Value::characters(input)))
        }
        _ => (argument, None),
    };
    if input.as_ref().is_some_and(Vec::is_empty) {
        return refuse(repl, "`:trace` needs an input of at least one token");
    }
    if pattern(repl, expression, input.as_deref()) {
        return;
    }
    let input = input.unwrap_or_else(|| repl.session.settings.example.clone());
    inspect(repl, ":trace", expression, |session, sop, name| {
        trace_text(session, sop, name, &input)
    });
}

/// Shows what a selector selects, or how a scorer scores, if the argument is one.
fn pattern(repl: &mut Repl, argument: &str, input: Option<&[Value]>) -> bool {
    let Ok(meta @ (Meta::Selector(_) | Meta::Scorer(_))) = repl.session.expression(argument) else {
        return false;
    };
    let input = input.unwrap_or(&repl.display.selector_example);
    match repl.session.apply(&meta, input) {
        Some(Ok(given)) => {
            let text = application(&given);
            repl.say(format!("{}\n", text.trim_start_matches('\n')));
        }
        Some(Err(error)) => repl.report(vec![*error]),
        None => return false,
    }
    true
}

/// Answers what is asked about the s-op that the argument names.
fn inspect(
    repl: &mut Repl,
    command: &str,
    argument: &str,
    answer: impl Fn(&Session, SOpId, &str) -> Fallible<String>,
) {
    if argument.is_empty() {
        return refuse(
            repl,
            &format!("`{command}` needs an s-op, like `{command} length`"),
        );
    }
    let found = repl.session.sop(argument);
    // Only `:draw` and `:trace` take an input.
    if let (Err(_), (sop, Some(input), _)) = (&found, drawn(argument)) {
        let problem = format!(
            "`{command}` takes an s-op alone, `{command} {sop}`; the running example is set by \
             `set example \"{input}\"`"
        );
        return refuse(repl, &problem);
    }
    let is_option = |word: &str| word.starts_with("--");
    if found.is_err() && argument.split_whitespace().any(is_option) {
        let problem = format!(
            "`{command}` takes no options; what models are made for is set by `set vocab \"abc\"` and \
             `set max_length 8`"
        );
        return refuse(repl, &problem);
    }
    match found.and_then(|sop| answer(&repl.session, sop, argument)) {
        Ok(text) => repl.say(text),
        Err(error) => repl.report(vec![*error]),
    }
}

/// What models are made for: as the session says, or else for inputs like this one.
fn asked_for(input: &[Value]) -> Asked {
    Asked {
        otherwise: Some(input.to_vec()),
        ..Asked::default()
    }
}

fn described(setting: &Setting) -> String {
    let tokens: Vec<String> = setting.vocabulary.iter().map(cell::value).collect();
    let causal = if setting.causal {
        ", looking backwards only"
    } else {
        ""
    };
    format!(
        "for inputs of up to {} of the tokens {}{causal}\n",
        setting.max_length,
        tokens.join(" ")
    )
}

/// A row for the s-op, below one for each named s-op that it needs.
fn facts_text(session: &Session, sop: SOpId, name: &str) -> Fallible<String> {
    let setting = session.setting(&asked_for(&session.settings.example))?;
    let graph = session.graph();
    let facts = session.facts(&[sop], &setting)?;
    let titles = ["name", "type", "depth", "encoding", "values"];
    let mut rows = vec![titles.map(str::to_string).to_vec()];
    for node in &facts.nodes {
        let known = match (node.id == sop, graph.name(node.id)) {
            (true, _) => name,
            (false, Some(name)) => name,
            (false, None) => continue,
        };
        let mut row = vec![cell::label(known), node.types(graph).to_string()];
        row.extend(node.cells());
        rows.push(row);
    }
    Ok(described(&setting) + &table::aligned(&rows, usize::MAX))
}

fn compile_text(session: &Session, sop: SOpId, name: &str) -> Fallible<String> {
    let compiled = session.compile_sops(&[(sop, name)], &asked_for(&session.settings.example))?;
    let model = &compiled.model;
    let options = VerifyOptions {
        exhaustive: EXHAUSTIVE,
        samples: SAMPLES,
        ..VerifyOptions::default()
    };
    let found = session.verify(&compiled, &options)?;
    let mut text = described(&compiled.setting);
    text.push_str(&model::summary(model).to_string());
    text.push_str(&match (found.checked, found.exhaustive_to_length) {
        (0, _) => "\nnothing to compare: no input that was tried has a value".to_string(),
        (checked, all) => format!(
            "\nweights and interpreter differ on {} of {checked} inputs: all up to length {all}",
            found.wrong
        ),
    });
    if found.checked > 0 && found.exhaustive_to_length < model.max_length {
        text.push_str(&format!(", random ones up to length {}", model.max_length));
    }
    text.push('\n');
    text.push_str(&on_example(session, sop, model));
    Ok(text)
}

/// What the weights give on the running example, beside what the interpreter gives.
fn on_example(session: &Session, sop: SOpId, model: &Model) -> String {
    let input = &session.settings.example;
    let call = applied(&cell::label(&model.name), &example(input));
    let got = match execute::run(model, input, Precision::F32) {
        Ok(got) => got,
        // The example need not be an input of the session's vocabulary and length.
        Err(error) => return format!("{call} cannot be run: {error}\n"),
    };
    let output = model.outputs.first();
    let agreement = output.map(|output| Agreement::of(&output.readout.decoder, Precision::F32));
    let verdict = match session.evaluate(sop, input) {
        Ok(expected) if agreement.is_some_and(|a| a.holds(&expected.values, &got)) => {
            "as interpreted".to_string()
        }
        Ok(expected) => format!("but interpreted {expected}"),
        Err(error) => format!("but interpreted it fails: {error}"),
    };
    format!("{call} = {}, {verdict}\n", display(&got))
}

fn trace_text(session: &Session, sop: SOpId, name: &str, input: &[Value]) -> Fallible<String> {
    let compiled = session.compile_sops(&[(sop, name)], &asked_for(input))?;
    let mut trace = execute::trace(&compiled.model, input, Precision::F32)?;
    trace.beside(|layer, stream| compiled.plan.selected(layer, stream));
    Ok(described(&compiled.setting) + &trace.text(terminal::asked().unwrap_or(usize::MAX)))
}
