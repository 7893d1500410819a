//! Makes an input on which two s-ops differ short and plain: parts are left out, all lengths below
//! are tried with a few inputs each, and tokens give way to earlier ones of the vocabulary. What
//! comes out need not be the shortest.

use super::{Difference, Options, Trial};
use crate::base::Random;
use crate::infer::inputs;
use crate::value::Value;

/// Random inputs of each length that are tried.
const ROUNDS: usize = 20;

pub struct Shortener<'t> {
    trial: &'t Trial<'t>,
    tokens: &'t [Value],
    /// No input up to this length makes a difference.
    reach: usize,
    random: Random,
    /// How many tokens the inputs still to be tried may have together.
    left: usize,
}

impl<'t> Shortener<'t> {
    pub fn new(
        trial: &'t Trial<'t>,
        tokens: &'t [Value],
        reach: usize,
        options: &Options,
    ) -> Shortener<'t> {
        Shortener {
            trial,
            tokens,
            reach,
            random: Random::new(options.seed),
            left: options.tokens,
        }
    }

    pub fn shorten(&mut self, difference: Difference) -> Difference {
        let mut difference = self.without_parts(difference);
        while let Some(shorter) = self.shorter(&difference) {
            difference = self.without_parts(shorter);
        }
        self.plainer(difference)
    }

    fn attempt(&mut self, input: &[Value]) -> Option<Difference> {
        if input.len() <= self.reach {
            return None;
        }
        self.left = self.left.saturating_sub(input.len());
        self.trial.difference(input)
    }

    /// Whether inputs of a length can be tried, and made, with what is left.
    fn affords(&self, length: usize) -> bool {
        length <= self.left
    }

    /// Leaves out halves, quarters, …, single tokens as long as the difference stays.
    fn without_parts(&mut self, mut difference: Difference) -> Difference {
        let mut size = difference.input.len().div_ceil(2);
        while size > 0 {
            let mut at = 0;
            while at < difference.input.len() && self.affords(difference.input.len()) {
                let mut input = difference.input.clone();
                input.drain(at..input.len().min(at + size));
                match self.attempt(&input) {
                    Some(shorter) => difference = shorter,
                    None => at += size,
                }
            }
            size /= 2;
        }
        difference
    }

    /// The first difference among a few inputs of each length below: the same token throughout,
    /// then random ones.
    fn shorter(&mut self, difference: &Difference) -> Option<Difference> {
        let lengths = self.reach + 1..difference.input.len();
        let first = self.tokens.first()?;
        for length in lengths.clone() {
            if !self.affords(length) {
                return None;
            }
            if let Some(shorter) = self.attempt(&vec![first.clone(); length]) {
                return Some(shorter);
            }
        }
        for _ in 0..ROUNDS {
            for length in lengths.clone() {
                if !self.affords(length) {
                    return None;
                }
                let input = inputs::sample(&mut self.random, self.tokens, length - 1, length);
                if let Some(shorter) = self.attempt(&input) {
                    return Some(shorter);
                }
            }
        }
        None
    }

    /// Replaces tokens by earlier ones of the vocabulary as long as the difference stays: all by
    /// the first, or else one by one.
    fn plainer(&mut self, mut difference: Difference) -> Difference {
        let Some(first) = self.tokens.first() else {
            return difference;
        };
        if !self.affords(difference.input.len()) {
            return difference;
        }
        let same = vec![first.clone(); difference.input.len()];
        if let Some(plainest) = self.attempt(&same) {
            return plainest;
        }
        for at in 0..difference.input.len() {
            let earlier = self
                .tokens
                .iter()
                .take_while(|token| **token != difference.input[at]);
            for token in earlier {
                if !self.affords(difference.input.len()) {
                    return difference;
                }
                let mut input = difference.input.clone();
                input[at] = token.clone();
                if let Some(plainer) = self.attempt(&input) {
                    difference = plainer;
                    break;
                }
            }
        }
        difference
    }
}
