//! Warnings about functions that hold what nobody uses: names that are set and never read, and
//! parameters that hide each other. Read off the tree alone; where it is not sure it is silent.

use super::ast::{
    Ast, ExprId, ExprKind, Function, Ident, Name, Parameter, Statement, StatementKind,
};
use crate::base::{Code, Diagnostic};
use std::collections::{BTreeMap, BTreeSet};

/// The warnings about a program, in the order of its text.
pub fn lint(ast: &Ast) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for id in ast.ids() {
        if let ExprKind::Lambda(lambda) = &ast.get(id).kind {
            duplicates(&lambda.parameters, &mut diagnostics);
        }
    }
    for statement in &ast.statements {
        functions(ast, statement, &mut diagnostics);
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.span());
    diagnostics
}

fn functions(ast: &Ast, statement: &Statement, diagnostics: &mut Vec<Diagnostic>) {
    let body = match &statement.kind {
        StatementKind::Define(function) => {
            duplicates(&function.parameters, diagnostics);
            unused(ast, function, diagnostics);
            &function.body
        }
        StatementKind::For { body, .. } => body,
        _ => return,
    };
    for inner in body {
        functions(ast, inner, diagnostics);
    }
}

fn duplicates(parameters: &[Parameter], diagnostics: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<&Name, &Ident> = BTreeMap::new();
    for parameter in parameters {
        let ident = &parameter.ident;
        if let Some(first) = seen.insert(&ident.name, ident) {
            let message = format!("two parameters are named `{}`", ident.name);
            diagnostics.push(
                Diagnostic::warning(Code::DuplicateParameter, message)
                    .at(ident.span, "this one hides the other")
                    .at(first.span, "this one can never be read")
                    .help(format!("give one another name, like `{}2`", ident.name)),
            );
        }
    }
}

/// The names that a function sets and neither it nor a function inside it reads.
fn unused(ast: &Ast, function: &Function, diagnostics: &mut Vec<Diagnostic>) {
    let mut read = BTreeSet::new();
    let mut set: Vec<&[Ident]> = Vec::new();
    for statement in &function.body {
        visit(ast, statement, &mut read, &mut set, true);
    }
    for result in &function.results {
        reads(ast, *result, &mut read);
    }
    // `out` is whatever was set last.
    if read.contains("out") {
        return;
    }
    let mut told = BTreeSet::new();
    for names in set {
        // Taking values apart may give more of them than are needed.
        let idle = |ident: &Ident| !read.contains(&*ident.name) && !ident.name.starts_with('_');
        let [first, ..] = names else { continue };
        if names.iter().all(idle) && told.insert(first.name.clone()) {
            let message = format!(
                "`{}` is set in `{}` and never read",
                first.name, function.ident.name
            );
            diagnostics.push(
                Diagnostic::warning(Code::UnusedName, message)
                    .at(first.span, "nothing reads this")
                    .help(format!(
                        "remove the statement, or name it `_{}`",
                        first.name
                    )),
            );
        }
    }
}

/// Collects what a statement reads and, in this function itself, sets.
fn visit<'a>(
    ast: &Ast,
    statement: &'a Statement,
    read: &mut BTreeSet<Name>,
    set: &mut Vec<&'a [Ident]>,
    own: bool,
) {
    match &statement.kind {
        StatementKind::Expression(id) | StatementKind::Assert { condition: id } => {
            reads(ast, *id, read);
        }
        StatementKind::Assign { names, values } => {
            if own {
                set.push(names);
            }
            for value in values {
                reads(ast, *value, read);
            }
        }
        StatementKind::For { iterable, body, .. } => {
            reads(ast, *iterable, read);
            for inner in body {
                visit(ast, inner, read, set, own);
            }
        }
        StatementKind::Define(function) => {
            let defaults = function
                .parameters
                .iter()
                .filter_map(|parameter| parameter.default);
            for id in defaults.chain(function.results.iter().copied()) {
                reads(ast, id, read);
            }
            for inner in &function.body {
                visit(ast, inner, read, set, false);
            }
        }
        StatementKind::Draw { value, input } => {
            reads(ast, *value, read);
            if let Some(input) = input {
                reads(ast, *input, read);
            }
        }
        // A statement that could not be read may have read anything.
        StatementKind::Error => {
            read.insert("out".into());
        }
        StatementKind::Load { .. } | StatementKind::Command(_) => {}
    }
}

fn reads(ast: &Ast, id: ExprId, read: &mut BTreeSet<Name>) {
    let mut pending = vec![id];
    while let Some(id) = pending.pop() {
        let kind = &ast.get(id).kind;
        if let ExprKind::Name(name) = kind {
            read.insert(name.clone());
        }
        pending.extend(kind.children());
    }
}
