//! What the command line accepts, as clap reads it.

use super::host::{Floats, Order};
use super::input::OneInput;
use super::making::Making;
use crate::base::Code;
use crate::base::render::Color;
use crate::base::suggest::nearest;
use crate::model::Digest;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// RASP, the programming language for transformers: interpret programs, schedule them onto layers
/// and heads, compile them to weights, and run the weights. Without a command: the prompt.
#[derive(Debug, Parser)]
#[command(name = "rasp", version)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
    /// A program to load before the prompt
    #[arg(value_name = "FILE.rasp", value_parser = program)]
    pub file: Option<String>,
    /// When errors and warnings have colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, global = true)]
    pub color: Color,
    /// Another value for a limit; may be repeated. docs/LANGUAGE.md, "Limits", lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = super::limits::parse, global = true)]
    pub limit: Vec<(String, u64)>,
}

/// A word that is the path of a program, and no command with a slip in it.
pub fn program(word: &str) -> Result<String, String> {
    if word.ends_with(".rasp") {
        return Ok(word.to_string());
    }
    let command = Arguments::command();
    let names = command.get_subcommands().map(clap::Command::get_name);
    Err(match nearest(word, names) {
        Some(name) => format!("no such command; did you mean `{name}`?"),
        None => "no such command, and no program: their names end in `.rasp`".to_string(),
    })
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Interpret s-ops of a program on inputs
    Run(Run),
    /// Show the layers and heads an s-op takes
    Schedule(Schedule),
    /// Check a program and show the types and values of what it defines
    Check(Check),
    /// Compile an s-op to transformer weights
    Compile(Compile),
    /// Describe a compiled model
    Info(Info),
    /// Prove that floats compute a model exactly, from its weights and the plan they were made from
    Certify(super::certify::Certify),
    /// Run a compiled model on inputs
    Exec(Exec),
    /// Draw programs, selectors and models: for the terminal, or as SVG, PNG, PDF and others
    Draw(super::draw::Draw),
    /// See one program interpreted, scheduled, compiled and run as a transformer
    Tour(super::tour::Tour),
    /// Hold the compiled model of an s-op against the interpreter
    Verify(super::verify::Verify),
    /// Run the assertions of programs
    Test(Test),
    /// Write programs in canonical form; comments stay
    Fmt(Fmt),
    /// Write the reference of the library, or of programs, as Markdown
    Doc(Doc),
    /// Compare two s-ops on every input up to a length
    #[command(after_help = EQUIV)]
    Equiv(Equiv),
    /// Append an s-op's last value to its input, again and again
    Generate(Generate),
    /// Learn a program from examples, and read it
    Learn(super::learn::Arguments),
    /// Say in words why an s-op has its value at a position
    ExplainRun(super::explain_run::ExplainRun),
    /// Explain an error code; without one, list all codes
    Explain(Explain),
    /// Print what makes a shell complete the commands and options of rasp
    Completions(super::shell::Completions),
    /// Print the manual page of rasp, or of one of its commands
    Man(super::shell::Man),
    /// Build transformers that no program says: for bracket languages, and looped computers
    Machine(super::machine::Arguments),
    /// Learn RASP from puzzles: list them, read one, have a program graded
    Puzzle(super::puzzle::Arguments),
}

/// What an answer of `rasp equiv` means.
const EQUIV: &str = "\
Equal are two s-ops that on each input have values that are equal as `==` says, or both fail; and
two selectors that on each input select the same.

Exit status:
  0  equal: proved, or every input was tried
  1  different: an input is shown, the shortest unless it says otherwise; or an error
  2  a wrong command line
  3  no difference found, but not every input was tried

At most 200000 inputs with 4000000 tokens together are tried, the shortest first, and then random
ones with as many tokens. Ctrl-C shows what is known so far.";

impl Command {
    /// Whether it speaks to a tool: results on standard output and diagnostics on standard error
    /// are JSON objects.
    pub fn json(&self) -> bool {
        match self {
            Command::Run(arguments) => arguments.json,
            Command::Schedule(arguments) => arguments.json,
            Command::Check(arguments) => arguments.json,
            Command::Compile(arguments) => arguments.json,
            Command::Info(arguments) => arguments.json,
            Command::Certify(arguments) => arguments.json,
            Command::Exec(arguments) => arguments.json,
            Command::Draw(arguments) => arguments.diagnostics.json,
            Command::Tour(arguments) => arguments.diagnostics.json,
            Command::Verify(arguments) => arguments.json,
            Command::Test(arguments) => arguments.json,
            Command::Fmt(arguments) => arguments.diagnostics.json,
            Command::Doc(arguments) => arguments.diagnostics.json,
            Command::Equiv(arguments) => arguments.json,
            Command::Generate(arguments) => arguments.json,
            Command::Learn(arguments) => arguments.json,
            Command::ExplainRun(arguments) => arguments.diagnostics.json,
            Command::Explain(_) | Command::Completions(_) | Command::Man(_) => false,
            Command::Machine(arguments) => arguments.json(),
            Command::Puzzle(arguments) => arguments.diagnostics.json,
        }
    }
}

/// For commands whose results are for people.
#[derive(Debug, Args)]
pub struct Diagnostics {
    /// Errors and warnings as one JSON object a line
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Program {
    /// The program; `-` reads it from standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// For commands about one s-op. Those that say more of it have another help for the same option.
#[derive(Debug, Args)]
pub struct SOp {
    /// The s-op
    #[arg(
        short = 'e',
        long = "expr",
        value_name = "EXPR",
        allow_hyphen_values = true
    )]
    pub expr: String,
}

/// For commands about several.
#[derive(Debug, Args)]
pub struct SOps {
    /// The s-op; may be repeated, for one model of several outputs
    #[arg(
        short = 'e',
        long = "expr",
        value_name = "EXPR",
        required = true,
        allow_hyphen_values = true
    )]
    pub expr: Vec<String>,
}

/// What `rasp run` takes with `-e`.
const EVALUATED: &str =
    "An expression to evaluate in the program; without any, its expression statements";

#[derive(Debug, Args)]
pub struct Inputs {
    /// An input whose characters are the tokens; may be repeated
    #[arg(
        short = 'i',
        long = "input",
        value_name = "TEXT",
        allow_hyphen_values = true
    )]
    pub text: Vec<String>,
    /// An input as a JSON array of tokens; may be repeated
    #[arg(long, value_name = "ARRAY", allow_hyphen_values = true)]
    pub input_json: Vec<String>,
}

/// Which inputs there are.
#[derive(Clone, Debug, Args)]
pub struct Reach {
    /// The vocabulary: a text whose characters are the tokens; one that is there twice is one token
    #[arg(
        long,
        value_name = "TEXT",
        conflicts_with = "vocab_json",
        allow_hyphen_values = true
    )]
    pub vocab: Option<String>,
    /// The vocabulary as a JSON array of tokens
    #[arg(long, value_name = "ARRAY", allow_hyphen_values = true)]
    pub vocab_json: Option<String>,
    /// The longest input
    #[arg(long, value_name = "N")]
    pub max_len: Option<usize>,
}

#[derive(Debug, Args)]
pub struct Setting {
    #[command(flatten)]
    pub reach: Reach,
    /// Let each position attend only to itself and earlier positions, or to all in spite of the
    /// program
    #[arg(
        long,
        value_name = "SWITCH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "on"
    )]
    pub causal: Option<Switch>,
}

impl Setting {
    /// Whether the command line says anything of the inputs.
    pub fn is_given(&self) -> bool {
        let reach = &self.reach;
        let is_reach = reach.vocab.is_some() || reach.vocab_json.is_some();
        is_reach || reach.max_len.is_some() || self.causal.is_some()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    On,
    Off,
}

#[derive(Debug, Args)]
#[command(mut_arg("expr", |arg| arg.help(EVALUATED).required(false)))]
pub struct Run {
    #[command(flatten)]
    pub program: Program,
    #[command(flatten)]
    pub wanted: SOps,
    #[command(flatten)]
    pub inputs: Inputs,
    /// Many inputs: a file with a JSON string or array of tokens a line; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["text", "input_json"])]
    pub batch: Option<PathBuf>,
    /// Say how each aggregate was computed, at what cost, and why
    #[arg(long, conflicts_with_all = ["batch", "json"])]
    pub explain_cost: bool,
    /// One JSON object a line, for each expression and input; errors and warnings too
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Schedule {
    #[command(flatten)]
    pub program: Program,
    #[command(flatten)]
    pub sops: SOps,
    #[command(flatten)]
    pub setting: Setting,
    #[command(flatten)]
    pub making: Making,
    /// Show the schedule of the program's graph alone, too, and that which the reference counts
    #[arg(long)]
    pub compare: bool,
    /// Show every line of a long schedule, also those that are like others
    #[arg(long)]
    pub all: bool,
    /// Count as the reference implementation does: a head for each selector written, even where
    /// two are equal
    #[arg(long, conflicts_with = "compare")]
    pub reference: bool,
    /// The result as one JSON object; errors and warnings too
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Check {
    #[command(flatten)]
    pub program: Program,
    #[command(flatten)]
    pub setting: Setting,
    /// The result as one JSON object; errors and warnings too
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Compile {
    #[command(flatten)]
    pub program: Program,
    #[command(flatten)]
    pub sops: SOps,
    #[command(flatten)]
    pub setting: Setting,
    #[command(flatten)]
    pub file: ModelFile,
    #[command(flatten)]
    pub making: Making,
    /// Have the body of the `repeat` as layers that run again and again, instead of new ones for each
    /// round; certified like others, and held against the interpreter on some inputs
    #[arg(long, conflicts_with_all = ["explain", "exact", "no_bos", "style", "passes"])]
    pub looped: bool,
    /// Print the plan that the weights are made from, before and after each pass, and what is proved
    /// of it
    #[arg(long)]
    pub explain: bool,
    /// Write the model even if it is not proved to be exact
    #[arg(long)]
    pub uncertified: bool,
    /// The description as one JSON object; errors and warnings too
    #[arg(long)]
    pub json: bool,
}

/// For commands that read a model.
#[derive(Debug, Args)]
pub struct Integrity {
    /// Read the model even if its digest is not that of its contents: it was changed by hand
    #[arg(long)]
    pub ignore_digest: bool,
}

impl Integrity {
    pub fn asked(&self) -> Digest {
        match self.ignore_digest {
            true => Digest::Ignored,
            false => Digest::Checked,
        }
    }
}

#[derive(Debug, Args)]
pub struct Info {
    /// A compiled model
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    #[command(flatten)]
    pub digest: Integrity,
    /// The description as one JSON object; errors and warnings too
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Exec {
    /// A compiled model
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    #[command(flatten)]
    pub digest: Integrity,
    #[command(flatten)]
    pub inputs: Inputs,
    /// Many inputs: a file with a JSON string or array of tokens a line; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["text", "input_json", "trace"])]
    pub batch: Option<PathBuf>,
    #[command(flatten)]
    pub floats: Floats,
    #[command(flatten)]
    pub order: Order,
    /// Show the residual stream, decoded into the program's variables, after each half layer
    #[arg(long)]
    pub trace: bool,
    /// Columns of a trace; without it, those of the terminal
    #[arg(long, value_name = "COLUMNS")]
    pub width: Option<usize>,
    /// One JSON object a line, for each input; errors and warnings too
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Test {
    /// The programs, or folders of programs; `-` reads one from standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// One JSON object a line: each assertion, then the counts; errors and warnings too
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Fmt {
    /// The programs, or folders of programs; `-` formats standard input to standard output
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Write nothing; list the files that would change
    #[arg(long)]
    pub check: bool,
    /// Also write the parentheses that make a surprising precedence plain
    #[arg(long)]
    pub parentheses: bool,
    #[command(flatten)]
    pub diagnostics: Diagnostics,
}

/// The file that a model becomes.
#[derive(Debug, Args)]
pub struct ModelFile {
    /// Where to write the model
    #[arg(short = 'o', long = "output", value_name = "MODEL")]
    pub output: PathBuf,
    /// Replace MODEL if it exists
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct Doc {
    /// The programs, or folders of programs; without any, the built-in names and the standard library
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Where to write the reference; without it, to standard output
    #[arg(short = 'o', long = "output", value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Replace OUT also if `rasp doc` has not written it
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub diagnostics: Diagnostics,
}

#[derive(Debug, Args)]
#[command(mut_arg("expr", |arg| arg.help("The two s-ops: `-e A -e B`")))]
pub struct Equiv {
    #[command(flatten)]
    pub program: Program,
    #[command(flatten)]
    pub sops: SOps,
    #[command(flatten)]
    pub reach: Reach,
    /// Random inputs beyond the lengths that are compared exhaustively
    #[arg(long, value_name = "K", default_value_t = 2_000)]
    pub samples: usize,
    /// Seed of the random inputs
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// The result as one JSON object; errors and warnings too
    #[arg(long)]
    pub json: bool,
}

/// What `rasp generate` takes with `-i`.
const PROMPT: &str = "The prompt: a text whose characters are the tokens";

#[derive(Debug, Args)]
#[command(mut_arg("expr", |arg| arg.help("The s-op whose last value is the next token").required(false)))]
#[command(mut_arg("text", |arg| arg.help(PROMPT).required_unless_present("input_json")))]
#[command(mut_arg("input_json", |arg| arg.help("The prompt as a JSON array of tokens")))]
pub struct Generate {
    /// The program, `-` reads it from standard input; or a compiled model, without `-e`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub sop: Option<SOp>,
    #[command(flatten)]
    pub input: OneInput,
    /// The most tokens to append
    #[arg(long, value_name = "K")]
    pub steps: usize,
    /// Stop after this token
    #[arg(long, value_name = "TOKEN", allow_hyphen_values = true)]
    pub stop: Option<String>,
    #[command(flatten)]
    pub digest: Integrity,
    /// The result as one JSON object; errors and warnings too
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Explain {
    /// A code, like E0201, or its name, like undefined-name
    #[arg(value_name = "CODE", value_parser = code)]
    pub code: Option<Code>,
}

fn code(text: &str) -> Result<Code, String> {
    crate::pages::find(text)
        .ok_or_else(|| "no such code; `rasp explain` lists them all".to_string())
}
