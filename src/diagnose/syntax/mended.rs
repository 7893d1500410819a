//! Mistakes whose meaning is plain, so that the parser has read what was meant, and what goes beyond a
//! limit.

use super::place::Context;
use super::words::sign;
use crate::base::{Code, Diagnostic, Limits, Span, Suggestion};
use crate::syntax::mistake::{Mistake, MistakeKind};

/// What to say of a mistake that is not about the tokens around it.
pub(super) fn diagnostic(context: &Context, mistake: &Mistake, limits: &Limits) -> Diagnostic {
    let span = mistake.span;
    let written = context.text.get(span.range()).unwrap_or("");
    let before = context.text.get(..span.start as usize).unwrap_or("");
    let behind = context.text.get(span.end as usize..).unwrap_or("");
    let end = Span {
        start: span.end,
        ..span
    };
    let write = |fixed: String| Suggestion::edit(format!("write `{fixed}`"), span, fixed);
    let float = |float: String| Suggestion::edit(format!("write a float: `{float}`"), span, float);
    rules! { &mistake.kind;
        MistakeKind::SourceBytes =>
            error!(LimitReached, "this text is too long"),
            at span, ("it has {} bytes", context.text.len()),
            note ("the limit `source_bytes` is {} bytes", limits.source_bytes);
        MistakeKind::OpenBrackets =>
            error!(LimitReached, "too many brackets are open"),
            at span, "this one is one too many",
            note ("the limit `open_brackets` is {}", limits.open_brackets),
            help "name the inner parts in statements of their own";
        MistakeKind::ExpressionDepth =>
            error!(LimitReached, "this expression is nested too deeply"),
            at span, "too deep",
            note ("the limit `expression_depth` is {}", limits.expression_depth),
            help "name parts of it in statements of their own";
        MistakeKind::Escape =>
            where (kind, help) = match written.starts_with("\\u") {
                true => (
                    "Unicode escape",
                    "write the character's code point in braces, like `\\u{e9}` for é".into(),
                ),
                false => ("escape", Suggestion::edit(
                    format!("for a backslash itself write two: `\\{written}`"),
                    span,
                    format!("\\{written}"),
                )),
            };
            error!(BadEscape, "`{written}` is no {kind}"),
            at span, "unknown escape",
            note "the escapes are \\n \\t \\\\ \\\" \\' and \\u{{…}}",
            mend Some(help);
        MistakeKind::LargeInt =>
            where nearest = written.parse().unwrap_or(f64::INFINITY);
            error!(NumberTooLarge, "this integer does not fit in 64 bits"),
            at span, "too large",
            note ("integers go from {} to {}", i64::MIN, i64::MAX),
            mend Some(match written.len() {
                _ if nearest.is_infinite() => SMALLER.into(),
                0..=24 => float(format!("{written}.0")),
                _ => float(format!("{nearest:e}")),
            });
        MistakeKind::LargeFloat =>
            error!(NumberTooLarge, "this number is too large for a float"),
            at span, "too large",
            note "the largest float is about 1.8e308",
            help "{SMALLER}";
        MistakeKind::Comment =>
            where marks = Span { end: span.start + 2, ..span };
            where (comment, line) = (written.get(2..).unwrap_or(""), behind.lines().next());
            where comment = format!("{comment}{}", line.unwrap_or(""));
            error!(UnexpectedToken, "comments do not begin with `//`"),
            at span, "not a comment here",
            mend Some(Suggestion::edit(format!("write `# {}`", comment.trim()), marks, "#"));
        MistakeKind::Number => error!(UnexpectedToken, "`{written}` is no number"),
            at span, "neither a number nor a name",
            mend Some(match number(written) {
                Some(number) => write(number.to_string()),
                None => other_number(written).into(),
            });
        // A string over two lines, or one that its own quote ends in the middle.
        MistakeKind::BrokenString if written.contains('\n') =>
            where first = written.lines().next().map_or(0, str::len) as u32;
            where first = Span { end: span.start + first, ..span };
            where whole = written.lines().collect::<Vec<_>>().join("\\n");
            error!(UnclosedString, "this string goes on in the next line"),
            at first, "the string begins here and its line ends",
            mend Some(Suggestion::edit(
                format!("write `\\n` for the line break: `{whole}`"), span, whole,
            ));
        MistakeKind::BrokenString =>
            where (quote, held) = written.split_at(1);
            where first = held.find(quote).map_or(1, |end| end as u32 + 2);
            where first = Span { end: span.start + first, ..span };
            where (other, held) = (if quote == "\"" { '\'' } else { '"' }, &held[..held.len() - 1]);
            where fixed = format!("{other}{held}{other}");
            error!(UnexpectedToken, "this string ends at its second quote"),
            at first, "the string is only this",
            mend Some(Suggestion::edit(format!("write `{fixed}` for a quote inside"), span, fixed));
        MistakeKind::OpenString =>
            error!(UnclosedString, "this string has no closing quote"),
            at span, "the string begins here and its line ends",
            help "close it on the same line; for a line break inside it write `\\n`";
        // `+=`; of several operands the operator would take the first alone.
        MistakeKind::Foreign if sign(written, span).is_none() && written.ends_with('=') =>
            where operator = match written.trim_end_matches('=') {
                "**" => "^",
                "//" => "/",
                other => other,
            };
            where name = assigned(before);
            where (single, name) = (name.is_some(), name.unwrap_or("name"));
            where rest = behind.split([';', '\n']).next().unwrap_or("").trim();
            where alone = !rest.is_empty() && rest.chars().all(char::is_alphanumeric);
            where (single, rest) = (single && alone, if alone { rest } else { "…" });
            where help = format!("write `{name} = {name} {operator} {rest};`");
            where help = Suggestion::edit(help, span, format!("= {name} {operator}"));
            error!(UnexpectedToken, "there is no `{written}`"),
            at span, "names are assigned with `=` only",
            mend Some(if single { help } else { help.plain() });
        MistakeKind::Foreign if sign(written, span).is_none() =>
            where whole = match written.starts_with('.') {
                true => format!("0{written}"),
                false => format!("{written}0"),
            };
            error!(UnexpectedToken, "a float has digits on both sides of its point"),
            at span, "digits are missing",
            mend Some(write(whole));
        MistakeKind::Foreign if written == "!" && before.ends_with('=') && behind.starts_with(' ') =>
            where both = Span { start: span.start - 1, ..span };
            error!(UnexpectedToken, "there is no `=!`"),
            at both, "not an operator here",
            mend Some(Suggestion::edit("to compare write `!=`", both, "!="));
        MistakeKind::Foreign =>
            error!(UnexpectedToken, "`{written}` is not an operator of the language"),
            at span, "not an operator here",
            mend sign(written, span);
        MistakeKind::NoSemicolon => error!(UnexpectedToken, "this statement has no `;`"),
            at span, "a `;` belongs after this",
            mend Some(Suggestion::edit("end every statement with `;`", end, ";"));
        MistakeKind::NoExpression =>
            error!(UnexpectedToken, "a single expression is expected here"),
            at span, "not an expression";
        MistakeKind::Block | MistakeKind::Unexpected(_) =>
            error!(UnexpectedToken, "`{written}` does not fit here"),
            at span, "not expected here";
    }
}

/// Help where no number is as large.
const SMALLER: &str = "write a smaller number, like `1e308`";

/// The name that is all of a statement so far.
fn assigned(text: &str) -> Option<&str> {
    let text = text.trim_end_matches([' ', '\t']);
    let before = text.trim_end_matches(|part: char| part.is_alphanumeric() || part == '_');
    let begins = before.trim_end_matches([' ', '\t']);
    let begins = begins.is_empty() || begins.ends_with(['\n', ';', '{', '}', ':']);
    text.get(before.len()..)
        .filter(|name| begins && !name.is_empty())
}

/// The number that another language writes so.
fn number(written: &str) -> Option<i64> {
    let plain = written.replace('_', "").to_lowercase();
    let mut bases = [("0x", 16), ("0b", 2), ("0o", 8), ("", 10)].into_iter();
    bases.find_map(|(prefix, base)| i64::from_str_radix(plain.strip_prefix(prefix)?, base).ok())
}

/// What to write instead of something else that is glued to a number.
fn other_number(written: &str) -> String {
    if written.contains('.') {
        return format!("a number has one point; a token stands in quotes: `\"{written}\"`");
    }
    let name = written.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = &written[..written.len() - name.len()];
    format!("a product is written `{number} * {name}`; a name begins with a letter or `_`")
}
