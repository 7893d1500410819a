//! Sums, differences and comparisons of two whole numbers whose joint table would be too large: what
//! they can be is found from what each can be, which forgets how they are related but stays sound, and
//! they are linear reads of the two.

use super::sets::Values;
use super::space::{Column, Distinct, FAILS, Space};
use super::sums::{add, ones};
use super::table::union;
use super::{Analysis, Node, VarKind};
use crate::graph::{SOp, SOpId};
use crate::value::{Op, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Words of bits that are looked at to find the sums of two sets at most.
const MOST_WORK: usize = 1 << 24;

impl Analysis<'_> {
    /// The node of a primitive, without the joint table of its operands, if there is a way.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "no other primitive is a sum"
    )]
    pub(super) fn without_table(&mut self, op: &Op, operands: &[SOpId]) -> Option<Node> {
        let [left, right] = *operands else {
            return None;
        };
        let less = match op {
            Op::Add => false,
            Op::Subtract | Op::Compare(_) => true,
            _ => return None,
        };
        let columns = [left, right].map(|id| self.node(id).map(|node| node.seen.clone()));
        let [Ok(a), Ok(b)] = columns else {
            return None;
        };
        let values = totals(&a.values, &b.values, less, self.limits.domain_values)?;
        let may_fail = self.may_fail(&a) || self.may_fail(&b);
        for (id, column) in [(left, a), (right, b)] {
            let fails = self.may_fail(&column);
            // Wanted only where the s-op is no linear read by itself.
            self.var(VarKind::Materialised(id), column.values, fails);
        }
        let kind = VarKind::Total { left, right, less };
        let var = self.var(kind, values, may_fail);
        let node = self.alone(var).ok()?;
        let Op::Compare(_) = op else {
            return Some(node);
        };
        let total = &node.column;
        let mut values = Distinct::default();
        let cells = total.cells.iter().map(|&cell| {
            let number = total.values.domain.get(cell as usize);
            let result = number.and_then(|number| op.apply(&[number, &Value::Int(0)]).ok());
            result.map_or(FAILS, |value| values.insert_full(value).0 as u32)
        });
        let cells = cells.collect();
        Some(Node::new(total.space.column_of(cells, values), None))
    }

    /// Of a choice between two numbers that its condition compares, as the larger of two is, the columns over
    /// these two as variables, where a table of what they are made of would be too large: the condition as a
    /// variable of its own would forget which of them it chooses.
    pub(super) fn of_compared(
        &mut self,
        op: &Op,
        operands: &[SOpId],
    ) -> Option<(Vec<Column>, Arc<Space>)> {
        let [condition, then, otherwise] = *operands else {
            return None;
        };
        let shape = self.shape(condition.into()).filter(|_| *op == Op::If)?;
        let SOp::Map {
            op: compare @ Op::Compare(_),
            operands: compared,
        } = shape
        else {
            return None;
        };
        let (compare, mirrored) = match **compared {
            [left, right] if (left, right) == (then, otherwise) => (compare.clone(), false),
            [left, right] if (right, left) == (then, otherwise) => (compare.clone(), true),
            _ => return None,
        };
        let columns = [then, otherwise].map(|id| self.node(id).map(|node| node.seen.clone()));
        let [Ok(first), Ok(second)] = columns else {
            return None;
        };
        let both = [first, second];
        let made_of_several = |column: &Column| column.space.vars.len() > 1;
        if !both.iter().all(made_of_several)
            || both.iter().any(|column| self.may_fail(column))
            || !self.is_larger(&union(&both), self.limits.table_rows)
        {
            return None;
        }
        let mut columns = Vec::with_capacity(3);
        for (id, column) in [then, otherwise].into_iter().zip(both) {
            columns.push(self.as_variable(id, &column).ok()?);
        }
        let sides = match mirrored {
            true => [columns[1].clone(), columns[0].clone()],
            false => [columns[0].clone(), columns[1].clone()],
        };
        columns.insert(0, self.applied(&compare, &sides).ok()?);
        let space = self.space_of(&columns).ok()?;
        Some((columns, space))
    }

    /// The variable that an s-op was made, if it was.
    pub fn materialised(&self, id: SOpId) -> Option<super::space::VarId> {
        self.made.get(&VarKind::Materialised(id)).copied()
    }
}

/// What two whole numbers can sum to, or differ by, in each environment; nothing if they are more than
/// `limit`, or not whole.
fn totals(a: &Values, b: &Values, less: bool, limit: usize) -> Option<Values> {
    let whole = |values: &Values, sign: i64| -> Option<Vec<i64>> {
        let small = |value: &Value| value.as_int().filter(|int| int.abs() < 1 << 40);
        let ints = values.domain.iter().map(small);
        ints.map(|int| Some(sign * int?)).collect()
    };
    let a_numbers = whole(a, 1)?;
    let b_numbers = whole(b, if less { -1 } else { 1 })?;
    let mut known: FxHashMap<(u32, u32), Arc<[Value]>> = FxHashMap::default();
    let mut each = Vec::with_capacity(a.at.len());
    for (environment, signature) in a.at.iter().copied().zip(b.at.iter().copied()).enumerate() {
        if let Some(list) = known.get(&signature) {
            each.push(list.clone());
            continue;
        }
        let of = |values: &Values, numbers: &[i64]| -> Vec<i64> {
            let places = values.in_environment(environment).iter();
            places.map(|&place| numbers[place as usize]).collect()
        };
        let list = sums(&of(a, &a_numbers), &of(b, &b_numbers), limit)?;
        let list: Arc<[Value]> = list.into_iter().map(Value::Int).collect();
        known.insert(signature, list.clone());
        each.push(list);
    }
    Some(Values::from_environments(&each))
}

/// The sums of a number of the one list and one of the other.
fn sums(a: &[i64], b: &[i64], limit: usize) -> Option<Vec<i64>> {
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let (Some(few_least), Some(many_least)) = (few.iter().min(), many.iter().min()) else {
        return Some(Vec::new());
    };
    let range = |numbers: &[i64]| Some(numbers.iter().max()? - numbers.iter().min()?);
    let range = usize::try_from(range(few)? + range(many)?).ok()?;
    let words = range / 64 + 1;
    if range > limit.saturating_mul(64) || words.saturating_mul(few.len()) > MOST_WORK {
        return None;
    }
    // A bit stands for a sum of what the numbers exceed the least ones by.
    let mut of_many = vec![0u64; words];
    for number in many {
        let at = (number - many_least) as usize;
        of_many[at / 64] |= 1 << (at % 64);
    }
    let mut of_both = vec![0u64; words];
    add((few, *few_least), &of_many, &mut of_both);
    let least = few_least + many_least;
    let sums: Vec<i64> = ones(&of_both).map(|bit| least + bit).collect();
    (sums.len() <= limit).then_some(sums)
}
