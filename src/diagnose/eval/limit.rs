//! Limits that were reached, recursion above all.

use super::scene::Scene;
use crate::base::{Code, Diagnostic};
use crate::eval::Meta;
use crate::eval::fault::Limit;
use crate::eval::meta::Callable;
use crate::syntax::ast::{Ast, ExprId, ExprKind};
use std::fmt::Display;

impl Scene<'_> {
    pub(super) fn limit(&self, limit: &Limit) -> Diagnostic {
        let of = |name: &str, bound: &dyn Display, what: &str| {
            told!(
                error!(LimitReached, "the limit `{name}` of {bound} {what} is reached"),
                at self.whole, "reached while evaluating this",
            )
        };
        let longest = |bound| of("collection_length", bound, "elements in a list");
        rules! { limit;
            Limit::Steps(bound) => of("steps", bound, "evaluated expressions and made elements"),
                help "make shorter loops and lists, like over `range(100)`, or raise the limit";
            Limit::Nodes(bound) => of("graph_nodes", bound, "s-ops and selectors"),
                help "let loops run less often, like over `range(100)`";
            Limit::Memory(bound) => of("memory_bytes", bound, "bytes of lists, dicts and strings"),
                help "keep fewer or shorter lists and strings at the same time";
            Limit::Elements(bound, Some(all)) if self.function().is_some() => longest(bound),
                note "this `range` has about {all} elements",
                help "the longest one is `range({bound})`";
            Limit::Elements(bound, Some(all)) => longest(bound),
                note "this list would have {all}",
                help "make a shorter list, like `range(100)`";
            Limit::Elements(bound, None) => longest(bound),
                help "make a shorter list, like `range(100)`";
            Limit::Nesting(bound) => of("nesting", bound, "lists and dicts inside each other");
            Limit::LoadDepth(bound) => of("load_depth", bound, "loads inside each other");
            Limit::Loads(bound) => of("loads", bound, "loads of a program"), help "load each file once";
            Limit::Calls { bound, callable } =>
                self.endless(of("call_depth", bound, "calls inside each other"), callable);
        }
    }

    /// A function that calls itself without end: whether there is a choice that could end it, and why
    /// it does not.
    fn endless(&self, error: Diagnostic, callable: &Callable) -> Diagnostic {
        let name = &callable.name;
        let choice = choice(callable);
        let sop = choice.and_then(|(ast, condition)| {
            let whole = ast.get(condition).span;
            let meaning = |name| self.evaluator.lookup(self.site.scope, name);
            let inside = ast.ids().filter(|id| whole.contains(ast.get(*id).span));
            let mut names = inside.filter_map(|id| ast.bare_name(id));
            names.find(|name| matches!(meaning(name), Some(Meta::SOp(_) | Meta::Scorer(_))))
        });
        rules! { (choice, sop);
            (Some(_), Some(read)) => error,
                note "`{read}` is an s-op: both branches of a choice on it are evaluated, before there \
                      is an input, so it ends nothing",
                help "end the recursion by a number";
            (Some((ast, condition)), None) =>
                where sooner = self.written(ast.get(condition).span).and_then(|text| sooner(&text));
                where other = || "call it with arguments for which the choice ends it".to_string();
                where help = sooner.map_or_else(other, |it| format!("end it for smaller numbers too: `{it}`"));
                error,
                note "the choice in `{name}` does not end it for these arguments",
                help "{help}";
            (None, _) =>
                where n = callable.single().first().map_or("n", |(name, _)| &**name);
                error,
                note "`{name}` may be calling itself without end",
                help "let a choice end it: `return 1 if {n} == 0 else {n} * {name}({n} - 1);`";
        }
    }
}

/// The condition of the first choice in what a function gives.
fn choice(callable: &Callable) -> Option<(&Ast, ExprId)> {
    let (ast, mut pending) = callable.results()?;
    while let Some(id) = pending.pop() {
        let kind = &ast.get(id).kind;
        if let ExprKind::Ternary { condition, .. } = kind {
            return Some((ast, *condition));
        }
        pending.extend(kind.children());
    }
    None
}

/// `n <= 0` for `n == 0`.
fn sooner(condition: &str) -> Option<String> {
    let (left, right) = condition.split_once("==")?;
    let others = [" and ", " or ", " if ", "=="];
    let single = |side: &str| !others.iter().any(|word| side.contains(word));
    let fixed = format!("{} <= {}", left.trim_end(), right.trim_start());
    (single(left) && single(right)).then_some(fixed)
}
