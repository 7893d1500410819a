//! Mistakes whose meaning is plain, so that the parser has read what was meant, and what goes beyond a
//! limit.

use super::place::Context;
use crate::base::{Code, Diagnostic, Limits, Span, Suggestion};
use crate::syntax::mistake::{Mistake, MistakeKind};

/// What to say of a mistake that is not about the tokens around it.
pub(super) fn diagnostic(context: &Context, mistake: &Mistake, limits: &Limits) -> Diagnostic {
    let span = mistake.span;
    let written = context.text.get(span.range()).unwrap_or("");
    let end = Span {
        start: span.end,
        ..span
    };
    match mistake.kind {
        MistakeKind::SourceBytes => {
            let (bound, bytes) = (limits.source_bytes, context.text.len());
            told!(error!(LimitReached, "this text is too long"), at span, "it has {bytes} bytes",
                note "the limit `source_bytes` is {bound} bytes")
        }
        MistakeKind::OpenBrackets => {
            let bound = limits.open_brackets;
            told!(error!(LimitReached, "too many brackets are open"),
                at span, "this one is one too many",
                note "the limit `open_brackets` is {bound}",
                help "name the inner parts in statements of their own")
        }
        MistakeKind::ExpressionDepth => {
            let bound = limits.expression_depth;
            told!(error!(LimitReached, "this expression is nested too deeply"),
                at span, "too deep",
                note "the limit `expression_depth` is {bound}",
                help "name parts of it in statements of their own")
        }
        MistakeKind::Escape => {
            let unicode = written.starts_with("\\u");
            let kind = if unicode { "Unicode escape" } else { "escape" };
            let doubled = format!("for a backslash itself write two: `\\{written}`");
            told!(error!(BadEscape, "`{written}` is no {kind}"), at span, "unknown escape",
            note "the escapes are \\n \\t \\\\ \\\" \\' and \\u{{…}}",
            mend Some(match unicode {
                true => "write the character's code point in braces, like `\\u{e9}` for é".into(),
                false => Suggestion::edit(doubled, span, format!("\\{written}")),
            }))
        }
        MistakeKind::LargeInt => {
            let float: f64 = written.parse().unwrap_or(f64::INFINITY);
            let (least, most) = (i64::MIN, i64::MAX);
            told!(error!(NumberTooLarge, "this integer does not fit in 64 bits"),
            at span, "too large",
            note "integers go from {least} to {most}",
            mend Some(match written.len() {
                _ if float.is_infinite() => SMALLER.into(),
                0..=24 => a_float(span, format!("{written}.0")),
                _ => a_float(span, format!("{float:e}")),
            }))
        }
        MistakeKind::LargeFloat => {
            told!(error!(NumberTooLarge, "this number is too large for a float"),
                at span, "too large",
                note "the largest float is about 1.8e308",
                help "{SMALLER}")
        }
        MistakeKind::Comment => {
            let line = context.text[span.end as usize..].lines().next();
            let marks = Span {
                end: span.start + 2,
                ..span
            };
            let comment = written.get(2..).unwrap_or("").to_string() + line.unwrap_or("");
            let help = format!("write `# {}`", comment.trim());
            told!(error!(UnexpectedToken, "comments do not begin with `//`"),
                at span, "not a comment here",
                mend Some(Suggestion::edit(help, marks, "#")))
        }
        MistakeKind::Number => told!(error!(UnexpectedToken, "`{written}` is no number"),
            at span, "neither a number nor a name",
            mend Some(number(span, written))),
        MistakeKind::BrokenString => broken_string(mistake, written),
        MistakeKind::OpenString => {
            told!(error!(UnclosedString, "this string has no closing quote"),
                at span, "the string begins here and its line ends",
                help "close it on the same line; for a line break inside it write `\\n`")
        }
        MistakeKind::Foreign => foreign(context, mistake, written),
        MistakeKind::NoSemicolon => told!(error!(UnexpectedToken, "this statement has no `;`"),
            at span, "a `;` belongs after this",
            mend Some(Suggestion::edit("end every statement with `;`", end, ";"))),
        MistakeKind::NoExpression => {
            told!(error!(UnexpectedToken, "a single expression is expected here"),
                at span, "not an expression")
        }
        MistakeKind::Block | MistakeKind::Unexpected(_) => unreachable!("told from its place"),
    }
}

/// Help where no number is as large.
const SMALLER: &str = "write a smaller number, like `1e308`";

fn a_float(span: Span, float: String) -> Suggestion {
    Suggestion::edit(format!("write a float: `{float}`"), span, float)
}

/// What to write instead of what is glued to a number.
fn number(span: Span, written: &str) -> Suggestion {
    let plain = written.replace('_', "");
    let (prefix, digits) = plain.split_at(plain.len().min(2));
    let (base, digits) = match prefix {
        "0x" | "0X" => (16, digits),
        "0b" | "0B" => (2, digits),
        "0o" | "0O" => (8, digits),
        _ => (10, plain.as_str()),
    };
    match i64::from_str_radix(digits, base) {
        Ok(number) => Suggestion::edit(format!("write `{number}`"), span, number.to_string()),
        Err(_) if written.contains('.') => {
            format!("a number has one point; a token stands in quotes: `\"{written}\"`").into()
        }
        Err(_) => {
            let name = written.trim_start_matches(|c: char| c.is_ascii_digit());
            let number = &written[..written.len() - name.len()];
            format!("a product is written `{number} * {name}`; a name begins with a letter or `_`")
                .into()
        }
    }
}

/// A string over two lines, or one that its own quote ends in the middle.
fn broken_string(mistake: &Mistake, written: &str) -> Diagnostic {
    let mut span = mistake.span;
    let lines: Vec<&str> = written.lines().collect();
    let first = match lines.as_slice() {
        [first, _, ..] => first.len(),
        _ => {
            1 + written[1..]
                .find(&written[..1])
                .map_or(0, |quote| quote + 1)
        }
    };
    span.end = span.start + first as u32;
    if lines.len() < 2 {
        let quote = if written.starts_with('"') { '\'' } else { '"' };
        let held = &written[1..written.len() - 1];
        let message = "this string ends at its second quote";
        return Diagnostic::error(Code::UnexpectedToken, message)
            .at(span, "the string is only this")
            .help(Suggestion::edit(
                format!("write `{quote}{held}{quote}` for a quote inside"),
                mistake.span,
                format!("{quote}{held}{quote}"),
            ));
    }
    let whole = lines.join("\\n");
    Diagnostic::error(Code::UnclosedString, "this string goes on in the next line")
        .at(span, "the string begins here and its line ends")
        .help(Suggestion::edit(
            format!("write `\\n` for the line break: `{whole}`"),
            mistake.span,
            whole,
        ))
}

/// A spelling of another language.
fn foreign(context: &Context, mistake: &Mistake, written: &str) -> Diagnostic {
    let error = |message: String, label: &str, help: String| {
        Diagnostic::error(Code::UnexpectedToken, message)
            .at(mistake.span, label)
            .help(help)
    };
    if let Some((_, help, fixed)) = OPERATORS
        .iter()
        .find(|(signs, ..)| signs.contains(&written))
    {
        let message = format!("`{written}` is not an operator of the language");
        let error = error(message, "not an operator here", help.to_string());
        return match fixed.is_empty() {
            true => error,
            false => error.help(Suggestion::edit(*help, mistake.span, *fixed)),
        };
    }
    if written.ends_with('=') {
        let operator = match written.trim_end_matches('=') {
            "**" => "^",
            "//" => "/",
            other => other,
        };
        let name = context.before(mistake.span.start).unwrap_or("a");
        let help = format!("write `{name} = {name} {operator} …;`");
        let label = "names are assigned with `=` only";
        let fixed = format!("= {name} {operator}");
        let error = error(format!("there is no `{written}`"), label, help.clone());
        // Of several operands the operator would take the first alone.
        let rest = context.text[mistake.span.end as usize..].split(';').next();
        let single = rest.is_some_and(|rest| rest.trim().chars().all(char::is_alphanumeric));
        return match single {
            true => error.help(Suggestion::edit(help, mistake.span, fixed)),
            false => error,
        };
    }
    let whole = match written.starts_with('.') {
        true => format!("0{written}"),
        false => format!("{written}0"),
    };
    let message = "a float has digits on both sides of its point".to_string();
    let help = format!("write `{whole}`");
    let error = error(message, "digits are missing", help.clone());
    error.help(Suggestion::edit(help, mistake.span, whole))
}

/// Operators of other languages, what to say of them, and what to put there, if that is certain.
const OPERATORS: &[(&[&str], &str, &str)] = table! {
    &["&&", "&"], "write `and`", "and";
    &["||", "|"], "write `or`", "or";
    &["!"], "write `not`", "not ";
    &["**"], "a power is written `a ^ b`", "^";
    &["//"], "`/` is the only division; rounded down it is `round((a - a % b) / b)`", "";
    &["=<"], "write `<=`", "<=";
    &["=>"], "to compare write `>=`; a function is written `lambda x: value`", "";
    &["<>"], "write `!=`", "!=";
    &[":="], "assign with `=`", "=";
};
