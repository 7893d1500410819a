//! Programs as the machines hold them, and the ordinary interpreter that is their meaning: `a b c`
//! takes the word `a` from the word `b`, and goes to `c` if the result is not positive (Mavaddat &
//! Parhami 1988; Giannou et al. 2023, algorithm 2). Depends on
//! `base` for places.

use crate::base::Span;

/// A program in the form of the paper: instructions apart from the words they work on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Bits of a word; sums wrap.
    pub bits: usize,
    /// What the words are at the start.
    pub words: Vec<i64>,
    /// Words `a` and `b`, and the instruction `c`. The last instruction is where the program halts: it
    /// goes to itself.
    pub code: Vec<[usize; 3]>,
    /// The lines of the text that they are of, but for the last one.
    pub places: Vec<Span>,
    /// Names of words, each with the first and how many.
    pub names: Vec<(String, usize, usize)>,
    /// Names of instructions.
    pub labels: Vec<(String, usize)>,
}

/// A program whose instructions are words like others, which it may change; 0 is where it starts. It
/// halts at a negative address. What is written to the address -1 is printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stored {
    /// Bits of a word and of an address; sums wrap.
    pub bits: usize,
    /// What the words are at the start.
    pub words: Vec<i64>,
    /// Names of addresses.
    pub labels: Vec<(String, usize)>,
}

/// What a machine holds between two instructions.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The next instruction, or the address of it.
    pub counter: i64,
    /// The words.
    pub words: Vec<i64>,
    /// Whether the program has come to its end.
    pub halted: bool,
}

/// A number as a word of some bits holds it.
pub fn wrapped(number: i64, bits: usize) -> i64 {
    let spare = 64 - bits as u32;
    number << spare >> spare
}

/// Whether a number is a word of some bits.
pub fn fits(number: i64, bits: usize) -> bool {
    wrapped(number, bits) == number
}

impl Program {
    /// The state before the first instruction.
    pub fn start(&self) -> State {
        State {
            counter: 0,
            words: self.words.clone(),
            halted: self.code.len() == 1,
        }
    }

    /// Runs one instruction.
    pub fn step(&self, state: &mut State) {
        let Some([a, b, c]) = self.code.get(state.counter as usize).copied() else {
            return;
        };
        let difference = state.words[b].wrapping_sub(state.words[a]);
        state.words[b] = wrapped(difference, self.bits);
        state.counter = match state.words[b] <= 0 {
            true => c as i64,
            false => state.counter + 1,
        };
        state.halted = state.counter as usize + 1 == self.code.len();
    }
}

/// What stops a stored program that does not halt: an address without a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchWord {
    /// Where the instruction stands.
    pub instruction: i64,
    /// The address.
    pub address: i64,
}

impl Stored {
    /// The state before the first instruction.
    pub fn start(&self) -> State {
        State {
            counter: 0,
            words: self.words.clone(),
            halted: false,
        }
    }

    /// Runs one instruction, and gives the word that it prints, if it does.
    ///
    /// # Errors
    /// An address without a word.
    pub fn step(&self, state: &mut State) -> Result<Option<i64>, NoSuchWord> {
        let instruction = state.counter;
        let place = |address: i64| {
            let index = usize::try_from(address).ok();
            let index = index.filter(|index| *index < self.words.len());
            index.ok_or(NoSuchWord {
                instruction,
                address,
            })
        };
        let mut operands = [0; 3];
        for (operand, offset) in operands.iter_mut().zip(0..) {
            *operand = state.words[place(instruction + offset)?];
        }
        let [a, b, c] = operands;
        let source = state.words[place(a)?];
        let mut printed = None;
        state.counter = wrapped(instruction + 3, self.bits);
        if b == -1 {
            printed = Some(source);
        } else {
            let target = place(b)?;
            let difference = state.words[target].wrapping_sub(source);
            state.words[target] = wrapped(difference, self.bits);
            if state.words[target] <= 0 {
                state.counter = c;
            }
        }
        state.halted = state.counter < 0;
        Ok(printed)
    }
}
