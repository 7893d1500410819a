//! Many inputs at once, on all processors.

use super::Session;
use crate::base::Fallible;
use crate::graph::SOpId;
use crate::interpret::{self, Sequence};
use crate::value::Value;
use rayon::prelude::*;

impl Session {
    /// The values of several s-ops on many inputs: for each input, in the order of the inputs, a
    /// result for each s-op. Uses as many threads as rayon is set to.
    ///
    /// # Errors
    /// Each result has its own, as in [`Session::evaluate`].
    pub fn evaluate_all(
        &self,
        sops: &[SOpId],
        inputs: &[Vec<Value>],
    ) -> Vec<Vec<Fallible<Sequence>>> {
        let graph = self.graph();
        let on_input = |input: &Vec<Value>| -> Vec<Fallible<Sequence>> {
            sops.iter()
                .map(|sop| interpret::evaluate(graph, *sop, input))
                .collect()
        };
        let results: Vec<Vec<Fallible<Sequence>>> = inputs.par_iter().map(on_input).collect();
        // What to do about an error is read from the program, which stays on this thread.
        let explained = |row: Vec<Fallible<Sequence>>| {
            let result = |(result, sop): (Fallible<Sequence>, &SOpId)| {
                result.map_err(|error| self.explained(*error, *sop))
            };
            row.into_iter().zip(sops).map(result).collect()
        };
        results.into_iter().map(explained).collect()
    }
}
