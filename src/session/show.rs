//! What the reference implementation prints for values and definitions, byte for byte, so that
//! transcripts of its REPL can be compared.

use super::Session;
use crate::base::{Diagnostic, Fallible};
use crate::eval::{Application, Event, Meta};
use crate::interpret;
use crate::value::Value;
use crate::value::sequence::display_sequence;

/// Rows as the reference draws a selector: one line a query, `1` where it selects a key.
pub fn matrix(input: &[Value], rows: &[Vec<bool>]) -> String {
    let labels: Vec<String> = input.iter().map(Value::to_string).collect();
    let width = labels
        .iter()
        .map(|label| label.chars().count())
        .max()
        .unwrap_or(1);
    let mut text = format!("\t\t\t{} {}\n", " ".repeat(width + 2), labels.join(" "));
    for (label, row) in labels.iter().zip(rows) {
        let pad = " ".repeat(width - label.chars().count());
        let cells: Vec<String> = row
            .iter()
            .zip(&labels)
            .map(|(selected, label)| {
                let mark = if *selected { "1" } else { " " };
                format!(
                    "{mark}{}",
                    " ".repeat(label.chars().count().saturating_sub(1))
                )
            })
            .collect();
        text.push_str(&format!("\t\t\t{pad}{label} | {}\n", cells.join(" ")));
    }
    text
}

/// The value of an application as it is printed.
pub fn application(application: &Application) -> String {
    match application {
        Application::Sequence { output, .. } => output.to_string(),
        Application::Matrix { input, rows } => {
            format!("\n{}", matrix(input, rows).trim_end_matches('\n'))
        }
    }
}

impl Session {
    /// What the value of an expression statement is on an input: `None` for other events.
    ///
    /// # Errors
    /// As [`interpret::evaluate`].
    pub fn shown_value(&self, event: &Event, input: &[Value]) -> Fallible<Option<String>> {
        let Event::Expression { meta, span } = event else {
            return Ok(None);
        };
        let located = |error: Box<Diagnostic>| {
            let roots = match meta {
                Meta::SOp(id) => vec![*id],
                Meta::Selector(id) => self.graph().selector_operands(*id),
                _ => Vec::new(),
            };
            let error = self.evaluator.explain(*error, &roots);
            Box::new(error.within(*span, "evaluated here"))
        };
        Ok(Some(match meta {
            Meta::SOp(id) => {
                let result = interpret::evaluate(self.graph(), *id, input).map_err(located)?;
                display_sequence(&result.values, result.sequence_type)
            }
            Meta::Selector(id) => matrix(
                input,
                &interpret::evaluate_selector(self.graph(), *id, input).map_err(located)?,
            ),
            Meta::Application(result) => application(result),
            other => other.repr(),
        }))
    }
}
