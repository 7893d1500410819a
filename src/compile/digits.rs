//! Whether floats have digits enough for all numbers of an s-op: beside one that is very large the
//! differences of others are lost when they are added up, in the interpreter's floats as in a model's, but
//! not at the same places. Depends on `infer` and the graph.

use crate::base::{Code, Diagnostic, Fallible};
use crate::infer::{Analysis, VarKind};
use crate::value::Value;

/// No difference of two numbers of an s-op may be smaller than this share of the largest.
const LEAST_SHARE: f64 = 1.0 / (1u64 << 40) as f64;

/// Nothing needs to be asked of numbers up to this: of their own digits rounding takes no more.
const SMALL: f64 = (1 << 20) as f64;

/// All whole numbers up to this are floats.
const LARGEST_INT: f64 = (1u64 << 53) as f64;

/// Products of larger numbers are beyond float32; ints are below.
const TOO_LARGE: f64 = 1e19;

/// # Errors
/// Numbers of an s-op are too far apart, or too large (E0602).
pub(super) fn check(analysis: &Analysis) -> Fallible<()> {
    for id in analysis.analysed() {
        let Ok(node) = analysis.node(id) else {
            continue;
        };
        let domain = &node.column.values.domain;
        let largest = Value::largest(domain);
        if largest <= SMALL {
            continue;
        }
        // A function of the token, of the index, or of one selected value is a table: nothing is added up.
        let is_table = match &node.column.space.vars[..] {
            [] => true,
            [var] => matches!(
                analysis.kind(*var),
                VarKind::Tokens | VarKind::Indices | VarKind::Pick(_)
            ),
            [_, _, ..] => false,
        };
        let least = match is_table && largest <= LARGEST_INT {
            true => largest,
            false => least_difference(domain, largest),
        };
        let lost = match (largest <= TOO_LARGE, least >= LEAST_SHARE * largest) {
            (true, true) => continue,
            (true, false) => {
                format!("beside numbers as large as {largest:e} a difference of {least} is lost")
            }
            (false, _) => format!("numbers as large as {largest:e} have no place in a model"),
        };
        let name = analysis.graph.describe(id);
        return Err(Diagnostic::error(Code::NotCompilable, lost)
            .at(analysis.graph.span(id), format!("{name} has them"))
            .help("take a smaller number for what is not there, such as -1")
            .into());
    }
    Ok(())
}

/// The least difference of numbers that are not the same but for rounding.
fn least_difference(domain: &[Value], largest: f64) -> f64 {
    let mut numbers: Vec<(f64, &Value)> = domain
        .iter()
        .filter_map(|value| Some((value.as_float()?, value)))
        .collect();
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let differs = |two: &&[(f64, &Value)]| !two[0].1.equals_but_for_rounding(two[1].1, largest);
    let differences = numbers.windows(2).filter(differs);
    differences
        .map(|two| two[1].0 - two[0].0)
        .fold(f64::INFINITY, f64::min)
}
