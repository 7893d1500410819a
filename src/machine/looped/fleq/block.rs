//! Function blocks: what a FLEQ machine can do with two matrices, each block in heads and hidden units of
//! its own. Whoever wants another function writes another block. Depends on `network`.

use super::program::Matrix;
use crate::machine::form::Form;
use crate::machine::looped::network::{self, Draft, Rows};

/// Rows and columns of a matrix.
pub type Shape = (usize, usize);

/// What closes a gate on real numbers; an open one is exactly 0, so that it costs no digits.
pub const CLOSED: f64 = (1u64 << 40) as f64;

/// Some functions with the layers that compute them.
pub trait Block {
    /// Their names.
    fn functions(&self) -> Vec<String>;

    /// Lines by which a text defines those that are its own.
    fn definitions(&self) -> Vec<String> {
        Vec::new()
    }

    /// How many operands a function takes.
    fn operands(&self, function: usize) -> usize;

    /// The shape of the result for operands of these shapes; `None` if they do not fit.
    fn shape(&self, function: usize, a: Shape, b: Shape) -> Option<Shape>;

    /// What a function means, exactly.
    fn value(&self, function: usize, a: &Matrix, b: &Matrix) -> Matrix;

    /// How many layers lie between reading the operands and writing the result; at least 1.
    fn depth(&self) -> usize {
        1
    }

    /// Writes the block: `functions` are the gates of the functions.
    fn build(&self, stage: &mut Stage<'_>, functions: &[Gate]);
}

/// A row that is 0 at the scratch columns while a function runs, and 1 while another does; and one that
/// is 1 while it runs.
#[derive(Clone, Copy)]
pub struct Gate {
    /// 0 while it runs.
    pub off: usize,
    /// 1 while it runs.
    pub on: usize,
}

/// Rows that every block reads. Scratch column `j` holds column `j` of the operands and of the result.
pub struct Frame {
    /// The largest side of a matrix.
    pub side: usize,
    /// The result, and the memory's variables.
    pub data: network::Block,
    /// The operands; 0 before the layer that reads them, and in all other columns.
    pub a: network::Block,
    pub b: network::Block,
    /// 1 at one scratch column each; and 1 at all other scratch columns.
    pub column: network::Block,
    pub other_column: network::Block,
    /// 1 at the scratch columns, and 1 everywhere else.
    pub scratch: usize,
    pub elsewhere: usize,
    /// 1 at the sink.
    pub sink: usize,
}

/// What a block is built into.
pub struct Stage<'s> {
    /// The rows that are there.
    pub frame: &'s Frame,
    /// New rows; a block leaves them 0.
    pub rows: &'s mut Rows,
    /// The layer that reads the operands, then the block's own. Its feed-forward block already sees the
    /// operands, and may add to the result.
    pub layers: &'s mut [Draft],
    /// Whether float64 computes it.
    pub is_float64: bool,
}

impl Stage<'_> {
    /// Adds a form to a row of the scratch columns while a function runs.
    pub fn add(&mut self, layer: usize, gate: Gate, form: Form, row: usize) {
        let closed = self.closed(gate);
        self.layers[layer].gated(form, closed, CLOSED, row);
    }

    /// Adds a multiple of a form, multiplied behind the gate, so that what is added is exact.
    pub fn add_scaled(&mut self, layer: usize, gate: Gate, form: Form, row: usize, factor: f64) {
        let closed = self.closed(gate) * CLOSED;
        let draft = &mut self.layers[layer];
        draft.unit(form.clone() - closed.clone(), &[(row, factor)]);
        draft.unit(form * -1.0 - closed, &[(row, -factor)]);
    }

    /// The same where a form is positive.
    pub fn add_positive(&mut self, layer: usize, gate: Gate, form: Form, row: usize) {
        let closed = self.closed(gate) * CLOSED;
        self.layers[layer].unit(form - closed, &[(row, 1.0)]);
    }

    /// 0 at the scratch columns while a function runs, at least 1 elsewhere.
    pub fn closed(&self, gate: Gate) -> Form {
        Form::row(gate.off) + Form::row(self.frame.elsewhere)
    }
}
