//! Short inputs, many at once: they stand behind each other as one long input, on which selectors
//! select only within an input. What is done once for each s-op, whatever the length, is then done
//! once for all of them. Depends on evaluation in the module above.

use super::column::Column;
use super::column::segments::Segments;
use super::fault::check;
use super::{Evaluated, Evaluation};
use crate::graph::{Graph, SOp, SOpId};
use crate::value::Value;
use std::ops::Range;
use std::sync::Arc;

/// Positions that are worked on together: columns of them stay in a first-level cache.
const TOGETHER: usize = 1024;

/// Into so many parts are inputs divided where one of them fails.
const PARTS: usize = 8;

/// The values of some s-ops on each of many inputs, or why there are none, as [`super::evaluate`] gives
/// them one by one: a list for each input, in the order of the s-ops.
///
/// # Errors
/// It is interrupted.
pub fn evaluate_many(
    graph: &Graph,
    roots: &[SOpId],
    inputs: &[Vec<Value>],
) -> Evaluated<Vec<Vec<Evaluated<Vec<Value>>>>> {
    let mut many = Many {
        graph,
        roots,
        found: Vec::with_capacity(inputs.len()),
    };
    let weighs = |id: &SOpId| matches!(graph.get(*id), SOp::WeightedMean { .. });
    let most = match graph.reachable(roots).iter().any(weighs) {
        // A weight of 0 keeps a key out, but not its score from being computed, or failing.
        true => 0,
        false => TOGETHER,
    };
    let mut rest = inputs;
    while !rest.is_empty() {
        let mut positions = 0;
        let fitting = rest.iter().take_while(|input| {
            positions += input.len();
            positions <= most
        });
        let (together, after) = rest.split_at(fitting.count().max(1));
        many.evaluate(together)?;
        rest = after;
    }
    Ok(many.found)
}

struct Many<'a> {
    graph: &'a Graph,
    roots: &'a [SOpId],
    found: Vec<Vec<Evaluated<Vec<Value>>>>,
}

impl Many<'_> {
    /// Evaluates inputs together; where one fails, or may have felt another, each part on its own.
    fn evaluate(&mut self, inputs: &[Vec<Value>]) -> Evaluated<()> {
        if inputs.len() < 2 || inputs.iter().any(Vec::is_empty) {
            return inputs.iter().try_for_each(|input| self.alone(input));
        }
        let input = inputs.concat();
        let lengths = inputs.iter().map(Vec::len);
        let mut evaluation = Evaluation::new(self.graph, &input)?;
        evaluation.segments = Some(Arc::new(Segments::of_lengths(lengths)));
        evaluation.run(self.roots)?;
        let columns: Vec<Arc<Column>> = self
            .roots
            .iter()
            .map(|root| evaluation.column(*root))
            .collect();
        let fails = columns.iter().any(|column| column.first_fault().is_some());
        if fails || evaluation.crossed {
            let mut parts = inputs.chunks(inputs.len().div_ceil(PARTS));
            return parts.try_for_each(|part| self.evaluate(part));
        }
        let mut start = 0;
        for input in inputs {
            let positions = start..start + input.len();
            start = positions.end;
            let values = |column: &Arc<Column>| Ok(values(column, positions.clone()));
            self.found.push(columns.iter().map(values).collect());
        }
        Ok(())
    }

    fn alone(&mut self, input: &[Value]) -> Evaluated<()> {
        check(self.graph)?;
        let values = match super::evaluate_each(self.graph, self.roots, input) {
            Ok(found) => {
                let found = found.into_iter();
                found.map(|found| Ok(found?.values)).collect()
            }
            Err(error) => vec![Err(error); self.roots.len()],
        };
        check(self.graph)?;
        self.found.push(values);
        Ok(())
    }
}

fn values(column: &Column, positions: Range<usize>) -> Vec<Value> {
    positions.map(|position| column.get(position)).collect()
}
