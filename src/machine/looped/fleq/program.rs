//! Programs of matrices, and the ordinary interpreter that is their meaning, in float64. Depends on
//! `block` for what functions mean.

use super::block::{Block, Shape};
use crate::base::Span;

/// A matrix, row by row.
pub type Matrix = Vec<Vec<f64>>;

/// The shape of a matrix.
pub fn shape(matrix: &Matrix) -> Shape {
    (matrix.len(), matrix.first().map_or(0, Vec::len))
}

/// A variable with its value at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// As the program has it.
    pub name: String,
    /// Its value at the start.
    pub value: Matrix,
}

/// `c = f(a, b); if flag <= 0 goto target`: variables by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The number of the function; 0 does nothing.
    pub function: usize,
    /// Its operands.
    pub operands: [usize; 2],
    /// What it writes.
    pub result: usize,
    /// The variable whose first entry decides.
    pub flag: usize,
    /// Where to go if that is not positive.
    pub target: usize,
}

/// The variable that is 0.
pub const ZERO: usize = 0;
/// The variable that is 1, so that the branch is not taken.
pub const ONE: usize = 1;

/// A program of matrices.
pub struct Program {
    /// The first two are [`ZERO`] and [`ONE`].
    pub variables: Vec<Variable>,
    /// The last one is where the program halts: it goes to itself.
    pub code: Vec<Instruction>,
    /// The lines of the text that they are of, but for the last one.
    pub places: Vec<Span>,
    /// Names of instructions.
    pub labels: Vec<(String, usize)>,
    /// What gives the functions: number 0 does nothing, the others follow block by block.
    pub blocks: Vec<Box<dyn Block>>,
}

/// What a program holds between two instructions.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The next instruction.
    pub counter: usize,
    /// The variables.
    pub values: Vec<Matrix>,
}

impl Program {
    /// The largest side of a matrix.
    pub fn side(&self) -> usize {
        let sides = self.variables.iter().map(|variable| {
            let (rows, columns) = shape(&variable.value);
            rows.max(columns)
        });
        sides.max().unwrap_or(1)
    }

    /// Names of all functions, by number.
    pub fn functions(&self) -> Vec<String> {
        let named = self.blocks.iter().flat_map(|block| block.functions());
        std::iter::once("nop".to_string()).chain(named).collect()
    }

    /// The block of a function, and its number there; none for number 0.
    pub fn block(&self, function: usize) -> Option<(&dyn Block, usize)> {
        let mut index = function.checked_sub(1)?;
        for block in &self.blocks {
            let count = block.functions().len();
            if index < count {
                return Some((&**block, index));
            }
            index -= count;
        }
        None
    }

    /// The state before the first instruction.
    pub fn start(&self) -> State {
        State {
            counter: 0,
            values: self
                .variables
                .iter()
                .map(|variable| variable.value.clone())
                .collect(),
        }
    }

    /// Whether the program has come to its end.
    pub fn halted(&self, state: &State) -> bool {
        state.counter + 1 >= self.code.len()
    }

    /// Runs one instruction.
    pub fn step(&self, state: &mut State) {
        let Some(instruction) = self.code.get(state.counter) else {
            return;
        };
        if let Some((block, function)) = self.block(instruction.function) {
            let [a, b] = instruction.operands.map(|operand| &state.values[operand]);
            state.values[instruction.result] = block.value(function, a, b);
        }
        state.counter = match state.values[instruction.flag][0][0] <= 0.0 {
            true => instruction.target,
            false => state.counter + 1,
        };
    }
}
