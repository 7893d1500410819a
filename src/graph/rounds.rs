//! Which s-ops go from round to round of a `repeat`. The rounds are nodes like others, and nothing
//! depends on them: the schedule tells by this that layers repeat.

use super::build::Graph;
use super::node::SOpId;
use crate::base::Span;

/// One `repeat` that was run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rounds {
    /// Where it is written.
    pub span: Span,
    /// The carried s-ops, before the first round and after each.
    pub carried: Vec<Vec<SOpId>>,
}

impl Graph {
    /// Notes a `repeat`, unless the same one is known: equal rounds are the same nodes.
    pub(crate) fn repeated(&mut self, rounds: Rounds) {
        if rounds.carried.len() > 1 {
            self.rounds.insert(rounds);
        }
    }

    /// Every `repeat`, an inner one before the one around it.
    pub fn rounds(&self) -> impl DoubleEndedIterator<Item = &Rounds> {
        self.rounds.iter()
    }
}
