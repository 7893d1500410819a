//! Which s-ops are causal: their value at a position depends on that position and earlier ones
//! only, so that it stays when the input grows. Read off the shape of selectors, as the static
//! types are; what is not seen to be causal counts as not.

use super::build::Graph;
use super::node::{SOp, SOpId, Selector, SelectorId};
use crate::value::{Comparison, Op, Value};

/// How far a selector looks.
#[derive(Clone, Copy)]
struct Reach {
    /// No key after its query is selected.
    no_later: bool,
    /// Whether a key is selected depends on that key and the query only, or on keys before.
    settled: bool,
}

impl Graph {
    /// Whether an s-op, with all that it is made of, is seen to be causal.
    pub fn is_causal(&self, root: SOpId) -> bool {
        let causal = self.causal_selectors();
        self.reachable(&[root])
            .into_iter()
            .all(|id| match self.get(id) {
                SOp::Tokens | SOp::Indices | SOp::Constant(_) | SOp::Given(_) | SOp::Map { .. } => {
                    true
                }
                SOp::Aggregate { selector, .. } | SOp::Width { selector } => {
                    causal[selector.0 as usize]
                }
                SOp::WeightedMean { .. } => false,
            })
    }

    /// Of each selector, whether it is seen to select no later key, and none by what comes later.
    pub fn causal_selectors(&self) -> Vec<bool> {
        let reaches = self.reaches().into_iter();
        reaches
            .map(|reach| reach.no_later && reach.settled)
            .collect()
    }

    /// What is seen of each selector.
    fn reaches(&self) -> Vec<Reach> {
        let mut reaches: Vec<Reach> = Vec::with_capacity(self.selectors().len());
        for selector in self.selectors() {
            let known = |id: &SelectorId| reaches[id.0 as usize];
            let reach = match selector {
                Selector::Compare {
                    keys,
                    queries,
                    comparison,
                } => Reach {
                    no_later: self.orders_positions(*keys, *queries, *comparison),
                    settled: true,
                },
                Selector::And(a, b) => Reach {
                    no_later: known(a).no_later || known(b).no_later,
                    settled: known(a).settled && known(b).settled,
                },
                Selector::Or(a, b) => Reach {
                    no_later: known(a).no_later && known(b).no_later,
                    settled: known(a).settled && known(b).settled,
                },
                Selector::Not(a) => Reach {
                    no_later: self.selects_all_later(*a),
                    settled: known(a).settled,
                },
                // It may fail between a later key and any query.
                Selector::Predicate(_) => Reach {
                    no_later: false,
                    settled: false,
                },
                // A later key could become the best one.
                Selector::Best { selector, .. } => Reach {
                    no_later: known(selector).no_later,
                    settled: known(selector).settled && known(selector).no_later,
                },
            };
            reaches.push(reach);
        }
        reaches
    }

    /// Whether a selector is seen to select every key after its query.
    fn selects_all_later(&self, id: SelectorId) -> bool {
        match self.get_selector(id) {
            Selector::Compare {
                keys,
                queries,
                comparison,
            } => self.orders_positions(*keys, *queries, comparison.negated()),
            Selector::And(..)
            | Selector::Or(..)
            | Selector::Not(_)
            | Selector::Predicate(_)
            | Selector::Best { .. } => false,
        }
    }

    /// Whether the comparison holds only where the key is not after the query. Indices are ints,
    /// so that there is no NaN to negate around.
    fn orders_positions(&self, keys: SOpId, queries: SOpId, comparison: Comparison) -> bool {
        use Comparison::{Equal, Less, LessEqual};
        matches!(comparison, Less | LessEqual | Equal)
            && self.is_shifted_index(keys, &Op::Add)
            && self.is_shifted_index(queries, &Op::Subtract)
    }

    /// Whether an s-op is `indices`, or `indices` with a constant of at least 0 put to it.
    fn is_shifted_index(&self, id: SOpId, by: &Op) -> bool {
        match self.get(id) {
            SOp::Indices => true,
            SOp::Map { op, operands } if op == by => match operands.as_slice() {
                [indices, shift] => {
                    matches!(self.get(*indices), SOp::Indices)
                        && matches!(self.get(*shift), SOp::Constant(Value::Int(shift)) if *shift >= 0)
                }
                _ => false,
            },
            SOp::Tokens
            | SOp::Constant(_)
            | SOp::Given(_)
            | SOp::Map { .. }
            | SOp::Aggregate { .. }
            | SOp::Width { .. }
            | SOp::WeightedMean { .. } => false,
        }
    }
}
