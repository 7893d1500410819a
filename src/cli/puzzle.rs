//! `rasp puzzle`: puzzles listed, shown and graded. What they are, and their words, are in
//! `puzzle`; verdicts for tools are here.

use super::arguments::{Diagnostics, Program};
use super::equiv::result_json;
use super::input::{open, programs};
use super::json::Values;
use super::limits::session;
use super::output::{Output, Stop, diagnostic_json, table};
use super::progress;
use crate::base::{Diagnostic, Sources, visible};
use crate::equiv::Difference;
use crate::graph::Sharing;
use crate::puzzle::{Door, Grade, Puzzle};
use crate::session::Session;
use clap::Args;
use serde_json::{Value as Json, json};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The puzzle, by number or name, or the file of one of your own; without it, the list of all
    #[arg(value_name = "PUZZLE", value_parser = find)]
    pub puzzle: Option<Named>,
    /// Grade a program, which must define `answer`; `-` reads it from standard input. Several, or those of a
    /// folder, are graded in a line each
    #[arg(
        long,
        value_name = "FILE",
        requires = "puzzle",
        conflicts_with_all = ["hint", "solution"],
        num_args = 1..
    )]
    pub check: Vec<PathBuf>,
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
        None if arguments.diagnostics.json => return listed(output),
        None => return output.text(&Door::Shell.list()),
        Some(Named::Ours(puzzle)) => puzzle.clone(),
        Some(Named::File(path)) => output.expect(Puzzle::open(path), &Sources::default())?,
    };
    let json = arguments.diagnostics.json;
    let shown = |output: &mut Output, what: &str, text: &str| match json {
        true => output.json(&json!({"puzzle": puzzle.name_json(), what: text})),
        false => output.text(text),
    };
    match (&*arguments.check, arguments.hint, arguments.solution) {
        ([file], _, _) if !file.is_dir() => check(output, &puzzle, file, json),
        ([_, ..], _, _) => check_all(output, &puzzle, arguments),
        ([], Some(count), _) => shown(output, "hints", &puzzle.hints(count.get(), Door::Shell)),
        ([], None, true) if json => shown(output, "solution", &puzzle.solution),
        ([], None, true) => output.exact(puzzle.solution.as_bytes()),
        ([], None, false) => {
            let mut session = session(Sharing::Equal);
            let task = puzzle.task(&mut session, Door::Shell);
            let task = output.expect(task, session.sources())?;
            shown(output, "task", &task)
        }
    }
}

/// Ours, a line each.
fn listed(output: &mut Output) -> Result<(), Stop> {
    for (number, name, title) in Puzzle::titles() {
        output.json(&json!({"puzzle": number, "name": name, "title": title}))?;
    }
    Ok(())
}

fn check(output: &mut Output, puzzle: &Puzzle, file: &Path, json: bool) -> Result<(), Stop> {
    let graded = graded(output, puzzle, file);
    if json {
        let why = output.take_first();
        output.json(&graded_json(puzzle, &graded, &why))?;
        return graded.map(drop);
    }
    let (_, grade) = graded?;
    output.text(&puzzle.told(&grade, Door::Shell))
}

/// A line for each program, whatever becomes of the others.
fn check_all(output: &mut Output, puzzle: &Puzzle, arguments: &Arguments) -> Result<(), Stop> {
    let files = programs(output, &arguments.check)?;
    // What is wrong with the puzzle is no mistake of the answers.
    let mut own = session(Sharing::Equal);
    let task = puzzle.task(&mut own, Door::Shell);
    output.expect(task, own.sources())?;
    let mut rows = Vec::with_capacity(files.len());
    let mut solved = 0;
    for file in &files {
        let graded = graded(output, puzzle, file);
        if let Err(stop @ (Stop::Interrupted | Stop::Usage | Stop::Output)) = graded {
            return Err(stop);
        }
        let why = output.take_first();
        let name = file.display().to_string();
        solved += usize::from(matches!(graded, Ok((_, Grade::Solved { .. }))));
        match arguments.diagnostics.json {
            true => {
                let mut json = graded_json(puzzle, &graded, &why);
                json["file"] = json!(name);
                output.json(&json)?;
            }
            false => rows.push(graded_row(&graded, &why, &name)),
        }
    }
    if arguments.diagnostics.json {
        return Ok(());
    }
    output.text(&table(&["answer", "grade", ""], &rows))?;
    output.line(&format!("\n{solved} of {} solved", files.len()))
}

/// What became of a file, or that it has no grade.
type Graded = Result<(Session, Grade), Stop>;

/// The first error, which says why there is no grade.
type Why = Option<(Diagnostic, Sources)>;

fn graded_row(graded: &Graded, why: &Why, name: &str) -> Vec<String> {
    let (verdict, why) = match graded {
        Ok((_, grade)) => grade.briefly(),
        Err(_) => {
            let why = why.as_ref().map(|(error, _)| error.to_string());
            ("does not run", why.unwrap_or_default())
        }
    };
    vec![visible::name(name).into(), verdict.to_string(), why]
}

/// # Errors
/// The program cannot be read, has errors, or has no answer.
fn graded(output: &mut Output, puzzle: &Puzzle, file: &Path) -> Graded {
    let program = Program {
        file: file.to_path_buf(),
    };
    let (mut session, _) = open(output, &program, Sharing::Equal)?;
    let control = session.control().clone();
    let grade = progress::shown(output, &control, "grading", || puzzle.grade(&mut session))?;
    let grade = grade.map_err(|error| {
        let place = format!("in {}", visible::path(file));
        Box::new(error.note(place))
    });
    let grade = output.expect(grade, session.sources())?;
    if !matches!(grade, Grade::Solved { .. }) {
        output.fail();
    }
    Ok((session, grade))
}

fn graded_json(puzzle: &Puzzle, graded: &Graded, why: &Why) -> Json {
    match (graded, why) {
        (Ok((session, grade)), _) => grade_json(puzzle, grade, session.sources()),
        (Err(_), None) => json!({"puzzle": puzzle.name_json(), "solved": false}),
        (Err(_), Some((error, sources))) => json!({
            "puzzle": puzzle.name_json(),
            "solved": false,
            "error": diagnostic_json(error, sources),
        }),
    }
}

fn grade_json(puzzle: &Puzzle, grade: &Grade, sources: &Sources) -> Json {
    match grade {
        Grade::Wrong { difference, .. } => wrong(puzzle, difference, sources),
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
    }
}

fn wrong(puzzle: &Puzzle, difference: &Difference, sources: &Sources) -> Json {
    json!({
        "puzzle": puzzle.name_json(),
        "solved": false,
        "input": Values(&difference.input),
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
