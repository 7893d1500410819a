//! The program as one graph of s-ops and selectors: what is left when every function, loop and
//! list has been run, before an input exists. Equal nodes are one node. Depends on `base` and
//! `value`; it knows nothing of syntax and stores no facts about nodes beyond their static type.

mod apart;
pub mod build;
mod causal;
mod counted;
mod cyclic;
mod earliest;
pub mod exponential;
mod first;
mod idiom;
mod means;
pub mod node;
mod part;
pub mod print;
mod reach;
mod rounds;
pub mod scorer_function;
mod selected;
pub mod shape;

pub use apart::without_number;
pub use build::{Encoding, Graph, Sharing};
pub use counted::Total;
pub use first::WithFirst;
pub use node::{SOp, SOpId, Scorer, ScorerId, Selector, SelectorId};
pub use part::Possible;
pub use rounds::Rounds;
pub use scorer_function::ScorerFunction;
