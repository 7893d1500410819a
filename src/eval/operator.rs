//! Operators. On atoms, lists and dicts they compute; as soon as an s-op takes part they add an
//! elementwise node, with atoms broadcast; on selectors `and`, `or` and `not` combine.

use super::context::Context;
use super::fault::{Cause, Doubtful, refuse};
use super::meta::{Meta, Side};
use super::{Evaluator, Outcome};
use crate::base::Span;
use crate::graph::{SOpId, Selector};
use crate::syntax::ast::{BinaryOperator, ExprId, UnaryOperator};
use crate::value::{Comparison, Failure, Op, TypeSet, Value};
use std::cmp::Ordering;
use std::sync::Arc;

impl Evaluator {
    #[expect(clippy::wildcard_enum_match_arm, reason = "primitives take the rest")]
    pub(crate) fn unary(
        &mut self,
        operator: UnaryOperator,
        operand: Side,
        span: Span,
    ) -> Outcome<Meta> {
        let op = match operator {
            UnaryOperator::Not => Op::Not,
            UnaryOperator::Negate => Op::Negate,
            UnaryOperator::Plus => Op::Plus,
        };
        match &operand.0 {
            Meta::Selector(id) if op == Op::Not => {
                Ok(Meta::Selector(self.add_selector(Selector::Not(*id), span)?))
            }
            Meta::List(_) | Meta::Dict(_) | Meta::Function(_) | Meta::Application(_)
                if op == Op::Not =>
            {
                Ok(Meta::Atom(Value::Bool(!operand.0.truthy())))
            }
            _ => self.one(op, operand, span, span),
        }
    }

    /// A primitive of one operand, which may have the wrong type; what it gives for an atom fails `at`
    /// a place.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no primitive takes others")]
    pub(crate) fn one(&mut self, op: Op, side: Side, at: Span, span: Span) -> Outcome<Meta> {
        match &side.0 {
            Meta::Scorer(_) => self.map_scorers(op, &[side], span),
            Meta::SOp(id) if !op.fails_on(&[self.graph.types(*id)]) => {
                Ok(Meta::SOp(self.add_map(op, vec![*id], span)?))
            }
            Meta::Atom(value) => match op.apply(&[value]) {
                Err(Failure::Types(..)) => refuse(op, [side]),
                result => atom_result(result, at),
            },
            _ => refuse(op, [side]),
        }
    }

    pub(crate) fn binary(
        &mut self,
        operator: BinaryOperator,
        sides: [Side; 2],
        span: Span,
    ) -> Outcome<Meta> {
        let op = match operator {
            BinaryOperator::In => return self.membership(sides, span),
            BinaryOperator::And | BinaryOperator::Or => {
                return self.logical(operator, sides, span);
            }
            BinaryOperator::Power => Op::Power,
            BinaryOperator::Multiply => Op::Multiply,
            BinaryOperator::Divide => Op::Divide,
            BinaryOperator::Remainder => Op::Remainder,
            BinaryOperator::Add => Op::Add,
            BinaryOperator::Subtract => Op::Subtract,
            BinaryOperator::Compare(comparison) => Op::Compare(comparison),
        };
        self.arithmetic(op, sides, span)
    }

    fn logical(&mut self, operator: BinaryOperator, sides: [Side; 2], span: Span) -> Outcome<Meta> {
        let is_and = operator == BinaryOperator::And;
        let op = if is_and { Op::And } else { Op::Or };
        match (&sides[0].0, &sides[1].0) {
            (Meta::Selector(a), Meta::Selector(b)) => {
                let selector = if is_and { Selector::And } else { Selector::Or }(*a, *b);
                Ok(Meta::Selector(self.add_selector(selector, span)?))
            }
            (Meta::Selector(_), _) | (_, Meta::Selector(_)) => {
                Err(Cause::SelectorAndOther(operator, sides).into())
            }
            (Meta::SOp(_) | Meta::Scorer(_), _) | (_, Meta::SOp(_) | Meta::Scorer(_)) => {
                // `x == "a" or "b"`: true or false whatever the input.
                let constant = |value: &Value| !matches!(value, Value::Bool(_));
                let mut atoms = sides.iter().filter_map(|(meta, _)| meta.as_atom());
                if atoms.any(constant) {
                    self.doubt(Doubtful::ConstantSide(op.clone()), sides.clone(), span);
                }
                self.arithmetic(op, sides, span)
            }
            (a, b) => {
                // `tokens == ("a" or "b")`
                if let (Meta::Atom(Value::Str(_)), Meta::Atom(Value::Str(_))) = (a, b) {
                    self.doubt(Doubtful::ConstantSide(op.clone()), sides.clone(), span);
                }
                let first = sides[0].0.truthy() != (op == Op::And);
                let [a, b] = sides;
                Ok(if first { a.0 } else { b.0 })
            }
        }
    }

    fn arithmetic(&mut self, op: Op, sides: [Side; 2], span: Span) -> Outcome<Meta> {
        match (&sides[0].0, &sides[1].0) {
            (Meta::Selector(_), _) | (_, Meta::Selector(_)) => {
                Err(Cause::SelectorOperand(op, sides).into())
            }
            (Meta::Scorer(_), _) | (_, Meta::Scorer(_)) => self.map_scorers(op, &sides, span),
            (Meta::SOp(_), _) | (_, Meta::SOp(_)) => self.elementwise(op, sides, span),
            (Meta::Atom(x), Meta::Atom(y)) => match op.apply(&[x, y]) {
                Err(Failure::Types(..)) => refuse(op, sides),
                result => {
                    self.charge(long(x).min(long(y)) + result.as_ref().map_or(0, long))?;
                    atom_result(result, span)
                }
            },
            _ => self.containers(op, sides),
        }
    }

    /// An elementwise node; atoms are broadcast.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other is an equality")]
    fn elementwise(&mut self, op: Op, sides: [Side; 2], span: Span) -> Outcome<Meta> {
        let equality = match op {
            Op::Compare(Comparison::Equal) => Some(false),
            Op::Compare(Comparison::NotEqual) => Some(true),
            _ => None,
        };
        let mut operands = Vec::with_capacity(2);
        for (meta, side_span) in &sides {
            match (meta, equality) {
                (Meta::SOp(_) | Meta::Atom(_), _) => {
                    operands.push(self.broadcast(meta, *side_span)?)
                }
                // No atom equals a list or a dict.
                (_, Some(answer)) => {
                    let id = self.add_constant(Value::Bool(answer), span)?;
                    self.doubt(Doubtful::Constant { op, answer }, sides, span);
                    return Ok(Meta::SOp(id));
                }
                _ => return refuse(op, sides),
            }
        }
        let types: Vec<TypeSet> = operands.iter().map(|id| self.graph.types(*id)).collect();
        if op.fails_on(&types) {
            return refuse(op, sides);
        }
        if let (Some(answer), true) = (equality, never_equal(types[0], types[1])) {
            let op = op.clone();
            self.doubt(Doubtful::Constant { op, answer }, sides, span);
        }
        Ok(Meta::SOp(self.add_map(op, operands, span)?))
    }

    /// The s-op of an s-op or atom.
    ///
    /// # Errors
    /// Anything else.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else is an s-op")]
    pub(crate) fn broadcast(&mut self, meta: &Meta, span: Span) -> Outcome<SOpId> {
        match meta {
            Meta::SOp(id) => Ok(*id),
            Meta::Atom(value) => self.add_constant(value.clone(), span),
            other => Err(Cause::NoSOp((other.clone(), span)).into()),
        }
    }

    /// Operators on lists, dicts, functions and results of applications.
    fn containers(&mut self, op: Op, sides: [Side; 2]) -> Outcome<Meta> {
        let [(a, _), (b, _)] = &sides;
        match (&op, a, b) {
            (Op::Compare(equality @ (Comparison::Equal | Comparison::NotEqual)), ..) => {
                let equal = self.equal(a, b)? == (*equality == Comparison::Equal);
                Ok(Meta::Atom(Value::Bool(equal)))
            }
            (Op::Add, Meta::List(a), Meta::List(b)) => {
                self.keep(Meta::list(a.iter().chain(b.iter()).cloned().collect()))
            }
            (Op::Multiply, Meta::List(items), Meta::Atom(count))
            | (Op::Multiply, Meta::Atom(count), Meta::List(items))
                if count.as_int().is_some() =>
            {
                let count = usize::try_from(count.as_int().unwrap_or(0)).unwrap_or(0);
                let length = items.len().saturating_mul(count);
                self.check_length(length)?;
                let repeated = items.iter().cycle().take(length).cloned().collect();
                self.keep(Meta::list(repeated))
            }
            (Op::Compare(comparison), Meta::List(x), Meta::List(y)) => {
                let order = self.list_order(x, y, &sides)?;
                Ok(Meta::Atom(Value::Bool(comparison.holds_for(order))))
            }
            _ => refuse(op, sides),
        }
    }

    /// Lexicographic order of lists of atoms and lists.
    fn list_order(&mut self, a: &[Meta], b: &[Meta], sides: &[Side; 2]) -> Outcome<Ordering> {
        for (x, y) in a.iter().zip(b) {
            if self.equal(x, y)? {
                continue;
            }
            return match (x, y) {
                (Meta::Atom(x), Meta::Atom(y)) if x.order(y).is_some() => {
                    Ok(x.order(y).unwrap_or(Ordering::Equal))
                }
                (Meta::List(x), Meta::List(y)) => self.list_order(x, y, sides),
                _ => refuse(
                    Op::Compare(Comparison::Less),
                    [(x.clone(), sides[0].1), (y.clone(), sides[1].1)],
                ),
            };
        }
        Ok(a.len().cmp(&b.len()))
    }

    /// Equality of any two values that are not s-ops; s-ops and selectors equal only themselves.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other has tokens")]
    pub(crate) fn equal(&mut self, a: &Meta, b: &Meta) -> Outcome<bool> {
        self.charge(1)?;
        match (a, b) {
            (Meta::Atom(a), Meta::Atom(b)) => {
                self.charge(long(a).min(long(b)))?;
                Ok(a.equals(b))
            }
            (Meta::List(a), Meta::List(b)) => {
                if Arc::ptr_eq(a, b) {
                    return Ok(true);
                }
                let pairs = a.iter().zip(b.iter().map(Some));
                Ok(a.len() == b.len() && self.all_equal(pairs)?)
            }
            (Meta::Dict(a), Meta::Dict(b)) => {
                let pairs = a.iter().map(|(key, item)| (item, b.get(key)));
                Ok(a.len() == b.len() && self.all_equal(pairs)?)
            }
            (Meta::Function(a), Meta::Function(b)) => Ok(Arc::ptr_eq(a, b)),
            (Meta::Selector(a), Meta::Selector(b)) => Ok(a == b),
            (Meta::SOp(_), _) | (_, Meta::SOp(_)) => Err(Cause::ComparesSOps.into()),
            // The result of an s-op also equals a string of its tokens.
            (Meta::Application(a), b) | (b, Meta::Application(a)) => {
                let b = match b {
                    Meta::Application(b) => b.as_list(),
                    other => other
                        .as_tokens()
                        .map_or(other.clone(), |it| Meta::atoms(&it)),
                };
                self.equal(&a.as_list(), &b)
            }
            _ => Ok(false),
        }
    }

    fn all_equal<'m>(
        &mut self,
        pairs: impl Iterator<Item = (&'m Meta, Option<&'m Meta>)>,
    ) -> Outcome<bool> {
        for (a, b) in pairs {
            match b {
                Some(b) if self.equal(a, b)? => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "others are true or false")]
    pub(crate) fn ternary(
        &mut self,
        cx: &Context,
        [then, condition, otherwise]: [ExprId; 3],
        span: Span,
    ) -> Outcome<Meta> {
        let condition_span = cx.span(condition);
        match self.expression(cx, condition)? {
            Meta::SOp(condition) => {
                let mut operands = vec![condition];
                let branches = self.expressions(cx, &[then, otherwise])?;
                let places = [then, otherwise].map(|branch| cx.span(branch));
                for (value, at) in branches.iter().zip(places) {
                    operands.push(self.broadcast(value, at)?);
                }
                let [then, otherwise] = [1, 2].map(|branch| self.graph.types(operands[branch]));
                if never_equal(then, otherwise) {
                    let sides: Vec<Side> = branches.into_iter().zip(places).collect();
                    self.doubt(Doubtful::Branches, sides, span);
                }
                Ok(Meta::SOp(self.add_map(Op::If, operands, span)?))
            }
            condition @ Meta::Scorer(_) => {
                let condition = (condition, condition_span);
                let sides = [condition, self.side(cx, then)?, self.side(cx, otherwise)?];
                self.map_scorers(Op::If, &sides, span)
            }
            Meta::Selector(_) => Err(Cause::SelectorAsCondition(condition_span).into()),
            other => self.expression(cx, if other.truthy() { then } else { otherwise }),
        }
    }
}

/// What a string is charged for its length.
pub(crate) fn long(value: &Value) -> u64 {
    match value {
        Value::Str(text) => text.len() as u64 / 32,
        Value::Int(_) | Value::Float(_) | Value::Bool(_) => 0,
    }
}

/// An atom, or its failure at a place.
pub(crate) fn atom_result(result: Result<Value, Failure>, span: Span) -> Outcome<Meta> {
    match result {
        Ok(value) => Ok(Meta::Atom(value)),
        Err(failure) => Err(Cause::Failed(failure, span).into()),
    }
}

/// Whether no value of one type set equals one of the other.
pub(crate) fn never_equal(a: TypeSet, b: TypeSet) -> bool {
    let both = |types| a.meets(types) && b.meets(types);
    !a.is_empty() && !b.is_empty() && !both(TypeSet::NUMBER) && !both(TypeSet::STR)
}
