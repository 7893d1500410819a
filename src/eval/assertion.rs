//! `assert`: an in-file test. Each one that is run leaves an event, also inside a function, so that
//! `rasp test` can count them; one that does not hold is an error of its statement.

use super::context::Context;
use super::fault::Cause;
use super::meta::{Meta, Side};
use super::statement::{Assertion, Event, Verdict};
use super::{Evaluator, Outcome, Stop};
use crate::base::Diagnostic;
use crate::syntax::ast::{BinaryOperator, ExprId, Statement, StatementKind};

impl Evaluator {
    pub(super) fn assert(&mut self, cx: &Context, condition: ExprId) -> Outcome<()> {
        let span = cx.span(condition);
        let mut found = Vec::new();
        let result = self.holds(cx, condition, &mut found);
        let result = result.map_err(|stop| stop.at(|| cx.site(condition)));
        let verdict = match &result {
            Ok(()) => Verdict::Holds,
            Err(Stop::Fault(fault)) if matches!(fault.cause, Cause::Unmet(_)) => Verdict::False,
            Err(_) => Verdict::Failed,
        };
        let failure = result.as_ref().err().map(|stop| {
            let worded = self.worded(stop);
            Box::new(worded.unwrap_or_else(|| self.words.broken(span, "asserted here")))
        });
        self.asserted.push(Assertion {
            span,
            values: found,
            verdict,
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
    fn holds(&mut self, cx: &Context, condition: ExprId, found: &mut Vec<Side>) -> Outcome<()> {
        let expr = cx.ast.get(condition);
        let value = if let Some((left, operator @ BinaryOperator::Compare(_), right)) =
            cx.ast.binary(condition)
        {
            for side in [left, right] {
                found.push(self.side(cx, side)?);
            }
            let sides = [found[0].clone(), found[1].clone()];
            self.binary(operator, sides, expr.span)?
        } else {
            found.push(self.side(cx, condition)?);
            found[0].0.clone()
        };
        match &value {
            // These have no truth: it differs from position to position.
            Meta::SOp(_) | Meta::Selector(_) => Err(Cause::NoTruth((value, expr.span)).into()),
            Meta::Atom(value) if value.truthy() => Ok(()),
            Meta::Atom(_)
            | Meta::List(_)
            | Meta::Dict(_)
            | Meta::Scorer(_)
            | Meta::Function(_)
            | Meta::Application(_)
            | Meta::Broken => Err(Cause::Unmet(found.clone()).into()),
        }
    }

    /// A statement of a loop. An assertion that does not hold ends neither the loop nor the
    /// assertions behind it; the first is the loop's error, so that a long loop says it once.
    pub(super) fn looped(
        &mut self,
        cx: &Context,
        statement: &Statement,
        failed: &mut Option<Stop>,
    ) -> Outcome<()> {
        match self.statement(cx, statement, &mut Vec::new()) {
            Err(stop) if continues(statement) && stop.is_assertion() => {
                failed.get_or_insert(stop);
                Ok(())
            }
            other => other,
        }
    }
}

/// Whether a loop may go on behind this statement's error.
fn continues(statement: &Statement) -> bool {
    matches!(
        statement.kind,
        StatementKind::Assert { .. } | StatementKind::For { .. } | StatementKind::Repeat(_)
    )
}

impl Assertion {
    /// Whether an error is the failure of this assertion, with the calls that led to it.
    pub fn fails_with(&self, error: &Diagnostic) -> bool {
        let same =
            |failure: &Diagnostic| failure.code == error.code && failure.span() == error.span();
        self.failure.as_deref().is_some_and(same)
    }
}
