//! Faults that evaluation met. A fault stays where it happened until a value there is needed, so
//! that the branch of a ternary that is not taken may fail. Each is a cause with its operands and the
//! s-op that it belongs to; nothing here is said in words, which `diagnose` does.

use crate::base::Diagnostic;
use crate::graph::{Graph, SOpId, ScorerId};
use crate::value::{Comparison, Failure, SequenceType, Value};
use std::cmp::Ordering;
use std::sync::Arc;

/// Why there is no value.
#[derive(Debug)]
pub enum Cause {
    /// A person has interrupted it.
    Interrupted,
    /// An input without a token.
    NoTokens,
    /// What a part of a program is given is not known.
    NotGiven,
    /// A primitive has no result.
    Primitive(Failure),
    /// A number and a string in one s-op, with their positions.
    Mixed([(usize, Value); 2]),
    /// Several selected values that have no mean: how many, what they are, and, where they are still
    /// collected, the first of them.
    NoMean(usize, SequenceType, Vec<Value>),
    /// Several values with a weight that have no mean.
    NoWeightedMean(usize, SequenceType),
    /// A score that is no number.
    NoScore(Value),
    /// A score that is no weight.
    NoWeight(f64),
    /// Keys and queries that have no order.
    NoOrder(Comparison, [SequenceType; 2]),
    /// More pairs of keys and queries than the limit allows.
    Pairs(u64, Pairs),
    /// What is shown for each pair of positions takes more bytes than the limit on memory allows.
    Shown {
        what: &'static str,
        tokens: u64,
        bytes: u64,
        limit: u64,
    },
}

/// What is looked at pair by pair.
#[derive(Clone, Copy, Debug)]
pub enum Pairs {
    /// The scores of so many different keys for so many different queries.
    Scores(usize, usize),
    /// A selector of so many keys and queries.
    Selector(usize, usize),
    /// So many weights.
    Weights(u64),
}

/// Why there is no value at a position.
#[derive(Debug)]
pub struct Fault {
    pub cause: Cause,
    /// The s-op that failed.
    pub sop: SOpId,
    /// Where in the input it failed, if at one place.
    pub position: Option<usize>,
    /// Of a score: which one it is.
    pub score: Option<Score>,
}

/// A part of a scorer, of a key for a query.
#[derive(Clone, Copy, Debug)]
pub struct Score {
    pub scorer: ScorerId,
    pub key: usize,
    pub query: usize,
}

/// A fault with what can be seen of its place: the s-ops that were asked for, and on which input.
/// `diagnose` turns it into a diagnostic.
pub struct Failed<'a> {
    pub fault: &'a Fault,
    pub graph: &'a Graph,
    pub input: &'a [Value],
    pub roots: &'a [SOpId],
}

impl Fault {
    /// A fault of an s-op as a whole.
    pub fn new(cause: Cause, sop: SOpId) -> Fault {
        Fault {
            cause,
            sop,
            position: None,
            score: None,
        }
    }

    pub fn of_failure(failure: Failure, sop: SOpId, position: usize) -> Fault {
        Fault {
            position: Some(position),
            ..Fault::new(Cause::Primitive(failure), sop)
        }
    }

    /// Of an overflow: on which side of all 64-bit ints the value lies.
    pub fn beyond(&self) -> Option<Ordering> {
        let Cause::Primitive(failure) = &self.cause else {
            return None;
        };
        failure.beyond()
    }

    /// It as a diagnostic, at its place in the program.
    pub fn diagnostic(&self, graph: &Graph, input: &[Value], roots: &[SOpId]) -> Diagnostic {
        let fault = self;
        Diagnostic::from(Failed {
            fault,
            graph,
            input,
            roots,
        })
    }
}

/// The faults of a column.
#[derive(Clone, Debug)]
pub enum Faults {
    None,
    Everywhere(Arc<Fault>),
    /// By ascending position; never empty.
    Some(Vec<(usize, Arc<Fault>)>),
}

impl Faults {
    pub fn first(&self) -> Option<&Arc<Fault>> {
        match self {
            Faults::None => None,
            Faults::Everywhere(fault) => Some(fault),
            Faults::Some(faults) => faults.first().map(|(_, fault)| fault),
        }
    }

    pub fn at(&self, position: usize) -> Option<&Arc<Fault>> {
        match self {
            Faults::None => None,
            Faults::Everywhere(fault) => Some(fault),
            Faults::Some(faults) => faults
                .binary_search_by_key(&position, |(position, _)| *position)
                .ok()
                .map(|at| &faults[at].1),
        }
    }
}
