//! The inputs that are tried: all of a length in the order of the vocabulary, and random ones.

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

/// SplitMix64 (Steele, Lea & Flood 2014): the same inputs on every machine.
pub struct Random(pub u64);

impl Random {
    /// An input longer than a length. Half of them are as long as possible, and half use few of
    /// the tokens, so that large counts occur.
    pub fn input(
        &mut self,
        vocabulary: &[Value],
        longer_than: usize,
        max_length: usize,
    ) -> Vec<Value> {
        let length = match self.below(2) {
            0 => max_length,
            _ => longer_than + 1 + self.below(max_length - longer_than),
        };
        let few: Vec<Value> = match self.below(2) {
            0 => Vec::new(),
            _ => (0..1 + self.below(vocabulary.len().min(3)))
                .map(|_| vocabulary[self.below(vocabulary.len())].clone())
                .collect(),
        };
        let tokens = if few.is_empty() { vocabulary } else { &few };
        (0..length)
            .map(|_| tokens[self.below(tokens.len())].clone())
            .collect()
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        (bits % bound as u64) as usize
    }
}
