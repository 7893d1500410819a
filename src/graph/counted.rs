//! Sums of counts over the same keys: how many keys hold "a", less how many hold "b", is the sum over all
//! keys of 1, -1 or 0, and compares with 0 as their mean does. One head takes that mean, where each count
//! takes one of its own; and a count divided by how many keys there are is such a mean itself. Depends on
//! `shape`.

use super::build::Graph;
use super::node::{SOp, SOpId, Selector, SelectorId};
use super::shape::{binary, is_constant, selects_all};
use crate::base::Span;
use crate::value::{Comparison, Op, TypeSet, Value};
use std::borrow::Cow;

/// S-ops that are looked at for one sum, each as often as it is read.
const MOST: usize = 32;

/// How large factors may be together: means of larger numbers might be equal floats where they differ.
const LARGEST: i64 = 1 << 20;

/// How a sum of counts is computed from one mean, and the counts that it needs otherwise.
#[derive(Clone, Debug)]
pub struct Total {
    /// The mean times how many keys there are, rounded.
    pub sop: SOp,
    /// The mean.
    pub mean: SOpId,
    /// The counts.
    pub widths: Vec<SOpId>,
}

/// A sum of counts.
#[derive(Clone, Debug, Default)]
struct Sum {
    /// What selects the keys, `None` for all of them; nothing is known where nothing is counted.
    base: Option<Option<SelectorId>>,
    /// How often those count that fulfil a condition, `None` for every one.
    terms: Vec<(i64, Option<SOpId>)>,
    /// The counts.
    widths: Vec<SOpId>,
}

impl Graph {
    /// How a sum of counts is computed from one mean.
    pub fn total(&self, id: SOpId) -> Option<&Total> {
        self.totals.get(&id)
    }

    /// The same graph, in which sums of counts that the roots need anyway are compared as they are written:
    /// a mean of differences would be one head more.
    pub fn settled(&self, roots: &[SOpId]) -> Cow<'_, Graph> {
        let needed = self.reachable(roots);
        let is_needed = |id: &SOpId| needed.binary_search(id).is_ok();
        let anyway = needed.iter().filter_map(|id| {
            let written = self.written.get(id)?;
            let SOp::Map { operands, .. } = written else {
                return None;
            };
            operands.iter().all(is_needed).then_some((*id, written))
        });
        let anyway: Vec<(SOpId, &SOp)> = anyway.collect();
        if anyway.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut settled = self.clone();
        for (id, written) in anyway {
            settled.sops[id.0 as usize] = written.clone();
        }
        Cow::Owned(settled)
    }
}

/// A comparison of two sums of counts over the same keys as one of the mean of differences with 0.
pub(super) fn compared(
    graph: &mut Graph,
    comparison: Comparison,
    (left, right): (SOpId, SOpId),
    span: Span,
) -> Option<SOp> {
    let mut sum = |id| Sum::of(graph, id, span);
    let difference = sum(left)?.plus(-1, sum(right)?)?;
    if difference.terms.len() < 2 {
        return None;
    }
    let as_written = SOp::Map {
        op: Op::Compare(comparison),
        operands: vec![left, right],
    };
    let (sign, mean) = difference.mean(graph, span)?;
    let comparison = match sign < 0 {
        true => comparison.mirrored(),
        false => comparison,
    };
    let zero = graph.constant(Value::Int(0), span);
    let of_mean = |comparison, operands| SOp::Map {
        op: Op::Compare(comparison),
        operands,
    };
    // The mean may have been compared before there were counts, of which that cannot be written: then it is
    // compared the other way round.
    let ways = [
        of_mean(comparison, vec![mean, zero]),
        of_mean(comparison.mirrored(), vec![zero, mean]),
    ];
    for way in &ways {
        let compared = graph.sop(way.clone(), span);
        if left < compared && right < compared {
            graph.written.entry(compared).or_insert(as_written);
            // Not as the graph has it: where that is settled, it has it as it is written.
            return Some(way.clone());
        }
    }
    let [first, _] = ways;
    Some(first)
}

/// `a / b`, where `b` is how many keys there are and `a` a sum of counts over these, as a mean; as a float,
/// which a mean of one key need not be.
pub(super) fn share(graph: &mut Graph, (above, below): (SOpId, SOpId), span: Span) -> Option<SOp> {
    let counted = Sum::of(graph, above, span)?;
    let base = counted.base?;
    let whole = Sum::of(graph, below, span);
    let is_whole =
        whole.is_some_and(|whole| whole.base == Some(base) && matches!(*whole.terms, [(1, None)]));
    let selects_some = base.is_none_or(|base| selects_itself(graph, base, None));
    let is_number = binary(graph, below, &Op::Add).is_some_and(|(indices, one)| {
        matches!(graph.get(indices), SOp::Indices) && is_constant(graph, one, 1)
    });
    let up_to_here = base.is_some_and(|base| selects_up_to_here(graph, base));
    if counted.terms.is_empty() || !(is_whole && selects_some || is_number && up_to_here) {
        return None;
    }
    let (sign, mean) = counted.mean(graph, span)?;
    // Neither gives a zero with a sign.
    let (number, op) = match sign < 0 {
        true => (0.0, Op::Subtract),
        false => (1.0, Op::Multiply),
    };
    let number = graph.constant(Value::Float(number), span);
    Some(SOp::Map {
        op,
        operands: vec![number, mean],
    })
}

/// The sum of counts over all keys, or over those up to here, that a sum or difference is.
pub(super) fn total(graph: &mut Graph, sop: &SOp, span: Span) -> Option<Total> {
    let SOp::Map { op, operands } = sop else {
        return None;
    };
    let factor = sign(op)?;
    let [a, b] = **operands else {
        return None;
    };
    let sum = Sum::of(graph, a, span)?;
    let sum = sum.plus(factor, Sum::of(graph, b, span)?)?;
    if sum.terms.len() < 2 {
        return None;
    }
    sum.total(graph, span)
}

/// The same of a single count of keys that fulfil a condition, whatever the query holds.
pub(super) fn count(graph: &mut Graph, width: SOpId, span: Span) -> Option<Total> {
    let sum = Sum::of(graph, width, span)?;
    match *sum.terms {
        [(1, Some(_))] => sum.total(graph, span),
        _ => None,
    }
}

/// How often the second of what is added or subtracted counts.
fn sign(op: &Op) -> Option<i64> {
    match *op == Op::Add {
        true => Some(1),
        false => (*op == Op::Subtract).then_some(-1),
    }
}

/// `select(1, 1, ==)`
fn all_keys(graph: &mut Graph, span: Span) -> SelectorId {
    let one = graph.constant(Value::Int(1), span);
    graph.select(one, one, Comparison::Equal, span)
}

/// `select(indices, indices, <=)`
fn selects_up_to_here(graph: &mut Graph, id: SelectorId) -> bool {
    let indices = graph.sop(SOp::Indices, Span::BUILT_IN);
    selects_itself(graph, id, Some((indices, Comparison::LessEqual)))
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
    fn of(graph: &mut Graph, id: SOpId, span: Span) -> Option<Sum> {
        let mut left = MOST;
        Sum::within(graph, id, span, &mut left)
    }

    /// The same, of no more than some s-ops.
    fn within(graph: &mut Graph, id: SOpId, span: Span, left: &mut usize) -> Option<Sum> {
        *left = left.checked_sub(1)?;
        if let SOp::Width { selector } = *graph.get(id) {
            let mut sum = Sum::of_width(graph, selector, span);
            sum.widths.push(id);
            return Some(sum);
        }
        if is_constant(graph, id, 0) {
            return Some(Sum::default());
        }
        let SOp::Map { op, operands } = graph.get(id).clone() else {
            return None;
        };
        let [a, b] = *operands else {
            return None;
        };
        if op == Op::Multiply {
            let factor = |id| {
                if let SOp::Constant(value) = graph.get(id) {
                    value.as_int()
                } else {
                    None
                }
            };
            let (factor, other) = match factor(a) {
                Some(factor) => (factor, b),
                None => (factor(b)?, a),
            };
            return Sum::default().plus(factor, Sum::within(graph, other, span, left)?);
        }
        let factor = sign(&op)?;
        let sum = Sum::within(graph, a, span, left)?;
        sum.plus(factor, Sum::within(graph, b, span, left)?)
    }

    /// As a mean over all keys, or over those up to here.
    fn total(self, graph: &mut Graph, span: Span) -> Option<Total> {
        let one = graph.constant(Value::Int(1), span);
        let count = match self.base? {
            None => {
                let selector = all_keys(graph, span);
                graph.sop(SOp::Width { selector }, span)
            }
            Some(base) if selects_up_to_here(graph, base) => {
                let indices = graph.sop(SOp::Indices, span);
                graph.map(Op::Add, vec![indices, one], span)
            }
            Some(_) => return None,
        };
        let (sign, mean) = self.mean(graph, span)?;
        let product = graph.map(Op::Multiply, vec![count, mean], span);
        // Of a single count it would be recognised as that, if it were put into the graph.
        let rounded = SOp::Map {
            op: Op::Round,
            operands: vec![product],
        };
        let sop = match sign < 0 {
            // So that `b - a` is known to be what `a - b` is, negated.
            true => SOp::Map {
                op: Op::Negate,
                operands: vec![graph.sop(rounded, span)],
            },
            false => rounded,
        };
        Some(Total {
            sop,
            mean,
            widths: self.widths,
        })
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
                Selector::Compare { .. }
                | Selector::Or(..)
                | Selector::Not(_)
                | Selector::Predicate(_)
                | Selector::Best { .. } => {
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
            widths: Vec::new(),
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
        self.widths.extend(other.widths);
        Some(self)
    }

    /// The mean over all keys of what each counts, up to the sign that comes first: the same for a sum and
    /// its negation.
    fn mean(&self, graph: &mut Graph, span: Span) -> Option<(i64, SOpId)> {
        let sizes = self.terms.iter().map(|(times, _)| times.checked_abs());
        let largest = sizes.sum::<Option<i64>>()?;
        if largest > LARGEST {
            return None;
        }
        let mut terms = self.terms.clone();
        terms.sort_by_key(|(_, condition)| *condition);
        let sign = terms.first()?.0.signum();
        // What is added first, so that nothing has to be negated.
        terms.sort_by_key(|(times, _)| times * sign < 0);
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
            let op = if times * sign > 0 {
                Op::Add
            } else {
                Op::Subtract
            };
            value = Some(match value {
                None => counts,
                Some(known) => graph.map(op, vec![known, counts], span),
            });
        }
        let selector = self.base?.unwrap_or_else(|| all_keys(graph, span));
        let mean = SOp::Aggregate {
            selector,
            value: value?,
            default: Value::Int(0),
        };
        Some((sign, graph.sop(mean, span)))
    }
}
