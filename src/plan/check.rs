//! Whether a plan holds together: every variable is written, and read after that only.

use super::{Linear, Plan, Style, VariableId, Written};

impl Plan {
    /// # Errors
    /// What does not hold, in words.
    pub fn check(&self) -> Result<(), String> {
        for (at, variable) in self.variables.iter().enumerate() {
            let id = VariableId(at as u32);
            if matches!(variable.written, Written::Attend | Written::FeedForward)
                && self.ready(id) == 0
            {
                return Err(format!("{}: nothing writes it", variable.label));
            }
        }
        let ready: Vec<usize> = (0..self.variables.len() as u32)
            .map(|id| self.ready(VariableId(id)))
            .collect();
        let check = |linear: &Linear, state: usize, what: &str| -> Result<(), String> {
            for variable in linear.reads() {
                let Some(born) = ready.get(variable.0 as usize) else {
                    return Err(format!("{what}: reads a variable that there is not"));
                };
                if *born > state {
                    let label = &self.variable(variable).label;
                    return Err(format!("{what}: reads {label} before it is written"));
                }
            }
            Ok(())
        };
        for attend in &self.attends {
            if attend.layer == 0 {
                return Err(format!("{}: no layer", attend.source.name));
            }
            let state = 2 * attend.layer - 2;
            check(&attend.value, state, &attend.source.name)?;
            for product in attend.terms.iter().flat_map(|term| &term.products) {
                check(&product.query, state, &attend.source.name)?;
                check(&product.key, state, &attend.source.name)?;
            }
            if self.style == Style::Faithful && attend.value.constant != 0.0 {
                return Err(format!("{}: moves a constant", attend.source.name));
            }
        }
        for forward in &self.feed_forwards {
            if forward.layer == 0 {
                return Err(format!("{}: no layer", forward.source.name));
            }
            check(
                &forward.argument,
                2 * forward.layer - 1,
                &forward.source.name,
            )?;
        }
        let end = 2 * self.layers();
        for read_out in self.outputs.iter().chain(&self.views) {
            for score in &read_out.scores {
                check(score, end, &read_out.name)?;
            }
        }
        Ok(())
    }
}
