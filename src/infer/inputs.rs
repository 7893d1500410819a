//! Inputs to try two backends or two s-ops on: all of a length in the order of the vocabulary, and
//! random ones.

use crate::base::Random;
use crate::value::Value;

/// The greatest length up to which all inputs together are within the budget.
pub fn exhaustive_length(tokens: usize, max_length: usize, budget: usize) -> usize {
    let (mut total, mut count) = (0usize, 1usize);
    for length in 1..=max_length {
        count = count.saturating_mul(tokens);
        total = total.saturating_add(count);
        if total > budget {
            return length - 1;
        }
    }
    max_length
}

/// All inputs of a length, the last token changing fastest. They are within some budget, so their
/// number is no problem.
pub fn all(vocabulary: &[Value], length: usize) -> impl Iterator<Item = Vec<Value>> + '_ {
    let mut next = Some(vec![0; length]);
    std::iter::from_fn(move || {
        let places = next.take()?;
        let input = places.iter().map(|at| vocabulary[*at].clone()).collect();
        next = successor(places, vocabulary.len());
        Some(input)
    })
}

fn successor(mut places: Vec<usize>, tokens: usize) -> Option<Vec<usize>> {
    let last = places.iter().rposition(|at| at + 1 < tokens)?;
    places[last] += 1;
    places[last + 1..].fill(0);
    Some(places)
}

/// A random input longer than `longer_than`, which is below `max_length`. Half of them are as long
/// as possible, and half use few of the tokens, so that large counts occur.
pub fn sample(
    random: &mut Random,
    vocabulary: &[Value],
    longer_than: usize,
    max_length: usize,
) -> Vec<Value> {
    let length = match random.below(2) {
        0 => max_length,
        _ => longer_than + 1 + random.below(max_length - longer_than),
    };
    let few: Vec<Value> = match random.below(2) {
        0 => Vec::new(),
        _ => (0..1 + random.below(vocabulary.len().min(3)))
            .map(|_| vocabulary[random.below(vocabulary.len())].clone())
            .collect(),
    };
    let tokens = if few.is_empty() { vocabulary } else { &few };
    (0..length)
        .map(|_| tokens[random.below(tokens.len())].clone())
        .collect()
}
