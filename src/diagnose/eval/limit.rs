//! Limits that were reached, recursion above all.

use super::scene::{Scene, Side};
use crate::base::{Code, Diagnostic, Span};
use crate::eval::Meta;
use crate::eval::fault::Limit;
use crate::eval::meta::Callable;
use crate::syntax::ast::ExprKind;

impl Scene<'_> {
    pub(super) fn limit(&self, limit: &Limit) -> Diagnostic {
        let (name, bound, what): (_, &dyn std::fmt::Display, _) = match limit {
            Limit::Steps(bound) => ("steps", bound, "evaluated expressions and made elements"),
            Limit::Memory(bound) => ("memory_bytes", bound, "bytes of lists, dicts and strings"),
            Limit::Nodes(bound) => ("graph_nodes", bound, "s-ops and selectors"),
            Limit::Elements(bound, _) => ("collection_length", bound, "elements in a list"),
            Limit::Nesting(bound) => ("nesting", bound, "lists and dicts inside each other"),
            Limit::LoadDepth(bound) => ("load_depth", bound, "loads inside each other"),
            Limit::Loads(bound) => ("loads", bound, "loads of a program"),
            Limit::Calls { bound, .. } => ("call_depth", bound, "calls inside each other"),
        };
        let message = format!("the limit `{name}` of {bound} {what} is reached");
        let error = Diagnostic::error(Code::LimitReached, message)
            .at(self.whole, "reached while evaluating this");
        let called = self.function().is_some();
        match limit {
            Limit::Steps(_) | Limit::Nodes(_) => {
                error.help("let loops run less often, like over `range(100)`")
            }
            Limit::Memory(_) => {
                error.help("keep fewer or shorter lists and strings at the same time")
            }
            Limit::Elements(bound, Some(all)) if called => error
                .note(format!("this `range` has about {all} elements"))
                .help(format!("the longest one is `range({bound})`")),
            Limit::Elements(_, all) => all
                .iter()
                .fold(error, |error, all| {
                    error.note(format!("this list would have {all}"))
                })
                .help("make a shorter list, like `range(100)`"),
            Limit::Loads(_) => error.help("load each file once"),
            Limit::Nesting(_) | Limit::LoadDepth(_) => error,
            Limit::Calls {
                callable,
                arguments,
                ..
            } => self.endless(error, callable, arguments),
        }
    }

    /// A function that calls itself without end: whether there is a choice that could end it, and why
    /// it does not.
    fn endless(&self, error: Diagnostic, callable: &Callable, arguments: &[Side]) -> Diagnostic {
        let name = &callable.name;
        let parameters = callable.parameters.iter().map(|(parameter, _)| parameter);
        let sop = parameters
            .zip(arguments)
            .find(|(_, (meta, _))| matches!(meta, Meta::SOp(_) | Meta::Scorer(_)));
        match (choice(callable), sop) {
            (Some(_), Some((parameter, _))) => error
                .note(format!(
                    "`{parameter}` is an s-op: both branches of a choice on it are evaluated, before \
                     there is an input, so it ends nothing"
                ))
                .help("end the recursion by a number"),
            (Some(condition), None) => error
                .note(format!("the choice in `{name}` does not end it for these arguments"))
                .help(match self.written(condition).and_then(|text| sooner(&text)) {
                    Some(condition) => format!("end it for smaller numbers too: `{condition}`"),
                    None => "call it with arguments for which the choice ends it".to_string(),
                }),
            (None, _) => error
                .note(format!("`{name}` may be calling itself without end"))
                .help("let a choice end it: `return 1 if n == 0 else n * f(n - 1);`"),
        }
    }
}

/// Where the condition of the first choice in what a function gives stands.
fn choice(callable: &Callable) -> Option<Span> {
    let (ast, mut pending) = callable.results()?;
    while let Some(id) = pending.pop() {
        let kind = &ast.get(id).kind;
        if let ExprKind::Ternary { condition, .. } = kind {
            return Some(ast.get(*condition).span);
        }
        pending.extend(kind.children());
    }
    None
}

/// `n <= 0` for `n == 0`.
fn sooner(condition: &str) -> Option<String> {
    let (left, right) = condition.split_once("==")?;
    let several = [" and ", " or ", " if ", "=="]
        .iter()
        .any(|word| right.contains(word));
    if several || left.contains(" and ") || left.contains(" or ") {
        return None;
    }
    Some(format!("{} <= {}", left.trim_end(), right.trim_start()))
}
