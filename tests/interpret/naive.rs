//! The semantics written down literally: every selector a matrix, every column a list of results,
//! every mean an exact sum, divided and rounded once. Slow and obviously right.

use num_bigint::BigInt;
use rasp::base::{Code, Diagnostic};
use rasp::graph::{Graph, SOp, SOpId, Scorer, ScorerId, Selector, SelectorId};
use rasp::value::sequence::sequence_type;
use rasp::value::{Comparison, Failure, Op, SequenceType, Value};
use std::cmp::Ordering;
use std::collections::HashMap;

#[derive(Clone, Debug)]
pub struct Fault {
    pub code: Code,
    pub message: String,
    /// Of the s-op that overflowed itself, not of what is made of it: on which side of all ints it is.
    beyond: Option<Ordering>,
}

impl Fault {
    fn of_operand(&self) -> Fault {
        Fault {
            beyond: None,
            ..self.clone()
        }
    }
}

pub type Cell = Result<Value, Fault>;
pub type Column = Vec<Cell>;
pub type Matrix = Vec<Vec<bool>>;

pub struct Naive<'a> {
    pub graph: &'a Graph,
    pub input: &'a [Value],
    pub columns: HashMap<SOpId, Column>,
    matrices: HashMap<SelectorId, Result<Matrix, Fault>>,
}

impl<'a> Naive<'a> {
    pub fn new(graph: &'a Graph, input: &'a [Value]) -> Naive<'a> {
        Naive {
            graph,
            input,
            columns: HashMap::new(),
            matrices: HashMap::new(),
        }
    }

    pub fn evaluate(&mut self, root: SOpId) -> Result<(Vec<Value>, SequenceType), Fault> {
        let values: Result<Vec<Value>, Fault> = self.column(root).into_iter().collect();
        let values = values?;
        let sequence_type = sequence_type(&values).expect("checked at every node");
        Ok((values, sequence_type))
    }

    fn column(&mut self, id: SOpId) -> Column {
        if let Some(column) = self.columns.get(&id) {
            return column.clone();
        }
        let length = self.input.len();
        let column = match self.graph.get(id) {
            SOp::Tokens => self.input.iter().cloned().map(Ok).collect(),
            SOp::Indices => (0..length as i64).map(|i| Ok(Value::Int(i))).collect(),
            SOp::Given(_) => unreachable!("a program is given nothing"),
            SOp::Constant(value) => vec![Ok(value.clone()); length],
            SOp::Map { op, operands } => {
                let operands: Vec<Column> = operands.iter().map(|id| self.column(*id)).collect();
                (0..length)
                    .map(|at| apply(op, &operands.iter().map(|c| &c[at]).collect::<Vec<_>>()))
                    .collect()
            }
            SOp::Aggregate {
                selector,
                value,
                default,
            } => self.aggregate(*selector, *value, default),
            SOp::WeightedMean {
                scorer,
                value,
                default,
            } => self
                .weighted_mean(*scorer, *value, default)
                .unwrap_or_else(|fault| vec![Err(fault); length]),
            SOp::Width { selector } => match self.matrix(*selector) {
                Ok(matrix) => matrix
                    .iter()
                    .map(|row| Ok(Value::Int(row.iter().filter(|bit| **bit).count() as i64)))
                    .collect(),
                Err(fault) => vec![Err(fault); length],
            },
        };
        let mut column = checked(column);
        if !matches!(self.graph.get(id), SOp::Map { .. }) {
            let faults = column.iter_mut().filter_map(|cell| cell.as_mut().err());
            faults.for_each(|fault| fault.beyond = None);
        }
        self.columns.insert(id, column.clone());
        column
    }

    fn aggregate(&mut self, selector: SelectorId, value: SOpId, default: &Value) -> Column {
        let length = self.input.len();
        let matrix = match self.matrix(selector) {
            Ok(matrix) => matrix,
            Err(fault) => return vec![Err(fault); length],
        };
        let values: Result<Vec<Value>, Fault> = self.column(value).into_iter().collect();
        let values = match values {
            Ok(values) => values,
            Err(fault) => return vec![Err(fault); length],
        };
        let sequence_type = sequence_type(&values).expect("checked");
        matrix
            .iter()
            .map(|row| {
                let selected: Vec<&Value> = (0..length)
                    .filter(|key| row[*key])
                    .map(|key| &values[key])
                    .collect();
                match selected.as_slice() {
                    [] => Ok(default.clone()),
                    [one] => Ok((*one).clone()),
                    several if sequence_type.is_number() => Ok(mean(several)),
                    several => Err(Fault {
                        code: Code::MeanOfNonNumbers,
                        message: no_mean(several, sequence_type),
                        beyond: None,
                    }),
                }
            })
            .collect()
    }

    pub fn matrix(&mut self, id: SelectorId) -> Result<Matrix, Fault> {
        if let Some(matrix) = self.matrices.get(&id) {
            return matrix.clone();
        }
        let matrix = match self.graph.get_selector(id) {
            Selector::Compare {
                keys,
                queries,
                comparison,
            } => self.compare(*keys, *queries, *comparison),
            Selector::And(a, b) => self.both(*a, *b, |a, b| a && b),
            Selector::Or(a, b) => self.both(*a, *b, |a, b| a || b),
            Selector::Not(a) => self.both(*a, *a, |a, _| !a),
            Selector::Predicate(scorer) => self.predicate(*scorer),
            Selector::Best { selector, scorer } => self.best(*selector, *scorer),
        };
        self.matrices.insert(id, matrix.clone());
        matrix
    }

    /// What a scorer reads, complete or not at all.
    fn read(&mut self, scorer: ScorerId) -> Result<(), Fault> {
        let (keys, queries) = self.graph.scorer_operands(scorer);
        for sop in keys.into_iter().chain(queries) {
            self.column(sop)
                .into_iter()
                .collect::<Result<Vec<Value>, Fault>>()?;
        }
        Ok(())
    }

    fn score(&self, scorer: ScorerId, key: usize, query: usize) -> Cell {
        match self.graph.get_scorer(scorer) {
            Scorer::Key(sop) => self.columns[sop][key].clone(),
            Scorer::Query(sop) => self.columns[sop][query].clone(),
            Scorer::Constant(value) => Ok(value.clone()),
            Scorer::Map { op, operands } => {
                let cells: Vec<Cell> = operands
                    .iter()
                    .map(|id| self.score(*id, key, query))
                    .collect();
                match op {
                    Op::If => apply(op, &cells.iter().collect::<Vec<_>>()),
                    _ => {
                        let values: Vec<Value> = cells.into_iter().collect::<Result<_, _>>()?;
                        op.apply(&values.iter().collect::<Vec<_>>()).map_err(fault)
                    }
                }
            }
        }
    }

    fn predicate(&mut self, scorer: ScorerId) -> Result<Matrix, Fault> {
        self.read(scorer)?;
        let length = self.input.len();
        let cell = |query, key| Ok(self.score(scorer, key, query)?.truthy());
        (0..length)
            .map(|query| (0..length).map(|key| cell(query, key)).collect())
            .collect()
    }

    fn best(&mut self, selector: SelectorId, scorer: ScorerId) -> Result<Matrix, Fault> {
        self.read(scorer)?;
        let mut matrix = self.matrix(selector)?;
        for (query, row) in matrix.iter_mut().enumerate() {
            let mut best: Option<(Value, usize)> = None;
            for (key, bit) in row.iter_mut().enumerate() {
                if std::mem::take(bit) {
                    let score = self.score(scorer, key, query)?;
                    number(score.clone())?;
                    let is_less = |(highest, _): &(Value, usize)| {
                        score.order(highest) == Some(std::cmp::Ordering::Less)
                    };
                    if !best.as_ref().is_some_and(is_less) {
                        best = Some((score, key));
                    }
                }
            }
            if let Some((_, key)) = best {
                row[key] = true;
            }
        }
        Ok(matrix)
    }

    fn weighted_mean(
        &mut self,
        scorer: ScorerId,
        value: SOpId,
        default: &Value,
    ) -> Result<Column, Fault> {
        self.read(scorer)?;
        let values: Vec<Value> = self.column(value).into_iter().collect::<Result<_, _>>()?;
        let kind = sequence_type(&values).expect("checked");
        let row = |query: usize| -> Cell {
            let mut weighted = Vec::new();
            for (key, value) in values.iter().enumerate() {
                let weight = number(self.score(scorer, key, query)?)?;
                if weight < 0.0 || weight.is_infinite() {
                    return Err(Fault {
                        code: Code::ArithmeticFailed,
                        message: format!(
                            "a weight is {weight}, but weights are finite and not negative"
                        ),
                        beyond: None,
                    });
                }
                if weight > 0.0 {
                    weighted.push((weight, value));
                }
            }
            match weighted.as_slice() {
                [] => Ok(default.clone()),
                [(_, one)] => Ok((*one).clone()),
                several if kind.is_number() => {
                    let term = |(weight, value): &(f64, &Value)| {
                        weight * value.as_float().expect("a number")
                    };
                    let sum = several.iter().fold(0.0, |sum, pair| sum + term(pair));
                    let total = several.iter().fold(0.0, |sum, (weight, _)| sum + weight);
                    Ok(Value::Float(sum / total))
                }
                several => Err(Fault {
                    code: Code::MeanOfNonNumbers,
                    message: format!(
                        "{} values have a weight at once, but {} have no mean",
                        several.len(),
                        kind.name()
                    ),
                    beyond: None,
                }),
            }
        };
        Ok((0..values.len()).map(row).collect())
    }

    fn both(
        &mut self,
        a: SelectorId,
        b: SelectorId,
        op: fn(bool, bool) -> bool,
    ) -> Result<Matrix, Fault> {
        let (a, b) = (self.matrix(a)?, self.matrix(b)?);
        let row =
            |(a, b): (&Vec<bool>, &Vec<bool>)| a.iter().zip(b).map(|(a, b)| op(*a, *b)).collect();
        Ok(a.iter().zip(&b).map(row).collect())
    }

    fn compare(
        &mut self,
        keys: SOpId,
        queries: SOpId,
        comparison: Comparison,
    ) -> Result<Matrix, Fault> {
        let keys: Vec<Value> = self.column(keys).into_iter().collect::<Result<_, _>>()?;
        let queries: Vec<Value> = self.column(queries).into_iter().collect::<Result<_, _>>()?;
        let cell = |key: &Value, query: &Value| {
            comparison.holds(key, query).map_err(|_| Fault {
                code: Code::OperandTypes,
                message: format!(
                    "`{}` does not work on {} as keys and {} as queries",
                    comparison.symbol(),
                    sequence_type(&keys).expect("checked").name(),
                    sequence_type(&queries).expect("checked").name(),
                ),
                beyond: None,
            })
        };
        queries
            .iter()
            .map(|query| keys.iter().map(|key| cell(key, query)).collect())
            .collect()
    }
}

fn number(score: Value) -> Result<f64, Fault> {
    score
        .as_float()
        .filter(|score| !score.is_nan())
        .ok_or_else(|| Fault {
            code: Code::OperandTypes,
            message: format!("a score is a number, not {}", score.source()),
            beyond: None,
        })
}

/// The exact sum, divided and rounded once.
fn mean(values: &[&Value]) -> Value {
    let floats: Vec<f64> = values.iter().filter_map(|value| value.as_float()).collect();
    let finite = |float: &f64| float.is_finite();
    if !floats.iter().all(finite) {
        let sum: f64 = floats.iter().filter(|float| !finite(float)).sum();
        return Value::Float(sum);
    }
    let sum: BigInt = values.iter().map(|value| units(value)).sum();
    Value::Float(nearest(&sum, values.len()))
}

/// A number as a multiple of the least float above 0.
fn units(value: &Value) -> BigInt {
    match value {
        Value::Float(float) => {
            let bits = float.to_bits();
            let exponent = bits >> 52 & 0x7ff;
            let fraction = bits & ((1 << 52) - 1);
            let size = match exponent {
                0 => BigInt::from(fraction),
                _ => BigInt::from(fraction | 1 << 52) << (exponent - 1),
            };
            if *float < 0.0 { -size } else { size }
        }
        whole => BigInt::from(whole.as_int().expect("a whole number")) << 1074,
    }
}

/// The float nearest to a sum divided by a count, from the middle the even one.
fn nearest(sum: &BigInt, count: usize) -> f64 {
    let negative = *sum < BigInt::ZERO;
    let size = if negative { -sum } else { sum.clone() };
    let times = |bits: u64| units(&Value::Float(f64::from_bits(bits))) * count;
    // The floats that are not negative ascend with their bits.
    let (mut low, mut high) = (0_u64, f64::MAX.to_bits());
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if times(middle) <= size {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    let above = (low + 1).min(f64::MAX.to_bits());
    let (below, beyond) = (&size - times(low), times(above) - &size);
    let up = beyond < below || (beyond == below && low % 2 == 1);
    let nearest = f64::from_bits(if up { above } else { low });
    if negative { -nearest } else { nearest }
}

fn no_mean(values: &[&Value], sequence_type: SequenceType) -> String {
    let mut shown: Vec<String> = values.iter().take(5).map(|value| value.source()).collect();
    if values.len() > 5 {
        shown.push("…".to_string());
    }
    format!(
        "{} values are selected at once, but {} have no mean: {}",
        values.len(),
        sequence_type.name(),
        shown.join(", ")
    )
}

/// Numbers and strings cannot stand in one column.
fn checked(column: Column) -> Column {
    let find = |number: bool| {
        column
            .iter()
            .position(|cell| cell.as_ref().is_ok_and(|value| value.is_number() == number))
    };
    let (Some(a), Some(b)) = (find(true), find(false)) else {
        return column;
    };
    let shown = |at: usize| column[at].as_ref().expect("found above").source();
    let (first, second) = (a.min(b), a.max(b));
    let fault = Fault {
        code: Code::MixedTypes,
        message: format!(
            "numbers and strings in one s-op: {} at position {first} and {} at position \
             {second}",
            shown(first),
            shown(second)
        ),
        beyond: None,
    };
    vec![Err(fault); column.len()]
}

fn apply(op: &Op, operands: &[&Cell]) -> Cell {
    match op {
        Op::If => {
            let condition = operands[0].as_ref().map_err(Fault::of_operand)?;
            let taken = operands[if condition.truthy() { 1 } else { 2 }];
            taken.clone().map_err(|fault| fault.of_operand())
        }
        Op::Compare(comparison) => match (operands[0], operands[1]) {
            (Ok(a), Ok(b)) => op.apply(&[a, b]).map_err(fault),
            (Err(fault), Ok(other)) if fault.beyond.is_some() && other.as_int().is_some() => {
                let side = fault.beyond.expect("just seen");
                Ok(Value::Bool(comparison.holds_for(side)))
            }
            (Ok(other), Err(fault)) if fault.beyond.is_some() && other.as_int().is_some() => {
                let side = fault.beyond.expect("just seen");
                Ok(Value::Bool(comparison.holds_for(side.reverse())))
            }
            (Err(fault), _) | (_, Err(fault)) => Err(fault.of_operand()),
        },
        _ => {
            let values: Result<Vec<&Value>, Fault> = operands
                .iter()
                .map(|cell| cell.as_ref().map_err(Fault::of_operand))
                .collect();
            op.apply(&values?).map_err(fault)
        }
    }
}

fn fault(failure: Failure) -> Fault {
    let told = Diagnostic::from(&failure);
    Fault {
        code: told.code,
        message: told.message,
        beyond: failure.beyond(),
    }
}
