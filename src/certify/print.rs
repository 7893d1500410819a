//! A certificate as text.

use super::Certificate;
use crate::model::describe::{head_names, rounded};
use std::fmt;

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.dtype().name();
        for output in &self.outputs {
            match (output.proved, output.tolerance) {
                (true, Some(tolerance)) => writeln!(
                    f,
                    "{name}: {} is a real number, within {tolerance:e} for every input",
                    output.output
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
        let layers = self.heads.chunk_by(|one, next| one.layer == next.layer);
        let names = layers.flat_map(|heads| head_names(heads.iter().map(|head| &*head.selector)));
        for (head, name) in self.heads.iter().zip(names) {
            writeln!(
                f,
                "  layer {} {}: others {:.1} nats below, leak {:.1e}, selected within {:.1e}",
                head.layer, name, head.gap, head.leak, head.level_error
            )?;
        }
        for variable in &self.variables {
            write!(
                f,
                "  {}: up to {}, error {:.1e}",
                variable.variable, variable.largest, variable.error
            )?;
            match variable.margin {
                Some(margin) => writeln!(f, ", margin {margin:.1e}")?,
                None => writeln!(f)?,
            }
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
