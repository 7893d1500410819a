//! What a looped machine is, as data in its model: which columns are words and instructions, which
//! rows hold them, and how they are called. Whoever has the model can read the machine's state from its
//! residual stream. Depends on `network` for bits.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The machines that run programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Machine {
    /// SUBLEQ in one layer.
    R1,
    /// SUBLEQ in two layers.
    R2,
    /// SUBLEQ in one layer, whose words are numbers.
    R1s,
    /// SUBLEQ in ten layers, as in the paper.
    P10,
    /// SUBLEQ in two layers, whose instructions are words like others.
    Stored,
    /// FLEQ in four layers.
    Fleq,
}

impl Machine {
    /// Every machine.
    pub const ALL: [Machine; 6] = [
        Machine::R1,
        Machine::R2,
        Machine::R1s,
        Machine::P10,
        Machine::Stored,
        Machine::Fleq,
    ];

    /// Its name in options and files.
    pub fn name(self) -> &'static str {
        match self {
            Machine::R1 => "r1",
            Machine::R2 => "r2",
            Machine::R1s => "r1s",
            Machine::P10 => "p10",
            Machine::Stored => "stored",
            Machine::Fleq => "fleq",
        }
    }
}

/// Where a machine keeps what. Column 0 is the scratch column, where it computes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// Always `looped`.
    pub kind: String,
    /// Which machine it is.
    pub machine: Machine,
    /// Bits of a word; 0 where words are columns of real numbers.
    pub word_bits: usize,
    /// Whether it computes exactly enough in float64 only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub float64: bool,
    /// Columns of the words.
    pub memory: Range<usize>,
    /// Columns of the instructions; none if they are words.
    pub code: Range<usize>,
    /// Rows of a word: its bits as ±1, the lowest first; or the one row that holds it as a number; or
    /// a column of a matrix.
    pub word: Range<usize>,
    /// Rows of the pointer to a column that is still to be written, at the scratch column: what is to be
    /// written stands in the rows of a word there. All are 0 if there is none.
    pub pending: Option<Range<usize>>,
    /// Rows of the pointer to the next instruction, at the scratch column.
    pub counter: Range<usize>,
    /// What the pointer is more than the next instruction's.
    pub ahead: usize,
    /// Rows of an instruction's fields, at its column.
    pub fields: Range<usize>,
    /// Names of words.
    pub names: Vec<Name>,
    /// Names of instructions, or of addresses: number and name.
    pub labels: Vec<(usize, String)>,
    /// The lines of its text that the instructions are of, or the words of a stored program, counted
    /// from 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<usize>,
    /// The functions of a FLEQ machine, in the order of their numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<String>,
    /// Lines that define those which are the program's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<String>,
}

/// A name of neighbouring words, or of a matrix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Name {
    /// As the program has it.
    pub name: String,
    /// Its first word, or the first column of the matrix, counted in `memory`.
    pub first: usize,
    /// How many words, or columns.
    pub count: usize,
    /// Rows of the matrix; 1 for words.
    pub rows: usize,
}
