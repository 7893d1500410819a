//! `rasp learn`: a program from examples, with its model and a report.

use super::learnt::{CHECKPOINT, Checkpoint, Directory, LOG};
use super::output::{Output, Stop};
use super::progress;
use crate::base::{Code, Control, Diagnostic, Existing, Fallible, Sources, visible};
use crate::decompile::{self, Decompiled};
use crate::execute::{Executor, Precision};
use crate::learn::data::{self, Data, Encoded};
use crate::learn::grow::grow;
use crate::learn::program::{Program, Score};
use crate::learn::task::Task;
use crate::learn::train::{Progress, Recipe, Training};
use crate::learn::{self, Sizes};
use crate::model::{self, Dtype, Model};
use crate::session::{Asked, files};
use clap::builder::PossibleValue;
use clap::{ArgGroup, Args, ValueEnum};
use serde::Serialize;
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What a directory holds afterwards.
const FILES: &str = "\
What DIR holds:
  program.rasp       the program; its answer is the s-op `output`
  model.safetensors  its transformer, for `rasp exec`
  report.json        how right it is
  log.jsonl          what was tried, and each epoch of training
  checkpoint.json    where training stands, until it has ended

Without sizes small programs are tried first, from the smallest on; where none is right on all
examples, or where sizes or `--rich` are given, a transformer is trained and made discrete (Friedman,
Wettig & Chen 2023). docs/LEARNING.md tells more.";

/// What to learn from, and how.
#[derive(Debug, Args)]
#[command(after_help = FILES)]
#[command(group = ArgGroup::new("examples").args(["task", "data"]).required(true))]
pub struct Arguments {
    /// A task of the paper
    #[arg(long, value_enum, value_name = "TASK")]
    task: Option<Task>,
    /// Examples, one a line: {"input": ["a", "b"], "output": [1, null]}
    #[arg(long, value_name = "FILE.jsonl")]
    data: Option<PathBuf>,
    /// The share of the examples that is held out for the test
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, conflicts_with = "task", value_parser = share)]
    held_out: f64,
    /// What comes later does not matter: queries see earlier keys only
    #[arg(long, conflicts_with = "task")]
    causal: bool,
    /// Layers of the transformer
    #[arg(long, value_name = "L", value_parser = clap::value_parser!(u8).range(1..=6))]
    layers: Option<u8>,
    /// Heads of each layer that copy values; each layer has as many more that count
    #[arg(long, value_name = "H", value_parser = clap::value_parser!(u8).range(0..=16))]
    heads: Option<u8>,
    /// MLPs of each layer that read tokens and positions; each layer has as many more that read counts
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u8).range(0..=8))]
    mlps: Option<u8>,
    /// Heads that match sets of keys, and of which every other sees earlier keys only
    #[arg(long)]
    rich: bool,
    /// Try small programs only
    #[arg(long, conflicts_with_all = ["layers", "heads", "mlps", "rich"])]
    grow: bool,
    /// How often training sees all examples
    #[arg(long, value_name = "E", default_value_t = 250, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    epochs: u32,
    /// How many seeds begin; the better quarter goes on after 5 epochs, and again later
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1000))]
    seeds: u32,
    /// Stop after so many minutes, with the best program until then
    #[arg(long, value_name = "M", value_parser = minutes)]
    minutes: Option<f64>,
    /// Where random numbers begin
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Go on from the checkpoint in DIR
    #[arg(long)]
    resume: bool,
    /// Replace what an earlier run has left in DIR
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// The report as one JSON object; errors too
    #[arg(long)]
    pub json: bool,
    /// The directory to write to
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    output: PathBuf,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text
        .parse::<f64>()
        .ok()
        .filter(|share| (0.01..=0.5).contains(share));
    share.ok_or("a share from 0.01 to 0.5".to_string())
}

fn minutes(text: &str) -> Result<f64, String> {
    let minutes = text
        .parse::<f64>()
        .ok()
        .filter(|minutes| (0.0..=1e6).contains(minutes));
    minutes.ok_or("a number of minutes".to_string())
}

impl ValueEnum for Task {
    fn value_variants<'a>() -> &'a [Task] {
        &Task::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

/// How right a program is: the object of `report.json`.
#[derive(Serialize)]
struct Report<'a> {
    task: &'a str,
    seed: u64,
    seconds: f64,
    token_accuracy: f64,
    sequence_accuracy: f64,
    inputs: usize,
    inputs_right: usize,
    exhaustive: bool,
}

pub fn learn(output: &mut Output, arguments: &Arguments) -> Result<(), Stop> {
    let sources = Sources::new();
    let data = output.expect(read(arguments), &sources)?;
    let directory = Directory(&arguments.output);
    let checkpoint = output.expect(
        directory.open(
            arguments.resume,
            arguments.force,
            &settings(arguments, &data),
        ),
        &sources,
    )?;
    let begun = checkpoint.map(|found| (found.log, Some(found.training)));
    let (log, training) = begun.unwrap_or_default();
    let mut learning = Learning {
        arguments,
        data: &data,
        directory: &directory,
        control: Control::default(),
        begun: Instant::now(),
        log,
    };
    let control = learning.control.clone();
    let work = || learning.program(training);
    let program = progress::stoppable(output, &control, work)?;
    let program = output.expect(program, &sources)?;
    let (score, exhaustive) = match &data.all {
        Some(all) => (program.score(all), true),
        None => (program.score(&data.test), false),
    };
    let report = Report {
        task: &data.name,
        seed: arguments.seed,
        seconds: learning.begun.elapsed().as_secs_f64(),
        token_accuracy: score.tokens(),
        sequence_accuracy: score.sequences(),
        inputs: score.inputs,
        inputs_right: score.inputs_right,
        exhaustive,
    };
    let made = || learning.write(&program, &report);
    let warning = progress::stoppable(output, &control, made)?;
    if let Some(warning) = output.expect(warning.map_err(placeless), &sources)? {
        output.report(&warning, &sources);
    }
    let report = serde_json::to_value(&report).unwrap_or(Json::Null);
    match arguments.json {
        true => output.json(&report),
        false => output.text(&text(&score, exhaustive, &arguments.output)),
    }
}

fn text(score: &Score, exhaustive: bool, directory: &Path) -> String {
    let Score {
        labels,
        labels_right,
        inputs,
        inputs_right,
    } = score;
    let which = if exhaustive { "all" } else { "the held-out" };
    let shown = visible::path(&directory.join("program.rasp"));
    format!(
        "right on {inputs_right} of {which} {inputs} inputs, \
         {labels_right} of {labels} labels\nwritten to {shown}\n"
    )
}

/// The examples.
fn read(arguments: &Arguments) -> Fallible<Data> {
    if let Some(task) = arguments.task {
        return Data::of_task(task, arguments.seed);
    }
    let path = arguments.data.as_deref().unwrap_or(Path::new("-"));
    let loaded =
        files::read(path).map_err(|reason| Diagnostic::error(Code::FileNotFound, reason))?;
    let name = visible::path(path).to_string();
    let examples = data::from_lines(&name, &loaded.text)?;
    Data::new(
        &name,
        examples,
        arguments.causal,
        arguments.seed,
        arguments.held_out,
    )
}

/// What training depends on.
fn settings(arguments: &Arguments, examples: &Data) -> String {
    let Arguments {
        task,
        data,
        held_out,
        causal,
        layers,
        heads,
        mlps,
        rich,
        epochs,
        seeds,
        seed,
        ..
    } = arguments;
    let name = task.map(|task| task.name().to_string());
    let name = name.or(data.as_ref().map(|data| visible::path(data).to_string()));
    let sizes = [layers, heads, mlps].map(|size| size.map_or("-".to_string(), |s| s.to_string()));
    format!(
        "{} held out {held_out} causal {causal} sizes {} rich {rich} epochs {epochs} seeds {seeds} seed {seed} \
         examples {}",
        name.unwrap_or_default(),
        sizes.join(" "),
        examples.digest()
    )
}

/// One run of the command.
struct Learning<'a> {
    arguments: &'a Arguments,
    data: &'a Data,
    directory: &'a Directory<'a>,
    control: Control,
    begun: Instant,
    log: String,
}

/// Whether so many minutes have gone by, if there is a most.
fn is_late(begun: Instant, minutes: Option<f64>) -> bool {
    minutes.is_some_and(|most| begun.elapsed().as_secs_f64() >= most * 60.0)
}

impl Learning<'_> {
    fn note(&mut self, entry: &Json) {
        self.log.push_str(&format!("{entry}\n"));
    }

    /// The program: small if one is right, trained if not.
    fn program(&mut self, checkpoint: Option<Training>) -> Fallible<Program> {
        let arguments = self.arguments;
        let Data {
            train,
            labels,
            causal,
            ..
        } = self.data;
        let sizes = [arguments.layers, arguments.heads, arguments.mlps];
        let has_sizes = sizes != [None; 3] || arguments.rich;
        if !has_sizes && checkpoint.is_none() {
            self.control.at("trying small programs");
            let control = self.control.clone();
            let (begun, minutes) = (self.begun, arguments.minutes);
            let found = grow(train, labels, *causal, arguments.seed, &mut || {
                control.is_stopped() || is_late(begun, minutes)
            });
            self.control.check()?;
            let modules = found.as_ref().map(|program| program.modules.len());
            self.note(&json!({"small": {"modules": modules}}));
            if let Some(found) = found {
                return Ok(found);
            }
            if arguments.grow {
                let message = "no small program is right on all examples";
                let help = "without `--grow` a transformer is trained";
                return Err(Diagnostic::error(Code::NotLearnt, message)
                    .help(help)
                    .into());
            }
        }
        self.train(checkpoint)
    }

    fn train(&mut self, checkpoint: Option<Training>) -> Fallible<Program> {
        let arguments = self.arguments;
        let usual = Sizes::of_task(arguments.task);
        let sizes = Sizes {
            layers: arguments.layers.map_or(usual.layers, usize::from),
            heads: arguments.heads.map_or(usual.heads, usize::from),
            mlps: arguments.mlps.map_or(usual.mlps, usize::from),
            rich: arguments.rich,
        };
        let recipe = Recipe {
            epochs: arguments.epochs as usize,
            seed: arguments.seed,
            seeds: arguments.seeds as usize,
            ..Recipe::default()
        };
        let data = self.data;
        let shape = sizes.shape(data);
        let mut training = match checkpoint {
            Some(training) if training.fits(&shape) => training,
            Some(_) => {
                let message = "the checkpoint is of a network of other sizes";
                return Err(Diagnostic::error(Code::BadRequest, message).into());
            }
            None => Training::new(&shape, &recipe),
        };
        let bar = progress::bar(Some(recipe.epochs as u64), BAR);
        bar.enable_steady_tick(progress::TICK);
        let mut failed = None;
        let settings = settings(arguments, data);
        let control = self.control.clone();
        let (begun, minutes) = (self.begun, arguments.minutes);
        let stop = move || control.is_stopped() || is_late(begun, minutes);
        let mut watch = |training: &Training, progress: Progress| {
            let Progress {
                epoch,
                seeds,
                loss,
                temperature,
                right,
                ..
            } = progress;
            bar.set_position(epoch as u64);
            let right = 100.0 * right.max(0.0);
            bar.set_message(format!(
                "loss {loss:.3}, temperature {temperature:.2}, {right:.2}% right, {seeds} seeds"
            ));
            self.note(&json!({
                "epoch": epoch, "seeds": seeds, "loss": loss, "temperature": temperature,
                "right": right / 100.0,
            }));
            let checkpoint = Checkpoint {
                settings: settings.clone(),
                log: self.log.clone(),
                training: training.clone(),
            };
            let text = serde_json::to_vec(&checkpoint).unwrap_or_default();
            let kept = self.directory.write(CHECKPOINT, &text);
            let kept = kept.and_then(|()| self.directory.write(LOG, self.log.as_bytes()));
            failed = kept.err();
            failed.is_none() && !stop()
        };
        let program = learn::trained(sizes, data, &recipe, &mut training, &mut watch, &stop);
        bar.finish_and_clear();
        if let Some(error) = failed {
            return Err(error);
        }
        self.control.check()?;
        program.ok_or_else(|| {
            let message = "there is no seed to train";
            Diagnostic::error(Code::NotLearnt, message).into()
        })
    }

    /// Writes the results; gives what is to be warned of.
    fn write(&mut self, program: &Program, report: &Report) -> Fallible<Option<Diagnostic>> {
        let mut text = decompile::decompile(program, self.data)?;
        let set = self.data.all.as_ref().unwrap_or(&self.data.test);
        let every = set.count().div_ceil(HELD_AGAINST).max(1);
        let some: Vec<usize> = (0..set.count()).step_by(every).collect();
        let examples = set.part(&some);
        let (agreeing, of) = decompile::agreement(&text, program, self.data, &examples)?;
        self.note(&json!({"text": {"inputs": of, "equal": agreeing}}));
        if agreeing < of {
            let message = format!("the text gives other values on {} inputs", of - agreeing);
            return Err(Diagnostic::error(Code::NotExact, message).into());
        }
        let proof = proof(of, set.count(), report);
        let written = format!("{}{proof}", text.text);
        self.directory.write("program.rasp", written.as_bytes())?;
        let (model, warning) = match self.model(&mut text, &examples) {
            Ok(model) => (Some(model), None),
            Err(error) => (None, Some(*placeless(error))),
        };
        if let Some(model) = model {
            let path = self.directory.0.join("model.safetensors");
            model::save(&model, &path, Existing::Replace)?;
        }
        let test = program.score(&self.data.test);
        self.note(&json!({"held_out": {
            "token_accuracy": test.tokens(), "sequence_accuracy": test.sequences(),
        }}));
        self.directory.write(LOG, self.log.as_bytes())?;
        let report = serde_json::to_string(report).unwrap_or_default();
        self.directory
            .write("report.json", format!("{report}\n").as_bytes())?;
        // What is left of training is of no use any more, and nothing else is lost with it.
        let _ = std::fs::remove_file(self.directory.0.join(CHECKPOINT));
        Ok(warning)
    }

    /// The transformer of a text: proved exact in as many floats as can be, and the same as the text
    /// on examples.
    fn model(&self, text: &mut Decompiled, examples: &Encoded) -> Fallible<Model> {
        let mut compiled = text
            .session
            .compile(&[decompile::OUTPUT], &Asked::default())?;
        if !compiled.is_certified() {
            let mut asked = Asked::default();
            asked.request.host.dtype = Some(Dtype::Float64);
            compiled = text.session.compile(&[decompile::OUTPUT], &asked)?;
        }
        let is_wide = compiled.model.certified.is_empty() || !compiled.is_certified();
        let precision = if is_wide {
            Precision::F64
        } else {
            Precision::F32
        };
        let executor = Executor::new(&compiled.model, precision)?;
        for at in (0..examples.count()).step_by(examples.count().div_ceil(EXECUTED).max(1)) {
            let input = self.data.input(examples.example(at).0);
            let values = text.session.evaluate(text.output, &input)?.values;
            if executor.run(&input)? != values {
                let message = "the model gives other values than the program";
                return Err(Diagnostic::error(Code::NotExact, message).into());
            }
        }
        Ok(compiled.model)
    }
}

/// An error of a text that nobody has a file of: without its places.
fn placeless(mut error: Box<Diagnostic>) -> Box<Diagnostic> {
    error.labels.clear();
    if let Some(help) = &mut error.help {
        help.edits.clear();
    }
    error
}

/// Inputs that the text is held against the discrete program on, at most.
const HELD_AGAINST: usize = 400_000;
/// Inputs that the model is held against the text on, at most.
const EXECUTED: usize = 500;

/// What is shown of training.
const BAR: &str = "{spinner} {bar:30} {percent}% {msg}, {eta} left";

/// What the assertion cannot say: on how many inputs the text was held against what was learnt.
fn proof(held: usize, of: usize, report: &Report) -> String {
    let inputs = match (held == of, report.exhaustive) {
        (true, true) => format!("all {of} inputs"),
        (false, true) => format!("{held} of all {of} inputs"),
        (_, false) => format!("{held} inputs that were held out"),
    };
    let Report {
        inputs: asked,
        inputs_right: right,
        ..
    } = report;
    format!("# On {inputs} this is what was learnt; of {asked} inputs {right} are right.\n")
}
