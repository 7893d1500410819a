//! `rasp puzzle`: ten tasks of rising difficulty, each a file in `puzzles/`. A program is graded by
//! comparing its `answer` with a hidden solution on every input up to a length, so that a wrong one
//! is shown the shortest input on which it is wrong, and then on the examples of the task. Values
//! are compared as `==` does.

use super::arguments::{Diagnostics, Program};
use super::equiv::result_json;
use super::input::{Input, open, value_json};
use super::limits::session;
use super::output::{Output, Stop, table};
use super::progress;
use crate::base::suggest::nearest;
use crate::base::{Code, Diagnostic, Fallible, Sources};
use crate::equiv::{self, Comparison, Difference, Method, Verdict};
use crate::eval::Meta;
use crate::graph::{Graph, SOpId, Sharing};
use crate::infer::Setting;
use crate::interpret::Sequence;
use crate::schedule::schedule;
use crate::session::Session;
use crate::value::Value;
use clap::Args;
use serde_json::{Value as Json, json};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The puzzle, by number or name; without it, the list of all
    #[arg(value_name = "PUZZLE", value_parser = find)]
    pub puzzle: Option<&'static str>,
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

/// The name that every puzzle is about.
const ANSWER: &str = "answer";

/// Characters of a result that are shown.
const LONGEST_RESULT: usize = 400;

/// More inputs than any puzzle has, so that all are tried.
const EXHAUSTIVE: usize = 1_000_000;

macro_rules! puzzles {
    ($($name:literal)*) => {
        /// The puzzles in order: number and name, and the text of the file.
        const PUZZLES: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../puzzles/", $name, ".rasp"))),)*
        ];
    };
}

puzzles! {
    "01-from-the-end" "02-first-everywhere" "03-shift-right" "04-vowels" "05-histogram"
    "06-reverse" "07-last-occurrence" "08-double-letters" "09-sort" "10-balanced-brackets"
}

/// A puzzle by its number, its name, or both as in the name of its file.
pub fn find(wanted: &str) -> Result<&'static str, String> {
    let wanted = wanted.trim_end_matches(".rasp").to_lowercase();
    let mut names = PUZZLES.iter().map(|(stem, _)| *stem);
    let found = names.find(|stem| {
        let (number, name) = stem.split_once('-').unwrap_or((stem, stem));
        let digits = wanted.trim_start_matches('0');
        *stem == wanted || name == wanted || number.trim_start_matches('0') == digits
    });
    found.ok_or_else(|| {
        let names = PUZZLES.iter().filter_map(|(stem, _)| stem.split_once('-'));
        match nearest(&wanted, names.map(|(_, name)| name)) {
            Some(name) => format!("no such puzzle; did you mean `{name}`?"),
            None => "no such puzzle; `rasp puzzle` lists them all".to_string(),
        }
    })
}

pub fn puzzle(output: &mut Output, arguments: &Arguments) -> Result<(), Stop> {
    let Some(stem) = arguments.puzzle else {
        return list(output);
    };
    let Some(at) = PUZZLES.iter().position(|(known, _)| *known == stem) else {
        return list(output);
    };
    let puzzle = Puzzle::read(at + 1, PUZZLES[at].1);
    match (&arguments.check, arguments.hint, arguments.solution) {
        (Some(file), _, _) => check(output, &puzzle, file, arguments.diagnostics.json),
        (None, Some(count), _) => hints(output, &puzzle, count.get()),
        (None, None, true) => output.exact(puzzle.solution.as_bytes()),
        (None, None, false) => show(output, &puzzle),
    }
}

/// What a puzzle's file says: `# key: value` lines, each continued by lines that are indented,
/// then the solution, which also sets the vocabulary and the length.
#[derive(Default)]
struct Puzzle {
    number: usize,
    title: String,
    task: String,
    examples: Vec<String>,
    hints: Vec<String>,
    solution: String,
}

impl Puzzle {
    fn read(number: usize, text: &str) -> Puzzle {
        let mut puzzle = Puzzle {
            number,
            ..Puzzle::default()
        };
        let (front, solution) = text.split_once("\n\n").unwrap_or((text, ""));
        puzzle.solution = solution.to_string();
        let mut entries: Vec<(&str, String)> = Vec::new();
        for line in front.lines() {
            let line = line.trim_start_matches('#');
            match (line.starts_with("   "), line.split_once(':')) {
                (false, Some((key, value))) => entries.push((key.trim(), value.trim().into())),
                _ => {
                    if let Some((_, value)) = entries.last_mut() {
                        let gap = if value.is_empty() { "" } else { "\n" };
                        value.push_str(&format!("{gap}{}", line.trim()));
                    }
                }
            }
        }
        for (key, value) in entries {
            match key {
                "title" => puzzle.title = value,
                "task" => puzzle.task = value,
                "example" => puzzle.examples.push(value),
                "hint" => puzzle.hints.push(value),
                // `right` and `wrong` are attempts for the tests.
                _ => {}
            }
        }
        puzzle
    }
}

fn list(output: &mut Output) -> Result<(), Stop> {
    let rows: Vec<Vec<String>> = PUZZLES
        .iter()
        .enumerate()
        .map(|(at, (stem, text))| {
            let name = stem.split_once('-').map_or(*stem, |(_, name)| name);
            let title = Puzzle::read(at + 1, text).title;
            vec![(at + 1).to_string(), name.to_string(), title]
        })
        .collect();
    output.text(&table(&["puzzle", "name", "title"], &rows))?;
    output.line("\n`rasp puzzle 1` shows the first one.")
}

fn show(output: &mut Output, puzzle: &Puzzle) -> Result<(), Stop> {
    let Puzzle { number, .. } = puzzle;
    output.line(&format!("Puzzle {number}: {}\n", puzzle.title))?;
    output.line(&puzzle.task)?;
    output.line("")?;
    let mut session = session(Sharing::Equal);
    let solution = solution(&mut session, puzzle);
    let (sop, setting) = output.expect(solution, session.sources())?;
    for example in &puzzle.examples {
        let input = Input::example(&Value::characters(example));
        let result = session.evaluate(sop, &input.tokens);
        let result = output.expect(result, session.sources())?;
        output.line(&format!("    {ANSWER}({}) = {result}", input.source()))?;
    }
    let vocabulary = Input::example(&setting.vocabulary).source();
    output.line(&format!(
        "\nWrite `{ANSWER} = …;` into a file. It is tried on these examples, and on every input of up \
         to\n{} of the tokens {vocabulary}:\n\n    rasp puzzle {number} --check FILE\n\nStuck? `rasp puzzle {number} \
         --hint`",
        setting.max_length
    ))
}

fn hints(output: &mut Output, puzzle: &Puzzle, count: usize) -> Result<(), Stop> {
    for (index, hint) in puzzle.hints.iter().take(count).enumerate() {
        output.line(&format!("Hint {}\n", index + 1))?;
        for line in hint.lines() {
            output.line(&format!("    {line}"))?;
        }
        output.line("")?;
    }
    let Puzzle { number, hints, .. } = puzzle;
    match count < hints.len() {
        true => output.line(&format!(
            "For more: `rasp puzzle {number} --hint {}`",
            count + 1
        )),
        false => output.line(&format!(
            "These are all. One solution: `rasp puzzle {number} --solution`"
        )),
    }
}

fn check(output: &mut Output, puzzle: &Puzzle, file: &Path, json: bool) -> Result<(), Stop> {
    let program = Program {
        file: file.to_path_buf(),
    };
    let (mut session, _) = open(output, &program, Sharing::Equal)?;
    let given = given(&mut session);
    let given = output.expect(given, session.sources())?;
    let solution = solution(&mut session, puzzle);
    let (expected, setting) = output.expect(solution, session.sources())?;
    let options = equiv::Options {
        exhaustive: EXHAUSTIVE,
        samples: 0,
        tokens: usize::MAX,
        seed: 0,
    };
    let pair = (expected, given);
    let compare = || equiv::compare(session.graph(), pair, &setting, session.limits(), &options);
    let found = progress::shown(output, session.control(), "grading", compare)?;
    let found = output.expect(found, session.sources())?;
    let shown = match &found.difference {
        Some(_) => None,
        None => on_examples(&session, puzzle, pair),
    };
    if let Some(difference) = found.difference.as_ref().or(shown.as_ref()) {
        output.fail();
        let place = match (&shown, found.checked) {
            (Some(_), _) => "an example of the task".to_string(),
            (None, 1) => "the first input".to_string(),
            (None, checked) => format!("input {checked}, the shortest first"),
        };
        return match json {
            true => output.json(&wrong_json(puzzle, difference, session.sources())),
            false => output.text(&wrong(difference, &place)),
        };
    }
    if found.verdict == Verdict::Unknown {
        output.fail();
        return output.line("No difference was found, but not every input was tried.");
    }
    match json {
        true => output.json(&solved_json(session.graph(), puzzle, pair)),
        false => output.text(&solved(session.graph(), puzzle, &setting, &found, pair)),
    }
}

/// The first example of the task on which the program is wrong: examples may hold tokens that are
/// not in the vocabulary.
fn on_examples(
    session: &Session,
    puzzle: &Puzzle,
    (expected, given): (SOpId, SOpId),
) -> Option<Difference> {
    let mut inputs = puzzle.examples.iter().map(|text| Value::characters(text));
    inputs.find_map(|input| {
        let a = session.evaluate(expected, &input);
        let b = session.evaluate(given, &input);
        let right = match (&a, &b) {
            (Ok(a), Ok(b)) => {
                let mut pairs = a.values.iter().zip(&b.values);
                pairs.all(|(a, b)| a.equals(b))
            }
            _ => false,
        };
        (!right).then_some(Difference { input, a, b })
    })
}

/// The s-op that the program answers with; an atom is the s-op that holds it everywhere.
fn given(session: &mut Session) -> Fallible<SOpId> {
    if session.lookup(ANSWER).is_none() {
        let message = format!("the program does not define `{ANSWER}`");
        let own = session.own_names();
        let help = match nearest(ANSWER, own.iter().map(|(name, _)| &**name)) {
            Some(name) => format!("did you mean it by `{name}`? Call it `{ANSWER}`"),
            None => format!("write `{ANSWER} = tokens;` and go on from there"),
        };
        return Err(Diagnostic::error(Code::UndefinedName, message)
            .help(help)
            .into());
    }
    let (meta, span) = session.expression_at(ANSWER)?;
    match session.as_sop(&meta, span) {
        Some(sop) => Ok(sop),
        None => session.sop(ANSWER),
    }
}

/// Runs the solution in a scope of its own, so that neither it nor the program sees the other's
/// names, but in the same graph, so that both can be compared.
fn solution(session: &mut Session, puzzle: &Puzzle) -> Fallible<(SOpId, Setting)> {
    let (answer, settings) = session.run_apart("solution", &puzzle.solution, ANSWER);
    match answer {
        Some(Meta::SOp(sop)) => {
            let setting = Setting {
                vocabulary: settings.vocabulary.unwrap_or_default(),
                max_length: settings.max_length.unwrap_or_default(),
                causal: false,
            };
            Ok((sop, setting))
        }
        // A graph that the program has filled up, or a bug: the tests run every solution.
        _ => {
            let failed =
                Diagnostic::error(Code::BadInput, "the puzzle's solution could not be run");
            let mut reasons = session.take_diagnostics().into_iter();
            Err(Box::new(reasons.next().unwrap_or(failed)))
        }
    }
}

fn wrong(difference: &Difference, place: &str) -> String {
    let result = |result: &Fallible<Sequence>| match result {
        Ok(sequence) => shortened(&sequence.to_string()),
        Err(error) => format!("an error: {error}"),
    };
    format!(
        "Not yet. {ANSWER}({}) is wrong ({place}):\n\n    expected  {}\n    got       {}\n",
        Input::example(&difference.input).source(),
        result(&difference.a),
        result(&difference.b)
    )
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_RESULT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

fn wrong_json(puzzle: &Puzzle, difference: &Difference, sources: &Sources) -> Json {
    let input: Vec<Json> = difference.input.iter().map(value_json).collect();
    json!({
        "puzzle": puzzle.number,
        "solved": false,
        "input": input,
        "expected": result_json(&difference.a, sources),
        "got": result_json(&difference.b, sources),
    })
}

fn solved_json(graph: &Graph, puzzle: &Puzzle, (expected, given): (SOpId, SOpId)) -> Json {
    let cost = |sop| {
        let (layers, heads) = layers_and_heads(graph, sop);
        json!({"layers": layers, "heads": heads})
    };
    json!({
        "puzzle": puzzle.number,
        "solved": true,
        "answer": cost(given),
        "solution": cost(expected),
    })
}

fn layers_and_heads(graph: &Graph, sop: SOpId) -> (usize, usize) {
    let schedule = schedule(graph, &[sop]);
    (schedule.layers.len(), schedule.heads().iter().sum())
}

/// Praise, and what the answer costs beside the solution: there is more to a program than its
/// values.
fn solved(
    graph: &Graph,
    puzzle: &Puzzle,
    setting: &Setting,
    found: &Comparison,
    (expected, given): (SOpId, SOpId),
) -> String {
    let how = match found.method {
        Method::SameGraph => "the same program as the solution".to_string(),
        Method::SameTable | Method::SameMoves => format!(
            "proved equal to the solution on all inputs of up to {} tokens",
            setting.max_length
        ),
        Method::Exhaustive | Method::Samples if found.representative => {
            format!("right on all inputs of up to {} tokens", setting.max_length)
        }
        Method::Exhaustive | Method::Samples => format!(
            "right on all {} inputs of up to {} tokens",
            found.checked, setting.max_length
        ),
    };
    let cost = |sop| {
        let (layers, heads) = layers_and_heads(graph, sop);
        format!("{} and {}", count(layers, "layer"), count(heads, "head"))
    };
    let next = match puzzle.number < PUZZLES.len() {
        true => format!("Next: `rasp puzzle {}`", puzzle.number + 1),
        false => "That was the last puzzle. `rasp doc` lists the library.".to_string(),
    };
    format!(
        "Solved: {how}.\nAs a transformer it takes {}; the solution takes {}.\n{next}\n",
        cost(given),
        cost(expected)
    )
}

fn count(number: usize, noun: &str) -> String {
    match number {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_whole_puzzle() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/puzzles");
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), PUZZLES.len());
        for (at, (stem, text)) in PUZZLES.iter().enumerate() {
            assert!(stem.starts_with(&format!("{:02}-", at + 1)), "{stem}");
            let puzzle = Puzzle::read(at + 1, text);
            assert!(!puzzle.title.is_empty() && !puzzle.task.is_empty());
            assert_eq!(puzzle.examples.len(), 2, "{stem}");
            assert!(puzzle.hints.len() >= 2, "{stem}");
            let mut session = session(Sharing::Equal);
            let (_, setting) = solution(&mut session, &puzzle).unwrap();
            assert!(session.take_diagnostics().is_empty(), "{stem}");
            assert!(!setting.vocabulary.is_empty() && setting.max_length > 0);
        }
    }

    #[test]
    fn puzzles_go_by_number_and_name() {
        for wanted in [
            "3",
            "03",
            "shift-right",
            "Shift-Right",
            "03-shift-right.rasp",
        ] {
            assert_eq!(find(wanted), Ok("03-shift-right"), "{wanted}");
        }
        assert_eq!(find("10"), Ok("10-balanced-brackets"));
        for wanted in ["", "0", "11", "shift", "-3"] {
            assert!(find(wanted).is_err(), "{wanted}");
        }
    }
}
