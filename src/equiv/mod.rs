//! Whether two s-ops of one graph are equal on every input up to a length: by proof where the
//! graph or the inferred tables give one, otherwise by trying inputs, the shortest first. What was
//! only sampled is never called equal, and a difference is called the shortest only where every
//! shorter input has been decided.

mod proof;
mod renaming;
mod shorten;
mod tokens;

use crate::base::{Fallible, Limits, Random};
use crate::graph::{Graph, SOpId};
use crate::infer::facts::check_setting;
use crate::infer::{Setting, inputs};
use crate::interpret::{self, Failed, Sequence};
use crate::value::Value;
use renaming::Renaming;
use shorten::Shortener;
use tokens::Tokens;

/// How much is tried where nothing is proved.
#[derive(Clone, Debug)]
pub struct Options {
    /// All inputs of length 1, 2, … are tried as long as they are at most this many.
    pub exhaustive: usize,
    /// Random inputs beyond those.
    pub samples: usize,
    /// The most tokens that all inputs tried have together; as many again for random ones, and for
    /// making a difference shorter.
    pub tokens: usize,
    pub seed: u64,
}

/// What is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Equal,
    Different,
    /// No difference was found, but not everything was tried.
    Unknown,
}

/// How it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Both are the same node of the graph: equal on all inputs of any length.
    SameGraph,
    /// Both are the same function of the same variables.
    SameTable,
    /// Both move the same tokens to the same places.
    SameMoves,
    /// Every input was tried that another does not stand for; or so were all shorter than the
    /// difference.
    Exhaustive,
    /// Random inputs were tried beyond the lengths that could be tried exhaustively.
    Samples,
}

/// An input on which two s-ops differ, with what each gives. At most one of them fails.
#[derive(Debug)]
pub struct Difference {
    pub input: Vec<Value>,
    pub a: Fallible<Sequence>,
    pub b: Fallible<Sequence>,
}

impl Difference {
    /// The first position at which they differ; none if one of them fails.
    pub fn position(&self) -> Option<usize> {
        let (Ok(a), Ok(b)) = (&self.a, &self.b) else {
            return None;
        };
        let mut pairs = a.values.iter().zip(&b.values);
        pairs.position(|(a, b)| !same(a, b))
    }
}

#[derive(Debug)]
pub struct Comparison {
    pub verdict: Verdict,
    pub method: Method,
    /// Inputs that were tried.
    pub checked: usize,
    /// Inputs tried on which both fail: there they count as equal.
    pub failed: usize,
    /// Whether an input that was tried stands for others, which the two cannot tell from it.
    pub representative: bool,
    /// Whether it was asked to end before everything was done.
    pub interrupted: bool,
    /// No input up to this length makes a difference.
    pub exhaustive_to_length: usize,
    pub difference: Option<Difference>,
}

impl Comparison {
    fn new(verdict: Verdict, method: Method, exhaustive_to_length: usize) -> Comparison {
        Comparison {
            verdict,
            method,
            checked: 0,
            failed: 0,
            representative: false,
            interrupted: false,
            exhaustive_to_length,
            difference: None,
        }
    }

    /// Whether no shorter input makes a difference.
    pub fn is_shortest(&self) -> bool {
        let length = |difference: &Difference| difference.input.len();
        self.difference.as_ref().map(length) == Some(self.exhaustive_to_length + 1)
    }
}

/// Compares two s-ops on the inputs of a setting.
///
/// # Errors
/// An empty vocabulary, or a length of 0.
pub fn compare(
    graph: &Graph,
    (a, b): (SOpId, SOpId),
    setting: &Setting,
    limits: &Limits,
    options: &Options,
) -> Fallible<Comparison> {
    check_setting(setting, limits)?;
    let longest = setting.max_length;
    let proved = |method| Ok(Comparison::new(Verdict::Equal, method, longest));
    if a == b {
        return proved(Method::SameGraph);
    }
    let renaming = Renaming::of(graph, [a, b], &setting.vocabulary);
    let tokens = Tokens::new(graph, [a, b], renaming.as_ref(), &setting.vocabulary);
    let trial = Trial { graph, a, b };
    if proof::same_at_each_position(&trial, &tokens.distinct, longest, options.tokens)
        || proof::same_table(graph, (a, b), setting, limits)
    {
        return proved(Method::SameTable);
    }
    let reads_tokens = tokens.distinct.len() > 1;
    if reads_tokens
        && renaming.is_some_and(|renaming| renaming.are_same(&trial, longest, options.tokens))
    {
        return proved(Method::SameMoves);
    }
    let mut found = Comparison::new(Verdict::Equal, Method::Exhaustive, 0);
    found.representative = tokens.stand_for(setting.vocabulary.len());
    let reach = tokens.reach(longest, options);
    for length in 1..=reach {
        if trial.find(&mut found, tokens.inputs(length)) {
            return Ok(found);
        }
        found.exhaustive_to_length = length;
    }
    if reach < longest {
        trial.sample(&mut found, &tokens.distinct, longest, options);
    }
    Ok(found)
}

/// Tokens of the inputs that are tried together.
const TOGETHER: usize = 1024;

/// Two s-ops, to be run on inputs.
struct Trial<'g> {
    graph: &'g Graph,
    a: SOpId,
    b: SOpId,
}

/// What two s-ops do on one input.
enum Outcome {
    Same,
    BothFail,
    Different(Difference),
    /// Nothing can be said.
    Interrupted,
}

impl Trial<'_> {
    fn run(&self, input: &[Value]) -> Outcome {
        let [a, b] = [self.a, self.b].map(|sop| interpret::evaluate(self.graph, sop, input));
        if self.graph.control().is_stopped() {
            return Outcome::Interrupted;
        }
        if a.is_err() && b.is_err() {
            return Outcome::BothFail;
        }
        let told = |failed: Box<Failed>| failed.in_graph(self.graph).into();
        let difference = Difference {
            input: input.to_vec(),
            a: a.map_err(told),
            b: b.map_err(told),
        };
        let both = difference.a.is_ok() && difference.b.is_ok();
        match both && difference.position().is_none() {
            true => Outcome::Same,
            false => Outcome::Different(difference),
        }
    }

    fn difference(&self, input: &[Value]) -> Option<Difference> {
        match self.run(input) {
            Outcome::Different(difference) => Some(difference),
            Outcome::Same | Outcome::BothFail | Outcome::Interrupted => None,
        }
    }

    /// Tries inputs up to the first that makes a difference. Whether nothing is left to be done.
    fn find(&self, found: &mut Comparison, mut inputs: impl Iterator<Item = Vec<Value>>) -> bool {
        loop {
            let mut together: Vec<Vec<Value>> = Vec::new();
            let mut tokens = 0;
            while tokens < TOGETHER
                && let Some(input) = inputs.next()
            {
                tokens += input.len();
                together.push(input);
            }
            if together.is_empty() {
                return false;
            }
            let are_same = self.are_same(&together);
            for (input, is_same) in together.iter().zip(are_same) {
                let outcome = match is_same {
                    true => Outcome::Same,
                    false => self.run(input),
                };
                found.checked += usize::from(!matches!(outcome, Outcome::Interrupted));
                match outcome {
                    Outcome::Same => {}
                    Outcome::BothFail => found.failed += 1,
                    Outcome::Different(difference) => {
                        found.verdict = Verdict::Different;
                        found.difference = Some(difference);
                        return true;
                    }
                    Outcome::Interrupted => {
                        found.verdict = Verdict::Unknown;
                        found.interrupted = true;
                        return true;
                    }
                }
            }
        }
    }

    /// Of each input, whether both have values on it, and the same.
    fn are_same(&self, inputs: &[Vec<Value>]) -> Vec<bool> {
        let Ok(values) = interpret::evaluate_many(self.graph, &[self.a, self.b], inputs) else {
            return vec![false; inputs.len()];
        };
        let are_same = values.iter().map(|values| match values.as_slice() {
            [Ok(a), Ok(b)] => a.iter().zip(b).all(|(a, b)| same(a, b)),
            _ => false,
        });
        are_same.collect()
    }

    /// Tries random inputs that are longer than those which were all tried.
    fn sample(&self, found: &mut Comparison, tokens: &[Value], longest: usize, options: &Options) {
        let reach = found.exhaustive_to_length;
        found.verdict = Verdict::Unknown;
        found.method = Method::Samples;
        let mut random = Random::new(options.seed);
        let mut left = options.tokens;
        let samples = (0..options.samples)
            .map(|_| inputs::sample(&mut random, tokens, reach, longest))
            .take_while(|input| {
                // One is tried however long it is.
                let within = left > 0;
                left = left.saturating_sub(input.len());
                within
            });
        self.find(found, samples);
        found.difference = found.difference.take().map(|difference| {
            let mut shortener = Shortener::new(self, tokens, reach, options);
            shortener.shorten(difference)
        });
    }
}

/// Equality of the language, and NaN is NaN.
fn same(a: &Value, b: &Value) -> bool {
    a.equals(b) || a.is_nan() && b.is_nan()
}
