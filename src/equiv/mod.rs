//! Whether two s-ops of one graph are equal on every input up to a length: by proof where the
//! graph or the inferred tables give one, otherwise by trying inputs, the shortest first. What was
//! only sampled is never called equal.

mod proof;

use crate::base::{Fallible, Limits, Random};
use crate::graph::{Graph, SOpId};
use crate::infer::facts::check_setting;
use crate::infer::{Setting, inputs};
use crate::interpret::{self, Sequence};
use crate::value::Value;

/// How much is tried where nothing is proved.
#[derive(Clone, Debug)]
pub struct Options {
    /// All inputs of length 1, 2, … are tried as long as they are at most this many.
    pub exhaustive: usize,
    /// Random inputs beyond those.
    pub samples: usize,
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
    /// Every input was tried, or every shorter one before the difference.
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

#[derive(Debug)]
pub struct Comparison {
    pub verdict: Verdict,
    pub method: Method,
    /// Inputs that were tried.
    pub checked: usize,
    /// No input up to this length makes a difference.
    pub exhaustive_to_length: usize,
    pub difference: Option<Difference>,
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
    let proved = |method| Comparison {
        verdict: Verdict::Equal,
        method,
        checked: 0,
        exhaustive_to_length: setting.max_length,
        difference: None,
    };
    if a == b {
        return Ok(proved(Method::SameGraph));
    }
    if proof::same_table(graph, (a, b), setting, limits) {
        return Ok(proved(Method::SameTable));
    }
    let trial = Trial { graph, a, b };
    Ok(trial.inputs(setting, options))
}

struct Trial<'g> {
    graph: &'g Graph,
    a: SOpId,
    b: SOpId,
}

impl Trial<'_> {
    fn inputs(&self, setting: &Setting, options: &Options) -> Comparison {
        let Setting {
            vocabulary,
            max_length,
            ..
        } = setting;
        let reach = inputs::exhaustive_length(vocabulary.len(), *max_length, options.exhaustive);
        let mut found = Comparison {
            verdict: Verdict::Equal,
            method: Method::Exhaustive,
            checked: 0,
            exhaustive_to_length: 0,
            difference: None,
        };
        for length in 1..=reach {
            if self.find(&mut found, inputs::all(vocabulary, length)) {
                return found;
            }
            found.exhaustive_to_length = length;
        }
        if reach == *max_length {
            return found;
        }
        found.method = Method::Samples;
        found.verdict = Verdict::Unknown;
        let mut random = Random::new(options.seed);
        let sample = |_| inputs::sample(&mut random, vocabulary, reach, *max_length);
        if self.find(&mut found, (0..options.samples).map(sample)) {
            found.difference = found.difference.map(|difference| self.shorten(difference));
        }
        found
    }

    /// Tries inputs up to the first that makes a difference.
    fn find(&self, found: &mut Comparison, mut inputs: impl Iterator<Item = Vec<Value>>) -> bool {
        let difference = inputs.find_map(|input| {
            found.checked += 1;
            self.difference(input)
        });
        if difference.is_some() {
            found.verdict = Verdict::Different;
            found.difference = difference;
        }
        found.difference.is_some()
    }

    fn difference(&self, input: Vec<Value>) -> Option<Difference> {
        let a = interpret::evaluate(self.graph, self.a, &input);
        let b = interpret::evaluate(self.graph, self.b, &input);
        let same = match (&a, &b) {
            (Ok(a), Ok(b)) => a.values.iter().zip(&b.values).all(|(a, b)| same(a, b)),
            (Err(_), Err(_)) => true,
            (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
        };
        (!same).then_some(Difference { input, a, b })
    }

    /// Leaves out tokens of a random input as long as the difference stays.
    fn shorten(&self, mut difference: Difference) -> Difference {
        let mut at = 0;
        while at < difference.input.len() && difference.input.len() > 1 {
            let mut input = difference.input.clone();
            input.remove(at);
            match self.difference(input) {
                Some(shorter) => difference = shorter,
                None => at += 1,
            }
        }
        difference
    }
}

/// Equality of the language, and NaN is NaN.
fn same(a: &Value, b: &Value) -> bool {
    a.equals(b) || a.is_nan() && b.is_nan()
}
