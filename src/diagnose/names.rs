//! Warnings about what nobody uses: names that are set and never read, values that are replaced
//! before they are read, parameters that are never read or hide each other. Read off the tree alone;
//! where it is not sure it is silent. What a file defines at its outermost level may be read from
//! outside, unless its name starts with an underscore. The text has no syntax errors.

use crate::base::{Code, Diagnostic, Limits, Span, Suggestion};
use crate::builtin::{RESERVED, RESERVED_LIBRARY, find};
use crate::syntax::ast::{
    Ast, ExprId, ExprKind, Function, Ident, Name, Parameter, Statement, StatementKind,
};
use crate::syntax::parse_expression;
use std::collections::{BTreeMap, BTreeSet};

/// Values replaced unread and idle names that are told of one text: a generated program may have a
/// million, each hundred times as large as its statement.
const TOLD: usize = 10_000;

/// The warnings about a program, in the order of its text.
pub fn lint(ast: &Ast) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let names = Names::of(ast);
    for id in ast.ids() {
        if let ExprKind::Lambda(lambda) = &ast.get(id).kind {
            duplicates(&names, &lambda.parameters, &mut diagnostics);
        }
    }
    for statement in &ast.statements {
        functions(ast, &names, statement, &mut diagnostics);
    }
    private(ast, &names, &mut diagnostics);
    replaced(ast, &names, &ast.statements, true, &mut diagnostics);
    diagnostics.sort_by_key(|diagnostic| diagnostic.span());
    diagnostics
}

/// What a whole text does with its names.
#[derive(Default)]
struct Names {
    read: BTreeSet<Name>,
    /// Set anywhere: assigned, defined, or taken by a function or a loop.
    set: BTreeSet<Name>,
    /// Arguments that a call gives by their names.
    given: BTreeSet<Name>,
    /// Read in a lambda, which may happen at any call.
    in_lambdas: BTreeSet<Name>,
    /// Read otherwise than by calling them.
    passed: BTreeSet<Name>,
}

impl Names {
    fn of(ast: &Ast) -> Names {
        let mut names = Names::default();
        let mut called = BTreeSet::new();
        let mut in_lambda = BTreeSet::new();
        // What an expression is made of comes before it.
        for id in ast.ids().rev() {
            let kind = &ast.get(id).kind;
            match kind {
                ExprKind::Call {
                    function,
                    arguments,
                } => {
                    called.insert(*function);
                    let given = arguments.iter().filter_map(|it| it.name.as_ref());
                    names.given.extend(given.map(|ident| ident.name.clone()));
                }
                ExprKind::Lambda(lambda) => {
                    in_lambda.insert(lambda.body);
                    names.take(&lambda.parameters);
                }
                _ => {}
            }
            if in_lambda.contains(&id) {
                in_lambda.extend(kind.children());
            }
            if let ExprKind::Name(name) = kind {
                names.read.insert(name.clone());
                if in_lambda.contains(&id) {
                    names.in_lambdas.insert(name.clone());
                }
                if !called.contains(&id) {
                    names.passed.insert(name.clone());
                }
            }
        }
        ast.statements.iter().for_each(|it| names.set_by(it));
        names
    }

    fn set_by(&mut self, statement: &Statement) {
        let set = statement.names().iter();
        self.set.extend(set.map(|ident| ident.name.clone()));
        if let StatementKind::Define(function) = &statement.kind {
            self.take(&function.parameters);
        }
        statement.body().iter().for_each(|it| self.set_by(it));
    }

    fn take(&mut self, parameters: &[Parameter]) {
        let taken = parameters.iter().map(|parameter| &parameter.ident.name);
        self.set.extend(taken.cloned());
    }

    /// Another name for what nobody reads, if nothing else has it.
    fn renamed(&self, help: String, places: Vec<Span>, other: &str) -> Suggestion {
        let known = self.read.contains(other) || self.set.contains(other);
        let edit = |place| (place, other.to_string());
        Suggestion {
            message: help,
            edits: match known {
                true => Vec::new(),
                false => places.into_iter().map(edit).collect(),
            },
        }
    }

    /// The same of a parameter, which a call may give by its name.
    fn renamed_parameter(&self, help: String, ident: &Ident) -> Suggestion {
        let help = self.renamed(help, vec![ident.span], &format!("_{}", ident.name));
        match self.given.contains(&ident.name) {
            true => help.plain(),
            false => help,
        }
    }

    /// What nobody in a file reads under a name that others do not see, under one that they do.
    fn public(&self, ident: &Ident, public: &str) -> Suggestion {
        let help = format!("remove the statement, or name it `{public}`");
        let help = self.renamed(help, vec![ident.span], public);
        let (parsed, root) = parse_expression(ident.span.source, public, &Limits::default());
        let name = root.is_some_and(|root| parsed.ast.bare_name(root).is_some());
        let kept = RESERVED.contains(&public) || RESERVED_LIBRARY.contains(&public);
        match name && !kept && find(public).is_none() {
            true => help,
            false => help.plain(),
        }
    }

    /// Whether something may read anything: `out` is whatever was set last.
    fn unsure(&self) -> bool {
        self.read.contains("out")
    }
}

fn functions(ast: &Ast, names: &Names, statement: &Statement, diagnostics: &mut Vec<Diagnostic>) {
    if let StatementKind::Define(function) = &statement.kind {
        duplicates(names, &function.parameters, diagnostics);
        unused(ast, names, function, diagnostics);
        replaced(ast, names, &function.body, false, diagnostics);
    }
    for inner in statement.body() {
        functions(ast, names, inner, diagnostics);
    }
}

/// The private names of a file that nothing in it reads.
fn private(ast: &Ast, names: &Names, diagnostics: &mut Vec<Diagnostic>) {
    if names.unsure() {
        return;
    }
    let mut told = BTreeSet::new();
    for statement in &ast.statements {
        let (StatementKind::Assign { .. } | StatementKind::Define(_), [ident]) =
            (&statement.kind, statement.names())
        else {
            continue;
        };
        let hidden = ident.name.starts_with('_') && ident.name.len() > 1;
        if hidden && !names.read.contains(&ident.name) && told.insert(&ident.name) {
            let (name, public) = (&ident.name, ident.name.trim_start_matches('_'));
            diagnostics.push(told!(
                warning!(UnusedName, "`{name}` is never read"),
                at ident.span, "nothing in this file reads this",
                note "a name that starts with `_` is not seen by files that load this one",
                mend Some(names.public(ident, public)),
            ));
        }
    }
}

/// The names that are set again before anything reads them, in statements that run one after the
/// other. What a function reads, it may read at any call.
fn replaced(
    ast: &Ast,
    names: &Names,
    statements: &[Statement],
    outermost: bool,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if names.unsure() {
        return;
    }
    let mut late = BTreeSet::new();
    for statement in statements {
        in_functions(ast, statement, &mut late);
    }
    let mut waiting: BTreeMap<&str, &Ident> = BTreeMap::new();
    for statement in statements {
        let mut read = BTreeSet::new();
        visit(ast, statement, &mut read, &mut Vec::new(), true);
        for name in &read {
            waiting.remove(&**name);
        }
        let ident = match &statement.kind {
            StatementKind::Expression(_) | StatementKind::Assert { .. } => continue,
            StatementKind::Define(function) => &function.ident,
            StatementKind::Assign { names, .. } if names.len() == 1 => &names[0],
            // A loop may set a name or not, and of several values some may be all that is wanted.
            _ => {
                waiting.clear();
                continue;
            }
        };
        // What nothing reads at all has its own warning.
        let public = outermost && !ident.name.starts_with('_');
        let told = !public && !names.read.contains(&ident.name);
        if told || late.contains(&ident.name) || names.in_lambdas.contains(&ident.name) {
            continue;
        }
        let first = waiting.insert(&ident.name, ident);
        if let Some(first) = first.filter(|_| diagnostics.len() < TOLD) {
            let name = &ident.name;
            diagnostics.push(told!(
                warning!(UnreadDefinition, "`{name}` is replaced before anything reads it"),
                at first.span, "nothing reads this value",
                at ident.span, "here the name gets another one",
                help "remove the first statement, or give one of the two another name",
            ));
        }
    }
}

/// Collects what functions in a statement read.
fn in_functions(ast: &Ast, statement: &Statement, read: &mut BTreeSet<Name>) {
    if let StatementKind::Define(_) = statement.kind {
        visit(ast, statement, read, &mut Vec::new(), false);
    } else {
        for inner in statement.body() {
            in_functions(ast, inner, read);
        }
    }
}

fn duplicates(names: &Names, parameters: &[Parameter], diagnostics: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<&Name, &Ident> = BTreeMap::new();
    for parameter in parameters {
        let ident = &parameter.ident;
        if let Some(first) = seen.insert(&ident.name, ident) {
            let name = &ident.name;
            let help = format!("give the first another name: `_{name}`");
            diagnostics.push(told!(
                warning!(DuplicateParameter, "two parameters are named `{name}`"),
                at ident.span, "this one hides the other",
                at first.span, "this one can never be read",
                mend Some(names.renamed_parameter(help, first)),
            ));
        }
    }
}

/// The names that a function sets or takes and neither it nor a function inside it reads.
fn unused(ast: &Ast, names: &Names, function: &Function, diagnostics: &mut Vec<Diagnostic>) {
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
    // A function that is passed on takes what its caller gives.
    if !names.passed.contains(&function.ident.name) {
        for parameter in &function.parameters {
            let ident = &parameter.ident;
            if !read.contains(&ident.name) && !ident.name.starts_with('_') {
                diagnostics.push(unread_parameter(names, ident, function));
            }
        }
    }
    let mut told = BTreeSet::new();
    let all: Vec<&Ident> = set.iter().copied().flatten().collect();
    for several in set {
        // Taking values apart may give more of them than are needed.
        let idle = |ident: &Ident| !read.contains(&*ident.name) && !ident.name.starts_with('_');
        let [first, ..] = several else { continue };
        let room = diagnostics.len() < TOLD;
        if room && several.iter().all(idle) && told.insert(first.name.clone()) {
            let (name, function) = (&first.name, &function.ident.name);
            let help = format!("remove the statement, or name it `_{name}`");
            let places = all.iter().filter(|it| it.name == *name).map(|it| it.span);
            let help = names.renamed(help, places.collect(), &format!("_{name}"));
            diagnostics.push(told!(
                warning!(UnusedName, "`{name}` is set in `{function}` and never read"),
                at first.span, "nothing reads this",
                mend Some(help),
            ));
        }
    }
}

fn unread_parameter(names: &Names, ident: &Ident, function: &Function) -> Diagnostic {
    let (name, function) = (&ident.name, &function.ident.name);
    let help = format!("read it, remove it, or name it `_{name}`");
    told!(
        warning!(UnusedParameter, "`{function}` never reads its parameter `{name}`"),
        at ident.span, "nothing reads this",
        mend Some(names.renamed_parameter(help, ident)),
    )
}

/// Collects what a statement reads and, in this function itself, sets.
fn visit<'a>(
    ast: &Ast,
    statement: &'a Statement,
    read: &mut BTreeSet<Name>,
    set: &mut Vec<&'a [Ident]>,
    own: bool,
) {
    if let (StatementKind::Assign { names, .. }, true) = (&statement.kind, own) {
        set.push(names);
    }
    for id in statement.expressions() {
        reads(ast, id, read);
    }
    let own = own && !matches!(statement.kind, StatementKind::Define(_));
    for inner in statement.body() {
        visit(ast, inner, read, set, own);
    }
}

fn reads(ast: &Ast, id: ExprId, read: &mut BTreeSet<Name>) {
    let mut pending = vec![id];
    while let Some(id) = pending.pop() {
        let kind = &ast.get(id).kind;
        match kind {
            ExprKind::Name(name) => {
                read.insert(name.clone());
            }
            // An index from the end needs it.
            ExprKind::Index { .. } => {
                read.insert("length".into());
            }
            _ => {}
        }
        pending.extend(kind.children());
    }
}
