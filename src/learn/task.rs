//! The tasks of Friedman, Wettig & Chen 2023: how inputs are drawn, what is wanted of them, and all
//! inputs that there are. Depends on `base` and `value`.

use crate::base::Random;
use crate::value::Value;
use indexmap::IndexSet;
use std::collections::{BTreeSet, HashSet};

/// An input and the wanted output; where it is `None` nothing is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The tokens.
    pub input: Vec<Value>,
    /// A value for each token.
    pub output: Vec<Option<Value>>,
    /// The line of its file, from 1; 0 where there is no file.
    pub line: usize,
}

/// What is to be learnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// The input backwards.
    Reverse,
    /// How often each token occurs.
    Hist,
    /// How many tokens occur as often as each does.
    DoubleHist,
    /// The tokens in order.
    Sort,
    /// The tokens by how often they occur, the most frequent first.
    MostFreq,
    /// For each prefix of brackets of one type: balanced `T`, open `P`, or broken `F`.
    Dyck1,
    /// The same with two types.
    Dyck2,
    /// What followed the same letter before.
    Induction,
}

/// Examples of a task that training draws at most.
const DRAWN: usize = 20_000;

/// The token that begins every input.
const BOS: &str = "<s>";

impl Task {
    /// All tasks.
    pub const ALL: [Task; 8] = [
        Task::Reverse,
        Task::Hist,
        Task::DoubleHist,
        Task::Sort,
        Task::MostFreq,
        Task::Dyck1,
        Task::Dyck2,
        Task::Induction,
    ];

    /// The name of the command line and of reports.
    pub fn name(self) -> &'static str {
        match self {
            Task::Reverse => "reverse",
            Task::Hist => "hist",
            Task::DoubleHist => "double_hist",
            Task::Sort => "sort",
            Task::MostFreq => "most_freq",
            Task::Dyck1 => "dyck1",
            Task::Dyck2 => "dyck2",
            Task::Induction => "induction",
        }
    }

    /// Whether queries see earlier keys only.
    pub fn is_causal(self) -> bool {
        matches!(self, Task::Dyck1 | Task::Dyck2 | Task::Induction)
    }

    /// The token that ends every input, if there is one.
    pub fn end(self) -> Option<&'static str> {
        matches!(self, Task::Reverse | Task::Sort).then_some("</s>")
    }

    /// The alphabet, and the least and the greatest length without the ends.
    fn space(self) -> (&'static [&'static str], usize, usize) {
        match self {
            Task::Reverse | Task::Sort => (&["0", "1", "2", "3", "4"], 1, 6),
            Task::Hist | Task::DoubleHist | Task::MostFreq => {
                (&["0", "1", "2", "3", "4", "5"], 1, 7)
            }
            Task::Dyck1 => (&["(", ")"], 15, 15),
            Task::Dyck2 => (&["(", ")", "{", "}"], 15, 15),
            Task::Induction => (&["a", "b", "c", "d", "0", "1", "2", "3"], 9, 9),
        }
    }

    /// An input with what is wanted of it. `word` has no ends, and its symbols are numbered as the
    /// alphabet is.
    fn example(self, word: &[usize]) -> Example {
        let (alphabet, _, _) = self.space();
        let token = |&symbol: &usize| Value::str(alphabet[symbol]);
        let mut input = vec![Value::str(BOS)];
        input.extend(word.iter().map(token));
        let mut output = vec![None];
        output.extend(self.wanted(word));
        if let Some(end) = self.end() {
            input.push(Value::str(end));
            output.push(None);
        }
        Example {
            input,
            output,
            line: 0,
        }
    }

    fn wanted(self, word: &[usize]) -> Vec<Option<Value>> {
        let (alphabet, _, _) = self.space();
        let token = |&symbol: &usize| Some(Value::str(alphabet[symbol]));
        let count = |symbol: usize| word.iter().filter(|&&other| other == symbol).count();
        match self {
            Task::Reverse => word.iter().rev().map(token).collect(),
            Task::Sort => {
                let mut sorted = word.to_vec();
                sorted.sort_unstable();
                sorted.iter().map(token).collect()
            }
            Task::Hist => word.iter().map(|&s| Some(int(count(s)))).collect(),
            Task::DoubleHist => {
                let distinct = distinct(word);
                let peers = |times| distinct.iter().filter(|&&s| count(s) == times).count();
                word.iter().map(|&s| Some(int(peers(count(s))))).collect()
            }
            Task::MostFreq => {
                let mut order = distinct(word);
                // The sort is stable: of equally frequent ones the first comes first.
                order.sort_by_key(|&symbol| std::cmp::Reverse(count(symbol)));
                let mut wanted: Vec<Option<Value>> = order.iter().map(token).collect();
                wanted.resize(word.len(), Some(Value::str(BOS)));
                wanted
            }
            Task::Dyck1 | Task::Dyck2 => {
                let (mut open, mut is_broken) = (Vec::new(), false);
                let label = |&symbol: &usize| {
                    match symbol % 2 {
                        0 => open.push(symbol),
                        _ => is_broken |= open.pop() != Some(symbol - 1),
                    }
                    let label = match (is_broken, open.is_empty()) {
                        (true, _) => "F",
                        (false, true) => "T",
                        (false, false) => "P",
                    };
                    Some(Value::str(label))
                };
                word.iter().map(label).collect()
            }
            Task::Induction => (0..word.len())
                .map(|at| {
                    let is_letter = word[at] < 4;
                    let known = (0..at).find(|&earlier| word[earlier] == word[at]);
                    is_letter.then(|| match known {
                        Some(earlier) => Value::str(alphabet[word[earlier + 1]]),
                        None => Value::str("<unk>"),
                    })
                })
                .collect(),
        }
    }

    fn draw(self, random: &mut Random) -> Vec<usize> {
        let (alphabet, least, most) = self.space();
        match self {
            Task::Dyck1 | Task::Dyck2 if random.below(2) == 0 => {
                let mut word = Vec::new();
                for _ in 0..8 {
                    let open = 2 * random.below(alphabet.len() / 2);
                    match random.below(2) {
                        0 => word.push(open),
                        _ => word.insert(0, open),
                    }
                    word.push(open + 1);
                }
                word.truncate(most);
                word
            }
            Task::Induction => {
                let follows: [usize; 4] = std::array::from_fn(|_| 4 + random.below(4));
                let letters: [usize; 4] = std::array::from_fn(|_| random.below(4));
                let pairs = letters.iter().flat_map(|&letter| [letter, follows[letter]]);
                match random.below(2) {
                    0 => std::iter::once(4 + random.below(4)).chain(pairs).collect(),
                    _ => pairs.chain([random.below(4)]).collect(),
                }
            }
            Task::Reverse
            | Task::Hist
            | Task::DoubleHist
            | Task::Sort
            | Task::MostFreq
            | Task::Dyck1
            | Task::Dyck2 => {
                let length = least + random.below(most - least + 1);
                (0..length).map(|_| random.below(alphabet.len())).collect()
            }
        }
    }

    /// The examples to learn from, none twice: 20,000, or fewer where there are not so many inputs, or so
    /// many drawn that it is not worth going on (five times as many, as in the original recipe).
    pub fn examples(self, seed: u64) -> Vec<Example> {
        let mut random = Random::new(seed ^ 0x7461_736b);
        let mut words = IndexSet::new();
        for _ in 0..5 * DRAWN {
            words.insert(self.draw(&mut random));
            if words.len() == DRAWN {
                break;
            }
        }
        let mut values = HashSet::<Value>::new();
        let examples = words.iter().map(|word| {
            let mut example = self.example(word);
            let outputs = example.output.iter_mut().flatten();
            // Equal values are held once.
            for value in example.input.iter_mut().chain(outputs) {
                match values.get(value) {
                    Some(known) => value.clone_from(known),
                    None => _ = values.insert(value.clone()),
                }
            }
            example
        });
        examples.collect()
    }

    /// Every input that there is, or `None` where there are more than can be tried.
    pub fn all(self) -> Option<Box<dyn Iterator<Item = Example>>> {
        let (alphabet, least, most) = self.space();
        let count = alphabet.len();
        match self {
            Task::Dyck2 => None,
            Task::Induction => {
                let words = all_of_induction().into_iter();
                Some(Box::new(
                    words.map(move |word| self.example(&word.map(usize::from))),
                ))
            }
            Task::Reverse
            | Task::Hist
            | Task::DoubleHist
            | Task::Sort
            | Task::MostFreq
            | Task::Dyck1 => {
                let words = (least..=most).flat_map(move |length| {
                    (0..count.pow(length as u32)).map(move |number| {
                        (0..length)
                            .map(|at| number / count.pow(at as u32) % count)
                            .collect()
                    })
                });
                Some(Box::new(
                    words.map(move |word: Vec<usize>| self.example(&word)),
                ))
            }
        }
    }
}

/// Four pairs of a letter and its digit, in order, with one more token before or after them.
fn all_of_induction() -> BTreeSet<[u8; 9]> {
    let mut words = BTreeSet::new();
    for number in 0..4usize.pow(8) {
        let digit = |at: usize| (number / 4usize.pow(at as u32) % 4) as u8;
        let pairs: [u8; 8] = std::array::from_fn(|at| match at % 2 {
            0 => digit(at / 2),
            _ => 4 + digit(4 + usize::from(digit(at / 2))),
        });
        for more in 0..4 {
            words.insert(std::array::from_fn(|at| match at {
                0 => 4 + more,
                _ => pairs[at - 1],
            }));
            words.insert(std::array::from_fn(|at| {
                pairs.get(at).copied().unwrap_or(more)
            }));
        }
    }
    words
}

fn int(number: usize) -> Value {
    Value::Int(number as i64)
}

/// The symbols of a word, in the order in which they come first.
fn distinct(word: &[usize]) -> Vec<usize> {
    let mut distinct = Vec::new();
    for &symbol in word {
        if !distinct.contains(&symbol) {
            distinct.push(symbol);
        }
    }
    distinct
}
