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

use crate::base::{Code, Diagnostic, Limits, SourceId, Span, Suggestion};
use crate::diagnose::{read, warnings};
use crate::eval::fault::{Cause, Doubt, Fault, Site};
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
        let read = read(source, text, limits);
        let mut found = if warns {
            warnings(&read, text)
        } else {
            Vec::new()
        };
        found.extend(read.diagnostics);
        (read.ast, found)
    }

    fn fault(&self, evaluator: &Evaluator, fault: &Fault) -> Option<Diagnostic> {
        let scene = Scene {
            evaluator,
            site: fault.site.as_ref(),
            calls: &fault.calls,
            whole: fault.site.as_ref().map_or(Span::BUILT_IN, |site| site.span),
        };
        let calls = fault.calls.iter();
        let path: Vec<_> = calls.map(|call| (call.name.clone(), call.span)).collect();
        let error = scene.told(&fault.cause)?;
        let meant = scene.meant(&fault.cause);
        let error = error.maybe_help(meant);
        if let Cause::OnInput { .. } = fault.cause {
            return Some(with_path(error, &path));
        }
        let error = scene.regrouped(error);
        let error = with_made(evaluator, error, fault.site.as_ref());
        let error = match &fault.changed {
            Some(changed) => with_change(error, changed),
            None => error,
        };
        Some(with_path(error, &path))
    }

    fn broken(&self, span: Span, label: &str) -> Diagnostic {
        error!(
            UndefinedName,
            "this uses a name whose definition has failed"
        )
        .at(span, label)
    }

    fn doubt(&self, evaluator: &Evaluator, doubt: &Doubt) -> Option<Diagnostic> {
        let site = evaluator.site_at(doubt.span);
        let scene = Scene {
            evaluator,
            site: site.as_ref(),
            calls: &[],
            whole: doubt.span,
        };
        scene.doubted(doubt)
    }
}

/// Adds where the parts were made that an error points at by their names.
fn with_made(evaluator: &Evaluator, mut error: Diagnostic, site: Option<&Site>) -> Diagnostic {
    let Some(site) = site else { return error };
    let ast = &site.ast;
    let ids: Vec<ExprId> = match site.expr {
        Some(id) => [id]
            .into_iter()
            .chain(ast.get(id).kind.children())
            .collect(),
        None => ast
            .ids()
            .filter(|id| site.span.contains(ast.get(*id).span))
            .collect(),
    };
    for id in ids {
        let Some(name) = ast.bare_name(id) else {
            continue;
        };
        let shown = ast.get(id).span;
        let made = evaluator.made_in(ast, site.scope, id);
        let pointed = error.labels.iter().any(|label| label.span == shown);
        if pointed && error.labels.iter().all(|label| label.span != made) {
            error = error.at(made, format!("`{name}` comes from here"));
        }
    }
    error
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
