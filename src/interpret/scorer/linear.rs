//! Scorers that are functions of one whole number, a sum of something at the key and something at
//! the query: `k - q`, `k + 2 * q`, and what is made of such a sum alone, like `exp((k - q) / 4)` or
//! `(k + q) % 3 == 0`. The sum is found in the scorer's parts; `pieces` finds where the function
//! rises and falls. Depends on `column`, `elementwise` and the graph.

use crate::graph::{Scorer, ScorerId};
use crate::interpret::column::elementwise;
use crate::interpret::column::segments::Columns;
use crate::interpret::column::{Column, Values};
use crate::interpret::deeper;
use crate::value::{Op, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Sums beyond this are left to others, so that nothing overflows.
const LARGEST: i128 = 1 << 61;

/// A sum of ints: of the key, of the query, and a constant.
#[derive(Clone, Default)]
struct Sum {
    keys: Option<Arc<Column>>,
    queries: Option<Arc<Column>>,
    constant: i64,
}

/// A part of the function.
pub enum LinearPart {
    /// `± d + constant`, of the one number d.
    Number {
        negative: bool,
        constant: i64,
    },
    Constant(Value),
    Map {
        op: Op,
        operands: Vec<usize>,
    },
}

/// A scorer as a function of `keys[key] + queries[query]`.
pub struct Linear {
    pub keys: Arc<Column>,
    pub queries: Arc<Column>,
    /// The least and the greatest number there can be.
    pub range: (i64, i64),
    /// Operands before the parts that use them; the last is the function.
    pub parts: Vec<LinearPart>,
}

impl Linear {
    /// The scorer as such a function, if it is seen to be one; nothing it reads has faults. O(n) for
    /// each part.
    pub fn new(scorer: ScorerId, columns: Columns<'_>) -> Option<Linear> {
        let mut reader = LinearReader {
            columns,
            sums: FxHashMap::default(),
            places: FxHashMap::default(),
            base: None,
            parts: Vec::new(),
        };
        reader.part(scorer)?;
        let base = reader.base?;
        let keys = base.keys.unwrap_or_else(|| zeros(columns.keys));
        let queries = base.queries.unwrap_or_else(|| zeros(columns.queries()));
        let (a, b) = (range(&keys)?, range(&queries)?);
        let linear = Linear {
            range: (a.0 + b.0, a.1 + b.1),
            keys,
            queries,
            parts: reader.parts,
        };
        Some(linear.reduced())
    }

    /// What a key adds to the number.
    pub fn key(&self, key: usize) -> i64 {
        int(&self.keys, key)
    }

    /// What a query adds to the number.
    pub fn query(&self, query: usize) -> i64 {
        int(&self.queries, query)
    }

    /// Where only the remainder by one number is used, the remainders of both sides take their
    /// place.
    fn reduced(self) -> Linear {
        let mut modulus = None;
        for part in &self.parts {
            let LinearPart::Map { op, operands } = part else {
                continue;
            };
            for (at, operand) in operands.iter().enumerate() {
                if !matches!(self.parts[*operand], LinearPart::Number { .. }) {
                    continue;
                }
                let by = operands.get(1).map(|by| &self.parts[*by]);
                match (op, at, by) {
                    (Op::Remainder, 0, Some(LinearPart::Constant(Value::Int(by))))
                        if *by > 0 && modulus.is_none_or(|other| other == *by) =>
                    {
                        modulus = Some(*by);
                    }
                    _ => return self,
                }
            }
        }
        let (Some(modulus), Some(LinearPart::Map { .. })) = (modulus, self.parts.last()) else {
            return self;
        };
        if modulus > 1 << 40 {
            return self;
        }
        let reduce = |column: &Column| {
            let of = |at| int(column, at).rem_euclid(modulus);
            Arc::new(Column::ints((0..column.len()).map(of).collect()))
        };
        Linear {
            keys: reduce(&self.keys),
            queries: reduce(&self.queries),
            range: (0, 2 * modulus - 2),
            parts: self.parts,
        }
    }

    /// The function at a number; `None` if it fails.
    pub fn at(&self, number: i64) -> Option<Value> {
        self.part_at(self.parts.len() - 1, number)
    }

    /// A part at a number.
    pub fn part_at(&self, part: usize, number: i64) -> Option<Value> {
        match &self.parts[part] {
            LinearPart::Number { negative, constant } => {
                let signed = if *negative { -number } else { number };
                Some(Value::Int(signed + constant))
            }
            LinearPart::Constant(value) => Some(value.clone()),
            LinearPart::Map {
                op: Op::If,
                operands,
            } => {
                let taken = match self.part_at(operands[0], number)?.truthy() {
                    true => operands[1],
                    false => operands[2],
                };
                self.part_at(taken, number)
            }
            LinearPart::Map { op, operands } => {
                let values = operands
                    .iter()
                    .map(|operand| self.part_at(*operand, number));
                let values: Vec<Value> = values.collect::<Option<_>>()?;
                op.apply(&values.iter().collect::<Vec<_>>()).ok()
            }
        }
    }

    /// The function at all numbers of its range, if these are at most `most` and none fails.
    pub fn table(&self, most: usize) -> Option<Vec<Value>> {
        let (low, high) = self.range;
        if (high.abs_diff(low)) as usize >= most {
            return None;
        }
        (low..=high).map(|number| self.at(number)).collect()
    }
}

fn zeros(length: usize) -> Arc<Column> {
    Arc::new(Column::constant(Value::Int(0), length))
}

fn int(column: &Column, at: usize) -> i64 {
    match column.values() {
        Values::Ints(ints) => ints[at],
        Values::Constant(value) => value.as_int().unwrap_or(0),
        Values::Floats(_) | Values::Bools(_) | Values::Strings(..) | Values::Mixed(_) => 0,
    }
}

/// The least and the greatest int of a column of ints.
fn range(column: &Column) -> Option<(i64, i64)> {
    match column.values() {
        Values::Ints(ints) => Some((*ints.iter().min()?, *ints.iter().max()?)),
        Values::Constant(Value::Int(int)) => Some((*int, *int)),
        Values::Constant(_)
        | Values::Floats(_)
        | Values::Bools(_)
        | Values::Strings(..)
        | Values::Mixed(_) => None,
    }
}

struct LinearReader<'a> {
    columns: Columns<'a>,
    sums: FxHashMap<ScorerId, Option<Sum>>,
    places: FxHashMap<ScorerId, usize>,
    /// The sum that all is a function of.
    base: Option<Sum>,
    parts: Vec<LinearPart>,
}

impl LinearReader<'_> {
    /// The place of a part of the scorer among the parts of the function.
    fn part(&mut self, id: ScorerId) -> Option<usize> {
        if let Some(place) = self.places.get(&id) {
            return Some(*place);
        }
        let made = deeper(|| self.new_part(id))?;
        let place = self.push(made);
        self.places.insert(id, place);
        Some(place)
    }

    fn push(&mut self, part: LinearPart) -> usize {
        self.parts.push(part);
        self.parts.len() - 1
    }

    fn new_part(&mut self, id: ScorerId) -> Option<LinearPart> {
        if let Some(sum) = self.sum(id) {
            return self.number(sum);
        }
        let (op, operands) = match self.columns.graph.get_scorer(id) {
            Scorer::Map { op, operands } => (op, operands),
            Scorer::Constant(value) => return Some(LinearPart::Constant(value.clone())),
            Scorer::Key(_) | Scorer::Query(_) => return None,
        };
        // Two sums are compared as their difference with 0.
        if let (Op::Compare(_), [a, b]) = (op, operands.as_slice())
            && let (Some(a), Some(b)) = (self.sum(*a), self.sum(*b))
        {
            let difference = self.number(a.plus(&b.times(-1)?)?)?;
            let operands = vec![
                self.push(difference),
                self.push(LinearPart::Constant(Value::Int(0))),
            ];
            return Some(LinearPart::Map {
                op: op.clone(),
                operands,
            });
        }
        let places = operands.iter().map(|operand| self.part(*operand));
        Some(LinearPart::Map {
            op: op.clone(),
            operands: places.collect::<Option<_>>()?,
        })
    }

    /// A sum as the one number, or its negative, and a constant.
    fn number(&mut self, sum: Sum) -> Option<LinearPart> {
        if sum.is_constant() {
            return Some(LinearPart::Constant(Value::Int(sum.constant)));
        }
        let Some(base) = &self.base else {
            let constant = sum.constant;
            self.base = Some(Sum { constant: 0, ..sum });
            return Some(LinearPart::Number {
                negative: false,
                constant,
            });
        };
        for (negative, sign) in [(false, -1), (true, 1)] {
            let rest = sum.plus(&base.times(sign)?)?;
            if let (Some(a), Some(b)) = (constant(&rest.keys), constant(&rest.queries)) {
                let constant = rest.constant.checked_add(a)?.checked_add(b)?;
                return Some(LinearPart::Number { negative, constant });
            }
        }
        None
    }

    /// A part as a sum of ints that cannot overflow.
    fn sum(&mut self, id: ScorerId) -> Option<Sum> {
        if let Some(known) = self.sums.get(&id) {
            return known.clone();
        }
        let sum = deeper(|| self.new_sum(id));
        let sum = sum.filter(Sum::is_small);
        self.sums.insert(id, sum.clone());
        sum
    }

    fn new_sum(&mut self, id: ScorerId) -> Option<Sum> {
        match self.columns.graph.get_scorer(id) {
            Scorer::Key(sop) => Some(Sum {
                keys: Some(whole(self.columns.key(*sop))?),
                ..Sum::default()
            }),
            Scorer::Query(sop) => Some(Sum {
                queries: Some(whole(self.columns.query(*sop))?),
                ..Sum::default()
            }),
            Scorer::Constant(Value::Int(constant)) => Some(Sum {
                constant: *constant,
                ..Sum::default()
            }),
            Scorer::Constant(_) => None,
            Scorer::Map { op, operands } => {
                let operands: Vec<Sum> = operands
                    .iter()
                    .map(|id| self.sum(*id))
                    .collect::<Option<_>>()?;
                match (op, operands.as_slice()) {
                    (Op::Add, [a, b]) => a.plus(b),
                    (Op::Subtract, [a, b]) => a.plus(&b.times(-1)?),
                    (Op::Negate, [a]) => a.times(-1),
                    (Op::Plus, [a]) => Some(a.clone()),
                    (Op::Multiply, [a, b]) if b.is_constant() => a.times(b.constant),
                    (Op::Multiply, [a, b]) if a.is_constant() => b.times(a.constant),
                    (_, several) => several[0].on_one_side(op, several),
                }
            }
        }
    }
}

/// A column of ints without faults.
fn whole(column: Arc<Column>) -> Option<Arc<Column>> {
    let sound = column.first_fault().is_none() && range(&column).is_some();
    sound.then_some(column)
}

/// The one int of a column, 0 of none.
fn constant(column: &Option<Arc<Column>>) -> Option<i64> {
    let Some(column) = column else { return Some(0) };
    let (low, high) = range(column)?;
    (low == high).then_some(low)
}

impl Sum {
    fn is_constant(&self) -> bool {
        self.keys.is_none() && self.queries.is_none()
    }

    fn is_small(&self) -> bool {
        let size = |column: &Option<Arc<Column>>| match column.as_ref().map(|column| range(column))
        {
            None => 0,
            Some(Some((low, high))) => i128::from(low).abs().max(i128::from(high).abs()),
            Some(None) => LARGEST,
        };
        size(&self.keys) + size(&self.queries) + i128::from(self.constant).abs() < LARGEST
    }

    fn plus(&self, other: &Sum) -> Option<Sum> {
        let both = |a: &Option<Arc<Column>>, b: &Option<Arc<Column>>| match (a, b) {
            (Some(a), Some(b)) => {
                let sum = elementwise::map(&Op::Add, &[a.clone(), b.clone()], a.len());
                whole(Arc::new(sum)).map(Some)
            }
            (a, b) => Some(a.clone().or(b.clone())),
        };
        Some(Sum {
            keys: both(&self.keys, &other.keys)?,
            queries: both(&self.queries, &other.queries)?,
            constant: self.constant.checked_add(other.constant)?,
        })
    }

    fn times(&self, factor: i64) -> Option<Sum> {
        let times = |column: &Option<Arc<Column>>| match column {
            None => Some(None),
            Some(column) if factor == 1 => Some(Some(column.clone())),
            Some(column) => {
                let factor = Arc::new(Column::constant(Value::Int(factor), column.len()));
                let operands = [column.clone(), factor];
                let product = elementwise::map(&Op::Multiply, &operands, column.len());
                whole(Arc::new(product)).map(Some)
            }
        };
        Some(Sum {
            keys: times(&self.keys)?,
            queries: times(&self.queries)?,
            constant: self.constant.checked_mul(factor)?,
        })
    }

    /// Any primitive on what the same side holds, if the result is whole.
    fn on_one_side(&self, op: &Op, operands: &[Sum]) -> Option<Sum> {
        let side = |pick: fn(&Sum) -> &Option<Arc<Column>>,
                    other: fn(&Sum) -> &Option<Arc<Column>>| {
            let length = operands
                .iter()
                .find_map(|operand| pick(operand).as_ref())?
                .len();
            let column = |operand: &Sum| match (pick(operand), other(operand)) {
                (Some(column), None) if operand.constant == 0 => Some(column.clone()),
                (None, None) => Some(Arc::new(Column::constant(
                    Value::Int(operand.constant),
                    length,
                ))),
                _ => None,
            };
            let columns: Vec<Arc<Column>> = operands.iter().map(column).collect::<Option<_>>()?;
            whole(Arc::new(elementwise::map(op, &columns, length)))
        };
        let (keys, queries) = (
            side(|sum| &sum.keys, |sum| &sum.queries),
            side(|sum| &sum.queries, |sum| &sum.keys),
        );
        (keys.is_some() != queries.is_some()).then_some(Sum {
            keys,
            queries,
            constant: 0,
        })
    }
}
