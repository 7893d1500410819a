//! Whether any earlier key is selected, or any later one, asked of the earliest such key, or the latest: "an `a`
//! before me" is that the first `a` of all is before me. A head that finds that key takes its index for a score,
//! where one that attends to all keys before its query has a direction for each position. Its pattern is another,
//! so that this is for models whose patterns are nobody's. Depends on `shape`.

use super::build::Graph;
use super::node::{SOp, SOpId, Scorer, Selector, SelectorId};
use super::shape::{aggregate, binary, conjunction, leaves, selects_all, share, with_constant};
use crate::base::Span;
use crate::value::{Comparison, Op, TypeSet, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// No index, nor one moved, is as large: it stands for a key that is not there.
const FAR: i64 = 1 << 16;

/// Longer inputs, and indices that are moved further, are left as they are.
const LARGEST: i64 = 1 << 12;

/// As many such questions of a program are looked at.
const MOST: usize = 32;

/// A conjunction of more parts is left as it is.
const MOST_PARTS: usize = 8;

/// Whether any key is selected that is before, or after, an index of the query.
struct Asked {
    /// What is selected wherever it is: all of these.
    base: Vec<SelectorId>,
    /// What holds at the keys, too.
    condition: Option<SOpId>,
    /// How the key's index compares with the query's.
    comparison: Comparison,
    /// How far the query's is moved.
    moved: i64,
    /// What is the case if there is one, and if there is none.
    answers: [Value; 2],
}

impl Graph {
    /// The same graph, and more, in which the roots ask for the earliest or the latest key wherever they ask
    /// whether there is one before, or after, their own; with what stands for the roots. `None` where they
    /// never do, or for longer inputs than 4,096 tokens.
    pub fn by_earliest(&self, roots: &[SOpId], max_length: usize) -> Option<(Graph, Vec<SOpId>)> {
        if max_length as i64 > LARGEST {
            return None;
        }
        let mut found: Option<(Graph, Vec<SOpId>)> = None;
        for _ in 0..MOST {
            let (graph, roots) = match &found {
                Some((graph, roots)) => (graph, &**roots),
                None => (self, roots),
            };
            let reachable = graph.reachable(roots).into_iter();
            let mut asked = reachable.filter_map(|id| Some((id, graph.asked(id)?)));
            let Some((id, asked)) = asked.next() else {
                break;
            };
            let mut next = graph.clone();
            let Some(answer) = next.answered(&asked, graph.span(id)) else {
                break;
            };
            if let Some(name) = graph.name(id) {
                next.set_name(answer, &Arc::from(name), true);
            }
            if let Some(encoding) = graph.encoding(id) {
                next.set_encoding(answer, encoding);
            }
            let known = FxHashMap::from_iter([(id, answer)]);
            let roots = graph.copy(&mut next, roots, known);
            found = Some((next, roots));
        }
        found
    }

    /// What an s-op asks, if it has one value where a key is selected and another where none is.
    fn asked(&self, id: SOpId) -> Option<Asked> {
        let (selector, condition, answers) = self.whether_any(id)?;
        let mut parts = self.parts(selector)?;
        let ordered = parts.iter().position(|part| self.order(*part).is_some())?;
        let (comparison, moved) = self.order(parts.remove(ordered))?;
        let is_one = parts
            .iter()
            .all(|part| self.order(*part).is_none() && !selects_all(self, *part));
        (is_one && !(parts.is_empty() && condition.is_none())).then_some(Asked {
            base: parts,
            condition,
            comparison,
            moved,
            answers,
        })
    }

    /// The values of an s-op where a selector selects keys, of which a condition holds at one, and where it does
    /// not, if that is all it depends on.
    fn whether_any(&self, id: SOpId) -> Option<(SelectorId, Option<SOpId>, [Value; 2])> {
        if let Some((selector, answers)) = self.constants(id) {
            // Several numbers have a mean, which is a float.
            let is_number = answers[0].is_number();
            return (!is_number).then_some((selector, None, answers));
        }
        let SOp::Map {
            op: Op::Compare(comparison),
            operands,
        } = self.get(id)
        else {
            return None;
        };
        let compared = (operands[0], operands[1]);
        let (id, comparison, constant) = with_constant(self, *comparison, compared)?;
        let SOp::Constant(constant) = self.get(constant) else {
            return None;
        };
        let is_zero = matches!(constant, Value::Int(0));
        let is_one = matches!(constant, Value::Int(1));
        let at_one = matches!(comparison, Comparison::Less | Comparison::GreaterEqual);
        let numbers = [1, 0].map(Value::Int);
        // 0 where there are none.
        let share = share(self, id).filter(|(_, condition, default)| {
            let is_bool = self.types(*condition) == TypeSet::BOOL;
            is_zero && is_bool && matches!(default, Value::Int(0))
        });
        // 1 stands for all larger counts, and for all shares.
        let (selector, condition, numbers) = if let SOp::Width { selector } = self.get(id) {
            (is_zero || is_one && at_one).then_some((*selector, None, numbers))?
        } else if let Some((selector, condition, _)) = share {
            (selector, Some(condition), numbers)
        } else {
            let (selector, numbers) = self.constants(id)?;
            (selector, None, numbers)
        };
        let compare = Op::Compare(comparison);
        let [there, not_there] = numbers.map(|number| compare.apply(&[&number, constant]));
        Some((selector, condition, [there.ok()?, not_there.ok()?]))
    }

    /// The constant that an aggregate moves, and its default.
    fn constants(&self, id: SOpId) -> Option<(SelectorId, [Value; 2])> {
        let (selector, value, default) = aggregate(self, id)?;
        let SOp::Constant(value) = self.get(value) else {
            return None;
        };
        Some((selector, [value.clone(), default.clone()]))
    }

    /// The selectors whose conjunction a selector is.
    fn parts(&self, selector: SelectorId) -> Option<Vec<SelectorId>> {
        leaves(selector, MOST_PARTS, |part| conjunction(self, part))
    }

    /// How a selector compares the key's index with the query's, and how far the latter is moved, if that is
    /// all that it does.
    fn order(&self, selector: SelectorId) -> Option<(Comparison, i64)> {
        let Selector::Compare {
            keys,
            queries,
            comparison,
        } = self.get_selector(selector)
        else {
            return None;
        };
        if let Comparison::Equal | Comparison::NotEqual = comparison {
            return None;
        }
        let moved = self.moved(*queries)? - self.moved(*keys)?;
        Some((*comparison, moved))
    }

    /// How far an s-op is an index moved.
    fn moved(&self, id: SOpId) -> Option<i64> {
        let constant = |id: SOpId| {
            let SOp::Constant(Value::Int(places)) = self.get(id) else {
                return None;
            };
            (places.saturating_abs() < LARGEST).then_some(*places)
        };
        let is_index = |id: SOpId| matches!(self.get(id), SOp::Indices);
        if is_index(id) {
            return Some(0);
        }
        if let Some((index, places)) = binary(self, id, &Op::Subtract) {
            return constant(places)
                .filter(|_| is_index(index))
                .map(|places| -places);
        }
        let (a, b) = binary(self, id, &Op::Add)?;
        match (is_index(a), is_index(b)) {
            (true, false) => constant(b),
            (false, true) => constant(a),
            (true, true) | (false, false) => None,
        }
    }

    /// The same, asked of the earliest or the latest key; `None` if nothing is said of keys.
    fn answered(&mut self, asked: &Asked, span: Span) -> Option<SOpId> {
        let is_earliest = matches!(asked.comparison, Comparison::Less | Comparison::LessEqual);
        let indices = self.sop(SOp::Indices, span);
        let mut scorer = self.scorer(Scorer::Key(indices), span);
        if is_earliest {
            let op = Op::Negate;
            let operands = vec![scorer];
            scorer = self.scorer(Scorer::Map { op, operands }, span);
        }
        let mut parts = asked.base.clone();
        if let Some(condition) = asked.condition {
            let holds = self.constant(Value::Bool(true), span);
            parts.push(self.select(condition, holds, Comparison::Equal, span));
        }
        let mut parts = parts.into_iter();
        let first = parts.next()?;
        let both = |graph: &mut Graph, (a, b)| graph.selector(Selector::And(a, b), span);
        let base = parts.fold(first, |base, part| both(self, (base, part)));
        let best = Selector::Best {
            selector: base,
            scorer,
        };
        let found = SOp::Aggregate {
            selector: self.selector(best, span),
            value: indices,
            default: Value::Int(if is_earliest { FAR } else { -FAR }),
        };
        let found = self.sop(found, span);
        let places = self.constant(Value::Int(asked.moved.abs()), span);
        let own = match asked.moved {
            0 => indices,
            1.. => self.map(Op::Add, vec![indices, places], span),
            _ => self.map(Op::Subtract, vec![indices, places], span),
        };
        let is_there = self.map(Op::Compare(asked.comparison), vec![found, own], span);
        let [there, not_there] = asked.answers.clone();
        if let (Value::Bool(true), Value::Bool(false)) = (&there, &not_there) {
            return Some(is_there);
        }
        let [there, not_there] = [there, not_there].map(|answer| self.constant(answer, span));
        Some(self.map(Op::If, vec![is_there, there, not_there], span))
    }
}
