//! What heads select, count and copy, as text. Depends on `text`.

use super::text::Writer;
use crate::learn::program::{Comparison, Head, POSITIONS, Predicate, Variable};
use std::fmt::Write;

/// Comparisons that are tried for predicates of numbers.
const ORDERS: [Comparison; 2] = [Comparison::Less, Comparison::Greater];
/// Selectors that take more than so many characters are defined apart.
const APART: usize = 60;

/// The selector that selects nothing.
const NEVER: &str = "select(1, 2, ==)";
/// That of the first position, which heads copy from that select nothing.
const FIRST_POSITION: &str = "select(indices, 0, ==)";

impl Writer<'_> {
    /// How many keys up to the query match, as a share of them: a width comes from the inverse of a
    /// weight, and heights that are made of such are not told apart in float32. Nothing if it is not the
    /// same keys that match at each query.
    pub(super) fn mean(&self, head: &Head) -> Option<String> {
        let keys = &self.names[head.keys];
        let is_one = match &head.predicate {
            Predicate::OneOf(values) => match values[..] {
                [value] => format!("{keys} == {}", self.atom(head.keys, value)),
                _ => format!("{keys} in {}", self.list(head.keys, values)),
            },
            Predicate::Constant(comparison, number) => {
                format!(
                    "{keys} {} {}",
                    sign(*comparison),
                    self.atom(head.keys, *number)
                )
            }
            Predicate::Compare(..) | Predicate::Rows(_) => return None,
        };
        let share = format!("aggregate(select(indices, indices, <=), indicator({is_one}))");
        (head.left && head.first).then(|| format!("round((indices + 1) * {share})"))
    }

    /// A selector that is read so many times, by the name of its own statement if that is easier to
    /// read; equal ones have one name.
    pub(super) fn apart(&mut self, selector: String, times: usize) -> String {
        if selector.len() * times <= APART {
            return selector;
        }
        let known = self.selectors.iter().find(|(text, _)| *text == selector);
        if let Some((_, name)) = known {
            return name.clone();
        }
        let name = self.unused("matches");
        let _ = writeln!(self.lines, "{name} = {selector};");
        self.selectors.push((selector, name.clone()));
        name
    }

    /// What a head selects.
    pub(super) fn selector(&self, head: &Head) -> String {
        let keys = &self.names[head.keys];
        let queries = &self.names[head.queries];
        let mut text = match &self.fitted(head) {
            Fitted::Compare(comparison, 0) => {
                format!("select({keys}, {queries}, {})", sign(*comparison))
            }
            Fitted::Compare(comparison, shift) => {
                let by = if *shift < 0 { "-" } else { "+" };
                let (shift, sign) = (shift.unsigned_abs(), sign(*comparison));
                format!("select({keys}, {queries} {by} {shift}, {sign})")
            }
            Fitted::Mirror(number) => format!("select({keys}, {number} - {queries}, ==)"),
            Fitted::Constant(comparison, number) => {
                let atom = self.atom(head.keys, *number);
                format!("select({keys}, {atom}, {})", sign(*comparison))
            }
            Fitted::OneOf(values) => match values[..] {
                [] => NEVER.to_string(),
                [value] => format!("select({keys}, {}, ==)", self.atom(head.keys, value)),
                _ => format!(
                    "select({keys} in {}, True, ==)",
                    self.list(head.keys, values)
                ),
            },
            Fitted::Table(rows) => {
                let rows = rows.iter().map(|(query, key)| {
                    let query = self.atom(head.queries, *query);
                    format!("{query}: {}", self.atom(head.keys, *key))
                });
                let rows = rows.collect::<Vec<_>>().join(", ");
                format!("select({keys}, {{{rows}}}[{queries}], ==)")
            }
            Fitted::Function(pairs) => {
                let pairs = pairs.iter().map(|(key, query)| {
                    let key = self.atom(head.keys, *key);
                    format!(
                        "(key == {key} and query == {})",
                        self.atom(head.queries, *query)
                    )
                });
                let pairs = pairs.collect::<Vec<_>>().join(" or ");
                format!("select({keys}, {queries}, lambda key, query: {pairs})")
            }
        };
        if head.left && !self.is_left(head) {
            text.push_str(" and select(indices, indices, <=)");
        }
        if !head.first {
            text.push_str(" and select(indices, 0, >)");
        }
        text
    }

    /// Whether a head sees no later keys as it is.
    fn is_left(&self, head: &Head) -> bool {
        let is_position = (head.keys, head.queries) == (POSITIONS, POSITIONS);
        is_position && matches!(self.fitted(head), Fitted::Compare(Comparison::Equal, ..=0))
    }

    /// The simplest predicate that says the same of the keys and queries that occur.
    fn fitted(&self, head: &Head) -> Fitted {
        let (keys, queries) = (
            &self.care.values[head.keys],
            &self.care.values[head.queries],
        );
        let rows = match &head.predicate {
            Predicate::Compare(comparison, shift) => return Fitted::Compare(*comparison, *shift),
            Predicate::Constant(comparison, number) => {
                return Fitted::Constant(*comparison, *number);
            }
            Predicate::OneOf(values) => return Fitted::OneOf(values.clone()),
            Predicate::Rows(_) => |query: i32| -> Vec<i32> {
                let matching = keys.iter().filter(|&&key| head.predicate.holds(key, query));
                matching.copied().collect()
            },
        };
        let first = queries
            .first()
            .map(|&query| rows(query))
            .unwrap_or_default();
        if queries.iter().all(|&query| rows(query) == first) {
            return Fitted::OneOf(first);
        }
        let says = |holds: &dyn Fn(i32, i32) -> bool| {
            queries.iter().all(|&query| {
                keys.iter()
                    .all(|&key| holds(key, query) == head.predicate.holds(key, query))
            })
        };
        let is_comparable = self.kinds[head.keys] == self.kinds[head.queries];
        let number = !self.kinds[head.keys] && !self.kinds[head.queries];
        let widest = if number { self.data.n() as i32 } else { 0 };
        if is_comparable {
            let mut shifts: Vec<i32> = (-widest..=widest).collect();
            shifts.sort_by_key(|shift| shift.abs());
            for shift in shifts {
                if says(&|key, query| key == query + shift) {
                    return Fitted::Compare(Comparison::Equal, shift);
                }
            }
        }
        if number && let Some(number) = (0..=2 * widest).find(|n| says(&|k, q| k == n - q)) {
            return Fitted::Mirror(number);
        }
        if number {
            for comparison in ORDERS {
                let mut shifts = -widest..=widest;
                let found = shifts.find(|&shift| {
                    let predicate = Predicate::Compare(comparison, shift);
                    says(&|key, query| predicate.holds(key, query))
                });
                if let Some(shift) = found {
                    return Fitted::Compare(comparison, shift);
                }
            }
        }
        match queries.iter().all(|&query| rows(query).len() <= 1) {
            true => {
                // A key that no position has stands for none.
                let absent = self.domains[head.keys].last().map_or(0, |last| last + 1);
                let row = |&query: &i32| (query, rows(query).first().copied().unwrap_or(absent));
                Fitted::Table(self.domains[head.queries].union(queries).map(row).collect())
            }
            false => {
                let pairs = queries.iter();
                let pairs = pairs.flat_map(|&q| rows(q).into_iter().map(move |key| (key, q)));
                Fitted::Function(pairs.collect())
            }
        }
    }

    pub(super) fn copy(&mut self, head: &Head, values: Variable) -> String {
        let one = head.keys == POSITIONS
            && match self.fitted(head) {
                Fitted::Compare(Comparison::Equal, _) | Fitted::Mirror(_) | Fitted::Table(_) => {
                    true
                }
                Fitted::OneOf(values) => values.len() <= 1,
                Fitted::Compare(..) | Fitted::Constant(..) | Fitted::Function(_) => false,
            };
        let first: Vec<i32> = self.care.first[values].iter().copied().collect();
        let times = if first.len() == 1 { 1 } else { 2 };
        let selector = self.apart(self.selector(head), times);
        let best = match (one, head.left) {
            (true, _) => selector.clone(),
            (false, true) => format!("latest({selector})"),
            (false, false) => format!("nearest({selector})"),
        };
        let from = &self.names[values];
        match first[..] {
            [only] => format!("aggregate({best}, {from}, {})", self.atom(values, only)),
            _ => {
                // The default is never taken, but has to be of the values' type.
                let any = self.care.values[values]
                    .first()
                    .copied()
                    .unwrap_or_default();
                let any = self.atom(values, any);
                let missing = format!("aggregate({FIRST_POSITION}, {from}, {any})");
                if [NEVER, FIRST_POSITION].contains(&&*selector) {
                    return missing;
                }
                format!("aggregate({best}, {from}, {any}) if has_focus({selector}) else {missing}")
            }
        }
    }
}

fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "==",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    }
}

/// A predicate as it is written.
enum Fitted {
    Compare(Comparison, i32),
    /// key == the number - query
    Mirror(i32),
    Constant(Comparison, i32),
    OneOf(Vec<i32>),
    /// One key for each query.
    Table(Vec<(i32, i32)>),
    /// Keys with queries.
    Function(Vec<(i32, i32)>),
}
