//! The elementwise primitives. Each is a plain function on atoms with one row in [`Op`]: the
//! interpreter maps it over positions, inference over value sets, the compiler tabulates it. A new
//! primitive is a variant here, a meaning in [`Op::apply`] and a type in [`Op::result_type`].

use super::arithmetic;
use super::atom::Value;
use super::failure::Failure;
use super::types::TypeSet;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// A comparison of two atoms; in `select`, of a key (left) with a query (right).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl Comparison {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterEqual => ">=",
        }
    }

    /// The comparison that holds exactly where this one does not (NaN aside).
    pub fn negated(self) -> Comparison {
        match self {
            Comparison::Equal => Comparison::NotEqual,
            Comparison::NotEqual => Comparison::Equal,
            Comparison::Less => Comparison::GreaterEqual,
            Comparison::LessEqual => Comparison::Greater,
            Comparison::Greater => Comparison::LessEqual,
            Comparison::GreaterEqual => Comparison::Less,
        }
    }

    /// The comparison with its operands exchanged.
    pub fn mirrored(self) -> Comparison {
        match self {
            Comparison::Equal => Comparison::Equal,
            Comparison::NotEqual => Comparison::NotEqual,
            Comparison::Less => Comparison::Greater,
            Comparison::LessEqual => Comparison::GreaterEqual,
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterEqual => Comparison::LessEqual,
        }
    }

    /// Whether it holds between a left operand and a right operand that stand in this order.
    pub fn holds_for(self, order: Ordering) -> bool {
        match self {
            Comparison::Equal => order == Ordering::Equal,
            Comparison::NotEqual => order != Ordering::Equal,
            Comparison::Less => order == Ordering::Less,
            Comparison::LessEqual => order != Ordering::Greater,
            Comparison::Greater => order == Ordering::Greater,
            Comparison::GreaterEqual => order != Ordering::Less,
        }
    }

    /// # Errors
    /// Order between a number and a string.
    pub fn holds(self, a: &Value, b: &Value) -> Result<bool, Failure> {
        arithmetic::compare(self, a, b)
    }
}

/// A list, dict or string of atoms frozen inside an elementwise lookup.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Table {
    /// By index.
    List(Vec<Value>),
    /// By key.
    Dict(Vec<(Value, Value)>),
    /// The characters of a string, by index.
    Str(Vec<Value>),
}

impl Table {
    /// The element at an index (negative from the end) or under a key.
    pub fn get(&self, index: &Value) -> Result<Value, Failure> {
        let (items, kind) = match self {
            Table::Dict(entries) => {
                let entry = entries.iter().find(|(key, _)| key.equals(index));
                let value = entry.map(|(_, value)| value.clone());
                return value.ok_or_else(|| Failure::NoKey(index.clone()));
            }
            Table::List(items) => (items, "list"),
            Table::Str(items) => (items, "string"),
        };
        let Some(index) = index.as_int() else {
            return Err(Failure::NoIndex(kind, index.clone()));
        };
        let length = items.len();
        let from_start = if index < 0 {
            index.saturating_add(length as i64)
        } else {
            index
        };
        let found = usize::try_from(from_start)
            .ok()
            .and_then(|at| items.get(at));
        found.cloned().ok_or(Failure::OutOfRange {
            index,
            length,
            kind,
        })
    }

    fn values(&self) -> Box<dyn Iterator<Item = &Value> + '_> {
        match self {
            Table::List(items) | Table::Str(items) => Box::new(items.iter()),
            Table::Dict(entries) => Box::new(entries.iter().map(|(_, value)| value)),
        }
    }
}

/// An elementwise primitive.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `a + b`, of numbers or of strings.
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`
    Divide,
    /// `a % b`
    Remainder,
    /// `a ^ b`
    Power,
    /// `a < b` and its like.
    Compare(Comparison),
    /// By truth value, giving a bool; both operands are computed.
    And,
    /// As `and`.
    Or,
    /// The other truth value.
    Not,
    /// `-a`
    Negate,
    /// `+a`
    Plus,
    /// To the nearest integer; from the middle to the even one.
    Round,
    /// 1 where true, 0 elsewhere.
    Indicator,
    /// `[condition, then, otherwise]`: the only primitive that does not need all its operands.
    If,
    /// As a string.
    ToStr,
    /// As an int.
    ToInt,
    /// As a float.
    ToFloat,
    /// As a bool.
    ToBool,
    /// The operand looked up in a constant list, dict or string.
    Lookup(Arc<Table>),
    /// Whether the operand equals one of the constants.
    In(Arc<[Value]>),
}

impl Op {
    /// How the primitive is written: a symbol or a name.
    pub fn symbol(&self) -> &'static str {
        match self {
            Op::Add | Op::Plus => "+",
            Op::Subtract | Op::Negate => "-",
            Op::Multiply => "*",
            Op::Divide => "/",
            Op::Remainder => "%",
            Op::Power => "^",
            Op::Compare(comparison) => comparison.symbol(),
            Op::And => "and",
            Op::Or => "or",
            Op::Not => "not",
            Op::Round => "round",
            Op::Indicator => "indicator",
            Op::If => "if",
            Op::ToStr => "tokens_str",
            Op::ToInt => "tokens_int",
            Op::ToFloat => "tokens_float",
            Op::ToBool => "tokens_bool",
            Op::Lookup(_) => "[]",
            Op::In(_) => "in",
        }
    }

    /// How many operands it takes.
    pub fn arity(&self) -> usize {
        match self {
            Op::Add
            | Op::Subtract
            | Op::Multiply
            | Op::Divide
            | Op::Remainder
            | Op::Power
            | Op::Compare(_)
            | Op::And
            | Op::Or => 2,
            Op::If => 3,
            Op::Not
            | Op::Negate
            | Op::Plus
            | Op::Round
            | Op::Indicator
            | Op::ToStr
            | Op::ToInt
            | Op::ToFloat
            | Op::ToBool
            | Op::Lookup(_)
            | Op::In(_) => 1,
        }
    }

    /// The primitive's value on `operands`, of which there are [`Op::arity`].
    ///
    /// # Errors
    /// Operands of types it does not work on, arithmetic without a result, a failed lookup or
    /// conversion.
    pub fn apply(&self, operands: &[&Value]) -> Result<Value, Failure> {
        let first = operands[0];
        match self {
            Op::Add => arithmetic::add(first, operands[1]),
            Op::Subtract => arithmetic::subtract(first, operands[1]),
            Op::Multiply => arithmetic::multiply(first, operands[1]),
            Op::Divide => arithmetic::divide(first, operands[1]),
            Op::Remainder => arithmetic::remainder(first, operands[1]),
            Op::Power => arithmetic::power(first, operands[1]),
            Op::Compare(comparison) => comparison.holds(first, operands[1]).map(Value::Bool),
            Op::And => Ok(Value::Bool(first.truthy() && operands[1].truthy())),
            Op::Or => Ok(Value::Bool(first.truthy() || operands[1].truthy())),
            Op::Not => Ok(Value::Bool(!first.truthy())),
            Op::Negate => arithmetic::negate(first),
            Op::Plus => arithmetic::plus(first),
            Op::Round => arithmetic::round(first),
            Op::Indicator => Ok(Value::Int(i64::from(first.truthy()))),
            Op::If => Ok(operands[if first.truthy() { 1 } else { 2 }].clone()),
            Op::ToStr => Ok(Value::str(&first.to_string())),
            Op::ToInt => arithmetic::to_int(first),
            Op::ToFloat => arithmetic::to_float(first),
            Op::ToBool => Ok(Value::Bool(first.truthy())),
            Op::Lookup(table) => table.get(first),
            Op::In(items) => Ok(Value::Bool(items.iter().any(|item| item.equals(first)))),
        }
    }

    /// Whether it fails on all values of these types, which are known.
    pub fn fails_on(&self, operands: &[TypeSet]) -> bool {
        operands.iter().all(|types| !types.is_empty()) && self.result_type(operands).is_empty()
    }

    /// The types a result can have, given the types of the operands; empty if every combination
    /// fails.
    pub fn result_type(&self, operands: &[TypeSet]) -> TypeSet {
        let operand = |index: usize| operands.get(index).copied().unwrap_or(TypeSet::ANY);
        if self.arity() == 2 {
            let mut result = TypeSet::NONE;
            for a in operand(0).members() {
                for b in operand(1).members() {
                    result = result.union(self.pair_type(a, b));
                }
            }
            return result;
        }
        let number = operand(0).intersection(TypeSet::NUMBER);
        match self {
            Op::Negate | Op::Plus => arithmetic_type(number, TypeSet::INT),
            Op::Round if number.is_empty() => TypeSet::NONE,
            Op::Round | Op::Indicator | Op::ToInt => TypeSet::INT,
            Op::If => operand(1).union(operand(2)),
            Op::ToStr => TypeSet::STR,
            Op::ToFloat => TypeSet::FLOAT,
            Op::Lookup(table) => table.values().fold(TypeSet::NONE, |types, value| {
                types.union(TypeSet::of(value))
            }),
            Op::Not | Op::ToBool | Op::In(_) => TypeSet::BOOL,
            Op::Add
            | Op::Subtract
            | Op::Multiply
            | Op::Divide
            | Op::Remainder
            | Op::Power
            | Op::Compare(_)
            | Op::And
            | Op::Or => unreachable!("primitives of two operands are answered above"),
        }
    }

    /// The result type of a primitive of two operands on two single types.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other primitives take another number of operands"
    )]
    fn pair_type(&self, a: TypeSet, b: TypeSet) -> TypeSet {
        let both_numbers = TypeSet::NUMBER.contains(a.union(b));
        let whole = a.union(TypeSet::INT).union(TypeSet::BOOL);
        match self {
            Op::And | Op::Or | Op::Compare(Comparison::Equal | Comparison::NotEqual) => {
                TypeSet::BOOL
            }
            Op::Compare(_) if both_numbers || a == b => TypeSet::BOOL,
            Op::Add if a == TypeSet::STR && b == TypeSet::STR => TypeSet::STR,
            Op::Multiply if a == TypeSet::STR && b != TypeSet::STR && b != TypeSet::FLOAT => {
                TypeSet::STR
            }
            Op::Multiply if b == TypeSet::STR && a != TypeSet::STR && a != TypeSet::FLOAT => {
                TypeSet::STR
            }
            Op::Divide if both_numbers => TypeSet::FLOAT,
            Op::Power if both_numbers && whole.contains(b) && b != TypeSet::BOOL => {
                arithmetic_type(a, b).union(TypeSet::FLOAT)
            }
            Op::Add | Op::Subtract | Op::Multiply | Op::Remainder | Op::Power if both_numbers => {
                arithmetic_type(a, b)
            }
            _ => TypeSet::NONE,
        }
    }
}

/// Int for ints and bools, float as soon as one operand is a float.
fn arithmetic_type(a: TypeSet, b: TypeSet) -> TypeSet {
    let both = a.union(b);
    let mut result = TypeSet::NONE;
    if both.meets(TypeSet::INT.union(TypeSet::BOOL)) {
        result = TypeSet::INT;
    }
    if a == TypeSet::FLOAT || b == TypeSet::FLOAT {
        return TypeSet::FLOAT;
    }
    if both.meets(TypeSet::FLOAT) {
        result = result.union(TypeSet::FLOAT);
    }
    if a.is_empty() || b.is_empty() {
        TypeSet::NONE
    } else {
        result
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}
