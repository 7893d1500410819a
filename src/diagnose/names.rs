//! Warnings about what nobody uses: names that are set and never read, values that are replaced
//! before they are read, parameters that are never read or hide each other. Read off the tree alone;
//! where it is not sure it is silent. What a file defines at its outermost level may be read from
//! outside, unless its name starts with an underscore. The text has no syntax errors.

use crate::base::{Code, Diagnostic, Limits, SourceId, Span, Suggestion};
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
pub fn lint(ast: &Ast, text: &str) -> Vec<Diagnostic> {
    let mut lint = Lint {
        ast,
        text,
        names: Names::of(ast),
        found: Vec::new(),
    };
    for id in ast.ids() {
        if let ExprKind::Lambda(lambda) = &ast.get(id).kind {
            lint.duplicates(&lambda.parameters);
        }
    }
    for statement in all(&ast.statements, true) {
        if let StatementKind::Define(function) = &statement.kind {
            lint.duplicates(&function.parameters);
            lint.unused(function);
            lint.replaced(&function.body, false);
        }
    }
    lint.private();
    lint.replaced(&ast.statements, true);
    lint.found.sort_by_key(|diagnostic| diagnostic.span());
    lint.found
}

/// Statements with those inside them, in functions too if asked for.
fn all(statements: &[Statement], into_functions: bool) -> Vec<&Statement> {
    let (mut found, mut pending) = (Vec::new(), Vec::new());
    pending.extend(statements.iter().rev());
    while let Some(statement) = pending.pop() {
        found.push(statement);
        if into_functions || !matches!(statement.kind, StatementKind::Define(_)) {
            pending.extend(statement.body().iter().rev());
        }
    }
    found
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
            if let ExprKind::Call {
                function,
                arguments,
            } = kind
            {
                called.insert(*function);
                let given = arguments.iter().filter_map(|it| it.name.as_ref());
                names.given.extend(given.map(|ident| ident.name.clone()));
            }
            if let ExprKind::Lambda(lambda) = kind {
                in_lambda.insert(lambda.body);
                names.take(&lambda.parameters);
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
        for statement in all(&ast.statements, true) {
            let set = statement.names().iter();
            names.set.extend(set.map(|ident| ident.name.clone()));
            if let StatementKind::Define(function) = &statement.kind {
                names.take(&function.parameters);
            }
        }
        names
    }

    fn take(&mut self, parameters: &[Parameter]) {
        let taken = parameters.iter().map(|parameter| &parameter.ident.name);
        self.set.extend(taken.cloned());
    }

    /// Another name for what nobody reads, if nothing else has it and no call gives this one.
    fn renamed(&self, help: String, places: Vec<Span>, name: &str, other: &str) -> Suggestion {
        let known = self.read.contains(other) || self.set.contains(other);
        let kept = RESERVED.contains(&other) || RESERVED_LIBRARY.contains(&other);
        let (parsed, root) = parse_expression(SourceId(0), other, &Limits::default());
        let is_name = root.is_some_and(|root| parsed.ast.bare_name(root).is_some());
        let free = is_name && !known && !kept && find(other).is_none();
        let places = places.into_iter();
        let places = places.filter(|_| free && !self.given.contains(name));
        Suggestion {
            message: help,
            edits: places.map(|place| (place, other.to_string())).collect(),
        }
    }

    /// The same with an underscore before it, which says that it is not read.
    fn underscored(&self, help: &str, places: Vec<Span>, name: &str) -> Suggestion {
        let other = format!("_{name}");
        self.renamed(format!("{help} `{other}`"), places, name, &other)
    }

    /// Whether something may read anything: `out` is whatever was set last.
    fn unsure(&self) -> bool {
        self.read.contains("out")
    }
}

/// A program with its names, and the warnings about it so far.
struct Lint<'a> {
    ast: &'a Ast,
    text: &'a str,
    names: Names,
    found: Vec<Diagnostic>,
}

impl Lint<'_> {
    /// The private names of a file that nothing in it reads.
    fn private(&mut self) {
        let mut told = BTreeSet::new();
        for statement in &self.ast.statements {
            let (StatementKind::Assign { .. } | StatementKind::Define(_), [ident]) =
                (&statement.kind, statement.names())
            else {
                continue;
            };
            let (name, public) = (&ident.name, ident.name.trim_start_matches('_'));
            let hidden = name.starts_with('_') && name.len() > 1 && !self.names.unsure();
            if hidden && !self.names.read.contains(name) && told.insert(name) {
                let help = format!("remove the statement, or name it `{public}`");
                let help = self.names.renamed(help, vec![ident.span], name, public);
                let help = Some(help).filter(|help| !help.edits.is_empty());
                let removed = || Some(self.removed("remove the statement", statement));
                self.found.push(told!(
                    warning!(UnusedName, "`{name}` is never read"),
                    at ident.span, "nothing in this file reads this",
                    note "a name that starts with `_` is not seen by files that load this one",
                    mend help.or_else(removed),
                ));
            }
        }
    }

    /// The names that are set again before anything reads them, in statements that run one after the
    /// other. What a function reads, it may read at any call.
    fn replaced(&mut self, statements: &[Statement], outermost: bool) {
        if self.names.unsure() {
            return;
        }
        let functions = all(statements, false).into_iter();
        let functions = functions.filter(|it| matches!(it.kind, StatementKind::Define(_)));
        let late = self.reads(functions.flat_map(|it| all(std::slice::from_ref(it), true)));
        let mut waiting: BTreeMap<&str, (&Ident, &Statement)> = BTreeMap::new();
        for statement in statements {
            for name in self.reads(all(std::slice::from_ref(statement), true)) {
                waiting.remove(&*name);
            }
            let ident = match (&statement.kind, statement.names()) {
                (StatementKind::Expression(_) | StatementKind::Assert { .. }, _) => continue,
                (StatementKind::Assign { .. } | StatementKind::Define(_), [ident]) => ident,
                // A loop may set a name or not, and of several values some may be all that is wanted.
                _ => {
                    waiting.clear();
                    continue;
                }
            };
            let name = &ident.name;
            // What nothing reads at all has its own warning.
            let public = outermost && !name.starts_with('_');
            let told = !public && !self.names.read.contains(name);
            if told || late.contains(name) || self.names.in_lambdas.contains(name) {
                continue;
            }
            let first = waiting.insert(name, (ident, statement));
            if let Some((first, whole)) = first.filter(|_| self.found.len() < TOLD) {
                let help = "remove the first statement, or give one of the two another name";
                self.found.push(told!(
                    warning!(UnreadDefinition, "`{name}` is replaced before anything reads it"),
                    at first.span, "nothing reads this value",
                    at ident.span, "here the name gets another one",
                    mend Some(self.removed(help, whole)),
                ));
            }
        }
    }

    /// Help that removes a statement with its `;`.
    fn removed(&self, help: &str, statement: &Statement) -> Suggestion {
        let span = statement.span;
        let behind = self.text.get(span.end as usize..).unwrap_or("");
        match (behind.trim_start().strip_prefix(';'), &statement.kind) {
            (Some(rest), _) => {
                let end = (self.text.len() - rest.len()) as u32;
                Suggestion::edit(help, Span { end, ..span }, "")
            }
            (None, StatementKind::Define(_)) => Suggestion::edit(help, span, ""),
            // A comment stands before the `;`.
            (None, _) => help.into(),
        }
    }

    fn duplicates(&mut self, parameters: &[Parameter]) {
        let mut seen: BTreeMap<&Name, &Ident> = BTreeMap::new();
        for Parameter { ident, .. } in parameters {
            let name = &ident.name;
            let Some(first) = seen.insert(name, ident) else {
                continue;
            };
            let help = "give the first another name:";
            self.found.push(told!(
                warning!(DuplicateParameter, "two parameters are named `{name}`"),
                at ident.span, "this one hides the other",
                at first.span, "this one can never be read",
                mend Some(self.names.underscored(help, vec![first.span], name)),
            ));
        }
    }

    /// The names that a function sets or takes and neither it nor a function inside it reads.
    fn unused(&mut self, function: &Function) {
        let mut read = self.reads(all(&function.body, true));
        self.read_by(function.results.clone(), &mut read);
        // `out` is whatever was set last.
        if read.contains("out") {
            return;
        }
        let idle = |ident: &Ident| !read.contains(&ident.name) && !ident.name.starts_with('_');
        let of = &function.ident.name;
        // A function that is passed on takes what its caller gives.
        let passed = self.names.passed.contains(of);
        let parameters = function.parameters.iter().map(|it| &it.ident);
        for ident in parameters.filter(|ident| !passed && idle(ident)) {
            let (name, help) = (&ident.name, "read it, remove it, or name it");
            self.found.push(told!(
                warning!(UnusedParameter, "`{of}` never reads its parameter `{name}`"),
                at ident.span, "nothing reads this",
                mend Some(self.names.underscored(help, vec![ident.span], name)),
            ));
        }
        let own = all(&function.body, false).into_iter();
        let own = own.filter(|it| matches!(it.kind, StatementKind::Assign { .. }));
        let set: Vec<&[Ident]> = own.map(Statement::names).collect();
        let mut told = BTreeSet::new();
        for several in &set {
            // Taking values apart may give more of them than are needed.
            let [first, ..] = several else { continue };
            let room = self.found.len() < TOLD && several.iter().all(idle);
            if room && told.insert(&first.name) {
                let (name, help) = (&first.name, "remove the statement, or name it");
                let places = set.iter().copied().flatten().filter(|it| it.name == *name);
                let places = places.map(|ident| ident.span).collect();
                self.found.push(told!(
                    warning!(UnusedName, "`{name}` is set in `{of}` and never read"),
                    at first.span, "nothing reads this",
                    mend Some(self.names.underscored(help, places, name)),
                ));
            }
        }
    }

    /// What statements read, those inside them aside.
    fn reads<'s>(&self, statements: impl IntoIterator<Item = &'s Statement>) -> BTreeSet<Name> {
        let mut read = BTreeSet::new();
        let expressions = statements.into_iter().flat_map(Statement::expressions);
        self.read_by(expressions.collect(), &mut read);
        read
    }

    fn read_by(&self, mut pending: Vec<ExprId>, read: &mut BTreeSet<Name>) {
        while let Some(id) = pending.pop() {
            let kind = &self.ast.get(id).kind;
            if let ExprKind::Name(name) = kind {
                read.insert(name.clone());
            }
            // An index from the end needs it.
            if let ExprKind::Index { .. } = kind {
                read.insert("length".into());
            }
            pending.extend(kind.children());
        }
    }
}
