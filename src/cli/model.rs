//! `rasp compile` and `info`: making and describing models.

use super::arguments::{Compile, Info, ModelFile, Setting};
use super::input::{asked, open, vocabulary};
use super::making::Making;
use super::output::{Output, Stop};
use super::progress;
use crate::base::{Code, Diagnostic, Existing, Fallible, Sources, visible};
use crate::compile;
use crate::graph::{SOpId, Sharing};
use crate::model::{self, Digest, Model, describe_exactness};
use crate::schedule::report::Searched;
use crate::session::{Compiled, Session};
use crate::value::Value;
use serde_json::Value as Json;
use std::path::Path;

pub fn compile(output: &mut Output, arguments: &Compile) -> Result<(), Stop> {
    let given = output.expect(vocabulary(&arguments.setting), &Sources::new())?;
    let (mut session, _) = open(output, &arguments.program, Sharing::Equal)?;
    if arguments.looped {
        let of = (&*arguments.sops.expr, &arguments.making);
        let (model, _) = compile_looped(output, &mut session, of, &arguments.setting, given)?;
        let host = arguments.making.request().host;
        if !arguments.uncertified && !host.is_among(&model.certified) {
            let proof = output.expect(Session::certify(&model, host.order), session.sources())?;
            let error = compile::open(host, &proof.certificates, &model);
            output.report(&uncertified(error), session.sources());
            return Err(Stop::Reported);
        }
        output.expect(arguments.file.save(&model), session.sources())?;
        return arguments
            .file
            .summarize(output, &model, None, arguments.json);
    }
    let compiled = compile_expressions(
        output,
        &mut session,
        (&arguments.sops.expr, &arguments.making),
        &arguments.setting,
        given,
    )?;
    let Compiled {
        model,
        certificates,
        searched,
        ..
    } = &compiled;
    if arguments.explain && !arguments.json {
        output.text(&compile::explain(
            session.graph(),
            &compiled,
            session.limits(),
        ))?;
        output.text(&format!("\n# what is proved\n\n{}\n", certificates[0]))?;
    }
    if let Some(error) = compiled.refusal().filter(|_| !arguments.uncertified) {
        let request = arguments.making.request();
        let (graph, limits) = (session.graph(), session.limits());
        let other = || compile::another_way(&request, &compiled, graph, limits);
        let error =
            match progress::shown(output, session.control(), "looking for another way", other)? {
                Some(other) => error.help(other),
                None => error,
            };
        output.report(&uncertified(error), session.sources());
        return Err(Stop::Reported);
    }
    output.expect(arguments.file.save(model), session.sources())?;
    let file = &arguments.file;
    file.summarize(output, model, searched.as_ref(), arguments.json)
}

/// The same error, with what to do all the same.
fn uncertified(error: Diagnostic) -> Diagnostic {
    let anyway = "`--uncertified` writes it, held against the interpreter on some inputs only";
    let help = match &error.help {
        Some(nearest) => format!("{}; {anyway}", nearest.message),
        None => anyway.to_string(),
    };
    error.help(help)
}

/// Compiles an expression of a program to a looped model, and gives its s-op.
pub fn compile_looped(
    output: &mut Output,
    session: &mut Session,
    (expressions, making): (&[String], &Making),
    setting: &Setting,
    vocabulary: Option<Vec<Value>>,
) -> Result<(Model, SOpId), Stop> {
    let asked = asked(setting, vocabulary, Some(making));
    let [expression] = expressions else {
        let error = Diagnostic::error(Code::BadRequest, "a looped model has one output");
        output.report(&error, session.sources());
        return Err(Stop::Reported);
    };
    let control = session.control().clone();
    let compile = || session.compile_looped(expression, &asked);
    let made = progress::shown(output, &control, "compiling", compile)?;
    output.expect(made, session.sources())
}

impl ModelFile {
    /// Writes the model.
    pub fn save(&self, model: &Model) -> Fallible<()> {
        let existing = match self.force {
            true => Existing::Replace,
            false => Existing::Keep,
        };
        model::save(model, &self.output, existing)
    }

    /// Says what the model that was written is, and what its search found.
    pub fn summarize(
        &self,
        output: &mut Output,
        model: &Model,
        searched: Option<&Searched>,
        json: bool,
    ) -> Result<(), Stop> {
        let summary = model::summary(model);
        if json {
            let mut json = serde_json::to_value(&summary).unwrap_or(Json::Null);
            if let Some(searched) = searched {
                searched.add_to(&mut json);
            }
            return output.json(&json);
        }
        output.text(&summary.to_string())?;
        if let Some(searched) = searched {
            output.text(&format!("\n{}", searched.text()))?;
        }
        output.line(&self.told())
    }

    /// What is said when it is written.
    pub fn told(&self) -> String {
        format!("\nwritten to {}", visible::path(&self.output))
    }
}

/// What the search for hazards is called.
pub const HAZARDS: &str = "looking for inputs on which the program fails";

/// Compiles expressions of a program, and names the outputs after them.
#[expect(clippy::wildcard_enum_match_arm, reason = "others have no value")]
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
        true => output.json(&summary),
        false => output.text(&summary.to_string()),
    }
}

/// A model of an s-op, from a file.
///
/// # Errors
/// The file holds no model, or one that gives no output of that name.
pub fn load_of(output: &mut Output, path: &Path, digest: Digest, sop: &str) -> Result<Model, Stop> {
    let model = load(output, path, digest)?;
    has_output(output, &model, sop)?;
    Ok(model)
}

fn has_output(output: &mut Output, model: &Model, sop: &str) -> Result<(), Stop> {
    if !model.outputs.iter().any(|given| given.name == sop) {
        let names: Vec<String> = model
            .outputs
            .iter()
            .map(|o| format!("`{}`", visible::name(&o.name)))
            .collect();
        let message = format!("the model computes {}, not `{sop}`", names.join(", "));
        let error = Diagnostic::error(Code::BadRequest, message);
        let help = format!("give `-e` what the model computes, or a model of `{sop}`");
        output.report(&error.help(help), &Sources::new());
        return Err(Stop::Reported);
    }
    Ok(())
}

/// A model from a file with the outputs of these names, in that order, or its only one.
///
/// # Errors
/// As [`load_of`].
pub fn load_outputs(
    output: &mut Output,
    path: &Path,
    digest: Digest,
    names: &[String],
) -> Result<Model, Stop> {
    let mut model = load(output, path, digest)?;
    if (model.outputs.len(), names.len()) == (1, 1) {
        return Ok(model);
    }
    for name in names {
        has_output(output, &model, name)?;
    }
    let named = |name: &String| model.outputs.iter().find(|given| given.name == *name);
    model.outputs = names.iter().filter_map(named).cloned().collect();
    Ok(model)
}

/// A model from a file.
pub fn load(output: &mut Output, path: &Path, digest: Digest) -> Result<Model, Stop> {
    let model = progress::alone("reading the model", || model::load_with(path, digest));
    output.expect(model, &Sources::new())
}

/// What is to be said of a model that `rasp compile` refuses.
pub fn not_proved(compiled: &Compiled) -> String {
    let proved = match &compiled.model.certified {
        none if none.is_empty() => "is not proved to be exact".to_string(),
        some => format!("is proved to be exact in {} only", describe_exactness(some)),
    };
    format!("the model {proved}: `rasp compile` says why")
}
