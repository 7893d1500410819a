//! Names that say what a module computes. Depends on `learn`.

use crate::learn::data::Data;
use crate::learn::program::{
    Comparison, Head, Module, POSITIONS, Predicate, Rule, TOKENS, Variable,
};

/// A name for a module, which others may have too, from those of the variables before it.
pub fn name(module: &Module, names: &[String], data: &Data) -> String {
    match module {
        Module::Copy(head, values) => copied(head, *values, names, data),
        Module::Count(head, _) => counted(head, names, data),
        Module::Map(rule, a, b) => mapped(rule, &names[*a], &names[*b], (*a, *b), data),
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "others are known by their values"
)]
fn copied(head: &Head, values: Variable, names: &[String], data: &Data) -> String {
    let of_position = (head.keys, head.queries) == (POSITIONS, POSITIONS);
    match &head.predicate {
        Predicate::Compare(Comparison::Equal, -1) if of_position => {
            format!("previous_{}", singular(&names[values]))
        }
        Predicate::Compare(Comparison::Equal, 1) if of_position => {
            format!("next_{}", singular(&names[values]))
        }
        Predicate::OneOf(places) if head.keys == POSITIONS && places[..] == [0] => {
            format!("first_{}", singular(&names[values]))
        }
        Predicate::OneOf(tokens) if head.keys == TOKENS && values == POSITIONS => {
            match token(tokens, data).as_deref() {
                Some("</s>") => "end".to_string(),
                Some(token) if is_word(token) => format!("place_of_{token}"),
                _ => "place".to_string(),
            }
        }
        Predicate::Compare(Comparison::Equal, 0) if head.keys == head.queries => {
            let place = if head.left { "last" } else { "nearest" };
            match head.keys == TOKENS {
                true => format!("{place}_same"),
                false => format!("{place}_at_same_{}", singular(&names[head.keys])),
            }
        }
        _ if values == TOKENS => "fetched".to_string(),
        _ => format!("fetched_{}", singular(&names[values])),
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "others are known by their keys"
)]
fn counted(head: &Head, names: &[String], data: &Data) -> String {
    let keys = &names[head.keys];
    let what = match &head.predicate {
        Predicate::Compare(comparison, 0) if head.keys == head.queries => {
            let word = match comparison {
                Comparison::Equal if head.keys == TOKENS => "same",
                Comparison::Equal => "peers",
                Comparison::Less => "below",
                Comparison::LessOrEqual => "at_most",
                Comparison::Greater => "above",
                Comparison::GreaterOrEqual => "at_least",
            };
            word.to_string()
        }
        Predicate::Constant(Comparison::Less, 0) => format!("{}_below_0", plural(keys)),
        Predicate::Constant(Comparison::Equal, 1) => plural(keys),
        Predicate::OneOf(tokens) if head.keys == TOKENS => match class(tokens, data) {
            Some(class) => class,
            None => "number".to_string(),
        },
        _ => format!("number_of_{keys}"),
    };
    if head.left {
        format!("{what}_so_far")
    } else {
        what
    }
}

fn mapped(
    rule: &Rule,
    a: &str,
    b: &str,
    (of_a, of_b): (Variable, Variable),
    data: &Data,
) -> String {
    match rule {
        Rule::Sum if a.starts_with("below") || a.starts_with("above") => "rank".to_string(),
        Rule::Sum | Rule::Difference if a == "height" => "level".to_string(),
        Rule::Sum => "total".to_string(),
        Rule::Difference if a.starts_with("opening") && b.starts_with("closing") => {
            "height".to_string()
        }
        Rule::Difference if of_a == POSITIONS && b == "opening_so_far" => {
            "closing_so_far".to_string()
        }
        Rule::Difference if of_b == POSITIONS => "mirrored".to_string(),
        Rule::Difference => "difference".to_string(),
        Rule::Given(1, _) if b.contains("so_far") && a == "tokens" => "first_token".to_string(),
        Rule::Given(1, _) if b.contains("so_far") => format!("{a}_at_first"),
        Rule::Given(..) => format!("{a}_where_{b}"),
        Rule::OneOf(numbers) if numbers[..] == [0] => format!("no_{a}"),
        Rule::OneOf(tokens) if of_a == TOKENS => match class(tokens, data) {
            Some(class) => format!("is_{class}"),
            None => "is_one".to_string(),
        },
        Rule::OneOf(_) => format!("is_{a}"),
        Rule::Table(..) if of_a == of_b => format!("kind_of_{}", singular(a)),
        Rule::Table(..) => "mark".to_string(),
    }
}

/// What some tokens are, if that can be told: opening or closing brackets, or a word.
fn class(tokens: &[i32], data: &Data) -> Option<String> {
    let texts: Vec<String> = tokens
        .iter()
        .filter_map(|&one| token(&[one], data))
        .collect();
    let are = |brackets: &str| texts.iter().all(|text| brackets.contains(text.as_str()));
    match &texts[..] {
        [] => None,
        _ if are("([{<") => Some("opening".to_string()),
        _ if are(")]}>") => Some("closing".to_string()),
        [word] if is_word(word) => Some(format!("number_of_{word}")),
        _ => None,
    }
}

fn token(tokens: &[i32], data: &Data) -> Option<String> {
    let [token] = tokens else {
        return None;
    };
    let at = usize::try_from(token - 1).ok()?;
    data.vocabulary.get(at).map(ToString::to_string)
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric())
}

fn singular(name: &str) -> &str {
    match name {
        "indices" => "index",
        _ => name.strip_suffix('s').unwrap_or(name),
    }
}

fn plural(name: &str) -> String {
    match name.ends_with('s') {
        true => name.to_string(),
        false => format!("{name}s"),
    }
}
