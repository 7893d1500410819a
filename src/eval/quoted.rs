//! Pieces of the program quoted in help, on one line and with what was probably meant put in. Long
//! pieces are not repeated in a message.

use super::Evaluator;
use crate::base::Limits;
use crate::base::{SourceId, Span};
use crate::syntax::ast::{Ast, BinaryOperator, ExprKind};
use crate::syntax::parse::parse_expression;

/// Longer pieces of a program are not repeated in a message.
pub(crate) const LONGEST: usize = 72;

impl Evaluator {
    /// The text of a place on one line, if it is short enough to be repeated.
    pub(crate) fn written(&self, span: Span) -> Option<String> {
        self.replaced(span, &[])
    }

    /// The text of `whole` in which `replace` gives the new text of `part`.
    pub(crate) fn rewritten(
        &self,
        whole: Span,
        part: Span,
        replace: impl FnOnce(&str) -> String,
    ) -> Option<String> {
        self.written(whole)?;
        let old = self.written(part)?;
        self.replaced(whole, &[(part, replace(&old))])
    }

    /// The text of `whole` with other texts for some of its parts, which come in their order.
    pub(crate) fn replaced(&self, whole: Span, parts: &[(Span, String)]) -> Option<String> {
        if whole == Span::BUILT_IN {
            return None;
        }
        let text = self.sources.text(whole);
        one_line(text)?;
        let (mut fixed, mut from) = (String::new(), whole.start);
        for (part, other) in parts {
            if !whole.contains(*part) || part.start < from {
                return None;
            }
            fixed.push_str(
                &text[(from - whole.start) as usize..(part.start - whole.start) as usize],
            );
            fixed.push_str(other);
            from = part.end;
        }
        fixed.push_str(&text[(from - whole.start) as usize..]);
        Some(joined(&fixed))
    }
}

/// A text on one line, if it is short enough to be repeated in a message.
pub(crate) fn one_line(text: &str) -> Option<String> {
    let comment = text.contains('\n') && text.contains('#');
    Some(joined(text)).filter(|line| line.len() <= LONGEST && !comment)
}

/// A text with a blank, or nothing inside brackets, for each line break and the blanks around it.
/// No string goes over a line break.
fn joined(text: &str) -> String {
    if !text.contains('\n') {
        return text.to_string();
    }
    let mut line = String::new();
    for part in text.lines().map(str::trim).filter(|part| !part.is_empty()) {
        let inside = line.is_empty() || line.ends_with(['(', '[']) || part.starts_with([')', ']']);
        line.push_str(if inside { "" } else { " " });
        line.push_str(part);
    }
    line
}

/// A text as the operand of any operator: in parentheses, unless it is a single thing.
pub(crate) fn operand(text: &str) -> String {
    match read(text) {
        Some((
            _,
            ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Ternary { .. }
            | ExprKind::Lambda(_),
        )) => format!("({text})"),
        _ => text.to_string(),
    }
}

/// The text of the first element of a list: itself, where it is written out.
pub(crate) fn first_element(text: &str) -> String {
    match read(text) {
        Some((ast, ExprKind::List(items) | ExprKind::Tuple(items))) if !items.is_empty() => {
            text[ast.get(items[0]).span.range()].to_string()
        }
        _ => format!("{}[0]", operand(text)),
    }
}

/// The texts of the elements of a list that is written out.
pub(crate) fn element_texts(text: &str) -> Vec<String> {
    match read(text) {
        Some((ast, ExprKind::List(items) | ExprKind::Tuple(items))) => items
            .iter()
            .map(|item| text[ast.get(*item).span.range()].to_string())
            .collect(),
        _ => Vec::new(),
    }
}

/// The beginning of a comparison, up to its right side.
pub(crate) fn compared(text: &str) -> Option<String> {
    let (ast, kind) = read(text)?;
    match kind {
        ExprKind::Binary {
            operator: BinaryOperator::Compare(_),
            right,
            ..
        } => Some(
            text[..ast.get(right).span.start as usize]
                .trim_end()
                .to_string(),
        ),
        _ => None,
    }
}

fn read(text: &str) -> Option<(Ast, ExprKind)> {
    let (parsed, root) = parse_expression(SourceId(0), text, &Limits::default());
    let ast = parsed.ast;
    let kind = ast.get(root?).kind.clone();
    Some((ast, kind))
}
