//! Operators. On atoms, lists and dicts they compute; as soon as an s-op takes part they add an
//! elementwise node, with atoms broadcast; on selectors `and`, `or` and `not` combine.

use super::expression::Context;
use super::meta::{Application, Meta};
use super::{Evaluator, Outcome};
use crate::base::{Code, Diagnostic, Span};
use crate::graph::{SOp, SOpId, Selector};
use crate::syntax::ast::{BinaryOperator, ExprId, UnaryOperator};
use crate::value::op::{Failure, FailureKind};
use crate::value::{Comparison, Op, Value};
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
            Meta::SOp(id) => Ok(Meta::SOp(self.add_map(op, vec![id], span)?)),
            Meta::Selector(id) if operator == UnaryOperator::Not => {
                Ok(Meta::Selector(self.add_selector(Selector::Not(id), span)?))
            }
            Meta::Atom(value) => atom_result(op.apply(&[&value]), span),
            other if operator == UnaryOperator::Not => Ok(Meta::Atom(Value::Bool(!other.truthy()))),
            other => Err(operand_error(operator.symbol(), &[(&other, operand_span)], span).into()),
        }
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
            (Meta::Selector(a), Meta::Selector(b)) => {
                let selector = if and {
                    Selector::And(*a, *b)
                } else {
                    Selector::Or(*a, *b)
                };
                Ok(Meta::Selector(self.add_selector(selector, span)?))
            }
            (Meta::Selector(_), _) | (_, Meta::Selector(_)) => {
                Err(selector_and_other(&sides, operator))
            }
            (Meta::SOp(_), _) | (_, Meta::SOp(_)) => {
                let op = if and { Op::And } else { Op::Or };
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
                let selector_span = if matches!(a, Meta::Selector(_)) {
                    *a_span
                } else {
                    *b_span
                };
                Err(Diagnostic::error(
                    Code::SelectorMisused,
                    format!("`{op}` does not work on selectors"),
                )
                .at(selector_span, "this is a selector")
                .help(
                    "selectors combine with `and`, `or` and `not`; `aggregate` or \
                       `selector_width` makes an s-op of one",
                )
                .into())
            }
            (Meta::SOp(_), _) | (_, Meta::SOp(_)) => self.elementwise(op, &sides, span),
            (Meta::Atom(a), Meta::Atom(b)) => atom_result(op.apply(&[a, b]), span),
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
                    let id = self.add_sop(SOp::Constant(Value::Bool(answer)), span)?;
                    return Ok(Meta::SOp(id));
                }
                _ => {
                    let operands = [(&sides[0].0, sides[0].1), (&sides[1].0, sides[1].1)];
                    return Err(operand_error(op.symbol(), &operands, span).into());
                }
            }
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
            Meta::Selector(_) => Err(Diagnostic::error(
                Code::SelectorMisused,
                "an s-op or an atom is needed here, not a selector",
            )
            .at(span, "this is a selector")
            .into()),
            other => Err(Diagnostic::error(
                Code::AtomExpected,
                format!("an s-op or an atom is needed here, not {}", other.kind()),
            )
            .at(span, format!("this is {}", other.kind()))
            .into()),
        }
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
                        .limit(span, "elements", self.limits.collection_length)
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
            _ => Err(operand_error(op.symbol(), &[(a, *a_span), (b, *b_span)], span).into()),
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
                _ => Err(operand_error("<", &[(x, spans.0), (y, spans.1)], span).into()),
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
            .into()),
            (Meta::Application(a), b) | (b, Meta::Application(a)) => Ok(application_equals(a, b)),
            _ => Ok(false),
        }
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
                for branch in [then, otherwise] {
                    let value = self.expression(cx, branch)?;
                    operands.push(self.broadcast(&value, cx.ast.get(branch).span)?);
                }
                Ok(Meta::SOp(self.add_map(Op::If, operands, span)?))
            }
            Meta::Selector(_) => Err(Diagnostic::error(
                Code::SelectorMisused,
                "a selector is neither true nor false",
            )
            .at(condition_span, "this is a selector")
            .help("`has_focus(selector)` tells at each position whether anything is selected")
            .into()),
            other => self.expression(cx, if other.truthy() { then } else { otherwise }),
        }
    }
}

/// The result of an application compared with a list, a string of its tokens, or another result.
fn application_equals(application: &Application, other: &Meta) -> bool {
    let Application::Sequence { output, .. } = application else {
        return false;
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
    };
    Diagnostic::error(code, failure.message).at(span, "computed here")
}

fn operand_error(symbol: &str, operands: &[(&Meta, Span)], span: Span) -> Diagnostic {
    let kinds: Vec<&str> = operands.iter().map(|(meta, _)| meta.kind()).collect();
    let message = format!("`{symbol}` does not work on {}", kinds.join(" and "));
    let mut diagnostic = Diagnostic::error(Code::OperandTypes, message);
    for (meta, operand_span) in operands {
        if *operand_span != span {
            diagnostic = diagnostic.at(*operand_span, format!("this is {}", meta.kind()));
        }
    }
    if diagnostic.labels.is_empty() {
        diagnostic.at(span, "computed here")
    } else {
        diagnostic
    }
}

fn selector_and_other(sides: &[Side; 2], operator: BinaryOperator) -> super::Stop {
    let symbol = operator.symbol();
    let (other, other_span) = sides
        .iter()
        .find(|(meta, _)| !matches!(meta, Meta::Selector(_)))
        .unwrap_or(&sides[0]);
    Diagnostic::error(
        Code::SelectorExpected,
        format!(
            "`{symbol}` combines two selectors, not a selector and {}",
            other.kind()
        ),
    )
    .at(*other_span, format!("this is {}", other.kind()))
    .help("make it a selector: `select(x, True, ==)` selects the keys where `x` is true")
    .into()
}
