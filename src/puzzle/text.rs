//! Puzzles and grades in words: what the command line prints and what the prompt answers, which name
//! their commands differently.

use super::{ANSWER, Grade, PUZZLES, Puzzle};
use crate::base::Fallible;
use crate::base::table::aligned;
use crate::equiv::{Comparison, Difference, Method};
use crate::interpret::Sequence;
use crate::session::Session;
use crate::session::show::example;
use crate::value::Value;

/// Characters of a result that are shown.
const LONGEST_RESULT: usize = 400;

/// Where somebody solves puzzles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// `rasp puzzle 3 --hint 2`; answers are files.
    Shell,
    /// `:puzzle 3 hint 2`; the answer is the session's.
    Prompt,
}

impl Door {
    fn command(self, puzzle: &str, rest: &str) -> String {
        let (start, dashes) = match self {
            Door::Shell => ("rasp puzzle", "--"),
            Door::Prompt => (":puzzle", ""),
        };
        match rest {
            "" => format!("`{start} {puzzle}`"),
            _ => format!("`{start} {puzzle} {dashes}{rest}`"),
        }
    }

    /// The list of all puzzles.
    pub fn list(self) -> String {
        let mut rows = vec![["puzzle", "name", "title"].map(String::from).to_vec()];
        let titles = Puzzle::titles();
        rows.extend(
            titles.map(|(number, name, title)| vec![number.to_string(), name.to_string(), title]),
        );
        let table = aligned(&rows, 3);
        format!("{table}\n{} shows the first one.\n", self.command("1", ""))
    }
}

impl Puzzle {
    /// The number, the name and the title of each of ours.
    pub fn titles() -> impl Iterator<Item = (usize, &'static str, String)> {
        PUZZLES.iter().enumerate().map(|(at, (stem, _))| {
            let name = stem.split_once('-').map_or(*stem, |(_, name)| name);
            (at + 1, name, Puzzle::ours(at).title)
        })
    }

    fn heading(&self) -> String {
        match self.number {
            Some(number) => format!("Puzzle {number}: {}", self.title),
            None => format!("Puzzle: {}", self.title),
        }
    }

    /// What is to be done, with the examples solved.
    ///
    /// # Errors
    /// The solution fails.
    pub fn task(&self, session: &mut Session, door: Door) -> Fallible<String> {
        let mut text = format!("{}\n\n{}\n\n", self.heading(), self.task);
        let (sop, setting) = self.solve(session)?;
        for shown in &self.examples {
            let (input, result) = self.solved(session, sop, shown)?;
            text.push_str(&format!("    {ANSWER}({}) = {result}\n", example(&input)));
        }
        let vocabulary = example(&setting.vocabulary);
        let length = setting.max_length;
        let examples = match self.examples.is_empty() {
            true => "on every input of up to",
            false => "on these examples, and on every input of up to",
        };
        let tried = format!("It is tried {examples}\n{length} of the tokens {vocabulary}:");
        let named = &self.named;
        text.push_str(&match door {
            Door::Shell => format!(
                "\nWrite `{ANSWER} = …;` into a file. {tried}\n\n    rasp puzzle {named} --check FILE\n"
            ),
            Door::Prompt => format!(
                "\nType `{ANSWER} = …;` here. {tried}\n\n    :puzzle {named} check\n"
            ),
        });
        if !self.hints.is_empty() {
            text.push_str(&format!("\nStuck? {}\n", door.command(named, "hint")));
        }
        Ok(text)
    }

    /// The first hints.
    pub fn hints(&self, count: usize, door: Door) -> String {
        let mut text = String::new();
        for (index, hint) in self.hints.iter().take(count).enumerate() {
            text.push_str(&format!("Hint {}\n\n", index + 1));
            for line in hint.lines() {
                text.push_str(&format!("    {line}\n"));
            }
            text.push('\n');
        }
        let more = format!("hint {}", count.saturating_add(1));
        text.push_str(&match count < self.hints.len() {
            true => format!("For more: {}\n", door.command(&self.named, &more)),
            false => format!(
                "These are all. One solution: {}\n",
                door.command(&self.named, "solution")
            ),
        });
        text
    }

    /// A grade as it is told.
    pub fn told(&self, grade: &Grade, door: Door) -> String {
        match grade {
            Grade::Wrong { difference, place } => wrong(difference, place),
            Grade::Unknown => {
                "No difference was found, but not every input was tried.\n".to_string()
            }
            Grade::Solved {
                found,
                longest,
                costs: [given, expected],
                types: [ours, theirs],
            } => {
                let next = match self.number {
                    Some(number) if number < PUZZLES.len() => {
                        format!("Next: {}\n", door.command(&(number + 1).to_string(), ""))
                    }
                    Some(_) => {
                        "That was the last puzzle. `rasp doc` lists the library.\n".to_string()
                    }
                    None => String::new(),
                };
                let types = match ours.meets(*theirs) {
                    true => String::new(),
                    false => format!(
                        "Its type is {ours}, the solution's {theirs}; the values are equal all the same.\n"
                    ),
                };
                // There is more to a program than its values.
                format!(
                    "Solved: {}.\n{types}As a transformer it takes {}; the solution takes {}.\n{next}",
                    how(found, *longest),
                    cost(*given),
                    cost(*expected)
                )
            }
        }
    }
}

impl Grade {
    /// The grade in a word or two, and why.
    pub fn briefly(&self) -> (&'static str, String) {
        match self {
            Grade::Wrong { difference, .. } => {
                let input = example(&difference.input);
                let [expected, got] = results(difference);
                let why = format!("{ANSWER}({input}) gives {got}, expected {expected}");
                ("not yet", why)
            }
            Grade::Unknown => ("unknown", "not every input was tried".to_string()),
            Grade::Solved {
                found,
                longest,
                costs: [given, _],
                ..
            } => (
                "solved",
                format!("{}; {}", how(found, *longest), cost(*given)),
            ),
        }
    }
}

/// The solution's result and the answer's; with all digits where they look alike.
fn results(difference: &Difference) -> [String; 2] {
    let of = |told: fn(&Sequence) -> String| {
        [&difference.a, &difference.b].map(|result| match result {
            Ok(sequence) => shortened(&told(sequence)),
            Err(error) => format!("an error: {error}"),
        })
    };
    let [expected, got] = of(Sequence::to_string);
    match expected == got {
        true => of(|sequence| {
            let values: Vec<String> = sequence.values.iter().map(Value::source).collect();
            format!("[{}]", values.join(", "))
        }),
        false => [expected, got],
    }
}

fn wrong(difference: &Difference, place: &str) -> String {
    let [expected, got] = results(difference);
    format!(
        "Not yet. {ANSWER}({}) is wrong ({place}):\n\n    expected  {expected}\n    got       {got}\n",
        example(&difference.input),
    )
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_RESULT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

fn how(found: &Comparison, longest: usize) -> String {
    match found.method {
        Method::SameGraph => "the same program as the solution".to_string(),
        Method::SameTable | Method::SameMoves => {
            format!("proved equal to the solution on all inputs of up to {longest} tokens")
        }
        Method::Exhaustive | Method::Samples if found.representative => {
            format!("right on all inputs of up to {longest} tokens")
        }
        Method::Exhaustive | Method::Samples => format!(
            "right on all {} inputs of up to {longest} tokens",
            found.checked
        ),
    }
}

fn cost((layers, heads): (usize, usize)) -> String {
    format!("{} and {}", count(layers, "layer"), count(heads, "head"))
}

fn count(number: usize, noun: &str) -> String {
    match number {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}
