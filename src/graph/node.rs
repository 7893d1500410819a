//! The nodes of the graph. A new attention form is a variant here; the exhaustive matches of the
//! backends name the places to extend.

use crate::value::{Comparison, Op, Value};

/// An s-op of one [`Graph`](super::Graph). Ids are topological: operands have smaller ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SOpId(pub u32);

/// A selector of one [`Graph`](super::Graph). Ids are topological: operands have smaller ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SelectorId(pub u32);

/// A scorer of one [`Graph`](super::Graph). Ids are topological: operands have smaller ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScorerId(pub u32);

/// An s-op: a function from an input of length n to n atoms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SOp {
    /// The input itself, tokens of any type.
    Tokens,
    /// `0, 1, …, n-1`.
    Indices,
    /// The same atom at every position.
    Constant(Value),
    /// What a part of a program is given, by its number: the program itself has none.
    Given(u32),
    /// An elementwise primitive; as many operands as its arity.
    Map {
        /// The primitive.
        op: Op,
        /// What it is of.
        operands: Vec<SOpId>,
    },
    /// For each query: the selected value if there is one, the mean of several, `default` if
    /// there is none.
    Aggregate {
        /// Which keys each query selects.
        selector: SelectorId,
        /// What is taken at the keys.
        value: SOpId,
        /// The value of a query that selects no key.
        default: Value,
    },
    /// For each query: how many keys are selected.
    Width {
        /// The selector.
        selector: SelectorId,
    },
    /// For each query: the mean of the values weighted by the scorer, whose scores are not
    /// negative; the value itself if only one key has a weight, `default` if none has (Weiss et
    /// al. 2021, appendix A).
    WeightedMean {
        /// The weights.
        scorer: ScorerId,
        /// What is taken at the keys.
        value: SOpId,
        /// The value of a query for which no key has a weight.
        default: Value,
    },
}

impl SOp {
    /// The value of a query that selects nothing, of an s-op that attends.
    pub fn default(&self) -> Option<&Value> {
        match self {
            SOp::Aggregate { default, .. } | SOp::WeightedMean { default, .. } => Some(default),
            SOp::Tokens
            | SOp::Indices
            | SOp::Constant(_)
            | SOp::Given(_)
            | SOp::Map { .. }
            | SOp::Width { .. } => None,
        }
    }

    /// Whether what it is at a position depends on what stands at others.
    pub fn attends(&self) -> bool {
        match self {
            SOp::Aggregate { .. } | SOp::Width { .. } | SOp::WeightedMean { .. } => true,
            SOp::Tokens | SOp::Indices | SOp::Constant(_) | SOp::Given(_) | SOp::Map { .. } => {
                false
            }
        }
    }

    /// What is moved by an s-op that attends.
    pub fn moved(&self) -> Option<SOpId> {
        match self {
            SOp::Aggregate { value, .. } | SOp::WeightedMean { value, .. } => Some(*value),
            SOp::Tokens
            | SOp::Indices
            | SOp::Constant(_)
            | SOp::Given(_)
            | SOp::Map { .. }
            | SOp::Width { .. } => None,
        }
    }
}

/// A selector: for each query position, which key positions it selects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Selector {
    /// Selects where `keys[k] comparison queries[q]`.
    Compare {
        /// What is compared at the key position.
        keys: SOpId,
        /// What is compared at the query position.
        queries: SOpId,
        /// How the two are compared.
        comparison: Comparison,
    },
    /// Selects what both select.
    And(SelectorId, SelectorId),
    /// Selects what either selects.
    Or(SelectorId, SelectorId),
    /// Selects what the other does not.
    Not(SelectorId),
    /// Selects where the score is true: for predicates that no comparisons make up.
    Predicate(ScorerId),
    /// Of the keys that `selector` selects, the one with the highest score; of equal scores the
    /// last.
    Best {
        /// The candidates.
        selector: SelectorId,
        /// Which of them is best.
        scorer: ScorerId,
    },
}

impl Selector {
    /// The selectors that it is made of.
    pub fn parts(&self) -> impl Iterator<Item = SelectorId> + use<> {
        let parts = match *self {
            Selector::And(a, b) | Selector::Or(a, b) => [Some(a), Some(b)],
            Selector::Not(a) | Selector::Best { selector: a, .. } => [Some(a), None],
            Selector::Compare { .. } | Selector::Predicate(_) => [None, None],
        };
        parts.into_iter().flatten()
    }
}

/// A scorer: an atom for each key position and query position, as a function of what s-ops hold at
/// the two.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Scorer {
    /// What an s-op holds at the key position.
    Key(SOpId),
    /// What an s-op holds at the query position.
    Query(SOpId),
    /// The same atom for each pair of positions.
    Constant(Value),
    /// An elementwise primitive; as many operands as its arity.
    Map {
        /// The primitive.
        op: Op,
        /// What it is of.
        operands: Vec<ScorerId>,
    },
}
