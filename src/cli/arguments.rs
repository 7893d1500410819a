//! What the command line accepts, as clap reads it.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// RASP, the programming language for transformers: interpret programs, schedule them onto layers
/// and heads, compile them to weights, and run the weights. Without a command: the REPL.
#[derive(Debug, Parser)]
#[command(name = "rasp", version)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
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
    /// Run a compiled model on inputs
    Exec(Exec),
    /// See one program interpreted, scheduled, compiled and run as a transformer
    Tour(Tour),
    /// Hold the compiled model of an s-op against the interpreter
    Verify(Verify),
}

#[derive(Debug, Args)]
pub struct Program {
    /// The program; `-` reads it from standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

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

#[derive(Debug, Args)]
pub struct Setting {
    /// The vocabulary: a text whose characters are the tokens
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
    /// Let each position attend only to itself and earlier positions
    #[arg(long)]
    pub causal: bool,
}

#[derive(Debug, Args)]
pub struct Run {
    #[command(flatten)]
    pub program: Program,
    /// An expression to evaluate in the program; without any, its expression statements
    #[arg(
        short = 'e',
        long = "expr",
        value_name = "EXPR",
        allow_hyphen_values = true
    )]
    pub expr: Vec<String>,
    #[command(flatten)]
    pub inputs: Inputs,
    /// One JSON object a line, for each expression and input
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Schedule {
    #[command(flatten)]
    pub program: Program,
    /// The s-op
    #[arg(
        short = 'e',
        long = "expr",
        value_name = "EXPR",
        allow_hyphen_values = true
    )]
    pub expr: String,
    /// Count as the reference implementation does: a head for each selector written, even where
    /// two are equal
    #[arg(long)]
    pub reference: bool,
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Check {
    #[command(flatten)]
    pub program: Program,
    #[command(flatten)]
    pub setting: Setting,
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Compile {
    #[command(flatten)]
    pub program: Program,
    /// The s-op
    #[arg(
        short = 'e',
        long = "expr",
        value_name = "EXPR",
        allow_hyphen_values = true
    )]
    pub expr: String,
    #[command(flatten)]
    pub setting: Setting,
    /// Where to write the model
    #[arg(short = 'o', long = "output", value_name = "OUT")]
    pub output: PathBuf,
    /// Replace OUT if it exists
    #[arg(long)]
    pub force: bool,
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Info {
    /// A compiled model
    #[arg(value_name = "OUT")]
    pub model: PathBuf,
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Exec {
    /// A compiled model
    #[arg(value_name = "OUT")]
    pub model: PathBuf,
    #[command(flatten)]
    pub inputs: Inputs,
    /// Compute in 64-bit floats instead of 32-bit ones
    #[arg(long)]
    pub f64: bool,
    /// Show the residual stream, decoded into the program's variables, after each half layer
    #[arg(long)]
    pub trace: bool,
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Tour {
    /// A program; without one, an example that sorts
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The s-op; without it, the last one that the program states
    #[arg(
        short = 'e',
        long = "expr",
        value_name = "EXPR",
        allow_hyphen_values = true
    )]
    pub expr: Option<String>,
    /// The input; without it, the program's example
    #[arg(
        short = 'i',
        long = "input",
        value_name = "TEXT",
        allow_hyphen_values = true
    )]
    pub input: Option<String>,
}

#[derive(Debug, Args)]
pub struct Verify {
    #[command(flatten)]
    pub program: Program,
    /// The s-op
    #[arg(
        short = 'e',
        long = "expr",
        value_name = "EXPR",
        allow_hyphen_values = true
    )]
    pub expr: String,
    #[command(flatten)]
    pub setting: Setting,
    /// Random inputs beyond the lengths that are checked exhaustively
    #[arg(long, value_name = "K", default_value_t = 2_000)]
    pub samples: usize,
    /// Seed of the random inputs
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Compute in 64-bit floats instead of 32-bit ones
    #[arg(long)]
    pub f64: bool,
    #[arg(long)]
    pub json: bool,
}
