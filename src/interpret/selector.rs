//! Selectors on one input, still symbolic: each comparison holds its key and query columns as
//! integer codes, and a row is worked out only when somebody asks. Queries whose codes agree have
//! the same row, so a reader asks once for each group of them. Faster ways to answer for special
//! shapes of selectors belong here.

use super::column::{Column, Fault};
use crate::base::Code;
use crate::graph::{Graph, SOpId, Selector, SelectorId};
use crate::value::{Comparison, SequenceType, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A selector on an input of known length.
pub struct Pattern {
    length: usize,
    leaves: Vec<Leaf>,
    /// Each distinct subselector once, operands before the steps that use them; the last step is
    /// the selector itself.
    steps: Vec<Step>,
}

/// A subselector; operands are named by the numbers of their steps.
#[derive(Clone, Copy)]
enum Step {
    Leaf(usize),
    And(usize, usize),
    Or(usize, usize),
    Not(usize),
}

/// One comparison of a key column with a query column.
struct Leaf {
    comparison: Comparison,
    keys: Codes,
    queries: Codes,
}

/// A column as integers: two codes compare like the values they stand for.
enum Codes {
    Constant(i64),
    List(Vec<i64>),
}

/// The code of NaN, which equals nothing and is in no order.
const NAN: i64 = i64::MIN;

impl Codes {
    fn get(&self, position: usize) -> i64 {
        match self {
            Codes::Constant(code) => *code,
            Codes::List(codes) => codes[position],
        }
    }
}

impl Leaf {
    fn holds(&self, key: i64, query: i64) -> bool {
        if key == NAN || query == NAN {
            return self.comparison == Comparison::NotEqual;
        }
        self.comparison.holds_for(key.cmp(&query))
    }
}

impl Pattern {
    /// The selector with its columns fetched and coded.
    ///
    /// # Errors
    /// A fault in a key or query, or an order between numbers and strings.
    pub fn new(
        graph: &Graph,
        selector: SelectorId,
        length: usize,
        column: &dyn Fn(SOpId) -> Rc<Column>,
    ) -> Result<Pattern, Rc<Fault>> {
        let mut pattern = Pattern {
            length,
            leaves: Vec::new(),
            steps: Vec::new(),
        };
        let mut done: FxHashMap<SelectorId, usize> = FxHashMap::default();
        let mut pending = vec![selector];
        while let Some(id) = pending.last().copied() {
            if done.contains_key(&id) {
                pending.pop();
                continue;
            }
            let step = match graph.get_selector(id) {
                Selector::Compare {
                    keys,
                    queries,
                    comparison,
                } => {
                    pattern.leaves.push(leaf(
                        *keys,
                        &column(*keys),
                        &column(*queries),
                        *comparison,
                    )?);
                    Some(Step::Leaf(pattern.leaves.len() - 1))
                }
                Selector::And(a, b) => both(&done, &mut pending, *a, *b, Step::And),
                Selector::Or(a, b) => both(&done, &mut pending, *a, *b, Step::Or),
                Selector::Not(a) => both(&done, &mut pending, *a, *a, |a, _| Step::Not(a)),
            };
            if let Some(step) = step {
                pattern.steps.push(step);
                done.insert(id, pattern.steps.len() - 1);
                pending.pop();
            }
        }
        Ok(pattern)
    }

    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether the query selects the key.
    pub fn selects(&self, key: usize, query: usize) -> bool {
        let mut values: Vec<bool> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            values.push(match step {
                Step::Leaf(leaf) => {
                    let leaf = &self.leaves[*leaf];
                    leaf.holds(leaf.keys.get(key), leaf.queries.get(query))
                }
                Step::And(a, b) => values[*a] && values[*b],
                Step::Or(a, b) => values[*a] || values[*b],
                Step::Not(a) => !values[*a],
            });
        }
        values.last().copied().unwrap_or(false)
    }

    /// Computes something from the selected keys (ascending) of each query, once for each group of
    /// queries that select the same keys.
    pub fn for_each_row<T: Clone>(&self, mut compute: impl FnMut(&[usize]) -> T) -> Vec<T> {
        let mut groups: FxHashMap<Vec<i64>, T> = FxHashMap::default();
        let mut results = Vec::with_capacity(self.length);
        let mut row = Row::new(self);
        for query in 0..self.length {
            let codes: Vec<i64> = self
                .leaves
                .iter()
                .map(|leaf| leaf.queries.get(query))
                .collect();
            let result = match groups.get(&codes) {
                Some(result) => result.clone(),
                None => {
                    let result = compute(row.selected(self, &codes));
                    groups.insert(codes, result.clone());
                    result
                }
            };
            results.push(result);
        }
        results
    }
}

/// The step on two operands, or `None` after asking for those that are not done yet.
fn both(
    done: &FxHashMap<SelectorId, usize>,
    pending: &mut Vec<SelectorId>,
    a: SelectorId,
    b: SelectorId,
    step: impl Fn(usize, usize) -> Step,
) -> Option<Step> {
    match (done.get(&a), done.get(&b)) {
        (Some(a), Some(b)) => Some(step(*a, *b)),
        _ => {
            pending.extend([b, a]);
            None
        }
    }
}

/// Works out rows one after the other, 64 keys at a time, in memory that is used again.
struct Row {
    /// The bits of each step.
    steps: Vec<Vec<u64>>,
    keys: Vec<usize>,
}

impl Row {
    fn new(pattern: &Pattern) -> Row {
        let words = pattern.length.div_ceil(64);
        Row {
            steps: vec![vec![0; words]; pattern.steps.len()],
            keys: Vec::new(),
        }
    }

    fn selected(&mut self, pattern: &Pattern, codes: &[i64]) -> &[usize] {
        for (index, step) in pattern.steps.iter().enumerate() {
            let (done, rest) = self.steps.split_at_mut(index);
            let bits = &mut rest[0];
            let combine = |bits: &mut Vec<u64>, a: usize, b: usize, op: fn(u64, u64) -> u64| {
                let operands = done[a].iter().zip(&done[b]);
                bits.iter_mut()
                    .zip(operands)
                    .for_each(|(bits, (a, b))| *bits = op(*a, *b));
            };
            match step {
                Step::Leaf(leaf) => {
                    fill(bits, &pattern.leaves[*leaf], codes[*leaf], pattern.length)
                }
                Step::And(a, b) => combine(bits, *a, *b, |a, b| a & b),
                Step::Or(a, b) => combine(bits, *a, *b, |a, b| a | b),
                Step::Not(a) => combine(bits, *a, *a, |a, _| !a),
            }
        }
        self.collect(pattern.length);
        &self.keys
    }

    fn collect(&mut self, length: usize) {
        self.keys.clear();
        for (index, word) in self.steps.last().into_iter().flatten().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                let key = index * 64 + rest.trailing_zeros() as usize;
                if key >= length {
                    return;
                }
                self.keys.push(key);
                rest &= rest - 1;
            }
        }
    }
}

fn fill(words: &mut [u64], leaf: &Leaf, query: i64, length: usize) {
    match &leaf.keys {
        Codes::Constant(key) => {
            words.fill(if leaf.holds(*key, query) { u64::MAX } else { 0 });
        }
        Codes::List(keys) => {
            for (word, keys) in words.iter_mut().zip(keys[..length].chunks(64)) {
                *word = keys.iter().enumerate().fold(0, |bits, (bit, key)| {
                    bits | u64::from(leaf.holds(*key, query)) << bit
                });
            }
        }
    }
}

fn leaf(
    sop: SOpId,
    keys: &Column,
    queries: &Column,
    comparison: Comparison,
) -> Result<Leaf, Rc<Fault>> {
    if let Some(fault) = keys.first_fault().or(queries.first_fault()) {
        return Err(fault.clone());
    }
    let text = |column: &Column| column.sequence_type() == SequenceType::Strings;
    let ordered = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
    if ordered && text(keys) != text(queries) {
        let message = format!(
            "`{}` does not work on {} as keys and {} as queries",
            comparison.symbol(),
            keys.sequence_type().name(),
            queries.sequence_type().name()
        );
        let fault = Fault {
            code: Code::OperandTypes,
            message,
            sop,
            position: None,
            beyond: None,
        };
        return Err(Rc::new(fault));
    }
    let (keys, queries) = code(keys, queries);
    Ok(Leaf {
        comparison,
        keys,
        queries,
    })
}

/// Codes for both columns of a comparison.
fn code(keys: &Column, queries: &Column) -> (Codes, Codes) {
    let whole = |column: &Column| {
        distinct_positions(column)
            .all(|position| column.get(position).as_int().is_some_and(|int| int != NAN))
    };
    if whole(keys) && whole(queries) {
        let plain = |column: &Column| coded(column, |value| value.as_int().unwrap_or(NAN));
        return (plain(keys), plain(queries));
    }
    let mut values: Vec<&Value> = [keys, queries]
        .into_iter()
        .flat_map(|column| distinct_positions(column).map(|position| column.get(position)))
        .filter(|value| !value.is_nan())
        .collect();
    values.sort_unstable_by(|a, b| a.canonical_order(b));
    values.dedup_by(|a, b| a.equals(b));
    let rank = |value: &Value| {
        let order = |other: &&Value| {
            if other.equals(value) {
                std::cmp::Ordering::Equal
            } else {
                other.canonical_order(value)
            }
        };
        values
            .binary_search_by(order)
            .map_or(NAN, |rank| rank as i64)
    };
    (coded(keys, rank), coded(queries, rank))
}

fn distinct_positions(column: &Column) -> std::ops::Range<usize> {
    if column.as_constant().is_some() {
        0..1
    } else {
        0..column.len()
    }
}

fn coded(column: &Column, code: impl Fn(&Value) -> i64) -> Codes {
    match column.as_constant() {
        Some(value) => Codes::Constant(code(value)),
        None => Codes::List((0..column.len()).map(|at| code(column.get(at))).collect()),
    }
}
