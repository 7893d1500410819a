//! Tables row by row: for each value of one operand what the other's values give, rows that agree
//! together. Depends on `formula`.

use super::formula::{Operand, Point};
use crate::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A row of a dict lists at most so many values.
const WIDEST: usize = 32;

/// A table whose rows are constants or dicts.
pub struct Rows {
    /// Its text.
    pub text: String,
    /// The numbers that it gives.
    pub numbers: BTreeSet<i32>,
}

/// What the other operand's values give, and for which values of the one that is asked.
struct TableRow {
    asked: Vec<i32>,
    gives: BTreeMap<i32, Value>,
}

/// The table of some points with the fewest rows, of values that the operands may have.
pub fn rows(
    operands: &[Operand; 2],
    points: &[Point],
    domains: [&BTreeSet<i32>; 2],
) -> Option<Rows> {
    let ways = [(0, 1), (1, 0)]
        .into_iter()
        .filter(|&(_, of)| domains[of].len() <= WIDEST);
    let tables = ways.map(|(asked, of)| (asked, of, together(points, asked, of)));
    let (asked, of, mut rows) = tables.min_by_key(|(_, _, rows)| rows.len())?;
    // The row of the most values is what is left when all others have been asked for.
    rows.sort_by_key(|row| row.asked.len());
    let mut text = String::new();
    let mut numbers = BTreeSet::new();
    for (at, row) in rows.iter().rev().enumerate() {
        let given = row.text(&operands[of], domains[of]);
        let value = |value: &Value| i32::try_from(value.as_int()?).ok();
        numbers.extend(row.gives.values().filter_map(value));
        text = match at {
            0 => given,
            1 if !text.contains(" if ") => {
                format!("{given} if {} else {text}", row.question(&operands[asked]))
            }
            _ => format!(
                "{given} if {} else ({text})",
                row.question(&operands[asked])
            ),
        };
    }
    Some(Rows { text, numbers })
}

/// Rows, of which those that agree wherever both say something are one.
fn together(points: &[Point], asked: usize, of: usize) -> Vec<TableRow> {
    let mut by_value: BTreeMap<i32, BTreeMap<i32, Value>> = BTreeMap::new();
    for point in points {
        let row = by_value.entry(point.values[asked]).or_default();
        row.insert(point.values[of], point.wanted.clone());
    }
    let mut rows: Vec<TableRow> = Vec::new();
    for (value, gives) in by_value {
        let agrees = |row: &&mut TableRow| {
            gives
                .iter()
                .all(|(at, value)| row.gives.get(at).is_none_or(|known| known == value))
        };
        match rows.iter_mut().find(agrees) {
            Some(row) => {
                row.asked.push(value);
                row.gives.extend(gives);
            }
            None => rows.push(TableRow {
                asked: vec![value],
                gives,
            }),
        }
    }
    rows
}

impl TableRow {
    fn question(&self, operand: &Operand) -> String {
        match self.asked[..] {
            [value] => format!("{} == {}", operand.name, operand.atom(value).source()),
            _ => {
                let values = self.asked.iter().map(|&value| operand.atom(value).source());
                let values = values.collect::<Vec<_>>().join(", ");
                format!("{} in [{values}]", operand.name)
            }
        }
    }

    /// What it gives: a constant, or a dict of all values that may be asked for.
    fn text(&self, operand: &Operand, domain: &BTreeSet<i32>) -> String {
        let mut counts: Vec<(usize, &Value)> = Vec::new();
        for value in self.gives.values() {
            match counts.iter_mut().find(|(_, known)| *known == value) {
                Some((count, _)) => *count += 1,
                None => counts.push((1, value)),
            }
        }
        let usual = counts
            .iter()
            .max_by_key(|(count, _)| *count)
            .map(|(_, value)| *value);
        let Some(usual) = usual else {
            return "0".to_string();
        };
        if counts.len() == 1 {
            return usual.source();
        }
        let entries = domain.iter().map(|at| {
            let value = self.gives.get(at).unwrap_or(usual);
            format!("{}: {}", operand.atom(*at).source(), value.source())
        });
        let entries = entries.collect::<Vec<_>>().join(", ");
        format!("{{{entries}}}[{}]", operand.name)
    }
}
