//! Sums of counts over the same keys: how many keys hold "a", less how many hold "b", is the sum over all
//! keys of 1, -1 or 0, and compares with 0 as their mean does. One head takes that mean, where each count
//! takes one of its own; and a count divided by how many keys there are is such a mean itself. Depends on
//! the shapes of `idiom`.

use super::build::Graph;
use super::idiom::{binary, is_constant, selects_all};
use super::node::{SOp, SOpId, Selector, SelectorId};
use crate::base::Span;
use crate::value::{Comparison, Op, TypeSet, Value};

/// S-ops that are looked at for one sum, each as often as it is read.
const MOST: usize = 32;

/// How large factors may be together: means of larger numbers might be equal floats where they differ.
const LARGEST: i64 = 1 << 20;

/// A sum of counts.
#[derive(Clone, Debug, Default)]
struct Sum {
    /// What selects the keys, `None` for all of them; nothing is known where nothing is counted.
    base: Option<Option<SelectorId>>,
    /// How often those count that fulfil a condition, `None` for every one.
    terms: Vec<(i64, Option<SOpId>)>,
}

/// A comparison of two sums of counts over the same keys as one of the mean of differences with 0.
pub(super) fn compared(
    graph: &mut Graph,
    comparison: Comparison,
    (left, right): (SOpId, SOpId),
    span: Span,
) -> Option<SOp> {
    let mut left_to_see = MOST;
    let mut sum = |id| Sum::of(graph, id, span, &mut left_to_see);
    let difference = sum(left)?.plus(-1, sum(right)?)?;
    if difference.terms.len() < 2 {
        return None;
    }
    let mean = difference.mean(graph, span)?;
    let zero = graph.constant(Value::Int(0), span);
    let op = Op::Compare(comparison);
    let as_written = SOp::Map {
        op: op.clone(),
        operands: vec![left, right],
    };
    let compared = graph.map(op, vec![mean, zero], span);
    graph.also_written(compared, as_written);
    Some(graph.get(compared).clone())
}

/// `a / b`, where `b` is how many keys there are and `a` a sum of counts over these, as a mean; as a float,
/// which a mean of one key need not be.
pub(super) fn share(graph: &mut Graph, (above, below): (SOpId, SOpId), span: Span) -> Option<SOp> {
    let counted = Sum::of(graph, above, span, &mut MOST.clone())?;
    let base = counted.base?;
    let whole = Sum::of(graph, below, span, &mut MOST.clone());
    let is_whole =
        whole.is_some_and(|whole| whole.base == Some(base) && matches!(*whole.terms, [(1, None)]));
    let selects_some = base.is_none_or(|base| selects_itself(graph, base, None));
    // Up to here there are `indices + 1`.
    let up_to_here = base.is_some_and(|base| {
        let indices = graph.sop(SOp::Indices, span);
        selects_itself(graph, base, Some((indices, Comparison::LessEqual)))
    });
    let is_number = binary(graph, below, &Op::Add).is_some_and(|(indices, one)| {
        matches!(graph.get(indices), SOp::Indices) && is_constant(graph, one, 1)
    });
    if counted.terms.is_empty() || !(is_whole && selects_some || is_number && up_to_here) {
        return None;
    }
    let mean = counted.mean(graph, span)?;
    let one = graph.constant(Value::Float(1.0), span);
    Some(SOp::Map {
        op: Op::Multiply,
        operands: vec![one, mean],
    })
}

/// Whether a selector compares an s-op with itself so that each query selects itself: `only` this s-op in
/// this way, if that is given. A float need not equal itself.
fn selects_itself(graph: &Graph, id: SelectorId, only: Option<(SOpId, Comparison)>) -> bool {
    let Selector::Compare {
        keys,
        queries,
        comparison,
    } = *graph.get_selector(id)
    else {
        return false;
    };
    keys == queries
        && only.is_none_or(|only| only == (keys, comparison))
        && comparison.holds(&Value::Int(0), &Value::Int(0)) == Ok(true)
        && !graph.types(keys).meets(TypeSet::FLOAT)
}

impl Sum {
    /// What an s-op is as a sum of counts, if it is one.
    fn of(graph: &mut Graph, id: SOpId, span: Span, left: &mut usize) -> Option<Sum> {
        *left = left.checked_sub(1)?;
        match graph.get(id).clone() {
            SOp::Width { selector } => Some(Sum::of_width(graph, selector, span)),
            SOp::Constant(Value::Int(0)) => Some(Sum::default()),
            SOp::Map { op, operands } => {
                let [a, b] = *operands else {
                    return None;
                };
                match (&op, graph.get(a), graph.get(b)) {
                    (Op::Add | Op::Subtract, ..) => {
                        let factor = if op == Op::Add { 1 } else { -1 };
                        let sum = Sum::of(graph, a, span, left)?;
                        sum.plus(factor, Sum::of(graph, b, span, left)?)
                    }
                    (Op::Multiply, SOp::Constant(Value::Int(factor)), _) => {
                        let factor = *factor;
                        Sum::default().plus(factor, Sum::of(graph, b, span, left)?)
                    }
                    (Op::Multiply, _, SOp::Constant(Value::Int(factor))) => {
                        let factor = *factor;
                        Sum::default().plus(factor, Sum::of(graph, a, span, left)?)
                    }
                    _ => None,
                }
            }
            SOp::Tokens
            | SOp::Indices
            | SOp::Constant(_)
            | SOp::Given(_)
            | SOp::Aggregate { .. }
            | SOp::WeightedMean { .. } => None,
        }
    }

    /// How many keys are selected: those that other parts of the selector select, and that fulfil what it
    /// says of keys alone.
    fn of_width(graph: &mut Graph, selector: SelectorId, span: Span) -> Sum {
        let (mut others, mut condition) = (None, None);
        let mut pending = vec![selector];
        while let Some(id) = pending.pop() {
            match *graph.get_selector(id) {
                Selector::And(a, b) => pending.extend([b, a]),
                _ if selects_all(graph, id) => {}
                Selector::Compare {
                    keys,
                    queries,
                    comparison,
                } if matches!(graph.get(queries), SOp::Constant(_)) => {
                    let holds = graph.map(Op::Compare(comparison), vec![keys, queries], span);
                    condition = Some(match condition {
                        Some(known) => graph.map(Op::And, vec![known, holds], span),
                        None => holds,
                    });
                }
                _ => {
                    others = Some(match others {
                        Some(known) => graph.selector(Selector::And(known, id), span),
                        None => id,
                    });
                }
            }
        }
        Sum {
            base: Some(others),
            terms: vec![(1, condition)],
        }
    }

    /// The sum with multiples of another; `None` if that is over other keys.
    fn plus(mut self, factor: i64, other: Sum) -> Option<Sum> {
        if self.base.is_some() && other.base.is_some() && self.base != other.base {
            return None;
        }
        self.base = self.base.or(other.base);
        for (times, condition) in other.terms {
            let times = times.checked_mul(factor)?;
            match self.terms.iter_mut().find(|(_, known)| *known == condition) {
                Some((known, _)) => *known = known.checked_add(times)?,
                None => self.terms.push((times, condition)),
            }
        }
        self.terms.retain(|(times, _)| *times != 0);
        Some(self)
    }

    /// The mean over all keys of what each counts.
    fn mean(&self, graph: &mut Graph, span: Span) -> Option<SOpId> {
        let sizes = self.terms.iter().map(|(times, _)| times.checked_abs());
        let largest = sizes.sum::<Option<i64>>()?;
        if largest > LARGEST {
            return None;
        }
        // What is added first, so that nothing has to be negated.
        let mut terms = self.terms.clone();
        terms.sort_by_key(|(times, _)| *times < 0);
        let mut value = None;
        for (times, condition) in terms {
            let size = graph.constant(Value::Int(times.abs()), span);
            let counts = match condition {
                Some(condition) => {
                    let holds = graph.map(Op::Indicator, vec![condition], span);
                    match times.abs() {
                        1 => holds,
                        _ => graph.map(Op::Multiply, vec![size, holds], span),
                    }
                }
                None => size,
            };
            value = Some(match (value, times > 0) {
                (None, true) => counts,
                (Some(known), true) => graph.map(Op::Add, vec![known, counts], span),
                (Some(known), false) => graph.map(Op::Subtract, vec![known, counts], span),
                (None, false) => {
                    let zero = graph.constant(Value::Int(0), span);
                    graph.map(Op::Subtract, vec![zero, counts], span)
                }
            });
        }
        let selector = match self.base? {
            Some(selector) => selector,
            None => {
                let one = graph.constant(Value::Int(1), span);
                graph.select(one, one, Comparison::Equal, span)
            }
        };
        let mean = SOp::Aggregate {
            selector,
            value: value?,
            default: Value::Int(0),
        };
        Some(graph.sop(mean, span))
    }
}
