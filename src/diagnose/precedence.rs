//! Warnings where the language's precedence, which is the reference implementation's, reads an
//! expression differently from Python. Parentheses silence them.

use super::python::reading;
use crate::base::{Code, Diagnostic};
use crate::format::print_expression;
use crate::syntax::ast::{Ast, BinaryOperator, ExprId, ExprKind, UnaryOperator};
use std::collections::BTreeSet;

/// Longer expressions are not repeated in a message.
const SHOWN: u32 = 200;

/// An expression that Python would read differently: the parts that parentheses would make plain,
/// and the rule behind the reading.
struct Surprise {
    parts: Vec<ExprId>,
    rule: &'static str,
}

/// A warning for each expression that Python would read differently.
pub fn surprising(ast: &Ast, text: &str) -> Vec<Diagnostic> {
    let around = parentheses(ast);
    let mut covered = BTreeSet::new();
    // Python's readings are appended to it.
    let mut readings = ast.clone();
    let mut diagnostics = Vec::new();
    // Parents come after their children in the arena: the outermost of nested surprises speaks.
    let ids: Vec<ExprId> = ast.ids().collect();
    for id in ids.into_iter().rev() {
        let Some(surprise) = surprise(ast, id) else {
            continue;
        };
        if covered.contains(&id) {
            continue;
        }
        let mut rules = vec![surprise.rule];
        cover(ast, id, &mut covered, &mut rules);
        let python = read_by_python(ast, &mut readings, text, id);
        diagnostics.push(warning(ast, text, id, (&around, &rules), python));
    }
    diagnostics.reverse();
    diagnostics.sort_by_key(|diagnostic| diagnostic.span());
    diagnostics
}

/// The expressions around which parentheses make a program read the same to every eye.
pub fn parentheses(ast: &Ast) -> BTreeSet<ExprId> {
    ast.ids()
        .filter_map(|id| surprise(ast, id))
        .flat_map(|surprise| surprise.parts)
        .collect()
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
            if let Some(surprise) = surprise(ast, child)
                && !rules.contains(&surprise.rule)
            {
                rules.push(surprise.rule);
            }
            pending.push(child);
        }
    }
}

fn warning(
    ast: &Ast,
    text: &str,
    id: ExprId,
    (around, rules): (&BTreeSet<ExprId>, &[&str]),
    python: Option<String>,
) -> Diagnostic {
    let span = ast.get(id).span;
    let mut diagnostic = if span.end - span.start > SHOWN {
        let message = "this expression is not read as in Python";
        Diagnostic::warning(Code::SurprisingPrecedence, message)
            .at(span, "read from the inside out by other rules")
            .help("write parentheses around its parts")
    } else {
        let read = print_expression(ast, text, id, around);
        Diagnostic::warning(
            Code::SurprisingPrecedence,
            format!("this is read as `{read}`, not as in Python"),
        )
        .at(span, "more than one reading comes to mind")
        .help(match python {
            Some(python) if python != read => {
                format!("write `{python}`, or `{read}` if that is meant")
            }
            _ => format!("write `{read}` if that is meant"),
        })
    };
    for rule in rules {
        diagnostic = diagnostic.note(*rule);
    }
    diagnostic
}

fn surprise(ast: &Ast, id: ExprId) -> Option<Surprise> {
    let part = |part: ExprId, rule| {
        let parts = vec![part];
        Some(Surprise { parts, rule })
    };
    let (operator, left, right) = match ast.get(id).kind {
        ExprKind::Binary {
            operator,
            left,
            right,
        } => (operator, left, right),
        ExprKind::Ternary { then, .. } if is_ternary(ast, then) => {
            let rule = "one `if … else` after another: the first choice is made first";
            return part(then, rule);
        }
        _ => return None,
    };
    let logic = matches!(operator, BinaryOperator::And | BinaryOperator::Or);
    match (operator, binary(ast, left)) {
        (BinaryOperator::In, _) => surprising_membership(ast, left, right),
        _ if !logic && unary(ast, left) == Some(UnaryOperator::Not) => {
            part(left, "`not` takes only what stands directly behind it")
        }
        (BinaryOperator::Power, _) if unary(ast, left).is_some() => {
            part(left, "a sign before a power belongs to its base")
        }
        (BinaryOperator::Power, Some(BinaryOperator::Power)) => {
            part(left, "`^` goes from left to right")
        }
        (BinaryOperator::Remainder, _) if is_product(ast, right) => {
            part(right, "`%` is looser than `*` and `/`")
        }
        (BinaryOperator::And, Some(BinaryOperator::Or)) => part(
            left,
            "`and` and `or` go from left to right, neither is tighter",
        ),
        (BinaryOperator::Compare(_), Some(BinaryOperator::Compare(_))) => part(
            left,
            "comparisons do not chain: the second compares a truth value",
        ),
        _ => None,
    }
}

/// What Python would read, written for this language: the expression alone, or with the operators
/// around it if Python groups those otherwise too. Nothing if it is long, or reads the same.
pub fn python_reading(ast: &Ast, text: &str, id: ExprId) -> Option<String> {
    read_by_python(ast, &mut ast.clone(), text, id)
}

fn read_by_python(ast: &Ast, readings: &mut Ast, text: &str, id: ExprId) -> Option<String> {
    let span = ast.get(id).span;
    let short = |id: ExprId| {
        let found = ast.get(id).span;
        found.end - span.start <= SHOWN && found.end - found.start <= SHOWN
    };
    if !short(id) || surprise(ast, id).is_none() {
        return None;
    }
    // What holds an expression comes after it in the arena; between them comes what is beside it.
    let after = (id.0 + 1..ast.len() as u32).map(ExprId);
    let around = after
        .take_while(|other| short(*other))
        .filter(|other| ast.get(*other).span.contains(span));
    let whole = around.take_while(|other| is_operator(ast, *other)).last();
    let read = reading(readings, whole.unwrap_or(id), id)?;
    Some(print_expression(readings, text, read, &BTreeSet::new()))
}

/// In Python `in` is a comparison; here it is looser than everything else.
fn surprising_membership(ast: &Ast, left: ExprId, right: ExprId) -> Option<Surprise> {
    let looser = |id: &ExprId| {
        is_ternary(ast, *id)
            || is_comparison(ast, *id)
            || matches!(
                binary(ast, *id),
                Some(BinaryOperator::And | BinaryOperator::Or | BinaryOperator::In)
            )
            || unary(ast, *id) == Some(UnaryOperator::Not)
    };
    let parts: Vec<ExprId> = [left, right].into_iter().filter(looser).collect();
    (!parts.is_empty()).then_some(Surprise {
        parts,
        rule: "`in` is looser than every other operator",
    })
}

fn unary(ast: &Ast, id: ExprId) -> Option<UnaryOperator> {
    match ast.get(id).kind {
        ExprKind::Unary { operator, .. } => Some(operator),
        _ => None,
    }
}

fn binary(ast: &Ast, id: ExprId) -> Option<BinaryOperator> {
    match ast.get(id).kind {
        ExprKind::Binary { operator, .. } => Some(operator),
        _ => None,
    }
}

fn is_operator(ast: &Ast, id: ExprId) -> bool {
    matches!(
        ast.get(id).kind,
        ExprKind::Binary { .. } | ExprKind::Unary { .. } | ExprKind::Ternary { .. }
    )
}

fn is_product(ast: &Ast, id: ExprId) -> bool {
    matches!(
        binary(ast, id),
        Some(BinaryOperator::Multiply | BinaryOperator::Divide)
    )
}

fn is_comparison(ast: &Ast, id: ExprId) -> bool {
    matches!(binary(ast, id), Some(BinaryOperator::Compare(_)))
}

fn is_ternary(ast: &Ast, id: ExprId) -> bool {
    matches!(ast.get(id).kind, ExprKind::Ternary { .. })
}
