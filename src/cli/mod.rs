//! The command line: one file a subcommand. Files and the terminal are touched here and in the
//! REPL only.

/// Runs the command line of this process and gives its exit status.
pub fn main() -> i32 {
    0
}
