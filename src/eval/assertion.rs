//! `assert`: an in-file test. Each one that is run leaves an event, also inside a function, so that
//! `rasp test` can count them; one that does not hold is an error of its statement.

use super::expression::Context;
use super::meta::Meta;
use super::statement::{Assertion, Event};
use super::{Evaluator, Outcome, Stop};
use crate::base::{Code, Diagnostic, Span};
use crate::syntax::ast::{BinaryOperator, ExprId, ExprKind, Statement, StatementKind};

impl Evaluator {
    pub(super) fn assert(&mut self, cx: &Context, condition: ExprId) -> Outcome<()> {
        let span = cx.ast.get(condition).span;
        let mut values = Vec::new();
        let result = match self.holds(cx, condition, &mut values) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Stop::from(unmet(&values))),
            Err(stop) => Err(stop),
        };
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

    /// Whether a condition is true, and what it was found to be.
    fn holds(
        &mut self,
        cx: &Context,
        condition: ExprId,
        values: &mut Vec<(Span, String)>,
    ) -> Outcome<bool> {
        let expr = cx.ast.get(condition);
        let ExprKind::Binary {
            operator: operator @ BinaryOperator::Compare(_),
            left,
            right,
        } = &expr.kind
        else {
            let meta = self.expression(cx, condition)?;
            values.push((expr.span, meta.repr()));
            return self.truth(&meta, expr.span);
        };
        let sides = [
            (self.expression(cx, *left)?, cx.ast.get(*left).span),
            (self.expression(cx, *right)?, cx.ast.get(*right).span),
        ];
        values.extend(sides.iter().map(|(meta, span)| (*span, meta.repr())));
        let compared = self.binary(*operator, sides, expr.span)?;
        self.truth(&compared, expr.span)
    }

    /// The truth of a condition. An s-op has none: it differs from position to position.
    fn truth(&self, meta: &Meta, span: Span) -> Outcome<bool> {
        if !matches!(meta, Meta::SOp(_) | Meta::Selector(_)) {
            return Ok(matches!(meta, Meta::Atom(value) if value.truthy()));
        }
        let message = format!("an assertion needs a truth value, not {}", meta.kind());
        let error = Diagnostic::error(Code::AssertionFailed, message)
            .at(span, format!("this is {}", self.describe(meta)));
        let help = self.written(span).map(|written| {
            format!("say on which input: `assert ({written})(\"ab\") == [True, False];`")
        });
        Err(error.maybe_help(help).into())
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
