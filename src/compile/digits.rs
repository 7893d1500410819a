//! Whether floats have digits enough for all numbers of an s-op: beside one that is very large the
//! differences of others are lost when they are added up, in the interpreter's floats as in a model's, but
//! not at the same places. Depends on `infer` and the graph.

use crate::base::{Code, Diagnostic, Fallible};
use crate::graph::{SOp, SOpId};
use crate::infer::space::VarId;
use crate::infer::{Analysis, VarKind};
use crate::value::Value;

/// No difference of two numbers of an s-op may be smaller than this share of the largest.
const LEAST_SHARE: f64 = 1.0 / (1u64 << 40) as f64;

/// The same of fractions that are added up, as sums are only known up to rounding.
const LEAST_SHARE_OF_FRACTIONS: f64 = 1.0 / (1u64 << 28) as f64;

/// Nothing needs to be asked of numbers up to this: of their own digits rounding takes no more.
const SMALL: f64 = (1 << 20) as f64;

/// Larger numbers are beyond float32.
const TOO_LARGE: f64 = 1e37;

/// # Errors
/// Numbers of an s-op are too far apart, or too large (E0602).
pub(super) fn check(analysis: &Analysis) -> Fallible<()> {
    for id in analysis.analysed() {
        let Some(lost) = lost_of(analysis, id) else {
            continue;
        };
        let name = analysis.graph.describe(id);
        let help = match *analysis.graph.get(id) == SOp::Tokens {
            true => "tokens that are only told apart can be texts: `\"1000\"`",
            false if is_of_default(analysis, id) => {
                "take a smaller number for what is not there, such as -1"
            }
            false => "the same program over numbers that are less far apart may compile",
        };
        return Err(Diagnostic::error(Code::NotCompilable, lost)
            .at(analysis.graph.span(id), format!("{name} has them"))
            .help(help)
            .into());
    }
    Ok(())
}

/// Whether the largest number of an s-op is what it, or something that it reads, is where nothing is selected.
fn is_of_default(analysis: &Analysis, id: SOpId) -> bool {
    let Ok(node) = analysis.node(id) else {
        return false;
    };
    let largest = Value::largest(&node.column.values.domain);
    let read = analysis.graph.reachable(&[id]);
    let mut defaults = read
        .iter()
        .filter_map(|id| analysis.graph.get(*id).default());
    defaults.any(|default| Value::largest(std::slice::from_ref(default)) == largest)
}

/// What is lost of the numbers of an s-op, or of those that it averages where it is a real number.
fn lost_of(analysis: &Analysis, id: SOpId) -> Option<String> {
    let sop = analysis.graph.get(id);
    if analysis.real(id).is_some()
        && let SOp::Aggregate {
            value, selector, ..
        } = sop
    {
        let is_reached = |_: &&Value| !analysis.selector(*selector).is_some_and(|it| it.non_empty);
        let default = sop.default().filter(is_reached);
        let averaged = &analysis.node(*value).ok()?.column.values.domain;
        // How large they are counts, too.
        let others = default.into_iter().chain([&Value::Int(0)]);
        let numbers: Vec<Value> = averaged.iter().chain(others).cloned().collect();
        return lost(&numbers, LEAST_SHARE);
    }
    let column = &analysis.node(id).ok()?.column;
    let numbers = &column.values.domain;
    let is_table = |var: &VarId| {
        let kind = analysis.kind(*var);
        matches!(kind, VarKind::Tokens | VarKind::Indices | VarKind::Pick(_))
    };
    let is_whole = |value: &Value| value.as_float().is_none_or(|it| it.fract() == 0.0);
    let least_share = match &column.space.vars[..] {
        // A function of the token, of the index, or of one selected value is a table: nothing is added up,
        // but ints may be different where floats are not.
        [] => f64::MIN_POSITIVE,
        [var] if is_table(var) => f64::MIN_POSITIVE,
        [_, _, ..] if !numbers.iter().all(is_whole) => LEAST_SHARE_OF_FRACTIONS,
        [_, ..] => LEAST_SHARE,
    };
    lost(numbers, least_share)
}

/// What is lost of numbers of which none may differ by less than a share of the largest.
fn lost(numbers: &[Value], least_share: f64) -> Option<String> {
    let largest = Value::largest(numbers);
    if largest > TOO_LARGE {
        return Some(format!(
            "numbers as large as {largest:e} have no place in a model"
        ));
    }
    if largest <= SMALL {
        return None;
    }
    match least_difference(numbers) {
        0.0 => Some(format!(
            "different numbers as large as {largest:e} are one as floats"
        )),
        least if least < least_share * largest => Some(format!(
            "beside numbers as large as {largest:e} a difference of {least:.1e} is lost"
        )),
        _ => None,
    }
}

/// The least difference of numbers that are not equal.
fn least_difference(domain: &[Value]) -> f64 {
    let mut numbers: Vec<(f64, &Value)> = domain
        .iter()
        .filter_map(|value| Some((value.as_float()?, value)))
        .collect();
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let differ = |two: &&[(f64, &Value)]| !two[0].1.equals(two[1].1);
    let differences = numbers.windows(2).filter(differ);
    differences
        .map(|two| two[1].0 - two[0].0)
        .fold(f64::INFINITY, f64::min)
}
