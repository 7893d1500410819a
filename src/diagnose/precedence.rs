//! Warnings where the language's precedence, which is the reference implementation's, reads an
//! expression differently from Python. Parentheses silence them.

use super::python::reading;
use crate::base::{Code, Diagnostic};
use crate::format::print_expression;
use crate::syntax::ast::{Ast, BinaryOperator, ExprId, ExprKind, UnaryOperator};
use crate::syntax::precedence::Level;
use std::collections::BTreeSet;

/// Longer expressions are not repeated in a message.
const SHOWN: u32 = 200;

/// Of an expression that Python would read differently the parts that parentheses would make plain,
/// and the rule behind the reading.
type Surprise = (Vec<ExprId>, &'static str);

/// A warning for each expression that Python would read differently.
pub fn surprising(ast: &Ast, text: &str) -> Vec<Diagnostic> {
    let around = parentheses(ast);
    let mut covered = BTreeSet::new();
    let mut diagnostics = Vec::new();
    // Parents come after their children in the arena: the outermost of nested surprises speaks.
    for id in ast.ids().rev() {
        if let Some((_, rule)) = surprise(ast, id).filter(|_| !covered.contains(&id)) {
            let mut rules = vec![rule];
            cover(ast, id, &mut covered, &mut rules);
            let warning = warning(ast, text, id, &around);
            diagnostics.push(rules.into_iter().fold(warning, Diagnostic::note));
        }
    }
    diagnostics.reverse();
    diagnostics.sort_by_key(|diagnostic| diagnostic.span());
    diagnostics
}

/// The expressions around which parentheses make a program read the same to every eye.
pub fn parentheses(ast: &Ast) -> BTreeSet<ExprId> {
    let surprises = ast.ids().filter_map(|id| surprise(ast, id));
    surprises.flat_map(|(parts, _)| parts).collect()
}

/// Marks the operators below an expression that no bracket separates from it, and collects the
/// rules at work among them.
fn cover(ast: &Ast, id: ExprId, covered: &mut BTreeSet<ExprId>, rules: &mut Vec<&'static str>) {
    let mut pending = vec![id];
    while let Some(id) = pending.pop() {
        for child in ast.get(id).kind.children() {
            if !is_operator(ast, child) || !covered.insert(child) {
                continue;
            }
            let rule = surprise(ast, child).map(|(_, rule)| rule);
            rules.extend(rule.filter(|rule| !rules.contains(rule)));
            pending.push(child);
        }
    }
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

#[expect(clippy::wildcard_enum_match_arm, reason = "others are no operators")]
fn surprise(ast: &Ast, id: ExprId) -> Option<Surprise> {
    let of = |id| ast.binary(id).map(|(_, operator, _)| operator);
    let unary = |id| match ast.get(id).kind {
        ExprKind::Unary { operator, .. } => Some(operator),
        _ => None,
    };
    let is_ternary = |id| matches!(ast.get(id).kind, ExprKind::Ternary { .. });
    if let ExprKind::Ternary { then, .. } = ast.get(id).kind {
        let rule = "one `if … else` after another: the first choice is made first";
        return is_ternary(then).then_some((vec![then], rule));
    }
    let (left, operator, right) = ast.binary(id)?;
    let logic = matches!(operator, BinaryOperator::And | BinaryOperator::Or);
    let (part, rule) = match (operator, of(left), of(right)) {
        // In Python `in` is a comparison; here it is looser than everything else.
        (BinaryOperator::In, ..) => {
            let looser = |id: &ExprId| {
                let operator = of(*id).is_some_and(|it| Level::of_operator(it) <= Level::Relation);
                operator || is_ternary(*id) || unary(*id) == Some(UnaryOperator::Not)
            };
            let parts: Vec<ExprId> = [left, right].into_iter().filter(looser).collect();
            let rule = "`in` is looser than every other operator";
            return (!parts.is_empty()).then_some((parts, rule));
        }
        _ if !logic && unary(left) == Some(UnaryOperator::Not) => {
            (left, "`not` takes only what stands directly behind it")
        }
        (BinaryOperator::Power, ..) if unary(left).is_some() => {
            (left, "a sign before a power belongs to its base")
        }
        (BinaryOperator::Power, Some(BinaryOperator::Power), _) => {
            (left, "`^` goes from left to right")
        }
        (BinaryOperator::Remainder, _, Some(BinaryOperator::Multiply | BinaryOperator::Divide)) => {
            (right, "`%` is looser than `*` and `/`")
        }
        (BinaryOperator::And, Some(BinaryOperator::Or), _) => (
            left,
            "`and` and `or` go from left to right, neither is tighter",
        ),
        (BinaryOperator::Compare(_), Some(BinaryOperator::Compare(_)), _) => (
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
    reading(ast, text, whole, id)
}

fn is_operator(ast: &Ast, id: ExprId) -> bool {
    matches!(
        ast.get(id).kind,
        ExprKind::Binary { .. } | ExprKind::Unary { .. } | ExprKind::Ternary { .. }
    )
}
