//! What follows from facts and rules: sets of what is known, enlarged rule by rule; see `oracle.rs`.

use super::oracle::{Case, each, everywhere};
use rasp::value::Value;
use std::collections::HashSet;

pub const CASES: &[Case] = &[
    ("logic", "provable(tokens, 0)", "ab;>?", 6, |x| {
        each(x, |i| Value::Bool(proved(x, 0).contains(&x[i])))
    }),
    ("logic", "provable(tokens, 2)", "ab;>?", 6, |x| {
        each(x, |i| Value::Bool(proved(x, 2).contains(&x[i])))
    }),
    ("logic", "proves(tokens, 1)", "ab;>?", 6, |x| {
        let proved = proved(x, 1);
        let mut asked = x.windows(2).filter(|pair| pair[0] == '?');
        everywhere(x, Value::Bool(asked.any(|pair| proved.contains(&pair[1]))))
    }),
    (
        "logic",
        "inference(tokens, ['a', 'b'], ['A', 'B'], 1)",
        "a<#A,?",
        8,
        |x| answer(x, 1).map_or(Vec::new(), |answer| everywhere(x, Value::str(answer))),
    ),
];

/// The letters that follow with at most `depth` rules after each other.
fn proved(x: &[char], depth: usize) -> HashSet<char> {
    let is_letter = |letter: &char| letter.is_ascii_lowercase();
    let rules: Vec<(Vec<char>, Vec<char>)> = x
        .split(|token| *token == ';')
        .filter(|clause| !clause.contains(&'?'))
        .map(|clause| {
            let arrow = clause.iter().rposition(|token| *token == '>').unwrap_or(0);
            let (premises, conclusions) = clause.split_at(arrow);
            let letters = |part: &[char]| part.iter().copied().filter(is_letter).collect();
            (letters(premises), letters(conclusions))
        })
        .collect();
    let mut proved = HashSet::new();
    for _ in 0..=depth {
        let applies = |premises: &[char]| premises.iter().all(|letter| proved.contains(letter));
        let rules = rules.iter().filter(|(premises, _)| applies(premises));
        proved = rules.flat_map(|(_, found)| found.clone()).collect();
    }
    proved
}

/// An element, whether it is in, and the set.
type Statement = (char, bool, char);

fn statement(clause: &[char]) -> Option<Statement> {
    match clause {
        [element @ ('a' | 'b'), op @ ('<' | '#'), set @ ('A' | 'B')] => {
            Some((*element, *op == '<', *set))
        }
        _ => None,
    }
}

/// Whether a rule leads from one statement to another, one way or the other.
fn leads(rule: &[char], from: Statement, to: Statement) -> bool {
    let [el, op, set, ':', other_el, other_op, other_set] = rule else {
        return false;
    };
    let about = |statement: Statement, el: char, op: char, set: char| {
        statement.1 == (op == '<')
            && [statement.0, 'x'].contains(&el)
            && [statement.2, 'X'].contains(&set)
    };
    let opposite = |(el, is_in, set): Statement| (el, !is_in, set);
    let one_variable = match (
        *el == 'x' && *other_el == 'x',
        *set == 'X' && *other_set == 'X',
    ) {
        (true, false) => from.0 == to.0,
        (false, true) => from.2 == to.2,
        _ => false,
    };
    let forwards = about(from, *el, *op, *set) && about(to, *other_el, *other_op, *other_set);
    let backwards = about(opposite(to), *el, *op, *set)
        && about(opposite(from), *other_el, *other_op, *other_set);
    one_variable && (forwards || backwards)
}

/// "T", "F" or "?"; none if the input is not well formed.
pub fn answer(x: &[char], depth: usize) -> Option<&'static str> {
    let clauses: Vec<&[char]> = x.split(|token| *token == ',').collect();
    let (question, clauses) = clauses.split_last()?;
    let (el, is_in, set) = statement(question.strip_suffix(&['?'])?)?;
    let (rules, facts): (Vec<&[char]>, Vec<&[char]>) =
        clauses.iter().partition(|clause| clause.len() == 7);
    let facts: Option<HashSet<Statement>> = facts.into_iter().map(statement).collect();
    let mut known = facts?;
    for _ in 0..depth {
        let before: Vec<Statement> = known.iter().copied().collect();
        for el in ['a', 'b'] {
            for (is_in, set) in [(true, 'A'), (false, 'A'), (true, 'B'), (false, 'B')] {
                let to = (el, is_in, set);
                let found = |rule: &&[char]| before.iter().any(|from| leads(rule, *from, to));
                if rules.iter().any(found) {
                    known.insert(to);
                }
            }
        }
    }
    Some(match () {
        () if known.contains(&(el, is_in, set)) => "T",
        () if known.contains(&(el, !is_in, set)) => "F",
        () => "?",
    })
}

/// Inputs of one fact, one or two rules and a question about two elements and two sets.
pub fn questions() -> Vec<String> {
    let sides = |of: [&str; 2], variable: char, first: bool| -> Vec<String> {
        let side = |name: &str, op: char| match first {
            true => format!("{name}{op}{variable}"),
            false => format!("{variable}{op}{name}"),
        };
        of.iter()
            .flat_map(|name| ['<', '#'].map(|op| side(name, op)))
            .collect()
    };
    let rules_of = |sides: Vec<String>| -> Vec<String> {
        let rule =
            |a: &String| -> Vec<String> { sides.iter().map(|b| format!("{a}:{b}")).collect() };
        sides.iter().flat_map(rule).collect()
    };
    let of_sets = rules_of(sides(["A", "B"], 'x', false));
    let of_elements = rules_of(sides(["a", "b"], 'X', true));
    let mut questions = Vec::new();
    for fact in ["a<A", "b#B"] {
        for asked in ["a<A", "a#B", "b<A", "b<B"] {
            for rule in of_sets.iter().chain(&of_elements) {
                questions.push(format!("{fact},{rule},{asked}?"));
            }
            for first in &of_sets {
                for second in &of_elements {
                    questions.push(format!("{fact},{first},{second},{asked}?"));
                }
            }
        }
    }
    questions
}
