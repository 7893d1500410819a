//! Inputs of any length, the same in every run.

use rasp::base::Random;
use rasp::value::Value;

/// What stands at the positions of an input.
#[derive(Clone, Copy)]
pub enum Input {
    /// Ints from a range much wider than the input.
    Wide,
    /// A few ints.
    Few,
    /// Lower-case letters.
    Letters,
    /// Strings of one kind of brackets.
    Parentheses,
    /// Strings of three kinds of brackets.
    Brackets,
    /// Two written numbers with `+` between them.
    Sum,
    /// Rules like `ab>c` between `;`, and a question like `?c` at the end.
    Rules,
}

pub fn input(kind: Input, length: usize) -> Vec<Value> {
    let mut random = Random::new(length as u64);
    match kind {
        Input::Wide => (0..length)
            .map(|_| Value::Int((random.bits() >> 24) as i64))
            .collect(),
        Input::Few => (0..length)
            .map(|_| Value::Int(random.below(64) as i64))
            .collect(),
        Input::Letters => characters(length, |_| letter(&mut random)),
        Input::Parentheses => brackets(&mut random, length, &["()"]),
        Input::Brackets => brackets(&mut random, length, &["()", "[]", "{}"]),
        Input::Sum => characters(length, |at| match at {
            at if at == length / 2 => b'+',
            _ => b'0' + random.below(10) as u8,
        }),
        Input::Rules => characters(length, |at| match at {
            at if at + 3 == length => b';',
            at if at + 2 == length => b'?',
            at => match at % 5 {
                2 => b'>',
                4 => b';',
                _ => letter(&mut random),
            },
        }),
    }
}

fn letter(random: &mut Random) -> u8 {
    b'a' + random.below(26) as u8
}

/// One token for each byte that occurs, as where a text is taken apart.
fn characters(length: usize, mut byte: impl FnMut(usize) -> u8) -> Vec<Value> {
    let tokens: Vec<Value> = (0..128)
        .map(|code: u8| Value::str(&char::from(code).to_string()))
        .collect();
    (0..length)
        .map(|at| tokens[usize::from(byte(at))].clone())
        .collect()
}

/// Brackets of several kinds that are never closed by the wrong one.
fn brackets(random: &mut Random, length: usize, kinds: &[&str]) -> Vec<Value> {
    let mut open = Vec::new();
    characters(length, |_| {
        if random.below(2) == 0
            && let Some(closing) = open.pop()
        {
            return closing;
        }
        let kind = kinds[random.below(kinds.len())].as_bytes();
        open.push(kind[1]);
        kind[0]
    })
}
