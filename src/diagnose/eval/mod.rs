//! Faults of evaluation in words: what happened and where, the places that led there, and what was
//! probably meant.

mod call;
mod cause;
mod doubt;
mod element;
mod input;
mod limit;
mod meant;
mod name;
mod operand;
mod quote;
mod scene;

pub use input::explain;
pub(super) use name::elsewhere;

use crate::base::{Code, Diagnostic, Limits, SourceId, Span, Suggestion};
use crate::diagnose::{read, warnings};
use crate::eval::fault::{Cause, Doubt, Fault};
use crate::eval::{Diagnose, Evaluator};
use crate::syntax::ast::{Ast, ExprId, Name};
use crate::value::TypeSet;
use scene::{Scene, kinds};

/// Calls shown on the way to an error.
const SHOWN_CALLS: usize = 3;

/// The words of this project.
pub struct Words;

impl Diagnose for Words {
    fn read(
        &self,
        source: SourceId,
        text: &str,
        limits: &Limits,
        warns: bool,
    ) -> (Ast, Vec<Diagnostic>) {
        let mut read = read(source, text, limits);
        if warns {
            let warnings = warnings(&read, text);
            read.diagnostics.extend(warnings);
        }
        (read.ast, read.diagnostics)
    }

    fn fault(&self, evaluator: &Evaluator, fault: &Fault) -> Option<Diagnostic> {
        let nowhere = || evaluator.site_at(Span::BUILT_IN);
        let site = fault.site.clone().unwrap_or_else(nowhere);
        let scene = Scene::new(evaluator, &site, &fault.calls);
        let calls = fault.calls.iter();
        let path: Vec<_> = calls.map(|call| (call.name.clone(), call.span)).collect();
        let error = scene.told(&fault.cause)?;
        let help = scene.meant(&fault.cause);
        let mut error = error.maybe_help(help.and_then(|help| scene.for_all_calls(help)));
        if !matches!(fault.cause, Cause::OnInput(..)) {
            error = scene.with_made(scene.regrouped(error));
            error = fault.changed.iter().fold(error, with_change);
        }
        Some(at_the_call(evaluator, with_path(error, &path)))
    }

    fn broken(&self, span: Span, label: &str) -> Diagnostic {
        told!(
            error!(UndefinedName, "this uses a name whose definition has failed"),
            at span, "{label}",
        )
    }

    fn doubt(&self, evaluator: &Evaluator, doubt: &Doubt) -> Option<Diagnostic> {
        let warning = Scene::new(evaluator, &evaluator.site_at(doubt.span), &[]).doubted(doubt)?;
        // What is read otherwise than it seems is told once.
        let is_around = |span: Span| {
            evaluator.diagnostics.iter().any(|told| {
                told.code == Code::SurprisingPrecedence
                    && told.span().is_some_and(|place| place.contains(span))
            })
        };
        let is_told =
            warning.code == Code::ConstantComparison && warning.span().is_some_and(is_around);
        (!is_told).then(|| at_the_call(evaluator, warning))
    }
}

impl Scene<'_> {
    /// A suggestion in words only where it would change the body of a function, which other calls may need as
    /// it is; nothing where it would change the library.
    fn for_all_calls(&self, help: Suggestion) -> Option<Suggestion> {
        let mut places = help.edits.iter().map(|(span, _)| *span);
        if places.clone().any(|span| self.evaluator.is_library(span)) {
            return None;
        }
        let in_call = |span| {
            self.calls
                .last()
                .is_none_or(|call| call.whole.contains(span))
        };
        let ast = &self.site.ast;
        let made = |scope, id| self.evaluator.made_in(ast, scope, id);
        let is_local = |id| made(self.site.scope, id) != made(self.evaluator.base, id);
        let names = ast.ids().filter(|id| ast.bare_name(*id).is_some());
        let mut inside = names.filter(|id| self.whole.contains(ast.get(*id).span));
        let is_right = places.all(in_call) || !inside.any(is_local);
        Some(if is_right { help } else { help.plain() })
    }

    /// Adds where the parts were made that an error points at by their names.
    fn with_made(&self, mut error: Diagnostic) -> Diagnostic {
        let (site, ast) = (self.site, &self.site.ast);
        let inside = |id: &ExprId| site.span.contains(ast.get(*id).span);
        let parts = match site.expr {
            Some(id) => self.kind_of(id).children(),
            None => ast.ids().filter(inside).collect(),
        };
        for id in site.expr.into_iter().chain(parts) {
            let Some(name) = ast.bare_name(id) else {
                continue;
            };
            let made = self.evaluator.made_in(ast, site.scope, id);
            let shown = |span| error.labels.iter().any(|label| label.span == span);
            if shown(self.span(id)) && !shown(made) {
                error = error.at(made, format!("`{name}` comes from here"));
            }
        }
        error
    }
}

/// Adds that a carried name had other types in the first round, for which the help may not hold.
fn with_change(mut error: Diagnostic, (name, types): &(Name, [TypeSet; 2])) -> Diagnostic {
    let [first, now] = types.map(kinds);
    if types.map(|types| TypeSet::NUMBER.contains(types)) == [true; 2] || first == now {
        return error;
    }
    error.help = error.help.map(Suggestion::plain);
    error.note(format!(
        "`{name}` is an s-op of {first} in the first round, and of {now} in this one"
    ))
}

/// Adds the calls that led to an error: the innermost and the one in the program itself.
fn with_path(mut error: Diagnostic, path: &[(Name, Span)]) -> Diagnostic {
    for (at, (name, span)) in path.iter().enumerate() {
        if at < SHOWN_CALLS || at + 1 == path.len() {
            error = error.within(*span, format!("in this call of `{name}`"));
        }
    }
    error
}

/// What happens in the library is told at what was handed over to it, or else at the call.
fn at_the_call(evaluator: &Evaluator, mut error: Diagnostic) -> Diagnostic {
    let is_library = |span: Span| evaluator.is_library(span);
    if error.span().is_some_and(is_library) {
        let labels = &mut error.labels;
        if let Some(at) = labels.iter().position(|label| !is_library(label.span)) {
            labels[..=at].rotate_right(1);
        }
    }
    error
}
