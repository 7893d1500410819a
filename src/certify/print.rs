//! A certificate as text.

use super::{Certificate, VariableBound};
use crate::model::describe::{head_names, rounded};
use crate::model::label::name_and_value;
use std::fmt;

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.dtype().name();
        for output in &self.outputs {
            match (output.proved, output.tolerance) {
                (true, Some(tolerance)) => writeln!(
                    f,
                    "{name}: {} is a real number, within {} for every input",
                    output.output,
                    short(tolerance)
                )?,
                (true, None) => writeln!(
                    f,
                    "{name}: {} decodes exactly for every input; its error is at most {:.1e} of the \
                     margin",
                    output.output, output.error
                )?,
                (false, _) => writeln!(
                    f,
                    "{name}: {} is not proved to decode exactly",
                    output.output
                )?,
            }
        }
        if self.holds() && !self.any_order {
            writeln!(
                f,
                "  proved for sums that are added in turn, as `rasp exec` adds them"
            )?;
        }
        let layers = self.heads.chunk_by(|one, next| one.layer == next.layer);
        let names = layers.flat_map(|heads| head_names(heads.iter().map(|head| &*head.selector)));
        for (head, name) in self.heads.iter().zip(names) {
            writeln!(
                f,
                "  layer {} {}: others {:.1} nats below, leak {:.1e}, selected within {:.1e}",
                head.layer, name, head.gap, head.leak, head.level_error
            )?;
        }
        for alike in self.variables.chunk_by(are_alike) {
            let Some(first) = alike.first() else {
                continue;
            };
            match alike.len() {
                1 => write!(f, "  {}", first.variable)?,
                count => write!(f, "  {} ({count} directions)", of(first))?,
            }
            writeln!(f, ": {}", bounds(first))?;
        }
        if let Some(largest) = self.largest_activation {
            writeln!(f, "  no activation is larger than {}", rounded(largest))?;
        }
        for open in &self.open {
            writeln!(f, "  open: {open}")?;
        }
        Ok(())
    }
}

/// Whether two directions are of one variable, and as well known.
fn are_alike(one: &VariableBound, next: &VariableBound) -> bool {
    of(one) == of(next) && bounds(one) == bounds(next)
}

/// What a direction is of.
fn of(variable: &VariableBound) -> &str {
    name_and_value(&variable.variable).0
}

fn bounds(variable: &VariableBound) -> String {
    let (largest, error) = (variable.largest, variable.error);
    let margin = variable
        .margin
        .map(|margin| format!(", margin {margin:.1e}"));
    format!(
        "up to {largest}, error {error:.1e}{}",
        margin.unwrap_or_default()
    )
}

/// A small number in two digits, or one.
fn short(number: f64) -> String {
    format!("{number:.1e}").replace(".0e", "e")
}
