//! The nodes of the graph. A new attention form is a variant here; the exhaustive matches of the
//! backends name the places to extend.

use crate::value::{Comparison, Op, Value};

/// An s-op of one [`Graph`](super::Graph). Ids are topological: operands have smaller ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SOpId(pub u32);

/// A selector of one [`Graph`](super::Graph). Ids are topological: operands have smaller ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SelectorId(pub u32);

/// An s-op: a function from an input of length n to n atoms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SOp {
    /// The input itself, tokens of any type.
    Tokens,
    /// `0, 1, …, n-1`.
    Indices,
    /// The same atom at every position.
    Constant(Value),
    /// An elementwise primitive; as many operands as its arity.
    Map { op: Op, operands: Vec<SOpId> },
    /// For each query: the selected value if there is one, the mean of several, `default` if
    /// there is none.
    Aggregate {
        selector: SelectorId,
        value: SOpId,
        default: Value,
    },
    /// For each query: how many keys are selected.
    Width { selector: SelectorId },
}

/// A selector: for each query position, which key positions it selects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Selector {
    /// Selects where `keys[k] comparison queries[q]`.
    Compare {
        keys: SOpId,
        queries: SOpId,
        comparison: Comparison,
    },
    And(SelectorId, SelectorId),
    Or(SelectorId, SelectorId),
    Not(SelectorId),
}
