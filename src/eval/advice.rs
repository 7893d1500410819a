//! What to type instead, for errors that show only on an input. The place of the error is read
//! again, so that the help is the user's own code, mended.

use super::quoted::{LONGEST, one_line, operand};
use crate::base::{Code, Diagnostic, Limits, Sources, Span};
use crate::syntax::ast::{Ast, BinaryOperator, ExprId, ExprKind};
use crate::syntax::parse::parse_expression;
use crate::value::{Table, Value};

/// The expression that failed.
struct Failed {
    ast: Ast,
    root: ExprId,
    text: String,
}

impl Failed {
    fn read(sources: &Sources, span: Span) -> Option<Failed> {
        if is_library(sources, span) {
            return None;
        }
        let text = one_line(sources.text(span))?;
        let (parsed, root) = parse_expression(span.source, &text, &Limits::default());
        let root = root.filter(|_| parsed.mistakes.is_empty())?;
        let ast = parsed.ast;
        Some(Failed { ast, root, text })
    }

    fn part(&self, id: ExprId) -> &str {
        &self.text[self.ast.get(id).span.range()]
    }

    fn kind(&self) -> &ExprKind {
        &self.ast.get(self.root).kind
    }

    /// The arguments of a call of `aggregate`.
    fn aggregate(&self) -> Option<Vec<&str>> {
        let ExprKind::Call {
            function,
            arguments,
        } = self.kind()
        else {
            return None;
        };
        let plain = arguments.iter().all(|argument| argument.name.is_none());
        (plain && self.part(*function) == "aggregate").then(|| {
            let parts = arguments.iter().map(|argument| self.part(argument.value));
            parts.collect()
        })
    }
}

/// Whether a place is in the library, which nobody can change.
pub(crate) fn is_library(sources: &Sources, span: Span) -> bool {
    sources.get(span.source).name.starts_with("stdlib/")
}

/// Adds what to type instead to an error of an evaluation, where something is known.
pub(crate) fn advise(diagnostic: Diagnostic, sources: &Sources) -> Diagnostic {
    if diagnostic.help.is_some() {
        return diagnostic;
    }
    let failed = diagnostic
        .span()
        .and_then(|span| Failed::read(sources, span));
    let help = match diagnostic.code {
        Code::MixedTypes => failed
            .as_ref()
            .and_then(|failed| {
                let help = default(failed).or_else(|| branches(failed));
                help.or_else(|| table_of_strings(failed))
            })
            .or_else(|| library_call(&diagnostic, sources, "shift"))
            .or_else(|| library_call(&diagnostic, sources, "load_from_location")),
        Code::MixedDefault => library_call(&diagnostic, sources, "shift"),
        Code::MeanOfNonNumbers => library_call(&diagnostic, sources, "average")
            .or_else(|| Some(mean(failed.as_ref(), &diagnostic.message))),
        Code::ArithmeticFailed => failed.as_ref().and_then(|failed| {
            guard(failed, &diagnostic.message)
                .or_else(|| largest_power(failed))
                .or_else(|| one_key(failed))
        }),
        Code::LimitReached => failed.as_ref().and_then(shorter),
        Code::OperandTypes => failed.as_ref().and_then(appended),
        Code::Overflow => failed.as_ref().and_then(float),
        Code::BadToken if diagnostic.message.contains("float") => {
            Some("floats come as a list: `tokens_float([0.5, 2.0])`".to_string())
        }
        Code::BadToken => Some(
            "numbers come as a list or as single digits: `tokens_int([10, 20])`, `tokens_int(\"123\")`"
                .to_string(),
        ),
        _ => None,
    };
    diagnostic.maybe_help(help)
}

/// An aggregate without a default that fits its values.
fn default(failed: &Failed) -> Option<String> {
    match failed.aggregate()?.as_slice() {
        [selector, values, default @ ..] => {
            let other = default
                .first()
                .map_or("\"\"", |written| other_default(written));
            Some(format!(
                "give a default of the type of the values: `aggregate({selector}, {values}, {other})`"
            ))
        }
        _ => None,
    }
}

/// A default of the other type than one that does not fit.
pub(crate) fn other_default(written: &str) -> &'static str {
    match written.starts_with('"') {
        true => "0",
        false => "\"\"",
    }
}

fn mean(failed: Option<&Failed>, message: &str) -> String {
    let arguments = failed.and_then(Failed::aggregate).unwrap_or_default();
    let bools = message.contains("bools");
    match (arguments.as_slice(), bools) {
        ([selector, values, ..], true) => {
            format!("for the share of True: `aggregate({selector}, indicator({values}))`")
        }
        ([selector, values, ..], false) => format!(
            "for the share of one value: `aggregate({selector}, indicator({values} == \"a\"))`; to \
             copy a value, select one position only"
        ),
        (_, true) => {
            "for the share of True wrap the values, like `indicator(indices > 0)`".to_string()
        }
        (_, false) => {
            "for the share of one value ask for it, like `indicator(tokens == \"a\")`".to_string()
        }
    }
}

/// A choice between a number and a string, one of them written out: the same with one type.
fn branches(failed: &Failed) -> Option<String> {
    let ExprKind::Ternary {
        then, otherwise, ..
    } = failed.kind()
    else {
        return None;
    };
    let mut texts = Vec::new();
    for id in [*then, *otherwise] {
        let value = match &failed.ast.get(id).kind {
            ExprKind::Literal(value) => Some(value.clone()),
            ExprKind::Name(name) if ["True", "False"].contains(&&**name) => {
                Some(Value::Bool(&**name == "True"))
            }
            _ => None,
        };
        if let Some(value) = &value {
            let written = match value {
                Value::Str(_) => "-1".to_string(),
                number => Value::str(&number.to_string()).source(),
            };
            texts.push((value.is_number(), failed.ast.get(id).span.range(), written));
        }
    }
    // With two literals the number becomes a string: that is always possible.
    texts.sort_by_key(|(number, ..)| !number);
    let (number, range, written) = texts.into_iter().next()?;
    let (before, after) = (&failed.text[..range.start], &failed.text[range.end..]);
    let what = if number { "strings" } else { "numbers" };
    Some(format!("for {what} in both: `{before}{written}{after}`"))
}

/// A list or dict of numbers and strings indexed by an s-op: the same with strings only.
fn table_of_strings(failed: &Failed) -> Option<String> {
    let ExprKind::Index { object, .. } = failed.kind() else {
        return None;
    };
    let values: Vec<ExprId> = match &failed.ast.get(*object).kind {
        ExprKind::List(items) | ExprKind::Tuple(items) => items.clone(),
        ExprKind::Dict(entries) => entries.iter().map(|(_, value)| *value).collect(),
        _ => return None,
    };
    let mut text = failed.text.clone();
    // From right to left, so that the places before keep their offsets.
    for id in values.into_iter().rev() {
        if matches!(&failed.ast.get(id).kind, ExprKind::Literal(value) if value.is_number()) {
            let quoted = Value::str(failed.part(id)).source();
            text.replace_range(failed.ast.get(id).span.range(), &quoted);
        }
    }
    (text != failed.text).then(|| format!("for strings only: `{text}`"))
}

/// An error inside a library function that the user called with what does not fit.
fn library_call(diagnostic: &Diagnostic, sources: &Sources, name: &str) -> Option<String> {
    let calls = diagnostic.labels.iter().skip(1);
    let failed = calls
        .filter_map(|label| Failed::read(sources, label.span))
        .next()?;
    let ExprKind::Call {
        function,
        arguments,
    } = failed.kind()
    else {
        return None;
    };
    if failed.part(*function) != name {
        return None;
    }
    let parts: Vec<&str> = arguments
        .iter()
        .map(|argument| failed.part(argument.value))
        .collect();
    match (name, parts.as_slice()) {
        ("shift", [values, by, filler @ ..]) => {
            let other = filler
                .first()
                .map_or("\"\"", |filler| other_default(filler));
            Some(format!(
                "give a default of the type of the values: `shift({values}, {by}, {other})`"
            ))
        }
        ("load_from_location", [values, location]) => Some(format!(
            "say what stands beyond the input: `aggregate(select(indices, {location}, ==), {values}, \
             \"\")`"
        )),
        ("average", [values]) if diagnostic.message.contains("strings") => Some(format!(
            "for the share of one value: `average(indicator({values} == \"a\"))`"
        )),
        ("average", [values]) if diagnostic.message.contains("bools") => Some(format!(
            "for the share of True: `average(indicator({values}))`"
        )),
        _ => None,
    }
}

/// A division, made where the divisor is not zero.
fn guard(failed: &Failed, message: &str) -> Option<String> {
    let ExprKind::Binary {
        operator,
        left,
        right,
    } = failed.kind()
    else {
        return None;
    };
    let divisor = match operator {
        BinaryOperator::Divide | BinaryOperator::Remainder => *right,
        BinaryOperator::Power => *left,
        _ => return None,
    };
    if matches!(failed.ast.get(divisor).kind, ExprKind::Literal(_)) {
        let (before, after) = failed
            .text
            .split_at(failed.ast.get(divisor).span.start as usize);
        let after = &after[failed.part(divisor).len()..];
        let what = match operator {
            BinaryOperator::Power if !message.contains("zero") => return None,
            BinaryOperator::Power => "base",
            _ => "divisor",
        };
        return Some(format!("choose another {what}: `{before}2{after}`"));
    }
    let asked = failed.part(divisor);
    let condition = match operator {
        BinaryOperator::Power if message.contains("real number") => format!("{asked} >= 0"),
        _ => format!("{asked} != 0"),
    };
    Some(format!(
        "choose another value there: `{} if {condition} else 0`",
        failed.text
    ))
}

/// A power of literals beyond all floats: the largest power that is none.
fn largest_power(failed: &Failed) -> Option<String> {
    let ExprKind::Binary {
        operator: BinaryOperator::Power,
        left,
        right,
    } = failed.kind()
    else {
        return None;
    };
    let (ExprKind::Literal(base), ExprKind::Literal(_)) =
        (&failed.ast.get(*left).kind, &failed.ast.get(*right).kind)
    else {
        return None;
    };
    let base = base.as_float().filter(|base| *base > 1.0)?;
    let exponent = (f64::MAX.ln() / base.ln()).floor();
    let written = failed.part(*left);
    Some(format!("the largest power is `{written} ^ {exponent}`"))
}

/// A mean weighted by what is no weight: the value at the best key.
fn one_key(failed: &Failed) -> Option<String> {
    match failed.aggregate()?.as_slice() {
        [scorer, values, ..] => Some(format!(
            "to read from the key with the highest score: \
             `aggregate(select_best(full_s, {scorer}), {values})`"
        )),
        _ => None,
    }
}

/// A string repeated too often: less often.
fn shorter(failed: &Failed) -> Option<String> {
    let ExprKind::Binary {
        operator: BinaryOperator::Multiply,
        left,
        right,
    } = failed.kind()
    else {
        return None;
    };
    let int = |id: &&ExprId| matches!(failed.ast.get(**id).kind, ExprKind::Literal(Value::Int(_)));
    let range = failed
        .ast
        .get(*[left, right].into_iter().find(int)?)
        .span
        .range();
    let (before, after) = (&failed.text[..range.start], &failed.text[range.end..]);
    Some(format!("repeat it less often: `{before}100{after}`"))
}

/// A number added to strings, as a string.
fn appended(failed: &Failed) -> Option<String> {
    let ExprKind::Binary {
        operator: BinaryOperator::Add,
        left,
        right,
    } = failed.kind()
    else {
        return None;
    };
    let number = [*left, *right].into_iter().find(
        |id| matches!(&failed.ast.get(*id).kind, ExprKind::Literal(value) if value.is_number()),
    )?;
    let range = failed.ast.get(number).span.range();
    let (before, after) = (&failed.text[..range.start], &failed.text[range.end..]);
    let quoted = Value::str(failed.part(number)).source();
    Some(format!("to append it as text: `{before}{quoted}{after}`"))
}

/// A list, string or dict indexed by an s-op that goes beyond it.
pub(crate) fn lookup(sources: &Sources, span: Span, table: &Table) -> Option<String> {
    let failed = Failed::read(sources, span)?;
    let ExprKind::Index { object, index } = failed.kind() else {
        return None;
    };
    let (object, index) = (failed.part(*object), failed.part(*index));
    let length = match table {
        Table::List(items) | Table::Str(items) => items.len(),
        Table::Dict(entries) => {
            let keys: Vec<String> = entries.iter().map(|(key, _)| key.source()).collect();
            let (first, all) = (keys.first()?, keys.join(", "));
            let fixed = format!("{object}[{index} if {index} in [{all}] else {first}]");
            return Some(format!("look up a key that is there: `{fixed}`"))
                .filter(|_| fixed.len() < 2 * LONGEST);
        }
    };
    (length > 0).then(|| {
        let index = operand(index);
        format!("keep the index in range: `{object}[{index} % {length}]`")
    })
}

/// A calculation with a literal int, with a float instead.
fn float(failed: &Failed) -> Option<String> {
    let mut ids = failed.ast.ids();
    let part =
        ids.find(|id| matches!(failed.ast.get(*id).kind, ExprKind::Literal(Value::Int(_))))?;
    let end = failed.ast.get(part).span.end as usize;
    let (before, after) = failed.text.split_at(end);
    Some(format!("floats reach further: `{before}.0{after}`"))
}
