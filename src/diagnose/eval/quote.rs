//! Pieces of the program quoted in help, on one line and with what was probably meant put in, and
//! arguments by their number. Long pieces are not repeated in a message.

pub(super) use crate::base::counted;
use crate::base::{Limits, SourceId, Sources, Span, Suggestion};
use crate::eval::meta::Callable;
use crate::syntax::ast::{Ast, ExprKind};
use crate::syntax::parse_expression;
use crate::syntax::precedence::Level;

/// Longer lines are not repeated in a message.
const LONGEST_LINE: usize = 72;

/// Stands for a text that cannot be repeated in a message: nothing is said that would need it.
pub(super) const UNSAID: char = '\0';

/// A sentence, if every text in it can be repeated.
pub(super) fn said(sentence: String) -> Option<Suggestion> {
    (!sentence.contains(UNSAID)).then(|| sentence.into())
}

/// The text of `whole` with other texts for some of its parts, which come in their order.
pub(super) fn replaced(sources: &Sources, whole: Span, edits: &[(Span, String)]) -> Option<String> {
    if whole == Span::BUILT_IN {
        return None;
    }
    let text = sources.text(whole);
    one_line(text)?;
    let (mut fixed, mut from) = (String::new(), whole.start);
    for (part, other) in edits {
        if !whole.contains(*part) || part.start < from {
            return None;
        }
        let kept = (from - whole.start) as usize..(part.start - whole.start) as usize;
        fixed.push_str(&text[kept]);
        fixed.push_str(other);
        from = part.end;
    }
    fixed.push_str(&text[(from - whole.start) as usize..]);
    Some(joined(&fixed))
}

/// A text as it can stand in a place: in parentheses where an operator may be beside it.
pub(super) fn in_place(sources: &Sources, span: Span, text: &str) -> String {
    let whole = &sources.get(span.source).text;
    let before = whole[..span.start as usize].trim_end();
    let after = whole[span.end as usize..].trim_start();
    let compares = ["==", "!=", "<=", ">="]
        .iter()
        .any(|sign| before.ends_with(sign));
    let opens = before.is_empty() || before.ends_with(['(', '[', '{', ',', '=', ';', ':', '}']);
    let closes = after.is_empty() || after.starts_with([')', ']', '}', ',', ';']);
    match opens && closes && !compares {
        true => text.to_string(),
        false => operand(text),
    }
}

/// A text on one line, if it is short enough to be repeated in a message.
pub(super) fn one_line(text: &str) -> Option<String> {
    let comment = text.contains('\n') && text.contains('#');
    Some(joined(text)).filter(|line| line.len() <= LONGEST_LINE && !comment)
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
pub(super) fn operand(text: &str) -> String {
    match read(text) {
        Some((_, kind)) if Level::of(&kind) < Level::Postfix => format!("({text})"),
        _ => text.to_string(),
    }
}

/// The texts of the elements of a list that is written out.
pub(super) fn elements(text: &str) -> Vec<String> {
    match read(text) {
        Some((ast, ExprKind::List(items) | ExprKind::Tuple(items))) => {
            let spans = items.iter().map(|item| ast.get(*item).span);
            spans.map(|span| text[span.range()].to_string()).collect()
        }
        _ => Vec::new(),
    }
}

fn read(text: &str) -> Option<(Ast, ExprKind)> {
    let (parsed, root) = parse_expression(SourceId(0), text, &Limits::default());
    let kind = parsed.ast.get(root?).kind.clone();
    Some((parsed.ast, kind))
}

/// `no arguments`, `1 argument`.
pub(super) fn some_arguments(count: usize) -> String {
    match count {
        0 => "no arguments".to_string(),
        _ => counted(count, "argument"),
    }
}

/// How many arguments or values a function takes: `2 arguments`, `at least 1 value`.
pub(super) fn takes(callable: &Callable, noun: &str) -> String {
    let single = callable.single().len();
    match (callable.rest, single) {
        (true, 0) => format!("any number of {noun}s"),
        (true, _) => format!("at least {}", counted(callable.takes().0, noun)),
        (false, 0) => format!("no {noun}s"),
        (false, _) => counted(single, noun),
    }
}

/// The first names of the alphabet.
pub(super) fn letters(count: usize) -> Vec<String> {
    ('a'..='z').map(String::from).take(count).collect()
}
