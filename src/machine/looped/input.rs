//! Other values for the words of a machine, as the command line gives them: `x=6,y=-7`, or in the order
//! of the program, `6,-7`; words with several values, and matrices, as `t=[1,2]` and `A=[[1,2],[3,4]]`.
//! Depends on `description` and `run`.

use super::description::{Description, Machine, Name};
use crate::base::suggest::nearest;
use crate::base::{Code, Diagnostic, Fallible};
use crate::model::Model;
use serde_json::Value as Json;

/// Changes the state at the start of a machine.
///
/// # Errors
/// What is no value, has no name in the machine, or does not fit it.
pub fn put(model: &mut Model, description: &Description, text: &str) -> Fallible<()> {
    let own = |name: &&Name| !name.name.starts_with('_');
    let mut following = description.names.iter().filter(own);
    for part in parts(text) {
        let (name, value) = match part.split_once('=') {
            Some((name, value)) => (find(description, name.trim())?, value),
            None => {
                let missing = || wrong(format!("there is no word left for `{part}`"));
                (following.next().ok_or_else(missing)?, part)
            }
        };
        let value: Json = serde_json::from_str(value.trim())
            .map_err(|_| wrong(format!("`{}` is no value of `{}`", value.trim(), name.name)))?;
        match description.machine {
            Machine::Fleq => matrix(model, description, name, &value)?,
            Machine::R1 | Machine::R2 | Machine::R1s | Machine::P10 | Machine::Stored => {
                words(model, description, name, &value)?
            }
        }
    }
    Ok(())
}

fn wrong(message: String) -> Box<Diagnostic> {
    let error = Diagnostic::error(Code::BadInput, message);
    Box::new(error.help("give words in their order, `6,-7`, or by name, `x=6,y=-7`"))
}

/// The parts between commas that stand in no brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0i32, 0);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn find<'d>(description: &'d Description, name: &str) -> Fallible<&'d Name> {
    let names = || description.names.iter().map(|known| known.name.as_str());
    let found = description.names.iter().find(|known| known.name == name);
    found.ok_or_else(|| {
        let error = Diagnostic::error(
            Code::UnknownLabel,
            format!("the machine has no word `{name}`"),
        );
        let meant = nearest(name, names()).map(|meant| format!("did you mean `{meant}`?"));
        Box::new(match meant {
            Some(meant) => error.help(meant),
            None => error.help(format!("it has {}", names().collect::<Vec<_>>().join(", "))),
        })
    })
}

fn words(model: &mut Model, description: &Description, name: &Name, value: &Json) -> Fallible<()> {
    let all = value.as_array();
    let all = all.map_or(std::slice::from_ref(value), Vec::as_slice);
    let all: Option<Vec<i64>> = all.iter().map(Json::as_i64).collect();
    match all {
        Some(all) if (1..=name.count).contains(&all.len()) => {
            description.put(model, name.first, &all)
        }
        _ => Err(wrong(format!(
            "`{}` takes {} integers",
            name.name, name.count
        ))),
    }
}

fn matrix(model: &mut Model, description: &Description, name: &Name, value: &Json) -> Fallible<()> {
    let shape = || {
        wrong(format!(
            "`{}` is a matrix of {} × {}",
            name.name, name.rows, name.count
        ))
    };
    let number = |value: &Json| value.as_f64().filter(|number| number.is_finite());
    let row = |row: &Json| row.as_array()?.iter().map(number).collect();
    let rows: Option<Vec<Vec<f64>>> = match value.as_array() {
        Some(rows) => rows.iter().map(row).collect(),
        None => number(value).map(|number| vec![vec![number]]),
    };
    let rows = rows.ok_or_else(shape)?;
    if rows.len() != name.rows || rows.iter().any(|row| row.len() != name.count) {
        return Err(shape());
    }
    let mut entries = Vec::new();
    for (row, numbers) in description.word.clone().zip(&rows) {
        for (offset, number) in numbers.iter().enumerate() {
            entries.push((description.memory.start + name.first + offset, row, *number));
        }
    }
    description.replace(model, entries);
    Ok(())
}
