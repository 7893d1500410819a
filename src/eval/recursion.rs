//! What to say of a function that calls itself without end: whether there is a choice that could end
//! it, and why it does not.

use super::meta::{Body, Callable, Meta};
use super::operator::Side;
use super::{Evaluator, Outcome};
use crate::base::{Diagnostic, Span};
use crate::syntax::ast::{Ast, BinaryOperator, ExprId, ExprKind};
use crate::value::Comparison;
use std::rc::Rc;

impl Evaluator {
    /// Refuses one more call inside the calls in progress, if these are too many.
    pub(crate) fn check_depth(
        &self,
        callable: &Rc<Callable>,
        arguments: &[Side],
        span: Span,
    ) -> Outcome<()> {
        let bound = self.limits.call_depth;
        if self.calls < bound {
            return Ok(());
        }
        let limit = self.limit(span, ("call_depth", "calls inside each other"), bound);
        let error = self.endless(limit, callable, arguments);
        Err(error.into())
    }

    fn endless(&self, limit: Diagnostic, callable: &Callable, arguments: &[Side]) -> Diagnostic {
        let name = &callable.name;
        let parameters = callable.parameters.iter().map(|(parameter, _)| parameter);
        let sop = parameters
            .zip(arguments)
            .find(|(_, (meta, _))| matches!(meta, Meta::SOp(_) | Meta::Scorer(_)));
        match (choice(callable), sop) {
            (Some(_), Some((parameter, _))) => {
                let fitting: Vec<&str> = callable
                    .parameters
                    .iter()
                    .map(|(other, _)| if other == parameter { "3" } else { &**other })
                    .collect();
                limit
                    .note(format!(
                        "`{parameter}` is an s-op: both branches of a choice on it are evaluated, before \
                         there is an input, so it ends nothing"
                    ))
                    .help(format!(
                        "end the recursion by a number: `{name}({})`",
                        fitting.join(", ")
                    ))
            }
            (Some((ast, condition)), None) => limit
                .note(format!(
                    "the choice in `{name}` does not end it for these arguments"
                ))
                .help(match self.reached_sooner(ast, condition) {
                    Some(condition) => format!("end it for smaller numbers too: `{condition}`"),
                    None => {
                        format!("call it with arguments for which the choice ends it: `{name}(1)`")
                    }
                }),
            (None, _) => limit
                .note(format!("`{name}` may be calling itself without end"))
                .help("let a choice end it: `return 1 if n == 0 else n * f(n - 1);`"),
        }
    }

    /// `n <= 0` for `n == 0`.
    fn reached_sooner(&self, ast: &Ast, condition: ExprId) -> Option<String> {
        match ast.get(condition).kind {
            ExprKind::Binary {
                operator: BinaryOperator::Compare(Comparison::Equal),
                left,
                right,
            } => {
                let (left, right) = (ast.get(left).span, ast.get(right).span);
                Some(format!(
                    "{} <= {}",
                    self.written(left)?,
                    self.written(right)?
                ))
            }
            _ => None,
        }
    }
}

/// The condition of the first choice in what a function gives.
fn choice(callable: &Callable) -> Option<(&Ast, ExprId)> {
    let (ast, mut pending) = match &callable.body {
        Body::Defined { ast, function, .. } => (ast, function.results.clone()),
        Body::Lambda { ast, lambda, .. } => (ast, vec![lambda.body]),
        Body::Builtin(_) => return None,
    };
    while let Some(id) = pending.pop() {
        let kind = &ast.get(id).kind;
        if let ExprKind::Ternary { condition, .. } = kind {
            return Some((ast, *condition));
        }
        pending.extend(kind.children());
    }
    None
}
