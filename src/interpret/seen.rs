//! The keys that a selector has seen, kept so that the next query pools them without looking at each
//! again: groups of equal keys, and in each group, where an order is asked for, sorted runs with
//! running sums, each about twice as long as the next (Bentley & Saxe 1980). Used by next-token
//! generation; may depend on the graph only.

use super::exact;
use crate::graph::{Graph, SOp, SOpId, ScorerFunction, ScorerId, Selector, SelectorId};
use crate::value::{Comparison, Value};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// The value of an s-op at a position.
pub type ValueAt<'a> = &'a dyn Fn(SOpId, usize) -> Value;

/// What a query pools of the keys it selects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pooled {
    /// How many are selected.
    pub count: u64,
    /// The sum of their positions: the position of the only one.
    pub positions: u64,
    /// The sum of their values, where all are ints.
    pub sum: Option<i128>,
    /// The highest score, and where it stands last.
    best: Option<(f64, usize)>,
}

impl Pooled {
    const NONE: Pooled = Pooled {
        count: 0,
        positions: 0,
        sum: Some(0),
        best: None,
    };

    fn plus(self, other: Pooled) -> Pooled {
        Pooled {
            count: self.count + other.count,
            positions: self.positions + other.positions,
            sum: self.sum.zip(other.sum).map(|(a, b)| a + b),
            best: better(self.best, other.best),
        }
    }

    /// The position of the best key.
    pub fn best(&self) -> Option<usize> {
        self.best.map(|(_, position)| position)
    }
}

fn better(a: Option<(f64, usize)>, b: Option<(f64, usize)>) -> Option<(f64, usize)> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b >= a { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// A conjunction of comparisons, with the keys that have been taken.
pub struct Seen {
    /// What must be equal: at the key, at the query.
    equal: Vec<(SOpId, SOpId)>,
    /// The s-op at the key that is compared by order.
    ordered: Option<SOpId>,
    /// How it stands to s-ops at the query.
    orders: Vec<(SOpId, Comparison)>,
    /// Whether the query's own position is no key.
    strict: bool,
    /// What is added up.
    value: Option<SOpId>,
    /// By what the best key is chosen.
    score: Option<ScorerFunction>,
    groups: FxHashMap<Vec<Value>, Group>,
    taken: usize,
}

impl Seen {
    /// Nothing seen yet of a selector whose keys are pooled by `value`; `None` if it is no
    /// conjunction of equalities and of orders on one s-op, or the best key of one.
    pub fn new(graph: &Graph, selector: SelectorId, value: Option<SOpId>) -> Option<Seen> {
        let (conjunction, scorer) =
            if let Selector::Best { selector, scorer } = graph.get_selector(selector) {
                (*selector, Some(*scorer))
            } else {
                (selector, None)
            };
        let mut seen = Seen {
            equal: Vec::new(),
            ordered: None,
            orders: Vec::new(),
            strict: false,
            value,
            score: match scorer {
                Some(scorer) => Some(of_keys(graph, scorer)?),
                None => None,
            },
            groups: FxHashMap::default(),
            taken: 0,
        };
        let mut pending = vec![conjunction];
        while let Some(part) = pending.pop() {
            match graph.get_selector(part) {
                Selector::And(a, b) => pending.extend([*a, *b]),
                Selector::Compare {
                    keys,
                    queries,
                    comparison,
                } => seen.compare(graph, (*keys, *queries), *comparison)?,
                Selector::Or(..)
                | Selector::Not(_)
                | Selector::Predicate(_)
                | Selector::Best { .. } => return None,
            }
        }
        // Sums of an interval are differences; the best of one is found only at an end of a run.
        (seen.score.is_none() || seen.orders.len() <= 1).then_some(seen)
    }

    /// The other way round: earlier queries, as if they were keys of the later key that they might
    /// select. `None` as for [`Seen::new`], and where more than one order is asked for.
    pub fn of_queries(graph: &Graph, selector: SelectorId) -> Option<Seen> {
        let candidates = if let Selector::Best { selector, .. } = graph.get_selector(selector) {
            *selector
        } else {
            selector
        };
        let mut seen = Seen::new(graph, candidates, None)?;
        for (key, query) in &mut seen.equal {
            std::mem::swap(key, query);
        }
        if let (Some(key), [(query, comparison)]) = (seen.ordered, seen.orders.as_mut_slice()) {
            seen.ordered = Some(std::mem::replace(query, key));
            *comparison = comparison.mirrored();
        }
        seen.strict = true;
        (seen.orders.len() <= 1).then_some(seen)
    }

    fn compare(
        &mut self,
        graph: &Graph,
        (keys, queries): (SOpId, SOpId),
        comparison: Comparison,
    ) -> Option<()> {
        let indices = |sop| matches!(graph.get(sop), SOp::Indices);
        match comparison {
            Comparison::Equal => self.equal.push((keys, queries)),
            Comparison::NotEqual => return None,
            // No later position is a key while tokens are generated.
            Comparison::LessEqual if indices(keys) && indices(queries) => {}
            Comparison::Less if indices(keys) && indices(queries) => self.strict = true,
            _ if self.ordered.is_none_or(|ordered| ordered == keys) => {
                self.ordered = Some(keys);
                self.orders.push((queries, comparison));
            }
            Comparison::Less
            | Comparison::LessEqual
            | Comparison::Greater
            | Comparison::GreaterEqual => return None,
        }
        Some(())
    }

    /// What the query at the last position pools. O(1) for equalities alone, otherwise O(log² n);
    /// O(log n) more for each key that is new, on average.
    ///
    /// `None` where values do not compare, are scored by what is no number that a float holds, or
    /// would have to be looked at one by one.
    pub fn pool(&mut self, held: ValueAt<'_>, position: usize) -> Option<Pooled> {
        let end = position + usize::from(!self.strict);
        while self.taken < end {
            self.take(held)?;
        }
        let wanted = self.equal.iter().map(|(_, sop)| held(*sop, position));
        let wanted: Vec<Value> = wanted.map(|value| value.canonical()).collect();
        let Some(group) = self.groups.get(&wanted) else {
            return Some(Pooled::NONE);
        };
        let orders = self.orders.iter();
        let orders: Vec<(Value, Comparison)> = orders
            .map(|(sop, comparison)| (held(*sop, position), *comparison))
            .collect();
        group.pool(&orders)
    }

    fn take(&mut self, held: ValueAt<'_>) -> Option<()> {
        let position = self.taken;
        self.taken += 1;
        let keys: Vec<Value> = self
            .equal
            .iter()
            .map(|(sop, _)| held(*sop, position))
            .collect();
        if keys.iter().any(Value::is_nan) {
            return Some(());
        }
        let mut pooled = Pooled {
            count: 1,
            positions: position as u64,
            ..Pooled::NONE
        };
        if let Some(value) = self.value {
            pooled.sum = if let Value::Int(int) = held(value, position) {
                Some(i128::from(int))
            } else {
                None
            };
        }
        if let Some(score) = &self.score {
            let values: Vec<Value> = score.keys.iter().map(|sop| held(*sop, position)).collect();
            let found = score.apply(&values.iter().collect::<Vec<_>>(), &[]).ok()?;
            pooled.best = Some((exact::float(&found)?, position));
        }
        let keys = keys.iter().map(Value::canonical).collect();
        let group = self.groups.entry(keys).or_default();
        match self.ordered.map(|sop| held(sop, position)) {
            None => group.all = group.all.plus(pooled),
            Some(key) if key.is_nan() => {}
            Some(key) => group.insert(key, pooled)?,
        }
        Some(())
    }
}

/// A score that does not depend on the query.
fn of_keys(graph: &Graph, scorer: ScorerId) -> Option<ScorerFunction> {
    let function = ScorerFunction::new(graph, scorer);
    function.queries.is_empty().then_some(function)
}

/// Keys that are equal in all that must be equal.
struct Group {
    /// All of them together, where no order is asked for.
    all: Pooled,
    /// The longest first.
    runs: Vec<Run>,
}

impl Default for Group {
    fn default() -> Group {
        Group {
            all: Pooled::NONE,
            runs: Vec::new(),
        }
    }
}

impl Group {
    fn insert(&mut self, key: Value, pooled: Pooled) -> Option<()> {
        let mut run = vec![(key, pooled)];
        while let Some(last) = self.runs.pop_if(|last| last.keys.len() <= run.len()) {
            run = merged(last.keys, run)?;
        }
        self.runs.push(Run::new(run));
        Some(())
    }

    fn pool(&self, orders: &[(Value, Comparison)]) -> Option<Pooled> {
        let mut pooled = self.all;
        for run in &self.runs {
            pooled = pooled.plus(run.pool(orders)?);
        }
        Some(pooled)
    }
}

/// Keys in ascending order, with what all up to each of them pool.
struct Run {
    keys: Vec<(Value, Pooled)>,
    before: Vec<Pooled>,
    /// The best from each on.
    after: Vec<Option<(f64, usize)>>,
}

impl Run {
    fn new(keys: Vec<(Value, Pooled)>) -> Run {
        let mut before = vec![Pooled::NONE];
        let mut sum = Pooled::NONE;
        for (_, pooled) in &keys {
            sum = sum.plus(*pooled);
            before.push(sum);
        }
        let mut after = vec![None];
        for (_, pooled) in keys.iter().rev() {
            after.push(better(after.last().copied().flatten(), pooled.best));
        }
        after.reverse();
        Run {
            keys,
            before,
            after,
        }
    }

    /// What the keys that fulfil all orders pool.
    fn pool(&self, orders: &[(Value, Comparison)]) -> Option<Pooled> {
        let (mut from, mut to) = (0, self.keys.len());
        for (query, comparison) in orders {
            if query.is_nan() {
                return Some(Pooled::NONE);
            }
            // All keys of a run compare with each other: one tells whether they do with the query.
            self.keys.first().and_then(|(key, _)| key.order(query))?;
            let holds = |key: &Value| key.order(query).is_some_and(|it| comparison.holds_for(it));
            match comparison {
                Comparison::Less | Comparison::LessEqual => {
                    to = to.min(self.keys.partition_point(|(key, _)| holds(key)));
                }
                Comparison::Equal
                | Comparison::NotEqual
                | Comparison::Greater
                | Comparison::GreaterEqual => {
                    from = from.max(self.keys.partition_point(|(key, _)| !holds(key)))
                }
            }
        }
        if from >= to {
            return Some(Pooled::NONE);
        }
        let (low, high) = (self.before[from], self.before[to]);
        Some(Pooled {
            count: high.count - low.count,
            positions: high.positions - low.positions,
            sum: high.sum.zip(low.sum).map(|(high, low)| high - low),
            best: if from == 0 {
                high.best
            } else {
                self.after[from]
            },
        })
    }
}

/// Two runs as one; `None` if their keys do not compare.
fn merged(a: Vec<(Value, Pooled)>, b: Vec<(Value, Pooled)>) -> Option<Vec<(Value, Pooled)>> {
    if let (Some((first, _)), Some((other, _))) = (a.first(), b.first()) {
        first.order(other)?;
    }
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.into_iter().peekable(), b.into_iter().peekable());
    while let (Some((first, _)), Some((other, _))) = (a.peek(), b.peek()) {
        let from = match first.order(other) {
            Some(Ordering::Greater) => &mut b,
            _ => &mut a,
        };
        all.extend(from.next());
    }
    all.extend(a);
    all.extend(b);
    Some(all)
}
