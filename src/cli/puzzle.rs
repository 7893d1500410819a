//! `rasp puzzle`: puzzles listed, shown and graded. What they are, and their words, are in
//! `puzzle`; verdicts for tools are here.

use super::arguments::{Diagnostics, Program};
use super::equiv::result_json;
use super::input::{open, value_json};
use super::limits::session;
use super::output::{Output, Stop};
use super::progress;
use crate::base::Sources;
use crate::equiv::Difference;
use crate::graph::Sharing;
use crate::puzzle::{Door, Grade, Puzzle};
use clap::Args;
use serde_json::{Value as Json, json};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The puzzle, by number or name, or the file of one of your own; without it, the list of all
    #[arg(value_name = "PUZZLE", value_parser = find)]
    pub puzzle: Option<Named>,
    /// Grade a program, which must define `answer`; `-` reads it from standard input
    #[arg(long, value_name = "FILE", requires = "puzzle", conflicts_with_all = ["hint", "solution"])]
    pub check: Option<PathBuf>,
    /// The first hint, or the first N
    #[arg(
        long,
        value_name = "N",
        requires = "puzzle",
        conflicts_with = "solution",
        num_args = 0..=1,
        default_missing_value = "1"
    )]
    pub hint: Option<NonZeroUsize>,
    /// Show a solution
    #[arg(long, requires = "puzzle")]
    pub solution: bool,
    #[command(flatten)]
    pub diagnostics: Diagnostics,
}

/// A puzzle as it is named on the command line.
#[derive(Clone, Debug)]
pub enum Named {
    Ours(Puzzle),
    File(PathBuf),
}

fn find(wanted: &str) -> Result<Named, String> {
    match Puzzle::find(wanted) {
        Ok(puzzle) => Ok(Named::Ours(puzzle)),
        Err(_) if Path::new(wanted).exists() => Ok(Named::File(wanted.into())),
        Err(problem) => Err(problem),
    }
}

pub fn puzzle(output: &mut Output, arguments: &Arguments) -> Result<(), Stop> {
    let puzzle = match &arguments.puzzle {
        None => return output.text(&Door::Shell.list()),
        Some(Named::Ours(puzzle)) => puzzle.clone(),
        Some(Named::File(path)) => output.expect(Puzzle::open(path), &Sources::default())?,
    };
    match (&arguments.check, arguments.hint, arguments.solution) {
        (Some(file), _, _) => check(output, &puzzle, file, arguments.diagnostics.json),
        (None, Some(count), _) => output.text(&puzzle.hints(count.get(), Door::Shell)),
        (None, None, true) => output.exact(puzzle.solution.as_bytes()),
        (None, None, false) => {
            let mut session = session(Sharing::Equal);
            let task = puzzle.task(&mut session, Door::Shell);
            let task = output.expect(task, session.sources())?;
            output.text(&task)
        }
    }
}

fn check(output: &mut Output, puzzle: &Puzzle, file: &Path, json: bool) -> Result<(), Stop> {
    let program = Program {
        file: file.to_path_buf(),
    };
    let (mut session, _) = open(output, &program, Sharing::Equal)?;
    let control = session.control().clone();
    let grade = progress::shown(output, &control, "grading", || puzzle.grade(&mut session))?;
    let grade = output.expect(grade, session.sources())?;
    if !matches!(grade, Grade::Solved { .. }) {
        output.fail();
    }
    if !json {
        return output.text(&puzzle.told(&grade, Door::Shell));
    }
    output.json(&match &grade {
        Grade::Wrong { difference, .. } => wrong(puzzle, difference, session.sources()),
        Grade::Unknown => json!({"puzzle": puzzle.name_json(), "solved": null}),
        Grade::Solved { costs, .. } => {
            let [answer, solution] =
                costs.map(|(layers, heads)| json!({"layers": layers, "heads": heads}));
            json!({
                "puzzle": puzzle.name_json(),
                "solved": true,
                "answer": answer,
                "solution": solution,
            })
        }
    })
}

fn wrong(puzzle: &Puzzle, difference: &Difference, sources: &Sources) -> Json {
    let input: Vec<Json> = difference.input.iter().map(value_json).collect();
    json!({
        "puzzle": puzzle.name_json(),
        "solved": false,
        "input": input,
        "expected": result_json(&difference.a, sources),
        "got": result_json(&difference.b, sources),
    })
}

impl Puzzle {
    /// The number of one of ours, the path of another.
    fn name_json(&self) -> Json {
        match self.named.parse::<usize>() {
            Ok(number) => json!(number),
            Err(_) => json!(self.named),
        }
    }
}
