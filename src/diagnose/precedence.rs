//! Warnings where the language's precedence, which is the reference implementation's, reads an
//! expression differently from Python. Parentheses silence them.

use super::python::reading;
use crate::base::{Code, Diagnostic};
use crate::format::print_expression;
use crate::syntax::ast::{Ast, BinaryOperator, ExprId, ExprKind, UnaryOperator};
use crate::syntax::precedence::Level;
use std::collections::{BTreeMap, BTreeSet};

/// Longer expressions are not repeated in a message.
const SHOWN: u32 = 200;

/// A warning for each expression that Python would read differently; of nested ones for the outermost,
/// with the rules that are at work in it where no bracket separates them.
pub fn surprising(ast: &Ast, text: &str) -> Vec<Diagnostic> {
    let around = parentheses(ast);
    let mut told: BTreeMap<ExprId, Vec<&str>> = BTreeMap::new();
    let mut outermost: BTreeMap<ExprId, ExprId> = BTreeMap::new();
    // Parents come after their children in the arena.
    for id in ast.ids().rev() {
        let rule = surprise(ast, id).map(|(_, rule)| rule);
        let Some(whole) = outermost.get(&id).copied().or(rule.map(|_| id)) else {
            continue;
        };
        let rules = told.entry(whole).or_default();
        rules.extend(rule.filter(|rule| !rules.contains(rule)));
        let parts = ast.get(id).kind.children().into_iter();
        let parts = parts.filter(|part| is_operator(ast, *part));
        outermost.extend(parts.map(|part| (part, whole)));
    }
    let warning = |(id, rules): (ExprId, Vec<&str>)| {
        let warning = warning(ast, text, id, &around);
        rules.into_iter().fold(warning, Diagnostic::note)
    };
    let mut diagnostics: Vec<Diagnostic> = told.into_iter().map(warning).collect();
    diagnostics.sort_by_key(|diagnostic| diagnostic.span());
    diagnostics
}

/// The expressions around which parentheses make a program read the same to every eye.
pub fn parentheses(ast: &Ast) -> BTreeSet<ExprId> {
    let surprises = ast.ids().filter_map(|id| surprise(ast, id));
    surprises.flat_map(|(parts, _)| parts).collect()
}

fn warning(ast: &Ast, text: &str, id: ExprId, around: &BTreeSet<ExprId>) -> Diagnostic {
    let span = ast.get(id).span;
    if span.end - span.start > SHOWN {
        return told!(
            warning!(SurprisingPrecedence, "this expression is not read as in Python"),
            at span, "read from the inside out by other rules",
            help "write parentheses around its parts",
        );
    }
    let read = print_expression(ast, text, id, around);
    let python = python_reading(ast, text, id).filter(|python| *python != read);
    let python = python.map_or(String::new(), |python| format!("`{python}`, or "));
    told!(
        warning!(SurprisingPrecedence, "this is read as `{read}`, not as in Python"),
        at span, "more than one reading comes to mind",
        help "write {python}`{read}` if that is meant",
    )
}

/// Of an expression that Python would read differently the parts that parentheses would make plain,
/// and the rule behind the reading.
fn surprise(ast: &Ast, id: ExprId) -> Option<(Vec<ExprId>, &'static str)> {
    use BinaryOperator::{And, Compare, Divide, In, Multiply, Or, Power, Remainder};
    let is_ternary = |id| matches!(ast.get(id).kind, ExprKind::Ternary { .. });
    let is_unary = |id| matches!(ast.get(id).kind, ExprKind::Unary { .. });
    let is_not = |id| matches!(ast.get(id).kind, ExprKind::Unary { operator, .. } if operator == UnaryOperator::Not);
    if let ExprKind::Ternary { then, .. } = ast.get(id).kind {
        let rule = "one `if … else` after another: the first choice is made first";
        return is_ternary(then).then_some((vec![then], rule));
    }
    let of = |id| ast.binary(id).map(|(_, operator, _)| operator);
    let (left, operator, right) = ast.binary(id)?;
    let (part, rule) = match (operator, of(left), of(right)) {
        // In Python `in` is a comparison; here it is looser than everything else.
        (In, ..) => {
            let looser =
                |id: &ExprId| is_not(*id) || Level::of(&ast.get(*id).kind) <= Level::Relation;
            let parts: Vec<ExprId> = [left, right].into_iter().filter(looser).collect();
            let rule = "`in` is looser than every other operator";
            return (!parts.is_empty()).then_some((parts, rule));
        }
        (And, Some(Or), _) => (
            left,
            "`and` and `or` go from left to right, neither is tighter",
        ),
        (And | Or, ..) => return None,
        _ if is_not(left) => (left, "`not` takes only what stands directly behind it"),
        (Power, ..) if is_unary(left) => (left, "a sign before a power belongs to its base"),
        (Power, Some(Power), _) => (left, "`^` goes from left to right"),
        (Remainder, _, Some(Multiply | Divide)) => (right, "`%` is looser than `*` and `/`"),
        (Compare(_), Some(Compare(_)), _) => (
            left,
            "comparisons do not chain: the second compares a truth value",
        ),
        _ => return None,
    };
    Some((vec![part], rule))
}

/// What Python would read, written for this language: the expression alone, or with the operators
/// around it if Python groups those otherwise too. Nothing if it is long, or reads the same.
pub fn python_reading(ast: &Ast, text: &str, id: ExprId) -> Option<String> {
    surprise(ast, id)?;
    let span = ast.get(id).span;
    let short = |id: &ExprId| {
        let found = ast.get(*id).span;
        found.end - span.start <= SHOWN && found.end - found.start <= SHOWN
    };
    // What holds an expression comes after it in the arena; between them comes what is beside it.
    let around = (id.0..ast.len() as u32).map(ExprId).take_while(short);
    let around = around.filter(|other| ast.get(*other).span.contains(span));
    let whole = around.take_while(|other| is_operator(ast, *other)).last()?;
    let (read, shown) = reading(ast, text, whole, id)?;
    let mut around = parentheses(&read);
    around.remove(&shown);
    Some(print_expression(&read, "", shown, &around))
}

fn is_operator(ast: &Ast, id: ExprId) -> bool {
    matches!(
        ast.get(id).kind,
        ExprKind::Binary { .. } | ExprKind::Unary { .. } | ExprKind::Ternary { .. }
    )
}
