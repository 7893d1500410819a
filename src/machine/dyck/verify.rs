//! Holds a model against the definition of its language: all short inputs, then random words and near
//! misses. Depends on `language` and `execute`.

use super::language::Follow;
use super::{Dyck, Kind, LONGEST_TRIED, Language};
use crate::base::{Fallible, Random};
use crate::execute::{Executor, Precision};
use crate::model::Model;
use crate::value::Value;

/// How much is tried.
#[derive(Clone, Debug)]
pub struct Options {
    /// All inputs of length 1, 2, … are tried while they are at most this many together.
    pub exhaustive: usize,
    /// Random words beyond those, four in five with a mistake.
    pub samples: usize,
    /// Of the random words.
    pub seed: u64,
    /// What the model computes in.
    pub precision: Precision,
}

impl Default for Options {
    /// All inputs while they are 20,000, and 200 longer ones, in float32.
    fn default() -> Options {
        Options {
            exhaustive: 20_000,
            samples: 200,
            seed: 0,
            precision: Precision::F32,
        }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// Inputs that were tried.
    pub checked: usize,
    /// Those on which the model is wrong.
    pub wrong: usize,
    /// Every input up to this length was tried.
    pub exhaustive_to_length: usize,
    /// The longest input that was tried: the model's, or [`LONGEST_TRIED`].
    pub max_length: usize,
    /// The first on which it is wrong.
    pub first_wrong: Option<WrongOutput>,
}

/// An input on which a model is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct WrongOutput {
    /// The tokens.
    pub input: Vec<Value>,
    /// What the language says of each prefix; a generator is asked nothing behind a prefix that no word
    /// begins with.
    pub expected: Vec<Option<Value>>,
    /// What the model says.
    pub got: Vec<Value>,
}

impl Verification {
    /// Whether every input there is was tried, and none is wrong.
    pub fn is_proof(&self) -> bool {
        self.wrong == 0 && self.exhaustive_to_length == self.max_length
    }
}

impl Dyck {
    /// What the model is to say at each position of a word; `None` where it is asked nothing: a generator
    /// behind a prefix that no word begins with (Definition 3.1).
    pub fn expected(&self, word: &[usize]) -> Vec<Option<Value>> {
        let language = self.language();
        let follows = language.follow_each(word);
        let label = |follow: Option<Follow>| match follow {
            None => "F",
            Some(Follow { top: None, .. }) => "T",
            Some(_) => "P",
        };
        match self.kind {
            Kind::Recognise => vec![Some(Value::Bool(language.has(word))); word.len()],
            Kind::Label => {
                let labels = follows.into_iter().map(label);
                labels.map(|label| Some(Value::str(label))).collect()
            }
            Kind::Generate | Kind::GenerateLn | Kind::GenerateUnbounded => {
                let spelled = |follow: Follow| follow.spelled(&self.tokens);
                follows
                    .into_iter()
                    .map(|follow| follow.map(spelled))
                    .collect()
            }
        }
    }

    /// The tokens of a word.
    ///
    /// # Panics
    /// If an index is that of no bracket.
    pub fn spell(&self, word: &[usize]) -> Vec<Value> {
        word.iter().map(|at| self.tokens[*at].clone()).collect()
    }
}

/// Words that are run at a time.
const BATCH: usize = 1_000;

/// Tries a model for a Dyck language.
///
/// # Errors
/// A model that is none.
pub fn verify(model: &Model, options: &Options) -> Fallible<Verification> {
    let dyck = Dyck::of(model)?;
    let executor = Executor::new(model, options.precision)?;
    let longest = dyck.max_length.min(LONGEST_TRIED);
    let exhaustive = exhaustive_length(&dyck, options.exhaustive).min(longest);
    let mut found = Verification {
        checked: 0,
        wrong: 0,
        exhaustive_to_length: exhaustive,
        max_length: longest,
        first_wrong: None,
    };
    let short = (1..=exhaustive).flat_map(|length| words(dyck.tokens.len(), length));
    let samples = match exhaustive < longest {
        true => options.samples,
        false => 0,
    };
    let mut random = Random::new(options.seed);
    let language = dyck.language();
    let long = (0..samples).map(|index| random_word(&mut random, &language, longest, index));
    let mut all = short.chain(long);
    loop {
        let batch: Vec<Vec<usize>> = all.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            return Ok(found);
        }
        found.add(&dyck, &executor, &batch)?;
    }
}

impl Verification {
    fn add(&mut self, dyck: &Dyck, executor: &Executor, words: &[Vec<usize>]) -> Fallible<()> {
        let inputs: Vec<Vec<Value>> = words.iter().map(|word| dyck.spell(word)).collect();
        let outputs = executor.run_all(&inputs)?;
        for ((word, input), got) in words.iter().zip(inputs).zip(outputs) {
            let expected = dyck.expected(word);
            let mut pairs = expected.iter().zip(&got);
            let is_right = |(expected, got): (&Option<Value>, &Value)| match expected {
                Some(expected) => expected == got,
                None => true,
            };
            self.checked += 1;
            if !pairs.all(is_right) {
                self.wrong += 1;
                self.first_wrong.get_or_insert(WrongOutput {
                    input,
                    expected,
                    got,
                });
            }
        }
        Ok(())
    }
}

/// A word or a near miss that a model can take, long ones more often than not.
fn random_word(
    random: &mut Random,
    language: &Language,
    longest: usize,
    index: usize,
) -> Vec<usize> {
    let half = match random.below(2) {
        0 => longest / 2,
        _ => 1 + random.below((longest / 2).max(1)),
    };
    if half == 0 {
        return vec![random.below(2 * language.types)];
    }
    let word = language.word(random, 2 * half);
    let mut word = match index % 5 {
        0 => word,
        kind => language.miss(random, word, kind - 1),
    };
    word.truncate(longest);
    word
}

/// The greatest length up to which all inputs together are at most so many.
fn exhaustive_length(dyck: &Dyck, most: usize) -> usize {
    let (mut total, mut count) = (0usize, 1usize);
    let fits = |_: &usize| {
        count = count.saturating_mul(dyck.tokens.len());
        total = total.saturating_add(count);
        total <= most
    };
    (1..=dyck.max_length).take_while(fits).last().unwrap_or(0)
}

/// All words of a length over so many tokens.
fn words(tokens: usize, length: usize) -> impl Iterator<Item = Vec<usize>> {
    let mut next = Some(vec![0; length]);
    std::iter::from_fn(move || {
        let word = next.take()?;
        let last = word.iter().rposition(|token| token + 1 < tokens);
        next = last.map(|last| {
            let mut word = word.clone();
            word[last] += 1;
            word[last + 1..].fill(0);
            word
        });
        Some(word)
    })
}
