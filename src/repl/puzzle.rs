//! `:puzzle`: puzzles at the prompt. The answer is the session's own `answer`.

use super::Repl;
use super::command::{refuse, unquoted};
use crate::puzzle::{Door, Grade, Puzzle};
use std::path::Path;

/// Lists puzzles, shows one, gives hints, grades, or shows a solution.
pub(super) fn puzzle(repl: &mut Repl, argument: &str) {
    let (named, asked) = parts(argument);
    if named.is_empty() {
        return repl.say(Door::Prompt.list());
    }
    let puzzle = match Puzzle::find(named) {
        Ok(puzzle) => puzzle,
        Err(_) if Path::new(named).exists() => match Puzzle::open(Path::new(named)) {
            Ok(puzzle) => puzzle,
            Err(error) => return repl.report(vec![*error]),
        },
        Err(problem) => return refuse(repl, &format!("`{named}`: {problem}")),
    };
    let mut words = asked.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (None, ..) => match puzzle.task(&mut repl.session, Door::Prompt) {
            Ok(text) => repl.say(text),
            Err(error) => repl.report(vec![*error]),
        },
        (Some("hint"), count, None) => match count.unwrap_or("1").parse() {
            Ok(count) if count > 0 => repl.say(puzzle.hints(count, Door::Prompt)),
            _ => refuse(repl, "`hint` takes the number of hints, like `hint 2`"),
        },
        (Some("solution"), None, None) => repl.say(puzzle.solution.trim_start_matches('\n')),
        (Some("check"), None, None) => match puzzle.grade(&mut repl.session) {
            Ok(grade) => {
                repl.failed |= !matches!(grade, Grade::Solved { .. });
                repl.say(puzzle.told(&grade, Door::Prompt));
            }
            Err(error) => repl.report(vec![*error]),
        },
        _ => refuse(
            repl,
            "behind a puzzle may stand `check`, `hint`, `hint 2` or `solution`",
        ),
    }
}

/// What names the puzzle, with or without quotes, and what is asked of it.
fn parts(argument: &str) -> (&str, &str) {
    let quoted = argument
        .strip_prefix('"')
        .and_then(|inner| inner.split_once('"'));
    match quoted.or_else(|| argument.split_once(char::is_whitespace)) {
        Some((named, asked)) => (named, asked),
        None => (unquoted(argument), ""),
    }
}
