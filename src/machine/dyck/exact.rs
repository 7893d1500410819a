//! In which floats a construction is right, and up to which length: scores are integers that a float
//! must hold, or numbers whose rounding must stay below what they tell apart. Depends on `generate` and
//! `model`.

use super::generate::Angles;
use super::{Dyck, Kind};
use crate::base::{Code, Diagnostic, Fallible};
use crate::model::Dtype;

/// Whether a construction is right in a dtype, or in float32 and in float64.
///
/// # Errors
/// It is not: why, and up to which length it is (E0604).
pub(super) fn check(dyck: &Dyck, dtype: Option<Dtype>) -> Fallible<()> {
    let dtypes = match dtype {
        Some(Dtype::Bfloat16) => {
            let message = "machines are built for float32 and float64";
            let error = Diagnostic::error(Code::NotExact, message);
            return Err(Box::new(
                error.note("positions have more digits than bfloat16"),
            ));
        }
        Some(dtype) => vec![dtype],
        None => vec![Dtype::Float32, Dtype::Float64],
    };
    match dtypes.into_iter().find(|dtype| !holds(dyck, *dtype)) {
        Some(dtype) => Err(Box::new(refusal(dyck, dtype))),
        None => Ok(()),
    }
}

/// Bits of the significand.
fn digits(dtype: Dtype) -> i32 {
    match dtype {
        Dtype::Float32 => 24,
        Dtype::Float64 => 53,
        Dtype::Bfloat16 => 8,
    }
}

pub(super) fn holds(dyck: &Dyck, dtype: Dtype) -> bool {
    needed(dyck, dtype) <= 2f64.powi(digits(dtype))
}

/// What a float must hold: the largest number over what is to be told apart in it.
fn needed(dyck: &Dyck, dtype: Dtype) -> f64 {
    let unit = 2.0 * dyck.power_above_length();
    let levels = dyck.most_depth() as f64 + 3.0;
    match dyck.kind {
        // A position, less a power of two above all.
        Kind::Recognise => unit,
        // The square of a level is multiplied by `unit`; the mean behind it may be off by a rounding for
        // each level, and `unit` times it by an eighth.
        Kind::Label | Kind::Generate if dtype == Dtype::Float32 => {
            unit * (levels * levels).max(8.0 * levels)
        }
        // Levels are not rounded to integers here: what they are off by is multiplied in a score.
        Kind::Label | Kind::Generate => (4.0 * unit * levels).powi(2),
        Kind::GenerateLn | Kind::GenerateUnbounded => {
            let sharpness = Angles::of(dyck).sharpness;
            // Products of codes are off by some roundings; the mean behind an angle by one for each
            // position, which counts by its square.
            let drift = sharpness.sqrt() * dyck.max_length as f64;
            (ROUNDINGS * sharpness).max(drift)
        }
    }
}

/// How many roundings of a score of two angles may come together: measured, see `benches/dyck.rs`.
const ROUNDINGS: f64 = 8.0;

fn refusal(dyck: &Dyck, dtype: Dtype) -> Diagnostic {
    let name = dtype.name();
    let (kind, length) = (dyck.kind.name(), dyck.max_length);
    let depth = match dyck.depth {
        Some(depth) => format!(" for depth {depth}"),
        None => String::new(),
    };
    let message = format!("`{kind}`{depth} is not right in {name} at length {length}");
    let [needs, has] = [needed(dyck, dtype).log2().ceil() as i32, digits(dtype)];
    let what = match dyck.kind {
        Kind::Recognise => "positions",
        Kind::Label | Kind::Generate => "squares of levels times positions",
        Kind::GenerateLn | Kind::GenerateUnbounded => {
            "scores that tell the angles of levels apart before positions"
        }
    };
    let error = Diagnostic::error(Code::NotExact, message).note(format!(
        "{what} need {needs} bits of a float, and {name} has {has}"
    ));
    let within = |length: &usize| {
        let shorter = Dyck {
            max_length: *length,
            ..dyck.clone()
        };
        holds(&shorter, dtype)
    };
    // What is right at a length is so at every shorter one.
    let (mut right, mut wrong) = (0, length);
    while right + 1 < wrong {
        let middle = right + (wrong - right) / 2;
        match within(&middle) {
            true => right = middle,
            false => wrong = middle,
        }
    }
    let otherwise = match dtype {
        Dtype::Float32 if holds(dyck, Dtype::Float64) => "; or `--dtype float64`",
        Dtype::Float32 | Dtype::Float64 | Dtype::Bfloat16 => "",
    };
    match right {
        0 => error.help(format!("no length is{otherwise}")),
        _ => error.help(format!("up to length {right} it is{otherwise}")),
    }
}
