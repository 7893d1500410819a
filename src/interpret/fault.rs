//! Faults that evaluation met. A fault stays where it happened until a value there is needed, so
//! that the branch of a ternary that is not taken may fail. Each is a cause with its operands and the
//! s-op that it belongs to; nothing here is said in words, which `diagnose` does.

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
    /// The s-op that failed, unless it is what was asked as a whole.
    pub sop: Option<SOpId>,
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

/// Why an evaluation gives nothing: a fault, with what is seen of its place in the input and in what was
/// asked. Whoever shows it has the [graph](Failed::in_graph), too.
#[derive(Clone, Debug)]
pub struct Failed {
    pub fault: Arc<Fault>,
    /// The tokens at the positions that the fault is about.
    tokens: Vec<(usize, Value)>,
    /// The s-ops that were asked for.
    pub roots: Vec<SOpId>,
}

/// What an evaluation gives, unless it fails.
pub type Evaluated<T> = Result<T, Box<Failed>>;

/// A failure with the graph of its s-ops, which knows where they were written: `diagnose` makes a
/// diagnostic of it.
pub struct InGraph<'g> {
    pub failed: Failed,
    pub graph: &'g Graph,
}

impl Failed {
    pub(super) fn new(fault: Arc<Fault>, input: &[Value], roots: &[SOpId]) -> Box<Failed> {
        let pair = fault.score.map(|score| [score.key, score.query]);
        let places = fault.position.into_iter().chain(pair.into_iter().flatten());
        let tokens = places.filter_map(|at| Some((at, input.get(at)?.clone())));
        Box::new(Failed {
            tokens: tokens.collect(),
            roots: roots.to_vec(),
            fault,
        })
    }

    /// The token at a position that the fault is about.
    pub fn token(&self, position: usize) -> Option<&Value> {
        let mut tokens = self.tokens.iter();
        let (_, token) = tokens.find(|(at, _)| *at == position)?;
        Some(token)
    }

    /// It for whoever shows it: what a diagnostic is made of.
    pub fn in_graph(self, graph: &Graph) -> InGraph<'_> {
        InGraph {
            failed: self,
            graph,
        }
    }
}

impl From<Cause> for Box<Failed> {
    fn from(cause: Cause) -> Box<Failed> {
        Failed::new(Arc::new(Fault::whole(cause)), &[], &[])
    }
}

/// # Errors
/// The work on a graph is to end.
pub(super) fn check(graph: &Graph) -> Evaluated<()> {
    match graph.control().is_stopped() {
        true => Err(Cause::Interrupted.into()),
        false => Ok(()),
    }
}

impl Fault {
    /// A fault of what was asked as a whole.
    pub fn whole(cause: Cause) -> Fault {
        Fault {
            cause,
            sop: None,
            position: None,
            score: None,
        }
    }

    /// A fault of an s-op, wherever it is read.
    pub fn new(cause: Cause, sop: SOpId) -> Fault {
        Fault {
            sop: Some(sop),
            ..Fault::whole(cause)
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
