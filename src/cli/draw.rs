//! `rasp draw`: pictures of programs, selectors and models.

use super::arguments::{Diagnostics, Integrity, Program, SOps, Setting};
use super::input::{OneInput, asked, open, vocabulary};
use super::limits::session;
use super::making::Making;
use super::model::{load, load_of};
use super::output::{Output, Stop};
use super::progress;
use crate::base::render::Style;
use crate::base::{Code, Diagnostic, Existing, Fallible, Sources, terminal, visible, write};
use crate::draw::{self, Drawing, Form, Look, Subject, Theme};
use crate::eval::Meta;
use crate::graph::{SOpId, SelectorId, Sharing};
use crate::model::Model;
use crate::session::{Asked, Session};
use crate::value::Value;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(mut_arg("expr", |arg| arg.help(DRAWN).required(false).requires("file")))]
pub struct Draw {
    /// The program; `-` reads it from standard input; without one, a model is drawn by itself
    #[arg(
        value_name = "FILE",
        required_unless_present = "model",
        requires = "expr"
    )]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub sops: SOps,
    #[command(flatten)]
    pub input: OneInput,
    /// What to draw
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub show: Show,
    /// A model that `rasp compile` has made of the s-op, or, without a program, any model; without it,
    /// one is made for the vocabulary that is given here or in the program, or else for the input
    #[arg(long, value_name = "MODEL")]
    pub model: Option<PathBuf>,
    #[command(flatten)]
    pub digest: Integrity,
    #[command(flatten)]
    pub setting: Setting,
    #[command(flatten)]
    pub making: Making,
    /// Show what feeds this position of the output, counted from 0, and fade what does not
    #[arg(long, value_name = "POSITION")]
    pub at: Option<usize>,
    /// The form; without it, that of OUT's ending, or text
    #[arg(long = "as", value_enum, value_name = "FORM")]
    pub form: Option<Form>,
    /// Where to write the picture; without it, to standard output
    #[arg(short = 'o', long = "output", value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Replace OUT if it exists
    #[arg(long)]
    pub force: bool,
    /// The colours of pictures
    #[arg(long, value_enum, value_name = "THEME", default_value_t)]
    pub theme: Theme,
    /// Columns of text; without it, those of the terminal
    #[arg(long, value_name = "COLUMNS")]
    pub width: Option<usize>,
    #[command(flatten)]
    pub diagnostics: Diagnostics,
}

/// What `rasp draw` takes with `-e`.
const DRAWN: &str = "The s-op, or the selector; selectors may be repeated";

/// What of a program is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Show {
    /// The layers and heads with the values in them; of selectors, what they select
    #[default]
    Flow,
    /// What is computed from what
    Graph,
    /// The flow in the model: the attention of each head beside the selector of the program; the
    /// default with `--model`
    Model,
    /// The residual stream of the model after each half layer; the default without a program
    Stream,
    /// The weights of each head of the model
    Weights,
}

impl ValueEnum for Form {
    fn value_variants<'a>() -> &'a [Form] {
        const FORMS: [Form; 8] = {
            let mut forms = [Form::Text; 8];
            let mut at = 0;
            while at < forms.len() {
                forms[at] = Form::ALL[at].0;
                at += 1;
            }
            forms
        };
        &FORMS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let mut all = Form::ALL.iter();
        let (_, name, _, help) = all.find(|(form, ..)| form == self)?;
        Some(PossibleValue::new(*name).help(*help))
    }
}

choices! {
    Theme {
        Auto "auto": "Light, unless the viewer prefers dark",
        Light "light": "Dark on light",
        Dark "dark": "Light on dark",
    }
}

pub fn draw(output: &mut Output, arguments: &Draw) -> Result<(), Stop> {
    let none = Sources::new();
    let form = match (&arguments.form, &arguments.output) {
        (Some(form), _) => *form,
        (None, Some(path)) => output.expect(Form::of(path), &none)?,
        (None, None) => Form::Text,
    };
    let error = |message: String| Diagnostic::error(Code::BadRequest, message);
    let misfit = match &arguments.output {
        None if form.is_bytes() => {
            let help = format!("say which with `-o NAME.{}`", form.name());
            Some(error("a picture of bytes needs a file".to_string()).help(help))
        }
        Some(path) if Form::of_ending(path).is_some_and(|other| other != form) => {
            let (name, shown) = (form.name(), visible::path(path));
            let message = format!("`--as {name}` and {shown} say different kinds of pictures");
            Some(error(message).help("leave `--as` out, or give the file another ending"))
        }
        _ if form == Form::Html && arguments.show != Show::Flow => {
            let message = "a page shows the program in its model, and nothing else";
            Some(error(message.to_string()).help("leave `--show` out, or draw it as `svg`"))
        }
        _ if arguments.at.is_some()
            && (form == Form::Html || matches!(arguments.show, Show::Graph | Show::Weights)) =>
        {
            let message = "what is drawn so is of all positions alike";
            Some(error(message.to_string()).help("leave `--at` out"))
        }
        _ => None,
    };
    if let Some(error) = misfit {
        return Err(output.refuse(&error, &none));
    }
    let given = output.expect(arguments.input.given(), &none)?;
    let mut session = match &arguments.file {
        Some(file) => open(output, &Program { file: file.clone() }, Sharing::Equal)?.0,
        None => session(Sharing::Equal),
    };
    if arguments.model.is_some() && arguments.setting.is_given() {
        let error = Diagnostic::error(Code::BadRequest, "a model that is given is made already");
        let help =
            "leave out `--vocab`, `--max-len` and `--causal`, which are for one that is made here";
        return Err(output.refuse(&error.help(help), &none));
    }
    let target = Target::new(&mut session, &arguments.sops.expr);
    let target = output.expect(target, session.sources())?;
    let model = match &arguments.model {
        Some(path) => {
            let digest = arguments.digest.asked();
            Some(match &target {
                Target::SOp(_, name) => load_of(output, path, digest, name)?,
                Target::Selectors(_) | Target::Model => load(output, path, digest)?,
            })
        }
        None => None,
    };
    let input = match (given, &arguments.file, &model) {
        (Some(input), None, Some(model)) => input.in_tokens_of(&model.vocabulary).tokens,
        (Some(input), ..) => input.tokens,
        (None, ..) => session.settings.example.clone(),
    };
    let look = Look {
        theme: arguments.theme,
        width: arguments.width.unwrap_or_else(terminal::columns),
        color: arguments.output.is_none() && output.results() == Style::Terminal,
    };
    let drawn = || target.bytes(&session, arguments, &input, model, (form, look));
    let bytes = progress::shown(output, session.control(), "drawing", drawn)?;
    let bytes = output.expect(bytes, session.sources())?;
    let Some(path) = &arguments.output else {
        return output.exact(&bytes);
    };
    let existing = match arguments.force {
        true => Existing::Replace,
        false => Existing::Keep,
    };
    output.expect(write::write_made(path, &bytes, existing), session.sources())?;
    output.line(&format!("drawn in {}", visible::path(path)))
}

/// What the expressions are.
enum Target {
    SOp(SOpId, String),
    Selectors(Vec<(SelectorId, String)>),
    /// The model by itself.
    Model,
}

impl Target {
    /// # Errors
    /// An expression that cannot be drawn; several of which one is no selector.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others are no selectors")]
    fn new(session: &mut Session, expressions: &[String]) -> Fallible<Target> {
        if expressions.is_empty() {
            return Ok(Target::Model);
        }
        let mut selectors = Vec::new();
        for text in expressions {
            match session.expression(text)? {
                Meta::Selector(id) => selectors.push((id, text.clone())),
                _ if expressions.len() == 1 => {
                    return Ok(Target::SOp(session.sop(text)?, text.clone()));
                }
                _ => {
                    let message = format!("`{text}` is no selector");
                    let error = Diagnostic::error(Code::SelectorExpected, message);
                    let help = "several selectors are drawn side by side, or else one s-op";
                    return Err(error.help(help).into());
                }
            }
        }
        Ok(Target::Selectors(selectors))
    }

    /// The picture.
    fn bytes(
        &self,
        session: &Session,
        arguments: &Draw,
        input: &[Value],
        model: Option<Model>,
        (form, look): (Form, Look),
    ) -> Fallible<Vec<u8>> {
        let bytes = |drawing: Drawing| draw::bytes(&drawing, form, look);
        let subject = Subject {
            graph: session.graph(),
            input,
            at: arguments.at,
            limits: session.limits(),
        };
        subject.check()?;
        let (id, name) = match self {
            Target::SOp(id, name) => (*id, name),
            Target::Selectors(selectors) => {
                if arguments.show != Show::Flow || model.is_some() {
                    let message = "of selectors, what they select can be drawn";
                    let error = Diagnostic::error(Code::BadRequest, message);
                    return Err(error.help("give an s-op that is computed with them").into());
                }
                return draw::selectors(&subject, selectors).and_then(bytes);
            }
            Target::Model => return alone(&subject, arguments, model, form).and_then(bytes),
        };
        let made = |model: Option<Model>| match model {
            Some(model) => Ok(model),
            None => {
                let given = vocabulary(&arguments.setting)?;
                let asked = asked(&arguments.setting, given, Some(&arguments.making));
                compiled(session, (id, name), input, asked)
            }
        };
        if form == Form::Html {
            return draw::page(&subject, &[id], &made(model)?).map(String::into_bytes);
        }
        let drawing = match arguments.show {
            Show::Graph => draw::program(&subject, id, name),
            Show::Flow if model.is_none() => draw::flow(&subject, id, name),
            Show::Flow | Show::Model => draw::model_flow(&subject, id, &made(model)?, name),
            Show::Stream => draw::stream(&subject, &made(model)?),
            Show::Weights => draw::weights(&subject, &made(model)?),
        };
        drawing.and_then(bytes)
    }
}

/// A model of which nobody says what program it is of.
fn alone(
    subject: &Subject,
    arguments: &Draw,
    model: Option<Model>,
    form: Form,
) -> Fallible<Drawing> {
    match (model, arguments.show) {
        (Some(model), Show::Flow | Show::Stream) if form != Form::Html => {
            draw::stream(subject, &model)
        }
        (Some(model), Show::Weights) if form != Form::Html => draw::weights(subject, &model),
        _ => {
            let message = "without a program, the stream and the weights of a model can be drawn";
            let error = Diagnostic::error(Code::BadRequest, message);
            let help =
                "`--show stream` or `--show weights`; or give the program and its s-op, `-e`";
            Err(error.help(help).into())
        }
    }
}

/// The model that is asked for, or else for the tokens and the length of the input.
fn compiled(
    session: &Session,
    output: (SOpId, &str),
    input: &[Value],
    mut asked: Asked,
) -> Fallible<Model> {
    asked.otherwise = Some(input.to_vec());
    Ok(session.compile_sops(&[output], &asked)?.model)
}
