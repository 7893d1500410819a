//! Operators. On atoms, lists and dicts they compute; as soon as an s-op takes part they add an
//! elementwise node, with atoms broadcast; on selectors `and`, `or` and `not` combine.

use super::collection::without_sign;
use super::expression::Context;
use super::meta::{Application, Meta};
use super::mismatch::Part;
use super::{ELEMENTS, Evaluator, Outcome, Stop};
use crate::base::{Code, Diagnostic, Span};
use crate::graph::{SOp, SOpId, Selector};
use crate::syntax::ast::{BinaryOperator, ExprId, ExprKind, UnaryOperator};
use crate::value::op::{Failure, FailureKind};
use crate::value::{Comparison, Op, TypeSet, Value};
use std::cmp::Ordering;

/// An operand with its place.
pub(crate) type Side = (Meta, Span);

impl Evaluator {
    pub(crate) fn unary(
        &mut self,
        operator: UnaryOperator,
        operand: Meta,
        (span, operand_span): (Span, Span),
    ) -> Outcome<Meta> {
        let op = match operator {
            UnaryOperator::Not => Op::Not,
            UnaryOperator::Negate => Op::Negate,
            UnaryOperator::Plus => Op::Plus,
        };
        match operand {
            Meta::Scorer(_) => self.map_scorers(op, &[&operand], span),
            Meta::SOp(id) => self.map_one(op, (id, operand_span), span),
            Meta::Selector(id) if operator == UnaryOperator::Not => {
                Ok(Meta::Selector(self.add_selector(Selector::Not(id), span)?))
            }
            Meta::Atom(value) if op == Op::Not || value.is_number() => {
                atom_result(op.apply(&[&value]), span)
            }
            other if operator == UnaryOperator::Not => Ok(Meta::Atom(Value::Bool(!other.truthy()))),
            other => {
                let symbol = operator.symbol();
                let error = self.operand_error(symbol, &[(&other, operand_span)], span);
                Err(match other {
                    Meta::Selector(_) => {
                        let negated = self.written(operand_span);
                        error.maybe_help(negated.map(|selector| {
                            format!("the selector of all other keys: `not {selector}`")
                        }))
                    }
                    Meta::List(_) => {
                        let each = self.each_element(&other, (span, operand_span));
                        error.maybe_help(each)
                    }
                    _ => {
                        let written = self.written(operand_span);
                        error.maybe_help(without_sign(&other, written.as_deref()))
                    }
                }
                .into())
            }
        }
    }

    /// A primitive of one s-op, which may have the wrong type.
    pub(crate) fn map_one(&mut self, op: Op, (id, at): (SOpId, Span), span: Span) -> Outcome<Meta> {
        let types = self.graph.types(id);
        if !types.is_empty() && op.result_type(&[types]).is_empty() {
            let operand = (Meta::SOp(id), at);
            let error = self.operand_error(op.symbol(), &[(&operand.0, at)], span);
            let error = error.note("this fails on every input");
            return Err(error
                .maybe_help(self.with_numeric_tokens(span, &[operand]))
                .into());
        }
        Ok(Meta::SOp(self.add_map(op, vec![id], span)?))
    }

    pub(crate) fn binary(
        &mut self,
        operator: BinaryOperator,
        sides: [Side; 2],
        span: Span,
    ) -> Outcome<Meta> {
        match operator {
            BinaryOperator::In => self.membership(sides, span),
            BinaryOperator::And | BinaryOperator::Or => self.logical(operator, sides, span),
            BinaryOperator::Power => self.arithmetic(Op::Power, sides, span),
            BinaryOperator::Multiply => self.arithmetic(Op::Multiply, sides, span),
            BinaryOperator::Divide => self.arithmetic(Op::Divide, sides, span),
            BinaryOperator::Remainder => self.arithmetic(Op::Remainder, sides, span),
            BinaryOperator::Add => self.arithmetic(Op::Add, sides, span),
            BinaryOperator::Subtract => self.arithmetic(Op::Subtract, sides, span),
            BinaryOperator::Compare(comparison) => {
                self.arithmetic(Op::Compare(comparison), sides, span)
            }
        }
    }

    fn logical(&mut self, operator: BinaryOperator, sides: [Side; 2], span: Span) -> Outcome<Meta> {
        let and = operator == BinaryOperator::And;
        match (&sides[0].0, &sides[1].0) {
            (Meta::Scorer(_), Meta::Selector(_)) | (Meta::Selector(_), Meta::Scorer(_)) => {
                Err(self.selector_and_other(&sides, operator, span).into())
            }
            (a @ Meta::Scorer(_), b) | (a, b @ Meta::Scorer(_)) => {
                self.map_scorers(if and { Op::And } else { Op::Or }, &[a, b], span)
            }
            (Meta::Selector(a), Meta::Selector(b)) => {
                let selector = if and {
                    Selector::And(*a, *b)
                } else {
                    Selector::Or(*a, *b)
                };
                Ok(Meta::Selector(self.add_selector(selector, span)?))
            }
            (Meta::Selector(_), _) | (_, Meta::Selector(_)) => {
                Err(self.selector_and_other(&sides, operator, span).into())
            }
            (Meta::SOp(_), _) | (_, Meta::SOp(_)) => {
                let op = if and { Op::And } else { Op::Or };
                self.warn_constant_side(&op, &sides, span);
                self.elementwise(op, &sides, span)
            }
            (a, _) => {
                let first = a.truthy() != and;
                let [a, b] = sides;
                Ok(if first { a.0 } else { b.0 })
            }
        }
    }

    fn arithmetic(&mut self, op: Op, sides: [Side; 2], span: Span) -> Outcome<Meta> {
        let [(a, a_span), (b, b_span)] = &sides;
        match (a, b) {
            (Meta::Selector(_), _) | (_, Meta::Selector(_)) => {
                Err(self.operator_on_selector(&op, &sides, span).into())
            }
            (Meta::Scorer(_), _) | (_, Meta::Scorer(_)) => {
                let mapped = self.map_scorers(op.clone(), &[a, b], span);
                mapped.map_err(|stop| match stop {
                    Stop::Error(error) if error.help.is_none() => {
                        error.maybe_help(self.on_one_type(&op, &sides, span)).into()
                    }
                    stop => stop,
                })
            }
            (Meta::SOp(_), _) | (_, Meta::SOp(_)) => self.elementwise(op, &sides, span),
            (Meta::Atom(x), Meta::Atom(y)) => match op.apply(&[x, y]) {
                Err(failure) if failure.kind == FailureKind::Types => {
                    let operands = [(a, *a_span), (b, *b_span)];
                    let error = self.operand_error(op.symbol(), &operands, span);
                    Err(error.maybe_help(self.on_one_type(&op, &sides, span)).into())
                }
                result => atom_result(result, span),
            },
            _ => self.containers(&op, &sides, span),
        }
    }

    /// An elementwise node; atoms are broadcast.
    fn elementwise(&mut self, op: Op, sides: &[Side; 2], span: Span) -> Outcome<Meta> {
        let equality = match op {
            Op::Compare(Comparison::Equal) => Some(false),
            Op::Compare(Comparison::NotEqual) => Some(true),
            _ => None,
        };
        let mut operands = Vec::with_capacity(2);
        for (meta, side_span) in sides {
            match (meta, equality) {
                (Meta::SOp(_) | Meta::Atom(_), _) => {
                    operands.push(self.broadcast(meta, *side_span)?)
                }
                // No atom equals a list or a dict.
                (_, Some(answer)) => {
                    self.warn_constant_comparison(&op, sides, span, answer);
                    let id = self.add_sop(SOp::Constant(Value::Bool(answer)), span)?;
                    return Ok(Meta::SOp(id));
                }
                _ => {
                    let operands = [(&sides[0].0, sides[0].1), (&sides[1].0, sides[1].1)];
                    let error = self.operand_error(op.symbol(), &operands, span);
                    return Err(error.maybe_help(self.as_sop(meta, *side_span, span)).into());
                }
            }
        }
        let types: Vec<TypeSet> = operands.iter().map(|id| self.graph.types(*id)).collect();
        let known = types.iter().all(|types| !types.is_empty());
        if known && op.result_type(&types).is_empty() {
            return Err(self.type_error(&op, sides, &operands, span).into());
        }
        if let (Some(answer), true) = (equality, known && never_equal(types[0], types[1])) {
            self.warn_constant_comparison(&op, sides, span, answer);
        }
        Ok(Meta::SOp(self.add_map(op, operands, span)?))
    }

    /// The s-op of an s-op or atom.
    ///
    /// # Errors
    /// Anything else.
    pub(crate) fn broadcast(&mut self, meta: &Meta, span: Span) -> Outcome<SOpId> {
        match meta {
            Meta::SOp(id) => Ok(*id),
            Meta::Atom(value) => self.add_sop(SOp::Constant(value.clone()), span),
            other => {
                let code = match other {
                    Meta::Selector(_) => Code::SelectorMisused,
                    _ => Code::AtomExpected,
                };
                let message = format!("an s-op or an atom is needed here, not {}", other.kind());
                Err(Diagnostic::error(code, message)
                    .at(span, format!("this is {}", other.kind()))
                    .into())
            }
        }
    }

    /// [`Evaluator::broadcast`] of a part of `whole`, which a mistake is mended in.
    pub(crate) fn broadcast_in(&mut self, meta: &Meta, span: Span, whole: Span) -> Outcome<SOpId> {
        self.broadcast(meta, span).map_err(|stop| match stop {
            Stop::Error(error) => error.maybe_help(self.as_sop(meta, span, whole)).into(),
            Stop::Broken => Stop::Broken,
        })
    }

    /// Operators on lists, dicts, functions and results of applications.
    fn containers(&mut self, op: &Op, sides: &[Side; 2], span: Span) -> Outcome<Meta> {
        let [(a, a_span), (b, b_span)] = sides;
        match (op, a, b) {
            (Op::Compare(Comparison::Equal), ..) => {
                Ok(Meta::Atom(Value::Bool(self.equal(a, b, span)?)))
            }
            (Op::Compare(Comparison::NotEqual), ..) => {
                Ok(Meta::Atom(Value::Bool(!self.equal(a, b, span)?)))
            }
            (Op::Add, Meta::List(a), Meta::List(b)) => self.nested(
                Meta::list(a.iter().chain(b.iter()).cloned().collect()),
                span,
            ),
            (Op::Multiply, Meta::List(items), Meta::Atom(count))
            | (Op::Multiply, Meta::Atom(count), Meta::List(items))
                if count.as_int().is_some() =>
            {
                let count = usize::try_from(count.as_int().unwrap_or(0)).unwrap_or(0);
                let length = items.len().saturating_mul(count);
                if length > self.limits.collection_length {
                    return Err(self
                        .limit(span, ELEMENTS, self.limits.collection_length)
                        .note(format!("this list would have {length}"))
                        .into());
                }
                let repeated = items.iter().cycle().take(length).cloned().collect();
                Ok(Meta::list(repeated))
            }
            (Op::Compare(comparison), Meta::List(x), Meta::List(y)) => {
                let order = self.list_order(x, y, (*a_span, *b_span), span)?;
                Ok(Meta::Atom(Value::Bool(match comparison {
                    Comparison::Less => order == Ordering::Less,
                    Comparison::LessEqual => order != Ordering::Greater,
                    Comparison::Greater => order == Ordering::Greater,
                    Comparison::GreaterEqual => order != Ordering::Less,
                    Comparison::Equal | Comparison::NotEqual => unreachable!("answered above"),
                })))
            }
            _ => {
                let operands = [(a, *a_span), (b, *b_span)];
                let error = self.operand_error(op.symbol(), &operands, span);
                Err(error.maybe_help(self.of_containers(op, sides, span)).into())
            }
        }
    }

    /// Lexicographic order of lists of atoms and lists.
    fn list_order(
        &mut self,
        a: &[Meta],
        b: &[Meta],
        spans: (Span, Span),
        span: Span,
    ) -> Outcome<Ordering> {
        for (x, y) in a.iter().zip(b) {
            if self.equal(x, y, span)? {
                continue;
            }
            return match (x, y) {
                (Meta::Atom(x), Meta::Atom(y)) if x.order(y).is_some() => {
                    Ok(x.order(y).unwrap_or(Ordering::Equal))
                }
                (Meta::List(x), Meta::List(y)) => self.list_order(x, y, spans, span),
                _ => Err(self
                    .operand_error("<", &[(x, spans.0), (y, spans.1)], span)
                    .into()),
            };
        }
        Ok(a.len().cmp(&b.len()))
    }

    /// Equality of any two values that are not s-ops; s-ops and selectors equal only themselves.
    pub(crate) fn equal(&mut self, a: &Meta, b: &Meta, span: Span) -> Outcome<bool> {
        self.step(span)?;
        match (a, b) {
            (Meta::Atom(a), Meta::Atom(b)) => Ok(a.equals(b)),
            (Meta::List(a), Meta::List(b)) => {
                if std::rc::Rc::ptr_eq(a, b) {
                    return Ok(true);
                }
                if a.len() != b.len() {
                    return Ok(false);
                }
                for (x, y) in a.iter().zip(b.iter()) {
                    if !self.equal(x, y, span)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Meta::Dict(a), Meta::Dict(b)) => {
                if a.len() != b.len() {
                    return Ok(false);
                }
                for (key, x) in a.iter() {
                    match b.get(key) {
                        Some(y) if self.equal(x, y, span)? => {}
                        _ => return Ok(false),
                    }
                }
                Ok(true)
            }
            (Meta::Function(a), Meta::Function(b)) => Ok(std::rc::Rc::ptr_eq(a, b)),
            (Meta::Selector(a), Meta::Selector(b)) => Ok(a == b),
            (Meta::SOp(_), _) | (_, Meta::SOp(_)) => Err(Diagnostic::error(
                Code::AtomExpected,
                "an s-op has no values yet that could be compared here",
            )
            .at(span, "compares an s-op inside a list or dict")
            .help("compare the s-ops themselves, position by position: `a == b`")
            .into()),
            (Meta::Application(a), b) | (b, Meta::Application(a)) => Ok(application_equals(a, b)),
            _ => Ok(false),
        }
    }

    /// Warns of branches of which one certainly holds numbers and the other strings.
    fn check_branches(&mut self, cx: &Context, ids: [ExprId; 2], sops: [SOpId; 2], span: Span) {
        let mut parts = [0, 1].map(|at| {
            let expr = cx.ast.get(ids[at]);
            let literal = match &expr.kind {
                ExprKind::Literal(value) => Some(value),
                _ => None,
            };
            let part = Part {
                types: self.graph.types(sops[at]),
                at: expr.span,
                called: ["this branch is of numbers", "this branch is of strings"],
            };
            (part, literal)
        });
        // What is written out can be mended; of two literals the number, which always can be.
        parts.sort_by_key(|(_, literal)| literal.map_or(2, |value| u8::from(!value.is_number())));
        let [(first, literal), (second, _)] = parts;
        let what = "the branches of this choice";
        self.warn_mixed((span, what), [first, second], literal, None);
    }

    pub(crate) fn ternary(
        &mut self,
        cx: &Context,
        [then, condition, otherwise]: [ExprId; 3],
        span: Span,
    ) -> Outcome<Meta> {
        let condition_span = cx.ast.get(condition).span;
        match self.expression(cx, condition)? {
            Meta::SOp(condition) => {
                let mut operands = vec![condition];
                let mut sides = Vec::with_capacity(2);
                for branch in [then, otherwise] {
                    sides.push((self.expression(cx, branch)?, cx.ast.get(branch).span));
                }
                for (value, at) in &sides {
                    let operand = self.broadcast(value, *at);
                    operands.push(operand.map_err(|stop| self.both_sops(stop, &sides, span))?);
                }
                self.check_branches(cx, [then, otherwise], [operands[1], operands[2]], span);
                Ok(Meta::SOp(self.add_map(Op::If, operands, span)?))
            }
            condition @ Meta::Scorer(_) => {
                let then = self.expression(cx, then)?;
                let otherwise = self.expression(cx, otherwise)?;
                self.map_scorers(Op::If, &[&condition, &then, &otherwise], span)
            }
            Meta::Selector(_) => Err(Diagnostic::error(
                Code::SelectorMisused,
                "a selector is neither true nor false",
            )
            .at(condition_span, "this is a selector")
            .maybe_help(
                self.rewritten(span, condition_span, |sel| format!("has_focus({sel})"))
                    .map(|fixed| {
                        format!("to ask at each position whether a key is selected: `{fixed}`")
                    }),
            )
            .into()),
            other => self.expression(cx, if other.truthy() { then } else { otherwise }),
        }
    }
}

/// The result of an application compared with another result, or with a list; that of an s-op also
/// with a string of its tokens, that of a selector with a list of rows.
fn application_equals(application: &Application, other: &Meta) -> bool {
    let output = match application {
        Application::Sequence { output, .. } => output,
        Application::Matrix { rows, .. } => return matrix_equals(rows, other),
    };
    let expected = match other {
        Meta::Application(other) => match &**other {
            Application::Sequence { output, .. } => Some(output.values.clone()),
            Application::Matrix { .. } => None,
        },
        other => other.as_tokens(),
    };
    expected.is_some_and(|expected| {
        expected.len() == output.values.len()
            && expected
                .iter()
                .zip(&output.values)
                .all(|(a, b)| a.equals(b))
    })
}

fn matrix_equals(rows: &[Vec<bool>], other: &Meta) -> bool {
    let row_equals = |row: &[bool], other: &Meta| match other {
        Meta::List(bits) => {
            bits.len() == row.len()
                && bits.iter().zip(row).all(|(bit, expected)| {
                    bit.as_atom()
                        .is_some_and(|bit| bit.equals(&Value::Bool(*expected)))
                })
        }
        _ => false,
    };
    match other {
        Meta::Application(other) => {
            matches!(&**other, Application::Matrix { rows: other, .. } if other == rows)
        }
        Meta::List(other) => {
            other.len() == rows.len()
                && rows
                    .iter()
                    .zip(other.iter())
                    .all(|(row, other)| row_equals(row, other))
        }
        _ => false,
    }
}

/// An atom, or its failure as a diagnostic at `span`.
pub(crate) fn atom_result(result: Result<Value, Failure>, span: Span) -> Outcome<Meta> {
    result
        .map(Meta::Atom)
        .map_err(|failure| failure_at(failure, span).into())
}

pub(crate) fn failure_at(failure: Failure, span: Span) -> Diagnostic {
    let code = match failure.kind {
        FailureKind::Types => Code::OperandTypes,
        FailureKind::Overflow => Code::Overflow,
        FailureKind::Arithmetic => Code::ArithmeticFailed,
        FailureKind::Token => Code::BadToken,
        FailureKind::Index => Code::BadIndex,
        FailureKind::Limit => Code::LimitReached,
    };
    Diagnostic::error(code, failure.message).at(span, "computed here")
}

/// Whether no value of one type set equals one of the other.
pub(crate) fn never_equal(a: TypeSet, b: TypeSet) -> bool {
    let both = |types| a.meets(types) && b.meets(types);
    !a.is_empty() && !b.is_empty() && !both(TypeSet::NUMBER) && !both(TypeSet::STR)
}
