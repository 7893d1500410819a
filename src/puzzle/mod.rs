//! Puzzles that teach the language: a task, hints and a hidden solution in one `.rasp` file, those of
//! `puzzles/` or a teacher's own. An answer is graded by comparing it with the solution on every
//! input up to a length, so that a wrong one is shown the shortest input on which it is wrong, and
//! then on the examples of the task. May depend on sessions and `equiv`; prints nothing.

mod text;

pub use text::Door;

use crate::base::suggest::nearest;
use crate::base::{Code, Diagnostic, Fallible, Severity};
use crate::equiv::{self, Comparison, Difference, Verdict};
use crate::eval::Meta;
use crate::graph::SOpId;
use crate::infer::Setting;
use crate::interpret::Sequence;
use crate::session::{Session, files, no_sop};
use crate::value::{TypeSet, Value};
use std::path::Path;

/// The name that every puzzle is about.
pub const ANSWER: &str = "answer";

/// Inputs that are tried one by one, more than any puzzle of ours has.
const EXHAUSTIVE: usize = 1_000_000;

/// Random inputs of a puzzle that has more.
const SAMPLES: usize = 2_000;

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

/// What the lines at the head of a puzzle's file may say. `right` and `wrong` are attempts for tests.
const KEYS: [&str; 6] = ["title", "task", "example", "hint", "right", "wrong"];

/// What a puzzle's file says: `# key: value` lines, each continued by comments that are indented, then
/// the solution, which also sets the vocabulary and the length.
#[derive(Clone, Debug, Default)]
pub struct Puzzle {
    /// How commands name it: its number, or the path of its file.
    pub named: String,
    /// Its place among ours, from 1 on.
    number: Option<usize>,
    title: String,
    task: String,
    examples: Vec<String>,
    hints: Vec<String>,
    /// A key that is none of [`KEYS`].
    unknown: Option<String>,
    /// The program that answers with [`ANSWER`].
    pub solution: String,
    /// The whole file.
    text: String,
}

/// What a grader found.
pub enum Grade {
    /// The shortest input, or the example, on which the answer is wrong; the solution's result is
    /// the difference's `a`.
    Wrong {
        difference: Difference,
        /// Which input it is, in words.
        place: String,
    },
    /// No difference was found, but not all inputs could be tried.
    Unknown,
    Solved {
        found: Comparison,
        longest: usize,
        /// Layers and heads of the answer, then of the solution.
        costs: [(usize, usize); 2],
        /// The types of their values, which may be equal all the same: 1 is True.
        types: [TypeSet; 2],
    },
}

impl Puzzle {
    /// One of ours, by its number, its name, or both as in the name of its file.
    ///
    /// # Errors
    /// There is none; the message names one that is spelled like it.
    pub fn find(wanted: &str) -> Result<Puzzle, String> {
        let wanted = wanted.trim_end_matches(".rasp").to_lowercase();
        let found = PUZZLES.iter().position(|(stem, _)| {
            let (number, name) = stem.split_once('-').unwrap_or((stem, stem));
            let digits = wanted.trim_start_matches('0');
            *stem == wanted || name == wanted || number.trim_start_matches('0') == digits
        });
        if let Some(at) = found {
            return Ok(Puzzle::ours(at));
        }
        let names = PUZZLES.iter().filter_map(|(stem, _)| stem.split_once('-'));
        Err(match nearest(&wanted, names.map(|(_, name)| name)) {
            Some(name) => format!("no such puzzle; did you mean `{name}`?"),
            None => {
                "no such puzzle, and no such file; without a name all puzzles are listed".into()
            }
        })
    }

    /// A teacher's own, from a file.
    ///
    /// # Errors
    /// It cannot be read; as [`Puzzle::own`].
    pub fn open(path: &Path) -> Fallible<Puzzle> {
        let loaded = files::read(path)
            .map_err(|message| Box::new(Diagnostic::error(Code::BadTask, message)))?;
        Puzzle::own(&loaded.name, &loaded.text)
    }

    /// A teacher's own, from the text of a file.
    ///
    /// # Errors
    /// It says no title or no task, or something else.
    fn own(path: &str, text: &str) -> Fallible<Puzzle> {
        let puzzle = Puzzle {
            named: path.to_string(),
            ..Puzzle::read(text)
        };
        if let Some(key) = &puzzle.unknown {
            let message = format!("the puzzle {path} has a line `# {key}: …`");
            let error = Diagnostic::error(Code::BadTask, message);
            return Err(Box::new(match nearest(key, KEYS) {
                Some(known) => error.help(format!("did you mean `# {known}: …`?")),
                None => error.help(format!(
                    "its lines are {}; comments stand below a blank line",
                    KEYS.map(|key| format!("`# {key}: …`")).join(", ")
                )),
            }));
        }
        for (key, value) in [("title", &puzzle.title), ("task", &puzzle.task)] {
            if value.is_empty() {
                let message = format!("the puzzle {path} has no {key}");
                return Err(Diagnostic::error(Code::BadTask, message)
                    .help(format!(
                        "begin the file with lines like `# {key}: …`, then the solution"
                    ))
                    .into());
            }
        }
        Ok(puzzle)
    }

    fn ours(at: usize) -> Puzzle {
        Puzzle {
            named: (at + 1).to_string(),
            number: Some(at + 1),
            ..Puzzle::read(PUZZLES[at].1)
        }
    }

    fn read(text: &str) -> Puzzle {
        let text = text.trim_start_matches('\u{feff}');
        let mut puzzle = Puzzle {
            text: text.to_string(),
            ..Puzzle::default()
        };
        let mut entries: Vec<(&str, String)> = Vec::new();
        let is_head = |line: &&str| line.starts_with('#');
        for line in text.lines().take_while(is_head) {
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
        let solution = text.lines().skip_while(is_head);
        let solution = solution.skip_while(|line| line.trim().is_empty());
        puzzle.solution = solution.map(|line| format!("{line}\n")).collect();
        for (key, value) in entries {
            match key {
                "title" => puzzle.title = value,
                "task" => puzzle.task = value,
                "example" => puzzle.examples.push(value),
                "hint" => puzzle.hints.push(value),
                "right" | "wrong" => {}
                _ => puzzle.unknown = Some(key.to_string()),
            }
        }
        puzzle
    }

    /// Runs the solution in a scope of its own, so that neither it nor the program sees the other's
    /// names, but in the same graph, so that both can be compared.
    ///
    /// # Errors
    /// The solution fails, answers with no s-op, or sets no vocabulary or length.
    fn solve(&self, session: &mut Session) -> Fallible<(SOpId, Setting)> {
        let name = match self.number {
            Some(_) => "solution",
            None => &self.named,
        };
        let (answer, settings) = session.run_apart(name, &self.text, ANSWER);
        let mut told = session.take_diagnostics().into_iter();
        let error = told.find(|told| told.severity == Severity::Error);
        if let Some(error) = error {
            return Err(Box::new(error));
        }
        let missing = |what: &str, help: &str| {
            let message = format!("the solution of the puzzle {} {what}", self.named);
            Err(Diagnostic::error(Code::BadTask, message).help(help).into())
        };
        let sop = match answer {
            Some(Meta::SOp(sop)) => sop,
            Some(other) => {
                let what = format!("is {}, where an s-op is needed", other.kind());
                return missing(
                    &what,
                    "read values through a selector with `aggregate`, or call the function",
                );
            }
            None => {
                let what = "does not define the s-op `answer`";
                return missing(what, "end it with `answer = …;`");
            }
        };
        let Some(vocabulary) = settings.vocabulary else {
            return missing("sets no vocabulary", "add a line like `set vocab \"abc\"`");
        };
        let Some(max_length) = settings.max_length else {
            return missing("sets no length", "add a line like `set max_length 6`");
        };
        let setting = Setting {
            vocabulary,
            max_length,
            causal: false,
        };
        Ok((sop, setting))
    }

    /// Compares the session's [`ANSWER`] with the solution.
    ///
    /// # Errors
    /// There is no answer, or it is no s-op; the solution fails; it is interrupted.
    pub fn grade(&self, session: &mut Session) -> Fallible<Grade> {
        let given = given(session)?;
        let (expected, setting) = self.solve(session)?;
        let options = equiv::Options {
            exhaustive: EXHAUSTIVE,
            samples: SAMPLES,
            tokens: usize::MAX,
            seed: 0,
        };
        let pair = (expected, given);
        let (graph, limits) = (session.graph(), session.limits());
        let mut found = equiv::compare(graph, pair, &setting, limits, &options)?;
        if let Some(difference) = found.difference.take() {
            let place = match found.checked {
                1 => "the first input".to_string(),
                checked => format!("input {checked}, the shortest first"),
            };
            return Ok(Grade::Wrong { difference, place });
        }
        if let Some(difference) = self.on_examples(session, pair)? {
            let place = "an example of the task".to_string();
            return Ok(Grade::Wrong { difference, place });
        }
        if found.checked > 0 && found.failed == found.checked {
            let named = &self.named;
            let message =
                format!("the solution of the puzzle {named} fails on all inputs that it is for");
            return Err(Diagnostic::error(Code::BadTask, message).into());
        }
        if found.verdict == Verdict::Unknown {
            return Ok(Grade::Unknown);
        }
        let costs = [given, expected].map(|sop| {
            let schedule = session.schedule(sop);
            (schedule.layers.len(), schedule.heads().iter().sum())
        });
        Ok(Grade::Solved {
            found,
            longest: setting.max_length,
            costs,
            types: [given, expected].map(|sop| session.graph().types(sop)),
        })
    }

    /// The first example of the task on which the program is wrong: examples may hold tokens that
    /// are not in the vocabulary.
    ///
    /// # Errors
    /// The solution fails on one.
    fn on_examples(
        &self,
        session: &mut Session,
        (expected, given): (SOpId, SOpId),
    ) -> Fallible<Option<Difference>> {
        for shown in &self.examples {
            let (input, a) = self.solved(session, expected, shown)?;
            let b = session.evaluate(given, &input);
            let right = b.as_ref().is_ok_and(|b| {
                let mut pairs = a.values.iter().zip(&b.values);
                pairs.all(|(a, b)| a.equals(b))
            });
            if !right {
                let a = Ok(a);
                return Ok(Some(Difference { input, a, b }));
            }
        }
        Ok(None)
    }

    /// An example of the task, a text or a list of tokens, with what the solution gives for it.
    ///
    /// # Errors
    /// It is no input, or the solution fails there, which is the puzzle's own mistake.
    fn solved(
        &self,
        session: &mut Session,
        solution: SOpId,
        shown: &str,
    ) -> Fallible<(Vec<Value>, Sequence)> {
        let fails = |error: Diagnostic| {
            error.note(format!(
                "the solution of the puzzle fails on its own example `{shown}`"
            ))
        };
        let input = match shown.starts_with('[') {
            true => {
                let found = session.expression_at(shown);
                let (meta, span) = found.map_err(|error| fails(*error))?;
                meta.as_tokens().ok_or_else(|| {
                    let error = Diagnostic::error(Code::BadTask, "an example is no list of tokens");
                    fails(error.at(span, "in a puzzle"))
                })?
            }
            false => Value::characters(shown),
        };
        let values = session.evaluate(solution, &input);
        Ok((input, values.map_err(|error| fails(*error))?))
    }
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
    let sop = session.as_sop(&meta, span);
    sop.ok_or_else(|| no_sop(ANSWER, &meta, span))
}
