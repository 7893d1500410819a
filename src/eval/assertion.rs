//! `assert`: an in-file test. Each one that is run leaves an event, also inside a function, so that
//! `rasp test` can count them; one that does not hold is an error of its statement.

use super::expression::Context;
use super::made::bare;
use super::meta::{Application, Meta};
use super::quoted::{one_line, operand};
use super::statement::{Assertion, Event};
use super::{Evaluator, Outcome, Stop};
use crate::base::{Code, Diagnostic, Span};
use crate::interpret;
use crate::syntax::ast::{BinaryOperator, ExprId, ExprKind, Statement, StatementKind};
use crate::value::{Comparison, Value};

const EQUAL: BinaryOperator = BinaryOperator::Compare(Comparison::Equal);

impl Evaluator {
    pub(super) fn assert(&mut self, cx: &Context, condition: ExprId) -> Outcome<()> {
        let span = cx.ast.get(condition).span;
        let mut values = Vec::new();
        let result = self.holds(cx, condition, &mut values);
        let failure = match &result {
            Ok(()) => None,
            Err(Stop::Error(diagnostic)) => Some(diagnostic.clone()),
            Err(Stop::Broken) => Some(Box::new(broken(span))),
        };
        self.asserted.push(Assertion {
            span,
            values,
            failure,
        });
        result
    }

    /// The assertions that were run since they were last taken.
    pub(super) fn take_asserted(&mut self) -> impl Iterator<Item = Event> + use<> {
        std::mem::take(&mut self.asserted)
            .into_iter()
            .map(Event::Asserted)
    }

    /// Evaluates a condition, which leaves what it was found to be.
    ///
    /// # Errors
    /// It is not true.
    fn holds(
        &mut self,
        cx: &Context,
        condition: ExprId,
        values: &mut Vec<(Span, String)>,
    ) -> Outcome<()> {
        let expr = cx.ast.get(condition);
        let ExprKind::Binary {
            operator: operator @ BinaryOperator::Compare(_),
            left,
            right,
        } = &expr.kind
        else {
            let meta = self.expression(cx, condition)?;
            values.push((expr.span, meta.repr()));
            return match self.truth(&meta, expr.span)? {
                true => Ok(()),
                false => Err(unmet(values)
                    .maybe_help(match meta {
                        Meta::Application(_) => self.comparison_of(cx, (&meta, condition)),
                        _ => None,
                    })
                    .into()),
            };
        };
        let sides = [
            (self.expression(cx, *left)?, cx.ast.get(*left).span),
            (self.expression(cx, *right)?, cx.ast.get(*right).span),
        ];
        values.extend(sides.iter().map(|(meta, span)| (*span, meta.repr())));
        let found = sides[0].0.clone();
        let compared = self.binary(*operator, sides, expr.span)?;
        match self.truth(&compared, expr.span)? {
            true => Ok(()),
            false => Err(unmet(values)
                .maybe_help(match (&found, operator) {
                    (Meta::Atom(_), other) if *other != EQUAL => None,
                    _ => self.comparison_of(cx, (&found, *left)),
                })
                .into()),
        }
    }

    /// The truth of a condition. An s-op has none: it differs from position to position.
    fn truth(&self, meta: &Meta, span: Span) -> Outcome<bool> {
        if !matches!(meta, Meta::SOp(_) | Meta::Selector(_)) {
            return Ok(matches!(meta, Meta::Atom(value) if value.truthy()));
        }
        let message = format!("an assertion needs a truth value, not {}", meta.kind());
        let error = Diagnostic::error(Code::AssertionFailed, message)
            .at(span, format!("this is {}", self.describe(meta)));
        let help = self.on_an_input(meta, span);
        let help = help.map(|holding| format!("say on which input: `assert {holding};`"));
        Err(error.maybe_help(help).into())
    }

    /// What an s-op gives on an input, or how many keys a selector selects there, as a condition
    /// that holds.
    fn on_an_input(&self, meta: &Meta, span: Span) -> Option<String> {
        let input = Value::characters("ab");
        let written = self.written(span)?;
        match meta {
            Meta::SOp(id) => {
                let output = interpret::evaluate(&self.graph, *id, &input).ok()?;
                let values = listed(&output.values)?;
                Some(format!("{}(\"ab\") == {values}", operand(&written)))
            }
            Meta::Selector(id) => {
                let rows = interpret::evaluate_selector(&self.graph, *id, &input).ok()?;
                Some(format!(
                    "{}(\"ab\") == {}",
                    operand(&written),
                    matrix(&rows)?
                ))
            }
            _ => None,
        }
    }

    /// A comparison that holds of what an s-op or selector gives on an input.
    fn comparison_of(&self, cx: &Context, (meta, id): (&Meta, ExprId)) -> Option<String> {
        let literal = matches!(cx.ast.get(bare(&cx.ast, id)).kind, ExprKind::Literal(_));
        if let (Meta::Atom(value), false) = (meta, literal) {
            let (written, value) = (self.written(cx.ast.get(id).span)?, value.source());
            return Some(format!(
                "if {value} is right: `assert {written} == {value};`"
            ));
        }
        let Meta::Application(application) = meta else {
            return None;
        };
        let whole = cx.ast.get(id).span;
        match &**application {
            Application::Sequence { output, .. } => {
                let (written, values) = (self.written(whole)?, listed(&output.values)?);
                Some(format!(
                    "if what it gives is right: `assert {written} == {values};`"
                ))
            }
            Application::Matrix { rows, .. } => {
                let (written, rows) = (self.written(whole)?, matrix(rows)?);
                Some(format!(
                    "if what it gives is right: `assert {written} == {rows};`"
                ))
            }
        }
    }

    /// A statement of a loop. An assertion that does not hold ends neither the loop nor the
    /// assertions behind it; the first is the loop's error, so that a long loop says it once.
    pub(super) fn looped(
        &mut self,
        cx: &Context,
        statement: &Statement,
        failed: &mut Option<Box<Diagnostic>>,
    ) -> Outcome<()> {
        match self.statement(cx, statement, &mut Vec::new()) {
            Err(Stop::Error(failure)) if continues(statement, &failure) => {
                failed.get_or_insert(failure);
                Ok(())
            }
            other => other,
        }
    }
}

/// Whether a loop goes on behind this statement's error.
fn continues(statement: &Statement, failure: &Diagnostic) -> bool {
    matches!(
        statement.kind,
        StatementKind::Assert { .. } | StatementKind::For { .. }
    ) && failure.code == Code::AssertionFailed
}

const UNMET: &str = "this assertion does not hold";

/// Values as a list, if they are few.
fn listed(values: &[Value]) -> Option<String> {
    let sources: Vec<String> = values.iter().map(Value::source).collect();
    one_line(&format!("[{}]", sources.join(", ")))
}

/// A selector's matrix as a list of rows, if it is small.
fn matrix(rows: &[Vec<bool>]) -> Option<String> {
    let row = |row: &Vec<bool>| {
        let values: Vec<Value> = row.iter().copied().map(Value::Bool).collect();
        listed(&values)
    };
    let rows = rows.iter().map(row).collect::<Option<Vec<String>>>()?;
    one_line(&format!("[{}]", rows.join(", ")))
}

fn unmet(values: &[(Span, String)]) -> Diagnostic {
    let failure = Diagnostic::error(Code::AssertionFailed, UNMET);
    values.iter().fold(failure, |failure, (span, value)| {
        failure.at(*span, format!("this is {value}"))
    })
}

fn broken(span: Span) -> Diagnostic {
    let message = "this uses a name whose definition has failed";
    Diagnostic::error(Code::UndefinedName, message).at(span, "asserted here")
}

impl Assertion {
    /// Whether it was found to be false; any other failure says itself what is wrong.
    pub fn is_false(&self) -> bool {
        let failure = self.failure.as_ref();
        failure.is_some_and(|failure| failure.message == UNMET)
    }

    /// Whether an error is the failure of this assertion, with the calls that led to it.
    pub fn fails_with(&self, error: &Diagnostic) -> bool {
        let same = |failure: &Diagnostic| {
            failure.code == error.code
                && failure.message == error.message
                && failure.span() == error.span()
        };
        self.failure.as_deref().is_some_and(same)
    }
}
