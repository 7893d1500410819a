//! What to say of a name that is not defined: where it is defined after all, what was probably
//! meant, what it is called here if it comes from another language, or how to define it.

use super::expression::Context;
use super::meta::Meta;
use super::quoted::operand;
use super::{Evaluator, Stop};
use crate::base::suggest::nearest;
use crate::base::{Code, Diagnostic, Span};
use crate::syntax::ast::{Argument, Ast, Name, Statement, StatementKind};
use crate::value::Value;

/// After this many errors and warnings no near name is looked for any more: it takes a look at every
/// name there is, and nobody reads on.
const MOST_SUGGESTIONS: usize = 200;

impl Evaluator {
    /// A name that has no meaning; `called` holds the arguments it is called with, if it is.
    pub(crate) fn undefined(
        &mut self,
        cx: &Context,
        name: &str,
        span: Span,
        called: Option<&[Argument]>,
    ) -> Stop {
        let near = self.near_name(cx, name, false);
        if near.is_none() && self.scopes.is_incomplete(cx.scope) {
            return Stop::Broken;
        }
        let diagnostic = Diagnostic::error(Code::UndefinedName, format!("`{name}` is not defined"))
            .at(span, "no definition of this name comes before");
        if let Some((parameter, default)) = default_reads(&cx.ast, name, span) {
            return diagnostic
                .at(parameter, "a default cannot read another parameter")
                .note("defaults are evaluated once, where the function is defined")
                .help(format!(
                    "write a default that is known there: `{default}=0`"
                ))
                .into();
        }
        if let Some(failed) = self.missing.get(name) {
            return diagnostic
                .at(*failed, "this has failed, so it is not defined")
                .help(format!(
                    "mend that first, or define it: `{name} = indices;`"
                ))
                .into();
        }
        if let Some((elsewhere, text, function)) = introduced(&cx.ast, name, span) {
            let help = match function
                .as_deref()
                .map(|name| self.scopes.lookup(cx.scope, name))
            {
                Some(Some(Meta::Function(callable))) => {
                    format!(
                        "a function gives what it returns: `{}`",
                        callable.signature()
                    )
                }
                Some(_) => "a function gives what it returns".to_string(),
                None => "move its definition above this line".to_string(),
            };
            return diagnostic.at(elsewhere, text).help(help).into();
        }
        let help = self
            .near_name(cx, name, true)
            .or_else(|| self.in_library(name, |name, other| name == other))
            .or_else(|| self.foreign(cx, name, called))
            .or(near)
            .or_else(|| self.in_library(name, is_near))
            .unwrap_or_else(|| definition(name, called));
        diagnostic.help(help).into()
    }

    /// A name of a module that is not loaded.
    fn in_library(&self, name: &str, fits: impl Fn(&str, &str) -> bool) -> Option<String> {
        let names = self.loader.library_names();
        let (other, module) = names.into_iter().find(|(other, _)| fits(name, other))?;
        Some(match other == name {
            true => format!("it is in the standard library: `load \"{module}\";` first"),
            false => format!(
                "did you mean `{other}`? It is in the standard library: `load \"{module}\";` first"
            ),
        })
    }

    /// The visible name that was probably meant, of the program's `own` or of all.
    fn near_name(&self, cx: &Context, name: &str, own: bool) -> Option<String> {
        if self.diagnostics.len() > MOST_SUGGESTIONS {
            return None;
        }
        let visible = self.scopes.visible(cx.scope);
        let of_program = |name: &&Name| self.scopes.lookup(self.base, name).is_none();
        let names = visible.iter().filter(|name| !own || of_program(name));
        let mut candidates: Vec<&str> = names.map(|name| &**name).collect();
        if !own {
            candidates.extend(crate::builtin::TABLE.iter().map(|row| row.name));
        }
        candidates.retain(|other| is_near(name, other));
        Some(format!("did you mean `{}`?", nearest(name, candidates)?))
    }

    /// What a name of another language is here, with what it was called with.
    fn foreign(&mut self, cx: &Context, name: &str, called: Option<&[Argument]>) -> Option<String> {
        let arguments = called.unwrap_or_default();
        let texts = arguments
            .iter()
            .map(|argument| self.written(cx.ast.get(argument.value).span));
        let texts: Vec<String> = texts
            .map(|text| text.unwrap_or("indices".to_string()))
            .collect();
        let x = texts.first().map(String::as_str);
        if let ([argument], "sum") = (arguments, name) {
            // Looked at only to say more.
            let meta = self.expression(cx, argument.value);
            if let Ok(Meta::List(_)) = meta {
                let list = x.unwrap_or("xs");
                return Some(format!(
                    "add up a list in a loop: `total = 0; for v in {list} {{ total = total + v; }}`"
                ));
            }
        }
        foreign_name(name, x, texts.get(1).map(String::as_str))
    }
}

/// Whether one name may be meant to be the other. One letter is near to everything.
fn is_near(name: &str, other: &str) -> bool {
    name.len() > 1 && nearest(name, [other]).is_some()
}

/// How to define a name that is read or called.
fn definition(name: &str, called: Option<&[Argument]>) -> String {
    match called {
        None => format!(
            "define it first, like `{name} = indices;`; a string stands in quotes: {}",
            format_args!("`{}`", Value::str(name).source())
        ),
        Some(arguments) => {
            let names: Vec<String> = ('a'..='z')
                .map(String::from)
                .take(arguments.len())
                .collect();
            let given = names.first().map_or("indices", String::as_str);
            format!(
                "define it first, like `def {name}({}) {{ return {given}; }}`",
                names.join(", ")
            )
        }
    }
}

/// What names of other languages and of the library's world are here, of what
/// they are given.
fn foreign_name(name: &str, given: Option<&str>, second: Option<&str>) -> Option<String> {
    let x = given.unwrap_or("indices");
    let operand = operand(x);
    Some(match name {
        "None" | "null" | "nil" | "undefined" => {
            "there is no empty value: choose an atom that stands for it, like `\"\"` or `0`"
                .to_string()
        }
        "print" | "echo" | "println" => {
            let shown = given.unwrap_or("tokens");
            format!("a value is shown by writing it as a statement: `{shown};`")
        }
        "sum" | "total" => {
            format!("the sum of an s-op over all positions: `aggregate(full_s, {x}) * length`")
        }
        "mean" | "avg" => format!("the mean over all positions: `aggregate(full_s, {x})`"),
        "any" => format!("whether any position holds it: `True in ({x})`"),
        "all" if given.is_some() => {
            format!("whether every position holds it: `not (False in ({x}))`")
        }
        "abs" => format!("write `{operand} if {operand} >= 0 else -{operand}`"),
        "sqrt" => format!("write `{operand} ^ 0.5`"),
        "enumerate" => format!("elements with their numbers: `zip(range(len({x})), {x})`"),
        "map" => format!(
            "operators and functions work on all positions at once: `zipmap({}, {x})`",
            second.unwrap_or("tokens")
        ),
        "type" | "isinstance" => {
            "types cannot be asked for; values can be compared, like `tokens == \"a\"`".to_string()
        }
        "reversed" => format!("the positions in reverse: `load \"sorting\"; reverse({x});`"),
        "break" | "continue" | "pass" => {
            "a loop always runs over all of its list: give it fewer elements, like `range(3)`"
                .to_string()
        }
        "int" => {
            "the tokens as ints are `tokens_int`; a number is rounded with `round(x)`".to_string()
        }
        "float" => {
            "the tokens as floats are `tokens_float`; a number becomes a float with `x * 1.0`"
                .to_string()
        }
        "str" => "the tokens as strings are `tokens_str`".to_string(),
        "bool" => "the tokens as bools are `tokens_bool`; any s-op becomes bools with `not not x`"
            .to_string(),
        "full" | "all" | "select_all" | "true_s" => {
            "the selector of every key is `full_s`".to_string()
        }
        "input" | "sequence" | "seq" | "text" => "the input is the s-op `tokens`".to_string(),
        "i" | "index" | "position" | "pos" | "positions" => {
            "the position of each token is the s-op `indices`".to_string()
        }
        "n" | "size" => "the length of the input is the s-op `length`".to_string(),
        _ => return None,
    })
}

/// Where a text introduces a name, after all: the place, what to say about it, and the function that
/// keeps it for itself.
fn introduced(ast: &Ast, name: &str, used: Span) -> Option<(Span, String, Option<String>)> {
    let mut found = None;
    for statement in &ast.statements {
        search(statement, name, None, &mut found);
    }
    let (span, function): (Span, Option<String>) = found?;
    let text = match &function {
        Some(function) => format!("this one exists inside `{function}` only"),
        None if span.start > used.start => "it is defined only here, further down".to_string(),
        None => return None,
    };
    Some((span, text, function))
}

/// A parameter that the default of another one reads, and the name of the other.
fn default_reads(ast: &Ast, name: &str, used: Span) -> Option<(Span, Name)> {
    let mut pending: Vec<&Statement> = ast.statements.iter().collect();
    while let Some(statement) = pending.pop() {
        match &statement.kind {
            StatementKind::Define(function) if statement.span.contains(used) => {
                let mut parameters = function.parameters.iter();
                let reader = parameters.clone().find(|parameter| {
                    let default = parameter.default.map(|id| ast.get(id).span);
                    default.is_some_and(|default| default.contains(used))
                });
                if let Some(reader) = reader {
                    let read = parameters.find(|parameter| &*parameter.ident.name == name)?;
                    return Some((read.ident.span, reader.ident.name.clone()));
                }
                pending.extend(&function.body);
            }
            StatementKind::For { body, .. } => pending.extend(body),
            _ => {}
        }
    }
    None
}

fn search(
    statement: &Statement,
    name: &str,
    function: Option<&str>,
    found: &mut Option<(Span, Option<String>)>,
) {
    if found.is_some() {
        return;
    }
    let mut here = |idents: &[crate::syntax::ast::Ident]| {
        if let Some(ident) = idents.iter().find(|ident| &*ident.name == name) {
            *found = Some((ident.span, function.map(str::to_string)));
        }
    };
    match &statement.kind {
        StatementKind::Assign { names, .. } => here(names),
        StatementKind::For { names, body, .. } => {
            here(names);
            for inner in body {
                search(inner, name, function, found);
            }
        }
        StatementKind::Define(defined) => {
            here(std::slice::from_ref(&defined.ident));
            for parameter in &defined.parameters {
                if &*parameter.ident.name == name && found.is_none() {
                    *found = Some((parameter.ident.span, Some(defined.ident.name.to_string())));
                }
            }
            for inner in &defined.body {
                search(inner, name, Some(&defined.ident.name), found);
            }
        }
        _ => {}
    }
}
